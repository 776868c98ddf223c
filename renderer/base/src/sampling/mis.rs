//! Multiple importance sampling weights: balance and power heuristic.
//!
//! Densities are with respect to the same measure, each multiplied by the number of samples of its technique.
// Veach & Guibas 1995, "Optimally Combining Sampling Techniques for Monte Carlo Rendering".

/// Veach's balance heuristic: the weight of a sample drawn with density `pdf` where `other` could have drawn it too.
/// Zero when `pdf` is zero.
pub fn balance_heuristic(pdf: f32, other: f32) -> f32 {
    if pdf > 0.0 { 1.0 / (1.0 + other / pdf) } else { 0.0 }
}

/// Veach's power heuristic with exponent 2. Zero when `pdf` is zero.
// Written with a ratio, because the squares of the densities of narrow lobes leave the range of `f32`.
pub fn power_heuristic(pdf: f32, other: f32) -> f32 {
    if pdf > 0.0 {
        let ratio = other / pdf;
        1.0 / (1.0 + ratio * ratio)
    } else {
        0.0
    }
}
