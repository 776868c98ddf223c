//! What is open at a place of a text, and how far lines in it are indented.

use crate::role::BlockKind;

/// Columns of a level of indentation.
pub(crate) const STEP: usize = 4;

/// Indentation of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Indent {
    /// The piece of an earlier line whose column it counts from.
    pub(crate) under: Option<usize>,
    pub(crate) columns: usize,
}

impl Indent {
    pub(crate) fn at(columns: usize) -> Indent {
        Indent { under: None, columns }
    }

    pub(crate) fn under(piece: usize) -> Indent {
        Indent {
            under: Some(piece),
            columns: 0,
        }
    }

    pub(crate) fn plus(self, columns: usize) -> Indent {
        Indent {
            columns: self.columns + columns,
            ..self
        }
    }
}

/// A statement with statements in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    If,
    /// `for` and `while`.
    Loop,
    Do,
    Else,
    /// One whose head is complete.
    Done,
}

impl Control {
    /// Returns whether a statement follows when the parenthesis closes.
    pub(crate) fn has_head(self) -> bool {
        matches!(self, Control::If | Control::Loop)
    }

    pub(crate) fn after_head(self) -> Control {
        Control::Done
    }
}

/// What is open.
#[derive(Clone, Debug)]
pub(crate) enum Frame {
    /// A block, or the text itself.
    Block {
        kind: BlockKind,
        /// Of the closing brace.
        close: Indent,
        /// Of the statements.
        content: Indent,
        /// True if it is on one line.
        single: bool,
        open: usize,
    },
    /// A statement, declaration, item or key.
    Statement {
        indent: Indent,
        first: usize,
        control: Option<Control>,
        scope: BlockKind,
    },
    /// The statement that follows the head of another one.
    Body {
        indent: Indent,
        of: Control,
        scope: BlockKind,
    },
    /// Brackets other than a block.
    Bracket {
        open: usize,
        /// Of the line that it is on.
        line: Indent,
        /// Of the lines in it.
        style: Option<Indent>,
    },
}
