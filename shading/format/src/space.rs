//! White space between two pieces of a line: none or one space.

use crate::piece::{Piece, PieceKind, fuse};
use crate::role::{BlockKind, Role};

/// Returns the white space between two adjacent pieces of a line [columns].
pub(crate) fn gap(before: (&Piece<'_>, Role), after: (&Piece<'_>, Role)) -> usize {
    let preferred = preferred_gap(before, after);
    if preferred == 0 && fuse(before.0.text, after.0.text) {
        return 1;
    }
    preferred
}

fn preferred_gap((left, before): (&Piece<'_>, Role), (right, after): (&Piece<'_>, Role)) -> usize {
    let as_written = right.gap.min(1);
    if right.kind == PieceKind::LineComment {
        return 1;
    }
    if left.is_comment() || right.is_comment() || before == Role::Other || after == Role::Other {
        return if right.newlines > 0 { 1 } else { as_written };
    }
    match (before, after) {
        // Two brackets `]` of an unmatched pair must not become the `]]` that ends metadata.
        _ if left.text.ends_with(']') && right.text == "]" => as_written,
        (Role::BlockOpen(kind), Role::BlockClose) => usize::from(kind == BlockKind::Scene),
        (
            Role::ParenOpen
            | Role::IndexOpen
            | Role::ListOpen
            | Role::Dot
            | Role::TemplateOpen
            | Role::Prefix,
            _,
        ) => 0,
        (_, Role::Comma | Role::Semi | Role::Dot | Role::Postfix) => 0,
        (_, Role::ParenClose | Role::CastClose | Role::IndexClose | Role::ListClose) => 0,
        (_, Role::TemplateOpen | Role::TemplateClose) => 0,
        (_, Role::IndexOpen) => 0,
        (Role::Word | Role::TemplateClose | Role::ParenClose | Role::IndexClose, Role::ParenOpen) => 0,
        (_, _) => 1,
    }
}
