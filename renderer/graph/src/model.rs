//! The diagram of a group: boxes with ports, boxes in boxes, wires between ports.

use shading::graph::inspect::paths;
use shading::graph::{Accessor, Binding, Connection, Node, ParamInfo, Path, TemplateRef, Templates, Value};
use shading::ty::{Base, Type};
use shading::{Diagnostics, ShaderGroupTemplate, Template};

/// A unit or group, as a box.
pub(super) struct GraphBox {
    /// Name in its group.
    pub(super) name: String,
    /// Name of its unit or group.
    pub(super) template: String,
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    /// Number of inputs that keep their defaults and are not drawn.
    pub(super) hidden: usize,
    /// True for a group that is not opened.
    pub(super) is_closed_group: bool,
    /// Content of an open group.
    pub(super) inside: Option<Inside>,
}

/// Content of a group.
pub(super) struct Inside {
    pub(super) boxes: Vec<GraphBox>,
    pub(super) wires: Vec<Wire>,
}

/// An input or output.
pub(super) struct Port {
    pub(super) name: String,
    pub(super) ty: String,
    pub(super) kind: PortKind,
    /// The value, unless a wire determines it.
    pub(super) value: String,
    /// True for a global that is set for the node (`with { P = … }`).
    pub(super) is_override: bool,
}

/// Kind of a value, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PortKind {
    Number,
    Color,
    Vector,
    Closure,
    Text,
    Other,
}

/// A wire from an output to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wire {
    pub(super) from: End,
    pub(super) to: End,
}

/// An end of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// A port of the group itself: an input where a wire begins, an output where it ends.
    Border(usize),
    /// A port of a box: an output where a wire begins, an input where it ends.
    Box { index: usize, port: usize },
}

/// Depth of nested groups that are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Levels of groups in groups that are opened.
    pub(super) depth: usize,
    /// True if inputs with their defaults are drawn.
    pub(super) defaults: bool,
}

/// The diagram of a unit or group.
///
/// # Errors
/// If a unit that it calls has errors.
pub(super) fn diagram(
    template: &Template,
    templates: &dyn Templates,
    extent: Extent,
) -> Result<GraphBox, Diagnostics> {
    let params = template.params().unwrap_or_default();
    let inside = match template {
        Template::Group(group) => Some(inside(group, &params, templates, extent)?),
        Template::Unit(_) => None,
    };
    Ok(GraphBox {
        name: template.name().to_owned(),
        template: template.name().to_owned(),
        inputs: inputs(&params).map(default).collect(),
        outputs: outputs(&params).map(|param| port(&param.name, param.ty)).collect(),
        hidden: 0,
        is_closed_group: false,
        inside,
    })
}

fn inside(
    group: &ShaderGroupTemplate,
    params: &[ParamInfo],
    templates: &dyn Templates,
    extent: Extent,
) -> Result<Inside, Diagnostics> {
    let mut boxes = vec![];
    for node in group.nodes() {
        boxes.push(node_box(node, templates, extent)?);
    }
    let border: Vec<&str> = inputs(params).map(|param| param.name.as_str()).collect();
    let find = |path: &Path| source(group, &boxes, &border, path);
    let mut wires = vec![];
    for (index, node) in group.nodes().iter().enumerate() {
        let bindings = (node
            .inputs
            .iter()
            .map(|connection| (connection.target.to_string(), &connection.binding)))
        .chain(
            node.overrides
                .iter()
                .map(|(global, binding, _)| (global.name().to_owned(), binding)),
        );
        for (name, binding) in bindings {
            let ports = &boxes[index].inputs;
            // A part of an input of a group that is opened ends at the whole.
            let head = name.split(['.', '[']).next().unwrap_or_default();
            let port = (ports.iter().position(|port| port.name == name))
                .or_else(|| ports.iter().position(|port| port.name == head));
            let Some(port) = port else { continue };
            let to = End::Box { index, port };
            wires.extend(paths(binding).iter().filter_map(&find).map(|from| Wire { from, to }));
        }
    }
    for (port, output) in group.outputs.iter().enumerate() {
        let to = End::Border(port);
        wires.extend(paths(&output.binding).iter().filter_map(&find).map(|from| Wire { from, to }));
    }
    let mut unique: Vec<Wire> = vec![];
    wires.into_iter().for_each(|wire| {
        if !unique.contains(&wire) {
            unique.push(wire);
        }
    });
    Ok(Inside { boxes, wires: unique })
}

