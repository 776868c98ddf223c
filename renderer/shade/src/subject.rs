//! The unit or group to run, with the values of its inputs.

use std::fmt;

use shading::{Diagnostic, Diagnostics, Template, Value};

use super::layer::LayerSummary;

/// A template with the values of its inputs.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) template: Template,
    pub(super) inputs: Vec<(String, Value)>,
    /// The requested names with the outputs of the template; empty for every output.
    pub(super) outputs: Vec<(String, String)>,
    pub(super) warnings: Diagnostics,
    /// Name of the group in messages.
    pub(super) group: String,
    /// The layers, in order.
    pub(super) layers: Vec<LayerSummary>,
    pub(super) connections: Vec<[String; 4]>,
    /// Texts that were made of arguments: what `-v` shows first.
    pub(super) notes: Vec<String>,
}

/// Error in the description of the shaders to run.
#[derive(Debug)]
pub(super) enum SubjectError {
    /// Mistakes in shaders or in values.
    Diagnostics(Diagnostics),
    /// An error message of OSL's engine about a group.
    Engine(String),
}

impl Subject {
    /// Returns the description of `-v`: the group in OSL's serialised form, and its layers; with `query` their parameters too.
    pub(super) fn description(&self, query: bool) -> String {
        let mut text = self.notes.concat();
        text.push_str("Shader group:\n---\n");
        for layer in &self.layers {
            for param in &layer.params {
                text.push_str(&layer.serialised_param(param));
            }
            text.push_str(&format!("shader {} {} ;\n", layer.shader, layer.layer));
            for [from, output, to, input] in self.connections.iter().filter(|c| c[2] == layer.layer) {
                text.push_str(&format!("connect {from}.{output} {to}.{input} ;\n"));
            }
        }
        text.push_str(&format!("\n---\n\nShader group \"{}\" layers are:\n", self.group));
        for layer in &self.layers {
            text.push_str(&format!("    {}\n", layer.layer));
            for param in layer.declared.iter().filter(|_| query) {
                let output = if param.output { "output " } else { "" };
                text.push_str(&format!("\t{output}{} {}\n", param.ty, param.name));
            }
        }
        text.push('\n');
        text
    }

    /// The entry layers with their positions.
    pub(super) fn entries(&self, entries: &[String]) -> String {
        let at = |name: &String| self.layers.iter().position(|layer| layer.layer == *name);
        let entry = |name: &String| at(name).map(|index| format!(" {name}({index})"));
        format!("Entry layers:{}\n", entries.iter().filter_map(entry).collect::<String>())
    }
}

impl From<Diagnostics> for SubjectError {
    fn from(diagnostics: Diagnostics) -> SubjectError {
        SubjectError::Diagnostics(diagnostics)
    }
}

impl From<Diagnostic> for SubjectError {
    fn from(diagnostic: Diagnostic) -> SubjectError {
        SubjectError::Diagnostics(diagnostic.into())
    }
}

impl fmt::Display for SubjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubjectError::Diagnostics(diagnostics) => diagnostics.fmt(f),
            SubjectError::Engine(message) => write!(f, "ERROR: {message}"),
        }
    }
}
