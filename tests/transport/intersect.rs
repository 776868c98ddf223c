//! Ray intersection with shapes of known hits.

mod animated;
mod equivalent_shapes;

use std::sync::Arc;

use glam::{Affine3A, DVec3, Vec2, Vec3};
use renderer::accel::{ALL, Accel, BuildQuality};
use renderer::geometry::{Geometry, Interaction, Mesh, Shape, ShapeId, Tangents, add_world_meshes};
use renderer::math::Ray;
use support::random::Random;
use support::scenes::globe;

// ---- Helpers.

pub(crate) fn mesh(mesh: Mesh) -> Geometry {
    Geometry::Mesh(Arc::new(mesh.validate().expect("the test's mesh is valid")))
}

fn build(shapes: &[Shape]) -> Accel {
    Accel::build(shapes, &[], 1).expect("Embree builds")
}

pub(crate) fn trace(accel: &Accel, shapes: &[Shape], ray: &Ray) -> Option<Interaction> {
    let hit = accel.intersect(ray, ALL)?;
    Some(shapes[hit.shape.0 as usize].interaction(hit.shape, &hit, ray, Tangents::ByUv))
}

/// Embree's distances and coordinates start from approximate reciprocals, which differ between processors; therefore
/// their last bits must not affect interactions.
#[test]
fn last_bits_of_embree_results_have_no_effect() {
    let mut random = Random(7);
    for round in 0..40 {
        let mut shapes = vec![Shape::new(mesh(globe(12, 24)), random.transform())];
        if round % 2 == 0 {
            add_world_meshes(&mut shapes);
        }
        let accel = build(&shapes);
        let bounds = accel.bounds();
        for _ in 0..100 {
            let ray = random.ray_at(bounds.center(), bounds.radius());
            let Some(hit) = accel.intersect(&ray, ALL) else {
                continue;
            };
            let other = renderer::accel::Hit {
                t: hit.t * (1.0 + 3.0 * f32::EPSILON),
                barycentric: hit.barycentric * (1.0 - 3.0 * f32::EPSILON),
                ..hit
            };
            let [it, same] =
                [hit, other].map(|hit| shapes[0].interaction(hit.shape, &hit, &ray, Tangents::ByUv));
            let bits = |it: &Interaction| format!("{it:?}");
            assert_eq!(bits(&it), bits(&same));
            let close = 1e-4 * (1.0 + bounds.radius() + ray.origin.length());
            assert!((it.t - hit.t).abs() < close && it.p.distance(ray.at(hit.t)) < close);
        }
    }
}

// ---- Analytic answers.

/// Traces random rays at one shape under random transforms, and compares each with `expected`: the object-space
/// distance, in units of the direction, and the normal for an object-space ray.
fn check_against(geometry: &Geometry, expected: impl Fn(DVec3, DVec3) -> Option<(f64, DVec3)>) {
    let mut random = Random(1);
    let (mut hits, mut rays) = (0, 0);
    for round in 0..40 {
        let world_from_object = if round == 0 { Affine3A::IDENTITY } else { random.transform() };
        let mut shapes = vec![Shape::new(geometry.clone(), world_from_object)];
        if round % 2 == 0 {
            add_world_meshes(&mut shapes);
        }
        let accel = build(&shapes);
        let bounds = accel.bounds();
        for _ in 0..500 {
            let ray = random.ray_at(bounds.center(), bounds.radius());
            let inverse = world_from_object.inverse();
            let origin = inverse.transform_point3(ray.origin).as_dvec3();
            let direction = inverse.transform_vector3(ray.direction).as_dvec3();
            let found = trace(&accel, &shapes, &ray);
            rays += 1;
            match (expected(origin, direction), &found) {
                (Some((t, n)), Some(found)) => {
                    hits += 1;
                    let close = 1e-4 * (1.0 + bounds.radius() + ray.origin.length());
                    assert!((f64::from(found.t) - t).abs() < f64::from(close), "{} is not {t}", found.t);
                    assert!(found.p.distance(ray.at(found.t)) < close, "{found:?}");
                    let normals = inverse.matrix3.transpose();
                    let n = (normals * n.as_vec3()).normalize();
                    assert!(found.ng.distance(n) < 2e-3, "{} is not {n}", found.ng);
                    check_frame(found);
                }
                (None, None) => {}
                // At an edge, both answers are valid: the result must equal that of a neighbouring ray.
                (expected_hit, _) => {
                    let near = |offset: Vec3| {
                        let offset = inverse.transform_vector3(offset * 1e-4 * bounds.radius()).as_dvec3();
                        expected(origin + offset, direction).is_some() != expected_hit.is_some()
                    };
                    let sides = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
                    assert!(sides.into_iter().any(near), "{found:?} for {ray:?}");
                }
            }
            assert_eq!(accel.occluded(&ray, ALL), found.is_some());
        }
    }
    assert!(hits * 10 > rays, "{hits} hits of {rays} rays are too few to show anything");
}

