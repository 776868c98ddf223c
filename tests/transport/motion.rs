//! Motion blur: pictures of an open shutter against the mean of many instants, and scenes whose keys are equal.
//!
//! Both pictures are averaged over blocks of pixels and repeated with several seeds; the instants of a repetition are
//! stratified and jittered, so that their mean has no bias. The differences are tested by the variance between
//! repetitions, pooled over all blocks within a factor.

mod strands;

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use renderer::film::Filter;
use renderer::geometry::Mesh;
use renderer::integrator::{Integrator, PhotonSettings};
use renderer::render::{RenderSettings, SampleUnit};
use renderer::scene::build::build;
use renderer::scene::desc::{Deformation, GeometryDesc, SceneDesc, SceneTime};
use support::scenes::{load_text, render_scene};
use support::stats::{Moments, Rng};

const WIDTH: usize = 24;
const HEIGHT: usize = 16;
/// Side of a block, in pixels.
const BLOCK: usize = 4;
const BLOCKS: usize = WIDTH / BLOCK * (HEIGHT / BLOCK);
const REPETITIONS: u64 = 6;
const INSTANTS: u64 = 12;

/// Floor, sky and camera.
const STAGE: &str = "
    camera main : perspective { from = (0, 1.5, 5); to = (0, 0.8, 0); fov = 45; }
    film { size = (24, 16); filter = box; shutter = (0, 1); }
    light sky : environment { color = (0.3, 0.4, 0.5); }
    shape floor : plane { size = 12; material = matte(albedo = 0.5); }
";

/// A cube with key `motion`.
fn cube(motion: &str) -> String {
    format!(
        "{STAGE} shape box : cube {{ size = (1.6, 0.8, 0.6); material = matte(albedo = (0.8, 0.3, 0.1));
         transform = translate(0, 0.6, 0); motion = {{ {motion} }}; }}"
    )
}

/// Block means of a picture.
pub(crate) fn blocks(desc: &SceneDesc, integrator: Option<Integrator>, seed: u64, spp: u64) -> Vec<f64> {
    let built = build(desc, None, 2).unwrap_or_else(|errors| panic!("{errors}"));
    let settings = RenderSettings {
        filter: Filter::pixel(),
        integrator: integrator.unwrap_or(built.integrator),
        samples: 0..spp,
        total: spp,
        unit: SampleUnit::Path,
        adaptive: false,
        seed,
        threads: 2,
        ..RenderSettings::new(desc, &built)
    };
    let image = render_scene(&built.scene, &settings).state.film.develop();
    let mut blocks = vec![0.0; 3 * BLOCKS];
    for (index, value) in image.data.iter().enumerate() {
        let (pixel, channel) = (index / 3, index % 3);
        let block = pixel / WIDTH / BLOCK * (WIDTH / BLOCK) + pixel % WIDTH / BLOCK;
        blocks[3 * block + channel] += f64::from(*value) / (BLOCK * BLOCK) as f64;
    }
    blocks
}

/// Moments of each block over repetitions.
pub(crate) fn repeated(picture: impl Fn(u64) -> Vec<f64>) -> Vec<Moments> {
    let mut moments = vec![Moments::default(); 3 * BLOCKS];
    for repetition in 0..REPETITIONS {
        for (moments, value) in moments.iter_mut().zip(picture(repetition)) {
            moments.add(value);
        }
    }
    moments
}

/// The mean of stratified instants of the shutter interval.
fn mean_of_instants(desc: &SceneDesc, repetition: u64, spp: u64) -> Vec<f64> {
    let mut rng = Rng::new(repetition + 1);
    let mut sums = vec![0.0; 3 * BLOCKS];
    for instant in 0..INSTANTS {
        let fraction = (instant as f64 + rng.next_choice()) / INSTANTS as f64;
        let mut frozen = desc.clone();
        let frame = desc.film.shutter.at(fraction).frames;
        frozen.film.shutter = desc.film.shutter.instant();
        frozen.set_frame(frame);
        let picture = blocks(&frozen, None, 1000 * (repetition + 1) + instant, spp);
        sums.iter_mut()
            .zip(picture)
            .for_each(|(sum, value)| *sum += value / INSTANTS as f64);
    }
    sums
}

