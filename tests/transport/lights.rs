//! Lights: densities and radiance of samples against those of rays.

mod luminaires;
mod mitsuba;
mod picture;
mod portals;
mod power;
mod regressions;
mod shadow;
mod strands;

use std::f32::consts::PI;

use glam::{Affine2, Affine3A, EulerRot, Mat3, Quat, Vec2, Vec3};
use renderer::color::Rgb;
use renderer::film::Filter;
use renderer::geometry::{Geometry, Interaction, Mesh, SHUTTER_OPEN, ShapeId};
use renderer::integrator::Context;
use renderer::interior::InteriorList;
use renderer::light::{
    Beam, DirectionalAreaLight, DirectionalLight, EmissionBounds, EnvironmentLight, EnvironmentMap,
    EnvironmentOptions, Falloff, Interpolation, Light, LightSample, LightSampleContext, LightViewer, Outline,
    PrimarySample, ProjectorLight, ProjectorTexture, SlideLookup, SlideWrap, SpotLight,
};
use renderer::material::Sides;
use renderer::math::{Bounds, Frame, Ray, RayEnd};
use renderer::render::RenderSettings;
use renderer::sampling::{cone_solid_angle, uniform_cone};
use renderer::scene::Scene;
use renderer::scene::build::build;
use support::scenes::{SceneBuilder, load_text, mesh, render_scene};
use support::stats::{Moments, Rng};

const EVEN: &str = "Ci = 3 * emission();";
const UNEVEN: &str = "Ci = (0.1 + 4 * u * v) * emission();";
/// A hundredth of the parameter square.
const SPOT: &str = "Ci = (u > 0.45 && u < 0.55 && v > 0.25 && v < 0.35) ? 50 * emission() : 0;";
const VEIL: &str = "Ci = (0.2 + u) * emission() + 0.75 * transparent();";
const EVEN_VEIL: &str = "Ci = emission() + 0.5 * transparent();";
const BODIES: [&str; 5] = [EVEN, UNEVEN, SPOT, VEIL, EVEN_VEIL];

/// An emitting shape, alone in its scene.
struct Case {
    name: String,
    scene: Scene,
    both: bool,
    /// True if uniform emission is sampled by solid angle.
    by_solid_angle: bool,
}

fn case(name: &str, geometry: &Geometry, transform: Affine3A, body: &str, both: bool, flip: bool) -> Case {
    let mut scene = SceneBuilder::new();
    let sides = Sides { two_sided_emission: both, ..Sides::default() };
    let material = scene.material_with(body, sides);
    scene.shape(geometry.clone(), transform, material).flip_normals = flip;
    Case {
        name: format!("{name}, both sides: {both}, flipped: {flip}, {body}"),
        scene: scene.build(),
        both,
        by_solid_angle: ["rectangle", "cube", "folded"].iter().any(|kind| name.ends_with(kind)),
    }
}

/// A folded strip of six triangles of different sizes, one of them without area.
fn folded() -> Mesh {
    let positions = [
        (-1.0, -1.0, 0.0),
        (1.0, -1.0, 0.2),
        (-1.0, 1.0, 0.0),
        (1.0, 1.0, 0.3),
        (1.6, 0.0, 0.8),
        (-1.1, 0.1, 0.6),
        (-1.2, 1.2, 0.5),
    ];
    let positions = positions.map(Vec3::from).to_vec();
    let triangles = vec![[0, 1, 2], [1, 3, 2], [1, 4, 3], [0, 2, 5], [2, 6, 5], [0, 0, 1]];
    Mesh::new(positions, triangles).expect("the mesh is valid")
}

