//! Results of the language: each line `//~ run EXPRESSION == VALUE` of `shaders/run/*.ksl` is evaluated in its file,
//! in four modes (interpreter and machine code, each on raw and on optimised HIR), whose results must equal one another and
//! the value bit for bit. Machine code also runs at several points as a batch, with the same results as at single points.
//!
//! - `==` is exact for all types: `3` is an int, `3.0` a float, `(1, 2, 3)` a triple, `[1 0 …]` a matrix, `"x"` a string;
//!   `color(1, 2, 3)`, `-N` or `M_PI` is an expression, evaluated after the first.
//! - `~=` allows a difference of a few units in the last place, for functions that no standard defines to the bit.
//! - `//~ prints EXPRESSION == "text"` compares the printed text instead.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use language_support::compiled::batch_difference;
use language_support::generate::TestHost;
use language_support::{Folder, data};
use shading::hir::verify::verify_all;
use shading::hir::{Const, Unit};
use shading::interp::{self, RunOptions, Value};
use shading::opt::OptLevel;
use shading::{
    ClosureRegistry, InstanceOptions, Preprocessor, RayKind, ShaderGlobals, ShadingSystem, Source, SourceMap,
    Template,
};

/// Relative difference that `~=` allows.
const TOLERANCE: f32 = 4e-6;

/// A check in a comment.
struct Check {
    line: usize,
    expression: String,
    expected: Expected,
    exact: bool,
    prints: bool,
}

/// Expected value of a check.
enum Expected {
    Value(Const),
    /// The value of another expression of this type.
    Expression(&'static str, String),
}

impl Expected {
    fn parse(text: &str) -> Result<Expected, String> {
        let bare = text.trim_start_matches('-');
        let begins = |words: &[&str]| words.iter().any(|word| bare.starts_with(word));
        if begins(&["color(", "point(", "vector(", "normal("]) || ["N", "P", "I"].contains(&bare) {
            return Ok(Expected::Expression("color", text.to_owned()));
        }
        if begins(&["M_"]) {
            return Ok(Expected::Expression("float", text.to_owned()));
        }
        if begins(&["matrix("]) {
            return Ok(Expected::Expression("matrix", text.to_owned()));
        }
        value(text).map(Expected::Value)
    }

    /// Returns the type; all triples are compared as colours.
    fn ty(&self) -> &'static str {
        match self {
            Expected::Value(Const::Int(_)) => "int",
            Expected::Value(Const::Float(_)) => "float",
            Expected::Value(Const::Triple(_)) => "color",
            Expected::Value(Const::Matrix(_)) => "matrix",
            Expected::Value(_) => "string",
            Expected::Expression(ty, _) => ty,
        }
    }
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
        let expected = Expected::parse(sides.1.trim())?;
        Ok(Check {
            line,
            expression: sides.0.to_owned(),
            expected,
            exact,
            prints,
        })
    }

    /// Returns a unit that evaluates the expression.
    fn unit(&self) -> String {
        let ty = if self.prints { "int" } else { self.expected.ty() };
        let cast = if ty == "color" { "(color) " } else { "" };
        let (name, default) = (self.name(), if ty == "string" { "\"\"" } else { "0" });
        let mut body = format!("result = {cast}({});", self.expression);
        if let Expected::Expression(_, expected) = &self.expected {
            let _ = write!(body, " expected = {cast}({expected});");
        }
        format!(
            "shader {name}(output {ty} result = {default}, output {ty} expected = {default}) {{ {body} }}\n"
        )
    }

    fn name(&self) -> String {
        format!("check_{}", self.line)
    }

    fn fits(&self, given: &Given) -> bool {
        let close = |a: f32, b: f32| a == b || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(0.1);
        let expected = match &self.expected {
            Expected::Value(value) => value,
            Expected::Expression(..) => &given.expected,
        };
        match (&given.result, expected) {
            (_, expected) if self.prints => expected.same(&Const::String(given.printed.as_str().into())),
            (Const::Float(a), Const::Float(b)) if !self.exact => close(*a, *b),
            (Const::Triple(a), Const::Triple(b)) if !self.exact => {
                a.iter().zip(b).all(|(a, b)| close(*a, *b))
            }
            (result, expected) => result.same(expected),
        }
    }
}

