//! `kiln shade --emit`: the code of a unit or group for rasterisers.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value as Json, json};
use shading::hir::{Const, Kind};
use shading::opt::OptLevel;
use shading::{Diagnostic, InstanceOptions, ShadingSystem, Value};
use shading_raster::{GlobalMember, Raster, RasterOptions, TextureBinding, Uniform, raster};

use super::builder;
use super::output::Requests;
use super::subject::Subject;
use renderer_cli::{Emit, ShadeArgs};
use renderer_support::outputs::{Outputs, WriteMode, check_written};
use renderer_support::{Failure, print, print_result};

/// The files that will be written.
pub(super) fn files(args: &ShadeArgs) -> Result<Outputs, Failure> {
    let mut files = Outputs::default();
    for path in paths(&Requests::of(&args.outputs)) {
        files.file("-o", path.as_ref())?;
    }
    Ok(files)
}

fn paths<'a>(requests: &Requests<'a>) -> BTreeSet<&'a str> {
    requests.list.iter().map(|(_, path)| *path).collect()
}

/// Writes the code of the shader that the command line names.
pub(super) fn run(args: &ShadeArgs, emit: Emit, system: &ShadingSystem) -> Result<(), Failure> {
    let requests = Requests::of(&args.outputs);
    let paths = paths(&requests);
    let mut errors = vec![];
    for path in &paths {
        let wanted = requests.list.iter().filter(|(_, other)| other == path);
        let names: Vec<&str> = wanted.map(|(name, _)| *name).collect();
        let text = text(args, emit, &names, system)?;
        errors.extend(WriteMode::Final(&[]).write_bytes(Path::new(path), text.as_bytes()).err());
    }
    if paths.is_empty() {
        print_result(&text(args, emit, &[], system)?);
    }
    check_written(&errors)
}

fn text(args: &ShadeArgs, emit: Emit, names: &[&str], system: &ShadingSystem) -> Result<String, Failure> {
    let subject = builder::find(&args.request, names, false, system)
        .map_err(|error| Failure::User(error.to_string()))?;
    if args.verbose {
        print(&subject.warnings);
    }
    let raster = program(args, &subject, system)?;
    Ok(match emit {
        Emit::Wgsl => raster.wgsl,
        Emit::Glsl => raster.glsl,
        Emit::Json => format!("{:#}\n", description(&raster, &subject)),
    })
}

fn program(args: &ShadeArgs, subject: &Subject, system: &ShadingSystem) -> Result<Raster, Failure> {
    let mut inputs = subject.inputs.clone();
    let live = live(args, subject)?;
    for (name, value, ty) in &live {
        inputs.retain(|(known, _)| known != name);
        inputs.push((name.clone(), Value::Uniform(name.clone(), *ty)));
        debug_assert!(Kind::of_const(value).is_some());
    }
    let options = InstanceOptions {
        inputs,
        outputs: outputs(subject),
        optimize: OptLevel::None,
        ..InstanceOptions::default()
    };
    let (unit, sources, _) = system.optimized(&subject.template, &options).map_err(Failure::plain)?;
    let attributes = args.request.setup.userdata_names();
    let options = RasterOptions {
        pass: args.pass.into(),
        live: live.into_iter().map(|(name, value, _)| (name, value)).collect(),
        attributes,
        optimize: if args.request.unoptimized {
            OptLevel::Exact
        } else {
            OptLevel::Full
        },
    };
    raster(&unit, &sources, system.closures(), &options).map_err(Failure::plain)
}

/// The outputs to return: the requested ones, or else the first closure, or else all.
fn outputs(subject: &Subject) -> Vec<String> {
    if !subject.outputs.is_empty() {
        return subject.outputs.iter().map(|(_, output)| output.clone()).collect();
    }
    let params = subject.template.params().unwrap_or_default();
    let outputs = || params.iter().filter(|param| param.output);
    let closure = outputs().find(|param| Kind::of(param.ty) == Some(Kind::CLOSURE));
    let numbers = outputs().filter(|param| Kind::of(param.ty).is_some_and(|kind| kind.element().is_number()));
    match closure {
        Some(closure) => vec![closure.name.clone()],
        None => numbers.map(|param| param.name.clone()).collect(),
    }
}

