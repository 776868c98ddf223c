//! Profiles of the reconstruction filters: box, tent, Gaussian, Blackman-Harris, Mitchell-Netravali, Catmull-Rom,
//! Lanczos.

use std::fmt;

use renderer_base::math::{cos, exp, exp_m1, sin};

/// A shape with its parameters. Lengths are in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilterShape {
    /// Constant.
    Box {
        /// Radius.
        radius: f32,
    },
    /// Falls linearly to zero at the radius.
    Tent {
        /// Radius.
        radius: f32,
    },
    /// A normal distribution, less its value at the radius, so that it ends at zero.
    Gaussian {
        /// Radius.
        radius: f32,
        /// The standard deviation.
        stddev: f32,
    },
    /// The window of Blackman and Harris: four cosine terms, sharp and nearly without ringing.
    BlackmanHarris {
        /// Radius.
        radius: f32,
    },
    /// The cubic splines of Mitchell and Netravali, which end at 2. Negative between about 1.2 and 2 for most parameters.
    // Mitchell & Netravali 1988, "Reconstruction Filters in Computer Graphics", eq. 8.
    Mitchell {
        /// The amount of blur.
        b: f32,
        /// The amount of ringing.
        c: f32,
    },
    /// Sinc function windowed by the main lobe of a wider sinc.
    // Duchon 1979, "Lanczos Filtering in One and Two Dimensions".
    Lanczos {
        /// Radius: the number of zero crossings on either side.
        lobes: u32,
    },
}

/// Maximum number of lobes of a Lanczos filter.
const MAX_LOBES: u32 = 16;

/// The largest radius of a filter [pixels].
const MAX_RADIUS: f32 = 100.0;

/// Parameters of filters with a radius, for error messages.
const RADIUS: &str = "one number, the radius in pixels, more than 0 and at most 100";

/// The kernel with its parameters, as in scene files.
impl fmt::Display for FilterShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilterShape::Box { radius } => write!(f, "box({radius})"),
            FilterShape::Tent { radius } => write!(f, "tent({radius})"),
            FilterShape::Gaussian { radius, stddev } => write!(f, "gaussian({radius}, {stddev})"),
            FilterShape::BlackmanHarris { radius } => write!(f, "blackman_harris({radius})"),
            FilterShape::Mitchell { b, c } => write!(f, "mitchell({b}, {c})"),
            FilterShape::Lanczos { lobes } => write!(f, "lanczos({lobes})"),
        }
    }
}

impl FilterShape {
    /// The names in scene files.
    pub const NAMES: [&str; 7] =
        ["box", "tent", "gaussian", "blackman_harris", "mitchell", "catmull_rom", "lanczos"];

    /// The default filter.
    pub const DEFAULT: FilterShape = FilterShape::BlackmanHarris { radius: 1.5 };

    /// A box that covers its pixel.
    pub const PIXEL: FilterShape = FilterShape::Box { radius: 0.5 };

