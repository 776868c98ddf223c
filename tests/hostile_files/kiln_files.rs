//! Files that Kiln itself writes: parts, checkpoints of bakes, packs.

use std::fs;
use std::hash::Hasher as _;
use std::io::{Cursor, Write as _};
use std::path::Path;

use renderer::bake::{CheckpointContent, is_checkpoint, join_checkpoints};
use renderer::files::{Files as _, Pack, PackFiles};
use renderer::part::PartReader;
use rustc_hash::FxHasher;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Input, damage, lock_memory};

const PART: &[u8; 16] = b"kiln part v1\n\0\0\0";
const BAKE: &[u8; 16] = b"kiln bake  v2\n\0\0";

/// Reads a part, or the checkpoint of a bake; returns the number of pixels or chunks.
pub(super) fn read_part(path: &Path) -> Result<usize, String> {
    if is_checkpoint(path) {
        let content = CheckpointContent::read(path).map_err(|error| error.to_string())?;
        let joined = join_checkpoints(&[path.to_owned()], &path.with_extension("joined"));
        return joined.map(|_| content.chunks).map_err(|error| error.to_string());
    }
    let part = PartReader::open(path).and_then(PartReader::read);
    part.map(|part| part.header.crop.area()).map_err(|error| error.to_string())
}

