//! Lights: sample densities, power, shadow rays, and regression scenes.

#[path = "lights/mitsuba.rs"]
mod mitsuba;
#[path = "lights/portals.rs"]
mod portals;

use std::f32::consts::PI;
use std::sync::atomic::AtomicBool;

use glam::{Affine2, Affine3A, EulerRot, Mat3, Quat, Vec2, Vec3};
use renderer::color::Rgb;
use renderer::film::Filter;
use renderer::geometry::{Geometry, Interaction, Mesh, ShapeId};
use renderer::integrator::Context;
use renderer::light::{
    Beam, DirectionalLight, EnvironmentLight, EnvironmentMap, EnvironmentOptions, Falloff, Interpolation,
    Light, LightSample, LitPoint, Outline, ProjectorLight, SheetLight, Slide, SlideLookup, SlideWrap,
    SpotLight, Target,
};
use renderer::material::Sides;
use renderer::math::{Frame, Ray, RayEnd};
use renderer::render::{RenderSettings, Silent, render};
use renderer::sampling::{cone_solid_angle, uniform_cone};
use renderer::scene::Scene;
use renderer::scene::build::build;
use renderer::scene::load::{LoadOptions, load};
use support::scenes::{SceneBuilder, mesh};
use support::stats::{Moments, Rng};

const EVEN: &str = "Ci = 3 * emission();";
const UNEVEN: &str = "Ci = (0.1 + 4 * u * v) * emission();";
/// One hundredth of the parameters.
const SPOT: &str = "Ci = (u > 0.45 && u < 0.55 && v > 0.25 && v < 0.35) ? 50 * emission() : 0;";
const VEIL: &str = "Ci = (0.2 + u) * emission() + 0.75 * transparent();";
const EVEN_VEIL: &str = "Ci = emission() + 0.5 * transparent();";
const BODIES: [&str; 5] = [EVEN, UNEVEN, SPOT, VEIL, EVEN_VEIL];

/// A shape that emits, alone in its scene.
struct Case {
    name: String,
    scene: Scene,
    both: bool,
    /// Whether its points are chosen by solid angle where it emits alike all over.
    by_solid_angle: bool,
}

fn case(name: &str, geometry: &Geometry, transform: Affine3A, body: &str, both: bool, flip: bool) -> Case {
    let mut scene = SceneBuilder::new();
    let sides = Sides {
        two_sided_emission: both,
        ..Sides::default()
    };
    let material = scene.material_with(body, sides);
    scene.shape(geometry.clone(), transform, material).flip_normals = flip;
    Case {
        name: format!("{name}, both sides: {both}, flipped: {flip}, {body}"),
        scene: scene.build(),
        both,
        by_solid_angle: ["rectangle", "cube", "folded"]
            .iter()
            .any(|kind| name.ends_with(kind)),
    }
}

/// A folded strip of six triangles of unequal sizes, one of them without area.
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

fn geometries() -> [(&'static str, Geometry); 6] {
    [
        ("sphere", Geometry::Sphere),
        ("disk", Geometry::Disk),
        ("cylinder", Geometry::Cylinder),
        ("rectangle", mesh(Mesh::rectangle())),
        ("folded", mesh(folded())),
        ("cube", mesh(Mesh::cube())),
    ]
}

fn placed(scale: Vec3) -> Affine3A {
    let turn = Quat::from_euler(EulerRot::XYZ, 0.4, -0.9, 1.7);
    Affine3A::from_scale_rotation_translation(scale, turn, Vec3::new(0.3, -0.2, 0.5))
}

/// All points of the scene along a ray that emit towards its origin, each with what the others before it let through.
fn hits(case: &Case, mut ray: Ray, context: &mut Context) -> Vec<(Interaction, f32)> {
    let mut found = vec![];
    let mut visible = 1.0;
    while let Some(it) = case.scene.intersect(&ray) {
        assert!(found.len() < 64, "{}: a ray comes to an end", case.name);
        let before = visible;
        visible *= case
            .scene
            .material(it.shape)
            .transparency_at(&it, &mut context.shading)
            .g;
        ray = it.spawn_ray(ray.direction);
        found.push((it, before));
    }
    found
}

/// Directions that find a shape from a point however near it is: towards its points, and all about.
struct Directions<'a> {
    case: &'a Case,
    area: f32,
    axis: Vec3,
    one_minus_cos: f32,
}

