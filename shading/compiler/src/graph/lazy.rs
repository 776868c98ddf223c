//! Lazy evaluation of instances with side effects, like OSL's layers: an instance runs directly before the first statement
//! of another instance that reads its outputs, or not at all if none does.
//!
//! Instances that read the outputs of instances with side effects are moved too. Other instances stay in place; the
//! optimiser moves and removes them.

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;

use crate::hir::{Block, LocalId, Op, Operand, ScopeId, Stmt, walk};

/// Statements of an instance, as indices in the linked body.
#[derive(Clone, Copy, Debug)]
pub(super) struct InstanceSegment {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Globals shared by instances. Access to one is a side effect, but does not force an instance to run earlier.
#[derive(Debug, Default)]
pub(super) struct SharedVariables {
    pub(super) locals: FxHashSet<LocalId>,
    /// End of the statements of all instances; the statements of the outermost template's outputs follow.
    pub(super) end: usize,
}

/// Variables of connections: linking assigns them from the outputs of instances.
pub(super) type Wires = SecondaryMap<LocalId, bool>;

/// Moves segments of `body` to their first use. `kept` are the output variables of the outermost template; instances that
/// assign to them stay in place.
pub(super) fn delay(
    body: &mut Block,
    segments: &[InstanceSegment],
    kept: &[Operand],
    shared: &SharedVariables,
    wires: &Wires,
) {
    let lazy = lazy_segments(body, segments, shared);
    if lazy.is_empty() {
        return;
    }
    let mut references = ReferenceCounts::new();
    walk::statements(body, &mut |stmt| {
        visit_references(stmt, |local| references[local] += 1);
    });
    // In reverse, so that the indices before the moved segment stay valid.
    for segment in lazy.into_iter().rev() {
        delay_one(body, segment, (kept, wires), shared, &references);
    }
}

/// Returns the segments with side effects, and those that read their outputs.
fn lazy_segments(
    body: &Block,
    segments: &[InstanceSegment],
    shared: &SharedVariables,
) -> Vec<InstanceSegment> {
    let is_effect =
        |stmt: &Stmt| has_effects(stmt) || !shared.locals.is_empty() && touches(stmt, &shared.locals);
    let mut lazy: Vec<InstanceSegment> = vec![];
    let mut made = FxHashSet::default();
    let mut at = 0;
    for segment in segments {
        let between = at.min(segment.start)..segment.start;
        let inside = segment.start..segment.end;
        at = segment.end;
        // Statements between the segments are connections.
        for stmt in &body[between] {
            if !made.is_empty() && touches(stmt, &made) {
                writes(stmt, &mut made);
            }
        }
        let stmts = &body[inside];
        if stmts
            .iter()
            .any(|stmt| is_effect(stmt) || !made.is_empty() && touches(stmt, &made))
        {
            stmts.iter().for_each(|stmt| writes(stmt, &mut made));
            shared.locals.iter().for_each(|local| {
                made.remove(local);
            });
            lazy.push(*segment);
        }
    }
    lazy
}

/// Number of operands and results that refer to a variable, in the whole body.
type ReferenceCounts = SecondaryMap<LocalId, u32>;

/// Calls a function for each variable that a statement itself reads or writes.
fn visit_references(stmt: &Stmt, mut each: impl FnMut(LocalId)) {
    walk::reads(stmt).for_each(&mut each);
    walk::writes(stmt).iter().copied().for_each(each);
}

/// Counts the references to some variables in statements.
fn count(stmts: &[Stmt], made: &FxHashSet<LocalId>) -> u32 {
    let mut count = 0;
    walk::statements(stmts, &mut |stmt| {
        visit_references(stmt, |local| count += u32::from(made.contains(&local)));
    });
    count
}

fn delay_one(
    body: &mut Block,
    segment: InstanceSegment,
    (kept, wires): (&[Operand], &Wires),
    shared: &SharedVariables,
    references: &ReferenceCounts,
) {
    let mut made = FxHashSet::default();
    body[segment.start..segment.end].iter().for_each(|stmt| writes(stmt, &mut made));
    made.retain(|local| !shared.locals.contains(local));
    let is_output = |local: LocalId| kept.contains(&Operand::Local(local));
    // Connections move with the segment, because an input that is not read needs none.
    let moves_along = |at: usize, op: Op, dst: LocalId| {
        wires[dst]
            && is_transfer(op)
            && (shared.locals.is_empty()
                || at >= shared.end
                || !is_output(dst) && !shared.locals.contains(&dst))
    };
    let mut carried = vec![];
    let mut reader = None;
    // References after the segment. When all are counted, no other statement reads its outputs.
    let mut left = made.iter().map(|local| references[*local]).sum::<u32>();
    left -= count(&body[segment.start..segment.end], &made).min(left);
    for (at, stmt) in body.iter().enumerate().skip(segment.end) {
        if left == 0 {
            break;
        }
        if !touches(stmt, &made) {
            continue;
        }
        match stmt {
            Stmt::Op { dst: Some(dst), op, args, .. }
                if !has_effects(stmt)
                    && args.iter().all(|arg| is_among(*arg, *dst, &made))
                    && moves_along(at, *op, *dst) =>
            {
                if made.insert(*dst) {
                    left += references[*dst];
                }
                left -= count(std::slice::from_ref(stmt), &made).min(left);
                carried.push(at);
            }
            _ => {
                reader = Some(at);
                break;
            }
        }
    }
    if reader.is_none() && carried.is_empty() || made.iter().any(|local| is_output(*local)) {
        return;
    }
    // Only the statements up to the reader are reordered.
    let end = reader.unwrap_or(body.len());
    let inner = reader.is_some_and(|reader| branch(body, reader, &made).is_some());
    let passes = |at: usize| {
        let stmt = &body[at];
        carried.binary_search(&at).is_err() && (has_effects(stmt) || touches(stmt, &shared.locals))
    };
    // Moving past statements without effects in the same block has no benefit, and in a long chain it costs the square of
    // the length: the statements that each layer passes are passed again by the previous layer.
    if reader.is_some() && !inner && !(segment.end..end).any(passes) {
        return;
    }
    let (mut moved, mut stay) = (vec![], vec![]);
    for (at, slot) in body.iter_mut().enumerate().take(end).skip(segment.start) {
        let stmt = std::mem::replace(slot, Stmt::Leave(ScopeId::from_u32(0)));
        let moves = at < segment.end || carried.binary_search(&at).is_ok();
        if moves { &mut moved } else { &mut stay }.push(stmt);
    }
    let gap = segment.start + stay.len()..end;
    for (slot, stmt) in body[segment.start..].iter_mut().zip(stay) {
        *slot = stmt;
    }
    match reader {
        Some(reader) => match branch(body, reader, &made) {
            Some(inner) => {
                insert(inner, moved, &made);
                body.drain(gap);
            }
            None => {
                for (slot, stmt) in body[gap].iter_mut().zip(moved) {
                    *slot = stmt;
                }
            }
        },
        None => {
            body.drain(gap);
        }
    }
}

/// Returns whether an operation may belong to a connection.
fn is_transfer(op: Op) -> bool {
    matches!(
        op,
        Op::Copy
            | Op::IntToFloat
            | Op::Splat
            | Op::Diagonal
            | Op::ArrayGet
            | Op::TripleGet
            | Op::ArraySet
            | Op::TripleSet
    )
}

/// Returns whether an operand is in `made`, the destination itself, or a constant.
fn is_among(operand: Operand, dst: LocalId, made: &FxHashSet<LocalId>) -> bool {
    match operand {
        Operand::Const(_) => true,
        Operand::Local(id) => id == dst || made.contains(&id),
    }
}

/// Inserts statements before the first statement that needs them, or into the only branch of that statement that does.
fn insert(block: &mut Block, moved: Block, made: &FxHashSet<LocalId>) {
    let first = block.iter().position(|stmt| touches(stmt, made)).unwrap_or(0);
    match branch(block, first, made) {
        Some(inner) => insert(inner, moved, made),
        None => {
            block.splice(first..first, moved);
        }
    }
}

/// Returns the only branch of a statement that refers to the variables, if no later statement does.
fn branch<'b>(block: &'b mut Block, at: usize, made: &FxHashSet<LocalId>) -> Option<&'b mut Block> {
    let any = |block: &[Stmt]| block.iter().any(|stmt| touches(stmt, made));
    let (stmt, behind) = block.get_mut(at..)?.split_first_mut()?;
    let inner = match stmt {
        Stmt::If { condition, then, otherwise } if !reads(*condition, made) => {
            match (any(then), any(otherwise)) {
                (true, false) => then,
                (false, true) => otherwise,
                _ => return None,
            }
        }
        Stmt::Scope { body, .. } => body,
        _ => return None,
    };
    (!any(behind)).then_some(inner)
}

