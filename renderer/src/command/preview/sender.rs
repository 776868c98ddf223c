//! The viewer thread: connects to the viewer and sends images.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::connection::Connection;
use super::mailbox::Mailbox;
use crate::cli::Viewer;

/// The time between two attempts to find the viewer.
const RETRY: Duration = Duration::from_secs(3);

/// Tells whoever watches a line.
pub(super) type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// What the thread needs.
pub(super) struct Sender {
    pub(super) mailbox: Arc<Mailbox>,
    pub(super) viewer: Viewer,
    /// What the picture is called in the viewer.
    pub(super) name: String,
    pub(super) say: Say,
}

impl Sender {
    /// Starts the thread. It ends when the mailbox is closed and its last picture is sent, or cannot be.
    pub(super) fn start(self) -> io::Result<()> {
        let run = move || {
            self.run();
            self.mailbox.end();
        };
        std::thread::Builder::new()
            .name("preview".to_owned())
            .spawn(run)
            .map(drop)
    }

    fn run(&self) {
        let (mut is_missed, mut is_lost) = (false, false);
        loop {
            match Connection::open(&self.viewer, &self.name) {
                Err(error) => self.once(&mut is_missed, &format!("no viewer at {}: {error}", self.viewer)),
                Ok(connection) => match self.serve(connection) {
                    Ok(()) => return,
                    Err(error) => {
                        let text = format!("the viewer at {} is gone: {error}", self.viewer);
                        self.once(&mut is_lost, &text);
                    }
                },
            }
            if !self.mailbox.pause(RETRY) {
                return;
            }
        }
    }

    /// Sends pictures until there are no more.
    fn serve(&self, mut connection: Connection) -> io::Result<()> {
        while let Some(picture) = self.mailbox.fetch() {
            if let Err(error) = connection.send(&picture, &self.mailbox) {
                self.mailbox.put_back(picture);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Tells one kind of trouble, once: the attempts that follow are silent.
    fn once(&self, is_told: &mut bool, trouble: &str) {
        if !std::mem::replace(is_told, true) {
            (self.say)(&format!(
                "preview: {trouble}; the render goes on, and looks for it now and then"
            ));
        }
    }
}
