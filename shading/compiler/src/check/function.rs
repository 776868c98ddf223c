//! Function declarations: checking, and lowering of recursive ones.

use std::rc::Rc;

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashSet;

use super::Checker;
use super::body::Body;
use super::error::CheckError;
use super::frame::{ANY_TYPE, Formal, FunctionFrame, FunctionInfo};
use super::global_uses::GlobalUses;
use super::lvalue::{Access, Lvalue};
use super::overload::same_formals;
use super::prelude;
use super::scope::{Role, ScopeIndex, Symbol, SymbolMeaning};
use super::warning::Warning;
use crate::hir::{Function, Stmt};
use crate::ty::Type;
use shading_syntax::ast::{self, ExprKind, Passing, TypeKind};

impl<'a> Checker<'a> {
    /// Adds a function to the current scope.
    pub(super) fn add_function(&mut self, function: &'a ast::Function, is_prelude: bool) -> Option<usize> {
        let is_generic = function.params.iter().any(|param| self.is_any(&param.ty));
        let result = match function.ty.kind {
            // Parameters have types only in calls.
            TypeKind::Of(_) if is_generic => Some(Type::VOID),
            _ => self.resolve(&function.ty, None),
        };
        let mut formals = Some(vec![]);
        for param in &function.params {
            let is_any = self.is_any(&param.ty) && param.array.is_none();
            let ty = if is_any {
                Some(ANY_TYPE)
            } else {
                self.resolve(&param.ty, param.array.as_ref())
            };
            if let Some(default) = &param.default {
                self.report(default.span, CheckError::FunctionDefault);
            }
            if ty == Some(Type::VOID) && !is_any {
                self.report(param.ty.span, CheckError::VoidVariable);
                formals = None;
            }
            match (ty, &mut formals) {
                (Some(ty), Some(list)) => list.push(Formal { ty, output: param.passing == Passing::Output }),
                _ => formals = None,
            }
        }
        let index = self.functions.len();
        self.functions.push(FunctionInfo {
            ast: function,
            scope: self.scope,
            formals: formals?,
            result: result?,
            is_generic,
            is_prelude,
            written: None,
            is_recursive: false,
            callees: FxHashSet::default(),
        });
        self.scopes.declare_function(self.scope, &function.name.text, index);
        Some(index)
    }

    /// Returns the functions of a name visible in a scope, innermost first. Functions of the prelude are declared on
    /// first lookup.
    pub(super) fn functions_named(&mut self, from: ScopeIndex, name: &str) -> Vec<usize> {
        if !self.scopes.has_functions(ScopeIndex::ROOT, name) {
            let scope = std::mem::replace(&mut self.scope, ScopeIndex::ROOT);
            for function in prelude::functions(name) {
                self.add_function(function, true);
            }
            self.scope = scope;
        }
        self.scopes.find_functions(from, name)
    }

    /// Declares a function of the file; returns its index if it has a body.
    pub(super) fn declare_function(&mut self, function: &'a ast::Function) -> Option<usize> {
        let name = &function.name.text;
        let before = self.functions_named(self.scope, name);
        let Some(index) = self.add_function(function, false) else {
            self.broken.push(function);
            return None;
        };
        function.body.as_ref()?;
        let formals = self.functions[index].formals.clone();
        for other in before {
            let info = &self.functions[other];
            let same_scope = info.scope == self.scope && info.ast.body.is_some();
            if same_scope
                && same_formals(&info.formals, &formals)
                && info.result == self.functions[index].result
            {
                let (name, other) = (name.clone(), info.ast.name.span);
                self.warn(function.name.span, Warning::Redefined(name, other));
                break;
            }
        }
        Some(index)
    }

    /// Checks the calls in a function whose declaration has errors, which prevent further checks.
    pub(super) fn check_calls(&mut self, function: &'a ast::Function) {
        let mut calls: Vec<&'a ast::Name> = vec![];
        for stmt in function.body.iter().flatten() {
            stmt.for_each_expr(&mut |expr| {
                if let ExprKind::Call { name, template: None, .. } = &expr.kind {
                    calls.push(name);
                }
            });
        }
        for name in calls {
            if !self.is_known_callee(&name.text) {
                let error = CheckError::UnknownFunction(name.text.clone(), None);
                self.report(name.span, error);
            }
        }
    }

