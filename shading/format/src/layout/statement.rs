//! Start and end of statements.

use super::{Layout, MAX_SEARCH};
use crate::frame::{Control, Frame, STEP};
use crate::role::{BlockKind, Role};

impl Layout<'_> {
    pub(super) fn begin_statement(&mut self, at: usize, role: Role) {
        let (breaks, indent, scope) = match *self.top() {
            Frame::Block { kind, content, single, open, .. } => {
                let is_first = open.wrapping_add(1) == at;
                let after_comment = at > 0 && self.pieces[at - 1].is_comment();
                let after_semi = at > 0 && self.roles.list[at - 1] == Role::Semi;
                let breaks = match kind {
                    _ if single => false,
                    _ if role == Role::Semi && !is_first => after_semi && self.is_broken(at),
                    _ if after_comment => self.is_broken(at),
                    BlockKind::Scene => is_first || self.is_broken(at),
                    BlockKind::File | BlockKind::Code | BlockKind::Struct | BlockKind::Group => true,
                };
                (breaks, content, kind)
            }
            Frame::Body { indent, of, scope } => {
                let is_chain = of == Control::Else && self.pieces[at].text == "if";
                let breaks = self.is_broken(at) && !is_chain && !matches!(role, Role::BlockOpen(_));
                let step = if breaks { STEP } else { 0 };
                (breaks, indent.plus(step), scope)
            }
            Frame::Statement { .. } | Frame::Bracket { .. } => return,
        };
        self.place(at, breaks, indent, true);
        let control = match self.pieces[at].text {
            _ if role != Role::Keyword => None,
            "if" => Some(Control::If),
            "for" | "while" => Some(Control::Loop),
            _ => None,
        };
        self.frames.push(Frame::Statement { indent, first: at, control, scope });
    }

    /// Opens the bracket, block or body that a piece begins, or ends the statement.
    pub(super) fn open(&mut self, at: usize, role: Role) {
        match role {
            Role::ParenOpen | Role::IndexOpen | Role::ListOpen | Role::MetaOpen => {
                let line = self.line_indent();
                self.frames.push(Frame::Bracket { open: at, line, style: None });
            }
            Role::BlockOpen(kind) => {
                let close = match self.top() {
                    Frame::Statement { indent, .. } => *indent,
                    _ => self.line_indent(),
                };
                let single = self.is_single(at);
                self.frames
                    .push(Frame::Block { kind, close, content: close.plus(STEP), single, open: at });
            }
            Role::Semi if matches!(self.top(), Frame::Statement { .. }) => {
                self.end_statement(self.next_code[at]);
            }
            Role::Keyword => self.open_body(at),
            _ => {}
        }
    }

    /// Opens the body of `do` or `else`.
    fn open_body(&mut self, at: usize) {
        let of = match self.pieces[at].text {
            "do" => Control::Do,
            "else" => Control::Else,
            _ => return,
        };
        if let Frame::Statement { indent, scope, .. } = *self.top() {
            self.frames.push(Frame::Body { indent, of, scope });
        }
    }

    pub(super) fn close_block(&mut self, at: usize) {
        let has_block = self
            .frames
            .iter()
            .skip(1)
            .rev()
            .take(MAX_SEARCH)
            .any(|frame| matches!(frame, Frame::Block { .. }));
        if !has_block {
            let indent = self.line_indent();
            return self.place(at, true, indent, false);
        }
        while let Some(frame) = self.frames.pop() {
            if let Frame::Block { close, single, .. } = frame {
                self.place(at, !single, close, false);
                break;
            }
        }
        let next = self.next_code[at];
        let is_open = self.pieces.get(next).is_some_and(|piece| piece.text == ";");
        if !is_open && matches!(self.top(), Frame::Statement { .. }) {
            self.end_statement(next);
        }
    }

    /// Ends the statement, and the statements whose last part it is. `next` is the next piece of code.
    pub(super) fn end_statement(&mut self, next: usize) {
        let next = self.pieces.get(next).map_or("", |piece| piece.text);
        self.frames.pop();
        while let Some(Frame::Body { of, .. }) = self.frames.last() {
            let continues = match of {
                Control::If => next == "else",
                Control::Do => next == "while",
                Control::Loop | Control::Else | Control::Done => false,
            };
            self.frames.pop();
            if continues {
                return;
            }
            self.frames.pop();
        }
    }

    /// Returns whether the statement is a macro use that ends before this piece. No token marks its end.
    pub(super) fn ends_macro(&mut self, at: usize, role: Role) -> bool {
        let Frame::Statement { first, scope, .. } = *self.top() else {
            return false;
        };
        let pieces = self.pieces;
        if role != Role::Word && role != Role::Keyword
            || pieces[at].newlines == 0
            || pieces[at].text == "with"
        {
            return false;
        }
        let is_name = self.roles.list[first] == Role::Word && pieces[first].text != "typeof";
        if !is_name || !matches!(scope, BlockKind::File | BlockKind::Code) {
            return false;
        }
        let before = (first..at).rev().find(|&at| pieces[at].is_code());
        let is_call = before.is_some_and(|before| self.roles.partner[before] == Some(first + 1));
        let is_upper = |text: &str| text.len() > 1 && !text.contains(|c: char| c.is_ascii_lowercase());
        is_call || before == Some(first) && is_upper(pieces[first].text)
    }
}
