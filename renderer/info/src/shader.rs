//! Parameters and metadata of a unit or group, in the form of OSL's `oslinfo` and as JSON.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};
use shading::Template;
use shading::eval::text::{Arg, format};
use shading::graph::ParamInfo;
use shading::hir::{Const, Metadata};
use shading::ty::Type;

use renderer_inputs::metadata::metadata_of;

/// A unit or group with its parameters.
pub(super) struct Info {
    kind: &'static str,
    pub(super) name: String,
    metadata: Vec<Metadata>,
    pub(super) params: Vec<Shown>,
}

/// A parameter of a unit or group.
pub(super) struct Shown {
    pub(super) name: String,
    /// Type, or the structure's.
    ty: String,
    output: bool,
    default: Option<Const>,
    /// Default as written, if it is computed.
    computed: Option<String>,
    /// True if the default stands in brackets: defaults of arrays and of types with components.
    composite: bool,
    /// Other names by which callers give it.
    aliases: Vec<String>,
    metadata: Vec<Metadata>,
    /// The fields of a structure; it has no default of its own.
    fields: Option<Vec<String>>,
}

impl Info {
    pub(super) fn of(template: &Template) -> Info {
        let list = template.params().unwrap_or_default();
        let (kind, params) = match template {
            Template::Unit(unit) => {
                let declared = unit.hir.params.iter().map(|p| (p.is_unsized, p.struct_name.clone()));
                (unit.hir.kind.name(), shown(&list, declared))
            }
            Template::Group(_) => ("group", shown(&list, list.iter().map(|_| (false, None)))),
        };
        Info {
            kind,
            name: template.name().to_owned(),
            metadata: metadata_of(template).to_vec(),
            params,
        }
    }

    /// Returns the text in the form of `oslinfo -v`.
    pub(super) fn text(&self, heading: bool) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        if heading {
            let _ = writeln!(text, "{} \"{}\"", self.kind, self.name);
            self.metadata.iter().for_each(|metadata| metadata_text(metadata, &mut text));
        }
        for param in &self.params {
            let output = if param.output { "output " } else { "" };
            let _ = writeln!(text, "    \"{}\" \"{output}{}\"", param.name, param.ty);
            match (&param.fields, &param.default) {
                (Some(fields), _) => {
                    let _ = writeln!(text, "\t\tfields: {{{}}}", fields.join(", "));
                }
                (None, Some(default)) => default_text(default, param.composite, &mut text),
                (None, None) => {
                    let _ = match &param.computed {
                        Some(computed) => writeln!(text, "\t\tDefault value: {computed}"),
                        None => writeln!(text, "\t\tUnknown default value"),
                    };
                }
            }
            param.metadata.iter().for_each(|metadata| metadata_text(metadata, &mut text));
        }
        text
    }

    pub(super) fn json(&self) -> Json {
        let params: Vec<Json> = self.params.iter().map(Shown::json).collect();
        json!({
            "name": self.name,
            "kind": self.kind,
            "metadata": metadata_json(&self.metadata),
            "parameters": params,
        })
    }
}

impl Shown {
    fn json(&self) -> Json {
        let mut json = json!({
            "name": self.name,
            "type": self.ty,
            "output": self.output,
            "default": self.default.as_ref().map_or(Json::Null, value_json),
            "metadata": metadata_json(&self.metadata),
        });
        if !self.aliases.is_empty() {
            json["aliases"] = json!(self.aliases);
        }
        if let Some(computed) = &self.computed {
            json["computed_default"] = json!(computed);
        }
        if let Some(fields) = &self.fields {
            json["fields"] = json!(fields);
        }
        json
    }
}

/// Returns the parameters, each structure before its fields. `declared` holds for each parameter whether it is an unsized
/// array, and the structure that it is a field of.
fn shown(params: &[ParamInfo], declared: impl IntoIterator<Item = (bool, Option<String>)>) -> Vec<Shown> {
    let mut list: Vec<Shown> = vec![];
    let mut structures: Vec<String> = vec![];
    for (param, (is_unsized, struct_name)) in params.iter().zip(declared) {
        let ty = match param.ty {
            Type::VOID => "any".to_owned(),
            ty if is_unsized => format!("{}[]", ty.element()),
            ty => ty.to_string(),
        };
        if let (Some(struct_name), Some((head, _))) = (struct_name, param.name.split_once('.'))
            && !structures.iter().any(|known| known == head)
        {
            structures.push(head.to_owned());
            list.push(structure(head, &struct_name, params));
        }
        list.push(Shown {
            name: param.name.clone(),
            ty,
            output: param.output,
            default: param.default.clone(),
            computed: param.computed.clone(),
            composite: param.ty.is_array() || !matches!(param.default, Some(Const::Int(_) | Const::Float(_))),
            aliases: param.aliases().map(str::to_owned).collect(),
            metadata: param.metadata.clone(),
            fields: None,
        });
    }
    list
}

