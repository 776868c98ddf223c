//! Linking of a group instance: inputs, nodes in execution order, outputs.

use std::rc::Rc;
use std::sync::Arc;

use super::Linker;
use super::choice::unknown_choice;
use super::scope::{Feed, FeedSource, GroupScope, GroupSource, Instance};
use super::shared_globals::SharedGlobals;
use super::wire::{BindingSite, GroupReaders, LinkPlace, Readers, Wire, WirePart, join};
use crate::builtins::Global;
use crate::graph::ParamInfo;
use crate::graph::interface::{params, part, resolve};
use crate::graph::order::{Dependencies, NodeIndex, Step};
use crate::graph::path::{is_in, longest_name};
use crate::graph::source;
use crate::graph::splice::Overrides;
use crate::graph::{
    Binding, Connection, GraphError, GroupInput, GroupOutput, GroupUse, Node, ShaderGroupTemplate, Template,
    TemplateRef,
};
use crate::hir::{self, Op, Operand};
use crate::ty::{Base, Length, Type};
use shading_syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp, UnitKind};
use shading_syntax::source::Span;

/// Stack size in bytes for one level of nested groups.
const STACK: usize = 1 << 20;

impl Linker<'_> {
    /// Returns the outputs of the group that the instance requests.
    pub(super) fn group(&mut self, group: &ShaderGroupTemplate, instance: &Instance<'_>) -> Vec<WirePart> {
        // The nesting depth is bounded (see `size`), but may exceed the thread's stack.
        stacker::maybe_grow(STACK / 4, STACK, || self.group_body(group, instance))
    }

    fn group_body(&mut self, group: &ShaderGroupTemplate, instance: &Instance<'_>) -> Vec<WirePart> {
        let readers = GroupReaders::new(group);
        let dependencies = match Dependencies::of(group) {
            Ok(dependencies) => dependencies,
            Err(error) => return self.report_cycle(group, error),
        };
        let mut scope = GroupScope::new(&readers, &dependencies, instance);
        self.check_group_targets(&scope);
        let is_wanted = |output: &&GroupOutput| {
            instance
                .wanted
                .is_none_or(|list| list.iter().any(|name| is_in(name, &output.name)))
        };
        let outputs: Vec<_> = group.outputs.iter().filter(is_wanted).collect();
        let bindings: Vec<&Binding> = outputs.iter().map(|output| &output.binding).collect();
        let steps = match dependencies.order(&bindings, |index| scope.is_given(index)) {
            Ok(steps) => steps,
            Err(error) => return self.report_cycle(group, error),
        };
        let mut shared = self.share(group);
        for step in steps {
            match step {
                Step::Input(index) => self.add_group_input(&mut scope, index),
                Step::Node(index) => {
                    std::mem::swap(&mut self.shared, &mut shared);
                    self.node(&mut scope, index);
                    std::mem::swap(&mut self.shared, &mut shared);
                }
            }
        }
        self.all_shared.end = self.code.body.len();
        outputs
            .into_iter()
            .flat_map(|output| self.group_output(&scope, output))
            .collect()
    }

    /// Reports a cycle, once for all instances of the group.
    fn report_cycle(&mut self, group: &ShaderGroupTemplate, error: GraphError) -> Vec<WirePart> {
        let place = LinkPlace {
            sources: group.file.as_deref().map(|file| &file.sources),
            span: cycle_span(group, &error),
            instance: String::new(),
        };
        self.report(error, &place);
        vec![]
    }

    /// Creates the variables of globals that the units of a group share: those that at least one unit assigns to.
    fn share(&mut self, group: &ShaderGroupTemplate) -> SharedGlobals {
        let mut shared = SharedGlobals::default();
        let nodes = group.nodes().iter().filter(|_| group.shares_globals);
        for node in nodes {
            let TemplateRef::Template(Template::Unit(unit)) = &node.template else {
                continue;
            };
            for variable in unit.hir.globals.iter().filter(|variable| variable.is_written) {
                if shared.get(variable.global).is_some() {
                    continue;
                }
                let local = match variable.global {
                    Some(global) => {
                        let local = self.variable(global.name(), global.ty());
                        self.emit(local, Op::Global(global), vec![]);
                        local
                    }
                    None => self.variable("Ci", Type::CLOSURE),
                };
                shared.add(variable.global, local);
                self.all_shared.locals.insert(local);
            }
        }
        shared
    }

    /// Reports values for unknown inputs of the group.
    fn check_group_targets(&mut self, scope: &GroupScope<'_>) {
        for feed in &scope.instance.feeds {
            if !scope.has_input(&feed.target.head) {
                let names = scope.group.inputs.iter().map(|input| input.name.clone()).collect();
                self.report_target(feed, &scope.group.name, names);
            }
        }
    }

    /// Evaluates an input of the group: the connected value, else the default.
    pub(super) fn add_group_input(&mut self, scope: &mut GroupScope<'_>, index: usize) {
        let input = &scope.group.inputs[index];
        if let Some(wire) = self.group_input(scope, input) {
            scope.inputs.insert(input.name.clone(), wire);
        }
    }

    fn group_input(&mut self, scope: &GroupScope<'_>, input: &GroupInput) -> Option<Wire> {
        let place = scope.place(input.default_span);
        let instance = scope.instance;
        let own = |feed: &&Feed<'_>| feed.target.head == input.name;
        let fed = instance.feeds.iter().rev().filter(own).find(|feed| feed.target.rest.is_empty());
        let has_parts = instance.feeds.iter().filter(own).any(|feed| !feed.target.rest.is_empty());
        let expected = input.ty.filter(|ty| *ty != Type::VOID);
        let wire = match (fed, &input.default) {
            (Some(feed), _) => feed.wire.clone()?,
            (None, Some(default)) => {
                let site = BindingSite { place: &place, overrides: instance.overrides, expected };
                self.binding(scope, default, &site)?
            }
            // The parts determine the whole value.
            (None, None) if has_parts && expected.is_some_and(|ty| ty.length == Length::Unsized) => {
                Wire { parts: vec![] }
            }
            (None, None) if input.ty.is_some() => {
                let (input, template) = (input.name.clone(), scope.group.name.clone());
                self.report(GraphError::MissingInput { input, template }, &place);
                return None;
            }
            // An unset exposed input leaves its targets at their defaults.
            (None, None) => return None,
        };
        let ty = match (expected, &wire.parts[..]) {
            (Some(ty), [_]) if ty.length != Length::Unsized => ty,
            // An input of type `any`, or an array of any length, needs no conversion.
            (_, [_]) if !has_parts => return Some(wire),
            (Some(ty), []) => Type::array(ty.base, instance.grown(&input.name)),
            (_, [part]) => match part.ty.length {
                Length::Array(length) => {
                    let grown = instance.grown(&input.name);
                    Type::array(part.ty.base, length.max(grown))
                }
                Length::Single | Length::Unsized => part.ty,
            },
            _ => return Some(wire),
        };
        let name = join(instance.prefix(), &input.name);
        let local = self.variable(&name, ty);
        if let [whole] = &wire.parts[..] {
            let place = fed.map_or(&place, |feed| &feed.place);
            if expected.is_some_and(|ty| ty.length != Length::Unsized) {
                self.assign(local, whole, &name, place);
            } else {
                self.assign_first(local, whole, &name, place);
            }
        }
        if has_parts {
            for feed in instance.feeds.iter().filter(own) {
                if feed.target.rest.iter().try_fold(ty, part).is_none() {
                    self.report_target(feed, &scope.group.name, vec![input.name.clone()]);
                }
            }
            self.assign_parts(local, &input.name, &instance.feeds);
        }
        Some(Wire::single(Operand::Local(local), ty))
    }

    fn group_output(&mut self, scope: &GroupScope<'_>, output: &GroupOutput) -> Vec<WirePart> {
        let place = scope.place(output.value_span);
        let site = BindingSite {
            place: &place,
            overrides: scope.instance.overrides,
            expected: output.ty,
        };
        let Some(wire) = self.binding(scope, &output.binding, &site) else {
            return vec![];
        };
        let mut port = |part: WirePart| {
            let name = format!("{}{}", output.name, part.name);
            match output.ty {
                Some(ty) if part.name.is_empty() => {
                    let local = self.temporary(ty);
                    self.assign(local, &part, &name, &place);
                    let operand = Operand::Local(local);
                    WirePart { name, operand, ty }
                }
                _ => WirePart { name, ..part },
            }
        };
        wire.parts.into_iter().map(&mut port).collect()
    }

    pub(super) fn node(&mut self, scope: &mut GroupScope<'_>, index: NodeIndex) {
        let node = &scope.group.nodes()[index];
        let context = self.context(scope, index);
        let place = scope.node_place(node, node.span);
        let Some(template) = self.template_of(node, &place) else {
            return;
        };
        // Displacements bend the normals of surfaces, but are none.
        let is_root = scope.group.usage.is_some() && index == 0;
        let is_bump = |kind: UnitKind| !is_root && kind == UnitKind::Displacement;
        if let (Template::Unit(unit), Some(usage)) = (&template, self.usage)
            && !usage.allows(unit.hir.kind)
            && !(usage == GroupUse::Surface && is_bump(unit.hir.kind))
        {
            let (unit, kind) = (unit.hir.name.clone(), unit.hir.kind);
            return self.report(GraphError::WrongKind { unit, kind, usage }, &place);
        }
        let params = params(&template);
        let inputs: Option<Vec<&ParamInfo>> =
            params.as_ref().map(|list| list.iter().filter(|param| !param.output).collect());
        let connections = self.connections(scope, node, &template, inputs.as_deref());
        let mut feeds = vec![];
        for connection in connections.iter() {
            if let Some(parts) = scope.parts_of_exposed(connection) {
                feeds.extend(parts);
                continue;
            }
            let place = scope.node_place(node, connection.span);
            let site = BindingSite { place: &place, overrides: &context, expected: None };
            let (wire, source) = self.connected(scope, index, connection, inputs.as_deref(), &site);
            feeds.push(Feed {
                target: connection.target.clone(),
                wire,
                is_fed: scope.is_fed(&connection.binding),
                interpolated: connection.interpolated,
                place,
                source,
            });
        }
        self.check_connectable(inputs.as_deref().unwrap_or_default(), &feeds);
        let instance = Instance {
            place: &place,
            feeds,
            overrides: &context,
            wanted: None,
            readers: Readers::Group(scope.readers, &node.name),
            attributes_connect: scope.instance.attributes_connect || scope.group.attributes_connect,
        };
        let is_entry = scope.entries.contains(node.name.as_str());
        self.entries += u32::from(is_entry);
        let ports = self.template(&template, &instance);
        self.entries -= u32::from(is_entry);
        scope.nodes[index] = ports;
    }

    /// Reports computed values of inputs with `[[ int allowconnect = 0 ]]`.
    fn check_connectable(&mut self, inputs: &[&ParamInfo], feeds: &[Feed<'_>]) {
        for feed in feeds.iter().filter(|feed| feed.is_fed) {
            if let FeedSource::Group(source) = &feed.source
                && let Binding::Expression(expr) = source.binding
                && has_only_literals(expr)
            {
                continue;
            }
            let (name, _) = longest_name(&feed.target, |name| inputs.iter().any(|input| input.name == name));
            let input = inputs.iter().find(|input| input.name == name);
            if input.is_some_and(|input| hir::int_metadata(&input.metadata, "allowconnect") == Some(0)) {
                let to = feed.target.to_string();
                self.report(GraphError::NotConnectable { to }, &feed.place);
            }
        }
    }

    fn template_of(&mut self, node: &Node, place: &LinkPlace<'_>) -> Option<Template> {
        let name = match &node.template {
            TemplateRef::Template(template) => return Some(template.clone()),
            TemplateRef::Named(name) => name,
        };
        let template = match self.templates.find(name) {
            Ok(template) => template,
            Err(diagnostics) => {
                self.diagnostics.list.extend(diagnostics.list);
                return None;
            }
        };
        if template.is_none() {
            let error = GraphError::UnknownTemplate { name: name.clone(), known: self.templates.names() };
            self.report(error, place);
        }
        template
    }

    /// Links the binding of a connection for the node `reader`. `inputs` are its parameters, if they are known.
    fn connected<'g>(
        &mut self,
        scope: &'g GroupScope<'g>,
        reader: NodeIndex,
        connection: &'g Connection,
        inputs: Option<&[&ParamInfo]>,
        site: &BindingSite<'_>,
    ) -> (Option<Wire>, FeedSource<'g>) {
        if let Some(error) = inputs.and_then(|inputs| unknown_choice(connection, inputs)) {
            self.report(error, site.place);
        }
        let expected = inputs.and_then(|inputs| resolve(inputs, &connection.target));
        let expected = match expected {
            Some(Type::VOID) if scope.group.usage.is_some() => {
                whole_numbers(&connection.binding).or(expected)
            }
            expected => expected,
        };
        let source = GroupSource {
            scope,
            reader,
            binding: &connection.binding,
            expected: expected.filter(|ty| ty.base != Base::Void),
            fields: structure_fields(connection, inputs),
        };
        (self.bound(scope, &source, site), FeedSource::Group(source))
    }

    /// Links the source of an input in a scope: the source itself or a copy of it.
    pub(super) fn bound(
        &mut self,
        scope: &GroupScope<'_>,
        source: &GroupSource<'_>,
        site: &BindingSite<'_>,
    ) -> Option<Wire> {
        match (&source.fields, source.binding) {
            (Some(fields), Binding::Expression(expr)) if let ExprKind::Braces(list) = &expr.kind => {
                let fields: Vec<Field<'_>> = fields.iter().map(|(path, ty)| (path.as_str(), *ty)).collect();
                self.structure(scope, list, &fields, site)
            }
            (_, binding) => {
                let expected = source.expected;
                self.binding(scope, binding, &BindingSite { expected, ..*site })
            }
        }
    }

    /// Links `{ … }` for a structure with these fields, with one element per field.
    fn structure(
        &mut self,
        scope: &GroupScope<'_>,
        list: &[Expr],
        fields: &[Field<'_>],
        site: &BindingSite<'_>,
    ) -> Option<Wire> {
        let mut own: Vec<&str> = vec![];
        for (path, _) in fields {
            let name = path.split('.').next().unwrap_or(path);
            if own.last() != Some(&name) {
                own.push(name);
            }
        }
        if own.len() != list.len() {
            let (expected, found) = (own.len(), list.len());
            self.report(GraphError::FieldCount { expected, found }, site.place);
            return None;
        }
        let mut parts = vec![];
        for (name, expr) in own.into_iter().zip(list) {
            let inner = fields.iter().filter_map(|&(path, ty)| {
                let rest = path.strip_prefix(name)?.strip_prefix('.')?;
                Some((rest, ty))
            });
            let inner: Vec<Field<'_>> = inner.collect();
            let wire = match (&expr.kind, fields.iter().find(|(path, _)| *path == name)) {
                (_, Some((_, ty))) => {
                    let site = BindingSite {
                        place: site.place,
                        overrides: site.overrides,
                        expected: Some(*ty),
                    };
                    self.binding(scope, &element_binding(expr), &site)?
                }
                (ExprKind::Braces(list), None) => self.structure(scope, list, &inner, site)?,
                (_, None) => self.binding(scope, &element_binding(expr), site)?,
            };
            parts.extend(
                wire.parts
                    .into_iter()
                    .map(|part| WirePart { name: format!(".{name}{}", part.name), ..part }),
            );
        }
        Some(Wire { parts })
    }

    /// Returns the overrides in effect for a node: those of the only node that depends on it, then its own.
    fn context(&mut self, scope: &mut GroupScope<'_>, index: NodeIndex) -> Overrides {
        if let Some(context) = &scope.contexts[index] {
            return context.clone();
        }
        let inherited = match scope.dependencies.pulled_by[index] {
            Some(puller) => self.context(scope, puller),
            None => scope.instance.overrides.to_vec(),
        };
        let node = &scope.group.nodes()[index];
        let mut context = inherited.clone();
        for (global, binding, span) in &node.overrides {
            let place = scope.node_place(node, *span);
            let site = BindingSite {
                place: &place,
                overrides: &inherited,
                expected: Some(global.ty()),
            };
            let Some(wire) = self.binding(scope, binding, &site) else {
                continue;
            };
            let [value] = &wire.parts[..] else { continue };
            let local = self.temporary(global.ty());
            self.assign(local, value, global.name(), &place);
            context.retain(|(g, _)| g != global);
            context.push((*global, Operand::Local(local)));
        }
        scope.contexts[index] = Some(context.clone());
        context
    }
}

