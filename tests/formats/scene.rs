//! Scene files: descriptions of valid ones, diagnostics of invalid ones.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use glam::{Vec3, Vec3A};
use renderer::camera::Projection;
use renderer::film::FilterShape;
use renderer::image::{Image, WriteOptions, write};
use renderer::integrator::PathSettings;
use renderer::material::Host;
use renderer::scene::build::shader_errors;
use renderer::scene::build::{self, shading_system};
use renderer::scene::desc::{GeometryDesc, Integrator, LightKind, SceneDesc, SpotFalloff};
use renderer::scene::load::{LoadOptions, load, reference};
use shading::syntax::ast::Item;
use shading::syntax::parse;
use shading::{Diagnostics, InstanceOptions, Preprocessor, Severity, Source, Span};

/// The camera that every scene needs.
const CAMERA: &str = "camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); fov = 40; }\n";

fn load_text(text: &str, directory: &Path, set: &[&str]) -> Result<SceneDesc, String> {
    let options = LoadOptions {
        set: set.iter().map(|&s| s.into()).collect(),
        shader_errors: Some(shader_errors),
        ..LoadOptions::default()
    };
    match renderer::scene::load::from_text("test.kiln", text, directory, &options) {
        Ok((desc, warnings)) => {
            assert!(warnings.list.iter().all(|d| d.severity == Severity::Warning));
            Ok(desc)
        }
        Err(diagnostics) => Err(diagnostics.to_string()),
    }
}

fn good(text: &str) -> SceneDesc {
    let text = format!("{CAMERA}{text}");
    load_text(&text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// Checks that the messages about a text contain each of the fragments.
fn bad(text: &str, expected: &[&str]) {
    bad_in(Path::new(""), text, expected);
}

fn bad_in(directory: &Path, text: &str, expected: &[&str]) {
    let text = format!("{CAMERA}{text}");
    let error = load_text(&text, directory, &[]).expect_err(&text);
    for fragment in expected {
        assert!(error.contains(fragment), "expected `{fragment}` in\n{error}");
    }
}

#[test]
fn printed_declarations_of_the_shipped_scenes_read_back() {
    let parsed = |name: &str, text: String| {
        let (file, errors) = parse(Source::new(name, text));
        assert!(errors.list.is_empty(), "{name}: {errors}");
        let declarations = file.items.into_iter().filter_map(|item| match item {
            Item::Declaration(mut declaration) => {
                declaration.set_span(Span::default());
                Some(declaration)
            }
            _ => None,
        });
        declarations.collect::<Vec<_>>()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let mut count = 0;
    for folder in [folder.join("gallery"), folder] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "kiln") {
                continue;
            }
            let name = path.display().to_string();
            let declarations = parsed(&name, fs::read_to_string(&path).unwrap());
            let printed: String = declarations.iter().map(|one| format!("{one}\n")).collect();
            assert_eq!(parsed(&name, printed), declarations, "{name}");
            count += declarations.len();
        }
    }
    assert!(count > 100, "{count} declarations");
}

#[test]
fn errors_in_materials_of_a_model_are_located_at_its_import() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("one.obj", "mtllib one.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl shiny\nf 1 2 3\n");
    write("one.mtl", "newmtl shiny\nKd 0.5 0.25 0.125\n");
    let own = "material \"a.shiny\" = matte();\n";
    for model in ["import \"one.obj\" as a;", "shape a : mesh { file = \"one.obj\"; }"] {
        let column = 1 + model.find("\"one.obj").unwrap();
        let place = format!("test.kiln:3:{column}");
        bad_in(
            directory.path(),
            &format!("{own}{model}"),
            &["there are two materials `a.shiny`", &place, "the other"],
        );
    }
}

/// Two texts may reference files of the same name in their own folders, anywhere in a material.
#[test]
fn image_paths_are_relative_to_the_text_that_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let calls = [
        "matte(albedo = image(file = \"a.png\").result)",
        "matte(albedo = 0.5 * -image(file = \"a.png\").result[0])",
        "image(file = \"a.png\")",
    ];
    for part in ["one", "two"] {
        fs::create_dir(at.join(part)).unwrap();
        fs::write(at.join(part).join("a.png"), "").unwrap();
        let materials = calls.iter().enumerate();
        let text: String = materials.map(|(i, call)| format!("material {part}{i} = {call};\n")).collect();
        fs::write(at.join(part).join("materials.kiln"), text).unwrap();
    }
    let text = "import \"one/materials.kiln\"; import \"two/materials.kiln\";";
    let desc = load_text(&format!("{CAMERA}{text}"), at, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(desc.materials.len(), 2 * calls.len());
    for material in &desc.materials {
        let part = &material.name[..3];
        let surface = material.surface.to_string();
        let expected = at.join(part).join("a.png");
        assert!(surface.contains(expected.to_str().unwrap()), "{}: {surface}", material.name);
    }
}

