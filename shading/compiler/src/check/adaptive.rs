//! Adaptive units: queries about the use of a unit (`isconnected`, `istexture`, `typeof`, `any`) are answered at compile
//! time.
//!
//! Queries are `isconnected isgiven istexture exists` and type queries (`isfloat iscolor isarray …`, `isconvertible`,
//! `typeof`). A parameter `any` has the type of its argument, and `float a[]` its length. An adaptive unit is checked and
//! lowered again for each distinct use, so that the answers are constants. In a unit with an `any` parameter, branches that
//! these constants exclude are not checked, since they may be incorrect for other types.

use super::call::SPECIAL_NAMES;
use super::conversion::{TYPE_NAMES, conversion_rank, near};
use super::error::CheckError;
use super::lvalue::Lvalue;
use super::unit_use::UnitUse;
use super::{Checker, Environment, TypedValue, prelude};
use crate::builtins::{self, Builtin};
use crate::hir::{Op, Unit};
use crate::ty::{Base, Length, Type};
use shading_syntax::ast::{self, Argument, BinaryOp, Expr, ExprKind, TypeKind, UnaryOp};
use shading_syntax::diagnostic::Diagnostics;
use shading_syntax::source::Span;

/// Name of the open type.
pub(super) const ANY: &str = "any";

type Predicate = fn(Type) -> bool;

const PREDICATES: [(&str, Predicate); 11] = [
    ("isint", |ty| ty == Type::INT),
    ("isfloat", |ty| ty == Type::FLOAT),
    ("iscolor", |ty| ty == Type::COLOR),
    ("ispoint", |ty| ty == Type::POINT),
    ("isvector", |ty| ty == Type::VECTOR),
    ("isnormal", |ty| ty == Type::NORMAL),
    ("ismatrix", |ty| ty == Type::MATRIX),
    ("isstring", |ty| ty == Type::STRING),
    ("isclosure", |ty| ty == Type::CLOSURE),
    ("isarray", |ty| ty.is_array()),
    ("isstruct", |ty| matches!(ty.base, Base::Struct(_))),
];

/// Names of the query functions.
pub(super) const QUERIES: [&str; 6] =
    ["isconnected", "isgiven", "istexture", "isconstant", "isconvertible", "exists"];

const CONVERTIBLE: &str = "isconvertible(value, \"type\"), as isconvertible(x, \"color\")";

/// Lowers the unit at `index` of a file for an instance with the given parameter uses.
///
/// # Errors
/// The errors found for this use.
pub fn specialise(
    file: &ast::File,
    index: usize,
    uses: &UnitUse,
    environment: &Environment<'_>,
) -> Result<Unit, Diagnostics> {
    super::deep_stack(|| {
        let mut checker = Checker::of_file(file, environment);
        checker.quiet += 1;
        let units = file.items.iter().filter_map(|item| match item {
            ast::Item::Unit(unit) => Some(unit),
            _ => None,
        });
        let unit = units.into_iter().nth(index);
        let needed = unit.map_or(vec![], |unit| file.functions_of_unit(unit));
        let declared = checker.declare_some(file, &needed);
        checker.check_functions(&declared);
        checker.quiet -= 1;
        checker.adaptive.uses = uses.to_vec();
        let unit = unit.and_then(|unit| checker.unit(unit));
        let mut diagnostics = checker.finish();
        match unit {
            Some(unit) => Ok(unit),
            None => {
                diagnostics
                    .list
                    .retain(|d| d.severity == shading_syntax::diagnostic::Severity::Error);
                Err(diagnostics)
            }
        }
    })
}

impl<'a> Checker<'a> {
    pub(super) fn is_query(name: &str) -> bool {
        QUERIES.contains(&name) || PREDICATES.iter().any(|(known, _)| *known == name)
    }

    /// Returns the constant result of a query, as an int.
    pub(super) fn query(&mut self, name: &str, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        if name == "isconvertible" {
            let result = i32::from(self.is_convertible(args, span)?);
            return Some(TypedValue::new(Type::INT, self.int(result)));
        }
        let [Argument { value: expr, name: None, .. }] = args else {
            self.report(span, CheckError::BadQuery(name.to_owned()));
            return None;
        };
        if name == "exists" {
            if let Some(known) = self.function_exists(args) {
                return Some(TypedValue::new(Type::INT, self.int(i32::from(known))));
            }
            let attribute = self.value(expr, Some(Type::STRING))?;
            let attribute = self.fit(&attribute, Type::STRING, expr.span)?;
            let names = vec![self.string(""), attribute.leaf()];
            return Some(self.emit_builtin(Builtin::HasAttribute, names, Type::INT, span));
        }
        if name == "isconstant" {
            let value = self.value(expr, None)?;
            let leaf = match value.leaves.first() {
                Some(leaf) if !value.ty.is_array() => *leaf,
                _ => return Some(TypedValue::new(Type::INT, self.int(0))),
            };
            return Some(self.emit_value(Op::Builtin(Builtin::IsConstant), vec![leaf], Type::INT, span));
        }
        let result = if let Some((_, is)) = PREDICATES.iter().find(|(known, _)| *known == name) {
            i32::from(is(self.checked_type_of(expr)?))
        } else {
            let place = self.place(expr)?;
            self.mark_read(expr);
            self.used(&place, name)
        };
        Some(TypedValue::new(Type::INT, self.int(result)))
    }

