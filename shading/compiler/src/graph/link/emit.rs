//! Emission of linked code: variables, constants, assignments with implicit conversions.

use super::Linker;
use super::scope::Feed;
use super::wire::{LinkPlace, WirePart};
use crate::graph::interface::{assignable, part};
use crate::graph::path::longest_name;
use crate::graph::{Accessor, GraphError};
use crate::hir::{Const, Local, LocalId, Op, Operand, Stmt};
use crate::ty::{Base, Length, Type, component_index};
use shading_syntax::source::Span;

/// Maximum number of accessors of a part: the component of an element.
const MAX_PART_DEPTH: usize = 2;

impl Linker<'_> {
    pub(super) fn variable(&mut self, name: &str, ty: Type) -> LocalId {
        let name = name.to_owned();
        self.code.locals.push(Local { name, ty })
    }

    pub(super) fn temporary(&mut self, ty: Type) -> LocalId {
        self.variable("", ty)
    }

    pub(super) fn constant(&mut self, value: Const) -> Operand {
        Operand::Const(self.code.consts.push(value))
    }

    /// Emits an operation that belongs to a connection.
    pub(super) fn emit(&mut self, dst: LocalId, op: Op, args: Vec<Operand>) {
        self.wires[dst] = true;
        self.code.body.push(Stmt::op(Some(dst), op, args, Span::default()));
    }

    /// `dst = value` with the language's implicit conversion; `to` names the target in messages.
    pub(super) fn assign(&mut self, dst: LocalId, value: &WirePart, to: &str, place: &LinkPlace<'_>) {
        let (found, expected) = (value.ty, self.code.locals[dst].ty);
        if !assignable(found, expected) {
            let from = self.describe(value.operand);
            let to = if to.is_empty() { "the input".to_owned() } else { format!("`{to}`") };
            self.report(GraphError::Type { from, found, to, expected }, place);
            return;
        }
        let mut operand = value.operand;
        if found == Type::INT && expected != Type::INT {
            let float = self.temporary(Type::FLOAT);
            self.emit(float, Op::IntToFloat, vec![operand]);
            operand = Operand::Local(float);
        }
        let op = match (found.base, expected.base) {
            (Base::Int | Base::Float, base) if base.is_triple() => Op::Splat,
            (Base::Int | Base::Float, Base::Matrix) => Op::Diagonal,
            _ => Op::Copy,
        };
        self.emit(dst, op, vec![operand]);
    }

    /// Assigns `value` to `dst`, an array that may be longer than the value. Further elements keep their values.
    pub(super) fn assign_first(&mut self, dst: LocalId, value: &WirePart, to: &str, place: &LinkPlace<'_>) {
        let whole = self.code.locals[dst].ty;
        let (Length::Array(given), Length::Array(length)) = (value.ty.length, whole.length) else {
            return self.assign(dst, value, to, place);
        };
        if given >= length || !assignable(value.ty.element(), whole.element()) {
            return self.assign(dst, value, to, place);
        }
        for index in 0..given {
            let accessor = Accessor::Index(index);
            let Some((operand, ty)) = self.element(value.operand, value.ty, &accessor) else {
                return;
            };
            let name = String::new();
            self.assign_part(dst, &[accessor], &WirePart { name, operand, ty }, to, place);
        }
    }

    /// Assigns the values of parts of the input `name`, which is held in `local`: elements before their components.
    pub(super) fn assign_parts(&mut self, local: LocalId, name: &str, feeds: &[Feed<'_>]) {
        for depth in 1..=MAX_PART_DEPTH {
            for feed in feeds.iter().filter(|feed| feed.target.rest.len() >= depth) {
                let (head, rest) = longest_name(&feed.target, |head| head == name);
                let (true, Some(wire)) = (head == name && rest.len() == depth, &feed.wire) else {
                    continue;
                };
                if let [value] = &wire.parts[..] {
                    self.assign_part(local, rest, value, &feed.target.to_string(), &feed.place);
                }
            }
        }
    }

    fn assign_part(
        &mut self,
        local: LocalId,
        accessors: &[Accessor],
        value: &WirePart,
        to: &str,
        place: &LinkPlace<'_>,
    ) {
        let Some((accessor, inner)) = accessors.split_first() else {
            return self.assign(local, value, to, place);
        };
        let whole = self.code.locals[local].ty;
        let Some(ty) = part(whole, accessor) else { return };
        let element = if inner.is_empty() {
            self.temporary(ty)
        } else {
            match self.element(Operand::Local(local), whole, accessor) {
                Some((Operand::Local(element), _)) => element,
                _ => return,
            }
        };
        self.assign_part(element, inner, value, to, place);
        let index = self.index(accessor);
        let op = if whole.is_array() { Op::ArraySet } else { Op::TripleSet };
        let args = vec![Operand::Local(local), index, Operand::Local(element)];
        self.emit(local, op, args);
    }

    /// Reads a component or element of a value; `None` if it does not exist.
    pub(super) fn element(&mut self, of: Operand, ty: Type, accessor: &Accessor) -> Option<(Operand, Type)> {
        let element = part(ty, accessor)?;
        let index = self.index(accessor);
        let local = self.temporary(element);
        let op = if ty.is_array() { Op::ArrayGet } else { Op::TripleGet };
        self.emit(local, op, vec![of, index]);
        Some((Operand::Local(local), element))
    }

    /// Returns the index of an accessor that is known to be valid.
    fn index(&mut self, accessor: &Accessor) -> Operand {
        let index = match accessor {
            Accessor::Field(name) => component_index(name).unwrap_or(0),
            Accessor::Index(i) => *i,
        };
        self.constant(Const::Int(index as i32))
    }

    /// Name of a value in messages.
    pub(super) fn describe(&self, value: Operand) -> String {
        match value {
            Operand::Local(id) if !self.code.locals[id].name.is_empty() => {
                format!("`{}`", self.code.locals[id].name)
            }
            Operand::Local(_) => "the value".to_owned(),
            Operand::Const(_) => "the constant".to_owned(),
        }
    }
}
