//! Texture dilation: hidden texels and a margin around each chart get values of valid texels of the same chart.

use std::collections::BTreeMap;

use super::denoise::TexelPoint;
use super::field::Mixture;
use super::lightmap_buffer::{Coverage, LightmapBuffer};
use super::raster::NO_CHART;
use renderer_base::color::Rgb;

/// Fills the hidden texels of every chart, then dilates charts by `margin` texels. `places` contains the points of all chart
/// texels, including hidden ones. Completely hidden charts get the light of charts that share an edge with them
/// (`edge_texels`): if shapes touch without common vertices, rasterisers leave pixels open, which show these charts. Returns
/// the number of filled texels and of those that could not be filled.
pub(super) fn fill_and_dilate(
    lightmap: &mut LightmapBuffer,
    places: &[TexelPoint],
    edge_texels: &[[u32; 2]],
    margin: u32,
) -> (usize, usize) {
    let all = |lightmap: &LightmapBuffer, coverage| -> Vec<usize> {
        (0..lightmap.charts.len())
            .filter(|&i| lightmap.coverage[i] == coverage)
            .collect()
    };
    let hidden = all(lightmap, Coverage::Dark);
    let before = hidden.len();
    fill_all(lightmap, places, hidden);
    cross_edges(lightmap, edge_texels);
    let rest = all(lightmap, Coverage::Dark);
    fill_all(lightmap, places, rest);
    let after = all(lightmap, Coverage::Dark).len();
    let mut front = all(lightmap, Coverage::Empty);
    for _ in 0..margin {
        if front.is_empty() {
            break;
        }
        let dilated = dilate(lightmap, &front);
        front = next_front(lightmap, &dilated, Coverage::Empty);
    }
    (before - after, after)
}

/// Fills these texels from their neighbours, then the hidden texels around them, and so on.
fn fill_all(lightmap: &mut LightmapBuffer, places: &[TexelPoint], mut front: Vec<usize>) {
    while !front.is_empty() {
        let filled = fill(lightmap, places, &front);
        front = next_front(lightmap, &filled, Coverage::Dark);
    }
}

/// The texels of a coverage around these texels, each once: only they can change in the next round.
fn next_front(lightmap: &LightmapBuffer, texels: &[usize], coverage: Coverage) -> Vec<usize> {
    let around = texels.iter().flat_map(|&index| lightmap.around(index));
    let mut front: Vec<usize> = around.filter(|&index| lightmap.coverage[index] == coverage).collect();
    front.sort_unstable();
    front.dedup();
    front
}

/// Sets hidden texels to the mean of the lit texels across chart edges, all at once.
fn cross_edges(lightmap: &mut LightmapBuffer, edge_texels: &[[u32; 2]]) {
    let mut found: BTreeMap<usize, (Vec<Rgb>, u32)> = BTreeMap::new();
    let both = edge_texels.iter().flat_map(|&[a, b]| [[a, b], [b, a]]);
    for [hidden, lit] in both.map(|pair| pair.map(|index| index as usize)) {
        if lightmap.coverage[hidden] == Coverage::Dark && lightmap.field.valid[lit] {
            let (sum, count) = found
                .entry(hidden)
                .or_insert_with(|| (vec![Rgb::BLACK; lightmap.field.layers()], 0));
            for (sum, &color) in sum.iter_mut().zip(lightmap.field.at(lit)) {
                *sum += color;
            }
            *count += 1;
        }
    }
    for (index, (mut colors, count)) in found {
        colors.iter_mut().for_each(|color| *color /= count as f32);
        set(lightmap, index, &colors, Coverage::Filled);
    }
}

/// Fills each of these texels from its valid neighbours in its chart, with irradiance adjusted to its normal; all at
/// once. Returns the filled ones.
fn fill(lightmap: &mut LightmapBuffer, places: &[TexelPoint], texels: &[usize]) -> Vec<usize> {
    let mut found = vec![];
    for &index in texels {
        let n = places[index].n;
        let mut mixture = Mixture::new(lightmap.field.order);
        let known = |&i: &usize| lightmap.field.valid[i] && lightmap.charts[i] == lightmap.charts[index];
        for neighbour in lightmap.around(index).filter(known) {
            mixture.add(lightmap.field.at(neighbour), places[neighbour].n, n);
        }
        if let Some(colors) = mixture.mean(n) {
            found.push((index, colors));
        }
    }
    let filled = found.iter().map(|&(index, _)| index).collect();
    for (index, colors) in found {
        set(lightmap, index, &colors, Coverage::Filled);
        // Coefficients extrapolated to other normals may give negative irradiance.
        lightmap.field.make_possible(index);
    }
    filled
}

/// Sets each of these texels, which belong to no chart, to the mean of its valid neighbours of one chart; all at once.
/// Returns the texels that have such neighbours.
fn dilate(lightmap: &mut LightmapBuffer, texels: &[usize]) -> Vec<usize> {
    let mut found = vec![];
    for &index in texels {
        let valid = || lightmap.around(index).filter(|&i| lightmap.field.valid[i]);
        let Some(chart) = valid().map(|i| lightmap.charts[i]).min() else {
            continue;
        };
        debug_assert!(chart != NO_CHART, "what is valid has a chart");
        let mut sum = vec![Rgb::BLACK; lightmap.field.layers()];
        let mut count = 0;
        for neighbour in valid().filter(|&i| lightmap.charts[i] == chart) {
            for (sum, &color) in sum.iter_mut().zip(lightmap.field.at(neighbour)) {
                *sum += color;
            }
            count += 1;
        }
        sum.iter_mut().for_each(|color| *color /= count as f32);
        found.push((index, chart, sum));
    }
    let dilated = found.iter().map(|&(index, ..)| index).collect();
    for (index, chart, colors) in found {
        lightmap.charts[index] = chart;
        set(lightmap, index, &colors, Coverage::Dilated);
    }
    dilated
}

