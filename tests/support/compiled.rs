//! What compiled code made against what the interpreter made, bit for bit.

use shading::interp::{Closures, Listing, Outcome, Value};
use shading::{ClosureRegistry, ShaderInstance, ShadingContext};

/// The first difference between the last run of compiled code and one of the interpreter, in words. Reports are not
/// looked at, nor are arrays of closures, which cannot be read back.
pub fn difference(
    instance: &ShaderInstance,
    context: &mut ShadingContext,
    registry: &ClosureRegistry,
    expected: &Outcome,
) -> Option<String> {
    if context.finished() != expected.finished {
        return Some(format!(
            "finished: {} and {}",
            context.finished(),
            expected.finished
        ));
    }
    let printed = context.take_pieces().without_mistakes().text();
    let shown = expected.printed.clone().without_mistakes().text();
    if printed != shown {
        return Some(format!("printed: {printed:?} and {shown:?}"));
    }
    if instance.outputs().len() != expected.outputs.len() {
        return Some("other outputs".to_owned());
    }
    for (i, output) in instance.outputs().iter().enumerate() {
        let name = &output.name;
        match expected.output(name) {
            Some(Value::Plain(value)) => {
                let found = instance.output(i, context);
                if !found.same(value) {
                    return Some(format!("{name}: {found:?} and {value:?}"));
                }
            }
            Some(Value::Closure(root)) => {
                let found = Listing::of(instance.closure(i, context), registry);
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