fn structure(name: &str, struct_name: &str, params: &[ParamInfo]) -> Shown {
    let field_of = |param: &'_ ParamInfo| {
        let field = param.name.strip_prefix(name)?.strip_prefix('.')?;
        Some(format!("{} {field}", param.ty))
    };
    let first = params.iter().find(|param| field_of(param).is_some());
    Shown {
        name: name.to_owned(),
        ty: format!("struct {struct_name}"),
        output: first.is_some_and(|param| param.output),
        default: None,
        computed: None,
        composite: false,
        aliases: first
            .map(|param| param.aliases().map(str::to_owned).collect())
            .unwrap_or_default(),
        metadata: first.map(|param| param.metadata.clone()).unwrap_or_default(),
        fields: Some(params.iter().filter_map(field_of).collect()),
    }
}

fn default_text(value: &Const, composite: bool, text: &mut String) {
    let mut strings = vec![];
    each(value, &mut |part| {
        if let Const::String(part) = part {
            strings.push(part.clone());
        }
    });
    if !strings.is_empty() {
        for part in strings {
            let _ = writeln!(text, "\t\tDefault value: \"{}\"", escaped(&part));
        }
        return;
    }
    let mut numbers = String::new();
    each(value, &mut |part| numbers.push_str(&number_text(part)));
    let (open, close) = if composite { (" [", " ]") } else { ("", "") };
    let _ = writeln!(text, "\t\tDefault value:{open}{numbers}{close}");
}

fn metadata_text(metadata: &Metadata, text: &mut String) {
    let _ = write!(text, "\t\tmetadata: {} {} =", metadata.ty, metadata.name);
    each(&metadata.value, &mut |part| match part {
        Const::String(part) => {
            let _ = write!(text, " \"{}\"", escaped(part));
        }
        part => text.push_str(&number_text(part)),
    });
    text.push('\n');
}

/// The elements of an array; else the value itself.
fn each<'c>(value: &'c Const, f: &mut impl FnMut(&'c Const)) {
    match value {
        Const::Array(list) => list.iter().for_each(f),
        value => f(value),
    }
}

/// Numbers as C++ prints them, each after a blank.
fn number_text(value: &Const) -> String {
    let floats = |values: &[f32]| format(" %g", &[Arg::Floats(values)]).0;
    match value {
        Const::Int(v) => format!(" {v}"),
        Const::Float(v) => floats(&[*v]),
        Const::Triple(v) => floats(v),
        Const::Matrix(v) => floats(v),
        Const::NullClosure => " 0".to_owned(),
        Const::String(_) | Const::Array(_) => String::new(),
    }
}

/// A string as source would spell it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '"' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

fn metadata_json(list: &[Metadata]) -> Vec<Json> {
    let entry =
        |m: &Metadata| json!({ "name": m.name, "type": m.ty.to_string(), "value": value_json(&m.value) });
    list.iter().map(entry).collect()
}

/// A value as JSON; numbers that JSON has not are text.
fn value_json(value: &Const) -> Json {
    // The shortest decimal of the 32-bit float, not of the double that contains it.
    let float = |v: f32| match v.to_string().parse::<f64>() {
        Ok(double) if double.is_finite() => json!(double),
        _ => json!(v.to_string()),
    };
    match value {
        Const::Int(v) => json!(v),
        Const::Float(v) => float(*v),
        Const::Triple(v) => v.iter().map(|v| float(*v)).collect(),
        Const::Matrix(v) => v.iter().map(|v| float(*v)).collect(),
        Const::String(v) => json!(&**v),
        Const::Array(list) => list.iter().map(value_json).collect(),
        Const::NullClosure => json!(0),
    }
}
