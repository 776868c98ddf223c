//! Compile time of groups: parsing, linking, optimising and generating code, for chains of layers, kinds of
//! connections, and nested groups.
//!
//! `cargo bench -p benches --bench groups [-- FILE…]`; with files, their last unit or group is measured instead.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use renderer::material::{closure_registry, library};
use shading::{InstanceOptions, NoHost, ShaderInstance, ShadingSystem, Source};

/// Number of measurements; the median counts.
const REPEATS: usize = 9;

/// Kind of the inputs of each layer in a chain.
#[derive(Clone, Copy, Debug)]
enum Inputs {
    Constants,
    /// Colours as `(r, g, b)`.
    Tuples,
    /// One input of each layer is computed: `2 * x.result.r`.
    Expressions,
}

fn main() {
    // Work that a process does only once is excluded from the measurements.
    make(&chain(10, Inputs::Constants));
    println!("                            parse     link optimise     code      all   (ms)");
    let files: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        report(file.rsplit('/').next().unwrap_or(file), &text);
    }
    if !files.is_empty() {
        return;
    }
    for layers in [10, 100, 1000, 2000] {
        let inputs = Inputs::Constants;
        report(&format!("{layers} layers"), &chain(layers, inputs));
    }
    for inputs in [Inputs::Tuples, Inputs::Expressions] {
        report(&format!("1000 layers, {inputs:?}").to_lowercase(), &chain(1000, inputs));
    }
    report("nested 200 deep", &nested(200));
}

fn report(name: &str, text: &str) {
    let mut times: Vec<[Duration; 5]> = (0..REPEATS).map(|_| make(text)).collect();
    let median = |part: usize, times: &mut Vec<[Duration; 5]>| {
        times.sort_by_key(|time| time[part]);
        times[REPEATS / 2][part].as_secs_f64() * 1e3
    };
    let [parse, link, optimize, code, all] = [0, 1, 2, 3, 4].map(|part| median(part, &mut times));
    println!("{name:25} {parse:8.2} {link:8.2} {optimize:8.2} {code:8.2} {all:8.2}");
}

/// Compiles the last template of a text; returns the time of each step and the total.
fn make(text: &str) -> [Duration; 5] {
    let system = ShadingSystem::new(closure_registry(), Arc::new(NoHost)).with_library(library::LIBRARY);
    let start = Instant::now();
    system.load(Source::new("group.ksl", text)).expect("the text is good");
    let parse = start.elapsed();
    let template = system.template("whole").expect("the text has it");
    let instance: Arc<ShaderInstance> = system
        .instantiate(template, &InstanceOptions::default())
        .expect("the group is good");
    let all = start.elapsed();
    let stats = instance.compile_stats();
    let code = all - parse - stats.link - stats.optimize;
    [parse, stats.link, stats.optimize, code, all]
}

/// Units of a chain, typical of artists' networks, with a few operations each.
const UNITS: &str = "
shader source(output color result = 0) { result = color(u, v, 0.5 * (u + v)); }
shader blended(color a = 0, color b = 1, float t = 0.3, output color result = 0) { result = mix(a, b, t); }
shader graded(color a = 0, color b = 1, color gain = 1, color bias = 0.1, output color result = 0)
{
    result = a * b * gain + bias;
}
shader rough(color a = 0, float scale = 4, float amount = 0.25, output color result = 0)
{
    float n = noise(\"perlin\", (point) a * scale + point(u, v, 0) * scale);
    result = a + amount * n;
}
";

/// A chain of `count` layers: each reads the previous layer, and some also the one before that.
fn chain(layers: usize, inputs: Inputs) -> String {
    let mut text = UNITS.to_owned();
    text.push_str("group whole(output color result) {\n    source l0();\n");
    for i in 1..layers {
        let before = i - 1;
        let far = i.saturating_sub(2);
        let number = |k: usize| 0.2 + 0.003 * ((i * k) % 97) as f32;
        let (x, y) = (number(1), number(2));
        let color = match inputs {
            Inputs::Tuples => format!("({x}, {y}, 0.3)"),
            Inputs::Constants | Inputs::Expressions => format!("{x}"),
        };
        let float = match inputs {
            Inputs::Expressions => format!("{x} * l{far}.result.r"),
            Inputs::Constants | Inputs::Tuples => format!("{x}"),
        };
        // Writing to a string cannot fail.
        let _ = match i % 3 {
            0 => writeln!(
                text,
                "    graded l{i}(a = l{before}.result, b = l0.result, gain = {color}, bias = {float});"
            ),
            1 => writeln!(text, "    blended l{i}(a = l{before}.result, b = l{far}.result, t = {float});"),
            _ => writeln!(text, "    rough l{i}(a = l{before}.result, scale = {y}, amount = {float});"),
        };
    }
    let _ = writeln!(text, "    result = l{}.result;\n}}", layers - 1);
    text
}

/// Nested groups; each level also contains a unit of its own.
fn nested(levels: usize) -> String {
    let mut text = UNITS.to_owned();
    text.push_str("group g0(color a = 0.5, output color result) { rough r(a = a); result = r.result; }\n");
    for i in 1..levels {
        let _ = writeln!(
            text,
            "group g{i}(color a = 0.5, output color result) {{ g{} inner(a = a); graded r(a = inner.result, b = a); \
             result = r.result; }}",
            i - 1
        );
    }
    let _ = writeln!(
        text,
        "group whole(output color result) {{ source s(); g{} inner(a = s.result); result = inner.result; }}",
        levels - 1
    );
    text
}
