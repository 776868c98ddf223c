//! Ray masks: visibility of shapes for groups of queries.

/// Mask of a shape that all queries see, or of a query that sees all shapes.
pub const ALL: u32 = u32::MAX;
