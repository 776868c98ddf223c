//! Inlay hints: names of parameters before positional arguments, and types of arguments in groups and scenes.

use std::ops::Range;

use crate::definition::{DefinitionKind, Target};
use crate::query::{Query, Resolution};
use crate::signature::{forms, param_name};
use shading_syntax::ast::{Argument, Expr, ExprKind, Item};

/// Hint that is displayed within the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlay {
    /// Position of the hint, in bytes.
    pub offset: usize,
    /// Text.
    pub label: String,
    /// True for a type, false for the name of a parameter.
    pub is_type: bool,
}

/// Minimum number of arguments of a call with hints.
const MIN_ARGUMENTS: usize = 3;

/// Returns the hints in a range of a text.
pub fn inlays(query: &Query<'_>, range: Range<usize>) -> Vec<Inlay> {
    let mut list = vec![];
    types(query, &range, &mut list);
    let mut visit = |expr: &Expr| {
        let start = expr.span.start as usize;
        if let ExprKind::Call { name, args, .. } = &expr.kind
            && range.contains(&start)
        {
            names(query, &name.text, args, &mut list);
        }
    };
    for item in &query.document.parsed.file.items {
        match item {
            Item::Unit(unit) => unit.body.iter().for_each(|stmt| stmt.for_each_expr(&mut visit)),
            Item::Function(function) => {
                let body = function.body.iter().flatten();
                body.for_each(|stmt| stmt.for_each_expr(&mut visit));
            }
            Item::Struct(_) | Item::Variables(_) | Item::Group(_) | Item::Declaration(_) => {}
        }
    }
    list.sort_by_key(|inlay| inlay.offset);
    list
}

/// Adds the names of parameters.
fn names(query: &Query<'_>, name: &str, args: &[Argument], list: &mut Vec<Inlay>) {
    if args.len() < MIN_ARGUMENTS {
        return;
    }
    let Some(forms) = forms(query, name) else { return };
    let Some(form) = forms.iter().find(|form| form.params.len() == args.len()) else {
        return;
    };
    for (param, arg) in form.params.iter().zip(args) {
        let name = param_name(param);
        // Only literals get a hint. A parameter name of one letter explains nothing.
        let is_plain = matches!(arg.value.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_));
        if is_plain && name.len() > 1 {
            list.push(Inlay {
                offset: arg.value.span.start as usize,
                label: format!("{name}:"),
                is_type: false,
            });
        }
    }
}

/// Adds the types of parameters that groups and scenes set, except for numbers.
fn types(query: &Query<'_>, range: &Range<usize>, list: &mut Vec<Inlay>) {
    let code = code(query);
    for reference in query.document.index.references() {
        let is_param = match &reference.target {
            Target::Param { .. } => true,
            Target::Definition(id) => query.document.index.get(*id).kind == DefinitionKind::Param,
            _ => false,
        };
        let after = query.document.text.get(reference.range.end..).unwrap_or_default().trim_start();
        let is_argument = after.starts_with('=') && !after.starts_with("==");
        if !is_param
            || !is_argument
            || !range.contains(&reference.range.start)
            || code.iter().any(|code| code.contains(&reference.range.start))
        {
            continue;
        }
        if let Some(Resolution::Definition(place)) = query.resolve(&reference.target) {
            let ty = &place.definition().ty;
            if !matches!(ty.as_str(), "float" | "int") {
                list.push(Inlay {
                    offset: reference.range.end,
                    label: format!(": {ty}"),
                    is_type: true,
                });
            }
        }
    }
}

/// Returns the bytes of units and functions, in which `=` assigns variables.
fn code(query: &Query<'_>) -> Vec<Range<usize>> {
    let items = query.document.parsed.file.items.iter();
    let spans = items.filter_map(|item| match item {
        Item::Unit(unit) => Some(unit.span),
        Item::Function(function) => Some(function.span),
        Item::Struct(_) | Item::Variables(_) | Item::Group(_) | Item::Declaration(_) => None,
    });
    spans.map(|span| span.start as usize..span.end as usize).collect()
}
