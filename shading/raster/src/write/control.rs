//! Structured control flow. An exit from a scope becomes `if … else` if the remaining statements can move into a branch,
//! else the scope becomes a loop that runs once. Fuel bounds loops.

use shading_compiler::hir::{Block, ScopeId, Stmt, walk};

use super::frame::{LoopFrame, mark};
use super::writer::FunctionWriter;

/// Consecutive statements that are not in one block.
type StmtLists<'s> = Vec<&'s [Stmt]>;

/// Removes and returns the first statement.
fn next<'s>(parts: &mut StmtLists<'s>) -> Option<&'s Stmt> {
    while let Some(first) = parts.first_mut() {
        if let Some((stmt, rest)) = first.split_first() {
            *first = rest;
            return Some(stmt);
        }
        parts.remove(0);
    }
    None
}

fn is_empty(parts: &StmtLists<'_>) -> bool {
    parts.iter().all(|part| part.is_empty())
}

/// Returns the scope that a block always leaves at its end.
fn left_by(block: &[Stmt]) -> Option<ScopeId> {
    match block.last() {
        Some(Stmt::Leave(scope)) => Some(*scope),
        _ => None,
    }
}

fn joined<'s>(block: &'s Block, rest: &StmtLists<'s>) -> StmtLists<'s> {
    let mut all: StmtLists<'s> = vec![block];
    all.extend(rest);
    all
}

/// Returns whether every exit of a scope is followed by nothing else before the scope's end.
fn leaves_at_end(mut parts: StmtLists<'_>, scope: ScopeId) -> bool {
    while let Some(stmt) = next(&mut parts) {
        let is_last = is_empty(&parts);
        match stmt {
            Stmt::Leave(_) => return true,
            Stmt::If { then, otherwise, .. } => {
                if !is_last && left_by(then) == Some(scope) {
                    return leaves_at_end(vec![then], scope)
                        && leaves_at_end(joined(otherwise, &parts), scope);
                }
                if !is_last && left_by(otherwise) == Some(scope) {
                    return leaves_at_end(vec![otherwise], scope)
                        && leaves_at_end(joined(then, &parts), scope);
                }
                let leaves = walk::leaves(then, scope) || walk::leaves(otherwise, scope);
                if is_last {
                    return leaves_at_end(vec![then], scope) && leaves_at_end(vec![otherwise], scope);
                }
                if leaves {
                    return false;
                }
            }
            Stmt::Scope { body, .. } => {
                if is_last {
                    return leaves_at_end(vec![body], scope);
                }
                if walk::leaves(body, scope) {
                    return false;
                }
            }
            Stmt::Loop { body, .. } => {
                if !is_last && walk::leaves(body, scope) {
                    return false;
                }
            }
            Stmt::Op { .. } | Stmt::Call { .. } => {}
        }
    }
    true
}

impl FunctionWriter<'_, '_> {
    /// Writes a block at whose end the function ends.
    pub(super) fn whole(&mut self, block: &Block) {
        self.parts(vec![block], &[]);
    }

    /// Writes statements; `tail` are the scopes that end at the end of the statements.
    fn parts(&mut self, mut parts: StmtLists<'_>, tail: &[ScopeId]) {
        while let Some(stmt) = next(&mut parts) {
            let is_last = is_empty(&parts);
            let tail_here = if is_last { tail } else { &[] };
            match stmt {
                Stmt::Op { dst, op, args, span } => self.op(*dst, *op, args, *span),
                Stmt::Call { function, span, .. } => self.call(*function, *span),
                Stmt::Leave(scope) => return self.leave(*scope, tail),
                Stmt::Scope { scope, body } => self.scope(*scope, body, tail_here),
                Stmt::Loop { body, .. } => self.endless(body, tail_here),
                Stmt::If { condition, then, otherwise } => {
                    let condition = format!("{} != 0", self.operand(*condition));
                    let ends = |block: &Block| left_by(block).is_some_and(|scope| tail.contains(&scope));
                    if !is_last && ends(then) {
                        return self.branch(&condition, vec![then], joined(otherwise, &parts), tail);
                    }
                    if !is_last && ends(otherwise) {
                        return self.branch(&condition, joined(then, &parts), vec![otherwise], tail);
                    }
                    self.branch(&condition, vec![then], vec![otherwise], tail_here);
                }
            }
        }
    }

