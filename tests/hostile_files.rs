//! Hostile files: a small file that expands to much memory or time is read within the documented bounds
//! (`renderer::files::Budget`), or rejected by a message that names the file; and a fuzzer of each reader that measures
//! both (`KILN_FUZZ_SECONDS`, `KILN_FUZZ_SEED`).

#[path = "hostile_files/kiln_files.rs"]
mod kiln_files;
#[path = "hostile_files/models.rs"]
mod models;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use renderer::files::DiskFiles;
use renderer::grid::{GridChoice, GridFile};
use renderer::image::{Subimage, decode_picture};
use renderer::scene::import::{SceneImportOptions, import_scene, read_model};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Wall-clock time after which a file counts as hanging, even on a busy machine.
const HANG_TIMEOUT: Duration = Duration::from_secs(240);

/// Memory of a reader beyond that of the contents: texts, buffers of decoders, threads [bytes].
const SLACK: u64 = 192 << 20;

/// Memory is measured for the process, so that only one file is read at a time.
static MEMORY_LOCK: Mutex<()> = Mutex::new(());

fn lock_memory() -> MutexGuard<'static, ()> {
    MEMORY_LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Value of a line of `/proc/self/status` [bytes]; 0 where the system does not have it.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Reads a file with its reader, by its extension, and returns the number of shapes, grids or levels.
fn read(path: &Path) -> Result<usize, String> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "obj" | "ply" | "stl" | "serialized" | "gltf" | "glb" => {
            let model = read_model(path).map_err(|error| error.to_string())?;
            Ok(model.shapes.len())
        }
        "vdb" | "nvdb" | "vol" => {
            let file = GridFile::read(&DiskFiles, path).map_err(|error| error.to_string())?;
            let grids = (0..file.entries().len()).map(|index| file.load(&GridChoice::Index(index)));
            let failed = grids.filter_map(Result::err).next();
            failed.map_or(Ok(file.entries().len()), |error| Err(error.to_string()))
        }
        "part" => kiln_files::read_part(path),
        "zip" => kiln_files::read_pack(path),
        "xml" => {
            let scene =
                import_scene(path, &SceneImportOptions::default()).map_err(|errors| errors.to_string())?;
            Ok(scene.declarations.len())
        }
        _ => {
            let bytes = fs::read(path).map_err(|error| error.to_string())?;
            let picture =
                decode_picture(path, &bytes, &Subimage::First).map_err(|error| error.to_string())?;
            Ok(picture.levels.len())
        }
    }
}

/// Reads a file and checks the peak of memory; `size` is the total size of the input.
fn measured(path: &Path, size: u64) -> Result<usize, String> {
    // Resets the peak of the process's memory.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let before = status("VmRSS:");
    let (sender, receiver) = mpsc::channel();
    let file = path.to_owned();
    std::thread::spawn(move || sender.send(read(&file)));
    let result = receiver.recv_timeout(HANG_TIMEOUT);
    let result = result.unwrap_or_else(|_| panic!("{}: reading hangs", path.display()));
    let used = status("VmHWM:").saturating_sub(before);
    let most = match path.extension().and_then(|extension| extension.to_str()) {
        Some("exr" | "tif" | "png" | "jpg" | "hdr" | "bmp" | "tga" | "pfm" | "webp") => {
            // A picture is also decoded into buffers of its codec.
            2 * ((1 << 20) + 132_096 * size).min(4 << 30)
        }
        Some("part") => (256 << 20) + 4096 * size,
        _ => (256 << 20) + 256 * size,
    };
    assert!(
        used <= most + SLACK,
        "{} of {size} bytes takes {used} bytes: {result:?}",
        path.display()
    );
    if std::env::var_os("KILN_VERBOSE").is_some() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let result: String = format!("{result:?}").chars().take(200).collect();
        eprintln!("{:5} MB {size:9} bytes  {name}: {result}", used >> 20);
    }
    result
}

/// A folder with files.
struct Input {
    folder: TempDir,
}

impl Input {
    fn new(files: &[(&str, &[u8])]) -> Input {
        let folder = TempDir::new().expect("a folder");
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).expect("written");
        }
        Input { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Reads a file of the folder within the bounds for the total size of all files.
    fn read(&self, name: &str) -> Result<usize, String> {
        let files = fs::read_dir(self.folder.path()).expect("a folder");
        let size = files.map(|file| file.expect("a file").metadata().expect("its size").len());
        let result = measured(&self.path(name), size.sum());
        if let Err(error) = &result {
            assert!(error.contains(name), "the file is not named: {error}");
            assert!(error.len() < 10_000, "the message has {} bytes", error.len());
        }
        result
    }
}

