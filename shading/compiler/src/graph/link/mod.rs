//! Linking: a template becomes one function of HIR without inputs.
//!
//! The code of a unit is inlined ([`mod@unit`]); an instance of a group links its nodes in execution order ([`group`]).
//! [`binding`] converts the source of an input to a [`wire`], [`scope`] holds the connections of instances, and [`emit`]
//! emits the assignments to inputs. [`target`] resolves the inputs that connections name, aliases included. [`choice`]
//! checks parameters with a fixed set of texts. [`shared_globals`] handles globals shared by the units of a group, and [`sample`]
//! links samples of inputs.

mod binding;
mod choice;
mod emit;
mod group;
mod names;
mod sample;
mod scope;
mod shared_globals;
mod target;
mod unit;
mod wire;

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

use super::input::named_input;
use super::lazy::{self, InstanceSegment, SharedVariables, Wires};
use super::path::is_in;
use super::{GraphError, GroupUse, Path, ShaderGroupTemplate, Template, Templates, Value, size};
use crate::check::{self, Environment};
use crate::hir::{Code, Function, FunctionId, Op, Operand, Param, Unit, UnitKind};
use scope::{Feed, FeedSource, Instance};
use shading_syntax::diagnostic::{Diagnostic, Diagnostics};
use shading_syntax::source::{SourceMap, SourceUser, Span};
use shared_globals::SharedGlobals;
use wire::{LinkPlace, Readers, WirePart};

/// A template linked to a single unit.
#[derive(Debug)]
pub struct LinkedUnit {
    /// Linked unit. Its parameters are the requested outputs, in order; it has no inputs.
    pub unit: Unit,
    /// Sources of its spans.
    pub sources: SourceMap,
}

/// Links `template` with `inputs` set and every other input at its default. `outputs` are the names of the requested
/// outputs, all if it is empty; a name may denote a structure.
///
/// # Errors
/// Unknown names, type mismatches, cycles and missing inputs: all of them, with both ends named. If a group contains itself
/// or becomes too large, only the first such error.
pub fn link(
    template: &Template,
    inputs: &[(String, Value)],
    outputs: &[String],
    templates: &dyn Templates,
    environment: &Environment<'_>,
) -> Result<LinkedUnit, Diagnostics> {
    let link = || link_here(template, inputs, outputs, templates, environment);
    match template {
        Template::Unit(_) => link(),
        // Expressions are compiled during linking; otherwise each of them would allocate a stack.
        Template::Group(_) => check::deep_stack(link),
    }
}

/// Links a template like [`link`], including the instances of a group that no output depends on.
///
/// # Errors
/// As [`link`].
pub fn check_all(
    template: &Template,
    templates: &dyn Templates,
    environment: &Environment<'_>,
) -> Result<(), Diagnostics> {
    let whole = match template {
        Template::Unit(_) => template.clone(),
        Template::Group(group) => {
            let entries = group.nodes().iter().map(|node| node.name.clone()).collect();
            let all = ShaderGroupTemplate { entries, ..(**group).clone() };
            Template::Group(Arc::new(all))
        }
    };
    link(&whole, &[], &[], templates, environment).map(|_| ())
}

fn link_here(
    template: &Template,
    inputs: &[(String, Value)],
    outputs: &[String],
    templates: &dyn Templates,
    environment: &Environment<'_>,
) -> Result<LinkedUnit, Diagnostics> {
    size::instances(template, templates)?;
    let mut linker = Linker {
        code: Code::default(),
        functions: PrimaryMap::new(),
        sources: SourceMap::default(),
        source_ids: FxHashMap::default(),
        segments: vec![],
        wires: Wires::new(),
        entries: 0,
        shared: SharedGlobals::default(),
        all_shared: SharedVariables::default(),
        templates,
        environment,
        diagnostics: Diagnostics::default(),
        usage: match template {
            Template::Group(group) => group.usage,
            Template::Unit(_) => None,
        },
        name: template.name().to_owned(),
    };
    let mut feeds = vec![];
    for (name, value) in inputs {
        if !value.is_valid() {
            let (input, ty) = (name.clone(), value.ty());
            linker.report(GraphError::InvalidValue { input, ty }, &LinkPlace::NONE);
            continue;
        }
        let path = Path::parse(name).ok_or_else(|| GraphError::NotAPath { text: name.clone() });
        match path.and_then(|path| Ok(named_input(template, &path)?.into_owned())) {
            Ok(target) => feeds.push(Feed {
                target,
                wire: Some(linker.value(value, &[])),
                is_fed: matches!(value, Value::Global(_)),
                interpolated: None,
                place: LinkPlace::NONE,
                source: FeedSource::Value(value),
            }),
            Err(error) => linker.report(error, &LinkPlace::NONE),
        }
    }
    let whole = Instance {
        place: &LinkPlace::NONE,
        feeds,
        overrides: &[],
        wanted: Some(outputs).filter(|list| !list.is_empty()),
        readers: Readers::Caller(Some(outputs).filter(|list| !list.is_empty())),
        attributes_connect: false,
    };
    let ports = linker.template(template, &whole);
    let kept: Vec<Operand> = ports.iter().map(|port| port.operand).collect();
    lazy::delay(
        &mut linker.code.body,
        &linker.segments,
        &kept,
        &linker.all_shared,
        &linker.wires,
    );
    let params = linker.outputs(template, &ports, outputs);
    let unit = Unit {
        name: template.name().to_owned(),
        kind: UnitKind::Shader,
        params,
        metadata: vec![],
        globals: vec![],
        code: linker.code,
        functions: linker.functions,
        span: Span::default(),
    };
    linker.diagnostics.into_result(LinkedUnit { unit, sources: linker.sources })
}

