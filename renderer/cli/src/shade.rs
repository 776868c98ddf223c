//! Arguments of `kiln shade`: the flags of OSL's `testshade`, with one dash or two.

mod spelling;

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use shading_raster::Pass;

pub(super) use spelling::widen;

use renderer_inputs::shade_request::ShadeRequest;

/// `kiln shade`
#[derive(Debug, Args)]
pub struct ShadeArgs {
    /// The shaders and the points.
    #[command(flatten)]
    pub request: ShadeRequest,
    /// Writes an output as an image (.exr .tif .png .hdr .jpg; `null` writes nothing); may be given several times
    #[arg(short = 'o', long = "output", num_args = 2, value_names = ["OUTPUT", "FILE"])]
    pub outputs: Vec<String>,
    /// Type of the numbers in images: uint8, uint16, half or float [default: float, and ints as they are]
    #[arg(short = 'd', long = "od", value_name = "TYPE", value_parser = ["uint8", "uint16", "half", "float"])]
    pub output_type: Option<String>,
    /// Prints the outputs at every point instead of writing images
    #[arg(long)]
    pub print: bool,
    /// Shows the parameters of all layers (with `-v`)
    #[arg(long = "oslquery", hide = true)]
    pub query: bool,
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

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::{Cli, Command};
    use super::*;
    use renderer_inputs::shade_request::steps::{Assignment, Step};

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
            (args.request.grid, args.outputs),
            (vec![4, 2], vec!["Cout".to_owned(), "a.exr".to_owned()])
        );
        assert_eq!(args.request.setup.steps, [param("x", "-1"), Step::Shader("f.ksl".to_owned())]);
        assert_eq!(args.output_type.as_deref(), Some("half"));
        assert!(args.request.center && args.request.unoptimized);
        assert_eq!(args.request.iterations, Some(3));
    }

    #[test]
    fn keeps_the_order_of_layers() {
        let line = "-layer a -param:type=color k 1,2,3 a.osl -vparam v 1 2 -3 --shader b.osl b -connect a x b y -t 1";
        let steps = shade(line).unwrap().request.setup.steps;
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
