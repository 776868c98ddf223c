//! Damaged files: an error or a grid, no panic, no large allocation.

use std::fs;
use std::path::Path;

use crate::fixture::{path, vol};
use renderer_grid::{GridChoice, GridFile};

/// Opens a file and decodes its first grids. What they take is bounded by the size of the file.
fn read(bytes: Vec<u8>) {
    let size = bytes.len();
    let Ok(file) = GridFile::parse(bytes, Path::new("damaged")) else {
        return;
    };
    for index in 0..file.entries().len().min(4) {
        if let Ok(grid) = file.load(&GridChoice::Index(index)) {
            assert!(grid.bytes() < 1000 * size + (1 << 21), "{} bytes of {size}", grid.bytes());
            let _ = grid.values(glam::Vec3::ONE);
            let _ = grid.max_in(grid.world_bounds());
        }
    }
}

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let names = [
        "smoke.vdb",
        "velocity.vdb",
        "tiles.vdb",
        "surface.vdb",
        "zip.vdb",
        "zip.nvdb",
        "blosc.nvdb",
    ];
    let mut list: Vec<_> = names.map(|name| (name.to_owned(), fs::read(path(name)).unwrap())).into();
    list.push(("a.vol".to_owned(), vol([5, 4, 3], 2, |_, _| 1.0)));
    list
}

/// Files that end early at any byte of their descriptions, and at many of the others.
#[test]
fn files_that_are_cut_short() {
    for (name, bytes) in fixtures() {
        let step = if bytes.len() > 8000 { 61 } else { 7 };
        for end in (0..bytes.len()).filter(|end| *end < 900 || end % step == 0) {
            let short = bytes[..end].to_vec();
            let is_error = match GridFile::parse(short, Path::new("short")) {
                Ok(file) => {
                    let load = |index| file.load(&GridChoice::Index(index));
                    (0..file.entries().len()).any(|index| load(index).is_err()) || file.entries().is_empty()
                }
                Err(_) => true,
            };
            assert!(is_error, "{name} is read up to byte {end} of {}", bytes.len());
        }
    }
}

/// Files with wrong bytes.
#[test]
fn files_with_wrong_bytes() {
    for (_, bytes) in fixtures() {
        let step = if bytes.len() > 8000 { 151 } else { 11 };
        for at in (0..bytes.len()).filter(|at| *at < 600 || at % step == 0) {
            let mut wrong = bytes.clone();
            wrong[at] ^= [0xff, 0x01, 0x80][at % 3];
            read(wrong);
        }
    }
}

/// Sizes in headers that the file cannot hold.
#[test]
fn lying_headers() {
    let mut bytes = vol([5, 4, 3], 1, |_, _| 1.0);
    for number in 0..3 {
        bytes[8 + 4 * number..][..4].copy_from_slice(&(1_i32 << 20).to_le_bytes());
    }
    let error = GridFile::parse(bytes, Path::new("lying.vol")).unwrap_err().to_string();
    assert_eq!(error, "volume 'lying.vol' is cut short: it ends in the values");
    let error = GridFile::parse(b"VDB".to_vec(), Path::new("a.vdb")).unwrap_err().to_string();
    assert_eq!(error, "'a.vdb' is not a file of OpenVDB, NanoVDB or Mitsuba's volumes");
}
