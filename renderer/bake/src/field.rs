//! Estimates at a list of points: SH coefficients, irradiance and variance; and their weighted means.

use glam::Vec3;

use super::project::Estimate;
use super::sh::{BANDS, MAX_IRRADIANCE, ShOrder, band_scale, irradiance};
use renderer_base::color::Rgb;

/// An array of estimates: coefficients, irradiance and its variance for each point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    /// Order of the coefficients.
    pub(super) order: ShOrder,
    /// Colours: `len × layers`.
    pub(super) colors: Vec<Rgb>,
    /// Variance of the irradiance's luminance of each point.
    pub(super) variance: Vec<f32>,
    /// True for points with an estimate.
    pub(super) valid: Vec<bool>,
}

impl Field {
    /// A field of `len` points without estimates.
    pub(super) fn new(order: ShOrder, len: usize) -> Field {
        Field {
            order,
            colors: vec![Rgb::BLACK; len * layers(order)],
            variance: vec![0.0; len],
            valid: vec![false; len],
        }
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        self.valid.len()
    }

    /// Colours of a point: coefficients, then irradiance.
    pub(super) fn layers(&self) -> usize {
        layers(self.order)
    }

    /// The colours of a point.
    pub(super) fn at(&self, index: usize) -> &[Rgb] {
        &self.colors[index * self.layers()..(index + 1) * self.layers()]
    }

    /// The colours of a point, to change.
    pub(super) fn at_mut(&mut self, index: usize) -> &mut [Rgb] {
        let layers = self.layers();
        &mut self.colors[index * layers..(index + 1) * layers]
    }

    /// The coefficients of a point.
    pub(super) fn coefficients(&self, index: usize) -> &[Rgb] {
        &self.at(index)[..self.order.coefficients()]
    }

    /// The irradiance at a point.
    pub(super) fn irradiance(&self, index: usize) -> Rgb {
        self.at(index)[self.order.coefficients()]
    }

    /// Clamps the coefficients of a point to the range of non-negative radiance, which operations other than means may
    /// leave.
    pub(super) fn make_possible(&mut self, index: usize) {
        let count = self.order.coefficients();
        let colors = self.at_mut(index);
        for channel in 0..3 {
            let mut values: Vec<f32> = colors.iter().map(|color| color.to_array()[channel]).collect();
            values[0] = values[0].max(0.0);
            for band in BANDS.iter().filter(|(range, _)| range.end <= count) {
                let scale = band_scale(&values, band);
                for value in &mut values[band.0.clone()] {
                    *value = (f64::from(*value) * scale) as f32;
                }
            }
            values[count] = values[count].clamp(0.0, MAX_IRRADIANCE * values[0]);
            for (color, value) in colors.iter_mut().zip(values) {
                let mut rgb = color.to_array();
                rgb[channel] = value;
                *color = Rgb::from(rgb);
            }
        }
    }

    /// Numbers of a point in a record.
    pub(super) fn record_len(order: ShOrder) -> usize {
        3 * layers(order) + 2
    }

    /// Appends a point to a record.
    pub(super) fn write_record(order: ShOrder, estimate: Option<&Estimate>, record: &mut Vec<f32>) {
        let end = record.len() + Field::record_len(order);
        if let Some(estimate) = estimate {
            let colors = estimate.coefficients[..order.coefficients()].iter();
            record.extend(colors.chain([&estimate.irradiance]).flat_map(|c| c.to_array()));
            record.extend([estimate.variance, 1.0]);
        }
        record.resize(end, 0.0);
    }

    /// Appends one of its points to a record.
    pub(super) fn append_record(&self, index: usize, record: &mut Vec<f32>) {
        record.extend(self.at(index).iter().flat_map(|color| color.to_array()));
        record.extend([self.variance[index], f32::from(self.valid[index])]);
    }

    /// Copies the points, in order, to the `indices` of another field.
    pub(super) fn spread(&self, indices: &[usize], field: &mut Field) {
        for (from, &to) in indices.iter().enumerate() {
            field.at_mut(to).copy_from_slice(self.at(from));
            field.variance[to] = self.variance[from];
            field.valid[to] = self.valid[from];
        }
    }

    /// Reads points from a record, from `first` on.
    pub(super) fn read_record(&mut self, first: usize, record: &[f32]) {
        let layers = self.layers();
        for (index, point) in (first..).zip(record.chunks_exact(Field::record_len(self.order))) {
            for (color, rgb) in self.at_mut(index).iter_mut().zip(point.chunks_exact(3)) {
                *color = Rgb::new(rgb[0], rgb[1], rgb[2]);
            }
            self.variance[index] = point[3 * layers];
            self.valid[index] = point[3 * layers + 1] > 0.0;
        }
    }
}

/// Minimum weight of an estimate with an opposite normal.
const MIN_WEIGHT: f32 = 1e-3;

/// Weighted mean of estimates for another surface normal: estimates with similar normals have the largest weights, and the
/// coefficients adjust irradiance to the normal.
pub(super) struct Mixture {
    /// Coefficients, and the difference between the irradiance and that of the coefficients.
    sum: Vec<Rgb>,
    weight: f32,
}

impl Mixture {
    /// An empty mixture.
    pub(super) fn new(order: ShOrder) -> Mixture {
        Mixture { sum: vec![Rgb::BLACK; layers(order)], weight: 0.0 }
    }

    /// Adds the estimate of a point with normal `from` to the mean for the normal `to`.
    pub(super) fn add(&mut self, colors: &[Rgb], from: Vec3, to: Vec3) {
        let weight = from.dot(to).max(0.0).powi(8) + MIN_WEIGHT;
        let count = colors.len() - 1;
        for (sum, &color) in self.sum.iter_mut().zip(colors) {
            *sum += color * weight;
        }
        self.sum[count] -= irradiance(&colors[..count], from) * weight;
        self.weight += weight;
    }

    /// The mean for a surface with normal `to`; `None` without estimates.
    pub(super) fn mean(mut self, to: Vec3) -> Option<Vec<Rgb>> {
        if self.weight == 0.0 {
            return None;
        }
        self.sum.iter_mut().for_each(|color| *color /= self.weight);
        let (rest, coefficients) = self.sum.split_last_mut()?;
        *rest += irradiance(coefficients, to);
        Some(self.sum)
    }
}

fn layers(order: ShOrder) -> usize {
    order.coefficients() + 1
}
