//! `--lights`: bakes of separate lights add up to the bake of all lights.

use std::fs;

use renderer::image::read;
use tempfile::TempDir;

use super::done;
use crate::program::refused;

const SCENE: &str = "film { size = (8, 6); }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
material grey = matte(albedo = 0.5);
material lamp = emitter(radiance = 5) { group = indoors; }
light day : sky { sun_direction = (0.3, 0.6, 0.7); }
light spark : point { position = (0.4, 1.5, 1); intensity = 2; }
shape floor : plane { size = 3; material = grey; }
shape back : rectangle { size = (3, 2); material = grey; transform = translate(0, 1, -1.5); }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = grey; }
shape panel : rectangle { size = (1, 1); material = lamp; transform = translate(0, 2, 0) * rotate((1, 0, 0), 90); }
";

#[test]
fn bakes_of_separate_lights_add_up() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("a.kiln"), SCENE).unwrap();
    let mean = |lights: &str| {
        let quick = "--samples 256 --resolution 48 --integrator path --quiet --include both";
        done(at, &format!("bake a.kiln -o out {quick} {lights}"));
        let image = read(&at.join("out/irradiance.exr")).unwrap().data;
        image.iter().map(|&v| f64::from(v)).sum::<f64>() / image.len() as f64
    };
    let all = mean("");
    let parts = ["day.sun", "day.sky", "spark", "panel"].map(|name| mean(&format!("--lights {name}")));
    assert!(parts.iter().all(|part| *part > 0.02 * all), "{all}, {parts:?}");
    let sum: f64 = parts.iter().sum();
    assert!((sum / all - 1.0).abs() < 0.02, "{all}, {parts:?}");
    let pair = mean("--lights da*,indoors");
    assert!(
        (pair / (parts[0] + parts[1] + parts[3]) - 1.0).abs() < 0.02,
        "{pair}, {parts:?}"
    );
    // The model still contains the light.
    let model = fs::read(at.join("out/model.glb")).unwrap();
    let text = String::from_utf8_lossy(&model);
    assert!(text.contains("\"emissiveStrength\":5.0"));
    // Shadows of lights by name, with and without light.
    for (name, include) in [("day.sun", "none"), ("indoors", "direct"), ("spark", "none")] {
        let quick = "--samples 1 --resolution 48 --ao-samples 16 --quiet";
        done(
            at,
            &format!("bake a.kiln -o out {quick} --include {include} --aov shadow:{name}"),
        );
        let file = format!("out/surface_shadow_{}.exr", name.replace('.', "_"));
        let values = read(&at.join(file)).unwrap().data;
        assert!(values.iter().all(|v| (0.0..=1.0).contains(v)));
        let lit = values.iter().filter(|v| **v == 1.0).count();
        assert!((values.len() / 20..values.len()).contains(&lit), "{name}: {lit}");
    }
    refused(
        at,
        "bake a.kiln -o o --include none --aov shadow:spork",
        &["no light has this name", "`spark`"],
    );
    refused(
        at,
        "bake a.kiln -o o --lights spork",
        &["no light, shape or group of lights", "`spark`"],
    );
}
