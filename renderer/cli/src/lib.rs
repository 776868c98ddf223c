//! Command line: the subcommands and their arguments, with the help texts.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bake;
mod debug;
mod farm;
mod gallery;
mod graph;
mod image;
mod live;
mod pack;
mod render;
mod shade;
mod viewer;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use renderer_inputs::bake_request::BakeFilter;
use renderer_inputs::common_args::parse_define;

pub use bake::BakeArgs;
pub use debug::DebugArgs;
pub use farm::{Engine, FarmArgs, FrameArg};
pub use gallery::GalleryArgs;
pub use graph::GraphArgs;
pub use image::{DenoiseArgs, ImageArgs, SheetArgs, ToneCurve};
pub use live::LiveArgs;
pub use pack::PackArgs;
pub use render::{MergeArgs, ProgressForm, RenderArgs};
pub use renderer_inputs::common_args::{ImportArgs, ReportArgs, SourceArgs};
pub use renderer_inputs::render_request::{DenoiseQuality, LightGroups, Quality, RenderRequest};
pub use renderer_inputs::scene_request::SceneRequest;
pub use renderer_inputs::stage_args::{On, StageArgs, Variation};
pub use shade::{Emit, ShadeArgs};
pub use viewer::{Viewer, ViewerAddress};

/// Kiln, an offline path tracer with a shading language.
#[derive(Debug, Parser)]
#[command(name = "kiln", version, about, arg_required_else_help = true)]
pub struct Cli {
    /// Subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Renders a scene (.kiln, .xml of Mitsuba or Embree) or a model (.glb, .gltf, .ply, .obj, .stl, .serialized)
    Render(RenderArgs),
    /// Shows a material or a scene in a browser while you edit it: sliders, views, saved files
    ///
    /// The page is available on this machine only. The picture restarts, coarsely at first, when a value or the view
    /// changes on the page, and when a file of the scene is saved; errors are shown until they are fixed. The
    /// integrator is always path tracing.
    Live(LiveArgs),
    /// Merges parts of a picture that were rendered separately
    Merge(MergeArgs),
    /// Writes a job that renders a scene on a cluster
    Farm(FarmArgs),
    /// Bakes light into textures, vertices or probes, as spherical harmonics
    Bake(BakeArgs),
    /// Shows a bake in a browser: serves the folder of `kiln bake --viewer` on this machine only
    View(ViewArgs),
    /// Compiles units, groups and scenes, and reports errors and warnings
    Check(CheckArgs),
    /// Formats shaders and scenes (.ksl, .osl, .tsl, .kiln) in place
    ///
    /// Only white space changes. A file with syntax errors, or whose tokens would change, is left unchanged.
    /// Preprocessor lines and macros are formatted as they are written.
    Fmt(FmtArgs),
    /// Language server for editors: diagnostics, completion, documentation, navigation
    ///
    /// Speaks the Language Server Protocol on standard input and output, for .ksl, .osl, .tsl and .kiln files;
    /// editors start it. Open files are checked as by `kiln check` while they are edited.
    Lsp(LspArgs),
    /// Shows the contents of units, groups, scenes, models and files, or the shipped library
    Info(InfoArgs),
    /// Converts a scene of Mitsuba or Embree (.xml) to a Kiln scene (.kiln)
    Convert(ConvertArgs),
    /// Packs a scene with all files that it needs into one archive, which `render`, `bake`, `check` and `info` open
    ///
    /// The archive stores the options that change how the scene is read (--set, --light, -D, -U, -I, --strict). Options
    /// given when it is opened follow the stored ones. Options of a picture or a bake belong to `render` and `bake`.
    Pack(PackArgs),
    /// Runs a unit or group over a grid of points
    Shade(ShadeArgs),
    /// Shows inputs and outputs of the layers of a group at a point
    Debug(DebugArgs),
    /// Shows a library of units and groups as a web page: pictures, parameters, sources
    Gallery(GalleryArgs),
    /// Draws a group: units as boxes, nested groups as nested boxes, connections as wires
    Graph(GraphArgs),
    /// Removes the noise of a picture and its layers by Open Image Denoise
    Denoise(DenoiseArgs),
    /// Converts an image, or a layer of an EXR, to another format
    Image(ImageArgs),
    /// Shows the layers of an EXR side by side in one picture
    Sheet(SheetArgs),
    /// Compares an image with a reference
    Compare(CompareArgs),
    /// Packs this program and Embree into an archive that runs after unpacking
    Archive(ArchiveArgs),
}

