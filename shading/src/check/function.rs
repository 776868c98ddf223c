//! Functions: declared, checked by themselves, inlined or called.

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashSet;

use super::argument::Given;
use super::body::Body;
use super::error::CheckError;
use super::overload::same_formals;
use super::place::{Access, Place};
use super::scope::{Meaning, Role, ScopeIndex, Symbol};
use super::{Checker, Value};
use crate::hir::{Function, FunctionId, LocalId, Operand, ScopeId, Stmt};
use crate::source::Span;
use crate::syntax::ast::{self, Passing};
use crate::ty::{Length, Type};

/// Most calls that are inlined within one another.
const MAX_INLINED: usize = 64;

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Formal {
    pub(super) ty: Type,
    pub(super) output: bool,
}

/// A declared function.
#[derive(Debug)]
pub(super) struct FunctionInfo<'a> {
    pub(super) ast: &'a ast::Function,
    /// The scope it was declared in, which its body sees.
    pub(super) scope: ScopeIndex,
    pub(super) formals: Vec<Formal>,
    pub(super) result: Type,
    is_prelude: bool,
    is_recursive: bool,
    /// What its body calls.
    callees: FxHashSet<usize>,
}

impl FunctionInfo<'_> {
    /// Whether the language itself brings it.
    pub(super) fn is_prelude(&self) -> bool {
        self.is_prelude
    }
}

/// The function, or unit, being lowered.
#[derive(Debug)]
pub(super) struct Frame {
    /// What it returns.
    pub(super) ty: Type,
    /// Where that goes.
    pub(super) result: Vec<LocalId>,
    /// What `return` leaves; made at need.
    pub(super) scope: Option<ScopeId>,
    pub(super) returns: bool,
    pub(super) loops: Vec<LoopFrame>,
}

/// A loop being lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopFrame {
    pub(super) break_scope: ScopeId,
    pub(super) continue_scope: Option<ScopeId>,
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            ty: Type::VOID,
            result: vec![],
            scope: None,
            returns: false,
            loops: vec![],
        }
    }
}

/// An argument bound to a parameter, and where to write it back.
struct Bound {
    meaning: Meaning,
    back: Option<(Place, Vec<LocalId>)>,
}

impl<'a> Checker<'a> {
    /// Adds a function to the present scope.
    pub(super) fn add_function(&mut self, function: &'a ast::Function, is_prelude: bool) -> Option<usize> {
        let result = self.resolve(&function.ty, None);
        let mut formals = Some(vec![]);
        for param in &function.params {
            let ty = self.resolve(&param.ty, param.array.as_ref());
            if let Some(default) = &param.default {
                self.report(default.span, CheckError::FunctionDefault);
            }
            if ty == Some(Type::VOID) {
                self.report(param.ty.span, CheckError::VoidVariable);
                formals = None;
            }
            match (ty, &mut formals) {
                (Some(ty), Some(list)) => list.push(Formal {
                    ty,
                    output: param.passing == Passing::Output,
                }),
                _ => formals = None,
            }
        }
        let index = self.functions.len();
        self.functions.push(FunctionInfo {
            ast: function,
            scope: self.scope,
            formals: formals?,
            result: result?,
            is_prelude,
            is_recursive: false,
            callees: FxHashSet::default(),
        });
        self.scopes
            .declare_function(self.scope, &function.name.text, index);
        Some(index)
    }

    /// Declares a function of the file; the index of one with a body comes back.
    pub(super) fn declare_function(&mut self, function: &'a ast::Function) -> Option<usize> {
        let name = &function.name.text;
        let before = self.scopes.find_functions(self.scope, name);
        let index = self.add_function(function, false)?;
        function.body.as_ref()?;
        let formals = self.functions[index].formals.clone();
        for other in before {
            let info = &self.functions[other];
            let same_scope = info.scope == self.scope && info.ast.body.is_some();
            if same_scope
                && same_formals(&info.formals, &formals)
                && info.result == self.functions[index].result
            {
                let name = name.clone();
                self.report(
                    function.name.span,
                    CheckError::Duplicate {
                        what: "function",
                        name,
                    },
                );
            }
        }
        Some(index)
    }

