//! What a bake has done so far, in a file that can be added to at any moment and cut off at any byte.
//!
//! A header says what is being baked, by a fingerprint; then come records: number of the chunk, its length, its numbers,
//! and a checksum. Reading stops at the first record that is not whole.

use std::fs::{File, OpenOptions};
use std::hash::Hasher;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHasher};

use super::BakeError;

const MAGIC: &[u8; 16] = b"kiln bake  v1\n\0\0";

/// A file of finished chunks.
pub(super) struct Checkpoint {
    path: PathBuf,
    file: File,
}

/// Finished chunks by number.
pub(super) type Finished = FxHashMap<u32, Vec<f32>>;

impl Checkpoint {
    /// Starts a file.
    pub(super) fn create(path: &Path, fingerprint: u64) -> Result<Checkpoint, BakeError> {
        let start = || {
            let mut file = File::create(path)?;
            file.write_all(MAGIC)?;
            file.write_all(&fingerprint.to_le_bytes())?;
            Ok(file)
        };
        Ok(Checkpoint {
            path: path.to_owned(),
            file: start().map_err(|e: io::Error| unusable(path, e))?,
        })
    }

    /// Goes on with a file, or starts it where there is none.
    pub(super) fn resume(path: &Path, fingerprint: u64) -> Result<(Checkpoint, Finished), BakeError> {
        let mut bytes = vec![];
        match File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Ok((Checkpoint::create(path, fingerprint)?, Finished::default()));
            }
            Err(e) => return Err(unusable(path, e)),
        }
        let header = MAGIC.len() + 8;
        if bytes.len() < header && MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) {
            // Stopped before the header was whole.
            return Ok((Checkpoint::create(path, fingerprint)?, Finished::default()));
        }
        if !bytes.starts_with(MAGIC) {
            return Err(unusable(path, "it is no checkpoint of a bake"));
        }
        if bytes[MAGIC.len()..header] != fingerprint.to_le_bytes() {
            return Err(unusable(path, "it belongs to another scene or other settings"));
        }
        let mut finished = Finished::default();
        let mut end = header;
        while let Some((chunk, values, length)) = read_record(&bytes[end..]) {
            finished.insert(chunk, values);
            end += length;
        }
        let open = || {
            let file = OpenOptions::new().append(true).open(path)?;
            file.set_len(end as u64)?;
            Ok(file)
        };
        let checkpoint = Checkpoint {
            path: path.to_owned(),
            file: open().map_err(|e: io::Error| unusable(path, e))?,
        };
        Ok((checkpoint, finished))
    }

    /// Adds a finished chunk.
    pub(super) fn add(&mut self, chunk: u32, values: &[f32]) -> Result<(), BakeError> {
        let mut record = Vec::with_capacity(16 + 4 * values.len());
        record.extend(chunk.to_le_bytes());
        record.extend((values.len() as u32).to_le_bytes());
        record.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        record.extend(hash(&record).to_le_bytes());
        self.file.write_all(&record).map_err(|e| unusable(&self.path, e))
    }
}

fn read_record(bytes: &[u8]) -> Option<(u32, Vec<f32>, usize)> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (chunk, count) = (word(0)?, word(4)? as usize);
    let end = 8 + 4 * count;
    let sum = bytes.get(end..end + 8)?;
    if hash(&bytes[..end]).to_le_bytes() != sum {
        return None;
    }
    let values = bytes[8..end].as_chunks::<4>().0;
    Some((
        chunk,
        values.iter().map(|&b| f32::from_le_bytes(b)).collect(),
        end + 8,
    ))
}

/// A hash that is the same in every run.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn unusable(path: &Path, reason: impl ToString) -> BakeError {
    BakeError::Checkpoint {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cut_anywhere_is_read_as_far_as_it_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        let mut checkpoint = Checkpoint::create(&path, 7).unwrap();
        for chunk in 0..3 {
            checkpoint.add(chunk, &[chunk as f32; 5]).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        let record = 16 + 20;
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut checkpoint, finished) = Checkpoint::resume(&path, 7).unwrap();
            assert_eq!(finished.len(), length.saturating_sub(24) / record, "{length}");
            checkpoint.add(9, &[1.0]).unwrap();
            let (_, again) = Checkpoint::resume(&path, 7).unwrap();
            assert_eq!(again.len(), finished.len() + 1);
        }
        std::fs::write(&path, &whole).unwrap();
        assert!(Checkpoint::resume(&path, 8).is_err());
        std::fs::write(&path, "something else altogether, longer than a header").unwrap();
        assert!(Checkpoint::resume(&path, 7).is_err());
    }
}
