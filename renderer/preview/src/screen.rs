//! The terminal thread: draws the picture as text, over the one before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use console::Term;

use super::canvas::Canvas;
use super::half_blocks::{Development, TerminalColors, half_blocks};
use super::sender::PrintLine;
use crate::progress::WhileHidden;
use renderer_support::terminal;

/// Shortest time between two pictures.
const INTERVAL: Duration = Duration::from_millis(500);

/// Ratio of the pause after a picture to the time of drawing it.
const PAUSE_RATIO: u32 = 20;

/// Lines that stay free for the progress bar and what follows.
const FREE_LINES: usize = 2;

/// State of the terminal thread.
pub(super) struct Screen {
    pub(super) canvas: Arc<Canvas>,
    pub(super) development: Development,
    /// True to clear the screen before the first picture.
    pub(super) clears: bool,
    pub(super) while_hidden: WhileHidden,
    pub(super) print_line: PrintLine,
}

impl Screen {
    /// Shows pictures until the final one.
    pub(super) fn run(&self) {
        if !console::colors_enabled_stderr() {
            (self.print_line)(
                "preview: standard error is not a terminal with colours; the render continues without pictures",
            );
            return;
        }
        self.canvas.set_watched(true);
        let mut last = None;
        while self.canvas.wait_for_news().is_some() {
            let begin = Instant::now();
            last = self.draw(last);
            self.canvas.pause((PAUSE_RATIO * begin.elapsed()).max(INTERVAL));
        }
    }

    /// Draws the picture over the last one, unless something was printed since.
    fn draw(&self, last: Option<Drawn>) -> Option<Drawn> {
        let (lines, columns) = Term::stderr().size();
        let limits = [usize::from(columns), usize::from(lines).saturating_sub(FREE_LINES)];
        let colors = match std::env::var("COLORTERM").as_deref() {
            Ok("truecolor" | "24bit") => TerminalColors::All,
            Ok(_) | Err(_) => TerminalColors::Table,
        };
        let picture = self.canvas.look(|image| half_blocks(image, limits, colors, self.development))?;
        let lines = picture.matches('\n').count();
        let mut drawn = None;
        (self.while_hidden)(&mut || {
            let printed = terminal::printed();
            let place = match &last {
                Some(last) if last.printed == printed => format!("\x1b[{}A", last.lines),
                None if self.clears => "\x1b[H\x1b[2J".to_owned(),
                Some(_) | None => String::new(),
            };
            terminal::draw(&format!("{place}{picture}"));
            drawn = Some(Drawn { lines, printed });
        });
        drawn
    }
}

/// A picture on the terminal.
struct Drawn {
    lines: usize,
    /// Value of [`terminal::printed`] at that time.
    printed: u64,
}