impl Directions<'_> {
    fn new(case: &Case, p: Vec3) -> Directions<'_> {
        let bounds = case.scene.bounds();
        let (to_center, radius) = (bounds.center() - p, bounds.radius() * 1.001);
        let (axis, one_minus_cos) = if to_center.length() > radius {
            let sin2 = (radius / to_center.length()).powi(2);
            (to_center.normalize(), 1.0 - (1.0 - sin2).sqrt())
        } else {
            (Vec3::Z, 2.0)
        };
        Directions {
            case,
            area: case.scene.shapes()[0].area(),
            axis,
            one_minus_cos,
        }
    }

    /// A direction, and a point of the shape in it if it was chosen by one.
    fn choose(&self, p: Vec3, rng: &mut Rng) -> Vec3 {
        if rng.next_1d() < 0.5 {
            return Frame::from_normal(self.axis).to_world(uniform_cone(rng.next_2d(), self.one_minus_cos));
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

    /// The density of a direction in which these are all hits.
    fn pdf(&self, p: Vec3, w: Vec3, hits: &[(Interaction, f32)]) -> f32 {
        let shape = &self.case.scene.shapes()[0];
        let of_point = |it: &Interaction| {
            let share = self.share(it.primitive);
            let cos = it.wo.dot(it.ng).abs().max(1e-9);
            share * shape.pdf_area(it.primitive, it.ng) * (it.p - p).length_squared() / cos
        };
        let in_cone = 1.0 - w.dot(self.axis) <= self.one_minus_cos * 1.0001;
        let all_about = if in_cone {
            1.0 / cone_solid_angle(self.one_minus_cos)
        } else {
            0.0
        };
        0.5 * all_about + 0.5 * hits.iter().map(|(it, _)| of_point(it)).sum::<f32>()
    }
}

/// Points from far away to near the shape, and in it. (Nearer, a few samples in a thousand bring most of the light.)
fn lookouts(case: &Case) -> Vec<(&'static str, Vec3)> {
    let shape = &case.scene.shapes()[0];
    let bounds = case.scene.bounds();
    let point = shape.sample_area(0, Vec2::new(0.31, 0.62)).point;
    let side = point.ng.any_orthonormal_vector();
    let mut lookouts = vec![
        (
            "inside",
            shape.world_from_object.transform_point3(Vec3::new(0.1, 0.2, 0.3)),
        ),
        ("beside", bounds.center() + Vec3::new(1.2, -2.1, 0.8)),
        ("far away", bounds.center() + Vec3::new(-40.0, 110.0, 70.0)),
        ("before", point.p + point.ng * 0.3),
        ("behind", point.p - point.ng * 0.3),
        // In the plane itself, whether a point is chosen or hit is up to rounding.
        ("near the plane", point.p + side * 3.0 + point.ng * 0.1),
    ];
    let is_even = case.scene.material(ShapeId(0)).constant_emission().is_some();
    if is_even && case.by_solid_angle {
        lookouts.push(("just before", point.p + point.ng * 0.02));
        lookouts.push(("just behind", point.p - point.ng * 0.02));
    }
    lookouts
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
                    check(&case(
                        &format!("{place} {kind}"),
                        &geometry,
                        transform,
                        body,
                        both,
                        flip,
                    ));
                }
            }
        }
    }
}

/// Whether two estimates are of the same number: they differ by less than five standard errors and a little.
fn agree(a: &Moments, b: &Moments) -> bool {
    let error = (a.variance_of_mean() + b.variance_of_mean()).sqrt();
    (a.mean() - b.mean()).abs() <= 5.0 * error + 0.01 * a.mean().abs().max(b.mean().abs()) + 1e-4
}

/// A sample of the scene's lights, with the density of the choice of a light in it.
fn sample_lights(scene: &Scene, p: Vec3, rng: &mut Rng) -> Option<LightSample> {
    let chosen = scene.select_light(&LitPoint::in_space(p), rng.next_choice())?;
    let light = scene.light(chosen.light);
    let mut sample = light.sample_li(p, chosen.part, chosen.u, rng.next_2d())?;
    sample.pdf *= chosen.probability;
    Some(sample)
}

