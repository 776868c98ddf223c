//! HIR verifier: checks every invariant that [`crate::hir`] states.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use super::shape::{Shape, shape};
use crate::hir::ClosureRegistry;
use crate::hir::{Block, Code, Function, Kind, LocalId, Op, Operand, ScopeId, Stmt, Unit};

/// A violated invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierError {
    /// Name of the function; empty for the unit's own code.
    pub function: String,
    /// The statement as printed by [`crate::hir::print`], or the name of the table.
    pub at: String,
    /// Description of the violation.
    pub message: String,
}

impl fmt::Display for VerifierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.function.is_empty() {
            write!(f, "in {}: ", self.function)?;
        }
        write!(f, "{}: {}", self.at, self.message)
    }
}

/// Returns all invariants of [`crate::hir`] that a unit violates; empty for a valid unit. Parameters of closures are
/// checked if the registry is given.
pub fn verify(unit: &Unit, closures: Option<&ClosureRegistry>) -> Vec<VerifierError> {
    let mut found = vec![];
    let mut check = |name: &str, code: &Code, blocks: &[&Block], variables: &[(LocalId, Option<Kind>)]| {
        let mut verifier = Verifier {
            unit,
            closures,
            code,
            function: name,
            open: vec![],
            found: &mut found,
        };
        verifier.tables(variables);
        for block in blocks {
            verifier.block(block);
        }
    };
    let mut blocks: Vec<&Block> = unit.params.iter().map(|p| &p.init).collect();
    blocks.push(&unit.code.body);
    let variables: Vec<_> = unit.params.iter().map(|p| (p.local, Kind::of(p.ty))).collect();
    check("", &unit.code, &blocks, &variables);
    for function in unit.functions.values() {
        let variables: Vec<_> = function.params.iter().chain(&function.outputs).map(|&l| (l, None)).collect();
        check(&function.name, &function.code, &[&function.code.body], &variables);
    }
    found
}

struct Verifier<'a> {
    unit: &'a Unit,
    closures: Option<&'a ClosureRegistry>,
    code: &'a Code,
    function: &'a str,
    open: Vec<ScopeId>,
    found: &'a mut Vec<VerifierError>,
}

impl Verifier<'_> {
    fn report(&mut self, at: impl Into<String>, message: impl Into<String>) {
        self.found.push(VerifierError {
            function: self.function.to_owned(),
            at: at.into(),
            message: message.into(),
        });
    }

    fn at(&self, stmt: &Stmt) -> String {
        crate::hir::print::head(self.code, stmt)
    }

    /// Checks that every local and constant has a type, and that the variables of parameters exist with the right
    /// kinds.
    fn tables(&mut self, variables: &[(LocalId, Option<Kind>)]) {
        for (id, local) in &self.code.locals {
            if Kind::of(local.ty).is_none() {
                self.report(id.to_string(), format!("no variable can have type {}", local.ty));
            }
        }
        for (id, value) in &self.code.consts {
            if Kind::of_const(value).is_none() {
                self.report(id.to_string(), "array constant is empty, mixed or nested");
            }
        }
        for &(local, kind) in variables {
            match self.local(local) {
                None => self.report(local.to_string(), "parameter's variable does not exist"),
                Some(found) if kind.is_some_and(|k| k != found) => {
                    self.report(local.to_string(), format!("parameter's variable is {found}"));
                }
                Some(_) => {}
            }
        }
    }

    fn local(&self, id: LocalId) -> Option<Kind> {
        self.code.locals.get(id).and_then(|l| Kind::of(l.ty))
    }

    fn operand(&self, operand: Operand) -> Option<Kind> {
        match operand {
            Operand::Local(id) => self.local(id),
            Operand::Const(id) => self.code.consts.get(id).and_then(Kind::of_const),
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Op { dst, op, args, .. } => {
                if let Err(message) = self.op(*dst, *op, args) {
                    self.report(self.at(stmt), message);
                }
            }
            Stmt::Call { function, args, results, .. } => match self.unit.functions.get(*function) {
                None => self.report(self.at(stmt), "function does not exist"),
                Some(callee) => {
                    if let Err(message) = self.call(callee, args, results) {
                        self.report(self.at(stmt), message);
                    }
                }
            },
            Stmt::If { condition, then, otherwise } => {
                if self.operand(*condition) != Some(Kind::INT) {
                    self.report(self.at(stmt), "condition is not an int");
                }
                self.block(then);
                self.block(otherwise);
            }
            Stmt::Loop { body, .. } => self.block(body),
            Stmt::Scope { scope, body } => {
                if !self.code.scopes.is_valid(*scope) {
                    self.report(self.at(stmt), "scope does not exist");
                }
                if self.open.contains(scope) {
                    self.report(self.at(stmt), "scope lies within itself");
                }
                self.open.push(*scope);
                self.block(body);
                self.open.pop();
            }
            Stmt::Leave(scope) => {
                if !self.open.contains(scope) {
                    self.report(self.at(stmt), "scope does not enclose this");
                }
            }
        }
    }

    fn call(&self, callee: &Function, args: &[Operand], results: &[LocalId]) -> Result<(), String> {
        if args.len() != callee.params.len() || results.len() != callee.outputs.len() {
            return Err(format!(
                "function takes {} and gives {}",
                callee.params.len(),
                callee.outputs.len()
            ));
        }
        let theirs = |id: LocalId| callee.code.locals.get(id).and_then(|l| Kind::of(l.ty));
        for (i, (&arg, &param)) in args.iter().zip(&callee.params).enumerate() {
            if self.operand(arg).is_none() || self.operand(arg) != theirs(param) {
                return Err(format!("argument {i} does not fit"));
            }
        }
        for (i, (&result, &output)) in results.iter().zip(&callee.outputs).enumerate() {
            if self.local(result).is_none() || self.local(result) != theirs(output) {
                return Err(format!("result {i} does not fit"));
            }
        }
        Ok(())
    }

    fn op(&self, dst: Option<LocalId>, op: Op, args: &[Operand]) -> Result<(), String> {
        let kinds = args
            .iter()
            .map(|&a| self.operand(a).ok_or("operand does not exist or has no type"))
            .collect::<Result<Vec<_>, _>>()?;
        let result = match dst {
            Some(id) => Some(self.local(id).ok_or("destination does not exist or has no type")?),
            None => None,
        };
        if op == Op::ArraySet && (dst.is_none() || args.first().copied() != dst.map(Operand::Local)) {
            return Err("array operand is not the destination".to_owned());
        }
        let Shape(takes, gives) = shape(op, &kinds, result, self.closures)?;
        if takes != kinds {
            return Err(format!("takes ({}), not ({})", list(&takes), list(&kinds)));
        }
        match (gives, result) {
            (Some(gives), Some(result)) if gives != result => Err(format!("gives {gives}, not {result}")),
            (None, Some(_)) => Err("gives nothing".to_owned()),
            (Some(_), None) => Err("has no destination".to_owned()),
            _ => Ok(()),
        }
    }
}

