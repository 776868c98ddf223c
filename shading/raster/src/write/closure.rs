//! Closures as sums of lobes.

use shading_compiler::builtins::Global;
use shading_compiler::hir::{ClosureId, Operand};
use shading_compiler::ty::Base;
use shading_syntax::source::Span;

use super::writer::FunctionWriter;
use crate::closure_table::{TermKind, replace, terms};
use crate::error::RasterError;
use crate::inputs::MemberSource;

/// Placeholder for the cosine of the viewer's angle in the table of closures.
const COSINE: &str = "@cosine";

impl FunctionWriter<'_, '_> {
    /// Writes the lobes of a component.
    pub(super) fn closure(&mut self, target: &str, id: ClosureId, args: &[Operand], span: Span) {
        let signature = &self.program.closures[id];
        let Some(terms) = terms(signature) else {
            let name = signature.name.to_owned();
            return self.report(RasterError::Closure(name), span);
        };
        let params = &signature.params;
        // The target may be an operand.
        let result = self.temporary();
        self.line(&format!("var {result} = Lobes();"));
        for term in terms.iter().filter(|term| term.is_needed(self.program.parts)) {
            let mut texts = vec![];
            for arg in &term.args {
                let text = replace(arg, |name| {
                    let Some(index) = params.iter().position(|param| param.name == name) else {
                        return String::new();
                    };
                    self.closure_param(args[index], params[index].ty.base, name)
                });
                let is_seen = text.contains(COSINE);
                texts.push(if is_seen { text.replace(COSINE, &self.cosine()) } else { text });
            }
            let texts = texts.join(", ");
            match term.kind {
                TermKind::Part(part) => {
                    let name = part.name();
                    self.line(&format!("add_{name}(&{result}, {texts});"));
                }
                TermKind::Base => self.line(&format!("{result} = {texts};")),
                TermKind::Over => {
                    let cosine = self.cosine();
                    self.line(&format!("{result} = lobes_over({texts}, {cosine});"));
                }
                TermKind::Under => {
                    let cosine = self.cosine();
                    self.line(&format!("{result} = lobes_under({texts}, {cosine});"));
                }
            }
        }
        self.line(&format!("{target} = {result};"));
    }

    /// Returns the cosine of the angle between the viewer and the normal.
    fn cosine(&mut self) -> String {
        let n = self.inputs.global(MemberSource::Global(Global::N));
        let i = self.inputs.global(MemberSource::Global(Global::I));
        format!("abs(dot({n}, {i}))")
    }

    /// Returns a parameter. A normal or tangent of length zero is replaced by that of the surface.
    fn closure_param(&mut self, arg: Operand, base: Base, name: &str) -> String {
        let text = self.operand(arg);
        let is_tangent = matches!(name, "U" | "T" | "curve_direction");
        let instead = match base {
            Base::Normal => Global::N,
            Base::Vector if is_tangent => Global::DPdu,
            _ => return text,
        };
        let instead = self.inputs.global(MemberSource::Global(instead));
        match self.constant(arg) {
            Some(_) => instead,
            None => format!("kiln_or({text}, {instead})"),
        }
    }
}
