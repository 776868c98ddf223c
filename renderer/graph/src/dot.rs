//! A diagram in Graphviz' language: groups are clusters, boxes are tables with ports.

use std::fmt::Write as _;

use super::layout::input_text;
use super::model::{End, GraphBox, Inside, Port};
use renderer_support::html::escaped;

/// The text of the file.
pub(super) fn text(graph: &GraphBox) -> String {
    let mut dot = format!(
        "digraph {} {{\n  rankdir=LR;\n  node [shape=plaintext, fontname=\"Courier\", fontsize=10];\n  \
         graph [fontname=\"Courier\", fontsize=11, style=rounded];\n",
        quoted(&graph.name)
    );
    draw(graph, "g", 1, &mut dot);
    dot.push_str("}\n");
    dot
}

/// Writes a box whose nodes are called by a name of its own.
fn draw(graph: &GraphBox, id: &str, level: usize, dot: &mut String) {
    let indent = "  ".repeat(level);
    // Writing to a string cannot fail.
    let Some(inside) = &graph.inside else {
        let _ = writeln!(dot, "{indent}{id} [label=<{}>];", table(graph));
        return;
    };
    let _ = write!(
        dot,
        "{indent}subgraph cluster_{id} {{\n{indent}  label={};\n",
        quoted(&heading(graph))
    );
    // Borders: what goes in and what comes out.
    for (part, ports) in [("in", &graph.inputs), ("out", &graph.outputs)] {
        if !ports.is_empty() {
            let rows: String = (ports.iter().enumerate())
                .map(|(number, port)| {
                    format!("<TR>{}</TR>", cell(Some(port), &part[..1], number, part == "in"))
                })
                .collect();
            let _ = writeln!(
                dot,
                "{indent}  {id}_{part} [label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"1\">{rows}</TABLE>>];"
            );
        }
    }
    for (index, graph) in inside.boxes.iter().enumerate() {
        draw(graph, &format!("{id}_{index}"), level + 1, dot);
    }
    wires(inside, id, &indent, dot);
    let _ = writeln!(dot, "{indent}}}");
}

fn wires(inside: &Inside, id: &str, indent: &str, dot: &mut String) {
    let is_group = |index: usize| inside.boxes[index].inside.is_some();
    for wire in &inside.wires {
        let from = match wire.from {
            End::Border(port) => format!("{id}_in:i{port}:e"),
            End::Box { index, port } if is_group(index) => format!("{id}_{index}_out:o{port}:e"),
            End::Box { index, port } => format!("{id}_{index}:o{port}:e"),
        };
        let to = match wire.to {
            End::Border(port) => format!("{id}_out:o{port}:w"),
            End::Box { index, port } if is_group(index) => format!("{id}_{index}_in:i{port}:w"),
            End::Box { index, port } => format!("{id}_{index}:i{port}:w"),
        };
        let _ = writeln!(dot, "{indent}  {from} -> {to};");
    }
}

/// The table of a box that is not opened.
fn table(graph: &GraphBox) -> String {
    let border = if graph.is_closed_group { 2 } else { 1 };
    let mut text = format!(
        "<TABLE BORDER=\"{border}\" CELLBORDER=\"0\" CELLSPACING=\"1\"><TR><TD COLSPAN=\"2\"><B>{}</B></TD></TR>",
        escaped(&heading(graph))
    );
    for number in 0..graph.inputs.len().max(graph.outputs.len()) {
        let input = cell(graph.inputs.get(number), "i", number, true);
        let output = cell(graph.outputs.get(number), "o", number, false);
        text += &format!("<TR>{input}{output}</TR>");
    }
    text + "</TABLE>"
}

fn cell(port: Option<&Port>, letter: &str, number: usize, is_input: bool) -> String {
    let Some(port) = port else {
        return "<TD></TD>".to_owned();
    };
    let [name, ty, value] = input_text(port);
    let (align, text) = match is_input {
        true => ("LEFT", [name, ty, value].join(" ")),
        false => ("RIGHT", format!("{ty} {name}")),
    };
    format!(
        "<TD PORT=\"{letter}{number}\" ALIGN=\"{align}\">{}</TD>",
        escaped(text.trim_end())
    )
}

fn heading(graph: &GraphBox) -> String {
    match graph.name == graph.template {
        true => graph.name.clone(),
        false => format!("{} : {}", graph.name, graph.template),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
