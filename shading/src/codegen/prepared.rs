//! A unit before its code is generated.

use super::fingerprint;
use super::place::PlaceTable;
use shading_compiler::hir::closures::{self, ClosureConstants};
use shading_compiler::hir::{NumberIds, Numbers, Unit};

/// A unit that is ready to be compiled: what its machine code has of it, apart from what each instance has of its own.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The unit; each use of a number in it has a constant of its own.
    pub(super) unit: Unit,
    /// Its numbers, which compiled code reads from memory.
    pub(super) numbers: Numbers,
    /// The constant parameters of its closures.
    pub(super) closures: ClosureConstants,
    /// Its places, which compiled code knows by index.
    pub(super) places: PlaceTable,
}

impl Prepared {
    /// Prepares a linked unit.
    pub(crate) fn new(mut unit: Unit) -> Prepared {
        let closures = closures::constants(&unit);
        let numbers = Numbers::of(&mut unit);
        let places = PlaceTable::of(&unit);
        Prepared {
            unit,
            numbers,
            closures,
            places,
        }
    }

    /// Where numbers are in the table, by the ids of their constants before.
    pub(crate) fn numbers_before(&self) -> &NumberIds {
        &self.numbers.before
    }

    /// Hash by which instances share code: see [`fingerprint::structure`].
    pub(crate) fn structure(&self) -> u128 {
        fingerprint::structure(&self.unit, &self.places)
    }
}
