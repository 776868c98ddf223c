//! Polynomials of one value in Bernstein form: they keep the dependence of a result on that value, which plain intervals lose.
//!
//! A value `t` from `a` to `b` is the polynomial with the coefficients `a` and `b`. Sums and products of polynomials of the
//! same value are polynomials again, and the hull of the coefficients bounds the result: `t·t·(3−2t)` over `[0,1]` is in
//! `[0,1]`, and `x·(1−t) + y·t` is between `x` and `y`. The coefficients are intervals, for factors that do not depend on `t`.
//!
//! Garloff, "Convergent Bounds for the Range of Multivariate Polynomials", 1985.

use super::range::Range;

/// Identity of a value during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symbol(pub(super) u32);

/// Maximum degree; the form of a product of higher degree is dropped.
const MAX_DEGREE: usize = 4;

/// Relative error of a rounded `f32` operation, with a margin for the `f64` operations of this file, and the absolute error
/// of a result without enough exponents.
const ROUNDING: f64 = 6e-8;
const UNDERFLOW: f64 = 2e-45;

/// Largest magnitude of a form: larger results may overflow.
const MAX_MAGNITUDE: f64 = 1e37;

/// A polynomial of the value of a symbol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Polynomial {
    /// The value that it depends on; `None` for a constant.
    pub(super) root: Option<Symbol>,
    degree: usize,
    /// Bernstein coefficients over the range of the root.
    coefficients: [[f64; 2]; MAX_DEGREE + 1],
    /// Bound on the error of the value due to rounding.
    error: f64,
}

impl Polynomial {
    /// A value that does not depend on the root of other operands.
    pub(super) fn constant(range: Range) -> Polynomial {
        let mut coefficients = [[0.0; 2]; MAX_DEGREE + 1];
        coefficients[0] = [range.min.into(), range.max.into()];
        Polynomial { root: None, degree: 0, coefficients, error: 0.0 }
    }

    /// The value of a symbol.
    pub(super) fn of_root(root: Symbol, range: Range) -> Polynomial {
        let mut coefficients = [[0.0; 2]; MAX_DEGREE + 1];
        coefficients[0] = [range.min.into(); 2];
        coefficients[1] = [range.max.into(); 2];
        Polynomial { root: Some(root), degree: 1, coefficients, error: 0.0 }
    }

    /// Bounds of the value; `None` if it may overflow.
    pub(super) fn range(&self) -> Option<Range> {
        let [low, high] = self.hull(2);
        let [low, high] = [low - self.error, high + self.error];
        let magnitude = low.abs().max(high.abs());
        (magnitude < MAX_MAGNITUDE).then(|| Range::new((low as f32).next_down(), (high as f32).next_up()))
    }

    /// The sum.
    pub(super) fn add(&self, other: &Polynomial) -> Polynomial {
        let degree = self.degree.max(other.degree);
        let (a, b) = (self.elevated(degree), other.elevated(degree));
        let mut sum = Polynomial { root: self.root.or(other.root), ..a };
        for (x, y) in sum.coefficients[..=degree].iter_mut().zip(b.coefficients) {
            *x = [x[0] + y[0], x[1] + y[1]];
        }
        sum.error = self.error + other.error;
        sum.rounded()
    }

    /// The negated value.
    pub(super) fn neg(&self) -> Polynomial {
        Polynomial {
            coefficients: self.coefficients.map(|[low, high]| [-high, -low]),
            ..*self
        }
    }

    /// The product; `None` if its degree is too high.
    pub(super) fn mul(&self, other: &Polynomial) -> Option<Polynomial> {
        let degree = self.degree + other.degree;
        if degree > MAX_DEGREE {
            return None;
        }
        let mut product = Polynomial {
            root: self.root.or(other.root),
            degree,
            coefficients: [[0.0; 2]; MAX_DEGREE + 1],
            error: 0.0,
        };
        for (i, a) in self.coefficients[..=self.degree].iter().enumerate() {
            for (j, b) in other.coefficients[..=other.degree].iter().enumerate() {
                let share = BINOMIALS[self.degree][i] * BINOMIALS[other.degree][j] / BINOMIALS[degree][i + j];
                let all = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
                let low = all.iter().copied().fold(f64::INFINITY, f64::min);
                let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum = &mut product.coefficients[i + j];
                *sum = [sum[0] + share * low, sum[1] + share * high];
            }
        }
        let (a, b) = (self.magnitude(), other.magnitude());
        product.error = a * other.error + b * self.error + self.error * other.error;
        Some(product.rounded())
    }

