//! Typed access to values of keys.

use glam::{Affine3A, Vec2, Vec3};
use shading::Span;
use shading::syntax::ast::Expr;

use super::context::LoadContext;
use super::transform;
use super::value::SceneValue;
use renderer_base::color::Rgb;

/// Range of the numbers that a key accepts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Range {
    Any,
    /// x ≥ 0.
    NotNegative,
    /// x > 0.
    Positive,
    /// Open interval.
    Between(f64, f64),
    /// Closed interval.
    Within(f64, f64),
}

impl Range {
    fn contains(self, x: f64) -> bool {
        x.is_finite()
            && match self {
                Range::Any => true,
                Range::NotNegative => x >= 0.0,
                Range::Positive => x > 0.0,
                Range::Between(low, high) => x > low && x < high,
                Range::Within(low, high) => x >= low && x <= high,
            }
    }

    fn describe(self) -> String {
        match self {
            Range::Any => "finite".to_owned(),
            Range::NotNegative => "at least 0".to_owned(),
            Range::Positive => "more than 0".to_owned(),
            Range::Between(low, high) => format!("more than {low} and less than {high}"),
            Range::Within(low, high) => format!("from {low} to {high}"),
        }
    }
}

/// Value of a key, with the key's name for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub(super) key: &'a str,
    pub(super) expr: &'a Expr,
}

