//! The parameters of a shader, as the page offers them.

use serde_json::{Value as Json, json};
use shading::Template;
use shading::graph::ParamInfo;
use shading::hir::{Const, Metadata};
use shading::ty::{Base, Type};

use crate::cli::On;
use crate::command::metadata::{metadata_of, text_of, value_of};
use crate::command::stage;

/// What a page offers of a shader: its parameters, what it is shown on, and the outputs that can be
/// shown, `layers` among them.
pub(super) fn choices(template: &Template, layers: &[String]) -> Json {
    let params = template.params().unwrap_or_default();
    let inputs = params
        .iter()
        .filter(|param| !param.output && is_offered(param.ty));
    let outputs = params
        .iter()
        .filter(|param| param.output && stage::is_visible(param.ty));
    json!({
        "name": template.name(),
        "help": text_of(metadata_of(template), "help"),
        "params": inputs.map(parameter).collect::<Json>(),
        "on": On::NAMES,
        "show": outputs.map(|param| &param.name).chain(layers).collect::<Vec<_>>(),
    })
}

/// Single values of numbers and texts.
fn is_offered(ty: Type) -> bool {
    let is_value = matches!(
        ty.base,
        Base::Int | Base::Float | Base::Color | Base::Point | Base::Vector | Base::Normal | Base::String
    );
    is_value && !ty.is_array()
}

fn parameter(param: &ParamInfo) -> Json {
    let metadata = &param.metadata;
    let default = match &param.default {
        Some(value) => value_text(value),
        None => String::new(),
    };
    json!({
        "name": param.name,
        "type": param.ty.to_string(),
        "default": default,
        "computed": param.computed,
        "label": text_of(metadata, "label"),
        "help": text_of(metadata, "help"),
        "page": text_of(metadata, "page"),
        "widget": text_of(metadata, "widget"),
        "options": text_of(metadata, "options"),
        "min": number(metadata, "min"),
        "max": number(metadata, "max"),
    })
}

fn number(metadata: &[Metadata], name: &str) -> Option<f32> {
    match value_of(metadata, name)? {
        Const::Int(value) => Some(*value as f32),
        Const::Float(value) => Some(*value),
        _ => None,
    }
}

/// A value as the page writes it.
fn value_text(value: &Const) -> String {
    match value {
        Const::Int(value) => value.to_string(),
        Const::Float(value) => value.to_string(),
        Const::Triple([x, y, z]) => format!("({x}, {y}, {z})"),
        Const::String(text) => text.to_string(),
        Const::Matrix(_) | Const::Array(_) | Const::NullClosure => String::new(),
    }
}
