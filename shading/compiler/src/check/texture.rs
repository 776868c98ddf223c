//! Texture calls: `texture`, `texture3d`, `environment` and their options, `gettextureinfo`.

use super::argument::CallArgument;
use super::conversion::near;
use super::error::CheckError;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::hir::{
    ColorSpace, Interpolation, Kind, Op, Operand, TextureMapping, TextureOperand, TextureOperands,
    TextureOptions, Wrap,
};
use crate::ty::{Base, Type};
use shading_syntax::ast::{Argument, Name};
use shading_syntax::source::Span;

/// Options of the specification without effect on image files; `rwrap` has an effect on volumes.
const WITHOUT_EFFECT: [&str; 5] = ["rwrap", "rwidth", "rblur", "time", ""];

/// Names of options, for hints.
const OPTIONS: [&str; 20] = [
    "wrap",
    "swrap",
    "twrap",
    "rwrap",
    "width",
    "swidth",
    "twidth",
    "blur",
    "sblur",
    "tblur",
    "interp",
    "alpha",
    "colorspace",
    "fill",
    "firstchannel",
    "subimage",
    "missingcolor",
    "missingalpha",
    "errormessage",
    "time",
];

/// Options of a texture lookup.
#[derive(Default)]
struct Options<'a> {
    how: TextureOptions,
    /// Options with run-time values.
    operands: Vec<(TextureOperand, Operand)>,
    /// Destination of alpha.
    alpha: Option<CallArgument<'a>>,
    /// Destination of the error message.
    error: Option<CallArgument<'a>>,
}

impl Options<'_> {
    fn set(&mut self, option: TextureOperand, operand: Operand) {
        self.unset(option);
        self.operands.push((option, operand));
    }

    fn unset(&mut self, option: TextureOperand) {
        self.operands.retain(|(known, _)| *known != option);
    }
}

/// Name of a lookup function, with its argument counts.
struct Form {
    mapping: TextureMapping,
    /// Number of arguments after the file name, without and with a footprint.
    counts: [usize; 2],
    argument: Type,
    words: &'static str,
}

const PLANE: Form = Form {
    mapping: TextureMapping::Plane,
    counts: [2, 6],
    argument: Type::FLOAT,
    words: "texture(\"file\", s, t, \"option\", value, …)",
};
const ENVIRONMENT: Form = Form {
    mapping: TextureMapping::Environment,
    counts: [1, 3],
    argument: Type::VECTOR,
    words: "environment(\"file\", direction, \"option\", value, …)",
};
const VOLUME: Form = Form {
    mapping: TextureMapping::Volume,
    counts: [1, 4],
    argument: Type::POINT,
    words: "texture3d(\"file\", point, \"option\", value, …)",
};

impl<'a> Checker<'a> {
    /// `texture(file, s, t, [dsdx, dtdx, dsdy, dtdy,] "option", value, …)`
    pub(super) fn texture(
        &mut self,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        self.lookup(&PLANE, args, expected, span)
    }

    /// `environment(file, R, [dRdx, dRdy,] "option", value, …)`
    pub(super) fn environment(
        &mut self,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        self.lookup(&ENVIRONMENT, args, expected, span)
    }

    /// `texture3d(file, P, [dPdx, dPdy, dPdz,] "option", value, …)`
    pub(super) fn texture3d(
        &mut self,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        self.lookup(&VOLUME, args, expected, span)
    }

