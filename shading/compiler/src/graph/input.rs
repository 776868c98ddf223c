//! Paths of inputs with aliases, and with indices before the fields of structures.

use std::borrow::Cow;

use super::alias::{aliases, head};
use super::path::is_in;
use super::{GraphError, Path, Template};
use crate::hir::Metadata;

impl Template {
    /// Returns the path of an input, such as `Kd.r`, with an alias replaced by the parameter's name.
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

/// Converts the path of an input to the template's names: an alias at its head becomes the name of the parameter, and fields
/// of structures precede indices.
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
        // Fields of a structure share its metadata.
        if !found.contains(&head(name)) && aliases(metadata).any(|alias| alias == path.head) {
            found.push(head(name));
        }
    }
    match found[..] {
        [] => Ok(Cow::Borrowed(path)),
        [name] => Ok(Cow::Owned(Path::new(name.to_owned(), path.rest.clone()))),
        _ => Err(GraphError::AmbiguousAlias {
            alias: path.head.clone(),
            template: template.name().to_owned(),
            params: found.into_iter().map(str::to_owned).collect(),
        }),
    }
}

/// Returns the names of a template's parameters, with the metadata of inputs.
fn params(template: &Template) -> impl Iterator<Item = (&str, &[Metadata])> {
    let (unit, group) = match template {
        Template::Unit(unit) => (&unit.params[..], &[][..]),
        Template::Group(group) => (&[][..], &group.inputs[..]),
    };
    let of_unit = unit.iter().map(|param| {
        let metadata = if param.output { &[][..] } else { &param.metadata[..] };
        (param.name.as_str(), metadata)
    });
    of_unit.chain(group.iter().map(|input| (input.name.as_str(), &input.metadata[..])))
}