#[test]
fn densities_and_radiance_of_samples_are_those_of_rays() {
    const SAMPLES: u64 = 1500;
    all_cases(|case| {
        let mut context = Context::new(&case.scene);
        let mut rng = Rng::new(7);
        let light = &case.scene.lights()[0];
        for (place, p) in lookouts(case) {
            let (mut chosen, mut sampled) = (Moments::default(), Moments::default());
            for _ in 0..SAMPLES {
                let Some(sample) = sample_lights(&case.scene, p, &mut rng) else {
                    chosen.add(0.0);
                    sampled.add(0.0);
                    continue;
                };
                chosen.add(1.0);
                let ray = sample.shadow_ray(&RayEnd::in_space(p));
                let visible = case.scene.transmittance(&ray, &mut context.shading).g;
                let radiance = light.radiance(&sample, 0.0, &mut context.shading).g;
                sampled.add(f64::from(radiance * visible / sample.pdf));
            }
            let (mut density, mut traced, mut lit) = (Moments::default(), Moments::default(), 0);
            let directions = Directions::new(case, p);
            for _ in 0..SAMPLES {
                let w = directions.choose(p, &mut rng);
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
                    pdf += case.scene.light_pdf(&LitPoint::in_space(p), it);
                    let emission = case
                        .scene
                        .material(it.shape)
                        .emission_at(it, &mut context.shading);
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
            // Rays that hardly ever find a small lit part say nothing.
            assert!(
                lit < 30 || agree(&sampled, &traced),
                "{} from {place}: by samples {}, by rays {}",
                case.name,
                describe(&sampled),
                describe(&traced)
            );
        }
    });
}

// ---- Power.

/// The mean of what photons of a light carry.
fn emitted(light: &Light, target: Target, count: u64, context: &mut Context) -> Moments {
    let mut rng = Rng::new(3);
    let mut moments = Moments::default();
    for _ in 0..count {
        let numbers = (rng.next_choice(), rng.next_2d(), rng.next_2d());
        let photon = light.emit(target, numbers.0, numbers.1, numbers.2, &mut context.shading);
        moments.add(photon.map_or(0.0, |photon| f64::from(photon.power.luminance())));
    }
    moments
}

const TARGET: Target = Target {
    center: Vec3::ZERO,
    radius: 3.0,
};

#[test]
fn power_is_what_photons_carry() {
    all_cases(|case| {
        let mut context = Context::new(&case.scene);
        let light = &case.scene.lights()[0];
        let found = emitted(light, TARGET, 20_000, &mut context);
        let (power, mean) = (f64::from(light.power(1.0)), found.mean());
        let allowed = 5.0 * found.variance_of_mean().sqrt() + 0.03 * mean;
        assert!(
            (power - mean).abs() <= allowed,
            "{}: power {power}, photons {mean}",
            case.name
        );
    });
}

fn spot(falloff: Falloff) -> Light {
    Light::Spot(SpotLight {
        position: Vec3::new(3.0, -20.0, 7.0),
        axis: Vec3::new(0.3, -0.8, 0.4).normalize(),
        intensity: Rgb::splat(2.0),
        falloff,
    })
}

#[test]
fn power_of_spots_is_the_integral_of_their_intensity() {
    let mut context = Context::new(&SceneBuilder::new().build());
    for degrees in [0.001f32, 0.01, 0.3, 10.0, 60.0, 90.0, 135.0, 180.0] {
        for share in [0.0, 0.5, 1.0] {
            let (outer, inner) = (degrees.to_radians(), share * degrees.to_radians());
            for falloff in [
                Falloff::LinearAngle {
                    beam: inner,
                    cutoff: outer,
                },
                Falloff::SquaredCosine { inner, outer },
            ] {
                let light = spot(falloff);
                let power = f64::from(light.power(1.0));
                let photons = emitted(&light, TARGET, 40_000, &mut context);
                let allowed = 5.0 * photons.variance_of_mean().sqrt() + 1e-3 * power;
                assert!(
                    (photons.mean() - power).abs() <= allowed,
                    "{falloff:?}: power {power}, photons {}",
                    photons.mean()
                );
                // What arrives on a large sphere, by rings of a cone that is a little wider than the light's.
                let Light::Spot(spot) = &light else { unreachable!() };
                let (frame, radius) = (Frame::from_normal(spot.axis), 50.0);
                let steps = 20_000;
                let widest = f64::from(outer * 1.2).min(std::f64::consts::PI);
                let arriving: f64 = (0..steps)
                    .map(|i| {
                        let theta = widest * (f64::from(i) + 0.5) / f64::from(steps);
                        let (sin, cos) = theta.sin_cos();
                        let (s, c) = (f64::from(i) * 2.4).sin_cos();
                        let local = glam::DVec3::new(sin * c, sin * s, cos).as_vec3();
                        // Kept about the origin, where coordinates have digits for narrow cones.
                        let spot = SpotLight {
                            position: Vec3::ZERO,
                            ..*spot
                        };
                        let p = frame.to_world(local) * radius;
                        let light = Light::Spot(spot);
                        let sample = light.sample_li(p, 0, 0.5, Vec2::splat(0.5));
                        let radiance = sample.map_or(Rgb::BLACK, |sample| {
                            light.radiance(&sample, 0.0, &mut context.shading)
                        });
                        f64::from(radiance.luminance() * radius * radius) * sin
                    })
                    .sum();
                let arriving = arriving * 2.0 * std::f64::consts::PI * widest / f64::from(steps);
                assert!(
                    (arriving / power - 1.0).abs() < 0.01,
                    "{falloff:?}: power {power}, arriving {arriving}"
                );
            }
        }
    }
}

/// A picture of 5 × 4 texels without symmetry.
fn slide(wrap: SlideWrap, interpolation: Interpolation) -> Slide {
    placed_slide(wrap, interpolation, Affine2::IDENTITY)
}

fn placed_slide(wrap: SlideWrap, interpolation: Interpolation, picture_from_window: Affine2) -> Slide {
    let texel = |i: u32| Rgb::new((i * 3 % 8) as f32, (i * 5 % 7) as f32, i as f32);
    let lookup = SlideLookup {
        wrap,
        interpolation,
        picture_from_window,
    };
    Slide::new((0..20).map(texel).collect(), 5, lookup)
}

/// Projectors and spots with a slide.
fn projectors() -> Vec<Light> {
    let pose = Affine3A::from_rotation_translation(
        Quat::from_euler(EulerRot::XYZ, 0.4, -1.2, 0.3),
        Vec3::new(3.0, -2.0, 7.0),
    );
    let wall = Beam::Wall {
        radiance: Rgb::new(1.0, 2.0, 0.5),
    };
    let spot = |beam, cutoff| Beam::Spot {
        intensity: Rgb::new(1.0, 2.0, 0.5),
        falloff: Falloff::LinearAngle { beam, cutoff },
    };
    let half = |cutoff: f32| Vec2::splat(cutoff.tan());
    let repeat = slide(SlideWrap::Repeat, Interpolation::Linear);
    let clamp = slide(SlideWrap::Clamp, Interpolation::Linear);
    let closest = slide(SlideWrap::Clamp, Interpolation::Closest);
    let turned = Affine2::from_scale_angle_translation(Vec2::new(3.0, 2.0), 0.4, Vec2::new(0.3, -0.7));
    let turned = placed_slide(SlideWrap::Mirror, Interpolation::Linear, turned);
    let mirror = Affine3A::from_scale(Vec3::new(-2.0, 1.0, 1.0));
    let made = [
        (pose, Vec2::new(0.5, 0.4), repeat.clone(), wall),
        (pose * mirror, Vec2::new(3.0, 0.1), clamp.clone(), wall),
        (pose, Vec2::new(0.5, 0.4), closest, wall),
        (pose, half(0.6), clamp, spot(0.3, 0.6)),
        (pose, half(1.4), repeat, spot(1.4, 1.4)),
        (pose, Vec2::new(0.5, 0.4), turned.clone(), wall),
        (pose, half(0.6), turned, spot(0.3, 0.6)),
    ];
    made.into_iter()
        .map(|(pose, half, slide, beam)| {
            let light = ProjectorLight::new(&pose, half, slide, beam).expect("the pose is no singular one");
            Light::Projector(Box::new(light))
        })
        .collect()
}

#[test]
fn sheets_light_what_is_before_them() {
    let mut context = Context::new(&SceneBuilder::new().build());
    let pose = Affine3A::from_rotation_translation(
        Quat::from_euler(EulerRot::XYZ, 0.4, -1.2, 0.3),
        Vec3::new(3.0, -2.0, 7.0),
    );
    let half = Vec2::new(0.5, 2.0);
    for (mirror, outline, area) in [
        (1.0, Outline::Rectangle, 4.0),
        (-1.0, Outline::Rectangle, 4.0),
        (1.0, Outline::Disk, PI),
    ] {
        let pose = pose * Affine3A::from_scale(Vec3::new(2.0 * mirror, 1.0, 3.0));
        let light = Light::Sheet(SheetLight::new(&pose, half, outline, Rgb::splat(1.5)));
        let power = 1.5 * 2.0 * area * half.x * half.y;
        assert!(
            (light.power(1.0) / power - 1.0).abs() < 1e-5,
            "{outline:?}: {}",
            light.power(1.0)
        );
        let mut seen = |x: f32, y: f32, z: f32| {
            let p = pose.transform_point3(Vec3::new(x, y, z));
            light
                .sample_li(p, 0, 0.5, Vec2::splat(0.5))
                .map_or(0.0, |sample| {
                    assert!(sample.wi.distance(-pose.transform_vector3(Vec3::Z).normalize()) < 1e-5);
                    light.radiance(&sample, 0.0, &mut context.shading).g
                })
        };
        let before = [seen(0.1, -1.0, 4.0), seen(0.1, -1.0, -4.0), seen(0.1, -1.0, 0.0)];
        assert_eq!(before, [1.5, 0.0, 0.0]);
        assert_eq!([seen(0.55, 0.0, 1.0), seen(0.0, 2.05, 1.0)], [0.0, 0.0]);
        let corner = if outline == Outline::Disk { 0.0 } else { 1.5 };
        assert_eq!(seen(0.45, -1.9, 1.0), corner);
        let mut rng = Rng::new(5);
        for _ in 0..1000 {
            let numbers = (rng.next_choice(), rng.next_2d(), rng.next_2d());
            let photon = light.emit(TARGET, numbers.0, numbers.1, numbers.2, &mut context.shading);
            let photon = photon.expect("it shines");
            assert!((photon.power.g / power - 1.0).abs() < 1e-5);
            let sample = light.sample_li(photon.ray.at(2.0), 0, 0.5, Vec2::splat(0.5));
            let wi = sample.expect("photons go where light is seen").wi;
            assert!(wi.distance(-photon.ray.direction) < 1e-5);
        }
    }
}

#[test]
fn photons_of_projectors_go_where_their_light_is_seen() {
    let mut context = Context::new(&SceneBuilder::new().build());
    for (index, light) in projectors().into_iter().enumerate() {
        let power = f64::from(light.power(1.0));
        let photons = emitted(&light, TARGET, 100_000, &mut context);
        let allowed = 5.0 * photons.variance_of_mean().sqrt() + 5e-3 * power;
        assert!(
            (photons.mean() - power).abs() <= allowed,
            "{index}: power {power}, photons {}",
            photons.mean()
        );
        // The mean of what photons carry times a function of where they go is the integral of the intensity times it, by
        // the light's samples at points of a unit sphere about it.
        let weight = |d: Vec3| f64::from((3.0 * d.x - 2.0 * d.y + 5.0 * d.z).sin());
        let mut rng = Rng::new(5);
        let (mut gone, mut seen) = (Moments::default(), Moments::default());
        let mut position = Vec3::ZERO;
        for _ in 0..200_000 {
            let numbers = (rng.next_choice(), rng.next_2d(), rng.next_2d());
            let photon = light.emit(TARGET, numbers.0, numbers.1, numbers.2, &mut context.shading);
            gone.add(photon.map_or(0.0, |photon| {
                position = photon.ray.origin;
                f64::from(photon.power.luminance()) * weight(photon.ray.direction)
            }));
        }
        for _ in 0..1_000_000 {
            let d = rng.direction();
            let sample = light.sample_li(position + d, 0, 0.5, Vec2::splat(0.5));
            let radiance = sample.map_or(0.0, |sample| {
                light.radiance(&sample, 0.0, &mut context.shading).luminance()
            });
            seen.add(f64::from(radiance) * weight(d) * 4.0 * std::f64::consts::PI);
        }
        let allowed = 5.0 * (gone.variance_of_mean() + seen.variance_of_mean()).sqrt() + 1e-3 * power;
        assert!(
            (gone.mean() - seen.mean()).abs() <= allowed,
            "{index}: photons {}, seen {}",
            gone.mean(),
            seen.mean()
        );
    }
}

#[test]
fn power_of_lights_at_infinity_is_what_enters_the_scene() {
    let mut context = Context::new(&SceneBuilder::new().build());
    let mut texels = vec![Rgb::new(0.1, 0.2, 0.3); 32 * 16];
    texels[3 * 32 + 5] = Rgb::splat(900.0);
    texels[15 * 32 + 9] = Rgb::splat(5000.0);
    texels[40] = Rgb::new(f32::NAN, f32::INFINITY, -3.0);
    let finite = texels
        .iter()
        .map(|texel| if texel.is_finite() { *texel } else { Rgb::BLACK });
    let world_from_map = Mat3::from_rotation_y(0.7) * Mat3::from_rotation_x(-0.4);
    let map = |texels| {
        let options = EnvironmentOptions {
            world_from_map,
            ..EnvironmentOptions::default()
        };
        EnvironmentLight::Map(EnvironmentMap::new(texels, 32, options))
    };
    let directional = |degrees: f32| {
        let direction = Vec3::new(0.3, -0.8, 0.4).normalize();
        let irradiance = Rgb::new(1.0, 2.0, 3.0);
        Light::Directional(DirectionalLight::new(direction, irradiance, degrees.to_radians()))
    };
    for light in [
        directional(0.0),
        directional(0.53),
        directional(180.0),
        Light::Environment(EnvironmentLight::Constant(Rgb::new(1.0, 2.0, 3.0))),
        Light::Environment(map(finite.collect())),
    ] {
        let photons = emitted(&light, TARGET, 40_000, &mut context);
        let power = f64::from(light.power(TARGET.radius));
        let allowed = 5.0 * photons.variance_of_mean().sqrt() + 2e-3 * power;
        assert!(
            (photons.mean() - power).abs() <= allowed,
            "power {power}, photons {}",
            photons.mean()
        );
    }
    // One bad texel neither poisons the density of the others nor the power.
    let EnvironmentLight::Map(poisoned) = map(texels) else {
        unreachable!()
    };
    let light = Light::Environment(EnvironmentLight::Map(poisoned));
    assert!(light.power(1.0).is_finite() && light.power(1.0) > 0.0);
    let mut rng = Rng::new(4);
    for _ in 0..1000 {
        let (_, pdf) = light.le_pdf(Vec3::ZERO, rng.direction());
        assert!(pdf.is_finite());
        let photon = light.emit(TARGET, 0.5, rng.next_2d(), rng.next_2d(), &mut context.shading);
        assert!(photon.is_none_or(|photon| photon.power.is_finite()));
    }
}

#[test]
fn disks_in_the_sky_are_sampled_as_they_are_seen() {
    let towards = Vec3::new(-0.3, 0.8, 0.5).normalize();
    let irradiance = Rgb::new(1.0, 2.0, 3.0);
    let mut context = Context::new(&SceneBuilder::new().build());
    let mut rng = Rng::new(11);
    for degrees in [0.002f32, 0.53, 20.0, 180.0] {
        let angle = degrees.to_radians();
        let light = Light::Directional(DirectionalLight::new(-towards, irradiance, angle));
        assert!(!light.is_delta() && light.is_infinite());
        let (mut facing, mut seen, n) = (0.0, 0, 4000);
        for _ in 0..n {
            let u = rng.next_2d();
            let sample = light
                .sample_li(Vec3::ZERO, 0, 0.5, u)
                .expect("light from everywhere on the disk");
            let radiance = light.radiance(&sample, 0.0, &mut context.shading);
            assert!(sample.wi.angle_between(towards) <= 0.5 * angle + 1e-3);
            facing += f64::from(radiance.g / sample.pdf * sample.wi.dot(towards)) / f64::from(n);
            // Rounding may put samples just outside the rim.
            let found = light.le_pdf(Vec3::ZERO, sample.wi);
            seen += i32::from(found == (radiance, sample.pdf));
        }
        assert!(
            (facing / 2.0 - 1.0).abs() < 0.02,
            "{degrees}: irradiance {facing}"
        );
        assert!(seen > n * 98 / 100, "{degrees}: only {seen} of {n} are seen");
        let frame = Frame::from_normal(towards);
        for (share, inside) in [(0.9, true), (1.1, false)] {
            let (sin, cos) = (0.5 * angle * share).sin_cos();
            let (_, pdf) = light.le_pdf(Vec3::ZERO, frame.to_world(Vec3::new(sin, 0.0, cos)));
            assert_eq!(pdf > 0.0, inside, "{degrees} {share}");
        }
    }
    // An angle that directions in `f32` do not resolve is none.
    assert!(Light::Directional(DirectionalLight::new(-towards, irradiance, 1e-7)).is_delta());
}

#[test]
fn small_bright_parts_of_large_shapes_have_their_power() {
    // Windows of the parameters, by the share of each that they cover.
    for (share, found) in [(0.2, 0.05), (0.03, 0.1), (0.01, 0.5)] {
        let body = format!(
            "Ci = (abs(u - 0.41) < {0} && abs(v - 0.63) < {0}) ? 10 * emission() : 0;",
            0.5 * share
        );
        for (kind, geometry) in geometries().into_iter().take(4) {
            let case = case(kind, &geometry, placed(Vec3::splat(0.7)), &body, false, false);
            let mut context = Context::new(&case.scene);
            let light = &case.scene.lights()[0];
            let turns = 2.0 * PI * share;
            let [low, high] = [-0.5, 0.5].map(|end| 0.63 + end * share);
            let area = 0.49
                * match geometry {
                    Geometry::Sphere => turns * ((PI * low).cos() - (PI * high).cos()),
                    Geometry::Disk => turns * 0.41 * share,
                    Geometry::Cylinder => turns * share,
                    Geometry::Mesh(_) => 4.0 * share * share,
                };
            let (power, exact) = (f64::from(light.power(1.0)), f64::from(10.0 * PI * area));
            assert!(
                (power / exact - 1.0).abs() < found,
                "{}: power {power}, not {exact}",
                case.name
            );
            let photons = emitted(light, TARGET, 100_000, &mut context);
            let allowed = 5.0 * photons.variance_of_mean().sqrt() + 0.05 * exact;
            assert!(
                (photons.mean() - exact).abs() < allowed,
                "{}: photons {}, not {exact}",
                case.name,
                photons.mean()
            );
        }
    }
}

#[test]
fn what_no_probe_finds_is_still_a_light() {
    // A tenth of a millimetre of a metre, and a moment that nobody looked at.
    for body in [
        "Ci = (abs(u - 0.41231) < 0.00005 && abs(v - 0.63) < 0.00005) ? 1e8 * emission() : 0;",
        "Ci = time > 0.5 ? emission() : 0;",
    ] {
        for (kind, geometry) in geometries() {
            let case = case(kind, &geometry, Affine3A::IDENTITY, body, false, false);
            let [light] = case.scene.lights() else {
                panic!("{}: there is a light", case.name)
            };
            let shape = &case.scene.shapes()[0];
            let mut rng = Rng::new(5);
            for _ in 0..1000 {
                let primitive = (rng.next_u64() % u64::from(shape.primitive_count())) as u32;
                let sample = shape.sample_area(primitive, rng.next_2d());
                if sample.pdf == 0.0 {
                    continue;
                }
                let p = sample.point.p + sample.point.ng;
                let it = sample.point.seen_from(sample.point.ng, ShapeId(0), primitive);
                assert!(
                    case.scene.light_pdf(&LitPoint::in_space(p), &it) > 0.0,
                    "{}: every point has density",
                    case.name
                );
            }
            let mut any = || sample_lights(&case.scene, Vec3::new(1.5, 2.0, 5.0), &mut rng);
            assert!(
                (0..50).any(|_| any().is_some()),
                "{}: points are chosen",
                case.name
            );
            // Beside a bright one it is chosen too.
            assert!(renderer::light::powers(&[light.clone(), spot(WIDE)], 1.0)[0] > 0.0);
        }
    }
}

const WIDE: Falloff = Falloff::SquaredCosine {
    inner: 0.5,
    outer: 1.0,
};

#[test]
fn emission_that_is_no_number_poisons_nothing() {
    for body in [
        "Ci = (u > 0.5 ? 1 : log(0.0) * -1e38) * emission();",
        "Ci = (u > 0.5 ? 1 : sqrt(u - 2) * exp(1e9)) * emission();",
        "Ci = (u - 0.5) * emission();",
    ] {
        for (kind, geometry) in geometries() {
            let case = case(kind, &geometry, Affine3A::IDENTITY, body, false, false);
            let light = &case.scene.lights()[0];
            assert!(light.power(1.0).is_finite(), "{}", case.name);
            let (mut rng, mut chosen) = (Rng::new(6), 0);
            for _ in 0..500 {
                if let Some(sample) = sample_lights(&case.scene, Vec3::new(1.5, 2.0, 5.0), &mut rng) {
                    assert!(sample.pdf.is_finite() && sample.pdf > 0.0 && sample.wi.is_normalized());
                    chosen += 1;
                }
            }
            assert!(chosen > 20, "{}: {chosen}", case.name);
        }
    }
}

#[test]
fn samples_from_anywhere_are_sound() {
    all_cases(|case| {
        let shape = &case.scene.shapes()[0];
        let mut rng = Rng::new(8);
        for _ in 0..50 {
            // On the light, on its edges and vertices, and right at its centre.
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
                assert!(
                    ray.t_max >= 0.0 && ray.direction.is_normalized(),
                    "{}: {ray:?}",
                    case.name
                );
            }
        }
    });
}