    fn lookup(
        &mut self,
        form: &Form,
        args: &'a [Argument],
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        let mut given = self.arguments(args)?;
        let is_string = |g: &CallArgument<'a>| g.ty() == Some(Type::STRING);
        let after = given.iter().skip(1).position(is_string);
        let options = given.split_off(after.map_or(given.len(), |n| n + 1));
        if given.is_empty() || !form.counts.contains(&(given.len() - 1)) || !is_string(&given[0]) {
            self.report(span, CheckError::BadForm(form.words));
            return None;
        }
        let mut operands = vec![self.given_as(&given[0], Type::STRING)?.leaf()];
        for given in &given[1..] {
            operands.push(self.given_as(given, form.argument)?.leaf());
        }
        let ty = match expected {
            Some(ty) if ty.is_triple() => ty,
            Some(Type::FLOAT | Type::INT) => Type::FLOAT,
            _ => Type::COLOR,
        };
        let mut options = self.texture_options(form.mapping, &options);
        options.how.channels = if ty == Type::FLOAT { 1 } else { 3 };
        options.how.implicit_footprint = operands.len() - 1 == form.counts[0];
        if options.how.color_space == ColorSpace::Default {
            // The metadata of a file name parameter may state its colour space; the option takes precedence.
            let color_space = match operands[0] {
                Operand::Local(file) => self.body.color_spaces.get(&file),
                Operand::Const(_) => None,
            };
            options.how.color_space = color_space.copied().unwrap_or(self.texture_space);
        }
        let zero = if form.argument == Type::FLOAT {
            self.float(0.0)
        } else {
            self.zero(Type::VECTOR).leaf()
        };
        operands.resize(1 + form.mapping.operands().len(), zero);
        options.operands.sort_by_key(|(option, _)| *option as u8);
        for &(option, operand) in &options.operands {
            options.how.operands = options.how.operands.with(option);
            operands.push(operand);
        }
        Some(self.emit_lookup(&options, operands, ty, span))
    }

    /// Emits the lookup, its value, and the writes to its other outputs.
    fn emit_lookup(
        &mut self,
        options: &Options<'a>,
        operands: Vec<Operand>,
        ty: Type,
        span: Span,
    ) -> TypedValue {
        let texel = self.emit_texel(options.how, operands.clone(), span);
        let result = self.channels(texel, ty, span);
        if let Some((place, expr)) = options.alpha.as_ref().and_then(CallArgument::place) {
            let place = place.clone();
            self.mark_written(expr);
            if self.check_writable(&place, expr.span) {
                let alpha = self.channel(texel, i32::from(options.how.channels), span);
                if let Some(alpha) = self.fit(&alpha, place.ty, expr.span) {
                    self.write(&place, alpha, expr.span);
                }
            }
        }
        if let Some((place, expr)) = options.error.as_ref().and_then(CallArgument::place) {
            let place = place.clone();
            self.mark_written(expr);
            if self.check_writable(&place, expr.span) {
                let error = self.emit_value(Op::TextureError(options.how), operands, Type::STRING, span);
                if let Some(error) = self.fit(&error, place.ty, expr.span) {
                    self.write(&place, error, expr.span);
                }
            }
        }
        result
    }

    fn emit_texel(&mut self, how: TextureOptions, operands: Vec<Operand>, span: Span) -> Operand {
        let ty = Type::array(Base::Float, how.results());
        self.emit(Op::Texture(how), operands, ty, span)
    }

    /// Returns a channel of a lookup's result.
    fn channel(&mut self, texel: Operand, index: i32, span: Span) -> TypedValue {
        let index = self.int(index);
        self.emit_value(Op::ArrayGet, vec![texel, index], Type::FLOAT, span)
    }

    /// Returns the first channel, or the first three.
    fn channels(&mut self, texel: Operand, ty: Type, span: Span) -> TypedValue {
        if ty == Type::FLOAT {
            return self.channel(texel, 0, span);
        }
        let lanes = (0..3).map(|i| self.channel(texel, i, span).leaf()).collect();
        self.emit_value(Op::MakeTriple, lanes, ty, span)
    }

