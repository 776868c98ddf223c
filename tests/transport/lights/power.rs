//! Power of lights: consistent between photons and light samples.

use super::*;

/// Random numbers of a photon at the opening of the shutter.
fn primary_sample((primitive, position, direction): (f64, Vec2, Vec2)) -> PrimarySample {
    PrimarySample { primitive, position, direction, time: SHUTTER_OPEN }
}

/// The mean power of a light's photons.
pub(super) fn emitted(light: &Light, target: EmissionBounds, count: u64, context: &mut Context) -> Moments {
    let mut rng = Rng::new(3);
    let mut moments = Moments::default();
    for _ in 0..count {
        let numbers = (rng.next_choice(), rng.next_2d(), rng.next_2d());
        let photon = light.emit(target, &primary_sample(numbers), &mut context.shading);
        moments.add(photon.map_or(0.0, |photon| f64::from(photon.power.luminance())));
    }
    moments
}

pub(super) const TARGET: EmissionBounds = EmissionBounds { center: Vec3::ZERO, radius: 3.0 };

#[test]
fn power_equals_the_mean_photon_power() {
    all_cases(|case| {
        let mut context = Context::new(&case.scene);
        let light = &case.scene.lights()[0];
        let found = emitted(light, TARGET, 20_000, &mut context);
        let (power, mean) = (f64::from(light.power(1.0)), found.mean());
        let allowed = 5.0 * found.variance_of_mean().sqrt() + 0.03 * mean;
        assert!((power - mean).abs() <= allowed, "{}: power {power}, photons {mean}", case.name);
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
fn power_of_spots_integrates_their_intensity() {
    let mut context = Context::new(&SceneBuilder::new().build());
    for degrees in [0.001f32, 0.01, 0.3, 10.0, 60.0, 90.0, 135.0, 180.0] {
        for share in [0.0, 0.5, 1.0] {
            let (outer, inner) = (degrees.to_radians(), share * degrees.to_radians());
            for falloff in [
                Falloff::LinearAngle { beam: inner, cutoff: outer },
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
                // Irradiance on a large sphere, by rings of a cone slightly wider than the light's.
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
                        // At the origin, where coordinates are precise enough for narrow cones.
                        let spot = SpotLight { position: Vec3::ZERO, ..*spot };
                        let p = frame.to_world(local) * radius;
                        let light = Light::Spot(spot);
                        let sample = light.sample_li(&LightViewer::at(p), 0, 0.5, Vec2::splat(0.5));
                        let radiance = sample.map_or(Rgb::BLACK, |sample| {
                            light.radiance(&sample, &LightViewer::at(p), &mut context.shading)
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

/// An asymmetric picture of 5 × 4 texels.
fn slide(wrap: SlideWrap, interpolation: Interpolation) -> ProjectorTexture {
    placed_slide(wrap, interpolation, Affine2::IDENTITY)
}

fn placed_slide(
    wrap: SlideWrap,
    interpolation: Interpolation,
    picture_from_window: Affine2,
) -> ProjectorTexture {
    let texel = |i: u32| Rgb::new((i * 3 % 8) as f32, (i * 5 % 7) as f32, i as f32);
    let lookup = SlideLookup { wrap, interpolation, picture_from_window };
    ProjectorTexture::new((0..20).map(texel).collect(), 5, lookup)
}

/// Projectors, and spots with a texture.
fn projectors() -> Vec<Light> {
    let pose = Affine3A::from_rotation_translation(
        Quat::from_euler(EulerRot::XYZ, 0.4, -1.2, 0.3),
        Vec3::new(3.0, -2.0, 7.0),
    );
    let wall = Beam::Wall { radiance: Rgb::new(1.0, 2.0, 0.5) };
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
            let light =
                ProjectorLight::new(&pose, half, slide, beam).expect("the pose is not a singular one");
            Light::Projector(Box::new(light))
        })
        .collect()
}

#[test]
fn directional_areas_light_their_front() {
    let mut context = Context::new(&SceneBuilder::new().build());
    let pose = Affine3A::from_rotation_translation(
        Quat::from_euler(EulerRot::XYZ, 0.4, -1.2, 0.3),
        Vec3::new(3.0, -2.0, 7.0),
    );
    let half = Vec2::new(0.5, 2.0);
    for (mirror, outline, area) in
        [(1.0, Outline::Rectangle, 4.0), (-1.0, Outline::Rectangle, 4.0), (1.0, Outline::Disk, PI)]
    {
        let pose = pose * Affine3A::from_scale(Vec3::new(2.0 * mirror, 1.0, 3.0));
        let light = Light::DirectionalArea(DirectionalAreaLight::new(&pose, half, outline, Rgb::splat(1.5)));
        let power = 1.5 * 2.0 * area * half.x * half.y;
        assert!(
            (light.power(1.0) / power - 1.0).abs() < 1e-5,
            "{outline:?}: {}",
            light.power(1.0)
        );
        let mut seen = |x: f32, y: f32, z: f32| {
            let p = pose.transform_point3(Vec3::new(x, y, z));
            light
                .sample_li(&LightViewer::at(p), 0, 0.5, Vec2::splat(0.5))
                .map_or(0.0, |sample| {
                    assert!(sample.wi.distance(-pose.transform_vector3(Vec3::Z).normalize()) < 1e-5);
                    light.radiance(&sample, &LightViewer::at(p), &mut context.shading).g
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
            let photon = light.emit(TARGET, &primary_sample(numbers), &mut context.shading);
            let photon = photon.expect("it shines");
            assert!((photon.power.g / power - 1.0).abs() < 1e-5);
            let sample = light.sample_li(&LightViewer::at(photon.ray.at(2.0)), 0, 0.5, Vec2::splat(0.5));
            let wi = sample.expect("photons go where light is seen").wi;
            assert!(wi.distance(-photon.ray.direction) < 1e-5);
        }
    }
}

#[test]
fn photons_of_projectors_and_luminaires_match_light_samples() {
    let mut context = Context::new(&SceneBuilder::new().build());
    for (index, light) in projectors().into_iter().chain(luminaires::luminaires()).enumerate() {
        let power = f64::from(light.power(1.0));
        let photons = emitted(&light, TARGET, 100_000, &mut context);
        let allowed = 5.0 * photons.variance_of_mean().sqrt() + 5e-3 * power;
        assert!(
            (photons.mean() - power).abs() <= allowed,
            "{index}: power {power}, photons {}",
            photons.mean()
        );
        // The mean of photon power times a function of the direction equals the integral of the intensity times that
        // function, from light samples at points of a unit sphere about the light.
        let weight = |d: Vec3| f64::from((3.0 * d.x - 2.0 * d.y + 5.0 * d.z).sin());
        let mut rng = Rng::new(5);
        let (mut gone, mut seen) = (Moments::default(), Moments::default());
        let mut position = Vec3::ZERO;
        for _ in 0..200_000 {
            let numbers = (rng.next_choice(), rng.next_2d(), rng.next_2d());
            let photon = light.emit(TARGET, &primary_sample(numbers), &mut context.shading);
            gone.add(photon.map_or(0.0, |photon| {
                position = photon.ray.origin;
                f64::from(photon.power.luminance()) * weight(photon.ray.direction)
            }));
        }
        for _ in 0..1_000_000 {
            let d = rng.direction();
            let sample = light.sample_li(&LightViewer::at(position + d), 0, 0.5, Vec2::splat(0.5));
            let radiance = sample.map_or(0.0, |sample| {
                light
                    .radiance(&sample, &LightViewer::at(position + d), &mut context.shading)
                    .luminance()
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
fn power_of_infinite_lights_is_the_power_through_the_scene_bounds() {
    let mut context = Context::new(&SceneBuilder::new().build());
    let mut texels = vec![Rgb::new(0.1, 0.2, 0.3); 32 * 16];
    texels[3 * 32 + 5] = Rgb::splat(900.0);
    texels[15 * 32 + 9] = Rgb::splat(5000.0);
    texels[40] = Rgb::new(f32::NAN, f32::INFINITY, -3.0);
    let finite = texels.iter().map(|texel| if texel.is_finite() { *texel } else { Rgb::BLACK });
    let world_from_map = Mat3::from_rotation_y(0.7) * Mat3::from_rotation_x(-0.4);
    let map = |texels| {
        let options = EnvironmentOptions { world_from_map, ..EnvironmentOptions::default() };
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
    // One invalid texel affects neither the density of the others nor the power.
    let EnvironmentLight::Map(poisoned) = map(texels) else { unreachable!() };
    let light = Light::Environment(EnvironmentLight::Map(poisoned));
    assert!(light.power(1.0).is_finite() && light.power(1.0) > 0.0);
    let mut rng = Rng::new(4);
    for _ in 0..1000 {
        let (_, pdf) = light.le_pdf(&LightViewer::at(Vec3::ZERO), rng.direction());
        assert!(pdf.is_finite());
        let photon = light.emit(
            TARGET,
            &primary_sample((0.5, rng.next_2d(), rng.next_2d())),
            &mut context.shading,
        );
        assert!(photon.is_none_or(|photon| photon.power.is_finite()));
    }
}

#[test]
fn distant_disks_are_sampled_by_their_density() {
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
                .sample_li(&LightViewer::at(Vec3::ZERO), 0, 0.5, u)
                .expect("light from everywhere on the disk");
            let radiance = light.radiance(&sample, &LightViewer::at(Vec3::ZERO), &mut context.shading);
            assert!(sample.wi.angle_between(towards) <= 0.5 * angle + 1e-3);
            facing += f64::from(radiance.g / sample.pdf * sample.wi.dot(towards)) / f64::from(n);
            // Rounding may put samples just outside the rim.
            let found = light.le_pdf(&LightViewer::at(Vec3::ZERO), sample.wi);
            seen += i32::from(found == (radiance, sample.pdf));
        }
        assert!((facing / 2.0 - 1.0).abs() < 0.02, "{degrees}: irradiance {facing}");
        assert!(seen > n * 98 / 100, "{degrees}: only {seen} of {n} are seen");
        let frame = Frame::from_normal(towards);
        for (share, inside) in [(0.9, true), (1.1, false)] {
            let (sin, cos) = (0.5 * angle * share).sin_cos();
            let (_, pdf) =
                light.le_pdf(&LightViewer::at(Vec3::ZERO), frame.to_world(Vec3::new(sin, 0.0, cos)));
            assert_eq!(pdf > 0.0, inside, "{degrees} {share}");
        }
    }
    // An angle too small for `f32` directions makes a light without size.
    assert!(Light::Directional(DirectionalLight::new(-towards, irradiance, 1e-7)).is_delta());
}

#[test]
fn power_of_small_emitting_parts_of_large_shapes() {
    // Rectangles of the parameter square, by the share of each that they cover.
    for (share, found) in [(0.2, 0.05), (0.03, 0.1), (0.01, 0.5)] {
        let body = format!(
            "Ci = (abs(u - 0.41) < {0} && abs(v - 0.63) < {0}) ? 10 * emission() : 0;",
            0.5 * share
        );
        for (kind, geometry) in
            geometries().into_iter().filter(|(kind, _)| !["folded", "cube"].contains(kind))
        {
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
                    Geometry::Cone(top) => {
                        let slope = 1.0 - top;
                        turns * share * (1.0 - slope * 0.63) * (1.0 + slope * slope).sqrt()
                    }
                    Geometry::Mesh(_) | Geometry::Curves(_) | Geometry::Points(_) => 4.0 * share * share,
                };
            let (power, exact) = (f64::from(light.power(1.0)), f64::from(10.0 * PI * area));
            assert!((power / exact - 1.0).abs() < found, "{}: power {power}, not {exact}", case.name);
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
fn emission_missed_by_all_probes_is_still_a_light() {
    // A tenth of a millimetre of a metre, and an instant that no probe samples.
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
                    case.scene.light_pdf(&LightSampleContext::in_space(p), &it) > 0.0,
                    "{}: every point has density",
                    case.name
                );
            }
            let mut any = || sample_lights(&case.scene, Vec3::new(1.5, 2.0, 5.0), &mut rng);
            assert!((0..50).any(|_| any().is_some()), "{}: points are chosen", case.name);
            // Next to a bright light, the light is selected too.
            assert!(renderer::light::powers(&[light.clone(), spot(WIDE)], 1.0)[0] > 0.0);
        }
    }
}

const WIDE: Falloff = Falloff::SquaredCosine { inner: 0.5, outer: 1.0 };

#[test]
fn emission_of_nan_does_not_affect_other_lights() {
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
