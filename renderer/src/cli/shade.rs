//! The command line of `kiln shade`: the flags of OSL's `testshade`, with one dash or two.

use std::ffi::OsString;
use std::path::PathBuf;

use super::SourceArgs;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Id};

use crate::memory;

/// The most columns or rows of a grid.
const MAX_SIDE: i64 = 1 << 24;

/// `kiln shade`
#[derive(Debug, Args)]
pub struct ShadeArgs {
    /// What runs.
    #[command(flatten)]
    pub setup: Setup,
    /// How sources are read.
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
    /// Type of the numbers in images: uint8, uint16, half or float
    #[arg(short = 'd', long = "od", value_name = "TYPE", value_parser = ["uint8", "uint16", "half", "float"])]
    pub output_type: Option<String>,
    /// Prints the outputs at every point instead of writing images
    #[arg(long)]
    pub print: bool,
    /// Threads; what is printed and written does not depend on it [default: all processors]
    #[arg(short = 't', long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub threads: Option<u32>,
    /// The most memory that textures keep, such as 256M or 4G; the result does not depend on it [default: half of what is
    /// free]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    pub texture_memory: Option<u64>,
    /// Runs the whole grid so many times
    #[arg(long = "iters", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: u32,
    /// Points lie in the middle of the grid's cells, not on its corners
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
    /// Kind of ray that the points are seen by [default: camera]
    #[arg(long = "raytype", value_name = "KIND")]
    pub ray_kind: Option<String>,
    /// Does not optimise
    #[arg(long = "O0")]
    pub unoptimized: bool,
    /// Runs the interpreter instead of machine code
    #[arg(long)]
    pub interpret: bool,
    /// Prints the code before it becomes machine code
    #[arg(long = "print-code")]
    pub print_code: bool,
    /// Prints statistics, or writes them as JSON
    #[arg(long, aliases = ["runstats"], value_name = "FILE.json", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub stats: Option<PathBuf>,
    /// Shows warnings of the compiler too, as `kiln check` does
    #[arg(short, long)]
    pub verbose: bool,
    /// Flags of `testshade` that change nothing here
    #[arg(
        long = "O1", hide = true, action = ArgAction::Count,
        aliases = ["O2", "debug", "groupoutputs", "raytype_opt", "batched", "warmup", "inbuffer",
            "no-output-placement", "shadeimage", "noshadeimage", "debugnan", "debuguninit", "use_rs_bitcode"]
    )]
    pub ignored_flags: u8,
    /// Flags of `testshade` with a value that change nothing here
    #[arg(
        long = "options", hide = true,
        aliases = ["texoptions", "groupname", "llvm_opt", "locale", "jbufferMB"]
    )]
    pub ignored_values: Vec<String>,
}

/// What runs: shaders with their inputs, in the order of the command line. As in `testshade`, what comes before a shader
/// is about it; inputs after the last one are about that too.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Each flag and each shader.
    pub steps: Vec<Step>,
}

/// What the values of an argument mean.
type Meaning = fn(&[String]) -> Vec<Step>;

/// A part of a [`Setup`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The name of the next shader's layer.
    Layer(String),
    /// An input.
    Param {
        /// Its name.
        name: String,
        /// Its value, as text.
        value: String,
    },
    /// A file, `FILE:NAME`, or the name of a shipped unit or group.
    Shader(String),
    /// Statements that set `result` and `alpha`.
    Expr(String),
    /// An output of a layer and the input of another that it feeds.
    Connect([String; 4]),
}

impl Setup {
    /// The order-sensitive arguments with the number of their values, and what they mean.
    fn arguments() -> Vec<(Arg, Meaning)> {
        let flag = |name: &'static str, values: &[&'static str]| {
            Arg::new(name)
                .long(name)
                .num_args(values.len())
                .value_names(values.to_vec())
                .action(ArgAction::Append)
        };
        let shader = Arg::new("shaders").value_name("SHADER").num_args(0..).action(ArgAction::Append).help(
            "A source file (its last unit or group; FILE:NAME picks another) or the name of a shipped unit or group; \
             several are layers of a group",
        );
        vec![
            (shader, |v| v.iter().map(|v| Step::Shader(v.clone())).collect()),
            (
                flag("param", &["NAME", "VALUE"])
                    .allow_hyphen_values(true)
                    .help("Sets an input; components are given as one argument: --param Kd 1,0,0"),
                |v| {
                    vec![Step::Param {
                        name: v[0].clone(),
                        value: v[1].clone(),
                    }]
                },
            ),
            (
                flag(TYPED_PARAM, &["OPTIONS", "NAME", "VALUE"])
                    .allow_hyphen_values(true)
                    .hide(true),
                |v| {
                    vec![Step::Param {
                        name: v[1].clone(),
                        value: v[2].clone(),
                    }]
                },
            ),
            (
                flag("layer", &["NAME"]).help("Names the layer of the next shader"),
                |v| vec![Step::Layer(v[0].clone())],
            ),
            (
                flag("shader", &["SHADER", "LAYER"]).help("Adds a shader and names its layer"),
                |v| vec![Step::Layer(v[1].clone()), Step::Shader(v[0].clone())],
            ),
            (
                flag("expr", &["STATEMENTS"])
                    .help("Runs statements that set `color result` and `float alpha`"),
                |v| vec![Step::Expr(v[0].clone())],
            ),
            (
                flag("connect", &["LAYER", "OUTPUT", "TO_LAYER", "INPUT"]).help("Feeds an input of a layer"),
                |v| vec![Step::Connect([0, 1, 2, 3].map(|i| v[i].clone()))],
            ),
        ]
    }
}

