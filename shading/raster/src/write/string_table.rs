//! Strings of a program, which are represented by indices.

use std::sync::Arc;

/// Strings that a program names. The empty string has index 0, so that it counts as false.
#[derive(Debug, Default)]
pub(super) struct StringTable {
    list: Vec<Arc<str>>,
}

impl StringTable {
    pub(super) fn index(&mut self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        let known = self.list.iter().position(|known| **known == *text);
        known.unwrap_or_else(|| {
            self.list.push(text.into());
            self.list.len() - 1
        }) + 1
    }
}
