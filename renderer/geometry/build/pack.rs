//! Packs Embree for the program to carry: compressed files, and a line of Rust that includes them.
//!
//! `cargo install` copies a single file, so what the program needs has to be in it. `accel/embree/bundle.rs` includes the
//! line; only programs that use its value (`kiln`, not the tests) contain the files.

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

/// Writes `embree.rs` into `out`: an expression of the type `Bundle` that holds `library` and the TBB
/// beside it, or nothing when there is no `library` to carry.
pub(crate) fn pack(library: Option<&Path>, out: &Path) -> io::Result<()> {
    let mut files = vec![];
    if let Some(library) = library {
        files = libraries(library)?;
        let licence = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../LICENSE-APACHE");
        files.push(("LICENSE-APACHE".to_owned(), fs::read(licence)?));
        files.push(("NOTICE".to_owned(), NOTICE.into()));
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
    let id: String = digest.finalize()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    fs::write(
        out.join("embree.rs"),
        format!("Bundle {{ id: {id:?}, files: &[{list}] }}\n"),
    )
}

/// The library and, from the same folder, the TBB that it may need. The library is the first.
fn libraries(library: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let name_of = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
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
    let named = ["libtbb.", "libtbb-", "tbb12"]
        .iter()
        .any(|start| name.starts_with(start));
    let shared = [".so.12", ".dylib", ".dll"].iter().any(|end| name.ends_with(end));
    named && shared && name.contains("12")
}