struct Linker<'a> {
    code: Code,
    functions: PrimaryMap<FunctionId, Function>,
    sources: SourceMap,
    /// Index in `sources` of the first source of each source map, by the map's address and the instance.
    source_ids: FxHashMap<(usize, String), usize>,
    /// Statements of each instance of a unit that may be delayed.
    segments: Vec<InstanceSegment>,
    wires: Wires,
    /// Number of enclosing instances that run unconditionally.
    entries: u32,
    /// Globals shared by the units of the group being linked: those that one of them assigns to.
    shared: SharedGlobals,
    /// Variables that any group has shared.
    all_shared: SharedVariables,
    templates: &'a dyn Templates,
    environment: &'a Environment<'a>,
    diagnostics: Diagnostics,
    /// Use of the outermost template in a scene.
    usage: Option<GroupUse>,
    /// Name of the outermost template.
    name: String,
}

impl Linker<'_> {
    /// Links an instance of a template, and returns its requested outputs.
    fn template(&mut self, template: &Template, instance: &Instance<'_>) -> Vec<WirePart> {
        match template {
            Template::Unit(unit) => self.adapted(unit, instance),
            Template::Group(group) => self.group(group, instance),
        }
    }

    /// Returns the requested outputs as parameters of the linked unit.
    fn outputs(&mut self, template: &Template, ports: &[WirePart], wanted: &[String]) -> Vec<Param> {
        let mut params = vec![];
        let all: Vec<String> = ports.iter().map(|port| port.name.clone()).collect();
        for name in if wanted.is_empty() { &all[..] } else { wanted } {
            let mut found = false;
            for port in ports.iter().filter(|port| is_in(&port.name, name)) {
                found = true;
                let local = self.variable(&port.name, port.ty);
                self.emit(local, Op::Copy, vec![port.operand]);
                params.push(Param::output(&port.name, port.ty, local, Span::default()));
            }
            // After an error, known outputs may be missing.
            if !found && !self.diagnostics.has_errors() {
                let error = GraphError::UnknownParam {
                    path: name.clone(),
                    template: template.name().to_owned(),
                    output: true,
                    known: all.clone(),
                };
                self.report(error, &LinkPlace::NONE);
            }
        }
        params
    }

    fn report(&mut self, error: GraphError, place: &LinkPlace<'_>) {
        if error.subjects().into_iter().any(|name| self.templates.is_wrong(name)) {
            return;
        }
        let mut diagnostic = Diagnostic::from(error);
        if !place.instance.is_empty() {
            diagnostic.message = format!("{}: {}", place.instance, diagnostic.message);
        }
        if let Some(sources) = place.sources {
            diagnostic = diagnostic.at(sources, place.span, "");
        }
        self.diagnostics.add_new(vec![diagnostic]);
    }

    /// Reports a connection whose target is not among the `known` inputs of a template.
    fn report_target(&mut self, feed: &Feed<'_>, template: &str, known: Vec<String>) {
        let error = GraphError::UnknownParam {
            path: feed.target.to_string(),
            template: template.to_owned(),
            output: false,
            known,
        };
        self.report(error, &feed.place);
    }

    /// Adds a unit's sources, once per instance, so that locations include the instance's name. Returns the index of the
    /// first.
    fn take_sources(&mut self, sources: &SourceMap, instance: &str, unit: &str) -> usize {
        let key = (std::ptr::from_ref(sources) as usize, instance.to_owned());
        if let Some(&first) = self.source_ids.get(&key) {
            return first;
        }
        let first = self.sources.len();
        let user = SourceUser::new(instance, unit);
        sources.iter().for_each(|source| {
            self.sources.add_for(source.clone(), &user);
        });
        self.source_ids.insert(key, first);
        first
    }
}
