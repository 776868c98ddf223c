//! Projector textures: images of projectors and spot lights, with lookup, wrap modes and importance sampling by
//! luminance.

use std::hash::{Hash, Hasher};

use glam::{Affine2, IVec2, Vec2};

use renderer_base::color::Rgb;
use renderer_base::sampling::{Distribution2d, Sample2d};
use renderer_scene::{Interpolation, SlideLookup, SlideWrap};

/// Image in a light's window, with a distribution by luminance.
#[derive(Clone, Debug)]
pub struct ProjectorTexture {
    /// Size of the picture [texels].
    size: IVec2,
    /// Texels, row-major, row 0 on top.
    texels: Vec<Rgb>,
    lookup: SlideLookup,
    /// Distribution over cells of the window; these are the image's texels if the transform is the identity.
    distribution: Distribution2d,
    cells: [u32; 2],
}

/// Maximum number of columns and rows of cells in a window with a transformed image.
const MAX_CELLS: f32 = 1024.0;
/// Minimum weight of a cell of a transformed image relative to the mean; such cells are only sampled at points.
const MIN_WEIGHT: f32 = 0.01;

impl ProjectorTexture {
    /// Creates a picture of `texels` in rows of `width`, row 0 on top.
    ///
    /// # Panics
    /// If `texels` is empty or does not consist of whole rows.
    pub fn new(texels: Vec<Rgb>, width: usize, lookup: SlideLookup) -> ProjectorTexture {
        assert!(
            width > 0 && !texels.is_empty() && texels.len().is_multiple_of(width),
            "a projector texture needs whole rows"
        );
        let size = IVec2::new(width as i32, (texels.len() / width) as i32);
        let mut texture = ProjectorTexture {
            size,
            texels,
            lookup,
            distribution: Distribution2d::new(&[1.0], 1),
            cells: size.as_uvec2().to_array(),
        };
        let weights = if lookup.picture_from_window == Affine2::IDENTITY {
            let cells = (0..size.y).flat_map(|y| (0..size.x).map(move |x| IVec2::new(x, y)));
            cells.map(|cell| texture.mean_over(cell).luminance().max(0.0)).collect()
        } else {
            texture.cells = texture.cells_of_window();
            texture.weights_of_window()
        };
        texture.distribution = Distribution2d::new(&weights, texture.cells[0] as usize);
        texture
    }

    /// Number of columns and rows of cells in the window, within which the image hardly varies.
    pub(super) fn cells(&self) -> [u32; 2] {
        self.cells
    }

    /// Value of the picture at a point of the window, `(0, 0)` in the top left corner.
    pub(super) fn at(&self, uv: Vec2) -> Rgb {
        let place = self.lookup.picture_from_window.transform_point2(uv) * self.size.as_vec2();
        match self.lookup.interpolation {
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

    /// Samples a point of the window in proportion to the mean luminance about its cell.
    pub(super) fn sample(&self, u: Vec2) -> Sample2d {
        self.distribution.sample(u)
    }

    /// Adds the image and its lookup to a hash.
    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        let SlideLookup { wrap, interpolation, picture_from_window } = self.lookup;
        (self.size.to_array(), wrap, interpolation).hash(hasher);
        picture_from_window.to_cols_array().map(f32::to_bits).hash(hasher);
        self.texels.iter().for_each(|texel| texel.to_bits().hash(hasher));
    }

    fn texel(&self, at: IVec2) -> Rgb {
        let at = match self.lookup.wrap {
            SlideWrap::Clamp => at.clamp(IVec2::ZERO, self.size - 1),
            SlideWrap::Repeat => at.rem_euclid(self.size),
            SlideWrap::Mirror => {
                let at = at.rem_euclid(2 * self.size);
                at.min(2 * self.size - 1 - at)
            }
        };
        self.texels[(at.y * self.size.x + at.x) as usize]
    }

    /// Number of cells: that of the texels along the sides of the window.
    fn cells_of_window(&self) -> [u32; 2] {
        let sides = self.lookup.picture_from_window.matrix2;
        [sides.x_axis, sides.y_axis].map(|side| {
            let texels = (side * self.size.as_vec2()).length();
            texels.ceil().clamp(1.0, MAX_CELLS) as u32
        })
    }

    fn weights_of_window(&self) -> Vec<f32> {
        const STEPS: u32 = 4;
        let [columns, rows] = self.cells;
        let step = 1.0 / (Vec2::new(columns as f32, rows as f32) * STEPS as f32);
        let luminance = |x: u32, y: u32| self.at((Vec2::new(x as f32, y as f32) + 0.5) * step).luminance();
        let mean = |x: u32, y: u32| {
            let places = (0..STEPS * STEPS).map(|i| (x * STEPS + i % STEPS, y * STEPS + i / STEPS));
            places.map(|(x, y)| luminance(x, y).max(0.0)).sum::<f32>() / (STEPS * STEPS) as f32
        };
        let mut weights: Vec<f32> = (0..rows)
            .flat_map(|y| (0..columns).map(move |x| (x, y)))
            .map(|(x, y)| mean(x, y))
            .collect();
        let min = MIN_WEIGHT * weights.iter().sum::<f32>() / weights.len() as f32;
        for weight in &mut weights {
            *weight = weight.max(min);
        }
        weights
    }

    /// Mean of the picture over the square nearest to a texel.
    fn mean_over(&self, cell: IVec2) -> Rgb {
        // The mean of a linear interpolant over a cell weights both neighbours by 1/8 and the texel itself by 6/8.
        const SHARES: [f32; 3] = [0.125, 0.75, 0.125];
        if self.lookup.interpolation == Interpolation::Closest {
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
