//! Units and groups of a gallery, as data.

use std::path::{Path, PathBuf};

use shading::graph::ParamInfo;
use shading::syntax::ast::Item;
use shading::{Diagnostics, Source, Template};

use super::param::Param;
use renderer_inputs::metadata::{metadata_of, text_of};
use renderer_inputs::stage::{self, NamedShader, UnitExample};

/// Origin of a unit or group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Shipped with the program.
    Shipped,
    /// A file of the user's.
    File(PathBuf),
}

/// A unit or group, or a file that has errors.
pub(super) struct Entry {
    /// Unique in the gallery: anchor in the page, and name of the picture.
    pub(super) id: String,
    pub(super) name: String,
    /// The name in words.
    pub(super) label: String,
    pub(super) help: String,
    pub(super) category: String,
    /// Other names that it is searched by.
    pub(super) aliases: String,
    /// `surface`, `shader`, `group` …
    pub(super) kind: &'static str,
    pub(super) origin: Origin,
    pub(super) inputs: Vec<Param>,
    pub(super) outputs: Vec<Param>,
    /// The unit at work.
    pub(super) example: Option<UnitExample>,
    /// Source text.
    pub(super) source: String,
    pub(super) shown: Shown,
}

/// Picture of an entry.
pub(super) enum Shown {
    /// Not rendered yet.
    Unmade,
    /// A picture: its file in the folder, its width and height.
    Picture(String, (u32, u32)),
    /// No picture, for this reason.
    Nothing(String),
    /// Errors.
    Wrong(String),
}

impl Entry {
    /// A unit or group of a source text.
    pub(super) fn new(template: &Template, origin: &Origin, source: &Source, is_alone: bool) -> Entry {
        let has_example = text_of(metadata_of(template), "example").is_some();
        let metadata = metadata_of(template);
        let text = |name| text_of(metadata, name).unwrap_or_default().to_owned();
        let name = template.name().to_owned();
        let params = template.params().unwrap_or_default();
        let (outputs, inputs): (Vec<&ParamInfo>, Vec<&ParamInfo>) =
            params.iter().partition(|param| param.output);
        Entry {
            id: String::new(),
            label: match text_of(metadata, "label") {
                Some(label) => label.to_owned(),
                None => in_words(&name),
            },
            help: text("help"),
            category: text_of(metadata, "category").unwrap_or("other").to_owned(),
            aliases: text("aliases"),
            kind: match template {
                Template::Unit(unit) => unit.hir.kind.name(),
                Template::Group(_) => "group",
            },
            origin: origin.clone(),
            inputs: inputs.into_iter().map(Param::new).collect(),
            outputs: outputs.into_iter().map(Param::new).collect(),
            source: match is_alone {
                true => source.text.clone(),
                false => own_text(source, &name),
            },
            shown: match stage::refusal(template) {
                Some(error) if !has_example => Shown::Nothing(error.message),
                _ => Shown::Unmade,
            },
            example: None,
            name,
        }
    }

    /// A file that has errors.
    pub(super) fn of_errors(file: &Path, source: &Source, errors: &Diagnostics) -> Entry {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Entry {
            id: String::new(),
            label: in_words(&name),
            help: file.display().to_string(),
            category: "other".to_owned(),
            aliases: String::new(),
            kind: "file",
            origin: Origin::File(file.to_owned()),
            inputs: vec![],
            outputs: vec![],
            example: None,
            source: source.text.clone(),
            shown: Shown::Wrong(errors.to_string()),
            name,
        }
    }

    pub(super) fn is_wrong(&self) -> bool {
        matches!(self.shown, Shown::Wrong(_))
    }

    /// Marks it as one that has errors.
    pub(super) fn fail(&mut self, errors: &Diagnostics) {
        self.shown = Shown::Wrong(errors.to_string());
    }

    /// Name of the entry on the command line.
    pub(super) fn word(&self) -> String {
        match &self.origin {
            Origin::Shipped => self.name.clone(),
            Origin::File(file) => format!("{}:{}", file.display(), self.name),
        }
    }

    /// Name of the entry for the stage: `word` is the one of [`Entry::word`].
    pub(super) fn shader<'w>(&self, word: &'w str) -> NamedShader<'w> {
        match self.origin {
            Origin::Shipped => NamedShader::Shipped(word),
            Origin::File(_) => NamedShader::Word(word),
        }
    }

    /// The output that is a surface.
    pub(super) fn surface(&self) -> Option<&Param> {
        self.outputs.iter().find(|output| output.is_closure)
    }
}

/// A name in words: `Fbm`, `Color ramp`.
fn in_words(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut chars = words.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => words,
    }
}

/// Source text of a unit with the comment before it; the whole file if the unit is not found, for example because a
/// macro generates it.
fn own_text(source: &Source, name: &str) -> String {
    let text = &source.text;
    let (file, _) = shading::syntax::parse(Source::new(source.name.clone(), text.clone()));
    let span = file.items.iter().find_map(|item| match item {
        Item::Unit(unit) if unit.name.text == name => Some(unit.span),
        Item::Group(group) if group.name.text == name => Some(group.span),
        _ => None,
    });
    let range = span.map(|span| span.start as usize..span.end as usize);
    let Some(own) = range.clone().and_then(|range| text.get(range)) else {
        return text.clone();
    };
    let before = &text[..range.map_or(0, |range| range.start)];
    let comment = before.trim_end_matches([' ', '\t']);
    let lines = comment.lines().rev().take_while(|line| line.trim_start().starts_with("//"));
    let count = lines.count();
    let all: Vec<&str> = comment.lines().collect();
    let mut own_lines: Vec<&str> = all[all.len() - count..].to_vec();
    own_lines.push(own);
    own_lines.join("\n")
}
