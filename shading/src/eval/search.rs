//! String parsing: numbers, `split`, regular expressions.

use regex_lite::Regex;

/// The byte at an index, 0 outside.
pub fn getchar(text: &str, index: i32) -> i32 {
    let byte = usize::try_from(index).ok().and_then(|i| text.as_bytes().get(i));
    byte.map_or(0, |b| i32::from(*b))
}

/// The int that a text begins with, clamped to the range of ints; 0 where there is none.
pub fn stoi(text: &str) -> i32 {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let mut value = 0i64;
    for digit in digits.bytes().take_while(u8::is_ascii_digit) {
        value = (value * 10 + i64::from(digit - b'0')).min(1 << 32);
    }
    let value = if negative { -value } else { value };
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// The float that a text begins with; 0 where there is none.
pub fn stof(text: &str) -> f32 {
    let text = text.trim_ascii_start();
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let sign = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let whole = digits(sign);
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    // The letter of an exponent counts only with digits behind it.
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    text[..end].parse().unwrap_or(0.0)
}

/// The pieces of a text between separators, at most `most` of them: the last has all that is left. Without a separator
/// pieces lie between runs of white space.
pub fn split<'a>(text: &'a str, separator: &str, most: i32) -> Vec<&'a str> {
    let Some(most) = usize::try_from(most).ok().filter(|most| *most > 0) else {
        return vec![];
    };
    if !separator.is_empty() {
        return text.splitn(most, separator).collect();
    }
    let is_space = |c: char| c.is_ascii_whitespace() || c == '\x0b';
    let mut pieces = vec![];
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        let end = if pieces.len() + 1 == most {
            rest.len()
        } else {
            rest.find(is_space).unwrap_or(rest.len())
        };
        pieces.push(&rest[..end]);
        rest = rest[end..].trim_start_matches(is_space);
    }
    pieces
}

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
    /// Length of its text in bytes: what OSL gives as the place of a group that is not there.
    length: usize,
}

impl Pattern {
    /// A pattern for the whole of a text, or for any part of it.
    ///
    /// # Errors
    /// What is wrong with the text of the pattern.
    pub fn new(text: &str, whole: bool) -> Result<Pattern, String> {
        let regex = if whole {
            Regex::new(&format!("^(?:{text})$"))
        } else {
            Regex::new(text)
        };
        match regex {
            Ok(regex) => Ok(Pattern {
                regex,
                length: text.len(),
            }),
            Err(error) => Err(format!("{text:?} is not a regular expression: {error}")),
        }
    }

    /// Whether the pattern is found in a text.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// Beginning and end of what the pattern matched, then of each of its groups.
    pub fn places(&self, text: &str, count: usize) -> Vec<i32> {
        let found = self.regex.captures(text);
        let place = |i: usize| {
            let group = found.as_ref().and_then(|c| c.get(i / 2));
            group.map_or(
                self.length,
                |g| if i.is_multiple_of(2) { g.start() } else { g.end() },
            )
        };
        (0..count).map(|i| place(i) as i32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, expected) in [
            ("-23", -23),
            (" 7x", 7),
            ("+5", 5),
            ("", 0),
            ("x", 0),
            ("99999999999", i32::MAX),
            ("-99999999999", i32::MIN),
        ] {
            assert_eq!(stoi(text), expected, "{text}");
        }
        for (text, expected) in [
            ("3.25", 3.25),
            (" -1e3x", -1000.0),
            ("2e", 2.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("-", 0.0),
            ("", 0.0),
        ] {
            assert_eq!(stof(text), expected, "{text}");
        }
        assert_eq!(
            [getchar("ab", 1), getchar("ab", 2), getchar("ab", -1)],
            [98, 0, 0]
        );
    }

    #[test]
    fn pieces() {
        assert_eq!(split(" 2 4\t6    8", "", 10), ["2", "4", "6", "8"]);
        assert_eq!(split(" 2 4 6 ", "", 2), ["2", "4 6 "]);
        assert_eq!(split("3,6,,9", ",", 10), ["3", "6", "", "9"]);
        assert_eq!(split("3,6,9", ",", 2), ["3", "6,9"]);
        assert_eq!(split("", ",", 3), [""]);
        assert!(split("", "", 3).is_empty() && split("a", ",", 0).is_empty());
    }

    #[test]
    fn patterns() {
        let pattern = Pattern::new("(f[Oo]{2}).*(.az)", false).unwrap();
        assert_eq!(pattern.places("foobar.baz", 8), [0, 10, 0, 3, 7, 10, 17, 17]);
        assert!(!Pattern::new("f", true).unwrap().matches("foo"));
        assert!(Pattern::new("f|foo", true).unwrap().matches("foo"));
        assert!(Pattern::new("(", true).is_err());
    }
}
