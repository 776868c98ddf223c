//! Filtered lookups.

use glam::Vec2;

use super::Texture;
use super::mip::Level;

/// What lies beyond the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The image again.
    #[default]
    Periodic,
    /// Its border, drawn out.
    Clamp,
    /// Black, with alpha 0.
    Black,
    /// The image mirrored, then the image again.
    Mirror,
}

impl Wrap {
    /// The wrap mode of that name in OSL. OSL's `default` is the file's own wish, which is black where it says nothing.
    pub fn from_name(name: &str) -> Option<Wrap> {
        match name {
            "periodic" => Some(Wrap::Periodic),
            "clamp" => Some(Wrap::Clamp),
            "default" | "black" => Some(Wrap::Black),
            "mirror" => Some(Wrap::Mirror),
            _ => None,
        }
    }

    /// The texel of `0..size` that stands at `i`; `None` for black.
    #[inline]
    fn apply(self, i: i64, size: usize) -> Option<usize> {
        let n = size as i64;
        if (0..n).contains(&i) {
            return Some(i as usize);
        }
        match self {
            Wrap::Periodic => Some(i.rem_euclid(n) as usize),
            Wrap::Clamp => Some(i.clamp(0, n - 1) as usize),
            Wrap::Black => None,
            Wrap::Mirror => {
                let k = i.rem_euclid(2 * n);
                Some(if k < n { k } else { 2 * n - 1 - k } as usize)
            }
        }
    }
}

/// How values between texels come about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// The nearest texel.
    Closest,
    /// Bilinear within a level.
    #[default]
    Linear,
}

/// How a texture is looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lookup {
    /// Beyond the left and right border.
    pub wrap_s: Wrap,
    /// Beyond the top and bottom border.
    pub wrap_t: Wrap,
    /// Between texels.
    pub interpolation: Interpolation,
}

impl Texture {
    /// The linear value at `st` (`t = 0` is the top row), averaged over about `footprint`: the extent of the lookup
    /// along s and t [texture coordinates]. A footprint of a texel or less looks at the image itself, a wider one
    /// blends the two mip levels next to it (by its greater extent, so that nothing aliases).
    ///
    /// Gives `[r, g, b, alpha]`; grey is repeated, missing alpha is 1. Coordinates that are not finite give black.
    pub fn sample(&self, st: Vec2, footprint: Vec2, lookup: Lookup) -> [f32; 4] {
        if !st.is_finite() {
            return [0.0; 4];
        }
        let base = &self.levels[0];
        let texels = (footprint.abs() * Vec2::new(base.width as f32, base.height as f32)).max_element();
        if texels <= 1.0 || texels.is_nan() {
            return self.sample_level(base, st, lookup);
        }
        let last = self.levels.len() - 1;
        let level = texels.log2().clamp(0.0, last as f32);
        let lower = (level as usize).min(last);
        let between = level - lower as f32;
        let near = self.sample_level(&self.levels[lower], st, lookup);
        if between == 0.0 {
            return near;
        }
        let far = self.sample_level(&self.levels[lower + 1], st, lookup);
        std::array::from_fn(|c| near[c] + (far[c] - near[c]) * between)
    }

    fn sample_level(&self, level: &Level, st: Vec2, lookup: Lookup) -> [f32; 4] {
        let fetch = |x: i64, y: i64| match (
            lookup.wrap_s.apply(x, level.width),
            lookup.wrap_t.apply(y, level.height),
        ) {
            (Some(x), Some(y)) => level.texel(x, y, self.channels),
            _ => [0.0; 4],
        };
        // Far out, `f32` has no fraction left; the saturating conversion keeps that harmless.
        let p = Vec2::new(reduce(st.x, lookup.wrap_s), reduce(st.y, lookup.wrap_t));
        let p = p * Vec2::new(level.width as f32, level.height as f32);
        match lookup.interpolation {
            Interpolation::Closest => fetch(p.x.floor() as i64, p.y.floor() as i64),
            Interpolation::Linear => {
                // Texel centres are at halves.
                let p = p - Vec2::splat(0.5);
                let corner = p.floor();
                let (x, y) = (corner.x as i64, corner.y as i64);
                let f = p - corner;
                let (a, b) = (fetch(x, y), fetch(x + 1, y));
                let (c, d) = (fetch(x, y + 1), fetch(x + 1, y + 1));
                std::array::from_fn(|i| {
                    let top = a[i] + (b[i] - a[i]) * f.x;
                    let bottom = c[i] + (d[i] - c[i]) * f.x;
                    top + (bottom - top) * f.y
                })
            }
        }
    }
}

/// Brings a coordinate near the image, so that the product with its size keeps its fraction and fits an integer.
fn reduce(s: f32, wrap: Wrap) -> f32 {
    match wrap {
        Wrap::Periodic => s - s.floor(),
        Wrap::Mirror => s - 2.0 * (0.5 * s).floor(),
        Wrap::Clamp | Wrap::Black => s.clamp(-2.0, 3.0),
    }
}
