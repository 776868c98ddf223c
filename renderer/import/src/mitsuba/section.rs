//! Sections of the translated scene text, with the origin of each declaration.

use std::ops::Range;
use std::path::Path;

use shading::Span;

/// The parts of the text.
#[derive(Default)]
pub(super) struct Sections {
    pub(super) settings: Section,
    pub(super) cameras: Section,
    pub(super) lights: Section,
    pub(super) materials: Section,
    pub(super) shapes: Section,
}

/// Declarations of a kind, and where each comes from.
#[derive(Default)]
pub(super) struct Section {
    pub(super) text: String,
    pub(super) origins: Vec<(Range<usize>, Span)>,
}

impl Section {
    /// Adds the text of what stands at `place`.
    pub(super) fn push(&mut self, text: &str, place: Span) {
        let start = self.text.len();
        self.text.push_str(text);
        self.origins.push((start..self.text.len(), place));
    }
}

impl Sections {
    pub(super) fn text(&self, path: &Path) -> (String, Vec<(Range<usize>, Span)>) {
        let name = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .replace(['\n', '\r'], " ");
        let mut text = format!("// From {name}, a scene of Mitsuba 3.\n");
        let mut origins = vec![];
        for section in [
            &self.settings,
            &self.cameras,
            &self.lights,
            &self.materials,
            &self.shapes,
        ] {
            if !section.text.is_empty() {
                text.push('\n');
                let start = text.len();
                let moved =
                    |(range, place): &(Range<usize>, Span)| (range.start + start..range.end + start, *place);
                origins.extend(section.origins.iter().map(moved));
                text.push_str(&section.text);
            }
        }
        (text, origins)
    }
}
