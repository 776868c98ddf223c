//! A lexer for Rust source, as far as the layout test needs one: words and punctuation, without comments, literals and
//! what is compiled for tests only.

/// One token of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// An identifier or keyword.
    Word(String),
    /// `::`
    Path,
    /// Any other character that is no part of a literal.
    Mark(char),
}

impl Token {
    /// The name, if this is one.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            Token::Path | Token::Mark(_) => None,
        }
    }
}

/// The tokens of a file, items under `#[cfg(test)]` left out.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    without_tests(&lex(text))
}

fn lex(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut tokens = vec![];
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        if c.is_whitespace() {
            i += 1;
        } else if c == '/' && at(i + 1) == '/' {
            while i < chars.len() && chars[i] != '\n' {
                i += 1;
            }
        } else if c == '/' && at(i + 1) == '*' {
            i = after_block_comment(&chars, i);
        } else if let Some(end) = after_string(&chars, i) {
            i = end;
        } else if c == '\'' {
            i = after_quote(&chars, i);
        } else if c.is_alphanumeric() || c == '_' {
            let start = i;
            while at(i).is_alphanumeric() || at(i) == '_' {
                i += 1;
            }
            if !c.is_numeric() {
                tokens.push(Token::Word(chars[start..i].iter().collect()));
            }
        } else if c == ':' && at(i + 1) == ':' {
            tokens.push(Token::Path);
            i += 2;
        } else {
            tokens.push(Token::Mark(c));
            i += 1;
        }
    }
    tokens
}

/// Block comments nest.
fn after_block_comment(chars: &[char], mut i: usize) -> usize {
    let mut depth = 0;
    while i + 1 < chars.len() {
        match (chars[i], chars[i + 1]) {
            ('/', '*') => {
                depth += 1;
                i += 2;
            }
            ('*', '/') => {
                depth -= 1;
                i += 2;
            }
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    chars.len()
}

/// The end of the string literal that begins at `i`, if one does: plain, raw, of bytes or of C.
fn after_string(chars: &[char], i: usize) -> Option<usize> {
    let mut start = i;
    while start < i + 2 && matches!(chars.get(start), Some('b' | 'c' | 'r')) {
        start += 1;
    }
    let raw = start > i && chars[start - 1] == 'r';
    let hashes = chars[start..].iter().take_while(|c| raw && **c == '#').count();
    let mut end = start + hashes;
    if chars.get(end) != Some(&'"') {
        return None;
    }
    end += 1;
    while end < chars.len() {
        if chars[end] == '\\' && !raw {
            end += 2;
        } else if chars[end] == '"' && chars[end + 1..].iter().take(hashes).all(|c| *c == '#') {
            return Some(end + 1 + hashes);
        } else {
            end += 1;
        }
    }
    Some(chars.len())
}

/// The end of the character literal or lifetime that begins at `i`.
fn after_quote(chars: &[char], i: usize) -> usize {
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    if at(i + 1) != '\\' {
        // `'a'` is a character, `'a` a lifetime.
        return if at(i + 2) == '\'' { i + 3 } else { i + 1 };
    }
    // The escaped character may itself be a quote.
    let mut end = i + 3;
    while end < chars.len() && chars[end] != '\'' {
        end += 1;
    }
    end + 1
}

fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let attribute = lex("#[cfg(test)]");
    let mut kept = vec![];
    let mut i = 0;
    while i < tokens.len() {
        if tokens[i..].starts_with(&attribute) {
            i = after_item(tokens, i + attribute.len());
        } else {
            kept.push(tokens[i].clone());
            i += 1;
        }
    }
    kept
}

/// The end of the item that begins at `i`: behind its semicolon or its block.
fn after_item(tokens: &[Token], mut i: usize) -> usize {
    let mut depth = 0;
    while i < tokens.len() {
        match tokens[i] {
            Token::Mark('{' | '(' | '[') => depth += 1,
            Token::Mark(')' | ']') => depth -= 1,
            Token::Mark('}') => {
                depth -= 1;
                if depth == 0 {
                    return i + 1;
                }
            }
            Token::Mark(';') if depth == 0 => return i + 1,
            _ => {}
        }
        i += 1;
    }
    i
}
