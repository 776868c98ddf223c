//! The viewer of a bake, and the server that shows it.

use std::fs;

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
    let json = text
        .strip_prefix("KILN_BAKE = ")
        .and_then(|text| text.strip_suffix(";\n"));
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
    assert!(
        fs::read_to_string(out.join("viewer.js"))
            .unwrap()
            .contains("Copyright")
    );

    // The next bake takes it away.
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
fn a_folder_is_served_to_this_machine() {
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
        ("nonsense", "405"),
    ] {
        let (head, _) = server.answer(request);
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status}")),
            "{request}: {head}"
        );
    }
}

#[test]
fn the_viewer_has_programs_of_materials_that_vary() {
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
    assert!(
        programs[0]["glsl"]
            .as_str()
            .unwrap()
            .contains("Surface surface(Globals ")
    );
}
