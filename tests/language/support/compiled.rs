//! Comparison of compiled code with the interpreter, bit for bit.

use std::collections::BTreeSet;

use shading::interp::{Closures, Listing, Outcome, Value};
use shading::ty::{Base, Type};
use shading::{BatchOutput, ClosureRegistry, ShaderGlobals, ShaderInstance, ShadingContext};

/// Describes the first difference between the last run of compiled code and one of the interpreter. Not compared are
/// reports, and arrays of closures, which cannot be read back.
pub fn difference(
    instance: &ShaderInstance,
    context: &mut ShadingContext,
    registry: &ClosureRegistry,
    expected: &Outcome,
) -> Option<String> {
    if context.finished() != expected.finished {
        return Some(format!("finished: {} and {}", context.finished(), expected.finished));
    }
    let printed = context.take_pieces().without_optional_errors().text();
    let shown = expected.printed.clone().without_optional_errors().text();
    if printed != shown {
        return Some(format!("printed: {printed:?} and {shown:?}"));
    }
    if expected.written != *context.written() {
        return Some(format!("written: {:?} and {:?}", context.written(), expected.written));
    }
    if instance.outputs().len() != expected.outputs.len() {
        return Some("other outputs".to_owned());
    }
    for (i, output) in instance.outputs().iter().enumerate() {
        let name = &output.name;
        match expected.output(name) {
            Some(Value::Plain(value)) => {
                let found = instance.output(i, context).unwrap();
                if !found.same(value) {
                    return Some(format!("{name}: {found:?} and {value:?}"));
                }
            }
            Some(Value::Closure(root)) => {
                let found = Listing::of(instance.closure(i, context).unwrap(), registry);
                let listed = Closures::list(&expected.closures, *root);
                if !found.same(&listed) {
                    return Some(format!("{name}: {found:?} and {listed:?}"));
                }
            }
            Some(Value::Closures(_)) => {}
            None => return Some(format!("output {name} is missing")),
        }
    }
    None
}

/// Returns the number of scalars in a value.
fn numbers_of(ty: Type) -> usize {
    let one = match ty.base {
        Base::String | Base::Closure | Base::Void | Base::Struct(_) => 0,
        Base::Int | Base::Float => 1,
        Base::Color | Base::Point | Base::Vector | Base::Normal => 3,
        Base::Matrix => 16,
    };
    one * ty.count() as usize
}

/// Describes the first difference between a run over many points as a batch and one over them one by one: the numbers of
/// all outputs, the number of points shaded, and what was printed and reported. `context` creates a context.
pub fn batch_difference(
    instance: &ShaderInstance,
    points: &[ShaderGlobals],
    context: impl Fn() -> ShadingContext,
) -> Option<String> {
    let sizes: Vec<usize> = instance.outputs().iter().map(|o| numbers_of(o.ty)).collect();
    let images = || -> Vec<Vec<f32>> { sizes.iter().map(|n| vec![0.0; n * points.len()]).collect() };
    let (mut expected, mut single, mut finished) = (images(), context(), points.len());
    for (i, globals) in points.iter().enumerate() {
        instance.run(globals, &mut single).unwrap();
        if !single.finished() {
            finished = i;
            break;
        }
        for (output, (image, n)) in expected.iter_mut().zip(&sizes).enumerate() {
            instance.output_numbers(output, &single, &mut image[i * n..][..*n]).unwrap();
        }
    }
    let (mut found, mut batch) = (images(), context());
    let mut stored: Vec<BatchOutput<'_>> = found
        .iter_mut()
        .enumerate()
        .map(|(index, numbers)| BatchOutput { index, numbers })
        .collect();
    let done = instance.run_batch(points, &mut batch, &mut stored).unwrap();
    if done != finished {
        return Some(format!("{done} points came to their end, not {finished}"));
    }
    let reports = |context: &mut ShadingContext| -> BTreeSet<String> {
        let list = context.take_reports().into_iter();
        // All statements of random units have the same place, which is reported once.
        list.map(|report| format!("{:?}", report.kind)).collect()
    };
    let (found_reports, expected_reports) = (reports(&mut batch), reports(&mut single));
    if found_reports != expected_reports {
        return Some(format!("reports: {found_reports:?} and {expected_reports:?}"));
    }
    let (printed, shown) = (batch.take_printed(), single.take_printed());
    if printed != shown {
        return Some(format!("printed: {printed:?} and {shown:?}"));
    }
    if batch.take_written() != single.take_written() {
        return Some("other points are written".to_owned());
    }
    for (output, (found, expected)) in found.iter().zip(&expected).enumerate() {
        for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
            if found.to_bits() != expected.to_bits() && !(found.is_nan() && expected.is_nan()) {
                let name = &instance.outputs()[output].name;
                return Some(format!("number {i} of {name}: {found} and {expected}"));
            }
        }
    }
    None
}
