//! `kiln lsp`: sessions of an editor with the program.

#[path = "lsp/broken.rs"]
mod broken;
#[path = "lsp/client.rs"]
mod client;

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::program::HANG;
use serde_json::{Value, json};
use tempfile::TempDir;

use client::{Client, position};

/// A file with every kind of declaration; `ü😀` shifts UTF-16 columns.
const TEXT: &str = r#"import "more.ksl";
/* ü😀 */ struct Hit { float far; color tint; };
float wave(float x, float phase) { return sin(x + phase); }
shader rings
[[ string help = "concentric rings" ]]
(
    float count = 4 [[ string help = "how many", float min = 1, float max = 9 ]],
    output color result = 0)
{
    Hit h;
    h.far = wave(count, 0.5);
    color base = color(0.5, 0.25, 0.1);
    result = base * smoothstep(0, 1, h.far) + twice(h.tint);
}
group two(float wear = 1, output closure color surface)
{
    rings a(count = wear);
    matte base(albedo = a.result);
    surface = base.surface;
}
"#;

const MORE: &str = "// Doubles a colour.\ncolor twice(color c) { return 2 * c; }\n";

fn session() -> (TempDir, Client) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("more.ksl"), MORE).unwrap();
    let path = folder.path().canonicalize().unwrap();
    let mut client = Client::start(&path);
    client.open("all.ksl", TEXT);
    (folder, client)
}

