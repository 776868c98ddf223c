//! Metadata of units, groups and parameters.

use shading::Template;
use shading::hir::{Const, Metadata};

/// Metadata of a unit or group.
pub(super) fn metadata_of(template: &Template) -> &[Metadata] {
    match template {
        Template::Unit(unit) => &unit.hir.metadata,
        Template::Group(group) => &group.metadata,
    }
}

/// A text of the metadata.
pub(super) fn text_of<'m>(metadata: &'m [Metadata], name: &str) -> Option<&'m str> {
    match value_of(metadata, name)? {
        Const::String(text) => Some(text),
        _ => None,
    }
}

/// A value of the metadata.
pub(super) fn value_of<'m>(metadata: &'m [Metadata], name: &str) -> Option<&'m Const> {
    let found = metadata.iter().find(|entry| entry.name == name)?;
    Some(&found.value)
}
