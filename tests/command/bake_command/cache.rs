//! `--keep`: a second bake gathers only changed light.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::{done, run};

const SCENE: &str = "camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
material grey = matte(albedo = 0.5);
light day : sky { sun_direction = (0.3, 0.6, 0.7); }
shape floor : plane { size = 6; material = grey; }
shape ball : sphere { center = (-2, 0.5, 0); radius = 0.3; material = grey; }
";

#[test]
fn keep_reuses_light_of_the_folder() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let bake = |scene: &str| {
        fs::write(at.join("a.kiln"), scene).unwrap();
        let output = run(
            at,
            "bake a.kiln -o out --samples 64 --texels-per-unit 6 --include both --integrator path --keep",
        );
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let manifest: Value = serde_json::from_slice(&fs::read(at.join("out/bake.json")).unwrap()).unwrap();
        (said, manifest["settings"]["kept"].as_f64().unwrap())
    };
    let files = || {
        let names = ["irradiance.exr", "model.glb", "kept.light"];
        names.map(|name| fs::read(at.join("out").join(name)).unwrap())
    };
    assert_eq!(bake(SCENE).1, 0.0);
    let first = files();
    assert_eq!(bake(SCENE).1, 1.0);
    assert!(files() == first);
    let (said, share) = bake(&SCENE.replace("(-2, 0.5, 0)", "(-2, 0.5, 0.4)"));
    assert!((0.3..0.97).contains(&share), "{share}");
    assert!(said.contains("from the earlier bake"), "{said}");

    // A damaged file causes a warning, and all light is gathered.
    fs::write(at.join("out/kept.light"), "kiln kept v1\0\0\0\0 and then?").unwrap();
    let (said, share) = bake(SCENE);
    assert_eq!(share, 0.0);
    assert!(said.contains("cannot use") && said.contains("kept.light"), "{said}");
    assert!(files() == first);
    // A bake without `--keep` removes the cache file.
    done(at, "bake a.kiln -o out --samples 4 --resolution 64 --quiet");
    assert!(!at.join("out/kept.light").exists());
}
