//! Bases of curves: control points of a segment to the Bézier points of its cubic.

use glam::DVec4;

use super::cubic::Cubic;

/// Basis by which control points define a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CurveBasis {
    /// Straight segments between the points.
    Linear,
    /// Cubic Bézier segments that share their end points.
    Bezier,
    /// Uniform cubic B-spline.
    BSpline,
    /// Uniform Catmull–Rom spline.
    CatmullRom,
}

impl CurveBasis {
    /// Number of control points of a segment.
    pub fn segment_points(self) -> usize {
        match self {
            CurveBasis::Linear => 2,
            CurveBasis::Bezier | CurveBasis::BSpline | CurveBasis::CatmullRom => 4,
        }
    }

    /// Distance between the first control points of consecutive segments.
    pub fn step(self) -> usize {
        match self {
            CurveBasis::Bezier => 3,
            CurveBasis::Linear | CurveBasis::BSpline | CurveBasis::CatmullRom => 1,
        }
    }

    /// Number of segments of a strand; `None` if this number of points is no strand.
    pub fn segments(self, points: usize) -> Option<usize> {
        let rest = points.checked_sub(self.segment_points())?;
        rest.is_multiple_of(self.step()).then(|| rest / self.step() + 1)
    }

    /// Returns whether curves begin and end at their first and last point without phantom points.
    pub fn is_interpolating(self) -> bool {
        matches!(self, CurveBasis::Linear | CurveBasis::Bezier)
    }

    /// Returns whether the tangents of consecutive segments agree at their common point.
    pub(super) fn is_smooth(self) -> bool {
        matches!(self, CurveBasis::BSpline | CurveBasis::CatmullRom)
    }

    /// The cubic of a segment's control points; those after [`Self::segment_points`] are not used.
    #[inline]
    pub(super) fn cubic(self, [a, b, c, d]: [DVec4; 4]) -> Cubic {
        const THIRD: f64 = 1.0 / 3.0;
        const SIXTH: f64 = 1.0 / 6.0;
        Cubic(match self {
            CurveBasis::Linear => [a, a + (b - a) * THIRD, b + (a - b) * THIRD, b],
            CurveBasis::Bezier => [a, b, c, d],
            CurveBasis::BSpline => [
                (a + b * 4.0 + c) * SIXTH,
                (b * 2.0 + c) * THIRD,
                (b + c * 2.0) * THIRD,
                (b + c * 4.0 + d) * SIXTH,
            ],
            CurveBasis::CatmullRom => [b, b + (c - a) * SIXTH, c + (b - d) * SIXTH, c],
        })
    }

    /// Weights of the control points of a segment at a parameter in `[0,1]`, and their derivatives.
    pub(super) fn weights(self, s: f64) -> [[f64; 4]; 2] {
        let mut weights = [[0.0; 4]; 2];
        for index in 0..self.segment_points() {
            let mut points = [DVec4::ZERO; 4];
            points[index] = DVec4::X;
            let power = self.cubic(points).power();
            weights[0][index] = power.at(s).x;
            weights[1][index] = power.slope(s).x;
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one() {
        use CurveBasis::{BSpline, Bezier, CatmullRom, Linear};
        for basis in [Linear, Bezier, BSpline, CatmullRom] {
            for s in [0.0, 0.3, 1.0] {
                let [weights, slopes] = basis.weights(s);
                assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(slopes.iter().sum::<f64>().abs() < 1e-12);
            }
        }
        assert_eq!(Linear.segments(1), None);
        assert_eq!(Linear.segments(2), Some(1));
        assert_eq!(Bezier.segments(7), Some(2));
        assert_eq!(Bezier.segments(6), None);
        assert_eq!(BSpline.segments(6), Some(3));
    }
}
