//! Gabor noise: sparse convolution of Gabor kernels, with OSL's random numbers.
//!
//! Ares Lagae, Sylvain Lefebvre, George Drettakis, Philip Dutré, "Procedural Noise using Sparse Gabor Convolution",
//! SIGGRAPH 2009; Ares Lagae, George Drettakis, "Filtering Solid Gabor Noise", SIGGRAPH 2011, for phases and the filter
//! (its equations are named below).

use std::f32::consts::{PI, TAU};

use super::hash::hash;
use crate::eval::dual::{Dual, Real};
use crate::eval::math::{cross, dot, exp2, length, normalize};

/// Options of Gabor noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaborOptions {
    /// 0: isotropic; 1: anisotropic along `direction`; else: isotropic in the xy plane.
    pub anisotropic: i32,
    /// True if frequencies above the pixel's are filtered out, provided that the derivatives of the point are known.
    pub do_filter: bool,
    /// Direction of anisotropic waves; its length is their frequency.
    pub direction: [f32; 3],
    /// Bandwidth in octaves.
    pub bandwidth: f32,
    /// Average number of impulses at a point.
    pub impulses: f32,
}

impl Default for GaborOptions {
    fn default() -> GaborOptions {
        GaborOptions {
            anisotropic: 0,
            do_filter: true,
            direction: [1.0, 0.0, 0.0],
            bandwidth: 1.0,
            impulses: 16.0,
        }
    }
}

/// OSL's linear congruential generator for impulses.
struct Random(u32);

impl Random {
    fn of_cell(cell: [f32; 3], seed: u32) -> Random {
        let [x, y, z] = cell.map(|c| c.floor() as i32 as u32);
        Random(hash([x, y, z, seed]).max(1))
    }

    /// Returns a uniform random number in `[0,1]`.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(3_039_177_861);
        self.0 as f32 / u32::MAX as f32
    }

    /// Samples a Poisson distribution.
    fn poisson(&mut self, mean: f32) -> u32 {
        let limit = libm::expf(-mean);
        let mut count = 0;
        let mut product = self.next();
        while product > limit {
            count += 1;
            product *= self.next();
        }
        count
    }
}

type Triple = [f32; 3];
type DualTriple = [Dual; 3];
/// 2×2 matrix, row-major, not necessarily symmetric.
type Matrix2 = [[f32; 2]; 2];

/// Parameters of the kernel that are common to all impulses.
struct Kernel {
    options: GaborOptions,
    /// Width parameter of the Gaussian.
    a: f32,
    /// Radius at which the kernel is truncated.
    radius: f32,
    /// Impulses per unit of volume.
    density: f32,
    filter: Option<Filter>,
}

/// Pixel filter: the footprint of a pixel on the tangent plane of the point.
struct Filter {
    /// Tangent, bitangent and normal.
    axes: [Triple; 3],
    /// Covariance matrix of the pixel in the plane.
    sigma: Matrix2,
}

/// Returns three noise values at a point, periodic if a period is given. `footprint` contains the derivatives of the point
/// along x and along y.
pub(super) fn gabor(
    p: DualTriple,
    period: Option<Triple>,
    options: GaborOptions,
    footprint: [Triple; 2],
    lanes: u32,
) -> DualTriple {
    let kernel = Kernel::new(options, footprint);
    let variance = 1.0 / (4.0 * std::f32::consts::SQRT_2 * (kernel.a * kernel.a * kernel.a));
    // Three standard deviations cover the range; the factor of one half matches OSL's.
    let scale = 1.0 / (3.0 * variance.sqrt()) * 0.5;
    std::array::from_fn(|lane| {
        if lane as u32 >= lanes {
            return Dual::default();
        }
        kernel.sum(p, period, lane as u32) * scale
    })
}

