//! Failures as exceptions of Python.

use pyo3::prelude::*;
use renderer::command::Failure;
use shading::{Diagnostic, Diagnostics, Severity};

/// A diagnostic as Python gets it: severity, message, file, line, column, hints.
pub(crate) type DiagnosticTuple =
    (&'static str, String, Option<String>, Option<u32>, Option<u32>, Vec<String>);

/// `kiln.Error` with all diagnostics. `Interrupted` comes only from a callback that returns `False`.
pub(crate) fn exception(py: Python<'_>, failure: &Failure) -> PyErr {
    let diagnostics = failure.diagnostics();
    let text = match failure {
        Failure::Mistakes(diagnostics) => diagnostics.to_string(),
        Failure::User(text) => text.clone(),
        Failure::Interrupted(_) => "stopped before anything was finished".to_owned(),
    };
    let error = py
        .import("kiln._errors")
        .and_then(|module| module.getattr("Error")?.call1((text, diagnostic_tuples(&diagnostics))));
    match error {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// Diagnostics as tuples for Python.
pub(crate) fn diagnostic_tuples(diagnostics: &Diagnostics) -> Vec<DiagnosticTuple> {
    diagnostics.list.iter().map(one).collect()
}

fn one(diagnostic: &Diagnostic) -> DiagnosticTuple {
    let place = diagnostic.labels.first().map(|label| {
        let start = u32::try_from(label.range.start).unwrap_or(u32::MAX);
        let (file, line, column) = label.source.locate(start);
        (file.to_owned(), line, column)
    });
    let severity = match diagnostic.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let (file, line, column) = match place {
        Some((file, line, column)) => (Some(file), Some(line), Some(column)),
        None => (None, None, None),
    };
    let hints = diagnostic.hints.clone();
    (severity, diagnostic.message.clone(), file, line, column, hints)
}
