//! Arguments of `kiln pack`.

use std::path::PathBuf;

use clap::Args;

use renderer_inputs::common_args::{ImportArgs, SourceArgs};
use renderer_load::Lighting;

/// `kiln pack`
#[derive(Debug, Args)]
pub struct PackArgs {
    /// Scene or model
    pub scene: PathBuf,
    /// Output file of the archive (.zip)
    #[arg(short, long, value_name = "FILE.zip")]
    pub output: PathBuf,
    /// Light in place of the scene's own: `neutral`, `studio`, `sky` or a latitude-longitude image (.hdr, .exr); `+studio`
    /// adds it
    #[arg(long, value_name = "LIGHT", value_parser = Lighting::parse)]
    pub light: Option<Lighting>,
    /// Changes a value of the scene, such as `camera.main.fov=30`; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Options for Mitsuba scenes.
    #[command(flatten)]
    pub import: ImportArgs,
    /// Prints errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Lists the packed files
    #[arg(short, long)]
    pub verbose: bool,
}
