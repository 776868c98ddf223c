//! Arguments of `kiln gallery`.

use std::path::PathBuf;

use clap::Args;

use renderer_inputs::common_args::{SourceArgs, parse_define};
use renderer_inputs::render_request::parse_size;

/// `kiln gallery`
#[derive(Debug, Args)]
pub struct GalleryArgs {
    /// Shader files (.ksl, .osl, .tsl), and folders of them [default: the shipped library]
    pub shaders: Vec<PathBuf>,
    /// Folder of the page `index.html`; a file that ends in .md receives tables in Markdown instead
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// Width and height of the pictures
    #[arg(long, value_name = "WxH", value_parser = parse_size, default_value = "256x256")]
    pub size: (u32, u32),
    /// Samples per pixel
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536), default_value = "32")]
    pub spp: u32,
    /// Threads; the result does not depend on it [default: all processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Defines a macro of the sources; may be given several times
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub define: Vec<(String, String)>,
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Prints errors only
    #[arg(short, long)]
    pub quiet: bool,
}
