//! Environment lights (image infinite lights): constant radiance or a latitude-longitude map, with MIS compensation.
//!
//! - The row and column fractions of a map, times π and 2π, are the colatitude θ from +y and the longitude φ; the
//!   direction is (sin φ sin θ, cos θ, −cos φ sin θ), so the centre column is +z.
//! - Column samples are at cell centres, and the map is interpolated bilinearly, across the seam too. Rows are at cell
//!   centres, or spread from pole to pole ([`MapRows`]).
//! - Light sampling follows the radiance in excess of the mean (MIS compensation): BSDF sampling covers the mean, so
//!   every light sample must be combined with BSDF sampling by MIS. A constant environment has no light samples.
//! - Light samples of a light that only they find follow the radiance itself.
//! - Photons are sampled in proportion to luminance, without compensation.
// Karlík et al. 2019, "MIS Compensation: Optimizing Sampling Techniques in Multiple Importance Sampling", section 5.

use std::f32::consts::{PI, TAU};
use std::hash::{Hash, Hasher};

use glam::{Mat3, Vec2, Vec3};

use super::sample::{Emission, EmissionBounds, LightSample, SampledEmission};
use renderer_base::color::Rgb;
use renderer_base::math::{cos, lat_long_uv, safe_sqrt, sin, sin_cos, sqr};
use renderer_base::sampling::{BlockDistribution2d, uniform_sphere, uniform_sphere_pdf};
use renderer_scene::MapRows;

/// Environment light: infinite, from all directions.
#[derive(Clone, Debug)]
pub enum EnvironmentLight {
    /// Constant radiance.
    Constant(Rgb),
    /// Latitude-longitude map.
    Map(EnvironmentMap),
}

/// Latitude-longitude map with sampling distributions.
#[derive(Clone, Debug)]
pub struct EnvironmentMap {
    width: usize,
    height: usize,
    rows: MapRows,
    /// Radiance, row-major, row 0 at +y.
    texels: Vec<Rgb>,
    world_from_map: Mat3,
    map_from_world: Mat3,
    /// Sampling distribution of photon emission.
    emission: Box<BlockDistribution2d>,
    /// Sampling distribution of light samples: luminance in excess of the mean; `None` if that is zero.
    samples: Option<Box<BlockDistribution2d>>,
    /// Luminance integrated over all directions [W/m²].
    flux: f32,
    /// Luminance in excess of the mean, integrated over all directions [W/m²].
    excess: f32,
}

/// Orientation, row placement and scale of an [`EnvironmentMap`].
#[derive(Clone, Copy, Debug)]
pub struct EnvironmentOptions {
    /// Rotation of the map (a reflection is allowed).
    pub world_from_map: Mat3,
    /// Positions of the rows.
    pub rows: MapRows,
    /// Factor on all radiance.
    pub scale: Rgb,
}

impl Default for EnvironmentOptions {
    fn default() -> EnvironmentOptions {
        EnvironmentOptions {
            world_from_map: Mat3::IDENTITY,
            rows: MapRows::Centers,
            scale: Rgb::WHITE,
        }
    }
}

impl EnvironmentLight {
    /// Radiance from the unit vector `direction` (leaving the scene) and the density of `sample_li` for it [1/sr].
    #[inline]
    pub fn le_pdf(&self, direction: Vec3) -> (Rgb, f32) {
        match self {
            EnvironmentLight::Constant(radiance) => (*radiance, 0.0),
            EnvironmentLight::Map(map) => map.le_pdf(direction),
        }
    }

    /// The light with light samples in proportion to all its radiance, without MIS compensation.
    pub(super) fn uncompensated(&self) -> EnvironmentLight {
        /// Columns of the map of a constant environment.
        const WIDTH: usize = 64;
        let mut map = match self {
            EnvironmentLight::Constant(radiance) => {
                let texels = vec![*radiance; WIDTH * WIDTH / 2];
                EnvironmentMap::new(texels, WIDTH, EnvironmentOptions::default())
            }
            EnvironmentLight::Map(map) => map.clone(),
        };
        map.samples = (map.flux > 0.0).then(|| map.emission.clone());
        map.excess = map.flux;
        EnvironmentLight::Map(map)
    }