// ---- Shadow rays.

/// A lamp of some shape somewhere, and a cover just before it: the same shape, a little larger and nearer.
#[test]
fn shadow_rays_end_at_the_light_and_nowhere_before() {
    let mut rng = Rng::new(11);
    let mut tried = 0;
    let kinds = geometries();
    for index in 0..300 {
        // A sphere, a disk or a rectangle.
        let (kind, geometry) = kinds[[0, 1, 3][index % 3]].clone();
        let size = 10f32.powf(4.0 * rng.next_1d() - 2.0);
        let distance = size * 10f32.powf(3.0 * rng.next_1d() + 0.5);
        let away = distance * 10f32.powf(2.0 * rng.next_1d() - 1.0);
        let turn = Quat::from_euler(
            EulerRot::XYZ,
            6.0 * rng.next_1d(),
            6.0 * rng.next_1d(),
            6.0 * rng.next_1d(),
        );
        let place = rng.direction() * away;
        let lamp = Affine3A::from_scale_rotation_translation(Vec3::splat(size), turn, place);
        let front = turn * Vec3::Z;
        let p = place + (front * 2.0 + rng.direction()).normalize() * distance;
        // Fifty times what rounding moves at these coordinates.
        let gap = 1e-4 * (away + distance);
        let cover = match geometry {
            Geometry::Sphere => lamp * Affine3A::from_scale(Vec3::splat(1.0 + gap / size)),
            _ => {
                Affine3A::from_translation(front * gap)
                    * lamp
                    * Affine3A::from_scale(Vec3::splat(1.5 + 3.0 * gap / size))
            }
        };
        for covered in [false, true] {
            let mut scene = SceneBuilder::new();
            let glow = scene.material(EVEN);
            let black = scene.material("Ci = 0;");
            scene.shape(geometry.clone(), lamp, glow);
            if covered {
                scene.shape(geometry.clone(), cover, black);
            }
            let scene = scene.build();
            let mut context = Context::new(&scene);
            for _ in 0..100 {
                let Some(sample) = sample_lights(&scene, p, &mut rng) else {
                    continue;
                };
                let seen = !scene
                    .transmittance(&sample.shadow_ray(&RayEnd::in_space(p)), &mut context.shading)
                    .is_black();
                tried += 1;
                assert!(
                    !(covered && seen),
                    "{kind} of {size} m, {away} m from the origin, looked at from {distance} m: seen through its cover"
                );
                assert!(
                    covered || seen,
                    "{kind} of {size} m, {away} m from the origin, looked at from {distance} m: in its own shadow"
                );
            }
        }
    }
    assert!(tried > 20_000, "{tried}");
}

