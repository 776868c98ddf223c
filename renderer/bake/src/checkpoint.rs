//! Bake checkpoints: an append-only file of finished chunks with checksums, readable after truncation at any byte and
//! damage at any place.
//!
//! A header with the fingerprint of the bake is followed by records: number of the chunk, its length, its values, and a
//! checksum. Reading finds the next sound record after damage; see [`Records`].

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHasher};

use super::error::BakeError;
use renderer_base::files::{open_regular, read_regular};
use renderer_image::{Staged, check_place, stage};

const MAGIC: &[u8; 16] = b"kiln bake  v2\n\0\0";
/// Bytes of the header: magic and fingerprint.
const HEADER: usize = MAGIC.len() + 8;

/// A file of finished chunks.
pub(super) struct Checkpoint {
    path: PathBuf,
    file: File,
    /// End of the last complete record [bytes].
    end: u64,
    /// Number of damaged places that were skipped.
    pub(super) damaged: usize,
}

/// Finished chunks by number.
pub(super) type Finished = FxHashMap<u32, Vec<f32>>;

/// Present contents of the checkpoint's file.
enum Content {
    /// No file.
    Missing,
    /// At most a header: the bake ended before it finished a chunk.
    Empty,
    /// A header and more, which may be damaged.
    Work(Vec<u8>),
}

impl Content {
    fn read(path: &Path) -> Result<Content, BakeError> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err(unusable(path, "it is not a plain file")),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Content::Missing),
            Err(e) => return Err(unusable(path, e)),
        }
        let bytes = read_regular(path).map_err(|e| unusable(path, e))?;
        if bytes.len() < HEADER && MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) {
            return Ok(Content::Empty);
        }
        if !bytes.starts_with(MAGIC) {
            return Err(unusable(path, "it is not a checkpoint of a bake\n  hint: name another file"));
        }
        Ok(match bytes.len() > HEADER {
            true => Content::Work(bytes),
            false => Content::Empty,
        })
    }
}

impl Checkpoint {
    /// Checks, without changing anything, that a checkpoint can be written at `path`: there is no file, or a checkpoint
    /// to be resumed.
    pub(super) fn check(path: &Path, resume: bool) -> Result<(), BakeError> {
        match Content::read(path)? {
            Content::Missing => check_place(path).map_err(|e| unusable(path, e)),
            Content::Work(_) if !resume => Err(unusable(
                path,
                "it contains the work of an earlier bake\n  hint: add --resume to continue it, or delete it to start again",
            )),
            Content::Empty | Content::Work(_) => {
                let file = OpenOptions::new().append(true).open(path);
                file.map(drop).map_err(|e| unusable(path, e))
            }
        }
    }

    /// Opens a checkpoint of the bake with that fingerprint and reads its finished chunks. Existing work is never
    /// overwritten: a checkpoint of another bake, or one not to be resumed, is an error.
    pub(super) fn open(
        path: &Path,
        fingerprint: u64,
        resume: bool,
    ) -> Result<(Checkpoint, Finished), BakeError> {
        Checkpoint::check(path, resume)?;
        let open = OpenOptions::new().append(true).create(true).open(path);
        let mut file = open.map_err(|e| unusable(path, e))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(unusable(path, "another bake is at work on it"));
        }
        let mut finished = Finished::default();
        let mut damaged = 0;
        let mut end = HEADER;
        match Content::read(path)? {
            Content::Missing | Content::Empty => {
                let mut header = MAGIC.to_vec();
                header.extend(fingerprint.to_le_bytes());
                file.set_len(0)
                    .and_then(|()| file.write_all(&header))
                    .map_err(|e| unusable(path, e))?;
            }
            Content::Work(bytes) => {
                if bytes[MAGIC.len()..HEADER] != fingerprint.to_le_bytes() {
                    return Err(unusable(
                        path,
                        "it belongs to another scene or other settings\n  hint: name another file, or delete it",
                    ));
                }
                let records = Records::find(&bytes[HEADER..]);
                finished.extend(records.list.iter().map(|record| (record.chunk(), record.values())));
                damaged = records.damaged;
                end = HEADER + records.end;
                file.set_len(end as u64).map_err(|e| unusable(path, e))?;
            }
        }
        let path = path.to_owned();
        let checkpoint = Checkpoint { path, file, end: end as u64, damaged };
        Ok((checkpoint, finished))
    }

    /// Adds a finished chunk. After an error, as on a full disk, the file ends with the last whole record, and further
    /// chunks can be added.
    pub(super) fn add(&mut self, chunk: u32, values: &[f32]) -> Result<(), BakeError> {
        let mut record = Vec::with_capacity(16 + 4 * values.len());
        record.extend(chunk.to_le_bytes());
        record.extend((values.len() as u32).to_le_bytes());
        record.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        record.extend(hash(&record).to_le_bytes());
        if let Err(error) = self.file.write_all(&record) {
            // If that fails too, reading skips the incomplete record.
            let _ = self.file.set_len(self.end);
            return Err(unusable(&self.path, error));
        }
        self.end += record.len() as u64;
        Ok(())
    }
}

