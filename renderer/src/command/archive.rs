//! `kiln archive`: writes a portable archive of the program with Embree and the licences.
//!
//! The unpacked program finds Embree in `../lib/kiln` and writes to no cache.

use std::env::consts::{ARCH, EXE_SUFFIX, OS};
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;

use renderer_cli::ArchiveArgs;
use renderer_geometry::accel::carried;
use renderer_image::{check_place, write_whole};
use renderer_pictures::summary;
use renderer_support::Failure;

/// Texts that go with the program.
const TEXTS: [(&str, &str); 4] = [
    ("README.md", include_str!("../../../README.md")),
    ("LICENSE-MIT", include_str!("../../../LICENSE-MIT")),
    ("LICENSE-APACHE", include_str!("../../../LICENSE-APACHE")),
    ("LICENSE-SKY", include_str!("../../base/src/sky/LICENSE")),
];

/// Time of the files: the beginning of 1980, as in packs, so that an archive depends only on its content [seconds since
/// 1970].
const TIME: u64 = 315_532_800;

pub(super) fn run(args: &ArchiveArgs) -> Result<(), Failure> {
    let name = format!("kiln-{}-{OS}-{ARCH}", env!("CARGO_PKG_VERSION"));
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.tar.gz")));
    check_extension(&path)?;
    check_place(&path)?;
    let Some(bundle) = carried() else {
        return Err(Failure::User(
            "error: this kiln carries no Embree: it was built with the one that the system's packages keep\n  \
             hint: build it with EMBREE_DIR set to the folder of an Embree 4 release"
                .to_owned(),
        ));
    };
    let start = Instant::now();
    let mut archive = Archive::new(&name);
    let program = std::fs::read(std::env::current_exe()?)?;
    archive.add(&format!("bin/kiln{EXE_SUFFIX}"), 0o755, &program)?;
    for file in bundle.files {
        archive.add(&format!("lib/kiln/{}", file.name), 0o644, &file.unpack()?)?;
    }
    for (file, text) in TEXTS {
        archive.add(file, 0o644, text.as_bytes())?;
    }
    write_whole(&path, &archive.finish()?)?;
    summary::archived(&path, &name, start.elapsed());
    Ok(())
}

fn check_extension(path: &Path) -> Result<(), Failure> {
    let name = path.to_string_lossy().to_lowercase();
    if name.ends_with(".tar.gz") || name.ends_with(".tgz") {
        return Ok(());
    }
    Err(Failure::User(format!(
        "error: {}: an archive's name ends in .tar.gz or .tgz",
        path.display()
    )))
}

/// A compressed tar archive of one folder, being written.
struct Archive {
    folder: String,
    builder: tar::Builder<GzEncoder<Vec<u8>>>,
}

impl Archive {
    fn new(folder: &str) -> Archive {
        Archive {
            folder: folder.to_owned(),
            builder: tar::Builder::new(GzEncoder::new(vec![], Compression::fast())),
        }
    }

    fn add(&mut self, path: &str, mode: u32, bytes: &[u8]) -> std::io::Result<()> {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(mode);
        header.set_mtime(TIME);
        self.builder.append_data(&mut header, format!("{}/{path}", self.folder), bytes)
    }

    fn finish(self) -> std::io::Result<Vec<u8>> {
        self.builder.into_inner()?.finish()
    }
}
