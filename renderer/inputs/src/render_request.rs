//! Request of a picture: the scene, the camera, samples, layers and denoising.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use shading::Diagnostics;

use crate::names::whole_number;
use crate::scene_request::{SceneRequest, checked, set_path};
use crate::stage_args::StageArgs;
use renderer_denoise::Quality as FilterQuality;
use renderer_load::{Change, add_override};
use renderer_scene::{FrameTime, SceneDesc};
use renderer_support::Failure;

/// The request of a picture, filled by `kiln render`, programs and the live page.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct RenderRequest {
    /// Samples per pixel
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub spp: Option<u32>,
    /// Renders only these samples of --spp; B is exclusive. `kiln merge` joins the parts. With --noise, both are ends
    /// of rounds, and --checkpoint FILE --resume has the samples before A
    #[arg(long, value_name = "A..B", value_parser = parse_samples)]
    pub samples: Option<(u64, u64)>,
    /// Renders until the relative error of the picture is about this, such as 0.02, with more samples where they reduce
    /// it most; --spp is then the maximum of a pixel [default: 65536]
    #[arg(long, value_name = "ERROR", value_parser = parse_error)]
    pub noise: Option<f64>,
    /// Quality of the picture, instead of a number of samples: a preview of a few seconds, --noise 0.03 or 0.01
    #[arg(long, value_enum, conflicts_with_all = ["noise", "samples"])]
    pub quality: Option<Quality>,
    /// Minimum samples of each pixel with --noise [default: 16]
    #[arg(long, value_name = "N", requires = "noise", value_parser = clap::value_parser!(u32).range(4..=65536))]
    pub min_spp: Option<u32>,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,
    /// Crop rectangle in pixels; X1 and Y1 are exclusive
    #[arg(long, value_name = "X0,Y0,X1,Y1", value_parser = parse_crop)]
    pub crop: Option<[u32; 4]>,
    /// File of photon maps: read if it exists, else written
    #[arg(long, value_name = "FILE")]
    pub photon_map: Option<PathBuf>,
    /// Time limit, such as 90s, 5m or 1h30m; writes the picture reached by then
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time: Option<Duration>,
    /// Layer of EXR files in addition to the picture: a value such as depth, N or albedo, a component such as
    /// direct_diffuse, `components` or `crypto` for all of these, `light_GROUP`, or NAME=EXPRESSION; may be given
    /// several times
    #[arg(long, value_name = "NAME[=WHAT]")]
    pub aov: Vec<String>,
    /// Adds a light group for each light, and a layer for each group
    #[arg(long, value_name = "HOW")]
    pub light_groups: Option<LightGroups>,
    /// Hides the environment behind the scene: the picture has an alpha channel
    #[arg(long)]
    pub transparent: bool,
    /// Shows another unit or group on every surface except lights to rays of a kind (all, camera, shadow, diffuse,
    /// specular, transmission, photon): `camera=clay`, `all=show_uv except floor,ball`; may be given several times
    #[arg(long = "override", value_name = "KIND=UNIT")]
    pub overrides: Vec<String>,
    /// Camera of the scene [default: the first]
    #[arg(long, value_name = "NAME")]
    pub camera: Option<String>,
    /// Removes the noise of the picture by Open Image Denoise; its features albedo and N are rendered as well [default:
    /// high]
    #[arg(long, value_name = "QUALITY", num_args = 0..=1, require_equals = true, default_missing_value = "high")]
    pub denoise: Option<DenoiseQuality>,
    /// Display of a unit or group.
    #[command(flatten)]
    pub stage: StageArgs,
    /// The scene, and settings of light transport.
    #[command(flatten)]
    pub scene: SceneRequest,
}

/// Automatic light groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LightGroups {
    /// A group for each light, with the name of the light.
    Each,
}

/// Quality of a picture, by its relative error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Quality {
    /// Preview
    Draft,
    /// Between preview and final picture
    Normal,
    /// Final picture
    High,
}

/// Quality of denoising.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DenoiseQuality {
    /// A smaller network, for previews
    Fast,
    /// The best network
    High,
}

impl From<DenoiseQuality> for FilterQuality {
    fn from(quality: DenoiseQuality) -> FilterQuality {
        match quality {
            DenoiseQuality::Fast => FilterQuality::Fast,
            DenoiseQuality::High => FilterQuality::High,
        }
    }
}

impl RenderRequest {
    /// The relative error to reach, if one is requested.
    pub fn noise(&self) -> Option<f64> {
        self.noise.or(self.quality.map(|quality| match quality {
            Quality::Draft => 0.1,
            Quality::Normal => 0.03,
            Quality::High => 0.01,
        }))
    }

    /// Changes of the scene by the size and the crop.
    pub fn changes(&self) -> Vec<Change> {
        let size = self.size.map(|(width, height)| {
            let change = format!("film.size=({width}, {height})");
            Change::of_option("--size", format!("{width}x{height}"), change)
        });
        let crop = self.crop.map(|[x0, y0, x1, y1]| {
            let change = format!("film.crop=({x0}, {y0}, {x1}, {y1})");
            Change::of_option("--crop", format!("{x0},{y0},{x1},{y1}"), change)
        });
        size.into_iter().chain(crop).collect()
    }

