//! Line breaks in long lines of code.

use crate::column::end;
use crate::frame::STEP;
use crate::line::Line;
use crate::piece::Piece;
use crate::role::{BlockKind, Role, Roles};
use shading_syntax::token::ITEM_WORDS;

/// Maximum width of code [columns]. Rows of parameters and of scenes may be longer.
pub(crate) const MAX_WIDTH: usize = 125;

/// Minimum width of a line before a break [columns].
const MIN_FILL: usize = 30;

/// Maximum number of consecutive strings in which names and values of options alternate.
const MAX_OPTIONS: usize = 32;

/// Line breaks of a long line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Breaks {
    /// Pieces before which the line is broken.
    pub(crate) before: Vec<usize>,
    /// Indentation of the last part [columns].
    indent: usize,
}

impl Breaks {
    /// Returns whether the next line continues the arguments of the last part, so that the two are joined.
    pub(crate) fn joins(&self, pieces: &[Piece<'_>], line: &Line, next: &Line, columns: &[usize]) -> bool {
        let last = &pieces[line.end - 1];
        let continues = next.in_bracket && !next.blank && columns[next.first] == self.indent;
        !self.before.is_empty() && last.text == "," && continues && pieces[next.first].is_code()
    }
}

/// Returns the line breaks that a line needs.
pub(crate) fn breaks(pieces: &[Piece<'_>], roles: &Roles, line: &Line, columns: &[usize]) -> Breaks {
    let code_end = (line.first..line.end)
        .rev()
        .find(|&at| pieces[at].is_code())
        .map_or(line.first, |at| at + 1);
    let width = code_end.checked_sub(1).map_or(0, |last| end(columns[last], pieces[last].text));
    if width <= MAX_WIDTH || code_end <= line.first + 1 || !is_code(pieces, roles, line) {
        return Breaks::default();
    }
    let inside = line.first..code_end;
    if inside.clone().any(|at| roles.list[at] == Role::MetaOpen) {
        return Breaks::default();
    }
    let block = inside
        .clone()
        .find(|&at| matches!(roles.list[at], Role::BlockOpen(BlockKind::Code)) && at + 1 < code_end);
    if let Some(open) = block {
        return Breaks { before: vec![open + 1], indent: usize::MAX };
    }
    let mut wrapper = Wrapper {
        pieces,
        roles,
        columns,
        scope: line.scope,
        outer: if line.in_bracket || !line.is_item {
            columns[line.first]
        } else {
            columns[line.first] + STEP
        },
        open: vec![],
        closed: vec![],
        start: line.first,
        indent: columns[line.first],
        found: vec![],
    };
    wrapper.run(code_end);
    Breaks { before: wrapper.found, indent: wrapper.indent }
}

/// Returns whether a line belongs to a function or a group.
fn is_code(pieces: &[Piece<'_>], roles: &Roles, line: &Line) -> bool {
    match line.scope {
        BlockKind::Code | BlockKind::Group => true,
        BlockKind::Scene | BlockKind::Struct => false,
        BlockKind::File => {
            let words = (line.first..line.end).take_while(|&at| roles.list[at] == Role::Word).count();
            let is_head = roles.list.get(line.first + words) == Some(&Role::ParenOpen);
            line.is_item && words > 1 && is_head && !ITEM_WORDS.contains(&pieces[line.first].text)
        }
    }
}

/// Bracket that is opened on the line.
struct OpenBracket {
    at: usize,
    /// Indentation of the part that contains the bracket.
    indent: usize,
    /// Columns by which this part is moved to the left.
    moved: isize,
}

struct Wrapper<'a> {
    pieces: &'a [Piece<'a>],
    roles: &'a Roles,
    columns: &'a [usize],
    scope: BlockKind,
    /// Indentation of parts outside of all brackets that the line opens.
    outer: usize,
    open: Vec<OpenBracket>,
    /// Brackets that are open at the best candidate but closed since, innermost first.
    closed: Vec<OpenBracket>,
    /// First piece of the current part, and the part's indentation.
    start: usize,
    indent: usize,
    found: Vec<usize>,
}

/// Possible line break.
#[derive(Clone, Copy)]
struct Candidate {
    at: usize,
    cost: usize,
    /// Indentation after the break.
    indent: usize,
    /// Number of open brackets at the break.
    depth: usize,
}

impl Wrapper<'_> {
    fn run(&mut self, code_end: usize) {
        let mut best: Option<Candidate> = None;
        let mut at = self.start;
        while at < code_end {
            if at > self.start
                && let Some(candidate) = self.candidate(at)
                && best.is_none_or(|best| candidate.cost <= best.cost)
            {
                best = Some(candidate);
                self.closed.clear();
            }
            let piece_end = self.moved_column(end(self.columns[at], self.pieces[at].text));
            if piece_end > MAX_WIDTH as isize
                && let Some(candidate) = best.take()
            {
                self.break_at(candidate);
                at = candidate.at;
                continue;
            }
            self.track_brackets(at, best.map_or(0, |best| best.depth));
            at += 1;
        }
    }

