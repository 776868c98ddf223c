//! Built-in mathematics: inline instructions if they give the same bits as [`shading_compiler::eval::math`], else calls.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::emitter::Emitter;
use super::layout::{Shape, register};
use crate::runtime::shims::{self, Dimensions, MatrixFunction, Shim};
use shading_compiler::builtins::Builtin;
use shading_compiler::hir::{LocalId, Operand};

/// Returns whether a function is emitted inline instead of a call.
pub(super) fn is_inline(builtin: Builtin) -> bool {
    use Builtin as B;
    matches!(
        builtin,
        B::Abs
            | B::Floor
            | B::Ceil
            | B::Trunc
            | B::Sqrt
            | B::InverseSqrt
            | B::Sign
            | B::Fmod
            | B::Min
            | B::Max
            | B::IsNan
            | B::IsInf
            | B::IsFinite
            | B::Dot
            | B::Cross
            | B::Length
            | B::Normalize
    )
}

impl Emitter<'_, '_> {
    /// Emits a built-in function whose result is in a register.
    pub(super) fn builtin(&mut self, dst: LocalId, builtin: Builtin, args: &[Operand]) -> ir::Value {
        use Builtin as B;
        if let Some((one, three)) = shims::unary(builtin) {
            return self.call_lanes(one, three, args);
        }
        if let Some((one, three)) = shims::binary(builtin) {
            return self.call_lanes(one, three, args);
        }
        match builtin {
            B::Abs | B::Floor | B::Ceil | B::Trunc | B::Sqrt | B::InverseSqrt | B::Sign => {
                let a = self.read(args[0]);
                self.inline_unary(builtin, a)
            }
            B::Fmod | B::Min | B::Max => {
                let [a, b] = self.read_all(args);
                self.inline_binary(builtin, a, b)
            }
            B::IsNan | B::IsInf | B::IsFinite => self.classify(builtin, args[0]),
            B::Dot => {
                let [a, b] = self.read_all(args);
                self.dot(a, b)
            }
            B::Cross => {
                let [a, b] = self.read_all(args);
                self.cross(a, b)
            }
            B::Length => {
                let a = self.read(args[0]);
                self.length(a)
            }
            B::Normalize => {
                let a = self.read(args[0]);
                let length = self.length(a);
                let one = self.b.ins().f32const(1.0);
                let scale = self.b.ins().fdiv(one, length);
                let [scale, length] = [scale, length].map(|x| self.b.ins().splat(types::F32X4, x));
                let unit = self.b.ins().fmul(a, scale);
                self.zero_unless(FloatCC::NotEqual, length, unit)
            }
            B::Determinant => {
                let at = self.address(args[0]);
                let at = self.address_of(at);
                self.call_value(shims::matrix_function(MatrixFunction::Determinant), &[at])
            }
            B::TransformPoint => self.transform(MatrixFunction::Point, args),
            B::TransformVector => self.transform(MatrixFunction::Vector, args),
            B::TransformNormal => self.transform(MatrixFunction::Normal, args),
            B::Perlin | B::UPerlin | B::Cell | B::HashNoise => self.noise(dst, builtin, args),
            _ if builtin.in_library() => self.library_value(dst, builtin, args),
            B::DictFind | B::DictFindBelow | B::DictNext | B::HasDictValue | B::Trace | B::IsSpace => {
                self.service(builtin, args)
            }
            B::DictValue => self.dict_value(dst, args),
            B::HasAnyAttribute => self.has_any_attribute(args),
            B::AnyAttribute => self.any_attribute(dst, args),
            B::HasCloudValues => self.has_cloud_values(args),
            B::CloudWrite => self.cloud_write(args),
            B::HasMessage | B::MessageValue => self.message_function(dst, builtin, args),
            B::Concat | B::Strlen | B::Startswith | B::Endswith | B::Substr | B::Format => {
                self.string_function(builtin, args)
            }
            B::RayType | B::Backfacing | B::SurfaceArea | B::HasAttribute => self.query(builtin, args),
            // The optimiser has resolved every query whose answer is true.
            B::IsConstant => self.b.ins().iconst(types::I32, 0),
            _ => unreachable!("{builtin:?} has no result in a register"),
        }
    }

