//! Linking of a unit instance: assigns its inputs and inlines its code.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Linker;
use super::sample::SamplingUnit;
use super::scope::{Feed, Instance};
use super::wire::WirePart;
use crate::builtins::Builtin;
use crate::check::ParamUse;
use crate::graph::interface::part;
use crate::graph::lazy::InstanceSegment;
use crate::graph::path::longest_name;
use crate::graph::splice::Splice;
use crate::graph::{Adaptive, ShaderUnitTemplate};
use crate::hir::{Block, Const, Kind, LocalId, Op, Operand, Param, Stmt, Unit};
use crate::ty::{Length, Type};
use shading_syntax::diagnostic::Diagnostics;
use shading_syntax::source::{SourceMap, Span};

/// Names of the parameters whose use a unit queries.
#[derive(Debug, PartialEq)]
struct Queries {
    /// Parameters of `isconnected` and `istexture`.
    asked: BTreeSet<String>,
    /// Parameters of `isgiven`.
    queries_given: BTreeSet<String>,
}

impl Queries {
    fn of(unit: &Unit) -> Queries {
        let names = |is_queried: fn(&Param) -> bool| {
            let params = unit.params.iter().filter(|param| is_queried(param));
            params.map(|param| param.name.clone()).collect()
        };
        Queries {
            asked: names(|param| param.queries_connection),
            queries_given: names(|param| param.queries_given),
        }
    }

    /// The queries of both.
    fn and(&self, other: &Queries) -> Queries {
        Queries {
            asked: &self.asked | &other.asked,
            queries_given: &self.queries_given | &other.queries_given,
        }
    }
}

/// Returns the uses of a unit's parameters by an instance, restricted to the facts that the unit queries. Facts that are
/// not queried must not distinguish uses.
fn uses(unit: &Unit, queries: &Queries, instance: &Instance<'_>) -> Vec<(String, ParamUse)> {
    let outputs = unit.params.iter().filter(|param| param.output);
    let outputs: Vec<(&str, Type)> = outputs.map(|param| (param.name.as_str(), param.ty)).collect();
    let params = unit.params.iter();
    params
        .filter_map(|param| {
            let used = param_use(param, queries, instance, &outputs);
            (used != ParamUse::default()).then(|| (param.name.clone(), used))
        })
        .collect()
}

fn param_use(
    param: &Param,
    queries: &Queries,
    instance: &Instance<'_>,
    outputs: &[(&str, Type)],
) -> ParamUse {
    let mut used = ParamUse::default();
    let queries_connection = queries.asked.contains(&param.name);
    let part_of = |feed: &&Feed<'_>| longest_name(&feed.target, |name| name == param.name).0 == param.name;
    let whole = instance.feeds.iter().rev().find_map(|feed| feed.whole(&param.name));
    let grown = if param.is_unsized { instance.grown(&param.name) } else { 0 };
    if let Some(value) = whole {
        if param.is_any {
            used.ty = Some(value.ty);
        } else if let (true, Length::Array(length)) = (param.is_unsized, value.ty.length) {
            used.ty = Some(Type::array(param.ty.base, length.max(grown)));
        }
        used.is_image = (param.is_any || queries_connection) && value.ty == Type::STRING;
    }
    // Elements within the length of the default do not distinguish uses.
    if used.ty.is_none() && grown > param.ty.count() {
        used.grown = grown;
    }
    let feeds = || {
        let feeds = instance.feeds.iter();
        feeds.filter(|feed| part_of(feed) || feed.whole(&param.name).is_some())
    };
    used.is_given = queries.queries_given.contains(&param.name) && feeds().next().is_some();
    if queries_connection {
        used.is_fed = !param.output && feeds().any(|feed| feed.is_fed);
        let takes_attributes = instance.attributes_connect && !param.attributes(None).is_empty();
        used.is_fed |= takes_attributes && feeds().next().is_none();
        used.is_read = param.output && instance.readers.read(&param.name, outputs);
    }
    used
}

