//! State shared by the declaration readers: sources, diagnostics, search folders.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use shading::syntax::{ast, parse_into};
use shading::{Diagnostic, Diagnostics, Preprocessor, Severity, Source, SourceId, SourceMap, Span};

use renderer_base::files::{FileKind, Files, SharedFiles};

/// State of one load. Errors are collected and reading continues, so that all are reported together.
#[derive(Debug, Default)]
pub(super) struct LoadContext {
    pub(super) sources: SourceMap,
    pub(super) diagnostics: Diagnostics,
    /// Paths of all files that were read.
    pub(super) files: Vec<PathBuf>,
    /// File system in which named files are looked up.
    pub(super) file_system: SharedFiles,
    preprocessor: Preprocessor,
    /// Base directory of the file names in each source.
    directories: FxHashMap<SourceId, PathBuf>,
}

impl LoadContext {
    /// Creates the state of a load.
    pub(super) fn new(file_system: SharedFiles, preprocessor: Preprocessor) -> LoadContext {
        LoadContext { file_system, preprocessor, ..LoadContext::default() }
    }

    /// Parses a text in which file names are relative to `directory`; collects its errors.
    pub(super) fn parse(&mut self, source: Arc<Source>, directory: &Path) -> (SourceId, ast::File) {
        let mut source = source;
        if is_shader_source(&source.name) {
            let (preprocessed, diagnostics) = self.preprocessor.run(source);
            self.diagnostics.list.extend(diagnostics.list);
            self.files.extend(
                preprocessed
                    .included()
                    .map(|file| PathBuf::from(&file.name))
                    .filter(|file| self.file_system.is_file(file)),
            );
            source = preprocessed;
        }
        // Id that the parser gives to the next source.
        let id = SourceId(self.sources.len() as u32);
        let (file, diagnostics) = parse_into(std::mem::take(&mut self.sources), source);
        self.sources = file.sources.clone();
        self.directories.insert(id, directory.to_owned());
        self.diagnostics.list.extend(diagnostics.list);
        (id, file)
    }

    /// Adds a source whose declarations are not parsed from its text; file names in them are relative to `directory`.
    /// Returns the span of the whole text.
    pub(super) fn add_source(&mut self, source: Arc<Source>, directory: &Path) -> Span {
        let end = source.text.len() as u32;
        let source = self.sources.add(source);
        self.directories.insert(source, directory.to_owned());
        Span { source, start: 0, end }
    }

    /// Adds sources to a context without any, so that their spans stay valid. See [`LoadContext::add_source`].
    pub(super) fn add_sources(&mut self, sources: &SourceMap, directory: &Path) {
        for source in sources.iter() {
            self.add_source(source.clone(), directory);
        }
    }

    /// Reports an error.
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        let diagnostic = self.error_at(span, message);
        self.diagnostics.push(diagnostic);
    }

    /// Creates an error with its source location, without reporting it.
    pub(super) fn error_at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at(&self.sources, span, "")
    }

    /// Number of errors so far.
    pub(super) fn errors(&self) -> usize {
        let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        self.diagnostics.list.iter().filter(is_error).count()
    }

    /// Reports a warning.
    pub(super) fn warning(&mut self, span: Span, message: impl Into<String>) {
        let diagnostic = Diagnostic::warning(message).at(&self.sources, span, "");
        self.diagnostics.push(diagnostic);
    }

    /// Reports a diagnostic that was created elsewhere.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Path of a file named at `span`: relative to the directory of the text that names it.
    pub(super) fn resolve(&self, span: Span, name: &str) -> PathBuf {
        match self.directories.get(&span.source) {
            Some(directory) => directory.join(name),
            None => PathBuf::from(name),
        }
    }

    /// Path of a file named at `span`; reports an error if the file does not exist.
    pub(super) fn existing_file(&mut self, span: Span, name: &str) -> Option<PathBuf> {
        let path = self.resolve(span, name);
        match self.file_system.kind(&path) {
            Ok(FileKind::File) => {
                self.files.push(path.clone());
                Some(path)
            }
            Ok(_) => {
                self.error(span, format!("{} is not a file", path.display()));
                None
            }
            Err(error) => {
                let reason = read_failure(&error);
                let diagnostic = self.error_at(span, format!("cannot read {}: {reason}", path.display()));
                let diagnostic = match neighbour(&*self.file_system, &path) {
                    Some(name) => diagnostic.hint(format!("there is a file `{name}` in that directory")),
                    None => diagnostic,
                };
                self.push(diagnostic);
                None
            }
        }
    }
}

/// Returns whether a file name is that of a shader source rather than of a scene.
pub(super) fn is_shader_source(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(OsStr::to_str).unwrap_or_default();
    ["ksl", "osl", "tsl"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Short reason why a file could not be read.
pub(super) fn read_failure(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// Finds a file with nearly the same name in the directory of a missing one.
fn neighbour(files: &dyn Files, path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let names = files.list(path.parent()?);
    shading::diagnostic::nearest(wanted, names.iter().map(String::as_str)).map(str::to_owned)
}
