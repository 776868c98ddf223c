//! Tile cache for mip levels: tiles loaded on demand within a memory bound, evicted by the clock algorithm.
//!
//! Tiles in memory are found without a lock. A missing tile is read by the first thread that needs it. When the tiles of
//! all textures exceed the bound, approximately the least recently used ones are evicted: the clock
//! algorithm (Corbató 1968). The result of a lookup does not depend on which tiles are in memory.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arc_swap::{ArcSwapOption, Guard};

use super::TextureColorSpace;
use super::texels::Texels;
use crate::{Rect, TiledPicture};

/// Columns and rows of a tile; those at the right and lower border may have fewer.
pub(super) const TILE: usize = 64;

/// Texels of a tile.
#[derive(Debug)]
pub(super) struct Tile {
    pub(super) texels: Texels,
    /// Reference bit of the clock algorithm: true if the tile was used since the hand last passed it.
    used: AtomicBool,
}

/// Tile slots of a level.
type Slots = Arc<[ArcSwapOption<Tile>]>;

/// The tiles in memory, of all textures.
#[derive(Debug)]
pub struct TileCache {
    /// Memory bound of the tiles [bytes]: the rest of the limit.
    bound: AtomicUsize,
    /// Memory bound of all texels [bytes].
    limit: usize,
    used: AtomicUsize,
    clock: Mutex<VecDeque<(Slots, usize, usize)>>,
    /// Reads of tiles so far.
    reads: AtomicUsize,
    /// The first error of reading tiles.
    failure: OnceLock<String>,
    spill: Mutex<Option<Spill>>,
}

/// Temporary file of tiles that are in no other file.
#[derive(Debug)]
struct Spill {
    file: File,
    end: u64,
}

/// Storage from which the tiles of a level are loaded.
#[derive(Debug)]
pub(super) enum TileSource {
    /// Temporary file, from an offset on; all tiles have the same size there.
    Spilled { start: u64, tile_bytes: u64 },
    /// Level of a tiled file.
    File {
        picture: Arc<TiledPicture>,
        level: usize,
        color_space: TextureColorSpace,
    },
}

/// The texels of a level, by tiles.
#[derive(Debug)]
pub(super) struct PagedTexels {
    cache: Arc<TileCache>,
    slots: Slots,
    source: TileSource,
    /// Tiles in a row.
    pub(super) across: usize,
    width: usize,
    height: usize,
    channels: usize,
    /// Texels of the right type.
    kind: Texels,
}

impl TileCache {
    /// A cache with a memory bound [bytes].
    pub fn new(limit: usize) -> TileCache {
        TileCache {
            bound: AtomicUsize::new(limit),
            limit,
            used: AtomicUsize::new(0),
            clock: Mutex::default(),
            reads: AtomicUsize::new(0),
            failure: OnceLock::new(),
            spill: Mutex::default(),
        }
    }

    /// Memory bound of the tiles [bytes].
    pub fn bound(&self) -> usize {
        self.bound.load(Ordering::Relaxed)
    }

    /// Reserves memory for other data than tiles; `false` if less than a quarter of the limit would remain.
    pub(super) fn reserve(&self, bytes: usize) -> bool {
        let take = |bound: usize| bound.checked_sub(bytes).filter(|&left| left >= self.limit / 4);
        let taken = self.bound.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.is_ok()
    }

