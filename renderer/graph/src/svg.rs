//! The picture of a diagram as SVG.

use std::fmt::Write as _;

use super::layout::{InsideLayout, Layout, PAD, TITLE, input_text, layout};
use super::model::{End, GraphBox, Inside, Port, PortKind};
use renderer_support::html::escaped;

/// Margin around the picture.
const MARGIN: f64 = 14.0;

const STYLE: &str = "text { font: 10px ui-monospace, 'DejaVu Sans Mono', monospace; fill: #222; }
.title { font-size: 11.5px; font-weight: bold; }
.soft { fill: #777; font-weight: normal; font-size: 10px; }
.value { fill: #9a4a00; }
.box { fill: #fff; stroke: #555; }
.closed { stroke-dasharray: 4 2; }
.group { fill-opacity: .55; fill: #f1f3f5; stroke: #888; }
.bar { stroke: #ccc; }
.wire { fill: none; stroke-width: 1.4; }
.halo { fill: none; stroke: #fff; stroke-width: 4; }
.with { font-style: italic; }
";

/// The text of the file.
pub(super) fn text(graph: &GraphBox) -> String {
    let layout = layout(graph);
    let [width, height] = layout.size.map(|v| v + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        escaped(&graph.name)
    );
    draw(graph, &layout, [MARGIN, MARGIN], &mut svg);
    svg.push_str("</svg>\n");
    svg
}

fn draw(graph: &GraphBox, layout: &Layout, corner: [f64; 2], svg: &mut String) {
    let [x, y] = corner;
    let [width, height] = layout.size;
    let class = match (&graph.inside, graph.is_closed_group) {
        (Some(_), _) => "box group",
        (None, true) => "box closed",
        (None, false) => "box",
    };
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<g transform=\"translate({x:.1} {y:.1})\">\n\
         <rect class=\"{class}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\"/>\n\
         <text class=\"title\" x=\"{PAD}\" y=\"16\">{}{}</text>\n\
         <path class=\"bar\" d=\"M0 {TITLE}H{width:.1}\"/>\n",
        escaped(&graph.name),
        template(graph),
    );
    if let (Some(inside), Some(places)) = (&graph.inside, &layout.inside) {
        content(graph, inside, places, svg);
    }
    for (port, y) in graph.inputs.iter().zip(&layout.inputs) {
        dot(port, [0.0, *y], svg);
        let [name, ty, value] = input_text(port);
        let with = if port.is_override { " class=\"with\"" } else { "" };
        let _ = writeln!(
            svg,
            "<text x=\"{PAD}\" y=\"{:.1}\"><title>{}</title><tspan{with}>{}</tspan> <tspan class=\"soft\">{}</tspan> \
             <tspan class=\"value\">{}</tspan></text>",
            y + 3.5,
            escaped(&port.value),
            escaped(&name),
            escaped(&ty),
            escaped(&value),
        );
    }
    if graph.hidden > 0 {
        let s = if graph.hidden == 1 { "" } else { "s" };
        let _ = writeln!(
            svg,
            "<text class=\"soft\" x=\"{PAD}\" y=\"{:.1}\">{} default{s}</text>",
            TITLE + (graph.inputs.len() as f64 + 0.5) * super::layout::ROW + 3.5,
            graph.hidden
        );
    }
    for (port, y) in graph.outputs.iter().zip(&layout.outputs) {
        dot(port, [width, *y], svg);
        let _ = writeln!(
            svg,
            "<text text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\"><tspan class=\"soft\">{}</tspan> {}</text>",
            width - PAD,
            y + 3.5,
            escaped(&port.ty),
            escaped(&port.name),
        );
    }
    svg.push_str("</g>\n");
}

fn template(graph: &GraphBox) -> String {
    match graph.name == graph.template {
        true => String::new(),
        false => format!(" <tspan class=\"soft\">{}</tspan>", escaped(&graph.template)),
    }
}

/// The wires of a group, its boxes, and the inner ends of its own ports.
fn content(graph: &GraphBox, inside: &Inside, places: &InsideLayout, svg: &mut String) {
    for (wire, points) in inside.wires.iter().zip(&places.wires) {
        let kind = match wire.from {
            End::Border(port) => graph.inputs.get(port),
            End::Box { index, port } => inside.boxes[index].outputs.get(port),
        };
        let color = color(kind.map_or(PortKind::Other, |port| port.kind));
        let path = path(points);
        let _ = write!(
            svg,
            "<path class=\"halo\" d=\"{path}\"/>\n<path class=\"wire\" stroke=\"{color}\" d=\"{path}\"/>\n"
        );
    }
    for (graph, (corner, layout)) in inside.boxes.iter().zip(&places.boxes) {
        draw(graph, layout, *corner, svg);
    }
}

/// Level pieces, and curves between them.
fn path(points: &[[f64; 2]]) -> String {
    let mut path = String::new();
    for (number, [x, y]) in points.iter().enumerate() {
        let _ = match number.checked_sub(1).map(|before| points[before]) {
            None => write!(path, "M{x:.1} {y:.1}"),
            Some(_) if number % 2 == 1 => write!(path, "H{x:.1}"),
            Some([before, level]) => {
                let middle = (before + x) / 2.0;
                write!(path, "C{middle:.1} {level:.1} {middle:.1} {y:.1} {x:.1} {y:.1}")
            }
        };
    }
    path
}

fn dot(port: &Port, [x, y]: [f64; 2], svg: &mut String) {
    let _ = writeln!(
        svg,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"{}\" stroke=\"#fff\"/>",
        color(port.kind)
    );
}

/// Colours that differ in brightness, for print.
fn color(kind: PortKind) -> &'static str {
    match kind {
        PortKind::Number => "#7d7d7d",
        PortKind::Color => "#c9960c",
        PortKind::Vector => "#5b5bd6",
        PortKind::Closure => "#1f9d55",
        PortKind::Text => "#c0392b",
        PortKind::Other => "#8e44ad",
    }
}
