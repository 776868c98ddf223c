//! Conversion between the crate `shading-editor` and the protocol.

use std::ops::Range;

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Uri,
};
use shading::Severity;
use shading_editor::{Document, Finding, FindingPlace, Position};

pub(super) fn position(at: Position) -> lsp_types::Position {
    lsp_types::Position { line: at.line, character: at.column }
}

pub(super) fn offset(document: &Document, at: lsp_types::Position) -> usize {
    let place = Position { line: at.line, column: at.character };
    document.lines.offset(&document.text, place)
}

/// Range of some bytes of a text.
pub(super) fn range(document: &Document, bytes: &Range<usize>) -> lsp_types::Range {
    let place = |at: usize| position(document.lines.position(&document.text, at));
    lsp_types::Range { start: place(bytes.start), end: place(bytes.end) }
}

fn positions(range: &Range<Position>) -> lsp_types::Range {
    lsp_types::Range { start: position(range.start), end: position(range.end) }
}

/// A mistake as the protocol has it; `uri` gives the addresses of files.
pub(super) fn diagnostic(finding: &Finding, uri: impl Fn(&std::path::Path) -> Option<Uri>) -> Diagnostic {
    let severity = match finding.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    };
    let mut message = finding.message.clone();
    if !finding.place.text.is_empty() {
        message += &format!(" ({})", finding.place.text);
    }
    for hint in &finding.hints {
        message += &format!("\nhint: {hint}");
    }
    let related = |place: &FindingPlace| {
        Some(DiagnosticRelatedInformation {
            location: Location::new(uri(&place.path)?, positions(&place.range)),
            message: if place.text.is_empty() {
                "here".to_owned()
            } else {
                place.text.clone()
            },
        })
    };
    let related: Vec<_> = finding.related.iter().filter_map(related).collect();
    Diagnostic {
        range: positions(&finding.place.range),
        severity: Some(severity),
        source: Some("kiln".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        code: None::<NumberOrString>,
        ..Diagnostic::default()
    }
}