#[test]
fn reads_every_kind_of_block() {
    let desc = good(
        r#"
        film { size = (320, 200); crop = (10, 20, 30, 40); filter = gaussian(2.5); }
        sampler { spp = 16; seed = 7; }
        integrator : path { depth = 3; rr_depth = 9; split = 2; light_samples = 3; hide_emitters = true; guide = true; }
        camera side : orthographic { from = (1, 2, 3); to = (0, 0, 0); width = 2.5; }
        camera all : panoramic { transform = translate(0, 1, 0); }
        material red = matte(albedo = (0.8, 0.1, 0.1));
        material lamp { surface = emitter(radiance = 3); emission = both; one_sided = true; culled = true; }
        shape ball : sphere { center = (0, 1, 0); radius = 0.5; material = red; }
        shape ground : plane { size = 20; material = matte(albedo = 0.5); flip_normals = true; }
        shape box : cube { size = (1, 2, 3); transform = translate(0, 1, 0) * rotate((0, 1, 0), 90) * scale(2); }
        shape screen : rectangle { material = lamp; }
        shape lid : disk { radius = 2; }
        shape pipe : cylinder { radius = 0.1; height = 2; }
        light sky : environment { color = (0.5, 0.6, 1); scale = 2; rotate = 90; }
        light bulb : point { position = (0, 3, 0); intensity = 10; }
        light stage : spot { position = (0, 4, 0); to = (0, 0, 0); intensity = (1, 2, 3); cutoff = 30;
                             beam_width = 10; falloff = squared_cosine; }
        light sun : directional { direction = (0, -2, 0); irradiance = (1, 0.9, 0.8); }
        "#,
    );
    assert_eq!(desc.film.size.value, [320, 200]);
    let sides: Vec<_> = desc
        .materials
        .iter()
        .map(|m| (m.name.as_str(), m.one_sided, m.culled))
        .collect();
    assert!(
        sides.contains(&("red", false, false)) && sides.contains(&("lamp", true, true)),
        "{sides:?}"
    );
    assert_eq!(desc.film.filter, FilterShape::Gaussian { radius: 2.5, stddev: 0.625 });
    assert_eq!((desc.sampler.spp, desc.sampler.seed), (16, 7));
    assert_eq!(
        desc.integrator,
        Integrator::Path(PathSettings {
            depth: Some(3),
            rr_depth: 9,
            split: Some(2),
            light_samples: Some(3),
            hide_emitters: true,
            hide_background: false,
            guide: Some(true),
        })
    );
    assert_eq!(
        desc.camera(Some("side")).expect("it is there").camera.projection,
        Projection::Orthographic { width: Some(2.5), height: None }
    );
    let Projection::Perspective { fov, focus_distance, .. } =
        desc.camera(None).expect("the first").camera.projection
    else {
        panic!("the first camera is a perspective one")
    };
    assert!((fov - 40f32.to_radians()).abs() < 1e-6 && focus_distance == 4.0);
    assert_eq!(desc.shapes.len(), 6);
    let ball = &desc.shapes[0];
    assert!(matches!(ball.geometry, GeometryDesc::Sphere { radius: 0.5, .. }));
    assert_eq!(desc.material(ball.material).name, "red");
    let cube = &desc.shapes[2];
    let corner = cube.world_from_object.transform_point3(Vec3::X);
    assert!((corner - Vec3::new(0.0, 1.0, -2.0)).length() < 1e-6, "{corner}");
    assert_eq!(desc.lights.len(), 4);
    assert!(
        matches!(desc.lights[2].kind, LightKind::Spot { falloff: SpotFalloff::SquaredCosine, direction, .. } if direction == Vec3::NEG_Y)
    );
    let LightKind::Environment { radiance, world_from_map, .. } = &desc.lights[0].kind else {
        panic!("the sky is first")
    };
    assert_eq!(radiance.b, 2.0);
    assert!((*world_from_map * Vec3::Z - Vec3::X).length() < 1e-6);
}

