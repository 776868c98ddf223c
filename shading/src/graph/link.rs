//! Linking: a template becomes one piece of HIR without inputs.

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

use super::interface::{assignable, longest_name, params, part, resolve};
use super::order::Order;
use super::path::component_index;
use super::splice::{Overrides, Splice};
use super::{
    Accessor, Binding, GraphError, Path, ShaderGroupTemplate, Template, TemplateRef, Templates, Value,
};
use crate::builtins::Global;
use crate::check::{self, Environment};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hir::{
    Code, Const, Function, FunctionId, Local, LocalId, Op, Operand, Param, Stmt, Unit, UnitKind,
};
use crate::source::{SourceMap, Span};
use crate::syntax::ast;
use crate::ty::{Base, Type};

/// A group may contain groups so many levels deep.
const MAX_NESTING: usize = 64;

/// A template as one piece of code.
#[derive(Debug)]
pub struct Linked {
    /// Its parameters are the outputs asked for, in that order; it has no inputs.
    pub unit: Unit,
    /// The sources that its spans point into.
    pub sources: SourceMap,
}

/// Links `template` with `inputs` set and every other input at its default. `outputs` are the names of those wanted, all
/// where it is empty; a name may be that of a structure.
///
/// # Errors
/// Unknown names, types that do not fit, cycles, missing inputs: all that were found, with both ends named.
pub fn link(
    template: &Template,
    inputs: &[(String, Value)],
    outputs: &[String],
    templates: &dyn Templates,
    environment: &Environment<'_>,
) -> Result<Linked, Diagnostics> {
    let mut linker = Linker {
        code: Code::default(),
        functions: PrimaryMap::new(),
        sources: SourceMap::default(),
        source_ids: FxHashMap::default(),
        templates,
        environment,
        diagnostics: Diagnostics::default(),
        nesting: vec![],
    };
    let mut feeds = vec![];
    for (name, value) in inputs {
        match Path::parse(name) {
            Some(target) => feeds.push(Feed {
                target,
                wire: linker.value(value, &[]),
                place: Place::NONE,
            }),
            None => linker.report(GraphError::NotAPath { text: name.clone() }, &Place::NONE),
        }
    }
    let ports = linker.template(
        template,
        "",
        feeds,
        &[],
        Some(outputs).filter(|list| !list.is_empty()),
        &Place::NONE,
    );
    let params = linker.outputs(template, ports, outputs);
    let unit = Unit {
        name: template.name().to_owned(),
        kind: UnitKind::Shader,
        params,
        metadata: vec![],
        code: linker.code,
        functions: linker.functions,
        span: Span::default(),
    };
    linker.diagnostics.into_result(Linked {
        unit,
        sources: linker.sources,
    })
}

/// A value in the linked code: one part with an empty suffix, or one part for each field of a structure.
#[derive(Clone, Debug)]
struct Wire {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    /// `""`, or `.field` with the path of fields.
    suffix: String,
    operand: Operand,
    ty: Type,
}

impl Wire {
    fn single(operand: Operand, ty: Type) -> Wire {
        Wire {
            parts: vec![Part {
                suffix: String::new(),
                operand,
                ty,
            }],
        }
    }
}

/// A value on its way into an input.
struct Feed<'a> {
    target: Path,
    wire: Option<Wire>,
    place: Place<'a>,
}

/// A named output of a linked node.
#[derive(Clone, Debug)]
struct Port {
    name: String,
    operand: Operand,
    ty: Type,
}

/// Where a mistake is written, and the instance that it is in.
#[derive(Clone)]
struct Place<'a> {
    sources: Option<&'a SourceMap>,
    span: Span,
    instance: String,
}

impl Place<'_> {
    const NONE: Place<'static> = Place {
        sources: None,
        span: Span {
            source: crate::SourceId(0),
            start: 0,
            end: 0,
        },
        instance: String::new(),
    };
}

struct Linker<'a> {
    code: Code,
    functions: PrimaryMap<FunctionId, Function>,
    sources: SourceMap,
    /// Position in `sources` of the first source of each map already taken over, by the map's address.
    source_ids: FxHashMap<usize, usize>,
    templates: &'a dyn Templates,
    environment: &'a Environment<'a>,
    diagnostics: Diagnostics,
    /// Names of the groups being linked, outermost first.
    nesting: Vec<String>,
}