impl Kernel {
    fn new(options: GaborOptions, footprint: [Triple; 2]) -> Kernel {
        /// Frequency of waves without a direction.
        const FREQUENCY: f32 = 2.0;
        /// √(π / ln 2)
        const WIDTH: f32 = 2.128_934;
        /// Relative amplitude at which the Gaussian is truncated.
        const TRUNCATE: f32 = 0.02;
        let octaves = exp2(options.bandwidth.clamp(0.01, 100.0));
        let a = FREQUENCY * ((octaves - 1.0) / (octaves + 1.0)) * WIDTH;
        let radius = (-libm::logf(TRUNCATE) / PI).sqrt() / a;
        let impulses = options.impulses.clamp(1.0, 32.0);
        let filter = options.do_filter.then(|| Filter::new(footprint)).flatten();
        Kernel {
            options,
            a,
            radius,
            density: impulses / (1.333_33 * PI * (radius * radius * radius)),
            filter,
        }
    }

    /// Sums the impulses of all cells around a point.
    fn sum(&self, p: DualTriple, period: Option<Triple>, seed: u32) -> Dual {
        let scaled = p.map(|x| x * (1.0 / self.radius));
        let floor = scaled.map(|x| x.value.floor());
        let inside: DualTriple = std::array::from_fn(|i| scaled[i] - floor[i]);
        let mut sum = Dual::default();
        for z in [-1.0, 0.0, 1.0] {
            for y in [-1.0, 0.0, 1.0] {
                for x in [-1.0, 0.0, 1.0] {
                    let offset: Triple = [x, y, z];
                    let cell = std::array::from_fn(|i| floor[i] + offset[i]);
                    let from_cell = std::array::from_fn(|i| inside[i] - offset[i]);
                    sum = sum + self.cell(cell, from_cell, period, seed);
                }
            }
        }
        sum * (1.0 / self.density.sqrt())
    }

    /// Sums the impulses of one cell; `p` is relative to its corner.
    fn cell(&self, cell: Triple, p: DualTriple, period: Option<Triple>, seed: u32) -> Dual {
        let cell = match period {
            Some(period) => std::array::from_fn(|i| wrap(cell[i], period[i])),
            None => cell,
        };
        let mut random = Random::of_cell(cell, seed);
        let count = random.poisson(self.density * (self.radius * self.radius * self.radius));
        let mut sum = Dual::default();
        for _ in 0..count {
            let [z, y, x] = std::array::from_fn(|_| random.next());
            let center: Triple = [x, y, z];
            let at: DualTriple = std::array::from_fn(|i| (p[i] - center[i]) * self.radius);
            let (wave, phase) = self.wave(&mut random);
            let far = dot(at.map(|x| x.value), at.map(|x| x.value));
            if far < self.radius * self.radius {
                sum = sum + self.impulse(at, wave, phase);
            }
        }
        sum
    }

    /// Samples direction, frequency and phase of the next impulse.
    fn wave(&self, random: &mut Random) -> (Triple, f32) {
        let wave = match self.options.anisotropic {
            1 => self.options.direction,
            0 => {
                let (sin, cos) = libm::sincosf(TAU * random.next());
                let up = 2.0 * random.next() - 1.0;
                let out = (1.0 - up * up).max(0.0).sqrt();
                normalize([cos * out, sin * out, up])
            }
            _ => {
                let frequency = length(self.options.direction);
                let (sin, cos) = libm::sincosf(TAU * random.next());
                [frequency * cos, frequency * sin, 0.0]
            }
        };
        (wave, TAU * random.next())
    }

    fn impulse(&self, at: DualTriple, wave: Triple, phase: f32) -> Dual {
        let plain = || bell(Dual::from(1.0), &wave, Dual::from(phase), self.a, &at);
        match &self.filter {
            None => plain(),
            Some(filter) => {
                let filtered = filter.impulse(at, wave, phase, self.a);
                if filtered.value.is_finite() { filtered } else { plain() }
            }
        }
    }
}

/// Equation 1: a cosine wave with a Gaussian envelope of width `1 / a`.
fn bell(weight: Dual, wave: &[f32], phase: Dual, a: f32, at: &[Dual]) -> Dual {
    let far = at.iter().fold(Dual::default(), |sum, &x| sum + x * x);
    let along = wave.iter().zip(at).fold(Dual::default(), |sum, (&w, &x)| sum + x * w);
    weight * (far * (-PI * (a * a))).exp() * (along * TAU + phase).cos()
}

