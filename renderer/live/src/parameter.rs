//! The parameters of a shader, as the page offers them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use shading::Template;
use shading::graph::ParamInfo;
use shading::hir::{Const, Metadata};
use shading::syntax::ast::{Argument, Expr, ExprKind};
use shading::ty::{Base, Type};

use renderer_inputs::metadata::{metadata_of, text_of, value_of};
use renderer_inputs::stage;
use renderer_inputs::stage_args::On;
use renderer_scene::{MaterialDesc, SceneDesc};
use renderer_transport::scene::reshade::Reshader;

/// The controls for a shader: parameters, shapes of the stage, and outputs, including those of `layers`.
pub(super) fn choices(template: &Template, layers: &[String]) -> Json {
    let params = template.params().unwrap_or_default();
    let inputs = params.iter().filter(|param| !param.output && is_offered(param.ty));
    let outputs = params.iter().filter(|param| param.output && stage::is_visible(param.ty));
    json!({
        "name": template.name(),
        "help": text_of(metadata_of(template), "help"),
        "params": inputs.map(|param| parameter(param, &[])).collect::<Json>(),
        "on": On::NAMES,
        "show": outputs.map(|param| &param.name).chain(layers).collect::<Vec<_>>(),
    })
}

/// The controls for the materials of a scene that `--set` can change, by name. `surfaces` are the materials before
/// changes of the page.
pub(super) fn materials(
    desc: &SceneDesc,
    surfaces: &[Arc<Expr>],
    reshader: Option<&Reshader>,
) -> BTreeMap<String, Json> {
    let mut offered = BTreeMap::new();
    for (material, surface) in desc.materials.iter().zip(surfaces) {
        let (name, args) = match &surface.kind {
            ExprKind::Call { name, args, .. } => (name.text.as_str(), args.as_slice()),
            ExprKind::Name(name) => (name.as_str(), &[][..]),
            _ => continue,
        };
        let template = reshader.and_then(|reshader| reshader.template(name));
        if let Some(template) = template.filter(|_| !is_inline(desc, material)) {
            offered.insert(material.name.clone(), material_choices(&template, args));
        }
    }
    offered
}

fn material_choices(template: &Template, args: &[Argument]) -> Json {
    let params = template.params().unwrap_or_default();
    let inputs = params.iter().filter(|param| !param.output && is_offered(param.ty));
    json!({
        "unit": template.name(),
        "help": text_of(metadata_of(template), "help"),
        "params": inputs.map(|param| parameter(param, args)).collect::<Json>(),
    })
}

/// Returns whether a material has no declaration: it is written in that of a shape or light.
fn is_inline(desc: &SceneDesc, material: &MaterialDesc) -> bool {
    let owner = ["material", "shader"].into_iter();
    let mut owner = owner.filter_map(|key| material.name.strip_suffix(key)?.strip_suffix('.'));
    let is_owned = owner.any(|owner| {
        let shapes = desc.shapes.iter().any(|shape| *shape.name == *owner);
        shapes || desc.lights.iter().any(|light| light.name == owner)
    });
    is_owned || material.name == "default"
}

/// Single values of numbers and texts.
fn is_offered(ty: Type) -> bool {
    let is_value = matches!(
        ty.base,
        Base::Int | Base::Float | Base::Color | Base::Point | Base::Vector | Base::Normal | Base::String
    );
    is_value && !ty.is_array()
}

/// Description of a parameter; its value comes from `args` if it is there.
fn parameter(param: &ParamInfo, args: &[Argument]) -> Json {
    let metadata = &param.metadata;
    let named = |arg: &&Argument| arg.name.as_ref().is_some_and(|name| name.text == param.name);
    let given = args.iter().find(named).map(|arg| &arg.value);
    let default = match (given, &param.default) {
        (Some(value), _) => value.to_string(),
        (None, Some(value)) => value_text(value),
        (None, None) => String::new(),
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
