//! What was estimated at a list of points, texels, vertices or probes alike.

use super::project::Estimate;
use super::sh::Order;
use crate::color::Rgb;

/// Estimates in a row; each is the colours of its coefficients, its irradiance, and the variance of that.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    /// Which coefficients.
    pub(super) order: Order,
    /// Colours: `len × layers`.
    pub(super) colors: Vec<Rgb>,
    /// The variance of the irradiance's luminance, by point.
    pub(super) variance: Vec<f32>,
    /// Whether there is anything, by point.
    pub(super) valid: Vec<bool>,
}

impl Field {
    /// Nothing at that many points.
    pub(super) fn new(order: Order, len: usize) -> Field {
        Field {
            order,
            colors: vec![Rgb::BLACK; len * layers(order)],
            variance: vec![0.0; len],
            valid: vec![false; len],
        }
    }

    /// How many points.
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

    /// Numbers of a point in a record.
    pub(super) fn record_len(order: Order) -> usize {
        3 * layers(order) + 2
    }

    /// Appends a point to a record.
    pub(super) fn write_record(order: Order, estimate: Option<&Estimate>, record: &mut Vec<f32>) {
        let end = record.len() + Field::record_len(order);
        if let Some(estimate) = estimate {
            let colors = estimate.coefficients[..order.coefficients()].iter();
            record.extend(colors.chain([&estimate.irradiance]).flat_map(|c| c.to_array()));
            record.extend([estimate.variance, 1.0]);
        }
        record.resize(end, 0.0);
    }

    /// Sets points from a record of them, from `first` on.
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

fn layers(order: Order) -> usize {
    order.coefficients() + 1
}