/// Reads all entries of a pack; returns their number.
pub(super) fn read_pack(path: &Path) -> Result<usize, String> {
    let pack = Pack::open(path).map_err(|error| error.to_string())?;
    let files = PackFiles::new(pack.clone(), &[]);
    let entries = &pack.manifest().entries;
    for name in entries.keys() {
        let path = path.join(name);
        files.read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(entries.len())
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// A record of a part: length, data, checksum.
fn record(bytes: &[u8]) -> Vec<u8> {
    let mut record = (bytes.len() as u64).to_le_bytes().to_vec();
    record.extend(hash(bytes).to_le_bytes());
    record.extend(bytes);
    record
}

/// The header of a part of that size.
fn header([width, height]: [u32; 2], channels: u32) -> Value {
    json!({
        "identity": [["scene", "0"]],
        "scene_file": "a.kiln",
        "samples": [[0, 1]],
        "film": {
            "size": [width, height], "crop": [0, 0, width, height], "variance": false, "channels": channels,
            "identifiers": 1,
        },
        "layers": null,
        "noise": null,
        "counts": { "samples": 1, "non_finite": 0, "saturated": 0 },
    })
}

fn part(records: &[Vec<u8>]) -> Vec<u8> {
    let records: Vec<u8> = records.iter().flat_map(|bytes| record(bytes)).collect();
    [&PART[..], &records].concat()
}

/// A small part: counts of 1, colours, a channel, a list of identifiers.
fn small_part() -> Vec<u8> {
    let area = 6 * 5;
    let plane = |value: u8| [vec![0, 1], vec![value; area]].concat();
    let band = [plane(1), plane(3), plane(2), plane(1), plane(7)].concat();
    let identifiers = [plane(1), plane(9), plane(5)].concat();
    part(&[header([6, 5], 1).to_string().into_bytes(), [band, identifiers].concat()])
}

/// A checkpoint of a bake with a few chunks.
fn checkpoint() -> Vec<u8> {
    let mut bytes = BAKE.to_vec();
    bytes.extend(7u64.to_le_bytes());
    for chunk in 0u32..5 {
        let mut record = chunk.to_le_bytes().to_vec();
        record.extend(8u32.to_le_bytes());
        record.extend([0x3f; 32]);
        record.extend(hash(&record).to_le_bytes());
        bytes.extend(record);
    }
    bytes
}

fn pack() -> Vec<u8> {
    let texts = [("a.kiln", "shape s : sphere { }\n".repeat(20)), ("maps/b.txt", "x".repeat(3000))];
    let entries: Value = texts
        .iter()
        .map(|(name, text)| ((*name).to_owned(), json!(text.len())))
        .collect();
    let manifest = json!({
        "kiln_pack": 1, "scene": "a.kiln", "options": null, "entries": entries, "paths": { "/b.txt": "maps/b.txt" },
        "folders": ["maps"],
    });
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    let files = texts.iter().map(|(name, text)| (*name, text.clone()));
    for (name, text) in files.chain([("kiln-pack.json", manifest.to_string())]) {
        zip.start_file(name, SimpleFileOptions::default()).expect("memory");
        zip.write_all(text.as_bytes()).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

pub(super) fn seeds() -> Vec<(String, Vec<u8>)> {
    [("a.part", small_part()), ("a.part", checkpoint()), ("a.zip", pack())]
        .map(|(name, bytes)| (name.to_owned(), bytes))
        .into()
}

/// Damages records of a part and corrects their checksums, or damages any bytes.
pub(super) fn damage_part(bytes: &mut Vec<u8>, random: &mut impl FnMut(usize) -> usize) {
    if !bytes.starts_with(PART) || random(4) == 0 {
        return damage(bytes, random);
    }
    let mut records = vec![];
    let mut rest = &bytes[PART.len()..];
    while let Some((length, after)) = rest.split_first_chunk::<8>() {
        let content;
        (content, rest) = after[8..].split_at(u64::from_le_bytes(*length) as usize);
        records.push(content.to_vec());
    }
    let chosen = random(records.len());
    damage(&mut records[chosen], random);
    *bytes = part(&records);
}

#[test]
fn valid_files_are_read() {
    let _alone = lock_memory();
    for (count, (name, bytes)) in [30, 5, 2].into_iter().zip(seeds()) {
        assert_eq!(Input::new(&[(&name, &bytes)]).read(&name), Ok(count));
    }
}

#[test]
fn parts_contain_the_declared_pixels() {
    let _alone = lock_memory();
    for (size, channels) in [
        ([30_000, 30_000], 0),
        ([65_535, 65_535], 1 << 20),
        ([u32::MAX, u32::MAX], 1 << 20),
        ([4000, 4000], 200),
    ] {
        let bytes = part(&[header(size, channels).to_string().into_bytes()]);
        let error = Input::new(&[("a.part", &bytes)]).read("a.part");
        let error = error.expect_err("the pixels are too many");
        assert!(error.contains("pixels would take"), "{error}");
    }
}

#[test]
fn long_headers_of_parts_are_bounded() {
    let _alone = lock_memory();
    let mut long = header([6, 5], 1);
    long["layers"] = json!({ "passes": vec![""; 1_000_000], "manifests": vec![Value::from(Vec::<Value>::new()); 1_000_000] });
    let bytes = part(&[long.to_string().into_bytes()]);
    let error = Input::new(&[("a.part", &bytes)]).read("a.part");
    assert!(error.expect_err("it has no sums").contains("it ends too early"));
}

#[test]
fn checkpoints_of_wrong_lengths_are_bounded() {
    let _alone = lock_memory();
    // Each word is the length of a record that extends to the end of the file.
    let mut bytes = checkpoint();
    let count = 1u32 << 20;
    for i in 0..count {
        bytes.extend((count - i).saturating_sub(8).to_le_bytes());
    }
    assert_eq!(Input::new(&[("a.part", &bytes)]).read("a.part"), Ok(5));
}

#[test]
fn packs_of_zeros_are_bounded() {
    let _alone = lock_memory();
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    let zeros = vec![0; 64 << 20];
    let names: Vec<String> = (0..20).map(|i| format!("{i}.bin")).collect();
    let entries: Value = names.iter().map(|name| (name.clone(), json!(zeros.len()))).collect();
    for name in &names {
        zip.start_file(name.as_str(), SimpleFileOptions::default()).expect("memory");
        zip.write_all(&zeros).expect("memory");
    }
    let manifest = json!({ "kiln_pack": 1, "scene": "0.bin", "entries": entries });
    zip.start_file("kiln-pack.json", SimpleFileOptions::default()).expect("memory");
    zip.write_all(manifest.to_string().as_bytes()).expect("memory");
    let bytes = zip.finish().expect("memory").into_inner();
    let input = Input::new(&[("a.zip", &bytes)]);
    assert!(
        input
            .read("a.zip")
            .expect_err("it is too large")
            .contains("is the most for a file of")
    );
    let _ = fs::remove_file(input.path("a.zip"));
}
