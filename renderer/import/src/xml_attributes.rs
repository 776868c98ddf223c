//! Bound on the attributes of an XML element: the parser compares each with all others.

/// Maximum number of attributes of an element.
const MAX_ATTRIBUTES: usize = 256;

/// Parts of a text that are no tags, by their first and last characters.
const NO_TAGS: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];

/// Returns the place of the first element with too many attributes [bytes].
pub(crate) fn too_many(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[start..];
        let other = NO_TAGS.iter().find(|(begin, _)| rest.starts_with(begin));
        at = start
            + match other {
                Some((begin, end)) => begin.len() + rest[begin.len()..].find(end)? + end.len(),
                None => match tag(rest) {
                    (_, count) if count > MAX_ATTRIBUTES => return Some(start),
                    (length, _) => length,
                },
            };
    }
    None
}

/// The length of a tag [bytes], and the number of its quoted values.
fn tag(text: &str) -> (usize, usize) {
    let (mut quote, mut count) = (None, 0);
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return (at + 1, count),
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                count += 1;
            }
            (Some(begin), end) if begin == end => quote = None,
            (None | Some(_), _) => {}
        }
    }
    (text.len(), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_counted_in_tags_alone() {
        let many = |count: usize| -> String { (0..count).map(|i| format!(" a{i}='>'")).collect() };
        let text = |count: usize, end: &str| format!("<!-- <a{} -->\n<s{}/>{end}", many(900), many(count));
        assert_eq!(too_many(&text(MAX_ATTRIBUTES, "")), None);
        let found = text(MAX_ATTRIBUTES + 1, "<t/>");
        assert_eq!(too_many(&found), found.find("<s"));
        for cut in ["", "<", "<!--", "<?", "<a b='", "<![CDATA["] {
            assert_eq!(too_many(cut), None, "{cut}");
        }
    }
}
