//! `pointcloud_search`, `pointcloud_get` and `pointcloud_write`.

use super::argument::CallArgument;
use super::error::CheckError;
use super::lvalue::Lvalue;
use super::{Checker, TypedValue};
use crate::builtins::Builtin;
use crate::hir::{Kind, Op, Operand};
use crate::ty::{Base, Length, Type};
use shading_syntax::ast::Argument;
use shading_syntax::source::Span;

const SEARCH: &str = "pointcloud_search(\"file\", point, radius, most, \"attribute\", array, …), with an int before the \
                      attributes if the points are to be sorted";
const GET: &str = "pointcloud_get(\"file\", indices, count, \"attribute\", array)";
const WRITE: &str = "pointcloud_write(\"file\", point, \"attribute\", value, …)";

/// Name of the attribute that depends on the centre of the search.
const DISTANCE: &str = "distance";

/// An array that a call fills with attribute values.
struct AttributeArray {
    name: Operand,
    /// True if the attribute is [`DISTANCE`], and floats are requested.
    is_distance: bool,
    place: Lvalue,
    /// Number of values that fit; 1 for a variable that is not an array.
    room: u32,
}

/// Points of a query: an array of indices, and the number of indices in use.
#[derive(Clone, Copy)]
struct Points {
    file: Operand,
    indices: Operand,
    count: Operand,
}

impl<'a> Checker<'a> {
    /// `pointcloud_search(file, center, radius, max_points, [sort,] attribute, array, …)`: one operation finds the
    /// points, and one per array fills it.
    pub(super) fn cloud_search(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        let mut given = self.arguments(args)?;
        let is_sort = given.get(4).and_then(CallArgument::ty).is_some_and(|ty| ty != Type::STRING);
        // A search without attributes only counts the points.
        let first = 4 + usize::from(is_sort);
        if given.len() < first {
            self.report(span, CheckError::BadForm(SEARCH));
            return None;
        }
        let arrays = given.split_off(first);
        let file = self.given_as(&given[0], Type::STRING);
        let center = self.given_as(&given[1], Type::POINT);
        let radius = self.given_as(&given[2], Type::FLOAT);
        let most = self.given_as(&given[3], Type::INT);
        let sort = match given.get(4) {
            Some(sort) => self.given_as(sort, Type::INT)?.leaf(),
            None => self.int(0),
        };
        let wanted = self.wanted(&arrays, SEARCH, span)?;
        let (file, center) = (file?, center?);
        let (file, center) = (self.kept(file, &wanted, span), self.kept(center, &wanted, span));
        let operands = vec![file, center, radius?.leaf(), most?.leaf(), sort];
        let room = wanted.iter().map(|wanted| wanted.room).min().unwrap_or(0);
        let array = Type::array(Base::Int, room + 1);
        let indices = self.emit_builtin(Builtin::CloudSearch, operands, array, span).leaf();
        let last = self.int(room as i32);
        let count = self.emit(Op::ArrayGet, vec![indices, last], Type::INT, span);
        let points = Points { file, indices, count };
        let mut found = count;
        for wanted in wanted {
            if wanted.is_distance {
                self.fill(&wanted, span, |c, before, array| {
                    let operands = vec![before, file, indices, count, center];
                    c.emit_builtin(Builtin::CloudDistances, operands, array, span).leaf()
                });
            } else {
                // If an attribute is missing, the search returns 0.
                let has = self.cloud_values(&wanted, points, span).leaf();
                found = self.emit(Op::Mul, vec![found, has], Type::INT, span);
            }
        }
        Some(TypedValue::new(Type::INT, found))
    }