#[test]
fn material_libraries_are_read_once() {
    let _alone = lock_memory();
    let library: String = (0..500).map(|i| format!("newmtl m{i}\nKd 1 0 0\n")).collect();
    for spelling in ["r.mtl", "./r.mtl", "../%/r.mtl", "R.MTL"] {
        let mut text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned();
        let input = Input::new(&[("r.mtl", library.as_bytes())]);
        let folder = input.folder.path().file_name().expect("a name").to_string_lossy().into_owned();
        for i in 0..2000 {
            // As many spellings of one path as there are objects.
            let name = format!("{}{}", "./".repeat(i % 50), spelling.replace('%', &folder));
            text += &format!("mtllib {name}\no o{i}\nusemtl m{}\nf 1 2 3\n", i % 500);
        }
        fs::write(input.path("a.obj"), text).expect("written");
        let model = read_model(&input.path("a.obj")).expect("it is valid");
        assert_eq!((model.shapes.len(), model.materials.len()), (2000, 500), "{spelling}");
        assert!(model.shapes.iter().all(|shape| shape.material.is_some()), "{spelling}");
        assert_eq!(input.read("a.obj"), Ok(2000));
    }
}

/// A glTF document with a triangle.
fn gltf() -> (Value, Vec<u8>) {
    let mut bytes = vec![];
    bytes.extend([0u32, 1, 2].iter().flat_map(|index| index.to_le_bytes()));
    let corners = [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    bytes.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 12 },
            { "buffer": 0, "byteOffset": 12, "byteLength": 36 },
        ],
        "accessors": [
            { "componentType": 5126, "count": 3, "type": "VEC3", "bufferView": 1 },
            { "componentType": 5125, "count": 3, "type": "SCALAR", "bufferView": 0 },
        ],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
    });
    (document, bytes)
}

/// Reads a glTF document with its buffer.
fn read_gltf(mut document: Value, bytes: &[u8]) -> Result<usize, String> {
    document["buffers"] = json!([{ "byteLength": bytes.len(), "uri": "a.bin" }]);
    let input = Input::new(&[("a.bin", bytes), ("a.gltf", document.to_string().as_bytes())]);
    input.read("a.gltf")
}

fn push(document: &mut Value, list: &str, value: Value) -> usize {
    let list = document[list].as_array_mut().expect("a list");
    list.push(value);
    list.len() - 1
}

