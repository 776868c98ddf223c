//! Inspection of groups: a copy of a template exposes each inner value as an output.

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

/// A node of a group, with its inputs and outputs. If the node is a group, also with its inner nodes.
#[derive(Clone, Debug)]
pub struct InspectedNode {
    /// Name in its group; for the outermost node, the template's name.
    pub name: String,
    /// Name of its unit or group.
    pub template: String,
    /// Its inputs, in order.
    pub inputs: Vec<InspectedInput>,
    /// Its nodes, in order.
    pub nodes: Vec<InspectedNode>,
    /// Names and types of the outputs, with the exposed outputs that have their values.
    pub outputs: Vec<(String, Type, String)>,
}

/// An input of a node.
#[derive(Clone, Debug)]
pub struct InspectedInput {
    /// Name.
    pub name: String,
    /// Where the value comes from.
    pub source: InputSource,
    /// The exposed output with the value, if the value is computed outside the node.
    pub output: Option<String>,
}

/// Source of an input's value, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// The unit's own default.
    Default(String),
    /// A constant of the group.
    Constant(String),
    /// An output of a node, an input of the group, or an expression.
    Computed(String),
}

/// Separator of node names in the names of outputs.
const PART: &str = "__";

/// Returns a copy of a template with an output for each inner value, and its nodes. `templates` resolves templates given by
/// name.
///
/// # Errors
/// If a template given by name has errors. The linker reports unknown templates.
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
        let mut outputs = ExposedOutputs { node: &node.name, list: &mut copy.outputs };
        inside.iter_mut().for_each(|node| outputs.lift(node));
        let params = interface::params(&template).unwrap_or_default();
        let inputs = params.iter().filter(|param| !param.output).map(|param| {
            let own = |connection: &&Connection| {
                // The linker reports ambiguous aliases.
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

/// Outputs of the group to which the outputs of a node are added.
struct ExposedOutputs<'a> {
    node: &'a str,
    list: &'a mut Vec<GroupOutput>,
}

impl ExposedOutputs<'_> {
    fn add(&mut self, name: String, ty: Option<Type>, binding: Binding) -> String {
        self.list.push(GroupOutput {
            name: name.clone(),
            ty,
            binding,
            value_span: Default::default(),
            is_unrequested: true,
            metadata: vec![],
            span: Default::default(),
        });
        name
    }

    /// Exposes an output of the node, and returns its name.
    fn output(&mut self, name: &str) -> String {
        let path = Path::new(self.node.to_owned(), vec![Accessor::Field(name.to_owned())]);
        self.add(format!("{}{PART}{name}", self.node), None, Binding::Path(path))
    }

    /// Exposes the outputs of an inner node.
    fn lift(&mut self, inside: &mut InspectedNode) {
        let outputs = inside.outputs.iter_mut().map(|(_, _, output)| output);
        let inputs = inside.inputs.iter_mut().filter_map(|input| input.output.as_mut());
        for output in outputs.chain(inputs) {
            *output = self.output(output);
        }
        inside.nodes.iter_mut().for_each(|node| self.lift(node));
    }

    /// Describes an input of the node that the group sets.
    fn input(&mut self, connection: &Connection, param: &ParamInfo) -> InspectedInput {
        let (name, ty) = (param.name.clone(), param.ty);
        let is_whole = connection.target.rest.is_empty();
        let (source, shown) = match &connection.binding {
            Binding::Value(Value::Const(value, _)) => (InputSource::Constant(value.to_string()), false),
            Binding::Value(Value::Global(global)) => (InputSource::Computed(global.name().to_owned()), false),
            Binding::Value(Value::Uniform(name, _)) => (InputSource::Computed(name.clone()), false),
            Binding::Path(path) => (InputSource::Computed(path.to_string()), true),
            // The argument type of an `any` parameter is unknown here.
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

/// Returns the paths that a binding reads, each once, in source order. Constants and globals have none.
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
