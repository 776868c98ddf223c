//! Names in groups: layers, their parameters and outputs.

use super::indexer::{Indexer, NewDefinition, bytes};
use crate::definition::{DefinitionKind, Target};
use shading_syntax::ast::{Group, GroupAssign, GroupStmt, Instance};

impl Indexer<'_> {
    pub(super) fn group(&mut self, group: &Group) {
        let range = bytes(group.span);
        let id = self.declared(&group.name);
        self.in_scope(range.end, |indexer| {
            indexer.param_uses(id, &group.params, range.end);
            let layers = group.body.iter().filter_map(|stmt| match stmt {
                GroupStmt::Instance(instance) => Some(instance),
                GroupStmt::Assign(_) => None,
            });
            // Layers may be used before their declaration.
            let start = group.params.last().map_or(range.start, |param| param.span.end as usize);
            layers.for_each(|layer| indexer.layer(layer, start));
            for stmt in &group.body {
                match stmt {
                    GroupStmt::Instance(instance) => indexer.instance(instance),
                    GroupStmt::Assign(assign) => indexer.assign(assign),
                }
            }
        });
    }

    fn layer(&mut self, layer: &Instance, start: usize) {
        let id = self.define(NewDefinition {
            name: &layer.name.text,
            kind: DefinitionKind::Layer,
            name_range: bytes(layer.name.span),
            range: bytes(layer.span),
            ty: layer.unit.text.clone(),
            container: None,
            metadata: &[],
            default: None,
        });
        self.start_scope_at(id, start);
    }

    fn instance(&mut self, instance: &Instance) {
        let unit = &instance.unit;
        let known = self.top(&unit.text, &[DefinitionKind::Unit, DefinitionKind::Group]);
        self.refer_to(bytes(unit.span), known, Target::Unit(unit.text.clone()));
        self.arguments(&unit.text, &instance.args);
        instance.overrides.iter().for_each(|assign| self.assign(assign));
    }

    fn assign(&mut self, assign: &GroupAssign) {
        if let Some(first) = assign.target.parts.first() {
            let known = self.local(&first.text);
            self.refer_to(bytes(first.span), known, Target::Name(first.text.clone()));
        }
        self.expr(&assign.value);
    }
}
