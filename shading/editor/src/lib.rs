//! Language services for Kiln's shading language and scenes: hover, completion, navigation, symbols, colours. All are
//! functions of texts in memory; the crate knows no protocol and writes no files.
//!
//! ```
//! use shading_editor::{Document, Query, Vocabulary, hover};
//! # struct NoFiles;
//! # impl shading_editor::FileLookup for NoFiles {
//! #     fn find(&self, _: &str, _: &std::path::Path) -> Option<std::sync::Arc<Document>> { None }
//! #     fn path(&self, _: &str, _: &std::path::Path) -> Option<std::path::PathBuf> { None }
//! #     fn list(&self, _: &std::path::Path) -> Vec<String> { vec![] }
//! # }
//! let document = Document::new("rings.ksl", "shader rings(float count = 4) {}");
//! let query = Query { vocabulary: &Vocabulary::default(), files: &NoFiles, document: &document };
//! let hover = hover(&query, 20).unwrap();
//! assert!(hover.text.contains("float count = 4"));
//! ```
//!
//! 1. [`Document`]: a text with its tokens, its syntax tree, and its index of definitions and references. The names of items
//!    that do not parse are found by tokens.
//! 2. [`Vocabulary`]: built-in names, the shipped library, and the keys of scenes, which the embedder provides.
//! 3. [`Query`]: resolves names across texts. Each service is a function of a query.

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
mod vocabulary;

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
pub use query::{DefinitionPlace, Query, Resolution};
pub use signature::{Signature, Signatures, signatures};
pub use symbols::{Symbol, symbols};
pub use token::{Token, TokenKind};
pub use vocabulary::{BuiltinFunction, FileLookup, FunctionForm, KeyBlock, Keyword, Vocabulary};
