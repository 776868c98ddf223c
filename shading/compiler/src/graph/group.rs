//! Group construction: nodes, connections, exposed parameters.

use super::input::named_input;
use super::interface;
use super::path::longest_name;
use super::{Accessor, GraphError, Path, Template};
use super::{
    Binding, Connection, GroupInput, GroupOutput, Node, ParamInfo, ShaderGroupTemplate, TemplateRef, Value,
};
use crate::builtins::Global;
use crate::hir;
use crate::ty::Type;
use shading_syntax::source::Span;

impl ShaderGroupTemplate {
    /// Creates a group without nodes.
    pub fn new(name: impl Into<String>) -> ShaderGroupTemplate {
        ShaderGroupTemplate { name: name.into(), ..ShaderGroupTemplate::default() }
    }

    /// Adds an instance of a template, or of a template name that is looked up when the group is linked.
    ///
    /// # Errors
    /// If a node of that name exists.
    pub fn add(&mut self, name: &str, template: impl Into<TemplateRef>) -> Result<(), GraphError> {
        if self.node(name).is_some() {
            return Err(GraphError::DuplicateNode { node: name.to_owned() });
        }
        self.push(Node {
            name: name.to_owned(),
            template: template.into(),
            inputs: vec![],
            overrides: vec![],
            span: Span::default(),
        });
        Ok(())
    }

    /// Connects `from` (`node.output`, or a part of an output) to `to` (`node.input`, or a part of an input).
    ///
    /// # Errors
    /// If a path names no node or parameter, or the types do not match. Templates given by name are checked when the
    /// group is linked.
    pub fn connect(&mut self, from: &str, to: &str) -> Result<(), GraphError> {
        let source = parse(from)?;
        let source_type = self.type_at(&source, from, true)?;
        let (node, target) = self.input(to)?;
        let target_type = self.type_at(&parse(to)?, to, false)?;
        if let (Some(found), Some(expected)) = (source_type, target_type)
            && !interface::assignable(found, expected)
        {
            return Err(GraphError::Type { from: from.to_owned(), found, to: to.to_owned(), expected });
        }
        if self.is_locked(node, &target) {
            return Err(GraphError::NotConnectable { to: to.to_owned() });
        }
        self.bind(node, target, Binding::Path(source));
        Ok(())
    }

    /// Returns whether a parameter forbids connections: `[[ int allowconnect = 0 ]]`.
    fn is_locked(&self, node: usize, target: &Path) -> bool {
        let TemplateRef::Template(template) = &self.nodes[node].template else {
            return false;
        };
        let params = interface::params(template).unwrap_or_default();
        let (name, _) = longest_name(target, |name| params.iter().any(|p| p.name == name));
        let param = params.iter().find(|param| param.name == name);
        param.is_some_and(|param| hir::int_metadata(&param.metadata, "allowconnect") == Some(0))
    }

    /// Sets whether a geometry attribute with the name of an input takes precedence over the input's constant value.
    ///
    /// # Errors
    /// If the path names no node.
    pub fn set_interpolated(&mut self, to: &str, interpolated: bool) -> Result<(), GraphError> {
        let (node, target) = self.input(to)?;
        let inputs = self.nodes[node].inputs.iter_mut();
        inputs
            .filter(|connection| connection.target == target)
            .for_each(|connection| connection.interpolated = Some(interpolated));
        Ok(())
    }

    /// Sets the input `to` (`node.input`, or a part of it) to a constant or a global.
    ///
    /// # Errors
    /// If the path names no node or parameter, or the type does not match.
    pub fn set(&mut self, to: &str, value: impl Into<Value>) -> Result<(), GraphError> {
        let value = value.into();
        let found = value.ty();
        if !value.is_valid() {
            return Err(GraphError::InvalidValue { input: to.to_owned(), ty: found });
        }
        let (node, target) = self.input(to)?;
        if let Some(expected) = self.type_at(&parse(to)?, to, false)?
            && !interface::assignable(found, expected)
        {
            return Err(GraphError::Type {
                from: "the value".to_owned(),
                found,
                to: to.to_owned(),
                expected,
            });
        }
        self.bind(node, target, Binding::Value(value));
        Ok(())
    }

    /// Overrides `global` by the value of `from` (`node.output`) for node `node` and the nodes that only it depends on.
    ///
    /// # Errors
    /// If the node does not exist, or `from` is not a path.
    pub fn override_global(&mut self, node: &str, global: Global, from: &str) -> Result<(), GraphError> {
        let binding = Binding::Path(parse(from)?);
        let index = self.node_index(node)?;
        self.nodes[index].overrides.retain(|(g, _, _)| *g != global);
        self.nodes[index].overrides.push((global, binding, Span::default()));
        Ok(())
    }

