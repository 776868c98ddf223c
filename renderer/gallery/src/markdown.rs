//! The text of a gallery in Markdown: a table for each category.

use std::fmt::Write as _;

use super::entry::{Entry, Origin};
use super::page::categories;
use super::param::Param;

pub(super) fn text(entries: &[Entry]) -> String {
    let is_shipped = entries.iter().all(|entry| entry.origin == Origin::Shipped);
    let mut text = match is_shipped {
        true => "# The shipped library\n\n\
                 <!-- Made by `kiln gallery -o library.md`. -->\n\n\
                 The units and groups that scenes and groups call by their names. `kiln gallery -o library` shows them with\n\
                 pictures, `kiln info NAME` with the help of each parameter.\n"
            .to_owned(),
        false => "# Shader library\n".to_owned(),
    };
    for (category, count) in categories(entries) {
        let _ = write!(
            text,
            "\n## {} ({count})\n\n| unit | | parameters | outputs |\n|---|---|---|---|\n",
            cell(category)
        );
        for entry in entries.iter().filter(|entry| entry.category == category) {
            let name = cell(&entry.name);
            let help = match entry.is_wrong() {
                true => "has errors".to_owned(),
                false => cell(&entry.help),
            };
            let inputs: Vec<String> = entry.inputs.iter().map(input).collect();
            let outputs: Vec<String> = (entry.outputs.iter())
                .map(|output| format!("`{}`", cell(&output.name)))
                .collect();
            let _ = writeln!(text, "| `{name}` | {help} | {} | {} |", inputs.join(", "), outputs.join(", "));
        }
    }
    text
}

/// A parameter with its default.
fn input(param: &Param) -> String {
    match param.is_closure || param.default.is_empty() {
        true => format!("`{}`", code(&param.name)),
        false => format!("`{} = {}`", code(&param.name), code(&param.default)),
    }
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    let mut out = String::new();
    // Code within texts stays code.
    let has_code = text.matches('`').count().is_multiple_of(2);
    for c in text.chars() {
        match c {
            '`' if has_code => out.push(c),
            '|' | '\\' | '*' | '[' | ']' | '<' | '`' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A text in a span of code in a cell.
fn code(text: &str) -> String {
    text.replace('|', "\\|").replace(['`', '\n', '\r'], " ")
}
