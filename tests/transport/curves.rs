//! Curves and points: hits, parameters and attributes, energy of white hair, and self-intersection at all sizes.

use std::sync::Arc;

use crate::intersect::trace;
use glam::{Affine3A, Quat, Vec3, Vec4};
use renderer::accel::{ALL, Accel};
use renderer::geometry::{
    CurveBasis, CurveSet, CurveStyle, Curves, Geometry, PointStyle, Points, Shape, ShapeId, Tangents,
};
use renderer::math::Ray;
use renderer::scene::build::build as build_scene;
use renderer::scene::load::{LoadOptions, load};
use support::random::Random;
use support::scenes::load_text;

const BASES: [CurveBasis; 4] =
    [CurveBasis::Linear, CurveBasis::Bezier, CurveBasis::BSpline, CurveBasis::CatmullRom];
const STYLES: [CurveStyle; 3] = [CurveStyle::Round, CurveStyle::Ribbon, CurveStyle::Flat];

// ---- Helpers.

fn build(shapes: &[Shape]) -> Accel {
    Accel::build(shapes, &[], 1).expect("Embree builds")
}

/// One strand through `points`, with the radius of `radius` at each.
fn strand(basis: CurveBasis, style: CurveStyle, vertices: Vec<Vec4>, normal: Vec3) -> Geometry {
    let normals = if style == CurveStyle::Flat {
        vec![normal; vertices.len()]
    } else {
        vec![]
    };
    let strands = vec![vertices.len() as u32];
    let set = CurveSet { basis, style, strands, vertices, normals, attributes: vec![] };
    Geometry::Curves(Arc::new(Curves::new(set).expect("the curve is valid")))
}

/// A straight strand from `-along` to `along`, which tapers.
fn straight(basis: CurveBasis, style: CurveStyle, radius: f32, along: Vec3) -> Geometry {
    let vertex = |i: u16| {
        let s = f32::from(i) / 3.0 - 1.0;
        (along * s).extend(radius * (1.0 - 0.3 * s))
    };
    strand(basis, style, (0..7).map(vertex).collect(), along.any_orthonormal_vector())
}

fn spheres(radius: f32, center: Vec3) -> Geometry {
    let points = Points::new(PointStyle::Sphere, vec![center.extend(radius)], vec![], vec![]);
    Geometry::Points(Arc::new(points.expect("the point is valid")))
}

// ---- Hits.

/// Rays that leave a straight strand outward do not hit it again, and rays into a tube leave it once.
#[test]
fn leaving_rays_miss_their_strand() {
    let mut random = Random(5);
    let mut hits = 0;
    for round in 0..240 {
        let (basis, style) = (BASES[round % 4], STYLES[round / 4 % 3]);
        let scale = [1e-6f32, 1e-3, 1.0, 1e3][round / 12 % 4];
        let radius = [0.3f32, 0.01, 0.0005][round / 48 % 3];
        let far = [0.0f32, 1e3][round / 144 % 2];
        let place = Affine3A::from_scale_rotation_translation(
            Vec3::splat(scale),
            Quat::from_rotation_y(round as f32),
            Vec3::new(far, -far, 0.3 * far) * scale,
        );
        let along = random.direction();
        let shapes = [Shape::new(straight(basis, style, radius, along), place)];
        let accel = build(&shapes);
        for _ in 0..300 {
            let inside =
                along * (1.2 * random.uniform() - 0.6) + random.direction() * (radius * random.uniform());
            let origin = place.transform_point3(random.direction() * 6.0);
            let ray = Ray::new(origin, (place.transform_point3(inside) - origin).normalize());
            let Some(it) = trace(&accel, &shapes, &ray) else {
                continue;
            };
            hits += 1;
            let is_round = style == CurveStyle::Round;
            let w = random.direction();
            let outward = if is_round && w.dot(it.ng) < 0.0 { -w } else { w };
            let found = accel.intersect(&it.spawn_ray(outward), ALL);
            assert!(
                found.is_none(),
                "{basis:?} {style:?} of {radius} times {scale}: {it:?} along {outward}"
            );
            // Where rounding is small against the radius.
            if is_round && radius > 1e-3 * far {
                let mut ray = it.spawn_ray(-outward);
                let mut count = 0;
                while let Some(it) = trace(&accel, &shapes, &ray) {
                    count += 1;
                    assert!(count < 10, "{basis:?} of {radius} times {scale}");
                    ray = it.spawn_ray(ray.direction);
                }
                assert_eq!(count, 1, "{basis:?} of {radius} times {scale}: {it:?} along {}", -outward);
            }
        }
    }
    assert!(hits > 20_000, "{hits}");
}