#[test]
fn accessors_without_data_are_bounded() {
    let _alone = lock_memory();
    let zeros = json!({ "componentType": 5126, "count": 1 << 24, "type": "VEC3" });
    let sparse = json!({
        "componentType": 5126, "count": 1 << 24, "type": "VEC3",
        "sparse": { "count": 3, "indices": { "bufferView": 0, "componentType": 5125 }, "values": { "bufferView": 1 } },
    });

    // Only vertices with an index are read.
    let (mut document, bytes) = gltf();
    let accessor = push(&mut document, "accessors", sparse.clone());
    let primitive = json!({ "attributes": { "POSITION": accessor }, "indices": 1 });
    document["meshes"][0]["primitives"] = Value::from(vec![primitive; 64]);
    assert_eq!(read_gltf(document, &bytes), Ok(64));

    let refused = |document: Value, bytes: &[u8], word: &str| {
        let error = read_gltf(document, bytes).expect_err("it is too large");
        assert!(error.contains(word) && error.contains("is the most for a file of"), "{error}");
    };

    // Without indices, each vertex is used.
    let (mut document, bytes) = gltf();
    let accessor = push(&mut document, "accessors", zeros.clone());
    document["meshes"][0]["primitives"] = json!([{ "attributes": { "POSITION": accessor } }]);
    refused(document, &bytes, "meshes");

    // Instances.
    let (mut document, bytes) = gltf();
    let accessor = push(&mut document, "accessors", zeros.clone());
    let instanced = json!({ "mesh": 0, "extensions": { "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": accessor } } } });
    document["nodes"] = Value::from(vec![instanced; 32]);
    document["scenes"][0]["nodes"] = Value::from((0..32).collect::<Vec<_>>());
    refused(document, &bytes, "instances");

    // Morph targets of many nodes.
    let (mut document, bytes) = gltf();
    let count = json!(1 << 20);
    let large = json!({ "componentType": 5126, "count": count, "type": "VEC3" });
    let accessor = push(&mut document, "accessors", large);
    let indices = json!({ "componentType": 5125, "count": 3 << 18, "type": "SCALAR" });
    let indices = push(&mut document, "accessors", indices);
    document["meshes"][0]["primitives"] = json!([{
        "attributes": { "POSITION": accessor }, "indices": indices, "targets": [{ "POSITION": accessor }],
    }]);
    document["nodes"] = Value::from(vec![json!({ "mesh": 0, "weights": [1.0] }); 400]);
    document["scenes"][0]["nodes"] = Value::from((0..400).collect::<Vec<_>>());
    let error = read_gltf(document, &bytes).expect_err("it is too large");
    assert!(error.contains("is the most for a file of"), "{error}");

    // Many images of one buffer view.
    let (mut document, mut bytes) = gltf();
    let at = bytes.len();
    bytes.extend(vec![7; 4 << 20]);
    let view = push(
        &mut document,
        "bufferViews",
        json!({ "buffer": 0, "byteOffset": at, "byteLength": 4 << 20 }),
    );
    let count = 400;
    document["images"] = Value::from(vec![json!({ "bufferView": view, "mimeType": "image/png" }); count]);
    document["textures"] = (0..count).map(|i| json!({ "source": i })).collect();
    document["materials"] = (0..count)
        .map(|i| json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": i } } }))
        .collect();
    let error = read_gltf(document, &bytes).expect_err("it is too large");
    assert!(error.contains("images"), "{error}");

    // Buffers share the bytes of their file.
    let (mut document, mut bytes) = gltf();
    bytes.extend(vec![0; 4 << 20]);
    let length = bytes.len();
    document["buffers"] = Value::from(vec![json!({ "byteLength": length, "uri": "a.bin" }); 500]);
    let input = Input::new(&[("a.bin", &bytes), ("a.gltf", document.to_string().as_bytes())]);
    assert_eq!(input.read("a.gltf"), Ok(1));
}

#[test]
fn compressed_buffer_views_have_their_length() {
    let _alone = lock_memory();
    // A stream of zeros expands each byte to 1024 bytes.
    let count: usize = 1 << 25;
    let stream = [&[0xa1][..], &vec![0xaa; count.div_ceil(256)], &[0; 64]].concat();
    let compressed = |views: usize, length: usize| {
        let (mut document, mut bytes) = gltf();
        let at = bytes.len();
        bytes.extend(&stream);
        for _ in 0..views {
            let extension = json!({
                "buffer": 0, "byteOffset": at, "byteLength": stream.len(), "byteStride": 4, "count": count,
                "mode": "ATTRIBUTES",
            });
            let view = json!({
                "buffer": 1, "byteOffset": 0, "byteLength": length,
                "extensions": { "EXT_meshopt_compression": extension },
            });
            push(&mut document, "bufferViews", view);
        }
        document["extensionsUsed"] = json!(["EXT_meshopt_compression"]);
        document["buffers"] = json!([
            { "byteLength": bytes.len(), "uri": "a.bin" },
            { "byteLength": length, "extensions": { "EXT_meshopt_compression": { "fallback": true } } },
        ]);
        let input = Input::new(&[("a.bin", &bytes), ("a.gltf", document.to_string().as_bytes())]);
        input.read("a.gltf")
    };
    let error = compressed(4, 4).expect_err("the view is shorter");
    assert!(error.contains("more than the 4 bytes of the view"), "{error}");
    let error = compressed(40, 4 * count).expect_err("the views are too many");
    assert!(error.contains("is the most for a file of"), "{error}");
    assert_eq!(compressed(1, 4 * count), Ok(1));
}

#[test]
fn polygons_repeat_their_attributes_within_bounds() {
    let _alone = lock_memory();
    let corners = 60_000;
    let properties: String = (0..2000).map(|i| format!("property float p{i}\n")).collect();
    let numbers = "0 ".repeat(2000);
    let indices: Vec<String> = (0..corners).map(|i| (i % 5).to_string()).collect();
    let text = format!(
        "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
         {properties}property list uint int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 2 0\n\
         {numbers}{corners} {}\n",
        indices.join(" ")
    );
    let input = Input::new(&[("a.ply", text.as_bytes())]);
    let error = input.read("a.ply").expect_err("it is too large");
    assert!(error.contains("attributes of faces"), "{error}");
}

