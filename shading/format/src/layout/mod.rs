//! Lines of the formatted text: line ends and indentation.
//!
//! Line ends of the source are kept, except around tokens whose position is fixed: braces, `else`, commas. Each statement
//! begins a line, unless its whole block is on one line.

mod statement;

use rustc_hash::FxHashMap;

use crate::branch::Branches;
use crate::frame::{Frame, Indent, STEP};
use crate::line::{AlignmentAnchor, Line, Wrap, heights, next_code};
use crate::piece::{Piece, PieceKind};
use crate::role::{BlockKind, Role, Roles};

/// Maximum number of frames or pieces that are searched, which bounds the time per piece.
const MAX_SEARCH: usize = 256;

/// Divides a text into lines.
pub(crate) fn lines(pieces: &[Piece<'_>], roles: &Roles, wraps: &[Wrap]) -> Vec<Line> {
    let mut layout = Layout {
        pieces,
        roles,
        wraps,
        next_code: next_code(pieces),
        heights: heights(pieces),
        frames: vec![Frame::Block {
            kind: BlockKind::File,
            close: Indent::default(),
            content: Indent::default(),
            single: false,
            open: usize::MAX,
        }],
        lines: vec![],
        trailing: FxHashMap::default(),
    };
    let mut branches = Branches::default();
    for (at, piece) in pieces.iter().enumerate() {
        branches.directive(piece, &mut layout.frames);
        layout.piece(at);
    }
    layout.lines
}

/// Maximum number of words at the start of an item that are kept on one line.
const MAX_HEAD: usize = 8;

/// Minimum distance between a comment and its indentation at which the comment counts as aligned with others [columns].
const MIN_COMMENT_DISTANCE: usize = 8;

struct Layout<'a> {
    pieces: &'a [Piece<'a>],
    roles: &'a Roles,
    wraps: &'a [Wrap],
    next_code: Vec<usize>,
    heights: Vec<usize>,
    frames: Vec<Frame>,
    lines: Vec<Line>,
    /// Trailing comments since the last empty line, by their columns in the source.
    trailing: FxHashMap<usize, usize>,
}

