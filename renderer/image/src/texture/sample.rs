//! Filtered texture lookups on a plane: closest, bilinear, bicubic, trilinear and anisotropic.

use glam::{Vec2, Vec4};

use super::Texture;
use super::filter::{Ellipse, Levels};
use super::level::{Level, LevelTexels, TexelReader};
use super::lookup::{Filter, Interpolation, Lookup, Sample, Wrap};
use super::texels::Texels;

/// Weighted sums over texels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) value: [f32; 4],
    ds: [f32; 4],
    dt: [f32; 4],
    /// Total weight of the texels inside the image.
    pub(super) inside: f32,
}

/// The texels of a level along an axis.
#[derive(Clone, Copy, Debug)]
struct Axis {
    size: usize,
    wrap: Wrap,
    /// True if the outermost texels are on the borders, not half a texel inside.
    border_texels: bool,
}

impl Axis {
    /// The texel below a coordinate, and the fractional offset from it.
    #[inline(always)]
    fn between(self, x: f32) -> (i64, f32) {
        let x = self.wrap.reduce(x);
        let x = if self.border_texels {
            x * (self.size as f32 - 1.0)
        } else {
            x * self.size as f32 - 0.5
        };
        let corner = x.floor();
        (corner as i64, x - corner)
    }

    /// The texel at index `i` after wrapping; `None` for black.
    #[inline(always)]
    fn place(self, i: i64) -> Option<u32> {
        if !self.border_texels && (0..self.size as i64).contains(&i) {
            return Some(i as u32);
        }
        self.place_beyond(i)
    }

    #[inline(never)]
    fn place_beyond(self, i: i64) -> Option<u32> {
        if self.border_texels && self.wrap == Wrap::Periodic && self.size > 1 {
            // The last texel is the first of the next period.
            return Some(i.rem_euclid(self.size as i64 - 1) as u32);
        }
        self.wrap.apply(i, self.size)
    }
}

/// The texels that a probe reads along an axis: their places, weights, and slopes of the weights.
#[derive(Clone, Copy, Debug)]
struct Taps<const N: usize> {
    place: [Option<u32>; N],
    weight: [f32; N],
    slope: [f32; N],
}

impl Taps<1> {
    fn closest(x: f32, axis: Axis) -> Taps<1> {
        // Halfway between two texels, the lower one.
        let (i, f) = axis.between(x);
        Taps {
            place: [axis.place(i + i64::from(f > 0.5))],
            weight: [1.0],
            slope: [0.0],
        }
    }
}

impl Taps<2> {
    #[inline(always)]
    fn linear(x: f32, axis: Axis) -> Taps<2> {
        let (i, f) = axis.between(x);
        let slope = axis.size as f32;
        Taps {
            place: [axis.place(i), axis.place(i + 1)],
            weight: [1.0 - f, f],
            slope: [-slope, slope],
        }
    }
}

impl Taps<4> {
    /// The uniform cubic B-spline.
    fn cubic(x: f32, axis: Axis) -> Taps<4> {
        let (i, f) = axis.between(x);
        let g = 1.0 - f;
        let slopes = [-0.5 * g * g, 0.5 * f * (3.0 * f - 4.0), -0.5 * g * (3.0 * g - 4.0), 0.5 * f * f];
        Taps {
            place: [-1, 0, 1, 2].map(|k| axis.place(i + k)),
            weight: [
                g * g * g / 6.0,
                2.0 / 3.0 - 0.5 * f * f * (2.0 - f),
                2.0 / 3.0 - 0.5 * g * g * (2.0 - g),
                f * f * f / 6.0,
            ],
            slope: slopes.map(|slope| slope * axis.size as f32),
        }
    }
}

impl Taps<2> {
    /// Both texels, unless one is black.
    #[inline]
    fn both(&self) -> Option<[usize; 2]> {
        Some([self.place[0]? as usize, self.place[1]? as usize])
    }
}

impl Sum {
    /// Adds four texels of a level in memory, as [`Sum::add`] does; `false` if one of them is black. All texels are
    /// fetched before the first is used, since most are not in the cache.
    #[inline(always)]
    fn add_bilinear(
        &mut self,
        texels: &Texels,
        (width, channels, first): (usize, usize, usize),
        s: &Taps<2>,
        t: &Taps<2>,
        weight: f32,
    ) -> bool {
        let (Some(x), Some(y)) = (s.both(), t.both()) else {
            return false;
        };
        let (top, bottom) = (y[0] * width, y[1] * width);
        let places = [top + x[0], top + x[1], bottom + x[0], bottom + x[1]];
        let shares = [
            s.weight[0] * t.weight[0] * weight,
            s.weight[1] * t.weight[0] * weight,
            s.weight[0] * t.weight[1] * weight,
            s.weight[1] * t.weight[1] * weight,
        ];
        let mut value = Vec4::from_array(self.value);
        for (texel, share) in texels.fetch_four(places, first, channels).into_iter().zip(shares) {
            self.inside += share;
            value += share * Vec4::from_array(texel);
        }
        self.value = value.to_array();
        true
    }

