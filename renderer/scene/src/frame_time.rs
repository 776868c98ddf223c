//! Time of a picture as users write it: `12`, `2.5s`.

use std::str::FromStr;

/// A time of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameTime {
    /// Number of a frame; it may be between two frames.
    Frame(f64),
    /// Time since frame 0 [s].
    Seconds(f64),
}

impl FrameTime {
    /// The frame at this time.
    pub fn frame(self, fps: f64) -> f64 {
        match self {
            FrameTime::Frame(frame) => frame,
            FrameTime::Seconds(seconds) => seconds * fps,
        }
    }
}

impl FromStr for FrameTime {
    type Err = String;

    fn from_str(text: &str) -> Result<FrameTime, String> {
        let (number, is_seconds) = match text.strip_suffix('s') {
            Some(number) => (number, true),
            None => (text, false),
        };
        match number.parse::<f64>() {
            Ok(x) if x.is_finite() && is_seconds => Ok(FrameTime::Seconds(x)),
            Ok(x) if x.is_finite() => Ok(FrameTime::Frame(x)),
            _ => Err("write a frame, as 12, or seconds, as 2.5s".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_frames_or_seconds() {
        assert_eq!("12".parse(), Ok(FrameTime::Frame(12.0)));
        assert_eq!("-1.5".parse(), Ok(FrameTime::Frame(-1.5)));
        assert_eq!("2.5s".parse::<FrameTime>().map(|time| time.frame(24.0)), Ok(60.0));
        for text in ["", "s", "x", "infs", "nan"] {
            assert!(text.parse::<FrameTime>().is_err(), "{text}");
        }
    }
}