/// Returns whether a statement has effects other than assigning variables.
fn has_effects(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Op { op, .. } => matches!(op, Op::Builtin(builtin) if !builtin.is_pure()),
        // The bodies of functions are not analysed.
        Stmt::Call { .. } => true,
        Stmt::If { then, otherwise, .. } => then.iter().chain(otherwise).any(has_effects),
        Stmt::Loop { body, .. } | Stmt::Scope { body, .. } => body.iter().any(has_effects),
        Stmt::Leave(_) => false,
    }
}

fn writes(stmt: &Stmt, made: &mut FxHashSet<LocalId>) {
    match stmt {
        Stmt::Op { dst, .. } => made.extend(dst),
        Stmt::Call { results, .. } => made.extend(results),
        Stmt::If { then, otherwise, .. } => then.iter().chain(otherwise).for_each(|stmt| writes(stmt, made)),
        Stmt::Loop { body, .. } | Stmt::Scope { body, .. } => body.iter().for_each(|stmt| writes(stmt, made)),
        Stmt::Leave(_) => {}
    }
}

fn reads(operand: Operand, made: &FxHashSet<LocalId>) -> bool {
    matches!(operand, Operand::Local(id) if made.contains(&id))
}

/// Returns whether a statement refers to one of these variables.
fn touches(stmt: &Stmt, made: &FxHashSet<LocalId>) -> bool {
    let any = |block: &Block| block.iter().any(|stmt| touches(stmt, made));
    match stmt {
        Stmt::Op { dst, args, .. } => {
            dst.is_some_and(|dst| made.contains(&dst)) || args.iter().any(|arg| reads(*arg, made))
        }
        Stmt::Call { args, results, .. } => {
            args.iter().any(|arg| reads(*arg, made)) || results.iter().any(|id| made.contains(id))
        }
        Stmt::If { condition, then, otherwise } => reads(*condition, made) || any(then) || any(otherwise),
        Stmt::Loop { body, .. } | Stmt::Scope { body, .. } => any(body),
        Stmt::Leave(_) => false,
    }
}
