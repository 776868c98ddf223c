//! Parameters with a fixed set of texts: `[[ string widget = "popup", string options = "linear|smooth" ]]`.

use crate::graph::{Binding, Connection, GraphError, ParamInfo};
use crate::hir::{Const, text_metadata};
use shading_syntax::ast::ExprKind;

/// Returns the error for a constant that is not among the options of its input.
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
    // Published lists have blanks around their bars. Units compare the texts with or without these blanks.
    let options = text_metadata(&param.metadata, "options")?.split('|');
    let options: Vec<&str> = options.map(str::trim).collect();
    // A list without the default is incomplete.
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
