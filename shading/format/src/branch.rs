//! Branches of `#if`: each begins with the brackets that were open before the first.

use crate::piece::{Piece, PieceKind};

/// Maximum number of items that are kept for the open conditions, so that no text takes long.
const MAX_KEPT: usize = 1 << 16;

/// The states before the open conditions.
pub(crate) struct Branches<T> {
    saved: Vec<Option<Vec<T>>>,
    kept: usize,
}

impl<T> Default for Branches<T> {
    fn default() -> Branches<T> {
        Branches {
            saved: vec![],
            kept: 0,
        }
    }
}

impl<T: Clone> Branches<T> {
    /// Follows a line of the preprocessor.
    pub(crate) fn directive(&mut self, piece: &Piece<'_>, stack: &mut Vec<T>) {
        if piece.kind != PieceKind::Directive {
            return;
        }
        match word(piece.text) {
            "if" | "ifdef" | "ifndef" => {
                let fits = self.kept + stack.len() <= MAX_KEPT;
                self.kept += if fits { stack.len() } else { 0 };
                self.saved.push(fits.then(|| stack.clone()));
            }
            "else" | "elif" => {
                if let Some(Some(saved)) = self.saved.last() {
                    stack.clone_from(saved);
                }
            }
            "endif" => {
                if let Some(Some(saved)) = self.saved.pop() {
                    self.kept -= saved.len();
                }
            }
            _ => {}
        }
    }
}

/// The word of a line of the preprocessor.
fn word(line: &str) -> &str {
    let rest = line[1..].trim_start();
    &rest[..rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len())]
}
