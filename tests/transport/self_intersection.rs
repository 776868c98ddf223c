//! Self-intersection: spawned rays miss their own surface and hit others just above it, from millimetres to 100 km, for
//! every kind of shape.

use crate::intersect::{mesh, trace};
use glam::{Affine3A, Quat, Vec3};
use renderer::accel::{ALL, Accel};
use renderer::color::Rgb;
use renderer::geometry::{Geometry, Interaction, Mesh, Shape, add_world_meshes};
use renderer::light::{EnvironmentLight, Light};
use renderer::math::{Ray, RayEnd};
use support::random::{Random, exact_turn};
use support::scenes::{Look, SceneBuilder, film, globe, mean, spot_meter};

// ---- Helpers.

fn build(shapes: &mut [Shape]) -> Accel {
    add_world_meshes(shapes);
    Accel::build(shapes, &[], 1).expect("Embree builds")
}

/// The square `[-1,1]²` in the xy plane as 2×2 quads, transformed by `place`.
fn grid(place: Affine3A) -> Mesh {
    let vertices = (0..9).map(|i| Vec3::new((i % 3) as f32 - 1.0, (i / 3) as f32 - 1.0, 0.0));
    let quads = [0, 1, 3, 4].map(|a: u32| [[a, a + 1, a + 4], [a, a + 4, a + 3]]);
    Mesh::new(
        vertices.map(|p| place.transform_point3(p)).collect(),
        quads.into_iter().flatten().collect(),
    )
    .expect("the grid is valid")
}

/// A direction on the side of `n`, alternately arbitrary and nearly along the surface.
fn leaving(random: &mut Random, n: Vec3) -> Vec3 {
    let direction = random.direction();
    let cosine = match random.uniform() < 0.5 {
        true => direction.dot(n).abs(),
        false => random.magnitude(1e-6, 1e-1),
    };
    (direction + n * (cosine - direction.dot(n))).normalize()
}

// ---- Flat surfaces under a uniform sky.

const ALBEDO: f32 = 0.5;

/// Asserts that the surface at `center`, with the unit normal `n` and at least `size` wide, shows its albedo
/// everywhere.
#[track_caller]
fn check_albedo(mut scene: SceneBuilder, center: Vec3, n: Vec3, size: f32, name: &str) {
    scene.light(Light::Environment(EnvironmentLight::Constant(Rgb::WHITE)));
    let along = n.any_orthonormal_vector();
    let camera = spot_meter(center + (n + 0.3 * along) * size, center, 0.9 * size);
    let look = Look { size: [16, 16], spp: 128, ..Look::default() };
    let image = film(&scene.build(), &camera, look).develop();
    let found = image.data.iter().sum::<f32>() / image.data.len() as f32;
    let darkest = image.data.iter().copied().fold(f32::INFINITY, f32::min);
    assert!((found - ALBEDO).abs() < 0.005 * ALBEDO, "{name}: {found}");
    assert!(darkest > 0.9 * ALBEDO, "{name}: a pixel of {darkest}");
}

#[test]
fn flat_meshes_show_their_albedo_under_a_uniform_sky() {
    let mut random = Random(1);
    for number in 0..120 {
        let world_from_grid = random.place(number, false);
        let size = world_from_grid.matrix3.x_axis.length();
        let mut scene = SceneBuilder::new();
        let material = scene.material(&format!("Ci = {ALBEDO} * diffuse(N);"));
        // The mesh itself in world space, or transformed by its shape: a single one, or one of two instances.
        let kind = ["mesh", "shape", "instance"][(number / 2) % 3];
        if kind == "mesh" {
            scene.shape(mesh(grid(world_from_grid)), Affine3A::IDENTITY, material);
        } else {
            let geometry = mesh(grid(Affine3A::IDENTITY));
            scene.shape(geometry.clone(), world_from_grid, material);
            if kind == "instance" {
                let below = Affine3A::from_translation(Vec3::Z * -3.0);
                scene.shape(geometry, world_from_grid * below, material);
            }
        }
        let center = world_from_grid.translation.into();
        let n = Vec3::from(world_from_grid.matrix3.z_axis).normalize();
        let name = format!("{kind} {number} of size {size} at {center} facing {n}");
        check_albedo(scene, center, n, size, &name);
    }
}

