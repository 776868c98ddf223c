//! Texture look-ups.

use super::argument::Given;
use super::error::CheckError;
use super::types::near;
use super::warning::Warning;
use super::{Checker, Value};
use crate::hir::{ColorSpace, Interpolation, Op, Operand, TextureOptions, Wrap};
use crate::source::Span;
use crate::syntax::ast::{Argument, Name};
use crate::ty::Type;

/// Options of the specification that change nothing yet.
const IGNORED: [&str; 19] = [
    "blur",
    "sblur",
    "tblur",
    "width",
    "swidth",
    "twidth",
    "rblur",
    "rwidth",
    "filter",
    "firstchannel",
    "subimage",
    "fill",
    "missingcolor",
    "missingalpha",
    "time",
    "errormessage",
    "rwrap",
    "r",
    "bias",
];

/// What the options of a lookup say.
#[derive(Default)]
struct Options<'a> {
    wrap_s: TextureOption<Wrap>,
    wrap_t: TextureOption<Wrap>,
    interpolation: TextureOption<Interpolation>,
    color_space: TextureOption<ColorSpace>,
    optional: bool,
    /// Where alpha goes.
    alpha: Option<Given<'a>>,
}

/// An option: a value, or a string that is not known yet.
#[derive(Clone, Copy, Default)]
struct TextureOption<T> {
    value: T,
    operand: Option<Operand>,
}

