//! Procedural environments: the latitude-longitude map of a shader's emission, from which the light is sampled.

use std::f32::consts::{PI, TAU};
use std::sync::Arc;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::light::{EnvironmentLight, EnvironmentMap, EnvironmentOptions, Light, Portal, PortalLight};
use crate::material::{Host, Material, MaterialId, RayKind, ShadingContext, ShadingResult};
use renderer_base::color::Rgb;
use renderer_base::math::{coordinate_system, sin_cos};
use renderer_geometry::{Footprint, Interaction, ShapeId};

/// Environment whose radiance a shader computes.
#[derive(Clone, Debug)]
pub struct Background {
    /// Index of the light that this environment replaces.
    pub light: usize,
    /// Shader, whose emission is the radiance.
    pub material: MaterialId,
    /// Number of columns of the map, at least 2; the number of rows is half of it.
    pub columns: usize,
    /// Orientation and scale.
    pub options: EnvironmentOptions,
    /// Portals.
    pub portals: Vec<Portal>,
}

/// Sample positions in a texel along each axis, as fractions of its side.
const SUBTEXELS: [f32; 2] = [0.25, 0.75];

impl Background {
    /// Evaluates the shader in all directions.
    pub(super) fn light(self, material: &Material, host: &Arc<Host>) -> Light {
        let (width, height) = (self.columns, self.columns / 2);
        let size = Vec2::new(width as f32, height as f32);
        let rows = (0..height).into_par_iter().map_init(
            || (ShadingContext::new(host.clone()), ShadingResult::new()),
            |(context, surface), y| -> Vec<Rgb> {
                let mut texel = |x: usize| {
                    let mut sum = Rgb::BLACK;
                    for dy in SUBTEXELS {
                        for dx in SUBTEXELS {
                            let uv = Vec2::new(x as f32 + dx, y as f32 + dy) / size;
                            let it = point_towards(uv);
                            material.shade(&it, RayKind::default(), &Footprint::POINT, context, surface);
                            sum += surface.emission;
                        }
                    }
                    sum * (1.0 / (SUBTEXELS.len() * SUBTEXELS.len()) as f32)
                };
                (0..width).map(&mut texel).collect()
            },
        );
        let texels: Vec<Rgb> = rows.collect::<Vec<_>>().concat();
        let environment = EnvironmentLight::Map(EnvironmentMap::new(texels, width, self.options));
        match self.portals.is_empty() {
            true => Light::Environment(environment),
            false => Light::Portals(Box::new(PortalLight::new(environment, self.portals))),
        }
    }
}

/// Shading point of a direction, by its position on the map. `P` and `I` are the unit vector that leaves the scene; the
/// normals are its opposite. The point belongs to no shape.
fn point_towards(uv: Vec2) -> Interaction {
    let (sin_theta, cos_theta) = sin_cos(PI * uv.y);
    let (sin_phi, cos_phi) = sin_cos(TAU * uv.x);
    let direction = Vec3::new(sin_phi * sin_theta, cos_theta, -cos_phi * sin_theta).normalize();
    let (dpdu, dpdv) = coordinate_system(direction);
    Interaction {
        p: direction,
        p_error: 0.0,
        wo: -direction,
        ng: -direction,
        n: -direction,
        uv,
        dpdu,
        dpdv,
        t: f32::INFINITY,
        time: 0.0,
        shape: ShapeId(u32::MAX),
        primitive: 0,
    }
}