#[test]
fn meshes_with_coincident_vertices_are_bounded() {
    use std::io::Write as _;

    let _alone = lock_memory();
    // Version 3: flags, numbers of vertices and triangles, positions, triangles.
    let (vertices, triangles) = (1_000_000u64, 1u64);
    let mut content = vec![];
    content.extend(0u32.to_le_bytes());
    content.extend(vertices.to_le_bytes());
    content.extend(triangles.to_le_bytes());
    content.resize(content.len() + 12 * vertices as usize + 12, 0);
    let mut zlib = flate2::write::ZlibEncoder::new(vec![], flate2::Compression::best());
    zlib.write_all(&content).expect("memory");
    let stream = zlib.finish().expect("memory");
    let mut bytes = vec![0x1c, 0x04, 3, 0];
    bytes.extend(&stream);
    let count = bytes.len() as u32 / 8;
    bytes.extend(vec![0; 4 * count as usize]);
    bytes.extend(count.to_le_bytes());
    let input = Input::new(&[("a.serialized", &bytes)]);
    let error = input.read("a.serialized").expect_err("it is too large");
    assert!(error.contains("meshes"), "{error}");
}

/// Files of OpenVDB.
mod vdb {
    pub(super) fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
    }

    pub(super) fn numbers(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    pub(super) fn head(grids: u32) -> Vec<u8> {
        let mut bytes = 0x5644_4220u64.to_le_bytes().to_vec();
        bytes.extend(numbers(&[224, 9, 0]));
        bytes.push(1);
        bytes.extend([b'0'; 36]);
        bytes.extend(numbers(&[0, grids]));
        bytes
    }

    /// A file with one grid of this tree.
    pub(super) fn one(compression: u32, tree: &[u8]) -> Vec<u8> {
        let scale = [1e-4f64.to_le_bytes(); 15].concat();
        let body = [numbers(&[compression, 0]), text("UniformScaleMap"), scale, numbers(&[1]), tree.to_vec()]
            .concat();
        let mut bytes = [head(1), text("density"), text("Tree_float_5_4_3"), text("")].concat();
        let begin = bytes.len() as u64 + 24;
        for position in [begin, 0, begin + body.len() as u64] {
            bytes.extend(position.to_le_bytes());
        }
        bytes.extend(body);
        bytes
    }

    pub(super) fn place(at: [i32; 3]) -> Vec<u8> {
        at.iter().flat_map(|x| x.to_le_bytes()).collect()
    }
}

#[test]
fn descriptions_of_grids_do_not_overlap() {
    let _alone = lock_memory();
    for has_ends in [false, true] {
        let error = overlapping(20_000, has_ends).read("a.vdb").expect_err("the grids overlap");
        let expected = if has_ends { "cut short" } else { "metadata of grids" };
        assert!(error.contains(expected), "{error}");
    }
}

/// A file of grids whose metadata reach to the end of the file.
fn overlapping(grids: u32, has_ends: bool) -> Input {
    // The next grid's description starts within the metadata, which have a name of many bytes.
    let (per, extent) = (60, if has_ends { 4 } else { 0 });
    let mut bytes = vdb::head(grids);
    let end = bytes.len() + (per + extent) * grids as usize + (1 << 20);
    for _ in 0..grids {
        let (at, here) = (bytes.len(), (bytes.len() + per) as u64);
        bytes.extend(vdb::numbers(&[8, 1, (end - (at + 12)) as u32]));
        bytes.extend([vdb::text("Tree_float_5_4_3"), vdb::numbers(&[0])].concat());
        for position in [here, 0, here + extent as u64] {
            bytes.extend(position.to_le_bytes());
        }
        bytes.extend(vec![8; extent]);
    }
    bytes.extend(vdb::numbers(&[8, 1, (end - (bytes.len() + 12)) as u32]));
    bytes.resize(end, b'x');
    bytes.extend([vdb::numbers(&[0, 0]), vdb::text("TranslationMap"), vec![0; 88]].concat());
    Input::new(&[("a.vdb", &bytes)])
}

