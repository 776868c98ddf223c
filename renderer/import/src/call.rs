//! Calls of shipped units, from which importers build materials.

use shading::syntax::ast::{Argument, Expr};

/// Call of a unit; parameters without an argument keep their defaults.
#[derive(Clone, Debug)]
pub(super) struct Call {
    unit: &'static str,
    args: Vec<Argument>,
}

impl Call {
    pub(super) fn new(unit: &'static str) -> Call {
        Call { unit, args: vec![] }
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<Expr>) {
        self.args.push(Argument::named(name, value));
    }

    /// # Errors
    /// When the value is not finite.
    pub(super) fn number(&mut self, name: &str, value: f32) -> Result<(), String> {
        let value = finite(value).map_err(|reason| format!("{name} is {reason}"))?;
        self.set(name, value);
        Ok(())
    }

    /// # Errors
    /// When the value is not finite.
    pub(super) fn number_unless(&mut self, name: &str, value: f32, default: f32) -> Result<(), String> {
        if value == default { Ok(()) } else { self.number(name, value) }
    }

    /// # Errors
    /// When the value is not finite.
    pub(super) fn color(&mut self, name: &str, value: [f32; 3]) -> Result<(), String> {
        for channel in value {
            finite(channel).map_err(|reason| format!("{name} is {reason}"))?;
        }
        self.set(name, value);
        Ok(())
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<Expr>) -> Call {
        self.set(name, value);
        self
    }

    /// Adds the argument, if there is a value.
    pub(super) fn with_optional(self, name: &str, value: Option<Expr>) -> Call {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(super) fn finish(mut self) -> Expr {
        // Scenes can have very many calls.
        self.args.shrink_to_fit();
        Expr::call(self.unit, self.args)
    }
}

/// Returns the number.
///
/// # Errors
/// If it is infinite or NaN, which the language cannot write.
pub(super) fn finite(value: f32) -> Result<f32, String> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(format!("{value}, not a finite number"))
    }
}
