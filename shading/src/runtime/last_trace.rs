//! The last traced ray of a run: the messages about its hit, `getmessage("trace", …)`.

use crate::runtime::{ShaderHost, TraceHit};
use shading_compiler::builtins::Global;
use shading_compiler::eval::float_to_int;
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Const, Kind};

/// Result of the last ray of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LastTrace {
    /// `None` before the first ray; then its hit, if any.
    result: Option<Option<TraceHit>>,
}

impl LastTrace {
    /// Records the result of a ray; returns whether it hit anything.
    pub(crate) fn note(&mut self, hit: Option<TraceHit>) -> bool {
        self.result = Some(hit);
        hit.is_some()
    }

    /// Returns the message of a name and kind: `hit`, `hitdist`, a global of the hit point, or an attribute of the hit
    /// object.
    pub(crate) fn message(&self, host: &dyn ShaderHost, name: &str, kind: Kind) -> Option<Const> {
        let result = self.result?;
        match (name, kind) {
            ("hit", Kind::INT) => return Some(Const::Int(i32::from(result.is_some()))),
            ("hitdist", Kind::FLOAT) => return Some(Const::Float(result?.distance)),
            ("hit" | "hitdist", _) => return None,
            _ => {}
        }
        let point = host.traced_point(&result?)?;
        if let Some(global) = Global::from_name(name) {
            return Some(point.value(global)).filter(|value| Kind::of_const(value) == Some(kind));
        }
        match kind {
            Kind::INT | Kind::FLOAT | Kind::TRIPLE => {
                host.attribute(&point, "", name).map(|value| of_lanes(kind, value))
            }
            _ => host
                .any_attribute(&point, "", name, None, kind)
                .filter(|value| Kind::of_const(value) == Some(kind)),
        }
    }
}

/// Converts the floats of an attribute to a value of a kind; zero for a kind with more floats.
pub(crate) fn of_lanes(kind: Kind, lanes @ [x, y, z, _]: [f32; 4]) -> Const {
    match kind {
        Kind::INT => Const::Int(float_to_int(x)),
        Kind::FLOAT => Const::Float(x),
        Kind::TRIPLE => Const::Triple([x, y, z]),
        Kind::Array(Element::Float, 4) => Const::Array(lanes.map(Const::Float).to_vec()),
        kind => kind.zero(),
    }
}