// ---- Scenes that were wrong once.

/// The mean of a scene's picture.
fn picture(text: &str, set: &[&str], spp: u64) -> f64 {
    let values = pixels(text, set, spp);
    values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len() as f64
}

/// A scene's picture.
fn pixels(text: &str, set: &[&str], spp: u64) -> Vec<f32> {
    let folder = tempfile::tempdir().expect("there is room for a scene");
    let path = folder.path().join("scene.kiln");
    std::fs::write(&path, text).expect("the scene is written");
    let set = set.iter().map(|&s| s.to_owned()).collect();
    let options = LoadOptions {
        set,
        ..LoadOptions::default()
    };
    let (desc, _) = load(&path, &options).unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"));
    let settings = RenderSettings {
        filter: Filter::pixel(),
        samples: 0..spp,
        total: spp,
        seed: 1,
        threads: 2,
        ..RenderSettings::new(&desc, &built)
    };
    let rendered = render(&built.scene, &settings, &Silent, &AtomicBool::new(false))
        .unwrap_or_else(|error| panic!("{error}"));
    rendered.state.film.develop().data
}

const PROGRESSIVE: [&str; 3] = [
    "integrator=photon",
    "integrator.progressive=true",
    "integrator.photons=20000",
];

#[test]
fn a_transparent_ball_that_glows_on_both_sides() {
    let ball = r#"
        film { size = (8, 8); filter = box; }
        camera main : perspective { from = (0, 0.5, 0); to = (0, 0, -0.001); fov = 5; }
        surface glow(output closure color surface = 0) { surface = emission() + transparent(); }
        material veil { surface = glow(); emission = both; }
        shape ground : plane { size = 4; material = matte(albedo = 0.5); }
        shape ball : sphere { radius = 1; center = (0, 3, 0); material = veil; }
    "#;
    // A ball at three radii covers a ninth of a point's sky, by cosine; both sides are seen, and half is reflected.
    for set in [&[][..], &PROGRESSIVE[..]] {
        let found = picture(ball, set, 64);
        assert!((found / (1.0 / 9.0) - 1.0).abs() < 0.02, "{set:?}: {found}");
    }
}

