//! `--preview tev`: sends the image to the viewer tev during a render.
//!
//! - A separate thread keeps the connection: a viewer that is slow, hangs or is closed neither delays nor ends the
//!   render.
//! - While a viewer is connected, finished tiles are drawn into a canvas; the changed tiles are sent several times a
//!   second, in at most a twentieth of the thread's time.
//! - Without a viewer the render continues after one message; connection is retried at intervals.

mod canvas;
mod connection;
mod sender;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::cli::Viewer;
use canvas::Canvas;
use renderer_image::Image;
use renderer_image::film::{Film, FilmTile};
use sender::{Say, Sender};

/// Time that the command waits at its end for a viewer that accepts nothing.
const STALLED: Duration = Duration::from_secs(2);

/// An image in a viewer.
pub(super) struct Preview {
    canvas: Arc<Canvas>,
    say: Say,
    /// True once a denoised picture is shown.
    is_denoised: AtomicBool,
}

impl Preview {
    /// Starts the viewer thread. The viewer shows the image under the name of the file `output`; messages go to `say`.
    pub(super) fn start(viewer: &Viewer, output: &Path, say: Say) -> io::Result<Preview> {
        let canvas = Arc::new(Canvas::default());
        let name = output.file_name().unwrap_or(output.as_os_str());
        let sender = Sender {
            canvas: canvas.clone(),
            viewer: viewer.clone(),
            name: name.to_string_lossy().into_owned(),
            say: say.clone(),
        };
        sender.start()?;
        Ok(Preview {
            canvas,
            say,
            is_denoised: AtomicBool::new(false),
        })
    }

    /// Returns whether a viewer is connected.
    pub(super) fn is_watched(&self) -> bool {
        self.canvas.is_watched()
    }

    /// Draws the samples of a tile, added to those in the film.
    pub(super) fn show(&self, film: &Film, tile: &FilmTile) {
        // The tile's samples are noise in a picture that is denoised.
        if self.is_denoised.load(Ordering::Relaxed) {
            return;
        }
        let (crop, rect) = (film.crop(), tile.rect());
        let size = [crop.width(), crop.height()];
        let image = film.develop_with(tile);
        self.canvas
            .draw(size, &image, rect.x0 - crop.x0, rect.y0 - crop.y0);
    }

    /// Replaces the picture by a denoised one; single tiles are not drawn from then on.
    pub(super) fn replace(&self, picture: Image) {
        self.is_denoised.store(true, Ordering::Relaxed);
        self.canvas.replace(picture);
    }

    /// Sends the finished image and waits until the viewer has it, or until it accepts nothing for [`STALLED`].
    pub(super) fn finish(&self, picture: Image) {
        self.canvas.finish(picture);
        if self.canvas.wait_for_end(STALLED).is_err() {
            (self.say)("preview: the viewer did not take the finished picture");
        }
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        self.canvas.close();
    }
}
