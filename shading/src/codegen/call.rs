//! Strings, output, and what is asked of the shading point and the host.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::layout::{Shape, register};
use super::value::{Address, Emitter, length, trusted};
use crate::builtins::Builtin;
use crate::hir::{Const, LocalId, Operand};
use crate::runtime::ShaderGlobals;
use crate::runtime::shims::{self, ArgKind, FormatArg};
use crate::runtime::text::TextHeader;

impl Emitter<'_, '_> {
    // ---- Strings ----

    pub(super) fn string_function(&mut self, builtin: Builtin, args: &[Operand]) -> ir::Value {
        match builtin {
            Builtin::Strlen => {
                let text = self.read(args[0]);
                // Texts are never longer than an int can tell.
                let len = offset_of!(TextHeader, len) as i32;
                self.b.ins().load(types::I32, trusted(), text, len)
            }
            Builtin::Concat => {
                let [a, b] = self.read_all(args);
                let place = self.place();
                self.call_value(shims::concat(), &[self.ctx, place, a, b])
            }
            Builtin::Substr => {
                let [text, start, length] = self.read_all(args);
                let place = self.place();
                self.call_value(shims::substr(), &[self.ctx, place, text, start, length])
            }
            Builtin::Format => {
                let values = self.format_args(args);
                self.call_value(shims::format(), &values)
            }
            _ => {
                let shim = shims::text_test(builtin).expect("a test of texts");
                let [a, b] = self.read_all(args);
                self.call_value(shim, &[a, b])
            }
        }
    }

    /// A built-in function without result.
    pub(super) fn effect(&mut self, builtin: Builtin, args: &[Operand]) {
        if let Some(shim) = shims::print(builtin) {
            let values = self.format_args(args);
            self.call(shim, &values);
        }
    }

    /// What `format` and `printf` take: context, place, format, arguments and their number.
    fn format_args(&mut self, args: &[Operand]) -> [ir::Value; 5] {
        let count = args.len() - 1;
        let record = size_of::<FormatArg>() as u64;
        let slot = self.new_slot(record * count.max(1) as u64);
        let records = self.slot(slot);
        for (i, arg) in args[1..].iter().enumerate() {
            let (kind, values, data) = self.format_arg(*arg);
            let at = records.plus(record * i as u64);
            let (kind, values) = (self.int(kind as i32), self.int(values as i32));
            self.store(kind, at);
            self.store(values, at.plus(4));
            self.store(data, at.plus(8));
        }
        let format = self.read(args[0]);
        let (place, count) = (self.place(), self.int(count as i32));
        [self.ctx, place, format, records.base, count]
    }

    /// The kind and number of an argument's values, and where they are.
    fn format_arg(&mut self, arg: Operand) -> (ArgKind, u32, ir::Value) {
        let shape = self.shape(arg);
        let (kind, each) = match shape {
            Shape::Int => (ArgKind::Int, 1),
            Shape::Float => (ArgKind::Float, 1),
            Shape::Triple => (ArgKind::Triple, 1),
            Shape::Matrix => (ArgKind::Float, 16),
            Shape::Text => (ArgKind::Text, 1),
            Shape::Closure => (ArgKind::Closure, 1),
        };
        let in_memory = match arg {
            Operand::Local(local) => register(self.ty(local)).is_none(),
            Operand::Const(id) => matches!(self.code.consts[id], Const::Matrix(_) | Const::Array(_)),
        };
        let data = if in_memory {
            let at = self.address(arg);
            self.address_of(at)
        } else {
            let value = self.read(arg);
            let slot = self.new_slot(16);
            let at = self.slot(slot);
            self.store(value, at);
            at.base
        };
        (kind, each * length(self.code, arg), data)
    }

    // ---- The shading point ----

    pub(super) fn ask(&mut self, builtin: Builtin, args: &[Operand]) -> ir::Value {
        match builtin {
            Builtin::Backfacing => self.load_global(types::I32, offset_of!(ShaderGlobals, backfacing)),
            Builtin::SurfaceArea => {
                self.shared.asks_surface_area = true;
                self.load_global(types::F32, offset_of!(ShaderGlobals, surface_area))
            }
            Builtin::HasAttribute => self.attribute(args).0,
            _ => self.ask_ray_kind(args[0]),
        }
    }

    fn ask_ray_kind(&mut self, name: Operand) -> ir::Value {
        self.shared.asks_ray_kind = true;
        match self.constant(name) {
            Some(Const::String(name)) => {
                let wanted = self.int(shims::ray_bits(name) as i32);
                let kind = self.load_global(types::I32, offset_of!(ShaderGlobals, ray_kind));
                let bits = self.b.ins().band(kind, wanted);
                let zero = self.int(0);
                let truth = self.b.ins().icmp(IntCC::NotEqual, bits, zero);
                self.extend(truth)
            }
            _ => {
                let name = self.read(name);
                self.call_value(shims::ray_type(), &[self.ctx, name])
            }
        }
    }

    // ---- The host ----

    /// Whether there is an attribute, and where its four floats are.
    fn attribute(&mut self, args: &[Operand]) -> (ir::Value, Address) {
        self.shared.asks_host = true;
        if let [Some(Const::String(object)), Some(Const::String(name))] =
            [0, 1].map(|i| self.constant(args[i]))
            && object.is_empty()
            && let Some(handle) = self.shared.host.host.attribute_handle(name)
        {
            let handle = self.int(handle.0 as i32);
            let out = self.temp(0);
            let by_handle = self.shared.host.attribute_by_handle;
            return (self.call_value(by_handle, &[self.ctx, handle, out.base]), out);
        }
        let [object, name] = self.read_all(args);
        let out = self.temp(0);
        let found = self.call_value(self.shared.host.attribute, &[self.ctx, object, name, out.base]);
        (found, out)
    }

    /// An attribute as the destination's type; strings and closures are never attributes.
    pub(super) fn attribute_value(&mut self, dst: LocalId, args: &[Operand]) -> ir::Value {
        let shape = Shape::of(self.ty(dst).base);
        if matches!(shape, Shape::Text | Shape::Closure) {
            return self.zero(shape);
        }
        let (_, value) = self.attribute(args);
        match shape {
            Shape::Int => {
                let value = self.load(types::F32, value);
                self.b.ins().fcvt_to_sint_sat(types::I32, value)
            }
            Shape::Float => self.load(types::F32, value),
            _ => self.load(types::F32X4, value),
        }
    }
}
