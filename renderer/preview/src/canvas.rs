//! Canvas of a preview: render threads draw finished tiles, the viewer thread reads changed blocks.
//!
//! Finished tiles replace the blocks of earlier passes; the connection reads the changed blocks. A slow viewer skips
//! versions of a block, so memory stays constant.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use renderer_image::{Image, Rect};
use renderer_support::lock;

/// Sides of the blocks in which a picture is sent [pixels].
const BLOCK: u32 = 128;

/// The image that the viewer shows.
#[derive(Default)]
pub(super) struct Canvas {
    state: Mutex<State>,
    changed: Condvar,
    /// True if a viewer is connected.
    is_watched: AtomicBool,
}

#[derive(Default)]
struct State {
    picture: Option<Picture>,
    /// True if tiles were drawn since the viewer thread last looked.
    has_news: bool,
    /// True after the final image.
    is_closed: bool,
    /// True if the viewer thread has ended.
    has_ended: bool,
    /// Messages that the viewer has taken so far.
    taken: u64,
}

/// An image in blocks, row-major.
struct Picture {
    image: Image,
    blocks: Vec<Rect>,
    /// For each block, true if it has changed since it was taken.
    is_new: Vec<bool>,
}

impl Picture {
    fn new(image: Image) -> Picture {
        let blocks = Rect::of_size(image.width as u32, image.height as u32).tiles(BLOCK);
        Picture { image, is_new: vec![true; blocks.len()], blocks }
    }

    /// Draws a tile with its first pixel at column `x`, row `y`.
    fn draw(&mut self, tile: &Image, x: u32, y: u32) {
        let rect = Rect {
            x0: x,
            y0: y,
            x1: x + tile.width as u32,
            y1: y + tile.height as u32,
        };
        let channels = tile.channels;
        for (row, pixels) in tile.data.chunks_exact(tile.width * channels).enumerate() {
            let begin = ((y as usize + row) * self.image.width + x as usize) * channels;
            self.image.data[begin..begin + pixels.len()].copy_from_slice(pixels);
        }
        let columns = (self.image.width as u32).div_ceil(BLOCK);
        for row in rect.y0 / BLOCK..rect.y1.div_ceil(BLOCK) {
            for column in rect.x0 / BLOCK..rect.x1.div_ceil(BLOCK) {
                self.is_new[(row * columns + column) as usize] = true;
            }
        }
    }
}

/// A block of the image, with its pixels.
pub(super) struct Block {
    pub(super) rect: Rect,
    pub(super) pixels: Image,
}

/// The viewer accepted no message within the time limit.
pub(super) struct Stalled;

impl Canvas {
    /// Returns whether a viewer is connected.
    pub(super) fn is_watched(&self) -> bool {
        self.is_watched.load(Ordering::Relaxed)
    }

    /// Draws a tile of a picture of `size`, with its first pixel at column `x`, row `y`.
    pub(super) fn draw(&self, [width, height]: [u32; 2], tile: &Image, x: u32, y: u32) {
        let mut state = self.lock();
        let empty = || Picture::new(Image::new(width as usize, height as usize, tile.channels));
        state.picture.get_or_insert_with(empty).draw(tile, x, y);
        if !std::mem::replace(&mut state.has_news, true) {
            self.changed.notify_all();
        }
    }

    /// Replaces the whole picture.
    pub(super) fn replace(&self, image: Image) {
        let mut state = self.lock();
        state.picture = Some(Picture::new(image));
        state.has_news = true;
        self.changed.notify_all();
    }

    /// Replaces the whole picture by the final one.
    pub(super) fn finish(&self, image: Image) {
        self.replace(image);
        self.close();
    }

    /// Marks the picture as final.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits until the thread of the connection has ended.
    ///
    /// # Errors
    /// If the viewer reads nothing for `limit`.
    pub(super) fn wait_for_end(&self, limit: Duration) -> Result<(), Stalled> {
        let mut state = self.lock();
        let (mut since, mut taken) = (Instant::now(), state.taken);
        while !state.has_ended {
            if state.taken > taken {
                (since, taken) = (Instant::now(), state.taken);
            }
            let left = limit.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Err(Stalled);
            }
            state = self.wait(state, left);
        }
        Ok(())
    }

    /// Marks the end of the connection's thread.
    pub(super) fn end(&self) {
        self.lock().has_ended = true;
        self.changed.notify_all();
    }

    /// Counts a message that the viewer has taken.
    pub(super) fn count(&self) {
        self.lock().taken += 1;
        self.changed.notify_all();
    }

    /// Records whether a viewer is connected, and marks all blocks as changed.
    pub(super) fn set_watched(&self, is_watched: bool) {
        self.is_watched.store(is_watched, Ordering::Relaxed);
        let mut state = self.lock();
        if let Some(picture) = &mut state.picture {
            picture.is_new.fill(true);
            state.has_news = true;
        }
    }

    /// Waits for changed blocks, and returns the size of the image and its number of blocks; `None` after the final image.
    pub(super) fn wait_for_news(&self) -> Option<([u32; 2], usize)> {
        let mut state = self.lock();
        loop {
            let has_news = std::mem::take(&mut state.has_news);
            if let Some(picture) = state.picture.as_ref().filter(|_| has_news) {
                let size = [picture.image.width as u32, picture.image.height as u32];
                return Some((size, picture.blocks.len()));
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Calls a function with the whole picture, if there is one.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Image) -> T) -> Option<T> {
        self.lock().picture.as_ref().map(|picture| look(&picture.image))
    }

    /// Returns a block if it has changed.
    pub(super) fn take(&self, index: usize) -> Option<Block> {
        let mut state = self.lock();
        let picture = state.picture.as_mut()?;
        if !std::mem::take(picture.is_new.get_mut(index)?) {
            return None;
        }
        let rect = picture.blocks[index];
        let mut pixels = Image::new(rect.width() as usize, rect.height() as usize, picture.image.channels);
        let length = pixels.width * pixels.channels;
        for (row, to) in pixels.data.chunks_exact_mut(length).enumerate() {
            let begin =
                ((rect.y0 as usize + row) * picture.image.width + rect.x0 as usize) * picture.image.channels;
            to.copy_from_slice(&picture.image.data[begin..begin + length]);
        }
        Some(Block { rect, pixels })
    }

    /// Waits for `time`, or until nothing follows. Returns false at once when that was so before.
    pub(super) fn pause(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut state = self.lock();
        if state.is_closed {
            return false;
        }
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if state.is_closed || left.is_zero() {
                return true;
            }
            state = self.wait(state, left);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, time: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }
}
