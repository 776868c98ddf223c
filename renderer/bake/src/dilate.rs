//! Texture dilation: hidden texels and a margin around each chart take values from valid texels of the same chart.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::denoise::TexelPoint;
use super::field::Mixture;
use super::lightmap_buffer::{Coverage, LightmapBuffer};
use super::raster::NO_CHART;
use renderer_base::color::Rgb;

/// Fills the hidden texels of every chart, then dilates charts by `margin` texels. `places` holds the points of all
/// chart texels, hidden ones included. Charts that are hidden as a whole take the light of those that share an edge with
/// them, by `meetings`: where shapes touch without common vertices, rasterisers leave pixels open, in which they are seen.
/// Returns the number of filled texels and of those that could not be filled.
pub(super) fn fill_and_dilate(
    sheet: &mut LightmapBuffer,
    places: &[TexelPoint],
    meetings: &[[u32; 2]],
    margin: u32,
) -> (usize, usize) {
    let all = |sheet: &LightmapBuffer, coverage| -> Vec<usize> {
        (0..sheet.charts.len())
            .filter(|&i| sheet.coverage[i] == coverage)
            .collect()
    };
    let hidden = all(sheet, Coverage::Dark);
    let before = hidden.len();
    fill_all(sheet, places, hidden);
    cross_edges(sheet, meetings);
    let rest = all(sheet, Coverage::Dark);
    fill_all(sheet, places, rest);
    let after = all(sheet, Coverage::Dark).len();
    for _ in 0..margin {
        let bare = all(sheet, Coverage::Empty);
        dilate(sheet, &bare);
    }
    (before - after, after)
}

/// Fills these texels from their neighbours, and those in turn that are hidden around them.
fn fill_all(sheet: &mut LightmapBuffer, places: &[TexelPoint], mut front: Vec<usize>) {
    while !front.is_empty() {
        let filled = fill(sheet, places, &front);
        let next: FxHashSet<usize> = (filled.iter())
            .flat_map(|&i| sheet.around(i))
            .filter(|&i| sheet.coverage[i] == Coverage::Dark)
            .collect();
        front = next.into_iter().collect();
        front.sort_unstable();
    }
}

/// Sets hidden texels to the mean of those with light that they meet at edges; all at once.
fn cross_edges(sheet: &mut LightmapBuffer, meetings: &[[u32; 2]]) {
    let mut found: BTreeMap<usize, (Vec<Rgb>, u32)> = BTreeMap::new();
    let both = meetings.iter().flat_map(|&[a, b]| [[a, b], [b, a]]);
    for [hidden, lit] in both.map(|pair| pair.map(|index| index as usize)) {
        if sheet.coverage[hidden] == Coverage::Dark && sheet.field.valid[lit] {
            let (sum, count) = found
                .entry(hidden)
                .or_insert_with(|| (vec![Rgb::BLACK; sheet.field.layers()], 0));
            for (sum, &color) in sum.iter_mut().zip(sheet.field.at(lit)) {
                *sum += color;
            }
            *count += 1;
        }
    }
    for (index, (mut colors, count)) in found {
        colors.iter_mut().for_each(|color| *color /= count as f32);
        set(sheet, index, &colors, Coverage::Filled);
    }
}

/// Fills each of these texels from its valid neighbours in its chart, with irradiance adjusted to its normal; all at
/// once. Returns the filled ones.
fn fill(sheet: &mut LightmapBuffer, places: &[TexelPoint], texels: &[usize]) -> Vec<usize> {
    let mut found = vec![];
    for &index in texels {
        let n = places[index].n;
        let mut mixture = Mixture::new(sheet.field.order);
        let known = |&i: &usize| sheet.field.valid[i] && sheet.charts[i] == sheet.charts[index];
        for neighbour in sheet.around(index).filter(known) {
            mixture.add(sheet.field.at(neighbour), places[neighbour].n, n);
        }
        if let Some(colors) = mixture.mean(n) {
            found.push((index, colors));
        }
    }
    let filled = found.iter().map(|&(index, _)| index).collect();
    for (index, colors) in found {
        set(sheet, index, &colors, Coverage::Filled);
        // Coefficients extrapolated to other normals may give negative irradiance.
        sheet.field.make_possible(index);
    }
    filled
}

