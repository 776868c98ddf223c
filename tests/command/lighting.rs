//! `--light`: replaces or extends the lights of a scene; and the warnings about nearly black or overexposed images.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::program;
use renderer::image::read;
use renderer::scene::desc::LightKind;
use renderer::scene::load::{Lighting, LoadOptions, load};
use tempfile::TempDir;

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes")
}

/// A quad that faces the camera, a light for it, a model with that quad, and a scene that imports the model.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.obj", "v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3 4\n");
    write(
        "a.kiln",
        "film { size = (16, 12); }\ncamera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }\n\
         import \"a.obj\" as a;\nlight lamp : point { position = (0, 0, 3); intensity = 1; }\n",
    );
    let ktx = r#"{"asset":{"version":"2.0"},"extensionsUsed":["KHR_lights_punctual"],
        "extensions":{"KHR_lights_punctual":{"lights":[{"type":"point","name":"lamp","intensity":0.0001}]}},
        "scene":0,"scenes":[{"nodes":[0,1]}],
        "nodes":[{"name":"Body","mesh":0},{"extensions":{"KHR_lights_punctual":{"light":0}},"translation":[0,0,3]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;
    write("lamp.gltf", ktx);
    folder
}

/// The names of the lights of a file under `--light LIGHT`.
fn lights(file: &Path, light: &str) -> Vec<(String, LightKind)> {
    let options = LoadOptions {
        light: Some(Lighting::parse(light).unwrap()),
        ..LoadOptions::default()
    };
    let (desc, _) = load(file, &options).unwrap_or_else(|errors| panic!("{errors}"));
    desc.lights.into_iter().map(|light| (light.name, light.kind)).collect()
}

fn kiln(folder: &Path, args: &[&str]) -> String {
    let output = program(folder).args(args).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {err}");
    err
}

#[test]
fn replaces_the_lights_or_adds_one() {
    let folder = folder();
    let sky = scenes().join("sun_sky.exr");
    let sky = sky.to_str().unwrap();
    for file in ["a.kiln", "lamp.gltf"] {
        let path = folder.path().join(file);
        for light in ["neutral", "studio", sky] {
            let replaced = lights(&path, light);
            assert_eq!(replaced.len(), 1, "{file} {light}: {replaced:?}");
            assert_eq!(replaced[0].0, "surroundings");
            assert!(matches!(replaced[0].1, LightKind::Environment { .. }));
            let added = lights(&path, &format!("+{light}"));
            assert_eq!(added.len(), 2, "{file} +{light}: {added:?}");
            assert!(added.iter().any(|(name, _)| name.ends_with("lamp")), "{added:?}");
        }
    }
    // In a model without lights, `--light` replaces the default light.
    for light in ["studio", "+studio"] {
        assert_eq!(lights(&folder.path().join("a.obj"), light).len(), 1, "{light}");
    }
    assert!(Lighting::parse("stduio").is_err());
}

#[test]
fn light_accepts_set_and_avoids_existing_names() {
    let folder = folder();
    let args = ["render", "a.kiln", "--light", "studio", "--spp", "4", "-o", "a.exr"];
    kiln(folder.path(), &args);
    let mean = |name: &str| {
        let image = read(&folder.path().join(name)).unwrap();
        image.data.iter().sum::<f32>() / image.data.len() as f32
    };
    let whole = mean("a.exr");
    kiln(
        folder.path(),
        &[&args[..7], &["b.exr", "--set", "light.surroundings.scale=0.5"]].concat(),
    );
    assert!((mean("b.exr") / whole - 0.5).abs() < 1e-3, "{} of {whole}", mean("b.exr"));
    // A white wall that faces the studio is neither dark nor overexposed.
    assert!((0.2..1.0).contains(&whole), "{whole}");

    let scene = fs::read_to_string(folder.path().join("a.kiln"))
        .unwrap()
        .replace("lamp", "surroundings");
    fs::write(folder.path().join("named.kiln"), scene).unwrap();
    assert_eq!(lights(&folder.path().join("named.kiln"), "+neutral").len(), 2);
}

/// Light is additive: the picture of both lights is the sum of the single pictures, up to noise.
#[test]
fn added_light_is_additive() {
    let folder = folder();
    let picture = |light: &[&str]| {
        let args = ["render", "a.kiln", "--spp", "64", "-o", "a.exr"];
        kiln(folder.path(), &[&args, light].concat());
        read(&folder.path().join("a.exr")).unwrap().data
    };
    let (own, studio) = (picture(&[]), picture(&["--light", "studio"]));
    let both = picture(&["--light", "+studio"]);
    let mean = |data: &[f32]| data.iter().map(|&v| f64::from(v)).sum::<f64>() / data.len() as f64;
    let sum = mean(&own) + mean(&studio);
    assert!((mean(&both) / sum - 1.0).abs() < 0.02, "{} and {sum}", mean(&both));
}

#[test]
fn nearly_black_and_overexposed_pictures_cause_warnings() {
    let folder = folder();
    let said = |args: &[&str]| {
        let render = ["render", "a.kiln", "--spp", "4", "-o", "a.png"];
        kiln(folder.path(), &[&render, args].concat())
    };
    assert_eq!(said(&[]), "");
    let dark = said(&["--set", "light.lamp.intensity=0.0001"]);
    assert!(
        dark.contains("nearly black") && dark.contains("--exposure") && dark.contains("--light"),
        "{dark}"
    );
    let burnt = said(&["--set", "light.lamp.intensity=1000"]);
    assert!(burnt.contains("burnt out") && burnt.contains("--exposure -"), "{burnt}");
    assert!(said(&["--set", "light.lamp.intensity=0"]).contains("is black"));
    // The proposed change removes the warning.
    for lamp in ["light.lamp.intensity=0.0001", "light.lamp.intensity=1000"] {
        let text = said(&["--set", lamp]);
        let stops = text.split("--exposure ").nth(1).unwrap().split('`').next().unwrap();
        assert_eq!(said(&["--set", lamp, "--exposure", stops]), "", "{lamp} {stops}");
        assert_eq!(said(&["--set", lamp, "--quiet"]), "", "{lamp}");
    }
    // `lamp.gltf` has a light of 0.0001 candela.
    let said = |light: &[&str]| {
        let render = ["render", "lamp.gltf", "--spp", "4", "--size", "32x24", "-o", "a.png"];
        kiln(folder.path(), &[&render, light].concat())
    };
    assert!(said(&[]).contains("nearly black"));
    assert_eq!(said(&["--light", "studio"]), "");
    assert_eq!(said(&["--light", "+neutral"]), "");
}