fn value(text: &str) -> Result<Const, String> {
    let number = |text: &str| text.trim().parse::<f32>().map_err(|_| format!("`{text}` is not a number"));
    let inside = |open, close| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    if let Some(inside) = inside('"', '"') {
        let unescaped = inside
            .replace("\\n", "\n")
            .replace("\\t", "\t")
            .replace("\\\"", "\"")
            .replace("\\\\", "\\");
        return Ok(Const::String(unescaped.into()));
    }
    if let Some(inside) = inside('(', ')') {
        let list: Vec<f32> = inside.split(',').map(number).collect::<Result<_, _>>()?;
        return Ok(Const::Triple(list.try_into().map_err(|_| format!("`{text}` is not a triple"))?));
    }
    if let Some(inside) = inside('[', ']') {
        let list: Vec<f32> = inside.split_whitespace().map(number).collect::<Result<_, _>>()?;
        return Ok(Const::Matrix(list.try_into().map_err(|_| format!("`{text}` is not a matrix"))?));
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
        dpdx: [1.0, 0.0, 0.0].into(),
        dpdy: [0.0, 2.0, 0.0].into(),
        didx: [0.5, 0.0, 0.0].into(),
        didy: [0.0, 0.5, 0.0].into(),
        u: 0.25,
        v: 0.75,
        dudx: 0.5,
        dudy: 0.0,
        dvdx: 0.25,
        dvdy: 1.0,
        time: 0.5,
        surface_area: 1.0,
        ray_kind: RayKind::CAMERA,
        ..ShaderGlobals::default()
    }
}

/// Results of one mode.
#[derive(Clone, Debug)]
struct Given {
    result: Const,
    expected: Const,
    printed: String,
}

impl Given {
    fn same(&self, other: &Given) -> bool {
        self.result.same(&other.result)
            && self.expected.same(&other.expected)
            && self.printed == other.printed
    }
}

fn interpret(unit: &Unit, globals: &ShaderGlobals) -> Result<Given, String> {
    let outcome = interp::run(unit, &RunOptions { host: &TestHost, ..RunOptions::new(globals) });
    if !outcome.finished {
        return Err(format!("was ended: {:?}", outcome.reports));
    }
    let output = |name: &str| match outcome.output(name) {
        Some(Value::Plain(value)) => Ok(value.clone()),
        other => Err(format!("{name} is {other:?}")),
    };
    Ok(Given {
        result: output("result")?,
        expected: output("expected")?,
        printed: outcome.printed.text(),
    })
}

fn compiled(
    system: &ShadingSystem,
    template: &Template,
    options: &InstanceOptions,
    globals: &ShaderGlobals,
) -> Result<Given, String> {
    let instance = system
        .instantiate(template.clone(), options)
        .map_err(|error| error.to_string())?;
    let mut context = system.context();
    instance.run(globals, &mut context).unwrap();
    if !context.finished() {
        return Err(format!("was ended: {:?}", context.take_reports()));
    }
    // Some points occur twice, so that not all points of a packet diverge.
    let points = [0.0, 0.0, 0.25, -1.5, 0.25].map(|d| ShaderGlobals {
        u: globals.u + d,
        v: globals.v - d,
        ..*globals
    });
    if let Some(difference) = batch_difference(&instance, &points, || system.context()) {
        return Err(format!("as a batch: {difference}"));
    }
    let output = |name: &str| {
        let index = instance.output_index(name).ok_or_else(|| format!("no output {name}"))?;
        Ok::<_, String>(instance.output(index, &context).unwrap())
    };
    let (result, expected) = (output("result")?, output("expected")?);
    Ok(Given { result, expected, printed: context.take_printed() })
}

/// Runs a template in the four modes; returns the results by name.
fn all_ways(system: &ShadingSystem, template: &Template) -> Vec<(&'static str, Result<Given, String>)> {
    let globals = globals();
    let mut ways = vec![];
    for (optimize, names) in [
        (OptLevel::None, ["interpreter", "machine code"]),
        (OptLevel::Exact, ["interpreter, optimised", "machine code, optimised"]),
    ] {
        let options = InstanceOptions { optimize, packets: true, ..InstanceOptions::default() };
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

fn folder(name: &str) -> PathBuf {
    data("shaders").join(name)
}

/// Runs the checks of a file; adds what is wrong to `failures`.
fn run_file(name: &str, text: &str, failures: &mut String) -> usize {
    verify_all();
    let mut checks = vec![];
    for (i, line) in text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//~ ") else {
            continue;
        };
        match Check::parse(i + 1, comment) {
            Ok(check) => checks.push(check),
            Err(message) => writeln!(failures, "{name}:{}: {message}", i + 1).unwrap(),
        }
    }
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(TestHost))
        .with_preprocessor(Preprocessor::new(Arc::new(Folder(folder("include")))));
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
            match &given {
                Err(message) => writeln!(failures, "{place}: {message}").unwrap(),
                Ok(given) if !check.fits(given) => writeln!(failures, "{place} gives {given:?}").unwrap(),
                Ok(given) => {
                    if first.as_ref().is_ok_and(|first| !given.same(first)) {
                        writeln!(failures, "{place} gives {given:?}, the interpreter {first:?}").unwrap();
                    }
                }
            }
        }
    }
    checks.len()
}

#[test]
fn expressions_have_the_expected_values() {
    let mut files: Vec<_> = std::fs::read_dir(folder("run"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let (mut failures, mut count) = (String::new(), 0);
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        count += run_file(&name, &std::fs::read_to_string(&path).unwrap(), &mut failures);
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(count > 300, "only {count} checks");
}