/// The largest difference of a block beyond the tolerance, in standard deviations, and the block.
fn worst_excess(found: &[Moments], expected: &[Moments], tolerance: f64) -> (f64, usize) {
    let variance = |a: &Moments, b: &Moments| a.variance_of_mean() + b.variance_of_mean();
    let pairs = || found.iter().zip(expected);
    let pooled = pooled_variance(found, expected);
    let mut worst = (0.0, 0);
    for (index, (a, b)) in pairs().enumerate() {
        // A variance of few repetitions may be too small.
        let sigma = (variance(a, b).max(0.3 * pooled)).sqrt();
        let excess = ((a.mean() - b.mean()).abs() - tolerance * b.mean()) / sigma;
        if excess > worst.0 {
            worst = (excess, index);
        }
    }
    worst
}

/// Variance of the mean of a block, averaged over the blocks of two pictures.
fn pooled_variance(found: &[Moments], expected: &[Moments]) -> f64 {
    let variances = found.iter().chain(expected).map(Moments::variance_of_mean);
    variances.sum::<f64>() / found.len() as f64
}

/// Compares two pictures by the variance of their blocks.
pub(crate) fn assert_equal(name: &str, found: &[Moments], expected: &[Moments], tolerance: f64) {
    let worst = worst_excess(found, expected, tolerance);
    let pooled = pooled_variance(found, expected);
    let (a, b) = (found[worst.1].mean(), expected[worst.1].mean());
    let total = |list: &[Moments]| list.iter().map(Moments::mean).sum::<f64>();
    let ratio = total(found) / total(expected);
    let sigma = (pooled * found.len() as f64).sqrt() / total(expected);
    assert!(worst.0 < 6.0, "{name}: block {} is {a}, not {b}: {:.1} sigma", worst.1, worst.0);
    assert!((ratio - 1.0).abs() < 5.0 * sigma + tolerance, "{name}: mean {ratio}");
}

/// Checks that a blurred picture is the mean of the pictures at the instants of its shutter interval.
fn check(name: &str, text: &str) {
    check_desc(name, &load_text(text, &[]));
}

fn check_desc(name: &str, desc: &SceneDesc) {
    assert!(desc.has_motion());
    let blurred = repeated(|seed| blocks(desc, None, seed, 192));
    let expected = repeated(|repetition| mean_of_instants(desc, repetition, 16));
    assert_equal(name, &blurred, &expected, 0.0);
    // The opening of the shutter must look different, or the comparison says nothing.
    let mut open = desc.clone();
    open.film.shutter = desc.film.shutter.instant();
    open.set_frame(desc.film.shutter.at(0.0).frames);
    let still = repeated(|seed| blocks(&open, None, seed, 96));
    assert!(worst_excess(&blurred, &still, 0.0).0 > 12.0, "{name}: nothing moves");
}

#[test]
fn moving_meshes_are_the_mean_of_instants() {
    check("translation", &cube("at(0, translate(-1, 0, 0)), at(1, translate(1, 0.5, 0))"));
    check("rotation", &cube("at(0, rotate((0, 1, 0), -85)), at(1, rotate((0, 1, 0), 85))"));
    check("scale", &cube("at(0, scale(0.5)), at(1, scale(1.5, 2, 1))"));
    check(
        "three keys",
        &cube("at(-1, scale(0.5)), at(0.3, translate(1, 0, 0)), at(2, translate(-2, 0, 0))"),
    );
}

