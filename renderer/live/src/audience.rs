//! Audience of a page: whether a browser shows it. Without one, nothing is rendered.

use renderer_support::lock;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time after the last request in which the next one is expected.
const GRACE: Duration = Duration::from_secs(2);

/// Time between two looks for a reason to end a wait.
const TICK: Duration = Duration::from_millis(250);

/// Requests in progress, and the end of the last one.
pub(super) struct Audience {
    requests: Mutex<Requests>,
    came: Condvar,
}

struct Requests {
    in_progress: usize,
    last: Instant,
}

impl Default for Audience {
    /// A browser is expected.
    fn default() -> Audience {
        let requests = Requests { in_progress: 0, last: Instant::now() };
        Audience { requests: Mutex::new(requests), came: Condvar::new() }
    }
}

impl Audience {
    /// Counts a request as in progress until the result is dropped.
    pub(super) fn attend(&self) -> Attendance<'_> {
        self.requests().in_progress += 1;
        self.came.notify_all();
        Attendance(self)
    }

    /// Waits while there is no audience, unless `is_over` returns true.
    pub(super) fn wait(&self, is_over: impl Fn() -> bool) {
        let mut requests = self.requests();
        while !requests.are_recent() && !is_over() {
            let waited = self.came.wait_timeout(requests, TICK);
            requests = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        lock(&self.requests)
    }
}

impl Requests {
    fn are_recent(&self) -> bool {
        self.in_progress > 0 || self.last.elapsed() < GRACE
    }
}

/// A request in progress.
pub(super) struct Attendance<'a>(&'a Audience);

impl Drop for Attendance<'_> {
    fn drop(&mut self) {
        let mut requests = self.0.requests();
        requests.in_progress -= 1;
        requests.last = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_an_audience_for_a_while() {
        let audience = Audience::default();
        let is_present = || audience.requests().are_recent();
        assert!(is_present(), "a browser is expected");
        let long_ago = || audience.requests().last = Instant::now().checked_sub(2 * GRACE).unwrap();
        let request = audience.attend();
        long_ago();
        assert!(is_present());
        drop(request);
        assert!(is_present());
        long_ago();
        assert!(!is_present());
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| audience.wait(|| false));
            drop(audience.attend());
            waits.join().unwrap();
        });
    }
}
