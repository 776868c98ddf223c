//! Distribution of the times of samples over the shutter interval: shutter curve and rolling shutter.

use std::sync::Arc;

/// Opening of a shutter over its interval, piecewise linear.
#[derive(Clone, Debug, PartialEq)]
pub struct ShutterCurve {
    /// Values at uniform times, both ends included.
    values: Arc<[f32]>,
    /// Integral up to each value, relative to that of the whole curve.
    cumulative: Arc<[f32]>,
}

impl ShutterCurve {
    /// Maximum number of values.
    const MAX_VALUES: usize = 256;

    /// A curve by its values at uniform times; `None` unless there are 2 to 256, from 0 up and not all 0.
    pub fn new(values: Vec<f32>) -> Option<ShutterCurve> {
        let is_sound = values.iter().all(|value| *value >= 0.0 && value.is_finite());
        if !is_sound || !(2..=ShutterCurve::MAX_VALUES).contains(&values.len()) {
            return None;
        }
        let mut sum = 0.0;
        let mut sums = vec![0.0];
        for pair in values.windows(2) {
            sum += 0.5 * (f64::from(pair[0]) + f64::from(pair[1]));
            sums.push(sum);
        }
        let cumulative = sums.iter().map(|part| (part / sum) as f32).collect();
        (sum > 0.0).then(|| ShutterCurve { values: values.into(), cumulative })
    }

    /// Maps a uniform number in `[0,1]` to a time in `[0,1]` with a density in proportion to the curve.
    pub fn sample(&self, u: f32) -> f32 {
        let pieces = self.values.len() - 1;
        let index = self.cumulative[1..pieces].partition_point(|&below| below <= u);
        let (low, high) = (self.cumulative[index], self.cumulative[index + 1]);
        let (a, b) = (self.values[index], self.values[index + 1]);
        // Solves t (a + t (b − a) / 2) = part (a + b) / 2 without cancellation.
        let part = ((u - low) / (high - low)).clamp(0.0, 1.0);
        let root = (a * a + part * (b * b - a * a)).max(0.0).sqrt();
        let fraction = part * (a + b) / (a + root).max(f32::MIN_POSITIVE);
        ((index as f32 + fraction.min(1.0)) / pieces as f32).min(1.0)
    }
}

/// Times of samples within the shutter interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShutterTiming {
    /// Opening of the shutter; constant if `None`.
    pub curve: Option<ShutterCurve>,
    /// Part of the interval in which each row is exposed, in `[0,1]`; all rows during the whole interval if `None`.
    pub rolling: Option<f32>,
}

impl ShutterTiming {
    /// Time in `[0,1]` of a sample, by a uniform number in `[0,1)` and the row of the sample: 0 at the top of the film, 1 at
    /// its bottom.
    pub fn time(&self, u: f32, row: f32) -> f32 {
        let time = self.curve.as_ref().map_or(u, |curve| curve.sample(u));
        match self.rolling {
            None => time,
            Some(part) => part * time + (1.0 - part) * row.clamp(0.0, 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_sampled_in_proportion() {
        for values in
            [vec![0.0, 1.0, 1.0, 0.0], vec![1.0, 0.0, 3.0], vec![0.0, 0.0, 2.0, 0.0], vec![2.0, 2.0]]
        {
            let curve = ShutterCurve::new(values.clone()).unwrap();
            let at = |t: f32| {
                let place = t * (values.len() - 1) as f32;
                let index = (place as usize).min(values.len() - 2);
                values[index] + (values[index + 1] - values[index]) * (place - index as f32)
            };
            const BINS: usize = 12;
            const SAMPLES: usize = 120_000;
            let mut counts = [0.0; BINS];
            for i in 0..SAMPLES {
                let t = curve.sample((i as f32 + 0.5) / SAMPLES as f32);
                assert!((0.0..=1.0).contains(&t));
                counts[((t * BINS as f32) as usize).min(BINS - 1)] += 1.0 / SAMPLES as f32;
            }
            let steps = 1000;
            let area = |bin: usize| {
                let times = (0..steps).map(|i| (bin as f32 + (i as f32 + 0.5) / steps as f32) / BINS as f32);
                times.map(at).sum::<f32>()
            };
            let total: f32 = (0..BINS).map(area).sum();
            for (bin, count) in counts.iter().enumerate() {
                assert!((count - area(bin) / total).abs() < 2e-3, "{values:?} {bin}: {count}");
            }
        }
    }

    #[test]
    fn wrong_curves_are_refused() {
        for values in
            [vec![], vec![1.0], vec![0.0, 0.0], vec![-1.0, 2.0], vec![f32::NAN, 1.0], vec![1.0; 257]]
        {
            assert_eq!(ShutterCurve::new(values), None);
        }
    }

    #[test]
    fn rows_are_exposed_one_after_the_other() {
        let timing = ShutterTiming { curve: None, rolling: Some(0.25) };
        assert_eq!(timing.time(0.0, 0.0), 0.0);
        assert_eq!(timing.time(1.0, 0.0), 0.25);
        assert_eq!(timing.time(0.0, 1.0), 0.75);
        assert_eq!(timing.time(1.0, 2.0), 1.0);
        assert_eq!(ShutterTiming::default().time(0.3, 0.9), 0.3);
    }
}
