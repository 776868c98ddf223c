//! Run-time error reports with source locations.

use std::fmt;
use std::sync::Arc;

/// A source location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReportPlace {
    /// Name of the source.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Dotted path of node names to the instance of the unit; empty if it is not part of a group.
    pub instance: Arc<str>,
    /// Name of the unit.
    pub unit: Arc<str>,
    /// Source text at the location.
    pub text: Arc<str>,
}

impl ReportPlace {
    /// Returns the name of the indexed variable: `a` of `a[i]`, `s.a` of `s.a[i]`.
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

/// Kinds of run-time reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportKind {
    /// Fuel ran out in a loop or recursion; the run was aborted with its current outputs and no closure.
    OutOfFuel,
    /// Recursive calls were nested too deeply; the run was aborted likewise.
    TooDeep,
    /// Out of memory: for large arrays, the run was aborted likewise; for closures and strings, it continued without
    /// them.
    OutOfMemory,
    /// An index was clamped to its array.
    IndexOutOfRange,
    /// A format string does not match its arguments, or a string was truncated.
    BadFormat,
    /// An invalid argument of a function: an invalid regular expression, an unknown kind of noise.
    BadArgument,
    /// A texture was not found, or is not supported by `texture3d` or `environment`: it is black.
    MissingTexture,
    /// A point cloud was not found, or cannot be read: searches find nothing.
    MissingCloud,
    /// A point was not written.
    CloudNotWritten,
    /// An unknown coordinate space, treated as "common"; reported by
    /// [`ShadingContext::take_printed`](super::ShadingContext::take_printed).
    UnknownSpace,
}

/// A run-time report.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Report {
    /// Kind.
    pub kind: ReportKind,
    /// Message with the values.
    pub message: String,
    /// Name of the unit or group.
    pub shader: String,
    /// Source location, if the shader was compiled with its sources.
    pub place: Option<ReportPlace>,
}

impl fmt::Display for Report {
    /// Writes `file:line:column: shader: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}:{}:{}: ", place.file, place.line, place.column)?;
        }
        write!(f, "{}: {}", self.shader, self.message)
    }
}
