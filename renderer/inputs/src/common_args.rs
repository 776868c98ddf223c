//! Arguments shared by several commands: messages and statistics, Mitsuba scenes, shader sources.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use shading::{Diagnostic, Diagnostics, Preprocessor};

use renderer_base::files::SharedFiles;
use renderer_base::memory::gigabytes;
use renderer_import::SceneImportOptions;
use renderer_support::{print, remark};
use renderer_transport::material::Folders;

/// Messages and statistics of `render` and `bake`.
#[derive(Clone, Debug, Default, Args)]
pub struct ReportArgs {
    /// Writes statistics as JSON
    #[arg(long, value_name = "FILE.json")]
    pub stats: Option<PathBuf>,
    /// Prints errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Prints statistics at the end
    #[arg(short, long)]
    pub verbose: bool,
}

impl ReportArgs {
    /// Prints warnings.
    pub fn print(&self, warnings: &Diagnostics) {
        if !self.quiet {
            print(warnings);
        }
    }

    /// Prints the memory of a large render or bake.
    pub fn print_memory(&self, bytes: u64) {
        const LARGE: u64 = 2_000_000_000;
        if bytes > LARGE && !self.quiet {
            remark(&format!("this needs about {} of memory", gigabytes(bytes)));
        }
    }
}

/// Options of all commands that read Mitsuba scenes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct ImportArgs {
    /// Defines a macro of shader sources; value of a parameter (`$NAME`) of a Mitsuba scene; may be given several times
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub define: Vec<(String, String)>,
    /// Treats features of a Mitsuba scene that Kiln lacks as errors
    #[arg(long)]
    pub strict: bool,
}

impl ImportArgs {
    /// Options of the importer.
    pub fn options(&self) -> SceneImportOptions {
        SceneImportOptions {
            defines: self.define.clone(),
            strict: self.strict,
            ..SceneImportOptions::default()
        }
    }

    /// The parameters as macros of shader sources: `NAME=VALUE`.
    pub fn macros(&self) -> Vec<String> {
        let parameters = self.define.iter();
        parameters.map(|(name, value)| format!("{name}={value}")).collect()
    }
}

/// Options for reading shader sources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct SourceArgs {
    /// Folder of files that shader sources include; may be given several times
    #[arg(short = 'I', value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// Undefines a macro of shader sources; may be given several times
    #[arg(short = 'U', value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub undefine: Vec<String>,
}

impl SourceArgs {
    /// Warnings about folders of `-I` that do not exist.
    pub fn warnings(&self) -> Diagnostics {
        let missing = self.folders.iter().filter(|folder| !folder.is_dir());
        let warning = |folder: &PathBuf| {
            let is_file = folder.exists();
            let reason = if is_file { "is not a folder" } else { "does not exist" };
            let warning = Diagnostic::warning(format!("'{}' (-I) {reason}", folder.display()));
            warning.hint("included files are not looked for there")
        };
        Diagnostics { list: missing.map(warning).collect() }
    }

    /// The preprocessor with these macros, each `NAME` or `NAME=TEXT`, and included files among `files`.
    pub fn preprocessor(&self, defines: &[String], files: SharedFiles) -> Preprocessor {
        let folders = Folders::new(self.folders.clone(), files);
        let mut preprocessor = Preprocessor::new(Arc::new(folders));
        // A definition whose name is not an identifier may be a parameter of a scene.
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        for define in defines
            .iter()
            .filter(|define| is_name(define.split('=').next().unwrap_or_default()))
        {
            preprocessor.define(define);
        }
        for name in &self.undefine {
            preprocessor.undefine(name);
        }
        preprocessor
    }
}

/// Parses `NAME=VALUE`, or `NAME` with the value 1.
pub fn parse_define(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        None if !text.is_empty() => Ok((text.to_owned(), "1".to_owned())),
        _ => Err("expected NAME=VALUE or NAME".to_owned()),
    }
}
