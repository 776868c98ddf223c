//! Tracks: values over time by keys, as in the samplers of glTF animations.

use glam::{DQuat, DVec3};

use renderer_base::math::{acos, sin};

/// Interpolation between keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackInterpolation {
    /// Linear; spherical for rotations.
    Linear,
    /// The value of the last key.
    Step,
    /// Cubic Hermite spline with tangents.
    CubicSpline,
}

/// Value of a track.
pub trait TrackValue: Copy {
    /// Linear interpolation at a fraction in `[0,1]`.
    fn lerp(self, next: Self, fraction: f64) -> Self;

    /// Weighted sum of four values, made valid.
    fn sum(values: [Self; 4], weights: [f64; 4]) -> Self;
}

/// Values over time.
#[derive(Clone, Debug)]
pub struct Track<T> {
    /// Times in ascending order [s].
    times: Vec<f64>,
    /// One value for each time; three with [`TrackInterpolation::CubicSpline`]: in-tangent, value, out-tangent.
    values: Vec<T>,
    interpolation: TrackInterpolation,
}

impl<T: TrackValue> Track<T> {
    /// A constant value.
    pub fn constant(value: T) -> Track<T> {
        Track {
            times: vec![0.0],
            values: vec![value],
            interpolation: TrackInterpolation::Linear,
        }
    }

    /// A track by keys; `None` if there is no key, times do not ascend, or the number of values differs.
    pub fn new(times: Vec<f64>, values: Vec<T>, interpolation: TrackInterpolation) -> Option<Track<T>> {
        let per_key = if interpolation == TrackInterpolation::CubicSpline { 3 } else { 1 };
        let is_ascending = times.windows(2).all(|pair| pair[0] < pair[1]);
        let is_sound = !times.is_empty() && is_ascending && values.len() == per_key * times.len();
        is_sound.then_some(Track { times, values, interpolation })
    }

    /// Value at a time [s]; constant before the first key and after the last one.
    pub fn at(&self, time: f64) -> T {
        let is_reached = |&key: &f64| match self.interpolation {
            // Files have times in single precision, which may round the time of a frame up.
            TrackInterpolation::Step => key as f32 <= time as f32,
            TrackInterpolation::Linear | TrackInterpolation::CubicSpline => key <= time,
        };
        let next = self.times.partition_point(is_reached);
        let Some(last) = next.checked_sub(1) else {
            return self.value(0);
        };
        let Some(&end) = self.times.get(next) else {
            return self.value(last);
        };
        let duration = end - self.times[last];
        let fraction = (time - self.times[last]) / duration;
        match self.interpolation {
            TrackInterpolation::Step => self.value(last),
            TrackInterpolation::Linear => self.value(last).lerp(self.value(next), fraction),
            TrackInterpolation::CubicSpline => self.hermite(last, duration, fraction),
        }
    }

    fn value(&self, key: usize) -> T {
        match self.interpolation {
            TrackInterpolation::CubicSpline => self.values[3 * key + 1],
            TrackInterpolation::Linear | TrackInterpolation::Step => self.values[key],
        }
    }

    // glTF 2.0, appendix C.5.
    fn hermite(&self, key: usize, duration: f64, t: f64) -> T {
        let (t2, t3) = (t * t, t * t * t);
        let values = [3 * key + 1, 3 * key + 2, 3 * key + 4, 3 * key + 3].map(|index| self.values[index]);
        let weights = [
            2.0 * t3 - 3.0 * t2 + 1.0,
            duration * (t3 - 2.0 * t2 + t),
            -2.0 * t3 + 3.0 * t2,
            duration * (t3 - t2),
        ];
        T::sum(values, weights)
    }
}

impl TrackValue for f64 {
    fn lerp(self, next: f64, fraction: f64) -> f64 {
        self + (next - self) * fraction
    }

    fn sum(values: [f64; 4], weights: [f64; 4]) -> f64 {
        values.iter().zip(weights).map(|(value, weight)| value * weight).sum()
    }
}

impl<const N: usize> TrackValue for [f64; N] {
    fn lerp(self, next: [f64; N], fraction: f64) -> [f64; N] {
        std::array::from_fn(|i| self[i].lerp(next[i], fraction))
    }

    fn sum(values: [[f64; N]; 4], weights: [f64; 4]) -> [f64; N] {
        std::array::from_fn(|i| f64::sum(values.map(|value| value[i]), weights))
    }
}

impl TrackValue for DVec3 {
    fn lerp(self, next: DVec3, fraction: f64) -> DVec3 {
        self + (next - self) * fraction
    }

    fn sum(values: [DVec3; 4], weights: [f64; 4]) -> DVec3 {
        values.iter().zip(weights).map(|(value, weight)| *value * weight).sum()
    }
}

impl TrackValue for DQuat {
    fn lerp(self, next: DQuat, fraction: f64) -> DQuat {
        slerp(self, next, fraction)
    }

    fn sum(values: [DQuat; 4], weights: [f64; 4]) -> DQuat {
        let sum = values
            .iter()
            .zip(weights)
            .fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, (value, weight)| {
                sum + *value * weight
            });
        if sum.length_squared() > 0.0 { sum.normalize() } else { values[0] }
    }
}

/// Spherical interpolation along the shorter arc. Unlike that of `glam`, it has the same bits on every system.
// Shoemake 1985, "Animating Rotation with Quaternion Curves".
pub(super) fn slerp(a: DQuat, b: DQuat, fraction: f64) -> DQuat {
    let (a, b) = (a.normalize(), b.normalize());
    let cos = a.dot(b);
    let (b, cos) = if cos < 0.0 { (-b, -cos) } else { (b, cos) };
    if cos > 1.0 - 1e-12 {
        return (a + (b - a) * fraction).normalize();
    }
    let angle = acos(cos.min(1.0));
    let [from, to] = [1.0 - fraction, fraction].map(|part| sin(part * angle));
    (a * from + b * to).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splines_pass_through_their_keys_with_their_tangents() {
        let values = vec![0.0, 1.0, 2.0, 2.0, 3.0, 0.0];
        let track = Track::new(vec![1.0, 2.0], values, TrackInterpolation::CubicSpline).expect("it is sound");
        assert_eq!((track.at(0.0), track.at(1.0), track.at(5.0)), (1.0, 1.0, 3.0));
        assert!((track.at(1.5) - 2.0).abs() < 1e-12);
        assert!(((track.at(1.001) - 1.0) / 0.001 - 2.0).abs() < 1e-2);
        let steps =
            Track::new(vec![0.0, 1.0], vec![1.0, 2.0], TrackInterpolation::Step).expect("it is sound");
        assert_eq!((steps.at(0.99), steps.at(1.0)), (1.0, 2.0));
        assert!(Track::new(vec![1.0, 0.5], vec![1.0, 2.0], TrackInterpolation::Linear).is_none());
    }

    #[test]
    fn steps_are_at_their_frames() {
        // In single precision, a 24th is larger.
        for frame in [1.0f64, 5.0, 7.0, 1000.0] {
            let times = vec![0.0, f64::from((frame / 24.0) as f32)];
            let steps = Track::new(times, vec![1.0, 2.0], TrackInterpolation::Step).expect("it is sound");
            assert_eq!((steps.at((frame - 0.01) / 24.0), steps.at(frame / 24.0)), (1.0, 2.0));
        }
    }
}