fn set(lightmap: &mut LightmapBuffer, index: usize, colors: &[Rgb], coverage: Coverage) {
    lightmap.field.valid[index] = true;
    lightmap.field.at_mut(index).copy_from_slice(colors);
    lightmap.coverage[index] = coverage;
}

#[cfg(test)]
mod tests {
    use glam::{UVec2, Vec3};

    use super::super::field::Field;
    use super::super::sh::{ShOrder, basis, irradiance};
    use super::*;

    /// Texels in a row, with the coefficients and the irradiance that constant radiance has; those without a value are
    /// hidden where they have a chart.
    fn row(charts: &[u32], values: &[(usize, f32)]) -> LightmapBuffer {
        let len = charts.len();
        let mut lightmap = LightmapBuffer {
            size: UVec2::new(len as u32, 1),
            field: Field::new(ShOrder::One, len),
            charts: charts.to_vec(),
            coverage: (charts.iter())
                .map(|&chart| match chart {
                    NO_CHART => Coverage::Empty,
                    _ => Coverage::Dark,
                })
                .collect(),
        };
        for &(index, value) in values {
            let constant = value / (std::f32::consts::PI * basis(Vec3::Z)[0]);
            let mut colors = [Rgb::BLACK; 5];
            colors[0] = Rgb::splat(constant);
            colors[4] = Rgb::splat(value);
            set(&mut lightmap, index, &colors, Coverage::Covered);
        }
        lightmap
    }

    fn values(lightmap: &LightmapBuffer) -> Vec<f32> {
        (0..lightmap.charts.len()).map(|i| lightmap.field.irradiance(i).r).collect()
    }

    #[test]
    fn charts_do_not_mix() {
        // Two charts of one texel each, four apart in a row: 0 . . . 1
        let charts = [0, NO_CHART, NO_CHART, NO_CHART, 1];
        let mut lightmap = row(&charts, &[(0, 1.0), (4, 5.0)]);
        let places = vec![TexelPoint::default(); 5];
        assert_eq!(fill_and_dilate(&mut lightmap, &places, &[], 1), (0, 0));
        assert_eq!(lightmap.charts, [0, 0, NO_CHART, 1, 1]);
        assert_eq!(values(&lightmap), [1.0, 1.0, 0.0, 5.0, 5.0]);
        use Coverage::{Covered, Dilated, Empty};
        assert_eq!(lightmap.coverage, [Covered, Dilated, Empty, Dilated, Covered]);
    }

    #[test]
    fn hidden_texels_are_filled_from_their_chart() {
        let mut lightmap = row(&[0, 0, 0, 0, 1, 2], &[(0, 2.0), (4, 9.0)]);
        let up = TexelPoint { n: Vec3::Y, ..TexelPoint::default() };
        assert_eq!(fill_and_dilate(&mut lightmap, &[up; 6], &[], 0), (3, 1));
        for (found, expected) in values(&lightmap).into_iter().zip([2.0, 2.0, 2.0, 2.0, 9.0, 0.0]) {
            assert!((found - expected).abs() < 1e-5, "{found} for {expected}");
        }
        use Coverage::{Covered, Dark, Filled};
        assert_eq!(lightmap.coverage, [Covered, Filled, Filled, Filled, Covered, Dark]);
        // A completely hidden chart gets the light of a chart at its edge.
        let mut lightmap = row(&[0, 0, 2, 2, 1], &[(0, 2.0), (4, 9.0)]);
        assert_eq!(fill_and_dilate(&mut lightmap, &[up; 5], &[[3, 4]], 0), (3, 0));
        for (found, expected) in values(&lightmap).into_iter().zip([2.0, 2.0, 9.0, 9.0, 9.0]) {
            assert!((found - expected).abs() < 1e-5, "{found} for {expected}");
        }
    }

    #[test]
    fn irradiance_of_filled_texels_is_that_of_their_normals() {
        // Light from above on a chart that turns downwards, and another from the side that it does not see.
        let mut lightmap = row(&[0; 3], &[(0, 1.0), (2, 1.0)]);
        let light: Vec<Rgb> = basis(Vec3::Y)[..4].iter().map(|&y| Rgb::splat(y)).collect();
        let normals = [Vec3::Y, Vec3::new(0.0, 0.8, 0.6), Vec3::NEG_X];
        let places = normals.map(|n| TexelPoint { n, ..TexelPoint::default() });
        lightmap.field.at_mut(0)[..4].copy_from_slice(&light);
        // A tenth more than the coefficients explain.
        let rest = 0.1;
        lightmap.field.at_mut(0)[4] = irradiance(&light, Vec3::Y) + Rgb::splat(rest);
        fill_and_dilate(&mut lightmap, &places, &[], 0);
        let rebuilt = irradiance(lightmap.field.coefficients(1), normals[1]).r;
        let found = lightmap.field.irradiance(1).r;
        assert!((found - rebuilt - rest).abs() < 0.01, "{found}, rebuilt {rebuilt}");
    }
}
