//! Renderer queries of shaders: spaces, and attributes of the camera, the path and the object.

use std::path::Path;

use glam::{Vec2, Vec3};
use renderer::color::Rgb;
use renderer::integrator::PathSettings;
use renderer::scene::build::{Built, build};
use renderer::scene::desc::SceneDesc;
use renderer::scene::load::{LoadOptions, from_text};
use support::scenes::{Look, film, mean, spot_meter};

/// Film of the scenes.
const SIZE: [u32; 2] = [8, 6];

/// A scene with a camera 4 m away from the origin.
fn scene(declarations: &str, directory: &Path) -> (SceneDesc, Built) {
    let text = format!(
        "film {{ size = (8, 6); }} integrator : path {{ depth = 3; }}
        camera main : perspective {{ from = (0, 0, 4); to = (0, 0, 0); fov = 40; near = 0.5; far = 9; }}
        {declarations}"
    );
    let (desc, _) = from_text("test.kiln", &text, directory, &LoadOptions::default())
        .unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 1).unwrap_or_else(|errors| panic!("{errors}"));
    (desc, built)
}

fn look(depth: u32) -> Look {
    Look {
        size: SIZE,
        spp: 64,
        path: PathSettings { depth: Some(depth), ..PathSettings::default() },
        ..Look::default()
    }
}

/// Mean over the film of a surface that fills it and emits by these statements.
fn wall(statements: &str) -> Rgb {
    let (desc, built) = scene(
        &format!(
            "surface asks() {{ color c = 0; {statements} Ci = c * emission(); }}
            shape wall : rectangle {{ size = 10; material = asks(); }}"
        ),
        Path::new(""),
    );
    mean(&built.scene, &desc.cameras[0].camera, look(1)).0
}

/// Radiance of the surface point seen from `from` towards `to`.
fn spot(built: &Built, from: Vec3, to: Vec3, depth: u32) -> Rgb {
    mean(&built.scene, &spot_meter(from, to, 1e-4), look(depth)).0
}

#[track_caller]
fn check(found: Rgb, expected: [f32; 3], tolerance: f32) {
    let error = (Vec3::from(found.to_array()) - Vec3::from(expected)).abs().max_element();
    assert!(error <= tolerance, "{found:?} is not {expected:?}");
}

