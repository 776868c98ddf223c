//! Text form of closures, as OSL prints them: `(w, w, w) * name (parameters)`, one line for each component.

use std::fmt::Write as _;

use crate::runtime::listing::{Component, Listing, Param};
use shading_compiler::eval::text::{Arg, format};
use shading_compiler::hir::Const;
use shading_compiler::hir::{ClosureParam, ClosureRegistry};

/// Maximum nesting of closures in the text; deeper closures are printed as `…`.
const MAX_NESTING: usize = 64;

/// Returns a closure as text; empty for the null closure.
pub fn closure_text(listing: &Listing, registry: &ClosureRegistry) -> String {
    let mut text = String::new();
    if listing.lists.first().is_none_or(Vec::is_empty) {
        return text;
    }
    Printer { listing, registry }.sum(0, 0, "\n\t+ ", &mut text);
    if listing.truncated {
        text.push_str("\n\t+ …");
    }
    text
}

struct Printer<'a> {
    listing: &'a Listing,
    registry: &'a ClosureRegistry,
}

impl Printer<'_> {
    fn sum(&self, list: usize, depth: usize, plus: &str, text: &mut String) {
        let components = self.listing.lists.get(list).map_or(&[][..], Vec::as_slice);
        if components.is_empty() {
            text.push('0');
        }
        for (i, component) in components.iter().enumerate() {
            if i > 0 {
                text.push_str(plus);
            }
            self.component(component, depth, text);
        }
    }

    fn component(&self, component: &Component, depth: usize, text: &mut String) {
        let signature = &self.registry[component.id];
        // Writing to a string cannot fail.
        let _ = write!(text, "{} * {} (", triple(component.weight), signature.name);
        let params = component.params.iter().zip(&signature.params);
        for (i, (param, declared)) in
            params.filter(|(param, declared)| is_printed(param, declared)).enumerate()
        {
            if i > 0 {
                text.push_str(", ");
            }
            // Optional parameters are printed as keyword arguments.
            if declared.default.is_some() {
                let _ = write!(text, "\"{}\", ", declared.name);
            }
            match param {
                Param::Closure(_) if depth == MAX_NESTING => text.push('…'),
                Param::Closure(list) => self.sum(*list, depth + 1, " + ", text),
                Param::Value(value) => text.push_str(&value_text(value)),
            }
        }
        text.push(')');
    }
}

/// Parameters that renderers add to closures of OSL. They are printed only if they differ from their defaults, as OSL's
/// texts lack them.
const EXTENSIONS: [&str; 1] = ["energy_compensation"];

fn is_printed(param: &Param, declared: &ClosureParam) -> bool {
    match (param, &declared.default) {
        (Param::Value(value), Some(default)) => !EXTENSIONS.contains(&declared.name) || !value.same(default),
        _ => true,
    }
}

fn value_text(value: &Const) -> String {
    match value {
        Const::Int(v) => v.to_string(),
        Const::Float(v) => number(*v),
        Const::Triple(v) => triple(*v),
        Const::Matrix(v) => format("(%g)", &[Arg::Floats(v)]).0,
        Const::String(v) => format!("\"{v}\""),
        Const::Array(list) => format!("[{}]", list.iter().map(value_text).collect::<Vec<_>>().join(", ")),
        Const::NullClosure => "0".to_owned(),
    }
}

fn triple([x, y, z]: [f32; 3]) -> String {
    format!("({}, {}, {})", number(x), number(y), number(z))
}

fn number(v: f32) -> String {
    format("%g", &[Arg::Floats(&[v])]).0
}

#[cfg(test)]
mod tests {
    use shading_compiler::hir::ClosureId;
    use shading_compiler::hir::ClosureSignature;
    use shading_compiler::ty::Type;

    use super::*;

    #[test]
    fn shows_weights_parameters_and_what_lies_beneath() {
        let mut registry = ClosureRegistry::default();
        let label = ClosureParam::optional("label", Type::STRING, Const::String("".into()));
        let extension = ClosureParam::optional("energy_compensation", Type::INT, Const::Int(0));
        let params = vec![ClosureParam::new("N", Type::NORMAL), label, extension];
        let diffuse = registry.register(ClosureSignature { name: "diffuse", params });
        let diffuse = diffuse.unwrap();
        let params = vec![ClosureParam::new("base", Type::CLOSURE), ClosureParam::new("ior", Type::FLOAT)];
        let coat = registry.register(ClosureSignature { name: "coat", params }).unwrap();
        let component = |id: ClosureId, w: f32, params| Component { id, weight: [w; 3], params };
        let lambert = |w| {
            let label = Param::Value(Const::String("x".into()));
            component(
                diffuse,
                w,
                vec![
                    Param::Value(Const::Triple([0.0, 0.0, 1.0])),
                    label,
                    Param::Value(Const::Int(i32::from(w == 1.0))),
                ],
            )
        };
        let coated = component(coat, 0.25, vec![Param::Closure(1), Param::Value(Const::Float(1.5))]);
        let listing = Listing {
            lists: vec![vec![lambert(0.5), coated], vec![lambert(1.0)]],
            truncated: false,
        };
        let text = closure_text(&listing, &registry);
        let expected = "(0.5, 0.5, 0.5) * diffuse ((0, 0, 1), \"label\", \"x\")\n\t+ (0.25, 0.25, 0.25) * \
                        coat ((1, 1, 1) * diffuse ((0, 0, 1), \"label\", \"x\", \"energy_compensation\", 1), 1.5)";
        assert_eq!(text, expected);
        assert_eq!(closure_text(&Listing::default(), &registry), "");
    }
}
