//! The command line: what can be said, and which command it is for. The texts here are the manual.

mod bake;
mod common;
mod shade;
mod viewer;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Id, Parser, Subcommand};

pub use bake::{BakeArgs, BakeTarget, Layout};
pub use common::{CommonArgs, MitsubaArgs, SourceArgs};
pub use shade::{Assignment, Setup, ShadeArgs, Step};
pub use viewer::Viewer;

/// Kiln, an offline path tracer with a shading language.
#[derive(Debug, Parser)]
#[command(name = "kiln", version, about, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Renders a scene (.kiln, Mitsuba's .xml) or a model (.glb, .gltf, .ply, .obj, .serialized)
    Render(RenderArgs),
    /// Bakes light into textures, vertices or probes, as spherical harmonics
    Bake(BakeArgs),
    /// Compiles units, groups and scenes, and says what is wrong with them
    Check(CheckArgs),
    /// Shows what units, groups, scenes and models hold, or what ships with Kiln
    Info(InfoArgs),
    /// Writes a scene of Mitsuba's (.xml) as Kiln's own (.kiln)
    Convert(ConvertArgs),
    /// Runs a unit or group over a grid of points
    Shade(ShadeArgs),
    /// Tells how far an image is from a reference
    Compare(CompareArgs),
    /// Packs this program and Embree into an archive that can be unpacked anywhere
    Archive(ArchiveArgs),
}

/// `kiln render`
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// What `bake` takes too.
    #[command(flatten)]
    pub common: CommonArgs,
    /// Where the picture goes: .exr, .tif, .png, .hdr or .jpg; may be given several times [default: SCENE.png, here]
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Samples per pixel
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub spp: Option<u32>,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,
    /// Part of the picture to render, in pixels, the last two exclusive
    #[arg(long, value_name = "X0,Y0,X1,Y1", value_parser = parse_crop)]
    pub crop: Option<[u32; 4]>,
    /// Keeps photon maps from one run to the next: reads them when the file exists, else writes it
    #[arg(long, value_name = "FILE")]
    pub photon_map: Option<PathBuf>,
    /// Stop after so long, with what there is: 90s, 5m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time: Option<Duration>,
    /// Which camera of the scene [default: the first]
    #[arg(long, value_name = "NAME")]
    pub camera: Option<String>,
    /// Brightens 8-bit pictures by so many stops
    #[arg(long, value_name = "STOPS", default_value_t = 0.0, allow_hyphen_values = true)]
    pub exposure: f32,
    /// Shows the picture in the viewer tev while it is rendered; it listens at 127.0.0.1:14158 unless told otherwise
    #[arg(long, value_name = "tev[=HOST:PORT]", value_parser = Viewer::parse)]
    pub preview: Option<Viewer>,
}

/// `kiln convert`
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// A scene of Mitsuba's (.xml)
    pub scene: PathBuf,
    /// Where the scene goes (.kiln); its meshes and images go into a folder beside it, called as it with `_files`
    pub output: PathBuf,
    /// What scenes of Mitsuba's take.
    #[command(flatten)]
    pub mitsuba: MitsubaArgs,
    /// Prints nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// `kiln check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Shader sources, scenes and models
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// How shader sources are read.
    #[command(flatten)]
    pub source: SourceArgs,
    /// What scenes of Mitsuba's take.
    #[command(flatten)]
    pub mitsuba: MitsubaArgs,
    /// Takes warnings for errors
    #[arg(long = "Werror")]
    pub warnings_are_errors: bool,
    /// Shows warnings (they are shown anyway; other compilers' habit)
    #[arg(long = "Wall", hide = true)]
    pub all_warnings: bool,
}

