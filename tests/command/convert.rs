//! Command line tests of `kiln convert`: the converted scene renders the same bytes as the original; no input is
//! overwritten, and an error leaves no files.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::program::{done, files, refused, run};

/// Copies a test scene and the files that it references.
fn scene(name: &str) -> TempDir {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mitsuba");
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    fs::copy(source.join(format!("{name}.xml")), folder.path().join("scene.xml")).unwrap();
    for entry in fs::read_dir(source.join("data")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.path().join("data").join(entry.file_name())).unwrap();
    }
    folder
}

#[test]
fn a_converted_scene_gives_the_same_bytes() {
    // Together these scenes have meshes of all formats, images, instances, textures and lights of all kinds.
    let names = [
        "serialized",
        "obj",
        "instances",
        "cube_disk",
        "spot_texture",
        "envmap_turned",
        "bumpmap",
        "mask",
        "text",
    ];
    for name in names {
        let folder = scene(name);
        let at = folder.path();
        fs::create_dir(at.join("elsewhere")).unwrap();
        done(at, "convert scene.xml elsewhere/own.kiln -q");
        done(at, "render scene.xml --spp 2 -o a.png -q");
        done(at, "render elsewhere/own.kiln --spp 2 -o b.png -q");
        assert!(
            fs::read(at.join("a.png")).unwrap() == fs::read(at.join("b.png")).unwrap(),
            "{name}"
        );
        // The output folder contains all files that the scene needs.
        for kept in ["scene.xml", "data"] {
            fs::rename(at.join(kept), at.join(format!("{kept}.gone"))).unwrap();
        }
        done(at, "render elsewhere/own.kiln --spp 2 -o c.png -q");
        let text = fs::read_to_string(at.join("elsewhere/own.kiln")).unwrap();
        assert!(!text.contains("data/"), "{text}");
    }
}

#[test]
fn an_error_leaves_no_files() {
    let folder = scene("bitmap");
    let at = folder.path();
    refused(at, "convert scene.xml scene.xml", &["scene.xml", ".kiln"]);
    refused(at, "convert scene.xml picture.png", &["picture.png", ".kiln"]);
    refused(at, "convert data/ball.ply own.kiln", &["ball.ply", ".xml"]);
    refused(at, "convert none.xml own.kiln", &["none.xml"]);
    refused(at, "convert scene.xml nowhere/own.kiln", &["nowhere"]);
    fs::remove_file(at.join("data/colors.png")).unwrap();
    refused(at, "convert scene.xml own.kiln", &["scene.xml:", "colors.png"]);
}

#[test]
fn images_are_not_written_over() {
    let folder = scene("bitmap");
    let at = folder.path();
    done(at, "convert scene.xml own.kiln -q");
    // A scene whose images are outputs of the last conversion.
    let text = fs::read_to_string(at.join("scene.xml")).unwrap();
    fs::write(at.join("scene.xml"), text.replace("data/", "own_files/")).unwrap();
    refused(at, "convert scene.xml own.kiln", &["cannot write", "colors.png"]);
    let output = run(at, "convert scene.xml other.kiln");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text, "other.kiln: 1 image in other_files\n");
    assert!(files(at).contains_key("other_files/colors.png"));
}

#[test]
fn images_are_found_from_any_working_folder() {
    let folder = scene("bitmap");
    let at = folder.path();
    fs::create_dir_all(at.join("a/b")).unwrap();
    fs::copy(at.join("data/colors.png"), at.join("a/b/colors.png")).unwrap();
    let material = "material wood = matte(albedo = image(file = \"colors.png\"));";
    fs::write(at.join("a/b/wood.kiln"), material).unwrap();
    let rest = "camera c : perspective { from = (0, 0, 4); to = (0, 0, 0); } film { size = (4, 4); }
        light l : environment { color = 1; } shape s : sphere { material = wood; }";
    fs::write(at.join("a/main.kiln"), format!("import \"b/wood.kiln\"; {rest}")).unwrap();
    fs::write(at.join("a/b/main.kiln"), format!("{material} {rest}")).unwrap();
    done(at, "render a/main.kiln --spp 2 -o first.png -q");
    done(at, "render a/b/main.kiln --spp 2 -o second.png -q");
    done(&at.join("a/b"), "render main.kiln --spp 2 -o third.png -q");
    let pictures = ["first.png", "second.png", "a/b/third.png"].map(|name| fs::read(at.join(name)).unwrap());
    assert!(pictures[0] == pictures[1] && pictures[1] == pictures[2]);
}

#[test]
fn foreign_files_are_not_overwritten() {
    let folder = scene("bitmap");
    let at = folder.path();
    let words = &["no earlier `kiln convert`"];
    fs::write(at.join("own.kiln"), "// my own scene\n").unwrap();
    refused(at, "convert scene.xml own.kiln", words);
    fs::remove_file(at.join("own.kiln")).unwrap();
    fs::create_dir(at.join("own_files")).unwrap();
    fs::write(at.join("own_files/colors.png"), "mine").unwrap();
    refused(at, "convert scene.xml own.kiln", words);
    fs::remove_file(at.join("own_files/colors.png")).unwrap();
    for _ in 0..2 {
        done(at, "convert scene.xml own.kiln -q");
    }
}

#[test]
fn edited_files_of_a_conversion_are_not_overwritten() {
    let folder = scene("bitmap");
    let at = folder.path();
    let expected = &["no earlier `kiln convert`", "changed since"];
    done(at, "convert scene.xml own.kiln -q");
    for file in ["own.kiln", "own_files/colors.png", "own_files/convert.json"] {
        let converted = fs::read(at.join(file)).unwrap();
        fs::write(at.join(file), [&converted[..], b"// a day of work\n"].concat()).unwrap();
        refused(at, "convert scene.xml own.kiln", expected);
        fs::write(at.join(file), converted).unwrap();
    }
    // A conversion of another scene may replace unchanged files.
    let text = fs::read_to_string(at.join("scene.xml")).unwrap();
    fs::write(at.join("scene.xml"), text.replace("<scene", "<!-- other -->\n<scene")).unwrap();
    done(at, "convert scene.xml own.kiln -q");
}