fn hover(client: &mut Client, mark: &str) -> String {
    let at = client.at("all.ksl", TEXT, mark);
    let answer = client.request("textDocument/hover", at);
    answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

fn labels(client: &mut Client, file: &str, text: &str, mark: &str) -> Vec<String> {
    let at = client.at(file, text, mark);
    let answer = client.request("textDocument/completion", at);
    let items = answer["items"].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn hover_describes_the_symbol_under_the_cursor() {
    let (_folder, mut client) = session();
    let count = hover(&mut client, "rings a(cou");
    for words in ["float count = 4", "how many", "1 … 9"] {
        assert!(count.contains(words), "{count}");
    }
    for (mark, words) in [
        ("smooths", "T smoothstep(T low, T high, T x)"),
        ("rings a(count = we", "float wear = 1"),
        ("matt", "ideal diffuse reflection"),
        ("a.res", "output color result"),
        ("h.fa", "float far"),
        ("twi", "Doubles a colour."),
        ("Hit h", "Hit h"),
        ("ring", "concentric rings"),
    ] {
        let text = hover(&mut client, mark);
        assert!(text.contains(words), "{mark}: {text}");
    }
    assert_eq!(client.end(), Some(0));
}

#[test]
fn aliases_resolve_to_their_parameters() {
    let (_folder, mut client) = session();
    let typed = TEXT.replace("albedo = a.result", "Kd = a.result, ");
    client.change("all.ksl", &typed);
    let at = client.at("all.ksl", &typed, "base(K");
    let answer = client.request("textDocument/hover", at);
    let text = answer["contents"]["value"].as_str().unwrap_or_default();
    assert!(text.contains("color albedo = 0.8"), "{text}");
    assert_eq!(labels(&mut client, "all.ksl", &typed, "base("), ["albedo", "n"]);
    assert_eq!(labels(&mut client, "all.ksl", &typed, "a.result, "), ["n"]);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn completion_offers_valid_continuations() {
    let (folder, mut client) = session();
    let typed = TEXT.replace("a.result);", "a.);").replace("h.far = wave", "h. = wave");
    client.change("all.ksl", &typed);
    assert_eq!(labels(&mut client, "all.ksl", &typed, "albedo = a."), ["result"]);
    assert_eq!(labels(&mut client, "all.ksl", &typed, "    h."), ["far", "tint"]);
    assert_eq!(labels(&mut client, "all.ksl", &typed, "rings a("), ["count"]);
    let values = labels(&mut client, "all.ksl", &typed, "result = ba");
    for name in ["base", "count", "wave", "twice", "noise", "P", "M_PI", "dielectric_bsdf", "return"] {
        assert!(values.iter().any(|label| label == name), "{name}: {values:?}");
    }
    let layers = labels(&mut client, "all.ksl", &typed, "rings a(count = wear);\n    ");
    for name in ["rings", "matte", "base", "surface"] {
        assert!(layers.iter().any(|label| label == name), "{name}: {layers:?}");
    }
    assert_eq!(labels(&mut client, "all.ksl", &typed, "import \""), ["cache/", "more.ksl"][1..]);
    fs::write(folder.path().join("sky.exr"), "").unwrap();
    let scene = "camera main : pers { f }\nlight sky : environment { map = \"\"; }\nmaterial m = \nshape s : sphere { material = ; r }\n";
    client.open("scene.kiln", scene);
    assert_eq!(
        labels(&mut client, "scene.kiln", scene, ": pers"),
        ["cube", "custom", "fisheye", "orthographic", "panoramic", "perspective"]
    );
    let keys = labels(&mut client, "scene.kiln", scene, "sphere { material = ; r");
    assert!(
        keys.contains(&"radius".to_owned()) && keys.contains(&"transform".to_owned()),
        "{keys:?}"
    );
    assert!(!keys.contains(&"height".to_owned()), "{keys:?}");
    let values = labels(&mut client, "scene.kiln", scene, "sphere { material = ");
    assert!(
        values.contains(&"plastic".to_owned()) && values.contains(&"m".to_owned()),
        "{values:?}"
    );
    let files = labels(&mut client, "scene.kiln", scene, "map = \"");
    assert!(files.contains(&"sky.exr".to_owned()), "{files:?}");
    assert!(labels(&mut client, "scene.kiln", scene, "camera ma").is_empty());
    // Completion after a trigger character offers few items; an explicit request offers all values.
    let mut at = client.at("scene.kiln", scene, "sphere { material = ");
    at["context"] = json!({ "triggerKind": 2, "triggerCharacter": " " });
    assert!(client.request("textDocument/completion", at).is_null());
    assert_eq!(client.end(), Some(0));
}

/// Line and file of the answer.
fn place(answer: &Value) -> (String, u64) {
    let uri = answer["uri"].as_str().unwrap_or_default();
    let file = uri.rsplit('/').next().unwrap_or_default().to_owned();
    (file, answer["range"]["start"]["line"].as_u64().unwrap_or(999))
}

#[test]
fn definitions_and_references_are_found() {
    let (_folder, mut client) = session();
    for (mark, file, line) in [
        ("rings a(cou", "all.ksl", 6),
        ("    ring", "all.ksl", 3),
        ("albedo = a", "all.ksl", 16),
        ("a.res", "all.ksl", 7),
        ("h.fa", "all.ksl", 1),
        ("    Hi", "all.ksl", 1),
        ("twi", "more.ksl", 1),
        ("import \"mo", "more.ksl", 0),
        ("matt", "matte.ksl", 1),
        ("albe", "matte.ksl", 4),
    ] {
        let at = client.at("all.ksl", TEXT, mark);
        let answer = client.request("textDocument/definition", at);
        assert_eq!(place(&answer), (file.to_owned(), line), "{mark}: {answer}");
    }
    let mut at = client.at("all.ksl", TEXT, "rings a(cou");
    at["context"] = json!({ "includeDeclaration": true });
    let answer = client.request("textDocument/references", at.clone());
    let lines: Vec<u64> = answer.as_array().unwrap().iter().map(|found| place(found).1).collect();
    assert_eq!(lines, [6, 10, 16]);
    at["newName"] = json!("number");
    let answer = client.request("textDocument/rename", at.clone());
    let edits = answer["changes"][client.uri("all.ksl")].as_array().unwrap();
    assert_eq!(edits.len(), 3, "{answer}");
    for (name, words) in [
        ("result", "already exists in line 8"),
        ("1x", "is not a valid name"),
        ("float", "word of the language"),
    ] {
        at["newName"] = json!(name);
        let answer = client.response("textDocument/rename", at.clone());
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{answer}");
    }
    let at = client.at("all.ksl", TEXT, "matt");
    let answer = client.response("textDocument/prepareRename", at);
    assert!(
        answer["error"]["message"].as_str().unwrap().contains("ships with Kiln"),
        "{answer}"
    );
    assert_eq!(client.end(), Some(0));
}

#[test]
fn diagnostics_follow_edits() {
    let (folder, mut client) = session();
    assert!(client.diagnostics("all.ksl").is_empty());
    let typed = TEXT.replace("smoothstep(", "smothstep(").replace("albedo = a", "albedoo = a");
    client.change("all.ksl", &typed);
    let list = client.diagnostics("all.ksl");
    assert_eq!(list.len(), 2, "{list:?}");
    let message = list[0]["message"].as_str().unwrap();
    assert!(message.contains("did you mean `smoothstep`?"), "{message}");
    let at = client.at("all.ksl", &typed, "smoths");
    let params = json!({
        "textDocument": at["textDocument"],
        "range": { "start": at["position"], "end": at["position"] },
        "context": { "diagnostics": [] },
    });
    let actions = client.request("textDocument/codeAction", params);
    assert_eq!(actions[0]["title"], "change to `smoothstep`", "{actions}");
    let edit = &actions[0]["edit"]["changes"][client.uri("all.ksl")][0];
    let start = typed.find("smothstep").unwrap();
    assert_eq!(edit["range"]["start"], position(&typed, start));
    assert_eq!(edit["range"]["end"], position(&typed, start + "smothstep".len()));
    // An incomplete item does not hide the others, and an import is resolved to the editor's text.
    client.change("all.ksl", &TEXT.replace("rings a(count = wear);", "rings a(count = "));
    assert!(!client.diagnostics("all.ksl").is_empty());
    client.change("all.ksl", TEXT);
    assert!(client.diagnostics("all.ksl").is_empty());
    client.open("more.ksl", &MORE.replace("twice", "thrice"));
    let list = client.diagnostics("all.ksl");
    assert!(list[0]["message"].as_str().unwrap().contains("twice"), "{list:?}");
    // A scene and the shader that it imports.
    fs::write(
        folder.path().join("m.ksl"),
        "surface m(output closure color surface = 0) { surface = diffse(N); }",
    )
    .unwrap();
    let scene =
        "import \"m.ksl\";\ncamera main : perspective { fovv = 3; }\nshape s : sphere { material = m(); }\n";
    client.open("scene.kiln", scene);
    let list = client.diagnostics("m.ksl");
    assert!(list[0]["message"].as_str().unwrap().contains("diffse"), "{list:?}");
    let list = client.diagnostics("scene.kiln");
    assert!(list[0]["message"].as_str().unwrap().contains("no key `fovv`"), "{list:?}");
    let closed = json!({ "textDocument": { "uri": client.uri("scene.kiln") } });
    client.notify("textDocument/didClose", closed);
    assert!(client.diagnostics("m.ksl").is_empty());
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_server_exits_immediately() {
    let (_folder, mut client) = session();
    let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/room.kiln");
    client.open("room.kiln", &fs::read_to_string(room).unwrap());
    let start = Instant::now();
    assert_eq!(client.end(), Some(0));
    assert!(start.elapsed() < HANG, "{:?}", start.elapsed());
}

#[test]
fn command_line_options_apply_to_checks() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().canonicalize().unwrap();
    fs::create_dir(path.join("inc")).unwrap();
    fs::write(path.join("inc/far.h"), "#ifdef OSL_VERSION\n#error known\n#endif\n").unwrap();
    let text = "#include \"far.h\"\nshader x(output float y = WIDTH) {}\n";
    for (line, words) in [
        ("lsp -U OSL_VERSION -D WIDTH=2", "cannot find"),
        ("lsp -I inc -D WIDTH=2", "known"),
        ("lsp -I inc -U OSL_VERSION", "WIDTH"),
        ("lsp -I inc -U OSL_VERSION -D WIDTH=2", ""),
    ] {
        let mut client = Client::start_with(&path, line);
        client.open("x.ksl", text);
        let list = client.diagnostics("x.ksl");
        let messages: String = list.iter().map(|found| found["message"].to_string()).collect();
        assert!(
            messages.contains(words) && list.is_empty() == words.is_empty(),
            "{line}: {messages}"
        );
        assert_eq!(client.end(), Some(0));
    }
}

#[test]
fn definitions_of_names_in_scenes_are_found() {
    let (_folder, mut client) = session();
    let scene = "import \"all.ksl\";\ncamera main : perspective { fov = 30; }\nmaterial red = rings(count = 3);\n\
                 shape ball : sphere { radius = 2; material = red; }\nshape more : instance { of = ball; transform = translate(1, 2, 3); }\n";
    client.open("scene.kiln", scene);
    for (mark, file, line) in [
        ("material = re", "scene.kiln", 2),
        ("of = ba", "scene.kiln", 3),
        ("= ring", "all.ksl", 3),
        ("rings(cou", "all.ksl", 6),
    ] {
        let at = client.at("scene.kiln", scene, mark);
        let answer = client.request("textDocument/definition", at);
        assert_eq!(place(&answer), (file.to_owned(), line), "{mark}: {answer}");
    }
    for (mark, words) in [
        ("= transl", "in metres"),
        ("{ fo", "field of view"),
        (": sph", "`radius`"),
        ("\ncam", "a camera"),
    ] {
        let at = client.at("scene.kiln", scene, mark);
        let answer = client.request("textDocument/hover", at);
        assert!(
            answer["contents"]["value"].as_str().unwrap_or_default().contains(words),
            "{mark}: {answer}"
        );
    }
    let at = client.at("scene.kiln", scene, "translate(1, ");
    let help = client.request("textDocument/signatureHelp", at);
    assert_eq!(help["signatures"][0]["label"], "translate(x, y, z)", "{help}");
    assert_eq!(help["activeParameter"], 1);
    let mut at = client.at("scene.kiln", scene, "material re");
    at["newName"] = json!("blue");
    let answer = client.request("textDocument/rename", at);
    assert_eq!(
        answer["changes"][client.uri("scene.kiln")].as_array().unwrap().len(),
        2,
        "{answer}"
    );
    // A parameter set by another open text.
    let mut at = client.at("all.ksl", TEXT, "float cou");
    at["newName"] = json!("number");
    let answer = client.request("textDocument/rename", at);
    assert_eq!(
        answer["changes"][client.uri("scene.kiln")].as_array().unwrap().len(),
        1,
        "{answer}"
    );
    assert_eq!(client.end(), Some(0));
}

#[test]
fn outlines_signatures_colours_and_hints_are_shown() {
    let (_folder, mut client) = session();
    let document = json!({ "textDocument": { "uri": client.uri("all.ksl") } });
    let symbols = client.request("textDocument/documentSymbol", document.clone());
    let names: Vec<&str> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["import more.ksl", "Hit", "wave", "rings", "two"]);
    let layers: Vec<&Value> = symbols[4]["children"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(layers, ["wear", "surface", "a", "base"]);
    let found = client.request("workspace/symbol", json!({ "query": "RING" }));
    assert_eq!(found[0]["name"], "rings");
    let at = client.at("all.ksl", TEXT, "wave(count, ");
    let help = client.request("textDocument/signatureHelp", at);
    assert_eq!(help["signatures"][0]["label"], "float wave(float x, float phase)");
    assert_eq!(help["activeParameter"], 1);
    let colors = client.request("textDocument/documentColor", document.clone());
    assert_eq!(colors.as_array().unwrap().len(), 1, "{colors}");
    let red = colors[0]["color"]["red"].as_f64().unwrap();
    assert!((red - 0.7354).abs() < 1e-3, "linear 0.5 is {red}");
    let params = json!({ "textDocument": document["textDocument"], "range": colors[0]["range"], "color": colors[0]["color"] });
    let forms = client.request("textDocument/colorPresentation", params);
    assert_eq!(forms[0]["label"], "color(0.5, 0.25, 0.1)");
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({ "textDocument": document["textDocument"], "range": range });
    let hints = client.request("textDocument/inlayHint", params);
    let hints: Vec<&Value> = hints.as_array().unwrap().iter().map(|hint| &hint["label"]).collect();
    assert_eq!(hints, ["low:", "high:", ": color"]);
    let tokens = client.request("textDocument/semanticTokens/full", document);
    let data = tokens["data"].as_array().unwrap();
    assert_eq!(data.len() % 5, 0);
    // `import`, a keyword, then the file's name, a string.
    assert_eq!(data[..10], [0, 0, 6, 0, 0, 0, 7, 10, 12, 0].map(Value::from));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn invalid_requests_do_not_end_the_server() {
    let (_folder, mut client) = session();
    let answer = client.response("textDocument/hover", json!({ "nonsense": 1 }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = client.response("kiln/unknown", json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    client.notify("textDocument/didChange", json!({ "textDocument": 7 }));
    client.notify("unknown", json!(null));
    let far = json!({ "line": 4_000_000_000_u32, "character": 4_000_000_000_u32 });
    let params = json!({ "textDocument": { "uri": client.uri("all.ksl") }, "position": far });
    client.request("textDocument/hover", params);
    let params = json!({ "textDocument": { "uri": "untitled:Untitled-1" }, "position": { "line": 0, "character": 0 } });
    assert!(client.request("textDocument/hover", params).is_null());
    // The maximum nesting depth of texts.
    let deep = format!(
        "shader deep(output float r = 0) {{ r = {}1{}{}; {}{} }}",
        "(".repeat(250),
        ")".repeat(250),
        " + 1".repeat(1000),
        "{".repeat(250),
        "}".repeat(250),
    );
    client.open("deep.ksl", &deep);
    let at = client.at("deep.ksl", &deep, "float ");
    let answer = client.request("textDocument/hover", at);
    assert!(
        answer["contents"]["value"].as_str().unwrap().contains("output float r"),
        "{answer}"
    );
    // The end of the range precedes its start.
    let range = json!({ "start": { "line": 9, "character": 0 }, "end": { "line": 2, "character": 0 } });
    let change = json!({ "range": range, "text": "x" });
    let document = json!({ "uri": client.uri("all.ksl"), "version": 3 });
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": document, "contentChanges": [change] }),
    );
    let at = client.at("all.ksl", TEXT, "sha");
    // A request is either cancelled before its turn or answered; both give a response.
    client.send(json!({ "id": 7001, "method": "textDocument/hover", "params": at }));
    client.notify("$/cancelRequest", json!({ "id": 7001 }));
    client.answer_to(7001);
    client.notify("exit", Value::Null);
    assert_eq!(client.wait(), Some(1), "nobody has shut it down");
}

#[test]
fn formatting_edits_differing_white_space_only() {
    let (_folder, mut client) = session();
    let text = "shader ü(\n    float x=1,\n    output float r = 0)\n{\n    r=x ;\n\n\n\n    r  = 2;\n}";
    client.open("ugly.ksl", text);
    let document = json!({ "uri": client.uri("ugly.ksl") });
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let params = json!({ "textDocument": document, "options": options });
    let range = |from: u32, to: u32| json!({ "start": { "line": from, "character": 0 }, "end": { "line": to, "character": 0 } });
    // Names are ASCII: a text with a syntax error is not formatted.
    assert!(client.request("textDocument/formatting", params.clone()).is_null());
    let text = text.replace('ü', "u");
    client.change("ugly.ksl", &text);
    let edits = client.request("textDocument/formatting", params.clone());
    let mut lines: Vec<u64> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| edit["range"]["start"]["line"].as_u64().unwrap())
        .collect();
    lines.dedup();
    assert_eq!(lines, [1, 4, 8, 9], "{edits}");
    let params = json!({ "textDocument": document, "options": options, "range": range(1, 2) });
    let edits = client.request("textDocument/rangeFormatting", params);
    assert_eq!(
        edits,
        json!([
            { "range": { "start": { "line": 1, "character": 11 }, "end": { "line": 1, "character": 11 } }, "newText": " " },
            { "range": { "start": { "line": 1, "character": 12 }, "end": { "line": 1, "character": 12 } }, "newText": " " },
        ])
    );
    assert_eq!(client.end(), Some(0));
}

/// Unchanged items are not parsed again, and completion sends only matching names.
#[test]
fn edits_of_long_scenes_are_answered_quickly() {
    let folder = TempDir::new().unwrap();
    let mut client = Client::start(folder.path());
    let mut text = String::new();
    for i in 0..2000 {
        text += &format!("material wall_{i} = principled(base_color = (0.5, 0.25, 1), roughness = 0.{i});\n");
        text += &format!(
            "shape box_{i} : cube {{ size = 1.5; transform = translate({i}, 0, 0); material = wall_{i}; }}\n"
        );
    }
    let wall = text.lines().next_back().and_then(|line| line.find("wall")).unwrap() as u32;
    let uri = client.uri("long.kiln");
    let at = |line: u32, column: u32| json!({ "line": line, "character": column });
    let start = Instant::now();
    client.open("long.kiln", &text);
    client.request(
        "textDocument/hover",
        json!({ "textDocument": { "uri": uri }, "position": at(0, 2) }),
    );
    let whole = start.elapsed();
    let best = (0..8).map(|version| {
        let start = Instant::now();
        client.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri, "version": version + 2 },
                "contentChanges": [{ "range": { "start": at(2, 19), "end": at(2, 19) }, "text": " " }],
            }),
        );
        let params = json!({ "textDocument": { "uri": uri }, "position": at(2, 12) });
        client.request("textDocument/hover", params);
        start.elapsed()
    });
    let best = best.min().unwrap();
    assert!(best < whole / 3, "{best:?} after a change, {whole:?} at first");
    // Completion finds the last declared names after the change.
    let params = json!({ "textDocument": { "uri": uri }, "position": at(3999, wall + 3) });
    let found = client.request("textDocument/definition", params);
    assert_eq!(found["range"]["start"], at(3998, 9), "{found}");
    let params = json!({ "textDocument": { "uri": uri }, "position": at(3999, wall + 1) });
    let found = client.request("textDocument/completion", params);
    assert_eq!(found["isIncomplete"], true, "{found}");
    let items = found["items"].as_array().unwrap();
    assert!(items.len() <= 1000 && items.iter().all(|item| item["label"].as_str().unwrap().contains('w')));
}

/// One notification per change, in both orders, compared with a notification that contains the whole text.
#[test]
fn replace_all_is_as_fast_as_one_change() {
    const COUNT: usize = 3000;
    let (_folder, mut client) = session();
    let line = |name: &str, at: usize| {
        format!("shape s{at} : sphere {{ radius = 0.01; center = ({at}, 0, 0); material = {name}; }}\n")
    };
    let text = |name: &str| (0..COUNT).map(|at| line(name, at)).collect::<String>();
    client.open("big.kiln", &text("mat_a"));
    let uri = json!({ "uri": client.uri("big.kiln") });
    let mut time = |version: i32, changes: Vec<Value>| {
        let document = json!({ "uri": uri["uri"], "version": version });
        let start = Instant::now();
        client.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
        let place = json!({ "line": 0, "character": 1 });
        client.request("textDocument/hover", json!({ "textDocument": uri, "position": place }));
        start.elapsed()
    };
    let replace = |at: usize, old: &str, new: &str| {
        let start = line(old, at).find(old).unwrap();
        let position = |column: usize| json!({ "line": at, "character": column });
        json!({ "range": { "start": position(start), "end": position(start + old.len()) }, "text": new })
    };
    time(2, vec![json!({ "text": text("mat_b") })]);
    let whole = time(3, vec![json!({ "text": text("mat_c") })]);
    let backward = time(4, (0..COUNT).rev().map(|at| replace(at, "mat_c", "mat_d")).collect());
    let forward = time(5, (0..COUNT).map(|at| replace(at, "mat_d", "material_e")).collect());
    for time in [backward, forward] {
        assert!(time < 8 * whole, "{time:?}, and {whole:?} for the whole text");
    }
    let symbols = client.request("textDocument/documentSymbol", json!({ "textDocument": uri }));
    assert_eq!(symbols.as_array().unwrap().len(), COUNT);
    assert_eq!(client.end(), Some(0));
}
