//! Names of passes: invalid names are errors with suggestions before the render; valid names become layers.

use std::fs;

use crate::program::{done, message, run, scene_folder};
use renderer::image::read_channels;
use tempfile::TempDir;

const SCENE: &str = "film { size = (16, 12); }
sampler { spp = 1; }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
light sky : environment { color = 0.2; }
light rest : point { position = (0, 3, 2); intensity = 3; }
light key : point { position = (2, 3, 2); intensity = 4; }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = matte(); }
";

/// Names of a file's layers, sorted.
fn layers(folder: &TempDir, file: &str) -> Vec<String> {
    let names = read_channels(&folder.path().join(file)).unwrap().planes;
    let layer = |(name, _): (String, _)| name.rsplit_once('.').map(|(layer, _)| layer.to_owned());
    let mut layers: Vec<String> = names.into_iter().filter_map(layer).collect();
    layers.dedup();
    layers
}

#[test]
fn invalid_passes_are_errors_before_the_render() {
    let folder = scene_folder(SCENE);
    let long = format!("{}=depth", "n".repeat(201));
    let deep = format!("x={}é", "(".repeat(64));
    let far = format!("x=C{}", ".".repeat(5000));
    let aimless = ["x=C", &"(".repeat(9), ".", &"{64})".repeat(9)].concat();
    let cases = [
        ("dpeth", "did you mean `depth`"),
        ("", "the expression is empty"),
        ("depth,,N", "the expression is empty"),
        ("light_kye", "the scene has no light group `kye`"),
        ("light_", "the scene has no light group ``"),
        ("shader:", "`` cannot be the name of a layer"),
        ("shader:nothing", "no material has an output `nothing`"),
        ("attribute:geom:uv", "give it another name: NAME=WHAT"),
        ("Tiefe\u{e4}=depth", "cannot be the name of a layer"),
        ("noisy=albedo", "is the layer of the picture before denoising"),
        ("x=components", "`components` is several passes"),
        ("a=depth,b=N", "`depth,b=N` is several passes"),
        ("x=C<RD", "this group has no end"),
        ("x=C<RD>{65}L", "this is no number of repetitions"),
        (&long, "the name of a layer has 201 characters"),
        (&deep, "parentheses are nested too deeply"),
        (&far, "the expression is too long"),
        (&aimless, "too complex together"),
        ("x=C.*D.{14}L", "too complex together"),
    ];
    for (aov, expected) in cases {
        let mut command = crate::program::kiln(folder.path(), "render a.kiln -o a.exr --aov");
        let output = command.arg(aov).output().unwrap();
        let text = message(&output);
        assert_eq!(output.status.code(), Some(1), "{aov}: {text}");
        assert!(text.contains(expected), "{aov}: {text}");
        assert!(text.len() < 12_000, "{aov}: {} bytes", text.len());
        assert!(!folder.path().join("a.exr").exists(), "{aov}");
    }
    for (args, expected) in [
        ("--aov x=depth --aov x=N", "two passes are called `x`"),
        (
            "--aov crypto --aov crypto_object00=albedo",
            "`crypto_object00` has the name of a layer of the Cryptomatte `crypto_object`",
        ),
        ("--aov mine02=N --aov mine=crypto_asset", "a layer of the Cryptomatte `mine`"),
    ] {
        let output = run(folder.path(), &format!("render a.kiln -o a.exr {args}"));
        assert!(message(&output).contains(expected), "{args}: {}", message(&output));
        assert!(!folder.path().join("a.exr").exists(), "{args}");
    }
    let group = SCENE.replace("intensity = 4;", "intensity = 4; group = rest;");
    fs::write(folder.path().join("b.kiln"), group).unwrap();
    let text = message(&run(folder.path(), "check b.kiln"));
    assert!(text.contains("`rest` cannot be a light group"), "{text}");
}

#[test]
fn valid_pass_names_are_layer_names() {
    let folder = scene_folder(SCENE);
    let long = "n".repeat(200);
    done(
        folder.path(),
        &format!("render a.kiln -o a.exr -o a.part --aov {long}=depth --aov R=N --aov x=depth --aov x=depth"),
    );
    let mut expected = ["R", &long, "x"];
    expected.sort_unstable();
    assert_eq!(layers(&folder, "a.exr"), expected);
    done(folder.path(), "merge a.part -o b.exr");
    assert_eq!(layers(&folder, "b.exr"), expected);
    // A light named `rest` does not replace the group of the remaining lights.
    done(folder.path(), "render a.kiln -o c.exr --light-groups each --aov light_rest");
    assert_eq!(
        layers(&folder, "c.exr"),
        ["light_key", "light_rest", "light_rest_2", "light_sky"]
    );
    let planes = read_channels(&folder.path().join("c.exr")).unwrap().planes;
    let light = |layer: &str| -> f32 {
        let own = planes.iter().filter(|(name, _)| name.starts_with(&format!("{layer}.")));
        own.flat_map(|(_, values)| values).sum()
    };
    assert!(light("light_rest") == 0.0 && light("light_rest_2") > 0.1);
}

/// An attribute that no shape has causes a warning instead of an error, because models change.
#[test]
fn unknown_attributes_cause_a_warning() {
    let folder = scene_folder(SCENE);
    let wet = SCENE.replace("radius = 0.5;", "radius = 0.5; attributes = { wetness = 0.25; }");
    fs::write(folder.path().join("a.kiln"), wet).unwrap();
    let message_about = |pass: &str| {
        let output = run(folder.path(), &format!("render a.kiln -o a.exr --aov {pass}"));
        assert!(output.status.success(), "{}", message(&output));
        message(&output)
    };
    let text = message_about("attribute:wetnes");
    assert!(text.contains("no shape has an attribute `wetnes`"), "{text}");
    assert!(text.contains("did you mean `wetness`"), "{text}");
    for known in ["attribute:wetness", "x=attribute:object:random", "x=attribute:camera:fov"] {
        let text = message_about(known);
        assert!(!text.contains("attribute"), "{known}: {text}");
    }
}

/// Hundreds of expressions, and values that are not finite.
#[test]
fn many_passes_and_non_finite_values_are_accepted() {
    let folder = scene_folder(SCENE);
    let wild = "surface wild(output closure color surface = 0, output color mask = 0) {
            surface = diffuse(N);
            mask = color(sqrt(-1 - u), 1e38 * exp(50 + u), -log(0 * u));
        }\n";
    let texts: Vec<String> = (0..600)
        .map(|i| format!("\"a{i}=C<RD>{{{},{}}}.*[LB]\"", i % 5, i % 5 + 3))
        .collect();
    let film = format!("size = (16, 12); aov = {{{}, \"shader:mask\"}};", texts.join(", "));
    let scene = SCENE.replace("size = (16, 12);", &film).replace("matte()", "wild()");
    fs::write(folder.path().join("a.kiln"), format!("{wild}{scene}")).unwrap();
    done(folder.path(), "render a.kiln -o a.exr -o a.part --spp 4");
    let planes = read_channels(&folder.path().join("a.exr")).unwrap().planes;
    assert_eq!(planes.len(), 3 + 3 * 601);
    for (name, values) in &planes {
        assert!(values.iter().all(|v| v.is_finite()), "{name}");
    }
    done(folder.path(), "merge a.part -o b.exr");
    let merged = read_channels(&folder.path().join("b.exr")).unwrap().planes;
    assert!(merged == planes, "the same layers");
}
