//! What editors show of Kiln's shading language and scenes: hover, completion, navigation, symbols, colours. All of it is
//! a function of texts in memory: there is no protocol, and nothing is written.
//!
//! ```
//! use shading_editor::{Document, Query, World, hover};
//! # struct Alone;
//! # impl shading_editor::Texts for Alone {
//! #     fn find(&self, _: &str, _: &std::path::Path) -> Option<std::sync::Arc<Document>> { None }
//! #     fn path(&self, _: &str, _: &std::path::Path) -> Option<std::path::PathBuf> { None }
//! #     fn list(&self, _: &std::path::Path) -> Vec<String> { vec![] }
//! # }
//! let document = Document::new("rings.ksl", "shader rings(float count = 4) {}");
//! let query = Query { world: &World::default(), texts: &Alone, document: &document };
//! let hover = hover(&query, 20).unwrap();
//! assert!(hover.text.contains("float count = 4"));
//! ```
//!
//! 1. [`Document`]: a text, its tokens, its syntax tree, and its index of definitions and references. Texts that do not
//!    parse have what the parser could save of them; the rest is found by tokens.
//! 2. [`World`]: what is built in, the shipped library, and the keys of scenes, which the embedder gives.
//! 3. [`Query`]: resolves names across texts. Each answer is a function of it.

#![deny(unsafe_code, missing_docs)]
#![warn(rustdoc::broken_intra_doc_links)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod action;
mod color;
mod completion;
mod cursor;
mod definition;
mod document;
mod edited_text;
mod finding;
mod highlight;
mod hover;
mod index;
mod inlay;
mod lines;
mod navigation;
mod query;
mod signature;
mod symbols;
mod token;
mod world;

pub use action::{Fix, fix};
pub use color::{ColorPlace, color_text, colors};
pub use completion::{Completion, CompletionKind, Completions, completions};
pub use definition::{BlockName, Definition, DefinitionId, DefinitionKind, Import, Reference, Target};
pub use document::{Document, Language, language_of};
pub use edited_text::EditedText;
pub use finding::{Finding, FindingPlace};
pub use highlight::{Highlight, Meaning, highlights};
pub use hover::{Hover, hover};
pub use index::Index;
pub use inlay::{Inlay, inlays};
pub use lines::{Lines, Position};
pub use navigation::{Location, definition, references, renamable, rename};
pub use query::{Found, Place, Query};
pub use signature::{Signature, Signatures, signatures};
pub use symbols::{Symbol, symbols};
pub use token::{Token, TokenKind};
pub use world::{BuiltinFunction, FunctionForm, KeyBlock, Keyword, Texts, World};
