//! Reconstruction filters by filter importance sampling: film positions are sampled from the filter around each pixel.
//!
//! - All filters are products of one function of x and one of y, and zero beyond their radius.
//! - Each sample counts for its own pixel only. Pixel values are unbiased estimates of the filtered image and pixels
//!   stay independent, as exact sums require.
//! - Positions are sampled by the filter's absolute value. For a filter without negative lobes every sample has weight
//!   1; else the weight is the sign of the filter times a constant that makes the mean weight 1.
//!
//! Ernst, Stamminger & Greiner 2006, "Filter Importance Sampling".

use glam::{UVec2, Vec2};

use super::kernel::FilterShape;
use crate::Rect;

/// A filter, ready to be sampled.
#[derive(Clone, Debug)]
pub struct Filter {
    shape: FilterShape,
    radius: f32,
    half: HalfProfile,
}

/// A film position relative to a pixel and the weight of a sample there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterSample {
    /// Offset from the centre of the pixel [pixels].
    pub offset: Vec2,
    /// The factor of the sample; 1 for filters without negative lobes.
    pub weight: f32,
}

/// Part of a filter about one pixel that is inside a rectangle of pixels.
#[derive(Clone, Copy, Debug)]
pub struct FilterWindow {
    /// Interval of random numbers in x and in y: start, and length as a share of `[0,1)`.
    start: Vec2,
    share: Vec2,
    /// Constant that makes the mean weight 1.
    scale: f32,
}

impl FilterWindow {
    const WHOLE: FilterWindow = FilterWindow { start: Vec2::ZERO, share: Vec2::ONE, scale: 1.0 };
}

impl Filter {
    /// A filter of that shape; `None` if its parameters are invalid.
    pub fn new(shape: FilterShape) -> Option<Filter> {
        shape
            .checked()
            .map(|shape| Filter { shape, radius: shape.radius(), half: HalfProfile::new(shape) })
    }

    /// The filter that averages over the pixel.
    pub fn pixel() -> Filter {
        Filter {
            shape: FilterShape::PIXEL,
            radius: FilterShape::PIXEL.radius(),
            half: HalfProfile::new(FilterShape::PIXEL),
        }
    }

    /// Kernel of the filter.
    pub fn shape(&self) -> FilterShape {
        self.shape
    }

    /// Radius [pixels].
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// Samples a position by `u` in `[0,1)²`: distributed as the absolute value of the filter, and monotone in each
    /// coordinate, which preserves stratification.
    #[inline]
    pub fn sample(&self, u: Vec2) -> FilterSample {
        self.sample_within(&FilterWindow::WHOLE, u)
    }

    /// Like [`sample`](Filter::sample), for the part of the filter in a window.
    #[inline]
    pub fn sample_within(&self, window: &FilterWindow, u: Vec2) -> FilterSample {
        let u = window.start + window.share * u;
        let (x, weight_x) = self.sample_axis(u.x);
        let (y, weight_y) = self.sample_axis(u.y);
        FilterSample {
            offset: Vec2::new(x, y),
            weight: weight_x * weight_y * window.scale,
        }
    }

    /// The part of the filter about a pixel inside `bounds`; the whole filter if `None`.
    pub fn window(&self, pixel: UVec2, bounds: Option<&Rect>) -> FilterWindow {
        let Some(bounds) = bounds else {
            return FilterWindow::WHOLE;
        };
        let center = pixel.as_vec2() + 0.5;
        let low = (Vec2::new(bounds.x0 as f32, bounds.y0 as f32) - center) / self.radius;
        let high = (Vec2::new(bounds.x1 as f32, bounds.y1 as f32) - center) / self.radius;
        if low.max_element() <= -1.0 && high.min_element() >= 1.0 {
            return FilterWindow::WHOLE;
        }
        let (x, y) = (self.half.part(low.x, high.x), self.half.part(low.y, high.y));
        FilterWindow {
            start: Vec2::new(x.start, y.start),
            share: Vec2::new(x.share, y.share),
            scale: x.scale * y.scale,
        }
    }

    /// The filter at an offset per square pixel, normalised.
    pub fn value(&self, offset: Vec2) -> f32 {
        let axis = |x: f32| {
            let profile = self.shape.profile(f64::from(x / self.radius));
            (profile / (2.0 * self.half.area * f64::from(self.radius))) as f32
        };
        axis(offset.x) * axis(offset.y)
    }

    fn sample_axis(&self, u: f32) -> (f32, f32) {
        // The halves of the unit interval are the halves of the filter.
        let v = 2.0 * u - 1.0;
        let (x, weight) = match self.shape {
            FilterShape::Box { .. } => (v.abs(), 1.0),
            // The tail beyond x weighs (1 − x)².
            FilterShape::Tent { .. } => (1.0 - (1.0 - v.abs()).max(0.0).sqrt(), 1.0),
            _ => self.half.invert(v.abs()),
        };
        (self.radius * x.copysign(v), weight)
    }
}

