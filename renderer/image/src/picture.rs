//! Images for textures: mip levels and file information.

use std::path::Path;

use super::{ImageError, MetaValue, Raster};

/// Picture of a file with several pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Subimage {
    /// The picture that [`decode`] reads.
    #[default]
    First,
    /// By its place in the file.
    Index(usize),
    /// By its name.
    Name(String),
}

/// Roles of a picture's channels: colour and alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorChannels {
    /// True if the first channel is grey; else the first three are red, green and blue.
    pub is_grey: bool,
    /// Alpha, if one is.
    pub alpha: Option<usize>,
}

impl ColorChannels {
    /// Colour channels of a file without channel names, by their number.
    pub fn of_count(channels: usize) -> ColorChannels {
        ColorChannels {
            is_grey: channels <= 2,
            alpha: match channels {
                0 | 1 | 3 => None,
                2 => Some(1),
                _ => Some(3),
            },
        }
    }
}

/// Description of a texture's file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PictureInfo {
    /// Key-value pairs, with OpenImageIO's keys.
    pub attributes: Vec<(String, MetaValue)>,
    /// Colour channels, if the file has channel names.
    pub colors: Option<ColorChannels>,
    /// Wrap modes along s and t, as `maketx` writes them: `black,periodic`.
    pub wrap: Option<String>,
    /// Pictures in the file.
    pub subimages: usize,
    /// True if the image is a longitude-latitude environment.
    pub is_environment: bool,
    /// True if the outermost texels of the environment are on its borders, as in OpenEXR.
    pub has_border_texels: bool,
}

impl PictureInfo {
    /// The value of a key.
    pub fn attribute(&self, key: &str) -> Option<&MetaValue> {
        let found = self.attributes.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value)
    }
}

/// A picture of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The picture and the mip levels of the file, each half the size of the previous one.
    pub levels: Vec<Raster>,
    /// Description of the file.
    pub info: PictureInfo,
}

/// The error for a picture that a file does not have.
pub(super) fn no_such_picture(path: &Path, subimage: &Subimage, count: usize) -> ImageError {
    let reason = match subimage {
        Subimage::First => "it has no picture".to_owned(),
        Subimage::Index(index) => format!("it has no picture {index}, only {count}"),
        Subimage::Name(name) => format!("it has no picture '{name}'"),
    };
    ImageError::unsupported(path, reason)
}

/// The leading levels with half the size of the previous one, rounded down or up.
pub(super) fn halving(levels: Vec<Raster>) -> Vec<Raster> {
    let mut kept: Vec<Raster> = vec![];
    for level in levels {
        if let Some(last) = kept.last() {
            let halves =
                |large: usize, small: usize| small == (large / 2).max(1) || small == large.div_ceil(2);
            let fits = halves(last.width, level.width) && halves(last.height, level.height);
            if !fits || last.channels != level.channels || (last.width, last.height) == (1, 1) {
                break;
            }
        }
        kept.push(level);
    }
    kept
}
