//! Building a unit or group from layers, in the order of the command line.

use std::path::Path;

use rustc_hash::FxHashMap;
use shading::{Diagnostic, Diagnostics, ShadingSystem, Source, Template, Value};

use super::layer::{Layer, LayerParam, LayerStep, Layers, unknown_output};
use super::serialised;
use super::subject::{Subject, SubjectError};
use renderer_inputs::shade_request::ShadeRequest;
use renderer_inputs::shade_request::steps::{Assignment, Step};
use renderer_inputs::shader_file;

/// Finds the shader of the command line. `wanted` are the requested outputs; `again` is true if inputs have the values
/// of later iterations.
pub(super) fn find(
    request: &ShadeRequest,
    wanted: &[&str],
    again: bool,
    system: &ShadingSystem,
) -> Result<Subject, SubjectError> {
    let is_group = |step: &Step| matches!(step, Step::Group(_));
    let number = if request.setup.steps.iter().any(is_group) { 2 } else { 1 };
    let group = request.group_name.clone();
    let mut builder = Builder {
        system,
        group: group.unwrap_or_else(|| format!("unnamed_group_{number}")),
        layers: Layers::default(),
        connections: vec![],
        found: FxHashMap::default(),
        warnings: Diagnostics::default(),
        diagnostics: Diagnostics::default(),
        notes: vec![],
        name: None,
        params: vec![],
    };
    for step in &request.setup.steps {
        builder.step(step)?;
    }
    builder.finish(request, wanted, again)
}

/// A group in the making.
pub(super) struct Builder<'a> {
    pub(super) system: &'a ShadingSystem,
    pub(super) group: String,
    pub(super) layers: Layers,
    /// With the statement of a serialised group.
    pub(super) connections: Vec<([String; 4], Option<String>)>,
    /// The shaders found so far, by the words that name them: a file is read once even if several layers use it.
    found: FxHashMap<String, Template>,
    warnings: Diagnostics,
    diagnostics: Diagnostics,
    notes: Vec<String>,
    /// Layer name of the next shader; `params` holds its parameters.
    name: Option<String>,
    params: Vec<LayerParam>,
}

