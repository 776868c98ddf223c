//! Services answer every query quickly while the shipped texts are edited at random.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use shading_editor::{
    Document, FileLookup, Query, Vocabulary, colors, completions, definition, highlights, hover, inlays,
    references, rename, signatures, symbols,
};

struct NoFiles;

impl FileLookup for NoFiles {
    fn find(&self, _: &str, _: &Path) -> Option<Arc<Document>> {
        None
    }

    fn path(&self, _: &str, _: &Path) -> Option<PathBuf> {
        None
    }

    fn list(&self, _: &Path) -> Vec<String> {
        vec![]
    }
}

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

const INSERTED: [&str; 20] = [
    "(",
    ")",
    "{",
    "}",
    ";",
    "\"",
    ".",
    ",",
    "=",
    "#define ",
    "/*",
    "*/",
    "\n",
    "\r",
    "€😀",
    "[[",
    "]]",
    "\u{feff}",
    "group g(",
    "with { P = ",
];

fn texts(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = paths.filter(|path| path.extension().is_some_and(|e| e == "ksl" || e == "kiln"));
    let mut texts: Vec<(String, String)> = texts
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    texts.sort();
    texts
}

/// Computes all services at an offset, and returns the time.
fn ask(vocabulary: &Vocabulary, document: &Arc<Document>, offset: usize) -> Duration {
    let start = Instant::now();
    let query = Query { vocabulary, files: &NoFiles, document };
    hover(&query, offset);
    let found = completions(&query, offset);
    assert!(document.text.get(found.range).is_some());
    signatures(&query, offset);
    definition(&query, offset);
    references(&query, offset, &[], true);
    let places = rename(&query, offset, "another_name", &[]).unwrap_or_default();
    assert!(places.iter().all(|place| document.text.get(place.range.clone()).is_some()));
    for symbol in symbols(document) {
        assert!(symbol.range.start <= symbol.name_range.start && symbol.name_range.end <= symbol.range.end);
    }
    highlights(&query);
    colors(&query);
    inlays(&query, 0..document.text.len());
    start.elapsed()
}

#[test]
fn no_edit_breaks_an_answer() {
    let shaders = texts("shaders");
    let library = shaders.iter().map(|(name, text)| {
        let unit = name.strip_suffix(".ksl").unwrap().to_owned();
        (unit, Document::new(format!("library/{name}"), text.clone()))
    });
    let vocabulary = Vocabulary::default().with_library(library);
    let mut random = Random(3);
    let mut worst = Duration::ZERO;
    for (name, original) in shaders.iter().chain(&texts("scenes")) {
        let mut text = original.clone();
        for round in 0..40 {
            let start = text.floor_char_boundary(random.below(text.len()));
            let end = text.ceil_char_boundary((start + random.below(30)).min(text.len()));
            text.replace_range(start..end, INSERTED[random.below(INSERTED.len())]);
            let document = Document::new(name, text.clone());
            for offset in [start, random.below(text.len()), text.len()] {
                worst = worst.max(ask(&vocabulary, &document, document.text.floor_char_boundary(offset)));
            }
            if round % 10 == 9 {
                text.clone_from(original);
            }
        }
    }
    println!("all answers about a place: {worst:.1?} at worst");
}
