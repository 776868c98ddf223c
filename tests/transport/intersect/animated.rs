//! Structures of animated scenes: the shapes without animation are a part of their own, which frames share.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use renderer::accel::{ALL, Accel};
use renderer::geometry::{Geometry, PointStyle, Points, Shape, add_world_meshes};
use renderer::math::Ray;
use support::random::Random;
use support::scenes::globe;

use super::mesh;

/// Two bodies that are instances, a fine globe, analytic and point spheres, and a sphere and a globe that move between frames.
/// The globe has enough triangles for a part of its own.
fn shapes(step: f32, animated: bool, fine: &Geometry) -> Vec<Shape> {
    let at = |x: f32, y: f32| Affine3A::from_translation(Vec3::new(x, y, 0.3 * x));
    let instance = mesh(globe(6, 9));
    let points = Points::new(PointStyle::Sphere, vec![Vec3::new(0.0, 2.5, 0.0).extend(0.8)], vec![], vec![]);
    let mut shapes = vec![
        Shape::new(Geometry::Sphere, at(3.0, step)),
        Shape::new(fine.clone(), at(0.0, 0.0)),
        Shape::new(instance.clone(), at(-3.0, 0.0)),
        Shape::new(instance, at(-3.0, 2.0)),
        Shape::new(Geometry::Disk, at(0.0, -2.0)),
        Shape::new(
            Geometry::Points(Arc::new(points.expect("the point is valid"))),
            Affine3A::IDENTITY,
        ),
        Shape::new(mesh(globe(8, 12)), at(2.0, -1.5 - step)),
    ];
    for index in [0, 6] {
        shapes[index].animated = animated;
    }
    add_world_meshes(&mut shapes);
    shapes
}

/// Answers of a structure to all queries of a ray.
fn answers(accel: &Accel, ray: &Ray, mask: u32) -> String {
    let mut all = vec![];
    accel.all_hits(ray, mask, |hit| all.push(format!("{hit:?}")));
    all.sort();
    format!("{:?} {} {all:?}", accel.intersect(ray, mask), accel.occluded(ray, mask))
}

#[test]
fn parts_without_animation_have_the_same_hits() {
    let fine = mesh(globe(192, 192));
    let masks = [1, 2, 1, 1, 2, 3, 1];
    let mut random = Random(3);
    let mut earlier: Option<Accel> = None;
    for step in [0.0, 0.25, 0.5] {
        let plain = Accel::build(&shapes(step, false, &fine), &masks, 1).expect("Embree builds");
        let shapes = shapes(step, true, &fine);
        let accel = Accel::build_with(&shapes, &masks, 1, None, earlier.as_ref());
        let accel = accel.expect("Embree builds");
        assert_eq!(format!("{:?}", accel.bounds()), format!("{:?}", plain.bounds()));
        let mut hits = 0;
        for number in 0..3000 {
            let ray = random.ray_at(plain.bounds().center(), 4.0);
            let mask = [ALL, 1, 2][number % 3];
            let expected = answers(&plain, &ray, mask);
            hits += u32::from(!expected.starts_with("None"));
            assert_eq!(answers(&accel, &ray, mask), expected, "{ray:?}");
        }
        assert!(hits > 500, "{hits}");
        earlier = Some(accel);
    }
}
