//! Control characters of names and texts from files do not reach the terminal.

use std::fs;

use crate::program::{done, kiln};
use tempfile::TempDir;

const NAME: &str = "\u{1b}]0;title\u{7}\u{1b}[31mred";

#[test]
fn control_characters_from_files_do_not_reach_the_terminal() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let scene = "camera main : perspective { from = (0, 1, 4); to = (0, 0, 0); }
film { size = (4, 3); }
light sky : environment { color = 1; }
";
    let part = scene.to_owned() + "shape s : sphere { }\n";
    let named = format!("{scene}material \"{NAME}\" = matte(albedo = nothing(\"{NAME}\"));\n");
    let printing =
        format!("shader y(output float r = 0) {{ printf(\"{NAME}\\n\"); warning(\"{NAME}\"); }}\n");
    let gltf = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{{\"name\":{NAME:?},\
         \"camera\":0}}],\"cameras\":[{{\"type\":\"perspective\",\"perspective\":{{\"yfov\":1,\"znear\":1}}}}]}}"
    )
    .replace("\\u{1b}", "\\u001b")
    .replace("\\u{7}", "\\u0007");
    let xml = format!(
        "<scene version='3.0.0'><{}/></scene>",
        NAME.replace(['\u{1b}', '\u{7}', ']', ';', '['], "")
    );
    for (name, text) in [
        (format!("{NAME}.kiln"), part),
        ("named.kiln".to_owned(), named),
        ("y.ksl".to_owned(), printing),
        ("m.gltf".to_owned(), gltf),
        ("m.xml".to_owned(), xml),
    ] {
        fs::write(at.join(name), text).unwrap();
    }
    fs::copy(at.join(format!("{NAME}.kiln")), at.join("plain.kiln")).unwrap();
    done(at, "render plain.kiln --spp 1 -o o.png -q");
    let own = format!("{NAME}.kiln");
    let mut render = kiln(at, "render --spp 1 --set film.size=(4,3) -o a.part --");
    assert!(render.arg(&own).output().unwrap().status.code().is_some());
    for (line, file) in [
        ("check", own.as_str()),
        ("info", &own),
        ("info", "named.kiln"),
        ("check", "named.kiln"),
        ("render -o p.png", "named.kiln"),
        ("shade", "y.ksl"),
        ("info", "m.gltf"),
        ("info --json", "m.gltf"),
        ("check", "m.xml"),
        ("info", "a.part"),
        ("render", &format!("{NAME}-none.kiln")),
    ] {
        let output = kiln(at, line).arg(file).output().unwrap();
        for bytes in [output.stdout, output.stderr] {
            let text = String::from_utf8_lossy(&bytes);
            let steers = |c: char| c.is_control() && !"\n\t".contains(c);
            assert!(!text.contains(steers), "kiln {line} {file:?}\n{text:?}");
        }
    }
}
