//! Use of a unit, as adaptive queries see it: connected inputs, types, lengths.

use crate::hir::{LocalId, Operand};
use crate::ty::Type;

/// Use of a parameter by an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ParamUse {
    /// Type of the argument, if the parameter's type is open.
    pub ty: Option<Type>,
    /// Minimum length of an array of any length with its default, because elements are set.
    pub grown: u32,
    /// True if its value is computed at run time.
    pub is_fed: bool,
    /// True if the parameter has a value, constant or not.
    pub is_given: bool,
    /// For an output: true if it is read.
    pub is_read: bool,
    /// True if it is set to the name of an image.
    pub is_image: bool,
}

/// Uses of an instance's parameters, by name. Other parameters have their defaults and are not read.
pub type UnitUse = [(String, ParamUse)];

/// Known facts about a unit's use during its check.
#[derive(Debug, Default)]
pub(super) struct Adaptive {
    pub(super) uses: Vec<(String, ParamUse)>,
    /// True if the unit or the function being lowered has a parameter of type `any`.
    pub(super) is_generic: bool,
    /// Parameters of the unit, by the variables that hold them or (in inlined functions) copies of them.
    pub(super) params: rustc_hash::FxHashMap<LocalId, String>,
    /// Parameters with queries about their use.
    pub(super) queried: rustc_hash::FxHashSet<String>,
    /// Parameters with a query `isgiven`.
    pub(super) asked_given: rustc_hash::FxHashSet<String>,
}

impl Adaptive {
    pub(super) fn used(&self, name: &str) -> ParamUse {
        let found = self.uses.iter().find(|(known, _)| known == name);
        found.map(|(_, used)| *used).unwrap_or_default()
    }

    /// Records that a variable is a copy of another.
    pub(super) fn alias(&mut self, local: LocalId, of: Operand) {
        if let Operand::Local(of) = of
            && let Some(name) = self.params.get(&of).cloned()
        {
            self.params.insert(local, name);
        }
    }
}
