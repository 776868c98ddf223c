//! Live inputs: values that change without compiling again, as [`ShaderInstance::with_inputs`] sets them.
//!
//! [`ShaderInstance::with_inputs`]: crate::ShaderInstance::with_inputs

use shading_compiler::graph::{ParamInfo, Template, Value};
use shading_compiler::hir::live::{LiveUse, can_be_live, live_number};
use shading_compiler::hir::{Const, Kind, NumberIds, int_metadata};
use shading_compiler::ty::{Base, Type};
use shading_syntax::diagnostic::{Diagnostic, nearest};

/// Which inputs of an instance are live: ints, floats, and the four triples.
///
/// A live input costs what a variable costs: it is not folded into the code. Ints are exact up to 2²⁴.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LiveInputs {
    /// None: all values are folded into the code.
    #[default]
    None,
    /// Those with the metadata `[[ int interactive = 1 ]]`.
    Marked,
    /// Those of these names.
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
    /// Where it is among the numbers of the instance; empty if no output depends on it.
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
    /// The group exposes parameters of a unit that is given by its name.
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
    /// The value is no constant of the input's type, or an int beyond 2²⁴.
    #[error("the value of live input `{name}` is no constant {ty}, or an int beyond 16777216")]
    Value {
        /// Name of the input.
        name: String,
        /// Its type.
        ty: Type,
    },
}

impl LiveError {
    /// The name that was meant, where it is known.
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
    /// The live inputs of an instance with their first values: those in `given`, else the defaults.
    pub(crate) fn of(
        &self,
        template: &Template,
        given: &[(String, Value)],
    ) -> Result<Vec<LiveInput>, LiveError> {
        if *self == LiveInputs::None {
            return Ok(vec![]);
        }
        let open = || LiveError::Open {
            template: template.name().to_owned(),
        };
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
                    inputs
                        .iter()
                        .copied()
                        .find(|param| param.name == *name)
                        .ok_or_else(unknown)
                };
                names.iter().map(find).collect::<Result<Vec<_>, _>>()?
            }
        };
        chosen
            .into_iter()
            .map(|param| first_value(param, given))
            .collect()
    }
}

fn first_value(param: &ParamInfo, given: &[(String, Value)]) -> Result<LiveInput, LiveError> {
    let (name, ty) = (param.name.clone(), param.ty);
    if !Kind::of(ty).is_some_and(can_be_live) {
        return Err(LiveError::Kind { name, ty });
    }
    let value = match given.iter().rev().find(|(given, _)| *given == name) {
        Some((_, value)) => converted(value, ty),
        None => match &param.default {
            Some(value) => converted(&Value::Const(value.clone(), ty), ty),
            None => return Err(LiveError::Computed { name }),
        },
    };
    let Some(value) = value else {
        return Err(LiveError::Value { name, ty });
    };
    let numbers = vec![];
    Ok(LiveInput {
        name,
        ty,
        value,
        numbers,
    })
}

impl LiveInput {
    /// Notes where the input is among the numbers of an instance.
    pub(crate) fn place(inputs: &mut [LiveInput], uses: &[LiveUse], numbers: &NumberIds) {
        for used in uses {
            if let Some(number) = numbers[used.constant] {
                inputs[used.input].numbers.push(number.0 as usize);
            }
        }
    }

    /// Sets the value.
    pub(crate) fn set(&mut self, value: &Value) -> Result<(), LiveError> {
        let invalid = || LiveError::Value {
            name: self.name.clone(),
            ty: self.ty,
        };
        self.value = converted(value, self.ty).ok_or_else(invalid)?;
        Ok(())
    }

    /// The name, with the value as a number of the instance.
    pub(crate) fn number(&self) -> Option<(String, Const)> {
        live_number(&self.value).map(|value| (self.name.clone(), value))
    }

    /// The value in the lanes of a number of the instance.
    pub(crate) fn lanes(&self) -> [f32; 4] {
        match live_number(&self.value) {
            Some(Const::Triple([x, y, z])) => [x, y, z, 0.0],
            Some(Const::Float(x)) => [x; 4],
            _ => [0.0; 4],
        }
    }
}

/// Converts a constant to the type of a live input: as the language does, exactly or not at all.
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