impl Command {
    /// Returns the requested number of threads; 0 for one per core.
    pub fn threads(&self) -> usize {
        let asked = match self {
            Command::Render(args) => args.request.scene.threads,
            Command::Bake(args) => args.request.scene.threads,
            Command::Live(args) => args.threads,
            Command::Shade(args) => args.request.threads,
            Command::Gallery(args) => args.threads,
            Command::Denoise(args) => args.threads,
            Command::Merge(_)
            | Command::Farm(_)
            | Command::Check(_)
            | Command::Fmt(_)
            | Command::Debug(_)
            | Command::Graph(_)
            | Command::Info(_)
            | Command::Convert(_)
            | Command::Pack(_)
            | Command::Image(_)
            | Command::Sheet(_)
            | Command::Compare(_)
            | Command::Archive(_)
            | Command::View(_)
            | Command::Lsp(_) => None,
        };
        asked.unwrap_or(0) as usize
    }

    /// Returns the options for reading shader sources. `None` if the command reads no sources or runs with `--quiet`.
    pub fn loud_source(&self) -> Option<&SourceArgs> {
        let (source, quiet) = match self {
            Command::Render(args) => (&args.request.scene.source, args.report.quiet),
            Command::Bake(args) => (&args.request.scene.source, args.report.quiet),
            Command::Farm(args) => {
                let render = args.render.as_deref()?;
                (&render.request.scene.source, args.quiet || render.report.quiet)
            }
            Command::Pack(args) => (&args.source, args.quiet),
            Command::Live(args) => (&args.source, false),
            Command::Gallery(args) => (&args.source, args.quiet),
            Command::Check(args) => (&args.source, false),
            Command::Lsp(args) => (&args.source, false),
            Command::Info(args) => (&args.source, false),
            Command::Shade(args) => (&args.request.source, false),
            Command::Debug(args) => (&args.source, false),
            Command::Graph(args) => (&args.source, false),
            Command::Merge(_)
            | Command::Fmt(_)
            | Command::Convert(_)
            | Command::Denoise(_)
            | Command::Image(_)
            | Command::Sheet(_)
            | Command::Compare(_)
            | Command::Archive(_)
            | Command::View(_) => return None,
        };
        (!quiet).then_some(source)
    }
}

/// `kiln convert`
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Scene of Mitsuba or Embree (.xml)
    pub scene: PathBuf,
    /// Output file of the scene (.kiln); its meshes and images go into a folder of the same name with `_files`
    pub output: PathBuf,
    /// Options for Mitsuba scenes.
    #[command(flatten)]
    pub import: ImportArgs,
    /// Prints errors only
    #[arg(short, long)]
    pub quiet: bool,
}

/// `kiln check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Shader sources, scenes and models
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Options for Mitsuba scenes.
    #[command(flatten)]
    pub import: ImportArgs,
    /// Treats warnings as errors
    #[arg(long = "Werror")]
    pub warnings_are_errors: bool,
    /// Shows warnings (always on; for compatibility with other compilers)
    #[arg(long = "Wall", hide = true)]
    pub all_warnings: bool,
}

/// `kiln fmt`
#[derive(Debug, Args)]
pub struct FmtArgs {
    /// Shaders and scenes; folders with the files in them; - formats standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Writes nothing, shows the lines that would change, and exits with status 1 if there are any
    #[arg(long)]
    pub check: bool,
    /// Name of standard input in messages
    #[arg(long, value_name = "FILE")]
    pub stdin_path: Option<PathBuf>,
}

/// `kiln lsp`
#[derive(Clone, Debug, Args)]
pub struct LspArgs {
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Defines a macro of shader sources; may be given several times
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub define: Vec<(String, String)>,
    /// Uses standard input and output (always on; for editors that pass it)
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// `kiln info`
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// A source file (all its units and groups; FILE:NAME selects one), the name of a shipped unit or group, a scene, a
    /// model, an image, a volume (OpenVDB, NanoVDB, Mitsuba), a part of a picture or a file of photon maps [default:
    /// the shipped library]
    pub subjects: Vec<OsString>,
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Options for Mitsuba scenes.
    #[command(flatten)]
    pub import: ImportArgs,
    /// Prints JSON
    #[arg(long)]
    pub json: bool,
    /// Shows this parameter only
    #[arg(long, value_name = "NAME", requires = "subjects")]
    pub param: Option<String>,
    /// Shows the inputs that shaders require: attributes, spaces, textures, kinds of rays. With a scene after them,
    /// also its shapes that have the attributes; for a scene alone, the inputs that its materials require and lack
    #[arg(long, requires = "subjects", conflicts_with = "param")]
    pub needs: bool,
    /// Shows defaults and metadata (always on; for compatibility with `oslinfo`)
    #[arg(short, hide = true)]
    pub verbose: bool,
}

