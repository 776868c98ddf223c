//! The option `--set PATH=VALUE`: changes declarations before they are evaluated, so that values are checked as in
//! files.

use std::fmt;
use std::path::Path;

use rustc_hash::FxHashMap;
use shading::syntax::ast::{
    Argument, Declaration, Entry, EntryValue, Expr, ExprKind, Item, Name, Path as NamePath,
};
use shading::{Diagnostic, Source, Span};

use super::context::LoadContext;
use super::integrator::integrator_knows;
use super::material::MATERIAL;
use super::table::exclude;

/// Keywords of declarations without a name.
const UNNAMED: [&str; 4] = ["film", "sampler", "integrator", "scene"];
/// Keywords of declarations with a name.
const NAMED: [&str; 5] = ["camera", "material", "shape", "light", "import"];

/// Change of a scene's value: `PATH=VALUE` of `--set`, or the equivalent of another option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    text: String,
    /// Option that messages show in place of `--set`, with its value.
    option: Option<(&'static str, String)>,
}

impl Change {
    /// Change made by `option` when given as `value`; `text` is its `PATH=VALUE`.
    pub fn of_option(option: &'static str, value: String, text: String) -> Change {
        Change { text, option: Some((option, value)) }
    }

    /// Path of the value that it changes, as far as it has one.
    fn path(&self) -> String {
        let path = self.text.split('=').next().unwrap_or_default();
        path.chars().filter(|c| !c.is_whitespace()).collect()
    }

    /// Warnings about changes without effect: later ones of a list change the same values.
    pub fn without_effect(changes: &[Change]) -> Vec<Diagnostic> {
        let mut last: FxHashMap<String, &Change> = FxHashMap::default();
        let mut list = vec![];
        for change in changes {
            if let Some(earlier) = last.insert(change.path(), change) {
                let message = format!("`{earlier}` has no effect: `{change}` changes the same value");
                list.push(Diagnostic::warning(message).hint("leave one of them out"));
            }
        }
        list
    }

    /// Parses the change as a declaration with the span of the option; `None` after reporting an error.
    fn declaration(&self, context: &mut LoadContext) -> Option<Declaration> {
        let before = context.diagnostics.list.len();
        let source = Source::new("--set", format!("set {};", self.text));
        let (_, file) = context.parse(source, Path::new(""));
        if context.diagnostics.list.len() > before {
            let error = context.diagnostics.list.pop()?;
            context.push(error.hint(FORM));
            return None;
        }
        let [Item::Declaration(declaration)] = &file.items[..] else {
            return self.report_form(context);
        };
        let mut declaration = declaration.clone();
        if let Some((option, value)) = &self.option {
            let source = Source::new(*option, value.clone());
            declaration.set_span(context.add_source(source, Path::new("")));
        }
        Some(declaration)
    }

    fn report_form<T>(&self, context: &mut LoadContext) -> Option<T> {
        let message = format!("`--set {}` is not of the form PATH=VALUE", self.text);
        context.push(Diagnostic::error(message).hint(FORM));
        None
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.option {
            Some((option, value)) => write!(f, "{option} {value}"),
            None => write!(f, "--set {}", self.text),
        }
    }
}

impl<T: Into<String>> From<T> for Change {
    fn from(text: T) -> Change {
        Change { text: text.into(), option: None }
    }
}

/// Hint with the form of options.
const FORM: &str = "as in --set \"film.size=(64, 64)\" or --set camera.main.fov=30";

/// Parsed change.
pub(super) struct Override {
    /// Path before `=`.
    path: NamePath,
    value: Expr,
    /// Text of the option, for messages.
    text: String,
}

impl Override {
    /// Parses `PATH=VALUE`; reports an error if the text has another form.
    pub(super) fn parse(change: &Change, context: &mut LoadContext) -> Option<Override> {
        match change.declaration(context)? {
            Declaration {
                target: Some(path),
                kind: None,
                value: Some(value),
                body: None,
                ..
            } if path.parts.len() > 1 || chooses_integrator(&path, &value) => {
                Some(Override { path, value, text: change.text.clone() })
            }
            _ => change.report_form(context),
        }
    }

    /// Changes the kind of the integrator; keys that the new kind has as well are kept.
    fn choose_integrator(&self, declarations: &mut Vec<Declaration>) -> bool {
        let ExprKind::Name(kind) = &self.value.kind else {
            return false;
        };
        let kind = Name { text: kind.clone(), span: self.value.span };
        let found = declarations.iter_mut().find(|d| d.keyword.text == "integrator");
        let Some(declaration) = found else {
            declarations.push(Declaration { kind: Some(kind), ..self.new_declaration("integrator") });
            return true;
        };
        let before = declaration.kind.as_ref().map_or("path", |kind| &kind.text);
        if before != kind.text
            && let Some(body) = &mut declaration.body
        {
            // Keys that neither kind has are kept, to be reported as errors.
            body.retain(|entry| {
                let key = entry.key.joined();
                integrator_knows(&kind.text, &key) || !integrator_knows(before, &key)
            });
        }
        declaration.kind = Some(kind);
        true
    }