#[test]
fn skies_and_disks_are_read() {
    let desc = good(
        r#"
        light day : sky { sun_direction = (0, 0, 2); up = (0, 0, 1); albedo = (0.1, 0.5, 0.9); sun_scale = 2;
                          turbidity = 1; sun_angle = 3; }
        light sun : directional { angle = 0.5; irradiance = blackbody(6500); }
        light noon : sky { sun_direction = sun_at(47.4, 8.5, 1, 2024, 6, 21, 12.5); sky_scale = 0; }
        "#,
    );
    let LightKind::Sky { sky, sky_scale, sun_scale, sun_angle } = &desc.lights[0].kind else {
        panic!("the sky is first")
    };
    assert_eq!((sky.sun(), *sky_scale, *sun_scale), (Vec3::Z, 1.0, 2.0));
    assert!((sun_angle.to_degrees() - 3.0).abs() < 1e-5);
    let LightKind::Directional { irradiance, angle, .. } = desc.lights[1].kind else {
        panic!("the sun is second")
    };
    assert!((angle.to_degrees() - 0.5).abs() < 1e-5);
    assert!((irradiance.luminance() - 1.0).abs() < 1e-5 && irradiance.r > irradiance.g);
    let LightKind::Sky { sky, .. } = &desc.lights[2].kind else {
        panic!("noon is third")
    };
    // In the south, at 90° minus the latitude plus the obliquity of the ecliptic.
    let height = sky.sun().y.asin().to_degrees();
    assert!((height - (90.0 - 47.4 + 23.44)).abs() < 0.3, "{height}");
    assert!(sky.sun().z > 0.3 && sky.sun().x.abs() < 0.1, "{}", sky.sun());

    bad("light l : sky { turbidity = 11; }", &["`turbidity` is 11", "from 1 to 10"]);
    bad("light l : sky { albedo = 1.5; }", &["`albedo` is 1.5"]);
    bad("light l : sky { sun_angle = 0; }", &["`sun_angle` is 0"]);
    bad("light l : sky { sun_dir = (0, 1, 0); }", &["sun_direction"]);
    bad("light l : directional { angle = 181; }", &["`angle` is 181"]);
    bad(
        "light l : point { intensity = blackbody(20); }",
        &["wrong arguments of `blackbody`"],
    );
    bad("light l : point { intensity = blackbody(\"hot\"); }", &["blackbody(kelvin)"]);
    bad(
        "light l : sky { sun_direction = sun_at(47, 8, 1, 2024, 13, 1, 12); }",
        &["wrong arguments of `sun_at`"],
    );
}

#[test]
fn errors_have_locations_and_hints() {
    bad(
        "shape s : sphere { attributes = { wet = 0.3; wet = 0.4; } }",
        &["the attribute `wet` is given twice", "test.kiln:"],
    );
    bad(
        "shape s : sphere { attributes = { wet = translate(1, 2, 3); } }",
        &["`wet` takes 1 to 16 numbers, or a string in quotes, found a transform"],
    );
    bad(
        "shape s : sphere { attributes = 3; }",
        &["`attributes` takes a block, not a value", "attributes = { wet = 0.3;"],
    );
    bad(
        "shape s : sphere { radius = { wet = 3; } }",
        &["`radius` takes a value, not a block"],
    );
    bad("light l : environment { shader = 3; }", &["a material is a unit or a group"]);
    bad(
        "film { sise = (4, 4); }",
        &["film has no key `sise`", "did you mean `size`?", "test.kiln:2:8"],
    );
    bad("flim { size = (4, 4); }", &["unknown keyword `flim`", "did you mean `film`?"]);
    bad(
        "light l : spott { }",
        &["there is no light of kind `spott`", "did you mean `spot`?"],
    );
    bad("shape m : mesh { keys = { at(0, 3) }; }", &["a key is `at(frame, \"file\")`"]);
    bad(
        "shape m : mesh { keys = { at(2, \"a.ply\"), at(1, \"b.ply\") }; }",
        &["the keys are not in order: 1 is not after 2"],
    );
    bad("light l { }", &["has no kind"]);
    bad(
        "camera c : custom { }",
        &["a custom camera has no `shader`", "shader = tilt_shift("],
    );
    bad("camera c : custom { shader = 3; }", &["a material is a unit or a group"]);
    bad("camera c : cube { layout = crss; }", &["crss", "did you mean `cross`?"]);
    bad("camera c : panoramic { eye_distance = -1; }", &["`eye_distance`"]);
    bad("film { shutter_curve = 3; }", &["`shutter_curve` takes at least two numbers"]);
    bad(
        "film { shutter_curve = (0, 0); }",
        &["takes 2 to 256 numbers from 0 up, not all 0"],
    );
    bad("film { rolling_shutter = 2; }", &["`rolling_shutter`"]);
    bad(
        "film { exposure = photographic(8, 0, 100); }",
        &["takes three positive numbers: f-stop"],
    );
    bad("film { exposure = \"bright\"; }", &["`exposure` takes stops"]);
    bad(
        "shape c : cone { top_radius = 2; }",
        &["`top_radius` is 2, not less than `radius`, 1", "turn a cone that opens upwards"],
    );
    bad(
        "material red = matte(); shape s : sphere { material = rad; }",
        &["there is no material `rad`", "did you mean `red`?"],
    );
    bad("material a = matte(); material a = matte();", &["there are two materials `a`"]);
    bad(
        "shape a : sphere { } shape a : disk { }",
        &["there are two shapes or imports `a`"],
    );
    bad("camera main : panoramic { }", &["there are two cameras `main`"]);
    bad("film { } film { }", &["there are two `film`"]);
    bad("film { size = (4, 4); size = (5, 5); }", &["`size` is given twice"]);
    bad("material m;", &["the material `m` has no surface"]);
    bad("material m = 3;", &["a material is a unit or a group"]);
    bad(
        "shape s : instance { of = t; } shape t : instance { of = s; }",
        &["is an instance of itself"],
    );
    bad(
        "shape s : instance { of = nothing; }",
        &["there is no shape or import `nothing`"],
    );
    bad("shape s : mesh { }", &["a mesh needs `file`"]);
    bad("assign x = matte();", &["there is no material or shape `x`"]);
    bad("film { size = { a = 3; } }", &["test.kiln:2"]);
}

