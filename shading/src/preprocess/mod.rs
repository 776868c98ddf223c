//! The preprocessor: source text with `#include`, macros and conditions goes in, text without them comes out.
//!
//! - The result is a [`Source`] that knows where each of its parts was written, so that all later steps treat it as they
//!   treat any text, and messages name the file, the macro and the `#include`s.
//! - A text that needs no preprocessing is handed back as it is.
//! - Files come from [`Includes`]; OSL's own headers are part of the crate.
//! - Nesting, the number of files and the amount of work are bounded, so that no text can take the machine.

mod condition;
mod directive;
mod error;
mod expand;
mod file;
mod header;
mod macros;
mod output;
mod token;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostics;
use crate::source::{FileIndex, Source};
use error::{Failure, PreprocessError};
use file::FileReader;
use macros::Macro;
use output::Output;
use token::Token;

/// Deepest nesting of `#include`, and of macros that expand to macros.
const MAX_NESTING: usize = 200;

/// Most files that one text may include.
const MAX_FILES: usize = 4096;

/// Most bytes of macros and files that are looked at for one text, apart from itself.
const MAX_WORK: usize = 64 << 20;

/// Finds the files that `#include` and `import` name.
pub trait Includes: Send + Sync {
    /// The file of that name as written in `from`: `"name"` when it is `quoted`, else `<name>`. `None` where there is
    /// none.
    ///
    /// # Errors
    /// Why a file that is there cannot be read.
    fn find(&self, name: &str, quoted: bool, from: &Source) -> Result<Option<Arc<Source>>, String>;
}

/// What is done to every text: where files are looked for, and which macros are known.
#[derive(Clone, Default)]
pub struct Preprocessor {
    includes: Option<Arc<dyn Includes>>,
    /// Directives that come before every text.
    prologue: String,
}

impl Preprocessor {
    /// A preprocessor that finds files by `includes`. The default one knows the language's own headers alone.
    pub fn new(includes: Arc<dyn Includes>) -> Preprocessor {
        Preprocessor {
            includes: Some(includes),
            prologue: String::new(),
        }
    }

    /// Defines a macro, as `NAME`, which makes it 1, or as `NAME=TEXT`.
    pub fn define(&mut self, definition: &str) {
        let (name, text) = definition.split_once('=').unwrap_or((definition, "1"));
        self.prologue += &format!("#define {name} {}\n", text.replace(['\n', '\r'], " "));
    }

    /// Forgets a macro.
    pub fn undefine(&mut self, name: &str) {
        self.prologue += &format!("#undef {name}\n");
    }

    /// Preprocesses a text.
    pub fn run(&self, source: Arc<Source>) -> (Arc<Source>, Diagnostics) {
        if self.prologue.is_empty() && !needs_work(&source.text) {
            return (source, Diagnostics::default());
        }
        let name = source.name.clone();
        let mut run = Run::new(self);
        if !self.prologue.is_empty() {
            run.enter(Source::new("<command line>", self.prologue.clone()), None);
            run.copy();
        }
        run.output.clear();
        run.imported.push(source.clone());
        run.enter(source, None);
        run.copy();
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

/// Whether a text holds anything that the preprocessor changes.
fn needs_work(text: &str) -> bool {
    text.contains('#')
        || text.contains("\\\n")
        || text.contains("\\\r\n")
        || text.contains("import")
        || macros::PREDEFINED.iter().any(|name| text.contains(name))
}

/// The preprocessing of one text.
struct Run<'a> {
    includes: Option<&'a dyn Includes>,
    macros: FxHashMap<Arc<str>, Arc<Macro>>,
    /// The files being read, outermost first.
    files: Vec<FileReader>,
    /// Tokens that were looked at ahead, the next one last.
    pending: Vec<Token>,
    output: Output,
    errors: Vec<(FileIndex, std::ops::Range<u32>, PreprocessError)>,
    /// Files read, by the file and the name that named them.
    known: FxHashMap<(String, String, bool), Option<Arc<Source>>>,
    /// Files that `#pragma once` wants only once.
    once: Vec<Arc<Source>>,
    /// Files that `import` has brought, and the text itself.
    imported: Vec<Arc<Source>>,
    /// How many files were entered.
    entered: usize,
    /// Bytes looked at.
    work: usize,
    /// What `__COUNTER__` gives next.
    counter: u32,
    /// Whether a bound was reached and nothing more is done.
    is_over: bool,
}

impl<'a> Run<'a> {
    fn new(options: &'a Preprocessor) -> Run<'a> {
        Run {
            includes: options.includes.as_deref(),
            macros: macros::predefined(),
            files: vec![],
            pending: vec![],
            output: Output::default(),
            errors: vec![],
            known: FxHashMap::default(),
            once: vec![],
            imported: vec![],
            entered: 0,
            work: 0,
            counter: 0,
            is_over: false,
        }
    }

    /// Copies the files being read to the output, with macros expanded.
    fn copy(&mut self) {
        while let Some(token) = self.next() {
            if let Err(failure) = self.copy_token(token) {
                self.fail(failure);
            }
        }
    }

    fn copy_token(&mut self, token: Token) -> Result<(), Failure> {
        if token.is_name()
            && let Some(found) = self.macros.get(&token.text).cloned()
        {
            return self.use_macro(token, &found);
        }
        self.output.text(&token);
        Ok(())
    }

    fn report(&mut self, file: FileIndex, range: std::ops::Range<u32>, error: PreprocessError) {
        if self.errors.len() < crate::diagnostic::MAX_ERRORS {
            self.errors.push((file, range, error));
        }
    }

    fn fail(&mut self, failure: Failure) {
        self.is_over |= failure.error.ends_work();
        self.report(failure.file, failure.range, failure.error);
        if self.is_over {
            self.files.clear();
            self.pending.clear();
        }
    }

    /// Counts work for the sake of the token at hand.
    fn charge(&mut self, bytes: usize, at: &Token) -> Result<(), Failure> {
        self.work += bytes + 1;
        if self.work > MAX_WORK {
            return Err(Failure::at(at, PreprocessError::TooMuch));
        }
        Ok(())
    }

    fn finish(self, name: String) -> (Arc<Source>, Diagnostics) {
        let (text, origin) = self.output.finish();
        let mut diagnostics = Diagnostics::default();
        for (file, range, error) in self.errors {
            diagnostics.push(error.diagnostic(&origin, file, range));
        }
        (Source::preprocessed(name, text, origin), diagnostics)
    }
}
