//! Luminaires: point lights with the measured intensity of an IES file.

use std::f32::consts::TAU;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use glam::{Affine3A, UVec2, Vec2, Vec3};

use super::bounds::LightBounds;
use super::point::toward_point;
use super::sample::{Emission, LightSample};
use renderer_base::color::Rgb;
use renderer_base::math::{Ray, sin, sqr};
use renderer_base::sampling::Distribution2d;
use renderer_geometry::camera::{CameraError, Pose};
use renderer_scene::{LUMENS_PER_WATT, Luminaire};

/// Point light with the intensity of a luminaire.
#[derive(Clone, Debug)]
pub struct LuminaireLight {
    /// Axis −z, +y up, +x to the right.
    pose: Pose,
    /// Radiant intensity for a candela [W/sr/cd].
    scale: Rgb,
    luminaire: Arc<Luminaire>,
    /// Distribution over the cells of the web, by luminous flux.
    distribution: Distribution2d,
    /// Luminous flux [lm].
    lumens: f32,
    /// Greatest angle to the axis at which there is light [rad].
    spread: f32,
}

impl LuminaireLight {
    /// Creates a light with the pose of its axis, −z; the scale of the matrix has no effect. `scale` is a factor of the
    /// measured intensity.
    ///
    /// # Errors
    /// If the matrix is singular.
    pub fn new(
        world_from_light: &Affine3A,
        scale: Rgb,
        luminaire: Arc<Luminaire>,
    ) -> Result<LuminaireLight, CameraError> {
        let web = &luminaire.web;
        let [columns, rows] = web.cells();
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| [column, row]));
        let fluxes: Vec<f32> = cells.map(|cell| web.cell_lumens(cell) as f32).collect();
        Ok(LuminaireLight {
            pose: Pose::new(world_from_light)?,
            scale: scale * (1.0 / LUMENS_PER_WATT),
            distribution: Distribution2d::new(&fluxes, columns),
            lumens: web.lumens() as f32,
            spread: web.spread(),
            luminaire,
        })
    }

    pub(super) fn sample_li(&self, p: Vec3) -> Option<LightSample> {
        toward_point(p, self.pose.position(), |w| self.intensity(self.pose.local_vector(w)))
    }

    /// Samples a photon: a cell in proportion to its flux, a direction uniform in the cell.
    pub(super) fn emit(&self, u: Vec2) -> Option<Emission> {
        let web = &self.luminaire.web;
        let cells = UVec2::from_array(web.cells().map(|count| count as u32));
        let uv = self.distribution.sample(u).uv;
        let cell = (uv * cells.as_vec2()).as_uvec2().min(cells - 1);
        let within = (uv * cells.as_vec2() - cell.as_vec2()).clamp(Vec2::ZERO, Vec2::ONE);
        let cell = cell.to_array().map(|index| index as usize);
        let local = web.cell_direction(cell, within);
        // The density of the cell of `uv`, which rounding may have moved to the neighbour of the sampled one.
        let pdf = self.distribution.pdf(uv) / (cells.element_product() as f32 * web.cell_solid_angle(cell));
        let power = self.intensity(local) * (1.0 / pdf);
        (power.is_finite() && !power.is_black()).then(|| Emission {
            ray: Ray::new(self.pose.position(), self.pose.vector(local)),
            surface: None,
            power,
        })
    }

    pub(super) fn bounds(&self) -> LightBounds {
        let solid_angle = (2.0 * TAU * sqr(sin(0.5 * self.spread))).max(f32::MIN_POSITIVE);
        LightBounds {
            axis: self.pose.vector(-Vec3::Z),
            spread: self.spread,
            falloff: 0.0,
            ..LightBounds::around(self.pose.position(), 0.0, self.power().luminance() / solid_angle)
        }
    }

    pub(super) fn power(&self) -> Rgb {
        self.scale * self.lumens
    }

    /// Adds the light's emission to a hash.
    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        format!("{:?} {:?}", self.pose, self.scale).hash(hasher);
        self.luminaire.web.hash_bits(hasher);
    }

    /// Radiant intensity towards a unit vector in light space [W/sr].
    fn intensity(&self, local: Vec3) -> Rgb {
        self.scale * self.luminaire.web.candela(local)
    }
}