/// A straight tube is a cylinder between two spheres, in each basis.
#[test]
fn straight_tubes_are_cylinders() {
    let mut random = Random(6);
    let ball = |z: f32| Shape::new(Geometry::Sphere, Affine3A::from_translation(Vec3::Z * z));
    let expected = [Shape::new(Geometry::Cylinder, Affine3A::IDENTITY), ball(0.0), ball(1.0)];
    let exact = build(&expected);
    for basis in BASES {
        // The ends of splines with phantom points are the second and the last but one.
        let points: Vec<f32> = match basis {
            CurveBasis::Linear => vec![0.0, 0.25, 1.0],
            CurveBasis::Bezier => vec![0.0, 0.2, 0.7, 1.0],
            CurveBasis::BSpline | CurveBasis::CatmullRom => vec![-0.5, 0.0, 0.5, 1.0, 1.5],
        };
        let vertices = points.into_iter().map(|z| Vec4::new(0.0, 0.0, z, 1.0)).collect();
        let shapes = [Shape::new(strand(basis, CurveStyle::Round, vertices, Vec3::X), Affine3A::IDENTITY)];
        let accel = build(&shapes);
        for _ in 0..2_000 {
            let origin = random.direction() * 5.0;
            let target = random.direction() * 1.5;
            let ray = Ray::new(origin, (target - origin).normalize());
            match (trace(&accel, &shapes, &ray), trace(&exact, &expected, &ray)) {
                (None, None) => {}
                (Some(found), Some(exact)) => {
                    assert!((found.t - exact.t).abs() < 1e-4, "{basis:?}: {found:?}, not {exact:?}");
                    assert!(found.ng.dot(exact.ng) > 0.999, "{basis:?}: {found:?}, not {exact:?}");
                }
                (found, exact) => panic!("{basis:?}: {found:?}, not {exact:?}"),
            }
        }
    }
}

/// Points are spheres.
#[test]
fn points_are_spheres() {
    let mut random = Random(7);
    for _ in 0..200 {
        let (center, radius) = (random.direction() * 3.0, 0.1 + random.uniform());
        let place = Affine3A::from_scale_rotation_translation(Vec3::splat(radius), Quat::IDENTITY, center);
        let (sphere, point) = (
            [Shape::new(Geometry::Sphere, place)],
            [Shape::new(spheres(radius, center), Affine3A::IDENTITY)],
        );
        let (exact, accel) = (build(&sphere), build(&point));
        for _ in 0..50 {
            let origin = random.direction() * 9.0;
            let target = center + random.direction() * (radius * random.uniform());
            let ray = Ray::new(origin, (target - origin).normalize());
            let expected = trace(&exact, &sphere, &ray).expect("the ray aims inside");
            let found = trace(&accel, &point, &ray).expect("the ray aims inside");
            assert!((found.t - expected.t).abs() < 1e-5 && found.ng.dot(expected.ng) > 0.9999);
            assert!(found.uv.distance(expected.uv) < 1e-3 || (found.uv.x - expected.uv.x).abs() > 0.99);
            assert!(accel.intersect(&found.spawn_ray(found.ng), ALL).is_none());
        }
    }
}

