//! Signature help: parameters of the call at a cursor.

use crate::cursor::Cursor;
use crate::definition::DefinitionKind;
use crate::hover::{closure_params, declaration};
use crate::query::{DefinitionPlace, Query, Resolution};

/// Signature of a function, closure, structure or unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Full signature: `float clamp(float x, float low, float high)`.
    pub label: String,
    /// Parameters in the form of `label`.
    pub params: Vec<String>,
    /// Documentation of each parameter; may be empty.
    pub param_help: Vec<String>,
    /// Documentation.
    pub help: String,
}

/// Signatures of the call at a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures {
    /// Signatures.
    pub list: Vec<Signature>,
    /// Index of the first signature with enough parameters.
    pub active: usize,
    /// Index of the parameter at the cursor.
    pub param: usize,
}

/// Returns the signatures of the call around an offset.
pub fn signatures(query: &Query<'_>, offset: usize) -> Option<Signatures> {
    let cursor = Cursor::new(query.document, offset);
    let call = cursor.call()?;
    let unit = call.before.as_ref().filter(|_| cursor.in_group());
    let unit = unit.and_then(|unit| query.unit(unit));
    let scene_function = cursor.in_declaration().then(|| of_scene(query, &call.name)).flatten();
    let list = match (unit, scene_function) {
        (Some(place), _) => vec![of_definition(&place, place.id)],
        (None, Some(function)) => vec![function],
        (None, None) => forms(query, &call.name)?,
    };
    let named = call.param.as_ref().and_then(|name| {
        let params = list.first()?.params.iter();
        params.into_iter().position(|param| param_name(param) == name)
    });
    let param = named.unwrap_or(call.argument);
    let fits = |signature: &Signature| signature.params.len() > param || signature.label.contains('…');
    Some(Signatures { active: list.iter().position(fits).unwrap_or(0), list, param })
}

/// Returns the signature of a function of scene values, with which its documentation begins: `translate(x, y, z) moves …`.
fn of_scene(query: &Query<'_>, name: &str) -> Option<Signature> {
    let help = query.vocabulary.key_help("", None, name)?;
    let (params, _) = help.strip_prefix(name)?.strip_prefix('(')?.split_once(')')?;
    let params = params.split(", ").map(str::to_owned).collect();
    Some(Signature {
        label: help.split_inclusive(')').next()?.to_owned(),
        ..signature("", name, params, help)
    })
}

/// Returns the name in a parameter's declaration: `x` in `float x = 1`.
pub(crate) fn param_name(param: &str) -> &str {
    let declared = param.split(" =").next().unwrap_or_default();
    let declared = declared.split('[').next().unwrap_or_default();
    declared.rsplit(' ').next().unwrap_or_default()
}

/// Returns the signatures of a function, closure, structure or unit.
pub(crate) fn forms(query: &Query<'_>, name: &str) -> Option<Vec<Signature>> {
    let index = &query.document.index;
    let local = index
        .definitions()
        .find(|(_, d)| d.name == name && d.kind == DefinitionKind::Function);
    let found = match local {
        Some((id, _)) => Resolution::Definition(DefinitionPlace::new(query.document.clone(), id)),
        None => query.named(name)?,
    };
    match found {
        Resolution::Definition(place) => {
            let index = &place.document.index;
            let kind = place.definition().kind;
            let mut same: Vec<_> = index
                .top(name)
                .iter()
                .copied()
                .filter(|&id| index.get(id).kind == kind)
                .collect();
            if !same.contains(&place.id) {
                same = vec![place.id];
            }
            Some(same.into_iter().map(|id| of_definition(&place, id)).collect())
        }
        Resolution::Function(function) => {
            let forms = function.forms.iter();
            Some(
                forms
                    .map(|form| signature(&form.result, name, form.params.clone(), &function.help))
                    .collect(),
            )
        }
        Resolution::Closures(list) => {
            let forms = list.iter();
            Some(
                forms
                    .map(|closure| signature("closure color", name, closure_params(closure), "closure"))
                    .collect(),
            )
        }
        Resolution::Global(_)
        | Resolution::Ci
        | Resolution::Constant(_)
        | Resolution::Key(..)
        | Resolution::Kind(_) => None,
    }
}

fn signature(result: &str, name: &str, params: Vec<String>, help: &str) -> Signature {
    Signature {
        label: format!("{result} {name}({})", params.join(", ")),
        param_help: vec![String::new(); params.len()],
        params,
        help: help.to_owned(),
    }
}

fn of_definition(place: &DefinitionPlace, id: crate::definition::DefinitionId) -> Signature {
    let index = &place.document.index;
    let definition = index.get(id);
    let is_unit = matches!(definition.kind, DefinitionKind::Unit | DefinitionKind::Group);
    let params = index
        .members(id)
        .filter(|param| !is_unit || param.kind == DefinitionKind::Param);
    let (params, help): (Vec<String>, Vec<String>) = params
        .map(|param| (declaration(param), param.help().unwrap_or_default().to_owned()))
        .unzip();
    Signature {
        label: format!("{} {}({})", definition.ty, definition.name, params.join(", ")),
        params,
        param_help: help,
        help: definition.help().unwrap_or_default().to_owned(),
    }
}
