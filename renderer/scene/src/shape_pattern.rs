//! Patterns of shape names.

/// Returns whether a pattern matches the name of a shape, or that of an import to which the shape belongs.
pub fn names_shape(pattern: &str, name: &str) -> bool {
    let imports = name.match_indices('.').map(|(at, _)| &name[..at]);
    [name]
        .into_iter()
        .chain(imports)
        .any(|name| matches(pattern.as_bytes(), name.as_bytes()))
}

/// Returns whether a name matches a pattern: `*` matches any characters, `?` one.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut of) = (0, 0);
    // Position of the last star, and end of its characters in the name.
    let mut star: Option<(usize, usize)> = None;
    while of < name.len() {
        if at < pattern.len() && (pattern[at] == b'?' || pattern[at] == name[of]) && pattern[at] != b'*' {
            (at, of) = (at + 1, of + 1);
        } else if at < pattern.len() && pattern[at] == b'*' {
            star = Some((at, of));
            at += 1;
        } else if let Some((place, end)) = star {
            star = Some((place, end + 1));
            (at, of) = (place + 1, end + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("rock", "rock", true),
            ("rock", "rocks", false),
            ("rock*", "rock", true),
            ("*_high", "rock_high", true),
            ("*_high", "rock_high_2", false),
            ("*_h*h*", "rock_high", true),
            ("rock_?", "rock_1", true),
            ("rock_?", "rock_12", false),
            ("statue", "statue.head", true),
            ("stat*", "statue.head.Eye", true),
            ("statue.head", "statue.head.Eye", true),
            ("head", "statue.head", false),
            ("", "rock", false),
            ("*", "rock", true),
        ] {
            assert_eq!(names_shape(pattern, name), expected, "{pattern} {name}");
        }
    }
}
