//! Directional albedo: for rough isotropic conductors from a table of Gauss rules for each microfacet distribution, for
//! other lobes as a mean over samples.
//!
//! A conductor's albedo for any Fresnel term is the mean of the term over the facets that are visible from `wo` and
//! whose reflection leaves the surface; the term depends only on the angle between `wo` and the facet. So the table
//! holds, for each roughness and each cosine of `wo`, a three-point Gauss rule for that mean: exact for reflectances
//! that are polynomials of degree five in the cosine, such as Schlick's, and accurate for all smooth ones.

use std::sync::OnceLock;

use glam::{Vec2, Vec3};

use super::fresnel::reflect;
use super::lobe_kind::LobeSample;
use super::lost_light::{alpha_cell, tabulated_alpha};
use super::microfacet::{Distribution, Microfacets};
use super::quadrature::{cell, lattice_point};
use renderer_base::color::Rgb;
use renderer_base::math::{acos, cos, safe_sqrt, sqr};

/// Three-point quadrature rule over the reflecting facets.
#[derive(Clone, Copy, Default)]
struct Rule {
    /// Cosine between `wo` and the facet's normal.
    cos: [f32; 3],
    weight: [f32; 3],
}

/// Number of cells of the table along each axis.
const SIZE: usize = 40;

/// Number of facets along each axis from which a cell is computed.
const FACETS: usize = 32;

/// Rules of one roughness, by cosine; computed on first use: a few milliseconds.
type Row = OnceLock<Box<[Rule; SIZE]>>;

static GGX: [Row; SIZE] = [const { OnceLock::new() }; SIZE];
static BECKMANN: [Row; SIZE] = [const { OnceLock::new() }; SIZE];

fn row(distribution: Distribution, alpha: usize) -> &'static [Rule; SIZE] {
    let rows = match distribution {
        Distribution::Ggx => &GGX,
        Distribution::Beckmann => &BECKMANN,
    };
    rows[alpha].get_or_init(|| Box::new(std::array::from_fn(|cos| tabulate(distribution, alpha, cos))))
}

/// Mean of `fresnel`, a smooth function of the cosine at the facet, over the facets whose reflection leaves the
/// surface.
pub(super) fn reflected(microfacets: Microfacets, wo: Vec3, fresnel: impl Fn(f32) -> Rgb) -> Rgb {
    if microfacets.is_smooth() {
        return fresnel(wo.z.abs());
    }
    let rule = look_up(microfacets, wo.z.abs());
    (0..3).map(|i| fresnel(rule.cos[i]) * rule.weight[i]).sum()
}

/// Albedo of a grey lobe as the mean weight of `count` samples, from the points of a Fibonacci lattice.
pub(super) fn sampled(count: usize, sample: impl Fn(Vec2) -> Option<LobeSample>) -> f32 {
    let weight = |k: usize| sample(lattice_point(k, count)).map_or(0.0, |s| s.weight.r);
    (0..count).map(weight).sum::<f32>() / count as f32
}

/// Interpolated rule for a roughness and a cosine. Cells are finer towards a cosine of zero, where the albedo changes
/// fast.
fn look_up(microfacets: Microfacets, cos: f32) -> Rule {
    let (x, fx) = alpha_cell(microfacets.mean_alpha(), 1.0, SIZE);
    let (y, fy) = cell(cos.clamp(0.0, 1.0).sqrt(), SIZE);
    let rows = [x, x + 1].map(|alpha| row(microfacets.distribution(), alpha));
    let mut rule = Rule::default();
    for (dx, dy) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let corner = &rows[dx][y + dy];
        let share = (if dx == 0 { 1.0 - fx } else { fx }) * (if dy == 0 { 1.0 - fy } else { fy });
        for i in 0..3 {
            rule.cos[i] += share * corner.cos[i];
            rule.weight[i] += share * corner.weight[i];
        }
    }
    rule.cos = rule.cos.map(|c| c.clamp(0.0, 1.0));
    rule
}

