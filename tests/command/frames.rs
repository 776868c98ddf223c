//! `kiln render --at` and `--frames`: frames in files of their own, kept by `--resume`.

use std::fs;
#[cfg(unix)]
use std::process::Stdio;

use renderer::image::read_channels;
use serde_json::{Value, json};

use crate::program::{bytes, done, folder, message, plane, refused, run, scene_folder};
#[cfg(unix)]
use crate::program::{kiln, signal, wait_for};

const SCENE: &str = "film { size = (12, 8); fps = 25; }
sampler { spp = 2; }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
light sky : environment { color = 0.5; }
shape floor : plane { size = 3; }
shape ball : sphere { radius = 0.4; motion = { at(0, translate(-1, 0.5, 0)), at(10, translate(1, 0.5, 0)) }; }
";

#[test]
fn frames_have_files_of_their_own() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "render a.kiln --frames 0-10:5 -o f.###.exr");
    let frames = ["f.000.exr", "f.005.exr", "f.010.exr"].map(|name| bytes(at, name));
    assert!(frames[0] != frames[1] && frames[1] != frames[2]);
    for (time, frame) in [("0", 0), ("5", 1), ("0.2s", 1), ("10", 2)] {
        done(at, &format!("render a.kiln --at {time} -o one.exr"));
        assert!(bytes(at, "one.exr") == frames[frame], "--at {time}");
    }
    // The picture without a time is frame 0.
    done(at, "render a.kiln -o one.exr");
    assert!(bytes(at, "one.exr") == frames[0]);
}

/// Frames that share what does not change have the bytes of pictures of their own.
#[test]
fn frames_reuse_the_scene() {
    const TURN: &str = "motion = { at(0, rotate((0, 1, 0), 0)), at(10, rotate((0, 1, 0), 90)) };";
    let fixed = SCENE.replace("motion = { at(0, translate(-1, 0.5, 0)), at(10, translate(1, 0.5, 0)) };", "");
    let moving = SCENE.replace(
        "light sky",
        &format!("light bulb : point {{ position = (1, 2, 1); intensity = 9; {TURN} }}\nlight sky"),
    );
    let turned = |scene: &str| scene.replace("to = (0, 0.5, 0);", &format!("to = (0, 0.5, 0); {TURN}"));
    let tinted = |scene: &str| {
        let shader = "shader place(output color result = 0) { result = abs(transform(\"camera\", P)) * 0.1; }
material tint = matte(albedo = place());";
        let scene = scene.replace("shape floor", &format!("{shader}\nshape floor"));
        scene.replace("size = 3;", "size = 3; material = tint;")
    };
    let scenes = [turned(&fixed), moving.clone(), turned(&moving), tinted(&turned(&fixed)), tinted(&moving)];
    for (index, scene) in scenes.iter().enumerate() {
        let folder = scene_folder(scene);
        let at = folder.path();
        done(at, "render a.kiln --frames 0-10:5 -o f.#.exr --stats s.#.json");
        let frames = ["0", "5", "10"].map(|frame| bytes(at, &format!("f.{frame}.exr")));
        assert!(frames[0] != frames[1] && frames[1] != frames[2], "scene {index}");
        for (frame, reused) in ["0", "5", "10"].iter().zip(&frames) {
            done(at, &format!("render a.kiln --at {frame} -o one.exr"));
            assert!(bytes(at, "one.exr") == *reused, "scene {index}, frame {frame}");
        }
        let seconds = |frame: &str, stage: &str| {
            let stats = bytes(at, &format!("s.{frame}.json"));
            let stats: Value = serde_json::from_slice(&stats).unwrap();
            stats["stages_s"][stage].as_f64().unwrap()
        };
        assert!(seconds("0", "load") > 0.0 && seconds("0", "compile") > 0.0);
        assert!(
            seconds("5", "load") + seconds("5", "compile") + seconds("10", "load") == 0.0,
            "scene {index}"
        );
    }
}

/// A floor of glTF, whose material is red at frame 0 and blue at frame 24, and another that is hidden from then on.
fn animated_floor() -> Value {
    let floats = [
        0.0f32, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, -3.0, -1.0, 0.0, 3.0, -1.0, 0.0, 0.0, 4.0, 0.0,
    ];
    let bytes: String = floats
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .chain([1, 0])
        .map(|byte| format!("%{byte:02x}"))
        .collect();
    let accessor = |offset: u32, component: u32, count: u32, kind: &str| json!({ "bufferView": 0, "byteOffset": offset, "componentType": component, "count": count, "type": kind });
    let target = |pointer: &str| json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } });
    json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": format!("data:,{bytes}"), "byteLength": 78 }],
        "bufferViews": [{ "buffer": 0, "byteLength": 78 }],
        "accessors": [
            accessor(0, 5126, 2, "SCALAR"),
            accessor(8, 5126, 2, "VEC4"),
            accessor(76, 5121, 2, "SCALAR"),
            accessor(40, 5126, 3, "VEC3"),
        ],
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [
            { "mesh": 0 },
            { "mesh": 0, "translation": [0.5, 1, 1], "extensions": { "KHR_node_visibility": { "visible": true } } },
        ],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 3 }, "material": 0 }] }],
        "materials": [{ "name": "paint" }],
        "animations": [{
            "samplers": [{ "input": 0, "output": 1 }, { "input": 0, "output": 2, "interpolation": "STEP" }],
            "channels": [
                { "sampler": 0, "target": target("/materials/0/pbrMetallicRoughness/baseColorFactor") },
                { "sampler": 1, "target": target("/nodes/1/extensions/KHR_node_visibility/visible") },
                { "sampler": 0, "target": target("/materials/0/name") },
            ],
        }],
    })
}

