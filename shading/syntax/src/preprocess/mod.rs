//! The preprocessor: expands `#include`, macros and conditions of a source text.
//!
//! - The result is a [`Source`] with provenance: later steps treat it like any text, and messages name the original
//!   file, macro and `#include`s.
//! - A text without directives and macros is returned unchanged.
//! - Files come from [`Includes`]; OSL's own headers are part of the crate.
//! - Nesting, the number of files and the amount of work are bounded, so that no input exhausts time or memory.

mod condition;
mod directive;
mod error;
mod expand;
mod file;
mod header;
mod macros;
mod output;
mod reader;
mod run;
mod token;

use std::sync::Arc;

use crate::diagnostic::Diagnostics;
use crate::source::Source;
pub use macros::OSL_VERSION;
pub use run::Includes;
use run::{MAX_BYTES, Run};

/// Preprocessor settings for all texts: the include lookup and the predefined macros.
#[derive(Clone, Default)]
pub struct Preprocessor {
    includes: Option<Arc<dyn Includes>>,
    /// Directives processed before every text.
    prologue: String,
}

impl Preprocessor {
    /// Creates a preprocessor that finds files with `includes`. The default preprocessor has the language's own headers
    /// only.
    pub fn new(includes: Arc<dyn Includes>) -> Preprocessor {
        Preprocessor { includes: Some(includes), prologue: String::new() }
    }

    /// Defines a macro by `NAME` (defined as 1) or `NAME=TEXT`.
    pub fn define(&mut self, definition: &str) {
        let (name, text) = definition.split_once('=').unwrap_or((definition, "1"));
        self.prologue += &format!("#define {name} {}\n", text.replace(['\n', '\r'], " "));
    }

    /// Undefines a macro.
    pub fn undefine(&mut self, name: &str) {
        self.prologue += &format!("#undef {name}\n");
    }

    /// Preprocesses a text.
    pub fn run(&self, source: Arc<Source>) -> (Arc<Source>, Diagnostics) {
        // The parser rejects texts that exceed the range of byte offsets.
        let is_too_long = source.text.len() > MAX_BYTES;
        let standard = match &self.includes {
            Some(includes) if source.name.ends_with(".osl") => includes.standard(),
            _ => None,
        };
        let is_plain = self.prologue.is_empty() && standard.is_none() && !needs_work(&source.text);
        if is_too_long || is_plain {
            return (source, Diagnostics::default());
        }
        let name = source.name.clone();
        let mut run = Run::new(self.includes.as_deref());
        if !self.prologue.is_empty() {
            run.enter(Source::new("<command line>", self.prologue.clone()), None);
            run.copy();
        }
        run.output.clear();
        run.imported.push(source.clone());
        if standard.is_some() {
            run.macros.remove(header::GUARD);
        }
        for text in standard.into_iter().chain([source]) {
            run.enter(text, None);
            run.copy();
        }
        run.finish(name)
    }
}

impl std::fmt::Debug for Preprocessor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Preprocessor")
            .field("prologue", &self.prologue)
            .finish_non_exhaustive()
    }
}

/// Returns whether a text contains anything that the preprocessor changes.
fn needs_work(text: &str) -> bool {
    text.contains('#')
        || text.contains("\\\n")
        || text.contains("\\\r\n")
        || text.contains("import")
        || macros::PREDEFINED.iter().any(|name| text.contains(name))
}
