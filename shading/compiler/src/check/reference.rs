//! References to nodes in expressions of groups.

use std::fmt;

use shading_syntax::ast;
use shading_syntax::ast::ExprKind;
use shading_syntax::source::Span;

/// A reference in a group's expression: `tint`, `tex.result`, `a[2]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReferencePath {
    /// Names and indices.
    pub parts: Vec<ReferencePart>,
    /// Source location.
    pub span: Span,
}

/// A part of a [`ReferencePath`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReferencePart {
    /// A name; preceded by a dot unless it is the first.
    Name(String),
    /// A constant index in brackets.
    Index(u32),
}

impl ReferencePath {
    /// Returns the path that an expression denotes, if it is a reference.
    pub fn of(expr: &ast::Expr) -> Option<ReferencePath> {
        let mut path = match &expr.kind {
            ExprKind::Name(name) => ReferencePath {
                parts: vec![ReferencePart::Name(name.clone())],
                span: expr.span,
            },
            ExprKind::Member { object, name } => {
                let mut path = ReferencePath::of(object)?;
                path.parts.push(ReferencePart::Name(name.text.clone()));
                path
            }
            ExprKind::Index { object, index } => {
                let mut path = ReferencePath::of(object)?;
                let index = super::types::constant_int(index)?;
                path.parts.push(ReferencePart::Index(u32::try_from(index).ok()?));
                path
            }
            _ => return None,
        };
        path.span = expr.span;
        Some(path)
    }
}

impl fmt::Display for ReferencePath {
    /// Writes the path as in source.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            match part {
                ReferencePart::Name(name) if i == 0 => f.write_str(name)?,
                ReferencePart::Name(name) => write!(f, ".{name}")?,
                ReferencePart::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
