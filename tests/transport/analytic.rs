//! Analytic radiance of scenes through the whole renderer: shader, lobes, lights, integrator, film.

use std::f32::consts::PI;

use glam::{Affine3A, Mat3, Quat, Vec3};
use renderer::color::Rgb;
use renderer::geometry::{Geometry, Mesh};
use renderer::integrator::PathSettings;
use renderer::light::{
    DirectionalLight, EnvironmentLight, EnvironmentMap, EnvironmentOptions, Falloff, Light, PointLight,
    SpotLight,
};
use renderer::material::Sides;
use renderer::math::INV_PI;
use renderer::scene::Scene;
use support::scenes::{Look, SceneBuilder, all_around, film, mean, mesh, spot_meter};

const DIFFUSE: &str = "Ci = diffuse(N);";
const HALF_DIFFUSE: &str = "Ci = 0.5 * diffuse(N);";
const GLOW: &str = "Ci = color(2, 1, 0.5) * emission();";
const GLOW_RADIANCE: Rgb = Rgb::new(2.0, 1.0, 0.5);
/// The mean over u equals [`GLOW`].
const UNEVEN_GLOW: &str = "Ci = color(2, 1, 0.5) * (0.5 + u) * emission();";

/// Asserts that `found` equals `expected` within a relative tolerance and five standard errors.
#[track_caller]
fn check(name: &str, (found, error): (Rgb, f32), expected: Rgb, tolerance: f32) {
    for (found, expected) in found.to_array().into_iter().zip(expected.to_array()) {
        let allowed = tolerance * expected.abs() + 5.0 * error;
        assert!(
            (found - expected).abs() <= allowed,
            "{name}: {found} is not {expected} ± {allowed}"
        );
        assert!(
            error <= 0.02 * (expected.abs() + 1e-3) || error <= 0.01,
            "{name}: too noisy, ±{error}"
        );
    }
}

/// A floor of albedo 0.5 about the origin, facing +y.
fn floor(scene: &mut SceneBuilder) {
    let material = scene.material(HALF_DIFFUSE);
    scene.shape(mesh(Mesh::plane(200.0)), Affine3A::IDENTITY, material);
}

/// Checks the irradiance at the origin of a [`floor`].
#[track_caller]
fn check_irradiance(name: &str, scene: SceneBuilder, expected: Rgb, tolerance: f32) {
    let camera = spot_meter(Vec3::new(3.0, 0.2, 1.0), Vec3::ZERO, 1e-4);
    let direct = PathSettings { depth: Some(2), ..PathSettings::default() };
    let look = Look { spp: 256, path: direct, ..Look::default() };
    check(name, mean(&scene.build(), &camera, look), expected * (0.5 * INV_PI), tolerance);
}

pub(crate) fn facing_down(height: f32) -> Affine3A {
    Affine3A::from_translation(Vec3::Y * height) * Affine3A::from_rotation_x(PI / 2.0)
}

fn ball(radius: f32, center: Vec3) -> Affine3A {
    Affine3A::from_scale_rotation_translation(Vec3::splat(radius), Quat::IDENTITY, center)
}

/// A closed sphere of triangles.
fn ball_mesh() -> Mesh {
    let (rows, columns) = (12u32, 24u32);
    let mut positions = vec![Vec3::Y];
    for row in 1..rows {
        let (sin_theta, cos_theta) = (PI * row as f32 / rows as f32).sin_cos();
        for column in 0..columns {
            let (sin_phi, cos_phi) = (2.0 * PI * column as f32 / columns as f32).sin_cos();
            positions.push(Vec3::new(sin_theta * cos_phi, cos_theta, -sin_theta * sin_phi));
        }
    }
    positions.push(Vec3::NEG_Y);
    let at = |row: u32, column: u32| match row {
        0 => 0,
        row if row == rows => (rows - 1) * columns + 1,
        row => 1 + (row - 1) * columns + column % columns,
    };
    let mut triangles = vec![];
    for row in 0..rows {
        for column in 0..columns {
            let [a, b, c, d] =
                [at(row, column), at(row + 1, column), at(row + 1, column + 1), at(row, column + 1)];
            if row + 1 < rows {
                triangles.push([a, b, c]);
            }
            if row > 0 {
                triangles.push([a, c, d]);
            }
        }
    }
    Mesh::new(positions, triangles).expect("the mesh is valid")
}

