//! Table of the numbers in a unit's code. Units that differ only in their numbers share machine code.

use cranelift_entity::{PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

use super::{Block, Code, Const, ConstId, FunctionId, Operand, Unit, walk};

/// Index of a number in the table of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NumberId(pub u32);

/// Indices of a function's numbers in the table, by the constants that hold them.
pub type NumberIds = SecondaryMap<ConstId, Option<NumberId>>;

/// Floats and triples that are operands in a unit, in the order of the code. Each use has an entry, so that the order does
/// not depend on values that happen to be equal.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Values, a triple in the first three lanes, a float in all four.
    pub values: Vec<[f32; 4]>,
    /// Numbers of the unit's own code.
    pub body: NumberIds,
    /// Numbers of its functions.
    pub functions: SecondaryMap<FunctionId, NumberIds>,
    /// Numbers of the unit's own code by the former ids of their constants; for each id, the last use.
    pub before: NumberIds,
}

impl Numbers {
    /// Collects the numbers of a unit, and renumbers its constants so that each use of a float or triple has its own
    /// constant.
    pub fn of(unit: &mut Unit) -> Numbers {
        let mut numbers = Numbers::default();
        let mut inits: Vec<&mut Block> = unit.params.iter_mut().map(|param| &mut param.init).collect();
        (numbers.body, numbers.before) = numbers.renumber(&mut unit.code, &mut inits);
        for (id, function) in &mut unit.functions {
            (numbers.functions[id], _) = numbers.renumber(&mut function.code, &mut []);
        }
        numbers
    }

    fn renumber(&mut self, code: &mut Code, inits: &mut [&mut Block]) -> (NumberIds, NumberIds) {
        let mut uses = Renumbering {
            table: &mut self.values,
            old: std::mem::take(&mut code.consts),
            new: PrimaryMap::new(),
            shared: FxHashMap::default(),
            ids: NumberIds::new(),
            before: NumberIds::new(),
        };
        inits.iter_mut().for_each(|block| uses.block(block));
        uses.block(&mut code.body);
        code.consts = uses.new;
        (uses.ids, uses.before)
    }
}

/// The constants of a function that are being renumbered.
struct Renumbering<'a> {
    table: &'a mut Vec<[f32; 4]>,
    old: PrimaryMap<ConstId, Const>,
    new: PrimaryMap<ConstId, Const>,
    /// New ids of the constants that are not numbers.
    shared: FxHashMap<ConstId, ConstId>,
    ids: NumberIds,
    before: NumberIds,
}

impl Renumbering<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            for operand in walk::operands_mut(stmt) {
                if let Operand::Const(id) = operand {
                    *id = self.constant(*id);
                }
            }
            walk::blocks_mut(stmt).into_iter().for_each(|inner| self.block(inner));
        }
    }

    fn constant(&mut self, id: ConstId) -> ConstId {
        let value = match &self.old[id] {
            Const::Float(x) => [*x; 4],
            Const::Triple([x, y, z]) => [*x, *y, *z, 0.0],
            _ => {
                let Renumbering { old, new, .. } = self;
                return *self.shared.entry(id).or_insert_with(|| new.push(old[id].clone()));
            }
        };
        let renumbered = self.new.push(self.old[id].clone());
        let number = Some(NumberId(self.table.len() as u32));
        (self.ids[renumbered], self.before[id]) = (number, number);
        self.table.push(value);
        renumbered
    }
}
