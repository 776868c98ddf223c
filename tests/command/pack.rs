//! Command line tests of `kiln pack`: packed files, the same bytes as from the scene, hostile archives.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::program::{done, files, kiln, message, refused, run};

/// Writes texts into a folder, and the folders that they need.
fn put(folder: &Path, list: &[(&str, &str)]) {
    for (name, text) in list {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Copies test data of the Mitsuba scenes.
fn copy(folder: &Path, list: &[(&str, &str)]) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mitsuba/data");
    for (name, from) in list {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(data.join(from), path).unwrap();
    }
}

/// The names of an archive's entries.
fn names(pack: &Path) -> Vec<String> {
    let archive = ZipArchive::new(fs::File::open(pack).unwrap()).unwrap();
    archive.file_names().map(|name| name.unwrap().into_owned()).collect()
}

/// A triangle with texture coordinates as glTF, with its image in the same folder.
const GLTF: &str = r#"{
  "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0, "name": "sheet" }],
  "buffers": [{ "uri": "data/sheet.bin", "byteLength": 60 }],
  "bufferViews": [{ "buffer": 0, "byteLength": 36 }, { "buffer": 0, "byteOffset": 36, "byteLength": 24 }],
  "accessors": [
    { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [-1, 0, 0], "max": [1, 2, 0] },
    { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2" }],
  "images": [{ "uri": "../maps/my%20colors.png" }], "textures": [{ "source": 0 }],
  "materials": [{ "name": "paint", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
  "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "material": 0 }] }]
}"#;

/// A shader with all kinds of file references: an include in its folder, one in a folder of the command line, tile
/// sets, a file that is queried but not read, a file that only bakes read, and a missing file.
const SHADER: &str = r#"#include "inner/tone.h"
#include <studio.h>
surface look(string file = "")
{
    color tint = texture("tiles/skin.<UDIM>.png", 3 * u, 2 * v) + texture("skin_<UVTILE>.png", 2 * u, v);
    int width[2] = { 1, 1 };
    gettextureinfo("asked.png", "resolution", width);
    if (raytype("bake"))
        tint += texture("baked.png", u, v);
    if (file != "")
        tint += texture(file, u, v);
    Ci = TONE * STUDIO * (tint + float(width[0]) / 64) * diffuse(N);
}
"#;

/// A project with all kinds of files; `far` is a folder outside.
fn project(folder: &Path, far: &Path) {
    let scene = r#"import "shaders/look.ksl";
import "../models/sheet.gltf" as sheet;
film { size = (24, 16); }
sampler { spp = 2; }
camera main : perspective { from = (0, 2, 7); to = (0, 1, 0); fov = 50; }
light sky : environment { map = "../maps/sky.exr"; }
material one = look();
material two = look(file = "FAR/far.png");
material three = matte(albedo = image(file = "../maps/my colors.png"));
material four = matte(albedo = image(file = "FAR/tiles/far.<UDIM>.png"));
shape floor : plane { size = 5; material = one; }
shape ply : mesh { file = "../models/plain.ply"; material = two; transform = translate(-2, 1, 0) * scale(0.7); }
shape obj : mesh { file = "../models/ball.obj"; transform = translate(2, 1, 0) * scale(0.7); material = three; }
shape balls : mesh { file = "FAR/balls.serialized"; part = 1; material = four; transform = translate(0, 1, 1) * scale(0.7); }
"#;
    let far = far.to_str().unwrap();
    put(
        folder,
        &[
            ("scenes/s.kiln", &scene.replace("FAR", far)),
            ("scenes/shaders/look.ksl", SHADER),
            ("scenes/shaders/inner/tone.h", "#define TONE 0.7\n"),
            ("include/studio.h", "#define STUDIO 0.9\n"),
            ("models/sheet.gltf", GLTF),
            ("scenes/notes.txt", "unused"),
            ("scenes/shaders/unused.ksl", "shader unused() {}"),
        ],
    );
    let mut sheet = vec![];
    for x in [-1.0_f32, 0., 0., 1., 0., 0., 0., 2., 0., 0., 0., 1., 0., 0.5, 1.] {
        sheet.extend(x.to_le_bytes());
    }
    fs::create_dir_all(folder.join("models/data")).unwrap();
    fs::write(folder.join("models/data/sheet.bin"), sheet).unwrap();
    copy(
        folder,
        &[
            ("maps/sky.exr", "sky.exr"),
            ("maps/my colors.png", "colors.png"),
            ("models/plain.ply", "plain.ply"),
            ("models/ball.obj", "ball.obj"),
            ("scenes/tiles/skin.1001.png", "colors.png"),
            ("scenes/tiles/skin.1002.png", "rough.png"),
            ("scenes/tiles/skin.1011.png", "slide.png"),
            ("scenes/tiles/skin.10.png", "slide.png"),
            ("scenes/shaders/skin_u1_v1.png", "mask.png"),
            ("scenes/shaders/skin_u2_v1.png", "rough.png"),
            ("scenes/asked.png", "slide.png"),
            ("scenes/baked.png", "colors.png"),
            ("scenes/unused.png", "colors.png"),
        ],
    );
    copy(
        Path::new(far),
        &[
            ("far.png", "slide.png"),
            ("tiles/far.1001.png", "mask.png"),
            ("tiles/far.1002.png", "rough.png"),
            ("tiles/near.1002.png", "rough.png"),
            ("balls.serialized", "balls.serialized"),
        ],
    );
}

#[test]
fn a_pack_is_complete_and_renders_the_same_bytes() {
    let work = TempDir::new().unwrap();
    let (at, far) = (work.path(), work.path().join("elsewhere/far"));
    project(&at.join("project"), &far);
    done(
        at,
        "render project/scenes/s.kiln -I project/include -o folder.exr -o folder.png -q",
    );
    done(
        at,
        "bake project/scenes/s.kiln -I project/include -o baked --integrator path --target vertex --samples 2 -q",
    );
    done(at, "pack project/scenes/s.kiln -I project/include -o s.zip");
    let expected = [
        "kiln-pack.json",
        "external/balls.serialized",
        "external/far.1001.png",
        "external/far.1002.png",
        "external/far.png",
        "include/studio.h",
        "maps/my colors.png",
        "maps/sky.exr",
        "models/ball.obj",
        "models/data/sheet.bin",
        "models/plain.ply",
        "models/sheet.gltf",
        "scenes/asked.png",
        "scenes/baked.png",
        "scenes/s.kiln",
        "scenes/shaders/inner/tone.h",
        "scenes/shaders/look.ksl",
        "scenes/shaders/skin_u1_v1.png",
        "scenes/shaders/skin_u2_v1.png",
        "scenes/tiles/skin.1001.png",
        "scenes/tiles/skin.1002.png",
        "scenes/tiles/skin.1011.png",
    ];
    assert_eq!(names(&at.join("s.zip")), expected);

    // A pack made from another working folder and by another path is identical.
    done(&at.join("project/scenes"), "pack s.kiln -I ../include -o ../../t.zip -q");
    done(&at.join("project/scenes"), "render ./s.kiln -I ../include -o ../../near.exr -q");
    assert!(fs::read(at.join("folder.exr")).unwrap() == fs::read(at.join("near.exr")).unwrap());
    assert!(fs::read(at.join("s.zip")).unwrap() == fs::read(at.join("t.zip")).unwrap());

    fs::rename(at.join("project"), at.join("gone")).unwrap();
    fs::rename(&far, at.join("gone/far")).unwrap();
    let other = at.join("other/place");
    fs::create_dir_all(&other).unwrap();
    fs::rename(at.join("s.zip"), other.join("s.zip")).unwrap();
    done(&other, "render s.zip -o ../../pack.exr -o ../../pack.png -q");
    let image = |name: &str| fs::read(at.join(name)).unwrap();
    assert!(image("folder.png") == image("pack.png"));
    assert!(image("folder.exr") == image("pack.exr"));
    let metadata = renderer::image::read_metadata(&at.join("pack.exr")).unwrap();
    let scene = metadata.iter().find(|(key, _)| key == "kiln.scene").unwrap();
    assert_eq!(scene.1, renderer::image::MetaValue::Text("s.kiln".to_owned()));

    done(
        at,
        "bake other/place/s.zip -o baked_again --integrator path --target vertex --samples 2 -q",
    );
    let of = |folder: &str| {
        let mut list = files(&at.join(folder));
        list.retain(|name, _| !name.ends_with(".json"));
        list
    };
    let (first, again) = (of("baked"), of("baked_again"));
    assert!(first.keys().eq(again.keys()));
    assert!(first == again);

    // A pack of a pack is identical to it.
    done(at, "pack other/place/s.zip -o u.zip -q");
    assert_eq!(names(&at.join("u.zip")), expected);
    done(at, "render u.zip -o u.png -q");
    assert!(image("folder.png") == image("u.png"));

    // The picture is named after the pack; the render leaves no other files.
    done(&other, "render s.zip -q");
    assert_eq!(files(&other).keys().collect::<Vec<_>>(), ["s.png", "s.zip"]);
    assert!(image("folder.png") == fs::read(other.join("s.png")).unwrap());

    // The unpacked files are a complete scene, except for files named by absolute paths.
    let text = run(at, "check other/place/s.zip");
    assert!(String::from_utf8_lossy(&text.stdout).contains("1 scene"), "{}", message(&text));
    let text = run(at, "info other/place/s.zip");
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("scene \"other/place/s.zip/scenes/s.kiln\""), "{text}");
}

#[test]
fn two_renders_of_a_pack_at_once_work() {
    let work = TempDir::new().unwrap();
    let at = work.path();
    project(&at.join("project"), &at.join("far"));
    done(at, "pack project/scenes/s.kiln -I project/include -o s.zip -q");
    let start = |name: &str| kiln(at, &format!("render s.zip -o {name} -q")).spawn().unwrap();
    let mut both = [start("a.png"), start("b.png")];
    assert!(both.iter_mut().all(|child| child.wait().unwrap().success()));
    assert!(fs::read(at.join("a.png")).unwrap() == fs::read(at.join("b.png")).unwrap());
}

#[test]
fn shipped_scenes_are_packed() {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let work = TempDir::new().unwrap();
    for entry in fs::read_dir(&scenes).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "kiln") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        let at = work.path();
        let small = "--size 24x16 --spp 1 --integrator path -q";
        done(&scenes, &format!("render {name}.kiln {small} -o {}/a.png", at.display()));
        done(&scenes, &format!("pack {name}.kiln -o {}/{name}.zip -q", at.display()));
        done(at, &format!("render {name}.zip {small} -o b.png"));
        assert!(
            fs::read(at.join("a.png")).unwrap() == fs::read(at.join("b.png")).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn mitsuba_scenes_are_packed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mitsuba");
    for name in ["text", "spectra", "serialized", "obj", "envmap_turned", "spot_texture", "mask"] {
        let work = TempDir::new().unwrap();
        let at = work.path();
        fs::create_dir_all(at.join("in/data")).unwrap();
        fs::copy(source.join(format!("{name}.xml")), at.join("in/scene.xml")).unwrap();
        for entry in fs::read_dir(source.join("data")).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), at.join("in/data").join(entry.file_name())).unwrap();
        }
        done(at, "render in/scene.xml --spp 2 -o a.png -q");
        done(at, "pack in/scene.xml -o scene.zip -q");
        fs::rename(at.join("in"), at.join("gone")).unwrap();
        done(at, "render scene.zip --spp 2 -o b.png -q");
        assert!(
            fs::read(at.join("a.png")).unwrap() == fs::read(at.join("b.png")).unwrap(),
            "{name}"
        );
        let text = fs::read_to_string(at.join("gone/scene.xml")).unwrap();
        for name in names(&at.join("scene.zip")) {
            let file = name.rsplit('/').next().unwrap();
            let is_named = text.contains(file) || name == "kiln-pack.json" || name == "scene.xml";
            assert!(is_named, "{name}");
        }
    }
}

