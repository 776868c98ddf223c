//! Input image formats, detected by first bytes or extension.

use std::path::Path;

use super::netpbm;

/// Input formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// OpenEXR.
    Exr,
    /// TIFF, textures of `maketx` among them.
    Tiff,
    /// Radiance RGBE.
    Hdr,
    /// PNG, 8 or 16 bits.
    Png,
    /// JPEG.
    Jpeg,
    /// Truevision TGA.
    Tga,
    /// Windows bitmap.
    Bmp,
    /// WebP, its first picture.
    WebP,
    /// PGM, PPM or PFM.
    Netpbm,
}

impl Format {
    /// The format of a file by its first bytes, else by its extension (TGA has no magic bytes).
    pub fn detect(path: &Path, bytes: &[u8]) -> Option<Format> {
        const MAGIC: [(&[u8], Format); 10] = [
            (b"II*\0", Format::Tiff),
            (b"MM\0*", Format::Tiff),
            (b"II+\0", Format::Tiff),
            (b"MM\0+", Format::Tiff),
            (&[0x76, 0x2f, 0x31, 0x01], Format::Exr),
            (b"#?RADIANCE", Format::Hdr),
            (b"#?RGBE", Format::Hdr),
            (b"\x89PNG\r\n\x1a\n", Format::Png),
            (&[0xff, 0xd8, 0xff], Format::Jpeg),
            (b"BM", Format::Bmp),
        ];
        let by_magic = MAGIC
            .iter()
            .find(|(magic, _)| bytes.starts_with(magic))
            .map(|&(_, format)| format);
        let is_webp = || {
            let known = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
            known.then_some(Format::WebP)
        };
        let is_netpbm = || {
            let known = netpbm::MAGIC.iter().any(|magic| bytes.starts_with(magic));
            (known && bytes.get(2).is_some_and(u8::is_ascii_whitespace)).then_some(Format::Netpbm)
        };
        by_magic
            .or_else(is_netpbm)
            .or_else(is_webp)
            .or_else(|| Format::from_extension(path))
    }

    /// The format of a file name extension.
    pub fn from_extension(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "exr" => Some(Format::Exr),
            "tif" | "tiff" | "tx" => Some(Format::Tiff),
            "hdr" | "pic" => Some(Format::Hdr),
            "png" => Some(Format::Png),
            "jpg" | "jpeg" => Some(Format::Jpeg),
            "tga" => Some(Format::Tga),
            "bmp" => Some(Format::Bmp),
            "webp" => Some(Format::WebP),
            "pgm" | "ppm" | "pfm" => Some(Format::Netpbm),
            _ => None,
        }
    }

    /// Name of the format.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Exr => "EXR",
            Format::Tiff => "TIFF",
            Format::Hdr => "Radiance HDR",
            Format::Png => "PNG",
            Format::Jpeg => "JPEG",
            Format::Tga => "TGA",
            Format::Bmp => "BMP",
            Format::WebP => "WebP",
            Format::Netpbm => "PGM, PPM or PFM",
        }
    }
}