// ---- Closed furnaces: in a closed surface of albedo a that emits 1 − a, all radiance is 1.

#[test]
fn closed_furnace() {
    let roulette = PathSettings::default();
    let none = PathSettings {
        rr_depth: u32::MAX,
        depth: Some(24),
        ..PathSettings::default()
    };
    for (name, geometry) in
        [("sphere", Geometry::Sphere), ("mesh", mesh(ball_mesh())), ("cube", mesh(Mesh::cube()))]
    {
        for (kind, path) in [("with roulette", roulette), ("without", none)] {
            let mut scene = SceneBuilder::new();
            let material = scene.material("Ci = 0.5 * diffuse(N) + 0.5 * emission();");
            scene.shape(geometry.clone(), Affine3A::IDENTITY, material).flip_normals = true;
            let look = Look { size: [16, 8], path, ..Look::default() };
            let found = mean(&scene.build(), &all_around(Vec3::new(0.3, -0.2, 0.4)), look);
            check(&format!("{name} {kind}"), found, Rgb::WHITE, 1e-3);
        }
    }
}

// ---- Convex objects in a constant environment: lossless objects have the radiance of the environment.

fn in_constant_environment(body: &str, geometry: Geometry) -> Scene {
    let mut scene = SceneBuilder::new();
    let material = scene.material(body);
    scene.shape(geometry, Affine3A::IDENTITY, material);
    scene.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    scene.build()
}

#[test]
fn lossless_bodies_vanish_in_a_constant_environment() {
    let camera = spot_meter(Vec3::new(2.0, 3.0, 4.0), Vec3::ZERO, 2.5);
    for (body, tolerance) in [
        (DIFFUSE, 1e-3),
        ("Ci = reflection(N);", 1e-5),
        ("Ci = dielectric_bsdf(N, 0, 1, 1, 0, 0, 1.5, \"ggx\");", 1e-4),
        (
            "float eta = backfacing() ? 1 / 1.5 : 1.5; Ci = microfacet(\"ggx\", N, 0.0, eta, 2);",
            1e-4,
        ),
        // A single scattering per interface loses a little, and more for internal reflections.
        ("Ci = dielectric_bsdf(N, 0, 1, 1, 0.1, 0.1, 1.5, \"ggx\");", 0.1),
        ("Ci = 0.5 * transparent() + 0.5 * diffuse(N);", 1e-3),
        ("Ci = coat(diffuse(N), N, 0.0, 1.5);", 1e-3),
        (
            "Ci = layer(dielectric_bsdf(N, 0, 1, 0, 0.3, 0.3, 1.5, \"ggx\"), diffuse(N));",
            2e-2,
        ),
        ("for (int i = 0; i < 1000; ++i) Ci = 0.001 * diffuse(N) + Ci;", 2e-3),
        ("for (int i = 0; i < 1000; ++i) Ci = Ci + 0.001 * diffuse(N);", 2e-3),
    ] {
        for (name, geometry) in [("sphere", Geometry::Sphere), ("cube", mesh(Mesh::cube()))] {
            let scene = in_constant_environment(body, geometry);
            let look = Look { size: [12, 12], spp: 128, ..Look::default() };
            check(&format!("{name}: {body}"), mean(&scene, &camera, look), Rgb::WHITE, tolerance);
        }
    }
}

#[test]
fn grey_objects_reflect_their_albedo() {
    let scene = in_constant_environment(HALF_DIFFUSE, Geometry::Sphere);
    let camera = spot_meter(Vec3::new(2.0, 3.0, 4.0), Vec3::ZERO, 1.0);
    check("half", mean(&scene, &camera, Look::default()), Rgb::splat(0.5), 1e-3);
}

