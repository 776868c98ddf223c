//! Rules of the operations that depend on the shading point or the host.

use std::sync::Arc;

use shading_compiler::builtins::{Builtin, Global};
use shading_compiler::eval::matrix::IDENTITY;
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Axis, Kind, Op};

use super::host::BoundsOptions;
use super::integer::IntRange;
use super::matrix;
use super::number::{Number, Symbols};
use super::operation::Operation;
use super::range::Range;
use super::value::Value;
use crate::runtime::RayKind;

/// The shading points of an evaluation.
pub(super) struct Point<'a> {
    options: &'a BoundsOptions<'a>,
    globals: [Value; Global::ALL.len()],
    /// Matrix to the space in which the box has ranges of `P`.
    to_local: Option<Value>,
}

impl<'a> Point<'a> {
    pub(super) fn new(options: &'a BoundsOptions<'a>, symbols: &Symbols) -> Point<'a> {
        let globals = Global::ALL.map(|global| {
            let ranges = options.shading_box.ranges(global);
            match Kind::of(global.ty()) {
                Some(Kind::FLOAT) => Value::Float(Number::new(ranges[0], symbols)),
                _ => Value::triple(ranges, symbols),
            }
        });
        let to_local = options.shading_box.local.as_ref().map(|(space, _)| {
            let found = options.host.matrix("world", space);
            Value::Matrix(Arc::new(found.unwrap_or([Range::UNKNOWN; 16])))
        });
        Point { options, globals, to_local }
    }

    /// Bounds of the result; `None` if the operation depends on its operands only.
    pub(super) fn evaluate(&self, operation: Operation<'_>, symbols: &Symbols) -> Option<Value> {
        let Operation { op, kind, args } = operation;
        let text = |i: usize| match args.get(i) {
            Some(Value::String(Some(text))) => Some(&**text),
            _ => None,
        };
        let shading_box = self.options.shading_box;
        Some(match op {
            Op::Global(global) => self.globals[global as usize].clone(),
            Op::GlobalDerivative(global, axis) => self.derivative(global, axis, symbols),
            Op::Derivative(_) => Value::of(&kind.zero(), symbols),
            Op::Texture(_) | Op::TextureError(_) | Op::TextureInfo | Op::AttributeDerivative(_) => {
                Value::unknown(kind, symbols)
            }
            Op::HasTextureInfo(_) => Value::Int(IntRange::TRUTH),
            Op::AttributeValue => {
                let known = text(0).zip(text(1));
                match known.and_then(|(object, name)| self.options.host.attribute(object, name)) {
                    Some(found) => lanes(kind, found.unwrap_or([Range::point(0.0); 4]), symbols),
                    None => Value::unknown(kind, symbols),
                }
            }
            Op::Builtin(Builtin::HasAttribute) => {
                let known = text(0).zip(text(1));
                match known.and_then(|(object, name)| self.options.host.attribute(object, name)) {
                    Some(found) => Value::Int(IntRange::point(i32::from(found.is_some()))),
                    None => Value::Int(IntRange::TRUTH),
                }
            }
            Op::Builtin(Builtin::HasAnyAttribute | Builtin::IsSpace) => Value::Int(IntRange::TRUTH),
            Op::Builtin(Builtin::RayType) => {
                let bits = |name| {
                    RayKind::NAMES
                        .iter()
                        .find(|(known, _)| *known == name)
                        .map_or(0, |(_, kind)| kind.0)
                };
                match (text(0), shading_box.ray_kind) {
                    (Some(name), Some(kind)) => {
                        Value::Int(IntRange::point(i32::from(bits(name) & kind.0 != 0)))
                    }
                    _ => Value::Int(IntRange::TRUTH),
                }
            }
            // As in the interpreter, after the optimiser.
            Op::Builtin(Builtin::IsConstant) => Value::Int(IntRange::point(0)),
            Op::Builtin(Builtin::Backfacing) => Value::Int(shading_box.backfacing),
            Op::Builtin(Builtin::SurfaceArea) => Value::Float(Number::new(shading_box.surface_area, symbols)),
            Op::Builtin(Builtin::SpaceMatrix) => match text(0).zip(text(1)) {
                Some((from, to)) => self.space(from, to),
                None => Value::unknown(kind, symbols),
            },
            Op::Builtin(Builtin::TransformPoint) => self.local_position(args, symbols)?,
            _ => return None,
        })
    }

    fn derivative(&self, global: Global, axis: Axis, symbols: &Symbols) -> Value {
        let shading_box = self.options.shading_box;
        let kind = Kind::of(global.ty()).unwrap_or(Kind::FLOAT);
        if !global.has_derivatives() || shading_box.is_without_derivatives {
            return Value::of(&kind.zero(), symbols);
        }
        match &shading_box.point {
            Some(point) => Value::of(&point.derivative(global, axis), symbols),
            None => Value::unknown(kind, symbols),
        }
    }

    /// Matrix between two spaces. The common space is the world.
    fn space(&self, from: &str, to: &str) -> Value {
        let [from, to] = [from, to].map(|name| if name == "common" { "world" } else { name });
        if from == to {
            return Value::Matrix(Arc::new(IDENTITY.map(Range::point)));
        }
        if let (Some(matrix), Some((space, _))) = (&self.to_local, &self.options.shading_box.local)
            && from == "world"
            && to == space
        {
            return matrix.clone();
        }
        let found = self.options.host.matrix(from, to);
        Value::Matrix(Arc::new(found.unwrap_or([Range::UNKNOWN; 16])))
    }

    /// `P` in the space in which its ranges are known; `None` for other positions and matrices.
    fn local_position(&self, args: &[Value], symbols: &Symbols) -> Option<Value> {
        let [Value::Matrix(m), Value::Triple(p)] = args else { return None };
        let (_, ranges) = self.options.shading_box.local.as_ref()?;
        let (Some(Value::Matrix(local)), Value::Triple(own)) =
            (&self.to_local, &self.globals[Global::P as usize])
        else {
            return None;
        };
        let is_position = p.iter().zip(own).all(|(a, b)| a.symbol == b.symbol);
        if !Arc::ptr_eq(m, local) || !is_position {
            return None;
        }
        let found = matrix::transform_point(m, [0, 1, 2].map(|lane| p[lane].range));
        let tighter = |lane: usize| {
            let both = found[lane].meet(ranges[lane]);
            if both.is_empty() { ranges[lane] } else { both }
        };
        Some(Value::triple([0, 1, 2].map(tighter), symbols))
    }
}

/// A value of a kind from the floats of an attribute.
fn lanes(kind: Kind, found: [Range; 4], symbols: &Symbols) -> Value {
    match kind {
        Kind::One(Element::Float) => Value::Float(Number::new(found[0], symbols)),
        Kind::One(Element::Triple) => Value::triple([found[0], found[1], found[2]], symbols),
        _ => Value::unknown(kind, symbols),
    }
}