impl Linker<'_> {
    fn report(&mut self, error: GraphError, place: &Place<'_>) {
        let mut diagnostic = Diagnostic::from(error);
        if !place.instance.is_empty() {
            diagnostic.message = format!("{}: {}", place.instance, diagnostic.message);
        }
        if let Some(sources) = place.sources {
            diagnostic = diagnostic.at(sources, place.span, "");
        }
        self.diagnostics.push(diagnostic);
    }

    /// Links an instance of a template; gives its outputs, of a group only the wanted ones.
    fn template(
        &mut self,
        template: &Template,
        prefix: &str,
        feeds: Vec<Feed<'_>>,
        overrides: &[(Global, Operand)],
        wanted: Option<&[String]>,
        place: &Place<'_>,
    ) -> Vec<Port> {
        match template {
            Template::Unit(unit) => self.unit(&unit.hir, &unit.sources, prefix, feeds, overrides),
            Template::Group(group) => self.group(group, prefix, feeds, overrides, wanted, place),
        }
    }

    fn unit(
        &mut self,
        unit: &Unit,
        sources: &SourceMap,
        prefix: &str,
        feeds: Vec<Feed<'_>>,
        overrides: &[(Global, Operand)],
    ) -> Vec<Port> {
        let first_source = self.take_sources(sources);
        let splice = Splice::new(
            unit,
            &mut self.code,
            &mut self.functions,
            prefix,
            overrides,
            first_source,
        );
        for feed in &feeds {
            self.check_target(
                feed,
                &unit.name,
                &unit.params.iter().filter(|p| !p.output).collect::<Vec<_>>(),
            );
        }
        for param in &unit.params {
            let local = splice.local(param.local);
            let whole = if param.output {
                None
            } else {
                feeds.iter().rev().find_map(|feed| whole_feed(feed, param))
            };
            match whole {
                Some((part, feed)) => self.assign(
                    local,
                    param.ty,
                    part.operand,
                    part.ty,
                    &part_name(feed),
                    &feed.place,
                ),
                None => self.code.body.extend(splice.block(&param.init)),
            }
            for feed in feeds.iter().filter(|_| !param.output) {
                self.assign_part(local, param, feed);
            }
        }
        self.code.body.extend(splice.block(&unit.code.body));
        let port = |param: &Param| Port {
            name: param.name.clone(),
            operand: Operand::Local(splice.local(param.local)),
            ty: param.ty,
        };
        unit.params
            .iter()
            .filter(|param| param.output)
            .map(port)
            .collect()
    }

    /// Reports a feed whose target is no input.
    fn check_target(&mut self, feed: &Feed<'_>, template: &str, inputs: &[&Param]) {
        let (name, rest) = longest_name(&feed.target, |name| inputs.iter().any(|p| p.name == name));
        let known = match inputs.iter().find(|p| p.name == name) {
            Some(param) => rest.iter().try_fold(param.ty, part).is_some(),
            None => inputs
                .iter()
                .any(|p| p.name.starts_with(&format!("{}.", feed.target))),
        };
        if !known {
            let error = GraphError::UnknownParam {
                path: feed.target.to_string(),
                template: template.to_owned(),
                output: false,
                known: inputs.iter().map(|p| p.name.clone()).collect(),
            };
            self.report(error, &feed.place);
        }
    }

    /// Assigns a feed that is for a component or element of `param`.
    fn assign_part(&mut self, local: LocalId, param: &Param, feed: &Feed<'_>) {
        let (name, rest) = longest_name(&feed.target, |name| name == param.name);
        let ([accessor], true, Some(wire)) = (rest, name == param.name, &feed.wire) else {
            return;
        };
        let (Some(ty), [value]) = (part(param.ty, accessor), &wire.parts[..]) else {
            return;
        };
        let element = self.temporary(ty);
        self.assign(
            element,
            ty,
            value.operand,
            value.ty,
            &feed.target.to_string(),
            &feed.place,
        );
        let index = match accessor {
            Accessor::Field(name) => component_index(name).unwrap_or(0),
            Accessor::Index(i) => *i,
        };
        let index = self.constant(Const::Int(index as i32));
        let op = if param.ty.is_array() {
            Op::ArraySet
        } else {
            Op::TripleSet
        };
        self.emit(
            local,
            op,
            vec![Operand::Local(local), index, Operand::Local(element)],
        );
    }

    fn group(
        &mut self,
        group: &ShaderGroupTemplate,
        prefix: &str,
        feeds: Vec<Feed<'_>>,
        overrides: &[(Global, Operand)],
        wanted: Option<&[String]>,
        place: &Place<'_>,
    ) -> Vec<Port> {
        if self.nesting.contains(&group.name) || self.nesting.len() >= MAX_NESTING {
            let mut chain = self.nesting.clone();
            chain.push(group.name.clone());
            self.report(GraphError::RecursiveGroup { chain }, place);
            return vec![];
        }
        self.nesting.push(group.name.clone());
        let ports = self.group_body(group, prefix, feeds, overrides, wanted);
        self.nesting.pop();
        ports
    }

    fn group_body(
        &mut self,
        group: &ShaderGroupTemplate,
        prefix: &str,
        feeds: Vec<Feed<'_>>,
        overrides: &[(Global, Operand)],
        wanted: Option<&[String]>,
    ) -> Vec<Port> {
        let count = group.nodes.len();
        let mut scope = GroupScope {
            group,
            prefix,
            overrides: overrides.to_vec(),
            inputs: FxHashMap::default(),
            nodes: vec![vec![]; count],
            pulled_by: vec![None; count],
            contexts: vec![None; count],
        };
        self.group_inputs(&mut scope, feeds, overrides);
        let outputs: Vec<_> = group
            .outputs
            .iter()
            .filter(|o| wanted.is_none_or(|list| list.iter().any(|w| names(w, &o.name))))
            .collect();
        let bindings: Vec<&Binding> = outputs
            .iter()
            .map(|output| &output.binding)
            .chain(group.inputs.iter().filter_map(|input| input.default.as_ref()))
            .collect();
        let order = match Order::of(group, &bindings) {
            Ok(order) => order,
            Err(error) => {
                let span = self.cycle_span(group, &error);
                let place = scope.place(prefix, span);
                self.report(error, &place);
                return vec![];
            }
        };
        scope.pulled_by = order.pulled_by;
        for &index in &order.nodes {
            self.node(&mut scope, index);
        }
        let mut ports = vec![];
        for output in outputs {
            let place = scope.place(prefix, output.span);
            let Some(wire) = self.binding(&scope, &output.binding, overrides, output.ty, &place) else {
                continue;
            };
            for part in wire.parts {
                let name = format!("{}{}", output.name, part.suffix);
                let (operand, ty) = match output.ty {
                    Some(ty) if part.suffix.is_empty() => {
                        let local = self.temporary(ty);
                        self.assign(local, ty, part.operand, part.ty, &name, &place);
                        (Operand::Local(local), ty)
                    }
                    _ => (part.operand, part.ty),
                };
                ports.push(Port { name, operand, ty });
            }
        }
        ports
    }

    /// Values of the group's inputs: what was fed, else the default.
    fn group_inputs(
        &mut self,
        scope: &mut GroupScope<'_>,
        feeds: Vec<Feed<'_>>,
        overrides: &[(Global, Operand)],
    ) {
        let group = scope.group;
        for feed in &feeds {
            if !group.inputs.iter().any(|input| input.name == feed.target.head) {
                let error = GraphError::UnknownParam {
                    path: feed.target.to_string(),
                    template: group.name.clone(),
                    output: false,
                    known: group.inputs.iter().map(|input| input.name.clone()).collect(),
                };
                self.report(error, &feed.place);
            }
        }
        for input in &group.inputs {
            let place = scope.place(scope.prefix, input.span);
            let fed = feeds
                .iter()
                .rev()
                .find(|feed| feed.target.head == input.name && feed.target.rest.is_empty());
            let wire = match (fed, &input.default) {
                (Some(feed), _) => feed.wire.clone(),
                (None, Some(default)) => self.binding(scope, default, overrides, input.ty, &place),
                (None, None) => None,
            };
            let partial: Vec<&Feed<'_>> = feeds
                .iter()
                .filter(|feed| feed.target.head == input.name && !feed.target.rest.is_empty())
                .collect();
            match (wire, input.ty) {
                (Some(wire), Some(ty)) if wire.parts.len() == 1 => {
                    let local = self.code.locals.push(Local {
                        name: join(scope.prefix, &input.name),
                        ty,
                    });
                    let (value, place) = (&wire.parts[0], fed.map_or(place, |feed| feed.place.clone()));
                    self.assign(
                        local,
                        ty,
                        value.operand,
                        value.ty,
                        &join(scope.prefix, &input.name),
                        &place,
                    );
                    let param = exposed_param(&input.name, ty, local);
                    partial
                        .iter()
                        .for_each(|feed| self.assign_part(local, &param, feed));
                    scope
                        .inputs
                        .insert(input.name.clone(), Wire::single(Operand::Local(local), ty));
                }
                (Some(wire), _) => {
                    scope.inputs.insert(input.name.clone(), wire);
                }
                (None, Some(_)) if fed.is_none() => {
                    let (input, template) = (input.name.clone(), group.name.clone());
                    self.report(GraphError::MissingInput { input, template }, &place);
                }
                // An exposed input that nothing feeds: its targets keep their defaults.
                (None, _) => {}
            }
        }
    }

    /// The overrides that a node runs under: those of the node that alone pulls it, then its own.
    fn context(&mut self, scope: &mut GroupScope<'_>, index: usize) -> Overrides {
        if let Some(context) = &scope.contexts[index] {
            return context.clone();
        }
        let inherited = match scope.pulled_by[index] {
            Some(puller) => self.context(scope, puller),
            None => scope.overrides.clone(),
        };
        let node = &scope.group.nodes[index];
        let mut context = inherited.clone();
        for (global, binding, span) in &node.overrides {
            let place = scope.place(&join(scope.prefix, &node.name), *span);
            let Some(wire) = self.binding(scope, binding, &inherited, Some(global.ty()), &place) else {
                continue;
            };
            let [value] = &wire.parts[..] else { continue };
            let local = self.temporary(global.ty());
            self.assign(local, global.ty(), value.operand, value.ty, global.name(), &place);
            context.retain(|(g, _)| g != global);
            context.push((*global, Operand::Local(local)));
        }
        scope.contexts[index] = Some(context.clone());
        context
    }

    fn node(&mut self, scope: &mut GroupScope<'_>, index: usize) {
        let group = scope.group;
        let node = &group.nodes[index];
        let prefix = join(scope.prefix, &node.name);
        let context = self.context(scope, index);
        let place = scope.place(&prefix, node.span);
        let template = match &node.template {
            TemplateRef::Template(template) => Some(template.clone()),
            TemplateRef::Named(name) => self.templates.find(name),
        };
        let Some(template) = template else {
            let TemplateRef::Named(name) = &node.template else {
                unreachable!("a template at hand is found")
            };
            let error = GraphError::UnknownTemplate {
                name: name.clone(),
                known: self.templates.names(),
            };
            self.report(error, &place);
            return;
        };
        let params = params(&template);
        let inputs = params
            .as_ref()
            .map(|list| list.iter().filter(|p| !p.output).collect::<Vec<_>>());
        let mut feeds = vec![];
        for connection in &node.inputs {
            let place = scope.place(&prefix, connection.span);
            // An exposed input that nothing feeds leaves its targets at their defaults.
            if let Binding::Path(path) = &connection.binding
                && group.node(&path.head).is_none()
                && group.inputs.iter().any(|input| input.name == path.head)
                && !scope.inputs.contains_key(&path.head)
            {
                continue;
            }
            let expected = inputs
                .as_ref()
                .and_then(|inputs| resolve(inputs, &connection.target));
            let expected = expected.filter(|ty| ty.base != Base::Void);
            let wire = self.binding(scope, &connection.binding, &context, expected, &place);
            feeds.push(Feed {
                target: connection.target.clone(),
                wire,
                place,
            });
        }
        scope.nodes[index] = self.template(&template, &prefix, feeds, &context, None, &place);
    }

    /// The value of a binding; `None` after a mistake, which is reported.
    fn binding(
        &mut self,
        scope: &GroupScope<'_>,
        binding: &Binding,
        overrides: &[(Global, Operand)],
        expected: Option<Type>,
        place: &Place<'_>,
    ) -> Option<Wire> {
        match binding {
            Binding::Value(value) => self.value(value, overrides),
            Binding::Path(path) => match self.path(scope, path) {
                Ok(wire) => wire,
                Err(error) => {
                    self.report(error, place);
                    None
                }
            },
            Binding::Expression(expr) => self.expression(scope, expr, overrides, expected, place),
        }
    }

    fn value(&mut self, value: &Value, overrides: &[(Global, Operand)]) -> Option<Wire> {
        match value {
            Value::Const(value, ty) => Some(Wire::single(self.constant(value.clone()), *ty)),
            Value::Global(global) => {
                if let Some((_, operand)) = overrides.iter().find(|(g, _)| g == global) {
                    return Some(Wire::single(*operand, global.ty()));
                }
                let local = self.temporary(global.ty());
                self.emit(local, Op::Global(*global), vec![]);
                Some(Wire::single(Operand::Local(local), global.ty()))
            }
        }
    }

    /// The value that a path names; `Ok(None)` where an earlier mistake took it away.
    fn path(&mut self, scope: &GroupScope<'_>, path: &Path) -> Result<Option<Wire>, GraphError> {
        let group = scope.group;
        if let Some(index) = group.nodes.iter().position(|node| node.name == path.head) {
            let ports = &scope.nodes[index];
            if ports.is_empty() {
                return Ok(None);
            }
            let template = match &group.nodes[index].template {
                TemplateRef::Template(template) => template.name().to_owned(),
                TemplateRef::Named(name) => name.clone(),
            };
            let unknown = || GraphError::UnknownParam {
                path: path.to_string(),
                template,
                output: true,
                known: ports.iter().map(|port| port.name.clone()).collect(),
            };
            // A node by itself is its surface, or else its first output.
            if path.rest.is_empty() {
                let port = ports
                    .iter()
                    .find(|port| port.ty == Type::CLOSURE)
                    .unwrap_or(&ports[0]);
                return Ok(Some(Wire::single(port.operand, port.ty)));
            }
            let Some((Accessor::Field(head), rest)) = path.rest.split_first() else {
                return Err(unknown());
            };
            let wires: Vec<Part> = ports
                .iter()
                .map(|port| Part {
                    suffix: port.name.clone(),
                    operand: port.operand,
                    ty: port.ty,
                })
                .collect();
            let inner = Path {
                head: head.clone(),
                rest: rest.to_vec(),
            };
            return self.select(&wires, &inner).ok_or_else(unknown).map(Some);
        }
        let Some(wire) = scope.inputs.get(&path.head) else {
            if group.inputs.iter().any(|input| input.name == path.head) {
                return Ok(None);
            }
            let nodes = group.nodes.iter().map(|node| node.name.clone());
            let known = nodes
                .chain(group.inputs.iter().map(|input| input.name.clone()))
                .collect();
            return Err(GraphError::UnknownNode {
                node: path.head.clone(),
                known,
            });
        };
        let parts: Vec<Part> = wire
            .parts
            .iter()
            .map(|part| Part {
                suffix: format!("{}{}", path.head, part.suffix),
                ..part.clone()
            })
            .collect();
        let unknown = || GraphError::UnknownParam {
            path: path.to_string(),
            template: group.name.clone(),
            output: false,
            known: parts.iter().map(|part| part.suffix.clone()).collect(),
        };
        self.select(&parts, path).ok_or_else(unknown).map(Some)
    }

    /// The value that a path names among named parts: a part of one, or all fields of a structure.
    fn select(&mut self, parts: &[Part], path: &Path) -> Option<Wire> {
        let (name, rest) = longest_name(path, |name| parts.iter().any(|part| part.suffix == name));
        if let Some(found) = parts.iter().find(|part| part.suffix == name) {
            let (mut operand, mut ty) = (found.operand, found.ty);
            for accessor in rest {
                let element = part(ty, accessor)?;
                let index = match accessor {
                    Accessor::Field(name) => component_index(name)?,
                    Accessor::Index(i) => *i,
                };
                let index = self.constant(Const::Int(index as i32));
                let local = self.temporary(element);
                let op = if ty.is_array() {
                    Op::ArrayGet
                } else {
                    Op::TripleGet
                };
                self.emit(local, op, vec![operand, index]);
                (operand, ty) = (Operand::Local(local), element);
            }
            return Some(Wire::single(operand, ty));
        }
        let prefix = path.to_string();
        let fields: Vec<Part> = parts
            .iter()
            .filter_map(|part| {
                let suffix = part
                    .suffix
                    .strip_prefix(&prefix)
                    .filter(|rest| rest.starts_with('.'))?;
                Some(Part {
                    suffix: suffix.to_owned(),
                    ..part.clone()
                })
            })
            .collect();
        (!fields.is_empty()).then_some(Wire { parts: fields })
    }

    /// Compiles an expression as an anonymous unit and links it here.
    fn expression(
        &mut self,
        scope: &GroupScope<'_>,
        expr: &ast::Expr,
        overrides: &[(Global, Operand)],
        expected: Option<Type>,
        place: &Place<'_>,
    ) -> Option<Wire> {
        let file = scope.group.file.as_deref()?;
        let mut wires: Vec<(Path, Wire)> = vec![];
        let mut failed = false;
        let mut errors = vec![];
        let environment = self.environment;
        let mut resolve = |reference: &check::ReferencePath| {
            let path = &Path::from(reference);
            match self.path(scope, path) {
                Ok(Some(wire)) if wire.parts.len() == 1 => {
                    let ty = wire.parts[0].ty;
                    wires.push((path.clone(), wire));
                    Some(ty)
                }
                Ok(Some(_)) => None,
                Ok(None) => {
                    failed = true;
                    None
                }
                Err(GraphError::UnknownNode { .. }) => None,
                Err(error) => {
                    failed = true;
                    errors.push(error);
                    None
                }
            }
        };
        let compiled = check::expression(file, expr, expected, &mut resolve, environment);
        errors.into_iter().for_each(|error| self.report(error, place));
        let unit = match compiled {
            Ok(unit) => unit,
            Err(diagnostics) => {
                if !failed {
                    self.diagnostics.list.extend(diagnostics.list);
                }
                return None;
            }
        };
        let feeds = wires
            .into_iter()
            .map(|(path, wire)| Feed {
                target: Path {
                    head: path.to_string(),
                    rest: vec![],
                },
                wire: Some(wire),
                place: Place::NONE,
            })
            .collect();
        let ports = self.unit(&unit, &file.sources, scope.prefix, feeds, overrides);
        let part = |port: Port| {
            let suffix = port.name.strip_prefix("result").unwrap_or_default().to_owned();
            Part {
                suffix,
                operand: port.operand,
                ty: port.ty,
            }
        };
        Some(Wire {
            parts: ports.into_iter().map(part).collect(),
        })
    }

    /// `dst = value` with the language's implicit conversion.
    fn assign(
        &mut self,
        dst: LocalId,
        expected: Type,
        value: Operand,
        found: Type,
        to: &str,
        place: &Place<'_>,
    ) {
        if !assignable(found, expected) {
            let from = self.describe(value);
            let to = if to.is_empty() {
                "the input".to_owned()
            } else {
                format!("`{to}`")
            };
            self.report(
                GraphError::Type {
                    from,
                    found,
                    to,
                    expected,
                },
                place,
            );
            return;
        }
        let mut value = value;
        if found == Type::INT && expected != Type::INT {
            let float = self.temporary(Type::FLOAT);
            self.emit(float, Op::IntToFloat, vec![value]);
            value = Operand::Local(float);
        }
        let op = match (found.base, expected.base) {
            (Base::Int | Base::Float, base) if base.is_triple() => Op::Splat,
            (Base::Int | Base::Float, Base::Matrix) => Op::Diagonal,
            _ => Op::Copy,
        };
        self.emit(dst, op, vec![value]);
    }

    /// What a value is called in messages.
    fn describe(&self, value: Operand) -> String {
        match value {
            Operand::Local(id) if !self.code.locals[id].name.is_empty() => {
                format!("`{}`", self.code.locals[id].name)
            }
            Operand::Local(_) => "the value".to_owned(),
            Operand::Const(_) => "the constant".to_owned(),
        }
    }

    fn temporary(&mut self, ty: Type) -> LocalId {
        self.code.locals.push(Local {
            name: String::new(),
            ty,
        })
    }

    fn constant(&mut self, value: Const) -> Operand {
        Operand::Const(self.code.consts.push(value))
    }

    fn emit(&mut self, dst: LocalId, op: Op, args: Vec<Operand>) {
        self.code.body.push(Stmt::Op {
            dst: Some(dst),
            op,
            args,
            span: Span::default(),
        });
    }

    /// Takes over a unit's sources, once; gives the position of the first.
    fn take_sources(&mut self, sources: &SourceMap) -> usize {
        let address = std::ptr::from_ref(sources) as usize;
        if let Some(&first) = self.source_ids.get(&address) {
            return first;
        }
        let first = self.sources.len();
        sources.iter().for_each(|source| {
            self.sources.add(source.clone());
        });
        self.source_ids.insert(address, first);
        first
    }

    /// The outputs asked for as parameters of the linked unit.
    fn outputs(&mut self, template: &Template, ports: Vec<Port>, wanted: &[String]) -> Vec<Param> {
        let mut params = vec![];
        let all: Vec<String> = ports.iter().map(|port| port.name.clone()).collect();
        for name in if wanted.is_empty() { &all[..] } else { wanted } {
            let mut found = false;
            for port in ports
                .iter()
                .filter(|port| port.name == *name || names(&port.name, name))
            {
                found = true;
                let local = self.code.locals.push(Local {
                    name: port.name.clone(),
                    ty: port.ty,
                });
                self.emit(local, Op::Copy, vec![port.operand]);
                params.push(Param {
                    output: true,
                    ..exposed_param(&port.name, port.ty, local)
                });
            }
            // After a mistake outputs are missing that are not unknown.
            if !found && !self.diagnostics.has_errors() {
                let error = GraphError::UnknownParam {
                    path: name.clone(),
                    template: template.name().to_owned(),
                    output: true,
                    known: all.clone(),
                };
                self.report(error, &Place::NONE);
            }
        }
        params
    }

    fn cycle_span(&self, group: &ShaderGroupTemplate, error: &GraphError) -> Span {
        match error {
            GraphError::Cycle { chain } => group.node(&chain[0]).map_or(group.span, |node| node.span),
            _ => group.span,
        }
    }
}

