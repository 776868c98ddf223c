//! Arguments of `kiln bake`.

use std::path::PathBuf;

use clap::Args;

use renderer_bake::Share;
use renderer_inputs::bake_request::BakeRequest;
use renderer_inputs::common_args::ReportArgs;
use renderer_inputs::frame_time::FrameRange;
use renderer_inputs::names::whole_number;

/// `kiln bake`
#[derive(Clone, Debug, Default, Args)]
pub struct BakeArgs {
    /// Output folder; created if it does not exist
    #[arg(short, long, value_name = "DIR", required_unless_present = "part")]
    pub output: Option<PathBuf>,
    /// The bake.
    #[command(flatten)]
    pub request: BakeRequest,
    /// Stores finished work in this file, which must not exist unless --resume is given
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Resumes from the checkpoint. With --frames, keeps the folders of finished frames
    #[arg(long)]
    pub resume: bool,
    /// Bakes a range of frames, such as 1-100 or 1-100:2, each in a folder of its own, whose name contains # for the digits
    /// of the frame: light.####
    #[arg(long, value_name = "A-B[:STEP]", allow_hyphen_values = true, conflicts_with_all = ["at", "watch", "keep"])]
    pub frames: Option<FrameRange>,
    /// Computes only the K-th of N shares of the work, into the checkpoint; `kiln merge` joins the checkpoints, from
    /// which --resume writes the files
    #[arg(long, value_name = "K/N", requires = "checkpoint", conflicts_with = "output", value_parser = parse_share)]
    pub part: Option<Share>,
    /// Bakes again whenever a file of the scene changes, first with few rays unless --keep is given; ends with Ctrl-C
    #[arg(long, conflicts_with_all = ["checkpoint", "part"])]
    pub watch: bool,
    /// Messages and statistics.
    #[command(flatten)]
    pub report: ReportArgs,
}

/// `K/N`.
fn parse_share(text: &str) -> Result<Share, String> {
    let (index, of) = text.split_once('/').ok_or("write it as K/N, such as 2/4")?;
    Share::new(whole_number(index)?, whole_number(of)?).ok_or_else(|| "K is a number from 1 to N".to_owned())
}