#[test]
fn excess_lobes_are_selected_without_bias() {
    // Twenty different lobes, of which eight are stored.
    let body = "for (int i = 0; i < 20; ++i) Ci = Ci + 0.05 * oren_nayar(N, 0.001 * i);";
    let scene = in_constant_environment(body, Geometry::Sphere);
    let camera = spot_meter(Vec3::new(2.0, 3.0, 4.0), Vec3::ZERO, 1.0);
    check("twenty", mean(&scene, &camera, Look::default()), Rgb::WHITE, 2e-3);
}

#[test]
fn glass_of_index_one_transmits_all_light() {
    let glass = "dielectric_bsdf(N, 0, 1, 1, 0, 0, 1, \"ggx\")";
    // Light samples pass only the hole; scattered paths also find light through the glass next to it.
    for body in [format!("Ci = {glass};"), format!("Ci = 0.5 * transparent() + 0.5 * {glass};")] {
        let mut scene = SceneBuilder::new();
        floor(&mut scene);
        let pane = scene.material(&body);
        scene.shape(mesh(Mesh::plane(200.0)), Affine3A::from_translation(Vec3::Y), pane);
        scene.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
        let camera = spot_meter(Vec3::Y * 0.5, Vec3::ZERO, 0.1);
        let look = Look { spp: 256, ..Look::default() };
        check(&body, mean(&scene.build(), &camera, look), Rgb::splat(0.5), 1e-3);
    }
}

#[test]
fn transparent_parts_of_one_sided_surfaces_are_open_from_both_sides() {
    for (body, passes) in
        [("Ci = transparent();", 1.0), ("Ci = 0.25 * transparent() + 0.75 * diffuse(N);", 0.25)]
    {
        let mut scene = SceneBuilder::new();
        floor(&mut scene);
        let one_sided = Sides { one_sided: true, ..Sides::default() };
        let veil = scene.material_with(body, one_sided);
        scene.shape(Geometry::Sphere, ball(3.0, Vec3::ZERO), veil);
        // A light that only shadow rays find, and one that paths also find.
        scene.light(Light::Point(PointLight { position: Vec3::Y * 5.0, intensity: Rgb::WHITE }));
        scene.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
        let camera = spot_meter(Vec3::Y * 0.5, Vec3::ZERO, 0.1);
        let look = Look { spp: 256, ..Look::default() };
        let expected = 0.5 * passes * (1.0 + INV_PI / 25.0);
        check(body, mean(&scene.build(), &camera, look), Rgb::splat(expected), 1e-3);
    }
}

#[test]
fn surface_area_is_available_to_shaders() {
    let lamp = "Ci = 5 / (M_PI * surfacearea()) * emission();";
    let mut scene = SceneBuilder::new();
    let material = scene.material(lamp);
    let quad = mesh(Mesh::plane(2.0));
    let scaled = Affine3A::from_scale;
    let up = Vec3::Y * 10.0;
    let side = Vec3::X * 10.0;
    // Instances of a mesh, each with an area of its own, and one shape of each other kind.
    let shapes = [
        (quad.clone(), scaled(Vec3::new(3.0, 1.0, 1.0)), 12.0, up),
        (quad, scaled(Vec3::splat(0.1)), 0.04, up),
        (Geometry::Sphere, scaled(Vec3::splat(2.0)), 16.0 * PI, up),
        (Geometry::Disk, scaled(Vec3::splat(0.5)), 0.25 * PI, Vec3::Z * 10.0),
        (Geometry::Cylinder, scaled(Vec3::new(1.0, 1.0, 3.0)), 6.0 * PI, side),
    ];
    let places = (0..shapes.len()).map(|i| Vec3::Z * (100.0 * i as f32));
    for ((geometry, transform, ..), place) in shapes.iter().zip(places.clone()) {
        let placed = Affine3A::from_translation(place) * *transform;
        scene.shape(geometry.clone(), placed, material);
    }
    let scene = scene.build();
    for ((geometry, _, area, away), place) in shapes.iter().zip(places) {
        let camera = spot_meter(place + *away + Vec3::Z * 0.01, place + Vec3::Z * 0.01, 1e-3);
        let look = Look { spp: 4, ..Look::default() };
        let expected = Rgb::splat(5.0 / (PI * area));
        check(&format!("{geometry:?}")[..4], mean(&scene, &camera, look), expected, 1e-3);
    }
}