/// Path and type of a field of a structure.
type Field<'b> = (&'b str, Type);

/// Returns the fields of a structure for which `{ … }` is given as a whole.
fn structure_fields(connection: &Connection, inputs: Option<&[&ParamInfo]>) -> Option<Rc<[(String, Type)]>> {
    let Binding::Expression(expr) = &connection.binding else {
        return None;
    };
    if !matches!(expr.kind, ExprKind::Braces(_)) {
        return None;
    }
    let target = connection.target.to_string();
    let field = |param: &&ParamInfo| {
        let path = param.name.strip_prefix(&target)?.strip_prefix('.')?;
        Some((path.to_owned(), param.ty))
    };
    let fields: Rc<[_]> = inputs?.iter().filter_map(field).collect();
    (!fields.is_empty()).then_some(fields)
}

/// Binding of an element of `{ … }`.
fn element_binding(expr: &Expr) -> Binding {
    match source::path(expr) {
        Some(path) if Global::from_name(&path.head).is_none() => Binding::Path(path),
        _ => Binding::Expression(Arc::new(expr.clone())),
    }
}

/// Returns the type of whole numbers of a scene, single or in a list: floats.
fn whole_numbers(binding: &Binding) -> Option<Type> {
    let Binding::Expression(expr) = binding else {
        return None;
    };
    match &expr.kind {
        ExprKind::Braces(list) | ExprKind::List(list) if list.iter().all(is_whole_number) => {
            Some(Type::FLOAT.with_length(Length::Unsized))
        }
        _ => is_whole_number(expr).then_some(Type::FLOAT),
    }
}

fn has_only_literals(expr: &Expr) -> bool {
    let mut found = !matches!(expr.kind, ExprKind::Missing | ExprKind::Name(_) | ExprKind::Call { .. });
    expr.for_each_operand(&mut |operand| found &= has_only_literals(operand));
    found
}

/// Returns whether an expression consists of literals without a decimal point.
fn is_whole_number(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) => true,
        ExprKind::Unary { op: UnaryOp::Neg | UnaryOp::Plus, operand } => is_whole_number(operand),
        ExprKind::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div,
            left,
            right,
        } => is_whole_number(left) && is_whole_number(right),
        _ => false,
    }
}

fn cycle_span(group: &ShaderGroupTemplate, error: &GraphError) -> Span {
    match error {
        GraphError::Cycle { chain } => {
            let input = || group.inputs.iter().find(|input| input.name == chain[0]);
            let node = group.node(&chain[0]).map(|node| node.span);
            node.or_else(|| input().map(|input| input.span)).unwrap_or(group.span)
        }
        _ => group.span,
    }
}