#[test]
fn tiles_of_grids_need_proportional_memory() {
    let _alone = lock_memory();
    // Nodes without values, each of 32768 tiles of the negative background.
    let nodes = 300;
    let mut tree = 1f32.to_le_bytes().to_vec();
    tree.extend(vdb::numbers(&[0, nodes]));
    for i in 0..nodes as i32 {
        tree.extend(vdb::place([i % 16 * 4096, i / 16 % 16 * 4096, i / 256 * 4096]));
        tree.extend([0; 8192]);
        tree.push(1);
    }
    let input = Input::new(&[("a.vdb", &vdb::one(2, &tree))]);
    assert_eq!(input.read("a.vdb"), Ok(1));

    // Such nodes at large distances.
    let mut tree = 1f32.to_le_bytes().to_vec();
    tree.extend(vdb::numbers(&[0, nodes]));
    for i in 0..nodes as i32 {
        tree.extend(vdb::place([i * 977 % 300 * 409_600, i * 571 % 300 * 409_600, i * 409_600]));
        tree.extend([0; 8192]);
        tree.push(1);
    }
    let input = Input::new(&[("a.vdb", &vdb::one(2, &tree))]);
    assert_eq!(input.read("a.vdb"), Ok(1));
}

#[test]
fn scattered_tiles_have_fast_lookups() {
    let _alone = lock_memory();
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as i32 % (1 << 16)) * 4096
    };
    let count = 100_000;
    let mut tree = 0f32.to_le_bytes().to_vec();
    tree.extend(vdb::numbers(&[count, 0]));
    for _ in 0..count {
        tree.extend(vdb::place([random(), random(), random()]));
        tree.extend(0.5f32.to_le_bytes());
        tree.push(1);
    }
    let input = Input::new(&[("a.vdb", &vdb::one(0, &tree))]);
    assert_eq!(input.read("a.vdb"), Ok(1));
    let scene = "camera main : perspective { from = (0, 1, 4); to = (0, 0, 0); }
        light sky : environment { color = 1; }
        shape plume : cube {
            material = scatterer(extinction = 1 * texture3d(\"a.vdb\", transform(\"object\", P)), albedo = 0.8);
        }";
    let options = renderer::scene::load::LoadOptions::default();
    let folder = input.folder.path().to_owned();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let loaded = renderer::scene::load::from_text("a.kiln", scene, &folder, &options);
        let (desc, _) = loaded.expect("the scene is valid");
        let built = renderer::scene::build::build(&desc, None, 1);
        sender.send(built.map(|_| ()).map_err(|errors| errors.to_string()))
    });
    let built = receiver.recv_timeout(HANG_TIMEOUT).expect("building hangs");
    built.expect("the scene is valid");
}

#[test]
fn directories_of_tiffs_do_not_overlap() {
    let _alone = lock_memory();
    let (directories, entries, chain) = (4000usize, 100_000usize, 1000usize);
    let entry = |tag: u16, kind: u16, count: u64, value: u64| {
        let mut bytes = [tag.to_le_bytes(), kind.to_le_bytes()].concat();
        bytes.extend([count.to_le_bytes(), value.to_le_bytes()].concat());
        bytes
    };
    let size = chain + 8 + 20 * entries + 64;
    let mut bytes = vec![0; size];
    let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
    for at in (chain + 8..size - 20).step_by(20) {
        put(at, &entry(256, 4, 1, 1));
    }
    put(0, b"II\x2b\0\x08\0\0\0");
    put(8, &16u64.to_le_bytes());
    let tags = [
        (256, 4, 1),
        (257, 4, 1),
        (258, 3, 8),
        (259, 3, 1),
        (262, 3, 1),
        (273, 4, 900),
        (277, 3, 1),
        (278, 4, 1),
        (279, 4, 1),
    ];
    put(16, &(tags.len() as u64).to_le_bytes());
    for (i, (tag, kind, value)) in tags.into_iter().enumerate() {
        put(24 + 20 * i, &entry(tag, kind, 1, value));
    }
    put(24 + 20 * tags.len(), &(chain as u64).to_le_bytes());
    for i in 0..directories {
        let at = chain + 20 * i;
        let count = entries.saturating_sub(2 * i);
        let next = if i + 1 < directories { at + 20 } else { 0 };
        put(at, &(count as u64).to_le_bytes());
        if at + 16 + 20 * count <= size {
            put(at + 8 + 20 * count, &(next as u64).to_le_bytes());
        }
    }
    let input = Input::new(&[("a.tif", &bytes)]);
    let start = Instant::now();
    // The first picture is valid.
    assert_eq!(input.read("a.tif"), Ok(1));
    assert!(start.elapsed() < HANG_TIMEOUT);
}

