//! Sources of completions: variables, functions, units, members, files.

use std::ops::Range;
use std::path::Path;

use super::{CompletionKind, List};
use crate::cursor::Cursor;
use crate::definition::{Definition, DefinitionKind, Target};
use crate::hover::{closure_params, declaration, explain, form_text};
use crate::query::{DefinitionPlace, Resolution};
use crate::token::TokenKind;
use crate::vocabulary::functions;
use shading_compiler::builtins::Global;

const CONSTANTS: [&str; 14] = [
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_2_PI",
    "M_2PI",
    "M_4PI",
    "M_2_SQRTPI",
    "M_E",
    "M_LN2",
    "M_LN10",
    "M_LOG2E",
    "M_LOG10E",
    "M_SQRT2",
    "M_SQRT1_2",
];

impl List<'_> {
    /// Adds the members of the name before the dot.
    pub(super) fn members(&mut self, object: &str, offset: usize) {
        let index = &self.query.document.index;
        let known = index
            .definitions()
            .filter(|(_, d)| d.name == object && d.scope.contains(&offset))
            .last();
        let (kind, ty) = match known {
            Some((_, definition)) => (Some(definition.kind), definition.ty.clone()),
            None => (None, String::new()),
        };
        let unit = match kind {
            Some(DefinitionKind::Layer) => Some(ty.clone()),
            Some(_) => None,
            // The declaration of the layer may not parse.
            None => self.layer_unit(object),
        };
        if let Some(place) = unit.and_then(|unit| self.query.unit(&unit)) {
            for output in place.document.index.members(place.id) {
                if output.kind == DefinitionKind::Output {
                    self.param(output, None);
                }
            }
            return;
        }
        let structure = self.query.resolve(&Target::Type(ty.clone()));
        if let Some(Resolution::Definition(place)) = structure {
            for field in place.document.index.members(place.id) {
                self.add(&field.name, CompletionKind::Property, &field.ty, "", 0);
            }
            return;
        }
        let names: &[&str] = match ty.as_str() {
            "color" => &["r", "g", "b"],
            "point" | "vector" | "normal" => &["x", "y", "z"],
            _ => &["r", "g", "b", "x", "y", "z"],
        };
        for name in names {
            self.add(name, CompletionKind::Property, "float", "", 1);
        }
    }

    /// Returns the unit of a layer, found by tokens: `matte base(`.
    fn layer_unit(&self, layer: &str) -> Option<String> {
        let document = self.query.document;
        let words = document.tokens.windows(3).find(|window| {
            window[0].kind == TokenKind::Word
                && document.slice(&window[1]) == layer
                && document.slice(&window[2]) == "("
        })?;
        Some(document.slice(&words[0]).to_owned())
    }

    /// Adds variables, and with `with_functions` globals, constants, functions and closures.
    pub(super) fn values(&mut self, offset: usize, with_functions: bool) {
        let document = self.query.document;
        for (_, definition) in document.index.definitions() {
            let is_value = matches!(
                definition.kind,
                DefinitionKind::Variable
                    | DefinitionKind::Param
                    | DefinitionKind::Output
                    | DefinitionKind::Layer
            );
            if is_value && definition.scope.contains(&offset) {
                let help = definition.help().unwrap_or_default();
                self.add(&definition.name, CompletionKind::Variable, declaration(definition), help, 0);
            }
        }
        if !with_functions {
            return;
        }
        self.globals();
        self.words(&CONSTANTS, CompletionKind::Constant);
        self.functions();
        for function in functions() {
            let detail = form_text(&function.name, &function.forms[0]);
            self.add(&function.name, CompletionKind::Function, detail, &function.help, 3);
        }
        for closure in &self.query.vocabulary.closures {
            let detail = format!("closure color {}({})", closure.name, closure_params(closure).join(", "));
            self.add(closure.name, CompletionKind::Function, detail, "closure", 3);
        }
    }

    pub(super) fn globals(&mut self) {
        for global in Global::ALL {
            let detail = format!("{} {}", global.ty(), global.name());
            let help = crate::hover::global_help(global);
            self.add(global.name(), CompletionKind::Variable, detail, help, 2);
        }
    }

    /// Adds functions and macros of the text and of its imports.
    fn functions(&mut self) {
        self.outside(|definition| match definition.kind {
            DefinitionKind::Function => Some(CompletionKind::Function),
            DefinitionKind::Macro => Some(CompletionKind::Constant),
            _ => None,
        });
    }

    pub(super) fn structures(&mut self) {
        self.outside(|d| (d.kind == DefinitionKind::Struct).then_some(CompletionKind::Type));
    }

    pub(super) fn objects(&mut self) {
        self.outside(|d| (d.kind == DefinitionKind::Object).then_some(CompletionKind::Variable));
    }

    /// Adds units and groups of the text, of its imports, and of the shipped library.
    pub(super) fn units(&mut self) {
        self.outside(|d| {
            let is_unit = matches!(d.kind, DefinitionKind::Unit | DefinitionKind::Group);
            is_unit.then_some(CompletionKind::Unit)
        });
        let mut names: Vec<&str> = self.query.vocabulary.shipped_names().collect();
        names.sort_unstable();
        for name in names {
            if let Some(place) = self.query.unit(name) {
                let help = place.definition().help().unwrap_or_default().to_owned();
                self.add(name, CompletionKind::Unit, &place.definition().ty, help, 2);
            }
        }
    }

    /// Adds the top-level definitions for which `kind` returns a kind.
    fn outside(&mut self, kind: impl Fn(&Definition) -> Option<CompletionKind>) {
        for document in self.query.reachable() {
            for (id, definition) in document.index.definitions() {
                let is_top =
                    definition.container.is_none() && document.index.top(&definition.name).contains(&id);
                if let Some(kind) = kind(definition).filter(|_| is_top) {
                    let document = document.clone();
                    let help =
                        explain(self.query, &Resolution::Definition(DefinitionPlace::new(document, id)));
                    self.add(&definition.name, kind, &definition.ty, help.unwrap_or_default(), 1);
                }
            }
        }
    }

    /// Adds the files of the folder that a string names. Returns the bytes of the file name typed so far.
    pub(super) fn files(&mut self, cursor: &Cursor<'_>, start: usize, offset: usize) -> Range<usize> {
        let document = self.query.document;
        let typed = &document.text[start..offset];
        let Some(quote) = typed.find(['"', '<']) else {
            return offset..offset;
        };
        let is_directive = typed.starts_with('#');
        let is_file = is_directive && typed.contains("include")
            || matches!(cursor.previous(0), "import" | "=" | "(" | ",") && !is_directive;
        let typed = &typed[quote + 1..];
        let (folder, name) = typed.rsplit_once('/').map_or(("", typed), |(folder, name)| (folder, name));
        if is_file {
            let own = document.path.parent().unwrap_or(Path::new(""));
            let texts_only = is_directive || cursor.in_code();
            for entry in self.query.files.list(&own.join(folder)) {
                let is_text = [".ksl", ".osl", ".tsl", ".h", "/"].iter().any(|end| entry.ends_with(end));
                if !texts_only || is_text {
                    self.add(&entry, CompletionKind::File, "", "", 0);
                }
            }
        }
        offset - name.len()..offset
    }
}
