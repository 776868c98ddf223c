//! Cameras: where rays go, how they change, which cameras are refused.

use glam::{Affine3A, Quat, Vec2, Vec3};
use renderer::camera::{Camera, CameraDesc, CameraError, FovAxis, Projection, look_at};
use renderer::math::lat_long_uv;

const WIDTH: u32 = 40;
const HEIGHT: u32 = 20;

fn perspective(fov_axis: FovAxis, aperture_radius: f32) -> CameraDesc {
    CameraDesc {
        projection: Projection::Perspective {
            fov: 90f32.to_radians(),
            fov_axis,
            aperture_radius,
            focus_distance: 5.0,
        },
        ..CameraDesc::pinhole(1.0)
    }
}

fn camera(desc: &CameraDesc) -> Camera {
    Camera::new(desc, WIDTH, HEIGHT).unwrap()
}

fn direction(camera: &Camera, x: f32, y: f32) -> Vec3 {
    camera
        .generate(Vec2::new(x, y), Vec2::splat(0.5), 0.0)
        .ray
        .direction
}

fn assert_near(a: Vec3, b: Vec3, tolerance: f32, what: &str) {
    assert!((a - b).length() <= tolerance, "{what}: {a} for {b}");
}

fn everywhere() -> impl Iterator<Item = Vec2> {
    (1..8).flat_map(|y| (1..8).map(move |x| Vec2::new(x as f32 * 4.9, y as f32 * 2.45)))
}