#[test]
fn a_cover_just_under_a_high_lamp() {
    let leak = r#"
        film { size = (8, 8); filter = box; }
        camera main : perspective { from = (0, 1, 0.02); to = (0, 0, 0); fov = 5; }
        material lamp = emitter(radiance = 100);
        shape light : rectangle { size = 10; material = lamp; transform = translate(0, 100, 0) * rotate((1, 0, 0), 90); }
        shape cover : rectangle { size = 10.2; transform = translate(0, 99.995, 0) * rotate((1, 0, 0), 90); material = matte(albedo = 0); }
        shape ground : plane { size = 10; }
    "#;
    for set in [&[][..], &PROGRESSIVE[..]] {
        assert_eq!(picture(leak, set, 16), 0.0, "{set:?}");
    }
}

#[test]
fn a_narrow_spot_beside_a_dim_light() {
    let alone = r#"
        film { size = (8, 8); filter = box; }
        camera main : perspective { from = (0, 1, 0.02); to = (0, 0, 0); fov = 0.05; }
        light s : spot { position = (0, 50, 0); direction = (0, -1, 0); intensity = 2500; cutoff = 0.01; beam_width = 0.01; }
        shape ground : plane { size = 10; }
    "#;
    let beside = format!("{alone} light p : point {{ position = (0, 3, 0); intensity = 0.0001; }}");
    for set in [&[][..], &PROGRESSIVE[..]] {
        let (alone, beside) = (picture(alone, set, 16), picture(&beside, set, 256));
        assert!(alone > 0.1, "{alone}");
        assert!(
            (beside / alone - 1.0).abs() < 0.05,
            "{set:?}: {alone} alone, {beside} beside another"
        );
    }
}

