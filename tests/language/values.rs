//! Values of groups: the output `r` of each unit or group of `shaders/group/*.ksl` with a comment `//= VALUE` has this
//! value, in the interpreter and in machine code, raw and optimised, and whichever outputs are requested.

use std::path::Path;
use std::sync::Arc;

use language_support::generate::TestHost;
use language_support::{compiled, data, shipped};
use shading::hir::Const;
use shading::interp::{self, RunOptions};
use shading::opt::OptLevel;
use shading::{InstanceOptions, ShaderGlobals, ShadingSystem, Source, Template};

/// Allowed relative difference of sums of a few floats.
const TOLERANCE: f32 = 1e-5;

fn globals() -> ShaderGlobals {
    ShaderGlobals {
        p: [0.8, 1.1, 1.0].into(),
        n: [0.0, 0.0, 1.0].into(),
        dpdx: [1.0, 0.0, 0.0].into(),
        u: 0.8,
        v: 1.1,
        dudx: 1.0,
        dvdy: 1.0,
        ..ShaderGlobals::default()
    }
}

/// Returns the outputs by name, which must agree between the interpreter and machine code at all levels of optimisation.
fn outputs(system: &ShadingSystem, template: &Template, wanted: &[String]) -> Vec<(String, Const)> {
    let globals = globals();
    let mut found: Vec<Vec<(String, Const)>> = vec![];
    for optimize in [OptLevel::None, OptLevel::Exact] {
        let options = InstanceOptions {
            optimize,
            outputs: wanted.to_vec(),
            ..InstanceOptions::default()
        };
        let (unit, ..) = system.optimized(template, &options).unwrap_or_else(|errors| panic!("{errors}"));
        let run = RunOptions {
            host: &TestHost,
            closures: Some(system.closures()),
            ..RunOptions::new(&globals)
        };
        let interpreted = interp::run(&unit, &run);
        let instance = system.instantiate(template.clone(), &options).unwrap();
        let mut context = system.context();
        instance.run(&globals, &mut context).unwrap();
        let values = instance.outputs().iter().enumerate().map(|(index, output)| {
            let value = instance.output(index, &context).unwrap();
            (output.name.clone(), value)
        });
        found.push(values.collect());
        let difference = compiled::difference(&instance, &mut context, system.closures(), &interpreted);
        assert_eq!(difference, None, "{}, {optimize:?}", template.name());
    }
    assert_eq!(found[0], found[1], "{}", template.name());
    found.remove(0)
}

/// Returns the name and the value of a line with an expected value.
fn expected(line: &str) -> Option<(&str, f32)> {
    let (text, value) = line.split_once("//= ")?;
    let name = text.split_whitespace().nth(1)?.split('(').next()?;
    Some((name, value.trim().parse().unwrap_or_else(|_| panic!("no number: {line}"))))
}

fn check(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    let system = shipped::system(Arc::new(TestHost));
    let loaded = system.load(Source::new(path.display().to_string(), text.as_str()));
    loaded.unwrap_or_else(|errors| panic!("{errors}"));
    let checks: Vec<(&str, f32)> = text.lines().filter_map(expected).collect();
    for &(name, value) in &checks {
        let template = system.named(name).unwrap();
        let all = outputs(&system, &template, &[]);
        let found = all.iter().find(|(output, _)| output == "r");
        let Some((_, Const::Float(found))) = found else {
            panic!("{}: {name} has no output `r`", path.display());
        };
        let difference = (found - value).abs();
        assert!(
            difference <= TOLERANCE * value.abs().max(1.0),
            "{}: {name} is {found}, not {value}",
            path.display()
        );
        for (output, value) in &all {
            let alone = outputs(&system, &template, std::slice::from_ref(output));
            assert!(alone[0].1.same(value), "{name}.{output} alone: {:?}, not {value:?}", alone[0].1);
        }
    }
    checks.len()
}

#[test]
fn groups_have_their_values() {
    let files = std::fs::read_dir(data("shaders/group")).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let count: usize = paths.iter().map(|path| check(path)).sum();
    assert!(count > 100, "{count}");
}
