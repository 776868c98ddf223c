//! `trace` and `getmessage("trace", …)` in shaders, against scenes with known hits.

use std::f32::consts::PI;
use std::path::Path;
use std::sync::Arc;

use crate::analytic::facing_down;
use glam::{Affine3A, Vec3};
use renderer::color::Rgb;
use renderer::geometry::{Geometry, Mesh};
use renderer::integrator::PathSettings;
use renderer::light::{DirectionalLight, Light, PointLight};
use renderer::material::{closure_registry, library};
use renderer::scene::Scene;
use renderer::scene::build::build;
use renderer::scene::load::LoadOptions;
use shading::builtins::Builtin;
use shading::hir::Const;
use shading::interp::{self, RunOptions};
use shading::opt::OptLevel;
use shading::{InstanceOptions, ShaderGlobals, ShadingSystem, Source};
use support::compiled;
use support::scenes::{Look, SceneBuilder, film, mean, mesh, probed_floor, spot_meter, white_share};

/// Scatters by the unoccluded share of the hemisphere, from 64×64 cosine-distributed rays.
const OPEN: &str = "
    vector x = normalize(dPdu), y = cross(N, x);
    int hits = 0, rays = 64;
    for (int i = 0; i < rays; ++i)
        for (int j = 0; j < rays; ++j) {
            float r = sqrt((i + 0.5) / rays), a = (j + 0.5) / rays * M_2PI;
            hits += trace(P, r * cos(a) * x + r * sin(a) * y + sqrt(1 - r * r) * N OPTIONS);
        }
    Ci = (1 - hits / float(rays * rays)) * diffuse(N);";

/// [`OPEN`] with options of `trace`.
fn open(options: &str) -> String {
    OPEN.replace(" OPTIONS", options)
}

/// A floor that shows its unoccluded share, with those options.
fn floor(options: &str) -> SceneBuilder {
    floor_of(&open(options))
}

fn floor_of(body: &str) -> SceneBuilder {
    let mut scene = SceneBuilder::new();
    let material = scene.material(body);
    scene.shape(mesh(Mesh::plane(20.0)), Affine3A::IDENTITY, material);
    scene.name("floor");
    scene
}

/// Light along a ray from `from` to the origin, scattered once.
fn lit_from(scene: &mut SceneBuilder, from: Vec3) -> Look {
    let irradiance = Rgb::WHITE * PI;
    scene.light(Light::Directional(DirectionalLight::new(-from, irradiance, 0.0)));
    Look {
        size: [1, 1],
        spp: 1,
        path: PathSettings { depth: Some(2), ..PathSettings::default() },
        ..Look::default()
    }
}

/// Measured unoccluded share at the middle of the floor.
fn middle(mut scene: SceneBuilder) -> f32 {
    let from = Vec3::new(3.0, 0.3, 1.0);
    let look = lit_from(&mut scene, from.normalize());
    let camera = spot_meter(from, Vec3::ZERO, 1e-4);
    mean(&scene.build(), &camera, look).0.to_array()[0] / from.normalize().y
}

#[track_caller]
fn check(found: f32, expected: f32) {
    assert!((found - expected).abs() < 2e-3, "{found} is not {expected}");
}

#[test]
fn occlusion_by_a_disk_matches_its_form_factor() {
    let under_disk = |options: &str| {
        let mut scene = floor(options);
        let material = scene.material("Ci = diffuse(N);");
        scene.shape(Geometry::Disk, facing_down(0.75), material);
        scene.name("cloud.first");
        middle(scene)
    };
    // A disk of radius r at height h covers r² / (r² + h²) of the cosine-weighted hemisphere.
    let shut = 1.0 / (1.0 + 0.75 * 0.75);
    check(under_disk(""), 1.0 - shut);
    // With only hits within 1 m, the disk has a radius of √(1 − h²).
    let near = (1.0 - 0.75 * 0.75) / 1.0;
    check(under_disk(", \"maxdist\", 1.0"), 1.0 - near);
    check(under_disk(", \"mindist\", 1"), 1.0 - (shut - near));
    check(under_disk(", \"maxdist\", 0.74, \"shade\", 1"), 1.0);
    check(under_disk(", \"traceset\", \"cloud\""), 1.0 - shut);
    check(under_disk(", \"traceset\", \"-floor\""), 1.0 - shut);
    check(under_disk(", \"traceset\", \"-cloud\""), 1.0);
    check(under_disk(", \"traceset\", \"floor\""), 1.0);
}