    /// Calls a function: directly on floats, through temporaries on triples.
    fn call_lanes(&mut self, one: Shim, three: Shim, args: &[Operand]) -> ir::Value {
        let values: Vec<ir::Value> = args.iter().map(|&a| self.read(a)).collect();
        if self.shape(args[0]) == Shape::Float {
            return self.call_value(one, &values);
        }
        let mut addresses = vec![self.temp(0).base];
        for (i, value) in values.into_iter().enumerate() {
            addresses.push(self.spill(i, value));
        }
        self.call(three, &addresses);
        let result = self.temp(0);
        self.load(types::F32X4, result)
    }

    pub(super) fn inline_unary(&mut self, builtin: Builtin, a: ir::Value) -> ir::Value {
        use Builtin as B;
        let ty = self.b.func.dfg.value_type(a);
        match builtin {
            B::Abs if ty.lane_type() == types::I32 => self.b.ins().iabs(a),
            B::Abs => self.b.ins().fabs(a),
            B::Floor => self.b.ins().floor(a),
            B::Ceil => self.b.ins().ceil(a),
            B::Trunc => self.b.ins().trunc(a),
            B::Sqrt => {
                let root = self.b.ins().sqrt(a);
                self.zero_unless(FloatCC::GreaterThanOrEqual, a, root)
            }
            B::InverseSqrt => {
                let root = self.b.ins().sqrt(a);
                let one = self.like(ty, 1.0);
                let inverse = self.b.ins().fdiv(one, root);
                self.zero_unless(FloatCC::GreaterThan, a, inverse)
            }
            _ => {
                // x < 0 ? −1 : x == 0 ? 0 : 1, so that a NaN gives 1.
                let [zero, one, minus] = [0.0, 1.0, -1.0].map(|x| self.like(ty, x));
                let rest = self.pick(FloatCC::Equal, a, zero, zero, one);
                self.pick(FloatCC::LessThan, a, zero, minus, rest)
            }
        }
    }

    pub(super) fn inline_binary(&mut self, builtin: Builtin, a: ir::Value, b: ir::Value) -> ir::Value {
        let is_int = self.b.func.dfg.value_type(a).lane_type() == types::I32;
        match builtin {
            Builtin::Min if is_int => self.b.ins().smin(a, b),
            Builtin::Max if is_int => self.b.ins().smax(a, b),
            // These forms compile to a single instruction.
            Builtin::Min => self.pick(FloatCC::LessThan, b, a, b, a),
            Builtin::Max => self.pick(FloatCC::LessThan, a, b, b, a),
            _ => {
                let quotient = self.b.ins().fdiv(a, b);
                let whole = self.b.ins().trunc(quotient);
                let whole = self.b.ins().fmul(whole, b);
                let rest = self.b.ins().fsub(a, whole);
                self.zero_unless(FloatCC::NotEqual, b, rest)
            }
        }
    }

    /// Returns a number in all lanes of a type.
    fn like(&mut self, ty: ir::Type, x: f32) -> ir::Value {
        if ty == types::F32 { self.float(x) } else { self.four([x; 4]) }
    }

    /// Selects lane by lane: `a cc b ? x : y`.
    fn pick(&mut self, cc: FloatCC, a: ir::Value, b: ir::Value, x: ir::Value, y: ir::Value) -> ir::Value {
        if self.b.func.dfg.value_type(a) == types::F32 {
            let test = self.b.ins().fcmp(cc, a, b);
            self.b.ins().select(test, x, y)
        } else {
            let test = self.lane_test(cc, a, b);
            self.b.ins().bitselect(test, x, y)
        }
    }

    fn classify(&mut self, builtin: Builtin, a: Operand) -> ir::Value {
        let a = self.read(a);
        let truth = if builtin == Builtin::IsNan {
            self.b.ins().fcmp(FloatCC::Unordered, a, a)
        } else {
            let cc = match builtin {
                Builtin::IsInf => FloatCC::Equal,
                _ => FloatCC::LessThan,
            };
            let magnitude = self.b.ins().fabs(a);
            let infinity = self.float(f32::INFINITY);
            self.b.ins().fcmp(cc, magnitude, infinity)
        };
        self.extend(truth)
    }