#[test]
fn moving_analytic_shapes_are_the_mean_of_instants() {
    let shape = |kind: &str, motion: &str| {
        format!(
            "{STAGE} shape it : {kind} {{ material = matte(albedo = (0.2, 0.3, 0.9));
             transform = translate(0, 0.9, 0) * rotate((1, 0, 0), 20); motion = {{ {motion} }}; }}"
        )
    };
    let turn =
        "at(0, translate(-1, 0, 0)), at(1, translate(1, 0, 0) * rotate((0, 1, 0), 120) * scale(0.6, 1, 1.4))";
    for kind in ["sphere", "disk", "cylinder"] {
        check(kind, &shape(kind, turn));
    }
}

#[test]
fn moving_cameras_and_instances_are_the_mean_of_instants() {
    let scene = "
        film { size = (24, 16); filter = box; shutter = (-0.5, 0.5); }
        light sky : environment { color = (0.3, 0.4, 0.5); }
        shape floor : plane { size = 12; material = matte(albedo = 0.5); }
        shape box : cube { size = 1; material = matte(albedo = (0.8, 0.3, 0.1)); transform = translate(-1, 0.5, 0); }
        camera main : perspective { from = (0, 1.5, 5); to = (0, 0.8, 0); fov = 45; motion = {";
    check(
        "dolly",
        &format!("{scene} at(-1, translate(-1, 0, 0)), at(1, translate(1, 0, -1)) }}; }}"),
    );
    check(
        "pan",
        &format!("{scene} at(-1, rotate((0, 1, 0), -50)), at(1, rotate((0, 1, 0), 50)) }}; }}"),
    );
    let copies = "at(0, translate(1, 0, 0)), at(1, translate(2, 0, 0) * rotate((0, 1, 0), 45))";
    check(
        "instance",
        &format!(
            "{} shape copy : instance {{ of = box; motion = {{ {copies} }}; }}",
            cube("at(0, translate(-1, 0, 0)), at(1, translate(-1.5, 0, 0))")
        ),
    );
}

#[test]
fn moving_lights_are_the_mean_of_instants() {
    let dark = STAGE.replace("(0.3, 0.4, 0.5)", "0.02");
    let path =
        "motion = { at(0, translate(-1.5, 0, 0)), at(1, translate(1.5, 0.5, 0) * rotate((0, 1, 0), 60)) };";
    for light in [
        "light it : point { position = (0, 2, 0.5); intensity = 4;",
        "light it : spot { position = (0, 3, 0); direction = (0.3, -1, 0); cutoff = 30; intensity = 20;",
        "light it : directional { direction = (0.8, -1, 0.2); irradiance = 2;",
        "light it : directional_area { transform = translate(0, 3, 0) * rotate((1, 0, 0), 90); size = 1; irradiance = 3;",
    ] {
        check(
            light,
            &format!(
                "{dark} {light} {path} }} shape ball : sphere {{ center = (0, 0.5, 0); radius = 0.5; }}"
            ),
        );
    }
}

#[test]
fn moving_emitters_are_the_mean_of_instants() {
    let dark = STAGE.replace("(0.3, 0.4, 0.5)", "0.02");
    let path =
        "motion = { at(0, translate(-1, 2, 0)), at(1, translate(1, 1.5, 0) * rotate((1, 0, 0), 100)) };";
    for shape in [
        "sphere { radius = 0.3;",
        "cube { size = 0.5;",
        "disk { radius = 0.5;",
        "rectangle { size = 0.7;",
    ] {
        for radiance in ["5", "5 * u"] {
            let material = format!("lamp(radiance = {radiance})");
            check(
                &format!("{shape} {radiance}"),
                &format!(
                    "{dark} group lamp(color radiance = 1, output closure color surface = 0) {{
                       emitter light(radiance = radiance); surface = light.surface; }}
                     shape it : {shape} material = {material}; {path} }}"
                ),
            );
        }
    }
}

