//! Arguments of `kiln render` and `kiln merge`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::image::parse_exposure;
use super::{DenoiseQuality, ToneCurve, Viewer};
use renderer_inputs::common_args::CommonArgs;
use renderer_inputs::stage_args::StageArgs;

/// `kiln render`
#[derive(Clone, Debug, Args)]
pub struct RenderArgs {
    /// Output file of the picture: .exr, .tif, .png, .hdr or .jpg, or .part for its exact sums; may be given several
    /// times [default: SCENE.png, here]
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Samples per pixel
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub spp: Option<u32>,
    /// Takes these samples alone, of those of --spp; B is not among them. `kiln merge` joins the parts. With --noise, both are
    /// ends of rounds, and --checkpoint FILE --resume has the samples before A
    #[arg(long, value_name = "A..B", value_parser = parse_samples)]
    pub samples: Option<(u64, u64)>,
    /// Takes samples until the relative error of the picture is about this, such as 0.02, more where they help more; --spp
    /// is then the most of a pixel [default: 65536]
    #[arg(long, value_name = "ERROR", value_parser = parse_error)]
    pub noise: Option<f64>,
    /// Quality of the picture, instead of a number of samples: the same as --noise 0.1, 0.03 or 0.01
    #[arg(long, value_enum, conflicts_with_all = ["noise", "samples"])]
    pub quality: Option<Quality>,
    /// Samples that each pixel gets at least with --noise [default: 16]
    #[arg(long, value_name = "N", requires = "noise", value_parser = clap::value_parser!(u32).range(4..=65536))]
    pub min_spp: Option<u32>,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,
    /// Part of the picture to render, in pixels, the last two exclusive
    #[arg(long, value_name = "X0,Y0,X1,Y1", value_parser = parse_crop)]
    pub crop: Option<[u32; 4]>,
    /// Keeps photon maps from one run to the next: reads them when the file exists, else writes it
    #[arg(long, value_name = "FILE")]
    pub photon_map: Option<PathBuf>,
    /// Time limit, such as 90s, 5m or 1h30m; writes the picture reached by then
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time: Option<Duration>,
    /// Stores the progress in this file, from which --resume continues; it is a part, as `-o FILE.part` writes it
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Minimum interval between checkpoints; writing them uses at most a hundredth of the time
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_duration, requires = "checkpoint")]
    pub checkpoint_every: Duration,
    /// Resumes from the checkpoint; starts from the beginning if there is none yet
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
    /// Interval at which the intermediate picture is written
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub write_every: Option<Duration>,
    /// Layer of EXR files in addition to the picture: a value such as depth, N or albedo, a component such as
    /// direct_diffuse, `components` or `crypto` for all of these, `light_GROUP`, or NAME=EXPRESSION; may be given
    /// several times
    #[arg(long, value_name = "NAME[=WHAT]")]
    pub aov: Vec<String>,
    /// Makes a light group of each light, and a layer of each group
    #[arg(long, value_name = "HOW")]
    pub light_groups: Option<LightGroups>,
    /// Shows no environment behind the scene: the picture has an alpha channel
    #[arg(long)]
    pub transparent: bool,
    /// Shows another unit or group on every surface except lights to rays of a kind (all, camera, shadow, diffuse,
    /// specular, transmission, photon): `camera=clay`, `all=show_uv except floor,ball`; may be given several times
    #[arg(long = "override", value_name = "KIND=UNIT")]
    pub overrides: Vec<String>,
    /// Camera of the scene [default: the first]
    #[arg(long, value_name = "NAME")]
    pub camera: Option<String>,
    /// Exposure of 8-bit pictures in stops
    #[arg(long, value_name = "STOPS", default_value_t = 0.0, allow_hyphen_values = true, value_parser = parse_exposure)]
    pub exposure: f32,
    /// Tone curve of 8-bit pictures
    #[arg(long, value_name = "CURVE", default_value = "none")]
    pub tone_map: ToneCurve,
    /// Removes the noise of the picture by Open Image Denoise, whose features albedo and N are rendered with it
    /// [default: high]
    #[arg(long, value_name = "QUALITY", num_args = 0..=1, require_equals = true, default_missing_value = "high")]
    pub denoise: Option<DenoiseQuality>,
    /// Shows the picture while it is rendered, denoised with --denoise: in the viewer tev, by default at
    /// 127.0.0.1:14158, or on the terminal
    #[arg(long, value_name = "tev[=HOST:PORT]|terminal", value_parser = Viewer::parse)]
    pub preview: Option<Viewer>,
    /// Renders again whenever a file changes that was read, first with few samples; ends with Ctrl-C
    #[arg(long, conflicts_with_all = ["checkpoint", "samples", "photon_map", "progress"])]
    pub watch: bool,
    /// Tells the progress on standard output: `openjd` as Open Job Description has it
    #[arg(long, value_name = "FORM")]
    pub progress: Option<ProgressForm>,
    /// How a unit or group is shown.
    #[command(flatten)]
    pub stage: StageArgs,
    /// Options shared with `bake`.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Light groups that a scene does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LightGroups {
    /// A group for each light, with the name of the light.
    Each,
}

