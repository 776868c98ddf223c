//! Textures: mipmapped images by name, filtered lookups, tile cache.
//!
//! - Texture coordinates `(s, t)` have `t = 0` at the **top** row of the image and `s = 0` at its left column, as in OSL
//!   and OpenImageIO. The `uv` of glTF and of Mitsuba's scenes agrees. OBJ and PLY files of others mostly have
//!   `v = 0` at the bottom: the unit that looks up, or the key `flip_uvs` of a mesh, flips `v`; textures never do.
//! - A lookup gives linear values: encoded colour is decoded texel by texel before anything is averaged.
//! - An image is stored once, as narrow as its file (8-bit texels stay 8-bit), with its mip pyramid: that of the file,
//!   else one that is made when a lookup first needs it.
//! - Alpha is as the file has it: straight in PNG and TGA, premultiplied by custom in EXR.
//! - Textures are requested from a [`TextureLoader`], from any thread; [`TextureLoader::load`] reads them and gives
//!   the frozen [`TextureStore`], whose lookups take no lock, but for the first of a mip level that is not made yet.
//! - The loader bounds the memory of texels. Tiled files are read tile by tile; other texels beyond the bound are in a
//!   temporary file. Values do not depend on the bound.

mod color_space;
mod environment;
mod filter;
mod level;
mod loader;
mod lookup;
mod mip;
mod pyramid;
mod request;
mod sample;
mod store;
mod texels;
mod tile;
mod tile_set;

pub use color_space::TextureColorSpace;
pub use loader::TextureLoader;
pub use lookup::{EnvironmentLookup, Filter, Interpolation, Lookup, Sample, Wrap};
pub use request::{TextureId, TextureNeed, TextureRequest, TextureSource};
pub use store::TextureStore;
pub use texels::{Texels, Transfer};
pub use tile::TileCache;
pub use tile_set::{TilePattern, TileSet};

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec2;

use crate::{ColorChannels, ImageError, Picture, PictureInfo, Raster, Rect, TiledPicture, Window};
use level::{Level, LevelTexels, TexelReader};
use pyramid::Pyramid;
use tile::{PagedTexels, TileSource};

/// An image with its mip pyramid, ready for lookups.
#[derive(Debug)]
pub struct Texture {
    path: PathBuf,
    channels: usize,
    colors: ColorChannels,
    levels: Pyramid,
    /// Default wrap modes along s and t.
    wrap: [Wrap; 2],
    window: Option<Window>,
    /// Transform from texture coordinates of the whole image to those of the data window.
    window_scale: Vec2,
    window_offset: Vec2,
    info: PictureInfo,
    non_finite: usize,
}

impl Texture {
    /// Adds its texels to a hash.
    pub fn hash_texels(&self, hasher: &mut impl Hasher) {
        let base = self.levels.base();
        (base.width, base.height, self.channels).hash(hasher);
        base.hash_texels(self.channels, hasher);
    }

    /// A decoded file. `path` is the name of the texture.
    ///
    /// Non-finite texels become zero, since one would spread over the whole pyramid; see [`Texture::non_finite`].
    ///
    /// # Errors
    /// When the raster has no pixels.
    pub fn new(path: &Path, raster: Raster, color_space: TextureColorSpace) -> Result<Texture, ImageError> {
        let picture = Picture { levels: vec![raster], info: PictureInfo::default() };
        Texture::of_picture(path, picture, color_space, None)
    }

    /// A picture with its mip pyramid. If the cache has no room for it, it is written to a temporary file.
    ///
    /// # Errors
    /// When the picture has no pixels.
    fn of_picture(
        path: &Path,
        picture: Picture,
        color_space: TextureColorSpace,
        cache: Option<&Arc<TileCache>>,
    ) -> Result<Texture, ImageError> {
        let (width, height, channels, window) = match picture.levels.first() {
            Some(base) => (base.width, base.height, base.channels, base.window),
            None => (0, 0, 0, None),
        };
        if width == 0 || height == 0 || channels == 0 {
            return Err(ImageError::Empty { path: path.to_owned(), width, height });
        }
        let mut non_finite = 0;
        let levels = picture.levels.into_iter().map(|raster| {
            let (width, height) = (raster.width, raster.height);
            let (texels, dropped) = Texels::from_raster(raster, color_space);
            non_finite += dropped;
            mip::Image { width, height, texels }
        });
        let levels = Pyramid::of_images(levels.collect(), channels, cache);
        let mut texture = Texture::of_levels(path, channels, levels, picture.info);
        texture.non_finite = non_finite;
        texture.set_window(window);
        Ok(texture)
    }