    /// Number of tile reads, repeated reads included.
    pub fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }

    /// First error of reading tiles during lookups, as when a file has changed or its disk is removed. The texels are
    /// black.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Memory of the cached tiles [bytes].
    pub fn bytes(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn admit(&self, slots: &Slots, index: usize, bytes: usize) {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let mut used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        // A panic elsewhere leaves the queue consistent.
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.push_back((slots.clone(), index, bytes));
        // The newest tile stays, however small the bound is. After two rounds, the reference bit of each tile is
        // cleared.
        let mut turns = 2 * clock.len();
        while used > self.bound() && clock.len() > 1 && turns > 0 {
            turns -= 1;
            let Some((slots, index, bytes)) = clock.pop_front() else {
                return;
            };
            let wanted = slots[index]
                .load()
                .as_ref()
                .is_some_and(|tile| tile.used.swap(false, Ordering::Relaxed));
            if wanted {
                clock.push_back((slots, index, bytes));
            } else {
                slots[index].store(None);
                used = self.used.fetch_sub(bytes, Ordering::Relaxed) - bytes;
            }
        }
    }

    /// Writes the tiles of levels to the temporary file and returns the levels.
    pub(super) fn spill(
        self: &Arc<Self>,
        levels: &[(usize, usize, &Texels)],
        channels: usize,
    ) -> io::Result<Vec<PagedTexels>> {
        let mut spill = self.spill.lock().unwrap_or_else(PoisonError::into_inner);
        if spill.is_none() {
            let file = tempfile::tempfile()?;
            *spill = Some(Spill { file, end: 0 });
        }
        let Some(spill) = spill.as_mut() else {
            return Err(io::Error::other("no temporary file"));
        };
        let mut paged = vec![];
        for &(width, height, texels) in levels {
            let tile_bytes = TILE * TILE * channels * texels.value_bytes();
            let start = spill.end;
            let (across, down) = (width.div_ceil(TILE), height.div_ceil(TILE));
            spill.file.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::with_capacity(across * tile_bytes);
            for row in 0..down {
                bytes.clear();
                for column in 0..across {
                    let x0 = column * TILE;
                    let x1 = (x0 + TILE).min(width);
                    for y in row * TILE..((row + 1) * TILE).min(height) {
                        let first = (y * width + x0) * channels;
                        let range = first..first + (x1 - x0) * channels;
                        texels.write(range, &mut bytes);
                    }
                    bytes.resize((column + 1) * tile_bytes, 0);
                }
                spill.file.write_all(&bytes)?;
            }
            spill.end = start + (across * down * tile_bytes) as u64;
            let source = TileSource::Spilled { start, tile_bytes: tile_bytes as u64 };
            let size = [width, height, channels];
            paged.push(PagedTexels::new(self, source, size, texels.none_like()));
        }
        Ok(paged)
    }
}

impl PagedTexels {
    pub(super) fn new(
        cache: &Arc<TileCache>,
        source: TileSource,
        [width, height, channels]: [usize; 3],
        kind: Texels,
    ) -> PagedTexels {
        let (across, down) = (width.div_ceil(TILE), height.div_ceil(TILE));
        PagedTexels {
            cache: cache.clone(),
            slots: (0..across * down).map(|_| ArcSwapOption::empty()).collect(),
            source,
            across,
            width,
            height,
            channels,
            kind,
        }
    }

    /// A tile, from the cache if possible; `None` if it cannot be read.
    #[inline]
    pub(super) fn tile(&self, index: usize) -> Guard<Option<Arc<Tile>>> {
        let found = self.slots[index].load();
        match &*found {
            Some(tile) => {
                if !tile.used.load(Ordering::Relaxed) {
                    tile.used.store(true, Ordering::Relaxed);
                }
                found
            }
            None => self.read(index),
        }
    }

    #[cold]
    fn read(&self, index: usize) -> Guard<Option<Arc<Tile>>> {
        let texels = match self.read_texels(index) {
            Ok(texels) => texels,
            Err(reason) => {
                // The first reason is kept.
                let _ = self.cache.failure.set(reason);
                return Guard::from_inner(None);
            }
        };
        let bytes = texels.bytes();
        let tile = Arc::new(Tile { texels, used: AtomicBool::new(true) });
        // Two threads may have read it; one of them is counted.
        let before = self.slots[index].compare_and_swap(&None::<Arc<Tile>>, Some(tile.clone()));
        if before.is_none() {
            self.cache.admit(&self.slots, index, bytes);
        }
        Guard::from_inner(Some(tile))
    }

    fn read_texels(&self, index: usize) -> Result<Texels, String> {
        let (x0, y0) = (index % self.across * TILE, index / self.across * TILE);
        let (x1, y1) = ((x0 + TILE).min(self.width), (y0 + TILE).min(self.height));
        match &self.source {
            TileSource::Spilled { start, tile_bytes } => {
                let count = (x1 - x0) * (y1 - y0) * self.channels * self.kind.value_bytes();
                let mut bytes = vec![0; count];
                let mut spill = self.cache.spill.lock().unwrap_or_else(PoisonError::into_inner);
                let lost = |error| format!("cannot read the temporary file of textures: {error}");
                let spill = spill.as_mut().ok_or_else(|| lost(io::ErrorKind::NotFound.into()))?;
                let place = SeekFrom::Start(start + index as u64 * tile_bytes);
                spill.file.seek(place).map_err(lost)?;
                spill.file.read_exact(&mut bytes).map_err(lost)?;
                Ok(self.kind.read_like(bytes))
            }
            TileSource::File { picture, level, color_space } => {
                let rect = Rect { x0: x0 as u32, y0: y0 as u32, x1: x1 as u32, y1: y1 as u32 };
                let raster = picture.read(*level, rect).map_err(|error| error.to_string())?;
                Ok(Texels::from_raster(raster, *color_space).0)
            }
        }
    }
}