    fn used(&mut self, place: &Lvalue, query: &str) -> i32 {
        let mut result = 0;
        for &local in &place.leaves {
            let Some(name) = self.adaptive.params.get(&local).cloned() else {
                continue;
            };
            let used = self.adaptive.used(&name);
            if query == "isgiven" {
                self.adaptive.asked_given.insert(name);
            } else {
                self.adaptive.queried.insert(name);
            }
            result |= match query {
                "istexture" => i32::from(used.is_image),
                "isgiven" => i32::from(used.is_given),
                _ => i32::from(used.is_fed) + 2 * i32::from(used.is_read),
            };
        }
        result
    }

    /// `isconvertible(value, "type")`: whether a value can be assigned to a variable of that type.
    fn is_convertible(&mut self, args: &'a [Argument], span: Span) -> Option<bool> {
        let [value, ty] = args else {
            self.report(span, CheckError::BadForm(CONVERTIBLE));
            return None;
        };
        let ExprKind::String(name) = &ty.value.kind else {
            self.report(ty.value.span, CheckError::BadForm(CONVERTIBLE));
            return None;
        };
        let Some(to) = self.type_called(name) else {
            let near = near(name, &TYPE_NAMES);
            let name = name.clone();
            self.report(ty.value.span, CheckError::UnknownType(name, near));
            return None;
        };
        let from = self.checked_type_of(&value.value)?;
        Some(conversion_rank(from, to).is_some())
    }

    /// Returns the type of a name such as `float`, `color[3]` or that of a structure.
    fn type_called(&self, text: &str) -> Option<Type> {
        Type::named(text, |name| match name {
            "closure" | "closure color" => Some(Base::Closure),
            _ => Some(Base::Struct(self.scopes.find_struct(self.scope, name)?)),
        })
    }

    /// Returns the answer of `exists` about a function: for `"name()"` whether it can be called; for `"name"` whether it is
    /// built in. `None` if the query is about an attribute.
    fn function_exists(&mut self, args: &[Argument]) -> Option<bool> {
        let [Argument { value, name: None, .. }] = args else {
            return None;
        };
        let ExprKind::String(text) = &value.kind else {
            return None;
        };
        match text.strip_suffix("()") {
            Some(name) => Some(self.is_known_callee(name) || is_special(name)),
            None => {
                let is_built_in = builtins::overloads(text).next().is_some() || prelude::has(text);
                (is_built_in || SPECIAL_NAMES.contains(&text.as_str())).then_some(true)
            }
        }
    }

    /// Lowers an expression without an expected type: a list in braces becomes an array.
    pub(super) fn open_value(&mut self, expr: &'a Expr) -> Option<TypedValue> {
        match &expr.kind {
            ExprKind::Braces(list) => self.open_list(list, expr.span),
            ExprKind::List(list) if self.in_group => self.open_list(list, expr.span),
            _ => self.value(expr, None),
        }
    }

    /// Lowers a list in braces to an array of the common type of its elements.
    pub(super) fn open_list(&mut self, list: &'a [Expr], span: Span) -> Option<TypedValue> {
        let types = list.iter().map(|element| self.checked_type_of(element));
        let types = types.collect::<Option<Vec<Type>>>()?;
        let Some(element) = common_type(&types) else {
            let types: Vec<String> = types.iter().map(|ty| self.show(*ty)).collect();
            let types = types.join(", ");
            self.report(span, CheckError::MixedList(types));
            return None;
        };
        let length = Length::Unsized;
        self.braces(list, Type { length, ..element }, span)
    }

