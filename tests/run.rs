//! What the language computes: each line `//~ run EXPRESSION == VALUE` of `shaders/run/*.ksl` is evaluated in the file
//! that it stands in, four ways (the interpreter and machine code, each on raw and on optimised HIR), which must agree bit
//! for bit, and with the value.
//!
//! - `==` is exact for all types: `3` is an int, `3.0` a float, `(1, 2, 3)` a triple, `[1 0 …]` a matrix, `"x"` a string.
//! - `~=` allows a float or triple to be a few last places off, for functions that no standard fixes to the bit.
//! - `//~ prints EXPRESSION == "text"` looks at what the evaluation prints instead.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use shading::hir::{Const, Unit};
use shading::interp::{self, RunOptions, Value};
use shading::opt::OptLevel;
use shading::{
    ClosureRegistry, InstanceOptions, RayKind, ShaderGlobals, ShadingSystem, Source, SourceMap, Template,
};
use support::generate::TestHost;

/// Relative difference that `~=` allows.
const TOLERANCE: f32 = 4e-6;

/// A line that says what must be.
struct Check {
    line: usize,
    expression: String,
    expected: Const,
    exact: bool,
    prints: bool,
}

impl Check {
    fn parse(line: usize, text: &str) -> Result<Check, String> {
        let (word, rest) = text.split_once(' ').ok_or("nothing after `//~`")?;
        let prints = match word {
            "run" => false,
            "prints" => true,
            _ => return Err(format!("`{word}` is neither `run` nor `prints`")),
        };
        let (exact, sides) = match rest.rsplit_once(" ~= ") {
            Some(sides) => (false, sides),
            None => (true, rest.rsplit_once(" == ").ok_or("no ` == `")?),
        };
        let expected = value(sides.1.trim())?;
        Ok(Check { line, expression: sides.0.to_owned(), expected, exact, prints })
    }

    /// A unit that evaluates the expression.
    fn unit(&self) -> String {
        let (ty, cast) = match (&self.expected, self.prints) {
            (_, true) | (Const::Int(_), _) => ("int", ""),
            (Const::Float(_), _) => ("float", ""),
            (Const::Triple(_), _) => ("color", "(color) "),
            (Const::Matrix(_), _) => ("matrix", ""),
            _ => ("string", ""),
        };
        let (name, default) = (self.name(), if ty == "string" { "\"\"" } else { "0" });
        format!("shader {name}(output {ty} result = {default}) {{ result = {cast}({}); }}\n", self.expression)
    }

    fn name(&self) -> String {
        format!("check_{}", self.line)
    }

    fn fits(&self, found: &Const) -> bool {
        let close = |a: f32, b: f32| a == b || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(0.1);
        match (found, &self.expected) {
            (Const::Float(a), Const::Float(b)) if !self.exact => close(*a, *b),
            (Const::Triple(a), Const::Triple(b)) if !self.exact => a.iter().zip(b).all(|(a, b)| close(*a, *b)),
            (found, expected) => found.same(expected),
        }
    }
}

fn value(text: &str) -> Result<Const, String> {
    let number = |text: &str| text.trim().parse::<f32>().map_err(|_| format!("`{text}` is no number"));
    let inside = |open, close| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    if let Some(inside) = inside('"', '"') {
        let unescaped = inside.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\\\", "\\");
        return Ok(Const::String(unescaped.into()));
    }
    if let Some(inside) = inside('(', ')') {
        let list: Vec<f32> = inside.split(',').map(number).collect::<Result<_, _>>()?;
        return Ok(Const::Triple(list.try_into().map_err(|_| format!("`{text}` is no triple"))?));
    }
    if let Some(inside) = inside('[', ']') {
        let list: Vec<f32> = inside.split_whitespace().map(number).collect::<Result<_, _>>()?;
        return Ok(Const::Matrix(list.try_into().map_err(|_| format!("`{text}` is no matrix"))?));
    }
    match text.parse::<i32>() {
        Ok(int) => Ok(Const::Int(int)),
        Err(_) => Ok(Const::Float(number(text)?)),
    }
}

