//! Names in units and functions.

use super::indexer::{Indexer, NewDefinition, bytes};
use crate::definition::{DefinitionId, DefinitionKind, Target};
use shading_syntax::ast::{
    Argument, ArrayLength, Expr, ExprKind, File, Function, Item, Name, Param, Stmt, StmtKind, Struct,
    TypeKind, TypeName,
};
use std::ops::Range;

impl Indexer<'_> {
    /// Adds the references in the bodies of all items.
    pub(super) fn bodies(&mut self, file: &File) {
        for item in &file.items {
            match item {
                Item::Unit(unit) => {
                    let id = self.declared(&unit.name);
                    self.body(id, &unit.params, Some(&unit.body), bytes(unit.span));
                }
                Item::Function(function) => self.function(function),
                Item::Struct(structure) => structure.fields.iter().for_each(|field| self.ty(&field.ty)),
                Item::Group(group) => self.group(group),
                Item::Variables(stmt) => self.file_variables(stmt),
                Item::Declaration(declaration) => self.declaration_body(declaration),
            }
        }
    }

    fn function(&mut self, function: &Function) {
        self.ty(&function.ty);
        let id = self.declared(&function.name);
        self.body(id, &function.params, function.body.as_deref(), bytes(function.span));
    }

    fn body(
        &mut self,
        id: Option<DefinitionId>,
        params: &[Param],
        body: Option<&[Stmt]>,
        range: Range<usize>,
    ) {
        self.in_scope(range.end, |indexer| {
            indexer.param_uses(id, params, range.end);
            body.unwrap_or_default().iter().for_each(|stmt| indexer.statement(stmt));
        });
    }

    /// Adds the names in the types, lengths and defaults of parameters.
    pub(super) fn param_uses(&mut self, id: Option<DefinitionId>, params: &[Param], end: usize) {
        if let Some(id) = id {
            self.show_params(id, end);
        }
        for param in params {
            self.ty(&param.ty);
            self.array(param.array.as_ref());
            param.default.iter().for_each(|default| self.expr(default));
        }
    }

    pub(super) fn structure(&mut self, structure: &Struct) {
        let id = self.define(NewDefinition {
            name: &structure.name.text,
            kind: DefinitionKind::Struct,
            name_range: bytes(structure.name.span),
            range: bytes(structure.span),
            ty: "struct".to_owned(),
            container: None,
            metadata: &[],
            default: None,
        });
        for field in &structure.fields {
            let ty = self.type_text(&field.ty, field.array.as_ref());
            self.define(NewDefinition {
                name: &field.name.text,
                kind: DefinitionKind::Field,
                name_range: bytes(field.name.span),
                range: field.ty.span.start as usize..field.name.span.end as usize,
                ty,
                container: Some(id),
                metadata: &[],
                default: None,
            });
        }
    }

    /// Adds the names in the values of file variables, whose definitions exist already.
    fn file_variables(&mut self, stmt: &Stmt) {
        stmt.for_each_expr(&mut |_| {});
        if let StmtKind::Declare { variables, .. } = &stmt.kind {
            for variable in variables {
                variable.init.iter().for_each(|init| self.expr(init));
            }
        }
    }

    pub(super) fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { ty, variables, .. } => {
                self.ty(ty);
                for variable in variables {
                    self.array(variable.array.as_ref());
                    variable.init.iter().for_each(|init| self.expr(init));
                    let text = self.type_text(ty, variable.array.as_ref());
                    self.define(NewDefinition {
                        name: &variable.name.text,
                        kind: DefinitionKind::Variable,
                        name_range: bytes(variable.name.span),
                        range: bytes(stmt.span),
                        ty: text,
                        container: None,
                        metadata: &[],
                        default: variable.init.as_ref(),
                    });
                }
            }
            StmtKind::Function(function) => {
                let ty = self.type_text(&function.ty, None);
                let range = bytes(function.span);
                self.callable(DefinitionKind::Function, &function.name, ty, &[], &function.params, range);
                self.function(function);
            }
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.nested(then);
                otherwise.iter().for_each(|stmt| self.nested(stmt));
            }
            StmtKind::For { init, condition, step, body } => {
                self.in_scope(stmt.span.end as usize, |indexer| {
                    init.iter().for_each(|stmt| indexer.statement(stmt));
                    condition.iter().chain(step).for_each(|expr| indexer.expr(expr));
                    indexer.nested(body);
                });
            }
            StmtKind::While { condition, body } | StmtKind::DoWhile { body, condition } => {
                self.expr(condition);
                self.nested(body);
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StmtKind::Block(list) => self.in_scope(stmt.span.end as usize, |indexer| {
                list.iter().for_each(|stmt| indexer.statement(stmt));
            }),
            StmtKind::Break | StmtKind::Continue | StmtKind::Empty | StmtKind::Missing => {}
        }
    }

    fn nested(&mut self, stmt: &Stmt) {
        self.in_scope(stmt.span.end as usize, |indexer| indexer.statement(stmt));
    }

    pub(super) fn ty(&mut self, ty: &TypeName) {
        match &ty.kind {
            TypeKind::Named(name) => {
                let known = self.top(name, &[DefinitionKind::Struct, DefinitionKind::Macro]);
                self.refer_to(bytes(ty.span), known, Target::Type(name.clone()));
            }
            TypeKind::Of(expr) => self.expr(expr),
            _ => {}
        }
    }

    fn array(&mut self, array: Option<&ArrayLength>) {
        if let Some(ArrayLength::Sized(length)) = array {
            self.expr(length);
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.variable(name, bytes(expr.span)),
            ExprKind::Call { name, args, template } => {
                let known = self.callee(name);
                let call = Target::Call(name.text.clone());
                self.refer_to(bytes(name.span), known, call);
                if let Some(closure) = template {
                    self.refer(bytes(closure.span), Target::Call(closure.text.clone()));
                }
                self.arguments(&name.text, args);
            }
            ExprKind::Member { object, name } => {
                self.expr(object);
                let target = self.member_of(object, name);
                self.index.references.extend(
                    target.map(|target| crate::definition::Reference { range: bytes(name.span), target }),
                );
            }
            ExprKind::Cast { ty, .. } | ExprKind::Construct { ty, .. } => {
                self.ty(ty);
                expr.for_each_operand(&mut |operand| self.expr(operand));
            }
            _ => expr.for_each_operand(&mut |operand| self.expr(operand)),
        }
    }

    fn variable(&mut self, name: &str, range: Range<usize>) {
        const KINDS: [DefinitionKind; 3] =
            [DefinitionKind::Variable, DefinitionKind::Macro, DefinitionKind::Object];
        let known = self.local(name).or_else(|| self.top(name, &KINDS));
        self.refer_to(range, known, Target::Name(name.to_owned()));
    }

    fn callee(&self, name: &Name) -> Option<DefinitionId> {
        const KINDS: [DefinitionKind; 5] = [
            DefinitionKind::Function,
            DefinitionKind::Struct,
            DefinitionKind::Unit,
            DefinitionKind::Group,
            DefinitionKind::Macro,
        ];
        let local = self.local(&name.text);
        let local = local.filter(|&id| self.index.get(id).kind == DefinitionKind::Function);
        local.or_else(|| self.top(&name.text, &KINDS))
    }

    /// Adds the names in the arguments of a call; named arguments refer to parameters of a unit.
    pub(super) fn arguments(&mut self, unit: &str, args: &[Argument]) {
        for arg in args {
            if let Some(name) = &arg.name {
                let target = self.param(unit, &name.text);
                self.refer(bytes(name.span), target);
            }
            self.expr(&arg.value);
        }
    }

    /// Returns the parameter or output of a unit or group.
    pub(super) fn param(&self, unit: &str, name: &str) -> Target {
        let known = self.top(unit, &[DefinitionKind::Unit, DefinitionKind::Group]);
        let known = known.and_then(|unit| self.index.member(unit, name));
        known.map_or_else(
            || Target::Param { unit: unit.to_owned(), name: name.to_owned() },
            Target::Definition,
        )
    }

    fn member_of(&self, object: &Expr, name: &Name) -> Option<Target> {
        let (kind, ty) = self.type_of(object)?;
        if kind == DefinitionKind::Layer {
            return Some(self.param(&ty, &name.text));
        }
        let element = ty.split('[').next().unwrap_or_default().trim();
        let structure = self.top(element, &[DefinitionKind::Struct]);
        match structure {
            Some(id) => self.index.member(id, &name.text).map(Target::Definition),
            None if BASIC.contains(&element) => None,
            None => Some(Target::Field { ty: element.to_owned(), name: name.text.clone() }),
        }
    }

    /// Returns the type of an expression that may have members; for a layer, its unit.
    fn type_of(&self, expr: &Expr) -> Option<(DefinitionKind, String)> {
        match &expr.kind {
            ExprKind::Name(name) => {
                let id = self.local(name).or_else(|| self.top(name, &[DefinitionKind::Variable]))?;
                let definition = self.index.get(id);
                Some((definition.kind, definition.ty.clone()))
            }
            ExprKind::Index { object, .. } => self.type_of(object),
            ExprKind::Call { name, .. } => {
                let definition = self.index.get(self.callee(name)?);
                let ty = match definition.kind {
                    DefinitionKind::Struct => definition.name.clone(),
                    _ => definition.ty.clone(),
                };
                Some((DefinitionKind::Variable, ty))
            }
            ExprKind::Member { object, name } => match self.member_of(object, name)? {
                Target::Definition(id) => Some((DefinitionKind::Field, self.index.get(id).ty.clone())),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Types without fields.
const BASIC: [&str; 11] = [
    "int",
    "bool",
    "float",
    "double",
    "color",
    "point",
    "vector",
    "normal",
    "matrix",
    "string",
    "closure color",
];
