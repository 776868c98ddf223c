//! Images for examples of units that look up images; virtual files of the stage.

use std::path::Path;

use font8x8::legacy::BASIC_LEGACY;
use glam::Vec3;

use renderer_base::color::Rgb;
use renderer_image::{Image, WriteOptions, encode, linear_from_srgb};

/// Columns and rows [pixels].
const SIZE: usize = 512;
/// Side of a square of the colour image [pixels].
const SQUARE: usize = 64;
/// Side of a letter [pixels].
const LETTER: usize = 24;
/// Studs of the images of heights and normals, along each side.
const STUDS: f32 = 8.0;

/// Creates an image.
type Make = fn() -> Image;

/// Squares with their places, heights of studs, and their normals.
const FILES: [(&str, Make); 3] = [
    ("stage_image.png", squares),
    ("stage_heights.png", heights),
    ("stage_normals.png", normals),
];

/// The files that a text names.
pub(super) fn named_in(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let named = FILES.iter().filter(|(name, _)| text.contains(name));
    named
        .filter_map(|(name, make)| {
            let bytes = encode(Path::new(name), &make(), &WriteOptions::default()).ok()?;
            Some((*name, bytes))
        })
        .collect()
}

/// Squares of all hues, with letters for columns and numbers for rows.
fn squares() -> Image {
    Image::from_fn(SIZE, SIZE, |x, y| {
        let (column, row) = (x / SQUARE, y / SQUARE);
        let [dx, dy] = [x % SQUARE, y % SQUARE];
        let hue = column as f32 / 8.0;
        let light = if (column + row) % 2 == 0 { 0.75 } else { 0.5 };
        let tone = tone(hue, 0.25 + 0.07 * row as f32, light);
        let left = (SQUARE - 2 * LETTER) / 2;
        let top = (SQUARE - LETTER) / 2;
        let letter = [b'A' + column as u8, b'1' + row as u8];
        let is_ink = (dy >= top && dy < top + LETTER && dx >= left && dx < left + 2 * LETTER) && {
            let (dx, dy) = (dx - left, dy - top);
            let rows = &BASIC_LEGACY[usize::from(letter[dx / LETTER])];
            rows[dy * 8 / LETTER] >> (dx % LETTER * 8 / LETTER) & 1 == 1
        };
        match is_ink {
            true => Rgb::splat(0.02),
            false => tone,
        }
    })
}

/// The colour of a hue, saturation and value.
fn tone(hue: f32, saturation: f32, value: f32) -> Rgb {
    let channel = |shift: f32| {
        let k = (shift + 6.0 * hue) % 6.0;
        value * (1.0 - saturation * k.min(4.0 - k).clamp(0.0, 1.0))
    };
    Rgb::new(channel(5.0), channel(3.0), channel(1.0))
}

/// Height of the studs, from 0 to 1, at a place of the image.
fn stud(x: f32, y: f32) -> f32 {
    let part = |v: f32| (v * STUDS).rem_euclid(1.0) - 0.5;
    let r = (part(x) * part(x) + part(y) * part(y)).sqrt() / 0.42;
    (1.0 - r * r).max(0.0)
}

fn heights() -> Image {
    let size = SIZE as f32;
    // The numbers of the file are the heights themselves.
    Image::from_fn(SIZE, SIZE, |x, y| {
        Rgb::splat(linear_from_srgb(stud((x as f32 + 0.5) / size, (y as f32 + 0.5) / size)))
    })
}

fn normals() -> Image {
    let size = SIZE as f32;
    let step = 0.5 / size;
    // Height of a stud over the side of the image.
    let depth = 0.02;
    Image::from_fn(SIZE, SIZE, |x, y| {
        let (s, t) = ((x as f32 + 0.5) / size, (y as f32 + 0.5) / size);
        let along = |ds: f32, dt: f32| (stud(s + ds, t + dt) - stud(s - ds, t - dt)) * depth / (2.0 * step);
        // Rows run down, green points up.
        let normal = Vec3::new(-along(step, 0.0), along(0.0, step), 1.0).normalize();
        let [r, g, b] = (0.5 * normal + 0.5).to_array().map(linear_from_srgb);
        Rgb::new(r, g, b)
    })
}