    /// Emits a photon into `target`.
    pub(super) fn emit(
        &self,
        target: EmissionBounds,
        u_position: Vec2,
        u_direction: Vec2,
    ) -> Option<Emission> {
        let (wi, radiance, pdf) = self.sample_emission(u_direction)?;
        let (ray, area) = target.emission(-wi, u_position);
        let power = radiance * (area / pdf);
        (!power.is_black()).then_some(Emission { ray, surface: None, power })
    }

    /// Samples the direction from which a photon comes; returns it with its radiance and density [1/sr].
    fn sample_emission(&self, u: Vec2) -> Option<(Vec3, Rgb, f32)> {
        match self {
            EnvironmentLight::Constant(radiance) => {
                Some((uniform_sphere(u), *radiance, uniform_sphere_pdf()))
            }
            EnvironmentLight::Map(map) => {
                let (wi, uv, pdf) = map.sample(&map.emission, u)?;
                Some((wi, map.lookup(uv), pdf))
            }
        }
    }

    /// Samples a direction by `u`; `None` for a constant environment.
    #[inline]
    pub(super) fn sample_li(&self, u: Vec2) -> Option<LightSample> {
        match self {
            EnvironmentLight::Constant(_) => None,
            EnvironmentLight::Map(map) => {
                let (wi, uv, pdf) = map.sample(map.samples.as_ref()?, u)?;
                Some(LightSample {
                    wi,
                    pdf,
                    is_delta: false,
                    end: None,
                    shine: SampledEmission::FromMap(uv),
                })
            }
        }
    }

    /// Returns whether `sample_li` ever returns samples.
    pub(super) fn has_samples(&self) -> bool {
        match self {
            EnvironmentLight::Constant(_) => false,
            EnvironmentLight::Map(map) => map.samples.is_some(),
        }
    }

    /// Radiance at a map position sampled by `sample_li`.
    pub(super) fn radiance_at(&self, uv: Vec2) -> Rgb {
        match self {
            EnvironmentLight::Constant(radiance) => *radiance,
            EnvironmentLight::Map(map) => map.lookup(uv),
        }
    }

    /// Adds the light's emission to a hash.
    pub(super) fn hash_bits(&self, hasher: &mut impl Hasher) {
        match self {
            EnvironmentLight::Constant(radiance) => radiance.to_bits().hash(hasher),
            EnvironmentLight::Map(map) => {
                (map.width, map.rows).hash(hasher);
                map.world_from_map.to_cols_array().map(f32::to_bits).hash(hasher);
                map.texels.iter().for_each(|texel| texel.to_bits().hash(hasher));
            }
        }
    }

    /// Luminance of the irradiance from the compensated part, averaged over all normals [W/m²].
    pub(super) fn irradiance(&self) -> f32 {
        match self {
            EnvironmentLight::Constant(_) => 0.0,
            EnvironmentLight::Map(map) => 0.25 * map.excess,
        }
    }

    /// Mean luminance over all directions [W/sr/m²].
    pub(super) fn mean_radiance(&self) -> f32 {
        self.flux() / (4.0 * PI)
    }

    /// Luminance of the power that enters the bounding sphere of a scene of that radius [W].
    pub(super) fn power(&self, scene_radius: f32) -> f32 {
        self.flux() * PI * sqr(scene_radius)
    }

    /// Luminance of the power covered by light samples [W].
    pub(super) fn sampled_power(&self, scene_radius: f32) -> f32 {
        4.0 * self.irradiance() * PI * sqr(scene_radius)
    }

    /// Luminance integrated over all directions [W/m²].
    fn flux(&self) -> f32 {
        match self {
            EnvironmentLight::Constant(radiance) => 4.0 * PI * radiance.luminance(),
            EnvironmentLight::Map(map) => map.flux,
        }
    }
}