#[test]
fn moving_glass_and_media_are_the_mean_of_instants() {
    let path = "motion = { at(0, translate(-1, 0, 0)), at(1, translate(1, 0, 0)) };";
    for material in ["glass(ior = 1.5)", "fog(density = 2, albedo = 0.8)"] {
        check(
            material,
            &format!(
                "{STAGE} shape ball : sphere {{ center = (0, 0.8, 0); radius = 0.7; material = {material}; {path} }}
                 shape block : cube {{ size = 0.8; transform = translate(0, 0.6, 1.2); material = {material};
                   motion = {{ at(0, rotate((0, 1, 0), 0)), at(1, rotate((0, 1, 0), 70)) }}; }}"
            ),
        );
    }
}

#[test]
fn moving_clouds_are_the_mean_of_instants() {
    // The density is defined in the space of the object.
    check(
        "cloud",
        &format!(
            "{STAGE} volume puff(float density = 4) {{
                 point p = transform(\"object\", P);
                 Ci = density * (1 - length(p)) * (p[0] > 0 ? 1 : 0.2) * henyey_greenstein(0.2); }}
             material puffs = puff();
             shape ball : sphere {{ material = puffs; motion = {{
                 at(0, translate(-0.7, 0.9, 0) * scale(0.8)),
                 at(1, translate(0.7, 0.9, 0) * rotate((0, 1, 0), 90) * scale(0.8)) }}; }}"
        ),
    );
}

/// A sheet that bends and swings.
#[derive(Debug)]
struct Sheet;

impl Deformation for Sheet {
    fn at(&self, time: SceneTime) -> Option<GeometryDesc> {
        const SIDE: u32 = 8;
        let place = |index: u32| {
            let (x, y) = ((index % SIDE) as f32 / 3.5 - 1.0, (index / SIDE) as f32 / 7.0 * 1.6);
            let angle = (2.0 * time.frames as f32 - 1.0) * 1.2 * y;
            Vec3::new(x + 0.3 * angle, y * angle.cos() + 0.1, y * angle.sin())
        };
        let cells = (0..SIDE - 1).flat_map(|y| (0..SIDE - 1).map(move |x| y * SIDE + x));
        let triangles = cells.flat_map(|i| [[i, i + 1, i + SIDE], [i + 1, i + SIDE + 1, i + SIDE]]);
        let mesh = Mesh::new((0..SIDE * SIDE).map(place).collect(), triangles.collect()).ok()?;
        Some(mesh.with_vertex_normals(&Affine3A::IDENTITY).into())
    }
}

#[test]
fn deforming_meshes_are_the_mean_of_instants() {
    for material in ["matte(albedo = (0.8, 0.3, 0.1))", "emitter(radiance = (2, 1, 0.5))"] {
        for motion in ["", "motion = { at(0, rotate((0, 1, 0), -40)), at(1, rotate((0, 1, 0), 40)) };"] {
            let sheet = format!("shape sheet : rectangle {{ material = {material}; {motion} }}");
            let mut desc = load_text(&format!("{STAGE} {sheet}"), &[]);
            desc.shapes[1].deformation = Some(Arc::new(Sheet));
            check_desc(&sheet, &desc);
        }
    }
}

#[test]
fn photons_find_the_same_blur_as_paths() {
    let lamp = "light key : point { position = (0, 3, 2); intensity = 12; }
        shape wall : rectangle { size = (12, 6); transform = translate(0, 2, -1); material = matte(albedo = (0.7, 0.2, 0.2)); }";
    for motion in [
        "at(0, translate(-1, 0, 0)), at(1, translate(1, 0.5, 0))",
        "at(0, rotate((0, 1, 0), -85)), at(1, rotate((0, 1, 0), 85))",
    ] {
        let desc = load_text(&format!("{} {lamp}", cube(motion)), &[]);
        let photons =
            Integrator::Photon(PhotonSettings { photons: Some(20_000), ..PhotonSettings::default() });
        let found = repeated(|seed| blocks(&desc, Some(photons), seed, 32));
        let expected = repeated(|seed| blocks(&desc, None, seed, 192));
        assert_equal(motion, &found, &expected, 0.015);
    }
}

