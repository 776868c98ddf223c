//! Live inputs: inputs whose values [`ShaderInstance::with_inputs`] changes without compilation.
//!
//! [`ShaderInstance::with_inputs`]: crate::ShaderInstance::with_inputs

use shading_compiler::graph::{ParamInfo, Template, Value};
use shading_compiler::hir::live::{LiveUse, can_be_live, live_number};
use shading_compiler::hir::{Const, Kind, NumberIds, int_metadata};
use shading_compiler::ty::{Base, Type, component_index};
use shading_syntax::diagnostic::{Diagnostic, nearest};

/// Selection of the live inputs of an instance. Ints, floats and the four triples can be live.
///
/// A live input has the cost of a variable, because it is not folded into the code. Ints are exact up to 2²⁴.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LiveInputs {
    /// No input: all values are folded into the code.
    #[default]
    None,
    /// Inputs with the metadata `[[ int interactive = 1 ]]`.
    Marked,
    /// Inputs with these names or aliases.
    Named(Vec<String>),
}

/// A live input of an instance.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveInput {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// Value.
    pub value: Const,
    /// Its other names.
    pub(crate) aliases: Vec<String>,
    /// Indices among the numbers of the instance; empty if no output depends on the input.
    pub(crate) numbers: Vec<usize>,
}

/// Wrong uses of live inputs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LiveError {
    /// The unit or group has no such input.
    #[error("`{template}` has no input `{name}`")]
    Unknown {
        /// Name of the input.
        name: String,
        /// Name of the unit or group.
        template: String,
        /// Its inputs.
        known: Vec<String>,
    },
    /// The group exposes parameters of a unit that is given by name.
    #[error("the types of the inputs of `{template}` are not known before it is linked")]
    Open {
        /// Name of the group.
        template: String,
    },
    /// An input of this type cannot be live.
    #[error(
        "input `{name}` cannot be live, because it is a {ty}: ints, floats, colors, points, vectors and normals can"
    )]
    Kind {
        /// Name of the input.
        name: String,
        /// Its type.
        ty: Type,
    },
    /// The default of the input is computed.
    #[error("live input `{name}` needs a value, because its default is computed")]
    Computed {
        /// Name of the input.
        name: String,
    },
    /// The instance was compiled without this input being live.
    #[error("input `{name}` is not live in this instance")]
    NotLive {
        /// Name of the input.
        name: String,
        /// The live inputs.
        known: Vec<String>,
    },
    /// The value is not a constant of the input's type, or an int greater than 2²⁴.
    #[error("the value of live input `{name}` is no constant {ty}, or an int beyond 16777216")]
    Value {
        /// Name of the input.
        name: String,
        /// Its type.
        ty: Type,
    },
}

impl LiveError {
    /// Returns a similar name.
    fn hint(&self) -> Option<String> {
        let (LiveError::Unknown { name, known, .. } | LiveError::NotLive { name, known }) = self else {
            return None;
        };
        let name = nearest(name, known.iter().map(String::as_str))?;
        Some(format!("did you mean `{name}`?"))
    }
}

impl From<LiveError> for Diagnostic {
    fn from(error: LiveError) -> Diagnostic {
        let diagnostic = Diagnostic::error(error.to_string());
        match error.hint() {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        }
    }
}

impl LiveInputs {
    /// Returns the live inputs of an instance with their initial values: those in `given`, else the defaults.
    pub(crate) fn of(
        &self,
        template: &Template,
        given: &[(String, Value)],
    ) -> Result<Vec<LiveInput>, LiveError> {
        if *self == LiveInputs::None {
            return Ok(vec![]);
        }
        let open = || LiveError::Open { template: template.name().to_owned() };
        let params = template.params().ok_or_else(open)?;
        let inputs: Vec<&ParamInfo> = params.iter().filter(|param| !param.output).collect();
        let chosen = match self {
            LiveInputs::None => vec![],
            LiveInputs::Marked => {
                let is_marked = |param: &ParamInfo| int_metadata(&param.metadata, "interactive") == Some(1);
                inputs.into_iter().filter(|param| is_marked(param)).collect()
            }
            LiveInputs::Named(names) => {
                let find = |name: &String| {
                    let unknown = || LiveError::Unknown {
                        name: name.clone(),
                        template: template.name().to_owned(),
                        known: inputs.iter().map(|param| param.name.clone()).collect(),
                    };
                    let path = input_path(template, name);
                    inputs.iter().copied().find(|param| param.name == path).ok_or_else(unknown)
                };
                names.iter().map(find).collect::<Result<Vec<_>, _>>()?
            }
        };
        let given: Vec<(String, &Value)> =
            given.iter().map(|(name, value)| (input_path(template, name), value)).collect();
        chosen.into_iter().map(|param| first_value(param, &given)).collect()
    }
}