impl EnvironmentMap {
    /// Creates a map from `texels`, row-major, row 0 at +y, `width` texels per row.
    ///
    /// # Panics
    /// If `texels` is empty or does not consist of whole rows.
    pub fn new(texels: Vec<Rgb>, width: usize, options: EnvironmentOptions) -> EnvironmentMap {
        assert!(
            width > 0 && !texels.is_empty() && texels.len().is_multiple_of(width),
            "an environment map needs whole rows"
        );
        let texels: Vec<Rgb> = texels.into_iter().map(|texel| texel * options.scale).collect();
        let height = texels.len() / width;
        // A single row cannot be at both poles.
        let rows = if height > 1 { options.rows } else { MapRows::Centers };
        let mut weights = cell_fluxes(&texels, width, rows);
        let sum = |weights: &[f32]| -> f64 { weights.iter().copied().map(f64::from).sum() };
        let flux = sum(&weights);
        let emission = Box::new(BlockDistribution2d::new(&weights, width));
        let mean = flux / (4.0 * std::f64::consts::PI);
        let bands = weights.len() / width;
        for (row, weights) in weights.chunks_exact_mut(width).enumerate() {
            let from_mean = (mean * cell_solid_angle(row, width, bands)) as f32;
            for weight in weights {
                *weight = (*weight - from_mean).max(0.0);
            }
        }
        let excess = sum(&weights);
        // Smaller values are rounding errors.
        let is_uneven = excess > 1e-4 * flux;
        EnvironmentMap {
            width,
            height,
            rows,
            emission,
            samples: is_uneven.then(|| Box::new(BlockDistribution2d::new(&weights, width))),
            texels,
            world_from_map: options.world_from_map,
            map_from_world: options.world_from_map.inverse(),
            flux: flux as f32,
            excess: if is_uneven { excess as f32 } else { 0.0 },
        }
    }

    fn le_pdf(&self, direction: Vec3) -> (Rgb, f32) {
        let d = self.map_from_world * direction;
        let uv = lat_long_uv(d);
        let sin_theta = safe_sqrt(sqr(d.x) + sqr(d.z));
        let pdf = self.samples.as_ref().map_or(0.0, |samples| samples.pdf(uv));
        (self.lookup(uv), self.solid_angle_pdf(pdf, sin_theta))
    }

    /// Samples a direction in world space; returns it with its map position and density [1/sr].
    fn sample(&self, distribution: &BlockDistribution2d, u: Vec2) -> Option<(Vec3, Vec2, f32)> {
        let sample = distribution.sample(u);
        let (sin_theta, cos_theta) = sin_cos(PI * sample.uv.y);
        let (sin_phi, cos_phi) = sin_cos(TAU * sample.uv.x);
        let d = Vec3::new(sin_phi * sin_theta, cos_theta, -cos_phi * sin_theta);
        let pdf = self.solid_angle_pdf(sample.pdf, sin_theta);
        let wi = (self.world_from_map * d).normalize();
        (pdf > 0.0).then_some((wi, sample.uv, pdf))
    }

    /// Converts a density per map area to solid angle [1/sr]: dω = sin θ dθ dφ = 2π² sin θ du dv.
    fn solid_angle_pdf(&self, pdf_uv: f32, sin_theta: f32) -> f32 {
        if sin_theta > 0.0 {
            pdf_uv / (2.0 * PI * PI * sin_theta)
        } else {
            0.0
        }
    }

    /// Radiance at `uv` in `[0,1]²`, bilinear.
    fn lookup(&self, uv: Vec2) -> Rgb {
        let x = uv.x * self.width as f32 - 0.5;
        let y = match self.rows {
            MapRows::Centers => uv.y * self.height as f32 - 0.5,
            MapRows::Poles => uv.y * (self.height - 1) as f32,
        };
        let (x0, y0) = (x.floor(), y.floor());
        let (fx, fy) = (x - x0, y - y0);
        let (x0, y0) = (x0 as i32, y0 as i32);
        let upper = self.texel(x0, y0).lerp(self.texel(x0 + 1, y0), fx);
        let lower = self.texel(x0, y0 + 1).lerp(self.texel(x0 + 1, y0 + 1), fx);
        upper.lerp(lower, fy)
    }

    /// Texel with columns wrapped and rows clamped; `x` is at most one column outside.
    fn texel(&self, x: i32, y: i32) -> Rgb {
        let (width, height) = (self.width as i32, self.height as i32);
        let x = if x < 0 {
            x + width
        } else if x >= width {
            x - width
        } else {
            x
        };
        self.texels[(y.clamp(0, height - 1) * width + x) as usize]
    }
}