#[test]
fn frames_have_the_values_of_pointers() {
    let folder = folder(&[("a.gltf", &animated_floor().to_string())]);
    let at = folder.path();
    let output = run(at, "render a.gltf --frames 0-24:12 -o f.#.exr --size 12x8 --spp 2");
    let printed = message(&output);
    assert!(output.status.success(), "{printed}");
    let warning = "the animation of /materials/0/name is not played";
    assert_eq!(printed.matches(warning).count(), 1, "{printed}");
    for (frame, color, visible) in [
        (0, [1.0, 0.0, 0.0, 1.0], true),
        (12, [0.5, 0.0, 0.5, 1.0], true),
        (24, [0.0, 0.0, 1.0, 1.0], false),
    ] {
        let mut fixed = animated_floor();
        fixed.as_object_mut().unwrap().remove("animations");
        fixed["materials"][0]["pbrMetallicRoughness"] = json!({ "baseColorFactor": color });
        fixed["nodes"][1]["extensions"]["KHR_node_visibility"]["visible"] = json!(visible);
        fs::write(at.join("a.gltf"), fixed.to_string()).unwrap();
        done(at, "render a.gltf -o fixed.exr --size 12x8 --spp 2");
        assert!(bytes(at, &format!("f.{frame}.exr")) == bytes(at, "fixed.exr"), "frame {frame}");
    }
    assert!(bytes(at, "f.0.exr") != bytes(at, "f.12.exr") && bytes(at, "f.12.exr") != bytes(at, "f.24.exr"));
}

#[test]
fn bakes_of_frames_have_folders_of_their_own() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let bake = "bake a.kiln --resolution 32 --samples 4 --integrator path --include both";
    done(at, &format!("{bake} --frames 0-10:10 -o light.##"));
    let light = ["light.00", "light.10"].map(|folder| bytes(at, &format!("{folder}/irradiance.exr")));
    assert!(light[0] != light[1]);
    done(at, &format!("{bake} --at 10 -o one"));
    assert!(bytes(at, "one/irradiance.exr") == light[1]);
    fs::write(at.join("light.00/irradiance.exr"), "finished").unwrap();
    fs::remove_dir_all(at.join("light.10")).unwrap();
    done(at, &format!("{bake} --frames 0-10:10 -o light.## --resume"));
    assert_eq!(bytes(at, "light.00/irradiance.exr"), b"finished");
    assert!(bytes(at, "light.10/irradiance.exr") == light[1]);
    refused(at, &format!("{bake} --frames 0-1 -o light"), &["has no #"]);
    refused(
        at,
        &format!("{bake} -o one --resume"),
        &["--resume needs --checkpoint or --frames"],
    );
}

#[test]
fn finished_frames_are_kept() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "render a.kiln --frames 1-3 -o f.#.exr");
    let whole = ["f.1.exr", "f.2.exr", "f.3.exr"].map(|name| bytes(at, name));
    fs::remove_file(at.join("f.2.exr")).unwrap();
    fs::write(at.join("f.3.exr"), "finished").unwrap();
    done(at, "render a.kiln --frames 1-3 -o f.#.exr --resume");
    assert!(bytes(at, "f.1.exr") == whole[0] && bytes(at, "f.2.exr") == whole[1]);
    assert_eq!(bytes(at, "f.3.exr"), b"finished");
}

/// An unfinished picture would be kept by `--resume`, also where a file of an earlier run was.
#[cfg(unix)]
#[test]
fn interrupted_frames_leave_no_file() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let file = at.join("f.1.exr");
    for earlier in [false, true] {
        if earlier {
            fs::write(&file, "earlier").unwrap();
        }
        let _ = fs::remove_file(at.join("c.1.part"));
        let render = "render a.kiln --frames 1-2 -o f.#.exr --spp 100000000 --checkpoint c.#.part --checkpoint-every 0.1s";
        let child = kiln(at, render).stderr(Stdio::null()).spawn().unwrap();
        wait_for("the first samples", || at.join("c.1.part").exists());
        signal(&child, "TERM");
        child.wait_with_output().unwrap();
        assert!(!file.exists() && !at.join("f.2.exr").exists());
    }
}

