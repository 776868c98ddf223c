//! Global names: keys of scenes, closures, the shipped library.

use std::path::PathBuf;

use shading_editor::{Document, KeyBlock, Keyword, Vocabulary};

use renderer_load::reference;
use renderer_transport::material::{closure_registry, library};

/// Declarations of scenes and their kinds.
const KEYWORDS: [(&str, &str); 12] = [
    ("film", "size of the picture, its filter and passes"),
    ("sampler", "random numbers of the samples"),
    ("scene", "what all of the scene is in"),
    ("integrator", "light transport algorithm"),
    ("camera", "a camera"),
    ("material", "a material: the call of a unit or group"),
    ("shape", "a shape"),
    ("light", "a light"),
    ("import", "a model, or another text"),
    ("assign", "replaces a material of an import or a shape"),
    ("override", "another surface for all shapes, as rays of a kind see them"),
    ("group", "a group of units"),
];

/// Kinds that have no keys of their own.
const MORE_KINDS: [(&str, &str); 2] = [("camera", "panoramic"), ("integrator", "auto")];

/// Creates the tables.
pub(super) fn world() -> Vocabulary {
    let keys: Vec<KeyBlock> = reference().iter().map(|block| key_block(block.title, &block.keys)).collect();
    let closures = closure_registry();
    let mut world = Vocabulary::default();
    world.keywords = keywords(&keys);
    world.keys = keys;
    world.closures = closures.iter().map(|(_, signature)| signature.clone()).collect();
    let shipped = library::names().into_iter().filter_map(|name| {
        let source = library::find(name)?;
        let path = shipped_path(&source.name);
        Some((name.to_owned(), Document::new(path, source.text.clone())))
    });
    world.with_library(shipped)
}

/// Path that stands for a shipped text: no file has it.
pub(super) fn shipped_path(name: &str) -> PathBuf {
    PathBuf::from("<kiln>").join(name)
}

fn keywords(keys: &[KeyBlock]) -> Vec<Keyword> {
    let keyword = |(name, help): (&str, &str)| {
        let own = keys.iter().filter(|block| block.keyword == name);
        let more = MORE_KINDS.iter().filter(|(keyword, _)| *keyword == name);
        let mut kinds: Vec<String> = own.flat_map(|block| block.kinds.clone()).collect();
        kinds.extend(more.map(|(_, kind)| (*kind).to_owned()));
        kinds.sort();
        kinds.dedup();
        Keyword { name: name.to_owned(), help: help.to_owned(), kinds }
    };
    KEYWORDS.into_iter().map(keyword).collect()
}

/// A block of the reference by its title, such as `light NAME : point or spot`.
fn key_block(title: &str, keys: &[(&'static str, &'static str)]) -> KeyBlock {
    let (head, kinds) = title.split_once(" : ").unwrap_or((title, ""));
    let kinds = kinds.split(',').next().unwrap_or_default();
    let kinds: Vec<String> = match kinds {
        "" | "any kind" => vec![],
        kinds => kinds.split(" or ").map(str::to_owned).collect(),
    };
    let keyword = match title {
        "transforms" | "further functions" => "",
        _ => head.split(' ').next().unwrap_or_default(),
    };
    KeyBlock {
        keyword: keyword.to_owned(),
        kinds,
        keys: keys
            .iter()
            .map(|(name, help)| ((*name).to_owned(), (*help).to_owned()))
            .collect(),
    }
}
