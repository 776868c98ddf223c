//! Lines of a cage that adjacent parts of the surface share, and places on them.

/// Length of the side of a patch, in units of the coordinates of places.
pub(crate) const SIDE: u32 = 1 << 16;
/// Length of an edge of the cage.
pub(crate) const EDGE: u32 = 2 * SIDE;

/// A line between parts of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Line {
    /// Edge of the cage, of length [`EDGE`].
    Edge(u32),
    /// From the middle of the edge at a corner to the centre of its face, of length [`SIDE`].
    Spoke(u32),
    /// Line of constant y inside a patch.
    Horizontal(u32, u32),
    /// Line of constant x inside a patch.
    Vertical(u32, u32),
}

/// Part of a line, `start < end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Segment {
    pub(crate) line: Line,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Segment {
    pub(crate) fn middle(self) -> u32 {
        self.start.midpoint(self.end)
    }

    pub(crate) fn halves(self) -> [Segment; 2] {
        let middle = self.middle();
        [Segment { end: middle, ..self }, Segment { start: middle, ..self }]
    }
}

/// A point of the surface that several patches may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// Limit of a point of the cage.
    Point(u32),
    /// Centre of a face.
    Center(u32),
    /// Point of a line, but of none of its ends.
    Line(Line, u32),
}
