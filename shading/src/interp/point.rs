//! Operations that depend on the shading point or the host: globals, attributes, spaces, rays, point clouds.

use super::ReportKind;
use super::closure::Value;
use super::cloud;
use super::frame::CallFrame;
use super::machine::Machine;
use crate::runtime::host::matrix_between;
use crate::runtime::last_trace::of_lanes;
use crate::runtime::{RayKind, Sink, TraceRay};
use shading_compiler::builtins::Builtin;
use shading_compiler::hir::{Const, Kind, Op, Operand};
use shading_syntax::source::Span;

impl<'a> Machine<'a> {
    /// Evaluates operations that depend on the shading point or the host.
    pub(super) fn eval_point(
        &mut self,
        frame: &CallFrame<'a>,
        kind: Kind,
        op: Op,
        args: &[Operand],
        span: Span,
    ) -> Option<Value> {
        let globals = self.options.globals;
        let text = |i: usize| args.get(i).map_or("", |&a| frame.text(a));
        Some(Value::of(&match op {
            Op::Global(global) => globals.value(global),
            Op::GlobalDerivative(global, axis) => globals.derivative(global, axis),
            Op::Derivative(_) => kind.zero(),
            Op::Texture(options) => self.texture(frame, options, args, span),
            Op::TextureError(options) => self.texture_error(frame, options, args),
            Op::TextureInfo => {
                let value = self.texture_info(frame, args).and_then(|info| info.of_kind(kind));
                value.unwrap_or_else(|| kind.zero())
            }
            Op::HasTextureInfo(kind) => {
                let value = self.texture_info(frame, args).and_then(|info| info.of_kind(kind));
                Const::Int(i32::from(value.is_some()))
            }
            Op::AttributeDerivative(axis) => {
                let value = self.options.host.attribute_derivative(globals, text(0), text(1), axis);
                of_lanes(kind, value)
            }
            Op::AttributeValue => {
                let value = self.options.host.attribute(globals, text(0), text(1));
                of_lanes(kind, value.unwrap_or_default())
            }
            Op::Builtin(Builtin::HasAttribute) => {
                let value = self.options.host.attribute(globals, text(0), text(1));
                Const::Int(i32::from(value.is_some()))
            }
            Op::Builtin(builtin @ (Builtin::HasAnyAttribute | Builtin::AnyAttribute)) => {
                let index = u32::try_from(frame.int(args[2])).ok();
                let wanted = Kind::of_code(frame.int(args[3]));
                let host = self.options.host;
                let value = host
                    .any_attribute(globals, text(0), text(1), index, wanted)
                    .filter(|value| Kind::of_const(value) == Some(wanted));
                match builtin {
                    Builtin::HasAnyAttribute => Const::Int(i32::from(value.is_some())),
                    _ => value.unwrap_or_else(|| kind.zero()),
                }
            }
            Op::Builtin(Builtin::Trace) => {
                let ray = TraceRay {
                    origin: frame.triple(args[0]),
                    direction: frame.triple(args[1]),
                    min_distance: frame.float(args[2]),
                    max_distance: frame.float(args[3]),
                    shade: frame.int(args[4]) != 0,
                    set: text(5),
                };
                let hit = self.options.host.trace(globals, &ray);
                Const::Int(i32::from(self.last_trace.note(hit)))
            }
            Op::Builtin(Builtin::IsSpace) => {
                let known = self.options.host.knows_space(globals, text(0));
                Const::Int(i32::from(known))
            }
            Op::Builtin(Builtin::RayType) => {
                let kind = RayKind::NAMES.iter().find(|(name, _)| *name == text(0));
                let bits = kind.map_or(0, |(_, kind)| kind.0);
                Const::Int(i32::from(bits & globals.ray_kind.0 != 0))
            }
            Op::Builtin(builtin) if builtin.is_cloud_array() || builtin == Builtin::HasCloudValues => {
                self.eval_clouds(frame, kind, builtin, args, span)?
            }
            Op::Builtin(Builtin::CloudWrite) => self.write_point(frame, args, span)?,
            // The optimiser has resolved every query whose answer is true.
            Op::Builtin(Builtin::IsConstant) => Const::Int(0),
            Op::Builtin(Builtin::Backfacing) => Const::Int(globals.backfacing),
            Op::Builtin(Builtin::SurfaceArea) => Const::Float(globals.surface_area),
            Op::Builtin(Builtin::SpaceMatrix) => {
                let (from, to) = (text(0).to_owned(), text(1).to_owned());
                Const::Matrix(self.space(&from, &to, span))
            }
            _ => return None,
        }))
    }

    pub(super) fn eval_clouds(
        &mut self,
        frame: &CallFrame<'a>,
        kind: Kind,
        builtin: Builtin,
        args: &[Operand],
        span: Span,
    ) -> Option<Const> {
        let args: Option<Vec<&Const>> = args.iter().map(|&a| frame.plain(a)).collect();
        let (value, problem) = cloud::evaluate(self.options.host, builtin, kind, &args?)?;
        if let Some((kind, message)) = problem {
            self.report(kind, span, message);
        }
        Some(value)
    }

    pub(super) fn write_point(
        &mut self,
        frame: &CallFrame<'a>,
        args: &[Operand],
        span: Span,
    ) -> Option<Const> {
        let args: Option<Vec<&Const>> = args.iter().map(|&a| frame.plain(a)).collect();
        let refusal = cloud::write(self.options.host, &mut self.written, &args?)?;
        let is_kept = refusal.is_none();
        if let Some(message) = refusal {
            self.report(ReportKind::CloudNotWritten, span, message);
        }
        Some(Const::Int(i32::from(is_kept)))
    }

    pub(super) fn space(&mut self, from: &str, to: &str, span: Span) -> [f32; 16] {
        let (found, unknown) = matrix_between(self.options.host, self.options.globals, from, to);
        if !unknown.is_empty() && !self.unknown_spaces.contains(&span) {
            self.unknown_spaces.push(span);
            for error in unknown {
                self.printed.push(Sink::OptionalError, &error);
            }
        }
        found
    }
}
