//! Values of WGSL, and the operations on them.

use naga::{BinaryOperator, MathFunction, ScalarKind, UnaryOperator};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `i32`
    Int(i32),
    /// `u32`
    Word(u32),
    /// `f32`
    Float(f32),
    /// `bool`
    Bool(bool),
    /// A vector, a matrix by its columns, an array or a structure.
    List(Vec<Value>),
    /// A pointer: the variable and the path to a part of it.
    Pointer(Place, Vec<usize>),
}

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A variable of a call, by the depth of the call.
    Local(usize, usize),
    /// A variable of the module.
    Global(usize),
}

impl Value {
    /// Creates a vector.
    pub fn vector(list: &[f32]) -> Value {
        Value::List(list.iter().map(|&x| Value::Float(x)).collect())
    }

    /// Returns the numbers in the value, in order; ints as floats.
    pub fn numbers(&self) -> Vec<f32> {
        match self {
            Value::Int(x) => vec![*x as f32],
            Value::Word(x) => vec![*x as f32],
            Value::Float(x) => vec![*x],
            Value::Bool(x) => vec![f32::from(u8::from(*x))],
            Value::List(list) => list.iter().flat_map(Value::numbers).collect(),
            Value::Pointer(..) => vec![],
        }
    }

    pub(super) fn index(&self) -> usize {
        match self {
            Value::Int(x) => usize::try_from(*x).unwrap_or(0),
            Value::Word(x) => *x as usize,
            _ => panic!("{self:?} is no index"),
        }
    }

    pub(super) fn truth(&self) -> bool {
        match self {
            Value::Bool(x) => *x,
            _ => panic!("{self:?} is no truth value"),
        }
    }

    pub(super) fn float(&self) -> f32 {
        match self {
            Value::Float(x) => *x,
            _ => panic!("{self:?} is no float"),
        }
    }

    pub(super) fn list(&self) -> &[Value] {
        match self {
            Value::List(list) => list,
            _ => panic!("{self:?} has no parts"),
        }
    }

    fn is_matrix(&self) -> bool {
        matches!(self, Value::List(list) if matches!(list.first(), Some(Value::List(_))))
    }
}

pub(super) fn unary(op: UnaryOperator, a: &Value) -> Value {
    match (op, a) {
        (_, Value::List(list)) => Value::List(list.iter().map(|a| unary(op, a)).collect()),
        (UnaryOperator::Negate, Value::Int(a)) => Value::Int(a.wrapping_neg()),
        (UnaryOperator::Negate, Value::Float(a)) => Value::Float(-a),
        (UnaryOperator::LogicalNot, Value::Bool(a)) => Value::Bool(!a),
        (UnaryOperator::BitwiseNot, Value::Int(a)) => Value::Int(!a),
        (UnaryOperator::BitwiseNot, Value::Word(a)) => Value::Word(!a),
        _ => panic!("{op:?} of {a:?}"),
    }
}

pub(super) fn binary(op: BinaryOperator, a: &Value, b: &Value) -> Value {
    if op == BinaryOperator::Multiply && (a.is_matrix() || b.is_matrix()) {
        return matrix_product(a, b);
    }
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            assert_eq!(a.len(), b.len(), "{op:?}");
            Value::List(a.iter().zip(b).map(|(a, b)| binary(op, a, b)).collect())
        }
        (Value::List(a), b) => Value::List(a.iter().map(|a| binary(op, a, b)).collect()),
        (a, Value::List(b)) => Value::List(b.iter().map(|b| binary(op, a, b)).collect()),
        _ => scalars(op, a, b),
    }
}

fn matrix_product(a: &Value, b: &Value) -> Value {
    let scaled = |column: &Value, x: &Value| binary(BinaryOperator::Multiply, column, x);
    match (a.is_matrix(), b) {
        (true, Value::List(b)) if matches!(b[0], Value::Float(_)) => {
            let columns = a.list().iter().zip(b).map(|(column, x)| scaled(column, x));
            columns
                .reduce(|a, b| binary(BinaryOperator::Add, &a, &b))
                .expect("a matrix has columns")
        }
        (true, Value::List(b)) => Value::List(b.iter().map(|column| matrix_product(a, column)).collect()),
        (true, x) => Value::List(a.list().iter().map(|column| scaled(column, x)).collect()),
        (false, _) => match a {
            Value::Float(_) => Value::List(b.list().iter().map(|column| scaled(column, a)).collect()),
            _ => Value::List(b.list().iter().map(|column| Value::Float(dot(a, column))).collect()),
        },
    }
}