/// The parameter runs from the root to the tip, the offset from −1 to 1 across, and the derivatives follow.
#[test]
fn parameters_run_along_and_across() {
    for style in STYLES {
        for basis in BASES {
            let vertices = (0..7).map(|i: u16| Vec4::new(f32::from(i), 0.0, 0.0, 0.1)).collect();
            let shapes = [Shape::new(strand(basis, style, vertices, Vec3::Z), Affine3A::IDENTITY)];
            let accel = build(&shapes);
            let phantom = if matches!(basis, CurveBasis::BSpline | CurveBasis::CatmullRom) {
                1.0
            } else {
                0.0
            };
            for x in [1.25f32, 2.0, 3.1, 4.9] {
                for offset in [-0.9f32, -0.3, 0.0, 0.6] {
                    let ray = Ray::new(Vec3::new(x, 0.1 * offset, 4.0), Vec3::NEG_Z);
                    let it = trace(&accel, &shapes, &ray).expect("the ray aims inside");
                    let expected = (x - phantom) / (6.0 - 2.0 * phantom);
                    assert!((it.uv.x - expected).abs() < 1e-5, "{basis:?} {style:?} at {x}: {}", it.uv);
                    assert!((it.uv.y - offset).abs() < 1e-4, "{basis:?} {style:?} at {offset}: {}", it.uv);
                    assert!((it.dpdu.length() - (6.0 - 2.0 * phantom)).abs() < 1e-3);
                    assert!(it.dpdu.normalize().x > 0.999 && it.dpdv.dot(Vec3::Y) > 0.0);
                    assert!(it.dpdu.cross(it.dpdv).dot(it.ng) > 0.0);
                }
            }
        }
    }
}

/// A flat ribbon hits as the rectangle across its normals does; a facing one as a rectangle that faces the ray.
#[test]
fn ribbons_are_rectangles() {
    let mut random = Random(8);
    let vertices = vec![Vec4::new(-1.0, 0.0, 0.0, 0.25), Vec4::new(1.0, 0.0, 0.0, 0.25)];
    let flat = [Shape::new(
        strand(CurveBasis::Linear, CurveStyle::Flat, vertices.clone(), Vec3::Z),
        Affine3A::IDENTITY,
    )];
    let facing = [Shape::new(
        strand(CurveBasis::Linear, CurveStyle::Ribbon, vertices, Vec3::Z),
        Affine3A::IDENTITY,
    )];
    let (flat_accel, facing_accel) = (build(&flat), build(&facing));
    for _ in 0..4_000 {
        let origin = random.direction() * 5.0;
        let target = random.direction() * 1.2;
        let direction = (target - origin).normalize();
        let ray = Ray::new(origin, direction);
        let p = origin + direction * (-origin.z / direction.z);
        let inside = (0.25 - p.y.abs()).min(1.0 - p.x.abs());
        if inside.abs() > 1e-4 {
            let found = trace(&flat_accel, &flat, &ray);
            assert_eq!(found.is_some(), inside > 0.0, "{ray:?} at {p}: {found:?}");
            assert!(found.is_none_or(|it| it.p.distance(p) < 1e-5));
        }
        // The plane through the axis that faces the ray.
        let normal = (-direction).with_x(0.0).normalize();
        let p = origin - direction * (origin.dot(normal) / direction.dot(normal));
        let inside = (0.25 - p.with_x(0.0).length()).min(1.0 - p.x.abs());
        if inside.abs() > 1e-4 {
            let found = trace(&facing_accel, &facing, &ray);
            assert_eq!(found.is_some(), inside > 0.0, "{ray:?} at {p}: {found:?}");
            assert!(found.is_none_or(|it| it.p.distance(p) < 1e-5 && it.ng.dot(normal) > 0.9999));
        }
    }
}

