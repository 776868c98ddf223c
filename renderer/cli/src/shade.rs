//! Arguments of `kiln shade`: the flags of OSL's `testshade`, with one dash or two.

mod spelling;
mod steps;

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use shading::OptLevel;
use shading_raster::Pass;

pub(super) use spelling::widen;
pub use steps::{Assignment, Setup, Step};

use renderer_base::memory;
use renderer_inputs::common_args::SourceArgs;

/// Maximum number of columns or rows of a grid.
const MAX_SIDE: i64 = 1 << 24;

/// `kiln shade`
#[derive(Debug, Args)]
pub struct ShadeArgs {
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
    /// Writes an output as an image (.exr .tif .png .hdr .jpg; `null` writes nothing); may be given several times
    #[arg(short = 'o', long = "output", num_args = 2, value_names = ["OUTPUT", "FILE"])]
    pub outputs: Vec<String>,
    /// Type of the numbers in images: uint8, uint16, half or float [default: float, and ints as they are]
    #[arg(short = 'd', long = "od", value_name = "TYPE", value_parser = ["uint8", "uint16", "half", "float"])]
    pub output_type: Option<String>,
    /// Prints the outputs at every point instead of writing images
    #[arg(long)]
    pub print: bool,
    /// Threads; the result does not depend on it [default: all processors]
    #[arg(short = 't', long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub threads: Option<u32>,
    /// Maximum memory of the texture cache, such as 256M or 4G; the result does not depend on it [default: half of the
    /// free memory]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    pub texture_memory: Option<u64>,
    /// Number of runs over the whole grid
    #[arg(long = "iters", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: u32,
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
    /// Shows the parameters of all layers (with `-v`)
    #[arg(long = "oslquery", hide = true)]
    pub query: bool,
    /// Disables optimisation
    #[arg(long = "O0")]
    pub unoptimized: bool,
    /// Optimisation of machine code (`--llvm_opt 0`, `1` and `2` of `testshade`)
    #[arg(long, alias = "llvm_opt", value_name = "LEVEL", default_value = "fast")]
    pub codegen: Codegen,
    /// Runs the interpreter instead of machine code
    #[arg(long)]
    pub interpret: bool,
    /// Prints code for rasterisers instead of running the shader; with `-o OUTPUT FILE`, writes the code of these
    /// outputs to the file
    #[arg(long, value_name = "LANGUAGE")]
    pub emit: Option<Emit>,
    /// With `--emit`: rendering pass of the code, which computes only the results of that pass
    #[arg(long, value_name = "PASS", default_value = "forward")]
    pub pass: RasterPass,
    /// With `--emit`: parameters that become uniforms; `all` for all
    #[arg(long, value_name = "PARAM,…", value_delimiter = ',')]
    pub live: Vec<String>,
    /// Prints the intermediate code
    #[arg(long = "print-code")]
    pub print_code: bool,
    /// Runs again whenever a file of the shader changes; ends with Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// Prints statistics, or writes them as JSON
    #[arg(long, aliases = ["runstats"], value_name = "FILE.json", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub stats: Option<PathBuf>,
    /// Shows warnings of the compiler too, as `kiln check` does
    #[arg(short, long)]
    pub verbose: bool,
    /// Flags of `testshade` without effect
    #[arg(
        long = "O1", hide = true, action = ArgAction::Count,
        aliases = ["O2", "debug", "groupoutputs", "raytype_opt", "batched", "warmup", "inbuffer",
            "no-output-placement", "shadeimage", "noshadeimage", "debuguninit", "use_rs_bitcode", "debug2", "profile"]
    )]
    pub ignored_flags: u8,
    /// Flags of `testshade` with a value, without effect
    #[arg(
        long = "texoptions", hide = true, action = ArgAction::Append,
        aliases = ["locale", "jbufferMB"]
    )]
    pub ignored_values: Vec<String>,
}

