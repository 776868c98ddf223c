//! Noise calls: kinds by name, periods and options.

use super::argument::CallArgument;
use super::conversion::near;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::builtins::{self, Builtin};
use crate::eval::noise::{GaborOptions, NoiseKind};
use crate::hir::{Axis, Const, Op};
use crate::ty::Type;
use shading_syntax::source::Span;

/// Options of Gabor noise, in the order of the operands.
const OPTIONS: [(&str, Type); 5] = [
    ("anisotropic", Type::INT),
    ("do_filter", Type::INT),
    ("direction", Type::VECTOR),
    ("bandwidth", Type::FLOAT),
    ("impulses", Type::FLOAT),
];

impl<'a> Checker<'a> {
    /// `noise("kind", …)`, `noise(…)`, `snoise(…)`, `cellnoise(…)`, `hashnoise(…)`, `pnoise("kind", …)`, `pnoise(…)`,
    /// `psnoise(…)`
    pub(super) fn noise(
        &mut self,
        name: &str,
        mut given: Vec<CallArgument<'a>>,
        expected: Option<Type>,
        span: Span,
    ) -> Option<TypedValue> {
        let periodic = name.starts_with('p');
        let has_kind = given.first().and_then(CallArgument::ty) == Some(Type::STRING);
        let kind = match name {
            "noise" | "pnoise" if has_kind => given.remove(0),
            "pnoise" => self.given_constant("uperlin", span),
            "psnoise" => self.given_constant("perlin", span),
            _ => return self.call_named(name, given, expected, span),
        };
        let known = self.given_string(&kind);
        let known_kind = known.as_deref().and_then(NoiseKind::from_name);
        if let Some(known) = &known
            && known_kind.is_none()
        {
            let names = NoiseKind::NAMES.map(|(name, _)| name);
            let near = near(known, &names);
            let name = known.to_string();
            let at = self.place_text(span);
            let message = format!("noise type \"{name}\" is unknown, called from ({at})");
            self.warn(kind.span, Warning::UnknownNoise(name, near));
            let message = self.string(&message);
            self.assign(None, Op::Builtin(Builtin::Error), vec![message], span);
            return Some(self.zero(expected.unwrap_or(Type::FLOAT)));
        }
        let first = given.iter().position(|g| g.ty() == Some(Type::STRING));
        let options = given.split_off(first.unwrap_or(given.len()));
        let options = self.noise_options(&options, span)?;
        if let Some(function) = known.as_deref().and_then(builtins::noise_function)
            && !periodic
        {
            return self.call_named(function, given, expected, span);
        }
        if known.is_none() || known_kind == Some(NoiseKind::Gabor) {
            let coordinates = if periodic { given.len() / 2 } else { given.len() };
            let footprint = self.footprint(&mut given[..coordinates])?;
            given.extend(options);
            given.extend(footprint);
        }
        given.insert(0, kind);
        let function = if periodic { "__pnoise" } else { "__noise" };
        self.call_named(function, given, expected, span)
    }

    /// Derivatives of the coordinates in x, then in y; the coordinates become values.
    fn footprint(&mut self, coordinates: &mut [CallArgument<'a>]) -> Option<Vec<CallArgument<'a>>> {
        let mut values = vec![];
        for given in coordinates {
            let value = match given.ty() {
                Some(_) => self.given_value(given)?,
                None => self.given_as(given, Type::POINT)?,
            };
            *given = CallArgument::value(value.clone(), given.span);
            values.push((value, given.span));
        }
        let mut changes = vec![];
        for axis in Axis::ALL {
            for (value, span) in &values {
                let change = if value.ty == Type::FLOAT || value.ty.is_triple() {
                    self.emit_value(Op::Derivative(axis), value.leaves.clone(), value.ty, *span)
                } else {
                    self.zero(Type::FLOAT)
                };
                changes.push(CallArgument::value(change, *span));
            }
        }
        Some(changes)
    }

    fn given_constant(&mut self, text: &str, span: Span) -> CallArgument<'a> {
        let text = self.string(text);
        CallArgument::value(TypedValue::new(Type::STRING, text), span)
    }

    /// Parses the options of Gabor noise from pairs of name and value.
    fn noise_options(&mut self, given: &[CallArgument<'a>], span: Span) -> Option<Vec<CallArgument<'a>>> {
        let defaults = GaborOptions::default();
        let mut values = [
            Const::Int(defaults.anisotropic),
            Const::Int(i32::from(defaults.do_filter)),
            Const::Triple(defaults.direction),
            Const::Float(defaults.bandwidth),
            Const::Float(defaults.impulses),
        ]
        .into_iter()
        .zip(OPTIONS)
        .map(|(value, (_, ty))| TypedValue::new(ty, self.body.constant(value)))
        .collect::<Vec<_>>();
        self.options(&OPTIONS, given, &mut values, |name, near| {
            Warning::UnknownNoiseOption(name, near)
        })?;
        Some(values.into_iter().map(|v| CallArgument::value(v, span)).collect())
    }
}
