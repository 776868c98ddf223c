//! Warnings, with their messages.

use super::error::did_you_mean;
use crate::hir::RayKind;
use shading_syntax::diagnostic::Diagnostic;
use shading_syntax::source::{SourceMap, Span};

/// A warning with the data of its message. Types are in source form; `near` is a known name similar to the wrong one.
#[derive(Clone, Debug)]
pub(super) enum Warning {
    UnknownKeyword {
        closure: String,
        name: String,
        near: Option<String>,
    },
    /// The name of the closure and a note about its replacement.
    StandIn(&'static str, &'static str),
    UnknownNoise(String, Option<String>),
    UnknownNoiseOption(String, Option<String>),
    Unused(String),
    Uninitialised(String),
    /// The name of the variable and the place of the outer declaration.
    Shadowed(String, Span),
    /// The name of the function and the place of the earlier definition.
    Redefined(String, Span),
    GlobalShadowed(String),
    IndexOutOfRange {
        index: i32,
        length: u32,
    },
    IntOverflow {
        value: i64,
        wrapped: i32,
    },
    DoubleIsFloat,
    NoEffect,
    CommaOperator,
    AssignedCondition,
    NoLightShaders,
    TextureOption(String, Option<String>),
    TraceOption(String, Option<String>),
    ParamWritten(String),
    GlobalWritten(&'static str),
    FractionLost,
    NoClosureAttributes,
    OutputLost,
    UnknownClosure(String),
    UnknownRayKind(String, Option<String>),
    UnknownSpace(String, Option<String>),
    EndlessLoop,
}

impl Warning {
    pub(super) fn diagnostic(self, sources: &SourceMap, span: Span) -> Diagnostic {
        use Warning as W;
        let warning = |message: String| Diagnostic::warning(message).at(sources, span, "");
        match self {
            W::UnknownKeyword { closure, name, near } => {
                let message = format!("closure `{closure}` has no keyword `{name}`");
                did_you_mean(warning(message), near)
            }
            W::StandIn(name, note) => warning(format!("closure `{name}`: {note}")),
            W::UnknownNoise(name, near) => {
                let message = format!("unknown noise `{name}`, which gives 0");
                did_you_mean(warning(message), near)
            }
            W::UnknownNoiseOption(name, near) => {
                did_you_mean(warning(format!("unknown noise option \"{name}\"")), near)
            }
            W::Unused(name) => warning(format!("`{name}` is never used")),
            W::Uninitialised(name) => warning(format!("`{name}` is used before it is given a value")),
            W::Shadowed(name, other) => {
                let diagnostic = warning(format!("`{name}` hides another variable of that name"));
                diagnostic.at(sources, other, "this one")
            }
            W::Redefined(name, other) => {
                let diagnostic = warning(format!("function `{name}` is redefined"));
                diagnostic.at(sources, other, "it was defined here")
            }
            W::GlobalShadowed(name) => warning(format!("`{name}` hides the global of that name")),
            W::IntOverflow { value, wrapped } => {
                warning(format!("{value} does not fit an int and becomes {wrapped}"))
            }
            W::DoubleIsFloat => warning("double is computed as float".to_owned()),
            W::IndexOutOfRange { index, length } => {
                let last = length.saturating_sub(1);
                warning(format!("index {index} is out of range and will be clamped"))
                    .hint(format!("there are elements 0 to {last}"))
            }
            W::NoEffect => warning("this has no effect".to_owned()),
            W::CommaOperator => warning("only the last of these values is used".to_owned()).hint(
                "a triple is `color(…)`, `point(…)` … in units; `(…)` is one in groups and scenes only",
            ),
            W::AssignedCondition => {
                warning("this assigns rather than compares".to_owned()).hint("equality is `==`")
            }
            W::NoLightShaders => {
                warning("`Ps`, the position of the light, is zero: there are no light shaders".to_owned())
            }
            W::TextureOption(name, near) => {
                did_you_mean(warning(format!("unknown texture option \"{name}\"")), near)
            }
            W::TraceOption(name, near) => {
                did_you_mean(warning(format!("unknown option \"{name}\" of `trace`")), near)
            }
            W::ParamWritten(name) => warning(format!("parameter `{name}` is written, but is not an output"))
                .hint("declare it `output`, or copy it to a variable"),
            W::GlobalWritten(name) => {
                warning(format!("global `{name}` is written, which only this unit sees"))
                    .hint("units write only P, I, N and Ci; copy the global to a variable")
            }
            W::FractionLost => warning("a float loses its fraction when it is assigned to an int".to_owned())
                .hint("convert it: `(int) …`"),
            W::NoClosureAttributes => {
                warning("no attribute is a closure: `getattribute` finds nothing and gives 0".to_owned())
            }
            W::OutputLost => warning(
                "the function's output is lost here: the argument is not a writable variable".to_owned(),
            ),
            W::UnknownRayKind(name, near) => {
                let known = RayKind::NAMES.map(|(name, _)| name).join(", ");
                let message = format!("there are no rays of kind \"{name}\"");
                did_you_mean(warning(message), near).hint(format!("the kinds are: {known}"))
            }
            W::UnknownSpace(name, near) => {
                did_you_mean(warning(format!("the renderer may not know the space \"{name}\"")), near)
            }
            W::EndlessLoop => {
                warning("this loop never ends: it has neither a condition nor a `break`".to_owned())
                    .hint("a run that does not end is stopped, and has no closure")
            }
            W::UnknownClosure(name) => warning(format!("closure `{name}` is unknown here and has no effect")),
        }
    }
}