/// Sets each of these texels, which belong to no chart, to the mean of its valid neighbours of one chart; all at once.
fn dilate(sheet: &mut LightmapBuffer, texels: &[usize]) {
    let mut found = vec![];
    for &index in texels {
        let valid = || sheet.around(index).filter(|&i| sheet.field.valid[i]);
        let Some(chart) = valid().map(|i| sheet.charts[i]).min() else {
            continue;
        };
        debug_assert!(chart != NO_CHART, "what is valid has a chart");
        let mut sum = vec![Rgb::BLACK; sheet.field.layers()];
        let mut count = 0;
        for neighbour in valid().filter(|&i| sheet.charts[i] == chart) {
            for (sum, &color) in sum.iter_mut().zip(sheet.field.at(neighbour)) {
                *sum += color;
            }
            count += 1;
        }
        sum.iter_mut().for_each(|color| *color /= count as f32);
        found.push((index, chart, sum));
    }
    for (index, chart, colors) in found {
        sheet.charts[index] = chart;
        set(sheet, index, &colors, Coverage::Dilated);
    }
}

fn set(sheet: &mut LightmapBuffer, index: usize, colors: &[Rgb], coverage: Coverage) {
    sheet.field.valid[index] = true;
    sheet.field.at_mut(index).copy_from_slice(colors);
    sheet.coverage[index] = coverage;
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
        let mut sheet = LightmapBuffer {
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
            set(&mut sheet, index, &colors, Coverage::Covered);
        }
        sheet
    }

    fn values(sheet: &LightmapBuffer) -> Vec<f32> {
        (0..sheet.charts.len())
            .map(|i| sheet.field.irradiance(i).r)
            .collect()
    }

    #[test]
    fn charts_do_not_mix() {
        // Two charts of one texel each, four apart in a row: 0 . . . 1
        let charts = [0, NO_CHART, NO_CHART, NO_CHART, 1];
        let mut sheet = row(&charts, &[(0, 1.0), (4, 5.0)]);
        let places = vec![TexelPoint::default(); 5];
        assert_eq!(fill_and_dilate(&mut sheet, &places, &[], 1), (0, 0));
        assert_eq!(sheet.charts, [0, 0, NO_CHART, 1, 1]);
        assert_eq!(values(&sheet), [1.0, 1.0, 0.0, 5.0, 5.0]);
        use Coverage::{Covered, Dilated, Empty};
        assert_eq!(sheet.coverage, [Covered, Dilated, Empty, Dilated, Covered]);
    }

    #[test]
    fn hidden_texels_are_filled_from_their_chart() {
        let mut sheet = row(&[0, 0, 0, 0, 1, 2], &[(0, 2.0), (4, 9.0)]);
        let up = TexelPoint {
            n: Vec3::Y,
            ..TexelPoint::default()
        };
        assert_eq!(fill_and_dilate(&mut sheet, &[up; 6], &[], 0), (3, 1));
        for (found, expected) in values(&sheet).into_iter().zip([2.0, 2.0, 2.0, 2.0, 9.0, 0.0]) {
            assert!((found - expected).abs() < 1e-5, "{found} for {expected}");
        }
        use Coverage::{Covered, Dark, Filled};
        assert_eq!(sheet.coverage, [Covered, Filled, Filled, Filled, Covered, Dark]);
        // A chart that is hidden as a whole has the light of one at its edge.
        let mut sheet = row(&[0, 0, 2, 2, 1], &[(0, 2.0), (4, 9.0)]);
        assert_eq!(fill_and_dilate(&mut sheet, &[up; 5], &[[3, 4]], 0), (3, 0));
        for (found, expected) in values(&sheet).into_iter().zip([2.0, 2.0, 9.0, 9.0, 9.0]) {
            assert!((found - expected).abs() < 1e-5, "{found} for {expected}");
        }
    }

    #[test]
    fn irradiance_of_filled_texels_is_that_of_their_normals() {
        // Light from above on a chart that turns downwards, and another from the side that it does not see.
        let mut sheet = row(&[0; 3], &[(0, 1.0), (2, 1.0)]);
        let light: Vec<Rgb> = basis(Vec3::Y)[..4].iter().map(|&y| Rgb::splat(y)).collect();
        let normals = [Vec3::Y, Vec3::new(0.0, 0.8, 0.6), Vec3::NEG_X];
        let places = normals.map(|n| TexelPoint {
            n,
            ..TexelPoint::default()
        });
        sheet.field.at_mut(0)[..4].copy_from_slice(&light);
        // A tenth more than the coefficients explain.
        let rest = 0.1;
        sheet.field.at_mut(0)[4] = irradiance(&light, Vec3::Y) + Rgb::splat(rest);
        fill_and_dilate(&mut sheet, &places, &[], 0);
        let rebuilt = irradiance(sheet.field.coefficients(1), normals[1]).r;
        let found = sheet.field.irradiance(1).r;
        assert!(
            (found - rebuilt - rest).abs() < 0.01,
            "{found}, rebuilt {rebuilt}"
        );
    }
}