    /// A function inside a function or unit.
    pub(super) fn local_function(&mut self, function: &'a ast::Function) {
        if let Some(index) = self.declare_function(function) {
            let key = function.name.span;
            let recursive = match self.local_recursion.get(&key) {
                Some(recursive) => *recursive,
                None => {
                    self.check_alone(index);
                    self.reaches(index, index)
                }
            };
            self.local_recursion.insert(key, recursive);
            self.functions[index].is_recursive = recursive;
        }
    }

    /// Checks a function by itself and notes what it calls. The code made is thrown away.
    pub(super) fn check_alone(&mut self, index: usize) {
        let alone = self.alone.replace(index);
        let called = std::mem::replace(&mut self.called, PrimaryMap::new());
        let called_ids = std::mem::take(&mut self.called_ids);
        let emitted = std::mem::take(&mut self.emitted);
        self.lower_apart(index);
        self.emitted = emitted;
        self.called = called;
        self.called_ids = called_ids;
        self.alone = alone;
    }

    /// Finds which functions can come to call themselves.
    pub(super) fn find_recursion(&mut self) {
        for index in 0..self.functions.len() {
            self.functions[index].is_recursive = self.reaches(index, index);
        }
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![from];
        while let Some(index) = open.pop() {
            for callee in &self.functions[index].callees {
                if *callee == to {
                    return true;
                }
                if seen.insert(*callee) {
                    open.push(*callee);
                }
            }
        }
        false
    }

