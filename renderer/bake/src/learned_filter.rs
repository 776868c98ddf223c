//! Lightmap denoising by Open Image Denoise, chart by chart, so that charts do not exchange light.
//!
//! A chart is cut out with a border. The network needs a complete picture: the surroundings of the chart mirror it including
//! noise, since the network preserves noise along an edge to smooth surroundings; farther pixels are filled by push-pull (a
//! pyramid of means). Irradiance and L00 are filtered as light, higher coefficients as ratios to L00 in [-1, 1].

use std::collections::BTreeMap;

use glam::{IVec2, UVec2};

use super::field::Field;
use super::lightmap_buffer::LightmapBuffer;
use super::raster::around;
use renderer_base::color::Rgb;
use renderer_denoise::{DenoiseError, Denoiser};
use renderer_image::{Image, Rect};

/// Minimum number of texels of a chart that the network filters: smaller ones have too little context for the cost.
const MIN_TEXELS: usize = 256;

/// Border of a chart's picture, and width of the mirrored surroundings [texels].
const BORDER: u32 = 16;

/// A chart, cut out of the texture.
struct ChartPicture {
    /// Rectangle in the texture.
    rect: Rect,
    /// Texels: index in the texture, and in the picture.
    texels: Vec<(usize, usize)>,
    /// Pixels of the surroundings, and the pixels of the chart that they mirror.
    mirrored: Vec<(usize, usize)>,
}

/// Filters the charts that are large enough, and marks the texels of the others.
///
/// # Errors
/// If the library fails.
pub(super) fn denoise(lightmap: &mut LightmapBuffer, denoiser: &Denoiser) -> Result<Vec<bool>, DenoiseError> {
    let mut others = lightmap.field.valid.clone();
    for picture in chart_pictures(lightmap) {
        let layers = filtered(&lightmap.field, &picture, denoiser)?;
        for &(at, place) in &picture.texels {
            others[at] = false;
            for (color, layer) in lightmap.field.at_mut(at).iter_mut().zip(&layers) {
                *color = layer[place];
            }
            lightmap.field.make_possible(at);
        }
    }
    Ok(others)
}

/// The charts that are large enough, in order.
fn chart_pictures(lightmap: &LightmapBuffer) -> Vec<ChartPicture> {
    let width = lightmap.size.x as usize;
    let mut charts: BTreeMap<u32, (Rect, Vec<usize>)> = BTreeMap::new();
    for at in (0..lightmap.charts.len()).filter(|&at| lightmap.field.valid[at]) {
        let (x, y) = ((at % width) as u32, (at / width) as u32);
        let texel = Rect { x0: x, y0: y, x1: x + 1, y1: y + 1 };
        let (rect, texels) = charts.entry(lightmap.charts[at]).or_insert((texel, vec![]));
        *rect = Rect {
            x0: rect.x0.min(x),
            y0: rect.y0.min(y),
            x1: rect.x1.max(x + 1),
            y1: rect.y1.max(y + 1),
        };
        texels.push(at);
    }
    let picture_of = |(rect, texels): (Rect, Vec<usize>)| {
        let (wide, _) = size(&rect);
        let place = |at: usize| {
            let (x, y) = ((at % width) as u32 - rect.x0, (at / width) as u32 - rect.y0);
            (y + BORDER) as usize * wide + (x + BORDER) as usize
        };
        let texels: Vec<(usize, usize)> = texels.into_iter().map(|at| (at, place(at))).collect();
        let mirrored = mirrored(texels.iter().map(|&(_, place)| place), size(&rect));
        ChartPicture { rect, texels, mirrored }
    };
    let large = charts.into_values().filter(|(_, texels)| texels.len() >= MIN_TEXELS);
    large.map(picture_of).collect()
}

/// Pixels around a chart, each with its mirror image: the chart's pixel on the other side of the nearest one, or the nearest
/// one if the chart is too narrow.
fn mirrored(chart: impl Iterator<Item = usize>, (width, height): (usize, usize)) -> Vec<(usize, usize)> {
    // Nearest pixel of the chart found so far.
    let mut nearest: Vec<Option<usize>> = vec![None; width * height];
    chart.for_each(|place| nearest[place] = Some(place));
    let own: Vec<bool> = nearest.iter().map(Option::is_some).collect();
    let point = |place: usize| IVec2::new((place % width) as i32, (place / width) as i32);
    let size = UVec2::new(width as u32, height as u32);
    let mut bare: Vec<usize> = (0..own.len()).filter(|&place| !own[place]).collect();
    let mut list = vec![];
    for _ in 0..BORDER {
        let mut found = vec![];
        bare.retain(|&place| {
            let known = around(size, place).filter_map(|other| nearest[other]);
            let closest = known.min_by_key(|&of| ((point(of) - point(place)).length_squared(), of));
            found.extend(closest.map(|of| (place, of)));
            closest.is_none()
        });
        for &(place, of) in &found {
            nearest[place] = Some(of);
            let across = 2 * point(of) - point(place);
            let inside = across.cmpge(IVec2::ZERO).all() && across.cmplt(size.as_ivec2()).all();
            let across = (across.y * width as i32 + across.x) as usize;
            list.push((place, if inside && own[across] { across } else { of }));
        }
    }
    list
}