#[test]
fn numbers_out_of_range_are_errors() {
    bad("film { size = (0, 64); }", &["`size` is 0, but must be a whole number from 1"]);
    bad("film { size = 64; }", &["`size` takes 2 whole numbers", "found the number 64"]);
    bad("film { size = (1.5, 2); }", &["`size` is 1.5"]);
    bad(
        "film { size = (64, 64); crop = (0, 0, 65, 64); }",
        &["reaches beyond the film of 64 x 64"],
    );
    bad(
        "film { size = (64, 64); crop = (10, 0, 10, 64); }",
        &["the crop holds no pixel"],
    );
    bad(
        "film { filter = gausian; }",
        &["there is no filter `gausian`", "did you mean `gaussian`?"],
    );
    bad("film { filter = box(-1); }", &["`box` takes one number, the radius"]);
    bad(
        "film { filter = lanczos(2.5); }",
        &["`lanczos` takes one whole number from 1 to 16"],
    );
    bad(
        "light x : directional_area { size = 0; transform = scale(0); }",
        &["`size` is 0, but must be more than 0", "`transform` is singular"],
    );
    bad_in(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("lights"),
        "light x : projector { map = \"slide.exr\"; from = (0, 0, 0); to = (0, 0, 0); }\n\
         light y : spot { map = \"slide.png\"; cutoff = 90; up = (0, 2, 0); }\n\
         light z : environment { rows = 3; rotate = scale(1, 2, 1); }",
        &[
            "a projector looks at the point where it stands",
            "a spot light with a `map` has a `cutoff` of less than 90, not 90",
            "`up` is along the axis of the light",
            "`rows` takes one of centers, poles, found the number 3",
            "does more than rotate and mirror",
        ],
    );
    bad(
        "camera c : perspective { fov = 180; }",
        &["`fov` is 180, but must be more than 0 and less than 180"],
    );
    bad(
        "camera c : perspective { from = (0, 0, 1); to = (0, 0, 1); }",
        &["looks at the point where it stands"],
    );
    bad("camera c : perspective { from = (0, 3, 0); to = (0, 0, 0); }", &["up vector"]);
    bad(
        "camera c : perspective { aperture_radius = 0.1; }",
        &["needs a `focus_distance`"],
    );
    bad(
        "shape s : sphere { radius = -1; }",
        &["`radius` is -1, but must be more than 0"],
    );
    bad(
        "shape s : sphere { radius = 1e99; }",
        &["`1e99` is not a number that can be represented"],
    );
    bad(
        "shape s : sphere { radius = \"big\"; }",
        &["`radius` takes a number, found a string"],
    );
    bad("shape s : cube { transform = scale(1, 0, 1); }", &["`transform` is singular"]);
    bad(
        "shape s : cube { transform = rotate((0, 0, 0), 3); }",
        &["wrong arguments of `rotate`"],
    );
    bad("shape s : cube { transform = (1, 2); }", &["`transform` takes a transform"]);
    bad(
        "light l : spot { cutoff = 20; beam_width = 21; }",
        &["`beam_width` is 21, more than `cutoff`"],
    );
    bad("light l : point { intensity = (1, -1, 0); }", &["`intensity` is -1"]);
    bad("light l : directional { direction = (0, 0, 0); }", &["the zero vector"]);
    bad("sampler { spp = 0; }", &["`spp` is 0"]);
}

#[test]
fn all_errors_are_reported_together() {
    bad(
        "film { size = (0, 1); }\nshape s : sphere { radius = 0; materail = x; }\nligth l : point { }",
        &[
            "`size` is 0",
            "`radius` is 0",
            "`materail`",
            "did you mean `material`?",
            "did you mean `light`?",
        ],
    );
    // The list includes errors of groups and materials.
    bad(
        "group g(float tint = 1, output closure color surface) { matte m(albedoo = tint); surface = m.surface; }\n\
         material a = g(tin = 1);\nshape s : sphere { radius = 0; material = matte(albedo = \"x\"); }",
        &[
            "`radius` is 0",
            "`matte` has no input `albedoo`",
            "`g` has no input `tin`",
            "expected color, found string",
        ],
    );
}

