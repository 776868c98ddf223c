//! Bindings of inputs: values, paths and expressions.

use std::sync::Arc;

use super::path::{is_in, longest_name};
use super::{Accessor, Path};
use crate::builtins::Global;
use crate::check::ReferencePath;
use crate::hir::{Const, Kind};
use crate::ty::{Base, Length, Type};
use shading_syntax::ast;
use shading_syntax::ast::ExprKind;

/// Value set for an input by the embedder.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A constant with its type.
    Const(Const, Type),
    /// A global variable.
    Global(Global),
    /// A value that the host can change: the attribute of that name of the object
    /// [`UNIFORM_OBJECT`](crate::hir::UNIFORM_OBJECT), with the given type (not a string). It is the same at all points.
    Uniform(String, Type),
}

impl Value {
    /// Type of the value.
    pub fn ty(&self) -> Type {
        match self {
            Value::Const(_, ty) | Value::Uniform(_, ty) => *ty,
            Value::Global(global) => global.ty(),
        }
    }

    /// Returns whether a constant has the right type, and a uniform value a type that uniform values can have.
    pub(super) fn is_valid(&self) -> bool {
        match self {
            Value::Const(Const::Array(list), ty) if list.is_empty() => {
                Kind::of(*ty).is_some() && ty.length == Length::Array(0)
            }
            Value::Const(value, ty) => Kind::of(*ty).is_some_and(|kind| Kind::of_const(value) == Some(kind)),
            Value::Global(_) => true,
            Value::Uniform(_, ty) => {
                Kind::of(*ty).is_some() && !matches!(ty.base, Base::String | Base::Closure)
            }
        }
    }
}

impl From<i32> for Value {
    fn from(v: i32) -> Value {
        Value::Const(Const::Int(v), Type::INT)
    }
}

impl From<f32> for Value {
    fn from(v: f32) -> Value {
        Value::Const(Const::Float(v), Type::FLOAT)
    }
}

impl From<[f32; 3]> for Value {
    fn from(v: [f32; 3]) -> Value {
        Value::Const(Const::Triple(v), Type::COLOR)
    }
}

impl From<[f32; 16]> for Value {
    fn from(v: [f32; 16]) -> Value {
        Value::Const(Const::Matrix(v), Type::MATRIX)
    }
}

impl From<&str> for Value {
    fn from(v: &str) -> Value {
        Value::Const(Const::String(v.into()), Type::STRING)
    }
}

impl From<&[f32]> for Value {
    fn from(v: &[f32]) -> Value {
        let list = v.iter().map(|&x| Const::Float(x)).collect();
        Value::Const(Const::Array(list), Type::array(Base::Float, v.len() as u32))
    }
}

impl From<Global> for Value {
    fn from(v: Global) -> Value {
        Value::Global(v)
    }
}

/// Source of an input's value.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A constant or a global.
    Value(Value),
    /// An output of a node, an input of the group (if the head of the path is not a node), or a part of either.
    Path(Path),
    /// An expression of values, compiled as an anonymous unit.
    Expression(Arc<ast::Expr>),
}

impl Binding {
    /// Calls `note` with the first name of each path that the binding reads.
    pub(super) fn for_each_head<'b>(&'b self, note: &mut impl FnMut(&'b str)) {
        match self {
            Binding::Value(_) => {}
            Binding::Path(path) => note(&path.head),
            Binding::Expression(expr) => for_each_name(expr, note),
        }
    }

    /// Returns whether the binding reads an output of a node, or a part of it. `outputs` are all outputs of the node.
    pub(super) fn reads(&self, node: &str, output: &str, outputs: &[(&str, Type)]) -> bool {
        match self {
            Binding::Value(_) => false,
            Binding::Path(path) => path.head == node && reads_output(path, output, outputs),
            Binding::Expression(expr) => expression_reads(expr, node, output, outputs),
        }
    }
}

/// Returns whether the path of a value of a node (`node.result.r`) reads an output.
fn reads_output(path: &Path, output: &str, outputs: &[(&str, Type)]) -> bool {
    if let Some((Accessor::Field(head), rest)) = path.rest.split_first() {
        let (head, rest) = (head.clone(), rest.to_vec());
        let mut value = Path::new(head, rest);
        let is_output = |name: &str| outputs.iter().any(|(known, _)| *known == name);
        if let Some(ordered) = value.fields_first(|name| outputs.iter().any(|(known, _)| is_in(known, name)))
        {
            value = ordered;
        }
        let (name, _) = longest_name(&value, is_output);
        if is_output(&name) {
            return name == output;
        }
        // A structure reads all its fields.
        let structure = value.to_string();
        if outputs.iter().any(|(known, _)| is_in(known, &structure)) {
            return is_in(output, &structure);
        }
    }
    // A node without an output's name denotes its closure, or else its first output.
    let closure = outputs.iter().find(|(_, ty)| *ty == Type::CLOSURE);
    closure.or(outputs.first()).is_some_and(|(name, _)| *name == output)
}

fn expression_reads(expr: &ast::Expr, node: &str, output: &str, outputs: &[(&str, Type)]) -> bool {
    if let Some(reference) = ReferencePath::of(expr) {
        let path = Path::from(&reference);
        return path.head == node && reads_output(&path, output, outputs);
    }
    let mut reads = false;
    expr.for_each_operand(&mut |operand| reads |= expression_reads(operand, node, output, outputs));
    reads
}

/// Calls `note` with every name that an expression reads.
pub(super) fn for_each_name<'e>(expr: &'e ast::Expr, note: &mut impl FnMut(&'e str)) {
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        match &expr.kind {
            ExprKind::Missing
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_) => {}
            ExprKind::Name(name) => note(name),
            ExprKind::Tuple(list) | ExprKind::List(list) | ExprKind::Braces(list) => stack.extend(list),
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => stack.push(operand),
            ExprKind::Binary { left, right, .. } => stack.extend([&**left, right]),
            ExprKind::Assign { target, value, .. } => stack.extend([&**target, value]),
            ExprKind::Step { target, .. } => stack.push(target),
            ExprKind::Ternary { condition, then, otherwise } => stack.extend([&**condition, then, otherwise]),
            ExprKind::Construct { args, .. } | ExprKind::Call { args, .. } => {
                stack.extend(args.iter().map(|arg| &arg.value));
            }
            ExprKind::Member { object, .. } => stack.push(object),
            ExprKind::Index { object, index } => stack.extend([&**object, index]),
        }
    }
}
