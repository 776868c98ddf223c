//! Divergence analysis: the variables and scopes that vary within a packet, and whether a unit has packet code.
//!
//! - A variable *varies* if its value may differ between the points of a packet: it is assigned a varying value, or is
//!   assigned in code where only some points may be active.
//! - A scope is *divergent* if some points may leave it while others continue.
//! - A variable is *private* to a block if its first reference is an assignment in the block, and it has no reference
//!   outside. In that block it can be assigned at all points, including inactive ones.
//! - The *home* of a variable is the innermost block that contains all its references. Points that have left that block for
//!   good may have any value of it.

use cranelift_entity::SecondaryMap;

use crate::codegen::layout::Shape;
use shading_compiler::builtins::Builtin;
use shading_compiler::hir::{Block, Code, Const, LocalId, Op, Operand, ScopeId, Stmt, Unit, walk};
use shading_compiler::ty::{Base, Type};

/// Maximum number of rows of all variables in memory (on the native stack) and outputs of a unit.
const MAX_ROWS: u64 = 2048;

/// A block of statements, identified by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockKey(usize);

impl BlockKey {
    pub(super) fn of(block: &Block) -> BlockKey {
        BlockKey(std::ptr::from_ref(block).addr())
    }
}

/// Results of the analysis of a unit, used by code generation.
#[derive(Debug, Default)]
pub(in crate::codegen) struct Plan {
    varying: SecondaryMap<LocalId, bool>,
    divergent: SecondaryMap<ScopeId, bool>,
    privacy: SecondaryMap<LocalId, Privacy>,
    /// Blocks that contain all mentions of each variable, the outermost first.
    homes: SecondaryMap<LocalId, Option<Vec<BlockKey>>>,
}

/// Privacy of a variable according to the mentions seen so far.
#[derive(Clone, Copy, Debug, Default)]
enum Privacy {
    #[default]
    Unmentioned,
    /// First assigned in this block, and not mentioned outside.
    Private(BlockKey),
    Shared,
}

impl Plan {
    /// Analyses a unit; `None` if it contains operations that run at single points only.
    pub(in crate::codegen) fn of(unit: &Unit, outputs: &[LocalId]) -> Option<Plan> {
        let mut plan = Plan::default();
        let blocks = || unit.params.iter().map(|p| &p.init).chain([&unit.code.body]);
        loop {
            let mut analysis = DivergenceAnalysis { plan: &mut plan, changed: false };
            blocks().for_each(|block| analysis.block(block, false));
            if !analysis.changed {
                break;
            }
        }
        plan.find_private(blocks(), outputs);
        plan.supports(unit, blocks(), outputs).then_some(plan)
    }

    /// Returns whether a variable may differ between points.
    pub(super) fn varies(&self, local: LocalId) -> bool {
        self.varying[local]
    }

    /// Returns whether an operand may differ between points.
    pub(super) fn operand_varies(&self, operand: Operand) -> bool {
        match operand {
            Operand::Local(local) => self.varying[local],
            Operand::Const(_) => false,
        }
    }

    /// Returns whether some points may leave a scope while others continue.
    pub(super) fn is_divergent(&self, scope: ScopeId) -> bool {
        self.divergent[scope]
    }

    pub(super) fn is_private(&self, local: LocalId, block: BlockKey) -> bool {
        matches!(self.privacy[local], Privacy::Private(home) if home == block)
    }

    /// Returns whether all mentions of a variable are in a block.
    pub(super) fn is_used_only_in(&self, local: LocalId, block: BlockKey) -> bool {
        self.homes[local].as_ref().is_some_and(|home| home.contains(&block))
    }

    /// Returns whether a variable in memory could be read before it is assigned.
    pub(super) fn needs_clear(&self, local: LocalId) -> bool {
        matches!(self.privacy[local], Privacy::Shared)
    }

