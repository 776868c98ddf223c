//! Mitsuba 3 scenes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fuzz::load_as("fuzz.xml", bytes));
