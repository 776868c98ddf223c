//! Texels without light of their own take that of their neighbours: hidden ones from around, and a margin about each
//! chart, so that filtering finds no hole. Charts do not mix.

use rustc_hash::FxHashSet;

use super::raster::NO_CHART;
use super::sheet::Sheet;
use crate::color::Rgb;

/// Fills the hidden texels of every chart, then dilates charts by `margin` texels. Returns how many texels were filled, and
/// how many could not be: those of charts that are hidden altogether.
pub(super) fn fill_and_dilate(sheet: &mut Sheet, margin: u32) -> (usize, usize) {
    let hidden = |sheet: &Sheet, i: usize| sheet.is_covered(i) && !sheet.field.valid[i];
    let count = |sheet: &Sheet| (0..sheet.charts.len()).filter(|&i| hidden(sheet, i)).count();
    let before = count(sheet);
    let mut front: Vec<usize> = (0..sheet.charts.len()).filter(|&i| hidden(sheet, i)).collect();
    while !front.is_empty() {
        let filled = grow(sheet, &front);
        let next: FxHashSet<usize> = (filled.iter())
            .flat_map(|&i| sheet.around(i))
            .filter(|&i| hidden(sheet, i))
            .collect();
        front = next.into_iter().collect();
        front.sort_unstable();
    }
    let after = count(sheet);
    for _ in 0..margin {
        let bare: Vec<usize> = (0..sheet.charts.len())
            .filter(|&i| !sheet.is_covered(i))
            .collect();
        grow(sheet, &bare);
    }
    (before - after, after)
}

/// Gives each of these texels the mean of its valid neighbours, those of its chart, or of one chart where it has none; all
/// at once. Returns those that got something.
fn grow(sheet: &mut Sheet, texels: &[usize]) -> Vec<usize> {
    let layers = sheet.field.layers();
    let mut found = vec![];
    for &index in texels {
        let valid = || sheet.around(index).filter(|&i| sheet.field.valid[i]);
        let chart = match sheet.charts[index] {
            NO_CHART => valid().map(|i| sheet.charts[i]).min(),
            chart => Some(chart),
        };
        let Some(chart) = chart else { continue };
        let mut sum = vec![Rgb::BLACK; layers];
        let mut count = 0;
        for neighbour in valid().filter(|&i| sheet.charts[i] == chart) {
            for (sum, &color) in sum.iter_mut().zip(sheet.field.at(neighbour)) {
                *sum += color;
            }
            count += 1;
        }
        if count > 0 {
            sum.iter_mut().for_each(|color| *color /= count as f32);
            found.push((index, chart, sum));
        }
    }
    let mut filled = vec![];
    for (index, chart, colors) in found {
        sheet.charts[index] = chart;
        sheet.field.valid[index] = true;
        sheet.field.at_mut(index).copy_from_slice(&colors);
        filled.push(index);
    }
    filled
}

#[cfg(test)]
mod tests {
    use glam::UVec2;

    use super::super::field::Field;
    use super::super::sh::Order;
    use super::*;

    #[test]
    fn charts_do_not_mix() {
        // Two charts of one texel each, four apart in a row: 0 . . . 1
        let mut sheet = Sheet {
            size: UVec2::new(5, 1),
            field: Field::new(Order::One, 5),
            charts: vec![0, NO_CHART, NO_CHART, NO_CHART, 1],
        };
        for (index, value) in [(0, 1.0), (4, 5.0)] {
            sheet.field.valid[index] = true;
            sheet.field.at_mut(index).fill(Rgb::splat(value));
        }
        assert_eq!(fill_and_dilate(&mut sheet, 1), (0, 0));
        assert_eq!(sheet.charts, [0, 0, NO_CHART, 1, 1]);
        let values: Vec<f32> = (0..5).map(|i| sheet.field.irradiance(i).r).collect();
        assert_eq!(values, [1.0, 1.0, 0.0, 5.0, 5.0]);
    }

    #[test]
    fn hidden_texels_are_filled_from_their_chart() {
        let mut sheet = Sheet {
            size: UVec2::new(6, 1),
            field: Field::new(Order::One, 6),
            charts: vec![0, 0, 0, 0, 1, 2],
        };
        for (index, value) in [(0, 2.0), (4, 9.0)] {
            sheet.field.valid[index] = true;
            sheet.field.at_mut(index).fill(Rgb::splat(value));
        }
        assert_eq!(fill_and_dilate(&mut sheet, 0), (3, 1));
        let values: Vec<f32> = (0..6).map(|i| sheet.field.irradiance(i).r).collect();
        assert_eq!(values, [2.0, 2.0, 2.0, 2.0, 9.0, 0.0]);
    }
}