fn dot(a: &Value, b: &Value) -> f32 {
    let products = a.list().iter().zip(b.list()).map(|(a, b)| a.float() * b.float());
    products.reduce(|a, b| a + b).unwrap_or_default()
}

fn scalars(op: BinaryOperator, a: &Value, b: &Value) -> Value {
    use BinaryOperator as B;
    let compared = |order: Option<std::cmp::Ordering>| {
        Value::Bool(match op {
            B::Equal => order == Some(std::cmp::Ordering::Equal),
            B::NotEqual => order != Some(std::cmp::Ordering::Equal),
            B::Less => order == Some(std::cmp::Ordering::Less),
            B::LessEqual => order.is_some_and(std::cmp::Ordering::is_le),
            B::Greater => order == Some(std::cmp::Ordering::Greater),
            B::GreaterEqual => order.is_some_and(std::cmp::Ordering::is_ge),
            _ => panic!("{op:?}"),
        })
    };
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => Value::Float(match op {
            B::Add => x + y,
            B::Subtract => x - y,
            B::Multiply => x * y,
            B::Divide => x / y,
            B::Modulo => x % y,
            _ => return compared(x.partial_cmp(y)),
        }),
        (Value::Int(x), Value::Int(y)) => Value::Int(match op {
            B::Add => x.wrapping_add(*y),
            B::Subtract => x.wrapping_sub(*y),
            B::Multiply => x.wrapping_mul(*y),
            B::Divide => x.wrapping_div(*y),
            B::Modulo => x.wrapping_rem(*y),
            B::And => x & y,
            B::ExclusiveOr => x ^ y,
            B::InclusiveOr => x | y,
            _ => return compared(x.partial_cmp(y)),
        }),
        (Value::Int(x), Value::Word(y)) => Value::Int(match op {
            B::ShiftLeft => x.wrapping_shl(*y),
            B::ShiftRight => x.wrapping_shr(*y),
            _ => panic!("{op:?}"),
        }),
        (Value::Word(x), Value::Word(y)) => Value::Word(match op {
            B::Add => x.wrapping_add(*y),
            B::Subtract => x.wrapping_sub(*y),
            B::Multiply => x.wrapping_mul(*y),
            B::Divide => x / y,
            B::Modulo => x % y,
            B::And => x & y,
            B::ExclusiveOr => x ^ y,
            B::InclusiveOr => x | y,
            B::ShiftLeft => x.wrapping_shl(*y),
            B::ShiftRight => x.wrapping_shr(*y),
            _ => return compared(x.partial_cmp(y)),
        }),
        (Value::Bool(x), Value::Bool(y)) => Value::Bool(match op {
            B::And | B::LogicalAnd => x & y,
            B::InclusiveOr | B::LogicalOr => x | y,
            B::Equal => x == y,
            B::NotEqual => x != y,
            _ => panic!("{op:?}"),
        }),
        _ => panic!("{op:?} of {a:?} and {b:?}"),
    }
}

pub(super) fn select(condition: &Value, accept: &Value, reject: &Value) -> Value {
    match condition {
        Value::List(conditions) => {
            let parts = conditions.iter().zip(accept.list().iter().zip(reject.list()));
            Value::List(parts.map(|(c, (a, r))| select(c, a, r)).collect())
        }
        condition if condition.truth() => accept.clone(),
        _ => reject.clone(),
    }
}

pub(super) fn convert(a: &Value, kind: ScalarKind, is_conversion: bool) -> Value {
    match (a, kind) {
        (Value::List(list), _) => Value::List(list.iter().map(|a| convert(a, kind, is_conversion)).collect()),
        (Value::Float(x), ScalarKind::Float) => Value::Float(*x),
        (Value::Int(x), ScalarKind::Float) if is_conversion => Value::Float(*x as f32),
        (Value::Word(x), ScalarKind::Float) if is_conversion => Value::Float(*x as f32),
        (Value::Int(x), ScalarKind::Float) => Value::Float(f32::from_bits(*x as u32)),
        (Value::Word(x), ScalarKind::Float) => Value::Float(f32::from_bits(*x)),
        (Value::Float(x), ScalarKind::Sint) if is_conversion => Value::Int(*x as i32),
        (Value::Float(x), ScalarKind::Uint) if is_conversion => Value::Word(*x as u32),
        (Value::Float(x), ScalarKind::Sint) => Value::Int(x.to_bits() as i32),
        (Value::Float(x), ScalarKind::Uint) => Value::Word(x.to_bits()),
        (Value::Int(x), ScalarKind::Sint) => Value::Int(*x),
        (Value::Int(x), ScalarKind::Uint) => Value::Word(*x as u32),
        (Value::Word(x), ScalarKind::Sint) => Value::Int(*x as i32),
        (Value::Word(x), ScalarKind::Uint) => Value::Word(*x),
        (Value::Bool(x), ScalarKind::Sint) => Value::Int(i32::from(*x)),
        _ => panic!("{a:?} as {kind:?}"),
    }
}

