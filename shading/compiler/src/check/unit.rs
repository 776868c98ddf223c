//! Checking of units: parameters, defaults and metadata; and expressions compiled as anonymous units.

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

use super::body::Body;
use super::error::CheckError;
use super::frame::FunctionFrame;
use super::lvalue::{Access, Lvalue};
use super::reference::ReferencePath;
use super::scope::SymbolMeaning;
use super::{Checker, TypedValue};
use crate::builtins::Global;
use crate::hir::{
    self, Block, ColorSpace, Const, GlobalVariable, LocalId, Operand, Param, ScopeId, Stmt, Unit, UnitKind,
    walk,
};
use crate::ty::{Length, Type};
use shading_syntax::ast::{self, ExprKind, Passing};
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    /// Lowers a unit; `None` if it has errors.
    pub(super) fn unit(&mut self, unit: &'a ast::Unit) -> Option<Unit> {
        self.adaptive.is_generic = unit.params.iter().any(|param| self.is_any(&param.ty));
        self.adaptive.params.clear();
        self.adaptive.queried.clear();
        self.adaptive.asked_given.clear();
        self.whole(&unit.name.text, unit.kind, unit.name.span, |c| {
            // MaterialX generates code that converts colours itself, and reads data textures without naming a colour
            // space.
            if unit.metadata.iter().any(|entry| entry.name.text == "mtlx_name") {
                c.texture_space = ColorSpace::Raw;
            }
            let mut params = c.params(&unit.params);
            let metadata = c.metadata(&unit.metadata);
            let mut block = c.body_of_unit(&unit.body, unit.span);
            c.pass_globals(&mut params, &mut block);
            for param in &mut params {
                param.queries_connection = c.adaptive.queried.contains(&param.name);
                param.queries_given = c.adaptive.asked_given.contains(&param.name);
            }
            params.extend(c.texture_handles());
            if let Some(local) = c.body.ci.filter(|_| c.body.ci_written) {
                params.push(Param::output("Ci", Type::CLOSURE, local, unit.name.span));
            }
            if unit.kind == UnitKind::Displacement {
                let displaced = c.body.globals.get(&Global::P);
                params.extend(displaced.map(|&local| Param::output("P", Type::POINT, local, unit.name.span)));
            }
            if let Some(surface) = c.surface_of_structure(&params, unit.name.span) {
                params.insert(0, surface);
            }
            Some((params, metadata, block))
        })
    }

    /// See [`super::expression`].
    pub(super) fn expression_unit(
        &mut self,
        expr: &'a ast::Expr,
        expected: Option<Type>,
        inputs: &mut dyn FnMut(&ReferencePath) -> Option<Type>,
    ) -> Option<Unit> {
        let mut found = vec![];
        references(expr, inputs, &mut found);
        let unit = self.whole("<expression>", UnitKind::Shader, expr.span, |c| {
            c.in_group = true;
            let mut params = vec![];
            for (path, ty) in &found {
                let name = path.to_string();
                if c.references.contains_key(&name) {
                    continue;
                }
                let locals = c.locals(&name, *ty);
                for ((suffix, leaf), local) in c.leaves(*ty).into_iter().zip(&locals) {
                    let mut param = Param::output(&format!("{name}{suffix}"), leaf, *local, path.span);
                    param.output = false;
                    params.push(param);
                }
                c.references
                    .insert(name.clone(), Lvalue::whole(*ty, locals, Access::Constant(name)));
            }
            let mut result = None;
            let mut block = c.block(expr.span, |c| {
                let value = match expected {
                    Some(ty) => c.initial(expr, ty),
                    None => c.open_value(expr),
                };
                result = value.map(|value| c.materialise_result(&value, expr.span));
            });
            let (ty, locals) = result?;
            c.pass_globals(&mut params, &mut block);
            for ((suffix, leaf), local) in c.leaves(ty).into_iter().zip(locals) {
                params.push(Param::output(&format!("result{suffix}"), leaf, local, expr.span));
            }
            Some((params, vec![], block))
        });
        self.in_group = false;
        self.whole_numbers.clear();
        self.references.clear();
        unit
    }

    /// Returns whether an expression calls a function declared in the file.
    pub(super) fn calls_functions(&mut self, expr: &ast::Expr) -> bool {
        let mut calls = match &expr.kind {
            ExprKind::Call { name, .. } => {
                let functions = self.functions_named(self.scope, &name.text);
                functions.iter().any(|index| !self.functions[*index].is_prelude)
            }
            // Operators on structures may be function calls, too.
            _ => !self.structs.is_empty(),
        };
        expr.for_each_operand(&mut |operand| calls |= self.calls_functions(operand));
        calls
    }

    fn materialise_result(&mut self, value: &TypedValue, span: Span) -> (Type, Vec<LocalId>) {
        let locals = self.locals("result", value.ty);
        for (local, leaf) in locals.iter().zip(&value.leaves) {
            self.store(*local, *leaf, span);
        }
        (value.ty, locals)
    }

    /// Prepares the checker for a unit, and returns the unit that `fill` builds unless there was an error.
    fn whole(
        &mut self,
        name: &str,
        kind: UnitKind,
        span: Span,
        fill: impl FnOnce(&mut Self) -> Option<(Vec<Param>, Vec<hir::Metadata>, Block)>,
    ) -> Option<Unit> {
        let errors = self.errors;
        self.failed = None;
        self.bodies += 1;
        self.body = Body::new(self.bodies);
        self.called = PrimaryMap::new();
        self.called_ids = FxHashMap::default();
        self.global_uses = FxHashMap::default();
        self.emitted = 0;
        self.lowered = 0;
        self.exhaustion_reported = false;
        let scope = self.new_scope("unit");
        self.unit_scope = Some(scope);
        self.unit_name = Some(name.to_owned());
        self.texture_space = ColorSpace::Default;
        self.frame = FunctionFrame { scope: Some(scope), ..FunctionFrame::default() };
        let inner = self.scopes.push(self.scope);
        let outer = std::mem::replace(&mut self.scope, inner);
        let filled = fill(self);
        self.scope = outer;
        self.unit_scope = None;
        self.unit_name = None;

        let failed = self.failed.is_some();
        if let Some((span, error)) = self.failed.take()
            && self.errors == 0
        {
            // An error that is found only when a function is lowered into this unit.
            self.report(span, error);
        }
        if self.errors > errors || failed {
            return None;
        }
        let (params, metadata, mut block) = filled?;
        block.splice(0..0, self.skip_if_exited(scope));
        let mut body = std::mem::take(&mut self.body);
        let globals = global_variables(&body, &block);
        body.code.body = body.prologue;
        if walk::leaves(&block, scope) {
            body.code.body.push(Stmt::Scope { scope, body: block });
        } else {
            body.code.body.extend(block);
        }
        body.code.body.extend(body.epilogue);
        Some(Unit {
            name: name.to_owned(),
            kind,
            params,
            metadata,
            globals,
            code: body.code,
            functions: std::mem::replace(&mut self.called, PrimaryMap::new()),
            span,
        })
    }

    fn body_of_unit(&mut self, statements: &'a [ast::Stmt], span: Span) -> Block {
        let inner = self.scopes.push(self.scope);
        let outer = std::mem::replace(&mut self.scope, inner);
        let block = self.block(span, |c| c.statements(statements, true));
        self.scope = outer;
        block
    }

    fn params(&mut self, params: &'a [ast::Param]) -> Vec<Param> {
        let mut list = vec![];
        for param in params {
            self.param(param, &mut list);
        }
        list
    }

    fn param(&mut self, param: &'a ast::Param, list: &mut Vec<Param>) {
        let name = &param.name;
        let metadata = self.metadata(&param.metadata);
        let is_any = self.is_any(&param.ty);
        let resolved = if is_any {
            self.any_type(param)
        } else {
            self.resolve(&param.ty, param.array.as_ref())
        };
        let Some(mut ty) = resolved.filter(|ty| *ty != Type::VOID) else {
            if resolved.is_some() {
                self.report(param.ty.span, CheckError::VoidVariable);
            }
            self.declare_param(name, SymbolMeaning::Unknown);
            return;
        };
        if name.text.is_empty() {
            self.report(param.span, CheckError::NamelessParam);
            return;
        }
        let is_unsized = ty.length == Length::Unsized;
        if is_unsized && param.passing == Passing::Output {
            let name = name.text.clone();
            self.report(param.name.span, CheckError::UnsizedOutput(name));
        }
        if param.default.is_none() && self.is_osl(param.name.span) {
            let name = name.text.clone();
            self.report(param.name.span, CheckError::NoDefault(name));
        }
        if is_unsized {
            let used = self.adaptive.used(&name.text);
            ty = match used.ty {
                Some(used) => used,
                None => Type::array(ty.base, self.default_length(param, ty).max(used.grown)),
            };
        }
        // The default is unused if the argument has another type.
        let is_given = self.adaptive.used(&name.text).ty.is_some();
        let output = param.passing == Passing::Output;
        let struct_name = self.structure(ty.base).map(|s| s.name.clone());
        let locals = self.locals(&name.text, ty);
        let leaves = self.leaves(ty);
        let count = leaves.len();
        let mut constant = None;
        for (i, (path, leaf)) in leaves.into_iter().enumerate() {
            let local = locals[i];
            self.adaptive.params.insert(local, format!("{}{path}", name.text));
            let init = match (param.default.as_ref().filter(|_| !is_given), &constant) {
                (Some(default), Some(value)) => self.constant_default(default, value, i, local),
                (Some(default), None) => self.default_of(default, ty, i, local, &mut constant),
                (None, _) => vec![],
            };
            list.push(Param {
                name: format!("{}{path}", name.text),
                ty: leaf,
                is_unsized,
                is_any,
                queries_connection: false,
                queries_given: false,
                output,
                local,
                init,
                default: param.default.as_ref().map(|default| default_span(default, i, count)),
                struct_name: struct_name.clone(),
                metadata: metadata.clone(),
                span: name.span,
            });
        }
        let color_space = metadata.iter().find(|entry| entry.name == "colorspace");
        if let Some(Const::String(space)) = color_space.map(|entry| &entry.value)
            && let Some(space) = ColorSpace::from_name(space)
            && ty == Type::STRING
        {
            self.body.color_spaces.insert(locals[0], space);
        }
        let access = match param.passing {
            Passing::Output => Access::Writable,
            Passing::In => Access::Param(name.text.clone()),
            Passing::Const => Access::Constant(name.text.clone()),
        };
        self.declare_param(name, SymbolMeaning::Variable(Lvalue::whole(ty, locals, access)));
    }

    /// Statements that set leaf `i` of a parameter to its default; the statements of each leaf are independent. A
    /// default without statements is stored in `constant`.
    fn default_of(
        &mut self,
        default: &'a ast::Expr,
        ty: Type,
        i: usize,
        local: LocalId,
        constant: &mut Option<TypedValue>,
    ) -> Block {
        self.quiet += u32::from(i > 0);
        let block = self.in_default(default.span, |c| {
            if let Some(value) = c.assigned(default, ty) {
                let is_constant = value.leaves.iter().all(|leaf| matches!(leaf, Operand::Const(_)));
                let leaf = value.leaves[i];
                if is_constant && c.body.block.is_empty() {
                    *constant = Some(value);
                }
                c.store(local, leaf, default.span);
            }
        });
        self.quiet -= u32::from(i > 0);
        block
    }

    /// Statement that sets leaf `i` of a parameter to that of a constant default.
    fn constant_default(
        &mut self,
        default: &ast::Expr,
        value: &TypedValue,
        i: usize,
        local: LocalId,
    ) -> Block {
        self.in_default(default.span, |c| c.store(local, value.leaves[i], default.span))
    }

    /// Lowers the statements of a default with `fill`. An `exit` in it skips the rest of it, all later defaults, and
    /// the body.
    fn in_default(&mut self, span: Span, fill: impl FnOnce(&mut Self)) -> Block {
        let scope = self.new_scope("default");
        let skip = self.skip_if_exited(scope);
        let outer = self.unit_scope.replace(scope);
        self.body.in_default = true;
        let mut block = self.block(span, fill);
        self.body.in_default = false;
        self.unit_scope = outer;
        block.splice(0..0, skip);
        if walk::leaves(&block, scope) {
            block = vec![Stmt::Scope { scope, body: block }];
        }
        block
    }

    /// Statement that leaves a scope if an earlier default has called `exit`.
    fn skip_if_exited(&self, scope: ScopeId) -> Option<Stmt> {
        self.body.exited.map(|flag| Stmt::If {
            condition: Operand::Local(flag),
            then: vec![Stmt::Leave(scope)],
            otherwise: vec![],
        })
    }

    /// Length of the default of an array of unknown length.
    fn default_length(&mut self, param: &'a ast::Param, ty: Type) -> u32 {
        let Some(default) = &param.default else {
            return 1;
        };
        let mut length = 1;
        let failed = self.failed.take();
        self.quiet += 1;
        self.in_default(default.span, |c| {
            length = c.initial(default, ty).map_or(1, |v| v.ty.count());
        });
        self.quiet -= 1;
        self.failed = failed;
        length
    }

    /// Lowers metadata (`[[ … ]]`); all values must be constant.
    pub(super) fn metadata(&mut self, list: &'a [ast::Metadata]) -> Vec<hir::Metadata> {
        let mut found = vec![];
        for entry in list {
            let Some(ty) = self.resolve(&entry.ty, entry.array.as_ref()) else {
                continue;
            };
            let mut value = None;
            self.block(entry.span, |c| value = c.initial(&entry.value, ty));
            let Some(value) = value else {
                continue;
            };
            let known = match value.leaves.as_slice() {
                [only] => self.body.known(*only).cloned(),
                _ => None,
            };
            match known {
                Some(known) => {
                    found.push(hir::Metadata { name: entry.name.text.clone(), value: known, ty: value.ty });
                }
                None => self.report(entry.value.span, CheckError::MetadataNotConstant),
            }
        }
        found
    }
}

