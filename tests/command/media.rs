//! Command line tests of what is told of media that are not what they seem.

use std::fs;

use tempfile::TempDir;

use crate::program::{message, run};

const HEAD: &str = "film { size = (8, 8); }
sampler { spp = 1; }
camera main : perspective { from = (0, 0, 5); to = (0, 0, 0); fov = 40; }
light sky : environment { color = 1; }
";

fn folder(scene: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.kiln"), format!("{HEAD}{scene}")).unwrap();
    folder
}

/// What rendering a scene tells.
fn told(scene: &str) -> String {
    let folder = folder(scene);
    let output = run(folder.path(), "render a.kiln -o a.exr");
    assert!(output.status.success(), "{}", message(&output));
    message(&output)
}

#[track_caller]
fn tells_once(scene: &str, words: &[&str]) {
    let text = told(scene);
    for words in words {
        assert_eq!(text.matches(words).count(), 1, "{words} in {text}");
    }
}

#[track_caller]
fn tells_nothing(scene: &str) {
    let text = told(scene);
    assert!(
        !text.contains("warning") && !text.contains("error"),
        "{scene}: {text}"
    );
}

#[test]
fn media_that_depend_on_surfaces_are_warned_of() {
    let scene = "volume haze(float density = 1) {
    float here = density * u;
    Ci = here * absorption() + N[0] * henyey_greenstein(0);
}
material glassy { surface = glass(); interior = haze(); }
shape ball : sphere { material = glassy; }
";
    // `kiln check` tells as well.
    let folder = folder(scene);
    let text = message(&run(folder.path(), "check a.kiln"));
    for text in [text, told(scene)] {
        for words in [
            "depends on `u`, `N`, which only surfaces have",
            "a.kiln:9:49",
            "`u` is read here",
        ] {
            assert!(text.contains(words), "{words} in {text}");
        }
    }
    tells_nothing("shape puff : sphere { material = smoke(); }");
    tells_nothing("shape drink : sphere { material = milk(scale = 0.001); }");
}

#[test]
fn light_from_far_does_not_come_through_the_medium_of_a_scene() {
    let scene = "light sun : directional { }
scene { medium = fog(density = 0.1); }
shape ball : sphere { }
";
    tells_once(
        scene,
        &[
            "no light of `sky`, `sun` comes through it",
            "a.kiln:6:18",
            "this light is infinitely far away",
            "enclose the visible scene in a cube of the medium",
        ],
    );
    // Blue light comes through.
    tells_nothing(
        "volume red() { Ci = color(1, 1, 0) * absorption(); }
         scene { medium = red(); }
         shape ball : sphere { }",
    );
}

#[test]
fn bodies_with_gaps_are_warned_of() {
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
    tells_once(
        &scene,
        &["the boundary of material `drink` is not closed: `front`, `right`, `back`, …"],
    );
    // With the last one it is closed, and one alone is the surface of a sea.
    tells_nothing(&(scene + &side("bottom", "rotate((1, 0, 0), -90)")));
    tells_nothing("shape sea : rectangle { size = 20; material = ocean_water(); }");
}

#[test]
fn coefficients_that_are_none_are_warned_of() {
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
        let text = told(&scene);
        assert!(text.contains("has coefficients below zero"), "{medium}: {text}");
    }
    tells_nothing("shape a : sphere { material = fog(albedo = 1); }");
}

#[test]
fn details_that_bounds_miss_are_warned_of() {
    let grain = |size: &str| {
        format!(
            "volume grain() {{ Ci = 20 * step(0.9954, noise(\"hash\", floor(P * {size}))) * absorption(); }}
             shape dust : sphere {{ material = grain(); }}"
        )
    };
    tells_once(
        &grain("200"),
        &["the medium of material `dust", "details that are finer than 0.2"],
    );
    for unit in ["smoke", "cloud", "fire"] {
        tells_nothing(&format!("shape a : sphere {{ material = {unit}(); }}"));
    }
}

#[test]
fn media_without_density_are_warned_of() {
    tells_once(
        "volume speck() { if (distance(P, point(0.312, 0.417, 0.218)) < 1e-4) Ci = 9 * absorption(); }
         shape air : cube { size = 30; material = speck(); }",
        &[
            "the medium of material `air",
            "counts as empty",
            "fill a smaller shape",
        ],
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
