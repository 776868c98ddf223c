//! Tokeniser of OBJ and MTL files: lines without comments, continued lines joined, numbers.

/// The lines of a text with their numbers, from 1: comments and blanks left out, lines that end in `\` joined.
pub(super) fn logical_lines(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let mut lines = (1..).zip(text.lines());
    std::iter::from_fn(move || {
        loop {
            let (number, line) = lines.next()?;
            let mut joined = without_comment(line).to_owned();
            while joined.ends_with('\\') {
                joined.pop();
                joined.push(' ');
                joined.push_str(lines.next().map_or("", |(_, line)| without_comment(line)));
            }
            let trimmed = joined.trim();
            if !trimmed.is_empty() {
                return Some((number, trimmed.to_owned()));
            }
        }
    })
}

/// A line up to its comment. In a line that ends with a name (`usemtl Material #25`) a comment has a blank after `#`.
fn without_comment(line: &str) -> &str {
    let keyword = line.split_whitespace().next().unwrap_or_default();
    let is_numbers = matches!(
        keyword,
        "v" | "vt" | "vn" | "f" | "fo" | "Kd" | "Ks" | "Ke" | "Ka" | "Ns" | "Ni" | "d"
    );
    let begins = |&(at, _): &(usize, &str)| {
        let before = line[..at].chars().next_back();
        let after = line[at + 1..].chars().next();
        is_numbers
            || before.is_none_or(char::is_whitespace)
                && (line[..at].trim().is_empty() || after.is_none_or(char::is_whitespace))
    };
    let end = line
        .match_indices('#')
        .find(begins)
        .map_or(line.len(), |(at, _)| at);
    line[..end].trim_end()
}

/// The first `N` numbers of `text`, and how many it has.
pub(super) fn numbers<const N: usize>(text: &str) -> Result<([f32; N], usize), String> {
    let (mut values, mut count) = ([0.0; N], 0);
    for word in text.split_whitespace() {
        let value: f32 = word.parse().map_err(|_| format!("`{word}` is not a number"))?;
        if !value.is_finite() {
            return Err(format!("`{word}` is not finite"));
        }
        if let Some(place) = values.get_mut(count) {
            *place = value;
        }
        count += 1;
    }
    Ok((values, count))
}
