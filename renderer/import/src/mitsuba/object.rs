//! Access to the properties of Mitsuba objects; unused properties are reported.

use glam::{DMat4, DVec3};
use shading::{Diagnostic, Span};

use super::document::{Object, ObjectId, Property, PropertyValue};
use super::translator::Translator;

impl<'a> Translator<'a> {
    pub(super) fn object(&self, id: ObjectId) -> &'a Object {
        self.document.object(id)
    }

    /// Finds a property and marks it as used; returns its value and source location.
    pub(super) fn find(&mut self, id: ObjectId, name: &str) -> Option<(&'a PropertyValue, Span)> {
        let properties = &self.object(id).properties;
        let index = properties.iter().rposition(|property| property.name == name)?;
        self.used_properties.insert((id, index));
        Some((&properties[index].value, properties[index].place))
    }

    pub(super) fn has(&self, id: ObjectId, name: &str) -> bool {
        self.object(id).properties.iter().any(|property| property.name == name)
    }

    /// Marks properties as used that have no effect in Kiln.
    pub(super) fn ignore(&mut self, id: ObjectId, names: &[&str]) {
        for name in names {
            self.find(id, name);
        }
    }

    pub(super) fn float(&mut self, id: ObjectId, name: &str) -> Option<f64> {
        match self.find(id, name)? {
            (PropertyValue::Float(value), _) => Some(*value),
            (PropertyValue::Integer(value), _) => Some(*value as f64),
            (_, place) => self.wrong_type(place, name, "a number"),
        }
    }

    pub(super) fn integer(&mut self, id: ObjectId, name: &str) -> Option<i64> {
        match self.find(id, name)? {
            (PropertyValue::Integer(value), _) => Some(*value),
            (_, place) => self.wrong_type(place, name, "a whole number"),
        }
    }

    pub(super) fn boolean(&mut self, id: ObjectId, name: &str) -> Option<bool> {
        match self.find(id, name)? {
            (PropertyValue::Boolean(value), _) => Some(*value),
            (_, place) => self.wrong_type(place, name, "`true` or `false`"),
        }
    }

    pub(super) fn text(&mut self, id: ObjectId, name: &str) -> Option<&'a str> {
        match self.find(id, name)? {
            (PropertyValue::Text(value), _) => Some(value),
            (_, place) => self.wrong_type(place, name, "a text"),
        }
    }

    pub(super) fn vector(&mut self, id: ObjectId, name: &str) -> Option<DVec3> {
        match self.find(id, name)? {
            (PropertyValue::Vector(value), _) => Some(*value),
            (_, place) => self.wrong_type(place, name, "a point or vector"),
        }
    }

    pub(super) fn matrix(&mut self, id: ObjectId, name: &str) -> Option<DMat4> {
        match self.find(id, name)? {
            (PropertyValue::Transform(value), _) => Some(*value),
            (_, place) => self.wrong_type(place, name, "a transform"),
        }
    }

    /// Reads `to_world`, which must be invertible.
    pub(super) fn placement(&mut self, id: ObjectId) -> DMat4 {
        let Some(matrix) = self.matrix(id, "to_world") else {
            return DMat4::IDENTITY;
        };
        let row = matrix.row(3);
        let place = self.place_of(id, "to_world");
        if row.truncate() != DVec3::ZERO || row.w == 0.0 {
            self.error(place, "`to_world` is not an affine transform: its last row is not (0, 0, 0, 1)");
            return DMat4::IDENTITY;
        }
        let matrix = matrix * (1.0 / row.w);
        let determinant = glam::DMat3::from_mat4(matrix).determinant();
        if !determinant.is_normal() || !matrix.is_finite() {
            self.error(place, "`to_world` squashes space: it has no inverse");
            return DMat4::IDENTITY;
        }
        matrix
    }

    /// Objects with this element name that an object holds, in order; marks them as used.
    pub(super) fn parts(&mut self, id: ObjectId, tag: &str) -> Vec<ObjectId> {
        let document = self.document;
        let mut found = vec![];
        for (index, property) in document.object(id).properties.iter().enumerate() {
            if let PropertyValue::Object(part) = property.value
                && document.object(part).tag == tag
            {
                self.used_properties.insert((id, index));
                found.push(part);
            }
        }
        found
    }

    /// Source location of a property, or of the object if it does not have it.
    pub(super) fn place_of(&self, id: ObjectId, name: &str) -> Span {
        let object = self.object(id);
        let property = object.properties.iter().rfind(|property| property.name == name);
        property.map_or(object.place, |property| property.place)
    }

    pub(super) fn wrong_type<T>(&mut self, place: Span, name: &str, expected: &str) -> Option<T> {
        self.error(place, format!("`{name}` is to be {expected}"));
        None
    }

    pub(super) fn error(&mut self, place: Span, message: impl Into<String>) {
        self.say(Diagnostic::error(message), place);
    }

    /// Reports an unsupported feature: a warning, or an error in strict mode.
    pub(super) fn missing(&mut self, place: Span, message: impl Into<String>) {
        let diagnostic = if self.strict {
            Diagnostic::error(message)
        } else {
            Diagnostic::warning(message)
        };
        self.say(diagnostic, place);
    }

    pub(super) fn say(&mut self, diagnostic: Diagnostic, place: Span) {
        let diagnostic = diagnostic.at(&self.document.sources, place, "");
        if !self.diagnostics.list.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports an unknown plugin, and marks all properties of the object as used.
    pub(super) fn unknown_plugin(&mut self, id: ObjectId, known: &[&str], stand_in: &str) {
        let object = self.object(id);
        self.used_properties
            .extend((0..object.properties.len()).map(|index| (id, index)));
        let message = format!("{} of type `{}` is unknown{stand_in}", object.tag, object.plugin);
        let diagnostic = if self.strict {
            Diagnostic::error(message)
        } else {
            Diagnostic::warning(message)
        };
        self.say(diagnostic.nearest(&object.plugin, known.iter().copied()), object.place);
    }

    /// Warns of unused properties.
    pub(super) fn report_unused_properties(&mut self) {
        let document = self.document;
        for &id in &self.translated.clone() {
            let object = document.object(id);
            for (index, Property { name, value, place }) in object.properties.iter().enumerate() {
                if self.used_properties.contains(&(id, index)) {
                    continue;
                }
                let what = match value {
                    PropertyValue::Object(part) => {
                        let part = document.object(*part);
                        // A definition that is used elsewhere, or not used.
                        if object.tag == "scene"
                            && matches!(part.tag.as_str(), "bsdf" | "texture" | "shape" | "medium" | "volume")
                        {
                            continue;
                        }
                        format!("<{}> of type `{}`", part.tag, part.plugin)
                    }
                    _ => format!("`{name}`"),
                };
                let message = format!("{what} is unknown in a {} of type `{}`", object.tag, object.plugin);
                self.say(Diagnostic::warning(message), *place);
            }
        }
    }
}
