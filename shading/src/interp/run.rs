//! Inputs and results of an interpreter run.

use super::closure::{Closures, Value};
use crate::runtime::listing::Listing;
use crate::runtime::{NoHost, Printed, ShaderGlobals, ShaderHost, WrittenClouds};
use shading_compiler::eval;
use shading_compiler::hir::{ClosureRegistry, Const};
use shading_syntax::source::Span;

/// What a run is given.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// The shading point.
    pub globals: &'a ShaderGlobals,
    /// Textures, spaces and attributes.
    pub host: &'a dyn ShaderHost,
    /// Turns of loops and calls that may be taken.
    pub fuel: u32,
    /// Values of parameters, by name; their defaults do not run.
    pub given: &'a [(&'a str, Const)],
    /// The closures that the unit speaks of, so that they can be printed.
    pub closures: Option<&'a ClosureRegistry>,
    /// Whether to compute as [`shading_compiler::opt::OptLevel::Full`] assumes: zeros lose their sign, and [`Outcome::finite`] is
    /// false when a number was not finite.
    pub unsigned_zeros: bool,
    /// Whether variables that are set to what is no finite number are reported.
    pub reports_not_finite: bool,
}

impl<'a> RunOptions<'a> {
    /// Nothing but a shading point.
    pub fn new(globals: &'a ShaderGlobals) -> RunOptions<'a> {
        RunOptions {
            globals,
            host: &NoHost,
            fuel: eval::DEFAULT_FUEL,
            given: &[],
            closures: None,
            unsigned_zeros: false,
            reports_not_finite: false,
        }
    }
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// The outputs of the unit, in order of its parameters.
    pub outputs: Vec<(String, Value)>,
    /// The closures that the outputs refer to.
    pub closures: Closures,
    /// What was printed.
    pub printed: Printed,
    /// The points that were written.
    pub written: WrittenClouds,
    /// What went wrong, each place once.
    pub reports: Vec<Report>,
    /// Whether the run came to its end.
    pub finished: bool,
    /// Whether all numbers on the way were finite, as far as [`RunOptions::unsigned_zeros`] asked.
    pub finite: bool,
}

/// What can go wrong in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportKind {
    /// Fuel ran out.
    OutOfFuel,
    /// Calls nested too deep.
    TooDeep,
    /// An index was clamped.
    IndexOutOfRange,
    /// A format string does not fit its arguments.
    BadFormat,
    /// A function cannot do with an argument: a pattern that is none, a kind of noise that is not known.
    BadArgument,
    /// A texture was not found.
    MissingTexture,
    /// A point cloud was not found, or could not be read.
    MissingCloud,
    /// A point was not written.
    CloudNotWritten,
    /// A variable was set to what is no finite number.
    NotFinite,
}

/// Something that went wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What.
    pub kind: ReportKind,
    /// Where.
    pub span: Span,
    /// What, in words, with the values.
    pub message: String,
}

impl Outcome {
    /// An output by its name.
    pub fn output(&self, name: &str) -> Option<&Value> {
        self.outputs.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// The components of a closure output; none where it is not one.
    pub fn listing(&self, name: &str) -> Listing {
        match self.output(name) {
            Some(Value::Closure(root)) => self.closures.list(*root),
            _ => Listing::default(),
        }
    }

    /// The first difference in what the named outputs hold, or in what was printed or written, in words: what an
    /// optimised unit must not change. Reports may differ, since work that nobody needs is not done.
    pub fn difference<'a>(
        &self,
        other: &Outcome,
        outputs: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        if self.finished != other.finished {
            return Some(format!("finished: {} and {}", self.finished, other.finished));
        }
        let [printed, by_other] = [self, other].map(|outcome| outcome.printed.clone().without_mistakes());
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
