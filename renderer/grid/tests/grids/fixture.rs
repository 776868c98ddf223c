//! Fixtures, which `data/make.py` and `data/make.cpp` wrote with OpenVDB and NanoVDB.

use std::path::{Path, PathBuf};

use renderer_base::files::DiskFiles;
use renderer_grid::GridFile;

/// Path of a fixture.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A fixture, opened.
pub(crate) fn open(name: &str) -> GridFile {
    GridFile::read(&DiskFiles, &path(name)).unwrap()
}

/// The value of a voxel of the fixtures `density` and others.
pub(crate) fn ramp(x: i32, y: i32, z: i32) -> f32 {
    ((x * 3 + y * 5 + z * 7) % 64) as f32 / 64.0 + 0.25
}

/// A volume of Mitsuba, with values given by a function of voxel and channel.
pub(crate) fn vol([nx, ny, nz]: [i32; 3], channels: i32, value: impl Fn([i32; 3], i32) -> f32) -> Vec<u8> {
    let mut bytes = b"VOL\x03".to_vec();
    for number in [1, nx, ny, nz, channels] {
        bytes.extend(number.to_le_bytes());
    }
    for bound in [0.0_f32, 0.0, 0.0, 2.0, 1.0, 1.0] {
        bytes.extend(bound.to_le_bytes());
    }
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                for c in 0..channels {
                    bytes.extend(value([x, y, z], c).to_le_bytes());
                }
            }
        }
    }
    bytes
}
