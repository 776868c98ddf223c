//! Pictures that lights shine through.

use std::hash::{Hash, Hasher};

use glam::{IVec2, Vec2};

use crate::color::Rgb;
use crate::sampling::{Distribution2d, Sample2d};

/// What lies beyond the borders of a [`Slide`]; seen from within as far as half a texel, by interpolation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SlideWrap {
    /// The texels of the border.
    #[default]
    Clamp,
    /// The picture again.
    Repeat,
}

/// What is between the middles of texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Bilinear.
    #[default]
    Linear,
    /// The nearest texel.
    Closest,
}

/// A picture with the density of its luminance.
#[derive(Clone, Debug)]
pub struct Slide {
    size: IVec2,
    /// Row-major, row 0 on top.
    texels: Vec<Rgb>,
    wrap: SlideWrap,
    interpolation: Interpolation,
    distribution: Distribution2d,
}

impl Slide {
    /// A picture of `texels` in rows of `width`, row 0 on top.
    ///
    /// # Panics
    /// When `texels` is empty or not whole rows.
    pub fn new(texels: Vec<Rgb>, width: usize, wrap: SlideWrap, interpolation: Interpolation) -> Slide {
        assert!(
            width > 0 && !texels.is_empty() && texels.len().is_multiple_of(width),
            "a slide needs whole rows"
        );
        let size = IVec2::new(width as i32, (texels.len() / width) as i32);
        let mut slide = Slide {
            size,
            texels,
            wrap,
            interpolation,
            distribution: Distribution2d::new(&[1.0], 1),
        };
        let cells = (0..size.y).flat_map(|y| (0..size.x).map(move |x| IVec2::new(x, y)));
        let weights: Vec<f32> = cells
            .map(|cell| slide.mean_over(cell).luminance().max(0.0))
            .collect();
        slide.distribution = Distribution2d::new(&weights, width);
        slide
    }

    /// Columns and rows.
    pub fn size(&self) -> [u32; 2] {
        self.size.as_uvec2().to_array()
    }

    /// The picture at a point of the unit square, `(0, 0)` in the top left corner.
    pub(super) fn at(&self, uv: Vec2) -> Rgb {
        let place = uv * self.size.as_vec2();
        match self.interpolation {
            Interpolation::Closest => self.texel(place.floor().as_ivec2()),
            Interpolation::Linear => {
                let place = place - 0.5;
                let (corner, t) = (place.floor().as_ivec2(), place - place.floor());
                let row = |y: i32| {
                    let left = corner + IVec2::new(0, y);
                    self.texel(left).lerp(self.texel(left + IVec2::X), t.x)
                };
                row(0).lerp(row(1), t.y)
            }
        }
    }

    /// A point of the unit square, with a density in proportion to the mean luminance about its texel.
    pub(super) fn sample(&self, u: Vec2) -> Sample2d {
        self.distribution.sample(u)
    }

    /// Adds all that it shows to a hash.
    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        (self.size.to_array(), self.wrap, self.interpolation).hash(hasher);
        self.texels.iter().for_each(|texel| texel.to_bits().hash(hasher));
    }

    fn texel(&self, at: IVec2) -> Rgb {
        let at = match self.wrap {
            SlideWrap::Clamp => at.clamp(IVec2::ZERO, self.size - 1),
            SlideWrap::Repeat => at.rem_euclid(self.size),
        };
        self.texels[(at.y * self.size.x + at.x) as usize]
    }

    /// The mean of the picture over the square that is nearest to a texel.
    fn mean_over(&self, cell: IVec2) -> Rgb {
        // A linear interpolant's mean over a cell is 1/8 of either neighbour and 6/8 of the texel itself.
        const SHARES: [f32; 3] = [0.125, 0.75, 0.125];
        if self.interpolation == Interpolation::Closest {
            return self.texel(cell);
        }
        let mut sum = Rgb::BLACK;
        for (y, share_y) in (-1..).zip(SHARES) {
            for (x, share_x) in (-1..).zip(SHARES) {
                sum += self.texel(cell + IVec2::new(x, y)) * (share_x * share_y);
            }
        }
        sum
    }
}
