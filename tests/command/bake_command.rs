//! Command line tests of `kiln bake`: files written and errors.

mod bevy;
mod cache;
mod engines;
mod layouts;
mod lights;
mod model;
mod pages;
mod refusals;
mod surfaces;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use renderer::image::{MetaValue, read, read_channels, read_metadata};
use tempfile::TempDir;

use crate::program::{done, files, kiln, refused, run, same, scene_folder};

/// A ball in an open box with a light.
const SCENE: &str = "film { size = (8, 6); }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
material grey = matte(albedo = 0.5);
material lamp = emitter(radiance = 5);
shape floor : plane { size = 3; material = grey; }
shape back : rectangle { size = (3, 2); material = grey; transform = translate(0, 1, -1.5); }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = grey; }
shape light : rectangle { size = (1, 1); material = lamp; transform = translate(0, 2, 0) * rotate((1, 0, 0), 90); }
";

fn folder() -> TempDir {
    scene_folder(SCENE)
}

const SMALL: &str = "bake a.kiln --integrator path --samples 16 --resolution 64";

#[test]
fn a_scene_needs_no_camera_to_be_baked() {
    let folder = folder();
    let blind: String = SCENE.lines().filter(|line| !line.starts_with("camera")).collect();
    fs::write(folder.path().join("blind.kiln"), blind).unwrap();
    let flags = "--resolution 32 --samples 4 --integrator path --quiet";
    done(folder.path(), &format!("bake blind.kiln -o blind {flags}"));
    done(folder.path(), &format!("bake a.kiln -o seen {flags}"));
    let irradiance = |of: &str| fs::read(folder.path().join(of).join("irradiance.exr")).unwrap();
    assert_eq!(irradiance("blind"), irradiance("seen"));
    for refused in ["render blind.kiln -o blind.png", "check blind.kiln"] {
        let output = run(folder.path(), refused);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(1) && message.contains("has no camera"),
            "{refused}: {message}"
        );
    }
}

