//! Surfaces that a unit returns as a structure, as MaterialX's shaders do.

use super::argument::CallArgument;
use super::{Checker, TypedValue};
use crate::hir::{Operand, Param};
use crate::ty::Type;
use shading_syntax::source::Span;

impl Checker<'_> {
    /// Adds `Ci` to a unit whose only closures are in a structure of `bsdf`, `edf` and `opacity`, as in MaterialX's surface
    /// shaders. `Ci` is computed after all other statements of the unit.
    pub(super) fn surface_of_structure(&mut self, params: &[Param], span: Span) -> Option<Param> {
        let outputs = || params.iter().filter(|param| param.output);
        let has_closure = outputs().any(|param| param.ty == Type::CLOSURE && !param.name.contains('.'));
        if has_closure || self.closures.overloads("transparent").next().is_none() {
            return None;
        }
        let structure = outputs().find_map(|param| param.name.strip_suffix(".bsdf"))?;
        let field = |name: &str, ty: Type| {
            let name = format!("{structure}.{name}");
            let param = outputs().find(|param| param.name == name && param.ty == ty)?;
            Some(CallArgument::value(TypedValue::new(ty, Operand::Local(param.local)), span))
        };
        let given = vec![
            field("bsdf", Type::CLOSURE)?,
            field("edf", Type::CLOSURE)?,
            field("opacity", Type::FLOAT)?,
        ];
        let local = self.body.local("Ci", Type::CLOSURE);
        self.body.epilogue = self.block(span, |c| {
            if let Some(surface) = c.call_named("__surface__", given, Some(Type::CLOSURE), span) {
                c.store(local, surface.leaf(), span);
            }
        });
        Some(Param::output("Ci", Type::CLOSURE, local, span))
    }
}
