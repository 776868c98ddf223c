//! The viewer of a bake, and its web server.

use std::fs;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{kiln, refused};
use crate::server::Server;

const SCENE: &str = "film { size = (8, 6); }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
material grey = matte(albedo = 0.5);
light sky : environment { color = 1; }
shape floor : plane { size = 3; material = grey; }
";

/// A folder with a bake in `out`.
fn baked(more: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.kiln"), SCENE).unwrap();
    let args = format!("bake a.kiln -o out --resolution 16 --samples 1 {more}");
    assert!(kiln(folder.path(), &args).status().unwrap().success());
    folder
}

#[test]
fn the_viewer_holds_the_bake() {
    let folder = baked("--include both --order 2 --viewer");
    let out = folder.path().join("out");
    let text = fs::read_to_string(out.join("data.js")).unwrap();
    let json = text.strip_prefix("KILN_BAKE = ").and_then(|text| text.strip_suffix(";\n"));
    let data: Value = serde_json::from_str(json.unwrap()).unwrap();
    assert_eq!(data["title"], "a");
    // "glTF", version 2.
    assert!(data["model"].as_str().unwrap().starts_with("Z2xURgIAAA"));
    let names: Vec<&String> = data["files"].as_object().unwrap().keys().collect();
    let on_disk = |name: &str| name.ends_with(".exr") && !name.starts_with("surface_");
    let mut images: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| on_disk(name))
        .collect();
    images.sort();
    assert_eq!(names, images.iter().collect::<Vec<_>>());
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.contains("data.js") && page.contains("viewer.js") && !page.contains("http"));
    assert!(fs::read_to_string(out.join("viewer.js")).unwrap().contains("Copyright"));

    // The next bake without `--viewer` removes the file.
    let args = "bake a.kiln -o out --resolution 16 --samples 1";
    assert!(kiln(folder.path(), args).status().unwrap().success());
    assert!(!out.join("index.html").exists() && !out.join("data.js").exists());
    refused(folder.path(), "view out", &["no index.html", "--viewer"]);
}

#[test]
fn probes_of_an_earlier_bake_are_shown() {
    let folder = baked("--viewer");
    let at = folder.path();
    let probes = "bake a.kiln -o out/probes --target probes --samples 1 --probe-spacing 2";
    assert!(kiln(at, probes).status().unwrap().success());
    let args = "bake a.kiln -o out --resolution 16 --samples 1 --viewer";
    assert!(kiln(at, args).status().unwrap().success());
    assert!(at.join("out/probes/probes.json").is_file());
    let text = fs::read_to_string(at.join("out/data.js")).unwrap();
    assert!(text.contains("\"probes.json\":\"ewog"), "it begins with a brace");
}

#[test]
fn a_folder_is_served_on_the_loopback_interface() {
    let folder = baked("--viewer");
    let server = Server::start(folder.path(), "view out");
    for name in ["index.html", "viewer.js", "data.js"] {
        let (head, body) = server.answer(&format!("GET /{name} HTTP/1.1"));
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert_eq!(body, fs::read(folder.path().join("out").join(name)).unwrap());
    }
    let (head, body) = server.answer("HEAD / HTTP/1.1");
    assert!(head.contains("text/html") && body.is_empty());
    for (request, status) in [
        ("GET /../a.kiln HTTP/1.1", "404"),
        ("GET /%2e%2e/a.kiln HTTP/1.1", "404"),
        ("PUT /index.html HTTP/1.1", "405"),
        ("nonsense", "400"),
    ] {
        let (head, _) = server.answer(request);
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {head}");
    }
}

#[test]
fn the_viewer_contains_programs_of_varying_materials() {
    let folder = TempDir::new().unwrap();
    let shaders = "shader pattern(output closure color surface = 0) { surface = noise(3 * P) * diffuse(N); }
shader asking(output closure color surface = 0)
{
    float k = 0;
    getattribute(\"object:random\", k);
    surface = (k + noise(3 * P)) * diffuse(N);
}
material varies = pattern();
material asks = asking();
shape a : cube { material = varies; }
shape b : cube { material = asks; transform = translate(3, 0, 0); }
";
    fs::write(folder.path().join("a.kiln"), format!("{SCENE}{shaders}")).unwrap();
    let args = "bake a.kiln -o out --resolution 32 --samples 1 --textures 32 --viewer --verbose";
    let output = kiln(folder.path(), args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("the viewer shows textures of `asks`: it reads attributes"),
        "{said}"
    );
    let text = fs::read_to_string(folder.path().join("out/data.js")).unwrap();
    let text = text.trim_start_matches("KILN_BAKE = ").trim_end_matches(";\n");
    let data: Value = serde_json::from_str(text).unwrap();
    let programs: Vec<&Value> = data["shaders"].as_object().unwrap().values().collect();
    assert_eq!(programs.len(), 1);
    assert_eq!(programs[0]["globals"], serde_json::json!(["N", "P"]));
    assert!(programs[0]["glsl"].as_str().unwrap().contains("Surface surface(Globals "));
}

/// Reads a head; returns the length of the content.
fn length(reader: &mut impl BufRead) -> usize {
    let mut length = 0;
    loop {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the connection is closed");
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().unwrap(),
            None if line == "\r\n" => return length,
            _ => {}
        }
    }
}

#[test]
fn files_that_change_while_they_are_sent_keep_their_length() {
    const SIZE: usize = 30 << 20;
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("index.html"), "page").unwrap();
    fs::write(at("big.exr"), vec![1; SIZE]).unwrap();
    let server = Server::start(folder.path(), "view .");
    let origin = server.origin();
    let host = origin.strip_prefix("http://").unwrap();
    let mut stream = BufReader::new(server.connect());
    let ask = |stream: &mut BufReader<TcpStream>, path: &str| {
        let line = server.with_token(&format!("GET /{path} HTTP/1.1"));
        let head = format!("{line}\r\nHost: {host}\r\n\r\n");
        stream.get_mut().write_all(head.as_bytes()).unwrap();
        length(stream)
    };
    // The system's buffers hold a part of the file; the rest is read after the change.
    assert_eq!(ask(&mut stream, "big.exr"), SIZE);
    let mut file = fs::File::options().append(true).open(at("big.exr")).unwrap();
    file.write_all(b"more").unwrap();
    stream.read_exact(&mut vec![0; SIZE]).unwrap();
    let length = ask(&mut stream, "index.html");
    let mut page = vec![0; length];
    stream.read_exact(&mut page).unwrap();
    assert_eq!(page, b"page");

    assert_eq!(ask(&mut stream, "big.exr"), SIZE + 4);
    file.set_len(1000).unwrap();
    let mut rest = vec![];
    stream.read_to_end(&mut rest).unwrap();
    assert!(rest.len() < SIZE, "the connection is closed after a part of the file");
}
