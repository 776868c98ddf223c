//! Curves and points whose vertices move by keys or by velocities.

use std::path::Path;

use glam::{Affine3A, Vec2, Vec3, Vec4};
use renderer::accel::{ALL, Accel};
use renderer::geometry::{
    CurveBasis, CurveSet, CurveStyle, Curves, Geometry, Placement, PointStyle, Points, Shape, ShapeId,
    Tangents,
};
use renderer::math::Ray;
use renderer::scene::desc::SceneDesc;
use renderer::scene::load::{LoadOptions, load};
use support::random::Random;

use super::{STAGE, blocks, check_desc, check_moves_as_a_whole, repeated};

/// Control points of two poses, one strand in front of another: `x y z radius` a line.
const POSES: [&str; 2] = [
    "-1.4 0.3 0 0.1\n-1.2 1.0 0.2 0.2\n-0.6 0.5 0 0.15\n-0.3 1.4 0 0.1\n\n0.2 0.1 -0.4 0.3\n0.4 0.6 -0.4 0.2\n0.5 1.4 0 0.1",
    "-0.6 0.2 0.3 0.2\n0.1 0.7 0.2 0.1\n0.3 1.5 0.1 0.25\n0.9 1.0 0 0.2\n\n1.0 0.2 -0.8 0.1\n0.6 0.8 -0.4 0.3\n1.4 1.2 0.3 0.2",
];

/// A strand in two poses a metre apart, with velocities that take it from one to the other in a frame.
fn ply(right: f32) -> String {
    let vertex = |(x, y): (f32, f32)| format!("{} {y} 0 0.2 24 0 0\n", x + right);
    let vertices = [(-0.9, 0.3), (-0.7, 0.9), (-0.2, 1.3)].map(vertex).concat();
    let properties =
        ["x", "y", "z", "radius", "vx", "vy", "vz"].map(|name| format!("property float {name}\n"));
    format!(
        "ply\nformat ascii 1.0\nelement vertex 3\n{}element edge 2\nproperty int vertex1\nproperty int vertex2\n\
         end_header\n{vertices}0 1\n1 2\n",
        properties.concat()
    )
}

fn in_folder<T>(shape: &str, use_path: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("the file can be written");
    };
    write("a.txt", POSES[0]);
    write("b.txt", POSES[1]);
    write("short.txt", &POSES[0][..POSES[0].len() - 13]);
    write("empty.txt", "");
    write("a.ply", &ply(0.0));
    write("b.ply", &ply(1.0));
    write("nan.ply", &ply(0.0).replace("24 0 0", "nan 0 0"));
    write("scene.kiln", &format!("{STAGE} shape it : {shape}"));
    use_path(&folder.path().join("scene.kiln"))
}