/// The port that a path reads.
fn source(group: &ShaderGroupTemplate, boxes: &[GraphBox], border: &[&str], path: &Path) -> Option<End> {
    let Some(index) = group.nodes().iter().position(|node| node.name == path.head) else {
        return border.iter().position(|name| *name == path.head).map(End::Border);
    };
    let outputs = &boxes[index].outputs;
    let mut name = String::new();
    let mut found = None;
    for accessor in &path.rest {
        let Accessor::Field(field) = accessor else { break };
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(field);
        found = outputs.iter().position(|output| output.name == name).or(found);
    }
    // A component directly after the node's name is one of its first output.
    let port = found.or((!outputs.is_empty()).then_some(0))?;
    Some(End::Box { index, port })
}

fn node_box(node: &Node, templates: &dyn Templates, extent: Extent) -> Result<GraphBox, Diagnostics> {
    let template = match &node.template {
        TemplateRef::Template(template) => Some(template.clone()),
        TemplateRef::Named(name) => templates.find(name)?,
    };
    let params = template.as_ref().and_then(Template::params).unwrap_or_default();
    let opened = match &template {
        Some(Template::Group(group)) if extent.depth > 0 => Some(group),
        Some(Template::Group(_) | Template::Unit(_)) | None => None,
    };
    let mut ports = vec![];
    let mut hidden = 0;
    for param in inputs(&params) {
        let own: Vec<&Connection> = node.inputs.iter().filter(|c| c.target.head == param.name).collect();
        let is_whole = own.iter().any(|connection| connection.target.rest.is_empty());
        if own.is_empty() && !extent.defaults && opened.is_none() {
            hidden += 1;
        } else if own.is_empty() || opened.is_some() && !is_whole {
            ports.push(default(param));
        }
        for connection in own.into_iter().filter(|_| opened.is_none() || is_whole) {
            let mut port = port(&connection.target.to_string(), param.ty);
            port.value = value(&connection.binding);
            ports.push(port);
        }
    }
    let overrides = node.overrides.iter().map(|(global, binding, _)| Port {
        value: value(binding),
        is_override: true,
        ..port(global.name(), global.ty())
    });
    ports.extend(overrides);
    let deeper = Extent { depth: extent.depth.saturating_sub(1), ..extent };
    Ok(GraphBox {
        name: node.name.clone(),
        template: match (&template, &node.template) {
            (Some(template), _) => template.name().to_owned(),
            (None, TemplateRef::Named(name)) => name.clone(),
            (None, TemplateRef::Template(template)) => template.name().to_owned(),
        },
        inputs: ports,
        outputs: outputs(&params).map(|param| port(&param.name, param.ty)).collect(),
        hidden,
        is_closed_group: opened.is_none() && matches!(template, Some(Template::Group(_))),
        inside: match opened {
            Some(group) => Some(inside(group, &params, templates, deeper)?),
            None => None,
        },
    })
}

fn inputs(params: &[ParamInfo]) -> impl Iterator<Item = &ParamInfo> {
    params.iter().filter(|param| !param.output)
}

fn outputs(params: &[ParamInfo]) -> impl Iterator<Item = &ParamInfo> {
    params.iter().filter(|param| param.output)
}

/// An input that keeps its default.
fn default(param: &ParamInfo) -> Port {
    let text = match (&param.computed, &param.default) {
        (Some(text), _) => text.clone(),
        (None, Some(value)) => value.to_string(),
        (None, None) => String::new(),
    };
    Port { value: text, ..port(&param.name, param.ty) }
}

fn port(name: &str, ty: Type) -> Port {
    Port {
        name: name.to_owned(),
        ty: match ty {
            Type::VOID => "any".to_owned(),
            // Every closure is a closure color.
            ty => ty.to_string().replace("closure color", "closure"),
        },
        kind: match ty.base {
            Base::Int | Base::Float => PortKind::Number,
            Base::Color => PortKind::Color,
            Base::Point | Base::Vector | Base::Normal => PortKind::Vector,
            Base::Closure => PortKind::Closure,
            Base::String => PortKind::Text,
            _ => PortKind::Other,
        },
        value: String::new(),
        is_override: false,
    }
}

/// The value of an input: a constant or an expression; a wire says all where it is a whole output.
fn value(binding: &Binding) -> String {
    match binding {
        Binding::Value(Value::Const(value, _)) => value.to_string(),
        Binding::Value(Value::Global(global)) => global.name().to_owned(),
        Binding::Value(Value::Uniform(name, _)) => name.clone(),
        Binding::Path(path) if path.rest.len() < 2 => String::new(),
        Binding::Path(path) => path.to_string(),
        Binding::Expression(expr) => expr.to_string(),
    }
}
