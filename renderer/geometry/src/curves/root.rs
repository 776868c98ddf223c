//! Root of a function in an interval, by Newton's method safeguarded by bisection.
// Press et al. 2007, "Numerical Recipes", section 9.4.

/// Value and derivative of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueSlope {
    pub(super) value: f64,
    pub(super) slope: f64,
}

/// Finds a root of a function that is not positive at `low` and not negative at `high`, from the guess `start`.
#[inline]
pub(super) fn root([mut low, mut high]: [f64; 2], start: f64, function: impl Fn(f64) -> ValueSlope) -> f64 {
    const MAX_STEPS: usize = 60;
    /// Width at which the interval is a root; parameters are at most 1.
    const PRECISION: f64 = 1e-14;
    let mut x = start.clamp(low, high);
    for _ in 0..MAX_STEPS {
        let ValueSlope { value, slope } = function(x);
        if value == 0.0 {
            return x;
        }
        if value < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - value / slope;
        let inside = newton > low && newton < high;
        let next = if inside { newton } else { 0.5 * (low + high) };
        if (next - x).abs() < PRECISION {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_roots_where_newton_alone_does_not() {
        let cubic = |x: f64| ValueSlope { value: x * x * x - 0.001, slope: 3.0 * x * x };
        assert!((root([-1.0, 1.0], 0.0, cubic) - 0.1).abs() < 1e-12);
        let steep = |x: f64| ValueSlope { value: x.cbrt(), slope: 1.0 / (3.0 * x.cbrt().powi(2)) };
        assert!(root([-1.0, 0.7], 0.5, steep).abs() < 1e-12);
    }
}
