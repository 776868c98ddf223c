//! Files for engines: a bake for Godot is valid according to Godot's sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use renderer::image::read;
use serde_json::Value;
use tempfile::TempDir;

use super::{done, run};

/// A value of Godot's text format.
#[derive(Clone, Debug, PartialEq)]
enum Variant {
    Number(f64),
    Text(String),
    Word(String),
    List(Vec<Variant>),
    Members(BTreeMap<String, Variant>),
    /// A constructor call with its type arguments in brackets.
    Made(String, Vec<Variant>),
}

/// A reader of Godot's text format.
struct Text<'a>(&'a str);

impl Text<'_> {
    fn next_is(&mut self, token: &str) -> bool {
        self.0 = self.0.trim_start();
        let rest = self.0.strip_prefix(token);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn take(&mut self, is_part: impl Fn(char) -> bool) -> String {
        self.0 = self.0.trim_start();
        let end = self.0.find(|c| !is_part(c)).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word.to_owned()
    }

    fn list(&mut self, end: &str) -> Vec<Variant> {
        let mut list = vec![];
        while !self.next_is(end) {
            list.push(self.value());
            self.next_is(",");
        }
        list
    }

    fn value(&mut self) -> Variant {
        if self.next_is("\"") {
            let end = self.0.find('"').expect("the string ends");
            let text = self.0[..end].to_owned();
            self.0 = &self.0[end + 1..];
            return Variant::Text(text);
        }
        if self.next_is("[") {
            return Variant::List(self.list("]"));
        }
        if self.next_is("{") {
            let mut members = BTreeMap::new();
            while !self.next_is("}") {
                let Variant::Text(key) = self.value() else { panic!("keys are strings") };
                assert!(self.next_is(":"));
                members.insert(key, self.value());
                self.next_is(",");
            }
            return Variant::Members(members);
        }
        let word = self.take(|c| c.is_ascii_alphanumeric() || "_-.+".contains(c));
        if let Ok(number) = word.parse() {
            return Variant::Number(number);
        }
        assert!(
            word.starts_with(|c: char| c.is_ascii_alphabetic()),
            "`{word}` before {:.40}",
            self.0
        );
        let mut name = word;
        if self.next_is("[") {
            name = format!("{name}[{}]", self.take(|c| c.is_ascii_alphanumeric()));
            assert!(self.next_is("]"));
        }
        match self.next_is("(") {
            true => Variant::Made(name, self.list(")")),
            false => Variant::Word(name),
        }
    }

    /// Sections: the text in brackets, and their properties.
    fn sections(&mut self) -> Vec<(String, Members, Members)> {
        let mut sections: Vec<(String, Members, Members)> = vec![];
        while !self.0.trim_start().is_empty() {
            let is_section = self.next_is("[");
            let name = self.take(|c| c.is_ascii_alphanumeric() || "_/".contains(c));
            if !is_section {
                assert!(self.next_is("="), "{name}");
                let value = self.value();
                sections.last_mut().expect("a section").2.insert(name, value);
                continue;
            }
            let mut tags = BTreeMap::new();
            while !self.next_is("]") {
                let tag = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
                assert!(self.next_is("="), "{tag}");
                tags.insert(tag, self.value());
            }
            sections.push((name, tags, BTreeMap::new()));
        }
        sections
    }
}

type Members = BTreeMap<String, Variant>;

fn sections(path: &Path) -> Vec<(String, Members, Members)> {
    Text(&fs::read_to_string(path).unwrap()).sections()
}

fn text(text: &str) -> Variant {
    Variant::Text(text.to_owned())
}

/// The numeric arguments of a constructor.
fn numbers(value: &Variant) -> Vec<f64> {
    let Variant::Made(_, values) = value else { panic!("{value:?}") };
    let number = |value: &Variant| match value {
        Variant::Number(number) => *number,
        other => panic!("{other:?}"),
    };
    values.iter().map(number).collect()
}

/// A floor, and a ball whose name is invalid in Godot.
const SCENE: &str = "film { size = (8, 8); }\nsampler { spp = 16; }\n\
    camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }\n\
    light sky : environment { color = (1, 0.5, 0.2); }\n\
    material grey = matte(albedo = 0.5);\n\
    shape floor : rectangle { size = 4; material = grey; transform = rotate((1, 0, 0), -90); }\n\
    shape \"ball.1\" : sphere { center = (0, 0.5, 0); radius = 0.4; material = grey; }\n";