/// A sequence that is killed and resumed has the bytes of one that is not, also if its frames are divided.
#[cfg(unix)]
#[test]
fn killed_sequences_continue() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "render a.kiln --frames 1-48 -o whole.##.exr");
    let child = kiln(at, "render a.kiln --frames 1-48 -o f.##.exr")
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("some frames", || at.join("f.05.exr").exists());
    signal(&child, "KILL");
    child.wait_with_output().unwrap();
    for range in ["1-24", "25-48"] {
        done(at, &format!("render a.kiln --frames {range} -o f.##.exr --resume"));
    }
    for frame in 1..=48 {
        let [whole, resumed] = ["whole", "f"].map(|name| bytes(at, &format!("{name}.{frame:02}.exr")));
        assert!(whole == resumed, "frame {frame}");
    }
    // Divided by samples.
    for (name, samples) in [("a", "0..1"), ("b", "1..2")] {
        done(at, &format!("render a.kiln --frames 1-3 --samples {samples} -o {name}.##.part"));
    }
    done(at, "merge a.##.part b.##.part --frames 1-3 -o m.##.exr");
    for frame in 1..=3 {
        assert!(
            bytes(at, &format!("m.{frame:02}.exr")) == bytes(at, &format!("whole.{frame:02}.exr")),
            "{frame}"
        );
    }
    refused(at, "merge a.part --frames 1-3 -o m.#.exr", &["'a.part' has no #"]);
    refused(
        at,
        "render a.kiln --frames 1-3 -o f.#.exr --write-every 1s",
        &["does not go with --write-every"],
    );
}

#[test]
fn frames_need_numbered_files() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    refused(at, "render a.kiln --frames 1-3 -o f.exr", &["'f.exr' has no #"]);
    refused(at, "render a.kiln --frames 1-3", &["--frames needs -o"]);
    refused(
        at,
        "render a.kiln --resume -o f.exr",
        &["--resume needs --checkpoint or --frames"],
    );
    for args in ["--frames 3-1 -o f.#.exr", "--frames 1-3 --at 2 -o f.#.exr", "--at soon -o f.exr"] {
        assert_eq!(run(at, &format!("render a.kiln {args}")).status.code(), Some(2), "{args}");
    }
}

#[test]
fn motion_vectors_are_in_pixels() {
    // Eight pixels a metre.
    let folder = scene_folder(
        "camera main : orthographic { from = (0, 0, 5); to = (0, 0, 0); width = 8; }
         film { size = (64, 64); filter = box; shutter = (0, 0); }
         light sky : environment { color = 1; }
         shape still : rectangle { size = 8; transform = translate(0, 0, -1); }
         shape card : rectangle { size = 2; motion = {
             at(-1, translate(-2, 0, 0)), at(0, translate(0, 0, 0)), at(1, translate(1, 0.5, 0)) }; }",
    );
    let at = folder.path();
    done(at, "render a.kiln --aov motion --spp 1 -o o.exr");
    let picture = read_channels(&at.join("o.exr")).unwrap();
    let motion = |x: usize, y: usize| {
        ["X", "Y", "Z", "W"].map(|c| plane(&picture, &format!("motion.{c}"))[64 * y + x])
    };
    for (found, expected) in [(motion(32, 32), [8.0, -4.0, -16.0, 0.0]), (motion(2, 2), [0.0; 4])] {
        let is_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(is_near, "{found:?}, not {expected:?}");
    }
}

#[test]
fn motion_vectors_of_strands_follow_their_keys() {
    // Eight pixels a metre; the strand is upright.
    for kind in ["curves", "points"] {
        let folder = scene_folder(&format!(
            "camera main : orthographic {{ from = (0, 0, 5); to = (0, 0, 0); width = 8; }}
             film {{ size = (64, 64); filter = box; shutter = (0, 0); }}
             light sky : environment {{ color = 1; }}
             shape it : {kind} {{ keys = {{ at(-1, \"0.txt\"), at(0, \"1.txt\"), at(1, \"2.txt\") }}; }}"
        ));
        let at = folder.path();
        for (name, x) in [("0.txt", -2.0), ("1.txt", 0.0), ("2.txt", 1.0)] {
            fs::write(at.join(name), format!("{x} 0 0 1\n{x} 2 0 1\n")).unwrap();
        }
        done(at, "render a.kiln --aov motion --spp 1 -o o.exr");
        let picture = read_channels(&at.join("o.exr")).unwrap();
        let motion = ["X", "Y", "Z", "W"].map(|c| plane(&picture, &format!("motion.{c}"))[64 * 30 + 32]);
        let is_near = motion.iter().zip([8.0, 0.0, -16.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-2);
        assert!(is_near, "{kind}: {motion:?}");
    }
}
