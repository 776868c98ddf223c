//! Macro expansion by Prosser's algorithm.
//!
//! A token carries the set of macros that it came from (hide set) and does not expand them again, as in C, so expansion
//! terminates; bounds on nesting and work limit its time.

use std::sync::Arc;

use super::error::{Failure, PreprocessError};
use super::macros::{Macro, MacroKind};
use super::run::{MAX_NESTING, Run};
use super::token::Token;
use crate::token::{TokenKind, scan};

/// Arguments of a macro use, as written and expanded.
struct Arguments {
    written: Vec<Vec<Token>>,
    expanded: Vec<Option<Vec<Token>>>,
}

impl Run<'_> {
    /// Expands a macro name of the text and writes the expansion.
    pub(super) fn use_macro(&mut self, name: Token, found: &Arc<Macro>) -> Result<(), Failure> {
        if matches!(found.kind, MacroKind::Itself) || found.params.is_some() && !self.parenthesis_follows() {
            self.output.text(&name);
            return Ok(());
        }
        let (file, start) = (name.file, name.range.clone());
        let mut end = start.end;
        let tokens = self.expand(vec![name], Some(&mut end))?;
        self.output.expansion(&found.name, file, start.start..end, &tokens);
        Ok(())
    }

    /// Returns whether the next token of the text is `(`. The tokens read ahead are read again later.
    fn parenthesis_follows(&mut self) -> bool {
        let mut seen = vec![];
        let mut follows = false;
        while let Some(token) = self.next() {
            let is_space = token.is_space();
            follows = !is_space && self.with_text(token.clone()).is("(");
            seen.push(token);
            if !is_space {
                break;
            }
        }
        seen.reverse();
        self.pending.extend(seen);
        follows
    }

    /// Expands tokens. If `end` is given, the tokens are in the text, and further tokens of a macro use are read from
    /// there; `end` is then set to the end of that use, as far as it lies in the file of the first token.
    pub(super) fn expand(
        &mut self,
        tokens: Vec<Token>,
        mut end: Option<&mut u32>,
    ) -> Result<Vec<Token>, Failure> {
        let file = tokens.first().map(|token| token.file);
        let mut work = tokens;
        work.reverse();
        let mut out = vec![];
        while let Some(token) = work.pop() {
            self.charge(token.text.len(), &token)?;
            let found = match self.macros.get(&token.text) {
                Some(found) if token.is_name() && !token.hidden.contains(&found.name) => found.clone(),
                _ => {
                    out.push(token);
                    continue;
                }
            };
            if matches!(found.kind, MacroKind::Itself) {
                out.push(token);
                continue;
            }
            if token.hidden.len() >= MAX_NESTING {
                return Err(Failure::at(&token, PreprocessError::MacrosTooDeep(MAX_NESTING)));
            }
            let mut hidden: Vec<Arc<str>> = token.hidden.to_vec();
            let mut arguments = None;
            if let Some(params) = &found.params {
                let follows = match work.last() {
                    Some(next) => next.is("("),
                    None => end.is_some() && self.parenthesis_follows(),
                };
                if !follows {
                    out.push(token);
                    continue;
                }
                let (list, close) = self.arguments(&token, &found, &mut work, end.is_some())?;
                if let Some(end) = end.as_deref_mut()
                    && Some(close.file) == file
                {
                    *end = (*end).max(close.range.end);
                }
                hidden.retain(|name| close.hidden.contains(name));
                arguments = Some(Arguments {
                    expanded: params.iter().map(|_| None).collect(),
                    written: list,
                });
            }
            hidden.push(found.name.clone());
            let mut made = self.replacement(&token, &found, arguments, &hidden.into())?;
            if let Some(first) = made.first_mut() {
                first.spaced = token.spaced;
            }
            work.extend(made.into_iter().rev());
        }
        Ok(out)
    }

    /// Reads the arguments of a macro use up to the closing parenthesis, which is returned with them.
    fn arguments(
        &mut self,
        name: &Token,
        found: &Macro,
        work: &mut Vec<Token>,
        in_text: bool,
    ) -> Result<(Vec<Vec<Token>>, Token), Failure> {
        let count = found.params.as_ref().map_or(0, Vec::len);
        let mut list = vec![vec![]];
        let mut depth = 0;
        let mut spaced = false;
        loop {
            let mut token = match work.pop() {
                Some(token) => token,
                None => match if in_text { self.next() } else { None } {
                    Some(token) if token.is_space() => {
                        spaced = true;
                        continue;
                    }
                    Some(token) => {
                        let mut token = self.with_text(token);
                        token.spaced = std::mem::take(&mut spaced);
                        token
                    }
                    None => {
                        let name_text = found.name.to_string();
                        return Err(Failure::at(name, PreprocessError::UseNotClosed(name_text)));
                    }
                },
            };
            self.charge(token.text.len(), name)?;
            let is_open = token.is("(");
            if is_open {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            } else if token.is(")") {
                depth -= 1;
                if depth == 0 {
                    self.check_count(name, found, &mut list, count)?;
                    return Ok((list, token));
                }
            } else if depth == 1 && token.is(",") && !(found.is_variadic && list.len() == count) {
                list.push(vec![]);
                continue;
            }
            let last = list.last_mut().expect("there is always one");
            if last.is_empty() {
                token.spaced = false;
            }
            last.push(token);
        }
    }

    fn check_count(
        &self,
        name: &Token,
        found: &Macro,
        list: &mut Vec<Vec<Token>>,
        count: usize,
    ) -> Result<(), Failure> {
        if count == 0 && list.len() == 1 && list[0].is_empty() {
            list.clear();
        }
        // The variadic arguments may be empty.
        if found.is_variadic && list.len() + 1 == count {
            list.push(vec![]);
        }
        if list.len() == count {
            return Ok(());
        }
        Err(Failure::at(
            name,
            PreprocessError::ArgumentCount {
                name: found.name.to_string(),
                expected: count,
                found: list.len(),
                place: found.place.clone(),
            },
        ))
    }

    /// Returns the macro's definition with the arguments substituted.
    fn replacement(
        &mut self,
        name: &Token,
        found: &Macro,
        arguments: Option<Arguments>,
        hidden: &Arc<[Arc<str>]>,
    ) -> Result<Vec<Token>, Failure> {
        let single = |kind, text: &str| {
            let mut token = name.with_text(kind, text);
            token.hidden = hidden.clone();
            Ok(vec![token])
        };
        match found.kind {
            MacroKind::Line => return single(TokenKind::Number, &self.line(name).to_string()),
            MacroKind::File => {
                let file = self.files.last().map_or(name.file, |reader| reader.index);
                let text = quote(&self.output.origin.source(file).name);
                return single(TokenKind::String, &text);
            }
            MacroKind::Counter => {
                self.counter += 1;
                return single(TokenKind::Number, &(self.counter - 1).to_string());
            }
            MacroKind::Tokens | MacroKind::Itself => {}
        }
        let mut arguments = arguments.unwrap_or(Arguments { written: vec![], expanded: vec![] });
        let body = &found.body;
        let mut out: Vec<Token> = vec![];
        let mut i = 0;
        while let Some(token) = body.get(i) {
            self.charge(token.text.len(), name)?;
            let is_pasted = i > 0 && body[i - 1].is("##");
            let is_before_paste = body.get(i + 1).is_some_and(|next| next.is("##"));
            let mut part: Vec<Token> = if token.is("##") {
                i += 1;
                continue;
            } else if found.params.is_some() && token.is("#") {
                let param = body.get(i + 1).and_then(|next| found.param(next)).unwrap_or_default();
                i += 1;
                vec![self.stringify(token, &arguments.written[param], name)?]
            } else if let Some(param) = found.param(token) {
                let mut part = if is_pasted || is_before_paste {
                    arguments.written[param].clone()
                } else {
                    self.expanded_argument(&mut arguments, param)?
                };
                match part.first_mut() {
                    Some(first) => first.spaced = token.spaced,
                    None if is_pasted || is_before_paste => {
                        part.push(token.with_text(TokenKind::Nothing, ""));
                    }
                    None => {}
                }
                // GNU extension: the comma before `##` and empty variadic arguments is left out.
                if is_pasted
                    && found.is_variadic
                    && param + 1 == arguments.written.len()
                    && out.last().is_some_and(|last| last.is(","))
                {
                    if arguments.written[param].is_empty() {
                        out.pop();
                    }
                    out.append(&mut part);
                    i += 1;
                    continue;
                }
                part
            } else {
                vec![token.clone()]
            };
            for token in &part {
                self.charge(token.text.len(), name)?;
            }
            if is_pasted && let (Some(left), false) = (out.pop(), part.is_empty()) {
                let right = part.remove(0);
                out.push(self.paste(&left, &right, name)?);
            }
            out.append(&mut part);
            i += 1;
        }
        out.retain(|token| token.kind != TokenKind::Nothing);
        for token in &mut out {
            if token.hidden.is_empty() {
                token.hidden = hidden.clone();
            } else {
                let mut both = token.hidden.to_vec();
                both.extend(hidden.iter().filter(|name| !token.hidden.contains(name)).cloned());
                token.hidden = both.into();
            }
        }
        Ok(out)
    }

    /// Returns an argument with macros in it expanded.
    fn expanded_argument(&mut self, arguments: &mut Arguments, param: usize) -> Result<Vec<Token>, Failure> {
        if arguments.expanded[param].is_none() {
            let written = arguments.written[param].clone();
            let expanded = stacker::maybe_grow(64 << 10, 1 << 20, || self.expand(written, None))?;
            arguments.expanded[param] = Some(expanded);
        }
        Ok(arguments.expanded[param].clone().unwrap_or_default())
    }

    /// `#parameter`: stringification.
    fn stringify(&mut self, hash: &Token, argument: &[Token], name: &Token) -> Result<Token, Failure> {
        let mut text = String::new();
        for (i, token) in argument.iter().enumerate() {
            if i > 0 && token.spaced {
                text.push(' ');
            }
            text.push_str(&token.text);
        }
        self.charge(text.len(), name)?;
        let is_escaped = argument
            .iter()
            .any(|token| matches!(token.kind, TokenKind::String | TokenKind::Char));
        let text = if is_escaped {
            quote(&text)
        } else {
            format!("\"{}\"", text.replace('"', "\\\""))
        };
        Ok(hash.with_text(TokenKind::String, &text))
    }

    /// `left ## right`: token pasting.
    fn paste(&mut self, left: &Token, right: &Token, name: &Token) -> Result<Token, Failure> {
        if left.kind == TokenKind::Nothing {
            return Ok(right.clone());
        }
        if right.kind == TokenKind::Nothing {
            return Ok(left.clone());
        }
        let text = format!("{}{}", left.text, right.text);
        self.charge(text.len(), name)?;
        let (kind, end) = scan(&text, 0);
        if end != text.len() {
            let error =
                PreprocessError::BadPaste { left: left.text.to_string(), right: right.text.to_string() };
            return Err(Failure::at(name, error));
        }
        let mut token = left.with_text(kind, &text);
        if left.file == right.file && left.range.end <= right.range.start {
            token.range.end = right.range.end;
        }
        Ok(token)
    }

    /// Line of a macro name in the current file; for a name inside a definition, the line of the use being expanded.
    fn line(&mut self, name: &Token) -> u32 {
        let Some(reader) = self.files.last_mut() else {
            return 0;
        };
        let byte = if name.file == reader.index {
            name.range.start as usize
        } else {
            reader.at
        };
        reader.line_of(byte)
    }
}

/// Returns a text as a string literal of the language.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
