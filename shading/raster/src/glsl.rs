//! Validation by naga, and the translation to GLSL ES.

use naga::back::glsl::{Options, PipelineOptions, Version, Writer};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

/// Name of the entry point that the translation needs.
const ENTRY: &str = "kiln_main";

/// Parses and validates a module.
pub(crate) fn validated(wgsl: &str) -> Result<(naga::Module, ModuleInfo), String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator
        .validate(&module)
        .map_err(|error| error.emit_to_string(wgsl))?;
    Ok((module, info))
}

/// Validates a module without entry points, and translates it to GLSL ES 3.00 without version and `main`.
pub(crate) fn translate(wgsl: &str, has_surface: bool, has_outputs: bool) -> Result<String, String> {
    validated(wgsl)?;
    let mut entry = "\n@fragment\nfn kiln_main() -> @location(0) vec4f {\n    var g: Globals;\n".to_owned();
    entry += if has_surface {
        "    let s = surface(g);\n"
    } else {
        ""
    };
    entry += if has_outputs {
        "    let o = evaluate(g);\n"
    } else {
        ""
    };
    entry += "    return vec4f(0.0);\n}\n";
    let (module, info) = validated(&format!("{wgsl}{entry}"))?;
    let options = Options {
        version: Version::Embedded {
            version: 300,
            is_webgl: true,
        },
        ..Options::default()
    };
    let pipeline = PipelineOptions {
        shader_stage: naga::ShaderStage::Fragment,
        entry_point: ENTRY.to_owned(),
        multiview: None,
    };
    let mut text = String::new();
    let mut writer = Writer::new(
        &mut text,
        &module,
        &info,
        &options,
        &pipeline,
        BoundsCheckPolicies::default(),
    )
    .map_err(|error| error.to_string())?;
    let reflection = writer.write().map_err(|error| error.to_string())?;
    let mut names = vec![];
    for (name, mapping) in &reflection.texture_mapping {
        let texture = module.global_variables[mapping.texture].name.clone();
        names.push((name.clone(), texture.unwrap_or_default()));
    }
    for (name, handle) in reflection
        .uniforms
        .iter()
        .map(|(handle, name)| (name.clone(), *handle))
    {
        if module.global_variables[handle].name.is_some() {
            names.push((name, "UniformBlock".to_owned()));
        }
    }
    Ok(library_text(&text, &names))
}

/// Takes version, precision, inputs, outputs and `main` out of a text, and gives names to its uniforms.
fn library_text(text: &str, names: &[(String, String)]) -> String {
    let end = text.find("void main()").unwrap_or(text.len());
    let mut result = String::new();
    for line in text[..end].lines() {
        let is_frame = [
            "#version",
            "precision ",
            "layout(location",
            "uniform uint naga_vs",
        ]
        .iter()
        .any(|start| line.starts_with(start));
        if !is_frame {
            result += line;
            result.push('\n');
        }
    }
    for (name, given) in names {
        result = result.replace(name.as_str(), given);
    }
    result
        .replace("_group_0_binding_0_fs", "uniforms")
        .trim()
        .to_owned()
        + "\n"
}