#[test]
fn raytype_bake_is_true_in_bakes() {
    let folder = folder();
    let at = folder.path();
    let scene = "film { size = (4, 4); }
        camera main : perspective { from = (0, 1, 1); to = (0, 0, 0); }
        surface glow(output closure color surface = 0) { surface = (raytype(\"bake\") ? 2 : 1) * emission(); }
        material sky { surface = glow(); emission = both; }
        material black = matte(albedo = 0);
        shape floor : plane { size = 1; material = black; }
        shape dome : sphere { radius = 3; material = sky; }";
    fs::write(at.join("glow.kiln"), scene).unwrap();
    done(
        at,
        "bake glow.kiln --include direct --integrator path --samples 64 --resolution 32 -o out --quiet",
    );
    let irradiance = read(&at.join("out/irradiance.exr")).unwrap();
    // Only texels of the floor have light: the dome's texels are empty or see the dome alone.
    let lit: Vec<f32> = irradiance.data.iter().copied().filter(|&v| v > 0.0).collect();
    let mean = lit.iter().sum::<f32>() / lit.len() as f32;
    let expected = 2.0 * std::f32::consts::PI;
    assert!((mean / expected - 1.0).abs() < 0.1, "{mean} is not {expected}");
    // In a picture, `raytype("bake")` is false.
    let above = scene.replace("from = (0, 1, 1); to = (0, 0, 0)", "from = (0, 1, 1); to = (0, 2, 0)");
    fs::write(at.join("above.kiln"), above).unwrap();
    done(at, "render above.kiln --spp 1 -o picture.exr --quiet");
    let picture = read(&at.join("picture.exr")).unwrap();
    assert!(picture.data.iter().all(|&v| (v - 1.0).abs() < 1e-4), "{:?}", picture.data);
}

#[test]
fn textures_come_with_manifest_and_metadata() {
    let folder = folder();
    let at = folder.path();
    done(at, &format!("{SMALL} --order 2 --include both -o out"));
    let out = at.join("out");
    let names: Vec<String> = files(&out).into_keys().collect();
    let expected = "bake.json color.exr coverage.png direction.exr irradiance.exr model.glb preview.png scene.glb sh_b.exr \
                    sh_b_2.exr sh_b_3.exr sh_g.exr sh_g_2.exr sh_g_3.exr sh_r.exr sh_r_2.exr sh_r_3.exr";
    assert_eq!(names.join(" "), expected);
    let irradiance = read(&out.join("irradiance.exr")).unwrap();
    assert_eq!((irradiance.width, irradiance.height, irradiance.non_finite()), (64, 64, 0));

    let json: serde_json::Value = serde_json::from_slice(&fs::read(out.join("bake.json")).unwrap()).unwrap();
    assert_eq!(json["basis"]["names"].as_array().unwrap().len(), 9);
    assert_eq!(json["basis"]["functions"][3], "0.488603 x");
    assert_eq!(json["atlas"]["objects"][2]["name"], "ball");
}

/// Reads the `bake.json` of a bake.
fn manifest(out: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(out.join("bake.json")).unwrap()).unwrap()
}

/// The values of every channel of a bake's images, by content. Checks that `bake.json` and the metadata of the images
/// agree.
fn planes(out: &Path) -> BTreeMap<String, Vec<f32>> {
    let mut planes = BTreeMap::new();
    let manifest = manifest(out);
    for (file, channels) in manifest["atlas"]["images"].as_object().unwrap() {
        let metadata = read_metadata(&out.join(file)).unwrap();
        let image = read_channels(&out.join(file)).unwrap();
        assert_eq!(image.planes.len(), channels.as_object().unwrap().len(), "{file}");
        for (channel, plane) in image.planes {
            let key = format!("kiln.channel.{channel}");
            let said = metadata.iter().find(|(name, _)| *name == key).map(|(_, value)| value);
            let Some(held) = channels[&channel].as_str() else {
                assert!(said.is_none() && plane.iter().all(|&v| v == 0.0), "{file} {channel}");
                continue;
            };
            assert_eq!(said, Some(&MetaValue::from(held)), "{file} {channel}");
            assert!(planes.insert(held.to_owned(), plane).is_none(), "{file} {channel}");
        }
    }
    planes
}

#[test]
fn stale_files_of_an_earlier_bake_are_removed() {
    let folder = folder();
    let at = folder.path();
    let out = at.join("out");
    let bakes = [
        "--layout coefficients --order 2",
        "--layout rgba",
        "--target vertex",
        "--target probes",
        "--layout packed --order 2",
    ];
    let mine = ["notes.txt", "sh_mine.exr", "irradiance.png"];
    for (number, flags) in bakes.into_iter().enumerate() {
        let flags = match flags.contains("--target") {
            true => format!("bake a.kiln --integrator path --samples 1 {flags}"),
            false => format!("{SMALL} --samples 1 {flags}").replacen(" --samples 16", "", 1),
        };
        done(at, &format!("{flags} -o fresh{number}"));
        done(at, &format!("{flags} -o out"));
        let fresh = files(&at.join(format!("fresh{number}")));
        let mut found = files(&out);
        // A bake keeps files that no bake has written, even if the manifest lists them.
        for name in mine {
            assert_eq!(found.remove(name).is_some(), number > 0, "{name}");
        }
        same(&found, &fresh, &format!("bake {number}"));
        for name in mine {
            fs::write(out.join(name), "mine").unwrap();
        }
        fs::write(at.join("sh_r.exr"), "outside").unwrap();
        let mut manifest = manifest(&out);
        let list = manifest["files"].as_array_mut().unwrap();
        let strange = ["../sh_r.exr", "../a.kiln", "/sh_r.exr", ".", "", "fresh0"]
            .into_iter()
            .chain(mine);
        list.extend(strange.map(serde_json::Value::from));
        fs::write(out.join("bake.json"), manifest.to_string()).unwrap();
    }
    assert_eq!(fs::read(at.join("sh_r.exr")).unwrap(), b"outside");
    assert_eq!(fs::read_to_string(at.join("a.kiln")).unwrap(), SCENE);
    // A manifest of another program is ignored and not overwritten.
    fs::write(out.join("bake.json"), "{ \"files\": [\"sh_0.exr\"] }").unwrap();
    let probes = "bake a.kiln --integrator path --samples 1 --target probes -o out";
    refused(at, probes, &["bake.json", "no earlier `kiln bake`"]);
    fs::remove_file(out.join("bake.json")).unwrap();
    done(at, probes);
    assert!(out.join("sh_0.exr").exists());
    // A foreign file with the name of one of a bake's files is not overwritten.
    fs::create_dir(at.join("models")).unwrap();
    fs::write(at.join("models/scene.glb"), "mine").unwrap();
    let vertex = "bake a.kiln --integrator path --samples 1 --target vertex -o models";
    refused(at, vertex, &["scene.glb", "no earlier `kiln bake`"]);
    // A bake does not remove its own inputs.
    done(at, &format!("{SMALL} -o room"));
    done(at, "bake room/scene.glb --integrator path --samples 1 --target probes -o room");
    let left: Vec<String> = files(&at.join("room")).into_keys().collect();
    assert_eq!(left, ["bake.json", "probes.json", "scene.glb"]);
}

#[test]
fn a_killed_bake_leaves_no_mixture_of_old_and_new_files() {
    let folder = folder();
    let at = folder.path();
    let long = "bake a.kiln --integrator path --samples 1 --resolution 128 --order 2 --layout coefficients";
    let short = "bake a.kiln --integrator path --samples 1 --target probes";
    done(at, &format!("{short} -o fresh"));
    let start = Instant::now();
    done(at, &format!("{long} -o out"));
    let whole = start.elapsed();
    for part in 0..6 {
        // The kill happens near the end of the bake, when it writes files.
        let wait = whole.mul_f64(0.6 + 0.1 * f64::from(part));
        let mut child = kiln(at, &format!("{long} --seed {part} -o out"))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(wait);
        let _ = child.kill();
        child.wait().unwrap();
        if manifest(&at.join("out"))["complete"] == true {
            let listed = manifest(&at.join("out"))["files"].as_array().unwrap().len();
            let there = files(&at.join("out")).into_keys().filter(|name| !name.starts_with('.')).count();
            assert_eq!(there, listed + 1);
        }
    }
    done(at, &format!("{short} -o out"));
    let mut left = files(&at.join("out"));
    // The next process that writes a file removes the temporary files of killed processes.
    left.retain(|name, _| !name.starts_with('.'));
    same(&left, &files(&at.join("fresh")), "bake after kills");
}

#[test]
fn the_written_scene_has_geometry_and_lightmap_coordinates() {
    let folder = folder();
    let at = folder.path();
    done(at, &format!("{SMALL} -o out"));
    // A bake of the written scene needs no unwrapping, because its second UV set is valid.
    fs::write(
        at.join("b.kiln"),
        "import \"out/scene.glb\" as room;\nlight sky : environment { color = 1; }\nfilm { size = (8, 8); }\n\
         camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }\n",
    )
    .unwrap();
    let again = "bake b.kiln --integrator path --samples 1 --resolution 64 --no-unwrap";
    done(at, &format!("{again} -o again"));
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(at.join("again/bake.json")).unwrap()).unwrap();
    let objects = json["atlas"]["objects"].as_array().unwrap();
    assert!(objects.len() == 4 && objects.iter().all(|object| object["coordinates"] == "own"));
}

#[test]
fn direct_light_plus_baked_light_equals_the_picture() {
    let folder = folder();
    let at = folder.path();
    done(
        at,
        "bake a.kiln --resolution 96 --samples 256 --order 2 --layout coefficients -o out",
    );
    let materials = [
        ("back", "lightmap(albedo = 0.5, file = \"out/irradiance.exr\")"),
        ("sh", "lightmap_sh(albedo = 0.5, folder = \"out\", order = 2)"),
    ];
    for (file, material) in materials {
        let mut back =
            "film { size = (48, 36); }\nsampler { spp = 256; }\nimport \"out/scene.glb\" as room;\n\
                        camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }\n\
                        assign room.light = emitter(radiance = 5);\n"
                .to_owned();
        for name in ["floor", "back", "ball"] {
            back += &format!("assign room.{name} = {material};\n");
        }
        fs::write(at.join(format!("{file}.kiln")), back).unwrap();
        done(at, &format!("render {file}.kiln --integrator path --depth 2 -o {file}.exr"));
    }
    done(at, "render a.kiln --integrator path --size 48x36 --spp 256 -o whole.exr");
    done(
        at,
        "render a.kiln --integrator path --size 48x36 --spp 256 --depth 2 -o direct.exr",
    );
    let error = |image: &str, reference: &str| {
        let output = run(at, &format!("compare {image} {reference}"));
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find(|line| line.starts_with("relative MSE")).unwrap().to_owned();
        line.split_whitespace().last().unwrap().parse::<f64>().unwrap()
    };
    let direct = error("direct.exr", "whole.exr");
    for image in ["back.exr", "sh.exr"] {
        let baked = error(image, "whole.exr");
        assert!(
            baked < 0.005 && baked < 0.2 * direct,
            "{image}: {baked}, without baked light {direct}"
        );
    }
    let apart = error("sh.exr", "back.exr");
    assert!(apart < 0.001, "{apart} between coefficients and irradiance");
}

/// A sheet that faces +z; `light` is the declaration of its lights.
fn sheet(light: &str) -> String {
    format!(
        "film {{ size = (8, 8); }}\nsampler {{ spp = 16; }}\n\
         camera main : perspective {{ from = (0, 0, 4); to = (0, 0, 0); fov = 15; }}\n\
         camera behind : perspective {{ from = (0, 0, -4); to = (0, 0, 0); fov = 15; }}\n{light}"
    )
}

const SHEET: &str =
    "shape sheet : rectangle { size = 2; material = grey; }\nmaterial grey = matte(albedo = 0.8);\n";

/// The mean colour of a picture.
fn mean(path: &Path) -> [f32; 3] {
    let image = read(path).unwrap();
    let pixels = image.data.chunks_exact(image.channels);
    let count = pixels.len() as f32;
    pixels.fold([0.0; 3], |sum, p| std::array::from_fn(|i| sum[i] + p[i] / count))
}

#[test]
fn backs_are_separate_nodes() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let lights = "light front : directional { direction = (0, 0, -1); irradiance = (3, 1, 0); }\n\
                  light back : directional { direction = (0, 0, 1); irradiance = (0, 1, 2); }\n";
    fs::write(at.join("sheet.kiln"), sheet(&format!("{lights}{SHEET}"))).unwrap();
    done(at, "bake sheet.kiln --integrator path --include both --resolution 32 -o out");
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(at.join("out/bake.json")).unwrap()).unwrap();
    let objects = &json["atlas"]["objects"];
    assert_eq!(objects[0]["side"], "front");
    assert_eq!(
        (&objects[1]["name"], &objects[1]["side"]),
        (&"sheet.back".into(), &"back".into())
    );

    // The triangles of the two sides face away from each other, like the sheets.
    let glb = fs::read(at.join("out/scene.glb")).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let document: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let word = |view: &serde_json::Value, index: usize| {
        let offset = document["bufferViews"][view.as_u64().unwrap() as usize]["byteOffset"]
            .as_u64()
            .unwrap();
        let at = 28 + length + offset as usize + 4 * index;
        <[u8; 4]>::try_from(&glb[at..at + 4]).unwrap()
    };
    let view = |accessor: &serde_json::Value| {
        document["accessors"][accessor.as_u64().unwrap() as usize]["bufferView"].clone()
    };
    for (node, name, sign) in [(0, "sheet", 1.0), (1, "sheet.back", -1.0)] {
        assert_eq!(document["nodes"][node]["name"], name);
        let primitive = &document["meshes"][node]["primitives"][0];
        let attribute = |name: &str, vertex: usize| {
            let view = view(&primitive["attributes"][name]);
            glam::Vec3::from([0, 1, 2].map(|i| f32::from_le_bytes(word(&view, 3 * vertex + i))))
        };
        let indices = view(&primitive["indices"]);
        let corners = [0, 1, 2].map(|i| u32::from_le_bytes(word(&indices, i)) as usize);
        let [a, b, c] = corners.map(|vertex| attribute("POSITION", vertex));
        assert!((b - a).cross(c - a).z * sign > 0.1, "{name}");
        assert!(corners.iter().all(|&v| attribute("NORMAL", v).z * sign > 0.99), "{name}");
        let gap = if sign > 0.0 { 0.0..=0.0 } else { 1e-5..=1e-3 };
        assert!(gap.contains(&-a.z), "{name} lies at {}", a.z);
    }

    // Each side shows the light of its own side.
    let mut back = sheet("import \"out/scene.glb\" as room;\n");
    for name in ["sheet", "sheet.back"] {
        back += &format!("assign room.\"{name}\" = lightmap(albedo = 0.8, file = \"out/irradiance.exr\");\n");
    }
    fs::write(at.join("back.kiln"), back).unwrap();
    for (camera, irradiance) in [("main", [3.0, 1.0, 0.0]), ("behind", [0.0, 1.0, 2.0])] {
        done(
            at,
            &format!("render back.kiln --integrator path --camera {camera} -o {camera}.exr"),
        );
        let found = mean(&at.join(format!("{camera}.exr")));
        for (found, irradiance) in found.into_iter().zip(irradiance) {
            let expected = 0.8 / std::f32::consts::PI * irradiance;
            assert!(
                (found - expected).abs() < 0.03 * expected + 1e-6,
                "{camera}: {found} for {expected}"
            );
        }
    }
}