fn geometries() -> [(&'static str, Geometry); 7] {
    [
        ("sphere", Geometry::Sphere),
        ("disk", Geometry::Disk),
        ("cylinder", Geometry::Cylinder),
        ("rectangle", mesh(Mesh::rectangle())),
        ("folded", mesh(folded())),
        ("cube", mesh(Mesh::cube())),
        ("cone", Geometry::Cone(0.25)),
    ]
}

fn placed(scale: Vec3) -> Affine3A {
    let turn = Quat::from_euler(EulerRot::XYZ, 0.4, -0.9, 1.7);
    Affine3A::from_scale_rotation_translation(scale, turn, Vec3::new(0.3, -0.2, 0.5))
}

/// Emitting hits along a ray, each with the transmittance of the earlier ones.
fn hits(case: &Case, mut ray: Ray, context: &mut Context) -> Vec<(Interaction, f32)> {
    let mut found = vec![];
    let mut visible = 1.0;
    while let Some(it) = case.scene.intersect(&ray) {
        assert!(found.len() < 64, "{}: a ray comes to an end", case.name);
        let before = visible;
        visible *= case
            .scene
            .material(it.shape)
            .for_light(&it, 1, 1.0, &mut context.shading)
            .transparency
            .g;
        ray = it.spawn_ray(ray.direction);
        found.push((it, before));
    }
    found
}

/// Directions that hit a shape from any distance: half towards its points (on strands, within the bounding cones of the
/// primitives), half within its bounding cone.
struct Directions<'a> {
    case: &'a Case,
    area: f32,
    cone: BoundingCone,
    /// Bounding cones of the primitives of curves and points.
    cones: Vec<BoundingCone>,
}

/// Cone of the bounding sphere of a box; all directions from inside.
struct BoundingCone {
    axis: Vec3,
    one_minus_cos: f32,
}

impl BoundingCone {
    fn new(bounds: Bounds, p: Vec3) -> BoundingCone {
        let (to_center, radius) = (bounds.center() - p, bounds.radius() * 1.001);
        if to_center.length() > radius {
            let sin2 = (radius / to_center.length()).powi(2);
            BoundingCone {
                axis: to_center.normalize(),
                one_minus_cos: 1.0 - (1.0 - sin2).sqrt(),
            }
        } else {
            BoundingCone { axis: Vec3::Z, one_minus_cos: 2.0 }
        }
    }

    fn choose(&self, rng: &mut Rng) -> Vec3 {
        Frame::from_normal(self.axis).to_world(uniform_cone(rng.next_2d(), self.one_minus_cos))
    }

    fn pdf(&self, w: Vec3) -> f32 {
        let is_inside = 1.0 - w.dot(self.axis) <= self.one_minus_cos * 1.0001;
        if is_inside {
            1.0 / cone_solid_angle(self.one_minus_cos)
        } else {
            0.0
        }
    }
}

impl Directions<'_> {
    fn new(case: &Case, p: Vec3) -> Directions<'_> {
        let shape = &case.scene.shapes()[0];
        let strands = if shape.geometry.curves().is_some() || shape.geometry.points().is_some() {
            shape.primitive_count()
        } else {
            0
        };
        Directions {
            case,
            area: shape.area(),
            cone: BoundingCone::new(case.scene.bounds(), p),
            cones: (0..strands)
                .map(|primitive| BoundingCone::new(shape.primitive_bounds(primitive), p))
                .collect(),
        }
    }

    /// A direction towards a point of the shape, or in the cone.
    fn choose(&self, p: Vec3, rng: &mut Rng) -> Vec3 {
        if rng.next_1d() < 0.5 {
            return self.cone.choose(rng);
        }
        if !self.cones.is_empty() {
            let index = (rng.next_1d() * self.cones.len() as f32) as usize;
            return self.cones[index].choose(rng);
        }
        let shape = &self.case.scene.shapes()[0];
        let at = rng.next_1d();
        let mut sum = 0.0;
        let primitive = (0..shape.primitive_count()).find(|&primitive| {
            sum += self.share(primitive);
            sum > at
        });
        let point = shape.sample_area(primitive.unwrap_or(0), rng.next_2d()).point;
        (point.p - p).normalize_or(Vec3::Z)
    }

    /// A primitive's share of the area.
    fn share(&self, primitive: u32) -> f32 {
        let shape = &self.case.scene.shapes()[0];
        match shape.analytic() {
            Some(_) => 1.0,
            None => shape.triangle_area(primitive) / self.area,
        }
    }

    /// The density of a direction with these hits.
    fn pdf(&self, p: Vec3, w: Vec3, hits: &[(Interaction, f32)]) -> f32 {
        let shape = &self.case.scene.shapes()[0];
        let of_point = |it: &Interaction| {
            let share = self.share(it.primitive);
            let cos = it.wo.dot(it.ng).abs().max(1e-9);
            share * shape.pdf_area(it.primitive, it.ng) * (it.p - p).length_squared() / cos
        };
        let toward_shape = match self.cones.as_slice() {
            [] => hits.iter().map(|(it, _)| of_point(it)).sum::<f32>(),
            cones => cones.iter().map(|cone| cone.pdf(w)).sum::<f32>() / cones.len() as f32,
        };
        0.5 * self.cone.pdf(w) + 0.5 * toward_shape
    }
}

