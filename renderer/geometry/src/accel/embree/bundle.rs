//! The Embree library embedded in the program: compressed files, unpacked once into a cache folder.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use sha2::{Digest as _, Sha256};

use renderer_base::cache;
use renderer_base::files::read_regular;

/// Embree and its dependencies, packed by the build script.
#[derive(Debug)]
pub struct Bundle {
    /// Name of its folder in the user's cache, which depends on its content.
    pub folder: &'static str,
    /// Files, the library first; empty if the program contains no Embree.
    pub files: &'static [PackedFile],
}

/// A compressed file.
#[derive(Debug)]
pub struct PackedFile {
    /// File name.
    pub name: &'static str,
    /// Unpacked size [bytes].
    pub size: u64,
    /// SHA-256 of the unpacked file.
    pub sha256: [u8; 32],
    /// Contents as a zlib stream.
    pub zlib: &'static [u8],
}

/// Embree library packed by the build script; empty if the program uses the system's.
static EMBREE: Bundle = include!(concat!(env!("OUT_DIR"), "/embree.rs"));

/// File that records the status of the unpacked files at the last check of their hashes.
const STATUS_FILE: &str = "checked";

/// Returns the embedded Embree library, if the program has one.
pub fn carried() -> Option<&'static Bundle> {
    Some(&EMBREE).filter(|bundle| !bundle.files.is_empty())
}

impl PackedFile {
    /// The unpacked contents.
    ///
    /// # Errors
    /// When the program file is damaged.
    pub fn unpack(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.size as usize);
        ZlibDecoder::new(self.zlib).read_to_end(&mut bytes)?;
        if self.is(&bytes) {
            Ok(bytes)
        } else {
            Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} is damaged in the program", self.name),
            ))
        }
    }

    /// Returns whether these bytes are its content.
    fn is(&self, bytes: &[u8]) -> bool {
        bytes.len() as u64 == self.size && <[u8; 32]>::from(Sha256::digest(bytes)) == self.sha256
    }
}

impl Bundle {
    /// Folder of the unpacked libraries in the user's cache.
    pub(super) fn cache_folder(&self) -> Option<PathBuf> {
        let cache = cache::folder()?;
        Some(cache.join("kiln").join(self.folder))
    }

    /// Writes missing or changed files into `folder`, each atomically, so that programs can start at the same time.
    /// Returns the path of the library.
    ///
    /// # Errors
    /// If files cannot be written, or other users can change the folder.
    pub(super) fn unpack_into(&self, folder: &Path) -> io::Result<PathBuf> {
        cache::make_private(folder)?;
        let record = folder.join(STATUS_FILE);
        let is_known = |status: String| read_regular(&record).is_ok_and(|known| known == status.as_bytes());
        if !self.status(folder).is_some_and(is_known) {
            // Dependencies are written before the library, so that an existing library is complete.
            for file in self.files.iter().rev() {
                let path = folder.join(file.name);
                if !read_regular(&path).is_ok_and(|bytes| file.is(&bytes)) {
                    write(&file.unpack()?, &path)?;
                }
            }
            if let Some(status) = self.status(folder) {
                // Without the record, the next start hashes again.
                let _ = write(status.as_bytes(), &record);
            }
        }
        Ok(folder.join(self.files[0].name))
    }

    /// Status of the files in a folder: inode, size, and the time of change, which users cannot set. Equal status
    /// implies equal content and avoids hashing 40 MB. `None` on systems without such a time.
    fn status(&self, folder: &Path) -> Option<String> {
        let files = self.files.iter();
        files.map(|file| status(&folder.join(file.name))).collect()
    }
}

#[cfg(unix)]
fn status(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let of = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let (device, inode, size) = (of.dev(), of.ino(), of.size());
    Some(format!("{device} {inode} {size} {} {}\n", of.ctime(), of.ctime_nsec()))
}

#[cfg(not(unix))]
fn status(_: &Path) -> Option<String> {
    None
}

fn write(bytes: &[u8], path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".part-");
    // Other users can read the files, but not change them.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut part = builder.tempfile_in(folder)?;
    part.write_all(bytes)?;
    // After a power failure, a file with its final name and size also has its contents.
    part.as_file().sync_all()?;
    part.persist(path)?;
    Ok(())
}