/// Asserts the invariants of every interaction.
fn check_frame(found: &Interaction) {
    assert!(
        (found.ng.length() - 1.0).abs() < 1e-5 && (found.n.length() - 1.0).abs() < 1e-5,
        "{found:?}"
    );
    assert!(found.n.dot(found.ng) >= 0.0, "{found:?}");
    for derivative in [found.dpdu, found.dpdv] {
        assert!(derivative.is_finite() && derivative.length() > 0.0, "{found:?}");
        assert!(derivative.normalize().dot(found.ng).abs() < 1e-3, "{found:?}");
    }
    assert!(
        found.uv.is_finite() && found.p_error >= 0.0 && found.p_error < 1e-3,
        "{found:?}"
    );
}

#[test]
fn sphere_hits_solve_the_quadratic() {
    check_against(&Geometry::Sphere, |o, d| {
        let (a, b, c) = (d.length_squared(), o.dot(d), o.length_squared() - 1.0);
        let root = (b * b - a * c).sqrt();
        let t = (-b - root) / a;
        (t > 0.0).then(|| (t, (o + d * t).normalize()))
    });
}

#[test]
fn disk_hits_are_in_its_plane() {
    check_against(&Geometry::Disk, |o, d| {
        let t = -o.z / d.z;
        let p = o + d * t;
        (t > 0.0 && p.x * p.x + p.y * p.y <= 1.0).then_some((t, DVec3::Z))
    });
}

#[test]
fn cylinder_hits_solve_the_quadratic() {
    check_against(&Geometry::Cylinder, |o, d| {
        let (a, b, c) = (d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y - 1.0);
        let root = (b * b - a * c).sqrt();
        let on_wall = |t: f64| t > 0.0 && (0.0..=1.0).contains(&(o.z + t * d.z));
        let t = [(-b - root) / a, (-b + root) / a].into_iter().find(|&t| on_wall(t))?;
        Some((t, (o + d * t).with_z(0.0).normalize()))
    });
}

#[test]
fn cone_hits_solve_the_quadratic() {
    for top in [0.0, 0.4] {
        let k = 1.0 - f64::from(top);
        check_against(&Geometry::Cone(top), |o, d| {
            let (radius, change) = (1.0 - k * o.z, -k * d.z);
            let a = d.x * d.x + d.y * d.y - change * change;
            let b = o.x * d.x + o.y * d.y - radius * change;
            let c = o.x * o.x + o.y * o.y - radius * radius;
            let root = (b * b - a * c).sqrt();
            let on_wall = |t: &f64| *t > 0.0 && (0.0..=1.0).contains(&(o.z + t * d.z));
            let roots = [(-b - root) / a, (-b + root) / a].into_iter().filter(on_wall);
            let t = roots.min_by(f64::total_cmp)?;
            let p = o + d * t;
            Some((t, p.with_z(0.0).normalize().with_z(k).normalize()))
        });
    }
}

#[test]
fn rectangle_hits_are_in_its_plane() {
    check_against(&mesh(Mesh::rectangle()), |o, d| {
        let t = -o.z / d.z;
        let p = o + d * t;
        (t > 0.0 && p.x.abs() <= 1.0 && p.y.abs() <= 1.0).then_some((t, DVec3::Z))
    });
}