    /// Evaluates a condition that is known from the unit's use; the branch that it excludes is not checked. `None` if the
    /// condition is unknown, or tests types or arguments in a unit without `any`.
    pub(super) fn known_condition(&mut self, condition: &'a Expr) -> Option<bool> {
        match &condition.kind {
            ExprKind::Bool(value) => self.adaptive.is_generic.then_some(*value),
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                self.known_condition(operand).map(|value| !value)
            }
            ExprKind::Binary { op: BinaryOp::And, left, right } => match self.known_condition(left)? {
                false => Some(false),
                true => self.known_condition(right),
            },
            ExprKind::Binary { op: BinaryOp::Or, left, right } => match self.known_condition(left)? {
                true => Some(true),
                false => self.known_condition(right),
            },
            ExprKind::Call { name, template: None, args }
                if name.text == "exists" && !self.is_callable("exists") =>
            {
                self.function_exists(args)
            }
            ExprKind::Call { name, template: None, args }
                if self.adaptive.is_generic && Self::is_query(&name.text) && name.text != "isconstant" =>
            {
                let result = self.query(&name.text, args, condition.span)?;
                match self.body.known(result.leaf()) {
                    Some(crate::hir::Const::Int(value)) => Some(*value != 0),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Reports an `any` parameter whose type no branch of an `if` chain handles: a chain without `else` that tests only the
    /// type of this parameter. Returns whether it reported an error.
    pub(super) fn report_exhausted_chain(
        &mut self,
        condition: &'a Expr,
        otherwise: &'a ast::Stmt,
        span: Span,
    ) -> bool {
        let mut tested: Option<&'a Expr> = None;
        let mut is_chain = tested_param(condition, &mut tested);
        let mut rest = Some(otherwise);
        while let Some(stmt) = rest {
            match &stmt.kind {
                ast::StmtKind::If { condition, otherwise, .. } => {
                    is_chain &= tested_param(condition, &mut tested)
                        && self.known_condition(condition) == Some(false);
                    rest = otherwise.as_deref();
                }
                _ => return false,
            }
        }
        let Some(tested) = tested.filter(|_| is_chain) else {
            return false;
        };
        let Some(found) = self.checked_type_of(tested) else {
            return false;
        };
        let found = self.show(found);
        self.report(span, CheckError::NoBranch(found));
        true
    }

    /// Returns the type of an `any` parameter in this use: that of its argument, or else that of its default.
    pub(super) fn any_type(&mut self, param: &'a ast::Param) -> Option<Type> {
        if let Some(ty) = self.adaptive.used(&param.name.text).ty {
            return Some(ty);
        }
        let Some(default) = &param.default else {
            self.report(param.span, CheckError::AnyWithoutDefault);
            return None;
        };
        let ty = self.checked_type_of(default)?;
        let is_plain = !matches!(ty.base, Base::Struct(_) | Base::Void);
        if !is_plain {
            let found = self.show(ty);
            self.report(default.span, CheckError::AnyOf(found));
        }
        is_plain.then_some(ty)
    }

    /// Returns whether a type name is `any`.
    pub(super) fn is_any(&self, ty: &ast::TypeName) -> bool {
        matches!(&ty.kind, TypeKind::Named(name) if name == ANY)
            && self.scopes.find_struct(self.scope, ANY).is_none()
    }
}

/// Returns whether a condition tests the type of a single parameter: the parameter that preceding conditions (`tested`)
/// test.
fn tested_param<'e>(condition: &'e Expr, tested: &mut Option<&'e Expr>) -> bool {
    match &condition.kind {
        ExprKind::Call { name, args, .. } => match &args[..] {
            [argument] if is_type_question(&name.text) => {
                let same = |other: &&Expr| matches!((&other.kind, &argument.value.kind), (ExprKind::Name(a), ExprKind::Name(b)) if a == b);
                let is_same = tested.as_ref().is_none_or(same);
                *tested = Some(&argument.value);
                is_same
            }
            _ => false,
        },
        ExprKind::Binary { op: BinaryOp::Or, left, right } => {
            tested_param(left, tested) && tested_param(right, tested)
        }
        _ => false,
    }
}

/// Returns whether a call of this name is lowered specially, in addition to [`SPECIAL_NAMES`].
fn is_special(name: &str) -> bool {
    Checker::is_query(name)
        || matches!(name, "exit" | "pointcloud_search" | "pointcloud_get" | "pointcloud_write")
}

fn is_type_question(name: &str) -> bool {
    name == "istexture" || PREDICATES.iter().any(|(known, _)| *known == name)
}

/// Returns the common type of the elements of a list: float for numbers, a triple if any element is one.
fn common_type(types: &[Type]) -> Option<Type> {
    let first = *types.first()?;
    if types.iter().any(|ty| ty.is_array()) {
        return None;
    }
    if types.iter().all(|ty| *ty == first) {
        return Some(first);
    }
    let is_number = |ty: &&Type| matches!(**ty, Type::INT | Type::FLOAT);
    let others: Vec<&Type> = types.iter().filter(|ty| !is_number(ty)).collect();
    match others[..] {
        [] => Some(Type::FLOAT),
        [other, ..] if other.is_triple() && others.iter().all(|ty| *ty == other) => Some(*other),
        _ => None,
    }
}