    fn find_private<'b>(&mut self, blocks: impl Iterator<Item = &'b Block>, outputs: &[LocalId]) {
        for &output in outputs {
            self.privacy[output] = Privacy::Shared;
            self.homes[output] = Some(vec![]);
        }
        let mut open = vec![];
        for block in blocks {
            self.mentions(block, &mut open);
        }
    }

    fn mentions(&mut self, block: &Block, open: &mut Vec<BlockKey>) {
        let key = BlockKey::of(block);
        open.push(key);
        for stmt in block {
            for local in walk::reads(stmt) {
                self.mention(local, open, None);
            }
            for &local in walk::writes(stmt) {
                self.mention(local, open, Some(key));
            }
            match stmt {
                Stmt::If { then, otherwise, .. } => {
                    self.mentions(then, open);
                    self.mentions(otherwise, open);
                }
                Stmt::Loop { body, .. } | Stmt::Scope { body, .. } => self.mentions(body, open),
                Stmt::Op { .. } | Stmt::Call { .. } | Stmt::Leave(_) => {}
            }
        }
        open.pop();
    }

    fn mention(&mut self, local: LocalId, open: &[BlockKey], assigned_in: Option<BlockKey>) {
        match &mut self.homes[local] {
            Some(home) => {
                let common = home.iter().zip(open).take_while(|(a, b)| a == b).count();
                home.truncate(common);
            }
            home => *home = Some(open.to_vec()),
        }
        self.privacy[local] = match (self.privacy[local], assigned_in) {
            (Privacy::Unmentioned, Some(block)) => Privacy::Private(block),
            (Privacy::Private(home), _) if open.contains(&home) => Privacy::Private(home),
            _ => Privacy::Shared,
        };
    }

    fn supports<'b>(
        &self,
        unit: &Unit,
        blocks: impl Iterator<Item = &'b Block>,
        outputs: &[LocalId],
    ) -> bool {
        let is_number = |ty: Type| !matches!(ty.base, Base::String | Base::Closure);
        let rows = |local: LocalId| rows_of(unit.code.locals[local].ty);
        let in_memory = |local: &LocalId| is_in_memory(unit.code.locals[*local].ty);
        let varying = || unit.code.locals.keys().filter(|&local| self.varying[local]);
        if !outputs.iter().copied().all(|local| is_number(unit.code.locals[local].ty))
            || !varying().all(|local| is_number(unit.code.locals[local].ty))
            || varying().filter(in_memory).map(rows).sum::<u64>() > MAX_ROWS
            || outputs.iter().copied().map(rows).sum::<u64>() > MAX_ROWS
        {
            return false;
        }
        let mut all = true;
        for block in blocks {
            walk::statements(block, &mut |stmt| {
                all &= self.supports_statement(&unit.code, stmt);
            });
        }
        all
    }

    fn supports_statement(&self, code: &Code, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Op { dst: None, .. } | Stmt::Call { .. } => false,
            Stmt::Op { dst: Some(dst), op, args, .. } => {
                if self.varying[*dst] {
                    is_vector_op(*op) && args.iter().all(|arg| is_number_operand(code, *arg))
                } else {
                    is_pure_op(*op)
                }
            }
            Stmt::If { .. } | Stmt::Loop { .. } | Stmt::Scope { .. } | Stmt::Leave(_) => true,
        }
    }
}

/// Number of rows of a value: one for each of its numbers.
pub(crate) fn rows_of(ty: Type) -> u64 {
    Shape::of(ty.base).numbers() * u64::from(ty.count())
}

fn is_number_operand(code: &Code, operand: Operand) -> bool {
    match operand {
        Operand::Local(local) => !matches!(code.locals[local].ty.base, Base::String | Base::Closure),
        Operand::Const(id) => match &code.consts[id] {
            Const::String(_) | Const::NullClosure => false,
            Const::Array(list) => !matches!(list.first(), Some(Const::String(_) | Const::NullClosure)),
            Const::Int(_) | Const::Float(_) | Const::Triple(_) | Const::Matrix(_) => true,
        },
    }
}

/// Returns whether an operation has packet code.
fn is_vector_op(op: Op) -> bool {
    match op {
        Op::Copy
        | Op::IntToFloat
        | Op::FloatToInt
        | Op::Splat
        | Op::Diagonal
        | Op::Truth
        | Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Mod
        | Op::Neg
        | Op::BitAnd
        | Op::BitOr
        | Op::BitXor
        | Op::Shl
        | Op::Shr
        | Op::BitNot
        | Op::Not
        | Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::MakeTriple
        | Op::TripleGet
        | Op::TripleSet
        | Op::MakeMatrix
        | Op::MatrixGet
        | Op::MatrixSet
        | Op::MakeArray
        | Op::ArrayGet
        | Op::ArraySet
        | Op::Global(_)
        | Op::GlobalDerivative(..)
        | Op::Derivative(_) => true,
        Op::Builtin(builtin) => is_vector_builtin(builtin),
        Op::BuiltinDual(builtin) => matches!(builtin, Builtin::Perlin | Builtin::UPerlin),
        Op::MakeClosure(_)
        | Op::ClosureAdd
        | Op::ClosureMul
        | Op::Texture(_)
        | Op::TextureError(_)
        | Op::TextureInfo
        | Op::HasTextureInfo(_)
        | Op::AttributeValue
        | Op::AttributeDerivative(_) => false,
    }
}

