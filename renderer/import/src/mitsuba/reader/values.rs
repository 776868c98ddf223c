//! Value elements: numbers, colours, strings and transforms.

use glam::DMat4;
use shading::Span;

use super::super::document::{ObjectId, PropertyValue};
use super::super::element::{Element, step, vector};
use super::Reader;
use crate::xml::{number, numbers};

impl Reader<'_> {
    pub(super) fn read_value(&mut self, node: roxmltree::Node<'_, '_>, parent: ObjectId, file: Span) {
        let optional: &[&str] = match node.tag_name().name() {
            "point" | "vector" => &["value", "x", "y", "z"],
            "spectrum" => &["value", "filename"],
            _ => &["value"],
        };
        let Some(element) = self.element(node, file, &["name"], optional) else {
            return;
        };
        let name = element.get("name").unwrap_or_default().to_owned();
        match self.value_of(&element) {
            Ok(value) => self.add_property(parent, name, value, element.place),
            Err(message) => self.error(element.place, format!("`{name}`: {message}")),
        }
    }

    fn value_of(&self, element: &Element<'_>) -> Result<PropertyValue, String> {
        let text = || {
            element
                .get("value")
                .ok_or_else(|| format!("<{}> needs the attribute `value`", element.name))
        };
        Ok(match element.name {
            "boolean" => match text()?.trim().to_ascii_lowercase().as_str() {
                "true" => PropertyValue::Boolean(true),
                "false" => PropertyValue::Boolean(false),
                other => return Err(format!("`{other}` is neither `true` nor `false`")),
            },
            "integer" => {
                let text = text()?.trim();
                PropertyValue::Integer(text.parse().map_err(|_| format!("`{text}` is not a whole number"))?)
            }
            "float" => PropertyValue::Float(number(text()?)?),
            "string" => PropertyValue::Text(text()?.to_owned()),
            "point" | "vector" => PropertyValue::Vector(vector(element, 0.0)?),
            "rgb" => PropertyValue::Rgb(match numbers(text()?)?[..] {
                [grey] => [grey; 3],
                [r, g, b] => [r, g, b],
                _ => return Err("a colour is one number or three".to_owned()),
            }),
            "spectrum" => match (element.get("value"), element.get("filename")) {
                (Some(value), None) => PropertyValue::Spectrum(value.to_owned()),
                (None, Some(name)) => PropertyValue::SpectrumFile(self.document.resolve(name)),
                _ => return Err("a spectrum takes either `value` or `filename`".to_owned()),
            },
            other => return Err(format!("<{other}> is not a value")),
        })
    }

    /// Reads a transform: the product of its steps, of which the first is applied first.
    pub(super) fn read_transform(&mut self, node: roxmltree::Node<'_, '_>, file: Span) -> DMat4 {
        let mut matrix = DMat4::IDENTITY;
        for child in node.children().filter(roxmltree::Node::is_element) {
            let optional: &[&str] = match child.tag_name().name() {
                "translate" | "scale" => &["value", "x", "y", "z"],
                "rotate" => &["value", "x", "y", "z", "angle"],
                "lookat" | "lookAt" => &["origin", "target", "up"],
                _ => &["value"],
            };
            let Some(element) = self.element(child, file, &[], optional) else {
                continue;
            };
            match step(&element) {
                Ok(step) => matrix = step * matrix,
                Err(message) => self.error(element.place, message),
            }
        }
        matrix
    }
}