fn scene(shape: &str) -> SceneDesc {
    in_folder(shape, |path| {
        let (desc, _) = load(path, &LoadOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
        desc
    })
}

const MATTE: &str = "material = matte(albedo = (0.8, 0.3, 0.1));";
const GLOW: &str = "material = emitter(radiance = (6, 2, 1));";
const KEYS: &str = "keys = { at(0, \"a.txt\"), at(1, \"b.txt\") };";
const SWING: &str = "motion = { at(0, translate(0, 0, 0)), at(1, rotate((0, 1, 0), 50)) };";

#[test]
fn strands_with_keys_are_the_mean_of_instants() {
    let normals = format!("normals = ({});", ["0.3, 0.2, 1"; 7].join(", "));
    for shape in [
        format!("curves {{ {GLOW} {KEYS} {SWING} basis = bspline; }}"),
        format!("curves {{ {MATTE} {KEYS} style = ribbon; basis = catmull_rom; {SWING} }}"),
        format!("curves {{ {MATTE} {KEYS} style = flat; {normals} }}"),
        format!("points {{ {GLOW} {KEYS} {SWING} }}"),
        format!("points {{ {MATTE} {KEYS} style = oriented_disc; {normals} }}"),
        format!("points {{ {MATTE} {KEYS} style = disc; }}"),
        format!(
            "curves {{ {MATTE} keys = {{ at(-1, \"b.txt\"), at(0.3, \"a.txt\"), at(0.6, \"b.txt\") }}; }}"
        ),
    ] {
        check_desc(&shape, &scene(&shape));
    }
}

#[test]
fn equal_keys_of_strands_give_the_bytes_of_a_static_scene() {
    for kind in ["curves", "points"] {
        let picture =
            |keys: &str| blocks(&scene(&format!("{kind} {{ {MATTE} radius = 0.2; {keys} }}")), None, 1, 8);
        let still = picture("file = \"a.txt\";");
        assert_eq!(picture("keys = { at(0, \"a.txt\"), at(1, \"a.txt\") };"), still);
        assert_eq!(picture("keys = at(3, \"a.txt\");"), still);
        assert_ne!(picture(KEYS), still);
    }
}

#[test]
fn strands_with_keys_or_velocities_move_as_a_whole() {
    for kind in ["curves", "points"] {
        check_moves_as_a_whole(|shape| {
            let desc = scene(&format!("{kind} {{ {MATTE} {shape} }}"));
            repeated(|repetition| blocks(&desc, None, repetition + 1, 64))
        });
    }
}

/// Phantom points have velocities of their own, so that a spline begins and ends at the moving points.
#[test]
fn strands_are_those_of_their_frame() {
    for kind in ["curves { basis = bspline;", "curves { pinned = false;", "points {"] {
        let box_at = |desc: &mut SceneDesc, frame: f64| {
            desc.set_frame(frame);
            desc.shapes[1].build(&desc.film.shutter.instant()).bounds()
        };
        let mut keys = scene(&format!("{kind} {MATTE} keys = {{ at(0, \"a.ply\"), at(1, \"b.ply\") }}; }}"));
        let mut velocities = scene(&format!("{kind} {MATTE} file = \"a.ply\"; velocities = true; }}"));
        let start = box_at(&mut keys, 0.0);
        for frame in [0.0, 0.5, 1.0] {
            for desc in [&mut keys, &mut velocities] {
                let found = box_at(desc, frame);
                let by = Vec3::X * frame as f32;
                assert!(
                    found.min.distance(start.min + by) < 1e-5 && found.max.distance(start.max + by) < 1e-5
                );
            }
        }
    }
}

#[test]
fn mistakes_in_keys_of_strands_are_diagnosed() {
    for (shape, message) in [
        ("curves { keys = { at(0, \"a.txt\"), at(1, \"b.txt\") }; }", ""),
        (
            "curves { keys = { at(0, \"a.txt\"), at(1, \"short.txt\") }; }",
            "differ in their numbers",
        ),
        (
            "points { keys = { at(0, \"a.txt\"), at(1, \"short.txt\") }; }",
            "differ in their numbers",
        ),
        ("curves { keys = { at(1, \"a.txt\"), at(0, \"b.txt\") }; }", "not in order"),
        ("curves { keys = { at(0, \"a.txt\"), at(0, \"a.txt\") }; }", "not in order"),
        ("curves { keys = { at(0, \"a.txt\"), at(1, \"empty.txt\") }; }", "no curves"),
        ("points { keys = { at(0, \"empty.txt\"), at(1, \"empty.txt\") }; }", "no points"),
        ("curves { keys = { at(0, \"a.txt\"), at(1, \"none.txt\") }; }", "none.txt"),
        ("curves { keys = translate(1, 0, 0); }", "at(frame, \"file\")"),
        (
            "curves { file = \"a.txt\"; keys = at(0, \"a.txt\"); }",
            "either `file` or `keys`",
        ),
        (
            "curves { points = (0, 0, 0, 1, 0, 0); keys = at(0, \"a.txt\"); }",
            "either `keys` or `points`",
        ),
        (
            "curves { keys = at(0, \"a.ply\"); velocities = true; }",
            "either `keys` or `velocities`",
        ),
        (
            "curves { file = \"a.txt\"; velocities = true; }",
            "the curves have no velocities",
        ),
        ("points { file = \"nan.ply\"; velocities = true; }", "nan.ply"),
        (
            "curves { keys = { at(0, \"a.txt\"), at(1, \"b.txt\") }; radius = -1; }",
            "radius -1",
        ),
        (
            "curves { keys = { at(0, \"a.txt\"), at(1, \"b.txt\") }; radius = 1e30; }",
            "radius 1000",
        ),
    ] {
        let found = in_folder(shape, |path| match load(path, &LoadOptions::default()) {
            Ok(_) => String::new(),
            Err(errors) => errors.to_string(),
        });
        assert_eq!(found.is_empty(), message.is_empty(), "{shape}: {found}");
        assert!(found.contains(message), "{shape}: {found}");
    }
}

// ---- Geometry.

/// Two poses of a shape, by random vertices.
fn poses(random: &mut Random, kind: usize) -> [Geometry; 2] {
    let mut vertices = || -> Vec<Vec4> {
        let vertex = |_| (random.direction() * random.uniform()).extend(0.02 + 0.2 * random.uniform());
        (0..10).map(vertex).collect()
    };
    let vertices = [vertices(), vertices()];
    let bases = [CurveBasis::Linear, CurveBasis::Bezier, CurveBasis::BSpline, CurveBasis::CatmullRom];
    let styles = [CurveStyle::Round, CurveStyle::Ribbon, CurveStyle::Flat];
    vertices.map(|vertices| match kind.checked_sub(12) {
        None => {
            let is_flat = kind % 3 == 2;
            Geometry::Curves(
                Curves::new(CurveSet {
                    basis: bases[kind / 3],
                    style: styles[kind % 3],
                    strands: vec![10],
                    normals: vertices.iter().filter(|_| is_flat).map(|v| v.truncate() + Vec3::Z).collect(),
                    vertices,
                    attributes: vec![],
                })
                .expect("the curve is valid")
                .into(),
            )
        }
        Some(kind) => {
            let style = [PointStyle::Sphere, PointStyle::Disc, PointStyle::OrientedDisc][kind];
            let normals = vertices.iter().filter(|_| kind == 2).map(|v| v.truncate() + Vec3::Z).collect();
            Geometry::Points(Points::new(style, vertices, normals, vec![]).expect("they are valid").into())
        }
    })
}

/// The pose between two, and the geometry that moves from one to the other by several keys.
fn between([a, b]: &[Geometry; 2], part: f32) -> (Geometry, Geometry) {
    let keys = [0.0, 0.25, 0.5, 0.75, 1.0];
    match (a, b) {
        (Geometry::Curves(a), Geometry::Curves(b)) => {
            let at = |part: f32| a.blended(b, part).expect("the curve is valid").into();
            let moving = Curves::moving(&keys.map(at)).expect("the keys are alike");
            (Geometry::Curves(at(part)), Geometry::Curves(moving.into()))
        }
        (Geometry::Points(a), Geometry::Points(b)) => {
            let at = |part: f32| a.blended(b, part).expect("the points are valid").into();
            let moving = Points::moving(&keys.map(at)).expect("the keys are alike");
            (Geometry::Points(at(part)), Geometry::Points(moving.into()))
        }
        _ => unreachable!("both are of one kind"),
    }
}

/// A ray at a time hits moving strands as it hits those of that time.
#[test]
fn rays_hit_strands_at_their_time() {
    let mut random = Random(3);
    let mut hits = 0;
    for round in 0..150 {
        let (time, poses) = (random.uniform(), poses(&mut random, round % 15));
        let (still, moving) = between(&poses, time);
        let turned = Affine3A::from_rotation_y(1.0) * Affine3A::from_translation(Vec3::X);
        let placement = match round % 2 {
            0 => Placement::from(Affine3A::IDENTITY),
            _ => Placement::moving(&[Affine3A::IDENTITY, turned]),
        };
        let place = *placement.at(time).world_from_object();
        let (still, moving) = ([Shape::new(still, place)], [Shape::new(moving, placement)]);
        let [exact, accel] = [&still, &moving].map(|shapes| Accel::build(shapes, &[], 1).expect("it builds"));
        for _ in 0..300 {
            let origin = place.transform_point3(random.direction() * 3.0);
            let target = place.transform_point3(random.direction() * random.uniform());
            let ray = Ray { time, ..Ray::new(origin, (target - origin).normalize()) };
            let expected = exact.intersect(&ray, ALL);
            let found = accel.intersect(&ray, ALL);
            let grazes = |hit: &renderer::accel::Hit, shape: &Shape| {
                let it = shape.interaction(ShapeId(0), hit, &ray, Tangents::ByUv);
                it.ng.dot(it.wo).abs() < 0.02
            };
            let (found, expected) = match (found, expected) {
                (Some(found), Some(expected)) if (found.t - expected.t).abs() < 1e-3 => (found, expected),
                (None, None) => continue,
                // Rounding decides between a graze and a miss.
                (found, expected) => {
                    let is_graze = found.is_some_and(|hit| grazes(&hit, &moving[0]))
                        || expected.is_some_and(|hit| grazes(&hit, &still[0]));
                    assert!(is_graze, "round {round}: {found:?}, not {expected:?}");
                    continue;
                }
            };
            hits += 1;
            let [it, expected] = [(&moving, found), (&still, expected)]
                .map(|(shapes, hit)| shapes[0].interaction(ShapeId(0), &hit, &ray, Tangents::ByUv));
            assert!(
                it.p.distance(expected.p) < 1e-3 && it.ng.dot(expected.ng) > 0.99,
                "round {round}"
            );
            assert!(moving[0].bounds().contains(it.p), "round {round}");
            let primitive = moving[0].primitive_bounds(it.primitive);
            assert!(primitive.contains(it.p), "round {round}");
            // The point at a parameter moves, too; the first one does not depend on the number of pieces.
            let at = |shape: &Shape, time: f32| shape.surface_point_at(0, Vec2::new(0.0, 0.3), time).p;
            assert!(at(&moving[0], time).distance(at(&still[0], time)) < 1e-4, "round {round}");
        }
    }
    assert!(hits > 5_000, "{hits}");
}
