//! `--preview`: shows the image during a render, in the viewer tev or on the terminal.
//!
//! - A separate thread keeps the connection: a viewer that is slow, hangs or is closed neither delays nor ends the
//!   render.
//! - While a viewer is connected, finished tiles are drawn into a canvas; the changed tiles are sent several times a
//!   second, in at most a twentieth of the thread's time.
//! - Without a viewer the render continues after one message; connection is retried at intervals.
//! - The terminal shows the whole picture, shrunk to its size.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod canvas;
mod connection;
mod half_blocks;
pub mod progress;
pub mod progress_lines;
mod screen;
mod sender;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use canvas::Canvas;
use half_blocks::Development;
use progress::Bar;
use renderer_base::math::exp2;
use renderer_cli::Viewer;
use renderer_image::film::{Film, FilmTile};
use renderer_image::{Image, ToneMap};
use screen::Screen;
use sender::{PrintLine, Sender};

/// Maximum time at the end of a render without progress of the viewer.
const STALL_LIMIT: Duration = Duration::from_secs(2);

/// An image in a viewer.
pub struct Preview {
    canvas: Arc<Canvas>,
    print_line: PrintLine,
    /// True once a denoised picture is shown.
    is_denoised: AtomicBool,
}

/// Display of an image.
pub struct Shown<'a> {
    /// The file that it is written to, whose name viewers show.
    pub output: &'a Path,
    /// Exposure on the terminal [stops]; viewers have their own.
    pub exposure: f32,
    /// Tone curve on the terminal.
    pub tone_map: ToneMap,
    /// True to clear the terminal before the first picture.
    pub clears: bool,
}

/// Starts the thread that shows a canvas; the thread marks the canvas when it ends.
fn start_thread(canvas: &Arc<Canvas>, show: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let canvas = canvas.clone();
    let run = move || {
        show();
        canvas.end();
    };
    std::thread::Builder::new().name("preview".to_owned()).spawn(run).map(drop)
}

impl Preview {
    /// Starts the viewer thread. `bar` is hidden while messages and pictures are printed.
    pub fn start(viewer: &Viewer, shown: &Shown<'_>, bar: &Bar) -> io::Result<Preview> {
        let (canvas, print_line) = (Arc::new(Canvas::default()), bar.printer());
        match viewer {
            Viewer::Tev(address) => {
                let name = shown.output.file_name().unwrap_or(shown.output.as_os_str());
                let sender = Sender {
                    canvas: canvas.clone(),
                    viewer: address.clone(),
                    name: name.to_string_lossy().into_owned(),
                    print_line: print_line.clone(),
                };
                start_thread(&canvas, move || sender.run())?;
            }
            Viewer::Terminal => {
                let screen = Screen {
                    canvas: canvas.clone(),
                    development: Development { scale: exp2(shown.exposure), tone_map: shown.tone_map },
                    clears: shown.clears,
                    while_hidden: bar.while_hidden(),
                    print_line: print_line.clone(),
                };
                start_thread(&canvas, move || screen.run())?;
            }
        }
        Ok(Preview { canvas, print_line, is_denoised: AtomicBool::new(false) })
    }

    /// Returns whether a viewer is connected.
    pub fn is_watched(&self) -> bool {
        self.canvas.is_watched()
    }

    /// Draws the samples of a tile, added to those in the film.
    pub fn show(&self, film: &Film, tile: &FilmTile) {
        // The tile's samples are noise in a picture that is denoised.
        if self.is_denoised.load(Ordering::Relaxed) {
            return;
        }
        let (crop, rect) = (film.crop(), tile.rect());
        let size = [crop.width(), crop.height()];
        let image = film.develop_with(tile);
        self.canvas.draw(size, &image, rect.x0 - crop.x0, rect.y0 - crop.y0);
    }

    /// Replaces the picture by a denoised one; single tiles are not drawn from then on.
    pub fn replace(&self, picture: Image) {
        self.is_denoised.store(true, Ordering::Relaxed);
        self.canvas.replace(picture);
    }

    /// Sends the finished image and waits until the viewer has it, or makes no progress for [`STALL_LIMIT`].
    pub fn finish(&self, picture: Image) {
        self.canvas.finish(picture);
        if self.canvas.wait_for_end(STALL_LIMIT).is_err() {
            (self.print_line)("preview: the viewer did not take the finished picture");
        }
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        self.canvas.close();
    }
}
