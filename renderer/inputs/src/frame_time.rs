//! Ranges of frames on the command line, `--frames 1-100:2`, and names of files with `####`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use shading::Diagnostic;

use renderer_support::Failure;

/// Range of frames, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    first: i64,
    last: i64,
    step: u32,
}

impl FrameRange {
    /// Frames in ascending order.
    pub fn frames(self) -> impl Iterator<Item = i64> {
        (self.first..=self.last).step_by(self.step as usize)
    }
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<FrameRange, String> {
        let (range, step) = text.split_once(':').unwrap_or((text, "1"));
        // A minus sign at the start belongs to the first frame.
        let dash = range.char_indices().skip(1).find(|(_, c)| *c == '-');
        let (first, last) = match dash {
            Some((at, _)) => (&range[..at], &range[at + 1..]),
            None => (range, range),
        };
        let frame = |text: &str| text.parse::<i32>().ok().map(i64::from);
        match (frame(first), frame(last), step.parse::<u32>()) {
            (Some(first), Some(last), Ok(step)) if first <= last && step > 0 => {
                Ok(FrameRange { first, last, step })
            }
            _ => Err("write it as 1-100, or 1-100:2 for every second frame".to_owned()),
        }
    }
}

/// Replaces the last run of `#` in the name of a file by a frame, padded with zeros to the length of the run; `None` if
/// the name has no `#`.
pub fn numbered(path: &Path, frame: i64) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let end = name.rfind('#')? + 1;
    let start = name[..end].trim_end_matches('#').len();
    let sign = if frame < 0 { "-" } else { "" };
    let width = end - start;
    let number = format!("{sign}{:0width$}", frame.unsigned_abs());
    Some(path.with_file_name(format!("{}{number}{}", &name[..start], &name[end..])))
}

/// The file or folder of a frame.
///
/// # Errors
/// If the name has no `#`.
pub fn of_frame(path: &Path, frame: i64) -> Result<PathBuf, Failure> {
    numbered(path, frame).ok_or_else(|| {
        let message = format!("'{}' has no #: each frame needs a name of its own", path.display());
        let example = match path.extension().and_then(OsStr::to_str) {
            Some(extension) => format!("frame.####.{extension}"),
            None => "frame.####".to_owned(),
        };
        Failure::of(Diagnostic::error(message).hint(format!("write it as {example}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        let frames = |text: &str| text.parse::<FrameRange>().map(|range| range.frames().collect::<Vec<_>>());
        assert_eq!(frames("1-5:2"), Ok(vec![1, 3, 5]));
        assert_eq!(frames("-2-0"), Ok(vec![-2, -1, 0]));
        assert_eq!(frames("-3--2"), Ok(vec![-3, -2]));
        assert_eq!(frames("7"), Ok(vec![7]));
        for text in ["", "5-1", "1-5:0", "a-b", "1-", "1-2-3"] {
            assert!(frames(text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_have_the_number_of_the_frame() {
        let name = |text: &str, frame| numbered(Path::new(text), frame);
        assert_eq!(name("a/f.####.exr", 7), Some("a/f.0007.exr".into()));
        assert_eq!(name("f#.png", 123), Some("f123.png".into()));
        assert_eq!(name("#_##.png", -4), Some("#_-04.png".into()));
        assert_eq!(name("a#/f.png", 1), None);
    }
}
