//! The lobes that stand for each closure.

use std::sync::LazyLock;

use shading_compiler::hir::ClosureSignature;

use crate::part::{Part, Parts};

const TEXT: &str = include_str!("closure_table.txt");

/// An addition to the lobes of a surface.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) kind: PieceKind,
    /// Expressions, in which `$name` is a parameter of the closure.
    pub(crate) args: Vec<String>,
}

/// What a piece adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// To a part.
    Part(Part),
    /// The closure of the argument.
    Base,
    /// Two closures, the first on top of the other.
    Over,
    /// A closure under a coat.
    Under,
}

impl Piece {
    /// Returns whether a pass with the given parts needs it.
    pub(crate) fn is_needed(&self, parts: Parts) -> bool {
        match self.kind {
            PieceKind::Part(part) => parts.contains(part),
            PieceKind::Base | PieceKind::Over | PieceKind::Under => true,
        }
    }

    /// Returns whether it mentions a parameter.
    pub(crate) fn mentions(&self, param: &str) -> bool {
        self.args.iter().any(|arg| params(arg).any(|name| name == param))
    }
}

/// Names of the parameters in an expression.
fn params(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}

/// Replaces the parameters in an expression.
pub(crate) fn replace(text: &str, mut value: impl FnMut(&str) -> String) -> String {
    let mut parts = text.split('$');
    let mut result = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        result += &value(&rest[..end]);
        result += &rest[end..];
    }
    result
}

static TABLE: LazyLock<Vec<(&str, Vec<Piece>)>> = LazyLock::new(|| {
    let lines = TEXT
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entries = lines.filter_map(|line| line.split_once(':'));
    entries
        .map(|(name, pieces)| (name, pieces.split(';').flat_map(pieces_of).collect()))
        .collect()
});

/// The pieces of a part of a line: `body` and its kin are several.
fn pieces_of(text: &str) -> Vec<Piece> {
    let Some((name, args)) = text
        .trim()
        .strip_suffix(')')
        .and_then(|text| text.split_once('('))
    else {
        return vec![];
    };
    let args = split_args(args);
    let piece = |part: Part, args: &[&str]| Piece {
        kind: PieceKind::Part(part),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
    };
    let texts: Vec<&str> = args.iter().map(String::as_str).collect();
    match (name, &texts[..]) {
        ("body", [color, n]) => vec![piece(Part::Diffuse, &[color]), piece(Part::Normal, &[color, n])],
        ("shine", [f0, f90, along, across, n, tangent]) => vec![
            piece(Part::Specular, &[f0, f90, along, across]),
            piece(Part::Normal, &[&format!("{f0} + {f90} * 0.01"), n]),
            piece(Part::Tangent, &[f90, tangent]),
        ],
        ("glass", _) => vec![piece(Part::Transmission, &texts)],
        ("over", _) => vec![Piece {
            kind: PieceKind::Over,
            args,
        }],
        ("under", _) => vec![Piece {
            kind: PieceKind::Under,
            args,
        }],
        ("as", _) => vec![Piece {
            kind: PieceKind::Base,
            args,
        }],
        (name, _) => Part::from_name(name)
            .map(|part| piece(part, &texts))
            .into_iter()
            .collect(),
    }
}

/// Splits arguments at the commas outside of parentheses.
fn split_args(text: &str) -> Vec<String> {
    let mut args = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                args.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = args.last_mut()
            && !(last.is_empty() && c == ' ')
        {
            last.push(c);
        }
    }
    args
}

/// Returns the pieces of a closure; `None` if it is not in the table.
pub(crate) fn pieces(signature: &ClosureSignature) -> Option<&'static [Piece]> {
    let has = |name: &str| signature.params.iter().any(|param| param.name == name);
    let fits = |pieces: &[Piece]| {
        let mut names = pieces
            .iter()
            .flat_map(|piece| &piece.args)
            .flat_map(|arg| params(arg));
        names.all(has)
    };
    let found = TABLE
        .iter()
        .find(|(name, pieces)| *name == signature.name && fits(pieces));
    found.map(|(_, pieces)| &pieces[..])
}