    /// The quotient by a constant.
    pub(super) fn divided(&self, divisor: f32) -> Polynomial {
        let scale = 1.0 / f64::from(divisor);
        let scaled = |[low, high]: [f64; 2]| {
            let ends = [low * scale, high * scale];
            [ends[0].min(ends[1]), ends[0].max(ends[1])]
        };
        let quotient = Polynomial {
            coefficients: self.coefficients.map(scaled),
            error: self.error * scale.abs(),
            ..*self
        };
        quotient.rounded()
    }

    /// Adds the error of rounding the value.
    fn rounded(mut self) -> Polynomial {
        self.error += (self.magnitude() + self.error) * ROUNDING + UNDERFLOW;
        self
    }

    fn magnitude(&self) -> f64 {
        let all = self.coefficients[..=self.degree].as_flattened().iter();
        all.fold(0.0, |largest, x| largest.max(x.abs()))
    }

    /// The polynomial with more coefficients.
    fn elevated(&self, degree: usize) -> Polynomial {
        let mut result = *self;
        while result.degree < degree {
            let (before, n) = (result.coefficients, result.degree + 1);
            for i in 1..n {
                let share = i as f64 / n as f64;
                let mixed = |side: usize| share * before[i - 1][side] + (1.0 - share) * before[i][side];
                result.coefficients[i] = [mixed(0), mixed(1)];
            }
            result.coefficients[n] = before[n - 1];
            result.degree = n;
        }
        result
    }

    /// Hull of the coefficients, after up to `levels` bisections if the bounds are not values at the ends.
    fn hull(&self, levels: u32) -> [f64; 2] {
        let list = &self.coefficients[..=self.degree];
        let low = list.iter().fold(f64::INFINITY, |low, x| low.min(x[0]));
        let high = list.iter().fold(f64::NEG_INFINITY, |high, x| high.max(x[1]));
        let ends = [list[0], list[self.degree]];
        let is_exact = ends[0][0].min(ends[1][0]) <= low && ends[0][1].max(ends[1][1]) >= high;
        if is_exact || levels == 0 {
            return [low, high];
        }
        let [a, b] = self.halves().map(|half| half.hull(levels - 1));
        [a[0].min(b[0]), a[1].max(b[1])]
    }

    /// The polynomial over both halves of the root's range, by de Casteljau's algorithm.
    fn halves(&self) -> [Polynomial; 2] {
        let (mut left, mut right) = (*self, *self);
        let n = self.degree;
        for level in 1..=n {
            for i in 0..=n - level {
                let [a, b] = [right.coefficients[i], right.coefficients[i + 1]];
                right.coefficients[i] = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
            }
            left.coefficients[level] = right.coefficients[0];
        }
        [left, right]
    }
}

/// Binomial coefficients by degree.
const BINOMIALS: [[f64; 5]; 5] = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0, 0.0],
    [1.0, 3.0, 3.0, 1.0, 0.0],
    [1.0, 4.0, 6.0, 4.0, 1.0],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smooth_step_is_exact() {
        for (from, to) in [(0.0f32, 1.0f32), (0.25, 0.5), (0.9, 1.0)] {
            let t = Polynomial::of_root(Symbol(1), Range::new(from, to));
            let constant = |x: f32| Polynomial::constant(Range::point(x));
            let last = constant(3.0).add(&constant(-2.0).mul(&t).unwrap());
            let found = t.mul(&t).and_then(|square| square.mul(&last)).unwrap().range().unwrap();
            let step = |t: f32| t * t * (3.0 - 2.0 * t);
            assert!(
                (found.min - step(from)).abs() < 1e-6 && (found.max - step(to)).abs() < 1e-6,
                "{found:?}"
            );
        }
    }

    #[test]
    fn bisection_finds_the_minimum_of_a_square() {
        let t = Polynomial::of_root(Symbol(1), Range::new(-1.0, 1.0));
        let found = t.mul(&t).unwrap().range().unwrap();
        assert!(found.min > -1e-6 && found.max < 1.0 + 1e-6, "{found:?}");
    }
}