/// `kiln archive`
#[derive(Debug, Args)]
pub struct ArchiveArgs {
    /// Output file of the archive: .tar.gz or .tgz [default: kiln-VERSION-SYSTEM.tar.gz, here]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `kiln view`
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// Folder that `kiln bake --viewer` has written
    pub folder: PathBuf,
    /// Port of the address [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
}

/// `kiln compare`
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Image
    pub image: PathBuf,
    /// Reference image
    pub reference: PathBuf,
    /// Writes a picture of the differences
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Writes a picture that shows where the image is brighter (red to yellow) or darker (blue to cyan) than the
    /// reference
    #[arg(long, visible_alias = "false-color", value_name = "FILE")]
    pub false_colour: Option<PathBuf>,
    /// Exits with status 1 if the relative MSE exceeds this
    #[arg(long, value_name = "RELMSE", value_parser = parse_threshold)]
    pub threshold: Option<f64>,
}

/// Parses a nonnegative threshold: comparisons with NaN or a negative number would have one result only.
fn parse_threshold(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(v) if v >= 0.0 => Ok(v),
        Ok(v) => Err(format!("{v} is not an error: it is 0 or more")),
        Err(_) => Err(format!("`{text}` is not a number")),
    }
}

/// Replaces clap's tip for a value that begins with a dash, as in `-o -a.png`, by the form `-o=-a.png`. Clap's own tip
/// is about positional arguments.
fn with_dash_tip(mut error: clap::Error, command: &clap::Command, words: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    let is_unknown =
        error.kind() == ErrorKind::UnknownArgument && error.get(ContextKind::SuggestedArg).is_none();
    let pair = words.windows(2).find(|pair| pair[1].starts_with(wrong.as_str()));
    let takes_value = |option: &str| {
        let command = words.get(1).and_then(|name| command.find_subcommand(name));
        let mut args = command.into_iter().flat_map(clap::Command::get_arguments);
        args.any(|arg| {
            let long = arg.get_long().map(|long| format!("--{long}"));
            let short = arg.get_short().map(|short| format!("-{short}"));
            let is_it = [long, short].iter().flatten().any(|known| known == option);
            is_it && arg.get_action().takes_values()
        })
    };
    if let Some([option, value]) = pair
        && is_unknown
        && takes_value(option)
    {
        let tip = format!("to give '{value}' as the value of '{option}', write '{option}={value}'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Attaches a quality or filter to `--denoise`, whose value is optional: clap would take the scene in `--denoise SCENE` for
/// one.
fn attach_denoise<V: ValueEnum>(args: &mut Vec<OsString>) {
    let is_pair =
        |pair: &[OsString]| pair[0] == "--denoise" && V::from_str(&pair[1].to_string_lossy(), false).is_ok();
    if let Some(at) = args.windows(2).position(is_pair) {
        let value = args.remove(at + 1);
        args[at].push("=");
        args[at].push(value);
    }
}

impl Cli {
    /// Reads a command line. `testshade` spells long flags with one dash: `shade -od half` is `shade --od half`.
    ///
    /// # Errors
    /// The command line is not valid, or help was requested.
    pub fn read(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
        let mut args: Vec<OsString> = args.into_iter().collect();
        match args.get(1).and_then(|command| command.to_str()) {
            Some("shade") => {
                let rest = args.split_off(2);
                args.extend(shade::widen(rest));
            }
            Some("check") => {
                for arg in &mut args {
                    if arg == "-Wall" || arg == "-Werror" {
                        *arg = OsString::from(format!("-{}", arg.to_string_lossy()));
                    }
                }
            }
            Some("render" | "merge" | "farm") => attach_denoise::<DenoiseQuality>(&mut args),
            Some("bake") => attach_denoise::<BakeFilter>(&mut args),
            _ => {}
        }
        // A negative number is a value, if a wrong one, and no flag.
        let mut command = Cli::command().mut_subcommands(|command| {
            command.mut_args(|arg| {
                let is_option = !arg.is_positional() && arg.get_action().takes_values();
                arg.allow_negative_numbers(is_option)
            })
        });
        let words = args.clone();
        let matches = command
            .try_get_matches_from_mut(args)
            .map_err(|error| with_dash_tip(error, &command, &words))?;
        let mut cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        if let Command::Farm(args) = &mut cli.command {
            // Options that the job passes to each task.
            let words = ["kiln", "render", "SCENE", "--checkpoint", "FILE"].map(OsString::from);
            let options = words.into_iter().chain(args.options.iter().map(OsString::from));
            if let Command::Render(render) = Cli::read(options)?.command {
                args.render = Some(Box::new(render));
            }
        }
        Ok(cli)
    }
}
