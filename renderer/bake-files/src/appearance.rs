//! Appearance of surfaces in viewers that run no shaders, sampled at a few points of each shape.

use glam::Vec2;

use renderer_base::color::Rgb;
use renderer_export::{AlphaMode, Material};
use renderer_geometry::{Footprint, Shape, ShapeId};
use renderer_scene::{EmissionSides, SceneDesc};
use renderer_transport::bsdf::MetallicRoughness;
use renderer_transport::integrator::Context;
use renderer_transport::material::{RayKind, ShadingResult};
use renderer_transport::scene::Scene;

/// Points of a shape.
const POINTS: u32 = 96;

/// Maximum difference of values that count as equal.
const TOLERANCE: f32 = 0.02;

/// A point of a surface.
#[derive(Clone, Copy)]
struct Look {
    model: MetallicRoughness,
    opacity: f32,
    emission: Rgb,
    /// Cosine between the shading normal and that of the mesh.
    bump: f32,
}

pub(super) struct ShapeAppearance {
    /// Material, the mean over the sample points.
    pub(super) material: Material,
    /// True if colour or opacity varies.
    pub(super) color_varies: bool,
    /// True if roughness or metalness varies.
    pub(super) roughness_varies: bool,
    /// True if it has bumps.
    pub(super) is_bumped: bool,
    pub(super) emission_varies: bool,
}

impl ShapeAppearance {
    /// Returns whether any property varies.
    pub(super) fn varies(&self) -> bool {
        self.color_varies || self.roughness_varies || self.is_bumped || self.emission_varies
    }
}

/// The looks of all shapes.
pub(super) fn of_scene(desc: &SceneDesc, scene: &Scene) -> Vec<ShapeAppearance> {
    let mut context = Context::new(scene);
    let shapes = (0u32..).map(ShapeId).zip(scene.shapes()).zip(&desc.shapes);
    shapes
        .map(|((id, shape), desc_of)| {
            let looks = looks(scene, id, shape, &mut context);
            let material = desc.material(desc_of.material);
            let mut look = ShapeAppearance::of(&looks, &material.name);
            // Glass has two surfaces, and a light may emit on one side only.
            let is_glass = look.material.transmission > 0.0;
            let is_lamp = look.material.emission != Rgb::BLACK && material.emission == EmissionSides::Front;
            look.material.double_sided = !(material.culled || material.one_sided || is_glass || is_lamp);
            if is_glass {
                look.material.thickness = shape.bounds().radius();
            }
            look
        })
        .collect()
}

fn looks(scene: &Scene, id: ShapeId, shape: &Shape, context: &mut Context) -> Vec<Look> {
    let mut surface = ShadingResult::new();
    let look = |index: u32| {
        let primitive = (u64::from(index) * u64::from(shape.primitive_count()) / u64::from(POINTS)) as u32;
        let spread = (index as f32 + 0.5) / POINTS as f32;
        let u = Vec2::new(spread, (spread * 13.0).fract());
        let point = shape.sample_area(primitive, u).point;
        let it = point.seen_from(point.ng, id, primitive);
        (scene.material(id)).shade(
            &it,
            RayKind::CAMERA,
            &Footprint::POINT,
            &mut context.shading,
            &mut surface,
        );
        let n = surface.bsdf.shading_normal().unwrap_or(it.n);
        Look {
            model: surface.bsdf.metallic_roughness(),
            opacity: 1.0 - surface.transparency.luminance(),
            emission: surface.emission,
            bump: n.dot(it.n),
        }
    };
    (0..POINTS).map(look).collect()
}

impl ShapeAppearance {
    fn of(looks: &[Look], name: &str) -> ShapeAppearance {
        let share = 1.0 / looks.len() as f32;
        let mean = |of: fn(&Look) -> f32| looks.iter().map(of).sum::<f32>() * share;
        let range = |of: fn(&Look) -> f32| {
            let values = looks.iter().map(of);
            let (low, high) =
                values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
            high - low
        };
        let color = looks.iter().map(|look| look.model.base_color).sum::<Rgb>() * share;
        let emission = looks.iter().map(|look| look.emission).sum::<Rgb>() * share;
        let colors: [fn(&Look) -> f32; 4] = [
            |look| look.model.base_color.r,
            |look| look.model.base_color.g,
            |look| look.model.base_color.b,
            |look| look.opacity,
        ];
        let strongest = emission.max_component();
        let lights: [fn(&Look) -> f32; 3] = [|l| l.emission.r, |l| l.emission.g, |l| l.emission.b];
        let between = |look: &Look| look.opacity > TOLERANCE && look.opacity < 1.0 - TOLERANCE;
        let opacity = mean(|look| look.opacity);
        let alpha = match opacity < 1.0 - 0.1 * TOLERANCE {
            true if looks.iter().any(between) => AlphaMode::Blend,
            true => AlphaMode::Mask,
            false => AlphaMode::Opaque,
        };
        let finite = |color: Rgb| color.map(|v| if v.is_finite() { v.max(0.0) } else { 0.0 });
        ShapeAppearance {
            material: Material {
                name: name.to_owned(),
                base_color: finite(color),
                opacity,
                alpha,
                metallic: mean(|look| look.model.metallic),
                roughness: mean(|look| look.model.roughness),
                specular: mean(|look| look.model.specular),
                transmission: mean(|look| look.model.transmission),
                ior: mean(|look| look.model.ior),
                thickness: 0.0,
                emission: finite(emission),
                double_sided: true,
                unlit: false,
            },
            color_varies: colors.into_iter().any(|of| range(of) > TOLERANCE),
            roughness_varies: range(|look| look.model.roughness) > TOLERANCE
                || range(|look| look.model.metallic) > TOLERANCE,
            is_bumped: looks.iter().any(|look| look.bump < 0.999),
            emission_varies: lights.into_iter().any(|of| range(of) > TOLERANCE * strongest.max(1e-3)),
        }
    }
}
