//! Validation and translation to GLSL ES by naga.

use std::collections::BTreeSet;

use naga::back::glsl::{Options, PipelineOptions, Version, Writer};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

/// Name of the entry point that the translation needs.
const ENTRY: &str = "kiln_main";

pub(crate) fn validated(wgsl: &str) -> Result<(naga::Module, ModuleInfo), String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&module).map_err(|error| error.emit_to_string(wgsl))?;
    Ok((module, info))
}

/// Validates a module without entry points, and translates it to GLSL ES 3.00. The result has no version and no `main`.
pub(crate) fn translate(wgsl: &str, has_surface: bool, has_outputs: bool) -> Result<String, String> {
    validated(wgsl)?;
    let mut entry = "\n@fragment\nfn kiln_main() -> @location(0) vec4f {\n    var g: Globals;\n".to_owned();
    entry += if has_surface { "    let s = surface(g);\n" } else { "" };
    entry += if has_outputs { "    let o = evaluate(g);\n" } else { "" };
    entry += "    return vec4f(0.0);\n}\n";
    let (module, info) = validated(&format!("{wgsl}{entry}"))?;
    let options = Options {
        version: Version::Embedded { version: 300, is_webgl: true },
        ..Options::default()
    };
    let pipeline = PipelineOptions {
        shader_stage: naga::ShaderStage::Fragment,
        entry_point: ENTRY.to_owned(),
        multiview: None,
    };
    let mut text = String::new();
    let mut writer =
        Writer::new(&mut text, &module, &info, &options, &pipeline, BoundsCheckPolicies::default())
            .map_err(|error| error.to_string())?;
    let reflection = writer.write().map_err(|error| error.to_string())?;
    let mut names = vec![];
    for (name, mapping) in &reflection.texture_mapping {
        let texture = module.global_variables[mapping.texture].name.clone();
        names.push((name.clone(), texture.unwrap_or_default()));
    }
    for (name, handle) in reflection.uniforms.iter().map(|(handle, name)| (name.clone(), *handle)) {
        if module.global_variables[handle].name.is_some() {
            names.push((name, "UniformBlock".to_owned()));
        }
    }
    Ok(with_member_names(&library_text(&text, &names), &numbered_members(&module)))
}

/// Returns the members of structures that end in a digit. Naga appends an underscore to their names.
fn numbered_members(module: &naga::Module) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, ty) in module.types.iter() {
        if let naga::TypeInner::Struct { members, .. } = &ty.inner {
            let numbered = members.iter().filter_map(|member| member.name.clone());
            names.extend(numbered.filter(|name| name.ends_with(|c: char| c.is_ascii_digit())));
        }
    }
    names
}

/// Removes the underscore after `names` where they are members: after a dot, and in declarations of structures.
fn with_member_names(text: &str, names: &BTreeSet<String>) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut result = String::with_capacity(text.len());
    let (mut rest, mut in_structure) = (text, false);
    while let Some(c) = rest.chars().next() {
        if !is_part(c) {
            in_structure &= c != '}';
            result.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
        rest = after;
        in_structure |= word == "struct";
        let is_member = in_structure || result.ends_with('.');
        match word.strip_suffix('_').filter(|name| is_member && names.contains(*name)) {
            Some(name) => result += name,
            None => result += word,
        }
    }
    result
}

/// Removes version, precision, inputs, outputs and `main` from a text, and renames its uniforms.
fn library_text(text: &str, names: &[(String, String)]) -> String {
    let end = text.find("void main()").unwrap_or(text.len());
    let mut result = String::new();
    for line in text[..end].lines() {
        let is_frame = ["#version", "precision ", "layout(location", "uniform uint naga_vs"]
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
        .replace("3.4028235e38", "3.4028234e38")
        .trim()
        .to_owned()
        + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_names_that_end_in_digits() {
        let names = BTreeSet::from(["f0".to_owned()]);
        let text = "struct S { float f0_; float f0_x; };\nfloat f0_ = s.f0_ + s.f0_x + f0_;\n";
        let expected = "struct S { float f0; float f0_x; };\nfloat f0_ = s.f0 + s.f0_x + f0_;\n";
        assert_eq!(with_member_names(text, &names), expected);
    }
}