    // ---- Triples ----

    /// `(x·x' + y·y') + z·z'`.
    fn dot(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        let products = self.b.ins().fmul(a, b);
        let [x, y, z] = self.lanes(products);
        let sum = self.b.ins().fadd(x, y);
        self.b.ins().fadd(sum, z)
    }

    fn length(&mut self, a: ir::Value) -> ir::Value {
        let dot = self.dot(a, a);
        self.b.ins().sqrt(dot)
    }

    /// `a.yzx · b.zxy − a.zxy · b.yzx`.
    fn cross(&mut self, a: ir::Value, b: ir::Value) -> ir::Value {
        const YZX: [u8; 4] = [1, 2, 0, 3];
        const ZXY: [u8; 4] = [2, 0, 1, 3];
        let (a1, b2) = (self.shuffle(a, YZX), self.shuffle(b, ZXY));
        let (a2, b1) = (self.shuffle(a, ZXY), self.shuffle(b, YZX));
        let left = self.b.ins().fmul(a1, b2);
        let right = self.b.ins().fmul(a2, b1);
        self.b.ins().fsub(left, right)
    }

    /// Permutes lanes.
    pub(super) fn shuffle(&mut self, a: ir::Value, lanes: [u8; 4]) -> ir::Value {
        let bytes: Vec<u8> = lanes
            .into_iter()
            .flat_map(|lane| (0..4).map(move |byte| lane * 4 + byte))
            .collect();
        let mask = self.b.func.dfg.immediates.push(bytes.into());
        let little = ir::MemFlagsData::new().with_endianness(ir::Endianness::Little);
        let a = self.b.ins().bitcast(types::I8X16, little, a);
        let shuffled = self.b.ins().shuffle(a, a, mask);
        self.b.ins().bitcast(types::F32X4, little, shuffled)
    }

    // ---- Calls ----

    fn transform(&mut self, function: MatrixFunction, args: &[Operand]) -> ir::Value {
        let matrix = self.address(args[0]);
        let matrix = self.address_of(matrix);
        let triple = self.read(args[1]);
        let at = self.spill(0, triple);
        self.call(shims::matrix_function(function), &[at, matrix, at]);
        let result = self.temp(0);
        self.load(types::F32X4, result)
    }

    fn dimensions(&self, args: &[Operand]) -> Dimensions {
        match (self.shape(args[0]), args.len()) {
            (Shape::Triple, 1) => Dimensions::Three,
            (Shape::Triple, _) => Dimensions::Four,
            (_, 1) => Dimensions::One,
            (_, _) => Dimensions::Two,
        }
    }

    /// Computes a noise with its derivatives in memory.
    pub(super) fn noise_dual(&mut self, dst: LocalId, builtin: Builtin, args: &[Operand]) {
        let count = args.len() / 3;
        let dimensions = self.dimensions(&args[..count]);
        let shape = Shape::of(self.ty(dst).base);
        let shim =
            shims::noise_dual(builtin, dimensions, shape == Shape::Triple).expect("a noise with derivatives");
        let records = self.dual_records(count);
        for (i, &arg) in args.iter().enumerate() {
            let value = self.read(arg);
            self.store(value, records.plus(48 * (i % count) as u64 + 16 * (i / count) as u64));
        }
        let out = self.local_address(dst);
        let out = self.address_of(out);
        self.call(shim, &[out, records.base]);
    }

    fn noise(&mut self, dst: LocalId, builtin: Builtin, args: &[Operand]) -> ir::Value {
        let dimensions = self.dimensions(args);
        let over_triple = self.shape(args[0]) == Shape::Triple;
        let gives_triple = register(self.ty(dst)) == Some(types::F32X4);
        let shim = shims::noise(builtin, dimensions, gives_triple).expect("a noise");
        let mut values: Vec<ir::Value> = args.iter().map(|&a| self.read(a)).collect();
        if over_triple {
            values[0] = self.spill(0, values[0]);
        }
        if !gives_triple {
            return self.call_value(shim, &values);
        }
        let out = self.temp(1);
        values.insert(0, out.base);
        self.call(shim, &values);
        self.load(types::F32X4, out)
    }
}
