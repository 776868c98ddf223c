//! Type inference ahead of lowering: types of expressions for overload resolution and `typeof`.
//!
//! The code of an expression is generated and discarded. Functions are not inlined, since the type of a call follows from
//! the types of its arguments. Results are stored by expression and scope (each inlined call has its own scopes): otherwise
//! each level of nested calls would double the work.

use super::{Checker, TypedValue};
use crate::hir::Operand;
use crate::ty::Type;
use shading_syntax::ast::{Argument, Expr, Name, TypeKind};

impl<'a> Checker<'a> {
    /// Returns the type of an expression without reporting errors.
    pub(super) fn type_of(&mut self, expr: &'a Expr) -> Option<Type> {
        let key = (std::ptr::from_ref(expr), self.scope);
        if let Some(known) = self.inference.types.get(&key) {
            return *known;
        }
        let ty = self.infer_quietly(|c| c.infer(expr));
        self.inference.types.insert(key, ty);
        ty
    }

    /// Returns the type of an expression without evaluating it; errors in it are reported.
    pub(super) fn checked_type_of(&mut self, expr: &'a Expr) -> Option<Type> {
        let key = (std::ptr::from_ref(expr), self.scope);
        if let Some(Some(known)) = self.inference.types.get(&key) {
            return Some(*known);
        }
        let ty = self.infer(expr)?;
        self.inference.types.insert(key, Some(ty));
        Some(ty)
    }

    fn infer(&mut self, expr: &'a Expr) -> Option<Type> {
        let outer = std::mem::replace(&mut self.inference.is_active, true);
        let mut ty = None;
        self.block(expr.span, |c| ty = c.open_value(expr).map(|value| value.ty));
        self.inference.is_active = outer;
        ty
    }

    /// Infers types with `find`, and discards code and errors.
    fn infer_quietly<T: Default>(&mut self, find: impl FnOnce(&mut Self) -> T) -> T {
        let failed = self.failed.take();
        let outer = std::mem::replace(&mut self.inference.is_active, true);
        let block = std::mem::take(&mut self.body.block);
        self.quiet += 1;
        let found = find(self);
        self.quiet -= 1;
        self.body.block = block;
        self.inference.is_active = outer;
        self.failed = failed;
        found
    }

    /// Returns whether a function that the file declares accepts the arguments of a call, as far as their types are known.
    pub(super) fn user_function_accepts(&mut self, name: &'a Name, args: &'a [Argument]) -> bool {
        let key = (std::ptr::from_ref(name), self.scope);
        if let Some(known) = self.inference.accepted.get(&key) {
            return *known;
        }
        let accepts = self.infer_quietly(|c| {
            let given = c.arguments(args);
            given.is_none_or(|given| c.is_user_function_call(&name.text, &given))
        });
        self.inference.accepted.insert(key, accepts);
        accepts
    }

    /// Returns whether the arguments are known to be unfit with the call's expected type as their own.
    pub(super) fn are_unfit(&mut self, name: &str, args: &'a [Argument], expected: Option<Type>) -> bool {
        !self.inference.is_active
            && self.inference.unfit.contains(&args.as_ptr())
            && self.infer_quietly(|c| {
                let given = c.arguments_as(args, expected);
                given.is_some_and(|given| !c.takes_arguments(name, &given))
            })
    }

    /// Records in one scope that arguments are unfit (see [`Checker::are_unfit`]), so that they are checked with less effort
    /// in others.
    pub(super) fn note_unfit(&mut self, args: &'a [Argument]) {
        self.inference.unfit.insert(args.as_ptr());
    }

    /// Returns the result of a call during type inference; `None` if the call must be lowered: outside inference, and for a
    /// result type that depends on the arguments.
    pub(super) fn inferred_call(&mut self, index: usize) -> Option<TypedValue> {
        let info = &self.functions[index];
        let is_open = info.is_generic && matches!(info.ast.ty.kind, TypeKind::Of(_));
        if !self.inference.is_active || is_open {
            return None;
        }
        let ty = info.result;
        let leaves = self.locals("", ty).into_iter().map(Operand::Local).collect();
        Some(TypedValue { ty, leaves })
    }

    /// Returns whether bodies of functions are skipped.
    pub(super) fn infers_types(&self) -> bool {
        self.inference.is_active
    }
}
