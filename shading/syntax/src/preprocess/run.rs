//! State and limits of one preprocessor run.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::{Failure, PreprocessError};
use super::macros::{self, Macro};
use super::output::Output;
use super::reader::FileReader;
use super::token::Token;
use crate::diagnostic::Diagnostics;
use crate::source::{FileIndex, Source};

/// Maximum nesting of `#include`, and of macro expansions.
pub(super) const MAX_NESTING: usize = 200;

/// Maximum number of files included by one text.
pub(super) const MAX_FILES: usize = 4096;

/// Maximum total size in bytes of the files included by one text.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// Maximum number of bytes of macro text processed for one text.
pub(super) const MAX_WORK: usize = 8 << 20;

/// Lookup of the files named by `#include` and `import`.
pub trait Includes: Send + Sync {
    /// Returns the file named `name` in source `from`: written `"name"` if `quoted`, else `<name>`. `None` if there is
    /// none.
    ///
    /// # Errors
    /// The reason why an existing file cannot be read.
    fn find(&self, name: &str, quoted: bool, from: &Source) -> Result<Option<Arc<Source>>, String>;

    /// The renderer's own `stdosl.h`, which is prepended to every OSL text. OSL's version is built in.
    fn standard(&self) -> Option<Arc<Source>> {
        None
    }
}

/// State of preprocessing one text.
pub(super) struct Run<'a> {
    pub(super) includes: Option<&'a dyn Includes>,
    pub(super) macros: FxHashMap<Arc<str>, Arc<Macro>>,
    /// Open files, outermost first.
    pub(super) files: Vec<FileReader>,
    /// Tokens read ahead, the next one last.
    pub(super) pending: Vec<Token>,
    pub(super) output: Output,
    pub(super) errors: Vec<(FileIndex, std::ops::Range<u32>, PreprocessError)>,
    /// Files read, keyed by the including file, the name, and whether it was quoted.
    pub(super) known: FxHashMap<(String, String, bool), Option<Arc<Source>>>,
    /// Files with `#pragma once`.
    pub(super) once: Vec<Arc<Source>>,
    /// Files read by `import`, and the text itself.
    pub(super) imported: Vec<Arc<Source>>,
    /// Number of files entered.
    pub(super) entered: usize,
    /// Total bytes of the files entered.
    pub(super) bytes: usize,
    /// Bytes of macro text processed.
    pub(super) work: usize,
    /// Next value of `__COUNTER__`.
    pub(super) counter: u32,
    /// True if a limit was reached; processing then ends.
    pub(super) is_over: bool,
}

impl<'a> Run<'a> {
    pub(super) fn new(includes: Option<&'a dyn Includes>) -> Run<'a> {
        Run {
            includes,
            macros: macros::predefined(),
            files: vec![],
            pending: vec![],
            output: Output::default(),
            errors: vec![],
            known: FxHashMap::default(),
            once: vec![],
            imported: vec![],
            entered: 0,
            bytes: 0,
            work: 0,
            counter: 0,
            is_over: false,
        }
    }

    /// Copies the open files to the output, with macros expanded.
    pub(super) fn copy(&mut self) {
        loop {
            self.copy_plain();
            let Some(token) = self.next() else { break };
            if let Err(failure) = self.copy_token(token) {
                self.fail(failure);
            }
        }
    }

    pub(super) fn copy_token(&mut self, token: Token) -> Result<(), Failure> {
        if token.is_name()
            && let Some(found) = self.macros.get(&token.text).cloned()
        {
            return self.use_macro(token, &found);
        }
        self.output.text(&token);
        Ok(())
    }

    pub(super) fn report(&mut self, file: FileIndex, range: std::ops::Range<u32>, error: PreprocessError) {
        if self.errors.len() < crate::diagnostic::MAX_ERRORS {
            self.errors.push((file, range, error));
        }
    }

    pub(super) fn fail(&mut self, failure: Failure) {
        self.is_over |= failure.error.ends_work();
        self.report(failure.file, failure.range, failure.error);
        if self.is_over {
            self.files.clear();
            self.pending.clear();
        }
    }

    /// Charges processed bytes to the work limit; `at` is the token reported if it is exceeded.
    pub(super) fn charge(&mut self, bytes: usize, at: &Token) -> Result<(), Failure> {
        self.work += bytes + 1;
        if self.work > MAX_WORK {
            return Err(Failure::at(at, PreprocessError::TooMuch));
        }
        Ok(())
    }

    pub(super) fn finish(self, name: String) -> (Arc<Source>, Diagnostics) {
        let (text, origin) = self.output.finish();
        let mut diagnostics = Diagnostics::default();
        for (file, range, error) in self.errors {
            diagnostics.push(error.diagnostic(&origin, file, range));
        }
        (Source::preprocessed(name, text, origin), diagnostics)
    }
}
