//! What the command line wants run: one unit or group, or several as the layers of a group.

use std::path::PathBuf;
use std::sync::Arc;

use shading::graph::ParamInfo;
use shading::{Diagnostic, Diagnostics, ShaderGroupTemplate, ShadingSystem, Source, Template, Value};

use super::super::shader_file;
use super::params;
use crate::cli::{Setup, Step};

/// A template with the values of its inputs.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) template: Template,
    pub(super) inputs: Vec<(String, Value)>,
    /// The names asked for and the outputs of the template that they are; empty for all of them.
    pub(super) outputs: Vec<(String, String)>,
    pub(super) warnings: Diagnostics,
}

/// A shader of the command line with what was said about it.
struct Layer {
    name: Option<String>,
    template: Template,
    params: Vec<(String, String)>,
}

impl Layer {
    fn outputs(&self) -> Vec<ParamInfo> {
        self.template
            .params()
            .unwrap_or_default()
            .into_iter()
            .filter(|param| param.output)
            .collect()
    }

    fn inputs(&self) -> Vec<ParamInfo> {
        self.template
            .params()
            .unwrap_or_default()
            .into_iter()
            .filter(|param| !param.output)
            .collect()
    }

    /// The values of its inputs.
    fn values(&self) -> Result<Vec<(String, Value)>, Diagnostics> {
        let inputs = self.inputs();
        let mut diagnostics = Diagnostics::default();
        let mut values = vec![];
        for (name, text) in &self.params {
            let value = match inputs.iter().find(|input| input.name == *name) {
                Some(input) => params::parse(name, input.ty, text),
                None => Err(self.unknown(name, &inputs)),
            };
            match value {
                Ok(value) => values.push((name.clone(), value)),
                Err(error) => diagnostics.push(error),
            }
        }
        diagnostics.into_result(values)
    }

    fn unknown(&self, name: &str, inputs: &[ParamInfo]) -> Diagnostic {
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

/// Finds what the command line names. `wanted` are the outputs that it asks for.
pub(super) fn find(setup: &Setup, wanted: &[&str], system: &ShadingSystem) -> Result<Subject, Diagnostics> {
    let mut warnings = Diagnostics::default();
    let (layers, connections) = layers(setup, system, &mut warnings)?;
    match &layers[..] {
        [] => Err(Diagnostic::error("no shader is given").into()),
        [layer] if connections.is_empty() => single(layer, wanted, warnings),
        layers => group(layers, &connections, wanted, warnings),
    }
}

fn layers<'a>(
    setup: &'a Setup,
    system: &ShadingSystem,
    warnings: &mut Diagnostics,
) -> Result<(Vec<Layer>, Vec<&'a [String; 4]>), Diagnostics> {
    let mut layers: Vec<Layer> = vec![];
    let (mut name, mut params, mut connections) = (None, vec![], vec![]);
    let mut diagnostics = Diagnostics::default();
    for step in &setup.steps {
        let found = match step {
            Step::Layer(layer) => {
                name = Some(layer.clone());
                continue;
            }
            Step::Param { name, value } => {
                params.push((name.clone(), value.clone()));
                continue;
            }
            Step::Connect(connection) => {
                connections.push(connection);
                continue;
            }
            Step::Shader(word) => shader_file::find(system, word),
            Step::Expr(statements) => expression(statements, layers.len(), system),
        };
        let found = match found {
            Ok(found) => found,
            Err(errors) => {
                diagnostics.list.extend(errors.list);
                continue;
            }
        };
        warnings.list.extend(found.warnings.list.iter().cloned());
        if let Some(template) = found.last() {
            layers.push(Layer {
                name: name.take(),
                template,
                params: std::mem::take(&mut params),
            });
        }
    }
    // Flags after the last shader are about it as well: that is how most commands take them.
    if let Some(last) = layers.last_mut() {
        last.params.append(&mut params);
        last.name = name.or(last.name.take());
    }
    diagnostics.into_result((layers, connections))
}

/// Statements as a unit.
fn expression(
    statements: &str,
    index: usize,
    system: &ShadingSystem,
) -> Result<shader_file::Found, Diagnostics> {
    let head = format!(
        "shader expr_{index}(float s = u, float t = v, output color result = 0, output float alpha = 1)"
    );
    let loaded = system.load(Source::new(
        "<expression>",
        format!("{head}\n{{\n    {statements};\n}}\n"),
    ))?;
    Ok(shader_file::Found {
        templates: loaded.templates,
        warnings: loaded.warnings,
    })
}

fn single(layer: &Layer, wanted: &[&str], warnings: Diagnostics) -> Result<Subject, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let inputs = layer.values().unwrap_or_else(|errors| {
        diagnostics.list.extend(errors.list);
        vec![]
    });
    let mut outputs = vec![];
    for &name in wanted {
        let own = layer.name.as_deref().unwrap_or_default();
        let output = name
            .strip_prefix(own)
            .and_then(|rest| rest.strip_prefix('.'))
            .unwrap_or(name);
        let known = layer.outputs();
        if known.iter().any(|param| param.name == output) {
            outputs.push((name.to_owned(), output.to_owned()));
        } else {
            diagnostics.push(unknown_output(layer.template.name(), output, &known));
        }
    }
    let template = layer.template.clone();
    diagnostics.into_result(Subject {
        template,
        inputs,
        outputs,
        warnings,
    })
}

