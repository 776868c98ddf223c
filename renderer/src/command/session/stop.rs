//! A request to end work.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use renderer_support::interrupt::Interrupt;

/// Stops work early; clones share the request.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Interrupt>);

impl Stop {
    /// Requests that the work ends with the result so far.
    pub fn stop(&self) {
        self.0.stop_old_work();
    }

    /// Returns whether the work has to end.
    pub fn is_set(&self) -> bool {
        self.0.is_set()
    }

    pub(super) fn flag(&self) -> &AtomicBool {
        self.0.flag()
    }

    pub(super) fn interrupt(&self) -> &Arc<Interrupt> {
        &self.0
    }
}
