//! Packs: ZIP archives of a scene with its files, validated when opened and read in place.
//!
//! A pack is a ZIP archive with a [`Manifest`]. Stored entries are read in place, so that tiles of large textures are
//! read one by one; deflated entries are unpacked in memory on demand. Nothing is written to the disk. Archives are
//! untrusted: names, sizes and checksums are validated before use.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use thiserror::Error;
use zip::{CompressionMethod, ZipArchive};

use super::disk::open_regular;
use super::manifest::{MANIFEST, Manifest};
use super::path::{absolute, is_inside, key_of, normal};
use super::reader::{FileReader, Section};
use super::{Budget, BudgetKind, OverBudget};
use crate::memory;

/// A pack that cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot open {}: {reason}", path.display())]
pub struct PackError {
    /// The archive.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

/// An open pack.
#[derive(Debug)]
pub struct Pack {
    path: PathBuf,
    /// The absolute form of `path`.
    absolute: PathBuf,
    file: Arc<File>,
    entries: BTreeMap<String, PackEntry>,
    manifest: Manifest,
}

/// Position, sizes and checksum of an entry's bytes in the archive.
#[derive(Clone, Copy, Debug)]
struct PackEntry {
    start: u64,
    packed: u64,
    size: u64,
    crc: u32,
    deflated: bool,
}

/// Target of a path in a pack.
pub(super) enum PackNode {
    Entry(String),
    Folder,
}

/// Returns whether the extension of a path is that of a pack.
pub fn is_pack(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip"))
}

impl Pack {
    /// Opens a pack.
    ///
    /// # Errors
    /// If the file cannot be read, is not a pack, is damaged, or has an invalid entry.
    pub fn open(path: &Path) -> Result<Arc<Pack>, PackError> {
        let fail = |reason: String| PackError { path: path.to_owned(), reason };
        let file = open_regular(path).map_err(|error| fail(error.to_string()))?;
        let mut entries = read_entries(&file).map_err(fail)?;
        let file = Arc::new(file);
        let manifest = entries
            .remove(MANIFEST)
            .ok_or_else(|| fail(format!("it is not a pack: it has no {MANIFEST}")))?;
        check_size(MANIFEST, &manifest).map_err(fail)?;
        let manifest = manifest
            .bytes(&file)
            .map_err(|error| error.to_string())
            .and_then(|bytes| Manifest::parse(&bytes))
            .map_err(|reason| fail(format!("{MANIFEST}: {reason}")))?;
        check_manifest(&manifest, &entries).map_err(fail)?;
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        check_unpacked(&entries, size).map_err(|excess| fail(excess.to_string()))?;
        Ok(Arc::new(Pack {
            path: path.to_owned(),
            absolute: absolute(path),
            file,
            entries,
            manifest,
        }))
    }

    /// The archive, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The path of its scene.
    pub fn scene(&self) -> PathBuf {
        self.path.join(&self.manifest.scene)
    }

    /// Returns the entry or folder at an absolute path; `None` if there is neither.
    pub(super) fn find(&self, asked: &Path) -> Option<PackNode> {
        let key = self.key(asked)?;
        if let Some(entry) = self.manifest.paths.get(&key) {
            return Some(PackNode::Entry(entry.clone()));
        }
        if let Some(entry) = normal(&key).filter(|name| self.entries.contains_key(name)) {
            return Some(PackNode::Entry(entry));
        }
        let is_folder = self.manifest.folders.contains(&key) || !self.list_key(&key, true).is_empty();
        is_folder.then_some(PackNode::Folder)
    }

    /// The names of the files in a folder.
    pub(super) fn list(&self, folder: &Path) -> Vec<String> {
        self.key(folder).map(|key| self.list_key(&key, false)).unwrap_or_default()
    }

    /// The names of the files in a folder; of its folders, too, if they are wanted.
    fn list_key(&self, folder: &str, with_folders: bool) -> Vec<String> {
        let beneath = |name: &str, folder: &str| {
            let rest = match folder {
                "" => name,
                folder => name.strip_prefix(folder)?.strip_prefix('/')?,
            };
            let first = rest.split('/').next()?;
            (with_folders || first == rest).then(|| first.to_owned())
        };
        let folder_entry = normal(folder);
        let entries = self.entries.keys().filter_map(|name| beneath(name, folder_entry.as_deref()?));
        let paths = self.manifest.paths.keys().filter_map(|name| beneath(name, folder));
        let mut names: Vec<String> = entries.chain(paths).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The manifest's form of an absolute path: below the archive that from its root on, else the whole path.
    fn key(&self, asked: &Path) -> Option<String> {
        match asked.strip_prefix(&self.absolute) {
            Ok(rest) => key_of(rest),
            Err(_) => key_of(asked),
        }
    }

    /// The bytes of an entry.
    pub(super) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.entry(name)?.bytes(&self.file)
    }

