//! Percent-encoding of targets.

/// A text with its percent signs resolved; `None` if they are malformed or the result is not UTF-8.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            let digit = |at: usize| char::from(digits[at]).to_digit(16);
            bytes.push((16 * digit(0)? + digit(1)?) as u8);
            rest = after;
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs() {
        assert_eq!(decoded("a%20b%c3%a9"), Some("a bé".to_owned()));
        for malformed in ["%f", "%zz", "%+1", "%ff"] {
            assert_eq!(decoded(malformed), None, "{malformed}");
        }
    }
}
