//! Samples of inputs: `sample(input, with { P = … })` in a unit is replaced by the code of the input's connection, linked
//! again with these values of the globals. Each call has its own copy, which belongs to the unit alone, so that the unit's
//! overrides apply to it.

use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Linker;
use super::scope::{Feed, FeedSource, GroupSource, Instance};
use super::wire::{BindingSite, LinkPlace, Wire};
use crate::builtins::Global;
use crate::check::zero_const;
use crate::graph::GraphError;
use crate::graph::order::Step;
use crate::graph::path::longest_name;
use crate::graph::splice::{self, Overrides, Splice};
use crate::hir::{Block, InputSample, LocalId, Op, Operand, Param, Stmt, Unit, walk};

/// Maximum number of variables of the linked code; beyond it, inputs are not sampled.
const MAX_LOCALS: usize = 1 << 18;

/// Stack size in bytes for one level of samples in samples.
const STACK: usize = 1 << 20;

/// An instance of a unit whose code is being linked.
pub(super) struct SamplingUnit<'a> {
    pub(super) unit: &'a Unit,
    pub(super) instance: &'a Instance<'a>,
    pub(super) overrides: &'a [(Global, Operand)],
    pub(super) first_source: usize,
}

impl Linker<'_> {
    /// Replaces the calls that represent samples by the code of the sampled inputs.
    pub(super) fn with_samples(&mut self, block: Block, site: &SamplingUnit<'_>, in_loop: bool) -> Block {
        if site.unit.functions.values().all(|function| function.sample.is_none()) {
            return block;
        }
        let mut filled = Block::with_capacity(block.len());
        for stmt in block {
            match stmt {
                Stmt::Call { function, args, results, .. } if splice::sample(function).is_some() => {
                    let sample =
                        splice::sample(function).and_then(|id| site.unit.functions[id].sample.as_ref());
                    if let (Some(sample), [result]) = (sample, &results[..]) {
                        filled.extend(self.sample_code(sample, &args, *result, site, in_loop));
                    }
                }
                Stmt::If { condition, then, otherwise } => filled.push(Stmt::If {
                    condition,
                    then: self.with_samples(then, site, in_loop),
                    otherwise: self.with_samples(otherwise, site, in_loop),
                }),
                Stmt::Loop { body, fuel, span } => {
                    let body = self.with_samples(body, site, true);
                    filled.push(Stmt::Loop { body, fuel, span });
                }
                Stmt::Scope { scope, body } => {
                    let body = self.with_samples(body, site, in_loop);
                    filled.push(Stmt::Scope { scope, body });
                }
                Stmt::Op { .. } | Stmt::Call { .. } | Stmt::Leave(_) => filled.push(stmt),
            }
        }
        filled
    }

    fn sample_code(
        &mut self,
        sample: &InputSample,
        args: &[Operand],
        result: LocalId,
        site: &SamplingUnit<'_>,
        in_loop: bool,
    ) -> Block {
        let globals: Overrides = sample.globals.iter().copied().zip(args.iter().copied()).collect();
        let first = self.code.locals.len();
        let before = std::mem::take(&mut self.code.body);
        // Instances of the copy are not moved, and have their own globals.
        self.entries += 1;
        let shared = std::mem::take(&mut self.shared);
        let end = self.all_shared.end;
        stacker::maybe_grow(STACK / 4, STACK, || self.sample(sample, &globals, result, site));
        self.all_shared.end = end;
        self.shared = shared;
        self.entries -= 1;
        let code = std::mem::replace(&mut self.code.body, before);
        if !in_loop {
            return code;
        }
        // Variables are zero at the start of every iteration.
        let mut zeroed = self.zeros(first);
        zeroed.extend(code);
        zeroed
    }

    /// Returns code that sets the variables from index `first` on to zero.
    fn zeros(&mut self, first: usize) -> Block {
        let mut zeros = FxHashMap::default();
        let locals = (first..self.code.locals.len()).map(LocalId::new);
        let stmts = locals.map(|local| {
            let ty = self.code.locals[local].ty;
            let consts = &mut self.code.consts;
            let zero = *zeros.entry(ty).or_insert_with(|| consts.push(zero_const(ty)));
            Stmt::op(
                Some(local),
                Op::Copy,
                vec![Operand::Const(zero)],
                shading_syntax::source::Span::default(),
            )
        });
        stmts.collect()
    }

    fn sample(
        &mut self,
        sample: &InputSample,
        globals: &Overrides,
        result: LocalId,
        site: &SamplingUnit<'_>,
    ) {
        let params = &site.unit.params;
        let Some(index) = params.iter().position(|param| param.name == sample.param) else {
            return;
        };
        if self.is_too_large(site.instance) {
            return;
        }
        let param = &params[index];
        let whole = |param: &Param| {
            let mut feeds = site.instance.feeds.iter();
            feeds.any(|feed| feed.whole(&param.name).is_some())
        };
        let value = if whole(param) {
            let feeds = self.sampled_feeds(param, globals, site);
            let local = self.temporary(param.ty);
            self.input(local, param, &feeds, |_| Block::new());
            local
        } else {
            // The default of the parameter, with the defaults that it depends on.
            let needed = needed(params, index, whole);
            let overrides = &with(site.overrides, globals);
            let splice = Splice::new(
                site.unit,
                &mut self.code,
                &mut self.functions,
                site.instance.prefix(),
                overrides,
                site.first_source,
            );
            for (param, _) in params.iter().zip(&needed).filter(|(_, is_needed)| **is_needed) {
                let feeds = self.sampled_feeds(param, globals, site);
                let local = splice.local(param.local);
                let site = SamplingUnit { overrides, ..*site };
                self.input(local, param, &feeds, |linker| {
                    linker.with_samples(splice.block(&param.init), &site, false)
                });
            }
            splice.local(param.local)
        };
        self.emit(result, Op::Copy, vec![Operand::Local(value)]);
    }

    fn is_too_large(&mut self, instance: &Instance<'_>) -> bool {
        let count = self.code.locals.len();
        if count <= MAX_LOCALS {
            return false;
        }
        let error = GraphError::TooLarge {
            group: self.name.clone(),
            what: "variables with the samples of inputs",
            count: count as u64,
            limit: MAX_LOCALS as u64,
        };
        if !self.diagnostics.has_errors() {
            self.report(error, instance.place);
        }
        true
    }

    /// Returns the values connected to a parameter and its parts, evaluated again with some globals.
    fn sampled_feeds<'s>(
        &mut self,
        param: &Param,
        globals: &Overrides,
        site: &SamplingUnit<'s>,
    ) -> Vec<Feed<'s>> {
        let is_own = |feed: &&Feed<'s>| {
            let (name, _) = longest_name(&feed.target, |name| name == param.name);
            name == param.name || feed.whole(&param.name).is_some()
        };
        let feeds: Vec<&Feed<'s>> = site.instance.feeds.iter().filter(is_own).collect();
        feeds.into_iter().map(|feed| self.again(feed, globals)).collect()
    }

    /// Returns the value connected to an input, evaluated again with some globals.
    fn again<'f>(&mut self, feed: &Feed<'f>, globals: &Overrides) -> Feed<'f> {
        let wire = match &feed.source {
            FeedSource::Fixed => feed.wire.clone(),
            FeedSource::Value(value) => Some(self.value(value, globals)),
            // Errors are reported where the input is first linked.
            FeedSource::Group(_) if feed.wire.is_none() => None,
            FeedSource::Group(source) => self.again_in(source, globals, &feed.place),
        };
        Feed {
            target: feed.target.clone(),
            wire,
            place: feed.place.clone(),
            source: feed.source.clone(),
            ..*feed
        }
    }

    /// Links copies of the nodes and inputs that a binding depends on, and the binding.
    fn again_in(
        &mut self,
        source: &GroupSource<'_>,
        globals: &Overrides,
        place: &LinkPlace<'_>,
    ) -> Option<Wire> {
        let scope = source.scope;
        let known = scope.contexts[source.reader].as_deref().unwrap_or_default();
        let overrides = with(known, globals);
        // A cycle is reported where the group is linked.
        let steps = scope
            .dependencies
            .order_of(source.binding, |index| scope.is_given(index))
            .ok()?;
        let is_needed = |feed: &&Feed<'_>| {
            steps.iter().any(|step| match *step {
                Step::Input(index) => scope.group.inputs[index].name == feed.target.head,
                Step::Node(_) => false,
            })
        };
        let needed: Vec<&Feed<'_>> = scope.instance.feeds.iter().filter(is_needed).collect();
        let feeds = needed.into_iter().map(|feed| self.again(feed, globals)).collect();
        let instance = Instance {
            place: scope.instance.place,
            feeds,
            overrides: &overrides,
            wanted: None,
            readers: scope.instance.readers,
            attributes_connect: scope.instance.attributes_connect,
        };
        let mut copy = scope.again(source.reader, &instance);
        for step in steps {
            match step {
                Step::Input(index) => self.add_group_input(&mut copy, index),
                Step::Node(index) => self.node(&mut copy, index),
            }
        }
        let site = BindingSite { place, overrides: &overrides, expected: None };
        self.bound(&copy, source, &site)
    }
}

/// Replaces overrides by those of a sample for the same globals.
fn with(overrides: &[(Global, Operand)], globals: &Overrides) -> Overrides {
    let is_kept = |(global, _): &&(Global, Operand)| globals.iter().all(|(other, _)| other != global);
    overrides.iter().filter(is_kept).chain(globals).copied().collect()
}

/// Returns, for each parameter, whether the default of the parameter at `index` depends on it. Parameters with a value
/// depend on no other.
fn needed(params: &[Param], index: usize, is_given: impl Fn(&Param) -> bool) -> Vec<bool> {
    let mut needed = vec![false; params.len()];
    needed[index] = true;
    for at in (0..=index).rev() {
        if !needed[at] || is_given(&params[at]) {
            continue;
        }
        let mut read: FxHashSet<LocalId> = FxHashSet::default();
        walk::statements(&params[at].init, &mut |stmt| read.extend(walk::reads(stmt)));
        for (param, needed) in params.iter().zip(&mut needed).take(at) {
            *needed |= read.contains(&param.local);
        }
    }
    needed
}
