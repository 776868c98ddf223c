//! Sum constraint: corrects separately denoised light layers, so that their sum is the denoised picture.

use renderer_image::Image;

/// Maximum factor by which all layers are scaled uniformly.
const MAX_UNIFORM_SCALE: f64 = 1.05;

/// Corrects denoised layers so that their sum is `total` to rounding, value by value, and none gets negative.
///
/// A small difference is distributed in proportion to the layers, which keeps them smooth. A large difference occurs
/// near edges, which the denoiser blurs more in layers: it is distributed in proportion to the ranges of the layers
/// over 3 × 3 pixels. The remainder is distributed in proportion to the layers; if all are zero, the layer `rest`
/// receives it.
///
/// # Panics
/// When an image differs from `total` in size or channels, or there is no layer `rest`.
pub fn fit_sum(layers: &mut [Image], total: &Image, rest: usize) {
    let count = total.data.len();
    assert!(layers.iter().all(|layer| layer.data.len() == count), "layers differ in size");
    let ranges: Vec<Vec<f32>> = layers.iter().map(local_ranges).collect();
    let mut values = vec![0.0; layers.len()];
    for (index, &total) in total.data.iter().enumerate() {
        for (value, layer) in values.iter_mut().zip(&*layers) {
            *value = f64::from(layer.data[index]).max(0.0);
        }
        let total = f64::from(total).max(0.0);
        scale(&mut values, total, MAX_UNIFORM_SCALE);
        add_to_edges(&mut values, ranges.iter().map(|range| f64::from(range[index])), total);
        scale(&mut values, total, f64::INFINITY);
        if values.iter().all(|&value| value == 0.0) {
            values[rest] = total;
        }
        for (layer, &value) in layers.iter_mut().zip(&values) {
            layer.data[index] = value as f32;
        }
    }
}

/// Scales values towards a total, by the factor `most` or its inverse at most.
fn scale(values: &mut [f64], total: f64, most: f64) {
    let sum: f64 = values.iter().sum();
    if sum > 0.0 {
        let factor = (total / sum).clamp(1.0 / most, most);
        values.iter_mut().for_each(|value| *value *= factor);
    }
}

/// Distributes the difference to a total in proportion to ranges; values stay non-negative.
fn add_to_edges(values: &mut [f64], ranges: impl Iterator<Item = f64> + Clone, total: f64) {
    let missing = total - values.iter().sum::<f64>();
    let all: f64 = ranges.clone().sum();
    if all > 0.0 {
        for (value, range) in values.iter_mut().zip(ranges) {
            *value = (*value + missing * range / all).max(0.0);
        }
    }
}

/// Difference of the maximum and the minimum over 3 × 3 pixels.
pub(super) fn local_ranges(image: &Image) -> Vec<f32> {
    let (width, height, channels) = (image.width, image.height, image.channels);
    let mut ranges = Vec::with_capacity(image.data.len());
    for y in 0..height {
        let rows = y.saturating_sub(1)..(y + 2).min(height);
        for x in 0..width {
            let columns = x.saturating_sub(1)..(x + 2).min(width);
            for channel in 0..channels {
                let pixels = rows.clone().flat_map(|y| columns.clone().map(move |x| y * width + x));
                let values = pixels.map(|pixel| image.data[pixel * channels + channel]);
                let (least, most) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), v| {
                    (least.min(v), most.max(v))
                });
                ranges.push(most - least);
            }
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: [f32; 4]) -> Image {
        Image { data: values.to_vec(), ..Image::new(4, 1, 1) }
    }

    #[test]
    fn sums_are_the_total() {
        // The first layer has an edge, the second is even.
        let mut layers = [row([8.0, 1.0, 0.0, 0.0]), row([1.0, 1.0, 1.0, 0.0])];
        fit_sum(&mut layers, &row([9.0, 5.0, 1.02, 0.5]), 1);
        let close = |layer: &Image, expected: [f32; 4]| {
            for (found, expected) in layer.data.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-5, "{found} and {expected}");
            }
        };
        // Next to the edge, 3 of 5 is missing: a tenth goes to both layers, the rest to the layer with the edge.
        close(&layers[0], [8.0, 3.95, 0.0, 0.0]);
        close(&layers[1], [1.0, 1.05, 1.02, 0.5]);
    }

    #[test]
    fn ranges_are_those_of_nine_pixels() {
        let image = Image {
            data: (0..12).map(|v| v as f32).collect(),
            ..Image::new(4, 3, 1)
        };
        let ranges = local_ranges(&image);
        assert_eq!([ranges[0], ranges[5], ranges[11]], [5.0, 10.0, 5.0]);
    }
}
