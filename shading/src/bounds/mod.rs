//! Bounds of shaders by interval arithmetic: the third evaluator of HIR, besides the interpreter and machine code.
//!
//! [`evaluate`] takes a box of shading points and returns bounds of the outputs of a unit: no run of the interpreter or of
//! compiled code at a point of the box has a result outside. Renderers use it where points do not suffice, such as for the
//! majorant of a procedural medium.
//!
//! - Each operation has a rule from bounds to bounds, in the files of its family: [`number`] and [`integer`] (arithmetic),
//!   [`logic`] (comparisons), [`function`] (elementary functions), [`noise`] and [`pattern`], [`matrix`], [`point`]
//!   (globals and services of the host). Operations without a rule give any value. Constant operands are evaluated by
//!   [`shading_compiler::eval`].
//! - Arithmetic keeps the dependence of results on one other value as a [`polynomial`], so that `mix` and `smoothstep` have
//!   exact bounds.
//! - Undecided branches are both evaluated, with the values that the condition allows ([`narrow`]), and undecided loops are extrapolated: see [`machine`].
//! - Bounds include rounding: see [`range`]. A value that may be NaN or infinite has bounds that say so.
//!
//! Moore, "Interval Analysis", 1966, for the method; Heidrich, Slusallek & Seidel, "Sampling Procedural Shaders Using Affine
//! Arithmetic", 1998, for shaders.

mod bound;
mod frame;
mod function;
mod host;
mod integer;
mod logic;
mod machine;
mod matrix;
mod narrow;
mod noise;
mod number;
mod operation;
mod pattern;
mod point;
mod polynomial;
mod range;
mod refine;
mod value;

use shading_compiler::hir::Unit;

pub use bound::{Bound, ClosureBound, ComponentBound};
pub use host::{BoundsHost, BoundsOptions, ShadingBox, TextureBox, UnknownHost};
pub use integer::IntRange;
pub use range::Range;
pub use refine::{RefinedBox, joined, refine};

/// Bounds of the outputs of a unit.
#[derive(Clone, Debug)]
pub struct UnitBounds {
    /// Outputs, in order of the unit's parameters.
    pub outputs: Vec<(String, Bound)>,
    /// True if a run may be aborted; it then has no closures.
    pub may_abort: bool,
    /// Number of evaluated statements, which is proportional to the time.
    pub statements: u32,
}

impl UnitBounds {
    /// Returns the bounds of an output.
    pub fn output(&self, name: &str) -> Option<&Bound> {
        self.outputs.iter().find(|(known, _)| known == name).map(|(_, bound)| bound)
    }
}

/// Returns the bounds of a unit's outputs.
pub fn evaluate(unit: &Unit, options: &BoundsOptions<'_>) -> UnitBounds {
    let mut machine = machine::Machine::new(unit, options);
    let outputs = machine.run();
    let names = unit.params.iter().filter(|param| param.output).map(|param| param.name.clone());
    UnitBounds {
        outputs: names.zip(outputs.values.iter().map(Bound::of)).collect(),
        may_abort: outputs.may_abort,
        statements: machine.statements,
    }
}