/// The parameters that stay open, with the values that they have now.
fn live(args: &ShadeArgs, subject: &Subject) -> Result<Vec<(String, Const, shading::ty::Type)>, Failure> {
    let params = subject.template.params().unwrap_or_default();
    let inputs: Vec<_> = params.iter().filter(|param| !param.output).collect();
    let value = |name: &str, default: &Option<Const>| {
        let given = subject.inputs.iter().rev().find(|(known, _)| known == name);
        match given {
            Some((_, Value::Const(value, _))) => Some(value.clone()),
            Some(_) => None,
            None => default.clone(),
        }
    };
    let fits = |value: &Const| Kind::of_const(value).is_some_and(|kind| kind.element().is_number());
    let mut live = vec![];
    for name in &args.live {
        if name == "all" {
            for input in &inputs {
                if let Some(value) = value(&input.name, &input.default).filter(fits) {
                    live.push((input.name.clone(), value, input.ty));
                }
            }
            continue;
        }
        let name = &subject
            .template
            .input_path(name)
            .map_err(|error| Failure::plain(Diagnostic::from(error).into()))?;
        let Some(input) = inputs.iter().find(|input| input.name == *name) else {
            let known = inputs.iter().map(|input| input.name.as_str());
            let error = Diagnostic::error(format!("no parameter `{name}` can be live")).nearest(name, known);
            return Err(Failure::plain(error.hint("name parameters of the shader or group").into()));
        };
        match value(name, &input.default).filter(fits) {
            Some(value) => live.push((name.clone(), value, input.ty)),
            None => {
                let error =
                    Diagnostic::error(format!("parameter `{name}` cannot be live: it is no constant number"));
                return Err(Failure::plain(error.hint("give it a value with `--param`").into()));
            }
        }
    }
    live.dedup_by(|a, b| a.0 == b.0);
    Ok(live)
}

/// A program with all that a host binds.
fn description(raster: &Raster, subject: &Subject) -> Json {
    // Outputs of layers have names of their own in the group.
    let asked = |name: &str| {
        let found = subject.outputs.iter().find(|(_, output)| output == name);
        found.map_or_else(|| name.to_owned(), |(word, _)| word.clone())
    };
    let global = |member: &GlobalMember| json!({"name": member.name, "type": member.ty});
    let uniform = |uniform: &Uniform| {
        json!({
            "name": uniform.name,
            "member": uniform.member,
            "type": uniform.kind.to_string(),
            "offset": uniform.offset,
            "value": numbers(&uniform.value),
        })
    };
    let texture = |texture: &TextureBinding| {
        json!({
            "name": texture.name,
            "file": texture.file,
            "wrap": texture.wrap.map(shading::hir::Wrap::name),
            "interpolation": texture.interpolation.name(),
            "colorspace": texture.color_space.name(),
            "binding": texture.binding,
        })
    };
    json!({
        "wgsl": raster.wgsl,
        "glsl": raster.glsl,
        "surface": raster.has_surface,
        "outputs": raster.outputs.iter().map(|output| json!({
            "name": asked(&output.name),
            "member": output.member,
            "type": output.kind.to_string(),
        })).collect::<Vec<_>>(),
        "globals": raster.globals.iter().map(global).collect::<Vec<_>>(),
        "uniforms": raster.uniforms.iter().map(uniform).collect::<Vec<_>>(),
        "textures": raster.textures.iter().map(texture).collect::<Vec<_>>(),
    })
}

fn numbers(value: &Const) -> Json {
    match value {
        Const::Int(x) => json!(x),
        Const::Float(x) => json!(x),
        Const::Triple(x) => json!(x),
        Const::Matrix(x) => json!(x),
        Const::Array(list) => list.iter().map(numbers).collect(),
        Const::String(_) | Const::NullClosure => Json::Null,
    }
}
