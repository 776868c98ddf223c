//! Uses of a function's variables: positions of assignments and reads.

use cranelift_entity::SecondaryMap;

use shading_compiler::hir::{Block, Code, LocalId, Operand, Stmt, walk};

/// Maximum product of the number of variables that are read far from their assignment and the number of straight-line
/// stretches. Beyond it, such variables are in memory, because the time and memory of SSA construction and register
/// allocation grow with the product.
const MAX_FAR_PRODUCT: usize = 250_000;

/// Uses of variables, in the order of the code.
#[derive(Debug, Default)]
pub(super) struct LocalUses {
    /// Block of the first reference, if it assigns the whole variable; else `None`.
    first: SecondaryMap<LocalId, Option<FirstUse>>,
    /// For each block, whether its end was passed.
    closed: Vec<bool>,
    /// Number of assignments of each local.
    writes: SecondaryMap<LocalId, u32>,
    /// Stretch that contains all references of a local, or [`SEVERAL_STRETCHES`].
    stretches: SecondaryMap<LocalId, Option<u32>>,
    /// Number of the current stretch: statements without a jump between them.
    stretch: u32,
    /// Number of variables with references in several stretches.
    far_count: usize,
}

/// Marks a variable with references in several stretches.
const SEVERAL_STRETCHES: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
enum FirstUse {
    Assigned { block: usize },
    Exposed,
}

impl LocalUses {
    /// Collects the uses in a function. `outputs` are read whenever it returns, and `inits` is the code that runs before the
    /// body.
    pub(super) fn of(code: &Code, outputs: &[LocalId], inits: &[&Block]) -> LocalUses {
        let mut uses = LocalUses::default();
        uses.read(outputs);
        uses.cut();
        for block in inits.iter().copied().chain([&code.body]) {
            uses.block(block);
        }
        uses
    }

    /// Returns whether [`LocalUses::exceed_registers`] may be true, judging by the numbers of variables and statements: an `if`
    /// ends three stretches, other statements fewer, and each outer block one.
    pub(super) fn may_exceed_registers(code: &Code, inits: &[&Block]) -> bool {
        let blocks = || inits.iter().copied().chain([&code.body]);
        let statements: usize = blocks().map(|block| walk::count_statements(block)).sum();
        let stretches = 3 * statements + blocks().count() + 2;
        code.locals.len().saturating_mul(stretches) > MAX_FAR_PRODUCT
    }

    /// Returns whether a local may be read before it is assigned. It cannot if its first reference assigns the whole
    /// variable and its other references are in the same block.
    pub(super) fn needs_clear(&self, local: LocalId) -> bool {
        matches!(self.first[local], Some(FirstUse::Exposed))
    }

    /// Returns whether the only assignment of a local dominates all reads.
    pub(super) fn is_value(&self, local: LocalId) -> bool {
        self.writes[local] == 1 && matches!(self.first[local], Some(FirstUse::Assigned { .. }))
    }

    /// Returns whether all references are in one stretch of code.
    pub(super) fn is_local(&self, local: LocalId) -> bool {
        self.stretches[local] != Some(SEVERAL_STRETCHES)
    }

    /// Returns whether variables that are read far from their assignment should be in memory.
    pub(super) fn exceed_registers(&self) -> bool {
        self.far_count.saturating_mul(self.stretch as usize) > MAX_FAR_PRODUCT
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
        if stretch != self.stretch && stretch != SEVERAL_STRETCHES {
            self.stretches[local] = Some(SEVERAL_STRETCHES);
            self.far_count += 1;
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
                Stmt::If { condition, then, otherwise } => {
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