/// Returns the path of an input with an alias replaced by the parameter's name. Linking reports ambiguous aliases.
fn input_path(template: &Template, path: &str) -> String {
    template.input_path(path).unwrap_or_else(|_| path.to_owned())
}

/// Replaces the values of live inputs, whole or in parts, by values that are unknown until the shader runs.
pub(crate) fn open_live_inputs(
    inputs: &mut Vec<(String, Value)>,
    template: &Template,
    live: impl IntoIterator<Item = LiveInput>,
) {
    for LiveInput { name, ty, .. } in live {
        inputs.retain(|(given, _)| part_of(&input_path(template, given), &name).is_none());
        inputs.push((name.clone(), Value::Uniform(name, ty)));
    }
}

/// Returns the path of a part relative to the whole, whose path is empty.
fn part_of<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let part = path.strip_prefix(name)?;
    (part.is_empty() || part.starts_with(['.', '['])).then_some(part)
}

fn first_value(param: &ParamInfo, given: &[(String, &Value)]) -> Result<LiveInput, LiveError> {
    let (name, ty) = (param.name.clone(), param.ty);
    if !Kind::of(ty).is_some_and(can_be_live) {
        return Err(LiveError::Kind { name, ty });
    }
    let whole = given.iter().rev().find(|(path, _)| *path == name);
    let mut value = match whole {
        Some((_, value)) => converted(value, ty),
        None => match &param.default {
            Some(value) => converted(&Value::Const(value.clone(), ty), ty),
            None => return Err(LiveError::Computed { name }),
        },
    };
    for (path, part) in given {
        if let Some(accessor) = part_of(path, &name).filter(|accessor| !accessor.is_empty()) {
            value = value.and_then(|value| with_component(value, accessor, part));
        }
    }
    let Some(value) = value else {
        return Err(LiveError::Value { name, ty });
    };
    Ok(LiveInput {
        aliases: param.aliases().map(str::to_owned).collect(),
        name,
        ty,
        value,
        numbers: vec![],
    })
}

/// Returns a triple with another value of the component `.r` or `[0]`.
fn with_component(triple: Const, accessor: &str, value: &Value) -> Option<Const> {
    let Const::Triple(mut lanes) = triple else {
        return None;
    };
    let index = match accessor.strip_prefix('.') {
        Some(name) => component_index(name)? as usize,
        None => accessor.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?,
    };
    let Const::Float(value) = converted(value, Type::FLOAT)? else {
        return None;
    };
    *lanes.get_mut(index)? = value;
    Some(Const::Triple(lanes))
}

impl LiveInput {
    /// Stores the indices of the inputs among the numbers of an instance.
    pub(crate) fn place(inputs: &mut [LiveInput], uses: &[LiveUse], numbers: &NumberIds) {
        for used in uses {
            if let Some(number) = numbers[used.constant] {
                inputs[used.input].numbers.push(number.0 as usize);
            }
        }
    }

    /// Returns whether the input has a name or alias.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }

    pub(crate) fn set(&mut self, value: &Value) -> Result<(), LiveError> {
        let invalid = || LiveError::Value { name: self.name.clone(), ty: self.ty };
        self.value = converted(value, self.ty).ok_or_else(invalid)?;
        Ok(())
    }

    /// Returns the name, and the value as a number of the instance.
    pub(crate) fn number(&self) -> Option<(String, Const)> {
        live_number(&self.value).map(|value| (self.name.clone(), value))
    }

    /// Returns the value in the lanes of a number of the instance.
    pub(crate) fn lanes(&self) -> [f32; 4] {
        match live_number(&self.value) {
            Some(Const::Triple([x, y, z])) => [x, y, z, 0.0],
            Some(Const::Float(x)) => [x; 4],
            _ => [0.0; 4],
        }
    }
}

/// Converts a constant exactly to the type of a live input, as the language does; `None` if that is impossible.
fn converted(value: &Value, ty: Type) -> Option<Const> {
    let Value::Const(value, _) = value else {
        return None;
    };
    let value = match (value, ty.base) {
        (&Const::Int(v), Base::Int) => Const::Int(v),
        (&Const::Int(v), Base::Float) => Const::Float(v as f32),
        (&Const::Float(v), Base::Float) => Const::Float(v),
        (&Const::Int(v), _) if ty.base.is_triple() => Const::Triple([v as f32; 3]),
        (&Const::Float(v), _) if ty.base.is_triple() => Const::Triple([v; 3]),
        (&Const::Triple(v), _) if ty.base.is_triple() => Const::Triple(v),
        _ => return None,
    };
    live_number(&value).map(|_| value)
}
