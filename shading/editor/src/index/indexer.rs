//! Traversal of a syntax tree that collects definitions and references.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::table::Index;
use crate::definition::{Definition, DefinitionId, DefinitionKind, Reference, Target};
use shading_syntax::ast::{ArrayLength, Expr, ExprKind, Item, Metadata, Name, Param, Passing, TypeName};
use shading_syntax::source::Span;

pub(super) fn bytes(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// Traversal of one text.
pub(super) struct Indexer<'a> {
    pub(super) text: &'a str,
    pub(super) index: Index,
    scopes: Vec<Scope>,
    /// Definitions of top-level items by the starts of their names.
    declared: FxHashMap<usize, DefinitionId>,
}

struct Scope {
    names: FxHashMap<String, DefinitionId>,
    end: usize,
}

/// A definition before its scope is determined.
pub(super) struct NewDefinition<'n> {
    pub(super) name: &'n str,
    pub(super) kind: DefinitionKind,
    pub(super) name_range: Range<usize>,
    pub(super) range: Range<usize>,
    pub(super) ty: String,
    pub(super) container: Option<DefinitionId>,
    pub(super) metadata: &'n [Metadata],
    pub(super) default: Option<&'n Expr>,
}

impl<'a> Indexer<'a> {
    pub(super) fn new(text: &'a str) -> Indexer<'a> {
        Indexer {
            text,
            index: Index::default(),
            scopes: vec![],
            declared: FxHashMap::default(),
        }
    }

    pub(super) fn finish(mut self) -> Index {
        self.index.references.sort_by_key(|reference| reference.range.start);
        self.index
    }

    /// Returns the text of a range, with line ends replaced by spaces.
    pub(super) fn slice(&self, range: Range<usize>) -> String {
        let text = self.text.get(range).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn type_text(&self, ty: &TypeName, array: Option<&ArrayLength>) -> String {
        let name = self.slice(bytes(ty.span));
        match array {
            None => name,
            Some(ArrayLength::Unsized) => format!("{name}[]"),
            Some(ArrayLength::Sized(length)) => format!("{name}[{}]", self.slice(bytes(length.span))),
        }
    }

    /// Adds a definition that is visible to the end of the innermost scope.
    pub(super) fn define(&mut self, new: NewDefinition<'_>) -> DefinitionId {
        let id = DefinitionId(self.index.definitions.len() as u32);
        let value = |expr: &Expr| match &expr.kind {
            ExprKind::String(text) => text.clone(),
            _ => self.slice(bytes(expr.span)),
        };
        let metadata = new.metadata.iter().map(|m| (m.name.text.clone(), value(&m.value)));
        let scope = match self.scopes.last() {
            Some(scope) => new.name_range.end..scope.end,
            None => 0..self.text.len() + 1,
        };
        let definition = Definition {
            name: new.name.to_owned(),
            kind: new.kind,
            name_range: new.name_range,
            range: new.range,
            scope,
            ty: new.ty,
            container: new.container,
            metadata: metadata.collect(),
            default: new.default.map(|expr| self.slice(bytes(expr.span))),
        };
        self.index.definitions.push(definition);
        let name = new.name.to_owned();
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, id);
        } else if new.container.is_none() {
            self.index.top.entry(name).or_default().push(id);
        }
        if let Some(container) = new.container {
            self.index.members.entry(container).or_default().push(id);
        }
        id
    }

    /// Moves the start of a definition's scope.
    pub(super) fn start_scope_at(&mut self, id: DefinitionId, start: usize) {
        self.index.definitions[id.0 as usize].scope.start = start;
    }

    pub(super) fn refer(&mut self, range: Range<usize>, target: Target) {
        self.index.references.push(Reference { range, target });
    }

    /// Adds a reference to the definition `known` of this text, or to `other` if it is `None`.
    pub(super) fn refer_to(&mut self, range: Range<usize>, known: Option<DefinitionId>, other: Target) {
        self.refer(range, known.map_or(other, Target::Definition));
    }

    pub(super) fn in_scope(&mut self, end: usize, walk: impl FnOnce(&mut Self)) {
        self.scopes.push(Scope { names: FxHashMap::default(), end });
        walk(self);
        self.scopes.pop();
    }