/// Columns and rows of a chart's picture.
fn size(rect: &Rect) -> (usize, usize) {
    let of = |from: u32, to: u32| (to - from + 2 * BORDER) as usize;
    (of(rect.x0, rect.x1), of(rect.y0, rect.y1))
}

/// Filtered picture of a chart for each layer of the field.
fn filtered(
    field: &Field,
    picture: &ChartPicture,
    denoiser: &Denoiser,
) -> Result<Vec<Vec<Rgb>>, DenoiseError> {
    let size = size(&picture.rect);
    let run = |color: &dyn Fn(usize) -> Rgb, is_directional: bool| {
        let mut values = vec![None; size.0 * size.1];
        for &(at, place) in &picture.texels {
            values[place] = Some(color(at));
        }
        for &(place, of) in &picture.mirrored {
            values[place] = values[of];
        }
        // The network creates some light in black pixels.
        if values.iter().flatten().all(|&color| color == Rgb::BLACK) {
            return Ok(vec![Rgb::BLACK; values.len()]);
        }
        let mut image = Image::new(size.0, size.1, 3);
        for (pixel, color) in image.data.chunks_exact_mut(3).zip(fill_gaps(values, size)) {
            pixel.copy_from_slice(&color.to_array());
        }
        let image = denoiser.denoise_lightmap(&image, is_directional)?;
        let pixels = image.data.chunks_exact(3);
        Ok(pixels.map(|pixel| Rgb::new(pixel[0], pixel[1], pixel[2])).collect())
    };
    let irradiance = field.layers() - 1;
    let base: Vec<Rgb> = run(&|at| field.at(at)[0], false)?;
    let mut layers = vec![base];
    for layer in 1..irradiance {
        let most = if layer < 4 { 3f32 } else { 5f32 }.sqrt();
        let share = |at: usize| share(field.at(at)[layer], field.at(at)[0] * most);
        let shares: Vec<Rgb> = run(&share, true)?;
        let scaled = shares.iter().zip(&layers[0]);
        layers.push(scaled.map(|(&share, &base)| share * base * most).collect());
    }
    layers.push(run(&|at| field.at(at)[irradiance], false)?);
    Ok(layers)
}

/// Ratio of two colours, zero if the second is black.
fn share(color: Rgb, of: Rgb) -> Rgb {
    let share = |a: f32, b: f32| if b > 0.0 { (a / b).clamp(-1.0, 1.0) } else { 0.0 };
    Rgb::new(share(color.r, of.r), share(color.g, of.g), share(color.b, of.b))
}

/// Fills gaps of a picture from the finest level of a pyramid of means that has a value there.
fn fill_gaps(values: Vec<Option<Rgb>>, (width, height): (usize, usize)) -> Vec<Rgb> {
    if (width, height) == (1, 1) || values.iter().all(Option::is_some) {
        return values.into_iter().map(Option::unwrap_or_default).collect();
    }
    let (wide, high) = (width.div_ceil(2), height.div_ceil(2));
    let mut sums = vec![(Rgb::BLACK, 0.0f32); wide * high];
    for (at, color) in values.iter().enumerate().filter_map(|(at, v)| Some((at, (*v)?))) {
        let (sum, count) = &mut sums[at / width / 2 * wide + at % width / 2];
        *sum += color;
        *count += 1.0;
    }
    let means = sums.into_iter().map(|(sum, count)| (count > 0.0).then(|| sum * (1.0 / count)));
    let coarse = fill_gaps(means.collect(), (wide, high));
    let fill = |(at, value): (usize, Option<Rgb>)| {
        value.unwrap_or_else(|| bilinear(&coarse, (wide, high), at % width, at / width))
    };
    values.into_iter().enumerate().map(fill).collect()
}

/// Interpolates a picture of half the size at a pixel of the full size.
fn bilinear(coarse: &[Rgb], (wide, high): (usize, usize), x: usize, y: usize) -> Rgb {
    // The nearest pixel, and the one on the other side at three times the distance.
    let pair = |x: usize, count: usize| {
        let near = x / 2;
        let far = if x.is_multiple_of(2) { near.saturating_sub(1) } else { near + 1 };
        [(near, 0.75), (far.min(count - 1), 0.25)]
    };
    let rows = pair(y, high);
    let pixels = rows
        .iter()
        .flat_map(|&(y, v)| pair(x, wide).map(|(x, u)| coarse[y * wide + x] * (u * v)));
    pixels.fold(Rgb::BLACK, |sum, color| sum + color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_from_what_is_known() {
        let size = (37, 21);
        let known = |at: usize| (at.is_multiple_of(5) && at < 400).then_some(Rgb::splat(2.0));
        let all = fill_gaps((0..size.0 * size.1).map(known).collect(), size);
        assert!(all.iter().all(|&color| (color.r - 2.0).abs() < 1e-5));
        let nothing = fill_gaps(vec![None; 12], (4, 3));
        assert!(nothing.iter().all(|&color| color == Rgb::BLACK));
    }
}
