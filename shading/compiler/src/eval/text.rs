//! String functions and `printf` formatting.
//!
//! Lengths and positions count bytes, as in OSL; a cut that would fall inside a character falls before it.

use std::fmt::Write as _;

/// Maximum length in bytes of a string made at run time; longer ones are truncated, so that a shader cannot exhaust
/// memory by repeated doubling.
pub const MAX_LENGTH: usize = 1 << 16;

/// Maximum width and precision; larger ones are clamped.
const MAX_WIDTH: usize = 1024;

/// An argument of `printf`, decomposed into single values: a triple is three floats, a matrix sixteen, an array the
/// values of its elements. Each value is formatted separately, with a space between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg<'a> {
    /// `int` or an array of it.
    Ints(&'a [i32]),
    /// `float`, a triple, `matrix`, or an array of one of them.
    Floats(&'a [f32]),
    /// `string` or an array of it, or closures already turned into text.
    Strings(&'a [&'a str]),
}

/// Errors in a format string, and of a text that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// More conversions than arguments; the conversion is printed verbatim.
    #[error("format string has more conversions than there are arguments")]
    MissingArgument,
    /// A `%` without a valid conversion; it is printed verbatim.
    #[error("format string has a `%` that is not followed by a conversion")]
    BadConversion,
    /// A string of more than [`MAX_LENGTH`] bytes, which is truncated.
    #[error("a string cannot have more than {MAX_LENGTH} bytes, and is cut")]
    TooLong,
}

/// Formats like C's `printf`, except that the type of the argument determines the conversion: a conversion that does not
/// match becomes `%d` for an int, `%f` for a float and `%s` for a string, as in OSL. Excess arguments are ignored. Always
/// returns the text, with the first error if there is one.
pub fn format(format: &str, args: &[Arg<'_>]) -> (String, Option<FormatError>) {
    let mut out = String::new();
    let mut error = None;
    let mut args = args.iter();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("%%") {
            out.push('%');
            rest = after;
            continue;
        }
        let Some((spec, length)) = Spec::parse(rest) else {
            error.get_or_insert(FormatError::BadConversion);
            out.push('%');
            rest = &rest[1..];
            continue;
        };
        match args.next() {
            Some(arg) => spec.write(&mut out, arg),
            None => {
                error.get_or_insert(FormatError::MissingArgument);
                out.push_str(&rest[..length]);
            }
        }
        rest = &rest[length..];
    }
    out.push_str(rest);
    if cut(&mut out) {
        error.get_or_insert(FormatError::TooLong);
    }
    (out, error)
}

/// Truncates a string from the host to [`MAX_LENGTH`] bytes. Such a string may contain the text of a query and be used in
/// another query.
pub fn of_host(mut text: String) -> String {
    cut(&mut text);
    text
}

/// Truncates a text that is not stored to [`MAX_LENGTH`] bytes.
pub fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_LENGTH)]
}

/// Truncates a text; returns whether it was too long.
fn cut(text: &mut String) -> bool {
    let length = start_of(text).len();
    let is_cut = length < text.len();
    text.truncate(length);
    is_cut
}

/// Concatenates strings, truncated to [`MAX_LENGTH`] bytes, which is an error.
pub fn concat(a: &str, b: &str) -> (String, Option<FormatError>) {
    let mut text = String::with_capacity(a.len() + b.len());
    text.push_str(a);
    text.push_str(b);
    let error = cut(&mut text).then_some(FormatError::TooLong);
    (text, error)
}

/// Length in bytes.
pub fn strlen(a: &str) -> i32 {
    i32::try_from(a.len()).unwrap_or(i32::MAX)
}

/// At most `length` bytes from `start`, which counts from the end if it is negative.
pub fn substr(text: &str, start: i32, length: i32) -> &str {
    let size = strlen(text);
    let start = if start < 0 { start.saturating_add(size) } else { start };
    let start = start.clamp(0, size);
    let end = start.saturating_add(length.clamp(0, size)).min(size);
    let [start, end] = [start, end].map(|i| text.floor_char_boundary(i as usize));
    &text[start..end]
}

/// One conversion: `%[flags][width][.precision]letter`.
#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    letter: u8,
}