#[test]
fn raster_and_ndc_are_film_coordinates() {
    let (desc, built) = scene(
        "surface asks() {
            point r = transform(\"raster\", P), n = transform(\"NDC\", P), s = transform(\"screen\", P);
            float w[4] = {0, 0, 0, 0};
            getattribute(\"camera:screen_window\", w);
            float same = distance(transform(\"raster\", \"common\", r), P)
                + distance(transform(\"NDC\", \"raster\", n), r) + distance(transform(\"screen\", \"NDC\", s), n)
                + abs(s[0] - mix(w[0], w[2], n[0])) + abs(s[1] - mix(w[3], w[1], n[1]));
            Ci = color(r[0], r[1], same) * emission();
        }
        shape wall : rectangle { size = 10; material = asks(); }",
        Path::new(""),
    );
    let image = film(&built.scene, &desc.cameras[0].camera, look(1)).develop();
    for y in 1..SIZE[1] - 1 {
        for x in 1..SIZE[0] - 1 {
            let center = Vec2::new(x as f32, y as f32) + 0.5;
            let at = ((y * SIZE[0] + x) * 3) as usize;
            let [r, g, same] = [0, 1, 2].map(|i| image.data[at + i]);
            assert!(Vec2::new(r, g).abs_diff_eq(center, 0.1), "({r}, {g}) is not {center}");
            assert!(same < 0.02, "{same}");
        }
    }
}

#[test]
fn the_camera_has_the_attributes_of_osl() {
    let found = wall(
        "int size[2]; float fov = 0, aspect = 0, near = 0, far = 0, open = 2, close = 0;
        float clip[2] = {0, 0}, shutter[2] = {2, 2}; string projection = \"\";
        int first = getattribute(\"camera:resolution\", size) && size[0] == 8 && size[1] == 6
            && getattribute(\"camera:resolution\", 1, size[0]) && size[0] == 6
            && getattribute(\"camera:fov\", fov) && abs(fov - 40) < 1e-3
            && getattribute(\"camera:pixelaspect\", aspect) && aspect == 1;
        int second = getattribute(\"camera:projection\", projection) && projection == \"perspective\"
            && getattribute(\"camera:shutter\", shutter) && shutter[0] == 0 && shutter[1] == 1
            && getattribute(\"camera:shutter_open\", open) && open == 0
            && getattribute(\"camera:shutter_close\", close) && close == 1;
        int third = getattribute(\"camera:clip\", clip) && clip[0] == 0.5 && clip[1] == 9
            && getattribute(\"camera:clip_near\", near) && near == 0.5
            && getattribute(\"camera:clip_far\", far) && far == 9;
        c = color(first, second, third);",
    );
    check(found, [1.0; 3], 1e-5);
}

/// A surface that emits by attributes of the path.
const PATH: &str = "surface asks() {
        int depth = -1; float length = -1;
        getattribute(\"path:ray_depth\", depth);
        getattribute(\"path:ray_length\", length);
        Ci = color(depth + 1, length, 0) * emission();
    }
    material room = asks() { emission = both; }
    shape walls : sphere { radius = 4; material = room; }";

#[test]
fn ray_depth_and_length_are_available() {
    let (_, built) = scene(
        &format!("{PATH} shape mirror : sphere {{ material = mirror_surface(); }}"),
        Path::new(""),
    );
    let from = Vec3::new(0.0, 0.0, 2.0);
    check(spot(&built, from, Vec3::Z * 4.0, 3), [1.0, 2.0, 0.0], 1e-3);
    // From the mirror to the walls.
    let reflected = spot(&built, from, Vec3::ZERO, 3);
    let [depth, length, _] = reflected.to_array();
    assert!((length / depth * 2.0 - 3.0).abs() < 1e-2, "{reflected:?}");
}

/// Light samples and scattered rays evaluate the same emission: an emitter that emits only at depth 1 and at a distance
/// of 1 m lights a floor like one without conditions.
#[test]
fn depth_and_length_are_available_to_light_samples() {
    let lit = |emission: &str| {
        let (_, built) = scene(
            &format!(
                "surface lamp() {{
                    int depth = -1; float length = -1;
                    getattribute(\"path:ray_depth\", depth);
                    getattribute(\"path:ray_length\", length);
                    Ci = ({emission}) * emission();
                }}
                shape floor : plane {{ size = 20; material = matte(albedo = 0.5); }}
                shape panel : rectangle {{ size = 1;
                    transform = translate(0, 1, 0) * rotate((1, 0, 0), 90); material = lamp(); }}"
            ),
            Path::new(""),
        );
        spot(&built, Vec3::new(3.0, 0.5, 0.0), Vec3::ZERO, 2).g
    };
    let always = lit("1");
    assert!(always > 0.05);
    let found = lit("depth == 1 && length > 0.99 && length < 1.5");
    assert!((found / always - 1.0).abs() < 0.02, "{found} is not {always}");
}

#[test]
fn depth_is_available_to_shadow_rays() {
    let lit = |card: &str| {
        let (_, built) = scene(
            &format!(
                "surface seen_by_cameras() {{
                    int depth = 0;
                    getattribute(\"path:ray_depth\", depth);
                    if (depth > 0) Ci = transparent();
                }}
                light sun : directional {{ direction = (0, -1, 0); }}
                shape floor : plane {{ size = 20; material = matte(albedo = 0.5); }} {card}"
            ),
            Path::new(""),
        );
        spot(&built, Vec3::new(3.0, 0.5, 0.0), Vec3::ZERO, 2).g
    };
    let card = |material: &str| {
        format!(
            "shape card : rectangle {{ transform = translate(0, 2, 0) * rotate((1, 0, 0), 90); material = {material}; }}"
        )
    };
    assert_eq!(lit(&card("seen_by_cameras()")), lit(""));
    assert_eq!(lit(&card("matte()")), 0.0);
}

#[test]
fn object_attributes_of_scenes_are_available() {
    let (_, built) = scene(
        "surface asks(float wet = 9 [[ int interpolated = 1 ]]) {
            color tint = 0; string label = \"\"; float six[6], two[2]; matrix m = 0; int i = 0; float x = 0;
            int ok = exists(\"wet\") && getattribute(\"tint\", tint) && tint == color(0.8, 0.2, 0.1)
                && getattribute(\"label\", label) && label == \"left\" && getattribute(\"count\", i) && i == 3
                && getattribute(\"six\", six) && six[5] == 6 && getattribute(\"six\", 2, x) && x == 3
                && getattribute(\"two\", two) && two[1] == 8 && getattribute(\"place\", m) && m[3][1] == 5
                && !getattribute(\"dry\", x);
            Ci = color(wet, ok, tint[1]) * emission();
        }
        shape left : sphere { material = asks(); transform = translate(-2, 0, 0); attributes = {
            wet = 0.3; tint = (0.8, 0.2, 0.1); label = \"left\"; count = 3; six = (1, 2, 3, 4, 5, 6); two = (7, 8);
            place = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1);
        } }
        shape right : instance { of = left; transform = translate(4, 0, 0); attributes = { wet = 0.7; } }",
        Path::new(""),
    );
    let at = |x: f32| spot(&built, Vec3::new(x, 0.0, 9.0), Vec3::X * x, 1);
    check(at(-2.0), [0.3, 1.0, 0.2], 1e-5);
    check(at(2.0), [0.7, 1.0, 0.2], 1e-5);
}

#[test]
fn object_index_and_random_number_are_available() {
    let (_, built) = scene(
        "surface asks() {
            int index = -1; float random = -1;
            getattribute(\"object:index\", index);
            getattribute(\"object:random\", random);
            Ci = color(index, random, 0) * emission();
        }
        shape a : sphere { material = asks(); transform = translate(-2, 0, 0); }
        shape b : sphere { material = asks(); transform = translate(2, 0, 0); }",
        Path::new(""),
    );
    let at = |x: f32| spot(&built, Vec3::new(x, 0.0, 9.0), Vec3::X * x, 1).to_array();
    let [[a, random_a, _], [b, random_b, _]] = [at(-2.0), at(2.0)];
    assert!(a.abs() < 1e-5 && (b - 1.0).abs() < 1e-5, "{a}, {b}");
    assert!((random_a - random_b).abs() > 1e-3, "{random_a}, {random_b}");
    assert!([random_a, random_b].iter().all(|x| (0.0..1.0).contains(x)));
}

#[test]
fn every_property_of_a_ply_file_is_an_attribute() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["wet", "wind_x", "wind_y", "wind_z", "rest_0", "rest_1", "red", "green", "blue"];
    let declared: String = names.iter().map(|name| format!("property float {name}\n")).collect();
    let values: String = (1..=names.len()).map(|i| format!(" 0.{i}")).collect();
    let vertices: String = ["-9 -9 0", "9 -9 0", "0 9 0"].map(|p| format!("{p}{values}\n")).concat();
    let text = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n{declared}\
         element face 1\nproperty list uchar int vertex_indices\nproperty float age\nend_header\n{vertices}3 0 1 2 7\n"
    );
    std::fs::write(folder.path().join("a.ply"), text).unwrap();
    let conditions: String = (1..)
        .zip(names)
        .map(|(i, name)| format!("&& getattribute(\"{name}\", x) && abs(x - 0.{i}) < 1e-6 "))
        .collect();
    let (_, built) = scene(
        &format!(
            "surface asks() {{
                float x = 0, rest[2]; vector wind = 0;
                int ok = getattribute(\"age\", x) && x == 7 && getattribute(\"face_age\", x)
                    && getattribute(\"wind\", wind) && abs(wind[1] - 0.3) < 1e-6
                    && getattribute(\"rest\", rest) && abs(rest[1] - 0.6) < 1e-6 {conditions};
                Ci = ok * emission();
            }}
            shape a : mesh {{ file = \"a.ply\"; material = asks(); }}"
        ),
        folder.path(),
    );
    check(spot(&built, Vec3::Z * 9.0, Vec3::ZERO, 1), [1.0; 3], 1e-5);
}

/// `calculatenormal(P)` is on the side of `Ng` on every shape, also mirrored and seen from inside, as on the grid of
/// `kiln shade`.
#[test]
fn calculated_normals_are_on_the_side_of_the_geometric_normal() {
    let shapes = [
        ("sphere { radius = 1", ""),
        ("sphere { radius = 6", ""),
        ("plane { size = 10", " * rotate((1, 0, 0), 80)"),
        ("rectangle { size = 10", ""),
        ("rectangle { size = 10", " * rotate((0, 1, 0), 180)"),
        ("disk { radius = 5", ""),
        ("cube { size = 2", ""),
        (
            "cylinder { radius = 1; height = 2",
            " * rotate((1, 0, 0), 90) * translate(0, 0, -1)",
        ),
        ("mesh { file = \"square.obj\"", ""),
    ];
    let folder = tempfile::tempdir().unwrap();
    let square = "v -5 -5 0\nv 5 -5 0\nv 5 5 0\nv -5 5 0\nf 1 2 3 4\n";
    std::fs::write(folder.path().join("square.obj"), square).unwrap();
    for (shape, transform) in shapes {
        for mirror in ["1, 1, 1", "-1, 1, 1", "1, -1, 1", "1, 1, -1", "-1, -1, -1"] {
            let text = format!(
                "surface asks() {{
                    point moved = P + 0.01 * N;
                    float side = dot(normalize(calculatenormal(P)), Ng);
                    float other = dot(normalize(calculatenormal(moved)), Ng);
                    Ci = color(side > 0.9, other > 0.9, 1) * transparent();
                }}
                light sky : environment {{ color = 1; }}
                shape it : {shape}; transform = scale({mirror}){transform}; material = asks(); }}"
            );
            let (desc, built) = scene(&text, folder.path());
            let image = film(&built.scene, &desc.cameras[0].camera, look(1)).develop();
            let middle = 3 * (SIZE[1] / 2 * SIZE[0] + SIZE[0] / 2) as usize;
            let [side, moved, hit] = [0, 1, 2].map(|i| image.data[middle + i]);
            assert!(hit > 0.99 && side > 0.9 && moved > 0.9, "{text}: {side} {moved} {hit}");
        }
    }
}