/// Computes the rule of a cell.
fn tabulate(distribution: Distribution, alpha: usize, cos: usize) -> Rule {
    let microfacets = Microfacets::isotropic(tabulated_alpha(alpha, 1.0, SIZE)).with(distribution);
    let cos = sqr(cos as f32 / (SIZE - 1) as f32).max(1e-4);
    let wo = Vec3::new(safe_sqrt(1.0 - sqr(cos)), 0.0, cos);
    let facet = |k: usize| {
        let u = Vec2::new((k % FACETS) as f32 + 0.5, (k / FACETS) as f32 + 0.5) / FACETS as f32;
        let h = microfacets.sample_visible(wo, u);
        let wi = reflect(wo, h);
        [wo.dot(h), if wi.z > 0.0 { microfacets.shadowing(wo, wi) } else { 0.0 }].map(f64::from)
    };
    gauss_rule(&(0..FACETS * FACETS).map(facet).collect::<Vec<_>>())
}

/// Standard deviation of the cosines below which they count as equal: too few values of `f32` lie between them.
const SINGLE_FACET: f64 = 1e-6;

/// Gauss rule with three nodes for the discrete distribution of `[cos, weight]` pairs.
// Golub & Welsch 1969 in general; three nodes of a distribution of mean 0 and variance 1 need a cubic only.
fn gauss_rule(facets: &[[f64; 2]]) -> Rule {
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| facets.iter().map(|s| f(s) * s[1]).sum::<f64>();
    let total = sum(&|_| 1.0);
    if total <= 0.0 {
        return Rule::default();
    }
    let mean = sum(&|s| s[0]) / total;
    let deviation = (sum(&|s| (s[0] - mean).powi(2)) / total).sqrt();
    if deviation < SINGLE_FACET {
        let weight = total / (3.0 * facets.len() as f64);
        return Rule { cos: [mean as f32; 3], weight: [weight as f32; 3] };
    }
    let x = |s: &[f64; 2]| (s[0] - mean) / deviation;
    let [m3, m4, m5] = [3, 4, 5].map(|n| sum(&|s| x(s).powi(n)) / total);

    // The monic cubic orthogonal to 1, x and x².
    let a2 = (m3 + m3 * m4 - m5) / (m4 - m3 * m3 - 1.0).max(1e-9);
    let nodes = cubic_roots(a2, -m4 - a2 * m3, -m3 - a2);

    let mut rule = Rule::default();
    for i in 0..3 {
        let (a, b, c) = (nodes[i], nodes[(i + 1) % 3], nodes[(i + 2) % 3]);
        let weight = (1.0 + b * c) / ((a - b) * (a - c));
        rule.cos[i] = ((mean + deviation * a) as f32).clamp(0.0, 1.0);
        rule.weight[i] = (weight * total / facets.len() as f64) as f32;
    }
    rule
}

/// Roots of x³ + a x² + b x + c, all three of which must be real, in descending order.
fn cubic_roots(a: f64, b: f64, c: f64) -> [f64; 3] {
    let p = (a * a / 9.0 - b / 3.0).max(1e-12).sqrt();
    let q = a * (a * a / 27.0 - b / 6.0) + c / 2.0;
    let angle = acos((-q / p.powi(3)).clamp(-1.0, 1.0)) / 3.0;
    [0.0, -1.0, 1.0].map(|k| 2.0 * p * cos(angle + k * std::f64::consts::TAU / 3.0) - a / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_a_cubic() {
        let roots = cubic_roots(-1.0, -4.0, 4.0);
        for (root, expected) in roots.into_iter().zip([2.0, 1.0, -2.0]) {
            assert!((root - expected).abs() < 1e-12, "{roots:?}");
        }
    }

    #[test]
    fn rule_of_a_uniform_distribution_is_that_of_legendre() {
        let facets: Vec<_> = (0..100_000).map(|i| [(f64::from(i) + 0.5) / 1e5, 1.0]).collect();
        let rule = gauss_rule(&facets);
        let half = 0.5 * 0.6f32.sqrt();
        for (i, (node, weight)) in [(0.5 + half, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.5 - half, 5.0 / 18.0)]
            .into_iter()
            .enumerate()
        {
            assert!((rule.cos[i] - node).abs() < 1e-5 && (rule.weight[i] - weight).abs() < 1e-5);
        }
    }
}