/// A sheet lit by a light.
const SHEET: &str = "film { size = (8, 8); }
sampler { spp = 1; }
camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }
light sky : environment { color = 1; }
material grey = matte(albedo = 0.5);
shape sheet : rectangle { size = 2; material = grey; }
";

/// A shader that searches a point cloud.
const SCAN: &str = "surface scan(string file = \"dots.ply\")
{
    color near[4];
    int n = pointcloud_search(file, P, 9, 4, \"color\", near);
    Ci = (n > 0) ? near[0] * diffuse(N) : 0;
}
";

#[test]
fn point_clouds_are_packed() {
    let work = TempDir::new().unwrap();
    let at = work.path();
    let scene = format!(
        "import \"scan.ksl\";\n{}",
        SHEET.replace("matte(albedo = 0.5)", "scan(file = \"clouds/dots.ply\")")
    );
    let dots = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
                property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n\
                0 0 0 200 40 10\n1 0 0 10 200 40\n";
    put(
        at,
        &[
            ("in/s.kiln", &scene),
            ("in/scan.ksl", SCAN),
            ("in/clouds/dots.ply", dots),
            ("in/clouds/unused.ply", dots),
        ],
    );
    copy(at, &[("in/sky.exr", "sky.exr")]);
    done(at, "render in/s.kiln --light in/sky.exr -o a.png -q");
    done(at, "pack in/s.kiln --light in/sky.exr -o s.zip -q");
    let list = names(&at.join("s.zip"));
    let ply: Vec<&String> = list.iter().filter(|name| name.ends_with(".ply")).collect();
    assert_eq!(ply, ["clouds/dots.ply"], "{list:?}");
    // Outputs never overwrite inputs.
    refused(at, "render in/s.kiln --light in/sky.exr -o in/clouds/dots.ply -q", &[]);
    fs::rename(at.join("in"), at.join("gone")).unwrap();
    done(at, "render s.zip -o b.png -q");
    assert!(fs::read(at.join("a.png")).unwrap() == fs::read(at.join("b.png")).unwrap());
    // Without the file, a search reports an error and finds no points.
    fs::remove_file(at.join("gone/clouds/dots.ply")).unwrap();
    let output = run(at, "render gone/s.kiln --light gone/sky.exr -o c.png");
    let text = message(&output);
    assert!(output.status.success(), "{text}");
    let expected = "there is no point cloud file \"clouds/dots.ply\"; nothing is found";
    assert_eq!(text.matches(expected).count(), 1, "{text}");
    assert!(fs::read(at.join("a.png")).unwrap() != fs::read(at.join("c.png")).unwrap());
    for line in ["check gone/s.kiln", "pack gone/s.kiln -o w.zip"] {
        let output = run(at, line);
        let text = message(&output);
        assert!(output.status.success(), "{text}");
        let expected = "material `grey`: there is no point cloud file `clouds/dots.ply`";
        assert_eq!(text.matches(expected).count(), 1, "{text}");
    }
    // A computed file name cannot be packed.
    let computed = SCAN.replace("pointcloud_search(file", "pointcloud_search(format(\"%s%d\", file, int(u))");
    put(at, &[("gone/scan.ksl", &computed)]);
    let output = run(at, "pack gone/s.kiln --light gone/sky.exr -o t.zip");
    assert!(
        message(&output).contains("computes names of point clouds"),
        "{}",
        message(&output)
    );
}

#[test]
fn a_pack_stores_the_loading_options_of_its_scene() {
    let work = TempDir::new().unwrap();
    let at = work.path();
    let toned = "surface toned() { Ci = TONE * diffuse(N); }\n";
    let scene = format!("import \"toned.ksl\";\n{}", SHEET.replace("matte(albedo = 0.5)", "toned()"));
    put(at, &[("in/s.kiln", &scene), ("in/toned.ksl", toned)]);
    copy(at, &[("sky.exr", "sky.exr"), ("other.exr", "normals.exr")]);
    let options = "--set film.size=(6,4) -D TONE=0.25 --light sky.exr -q";
    done(at, &format!("render in/s.kiln {options} -o a.png"));
    done(at, &format!("pack in/s.kiln {options} -o s.zip"));
    assert_eq!(
        names(&at.join("s.zip")),
        ["kiln-pack.json", "in/s.kiln", "in/toned.ksl", "sky.exr"]
    );
    fs::rename(at.join("sky.exr"), at.join("gone.exr")).unwrap();
    done(at, "render s.zip -o b.png -q");
    assert!(fs::read(at.join("a.png")).unwrap() == fs::read(at.join("b.png")).unwrap());
    // Later options override earlier ones; a file of the command line is read from the disk, even if the pack has an
    // entry with that name.
    fs::rename(at.join("other.exr"), at.join("sky.exr")).unwrap();
    let later = "-D TONE=0.5 --set film.size=(5,4) --light sky.exr -q";
    done(at, &format!("render s.zip {later} -o c.png"));
    done(at, &format!("render in/s.kiln {later} -o d.png"));
    assert!(fs::read(at.join("c.png")).unwrap() == fs::read(at.join("d.png")).unwrap());
    assert!(fs::read(at.join("c.png")).unwrap() != fs::read(at.join("b.png")).unwrap());
}

#[test]
fn errors_leave_no_files() {
    let work = TempDir::new().unwrap();
    let at = work.path();
    let with = |line: &str| format!("{SHEET}{line}\n");
    put(
        at,
        &[
            ("s.kiln", SHEET),
            (
                "no_mesh.kiln",
                &with("shape lost : mesh { file = \"lost.ply\"; material = grey; }"),
            ),
            (
                "no_image.kiln",
                &with("material lost = matte(albedo = image(file = \"lost.png\"));"),
            ),
            (
                "no_tiles.kiln",
                &with("material lost = matte(albedo = image(file = \"lost.<UDIM>.png\"));"),
            ),
            ("no_texture.kiln", &with("import \"lost.ksl\";\nmaterial lost = lost();")),
            (
                "lost.ksl",
                "surface lost() { Ci = texture(concat(\"lost_\", \"one.png\"), u, v) * diffuse(N); }",
            ),
            ("in.zip", SHEET),
        ],
    );
    refused(at, "pack no_mesh.kiln -o o.zip", &["no_mesh.kiln:7:", "cannot read lost.ply"]);
    refused(at, "pack no_image.kiln -o o.zip", &["no_image.kiln:7:", "lost.png"]);
    refused(
        at,
        "pack no_tiles.kiln -o o.zip",
        &["no_tiles.kiln:7:", "there is no texture file", "lost.<UDIM>.png"],
    );
    refused(at, "pack no_texture.kiln -o o.zip", &["no texture file `lost_one.png`"]);
    refused(at, "pack none.kiln -o o.zip", &["cannot read none.kiln"]);
    refused(at, "pack s.kiln -o s.kiln", &["not a name for a pack"]);
    refused(at, "pack s.kiln -o none/o.zip", &["the directory 'none' does not exist"]);
    refused(at, "pack in.zip -o in.zip", &["this command reads it"]);
    done(at, "pack s.kiln -o o.zip -q");
    refused(at, "render o.zip -o o.zip", &[]);
    // A scene that reads its own output file.
    copy(at, &[("map.png", "colors.png")]);
    fs::rename(at.join("map.png"), at.join("map.zip")).unwrap();
    put(
        at,
        &[
            ("reads.ksl", "surface reads() { Ci = texture(\"map.zip\", u, v) * diffuse(N); }"),
            ("reads.kiln", &with("import \"reads.ksl\";\nmaterial m = reads();")),
        ],
    );
    refused(
        at,
        "pack reads.kiln -o map.zip",
        &["cannot write 'map.zip'", "this command reads it"],
    );
}

#[test]
fn errors_name_files_within_the_archive() {
    let work = TempDir::new().unwrap();
    let at = work.path();
    put(
        at,
        &[("in/scenes/s.kiln", SHEET), ("in/scenes/m.ksl", "surface m() { Ci = diffuse(N); }")],
    );
    let mut entries = packed(&pack_of(at, "in/scenes/s.kiln"));
    let broken = SHEET.replace("albedo = 0.5", "albedo = zero");
    *entries.get_mut("s.kiln").unwrap() = broken.into_bytes();
    write(&at.join("b.zip"), &entries, |_, options| options);
    for command in ["render b.zip", "check b.zip", "bake b.zip -o baked"] {
        let output = run(at, command);
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(message(&output).contains("b.zip/s.kiln:5:23"), "{}", message(&output));
    }
}

#[test]
fn a_pack_reads_no_files_outside() {
    let work = TempDir::new().unwrap();
    let at = work.path();
    copy(at, &[("secret.png", "colors.png"), ("in/map.png", "colors.png")]);
    let scene = SHEET.replace("0.5", "image(file = \"map.png\")");
    put(at, &[("in/s.kiln", &scene)]);
    let mut entries = packed(&pack_of(at, "in/s.kiln"));
    let secret = at.join("secret.png");
    for path in [secret.to_str().unwrap(), "../secret.png", "../../secret.png"] {
        let scene = scene.replace("map.png", path);
        *entries.get_mut("s.kiln").unwrap() = scene.into_bytes();
        write(&at.join("b.zip"), &entries, |_, options| options);
        refused(at, "render b.zip -o o.png", &["b.zip/s.kiln:5:", "no such file"]);
    }
}

fn pack_of(folder: &Path, scene: &str) -> Vec<u8> {
    done(folder, &format!("pack {scene} -o pack_of.zip -q"));
    let bytes = fs::read(folder.join("pack_of.zip")).unwrap();
    fs::remove_file(folder.join("pack_of.zip")).unwrap();
    bytes
}

/// The entries of a pack.
fn packed(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut entries = BTreeMap::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let mut bytes = vec![];
        std::io::copy(&mut entry, &mut bytes).unwrap();
        entries.insert(entry.name().unwrap().into_owned(), bytes);
    }
    entries
}

