//! Arguments of `kiln debug`.

use std::ffi::OsString;

use clap::Args;

use renderer_inputs::common_args::SourceArgs;
use renderer_inputs::stage_args::parse_param;

/// `kiln debug`
#[derive(Debug, Args)]
pub struct DebugArgs {
    /// A source file (its last unit or group; FILE:NAME selects another) or the name of a shipped shader
    pub shader: OsString,
    /// The point: u and v
    #[arg(long, value_name = "U,V", default_value = "0.5,0.5", value_parser = parse_point, allow_hyphen_values = true)]
    pub at: [f32; 2],
    /// Value of a parameter; may be given several times
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_param)]
    pub params: Vec<(String, String)>,
    /// Levels of groups in groups to show [default: all]
    #[arg(long, value_name = "N")]
    pub levels: Option<usize>,
    /// Defines a macro; may be given several times
    #[arg(short = 'D', value_name = "NAME[=TEXT]")]
    pub define: Vec<String>,
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `U,V`.
fn parse_point(text: &str) -> Result<[f32; 2], String> {
    let wrong = || "write it as U,V, such as 0.25,0.5".to_owned();
    let (u, v) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f32>().ok().filter(|v| v.is_finite()).ok_or_else(wrong);
    Ok([number(u)?, number(v)?])
}