#[test]
fn coefficients_follow_the_normal() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let lights = [
        ("sky", "light sky : environment { color = 1; }\n"),
        ("sun", "light sun : directional { direction = (0, 0, -1); irradiance = 2; }\n"),
    ];
    for (name, light) in lights {
        fs::write(at.join("sheet.kiln"), sheet(&format!("{light}{SHEET}"))).unwrap();
        done(
            at,
            &format!(
                "bake sheet.kiln --integrator path --include both --samples 1024 --resolution 16 --order 2 \
                 --layout coefficients -o {name}"
            ),
        );
    }
    // A hemisphere of radiance 1 gives a surface tilted by t the irradiance π (1 + cos t) / 2. A sun gives its
    // projection to order 2, 1/4 + cos t / 2 + 5/32 (3 cos² t - 1), clamped at zero.
    let tilted = "(0.8660254, 0, 0.5)";
    let pi = std::f32::consts::PI;
    for (light, order, normal, irradiance) in [
        ("sky", 1, "(0, 0, 1)", pi),
        ("sky", 2, "(0, 0, 1)", pi),
        ("sky", 1, tilted, 0.75 * pi),
        ("sky", 2, tilted, 0.75 * pi),
        ("sky", 2, "(0.48, 0.64, 0.6)", 0.8 * pi),
        ("sun", 1, tilted, 2.0 * 0.5),
        ("sun", 2, tilted, 2.0 * (0.5 - 5.0 / 128.0)),
        ("sun", 2, "(0, -0.6, 0.8)", 2.0 * (0.65 + 0.15625 * 0.92)),
        ("sun", 1, "(0, 0, -1)", 0.0),
    ] {
        let material =
            format!("lightmap_sh(albedo = 0.8, folder = \"{light}\", order = {order}, n = {normal})");
        let text = sheet(&format!(
            "import \"{light}/scene.glb\" as room;\nassign room.sheet = {material};\n"
        ));
        fs::write(at.join("back.kiln"), text).unwrap();
        done(at, "render back.kiln --integrator path -o back.exr");
        let expected = 0.8 / pi * irradiance;
        for found in mean(&at.join("back.exr")) {
            assert!(
                (found - expected).abs() < 0.01 * expected + 1e-6,
                "{light} to order {order} on {normal}: {found} for {expected}"
            );
        }
    }
}

