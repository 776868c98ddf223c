//! Function calls: inlining, or calls of a shared (recursive) function.

use super::argument::CallArgument;
use super::error::CheckError;
use super::frame::{ANY_TYPE, Formal, FunctionFrame};
use super::lvalue::{Access, Lvalue};
use super::scope::SymbolMeaning;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::hir::{Function, FunctionId, LocalId, Operand, Stmt};
use crate::ty::{Length, Type};
use shading_syntax::ast::{self, Passing, TypeKind};
use shading_syntax::source::Span;

/// Maximum nesting of inlined calls.
const MAX_INLINED: usize = 256;

/// An argument bound to a parameter, and the lvalue to write back to.
struct Bound {
    meaning: SymbolMeaning,
    back: Option<(Lvalue, Vec<LocalId>)>,
}

impl<'a> Checker<'a> {
    /// Calls a function whose parameters match the arguments.
    pub(super) fn invoke(
        &mut self,
        index: usize,
        given: &[CallArgument<'a>],
        span: Span,
    ) -> Option<TypedValue> {
        if let Some(result) = self.inferred_call(index) {
            return Some(result);
        }
        if self.functions[index].is_generic {
            return self.inline(index, given, span);
        }
        if let Some(caller) = self.alone {
            return self.placeholder_call(caller, index, given);
        }
        if self.functions[index].is_recursive {
            return self.call_recursive(index, given, span);
        }
        self.inline(index, given, span)
    }

    /// Returns a placeholder for the result of a call in a function that is checked separately.
    fn placeholder_call(
        &mut self,
        caller: usize,
        index: usize,
        given: &[CallArgument<'a>],
    ) -> Option<TypedValue> {
        self.functions[caller].callees.insert(index);
        let formals = self.functions[index].formals.clone();
        for (given, formal) in given.iter().zip(&formals) {
            match self.output_place(given, *formal) {
                Some((place, expr)) => {
                    self.mark_written(expr);
                    self.mark_reference_read(expr);
                    self.check_writable(&place, given.span);
                }
                None => {
                    self.given_as(given, formal.ty);
                }
            }
        }
        let ty = self.functions[index].result;
        let leaves = self.locals("", ty).into_iter().map(Operand::Local).collect();
        Some(TypedValue { ty, leaves })
    }

    /// Returns the lvalue that a call writes through an output argument. An argument that cannot be written is passed
    /// as a copy.
    fn output_place(&mut self, given: &CallArgument<'a>, formal: Formal) -> Option<(Lvalue, &'a ast::Expr)> {
        if !formal.output {
            return None;
        }
        match given.place() {
            Some((place, expr)) if Self::is_writable(place) => Some((place.clone(), expr)),
            _ => {
                self.warn(given.span, Warning::OutputLost);
                None
            }
        }
    }

    /// Marks a reference argument as used, because the call may be made for its new value.
    fn mark_reference_read(&mut self, expr: &'a ast::Expr) {
        self.quiet += 1;
        self.mark_read(expr);
        self.quiet -= 1;
    }

    fn inline(&mut self, index: usize, given: &[CallArgument<'a>], span: Span) -> Option<TypedValue> {
        let info = &self.functions[index];
        let (function, outer, is_prelude) = (info.ast, info.scope, info.is_prelude);
        let formals = info.formals.clone();
        // Calls count even if they emit no statements, because nested calls can double in number at each level.
        self.emitted += 1;
        if self.is_exhausted() {
            self.report_exhausted(span);
            return None;
        }
        if self.inlined >= MAX_INLINED {
            let name = function.name.text.clone();
            let quiet = std::mem::take(&mut self.quiet);
            self.report(self.prelude_call.unwrap_or(span), CheckError::CallsTooDeep(name));
            self.quiet = quiet;
            return None;
        }
        let written = self.written_params(index);
        let mut bound = vec![];
        for (i, ((formal, given_one), param)) in formals.iter().zip(given).zip(&function.params).enumerate() {
            let is_written = written[i] && param.passing != Passing::Const;
            let name = &param.name.text;
            bound.push(match self.shared_place(*formal, given_one, &formals, given) {
                Some(place) if !is_prelude => Some(Self::bind_shared(place, name)),
                _ => self.bind(*formal, given_one, name, is_written),
            });
        }
        let bound: Vec<Bound> = bound.into_iter().collect::<Option<_>>()?;

        let scope = self.scopes.push(outer);
        let outer_scope = std::mem::replace(&mut self.scope, scope);
        let references = std::mem::take(&mut self.references);
        let in_group = std::mem::take(&mut self.in_group);
        let prelude_call = self.prelude_call;
        if is_prelude {
            self.prelude_call.get_or_insert(span);
        }
        let is_generic = self.adaptive.is_generic;
        self.adaptive.is_generic |= self.functions[index].is_generic;
        self.quiet += 1;
        self.inlined += 1;
        for (bound, param) in bound.iter().zip(&function.params) {
            self.declare_param(&param.name, bound.meaning.clone());
        }
        let ty = self.result_type(index);
        let result = self.locals(&format!("{}.result", function.name.text), ty);
        let frame = FunctionFrame { ty, result: result.clone(), ..FunctionFrame::default() };
        let outer_frame = std::mem::replace(&mut self.frame, frame);
        let block = self.block(span, |c| {
            if !c.infers_types() {
                c.statements(function.body.as_deref().unwrap_or_default(), true);
            }
        });
        self.inlined -= 1;
        self.quiet -= 1;
        self.adaptive.is_generic = is_generic;
        self.prelude_call = prelude_call;
        self.in_group = in_group;
        self.references = references;
        let frame = std::mem::replace(&mut self.frame, outer_frame);
        self.scope = outer_scope;

        match frame.scope {
            Some(scope) => self.push(Stmt::Scope { scope, body: block }, span),
            None => self.body.block.extend(block),
        }
        for (place, locals) in bound.into_iter().filter_map(|b| b.back) {
            let leaves = locals.into_iter().map(Operand::Local).collect();
            self.write(&place, TypedValue { ty: place.ty, leaves }, span);
        }
        let leaves = result.into_iter().map(Operand::Local).collect();
        Some(TypedValue { ty, leaves })
    }

    /// Returns the result type of a function whose parameters are declared in the current scope.
    fn result_type(&mut self, index: usize) -> Type {
        let info = &self.functions[index];
        match info.ast.ty.kind {
            TypeKind::Of(_) if info.is_generic => self.resolve(&info.ast.ty, None).unwrap_or(Type::VOID),
            _ => info.result,
        }
    }

    /// Returns the variable of an argument that is also an output argument of the call, whole or as part of a structure.
    /// Arguments are passed by reference, so the function sees its own writes to the variable.
    fn shared_place(
        &mut self,
        formal: Formal,
        given: &CallArgument<'a>,
        formals: &[Formal],
        all: &[CallArgument<'a>],
    ) -> Option<Lvalue> {
        let (place, expr) = given.place()?;
        if formal.output || place.ty != formal.ty || !place.is_whole() {
            return None;
        }
        let is_output = |(formal, other): (&Formal, &CallArgument<'a>)| {
            let written = other.place().filter(|(place, _)| formal.output && place.is_whole());
            written.is_some_and(|(other, _)| place.leaves.iter().all(|leaf| other.leaves.contains(leaf)))
        };
        if !formals.iter().zip(all).any(is_output) {
            return None;
        }
        self.mark_read(expr);
        Some(place.clone())
    }

    /// Binds an argument to the variable itself.
    fn bind_shared(place: Lvalue, name: &str) -> Bound {
        let access = Access::Param(name.to_owned());
        Bound {
            meaning: SymbolMeaning::Variable(Lvalue { access, ..place }),
            back: None,
        }
    }

    /// Binds an argument: outputs by reference, constants directly, other values as copies. If a parameter is not an output
    /// but `is_written`, the function modifies the argument's variable, as in OSL.
    fn bind(
        &mut self,
        formal: Formal,
        given: &CallArgument<'a>,
        name: &str,
        is_written: bool,
    ) -> Option<Bound> {
        if let Some((mut place, expr)) = self.output_place(given, formal) {
            if !self.check_writable(&place, given.span) {
                return None;
            }
            self.mark_written(expr);
            self.mark_reference_read(expr);
            let base = if formal.ty == ANY_TYPE { place.ty.base } else { formal.ty.base };
            let ty = Type { base, length: place.ty.length };
            if place.is_whole() {
                place.ty = ty;
                return Some(Bound { meaning: SymbolMeaning::Variable(place), back: None });
            }
            let value = self.read(&place, given.span)?;
            let locals = self.locals(name, ty);
            for (local, leaf) in locals.iter().zip(&value.leaves) {
                self.store(*local, *leaf, given.span);
            }
            let meaning = SymbolMeaning::Variable(Lvalue::whole(ty, locals.clone(), Access::Writable));
            return Some(Bound { meaning, back: Some((place, locals)) });
        }
        let value = self.given_as(given, formal.ty)?;
        if !is_written && !formal.output && value.leaves.iter().all(|leaf| matches!(leaf, Operand::Const(_)))
        {
            return Some(Bound { meaning: SymbolMeaning::Value(value), back: None });
        }
        let locals = self.locals(name, value.ty);
        for (local, leaf) in locals.iter().zip(&value.leaves) {
            self.store(*local, *leaf, given.span);
            self.adaptive.alias(*local, *leaf);
        }
        let changes_argument =
            |place: &Lvalue| is_written && place.ty == value.ty && Self::is_writable(place);
        let back = match given.place() {
            Some((place, _)) if changes_argument(place) => Some((place.clone(), locals.clone())),
            _ => None,
        };
        let access = if formal.output {
            Access::Writable
        } else {
            Access::Param(name.to_owned())
        };
        let place = Lvalue::whole(value.ty, locals, access);
        Some(Bound { meaning: SymbolMeaning::Variable(place), back })
    }

    fn call_recursive(&mut self, index: usize, given: &[CallArgument<'a>], span: Span) -> Option<TypedValue> {
        let formals = self.functions[index].formals.clone();
        let ty = self.functions[index].result;
        let mut args = vec![];
        let result = self.locals("", ty);
        let mut results = result.clone();
        let mut back = vec![];
        for (formal, given) in formals.iter().zip(given) {
            if formal.ty.length == Length::Unsized {
                let name = self.functions[index].ast.name.text.clone();
                self.report(given.span, CheckError::RecursiveUnsized(name));
                return None;
            }
            let Some((place, expr)) = self.output_place(given, *formal) else {
                args.extend(self.given_as(given, formal.ty)?.leaves);
                if formal.output {
                    results.extend(self.locals("", formal.ty));
                }
                continue;
            };
            if !self.check_writable(&place, given.span) {
                return None;
            }
            self.mark_written(expr);
            self.mark_reference_read(expr);
            args.extend(self.read(&place, given.span)?.leaves);
            let locals = self.locals("", place.ty);
            results.extend(&locals);
            back.push((place, locals));
        }
        let function = self.recursive(index);
        let at = self.prelude_call.unwrap_or(span);
        self.push(Stmt::Call { function, args, results, span: at }, span);
        for (place, locals) in back {
            let leaves = locals.into_iter().map(Operand::Local).collect();
            self.write(&place, TypedValue { ty: place.ty, leaves }, span);
        }
        let leaves = result.into_iter().map(Operand::Local).collect();
        Some(TypedValue { ty, leaves })
    }

    /// Returns the id of a function that is not inlined. Its code is generated at the first call.
    fn recursive(&mut self, index: usize) -> FunctionId {
        if let Some(id) = self.called_ids.get(&index) {
            return *id;
        }
        let id = self.called.push(Function {
            name: self.functions[index].ast.name.text.clone(),
            params: vec![],
            outputs: vec![],
            code: crate::hir::Code::default(),
            fuel: 1,
            sample: None,
        });
        self.called_ids.insert(index, id);
        self.quiet += 1;
        let (function, globals) = self.lower_apart(index);
        self.quiet -= 1;
        self.called[id] = function;
        self.global_uses.insert(id, globals);
        id
    }
}