#[test]
fn equal_keys_give_the_bytes_of_a_static_scene() {
    let scene = |key: &str, light: &str| {
        format!(
            "film {{ size = (24, 16); shutter = (0, 1); }}
             camera main : perspective {{ from = (0, 1.5, 5); to = (0, 0.8, 0); fov = 45; {light} }}
             light sky : environment {{ color = 0.3; }}
             shape floor : plane {{ size = 12; material = matte(albedo = 0.5); }}
             shape ball : sphere {{ material = glass(ior = 1.5); {key} }}
             shape box : cube {{ material = matte(albedo = 0.7); {key} }}"
        )
    };
    let place = "translate(0.3, 0.7, -0.1) * rotate((1, 2, 3), 33) * scale(0.7, 0.5, 0.9)";
    let keys = format!("motion = {{ at(0, {place}), at(1, {place}) }};");
    let nothing = "motion = { at(0, translate(0, 0, 0)), at(3, translate(0, 0, 0)) };";
    let moving = load_text(&scene(&keys, nothing), &[]);
    let still = load_text(&scene(&format!("transform = {place};"), ""), &[]);
    assert_eq!(blocks(&moving, None, 1, 8), blocks(&still, None, 1, 8));
}

/// Position along x of the light in each row of a picture, of a bar that moves by a metre to the right.
fn bar_positions(film: &str) -> Vec<f32> {
    let text = format!(
        "camera main : orthographic {{ width = 3; from = (0, 0, 5); to = (0, 0, 0); }}
         film {{ size = (24, 16); filter = box; shutter = (0, 1); {film} }}
         shape bar : rectangle {{ size = (0.4, 4); material = emitter(); motion = {{
             at(0, translate(-0.5, 0, 0)), at(1, translate(0.5, 0, 0)) }}; }}"
    );
    let desc = load_text(&text, &[]);
    let built = build(&desc, None, 2).unwrap_or_else(|errors| panic!("{errors}"));
    let settings = RenderSettings {
        samples: 0..256,
        total: 256,
        adaptive: false,
        ..RenderSettings::new(&desc, &built)
    };
    let image = render_scene(&built.scene, &settings).state.film.develop();
    let position = |y: usize| {
        let light = |x: usize| image.rgb(x, y).r;
        let sum: f32 = (0..WIDTH).map(light).sum();
        (0..WIDTH).map(|x| light(x) * ((x as f32 + 0.5) / 8.0 - 1.5)).sum::<f32>() / sum
    };
    (0..HEIGHT).map(position).collect()
}

#[test]
fn a_rolling_shutter_exposes_rows_one_after_the_other() {
    for part in [0.0, 0.25] {
        for (y, x) in bar_positions(&format!("rolling_shutter = {part};")).into_iter().enumerate() {
            let row = (y as f32 + 0.5) / HEIGHT as f32;
            let expected = 0.5 * part + (1.0 - part) * row - 0.5;
            assert!((x - expected).abs() < 0.02, "row {y} of {part}: {x}, not {expected}");
        }
    }
}

#[test]
fn a_shutter_curve_weights_times() {
    for (curve, mean) in
        [("(1, 1)", 0.5), ("(0, 1)", 2.0 / 3.0), ("(0, 0, 1, 0, 0)", 0.5), ("(3, 0, 0)", 1.0 / 6.0)]
    {
        for x in bar_positions(&format!("shutter_curve = {curve};")) {
            assert!((x - (mean - 0.5)).abs() < 0.02, "{curve}: {x}, not {}", mean - 0.5);
        }
    }
}

#[test]
fn shutters_do_not_change_a_static_scene() {
    let picture = |film: &str| {
        let film = format!("filter = box; {film}");
        let desc = load_text(&cube("at(0, translate(0, 0, 0))").replace("filter = box;", &film), &[]);
        blocks(&desc, None, 1, 4)
    };
    assert_eq!(picture("rolling_shutter = 0.1; shutter_curve = (0, 1, 0);"), picture(""));
}

