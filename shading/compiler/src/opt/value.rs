//! The value number table: values with their definitions, for common subexpression elimination.

use std::hash::Hasher;

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use rustc_hash::{FxHashMap, FxHasher};

use crate::builtins::Builtin;
use crate::hir::{Code, Const, ConstId, Kind, Op};

/// Number of a value, wherever it is valid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ValueId(u32);
entity_impl!(ValueId, "v");

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Def {
    /// A constant.
    Const(ConstId),
    /// An operation on other values, with the kind of its destination.
    Op(Op, Kind, Args),
    /// An unknown value.
    Unknown(Kind),
}

/// Range of operands in the table's pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Args {
    start: u32,
    len: u32,
}

/// Value numbers of a function.
#[derive(Default)]
pub(super) struct Values {
    defs: PrimaryMap<ValueId, Def>,
    pool: Vec<ValueId>,
    /// Operations by hash; of two that collide, only the later is found.
    ops: FxHashMap<u64, ValueId>,
    consts: FxHashMap<u64, ValueId>,
    by_const: SecondaryMap<ConstId, Option<ValueId>>,
    zeros: FxHashMap<Kind, ValueId>,
}

/// Maximum length of arrays that are tracked as constants through assignments of elements.
pub(super) const MAX_CONST_ARRAY: usize = 64;

impl Values {
    pub(super) fn unknown(&mut self, kind: Kind) -> ValueId {
        self.defs.push(Def::Unknown(kind))
    }

    /// Kind of a value; `None` for a constant without one.
    pub(super) fn kind(&self, code: &Code, id: ValueId) -> Option<Kind> {
        match self.defs[id] {
            Def::Const(id) => Kind::of_const(&code.consts[id]),
            Def::Op(_, kind, _) | Def::Unknown(kind) => Some(kind),
        }
    }

    pub(super) fn def(&self, id: ValueId) -> Def {
        self.defs[id]
    }

    pub(super) fn args(&self, args: Args) -> &[ValueId] {
        &self.pool[args.start as usize..][..args.len as usize]
    }

    /// Returns the operation and operands of a value defined by an operation for which `which` is true.
    pub(super) fn made_by(&self, id: ValueId, which: impl Fn(Op) -> bool) -> Option<(Op, &[ValueId])> {
        match self.defs[id] {
            Def::Op(op, _, args) if which(op) => Some((op, self.args(args))),
            Def::Op(..) | Def::Const(_) | Def::Unknown(_) => None,
        }
    }

    pub(super) fn as_const<'a>(&self, code: &'a Code, id: ValueId) -> Option<&'a Const> {
        match self.defs[id] {
            Def::Const(id) => Some(&code.consts[id]),
            Def::Op(..) | Def::Unknown(_) => None,
        }
    }

    pub(super) fn as_int(&self, code: &Code, id: ValueId) -> Option<i32> {
        match self.as_const(code, id) {
            Some(Const::Int(value)) => Some(*value),
            _ => None,
        }
    }

    /// Value number of a constant of the function.
    pub(super) fn of_const(&mut self, code: &Code, id: ConstId) -> ValueId {
        if let Some(value) = self.by_const[id] {
            return value;
        }
        let hash = hash_const(&code.consts[id]);
        let known = self.consts.get(&hash).copied().filter(|&value| {
            self.as_const(code, value)
                .is_some_and(|known| identical(known, &code.consts[id]))
        });
        let value = known.unwrap_or_else(|| self.defs.push(Def::Const(id)));
        self.consts.entry(hash).or_insert(value);
        self.by_const[id] = Some(value);
        value
    }

    /// Value number of a constant, which is added if it is new.
    pub(super) fn constant(&mut self, code: &mut Code, value: Const) -> ValueId {
        let hash = hash_const(&value);
        if let Some(&known) = self.consts.get(&hash)
            && self.as_const(code, known).is_some_and(|k| identical(k, &value))
        {
            return known;
        }
        let id = code.consts.push(value);
        self.of_const(code, id)
    }

    /// Initial value of a variable.
    pub(super) fn zero(&mut self, code: &mut Code, kind: Kind) -> ValueId {
        if let Kind::Array(_, n) = kind
            && !(1..=MAX_CONST_ARRAY).contains(&(n as usize))
        {
            return self.unknown(kind);
        }
        if let Some(&value) = self.zeros.get(&kind) {
            return value;
        }
        let value = self.constant(code, kind.zero());
        self.zeros.insert(kind, value);
        value
    }

    /// Value number of an operation.
    pub(super) fn op(&mut self, op: Op, kind: Kind, args: &[ValueId]) -> ValueId {
        let mut hasher = FxHasher::default();
        let sorted;
        let args = match *args {
            [a, b] if a > b && commutes(op, kind) => {
                sorted = [b, a];
                &sorted[..]
            }
            _ => args,
        };
        std::hash::Hash::hash(&(op, kind, args), &mut hasher);
        let hash = hasher.finish();
        if let Some(&known) = self.ops.get(&hash)
            && let Def::Op(known_op, known_kind, known_args) = self.defs[known]
            && (known_op, known_kind) == (op, kind)
            && self.args(known_args) == args
        {
            return known;
        }
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(args);
        let len = args.len() as u32;
        let value = self.defs.push(Def::Op(op, kind, Args { start, len }));
        self.ops.insert(hash, value);
        value
    }
}

/// Returns whether the operation is commutative; sums and products are, because all NaNs are equal.
fn commutes(op: Op, kind: Kind) -> bool {
    match op {
        Op::Add | Op::BitAnd | Op::BitOr | Op::BitXor | Op::Eq | Op::Ne => true,
        Op::Mul => kind != Kind::MATRIX,
        Op::Builtin(Builtin::Dot) => true,
        _ => false,
    }
}

/// Returns whether two constants have the same bits.
fn identical(a: &Const, b: &Const) -> bool {
    // NaNs with different bits are equal to every operation.
    a.same(b)
}

fn hash_const(value: &Const) -> u64 {
    fn add(hasher: &mut FxHasher, value: &Const) {
        let float = |hasher: &mut FxHasher, x: f32| {
            hasher.write_u32(if x.is_nan() { f32::NAN } else { x }.to_bits());
        };
        match value {
            Const::Int(a) => {
                hasher.write_u8(0);
                hasher.write_i32(*a);
            }
            Const::Float(a) => {
                hasher.write_u8(1);
                float(hasher, *a);
            }
            Const::Triple(a) => a.iter().for_each(|&x| float(hasher, x)),
            Const::Matrix(a) => a.iter().for_each(|&x| float(hasher, x)),
            Const::String(a) => hasher.write(a.as_bytes()),
            Const::NullClosure => hasher.write_u8(2),
            Const::Array(a) => {
                hasher.write_usize(a.len());
                a.iter().for_each(|v| add(hasher, v));
            }
        }
    }
    let mut hasher = FxHasher::default();
    add(&mut hasher, value);
    hasher.finish()
}