impl Layout<'_> {
    fn piece(&mut self, at: usize) {
        let role = self.roles.list[at];
        match role {
            Role::Directive => {
                let indent = Indent::at(self.pieces[at].column);
                self.place(at, true, indent, false);
            }
            Role::Comment => self.comment(at),
            _ => {
                self.code(at, role);
                self.align_text(at);
            }
        }
    }

    /// Aligns a string with the previous one if it is below that string in the source.
    fn align_text(&mut self, at: usize) {
        let Some(before) = at.checked_sub(1) else { return };
        let [above, piece] = [before, at].map(|at| &self.pieces[at]);
        let is_text = |piece: &Piece<'_>| piece.kind == PieceKind::Text;
        let is_below = piece.newlines > 0 && piece.column == above.column;
        if !(is_text(above) && is_text(piece) && is_below) {
            return;
        }
        if let Some(line) = self.lines.last_mut().filter(|line| line.first == at) {
            line.anchor = Some(AlignmentAnchor { piece: before, min_distance: 0 });
        }
    }

    /// Appends a piece to the current line, or begins a line with the piece.
    fn place(&mut self, at: usize, breaks: bool, indent: Indent, is_item: bool) {
        let before = at.checked_sub(1).map(|before| &self.pieces[before]);
        // At the start of a line, `#` would begin a directive. After a backslash, a line end would continue the line.
        let is_bound = self.pieces[at].text == "#" || before.is_some_and(|before| before.text == "\\");
        let breaks = breaks && !is_bound || before.is_none_or(Piece::ends_line);
        if !breaks && let Some(line) = self.lines.last_mut() {
            line.end = at + 1;
            return;
        }
        if self.pieces[at].newlines > 1 {
            self.trailing.clear();
        }
        let blank = at > 0 && self.pieces[at].newlines > 1 && self.can_be_blank(at, is_item);
        self.lines.push(Line {
            first: at,
            end: at + 1,
            blank,
            indent,
            anchor: None,
            is_item,
            in_bracket: matches!(self.frames.last(), Some(Frame::Bracket { .. })),
            scope: self.scope(),
        });
    }

    /// Returns whether an empty line may precede a piece: not next to the inner side of brackets, nor before `else`.
    fn can_be_blank(&self, at: usize, is_item: bool) -> bool {
        let opens = matches!(
            self.roles.list[at - 1],
            Role::BlockOpen(_) | Role::ParenOpen | Role::IndexOpen | Role::ListOpen | Role::MetaOpen
        );
        let closes = matches!(
            self.roles.list[at],
            Role::BlockClose | Role::ParenClose | Role::IndexClose | Role::ListClose | Role::MetaClose
        );
        let is_brace = matches!(self.roles.list[at], Role::BlockOpen(_)) && !is_item;
        let continues = self.pieces[at].text == "else" || is_brace;
        !opens && !closes && !continues
    }

    fn is_broken(&self, at: usize) -> bool {
        match self.wraps[at] {
            Wrap::Keep => self.pieces[at].newlines > 0,
            Wrap::Break => true,
            Wrap::Join => false,
        }
    }

    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the file is never closed")
    }

    /// Returns the innermost block that encloses the current statement.
    fn scope(&self) -> BlockKind {
        let scope = self.frames.iter().rev().take(MAX_SEARCH).find_map(|frame| match frame {
            Frame::Block { kind, .. } => Some(*kind),
            Frame::Statement { scope, .. } | Frame::Body { scope, .. } => Some(*scope),
            Frame::Bracket { .. } => None,
        });
        scope.unwrap_or(BlockKind::File)
    }

    fn line_indent(&self) -> Indent {
        self.lines.last().map_or(Indent::default(), |line| line.indent)
    }

    fn comment(&mut self, at: usize) {
        let next = self.next_code[at];
        let next_role = self.roles.list.get(next).copied();
        let is_else = self.pieces.get(next).is_some_and(|piece| piece.text == "else");
        let begins_part = is_else || matches!(next_role, Some(Role::BlockOpen(_) | Role::MetaOpen));
        let indent = match self.top() {
            Frame::Block { content, .. } => *content,
            Frame::Body { indent, .. } => indent.plus(STEP),
            Frame::Statement { indent, .. } if begins_part => *indent,
            Frame::Statement { indent, .. } => indent.plus(STEP),
            Frame::Bracket { .. } => self.inside(at, false),
        };
        let anchor = self.comment_anchor(at);
        let is_item = matches!(self.frames.last(), Some(Frame::Block { .. }));
        self.place(at, self.is_broken(at), indent, is_item);
        if let Some(line) = self.lines.last_mut().filter(|line| line.first == at) {
            line.anchor = anchor;
        }
    }

    /// Returns the trailing comment in whose column a comment begins, if that comment is on an earlier line.
    fn comment_anchor(&mut self, at: usize) -> Option<AlignmentAnchor> {
        let comment = &self.pieces[at];
        if comment.newlines > 1 {
            self.trailing.clear();
        }
        let piece = self.trailing.get(&comment.column).copied();
        if comment.newlines == 0 && at > 0 {
            self.trailing.insert(comment.column, at);
        }
        let piece = piece.filter(|_| comment.newlines == 1)?;
        let continues = at - piece < MAX_SEARCH && self.pieces[piece..at].iter().all(Piece::is_comment);
        let min_distance = if continues { 1 } else { MIN_COMMENT_DISTANCE };
        let is_below = |next: &&Piece<'_>| next.newlines > 0 && next.kind != PieceKind::LineComment;
        let next = self.pieces[at + 1..].iter().take(MAX_SEARCH).find(is_below);
        let indent = next.map_or(0, |next| next.column);
        (comment.column >= indent + min_distance).then_some(AlignmentAnchor { piece, min_distance })
    }

    fn code(&mut self, at: usize, role: Role) {
        if self.ends_macro(at, role) {
            self.end_statement(at);
        }
        match role {
            Role::BlockClose => return self.close_block(at),
            Role::ParenClose | Role::CastClose | Role::IndexClose | Role::ListClose | Role::MetaClose => {
                return self.close_bracket(at);
            }
            _ => {}
        }
        match self.top().clone() {
            Frame::Block { .. } | Frame::Body { .. } => self.begin_statement(at, role),
            Frame::Statement { indent, first, scope, .. } => {
                let is_head = scope == BlockKind::File && self.is_head(first, at);
                // An `else` stays on the line if its whole statement is on that line.
                let is_split = self.lines.last().is_some_and(|line| line.first > first);
                let is_else = self.pieces[at].text == "else" && role == Role::Keyword;
                let (breaks, indent) = match self.part(at, role, indent, scope) {
                    (_, indent) if is_head => (false, indent),
                    (_, indent) if is_else && is_split && self.roles.list[at - 1] == Role::Semi => {
                        (true, indent)
                    }
                    part => part,
                };
                self.place(at, breaks, indent, false);
            }
            Frame::Bracket { .. } => self.argument(at, role),
        }
        self.open(at, role);
    }

    /// Adds a piece inside brackets.
    fn argument(&mut self, at: usize, role: Role) {
        let breaks = self.is_broken(at) && !matches!(role, Role::Comma | Role::Semi);
        let indent = if breaks {
            self.inside(at, role == Role::MetaOpen)
        } else {
            Indent::default()
        };
        let before = at.checked_sub(1).map(|at| self.roles.list[at]);
        let is_item = matches!(before, Some(Role::Comma | Role::ParenOpen | Role::Comment | Role::Directive));
        self.place(at, breaks, indent, is_item);
    }

    /// Returns the indentation of a line that begins inside brackets. The first such line decides whether the contents are
    /// aligned with the first piece after the bracket.
    fn inside(&mut self, at: usize, is_deeper: bool) -> Indent {
        let scope = self.scope();
        let (pieces, is_forced) = (self.pieces, self.wraps[at] == Wrap::Break);
        let deeper = if is_deeper { STEP } else { 0 };
        let Some(Frame::Bracket { open, line, style }) = self.frames.last_mut() else {
            return Indent::default();
        };
        let first = *open + 1;
        let begins_line = self.lines.binary_search_by_key(&first, |line| line.first).is_ok();
        let is_aligned = pieces[first].newlines == 0
            && !begins_line
            && first < at
            && !pieces[first].is_comment()
            && if is_forced {
                scope == BlockKind::Group
            } else {
                pieces[first].column + deeper == pieces[at].column
            };
        let indent = *style.get_or_insert(if is_aligned { Indent::under(first) } else { line.plus(STEP) });
        indent.plus(deeper)
    }

    fn close_bracket(&mut self, at: usize) {
        let breaks = self.is_broken(at);
        let mut indent = self.line_indent();
        if let Frame::Bracket { line, .. } = self.top() {
            indent = *line;
            self.frames.pop();
        }
        self.place(at, breaks, indent, false);
        if let Frame::Statement { indent, control, scope, .. } = self.top()
            && let Some(of) = control.filter(|control| control.has_head())
        {
            let body = Frame::Body { indent: *indent, of, scope: *scope };
            *control = Some(of.after_head());
            self.frames.push(body);
        }
    }

    /// Returns whether a piece within a statement begins a line, and the indentation of that line.
    fn part(&mut self, at: usize, role: Role, indent: Indent, scope: BlockKind) -> (bool, Indent) {
        let closed = at.checked_sub(1).filter(|&close| self.roles.list[close] == Role::BlockClose);
        let open = closed.and_then(|close| self.roles.partner[close]);
        let after_block = open.is_some_and(|open| !self.is_single(open));
        let continues = matches!(self.pieces[at].text, "else" | "while") && role == Role::Keyword;
        match role {
            Role::BlockOpen(_) if self.is_single(at) => (self.is_broken(at), indent),
            Role::BlockOpen(BlockKind::Code | BlockKind::Group) if scope == BlockKind::File => (true, indent),
            Role::BlockOpen(_) => (false, indent),
            Role::Semi => (false, indent),
            Role::Keyword if continues => (self.is_broken(at) && !after_block, indent),
            Role::MetaOpen | Role::ParenOpen if scope == BlockKind::File => (self.is_broken(at), indent),
            _ => (self.is_broken(at), indent.plus(STEP)),
        }
    }

    /// Returns whether an item consists only of words so far: kind or type, and name.
    fn is_head(&self, first: usize, at: usize) -> bool {
        at < first + MAX_HEAD && self.roles.list[first..=at].iter().all(|role| *role == Role::Word)
    }

    /// Returns whether a block is on one line.
    fn is_single(&self, open: usize) -> bool {
        self.roles.partner[open].is_some_and(|close| {
            self.heights[open] == self.heights[close]
                && close > open + 1
                && self.wraps[open + 1] != Wrap::Break
                || close == open + 1 && self.pieces[close].newlines == 0
        })
    }
}
