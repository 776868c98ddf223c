//! Linking an instance of a unit: its inputs are given what feeds them, and its code is spliced in.

use super::Linker;
use super::wire::{Feed, Instance, Part};
use crate::graph::interface::{longest_name, part};
use crate::graph::splice::Splice;
use crate::hir::{Operand, Param, Unit};
use crate::source::SourceMap;

impl Linker<'_> {
    /// Gives the unit's outputs.
    pub(super) fn unit(&mut self, unit: &Unit, sources: &SourceMap, instance: &Instance<'_>) -> Vec<Part> {
        let first_source = self.take_sources(sources);
        let splice = Splice::new(
            unit,
            &mut self.code,
            &mut self.functions,
            instance.prefix(),
            instance.overrides,
            first_source,
        );
        for feed in &instance.feeds {
            self.check_target(feed, unit);
        }
        let mut ports = vec![];
        for param in &unit.params {
            let local = splice.local(param.local);
            if param.output {
                self.code.body.extend(splice.block(&param.init));
                ports.push(Part {
                    name: param.name.clone(),
                    operand: Operand::Local(local),
                    ty: param.ty,
                });
                continue;
            }
            let mut whole = instance
                .feeds
                .iter()
                .rev()
                .filter_map(|feed| Some((feed, feed.whole(&param.name)?)));
            match whole.next() {
                Some((feed, value)) => self.assign(local, value, &feed.target_name(), &feed.place),
                None => self.code.body.extend(splice.block(&param.init)),
            }
            for feed in &instance.feeds {
                self.assign_element(local, &param.name, feed);
            }
        }
        let first = self.code.body.len();
        self.code.body.extend(splice.block(&unit.code.body));
        self.answer_names(unit, first, instance.prefix());
        ports
    }

    /// Reports a feed whose target is no input of the unit.
    fn check_target(&mut self, feed: &Feed<'_>, unit: &Unit) {
        let inputs: Vec<&Param> = unit.params.iter().filter(|param| !param.output).collect();
        let (name, rest) = longest_name(&feed.target, |name| inputs.iter().any(|p| p.name == name));
        let known = match inputs.iter().find(|param| param.name == name) {
            Some(param) => rest.iter().try_fold(param.ty, part).is_some(),
            None => {
                let fields = format!("{}.", feed.target);
                inputs.iter().any(|param| param.name.starts_with(&fields))
            }
        };
        if !known {
            let names = inputs.iter().map(|param| param.name.clone()).collect();
            self.report_target(feed, &unit.name, names);
        }
    }
}