/// Solid angle of a texel's cell in a row [sr].
fn cell_solid_angle(row: usize, width: usize, height: usize) -> f64 {
    let edge = |row: usize| cos(std::f64::consts::PI * row as f64 / height as f64);
    (edge(row) - edge(row + 1)) * std::f64::consts::TAU / width as f64
}

/// Luminance of the bilinear map integrated over cells [W/m²]. Along a row, cells are centred on texels; across rows,
/// cells are those of the rows or the gaps between two of them.
fn cell_fluxes(texels: &[Rgb], width: usize, rows: MapRows) -> Vec<f32> {
    let luminance = |texel: &Rgb| {
        let l = texel.luminance();
        if l.is_finite() { l.max(0.0) } else { 0.0 }
    };
    // Along a row, the mean of a linear interpolant over a cell weights both neighbours by 1/8 and the texel itself by
    // 6/8.
    let columns: Vec<f32> = texels
        .chunks_exact(width)
        .flat_map(|row| {
            (0..width).map(move |x| {
                let at = |x: usize| luminance(&row[x % width]);
                0.125 * (at(x + width - 1) + at(x + 1)) + 0.75 * at(x)
            })
        })
        .collect();
    let height = texels.len() / width;
    let shares: Vec<[f64; 3]> = match rows {
        MapRows::Centers => (0..height).map(|row| row_shares(row, width, height)).collect(),
        MapRows::Poles => (1..height).map(|row| gap_shares(row - 1, width, height - 1)).collect(),
    };
    (0..shares.len() * width)
        .map(|i| {
            let (x, y) = (i % width, i / width);
            let at = |y: usize| f64::from(columns[y * width + x]);
            let [above, own, below] = shares[y];
            (above * at(y.saturating_sub(1)) + own * at(y) + below * at((y + 1).min(height - 1))) as f32
        })
        .collect()
}

/// Weights of the texels above and below a gap between rows (rows from pole to pole) in the integral over a cell of the
/// gap [sr]; in the order of [`row_shares`].
fn gap_shares(gap: usize, width: usize, gaps: usize) -> [f64; 3] {
    let step = std::f64::consts::PI / gaps as f64;
    let (top, bottom) = (gap as f64 * step, (gap as f64 + 1.0) * step);
    // ∫ (θ − top) sin θ dθ = sin θ − (θ − top) cos θ.
    let below = (sin(bottom) - step * cos(bottom) - sin(top)) / step;
    let below = below * std::f64::consts::TAU / width as f64;
    [0.0, cell_solid_angle(gap, width, gaps) - below, below]
}

