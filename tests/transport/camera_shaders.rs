//! Camera shaders against the cameras that they compute, and rays that they refuse or tint.

use glam::Vec2;
use renderer::camera::{Camera, FilmSample, RayDifferential};
use renderer::image::Image;
use renderer::material::ShadingContext;
use renderer::render::RenderSettings;
use renderer::scene::build::{Built, build};
use support::scenes::{load_text, render_scene};

/// A perspective camera as of Cycles' manual, a thin lens, and a vignette on a quarter of the film.
const SCENE: &str = r#"
    shader pinhole(float fov = 50, output point position = 0, output vector direction = 0, output color throughput = 1)
    {
        vector sensor;
        getattribute("cam:sensor_size", sensor);
        float focal_length = 0.5 * sensor[0] / tan(radians(0.5 * fov));
        point film = (camera_shader_raster_position() - point(0.5)) * sensor / focal_length;
        direction = normalize(vector(film[0], film[1], 1));
    }
    shader lens(float fov = 50, output point position = 0, output vector direction = 0)
    {
        vector sensor;
        float focus;
        getattribute("cam:sensor_size", sensor);
        getattribute("cam:focal_distance", focus);
        getattribute("cam:aperture_position", position);
        vector film = (P - point(0.5)) * sensor * (2 * tan(radians(0.5 * fov)) / sensor[0]);
        direction = vector(film[0], film[1], 1) * focus - position;
    }
    shader stopped(output point position = 0, output vector direction = 0, output color throughput = 0)
    {
        if (u < 0.5) direction = vector(0, 0, 1);
        if (v > 0.5) throughput = color(0.5, 0.25, 0.125);
    }
    shader forward(output vector direction = vector(u - 0.5, v - 0.5, 2)) {}
    group grouped(output vector direction) {
        forward ahead();
        direction = ahead.direction;
    }
    film { size = (24, 16); filter = box; }
    camera shaded : custom { shader = pinhole(); from = (0.2, 1, 4); to = (0, 0.6, 0); }
    camera own : perspective { fov = 50; from = (0.2, 1, 4); to = (0, 0.6, 0); }
    camera shaded_lens : custom {
        shader = lens(); from = (0.2, 1, 4); to = (0, 0.6, 0); aperture_radius = 0.2; aperture_blades = 6;
    }
    camera own_lens : perspective {
        fov = 50; from = (0.2, 1, 4); to = (0, 0.6, 0); aperture_radius = 0.2; aperture_blades = 6;
    }
    camera stopped : custom { shader = stopped(); from = (0, 8, 0); to = (0, 9, 0); up = (0, 0, -1); }
    camera grouped : custom { shader = grouped(); from = (0, 1, 4); to = (0, 1, 0); }
    light sky : environment { color = 1; }
    material tiles = tiled();
    group tiled(output closure color surface) {
        checker pattern();
        matte body(albedo = pattern.result);
        surface = body.surface;
    }
    shape floor : plane { size = 12; material = tiles; }
    shape ball : sphere { center = (0, 0.6, 0); radius = 0.6; material = matte(albedo = (0.8, 0.3, 0.1)); }
"#;

fn built(camera: &str) -> Built {
    let desc = load_text(SCENE, &[]);
    build(&desc, Some(camera), 2).unwrap_or_else(|errors| panic!("{errors}"))
}

fn picture(built: &Built, threads: usize) -> Image {
    let settings = RenderSettings {
        samples: 0..16,
        total: 16,
        adaptive: false,
        threads,
        ..RenderSettings::of_camera(built.camera.clone(), [24, 16])
    };
    render_scene(&built.scene, &settings).state.film.develop()
}

/// Largest difference of two pictures relative to white.
fn difference(a: &Image, b: &Image) -> f32 {
    let differences = a.data.iter().zip(&b.data).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f32::max)
}

#[test]
fn a_shader_of_a_camera_takes_its_picture() {
    for (shaded, own) in [("shaded", "own"), ("shaded_lens", "own_lens")] {
        let (shaded, own) = (picture(&built(shaded), 2), picture(&built(own), 2));
        let difference = difference(&shaded, &own);
        // A sample near an edge may see the other side of it.
        assert!(difference < 0.1, "{difference}");
        let mean = |image: &Image| image.data.iter().sum::<f32>();
        assert!((mean(&shaded) / mean(&own) - 1.0).abs() < 1e-3);
    }
}

#[test]
fn pictures_do_not_depend_on_threads() {
    let built = built("shaded_lens");
    assert_eq!(picture(&built, 1).data, picture(&built, 3).data);
}

#[test]
fn differentials_are_those_of_the_camera() {
    let (shaded, own) = (built("shaded"), built("own"));
    let ray = |built: &Built| {
        let sample = FilmSample {
            point: Vec2::new(7.3, 11.2),
            lens_u: Vec2::splat(0.5),
            time: 0.0,
        };
        let mut context = ShadingContext::new(built.scene.host().clone());
        built.scene.camera_ray(&built.camera, &sample, &mut context)
    };
    let (found, expected) = (ray(&shaded), ray(&own));
    assert!(found.ray.direction.abs_diff_eq(expected.ray.direction, 1e-6));
    let RayDifferential { direction_dx, direction_dy, .. } = expected.differential;
    assert!(
        found
            .differential
            .direction_dx
            .abs_diff_eq(direction_dx, 0.01 * direction_dx.length())
    );
    assert!(
        found
            .differential
            .direction_dy
            .abs_diff_eq(direction_dy, 0.01 * direction_dy.length())
    );
}

#[test]
fn rays_without_direction_or_throughput_are_black() {
    let built = built("stopped");
    let image = picture(&built, 2);
    let pixel = |x: usize, y: usize| &image.data[3 * (y * 24 + x)..][..3];
    // The film's left half has a direction, its upper half a throughput.
    let lit = pixel(3, 3);
    assert!(lit[0] > 0.0 && (lit[1] / lit[0] - 0.5).abs() < 1e-4 && (lit[2] / lit[1] - 0.5).abs() < 1e-4);
    for (x, y) in [(20, 3), (3, 12), (20, 12)] {
        assert_eq!(pixel(x, y), [0.0; 3], "{x}, {y}");
    }
}

#[test]
fn a_group_is_a_camera_shader() {
    let built = built("grouped");
    let sample = FilmSample { point: Vec2::new(12.0, 0.0), lens_u: Vec2::ZERO, time: 0.0 };
    let mut context = ShadingContext::new(built.scene.host().clone());
    let ray = built.scene.camera_ray(&built.camera, &sample, &mut context).ray;
    let expected = glam::Vec3::new(0.0, 0.5, -2.0).normalize();
    assert!(ray.direction.abs_diff_eq(expected, 1e-5), "{}", ray.direction);
    // The other uses of a custom camera see its viewing axis.
    let axis = Camera::generate(&built.camera, Vec2::ZERO, Vec2::ZERO, 0.0).ray;
    assert!(axis.direction.abs_diff_eq(glam::Vec3::NEG_Z, 1e-6));
}

#[test]
fn camera_shaders_have_templates_as_materials() {
    let desc = load_text(SCENE, &[]);
    let units = renderer::scene::MaterialUnits::new(&desc, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    for camera in &desc.cameras {
        if let Some(shader) = camera.shader {
            let template = units.template(shader).unwrap_or_else(|errors| panic!("{errors}"));
            let shading::Template::Group(group) = template else { panic!("it is a group") };
            assert!(group.outputs.iter().any(|output| output.name == "direction"));
        }
    }
}
