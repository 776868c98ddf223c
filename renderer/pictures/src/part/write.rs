//! Writing part files atomically.

use std::io::{self, Write};
use std::path::Path;

use rayon::prelude::*;

use super::Header;
use super::band::{AT_ONCE, bands, checksum, encode};
use super::header::MAGIC;
use super::statistics::{encode_goal, encode_tiles};
use renderer_image::film::{Film, NoiseMap};
use renderer_image::{ImageError, Rect, write_whole_with};

/// Writes a part, whole or not at all; with the statistics of adaptive sampling if there are any.
///
/// # Errors
/// If the file cannot be written; an existing file is then unchanged.
pub fn write(path: &Path, header: &Header, film: &Film, noise: Option<&NoiseMap>) -> Result<(), ImageError> {
    write_whole_with(path, |file| write_to(file, header, film, noise))
}

/// Writes the content of a part to an open file.
///
/// # Errors
/// If the file cannot be written.
pub fn write_to(
    file: &mut dyn Write,
    header: &Header,
    film: &Film,
    noise: Option<&NoiseMap>,
) -> io::Result<()> {
    let taken = header.samples.list().last().map_or(0, |range| range.end);
    let header = Header {
        noise: noise.map(|noise| noise.summary(taken)),
        ..header.clone()
    };
    let text = header.json().to_string();
    let list: Vec<Rect> = bands(film.crop()).collect();
    file.write_all(MAGIC)?;
    record(file, text.as_bytes())?;
    for some in list.chunks(AT_ONCE) {
        let encoded: Vec<Vec<u8>> = some.par_iter().map(|&band| encode(band, film.sums())).collect();
        encoded.iter().try_for_each(|bytes| record(file, bytes))?;
    }
    if let Some(noise) = noise {
        record(file, &encode_goal(noise))?;
        encode_tiles(noise).try_for_each(|bytes| record(file, &bytes))?;
    }
    Ok(())
}

/// Bytes with their length and a checksum.
fn record(file: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    file.write_all(&(bytes.len() as u64).to_le_bytes())?;
    file.write_all(&checksum(bytes).to_le_bytes())?;
    file.write_all(bytes)
}