    /// `pointcloud_get(file, indices, count, attribute, array)`
    pub(super) fn cloud_get(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        let mut given = self.arguments(args)?;
        let is_indices = |given: &CallArgument<'_>| {
            given.ty().is_some_and(|ty| ty.element() == Type::INT && ty != Type::INT)
        };
        if given.len() < 5 || !is_indices(&given[1]) {
            self.report(span, CheckError::BadForm(GET));
            return None;
        }
        let arrays = given.split_off(3);
        let file = self.given_as(&given[0], Type::STRING);
        let indices = self.given_value(&given[1]);
        let count = self.given_as(&given[2], Type::INT);
        let wanted = self.wanted(&arrays, GET, span)?;
        let (file, indices, count) = (file?, indices?, count?);
        let points = Points {
            file: self.kept(file, &wanted, span),
            indices: self.kept(indices, &wanted, span),
            count: self.kept(count, &wanted, span),
        };
        let mut found = None;
        for wanted in wanted {
            let has = self.cloud_values(&wanted, points, span).leaf();
            found = Some(match found {
                Some(found) => self.emit(Op::BitAnd, vec![found, has], Type::INT, span),
                None => has,
            });
        }
        Some(TypedValue::new(Type::INT, found?))
    }

    /// `pointcloud_write(file, position, attribute, value, …)`
    pub(super) fn cloud_write(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        let given = self.arguments(args)?;
        let [file, position, attributes @ ..] = given.as_slice() else {
            self.report(span, CheckError::BadForm(WRITE));
            return None;
        };
        let mut operands =
            vec![self.given_as(file, Type::STRING)?.leaf(), self.given_as(position, Type::POINT)?.leaf()];
        for pair in attributes.chunks(2) {
            let [name, value] = pair else {
                self.report(span, CheckError::BadForm(WRITE));
                return None;
            };
            operands.push(self.given_as(name, Type::STRING)?.leaf());
            let of = value.span;
            let value = self.given_value(value)?;
            if !matches!(
                Kind::of(value.ty),
                Some(Kind::INT | Kind::FLOAT | Kind::TRIPLE | Kind::MATRIX | Kind::STRING)
            ) {
                let found = self.show(value.ty);
                self.report(of, CheckError::NotPointValue(found));
                return None;
            }
            operands.push(value.leaf());
        }
        Some(self.emit_builtin(Builtin::CloudWrite, operands, Type::INT, span))
    }

    /// Returns the attribute names and arrays of a call.
    fn wanted(
        &mut self,
        arrays: &[CallArgument<'a>],
        form: &'static str,
        span: Span,
    ) -> Option<Vec<AttributeArray>> {
        let mut list = vec![];
        for pair in arrays.chunks(2) {
            let [name, array] = pair else {
                self.report(span, CheckError::BadForm(form));
                return None;
            };
            let known = self.given_string(name);
            let name = self.given_as(name, Type::STRING)?.leaf();
            let (place, expr) = self.result_variable(Some(array), form, span)?;
            let is_plain = !matches!(place.ty.base, Base::Closure | Base::Struct(_) | Base::Void);
            let room = match place.ty.length {
                Length::Single => 1,
                Length::Array(n) => n,
                // The function is checked separately, and its code is discarded.
                Length::Unsized => 1,
            };
            if !is_plain {
                let found = self.show(place.ty);
                self.report(expr.span, CheckError::NotAttribute(found));
                return None;
            }
            let is_distance = known.as_deref() == Some(DISTANCE) && place.ty.base == Base::Float;
            list.push(AttributeArray { name, is_distance, place, room });
        }
        Some(list)
    }

    /// Fills an array with the values of an attribute, if they exist; returns whether they do.
    fn cloud_values(&mut self, wanted: &AttributeArray, points: Points, span: Span) -> TypedValue {
        let Points { file, indices, count } = points;
        let kind = Kind::of(wanted.array()).map_or(0, Kind::code);
        let operands = vec![file, indices, count, wanted.name, self.int(kind)];
        let has = self.emit_builtin(Builtin::HasCloudValues, operands, Type::INT, span);
        self.push_if(has.leaf(), span, |c| {
            c.fill(wanted, span, |c, before, array| {
                let operands = vec![before, file, indices, count, wanted.name];
                c.emit_builtin(Builtin::CloudValues, operands, array, span).leaf()
            });
        });
        has
    }

    /// Returns an operand's value before the arrays are filled, because an array may be its source.
    fn kept(&mut self, value: TypedValue, wanted: &[AttributeArray], span: Span) -> Operand {
        let operand = value.leaf();
        let is_filled = |local| wanted.iter().any(|wanted| wanted.place.leaves.contains(&local));
        match operand {
            Operand::Local(local) if is_filled(local) => {
                let copy = self.body.local("", value.ty);
                self.assign(Some(copy), Op::Copy, vec![operand], span);
                Operand::Local(copy)
            }
            _ => operand,
        }
    }

    /// Writes the array result of an operation. A variable that is not an array is treated as an array of one element.
    fn fill(
        &mut self,
        wanted: &AttributeArray,
        span: Span,
        operation: impl FnOnce(&mut Self, Operand, Type) -> Operand,
    ) {
        let Some(before) = self.read(&wanted.place, span) else {
            return;
        };
        let (array, ty) = (wanted.array(), wanted.place.ty);
        let value = if ty == array {
            operation(self, before.leaf(), array)
        } else {
            let before = self.emit(Op::MakeArray, vec![before.leaf()], array, span);
            let after = operation(self, before, array);
            let first = self.int(0);
            self.emit(Op::ArrayGet, vec![after, first], ty, span)
        };
        self.write(&wanted.place, TypedValue::new(ty, value), span);
    }
}

impl AttributeArray {
    fn array(&self) -> Type {
        Type::array(self.place.ty.base, self.room)
    }
}