/// Returns whether a file begins with the magic number of bake checkpoints.
pub fn is_checkpoint(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    let begin = open_regular(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut magic));
    begin.is_ok() && magic == *MAGIC
}

/// Summary of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointContent {
    /// A hash of the scene and the settings.
    pub fingerprint: u64,
    /// Chunks of finished work.
    pub chunks: usize,
}

impl CheckpointContent {
    /// Reads the summary of a checkpoint.
    ///
    /// # Errors
    /// If the file cannot be read or is not a checkpoint.
    pub fn read(path: &Path) -> Result<CheckpointContent, BakeError> {
        let bytes = whole(path)?;
        let (header, rest) = bytes.split_at(HEADER);
        let chunks = Records::find(rest).list.len();
        let fingerprint = std::array::from_fn(|i| header[MAGIC.len() + i]);
        Ok(CheckpointContent { fingerprint: u64::from_le_bytes(fingerprint), chunks })
    }
}

/// Bytes of a checkpoint with at least a complete header.
fn whole(path: &Path) -> Result<Vec<u8>, BakeError> {
    let bytes = read_regular(path).map_err(|e| unusable(path, e))?;
    if !bytes.starts_with(MAGIC) || bytes.len() < HEADER {
        return Err(unusable(path, "it is not a checkpoint of a bake"));
    }
    Ok(bytes)
}

/// Merges checkpoints of shares of one bake into another file. Returns a note for each damaged share, whose work is missing.
///
/// # Errors
/// If a checkpoint cannot be read or belongs to another bake, if two contain the same work, or if the file cannot
/// be written.
pub fn join_checkpoints(parts: &[PathBuf], output: &Path) -> Result<Vec<String>, BakeError> {
    let mut of_first = None;
    let mut all: BTreeMap<u32, (&Path, Vec<u8>)> = BTreeMap::new();
    let mut notes = vec![];
    for path in parts {
        let bytes = whole(path)?;
        let (header, rest) = bytes.split_at(HEADER);
        let (first, expected) = of_first.get_or_insert((path, header.to_vec()));
        if header != expected {
            let reason = format!(
                "it is of another bake than '{}': the scene or the settings differ",
                first.display()
            );
            return Err(unusable(path, reason));
        }
        let records = Records::find(rest);
        if records.damaged > 0 {
            notes.push(damage(path, records.damaged));
        }
        for record in records.list {
            if let Some((other, _)) = all.insert(record.chunk(), (path, record.0.to_vec())) {
                let reason =
                    format!("it has work that '{}' has, too\n  hint: leave one of them out", other.display());
                return Err(unusable(path, reason));
            }
        }
    }
    let Some((_, mut joined)) = of_first else {
        return Err(unusable(output, "there is no work in the parts"));
    };
    let records = all.values().flat_map(|(_, record)| record);
    joined.extend(records);
    let written = stage(output, &joined).and_then(Staged::commit_new);
    written.map_err(|e| unusable(output, e))?;
    Ok(notes)
}

/// The note about damaged places of a checkpoint.
pub(super) fn damage(path: &Path, places: usize) -> String {
    let places = match places {
        1 => "1 place".to_owned(),
        n => format!("{n} places"),
    };
    let path = path.display();
    format!("'{path}' is damaged at {places}: the work that was there is done again")
}

/// A sound record: number of the chunk, number of values, values, checksum.
#[derive(Clone, Copy)]
struct Record<'b>(&'b [u8]);

impl<'b> Record<'b> {
    /// Bytes of a record without its values.
    const FRAME: usize = 16;

    /// Length of the record at the start of `bytes`, if it is complete [bytes].
    fn length(bytes: &[u8]) -> Option<usize> {
        let length = Record::FRAME + 4 * word(bytes, 4)? as usize;
        (length <= bytes.len()).then_some(length)
    }

    /// Record at the start of `bytes`, if its checksum is valid.
    fn at(bytes: &'b [u8]) -> Option<Record<'b>> {
        let record = &bytes[..Record::length(bytes)?];
        let (content, sum) = record.split_at(record.len() - 8);
        (hash(content).to_le_bytes() == sum).then_some(Record(record))
    }

    fn chunk(&self) -> u32 {
        word(self.0, 0).unwrap_or_default()
    }

    fn values(&self) -> Vec<f32> {
        let values = &self.0[8..self.0.len() - 8];
        let values = values.as_chunks::<4>().0.iter();
        values.map(|&bytes| f32::from_le_bytes(bytes)).collect()
    }
}

/// The sound records of a file.
struct Records<'b> {
    list: Vec<Record<'b>>,
    /// Number of damaged places, except a truncated last record.
    damaged: usize,
    /// End of the last sound record.
    end: usize,
}

