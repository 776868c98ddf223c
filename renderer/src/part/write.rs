//! Parts to files.

use std::path::Path;

use rayon::prelude::*;

use super::Header;
use super::band::{bands, checksum, encode};
use super::header::MAGIC;
use crate::film::Film;
use crate::image::{ImageError, Rect, write_whole_with};

/// Bands that are made at once, before they are written.
const AT_ONCE: usize = 32;

/// Writes a part, whole or not at all.
///
/// # Errors
/// When the file cannot be written; what was there is then as before.
pub fn write(path: &Path, header: &Header, film: &Film) -> Result<(), ImageError> {
    let text = header.json().to_string();
    let list: Vec<Rect> = bands(film.crop()).collect();
    write_whole_with(path, |file| {
        file.write_all(MAGIC)?;
        file.write_all(&(text.len() as u64).to_le_bytes())?;
        file.write_all(&checksum(text.as_bytes()).to_le_bytes())?;
        file.write_all(text.as_bytes())?;
        for some in list.chunks(AT_ONCE) {
            let encoded: Vec<Vec<u8>> = some.par_iter().map(|&band| encode(band, film.sums())).collect();
            for bytes in encoded {
                file.write_all(&(bytes.len() as u64).to_le_bytes())?;
                file.write_all(&checksum(&bytes).to_le_bytes())?;
                file.write_all(&bytes)?;
            }
        }
        Ok(())
    })
}
