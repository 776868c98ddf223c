//! Strings, output, and queries of the shading point and the host.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::emitter::{Address, Emitter, trusted};
use super::layout::length;
use super::layout::{Shape, register};
use crate::runtime::ShaderGlobals;
use crate::runtime::shims::{self, ArgKind, Record};
use crate::runtime::text::TextHeader;
use shading_compiler::builtins::Builtin;
use shading_compiler::eval::library::Function;
use shading_compiler::hir::{Axis, Const, Kind, LocalId, Operand};

impl Emitter<'_, '_> {
    // ---- Strings ----

    /// Returns the kept part of the run's messages.
    pub(super) fn message_function(&mut self, dst: LocalId, builtin: Builtin, args: &[Operand]) -> ir::Value {
        if builtin == Builtin::HasMessage {
            self.has_message(args)
        } else {
            self.message(dst, args)
        }
    }

    pub(super) fn string_function(&mut self, builtin: Builtin, args: &[Operand]) -> ir::Value {
        match builtin {
            Builtin::Strlen => {
                let text = self.read(args[0]);
                // The length of a text always fits an int.
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

    /// Emits a built-in function without a result.
    pub(super) fn effect(&mut self, builtin: Builtin, args: &[Operand]) {
        if builtin == Builtin::SetMessage {
            return self.set_message(args);
        }
        if let Some(shim) = shims::print(builtin) {
            let format = usize::from(builtin == Builtin::Fprintf);
            let mut values = self.format_args(&args[format..]).to_vec();
            if format == 1 {
                values.insert(2, self.read(args[0]));
            }
            self.call(shim, &values);
        }
    }

    /// Arguments of `format` and `printf`: context, place, format, argument records and their number.
    fn format_args(&mut self, args: &[Operand]) -> [ir::Value; 5] {
        let [records, count] = self.records(&args[1..]);
        let format = self.read(args[0]);
        let place = self.place();
        [self.ctx, place, format, records, count]
    }

    /// Stores argument records of any kind, and returns their address and number.
    pub(super) fn records(&mut self, args: &[Operand]) -> [ir::Value; 2] {
        let record = size_of::<Record>() as u64;
        let slot = self.new_slot(record * args.len().max(1) as u64);
        let records = self.slot(slot);
        for (i, arg) in args.iter().enumerate() {
            let (kind, values, data) = self.record(*arg);
            let at = records.plus(record * i as u64);
            let (kind, values) = (self.int(kind as i32), self.int(values as i32));
            self.store(kind, at);
            self.store(values, at.plus(4));
            self.store(data, at.plus(8));
        }
        [records.base, self.int(args.len() as i32)]
    }

    /// Returns the kind, number and address of an argument's values.
    fn record(&mut self, arg: Operand) -> (ArgKind, u32, ir::Value) {
        let shape = self.shape(arg);
        let (kind, each) = match shape {
            Shape::Int => (ArgKind::Int, 1),
            Shape::Float => (ArgKind::Float, 1),
            Shape::Triple => (ArgKind::Triple, 1),
            Shape::Matrix => (ArgKind::Float, 16),
            Shape::Text => (ArgKind::Text, 1),
            Shape::Closure => {
                self.shared.shows_closures = true;
                (ArgKind::Closure, 1)
            }
        };
        let data = if self.is_in_memory(arg) {
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

    /// Returns whether an operand is a matrix or an array.
    pub(super) fn is_in_memory(&self, arg: Operand) -> bool {
        match arg {
            Operand::Local(local) => register(self.ty(local)).is_none(),
            Operand::Const(id) => matches!(self.code.consts[id], Const::Matrix(_) | Const::Array(_)),
        }
    }

    // ---- Messages ----

    fn set_message(&mut self, args: &[Operand]) {
        let [name, ty, place] = self.read_all(&args[..3]);
        let (_, count, data) = self.record(args[3]);
        let stride = match self.shape(args[3]) {
            // A matrix has sixteen values.
            Shape::Matrix => 4,
            shape => shape.stride(),
        };
        let bytes = self.int((stride * u64::from(count)) as i32);
        let report = self.place();
        self.call(shims::set_message(), &[self.ctx, report, name, ty, place, data, bytes]);
    }

    /// Tests whether a message exists.
    fn has_message(&mut self, args: &[Operand]) -> ir::Value {
        let [source, name, ty, place, kind] = self.read_all(args);
        let values = [self.ctx, source, name, ty, place, kind];
        self.call_value(shims::has_message(), &values)
    }

    /// Reads a message whose value is in a register.
    fn message(&mut self, dst: LocalId, args: &[Operand]) -> ir::Value {
        let ty = self.ty(dst);
        let slot = self.new_slot(16);
        let out = self.slot(slot);
        let zero = self.zero(Shape::of(ty.base));
        self.store(zero, out);
        self.message_into(dst, args, out.base);
        let register = register(ty).expect("the destination is in a register");
        self.load(register, out)
    }

    /// Reads a message into memory.
    pub(super) fn message_into(&mut self, dst: LocalId, args: &[Operand], out: ir::Value) {
        let ty = self.ty(dst);
        let [source, name, kind] = self.read_all(args);
        let bytes = Shape::of(ty.base).stride() * u64::from(ty.count());
        let bytes = self.int(bytes as i32);
        let report = self.place();
        let values = [self.ctx, report, source, name, kind, out, bytes];
        self.call(shims::message_value(), &values);
    }

    // ---- The library ----

    /// Calls a library function whose result is in a register.
    pub(super) fn library_value(&mut self, dst: LocalId, builtin: Builtin, args: &[Operand]) -> ir::Value {
        let slot = self.new_slot(16);
        let out = self.slot(slot);
        self.library_call(dst, builtin, args, out.base);
        let ty = register(self.ty(dst)).expect("the destination is in a register");
        self.load(ty, out)
    }

    /// Calls a library function that stores its result.
    pub(super) fn library_call(&mut self, dst: LocalId, builtin: Builtin, args: &[Operand], out: ir::Value) {
        let function = self.library_function(dst, builtin, args);
        self.call_library(function, args, out);
    }

    /// Calls a library function with derivatives, which stores an array.
    pub(super) fn library_dual(&mut self, dst: LocalId, builtin: Builtin, args: &[Operand], out: ir::Value) {
        let function = self.library_function(dst, builtin, args);
        self.call_library(function.with_derivatives(), args, out);
    }

    fn library_function(&self, dst: LocalId, builtin: Builtin, args: &[Operand]) -> Function {
        let known: Vec<Option<&Const>> = args.iter().map(|&a| self.constant(a)).collect();
        let gives = Kind::of(self.ty(dst)).expect("variables have values");
        Function::new(builtin, gives, &known)
    }

    fn call_library(&mut self, function: Function, args: &[Operand], out: ir::Value) {
        let function = Box::new(function);
        let address = std::ptr::from_ref(&*function).expose_provenance();
        self.shared.library.push(function);
        let [records, count] = self.records(args);
        let (place, function) = (self.place(), self.pointer(address));
        self.call(shims::library(), &[self.ctx, place, function, records, count, out]);
    }

    // ---- The shading point ----

    pub(super) fn query(&mut self, builtin: Builtin, args: &[Operand]) -> ir::Value {
        match builtin {
            Builtin::Backfacing => self.load_global(types::I32, offset_of!(ShaderGlobals, backfacing)),
            Builtin::SurfaceArea => {
                self.shared.reads_surface_area = true;
                self.load_global(types::F32, offset_of!(ShaderGlobals, surface_area))
            }
            Builtin::HasAttribute => self.attribute(args).0,
            _ => self.ask_ray_kind(args[0]),
        }
    }

    fn ask_ray_kind(&mut self, name: Operand) -> ir::Value {
        self.shared.reads_ray_kind = true;
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

    /// Queries an attribute; returns whether it exists, and the address of its four floats.
    pub(super) fn attribute(&mut self, args: &[Operand]) -> (ir::Value, Address) {
        self.shared.queries_host = true;
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

    /// Reads the derivative of an attribute along an axis.
    pub(super) fn attribute_derivative(&mut self, dst: LocalId, axis: Axis, args: &[Operand]) -> ir::Value {
        self.shared.queries_host = true;
        self.shared.reads_derivatives = true;
        let [object, name] = self.read_all(args);
        let out = self.temp(0);
        let axis = self.int(axis as i32);
        let shim = self.shared.host.attribute_derivative;
        self.call(shim, &[self.ctx, object, name, axis, out.base]);
        let ty = register(self.ty(dst)).expect("float or triple");
        self.load(ty, out)
    }

    /// Calls a service of the run or the host that returns an int.
    pub(super) fn service(&mut self, builtin: Builtin, args: &[Operand]) -> ir::Value {
        self.shared.queries_host |= matches!(builtin, Builtin::Trace | Builtin::IsSpace);
        let shim = shims::service(builtin).expect("a service");
        let mut values = vec![self.ctx];
        for (i, &arg) in args.iter().enumerate() {
            let value = self.read(arg);
            values.push(match self.shape(arg) {
                Shape::Triple => self.spill(i, value),
                _ => value,
            });
        }
        self.call_value(shim, &values)
    }

    /// Reads a dictionary value that is held in a register.
    pub(super) fn dict_value(&mut self, dst: LocalId, args: &[Operand]) -> ir::Value {
        let ty = self.ty(dst);
        let slot = self.new_slot(16);
        let out = self.slot(slot);
        let zero = self.zero(Shape::of(ty.base));
        self.store(zero, out);
        self.dict_value_into(args, out.base);
        let register = register(ty).expect("the destination is in a register");
        self.load(register, out)
    }

    /// Reads a dictionary value into memory. Stores nothing if the value does not exist; compiled code tests this before.
    pub(super) fn dict_value_into(&mut self, args: &[Operand], out: ir::Value) {
        let [node, name, kind] = self.read_all(args);
        let place = self.place();
        self.call(shims::dict_value(), &[self.ctx, place, node, name, kind, out]);
    }

    /// Tests whether any attribute exists.
    pub(super) fn has_any_attribute(&mut self, args: &[Operand]) -> ir::Value {
        self.shared.queries_host = true;
        let [object, name, index, kind] = self.read_all(args);
        match self.any_attribute_handle(args) {
            Some(handle) => {
                let shim = shims::has_any_attribute_by_handle();
                self.call_value(shim, &[self.ctx, handle, index, kind])
            }
            None => {
                let shim = shims::has_any_attribute();
                self.call_value(shim, &[self.ctx, object, name, index, kind])
            }
        }
    }

    /// Returns the handle of an attribute of the shaded object, if its name is constant and the host has a handle.
    fn any_attribute_handle(&mut self, args: &[Operand]) -> Option<ir::Value> {
        let constants = [args[0], args[1], args[3]].map(|arg| self.constant(arg));
        let [Some(Const::String(object)), Some(Const::String(name)), Some(Const::Int(kind))] = constants
        else {
            return None;
        };
        let handle = self.shared.host.host.any_attribute_handle(name, Kind::of_code(*kind));
        let handle = handle.filter(|_| object.is_empty())?;
        Some(self.int(handle.0 as i32))
    }

    /// Reads any attribute whose value is in a register.
    pub(super) fn any_attribute(&mut self, dst: LocalId, args: &[Operand]) -> ir::Value {
        let ty = self.ty(dst);
        let slot = self.new_slot(16);
        let out = self.slot(slot);
        let zero = self.zero(Shape::of(ty.base));
        self.store(zero, out);
        self.any_attribute_into(args, out.base);
        let register = register(ty).expect("the destination is in a register");
        self.load(register, out)
    }

    /// Reads an attribute of any type into memory. Stores nothing if it does not exist; compiled code tests this before.
    pub(super) fn any_attribute_into(&mut self, args: &[Operand], out: ir::Value) {
        self.shared.queries_host = true;
        let [object, name, index, kind] = self.read_all(args);
        let place = self.place();
        match self.any_attribute_handle(args) {
            Some(handle) => {
                let shim = shims::any_attribute_by_handle();
                self.call(shim, &[self.ctx, place, handle, index, kind, out]);
            }
            None => {
                let shim = shims::any_attribute();
                self.call(shim, &[self.ctx, place, object, name, index, kind, out]);
            }
        }
    }

    /// Converts an attribute to the destination's type; strings and closures are never attributes.
    pub(super) fn attribute_value(&mut self, dst: LocalId, args: &[Operand]) -> ir::Value {
        let shape = Shape::of(self.ty(dst).base);
        if matches!(shape, Shape::Text | Shape::Closure) {
            return self.zero(shape);
        }
        let (_, value) = self.attribute(args);
        match shape {
            Shape::Int => {
                let value = self.load(types::F32, value);
                self.float_to_int(value)
            }
            Shape::Float => self.load(types::F32, value),
            _ => self.load(types::F32X4, value),
        }
    }
}