static VERIFIES: AtomicBool = AtomicBool::new(cfg!(any(debug_assertions, test)));

/// Enables verification after each pass for the rest of the process, as in debug builds: HIR by [`verify`], machine code by
/// Cranelift's verifier. For tests of optimised builds.
pub fn verify_all() {
    VERIFIES.store(true, Ordering::Relaxed);
}

/// Returns whether passes are verified: in debug builds, and after [`verify_all`].
pub fn verifies() -> bool {
    VERIFIES.load(Ordering::Relaxed)
}

/// Panics if a unit violates an invariant, naming the pass that caused it; only if passes are verified ([`verifies`]).
pub fn debug_verify(unit: &Unit, after: &str) {
    if verifies() {
        let found = verify(unit, None);
        let list: Vec<_> = found.iter().map(VerifierError::to_string).collect();
        assert!(
            found.is_empty(),
            "after {after}:\n{}\n{}",
            list.join("\n"),
            crate::hir::print::print(unit)
        );
    }
}

fn list(kinds: &[Kind]) -> String {
    let names: Vec<_> = kinds.iter().map(Kind::to_string).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use cranelift_entity::EntityRef;

    use super::*;
    use crate::builtins::Builtin;
    use crate::hir::{Const, Local, UnitKind};
    use crate::ty::Type;
    use shading_syntax::source::Span;

    fn unit(body: impl FnOnce(&mut Code) -> Block) -> Unit {
        let mut code = Code::default();
        code.body = body(&mut code);
        Unit {
            name: "test".to_owned(),
            kind: UnitKind::Shader,
            params: vec![],
            metadata: vec![],
            globals: vec![],
            code,
            functions: Default::default(),
            span: Span::default(),
        }
    }

    fn check(body: impl FnOnce(&mut Code) -> Block, expected: &str) {
        let found = verify(&unit(body), None);
        let text: Vec<_> = found.iter().map(|v| v.message.as_str()).collect();
        assert_eq!(text.join("; "), expected);
    }

    fn local(code: &mut Code, ty: Type) -> LocalId {
        code.locals.push(Local { name: String::new(), ty })
    }

    fn op(dst: LocalId, op: Op, args: Vec<Operand>) -> Stmt {
        Stmt::op(Some(dst), op, args, Span::default())
    }

    #[test]
    fn triples_are_one_kind() {
        check(
            |code| {
                let (c, p) = (local(code, Type::COLOR), local(code, Type::POINT));
                vec![op(c, Op::Add, vec![Operand::Local(p), Operand::Local(c)])]
            },
            "",
        );
    }

    #[test]
    fn types_must_fit() {
        check(
            |code| {
                let (c, f) = (local(code, Type::COLOR), local(code, Type::FLOAT));
                vec![
                    op(f, Op::Add, vec![Operand::Local(c), Operand::Local(f)]),
                    op(c, Op::Builtin(Builtin::Dot), vec![Operand::Local(c); 2]),
                ]
            },
            "takes (triple, triple), not (triple, float); gives float, not triple",
        );
    }

    #[test]
    fn ids_must_exist() {
        check(
            |code| {
                let f = local(code, Type::FLOAT);
                vec![op(f, Op::Copy, vec![Operand::Local(LocalId::new(7))]), Stmt::Leave(ScopeId::new(0))]
            },
            "operand does not exist or has no type; scope does not enclose this",
        );
    }

    #[test]
    fn arrays_are_set_in_place() {
        check(
            |code| {
                let ty = Type::array(crate::ty::Base::Int, 3);
                let (a, b) = (local(code, ty), local(code, ty));
                let i = Operand::Const(code.consts.push(Const::Int(1)));
                vec![
                    op(a, Op::ArraySet, vec![Operand::Local(a), i, i]),
                    op(a, Op::ArraySet, vec![Operand::Local(b), i, i]),
                ]
            },
            "array operand is not the destination",
        );
    }
}
