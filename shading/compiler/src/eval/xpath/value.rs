//! Values of XPath, their conversions and comparisons.

use super::ast::Binary;
use super::document::{Document, NodeId};

#[derive(Debug)]
pub(super) enum Value {
    Nodes(Vec<NodeId>),
    Number(f64),
    Text(String),
    Truth(bool),
}

impl Value {
    pub(super) fn truth(&self) -> bool {
        match self {
            Value::Nodes(nodes) => !nodes.is_empty(),
            Value::Number(number) => *number != 0.0 && !number.is_nan(),
            Value::Text(text) => !text.is_empty(),
            Value::Truth(truth) => *truth,
        }
    }

    pub(super) fn number(&self, document: &Document) -> f64 {
        match self {
            Value::Nodes(_) => to_number(&self.text(document)),
            Value::Number(number) => *number,
            Value::Text(text) => to_number(text),
            Value::Truth(truth) => f64::from(u8::from(*truth)),
        }
    }

    pub(super) fn text(&self, document: &Document) -> String {
        match self {
            // A node set has the string-value of its first node in document order.
            Value::Nodes(nodes) => match nodes.iter().min() {
                Some(&first) => document.string_value(first),
                None => String::new(),
            },
            Value::Number(number) => number_text(*number),
            Value::Text(text) => text.clone(),
            Value::Truth(truth) => truth.to_string(),
        }
    }
}

/// Converts a number to text: without exponent, and without a point for integers.
fn number_text(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        let sign = if number < 0.0 { "-" } else { "" };
        format!("{sign}Infinity")
    } else {
        // Minus zero is written as zero.
        (number + 0.0).to_string()
    }
}

/// Converts a text to a number: digits with at most one point and a minus sign.
pub(super) fn to_number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    match is_plain {
        true => text.parse().unwrap_or(f64::NAN),
        false => f64::NAN,
    }
}

/// Compares two values; for node sets, returns whether the comparison holds for any node.
pub(super) fn compare(document: &Document, operator: Binary, a: &Value, b: &Value) -> bool {
    let in_budget = |_: &&NodeId| document.spend(1);
    let is_equality = matches!(operator, Binary::Equal | Binary::NotEqual);
    match (a, b) {
        (Value::Nodes(_), Value::Truth(_)) | (Value::Truth(_), Value::Nodes(_)) if is_equality => {
            (a.truth() == b.truth()) == (operator == Binary::Equal)
        }
        (Value::Nodes(nodes), other) => nodes.iter().take_while(in_budget).any(|&node| {
            let text = Value::Text(document.string_value(node));
            compare(document, operator, &text, other)
        }),
        (other, Value::Nodes(nodes)) => nodes.iter().take_while(in_budget).any(|&node| {
            let text = Value::Text(document.string_value(node));
            compare(document, operator, other, &text)
        }),
        (Value::Truth(_), _) | (_, Value::Truth(_)) if is_equality => {
            (a.truth() == b.truth()) == (operator == Binary::Equal)
        }
        (Value::Text(a), Value::Text(b)) if is_equality => (a == b) == (operator == Binary::Equal),
        _ => {
            let (a, b) = (a.number(document), b.number(document));
            match operator {
                Binary::Equal => a == b,
                Binary::NotEqual => a != b,
                Binary::Less => a < b,
                Binary::LessEqual => a <= b,
                Binary::Greater => a > b,
                Binary::GreaterEqual => a >= b,
                Binary::Or
                | Binary::And
                | Binary::Add
                | Binary::Subtract
                | Binary::Multiply
                | Binary::Divide
                | Binary::Modulo
                | Binary::Union => false,
            }
        }
    }
}
