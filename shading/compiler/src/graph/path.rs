//! Paths of values in a group: `tex.result`, `tex.result.r`, `s.field`, `a[2]`.

use std::borrow::Cow;
use std::fmt;

use crate::check::{ReferencePart, ReferencePath};
use shading_syntax::ast::{Expr, ExprKind, Name};
use shading_syntax::source::Span;

/// Selects a part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accessor {
    /// `.name`: a field of a structure, or a component (`r g b`, `x y z`) of a triple.
    Field(String),
    /// `[i]`: an element of an array, or a component of a triple.
    Index(u32),
}

/// A value in a group: an input or output of a node, or (without a node) an input of the group itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// First name: that of a node instance or a group input.
    pub head: String,
    /// Accessors; the first one after a node is the parameter.
    pub rest: Vec<Accessor>,
}

impl Path {
    /// Creates a path.
    pub fn new(head: String, rest: Vec<Accessor>) -> Path {
        Path { head, rest }
    }

    /// Parses `a.b[2].c`; `None` if the syntax is invalid.
    pub fn parse(text: &str) -> Option<Path> {
        let mut rest = vec![];
        let mut parts = text.split('.');
        let (head, indices) = split_indices(parts.next()?)?;
        rest.extend(indices);
        for part in parts {
            let (name, indices) = split_indices(part)?;
            rest.push(Accessor::Field(name));
            rest.extend(indices);
        }
        Some(Path::new(head, rest))
    }

    /// The path as an expression.
    pub(crate) fn expression(&self) -> Expr {
        let span = Span::default();
        let head = ExprKind::Name(self.head.clone());
        self.rest.iter().fold(Expr::new(head, span), |object, accessor| {
            let object = Box::new(object);
            let kind = match accessor {
                Accessor::Field(name) => {
                    let text = name.clone();
                    let name = Name { text, span };
                    ExprKind::Member { object, name }
                }
                Accessor::Index(index) => {
                    let kind = ExprKind::Int((*index).into());
                    let index = Box::new(Expr::new(kind, span));
                    ExprKind::Index { object, index }
                }
            };
            Expr::new(kind, span)
        })
    }
}

impl Path {
    /// Returns the path with fields of structures before indices, as values are named: an element `s[1].w` of an array of
    /// structures is an element of the array `s.w`. `exists` returns whether a value has a name. `None` if the path has this
    /// form already.
    pub(crate) fn fields_first(&self, exists: impl Fn(&str) -> bool) -> Option<Path> {
        if !self.rest.iter().any(|accessor| matches!(accessor, Accessor::Index(_))) {
            return None;
        }
        let mut name = self.head.clone();
        let (mut fields, mut rest) = (vec![], vec![]);
        let mut is_moved = false;
        for accessor in &self.rest {
            if let Accessor::Field(field) = accessor {
                let longer = format!("{name}.{field}");
                if exists(&longer) {
                    name = longer;
                    is_moved |= !rest.is_empty();
                    fields.push(accessor.clone());
                    continue;
                }
            }
            rest.push(accessor.clone());
        }
        fields.append(&mut rest);
        is_moved.then(|| Path::new(self.head.clone(), fields))
    }
}

/// Returns whether a name denotes the structure called `structure`, or a value in it.
pub(crate) fn is_in(name: &str, structure: &str) -> bool {
    name.strip_prefix(structure)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl From<&ReferencePath> for Path {
    fn from(reference: &ReferencePath) -> Path {
        let mut parts = reference.parts.iter().map(|part| match part {
            ReferencePart::Name(name) => Accessor::Field(name.clone()),
            ReferencePart::Index(i) => Accessor::Index(*i),
        });
        let head = match parts.next() {
            Some(Accessor::Field(name)) => name,
            Some(Accessor::Index(_)) | None => String::new(),
        };
        Path::new(head, parts.collect())
    }
}

/// Splits `name[1][2]` into name and indices.
fn split_indices(part: &str) -> Option<(String, Vec<Accessor>)> {
    let (name, mut tail) = match part.find('[') {
        Some(i) => part.split_at(i),
        None => (part, ""),
    };
    let starts_well = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if !starts_well || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let mut indices = vec![];
    while !tail.is_empty() {
        let (index, after) = tail.strip_prefix('[')?.split_once(']')?;
        indices.push(Accessor::Index(index.parse().ok()?));
        tail = after;
    }
    Some((name.to_owned(), indices))
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head)?;
        for accessor in &self.rest {
            accessor.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Accessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Accessor::Field(name) => write!(f, ".{name}"),
            Accessor::Index(i) => write!(f, "[{i}]"),
        }
    }
}

/// Splits a path into the longest dotted name that `exists` and the remaining accessors.
pub(crate) fn longest_name(path: &Path, exists: impl Fn(&str) -> bool) -> (Cow<'_, str>, &[Accessor]) {
    let mut best = (Cow::Borrowed(path.head.as_str()), 0);
    let mut name = String::new();
    for (i, accessor) in path.rest.iter().enumerate() {
        let Accessor::Field(field) = accessor else { break };
        if i == 0 {
            name.clone_from(&path.head);
        }
        name.push('.');
        name.push_str(field);
        if exists(&name) {
            best = (Cow::Owned(name.clone()), i + 1);
        }
    }
    (best.0, &path.rest[best.1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_prints() {
        for text in ["a", "tex.result", "tex.result.r", "a[2]", "n.list[3].x"] {
            assert_eq!(Path::parse(text).map(|p| p.to_string()).as_deref(), Some(text));
        }
        for text in ["", ".", "a.", "a[", "a[x]", "a[1", "1a", "a b"] {
            assert_eq!(Path::parse(text), None, "{text}");
        }
    }
}