    /// Makes a definition visible in the innermost scope.
    pub(super) fn show(&mut self, id: DefinitionId) {
        let name = self.index.get(id).name.clone();
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, id);
        }
    }

    /// Returns the variable or local function with a name.
    pub(super) fn local(&self, name: &str) -> Option<DefinitionId> {
        let scopes = self.scopes.iter().rev();
        scopes.filter_map(|scope| scope.names.get(name)).next().copied()
    }

    /// Returns the top-level definition of a name, if it is of one of these kinds.
    pub(super) fn top(&self, name: &str, kinds: &[DefinitionKind]) -> Option<DefinitionId> {
        let list = self.index.top(name).iter().copied();
        list.into_iter().find(|&id| kinds.contains(&self.index.get(id).kind))
    }

    /// Stores the definition of a top-level item.
    pub(super) fn declared_at(&mut self, name: &Name, id: DefinitionId) {
        self.declared.insert(name.span.start as usize, id);
    }

    pub(super) fn declared(&self, name: &Name) -> Option<DefinitionId> {
        self.declared.get(&(name.span.start as usize)).copied()
    }

    /// Defines the parameters of a unit, group or function, which are visible up to `end`.
    pub(super) fn params(&mut self, params: &[Param], container: DefinitionId, end: usize) {
        for param in params.iter().filter(|param| !param.name.text.is_empty()) {
            let ty = self.type_text(&param.ty, param.array.as_ref());
            let kind = match param.passing {
                Passing::Output => DefinitionKind::Output,
                Passing::In | Passing::Const => DefinitionKind::Param,
            };
            let id = self.define(NewDefinition {
                name: &param.name.text,
                kind,
                name_range: bytes(param.name.span),
                range: bytes(param.span),
                ty,
                container: Some(container),
                metadata: &param.metadata,
                default: param.default.as_ref(),
            });
            let definition = &mut self.index.definitions[id.0 as usize];
            definition.scope = definition.name_range.end..end;
        }
    }

    /// Makes the parameters of an item visible in the innermost scope, up to `end`.
    pub(super) fn show_params(&mut self, container: DefinitionId, end: usize) {
        let list = self.index.members.get(&container).cloned().unwrap_or_default();
        for id in list {
            self.show(id);
            self.index.definitions[id.0 as usize].scope.end = end;
        }
    }

    /// Defines all items before the bodies are traversed, because items may be used before their declaration.
    pub(super) fn declare(&mut self, file: &shading_syntax::ast::File) {
        for item in &file.items {
            match item {
                Item::Unit(unit) => {
                    let (ty, range) = (unit.kind.name(), bytes(unit.span));
                    self.callable(
                        DefinitionKind::Unit,
                        &unit.name,
                        ty.to_owned(),
                        &unit.metadata,
                        &unit.params,
                        range,
                    );
                }
                Item::Group(group) => {
                    let range = bytes(group.span);
                    self.callable(
                        DefinitionKind::Group,
                        &group.name,
                        "group".to_owned(),
                        &group.metadata,
                        &group.params,
                        range,
                    );
                }
                Item::Function(function) => {
                    let ty = self.type_text(&function.ty, None);
                    let range = bytes(function.span);
                    self.callable(
                        DefinitionKind::Function,
                        &function.name,
                        ty,
                        &function.metadata,
                        &function.params,
                        range,
                    );
                }
                Item::Struct(structure) => self.structure(structure),
                Item::Variables(stmt) => self.statement(stmt),
                Item::Declaration(declaration) => self.declaration(declaration),
            }
        }
    }

    pub(super) fn callable(
        &mut self,
        kind: DefinitionKind,
        name: &Name,
        ty: String,
        metadata: &[Metadata],
        params: &[Param],
        range: Range<usize>,
    ) -> DefinitionId {
        let end = range.end;
        let id = self.define(NewDefinition {
            name: &name.text,
            kind,
            name_range: bytes(name.span),
            range,
            ty,
            container: None,
            metadata,
            default: None,
        });
        self.declared_at(name, id);
        self.in_scope(end, |indexer| indexer.params(params, id, end));
        id
    }
}
