//! Answers while texts have syntax errors from random edits.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::client::{Client, position};

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// The shipped shaders and scenes.
fn shipped() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let mut list = vec![];
    for folder in ["shaders", "scenes"] {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        list.extend(entries.filter(|path| path.extension().is_some_and(|e| e == "ksl" || e == "kiln")));
    }
    list.sort();
    list
}

const METHODS: [&str; 11] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/semanticTokens/full",
    "textDocument/documentColor",
    "textDocument/inlayHint",
    "workspace/symbol",
];

/// Texts that edits insert.
const INSERTED: [&str; 16] = [
    "(",
    ")",
    "{",
    "}",
    ";",
    "\"",
    ".",
    ",",
    "=",
    "#",
    "/*",
    "\n",
    "€😀",
    "[[",
    "shader x(",
    "matte a(albedo = ",
];

#[test]
fn answers_come_within_50_ms_while_texts_are_broken() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let mut client = Client::start(&root);
    let mut texts: Vec<(String, String)> = shipped()
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    for (name, text) in &texts {
        client.open(name, text);
    }
    let mut random = Random(7);
    let mut worst = (Duration::ZERO, String::new());
    let mut total = Duration::ZERO;
    for round in 0..200 {
        let at = random.below(texts.len());
        let (name, text) = &mut texts[at];
        let boundary = |text: &str, at: usize| text.floor_char_boundary(at);
        let start = boundary(text, random.below(text.len()));
        let end = boundary(text, (start + random.below(12)).min(text.len()));
        let inserted = INSERTED[random.below(INSERTED.len())];
        let change = json!({
            "range": { "start": position(text, start), "end": position(text, end) },
            "text": inserted,
        });
        text.replace_range(start..end, inserted);
        let uri = client.uri(name);
        client.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": round + 2 }, "contentChanges": [change] }),
        );
        let method = METHODS[random.below(METHODS.len())];
        // At the edited offset or at a random one.
        let place = if round % 2 == 0 {
            start + inserted.len()
        } else {
            boundary(text, random.below(text.len()))
        };
        let params = json!({
            "textDocument": { "uri": uri },
            "position": position(text, place),
            "context": { "includeDeclaration": true, "triggerKind": 1, "isRetrigger": false },
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } },
            "query": "a",
        });
        let (answer, time) = client.timed(method, &params);
        assert!(answer.get("error").is_none(), "{method} in {name}: {answer}\n{text}");
        total += time;
        if time > worst.0 {
            worst = (time, format!("{method} in {name}"));
        }
    }
    println!(
        "200 answers: {:.1?} on average, {:.1?} at worst ({})",
        total / 200,
        worst.0,
        worst.1
    );
    assert!(worst.0 < Duration::from_millis(50), "{worst:?}");
    // After the text is restored, the server reports no errors.
    let matte = shipped().into_iter().find(|path| path.ends_with("matte.ksl")).unwrap();
    client.change("matte.ksl", &fs::read_to_string(matte).unwrap());
    while !client.diagnostics("matte.ksl").is_empty() {}
    assert_eq!(client.end(), Some(0));
}