impl<'b> Records<'b> {
    /// Finds all valid records after a header. Since damage can change the length of a record, the next one is searched for
    /// at every following byte.
    fn find(bytes: &'b [u8]) -> Records<'b> {
        let mut found = Records { list: vec![], damaged: 0, end: 0 };
        // Bounds the bytes that are hashed for candidates with wrong lengths.
        let mut budget = 16 * bytes.len();
        let mut at = 0;
        while let Some(length) = Record::length(&bytes[at..]).or_else(|| word(&bytes[at..], 0).map(|_| 0)) {
            if length > budget {
                break;
            }
            match Record::at(&bytes[at..]) {
                Some(record) => {
                    found.damaged += usize::from(at > found.end);
                    found.list.push(record);
                    at += length;
                    found.end = at;
                }
                None => {
                    budget -= length;
                    at += 4;
                }
            }
        }
        // A bake that is killed leaves a record without its end.
        let rest = &bytes[found.end..];
        found.damaged += usize::from(Record::length(rest).is_some());
        found
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Hash that is stable between runs.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn unusable(path: &Path, reason: impl ToString) -> BakeError {
    BakeError::Checkpoint { path: path.to_owned(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cut_anywhere_is_read_as_far_as_it_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        let (mut checkpoint, _) = Checkpoint::open(&path, 7, false).unwrap();
        for chunk in 0..3 {
            checkpoint.add(chunk, &[chunk as f32; 5]).unwrap();
        }
        assert!(Checkpoint::open(&path, 7, true).is_err(), "two at work on one file");
        drop(checkpoint);
        let whole = fs::read(&path).unwrap();
        let record = 16 + 20;
        for length in 0..=whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let (mut checkpoint, finished) = Checkpoint::open(&path, 7, true).unwrap();
            assert_eq!(finished.len(), length.saturating_sub(HEADER) / record, "{length}");
            checkpoint.add(9, &[1.0]).unwrap();
            drop(checkpoint);
            let (_, again) = Checkpoint::open(&path, 7, true).unwrap();
            assert_eq!(again.len(), finished.len() + 1);
        }
    }

    #[test]
    fn what_is_damaged_is_passed_over_and_nothing_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let [path, joined] = ["c", "joined"].map(|name| folder.path().join(name));
        let (mut checkpoint, _) = Checkpoint::open(&path, 7, false).unwrap();
        for chunk in 0..3 {
            checkpoint.add(chunk, &[chunk as f32; 5]).unwrap();
        }
        drop(checkpoint);
        let mut bytes = fs::read(&path).unwrap();
        bytes[HEADER + 10] ^= 1;
        fs::write(&path, &bytes).unwrap();
        for (fingerprint, resume) in [(7, false), (8, false), (8, true)] {
            assert!(Checkpoint::open(&path, fingerprint, resume).is_err());
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        let notes = join_checkpoints(std::slice::from_ref(&path), &joined).unwrap();
        assert!(notes[0].contains("damaged at 1 place"), "{notes:?}");
        assert_eq!(CheckpointContent::read(&joined).unwrap().chunks, 2);
        let (mut checkpoint, finished) = Checkpoint::open(&path, 7, true).unwrap();
        let mut chunks: Vec<u32> = finished.into_keys().collect();
        chunks.sort_unstable();
        assert_eq!(chunks, [1, 2]);
        checkpoint.add(0, &[0.0; 5]).unwrap();
        drop(checkpoint);
        assert_eq!(CheckpointContent::read(&path).unwrap().chunks, 3);
    }

    #[test]
    fn one_flipped_bit_costs_one_chunk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        let (mut checkpoint, _) = Checkpoint::open(&path, 7, false).unwrap();
        for chunk in 0..4 {
            checkpoint.add(chunk, &[0.25 * chunk as f32; 5]).unwrap();
        }
        drop(checkpoint);
        let whole = fs::read(&path).unwrap();
        let record = 16 + 20;
        for bit in 8 * HEADER..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bytes).unwrap();
            assert!(Checkpoint::open(&path, 7, false).is_err());
            assert_eq!(fs::read(&path).unwrap(), bytes);
            let lost = (bit / 8 - HEADER) / record;
            let (checkpoint, mut finished) = Checkpoint::open(&path, 7, true).unwrap();
            // The last record may look truncated.
            assert!(checkpoint.damaged == 1 || lost == 3 && checkpoint.damaged == 0, "{bit}");
            assert_eq!(finished.len(), 3, "{bit}");
            assert!(finished.remove(&(lost as u32)).is_none());
            for (chunk, values) in finished {
                assert_eq!(values, [0.25 * chunk as f32; 5]);
            }
        }
    }

    #[test]
    fn what_is_in_a_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        let (mut checkpoint, _) = Checkpoint::open(&path, 7, false).unwrap();
        checkpoint.add(0, &[1.0]).unwrap();
        drop(checkpoint);
        let work = fs::read(&path).unwrap();
        let letter = b"something else altogether, longer than a header".to_vec();
        for (content, fingerprint, resume) in [
            (&work, 7, false),
            (&work, 8, false),
            (&work, 8, true),
            (&letter, 7, false),
            (&letter, 7, true),
            (&letter[..5].to_vec(), 7, true),
        ] {
            fs::write(&path, content).unwrap();
            assert!(Checkpoint::open(&path, fingerprint, resume).is_err());
            assert_eq!(fs::read(&path).unwrap(), *content);
        }
    }
}
