//! Texture lookups: a request record on the stack, read by a host function.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::{self, InstBuilder, types};

use super::emitter::{Address, Emitter};
use super::layout::{Shape, register};
use crate::runtime::shims::{self, LookupRecord};
use crate::runtime::{Subimage, TextureRequest};
use shading_compiler::hir::{Const, Kind, LocalId, Operand, TextureMapping, TextureOperand, TextureOptions};

/// Fields of the record for options that are names.
const NAMES: [(TextureOperand, usize); 6] = [
    (TextureOperand::WrapS, offset_of!(LookupRecord, wrap_s)),
    (TextureOperand::WrapT, offset_of!(LookupRecord, wrap_t)),
    (TextureOperand::WrapR, offset_of!(LookupRecord, wrap_r)),
    (TextureOperand::Interpolation, offset_of!(LookupRecord, interpolation)),
    (TextureOperand::ColorSpace, offset_of!(LookupRecord, color_space)),
    (TextureOperand::SubimageName, offset_of!(LookupRecord, subimage_name)),
];

/// Fields of the record for options that are floats, with their default values.
const NUMBERS: [(TextureOperand, usize, f32); 5] = [
    (TextureOperand::WidthS, offset_of!(LookupRecord, width), 1.0),
    (TextureOperand::WidthT, offset_of!(LookupRecord, width) + 4, 1.0),
    (TextureOperand::BlurS, offset_of!(LookupRecord, blur), 0.0),
    (TextureOperand::BlurT, offset_of!(LookupRecord, blur) + 4, 0.0),
    (TextureOperand::Fill, offset_of!(LookupRecord, fill), 0.0),
];

/// Fields of the record for options that are ints.
const INTS: [(TextureOperand, usize); 2] = [
    (TextureOperand::FirstChannel, offset_of!(LookupRecord, first_channel)),
    (TextureOperand::Subimage, offset_of!(LookupRecord, subimage)),
];

impl Emitter<'_, '_> {
    /// Emits a lookup. The handle of a constant file name is looked up at compile time.
    pub(super) fn texture(&mut self, dst: LocalId, options: TextureOptions, args: &[Operand]) {
        let options = self.known_options(options, args);
        let functions = self.shared.host.texture;
        let record = self.lookup_record(options, args);
        let out = self.local_pointer(dst);
        match self.request(options, args) {
            Some(request) => match self.shared.texture_handle(request, options, self.span) {
                Some(handle) => {
                    let handle = self.int(handle.0 as i32);
                    self.call(functions.by_handle, &[self.ctx, handle, record.base, out]);
                }
                None => {
                    self.call(functions.absent, &[record.base, out]);
                }
            },
            None => {
                self.record_late_texture(&args[0]);
                self.store_file(record, args);
                let place = self.place();
                self.call(functions.named, &[self.ctx, place, record.base, out]);
            }
        }
    }

    /// Emits the error message of a lookup.
    pub(super) fn texture_error(&mut self, options: TextureOptions, args: &[Operand]) -> ir::Value {
        let options = self.known_options(options, args);
        if let Some(request) = self.request(options, args) {
            // The handle is requested here, so that an embedder with a fixed set of textures knows that this one is needed.
            let optional = TextureOptions { optional: true, ..options };
            self.shared.texture_handle(request, optional, self.span);
        }
        self.record_late_texture(&args[0]);
        let record = self.lookup_record(options, args);
        self.store_file(record, args);
        let place = self.place();
        self.call_value(self.shared.host.texture.error, &[self.ctx, place, record.base])
    }

    /// Tests whether a file has an information.
    pub(super) fn has_texture_info(&mut self, kind: Kind, args: &[Operand]) -> ir::Value {
        let nowhere = self.pointer(0);
        self.texture_info_call(kind, args, nowhere)
    }

    /// Reads a file's information whose value is in a register.
    pub(super) fn texture_info(&mut self, dst: LocalId, args: &[Operand]) -> ir::Value {
        let ty = self.ty(dst);
        let shape = Shape::of(ty.base);
        let Some(kind) = Kind::of(ty).filter(|_| shape != Shape::Closure) else {
            return self.zero(shape);
        };
        let out = self.temp(0);
        self.texture_info_call(kind, args, out.base);
        self.load(register(ty).expect("the value is in a register"), out)
    }

    /// Reads a file's information into memory.
    pub(super) fn texture_info_in_memory(&mut self, dst: LocalId, args: &[Operand]) {
        if let Some(kind) = Kind::of(self.ty(dst)) {
            let out = self.local_pointer(dst);
            self.texture_info_call(kind, args, out);
        }
    }

