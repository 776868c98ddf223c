//! Materials as trees of unit calls.

use std::fmt::Write as _;

use glam::{DAffine3, DVec3};

use super::Interior;

#[derive(Clone, Debug)]
pub struct Surface {
    /// The call that creates the closure.
    pub root: Node,
    /// True if the back scatters nothing.
    pub one_sided: bool,
    /// True if it emits from both sides.
    pub emits_both: bool,
    /// Interior medium.
    pub inside: Option<Interior>,
}

/// A call of a unit.
#[derive(Clone, Debug)]
pub struct Node {
    pub unit: &'static str,
    /// The output that is used.
    pub output: &'static str,
    pub arguments: Vec<(&'static str, Argument)>,
}

#[derive(Clone, Debug)]
pub enum Argument {
    Number(f64),
    Color(DVec3),
    Text(String),
    /// Result of another call.
    Call(Box<Node>),
    /// The shading point in pattern space: world from pattern.
    Position(DAffine3),
    /// An expression of the language.
    Expression(String),
}

impl Argument {
    /// The argument as an expression; a call is the output of an instance named after its unit.
    fn text(&self) -> String {
        match self {
            Argument::Number(x) => format!("{x}"),
            Argument::Color(c) => format!("({}, {}, {})", c.x, c.y, c.z),
            Argument::Text(text) => format!("{text:?}"),
            Argument::Expression(text) => text.clone(),
            Argument::Position(world_from_pattern) => {
                let inverse = row_vector_matrix(&world_from_pattern.inverse());
                format!("transform({inverse}, P)")
            }
            Argument::Call(inner) => format!("{}.{}", inner.unit, inner.output),
        }
    }
}

impl Node {
    /// A call with arguments.
    pub fn new(unit: &'static str, arguments: Vec<(&'static str, Argument)>) -> Node {
        let output = match unit {
            "normal_map" | "bump_noise" | "bump_waves" | "tilt" => "n",
            "fbm" => "unsigned_value",
            "turbulence" => "value",
            "voronoi" => "id",
            "checker" | "brick" | "dots" | "stripes" | "tiles" | "hexagons" | "gradient" | "image"
            | "marble" | "wood" | "color_mix" | "color_ramp" | "facing" => "result",
            _ => "surface",
        };
        Node { unit, output, arguments }
    }

    /// The call as an expression, if no argument is a call.
    fn call(&self) -> String {
        let arguments = self.arguments.iter();
        let arguments = arguments.map(|(key, argument)| format!("{key} = {}", argument.text()));
        format!("{}({})", self.unit, arguments.collect::<Vec<_>>().join(", "))
    }

    /// Calls `f` on this call and all calls in its arguments.
    pub fn visit(&mut self, f: &mut dyn FnMut(&mut Node)) {
        f(self);
        for (_, argument) in &mut self.arguments {
            if let Argument::Call(node) = argument {
                node.visit(f);
            }
        }
    }

    /// Returns whether this call or one of its arguments calls the unit.
    pub fn uses(&self, unit: &str) -> bool {
        let below = |argument: &Argument| matches!(argument, Argument::Call(node) if node.uses(unit));
        self.unit == unit || self.arguments.iter().any(|(_, argument)| below(argument))
    }
}

impl Surface {
    /// A material that scatters on both sides.
    pub fn of(root: Node) -> Surface {
        Surface { root, one_sided: false, emits_both: false, inside: None }
    }

    /// The material's declarations: closures of closures are groups of their own, so that groups are nested.
    pub fn declare(&self, name: &str, out: &mut String) {
        let inside = self.inside.as_ref();
        let priority = inside.and_then(|inside| inside.priority);
        let priority = priority.map_or_else(String::new, |priority| format!(" priority = {priority};"));
        if let Some(inside) = inside.filter(|inside| inside.is_all) {
            let _ = writeln!(out, "material {name} = {} {{{priority} }}", inside.medium.call());
            return;
        }
        let group = declare_group(&self.root, name, out);
        let _ = write!(out, "material {name} {{ surface = {group}();");
        if self.one_sided {
            out.push_str(" one_sided = true;");
        }
        if self.emits_both {
            out.push_str(" emission = both;");
        }
        if let Some(inside) = inside {
            let _ = write!(out, " interior = {};{priority}", inside.medium.call());
        }
        out.push_str(" }\n");
    }
}

/// Writes a group for the closure of `node`; returns its name.
fn declare_group(node: &Node, prefix: &str, out: &mut String) -> String {
    let mut body = String::new();
    let mut count = 0;
    let top = declare_node(node, prefix, &mut count, &mut body, out);
    let name = format!("g_{prefix}");
    let _ = write!(
        out,
        "group {name}(output closure color surface) {{\n{body}    surface = {top};\n}}\n"
    );
    name
}

/// Writes the instances for the arguments of `node` and for `node`; returns the instance's name.
fn declare_node(
    node: &Node,
    prefix: &str,
    count: &mut u32,
    body: &mut String,
    groups: &mut String,
) -> String {
    let mut arguments = vec![];
    for (key, argument) in &node.arguments {
        let value = match argument {
            Argument::Call(inner) if inner.output == "surface" && inner.arguments.len() > 2 => {
                let group = declare_group(inner, &format!("{prefix}_{key}"), groups);
                *count += 1;
                let _ = writeln!(body, "    {group} n{count}();");
                format!("n{count}.surface")
            }
            Argument::Call(inner) => declare_node(inner, prefix, count, body, groups),
            plain => plain.text(),
        };
        arguments.push(format!("{key} = {value}"));
    }
    *count += 1;
    let name = format!("n{count}");
    let _ = writeln!(body, "    {} {name}({});", node.unit, arguments.join(", "));
    format!("{name}.{}", node.output)
}

/// The matrix in the convention of the shading language: row vectors multiply from the left.
fn row_vector_matrix(m: &DAffine3) -> String {
    let [x, y, z] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis];
    let t = m.translation;
    let row = |v: DVec3, w: f64| format!("{:e}, {:e}, {:e}, {w}", v.x, v.y, v.z);
    format!("matrix({}, {}, {}, {})", row(x, 0.0), row(y, 0.0), row(z, 0.0), row(t, 1.0))
}
