//! Layers: shaders of the command line or of a serialised group, with what was said about them.

use shading::graph::ParamInfo;
use shading::{Diagnostic, Diagnostics, Template, Value};

use super::params::{self, Given};
use crate::cli::Assignment;

/// A step of making a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LayerStep {
    /// The name of the next shader's layer.
    Name(String),
    /// A value for an input of the next shader.
    Param(LayerParam),
    /// A shader.
    Shader(String),
    /// Statements that set `result` and `alpha`.
    Expr(String),
    /// An output of a layer and the input of another that it feeds.
    Connect([String; 4]),
}

/// A value for an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LayerParam {
    pub(super) name: String,
    pub(super) value: Given,
    /// Whether an attribute of the geometry goes before it, where that is said.
    pub(super) interpolated: Option<bool>,
}

impl From<&Assignment> for LayerParam {
    fn from(assignment: &Assignment) -> LayerParam {
        let number = |name| assignment.option(name)?.parse::<i32>().ok();
        let interpolated = number("interpolated").map(|value| value != 0);
        LayerParam {
            name: assignment.name.clone(),
            value: Given::Text(assignment.value.clone()),
            interpolated: interpolated.or(number("lockgeom").map(|value| value == 0)),
        }
    }
}

/// A shader of the command line with what was said about it.
pub(super) struct Layer {
    pub(super) name: String,
    /// Whether the user chose the name.
    pub(super) is_named: bool,
    /// By which connections may name it too: the shader's name, numbered where several layers have it.
    pub(super) alias: String,
    pub(super) template: Template,
    pub(super) params: Vec<LayerParam>,
}

impl Layer {
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.alias == name
    }

    pub(super) fn outputs(&self) -> Vec<ParamInfo> {
        self.template
            .params()
            .unwrap_or_default()
            .into_iter()
            .filter(|param| param.output)
            .collect()
    }

    pub(super) fn inputs(&self) -> Vec<ParamInfo> {
        self.template
            .params()
            .unwrap_or_default()
            .into_iter()
            .filter(|param| !param.output)
            .collect()
    }

    /// The values of its inputs.
    pub(super) fn values(&self) -> Result<Vec<(&LayerParam, Value)>, Diagnostics> {
        let inputs = self.inputs();
        // A unit's output can be given its first value.
        let outputs = match self.template {
            Template::Unit(_) => self.outputs(),
            Template::Group(_) => vec![],
        };
        let mut diagnostics = Diagnostics::default();
        let mut values = vec![];
        for param in &self.params {
            let mut known = inputs.iter().chain(&outputs);
            let value = match known.find(|input| input.name == param.name) {
                Some(input) => params::parse(&param.name, input.ty, &param.value),
                None => Err(self.unknown(&param.name, &inputs)),
            };
            match value {
                Ok(value) => values.push((param, value)),
                Err(error) => diagnostics.push(error),
            }
        }
        diagnostics.into_result(values)
    }

    pub(super) fn summary(&self) -> LayerSummary {
        LayerSummary {
            layer: self.name.clone(),
            shader: self.template.name().to_owned(),
            params: self.params.clone(),
            declared: self.template.params().unwrap_or_default(),
        }
    }

    pub(super) fn unknown(&self, name: &str, inputs: &[ParamInfo]) -> Diagnostic {
        let template = self.template.name();
        let fields: Vec<&str> = inputs
            .iter()
            .filter_map(|i| i.name.strip_prefix(name)?.strip_prefix('.'))
            .collect();
        if !fields.is_empty() {
            let message = format!("`{name}` of `{template}` is a structure: set its fields one by one");
            return Diagnostic::error(message).hint(format!("its fields are {}", list(fields)));
        }
        if self.outputs().iter().any(|output| output.name == name) {
            return Diagnostic::error(format!("`{name}` of `{template}` is an output"));
        }
        let error = Diagnostic::error(format!("`{template}` has no input `{name}`"))
            .nearest(name, inputs.iter().map(|input| input.name.as_str()));
        if error.hints.is_empty() && !inputs.is_empty() {
            return error.hint(format!(
                "its inputs are {}",
                list(inputs.iter().map(|input| input.name.as_str()))
            ));
        }
        error
    }
}

/// A layer, as messages and `-v` show it.
#[derive(Clone, Debug)]
pub(super) struct LayerSummary {
    pub(super) layer: String,
    pub(super) shader: String,
    pub(super) params: Vec<LayerParam>,
    pub(super) declared: Vec<ParamInfo>,
}

impl LayerSummary {
    pub(super) fn serialised_param(&self, param: &LayerParam) -> String {
        let declared = self.declared.iter().find(|declared| declared.name == param.name);
        let ty = declared.map_or_else(String::new, |declared| declared.ty.to_string());
        let values = match &param.value {
            Given::Text(text) if ty.starts_with("string") => format!("{text:?}"),
            Given::Text(text) => text.replace(',', " "),
            Given::List(list) if ty.starts_with("string") => list
                .iter()
                .map(|text| format!("{text:?}"))
                .collect::<Vec<_>>()
                .join(" "),
            Given::List(list) => list.join(" "),
        };
        format!("param {ty} {} {values} ;\n", param.name)
    }
}

pub(super) fn unknown_output(template: &str, name: &str, known: &[ParamInfo]) -> Diagnostic {
    let error = Diagnostic::error(format!("`{template}` has no output `{name}`"));
    let names = || known.iter().map(|param| param.name.as_str());
    if known.is_empty() {
        return error.hint("it has none at all");
    }
    let error = error.nearest(name, names());
    if error.hints.is_empty() {
        error.hint(format!("its outputs are {}", list(names())))
    } else {
        error
    }
}

fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
