//! Use of a unit as seen by adaptive queries: connected inputs, types, lengths.

use crate::hir::{LocalId, Operand};
use crate::ty::Type;

/// How a parameter of an instance is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ParamUse {
    /// The type of what is given, where the unit leaves it open.
    pub ty: Option<Type>,
    /// Whether something that is made at run time feeds it.
    pub is_fed: bool,
    /// Whether something reads it, when it is an output.
    pub is_read: bool,
    /// Whether it is given the name of an image.
    pub is_image: bool,
}

/// How the parameters of an instance are used, by name; those not listed have their defaults, and nobody reads them.
pub type Uses = [(String, ParamUse)];

/// What the check of a unit knows of its use.
#[derive(Debug, Default)]
pub(super) struct Adaptive {
    pub(super) uses: Vec<(String, ParamUse)>,
    /// Whether the unit has a parameter of type `any`.
    pub(super) is_generic: bool,
    /// The parameters of the unit by the variables that hold them, or that have their values in inlined functions.
    pub(super) params: rustc_hash::FxHashMap<LocalId, String>,
    /// Parameters whose use was asked for.
    pub(super) asked: rustc_hash::FxHashSet<String>,
}

impl Adaptive {
    pub(super) fn used(&self, name: &str) -> ParamUse {
        let found = self.uses.iter().find(|(known, _)| known == name);
        found.map(|(_, used)| *used).unwrap_or_default()
    }

    /// Notes that a variable has the value of another.
    pub(super) fn alias(&mut self, local: LocalId, of: Operand) {
        if let Operand::Local(of) = of
            && let Some(name) = self.params.get(&of).cloned()
        {
            self.params.insert(local, name);
        }
    }
}
