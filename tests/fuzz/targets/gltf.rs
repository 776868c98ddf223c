//! Binary glTF; `fuzz.gltf` is read by the same code.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fuzz::load_as("fuzz.glb", bytes));
