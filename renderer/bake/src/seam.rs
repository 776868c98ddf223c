//! Seam optimisation: least-squares change of texels so that both sides of a chart border look the same.
//!
//! Points along a border are looked up bilinearly on both sides, as an engine does; the sum of squared differences plus
//! a small penalty on changes is minimised.
// Iwanicki 2013, "Lighting Technology of The Last of Us", the part on seams; conjugate gradients after Hestenes & Stiefel.

use glam::{IVec3, Vec2, Vec3};
use rustc_hash::FxHashMap;

use super::lightmap_buffer::{Bilinear, LightmapBuffer};
use super::sh::irradiance;
use renderer_base::color::Rgb;

/// Weight of the penalty on changes.
const CHANGE_PENALTY: f64 = 0.005;
/// Maximum number of steps of the solver, which converges earlier.
const MAX_STEPS: usize = 200;
/// Minimum cosine between the shading normals of two sides of a seam.
const MIN_SMOOTH_COSINE: f32 = 0.995;

/// A border of a chart: an edge with a triangle on one side only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Border {
    /// End points in world space.
    pub(super) p: [Vec3; 2],
    /// Shading normals at the end points.
    pub(super) n: [Vec3; 2],
    /// Positions of the ends in the atlas [texels].
    pub(super) place: [Vec2; 2],
}

/// A point of a seam with its bilinear lookups on both sides.
pub(super) struct Pair {
    sides: [Bilinear; 2],
    n: Vec3,
}

/// The edges of a mesh laid out in the atlas that have a triangle on one side only.
pub(super) fn borders(
    triangles: &[[u32; 3]],
    places: &[Vec2],
    positions: &[Vec3],
    normal: impl Fn(usize, u32) -> Vec3,
) -> Vec<Border> {
    let sides = || {
        let sides = |(triangle, t): (usize, &[u32; 3])| {
            [(triangle, t[0], t[1]), (triangle, t[1], t[2]), (triangle, t[2], t[0])]
        };
        triangles.iter().enumerate().flat_map(sides)
    };
    let mut uses: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (_, a, b) in sides() {
        *uses.entry((a.min(b), a.max(b))).or_default() += 1;
    }
    sides()
        .filter(|&(_, a, b)| uses[&(a.min(b), a.max(b))] == 1)
        .map(|(triangle, a, b)| {
            let ends = [a, b];
            Border {
                p: ends.map(|v| positions[v as usize]),
                n: ends.map(|v| normal(triangle, v)),
                place: ends.map(|v| places[v as usize]),
            }
        })
        .collect()
}

/// Points along all borders that coincide with another one of similar normal. `near` is the tolerance for equal
/// positions [m].
pub(super) fn pairs(borders: &[Border], lightmap: &LightmapBuffer, near: f32) -> Vec<Pair> {
    let mut pairs = vec![];
    for_each_coincident_pair(borders, near, |border, other, turned| {
        let other_end = |end: usize| if turned { 1 - end } else { end };
        let smooth = |end: usize| border.n[end].dot(other.n[other_end(end)]) > MIN_SMOOTH_COSINE;
        if smooth(0) && smooth(1) {
            add_pairs(border, other, turned, lightmap, &mut pairs);
        }
    });
    pairs
}

/// Texels of charts that meet at an edge, with any normals: the nearest to each of the points along it.
pub(super) fn edge_texels(borders: &[Border], lightmap: &LightmapBuffer, near: f32) -> Vec<[u32; 2]> {
    let mut found = vec![];
    let nearest = |place: Vec2| {
        let by_weight = |a: &(u32, f32), b: &(u32, f32)| if b.1 > a.1 { *b } else { *a };
        let lookup = lightmap.bilinear(place);
        lookup.iter().fold((0, 0.0), |a, b| by_weight(&a, b)).0
    };
    for_each_coincident_pair(borders, near, |border, other, turned| {
        found.extend(along(border, other, turned).map(|(_, places)| places.map(nearest)));
    });
    found
}

/// Visits all pairs of borders that coincide, and whether they begin at opposite ends.
fn for_each_coincident_pair(borders: &[Border], near: f32, mut visit: impl FnMut(&Border, &Border, bool)) {
    let cell = |p: Vec3| (p / near.max(f32::MIN_POSITIVE)).round().as_ivec3();
    let mut meeting: FxHashMap<[IVec3; 2], Vec<usize>> = FxHashMap::default();
    for (index, border) in borders.iter().enumerate() {
        let mut ends = border.p.map(cell);
        ends.sort_by_key(|p| p.to_array());
        let others = meeting.entry(ends).or_default();
        for other in others.iter().map(|&other| &borders[other]) {
            visit(border, other, cell(border.p[0]) != cell(other.p[0]));
        }
        others.push(index);
    }
}

