//! Reading part files: header, bands, checksums, statistics.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::band::{AT_ONCE, bands, checksum, decode};
use super::header::MAGIC;
use super::statistics::{MAX_RECORD, decode_goal, decode_tiles};
use super::{Header, Part, PartError};
use renderer_base::files::{Budget, BudgetKind, open_regular};
use renderer_image::Rect;
use renderer_image::film::{Film, FilmTile, NoiseMap};
use renderer_transport::render::MAX_RAYS;

/// A part file whose header has been read.
pub struct PartReader {
    path: PathBuf,
    header: Header,
    file: BufReader<File>,
    /// Size of the file [bytes].
    size: u64,
}

impl PartReader {
    /// Returns whether a file begins with the magic number of parts.
    pub fn is_part(path: &Path) -> bool {
        let mut magic = [0; MAGIC.len()];
        let begin = open_regular(path).and_then(|mut file| file.read_exact(&mut magic));
        begin.is_ok() && magic == *MAGIC
    }

    /// Reads the header of a part.
    ///
    /// # Errors
    /// When it cannot be read, is no part or is damaged.
    pub fn open(path: &Path) -> Result<PartReader, PartError> {
        let file = open_regular(path).map_err(|e| PartError::unreadable(path, e))?;
        let size = file.metadata().map_err(|e| PartError::unreadable(path, e))?.len();
        let mut file = BufReader::new(file);
        let mut magic = [0; MAGIC.len()];
        match file.read_exact(&mut magic) {
            Ok(()) if magic == *MAGIC => {}
            Ok(()) if magic.starts_with(b"kiln part ") => {
                return Err(PartError::damaged(path, "another version of Kiln has written it"));
            }
            _ => {
                return Err(PartError::Other { path: path.to_owned() });
            }
        }
        // Names of thousands of shapes make a long header. The record is never longer than the file.
        let text = record(&mut file, u64::MAX).map_err(|reason| PartError::damaged(path, reason))?;
        let json = serde_json::from_slice(&text).ok();
        let header = json
            .as_ref()
            .and_then(Header::from_json)
            .ok_or_else(|| PartError::damaged(path, "its header is invalid"))?;
        Ok(PartReader { path: path.to_owned(), header, file, size })
    }

    /// Checks that a file of this size can hold the pixels that the header declares.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check_size(&self) -> Result<(), PartError> {
        let budget = Budget::of(BudgetKind::Part, self.size);
        let room = budget.allocate("pixels", self.header.crop.area(), self.header.pixel_bytes());
        room.map_err(|excess| PartError::damaged(&self.path, excess))
    }

    /// Header: identity of the image and its sample numbers.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the rest of the file as a film of its own.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged, or memory does not hold the film.
    pub fn read(self) -> Result<Part, PartError> {
        self.check_size()?;
        let header = self.header.clone();
        let damaged = |reason: String| PartError::damaged(&self.path, reason);
        let mut film = header.film().map_err(|e| damaged(e.to_string()))?;
        let noise = self.add_to(&mut film)?;
        Ok(Part { header, film, noise })
    }

    /// Adds the sums of the file to a film of equal size, and returns the statistics of adaptive sampling.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged. The film is then of no use.
    pub fn add_to(mut self, film: &mut Film) -> Result<Option<NoiseMap>, PartError> {
        let Header { crop, layout, samples, .. } = &self.header;
        let damaged = |reason: &str| PartError::damaged(&self.path, reason);
        if film.crop() != *crop {
            return Err(damaged("it is of other pixels"));
        }
        let list: Vec<Rect> = bands(*crop).collect();
        for some in list.chunks(AT_ONCE) {
            let mut encoded = Vec::with_capacity(some.len());
            for &band in some {
                let bytes = record(&mut self.file, u64::MAX);
                encoded.push((band, bytes.map_err(|reason| damaged(&reason))?));
            }
            let decode =
                |(band, bytes): (Rect, Vec<u8>)| decode(band, layout, samples.count() * MAX_RAYS, &bytes);
            let tiles: Option<Vec<FilmTile>> = encoded.into_par_iter().map(decode).collect();
            let tiles = tiles.ok_or_else(|| damaged("its sums make no sense"))?;
            tiles.iter().for_each(|tile| film.merge(tile));
        }
        let noise = if self.header.noise.is_some() {
            Some(statistics(&mut self.file, film).map_err(|reason| damaged(&reason))?)
        } else {
            None
        };
        if self.file.read(&mut [0]).is_ok_and(|count| count > 0) {
            return Err(damaged("there is more in it than a part has"));
        }
        film.count(&self.header.counts);
        Ok(noise)
    }
}

/// The statistics of adaptive sampling, which follow the sums.
fn statistics(file: &mut impl Read, film: &Film) -> Result<NoiseMap, String> {
    let senseless = || "its statistics make no sense".to_owned();
    let (mut noise, records) = decode_goal(film, &record(file, MAX_RECORD)?).ok_or_else(senseless)?;
    for index in 0..records {
        let bytes = record(file, MAX_RECORD)?;
        decode_tiles(&mut noise, index, &bytes).ok_or_else(senseless)?;
    }
    Ok(noise)
}

/// The next record of a file: its length, its checksum, its bytes.
fn record(file: &mut impl Read, longest: u64) -> Result<Vec<u8>, String> {
    let mut number = || -> Result<u64, String> {
        let mut bytes = [0; 8];
        file.read_exact(&mut bytes).map_err(|_| "it ends too early")?;
        Ok(u64::from_le_bytes(bytes))
    };
    let (length, sum) = (number()?, number()?);
    if length > longest {
        return Err("it is damaged".to_owned());
    }
    // A damaged length may exceed the file, so memory is not reserved in advance.
    let mut bytes = vec![];
    let read = file.take(length).read_to_end(&mut bytes);
    if read.map_err(|e| e.to_string())? as u64 != length {
        return Err("it ends too early".to_owned());
    }
    if checksum(&bytes) != sum {
        return Err("it is damaged: a checksum differs".to_owned());
    }
    Ok(bytes)
}