/// Applies a function of numbers component by component.
fn each(args: &[&Value], f: &dyn Fn(&[f32]) -> f32) -> Value {
    if let Some(Value::List(first)) = args.iter().find(|arg| matches!(arg, Value::List(_))) {
        let part = |i: usize| {
            let parts: Vec<&Value> = args
                .iter()
                .map(|arg| match arg {
                    Value::List(list) => &list[i],
                    scalar => scalar,
                })
                .collect();
            each(&parts, f)
        };
        return Value::List((0..first.len()).map(part).collect());
    }
    let ints: Option<Vec<i32>> = args
        .iter()
        .map(|arg| match arg {
            Value::Int(x) => Some(*x),
            _ => None,
        })
        .collect();
    match ints {
        Some(ints) => {
            let floats: Vec<f64> = ints.iter().map(|&x| f64::from(x)).collect();
            // Only `abs`, `min`, `max` and `clamp` take ints: choose the int that the function of floats would.
            let chosen = f(&floats.iter().map(|&x| x as f32).collect::<Vec<_>>());
            let nearest = ints.iter().flat_map(|&x| [x, x.wrapping_abs()]);
            Value::Int(
                nearest
                    .min_by(|a, b| (*a as f32 - chosen).abs().total_cmp(&(*b as f32 - chosen).abs()))
                    .unwrap_or_default(),
            )
        }
        None => Value::Float(f(&args.iter().map(|arg| arg.float()).collect::<Vec<_>>())),
    }
}

pub(super) fn math(fun: MathFunction, args: &[&Value]) -> Value {
    use MathFunction as M;
    let ints: Vec<i32> = args
        .iter()
        .filter_map(|arg| match arg {
            Value::Int(x) => Some(*x),
            _ => None,
        })
        .collect();
    if let (M::Max, [Value::Word(a), Value::Word(b)]) = (fun, args) {
        return Value::Word(*a.max(b));
    }
    match (fun, &ints[..]) {
        (M::Abs, [a]) => return Value::Int(a.wrapping_abs()),
        (M::Min, [a, b]) => return Value::Int(*a.min(b)),
        (M::Max, [a, b]) => return Value::Int(*a.max(b)),
        (M::Clamp, [a, low, high]) => return Value::Int(*a.max(low).min(high)),
        _ => {}
    }
    match fun {
        M::Dot => Value::Float(dot(args[0], args[1])),
        M::Cross => {
            let [a, b] = [0, 1].map(|i| args[i].numbers());
            Value::vector(&[a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
        }
        M::Transpose => {
            let columns = args[0].list();
            let row = |i: usize| Value::List(columns.iter().map(|column| column.list()[i].clone()).collect());
            Value::List((0..4).map(row).collect())
        }
        M::Determinant => {
            let m: Vec<f32> = args[0].numbers();
            let m: [f32; 16] = m.try_into().expect("a 4×4 matrix");
            Value::Float(shading::eval::matrix::determinant(&m))
        }
        _ => each(args, &|x| match fun {
            M::Abs => x[0].abs(),
            M::Min => x[0].min(x[1]),
            M::Max => x[0].max(x[1]),
            M::Clamp => x[0].max(x[1]).min(x[2]),
            M::Floor => x[0].floor(),
            M::Ceil => x[0].ceil(),
            M::Trunc => x[0].trunc(),
            M::Round => x[0].round_ties_even(),
            M::Exp => x[0].exp(),
            M::Exp2 => x[0].exp2(),
            M::Log => x[0].ln(),
            M::Log2 => x[0].log2(),
            M::Sqrt => x[0].sqrt(),
            M::InverseSqrt => 1.0 / x[0].sqrt(),
            M::Sin => x[0].sin(),
            M::Cos => x[0].cos(),
            M::Mix => x[0] * (1.0 - x[2]) + x[1] * x[2],
            _ => panic!("{fun:?} is not used"),
        }),
    }
}