    /// Returns, for each parameter of a function that is not an output, whether the body writes it, directly or by a call.
    pub(super) fn written_params(&mut self, index: usize) -> Rc<[bool]> {
        if let Some(written) = &self.functions[index].written {
            return written.clone();
        }
        let function = self.functions[index].ast;
        // For a recursive call, the other writes of the function are sufficient.
        self.functions[index].written = Some(vec![false; function.params.len()].into());
        let mut names: FxHashSet<&str> = FxHashSet::default();
        let mut handed_on: Vec<(&str, usize, &str)> = vec![];
        for stmt in function.body.iter().flatten() {
            stmt.for_each_expr(&mut |expr| match &expr.kind {
                ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => names.extend(root(target)),
                ExprKind::Call { name, args, .. } => {
                    for (i, arg) in args.iter().enumerate() {
                        handed_on.extend(root(&arg.value).map(|variable| (name.text.as_str(), i, variable)));
                    }
                }
                _ => {}
            });
        }
        for (callee, argument, variable) in handed_on {
            if !names.contains(variable) && self.may_write(callee, argument) {
                names.insert(variable);
            }
        }
        let written: Rc<[bool]> = function
            .params
            .iter()
            .map(|param| names.contains(param.name.text.as_str()))
            .collect();
        self.functions[index].written = Some(written.clone());
        written
    }