/// Value that a key has set, with its source location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// Typed readers. Each returns `None`, after reporting an error, if the value does not have the type of the key.
impl Field<'_> {
    pub(super) fn span(&self) -> Span {
        self.expr.span
    }

    /// Attaches the source location of this field to a value read from it.
    pub(super) fn given<T>(&self, value: Option<T>) -> Option<Given<T>> {
        let span = self.span();
        value.map(|value| Given { value, span })
    }

    pub(super) fn mismatch(&self, context: &mut LoadContext, expected: &str, found: &SceneValue) {
        context.error(self.span(), format!("`{}` takes {expected}, found {found}", self.key));
    }

    pub(super) fn boolean(&self, context: &mut LoadContext) -> Option<bool> {
        match context.value(self.expr)? {
            SceneValue::Bool(b) => Some(b),
            SceneValue::Number(0.0) => Some(false),
            SceneValue::Number(1.0) => Some(true),
            other => {
                self.mismatch(context, "true or false", &other);
                None
            }
        }
    }

    /// Reads a number within `range`.
    pub(super) fn number(&self, context: &mut LoadContext, range: Range) -> Option<f32> {
        match context.value(self.expr)? {
            SceneValue::Number(x) => self.in_range(context, x, range),
            other => {
                self.mismatch(context, "a number", &other);
                None
            }
        }
    }

    pub(super) fn in_range(&self, context: &mut LoadContext, x: f64, range: Range) -> Option<f32> {
        let narrow = x as f32;
        // Rounding to `f32` can leave the range: 1e99 becomes infinite, 1e-99 zero.
        if range.contains(x) && range.contains(f64::from(narrow)) {
            return Some(narrow);
        }
        context.error(self.span(), format!("`{}` is {x}, but must be {}", self.key, range.describe()));
        None
    }

    /// Reads an integer in `[low,high]`.
    pub(super) fn integer(&self, context: &mut LoadContext, low: u64, high: u64) -> Option<u64> {
        match context.value(self.expr)? {
            SceneValue::Number(x) => self.whole(context, x, low, high),
            other => {
                self.mismatch(context, "a whole number", &other);
                None
            }
        }
    }

    fn whole(&self, context: &mut LoadContext, x: f64, low: u64, high: u64) -> Option<u64> {
        if x.fract() == 0.0 && x >= low as f64 && x <= high as f64 {
            return Some(x as u64);
        }
        let message = format!("`{}` is {x}, but must be a whole number from {low} to {high}", self.key);
        context.error(self.span(), message);
        None
    }

    /// Reads exactly `N` numbers; `like` is an example for messages.
    pub(super) fn numbers<const N: usize>(
        &self,
        context: &mut LoadContext,
        range: Range,
        like: &str,
    ) -> Option<[f32; N]> {
        let list = match context.value(self.expr)? {
            SceneValue::Tuple(list) => list,
            other => {
                self.mismatch(context, &format!("{N} numbers, as {like}"), &other);
                return None;
            }
        };
        let Ok(list) = <[f64; N]>::try_from(list.as_slice()) else {
            self.mismatch(context, &format!("{N} numbers, as {like}"), &SceneValue::Tuple(list));
            return None;
        };
        let mut numbers = [0.0; N];
        for (slot, x) in numbers.iter_mut().zip(list) {
            *slot = self.in_range(context, x, range)?;
        }
        Some(numbers)
    }

    /// Reads exactly `N` integers in `[low,high]`.
    pub(super) fn integers<const N: usize>(
        &self,
        context: &mut LoadContext,
        low: u64,
        high: u64,
        like: &str,
    ) -> Option<[u32; N]> {
        let mut numbers = [0u32; N];
        match context.value(self.expr)? {
            SceneValue::Tuple(list) if list.len() == N => {
                for (slot, x) in numbers.iter_mut().zip(list) {
                    *slot = self.whole(context, x, low, high.min(u64::from(u32::MAX)))? as u32;
                }
                Some(numbers)
            }
            other => {
                self.mismatch(context, &format!("{N} whole numbers, as {like}"), &other);
                None
            }
        }
    }

    pub(super) fn point(&self, context: &mut LoadContext) -> Option<Vec3> {
        self.numbers(context, Range::Any, "(0, 1, 0)").map(Vec3::from_array)
    }

    /// Reads a nonzero vector and normalizes it.
    pub(super) fn direction(&self, context: &mut LoadContext) -> Option<Vec3> {
        let v = self.point(context)?;
        let unit = v.as_dvec3().try_normalize().map(|v| v.as_vec3());
        if unit.is_none() {
            context.error(
                self.span(),
                format!("`{}` is the zero vector, which has no direction", self.key),
            );
        }
        unit
    }

    /// Reads one positive number for both axes, or one for each of x and y.
    pub(super) fn size2(&self, context: &mut LoadContext) -> Option<Vec2> {
        self.one_or_each(context, Range::Positive, "(2, 1)").map(Vec2::from_array)
    }

    /// Reads one positive number for all axes, or one for each of x, y and z.
    pub(super) fn size3(&self, context: &mut LoadContext) -> Option<Vec3> {
        self.one_or_each(context, Range::Positive, "(2, 1, 3)").map(Vec3::from_array)
    }

    /// Reads a colour: three numbers ≥ 0, or one for a grey.
    pub(super) fn color(&self, context: &mut LoadContext) -> Option<Rgb> {
        self.one_or_each(context, Range::NotNegative, "(0.8, 0.7, 0.6)").map(Rgb::from)
    }

    /// Reads a reflectance: three numbers in `[0,1]`, or one for a grey.
    pub(super) fn reflectance(&self, context: &mut LoadContext) -> Option<Rgb> {
        self.one_or_each(context, Range::Within(0.0, 1.0), "(0.8, 0.7, 0.6)")
            .map(Rgb::from)
    }

    /// Reads one number for all components, or `N` numbers; `like` is an example for messages.
    fn one_or_each<const N: usize>(
        &self,
        context: &mut LoadContext,
        range: Range,
        like: &str,
    ) -> Option<[f32; N]> {
        match context.value(self.expr)? {
            SceneValue::Number(x) => self.in_range(context, x, range).map(|x| [x; N]),
            _ => self.numbers(context, range, like),
        }
    }

    pub(super) fn string(&self, context: &mut LoadContext) -> Option<String> {
        match context.value(self.expr)? {
            SceneValue::String(text) => Some(text),
            other => {
                self.mismatch(context, "a string in quotes", &other);
                None
            }
        }
    }

    /// Reads one of the names of `options`, quoted or not.
    pub(super) fn choice<T: Copy>(&self, context: &mut LoadContext, options: &[(&str, T)]) -> Option<T> {
        let list = || options.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        match context.value(self.expr)? {
            SceneValue::Name(name) | SceneValue::String(name) => {
                let found = options.iter().find(|(option, _)| *option == name);
                if found.is_none() {
                    let message =
                        format!("`{}` is `{name}`, but must be one of {}", self.key, list().join(", "));
                    let diagnostic = context.error_at(self.span(), message).nearest(&name, list());
                    context.push(diagnostic);
                }
                found.map(|(_, value)| *value)
            }
            other => {
                self.mismatch(context, &format!("one of {}", list().join(", ")), &other);
                None
            }
        }
    }

    /// Reads an invertible transform.
    pub(super) fn transform(&self, context: &mut LoadContext) -> Option<Affine3A> {
        match context.value(self.expr)? {
            SceneValue::Transform(matrix) => {
                let narrow = transform::narrow(matrix);
                if narrow.is_none() {
                    let message =
                        format!("`{}` is singular: it squashes space, or has infinite numbers", self.key);
                    context.error(self.span(), message);
                }
                narrow
            }
            other => {
                self.mismatch(context, "a transform, as translate(0, 1, 0) * rotate((0, 1, 0), 45)", &other);
                None
            }
        }
    }
}
