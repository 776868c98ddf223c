//! Hashes of HIR: one that identifies a shader for checkpoints, and one by which instances share code.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use rustc_hash::FxHasher;

use crate::runtime::TextureRequest;
use shading_compiler::hir::{Block, Code, Const, Op, Operand, Stmt, Unit, walk};
use shading_syntax::source::{SourceMap, Span};

/// Hash of a unit. Shaders with the same behaviour mostly have equal hashes; different ones hardly ever do. Names are
/// not hashed; those of `textures` only by their index in the list.
pub(super) fn fingerprint(unit: &Unit, textures: &[(TextureRequest, Span)]) -> u64 {
    let mut hash = UnitHash {
        hasher: FxHasher::default(),
        textures,
    };
    hash.unit(unit);
    hash.hasher.finish()
}

/// Hash of the code of a unit and of the source locations that its reports name: units with equal hashes compile to the
/// same code. Names of variables and instances are not hashed.
pub(crate) fn structure(unit: &Unit, sources: &SourceMap) -> u128 {
    let half = |seed: u8| {
        let mut hash = UnitHash {
            hasher: DefaultHasher::new(),
            textures: &[],
        };
        seed.hash(&mut hash.hasher);
        hash.unit(unit);
        sources
            .iter()
            .for_each(|source| source.name.hash(&mut hash.hasher));
        let functions = unit.functions.values().map(|function| &function.code);
        for code in functions.chain([&unit.code]) {
            for local in code.locals.values() {
                local.ty.hash(&mut hash.hasher);
            }
            walk::statements(&code.body, &mut |stmt| hash.place(stmt));
        }
        hash.hasher.finish()
    };
    u128::from(half(0)) << 64 | u128::from(half(1))
}

struct UnitHash<'a, H> {
    hasher: H,
    textures: &'a [(TextureRequest, Span)],
}

impl<H: Hasher> UnitHash<'_, H> {
    fn unit(&mut self, unit: &Unit) {
        unit.kind.hash(&mut self.hasher);
        for param in &unit.params {
            (&param.name, param.ty, param.output, param.local).hash(&mut self.hasher);
            self.block(&unit.code, &param.init);
        }
        self.block(&unit.code, &unit.code.body);
        for function in unit.functions.values() {
            (&function.params, &function.outputs).hash(&mut self.hasher);
            self.block(&function.code, &function.code.body);
        }
    }

    /// Hashes the source location of a statement that may report something.
    fn place(&mut self, stmt: &Stmt) {
        let span = match stmt {
            Stmt::Op { op, span, .. } if !is_silent(*op) => span,
            Stmt::Call { span, .. } | Stmt::Loop { span, .. } => span,
            _ => return,
        };
        (span.source.0, span.start, span.end).hash(&mut self.hasher);
    }

    fn block(&mut self, code: &Code, block: &Block) {
        block.len().hash(&mut self.hasher);
        for stmt in block {
            self.stmt(code, stmt);
        }
    }

    fn stmt(&mut self, code: &Code, stmt: &Stmt) {
        discriminant(stmt).hash(&mut self.hasher);
        match stmt {
            Stmt::Op { dst, op, args, .. } => {
                (dst, op).hash(&mut self.hasher);
                self.operands(code, args);
            }
            Stmt::Call {
                function,
                args,
                results,
                ..
            } => {
                (function, results).hash(&mut self.hasher);
                self.operands(code, args);
            }
            Stmt::If {
                condition,
                then,
                otherwise,
            } => {
                self.operands(code, &[*condition]);
                self.block(code, then);
                self.block(code, otherwise);
            }
            Stmt::Loop { body, .. } => self.block(code, body),
            Stmt::Scope { scope, body } => {
                scope.hash(&mut self.hasher);
                self.block(code, body);
            }
            Stmt::Leave(scope) => scope.hash(&mut self.hasher),
        }
    }

    fn operands(&mut self, code: &Code, operands: &[Operand]) {
        operands.len().hash(&mut self.hasher);
        for operand in operands {
            match operand {
                Operand::Local(id) => (id, code.locals[*id].ty).hash(&mut self.hasher),
                Operand::Const(id) => self.constant(&code.consts[*id]),
            }
        }
    }

    fn constant(&mut self, value: &Const) {
        discriminant(value).hash(&mut self.hasher);
        match value {
            Const::Int(value) => value.hash(&mut self.hasher),
            Const::Float(value) => value.to_bits().hash(&mut self.hasher),
            Const::Triple(value) => value.map(f32::to_bits).hash(&mut self.hasher),
            Const::Matrix(value) => value.map(f32::to_bits).hash(&mut self.hasher),
            Const::String(text) => match self.textures.iter().position(|known| *known.0.file == **text) {
                Some(place) => place.hash(&mut self.hasher),
                None => text.hash(&mut self.hasher),
            },
            Const::NullClosure => {}
            Const::Array(elements) => {
                elements.len().hash(&mut self.hasher);
                elements.iter().for_each(|element| self.constant(element));
            }
        }
    }
}

/// Returns whether an operation never reports anything.
fn is_silent(op: Op) -> bool {
    matches!(
        op,
        Op::Copy
            | Op::IntToFloat
            | Op::FloatToInt
            | Op::Splat
            | Op::Truth
            | Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Neg
            | Op::Not
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::MakeTriple
            | Op::Global(_)
            | Op::GlobalDerivative(..)
            | Op::MakeClosure(_)
            | Op::ClosureAdd
            | Op::ClosureMul
    )
}