#[test]
fn cube_hits_match_the_slab_test() {
    check_against(&mesh(Mesh::cube()), |o, d| {
        let (near, far) = ((-d.signum() - o) / d, (d.signum() - o) / d);
        let t = near.max_element();
        let axis = [DVec3::X, DVec3::Y, DVec3::Z][near.max_position()];
        (t > 0.0 && t <= far.min_element()).then(|| (t, axis * -d.dot(axis).signum()))
    });
}

// ---- Instances, masks, bounds of rays.

#[test]
fn instances_match_transformed_copies() {
    let mut random = Random(2);
    let shared = mesh(globe(12, 24));
    let transforms: Vec<Affine3A> = (0..6).map(|_| random.transform()).collect();
    let instances: Vec<Shape> = transforms.iter().map(|&t| Shape::new(shared.clone(), t)).collect();
    let mut copies: Vec<Shape> = transforms.iter().map(|&t| Shape::new(mesh(globe(12, 24)), t)).collect();
    add_world_meshes(&mut copies);
    let (instanced, baked) = (build(&instances), build(&copies));
    let mut hits = 0;
    for _ in 0..20_000 {
        let ray = random.ray_at(baked.bounds().center(), baked.bounds().radius());
        match (trace(&instanced, &instances, &ray), trace(&baked, &copies, &ray)) {
            (Some(a), Some(b)) if a.shape == b.shape && a.primitive == b.primitive => {
                hits += 1;
                // Rounding of a grazing ray is amplified along the surface.
                let close = 1e-4 * (1.0 + 0.1 / a.ng.dot(a.wo).abs());
                assert!(a.p.distance(b.p) < close && a.uv.distance(b.uv) < 1e-3, "{a:?} is not {b:?}");
                assert!(a.ng.distance(b.ng) < 1e-3 && a.n.distance(b.n) < 1e-3, "{a:?} is not {b:?}");
                assert!(a.dpdu.distance(b.dpdu) < 1e-2 * b.dpdu.length(), "{a:?} is not {b:?}");
            }
            // Near an edge, rays may hit different primitives of a shape, at the same place.
            (Some(a), Some(b)) => {
                assert!(a.p.distance(b.p) < 1e-2 || a.shape != b.shape, "{a:?} is not {b:?}");
            }
            (None, None) => {}
            (a, b) => assert!(a.or(b).is_some_and(|hit| hit.ng.dot(hit.wo).abs() < 0.1), "only one is hit"),
        }
    }
    assert!(hits > 2_000, "{hits}");
}

#[test]
fn masks_select_visible_shapes() {
    let at = |z: f32| Affine3A::from_translation(Vec3::new(0.0, 0.0, z));
    let shared = mesh(Mesh::rectangle());
    let shapes = [
        Shape::new(Geometry::Sphere, at(-10.0)),
        Shape::new(shared.clone(), at(-20.0)),
        Shape::new(shared, at(-30.0)),
        Shape::new(mesh(Mesh::rectangle()), at(-40.0)),
    ];
    let accel = Accel::build(&shapes, &[1, 2, 4, 8], 1).expect("Embree builds");
    let ray = Ray::new(Vec3::new(0.1, 0.2, 0.0), Vec3::NEG_Z);
    for (mask, seen) in [
        (1, Some(0)),
        (2, Some(1)),
        (4, Some(2)),
        (8, Some(3)),
        (12, Some(2)),
        (16, None),
        (0, None),
    ] {
        assert_eq!(
            accel.intersect(&ray, mask).map(|hit| hit.shape),
            seen.map(ShapeId),
            "mask {mask}"
        );
        assert_eq!(accel.occluded(&ray, mask), seen.is_some(), "mask {mask}");
    }
}

