//! Semantic tokens: the meaning of each word, for syntax colouring.

use std::ops::Range;

use crate::definition::{DefinitionKind, Target};
use crate::document::Document;
use crate::query::{Query, Resolution};
use crate::token::TokenKind;
use rustc_hash::FxHashMap;
use shading_syntax::token::{ITEM_WORDS, TYPES};

/// Meaning of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A keyword of the language or of scenes.
    Keyword,
    /// A type of the language.
    Type,
    /// A structure.
    Struct,
    /// A unit or group.
    Unit,
    /// A function or closure.
    Function,
    /// A parameter or output.
    Parameter,
    /// A variable, layer or object of a scene.
    Variable,
    /// A global variable or constant of the language.
    Constant,
    /// A field, or a key of a scene.
    Property,
    /// The kind of a declaration.
    Kind,
    /// A macro or a preprocessor directive.
    Macro,
    /// A number.
    Number,
    /// A string.
    Text,
    /// A comment.
    Comment,
}

impl Meaning {
    /// The meanings in the order of their numbers.
    pub const ALL: [Meaning; 14] = [
        Meaning::Keyword,
        Meaning::Type,
        Meaning::Struct,
        Meaning::Unit,
        Meaning::Function,
        Meaning::Parameter,
        Meaning::Variable,
        Meaning::Constant,
        Meaning::Property,
        Meaning::Kind,
        Meaning::Macro,
        Meaning::Number,
        Meaning::Text,
        Meaning::Comment,
    ];
}

/// A token with its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// Bytes.
    pub range: Range<usize>,
    /// Meaning.
    pub meaning: Meaning,
    /// True at the definition of the name.
    pub is_definition: bool,
}

/// Keywords besides those of items.
const KEYWORDS: [&str; 21] = [
    "import", "as", "with", "if", "else", "for", "while", "do", "break", "continue", "return", "const",
    "output", "true", "false", "and", "or", "not", "in", "out", "typeof",
];

/// Returns the meaning of each token of a text.
pub fn highlights(query: &Query<'_>) -> Vec<Highlight> {
    let document = query.document;
    let names = names(query);
    let tokens = document.tokens.iter();
    tokens
        .filter_map(|token| {
            let (meaning, is_definition) = match token.kind {
                TokenKind::Number => (Meaning::Number, false),
                TokenKind::Text => (Meaning::Text, false),
                TokenKind::Comment => (Meaning::Comment, false),
                TokenKind::Directive => (Meaning::Macro, false),
                TokenKind::Sign => return None,
                TokenKind::Word => match names.get(&token.range.start) {
                    Some(known) => *known,
                    None => (word(query, document, document.slice(token))?, false),
                },
            };
            Some(Highlight { range: token.range.clone(), meaning, is_definition })
        })
        .collect()
}

/// Returns the meanings of definitions and references by the start of their names.
fn names(query: &Query<'_>) -> FxHashMap<usize, (Meaning, bool)> {
    let index = &query.document.index;
    let mut names = FxHashMap::default();
    // Equal targets are resolved once.
    let mut known: FxHashMap<&Target, Option<Meaning>> = FxHashMap::default();
    for reference in index.references() {
        let meaning = match &reference.target {
            Target::Definition(id) => Some(of_kind(index.get(*id).kind)),
            target => *known
                .entry(target)
                .or_insert_with(|| query.resolve(target).map(|found| meaning(&found))),
        };
        if let Some(meaning) = meaning {
            names.insert(reference.range.start, (meaning, false));
        }
    }
    for (_, definition) in index.definitions() {
        if definition.kind != DefinitionKind::Setting {
            names.insert(definition.name_range.start, (of_kind(definition.kind), true));
        }
    }
    names
}

fn meaning(found: &Resolution<'_>) -> Meaning {
    match found {
        Resolution::Definition(place) => of_kind(place.definition().kind),
        Resolution::Function(_) | Resolution::Closures(_) => Meaning::Function,
        Resolution::Global(_) | Resolution::Ci | Resolution::Constant(_) => Meaning::Constant,
        Resolution::Key(..) => Meaning::Property,
        Resolution::Kind(_) => Meaning::Kind,
    }
}

fn of_kind(kind: DefinitionKind) -> Meaning {
    match kind {
        DefinitionKind::Unit | DefinitionKind::Group => Meaning::Unit,
        DefinitionKind::Function => Meaning::Function,
        DefinitionKind::Struct => Meaning::Struct,
        DefinitionKind::Field => Meaning::Property,
        DefinitionKind::Param | DefinitionKind::Output => Meaning::Parameter,
        DefinitionKind::Variable | DefinitionKind::Layer | DefinitionKind::Object => Meaning::Variable,
        DefinitionKind::Macro => Meaning::Macro,
        DefinitionKind::Setting => Meaning::Keyword,
    }
}

fn word(query: &Query<'_>, document: &Document, text: &str) -> Option<Meaning> {
    if text == "any" || TYPES.contains(&text) {
        return Some(Meaning::Type);
    }
    let is_keyword = ITEM_WORDS.contains(&text)
        || KEYWORDS.contains(&text)
        || document.language() == crate::document::Language::Scene
            && query.vocabulary.keywords.iter().any(|keyword| keyword.name == text);
    is_keyword.then_some(Meaning::Keyword)
}
