//! Textures: images by name, filtered lookups.
//!
//! - Texture coordinates `(s, t)` have `t = 0` at the **top** row of the image and `s = 0` at its left column, as in OSL
//!   and OpenImageIO. The `uv` of glTF and of Mitsuba's scenes agrees. OBJ and PLY files of others mostly have
//!   `v = 0` at the bottom: the unit that looks up, or the key `flip_uvs` of a mesh, flips `v`; textures never do.
//! - A lookup gives linear values: encoded colour is decoded texel by texel before anything is averaged.
//! - An image is stored once, as narrow as its file (8-bit texels stay 8-bit), with its mip pyramid.
//! - Alpha is as the file has it: straight in PNG and TGA, premultiplied by custom in EXR.
//! - Textures are requested from a [`TextureLoader`], from any thread; [`TextureLoader::load`] reads them all and gives
//!   the frozen [`TextureStore`], whose lookups take no lock and allocate nothing.

mod mip;
mod sample;
mod store;
mod texels;

pub use sample::{Interpolation, Lookup, Wrap};
pub use store::{TextureId, TextureLoader, TextureSource, TextureStore};
pub use texels::{Texels, Transfer};

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::image::{Image, ImageError, Raster};
use mip::Level;

/// How the numbers of a texture's file are to be understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureColorSpace {
    /// By the kind of file: integers (PNG, JPEG, TGA, BMP) are sRGB, floats (EXR, HDR) are linear.
    #[default]
    Auto,
    /// Encoded with the sRGB transfer curve; alpha is not.
    Srgb,
    /// Linear Rec.709.
    Linear,
    /// No colour but data (normals, roughness, heights): taken as it is.
    Raw,
}

impl TextureColorSpace {
    /// The colour space of that name: `auto`, `srgb`, `linear` or `raw`, and OpenImageIO's and OSL's usual synonyms.
    pub fn from_name(name: &str) -> Option<TextureColorSpace> {
        match name.to_ascii_lowercase().as_str() {
            "" | "auto" => Some(TextureColorSpace::Auto),
            "srgb" | "srgb_texture" | "g22_rec709" => Some(TextureColorSpace::Srgb),
            "linear" | "lin_srgb" | "lin_rec709" | "scene_linear" => Some(TextureColorSpace::Linear),
            "raw" | "data" | "none" | "non-color" => Some(TextureColorSpace::Raw),
            _ => None,
        }
    }
}

/// An image with its mip pyramid, ready for lookups.
#[derive(Debug)]
pub struct Texture {
    path: PathBuf,
    channels: usize,
    /// From the image itself down to one texel.
    levels: Vec<Level>,
    non_finite: usize,
}

impl Texture {
    /// Adds its texels to a hash.
    pub fn hash_texels(&self, hasher: &mut impl Hasher) {
        let base = &self.levels[0];
        (base.width, base.height, self.channels).hash(hasher);
        base.texels.hash_bits(hasher);
    }

    /// Builds the pyramid of a decoded file. `path` is what the texture is called.
    ///
    /// Texels that are infinite or not a number become zero, for one of them would spread over the whole pyramid; see
    /// [`Texture::non_finite`].
    ///
    /// # Errors
    /// When the raster has more than four channels or no pixels.
    pub fn new(path: &Path, raster: Raster, color_space: TextureColorSpace) -> Result<Texture, ImageError> {
        let Raster {
            width,
            height,
            channels,
            ..
        } = raster;
        if width == 0 || height == 0 {
            return Err(ImageError::Empty {
                path: path.to_owned(),
                width,
                height,
            });
        }
        if !(1..=4).contains(&channels) {
            let reason = format!("{channels} channels; a texture has 1 to 4");
            return Err(ImageError::Unsupported {
                path: path.to_owned(),
                reason,
            });
        }
        let (texels, non_finite) = Texels::from_raster(raster, color_space);
        let levels = mip::pyramid(
            Level {
                width,
                height,
                texels,
            },
            channels,
        );
        Ok(Texture {
            path: path.to_owned(),
            channels,
            levels,
            non_finite,
        })
    }

    /// A texture of an image in memory, in the image's own colour space.
    ///
    /// # Errors
    /// As [`Texture::new`].
    pub fn from_image(path: &Path, image: Image) -> Result<Texture, ImageError> {
        let Image {
            width,
            height,
            channels,
            data,
            window,
            ..
        } = image.into_linear();
        let samples = crate::image::Samples::F32(data);
        Texture::new(
            path,
            Raster {
                width,
                height,
                channels,
                samples,
                window,
            },
            TextureColorSpace::Linear,
        )
    }

    /// What it is called: the file's path, or the name that was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.levels[0].width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.levels[0].height
    }

    /// Values per texel in the file: 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Whether the file has an alpha channel; without one, lookups give alpha 1.
    pub fn has_alpha(&self) -> bool {
        matches!(self.channels, 2 | 4)
    }

    /// Number of mip levels: 1 for a single texel.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// How many values were infinite or not a number and became zero.
    pub fn non_finite(&self) -> usize {
        self.non_finite
    }

    /// Memory of its texels [bytes].
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.texels.bytes()).sum()
    }

    /// The linear value of a texel of level 0: grey is repeated in all three colours, missing alpha is 1.
    ///
    /// # Panics
    /// When the texel lies outside.
    pub fn texel(&self, x: usize, y: usize) -> [f32; 4] {
        assert!(
            x < self.width() && y < self.height(),
            "texel ({x}, {y}) outside the texture"
        );
        self.levels[0].texel(x, y, self.channels)
    }
}
