//! Points of probes from a file.

use std::path::Path;

use glam::Vec3;

use super::Failure;
use renderer_base::files::{read_regular, text_of};

/// Points from a text: three numbers a line, parted by blanks or commas; `#` begins a comment.
pub(super) fn read(path: &Path) -> Result<Vec<Vec3>, Failure> {
    let at = |reason: String| {
        Failure::User(format!("error: cannot use the points of '{}': {reason}", path.display()))
    };
    let bytes = read_regular(path).map_err(|e| at(e.to_string()))?;
    let mut points = vec![];
    for (number, line) in text_of(&bytes).lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let numbers: Option<Vec<f32>> = line
            .split([' ', '\t', ','])
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().ok().filter(|v: &f32| v.is_finite()))
            .collect();
        match numbers.as_deref() {
            Some([]) => {}
            Some(&[x, y, z]) => points.push(Vec3::new(x, y, z)),
            _ => return Err(at(format!("line {} is not three numbers", number + 1))),
        }
    }
    if points.is_empty() {
        return Err(at("it has none".to_owned()));
    }
    Ok(points)
}
