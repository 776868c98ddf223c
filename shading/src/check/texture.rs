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
const IGNORED: [&str; 20] = [
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
        let (wrap, alpha) = self.texture_options(&options, span);
        let floats: Vec<Operand> = floats
            .into_iter()
            .map(|v| v.map(|v| v.leaf()))
            .collect::<Option<_>>()?;
        let operands = vec![file?.leaf(), floats[0], floats[1]];
        let ty = match expected {
            Some(ty) if ty.is_triple() => ty,
            Some(Type::FLOAT | Type::INT) => Type::FLOAT,
            _ => Type::COLOR,
        };
        let result = self.emit_value(Op::Texture(wrap), operands.clone(), ty, span);
        if let Some((place, expr)) = alpha.as_ref().and_then(Given::place) {
            let place = place.clone();
            self.mark_written(expr);
            if self.check_writable(&place, expr.span) {
                let alpha = self.emit_value(Op::TextureAlpha(wrap), operands, Type::FLOAT, span);
                let alpha = self.fit(&alpha, place.ty, expr.span)?;
                self.write(&place, alpha, expr.span);
            }
        }
        Some(result)
    }

    /// How to look up, and where alpha goes.
    fn texture_options(&mut self, options: &[Given<'a>], span: Span) -> (TextureOptions, Option<Given<'a>>) {
        let mut wrap = TextureOptions::default();
        let mut alpha = None;
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
                    let Some(mode) = self.wrap(value) else {
                        continue;
                    };
                    if &*name != "twrap" {
                        wrap.wrap_s = mode;
                    }
                    if &*name != "swrap" {
                        wrap.wrap_t = mode;
                    }
                }
                "colorspace" => {
                    let Some(space) = self.color_space(value) else {
                        continue;
                    };
                    wrap.color_space = space;
                }
                "interp" => {
                    let Some(interpolation) = self.interpolation(value, span) else {
                        continue;
                    };
                    wrap.interpolation = interpolation;
                }
                "alpha" if value.place().is_some() => alpha = Some(value.clone()),
                "alpha" => self.report(value.span, CheckError::AlphaNotVariable),
                other => {
                    wrap.optional |= matches!(other, "missingcolor" | "missingalpha");
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
        (wrap, alpha)
    }

    fn interpolation(&mut self, given: &Given<'a>, span: Span) -> Option<Interpolation> {
        let Some(text) = self.given_string(given) else {
            self.report(given.span, CheckError::OptionNotConstant);
            return None;
        };
        Some(match &*text {
            "closest" => Interpolation::Closest,
            "linear" => Interpolation::Linear,
            // Cubic interpolation is not there.
            other => {
                let warning = Warning::TextureOption {
                    name: format!("interp = {other}"),
                    is_known: matches!(other, "cubic" | "smartcubic"),
                    near: near(other, &["closest", "linear", "cubic", "smartcubic"]),
                };
                self.warn(span, warning);
                Interpolation::Linear
            }
        })
    }

    fn color_space(&mut self, given: &Given<'a>) -> Option<ColorSpace> {
        let Some(text) = self.given_string(given) else {
            self.report(given.span, CheckError::OptionNotConstant);
            return None;
        };
        Some(match &*text {
            "auto" => ColorSpace::Auto,
            "srgb" | "sRGB" => ColorSpace::Srgb,
            "linear" | "Rec709" | "scene_linear" => ColorSpace::Linear,
            "raw" | "data" | "Raw" => ColorSpace::Raw,
            _ => {
                let near = near(&text, &["auto", "srgb", "linear", "raw"]);
                self.report(
                    given.span,
                    CheckError::UnknownColorSpace {
                        name: text.to_string(),
                        near,
                    },
                );
                return None;
            }
        })
    }

    fn wrap(&mut self, given: &Given<'a>) -> Option<Wrap> {
        let Some(text) = self.given_string(given) else {
            self.report(given.span, CheckError::OptionNotConstant);
            return None;
        };
        Some(match &*text {
            "periodic" | "default" => Wrap::Periodic,
            "clamp" => Wrap::Clamp,
            "black" => Wrap::Black,
            "mirror" => Wrap::Mirror,
            other => {
                let near = near(other, &["periodic", "clamp", "black", "mirror", "default"]);
                self.report(
                    given.span,
                    CheckError::UnknownWrap {
                        name: other.to_owned(),
                        near,
                    },
                );
                return None;
            }
        })
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