impl Builder<'_> {
    fn step(&mut self, step: &Step) -> Result<(), SubjectError> {
        let step = match step {
            Step::Layer(name) => LayerStep::Name(name.clone()),
            Step::Param(assignment) => LayerStep::Param(assignment.into()),
            Step::Shader(word) => LayerStep::Shader(word.clone()),
            Step::Source(text, name) => {
                let found = shader_file::find_in_text(self.system, text, name.as_deref());
                let found = self.take(found);
                self.push(found);
                return Ok(());
            }
            Step::Expr(statements) => LayerStep::Expr(statements.clone()),
            Step::Connect(connection) => LayerStep::Connect(connection.clone()),
            Step::Group(spec) => return self.serialised(spec),
            Step::Reparam { .. } | Step::Userdata(_) => return Ok(()),
        };
        self.layer_step(step, None);
        Ok(())
    }

    /// A serialised group: the file of that name, or the text itself.
    fn serialised(&mut self, spec: &str) -> Result<(), SubjectError> {
        let text = match std::fs::read_to_string(spec) {
            Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
            // A text with spaces that names no file is a serialised group itself.
            Err(error) if Path::new(spec).exists() || !spec.contains(char::is_whitespace) => {
                return Err(Diagnostic::error(format!("cannot read {spec}: {error}")).into());
            }
            Err(_) => spec.to_owned(),
        };
        self.notes.push(format!("Processing group specification:\n---\n{text}\n---\n"));
        let steps = serialised::parse(&text)
            .map_err(|mistake| self.unreadable(&mistake.message, &mistake.statement))?;
        for (step, statement) in steps {
            self.layer_step(step, Some(statement));
        }
        Ok(())
    }

    pub(super) fn unreadable(&self, message: &str, statement: &str) -> SubjectError {
        SubjectError::Engine(format!(
            "ShaderGroupBegin: error parsing group description: {message}\n        group: {}\n        \
             problem might be here: {}\n",
            self.group,
            statement.trim()
        ))
    }

    fn layer_step(&mut self, step: LayerStep, statement: Option<String>) {
        let found = match step {
            LayerStep::Name(name) => {
                self.name = Some(name);
                return;
            }
            LayerStep::Param(param) => {
                self.params.push(param);
                return;
            }
            LayerStep::Connect(connection) => {
                self.connections.push((connection, statement));
                return;
            }
            LayerStep::Shader(word) => self.shader(&word),
            LayerStep::Expr(statements) => {
                let found = self.expression(&statements);
                self.take(found)
            }
        };
        self.push(found);
    }

    /// Adds a layer with the name and the parameters before it.
    fn push(&mut self, found: Option<Template>) {
        if let Some(template) = found {
            let params = std::mem::take(&mut self.params);
            self.layers.push(self.name.take(), template, params);
        }
    }

    fn shader(&mut self, word: &str) -> Option<Template> {
        if let Some(template) = self.found.get(word) {
            return Some(template.clone());
        }
        let found = shader_file::find(self.system, word);
        let template = self.take(found)?;
        self.found.insert(word.to_owned(), template.clone());
        Some(template)
    }

    /// Adds the warnings and errors of a lookup.
    fn take(&mut self, found: Result<shader_file::FoundShaders, Diagnostics>) -> Option<Template> {
        match found {
            Ok(found) => {
                self.warnings.list.extend(found.warnings.list.iter().cloned());
                found.last()
            }
            Err(errors) => {
                self.diagnostics.list.extend(errors.list);
                None
            }
        }
    }

    /// Statements as a unit.
    fn expression(&mut self, statements: &str) -> Result<shader_file::FoundShaders, Diagnostics> {
        let text = format!(
            "shader expr_{} (\n    float s = u [[ int interpolated=1 ]],\n    float t = v [[ int interpolated=1 \
             ]],\n    output color result = 0,\n    output float alpha = 1,\n  )\n{{\n    {statements}\n    ;\n}}\n",
            self.layers.len()
        );
        self.notes.push(format!("Expression-based shader text is:\n---\n{text}---\n"));
        let loaded = self.system.load(Source::new("<expression>", text))?;
        Ok(shader_file::FoundShaders { templates: loaded.templates, warnings: loaded.warnings })
    }

    fn finish(
        mut self,
        request: &ShadeRequest,
        wanted: &[&str],
        again: bool,
    ) -> Result<Subject, SubjectError> {
        // Flags after the last shader are about it as well: that is how most commands take them.
        self.layers.amend_last(self.name.take(), &mut self.params);
        std::mem::take(&mut self.diagnostics).into_result(())?;
        for step in &request.setup.steps {
            if let Step::Reparam { layer, assignment } = step {
                self.reparam(layer, assignment, again)?;
            }
        }
        match &self.layers[..] {
            [] => Err(Diagnostic::error("no shader is given").into()),
            [layer]
                if self.connections.is_empty()
                    && request.group_name.is_none()
                    && !layer.is_named
                    && !request.userdata_is_connected
                    && request.entries.is_empty()
                    && layer.params.iter().all(|p| p.interpolated.is_none()) =>
            {
                self.single(wanted)
            }
            _ => self.into_group(request, wanted),
        }
    }

    /// Sets an input again, or checks that it can be set.
    fn reparam(&mut self, layer: &str, assignment: &Assignment, again: bool) -> Result<(), SubjectError> {
        let unknown = self.layers.unknown(layer);
        let Some(layer) = self.layers.named_mut(layer) else {
            return Err(unknown.into());
        };
        let name = layer.input_name(&assignment.name);
        if !layer.inputs().iter().any(|input| input.name == name) {
            return Err(layer.unknown(&assignment.name, &layer.inputs()).into());
        }
        if again {
            let known = |known: &LayerParam| layer.template.input_path(&known.name).is_ok_and(|n| n == name);
            layer.params.retain(|param| !known(param));
            layer.params.push(LayerParam::from(assignment));
        }
        Ok(())
    }

    pub(super) fn subject(
        self,
        template: Template,
        inputs: Vec<(String, Value)>,
        outputs: Vec<(String, String)>,
    ) -> Subject {
        Subject {
            template,
            inputs,
            outputs,
            layers: self.layers.iter().map(Layer::summary).collect(),
            warnings: self.warnings,
            group: self.group,
            connections: self.connections.into_iter().map(|(connection, _)| connection).collect(),
            notes: self.notes,
        }
    }

    fn single(self, wanted: &[&str]) -> Result<Subject, SubjectError> {
        let layer = &self.layers[0];
        let mut diagnostics = Diagnostics::default();
        let inputs = layer.values().unwrap_or_else(|errors| {
            diagnostics.list.extend(errors.list);
            vec![]
        });
        let mut outputs = vec![];
        for &name in wanted {
            let output = name
                .strip_prefix(layer.name.as_str())
                .and_then(|rest| rest.strip_prefix('.'))
                .unwrap_or(name);
            let known = layer.outputs();
            if known.iter().any(|param| param.name == output) {
                outputs.push((name.to_owned(), output.to_owned()));
            } else {
                diagnostics.push(unknown_output(layer.template.name(), output, &known));
            }
        }
        let inputs = inputs.into_iter().map(|given| (given.name, given.value)).collect();
        let template = layer.template.clone();
        diagnostics.into_result(())?;
        Ok(self.subject(template, inputs, outputs))
    }
}
