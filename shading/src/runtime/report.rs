//! Run-time error reports with source locations.

use std::fmt;
use std::sync::Arc;

/// A place in source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReportPlace {
    /// Name of the source.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The names of the nodes that lead to the instance of the unit, with dots; empty where that is no part of a group.
    pub instance: Arc<str>,
    /// The unit.
    pub unit: Arc<str>,
    /// What is written there.
    pub text: Arc<str>,
}

impl ReportPlace {
    /// The name of the variable that is indexed there: `a` of `a[i]`, `s.a` of `s.a[i]`.
    pub fn indexed(&self) -> &str {
        let name = self.text.split('[').next().unwrap_or_default().trim();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        if !name.is_empty() && name.chars().all(is_name) {
            name
        } else {
            "array"
        }
    }
}

/// What can go wrong in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportKind {
    /// A loop or recursion took all fuel; the run ended with its outputs as they were and no closure.
    OutOfFuel,
    /// Recursive calls nested too deep; the run ended likewise.
    TooDeep,
    /// The run wanted too much memory for large arrays, and ended likewise; or for closures and strings, and went on
    /// without them.
    OutOfMemory,
    /// An index was clamped to its array.
    IndexOutOfRange,
    /// A format string does not fit its arguments.
    BadFormat,
    /// A function cannot do with an argument: a pattern that is none, a kind of noise that is not known.
    BadArgument,
    /// A texture was not found, or is not what `texture3d` or `environment` can look up: it is black.
    MissingTexture,
    /// A point cloud was not found, or could not be read: searches find nothing.
    MissingCloud,
    /// A point was not written.
    CloudNotWritten,
    /// A coordinate space is not known, and is "common"; that is told by [`ShadingContext::take_printed`](super::ShadingContext::take_printed).
    UnknownSpace,
}

/// Something that went wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Report {
    /// What.
    pub kind: ReportKind,
    /// What, in words, with the values.
    pub message: String,
    /// Name of the unit or group.
    pub shader: String,
    /// Where in source, if the shader was compiled with its sources.
    pub place: Option<ReportPlace>,
}

impl fmt::Display for Report {
    /// `file:line:column: shader: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}:{}:{}: ", place.file, place.line, place.column)?;
        }
        write!(f, "{}: {}", self.shader, self.message)
    }
}
