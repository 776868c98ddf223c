//! Variables at file scope, in TSL's spelling: constants, and handles of textures (`texture2d tex;`).
//!
//! Each body has its own copy of a variable, created at the first use. A handle is a parameter of each unit that uses it.

use super::Checker;
use super::error::CheckError;
use super::lvalue::Lvalue;
use super::scope::{FileVariable, Role, Symbol, SymbolMeaning};
use crate::hir::Param;
use crate::ty::Type;
use shading_syntax::ast::{Stmt, StmtKind};
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    /// Declares the variables of a statement at file scope.
    pub(super) fn declare_file_variables(&mut self, stmt: &'a Stmt) {
        let StmtKind::Declare { ty, variables, .. } = &stmt.kind else {
            return;
        };
        for variable in variables {
            let index = self.file_variables.len();
            self.file_variables.push(FileVariable { ty, variable, scope: self.scope });
            let name = &variable.name;
            if self.is_osl(name.span) {
                self.report(name.span, CheckError::FileVariable);
            }
            let symbol = Symbol {
                name: &name.text,
                meaning: SymbolMeaning::File(index),
                role: Role::Param,
                span: name.span,
                body: self.body.id,
                loops: 0,
                is_read: true,
                is_written: true,
            };
            if self.scopes.declare(self.scope, symbol).is_some() {
                self.report_twice("variable", name);
            }
        }
    }

    /// Returns the variable in the body under construction; `None` after an error.
    pub(super) fn file_variable(&mut self, index: usize, span: Span) -> Option<Lvalue> {
        if let Some(known) = self.body.file_variables.get(&index) {
            return known.clone();
        }
        let declared = self.file_variables[index];
        let scope = std::mem::replace(&mut self.scope, declared.scope);
        let references = std::mem::take(&mut self.references);
        let in_group = std::mem::take(&mut self.in_group);
        let mut meaning = SymbolMeaning::Unknown;
        let block = self.block(span, |c| {
            meaning = c.variable_meaning(true, declared.ty, declared.variable);
        });
        self.in_group = in_group;
        self.references = references;
        self.scope = scope;
        let SymbolMeaning::Variable(place) = meaning else {
            self.body.file_variables.insert(index, None);
            return None;
        };
        if declared.is_texture() && !self.is_apart {
            // The handle is a parameter of the unit, whose code is elsewhere.
            self.body.file_variables.insert(index, Some(place.clone()));
            self.body.texture_handles.push((index, place.clone()));
        } else if self.body.in_default {
            // Defaults run before the prologue.
            self.body.block.extend(block);
        } else {
            self.body.prologue.extend(block);
            self.body.file_variables.insert(index, Some(place.clone()));
        }
        Some(place)
    }

    /// Returns the parameters of a unit for the handles that its code uses.
    pub(super) fn texture_handles(&mut self) -> Vec<Param> {
        let handles = std::mem::take(&mut self.body.texture_handles);
        let mut params = vec![];
        for (index, place) in handles {
            let name = &self.file_variables[index].variable.name;
            let Some(&local) = place.leaves.first() else {
                continue;
            };
            let file = self.string("");
            let init = self.block(name.span, |c| c.store(local, file, name.span));
            params.push(Param {
                output: false,
                init,
                ..Param::output(&name.text, Type::STRING, local, name.span)
            });
        }
        params
    }
}
