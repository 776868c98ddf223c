//! Breaks of long lines of code: where expressions and arguments go on in a line of their own.

use crate::column::end;
use crate::frame::STEP;
use crate::line::Line;
use crate::piece::Piece;
use crate::role::{BlockKind, Role, Roles};

/// Maximum width of lines of code. Rows of parameters and of scenes are as long as they need.
pub(crate) const MAX_WIDTH: usize = 125;

/// Columns that a line has at least before a break.
const MIN_FILL: usize = 30;

/// Maximum number of texts in a row of which every second one is taken for the name of an option.
const MAX_OPTIONS: usize = 32;

/// Words that begin items whose heads are not broken.
const KEPT: [&str; 7] = [
    "shader",
    "surface",
    "displacement",
    "volume",
    "background",
    "group",
    "struct",
];

/// Where long lines are to end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Breaks {
    /// The pieces before which a line is to end.
    pub(crate) before: Vec<usize>,
    /// Indentation of the last part.
    indent: usize,
}

impl Breaks {
    /// Returns whether the next line goes on with the arguments of the last part, which it is then joined to.
    pub(crate) fn joins(&self, pieces: &[Piece<'_>], line: &Line, next: &Line, columns: &[usize]) -> bool {
        let last = &pieces[line.end - 1];
        let goes_on = next.in_bracket && !next.blank && columns[next.first] == self.indent;
        !self.before.is_empty() && last.text == "," && goes_on && pieces[next.first].is_code()
    }
}

/// Where a line is to end.
pub(crate) fn breaks(pieces: &[Piece<'_>], roles: &Roles, line: &Line, columns: &[usize]) -> Breaks {
    let code_end = (line.first..line.end)
        .rev()
        .find(|&at| pieces[at].is_code())
        .map_or(line.first, |at| at + 1);
    let width = code_end
        .checked_sub(1)
        .map_or(0, |last| end(columns[last], pieces[last].text));
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
        return Breaks {
            before: vec![open + 1],
            indent: usize::MAX,
        };
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
    Breaks {
        before: wrapper.found,
        indent: wrapper.indent,
    }
}

/// Returns whether a line is part of a function, or of a group.
fn is_code(pieces: &[Piece<'_>], roles: &Roles, line: &Line) -> bool {
    match line.scope {
        BlockKind::Code | BlockKind::Group => true,
        BlockKind::Scene | BlockKind::Struct => false,
        BlockKind::File => {
            let words = (line.first..line.end)
                .take_while(|&at| roles.list[at] == Role::Word)
                .count();
            let is_head = roles.list.get(line.first + words) == Some(&Role::ParenOpen);
            line.is_item && words > 1 && is_head && !KEPT.contains(&pieces[line.first].text)
        }
    }
}

/// A bracket that the line opens.
struct OpenBracket {
    at: usize,
    /// Indentation of the part of the line that it is on.
    indent: usize,
    /// Columns by which that part is moved to the left.
    moved: isize,
}

struct Wrapper<'a> {
    pieces: &'a [Piece<'a>],
    roles: &'a Roles,
    columns: &'a [usize],
    scope: BlockKind,
    /// Indentation of what goes on outside of the brackets that the line opens.
    outer: usize,
    open: Vec<OpenBracket>,
    /// Brackets of the best place that have been closed behind it, the innermost first.
    closed: Vec<OpenBracket>,
    /// First piece of the current part, and its indentation.
    start: usize,
    indent: usize,
    found: Vec<usize>,
}

/// A place where the line can end.
#[derive(Clone, Copy)]
struct Candidate {
    at: usize,
    cost: usize,
    /// Indentation of what follows.
    indent: usize,
    /// Number of brackets that are open there.
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
                self.take(candidate);
                at = candidate.at;
                continue;
            }
            self.follow(at, best.map_or(0, |best| best.depth));
            at += 1;
        }
    }

    fn moved(&self) -> isize {
        self.columns[self.start] as isize - self.indent as isize
    }

    fn moved_column(&self, column: usize) -> isize {
        column as isize - self.moved()
    }

    fn take(&mut self, candidate: Candidate) {
        self.found.push(candidate.at);
        // What has been opened behind the place is read again.
        self.open.truncate(candidate.depth - self.closed.len());
        self.open.extend(self.closed.drain(..).rev());
        self.start = candidate.at;
        self.indent = candidate.indent;
    }

    fn follow(&mut self, at: usize, depth: usize) {
        match self.roles.list[at] {
            Role::ParenOpen | Role::IndexOpen | Role::ListOpen => self.open.push(OpenBracket {
                at,
                indent: self.indent,
                moved: self.moved(),
            }),
            Role::ParenClose | Role::CastClose | Role::IndexClose | Role::ListClose => {
                let closed = self.open.pop();
                let is_new = self.open.len() + self.closed.len() < depth;
                self.closed.extend(closed.filter(|_| is_new));
            }
            _ => {}
        }
    }

    /// Returns whether a piece behind a comma is the plain value of an option: the name of one precedes it.
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

    /// The cost of a break before a piece: deep brackets and close bindings are kept together.
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
