//! Patterns of random parameters give finite numbers.

use std::fmt::Write as _;
use std::sync::Arc;

use language_support::generate::Random;
use language_support::shipped;
use language_support::wgsl::{is_numeric, numbers};
use shading::graph::ParamInfo;
use shading::hir::{Const, Kind, Unit};
use shading::interp::{self, RunOptions, Value as Found};
use shading::opt::OptLevel;
use shading::ty::{Base, Type};
use shading::{InstanceOptions, NoHost, ShadingSystem, Template, Value};

use super::point;

/// Parameter sets of each unit.
const SETS: usize = 60;

/// A number in the range that the metadata give, or a little outside; often one at which formulas break.
fn number(param: &ParamInfo, random: &mut Random) -> f32 {
    let limit = |key: &str| {
        let entry = param.metadata.iter().find(|entry| entry.name == key)?;
        numbers(&entry.value).first().copied()
    };
    let low = limit("min").unwrap_or(-3.0);
    let high = limit("max").unwrap_or(low.max(0.0) + 6.0);
    match random.below(6) {
        0 if limit("max").is_some() => *random.pick(&[0.0, 1.0, -1.0, 0.5]),
        0 if limit("min").is_some() => *random.pick(&[0.0, 1e-6, 1e4]),
        0 => *random.pick(&[0.0, 1e-6, 1e4, -1e4]),
        1 => low,
        2 => high,
        _ => low + (high - low) * (0.55 + 0.15 * random.float()),
    }
}

/// A value for a parameter; `None` leaves it at its default.
fn value(param: &ParamInfo, ty: Type, random: &mut Random) -> Option<Const> {
    Some(match ty.base {
        Base::Int => Const::Int(number(param, random) as i32),
        Base::Float => Const::Float(number(param, random)),
        Base::Color | Base::Point | Base::Vector | Base::Normal => {
            Const::Triple([(); 3].map(|()| number(param, random)))
        }
        Base::String => {
            let entry = param.metadata.iter().find(|entry| entry.name == "options")?;
            let Const::String(options) = &entry.value else {
                return None;
            };
            let options: Vec<&str> = options.split('|').collect();
            Const::String(Arc::from(*random.pick(&options)))
        }
        _ => return None,
    })
}

/// Random values of inputs. Arrays have none to four elements.
fn inputs(params: &[ParamInfo], random: &mut Random) -> Vec<(String, Value)> {
    let mut inputs = vec![];
    for param in params.iter().filter(|param| !param.output) {
        if random.once_in(3) {
            continue;
        }
        let (value, ty) = if param.ty.is_array() {
            let count = random.below(5);
            let list = (0..count).filter_map(|_| value(param, param.ty.element(), random)).collect();
            (Some(Const::Array(list)), Type::array(param.ty.base, count as u32))
        } else {
            (value(param, param.ty, random), param.ty)
        };
        inputs.extend(value.map(|value| (param.name.clone(), Value::Const(value, ty))));
    }
    inputs
}

/// The unit with these inputs.
fn linked(
    system: &ShadingSystem,
    template: &Template,
    inputs: Vec<(String, Value)>,
    outputs: &[&str],
) -> Unit {
    let options = InstanceOptions {
        inputs,
        outputs: outputs.iter().map(|&name| name.to_owned()).collect(),
        optimize: OptLevel::None,
        ..InstanceOptions::default()
    };
    let linked = system.optimized(template, &options);
    linked.unwrap_or_else(|errors| panic!("{errors}")).0
}

#[test]
fn patterns_of_random_parameters_are_finite() {
    let system = shipped::system(Arc::new(NoHost));
    let mut random = Random::new(1);
    let mut wrong = String::new();
    for name in shipped::names() {
        let template = system.template(name).expect("it compiles");
        let params = template.params().expect("its parameters are known");
        let is_number = |param: &&ParamInfo| param.output && Kind::of(param.ty).is_some_and(is_numeric);
        let outputs: Vec<&str> = params.iter().filter(is_number).map(|param| &*param.name).collect();
        if outputs.is_empty() {
            continue;
        }
        for _ in 0..SETS {
            let inputs = inputs(&params, &mut random);
            let unit = linked(&system, &template, inputs.clone(), &outputs);
            for _ in 0..3 {
                let mut globals = point();
                let far = *random.pick(&[0.0, 1.0, 1e6]);
                globals.p = [(); 3].map(|()| far * random.float()).into();
                (globals.u, globals.v) = (random.float(), random.float());
                let outcome = interp::run(&unit, &RunOptions::new(&globals));
                for &output in &outputs {
                    let Some(Found::Plain(found)) = outcome.output(output) else {
                        panic!("{name} has no output {output}");
                    };
                    if !numbers(found).iter().all(|x| x.is_finite()) {
                        let _ = writeln!(wrong, "{name}.{output} of {inputs:?}: {found:?}");
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
