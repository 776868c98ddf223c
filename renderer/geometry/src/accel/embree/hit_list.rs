//! Hit list of the all-hits query of a thread.

use std::cell::RefCell;

use super::sys::RtcRay;
use crate::Hit;

/// `id` of the rays of all-hits queries.
pub(super) const ALL_HITS: u32 = 1;

thread_local! {
    /// Hits of the current query, in no order.
    static HITS: RefCell<Vec<Hit>> = const { RefCell::new(Vec::new()) };
}

/// Returns whether a ray belongs to an all-hits query.
pub(super) fn is_all_hits(ray: &RtcRay) -> bool {
    ray.id == ALL_HITS
}

/// Adds a hit to the list of this thread.
pub(super) fn record(hit: Hit) {
    HITS.with_borrow_mut(|hits| hits.push(hit));
}

/// Calls `visit` for the recorded hits and empties the list, whose memory is kept for the next query of this thread.
pub(super) fn drain(visit: impl FnMut(&Hit)) {
    let mut hits = HITS.take();
    hits.iter().for_each(visit);
    hits.clear();
    HITS.set(hits);
}
