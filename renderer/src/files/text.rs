//! Text of files in any of the usual forms.

use std::borrow::Cow;

/// The text of a file: without a byte-order mark, every line ended by a line feed, bytes that are no text replaced.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    // A carriage return by itself ends lines on old systems; one before a line feed is white space.
    let is_alone = |(at, _): (usize, &str)| text.as_bytes().get(at + 1) != Some(&b'\n');
    if text.match_indices('\r').any(is_alone) {
        return Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    text
}
