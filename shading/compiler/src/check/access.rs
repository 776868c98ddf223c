//! Access paths: reading and writing variables, fields, elements and components.

use super::conversion::near;
use super::error::CheckError;
use super::host_global::HostGlobal;
use super::lvalue::{Access, Component, Lvalue};
use super::scope::SymbolMeaning;
use super::warning::Warning;
use super::{Checker, TypedValue};
use crate::builtins::Global;
use crate::hir::{LocalId, Op, Operand};
use crate::ty::{Base, Length, Type, component_index};
use shading_syntax::ast::{Expr, ExprKind, Name};
use shading_syntax::source::Span;

impl<'a> Checker<'a> {
    /// Returns the value of an expression that names a constant.
    pub(super) fn constant_name(&mut self, expr: &'a Expr) -> Option<TypedValue> {
        let ExprKind::Name(name) = &expr.kind else {
            return None;
        };
        if self.references.contains_key(name) {
            return None;
        }
        match self.scopes.find(self.scope, name) {
            Some(index) => {
                let symbol = self.scopes.get_mut(index);
                match &symbol.meaning {
                    SymbolMeaning::Value(value) if symbol.body == self.body.id => {
                        symbol.is_read = true;
                        Some(value.clone())
                    }
                    SymbolMeaning::Value(_)
                    | SymbolMeaning::Variable(_)
                    | SymbolMeaning::File(_)
                    | SymbolMeaning::Unknown => None,
                }
            }
            None => self.constant_named(name),
        }
    }

