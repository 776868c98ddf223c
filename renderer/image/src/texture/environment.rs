//! Texture lookups in a direction, of images over longitude and latitude.
//!
//! The filter matches OpenImageIO: the footprint is measured in angles, probes are along its longer edge, and small
//! levels fade to one colour at each pole. Unlike OpenImageIO's, the probes are centred on the footprint.

use std::f32::consts::{FRAC_1_PI, PI};

use glam::{Vec2, Vec3};

use super::Texture;
use super::filter::Ellipse;
use super::level::{Level, TexelReader};
use super::lookup::{EnvironmentLookup, Sample, Wrap};
use super::sample::{Environment, Sampler, Sum, each_level};
use super::tile::TILE;
use renderer_base::math::{acos, atan2, hypot};

impl Texture {
    /// Looks up an environment in a direction. The zero direction returns the value at +z.
    pub fn sample_environment(&self, lookup: &EnvironmentLookup) -> Sample {
        let filter = &lookup.filter;
        let sampler = Sampler {
            texture: self,
            filter,
            wrap_s: Wrap::Periodic,
            wrap_t: Wrap::Clamp,
            environment: Some(Environment { border_texels: self.info.has_border_texels }),
        };
        let mut sum = Sum::default();
        let unit = |v: Vec3| v.normalize_or(Vec3::Z);
        let r = unit(lookup.direction);
        let (rx, ry) = (unit(lookup.direction + lookup.dx), unit(lookup.direction + lookup.dy));
        let angle = |v: Vec3| acos(r.dot(v).clamp(-1.0, 1.0)).max(1e-8);
        let (x, y) = (angle(rx), angle(ry));
        let natural = (PI / x.min(y)).floor();
        let x = x * filter.width.x + filter.blur.x;
        let y = y * filter.width.y + filter.blur.y;
        let (major, minor, edge) = if x >= y { (x, y, rx - r) } else { (y, x, ry - r) };
        let mut ellipse = Ellipse::of_axes(major, minor, Vec2::X);
        // Evaluated before the magnification limit of the levels: near a pole, close directions are far apart in the
        // image.
        let probes = (ellipse.aspect() - 0.25).ceil().max(1.0);
        let latitude = |level: usize| self.levels.size(level).1 as f32 * FRAC_1_PI;
        let levels = ellipse.levels(self.levels.count(), latitude, latitude(0));
        each_level(levels, |index, share| {
            let level = self.levels.level(index);
            let is_magnified = (level.height as f32) < (natural * 0.5).floor();
            let interpolation = sampler.interpolation(index, is_magnified);
            let probes = (0..probes as usize).map(|i| {
                let along = (i as f32 + 0.5) / probes - 0.5;
                (longitude_latitude(r + edge * along), share / probes)
            });
            sampler.add_level(level, interpolation, probes, &mut sum);
        });
        sampler.finish(sum)
    }
}

impl Environment {
    /// Adds the colour of a pole to a probe within a texel of it; returns the remaining weight of the texels around the
    /// probe.
    pub(super) fn fade_to_pole(
        self,
        level: &Level,
        t: f32,
        texels: &mut TexelReader<'_>,
        weight: f32,
        sum: &mut Sum,
    ) -> f32 {
        if level.width > TILE || level.height > TILE {
            return weight;
        }
        let rows = level.height as f32 - if self.border_texels { 1.0 } else { 0.0 };
        let row = t * rows;
        let (nearness, y) = if row < 1.0 {
            (1.0 - row, 0)
        } else if row > rows - 1.0 {
            (row - (rows - 1.0), level.height - 1)
        } else {
            return weight;
        };
        let share = nearness.clamp(0.0, 1.0).powi(2);
        let each = weight * share / level.width as f32;
        for x in 0..level.width {
            for (sum, texel) in sum.value.iter_mut().zip(texels.get(x, y)) {
                *sum += each * texel;
            }
        }
        sum.inside += weight * share;
        weight * (1.0 - share)
    }
}

/// Image coordinates of a direction in a latitude-longitude image with y up.
fn longitude_latitude(r: Vec3) -> Vec2 {
    let s = atan2(-r.x, r.z) * (0.5 * FRAC_1_PI) + 0.5;
    let t = 0.5 - atan2(r.y, hypot(r.z, r.x)) * FRAC_1_PI;
    Vec2::new(s, t)
}
