//! Names in scene declarations: objects, kinds, keys and values.

use super::indexer::{Indexer, NewDefinition, bytes};
use crate::definition::{BlockName, DefinitionKind, Target};
use shading_syntax::ast::{Declaration, Entry, EntryValue};

/// Keywords of declarations that define an object.
const OBJECTS: [&str; 4] = ["camera", "material", "shape", "light"];

impl Indexer<'_> {
    /// Defines the object or setting of a declaration.
    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        let keyword = &declaration.keyword;
        let target = declaration.target.as_ref();
        let (name, span, kind) = match (&declaration.alias, target) {
            (Some(alias), _) => (alias.text.clone(), alias.span, DefinitionKind::Object),
            (None, Some(path)) if OBJECTS.contains(&keyword.text.as_str()) => {
                (path.joined(), path.span, DefinitionKind::Object)
            }
            (None, Some(path)) => (
                format!("{} {}", keyword.text, path.joined()),
                path.span,
                DefinitionKind::Setting,
            ),
            (None, None) => (keyword.text.clone(), keyword.span, DefinitionKind::Setting),
        };
        let ty = match &declaration.kind {
            Some(kind) => format!("{} : {}", keyword.text, kind.text),
            None => keyword.text.clone(),
        };
        self.define(NewDefinition {
            name: &name,
            kind,
            name_range: bytes(span),
            range: bytes(declaration.span),
            ty,
            container: None,
            metadata: &[],
            default: declaration.value.as_ref(),
        });
    }

    pub(super) fn declaration_body(&mut self, declaration: &Declaration) {
        let block = BlockName {
            keyword: declaration.keyword.text.clone(),
            kind: declaration.kind.as_ref().map(|kind| kind.text.clone()),
        };
        if let Some(kind) = &declaration.kind {
            self.refer(bytes(kind.span), Target::Kind(block.clone()));
        }
        if block.keyword == "assign"
            && let Some(first) = declaration.target.as_ref().and_then(|path| path.parts.first())
        {
            let known = self.top(&first.text, &[DefinitionKind::Object]);
            self.refer_to(bytes(first.span), known, Target::Object(first.text.clone()));
        }
        declaration.value.iter().for_each(|value| self.expr(value));
        self.entries(declaration.body.as_deref().unwrap_or_default(), &block);
    }

    fn entries(&mut self, entries: &[Entry], block: &BlockName) {
        for entry in entries {
            let name = entry.key.joined();
            match &entry.value {
                EntryValue::Expr(value) => {
                    self.refer(bytes(entry.key.span), key(block, name));
                    self.expr(value);
                }
                EntryValue::Block { entries, .. } => {
                    self.refer(bytes(entry.key.span), key(block, name));
                    // Keys in nested blocks are chosen by the user.
                    entries.iter().for_each(|entry| {
                        if let EntryValue::Expr(value) = &entry.value {
                            self.expr(value);
                        }
                    });
                }
            }
        }
    }
}

fn key(block: &BlockName, name: String) -> Target {
    Target::Key { block: block.clone(), name }
}