#[test]
fn occlusion_by_a_wall_matches_its_form_factor() {
    let (height, away) = (1.5_f32, 0.5_f32);
    let mut scene = floor("");
    let material = scene.material("Ci = diffuse(N);");
    let wall = Affine3A::from_translation(Vec3::new(0.0, 0.0, -away))
        * Affine3A::from_scale(Vec3::new(1e4, height, 1.0));
    // Half of the wall is below the floor.
    scene.shape(mesh(Mesh::rectangle()), wall, material);
    check(middle(scene), 1.0 - 0.5 * (1.0 - away / away.hypot(height)));
}

#[test]
fn a_surface_does_not_occlude_itself() {
    let away = Vec3::X * 1000.0;
    let from = Vec3::new(3.0, 2.0, 4.0);
    let camera = spot_meter(away + from, away, 1.0);
    for geometry in [Geometry::Sphere, mesh(Mesh::cube())] {
        let film_of = |body: &str| {
            let mut scene = SceneBuilder::new();
            let material = scene.material(body);
            scene.shape(geometry.clone(), Affine3A::from_translation(away), material);
            let look = lit_from(&mut scene, from.normalize());
            film(&scene.build(), &camera, Look { size: [8, 8], spp: 2, ..look })
        };
        assert!(film_of(&open("")) == film_of("Ci = diffuse(N);"));
    }
}

/// A blind transmits light where its traced ray hits the marker above it.
#[test]
fn shaders_of_shadow_rays_can_trace() {
    let mut scene = SceneBuilder::new();
    let white = scene.material("Ci = diffuse(N);");
    let blind = scene.material(
        "if (trace(P, vector(0, 1, 0), \"traceset\", \"marker\"))
            Ci = transparent();
        else
            Ci = diffuse(N);",
    );
    scene.shape(mesh(Mesh::plane(20.0)), Affine3A::IDENTITY, white);
    scene.shape(mesh(Mesh::plane(20.0)), Affine3A::from_translation(Vec3::Y), blind);
    scene.shape(Geometry::Disk, facing_down(3.0), white);
    scene.name("marker");
    scene.light(Light::Point(PointLight { position: Vec3::Y * 2.0, intensity: Rgb::WHITE }));
    let scene = scene.build();
    let at = |x: f32| {
        let to = Vec3::new(x, 0.0, 0.0);
        let camera = spot_meter(to + Vec3::new(0.0, 0.5, 0.5), to, 1e-3);
        let path = PathSettings { depth: Some(2), ..PathSettings::default() };
        let look = Look { path, ..Look::default() };
        mean(&scene, &camera, look).0.to_array()[0]
    };
    // The lit spot has twice the radius of the marker.
    let lit = |x: f32| (2.0 / x.hypot(2.0)).powi(3) / 4.0 / PI;
    for x in [0.0, 1.8] {
        assert!(at(x) > 0.99 * lit(x), "{} at {x}", at(x));
    }
    assert_eq!(at(2.2), 0.0);
}

#[test]
fn pictures_do_not_depend_on_threads() {
    let few = |options: &str| open(options).replace("rays = 64", "rays = 16");
    let mut scene = floor_of(&few(", \"maxdist\", 0.5 + noise(P)"));
    let material = scene.material(&few(""));
    scene.shape(Geometry::Sphere, Affine3A::from_translation(Vec3::Y), material);
    lit_from(&mut scene, Vec3::Y);
    let scene = scene.build();
    let camera = spot_meter(Vec3::new(2.0, 3.0, 4.0), Vec3::ZERO, 5.0);
    // Every shading point traces hundreds of rays.
    let path = PathSettings {
        depth: Some(2),
        split: Some(1),
        light_samples: Some(1),
        guide: Some(false),
        ..PathSettings::default()
    };
    let look = Look { size: [14, 14], spp: 2, path, ..Look::default() };
    let one = film(&scene, &camera, Look { threads: 1, ..look });
    for threads in [2, 3] {
        assert!(film(&scene, &camera, Look { threads, ..look }) == one);
    }
}