/// Points along two coincident borders, half a texel apart: parameter on the first, and positions on both [texels].
fn along(a: &Border, b: &Border, turned: bool) -> impl Iterator<Item = (f32, [Vec2; 2])> {
    let (a, b) = (a.place, b.place);
    let count = (2.0 * a[0].distance(a[1]).max(b[0].distance(b[1]))).ceil().max(1.0);
    (0..=count as usize).map(move |i| {
        let t = i as f32 / count;
        let on_b = if turned { 1.0 - t } else { t };
        (t, [a[0].lerp(a[1], t), b[0].lerp(b[1], on_b)])
    })
}

fn add_pairs(a: &Border, b: &Border, turned: bool, lightmap: &LightmapBuffer, pairs: &mut Vec<Pair>) {
    for (t, places) in along(a, b, turned) {
        let sides = places.map(|place| lightmap.bilinear(place));
        let known = |&(index, weight): &(u32, f32)| weight < 1e-3 || lightmap.field.valid[index as usize];
        if sides.iter().flatten().all(known) && sides[0] != sides[1] {
            let n = a.n[0].lerp(a.n[1], t).normalize_or(a.n[0]);
            pairs.push(Pair { sides, n });
        }
    }
}

/// Mean over all pairs of the difference of the reconstructed irradiance on both sides, relative to their mean; for dark
/// pairs, to a hundredth of the mean over all pairs.
pub(super) fn mean_difference(pairs: &[Pair], lightmap: &LightmapBuffer) -> f64 {
    let rebuilt = |side: &Bilinear, n: Vec3| {
        let mut coefficients = vec![Rgb::BLACK; lightmap.field.order.coefficients()];
        for &(index, weight) in side {
            for (sum, &c) in coefficients.iter_mut().zip(lightmap.field.coefficients(index as usize)) {
                *sum += c * weight;
            }
        }
        f64::from(irradiance(&coefficients, n).luminance())
    };
    let sides = |pair: &Pair| [0, 1].map(|side| rebuilt(&pair.sides[side], pair.n));
    let values: Vec<[f64; 2]> = pairs.iter().map(sides).collect();
    let count = values.len().max(1) as f64;
    let dark = 0.01 * values.iter().map(|[a, b]| 0.5 * (a + b)).sum::<f64>() / count;
    let relative = |[a, b]: &[f64; 2]| (a - b).abs() / (0.5 * (a + b)).max(dark).max(f64::MIN_POSITIVE);
    values.iter().map(relative).sum::<f64>() / count
}

/// Changes the texels on both sides of all pairs.
pub(super) fn stitch(pairs: &[Pair], lightmap: &mut LightmapBuffer) {
    // Numbers of the involved texels; each pair is a sparse row.
    let mut texels: Vec<u32> = pairs.iter().flat_map(|p| p.sides.iter().flatten()).map(|t| t.0).collect();
    texels.sort_unstable();
    texels.dedup();
    let number = |texel: u32| texels.partition_point(|&t| t < texel) as u32;
    let rows: Vec<[(u32, f64); 8]> = (pairs.iter())
        .map(|pair| {
            std::array::from_fn(|i| {
                let (texel, weight) = pair.sides[i / 4][i % 4];
                (number(texel), f64::from(if i < 4 { weight } else { -weight }))
            })
        })
        .collect();
    for layer in 0..lightmap.field.layers() {
        for channel in 0..3 {
            let value =
                |&texel: &u32| f64::from(lightmap.field.at(texel as usize)[layer].to_array()[channel]);
            let old: Vec<f64> = texels.iter().map(value).collect();
            let change = solve(&rows, &old);
            for ((&texel, old), change) in texels.iter().zip(old).zip(change) {
                let color = &mut lightmap.field.at_mut(texel as usize)[layer];
                let mut rgb = color.to_array();
                rgb[channel] = (old + change) as f32;
                *color = Rgb::from(rgb);
            }
        }
    }
    for texel in texels {
        lightmap.field.make_possible(texel as usize);
    }
}

/// The change d that minimises |A (old + d)|² + stiffness |d|².
fn solve(rows: &[[(u32, f64); 8]], old: &[f64]) -> Vec<f64> {
    let times = |x: &[f64]| {
        let mut product: Vec<f64> = x.iter().map(|v| CHANGE_PENALTY * v).collect();
        add_normal(rows, x, &mut product);
        product
    };
    let mut right = vec![0.0; old.len()];
    add_normal(rows, old, &mut right);
    let mut residual: Vec<f64> = right.iter().map(|v| -v).collect();
    let mut change = vec![0.0; old.len()];
    let mut direction = residual.clone();
    let mut square = dot(&residual, &residual);
    let enough = 1e-10 * square;
    for _ in 0..MAX_STEPS {
        if square <= enough {
            break;
        }
        let product = times(&direction);
        let step = square / dot(&direction, &product);
        for i in 0..change.len() {
            change[i] += step * direction[i];
            residual[i] -= step * product[i];
        }
        let next = dot(&residual, &residual);
        for (d, r) in direction.iter_mut().zip(&residual) {
            *d = r + next / square * *d;
        }
        square = next;
    }
    change
}

