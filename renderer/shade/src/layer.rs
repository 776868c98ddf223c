//! Layers of a shader group under construction: shaders with parameters and connections.

use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use shading::graph::ParamInfo;
use shading::ty::Type;
use shading::{Diagnostic, Diagnostics, GraphError, Template, Value};

use super::params::{self, Given};
use renderer_inputs::shade_request::steps::Assignment;

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
    /// Type, if specified; inputs of type `any` adopt it.
    pub(super) ty: Option<Type>,
    /// Metadata `interpolated`: true if an attribute of the geometry overrides the parameter; `None` if not
    /// specified.
    pub(super) interpolated: Option<bool>,
}

impl From<&Assignment> for LayerParam {
    fn from(assignment: &Assignment) -> LayerParam {
        let number = |name| assignment.option(name)?.parse::<i32>().ok();
        let interpolated = number("interpolated").map(|value| value != 0);
        LayerParam {
            name: assignment.name.clone(),
            value: Given::Text(assignment.value.clone()),
            ty: assignment.option("type").and_then(params::type_named),
            interpolated: interpolated.or(number("lockgeom").map(|value| value == 0)),
        }
    }
}

/// A shader of the command line with its arguments.
pub(super) struct Layer {
    pub(super) name: String,
    /// True if the user chose the name.
    pub(super) is_named: bool,
    /// Alternative name for connections: the shader's name, numbered if several layers have it.
    pub(super) alias: String,
    pub(super) template: Template,
    pub(super) params: Vec<LayerParam>,
}

/// The layers of a group in the making.
#[derive(Default)]
pub(super) struct Layers {
    list: Vec<Layer>,
    /// The first layer that each name or alias is of.
    by_name: FxHashMap<String, usize>,
    /// The last number that an alias was given, by the name of the shader.
    numbers: FxHashMap<String, usize>,
}

impl Layers {
    /// Adds a layer; without a name it is called after its shader and its position.
    pub(super) fn push(&mut self, name: Option<String>, template: Template, params: Vec<LayerParam>) {
        let index = self.list.len();
        let is_named = name.is_some();
        let name = name.unwrap_or_else(|| format!("{}_{index}", template.name()));
        let alias = self.unused(template.name());
        for known in [&name, &alias] {
            self.by_name.entry(known.clone()).or_insert(index);
        }
        self.list.push(Layer { name, is_named, alias, template, params });
    }

    /// A name that no layer has yet.
    fn unused(&mut self, name: &str) -> String {
        let number = self.numbers.entry(name.to_owned()).or_insert(0);
        loop {
            *number += 1;
            let alias = if *number == 1 {
                name.to_owned()
            } else {
                format!("{name}_{number}")
            };
            if !self.by_name.contains_key(&alias) {
                return alias;
            }
        }
    }

