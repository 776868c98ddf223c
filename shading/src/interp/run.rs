//! Inputs and results of an interpreter run.

use super::closure::{Closures, Value};
use crate::runtime::listing::Listing;
use crate::runtime::{NoHost, PrintOutput, ShaderGlobals, ShaderHost, WrittenClouds};
use shading_compiler::eval;
use shading_compiler::hir::{ClosureRegistry, Const};
use shading_syntax::source::Span;

/// Inputs of a run.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// The shading point.
    pub globals: &'a ShaderGlobals,
    /// Host for textures, spaces and attributes.
    pub host: &'a dyn ShaderHost,
    /// Fuel ([`shading_compiler::hir::fuel`]).
    pub fuel: u32,
    /// Values of parameters, by name; their defaults are not evaluated.
    pub given: &'a [(&'a str, Const)],
    /// Registry of the unit's closures, for printing them.
    pub closures: Option<&'a ClosureRegistry>,
    /// True to check the assumption of [`shading_compiler::opt::OptLevel::Full`]: [`Outcome::finite`] is false if a
    /// number was not finite.
    pub checks_finite: bool,
    /// True to report variables that are assigned non-finite numbers.
    pub reports_not_finite: bool,
}

impl<'a> RunOptions<'a> {
    /// Creates options with a shading point only.
    pub fn new(globals: &'a ShaderGlobals) -> RunOptions<'a> {
        RunOptions {
            globals,
            host: &NoHost,
            fuel: eval::DEFAULT_FUEL,
            given: &[],
            closures: None,
            checks_finite: false,
            reports_not_finite: false,
        }
    }
}

/// Results of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Outputs of the unit, in order of its parameters.
    pub outputs: Vec<(String, Value)>,
    /// Closures referenced by the outputs.
    pub closures: Closures,
    /// Printed texts.
    pub printed: PrintOutput,
    /// Written points.
    pub written: WrittenClouds,
    /// Reports, one for each location.
    pub reports: Vec<Report>,
    /// True if the run completed.
    pub finished: bool,
    /// True if all intermediate numbers were finite, as far as [`RunOptions::checks_finite`] requested this check.
    pub finite: bool,
}

/// Kinds of run-time reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportKind {
    /// Fuel ran out.
    OutOfFuel,
    /// Calls nested too deep.
    TooDeep,
    /// An index was clamped.
    IndexOutOfRange,
    /// A format string does not match its arguments, or a string was truncated.
    BadFormat,
    /// An invalid argument of a function: an invalid regular expression, an unknown kind of noise.
    BadArgument,
    /// A texture was not found.
    MissingTexture,
    /// A point cloud was not found, or could not be read.
    MissingCloud,
    /// A point was not written.
    CloudNotWritten,
    /// A variable was assigned a non-finite number.
    NotFinite,
}

/// A run-time report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Kind.
    pub kind: ReportKind,
    /// Source location.
    pub span: Span,
    /// Message with the values.
    pub message: String,
}

impl Outcome {
    /// Returns an output by its name.
    pub fn output(&self, name: &str) -> Option<&Value> {
        self.outputs.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// Returns the components of a closure output; empty if it is not a closure.
    pub fn listing(&self, name: &str) -> Listing {
        match self.output(name) {
            Some(Value::Closure(root)) => self.closures.list(*root),
            _ => Listing::default(),
        }
    }

    /// Describes the first difference between the named outputs, or the printed or written data, none of which the
    /// optimiser may change. Reports may differ, because unused computations are removed.
    pub fn difference<'a>(
        &self,
        other: &Outcome,
        outputs: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        if self.finished != other.finished {
            return Some(format!("finished: {} and {}", self.finished, other.finished));
        }
        let [printed, by_other] =
            [self, other].map(|outcome| outcome.printed.clone().without_optional_errors());
        if printed != by_other {
            return Some(format!("printed {printed:?} and {by_other:?}"));
        }
        if self.written != other.written {
            return Some(format!("written {:?} and {:?}", self.written, other.written));
        }
        for name in outputs {
            let (Some(a), Some(b)) = (self.output(name), other.output(name)) else {
                return Some(format!("output {name} is missing"));
            };
            if !self.same(a, other, b) {
                return Some(format!("output {name}: {a:?} and {b:?}"));
            }
        }
        None
    }

    fn same(&self, a: &Value, other: &Outcome, b: &Value) -> bool {
        match (a, b) {
            (Value::Plain(a), Value::Plain(b)) => a.same(b),
            (Value::Closure(a), Value::Closure(b)) => self.closures.list(*a).same(&other.closures.list(*b)),
            (Value::Closures(a), Value::Closures(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|(a, b)| self.closures.list(*a).same(&other.closures.list(*b)))
            }
            _ => false,
        }
    }
}
