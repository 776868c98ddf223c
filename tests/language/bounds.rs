//! Bounds of compilation: any text of 64 KB compiles within a bounded multiple of the time of a reference text, and within
//! 500 MB. The test is alone in its program, because it measures the memory of the process, and runs without the verifier.
//! `KILN_FUZZ_SECONDS=1800` runs for half an hour, `KILN_FUZZ_SEED` sets the seed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use language_support::clock::{peak_memory, reset_peak, thread_seconds};
use language_support::generate::{self, Random, TestHost, globals};
use language_support::reference::reference_seconds;
use language_support::scaled::Scaled;
use language_support::{number, shipped};
use shading::{CompileOptions, HostFunctions, InstanceOptions, ShaderInstance, ShadingContext, Source};

/// Number of texts tried if no duration is set.
const TEXTS: u64 = 100;
/// Maximum processor time to compile a text and to run its last unit or group at a few points, in reference compilations.
const MAX_REFERENCES: f64 = 100.0;
/// Processor time below which texts are not listed, in reference compilations.
const LISTED_REFERENCES: f64 = 40.0;
/// Maximum memory for the same [bytes].
const MAX_MEMORY: u64 = 500 << 20;
/// Repetitions after a measurement that exceeds a bound, because other programs may have slowed it down.
const TRIES: usize = 4;
/// Fuel of a run: loop iterations and calls.
const FUEL: u32 = 2000;
/// Number of points at which the compiled text runs.
const POINTS: u64 = 3;

/// Compiles a text and runs its last unit or group; returns whether this was possible.
fn compile_and_run(text: &str) -> bool {
    let system = shipped::unverified_system(Arc::new(TestHost));
    let Ok(loaded) = system.load(Source::new("scaled.ksl", text)) else {
        return false;
    };
    let Some(template) = loaded.templates.last() else {
        return false;
    };
    let Ok(instance) = system.instantiate(template.clone(), &InstanceOptions::default()) else {
        return false;
    };
    run(&instance, &mut system.context());
    true
}

fn run(instance: &ShaderInstance, context: &mut ShadingContext) {
    context.set_fuel(FUEL);
    for point in 0..POINTS {
        instance.run(&globals(point), context).unwrap();
    }
}

/// Compiles and runs a random unit.
fn compile_random(seed: u64) -> bool {
    let host = Arc::new(TestHost);
    let unit = generate::unit(seed);
    let options = CompileOptions::default();
    let functions = HostFunctions::of(host.clone());
    let Ok(instance) = ShaderInstance::compile(&unit, &generate::registry(), &functions, &options) else {
        return false;
    };
    run(&instance, &mut ShadingContext::new(host));
    true
}

/// Returns the processor time of some work [s], the memory of the whole process [bytes], and the result of the work.
fn measure(work: impl FnOnce() -> bool) -> (f64, u64, bool) {
    reset_peak();
    let start = thread_seconds();
    let result = work();
    (thread_seconds() - start, peak_memory(), result)
}

#[test]
fn texts_of_64_kb_compile_within_bounds() {
    let time = number("KILN_FUZZ_SECONDS").map(Duration::from_secs);
    let first = number("KILN_FUZZ_SEED").unwrap_or(1) << 32;
    let only = number("KILN_FUZZ_CASE");
    let (scaled, start) = (Scaled::default(), Instant::now());
    let (mut tried, mut ran, mut slowest, mut largest) = (0, 0, (0.0, 0), (0, 0));
    let mut wrong = vec![];
    let (listed, max) = (LISTED_REFERENCES * reference_seconds(), MAX_REFERENCES * reference_seconds());
    while time.map_or(tried < TEXTS, |time| start.elapsed() < time) {
        let case = only.unwrap_or(tried);
        let seed = first + case;
        let text = if seed.is_multiple_of(8) {
            None
        } else {
            Some(scaled.text(&mut Random::new(seed)))
        };
        let work = || text.as_ref().map_or_else(|| compile_random(seed), |text| compile_and_run(text));
        if let (Some(text), Some(_)) = (&text, only) {
            std::fs::write("case.ksl", text).expect("it can be written");
        }
        let (mut seconds, mut memory, it_ran) = measure(work);
        for _ in 0..TRIES {
            if seconds > listed || memory > MAX_MEMORY {
                let again = measure(work);
                (seconds, memory) = (seconds.min(again.0), memory.min(again.1));
            }
        }
        if seconds > listed || memory > MAX_MEMORY {
            println!("case {case}: {seconds:.2} s, {} MB", memory >> 20);
        }
        if seconds > max || memory > MAX_MEMORY {
            wrong.push(case);
        }
        ran += u64::from(it_ran);
        slowest = if seconds > slowest.0 { (seconds, case) } else { slowest };
        largest = if memory > largest.0 { (memory, case) } else { largest };
        tried += 1;
        if only.is_some() {
            break;
        }
    }
    println!(
        "{tried} cases, of which {ran} ran; slowest: {:.2} s, {:.1} references (case {}), largest memory: {} MB (case {})",
        slowest.0,
        slowest.0 / reference_seconds(),
        slowest.1,
        largest.0 >> 20,
        largest.1
    );
    assert!(wrong.is_empty(), "beyond the bounds: {wrong:?}");
    assert!(only.is_some() || ran > tried / 4, "{ran} of {tried} ran");
}
