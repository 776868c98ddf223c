//! Arguments of the commands for finished pictures (`denoise`, `image`, `sheet`) and of `gallery`.

use super::case::Case;
use super::case::Differs::{By, File, New, Says, Status};

/// Small pictures of a few units.
pub(crate) const GALLERY: &[Case] = &[
    (
        "shaders",
        "gallery w.ksl -o g --size 8x8 --spp 1",
        "gallery q.ksl -o g --size 8x8 --spp 1",
        File("g/index.html"),
    ),
    ("output", "gallery w.ksl -o g.md", "gallery w.ksl -o h.md", New("h.md")),
    (
        "size",
        "gallery q.ksl -o g --size 8x8 --spp 1",
        "gallery q.ksl -o g --size 16x8 --spp 1",
        Says("g/index.html", "width=16 height=8"),
    ),
    (
        "spp",
        "gallery q.ksl -o g --size 8x8 --spp 1",
        "gallery q.ksl -o g --size 8x8 --spp 2",
        File("g/gallery.json"),
    ),
    (
        "threads",
        "gallery w.ksl -o g.md --threads 0",
        "gallery w.ksl -o g.md --threads 2",
        Status(2, 0),
    ),
    ("folders", "gallery i.ksl -o g.md", "gallery i.ksl -o g.md -I inc", Status(1, 0)),
    (
        "undefine",
        "gallery i.ksl -o g.md -I inc",
        "gallery i.ksl -o g.md -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    (
        "define",
        "gallery q.ksl -o g --size 8x8 --spp 1",
        "gallery q.ksl -o g --size 8x8 --spp 1 -D VALUE=3",
        File("g/gallery.json"),
    ),
    (
        "quiet",
        "gallery q.ksl -o g --size 8x8 --spp 1",
        "gallery q.ksl -o g --size 8x8 --spp 1 --quiet",
        By(|a, b| !a.err.is_empty() && b.err.is_empty()),
    ),
];

/// These cases need Open Image Denoise.
pub(crate) const DENOISE: &[Case] = &[
    (
        "image",
        "denoise grey.exr -o o.exr",
        "denoise black.exr -o o.exr",
        File("o.exr"),
    ),
    (
        "output",
        "denoise grey.exr -o o.exr",
        "denoise grey.exr -o o.exr -o p.png",
        New("p.png"),
    ),
    (
        "quality",
        "render a.kiln -o a.exr; denoise a.exr -o o.exr",
        "render a.kiln -o a.exr; denoise a.exr -o o.exr --quality fast",
        File("o.exr"),
    ),
    (
        "fetch",
        "denoise grey.exr -o o.exr",
        "denoise grey.exr -o o.exr --fetch",
        By(|a, b| !a.err.contains("Open Image Denoise is in") && b.err.contains("Open Image Denoise is in")),
    ),
    (
        "exposure",
        "denoise grey.exr -o o.png",
        "denoise grey.exr -o o.png --exposure -2",
        File("o.png"),
    ),
    (
        "tone_map",
        "denoise grey.exr -o o.png",
        "denoise grey.exr -o o.png --tone-map agx",
        File("o.png"),
    ),
    (
        "threads",
        "denoise grey.exr -o o.exr --threads 1",
        "denoise grey.exr -o o.exr --threads 0",
        Status(0, 2),
    ),
    (
        "quiet",
        "denoise grey.exr -o o.exr",
        "denoise grey.exr -o o.exr --quiet",
        By(|a, b| !a.err.is_empty() && b.err.is_empty()),
    ),
];

pub(crate) const IMAGE: &[Case] = &[
    ("image", "image grey.exr -o o.png", "image black.exr -o o.png", File("o.png")),
    ("output", "image grey.exr -o o.png", "image grey.exr -o p.png", New("p.png")),
    (
        "layer",
        "render a.kiln --aov N -o a.exr; image a.exr -o o.png",
        "render a.kiln --aov N -o a.exr; image a.exr -o o.png --layer N",
        File("o.png"),
    ),
    (
        "exposure",
        "image grey.exr -o o.png",
        "image grey.exr -o o.png --exposure -2",
        File("o.png"),
    ),
    (
        "tone_map",
        "image grey.exr -o o.png",
        "image grey.exr -o o.png --tone-map filmic",
        File("o.png"),
    ),
];

pub(crate) const SHEET: &[Case] = &[
    ("image", "sheet grey.exr -o o.png", "sheet black.exr -o o.png", File("o.png")),
    ("output", "sheet grey.exr -o o.png", "sheet grey.exr -o p.png", New("p.png")),
    (
        "exposure",
        "sheet grey.exr -o o.png",
        "sheet grey.exr -o o.png --exposure -2",
        File("o.png"),
    ),
    (
        "tone_map",
        "sheet grey.exr -o o.png",
        "sheet grey.exr -o o.png --tone-map aces",
        File("o.png"),
    ),
];