    /// Applies the arguments after the last shader to its layer.
    pub(super) fn amend_last(&mut self, name: Option<String>, params: &mut Vec<LayerParam>) {
        let index = self.list.len();
        let Some(last) = self.list.last_mut() else { return };
        last.params.append(params);
        if let Some(name) = name {
            if self.by_name.get(&last.name) == Some(&(index - 1)) {
                self.by_name.remove(&last.name);
            }
            self.by_name.entry(name.clone()).or_insert(index - 1);
            last.name = name;
            last.is_named = true;
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The layer of a name or alias.
    pub(super) fn named(&self, name: &str) -> Option<&Layer> {
        self.position(name).map(|index| &self.list[index])
    }

    /// The error of a name that no layer has.
    pub(super) fn unknown(&self, name: &str) -> Diagnostic {
        let names = || self.list.iter().map(|layer| layer.name.as_str());
        let error = Diagnostic::error(format!("unknown layer `{name}`")).nearest(name, names());
        if error.hints.is_empty() {
            error.hint(format!("the layers are {}", list(names())))
        } else {
            error
        }
    }

    /// The layer of a name or alias, to change.
    pub(super) fn named_mut(&mut self, name: &str) -> Option<&mut Layer> {
        self.position(name).map(|index| &mut self.list[index])
    }
}

impl Deref for Layers {
    type Target = [Layer];

    fn deref(&self) -> &[Layer] {
        &self.list
    }
}

impl Layer {
    pub(super) fn outputs(&self) -> Vec<ParamInfo> {
        self.declared(true)
    }

    pub(super) fn inputs(&self) -> Vec<ParamInfo> {
        self.declared(false)
    }

    fn declared(&self, output: bool) -> Vec<ParamInfo> {
        let params = self.template.params().unwrap_or_default();
        let declared = params.iter().filter(|param| param.output == output);
        declared.cloned().collect()
    }

    /// The name of an input that a name or alias stands for; unknown and ambiguous ones as they are.
    pub(super) fn input_name(&self, name: &str) -> String {
        self.template.input_path(name).unwrap_or_else(|_| name.to_owned())
    }

    /// The values of its inputs.
    pub(super) fn values(&self) -> Result<Vec<LayerValue>, Diagnostics> {
        let declared = self.template.params().unwrap_or_default();
        // A unit's output can be given its first value.
        let takes_outputs = matches!(self.template, Template::Unit(_));
        let named = |name: &str| {
            let mut known = declared.iter().filter(|param| takes_outputs || !param.output);
            known.find(|param| param.name == name)
        };
        let mut diagnostics = Diagnostics::default();
        let mut values = vec![];
        let mut written: Vec<(String, &str)> = vec![];
        for param in &self.params {
            let name = self.input_name(&param.name);
            let value = match named(&name) {
                Some(input) => {
                    let ty = param.ty.filter(|_| input.ty == Type::VOID).unwrap_or(input.ty);
                    params::parse(&param.name, ty, &param.value)
                }
                None => Err(self.unknown(&param.name, &self.inputs())),
            };
            match value {
                Ok(value) => {
                    values.push(LayerValue { name: name.clone(), value, interpolated: param.interpolated });
                }
                Err(error) => diagnostics.push(error),
            }
            // The last of several values counts, but values under two names belong to two inputs.
            match written.iter().find(|(known, _)| *known == name) {
                Some((_, first)) if *first != param.name => diagnostics.push(
                    GraphError::SetTwice {
                        input: name,
                        first: (*first).to_owned(),
                        second: param.name.clone(),
                    }
                    .into(),
                ),
                Some(_) => {}
                None => written.push((name, &param.name)),
            }
        }
        diagnostics.into_result(values)
    }

    pub(super) fn summary(&self) -> LayerSummary {
        let named = |param: &LayerParam| LayerParam { name: self.input_name(&param.name), ..param.clone() };
        LayerSummary {
            layer: self.name.clone(),
            shader: self.template.name().to_owned(),
            params: self.params.iter().map(named).collect(),
            declared: self.template.params().unwrap_or_default(),
        }
    }

    pub(super) fn unknown(&self, name: &str, inputs: &[ParamInfo]) -> Diagnostic {
        if let Err(error) = self.template.input_path(name) {
            return error.into();
        }
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

/// The value of an input.
pub(super) struct LayerValue {
    pub(super) name: String,
    pub(super) value: Value,
    /// As [`LayerParam::interpolated`].
    pub(super) interpolated: Option<bool>,
}

/// A layer, as messages and `-v` show it.
#[derive(Clone, Debug)]
pub(super) struct LayerSummary {
    pub(super) layer: String,
    pub(super) shader: String,
    pub(super) params: Vec<LayerParam>,
    pub(super) declared: Arc<[ParamInfo]>,
}

impl LayerSummary {
    pub(super) fn serialised_param(&self, param: &LayerParam) -> String {
        let declared = self.declared.iter().find(|declared| declared.name == param.name);
        let ty = declared.map_or_else(String::new, |declared| declared.ty.to_string());
        let values = match &param.value {
            Given::Text(text) if ty.starts_with("string") => format!("{text:?}"),
            Given::Text(text) => text.replace(',', " "),
            Given::List(list) if ty.starts_with("string") => {
                list.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(" ")
            }
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
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