    /// Exposes the input `path` (`node.input`) as the group's input `name`; it keeps its default.
    ///
    /// # Errors
    /// If the path names no node or parameter.
    pub fn expose_input(&mut self, path: &str, name: &str) -> Result<(), GraphError> {
        self.type_at(&parse(path)?, path, false)?;
        let (node, target) = self.input(path)?;
        self.bind(node, target, Binding::Path(Path::new(name.to_owned(), vec![])));
        if self.inputs.iter().all(|input| input.name != name) {
            let (name, span) = (name.to_owned(), Span::default());
            self.inputs.push(GroupInput {
                name,
                ty: None,
                default: None,
                default_span: span,
                metadata: vec![],
                span,
            });
        }
        Ok(())
    }

    /// Exposes the output `path` (`node.output`) as the group's output `name`.
    ///
    /// # Errors
    /// If the path names no node or parameter, or an output of that name exists.
    pub fn expose_output(&mut self, path: &str, name: &str) -> Result<(), GraphError> {
        let source = parse(path)?;
        self.type_at(&source, path, true)?;
        if self.outputs.iter().any(|output| output.name == name) {
            return Err(GraphError::DuplicateOutput { output: name.to_owned() });
        }
        let (name, binding) = (name.to_owned(), Binding::Path(source));
        self.outputs.push(GroupOutput {
            name,
            ty: None,
            binding,
            value_span: Span::default(),
            is_unrequested: false,
            metadata: vec![],
            span: Span::default(),
        });
        Ok(())
    }

    /// Nodes, in the order in which they were added.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the node of a name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.position(name).map(|index| &self.nodes[index])
    }

    /// Returns the index of the first node with a name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// Adds a node; returns its index.
    pub(super) fn push(&mut self, node: Node) -> usize {
        let index = self.nodes.len();
        self.positions.entry(node.name.clone()).or_insert(index);
        self.nodes.push(node);
        index
    }

    /// Replaces the sources of a node's inputs and overrides.
    pub(super) fn feed(
        &mut self,
        index: usize,
        inputs: Vec<Connection>,
        overrides: Vec<(Global, Binding, Span)>,
    ) {
        self.nodes[index].inputs = inputs;
        self.nodes[index].overrides = overrides;
    }

    fn node_index(&self, name: &str) -> Result<usize, GraphError> {
        self.position(name).ok_or_else(|| GraphError::UnknownNode {
            node: name.to_owned(),
            known: self.nodes.iter().map(|n| n.name.clone()).collect(),
        })
    }

    /// Resolves a target path to a node, and the rest of the path from its parameter on.
    fn target(&self, path: &str) -> Result<(usize, Path), GraphError> {
        let Path { head, mut rest } = parse(path)?;
        let node = self.node_index(&head)?;
        if rest.is_empty() || !matches!(rest[0], Accessor::Field(_)) {
            return Err(GraphError::NotAPath { text: path.to_owned() });
        }
        let Accessor::Field(head) = rest.remove(0) else {
            unreachable!("matched above")
        };
        Ok((node, Path::new(head, rest)))
    }

    /// Resolves a path to a node, and the path of one of its inputs: an alias becomes the name.
    fn input(&self, path: &str) -> Result<(usize, Path), GraphError> {
        let (node, target) = self.target(path)?;
        match &self.nodes[node].template {
            TemplateRef::Template(template) => Ok((node, named_input(template, &target)?.into_owned())),
            TemplateRef::Named(_) => Ok((node, target)),
        }
    }

    /// Returns the type of the value that `path` names (`node.param…`); `None` if it depends on a template given by name.
    fn type_at(&self, path: &Path, text: &str, output: bool) -> Result<Option<Type>, GraphError> {
        let (node, param) = if output { self.target(text) } else { self.input(text) }?;
        let TemplateRef::Template(template) = &self.nodes[node].template else {
            return Ok(None);
        };
        let Some(params) = interface::params(template) else {
            return Ok(None);
        };
        // Outputs of a unit can be given initial values.
        let takes = |p: &ParamInfo| p.output == output || !output && matches!(template, Template::Unit(_));
        let params: Vec<&ParamInfo> = params.iter().filter(|p| takes(p)).collect();
        interface::resolve(&params, &param)
            .map(Some)
            .ok_or_else(|| GraphError::UnknownParam {
                path: path.to_string(),
                template: template.name().to_owned(),
                output,
                known: params.iter().filter(|p| p.output == output).map(|p| p.name.clone()).collect(),
            })
    }

    /// Binds a node's input; replaces an earlier binding of the same path.
    fn bind(&mut self, node: usize, target: Path, binding: Binding) {
        let inputs = &mut self.nodes[node].inputs;
        inputs.retain(|connection| connection.target != target);
        inputs.push(Connection {
            target,
            binding,
            interpolated: None,
            overrides: false,
            span: Span::default(),
        });
    }
}

fn parse(text: &str) -> Result<Path, GraphError> {
    Path::parse(text).ok_or_else(|| GraphError::NotAPath { text: text.to_owned() })
}
