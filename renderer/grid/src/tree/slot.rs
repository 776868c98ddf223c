//! Entry of a node.

/// Index of a tile, which has a constant value, or of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(u32);

/// The meaning of a [`Slot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Index of the tile's values.
    Tile(usize),
    /// Index of the node or block.
    Child(usize),
}

const TILE: u32 = 1 << 31;

impl Slot {
    /// The tile of the background.
    pub(crate) const BACKGROUND: Slot = Slot(TILE);

    /// Most tiles, nodes or blocks.
    pub(crate) const MAX: usize = TILE as usize - 1;

    pub(super) fn tile(index: usize) -> Slot {
        debug_assert!(index <= Slot::MAX);
        Slot(TILE | index as u32)
    }

    pub(super) fn child(index: usize) -> Slot {
        debug_assert!(index <= Slot::MAX);
        Slot(index as u32)
    }

    #[inline]
    pub(crate) fn content(self) -> Content {
        if self.0 & TILE != 0 {
            Content::Tile((self.0 & !TILE) as usize)
        } else {
            Content::Child(self.0 as usize)
        }
    }
}