impl Spec {
    /// Parses a conversion that starts with `%`; returns it with its length in bytes.
    fn parse(text: &str) -> Option<(Spec, usize)> {
        let mut spec = Spec::default();
        let bytes = text.as_bytes();
        let mut at = 1;
        loop {
            match bytes.get(at)? {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'0' => spec.zero = true,
                b'#' => spec.alternate = true,
                _ => break,
            }
            at += 1;
        }
        let number = |at: &mut usize| {
            let mut value = 0;
            while let Some(digit) = bytes.get(*at).filter(|b| b.is_ascii_digit()) {
                value = (value * 10 + usize::from(digit - b'0')).min(MAX_WIDTH);
                *at += 1;
            }
            value
        };
        spec.width = number(&mut at);
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            spec.precision = Some(number(&mut at));
        }
        while matches!(bytes.get(at), Some(b'l' | b'h')) {
            at += 1;
        }
        spec.letter = *bytes.get(at)?;
        b"cdefgiosuxXEG".contains(&spec.letter).then_some((spec, at + 1))
    }

    fn write(&self, out: &mut String, arg: &Arg<'_>) {
        let mut first = true;
        let mut separate = |out: &mut String| {
            if !first {
                out.push(' ');
            }
            first = false;
        };
        match arg {
            Arg::Ints(values) => values.iter().for_each(|&v| {
                separate(out);
                self.int(out, v);
            }),
            Arg::Floats(values) => values.iter().for_each(|&v| {
                separate(out);
                self.float(out, f64::from(v));
            }),
            Arg::Strings(values) => values.iter().for_each(|v| {
                separate(out);
                self.string(out, v);
            }),
        }
    }

    fn int(&self, out: &mut String, value: i32) {
        let unsigned = value as u32;
        let (prefix, mut digits) = match self.letter {
            b'o' => (if self.alternate { "0" } else { "" }, format!("{unsigned:o}")),
            b'x' => (if self.alternate && value != 0 { "0x" } else { "" }, format!("{unsigned:x}")),
            b'X' => (if self.alternate && value != 0 { "0X" } else { "" }, format!("{unsigned:X}")),
            b'u' => ("", unsigned.to_string()),
            _ => (self.sign(value < 0), value.unsigned_abs().to_string()),
        };
        if let Some(precision) = self.precision {
            if precision == 0 && value == 0 {
                digits.clear();
            }
            digits.insert_str(0, &"0".repeat(precision.saturating_sub(digits.len())));
        }
        // C ignores the zero flag of an integer when a precision is given.
        self.pad(out, prefix, &digits, self.zero && self.precision.is_none());
    }

    fn float(&self, out: &mut String, value: f64) {
        let upper = self.letter.is_ascii_uppercase();
        if !value.is_finite() {
            // The sign of a NaN has no meaning, and may differ between equivalent computations.
            let sign = self.sign(value == f64::NEG_INFINITY);
            let word = match (value.is_nan(), upper) {
                (true, false) => "nan",
                (true, true) => "NAN",
                (false, false) => "inf",
                (false, true) => "INF",
            };
            return self.pad(out, sign, word, false);
        }
        let magnitude = value.abs();
        let precision = self.precision.unwrap_or(6);
        let mut digits = match self.letter {
            b'e' | b'E' => exponential(magnitude, precision),
            b'g' | b'G' | b'c' => general(magnitude, precision, self.alternate),
            _ => format!("{magnitude:.precision$}"),
        };
        if self.alternate && !digits.contains('.') {
            digits.insert(digits.find('e').unwrap_or(digits.len()), '.');
        }
        if upper {
            digits.make_ascii_uppercase();
        }
        self.pad(out, self.sign(value.is_sign_negative()), &digits, self.zero);
    }

    fn string(&self, out: &mut String, text: &str) {
        let text = match self.precision {
            Some(limit) => &text[..text.floor_char_boundary(limit)],
            None => text,
        };
        self.pad(out, "", text, false);
    }

    fn sign(&self, negative: bool) -> &'static str {
        if negative {
            "-"
        } else if self.plus {
            "+"
        } else if self.space {
            " "
        } else {
            ""
        }
    }

    fn pad(&self, out: &mut String, prefix: &str, body: &str, zeros: bool) {
        let fill = self.width.saturating_sub(prefix.len() + body.chars().count());
        let blanks = |out: &mut String, c: char| out.extend(std::iter::repeat_n(c, fill));
        if self.left {
            out.push_str(prefix);
            out.push_str(body);
            blanks(out, ' ');
        } else if zeros {
            out.push_str(prefix);
            blanks(out, '0');
            out.push_str(body);
        } else {
            blanks(out, ' ');
            out.push_str(prefix);
            out.push_str(body);
        }
    }
}

/// C's `%e`: at least two digits of exponent, with sign.
fn exponential(magnitude: f64, precision: usize) -> String {
    let text = format!("{magnitude:.precision$e}");
    let (mantissa, exponent) = split_exponent(&text);
    let mut out = mantissa.to_owned();
    let sign = if exponent < 0 { '-' } else { '+' };
    // Writing to a string cannot fail.
    let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
    out
}