// ---- Hits.

/// A box at 1 m and a disk at 3 m above the origin.
fn stacked() -> Scene {
    let mut scene = SceneBuilder::new();
    let material = scene.material("Ci = trace(P, N) * diffuse(N);");
    let place = Affine3A::from_translation(Vec3::Y * 2.0);
    scene.shape(mesh(Mesh::cube()), place, material);
    scene.name("box");
    scene.shape(Geometry::Disk, facing_down(3.5), material);
    scene.name("disk");
    scene.build()
}

/// The outputs of a shader with this body at the origin, equal for interpreter and machine code.
fn run(scene: &Scene, outputs: &str, body: &str) -> Vec<Const> {
    let system = ShadingSystem::new(closure_registry(), scene.host().clone());
    let text = format!("shader probe({outputs}) {{ {body} }}");
    let loaded = system
        .load(Source::new("probe.osl", text))
        .unwrap_or_else(|errors| panic!("{errors}"));
    let template = &loaded.templates[0];
    let globals = ShaderGlobals {
        n: [0.0, 1.0, 0.0].into(),
        ng: [0.0, 1.0, 0.0].into(),
        ..ShaderGlobals::default()
    };
    let mut values = vec![];
    for optimize in [OptLevel::None, OptLevel::Exact, OptLevel::Full] {
        let options = InstanceOptions { optimize, packets: true, ..InstanceOptions::default() };
        let (unit, _, _) = system.optimized(template, &options).expect("it compiles");
        let instance = system.instantiate(template.clone(), &options).expect("it compiles");
        let mut context = system.context();
        // Each run starts without traced hits.
        for _ in 0..2 {
            instance.run(&globals, &mut context).unwrap();
            let host = &**scene.host();
            let options = RunOptions { host, ..RunOptions::new(&globals) };
            let expected = interp::run(&unit, &options);
            let difference = compiled::difference(&instance, &mut context, system.closures(), &expected);
            assert_eq!(difference, None, "{optimize:?}");
        }
        values = (0..instance.outputs().len())
            .map(|i| instance.output(i, &context).unwrap())
            .collect();
    }
    values
}

fn ints<const N: usize>(list: [i32; N]) -> Vec<Const> {
    list.map(Const::Int).to_vec()
}

fn string(text: &str) -> Const {
    Const::String(Arc::from(text))
}