#[test]
fn a_small_lit_part_of_a_ceiling() {
    let strip = r#"
        film { size = (12, 12); filter = box; }
        camera main : perspective { from = (0, 0, 0.9); to = (0, -0.3, -1); fov = 70; }
        surface screen(output closure color surface = 0) {
            surface = (v > 0.45 && v < 0.55 && u > 0.45 && u < 0.55) ? 60 * emission() : 0.8 * diffuse(N);
        }
        material white = matte(albedo = 0.8);
        material lit = screen();
        shape floor : rectangle { material = white; transform = translate(0, -1, 0) * rotate((1, 0, 0), -90); }
        shape top : rectangle { material = lit; transform = translate(0, 1, 0) * rotate((1, 0, 0), 90); }
        shape back : rectangle { material = white; transform = translate(0, 0, -1); }
        shape front : rectangle { material = white; transform = translate(0, 0, 1) * rotate((0, 1, 0), 180); }
        shape l : rectangle { material = white; transform = translate(-1, 0, 0) * rotate((0, 1, 0), 90); }
        shape r : rectangle { material = white; transform = translate(1, 0, 0) * rotate((0, 1, 0), -90); }
    "#;
    let with_ball = format!(
        "{strip} shape dim : sphere {{ radius = 0.05; center = (0.5, 0.5, 0.5); material = emitter(radiance = 1); }}"
    );
    for scene in [strip, &with_ball] {
        let (path, photon) = (picture(scene, &[], 256), picture(scene, &PROGRESSIVE, 64));
        assert!((path / 0.414 - 1.0).abs() < 0.02, "{path}");
        assert!((photon / path - 1.0).abs() < 0.02, "path {path}, photon {photon}");
    }
}