    fn branch(&mut self, condition: &str, then: StmtLists<'_>, otherwise: StmtLists<'_>, tail: &[ScopeId]) {
        let start = self.text.len();
        self.line(&format!("if ({condition}) {{"));
        let after_head = self.text.len();
        self.nested(|writer| writer.parts(then, tail));
        let is_then_empty = self.text.len() == after_head;
        self.line("} else {");
        let after_else = self.text.len();
        self.nested(|writer| writer.parts(otherwise, tail));
        if self.text.len() > after_else {
            return self.line("}");
        }
        if is_then_empty {
            return self.text.truncate(start);
        }
        // The else branch is empty.
        let head = after_else - "} else {\n".len() - self.indentation().len();
        self.text.truncate(head);
        self.line("}");
    }

    fn scope(&mut self, scope: ScopeId, body: &Block, tail: &[ScopeId]) {
        let ends: Vec<ScopeId> = tail.iter().copied().chain([scope]).collect();
        if leaves_at_end(vec![body], scope) {
            return self.parts(vec![body], &ends);
        }
        self.framed(ends, |writer, ends| {
            writer.parts(vec![body], ends);
            writer.line_unless_left("break;");
        });
    }

    fn endless(&mut self, body: &Block, tail: &[ScopeId]) {
        self.uses_fuel = true;
        self.framed(tail.to_vec(), |writer, _| {
            writer.line("kiln_fuel = kiln_fuel - 1;");
            writer.line("if (kiln_fuel < 0) {");
            writer.nested(|writer| writer.line("break;"));
            writer.line("}");
            writer.parts(vec![body], &[]);
        });
    }

    /// Writes a loop at whose end the given scopes end.
    fn framed(&mut self, ends: Vec<ScopeId>, body: impl FnOnce(&mut Self, &[ScopeId])) {
        let start = self.text.len();
        self.frames.push(LoopFrame { scopes: ends.clone(), pending: vec![] });
        self.line("loop {");
        self.nested(|writer| body(writer, &ends));
        self.line("}");
        let frame = self.frames.pop().unwrap_or_default();
        // A scope may be entered repeatedly, so its mark is reset on entry.
        let marks: Vec<String> = ends
            .iter()
            .filter(|scope| self.marked.contains(scope))
            .map(|&scope| format!("{}{} = false;\n", self.indentation(), mark(scope)))
            .collect();
        self.text.insert_str(start, &marks.concat());
        for scope in frame.pending {
            let Some(outer) = self.frames.last_mut() else {
                continue;
            };
            if !outer.scopes.contains(&scope) && !outer.pending.contains(&scope) {
                outer.pending.push(scope);
            }
            self.line(&format!("if ({}) {{", mark(scope)));
            self.nested(|writer| writer.line("break;"));
            self.line("}");
        }
    }

    fn leave(&mut self, scope: ScopeId, tail: &[ScopeId]) {
        if tail.contains(&scope) {
            return;
        }
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        if !frame.scopes.contains(&scope) {
            if !frame.pending.contains(&scope) {
                frame.pending.push(scope);
            }
            if !self.marked.contains(&scope) {
                self.marked.push(scope);
            }
            self.line(&format!("{} = true;", mark(scope)));
        }
        self.line("break;");
    }

    /// Writes a line unless the previous line is a jump.
    fn line_unless_left(&mut self, line: &str) {
        if !self.text.trim_end().ends_with("break;") {
            self.line(line);
        }
    }
}