/// An output of a shipped unit at the origin, which faces up and is seen from above or from below.
fn of_unit(scene: &Scene, call: &str, output: &str, backfacing: bool) -> f32 {
    let system = ShadingSystem::new(closure_registry(), scene.host().clone()).with_library(library::LIBRARY);
    let text = format!("group probe(output float result) {{ {call}; result = it.{output}; }}");
    let loaded = system.load(Source::new("probe.ksl", text));
    let loaded = loaded.unwrap_or_else(|errors| panic!("{errors}"));
    let instance = system.instantiate(loaded.templates[0].clone(), &InstanceOptions::default());
    let instance = instance.unwrap_or_else(|errors| panic!("{errors}"));
    let globals = ShaderGlobals {
        n: [0.0, 1.0, 0.0].into(),
        ng: [0.0, 1.0, 0.0].into(),
        p_error: 1e-5,
        backfacing: i32::from(backfacing),
        ..ShaderGlobals::default()
    };
    let mut context = system.context();
    instance.run(&globals, &mut context).unwrap();
    match instance.output(0, &context).unwrap() {
        Const::Float(value) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn shipped_occlusion_units_match_known_values() {
    let mut scene = SceneBuilder::new();
    let material = scene.material("Ci = trace(P, N) * diffuse(N);");
    let below = Affine3A::from_translation(Vec3::NEG_Y);
    scene.shape(Geometry::Sphere, below, material);
    scene.name("ball");
    scene.shape(Geometry::Disk, facing_down(0.75), material);
    scene.name("lid");
    let scene = scene.build();
    let mut wrong = String::new();
    let mut near = |call: &str, output: &str, expected: f32| {
        let found = of_unit(&scene, call, output, false);
        if (found - expected).abs() > 0.02 {
            wrong += &format!(
                "{call}.{output}: {found} is not {expected}
"
            );
        }
    };
    let shut = 1.0 / (1.0 + 0.75 * 0.75);
    near("ambient_occlusion it(rays = 256, distance = 10)", "value", 1.0 - shut);
    near("ambient_occlusion it(rays = 256, distance = 0.5)", "value", 1.0);
    near("ambient_occlusion it(rays = 256, distance = 10, only_local = 1)", "value", 1.0);
    // Chords of a unit ball shorter than d have angles above acos(d / 2) to the normal.
    near("ambient_occlusion it(rays = 256, distance = 1, inside = 1)", "value", 0.75);
    near("curvature it(rays = 256, distance = 1)", "edges", 0.25);
    near("curvature it(rays = 256, distance = 1)", "creases", 0.0);
    near("curvature it(rays = 256, distance = 10, only_local = 0)", "creases", shut);
    near("curvature it(rays = 256, distance = 1)", "value", 0.625);
    near(
        "edge_wear it(rays = 256, distance = 1.9, softness = 1, amount = 0)",
        "mask",
        0.0,
    );
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn occlusion_is_measured_on_the_visible_side() {
    let mut scene = SceneBuilder::new();
    let material = scene.material("Ci = trace(P, N) * diffuse(N);");
    scene.shape(Geometry::Disk, facing_down(0.75), material);
    let scene = scene.build();
    let open = |backfacing| of_unit(&scene, "ambient_occlusion it(distance = 10)", "value", backfacing);
    assert!(open(false) < 0.5);
    assert_eq!(open(true), 1.0);
}

#[test]
fn trace_returns_the_nearest_hit_within_bounds() {
    let scene = stacked();
    let found = run(
        &scene,
        "output int a = 0, output int b = 0, output int c = 0, output int d = 0, output int e = 0",
        "vector up = vector(0, 1, 0);
        a = trace(P, up, \"maxdist\", 0.999);
        b = trace(P, up, \"maxdist\", 1.001);
        c = trace(P, up, \"mindist\", 3.6);
        d = trace(P, -up);
        e = trace(P, 0) + trace(P, sqrt(-u) * log(-1) / u * up, \"mindist\", 2, \"maxdist\", 1);",
    );
    assert_eq!(found, ints([0, 1, 0, 0, 0]));
}

/// Distances are in metres, for directions of any length.
#[test]
fn messages_describe_the_hit() {
    let scene = stacked();
    let found = run(
        &scene,
        "output int hit = -1, output float dist = -1, output point p = 0, output normal n = 0,
         output vector i = 0, output string name = \"\", output string other = \"\", output int answers = 0",
        "vector up = vector(0, 7, 0);
        answers += getmessage(\"trace\", \"hit\", hit);
        trace(point(0.25, 0, 0), up);
        answers += 10 * getmessage(\"trace\", \"hit\", hit);
        answers += 100 * getmessage(\"trace\", \"hitdist\", dist);
        getmessage(\"trace\", \"P\", p);
        getmessage(\"trace\", \"N\", n);
        getmessage(\"trace\", \"I\", i);
        getmessage(\"trace\", \"geom:name\", name);
        answers += 1000 * getmessage(\"trace\", \"result\", n);
        answers += 10000 * getmessage(\"trace\", \"hit\", dist);
        trace(P, up, \"traceset\", \"-box\");
        getmessage(\"trace\", \"geom:name\", other);",
    );
    let triple = |x, y, z| Const::Triple([x, y, z]);
    let expected = [
        Const::Int(1),
        Const::Float(1.0),
        triple(0.25, 1.0, 0.0),
        triple(0.0, -1.0, 0.0),
        triple(0.0, 1.0, 0.0),
        string("box"),
        string("disk"),
        Const::Int(110),
    ];
    assert_eq!(found, expected);
}

#[test]
fn messages_describe_the_last_ray() {
    let scene = stacked();
    let found = run(
        &scene,
        "output int hit = -1, output int known = -1, output float dist = 5, output int answer = -1",
        "trace(P, vector(0, 1, 0));
        trace(P, vector(0, -1, 0));
        known = getmessage(\"trace\", \"hit\", hit);
        answer = getmessage(\"trace\", \"hitdist\", dist);",
    );
    let expected = [Const::Int(0), Const::Int(1), Const::Float(5.0), Const::Int(0)];
    assert_eq!(found, expected);
}

#[test]
fn object_names_are_available() {
    let scene = stacked();
    let found = run(
        &scene,
        "output int found = 0, output string name = \"\"",
        "found = getattribute(\"geom:name\", name);",
    );
    assert_eq!(found, [Const::Int(1), string("box")]);
}

#[test]
fn unused_rays_are_not_traced() {
    let scene = stacked();
    let system = ShadingSystem::new(closure_registry(), scene.host().clone());
    let traces = |body: &str| {
        let text = format!("shader probe(output int a = 0) {{ int hit = trace(P, N); {body} }}");
        let loaded = system
            .load(Source::new("probe.osl", text))
            .unwrap_or_else(|errors| panic!("{errors}"));
        let options = InstanceOptions::default();
        let (unit, _, _) = system.optimized(&loaded.templates[0], &options).expect("it compiles");
        unit.calls(Builtin::Trace)
    };
    assert!(!traces("a = 0 * hit;"));
    assert!(traces("a = hit;"));
    assert!(traces("getmessage(\"trace\", \"hit\", a);"));
}

/// Names of a scene file are available in all shader calls of the host.
#[test]
fn shape_names_of_scene_files_are_available() {
    let scene_of = |surface: &str| {
        let text = format!(
            "camera main : perspective {{ from = (0, 0, 4); to = (0, 0, 0); fov = 40; }}
            surface look() {{ Ci = {surface} * diffuse(N); }}
            material m = look();
            shape lid : plane {{ size = 2; transform = translate(0, 2, 0); material = m; }}"
        );
        let desc =
            renderer::scene::load::from_text("test.kiln", &text, Path::new(""), &LoadOptions::default());
        let (desc, _) = desc.unwrap_or_else(|errors| panic!("{errors}"));
        build(&desc, None, 1).unwrap_or_else(|errors| panic!("{errors}")).scene
    };
    let body = "trace(P, N); found = getmessage(\"trace\", \"geom:name\", name); hit = trace(P, N, \"traceset\", \"lid\");";
    let outputs = "output int found = 0, output string name = \"\", output int hit = 0";
    let found = run(&scene_of("trace(P, N)"), outputs, body);
    assert_eq!(found, [Const::Int(1), string("lid"), Const::Int(1)]);
    let found = run(&scene_of("u"), outputs, body);
    assert_eq!(found, [Const::Int(0), string(""), Const::Int(0)]);
}

/// Shaders of photons and bakes can trace like those of pictures: an object under the floor makes it white.
#[test]
fn photons_and_bakes_can_trace() {
    let mut scene = SceneBuilder::new();
    let hidden = scene.material("Ci = 0;");
    let place = Affine3A::from_translation(Vec3::NEG_Y) * Affine3A::from_rotation_x(-PI / 2.0);
    scene.shape(Geometry::Disk, place * Affine3A::from_scale(Vec3::splat(2.0)), hidden);
    let body = "Ci = trace(P, vector(0, -1, 0)) * diffuse(N);";
    for found in probed_floor(scene, body) {
        assert!((found / white_share() - 1.0).abs() < 0.02, "{found}");
    }
}
