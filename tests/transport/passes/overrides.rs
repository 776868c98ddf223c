//! Shader overrides: the picture equals that of a scene with the other shader, and lights are unchanged.

use renderer::image::Image;
use renderer::render::RenderSettings;
use renderer::scene::build::build;
use renderer::scene::load::add_override;
use support::scenes::{load_text, render_scene};

const SCENE: &str = r#"
    material bright = emitter(radiance = (2, 2, 1));
    shape floor : plane { size = 6; material = plastic(); }
    shape ball : sphere { radius = 0.6; transform = translate(0, 0.6, 0); material = mirror_surface(); }
    shape bulb : sphere { radius = 0.3; transform = translate(1, 2, 0.5); material = bright; }
    light sky : environment { color = 0.2; }
    camera main : perspective { from = (0, 1.5, 4); to = (0, 0.5, 0); fov = 45; }
    film { size = (24, 16); }
    integrator : path { split = 1; light_samples = 1; guide = false; }
"#;

fn picture(text: &str, overrides: &[&str]) -> Image {
    let mut desc = load_text(text, &[]);
    for text in overrides {
        add_override(&mut desc, text).unwrap_or_else(|errors| panic!("{text}: {errors}"));
    }
    let built = build(&desc, None, 1).unwrap_or_else(|errors| panic!("{errors}"));
    let settings = RenderSettings {
        integrator: built.integrator,
        samples: 0..8,
        total: 8,
        adaptive: false,
        ..RenderSettings::of_camera(built.camera.clone(), [24, 16])
    };
    let rendered = render_scene(&built.scene, &settings);
    rendered.state.film.develop()
}

#[test]
fn overridden_surfaces_match_the_other_shader() {
    let changed = SCENE
        .replace("plastic()", "matte(albedo = 0.3)")
        .replace("mirror_surface()", "matte(albedo = 0.3)");
    let floor = SCENE.replace("mirror_surface()", "matte(albedo = 0.3)");
    let all = picture(SCENE, &["all=matte(albedo = 0.3)"]);
    assert_eq!(all.data, picture(&changed, &[]).data);
    assert_eq!(
        picture(SCENE, &["all=matte(albedo = 0.3) except floor"]).data,
        picture(&floor, &[]).data
    );
    let declared = format!("{SCENE} override all = matte(albedo = 0.3) {{ except = {{\"floor\"}}; }}");
    assert_eq!(picture(&declared, &[]).data, picture(&floor, &[]).data);
    assert_ne!(all.data, picture(SCENE, &[]).data);
}

/// An override for camera rays gives every surface the same emission, regardless of its lighting.
#[test]
fn overrides_apply_by_ray_kind() {
    let picture = |overrides: &[&str]| picture(SCENE, overrides);
    let flat = picture(&["camera=emitter(radiance = 0.5)"]);
    let lamp_or_sky = |pixel: &[f32]| pixel == [2.0, 2.0, 1.0] || pixel[0] == pixel[1] && pixel[0] < 0.5;
    let surfaces = flat.data.chunks_exact(3).filter(|pixel| *pixel == [0.5; 3]).count();
    assert!(surfaces > 100, "{surfaces} pixels show surfaces alone");
    assert!(flat.data.chunks_exact(3).any(lamp_or_sky));
    // Indirectly visible surfaces are overridden in mirrors.
    let mirrored = picture(&["specular=emitter(radiance = 50)"]);
    let brightest = |image: &Image| image.data.iter().copied().fold(0.0, f32::max);
    assert!(brightest(&mirrored) > 5.0 * brightest(&picture(&[])));
    // Overrides for ray kinds that do not occur have no effect.
    assert_eq!(picture(&["bake=matte()"]).data, picture(&[]).data);
}

#[test]
fn invalid_overrides_are_errors() {
    for (text, message) in [
        ("camra=clay", "there are no rays of kind `camra`"),
        ("camera", "the override has no shader"),
        ("camera=1", "a material is a unit or a group with its arguments"),
        ("=clay", "the override has no name"),
    ] {
        let mut desc = load_text(SCENE, &[]);
        let error = add_override(&mut desc, text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

/// Missing inputs are magenta, shader cost is a false colour, and edges of triangles are lines.
#[test]
fn debug_views_show_missing_inputs_cost_and_edges() {
    let scene = |floor: &str, shape: &str| {
        format!(
            r#"
            surface tests(output closure color surface = 0) {{
                color paint = 0;
                if (!getattribute("vertex_paint", paint))
                    paint = 0.5;
                surface = paint * diffuse(N);
            }}
            surface asks(output closure color surface = 0) {{
                color paint = 0;
                getattribute("vertex_paint", paint);
                surface = paint * diffuse(N);
            }}
            material ground {{ surface = {floor}; }}
            shape floor : {shape} {{ material = ground; }}
            light sky : environment {{ color = 1; }}
            camera main : perspective {{ from = (0, 0, 4); to = (0, 0, 0); fov = 20; }}
            film {{ size = (24, 24); filter = box; }}
            integrator : path {{ split = 1; light_samples = 1; guide = false; }}
            "#
        )
    };
    let middle = |image: &Image| -> [f32; 3] {
        let at = 3 * (12 * 24 + 6);
        [image.data[at], image.data[at + 1], image.data[at + 2]]
    };
    let plain = "rectangle";
    let missing = |floor: &str| middle(&picture(&scene(floor, plain), &["camera=show_missing()"]));
    let [r, g, b] = missing("asks()");
    assert!(r > 0.9 && g == 0.0 && b > 0.9, "{r} {g} {b}");
    let [r, g, b] = missing("matte()");
    assert!(r == g && g == b && r > 0.3, "{r} {g} {b}");
    // A unit that tests whether the attribute exists has no missing input.
    let [r, g, b] = missing("tests()");
    assert!(r == g && g == b, "{r} {g} {b}");

    let cost = |floor: &str| middle(&picture(&scene(floor, plain), &["camera=show_cost()"]));
    let [cheap, dear] = ["matte(albedo = u)", "bump_noise_"].map(|unit| match unit {
        "bump_noise_" => cost("matte(albedo = noise(\"perlin\", 100 * u) + noise(\"perlin\", 10 * P))"),
        unit => cost(unit),
    });
    assert!(cheap[2] > cheap[0] && dear[1] > dear[2], "{cheap:?} {dear:?}");

    let lines = picture(&scene("matte()", plain), &["camera=show_wireframe(width = 2)"]);
    let orange = |pixel: &[f32]| pixel[0] > 0.8 && pixel[2] < 0.2;
    let on_lines = lines.data.chunks_exact(3).filter(|pixel| orange(pixel)).count();
    // The diagonal of the rectangle crosses the picture.
    assert!((20..80).contains(&on_lines), "{on_lines} pixels");
}
