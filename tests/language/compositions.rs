//! Random groups: interpreted, optimised and compiled results are bit-identical; an output requested alone has
//! the same value as together with all others; live inputs give the same results as constant ones.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use language_support::generate::group::{Groups, UNITS, groups};
use language_support::generate::{self, TestHost};
use language_support::{compiled, number, shipped};
use rayon::prelude::*;
use shading::hir::Const;
use shading::interp::{self, RunOptions};
use shading::opt::OptLevel;
use shading::{
    InstanceOptions, LiveInputs, ShaderGlobals, ShaderInstance, ShadingSystem, Source, Template, Value,
};

/// Number of groups tried. `KILN_FUZZ_UNITS` and `KILN_FUZZ_SEED` set the number and the first seed, `KILN_FUZZ_SECONDS` a
/// duration.
const GROUPS: u64 = 120;

fn seeds() -> Range<u64> {
    let first = number("KILN_FUZZ_SEED").unwrap_or(0);
    first..first + number("KILN_FUZZ_UNITS").unwrap_or(GROUPS)
}

/// Outputs by name: numbers by their bits, closures as text.
type Outputs = Vec<(String, String)>;

struct Case {
    system: ShadingSystem,
    template: Template,
    globals: ShaderGlobals,
}

impl Case {
    fn new(seed: u64, source: &Groups) -> Case {
        let system = shipped::system(Arc::new(TestHost));
        let loaded = system.load(Source::new("test.ksl", source.text.as_str()));
        loaded.unwrap_or_else(|errors| panic!("seed {seed}: {errors}"));
        let template = system.named(&source.name).unwrap();
        let mut globals = generate::globals(seed);
        globals.u = globals.u.abs() / 4.0;
        Case { system, template, globals }
    }

    /// Returns the outputs of machine code, after comparison with the interpreter.
    fn outputs(&self, options: &InstanceOptions) -> Result<Outputs, String> {
        let text = |errors: shading::Diagnostics| errors.to_string();
        let instance = self.system.instantiate(self.template.clone(), options).map_err(text)?;
        let mut context = self.system.context();
        instance.run(&self.globals, &mut context).unwrap();
        let found = listed(&instance, &context);
        if options.live == LiveInputs::None {
            let (unit, ..) = self.system.optimized(&self.template, options).map_err(text)?;
            let run = RunOptions {
                host: &TestHost,
                closures: Some(self.system.closures()),
                ..RunOptions::new(&self.globals)
            };
            let expected = interp::run(&unit, &run);
            let difference = compiled::difference(&instance, &mut context, self.system.closures(), &expected);
            if let Some(difference) = difference {
                return Err(format!("compiled and interpreted: {difference}"));
            }
        }
        Ok(found)
    }
}

fn listed(instance: &ShaderInstance, context: &shading::ShadingContext) -> Outputs {
    let outputs = instance.outputs().iter().enumerate();
    outputs
        .map(|(index, output)| {
            let value = match instance.output(index, context).unwrap() {
                Const::NullClosure => {
                    let tree = instance.closure(index, context).unwrap();
                    // The optimiser removes components without weight.
                    let components = tree.components().filter(|c| c.weight != [0.0; 3]);
                    let weights: Vec<String> = components.map(|c| format!("{:?}", c.weight)).collect();
                    weights.join(" ")
                }
                Const::Float(x) => format!("{x} {:08x}", x.to_bits()),
                value => format!("{value:?}"),
            };
            (output.name.clone(), value)
        })
        .collect()
}

fn check(seed: u64) -> Result<(), String> {
    let source = groups(seed);
    let case = Case::new(seed, &source);
    let options = |optimize, outputs: &[String]| InstanceOptions {
        optimize,
        outputs: outputs.to_vec(),
        ..InstanceOptions::default()
    };
    let raw = case.outputs(&options(OptLevel::None, &[]))?;
    let optimised = case.outputs(&options(OptLevel::Exact, &[]))?;
    if raw != optimised {
        return Err(format!("raw {raw:?}\noptimised {optimised:?}"));
    }
    for output in raw.iter().filter(|_| !source.has_effects) {
        let alone = case.outputs(&options(OptLevel::Exact, std::slice::from_ref(&output.0)))?;
        if alone[0] != *output {
            return Err(format!("alone {:?}\nwith others {output:?}", alone[0]));
        }
    }
    if !source.live.is_empty() {
        let inputs: Vec<(String, Value)> =
            source.live.iter().map(|name| (name.clone(), Value::from(0.375))).collect();
        let folded = InstanceOptions { inputs: inputs.clone(), ..options(OptLevel::Exact, &[]) };
        let live = InstanceOptions {
            live: LiveInputs::Named(source.live.clone()),
            ..folded.clone()
        };
        let (folded, live) = (case.outputs(&folded)?, case.outputs(&live)?);
        if folded != live {
            return Err(format!("folded {folded:?}\nlive {live:?}"));
        }
    }
    Ok(())
}

#[test]
fn groups_do_not_depend_on_how_they_run() {
    let failed = |seed: u64| {
        // Nested samples can exceed the limit of linked code, which is a separate error.
        if let Err(error) = check(seed)
            && !error.contains("are linked")
        {
            let text = groups(seed).text;
            panic!("seed {seed}: {error}\n{}", text.strip_prefix(UNITS).unwrap_or(&text));
        }
    };
    let Some(seconds) = number("KILN_FUZZ_SECONDS") else {
        return seeds().into_par_iter().for_each(failed);
    };
    let (start, mut next) = (Instant::now(), seeds().start);
    while start.elapsed() < Duration::from_secs(seconds) {
        (next..next + 64).into_par_iter().for_each(failed);
        next += 64;
    }
    println!("{} groups", next - seeds().start);
}
