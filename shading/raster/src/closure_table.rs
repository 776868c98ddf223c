//! Table of closures: the lobes of each closure of the path tracer.

use std::sync::LazyLock;

use shading_compiler::hir::ClosureSignature;

use crate::part::{Part, Parts};

const TEXT: &str = include_str!("closure_table.txt");

/// Term that a closure adds to the lobes of a surface.
#[derive(Clone, Debug)]
pub(crate) struct LobeTerm {
    pub(crate) kind: TermKind,
    /// Expressions in which `$name` is a parameter of the closure.
    pub(crate) args: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermKind {
    /// A sum of a part of the lobes.
    Part(Part),
    /// The lobes of the closure in the argument.
    Base,
    /// A layered surface of two closures, the first on top.
    Over,
    /// A closure under a coat.
    Under,
}

impl LobeTerm {
    /// Returns whether a pass with the given parts needs the term.
    pub(crate) fn is_needed(&self, parts: Parts) -> bool {
        match self.kind {
            TermKind::Part(part) => parts.contains(part),
            TermKind::Base | TermKind::Over | TermKind::Under => true,
        }
    }

    pub(crate) fn mentions(&self, param: &str) -> bool {
        self.args.iter().any(|arg| params(arg).any(|name| name == param))
    }
}

/// Returns the names of the parameters in an expression.
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
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        result += &value(&rest[..end]);
        result += &rest[end..];
    }
    result
}

static TABLE: LazyLock<Vec<(&str, Vec<LobeTerm>)>> = LazyLock::new(|| {
    let lines = TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entries = lines.filter_map(|line| line.split_once(':'));
    entries
        .map(|(name, terms)| (name, terms.split(';').flat_map(parse_terms).collect()))
        .collect()
});

/// Parses the terms of a part of a line; `body` and similar macros expand to several terms.
fn parse_terms(text: &str) -> Vec<LobeTerm> {
    let Some((name, args)) = text.trim().strip_suffix(')').and_then(|text| text.split_once('(')) else {
        return vec![];
    };
    let args = split_args(args);
    let term = |part: Part, args: &[&str]| LobeTerm {
        kind: TermKind::Part(part),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
    };
    let texts: Vec<&str> = args.iter().map(String::as_str).collect();
    match (name, &texts[..]) {
        ("body", [color, n]) => vec![term(Part::Diffuse, &[color]), term(Part::Normal, &[color, n])],
        ("shine", [f0, f90, along, across, n, tangent]) => vec![
            term(Part::Specular, &[f0, f90, along, across]),
            term(Part::Normal, &[&format!("{f0} + {f90} * 0.01"), n]),
            term(Part::Tangent, &[f90, tangent]),
        ],
        ("glass", _) => vec![term(Part::Transmission, &texts)],
        ("over", _) => vec![LobeTerm { kind: TermKind::Over, args }],
        ("under", _) => vec![LobeTerm { kind: TermKind::Under, args }],
        ("as", _) => vec![LobeTerm { kind: TermKind::Base, args }],
        (name, _) => Part::from_name(name).map(|part| term(part, &texts)).into_iter().collect(),
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

/// Returns the terms of a closure; `None` if the table does not contain it.
pub(crate) fn terms(signature: &ClosureSignature) -> Option<&'static [LobeTerm]> {
    let has = |name: &str| signature.params.iter().any(|param| param.name == name);
    let fits = |terms: &[LobeTerm]| {
        let mut names = terms.iter().flat_map(|term| &term.args).flat_map(|arg| params(arg));
        names.all(has)
    };
    let found = TABLE.iter().find(|(name, terms)| *name == signature.name && fits(terms));
    found.map(|(_, terms)| &terms[..])
}
