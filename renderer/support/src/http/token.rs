//! Access token of a server.

use std::hint::black_box;

/// Random bits of a token, in bytes.
const BYTES: usize = 16;

/// A random word that requests must know.
pub(super) struct Token(String);

impl Token {
    /// Draws a token from the system's source of random numbers.
    pub(super) fn random() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// The target of a request without the token, which is the first part of its path; `None` if the token is another.
    pub(super) fn strip<'t>(&self, target: &'t str) -> Option<&'t str> {
        let (found, rest) = target.strip_prefix('/')?.split_at_checked(self.0.len())?;
        (is_same(found.as_bytes(), self.0.as_bytes()) && rest.starts_with('/')).then_some(rest)
    }
}

/// Compares texts of one length in a time that does not depend on the place of the first difference.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    let difference = a.iter().zip(b).fold(0, |bits, (a, b)| black_box(bits | (a ^ b)));
    a.len() == b.len() && difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_random_and_precede_paths() {
        let token = Token::random().unwrap();
        assert_ne!(token.text(), Token::random().unwrap().text());
        assert_eq!(token.text().len(), 2 * BYTES);
        let token = Token("ab12".to_owned());
        for (target, rest) in [
            ("/ab12/", Some("/")),
            ("/ab12/next?after=1", Some("/next?after=1")),
            ("/ab12//x", Some("//x")),
            ("/ab12", None),
            ("/ab123/", None),
            ("/ab1/", None),
            ("/ab13/", None),
            ("/AB12/", None),
            ("//ab12/", None),
            ("/aé2/", None),
            ("ab12/", None),
            ("/", None),
            ("", None),
        ] {
            assert_eq!(token.strip(target), rest, "{target}");
        }
    }
}
