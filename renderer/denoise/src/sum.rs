//! Layers of light that add up to a picture: denoised one by one, they no longer do, and are corrected.

use renderer_image::Image;

/// Factor up to which all layers are scaled alike.
const ALIKE: f64 = 1.05;

/// Corrects denoised layers so that their sum is `total` to rounding, value by value, and none gets negative. `noisy` are
/// the same layers before they were denoised.
///
/// A small difference is distributed in proportion to the layers, so that each stays as smooth as it is. A large one is at
/// an edge that was blurred in one of them: there, layers move towards their noisy values, as far as that reduces the
/// difference. What is left is distributed in proportion again; where all layers are zero, the one at `rest` gets it.
///
/// # Panics
/// When an image differs from `total` in size or channels, or there is no layer `rest`.
pub fn fit_sum(layers: &mut [Image], noisy: &[Image], total: &Image, rest: usize) {
    let count = total.data.len();
    let mut all = layers.iter().chain(noisy);
    assert!(
        all.all(|layer| layer.data.len() == count) && layers.len() == noisy.len(),
        "layers differ in size"
    );
    let mut values = vec![0.0; layers.len()];
    for (index, &total) in total.data.iter().enumerate() {
        let of = |layer: &Image| f64::from(layer.data[index]).max(0.0);
        for (value, layer) in values.iter_mut().zip(&*layers) {
            *value = of(layer);
        }
        let total = f64::from(total).max(0.0);
        scale(&mut values, total, ALIKE);
        approach(&mut values, noisy.iter().map(of), total);
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

/// Moves values towards targets, those that move in the direction of the total, until the sum is the total or all are at
/// their targets.
fn approach(values: &mut [f64], targets: impl Iterator<Item = f64> + Clone, total: f64) {
    let missing = total - values.iter().sum::<f64>();
    let step = |value: f64, target: f64| match (target - value) * missing > 0.0 {
        true => target - value,
        false => 0.0,
    };
    let steps = values.iter().zip(targets.clone());
    let reach: f64 = steps.map(|(&value, target)| step(value, target)).sum();
    if reach != 0.0 {
        let part = (missing / reach).min(1.0);
        for (value, target) in values.iter_mut().zip(targets) {
            *value += part * step(*value, target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(values: [f32; 4]) -> Image {
        Image {
            data: values.to_vec(),
            ..Image::new(1, 1, 4)
        }
    }

    #[test]
    fn sums_are_the_total() {
        // A small difference; nothing to scale; an edge of the first layer; less than the noisy layers have.
        let mut layers = [image([1.0, 0.0, 0.1, 2.0]), image([3.0, 0.0, 0.2, 2.0])];
        let noisy = [image([0.0, 0.0, 4.0, 1.0]), image([9.0, 0.0, 0.1, 3.0])];
        fit_sum(&mut layers, &noisy, &image([4.1, 0.5, 3.0, 1.0]), 1);
        let close = |found: &[f32], expected: [f32; 4]| {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-5, "{found} and {expected}");
            }
        };
        close(&layers[0].data, [1.025, 0.0, 2.79, 0.344_262_3]);
        close(&layers[1].data, [3.075, 0.5, 0.21, 0.655_737_7]);
    }
}