impl Args for Setup {
    fn augment_args(command: Command) -> Command {
        command.args(Setup::arguments().into_iter().map(|(arg, _)| arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Setup::augment_args(command)
    }
}

impl FromArgMatches for Setup {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Setup, clap::Error> {
        let mut steps = vec![];
        for (arg, meaning) in Setup::arguments() {
            let id: &Id = arg.get_id();
            let (Some(occurrences), Some(indices)) = (
                matches.get_occurrences::<String>(id.as_str()),
                matches.indices_of(id.as_str()),
            ) else {
                continue;
            };
            let mut indices = indices;
            for occurrence in occurrences {
                let values: Vec<String> = occurrence.cloned().collect();
                let positions: Vec<usize> = indices.by_ref().take(values.len()).collect();
                if id == "shaders" {
                    steps.extend(positions.into_iter().zip(meaning(&values)));
                } else {
                    steps.extend(meaning(&values).into_iter().map(|step| (positions[0], step)));
                }
            }
        }
        // Stable, so that both steps of one flag stay in order.
        steps.sort_by_key(|(position, _)| *position);
        let setup = Setup {
            steps: steps.into_iter().map(|(_, step)| step).collect(),
        };
        if setup
            .steps
            .iter()
            .any(|step| matches!(step, Step::Shader(_) | Step::Expr(_)))
        {
            return Ok(setup);
        }
        let message = "no shader is given\n\nUsage: kiln shade [OPTIONS] SHADER…\n";
        Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, message))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Setup::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flag that `--param:type=float[3]` becomes.
const TYPED_PARAM: &str = "param-with";

/// Long flags, which `testshade` also takes with one dash.
const LONG: &[&str] = &[
    "res",
    "od",
    "param",
    "layer",
    "shader",
    "expr",
    "connect",
    "iters",
    "center",
    "scaleuv",
    "scalest",
    "offsetuv",
    "offsetst",
    "vary_pdxdy",
    "vary_udxdy",
    "vary_vdxdy",
    "raytype",
    "raytype_opt",
    "print",
    "print-code",
    "interpret",
    "O0",
    "O1",
    "O2",
    "stats",
    "runstats",
    "options",
    "texoptions",
    "groupname",
    "groupoutputs",
    "llvm_opt",
    "locale",
    "debug",
    "batched",
    "warmup",
    "inbuffer",
    "threads",
];

/// Turns the spelling of `testshade` into ours: `-od half`, `-param:type=color Kd 1,0,0`, `-vparam Kd 1 0 0`,
/// `--stats FILE.json`.
pub(super) fn widen(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args = args.into_iter().peekable();
    let mut widened: Vec<OsString> = vec![];
    while let Some(arg) = args.next() {
        let Some(text) = arg
            .to_str()
            .filter(|text| text.len() > 2 && text.starts_with('-'))
        else {
            widened.push(arg);
            continue;
        };
        let name = text.trim_start_matches('-');
        let stem = name.split([':', '=']).next().unwrap_or(name);
        match stem {
            "param" if name.starts_with("param:") => {
                widened.extend([format!("--{TYPED_PARAM}").into(), name["param:".len()..].into()]);
            }
            "fparam" | "iparam" | "sparam" => widened.push("--param".into()),
            "vparam" => {
                widened.push("--param".into());
                widened.extend(args.next());
                let values: Vec<String> = args
                    .by_ref()
                    .take(3)
                    .map(|value| value.to_string_lossy().into_owned())
                    .collect();
                widened.push(values.join(",").into());
            }
            "stats" | "runstats" if name == stem => {
                let file = args.next_if(|next| next.to_str().is_some_and(|next| next.ends_with(".json")));
                let mut flag = OsString::from("--stats");
                if let Some(file) = file {
                    flag.push("=");
                    flag.push(file);
                }
                widened.push(flag);
            }
            _ if LONG.contains(&stem) => widened.push(format!("--{name}").into()),
            _ => widened.push(arg),
        }
    }
    widened
}

#[cfg(test)]
mod tests {
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
        Step::Param {
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }

    #[test]
    fn takes_flags_with_one_dash() {
        let args = shade("-g 4 2 -od half -o Cout a.exr -param x -1 f.ksl -center -O0 -iters 3").unwrap();
        assert_eq!(
            (args.grid, args.outputs),
            (vec![4, 2], vec!["Cout".to_owned(), "a.exr".to_owned()])
        );
        assert_eq!(
            args.setup.steps,
            [param("x", "-1"), Step::Shader("f.ksl".to_owned())]
        );
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
            param("k", "1,2,3"),
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
            assert_eq!(
                shade(line).map(|_| ()).map_err(|error| error.exit_code()),
                Err(2),
                "{line}"
            );
        }
    }
}