#[test]
fn options_change_the_scene() {
    let text =
        format!("{CAMERA}material floor = matte(albedo = 0.5);\nshape s : plane {{ material = floor; }}");
    let set = |set: &[&str]| load_text(&text, Path::new(""), set);
    let desc = set(&[
        "film.size=(64,32)",
        "camera.main.fov=30",
        "sampler.spp=3",
        "integrator.depth=2",
        "material.floor.tint=(1,0,0)",
        "shape.s.size=7",
    ])
    .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(desc.film.size.value, [64, 32]);
    assert_eq!(desc.sampler.spp, 3);
    assert!(matches!(desc.shapes[0].geometry, GeometryDesc::Plane { size: 7.0 }));
    assert!(format!("{:?}", desc.material(desc.shapes[0].material).surface).contains("tint"));
    let fails = |option: &str, expected: &[&str]| {
        let error = set(&[option]).expect_err(option);
        for fragment in expected {
            assert!(error.contains(fragment), "expected `{fragment}` in\n{error}");
        }
    };
    // A changed integrator keeps the keys that both integrators have; an unknown key is still an error.
    let with = |block: &str, kind: &str| {
        let text = format!("{text}\nintegrator : path {{ {block} }}");
        load_text(&text, Path::new(""), &[&format!("integrator={kind}")])
    };
    let block = "depth = 3; rr_depth = 9; split = 2; light_samples = 3; hide_emitters = true; guide = true;";
    let chosen = |kind: &str| with(block, kind).unwrap_or_else(|e| panic!("{e}")).integrator;
    assert!(
        matches!(chosen("photon"), Integrator::Photon(photon) if photon.depth == Some(3) && photon.hide_emitters)
    );
    let paths = PathSettings {
        depth: Some(3),
        rr_depth: 9,
        split: Some(2),
        light_samples: Some(3),
        hide_emitters: true,
        hide_background: false,
        guide: Some(true),
    };
    assert!(matches!(chosen("auto"), Integrator::Auto(path) if path == paths));
    let error = with("depht = 3;", "photon").expect_err("a misspelt key");
    assert!(error.contains("did you mean `depth`?"), "{error}");
    fails("film.size=(0,1)", &["`size` is 0", "--set:1"]);
    fails("film.sice=(1,1)", &["did you mean `size`?", "--set:1"]);
    fails("camera.mian.fov=3", &["about nothing in the scene", "did you mean `main`?"]);
    // One error gives one message.
    let once = |options: &[&str], message: &str| {
        let error = set(options).expect_err(message);
        assert!(error.contains(message) && error.matches("error:").count() == 1, "{error}");
    };
    once(&["camera.main.from=\"x\""], "`from` takes 3 numbers");
    once(&["film.crop=(0,0,2000,8)", "film.size=0"], "`size` takes 2 whole numbers");
    fails("flim.size=(1,1)", &["did you mean `film`?"]);
    fails("nonsense", &["not of the form PATH=VALUE"]);
    fails("film.size=", &["--set"]);
    fails("film.size=320,180", &["--set:1:18", "film.size=(64, 64)"]);
    fails("film.size=1); shape x : sphere { } set film.size=(1", &["--set"]);
}

/// A value set by an option replaces values that specify the same property in another form.
#[test]
fn options_replace_equivalent_keys() {
    let text = format!(
        "{CAMERA}shape s : sphere {{ }}
         light spot : spot {{ position = (0, 3, 0); to = (0, 0, 0); }}
         light lamp : projector {{ transform = translate(0, 1, 0); }}
         light sky : environment {{ ground = 0.5; }}"
    );
    let set = |option: &str| load_text(&text, Path::new(""), &[option]).unwrap_or_else(|e| panic!("{e}"));
    let camera = |option: &str| set(option).cameras[0].camera.world_from_camera;
    assert_eq!(
        camera("camera.main.transform=translate(0,0,3)").translation,
        Vec3A::new(0.0, 0.0, 3.0)
    );
    // Keys of the same form are unchanged.
    let turned = camera("camera.main.from=(3,0,0)").transform_vector3(Vec3::NEG_Z);
    assert!((turned - Vec3::NEG_X).length() < 1e-6, "{turned}");
    let lights = |option: &str| set(option).lights;
    assert!(matches!(
        lights("light.spot.direction=(1,0,0)")[0].kind,
        LightKind::Spot { direction: Vec3::X, .. }
    ));
    assert!(matches!(
        lights("light.lamp.from=(0,0,7)")[1].kind,
        LightKind::Projector { world_from_light, .. } if world_from_light.translation.z == 7.0
    ));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/sun_sky.exr");
    let map = format!("light.sky.map={file:?}");
    assert!(matches!(&lights(&map)[2].kind, LightKind::Environment { map: Some(map), .. } if map.width > 4));
    // In a file, both forms together are an error at one of them.
    let both = text.replace("ground = 0.5;", "ground = 0.5; map = \"nowhere.exr\";");
    let error = load_text(&both, Path::new(""), &[]).expect_err("both");
    assert!(error.contains("takes either `map` or `ground`"), "{error}");
}