/// The inverse of the distribution function of a filter's absolute value over `[0,1]`, tabulated: within a segment the
/// filter is taken as linear, which its integral then inverts in closed form.
#[derive(Clone, Debug)]
struct HalfProfile {
    /// Integral of the profile over `[0,1]`.
    area: f64,
    /// The ends of the segments: evenly spread, but for those that are moved to where the filter crosses zero.
    knots: Vec<f32>,
    /// Absolute value of the profile at the ends, normalised.
    density: Vec<f32>,
    /// Integral of the absolute profile up to each end; the last is 1.
    cdf: Vec<f32>,
    /// Sample weight by segment: the sign of the profile divided by the mean of the signs.
    weights: Vec<f32>,
    /// For equal parts of `[0,1]`, the first segment that may contain the inverse.
    guide: Vec<u16>,
}

/// Part of one axis of a filter, for [`FilterWindow`].
struct AxisPart {
    start: f32,
    share: f32,
    scale: f32,
}

impl HalfProfile {
    const SEGMENTS: usize = 256;

    fn new(shape: FilterShape) -> HalfProfile {
        const N: usize = HalfProfile::SEGMENTS;
        let knots = knots(shape);
        let profile: Vec<f64> = knots.iter().map(|&x| shape.profile(x)).collect();
        let signs: Vec<f64> = knots
            .windows(2)
            .map(|pair| shape.profile(0.5 * (pair[0] + pair[1])).signum())
            .collect();
        let (mut integral, mut area) = (vec![0.0], 0.0);
        for i in 0..N {
            let own = 0.5 * (profile[i].abs() + profile[i + 1].abs()) * (knots[i + 1] - knots[i]);
            integral.push(integral[i] + own);
            area += signs[i] * own;
        }
        let absolute = integral[N];
        let cdf: Vec<f32> = integral.iter().map(|v| (v / absolute) as f32).collect();
        let first = |k: usize| {
            let start = k as f32 / N as f32;
            cdf.partition_point(|&c| c <= start).saturating_sub(1).min(N - 1) as u16
        };
        HalfProfile {
            area,
            density: profile.iter().map(|v| (v.abs() / absolute) as f32).collect(),
            weights: signs.iter().map(|sign| (sign * absolute / area) as f32).collect(),
            guide: (0..=N).map(first).collect(),
            knots: knots.iter().map(|&x| x as f32).collect(),
            cdf,
        }
    }

    /// The `x` in `[0,1]` up to which the distribution weighs `v` in `[0,1]`, and the weight of samples there.
    fn invert(&self, v: f32) -> (f32, f32) {
        const N: usize = HalfProfile::SEGMENTS;
        let mut i = usize::from(self.guide[((v * N as f32) as usize).min(N)]);
        while i + 1 < N && self.cdf[i + 1] <= v {
            i += 1;
        }
        // a·t + (b − a)·t²/2 = (v − cdf)/width, solved without cancellation and without dividing by b − a.
        let (a, b) = (self.density[i], self.density[i + 1]);
        let width = self.knots[i + 1] - self.knots[i];
        let rest = (v - self.cdf[i]).max(0.0) / width;
        let root = (a * a + 2.0 * (b - a) * rest).max(0.0).sqrt();
        let t = if a + root > 0.0 { 2.0 * rest / (a + root) } else { 0.0 };
        (self.knots[i] + t.clamp(0.0, 1.0) * width, self.weights[i])
    }

    /// The part between two distances in units of the radius, `low` below 0 and `high` above.
    fn part(&self, low: f32, high: f32) -> AxisPart {
        let ([below, weight_below], [above, weight_above]) = (self.up_to(-low), self.up_to(high));
        AxisPart {
            start: 0.5 - 0.5 * below,
            share: 0.5 * (below + above),
            scale: (below + above) / (weight_below + weight_above),
        }
    }

    /// The probability of `[0,x]`, and the mean of the weights over it times that.
    fn up_to(&self, x: f32) -> [f32; 2] {
        let mut sums = [0.0; 2];
        for i in 0..HalfProfile::SEGMENTS {
            let (left, right) = (self.knots[i], self.knots[i + 1]);
            if x <= left {
                break;
            }
            let t = ((x - left) / (right - left)).min(1.0);
            let mass = if t < 1.0 {
                let (a, b) = (self.density[i], self.density[i + 1]);
                (a + 0.5 * (b - a) * t) * t * (right - left)
            } else {
                self.cdf[i + 1] - self.cdf[i]
            };
            sums[0] += mass;
            sums[1] += mass * self.weights[i];
        }
        sums
    }
}

/// Ends of the segments. The nearest one to each zero of the filter is moved to it, so that each segment has one sign.
fn knots(shape: FilterShape) -> Vec<f64> {
    const N: usize = HalfProfile::SEGMENTS;
    let even = |i: usize| i as f64 / N as f64;
    let mut knots: Vec<f64> = (0..=N).map(even).collect();
    for i in 0..N {
        let (mut low, mut high) = (even(i), even(i + 1));
        let positive = shape.profile(low) > 0.0;
        if shape.profile(high) == 0.0 || (shape.profile(high) > 0.0) == positive {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (shape.profile(middle) > 0.0) == positive {
                low = middle;
            } else {
                high = middle;
            }
        }
        let nearest = if low - even(i) < even(i + 1) - low { i } else { i + 1 };
        knots[nearest.clamp(1, N - 1)] = low;
    }
    knots
}
