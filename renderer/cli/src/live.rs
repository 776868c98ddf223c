//! Arguments of `kiln live`.

use std::path::PathBuf;

use clap::Args;

use renderer_inputs::common_args::{ImportArgs, SourceArgs};
use renderer_inputs::render_request::parse_size;
use renderer_inputs::stage_args::StageArgs;

/// `kiln live`
#[derive(Clone, Debug, Args)]
pub struct LiveArgs {
    /// A scene, a model, or a unit or group: a source file (its last; FILE:NAME selects another) or the name of a
    /// shipped shader
    pub scene: PathBuf,
    /// Port of the address [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Width and height of the picture [default: as of the scene, 512x512 of a unit or group]
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,
    /// Maximum samples per pixel [default: 256]
    #[arg(long, value_name = "N", default_value_t = 256, hide_default_value = true,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub spp: u32,
    /// Name of the camera [default: the first]
    #[arg(long, value_name = "NAME")]
    pub camera: Option<String>,
    /// Changes a value of the scene, such as `film.size=(320, 240)`; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Number of threads; the picture does not depend on it [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<u32>,
    /// Display of a unit or group.
    #[command(flatten)]
    pub stage: StageArgs,
    /// Options for Mitsuba scenes.
    #[command(flatten)]
    pub import: ImportArgs,
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
}