fn document(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

#[test]
fn godot_reads_a_lightmap() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("a.kiln"), SCENE).unwrap();
    done(
        at,
        "bake a.kiln --integrator path --include both --resolution 32 --samples 64 --for godot -o out",
    );
    let scene = sections(&at.join("out/godot.tscn"));
    let nodes: Vec<&Members> = scene.iter().filter(|part| part.0 == "node").map(|part| &part.1).collect();
    assert_eq!(nodes[0]["name"], text("a"));
    assert_eq!((&nodes[1]["name"], &nodes[2]["type"]), (&text("Model"), &text("LightmapGI")));

    let data = sections(&at.join("out/godot.tres"));
    assert_eq!(data[0].1["type"], text("LightmapGIData"));
    let said = &data.last().unwrap().2;
    assert_eq!(said["_uses_packed_directional"], Variant::Word("true".to_owned()));
    let Variant::Made(kind, _) = &said["lightmap_textures"] else { panic!() };
    assert_eq!(kind, "Array[TextureLayered]");
    let Variant::List(users) = &said["user_data"] else { panic!() };
    let document = document(&fs::read(at.join("out/godot.glb")).unwrap());
    let nodes = document["nodes"].as_array().unwrap();
    let lit: Vec<&Value> = nodes.iter().filter(|node| node.get("mesh").is_some()).collect();
    assert_eq!(users.len(), 4 * lit.len());
    for (user, node) in users.chunks_exact(4).zip(&lit) {
        let Variant::Made(_, path) = &user[0] else { panic!() };
        let Variant::Text(path) = &path[0] else { panic!() };
        let name = node["name"].as_str().unwrap();
        assert!(path.starts_with("../Model/") && path.ends_with(name), "{path} {name}");
        assert!(!name.contains('.'), "{name}");
        assert_eq!(numbers(&user[1]).len(), 4);
        assert_eq!((&user[2], &user[3]), (&Variant::Number(0.0), &Variant::Number(-1.0)));
        let mesh = &document["meshes"][node["mesh"].as_u64().unwrap() as usize];
        assert!(mesh["primitives"][0]["attributes"].get("TEXCOORD_1").is_some());
    }
    assert!(!document.to_string().contains("MOZ_lightmap") && !document.to_string().contains("\"lightmap\""));

    // The floor faces up; Godot's irradiance on it is Kiln's divided by π.
    let slices = read(&at.join("out/godot.exr")).unwrap();
    let [red, map] = ["sh_r", "irradiance"].map(|name| read(&at.join(format!("out/{name}.exr"))).unwrap());
    assert_eq!((slices.width, slices.height), (map.width, 4 * map.height));
    let mut lit = 0;
    for (x, y) in (0..map.height).flat_map(|y| (0..map.width).map(move |x| (x, y))) {
        let slice = |number: usize| slices.pixel(x, number * map.height + y)[0];
        let found = slice(0) * (1.0 + 8.0 * (slice(1) - 0.5));
        let sh = red.pixel(x, y);
        let expected = 0.282_094_8 * sh[0] + 0.325_735 * sh[1];
        assert!((found - expected).abs() < 2e-3 * sh[0] + 1e-6, "{found} for {expected}");
        lit += usize::from(found > 0.0);
    }
    assert!(lit > 200, "{lit}");
}