    /// Applies the change; returns `false` if its target is not declared (yet).
    pub(super) fn apply(&self, declarations: &mut Vec<Declaration>) -> bool {
        let keyword = self.path.parts[0].text.as_str();
        let rest = &self.path.parts[1..];
        let Some((key, target)) = rest.split_last() else {
            return self.choose_integrator(declarations);
        };
        if UNNAMED.contains(&keyword) {
            if !target.is_empty() {
                return false;
            }
            let declaration = match declarations.iter_mut().position(|d| d.keyword.text == keyword) {
                Some(found) => &mut declarations[found],
                None => {
                    declarations.push(self.new_declaration(keyword));
                    let last = declarations.len() - 1;
                    &mut declarations[last]
                }
            };
            set_entry(
                &mut declaration.body,
                NamePath { parts: vec![key.clone()], span: key.span },
                &self.value,
            );
            return true;
        }
        let target = joined(target);
        let found = declarations.iter_mut().find(|declaration| {
            let name = match &declaration.alias {
                Some(alias) => Some(alias.text.clone()),
                None => declaration.target.as_ref().map(NamePath::joined),
            };
            declaration.keyword.text == keyword && name.as_deref() == Some(target.as_str())
        });
        let Some(declaration) = found else { return false };
        let key_path = NamePath { parts: vec![key.clone()], span: key.span };
        let is_argument = keyword == "material" && !MATERIAL.iter().any(|known| known.name == key.text);
        if is_argument && let Some(surface) = material_surface(declaration) {
            set_argument(surface, Name { text: key.text.clone(), span: key.span }, &self.value);
        } else if keyword == "material" && key.text == "surface" && declaration.value.is_some() {
            declaration.value = Some(self.value.clone());
        } else {
            set_entry(&mut declaration.body, key_path, &self.value);
        }
        true
    }

    /// Reports that the target of the change does not exist.
    pub(super) fn report_unknown(&self, declarations: &[Declaration], context: &mut LoadContext) {
        let keyword = self.path.parts[0].text.as_str();
        let message = format!("`--set {}` is about nothing in the scene", self.text);
        let diagnostic = context.error_at(self.path.span, message);
        let known: Vec<&str> = UNNAMED.into_iter().chain(NAMED).collect();
        let diagnostic = if known.contains(&keyword) {
            let named = |declaration: &&Declaration| declaration.keyword.text == keyword;
            let names: Vec<String> = declarations
                .iter()
                .filter(named)
                .filter_map(|d| {
                    d.alias
                        .as_ref()
                        .map(|a| a.text.clone())
                        .or(d.target.as_ref().map(NamePath::joined))
                })
                .collect();
            let parts = &self.path.parts;
            let wanted = joined(&parts[1..parts.len() - 1]);
            let choice = if names.is_empty() {
                "and the scene has none".to_owned()
            } else {
                format!("and the names are: {}", names.join(", "))
            };
            diagnostic
                .nearest(&wanted, names.iter().map(String::as_str))
                .hint(format!("it is {keyword}.NAME.KEY, {choice}"))
        } else {
            diagnostic
                .nearest(keyword, known.iter().copied())
                .hint(format!("a path begins with one of {}", known.join(", ")))
        };
        context.push(diagnostic);
    }

    fn new_declaration(&self, keyword: &str) -> Declaration {
        let mut declaration = Declaration { body: Some(vec![]), ..Declaration::new(keyword) };
        declaration.set_span(self.path.span);
        declaration
    }
}

fn joined(parts: &[shading::syntax::ast::PathPart]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(".")
}

/// Expression of a material's surface.
fn material_surface(declaration: &mut Declaration) -> Option<&mut Expr> {
    if declaration.value.is_some() {
        return declaration.value.as_mut();
    }
    let entries = declaration.body.as_mut()?;
    entries
        .iter_mut()
        .find(|entry| entry.key.joined() == "surface")
        .and_then(|entry| match &mut entry.value {
            EntryValue::Expr(expr) => Some(expr),
            EntryValue::Block { .. } => None,
        })
}

/// Sets a key, and removes its previous value and keys that exclude it.
fn set_entry(body: &mut Option<Vec<Entry>>, key: NamePath, value: &Expr) {
    let entries = body.get_or_insert_default();
    let span = Span { end: value.span.end, ..key.span };
    let name = key.joined();
    entries.retain(|entry| {
        let known = entry.key.joined();
        known != name && !exclude(&known, &name)
    });
    entries.push(Entry { key, value: EntryValue::Expr(value.clone()), span });
}

/// Sets an argument of a call; a lone name becomes a call.
pub(super) fn set_argument(surface: &mut Expr, name: Name, value: &Expr) {
    if let ExprKind::Name(unit) = &surface.kind {
        let callee = Name { text: unit.clone(), span: surface.span };
        surface.kind = ExprKind::Call { name: callee, template: None, args: vec![] };
    }
    if let ExprKind::Call { args, .. } = &mut surface.kind {
        args.retain(|arg| arg.name.as_ref().is_none_or(|known| known.text != name.text));
        args.push(Argument {
            name: Some(name),
            value: value.clone(),
            // The scene may give the value by another of the input's names.
            overrides: true,
        });
    }
}

/// Returns whether the change is `integrator=KIND`, which has no key.
fn chooses_integrator(path: &NamePath, value: &Expr) -> bool {
    path.joined() == "integrator" && matches!(value.kind, ExprKind::Name(_))
}
