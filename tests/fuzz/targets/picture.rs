//! Pictures: the first byte selects the format of files without a signature.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use renderer::image::{Subimage, decode_picture};

const NAMES: [&str; 8] = [
    "a.exr", "a.tif", "a.png", "a.jpg", "a.hdr", "a.tga", "a.bmp", "a.pfm",
];

fuzz_target!(|bytes: &[u8]| {
    if let Some((kind, bytes)) = bytes.split_first() {
        let name = NAMES[usize::from(*kind) % NAMES.len()];
        let _ = decode_picture(Path::new(name), bytes, &Subimage::First);
    }
});
