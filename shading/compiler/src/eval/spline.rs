//! Splines: `spline` and `splineinverse`.

use super::dual::Real;

/// Basis of a spline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Catmull–Rom: interpolates the knots.
    CatmullRom,
    /// Bézier: two knots and two control points for each segment.
    Bezier,
    /// B-spline: approximates the knots, smoother.
    BSpline,
    /// Hermite: alternating knots and tangents.
    Hermite,
    /// Linear interpolation.
    Linear,
    /// Piecewise constant: the value of a knot up to the next one.
    Constant,
}

impl Basis {
    /// Returns the basis of a name; an unknown name is linear, as in OSL.
    pub fn from_name(name: &str) -> Basis {
        match name {
            "catmull-rom" => Basis::CatmullRom,
            "bezier" => Basis::Bezier,
            "bspline" => Basis::BSpline,
            "hermite" => Basis::Hermite,
            "constant" => Basis::Constant,
            _ => Basis::Linear,
        }
    }

    /// Number of knots from one segment to the next.
    pub fn step(self) -> usize {
        match self {
            Basis::Bezier => 3,
            Basis::Hermite => 2,
            Basis::CatmullRom | Basis::BSpline | Basis::Linear | Basis::Constant => 1,
        }
    }

    /// Basis matrix; its rows are the coefficients of x³, x², x and 1 for the four knots of a segment.
    pub fn matrix(self) -> [[f32; 4]; 4] {
        const SIXTH: f32 = 1.0 / 6.0;
        match self {
            Basis::CatmullRom => [
                [-0.5, 1.5, -1.5, 0.5],
                [1.0, -2.5, 2.0, -0.5],
                [-0.5, 0.0, 0.5, 0.0],
                [0.0, 1.0, 0.0, 0.0],
            ],
            Basis::Bezier => {
                [[-1.0, 3.0, -3.0, 1.0], [3.0, -6.0, 3.0, 0.0], [-3.0, 3.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
            }
            Basis::BSpline => [
                [-SIXTH, 0.5, -0.5, SIXTH],
                [0.5, -1.0, 0.5, 0.0],
                [-0.5, 0.0, 0.5, 0.0],
                [SIXTH, 4.0 * SIXTH, SIXTH, 0.0],
            ],
            Basis::Hermite => {
                [[2.0, 1.0, -2.0, 1.0], [-3.0, -2.0, 3.0, -1.0], [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
            }
            Basis::Linear | Basis::Constant => {
                [[0.0; 4], [0.0; 4], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
            }
        }
    }

    /// Number of segments of a curve with the given number of knots; at least one.
    fn segments(self, count: usize) -> usize {
        count.saturating_sub(4) / self.step() + 1
    }
}

/// Evaluates the curve at `x` in `[0,1]` over the first `count` knots. `knot` returns a knot by its index. The index
/// may exceed the last knot: a curve with fewer than four knots is extended with zeros.
pub fn spline<T: Real>(basis: Basis, x: T, count: usize, knot: impl Fn(usize) -> T) -> T {
    let x = if x.value() > 1.0 {
        T::from(1.0)
    } else if x.value() >= 0.0 {
        x
    } else {
        T::from(0.0)
    };
    let segments = basis.segments(count);
    let x = x * segments as f32;
    let segment = (x.value() as usize).min(segments - 1);
    if basis == Basis::Constant {
        return T::from(knot(segment + 1).value());
    }
    let x = x - segment as f32;
    let first = segment * basis.step();
    let knots = [0, 1, 2, 3].map(|i| knot(first + i));
    let [a, b, c, d] = basis
        .matrix()
        .map(|row| knots[0] * row[0] + knots[1] * row[1] + knots[2] * row[2] + knots[3] * row[3]);
    ((a * x + b) * x + c) * x + d
}

/// Maximum number of iterations of the root search in a segment; the last quarter of them bisects, in case false
/// position converges slowly.
const ITERATIONS: usize = 32;
/// Tolerance in `y` of the root search.
const NEAR: f32 = 1e-6;

/// The `x` at which a curve over monotonic knots equals `y`; 0 or 1 if `y` is outside the range of the knots.
pub fn inverse<T: Real>(basis: Basis, y: T, knots: &[f32]) -> T {
    let count = knots.len();
    if count < 2 {
        return T::from(0.0);
    }
    let knot = |i: usize| knots.get(i).copied().unwrap_or_default();
    let outer = usize::from(basis.step() == 1);
    let (low, high) = (knot(outer), knot(count - 1 - outer));
    let (below, above) = if knot(1) < knot(count - 2) {
        (y.value() <= low, y.value() >= high)
    } else {
        (y.value() >= low, y.value() <= high)
    };
    if below {
        return T::from(0.0);
    }
    if above {
        return T::from(1.0);
    }
    let curve = |x: T| spline(basis, x, count, |i| T::from(knot(i)));
    search(&curve, basis.segments(count), y)
}

/// Searches segment by segment: a curve over increasing knots need not be monotonic. Derivatives are those of the
/// search iterations.
fn search<T: Real>(curve: &impl Fn(T) -> T, segments: usize, y: T) -> T {
    let share = 1.0 / segments as f32;
    let (mut x, mut from) = (T::from(0.0), T::from(0.0));
    for segment in 0..segments {
        let to = T::from(share * (segment + 1) as f32);
        let (nearest, is_between) = invert(curve, y, from, to);
        x = nearest;
        if is_between {
            break;
        }
        from = to;
    }
    x
}

/// Finds the `x` in a range with `f(x) = y`, and whether `y` is between the values at its ends; if not, the nearer end.
fn invert<T: Real>(f: &impl Fn(T) -> T, y: T, from: T, to: T) -> (T, bool) {
    let (mut low, mut high) = (from, to);
    let (mut at_low, mut at_high) = (f(low), f(high));
    let rises = at_low.value() < at_high.value();
    let (min_y, max_y) = if rises { (at_low, at_high) } else { (at_high, at_low) };
    if !(y.value() >= min_y.value() && y.value() <= max_y.value()) {
        let end = if (y.value() < min_y.value()) == rises { low } else { high };
        return (end, false);
    }
    let is_near = |a: T, b: T| (a.value() - b.value()).abs() < NEAR;
    let mut x = low;
    if is_near(at_low, at_high) {
        return (x, true);
    }
    for iteration in 0..ITERATIONS {
        let mut t = (y - at_low) / (at_high - at_low);
        if iteration >= ITERATIONS * 3 / 4 || !(t.value() > 0.0 && t.value() < 1.0) {
            t = T::from(0.5);
        }
        x = low * (T::from(1.0) - t) + high * t;
        let value = f(x);
        if (value.value() < y.value()) == rises {
            (low, at_low) = (x, value);
        } else {
            (high, at_high) = (x, value);
        }
        if is_near(high, low) || is_near(value, y) {
            break;
        }
    }
    (x, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOTS: [f32; 7] = [0.0, 0.0, 0.05, 0.1, 0.3, 1.0, 1.0];

    #[test]
    fn inverses_are_osls() {
        // From OSL's testsuite/splineinverse: y, and x for each basis.
        for (y, linear, catmull, bspline) in [
            (1.0 / 6.0, 0.583_333, 0.636_126, 0.569_314),
            (0.5, 0.821_429, 0.826_469, 0.808_612),
            (5.0 / 6.0, 0.940_476, 0.927_532, 0.968_067),
        ] {
            for (basis, expected) in
                [(Basis::Linear, linear), (Basis::CatmullRom, catmull), (Basis::BSpline, bspline)]
            {
                let x: f32 = inverse(basis, y, &KNOTS);
                assert!((x - expected).abs() < 2e-6, "{basis:?} {y}: {x}");
            }
        }
    }

    #[test]
    fn curves_end_at_their_ends() {
        for basis in [Basis::Linear, Basis::CatmullRom, Basis::BSpline, Basis::Bezier] {
            let at = |x: f32| spline(basis, x, 7, |i| KNOTS[i]);
            assert_eq!(at(-3.0), at(0.0));
            assert_eq!(at(2.0), at(1.0));
            assert_eq!(at(f32::NAN), at(0.0));
        }
        assert_eq!(spline(Basis::Constant, 0.3, 7, |i| KNOTS[i]), KNOTS[2]);
        assert_eq!(spline(Basis::Constant, 1.0, 7, |i| KNOTS[i]), KNOTS[4]);
    }
}
