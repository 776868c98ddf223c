//! Single-slot mailbox that passes the newest image from the render to the viewer thread.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::image::Image;

/// A place for one picture: a newer one takes the place of one that was not fetched yet.
#[derive(Default)]
pub(super) struct Mailbox {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    picture: Option<Image>,
    /// No picture follows.
    is_closed: bool,
    sending: Sending,
    /// What the viewer has taken so far [messages or parts of them].
    taken: u64,
}

/// What the thread of the connection does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sending {
    /// Looks for the viewer, or sends a picture.
    #[default]
    Busy,
    /// Waits for a picture.
    Idle,
    /// Has ended.
    Ended,
}

/// A viewer took nothing for too long.
pub(super) struct Stalled;

impl Mailbox {
    /// Whether a picture would be sent at once.
    pub(super) fn is_idle(&self) -> bool {
        let state = self.lock();
        state.sending == Sending::Idle && state.picture.is_none()
    }

    /// Puts a picture in.
    pub(super) fn put(&self, picture: Image) {
        self.lock().picture = Some(picture);
        self.changed.notify_all();
    }

    /// Says that no picture follows.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits until the thread of the connection has ended.
    ///
    /// # Errors
    /// When the viewer takes nothing for `limit`.
    pub(super) fn wait_for_end(&self, limit: Duration) -> Result<(), Stalled> {
        let mut state = self.lock();
        let (mut since, mut taken) = (Instant::now(), state.taken);
        while state.sending != Sending::Ended {
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

    /// Says that the thread of the connection has ended.
    pub(super) fn end(&self) {
        self.lock().sending = Sending::Ended;
        self.changed.notify_all();
    }

    /// Counts what the viewer has taken.
    pub(super) fn count(&self) {
        self.lock().taken += 1;
        self.changed.notify_all();
    }

    /// Whether there is a picture newer than the one that was fetched.
    pub(super) fn has_newer(&self) -> bool {
        self.lock().picture.is_some()
    }

    /// Waits for a picture; `None` when none follows.
    pub(super) fn fetch(&self) -> Option<Image> {
        let mut state = self.lock();
        loop {
            if let Some(picture) = state.picture.take() {
                state.sending = Sending::Busy;
                return Some(picture);
            }
            if state.is_closed {
                return None;
            }
            state.sending = Sending::Idle;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Puts a picture back that could not be sent, unless there is a newer one.
    pub(super) fn put_back(&self, picture: Image) {
        self.lock().picture.get_or_insert(picture);
    }

    /// Waits for `time`, or until no picture follows. Returns false at once when that was so before.
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, time: Duration) -> MutexGuard<'a, State> {
        self.changed
            .wait_timeout(state, time)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }
}
