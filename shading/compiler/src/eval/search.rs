//! String parsing: numbers, `split`, regular expressions.

use fancy_regex::{Regex, RegexBuilder};

/// Returns the byte at an index; 0 if out of range.
pub fn getchar(text: &str, index: i32) -> i32 {
    let byte = usize::try_from(index).ok().and_then(|i| text.as_bytes().get(i));
    byte.map_or(0, |b| i32::from(*b))
}

/// Parses the int at the start of a text, clamped to the range of int; 0 if there is none.
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

/// Parses the float at the start of a text as C's `strtof` does (including `inf`, `nan` and hexadecimal floats); 0 if
/// there is none.
pub fn stof(text: &str) -> f32 {
    let text = text.trim_ascii_start();
    let (negative, text) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let value = not_finite(text).or_else(|| hexadecimal(text));
    let Some(value) = value.or_else(|| decimal(text)) else {
        return 0.0;
    };
    if negative { -value } else { value }
}

/// Returns the end of the digits that begin at an offset.
fn end_of_digits(bytes: &[u8], mut at: usize, is_digit: fn(&u8) -> bool) -> usize {
    while bytes.get(at).is_some_and(is_digit) {
        at += 1;
    }
    at
}

/// Returns the end of the exponent that begins at an offset; the offset itself if its letter is not followed by digits.
fn end_of_exponent(bytes: &[u8], at: usize, letter: u8) -> usize {
    if !bytes.get(at).is_some_and(|b| b.eq_ignore_ascii_case(&letter)) {
        return at;
    }
    let digits = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
    let end = end_of_digits(bytes, digits, u8::is_ascii_digit);
    if end > digits { end } else { at }
}

/// Parses infinity or NaN.
fn not_finite(text: &str) -> Option<f32> {
    let name = text.as_bytes().get(..3)?;
    if name.eq_ignore_ascii_case(b"inf") {
        Some(f32::INFINITY)
    } else {
        name.eq_ignore_ascii_case(b"nan").then_some(f32::NAN)
    }
}

/// Parses a hexadecimal float such as `0x1.8p3`, without a sign.
fn hexadecimal(text: &str) -> Option<f32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let bytes = digits.as_bytes();
    let whole = end_of_digits(bytes, 0, u8::is_ascii_hexdigit);
    let end = match bytes.get(whole) {
        Some(b'.') => end_of_digits(bytes, whole + 1, u8::is_ascii_hexdigit),
        _ => whole,
    };
    let places = end.saturating_sub(whole + 1);
    if whole + places == 0 {
        return None;
    }
    let nibbles = digits[..end].chars().filter_map(|c| c.to_digit(16));
    let mantissa = nibbles.fold(0.0, |sum, nibble| sum * 16.0 + f64::from(nibble));
    let exponent = end_of_exponent(bytes, end, b'p');
    let exponent: i32 = digits[end..exponent].get(1..).and_then(|p| p.parse().ok()).unwrap_or(0);
    let scale = exponent.clamp(-1000, 1000) - 4 * places.min(250) as i32;
    Some((mantissa * 2f64.powi(scale)) as f32)
}

/// Parses a decimal number without a sign.
fn decimal(text: &str) -> Option<f32> {
    let bytes = text.as_bytes();
    let mut end = end_of_digits(bytes, 0, u8::is_ascii_digit);
    if bytes.get(end) == Some(&b'.') {
        end = end_of_digits(bytes, end + 1, u8::is_ascii_digit);
    }
    text[..end_of_exponent(bytes, end, b'e')].parse().ok()
}

/// Splits a text at separators into at most `max_pieces` pieces, the last of which holds the remainder. An empty
/// separator splits at runs of white space. An empty text has no pieces.
pub fn split<'a>(text: &'a str, separator: &str, max_pieces: i32) -> Vec<&'a str> {
    let max_pieces = usize::try_from(max_pieces).unwrap_or(0);
    if text.is_empty() || max_pieces == 0 {
        return vec![];
    }
    if !separator.is_empty() {
        return text.splitn(max_pieces, separator).collect();
    }
    let is_space = |c: char| c.is_ascii_whitespace() || c == '\x0b';
    let mut pieces = vec![];
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        let end = if pieces.len() + 1 == max_pieces {
            rest.len()
        } else {
            rest.find(is_space).unwrap_or(rest.len())
        };
        pieces.push(&rest[..end]);
        rest = rest[end..].trim_start_matches(is_space);
    }
    pieces
}

