//! Options of calls: pairs of a name and a value after the other arguments.

use super::argument::CallArgument;
use super::conversion::near;
use super::error::CheckError;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::hir::{Op, Operand};
use crate::ty::Type;
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    /// Sets the values of options, which begin with their defaults. `unknown` creates the warning for an unknown name, with
    /// the most similar known one. A name that is not constant is compared at run time.
    pub(super) fn options(
        &mut self,
        known: &[(&'static str, Type)],
        given: &[CallArgument<'a>],
        values: &mut [TypedValue],
        unknown: fn(String, Option<String>) -> Warning,
    ) -> Option<()> {
        for pair in given.chunks(2) {
            let [key, value] = pair else {
                self.report(pair[0].span, CheckError::OptionWithoutValue);
                return None;
            };
            let Some(name) = self.given_string(key) else {
                self.option_by_text(known, key, value, values)?;
                continue;
            };
            match known.iter().position(|(known, _)| *known == &*name) {
                Some(i) => values[i] = self.given_as(value, known[i].1)?,
                None => {
                    self.given_value(value)?;
                    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                    self.warn(key.span, unknown(name.to_string(), near(&name, &names)));
                }
            }
        }
        Some(())
    }

    /// Sets the option named by a run-time string, among those that accept the value's type.
    fn option_by_text(
        &mut self,
        known: &[(&'static str, Type)],
        key: &CallArgument<'a>,
        value: &CallArgument<'a>,
        values: &mut [TypedValue],
    ) -> Option<()> {
        let text = self.given_as(key, Type::STRING)?.leaf();
        let value = CallArgument::value(self.given_value(value)?, value.span);
        for (&(name, ty), option) in known.iter().zip(values) {
            if self.argument_rank(&value, ty, false).is_some() {
                let name = self.string(name);
                let is_meant = self.emit(Op::Eq, vec![text, name], Type::INT, key.span);
                let meant = self.given_as(&value, ty)?;
                *option = self.chosen(is_meant, meant, option.clone(), key.span);
            }
        }
        Some(())
    }

    /// Selects the first of two values of a type if a condition holds, else the second.
    fn chosen(&mut self, condition: Operand, value: TypedValue, other: TypedValue, span: Span) -> TypedValue {
        let result = self.locals("", value.ty);
        for (local, leaf) in result.iter().zip(&other.leaves) {
            self.store(*local, *leaf, span);
        }
        self.push_if(condition, span, |c| {
            for (local, leaf) in result.iter().zip(&value.leaves) {
                c.store(*local, *leaf, span);
            }
        });
        let leaves = result.into_iter().map(Operand::Local).collect();
        TypedValue { ty: value.ty, leaves }
    }
}
