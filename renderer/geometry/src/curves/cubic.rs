//! Cubic polynomials of four numbers: position and radius of a curve.

use glam::DVec4;

/// Bézier points of a cubic.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cubic(pub(super) [DVec4; 4]);

/// Coefficients of a cubic by ascending power.
#[derive(Clone, Copy, Debug)]
pub(super) struct Power([DVec4; 4]);

impl Cubic {
    #[inline]
    pub(super) fn power(&self) -> Power {
        let [a, b, c, d] = self.0;
        Power([a, (b - a) * 3.0, (a - b * 2.0 + c) * 3.0, d - a + (b - c) * 3.0])
    }

    /// Both halves.
    pub(super) fn split(&self) -> [Cubic; 2] {
        let middle = |a: DVec4, b: DVec4| (a + b) * 0.5;
        let [a, b, c, d] = self.0;
        let (ab, bc, cd) = (middle(a, b), middle(b, c), middle(c, d));
        let (abc, bcd) = (middle(ab, bc), middle(bc, cd));
        let center = middle(abc, bcd);
        [Cubic([a, ab, abc, center]), Cubic([center, bcd, cd, d])]
    }

    /// The part over an interval of the parameter.
    #[inline]
    pub(super) fn part(&self, [from, to]: [f64; 2]) -> Cubic {
        let power = self.power();
        let third = (to - from) / 3.0;
        let (first, last) = (power.at(from), power.at(to));
        let inner = [first + power.slope(from) * third, last - power.slope(to) * third];
        Cubic([first, inner[0], inner[1], last])
    }

    /// Largest radius of the Bézier points, which bounds the radius of the curve.
    #[inline]
    pub(super) fn max_radius(&self) -> f64 {
        self.0.iter().fold(0.0, |most: f64, p| most.max(p.w.abs()))
    }
}

impl Power {
    #[inline]
    pub(super) fn at(&self, s: f64) -> DVec4 {
        let [a, b, c, d] = self.0;
        a + (b + (c + d * s) * s) * s
    }

    /// First derivative.
    #[inline]
    pub(super) fn slope(&self, s: f64) -> DVec4 {
        let [_, b, c, d] = self.0;
        b + (c * 2.0 + d * (3.0 * s)) * s
    }

    /// Second derivative.
    #[inline]
    pub(super) fn curvature(&self, s: f64) -> DVec4 {
        let [_, _, c, d] = self.0;
        c * 2.0 + d * (6.0 * s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_parts_of_the_curve() {
        let point = |x: f64| DVec4::new(x, x * x - 1.0, 2.0 - x, 0.1 * x);
        let cubic = Cubic([point(0.0), point(0.7), point(-1.0), point(3.0)]);
        let (whole, part) = (cubic.power(), cubic.part([0.25, 0.75]).power());
        let halves = cubic.split().map(|half| half.power());
        for s in [0.0, 0.3, 1.0] {
            assert!(part.at(s).distance(whole.at(0.25 + 0.5 * s)) < 1e-12);
            assert!(halves[0].at(s).distance(whole.at(0.5 * s)) < 1e-12);
            assert!(halves[1].at(s).distance(whole.at(0.5 + 0.5 * s)) < 1e-12);
            let step = 1e-5;
            let difference = (whole.at(s + step) - whole.at(s - step)) / (2.0 * step);
            assert!(difference.distance(whole.slope(s)) < 1e-6);
            let difference = (whole.slope(s + step) - whole.slope(s - step)) / (2.0 * step);
            assert!(difference.distance(whole.curvature(s)) < 1e-6);
        }
    }
}
