//! Aliases of inputs: names other than its own by which a value can be given to an input, so that callers with the names
//! of other libraries reach it. Metadata: `[[ string aliases = "Kd,diffuseColor" ]]`.
//!
//! - A parameter's own name takes precedence over aliases.
//! - Callers alone use aliases: code and outputs know only the name.

use super::ParamInfo;
use crate::hir::{Metadata, text_metadata};
use shading_syntax::diagnostic::Diagnostic;
use shading_syntax::source::{SourceMap, Span};

impl ParamInfo {
    /// Other names by which callers can give a value.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        aliases(&self.metadata)
    }
}

/// The aliases that metadata declare.
pub(super) fn aliases(metadata: &[Metadata]) -> impl Iterator<Item = &str> {
    let list = text_metadata(metadata, "aliases").unwrap_or_default();
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// The first of the names in a parameter's name: that of its structure.
pub(super) fn head(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// A parameter with what its declaration says.
pub(super) struct DeclaredParam<'d> {
    pub(super) name: &'d str,
    pub(super) metadata: &'d [Metadata],
    pub(super) span: Span,
}

/// Errors of aliases that no caller can use, because another parameter has the name.
pub(super) fn unusable_aliases(params: &[DeclaredParam<'_>], sources: &SourceMap) -> Vec<Diagnostic> {
    let mut errors = vec![];
    for (index, param) in params.iter().enumerate() {
        let name = head(param.name);
        if params[..index].iter().any(|earlier| head(earlier.name) == name) {
            continue;
        }
        for alias in aliases(param.metadata) {
            let Some(other) = params.iter().find(|other| head(other.name) == alias) else {
                continue;
            };
            let message = if alias == name {
                format!("`{alias}` is an alias of itself")
            } else {
                format!("the alias `{alias}` of `{name}` is the name of another parameter")
            };
            let error = Diagnostic::error(message).at(sources, param.span, "");
            errors.push(if alias == name {
                error
            } else {
                error.at(sources, other.span, "the other")
            });
        }
    }
    errors
}
