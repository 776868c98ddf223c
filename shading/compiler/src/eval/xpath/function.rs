//! The core functions of XPath 1.0.

use super::Context;
use super::ast::{Expr, Function};
use super::document::NodeId;
use super::value::{Value, to_number};

impl Context<'_> {
    pub(super) fn call(&self, function: Function, args: &[Expr]) -> Value {
        let text = |i: usize| match args.get(i) {
            Some(arg) => self.text(arg),
            // Without an argument, the function uses the context node.
            None => self.document.string_value(self.node),
        };
        let number = |i: usize| args.get(i).map_or(f64::NAN, |arg| self.number(arg));
        let truth = |i: usize| args.get(i).is_some_and(|arg| self.value(arg).truth());
        match function {
            Function::Boolean => Value::Truth(truth(0)),
            Function::Ceiling => Value::Number(number(0).ceil()),
            Function::Concat => Value::Text(args.iter().map(|arg| self.text(arg)).collect()),
            Function::Contains => Value::Truth(text(0).contains(&text(1))),
            Function::Count => {
                Value::Number(args.iter().map(|arg| self.nodes(arg).len()).sum::<usize>() as f64)
            }
            Function::False => Value::Truth(false),
            Function::Floor => Value::Number(number(0).floor()),
            // A type definition declares ids, and type definitions are not read.
            Function::Id => Value::Nodes(vec![]),
            Function::Lang => Value::Truth(self.is_language(&text(0))),
            Function::Last => Value::Number(self.size as f64),
            Function::LocalName => Value::Text(local_part(&self.name(args)).to_owned()),
            Function::Name => Value::Text(self.name(args)),
            // Prefixes are not resolved to namespaces.
            Function::NamespaceUri => Value::Text(String::new()),
            Function::NormalizeSpace => {
                let text = text(0);
                let words: Vec<&str> = text.split_ascii_whitespace().collect();
                Value::Text(words.join(" "))
            }
            Function::Not => Value::Truth(!truth(0)),
            Function::Number if args.is_empty() => Value::Number(to_number(&text(0))),
            Function::Number => Value::Number(number(0)),
            Function::Position => Value::Number(self.position as f64),
            Function::Round => Value::Number(round(number(0))),
            Function::StartsWith => Value::Truth(text(0).starts_with(&text(1))),
            Function::String => Value::Text(text(0)),
            Function::StringLength => Value::Number(text(0).chars().count() as f64),
            Function::Substring => {
                let length = args.get(2).map_or(f64::INFINITY, |arg| self.number(arg));
                Value::Text(substring(&text(0), number(1), length))
            }
            Function::SubstringAfter => {
                let (text, mark) = (text(0), text(1));
                let after = text.split_once(&mark).map_or("", |(_, after)| after);
                Value::Text(after.to_owned())
            }
            Function::SubstringBefore => {
                let (text, mark) = (text(0), text(1));
                let before = text.split_once(&mark).map_or("", |(before, _)| before);
                Value::Text(before.to_owned())
            }
            Function::Sum => {
                let nodes = args.iter().flat_map(|arg| self.nodes(arg));
                Value::Number(nodes.map(|node| to_number(&self.document.string_value(node))).sum())
            }
            Function::Translate => {
                let (text, from, to) = (text(0), text(1), text(2));
                // The search is linear in `from` for each character.
                let work = text.len().saturating_mul(from.len() + to.len());
                match self.document.spend(work) {
                    true => Value::Text(translate(&text, &from, &to)),
                    false => Value::Text(String::new()),
                }
            }
            Function::True => Value::Truth(true),
        }
    }

    /// Returns the first node of the argument, or the context node.
    fn named(&self, args: &[Expr]) -> Option<NodeId> {
        match args.first() {
            Some(arg) => self.nodes(arg).into_iter().min(),
            None => Some(self.node),
        }
    }

    fn name(&self, args: &[Expr]) -> String {
        let name = self.named(args).map(|node| self.document.name(node));
        name.unwrap_or_default().to_owned()
    }

    /// Returns whether the nearest `xml:lang` is the language, or a variant of it.
    fn is_language(&self, language: &str) -> bool {
        let mut chain = std::iter::successors(Some(self.node.index), |&i| self.document.nodes[i].parent);
        let said = chain
            .by_ref()
            .take_while(|&i| self.document.spend(1 + self.document.nodes[i].attributes.len()))
            .find_map(|i| self.document.attribute(NodeId::tree(i), "xml:lang"));
        let rest = said.and_then(|said| {
            let head = said.get(..language.len())?;
            head.eq_ignore_ascii_case(language).then(|| &said[language.len()..])
        });
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }
}

fn local_part(name: &str) -> &str {
    name.split_once(':').map_or(name, |(_, local)| local)
}

/// Rounds to the nearest integer; halves are rounded up.
fn round(x: f64) -> f64 {
    (x + 0.5).floor()
}

/// Returns the characters whose positions, from 1, are at least `start` and less than `start + length`.
fn substring(text: &str, start: f64, length: f64) -> String {
    let start = round(start);
    let end = start + round(length);
    let places = text.chars().zip(1_u32..);
    let inside = places.filter(|&(_, place)| f64::from(place) >= start && f64::from(place) < end);
    inside.map(|(c, _)| c).collect()
}

/// Replaces each character of `from` by the character of `to` at the same position, or removes it.
fn translate(text: &str, from: &str, to: &str) -> String {
    let one = |c: char| match from.chars().position(|known| known == c) {
        Some(place) => to.chars().nth(place),
        None => Some(c),
    };
    text.chars().filter_map(one).collect()
}