/// Returns the location of the default of one of the `count` values of a parameter: the element of `{ … }`, if the list has
/// `count` elements.
fn default_span(default: &ast::Expr, index: usize, count: usize) -> Span {
    match &default.kind {
        ExprKind::Braces(list) if count > 1 && list.len() == count => list[index].span,
        _ => default.span,
    }
}

/// Returns the variables of a unit that hold globals, and whether its statements assign to them.
fn global_variables(body: &Body, block: &Block) -> Vec<GlobalVariable> {
    let copies = body.globals.iter().map(|(&global, &local)| (Some(global), local));
    let mut list: Vec<GlobalVariable> = copies
        .chain(body.ci.map(|local| (None, local)))
        .map(|(global, local)| GlobalVariable { global, local, is_written: false })
        .collect();
    list.sort_unstable_by_key(|variable| variable.local);
    if !list.is_empty() {
        walk::statements(block, &mut |stmt| {
            for written in walk::writes(stmt) {
                if let Ok(index) = list.binary_search_by_key(written, |variable| variable.local) {
                    list[index].is_written = true;
                }
            }
        });
    }
    list
}

/// Collects the references in an expression that `inputs` contains, by their longest paths.
fn references(
    expr: &ast::Expr,
    inputs: &mut dyn FnMut(&ReferencePath) -> Option<Type>,
    found: &mut Vec<(ReferencePath, Type)>,
) {
    if let Some(path) = ReferencePath::of(expr)
        && let Some(ty) = inputs(&path)
    {
        found.push((path, ty));
        return;
    }
    expr.for_each_operand(&mut |operand| references(operand, inputs, found));
}