#[test]
fn shapes_in_a_coordinate_plane_show_their_albedo_under_a_uniform_sky() {
    let lying = Affine3A::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    for size in [1e-3, 0.5, 1.0, 1e3, 1e5] {
        let half = Affine3A::from_scale(Vec3::splat(0.5 * size));
        // The top of the cube is at y = 0, as in `cube { size = …; transform = translate(0, -size / 2, 0) }`.
        let below = Affine3A::from_translation(Vec3::Y * (-0.5 * size));
        for (name, geometry, world_from_object) in [
            ("plane", mesh(Mesh::plane(size)), Affine3A::IDENTITY),
            ("cube", mesh(Mesh::cube()), below * half),
            ("rectangle", mesh(Mesh::rectangle()), lying * half),
            ("disk", Geometry::Disk, lying * half),
        ] {
            let mut scene = SceneBuilder::new();
            let material = scene.material(&format!("Ci = {ALBEDO} * diffuse(N);"));
            scene.shape(geometry, world_from_object, material);
            check_albedo(scene, Vec3::ZERO, Vec3::Y, 0.7 * size, &format!("{name} of size {size}"));
        }
    }
}

#[test]
fn a_small_ground_at_height_zero_is_lit_by_a_ball() {
    let mut scene = SceneBuilder::new();
    let ground = scene.material(&format!("Ci = {ALBEDO} * diffuse(N);"));
    let glow = scene.material("Ci = emission();");
    scene.shape(mesh(Mesh::plane(0.5)), Affine3A::IDENTITY, ground);
    scene.shape(Geometry::Sphere, Affine3A::from_translation(Vec3::Y * 3.0), glow);
    let camera = spot_meter(Vec3::new(1.0, 1.0, 0.0), Vec3::ZERO, 1e-3);
    let (found, error) = mean(&scene.build(), &camera, Look::default());
    // The ball fills the solid angle of sine 1/3 about the normal.
    let expected = ALBEDO / 9.0;
    assert!((found.r - expected).abs() < 0.01 * expected + 5.0 * error, "{}", found.r);
}

// ---- Rays that leave a surface.

/// Convex or flat shapes of size 1, with the number of sides that rays can leave without hitting the shape again.
fn shapes() -> Vec<(&'static str, Geometry, u32)> {
    let mut random = Random(2);
    let triangle = [(); 3].map(|()| random.direction());
    let sliver = [Vec3::new(-0.9, -0.8, -0.7), Vec3::new(0.9, 0.8, 0.7), Vec3::new(0.1, 0.08, 0.1)];
    let of = |p: [Vec3; 3]| mesh(Mesh::new(p.to_vec(), vec![[0, 1, 2]]).expect("valid"));
    vec![
        ("sphere", Geometry::Sphere, 1),
        ("disk", Geometry::Disk, 2),
        ("cylinder", Geometry::Cylinder, 1),
        ("cone", Geometry::Cone(0.0), 1),
        ("frustum", Geometry::Cone(0.7), 1),
        ("cube", mesh(Mesh::cube()), 1),
        ("globe", mesh(globe(12, 24)), 1),
        ("grid", mesh(grid(Affine3A::IDENTITY)), 2),
        ("triangle", of(triangle), 2),
        ("sliver", of(sliver), 2),
    ]
}