#[test]
fn rays_end_at_t_max() {
    let shapes = [
        Shape::new(Geometry::Sphere, Affine3A::IDENTITY),
        Shape::new(mesh(Mesh::rectangle()), Affine3A::from_translation(Vec3::new(0.0, 0.0, -3.0))),
    ];
    let accel = build(&shapes);
    let ray = Ray::new(Vec3::new(0.0, 0.0, 2.0), Vec3::NEG_Z);
    for (t_min, t_max, t) in [
        (0.0, f32::INFINITY, Some(1.0)),
        (1.5, f32::INFINITY, Some(3.0)),
        (3.5, f32::INFINITY, Some(5.0)),
        (5.5, f32::INFINITY, None),
        (0.0, 0.5, None),
        (1.5, 2.5, None),
    ] {
        let ray = Ray { t_min, t_max, ..ray };
        let found = accel.intersect(&ray, ALL).map(|hit| hit.t);
        let is_it = match (found, t) {
            (Some(found), Some(t)) => (found - t).abs() < 1e-6 * t,
            (found, t) => found == t,
        };
        assert!(is_it, "from {t_min} to {t_max}: {found:?}");
        assert_eq!(accel.occluded(&ray, ALL), t.is_some(), "from {t_min} to {t_max}");
    }
}

#[test]
fn invalid_rays_and_empty_scenes_have_no_hits() {
    let empty = build(&[]);
    assert!(empty.bounds().is_empty());
    assert!(empty.intersect(&Ray::new(Vec3::ZERO, Vec3::X), ALL).is_none());
    let accel = build(&[
        Shape::new(Geometry::Sphere, Affine3A::IDENTITY),
        Shape::new(mesh(globe(12, 24)), Affine3A::from_translation(Vec3::X * 3.0)),
        Shape::new(Geometry::Cylinder, Affine3A::from_scale(Vec3::ZERO)),
    ]);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let (origin, direction) = (Vec3::splat(-5.0) + axis * bad, Vec3::ONE.normalize());
            assert!(accel.intersect(&Ray::new(origin, direction), ALL).is_none());
            assert!(!accel.occluded(&Ray::new(Vec3::ZERO, axis * bad), ALL) || bad.is_infinite());
        }
    }
    assert!(accel.intersect(&Ray::new(Vec3::ZERO, Vec3::ZERO), ALL).is_none());
}

// ---- Edges and surfaces.

/// No ray from inside escapes, at any edge. (Of rays aimed exactly at a vertex, Embree's robust mode misses three in a
/// thousand; random rays never hit a vertex exactly.)
fn check_watertight(closed: Mesh, transform: Affine3A) {
    let shapes = [Shape::new(mesh(closed), transform)];
    let accel = build(&shapes);
    let mut random = Random(3);
    for primitive in 0..shapes[0].primitive_count() {
        let corners = shapes[0].triangle(primitive);
        for corner in 0..3 {
            let (a, b) = (corners[corner], corners[(corner + 1) % 3]);
            for weight in [0.5, random.between(0.01, 0.99), random.between(0.01, 0.99)] {
                let inside = random.direction() * (0.3 * random.uniform());
                let origin = transform.transform_point3(inside);
                let ray = Ray::new(origin, (a.lerp(b, weight) - origin).normalize());
                assert!(accel.occluded(&ray, ALL), "{ray:?} escapes at triangle {primitive}");
                assert!(accel.intersect(&ray, ALL).is_some(), "{ray:?} escapes at triangle {primitive}");
            }
        }
    }
}

#[test]
fn no_ray_escapes_between_triangles() {
    let mut random = Random(4);
    for round in 0..10 {
        let transform = if round == 0 { Affine3A::IDENTITY } else { random.transform() };
        check_watertight(Mesh::cube(), transform);
        check_watertight(globe(40, 80), transform);
    }
}

/// Rays that leave the surface of a convex shape, even at grazing angles, hit nothing; those into it hit the other
/// side.
fn check_no_self_hits(shapes: &[Shape], origin_of: impl Fn(&Interaction, Vec3) -> Vec3) {
    let accel = build(shapes);
    let mut random = Random(5);
    let mut hits = 0;
    for _ in 0..20_000 {
        let ray = random.ray_at(accel.bounds().center(), accel.bounds().radius());
        let Some(found) = trace(&accel, shapes, &ray) else {
            continue;
        };
        hits += 1;
        let mut direction = random.direction();
        if hits % 2 == 0 {
            // Nearly along the surface.
            direction =
                (direction - found.ng * (direction.dot(found.ng) - random.between(0.0, 1e-3))).normalize();
        }
        direction *= direction.dot(found.ng).signum();
        let leaving = Ray::new(origin_of(&found, direction), direction);
        assert!(!accel.occluded(&leaving, ALL), "{found:?} blocks {leaving:?}");
    }
    assert!(hits > 1_000, "{hits}");
}