// ---- Irradiance of single lights.

#[test]
fn point_light() {
    let mut scene = SceneBuilder::new();
    floor(&mut scene);
    let (position, intensity) = (Vec3::new(1.0, 2.0, -0.5), Rgb::new(4.0, 6.0, 9.0));
    scene.light(Light::Point(PointLight { position, intensity }));
    let d2 = position.length_squared();
    check_irradiance("point", scene, intensity * (position.y / d2.sqrt() / d2), 1e-3);
}

#[test]
fn spot_light() {
    let intensity = Rgb::new(30.0, 20.0, 12.0);
    let linear = Falloff::LinearAngle { beam: 0.2, cutoff: 0.4 };
    let squared = Falloff::SquaredCosine { inner: 0.2, outer: 0.4 };
    let position = Vec3::Y * 3.0;
    for (falloff, tilt, share) in [
        (linear, 0.1, 1.0),
        (linear, 0.3, 0.5),
        (linear, 0.35, 0.25),
        (linear, 0.5, 0.0),
        (squared, 0.1, 1.0),
        (
            squared,
            0.3,
            ((0.3f32.cos() - 0.4f32.cos()) / (0.2f32.cos() - 0.4f32.cos())).powi(2),
        ),
        (squared, 0.5, 0.0),
    ] {
        let mut scene = SceneBuilder::new();
        floor(&mut scene);
        let axis = Quat::from_rotation_z(tilt) * Vec3::NEG_Y;
        scene.light(Light::Spot(SpotLight { position, axis, intensity, falloff }));
        check_irradiance(&format!("{falloff:?} at {tilt}"), scene, intensity * (share / 9.0), 2e-3);
    }
}

#[test]
fn directional_light() {
    // A disk of the sky entirely above the horizon has the irradiance of parallel light.
    for degrees in [0.0f32, 0.53, 60.0] {
        let mut scene = SceneBuilder::new();
        floor(&mut scene);
        let direction = Vec3::new(0.3, -1.0, -0.6).normalize();
        let irradiance = Rgb::new(0.4, 0.5, 0.35);
        scene.light(Light::Directional(DirectionalLight::new(
            direction,
            irradiance,
            degrees.to_radians(),
        )));
        check_irradiance(
            &format!("directional, {degrees} degrees"),
            scene,
            irradiance * -direction.y,
            if degrees < 1.0 { 1e-3 } else { 5e-3 },
        );
    }
}

/// The form factor of a rectangle to a small parallel patch below its corner.
// Howell, Mengüç & Siegel 2015, "Thermal Radiation Heat Transfer", configuration B-3.
fn corner_form_factor(a: f32, b: f32) -> f32 {
    let part = |a: f32, b: f32| a / (1.0 + a * a).sqrt() * (b / (1.0 + a * a).sqrt()).atan();
    (part(a, b) + part(b, a)) / (2.0 * PI)
}

#[test]
fn rectangle_light() {
    let (height, half) = (1.5, 0.75);
    let expected = GLOW_RADIANCE * (4.0 * PI * corner_form_factor(half / height, half / height));
    for (body, sides) in [
        (GLOW, Sides::default()),
        (UNEVEN_GLOW, Sides::default()),
        (GLOW, Sides { two_sided_emission: true, ..Sides::default() }),
    ] {
        let mut scene = SceneBuilder::new();
        floor(&mut scene);
        let material = scene.material_with(body, sides);
        let scale = Affine3A::from_scale(Vec3::new(half, half, 1.0));
        scene.shape(mesh(Mesh::rectangle()), facing_down(height) * scale, material);
        check_irradiance(body, scene, expected, 2e-3);
    }
}

#[test]
fn a_rectangle_light_is_dark_behind() {
    for (two_sided_emission, share) in [(false, 0.0), (true, 1.0)] {
        let mut scene = SceneBuilder::new();
        floor(&mut scene);
        let material = scene.material_with(GLOW, Sides { two_sided_emission, ..Sides::default() });
        let facing_up = facing_down(1.5) * Affine3A::from_rotation_x(PI);
        scene.shape(mesh(Mesh::rectangle()), facing_up, material);
        let expected = GLOW_RADIANCE * (4.0 * PI * share * corner_form_factor(1.0 / 1.5, 1.0 / 1.5));
        check_irradiance("from behind", scene, expected, 2e-3);
    }
}

