//! Damaged shader sources: texts that still compile give the same results in packets, point by point and optimised,
//! without panics.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use shading::hir::verify::verify_all;
use shading::opt::OptLevel;
use shading::{
    InstanceOptions, ShaderGlobals, ShaderInstance, ShadingContext, ShadingSystem, Source, Template,
};

use crate::compiled::batch_difference;
use crate::generate::{Random, globals};
use crate::{data, number, shipped};

/// Fuel of a run: loop iterations and calls.
const FUEL: u32 = 2000;
/// Maximum time for a text, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of an output's numbers that are compared.
const NUMBERS: usize = 64;
/// Number of texts between readings of the clock.
const CHUNK: u64 = 250;

/// Damages `count` texts, or texts for `KILN_FUZZ_SECONDS`, on all cores. Each text is compiled and run by its own system.
/// `KILN_FUZZ_SEED` sets the seed.
///
/// # Panics
/// If modes differ, a text is too slow, or almost no text compiles.
pub fn fuzz(count: u64, system: impl Fn() -> ShadingSystem + Sync) {
    verify_all();
    let time = number("KILN_FUZZ_SECONDS").map(Duration::from_secs);
    let first = number("KILN_FUZZ_SEED").unwrap_or(1) << 32;
    let (start, texts) = (Instant::now(), texts());
    let ran = AtomicU64::new(0);
    let try_text = |number: u64| {
        let text = damaged(&texts, &mut Random::new(first + number));
        let begin = Instant::now();
        let system = system();
        if let Ok(loaded) = system.load(Source::new("damaged.ksl", text.as_str())) {
            for template in &loaded.templates {
                match run(&system, template) {
                    Ok(it_ran) => ran.fetch_add(u64::from(it_ran), Ordering::Relaxed),
                    Err(message) => panic!("text {number}: {}: {message}\n{text}", template.name()),
                };
            }
        }
        assert!(begin.elapsed() < PATIENCE, "{:?} for\n{text}", begin.elapsed());
    };
    let mut tried = 0;
    while time.map_or(tried < count, |time| start.elapsed() < time) {
        let end = tried + CHUNK;
        (tried..end).into_par_iter().for_each(try_text);
        tried = end;
    }
    let ran = ran.into_inner();
    println!("{tried} texts, of which {ran} units ran");
    assert!(ran > tried / 20, "the damage is too great: {ran} units of {tried} texts ran");
}

/// Returns the shipped shaders, and those that other tests run.
pub(crate) fn texts() -> Vec<String> {
    let folders = [data("shaders/run"), data("shaders/pass")];
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("the folder is there"))
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "ksl" || extension == "osl")
        })
        .collect();
    paths.sort();
    let others = paths.iter().map(fs::read_to_string);
    shipped::texts().chain(others.map(|text| text.expect("it is text"))).collect()
}

/// Returns the ranges of the words and signs of a text.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut words: Vec<std::ops::Range<usize>> = vec![];
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        let goes_on = is_part(c) && text[..at].ends_with(is_part);
        match words.last_mut() {
            Some(last) if goes_on && last.end == at => last.end = at + c.len_utf8(),
            _ => words.push(at..at + c.len_utf8()),
        }
    }
    words
}

/// Replaces a few words of a text by words from the same or another text: many results still compile.
fn damaged(texts: &[String], random: &mut Random) -> String {
    let text = texts[random.below(texts.len())].clone();
    let count = 1 + random.below(2);
    damage(text, texts, count, random)
}

/// Replaces, `count` times, a few words of a text by words from the same or another text.
pub(crate) fn damage(mut text: String, texts: &[String], count: usize, random: &mut Random) -> String {
    for _ in 0..count {
        let places = words(&text);
        let donor = if random.below(3) > 0 {
            text.clone()
        } else {
            texts[random.below(texts.len())].clone()
        };
        let others = words(&donor);
        if places.is_empty() || others.is_empty() {
            break;
        }
        let at = random.below(places.len());
        let from = random.below(others.len());
        let upto = (from + random.below(4)).min(others.len() - 1);
        let piece = &donor[others[from].start..others[upto].end];
        match random.below(4) {
            0 => text.replace_range(places[at].clone(), ""),
            1 => text.insert_str(places[at].start, &format!(" {piece} ")),
            _ => text.replace_range(places[at].clone(), piece),
        }
    }
    text
}

fn context(system: &ShadingSystem) -> ShadingContext {
    let mut context = system.context();
    context.set_fuel(FUEL);
    context
}

/// Returns the numbers of all outputs at a point, as bits; `None` if the run was aborted.
fn outputs(
    instance: &ShaderInstance,
    point: &ShaderGlobals,
    context: &mut ShadingContext,
) -> Option<Vec<u32>> {
    instance.run(point, context).unwrap();
    if !context.finished() {
        return None;
    }
    let mut all = vec![];
    for output in 0..instance.outputs().len() {
        let mut numbers = [0.0_f32; NUMBERS];
        instance.output_numbers(output, context, &mut numbers).unwrap();
        // All NaNs are equal.
        all.extend(numbers.map(|x| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }));
    }
    Some(all)
}

/// Runs a unit or group in all modes, and returns the errors.
fn run(system: &ShadingSystem, template: &Template) -> Result<bool, String> {
    let make = |optimize, packets| {
        let options = InstanceOptions { optimize, packets, ..InstanceOptions::default() };
        system.instantiate(template.clone(), &options).ok()
    };
    let points: Vec<ShaderGlobals> = (0..5).map(globals).collect();
    let (Some(plain), Some(exact)) = (make(OptLevel::None, false), make(OptLevel::Exact, false)) else {
        return Ok(false);
    };
    let (mut a, mut b) = (context(system), context(system));
    for point in &points {
        // An optimised run may complete with less fuel.
        if let Some(expected) = outputs(&plain, point, &mut a) {
            let found = outputs(&exact, point, &mut b);
            if found.as_ref() != Some(&expected) {
                return Err("the optimiser changes what it computes".to_owned());
            }
        }
    }
    let Some(full) = make(OptLevel::Full, true) else {
        return Err("it compiles, and does not when it is optimised in full".to_owned());
    };
    match batch_difference(&full, &points, || context(system)) {
        Some(difference) => Err(format!("as a batch: {difference}")),
        None => Ok(true),
    }
}
