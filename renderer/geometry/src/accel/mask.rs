//! Ray masks: which shapes a query sees.

/// Every kind of ray: the mask of a shape, or of a query, without exceptions.
pub const ALL: u32 = u32::MAX;