/// Points from far away to near the shape, and inside. (Nearer, a few samples in a thousand carry most of the light.)
fn viewpoints(case: &Case) -> Vec<(&'static str, Vec3)> {
    let shape = &case.scene.shapes()[0];
    let bounds = case.scene.bounds();
    let point = shape.sample_area(0, Vec2::new(0.31, 0.62)).point;
    let side = point.ng.any_orthonormal_vector();
    let mut viewpoints = vec![
        ("inside", shape.placement().open().point(Vec3::new(0.1, 0.2, 0.3))),
        ("to the side", bounds.center() + Vec3::new(1.2, -2.1, 0.8)),
        ("far away", bounds.center() + Vec3::new(-40.0, 110.0, 70.0)),
        ("before", point.p + point.ng * 0.3),
        ("behind", point.p - point.ng * 0.3),
        // In the plane itself, rounding decides whether a point is hit.
        ("near the plane", point.p + side * 3.0 + point.ng * 0.1),
    ];
    let is_even = case.scene.material(ShapeId(0)).constant_emission().is_some();
    if is_even && case.by_solid_angle {
        viewpoints.push(("just before", point.p + point.ng * 0.02));
        viewpoints.push(("just behind", point.p - point.ng * 0.02));
    }
    viewpoints
}

fn all_cases(mut check: impl FnMut(&Case)) {
    let transforms = [
        ("even", placed(Vec3::splat(0.7))),
        ("stretched", placed(Vec3::new(0.5, 1.5, 0.8))),
        ("mirrored", placed(Vec3::new(0.9, -0.6, 1.1))),
    ];
    for (kind, geometry) in geometries() {
        for (place, transform) in transforms {
            for body in BODIES {
                for (both, flip) in [(false, false), (true, false), (false, true), (true, true)] {
                    check(&case(&format!("{place} {kind}"), &geometry, transform, body, both, flip));
                }
            }
        }
    }
}

/// Returns whether two estimates agree within five standard errors plus a small tolerance.
fn agree(a: &Moments, b: &Moments) -> bool {
    let error = (a.variance_of_mean() + b.variance_of_mean()).sqrt();
    (a.mean() - b.mean()).abs() <= 5.0 * error + 0.01 * a.mean().abs().max(b.mean().abs()) + 1e-4
}

/// A sample of the scene's lights, with a density that includes the selection of the light.
fn sample_lights(scene: &Scene, p: Vec3, rng: &mut Rng) -> Option<LightSample> {
    let chosen = scene.select_light(&LightSampleContext::in_space(p), rng.next_choice())?;
    let light = scene.light(chosen.light);
    let mut sample = light.sample_li(&LightViewer::at(p), chosen.part, chosen.u, rng.next_2d())?;
    sample.pdf *= chosen.probability;
    Some(sample)
}

