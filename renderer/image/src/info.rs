//! Information about an image file: format, size, channels, metadata.

use super::{Format, MetaValue, SampleType, Window};

/// Description of an image file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageInfo {
    /// File format.
    pub format: Format,
    /// Columns and rows, of an EXR with several parts those of the first.
    pub size: [usize; 2],
    /// Position within a larger image, for a cropped image.
    pub window: Option<Window>,
    /// Names and sample types of the channels, those of all parts of an EXR.
    pub channels: Vec<(String, SampleType)>,
    /// Key-value pairs of EXR and TIFF files.
    pub metadata: Vec<(String, MetaValue)>,
}
