//! Command line tests of warnings about media.

use std::fs;

use tempfile::TempDir;

use crate::program::{message, run, scene_folder};

const HEAD: &str = "film { size = (8, 8); }
sampler { spp = 1; }
camera main : perspective { from = (0, 0, 5); to = (0, 0, 0); fov = 40; }
light sky : environment { color = 1; }
";

fn folder(scene: &str) -> TempDir {
    scene_folder(&format!("{HEAD}{scene}"))
}

/// Messages of a render of a scene.
fn messages(scene: &str) -> String {
    let folder = folder(scene);
    let output = run(folder.path(), "render a.kiln -o a.exr");
    assert!(output.status.success(), "{}", message(&output));
    message(&output)
}

#[track_caller]
fn warns_once(scene: &str, words: &[&str]) {
    let text = messages(scene);
    for words in words {
        assert_eq!(text.matches(words).count(), 1, "{words} in {text}");
    }
}

#[track_caller]
fn warns_not(scene: &str) {
    let text = messages(scene);
    assert!(!text.contains("warning") && !text.contains("error"), "{scene}: {text}");
}

#[test]
fn media_that_read_surface_values_cause_a_warning() {
    let scene = "volume haze(float density = 1) {
    float here = density * u;
    Ci = here * absorption() + N[0] * henyey_greenstein(0);
}
material glassy { surface = glass(); interior = haze(); }
shape ball : sphere { material = glassy; }
";
    // `kiln check` prints the same warnings.
    let folder = folder(scene);
    let text = message(&run(folder.path(), "check a.kiln"));
    for text in [text, messages(scene)] {
        for words in ["depends on `u`, `N`, which only surfaces have", "a.kiln:9:49", "`u` is read here"] {
            assert!(text.contains(words), "{words} in {text}");
        }
    }
    warns_not("shape puff : sphere { material = smoke(); }");
    warns_not("shape drink : sphere { material = milk(scale = 0.001); }");
}

#[test]
fn distant_light_in_an_endless_medium_causes_a_warning() {
    let scene = "light sun : directional { }
scene { medium = fog(density = 0.1); }
shape ball : sphere { }
";
    warns_once(
        scene,
        &[
            "no light of `sky`, `sun` comes through it",
            "a.kiln:6:18",
            "this light is infinitely far away",
            "enclose the visible scene in a cube of the medium",
        ],
    );
    // A medium that transmits blue light causes no warning.
    warns_not(
        "volume red() { Ci = color(1, 1, 0) * absorption(); }
         scene { medium = red(); }
         shape ball : sphere { }",
    );
}

#[test]
fn open_shapes_with_a_medium_cause_a_warning() {
    let side = |name: &str, turn: &str| {
        format!("shape {name} : rectangle {{ material = drink; transform = {turn} * translate(0, 0, 1); }}\n")
    };
    let mut scene = "material drink { surface = glass(); interior = fog(); }\n".to_owned();
    for (name, turn) in [
        ("front", "rotate((0, 1, 0), 0)"),
        ("right", "rotate((0, 1, 0), 90)"),
        ("back", "rotate((0, 1, 0), 180)"),
        ("left", "rotate((0, 1, 0), 270)"),
        ("top", "rotate((1, 0, 0), 90)"),
    ] {
        scene += &side(name, turn);
    }
    warns_once(
        &scene,
        &["the boundary of material `drink` is not closed: `front`, `right`, `back`, …"],
    );
    // A closed box causes no warning, and neither does a single sheet, which is the surface of a sea.
    warns_not(&(scene + &side("bottom", "rotate((1, 0, 0), -90)")));
    warns_not("shape sea : rectangle { size = 20; material = ocean_water(); }");
}

#[test]
fn invalid_coefficients_cause_a_warning() {
    for medium in [
        "-1 * absorption()",
        "anisotropic_vdf(color(1.5), color(2), 0)",
        "(P[0] - 0.5) * henyey_greenstein(0)",
    ] {
        let scene = format!(
            "volume odd() {{ Ci = {medium}; }}
             shape a : sphere {{ material = odd(); }}
             shape b : sphere {{ material = odd(); center = (1, 0, 0); }}"
        );
        let text = messages(&scene);
        assert!(text.contains("has coefficients below zero"), "{medium}: {text}");
    }
    warns_not("shape a : sphere { material = fog(albedo = 1); }");
}

#[test]
fn media_above_their_majorant_cause_a_warning() {
    let grain = |size: &str| {
        format!(
            "volume grain() {{ Ci = 20 * step(0.9954, noise(\"hash\", floor(P * {size}))) * absorption(); }}
             shape dust : sphere {{ material = grain(); }}"
        )
    };
    warns_once(
        &grain("200"),
        &["the medium of material `dust", "details that are finer than 0.2"],
    );
    for unit in ["smoke", "cloud", "fire"] {
        warns_not(&format!("shape a : sphere {{ material = {unit}(); }}"));
    }
}

#[test]
fn media_without_density_cause_a_warning() {
    warns_once(
        "volume speck() { if (distance(P, point(0.312, 0.417, 0.218)) < 1e-4) Ci = 9 * absorption(); }
         shape air : cube { size = 30; material = speck(); }",
        &["the medium of material `air", "counts as empty", "fill a smaller shape"],
    );
}

#[test]
fn grids_of_media_are_checked() {
    let folder = folder(
        "volume plume() { Ci = (float)texture3d(\"smoke.vdb\", P, \"subimage\", \"densty\") * absorption(); }
         shape a : sphere { material = plume(); }",
    );
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../renderer/grid/tests/data/smoke.vdb");
    let bytes = fs::read(data).unwrap();
    let file = folder.path().join("smoke.vdb");
    fs::write(&file, &bytes).unwrap();
    let text = message(&run(folder.path(), "check a.kiln"));
    for words in [
        "grid `densty` is not in",
        "`flames` and `density`",
        "a.kiln:5:",
        "did you mean `density`?",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
    fs::write(&file, &bytes[..bytes.len() - 100]).unwrap();
    let scene = folder.path().join("a.kiln");
    let mended = fs::read_to_string(&scene).unwrap().replace("densty", "density");
    fs::write(&scene, mended).unwrap();
    for command in ["check a.kiln", "render a.kiln -o a.exr -q"] {
        let output = run(folder.path(), command);
        let text = message(&output);
        assert!(!output.status.success(), "{command}: {text}");
        assert!(text.contains("is cut short"), "{command}: {text}");
    }
}
