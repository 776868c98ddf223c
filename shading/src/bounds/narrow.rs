//! Values in the branches of a comparison: they are limited by its operands.

use shading_compiler::hir::{Code, Op, Operand, Stmt};

use super::frame::{self, State};
use super::integer::IntRange;
use super::number::{Number, Symbols};
use super::range::Range;
use super::value::Value;

/// A comparison whose result is the condition of a branch.
#[derive(Clone, Copy)]
pub(super) struct Comparison {
    op: Op,
    a: Operand,
    b: Operand,
}

impl Comparison {
    /// The comparison of the statement before a branch, if it assigns the condition.
    pub(super) fn of(previous: Option<&Stmt>, condition: Operand) -> Option<Comparison> {
        match previous {
            Some(Stmt::Op { dst: Some(dst), op, args, .. })
                if condition == Operand::Local(*dst) && !args.contains(&condition) =>
            {
                let [a, b] = args[..] else { return None };
                Some(Comparison { op: *op, a, b })
            }
            _ => None,
        }
    }

    /// Narrows the operands where the comparison has the result `holds`.
    pub(super) fn narrow(self, holds: bool, code: &Code, state: &mut State, symbols: &Symbols) {
        let [x, y] = [self.a, self.b].map(|operand| frame::value(code, state, operand, symbols));
        for (operand, op, own, other) in [(self.a, self.op, &x, &y), (self.b, exchanged(self.op), &y, &x)] {
            let narrowed = first(op, holds, own, other, symbols);
            if let (Operand::Local(local), Some(narrowed)) = (operand, narrowed) {
                state[local.as_u32() as usize] = narrowed;
            }
        }
    }
}

/// Bounds of the first operand where a comparison has the result `holds`; `None` if they are not narrower.
fn first(op: Op, holds: bool, a: &Value, b: &Value, symbols: &Symbols) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => {
            let limits = [i64::from(b.min), i64::from(b.max)];
            let [low, high] = limited(op, holds, limits, |x| x - 1, |x| x + 1)?;
            let min = low.map_or(a.min, |low| a.min.max(clamped(low)));
            let max = high.map_or(a.max, |high| a.max.min(clamped(high)));
            let found = IntRange { min, max };
            (min <= max && found != *a).then_some(Value::Int(found))
        }
        (Value::Float(a), Value::Float(b)) => Some(Value::Float(number(op, holds, a, b.range, symbols)?)),
        _ => None,
    }
}

fn clamped(x: i64) -> i32 {
    x.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

fn number(op: Op, holds: bool, a: &Number, b: Range, symbols: &Symbols) -> Option<Number> {
    // Comparisons with NaN are false, except `!=`.
    let is_of_numbers = holds != (op == Op::Ne);
    if b.is_empty() || (b.may_be_nan && !is_of_numbers) {
        return None;
    }
    let [low, high] = limited(op, holds, [b.min, b.max], f32::next_down, f32::next_up)?;
    let limits = Range::new(low.unwrap_or(f32::NEG_INFINITY), high.unwrap_or(f32::INFINITY));
    let found = a.range.meet(limits.or_nan(!is_of_numbers));
    let is_narrower = !found.is_empty() && found != a.range;
    is_narrower.then(|| Number::new(found, symbols))
}

/// Bounds that a comparison with a value between two limits gives.
fn limited<T: Copy>(
    op: Op,
    holds: bool,
    [min, max]: [T; 2],
    below: fn(T) -> T,
    above: fn(T) -> T,
) -> Option<[Option<T>; 2]> {
    Some(match (op, holds) {
        (Op::Lt, true) | (Op::Ge, false) => [None, Some(below(max))],
        (Op::Le, true) | (Op::Gt, false) => [None, Some(max)],
        (Op::Gt, true) | (Op::Le, false) => [Some(above(min)), None],
        (Op::Ge, true) | (Op::Lt, false) => [Some(min), None],
        (Op::Eq, true) | (Op::Ne, false) => [Some(min), Some(max)],
        _ => return None,
    })
}

/// The comparison with exchanged operands.
fn exchanged(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_the_result_of_a_comparison_remain() {
        let symbols = Symbols::default();
        let pairs: Vec<[i32; 2]> = (-2..3).flat_map(|min| (min..3).map(move |max| [min, max])).collect();
        let all = || {
            [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne]
                .into_iter()
                .flat_map(|op| [(op, true), (op, false)])
        };
        let is = |op: Op, x: i32, y: i32| match op {
            Op::Lt => x < y,
            Op::Le => x <= y,
            Op::Gt => x > y,
            Op::Ge => x >= y,
            Op::Eq => x == y,
            _ => x != y,
        };
        let int = |[min, max]: [i32; 2]| Value::Int(IntRange { min, max });
        let float =
            |[min, max]: [i32; 2]| Value::Float(Number::new(Range::new(min as f32, max as f32), &symbols));
        for ((op, holds), (a, b)) in all().flat_map(|case| {
            pairs
                .iter()
                .flat_map(|a| pairs.iter().map(move |b| (*a, *b)))
                .map(move |pair| (case, pair))
        }) {
            let ints = first(op, holds, &int(a), &int(b), &symbols);
            let floats = first(op, holds, &float(a), &float(b), &symbols);
            for (x, y) in (a[0]..=a[1]).flat_map(|x| (b[0]..=b[1]).map(move |y| (x, y))) {
                if is(op, x, y) != holds {
                    continue;
                }
                let is_inside = |found: &Option<Value>| match found {
                    Some(Value::Int(range)) => range.contains(x),
                    Some(Value::Float(number)) => number.range.contains(x as f32),
                    _ => true,
                };
                assert!(is_inside(&ints) && is_inside(&floats), "{op} {holds} {a:?} {b:?}: {x} {y}");
            }
        }
    }
}
