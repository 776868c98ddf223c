//! Mip pyramid of a texture: levels of the file, and smaller ones, which are built on first use.

use std::sync::{Arc, OnceLock};

use super::level::{Level, LevelTexels};
use super::mip::{Image, Threads, levels_below, sizes_below};
use super::tile::TileCache;

/// The levels of a texture, from the image itself down to a single texel.
#[derive(Debug)]
pub(super) struct Pyramid {
    /// First levels; the last one is in memory, unless it is a single texel.
    given: Vec<Level>,
    /// The other levels, which most scenes never use; building them costs more time than decoding the image.
    made: OnceLock<Vec<Level>>,
    /// Number of levels.
    count: usize,
    channels: usize,
}

impl Pyramid {
    /// Levels of a file. If the cache has no room for them, they are written to its temporary file.
    pub(super) fn of_images(images: Vec<Image>, channels: usize, cache: Option<&Arc<TileCache>>) -> Pyramid {
        let pyramid = Pyramid::of_levels(images.into_iter().map(Level::whole).collect(), channels);
        match cache.filter(|cache| !cache.reserve(pyramid.bytes())) {
            Some(cache) => pyramid.spill(cache),
            None => pyramid,
        }
    }

    /// The last level is in memory, unless it is a single texel.
    pub(super) fn of_levels(given: Vec<Level>, channels: usize) -> Pyramid {
        let last = &given[given.len() - 1];
        let rest = sizes_below(last.width, last.height).count();
        Pyramid {
            count: given.len() + rest,
            given,
            made: OnceLock::new(),
            channels,
        }
    }

    fn spill(self, cache: &Arc<TileCache>) -> Pyramid {
        let channels = self.channels;
        let made = self.make_rest(Threads::Pool);
        let levels: Vec<Level> = self.given.into_iter().chain(made).collect();
        let whole = levels.iter().filter_map(|level| match &level.texels {
            LevelTexels::Whole(texels) => Some((level.width, level.height, texels)),
            LevelTexels::Paged(_) => None,
        });
        let whole: Vec<_> = whole.collect();
        match cache.spill(&whole, channels) {
            Ok(paged) => {
                let sizes = levels.iter().map(|level| (level.width, level.height));
                let paged = sizes.zip(paged).map(|((width, height), paged)| Level {
                    width,
                    height,
                    texels: LevelTexels::Paged(paged),
                });
                Pyramid::of_levels(paged.collect(), channels)
            }
            Err(_) => Pyramid::of_levels(levels, channels),
        }
    }

    /// The image itself.
    #[inline]
    pub(super) fn base(&self) -> &Level {
        &self.given[0]
    }

    /// Number of levels.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Columns and rows of a level.
    #[inline]
    pub(super) fn size(&self, index: usize) -> (usize, usize) {
        match self.given.get(index) {
            Some(level) => (level.width, level.height),
            None => {
                let (last, halvings) = (self.last(), index + 1 - self.given.len());
                ((last.width >> halvings).max(1), (last.height >> halvings).max(1))
            }
        }
    }

    /// A level, which is built on first use. The building thread holds a lock.
    ///
    /// # Panics
    /// If the pyramid has no such level.
    #[inline]
    pub(super) fn level(&self, index: usize) -> &Level {
        match self.given.get(index) {
            Some(level) => level,
            None => &self.made.get_or_init(|| self.make_rest(Threads::Own))[index - self.given.len()],
        }
    }

    /// Builds all levels in parallel.
    pub(super) fn complete(&mut self) {
        if self.made.get().is_none() {
            self.made = OnceLock::from(self.make_rest(Threads::Pool));
        }
    }

    /// Memory of the texels of all levels, built or not [bytes].
    pub(super) fn bytes(&self) -> usize {
        let value = match &self.last().texels {
            LevelTexels::Whole(texels) => texels.value_bytes(),
            LevelTexels::Paged(_) => 0,
        };
        let rest = self
            .sizes_of_rest()
            .map(|(width, height)| width * height * self.channels * value);
        self.given.iter().map(Level::bytes).sum::<usize>() + rest.sum::<usize>()
    }

    fn last(&self) -> &Level {
        &self.given[self.given.len() - 1]
    }

    fn sizes_of_rest(&self) -> impl Iterator<Item = (usize, usize)> {
        let last = self.last();
        sizes_below(last.width, last.height)
    }

    fn make_rest(&self, threads: Threads) -> Vec<Level> {
        let last = self.last();
        let LevelTexels::Whole(texels) = &last.texels else {
            return vec![];
        };
        let images = levels_below(texels, (last.width, last.height), self.channels, threads);
        images.into_iter().map(Level::whole).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::{Texels, Transfer};

    #[test]
    fn levels_are_the_same_whenever_they_are_made() {
        let (width, height, channels) = (37, 10, 3);
        let noise = (0..width * height * channels).map(|i| (i * 7919 % 251) as u8);
        let image = Image {
            width,
            height,
            texels: Texels::U8(noise.collect(), Transfer::Srgb),
        };
        let lazy = Pyramid::of_images(vec![image.clone()], channels, None);
        let mut complete = Pyramid::of_images(vec![image], channels, None);
        complete.complete();
        let bytes = lazy.bytes();
        assert_eq!(lazy.count(), 6);
        for index in 0..lazy.count() {
            let (a, b) = (lazy.level(index), complete.level(index));
            assert_eq!(lazy.size(index), (a.width, a.height));
            let (LevelTexels::Whole(Texels::U8(a, _)), LevelTexels::Whole(Texels::U8(b, _))) =
                (&a.texels, &b.texels)
            else {
                panic!("levels are as narrow as the image");
            };
            assert!(!a.is_empty() && a == b, "level {index}");
        }
        let made = lazy.made.get().expect("all levels were looked at");
        let all = lazy.given.iter().chain(made);
        assert_eq!(all.map(Level::bytes).sum::<usize>(), bytes);
    }
}
