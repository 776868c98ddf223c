//! Files for Bevy: lightmap coordinates without rectangles, and an irradiance volume with six directions per probe.

use renderer::files::SharedFiles;
use renderer::scene::import::GltfFile;
use serde_json::Value;

use super::model::{everything, json_of};
use super::*;

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn bevy_models_have_a_mesh_per_node() {
    let folder = folder();
    let at = folder.path();
    everything().write(&at.join("in.glb"));
    let flags = "--samples 4 --integrator path --texels-per-unit 24 --max-size 80 --include both --for bevy";
    let output = run(at, &format!("bake in.glb -o out {flags}"));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    // Bevy has no lightmaps for instances, and a warning says so.
    assert!(message.contains("without lightmap in Bevy: `c`"), "{message}");
    let said = json(&at.join("out/bevy.json"));
    assert_eq!((&said["model"], &said["include"]), (&"bevy.glb".into(), &"both".into()));
    assert_eq!(said["lightmap_exposure"], 683.0);
    let model = json_of(&at.join("out/bevy.glb"));
    let meshes = [0, 1].map(|node| model["nodes"][node]["mesh"].as_u64().unwrap());
    assert_ne!(meshes[0], meshes[1]);
    let gltf = GltfFile::open(&SharedFiles::default(), &at.join("out/bevy.glb")).unwrap();
    let manifest = manifest(&at.join("out"));
    let size = manifest["atlas"]["width"].as_f64().unwrap() as f32;
    for object in manifest["atlas"]["objects"].as_array().unwrap() {
        let node = object["node"].as_u64().unwrap() as usize;
        if node > 1 || object["side"] == "back" {
            continue;
        }
        let page = &object["page"];
        let primitive = object["primitive"].as_u64().unwrap() as usize;
        let mesh = meshes[node] as usize;
        let said = &model["meshes"][mesh]["primitives"][primitive];
        assert_eq!(said["extras"]["lightmap"], format!("bevy_lightmap.{page}.ktx2"));
        let accessor = &said["attributes"]["TEXCOORD_1"];
        let (bytes, _) = gltf.elements(accessor.as_u64().unwrap() as usize).unwrap();
        let triangles = gltf.triangles(mesh, primitive).unwrap().unwrap();
        for &corner in triangles.iter().flatten() {
            for (axis, [from, to]) in [[0, 2], [1, 3]].into_iter().enumerate() {
                let at = 8 * corner as usize + 4 * axis;
                let place = f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) * size;
                let side = |side: usize| object["rect"][side].as_f64().unwrap() as f32;
                assert!(side(from) < place && place < side(to), "{}: {place}", object["name"]);
            }
        }
    }
    let image = fs::read(at.join("out/bevy_lightmap.0.ktx2")).unwrap();
    // The texture is compressed half floats.
    assert_eq!([12, 20, 24, 28, 44].map(|at| word(&image, at)), [97, 80, 80, 0, 2]);
}

#[test]
fn bevy_reads_an_irradiance_volume() {
    let folder = folder();
    let at = folder.path();
    let flags = "--target probes --samples 4 --integrator path --probe-spacing 0.6 --quiet";
    done(at, &format!("bake a.kiln -o out {flags} --for bevy"));
    let grid = &json(&at.join("out/probes.json"))["grid"];
    let volume = &json(&at.join("out/bevy.json"))["volume"];
    for axis in 0..3 {
        let number = |value: &Value| value[axis].as_f64().unwrap();
        let (count, spacing) = (number(&grid["counts"]), grid["spacing"].as_f64().unwrap());
        assert!((number(&volume["scale"]) - count * spacing).abs() < 1e-5);
        let first = number(&volume["translation"]) - 0.5 * number(&volume["scale"]) + 0.5 * spacing;
        assert!((first - number(&grid["origin"])).abs() < 1e-5);
    }
    let counts = [0, 1, 2].map(|axis| grid["counts"][axis].as_u64().unwrap() as u32);
    let file = fs::read(at.join("out/bevy_volume.ktx2")).unwrap();
    let expected = [97, counts[0], 2 * counts[1], 3 * counts[2]];
    assert_eq!([12, 20, 24, 28].map(|at| word(&file, at)), expected);
    for (more, said) in [
        ("--target vertex", "Bevy reads no light at vertices"),
        ("--target probes --probe-points a.txt", "irradiance volumes are grids"),
    ] {
        let output = run(at, &format!("bake a.kiln -o no --for bevy {more}"));
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains(said));
    }
}
