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
        Ok(Preview { canvas, say })
    }

    /// Returns whether a viewer is connected.
    pub(super) fn is_watched(&self) -> bool {
        self.canvas.is_watched()
    }

    /// Draws the samples of a tile, added to those in the film.
    pub(super) fn show(&self, film: &Film, tile: &FilmTile) {
        let (crop, rect) = (film.crop(), tile.rect());
        let size = [crop.width(), crop.height()];
        let image = film.develop_with(tile);
        self.canvas
            .draw(size, &image, rect.x0 - crop.x0, rect.y0 - crop.y0);
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