/// Adds AᵀA x.
fn add_normal(rows: &[[(u32, f64); 8]], x: &[f64], sum: &mut [f64]) {
    for row in rows {
        let difference: f64 = row.iter().map(|&(i, weight)| weight * x[i as usize]).sum();
        for &(i, weight) in row {
            sum[i as usize] += weight * difference;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use glam::UVec2;

    use super::super::field::Field;
    use super::super::lightmap_buffer::Coverage;
    use super::super::sh::ShOrder;
    use super::*;

    #[test]
    fn two_sides_meet_in_the_middle() {
        // Columns 1 and 3 of a lightmap are the two sides of one seam.
        let mut lightmap = LightmapBuffer {
            size: UVec2::new(5, 4),
            field: Field::new(ShOrder::One, 20),
            charts: vec![0; 20],
            coverage: vec![Coverage::Covered; 20],
        };
        for index in 0..20 {
            lightmap.field.valid[index] = true;
            let value = if index % 5 < 3 { 1.0 } else { 2.0 };
            lightmap.field.at_mut(index).fill(Rgb::splat(value));
        }
        let border = |x: f32, turned: bool| {
            let ends = [Vec3::ZERO, Vec3::X];
            let place = [Vec2::new(x, 0.5), Vec2::new(x, 3.5)];
            let turn = |end: usize| if turned { 1 - end } else { end };
            Border {
                p: [ends[turn(0)], ends[turn(1)]],
                n: [Vec3::Y; 2],
                place: [place[turn(0)], place[turn(1)]],
            }
        };
        let pairs = pairs(&[border(1.5, false), border(3.5, true)], &lightmap, 1e-4);
        assert!(mean_difference(&pairs, &lightmap) > 0.5);
        stitch(&pairs, &mut lightmap);
        assert!(
            mean_difference(&pairs, &lightmap) < 0.02,
            "{}",
            mean_difference(&pairs, &lightmap)
        );
        let mean = 0.5 * (lightmap.field.irradiance(6).r + lightmap.field.irradiance(8).r);
        assert!((mean - 1.5).abs() < 1e-3, "{mean}");
    }

    #[test]
    fn coefficients_stay_those_of_some_radiance() {
        use super::super::sh::{BANDS, MAX_IRRADIANCE, basis};
        // Columns 1 and 2 of a lightmap are the two sides of a seam: light from one direction each, bright on one side and dim
        // on the other, as where a spot of the sun ends at a seam.
        const ROWS: usize = 40;
        let mut lightmap = LightmapBuffer {
            size: UVec2::new(4, ROWS as u32),
            field: Field::new(ShOrder::Two, 4 * ROWS),
            charts: vec![0; 4 * ROWS],
            coverage: vec![Coverage::Covered; 4 * ROWS],
        };
        let random = |n: usize| ((n as f32 * 0.618_034 + 0.3).fract() * 97.3).fract();
        for index in 0..lightmap.field.len() {
            lightmap.field.valid[index] = true;
            let direction = Vec3::new(random(index) - 0.5, random(7 * index) - 0.5, random(3 * index) - 0.5);
            let direction = direction.normalize();
            let light = Rgb::new(1.0, 0.1, 0.01) * (random(index * index) * 12.0 - 6.0).exp();
            let colors = lightmap.field.at_mut(index);
            for (color, y) in colors.iter_mut().zip(basis(direction)) {
                *color = light * y;
            }
            colors[9] = light * direction.y.max(0.0);
        }
        let border = |x: f32| Border {
            p: [Vec3::ZERO, Vec3::X],
            n: [Vec3::Y; 2],
            place: [Vec2::new(x, 0.5), Vec2::new(x, ROWS as f32 - 0.5)],
        };
        let pairs = pairs(&[border(1.2), border(2.7)], &lightmap, 1e-4);
        stitch(&pairs, &mut lightmap);
        for index in 0..lightmap.field.len() {
            let colors = lightmap.field.at(index);
            for channel in 0..3 {
                let c: Vec<f32> = colors.iter().map(|color| color.to_array()[channel]).collect();
                for (range, most) in BANDS {
                    let length = c[range].iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
                    assert!(length <= most * f64::from(c[0]) * (1.0 + 1e-6), "{index}: {c:?}");
                }
                assert!((0.0..=MAX_IRRADIANCE * c[0]).contains(&c[9]), "{index}: {c:?}");
            }
        }
    }
}