    /// Reads the scene with all changes of the request, and returns its warnings with it.
    ///
    /// # Errors
    /// Mistakes in the scene or in the request.
    pub fn read(&self) -> Result<(SceneDesc, Diagnostics), Failure> {
        let (mut desc, warnings) = self.scene.read(None, self.changes(), Some(&self.stage))?;
        for text in &self.overrides {
            add_override(&mut desc, text).map_err(Failure::Mistakes)?;
        }
        Ok((desc, warnings))
    }

    /// The values that [`RenderRequest::read`] depends on. Requests with equal values have the same description of the
    /// scene, except for its frame.
    pub fn reading(&self) -> RenderRequest {
        RenderRequest {
            size: self.size,
            crop: self.crop,
            overrides: self.overrides.clone(),
            stage: self.stage.clone(),
            scene: SceneRequest {
                depth: None,
                seed: None,
                threads: None,
                // Without a time, animations are not read.
                at: self.scene.at.map(|_| FrameTime::Frame(0.0)),
                ..self.scene.clone()
            },
            ..RenderRequest::default()
        }
    }

    /// A picture of this request's scene. Values of `picture` replace those of the scene.
    pub fn of_picture(&self, picture: &RenderRequest) -> RenderRequest {
        let mut scene = self.scene.clone();
        let is_replaced = |path: &str| match path {
            "film.size" => picture.size.is_some(),
            "film.crop" => picture.crop.is_some(),
            _ => false,
        };
        scene.set.retain(|text| !is_replaced(set_path(text)));
        RenderRequest {
            scene: scene.changed_by(&picture.scene),
            stage: self.stage.clone(),
            ..picture.clone()
        }
    }

    /// Checks the values of a request that a program has made; the command line checks its own.
    ///
    /// # Errors
    /// If a value is out of its range, or two exclude each other.
    pub fn check(&self) -> Result<(), Failure> {
        let faults = [
            (self.spp == Some(0), "--spp is at least 1"),
            (
                self.samples.is_some_and(|(first, end)| first >= end),
                "--samples: the end is not above the start",
            ),
            (
                self.noise.is_some_and(|error| !(1e-5..=10.0).contains(&error)),
                "--noise is a relative error between 0.00001 and 10",
            ),
            (
                !(4..=65536).contains(&self.min_spp.unwrap_or(4)),
                "--min-spp is from 4 to 65536",
            ),
            (self.min_spp.is_some() && self.noise.is_none(), "--min-spp needs --noise"),
            (
                self.quality.is_some() && (self.noise.is_some() || self.samples.is_some()),
                "--quality excludes --noise and --samples",
            ),
            (
                self.size.is_some_and(|(width, height)| {
                    [width, height].iter().any(|side| !(1..=MAX_SIDE).contains(side))
                }),
                "--size has sides from 1 to 65536",
            ),
            (
                self.crop.is_some_and(|[x0, y0, x1, y1]| x0 >= x1 || y0 >= y1),
                "--crop has no pixels: X1 and Y1 are past its end",
            ),
            (self.time == Some(Duration::ZERO), "--time is above 0"),
        ];
        checked(self.scene.faults().into_iter().chain(faults))
    }
}

/// Maximum samples per pixel with `--noise`, unless `--spp` is given.
pub const MAX_SAMPLES: u64 = 1 << 16;

/// Maximum width and height of a picture [pixels].
const MAX_SIDE: u32 = 65536;

/// Parses a size such as `1280x720`.
pub fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once(['x', 'X', ',']).ok_or("write it as 1280x720")?;
    match (whole_number(parts.0)?, whole_number(parts.1)?) {
        (0, _) | (_, 0) => Err("a picture without pixels cannot be rendered".to_owned()),
        (w, h) if w > MAX_SIDE || h > MAX_SIDE => Err("a side may have 65536 pixels at most".to_owned()),
        size => Ok(size),
    }
}

fn parse_crop(text: &str) -> Result<[u32; 4], String> {
    let numbers: Vec<u32> = text.split(',').map(whole_number).collect::<Result<_, _>>()?;
    let crop: [u32; 4] = numbers.try_into().map_err(|_| "write it as X0,Y0,X1,Y1")?;
    if crop[0] >= crop[2] || crop[1] >= crop[3] {
        return Err("the part has no pixels: X1 and Y1 are past its end".to_owned());
    }
    Ok(crop)
}

/// Parses a duration such as `90s`, `5m`, `1h30m` or `2.5s`; a bare number is seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a length of time; write for example 90s, 5m or 1h30m");
    let mut seconds = 0.0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
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

/// Parses a relative error.
fn parse_error(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(error) if (1e-5..=10.0).contains(&error) => Ok(error),
        Ok(_) => Err("it is a relative error between 0.00001 and 10".to_owned()),
        Err(_) => Err(format!("`{text}` is not a number")),
    }
}

/// Parses a range of samples `A..B`.
fn parse_samples(text: &str) -> Result<(u64, u64), String> {
    let (a, b) = text.split_once("..").ok_or("write it as A..B, such as 0..64")?;
    let (a, b) = (whole_number(a)?, whole_number(b)?);
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
        for text in ["", "s", "1x", "-1s", "1..2s", "0s", "1e400h", "9999999999999999999999h"] {
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
