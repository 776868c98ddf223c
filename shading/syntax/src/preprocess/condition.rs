//! Evaluation of `#if` and `#elif` conditions: C's integer expressions.

use super::error::{Failure, PreprocessError};
use super::run::Run;
use super::token::Token;
use crate::token::TokenKind;

/// Maximum nesting of parentheses and unary operators.
const MAX_DEPTH: usize = 200;

/// Binary operators by precedence, loosest first; `?:` binds more loosely than all.
const BINARY: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Run<'_> {
    /// Evaluates the condition that follows `word` on its line.
    pub(super) fn condition(&mut self, word: &Token, line: &[Token]) -> Result<bool, Failure> {
        let mut tokens = vec![];
        let mut rest = line.iter();
        while let Some(token) = rest.next() {
            if token.is("defined") {
                let mut next = rest.next();
                let in_parentheses = next.is_some_and(|next| next.is("("));
                if in_parentheses {
                    next = rest.next();
                }
                let name = next.filter(|name| name.is_name());
                let is_closed = !in_parentheses || rest.next().is_some_and(|close| close.is(")"));
                let Some(name) = name.filter(|_| is_closed) else {
                    return Err(Failure::at(token, PreprocessError::BadDefined));
                };
                let number = if self.macros.contains_key(&name.text) { "1" } else { "0" };
                tokens.push(token.with_text(TokenKind::Number, number));
            } else if token.is("__has_include") {
                let rest_tokens: Vec<&Token> = rest.by_ref().take_while(|token| !token.is(")")).collect();
                let text: String = rest_tokens.iter().skip(1).map(|token| &*token.text).collect();
                let is_there = self.has_include(&text, token);
                tokens.push(token.with_text(TokenKind::Number, if is_there { "1" } else { "0" }));
            } else {
                tokens.push(token.clone());
            }
        }
        let tokens = self.expand(tokens, None)?;
        let mut evaluator = Evaluator { tokens: &tokens, at: 0, word, depth: 0 };
        let value = evaluator.conditional(true)?;
        match evaluator.tokens.get(evaluator.at) {
            None => Ok(value != 0),
            Some(token) => Err(evaluator.unexpected(token)),
        }
    }

    fn has_include(&self, text: &str, at: &Token) -> bool {
        let quoted = text.starts_with('"');
        let name = text.trim_matches(['"', '<', '>']);
        let from = self.output.origin.source(at.file);
        matches!(self.look_up(name, quoted, from), Ok(Some(_)))
    }
}

struct Evaluator<'t> {
    tokens: &'t [Token],
    at: usize,
    word: &'t Token,
    depth: usize,
}

impl<'t> Evaluator<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn accept(&mut self, text: &str) -> bool {
        let is = self.peek().is_some_and(|token| token.is(text));
        self.at += usize::from(is);
        is
    }

    fn unexpected(&self, token: &Token) -> Failure {
        let found = token.text.to_string();
        Failure::at(token, PreprocessError::BadCondition(Some(found)))
    }

    fn incomplete(&self) -> Failure {
        let at = self.tokens.last().unwrap_or(self.word);
        Failure::at(at, PreprocessError::BadCondition(None))
    }

    /// `a ? b : c`. If not `live`, the expression is parsed only, and division by zero is allowed.
    fn conditional(&mut self, live: bool) -> Result<i64, Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Failure::at(self.word, PreprocessError::ConditionTooDeep));
        }
        let condition = self.binary(0, live)?;
        let mut value = condition;
        if self.accept("?") {
            let then = self.conditional(live && condition != 0)?;
            if !self.accept(":") {
                return Err(self.peek().map_or_else(|| self.incomplete(), |token| self.unexpected(token)));
            }
            let otherwise = self.conditional(live && condition == 0)?;
            value = if condition != 0 { then } else { otherwise };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize, live: bool) -> Result<i64, Failure> {
        let Some(operators) = BINARY.get(level) else {
            return self.unary(live);
        };
        let mut left = self.binary(level + 1, live)?;
        while let Some(token) = self.peek()
            && let Some(operator) = operators.iter().find(|operator| token.is(operator))
        {
            self.at += 1;
            let right_live = live
                && match *operator {
                    "||" => left == 0,
                    "&&" => left != 0,
                    _ => true,
                };
            let right = self.binary(level + 1, right_live)?;
            if matches!(*operator, "/" | "%") && right == 0 {
                if live {
                    return Err(Failure::at(token, PreprocessError::DividedByZero));
                }
                left = 0;
                continue;
            }
            left = apply(operator, left, right);
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<i64, Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Failure::at(self.word, PreprocessError::ConditionTooDeep));
        }
        let Some(token) = self.peek() else {
            return Err(self.incomplete());
        };
        self.at += 1;
        let value = match (token.kind, &*token.text) {
            (TokenKind::Punctuation, "+") => self.unary(live)?,
            (TokenKind::Punctuation, "-") => self.unary(live)?.wrapping_neg(),
            (TokenKind::Punctuation, "~") => !self.unary(live)?,
            (TokenKind::Punctuation, "!") => i64::from(self.unary(live)? == 0),
            (TokenKind::Punctuation, "(") => {
                let value = self.conditional(live)?;
                if !self.accept(")") {
                    return Err(self
                        .peek()
                        .map_or_else(|| self.incomplete(), |token| self.unexpected(token)));
                }
                value
            }
            // As in C, an undefined name is 0; so is the name of a function-like macro without arguments.
            (TokenKind::Name, name) => i64::from(name == "true"),
            (TokenKind::Number, text) => number(text).ok_or_else(|| self.unexpected(token))?,
            (TokenKind::Char, text) => {
                let inner = text[1..text.len() - 1].chars().next().unwrap_or_default();
                i64::from(u32::from(inner))
            }
            _ => return Err(self.unexpected(token)),
        };
        self.depth -= 1;
        Ok(value)
    }
}

fn apply(operator: &str, left: i64, right: i64) -> i64 {
    match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<" => i64::from(left < right),
        "<=" => i64::from(left <= right),
        ">" => i64::from(left > right),
        ">=" => i64::from(left >= right),
        "<<" => left.wrapping_shl(right as u32),
        ">>" => left.wrapping_shr(right as u32),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" => left.wrapping_div(right),
        _ => left.wrapping_rem(right),
    }
}

/// Parses an integer literal of C: decimal, octal, hexadecimal or binary, with suffixes.
fn number(text: &str) -> Option<i64> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    let (digits, radix) = if let Some(digits) = digits.strip_prefix("0x") {
        (digits, 16)
    } else if let Some(digits) = digits.strip_prefix("0b") {
        (digits, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (&digits[1..], 8)
    } else {
        (digits, 10)
    };
    u64::from_str_radix(digits, radix).ok().map(|value| value as i64)
}
