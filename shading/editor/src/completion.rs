//! Completion: what may stand at the cursor.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use crate::cursor::{Cursor, OpenCall};
use crate::definition::{Definition, DefinitionKind};
use crate::document::Language;
use crate::hover::{closure_params, declaration, explain, form_text, range_text};
use crate::query::{Found, Place, Query};
use crate::token::TokenKind;
use crate::world::functions;
use shading_compiler::builtins::Global;

/// Kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A function or closure.
    Function,
    /// A unit or group.
    Unit,
    /// A parameter, output, key or field.
    Property,
    /// A variable, layer or object.
    Variable,
    /// A word of the language.
    Keyword,
    /// A structure or type.
    Type,
    /// A constant or macro.
    Constant,
    /// A value of a closed set, such as a kind.
    Value,
    /// A file or folder.
    File,
}

/// Something that may stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Name.
    pub label: String,
    /// Kind.
    pub kind: CompletionKind,
    /// Type or signature.
    pub detail: String,
    /// Documentation, in Markdown.
    pub help: String,
    /// What is inserted, if it is not the name.
    pub insert: Option<String>,
    /// Lesser ones come first.
    pub rank: u8,
}

/// Completions, and the bytes that they replace.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    /// Bytes of what is typed so far.
    pub range: Range<usize>,
    /// Completions.
    pub list: Vec<Completion>,
}

const TYPES: [&str; 11] = [
    "int", "float", "color", "point", "vector", "normal", "matrix", "string", "closure", "void", "any",
];
const STATEMENTS: [&str; 10] = [
    "if", "else", "for", "while", "do", "break", "continue", "return", "const", "output",
];
const ITEMS: [&str; 8] = [
    "shader",
    "surface",
    "displacement",
    "volume",
    "background",
    "group",
    "struct",
    "import",
];
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
/// Metadata that Kiln or user interfaces know.
const METADATA: [(&str, &str); 12] = [
    ("string help", "what it is for"),
    ("string label", "name in user interfaces"),
    ("string page", "page in user interfaces"),
    ("string widget", "widget in user interfaces"),
    ("string units", "unit of the value"),
    ("string category", "category of a unit"),
    ("string primvar", "attributes of the geometry that feed it"),
    ("float min", "least value"),
    ("float max", "greatest value"),
    ("int interpolated", "1: fed by the attribute of its name"),
    ("int lockgeom", "0: fed by the attribute of its name"),
    ("int allowconnect", "0: nothing may be connected"),
];

/// What may stand at an offset.
pub fn completions(query: &Query<'_>, offset: usize) -> Completions {
    let cursor = Cursor::new(query.document, offset);
    let mut list = List {
        query,
        found: BTreeMap::new(),
    };
    let mut range = cursor.word.clone();
    match cursor.inside {
        Some(token) if matches!(token.kind, TokenKind::Text | TokenKind::Directive) => {
            range = list.files(&cursor, token.range.start, offset);
        }
        Some(_) => {}
        None => list.at(&cursor, offset),
    }
    Completions {
        range,
        list: list.found.into_values().collect(),
    }
}

struct List<'a> {
    query: &'a Query<'a>,
    found: BTreeMap<String, Completion>,
}

