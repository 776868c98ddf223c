//! Arguments of `kiln graph`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use renderer_inputs::common_args::{SourceArgs, parse_define};

/// `kiln graph`
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// A source file (its last unit or group; FILE:NAME selects another), the name of a shipped shader, or
    /// SCENE:MATERIAL
    pub group: OsString,
    /// Output file: .svg, or .dot for Graphviz
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Depth of nested groups that are opened; at 0 the group's own nested groups are closed [default: all]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Shows inputs that keep their defaults, too
    #[arg(long)]
    pub defaults: bool,
    /// Defines a macro of the sources; may be given several times
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub define: Vec<(String, String)>,
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
}
