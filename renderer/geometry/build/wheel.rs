//! Wheels of the Python package index that contain Embree: file, libraries and SHA-256 by platform.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

/// Name of the wheel.
pub(crate) const WHEEL: &str = "embreex==4.4.0.post1";

/// Version of Embree that it contains.
const VERSION: &str = "4.4.0";

/// The wheel of a platform, for any version of Python.
pub(crate) struct Wheel {
    /// Name of the platform in pip.
    pub(crate) platform: &'static str,
    /// SHA-256 of the wheel.
    sha256: &'static str,
    /// Folder of the libraries in the wheel.
    folder: &'static str,
    /// The libraries with their SHA-256, Embree first.
    files: &'static [(&'static str, &'static str)],
}

const LINUX: Wheel = Wheel {
    platform: "manylinux_2_28_x86_64",
    sha256: "2cd0f7d5c6342e6247e31f700761689cae7829454d8c6de0c41e62124a023e1f",
    folder: "embreex.libs/",
    files: &[
        (
            "libembree4-4aef3270.so.4",
            "aa4eb9d81e30237d032418832efd9caee19bead50f49939fb08347a053898c7a",
        ),
        (
            "libtbb-dcf63f8c.so.12",
            "08d7ce01dcce5c49f874ee91ba8dad75ee3aa1838d5ce8a92f5b2ec98b9df2ed",
        ),
    ],
};

const MACOS_ARM: Wheel = Wheel {
    platform: "macosx_14_0_arm64",
    sha256: "3ed370224566681071f245bbc5104feebee1354097679ab69cb3a70c94633cb3",
    folder: "embreex/.dylibs/",
    files: &[
        (
            "libembree4.4.dylib",
            "5227fa4bae2e8388075251e0c852b86810d205826d276de90dc09c44d56ad267",
        ),
        (
            "libtbb.12.11.dylib",
            "00cdae7fc656fc502b1f6cd64f2b56b37326814dc53a1a2c52dc6e4012ccc81d",
        ),
    ],
};

const MACOS_X86: Wheel = Wheel {
    platform: "macosx_13_0_x86_64",
    sha256: "85d9b232805e95be845ee5d77ddea4e6b21c992b7e60fa7bdf4f578b84797a15",
    folder: "embreex/.dylibs/",
    files: &[
        (
            "libembree4.4.dylib",
            "ab87941699d25a2ae480498327205672c350a6fe02ed835e069fdedb9dab4af2",
        ),
        (
            "libtbb.12.11.dylib",
            "04a833054a6f22f4e3b7ced1b46b71a1bf8c6be041dd1b669f3cf4fd222dbf55",
        ),
    ],
};

const WINDOWS: Wheel = Wheel {
    platform: "win_amd64",
    sha256: "3df27becf6a12b59f5a469bc5271622e26387d52a15880edd29aa564246e7176",
    folder: "embreex.libs/",
    files: &[
        (
            "embree4.dll",
            "76dafa573a9db474443c3ad8047a54ca7d29e7c85040610e18dc9696f4896488",
        ),
        ("tbb12.dll", "edb286367c749334767f7c706f6409e1480cb1aee8bf2df5f96e6fa742b53c16"),
        // Both libraries link to this copy of the C++ library by its name.
        (
            "msvcp140-a4c2229bdc2a2a630acdc095b4d86008.dll",
            "a4c2229bdc2a2a630acdc095b4d86008e5c3e3bc7773174354f3da4f5beb9cde",
        ),
    ],
};

/// Modification time of unpacked files (1980, as in archives). Cargo runs the build script again, and compiles its
/// dependents, if the library is newer than the last run.
const LONG_AGO: Duration = Duration::from_secs(315_532_800);

impl Wheel {
    /// The wheel of a platform, if there is one.
    pub(crate) fn of(os: &str, arch: &str) -> Option<&'static Wheel> {
        match (os, arch) {
            ("linux", "x86_64") => Some(&LINUX),
            ("macos", "aarch64") => Some(&MACOS_ARM),
            ("macos", "x86_64") => Some(&MACOS_X86),
            ("windows", "x86_64") => Some(&WINDOWS),
            _ => None,
        }
    }

    /// Name of the folder of the unpacked wheel in the user's cache.
    pub(crate) fn cache_name(&self) -> String {
        format!("embree-{VERSION}-{}", self.platform)
    }

    /// Name of the library to open.
    pub(crate) fn library(&self) -> &'static str {
        self.files[0].0
    }

    /// Reads the libraries of an unpacked wheel; `None` if one is missing or differs.
    pub(crate) fn read(&self, folder: &Path) -> Option<Vec<(String, Vec<u8>)>> {
        let read = |(name, sha256): &(&str, &str)| {
            let path = folder.join(name);
            let bytes = path.is_file().then(|| fs::read(path).ok())??;
            (sha256_of(&bytes) == *sha256).then(|| ((*name).to_owned(), bytes))
        };
        self.files.iter().map(read).collect()
    }

    /// Unpacks the libraries of a downloaded wheel into `to`.
    pub(crate) fn unpack(&self, file: &Path, to: &Path) -> Result<(), String> {
        let found = fs::read(file).map(|bytes| sha256_of(&bytes));
        let found = found.map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        if found != self.sha256 {
            return Err(format!(
                "the fetched {} is not the known one: its SHA-256 is {found}, not {}",
                file.display(),
                self.sha256
            ));
        }
        let unpacked = File::open(file).and_then(|file| self.unpack_archive(file, to));
        unpacked.map_err(|error| format!("cannot unpack the wheel into {}: {error}", to.display()))
    }

    fn unpack_archive(&self, file: File, to: &Path) -> io::Result<()> {
        let mut archive = zip::ZipArchive::new(file).map_err(io::Error::other)?;
        for (name, _) in self.files {
            let path = format!("{}{name}", self.folder);
            let mut entry = archive.by_name(&path).map_err(io::Error::other)?;
            let mut bytes = vec![];
            entry.read_to_end(&mut bytes)?;
            write_old(&to.join(name), &bytes)?;
        }
        Ok(())
    }
}

/// Writes a file with this modification time.
pub(crate) fn write_old(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(path, bytes)?;
    File::options()
        .write(true)
        .open(path)?
        .set_modified(SystemTime::UNIX_EPOCH + LONG_AGO)
}

fn sha256_of(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