#[test]
fn unreadable_files_are_errors() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    fs::write(at("points.ply"), "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n").expect("written");
    fs::write(at("nan.ply"), "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n").expect("written");
    fs::write(at("index.ply"), "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n").expect("written");
    fs::write(at("a.kiln"), format!("{CAMERA}import \"b.kiln\";")).expect("written");
    fs::write(at("b.kiln"), "import \"a.kiln\";").expect("written");
    fs::write(at("broken.exr"), "not an image").expect("written");
    let bad = |text: &str, expected: &[&str]| bad_in(directory.path(), text, expected);
    bad("import \"missing.glb\" as m;", &["cannot read", "no such file", "test.kiln:2"]);
    bad("import \"point.ply\" as m;", &["no such file", "`points.ply`"]);
    bad("import \"points.ply\" as m;", &["points.ply is cut short"]);
    bad("shape s : mesh { file = \"nan.ply\"; }", &["nan.ply:11"]);
    bad("shape s : mesh { file = \"index.ply\"; }", &["index.ply", "vertex 7"]);
    bad("shape s : mesh { file = \"thing.fbx\"; }", &["not a mesh that is read"]);
    bad("import \"thing.fbx\";", &["cannot import `thing.fbx`"]);
    bad("light l : environment { map = \"sky.exr\"; }", &["no such file"]);
    bad("light l : environment { map = \"broken.exr\"; }", &["broken.exr"]);
    bad("material m = matte(albedo = image(\"wood.jpg\"));", &["wood.jpg: no such file"]);
    let error = load(&at("a.kiln"), &LoadOptions::default()).expect_err("a cycle").to_string();
    assert!(error.contains("import cycle: a.kiln -> b.kiln -> a.kiln"), "{error}");
    let error = load(&at("none.kiln"), &LoadOptions::default())
        .expect_err("missing")
        .to_string();
    assert!(error.contains("none.kiln: no such file"), "{error}");
    fs::write(at("some.png"), "").expect("it can be written");
    for (name, words) in [
        ("none.png", "none.png: no such file"),
        ("none", "none: no such file"),
        ("some.png", "not a scene that is read"),
        ("", "it is a folder"),
    ] {
        let error = load(&at(name), &LoadOptions::default()).expect_err("no scene").to_string();
        assert!(error.contains(words), "{error}");
    }
    let error = load(Path::new("-"), &LoadOptions::default()).expect_err("no file").to_string();
    assert!(error.contains("hint: give the name of a file"), "{error}");
}

#[test]
fn the_format_lists_every_key() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../renderer/docs/scene-format.md");
    let page = fs::read_to_string(&path).expect("it is there");
    let mut tables = String::new();
    for block in reference() {
        tables += &format!("\n### `{}`\n\n| | |\n|---|---|\n", block.title);
        for (key, documentation) in block.keys {
            tables += &format!("| `{key}` | {documentation} |\n");
        }
    }
    let (start, end) = ("<!-- keys -->\n", "\n<!-- /keys -->");
    let (before, rest) = page.split_once(start).expect("it has a place for them");
    let (listed, after) = rest
        .split_once(end)
        .unwrap_or(("", rest.strip_prefix("<!-- /keys -->").unwrap_or(rest)));
    if listed != tables && std::env::var_os("UPDATE").is_some() {
        fs::write(&path, format!("{before}{start}{tables}{end}{after}")).expect("it can be written");
        return;
    }
    assert!(
        listed == tables,
        "renderer/docs/scene-format.md is out of date: \
         UPDATE=1 cargo test --release --workspace --test formats lists_every_key"
    );
}

#[test]
fn shipped_scenes_load() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_some_and(|extension| extension == "kiln") {
            let (desc, warnings) =
                load(&path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
            assert!(
                warnings.list.is_empty() && !desc.shapes.is_empty(),
                "{}: {warnings}",
                path.display()
            );
            count += 1;
        }
    }
    assert!(count >= 6, "{count} scenes");
}

