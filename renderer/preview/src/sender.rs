//! The viewer thread: connects to the viewer and sends images.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::canvas::Canvas;
use super::connection::Connection;
use renderer_cli::ViewerAddress;

/// Time between two attempts to connect.
const RETRY: Duration = Duration::from_secs(3);

/// Shortest time between two updates.
const INTERVAL: Duration = Duration::from_millis(250);

/// Ratio of the pause after an update to its duration.
const PAUSE_RATIO: u32 = 20;

/// Prints a line for the user.
pub(super) type PrintLine = Arc<dyn Fn(&str) + Send + Sync>;

/// State of the viewer thread.
pub(super) struct Sender {
    pub(super) canvas: Arc<Canvas>,
    pub(super) viewer: ViewerAddress,
    /// Name of the image in the viewer.
    pub(super) name: String,
    pub(super) print_line: PrintLine,
}

impl Sender {
    /// Sends pictures until the final one is sent, or that fails.
    pub(super) fn run(&self) {
        let (mut is_missed, mut is_lost) = (false, false);
        loop {
            match Connection::open(&self.viewer, &self.name) {
                Err(error) => self.once(&mut is_missed, &format!("no viewer at {}: {error}", self.viewer)),
                Ok(connection) => match self.serve(connection) {
                    Ok(()) => return,
                    Err(error) => {
                        self.canvas.set_watched(false);
                        let text = format!("the viewer at {} is gone: {error}", self.viewer);
                        self.once(&mut is_lost, &text);
                    }
                },
            }
            if !self.canvas.pause(RETRY) {
                return;
            }
        }
    }

    /// Sends changed blocks until the canvas is closed.
    fn serve(&self, mut connection: Connection) -> io::Result<()> {
        self.canvas.set_watched(true);
        while let Some((size, blocks)) = self.canvas.wait_for_news() {
            let begin = Instant::now();
            for block in (0..blocks).filter_map(|index| self.canvas.take(index)) {
                connection.send(size, &block, &self.canvas)?;
            }
            self.canvas.pause((PAUSE_RATIO * begin.elapsed()).max(INTERVAL));
        }
        Ok(())
    }

    /// Prints an error once; the attempts that follow are silent.
    fn once(&self, is_told: &mut bool, trouble: &str) {
        if !std::mem::replace(is_told, true) {
            (self.print_line)(&format!("preview: {trouble}; the render continues and retries at intervals"));
        }
    }
}
