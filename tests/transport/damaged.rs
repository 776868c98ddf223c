//! Fuzzing of shader sources with the renderer's host, like `language/damaged.rs`; and the list of closures for the
//! tests of the language.

use std::fs;
use std::sync::Arc;

use language_support::{damage, shipped};
use renderer::material::{Host, closure_registry};
use renderer::scene::build::shading_system;
use shading::Preprocessor;

/// Number of texts without a time limit.
const TEXTS: u64 = 1000;

#[test]
fn damaged_shaders_are_refused_or_run() {
    damage::fuzz(TEXTS, || shading_system(Arc::new(Host::new(vec![])), Preprocessor::default()));
}

#[test]
fn closures_are_those_of_the_renderer() {
    let registry = closure_registry();
    let lines = registry.iter().map(|(_, signature)| shipped::line(signature) + "\n");
    let expected: String = lines.collect();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(shipped::signature_file(), &expected).unwrap();
        return;
    }
    let found = fs::read_to_string(shipped::signature_file()).unwrap();
    assert_eq!(found, expected, "UPDATE=1 writes the list");
    let same = registry.iter().eq(shipped::closures().iter());
    assert!(same, "a line means another closure");
}