#[test]
fn imports_add_and_place_declarations() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).expect("written");
    write(
        "pair.obj",
        "mtllib pair.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no first\nusemtl shiny\nf 1 2 3\no second\nusemtl lamp\nf 1 2 4\n",
    );
    write(
        "pair.mtl",
        "newmtl shiny\nKd 0.5 0.25 0.125\nKs 0.5 0.5 0.5\nNs 30\nillum 2\nnewmtl lamp\nKe 3 2 1\n",
    );
    write(
        "more.kiln",
        "material spare = matte(albedo = 0.25);\ngroup g(output closure color surface) { matte m(); surface = m.surface; }",
    );
    let text = format!(
        "{CAMERA}import \"pair.obj\" as pair {{ transform = translate(1, 2, 3); }}
        import \"more.kiln\"; import \"more.kiln\";
        shape extra : mesh {{ file = \"pair.obj\"; material = spare; flip_normals = true; }}
        shape copy : instance {{ of = pair; transform = scale(2); }}
        shape copy_of_copy : instance {{ of = copy; material = spare; }}
        shape ball : sphere {{ material = pair.\"shiny\"; }}
        assign pair.lamp = g();
        assign extra.second = glass(ior = 1.2);"
    );
    let desc = load_text(&text, directory.path(), &["material.pair.shiny.roughness=0.5"])
        .unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<&str> = desc.shapes.iter().map(|shape| &*shape.name).collect();
    let expected = [
        "pair.first",
        "pair.second",
        "extra.first",
        "extra.second",
        "ball",
        "copy.first",
        "copy.second",
    ];
    assert_eq!(names[..7], expected);
    let shape = |name: &str| desc.shapes.iter().find(|shape| &*shape.name == name).expect(name);
    let call = |name: &str| format!("{:?}", desc.material(shape(name).material).surface);
    let place = |name: &str| shape(name).world_from_object.transform_point3(Vec3::ZERO);
    assert_eq!(place("pair.first"), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(place("copy.first"), Vec3::new(2.0, 4.0, 6.0));
    assert_eq!(place("extra.first"), Vec3::ZERO);
    assert!(shape("extra.first").flip_normals && !shape("copy.first").flip_normals);
    assert!(call("pair.first").contains("gltf_pbr") && call("pair.first").contains("Float(0.5)"));
    assert!(call("pair.second").contains("\"g\""), "assigned to the material");
    assert!(call("extra.second").contains("glass"), "assigned to the shape");
    assert!(call("copy_of_copy.first").contains("0.25"));
    assert_eq!(shape("ball").material, shape("pair.first").material);
    assert_eq!(desc.shaders.len(), 1, "a file imported twice is read once");
    let (GeometryDesc::Mesh(a), GeometryDesc::Mesh(b)) =
        (&shape("copy.first").geometry, &shape("extra.first").geometry)
    else {
        panic!("they are meshes")
    };
    assert!(Arc::ptr_eq(a, b), "a file named twice is one mesh");
}

#[test]
fn damaged_scenes_cause_no_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let text = fs::read_to_string(folder.join("lights_lens.kiln")).expect("it is there");
    let mut state = 7u64;
    let mut random = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let pieces = [
        "0",
        "-",
        "1e99",
        "(",
        ")",
        "{",
        "}",
        ";",
        "\"",
        "=",
        "*",
        ".",
        "translate",
        "shape",
        ":",
        ",",
        "9e9",
        " ",
    ];
    let mut survivors = 0;
    for _ in 0..3000 {
        let mut damaged = text.clone().into_bytes();
        for _ in 0..=random(3) {
            let at = random(damaged.len());
            let end = (at + random(4)).min(damaged.len());
            damaged.splice(at..end, pieces[random(pieces.len())].bytes());
        }
        let damaged = String::from_utf8_lossy(&damaged).into_owned();
        survivors += u32::from(load_text(&damaged, Path::new(""), &[]).is_ok());
    }
    assert!(survivors > 30, "the damage is too great to test anything: {survivors}");
}

/// Evaluates an expression for a group's input of this type: returns the constant as printed, or the messages.
fn constant(ty: &str, expr: &str) -> Result<String, String> {
    let system = shading_system(Arc::new(Host::new(vec![])), Preprocessor::default());
    let text = format!(
        "shader id({ty} x = 0, output {ty} r = 0) {{ r = x; }} \
         shader two(output color c = color(1, 2, 3), output float d = 4) {{ }}\n\
         group g(output {ty} r) {{ id n(x = {expr}); r = n.r; }}\n"
    );
    let optimized = || {
        system.load(Source::new("test.ksl", text.as_str()))?;
        let template = system.template("g").expect("it was loaded");
        system.optimized(&template, &InstanceOptions::default())
    };
    let (unit, ..) = optimized().map_err(|errors: Diagnostics| errors.to_string())?;
    let values: Vec<String> = unit.code.consts.values().map(|value| value.to_string()).collect();
    Ok(values.join(" "))
}

#[test]
fn whole_numbers_are_ints_only_for_int_inputs() {
    let cases = [
        ("3000000000", 3e9),
        ("-3000000000", -3e9),
        ("2000000000 + 2000000000", 4e9),
        ("100000 * 100000", 1e10),
        ("99999999999999999999", 1e20),
        ("0xFFFFFFFF", 4_294_967_295.0),
        ("-2147483648", -2_147_483_648.0),
        ("1 / 2", 0.5),
        ("-(7 / 2)", -3.5),
    ];
    for (expr, expected) in cases {
        let expected: f32 = expected;
        assert_eq!(constant("float", expr), Ok(format!("{expected:?}")), "{expr}");
        assert_eq!(
            constant("color", expr),
            Ok(format!("({expected:?}, {expected:?}, {expected:?})")),
            "{expr}"
        );
    }
    assert_eq!(
        constant("color", "(1 / 4, 3000000000, 2)"),
        Ok("(0.25, 3000000000.0, 2.0)".to_owned())
    );
    assert_eq!(constant("int", "7 / 2"), Ok("3".to_owned()));
    assert_eq!(constant("int", "-2147483648"), Ok("-2147483648".to_owned()));
    for expr in ["3000000000", "2147483648", "-2147483649", "0xFFFFFFFF"] {
        let error = constant("int", expr).expect_err(expr);
        assert!(error.contains("int") && error.contains("test.ksl:2"), "{error}");
    }
    for expr in ["1e39", "nan", "inf"] {
        let error = constant("float", expr).expect_err(expr);
        assert!(error.contains("test.ksl:2"), "{error}");
    }
}

#[test]
fn components_of_call_results_can_be_arguments() {
    for expr in ["two()[1]", "two().g", "two().c[1]", "two().c.g"] {
        assert_eq!(constant("float", expr), Ok("2.0".to_owned()), "{expr}");
    }
    assert_eq!(constant("float", "two().d"), Ok("4.0".to_owned()));
    for expr in ["two()[3]", "two().q", "two().d[0]"] {
        assert!(constant("float", expr).is_err(), "{expr}");
    }
}

#[test]
fn a_picture_for_texture3d_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("flat.png");
    let pixel = Image::new(1, 1, 3);
    write(&path, &pixel, &WriteOptions::default()).unwrap();
    let check = |options: &str| {
        let unit = format!(
            "shader own(output closure color c = 0) {{ c = (color)texture3d(\"flat.png\", P{options}) * diffuse(N); }}"
        );
        let text = format!("{CAMERA}{unit}\nmaterial m = own();\nshape s : sphere {{ material = m; }}\n");
        let desc = load_text(&text, directory.path(), &[])?;
        build::check(&desc).map_err(|errors| errors.to_string())?;
        Ok::<_, String>(())
    };
    let error = check("").unwrap_err();
    let expected = "error: material `m`: the texture file `flat.png` is not a volume";
    assert_eq!(error.matches(expected).count(), 1, "{error}");
    assert!(error.contains("test.kiln:2:53"), "{error}");
    check(", \"missingcolor\", color(1)").unwrap();
}

#[test]
fn a_tile_set_for_environment_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let pixel = Image::new(1, 1, 3);
    for name in ["sky.1001.png", "one.png"] {
        write(&directory.path().join(name), &pixel, &WriteOptions::default()).unwrap();
    }
    let check = |file: &str, options: &str| {
        let unit = format!(
            "shader own(output closure color c = 0) {{ c = (color)environment(\"{file}\", N{options}) * diffuse(N); }}"
        );
        let text = format!("{CAMERA}{unit}\nmaterial m = own();\nshape s : sphere {{ material = m; }}\n");
        let desc = load_text(&text, directory.path(), &[])?;
        build::check(&desc).map_err(|errors| errors.to_string())?;
        Ok::<_, String>(())
    };
    let error = check("sky.<UDIM>.png", "").unwrap_err();
    let expected =
        "error: material `m`: the texture file `sky.<UDIM>.png` is a set of tiles, not one environment";
    assert_eq!(error.matches(expected).count(), 1, "{error}");
    assert!(error.contains("test.kiln:2:53"), "{error}");
    check("sky.<UDIM>.png", ", \"missingcolor\", color(1)").unwrap();
    check("one.png", "").unwrap();
}

#[test]
fn a_missing_texture_is_an_error_at_its_name() {
    let check = |text: &str| {
        let text = format!("{CAMERA}{text}\nshape s : sphere {{ material = m; }}\n");
        let desc = load_text(&text, Path::new(""), &[])?;
        let warnings = build::check(&desc).map_err(|errors| errors.to_string())?;
        Ok::<_, String>(warnings.warnings.to_string())
    };
    let unit = "shader tex(string file = \"\", output closure color c = 0) { c = (color)texture(file, u, v) * diffuse(N); }\n";
    let cases = [
        // At the argument that names it.
        ("material m = tex(file = \"no.tx\");", "test.kiln:3:25"),
        ("material m = tex(file = \"no.png\");", "test.kiln:3:25"),
        // In the shader.
        (
            "shader own(output closure color c = 0) { c = (color)texture(\"no.tx\", u, v) * diffuse(N); }\nmaterial m = own();",
            "test.kiln:3:53",
        ),
        (
            "shader own(string file = \"no.tx\", output closure color c = 0) { c = (color)texture(file, u, v) * diffuse(N); }\nmaterial m = own();",
            "test.kiln:3:76",
        ),
        // In a group.
        (
            "group g(output closure color c) { tex t(file = \"no.tx\"); c = t.c; }\nmaterial m = g();",
            "test.kiln:",
        ),
    ];
    for (material, place) in cases {
        let error = check(&format!("{unit}{material}")).expect_err(material);
        assert!(error.contains("error:") && error.contains("no."), "{error}");
        assert!(error.contains(place), "expected {place} in\n{error}");
    }
    let fine = [
        "shader own(output closure color c = 0) { c = (color)texture(\"no.tx\", u, v, \"missingcolor\", color(1)) * diffuse(N); }\nmaterial m = own();",
        "material m = tex(file = \"\");",
        "shader own(output closure color c = 0) { c = (color)texture(format(\"%g.tx\", u), u, v) * diffuse(N); }\nmaterial m = own();",
    ];
    for material in fine {
        check(&format!("{unit}{material}")).unwrap_or_else(|errors| panic!("{material}\n{errors}"));
    }
}