fn globals() -> ShaderGlobals {
    ShaderGlobals {
        p: [1.0, 2.0, 3.0].into(),
        i: [0.0, 0.0, -1.0].into(),
        n: [0.0, 0.0, 1.0].into(),
        ng: [0.0, 0.0, 1.0].into(),
        dpdu: [1.0, 0.0, 0.0].into(),
        dpdv: [0.0, 1.0, 0.0].into(),
        u: 0.25,
        v: 0.75,
        time: 0.5,
        surface_area: 1.0,
        ray_kind: RayKind::CAMERA,
        ..ShaderGlobals::default()
    }
}

/// What a way of running gives: the result and what was printed.
type Given = (Const, String);

fn interpret(unit: &Unit, globals: &ShaderGlobals) -> Result<Given, String> {
    let outcome = interp::run(unit, &RunOptions { host: &TestHost, ..RunOptions::new(globals) });
    if !outcome.finished {
        return Err(format!("was ended: {:?}", outcome.reports));
    }
    match outcome.output("result") {
        Some(Value::Plain(value)) => Ok((value.clone(), outcome.printed)),
        other => Err(format!("gave {other:?}")),
    }
}

fn compiled(
    system: &ShadingSystem,
    template: &Template,
    options: &InstanceOptions,
    globals: &ShaderGlobals,
) -> Result<Given, String> {
    let instance = system.instantiate(template.clone(), options).map_err(|error| error.to_string())?;
    let mut context = system.context();
    instance.run(globals, &mut context);
    if !context.finished() {
        return Err(format!("was ended: {:?}", context.take_reports()));
    }
    let index = instance.output_index("result").ok_or("has no result")?;
    Ok((instance.output(index, &context), context.take_printed()))
}

/// All four ways by name.
fn all_ways(system: &ShadingSystem, template: &Template) -> Vec<(&'static str, Result<Given, String>)> {
    let globals = globals();
    let mut ways = vec![];
    for (optimize, names) in [
        (OptLevel::None, ["interpreter", "machine code"]),
        (OptLevel::Full, ["interpreter, optimised", "machine code, optimised"]),
    ] {
        let options = InstanceOptions { optimize, ..InstanceOptions::default() };
        let code: Result<(Unit, SourceMap, _), _> = system.optimized(template, &options);
        let interpreted = match code {
            Ok((unit, _, _)) => interpret(&unit, &globals),
            Err(error) => Err(error.to_string()),
        };
        ways.push((names[0], interpreted));
        ways.push((names[1], compiled(system, template, &options, &globals)));
    }
    ways
}

/// Runs the checks of a file; what is wrong goes to `failures`.
fn run_file(name: &str, text: &str, failures: &mut String) -> usize {
    let mut checks = vec![];
    for (i, line) in text.lines().enumerate() {
        let Some((_, announced)) = line.split_once("//~ ") else { continue };
        match Check::parse(i + 1, announced) {
            Ok(check) => checks.push(check),
            Err(message) => writeln!(failures, "{name}:{}: {message}", i + 1).unwrap(),
        }
    }
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(TestHost));
    let source = checks.iter().fold(format!("{text}\n"), |source, check| source + &check.unit());
    if let Err(errors) = system.load(Source::new(name, source)) {
        writeln!(failures, "{errors}").unwrap();
        return checks.len();
    }
    for check in &checks {
        let template = system.template(&check.name()).expect("it was loaded");
        let ways = all_ways(&system, &template);
        let first = ways[0].1.clone();
        for (way, given) in ways {
            let place = format!("{name}:{}: {}: {way}", check.line, check.expression);
            match (&given, &first) {
                (Err(message), _) => writeln!(failures, "{place}: {message}").unwrap(),
                (Ok((value, printed)), _) => {
                    let text = Const::String(printed.as_str().into());
                    let found = if check.prints { &text } else { value };
                    if !check.fits(found) {
                        writeln!(failures, "{place} gives {found:?}, not {:?}", check.expected).unwrap();
                    } else if first.as_ref().is_ok_and(|(first, said)| !value.same(first) || printed != said) {
                        writeln!(failures, "{place} gives {given:?}, the interpreter {first:?}").unwrap();
                    }
                }
            }
        }
    }
    checks.len()
}

#[test]
fn expressions_have_the_values_announced() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/run");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut failures, mut count) = (String::new(), 0);
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        count += run_file(&name, &std::fs::read_to_string(&path).unwrap(), &mut failures);
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(count > 300, "only {count} checks");
}
