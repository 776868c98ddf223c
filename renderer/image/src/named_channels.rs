//! Images as named channels (planes), such as layers of OpenEXR files.

use super::{MetaValue, Window};

/// The channels of a file by name, as planes.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedChannels {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Name and values, row-major, row 0 on top: `height × width` each. A channel of a named layer is `layer.channel`.
    pub planes: Vec<(String, Vec<f32>)>,
    /// Position within a larger image, for a cropped image.
    pub window: Option<Window>,
    /// The file's own key-value pairs, sorted by key.
    pub metadata: Vec<(String, MetaValue)>,
}