/// Weights of the texel above, the texel itself and the texel below in the integral over a cell of that row [sr].
fn row_shares(row: usize, width: usize, height: usize) -> [f64; 3] {
    let step = std::f64::consts::PI / height as f64;
    let (top, center, bottom) = (row as f64 * step, (row as f64 + 0.5) * step, (row as f64 + 1.0) * step);
    // ∫ (θ − c) sin θ dθ = sin θ − (θ − c) cos θ.
    let moment = |theta: f64| sin(theta) - (theta - center) * cos(theta);
    let above = (moment(top) - moment(center)) / step;
    let below = (moment(bottom) - moment(center)) / step;
    let turn = std::f64::consts::TAU / width as f64;
    [above * turn, cell_solid_angle(row, width, height) - (above + below) * turn, below * turn]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dim map with one bright texel.
    fn sun(options: EnvironmentOptions) -> EnvironmentMap {
        let mut texels = vec![Rgb::new(0.1, 0.2, 0.3); 16 * 8];
        texels[2 * 16 + 5] = Rgb::splat(500.0);
        texels[6 * 16] = Rgb::BLACK;
        EnvironmentMap::new(texels, 16, options)
    }

    fn grid(n: usize) -> impl Iterator<Item = Vec2> {
        (0..n * n).map(move |i| Vec2::new((i % n) as f32 + 0.5, (i / n) as f32 + 0.5) / n as f32)
    }

    #[test]
    fn directions_follow_the_convention() {
        let mut texels = vec![Rgb::BLACK; 8 * 4];
        texels[8 + 4] = Rgb::WHITE;
        let map = EnvironmentMap::new(texels, 8, EnvironmentOptions::default());
        // Column 4 of 8 lies just past the centre, φ in [180°, 225°]; row 1 of 4 just above the horizon.
        let (theta, phi) = (1.5 / 4.0 * PI, 4.5 / 8.0 * TAU);
        let d = Vec3::new(phi.sin() * theta.sin(), theta.cos(), -phi.cos() * theta.sin());
        assert!((map.le_pdf(d).0.r - 1.0).abs() < 1e-4);
        assert!(d.z > 0.0 && d.x < 0.0);
    }

    /// Density of photon emission in a direction.
    fn emission_pdf(map: &EnvironmentMap, direction: Vec3) -> f32 {
        let d = map.map_from_world * direction;
        let sin_theta = safe_sqrt(sqr(d.x) + sqr(d.z));
        map.solid_angle_pdf(map.emission.pdf(lat_long_uv(d)), sin_theta)
    }

    #[test]
    fn densities_integrate_to_one_and_agree_with_sampling() {
        let rotation = Mat3::from_rotation_y(0.7) * Mat3::from_rotation_x(-0.4);
        for rows in [MapRows::Centers, MapRows::Poles] {
            let options = EnvironmentOptions {
                world_from_map: rotation,
                rows,
                ..EnvironmentOptions::default()
            };
            let map = sun(options);
            let samples = map.samples.as_ref().expect("the sun is brighter than the rest");
            type Pdf = fn(&EnvironmentMap, Vec3) -> f32;
            let tables: [(&BlockDistribution2d, Pdf); 2] =
                [(samples, |map, d| map.le_pdf(d).1), (&map.emission, emission_pdf)];
            for (table, pdf_of) in tables {
                let mut integral = 0.0f64;
                for uv in grid(400) {
                    let d = uniform_sphere(uv);
                    integral += f64::from(pdf_of(&map, d)) * 4.0 * std::f64::consts::PI / 160_000.0;
                }
                assert!((integral - 1.0).abs() < 0.01, "{integral}");
                for u in grid(40) {
                    let (wi, uv, pdf) = map.sample(table, u).expect("there is light");
                    let (expected_radiance, expected_pdf) = (map.le_pdf(wi).0, pdf_of(&map, wi));
                    let (a, b) = (map.lookup(uv).r, expected_radiance.r);
                    // Directions on the border between two cells may fall to either side.
                    let at_border = (pdf - expected_pdf).abs() > 1e-2 * pdf;
                    assert!(at_border || (a - b).abs() < 2e-2 * (a + b) + 1e-3, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn an_even_map_has_no_samples() {
        let map = EnvironmentMap::new(vec![Rgb::splat(0.7); 64 * 32], 64, EnvironmentOptions::default());
        let light = EnvironmentLight::Map(map);
        assert!(light.sample_li(Vec2::splat(0.3)).is_none());
        assert_eq!((light.le_pdf(Vec3::X).1, light.irradiance()), (0.0, 0.0));
        assert!(light.sample_emission(Vec2::splat(0.3)).is_some());
    }

    #[test]
    fn sampling_estimates_the_flux() {
        for rows in [MapRows::Centers, MapRows::Poles] {
            let map = sun(EnvironmentOptions { rows, ..EnvironmentOptions::default() });
            let n = 512 * 512;
            let estimate: f32 = grid(512)
                .filter_map(|u| map.sample(&map.emission, u))
                .map(|(_, uv, pdf)| map.lookup(uv).luminance() / pdf)
                .sum::<f32>()
                / n as f32;
            let directions = grid(1000).map(uniform_sphere);
            let exact: f64 = directions.map(|d| f64::from(map.le_pdf(d).0.luminance())).sum();
            let exact = (exact * 4.0 * std::f64::consts::PI / 1e6) as f32;
            assert!((estimate / exact - 1.0).abs() < 0.02, "{estimate} is not {exact}");
            assert!((map.flux / exact - 1.0).abs() < 1e-3, "{} is not {exact}", map.flux);
        }
    }

    #[test]
    fn photons_are_never_without_density() {
        for rows in [MapRows::Centers, MapRows::Poles] {
            let map = sun(EnvironmentOptions { rows, ..EnvironmentOptions::default() });
            for uv in grid(300) {
                let direction = uniform_sphere(uv);
                assert!(emission_pdf(&map, direction) > 0.0 || map.le_pdf(direction).0.is_black());
            }
        }
    }
}
