//! `kiln debug`: what all layers of a group get and give at a point, as a tree.

use std::fmt::Write as _;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use shading::graph::inspect::{InputSource, InspectedNode, inspected};
use shading::ty::Base;
use shading::{Diagnostic, InstanceOptions, RayKind, ShaderGlobals, Template, Value};

use super::engine::{Compiled, Engine as _};
use super::grid::{Grid, Placement, PointSet as _, Vary};
use super::host::GridHost;
use super::output::output_text;
use super::{params, shader_file, system};
use renderer_base::files::{LoggedFiles, SharedFiles};
use renderer_base::memory;
use renderer_cli::DebugArgs;
use renderer_inputs::named_color::named_color;
use renderer_support::{Failure, print, print_result, remark};

/// Runs `kiln debug`.
pub fn run(args: &DebugArgs) -> Result<(), Failure> {
    print_result(&point_text(args, SharedFiles::default(), |_| ())?);
    Ok(())
}

/// Inputs, outputs and printed text of the layers at a point, with the texts of `files`. `place` moves the point from
/// the plane of `kiln shade` to its position.
///
/// # Errors
/// When there is no such shader, it has errors, or the parameters do not fit.
pub fn point_text(
    args: &DebugArgs,
    files: SharedFiles,
    place: impl FnOnce(&mut ShaderGlobals),
) -> Result<String, Failure> {
    let files = SharedFiles::new(LoggedFiles::new(files));
    let folder = args.shader.to_str().and_then(shader_file::file_of);
    let folder = folder.and_then(|file| file.parent().map(|folder| vec![folder.to_owned()]));
    let host = Arc::new(GridHost::new(
        [1, 1],
        folder.unwrap_or_default(),
        memory::for_textures(),
        vec![],
        files.clone(),
    ));
    let system = system::with_library(host, args.source.preprocessor(&args.define, files.clone()));
    let found = shader_file::find_in(&files, &system, &args.shader).map_err(Failure::plain)?;
    print(&found.warnings);
    let Some(template) = found.last() else {
        return Ok(String::new());
    };
    let inputs = inputs(&template, &args.params)?;
    let (template, mut node) = inspected(&template, &system).map_err(Failure::plain)?;
    for ((name, _), (_, value)) in inputs.iter().zip(&args.params) {
        for input in node.inputs.iter_mut().filter(|input| input.name == *name) {
            input.source = InputSource::Constant(value.clone());
        }
    }
    let options = InstanceOptions { inputs, ..InstanceOptions::default() };
    let instance = system.instantiate(template, &options).map_err(Failure::plain)?;
    let engine = Compiled { instance, system: &system };
    let grid = grid(args.at);
    let mut state = engine.state();
    let mut globals = grid.globals();
    grid.place(&mut globals, 0, 0);
    place(&mut globals);
    engine.run(&mut state, &globals);
    let outputs = engine.outputs();
    let value =
        |(index, (name, _)): (usize, &(String, _))| (name.clone(), output_text(&engine, &state, index));
    let tree = Tree {
        values: outputs.iter().enumerate().map(value).collect(),
        levels: args.levels.unwrap_or(usize::MAX),
    };
    let [u, v] = args.at;
    let mut text = format!("{} at u = {u}, v = {v}\n", node.template);
    tree.inputs(&node, "", &mut text);
    tree.inside(&node, "", 0, &mut text);
    text.push_str(&engine.take_printed(&mut state).text());
    for report in engine.take_reports(&mut state) {
        remark(&report);
    }
    Ok(text)
}

/// A grid of one point, whose neighbours are a hundredth of uv away.
fn grid(at: [f32; 2]) -> Grid {
    let placement = Placement {
        center: false,
        scale: [0.01; 2],
        offset: at.map(|at| at - 0.005),
        vary: Vary::default(),
        ray_kind: RayKind::CAMERA,
    };
    Grid::new([1, 1], &placement)
}

/// The values of `--param`.
fn inputs(template: &Template, given: &[(String, String)]) -> Result<Vec<(String, Value)>, Failure> {
    let known = template.params().unwrap_or_default();
    let value = |(name, text): &(String, String)| {
        let inputs = known.iter().filter(|param| !param.output);
        let input = template
            .input_path(name)
            .map_err(|error| Failure::plain(Diagnostic::from(error).into()))?;
        let Some(param) = inputs.clone().find(|param| param.name == input) else {
            let message = format!("`{}` has no parameter `{name}`", template.name());
            let error = Diagnostic::error(message);
            return Err(Failure::plain(
                error.nearest(name, inputs.map(|param| param.name.as_str())).into(),
            ));
        };
        let text = match named_color(text) {
            Some(color) => color.map(|v| v.to_string()).join(" "),
            // `(r, g, b)` as in scenes.
            None if param.ty.base != Base::String => text.replace(['(', ')'], ""),
            None => text.clone(),
        };
        let value = params::parse(name, param.ty, &params::Given::Text(text))
            .map_err(|error| Failure::plain(error.into()))?;
        Ok((input, value))
    };
    given.iter().map(value).collect()
}

/// Values by the names of outputs.
struct Tree {
    values: FxHashMap<String, String>,
    levels: usize,
}

impl Tree {
    fn value(&self, output: &str) -> &str {
        self.values.get(output).map_or("?", String::as_str)
    }

    /// Writes the content of a node, then its outputs.
    fn inside(&self, node: &InspectedNode, indent: &str, level: usize, text: &mut String) {
        let shown = if level < self.levels { &node.nodes[..] } else { &[] };
        for inner in shown {
            let _ = writeln!(text, "{indent}├─ {} : {}", inner.name, inner.template);
            let deeper = format!("{indent}│  ");
            self.inputs(inner, &deeper, text);
            self.inside(inner, &deeper, level + 1, text);
        }
        let width = node.outputs.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
        for (name, ty, output) in &node.outputs {
            let value = self.value(output);
            let _ = writeln!(text, "{indent}└▶ {name:width$} = {value}    {ty}");
        }
    }

    fn inputs(&self, node: &InspectedNode, indent: &str, text: &mut String) {
        let width = node.inputs.iter().map(|input| input.name.chars().count()).max().unwrap_or(0);
        for input in &node.inputs {
            let name = &input.name;
            let value = input.output.as_deref().map(|output| self.value(output));
            let _ = match (&input.source, value) {
                (InputSource::Default(own), _) => writeln!(text, "{indent}{name:width$}   {own}    default"),
                (InputSource::Computed(own), Some(value)) if own == value => {
                    writeln!(text, "{indent}{name:width$} = {own}")
                }
                (InputSource::Constant(own), _) => writeln!(text, "{indent}{name:width$} = {own}"),
                (InputSource::Computed(source), Some(value)) => {
                    writeln!(text, "{indent}{name:width$} = {value}    from {source}")
                }
                (InputSource::Computed(source), None) => {
                    writeln!(text, "{indent}{name:width$}   from {source}")
                }
            };
        }
    }
}