    /// Calls a function whose parameters the arguments fit.
    pub(super) fn invoke(&mut self, index: usize, given: &[Given<'a>], span: Span) -> Option<Value> {
        if let Some(caller) = self.alone {
            return self.pretend(caller, index, given);
        }
        if self.functions[index].is_recursive {
            return self.call_recursive(index, given, span);
        }
        self.inline(index, given, span)
    }

    /// What a call would give, in a function that is checked by itself.
    fn pretend(&mut self, caller: usize, index: usize, given: &[Given<'a>]) -> Option<Value> {
        self.functions[caller].callees.insert(index);
        let formals = self.functions[index].formals.clone();
        for (given, formal) in given.iter().zip(&formals) {
            match given.place().filter(|_| formal.output) {
                Some((place, expr)) => {
                    self.mark_written(expr);
                    self.scopes_mark_read(expr);
                    self.check_writable(&place.clone(), given.span);
                }
                None => {
                    self.given_as(given, formal.ty);
                }
            }
        }
        let ty = self.functions[index].result;
        let leaves = self.locals("", ty).into_iter().map(Operand::Local).collect();
        Some(Value { ty, leaves })
    }

    /// An argument by reference counts as used: what it is set to may be all that the caller is after.
    fn scopes_mark_read(&mut self, expr: &'a ast::Expr) {
        self.quiet += 1;
        self.mark_read(expr);
        self.quiet -= 1;
    }

    fn inline(&mut self, index: usize, given: &[Given<'a>], span: Span) -> Option<Value> {
        let info = &self.functions[index];
        let (function, outer, ty, is_prelude) = (info.ast, info.scope, info.result, info.is_prelude);
        let formals = info.formals.clone();
        if self.inlined >= MAX_INLINED || self.is_exhausted() {
            let name = function.name.text.clone();
            let quiet = std::mem::take(&mut self.quiet);
            self.report(
                self.prelude_call.unwrap_or(span),
                CheckError::CallsTooDeep { name },
            );
            self.quiet = quiet;
            return None;
        }
        let mut bound = vec![];
        for ((formal, given), param) in formals.iter().zip(given).zip(&function.params) {
            bound.push(self.bind(*formal, given, &param.name.text));
        }
        let bound: Vec<Bound> = bound.into_iter().collect::<Option<_>>()?;
        let result = self.locals(&format!("{}.result", function.name.text), ty);

        let scope = self.scopes.push(outer);
        let outer_scope = std::mem::replace(&mut self.scope, scope);
        let frame = Frame {
            ty,
            result: result.clone(),
            ..Frame::default()
        };
        let outer_frame = std::mem::replace(&mut self.frame, frame);
        let references = std::mem::take(&mut self.references);
        let in_group = std::mem::take(&mut self.in_group);
        let prelude_call = self.prelude_call;
        if is_prelude {
            self.prelude_call.get_or_insert(span);
        }
        self.quiet += 1;
        self.inlined += 1;
        for (bound, param) in bound.iter().zip(&function.params) {
            self.declare_param(&param.name, bound.meaning.clone());
        }
        let block = self.block(span, |c| {
            c.statements(function.body.as_deref().unwrap_or_default(), true);
        });
        self.inlined -= 1;
        self.quiet -= 1;
        self.prelude_call = prelude_call;
        self.in_group = in_group;
        self.references = references;
        let frame = std::mem::replace(&mut self.frame, outer_frame);
        self.scope = outer_scope;

        match frame.scope {
            Some(scope) => self.push(Stmt::Scope { scope, body: block }, span),
            None => self.body.block.extend(block),
        }
        for (place, locals) in bound.into_iter().filter_map(|b| b.back) {
            let leaves = locals.into_iter().map(Operand::Local).collect();
            self.write(&place, Value { ty: place.ty, leaves }, span);
        }
        let leaves = result.into_iter().map(Operand::Local).collect();
        Some(Value { ty, leaves })
    }

    /// Binds an argument: outputs by reference, constants as they are, other values as copies.
    fn bind(&mut self, formal: Formal, given: &Given<'a>, name: &str) -> Option<Bound> {
        if formal.output
            && let Some((place, expr)) = given.place()
        {
            let mut place = place.clone();
            if !self.check_writable(&place, given.span) {
                return None;
            }
            self.mark_written(expr);
            self.scopes_mark_read(expr);
            let ty = Type {
                base: formal.ty.base,
                length: place.ty.length,
            };
            if place.is_whole() {
                place.ty = ty;
                return Some(Bound {
                    meaning: Meaning::Variable(place),
                    back: None,
                });
            }
            let value = self.read(&place, given.span)?;
            let locals = self.locals(name, ty);
            for (local, leaf) in locals.iter().zip(&value.leaves) {
                self.store(*local, *leaf, given.span);
            }
            let meaning = Meaning::Variable(Place::whole(ty, locals.clone(), Access::Writable));
            return Some(Bound {
                meaning,
                back: Some((place, locals)),
            });
        }
        let value = self.given_as(given, formal.ty)?;
        if value.leaves.iter().all(|leaf| matches!(leaf, Operand::Const(_))) {
            return Some(Bound {
                meaning: Meaning::Value(value),
                back: None,
            });
        }
        let locals = self.locals(name, value.ty);
        for (local, leaf) in locals.iter().zip(&value.leaves) {
            self.store(*local, *leaf, given.span);
        }
        let place = Place::whole(value.ty, locals, Access::Param(name.to_owned()));
        Some(Bound {
            meaning: Meaning::Variable(place),
            back: None,
        })
    }

    pub(super) fn declare_param(&mut self, name: &'a ast::Name, meaning: Meaning) {
        let symbol = Symbol {
            name: &name.text,
            meaning,
            role: Role::Param,
            span: name.span,
            body: self.body.id,
            loops: 0,
            is_read: false,
            is_written: true,
        };
        if self.scopes.declare(self.scope, symbol).is_some() && !name.text.is_empty() {
            self.report(
                name.span,
                CheckError::Duplicate {
                    what: "parameter",
                    name: name.text.clone(),
                },
            );
        }
    }

    fn call_recursive(&mut self, index: usize, given: &[Given<'a>], span: Span) -> Option<Value> {
        let formals = self.functions[index].formals.clone();
        let ty = self.functions[index].result;
        let mut args = vec![];
        let result = self.locals("", ty);
        let mut results = result.clone();
        let mut back = vec![];
        for (formal, given) in formals.iter().zip(given) {
            if formal.ty.length == Length::Unsized {
                let name = self.functions[index].ast.name.text.clone();
                self.report(given.span, CheckError::RecursiveUnsized { name });
                return None;
            }
            let Some((place, expr)) = given.place().filter(|_| formal.output) else {
                args.extend(self.given_as(given, formal.ty)?.leaves);
                continue;
            };
            let place = place.clone();
            if !self.check_writable(&place, given.span) {
                return None;
            }
            self.mark_written(expr);
            self.scopes_mark_read(expr);
            args.extend(self.read(&place, given.span)?.leaves);
            let locals = self.locals("", place.ty);
            results.extend(&locals);
            back.push((place, locals));
        }
        let function = self.recursive(index);
        let at = self.prelude_call.unwrap_or(span);
        self.push(
            Stmt::Call {
                function,
                args,
                results,
                span: at,
            },
            span,
        );
        for (place, locals) in back {
            let leaves = locals.into_iter().map(Operand::Local).collect();
            self.write(&place, Value { ty: place.ty, leaves }, span);
        }
        let leaves = result.into_iter().map(Operand::Local).collect();
        Some(Value { ty, leaves })
    }

    /// The function that is not inlined, made on its first call.
    fn recursive(&mut self, index: usize) -> FunctionId {
        if let Some(id) = self.called_ids.get(&index) {
            return *id;
        }
        let id = self.called.push(Function {
            name: self.functions[index].ast.name.text.clone(),
            params: vec![],
            outputs: vec![],
            code: crate::hir::Code::default(),
        });
        self.called_ids.insert(index, id);
        self.quiet += 1;
        let function = self.lower_apart(index);
        self.quiet -= 1;
        self.called[id] = function;
        id
    }

    /// Lowers a function into code of its own.
    fn lower_apart(&mut self, index: usize) -> Function {
        let info = &self.functions[index];
        let (function, scope, ty) = (info.ast, info.scope, info.result);
        let formals = info.formals.clone();
        let was_apart = std::mem::replace(&mut self.is_apart, true);
        self.bodies += 1;
        let body = Body::new(self.bodies);
        let outer_body = std::mem::replace(&mut self.body, body);
        let scope = self.scopes.push(scope);
        let outer_scope = std::mem::replace(&mut self.scope, scope);
        let result = self.locals("result", ty);
        let frame = Frame {
            ty,
            result: result.clone(),
            ..Frame::default()
        };
        let outer_frame = std::mem::replace(&mut self.frame, frame);

        let mut params = vec![];
        let mut outputs = result;
        for (formal, param) in formals.iter().zip(&function.params) {
            let name = &param.name.text;
            let locals = self.locals(name, formal.ty);
            params.extend(&locals);
            let mut access = Access::Writable;
            if formal.output {
                outputs.extend(&locals);
            } else {
                access = Access::Param(name.clone());
            }
            self.declare_param(
                &param.name,
                Meaning::Variable(Place::whole(formal.ty, locals, access)),
            );
        }
        let statements = function.body.as_deref().unwrap_or_default();
        let block = self.block(function.span, |c| c.statements(statements, true));
        if ty != Type::VOID && !self.frame.returns {
            let (name, ty) = (function.name.text.clone(), self.show(ty));
            self.report(function.name.span, CheckError::NoReturn { name, ty });
        }
        self.is_apart = was_apart;
        let frame = std::mem::replace(&mut self.frame, outer_frame);
        self.scope = outer_scope;
        let mut body = std::mem::replace(&mut self.body, outer_body);
        body.code.body = std::mem::take(&mut body.prologue);
        match frame.scope {
            Some(scope) => body.code.body.push(Stmt::Scope { scope, body: block }),
            None => body.code.body.extend(block),
        }
        Function {
            name: function.name.text.clone(),
            params,
            outputs,
            code: body.code,
        }
    }
}
