//! Hover: explanation of the name at a cursor, in Markdown.

use std::fmt::Write as _;
use std::ops::Range;

use crate::cursor::Cursor;
use crate::definition::{Definition, DefinitionKind};
use crate::document::Language;
use crate::query::{DefinitionPlace, Query, Resolution};
use crate::vocabulary::{BuiltinFunction, FunctionForm};
use shading_compiler::builtins::Global;
use shading_compiler::hir::ClosureSignature;

/// Explanation of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// Bytes of the name.
    pub range: Range<usize>,
    /// Markdown.
    pub text: String,
}

/// Explains the name at an offset.
pub fn hover(query: &Query<'_>, offset: usize) -> Option<Hover> {
    if let Some(hover) = keyword(query, offset).or_else(|| scene_function(query, offset)) {
        return Some(hover);
    }
    let (range, found) = query.at(offset)?;
    Some(Hover { range, text: explain(query, &found)? })
}

/// Explains the keyword of a scene declaration.
fn keyword(query: &Query<'_>, offset: usize) -> Option<Hover> {
    let document = query.document;
    let token = document.token_at(offset)?;
    let word = document.slice(token);
    let before = &document.text[..token.range.start];
    let keyword = query.vocabulary.keywords.iter().find(|keyword| keyword.name == word)?;
    let begins_line = before.is_empty() || before.ends_with('\n');
    if document.language() != Language::Scene || !begins_line {
        return None;
    }
    let kinds = match keyword.kinds.as_slice() {
        [] => String::new(),
        kinds => format!("; kinds: {}", kinds.join(", ")),
    };
    Some(Hover {
        range: token.range.clone(),
        text: format!("`{word}`: {}{kinds}", keyword.help),
    })
}

/// Explains a function of scene values, such as `translate`.
fn scene_function(query: &Query<'_>, offset: usize) -> Option<Hover> {
    let document = query.document;
    let token = document.token_at(offset)?;
    let is_call = document.text[token.range.end..].trim_start().starts_with('(');
    if document.language() != Language::Scene || !is_call || !Cursor::new(document, offset).in_declaration() {
        return None;
    }
    let text = query.vocabulary.key_help("", None, document.slice(token))?;
    Some(Hover { range: token.range.clone(), text: text.to_owned() })
}

/// Explains a resolved name, in Markdown.
pub(crate) fn explain(query: &Query<'_>, found: &Resolution<'_>) -> Option<String> {
    Some(match found {
        Resolution::Definition(place) => of_definition(query, place),
        Resolution::Function(function) => of_function(function),
        Resolution::Closures(list) => of_closures(list),
        Resolution::Global(global) => {
            code(&format!("{} {}", global.ty(), global.name())) + global_help(*global)
        }
        Resolution::Ci => code("closure color Ci") + "the closure that the shader returns",
        Resolution::Constant(name) => code(name) + "constant of the language",
        Resolution::Key(block, name) => {
            let help = query.vocabulary.key_help(&block.keyword, block.kind.as_deref(), name)?;
            format!("`{name}` of `{}`: {help}", block.keyword)
        }
        Resolution::Kind(block) => {
            let kind = block.kind.as_deref()?;
            let mut text = format!("`{} : {kind}`\n", block.keyword);
            for (name, help) in query.vocabulary.keys_of(&block.keyword, Some(kind)) {
                // Writing to a string cannot fail.
                let _ = write!(text, "\n- `{name}`: {help}");
            }
            text
        }
    })
}

fn code(text: &str) -> String {
    format!("```ksl\n{text}\n```\n")
}

fn of_definition(query: &Query<'_>, place: &DefinitionPlace) -> String {
    let definition = place.definition();
    match definition.kind {
        DefinitionKind::Unit | DefinitionKind::Group => unit(place),
        DefinitionKind::Function => {
            let index = &place.document.index;
            let top = index.top(&definition.name).iter().copied();
            let same = top.filter(|&id| index.get(id).kind == DefinitionKind::Function);
            let mut forms: Vec<_> = same.collect();
            if !forms.contains(&place.id) {
                forms = vec![place.id];
            }
            let lines: Vec<String> = forms
                .iter()
                .map(|&id| {
                    let params: Vec<String> = index.members(id).map(declaration).collect();
                    format!("{} {}({})", index.get(id).ty, definition.name, params.join(", "))
                })
                .collect();
            code(&lines.join("\n")) + &comment_above(place)
        }
        DefinitionKind::Struct => {
            let fields = place.document.index.members(place.id);
            let fields: String = fields.map(|f| format!("    {} {};\n", f.ty, f.name)).collect();
            code(&format!("struct {} {{\n{fields}}}", definition.name))
        }
        DefinitionKind::Macro => code(&format!("#define {} {}", definition.name, definition.ty)),
        DefinitionKind::Layer => {
            let head = code(&format!("{} {}", definition.ty, definition.name));
            let unit = query.unit(&definition.ty).map(|place| unit(&place));
            head + &unit.unwrap_or_default()
        }
        DefinitionKind::Object | DefinitionKind::Setting => {
            let value = definition.default.as_ref();
            let value = value.map(|value| format!(" = {value}")).unwrap_or_default();
            code(&match definition.ty.split_once(" : ") {
                Some((keyword, kind)) => format!("{keyword} {} : {kind}", definition.name),
                None => format!("{} {}{value}", definition.ty, definition.name),
            })
        }
        DefinitionKind::Field | DefinitionKind::Param | DefinitionKind::Output | DefinitionKind::Variable => {
            param(place)
        }
    }
}

