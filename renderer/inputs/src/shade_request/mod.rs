//! Request of a run of shaders over points: the layers, how they are compiled, and the points.

pub mod steps;

use std::path::{Path, PathBuf};

use clap::{ArgAction, Args, ValueEnum};
use shading::OptLevel;

use crate::common_args::SourceArgs;
use crate::shader_file;
use renderer_base::memory;
use steps::{Setup, Step};

/// Maximum number of columns or rows of a grid.
const MAX_SIDE: i64 = 1 << 24;

/// The request of a run of shaders, filled by `kiln shade` and programs.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct ShadeRequest {
    /// Shaders, their parameters and connections.
    #[command(flatten)]
    pub setup: Setup,
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Defines a macro; may be given several times
    #[arg(short = 'D', value_name = "NAME[=TEXT]")]
    pub define: Vec<String>,
    /// Points of the grid [default: 1 1]
    #[arg(short = 'g', long = "res", aliases = ["grid", "g"], num_args = 2, value_names = ["X", "Y"], value_parser = clap::value_parser!(u32).range(1..=MAX_SIDE))]
    pub grid: Vec<u32>,
    /// Threads; the result does not depend on it [default: all processors]
    #[arg(short = 't', long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub threads: Option<u32>,
    /// Maximum memory of the texture cache, such as 256M or 4G; the result does not depend on it [default: half of the
    /// free memory]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    pub texture_memory: Option<u64>,
    /// Number of runs over the whole grid [default: 1]
    #[arg(long = "iters", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: Option<u32>,
    /// Places points at the centres of the grid's cells instead of their corners
    #[arg(long)]
    pub center: bool,
    /// Scales u and v
    #[arg(long = "scaleuv", alias = "scalest", num_args = 2, value_names = ["U", "V"], allow_negative_numbers = true)]
    pub scale_uv: Vec<f32>,
    /// Adds to u and v
    #[arg(long = "offsetuv", alias = "offsetst", num_args = 2, value_names = ["U", "V"], allow_negative_numbers = true)]
    pub offset_uv: Vec<f32>,
    /// Derivatives of P that differ from point to point, for tests
    #[arg(long = "vary_pdxdy", hide = true)]
    pub vary_p: bool,
    /// Derivatives of u that differ from point to point, for tests
    #[arg(long = "vary_udxdy", hide = true)]
    pub vary_u: bool,
    /// Derivatives of v that differ from point to point, for tests
    #[arg(long = "vary_vdxdy", hide = true)]
    pub vary_v: bool,
    /// Kind of the rays that hit the points [default: camera]
    #[arg(long = "raytype", value_name = "KIND")]
    pub ray_kind: Option<String>,
    /// Adds a layer that runs even if its outputs are not read; the last layer always runs
    #[arg(long = "entry", value_name = "LAYER", action = ArgAction::Append)]
    pub entries: Vec<String>,
    /// Name of the group, for shaders that query it and for messages
    #[arg(long = "groupname", value_name = "NAME")]
    pub group_name: Option<String>,
    /// Settings of OSL's engine: `error_repeats=1` shows repeated warnings and errors of shaders; others are ignored
    #[arg(long = "options", value_name = "NAME=VALUE,…", action = ArgAction::Append)]
    pub engine_options: Vec<String>,
    /// Colour space of the renderer's RGB values: Rec709, sRGB, ACEScg, ACES2065-1, AdobeRGB … [default: Rec709]
    #[arg(long = "colorspace", value_name = "NAME")]
    pub color_space: Option<String>,
    /// Reports variables that are not finite; runs the interpreter
    #[arg(long = "debugnan")]
    pub debug_nan: bool,
    /// Treats inputs that read attributes of the geometry as connected
    #[arg(long = "userdata_isconnected")]
    pub userdata_is_connected: bool,
    /// Disables optimisation
    #[arg(long = "O0")]
    pub unoptimized: bool,
    /// Optimisation of machine code (`--llvm_opt 0`, `1` and `2` of `testshade`)
    #[arg(long, alias = "llvm_opt", value_name = "LEVEL", default_value = "fast")]
    pub codegen: Codegen,
    /// Runs the interpreter instead of machine code
    #[arg(long)]
    pub interpret: bool,
}

/// Optimisation level of code generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Codegen {
    /// Minimal, except for loops without calls: compiles fastest, runs a tenth longer; for grids of millions of points
    /// the other levels are faster
    #[default]
    #[value(alias = "0")]
    Fast,
    /// The level of renders
    #[value(alias = "1")]
    Plain,
    /// Full: hardly faster code
    #[value(aliases = ["2", "3", "10", "11", "12", "13"])]
    Full,
}

impl Codegen {
    /// The level of the shading system.
    pub fn level(self) -> OptLevel {
        match self {
            Codegen::Fast => OptLevel::Fast,
            Codegen::Plain => OptLevel::Plain,
            Codegen::Full => OptLevel::Full,
        }
    }
}

impl ShadeRequest {
    /// The value of one of `--options NAME=VALUE,…`; the last counts.
    pub fn engine_option(&self, name: &str) -> Option<&str> {
        let options = self.engine_options.iter().flat_map(|list| list.split(','));
        let mut values = options.filter_map(|option| option.split_once('='));
        values.rfind(|(known, _)| known.trim() == name).map(|(_, value)| value.trim())
    }

    /// The files of shaders and serialised groups that the request names.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.setup.steps.iter().filter_map(|step| match step {
            Step::Shader(word) => shader_file::file_of(word),
            Step::Group(spec) => Some(PathBuf::from(spec)).filter(|path| path.is_file()),
            Step::Layer(_)
            | Step::Source(..)
            | Step::Param(_)
            | Step::Expr(_)
            | Step::Connect(_)
            | Step::Reparam { .. }
            | Step::Userdata(_) => None,
        })
    }

    /// Folders of the shaders and serialised groups, where their textures are looked for.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let parents = self.setup.steps.iter().filter_map(|step| match step {
            Step::Shader(word) | Step::Group(word) => Path::new(word).parent(),
            _ => None,
        });
        parents.filter(|parent| !parent.as_os_str().is_empty()).map(Path::to_owned)
    }
}