#[test]
fn spawned_rays_do_not_hit_their_surface() {
    let mut random = Random(6);
    for round in 0..24 {
        let transform = if round < 3 { Affine3A::IDENTITY } else { random.transform() };
        // From a grain to a landscape, and away from the origin.
        let size = Affine3A::from_scale(Vec3::splat([1.0, 1e-3, 1e4][round % 3]));
        let transform = size * transform;
        for geometry in [Geometry::Sphere, Geometry::Disk, mesh(Mesh::cube()), mesh(globe(12, 24))] {
            let one = [Shape::new(geometry.clone(), transform)];
            let far = Affine3A::from_translation(size.transform_vector3(Vec3::splat(1e3)));
            // A mesh used twice is traced as instances.
            let two = [Shape::new(geometry.clone(), transform), Shape::new(geometry, far * transform)];
            check_no_self_hits(&one, |found, direction| found.ray_end().ray_origin(direction));
            check_no_self_hits(&two[..1], |found, direction| found.ray_end().ray_origin(direction));
            check_no_self_hits(&two[1..], |found, direction| found.ray_end().ray_origin(direction));
        }
    }
}

#[test]
fn normals_stay_outward_when_mirrored_and_turn_when_flipped() {
    let mut random = Random(7);
    for geometry in [Geometry::Sphere, mesh(Mesh::cube()), mesh(globe(12, 24))] {
        for mirror in [Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0), Vec3::new(2.0, -0.5, 1.0), -Vec3::ONE] {
            for (flip, baked) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut shape = Shape::new(geometry.clone(), Affine3A::from_scale(mirror));
                shape.flip_normals = flip;
                if baked {
                    shape.add_world_mesh();
                }
                let shapes = [shape];
                let accel = build(&shapes);
                for _ in 0..200 {
                    let ray = Ray::new(random.direction() * 5.0, Vec3::X);
                    let ray = Ray { direction: -ray.origin.normalize(), ..ray };
                    let found = trace(&accel, &shapes, &ray).expect("the ray aims at the middle");
                    let outward = if flip { -1.0 } else { 1.0 };
                    assert!(found.ng.dot(found.wo) * outward > 0.0, "{found:?} under {mirror}");
                    assert!(found.n.dot(found.ng) > 0.0, "{found:?} under {mirror}");
                }
            }
        }
    }
}

#[test]
fn smooth_normals_follow_the_surface_under_stretching() {
    let stretch = Affine3A::from_scale(Vec3::new(3.0, 1.0, 0.5));
    let shapes = [Shape::new(mesh(globe(60, 120)), stretch)];
    let ellipsoid = [Shape::new(Geometry::Sphere, stretch)];
    let (accel, exact) = (build(&shapes), build(&ellipsoid));
    let mut random = Random(8);
    for _ in 0..2_000 {
        let origin = random.direction() * 8.0;
        let ray = Ray::new(origin, -origin.normalize());
        let found = trace(&accel, &shapes, &ray).expect("the ray aims at the middle");
        let exact = trace(&exact, &ellipsoid, &ray).expect("the ray aims at the middle");
        assert!(found.n.distance(exact.n) < 0.05, "{found:?} is not {exact:?}");
        // Texture coordinates also agree, away from the poles.
        if exact.uv.y > 0.1 && exact.uv.y < 0.9 {
            let (du, dv) = (found.dpdu.normalize(), found.dpdv.normalize());
            assert!(
                du.dot(exact.dpdu.normalize()) > 0.95 && dv.dot(exact.dpdv.normalize()) > 0.95,
                "{found:?}"
            );
        }
    }
}

