//! Rules of library functions with a numeric result: noise by name, splines, the colour of black bodies.

use shading_compiler::builtins::Builtin;
use shading_compiler::eval::noise::NoiseKind;
use shading_compiler::eval::spline::Basis;
use shading_compiler::hir::Kind;

use super::noise::NoiseBox;
use super::number::{Number, Symbols};
use super::range::Range;
use super::value::{Value, ranges};

/// Largest knot of a spline without overflow.
const MAX_KNOT: f32 = 1e30;

/// Bounds of a library function; `None` if there is no rule for its operands.
pub(super) fn evaluate(builtin: Builtin, kind: Kind, args: &[Value], symbols: &Symbols) -> Option<Value> {
    let lanes = if kind.element() == Kind::TRIPLE { 3 } else { 1 };
    let found = match builtin {
        Builtin::Noise => noise(args, false, lanes)?,
        Builtin::PNoise => noise(args, true, lanes)?,
        Builtin::Spline => spline(args, lanes)?,
        Builtin::SplineInverse => [spline_inverse(args)?; 3],
        _ => return None,
    };
    Some(match lanes {
        3 => Value::triple(found, symbols),
        _ => Value::Float(Number::new(found[0], symbols)),
    })
}

fn text(value: Option<&Value>) -> Option<&str> {
    match value {
        Some(Value::String(text)) => text.as_deref(),
        _ => None,
    }
}

/// Noise of a kind; of those with further options, Gabor noise has no bounds.
fn noise(args: &[Value], is_periodic: bool, lanes: usize) -> Option<[Range; 3]> {
    let kind = match text(args.first())? {
        name if let Some(kind) = NoiseKind::from_name(name) => kind,
        _ => NoiseKind::Null,
    };
    let is_number = |value: &&Value| matches!(value, Value::Float(_) | Value::Triple(_));
    let numbers = args[1..].iter().take_while(is_number).count();
    let count = if is_periodic { numbers / 2 } else { numbers };
    let at = ranges(&args[1..=count])?;
    let period = ranges(&args[1 + count..=numbers])?;
    let period: Option<Vec<f32>> = period.iter().map(Range::value).collect();
    if kind == NoiseKind::Gabor || at.len() > 4 {
        return None;
    }
    // An unknown period may be any number.
    let period = match (is_periodic, period) {
        (true, Some(period)) => Some(period),
        (true, None) => return None,
        (false, _) => None,
    };
    Some(NoiseBox { at: &at, period: period.as_deref() }.bounds(kind, lanes))
}

/// A curve is between its knots, or not far beyond them; only the segments that `x` may be in count.
fn spline(args: &[Value], lanes: usize) -> Option<[Range; 3]> {
    let basis = Basis::from_name(text(args.first())?);
    let [Value::Float(x), .., Value::Array(list)] = &args[1..] else {
        return None;
    };
    let count = match args {
        [_, _, _] => list.len(),
        [_, _, Value::Int(count), _] => usize::try_from(count.value()?).unwrap_or(0).min(list.len()),
        _ => return None,
    };
    if basis == Basis::Hermite {
        return None;
    }
    let x = if x.range.is_finite() { x.range } else { Range::new(0.0, 1.0) };
    let segments = count.saturating_sub(4) / basis.step() + 1;
    let segment = |x: f32| ((x.clamp(0.0, 1.0) * segments as f32) as usize).min(segments - 1);
    let (first, last) = (segment(x.min) * basis.step(), segment(x.max) * basis.step() + 3);
    let mut found = [Range::EMPTY; 3];
    for index in first..=last {
        let knots = match list.get(index) {
            Some(knot) => ranges(std::slice::from_ref(knot))?,
            // A curve with few knots is extended with zeros.
            None => vec![Range::point(0.0); 3],
        };
        for (hull, lane) in found.iter_mut().zip(0..lanes) {
            *hull = hull.join(*knots.get(lane)?);
        }
    }
    let overshoot = |range: Range| {
        if !range.is_finite() || range.magnitude() > MAX_KNOT {
            return Range::UNKNOWN;
        }
        // The outer weights of a Catmull-Rom segment add up to at least −1/8.
        let share = if basis == Basis::CatmullRom { 0.126 } else { 0.0 };
        range.widened(share * range.width() + 2e-5 * range.magnitude())
    };
    Some(found.map(|range| if range.is_empty() { range } else { overshoot(range) }))
}

fn spline_inverse(args: &[Value]) -> Option<Range> {
    let [_, Value::Float(y), .., Value::Array(knots)] = args else {
        return None;
    };
    let knots = ranges(knots)?;
    let is_finite =
        y.range.is_finite() && knots.iter().all(|knot| knot.is_finite() && knot.magnitude() < 1e15);
    is_finite.then(|| Range::new(-1e-5, 1.0 + 1e-5))
}
