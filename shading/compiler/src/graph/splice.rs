//! Inlining of HIR: copies code with renumbered ids, replaced globals and remapped spans.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};

use crate::builtins::Global;
use crate::hir::{Block, Code, ConstId, Function, FunctionId, LocalId, Op, Operand, ScopeId, Stmt, Unit};
use shading_syntax::source::{SourceId, Span};

/// Overridden values of globals for the code being copied.
pub(super) type Overrides = Vec<(Global, Operand)>;

/// First id in copied code that represents a sample of an input. No function has such an id.
const FIRST_SAMPLE: usize = 1 << 30;

/// Returns the id in the unit of the function that represents a sample.
pub(super) fn sample(function: FunctionId) -> Option<FunctionId> {
    function.index().checked_sub(FIRST_SAMPLE).map(FunctionId::new)
}

/// Map from the ids of a unit to the ids in the linked code.
pub(super) struct Splice<'a> {
    locals: SecondaryMap<LocalId, Option<LocalId>>,
    consts: SecondaryMap<ConstId, Option<ConstId>>,
    scopes: SecondaryMap<ScopeId, Option<ScopeId>>,
    functions: SecondaryMap<FunctionId, Option<FunctionId>>,
    overrides: &'a [(Global, Operand)],
    first_source: usize,
}

impl<'a> Splice<'a> {
    /// Assigns every id of `unit` a new one in `code` and `functions`; named locals get `prefix`. The unit's sources
    /// follow `first_source` in the linked source map.
    pub(super) fn new(
        unit: &Unit,
        code: &mut Code,
        functions: &mut PrimaryMap<FunctionId, Function>,
        prefix: &str,
        overrides: &'a [(Global, Operand)],
        first_source: usize,
    ) -> Splice<'a> {
        let mut splice = Splice {
            locals: SecondaryMap::new(),
            consts: SecondaryMap::new(),
            scopes: SecondaryMap::new(),
            functions: SecondaryMap::new(),
            overrides,
            first_source,
        };
        for (id, local) in &unit.code.locals {
            let mut local = local.clone();
            if !local.name.is_empty() && !prefix.is_empty() {
                local.name = format!("{prefix}.{}", local.name);
            }
            splice.locals[id] = Some(code.locals.push(local));
        }
        for (id, value) in &unit.code.consts {
            splice.consts[id] = Some(code.consts.push(value.clone()));
        }
        for (id, name) in &unit.code.scopes {
            splice.scopes[id] = Some(code.scopes.push(name));
        }
        let mut next = functions.len();
        for (id, function) in &unit.functions {
            splice.functions[id] = Some(match function.sample {
                Some(_) => FunctionId::new(FIRST_SAMPLE + id.index()),
                None => {
                    next += 1;
                    FunctionId::new(next - 1)
                }
            });
        }
        for function in unit.functions.values().filter(|function| function.sample.is_none()) {
            // A function keeps its own locals and constants: only called functions and spans are renumbered.
            let mut function = function.clone();
            let own = splice.for_function(&function.code);
            function.code.body = own.block(&function.code.body);
            functions.push(function);
        }
        splice
    }

    /// Returns the renumbering for the body of a function, whose locals, constants and scopes stay.
    fn for_function(&self, code: &Code) -> Splice<'a> {
        let mut own = Splice {
            locals: SecondaryMap::new(),
            consts: SecondaryMap::new(),
            scopes: SecondaryMap::new(),
            functions: self.functions.clone(),
            // Functions see the original globals, because operands of the linked body are invalid in them.
            overrides: &[],
            first_source: self.first_source,
        };
        code.locals.keys().for_each(|id| own.locals[id] = Some(id));
        code.consts.keys().for_each(|id| own.consts[id] = Some(id));
        code.scopes.keys().for_each(|id| own.scopes[id] = Some(id));
        own
    }

    /// Maps a local of the unit to an existing one of the linked code.
    pub(super) fn alias(&mut self, local: LocalId, linked: LocalId) {
        self.locals[local] = Some(linked);
    }

    /// Returns the new id of a local of the unit.
    pub(super) fn local(&self, id: LocalId) -> LocalId {
        self.locals[id].expect("every local of the unit was given a new id")
    }

    /// Copies a block with the new ids.
    pub(super) fn block(&self, block: &Block) -> Block {
        block.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&self, stmt: &Stmt) -> Stmt {
        match stmt {
            Stmt::Op { dst, op, args, span } => {
                let (dst, span) = (dst.map(|id| self.local(id)), self.span(*span));
                if let Op::Global(global) = op
                    && let Some((_, value)) = self.overrides.iter().find(|(g, _)| g == global)
                {
                    return Stmt::op(dst, Op::Copy, vec![*value], span);
                }
                Stmt::op(dst, *op, self.operands(args), span)
            }
            Stmt::Call { function, args, results, span } => Stmt::Call {
                function: self.functions[*function].expect("every function of the unit was given a new id"),
                args: self.operands(args),
                results: results.iter().map(|&id| self.local(id)).collect(),
                span: self.span(*span),
            },
            Stmt::If { condition, then, otherwise } => Stmt::If {
                condition: self.operand(*condition),
                then: self.block(then),
                otherwise: self.block(otherwise),
            },
            Stmt::Loop { body, fuel, span } => {
                Stmt::Loop { body: self.block(body), fuel: *fuel, span: self.span(*span) }
            }
            Stmt::Scope { scope, body } => Stmt::Scope { scope: self.scope(*scope), body: self.block(body) },
            Stmt::Leave(scope) => Stmt::Leave(self.scope(*scope)),
        }
    }

    fn operands(&self, args: &[Operand]) -> Vec<Operand> {
        args.iter().map(|&operand| self.operand(operand)).collect()
    }

    fn operand(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Local(id) => Operand::Local(self.local(id)),
            Operand::Const(id) => {
                Operand::Const(self.consts[id].expect("every constant of the unit was given a new id"))
            }
        }
    }

    fn scope(&self, scope: ScopeId) -> ScopeId {
        self.scopes[scope].expect("every scope of the unit was given a new id")
    }

    fn span(&self, span: Span) -> Span {
        Span {
            source: SourceId(span.source.0 + self.first_source as u32),
            ..span
        }
    }
}