/// C's `%g`: the given number of significant digits in the shorter notation, without trailing zeros unless
/// `keep_zeros`.
fn general(magnitude: f64, precision: usize, keep_zeros: bool) -> String {
    let digits = precision.max(1);
    let rounded = format!("{magnitude:.*e}", digits - 1);
    let (_, exponent) = split_exponent(&rounded);
    let text = if (-4..digits as i32).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        format!("{magnitude:.decimals$}")
    } else {
        exponential(magnitude, digits - 1)
    };
    if keep_zeros || !text.contains('.') {
        return text;
    }
    let (mantissa, tail) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    format!("{mantissa}{tail}")
}

/// Mantissa and exponent of Rust's `{:e}`.
fn split_exponent(text: &str) -> (&str, i32) {
    match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(spec: &str, arg: Arg<'_>, expected: &str) {
        assert_eq!(format(spec, &[arg]), (expected.to_owned(), None), "{spec} of {arg:?}");
    }

    #[test]
    fn integers() {
        for (spec, value, expected) in [
            ("%d", -5, "-5"),
            ("%i|", 7, "7|"),
            ("%5d|", 42, "   42|"),
            ("%-5d|", 42, "42   |"),
            ("%05d", -42, "-0042"),
            ("%+d", 3, "+3"),
            ("%.4d", 42, "0042"),
            ("%x", 255, "ff"),
            ("%#X", 255, "0XFF"),
            ("%o", 8, "10"),
            ("%u", -1, "4294967295"),
            ("%f", 3, "3"),
            ("%s", 3, "3"),
            ("%c", 65, "65"),
            ("100%%: %ld", 1, "100%: 1"),
        ] {
            check(spec, Arg::Ints(&[value]), expected);
        }
    }

    #[test]
    fn floats() {
        for (spec, value, expected) in [
            ("%f", 1.5, "1.500000"),
            ("%g", 1.5, "1.5"),
            ("%g", 1e6, "1e+06"),
            ("%g", 123_456.0, "123456"),
            ("%g", 6.387_73e11, "6.38773e+11"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.000_012_5, "1.25e-05"),
            ("%g", 999_999.5, "1e+06"),
            ("%g", 0.0, "0"),
            ("%g", -0.0, "-0"),
            ("%.3g", 2.0_f32 / 3.0, "0.667"),
            ("%e", 12_345.678, "1.234568e+04"),
            ("%.2f", 2.0_f32 / 3.0, "0.67"),
            ("%8.2f|", -1.0, "   -1.00|"),
            ("%08.2f|", -1.0, "-0001.00|"),
            ("%d", 1.0, "1.000000"),
            ("%g", f32::INFINITY, "inf"),
            ("%g", f32::NEG_INFINITY, "-inf"),
            ("%g", f32::NAN, "nan"),
            ("%#g", 1.5, "1.50000"),
            ("%#g", 123_456.0, "123456."),
            ("%#.0f", 3.0, "3."),
            ("%#.0E", 3.0, "3.E+00"),
        ] {
            check(spec, Arg::Floats(&[value]), expected);
        }
    }

    #[test]
    fn composites_print_value_by_value() {
        check("%g", Arg::Floats(&[1.0, 2.5, 3.0]), "1 2.5 3");
        check("<%s>", Arg::Strings(&["a", "b"]), "<a b>");
        check("%.1s", Arg::Strings(&["éa"]), "");
        check("%4s|", Arg::Strings(&["é"]), "   é|");
    }

    #[test]
    fn mistakes_are_told() {
        assert_eq!(
            format("%d %d", &[Arg::Ints(&[1])]),
            ("1 %d".to_owned(), Some(FormatError::MissingArgument))
        );
        assert_eq!(
            format("50% of %y", &[Arg::Ints(&[1])]),
            ("501f %y".to_owned(), Some(FormatError::BadConversion))
        );
        assert_eq!(format("%", &[]).1, Some(FormatError::BadConversion));
        assert_eq!(format("x", &[Arg::Ints(&[1])]), ("x".to_owned(), None));
    }

    #[test]
    fn substrings_stay_in_bounds() {
        assert_eq!(substr("hello", 1, 3), "ell");
        assert_eq!(substr("hello", -2, 9), "lo");
        assert_eq!(substr("hello", -9, 2), "he");
        assert_eq!(substr("hello", 9, 2), "");
        assert_eq!(substr("hello", 2, -1), "");
        assert_eq!(substr("hello", i32::MIN, i32::MAX), "hello");
        assert_eq!(substr("aé", 2, 1), "é");
    }

    #[test]
    fn strings_stop_growing() {
        let long = "x".repeat(MAX_LENGTH);
        assert_eq!(concat(&long, ""), (long.clone(), None));
        assert_eq!(concat(&long, "y"), (long.clone(), Some(FormatError::TooLong)));
        let twice = [Arg::Strings(&[&*long, "y"])];
        assert_eq!(format("%s", &twice), (long.clone(), Some(FormatError::TooLong)));
    }
}