/// The offset across a bent tube is that from its axis as the ray sees it.
#[test]
fn interactions_of_bent_tubes_are_on_their_surface() {
    let mut random = Random(9);
    let vertices = (0..8).map(|i: u16| {
        let s = f32::from(i);
        Vec4::new((0.7 * s).sin(), (0.5 * s).cos(), 0.3 * s, 0.05)
    });
    let geometry = strand(CurveBasis::BSpline, CurveStyle::Round, vertices.collect(), Vec3::X);
    let shapes = [Shape::new(geometry, Affine3A::IDENTITY)];
    let accel = build(&shapes);
    let mut hits = 0;
    for _ in 0..20_000 {
        let origin = Vec3::new(0.0, 0.0, 1.0) + random.direction() * 5.0;
        let target = Vec3::new(0.0, 0.0, 1.0) + random.direction();
        let ray = Ray::new(origin, (target - origin).normalize());
        let Some(hit) = accel.intersect(&ray, ALL) else {
            continue;
        };
        hits += 1;
        let it = shapes[0].interaction(ShapeId(0), &hit, &ray, Tangents::ByUv);
        assert!(it.p.distance(ray.at(hit.t)) < 1e-5);
        // The hemispheres at the ends have other normals.
        if it.uv.x == 0.0 || it.uv.x == 1.0 {
            continue;
        }
        let tangent = it.dpdu.normalize();
        let across = it.wo - tangent * tangent.dot(it.wo);
        let sine = it.ng.cross(across.normalize()).length();
        assert!((sine - it.uv.y.abs()).abs() < 1e-2, "{it:?}");
    }
    assert!(hits > 1_000, "{hits}");
}

// ---- Scene files.

/// Loads a scene with one shape; the messages of its errors.
fn errors(shape: &str, file: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    std::fs::write(folder.path().join("a.hair"), file).expect("the file can be written");
    let path = folder.path().join("scene.kiln");
    std::fs::write(&path, shape).expect("the scene can be written");
    match load(&path, &LoadOptions::default()) {
        Ok(_) => String::new(),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn mistakes_in_curves_are_diagnosed() {
    let camera = "camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }";
    for (shape, message) in [
        ("curves { points = (0, 0, 0, 1, 0, 0); }", ""),
        ("points { points = (0, 0, 0); radius = 0.5; }", ""),
        ("curves { points = (0, 0, 0, 1, 0, 0, 1, 1, 0); basis = bspline; }", ""),
        ("curves { points = (0, 0, 0); }", "curve 0 has 1 points"),
        ("curves { points = (0, 0, 0, 1); }", "three for each point"),
        (
            "curves { points = (0, 0, 0, 1, 0, 0); basis = bezier; }",
            "a Bézier curve has 4",
        ),
        (
            "curves { points = (0, 0, 0, 1, 0, 0); radius = 1e30; }",
            "radius 1000000000000000000000000000000",
        ),
        ("curves { points = (0, 0, 0, 1, 0, 0); radius = -1; }", "radius -1"),
        ("curves { points = (0, 0, 0, 1e30, 0, 0); }", "within 1e15 m"),
        (
            "curves { points = (0, 0, 0, 1, 0, 0); counts = (1e9, 5); }",
            "the curves have 1000000005 points",
        ),
        ("curves { points = (0, 0, 0, 1, 0, 0); style = flat; }", "0 finite normals"),
        ("curves { }", "curves need `file` or `points`"),
        ("curves { file = \"a.hair\"; }", "a.hair"),
        ("points { file = \"none.ply\"; }", "no such file"),
    ] {
        let found = errors(&format!("{camera} shape x : {shape}"), b"HAIR\x01\0\0\0");
        assert_eq!(found.is_empty(), message.is_empty(), "{shape}: {found}");
        assert!(found.contains(message), "{shape}: {found}");
    }
}

#[test]
fn emission_of_ribbons_that_face_rays_is_reported() {
    let camera = "camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }";
    for (kind, material, is_reported) in [
        ("curves { style = ribbon;", "emitter()", true),
        ("curves { style = ribbon;", "matte()", false),
        ("curves {", "emitter()", false),
        ("points { style = disc;", "emitter()", false),
    ] {
        let shape = format!("shape glow : {kind} points = (0, 0, 0, 1, 0, 0); material = {material}; }}");
        let desc = load_text(&format!("{camera} {shape}"), &[]);
        let built = build_scene(&desc, None, 1).unwrap_or_else(|errors| panic!("{errors}"));
        let warnings = built.warnings.to_string();
        for part in ["`glow` emits light that is found by scattered rays only", "`photon` may lack"] {
            assert_eq!(warnings.contains(part), is_reported, "{kind} of {material}: {warnings}");
        }
    }
}