    #[inline]
    fn add<const N: usize>(
        &mut self,
        texels: &mut TexelReader<'_>,
        s: &Taps<N>,
        t: &Taps<N>,
        weight: f32,
        derivatives: bool,
    ) {
        for j in 0..N {
            let Some(y) = t.place[j] else { continue };
            for i in 0..N {
                let Some(x) = s.place[i] else { continue };
                let texel = texels.get(x as usize, y as usize);
                let share = s.weight[i] * t.weight[j] * weight;
                self.inside += share;
                for (sum, texel) in self.value.iter_mut().zip(texel) {
                    *sum += share * texel;
                }
                if derivatives {
                    let (along_s, along_t) =
                        (s.slope[i] * t.weight[j] * weight, s.weight[i] * t.slope[j] * weight);
                    for (c, value) in texel.into_iter().enumerate() {
                        self.ds[c] += along_s * value;
                        self.dt[c] += along_t * value;
                    }
                }
            }
        }
    }
}

/// Filter with resolved wrap modes.
#[derive(Clone, Copy)]
pub(super) struct Sampler<'a> {
    pub(super) texture: &'a Texture,
    pub(super) filter: &'a Filter,
    pub(super) wrap_s: Wrap,
    pub(super) wrap_t: Wrap,
    /// Layout of the texels and the colours of the poles; for environments only.
    pub(super) environment: Option<Environment>,
}

/// Layout of the texels of an environment.
#[derive(Clone, Copy)]
pub(super) struct Environment {
    /// True if the outermost texels are on the borders, as in OpenEXR's environments.
    pub(super) border_texels: bool,
}

impl Sampler<'_> {
    /// Adds the probes of one level.
    pub(super) fn add_level(
        &self,
        level: &Level,
        interpolation: Interpolation,
        probes: impl Iterator<Item = (Vec2, f32)>,
        sum: &mut Sum,
    ) {
        let border_texels = self.environment.is_some_and(|own| own.border_texels);
        let axis = |size, wrap| Axis { size, wrap, border_texels };
        let (along_s, along_t) = (axis(level.width, self.wrap_s), axis(level.height, self.wrap_t));
        let mut texels = TexelReader::new(level, self.texture.channels, self.filter.first_channel);
        let derivatives = self.filter.derivatives;
        for (st, weight) in probes {
            if !st.is_finite() {
                continue;
            }
            let weight = match self.environment {
                Some(own) if interpolation != Interpolation::Closest => {
                    own.fade_to_pole(level, st.y, &mut texels, weight, sum)
                }
                _ => weight,
            };
            match interpolation {
                Interpolation::Closest => {
                    let s = Taps::closest(st.x, along_s);
                    let t = Taps::closest(st.y, along_t);
                    sum.add(&mut texels, &s, &t, weight, false);
                }
                Interpolation::Linear => {
                    let s = Taps::linear(st.x, along_s);
                    let t = Taps::linear(st.y, along_t);
                    let added = match &level.texels {
                        LevelTexels::Whole(whole) if !derivatives => {
                            let layout = (level.width, self.texture.channels, self.filter.first_channel);
                            sum.add_bilinear(whole, layout, &s, &t, weight)
                        }
                        LevelTexels::Whole(_) | LevelTexels::Paged(_) => false,
                    };
                    if !added {
                        sum.add(&mut texels, &s, &t, weight, derivatives);
                    }
                }
                Interpolation::Cubic | Interpolation::SmartCubic => {
                    let s = Taps::cubic(st.x, along_s);
                    let t = Taps::cubic(st.y, along_t);
                    sum.add(&mut texels, &s, &t, weight, derivatives);
                }
            }
        }
    }

    /// Fast path of the most common lookup: bilinear, on the largest level, without derivatives. `None` for other
    /// lookups.
    #[inline(always)]
    fn bilinear(&self, st: Vec2) -> Option<Sum> {
        if self.filter.interpolation != Interpolation::Linear || self.filter.derivatives {
            return None;
        }
        let level = self.texture.levels.base();
        let LevelTexels::Whole(texels) = &level.texels else {
            return None;
        };
        let axis = |size, wrap| Axis { size, wrap, border_texels: false };
        let s = Taps::linear(st.x, axis(level.width, self.wrap_s));
        let t = Taps::linear(st.y, axis(level.height, self.wrap_t));
        let layout = (level.width, self.texture.channels, self.filter.first_channel);
        let mut sum = Sum::default();
        sum.add_bilinear(texels, layout, &s, &t, 1.0).then_some(sum)
    }

    /// The interpolation at a level; smart interpolation is cubic if texels are larger than pixels.
    pub(super) fn interpolation(&self, level: usize, is_magnified: bool) -> Interpolation {
        match self.filter.interpolation {
            Interpolation::SmartCubic if level == 0 || is_magnified => Interpolation::Cubic,
            Interpolation::SmartCubic => Interpolation::Linear,
            plain => plain,
        }
    }

    /// The channels of the texture, and the fill value of missing ones.
    pub(super) fn finish(&self, mut sum: Sum) -> Sample {
        let has = self.texture.channels.saturating_sub(self.filter.first_channel).min(4);
        for value in &mut sum.value[has..] {
            *value = self.filter.fill * sum.inside;
        }
        let colors = self.texture.colors;
        if self.filter.first_channel == 0 && self.filter.channels > 1 && colors.is_grey {
            for values in [&mut sum.value, &mut sum.ds, &mut sum.dt] {
                let grey = values[0];
                let alpha = colors.alpha.and_then(|channel| values.get(channel).copied());
                *values = [grey, grey, grey, alpha.unwrap_or(values[3])];
            }
        }
        Sample { value: sum.value, ds: sum.ds, dt: sum.dt }
    }
}

