//! OpenVDB, NanoVDB, volumes of Mitsuba.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use renderer::grid::{GridChoice, GridFile};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(file) = GridFile::parse(bytes.to_vec(), Path::new("fuzz.vdb")) {
        for index in 0..file.entries().len() {
            let _ = file.load(&GridChoice::Index(index));
        }
    }
});