/// Checks the light samples from a point against rays, in density and in radiance.
fn check_samples(case: &Case, (place, p): (&str, Vec3), samples: u64, rng: &mut Rng) {
    let mut context = Context::new(&case.scene);
    let light = &case.scene.lights()[0];
    let (mut chosen, mut sampled) = (Moments::default(), Moments::default());
    for _ in 0..samples {
        let Some(sample) = sample_lights(&case.scene, p, rng) else {
            chosen.add(0.0);
            sampled.add(0.0);
            continue;
        };
        chosen.add(1.0);
        let ray = sample.shadow_ray(&RayEnd::in_space(p));
        let visible = case
            .scene
            .transmittance(&ray, 1, || InteriorList::NONE, 0, &mut context.shading)
            .g;
        let radiance = light.radiance(&sample, &LightViewer::at(p), &mut context.shading).g;
        sampled.add(f64::from(radiance * visible / sample.pdf));
    }
    let (mut density, mut traced, mut lit) = (Moments::default(), Moments::default(), 0);
    let directions = Directions::new(case, p);
    for _ in 0..samples {
        let w = directions.choose(p, rng);
        let found = hits(case, Ray::new(p, w), &mut context);
        if found.is_empty() {
            density.add(0.0);
            traced.add(0.0);
            continue;
        }
        let q = directions.pdf(p, w, &found);
        let emitting = found.iter().filter(|(it, _)| case.both || it.wo.dot(it.ng) > 0.0);
        let (mut pdf, mut radiance) = (0.0, 0.0);
        for (it, visible) in emitting {
            pdf += case.scene.light_pdf(&LightSampleContext::in_space(p), it);
            let emission = case.scene.material(it.shape).emission_at(it, 1, &mut context.shading);
            radiance += emission.g * visible;
        }
        density.add(f64::from(pdf / q));
        traced.add(f64::from(radiance / q));
        lit += u32::from(radiance > 0.0);
    }
    let describe = |m: &Moments| format!("{:.4} ± {:.4}", m.mean(), m.variance_of_mean().sqrt());
    assert!(
        agree(&chosen, &density),
        "{} from {place}: {} of all samples are chosen, but their density is {}",
        case.name,
        describe(&chosen),
        describe(&density)
    );
    // Rays that rarely hit a small emitting part are no evidence.
    assert!(
        lit < 30 || agree(&sampled, &traced),
        "{} from {place}: by samples {}, by rays {}",
        case.name,
        describe(&sampled),
        describe(&traced)
    );
}

#[test]
fn light_samples_match_rays_in_density_and_radiance() {
    const SAMPLES: u64 = 1500;
    all_cases(|case| {
        let mut rng = Rng::new(7);
        for viewpoint in viewpoints(case) {
            check_samples(case, viewpoint, SAMPLES, &mut rng);
        }
    });
}

#[test]
fn light_samples_from_any_point_are_valid() {
    all_cases(|case| {
        let shape = &case.scene.shapes()[0];
        let mut rng = Rng::new(8);
        for _ in 0..50 {
            // On the light, on its edges and vertices, and at its centre.
            let on = shape.sample_area(0, rng.next_2d()).point.p;
            let corner = shape.surface_point(0, Vec2::X).p;
            for p in [on, corner, case.scene.bounds().center(), on * 1e6] {
                let Some(sample) = sample_lights(&case.scene, p, &mut rng) else {
                    continue;
                };
                assert!(sample.wi.is_normalized(), "{}: towards {}", case.name, sample.wi);
                assert!(
                    sample.pdf > 0.0 && sample.pdf.is_finite(),
                    "{}: density {}",
                    case.name,
                    sample.pdf
                );
                let ray = sample.shadow_ray(&RayEnd::in_space(p));
                assert!(ray.t_max >= 0.0 && ray.direction.is_normalized(), "{}: {ray:?}", case.name);
            }
        }
    });
}
