//! Resolution of names: in the text, in its imports, in the shipped library, and among built-in names.

use std::sync::Arc;

use crate::definition::{BlockName, Definition, DefinitionId, DefinitionKind, Target};
use crate::document::Document;
use crate::vocabulary::{BuiltinFunction, FileLookup, Vocabulary, function};
use shading_compiler::builtins::Global;
use shading_compiler::hir::ClosureSignature;

/// Maximum number of texts that are searched for a name.
const MAX_TEXTS: usize = 256;

/// A text with its surroundings, for which services are computed.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// Names outside all texts.
    pub vocabulary: &'a Vocabulary,
    /// Files.
    pub files: &'a dyn FileLookup,
    /// The text.
    pub document: &'a Arc<Document>,
}

/// A resolved name.
#[derive(Clone)]
pub enum Resolution<'a> {
    /// A definition.
    Definition(DefinitionPlace),
    /// A built-in function.
    Function(&'static BuiltinFunction),
    /// Closures with that name.
    Closures(Vec<&'a ClosureSignature>),
    /// A global variable.
    Global(Global),
    /// `Ci`, the closure that a shader returns in OSL.
    Ci,
    /// A constant such as `M_PI`.
    Constant(String),
    /// A key of a scene.
    Key(BlockName, String),
    /// The kind of a scene declaration.
    Kind(BlockName),
}

/// A definition and its text.
#[derive(Clone)]
pub struct DefinitionPlace {
    /// The text.
    pub document: Arc<Document>,
    /// The definition.
    pub id: DefinitionId,
}

impl DefinitionPlace {
    pub(crate) fn new(document: Arc<Document>, id: DefinitionId) -> DefinitionPlace {
        DefinitionPlace { document, id }
    }

    /// The definition.
    pub fn definition(&self) -> &Definition {
        self.document.index.get(self.id)
    }

    /// Returns whether both refer to the same definition.
    pub fn is(&self, other: &DefinitionPlace) -> bool {
        self.document.path == other.document.path
            && self.definition().name_range == other.definition().name_range
    }
}

impl<'a> Query<'a> {
    /// Returns the text and its direct and indirect imports.
    pub fn reachable(&self) -> Vec<Arc<Document>> {
        let mut list = vec![self.document.clone()];
        let mut at = 0;
        while at < list.len() && list.len() < MAX_TEXTS {
            let document = list[at].clone();
            for import in &document.index.imports {
                if let Some(found) = self.files.find(&import.name, &document.path)
                    && !list.iter().any(|known| known.path == found.path)
                {
                    list.push(found);
                }
            }
            at += 1;
        }
        list
    }

    /// Returns the resolved name at an offset, and the bytes of the name.
    pub fn at(&self, offset: usize) -> Option<(std::ops::Range<usize>, Resolution<'a>)> {
        let index = &self.document.index;
        if let Some(reference) = index.reference_at(offset) {
            return Some((reference.range.clone(), self.resolve(&reference.target)?));
        }
        if let Some(id) = index.definition_at(offset) {
            let document = self.document.clone();
            let range = index.get(id).name_range.clone();
            return Some((range, Resolution::Definition(DefinitionPlace::new(document, id))));
        }
        // Items that do not parse contribute no references to the index.
        let token = self.document.token_at(offset)?;
        if token.kind != crate::token::TokenKind::Word {
            return None;
        }
        let found = self.named(self.document.slice(token))?;
        Some((token.range.clone(), found))
    }

    /// Resolves a name whose role is unknown.
    pub fn named(&self, name: &str) -> Option<Resolution<'a>> {
        let call = self.resolve(&Target::Call(name.to_owned()));
        call.or_else(|| self.resolve(&Target::Name(name.to_owned())))
    }

    /// Resolves the target of a reference.
    pub fn resolve(&self, target: &Target) -> Option<Resolution<'a>> {
        match target {
            Target::Definition(id) => {
                Some(Resolution::Definition(DefinitionPlace::new(self.document.clone(), *id)))
            }
            Target::Name(name) => self.variable(name),
            Target::Call(name) => self.call(name),
            Target::Type(name) => self.outside(name, &[DefinitionKind::Struct, DefinitionKind::Macro]),
            Target::Unit(name) => self.unit(name).map(Resolution::Definition),
            Target::Param { unit, name } => self.member(&self.unit(unit)?, name),
            Target::Field { ty, name } => match self.outside(ty, &[DefinitionKind::Struct])? {
                Resolution::Definition(place) => self.member(&place, name),
                _ => None,
            },
            Target::Object(name) => self.outside(name, &[DefinitionKind::Object]),
            Target::Key { block, name } => Some(Resolution::Key(block.clone(), name.clone())),
            Target::Kind(block) => Some(Resolution::Kind(block.clone())),
        }
    }

    fn variable(&self, name: &str) -> Option<Resolution<'a>> {
        if let Some(global) = Global::from_name(name) {
            return Some(Resolution::Global(global));
        }
        match name {
            "Ci" => Some(Resolution::Ci),
            _ if name.starts_with("M_") => Some(Resolution::Constant(name.to_owned())),
            _ => {
                self.outside(name, &[DefinitionKind::Variable, DefinitionKind::Macro, DefinitionKind::Object])
            }
        }
    }

    fn call(&self, name: &str) -> Option<Resolution<'a>> {
        const KINDS: [DefinitionKind; 5] = [
            DefinitionKind::Function,
            DefinitionKind::Struct,
            DefinitionKind::Unit,
            DefinitionKind::Group,
            DefinitionKind::Macro,
        ];
        if let Some(found) = self.outside(name, &KINDS) {
            return Some(found);
        }
        let closures: Vec<&ClosureSignature> =
            self.vocabulary.closures.iter().filter(|c| c.name == name).collect();
        if !closures.is_empty() {
            return Some(Resolution::Closures(closures));
        }
        if let Some(function) = function(name) {
            return Some(Resolution::Function(function));
        }
        self.unit(name).map(Resolution::Definition)
    }

    /// Returns the first top-level definition of a name, in the text or in its imports.
    fn outside(&self, name: &str, kinds: &[DefinitionKind]) -> Option<Resolution<'a>> {
        self.reachable().into_iter().find_map(|document| {
            let id = *document
                .index
                .top(name)
                .iter()
                .find(|&&id| kinds.contains(&document.index.get(id).kind))?;
            Some(Resolution::Definition(DefinitionPlace::new(document, id)))
        })
    }

    /// Returns a unit or group by name: in the text, in its imports, or in the shipped library.
    pub fn unit(&self, name: &str) -> Option<DefinitionPlace> {
        const KINDS: [DefinitionKind; 2] = [DefinitionKind::Unit, DefinitionKind::Group];
        if let Some(Resolution::Definition(place)) = self.outside(name, &KINDS) {
            return Some(place);
        }
        let document = self.vocabulary.shipped(name)?;
        let is_unit = |&&id: &&DefinitionId| KINDS.contains(&document.index.get(id).kind);
        let id = *document.index.top(name).iter().find(is_unit)?;
        Some(DefinitionPlace::new(document.clone(), id))
    }

    /// Returns a parameter, output or field.
    fn member(&self, container: &DefinitionPlace, name: &str) -> Option<Resolution<'a>> {
        let id = container.document.index.member(container.id, name)?;
        Some(Resolution::Definition(DefinitionPlace::new(container.document.clone(), id)))
    }
}
