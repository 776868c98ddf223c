//! Translation of `medium` objects to what fills bodies.

use shading::syntax::ast::Expr;

use super::color::Use;
use super::document::{ObjectId, PropertyValue};
use super::translator::Translator;
use super::value::{color, number};
use crate::call::Call;

const MEDIA: &[&str] = &["homogeneous"];
const PHASES: &[&str] = &["isotropic", "hg", "rayleigh", "blendphase"];

/// A medium that is the same everywhere.
struct Medium {
    /// Extinction coefficient [1/m].
    extinction: [f64; 3],
    albedo: [f64; 3],
    phase: Phase,
}

/// A phase function: Henyey-Greenstein's lobes, by share and mean cosine, and the share of gases.
#[derive(Clone, Copy)]
struct Phase {
    lobes: [(f64, f64); 2],
    air: f64,
}

impl Default for Phase {
    fn default() -> Phase {
        Phase {
            lobes: [(1.0, 0.0), (0.0, 0.0)],
            air: 0.0,
        }
    }
}

impl Phase {
    /// Mixture with a share of another; of more than two lobes, the one of the least share joins another.
    fn blended(&self, other: &Phase, share: f64) -> Phase {
        let part = |phase: &Phase, share: f64| {
            let solid = share * (1.0 - phase.air);
            phase.lobes.map(|(lobe, g)| (solid * lobe, g))
        };
        let mut lobes: Vec<(f64, f64)> = vec![];
        for (weight, g) in part(self, 1.0 - share).into_iter().chain(part(other, share)) {
            match lobes.iter_mut().find(|lobe| lobe.1 == g) {
                Some(lobe) => lobe.0 += weight,
                None if weight > 0.0 => lobes.push((weight, g)),
                None => {}
            }
        }
        lobes.sort_by(|a, b| b.0.total_cmp(&a.0));
        while lobes.len() > 2
            && let Some(last) = lobes.pop()
            && let Some(before) = lobes.last_mut()
        {
            let weight = before.0 + last.0;
            *before = (weight, (before.0 * before.1 + last.0 * last.1) / weight);
        }
        let solid: f64 = lobes.iter().map(|lobe| lobe.0).sum();
        let lobe = |index: usize| {
            lobes
                .get(index)
                .map_or((0.0, 0.0), |&(weight, g)| (weight / solid, g))
        };
        Phase {
            lobes: [lobe(0), lobe(1)],
            air: 1.0 - solid,
        }
    }

    /// Adds it to a call of `filled`.
    fn add_to(&self, mut call: Call) -> Call {
        let [(_, first), (share, second)] = self.lobes;
        let arguments = [
            ("anisotropy", first),
            ("anisotropy_2", second),
            ("share_2", share),
            ("air", self.air),
        ];
        for (name, value) in arguments {
            if value != 0.0 {
                call = call.with(name, number(value));
            }
        }
        call
    }
}

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
        let Some(medium) = self.medium(medium) else {
            return surface;
        };
        let scatters = medium.albedo.iter().any(|&albedo| albedo > 0.0);
        if !scatters {
            return Call::new("absorbing")
                .with("base", surface)
                .with("absorption", color(medium.extinction))
                .finish();
        }
        let call = Call::new("filled")
            .with("base", surface)
            .with("extinction", color(medium.extinction))
            .with("albedo", color(medium.albedo));
        medium.phase.add_to(call).finish()
    }

    /// A medium that is the same everywhere.
    fn medium(&mut self, id: ObjectId) -> Option<Medium> {
        self.mark_translated(id);
        let object = self.object(id);
        if object.plugin != "homogeneous" {
            self.unknown_plugin(id, MEDIA, "; light goes through as through air");
            return None;
        }
        self.ignore(id, &["sample_emitters", "has_spectral_extinction"]);
        let phase = match self.parts(id, "phase")[..] {
            [phase, ..] => self.phase(phase),
            [] => Phase::default(),
        };
        let scale = self.float(id, "scale").unwrap_or(1.0);
        let albedo = self.volume(id, "albedo", 0.75, Use::Reflectance);
        let extinction = self.volume(id, "sigma_t", 1.0, Use::Unbounded);
        let (albedo, extinction) = (albedo?, extinction?);
        Some(Medium {
            extinction: extinction.map(|extinction| scale * extinction),
            albedo,
            phase,
        })
    }

    /// Phase function of a medium.
    fn phase(&mut self, id: ObjectId) -> Phase {
        self.mark_translated(id);
        match self.object(id).plugin.as_str() {
            "isotropic" => Phase::default(),
            "hg" => Phase {
                lobes: [(1.0, self.float(id, "g").unwrap_or(0.8)), (0.0, 0.0)],
                air: 0.0,
            },
            "rayleigh" => Phase {
                air: 1.0,
                ..Phase::default()
            },
            "blendphase" => {
                let weight = self.float(id, "weight").unwrap_or(0.5);
                match self.parts(id, "phase")[..] {
                    [first, second] => {
                        let (first, second) = (self.phase(first), self.phase(second));
                        first.blended(&second, weight)
                    }
                    _ => {
                        let place = self.object(id).place;
                        self.error(place, "a `blendphase` has two phase functions");
                        Phase::default()
                    }
                }
            }
            _ => {
                self.unknown_plugin(id, PHASES, "; light is scattered evenly");
                Phase::default()
            }
        }
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
                    "media of Mitsuba scenes are the same everywhere in Kiln: light goes through this one as through air",
                );
                None
            }
            _ => self.rgb_of_object(part, usage),
        }
    }
}
