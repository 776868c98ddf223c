//! Arguments of `kiln render` and `kiln merge`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::image::parse_exposure;
use super::{DenoiseQuality, ToneCurve, Viewer};
use renderer_inputs::common_args::ReportArgs;
use renderer_inputs::frame_time::FrameRange;
use renderer_inputs::render_request::{RenderRequest, parse_duration};

/// `kiln render`
#[derive(Clone, Debug, Args)]
pub struct RenderArgs {
    /// Output file of the picture: .exr, .tif, .png, .hdr or .jpg, or .part for its exact sums; may be given several
    /// times [default: SCENE.png, here]
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// The picture.
    #[command(flatten)]
    pub request: RenderRequest,
    /// Stores the progress in this file, from which --resume continues; it is a part, as `-o FILE.part` writes it
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Minimum interval between checkpoints; writing them uses at most a hundredth of the time
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_duration, requires = "checkpoint")]
    pub checkpoint_every: Duration,
    /// Resumes from the checkpoint; starts from the beginning if the file does not exist. With --frames, keeps the files of
    /// finished frames
    #[arg(long)]
    pub resume: bool,
    /// Renders a range of frames, such as 1-100 or 1-100:2; names of files contain # for the digits of the frame:
    /// frame.####.exr
    #[arg(long, value_name = "A-B[:STEP]", allow_hyphen_values = true, conflicts_with_all = ["at", "watch", "preview"])]
    pub frames: Option<FrameRange>,
    /// Interval at which the intermediate picture is written
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub write_every: Option<Duration>,
    /// Exposure of 8-bit pictures in stops
    #[arg(long, value_name = "STOPS", default_value_t = 0.0, allow_hyphen_values = true, value_parser = parse_exposure)]
    pub exposure: f32,
    /// Tone curve of 8-bit pictures
    #[arg(long, value_name = "CURVE", default_value = "none")]
    pub tone_map: ToneCurve,
    /// Shows the picture while it is rendered, denoised with --denoise: in the viewer tev, by default at
    /// 127.0.0.1:14158, or on the terminal
    #[arg(long, value_name = "tev[=HOST:PORT]|terminal", value_parser = Viewer::parse)]
    pub preview: Option<Viewer>,
    /// Renders again whenever a file of the scene changes, first with few samples; ends with Ctrl-C
    #[arg(long, conflicts_with_all = ["checkpoint", "samples", "photon_map", "progress"])]
    pub watch: bool,
    /// Reports progress on standard output: `openjd` as Open Job Description messages
    #[arg(long, value_name = "FORM")]
    pub progress: Option<ProgressForm>,
    /// Messages and statistics.
    #[command(flatten)]
    pub report: ReportArgs,
}

/// Format of progress messages for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressForm {
    /// Lines of Open Job Description.
    Openjd,
}

/// `kiln merge`
#[derive(Clone, Debug, Args)]
pub struct MergeArgs {
    /// Parts, as `kiln render -o FILE.part` and `--checkpoint` write them
    #[arg(required = true)]
    pub parts: Vec<PathBuf>,
    /// Output file of the picture: .exr, .tif, .png, .hdr or .jpg, or .part for all sums; may be given several times
    #[arg(short, long, value_name = "FILE", required = true)]
    pub output: Vec<PathBuf>,
    /// Merges a range of frames, such as 1-100 or 1-100:2; names of files contain # for the digits of the frame
    #[arg(long, value_name = "A-B[:STEP]", allow_hyphen_values = true)]
    pub frames: Option<FrameRange>,
    /// Allows missing samples between the parts
    #[arg(long)]
    pub allow_gaps: bool,
    /// Exposure of 8-bit pictures in stops
    #[arg(long, value_name = "STOPS", default_value_t = 0.0, allow_hyphen_values = true, value_parser = parse_exposure)]
    pub exposure: f32,
    /// Tone curve of 8-bit pictures
    #[arg(long, value_name = "CURVE", default_value = "none")]
    pub tone_map: ToneCurve,
    /// Removes the noise of the picture by Open Image Denoise, with the features that `kiln render --denoise` stores in
    /// parts [default: high]
    #[arg(long, value_name = "QUALITY", num_args = 0..=1, require_equals = true, default_missing_value = "high")]
    pub denoise: Option<DenoiseQuality>,
    /// Prints errors only
    #[arg(short, long)]
    pub quiet: bool,
}