    /// Kernel by its name in scene files and its parameters; `None` for an unknown name, the expected parameters if the
    /// numbers do not fit.
    pub fn from_call(name: &str, numbers: &[f32]) -> Option<Result<FilterShape, &'static str>> {
        let (shape, takes) = match name {
            "box" => (one(numbers, 0.5).map(|radius| FilterShape::Box { radius }), RADIUS),
            "tent" => (one(numbers, 1.0).map(|radius| FilterShape::Tent { radius }), RADIUS),
            "blackman_harris" => {
                (one(numbers, 1.5).map(|radius| FilterShape::BlackmanHarris { radius }), RADIUS)
            }
            "gaussian" => {
                let shape = match *numbers {
                    [_, stddev] => Some(stddev),
                    _ => one(numbers, 2.0).map(|radius| 0.25 * radius),
                };
                let radius = numbers.first().copied().unwrap_or(2.0);
                (
                    shape.map(|stddev| FilterShape::Gaussian { radius, stddev }),
                    "its radius in pixels, more than 0 and at most 100, and its standard deviation, at least a \
                     hundredth of that",
                )
            }
            "mitchell" => {
                let shape = match *numbers {
                    [] => Some([1.0 / 3.0; 2]),
                    [b, c] => Some([b, c]),
                    _ => None,
                };
                (
                    shape.map(|[b, c]| FilterShape::Mitchell { b, c }),
                    "two numbers from 0 to 1, B and C",
                )
            }
            "catmull_rom" => (
                numbers.is_empty().then_some(FilterShape::Mitchell { b: 0.0, c: 0.5 }),
                "no numbers",
            ),
            "lanczos" => {
                let lobes = one(numbers, 3.0).filter(|lobes| lobes.fract() == 0.0);
                (
                    lobes.map(|lobes| FilterShape::Lanczos { lobes: lobes as u32 }),
                    "one whole number from 1 to 16, how often it crosses zero on either side",
                )
            }
            _ => return None,
        };
        Some(shape.and_then(FilterShape::checked).ok_or(takes))
    }

    /// The shape, if its numbers make a filter.
    pub(super) fn checked(self) -> Option<FilterShape> {
        let positive = |x: f32| x > 0.0 && x <= MAX_RADIUS;
        let fits = match self {
            FilterShape::Box { radius }
            | FilterShape::Tent { radius }
            | FilterShape::BlackmanHarris { radius } => positive(radius),
            FilterShape::Gaussian { radius, stddev } => {
                // The tabulated values would miss a much narrower filter.
                positive(radius) && stddev >= 0.01 * radius && stddev <= 1e3 * radius
            }
            FilterShape::Mitchell { b, c } => (0.0..=1.0).contains(&b) && (0.0..=1.0).contains(&c),
            FilterShape::Lanczos { lobes } => (1..=MAX_LOBES).contains(&lobes),
        };
        fits.then_some(self)
    }

    /// Radius [pixels].
    pub fn radius(self) -> f32 {
        match self {
            FilterShape::Box { radius }
            | FilterShape::Tent { radius }
            | FilterShape::Gaussian { radius, .. }
            | FilterShape::BlackmanHarris { radius } => radius,
            FilterShape::Mitchell { .. } => 2.0,
            FilterShape::Lanczos { lobes } => lobes as f32,
        }
    }

    /// The unnormalised value at distance `x` in units of the radius.
    pub(super) fn profile(self, x: f64) -> f64 {
        let x = x.abs();
        if x > 1.0 {
            return 0.0;
        }
        match self {
            FilterShape::Box { .. } => 1.0,
            FilterShape::Tent { .. } => 1.0 - x,
            FilterShape::Gaussian { radius, stddev } => {
                let sharpness = f64::from(radius) / f64::from(stddev);
                let g = |x: f64| exp(-0.5 * (x * sharpness).powi(2));
                // The difference of the values would cancel where the distribution is nearly flat.
                g(1.0) * exp_m1(0.5 * sharpness.powi(2) * (1.0 - x * x))
            }
            // Harris 1978, "On the use of windows for harmonic analysis with the discrete Fourier transform", eq. 33,
            // with the maximum at zero.
            FilterShape::BlackmanHarris { .. } => {
                let t = std::f64::consts::PI * x;
                0.35875 + 0.48829 * cos(t) + 0.14128 * cos(2.0 * t) + 0.01168 * cos(3.0 * t)
            }
            FilterShape::Mitchell { b, c } => mitchell(2.0 * x, f64::from(b), f64::from(c)),
            FilterShape::Lanczos { lobes } => sinc(x * f64::from(lobes)) * sinc(x),
        }
    }
}

/// The only given number, or the default.
fn one(numbers: &[f32], default: f32) -> Option<f32> {
    match *numbers {
        [] => Some(default),
        [number] => Some(number),
        _ => None,
    }
}

fn mitchell(x: f64, b: f64, c: f64) -> f64 {
    let cubic = if x < 1.0 {
        ((12.0 - 9.0 * b - 6.0 * c) * x + (-18.0 + 12.0 * b + 6.0 * c)) * x * x + (6.0 - 2.0 * b)
    } else {
        (((-b - 6.0 * c) * x + (6.0 * b + 30.0 * c)) * x + (-12.0 * b - 48.0 * c)) * x + (8.0 * b + 24.0 * c)
    };
    cubic / 6.0
}

/// sin πx / πx.
fn sinc(x: f64) -> f64 {
    let t = std::f64::consts::PI * x;
    if t.abs() < 1e-6 { 1.0 } else { sin(t) / t }
}
