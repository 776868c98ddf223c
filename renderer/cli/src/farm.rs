//! Arguments of `kiln farm`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};

use super::RenderArgs;
use renderer_base::memory;

/// `kiln farm`
#[derive(Debug, Args)]
pub struct FarmArgs {
    /// Scene or model; for a file for each frame a pattern, such as scene.####.kiln
    pub scene: PathBuf,
    /// Output file of the picture, as for `kiln merge`; for frames a pattern, such as out.####.exr; may be given
    /// several times
    #[arg(short, long, value_name = "FILE", required = true)]
    pub output: Vec<PathBuf>,
    /// Number of ranges into which the samples of each picture are split [default: 1 with --frames]
    #[arg(long, value_name = "N", required_unless_present = "frames", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub tasks: Option<u32>,
    /// Scheduler that runs the job: Slurm, or any program that reads templates of Open Job Description
    #[arg(long)]
    pub engine: Engine,
    /// Folder for the job and the parts of its pictures; the nodes see it under the same path [default: OUTPUT.farm]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Pictures: one for each file of the pattern, or each frame of a scene that moves (`1-100`), each camera of the scene
    /// (`cameras`), or some cameras (`left,right`)
    #[arg(long, value_name = "A-B", value_parser = FrameArg::parse)]
    pub frames: Option<FrameArg>,
    /// Packs the scene into the job's folder: nodes then need only the program
    #[arg(long)]
    pub pack: bool,
    /// The program on the nodes [default: this one, by its absolute path]
    #[arg(long, value_name = "PATH", value_parser = NonEmptyStringValueParser::new())]
    pub program: Option<String>,
    /// Processors of a task
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub cpus: Option<u32>,
    /// Memory of a task, such as 16G
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub memory: Option<u64>,
    /// Maximum run time of a task; a longer task continues in the next run
    #[arg(long, value_name = "TIME", value_parser = renderer_inputs::render_request::parse_duration)]
    pub time: Option<Duration>,
    /// Slurm's partition
    #[arg(long, value_name = "NAME", value_parser = parse_word)]
    pub partition: Option<String>,
    /// Slurm's account
    #[arg(long, value_name = "NAME", value_parser = parse_word)]
    pub account: Option<String>,
    /// Another option of Slurm's `sbatch`, such as --sbatch=--qos=low; may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true, value_parser = parse_option)]
    pub sbatch: Vec<String>,
    /// Exposure of 8-bit pictures in stops
    #[arg(long, value_name = "STOPS", default_value_t = 0.0, allow_hyphen_values = true, value_parser = super::image::parse_exposure)]
    pub exposure: f32,
    /// Prints errors only
    #[arg(short, long)]
    pub quiet: bool,
    /// Options of `kiln render`
    #[arg(last = true, value_name = "OPTION")]
    pub options: Vec<String>,
    /// The parsed options of `kiln render`.
    #[arg(skip)]
    pub render: Option<Box<RenderArgs>>,
}

/// Parses a memory size and rejects less than 1 MiB, which probably lacks its unit.
fn parse_memory(text: &str) -> Result<u64, String> {
    match memory::parse_size(text)? {
        bytes if bytes < 1 << 20 => {
            Err(format!("no task can do with {bytes} bytes; write a size such as 16G"))
        }
        bytes => Ok(bytes),
    }
}

/// Scheduler that runs jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Slurm: scripts for `sbatch`
    Slurm,
    /// Open Job Description: a template, version 2023-09
    Openjd,
}

/// Selection of the pictures that a job renders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameArg {
    /// Frames of a scene, or files, whose numbers are in this range, both ends included.
    Files(u32, u32),
    /// Every camera of the scene.
    AllCameras,
    /// The named cameras.
    Cameras(Vec<String>),
}

impl FrameArg {
    fn parse(text: &str) -> Result<FrameArg, String> {
        if text == "cameras" {
            return Ok(FrameArg::AllCameras);
        }
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = |text: &str| text.parse::<u32>().map_err(|_| format!("{text} is too large a number"));
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (is_number(first), is_number(last)) {
            (true, true) => match (number(first)?, number(last)?) {
                (first, last) if first > last => Err(format!("there is no frame from {first} to {last}")),
                (first, last) if last - first >= 1_000_000 => Err("at most a million frames".to_owned()),
                (first, last) => Ok(FrameArg::Files(first, last)),
            },
            (false, false) if !text.is_empty() => {
                let names: Vec<String> = text.split(',').map(str::to_owned).collect();
                if names.iter().any(String::is_empty) {
                    return Err("a camera's name is missing".to_owned());
                }
                if let Some((_, name)) = (1..).zip(&names).find(|(at, name)| names[*at..].contains(name)) {
                    return Err(format!("the camera `{name}` is named twice"));
                }
                Ok(FrameArg::Cameras(names))
            }
            _ => Err("write frames as 1-100, or `cameras`, or names of cameras".to_owned()),
        }
    }
}

fn parse_word(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-,:/@+".contains(c);
    if text.is_empty() || !text.chars().all(is_plain) {
        return Err("it has letters, digits and ._-,:/@+".to_owned());
    }
    Ok(text.to_owned())
}

fn parse_option(text: &str) -> Result<String, String> {
    if !text.starts_with('-') || text.chars().any(char::is_control) {
        return Err("it begins with a dash and is one line".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_of_bytes_says_so() {
        assert_eq!(parse_memory("16G"), Ok(16 << 30));
        for text in ["16000", "0", "512k", "x"] {
            assert!(parse_memory(text).is_err(), "{text}");
        }
    }

    #[test]
    fn frames() {
        let cameras = |names: &[&str]| FrameArg::Cameras(names.iter().map(|&name| name.to_owned()).collect());
        for (text, expected) in [
            ("1-100", FrameArg::Files(1, 100)),
            ("0007-12", FrameArg::Files(7, 12)),
            ("5", FrameArg::Files(5, 5)),
            ("cameras", FrameArg::AllCameras),
            ("left,right", cameras(&["left", "right"])),
            ("left-eye", cameras(&["left-eye"])),
        ] {
            assert_eq!(FrameArg::parse(text), Ok(expected), "{text}");
        }
        for text in ["", "5-3", "1-", "-3", "1-x", "a,,b", "a,b,a", "4294967296", "0-4000000000"] {
            assert!(FrameArg::parse(text).is_err(), "{text}");
        }
    }
}
