//! Packs Embree for embedding: compressed files, and a Rust expression that includes them.
//!
//! `cargo install` copies a single file, which must contain the library. `accel/embree/bundle.rs` includes the
//! expression; only programs that use its value (`kiln`, not the tests) contain the files.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};

/// Licence notice that accompanies every copy of the libraries.
const NOTICE: &str = "\
Kiln comes with two libraries of others, unmodified but for their file names:

    Embree      https://github.com/RenderKit/embree       Copyright Intel Corporation
    oneTBB      https://github.com/uxlfoundation/oneTBB   Copyright Intel Corporation

Both are under the Apache License, Version 2.0: see LICENSE-APACHE. Embree's and oneTBB's own notices about parts that
they took from others are the files `third-party-programs*.txt` of these repositories.
";

/// Texts that accompany the libraries.
pub(crate) const TEXTS: [(&str, &[u8]); 2] = [
    ("LICENSE-APACHE", include_bytes!("../../../LICENSE-APACHE")),
    ("NOTICE", NOTICE.as_bytes()),
];

/// An embedded library with its dependencies.
pub(crate) struct Carried {
    /// Names and contents, the library first.
    libraries: Vec<(String, Vec<u8>)>,
    /// Name of its folder in the user's cache, if the build has made one.
    folder: Option<String>,
}

impl Carried {
    pub(crate) fn new(libraries: Vec<(String, Vec<u8>)>, folder: Option<String>) -> Carried {
        Carried { libraries, folder }
    }

    /// A library and, from the same folder, the TBB that it may need.
    pub(crate) fn of(library: &Path) -> io::Result<Carried> {
        Ok(Carried::new(libraries(library)?, None))
    }
}

/// Writes `embree.rs` into `out`: an expression of the type `Bundle` that holds the files, or none.
pub(crate) fn pack(carried: Option<&Carried>, out: &Path) -> io::Result<()> {
    let mut files: Vec<(&str, &[u8])> = vec![];
    if let Some(carried) = carried {
        files.extend(carried.libraries.iter().map(|(name, bytes)| (&**name, &**bytes)));
        files.extend(TEXTS);
    }
    let mut digest = Sha256::new();
    let mut list = String::new();
    for (index, (name, bytes)) in files.iter().enumerate() {
        let packed = out.join(format!("embree-{index}.zlib"));
        let mut encoder = ZlibEncoder::new(vec![], Compression::default());
        encoder.write_all(bytes)?;
        let compressed = encoder.finish()?;
        digest.update(name);
        digest.update(&compressed);
        fs::write(&packed, compressed)?;
        // Writing to a string cannot fail.
        let _ = write!(
            list,
            "PackedFile {{ name: {name:?}, size: {}, sha256: {:?}, zlib: include_bytes!({packed:?}) }}, ",
            bytes.len(),
            <[u8; 32]>::from(Sha256::digest(bytes))
        );
    }
    let id: String = digest.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let folder = carried.and_then(|carried| carried.folder.clone());
    let folder = folder.unwrap_or_else(|| format!("embree-{id}"));
    fs::write(
        out.join("embree.rs"),
        format!("Bundle {{ folder: {folder:?}, files: &[{list}] }}\n"),
    )
}

/// The library and, from the same folder, the TBB that it may need. The library is the first.
fn libraries(library: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let name_of = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = vec![(name_of(library), fs::read(library)?)];
    let folder = library.parent().unwrap_or(Path::new(""));
    let mut tbb: Vec<PathBuf> = fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_tbb(&name_of(path)))
        .collect();
    tbb.sort();
    for path in tbb {
        files.push((name_of(&path), fs::read(&path)?));
    }
    Ok(files)
}

/// Returns whether `name` is the file name under which libraries link to TBB 12: neither the one with the full version
/// nor that of TBB's allocator.
fn is_tbb(name: &str) -> bool {
    let named = ["libtbb.", "libtbb-", "tbb12"].iter().any(|start| name.starts_with(start));
    let shared = [".so.12", ".dylib", ".dll"].iter().any(|end| name.ends_with(end));
    named && shared && name.contains("12")
}
