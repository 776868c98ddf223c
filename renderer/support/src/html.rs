//! Texts in HTML and SVG.

/// A text between tags or in the quotes of an attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Controls have no place in HTML, and marks that reorder text would hide what stands there.
            '\n' | '\t' => out.push(c),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                out.push('\u{fffd}');
            }
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_ends_a_text() {
        assert_eq!(
            escaped("a<b> & \"c\" 'd' </script>\u{1b}"),
            "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; &lt;/script&gt;\u{fffd}"
        );
    }
}
