//! Reference compilation: the unit of time for bounds of compile time.
//!
//! A bound in seconds fails on a slow processor. The ratio to the compile time of a fixed text in the same process
//! depends neither on the processor nor on the compiler's optimisation level.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use shading::{InstanceOptions, Source};

use crate::clock::thread_seconds;
use crate::generate::TestHost;
use crate::shipped;

/// Statements of the reference text, 12 KB in total.
const STATEMENTS: usize = 200;

/// Number of measurements; the minimum counts.
const TRIES: usize = 5;

/// Processor time of the reference compilation in this process, in seconds; 0 if the system does not measure threads.
pub fn reference_seconds() -> f64 {
    static SECONDS: OnceLock<f64> = OnceLock::new();
    *SECONDS.get_or_init(|| (0..TRIES).map(|_| compile()).fold(f64::INFINITY, f64::min))
}

fn compile() -> f64 {
    let system = shipped::unverified_system(Arc::new(TestHost));
    let start = thread_seconds();
    let loaded = system.load(Source::new("reference.ksl", text()));
    let template = loaded.expect("the text is valid").templates.pop();
    let instance = system.instantiate(template.expect("there is a unit"), &InstanceOptions::default());
    assert!(instance.is_ok());
    thread_seconds() - start
}

/// A unit whose statements the optimiser can neither merge nor remove.
fn text() -> String {
    let mut text = "shader reference(float scale = 2, output color result = 0)\n{\n".to_owned();
    for i in 0..STATEMENTS {
        let _ = writeln!(
            text,
            "    result = mix(result * {i}.25 + color(u, v, scale), color(sin(u * {i}), 0, 1), v);"
        );
    }
    text.push_str("}\n");
    text
}