#[test]
fn smooth_normals_of_the_mesh_are_preserved() {
    let mut random = Random(3);
    for stretch in [Vec3::ONE, Vec3::new(3.0, -1.0, 0.5)] {
        let mut rough = globe(200, 400);
        for p in &mut rough.positions {
            *p += random.direction() * 0.002;
        }
        rough.normals.clear();
        let smooth = rough.with_vertex_normals(&Affine3A::from_scale(stretch));
        let given = smooth.clone().validate().expect("it was a mesh before");
        assert_eq!(given.normals, smooth.normals);
    }
}

#[test]
fn hits_do_not_depend_on_build_threads() {
    // Ties could differ: rays at shared edges and vertices, and two coincident sheets.
    let sheet = || Shape::new(mesh(globe(100, 200)), Affine3A::from_scale(Vec3::new(1.0, 2.0, 3.0)));
    let shapes = [sheet(), sheet()];
    for quality in [BuildQuality::High, BuildQuality::Medium, BuildQuality::Low] {
        let builds = [1, 2, 3, 2].map(|threads| {
            Accel::build_with(&shapes, &[], threads, Some(quality), None).expect("Embree builds")
        });
        check_ties(&shapes, &builds, &format!("{quality:?}"));
    }
}

/// Checks that all structures give the same hits at shared edges and vertices.
fn check_ties(shapes: &[Shape], builds: &[Accel], name: &str) {
    let mut random = Random(9);
    let mut hits = 0;
    for primitive in 0..shapes[0].primitive_count() {
        let corners = shapes[0].triangle(primitive);
        for corner in 0..3 {
            for target in [corners[corner], corners[corner].lerp(corners[(corner + 1) % 3], random.uniform())]
            {
                let origin = random.direction() * 5.0;
                let ray = Ray::new(origin, (target - origin).normalize());
                let found = builds[0].intersect(&ray, ALL);
                hits += u32::from(found.is_some());
                for other in &builds[1..] {
                    assert_eq!(other.intersect(&ray, ALL), found, "{name}: {ray:?}");
                }
            }
        }
    }
    assert!(hits > 200_000, "{hits}");
}

#[test]
fn hits_do_not_depend_on_build_quality() {
    let shapes = [Shape::new(mesh(globe(100, 200)), Affine3A::from_scale(Vec3::new(1.0, 2.0, 3.0)))];
    let builds = [BuildQuality::Low, BuildQuality::Medium, BuildQuality::High]
        .map(|quality| Accel::build_with(&shapes, &[], 1, Some(quality), None).expect("Embree builds"));
    let memory = builds.each_ref().map(Accel::memory);
    assert_ne!(memory[0], memory[1]);
    let mut random = Random(11);
    let mut hits = 0;
    for _ in 0..20_000 {
        let ray = random.ray_at(Vec3::ZERO, 3.0);
        let found = builds.each_ref().map(|accel| accel.intersect(&ray, ALL));
        hits += u32::from(found[0].is_some());
        assert!(found[0] == found[1] && found[1] == found[2], "{ray:?}: {found:?}");
    }
    assert!(hits > 5_000, "{hits}");
}

#[test]
fn meshes_without_attributes_have_the_same_points() {
    let mut random = Random(12);
    for round in 0..8 {
        let place = if round == 0 { Affine3A::IDENTITY } else { random.transform() };
        let geometry = mesh(globe(20, 40));
        let mut shapes = [Shape::new(geometry.clone(), place), Shape::new(geometry, place)];
        shapes[round % 2].flip_normals = true;
        shapes[1 - round % 2].flip_normals = true;
        let [whole, positions] = &mut shapes;
        whole.add_world_mesh();
        positions.add_world_positions();
        assert!(positions.memory() < whole.memory());
        let accels = [&*whole, &*positions].map(|shape| build(std::slice::from_ref(shape)));
        let bounds = accels[0].bounds();
        for _ in 0..500 {
            let ray = random.ray_at(bounds.center(), bounds.radius());
            let [a, b] = [0, 1].map(|i| trace(&accels[i], &shapes[i..=i], &ray));
            assert_eq!(format!("{a:?}"), format!("{b:?}"));
            if let (Some(a), Some(b)) = (&a, &b) {
                let change = |i: usize, it| shapes[i].normal_change(it, Vec3::splat(1e-3));
                assert_eq!(change(0, a), change(1, b));
            }
        }
    }
}

