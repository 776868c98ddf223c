//! Index of the functions and structures that a file declares.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use super::{File, Item};

/// Index of a file's items.
#[derive(Clone, Debug, Default)]
pub struct Declared(OnceLock<Names>);

#[derive(Clone, Debug, Default)]
struct Names {
    functions: FxHashSet<String>,
    has_structures: bool,
}

impl File {
    /// Returns whether the file declares a function of that name outside of units.
    pub fn declares_function(&self, name: &str) -> bool {
        self.names().functions.contains(name)
    }

    /// Returns whether the file declares a structure.
    pub fn declares_structures(&self) -> bool {
        self.names().has_structures
    }

    fn names(&self) -> &Names {
        self.declared.0.get_or_init(|| {
            let functions = self.items.iter().filter_map(|item| match item {
                Item::Function(function) => Some(function.name.text.clone()),
                _ => None,
            });
            Names {
                functions: functions.collect(),
                has_structures: self.items.iter().any(|item| matches!(item, Item::Struct(_))),
            }
        })
    }
}