    /// Parses the options of a lookup, with its further outputs.
    fn texture_options(&mut self, mapping: TextureMapping, given: &[CallArgument<'a>]) -> Options<'a> {
        let mut found = Options::default();
        found.how.mapping = mapping;
        for pair in given.chunks(2) {
            let [key, value] = pair else {
                self.report(pair[0].span, CheckError::OptionWithoutValue);
                break;
            };
            match self.given_string(key) {
                Some(name) => self.texture_option(&mut found, &name, key.span, value),
                None => self.report(key.span, CheckError::OptionNotConstant),
            }
        }
        found
    }

    fn texture_option(&mut self, found: &mut Options<'a>, name: &str, key: Span, value: &CallArgument<'a>) {
        use TextureOperand as O;
        let is_volume = found.how.mapping == TextureMapping::Volume;
        match name {
            "wrap" if is_volume => self.wrap(found, &[O::WrapS, O::WrapT, O::WrapR], value),
            "wrap" => self.wrap(found, &[O::WrapS, O::WrapT], value),
            "rwrap" if is_volume => self.wrap(found, &[O::WrapR], value),
            "swrap" => self.wrap(found, &[O::WrapS], value),
            "twrap" => self.wrap(found, &[O::WrapT], value),
            "interp" => {
                let unknown = |name: String| {
                    let near = near(&name, &["linear", "closest", "cubic", "smartcubic"]);
                    CheckError::UnknownInterpolation(name, near)
                };
                let known = |name: &str| Interpolation::from_name(name).is_some();
                self.enumeration(found, &[O::Interpolation], value, known, unknown);
            }
            "colorspace" => {
                let unknown = |name: String| {
                    let near = near(&name, &["auto", "srgb", "linear", "raw"]);
                    CheckError::UnknownColorSpace(name, near)
                };
                let known = |name: &str| ColorSpace::from_name(name).is_some();
                self.enumeration(found, &[O::ColorSpace], value, known, unknown);
            }
            "width" => self.number(found, &[O::WidthS, O::WidthT], value),
            "swidth" => self.number(found, &[O::WidthS], value),
            "twidth" => self.number(found, &[O::WidthT], value),
            "blur" => self.number(found, &[O::BlurS, O::BlurT], value),
            "sblur" => self.number(found, &[O::BlurS], value),
            "tblur" => self.number(found, &[O::BlurT], value),
            "fill" => self.number(found, &[O::Fill], value),
            "firstchannel" => self.number(found, &[O::FirstChannel], value),
            "subimage" | "subimagename" if value.ty() == Some(Type::STRING) => {
                found.unset(O::Subimage);
                self.number(found, &[O::SubimageName], value);
            }
            "subimage" => {
                found.unset(O::SubimageName);
                self.number(found, &[O::Subimage], value);
            }
            "missingcolor" => self.number(found, &[O::MissingColor], value),
            "missingalpha" => self.number(found, &[O::MissingAlpha], value),
            "alpha" if value.place().is_some() => found.alpha = Some(value.clone()),
            "errormessage" if value.place().is_some() => found.error = Some(value.clone()),
            "alpha" | "errormessage" => {
                let name = name.to_owned();
                self.report(value.span, CheckError::OptionNotVariable(name));
            }
            other => {
                let is_known = WITHOUT_EFFECT.contains(&other);
                if !is_known {
                    let (name, near) = (other.to_owned(), near(other, &OPTIONS));
                    self.warn(key, Warning::TextureOption(name, near));
                }
                if let Some((_, expr)) = value.place() {
                    self.mark_written(expr);
                    self.mark_read(expr);
                }
            }
        }
        let says = |option| found.operands.iter().any(|(known, _)| *known == option);
        found.how.optional = found.error.is_some() || says(O::MissingColor) || says(O::MissingAlpha);
    }

    fn wrap(&mut self, found: &mut Options<'a>, options: &[TextureOperand], value: &CallArgument<'a>) {
        let unknown = |name: String| {
            let near = near(&name, &["periodic", "clamp", "black", "mirror", "default"]);
            CheckError::UnknownWrap(name, near)
        };
        let known = |name: &str| Wrap::from_name(name).is_some();
        self.enumeration(found, options, value, known, unknown);
    }

    /// Sets an option with named values: a constant, or an operand.
    fn enumeration(
        &mut self,
        found: &mut Options<'a>,
        options: &[TextureOperand],
        value: &CallArgument<'a>,
        known: impl Fn(&str) -> bool,
        unknown: impl Fn(String) -> CheckError,
    ) {
        match self.given_string(value) {
            Some(text) if known(&text) => {
                for &option in options {
                    found.unset(option);
                    found.how.set_by_name(option, &text);
                }
            }
            Some(text) => self.report(value.span, unknown(text.to_string())),
            None => self.number(found, options, value),
        }
    }

    /// Sets an option that is an operand.
    fn number(&mut self, found: &mut Options<'a>, options: &[TextureOperand], value: &CallArgument<'a>) {
        let Some(first) = options.first() else { return };
        let ty = match first.kind() {
            Kind::STRING => Type::STRING,
            Kind::INT => Type::INT,
            Kind::TRIPLE => Type::COLOR,
            _ => Type::FLOAT,
        };
        if let Some(value) = self.given_as(value, ty) {
            for &option in options {
                found.set(option, value.leaf());
            }
        }
    }

    /// `gettextureinfo(file, [s, t,] name, variable)`
    pub(super) fn texture_info(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        let mut given = self.arguments(args)?;
        let target = given.pop();
        let fits = matches!(given.len(), 2 | 4)
            && [0, given.len() - 1].iter().all(|&i| given[i].ty() == Some(Type::STRING));
        let form = "gettextureinfo(\"file\", \"name\", variable)";
        let (place, expr) = self.result_variable(target.filter(|_| fits).as_ref(), form, span)?;
        let kind = Kind::of(place.ty).filter(|kind| kind.element() != Kind::CLOSURE);
        let Some(kind) = kind else {
            let what = format!("texture information of type {}", self.show(place.ty));
            self.report(expr.span, CheckError::NotYet(what));
            return None;
        };
        let file = self.given_as(&given[0], Type::STRING)?.leaf();
        let name = self.given_as(&given[given.len() - 1], Type::STRING)?.leaf();
        let mut operands = vec![file, name];
        for given in &given[1..given.len() - 1] {
            operands.push(self.given_as(given, Type::FLOAT)?.leaf());
        }
        let nowhere = self.float(f32::NAN);
        operands.resize(4, nowhere);
        let found = self.emit_value(Op::HasTextureInfo(kind), operands.clone(), Type::INT, span);
        Some(
            self.write_result(found, &place, span, |c| {
                c.emit_value(Op::TextureInfo, operands, place.ty, span)
            }),
        )
    }

    /// TSL's `texture2d_sample<tex>(u, v)`, and its variants for alpha.
    pub(super) fn sample(
        &mut self,
        name: &'a Name,
        args: &'a [Argument],
        alpha: bool,
        span: Span,
    ) -> Option<TypedValue> {
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
                let error = CheckError::UnknownName { name: name.text.clone(), near, is_function: false };
                self.report(name.span, error);
                return None;
            }
        };
        let file = match file {
            super::scope::SymbolMeaning::Variable(place) => self.read(&place, name.span)?,
            super::scope::SymbolMeaning::File(index) => {
                let place = self.file_variable(index, name.span)?;
                self.read(&place, name.span)?
            }
            super::scope::SymbolMeaning::Value(value) => value,
            super::scope::SymbolMeaning::Unknown => return None,
        };
        if file.ty != Type::STRING {
            let (expected, found) = ("texture2d".to_owned(), self.show(file.ty));
            self.report(name.span, CheckError::Mismatch { expected, found, cast: false });
            return None;
        }
        let given = given?;
        let [u, v] = given.as_slice() else {
            self.report(span, CheckError::BadForm("texture2d_sample<texture>(u, v)"));
            return None;
        };
        let (u, v) = (self.given_as(u, Type::FLOAT), self.given_as(v, Type::FLOAT));
        let (zero, one) = (self.float(0.0), self.float(1.0));
        let operands = vec![file.leaf(), u?.leaf(), v?.leaf(), zero, zero, zero, zero, one];
        // TSL's textures repeat, and are opaque if the file has no alpha channel.
        let options = TextureOptions {
            implicit_footprint: true,
            wrap_s: Wrap::Periodic,
            wrap_t: Wrap::Periodic,
            operands: TextureOperands::default().with(TextureOperand::Fill),
            ..TextureOptions::default()
        };
        let texel = self.emit_texel(options, operands, span);
        Some(if alpha {
            self.channel(texel, 3, span)
        } else {
            self.channels(texel, Type::COLOR, span)
        })
    }
}
