//! State and bounds of one preprocessor run.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::{Failure, PreprocessError};
use super::macros::{self, Macro};
use super::output::Output;
use super::reader::FileReader;
use super::token::Token;
use crate::diagnostic::Diagnostics;
use crate::source::{FileIndex, Source};

/// Deepest nesting of `#include`, and of macros that expand to macros.
pub(super) const MAX_NESTING: usize = 200;

/// Most files that one text may include.
pub(super) const MAX_FILES: usize = 4096;

/// Most bytes that the files have together that one text includes.
pub(super) const MAX_BYTES: usize = 64 << 20;

/// Most bytes of macros that are looked at for one text.
pub(super) const MAX_WORK: usize = 8 << 20;

/// Finds the files that `#include` and `import` name.
pub trait Includes: Send + Sync {
    /// The file of that name as written in `from`: `"name"` when it is `quoted`, else `<name>`. `None` where there is
    /// none.
    ///
    /// # Errors
    /// Why a file that is there cannot be read.
    fn find(&self, name: &str, quoted: bool, from: &Source) -> Result<Option<Arc<Source>>, String>;

    /// A renderer's own `stdosl.h`, which every text in OSL begins with. OSL's is built in.
    fn standard(&self) -> Option<Arc<Source>> {
        None
    }
}

/// The preprocessing of one text.
pub(super) struct Run<'a> {
    pub(super) includes: Option<&'a dyn Includes>,
    pub(super) macros: FxHashMap<Arc<str>, Arc<Macro>>,
    /// The files being read, outermost first.
    pub(super) files: Vec<FileReader>,
    /// Tokens that were looked at ahead, the next one last.
    pub(super) pending: Vec<Token>,
    pub(super) output: Output,
    pub(super) errors: Vec<(FileIndex, std::ops::Range<u32>, PreprocessError)>,
    /// Files read, by the file and the name that named them.
    pub(super) known: FxHashMap<(String, String, bool), Option<Arc<Source>>>,
    /// Files that `#pragma once` wants only once.
    pub(super) once: Vec<Arc<Source>>,
    /// Files that `import` has brought, and the text itself.
    pub(super) imported: Vec<Arc<Source>>,
    /// How many files were entered.
    pub(super) entered: usize,
    /// Bytes of the files entered.
    pub(super) bytes: usize,
    /// Bytes of macros looked at.
    pub(super) work: usize,
    /// What `__COUNTER__` gives next.
    pub(super) counter: u32,
    /// Whether a bound was reached and nothing more is done.
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

    /// Copies the files being read to the output, with macros expanded.
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

    /// Counts work for the sake of the token at hand.
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