/// Scene of a mesh in `a.ply`, and in `b.ply` moved by a metre to the right, with velocities that take it there in a frame.
fn mesh_scene(mesh: &str) -> SceneDesc {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    for (name, right) in [("a.ply", 0.0), ("b.ply", 1.0)] {
        let vertex = |(x, y): (f32, f32)| format!("{} {y} 0 24 0 0\n", x + right);
        let corners = [(-0.7, 0.2), (0.3, 0.2), (0.3, 1.2), (-0.7, 1.2)].map(vertex).concat();
        let text = format!(
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
             property float vx\nproperty float vy\nproperty float vz\nelement face 1\n\
             property list uchar int vertex_indices\nend_header\n{corners}4 0 1 2 3\n"
        );
        std::fs::write(folder.path().join(name), text).expect("the file can be written");
    }
    let material = "material = matte(albedo = (0.8, 0.3, 0.1));";
    let path = folder.path().join("scene.kiln");
    std::fs::write(&path, format!("{STAGE} shape sheet : mesh {{ {material} {mesh} }}"))
        .expect("the scene can be written");
    let (desc, _) = renderer::scene::load::load(&path, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
    desc
}

#[test]
fn vertices_with_keys_or_velocities_move_as_a_whole_mesh() {
    check_moves_as_a_whole(|mesh| {
        let desc = mesh_scene(mesh);
        repeated(|repetition| blocks(&desc, None, repetition + 1, 64))
    });
}

/// Keys and velocities of `a.ply` that move all vertices alike are a motion of the shape. `picture` renders a shape with the
/// given keys of its block.
fn check_moves_as_a_whole(picture: impl Fn(&str) -> Vec<Moments>) {
    let moved =
        picture("file = \"a.ply\"; motion = { at(0, translate(0, 0, 0)), at(1, translate(1, 0, 0)) };");
    let keys = picture("keys = { at(0, \"a.ply\"), at(1, \"b.ply\") };");
    assert_equal("keys", &keys, &moved, 1e-3);
    let velocities = picture("file = \"a.ply\"; velocities = true;");
    assert_equal("velocities", &velocities, &moved, 1e-3);
    let still = picture("file = \"a.ply\";");
    assert!(worst_excess(&still, &moved, 1e-3).0 > 20.0);
}

#[test]
fn a_mesh_with_keys_or_velocities_is_that_of_its_frame() {
    for mesh in ["keys = { at(0, \"a.ply\"), at(1, \"b.ply\") };", "file = \"a.ply\"; velocities = true;"] {
        let mut desc = mesh_scene(mesh);
        let left = |desc: &SceneDesc| {
            let shape = desc.shapes[1].build(&desc.film.shutter.instant());
            shape.bounds().min.x
        };
        assert!((left(&desc) + 0.7).abs() < 1e-6);
        desc.set_frame(0.5);
        assert!((left(&desc) + 0.2).abs() < 1e-6, "{mesh}: {}", left(&desc));
    }
}

#[test]
fn faulty_keys_are_reported() {
    let fault = |motion: &str| {
        let text = cube(motion);
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        let file = folder.path().join("scene.kiln");
        std::fs::write(&file, text).expect("the scene can be written");
        let loaded = renderer::scene::load::load(&file, &renderer::scene::load::LoadOptions::default());
        loaded.expect_err("the keys are faulty").to_string()
    };
    for (motion, message) in [
        ("at(1, scale(1)), at(0, scale(2))", "not in order"),
        ("at(0, scale(1)), at(0, scale(2))", "not in order"),
        ("at(0, scale(1)), at(1, scale(-1))", "passes zero"),
        ("at(0, scale(1, 0, 1))", "singular"),
        (
            "at(0, rotate((0, 0, 1), 45) * scale(1, 2, 1) * rotate((0, 0, 1), 30))",
            "shears",
        ),
        ("translate(1, 0, 0)", "takes keys"),
        ("at(translate(1, 0, 0))", "at(frame, transform)"),
    ] {
        let found = fault(motion);
        assert!(found.contains(message), "{motion}: {found}");
    }
}