/// Hit points of a shape with a random transform, from near and far origins.
fn points(random: &mut Random, accel: &Accel, shapes: &[Shape], count: usize) -> Vec<Interaction> {
    let (center, radius) = (shapes[0].bounds().center(), shapes[0].bounds().radius());
    (0..count)
        .filter_map(|_| {
            let mut ray = random.ray_at(center, radius);
            ray.origin -= ray.direction * random.magnitude(1.0, 1e4) * radius;
            trace(accel, shapes, &ray)
        })
        .collect()
}

/// Calls `check` with shapes of all kinds with random transforms, single and as instances, and points on them.
fn for_all_shapes(mut check: impl FnMut(&str, &mut Random, &Accel, &[Shape], u32, &Interaction)) {
    let mut random = Random(3);
    for number in 0..60 {
        for (name, geometry, sides) in shapes() {
            let uneven = number % 2 == 1;
            let world_from_object = random.place(number / 2, uneven);
            let mut shapes = vec![Shape::new(geometry.clone(), world_from_object)];
            if number / 2 % 2 == 1 {
                // The second use is invisible for rays and makes the first an instance.
                let size = world_from_object.matrix3.x_axis.length();
                let away = Affine3A::from_translation(Vec3::splat(1e5 * size));
                shapes.push(Shape::new(geometry, away * world_from_object));
            }
            add_world_meshes(&mut shapes);
            let accel = Accel::build(&shapes, &[ALL, 0], 1).expect("Embree builds");
            for point in points(&mut random, &accel, &shapes, 40) {
                check(name, &mut random, &accel, &shapes, sides, &point);
            }
        }
    }
}

#[test]
fn spawned_rays_miss_their_surface() {
    let mut rays = 0;
    for_all_shapes(|name, random, accel, shapes, sides, point| {
        for side in [1.0, -1.0].into_iter().take(sides as usize) {
            let direction = leaving(random, point.ng * side);
            let ray = point.spawn_ray(direction);
            let met = accel.intersect(&ray, ALL);
            assert!(met.is_none(), "{name} {:?}: {ray:?} from {point:?} meets {met:?}", shapes[0]);
            assert!(!accel.occluded(&ray, ALL));
            rays += 1;
        }
    });
    assert!(rays > 10_000, "{rays}");
}

#[test]
fn ray_offsets_are_a_few_ulps_of_the_coordinates() {
    for_all_shapes(|name, _, _, shapes, _, point| {
        let bounds = shapes[0].bounds();
        let extent = bounds.min.abs().max(bounds.max.abs()).max_element();
        let limit = match name {
            // Its normal is less precise, and so are its hits.
            "sliver" => 1024.0,
            // Their hits are computed in double precision.
            "sphere" | "disk" | "cylinder" => 8.0,
            _ => 64.0,
        };
        assert!(
            point.p_error <= limit * f32::EPSILON * extent && point.p_error > f32::MIN_POSITIVE,
            "{name}: {} units of {extent}, {:?}",
            point.p_error / (f32::EPSILON * extent),
            shapes[0]
        );
    });
}

#[test]
fn rays_hit_surfaces_just_above_their_origin() {
    let mut random = Random(4);
    for number in 0..300 {
        let world_from_grid = random.place(number, number % 2 == 1);
        let mut floor = vec![Shape::new(mesh(grid(Affine3A::IDENTITY)), world_from_grid)];
        let accel = build(&mut floor);
        let bounds = accel.bounds();
        let extent = bounds.min.abs().max(bounds.max.abs()).max_element();
        let n = Vec3::from(world_from_grid.matrix3.z_axis).normalize();
        // The vertices of the other surface are rounded, too.
        let gap = Affine3A::from_translation(n * (64.0 * f32::EPSILON * extent));
        let wider = Affine3A::from_scale(Vec3::splat(1.1));
        let mut both = vec![
            floor[0].clone(),
            Shape::new(mesh(grid(Affine3A::IDENTITY)), gap * world_from_grid * wider),
        ];
        let lid = build(&mut both);
        for point in points(&mut random, &accel, &floor, 40) {
            let direction = (n + 0.5 * random.direction()).normalize();
            let ray = point.spawn_ray(direction);
            let met = lid.intersect(&ray, ALL);
            assert!(met.is_some_and(|hit| hit.shape.0 == 1), "{ray:?} from {point:?} meets {met:?}");
        }
    }
}

