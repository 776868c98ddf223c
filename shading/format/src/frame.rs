//! Stack of open blocks, statements and brackets, with the indentation of lines in them.

use crate::role::BlockKind;

/// Columns per level of indentation.
pub(crate) const STEP: usize = 4;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Indent {
    /// Piece of an earlier line whose column is added to `columns`.
    pub(crate) under: Option<usize>,
    pub(crate) columns: usize,
}

impl Indent {
    pub(crate) fn at(columns: usize) -> Indent {
        Indent { under: None, columns }
    }

    pub(crate) fn under(piece: usize) -> Indent {
        Indent { under: Some(piece), columns: 0 }
    }

    pub(crate) fn plus(self, columns: usize) -> Indent {
        Indent { columns: self.columns + columns, ..self }
    }
}

/// Statement that contains statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    If,
    /// `for` and `while`.
    Loop,
    Do,
    Else,
    /// A statement whose head is complete.
    Done,
}

impl Control {
    /// Returns whether a statement follows the closing parenthesis.
    pub(crate) fn has_head(self) -> bool {
        matches!(self, Control::If | Control::Loop)
    }

    pub(crate) fn after_head(self) -> Control {
        Control::Done
    }
}

/// Open block, statement or bracket.
#[derive(Clone, Debug)]
pub(crate) enum Frame {
    /// A block, or the file.
    Block {
        kind: BlockKind,
        /// Indentation of the closing brace.
        close: Indent,
        /// Indentation of statements.
        content: Indent,
        /// True if the block is on one line.
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
    /// The statement after the head of another statement.
    Body { indent: Indent, of: Control, scope: BlockKind },
    /// Brackets other than those of a block.
    Bracket {
        open: usize,
        /// Indentation of the line that contains the opening bracket.
        line: Indent,
        /// Indentation of lines in the brackets; set by the first such line.
        style: Option<Indent>,
    },
}