/// `kiln info`
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// A source file (all its units and groups; FILE:NAME picks one), the name of a shipped unit or group, a scene or a
    /// model [default: what ships]
    pub subjects: Vec<String>,
    /// How shader sources are read.
    #[command(flatten)]
    pub source: SourceArgs,
    /// What scenes of Mitsuba's take.
    #[command(flatten)]
    pub mitsuba: MitsubaArgs,
    /// Prints JSON
    #[arg(long)]
    pub json: bool,
    /// Shows this parameter only
    #[arg(long, value_name = "NAME", requires = "subjects")]
    pub param: Option<String>,
    /// Shows defaults and metadata (they are shown anyway; the habit of `oslinfo`)
    #[arg(short, hide = true)]
    pub verbose: bool,
}

/// `kiln archive`
#[derive(Debug, Args)]
pub struct ArchiveArgs {
    /// Where the archive goes: .tar.gz or .tgz [default: kiln-VERSION-SYSTEM.tar.gz, here]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `kiln compare`
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The image on trial
    pub image: PathBuf,
    /// The reference
    pub reference: PathBuf,
    /// Writes a picture of the differences
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Exit with status 1 when the relative MSE is beyond this
    #[arg(long, value_name = "RELMSE")]
    pub threshold: Option<f64>,
}

impl Cli {
    /// Reads a command line. `testshade` spells long flags with one dash: `shade -od half` is `shade --od half`.
    ///
    /// # Errors
    /// What is wrong with it, or the help that was asked for.
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
            _ => {}
        }
        let mut command = Cli::command();
        let matches = command.try_get_matches_from_mut(args)?;
        let mut cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        if let (Command::Bake(args), Some((_, matches))) = (&mut cli.command, matches.subcommand()) {
            let is_given = |id: &&Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
            args.given = matches.ids().filter(is_given).map(ToString::to_string).collect();
        }
        Ok(cli)
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once(['x', 'X', ',']).ok_or("write it as 1280x720")?;
    let number = |s: &str| {
        s.trim()
            .parse::<u32>()
            .map_err(|_| format!("`{s}` is no whole number"))
    };
    match (number(parts.0)?, number(parts.1)?) {
        (0, _) | (_, 0) => Err("a picture without pixels cannot be rendered".to_owned()),
        (w, h) if w > 65536 || h > 65536 => Err("a side may have 65536 pixels at most".to_owned()),
        size => Ok(size),
    }
}

fn parse_crop(text: &str) -> Result<[u32; 4], String> {
    let numbers: Vec<u32> = text
        .split(',')
        .map(|s| {
            s.trim()
                .parse::<u32>()
                .map_err(|_| format!("`{s}` is no whole number"))
        })
        .collect::<Result<_, _>>()?;
    let crop: [u32; 4] = numbers.try_into().map_err(|_| "write it as X0,Y0,X1,Y1")?;
    if crop[0] >= crop[2] || crop[1] >= crop[3] {
        return Err("the part has no pixels: X1 and Y1 are past its end".to_owned());
    }
    Ok(crop)
}

/// `90s`, `5m`, `1h30m`, `2.5s`; a bare number is seconds.
fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no length of time; write for example 90s, 5m or 1h30m");
    let mut seconds = 0.0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| wrong())?;
        let unit = rest[digits..].chars().next();
        seconds += number
            * match unit {
                Some('h') => 3600.0,
                Some('m') => 60.0,
                Some('s') | None => 1.0,
                Some(_) => return Err(wrong()),
            };
        rest = &rest[digits + usize::from(unit.is_some())..];
    }
    if seconds > 0.0 {
        Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(parse_duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_duration("2.5"), Ok(Duration::from_millis(2500)));
        for text in [
            "",
            "s",
            "1x",
            "-1s",
            "1..2s",
            "0s",
            "1e400h",
            "9999999999999999999999h",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_and_crops() {
        assert_eq!(parse_size("640x480"), Ok((640, 480)));
        assert!(parse_size("0x480").is_err());
        assert_eq!(parse_crop("0,0,8,8"), Ok([0, 0, 8, 8]));
        assert!(parse_crop("8,0,8,8").is_err());
    }
}
