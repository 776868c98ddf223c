//! The example of a unit, in its metadata: lines of a group that use it, of which the last instance is shown.
//!
//! `string example = "fbm grain(scale = 4); bump relief(height = grain.value); plastic example(n = relief.n);"`, and
//! `string example_on = "cloth"` for what it is shown on. With `string example_override = "camera"` rays of that kind see
//! the unit in place of all surfaces.

use shading::syntax::ast::{GroupStmt, Item};
use shading::{Diagnostic, Diagnostics, Source, Template};

use crate::metadata::{at_name, metadata_of, text_of};
use crate::stage_args::On;

/// Lines of a group.
pub(super) struct Example {
    pub(super) lines: String,
    /// Name of the instance that is shown.
    pub(super) instance: String,
    /// The unit or group that it is of.
    pub(super) unit: String,
    /// Shape that carries the example.
    pub(super) on: Option<On>,
    /// Rays that see the unit itself in place of all surfaces.
    pub(super) overrides: Option<String>,
}

impl Example {
    /// The example of a unit or group.
    ///
    /// # Errors
    /// If its text is no list of lines of a group. `None` if there is no text.
    pub(super) fn of(template: &Template) -> Result<Option<Example>, Diagnostics> {
        let metadata = metadata_of(template);
        let name = template.name();
        let Some(lines) = text_of(metadata, "example") else {
            let mut others = ["example_on", "example_override"].into_iter();
            return match others.find(|key| text_of(metadata, key).is_some()) {
                Some(key) => {
                    let error = Diagnostic::error(format!("`{name}` has `{key}` without `example`"));
                    let hint =
                        format!("`{key}` is about the example: `string example = \"{name} shown();\"`");
                    Err(at_name(error, template).hint(hint).into())
                }
                None => Ok(None),
            };
        };
        let source = Source::new(
            format!("<example of {name}>"),
            format!("group stage_example()\n{{\n{lines}\n}}\n"),
        );
        let (file, problems) = shading::syntax::parse(source);
        if problems.has_errors() {
            return Err(problems);
        }
        let wrong = |what: &str| {
            let error = Diagnostic::error(format!("the example of `{name}` {what}"));
            error.hint("it is a list of lines of a group, such as `matte body(albedo = 0.5); coated example(base = body.surface);`")
        };
        let [Item::Group(group)] = &file.items[..] else {
            return Err(wrong("is not a list of lines of a group").into());
        };
        let last = group.body.iter().rev().find_map(|line| match line {
            GroupStmt::Instance(instance) => Some(instance),
            GroupStmt::Assign(_) => None,
        });
        let Some(last) = last else {
            return Err(wrong("holds no instance of a unit").into());
        };
        let on = match text_of(metadata, "example_on") {
            Some(text) => Some(On::named(text).ok_or_else(|| {
                Diagnostic::error(format!(
                    "the example of `{name}` is shown on `{text}`, which is none of ball, plane, cube and cloth"
                ))
            })?),
            None => None,
        };
        Ok(Some(Example {
            lines: lines.to_owned(),
            instance: last.name.text.clone(),
            unit: last.unit.text.clone(),
            on,
            overrides: text_of(metadata, "example_override").map(str::to_owned),
        }))
    }
}
