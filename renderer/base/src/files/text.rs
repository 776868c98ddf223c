//! Text decoding: UTF-8, UTF-16 and Latin-1, with any line ends.

use std::borrow::Cow;

/// The text of a file: without a byte-order mark, every line ended by a line feed. Text that is not valid UTF-8 is
/// decoded as Latin-1, which older programs write.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = match text_of_utf16(bytes) {
        Some(text) => Cow::Owned(text),
        None => std::str::from_utf8(bytes).map_or_else(|_| Cow::Owned(latin_1(bytes)), Cow::Borrowed),
    };
    // A carriage return by itself ends lines on old systems; one before a line feed is white space.
    let is_alone = |(at, _): (usize, &str)| text.as_bytes().get(at + 1) != Some(&b'\n');
    if text.match_indices('\r').any(is_alone) {
        return Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    text
}

/// The text of an XML file: in UTF-8, in UTF-16, or in Latin-1 if its declaration says so; `None` for other bytes.
pub fn text_of_xml(bytes: Vec<u8>) -> Option<String> {
    if let Some(text) = text_of_utf16(&bytes) {
        return Some(text);
    }
    String::from_utf8(bytes).map_or_else(|error| text_of_latin_1(error.as_bytes()), Some)
}

fn text_of_latin_1(bytes: &[u8]) -> Option<String> {
    let end = bytes.windows(2).position(|pair| pair == b"?>")?;
    let declaration = std::str::from_utf8(&bytes[..end]).ok()?.to_ascii_lowercase();
    let (_, encoding) = declaration.strip_prefix("<?xml")?.split_once("encoding")?;
    let name = encoding.split(['"', '\'']).nth(1)?;
    let is_latin_1 = matches!(name, "iso-8859-1" | "latin1" | "latin-1");
    is_latin_1.then(|| latin_1(bytes))
}

fn latin_1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// Decodes UTF-16 that begins with a byte-order mark, which some Windows programs write; `None` for other bytes.
fn text_of_utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units = bytes[2..].as_chunks().0.iter().map(|&pair| unit(pair));
    let chars = char::decode_utf16(units);
    Some(chars.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}