/// Texture coordinates of the vertices of a VEC2 accessor.
fn places(glb: &[u8], accessor: &Value) -> Vec<[f32; 2]> {
    let document = document(glb);
    let accessor = &document["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let begin = 28 + length + view["byteOffset"].as_u64().unwrap_or(0) as usize;
    let float = |at: usize| f32::from_le_bytes(glb[at..at + 4].try_into().unwrap());
    let count = accessor["count"].as_u64().unwrap() as usize;
    (0..count).map(|i| [float(begin + 8 * i), float(begin + 8 * i + 4)]).collect()
}

#[test]
fn godot_has_one_rectangle_per_node() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    super::model::everything().write(&at.join("all.glb"));
    done(
        at,
        "bake all.glb --integrator path --include both --resolution 64 --samples 1 --for godot -o out",
    );
    let [model, godot] = ["model", "godot"].map(|name| fs::read(at.join(format!("out/{name}.glb"))).unwrap());
    let (before, after) = (document(&model), document(&godot));
    let data = sections(&at.join("out/godot.tres"));
    let Variant::List(users) = &data.last().unwrap().2["user_data"] else {
        panic!()
    };
    let mut checked = 0;
    for user in users.chunks_exact(4) {
        let Variant::Made(_, path) = &user[0] else { panic!() };
        let Variant::Text(path) = &path[0] else { panic!() };
        let name = path.rsplit('/').next().unwrap();
        let nodes = after["nodes"].as_array().unwrap();
        let node = nodes.iter().position(|node| node["name"] == name).expect("the node is there");
        let rect = numbers(&user[1]);
        let mesh = |document: &Value| document["nodes"][node]["mesh"].as_u64().unwrap() as usize;
        let said = &before["nodes"][node]["extras"]["lightmap"]["primitives"];
        for (number, said) in said.as_array().unwrap().iter().enumerate().filter(|said| !said.1.is_null()) {
            let accessor = |document: &Value, set: &Value| {
                let primitive = &document["meshes"][mesh(document)]["primitives"][number];
                primitive["attributes"][format!("TEXCOORD_{set}")].clone()
            };
            let old = places(&model, &accessor(&before, &said["texCoord"]));
            let new = places(&godot, &accessor(&after, &Value::from(1)));
            assert_eq!(old.len(), new.len());
            for (old, new) in old.iter().zip(new) {
                for axis in 0..2 {
                    let part = |name: &str| said[name][axis].as_f64().unwrap();
                    let expected = part("offset") + part("scale") * f64::from(old[axis]);
                    let found = rect[axis] + rect[2 + axis] * f64::from(new[axis]);
                    assert!((found - expected).abs() < 1e-5, "{name}: {found} for {expected}");
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "{checked}");
}

#[test]
fn godot_reads_probes() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("a.kiln"), SCENE).unwrap();
    done(
        at,
        "bake a.kiln --integrator path --include both --order 2 --samples 64 --target probes --for godot -o out",
    );
    let data = sections(&at.join("out/godot.tres"));
    let Variant::Members(probes) = &data.last().unwrap().2["probe_data"] else {
        panic!()
    };
    let points = numbers(&probes["points"]).len() / 3;
    assert_eq!(numbers(&probes["sh"]).len(), 4 * 9 * points);
    let nodes = numbers(&probes["bsp"]).len() / 6;
    let tetrahedra = numbers(&probes["tetrahedra"]);
    assert!(nodes > 0 && tetrahedra.len().is_multiple_of(24));
    assert!(tetrahedra.iter().all(|&corner| (corner as usize) < points));
    assert!(at.join("out/godot.exr.import").is_file() && !at.join("out/godot.glb").exists());
}

#[test]
fn unsupported_data_for_godot_causes_warnings() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("a.kiln"), SCENE).unwrap();
    fs::write(at.join("points.txt"), "0 1 1\n").unwrap();
    for (line, status, said) in [
        ("--target vertex", 1, "reads no light at vertices"),
        ("--target probes --probe-points points.txt", 1, "only where they are a grid"),
        ("--order 2 --resolution 32 --samples 1 --integrator path", 0, "have order 1"),
    ] {
        let output = run(at, &format!("bake a.kiln --for godot -o out {line}"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{error}");
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn image_formats_hold_the_same_values() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("a.kiln"), SCENE).unwrap();
    for format in ["rgbm", "rgbe", "ktx2"] {
        let line = "bake a.kiln --integrator path --include both --resolution 32 --samples 16 -o out";
        done(at, &format!("{line} --image-format {format}"));
        let map = read(&at.join("out/irradiance.exr")).unwrap();
        let count = map.width * map.height;
        if format == "ktx2" {
            // The only mip level ends at the end of the file.
            let file = fs::read(at.join("out/irradiance.ktx2")).unwrap();
            let level = &file[file.len() - 8 * count..];
            for (pixel, found) in map.data.chunks_exact(3).zip(level.chunks_exact(8)) {
                let red = half::f16::from_le_bytes([found[0], found[1]]).to_f32();
                assert_eq!(red, pixel[0]);
            }
            continue;
        }
        let json: Value = serde_json::from_slice(&fs::read(at.join("out/bake.json")).unwrap()).unwrap();
        let range = json["atlas"]["rgbm_range"].as_f64().unwrap_or(0.0) as f32;
        let mut image = read(&at.join(format!("out/irradiance.{format}.png"))).unwrap();
        let bytes = std::mem::take(&mut image.data);
        for (pixel, found) in map.data.chunks_exact(3).zip(bytes.chunks_exact(4)) {
            let factor = match format {
                "rgbm" => range * found[3],
                _ => (255.0 * found[3] - 128.0).exp2(),
            };
            let greatest = pixel.iter().copied().fold(0.0, f32::max);
            for (&expected, &found) in pixel.iter().zip(found) {
                let found = found * factor;
                assert!(
                    (found - expected).abs() <= 0.005 * greatest + 1e-3 * range,
                    "{found} for {expected}"
                );
            }
        }
    }
}
