//! The language: preprocessor, parser, checker, linker and optimiser, without execution.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use renderer::material::Host;
use renderer::scene::build::shading_system;
use shading::{InstanceOptions, Preprocessor, Source};

fuzz_target!(|text: &str| {
    let system = shading_system(Arc::new(Host::new(vec![])), Preprocessor::default());
    if let Ok(loaded) = system.load(Source::new("fuzz.ksl", text)) {
        for template in loaded.templates {
            let _ = system.instantiate(template, &InstanceOptions::default());
        }
    }
});