/// Maximum number of backtracking steps of a search: more than practical searches need, and a few milliseconds.
/// Only look-around and backreferences need backtracking; other patterns are matched in linear time.
const MAX_STEPS: usize = 100_000;

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    regex: Regex,
}

impl Pattern {
    /// Compiles a pattern that matches the whole text, or any part of it.
    ///
    /// # Errors
    /// The syntax error in the pattern.
    pub fn new(text: &str, whole: bool) -> Result<Pattern, String> {
        let anchored = if whole { format!("^(?:{text})$") } else { text.to_owned() };
        match RegexBuilder::new(&anchored).backtrack_limit(MAX_STEPS).build() {
            Ok(regex) => Ok(Pattern { text: text.to_owned(), regex }),
            Err(error) => Err(format!("{text:?} is not a regular expression: {error}")),
        }
    }

    fn too_slow(&self, error: &fancy_regex::Error) -> String {
        format!("the search for {:?} was given up: {error}", self.text)
    }

    /// Returns whether the pattern matches a text.
    ///
    /// # Errors
    /// If the search exceeds its limit of steps.
    pub fn matches(&self, text: &str) -> Result<bool, String> {
        self.regex.is_match(text).map_err(|error| self.too_slow(&error))
    }

    /// Returns begin and end offsets of the match, then of each group. Groups that did not participate in the match have the
    /// end of the text; groups that the pattern lacks have the length of the pattern, as in OSL.
    ///
    /// # Errors
    /// If the search exceeds its limit of steps.
    pub fn places(&self, text: &str, count: usize) -> Result<Vec<i32>, String> {
        let found = self.regex.captures(text).map_err(|error| self.too_slow(&error))?;
        let place = |i: usize| {
            let Some(found) = found.as_ref().filter(|found| i / 2 < found.len()) else {
                return self.text.len();
            };
            match found.get(i / 2) {
                Some(group) if i.is_multiple_of(2) => group.start(),
                Some(group) => group.end(),
                None => text.len(),
            }
        };
        Ok((0..count).map(|i| place(i) as i32).collect())
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
            (".", 0.0),
            ("e5", 0.0),
            ("-INFinity", f32::NEG_INFINITY),
            ("+infx", f32::INFINITY),
            ("in", 0.0),
            ("0x1F", 31.0),
            ("-0x1.8p3", -12.0),
            ("0X.8p-1p", 0.25),
            ("0x1p", 1.0),
            ("0xg", 0.0),
            ("0x1p99999", f32::INFINITY),
        ] {
            assert_eq!(stof(text), expected, "{text}");
        }
        assert!(stof("nan").is_nan() && stof("-NaN(12)").is_nan());
        assert_eq!([getchar("ab", 1), getchar("ab", 2), getchar("ab", -1)], [98, 0, 0]);
    }

    #[test]
    fn pieces() {
        assert_eq!(split(" 2 4\t6    8", "", 10), ["2", "4", "6", "8"]);
        assert_eq!(split(" 2 4 6 ", "", 2), ["2", "4 6 "]);
        assert_eq!(split("3,6,,9", ",", 10), ["3", "6", "", "9"]);
        assert_eq!(split("3,6,9", ",", 2), ["3", "6,9"]);
        assert_eq!(split(",", ",", 3), ["", ""]);
        assert!(split("", "", 3).is_empty() && split("", ",", 3).is_empty() && split("a", ",", 0).is_empty());
    }

    #[test]
    fn patterns() {
        let pattern = Pattern::new("(f[Oo]{2}).*(.az)", false).unwrap();
        assert_eq!(pattern.places("foobar.baz", 8).unwrap(), [0, 10, 0, 3, 7, 10, 17, 17]);
        let pattern = Pattern::new("(x)|(W)", false).unwrap();
        assert_eq!(pattern.places("Hello, World", 8).unwrap(), [7, 8, 12, 12, 7, 8, 7, 7]);
        let whole = |pattern: &str, text: &str| Pattern::new(pattern, true).unwrap().matches(text);
        assert_eq!(whole("f", "foo"), Ok(false));
        assert_eq!(whole("f|foo", "foo"), Ok(true));
        // Without a limit, the search would try all partitions of the text.
        let slow = whole("(a|aa)+\\1b", &"a".repeat(200));
        assert!(slow.is_err_and(|error| error.contains("given up")));
        assert!(Pattern::new("(", true).is_err());
    }
}