#[test]
fn disk_light() {
    let (height, radius) = (1.5, 0.6);
    for body in [GLOW, UNEVEN_GLOW] {
        let mut scene = SceneBuilder::new();
        floor(&mut scene);
        let material = scene.material(body);
        let scale = Affine3A::from_scale(Vec3::new(radius, radius, 1.0));
        scene.shape(Geometry::Disk, facing_down(height) * scale, material);
        // u is the radius: the relative flux is the integral of (0.5 + u) times the kernel of the form factor.
        let (r2, h2) = (radius * radius, height * height);
        let factor = if body == GLOW {
            r2 / (r2 + h2)
        } else {
            uneven_disk_factor(radius, height)
        };
        check_irradiance(body, scene, GLOW_RADIANCE * (PI * factor), 2e-3);
    }
}

/// ∫ (0.5 + u)·2 r h² / (r² + h²)² dr over a disk, u = r / radius, by the midpoint rule.
fn uneven_disk_factor(radius: f32, height: f32) -> f32 {
    let n = 10_000;
    let sum: f64 = (0..n)
        .map(|i| {
            let u = (f64::from(i) + 0.5) / f64::from(n);
            let (r, h) = (u * f64::from(radius), f64::from(height));
            (0.5 + u) * 2.0 * r * h * h / (r * r + h * h).powi(2)
        })
        .sum();
    (sum * f64::from(radius) / f64::from(n)) as f32
}

#[test]
fn sphere_light() {
    for (center, radius) in [
        (Vec3::new(0.0, 2.0, 0.0), 0.5),
        (Vec3::new(1.0, 2.0, -0.5), 1.2),
        (Vec3::new(0.0, 1.05, 0.0), 1.0),
        (Vec3::new(300.0, 1000.0, 0.0), 0.1),
        (Vec3::new(0.0, 20.0, 0.0), 1e-3),
    ] {
        let mut scene = SceneBuilder::new();
        floor(&mut scene);
        let material = scene.material(GLOW);
        scene.shape(Geometry::Sphere, ball(radius, center), material);
        // A sphere above the horizon is equivalent to a point light of its intensity.
        let d2 = center.length_squared();
        let expected = GLOW_RADIANCE * (PI * radius * radius / d2 * center.y / d2.sqrt());
        check_irradiance(&format!("{radius} at {center}"), scene, expected, 4e-3);
    }
}

#[test]
fn stretched_sphere_light() {
    // By reciprocity of form factors, a huge floor receives half of the power of an object above it; a flat ellipsoid
    // near the floor is equivalent to its silhouette, a disk.
    let mut scene = SceneBuilder::new();
    floor(&mut scene);
    let material = scene.material(GLOW);
    let flat = Affine3A::from_scale(Vec3::new(0.6, 1e-3, 0.6));
    scene.shape(Geometry::Sphere, Affine3A::from_translation(Vec3::Y * 1.5) * flat, material);
    let expected = GLOW_RADIANCE * (PI * 0.36 / (0.36 + 2.25));
    check_irradiance("ellipsoid", scene, expected, 5e-3);
}

#[test]
fn cylinder_light() {
    // A long tube of radius r with its axis at height h is equivalent to a strip: E = π L r / h for infinite length.
    let (height, radius, length) = (1.0, 0.05, 400.0);
    let mut scene = SceneBuilder::new();
    floor(&mut scene);
    let material = scene.material(GLOW);
    let along_x =
        Affine3A::from_rotation_y(PI / 2.0) * Affine3A::from_scale(Vec3::new(radius, radius, length));
    let centered = Affine3A::from_translation(Vec3::new(-0.5 * length, height, 0.0)) * along_x;
    scene.shape(Geometry::Cylinder, centered, material);
    check_irradiance("tube", scene, GLOW_RADIANCE * (PI * radius / height), 5e-3);
}