    /// Marks the variable of an lvalue expression as written.
    pub(super) fn mark_written(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Name(name) => match self.scopes.find(self.scope, name) {
                Some(index) => self.scopes.get_mut(index).is_written = true,
                None => self.body.ci_written |= name == "Ci",
            },
            ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => self.mark_written(object),
            _ => {}
        }
    }

    /// Returns the input that an expression of a group refers to.
    fn reference(&self, expr: &Expr) -> Option<Lvalue> {
        if self.references.is_empty() {
            return None;
        }
        self.references
            .get(&super::reference::ReferencePath::of(expr)?.to_string())
            .cloned()
    }

    pub(super) fn mark_read(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                let loops = self.frame.loops.len();
                let Some(index) = self.scopes.find(self.scope, name) else {
                    return;
                };
                let body = self.body.id;
                let symbol = self.scopes.get_mut(index);
                symbol.is_read = true;
                // In a loop that began after the declaration, a later statement may already have run.
                if !symbol.is_written && loops <= symbol.loops && symbol.body == body {
                    self.warn(expr.span, Warning::Uninitialised(name.clone()));
                }
            }
            ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => self.mark_read(object),
            _ => {}
        }
    }

    /// Returns the lvalue of an expression. A value that is not a variable is copied into one that is read-only.
    pub(super) fn place(&mut self, expr: &'a Expr) -> Option<Lvalue> {
        if let Some(place) = self.reference(expr) {
            return Some(place);
        }
        match &expr.kind {
            ExprKind::Name(name) => self.name_place(name, expr.span),
            ExprKind::Member { object, name } => {
                let place = self.place(object)?;
                self.member(place, name)
            }
            ExprKind::Index { object, index } => {
                let place = self.place(object);
                let index = self.int_value(index, CheckError::IndexNotInt);
                self.index(place?, index?, expr.span)
            }
            _ => {
                let value = self.value(expr, None)?;
                Some(self.materialise(value, expr.span))
            }
        }
    }

    /// Copies a value into new variables.
    pub(super) fn materialise(&mut self, value: TypedValue, span: Span) -> Lvalue {
        let leaves = value
            .leaves
            .iter()
            .zip(self.leaves(value.ty))
            .map(|(leaf, (_, ty))| match leaf {
                Operand::Local(local) => *local,
                Operand::Const(_) => self.body.local("", ty),
            });
        let leaves: Vec<LocalId> = leaves.collect();
        for (local, leaf) in leaves.iter().zip(&value.leaves) {
            self.store(*local, *leaf, span);
        }
        Lvalue::whole(value.ty, leaves, Access::Value)
    }

    fn name_place(&mut self, name: &str, span: Span) -> Option<Lvalue> {
        if let Some(index) = self.scopes.find(self.scope, name) {
            let symbol = self.scopes.get(index);
            let is_foreign = symbol.body != self.body.id;
            let meaning = symbol.meaning.clone();
            if let SymbolMeaning::File(index) = meaning {
                return self.file_variable(index, span);
            }
            if is_foreign && self.alone.is_none() && !matches!(meaning, SymbolMeaning::Unknown) {
                self.report(span, CheckError::OutOfReach(name.to_owned()));
                return None;
            }
            return match meaning {
                SymbolMeaning::Variable(place) => Some(place),
                SymbolMeaning::Value(value) => Some(self.materialise(value, span)),
                SymbolMeaning::File(_) | SymbolMeaning::Unknown => None,
            };
        }
        if let Some(global) = Global::from_name(name) {
            let local = self.global(global, span);
            let access = match global {
                Global::P | Global::I | Global::N => Access::Writable,
                _ => Access::Global(global.name()),
            };
            return Some(Lvalue::whole(global.ty(), vec![local], access));
        }
        if name == "Ci" {
            let local = match self.body.ci {
                Some(local) => local,
                None => *self.body.ci.insert(
                    self.body
                        .code
                        .locals
                        .push(crate::hir::Local { name: "Ci".to_owned(), ty: Type::CLOSURE }),
                ),
            };
            return Some(Lvalue::whole(Type::CLOSURE, vec![local], Access::Writable));
        }
        if let Some(value) = self.constant_named(name) {
            let mut place = self.materialise(value, span);
            place.access = Access::Constant(name.to_owned());
            return Some(place);
        }
        if let Some(place) = self.host_global(name, span) {
            return Some(place);
        }
        self.unknown_name(name, span);
        None
    }

    fn unknown_name(&mut self, name: &str, span: Span) {
        let is_function = self.is_callable(name);
        let mut known: Vec<&str> = vec![];
        known.extend(self.scopes.names(self.scope));
        known.extend(Global::ALL.iter().map(|g| g.name()));
        known.push("Ci");
        super::named_constant::constant_names().for_each(|name| known.push(name));
        known.extend(self.references.keys().map(String::as_str));
        known.extend(self.host_globals.iter().map(HostGlobal::name));
        let near = near(name, &known);
        self.report(span, CheckError::UnknownName { name: name.to_owned(), near, is_function });
    }

    fn member(&mut self, mut place: Lvalue, name: &Name) -> Option<Lvalue> {
        if let Some(info) = self.structure(place.ty.base)
            && !place.ty.is_array()
        {
            let mut start = 0;
            for field in info.fields.clone() {
                let count = self.leaves(field.ty).len();
                if field.name == name.text {
                    place.leaves = place.leaves[start..start + count].to_vec();
                    place.ty = field.ty;
                    return Some(place);
                }
                start += count;
            }
            let near = near(&name.text, &info_fields(self, place.ty.base));
            return self.unknown_member(place.ty, name, near);
        }
        match component_index(&name.text) {
            Some(lane) if place.ty.is_triple() && self.may_name(place.ty, name) => {
                let lane = self.int(lane as i32);
                place.component = Some(Component::Lane(lane));
                place.ty = Type::FLOAT;
                Some(place)
            }
            _ => {
                let lanes = if place.ty.base == Base::Color {
                    "r`, `g` or `b"
                } else {
                    "x`, `y` or `z"
                };
                self.unknown_member(place.ty, name, place.ty.is_triple().then(|| lanes.to_owned()))
            }
        }
    }

    /// Returns whether a component of a triple may have this name. OSL distinguishes the names for colours from those for
    /// other triples; Kiln and TSL allow both.
    fn may_name(&self, ty: Type, name: &Name) -> bool {
        let is_color_name = matches!(name.text.as_str(), "r" | "g" | "b");
        self.prelude_call.is_some() || !self.is_osl(name.span) || is_color_name == (ty.base == Base::Color)
    }

    fn unknown_member(&mut self, ty: Type, name: &Name, near: Option<String>) -> Option<Lvalue> {
        let (ty, member) = (self.show(ty), name.text.clone());
        let error = CheckError::UnknownMember { ty, name: member, near };
        self.report(name.span, error);
        None
    }

    fn index(&mut self, mut place: Lvalue, index: Operand, span: Span) -> Option<Lvalue> {
        let length = match (place.ty.length, place.component) {
            (Length::Unsized, _) => {
                place.element = Some(index);
                place.ty = place.ty.element();
                i32::MAX as u32
            }
            (Length::Array(n), _) => {
                place.element = Some(index);
                place.ty = place.ty.element();
                n
            }
            (Length::Single, Some(Component::Row(row))) => {
                place.component = Some(Component::Entry(row, index));
                place.ty = Type::FLOAT;
                4
            }
            (Length::Single, None) if place.ty.is_triple() => {
                place.component = Some(Component::Lane(index));
                place.ty = Type::FLOAT;
                3
            }
            (Length::Single, None) if place.ty == Type::MATRIX => {
                place.component = Some(Component::Row(index));
                4
            }
            _ => {
                let ty = self.show(place.ty);
                self.report(span, CheckError::NotIndexable(ty));
                return None;
            }
        };
        if let Some(known) = self.body.known_int(index)
            && !(0..length as i32).contains(&known)
        {
            self.warn(span, Warning::IndexOutOfRange { index: known, length });
        }
        Some(place)
    }

    pub(super) fn read(&mut self, place: &Lvalue, span: Span) -> Option<TypedValue> {
        if let Some(Component::Row(_)) = place.component {
            self.report(span, CheckError::HalfIndexed);
            return None;
        }
        let Some(index) = place.element else {
            let leaves: Vec<Operand> = place.leaves.iter().map(|l| Operand::Local(*l)).collect();
            return Some(match place.component {
                Some(component) => self.read_component(leaves[0], component, span),
                None => TypedValue { ty: place.ty, leaves },
            });
        };
        let mut leaves = vec![];
        for local in &place.leaves {
            let element = self.local_type(*local).element();
            leaves.push(self.emit(Op::ArrayGet, vec![Operand::Local(*local), index], element, span));
        }
        // Array fields in arrays of structures are rejected at their declaration.
        Some(match place.component {
            Some(component) => self.read_component(leaves[0], component, span),
            None => TypedValue { ty: place.ty, leaves },
        })
    }

    fn read_component(&mut self, whole: Operand, component: Component, span: Span) -> TypedValue {
        match component {
            Component::Lane(lane) | Component::Row(lane) => {
                self.emit_value(Op::TripleGet, vec![whole, lane], Type::FLOAT, span)
            }
            Component::Entry(row, column) => {
                self.emit_value(Op::MatrixGet, vec![whole, row, column], Type::FLOAT, span)
            }
        }
    }

    /// Writes a value of the lvalue's type; returns the value of the assignment expression.
    pub(super) fn write(&mut self, place: &Lvalue, value: TypedValue, span: Span) -> TypedValue {
        if place.is_whole() {
            for (local, leaf) in place.leaves.iter().zip(&value.leaves) {
                self.store(*local, *leaf, span);
            }
            let leaves = place.leaves.iter().map(|l| Operand::Local(*l)).collect();
            return TypedValue { ty: place.ty, leaves };
        }
        for (local, leaf) in place.leaves.iter().zip(&value.leaves) {
            self.write_leaf(place, *local, *leaf, span);
        }
        value
    }

    fn write_leaf(&mut self, place: &Lvalue, local: LocalId, leaf: Operand, span: Span) {
        let old = Operand::Local(local);
        let Some(index) = place.element else {
            match place.component {
                Some(component) => self.write_component(local, old, component, leaf, span),
                None => self.store(local, leaf, span),
            }
            return;
        };
        let new = match place.component {
            Some(component) => {
                let element = self.local_type(local).element();
                let old = self.emit(Op::ArrayGet, vec![old, index], element, span);
                let new = self.body.local("", element);
                self.write_component(new, old, component, leaf, span);
                Operand::Local(new)
            }
            None => leaf,
        };
        self.assign(Some(local), Op::ArraySet, vec![old, index, new], span);
    }

    fn write_component(
        &mut self,
        dst: LocalId,
        old: Operand,
        component: Component,
        leaf: Operand,
        span: Span,
    ) {
        let (op, args) = match component {
            Component::Lane(lane) | Component::Row(lane) => (Op::TripleSet, vec![old, lane, leaf]),
            Component::Entry(row, column) => (Op::MatrixSet, vec![old, row, column, leaf]),
        };
        self.assign(Some(dst), op, args, span);
    }

    fn local_type(&self, local: LocalId) -> Type {
        self.body.code.locals.get(local).map_or(Type::VOID, |l| l.ty)
    }

    pub(super) fn is_writable(place: &Lvalue) -> bool {
        !matches!(place.component, Some(Component::Row(_)))
            && matches!(place.access, Access::Writable | Access::Param(_) | Access::Global(_))
    }

    /// Reports a write to a read-only lvalue; returns whether it can be written.
    pub(super) fn check_writable(&mut self, place: &Lvalue, span: Span) -> bool {
        if matches!(place.component, Some(Component::Row(_))) {
            self.report(span, CheckError::HalfIndexed);
            return false;
        }
        match &place.access {
            Access::Writable => true,
            Access::Param(name) => {
                self.warn(span, Warning::ParamWritten(name.clone()));
                true
            }
            Access::Global(name) => {
                self.warn(span, Warning::GlobalWritten(name));
                true
            }
            access @ (Access::Constant(_) | Access::Value) => {
                let access = access.clone();
                self.report(span, CheckError::NotWritable(access));
                false
            }
        }
    }
}

/// Returns the field names of a structure.
fn info_fields<'c>(checker: &'c Checker<'_>, base: Base) -> Vec<&'c str> {
    match checker.structure(base) {
        Some(info) => info.fields.iter().map(|f| f.name.as_str()).collect(),
        None => vec![],
    }
}