#[test]
fn vertices_and_probes() {
    let folder = folder();
    let at = folder.path();
    done(at, "bake a.kiln --integrator path --samples 4 --target vertex -o vertices");
    let glb = fs::read(at.join("vertices/scene.glb")).unwrap();
    let text = String::from_utf8_lossy(&glb);
    assert!(text.contains("_IRRADIANCE") && text.contains("_SH_L11") && !text.contains("_SH_L20"));

    done(
        at,
        "bake a.kiln --integrator path --samples 16 --target probes --probe-spacing 0.5 -o grid",
    );
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(at.join("grid/probes.json")).unwrap()).unwrap();
    let probes = json["probes"].as_array().unwrap();
    assert_eq!(json["grid"]["counts"], serde_json::json!([6, 4, 6]));
    assert_eq!(probes.len(), 144);
    // Probes inside the ball are marked invalid.
    let hidden = probes.iter().filter(|probe| probe["valid"] == false).count();
    assert!(hidden > 0 && hidden < 20, "{hidden}");

    // Text as an editor on Windows writes it.
    let text = "\u{feff}0 1 1\r\n# two\r\n0.5, 1.5, 0 # the second\r\n";
    fs::write(at.join("points.txt"), text).unwrap();
    done(
        at,
        "bake a.kiln --integrator path --samples 16 --target probes --probe-points points.txt -o points",
    );
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(at.join("points/probes.json")).unwrap()).unwrap();
    assert_eq!(json["probes"].as_array().unwrap().len(), 2);
}
