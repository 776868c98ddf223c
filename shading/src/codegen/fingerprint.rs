//! Hashes of HIR: one identifies a shader for checkpoints, the other the units that share code.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use rustc_hash::FxHasher;

use super::place::{PlaceTable, each_reporting};
use super::statistics::NamedTexture;
use shading_compiler::hir::{Block, Code, Const, Operand, Stmt, Unit};

/// Returns the hash of a unit. Shaders with equal behaviour usually have equal hashes, and different shaders almost never.
/// Names are not hashed; names in `textures` are replaced by their index in the list.
pub(super) fn fingerprint(unit: &Unit, textures: &[NamedTexture]) -> u64 {
    let mut hash = UnitHash { hasher: FxHasher::default(), textures, hides_numbers: false };
    hash.unit(unit);
    hash.hasher.finish()
}

/// Returns a hash that determines the machine code of a unit: units with equal hashes compile to the same code. Names of
/// variables and instances are not hashed. For `numbers` only the positions of zeros are hashed, and for source locations
/// only which are equal.
pub(super) fn structure(unit: &Unit, places: &PlaceTable) -> u128 {
    let half = |seed: u8| {
        let mut hash = UnitHash {
            hasher: DefaultHasher::new(),
            textures: &[],
            hides_numbers: true,
        };
        seed.hash(&mut hash.hasher);
        hash.unit(unit);
        let functions = unit.functions.values().map(|function| &function.code);
        for code in functions.chain([&unit.code]) {
            for local in code.locals.values() {
                local.ty.hash(&mut hash.hasher);
            }
        }
        each_reporting(unit, |span| places.known(span).hash(&mut hash.hasher));
        hash.hasher.finish()
    };
    u128::from(half(0)) << 64 | u128::from(half(1))
}

struct UnitHash<'a, H> {
    hasher: H,
    textures: &'a [NamedTexture],
    /// True if only the positions of zeros are hashed for floats and triples.
    hides_numbers: bool,
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
            (&function.params, &function.outputs, function.fuel).hash(&mut self.hasher);
            self.block(&function.code, &function.code.body);
        }
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
            Stmt::Call { function, args, results, .. } => {
                (function, results).hash(&mut self.hasher);
                self.operands(code, args);
            }
            Stmt::If { condition, then, otherwise } => {
                self.operands(code, &[*condition]);
                self.block(code, then);
                self.block(code, otherwise);
            }
            Stmt::Loop { body, fuel, .. } => {
                fuel.hash(&mut self.hasher);
                self.block(code, body);
            }
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
                Operand::Const(id) => self.operand(&code.consts[*id]),
            }
        }
    }

    /// Hashes a constant that is an operand.
    fn operand(&mut self, value: &Const) {
        match value {
            Const::Float(x) if self.hides_numbers => (1u8, *x == 0.0).hash(&mut self.hasher),
            Const::Triple(xs) if self.hides_numbers => (3u8, xs.map(|x| x == 0.0)).hash(&mut self.hasher),
            _ => self.constant(value),
        }
    }

    fn constant(&mut self, value: &Const) {
        discriminant(value).hash(&mut self.hasher);
        match value {
            Const::Int(value) => value.hash(&mut self.hasher),
            Const::Float(value) => value.to_bits().hash(&mut self.hasher),
            Const::Triple(value) => value.map(f32::to_bits).hash(&mut self.hasher),
            Const::Matrix(value) => value.map(f32::to_bits).hash(&mut self.hasher),
            Const::String(text) => match self.textures.iter().position(|known| *known.request.file == **text)
            {
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
