//! The parser of light path expressions.
//!
//! ```text
//! choice   = sequence { "|" sequence }
//! sequence = { atom [ "*" | "+" | "?" | "{" n [ "," [ m ] ] "}" ] }
//! atom     = symbol | label | "." | set | group | "(" choice ")"
//! set      = "[" [ "^" ] { symbol | label | "." | group } "]"
//! group    = "<" place [ place { place } ] ">"        event, scattering, labels
//! place    = symbol | label | "." | "[" [ "^" ] { symbol | label | "." } "]"
//! label    = "'" text "'"
//! ```
//!
//! A single symbol matches any event of its kind or scattering class. Omitted places of a group match anything.

use std::ops::Range;

use super::event::{EventKind, Scattering};
use super::expression::Expression;
use super::labels::LabelTable;
use super::pattern::{LabelSet, Pattern};

/// Maximum length of an expression [bytes].
const MAX_LENGTH: usize = 4096;

/// Maximum depth of parentheses.
const MAX_DEPTH: u32 = 64;

/// Maximum count of a repetition.
const MAX_REPEATS: u32 = 64;

/// Syntax error of an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// Message.
    pub message: String,
    /// Position in the expression [bytes].
    pub place: Range<usize>,
    /// Hint.
    pub hint: Option<&'static str>,
}

const SYMBOLS: &str = "events are C (camera), L (light), B (background), O (object), V (volume), T (transmission) and \
                       R (reflection); scattering is D (diffuse), G (glossy), S (specular) and s (straight through)";

impl Expression {
    /// Parses an expression; names of labels are added to the table.
    ///
    /// # Errors
    /// The first syntax error, with its position in bytes.
    pub fn parse(text: &str, labels: &mut LabelTable) -> Result<Expression, ExpressionError> {
        parse(text, labels)
    }
}

