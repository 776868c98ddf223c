//! Aliases of inputs: names other than its own by which a value can be given to an input, so that callers with the names
//! of other libraries reach it. Metadata: `[[ string aliases = "Kd,diffuseColor" ]]`.
//!
//! - A parameter's own name takes precedence over aliases.
//! - Callers alone use aliases: code and outputs know only the name.

use std::borrow::Cow;

use super::path::is_in;
use super::{GraphError, ParamInfo, Path, Template};
use crate::hir::{Metadata, text_metadata};
use shading_syntax::diagnostic::Diagnostic;
use shading_syntax::source::{SourceMap, Span};

impl Template {
    /// Returns the path of an input, such as `Kd.r`, with the parameter's name in place of an alias. A path without
    /// such an alias is returned as it is.
    ///
    /// # Errors
    /// If several inputs have the alias.
    pub fn input_path(&self, path: &str) -> Result<String, GraphError> {
        match Path::parse(path) {
            Some(parsed) => Ok(named_input(self, &parsed)?.to_string()),
            None => Ok(path.to_owned()),
        }
    }
}

impl ParamInfo {
    /// Other names by which callers can give a value.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        aliases(&self.metadata)
    }
}

/// The aliases that metadata declare.
fn aliases(metadata: &[Metadata]) -> impl Iterator<Item = &str> {
    let list = text_metadata(metadata, "aliases").unwrap_or_default();
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// The path of an input as its template names it: an alias at its head becomes the name of the parameter, and fields of
/// structures come before indices.
pub(super) fn named_input<'p>(template: &Template, path: &'p Path) -> Result<Cow<'p, Path>, GraphError> {
    let named = without_alias(template, path)?;
    let exists = |name: &str| params(template).any(|(known, _)| is_in(known, name));
    Ok(match named.fields_first(exists) {
        Some(ordered) => Cow::Owned(ordered),
        None => named,
    })
}

fn without_alias<'p>(template: &Template, path: &'p Path) -> Result<Cow<'p, Path>, GraphError> {
    if params(template).any(|(name, _)| head(name) == path.head) {
        return Ok(Cow::Borrowed(path));
    }
    let mut found: Vec<&str> = vec![];
    for (name, metadata) in params(template) {
        // The fields of a structure have its metadata.
        if !found.contains(&head(name)) && aliases(metadata).any(|alias| alias == path.head) {
            found.push(head(name));
        }
    }
    match found[..] {
        [] => Ok(Cow::Borrowed(path)),
        [name] => Ok(Cow::Owned(Path {
            head: name.to_owned(),
            rest: path.rest.clone(),
        })),
        _ => Err(GraphError::AmbiguousAlias {
            alias: path.head.clone(),
            template: template.name().to_owned(),
            params: found.into_iter().map(str::to_owned).collect(),
        }),
    }
}

/// Names of a template's parameters, with the metadata of inputs.
fn params(template: &Template) -> impl Iterator<Item = (&str, &[Metadata])> {
    let (unit, group) = match template {
        Template::Unit(unit) => (&unit.params[..], &[][..]),
        Template::Group(group) => (&[][..], &group.inputs[..]),
    };
    let of_unit = unit.iter().map(|param| {
        let metadata = if param.output {
            &[][..]
        } else {
            &param.metadata[..]
        };
        (param.name.as_str(), metadata)
    });
    of_unit.chain(
        group
            .iter()
            .map(|input| (input.name.as_str(), &input.metadata[..])),
    )
}

/// The first of the names in a parameter's name: that of its structure.
fn head(name: &str) -> &str {
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
