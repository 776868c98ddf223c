//! Aliases of inputs, declared in metadata: `[[ string aliases = "Kd,diffuseColor" ]]`. Callers can set an input by the
//! names that other libraries use.
//!
//! - A parameter's own name hides aliases.
//! - Only callers use aliases: code and outputs use the name.

use super::ParamInfo;
use crate::hir::{Metadata, text_metadata};
use shading_syntax::diagnostic::Diagnostic;
use shading_syntax::source::{SourceMap, Span};

impl ParamInfo {
    /// Aliases.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        aliases(&self.metadata)
    }
}

pub(super) fn aliases(metadata: &[Metadata]) -> impl Iterator<Item = &str> {
    let list = text_metadata(metadata, "aliases").unwrap_or_default();
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// Returns the first part of a parameter's name: the name of its structure, if it has one.
pub(super) fn head(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Name, location and aliases of a declared parameter.
pub(super) struct DeclaredParam<'d> {
    pub(super) name: &'d str,
    pub(super) metadata: &'d [Metadata],
    pub(super) span: Span,
}

/// Returns errors for aliases that are unusable because another parameter has that name.
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
