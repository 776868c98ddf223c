//! Text of files in any of the usual forms.

use std::borrow::Cow;

/// The text of a file: without a byte-order mark, every line ended by a line feed, bytes that are no text replaced.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = match text_of_utf16(bytes) {
        Some(text) => Cow::Owned(text),
        None => String::from_utf8_lossy(bytes),
    };
    // A carriage return by itself ends lines on old systems; one before a line feed is white space.
    let is_alone = |(at, _): (usize, &str)| text.as_bytes().get(at + 1) != Some(&b'\n');
    if text.match_indices('\r').any(is_alone) {
        return Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    text
}

/// The same of UTF-16 with its byte-order mark, which some programs of Windows write; `None` for other bytes.
pub fn text_of_utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units = bytes[2..].as_chunks().0.iter().map(|&pair| unit(pair));
    let chars = char::decode_utf16(units);
    Some(chars.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}
