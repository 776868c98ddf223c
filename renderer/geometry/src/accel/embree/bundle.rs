//! The Embree library embedded in the program: compressed files, unpacked once into a cache folder.

use std::env;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::read::ZlibDecoder;

/// Embree and its dependencies, packed by the build script.
#[derive(Debug)]
pub struct Bundle {
    /// Tells one bundle from another: part of a hash of its content.
    pub id: &'static str,
    /// Its files, the library first; none when the program carries no Embree.
    pub files: &'static [PackedFile],
}

/// A compressed file.
#[derive(Debug)]
pub struct PackedFile {
    /// Its name.
    pub name: &'static str,
    /// Its size when unpacked [bytes].
    pub size: u64,
    /// Its content as a zlib stream.
    pub zlib: &'static [u8],
}

/// The Embree that the build found, packed by the build script; empty if it is the system's.
pub static EMBREE: Bundle = include!(concat!(env!("OUT_DIR"), "/embree.rs"));

static CARRIED: OnceLock<&Bundle> = OnceLock::new();

/// Registers the embedded bundle; to be called before the first scene is built. Libraries and tests have none.
pub fn carry(bundle: &'static Bundle) {
    // A second call would be about the same program.
    let _ = CARRIED.set(bundle);
}

/// Returns the embedded Embree library, if the program has one.
pub fn carried() -> Option<&'static Bundle> {
    CARRIED.get().copied().filter(|bundle| !bundle.files.is_empty())
}

impl PackedFile {
    /// Its content.
    ///
    /// # Errors
    /// When the program file is damaged.
    pub fn unpack(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.size as usize);
        ZlibDecoder::new(self.zlib).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == self.size {
            Ok(bytes)
        } else {
            Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} is damaged in the program", self.name),
            ))
        }
    }
}

impl Bundle {
    /// Folder of the unpacked libraries in the user's cache.
    pub(super) fn cache_folder(&self) -> Option<PathBuf> {
        let folder = |name: &str| {
            env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let cache = if cfg!(windows) {
            folder("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            folder("HOME").map(|home| home.join("Library/Caches"))
        } else {
            folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
        }?;
        Some(cache.join("kiln").join(format!("embree-{}", self.id)))
    }

    /// Puts those files into `folder` that are missing there or cut short, each whole or not at all, so that programs
    /// that start at the same time do not hinder each other. Returns the path of the library.
    pub(super) fn unpack_into(&self, folder: &Path) -> io::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        // Dependencies are written before the library: if the library is there, so are they.
        for file in self.files.iter().rev() {
            let path = folder.join(file.name);
            let whole = fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() == file.size);
            if !whole {
                write(file, &path)?;
            }
        }
        Ok(folder.join(self.files[0].name))
    }
}

fn write(file: &PackedFile, path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".part-");
    // Temporary files are private by default; a cache may be one that several users share.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut part = builder.tempfile_in(folder)?;
    io::Write::write_all(&mut part, &file.unpack()?)?;
    // A file that has its name and its size after a power failure has its content, too.
    part.as_file().sync_all()?;
    part.persist(path)?;
    Ok(())
}