impl Filter {
    /// `None` if the pixel is too small for the filter to matter.
    fn new([dx, dy]: [Triple; 2]) -> Option<Filter> {
        let normal = cross(dx, dy);
        if dot(normal, normal) < 1e-6 {
            return None;
        }
        let normal = normalize(normal);
        let tangent = if normal[0].abs() < 0.9 {
            [0.0, normal[2], -normal[1]]
        } else {
            [-normal[2], 0.0, normal[0]]
        };
        let tangent = normalize(tangent);
        let axes = [tangent, cross(normal, tangent), normal];
        // OSL multiplies two matrices with these columns, although this mixes the axes of space with those of the screen.
        // The code follows OSL, because results must match.
        let screen =
            [0, 1].map(|row| [0, 1].map(|axis: usize| dx[row] * axes[axis][0] + dy[row] * axes[axis][1]));
        // A pixel is modelled as a Gaussian with a standard deviation of half its size.
        let half = [[screen[0][0] * 0.25, screen[0][1] * 0.25], [screen[1][0] * 0.25, screen[1][1] * 0.25]];
        let sigma = mul2(transpose2(screen), half);
        (determinant2(sigma) >= 1e-18).then_some(Filter { axes, sigma })
    }

    /// An impulse in the plane, filtered by the pixel.
    fn impulse(&self, at: DualTriple, wave: Triple, phase: f32, a: f32) -> Dual {
        let inner = |axis: Triple| at[0] * axis[0] + at[1] * axis[1] + at[2] * axis[2];
        let [x, y, height] = self.axes.map(inner);
        let [wave_x, wave_y, wave_z] = self.axes.map(|axis| dot(axis, wave));
        // Equation 6: distance at which the plane slices the impulse.
        let distance = -height;
        let weight = (distance * distance * (-PI * (a * a))).exp();
        let phase = -(distance * TAU * wave_z) + phase;
        // Equation 10: the product of two Gaussians in the frequency domain is a Gaussian.
        let wave = [wave_x, wave_y];
        let variance = a * a / TAU;
        let own: Matrix2 = [[variance, 0.0], [0.0, variance]];
        let pixel = scale2(inverse2(self.sigma), 1.0 / (4.0 * PI * PI));
        let both = add2(own, pixel);
        let peak = 1.0 / (TAU * determinant2(self.sigma).sqrt());
        let apart = apply2(inverse2(both), wave);
        let overlap = libm::expf(-0.5 * (apart[0] * wave[0] + apart[1] * wave[1]));
        let weight = weight * peak * (1.0 / (TAU * determinant2(both).sqrt())) * overlap;
        let own_inverse = inverse2(own);
        let joined = inverse2(add2(inverse2(pixel), own_inverse));
        let wave = apply2(mul2(joined, own_inverse), wave);
        let a = (TAU * determinant2(joined).sqrt()).sqrt();
        bell(weight, &wave, phase, a, &[x, y])
    }
}

/// Wraps a coordinate to an integer period of at least 1.
pub(super) fn wrap(x: f32, period: f32) -> f32 {
    let period = period.floor().max(1.0);
    x - period * (x / period).floor()
}

fn transpose2([[a, b], [c, d]]: Matrix2) -> Matrix2 {
    [[a, c], [b, d]]
}

fn determinant2([[a, b], [c, d]]: Matrix2) -> f32 {
    a * d - b * c
}

fn inverse2(m: Matrix2) -> Matrix2 {
    let [[a, b], [c, d]] = m;
    scale2([[d, -b], [-c, a]], 1.0 / determinant2(m))
}

fn scale2(m: Matrix2, scale: f32) -> Matrix2 {
    m.map(|row| row.map(|x| x * scale))
}

fn add2(a: Matrix2, b: Matrix2) -> Matrix2 {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] + b[i][j]))
}

fn mul2(a: Matrix2, b: Matrix2) -> Matrix2 {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j]))
}

/// Row vector times matrix.
fn apply2(m: Matrix2, [x, y]: [f32; 2]) -> [f32; 2] {
    [x * m[0][0] + y * m[1][0], x * m[0][1] + y * m[1][1]]
}
