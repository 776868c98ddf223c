//! Writer for calls of the shipped unit `gltf_pbr`, used by importers for materials.

use std::fmt::Write as _;

use renderer_scene::text::{color, number, quote};

/// A call; what is not given keeps the unit's default.
pub(super) struct Call {
    text: String,
}

impl Call {
    pub(super) fn new() -> Call {
        Call {
            text: "gltf_pbr(".to_owned(),
        }
    }

    /// An argument as it stands in source.
    pub(super) fn raw(&mut self, name: &str, value: &str) {
        let comma = if self.text.ends_with('(') { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(self.text, "{comma}{name} = {value}");
    }

    pub(super) fn string(&mut self, name: &str, value: &str) {
        self.raw(name, &quote(value));
    }

    /// # Errors
    /// When the value is not finite.
    pub(super) fn number(&mut self, name: &str, value: f32) -> Result<(), String> {
        self.raw(
            name,
            &number(value).map_err(|reason| format!("{name} is {reason}"))?,
        );
        Ok(())
    }

    /// # Errors
    /// When the value is not finite.
    pub(super) fn number_unless(&mut self, name: &str, value: f32, default: f32) -> Result<(), String> {
        if value == default {
            Ok(())
        } else {
            self.number(name, value)
        }
    }

    /// # Errors
    /// When the value is not finite.
    pub(super) fn color(&mut self, name: &str, value: [f32; 3]) -> Result<(), String> {
        self.raw(
            name,
            &color(value).map_err(|reason| format!("{name} is {reason}"))?,
        );
        Ok(())
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push(')');
        self.text
    }
}
