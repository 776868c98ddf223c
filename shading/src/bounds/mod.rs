//! Bounds of shaders by interval arithmetic: the third evaluator of HIR, after the interpreter and machine code.
//!
//! [`evaluate`] runs a unit, such as the HIR of an instance ([`InstanceOptions::keeps_hir`](crate::InstanceOptions::keeps_hir)),
//! on a box of shading points. It returns ranges of the outputs, and for closures the possible components with ranges of
//! weights and parameters. Results of the interpreter and of compiled code at points of the box are within these bounds.
//! Renderers use them where samples do not suffice, such as for the majorant of a procedural medium.
//!
//! - Each operation has a rule from ranges to ranges, in the file of its family: [`number`] and [`integer`] (arithmetic),
//!   [`logic`] (comparisons), [`function`] (elementary functions), [`noise`] and [`pattern`], [`matrix`], [`point`] (globals
//!   and services of the host). Operations without a rule give any value; [`shading_compiler::eval`] evaluates constants.
//! - Plain intervals lose the dependence of operands on each other: `x - x` would not be 0. Affine arithmetic keeps linear
//!   dependence; Kiln keeps a [`polynomial`] of one value, so that `mix`, `smoothstep` and `x * (1 - x)` are exact.
//! - Both branches of an undecided condition are evaluated, with operands that the comparison allows ([`narrow`]), and
//!   joined. Undecided loops are extrapolated up to a fixed point: see [`machine`].
//! - Bounds include rounding: see [`range`]. A range has a flag for NaN.
//! - Gradient noise has bounds by lattice cell in small boxes, and its range in large ones. Gabor noise, textures, traces, point
//!   clouds and dictionaries are unknown. Matrices and attributes are those of a [`BoundsHost`].
//! - The excess of bounds decreases in proportion to the size of the box, so users subdivide. The sum of octaves of noise is
//!   tight only in boxes smaller than the cells of its finer octaves.
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
mod value;

use shading_compiler::hir::Unit;

pub use bound::{Bound, ClosureBound, ComponentBound};
pub use host::{BoundsHost, BoundsOptions, ShadingBox, UnknownHost};
pub use integer::IntRange;
pub use range::Range;

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