impl Texture {
    /// Looks up the texture. Non-finite coordinates return black.
    pub fn sample(&self, lookup: &Lookup) -> Sample {
        let filter = &lookup.filter;
        let of_file = |wrap, own| if wrap == Wrap::File { own } else { wrap };
        let sampler = Sampler {
            texture: self,
            filter,
            wrap_s: of_file(filter.wrap_s, self.wrap[0]),
            wrap_t: of_file(filter.wrap_t, self.wrap[1]),
            environment: None,
        };
        let mut sum = Sum::default();
        if !lookup.st.is_finite() {
            return sampler.finish(sum);
        }
        let st = lookup.st * self.window_scale + self.window_offset;
        let (dx, dy) = (lookup.dx * self.window_scale, lookup.dy * self.window_scale);
        if dx == Vec2::ZERO && dy == Vec2::ZERO && filter.blur == Vec2::ZERO {
            if let Some(sum) = sampler.bilinear(st) {
                return sampler.finish(sum);
            }
            let interpolation = sampler.interpolation(0, true);
            let probe = std::iter::once((st, 1.0));
            sampler.add_level(self.levels.base(), interpolation, probe, &mut sum);
        } else {
            self.add_footprint(&sampler, st, [dx, dy], &mut sum);
        }
        let mut sample = sampler.finish(sum);
        if filter.derivatives {
            sample.ds = (Vec4::from_array(sample.ds) * self.window_scale.x).to_array();
            sample.dt = (Vec4::from_array(sample.dt) * self.window_scale.y).to_array();
        }
        sample
    }

    /// Adds the texels of a footprint, in coordinates of the data window.
    fn add_footprint(&self, sampler: &Sampler<'_>, st: Vec2, [dx, dy]: [Vec2; 2], sum: &mut Sum) {
        let (filter, base) = (sampler.filter, self.levels.base());
        // Number of texels of which one would have the size of a pixel; smaller levels are magnified.
        let natural = dx.abs().max(dy.abs()).max(Vec2::splat(1e-8)).recip().floor();
        let mut ellipse = Ellipse::new(dx * filter.width, dy * filter.width, filter.blur);
        let narrow = |level: usize| {
            let (width, height) = self.levels.size(level);
            width.min(height) as f32
        };
        let largest = base.width.max(base.height) as f32;
        let levels = ellipse.levels(self.levels.count(), narrow, largest);
        let probes = ellipse.probes();
        each_level(levels, |index, share| {
            let level = self.levels.level(index);
            let is_magnified = (level.width as f32) < (natural.x * 0.5).floor()
                || (level.height as f32) < (natural.y * 0.5).floor();
            let interpolation = sampler.interpolation(index, is_magnified);
            let probes = probes.iter().map(|(offset, weight)| (st + offset, weight * share));
            sampler.add_level(level, interpolation, probes, sum);
        });
    }
}

/// Does something for each level that has a weight.
pub(super) fn each_level(levels: Levels, mut each: impl FnMut(usize, f32)) {
    if levels.blend < 1.0 {
        each(levels.finer, 1.0 - levels.blend);
    }
    if levels.blend > 0.0 {
        each(levels.coarser, levels.blend);
    }
}