impl<'a> Checker<'a> {
    /// `texture(file, s, t, [dsdx, dtdx, dsdy, dtdy,] "option", value, …)`
    pub(super) fn texture(
        &mut self,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<Value> {
        let mut given = self.arguments(args)?;
        let is_string = |g: &Given<'a>| g.ty() == Some(Type::STRING);
        let options_at = given
            .iter()
            .skip(1)
            .position(is_string)
            .map_or(given.len(), |n| n + 1);
        let options = given.split_off(options_at);
        if !matches!(given.len(), 3 | 7) || !is_string(&given[0]) {
            self.report(
                span,
                CheckError::BadForm {
                    form: "texture(\"file\", s, t, \"option\", value, …)",
                },
            );
            return None;
        }
        let file = self.given_as(&given[0], Type::STRING);
        let mut floats = vec![];
        for given in &given[1..] {
            floats.push(self.given_as(given, Type::FLOAT));
        }
        let options = self.texture_options(&options, span);
        let floats: Vec<Operand> = floats
            .into_iter()
            .map(|v| v.map(|v| v.leaf()))
            .collect::<Option<_>>()?;
        let mut operands = vec![file?.leaf(), floats[0], floats[1]];
        let how = self.how_to_look_up(&options, &mut operands);
        let ty = match expected {
            Some(ty) if ty.is_triple() => ty,
            Some(Type::FLOAT | Type::INT) => Type::FLOAT,
            _ => Type::COLOR,
        };
        let result = self.emit_value(Op::Texture(how), operands.clone(), ty, span);
        if let Some((place, expr)) = options.alpha.as_ref().and_then(Given::place) {
            let place = place.clone();
            self.mark_written(expr);
            if self.check_writable(&place, expr.span) {
                let alpha = self.emit_value(Op::TextureAlpha(how), operands, Type::FLOAT, span);
                let alpha = self.fit(&alpha, place.ty, expr.span)?;
                self.write(&place, alpha, expr.span);
            }
        }
        Some(result)
    }

    /// The options as the operation has them. If one of them is an operand, all are.
    fn how_to_look_up(&mut self, options: &Options<'a>, operands: &mut Vec<Operand>) -> TextureOptions {
        let names = [
            (options.wrap_s.value.name(), options.wrap_s.operand),
            (options.wrap_t.value.name(), options.wrap_t.operand),
            (options.interpolation.value.name(), options.interpolation.operand),
            (options.color_space.value.name(), options.color_space.operand),
        ];
        let by_name = names.iter().any(|(_, operand)| operand.is_some());
        if by_name {
            for (name, operand) in names {
                operands.push(operand.unwrap_or_else(|| self.string(name)));
            }
        }
        TextureOptions {
            wrap_s: options.wrap_s.value,
            wrap_t: options.wrap_t.value,
            interpolation: options.interpolation.value,
            color_space: options.color_space.value,
            optional: options.optional,
            by_name,
        }
    }

    /// How to look up, and where alpha goes.
    fn texture_options(&mut self, options: &[Given<'a>], span: Span) -> Options<'a> {
        let mut found = Options::default();
        for pair in options.chunks(2) {
            let [key, value] = pair else {
                self.report(pair[0].span, CheckError::OptionWithoutValue);
                break;
            };
            let Some(name) = self.given_string(key) else {
                self.report(key.span, CheckError::OptionNotConstant);
                continue;
            };
            match &*name {
                "wrap" | "swrap" | "twrap" => {
                    let unknown = |name: String| CheckError::UnknownWrap {
                        near: near(&name, &["periodic", "clamp", "black", "mirror", "default"]),
                        name,
                    };
                    if &*name != "twrap" {
                        self.option(&mut found.wrap_s, value, Wrap::from_name, unknown);
                    } else {
                        self.option(&mut found.wrap_t, value, Wrap::from_name, unknown);
                    }
                    if &*name == "wrap" {
                        found.wrap_t = found.wrap_s;
                    }
                }
                "interp" => {
                    let unknown = |name: String| CheckError::UnknownInterpolation {
                        near: near(&name, &["linear", "closest", "cubic", "smartcubic"]),
                        name,
                    };
                    let from_name = Interpolation::from_name;
                    self.option(&mut found.interpolation, value, from_name, unknown);
                }
                "colorspace" => {
                    let unknown = |name: String| CheckError::UnknownColorSpace {
                        near: near(&name, &["auto", "srgb", "linear", "raw"]),
                        name,
                    };
                    self.option(&mut found.color_space, value, ColorSpace::from_name, unknown);
                }
                "alpha" if value.place().is_some() => found.alpha = Some(value.clone()),
                "alpha" => self.report(value.span, CheckError::AlphaNotVariable),
                other => {
                    found.optional |= matches!(other, "missingcolor" | "missingalpha");
                    let is_known = IGNORED.contains(&other);
                    let near = near(
                        other,
                        &[
                            "wrap",
                            "swrap",
                            "twrap",
                            "alpha",
                            "colorspace",
                            "blur",
                            "width",
                            "interp",
                            "fill",
                        ],
                    );
                    let warning = Warning::TextureOption {
                        name: other.to_owned(),
                        is_known,
                        near,
                    };
                    self.warn(if is_known { span } else { key.span }, warning);
                    if let Some((_, expr)) = value.place() {
                        self.mark_written(expr);
                        self.mark_read(expr);
                    }
                }
            }
        }
        found
    }

    /// The value of an option that `from_name` reads: known now, or an operand.
    fn option<T: Copy>(
        &mut self,
        slot: &mut TextureOption<T>,
        given: &Given<'a>,
        from_name: fn(&str) -> Option<T>,
        unknown: impl Fn(String) -> CheckError,
    ) {
        let Some(text) = self.given_string(given) else {
            if let Some(value) = self.given_as(given, Type::STRING) {
                slot.operand = Some(value.leaf());
            }
            return;
        };
        match from_name(&text) {
            Some(value) => *slot = TextureOption { value, operand: None },
            None => self.report(given.span, unknown(text.to_string())),
        }
    }

    /// TSL's `texture2d_sample<tex>(u, v)` and its kin for alpha.
    pub(super) fn sample(
        &mut self,
        name: &'a Name,
        args: &'a [Argument],
        alpha: bool,
        span: Span,
    ) -> Option<Value> {
        let given = self.arguments(args);
        let file = match self.scopes.find(self.scope, &name.text) {
            Some(index) => {
                let symbol = self.scopes.get_mut(index);
                symbol.is_read = true;
                symbol.meaning.clone()
            }
            None => {
                let known = self.scopes.names(self.scope);
                let near = near(&name.text, &known);
                let error = CheckError::UnknownName {
                    name: name.text.clone(),
                    near,
                    is_function: false,
                };
                self.report(name.span, error);
                return None;
            }
        };
        let file = match file {
            super::scope::Meaning::Variable(place) => self.read(&place, name.span)?,
            super::scope::Meaning::Value(value) => value,
            super::scope::Meaning::Unknown => return None,
        };
        if file.ty != Type::STRING {
            let (expected, found) = ("texture2d".to_owned(), self.show(file.ty));
            self.report(
                name.span,
                CheckError::Mismatch {
                    expected,
                    found,
                    cast: false,
                },
            );
            return None;
        }
        let given = given?;
        let [u, v] = given.as_slice() else {
            self.report(
                span,
                CheckError::BadForm {
                    form: "texture2d_sample<texture>(u, v)",
                },
            );
            return None;
        };
        let (u, v) = (self.given_as(u, Type::FLOAT), self.given_as(v, Type::FLOAT));
        let operands = vec![file.leaf(), u?.leaf(), v?.leaf()];
        let options = TextureOptions::default();
        Some(if alpha {
            self.emit_value(Op::TextureAlpha(options), operands, Type::FLOAT, span)
        } else {
            self.emit_value(Op::Texture(options), operands, Type::COLOR, span)
        })
    }
}