    fn moved(&self) -> isize {
        self.columns[self.start] as isize - self.indent as isize
    }

    fn moved_column(&self, column: usize) -> isize {
        column as isize - self.moved()
    }

    fn break_at(&mut self, candidate: Candidate) {
        self.found.push(candidate.at);
        // Brackets that are opened after the break are pushed again.
        self.open.truncate(candidate.depth - self.closed.len());
        self.open.extend(self.closed.drain(..).rev());
        self.start = candidate.at;
        self.indent = candidate.indent;
    }

    fn track_brackets(&mut self, at: usize, depth: usize) {
        match self.roles.list[at] {
            Role::ParenOpen | Role::IndexOpen | Role::ListOpen => {
                self.open.push(OpenBracket { at, indent: self.indent, moved: self.moved() });
            }
            Role::ParenClose | Role::CastClose | Role::IndexClose | Role::ListClose => {
                let closed = self.open.pop();
                let is_new = self.open.len() + self.closed.len() < depth;
                self.closed.extend(closed.filter(|_| is_new));
            }
            _ => {}
        }
    }

    /// Returns whether a piece after a comma is the value of an option, whose name precedes it.
    fn is_option(&self, at: usize) -> bool {
        let is_end = |role: &Role| matches!(role, Role::Comma | Role::ParenClose);
        let is_text = |at: &usize| self.pieces[*at].text.starts_with('"');
        let texts = (0..at - 1)
            .rev()
            .step_by(2)
            .take_while(|at| is_text(at) && self.roles.list[at + 1] == Role::Comma)
            .take(MAX_OPTIONS)
            .count();
        self.roles.list.get(at + 1).is_some_and(is_end) && texts % 2 == 1
    }

    /// Returns the break before a piece. Breaks inside nested brackets or between operands of `*` and `/` cost more.
    fn candidate(&self, at: usize) -> Option<Candidate> {
        let after_comma = self.roles.list[at - 1] == Role::Comma;
        let text = self.pieces[at].text;
        let binding = match self.roles.list[at] {
            // The name of an option and its value stay together.
            _ if after_comma && self.is_option(at) => 1,
            _ if after_comma => 0,
            Role::Infix if ["+", "-", "&&", "||", "?", ":"].contains(&text) => 0,
            Role::Infix => 3,
            Role::Keyword if ["and", "or"].contains(&text) => 0,
            _ => return None,
        };
        if self.moved_column(self.columns[at]) < (self.indent + MIN_FILL) as isize {
            return None;
        }
        let indent = match self.open.last() {
            None => self.outer,
            Some(bracket) if self.scope == BlockKind::Group => {
                (self.columns[bracket.at + 1] as isize - bracket.moved).max(0) as usize
            }
            Some(bracket) => bracket.indent + STEP,
        };
        Some(Candidate {
            at,
            cost: 2 * self.open.len() + binding,
            indent,
            depth: self.open.len(),
        })
    }
}