fn unknown_output(template: &str, name: &str, known: &[ParamInfo]) -> Diagnostic {
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

fn group(
    layers: &[Layer],
    connections: &[&[String; 4]],
    wanted: &[&str],
    warnings: Diagnostics,
) -> Result<Subject, Diagnostics> {
    let mut group = ShaderGroupTemplate::new("group");
    let mut diagnostics = Diagnostics::default();
    let mut names = vec![];
    for layer in layers {
        let name = layer
            .name
            .clone()
            .unwrap_or_else(|| unused(layer.template.name(), &names));
        let mut note = |result: Result<(), Diagnostic>| {
            if let Err(error) = result {
                diagnostics.push(error);
            }
        };
        note(group.add(&name, layer.template.clone()).map_err(Diagnostic::from));
        match layer.values() {
            Ok(values) => {
                for (input, value) in values {
                    note(
                        group
                            .set(&format!("{name}.{input}"), value)
                            .map_err(Diagnostic::from),
                    );
                }
            }
            Err(errors) => diagnostics.list.extend(errors.list),
        }
        names.push(name);
    }
    for [from, output, to, input] in connections {
        if let Err(error) = group.connect(&format!("{from}.{output}"), &format!("{to}.{input}")) {
            diagnostics.push(error.into());
        }
    }
    let mut outputs = vec![];
    // Without any output the group runs for what it prints.
    if wanted.is_empty()
        && let (Some(layer), Some(name)) = (layers.last(), names.last())
    {
        for output in layer.outputs() {
            if let Err(error) = group.expose_output(&format!("{name}.{}", output.name), &output.name) {
                diagnostics.push(error.into());
            }
        }
    }
    for &word in wanted {
        match find_output(layers, &names, word) {
            Some((layer, output)) => {
                let exposed = format!("o{}", outputs.len());
                if let Err(error) = group.expose_output(&format!("{layer}.{output}"), &exposed) {
                    diagnostics.push(error.into());
                }
                outputs.push((word.to_owned(), exposed));
            }
            None => {
                let known: Vec<ParamInfo> = layers.iter().flat_map(Layer::outputs).collect();
                diagnostics.push(unknown_output("group", word, &known));
            }
        }
    }
    let template = Template::from(&Arc::new(group));
    diagnostics.into_result(Subject {
        template,
        inputs: vec![],
        outputs,
        warnings,
    })
}

/// The layer and the output that `layer.output` or `output` names; the last layer that has it.
fn find_output(layers: &[Layer], names: &[String], word: &str) -> Option<(String, String)> {
    layers.iter().zip(names).rev().find_map(|(layer, name)| {
        let qualified = word
            .strip_prefix(name.as_str())
            .and_then(|rest| rest.strip_prefix('.'));
        let has = |output: &str| layer.outputs().iter().any(|param| param.name == output);
        [qualified, Some(word)]
            .into_iter()
            .flatten()
            .find(|output| has(output))
            .map(|output| (name.clone(), output.to_owned()))
    })
}

/// A name that no layer has yet.
fn unused(name: &str, taken: &[String]) -> String {
    let free = |name: &String| !taken.contains(name);
    let numbered = (2..).map(|i| format!("{name}_{i}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(free)
        .unwrap_or_default()
}

/// The folders of the files named, where their textures are looked for.
pub(super) fn directories(setup: &Setup) -> Vec<PathBuf> {
    let mut list = vec![PathBuf::from(".")];
    for step in &setup.steps {
        if let Step::Shader(word) = step
            && let Some(parent) = PathBuf::from(word).parent()
            && !parent.as_os_str().is_empty()
        {
            list.push(parent.to_owned());
        }
    }
    list
}