#[test]
fn objects_a_tenth_of_a_millimetre_above_a_floor_cast_shadows() {
    // A floor of 1 m, arbitrarily rotated about the origin; a ground of 100 km at height zero.
    let turn = Affine3A::from_quat(Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 1.0));
    let level = Affine3A::from_mat3(exact_turn(1));
    for (name, floor) in [("floor", turn), ("ground", level * Affine3A::from_scale(Vec3::splat(5e4)))] {
        let n = Vec3::from(floor.matrix3.z_axis).normalize();
        let object = Affine3A::from_translation(n * 1e-4)
            * floor
            * Affine3A::from_scale(Vec3::splat(0.1 / floor.matrix3.x_axis.length()));
        let mut shapes = vec![
            Shape::new(mesh(grid(floor)), Affine3A::IDENTITY),
            Shape::new(mesh(grid(object)), Affine3A::IDENTITY),
        ];
        let (below, accel) = (build(&mut shapes[..1].to_vec()), build(&mut shapes));
        let mut random = Random(5);
        for _ in 0..1_000 {
            let target =
                object.transform_point3(Vec3::new(random.between(-0.9, 0.9), random.between(-0.9, 0.9), 0.0));
            let point = trace(&below, &shapes, &Ray::new(target + n, -n)).expect("the floor is below");
            let met = accel.intersect(&point.spawn_ray(n), ALL);
            assert!(met.is_some_and(|hit| hit.shape.0 == 1), "{name}: {point:?} meets {met:?}");
        }
    }
}

// ---- Rays between two surfaces.

#[test]
fn rays_between_two_surfaces_hit_neither() {
    let mut random = Random(6);
    let mut rays = 0;
    for number in 0..400 {
        let kinds = shapes();
        let mut pick = |number: usize| {
            let (_, geometry, sides) = kinds[(random.uniform() * kinds.len() as f32) as usize].clone();
            (Shape::new(geometry, random.place(number, number % 5 == 1)), sides)
        };
        // The distance between the two is arbitrary up to 100 km, and so is the size of the second.
        let (one, one_sides) = pick(number);
        let (mut other, other_sides) = pick(number + 1);
        let reach = one.bounds().radius() + other.bounds().radius();
        let way = random.direction() * random.magnitude(1.1, 1e3) * reach;
        let away = one.bounds().center() + way - other.bounds().center();
        other = Shape::new(
            other.geometry.clone(),
            other.placement().map(|world| Affine3A::from_translation(away) * *world),
        );
        let accels = [&one, &other].map(|shape| build(&mut [shape.clone()]));
        let mut from = points(&mut random, &accels[0], std::slice::from_ref(&one), 30);
        let to = points(&mut random, &accels[1], std::slice::from_ref(&other), 30);
        let mut both = [one, other];
        let accel = build(&mut both);
        for (a, b) in from.iter_mut().zip(&to) {
            let way = (b.p - a.p).normalize();
            let faces = |ng: Vec3, way: Vec3, sides: u32| sides == 2 || ng.dot(way) > 0.0;
            if !faces(a.ng, way, one_sides) || !faces(b.ng, -way, other_sides) {
                continue;
            }
            let ray = a.ray_to(&b.ray_end());
            assert!((ray.direction.length() - 1.0).abs() < 1e-6, "{ray:?}");
            let met = accel.intersect(&ray, ALL);
            assert!(met.is_none(), "{ray:?} from {a:?} to {b:?} meets {met:?}");
            rays += 1;
        }
    }
    assert!(rays > 1_000, "{rays}");
}