#[test]
fn many_instances_match_few_instances() {
    // Above 65,536 instances, Embree uses arrays; two meshes, each with two masks.
    let meshes = [mesh(globe(4, 8)), mesh(Mesh::cube())];
    let mut random = Random(13);
    let count = 70_000;
    let shape = |i: usize, random: &mut Random| {
        let place = Affine3A::from_translation(random.direction() * 40.0) * random.transform();
        let place = Affine3A { matrix3: place.matrix3 * 0.2, ..place };
        Shape::new(meshes[i % 2].clone(), place)
    };
    let shapes: Vec<Shape> = (0..count).map(|i| shape(i, &mut random)).collect();
    let masks: Vec<u32> = (0..count).map(|i| 1 << (i / 2 % 2)).collect();
    let many = Accel::build(&shapes, &masks, 0).expect("Embree builds");
    assert!(many.memory() < 200 * count, "{} bytes each", many.memory() / count);
    let few = 500;
    let mut hits = 0;
    for _ in 0..200_000 {
        let ray = random.ray_at(Vec3::ZERO, 60.0);
        for mask in [1, 2, ALL] {
            let Some(found) = many.intersect(&ray, mask) else {
                assert!(!many.occluded(&ray, mask));
                continue;
            };
            assert!(many.occluded(&ray, mask) && masks[found.shape.0 as usize] & mask != 0);
            // The shape alone, as an instance.
            hits += 1;
            if hits <= few {
                let shape = &shapes[found.shape.0 as usize];
                let pair = [
                    shape.clone(),
                    Shape::new(shape.geometry.clone(), Affine3A::from_translation(Vec3::ONE * 1e6)),
                ];
                let alone = build(&pair).intersect(&ray, ALL).expect("the ray meets it");
                assert!((alone.t - found.t).abs() < 1e-5 * found.t, "{alone:?}, {found:?}");
            }
            // Rays that leave the surface do not hit it again.
            let shape = &shapes[found.shape.0 as usize];
            let it = shape.interaction(found.shape, &found, &ray, Tangents::Any);
            let direction = random.direction();
            let grazing = (direction - it.ng * (direction.dot(it.ng) - 1e-3)).normalize();
            for direction in [direction, grazing, -grazing] {
                let again = many.intersect(&it.spawn_ray(direction), ALL);
                let is_same = again
                    .is_some_and(|again| (again.shape, again.primitive) == (found.shape, found.primitive));
                assert!(!is_same, "{ray:?}: {found:?}, then {again:?}");
            }
        }
    }
    assert!(hits > few, "{hits}");
}

// ---- Area sampling.

#[test]
fn area_samples_are_on_the_surface_with_their_density() {
    let mut random = Random(10);
    for round in 0..6 {
        let transform = if round == 0 { Affine3A::IDENTITY } else { random.transform() };
        for geometry in [
            Geometry::Sphere,
            Geometry::Disk,
            Geometry::Cylinder,
            Geometry::Cone(0.0),
            Geometry::Cone(0.6),
            mesh(Mesh::cube()),
        ] {
            let shapes = [Shape::new(geometry, transform)];
            let (shape, accel) = (&shapes[0], build(&shapes));
            // The mean of 1/pdf over samples of the primitives is the area.
            let mut area = 0.0;
            const SIDE: u32 = 40;
            for primitive in 0..shape.primitive_count() {
                for cell in 0..SIDE * SIDE {
                    let place = |index: u32, jitter: f32| (index as f32 + jitter) / SIDE as f32;
                    let u =
                        Vec2::new(place(cell % SIDE, random.uniform()), place(cell / SIDE, random.uniform()));
                    let sample = shape.sample_area(primitive, u);
                    assert!(
                        (sample.pdf - shape.pdf_area(primitive, sample.point.ng)).abs() <= 1e-6 * sample.pdf
                    );
                    area += 1.0 / f64::from(sample.pdf) / f64::from(SIDE * SIDE);

                    // A ray from just above hits the surface there, with the same frame.
                    let point = sample.point;
                    let ray = Ray::new(point.p + point.ng * 1e-2, -point.ng);
                    let Some(found) = trace(&accel, &shapes, &ray) else {
                        // Beyond the rim by rounding.
                        continue;
                    };
                    assert!(found.p.distance(point.p) < 1e-4, "{point:?} is not {found:?}");
                    assert!(found.ng.distance(point.ng) < 1e-2, "{point:?} is not {found:?}");
                }
            }
            let expected = f64::from(shape.area());
            assert!(
                (area - expected).abs() < 5e-3 * expected,
                "{area} is not {expected} for {:?}",
                shape.geometry
            );
        }
    }
    let area = |geometry: Geometry, scale: Vec3| Shape::new(geometry, Affine3A::from_scale(scale)).area();
    let pi = std::f32::consts::PI;
    for (found, expected) in [
        (area(Geometry::Sphere, Vec3::splat(2.0)), 16.0 * pi),
        (area(Geometry::Disk, Vec3::new(2.0, 3.0, 0.1)), 6.0 * pi),
        (area(Geometry::Cylinder, Vec3::new(2.0, 2.0, 5.0)), 20.0 * pi),
        (area(mesh(Mesh::cube()), Vec3::new(1.0, 2.0, 3.0)), 88.0),
        (area(mesh(Mesh::plane(3.0)), Vec3::ONE), 9.0),
    ] {
        assert!((found - expected).abs() < 1e-4 * expected, "{found} is not {expected}");
    }
}

