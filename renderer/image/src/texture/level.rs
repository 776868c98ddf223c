//! Mip levels and reading their texels, from memory or by tile.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arc_swap::Guard;

use super::mip::Image;
use super::texels::Texels;
use super::tile::{PagedTexels, TILE, Tile};

/// One level of a pyramid.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) texels: LevelTexels,
}

/// Storage of a level's texels.
#[derive(Debug)]
pub(super) enum LevelTexels {
    /// Texels in memory, row by row.
    Whole(Texels),
    /// Tiles, some of which are in memory.
    Paged(PagedTexels),
}

impl Level {
    /// A level in memory.
    pub(super) fn whole(image: Image) -> Level {
        Level {
            width: image.width,
            height: image.height,
            texels: LevelTexels::Whole(image.texels),
        }
    }

    /// Memory of the texels without cached tiles [bytes].
    pub(super) fn bytes(&self) -> usize {
        match &self.texels {
            LevelTexels::Whole(texels) => texels.bytes(),
            LevelTexels::Paged(_) => 0,
        }
    }

    /// Adds the texels to a hash, independent of their storage.
    pub(super) fn hash_texels(&self, channels: usize, hasher: &mut impl Hasher) {
        let mut reader = TexelReader::new(self, channels, 0);
        for (y, x) in (0..self.height).flat_map(|y| (0..self.width).map(move |x| (y, x))) {
            reader.get(x, y).map(f32::to_bits).hash(hasher);
        }
    }
}

/// Sequential reader of the texels of a level, from a channel on.
pub(super) struct TexelReader<'a> {
    level: &'a Level,
    channels: usize,
    first: usize,
    /// The tile of the last texel.
    tile: Option<(usize, Guard<Option<Arc<Tile>>>)>,
}

impl<'a> TexelReader<'a> {
    pub(super) fn new(level: &'a Level, channels: usize, first: usize) -> TexelReader<'a> {
        TexelReader { level, channels, first, tile: None }
    }

    /// Up to four linear channels of a texel; missing channels are zero.
    #[inline]
    pub(super) fn get(&mut self, x: usize, y: usize) -> [f32; 4] {
        match &self.level.texels {
            LevelTexels::Whole(texels) => {
                let start = (y * self.level.width + x) * self.channels;
                texels.fetch(start, self.first, self.channels)
            }
            LevelTexels::Paged(paged) => self.get_paged(paged, x, y),
        }
    }

    fn get_paged(&mut self, paged: &PagedTexels, x: usize, y: usize) -> [f32; 4] {
        let index = (y / TILE) * paged.across + x / TILE;
        if self.tile.as_ref().is_none_or(|(known, _)| *known != index) {
            self.tile = Some((index, paged.tile(index)));
        }
        let Some((_, tile)) = &self.tile else {
            return [0.0; 4];
        };
        let Some(tile) = &**tile else {
            return [0.0; 4];
        };
        let width = (self.level.width - x / TILE * TILE).min(TILE);
        let start = ((y % TILE) * width + x % TILE) * self.channels;
        tile.texels.fetch(start, self.first, self.channels)
    }
}
