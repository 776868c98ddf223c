//! Groups for those who look into them: what is computed inside becomes outputs.

use std::sync::Arc;

use super::input::named_input;
use super::template::GroupOutput;
use super::{
    Accessor, Binding, Connection, ParamInfo, Path, ShaderGroupTemplate, Template, TemplateRef, Templates,
    Value, interface, source,
};
use crate::ty::{Base, Type};
use shading_syntax::ast;
use shading_syntax::diagnostic::Diagnostics;

/// A node of a group, with what goes in and out, and the nodes inside of it if it is a group.
#[derive(Clone, Debug)]
pub struct InspectedNode {
    /// Name in its group; of the whole, the template's.
    pub name: String,
    /// Name of its unit or group.
    pub template: String,
    /// Its inputs, in order.
    pub inputs: Vec<InspectedInput>,
    /// Its nodes, in order.
    pub nodes: Vec<InspectedNode>,
    /// Names and types of its outputs, with the outputs of the whole that have their values.
    pub outputs: Vec<(String, Type, String)>,
}

/// An input of a node.
#[derive(Clone, Debug)]
pub struct InspectedInput {
    /// Name.
    pub name: String,
    /// Where the value comes from.
    pub source: InputSource,
    /// The output of the whole that has the value, if it is computed outside of the node.
    pub output: Option<String>,
}

/// Where the value of an input comes from, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// The unit's own default.
    Default(String),
    /// A constant of the group.
    Constant(String),
    /// An output of a node, an input of the group, or an expression.
    Computed(String),
}

/// Parts the names of nodes in the names of outputs.
const PART: &str = "__";

/// A copy of a template with an output for each value inside of it, and its nodes. `templates` finds those given by name.
///
/// # Errors
/// If a template given by name has errors. Unknown ones are left to the linker.
pub fn inspected(
    template: &Template,
    templates: &dyn Templates,
) -> Result<(Template, InspectedNode), Diagnostics> {
    let (copy, nodes) = expose(template, templates)?;
    let params = interface::params(template).unwrap_or_default();
    let outputs = params.iter().filter(|param| param.output);
    let inputs = params.iter().filter(|param| !param.output);
    let node = InspectedNode {
        name: template.name().to_owned(),
        template: template.name().to_owned(),
        inputs: inputs.map(untouched).collect(),
        nodes,
        outputs: outputs
            .map(|param| (param.name.clone(), param.ty, param.name.clone()))
            .collect(),
    };
    Ok((copy, node))
}

fn expose(
    template: &Template,
    templates: &dyn Templates,
) -> Result<(Template, Vec<InspectedNode>), Diagnostics> {
    let Template::Group(group) = template else {
        return Ok((template.clone(), vec![]));
    };
    let mut copy = ShaderGroupTemplate::clone(group);
    let mut nodes = vec![];
    for (index, node) in group.nodes().iter().enumerate() {
        let template = match &node.template {
            TemplateRef::Template(template) => Some(template.clone()),
            TemplateRef::Named(name) => templates.find(name)?,
        };
        let Some(template) = template else { continue };
        let (inner, mut inside) = expose(&template, templates)?;
        copy.nodes[index].template = TemplateRef::Template(inner);
        let mut outputs = Exposed {
            node: &node.name,
            list: &mut copy.outputs,
        };
        inside.iter_mut().for_each(|node| outputs.lift(node));
        let params = interface::params(&template).unwrap_or_default();
        let inputs = params.iter().filter(|param| !param.output).map(|param| {
            let own = |connection: &&Connection| {
                // Ambiguous aliases are left to the linker.
                named_input(&template, &connection.target).is_ok_and(|target| target.head == param.name)
            };
            match node.inputs.iter().find(own) {
                Some(connection) => outputs.input(connection, param),
                None => untouched(param),
            }
        });
        let inputs: Vec<InspectedInput> = inputs.collect();
        let shown = params.iter().filter(|param| param.output);
        let shown = shown.map(|param| (param.name.clone(), param.ty, outputs.output(&param.name)));
        let shown = shown.collect();
        nodes.push(InspectedNode {
            name: node.name.clone(),
            template: template.name().to_owned(),
            inputs,
            nodes: inside,
            outputs: shown,
        });
    }
    Ok((Template::Group(Arc::new(copy)), nodes))
}