    /// Opens an entry to read parts of it.
    pub(super) fn open_entry(pack: &Arc<Pack>, name: &str) -> io::Result<FileReader> {
        let entry = pack.entry(name)?;
        if entry.deflated {
            return Ok(FileReader::memory(entry.bytes(&pack.file)?));
        }
        Ok(FileReader::section(entry.section(&pack.file)))
    }

    fn entry(&self, name: &str) -> io::Result<PackEntry> {
        let entry = self.entries.get(name).copied();
        entry.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl PackEntry {
    fn section(&self, file: &Arc<File>) -> Section {
        Section::new(file.clone(), self.start, self.packed)
    }

    fn bytes(&self, file: &Arc<File>) -> io::Result<Vec<u8>> {
        let section = self.section(file);
        // Reading one more byte than the size detects longer data.
        let (bytes, crc) = if self.deflated {
            all_of(DeflateDecoder::new(section).take(self.size + 1))
        } else {
            all_of(section.take(self.size + 1))
        }?;
        if bytes.len() as u64 != self.size || crc != self.crc {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "its data in the archive are damaged",
            ));
        }
        Ok(bytes)
    }
}

/// Reads the bytes of a stream and their CRC-32.
fn all_of(source: impl Read) -> io::Result<(Vec<u8>, u32)> {
    let mut source = CrcReader::new(source);
    let mut bytes = vec![];
    source.read_to_end(&mut bytes)?;
    Ok((bytes, source.crc().sum()))
}

/// The entries of an archive, folders left out, once each has a name that stays within it and is readable.
fn read_entries(file: &File) -> Result<BTreeMap<String, PackEntry>, String> {
    let wrong = |error: &dyn ToString| format!("it is not a ZIP archive, or damaged: {}", error.to_string());
    let mut archive = ZipArchive::new(file).map_err(|error| wrong(&error))?;
    if archive.has_duplicate_names() {
        return Err("two of its entries have the same name".to_owned());
    }
    if archive.has_overlapping_entries().map_err(|error| wrong(&error))? {
        return Err("its entries overlap".to_owned());
    }
    let mut entries = BTreeMap::new();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(|error| wrong(&error))?;
        let name = entry.name().map_err(|error| wrong(&error))?.into_owned();
        let refuse = |what: &str| Err(format!("its entry `{}` {what}", name.escape_debug()));
        if entry.is_symlink() {
            return refuse("is a link");
        }
        if entry.encrypted() {
            return refuse("is encrypted");
        }
        if !is_inside(&name) {
            return refuse("has a name that leads out of the archive");
        }
        if entry.is_dir() {
            continue;
        }
        let deflated = match entry.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            _ => return refuse("is compressed by another method than deflate"),
        };
        let Some(start) = entry.data_start() else {
            return refuse("has no data");
        };
        let entry = PackEntry {
            start,
            packed: entry.compressed_size(),
            size: entry.size(),
            crc: entry.crc32(),
            deflated,
        };
        entries.insert(name, entry);
    }
    Ok(entries)
}

/// Checks that the entries are those that the manifest lists.
fn check_manifest(manifest: &Manifest, entries: &BTreeMap<String, PackEntry>) -> Result<(), String> {
    for (name, entry) in entries {
        match manifest.entries.get(name) {
            None => return Err(format!("{MANIFEST} does not list its entry `{name}`")),
            Some(size) if *size != entry.size => {
                let found = entry.size;
                return Err(format!("its entry `{name}` has {found} bytes, and {size} by {MANIFEST}"));
            }
            Some(_) => check_size(name, entry)?,
        }
    }
    let named = manifest.entries.keys().chain(manifest.paths.values());
    for name in named.chain([&manifest.scene]) {
        if !entries.contains_key(name) {
            return Err(format!("it has no entry `{name}`, which {MANIFEST} lists"));
        }
    }
    Ok(())
}

/// Checks that the unpacked entries are within the budget of an archive of `size` bytes.
fn check_unpacked(entries: &BTreeMap<String, PackEntry>, size: u64) -> Result<(), OverBudget> {
    let budget = Budget::of(BudgetKind::Scene, size);
    let deflated = entries.values().filter(|entry| entry.deflated);
    deflated
        .map(|entry| usize::try_from(entry.size).unwrap_or(usize::MAX))
        .try_for_each(|size| budget.allocate("unpacked entries", size, 1))
}

/// Checks that the declared size of an entry is possible and fits into memory.
fn check_size(name: &str, entry: &PackEntry) -> Result<(), String> {
    /// Maximum expansion of deflate (258 bytes from a length and a distance of one bit each).
    const RATIO: u64 = 1032;
    let most = if entry.deflated {
        entry.packed.saturating_mul(RATIO)
    } else {
        entry.packed
    };
    if entry.size > most {
        return Err(format!("its entry `{name}` is cut off or damaged"));
    }
    if !entry.deflated {
        return Ok(());
    }
    let what = format!("the {} bytes of its entry `{name}`", entry.size);
    memory::check(what, entry.size).map_err(|error| error.to_string())
}