#[test]
fn included_files_are_bounded() {
    let _alone = lock_memory();
    let include = format!("<scene version=\"3.0.0\"><!-- {} --></scene>", "x".repeat(4 << 20));
    let scene = format!(
        "<scene version=\"3.0.0\">{}</scene>",
        "<include filename=\"b.xml\"/>".repeat(900)
    );
    let input = Input::new(&[("a.xml", scene.as_bytes()), ("b.xml", include.as_bytes())]);
    let error = input.read("a.xml").expect_err("it is too large");
    assert!(error.contains("included files"), "{error}");
}

/// Files of all readers, to be damaged.
fn seeds() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![];
    for folder in ["../renderer/grid/tests/data", "mitsuba/data", "mitsuba"] {
        for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            let is_read = [
                "vdb",
                "nvdb",
                "vol",
                "obj",
                "ply",
                "stl",
                "serialized",
                "xml",
                "exr",
                "tif",
                "png",
                "jpg",
                "hdr",
                "bmp",
                "tga",
                "pfm",
                "webp",
            ];
            let bytes = fs::read(&path).unwrap_or_default();
            if is_read.contains(&extension) && bytes.len() < 200_000 {
                files.push((format!("a.{extension}"), bytes));
            }
        }
    }
    let image = renderer::image::Image::from_fn(19, 21, |x, y| {
        renderer::color::Rgb::new(x as f32 / 19.0, y as f32 / 21.0, 0.5)
    });
    for name in ["a.exr", "a.hdr", "a.png", "a.jpg", "a.tif"] {
        let bytes = renderer::image::encode(Path::new(name), &image, &Default::default());
        files.push((name.to_owned(), bytes.expect("it is written")));
    }
    let (mut document, bytes) = gltf();
    let uri = format!(
        "data:application/octet-stream,{}",
        bytes.iter().map(|byte| format!("%{byte:02x}")).collect::<String>()
    );
    document["buffers"] = json!([{ "byteLength": bytes.len(), "uri": uri }]);
    files.push(("a.gltf".to_owned(), document.to_string().into_bytes()));
    files.extend(kiln_files::seeds());
    files.push((
        "a.obj".to_owned(),
        b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\ng a\nusemtl m\nf 1/1/1 2/1/1 3/1/1\n"
            .to_vec(),
    ));
    files
}

/// Damage that makes numbers large, repeats pieces, and moves bytes.
fn damage(bytes: &mut Vec<u8>, random: &mut impl FnMut(usize) -> usize) {
    for _ in 0..1 + random(4) {
        let length = bytes.len();
        if length < 16 {
            return;
        }
        let at = random(length - 8);
        match random(5) {
            0 => bytes[at] = random(256) as u8,
            1 => {
                let values = [u32::MAX, 1 << 31, 1 << 24, 1 << 20, 65_536, 255];
                bytes[at..at + 4].copy_from_slice(&values[random(6)].to_le_bytes());
            }
            2 => {
                let end = at + random((length - at).min(256));
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            3 => {
                let from = random(length - 8);
                bytes.copy_within(from..from + 8, at);
            }
            _ => {
                let digits: Vec<u8> = (0..1 + random(8)).map(|_| b'0' + random(10) as u8).collect();
                bytes.splice(at..at + 1, digits);
            }
        }
    }
}

#[test]
fn damaged_files_stay_within_their_bounds() {
    let _alone = lock_memory();
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = number("KILN_FUZZ_SECONDS");
    let mut state = number("KILN_FUZZ_SEED").unwrap_or(1);
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let seeds = seeds();
    for extension in [
        "vdb",
        "nvdb",
        "obj",
        "ply",
        "serialized",
        "xml",
        "gltf",
        "part",
        "zip",
        "exr",
        "tif",
        "png",
        "jpg",
        "hdr",
    ] {
        assert!(
            seeds.iter().any(|(name, _)| name.ends_with(extension)),
            "no .{extension} to damage"
        );
    }
    let start = Instant::now();
    let mut rounds = 0;
    while seconds.map_or(rounds < 3, |seconds| start.elapsed().as_secs() < seconds) {
        for (name, bytes) in &seeds {
            let mut bytes = bytes.clone();
            match name.as_str() {
                "a.part" => kiln_files::damage_part(&mut bytes, &mut random),
                _ => damage(&mut bytes, &mut random),
            }
            let input = Input::new(&[(name, &bytes)]);
            if let Err(error) = measured(&input.path(name), bytes.len() as u64) {
                assert!(error.contains(name), "the file is not named: {error}");
                assert!(error.len() < 10_000, "the message has {} bytes", error.len());
            }
        }
        rounds += 1;
    }
}
