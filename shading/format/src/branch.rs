//! Bracket stacks of `#if` branches: each branch begins with the brackets that are open before the `#if`.

use crate::piece::{Piece, PieceKind};

/// Maximum number of stack entries that are saved for open conditions; bounds the cost of nested conditions.
const MAX_SAVED: usize = 1 << 16;

/// Stacks saved at the open conditions.
pub(crate) struct Branches<T> {
    saved: Vec<Option<Vec<T>>>,
    saved_items: usize,
}

impl<T> Default for Branches<T> {
    fn default() -> Branches<T> {
        Branches { saved: vec![], saved_items: 0 }
    }
}

impl<T: Clone> Branches<T> {
    /// Saves or restores the stack at a preprocessor directive.
    pub(crate) fn directive(&mut self, piece: &Piece<'_>, stack: &mut Vec<T>) {
        if piece.kind != PieceKind::Directive {
            return;
        }
        match word(piece.text) {
            "if" | "ifdef" | "ifndef" => {
                let fits = self.saved_items + stack.len() <= MAX_SAVED;
                self.saved_items += if fits { stack.len() } else { 0 };
                self.saved.push(fits.then(|| stack.clone()));
            }
            "else" | "elif" => {
                if let Some(Some(saved)) = self.saved.last() {
                    stack.clone_from(saved);
                }
            }
            "endif" => {
                if let Some(Some(saved)) = self.saved.pop() {
                    self.saved_items -= saved.len();
                }
            }
            _ => {}
        }
    }
}

/// Name of a preprocessor directive.
fn word(line: &str) -> &str {
    let rest = line[1..].trim_start();
    &rest[..rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len())]
}
