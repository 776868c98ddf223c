//! Translation of `medium`: bodies absorb light, and scatter none.

use shading::syntax::ast::Expr;

use super::color::Use;
use super::document::{ObjectId, PropertyValue};
use super::translator::Translator;
use super::write::color;
use crate::call::Call;

const MEDIA: &[&str] = &["homogeneous"];

impl Translator<'_> {
    /// What fills a shape.
    pub(super) fn interior(&mut self, shape: ObjectId) -> Option<ObjectId> {
        match self.find(shape, "interior")? {
            (&PropertyValue::Object(medium), _) => Some(medium),
            (_, place) => self.wrong_type(place, "interior", "a medium"),
        }
    }

    /// Warns of what surrounds a shape, unless it fills another one: light notes there what it goes through.
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

    /// The same of a camera or lamp: what is left is missed as other properties are.
    pub(super) fn surroundings(&mut self, id: ObjectId) {
        let document = self.document;
        for (index, property) in document.object(id).properties.iter().enumerate() {
            if matches!(property.value, PropertyValue::Object(medium) if self.fills_a_shape(medium)) {
                self.asked.insert((id, index));
            }
        }
    }

    fn fills_a_shape(&self, medium: ObjectId) -> bool {
        let properties = self.document.objects.iter().flat_map(|object| &object.properties);
        let mut insides = properties.filter(|property| property.name == "interior");
        insides.any(|inside| matches!(inside.value, PropertyValue::Object(id) if id == medium))
    }

    /// A surface that a medium lies under.
    pub(super) fn filled(&mut self, surface: Expr, medium: ObjectId) -> Expr {
        match self.absorption(medium) {
            Some(absorption) => Call::new("absorbing")
                .with("base", surface)
                .with("absorption", color(absorption))
                .finish(),
            None => surface,
        }
    }

    /// The absorption coefficient of a medium [1/m].
    fn absorption(&mut self, id: ObjectId) -> Option<[f64; 3]> {
        self.look_at(id);
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

    /// A property of a medium that is the same everywhere.
    fn volume(&mut self, id: ObjectId, name: &str, default: f64, usage: Use) -> Option<[f64; 3]> {
        let Some((value, place)) = self.find(id, name) else {
            return Some([default; 3]);
        };
        let &PropertyValue::Object(part) = value else {
            return self.rgb(value, place, usage);
        };
        self.look_at(part);
        match self.object(part).plugin.as_str() {
            "constvolume" => self.volume(part, "value", 1.0, Use::Unbounded),
            _ if self.object(part).tag == "volume" => {
                let properties = self.object(part).properties.len();
                self.asked.extend((0..properties).map(|index| (part, index)));
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
