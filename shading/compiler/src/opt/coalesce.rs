//! Copy coalescing: `t = op …; x = t` becomes `x = op …` if `t` has no other use and no statement in between refers to `x`
//! or jumps. A value that is copied to an output at the end is computed in the output.

use cranelift_entity::SecondaryMap;

use crate::hir::walk;
use crate::hir::{Block, Code, Kind, LocalId, Op, Operand, Stmt};

/// Coalesces the copies of a function.
pub(super) fn run(code: &mut Code, params: &[LocalId], outputs: &[LocalId]) {
    let mut body = std::mem::take(&mut code.body);
    in_outputs(code, &mut body, params, outputs);
    let mut uses: SecondaryMap<LocalId, Uses> = SecondaryMap::new();
    for &output in outputs {
        uses[output].reads += 1;
    }
    walk::statements(&body, &mut |stmt| {
        walk::reads(stmt).for_each(|l| uses[l].reads += 1);
        walk::writes(stmt).iter().for_each(|&l| uses[l].writes += 1);
    });
    let mut pass = Coalesce { code, uses, order: 0, last_jump: 0, blocks: 0 };
    pass.block(&mut body);
    code.body = body;
}

/// Replaces a variable that is copied to an output at the end, and not used afterwards, by the output.
fn in_outputs(code: &Code, body: &mut Block, params: &[LocalId], outputs: &[LocalId]) {
    let mut last: SecondaryMap<LocalId, usize> = SecondaryMap::new();
    let mut mentions: SecondaryMap<LocalId, usize> = SecondaryMap::new();
    for (i, stmt) in body.iter().enumerate() {
        walk::statements(std::slice::from_ref(stmt), &mut |stmt| {
            for local in walk::reads(stmt).chain(walk::writes(stmt).iter().copied()) {
                last[local] = i;
                mentions[local] += 1;
            }
        });
    }
    let mut becomes: SecondaryMap<LocalId, Option<LocalId>> = SecondaryMap::new();
    let mut any = false;
    for (i, stmt) in body.iter().enumerate() {
        let Some((t, x)) = copy(stmt) else { continue };
        let kind = |l: LocalId| Kind::of(code.locals[l].ty);
        let fits = kind(t) == kind(x) && last[t] == i && mentions[x] == 1 && becomes[t].is_none();
        if fits
            && outputs.contains(&x)
            && !outputs.contains(&t)
            && !params.contains(&t)
            && !params.contains(&x)
        {
            becomes[t] = Some(x);
            any = true;
        }
    }
    if any {
        rename(body, &becomes);
        body.retain(|stmt| copy(stmt).is_none_or(|(from, to)| from != to));
    }
}

fn rename(block: &mut Block, becomes: &SecondaryMap<LocalId, Option<LocalId>>) {
    let new = |id: &mut LocalId| *id = becomes[*id].unwrap_or(*id);
    for stmt in block {
        for operand in walk::operands_mut(stmt) {
            if let Operand::Local(id) = operand {
                new(id);
            }
        }
        match stmt {
            Stmt::Op { dst: Some(dst), .. } => new(dst),
            Stmt::Call { results, .. } => results.iter_mut().for_each(new),
            _ => {}
        }
        for inner in walk::blocks_mut(stmt) {
            rename(inner, becomes);
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Uses {
    reads: u32,
    writes: u32,
    /// Position of its last mention.
    last: u32,
    /// Last assignment seen: its block, index in the block, and position.
    block: u32,
    at: usize,
    when: u32,
}

struct Coalesce<'a> {
    code: &'a Code,
    uses: SecondaryMap<LocalId, Uses>,
    /// Number of statements seen so far.
    order: u32,
    /// Position of the last possible jump.
    last_jump: u32,
    blocks: u32,
}

impl Coalesce<'_> {
    fn block(&mut self, block: &mut Block) {
        self.blocks += 1;
        let this = self.blocks;
        for i in 0..block.len() {
            self.order += 1;
            if let Some((t, x)) = copy(&block[i])
                && self.can_merge(t, x, this)
            {
                let at = self.uses[t].at;
                if let Stmt::Op { dst, .. } = &mut block[at] {
                    *dst = Some(x);
                }
                // The statement becomes a copy from `x` to itself, which is removed below.
                block[i] = Stmt::op(Some(x), Op::Copy, vec![Operand::Local(x)], Default::default());
                self.uses[x].block = this;
                self.uses[x].at = at;
                self.uses[x].when = self.uses[t].when;
                self.uses[x].last = self.order;
                continue;
            }
            for local in walk::reads(&block[i]) {
                self.uses[local].last = self.order;
            }
            for &local in walk::writes(&block[i]) {
                let uses = &mut self.uses[local];
                uses.last = self.order;
                // The assignment by a call stays in place; no block has number 0.
                uses.block = if matches!(block[i], Stmt::Op { .. }) { this } else { 0 };
                uses.at = i;
                uses.when = self.order;
            }
            if matches!(block[i], Stmt::Leave(_) | Stmt::Call { .. } | Stmt::Loop { .. }) {
                self.last_jump = self.order;
            }
            for inner in walk::blocks_mut(&mut block[i]) {
                self.block(inner);
            }
        }
        block.retain(|stmt| copy(stmt).is_none_or(|(from, to)| from != to));
    }

    fn can_merge(&self, t: LocalId, x: LocalId, block: u32) -> bool {
        let from = self.uses[t];
        let kind = |l: LocalId| Kind::of(self.code.locals[l].ty);
        t != x
            && (from.reads, from.writes) == (1, 1)
            && from.block == block
            && self.uses[x].last <= from.when
            && self.last_jump <= from.when
            && kind(t) == kind(x)
    }
}

/// Returns destination and source of a copy statement.
fn copy(stmt: &Stmt) -> Option<(LocalId, LocalId)> {
    match stmt {
        Stmt::Op { dst: Some(dst), op: Op::Copy, args, .. } => match args[..] {
            [Operand::Local(source)] => Some((source, *dst)),
            _ => None,
        },
        _ => None,
    }
}