#[test]
fn sphere_mesh_light_is_one_light() {
    let mut scene = SceneBuilder::new();
    floor(&mut scene);
    let material = scene.material(GLOW);
    scene.shape(mesh(ball_mesh()), ball(0.5, Vec3::Y * 2.0), material);
    let scene_mesh = scene.build();
    assert_eq!(scene_mesh.lights().len(), 1);
    let camera = spot_meter(Vec3::new(0.3, 0.4, 0.1), Vec3::ZERO, 1e-4);
    let direct = PathSettings { depth: Some(2), ..PathSettings::default() };
    let look = Look { spp: 512, path: direct, ..Look::default() };
    let expected = GLOW_RADIANCE * (0.5 * 0.25 / 4.0);
    // The mesh is slightly smaller than the sphere.
    check("mesh", mean(&scene_mesh, &camera, look), expected, 0.03);
}

// ---- Environments.

/// A sky with a small sun.
fn sun_and_sky(options: EnvironmentOptions) -> EnvironmentLight {
    let (width, height) = (128, 64);
    let texels = (0..width * height).map(|i| {
        let (column, row) = (i % width / 4, i / width / 4);
        if (column, row) == (10, 3) {
            Rgb::new(120.0, 105.0, 80.0)
        } else {
            Rgb::new(0.2, 0.3, 0.05 * row as f32)
        }
    });
    EnvironmentLight::Map(EnvironmentMap::new(texels.collect(), width, options))
}

#[test]
fn environment_map_with_a_sun() {
    let rotation = Mat3::from_rotation_y(2.0) * Mat3::from_rotation_x(0.3);
    let options = EnvironmentOptions {
        world_from_map: rotation,
        scale: Rgb::splat(2.0),
        ..EnvironmentOptions::default()
    };
    let environment = sun_and_sky(options);
    // The irradiance by quadrature over directions of equal solid angle.
    let (rows, columns) = (600, 2400);
    let mut expected = [0.0f64; 3];
    for row in 0..rows {
        let cos = (row as f32 + 0.5) / rows as f32;
        let sin = (1.0 - cos * cos).sqrt();
        for column in 0..columns {
            let (sin_phi, cos_phi) = (2.0 * PI * (column as f32 + 0.5) / columns as f32).sin_cos();
            let radiance = environment.le_pdf(Vec3::new(sin * cos_phi, cos, sin * sin_phi)).0.to_array();
            expected
                .iter_mut()
                .zip(radiance)
                .for_each(|(sum, l)| *sum += f64::from(l * cos));
        }
    }
    let expected = expected.map(|sum| (sum * 2.0 * std::f64::consts::PI / f64::from(rows * columns)) as f32);
    let mut scene = SceneBuilder::new();
    floor(&mut scene);
    scene.light(Light::Environment(environment));
    check_irradiance("sun and sky", scene, Rgb::from(expected), 5e-3);
}

#[test]
fn several_lights_add_up() {
    let mut scene = SceneBuilder::new();
    floor(&mut scene);
    scene.light(Light::Environment(EnvironmentLight::Constant(Rgb::splat(0.2))));
    scene.light(Light::Point(PointLight { position: Vec3::Y * 2.0, intensity: Rgb::WHITE }));
    let material = scene.material(GLOW);
    // The ball occludes the part of the environment behind it, and not the point light.
    scene.shape(Geometry::Sphere, ball(0.3, Vec3::new(1.0, 1.0, 0.0)), material);
    let d2: f32 = 2.0;
    let sphere_share = 0.09 / d2 * (1.0 / d2.sqrt());
    let expected =
        GLOW_RADIANCE * (PI * sphere_share) + Rgb::splat(0.25) + Rgb::splat(0.2 * PI * (1.0 - sphere_share));
    check_irradiance("all", scene, expected, 4e-3);
}

// ---- Undeviated transmission.