/// Language of the code for rasterisers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// WebGPU's language
    Wgsl,
    /// WebGL 2's language
    Glsl,
    /// Both, with the uniforms, textures and members of `Globals` that a host binds
    Json,
}

/// Rendering mode of the code for rasterisers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RasterPass {
    /// Opacity
    Shadow,
    /// Base colour, normal, roughness, metalness, emission and opacity
    Gbuffer,
    /// Every lobe
    Forward,
}

impl From<RasterPass> for Pass {
    fn from(pass: RasterPass) -> Pass {
        match pass {
            RasterPass::Shadow => Pass::Shadow,
            RasterPass::Gbuffer => Pass::Gbuffer,
            RasterPass::Forward => Pass::Forward,
        }
    }
}

/// Optimisation level of code generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Codegen {
    /// Minimal, except for loops without calls: compiles fastest, runs a tenth longer; for grids of millions of points
    /// the other levels are faster
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

impl ShadeArgs {
    /// The value of one of `--options NAME=VALUE,…`; the last counts.
    pub fn engine_option(&self, name: &str) -> Option<&str> {
        let options = self.engine_options.iter().flat_map(|list| list.split(','));
        let mut values = options.filter_map(|option| option.split_once('='));
        values.rfind(|(known, _)| known.trim() == name).map(|(_, value)| value.trim())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::{Cli, Command};
    use super::*;

    fn shade(line: &str) -> Result<ShadeArgs, clap::Error> {
        let words = format!("kiln shade {line}");
        match Cli::read(words.split(' ').map(OsString::from))?.command {
            Command::Shade(args) => Ok(args),
            _ => panic!("another command"),
        }
    }

    fn param(name: &str, value: &str) -> Step {
        Step::Param(Assignment::new(name, value, ""))
    }

    #[test]
    fn takes_flags_with_one_dash() {
        let args = shade("-g 4 2 -od half -o Cout a.exr -param x -1 f.ksl -center -O0 -iters 3").unwrap();
        assert_eq!(
            (args.grid, args.outputs),
            (vec![4, 2], vec!["Cout".to_owned(), "a.exr".to_owned()])
        );
        assert_eq!(args.setup.steps, [param("x", "-1"), Step::Shader("f.ksl".to_owned())]);
        assert_eq!(args.output_type.as_deref(), Some("half"));
        assert!(args.center && args.unoptimized);
        assert_eq!(args.iterations, 3);
    }

    #[test]
    fn keeps_the_order_of_layers() {
        let line = "-layer a -param:type=color k 1,2,3 a.osl -vparam v 1 2 -3 --shader b.osl b -connect a x b y -t 1";
        let steps = shade(line).unwrap().setup.steps;
        let text = str::to_owned;
        let expected = [
            Step::Layer(text("a")),
            Step::Param(Assignment::new("k", "1,2,3", "type=color")),
            Step::Shader(text("a.osl")),
            param("v", "1,2,-3"),
            Step::Layer(text("b")),
            Step::Shader(text("b.osl")),
            Step::Connect(["a", "x", "b", "y"].map(text)),
        ];
        assert_eq!(steps, expected);
    }

    #[test]
    fn statistics_go_to_a_file_or_not() {
        let stats = |line| shade(line).unwrap().stats.map(|path| path.display().to_string());
        assert_eq!(stats("--stats x.ksl").as_deref(), Some("-"));
        assert_eq!(stats("--stats s.json x.ksl").as_deref(), Some("s.json"));
        assert_eq!(stats("--stats=s.txt x.ksl").as_deref(), Some("s.txt"));
        assert_eq!(stats("-runstats x.ksl").as_deref(), Some("-"));
        assert_eq!(stats("x.ksl"), None);
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "-g 4 4",
            "-g 0 4 x.ksl",
            "-g 4 x.ksl",
            "-od float16 x.ksl",
            "--iters 0 x.ksl",
            "--no-such x.ksl",
        ] {
            assert_eq!(shade(line).map(|_| ()).map_err(|error| error.exit_code()), Err(2), "{line}");
        }
    }
}
