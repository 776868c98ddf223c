//! Parser of the text of Mitsuba's curves: a control point a line, as `x y z radius`; an empty line between strands.

use std::path::Path;

use glam::Vec3;

use super::strand_file::StrandFile;
use renderer_base::files::{FormatError, text_of};

pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<StrandFile, FormatError> {
    let mut file = StrandFile::default();
    let mut count = 0;
    for (index, line) in text_of(bytes).lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            file.strands.extend((count > 0).then_some(count));
            count = 0;
            continue;
        }
        let mut numbers = [0.0f32; 4];
        let mut words = line.split_ascii_whitespace();
        for number in &mut numbers {
            let word = words.next().and_then(|word| word.parse().ok());
            *number = word.ok_or_else(|| wrong(line, path, index))?;
        }
        if words.next().is_some() {
            return Err(wrong(line, path, index));
        }
        let [x, y, z, radius] = numbers;
        file.positions.push(Vec3::new(x, y, z));
        file.radii.push(radius);
        count += 1;
    }
    file.strands.extend((count > 0).then_some(count));
    Ok(file)
}

fn wrong(line: &str, path: &Path, index: usize) -> FormatError {
    let start: String = line.chars().take(60).collect();
    FormatError::Syntax {
        path: path.into(),
        line: Some(index + 1),
        reason: format!("`{start}` is not a control point: x y z radius"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_separate_strands() {
        let text = "\n0 0 0 1\n1 0 0 0.5\n\n\n0 1 0 1\n0 2 0 1\n0 3 0 2";
        let file = parse(text.as_bytes(), Path::new("a.txt")).expect("the text is valid");
        assert_eq!(file.strands, [2, 3]);
        assert_eq!(file.radii, [1.0, 0.5, 1.0, 1.0, 2.0]);
        for wrong in ["0 0 0", "0 0 0 1 2", "0 0 a 1"] {
            assert!(parse(wrong.as_bytes(), Path::new("a.txt")).is_err());
        }
    }
}