/// A group being linked.
struct GroupScope<'g> {
    group: &'g ShaderGroupTemplate,
    prefix: &'g str,
    /// Overrides that the whole group runs under.
    overrides: Overrides,
    inputs: FxHashMap<String, Wire>,
    /// Outputs of each node; empty where it is not linked yet.
    nodes: Vec<Vec<Port>>,
    /// The node that alone pulls each node, when that has overrides.
    pulled_by: Vec<Option<usize>>,
    /// Overrides of each node, once they are known.
    contexts: Vec<Option<Overrides>>,
}

impl<'g> GroupScope<'g> {
    fn place(&self, instance: &str, span: Span) -> Place<'g> {
        Place {
            sources: self.group.file.as_deref().map(|file| &file.sources),
            span,
            instance: instance.to_owned(),
        }
    }
}

/// The part of a feed that is all of `param`.
fn whole_feed<'f, 'a>(feed: &'f Feed<'a>, param: &Param) -> Option<(&'f Part, &'f Feed<'a>)> {
    let wire = feed.wire.as_ref()?;
    let target = feed.target.to_string();
    let part = wire
        .parts
        .iter()
        .find(|part| param.name == format!("{target}{}", part.suffix))?;
    Some((part, feed))
}

fn part_name(feed: &Feed<'_>) -> String {
    if feed.place.instance.is_empty() {
        feed.target.to_string()
    } else {
        format!("{}.{}", feed.place.instance, feed.target)
    }
}

/// Whether `name` is `whole` or a field of it.
fn names(name: &str, whole: &str) -> bool {
    name.strip_prefix(whole)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() {
        name.to_owned()
    } else {
        format!("{prefix}.{name}")
    }
}

fn exposed_param(name: &str, ty: Type, local: LocalId) -> Param {
    Param {
        name: name.to_owned(),
        ty,
        is_unsized: false,
        output: false,
        local,
        init: vec![],
        struct_name: None,
        metadata: vec![],
        span: Span::default(),
    }
}
