//! A group of layers: values of inputs, connections, layers that always run, and outputs.

use std::sync::Arc;

use shading::builtins::Builtin;
use shading::graph::ParamInfo;
use shading::{Diagnostic, Diagnostics, GraphError, ShaderGroupTemplate, Template};

use super::builder::Builder;
use super::layer::{Layer, unknown_output};
use super::subject::{Subject, SubjectError};
use renderer_inputs::shade_request::ShadeRequest;

impl Builder<'_> {
    /// The group of the layers. Without `wanted` outputs, those of the last layer are used.
    pub(super) fn into_group(self, request: &ShadeRequest, wanted: &[&str]) -> Result<Subject, SubjectError> {
        let mut group = ShaderGroupTemplate::new(self.group.clone());
        group.attributes_connect = request.userdata_is_connected;
        group.shares_globals = true;
        self.add_layers(&mut group)?;
        self.add_connections(&mut group)?;
        let mut diagnostics = Diagnostics::default();
        self.add_entries(&mut group, request, &mut diagnostics);
        let outputs = self.add_outputs(&mut group, wanted, &mut diagnostics);
        diagnostics.into_result(())?;
        let template = Template::from(&Arc::new(group));
        Ok(self.subject(template, vec![], outputs))
    }

    /// Adds the layers with the values of their inputs.
    fn add_layers(&self, group: &mut ShaderGroupTemplate) -> Result<(), Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        for layer in self.layers.iter() {
            let mut note = |result: Result<(), GraphError>| {
                if let Err(error) = result {
                    diagnostics.push(error.into());
                }
            };
            note(group.add(&layer.name, layer.template.clone()));
            match layer.values() {
                Ok(values) => {
                    for given in values {
                        let path = format!("{}.{}", layer.name, given.name);
                        note(group.set(&path, given.value));
                        if let Some(interpolated) = given.interpolated {
                            note(group.set_interpolated(&path, interpolated));
                        }
                    }
                }
                Err(errors) => diagnostics.list.extend(errors.list),
            }
        }
        diagnostics.into_result(())
    }

    fn add_connections(&self, group: &mut ShaderGroupTemplate) -> Result<(), SubjectError> {
        for (connection, statement) in &self.connections {
            if let Err(message) = self.connect(group, connection) {
                let message = match statement {
                    Some(statement) => format!("{message}\n{}", self.unreadable("", statement)),
                    None => message,
                };
                return Err(SubjectError::Engine(message));
            }
        }
        Ok(())
    }

    /// Adds the layers that always run: the requested ones, else the last for its printed text, and those that options
    /// of OSL's engine exclude from lazy evaluation.
    fn add_entries(
        &self,
        group: &mut ShaderGroupTemplate,
        request: &ShadeRequest,
        diagnostics: &mut Diagnostics,
    ) {
        for entry in &request.entries {
            match self.layers.named(entry) {
                Some(layer) => group.entries.push(layer.name.clone()),
                None => diagnostics.push(self.layers.unknown(entry)),
            }
        }
        if request.entries.is_empty() {
            group.entries.extend(self.layers.last().map(|layer| layer.name.clone()));
        }
        let is_off = |option| request.engine_option(option) == Some("0");
        let [all, tracing, writing] = ["lazylayers", "lazytrace", "lazyglobals"].map(is_off);
        let eager = self.layers.iter().filter(|layer| match &layer.template {
            Template::Unit(unit) => {
                all || tracing && unit.hir.calls(Builtin::Trace) || writing && unit.hir.writes_globals()
            }
            Template::Group(_) => all,
        });
        group.entries.extend(eager.map(|layer| layer.name.clone()));
    }

    /// Exposes the outputs; returns each requested name with its name in the group.
    fn add_outputs(
        &self,
        group: &mut ShaderGroupTemplate,
        wanted: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Vec<(String, String)> {
        let layers: &[Layer] = &self.layers;
        let mut note = |result: Result<(), Diagnostic>| diagnostics.list.extend(result.err());
        if wanted.is_empty()
            && let Some(layer) = layers.last()
        {
            for output in layer.outputs() {
                let path = format!("{}.{}", layer.name, output.name);
                note(group.expose_output(&path, &output.name).map_err(Diagnostic::from));
            }
            group.outputs.iter_mut().for_each(|output| output.is_unrequested = true);
        }
        let mut outputs = vec![];
        for &word in wanted {
            let Some((layer, output)) = find_output(layers, word) else {
                let known: Vec<ParamInfo> = layers.iter().flat_map(Layer::outputs).collect();
                note(Err(unknown_output(&self.group, word, &known)));
                continue;
            };
            let exposed = format!("o{}", outputs.len());
            let exposing = group.expose_output(&format!("{layer}.{output}"), &exposed);
            note(exposing.map_err(Diagnostic::from));
            outputs.push((word.to_owned(), exposed));
        }
        outputs
    }

    /// Connects two layers; errors have the wording of OSL's engine.
    fn connect(
        &self,
        group: &mut ShaderGroupTemplate,
        [from, output, to, input]: &[String; 4],
    ) -> Result<(), String> {
        let shown = |message: String| format!("ConnectShaders: {message}\n        group: {}", self.group);
        let layer = |name: &str, end: &str| {
            self.layers.named(name).ok_or_else(|| {
                let names = self.layers.iter().map(|layer| layer.name.as_str());
                let near = shading::diagnostic::nearest(name, names);
                let hint = near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
                shown(format!("{end} layer \"{name}\" not found{hint}"))
            })
        };
        let (from, to) = (layer(from, "source")?, layer(to, "destination")?);
        let connected = group.connect(&format!("{}.{output}", from.name), &format!("{}.{input}", to.name));
        connected.map_err(|error| {
            let hint = error.hint().map_or_else(String::new, |hint| format!("; {hint}"));
            shown(format!("{error}{hint}"))
        })
    }
}

/// The layer and the output that `layer.output` or `output` names; the last layer that has it.
fn find_output<'a>(layers: &'a [Layer], word: &str) -> Option<(&'a str, String)> {
    layers.iter().rev().find_map(|layer| {
        let qualified = [&layer.name, &layer.alias]
            .into_iter()
            .filter_map(|name| word.strip_prefix(name.as_str())?.strip_prefix('.'));
        let outputs = layer.outputs();
        let output = qualified
            .chain([word])
            .find(|name| outputs.iter().any(|output| output.name == *name))?;
        Some((layer.name.as_str(), output.to_owned()))
    })
}
