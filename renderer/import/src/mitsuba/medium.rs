//! Translation of `medium` objects to absorption; scattering is not supported.

use shading::syntax::ast::Expr;

use super::color::Use;
use super::document::{ObjectId, PropertyValue};
use super::translator::Translator;
use super::value::color;
use crate::call::Call;

const MEDIA: &[&str] = &["homogeneous"];

impl Translator<'_> {
    /// Medium inside a shape.
    pub(super) fn interior(&mut self, shape: ObjectId) -> Option<ObjectId> {
        match self.find(shape, "interior")? {
            (&PropertyValue::Object(medium), _) => Some(medium),
            (_, place) => self.wrong_type(place, "interior", "a medium"),
        }
    }

    /// Warns of an exterior medium, unless it is the interior of another shape: the interface then only marks which
    /// medium is outside.
    pub(super) fn exterior(&mut self, shape: ObjectId) {
        let Some((value, place)) = self.find(shape, "exterior") else {
            return;
        };
        let fills_another = matches!(value, PropertyValue::Object(medium) if self.fills_a_shape(*medium));
        if !fills_another {
            self.missing(
                place,
                "Kiln has no media outside of bodies: light goes through as through air",
            );
        }
    }

    /// Accepts the exterior medium of a camera or lamp if it is the interior of a shape; others are reported as unused
    /// properties.
    pub(super) fn surroundings(&mut self, id: ObjectId) {
        let document = self.document;
        for (index, property) in document.object(id).properties.iter().enumerate() {
            if matches!(property.value, PropertyValue::Object(medium) if self.fills_a_shape(medium)) {
                self.used_properties.insert((id, index));
            }
        }
    }

    fn fills_a_shape(&self, medium: ObjectId) -> bool {
        let properties = self.document.objects.iter().flat_map(|object| &object.properties);
        let mut insides = properties.filter(|property| property.name == "interior");
        insides.any(|inside| matches!(inside.value, PropertyValue::Object(id) if id == medium))
    }

    /// Surface with a medium inside.
    pub(super) fn filled(&mut self, surface: Expr, medium: ObjectId) -> Expr {
        match self.absorption(medium) {
            Some(absorption) => Call::new("absorbing")
                .with("base", surface)
                .with("absorption", color(absorption))
                .finish(),
            None => surface,
        }
    }

    /// Absorption coefficient of a medium [1/m].
    fn absorption(&mut self, id: ObjectId) -> Option<[f64; 3]> {
        self.mark_translated(id);
        let object = self.object(id);
        if object.plugin != "homogeneous" {
            self.unknown_plugin(id, MEDIA, "; light goes through as through air");
            return None;
        }
        self.ignore(id, &["sample_emitters", "has_spectral_extinction"]);
        self.parts(id, "phase");
        let scale = self.float(id, "scale").unwrap_or(1.0);
        let albedo = self.volume(id, "albedo", 0.75, Use::Reflectance);
        let extinction = self.volume(id, "sigma_t", 1.0, Use::Unbounded);
        let (albedo, extinction) = (albedo?, extinction?);
        if albedo.iter().any(|&albedo| albedo > 0.0) {
            self.missing(
                object.place,
                "media scatter no light in Kiln: this one only absorbs, by `sigma_t` (1 - `albedo`)",
            );
        }
        let channel = |i: usize| scale * extinction[i] * (1.0 - albedo[i]).max(0.0);
        Some([0, 1, 2].map(channel))
    }

    /// Homogeneous value of a medium's property.
    fn volume(&mut self, id: ObjectId, name: &str, default: f64, usage: Use) -> Option<[f64; 3]> {
        let Some((value, place)) = self.find(id, name) else {
            return Some([default; 3]);
        };
        let &PropertyValue::Object(part) = value else {
            return self.rgb(value, place, usage);
        };
        self.mark_translated(part);
        match self.object(part).plugin.as_str() {
            "constvolume" => self.volume(part, "value", 1.0, Use::Unbounded),
            _ if self.object(part).tag == "volume" => {
                let properties = self.object(part).properties.len();
                self.used_properties
                    .extend((0..properties).map(|index| (part, index)));
                self.missing(
                    place,
                    "media are the same everywhere in Kiln: light goes through this one as through air",
                );
                None
            }
            _ => self.rgb_of_object(part, usage),
        }
    }
}
