//! Translation of `medium` objects to interiors of materials and the medium of the scene.

use shading::Span;
use shading::syntax::ast::{Declaration, Expr};

use super::color::Use;
use super::document::{Object, ObjectId, PropertyValue};
use super::phase::Phase;
use super::translator::Translator;
use super::volume::{Outside, Volume, VolumeValue, matrix};
use crate::call::Call;
use crate::scene_value::{color, number};

const MEDIA: &[&str] = &["homogeneous", "heterogeneous"];

/// Coefficients of a medium, as expressions of the point.
struct Medium {
    /// Extinction coefficient [1/m].
    extinction: Volume,
    albedo: Volume,
    phase: Phase,
    /// True if it is in the cube of its extinction alone.
    is_boxed: bool,
}

impl Medium {
    /// Arguments of `filled` and `scatterer`.
    fn arguments(self, call: Call) -> Call {
        let boxed = self.is_boxed.then(|| matrix(&self.extinction.cube));
        let call = call
            .with("extinction", self.extinction.expr())
            .with("albedo", self.albedo.expr());
        let call = self.phase.add_to(call);
        match boxed {
            Some(cube) => call.with("boxed", number(1.0)).with("box", cube),
            None => call,
        }
    }
}

/// Surface of a body, and its interior if the call of the surface has none.
pub(super) struct Filled {
    pub(super) surface: Expr,
    pub(super) interior: Option<Expr>,
}

