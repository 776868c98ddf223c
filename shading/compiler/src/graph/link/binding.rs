//! Linking of bindings: values, paths into the group, expressions.

use super::Linker;
use super::scope::{Feed, FeedSource, GroupScope, Instance};
use super::wire::{BindingSite, LinkPlace, Readers, Wire, WirePart};
use crate::builtins::{Builtin, Global};
use crate::check;
use crate::graph::literal::{literal_for, plain};
use crate::graph::order::NodeIndex;
use crate::graph::path::{is_in, longest_name};
use crate::graph::{Accessor, Binding, GraphError, Path, TemplateRef, Value};
use crate::hir::UNIFORM_OBJECT;
use crate::hir::{Const, Kind, Op, Operand};
use crate::ty::Type;
use shading_syntax::ast;

impl Linker<'_> {
    /// Links a binding; returns `None` after an error, which is reported.
    pub(super) fn binding(
        &mut self,
        scope: &GroupScope<'_>,
        binding: &Binding,
        site: &BindingSite<'_>,
    ) -> Option<Wire> {
        match binding {
            Binding::Value(value) => Some(self.value(value, site.overrides)),
            Binding::Path(path) => {
                let found = self.path(scope, path);
                if found.is_none() && self.environment.globals.iter().any(|g| g.name() == path.head) {
                    return self.expression(scope, &path.expression(), site);
                }
                match found.unwrap_or_else(|| Err(unknown_node(scope, path))) {
                    Ok(wire) => wire,
                    Err(error) => {
                        self.report(error, site.place);
                        None
                    }
                }
            }
            Binding::Expression(expr) => self.expression(scope, expr, site),
        }
    }

    pub(super) fn value(&mut self, value: &Value, overrides: &[(Global, Operand)]) -> Wire {
        match value {
            Value::Const(value, ty) => Wire::single(self.constant(value.clone()), *ty),
            Value::Global(global) => {
                if let Some((_, operand)) = overrides.iter().find(|(g, _)| g == global) {
                    return Wire::single(*operand, global.ty());
                }
                let local = self.temporary(global.ty());
                self.emit(local, Op::Global(*global), vec![]);
                Wire::single(Operand::Local(local), global.ty())
            }
            Value::Uniform(name, ty) => self.uniform(name, *ty),
        }
    }

    fn uniform(&mut self, name: &str, ty: Type) -> Wire {
        let local = self.temporary(ty);
        let [object, name] = [UNIFORM_OBJECT, name].map(|text| self.constant(Const::String(text.into())));
        let kind = Kind::of(ty).unwrap_or(Kind::FLOAT);
        match kind {
            Kind::INT | Kind::FLOAT | Kind::TRIPLE => {
                self.emit(local, Op::AttributeValue, vec![object, name]);
            }
            _ => {
                let [whole, code] = [-1, kind.code()].map(|n| self.constant(Const::Int(n)));
                let op = Op::Builtin(Builtin::AnyAttribute);
                self.emit(local, op, vec![object, name, whole, code]);
            }
        }
        Wire::single(Operand::Local(local), ty)
    }

    /// Resolves a path to a value. `None` if the path is not in the group; `Ok(None)` if an earlier error prevents the
    /// value.
    fn path(&mut self, scope: &GroupScope<'_>, path: &Path) -> Option<Result<Option<Wire>, GraphError>> {
        if let Some(index) = scope.group.position(&path.head) {
            return Some(self.path_in_node(scope, index, path));
        }
        if let Some(wire) = scope.inputs.get(&path.head) {
            return Some(self.path_in_input(scope, wire, path).map(Some));
        }
        scope.has_input(&path.head).then_some(Ok(None))
    }

    fn path_in_node(
        &mut self,
        scope: &GroupScope<'_>,
        index: NodeIndex,
        path: &Path,
    ) -> Result<Option<Wire>, GraphError> {
        let ports = &scope.nodes[index];
        let Some(first) = ports.first() else {
            return Ok(None);
        };
        let named = match path.rest.split_first() {
            Some((Accessor::Field(head), rest)) => {
                let (head, rest) = (head.clone(), rest.to_vec());
                self.select(ports, &Path::new(head, rest))
            }
            _ => None,
        };
        // A node without an output name denotes its closure output, or else its first output.
        let surface = ports.iter().find(|port| port.ty == Type::CLOSURE);
        let found = named.or_else(|| self.part_of(surface.unwrap_or(first), &path.rest));
        let template = match &scope.group.nodes()[index].template {
            TemplateRef::Template(template) => template.name(),
            TemplateRef::Named(name) => name,
        };
        let unknown = || GraphError::UnknownParam {
            path: path.to_string(),
            template: template.to_owned(),
            output: true,
            known: ports.iter().map(|port| port.name.clone()).collect(),
        };
        found.ok_or_else(unknown).map(Some)
    }

    fn path_in_input(
        &mut self,
        scope: &GroupScope<'_>,
        wire: &Wire,
        path: &Path,
    ) -> Result<Wire, GraphError> {
        let named =
            |part: &WirePart| WirePart { name: format!("{}{}", path.head, part.name), ..part.clone() };
        let parts: Vec<WirePart> = wire.parts.iter().map(named).collect();
        let unknown = || GraphError::UnknownParam {
            path: path.to_string(),
            template: scope.group.name.clone(),
            output: false,
            known: parts.iter().map(|part| part.name.clone()).collect(),
        };
        self.select(&parts, path).ok_or_else(unknown)
    }

    /// Selects the value named by a path: a component of a part, or all fields of a structure.
    fn select(&mut self, parts: &[WirePart], path: &Path) -> Option<Wire> {
        let (name, rest) = longest_name(path, |name| parts.iter().any(|part| part.name == name));
        if let Some(found) = parts.iter().find(|part| part.name == name) {
            return self.part_of(found, rest);
        }
        if let Some(ordered) = path.fields_first(|name| parts.iter().any(|part| is_in(&part.name, name))) {
            return self.select(parts, &ordered);
        }
        let structure = path.to_string();
        let field = |part: &WirePart| {
            let suffix = part.name.strip_prefix(&structure)?;
            suffix
                .starts_with('.')
                .then(|| WirePart { name: suffix.to_owned(), ..part.clone() })
        };
        let fields: Vec<WirePart> = parts.iter().filter_map(field).collect();
        (!fields.is_empty()).then_some(Wire { parts: fields })
    }

    fn part_of(&mut self, whole: &WirePart, accessors: &[Accessor]) -> Option<Wire> {
        let whole = (whole.operand, whole.ty);
        let (operand, ty) = accessors
            .iter()
            .try_fold(whole, |(operand, ty), accessor| self.element(operand, ty, accessor))?;
        Some(Wire::single(operand, ty))
    }

    /// Compiles an expression as an anonymous unit and links it.
    fn expression(
        &mut self,
        scope: &GroupScope<'_>,
        expr: &ast::Expr,
        site: &BindingSite<'_>,
    ) -> Option<Wire> {
        let constant = match site.expected {
            Some(ty) => literal_for(expr, ty),
            None => plain(expr),
        };
        if let Some((value, ty)) = constant {
            return Some(Wire::single(self.constant(value), ty));
        }
        let file = scope.group.file.as_deref()?;
        let mut feeds: Vec<Feed<'_>> = vec![];
        let mut failed = false;
        let mut errors = vec![];
        let environment = self.environment;
        let mut resolve = |reference: &check::ReferencePath| {
            let path = Path::from(reference);
            match self.path(scope, &path)? {
                Ok(Some(wire)) => {
                    let [WirePart { ty, .. }] = wire.parts[..] else {
                        return None;
                    };
                    // The anonymous unit's input is named by the whole path.
                    let (head, rest) = (path.to_string(), vec![]);
                    feeds.push(Feed {
                        target: Path::new(head, rest),
                        wire: Some(wire),
                        is_fed: true,
                        interpolated: None,
                        place: LinkPlace::NONE,
                        source: FeedSource::Fixed,
                    });
                    Some(ty)
                }
                Ok(None) => {
                    failed = true;
                    None
                }
                Err(error) => {
                    failed = true;
                    errors.push(error);
                    None
                }
            }
        };
        let compiled = check::expression(file, expr, site.expected, &mut resolve, environment);
        errors.into_iter().for_each(|error| self.report(error, site.place));
        let unit = match compiled {
            Ok(unit) => unit,
            Err(diagnostics) => {
                if !failed {
                    self.diagnostics.list.extend(diagnostics.list);
                }
                return None;
            }
        };
        let instance = Instance {
            place: scope.instance.place,
            feeds,
            overrides: site.overrides,
            wanted: None,
            readers: Readers::Caller(None),
            attributes_connect: false,
        };
        let mut parts = self.unit(&unit, &file.sources, &instance);
        for part in &mut parts {
            part.name = part.name.strip_prefix("result").unwrap_or_default().to_owned();
        }
        Some(Wire { parts })
    }
}

fn unknown_node(scope: &GroupScope<'_>, path: &Path) -> GraphError {
    let nodes = scope.group.nodes().iter().map(|node| node.name.clone());
    let inputs = scope.group.inputs.iter().map(|input| input.name.clone());
    GraphError::UnknownNode {
        node: path.head.clone(),
        known: nodes.chain(inputs).collect(),
    }
}