/// Quality of a picture, by its relative error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Quality {
    /// To see what is where
    Draft,
    /// To look at
    Normal,
    /// To keep
    High,
}

impl RenderArgs {
    /// The relative error to reach, if one is requested.
    pub fn noise(&self) -> Option<f64> {
        self.noise.or(self.quality.map(|quality| match quality {
            Quality::Draft => 0.1,
            Quality::Normal => 0.03,
            Quality::High => 0.01,
        }))
    }
}

/// Format of progress messages for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressForm {
    /// Lines of Open Job Description.
    Openjd,
}

/// `kiln merge`
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Parts: what `kiln render -o FILE.part` and `--checkpoint` write
    #[arg(required = true)]
    pub parts: Vec<PathBuf>,
    /// Output file of the picture: .exr, .tif, .png, .hdr or .jpg, or .part for all sums; may be given several times
    #[arg(short, long, value_name = "FILE", required = true)]
    pub output: Vec<PathBuf>,
    /// Takes parts between which samples are missing
    #[arg(long)]
    pub allow_gaps: bool,
    /// Exposure of 8-bit pictures in stops
    #[arg(long, value_name = "STOPS", default_value_t = 0.0, allow_hyphen_values = true, value_parser = parse_exposure)]
    pub exposure: f32,
    /// Tone curve of 8-bit pictures
    #[arg(long, value_name = "CURVE", default_value = "none")]
    pub tone_map: ToneCurve,
    /// Removes the noise of the picture by Open Image Denoise, with the features that a render with --denoise has put into
    /// the parts
    /// [default: high]
    #[arg(long, value_name = "QUALITY", num_args = 0..=1, require_equals = true, default_missing_value = "high")]
    pub denoise: Option<DenoiseQuality>,
    /// Prints errors only
    #[arg(short, long)]
    pub quiet: bool,
}

pub(super) fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once(['x', 'X', ',']).ok_or("write it as 1280x720")?;
    let number = |s: &str| {
        s.trim()
            .parse::<u32>()
            .map_err(|_| format!("`{s}` is not a whole number"))
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
                .map_err(|_| format!("`{s}` is not a whole number"))
        })
        .collect::<Result<_, _>>()?;
    let crop: [u32; 4] = numbers.try_into().map_err(|_| "write it as X0,Y0,X1,Y1")?;
    if crop[0] >= crop[2] || crop[1] >= crop[3] {
        return Err("the part has no pixels: X1 and Y1 are past its end".to_owned());
    }
    Ok(crop)
}

/// `90s`, `5m`, `1h30m`, `2.5s`; a bare number is seconds.
pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a length of time; write for example 90s, 5m or 1h30m");
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

/// A relative error.
fn parse_error(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(error) if (1e-5..=10.0).contains(&error) => Ok(error),
        Ok(_) => Err("it is a relative error between 0.00001 and 10".to_owned()),
        Err(_) => Err(format!("`{text}` is not a number")),
    }
}

/// `A..B`.
fn parse_samples(text: &str) -> Result<(u64, u64), String> {
    let (a, b) = text.split_once("..").ok_or("write it as A..B, such as 0..64")?;
    let number = |s: &str| {
        let number = s.trim().parse::<u32>();
        number.map_err(|_| format!("`{s}` is not a whole number"))
    };
    let (a, b) = (number(a)?, number(b)?);
    if a >= b {
        return Err("there are no samples in it: B is past its end".to_owned());
    }
    Ok((u64::from(a), u64::from(b)))
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
    fn ranges_of_samples() {
        assert_eq!(parse_samples("16..64"), Ok((16, 64)));
        for text in ["", "16", "16..", "..3", "5..5", "6..5", "-1..5", "0..5000000000"] {
            assert!(parse_samples(text).is_err(), "{text}");
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
