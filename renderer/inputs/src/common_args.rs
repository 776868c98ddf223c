//! Arguments shared by several commands: scene, integrator, shader preprocessing, statistics.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use shading::{Diagnostic, Diagnostics, Preprocessor};

use renderer_base::files::SharedFiles;
use renderer_base::memory;
use renderer_geometry::accel::BuildQuality;
use renderer_import::MitsubaOptions;
use renderer_load::Lighting;
use renderer_transport::material::Folders;

/// Options shared by `render` and `bake`: the scene, and the settings of light transport.
#[derive(Clone, Debug, Args)]
pub struct CommonArgs {
    /// Scene or model
    pub scene: PathBuf,
    /// Text of the scene instead of the file's, for programs that embed Kiln.
    #[arg(skip)]
    pub text: Option<Arc<str>>,
    /// Light transport algorithm [default: the scene's; `photon` for bakes]
    #[arg(long, value_parser = ["path", "photon", "auto"])]
    pub integrator: Option<String>,
    /// Maximum number of path segments: 1 shows emission only, 2 adds direct light, 3 adds one bounce
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
    /// Threads; the result does not depend on it [default: all processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Maximum memory of the texture cache, such as 256M or 4G; the result does not depend on it [default: half of the
    /// free memory]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    pub texture_memory: Option<u64>,
    /// Build quality of the ray tracing acceleration structure: `low` builds fastest, `medium` uses every thread,
    /// `high` traces rays fastest; pictures differ at most where surfaces coincide [default: high for up to a million
    /// triangles, medium for more]
    #[arg(long, value_name = "QUALITY", value_parser = build_quality())]
    pub build_quality: Option<BuildQuality>,
    /// Light in place of the scene's own: `neutral`, `studio`, `sky` or a latitude-longitude image (.hdr, .exr); `+studio`
    /// adds it
    #[arg(long, value_name = "LIGHT", value_parser = Lighting::parse)]
    pub light: Option<Lighting>,
    /// Changes a value of the scene, such as `camera.main.fov=30`; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Options for Mitsuba scenes.
    #[command(flatten)]
    pub mitsuba: MitsubaArgs,
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

/// Options of all commands that read Mitsuba scenes.
#[derive(Clone, Debug, Default, Args)]
pub struct MitsubaArgs {
    /// Defines a macro of shader sources; value of a parameter (`$NAME`) of a Mitsuba scene; may be given several times
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub define: Vec<(String, String)>,
    /// Takes what a Mitsuba scene has and Kiln has not for an error
    #[arg(long)]
    pub strict: bool,
}

impl MitsubaArgs {
    /// Converts them to the options of the Mitsuba importer.
    pub fn options(&self) -> MitsubaOptions {
        MitsubaOptions {
            defines: self.define.clone(),
            strict: self.strict,
            ..MitsubaOptions::default()
        }
    }

    /// The parameters as macros of shader sources: `NAME=VALUE`.
    pub fn macros(&self) -> Vec<String> {
        let parameters = self.define.iter();
        parameters
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }
}

/// Options for reading shader sources.
#[derive(Clone, Debug, Default, Args)]
pub struct SourceArgs {
    /// Looks in this folder, too, for the files that shader sources include; may be given several times
    #[arg(short = 'I', value_name = "FOLDER")]
    pub folders: Vec<PathBuf>,
    /// Forgets a macro that shader sources know; may be given several times
    #[arg(short = 'U', value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub undefine: Vec<String>,
}

impl SourceArgs {
    /// Warnings about folders of `-I` that do not exist.
    pub fn warnings(&self) -> Diagnostics {
        let missing = self.folders.iter().filter(|folder| !folder.is_dir());
        let warning = |folder: &PathBuf| {
            let is_file = folder.exists();
            let reason = if is_file {
                "is not a folder"
            } else {
                "does not exist"
            };
            let warning = Diagnostic::warning(format!("'{}' (-I) {reason}", folder.display()));
            warning.hint("included files are not looked for there")
        };
        Diagnostics {
            list: missing.map(warning).collect(),
        }
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

fn build_quality() -> impl TypedValueParser<Value = BuildQuality> {
    PossibleValuesParser::new(["low", "medium", "high"]).map(|name| match name.as_str() {
        "low" => BuildQuality::Low,
        "medium" => BuildQuality::Medium,
        _ => BuildQuality::High,
    })
}

/// Parses `NAME=VALUE`, or `NAME` with the value 1.
pub fn parse_define(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        None if !text.is_empty() => Ok((text.to_owned(), "1".to_owned())),
        _ => Err("expected NAME=VALUE or NAME".to_owned()),
    }
}
