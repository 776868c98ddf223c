//! Wheel of the Python package index that contains Open Image Denoise: file, libraries and SHA-256 by platform.

use std::path::{Path, PathBuf};

use renderer_base::cache;
use renderer_base::files::read_regular;
use sha2::{Digest as _, Sha256};

/// Name of the wheel.
pub(super) const WHEEL: &str = "pyoidn==2.5.1.0";

/// Version of the library that it contains.
const VERSION: &str = "2.5.1";

/// The wheel of a platform.
pub(super) struct Wheel {
    /// Platform tag of pip.
    pub(super) platform: &'static str,
    /// SHA-256 of the wheel.
    pub(super) sha256: &'static str,
    /// Folder of the libraries in the wheel.
    pub(super) folder: &'static str,
    /// File names and SHA-256 of the libraries: the one to open, then the CPU device and its dependencies.
    pub(super) files: [(&'static str, &'static str); 4],
}

/// The wheel of this platform, if there is one.
pub(super) const OWN: Option<&Wheel> = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    Some(&LINUX)
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    Some(&MACOS)
} else if cfg!(all(windows, target_arch = "x86_64")) {
    Some(&WINDOWS)
} else {
    None
};

const LINUX: Wheel = Wheel {
    platform: "manylinux2014_x86_64",
    sha256: "32ad13368f8de1ef63001942ad05b02a00cd732d1206d97f352d3a3f606d823e",
    folder: "pyoidn/oidn/lib/",
    files: [
        (
            "libOpenImageDenoise.so.2",
            "8f8b88740eb4bec96c0d0aa84ad54758b3732ed4529ee77af7892e7df618ef79",
        ),
        (
            "libOpenImageDenoise_core.so.2.5.1",
            "34282521f0456c67e1005a1b2c29b65845223af354f173c0e7993c545cab033e",
        ),
        (
            "libOpenImageDenoise_device_cpu.so.2.5.1",
            "9d43cabeaba31afe9d571c449625d76cf35b72398b7138204c41a688fbb50d11",
        ),
        (
            "libtbb.so.12",
            "2c1fcbc65a33771a5e02a201734774252528e10f57cef9e2f902fe209c0319e1",
        ),
    ],
};

const MACOS: Wheel = Wheel {
    platform: "macosx_12_0_arm64",
    sha256: "ed803c20333d37873678d69abf1e3546e89dbaf4639408b7c92173e11b6355cb",
    folder: "pyoidn/oidn/lib/",
    files: [
        (
            "libOpenImageDenoise.2.dylib",
            "c735579f570f32659f2626cb7165bb0d81a3d1284f93e1eb6d4037971d05789e",
        ),
        (
            "libOpenImageDenoise_core.2.5.1.dylib",
            "9089529de33c3d5e0fd070e5aa0659e5b672b2d510e2944943f83c7bb9343537",
        ),
        (
            "libOpenImageDenoise_device_cpu.2.5.1.dylib",
            "68b9900563aa68d89e55a16d2a1dc22e41a8f6efa20c9aae7ac21008650db23b",
        ),
        (
            "libtbb.12.dylib",
            "1fbe446c604e4b390d1dcdee0ba8b6b78358bf3cad9357a86dc3ffa01c923e3c",
        ),
    ],
};

const WINDOWS: Wheel = Wheel {
    platform: "win_amd64",
    sha256: "b2581998442134b04a20c0c914a8538c40bda4989055b487c25602b627f6616e",
    folder: "pyoidn/oidn/bin/",
    files: [
        (
            "OpenImageDenoise.dll",
            "64ceb78b1e10342a5323ead6f346d7f2b2e1c69fe17c399bebbcef3df26bed16",
        ),
        (
            "OpenImageDenoise_core.dll",
            "18557e4424297ed892f2a0285dd565ec9065234a84bac1b84d16fd995371a422",
        ),
        (
            "OpenImageDenoise_device_cpu.dll",
            "e22617f115ae4056c3417983545aebed1d75ac7c1baca086c39d18a84bf47d78",
        ),
        ("tbb12.dll", "454ea95817cd33b837540bbfe21f6bf415f6fbf2ad712c2353896d17492e763d"),
    ],
};

impl Wheel {
    /// Folder of the libraries in the user's cache. Its last part is `lib`: the libraries look for each other in `../lib`.
    pub(super) fn cache_folder(&self) -> Option<PathBuf> {
        let name = format!("oidn-{VERSION}-{}", self.platform);
        Some(cache::folder()?.join("kiln").join(name).join("lib"))
    }

    /// Checks that the libraries in `folder` are those of the wheel. Returns the path of the one to open.
    pub(super) fn check(&self, folder: &Path) -> Result<PathBuf, (PathBuf, String)> {
        cache::check_private(folder).map_err(|error| (folder.to_owned(), error.to_string()))?;
        for (name, sha256) in &self.files {
            let path = folder.join(name);
            match read_regular(&path) {
                Ok(bytes) if sha256_of(&bytes) == *sha256 => {}
                Ok(_) => return Err((path, "its SHA-256 is not the known one".to_owned())),
                Err(error) => return Err((path, error.to_string())),
            }
        }
        Ok(folder.join(self.files[0].0))
    }
}

/// SHA-256 as hexadecimal digits.
pub(super) fn sha256_of(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