#[test]
fn uvs_map_back_to_their_point() {
    let mut random = Random(11);
    for geometry in [Geometry::Sphere, Geometry::Disk, Geometry::Cylinder, Geometry::Cone(0.2)] {
        let shape = Shape::new(geometry, random.transform());
        for _ in 0..1_000 {
            let uv = Vec2::new(random.between(0.05, 0.95), random.between(0.05, 0.95));
            let at = |uv: Vec2| shape.surface_point(0, uv);
            assert!(at(uv).uv.distance(uv) < 1e-5, "{:?} is not at {uv}", at(uv));
            // Derivatives against finite differences.
            let step = 1e-3;
            let du = (at(uv + Vec2::X * step).p - at(uv - Vec2::X * step).p) / (2.0 * step);
            let dv = (at(uv + Vec2::Y * step).p - at(uv - Vec2::Y * step).p) / (2.0 * step);
            assert!(at(uv).dpdu.distance(du) < 1e-2 * (1.0 + du.length()), "{:?}: {du}", at(uv));
            assert!(at(uv).dpdv.distance(dv) < 1e-2 * (1.0 + dv.length()), "{:?}: {dv}", at(uv));
        }
    }
}

#[test]
fn invalid_attributes_give_valid_frames() {
    // Coincident or collinear texture coordinates, zero or reversed normals, and a sliver.
    let mut square = Mesh::rectangle();
    square.normals = vec![Vec3::ZERO, Vec3::NEG_Z, Vec3::new(f32::NAN, 0.0, 0.0), Vec3::X];
    for uvs in [vec![Vec2::ZERO; 4], (0..4).map(|i| Vec2::splat(i as f32 * 0.1)).collect()] {
        let shapes = [Shape::new(mesh(Mesh { uvs, ..square.clone() }), Affine3A::IDENTITY)];
        let accel = build(&shapes);
        let mut random = Random(12);
        for _ in 0..1_000 {
            let origin = Vec3::new(random.between(-0.99, 0.99), random.between(-0.99, 0.99), 1.0);
            let found =
                trace(&accel, &shapes, &Ray::new(origin, Vec3::NEG_Z)).expect("the ray aims at the square");
            check_frame(&found);
        }
    }
    let sliver =
        Mesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0], vec![[0, 1, 2]]).expect("valid, if flat");
    assert_eq!(sliver.degenerate_count(), 1);
    let shape = Shape::new(Geometry::Mesh(Arc::new(sliver)), Affine3A::IDENTITY);
    let sample = shape.sample_area(0, Vec2::splat(0.5));
    assert!(sample.pdf == 0.0 && sample.point.ng.length() > 0.9 && sample.point.dpdu.is_finite());
}