#[test]
fn rays_to_a_surface_hit_covers_just_before_it() {
    let mut random = Random(7);
    for number in 0..300 {
        let world_from_light = random.place(number, false);
        let size = world_from_light.matrix3.x_axis.length();
        let center = Vec3::from(world_from_light.translation);
        let n = Vec3::from(world_from_light.matrix3.z_axis).normalize();
        let distance = random.magnitude(0.1, 1e3) * size;
        let from = center + (n + 0.5 * random.direction()).normalize() * distance;
        let extent = from.abs().max(center.abs()).max_element() + size + distance;
        let gap = 64.0 * f32::EPSILON * extent;
        let cover =
            Affine3A::from_translation(n * gap) * world_from_light * Affine3A::from_scale(Vec3::splat(1.1));
        let light = [Shape::new(mesh(grid(Affine3A::IDENTITY)), world_from_light)];
        let cover = build(&mut [Shape::new(mesh(grid(Affine3A::IDENTITY)), cover)]);
        for _ in 0..40 {
            let u = glam::Vec2::new(random.uniform(), random.uniform());
            let point = light[0].sample_area((random.uniform() * 8.0) as u32, u).point;
            let ray = RayEnd::in_space(from).ray_to(&point.ray_end());
            assert!(cover.occluded(&ray, ALL), "{ray:?} passes {gap} before {point:?}");
        }
    }
}

#[test]
fn rays_between_points_within_their_error_have_zero_length() {
    let end = |y: f32, p_error: f32| RayEnd { p: Vec3::Y * y, p_error, ng: Vec3::Y };
    let ray = end(0.0, 1e-3).ray_to(&end(1e-3, 1e-3));
    assert!(ray.t_max == 0.0 && ray.direction.is_normalized(), "{ray:?}");
    let ray = end(0.0, 1e-3).ray_to(&end(0.0, 1e-3));
    assert!(ray.direction.is_normalized(), "{ray:?}");
    let ray = RayEnd::in_space(Vec3::ZERO).ray_to(&RayEnd::in_space(Vec3::X * 2.0));
    assert_eq!((ray.direction, ray.t_max), (Vec3::X, 2.0));
}

#[test]
fn rays_continued_after_a_hit_end_before_their_target() {
    let mut random = Random(8);
    let mut passed = 0;
    for number in 0..300 {
        let world_from_light = random.place(number, false);
        let size = world_from_light.matrix3.x_axis.length();
        let center = Vec3::from(world_from_light.translation);
        let n = Vec3::from(world_from_light.matrix3.z_axis).normalize();
        // A sheet wider than the light, halfway to it, arbitrarily rotated.
        let way = (n + 0.5 * random.direction()).normalize() * random.magnitude(1.0, 30.0) * size;
        let turn = Quat::from_axis_angle(random.direction(), random.between(0.0, 6.0));
        let wide = Vec3::splat(random.magnitude(1e2, 1e4) * size);
        let sheet = Affine3A::from_scale_rotation_translation(wide, turn, center + 0.5 * way);
        let mut shapes =
            [world_from_light, sheet].map(|place| Shape::new(mesh(grid(Affine3A::IDENTITY)), place));
        let accel = build(&mut shapes);
        for _ in 0..20 {
            let u = glam::Vec2::new(random.uniform(), random.uniform());
            let point = shapes[0].sample_area((random.uniform() * 8.0) as u32, u).point;
            let ray = RayEnd::in_space(center + way).ray_to(&point.ray_end());
            let Some(found) = trace(&accel, &shapes, &ray) else {
                continue;
            };
            assert_eq!(found.shape.0, 1, "{ray:?} to {point:?}");
            let rest = found.rest_of(&ray);
            let met = accel.intersect(&rest, ALL);
            assert!(met.is_none(), "{rest:?} of {ray:?} to {point:?} meets {met:?}");
            passed += 1;
        }
    }
    assert!(passed > 3_000, "{passed}");
}
