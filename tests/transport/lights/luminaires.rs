//! Luminaires: the power of photons, and pictures of both integrators.

use std::path::Path;
use std::sync::Arc;

use renderer::light::LuminaireLight;
use renderer::scene::import::parse_ies;

use super::picture::pixels;
use super::*;

/// Vertical angles of a narrow beam.
const NARROW: &str = "0 1 2 3 4";

/// Uneven intensities: type, vertical angles, horizontal angles.
const TABLES: [(u32, &str, &str); 6] = [
    (1, "0 10 20 45 90", "0"),
    (1, "0 30 60 90 120 180", "0 45 90"),
    (1, "90 100 140 180", "0 90 180 270"),
    (1, NARROW, "90 120 180 270"),
    (2, "-90 -30 0 40 90", "-90 -10 0 50 90"),
    (3, "0 5 20 90", "0 5 10 90"),
];

fn profile((kind, vertical, horizontal): (u32, &str, &str)) -> String {
    let [rows, planes] = [vertical, horizontal].map(|angles| angles.split(' ').count());
    let candela: Vec<String> = (0..rows * planes).map(|i| ((i * 37 + 11) % 100 * 20).to_string()).collect();
    format!(
        "IESNA:LM-63-2002\nTILT=NONE\n1 -1 1 {rows} {planes} {kind} 2 0 0 0 1 1 1\n{vertical}\n{horizontal}\n{}\n",
        candela.join(" ")
    )
}

/// Luminaires of all types, turned and mirrored.
pub(super) fn luminaires() -> impl Iterator<Item = Light> {
    let pose = Affine3A::from_rotation_translation(
        Quat::from_euler(EulerRot::XYZ, 0.4, -1.2, 0.3),
        Vec3::new(3.0, -2.0, 7.0),
    );
    TABLES.into_iter().map(move |table| {
        let mirror = Affine3A::from_scale(Vec3::new(if table.0 == 2 { -2.0 } else { 1.0 }, 1.0, 1.0));
        let luminaire = parse_ies(profile(table).as_bytes(), Path::new("lamp.ies")).expect("it is valid");
        let scale = Rgb::new(1.0, 2.0, 0.5);
        let light = LuminaireLight::new(&(pose * mirror), scale, Arc::new(luminaire));
        Light::Luminaire(Box::new(light.expect("the pose is not a singular one")))
    })
}

#[test]
fn both_integrators_have_the_same_indirect_light() {
    let folder = tempfile::tempdir().expect("it can be made");
    let path = folder.path().join("lamp.ies");
    let scene = format!(
        "camera main : perspective {{ from = (0, 3, 3); to = (0, 0, 0); fov = 60; }}
         film {{ size = (8, 8); }}
         shape floor : rectangle {{ size = 8; transform = rotate((1, 0, 0), -90); material = matte(albedo = 0.7); }}
         shape wall : rectangle {{ size = 8; transform = translate(0, 0, -2); material = matte(albedo = 0.7); }}
         light lamp : point {{ position = (0, 2, 0); direction = (0.2, -1, -0.3); profile = \"{}\"; }}",
        path.display()
    );
    // Paths rarely meet the patch of the narrow one: they have a noise of several percent.
    for table in TABLES.into_iter().filter(|table| table.1 != NARROW) {
        std::fs::write(&path, profile(table)).expect("it can be written");
        // Gather rays take all light from photons.
        let photon = ["integrator=photon", "integrator.photons=400000", "integrator.gather=1"];
        let mean = |set: &[&str], spp: u64| {
            let values = pixels(&scene, set, spp);
            values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len() as f64
        };
        // Both integrators sample the direct light of the floor alike.
        let indirect = |set: &[&str]| {
            let [all, direct] = ["integrator.depth=4", "integrator.depth=2"]
                .map(|depth| mean(&[set, &[depth]].concat(), 1024));
            all - direct
        };
        let (path, photon) = (indirect(&["integrator=path"]), indirect(&photon));
        assert!(
            path > 0.0 && (photon / path - 1.0).abs() < 0.01,
            "{table:?}: {photon} is not {path}"
        );
    }
}