/// Writes a pack of entries, with a manifest of their sizes.
fn write(
    path: &Path,
    entries: &BTreeMap<String, Vec<u8>>,
    change: impl Fn(&str, SimpleFileOptions) -> SimpleFileOptions,
) {
    let mut entries = entries.clone();
    let mut manifest: serde_json::Value = serde_json::from_slice(&entries["kiln-pack.json"]).unwrap();
    let sizes = entries.iter().filter(|(name, _)| *name != "kiln-pack.json");
    let sizes: BTreeMap<_, _> = sizes.map(|(name, bytes)| (name, bytes.len())).collect();
    manifest["entries"] = serde_json::to_value(sizes).unwrap();
    entries.insert("kiln-pack.json".to_owned(), manifest.to_string().into_bytes());
    write_as_is(path, &entries, change);
}

fn write_as_is(
    path: &Path,
    entries: &BTreeMap<String, Vec<u8>>,
    change: impl Fn(&str, SimpleFileOptions) -> SimpleFileOptions,
) {
    let mut writer = ZipWriter::new(fs::File::create(path).unwrap());
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in entries {
        writer.start_file(name, change(name, options)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
}

/// Replaces all of `from` by the same number of bytes.
fn patch(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> = (0..=bytes.len() - from.len())
        .filter(|&at| bytes[at..].starts_with(from))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

#[test]
fn hostile_archives_are_refused() {
    let work = TempDir::new().unwrap();
    let at = work.path();
    put(
        at,
        &[(
            "in/s.kiln",
            &format!("import \"shader_a.ksl\";\nimport \"shader_b.ksl\";\n{SHEET}"),
        )],
    );
    put(
        at,
        &[("in/shader_a.ksl", "shader a() {}"), ("in/shader_b.ksl", "shader b() {}")],
    );
    let good = pack_of(at, "in/s.kiln");
    let entries = packed(&good);
    fs::remove_dir_all(at.join("in")).unwrap();
    let bad = at.join("b.zip");
    let refuse = |words: &[&str]| {
        for command in [
            "render b.zip -o o.png",
            "check b.zip",
            "info b.zip",
            "bake b.zip -o o",
            "pack b.zip -o o.zip",
        ] {
            let output = run(at, command);
            let text = message(&output);
            assert_eq!(output.status.code(), Some(1), "{command}: {text}");
            for word in words {
                assert!(text.contains(word), "{command}: `{word}` is not in {text}");
            }
            assert_eq!(files(at).keys().collect::<Vec<_>>(), ["b.zip"], "{command}");
        }
    };

    // Paths that lead out of the archive, duplicate names, links, unsupported compression methods, encryption.
    for name in ["../aaaaa.ksl", "/tmp/aaaa.ksl", "..\\aaaaa.ksl", "a/../aaaa.ksl", "c:/aaaaa.ksl"] {
        fs::write(&bad, patch(&good, b"shader_a.ksl", &name.as_bytes()[..12])).unwrap();
        refuse(&["cannot open b.zip", "leads out of the archive"]);
    }
    fs::write(&bad, patch(&good, b"shader_a.ksl", b"shader_b.ksl")).unwrap();
    refuse(&["cannot open b.zip", "the same name"]);
    let mut linked = ZipWriter::new(fs::File::create(&bad).unwrap());
    linked
        .add_symlink("s.kiln", "/etc/passwd", SimpleFileOptions::default())
        .unwrap();
    linked.finish().unwrap();
    refuse(&["cannot open b.zip", "is a link"]);
    // The flag of the entry `s.kiln` in the central directory, 38 bytes before its name.
    let central = good.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let name = central + good[central..].windows(6).position(|six| six == b"s.kiln").unwrap();
    let change = |offset: usize, bytes: &[u8]| {
        let mut changed = good.clone();
        changed[name - offset..name - offset + bytes.len()].copy_from_slice(bytes);
        fs::write(&bad, changed).unwrap();
    };
    change(38, &[1]);
    refuse(&["cannot open b.zip", "is encrypted"]);
    change(36, &[12]);
    refuse(&["cannot open b.zip"]);
    // Wrong sizes, uncompressed and compressed.
    change(22, &u32::MAX.wrapping_sub(7).to_le_bytes());
    refuse(&["cannot open b.zip", "`s.kiln` has 4294967288 bytes"]);
    change(26, &1_000_000_u32.to_le_bytes());
    refuse(&["cannot open b.zip"]);
    // A wrong offset of the data of the first entry.
    change(4, &[0; 4]);
    refuse(&["cannot open b.zip"]);

    // No manifest, an invalid one, one of another version, one that lists other entries; and entries that the manifest
    // does not list.
    let mut some = entries.clone();
    some.remove("kiln-pack.json");
    write_as_is(&bad, &some, |_, options| options);
    refuse(&["cannot open b.zip", "it is not a pack: it has no kiln-pack.json"]);
    for (manifest, words) in [
        ("no", "kiln-pack.json: "),
        ("[]", "it has no version"),
        ("{\"kiln_pack\": 2}", "version 2 of packs"),
        ("{\"kiln_pack\": 1}", "names no scene"),
        ("{\"kiln_pack\": 1, \"scene\": \"s.kiln\"}", "does not list its entry"),
        (
            "{\"kiln_pack\": 1, \"scene\": \"s.kiln\", \"entries\": {\"s.kiln\": -1}}",
            "`entries` makes no sense",
        ),
    ] {
        some.insert("kiln-pack.json".to_owned(), manifest.as_bytes().to_vec());
        write_as_is(&bad, &some, |_, options| options);
        refuse(&["cannot open b.zip", words]);
    }
    let mut lacks = entries.clone();
    lacks.remove("shader_b.ksl");
    write_as_is(&bad, &lacks, |_, options| options);
    refuse(&["cannot open b.zip", "no entry `shader_b.ksl`"]);
    let text = String::from_utf8(entries["kiln-pack.json"].clone()).unwrap();
    let mut odd = entries.clone();
    odd.insert(
        "kiln-pack.json".to_owned(),
        text.replace("\"set\": []", "\"set\": 1").into_bytes(),
    );
    write_as_is(&bad, &odd, |_, options| options);
    refuse(&["cannot open b.zip", "its options make no sense"]);

    // A decompression bomb: many zeros in few bytes, with a matching manifest. Unused entries are not decompressed, and
    // used ones need memory in proportion to their size.
    let mut bomb = entries.clone();
    bomb.insert("shader_a.ksl".to_owned(), vec![b' '; 1 << 20]);
    write(&bad, &bomb, |_, options| options);
    let whole = fs::read(&bad).unwrap();
    for size in [1_u32 << 21, u32::MAX - 7] {
        let mut changed = patch(&whole, &(1_u32 << 20).to_le_bytes(), &size.to_le_bytes());
        let text = changed.windows(7).position(|seven| seven == b"1048576");
        if let Some(at) = text {
            changed[at..at + 7].copy_from_slice(b"2097152");
        }
        fs::write(&bad, changed).unwrap();
        refuse(&["cannot"]);
    }

    // Truncated and changed archives give an error and never panic.
    for length in (0..good.len()).step_by(97) {
        fs::write(&bad, &good[..length]).unwrap();
        let output = run(at, "check b.zip");
        assert_eq!(output.status.code(), Some(1), "{length}: {}", message(&output));
        assert!(message(&output).contains("cannot open b.zip"), "{length}: {}", message(&output));
    }
    for place in (0..good.len()).step_by(61) {
        let mut changed = good.clone();
        changed[place] ^= 0x55;
        fs::write(&bad, changed).unwrap();
        let output = run(at, "check b.zip");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{place}: {}", message(&output));
    }
}

/// A scene may reference any file of the machine; packing warns about files outside its folder.
#[test]
fn files_outside_the_folder_cause_a_warning() {
    let work = TempDir::new().unwrap();
    let at = work.path();
    for folder in ["project/scenes", "project/maps", "secret", "given"] {
        fs::create_dir_all(at.join(folder)).unwrap();
    }
    let sheet =
        |file: &str| SHEET.replace("albedo = 0.5", &format!("albedo = image(file = \"{file}\").result"));
    put(
        at,
        &[("secret/key.png", "secret"), ("project/maps/map.png", "near"), ("given/sky.txt", "given")],
    );
    let secret = at.join("secret/key.png");
    std::os::unix::fs::symlink(&secret, at.join("project/scenes/link.png")).unwrap();
    for (file, warns) in [
        (secret.to_str().unwrap(), true),
        ("../../secret/key.png", true),
        ("link.png", true),
        ("../maps/map.png", false),
    ] {
        put(at, &[("project/scenes/s.kiln", &sheet(file))]);
        let output = run(at, "pack project/scenes/s.kiln -I given -o s.zip");
        let message = message(&output);
        assert!(output.status.success(), "{message}");
        assert_eq!(message.contains("secret/key.png"), warns, "{file}: {message}");
        assert_eq!(message.contains("far from it"), warns, "{file}: {message}");
    }
}
