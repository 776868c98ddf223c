//! The unit or group to run: a single shader, or a group built from layers.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use shading::builtins::Builtin;
use shading::graph::ParamInfo;
use shading::{
    Diagnostic, Diagnostics, GraphError, ShaderGroupTemplate, ShadingSystem, Source, Template, Value,
};

use super::layer::{Layer, LayerParam, LayerStep, LayerSummary, Layers, unknown_output};
use super::serialised;
use renderer_cli::{Assignment, Setup, ShadeArgs, Step};
use renderer_inputs::shader_file;

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

/// Finds the shader of the command line. `wanted` are the requested outputs; `again` is true if inputs have the values
/// of later iterations.
pub(super) fn find(
    args: &ShadeArgs,
    wanted: &[&str],
    again: bool,
    system: &ShadingSystem,
) -> Result<Subject, SubjectError> {
    let is_group = |step: &Step| matches!(step, Step::Group(_));
    let number = if args.setup.steps.iter().any(is_group) { 2 } else { 1 };
    let group = args.group_name.clone();
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
    for step in &args.setup.steps {
        builder.step(step)?;
    }
    builder.finish(args, wanted, again)
}

/// A group in the making.
struct Builder<'a> {
    system: &'a ShadingSystem,
    group: String,
    layers: Layers,
    /// With the statement of a serialised group.
    connections: Vec<([String; 4], Option<String>)>,
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

    fn unreadable(&self, message: &str, statement: &str) -> SubjectError {
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

    fn finish(mut self, args: &ShadeArgs, wanted: &[&str], again: bool) -> Result<Subject, SubjectError> {
        // Flags after the last shader are about it as well: that is how most commands take them.
        self.layers.amend_last(self.name.take(), &mut self.params);
        std::mem::take(&mut self.diagnostics).into_result(())?;
        for step in &args.setup.steps {
            if let Step::Reparam { layer, assignment } = step {
                self.reparam(layer, assignment, again)?;
            }
        }
        match &self.layers[..] {
            [] => Err(Diagnostic::error("no shader is given").into()),
            [layer]
                if self.connections.is_empty()
                    && args.group_name.is_none()
                    && !layer.is_named
                    && !args.userdata_is_connected
                    && args.entries.is_empty()
                    && layer.params.iter().all(|p| p.interpolated.is_none()) =>
            {
                self.single(wanted)
            }
            _ => self.group(args, wanted),
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

    fn subject(
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

    fn group(self, args: &ShadeArgs, wanted: &[&str]) -> Result<Subject, SubjectError> {
        let layers: &[Layer] = &self.layers;
        let mut group = ShaderGroupTemplate::new(self.group.clone());
        group.attributes_connect = args.userdata_is_connected;
        group.shares_globals = true;
        let mut diagnostics = Diagnostics::default();
        for layer in layers {
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
        diagnostics.into_result(())?;
        for (connection, statement) in &self.connections {
            if let Err(message) = self.connect(&mut group, connection) {
                let message = match statement {
                    Some(statement) => format!("{message}\n{}", self.unreadable("", statement)),
                    None => message,
                };
                return Err(SubjectError::Engine(message));
            }
        }
        // The last layer runs for its printed text, whichever outputs are requested.
        let mut diagnostics = Diagnostics::default();
        for entry in &args.entries {
            match self.layers.named(entry) {
                Some(layer) => group.entries.push(layer.name.clone()),
                None => diagnostics.push(self.layers.unknown(entry)),
            }
        }
        if args.entries.is_empty() {
            group.entries.extend(layers.last().map(|layer| layer.name.clone()));
        }
        let is_off = |option| args.engine_option(option) == Some("0");
        let [all, tracing, writing] = ["lazylayers", "lazytrace", "lazyglobals"].map(is_off);
        let eager = layers.iter().filter(|layer| match &layer.template {
            Template::Unit(unit) => {
                all || tracing && unit.hir.calls(Builtin::Trace) || writing && unit.hir.writes_globals()
            }
            Template::Group(_) => all,
        });
        group.entries.extend(eager.map(|layer| layer.name.clone()));
        let mut outputs = vec![];
        // Without requested outputs, those of the last layer are used.
        if wanted.is_empty()
            && let Some(layer) = layers.last()
        {
            for output in layer.outputs() {
                if let Err(error) =
                    group.expose_output(&format!("{}.{}", layer.name, output.name), &output.name)
                {
                    diagnostics.push(error.into());
                }
                group.outputs.iter_mut().for_each(|output| output.is_unrequested = true);
            }
        }
        for &word in wanted {
            match find_output(layers, word) {
                Some((layer, output)) => {
                    let exposed = format!("o{}", outputs.len());
                    if let Err(error) = group.expose_output(&format!("{layer}.{output}"), &exposed) {
                        diagnostics.push(error.into());
                    }
                    outputs.push((word.to_owned(), exposed));
                }
                None => {
                    let known: Vec<ParamInfo> = layers.iter().flat_map(Layer::outputs).collect();
                    diagnostics.push(unknown_output(&self.group, word, &known));
                }
            }
        }
        diagnostics.into_result(())?;
        let template = Template::from(&Arc::new(group));
        Ok(self.subject(template, vec![], outputs))
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

/// The folders of the files named, where their textures are looked for.
pub(super) fn directories(setup: &Setup) -> Vec<PathBuf> {
    let mut list = vec![PathBuf::from(".")];
    for step in &setup.steps {
        if let Step::Shader(word) | Step::Group(word) = step
            && let Some(parent) = PathBuf::from(word).parent()
            && !parent.as_os_str().is_empty()
        {
            list.push(parent.to_owned());
        }
    }
    list
}
