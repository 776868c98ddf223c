//! Unit that is ready for code generation.

use super::fingerprint;
use super::place::PlaceTable;
use shading_compiler::hir::closures::{self, ClosureConstants};
use shading_compiler::hir::{NumberIds, Numbers, Unit};

/// A unit that is ready for code generation, with the tables that its machine code refers to.
#[derive(Debug)]
pub(crate) struct CodegenUnit {
    /// The unit; each use of a number in it has its own constant.
    pub(super) unit: Unit,
    /// Table of its numbers, which compiled code reads from memory.
    pub(super) numbers: Numbers,
    /// Constant parameters of its closures.
    pub(super) closures: ClosureConstants,
    /// Table of its source locations.
    pub(super) places: PlaceTable,
}

impl CodegenUnit {
    /// Prepares a linked unit.
    pub(crate) fn new(mut unit: Unit) -> CodegenUnit {
        let closures = closures::constants(&unit);
        let numbers = Numbers::of(&mut unit);
        let places = PlaceTable::of(&unit);
        CodegenUnit { unit, numbers, closures, places }
    }

    /// Returns the indices of numbers in the table, by the former ids of their constants.
    pub(crate) fn numbers_before(&self) -> &NumberIds {
        &self.numbers.before
    }

    /// Returns the hash by which instances share code: see [`fingerprint::structure`].
    pub(crate) fn structure(&self) -> u128 {
        fingerprint::structure(&self.unit, &self.places)
    }
}