fn is_vector_builtin(builtin: Builtin) -> bool {
    use Builtin as B;
    crate::runtime::shims::unary(builtin).is_some()
        || crate::runtime::shims::binary(builtin).is_some()
        || is_costly(builtin)
        || matches!(
            builtin,
            B::Sqrt
                | B::InverseSqrt
                | B::Abs
                | B::Sign
                | B::Floor
                | B::Ceil
                | B::Trunc
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
                | B::IsConstant
        )
}

/// Returns whether an operation depends on its operands only, and has no side effects.
fn is_pure_op(op: Op) -> bool {
    match op {
        Op::Builtin(builtin) => builtin.is_foldable() || builtin == Builtin::IsConstant,
        Op::BuiltinDual(_) => true,
        _ => is_vector_op(op),
    }
}

/// Propagates divergence until a fixpoint is reached.
struct DivergenceAnalysis<'p> {
    plan: &'p mut Plan,
    changed: bool,
}

impl DivergenceAnalysis<'_> {
    /// Visits a block. `some` is true if only some points may execute it.
    fn block(&mut self, block: &Block, some: bool) {
        for stmt in block {
            match stmt {
                Stmt::Op { dst, op, args, .. } => {
                    let varies = some
                        || matches!(op, Op::Global(_) | Op::GlobalDerivative(..))
                        || args.iter().any(|&arg| self.plan.operand_varies(arg));
                    if let Some(dst) = dst
                        && varies
                        && !self.plan.varying[*dst]
                    {
                        self.plan.varying[*dst] = true;
                        self.changed = true;
                    }
                }
                Stmt::If { condition, then, otherwise } => {
                    let some = some || self.plan.operand_varies(*condition);
                    self.block(then, some);
                    self.block(otherwise, some);
                }
                Stmt::Loop { body, .. } => self.block(body, some),
                Stmt::Scope { scope, body } => {
                    let some = some || self.plan.divergent[*scope];
                    self.block(body, some);
                }
                Stmt::Leave(scope) => {
                    if some && !self.plan.divergent[*scope] {
                        self.plan.divergent[*scope] = true;
                        self.changed = true;
                    }
                }
                // Units with calls run at single points.
                Stmt::Call { .. } => {}
            }
        }
    }
}

/// Returns whether a block (or the body of the scope `own`) leaves an enclosing scope.
pub(super) fn leaves_outer_scope(block: &[Stmt], own: Option<ScopeId>) -> bool {
    let mut inner: Vec<ScopeId> = own.into_iter().collect();
    let mut left = vec![];
    walk::statements(block, &mut |stmt| match stmt {
        Stmt::Scope { scope, .. } => inner.push(*scope),
        Stmt::Leave(scope) => left.push(*scope),
        Stmt::Op { .. } | Stmt::Call { .. } | Stmt::If { .. } | Stmt::Loop { .. } => {}
    });
    // Each scope occurs once in the code, so jumps to a scope within the block come from inside that scope.
    left.iter().any(|scope| !inner.contains(scope))
}

/// Returns whether a built-in (other than a function of one or two numbers) compiles to a call.
pub(super) fn is_costly(builtin: Builtin) -> bool {
    use Builtin as B;
    matches!(
        builtin,
        B::Determinant
            | B::Transpose
            | B::TransformPoint
            | B::TransformVector
            | B::TransformNormal
            | B::Perlin
            | B::UPerlin
            | B::Cell
            | B::HashNoise
    )
}

/// Returns whether the rows of a variable are in memory.
pub(super) fn is_in_memory(ty: Type) -> bool {
    ty.is_array() || Shape::of(ty.base) == Shape::Matrix
}