impl List<'_> {
    fn add(
        &mut self,
        label: &str,
        kind: CompletionKind,
        detail: impl Into<String>,
        help: impl Into<String>,
        rank: u8,
    ) {
        self.insert(label, kind, detail, help, None, rank);
    }

    fn insert(
        &mut self,
        label: &str,
        kind: CompletionKind,
        detail: impl Into<String>,
        help: impl Into<String>,
        insert: Option<String>,
        rank: u8,
    ) {
        let completion = Completion {
            label: label.to_owned(),
            kind,
            detail: detail.into(),
            help: help.into(),
            insert,
            rank,
        };
        self.found.entry(label.to_owned()).or_insert(completion);
    }

    fn words(&mut self, words: &[&str], kind: CompletionKind) {
        for word in words {
            self.add(word, kind, "", "", 5);
        }
    }

    fn at(&mut self, cursor: &Cursor<'_>, offset: usize) {
        if let Some(object) = cursor.object() {
            return self.members(object, offset);
        }
        if cursor.begins_item() {
            return self.items();
        }
        let brackets = cursor.brackets();
        if let [.., "[", "["] = brackets.as_slice() {
            for (label, help) in METADATA {
                self.insert(
                    label,
                    CompletionKind::Property,
                    "metadata",
                    help,
                    Some(format!("{label} = ")),
                    1,
                );
            }
            return;
        }
        if cursor.in_code() {
            return self.code(cursor, offset, &brackets);
        }
        if let Some(call) = cursor.call()
            && (cursor.in_group() || cursor.item_word() != "group")
        {
            return self.argument(&call, cursor, offset);
        }
        if cursor.item_word() == "group" {
            return self.group(cursor, offset, &brackets);
        }
        self.scene(cursor, &brackets);
    }

    /// What begins at the top level.
    fn items(&mut self) {
        self.words(&ITEMS, CompletionKind::Keyword);
        if self.query.document.language() == Language::Scene {
            for keyword in &self.query.world.keywords {
                self.add(&keyword.name, CompletionKind::Keyword, "", &keyword.help, 1);
            }
        } else {
            self.words(&TYPES, CompletionKind::Type);
            self.structures();
        }
    }

    fn code(&mut self, cursor: &Cursor<'_>, offset: usize, brackets: &[&str]) {
        self.words(&TYPES, CompletionKind::Type);
        self.structures();
        if brackets.first() != Some(&"{") && matches!(cursor.previous(0), "(" | ",") {
            // Parameters of a unit or function.
            return self.words(&["output", "const"], CompletionKind::Keyword);
        }
        self.values(offset, true);
        self.words(&STATEMENTS, CompletionKind::Keyword);
    }

    /// Parameters of a unit, and values.
    fn argument(&mut self, call: &OpenCall, cursor: &Cursor<'_>, offset: usize) {
        let unit = match &call.before {
            // `matte base(`: a layer.
            Some(unit) if cursor.in_group() && self.query.unit(unit).is_some() => Some(unit.as_str()),
            _ => Some(call.name.as_str()),
        };
        let place = unit.and_then(|unit| self.query.unit(unit));
        if let (Some(place), true) = (&place, call.at_start) {
            for param in place.document.index.members(place.id) {
                if param.kind == DefinitionKind::Param && !call.given.contains(&param.name) {
                    self.param(param, Some(format!("{} = ", param.name)));
                }
            }
            return;
        }
        self.values(offset, cursor.in_group());
        if !cursor.in_group() {
            self.units();
            self.objects();
        }
    }

    fn param(&mut self, param: &Definition, insert: Option<String>) {
        let mut help = param.help().unwrap_or_default().to_owned();
        if let Some(range) = range_text(param) {
            help += &format!(" ({range})");
        }
        self.insert(
            &param.name,
            CompletionKind::Property,
            declaration(param),
            help,
            insert,
            0,
        );
    }

    fn group(&mut self, cursor: &Cursor<'_>, offset: usize, brackets: &[&str]) {
        match brackets {
            ["{"] if matches!(cursor.previous(0), "{" | ";" | "}") => {
                self.units();
                self.values(offset, false);
            }
            ["{"] if cursor.previous(0) == ")" => self.words(&["with"], CompletionKind::Keyword),
            ["{", "{"] if matches!(cursor.previous(0), "{" | ";") => self.globals(),
            ["{", ..] => self.values(offset, true),
            _ => self.words(&TYPES, CompletionKind::Type),
        }
    }

    fn scene(&mut self, cursor: &Cursor<'_>, brackets: &[&str]) {
        let keyword = cursor.item_word();
        match (brackets, cursor.previous(0)) {
            ([], ":") => {
                let known = self
                    .query
                    .world
                    .keywords
                    .iter()
                    .find(|known| known.name == keyword);
                for kind in known.into_iter().flat_map(|keyword| &keyword.kinds) {
                    self.add(kind, CompletionKind::Value, format!("{keyword} : {kind}"), "", 0);
                }
            }
            (["{"], "{" | ";" | "}") => {
                for (name, help) in self.query.world.keys_of(keyword, cursor.item_kind()) {
                    self.insert(
                        name,
                        CompletionKind::Property,
                        "",
                        help,
                        Some(format!("{name} = ")),
                        0,
                    );
                }
            }
            (["{"] | ["{", ..], "=" | "," | "(" | "{") | ([], "=") => {
                if cursor.previous(0) == "=" && matches!(cursor.previous(1), "of" | "portals" | "except") {
                    return self.objects();
                }
                for (name, help) in self.query.world.keys_of("", None) {
                    self.add(name, CompletionKind::Function, "", help, 3);
                }
                self.units();
                self.objects();
                self.words(&["true", "false"], CompletionKind::Value);
            }
            _ if keyword == "assign" => self.objects(),
            _ => {}
        }
    }

    /// Members of what stands before the dot.
    fn members(&mut self, object: &str, offset: usize) {
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
            // The line of the layer may not parse.
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
        let structure = self.query.resolve(&crate::definition::Target::Type(ty.clone()));
        if let Some(Found::Definition(place)) = structure {
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

    /// The unit of a layer by tokens: `matte base(`.
    fn layer_unit(&self, layer: &str) -> Option<String> {
        let document = self.query.document;
        let words = document.tokens.windows(3).find(|window| {
            window[0].kind == TokenKind::Word
                && document.slice(&window[1]) == layer
                && document.slice(&window[2]) == "("
        })?;
        Some(document.slice(&words[0]).to_owned())
    }

    /// Variables, globals and functions.
    fn values(&mut self, offset: usize, with_functions: bool) {
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
                self.add(
                    &definition.name,
                    CompletionKind::Variable,
                    declaration(definition),
                    help,
                    0,
                );
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
            self.add(
                &function.name,
                CompletionKind::Function,
                detail,
                &function.help,
                3,
            );
        }
        for closure in &self.query.world.closures {
            let detail = format!(
                "closure color {}({})",
                closure.name,
                closure_params(closure).join(", ")
            );
            self.add(closure.name, CompletionKind::Function, detail, "closure", 3);
        }
    }

    fn globals(&mut self) {
        for global in Global::ALL {
            let detail = format!("{} {}", global.ty(), global.name());
            let help = crate::hover::global_help(global);
            self.add(global.name(), CompletionKind::Variable, detail, help, 2);
        }
    }

    /// Functions and macros of the text and of those that it imports.
    fn functions(&mut self) {
        self.outside(|definition| match definition.kind {
            DefinitionKind::Function => Some(CompletionKind::Function),
            DefinitionKind::Macro => Some(CompletionKind::Constant),
            _ => None,
        });
    }

    fn structures(&mut self) {
        self.outside(|d| (d.kind == DefinitionKind::Struct).then_some(CompletionKind::Type));
    }

    fn objects(&mut self) {
        self.outside(|d| (d.kind == DefinitionKind::Object).then_some(CompletionKind::Variable));
    }

    /// Units and groups: of the text, of those that it imports, and shipped.
    fn units(&mut self) {
        self.outside(|d| {
            let is_unit = matches!(d.kind, DefinitionKind::Unit | DefinitionKind::Group);
            is_unit.then_some(CompletionKind::Unit)
        });
        let mut names: Vec<&str> = self.query.world.shipped_names().collect();
        names.sort_unstable();
        for name in names {
            if let Some(place) = self.query.unit(name) {
                let help = place.definition().help().unwrap_or_default().to_owned();
                self.add(name, CompletionKind::Unit, &place.definition().ty, help, 2);
            }
        }
    }

    /// Definitions outside of items for which `kind` gives a kind.
    fn outside(&mut self, kind: impl Fn(&Definition) -> Option<CompletionKind>) {
        for document in self.query.reachable() {
            for (id, definition) in document.index.definitions() {
                let is_top =
                    definition.container.is_none() && document.index.top(&definition.name).contains(&id);
                if let Some(kind) = kind(definition).filter(|_| is_top) {
                    let document = document.clone();
                    let help = explain(self.query, &Found::Definition(Place { document, id }));
                    self.add(
                        &definition.name,
                        kind,
                        &definition.ty,
                        help.unwrap_or_default(),
                        1,
                    );
                }
            }
        }
    }

    /// Names of files in a string: those that a folder holds. Returns the bytes of the name typed so far.
    fn files(&mut self, cursor: &Cursor<'_>, start: usize, offset: usize) -> Range<usize> {
        let document = self.query.document;
        let typed = &document.text[start..offset];
        let Some(quote) = typed.find(['"', '<']) else {
            return offset..offset;
        };
        let is_directive = typed.starts_with('#');
        let is_file = is_directive && typed.contains("include")
            || matches!(cursor.previous(0), "import" | "=" | "(" | ",") && !is_directive;
        let typed = &typed[quote + 1..];
        let (folder, name) = typed
            .rsplit_once('/')
            .map_or(("", typed), |(folder, name)| (folder, name));
        if is_file {
            let own = document.path.parent().unwrap_or(Path::new(""));
            let texts_only = is_directive || cursor.in_code();
            for entry in self.query.texts.list(&own.join(folder)) {
                let is_text = [".ksl", ".osl", ".tsl", ".h", "/"]
                    .iter()
                    .any(|end| entry.ends_with(end));
                if !texts_only || is_text {
                    self.add(&entry, CompletionKind::File, "", "", 0);
                }
            }
        }
        offset - name.len()..offset
    }
}
