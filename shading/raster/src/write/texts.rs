//! Texts of a program, which are numbers at run time.

use std::sync::Arc;

/// The texts that a program names; the empty one has the number 0, so that it counts as false.
#[derive(Debug, Default)]
pub(super) struct Texts {
    list: Vec<Arc<str>>,
}

impl Texts {
    /// Returns the number of a text.
    pub(super) fn number(&mut self, text: &str) -> usize {
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
