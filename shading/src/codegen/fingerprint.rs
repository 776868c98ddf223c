//! Fingerprint of HIR: a hash that identifies a shader, for checkpoints.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use rustc_hash::FxHasher;

use crate::runtime::TextureRequest;
use shading_compiler::hir::{Block, Code, Const, Operand, Stmt, Unit};
use shading_syntax::source::Span;

/// Hash of a unit. Shaders with the same behaviour mostly have equal hashes; different ones hardly ever do. Names are
/// not hashed; those of `textures` only by their index in the list.
pub(super) fn fingerprint(unit: &Unit, textures: &[(TextureRequest, Span)]) -> u64 {
    let mut hash = UnitHash {
        hasher: FxHasher::default(),
        textures,
    };
    unit.kind.hash(&mut hash.hasher);
    for param in &unit.params {
        (&param.name, param.ty, param.output, param.local).hash(&mut hash.hasher);
        hash.block(&unit.code, &param.init);
    }
    hash.block(&unit.code, &unit.code.body);
    for function in unit.functions.values() {
        (&function.params, &function.outputs).hash(&mut hash.hasher);
        hash.block(&function.code, &function.code.body);
    }
    hash.hasher.finish()
}

struct UnitHash<'a> {
    hasher: FxHasher,
    textures: &'a [(TextureRequest, Span)],
}

impl UnitHash<'_> {
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