fn parse(text: &str, labels: &mut LabelTable) -> Result<Expression, ExpressionError> {
    let mut parser = Parser { text, at: 0, depth: 0, labels };
    if text.len() > MAX_LENGTH {
        return Err(parser.error(0..MAX_LENGTH, "the expression is too long", None));
    }
    let expression = parser.choice()?;
    match parser.peek() {
        None if text.trim().is_empty() => Err(parser.error(
            0..text.len(),
            "the expression is empty",
            Some("direct light on diffuse surfaces is C<RD>L, all light is C.*"),
        )),
        None => Ok(expression),
        Some(_) => Err(parser.unexpected(None)),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    labels: &'a mut LabelTable,
}

impl Parser<'_> {
    fn choice(&mut self) -> Result<Expression, ExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(self.at..self.at + 1, "parentheses are nested too deeply", None));
        }
        let mut choices = vec![self.sequence()?];
        while self.take('|') {
            choices.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(match choices.len() {
            1 => choices.remove(0),
            _ => Expression::Choice(choices),
        })
    }

    fn sequence(&mut self) -> Result<Expression, ExpressionError> {
        let mut parts = vec![];
        while let Some(next) = self.peek().filter(|&next| next != '|' && next != ')') {
            let atom = match next {
                '(' => self.parenthesis()?,
                '[' => self.set()?,
                _ => one(self.events()?),
            };
            parts.push(self.repeated(atom)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Expression::Sequence(parts),
        })
    }

    fn parenthesis(&mut self) -> Result<Expression, ExpressionError> {
        let open = self.at;
        self.take('(');
        let inner = self.choice()?;
        match self.take(')') {
            true => Ok(inner),
            false => Err(self.unclosed(open, "this parenthesis has no end", "add `)`")),
        }
    }

    /// `[…]` as an event.
    fn set(&mut self) -> Result<Expression, ExpressionError> {
        let open = self.at;
        self.take('[');
        let negated = self.take('^');
        let mut any_of = vec![];
        loop {
            match self.peek() {
                None => return Err(self.unclosed(open, "this set has no end", "add `]`")),
                Some(']') => break,
                Some(_) => any_of.push(self.events()?),
            }
        }
        self.take(']');
        Ok(Expression::Event { any_of, negated })
    }

    /// A symbol, a label, `.` or a group.
    fn events(&mut self) -> Result<Pattern, ExpressionError> {
        let next = self.peek();
        match next {
            Some('<') => self.group(),
            Some('.') => {
                self.advance();
                Ok(Pattern::ANY)
            }
            Some('\'') => {
                let label = self.label()?;
                Ok(Pattern { labels: vec![label], ..Pattern::ANY })
            }
            Some(symbol) => {
                let pattern = EventKind::of_symbol(symbol)
                    .map(Pattern::of_kind)
                    .or_else(|| Scattering::of_symbol(symbol).map(Pattern::of_scattering));
                let Some(pattern) = pattern else {
                    return Err(self.unexpected(Some(SYMBOLS)));
                };
                self.advance();
                Ok(pattern)
            }
            None => Err(self.unexpected(Some(SYMBOLS))),
        }
    }

    /// `<…>`.
    fn group(&mut self) -> Result<Pattern, ExpressionError> {
        let open = self.at;
        self.take('<');
        let mut pattern = Pattern::ANY;
        let mut place = 0;
        loop {
            match self.peek() {
                None => return Err(self.unclosed(open, "this group has no end", "add `>`")),
                Some('>') => break,
                Some('<' | '(' | '*' | '+' | '?' | '{' | '|') => {
                    let hint = "a group is one event: its kind, its scattering, its labels, as <RD'coat'>";
                    return Err(self.unexpected(Some(hint)));
                }
                Some(_) => self.place(place, &mut pattern)?,
            }
            place += 1;
        }
        self.take('>');
        if place == 0 {
            let hint = "a group is one event: its kind, its scattering, its labels, as <RD'coat'>";
            return Err(self.error(open..self.at, "this group is empty", Some(hint)));
        }
        Ok(pattern)
    }

    /// One place of a group: the kind, the scattering class, or a label.
    fn place(&mut self, place: u32, pattern: &mut Pattern) -> Result<(), ExpressionError> {
        let start = self.at;
        let (mut kinds, mut scatterings, mut labels) = (0u8, 0u8, vec![]);
        let mut any = false;
        let is_set = self.take('[');
        let negated = is_set && self.take('^');
        loop {
            match self.peek() {
                None => return Err(self.unclosed(start, "this set has no end", "add `]`")),
                Some(']') if is_set => break,
                Some('.') => {
                    self.advance();
                    any = true;
                }
                Some('\'') => labels.extend(self.label()?.labels),
                Some(symbol) => {
                    match (place, EventKind::of_symbol(symbol), Scattering::of_symbol(symbol)) {
                        (0, Some(kind), _) => kinds |= 1 << kind as u8,
                        (1, _, Some(scattering)) => {
                            scatterings |= 1 << scattering as u8;
                            pattern.names_straight |= scattering == Scattering::Straight;
                        }
                        (0, None, Some(_)) => {
                            let hint = "the kind comes first, the scattering second: <RD> or <.D>";
                            return Err(self.unexpected(Some(hint)));
                        }
                        (1, Some(_), None) => {
                            let hint = "the first place is the kind, the second the scattering: D, G, S or s";
                            return Err(self.unexpected(Some(hint)));
                        }
                        (2.., ..) if symbol.is_ascii_alphabetic() => {
                            return Err(self.unexpected(Some("labels stand in quotes: <RD'coat'>")));
                        }
                        _ => return Err(self.unexpected(Some(SYMBOLS))),
                    }
                    self.advance();
                }
            }
            if !is_set {
                break;
            }
        }
        if is_set {
            self.take(']');
        }
        if !labels.is_empty() {
            if kinds != 0 || scatterings != 0 {
                let message = "labels and symbols are mixed in one place";
                return Err(self.error(start..self.at, message, Some("give labels a place of their own")));
            }
            pattern.labels.push(LabelSet { labels, negated });
        } else if place == 0 && !any {
            pattern.kinds = if negated { !kinds } else { kinds };
        } else if place == 1 && !any {
            pattern.scatterings = if negated { !scatterings } else { scatterings };
        }
        Ok(())
    }

    /// `'…'`.
    fn label(&mut self) -> Result<LabelSet, ExpressionError> {
        let open = self.at;
        self.take('\'');
        let rest = &self.text[self.at..];
        let Some(length) = rest.find('\'') else {
            return Err(self.unclosed(open, "this label has no end", "add `'`"));
        };
        self.at += length + 1;
        let Some(label) = self.labels.insert(&rest[..length]) else {
            let message = format!("there are more than {} labels in the film's expressions", LabelTable::MAX);
            return Err(self.error(open..self.at, message, None));
        };
        Ok(LabelSet { labels: vec![label], negated: false })
    }

    fn repeated(&mut self, what: Expression) -> Result<Expression, ExpressionError> {
        let start = self.at;
        let (least, most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.counted(what),
            _ => return Ok(what),
        };
        self.advance();
        if let Some('*' | '+' | '?' | '{') = self.peek() {
            let end = self.at + 1;
            return Err(self.error(start..end, "this is repeated twice", Some("put it in parentheses")));
        }
        Ok(Expression::Repeat { what: Box::new(what), least, most })
    }

    /// `{n}`, `{n,}` or `{n,m}`.
    fn counted(&mut self, what: Expression) -> Result<Expression, ExpressionError> {
        let open = self.at;
        let hint = "write {2}, {1,3} or {1,}, with numbers up to 64";
        self.take('{');
        let rest = &self.text[self.at..];
        let Some(length) = rest.find('}') else {
            return Err(self.unclosed(open, "these braces have no end", hint));
        };
        self.at += length + 1;
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&n| n <= MAX_REPEATS);
        let inner = &rest[..length];
        let counts = match inner.split_once(',') {
            None => number(inner).map(|n| (n, Some(n))),
            Some((least, most)) if most.trim().is_empty() => number(least).map(|n| (n, None)),
            Some((least, most)) => number(least).zip(number(most).map(Some)),
        };
        match counts.filter(|&(least, most)| most.is_none_or(|most| most >= least)) {
            Some((least, most)) => Ok(Expression::Repeat { what: Box::new(what), least, most }),
            None => Err(self.error(open..self.at, "this is no number of repetitions", Some(hint))),
        }
    }

    /// Next character other than a space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn advance(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn take(&mut self, symbol: char) -> bool {
        let is_next = self.peek() == Some(symbol);
        if is_next {
            self.advance();
        }
        is_next
    }

    fn unexpected(&mut self, hint: Option<&'static str>) -> ExpressionError {
        let found = self.peek();
        let place = self.at..self.at + found.map_or(0, char::len_utf8);
        match found {
            Some(found) => self.error(place, format!("`{found}` does not belong here"), hint),
            None => self.error(place, "the expression ends too early", hint),
        }
    }

    fn unclosed(&self, open: usize, message: &str, hint: &'static str) -> ExpressionError {
        self.error(open..open + 1, message, Some(hint))
    }

    fn error(
        &self,
        place: Range<usize>,
        message: impl Into<String>,
        hint: Option<&'static str>,
    ) -> ExpressionError {
        ExpressionError {
            message: message.into(),
            place: place.start.min(self.text.len())..place.end.min(self.text.len()),
            hint,
        }
    }
}

fn one(pattern: Pattern) -> Expression {
    Expression::Event { any_of: vec![pattern], negated: false }
}