    fn texture_info_call(&mut self, kind: Kind, args: &[Operand], out: ir::Value) -> ir::Value {
        self.record_late_texture(&args[0]);
        let [file, name, s, t] = self.read_all(args);
        let kind = self.int(kind.code());
        let place = self.place();
        let info = self.shared.host.texture.info;
        self.call_value(info, &[self.ctx, place, file, name, s, t, kind, out])
    }

    /// Records a file that is looked up by name at run time.
    fn record_late_texture(&mut self, file: &Operand) {
        match self.constant(*file) {
            Some(Const::String(name)) => {
                let name = name.to_string();
                self.shared.late_files.insert(name);
            }
            _ => self.shared.chooses_texture_names = true,
        }
    }

    /// Returns the options with operands that are constant names moved to their fields.
    fn known_options(&self, mut options: TextureOptions, args: &[Operand]) -> TextureOptions {
        for (option, _) in NAMES {
            if let Some(place) = options.position(option)
                && let Some(Const::String(name)) = self.constant(args[place])
            {
                options.set_by_name(option, name);
            }
        }
        options
    }

    /// Returns the texture request, if all its parts are constant.
    fn request(&self, options: TextureOptions, args: &[Operand]) -> Option<TextureRequest> {
        let constant = |option| options.position(option).map(|place| self.constant(args[place]));
        let Some(Const::String(file)) = self.constant(args[0]) else {
            return None;
        };
        // A known colour space is in its field.
        if constant(TextureOperand::ColorSpace).is_some_and(|name| name.is_none()) {
            return None;
        }
        let subimage = match (constant(TextureOperand::SubimageName), constant(TextureOperand::Subimage)) {
            (None, None) => Subimage::First,
            (Some(Some(Const::String(name))), _) => Subimage::named(name),
            (None, Some(Some(Const::Int(index)))) => Subimage::numbered(*index),
            _ => return None,
        };
        Some(TextureRequest {
            file: file.to_string(),
            color_space: options.color_space,
            subimage,
        })
    }

    fn store_file(&mut self, record: Address, args: &[Operand]) {
        let file = self.read(args[0]);
        self.store(file, record.plus(offset_of!(LookupRecord, file) as u64));
    }

    /// Creates the lookup record, except for the file.
    fn lookup_record(&mut self, options: TextureOptions, args: &[Operand]) -> Address {
        let slot = self.new_slot(size_of::<LookupRecord>() as u64);
        let record = self.slot(slot);
        let at = |offset: usize| record.plus(offset as u64);
        let places = [
            offset_of!(LookupRecord, position),
            offset_of!(LookupRecord, dx),
            offset_of!(LookupRecord, dy),
        ];
        match options.mapping {
            TextureMapping::Plane => {
                for (i, offset) in places.into_iter().enumerate() {
                    let pair: [ir::Value; 2] = self.read_all(&args[1 + 2 * i..]);
                    self.store(pair[0], at(offset));
                    self.store(pair[1], at(offset + 4));
                    let zero = self.float(0.0);
                    self.store(zero, at(offset + 8));
                }
            }
            TextureMapping::Environment | TextureMapping::Volume => {
                for (offset, arg) in places.into_iter().zip(&args[1..]) {
                    let triple = self.read(*arg);
                    self.store(triple, at(offset));
                }
            }
        }
        let operand = |option| options.position(option).map(|place| args[place]);
        for (option, offset) in NAMES {
            // Constant names are in the options, except the name of a subimage.
            let is_known = |arg| {
                option != TextureOperand::SubimageName && matches!(self.constant(arg), Some(Const::String(_)))
            };
            let name = match operand(option).filter(|&arg| !is_known(arg)) {
                Some(arg) => self.read(arg),
                None => self.pointer(0),
            };
            self.store(name, at(offset));
        }
        for (option, offset, otherwise) in NUMBERS {
            let number = match operand(option) {
                Some(arg) => self.read(arg),
                None => self.float(otherwise),
            };
            self.store(number, at(offset));
        }
        for (option, offset) in INTS {
            let number = match operand(option) {
                Some(arg) => self.read(arg),
                None => self.int(0),
            };
            self.store(number, at(offset));
        }
        let missing = offset_of!(LookupRecord, missing);
        let color = match operand(TextureOperand::MissingColor) {
            Some(arg) => self.read(arg),
            None => self.triple([0.0; 3]),
        };
        self.store(color, at(missing));
        let none = self.float(0.0);
        self.store(none, at(missing + 12));
        if let Some(arg) = operand(TextureOperand::MissingAlpha) {
            let alpha = self.read(arg);
            self.store(alpha, at(missing + 4 * usize::from(options.channels)));
        }
        let packed = self.int(shims::pack(options) as i32);
        self.store(packed, at(offset_of!(LookupRecord, options)));
        let operands = self.int(i32::from(options.operands.bits()));
        let operands = self.b.ins().ireduce(types::I16, operands);
        self.store(operands, at(offset_of!(LookupRecord, operands)));
        record
    }
}
