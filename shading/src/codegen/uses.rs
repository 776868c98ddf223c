//! Uses of the variables of a function: where they are assigned and read.

use cranelift_entity::SecondaryMap;

use shading_compiler::hir::{Block, Code, LocalId, Operand, Stmt, walk};

/// Product of the variables that are read far from their assignment, and of the stretches of code, beyond which such
/// variables are in memory. The time and memory of SSA construction and of register allocation grow with it.
const MAX_FAR: usize = 250_000;

/// Uses of variables, judging by the order of the code.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Block of the first mention, if that assigns the whole variable; else `None`.
    first: SecondaryMap<LocalId, Option<FirstUse>>,
    /// For each block, whether its end was passed.
    closed: Vec<bool>,
    /// Number of assignments of each local.
    writes: SecondaryMap<LocalId, u32>,
    /// Stretch of the first mention of each local; `FAR` if it is mentioned in others.
    stretches: SecondaryMap<LocalId, Option<u32>>,
    /// Number of the current stretch: statements with no jump between them.
    stretch: u32,
    /// Number of variables mentioned in several stretches.
    far: usize,
}

/// In place of a stretch: there are several.
const FAR: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
enum FirstUse {
    Assigned { block: usize },
    Exposed,
}

impl Uses {
    /// Finds the uses in a function. `outputs` are read whenever it returns, and `inits` is the code that runs before the
    /// body.
    pub(super) fn of(code: &Code, outputs: &[LocalId], inits: &[&Block]) -> Uses {
        let mut uses = Uses::default();
        uses.read(outputs);
        uses.cut();
        for block in inits.iter().copied().chain([&code.body]) {
            uses.block(block);
        }
        uses
    }

    /// Returns whether [`Uses::exceed_registers`] is possible, by the numbers of variables and statements: an `if` ends
    /// three stretches, other statements fewer, and each outer block one.
    pub(super) fn may_exceed_registers(code: &Code, inits: &[&Block]) -> bool {
        let blocks = || inits.iter().copied().chain([&code.body]);
        let statements: usize = blocks().map(|block| walk::count_statements(block)).sum();
        let stretches = 3 * statements + blocks().count() + 2;
        code.locals.len().saturating_mul(stretches) > MAX_FAR
    }

    /// Returns whether a local may be read before it is assigned: all may except those whose first mention assigns the
    /// whole variable and whose other mentions are in the same block.
    pub(super) fn needs_clear(&self, local: LocalId) -> bool {
        matches!(self.first[local], Some(FirstUse::Exposed))
    }

    /// Returns whether its only assignment dominates all reads.
    pub(super) fn is_value(&self, local: LocalId) -> bool {
        self.writes[local] == 1 && matches!(self.first[local], Some(FirstUse::Assigned { .. }))
    }

    /// Returns whether all mentions are in one stretch of code.
    pub(super) fn is_local(&self, local: LocalId) -> bool {
        self.stretches[local] != Some(FAR)
    }

    /// Returns whether variables that are read far from their assignment should be in memory.
    pub(super) fn exceed_registers(&self) -> bool {
        self.far.saturating_mul(self.stretch as usize) > MAX_FAR
    }

    fn read(&mut self, locals: &[LocalId]) {
        for &local in locals {
            self.mention(local, None);
        }
    }

    fn mention(&mut self, local: LocalId, assigned_in: Option<usize>) {
        let first = match (self.first[local], assigned_in) {
            (None, Some(block)) => FirstUse::Assigned { block },
            (None, None) => FirstUse::Exposed,
            (Some(FirstUse::Assigned { block }), _) if self.closed[block] => FirstUse::Exposed,
            (Some(first), _) => first,
        };
        self.first[local] = Some(first);
        let stretch = *self.stretches[local].get_or_insert(self.stretch);
        if stretch != self.stretch && stretch != FAR {
            self.stretches[local] = Some(FAR);
            self.far += 1;
        }
    }

    fn operands(&mut self, operands: &[Operand]) {
        for operand in operands {
            if let Operand::Local(local) = operand {
                self.mention(*local, None);
            }
        }
    }

    /// Begins a stretch.
    fn cut(&mut self) {
        self.stretch += 1;
    }

    fn block(&mut self, block: &Block) {
        let id = self.closed.len();
        self.closed.push(false);
        for stmt in block {
            match stmt {
                Stmt::Op { dst, args, .. } => {
                    self.operands(args);
                    if let Some(dst) = dst {
                        self.mention(*dst, Some(id));
                        self.writes[*dst] += 1;
                    }
                }
                Stmt::Call { args, results, .. } => {
                    self.operands(args);
                    self.cut();
                    // A call that aborts the run assigns nothing.
                    self.read(results);
                    results.iter().for_each(|&result| self.writes[result] += 1);
                }
                Stmt::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    self.operands(&[*condition]);
                    self.cut();
                    self.block(then);
                    self.block(otherwise);
                }
                Stmt::Loop { body, .. } | Stmt::Scope { body, .. } => {
                    self.cut();
                    self.block(body);
                }
                Stmt::Leave(_) => {}
            }
        }
        self.closed[id] = true;
        self.cut();
    }
}
