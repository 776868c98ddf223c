//! Finds the units and groups of a gallery: those of files and folders, or what ships.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use shading::{Diagnostic, Diagnostics, Preprocessor, ShadingSystem, Source, Template};

use super::entry::{Entry, Origin};
use renderer_inputs::{shader_file, stage};
use renderer_transport::material::{Host, library};
use renderer_transport::scene::build::shading_system;

/// Most files of folders.
const MAX_FILES: usize = 10_000;

/// The units and groups of a gallery.
pub(super) struct Library {
    pub(super) entries: Vec<Entry>,
    /// Files that were read.
    pub(super) files: Vec<PathBuf>,
    /// Warnings and errors of the sources.
    pub(super) problems: Diagnostics,
}

impl Library {
    /// The units and groups of files and folders, or what ships if there are none.
    ///
    /// # Errors
    /// If a name is that of no file of shaders.
    pub(super) fn find(
        paths: &[PathBuf],
        preprocessor: impl Fn() -> Preprocessor,
    ) -> Result<Library, Diagnostic> {
        let mut library = Library {
            entries: vec![],
            files: vec![],
            problems: Diagnostics::default(),
        };
        if paths.is_empty() {
            library.add_shipped(preprocessor());
        }
        for path in files(paths)? {
            library.add_file(&path, preprocessor());
            library.files.push(path);
        }
        if library.entries.is_empty() {
            return Err(Diagnostic::error("there are no shaders to show").hint(
                "shader files end in .ksl, .osl or .tsl; without a name, the shipped library is shown",
            ));
        }
        library.name_entries();
        Ok(library)
    }

    fn add_shipped(&mut self, preprocessor: Preprocessor) {
        let system = shading_system(Arc::new(Host::new(vec![])), preprocessor);
        for name in library::names() {
            // The library that ships compiles, as tests see to.
            if let (Some(template), Some(source)) = (system.template(name), library::find(name)) {
                self.add(&template, &system, Entry::new(&template, &Origin::Shipped, &source, true));
            }
        }
    }

    fn add_file(&mut self, path: &Path, preprocessor: Preprocessor) {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let system = shading_system(Arc::new(Host::new(vec![folder])), preprocessor);
        let found = shader_file::find(&system, path);
        let source = shader_file::read_source(path).unwrap_or_else(|_| Source::new("", ""));
        match found {
            Ok(found) => {
                let is_alone = found.templates.len() == 1;
                let origin = Origin::File(path.to_owned());
                for template in &found.templates {
                    self.add(template, &system, Entry::new(template, &origin, &source, is_alone));
                }
                self.problems.add_new(found.warnings.list);
            }
            Err(errors) => {
                self.entries.push(Entry::of_errors(path, &source, &errors));
                self.problems.add_new(errors.list);
            }
        }
    }

    fn add(&mut self, template: &Template, system: &ShadingSystem, mut entry: Entry) {
        let checked = system.check(template).and_then(|()| stage::example(template, system));
        match checked {
            Ok(example) => entry.example = example,
            Err(errors) => {
                entry.fail(&errors);
                self.problems.add_new(errors.list);
            }
        }
        self.entries.push(entry);
    }

    /// Makes the names of entries unique: units of several files may share a name.
    fn name_entries(&mut self) {
        let mut known = FxHashSet::default();
        for entry in &mut self.entries {
            let base: String = (entry.name.chars())
                .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' })
                .collect();
            let mut id = base.clone();
            let mut number = 1;
            // Some file systems ignore case.
            while !known.insert(id.to_lowercase()) {
                number += 1;
                id = format!("{base}-{number}");
            }
            entry.id = id;
        }
    }
}

/// The files of shaders in folders and folders within them, sorted, and those named themselves.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut list = vec![];
    for path in paths {
        if path.is_dir() {
            let first = list.len();
            add_folder(path, &mut list)?;
            if list.len() == first {
                return Err(Diagnostic::error(format!("{} holds no shaders", path.display()))
                    .hint("shader files end in .ksl, .osl or .tsl"));
            }
        } else if !path.exists() {
            return Err(Diagnostic::error(format!("there is no {}", path.display()))
                .hint("`kiln gallery` accepts shader files and folders of them"));
        } else if !shader_file::is_shader(path) {
            return Err(Diagnostic::error(format!("{} is no file of shaders", path.display()))
                .hint("shader files end in .ksl, .osl or .tsl"));
        } else {
            list.push(path.clone());
        }
    }
    let mut known = FxHashSet::default();
    list.retain(|path| known.insert(path.clone()));
    Ok(list)
}

fn add_folder(folder: &Path, list: &mut Vec<PathBuf>) -> Result<(), Diagnostic> {
    let failed =
        |error: std::io::Error| Diagnostic::error(format!("cannot read {}: {error}", folder.display()));
    let mut entries = vec![];
    for entry in fs::read_dir(folder).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort();
    for path in entries {
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_link = path.is_symlink();
        if path.is_dir() && !is_hidden && !is_link {
            add_folder(&path, list)?;
        } else if path.is_file() && shader_file::is_shader(&path) {
            list.push(path);
        }
        if list.len() > MAX_FILES {
            return Err(Diagnostic::error(format!(
                "{} holds more than {MAX_FILES} files of shaders",
                folder.display()
            )));
        }
    }
    Ok(())
}