    /// Returns whether a call of a function of that name may write the given argument.
    fn may_write(&mut self, name: &str, argument: usize) -> bool {
        if WRITING.contains(&name) {
            return true;
        }
        let functions = self.functions_named(self.scope, name);
        functions.into_iter().any(|index| {
            let is_output = self.functions[index].formals.get(argument).map(|formal| formal.output);
            is_output.is_some_and(|is_output| is_output || self.written_params(index)[argument])
        })
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

    /// Checks a function separately and records its calls. The generated code is discarded. A function with parameters of
    /// type `any` is checked at its calls.
    pub(super) fn check_alone(&mut self, index: usize) {
        if self.functions[index].is_generic {
            return;
        }
        let alone = self.alone.replace(index);
        let called = std::mem::replace(&mut self.called, PrimaryMap::new());
        let called_ids = std::mem::take(&mut self.called_ids);
        let emitted = std::mem::take(&mut self.emitted);
        let lowered = std::mem::take(&mut self.lowered);
        self.exhaustion_reported = false;
        self.lower_apart(index);
        self.emitted = emitted;
        self.lowered = lowered;
        self.called = called;
        self.called_ids = called_ids;
        self.alone = alone;
    }

    pub(super) fn find_recursion(&mut self) {
        let callees = |index: usize| self.functions[index].callees.iter().copied().collect();
        let calls: Vec<Vec<usize>> = (0..self.functions.len()).map(callees).collect();
        for (index, is_recursive) in on_cycles(&calls).into_iter().enumerate() {
            self.functions[index].is_recursive = is_recursive;
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

    pub(super) fn declare_param(&mut self, name: &'a ast::Name, meaning: SymbolMeaning) {
        self.check_name(name);
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
            self.report(name.span, CheckError::Duplicate("parameter", name.text.clone()));
        }
    }

    /// Lowers a function that is not inlined; also returns the globals that it uses itself.
    pub(super) fn lower_apart(&mut self, index: usize) -> (Function, GlobalUses) {
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
        let frame = FunctionFrame { ty, result: result.clone(), ..FunctionFrame::default() };
        let outer_frame = std::mem::replace(&mut self.frame, frame);
        // A function has no parameters of a unit.
        let outer_params = std::mem::take(&mut self.adaptive.params);

        let mut params = vec![];
        let mut outputs = result;
        for (formal, param) in formals.iter().zip(&function.params) {
            let name = &param.name.text;
            let locals = self.locals(name, formal.ty);
            params.extend(&locals);
            let mut access = Access::Writable;
            if formal.output {
                outputs.extend(&locals);
            } else if param.passing == Passing::Const {
                access = Access::Constant(name.clone());
            } else {
                access = Access::Param(name.clone());
            }
            self.declare_param(
                &param.name,
                SymbolMeaning::Variable(Lvalue::whole(formal.ty, locals, access)),
            );
        }
        let statements = function.body.as_deref().unwrap_or_default();
        let block = self.block(function.span, |c| c.statements(statements, true));
        if ty != Type::VOID && !self.frame.returns {
            let (name, ty) = (function.name.text.clone(), self.show(ty));
            self.report(function.name.span, CheckError::NoReturn { name, ty });
        }
        self.is_apart = was_apart;
        self.adaptive.params = outer_params;
        let frame = std::mem::replace(&mut self.frame, outer_frame);
        self.scope = outer_scope;
        let mut body = std::mem::replace(&mut self.body, outer_body);
        body.code.body = std::mem::take(&mut body.prologue);
        match frame.scope {
            Some(scope) => body.code.body.push(Stmt::Scope { scope, body: block }),
            None => body.code.body.extend(block),
        }
        let globals = GlobalUses::new(&body.globals, body.ci, &body.code.body);
        let function = Function {
            name: function.name.text.clone(),
            params,
            outputs,
            code: body.code,
            fuel: 1,
            sample: None,
        };
        (function, globals)
    }
}

/// Built-in functions that write arguments.
const WRITING: [&str; 14] = [
    "sincos",
    "getattribute",
    "getmessage",
    "gettextureinfo",
    "getmatrix",
    "dict_value",
    "pointcloud_search",
    "pointcloud_get",
    "regex_search",
    "regex_match",
    "split",
    "texture",
    "texture3d",
    "environment",
];

/// Returns the variable that an expression is, or is a part of.
fn root(expr: &ast::Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => root(object),
        _ => None,
    }
}

/// Returns the nodes of a graph that are on a cycle: those of strongly connected components with an inner edge.
// Tarjan 1972, "Depth-first search and linear graph algorithms", with an explicit stack.
fn on_cycles(edges: &[Vec<usize>]) -> Vec<bool> {
    const NEW: usize = usize::MAX;
    let count = edges.len();
    let mut order = vec![NEW; count];
    // Lowest index of an open node reachable from each node.
    let mut low = vec![NEW; count];
    let mut is_open = vec![false; count];
    let mut on_cycle = vec![false; count];
    let (mut open, mut visited) = (vec![], 0);
    for root in 0..count {
        if order[root] != NEW {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if *next == 0 {
                (order[node], low[node], is_open[node]) = (visited, visited, true);
                open.push(node);
                visited += 1;
            }
            let edge = edges[node].get(*next).copied();
            *next += 1;
            match edge {
                Some(to) if order[to] == NEW => path.push((to, 0)),
                Some(to) => {
                    if is_open[to] {
                        low[node] = low[node].min(order[to]);
                    }
                    on_cycle[node] |= to == node;
                }
                None => {
                    path.pop();
                    if let Some((caller, _)) = path.last() {
                        low[*caller] = low[*caller].min(low[node]);
                    }
                    if low[node] == order[node] {
                        let first = open.iter().rposition(|&other| other == node).unwrap_or(0);
                        let component = open.split_off(first);
                        let is_cycle = component.len() > 1;
                        for member in component {
                            is_open[member] = false;
                            on_cycle[member] |= is_cycle;
                        }
                    }
                }
            }
        }
    }
    on_cycle
}

#[cfg(test)]
mod tests {
    use super::on_cycles;

    #[test]
    fn finds_what_lies_on_cycles() {
        // 0 → 1 → 2 → 1, 2 → 3 → 4 → 4, 5.
        let edges = [vec![1], vec![2], vec![1, 3], vec![4], vec![4], vec![]];
        assert_eq!(on_cycles(&edges), [false, true, true, false, true, false]);
    }
}
