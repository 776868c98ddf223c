//! Arguments of the commands for finished pictures: `denoise`, `image`, `sheet`.

use super::case::Case;
use super::case::Differs::{By, File, New, Status};

/// They need Open Image Denoise.
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
    (
        "image",
        "image grey.exr -o o.png",
        "image black.exr -o o.png",
        File("o.png"),
    ),
    (
        "output",
        "image grey.exr -o o.png",
        "image grey.exr -o p.png",
        New("p.png"),
    ),
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
    (
        "image",
        "sheet grey.exr -o o.png",
        "sheet black.exr -o o.png",
        File("o.png"),
    ),
    (
        "output",
        "sheet grey.exr -o o.png",
        "sheet grey.exr -o p.png",
        New("p.png"),
    ),
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