#[test]
fn transparent_sheets_tint_light() {
    let tint = Rgb::new(0.5, 0.25, 1.0);
    let sheet = |scene: &mut SceneBuilder, height: f32| {
        let material = scene.material("Ci = color(0.5, 0.25, 1) * transparent();");
        scene.shape(mesh(Mesh::plane(10.0)), Affine3A::from_translation(Vec3::Y * height), material);
    };
    // A light that only light samples find.
    let mut scene = SceneBuilder::new();
    floor(&mut scene);
    scene.light(Light::Point(PointLight { position: Vec3::Y * 2.0, intensity: Rgb::WHITE }));
    sheet(&mut scene, 1.0);
    sheet(&mut scene, 1.5);
    check_irradiance("point", scene, tint * tint * 0.25, 1e-3);
    // A light that paths also find.
    let mut scene = SceneBuilder::new();
    floor(&mut scene);
    let material = scene.material(GLOW);
    scene.shape(Geometry::Sphere, ball(0.5, Vec3::Y * 2.0), material);
    sheet(&mut scene, 1.0);
    sheet(&mut scene, 0.5);
    check_irradiance("sphere", scene, GLOW_RADIANCE * tint * tint * (PI * 0.0625), 2e-3);
}

// ---- Depth and determinism.

#[test]
fn depth_counts_segments_from_the_camera() {
    // A floor of albedo 0.5 under a dome that emits 1 and reflects nothing.
    for (depth, from_floor) in [(1, 0.0), (2, 0.5), (3, 0.5)] {
        let mut scene = SceneBuilder::new();
        floor(&mut scene);
        scene.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
        let path = PathSettings { depth: Some(depth), ..PathSettings::default() };
        let scene = scene.build();
        let look = Look { path, ..Look::default() };
        let down = spot_meter(Vec3::Y, Vec3::ZERO, 0.1);
        check(
            &format!("depth {depth}"),
            mean(&scene, &down, look),
            Rgb::splat(from_floor),
            1e-3,
        );
        let up = spot_meter(Vec3::Y, Vec3::Y * 2.0, 0.1);
        check(&format!("sky, depth {depth}"), mean(&scene, &up, look), Rgb::WHITE, 1e-6);
    }
}

/// A scene with many features.
fn mixed_scene() -> Scene {
    let mut scene = SceneBuilder::new();
    floor(&mut scene);
    let (glow, glass) = (
        scene.material(UNEVEN_GLOW),
        scene.material("Ci = dielectric_bsdf(N, 0, 1, 1, 0.1, 0.1, 1.5, \"ggx\");"),
    );
    scene.shape(mesh(Mesh::rectangle()), facing_down(3.0), glow);
    scene.shape(Geometry::Sphere, ball(0.5, Vec3::new(-0.6, 0.5, 0.0)), glass);
    let veil = scene.material("Ci = 0.5 * transparent() + 0.5 * diffuse(N);");
    scene.shape(mesh(Mesh::cube()), ball(0.4, Vec3::new(0.6, 0.41, 0.0)), veil);
    scene.light(Light::Environment(sun_and_sky(EnvironmentOptions::default())));
    scene.build()
}

#[test]
fn pictures_do_not_depend_on_threads() {
    let scene = mixed_scene();
    let camera = spot_meter(Vec3::new(0.0, 1.0, 4.0), Vec3::new(0.0, 0.5, 0.0), 3.0);
    let look = Look { size: [50, 37], spp: 9, ..Look::default() };
    let one = film(&scene, &camera, Look { threads: 1, ..look });
    for threads in [2, 3] {
        assert!(
            film(&scene, &camera, Look { threads, ..look }) == one,
            "{threads} threads differ"
        );
    }
    assert!(film(&mixed_scene(), &camera, look) == one, "another build differs");
    assert!(film(&scene, &camera, Look { seed: 2, ..look }) != one, "the seed does nothing");
}

#[test]
fn sample_ranges_merge_to_a_single_run() {
    let scene = mixed_scene();
    let camera = spot_meter(Vec3::new(0.0, 1.0, 4.0), Vec3::new(0.0, 0.5, 0.0), 3.0);
    let look = Look { size: [20, 15], spp: 10, ..Look::default() };
    let whole = film(&scene, &camera, look);
    let mut merged = film(&scene, &camera, Look { first: 3, spp: 7, ..look });
    merged.merge_film(&film(&scene, &camera, Look { spp: 3, ..look }));
    assert!(merged == whole);
}
