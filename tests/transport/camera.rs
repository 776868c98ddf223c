//! Cameras: rays, ray differentials, invalid descriptions.

use glam::{Affine3A, Quat, Vec2, Vec3};
use renderer::camera::{
    Aperture, Camera, CameraDesc, CameraError, CubeLayout, FisheyeMapping, FovAxis, Projection, look_at,
};
use renderer::math::lat_long_uv;
use renderer::scene::load::LoadOptions;
use std::path::Path;

const WIDTH: u32 = 40;
const HEIGHT: u32 = 20;

fn perspective(fov_axis: FovAxis, aperture_radius: f32) -> CameraDesc {
    CameraDesc {
        projection: Projection::Perspective {
            fov: 90f32.to_radians(),
            fov_axis,
            aperture: Aperture::disk(aperture_radius),
            focus_distance: 5.0,
            shift: Vec2::ZERO,
        },
        ..CameraDesc::pinhole(1.0)
    }
}

fn camera(desc: &CameraDesc) -> Camera {
    Camera::new(desc, WIDTH, HEIGHT).unwrap()
}

fn direction(camera: &Camera, x: f32, y: f32) -> Vec3 {
    camera.generate(Vec2::new(x, y), Vec2::splat(0.5), 0.0).ray.direction
}

fn assert_near(a: Vec3, b: Vec3, tolerance: f32, what: &str) {
    assert!((a - b).length() <= tolerance, "{what}: {a} for {b}");
}

fn everywhere() -> impl Iterator<Item = Vec2> {
    (1..8).flat_map(|y| (1..8).map(move |x| Vec2::new(x as f32 * 4.9, y as f32 * 2.45)))
}

fn all_kinds() -> Vec<(&'static str, CameraDesc)> {
    let placed = look_at(Vec3::new(1.0, 2.0, 3.0), Vec3::new(-2.0, 0.5, 1.0), Vec3::Y).unwrap();
    let with = |projection| CameraDesc {
        projection,
        world_from_camera: placed,
        ..CameraDesc::pinhole(1.0)
    };
    let mut kinds = vec![
        ("pinhole", with(perspective(FovAxis::X, 0.0).projection)),
        ("lens", with(perspective(FovAxis::X, 0.3).projection)),
        (
            "orthographic",
            with(Projection::Orthographic { width: Some(3.0), height: None }),
        ),
        ("panoramic", with(Projection::Panoramic)),
        ("strip", with(Projection::Cube { layout: CubeLayout::Strip })),
    ];
    let fisheye = |mapping| with(Projection::Fisheye { mapping, fov: 3.0, fov_axis: FovAxis::X });
    kinds.extend(FisheyeMapping::NAMED.map(|(name, mapping)| (name, fisheye(mapping))));
    kinds
}

