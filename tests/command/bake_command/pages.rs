//! Lightmaps of several pages: distribution of objects, files of pages, the same light as on one page.

use serde_json::Value;

use super::model::json_of;
use super::*;

const PAGED: &str =
    "bake a.kiln --integrator path --samples 64 --include both --texels-per-unit 12 --max-size 48 --quiet";

#[test]
fn objects_on_several_pages_have_the_light_of_a_single_page() {
    let folder = folder();
    let at = folder.path();
    done(at, &format!("{PAGED} --image-format ktx2 --aov albedo -o many"));
    done(at, &format!("{} -o one", PAGED.replace("--max-size 48", "")));
    let (one, many) = (manifest(&at.join("one")), manifest(&at.join("many")));
    let pages = many["atlas"]["pages"].as_u64().unwrap();
    assert!(pages > 1 && one["atlas"]["pages"] == 1);
    assert_eq!((&many["atlas"]["width"], &many["atlas"]["height"]), (&48.into(), &48.into()));
    let written = files(&at.join("many"));
    for name in ["irradiance", "sh_r", "surface_albedo"] {
        for page in 0..pages {
            assert!(written.contains_key(&format!("{name}.{page}.exr")), "{name} {page}");
        }
        assert!(
            !written.contains_key(&format!("{name}.exr"))
                && !written.contains_key(&format!("{name}.{pages}.exr"))
        );
    }
    assert!(written.contains_key("irradiance.1.ktx2") && written.contains_key("preview.0.png"));
    // Every channel lists every page.
    assert_eq!(many["atlas"]["images"].as_object().unwrap().len() as u64, 6 * pages);
    for (before, after) in objects(&one).iter().zip(objects(&many)) {
        assert_eq!(before["name"], after["name"]);
        let expected = mean(&at.join("one/irradiance.exr"), before);
        let page = &after["page"];
        let found = mean(&at.join(format!("many/irradiance.{page}.exr")), after);
        assert!(
            (found / expected - 1.0).abs() < 0.1,
            "{}: {found} instead of {expected}",
            before["name"]
        );
    }
}

fn objects(manifest: &Value) -> &Vec<Value> {
    manifest["atlas"]["objects"].as_array().unwrap()
}

/// The mean light of an object on its page.
fn mean(image: &Path, object: &Value) -> f32 {
    let image = read(image).unwrap();
    let [x0, y0, x1, y1] = [0, 1, 2, 3].map(|side| object["rect"][side].as_u64().unwrap() as usize);
    assert!(x1 <= image.width && y1 <= image.height);
    let texels = (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y)));
    let lit: Vec<f32> = texels.map(|(x, y)| image.pixel(x, y)[1]).filter(|&v| v > 0.0).collect();
    lit.iter().sum::<f32>() / lit.len() as f32
}

#[test]
fn models_state_the_page_of_each_node() {
    let folder = folder();
    let at = folder.path();
    done(at, &format!("{PAGED} --unlit --for godot -o out"));
    let manifest = manifest(&at.join("out"));
    let model = json_of(&at.join("out/model.glb"));
    let said = &model["extras"]["lightmap"];
    assert_eq!((&said["version"], &said["height"]), (&2.into(), &48.into()));
    let unlit = json_of(&at.join("out/unlit.glb"));
    let godot = fs::read_to_string(at.join("out/godot.tres")).unwrap();
    for object in objects(&manifest) {
        let (node, page) = (object["node"].as_u64().unwrap() as usize, object["page"].as_u64().unwrap());
        let place = &model["nodes"][node]["extras"]["lightmap"]["primitives"][0];
        let place = if object["side"] == "back" { &place["back"] } else { place };
        assert_eq!(place["page"], page);
        let files = &said["pages"][page as usize];
        assert_eq!(files["irradiance"], format!("irradiance.{page}.exr"));
        assert_eq!(files["sh"]["files"][2], format!("sh_b.{page}.exr"));
        if object["side"] == "back" {
            continue;
        }
        let texture = |json: &Value, pointer: &str| -> Option<String> {
            let mesh = json["nodes"][node]["mesh"].as_u64()? as usize;
            let material = json["meshes"][mesh]["primitives"][0]["material"].as_u64()? as usize;
            let texture = json["materials"][material].pointer(pointer)?.as_u64()? as usize;
            let image = json["textures"][texture]["source"].as_u64()? as usize;
            Some(json["images"][image]["name"].as_str()?.to_owned())
        };
        // The grey material is on several pages, so that it has no unique rectangle.
        if object["name"] == "light" {
            let found = texture(&model, "/extensions/MOZ_lightmap/index");
            assert_eq!(found, Some(format!("lightmap.{page}")));
        }
        let found = texture(&unlit, "/pbrMetallicRoughness/baseColorTexture/index");
        assert_eq!(found, Some(format!("baked.{page}")));
        let name = object["name"].as_str().unwrap();
        let line = godot
            .split("NodePath")
            .find(|line| line.contains(&format!("/{name}\"")))
            .unwrap();
        assert!(line.contains(&format!("), {page}, -1")), "{name}: {line}");
    }
    let slices = read(&at.join("out/godot.exr")).unwrap();
    let pages = manifest["atlas"]["pages"].as_u64().unwrap() as usize;
    assert_eq!((slices.width, slices.height), (48, 4 * 48 * pages));
    let import = fs::read_to_string(at.join("out/godot.exr.import")).unwrap();
    assert!(import.contains(&format!("slices/vertical={}\n", 4 * pages)), "{import}");
}

#[test]
fn pages_do_not_depend_on_threads_or_shares() {
    let folder = folder();
    let at = folder.path();
    done(at, &format!("{PAGED} --threads 1 -o one"));
    done(at, &format!("{PAGED} --threads 3 -o three"));
    same(&files(&at.join("three")), &files(&at.join("one")), "three");
    for part in [1, 2] {
        done(at, &format!("{PAGED} --part {part}/2 --checkpoint {part}.part"));
    }
    done(at, "merge 1.part 2.part -o both.part");
    done(at, &format!("{PAGED} --checkpoint both.part --resume -o shared"));
    same(&files(&at.join("shared")), &files(&at.join("one")), "shared");
    // A checkpoint of another page size is rejected.
    let other = PAGED.replace("--max-size 48", "--max-size 64");
    let output = run(at, &format!("{other} --checkpoint both.part --resume -o other"));
    assert_eq!(output.status.code(), Some(1));
    // A bake of one page removes the files of an earlier bake of several pages.
    done(at, &format!("{} -o one", PAGED.replace("--max-size 48", "")));
    assert!(files(&at.join("one")).keys().all(|name| !name.contains(".0.")));
}

#[test]
fn too_small_pages_cause_an_error_with_a_hint() {
    let folder = folder();
    let at = folder.path();
    let flags = "bake a.kiln --integrator path --samples 1 -o out";
    for (more, said) in [
        ("--texels-per-unit 30 --max-size 64", "`floor` needs about"),
        (
            "--texels-per-unit 12 --max-size 48 --pages 1",
            "need more than 1 page of 48 × 48 texels",
        ),
        ("--include none --aov albedo --pages 2", "are on one page"),
    ] {
        let output = run(at, &format!("{flags} {more}"));
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{more}: {message}");
        assert!(message.contains(said) && message.contains("hint: "), "{message}");
    }
    assert!(!at.join("out").exists());
    for more in ["--max-size 64", "--texels-per-unit 9 --max-size 64 --resolution 64", "--pages 65"] {
        assert_eq!(run(at, &format!("{flags} {more}")).status.code(), Some(2), "{more}");
    }
}