impl Translator<'_> {
    /// Medium inside a shape.
    pub(super) fn interior(&mut self, shape: ObjectId) -> Option<ObjectId> {
        match self.find(shape, "interior")? {
            (&PropertyValue::Object(medium), _) => Some(medium),
            (_, place) => self.wrong_type(place, "interior", "a medium"),
        }
    }

    /// Marks an exterior medium as used, and returns whether there is one. It has to be what the shape is in: that of a
    /// shape around it, or of the scene.
    pub(super) fn exterior(&mut self, shape: ObjectId) -> bool {
        let Some((value, place)) = self.find(shape, "exterior") else {
            return false;
        };
        match *value {
            PropertyValue::Object(medium) => self.check_outside(medium, place),
            _ => self.wrong_type(place, "exterior", "a medium").unwrap_or_default(),
        }
        true
    }

    /// Marks the medium around a camera or light as used.
    pub(super) fn surroundings(&mut self, id: ObjectId) {
        let document = self.document;
        for (index, property) in document.object(id).properties.iter().enumerate() {
            if let PropertyValue::Object(medium) = property.value
                && document.object(medium).tag == "medium"
            {
                self.used_properties.insert((id, index));
                self.check_outside(medium, property.place);
            }
        }
    }

    fn check_outside(&mut self, medium: ObjectId, place: Span) {
        if !self.fillings.contains(&medium) && self.outside != Some(medium) {
            self.missing(
                place,
                "a Kiln scene is in one medium: the first exterior medium of the file fills it",
            );
        }
    }

    /// Finds the media that fill shapes, and the one that all shapes are in: the first that a sensor or the outside of a
    /// shape has and that fills no shape.
    pub(super) fn find_media(&mut self) {
        let document = self.document;
        let media = |tag: &'static str, name: Option<&'static str>| {
            let objects = document.objects.iter().filter(move |object| object.tag == tag);
            objects.flat_map(move |object: &Object| {
                object.properties.iter().filter_map(move |property| match property.value {
                    PropertyValue::Object(id)
                        if name.is_none_or(|name| property.name == name)
                            && document.object(id).tag == "medium" =>
                    {
                        Some(id)
                    }
                    _ => None,
                })
            })
        };
        self.fillings = media("shape", Some("interior")).collect();
        let mut outsides = media("sensor", None).chain(media("shape", Some("exterior")));
        self.outside = outsides.find(|id| !self.fillings.contains(id));
    }

    /// Declares the medium that the scene is in.
    pub(super) fn all_around(&mut self) {
        let Some(id) = self.outside else {
            return;
        };
        let Some(medium) = self.medium(id) else {
            return;
        };
        let mut scene = Declaration::new("scene");
        scene.set("medium", medium.arguments(Call::new("scatterer")).finish());
        let place = self.object(id).place;
        self.declare(scene, place);
        let is_far = |object: &&Object| {
            object.tag == "emitter"
                && ["constant", "envmap", "directional", "sunsky"].contains(&object.plugin.as_str())
        };
        if let Some(emitter) = self.document.objects.iter().find(is_far) {
            self.missing(
                emitter.place,
                "the scene is in a medium without an end, which no light from afar comes through",
            );
        }
    }

    /// Returns whether light may go through a surface.
    pub(super) fn is_passed(&self, bsdf: ObjectId) -> bool {
        let mut left = vec![bsdf];
        while let Some(id) = left.pop() {
            let object = self.object(id);
            let name = object.plugin.as_str();
            if name.ends_with("dielectric") || ["null", "mask", "principled"].contains(&name) {
                return true;
            }
            left.extend(object.properties.iter().filter_map(|property| match property.value {
                PropertyValue::Object(part) if self.object(part).tag == "bsdf" => Some(part),
                _ => None,
            }));
        }
        false
    }

    /// Surface with a medium inside.
    pub(super) fn filled(&mut self, surface: Expr, medium: ObjectId) -> Filled {
        let Some(medium) = self.medium(medium) else {
            return Filled { surface, interior: None };
        };
        match (&medium.extinction.value, &medium.albedo.value, &medium.phase) {
            (&VolumeValue::Constant(extinction), &VolumeValue::Constant(albedo), Phase::Mixture(_))
                if !medium.is_boxed =>
            {
                let absorbs_only = albedo.iter().all(|&albedo| albedo <= 0.0);
                let surface = if absorbs_only {
                    Call::new("absorbing")
                        .with("base", surface)
                        .with("absorption", color(extinction))
                } else {
                    medium.arguments(Call::new("filled").with("base", surface))
                };
                Filled { surface: surface.finish(), interior: None }
            }
            _ => Filled {
                surface,
                interior: Some(medium.arguments(Call::new("scatterer")).finish()),
            },
        }
    }

    fn medium(&mut self, id: ObjectId) -> Option<Medium> {
        self.mark_translated(id);
        let plugin = self.object(id).plugin.as_str();
        if !MEDIA.contains(&plugin) {
            self.unknown_plugin(id, MEDIA, "; light goes through as through air");
            return None;
        }
        let varies = plugin == "heterogeneous";
        let without_effect = [
            "sample_emitters",
            "has_spectral_extinction",
            "majorant_resolution_factor",
            "majorant_factor",
            "method",
            "step_size",
        ];
        self.ignore(id, &without_effect);
        let phase = self.phase(id);
        let scale = self.float(id, "scale").unwrap_or(1.0);
        let (extinction, albedo) = match self.separate_coefficients(id) {
            Some(both) => both,
            None => {
                // The name of versions before 2.
                let name = if self.has(id, "density") { "density" } else { "sigma_t" };
                let albedo = self.volume(id, "albedo", 0.75, Use::Reflectance, Outside::Wrapped);
                let outside = if varies { Outside::Nothing } else { Outside::Wrapped };
                let extinction = self.volume(id, name, 1.0, Use::Unbounded, outside);
                (extinction?, albedo?)
            }
        };
        Some(Medium {
            is_boxed: varies && !extinction.ends,
            extinction: extinction.scaled(scale),
            albedo,
            phase,
        })
    }

    /// Extinction and albedo by the coefficients of absorption and scattering that versions before 2 have.
    fn separate_coefficients(&mut self, id: ObjectId) -> Option<(Volume, Volume)> {
        if !self.has(id, "sigma_a") && !self.has(id, "sigma_s") {
            return None;
        }
        let mut coefficient = |name: &str| {
            let (value, place) = self.find(id, name)?;
            self.rgb(value, place, Use::Unbounded)
        };
        let absorption = coefficient("sigma_a").unwrap_or([0.0; 3]);
        let scattering = coefficient("sigma_s").unwrap_or([0.0; 3]);
        let extinction: [f64; 3] = std::array::from_fn(|c| absorption[c] + scattering[c]);
        let albedo = std::array::from_fn(|c| match extinction[c] {
            all if all > 0.0 => scattering[c] / all,
            _ => 0.0,
        });
        Some((Volume::constant(extinction), Volume::constant(albedo)))
    }
}
