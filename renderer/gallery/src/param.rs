//! Parameters of units and groups, as a gallery shows them.

use shading::graph::ParamInfo;
use shading::hir::{Const, Metadata};
use shading::ty::{Base, Type};

use renderer_inputs::metadata::{text_of, value_of};
use renderer_inputs::stage::is_visible;

/// A parameter or output.
pub(super) struct Param {
    pub(super) name: String,
    pub(super) ty: String,
    /// The default as in source; empty if there is none.
    pub(super) default: String,
    /// The default as colour, linear.
    pub(super) color: Option<[f32; 3]>,
    /// True if the default is a number, a triple or a text that scenes can have as well.
    pub(super) is_plain: bool,
    pub(super) is_closure: bool,
    /// True for numbers and triples.
    pub(super) is_number: bool,
    pub(super) help: String,
    /// `0 … 1`, `≥ 0`; empty if there is none.
    pub(super) range: String,
    pub(super) options: Vec<String>,
    /// Group of parameters that it belongs to.
    pub(super) page: String,
}

const IDENTITY: [f32; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

impl Param {
    pub(super) fn new(param: &ParamInfo) -> Param {
        let metadata = &param.metadata;
        let text = |name| text_of(metadata, name).unwrap_or_default().to_owned();
        let options = text_of(metadata, "options").unwrap_or_default();
        let constant = param.default.as_ref().filter(|_| !param.output);
        let color = match constant {
            Some(Const::Triple(color)) if param.ty.base == Base::Color => Some(*color),
            _ => None,
        };
        let is_closure = param.ty.base == Base::Closure;
        Param {
            name: param.name.clone(),
            ty: match param.ty {
                Type::VOID => "any".to_owned(),
                ty => ty.to_string(),
            },
            default: match (constant, &param.computed) {
                (Some(Const::NullClosure), _) => "none".to_owned(),
                (Some(Const::Matrix(m)), _) if *m == IDENTITY => "1".to_owned(),
                (Some(value), _) => value.to_string(),
                (None, Some(text)) if !param.output => text.clone(),
                (None, _) => String::new(),
            },
            color,
            is_plain: matches!(
                constant,
                Some(Const::Int(_) | Const::Float(_) | Const::Triple(_) | Const::String(_))
            ) && !is_closure,
            is_closure,
            is_number: is_visible(param.ty),
            help: text("help"),
            range: range(metadata),
            options: options
                .split('|')
                .filter(|option| !option.is_empty())
                .map(str::to_owned)
                .collect(),
            page: text("page"),
        }
    }
}

/// The range of `min` and `max`.
fn range(metadata: &[Metadata]) -> String {
    let bound = |name| value_of(metadata, name).map(short);
    match (bound("min"), bound("max")) {
        (Some(min), Some(max)) => format!("{min} … {max}"),
        (Some(min), None) => format!("≥ {min}"),
        (None, Some(max)) => format!("≤ {max}"),
        (None, None) => String::new(),
    }
}

/// A value without the point of whole numbers.
fn short(value: &Const) -> String {
    match value {
        Const::Float(value) => value.to_string(),
        value => value.to_string(),
    }
}
