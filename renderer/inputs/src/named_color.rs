//! Colours by name, for the command line.

use renderer_image::linear_from_srgb8;

/// Names with their sRGB values: those of the sixteen colours of HTML 4, and a few more of CSS.
const NAMES: [(&str, u32); 20] = [
    ("black", 0x00_00_00),
    ("silver", 0xc0_c0_c0),
    ("gray", 0x80_80_80),
    ("grey", 0x80_80_80),
    ("white", 0xff_ff_ff),
    ("maroon", 0x80_00_00),
    ("red", 0xff_00_00),
    ("purple", 0x80_00_80),
    ("fuchsia", 0xff_00_ff),
    ("magenta", 0xff_00_ff),
    ("green", 0x00_80_00),
    ("lime", 0x00_ff_00),
    ("olive", 0x80_80_00),
    ("yellow", 0xff_ff_00),
    ("navy", 0x00_00_80),
    ("blue", 0x00_00_ff),
    ("teal", 0x00_80_80),
    ("aqua", 0x00_ff_ff),
    ("cyan", 0x00_ff_ff),
    ("orange", 0xff_a5_00),
];

/// The linear colour of a name or of `#rrggbb`.
pub fn named_color(text: &str) -> Option<[f32; 3]> {
    let of_name = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    let code = match (of_name, text.strip_prefix('#')) {
        (Some((_, code)), _) => *code,
        (None, Some(digits)) if digits.len() == 6 && digits.bytes().all(|c| c.is_ascii_hexdigit()) => {
            u32::from_str_radix(digits, 16).ok()?
        }
        (None, _) => return None,
    };
    Some([16, 8, 0].map(|shift| linear_from_srgb8((code >> shift) as u8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_names_and_codes() {
        assert_eq!(named_color("red"), Some([1.0, 0.0, 0.0]));
        assert_eq!(named_color("#FF0000"), named_color("Red"));
        assert_eq!(named_color("#00ff"), None);
        assert_eq!(named_color("#00ff0é"), None);
        assert_eq!(named_color("#+00000"), None);
        assert_eq!(named_color("redd"), None);
    }
}
