//! Texts of which a parameter takes a few: `[[ string widget = "popup", string options = "linear|smooth" ]]`.

use crate::graph::{Binding, Connection, GraphError, ParamInfo};
use crate::hir::{Const, text_metadata};
use shading_syntax::ast::ExprKind;

/// The error of a text in a source that is none of what its input takes.
pub(super) fn unknown_choice(connection: &Connection, inputs: &[&ParamInfo]) -> Option<GraphError> {
    let Binding::Expression(expr) = &connection.binding else {
        return None;
    };
    let ExprKind::String(found) = &expr.kind else {
        return None;
    };
    let name = connection.target.to_string();
    let param = inputs.iter().find(|param| param.name == name)?;
    if text_metadata(&param.metadata, "widget") != Some("popup") {
        return None;
    }
    // Published lists have blanks about their bars; units compare with the texts as they are or without.
    let options = text_metadata(&param.metadata, "options")?.split('|');
    let options: Vec<&str> = options.map(str::trim).collect();
    // Lists without the default are not lists of all that there is.
    let Some(Const::String(default)) = &param.default else {
        return None;
    };
    let is_complete = options.contains(&default.trim());
    (is_complete && !options.contains(&found.trim())).then(|| GraphError::UnknownChoice {
        input: name,
        found: found.to_string(),
        known: options.into_iter().map(str::to_owned).collect(),
    })
}