/// An input that keeps its default.
fn untouched(param: &ParamInfo) -> InspectedInput {
    InspectedInput {
        name: param.name.clone(),
        source: InputSource::Default(match (&param.default, &param.computed) {
            (_, Some(text)) => text.clone(),
            (Some(value), None) => value.to_string(),
            (None, None) => String::new(),
        }),
        output: None,
    }
}

/// The outputs of a group to which those of a node are added.
struct Exposed<'a> {
    node: &'a str,
    list: &'a mut Vec<GroupOutput>,
}

impl Exposed<'_> {
    fn add(&mut self, name: String, ty: Option<Type>, binding: Binding) -> String {
        self.list.push(GroupOutput {
            name: name.clone(),
            ty,
            binding,
            value_span: Default::default(),
            is_unasked: true,
            metadata: vec![],
            span: Default::default(),
        });
        name
    }

    /// Exposes an output of the node; returns its name.
    fn output(&mut self, name: &str) -> String {
        let path = Path {
            head: self.node.to_owned(),
            rest: vec![Accessor::Field(name.to_owned())],
        };
        self.add(format!("{}{PART}{name}", self.node), None, Binding::Path(path))
    }

    /// Exposes what a node inside of the node has exposed.
    fn lift(&mut self, inside: &mut InspectedNode) {
        let outputs = inside.outputs.iter_mut().map(|(_, _, output)| output);
        let inputs = inside.inputs.iter_mut().filter_map(|input| input.output.as_mut());
        for output in outputs.chain(inputs) {
            *output = self.output(output);
        }
        inside.nodes.iter_mut().for_each(|node| self.lift(node));
    }

    /// An input of the node that the group sets.
    fn input(&mut self, connection: &Connection, param: &ParamInfo) -> InspectedInput {
        let (name, ty) = (param.name.clone(), param.ty);
        let is_whole = connection.target.rest.is_empty();
        let (source, shown) = match &connection.binding {
            Binding::Value(Value::Const(value, _)) => (InputSource::Constant(value.to_string()), false),
            Binding::Value(Value::Global(global)) => (InputSource::Computed(global.name().to_owned()), false),
            Binding::Value(Value::Uniform(name, _)) => (InputSource::Computed(name.clone()), false),
            Binding::Path(path) => (InputSource::Computed(path.to_string()), true),
            // The type of what `any` takes is not known here.
            Binding::Expression(expr) => (InputSource::Computed(expr.to_string()), ty.base != Base::Void),
        };
        let output = (shown && is_whole).then(|| {
            let ty = matches!(connection.binding, Binding::Expression(_)).then_some(ty);
            let output = format!("{}{PART}in{PART}{name}", self.node);
            self.add(output, ty, connection.binding.clone())
        });
        InspectedInput { name, source, output }
    }
}

/// The values that a binding reads, as paths whose heads are nodes and inputs of the group: constants and globals have
/// none. Each is given once, in the order of the text.
pub fn paths(binding: &Binding) -> Vec<Path> {
    let mut list = vec![];
    match binding {
        Binding::Value(_) => {}
        Binding::Path(path) => list.push(path.clone()),
        Binding::Expression(expr) => add_paths(expr, &mut list),
    }
    list
}

fn add_paths(expr: &ast::Expr, list: &mut Vec<Path>) {
    match source::path(expr) {
        Some(path) if list.contains(&path) => {}
        Some(path) => list.push(path),
        None => expr.for_each_operand(&mut |operand| add_paths(operand, list)),
    }
}