fn all_kinds() -> [(&'static str, CameraDesc); 4] {
    let placed = look_at(Vec3::new(1.0, 2.0, 3.0), Vec3::new(-2.0, 0.5, 1.0), Vec3::Y).unwrap();
    let with = |projection| CameraDesc {
        projection,
        world_from_camera: placed,
        ..CameraDesc::pinhole(1.0)
    };
    [
        ("pinhole", with(perspective(FovAxis::X, 0.0).projection)),
        ("lens", with(perspective(FovAxis::X, 0.3).projection)),
        ("orthographic", with(Projection::Orthographic { width: 3.0 })),
        ("panoramic", with(Projection::Panoramic)),
    ]
}

#[test]
fn the_picture_is_not_mirrored() {
    let camera = camera(&perspective(FovAxis::X, 0.0));
    let half = 0.5f32.sqrt();
    assert_near(direction(&camera, 20.0, 10.0), Vec3::NEG_Z, 1e-6, "middle");
    assert_near(
        direction(&camera, 40.0, 10.0),
        Vec3::new(half, 0.0, -half),
        1e-6,
        "right",
    );
    assert!(direction(&camera, 20.0, 0.0).y > 0.4, "the top row looks up");
}

#[test]
fn the_field_of_view_spans_its_axis() {
    let diagonal = Vec2::new(WIDTH as f32, HEIGHT as f32).normalize() * 0.5;
    for (axis, edge) in [
        (FovAxis::X, Vec2::new(0.5, 0.0)),
        (FovAxis::Y, Vec2::new(0.0, 0.5)),
        (FovAxis::Smaller, Vec2::new(0.0, 0.5)),
        (FovAxis::Larger, Vec2::new(0.5, 0.0)),
        (FovAxis::Diagonal, diagonal / diagonal.length() * 0.5),
    ] {
        let camera = camera(&perspective(axis, 0.0));
        let size = Vec2::new(WIDTH as f32, HEIGHT as f32);
        let point = match axis {
            FovAxis::Diagonal => size,
            FovAxis::X | FovAxis::Y | FovAxis::Smaller | FovAxis::Larger => size * (0.5 + edge),
        };
        let cos = direction(&camera, point.x, point.y).dot(Vec3::NEG_Z);
        assert!(
            (cos.acos().to_degrees() - 45.0).abs() < 0.01,
            "{axis:?}: {}",
            cos.acos().to_degrees()
        );
    }
}

#[test]
fn look_at_puts_the_target_in_the_middle_and_up_upwards() {
    let (from, to) = (Vec3::new(3.0, 1.0, -2.0), Vec3::new(0.0, 0.5, 1.0));
    let desc = CameraDesc {
        world_from_camera: look_at(from, to, Vec3::Y).unwrap(),
        ..perspective(FovAxis::X, 0.0)
    };
    let camera = camera(&desc);
    let middle = Vec2::new(20.0, 10.0);
    assert!((camera.project(to).unwrap() - middle).length() < 1e-3);
    let above = camera.project(to + Vec3::Y * 0.1).unwrap();
    assert!(above.y < middle.y && (above.x - middle.x).abs() < 1e-3);
    let right = (to - from).cross(Vec3::Y);
    assert!(camera.project(to + right * 0.1).unwrap().x > middle.x);
    assert_eq!(camera.project(from - (to - from)), None);
}

#[test]
fn a_ray_passes_through_what_is_seen_at_its_film_point() {
    for (name, desc) in all_kinds() {
        let camera = camera(&desc);
        for point in everywhere() {
            let ray = camera.generate(point, Vec2::splat(0.5), 0.0).ray;
            assert!((ray.direction.length() - 1.0).abs() < 1e-5);
            let back = camera.project(ray.at(4.0)).unwrap();
            assert!((back - point).length() < 2e-3, "{name}: {back} for {point}");
        }
    }
}

#[test]
fn a_lens_is_sharp_at_its_focus_and_within_its_rim() {
    let camera = camera(&perspective(FovAxis::X, 0.3));
    let mut widest: f32 = 0.0;
    for point in everywhere() {
        let sharp = camera.generate(point, Vec2::splat(0.5), 0.0).ray;
        let target = sharp.at(5.0 / -sharp.direction.z);
        for i in 0..64 {
            let lens_u = Vec2::new((i % 8) as f32 / 7.5, (i / 8) as f32 / 7.5);
            let ray = camera.generate(point, lens_u, 0.0).ray;
            widest = widest.max(ray.origin.length());
            assert_eq!(ray.origin.z, 0.0);
            assert_near(ray.at(5.0 / -ray.direction.z), target, 1e-4, "focus");
        }
    }
    assert!((0.27..=0.300_01).contains(&widest), "{widest}");
}

#[test]
fn differentials_are_derivatives() {
    const STEP: f32 = 1.0 / 64.0;
    for (name, desc) in all_kinds() {
        let camera = camera(&desc);
        for point in everywhere() {
            let at = |dx: f32, dy: f32| camera.generate(point + Vec2::new(dx, dy), Vec2::new(0.3, 0.8), 0.0);
            let differential = at(0.0, 0.0).differential;
            let slope = |f: &dyn Fn(f32) -> Vec3| (f(STEP) - f(-STEP)) / (2.0 * STEP);
            let check = |got, expected, what| assert_near(got, expected, 2e-4, &format!("{name} {what}"));
            check(
                differential.direction_dx,
                slope(&|d| at(d, 0.0).ray.direction),
                "direction by x",
            );
            check(
                differential.direction_dy,
                slope(&|d| at(0.0, d).ray.direction),
                "direction by y",
            );
            check(
                differential.origin_dx,
                slope(&|d| at(d, 0.0).ray.origin),
                "origin by x",
            );
            check(
                differential.origin_dy,
                slope(&|d| at(0.0, d).ray.origin),
                "origin by y",
            );
        }
    }
}

#[test]
fn a_footprint_is_the_width_of_a_pixel() {
    let tan = 2.0 / WIDTH as f32;
    let middle = Vec2::new(20.0, 10.0);
    let differential = |desc: &CameraDesc| camera(desc).generate(middle, Vec2::splat(0.5), 0.0).differential;
    let pinhole = differential(&perspective(FovAxis::X, 0.0));
    assert!((pinhole.footprint(7.0) - 7.0 * tan).abs() < 1e-5);
    assert!((pinhole.scaled(0.5).footprint(7.0) - 3.5 * tan).abs() < 1e-5);
    let parallel = CameraDesc {
        projection: Projection::Orthographic { width: 8.0 },
        ..CameraDesc::pinhole(1.0)
    };
    assert!((differential(&parallel).footprint(7.0) - 0.2).abs() < 1e-6);
}

#[test]
fn clipping_is_by_depth() {
    let camera = camera(&CameraDesc {
        near: 2.0,
        far: 10.0,
        ..perspective(FovAxis::X, 0.0)
    });
    for point in everywhere() {
        let ray = camera.generate(point, Vec2::splat(0.5), 0.25).ray;
        assert!((ray.at(ray.t_min).z + 2.0).abs() < 1e-5);
        assert!((ray.at(ray.t_max).z + 10.0).abs() < 1e-4);
        assert_eq!(ray.time, 0.25);
    }
}

#[test]
fn a_panorama_turned_about_is_an_environment_map() {
    let half_turn = Affine3A::from_rotation_y(std::f32::consts::PI);
    let desc = CameraDesc {
        projection: Projection::Panoramic,
        ..CameraDesc::pinhole(1.0)
    };
    assert_near(direction(&camera(&desc), 20.0, 10.0), Vec3::NEG_Z, 1e-6, "middle");
    assert!(direction(&camera(&desc), 25.0, 10.0).x > 0.5, "right is right");
    let turned = camera(&CameraDesc {
        world_from_camera: half_turn,
        ..desc
    });
    for point in everywhere() {
        let uv = lat_long_uv(direction(&turned, point.x, point.y));
        let expected = point / Vec2::new(WIDTH as f32, HEIGHT as f32);
        assert!((uv - expected).length() < 1e-5, "{uv} for {expected}");
    }
}

#[test]
fn scale_is_ignored_and_a_mirror_is_kept() {
    let rotation = Quat::from_rotation_y(0.4);
    let of = |scale: Vec3| {
        let world_from_camera = Affine3A::from_scale_rotation_translation(scale, rotation, Vec3::ONE);
        camera(&CameraDesc {
            world_from_camera,
            ..perspective(FovAxis::X, 0.2)
        })
    };
    let (plain, scaled, mirrored) = (
        of(Vec3::ONE),
        of(Vec3::new(3.0, 0.2, 7.0)),
        of(Vec3::new(-1.0, 1.0, 1.0)),
    );
    assert_near(
        direction(&plain, 7.0, 3.0),
        direction(&scaled, 7.0, 3.0),
        1e-5,
        "scaled",
    );
    assert_near(
        direction(&plain, 33.0, 3.0),
        direction(&mirrored, 7.0, 3.0),
        1e-5,
        "mirrored",
    );
}

#[test]
fn impossible_cameras_are_refused() {
    let check = |desc: CameraDesc, expected: &str| {
        let message = Camera::new(&desc, WIDTH, HEIGHT).expect_err(expected).to_string();
        assert!(message.contains(expected), "{message}");
    };
    let lens = |fov: f32, aperture_radius, focus_distance| CameraDesc {
        projection: Projection::Perspective {
            fov,
            fov_axis: FovAxis::X,
            aperture_radius,
            focus_distance,
        },
        ..CameraDesc::pinhole(1.0)
    };
    check(lens(0.0, 0.0, 1.0), "field of view is 0 degrees");
    check(
        lens(std::f32::consts::PI, 0.0, 1.0),
        "field of view is 180 degrees",
    );
    check(lens(f32::NAN, 0.0, 1.0), "field of view");
    check(lens(1.0, -0.1, 1.0), "aperture is -0.1");
    check(lens(1.0, 0.1, 0.0), "focus distance is 0");
    let orthographic = |width| CameraDesc {
        projection: Projection::Orthographic { width },
        ..lens(1.0, 0.0, 1.0)
    };
    check(orthographic(-2.0), "-2");
    check(
        CameraDesc {
            near: 3.0,
            far: 2.0,
            ..lens(1.0, 0.0, 1.0)
        },
        "clipping distances are 3 and 2",
    );
    let flat = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
    check(
        CameraDesc {
            world_from_camera: flat,
            ..lens(1.0, 0.0, 1.0)
        },
        "singular",
    );
    assert_eq!(
        Camera::new(&lens(1.0, 0.0, 1.0), 0, 5).unwrap_err(),
        CameraError::NoFilm
    );
    assert_eq!(
        look_at(Vec3::ONE, Vec3::ONE, Vec3::Y),
        Err(CameraError::NoDirection)
    );
    assert_eq!(look_at(Vec3::ZERO, Vec3::Y, Vec3::Y), Err(CameraError::NoUp));
}
