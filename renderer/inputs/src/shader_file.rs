//! Lookup of shader units and groups named on the command line: files, `FILE:NAME`, shipped shaders.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shading::diagnostic::nearest;
use shading::{Diagnostic, Diagnostics, Loaded, ShadingSystem, Source, Template};

use renderer_base::files::SharedFiles;
use renderer_import::MODELS;
use renderer_transport::material::library;

/// Units and groups that a name on the command line refers to.
#[derive(Debug)]
pub struct FoundShaders {
    /// Units and groups, in the order of the file.
    pub templates: Vec<Template>,
    /// Warnings.
    pub warnings: Diagnostics,
}

impl FoundShaders {
    /// The default shader of a file: the last one, because earlier ones are helpers of it.
    pub fn last(self) -> Option<Template> {
        self.templates.into_iter().last()
    }
}

/// Finds the units and groups of a file, `FILE:NAME`, a file without its extension, or the name of a shipped shader.
pub fn find(system: &ShadingSystem, word: impl AsRef<OsStr>) -> Result<FoundShaders, Diagnostics> {
    find_in(&SharedFiles::default(), system, word)
}

/// As [`find`], with the text of a file from `files`.
pub fn find_in(
    files: &SharedFiles,
    system: &ShadingSystem,
    word: impl AsRef<OsStr>,
) -> Result<FoundShaders, Diagnostics> {
    let word = word.as_ref();
    if let Some((file, name)) = split(word) {
        if let Some(what) = no_text(&file) {
            let message = format!("{} is {what}, not shader source", file.display());
            return Err(Diagnostic::error(message)
                .hint("shader files end in .ksl, .osl or .tsl; scenes (.kiln) hold units and groups, too")
                .into());
        }
        let loaded = system.load(source_in(files, &file)?)?;
        return select(&loaded, name.as_deref(), &file.display().to_string());
    }
    let word = &*word.to_string_lossy();
    if let Some(template) = system.template(word) {
        return Ok(FoundShaders { templates: vec![template], warnings: Diagnostics::default() });
    }
    if let Some(source) = library::find(word) {
        // A shipped shader that does not compile: return its errors.
        return Err(system.load(source).err().unwrap_or_default());
    }
    let error = Diagnostic::error(format!("no shader `{word}`: it is neither a file nor shipped with Kiln"));
    Err(match nearest(word, library::names()) {
        Some(name) => error.hint(format!("did you mean `{name}`?")),
        None => error.hint("shader files end in .ksl, .osl or .tsl"),
    }
    .into())
}

/// The shaders of a source text, or the shader `name`.
///
/// # Errors
/// Errors of the text; or that it has no such shader.
pub fn find_in_text(
    system: &ShadingSystem,
    text: &str,
    name: Option<&str>,
) -> Result<FoundShaders, Diagnostics> {
    select(&system.load(Source::new("<source>", text))?, name, "the text")
}

/// The shaders that a source declares, or the shader `name`. Messages call the source `place`.
fn select(loaded: &Loaded, name: Option<&str>, place: &str) -> Result<FoundShaders, Diagnostics> {
    let mut templates = in_order(loaded);
    if let Some(name) = name {
        let found = templates.iter().find(|template| template.name() == name).cloned();
        let unknown = || {
            let error = Diagnostic::error(format!("{place} holds no unit or group `{name}`"));
            error.nearest(name, templates.iter().map(Template::name))
        };
        templates = vec![found.ok_or_else(unknown)?];
    }
    if templates.is_empty() {
        return Err(Diagnostic::error(format!("{place} holds no unit and no group")).into());
    }
    Ok(FoundShaders { templates, warnings: loaded.warnings.clone() })
}

/// Kind of a file, by its name, that cannot hold shaders.
fn no_text(path: &Path) -> Option<&'static str> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        model if MODELS.contains(&model) => Some("a model"),
        "xml" => Some("a scene"),
        "zip" => Some("a pack of a scene"),
        "exr" | "tif" | "tiff" | "hdr" | "png" | "jpg" | "jpeg" | "tga" | "bmp" | "pgm" | "ppm" | "pfm" => {
            Some("an image")
        }
        _ => None,
    }
}

/// The file that a word names, if it names one.
pub fn file_of(word: &str) -> Option<PathBuf> {
    split(word.as_ref()).map(|(file, _)| file)
}

/// The files that words of the command line name: shader files, as [`file_of`] finds them, and others that exist.
pub fn files_of(words: impl IntoIterator<Item = impl AsRef<Path>>) -> Vec<PathBuf> {
    let file = |word: &Path| {
        let file = word.to_str().and_then(file_of);
        file.or_else(|| word.is_file().then(|| word.to_owned()))
    };
    words.into_iter().filter_map(|word| file(word.as_ref())).collect()
}

/// The file that a word names, and the name of a unit or group in it; `None` when it names no file.
fn split(word: &OsStr) -> Option<(PathBuf, Option<String>)> {
    let path = Path::new(word);
    if is_shader(path) || path.is_file() {
        return Some((path.to_owned(), None));
    }
    // Words that are not valid Unicode can only be file names.
    let word = word.to_str()?;
    if let Some((file, name)) = word.rsplit_once(':')
        && (is_shader(Path::new(file)) || Path::new(file).is_file())
    {
        return Some((PathBuf::from(file), Some(name.to_owned())));
    }
    // Compiled shaders are named without extension by those who come from other tools.
    let with_extension = ["ksl", "osl", "tsl"].map(|extension| PathBuf::from(format!("{word}.{extension}")));
    with_extension.into_iter().find(|path| path.is_file()).map(|path| (path, None))
}

/// Units and groups by their places.
pub fn in_order(loaded: &Loaded) -> Vec<Template> {
    let mut templates = loaded.templates.clone();
    templates.sort_by_key(|template| match template {
        Template::Unit(unit) => unit.hir.span.start,
        Template::Group(group) => group.span.start,
    });
    templates
}

/// Returns whether a file is shader source by its name.
pub fn is_shader(path: &Path) -> bool {
    let is = |known: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(known));
    ["ksl", "osl", "tsl"].into_iter().any(is)
}

/// Reads shader source.
pub fn read_source(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    source_in(&SharedFiles::default(), path)
}

fn source_in(files: &SharedFiles, path: &Path) -> Result<Arc<Source>, Diagnostic> {
    match files.source_text(path) {
        Ok(text) => Ok(Source::new(path.display().to_string(), text)),
        Err(error) => Err(Diagnostic::error(format!("cannot read {}: {error}", path.display()))),
    }
}
