//! `--preview tev`: sends the image to the viewer tev during a render.
//!
//! - A separate thread keeps the connection: a viewer that is slow, hangs or is closed neither delays nor ends the
//!   render.
//! - Images are not queued. The render makes one when the viewer has received the previous one, and spends at most a
//!   twentieth of its time on them.
//! - Without a viewer the render continues after one message; connection is retried at intervals.

mod connection;
mod mailbox;
mod message;
mod sender;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::cli::Viewer;
use crate::film::Film;
use crate::image::Image;
use mailbox::Mailbox;
use sender::{Say, Sender};

/// The shortest time between two pictures.
const INTERVAL: Duration = Duration::from_millis(250);

/// A picture that took a time to make is followed by the next one after so many times that.
const PACE: u32 = 20;

/// How long the command waits at its end for a viewer that takes nothing.
const STALLED: Duration = Duration::from_secs(2);

/// A picture in a viewer.
pub(super) struct Preview {
    mailbox: Arc<Mailbox>,
    pace: Mutex<Pace>,
    say: Say,
}

/// When pictures are made.
struct Pace {
    /// When the picture that is to come was asked for.
    asked: Option<Instant>,
    /// Before that, none is asked for.
    next: Instant,
}

impl Preview {
    /// Looks for the viewer, which shows the picture under the name of the file `output`. Remarks go to `say`.
    pub(super) fn start(viewer: &Viewer, output: &Path, say: Say) -> io::Result<Preview> {
        let mailbox = Arc::new(Mailbox::default());
        let name = output.file_name().unwrap_or(output.as_os_str());
        let sender = Sender {
            mailbox: mailbox.clone(),
            viewer: viewer.clone(),
            name: name.to_string_lossy().into_owned(),
            say: say.clone(),
        };
        sender.start()?;
        let now = Instant::now();
        Ok(Preview {
            mailbox,
            pace: Mutex::new(Pace {
                asked: None,
                next: now,
            }),
            say,
        })
    }

    /// Whether the viewer waits for a picture, and it is time for one.
    pub(super) fn wants_film(&self) -> bool {
        let mut pace = self.pace();
        let now = Instant::now();
        let wants = now >= pace.next && self.mailbox.is_idle();
        pace.asked = wants.then_some(now);
        wants
    }

    /// Shows the samples so far, if they were wanted.
    pub(super) fn show(&self, film: &Film) {
        let mut pace = self.pace();
        if let Some(asked) = pace.asked.take() {
            self.mailbox.put(film.develop());
            let now = Instant::now();
            pace.next = now + (PACE * (now - asked)).max(INTERVAL);
        }
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the finished picture, and waits until the viewer has it. Gives up on one that takes nothing.
    pub(super) fn finish(&self, picture: Image) {
        self.mailbox.put(picture);
        self.mailbox.close();
        if self.mailbox.wait_for_end(STALLED).is_err() {
            (self.say)("preview: the viewer did not take the finished picture");
        }
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        self.mailbox.close();
    }
}
