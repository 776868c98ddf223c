//! Arguments of the commands for finished pictures: `kiln denoise`, `kiln image`, `kiln sheet`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use renderer_image::ToneMap;
use renderer_inputs::render_request::DenoiseQuality;

/// `kiln denoise`
#[derive(Debug, Args)]
pub struct DenoiseArgs {
    /// Picture, preferably an EXR with the layers albedo and N (`kiln render --aov albedo --aov N`)
    #[arg(required_unless_present = "fetch")]
    pub image: Option<PathBuf>,
    /// Output file of the picture: .exr, which keeps all layers and the noisy picture, .tif, .png, .hdr or .jpg; may be
    /// given several times
    #[arg(short, long, value_name = "FILE", required_unless_present = "fetch")]
    pub output: Vec<PathBuf>,
    /// Quality
    #[arg(long, value_enum, default_value = "high")]
    pub quality: DenoiseQuality,
    /// Downloads Open Image Denoise into the user's cache with Python's pip, unless it is there
    #[arg(long)]
    pub fetch: bool,
    /// Exposure of 8-bit pictures in stops
    #[arg(long, value_name = "STOPS", default_value_t = 0.0, allow_hyphen_values = true, value_parser = parse_exposure)]
    pub exposure: f32,
    /// Tone curve of 8-bit pictures
    #[arg(long, value_name = "CURVE", default_value = "none")]
    pub tone_map: ToneCurve,
    /// Threads [default: one per core]
    #[arg(short = 't', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub threads: Option<u32>,
    /// Prints errors only
    #[arg(short, long)]
    pub quiet: bool,
}

/// `kiln image`
#[derive(Debug, Args)]
pub struct ImageArgs {
    /// Image
    pub image: PathBuf,
    /// Output file: .exr, .tif, .hdr, .png or .jpg
    #[arg(short, long, value_name = "FILE", required = true)]
    pub output: PathBuf,
    /// Layer of an EXR instead of its picture; 8-bit formats show it as `kiln sheet` does, other formats keep its values
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Exposure of 8-bit pictures in stops
    #[arg(long, value_name = "STOPS", default_value_t = 0.0, allow_hyphen_values = true, value_parser = parse_exposure)]
    pub exposure: f32,
    /// Tone curve of 8-bit pictures
    #[arg(long, value_name = "CURVE", default_value = "none")]
    pub tone_map: ToneCurve,
}

/// `kiln sheet`
#[derive(Debug, Args)]
pub struct SheetArgs {
    /// Image with layers: an EXR
    pub image: PathBuf,
    /// Output file: .png or .jpg, or a float format
    #[arg(short, long, value_name = "FILE", required = true)]
    pub output: PathBuf,
    /// Exposure of light layers in stops [default: automatic for dark layers]
    #[arg(long, value_name = "STOPS", allow_hyphen_values = true, value_parser = parse_exposure)]
    pub exposure: Option<f32>,
    /// Tone curve of layers of light
    #[arg(long, value_name = "CURVE", default_value = "none")]
    pub tone_map: ToneCurve,
}

/// Tone curve of 8-bit pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ToneCurve {
    /// Values above 1 are white
    #[default]
    None,
    /// Troy Sobotka's AgX: bright colours fade to white
    Agx,
    /// John Hable's filmic curve
    Filmic,
    /// Krzysztof Narkowicz's fit to ACES
    Aces,
}

impl From<ToneCurve> for ToneMap {
    fn from(curve: ToneCurve) -> ToneMap {
        match curve {
            ToneCurve::None => ToneMap::None,
            ToneCurve::Agx => ToneMap::Agx,
            ToneCurve::Filmic => ToneMap::Filmic,
            ToneCurve::Aces => ToneMap::Aces,
        }
    }
}

/// Parses an exposure [stops]; larger ones exceed the range of 32-bit floats.
pub(super) fn parse_exposure(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(stops) if stops.abs() <= 100.0 => Ok(stops),
        Ok(_) => Err("it is a number of stops between -100 and 100".to_owned()),
        Err(_) => Err(format!("`{text}` is not a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exposures_are_finite() {
        assert_eq!(parse_exposure("-2.5"), Ok(-2.5));
        for text in ["", "x", "nan", "inf", "-1e39", "101"] {
            assert!(parse_exposure(text).is_err(), "{text}");
        }
    }
}