impl Linker<'_> {
    /// Returns the unit of an instance; an adaptive unit is lowered for its use.
    pub(super) fn adapted(
        &mut self,
        template: &ShaderUnitTemplate,
        instance: &Instance<'_>,
    ) -> Vec<WirePart> {
        let Some(adaptive) = &template.adaptive else {
            return self.unit(&template.hir, &template.sources, instance);
        };
        match self.unit_for_use(template, adaptive, instance) {
            Ok(Some(unit)) => self.unit(&unit, &template.sources, instance),
            Ok(None) => self.unit(&template.hir, &template.sources, instance),
            Err(diagnostics) => {
                let given = instance
                    .feeds
                    .iter()
                    .filter_map(|feed| self.describe_source(feed))
                    .collect::<Vec<_>>();
                for mut diagnostic in diagnostics.list {
                    diagnostic.message = match (instance.prefix(), &given[..]) {
                        ("", _) => diagnostic.message,
                        (prefix, [given, ..]) => format!("{prefix}: {} ({given})", diagnostic.message),
                        (prefix, []) => format!("{prefix}: {}", diagnostic.message),
                    };
                    self.diagnostics.push(diagnostic);
                }
                vec![]
            }
        }
    }

    /// Lowers an adaptive unit for its use; `None` for the use of its defaults. The type of an argument selects branches,
    /// which may contain further queries, so the unit is lowered again until all its queries are known.
    fn unit_for_use(
        &self,
        template: &ShaderUnitTemplate,
        adaptive: &Adaptive,
        instance: &Instance<'_>,
    ) -> Result<Option<Arc<Unit>>, Diagnostics> {
        let mut queries = Queries::of(&template.hir);
        loop {
            let uses = uses(&template.hir, &queries, instance);
            if uses.is_empty() {
                return Ok(None);
            }
            let unit = adaptive.unit(uses, self.environment)?;
            let all = queries.and(&Queries::of(&unit));
            if all == queries {
                return Ok(Some(unit));
            }
            queries = all;
        }
    }

    /// Describes the source that determines the type of an input, for messages.
    fn describe_source(&self, feed: &Feed<'_>) -> Option<String> {
        let [part] = &feed.wire.as_ref()?.parts[..] else {
            return None;
        };
        let (target, from) = (&feed.target, self.describe(part.operand));
        Some(format!("`{target}` is {}, given by {from}", part.ty))
    }

    /// Links a unit instance; returns its outputs.
    pub(super) fn unit(
        &mut self,
        unit: &Unit,
        sources: &SourceMap,
        instance: &Instance<'_>,
    ) -> Vec<WirePart> {
        let first_source = self.take_sources(sources, instance.prefix(), &unit.name);
        let overrides = self.shared.over(instance.overrides);
        let mut splice = Splice::new(
            unit,
            &mut self.code,
            &mut self.functions,
            instance.prefix(),
            &overrides,
            first_source,
        );
        self.shared.alias(&mut splice, unit, instance.overrides);
        for feed in &instance.feeds {
            self.check_target(feed, unit);
        }
        let start = self.code.body.len();
        let mut ports = vec![];
        let site = SamplingUnit { unit, instance, overrides: instance.overrides, first_source };
        for param in &unit.params {
            let local = splice.local(param.local);
            self.input(local, param, &instance.feeds, |linker| {
                linker.with_samples(splice.block(&param.init), &site, false)
            });
            if param.output {
                // The unit itself assigns it, too.
                self.wires[local] = false;
                ports.push(WirePart {
                    name: param.name.clone(),
                    operand: Operand::Local(local),
                    ty: param.ty,
                });
            }
        }
        let first = self.code.body.len();
        let body = self.shared.drop_copies(splice.block(&unit.code.body));
        let body = self.with_samples(body, &site, false);
        self.code.body.extend(body);
        self.fold_name_queries(unit, first, instance.prefix());
        if self.entries == 0 {
            let end = self.code.body.len();
            self.segments.push(InstanceSegment { start, end });
        }
        ports
    }

    /// Assigns an input and its parts: the given value, the geometry's attribute, or the default.
    pub(super) fn input(
        &mut self,
        local: LocalId,
        param: &Param,
        feeds: &[Feed<'_>],
        default: impl FnOnce(&mut Self) -> Block,
    ) {
        let mut whole = feeds.iter().rev().filter_map(|feed| Some((feed, feed.whole(&param.name)?)));
        match whole.next() {
            Some((feed, value)) => {
                let to = feed.target_name();
                if param.is_unsized {
                    self.assign_first(local, value, &to, &feed.place);
                } else {
                    self.assign(local, value, &to, &feed.place);
                }
                if !feed.is_fed {
                    self.attributes(local, param, feed.interpolated, None);
                }
            }
            None => {
                let default = default(self);
                self.attributes(local, param, None, default);
            }
        }
        self.assign_parts(local, &param.name, feeds);
    }

    /// Emits reads of geometry attributes that take precedence over a parameter's value; the first existing attribute is
    /// used. Without a value, `default` runs if no attribute exists.
    fn attributes(
        &mut self,
        local: LocalId,
        param: &Param,
        interpolated: Option<bool>,
        default: impl Into<Option<Block>>,
    ) {
        let default = default.into();
        let kind = Kind::of(param.ty).filter(|kind| kind.element() != Kind::CLOSURE);
        let names = match kind {
            Some(_) => param.attributes(interpolated),
            None => vec![],
        };
        let small = [Op::Builtin(Builtin::HasAttribute), Op::AttributeValue];
        let (ops, more) = match kind {
            Some(kind) if !matches!(kind, Kind::INT | Kind::FLOAT | Kind::TRIPLE) => {
                let any = [Builtin::HasAnyAttribute, Builtin::AnyAttribute].map(Op::Builtin);
                let [whole, code] = [-1, kind.code()].map(|n| self.constant(Const::Int(n)));
                (any, vec![whole, code])
            }
            _ => (small, vec![]),
        };
        let mut chain = default.unwrap_or_default();
        for name in names.into_iter().rev() {
            let object = self.constant(Const::String("".into()));
            let name = self.constant(Const::String(name.into()));
            let found = self.temporary(Type::INT);
            let query = |dst, op| {
                Stmt::op(Some(dst), op, [vec![object, name], more.clone()].concat(), Span::default())
            };
            chain = vec![
                query(found, ops[0]),
                Stmt::If {
                    condition: Operand::Local(found),
                    then: vec![query(local, ops[1])],
                    otherwise: chain,
                },
            ];
        }
        self.code.body.extend(chain);
    }

    /// Reports a connection whose target is not a parameter of the unit. A value for an output is its initial value.
    fn check_target(&mut self, feed: &Feed<'_>, unit: &Unit) {
        let params = &unit.params;
        let (name, rest) = longest_name(&feed.target, |name| params.iter().any(|p| p.name == name));
        let known = match params.iter().find(|param| param.name == name) {
            Some(param) => rest.iter().try_fold(param.ty, part).is_some(),
            None => {
                let fields = format!("{}.", feed.target);
                params.iter().any(|param| param.name.starts_with(&fields))
            }
        };
        if !known {
            let inputs = params.iter().filter(|param| !param.output);
            let names = inputs.map(|param| param.name.clone()).collect();
            self.report_target(feed, &unit.name, names);
        }
    }
}