#[test]
fn the_picture_is_not_mirrored() {
    let camera = camera(&perspective(FovAxis::X, 0.0));
    let half = 0.5f32.sqrt();
    assert_near(direction(&camera, 20.0, 10.0), Vec3::NEG_Z, 1e-6, "middle");
    assert_near(direction(&camera, 40.0, 10.0), Vec3::new(half, 0.0, -half), 1e-6, "right");
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
fn fisheye_lenses_cover_their_field_of_view() {
    for (name, mapping) in FisheyeMapping::NAMED {
        for degrees in [30.0f32, 120.0, 180.0, 300.0] {
            let fov = degrees.to_radians();
            let projection = Projection::Fisheye { mapping, fov, fov_axis: FovAxis::Y };
            let desc = CameraDesc { projection, ..CameraDesc::pinhole(1.0) };
            if mapping == FisheyeMapping::Orthographic && degrees > 180.0 {
                assert!(Camera::new(&desc, WIDTH, HEIGHT).is_err());
                continue;
            }
            let top = direction(&camera(&desc), 20.0, 0.0);
            let (sin, cos) = (0.5 * fov).sin_cos();
            assert_near(top, Vec3::new(0.0, sin, -cos), 1e-3, name);
        }
    }
}

#[test]
fn look_at_centres_the_target_with_up_upwards() {
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
fn rays_pass_through_the_projected_point() {
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
fn lens_rays_meet_at_the_focal_plane_and_start_within_the_aperture() {
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
            check(differential.origin_dx, slope(&|d| at(d, 0.0).ray.origin), "origin by x");
            check(differential.origin_dy, slope(&|d| at(0.0, d).ray.origin), "origin by y");
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
        projection: Projection::Orthographic { width: Some(8.0), height: None },
        ..CameraDesc::pinhole(1.0)
    };
    assert!((differential(&parallel).footprint(7.0) - 0.2).abs() < 1e-6);
    let by_height = CameraDesc {
        projection: Projection::Orthographic {
            width: None,
            height: Some(8.0 * HEIGHT as f32 / WIDTH as f32),
        },
        ..parallel
    };
    assert!((differential(&by_height).footprint(7.0) - 0.2).abs() < 1e-6);
}

#[test]
fn clipping_is_by_depth() {
    let camera = camera(&CameraDesc { near: 2.0, far: 10.0, ..perspective(FovAxis::X, 0.0) });
    for point in everywhere() {
        let ray = camera.generate(point, Vec2::splat(0.5), 0.25).ray;
        assert!((ray.at(ray.t_min).z + 2.0).abs() < 1e-5);
        assert!((ray.at(ray.t_max).z + 10.0).abs() < 1e-4);
        assert_eq!(ray.time, 0.25);
    }
}

#[test]
fn faces_of_a_cube_are_six_views() {
    const SIDE: f32 = 8.0;
    let views = [
        (Vec3::X, Vec3::Y),
        (Vec3::NEG_X, Vec3::Y),
        (Vec3::Y, Vec3::Z),
        (Vec3::NEG_Y, Vec3::NEG_Z),
        (Vec3::NEG_Z, Vec3::Y),
        (Vec3::Z, Vec3::Y),
    ];
    let strip = [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [5, 0]];
    let cross = [[2, 1], [0, 1], [1, 0], [1, 2], [1, 1], [3, 1]];
    for (layout, places) in [(CubeLayout::Strip, strip), (CubeLayout::Cross, cross)] {
        let [columns, rows] = layout.cells();
        let desc = CameraDesc {
            projection: Projection::Cube { layout },
            ..CameraDesc::pinhole(1.0)
        };
        let cube = Camera::new(&desc, columns * SIDE as u32, rows * SIDE as u32).unwrap();
        for ((to, up), place) in views.into_iter().zip(places) {
            let view = CameraDesc {
                world_from_camera: look_at(Vec3::ZERO, to, up).unwrap(),
                ..perspective(FovAxis::X, 0.0)
            };
            let view = Camera::new(&view, SIDE as u32, SIDE as u32).unwrap();
            for index in 0..25 {
                let within = Vec2::new((index % 5) as f32 + 0.3, (index / 5) as f32 + 0.7) * (SIDE / 5.2);
                let corner = Vec2::from_array(place.map(|n| n as f32 * SIDE));
                let at = |camera: &Camera, point: Vec2| camera.generate(point, Vec2::ZERO, 0.0);
                let (found, expected) = (at(&cube, corner + within), at(&view, within));
                let what = format!("{layout:?}, {to}");
                assert_near(found.ray.direction, expected.ray.direction, 1e-6, &what);
                let (found, expected) = (found.differential, expected.differential);
                assert_near(found.direction_dx, expected.direction_dx, 1e-6, &what);
                assert_near(found.direction_dy, expected.direction_dy, 1e-6, &what);
            }
        }
        // The corners of a cross are empty.
        let corner = cube.generate(Vec2::splat(1.0), Vec2::ZERO, 0.0);
        assert_eq!(corner.throughput.is_black(), layout == CubeLayout::Cross);
    }
}

#[test]
fn eyes_of_a_stereo_panorama_are_beside_its_directions() {
    let desc = |projection| CameraDesc { projection, ..CameraDesc::pinhole(1.0) };
    let stereo = camera(&desc(Projection::Stereo { eye_distance: 0.5 }));
    let mono = Camera::new(&desc(Projection::Panoramic), WIDTH, HEIGHT / 2).unwrap();
    for x in [0.5, 7.0, 20.0, 33.3] {
        for y in [1.0, 5.0, 8.2] {
            let at = |camera: &Camera, y: f32| camera.generate(Vec2::new(x, y), Vec2::ZERO, 0.0);
            let (left, right) = (at(&stereo, y), at(&stereo, y + 10.0));
            let middle = at(&mono, y).ray;
            assert_near(left.ray.direction, middle.direction, 1e-6, "left");
            assert_near(right.ray.direction, middle.direction, 1e-6, "right");
            let aside = middle.direction.with_y(0.0).normalize().cross(Vec3::Y);
            assert_near(right.ray.origin, aside * 0.25, 1e-6, "right eye");
            assert_near(left.ray.origin, aside * -0.25, 1e-6, "left eye");
            // The difference to the next pixel, and back to the film.
            let next = stereo.generate(Vec2::new(x + 0.01, y), Vec2::ZERO, 0.0).ray;
            let change = (next.origin - left.ray.origin) / 0.01;
            assert_near(left.differential.origin_dx, change, 1e-3, "change of the origin");
            let film = stereo.project(left.ray.at(3.0)).unwrap();
            assert!(film.distance(Vec2::new(x, y)) < 1e-3, "{film} for {x}, {y}");
        }
    }
    // The middle looks along −z: the right eye is at +x.
    let right = stereo.generate(Vec2::new(20.0, 15.0), Vec2::ZERO, 0.0).ray;
    assert_near(right.origin, Vec3::X * 0.25, 1e-6, "right eye");
    let wrong = desc(Projection::Stereo { eye_distance: -1.0 });
    assert!(matches!(Camera::new(&wrong, 4, 4), Err(CameraError::EyeDistance { .. })));
}

#[test]
fn a_reversed_panorama_is_an_environment_map() {
    let half_turn = Affine3A::from_rotation_y(std::f32::consts::PI);
    let desc = CameraDesc {
        projection: Projection::Panoramic,
        ..CameraDesc::pinhole(1.0)
    };
    assert_near(direction(&camera(&desc), 20.0, 10.0), Vec3::NEG_Z, 1e-6, "middle");
    assert!(direction(&camera(&desc), 25.0, 10.0).x > 0.5, "right is right");
    let turned = camera(&CameraDesc { world_from_camera: half_turn, ..desc });
    for point in everywhere() {
        let uv = lat_long_uv(direction(&turned, point.x, point.y));
        let expected = point / Vec2::new(WIDTH as f32, HEIGHT as f32);
        assert!((uv - expected).length() < 1e-5, "{uv} for {expected}");
    }
}

#[test]
fn scale_is_ignored_and_mirroring_is_preserved() {
    let rotation = Quat::from_rotation_y(0.4);
    let of = |scale: Vec3| {
        let world_from_camera = Affine3A::from_scale_rotation_translation(scale, rotation, Vec3::ONE);
        camera(&CameraDesc { world_from_camera, ..perspective(FovAxis::X, 0.2) })
    };
    let (plain, scaled, mirrored) =
        (of(Vec3::ONE), of(Vec3::new(3.0, 0.2, 7.0)), of(Vec3::new(-1.0, 1.0, 1.0)));
    assert_near(direction(&plain, 7.0, 3.0), direction(&scaled, 7.0, 3.0), 1e-5, "scaled");
    assert_near(direction(&plain, 33.0, 3.0), direction(&mirrored, 7.0, 3.0), 1e-5, "mirrored");
}

#[test]
fn invalid_cameras_are_errors() {
    let check = |desc: CameraDesc, expected: &str| {
        let message = Camera::new(&desc, WIDTH, HEIGHT).expect_err(expected).to_string();
        assert!(message.contains(expected), "{message}");
    };
    let lens = |fov: f32, aperture_radius, focus_distance| CameraDesc {
        projection: Projection::Perspective {
            fov,
            fov_axis: FovAxis::X,
            aperture: Aperture::disk(aperture_radius),
            focus_distance,
            shift: Vec2::ZERO,
        },
        ..CameraDesc::pinhole(1.0)
    };
    check(lens(0.0, 0.0, 1.0), "field of view is 0 degrees");
    check(lens(std::f32::consts::PI, 0.0, 1.0), "field of view is 180 degrees");
    check(lens(f32::NAN, 0.0, 1.0), "field of view");
    check(lens(1.0, -0.1, 1.0), "aperture is -0.1");
    check(lens(1.0, 0.1, 0.0), "focus distance is 0");
    let orthographic = |width| CameraDesc {
        projection: Projection::Orthographic { width: Some(width), height: None },
        ..lens(1.0, 0.0, 1.0)
    };
    check(orthographic(-2.0), "-2");
    check(
        CameraDesc { near: 3.0, far: 2.0, ..lens(1.0, 0.0, 1.0) },
        "clipping distances are 3 and 2",
    );
    let flat = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
    check(CameraDesc { world_from_camera: flat, ..lens(1.0, 0.0, 1.0) }, "singular");
    assert_eq!(Camera::new(&lens(1.0, 0.0, 1.0), 0, 5).unwrap_err(), CameraError::NoFilm);
    assert_eq!(look_at(Vec3::ONE, Vec3::ONE, Vec3::Y), Err(CameraError::NoDirection));
    assert_eq!(look_at(Vec3::ZERO, Vec3::Y, Vec3::Y), Err(CameraError::NoUp));
}

#[test]
fn camera_rays_match_mitsuba() {
    // `sensor.sample_ray` of Mitsuba 3.9.1 at a point of the film, (0.3, 0.85) of its width and height: origin,
    // direction and length of the ray between the clipping distances. `to_world` is the same `lookat` throughout,
    // followed by a `scale` for orthographic cameras; `near_clip` is 0.5 and `far_clip` 20. Cropped films have 20 x 16
    // pixels from (10, 5) on, and the point is relative to the crop.
    type Seen = ([f32; 3], [f32; 3], f32);
    let cases: [(&str, [u32; 2], [f32; 2], Seen); 15] = [
        (
            "perspective { fov = 50;",
            [64, 48],
            [19.2, 40.8],
            ([0.84543, 1.700953, 2.59955], [-0.295462, -0.571632, -0.765466], 20.402662),
        ),
        (
            "perspective { fov = 50; shift = (0.1, -0.2);",
            [64, 48],
            [19.2, 40.8],
            ([0.89449, 1.761357, 2.567746], [-0.208972, -0.472652, -0.856114], 19.691195),
        ),
        (
            "perspective { fov = 50;",
            [48, 64],
            [14.4, 54.4],
            ([0.841659, 1.613573, 2.637158], [-0.286217, -0.698505, -0.655874], 21.575563),
        ),
        (
            "perspective { fov = 50; fov_axis = y;",
            [64, 48],
            [19.2, 40.8],
            ([0.812955, 1.666034, 2.61845], [-0.346083, -0.617926, -0.70597], 21.078024),
        ),
        (
            "perspective { fov = 50; fov_axis = y;",
            [48, 64],
            [14.4, 54.4],
            ([0.866958, 1.661608, 2.613581], [-0.250741, -0.637762, -0.728278], 20.693136),
        ),
        (
            "perspective { fov = 50; fov_axis = smaller;",
            [64, 48],
            [19.2, 40.8],
            ([0.812955, 1.666034, 2.61845], [-0.346083, -0.617926, -0.70597], 21.078024),
        ),
        (
            "perspective { fov = 50; fov_axis = larger;",
            [48, 64],
            [14.4, 54.4],
            ([0.866958, 1.661608, 2.613581], [-0.250741, -0.637762, -0.728278], 20.693136),
        ),
        (
            "perspective { fov = 50; fov_axis = diagonal;",
            [64, 48],
            [19.2, 40.8],
            ([0.864916, 1.721905, 2.58821], [-0.262334, -0.540061, -0.799697], 20.082376),
        ),
        (
            "perspective { fov = 50; fov_axis = diagonal;",
            [48, 64],
            [14.4, 54.4],
            ([0.882138, 1.690428, 2.599435], [-0.226751, -0.595574, -0.770634], 20.271698),
        ),
        // `focal_length` 35mm: twice the arc tangent of half of a diagonal of √(36² + 24²) mm over it.
        (
            "perspective { fov = 63.440300; fov_axis = diagonal;",
            [64, 48],
            [19.2, 40.8],
            ([0.839545, 1.694625, 2.602975], [-0.305073, -0.58061, -0.754866], 20.51223),
        ),
        (
            "perspective { fov = 50;",
            [64, 48],
            [16.0, 18.6],
            ([0.828694, 1.851308, 2.537741], [-0.332688, -0.28877, -0.897736], 20.081713),
        ),
        (
            "perspective { fov = 50; shift = (0.1, -0.2);",
            [64, 48],
            [16.0, 18.6],
            ([0.877753, 1.911711, 2.505938], [-0.236655, -0.170916, -0.956443], 20.145943),
        ),
        (
            "perspective { fov = 50; aperture_radius = 0.2; focus_distance = 4;",
            [64, 48],
            [19.2, 40.8],
            ([0.84543, 1.700953, 2.59955], [-0.295462, -0.571632, -0.765466], 20.402662),
        ),
        // Scaled by (2, 3, 1.5): the film has the size 2 · 2 by 2 · 3 · 48/64, the near plane the distance 1.5 · 0.5.
        (
            "orthographic { width = 4; height = 4.5; near = 0.75; far = 20.25;",
            [64, 48],
            [19.2, 40.8],
            ([0.057766, 0.328098, 3.008039], [-0.114288, -0.388578, -0.914301], 19.5),
        ),
        (
            "orthographic { width = 4; near = 1; far = 20.5;",
            [64, 48],
            [19.2, 40.8],
            ([0.049992, 0.712807, 2.572076], [-0.114288, -0.388578, -0.914301], 19.5),
        ),
    ];
    for (text, [width, height], place, (origin, direction, length)) in cases {
        let near = if text.contains("near") { "" } else { "near = 0.5; far = 20;" };
        let text = format!(
            "camera view : {text} {near} transform = look_at((1, 2, 3), (0.5, 0.3, -1), (0.1, 1, 0.2)) * rotate((0, 1, 0), 180); }}"
        );
        let desc =
            renderer::scene::load::from_text("test.kiln", &text, Path::new(""), &LoadOptions::default());
        let (desc, _) = desc.unwrap_or_else(|error| panic!("{text}\n{error}"));
        let camera = Camera::new(&desc.camera(None).unwrap().camera, width, height).unwrap();
        // The centre of the square maps to the centre of the lens.
        let ray = camera.generate(Vec2::from_array(place), Vec2::splat(0.5), 0.0).ray;
        assert_near(ray.at(ray.t_min), origin.into(), 2e-5, &text);
        assert_near(ray.direction, direction.into(), 2e-5, &text);
        let found = ray.t_max - ray.t_min;
        assert!((found - length).abs() < 1e-4, "{text}: {found}");
    }
}