/// Returns the declaration of a parameter: `output color result = 0`.
pub(crate) fn declaration(param: &Definition) -> String {
    let output = if param.kind == DefinitionKind::Output { "output " } else { "" };
    let default = param.default.as_ref();
    let default = default.map(|text| format!(" = {text}")).unwrap_or_default();
    let (ty, array) = match param.ty.find('[') {
        Some(at) => param.ty.split_at(at),
        None => (param.ty.as_str(), ""),
    };
    format!("{output}{ty} {}{array}{default}", param.name)
}

fn param(place: &DefinitionPlace) -> String {
    let definition = place.definition();
    let mut text = code(&declaration(definition));
    if let Some(container) = definition.container {
        let container = place.document.index.get(container);
        let _ = write!(text, "of `{}`", container.name);
        if let Some(help) = definition.help() {
            let _ = write!(text, ": {help}");
        }
        text.push('\n');
    }
    if let Some(range) = range_text(definition) {
        let _ = write!(text, "\nrange: {range}\n");
    }
    let shown = ["help", "min", "max", "slider_min", "slider_max"];
    for (name, value) in definition.metadata.iter().filter(|(name, _)| !shown.contains(&name.as_str())) {
        let _ = write!(text, "\n- {name}: {value}");
    }
    text
}

/// Returns the bounds in the metadata: `0 … 1`.
pub(crate) fn range_text(definition: &Definition) -> Option<String> {
    match (definition.meta("min"), definition.meta("max")) {
        (Some(min), Some(max)) => Some(format!("{min} … {max}")),
        (Some(min), None) => Some(format!("at least {min}")),
        (None, Some(max)) => Some(format!("at most {max}")),
        (None, None) => None,
    }
}

fn unit(place: &DefinitionPlace) -> String {
    let definition = place.definition();
    let mut text = code(&format!("{} {}", definition.ty, definition.name));
    let above = comment_above(place);
    text += definition.help().unwrap_or(&above);
    text.push('\n');
    for param in place.document.index.members(place.id) {
        let _ = write!(text, "\n- `{}`", declaration(param));
        if let Some(help) = param.help() {
            let _ = write!(text, ": {help}");
        }
        if let Some(range) = range_text(param) {
            let _ = write!(text, " ({range})");
        }
    }
    text
}

/// Returns the line comments directly above a definition.
fn comment_above(place: &DefinitionPlace) -> String {
    let before = place.document.text.get(..place.definition().range.start);
    let lines: Vec<&str> = before.unwrap_or_default().lines().collect();
    let comments = lines.iter().rev().take_while(|line| line.trim_start().starts_with("//"));
    let mut comments: Vec<&str> = comments.map(|line| line.trim().trim_start_matches('/').trim()).collect();
    comments.reverse();
    comments.join(" ")
}

fn of_function(function: &BuiltinFunction) -> String {
    let lines: Vec<String> = function.forms.iter().map(|form| form_text(&function.name, form)).collect();
    code(&lines.join("\n")) + &function.help
}

/// Returns the declaration of a form of a function.
pub(crate) fn form_text(name: &str, form: &FunctionForm) -> String {
    format!("{} {name}({})", form.result, form.params.join(", "))
}

fn of_closures(list: &[&ClosureSignature]) -> String {
    let lines: Vec<String> = list
        .iter()
        .map(|closure| format!("closure color {}({})", closure.name, closure_params(closure).join(", ")))
        .collect();
    code(&lines.join("\n")) + "closure; parameters with `=` may follow as `\"name\", value`"
}

/// Returns the declarations of a closure's parameters; optional ones end with `=`.
pub(crate) fn closure_params(closure: &ClosureSignature) -> Vec<String> {
    let param = |param: &shading_compiler::hir::ClosureParam| {
        let default = if param.default.is_some() { " =" } else { "" };
        format!("{} {}{default}", param.ty, param.name)
    };
    closure.params.iter().map(param).collect()
}

/// Returns the description of a global variable.
pub(crate) fn global_help(global: Global) -> &'static str {
    match global {
        Global::P => "shaded point",
        Global::I => "incident direction",
        Global::N => "shading normal",
        Global::Ng => "geometric normal",
        Global::U => "first surface coordinate",
        Global::V => "second surface coordinate",
        Global::DPdu => "derivative of P in u",
        Global::DPdv => "derivative of P in v",
        Global::Ps => "position of the sampled light",
        Global::Time => "time of the ray, from 0 to 1 in the shutter interval",
        Global::DTime => "length of the shutter interval",
        Global::DPdtime => "velocity of P",
    }
}
