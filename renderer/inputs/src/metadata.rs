//! Metadata of units, groups and parameters.

use shading::hir::{Const, Metadata};
use shading::{Diagnostic, Template};

/// Metadata of a unit or group.
pub fn metadata_of(template: &Template) -> &[Metadata] {
    match template {
        Template::Unit(unit) => &unit.hir.metadata,
        Template::Group(group) => &group.metadata,
    }
}

/// Adds the location of a unit's or group's name to a diagnostic.
pub fn at_name(diagnostic: Diagnostic, template: &Template) -> Diagnostic {
    match template {
        Template::Unit(unit) => diagnostic.at(&unit.sources, unit.hir.span, ""),
        Template::Group(group) => match &group.file {
            Some(file) => diagnostic.at(&file.sources, group.span, ""),
            None => diagnostic,
        },
    }
}

/// A text of the metadata.
pub fn text_of<'m>(metadata: &'m [Metadata], name: &str) -> Option<&'m str> {
    match value_of(metadata, name)? {
        Const::String(text) => Some(text),
        _ => None,
    }
}

/// A value of the metadata.
pub fn value_of<'m>(metadata: &'m [Metadata], name: &str) -> Option<&'m Const> {
    let found = metadata.iter().find(|entry| entry.name == name)?;
    Some(&found.value)
}
