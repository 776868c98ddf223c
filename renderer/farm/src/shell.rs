//! Quoting for POSIX shell scripts.

/// A text as one word of a script, whatever it holds.
pub(super) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Texts as words, with a blank before each.
pub(super) fn words<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().map(|text| format!(" {}", quote(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        assert_eq!(quote("plain"), "'plain'");
        assert_eq!(quote("a b$c\"`"), "'a b$c\"`'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(words(["", "x"]), " '' 'x'");
    }
}