    /// Tiled file, whose tiles are read on demand.
    ///
    /// # Errors
    /// When its smallest picture cannot be read.
    fn of_tiles(
        path: &Path,
        picture: TiledPicture,
        color_space: TextureColorSpace,
        cache: &Arc<TileCache>,
    ) -> Result<Texture, ImageError> {
        let picture = Arc::new(picture);
        let sizes = picture.sizes();
        let channels = sizes[0][2];
        let last = sizes.len() - 1;
        let [width, height, _] = sizes[last];
        let smallest = picture.read(last, Rect::of_size(width as u32, height as u32))?;
        let (texels, _) = Texels::from_raster(smallest, color_space);
        let kind = texels.none_like();
        let smallest = mip::Image { width, height, texels };
        let mut levels: Vec<Level> = sizes[..last]
            .iter()
            .enumerate()
            .map(|(level, &[width, height, _])| {
                let source = TileSource::File { picture: picture.clone(), level, color_space };
                let size = [width, height, channels];
                Level {
                    width,
                    height,
                    texels: LevelTexels::Paged(PagedTexels::new(cache, source, size, kind.clone())),
                }
            })
            .collect();
        levels.push(Level::whole(smallest));
        let levels = Pyramid::of_levels(levels, channels);
        Ok(Texture::of_levels(path, channels, levels, picture.info.clone()))
    }

    fn of_levels(path: &Path, channels: usize, levels: Pyramid, info: PictureInfo) -> Texture {
        let wrap = info.wrap.as_deref().unwrap_or_default();
        let mut names = wrap.split(',').map(|name| match Wrap::from_name(name.trim()) {
            None | Some(Wrap::File) => Wrap::Black,
            Some(wrap) => wrap,
        });
        let s = names.next().unwrap_or(Wrap::Black);
        Texture {
            path: path.to_owned(),
            channels,
            colors: info.colors.unwrap_or(ColorChannels::of_count(channels)),
            levels,
            wrap: [s, names.next().unwrap_or(s)],
            window: None,
            window_scale: Vec2::ONE,
            window_offset: Vec2::ZERO,
            info,
            non_finite: 0,
        }
    }

    fn set_window(&mut self, window: Option<Window>) {
        self.window = window;
        if let Some(window) = window {
            let own = Vec2::new(self.width() as f32, self.height() as f32);
            let whole = Vec2::new(window.full_width as f32, window.full_height as f32);
            self.window_scale = whole / own;
            self.window_offset = -Vec2::new(window.x as f32, window.y as f32) / own;
        }
    }

    /// Name of the texture: its file's path, or the given name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.levels.base().width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.levels.base().height
    }

    /// Values per texel in the file. The first are its colour, grey or RGB, if it has one.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Position within a larger image, for a cropped image.
    pub fn window(&self) -> Option<Window> {
        self.window
    }

    /// Description of the file.
    pub fn info(&self) -> &PictureInfo {
        &self.info
    }

    /// Index of the alpha channel, if there is one.
    pub fn alpha_channel(&self) -> Option<usize> {
        self.colors.alpha
    }

    /// Number of mip levels: 1 for a single texel.
    pub fn levels(&self) -> usize {
        self.levels.count()
    }

    /// Number of infinite or NaN values that were replaced by zero.
    pub fn non_finite(&self) -> usize {
        self.non_finite
    }

    /// Builds all levels of the pyramid before the first lookup.
    pub(crate) fn complete(&mut self) {
        self.levels.complete();
    }

    /// Memory of the texels of all levels [bytes], without cached tiles.
    pub fn bytes(&self) -> usize {
        self.levels.bytes()
    }

    /// The linear value of a texel of level 0: up to four channels, zero beyond those that it has.
    ///
    /// # Panics
    /// If the texel is outside.
    pub fn texel(&self, x: usize, y: usize) -> [f32; 4] {
        assert!(x < self.width() && y < self.height(), "texel ({x}, {y}) outside the texture");
        TexelReader::new(self.levels.base(), self.channels, 0).get(x, y)
    }

    /// The mean of all texels.
    pub fn average(&self) -> [f32; 4] {
        let smallest = self.levels.level(self.levels.count() - 1);
        TexelReader::new(smallest, self.channels, 0).get(0, 0)
    }

    /// The common value of all texels, if there is one.
    pub fn constant(&self) -> Option<[f32; 4]> {
        let first = self.texel(0, 0);
        let mut texels = TexelReader::new(self.levels.base(), self.channels, 0);
        let mut places = (0..self.height()).flat_map(|y| (0..self.width()).map(move |x| (x, y)));
        places.all(|(x, y)| texels.get(x, y) == first).then_some(first)
    }
}
