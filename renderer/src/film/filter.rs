//! Reconstruction filters, by importance sampling: a sample is taken at a place drawn from the filter about its pixel
//! and counts with weight 1 for that pixel alone.
//!
//! - All filters are products of one function of x and one of y, positive, and zero beyond their radius.
//! - A pixel's value then is the filtered image without bias, and pixels stay independent, which exact sums need.
//!
//! Ernst, Stamminger & Greiner 2006, "Filter Importance Sampling".

use glam::Vec2;

/// The shapes of filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterKind {
    /// Constant.
    Box,
    /// Falls linearly to zero at the radius.
    Tent,
    /// A normal distribution of standard deviation radius/4, less its value at the radius, so that it ends at zero.
    Gaussian,
    /// The window of Blackman and Harris: four cosine terms, sharp and nearly without ringing.
    BlackmanHarris,
}

impl FilterKind {
    /// All kinds.
    pub const ALL: [FilterKind; 4] = [
        FilterKind::Box,
        FilterKind::Tent,
        FilterKind::Gaussian,
        FilterKind::BlackmanHarris,
    ];

    /// The name in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            FilterKind::Box => "box",
            FilterKind::Tent => "tent",
            FilterKind::Gaussian => "gaussian",
            FilterKind::BlackmanHarris => "blackman_harris",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<FilterKind> {
        FilterKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The radius where none is given [pixels].
    pub const fn default_radius(self) -> f32 {
        match self {
            FilterKind::Box => 0.5,
            FilterKind::Tent => 1.0,
            FilterKind::Gaussian => 2.0,
            FilterKind::BlackmanHarris => 1.5,
        }
    }

    /// The unnormalised value at distance `x` in units of the radius.
    fn profile(self, x: f64) -> f64 {
        let x = x.abs();
        if x > 1.0 {
            return 0.0;
        }
        match self {
            FilterKind::Box => 1.0,
            FilterKind::Tent => 1.0 - x,
            FilterKind::Gaussian => {
                let g = |x: f64| (-0.5 * (x * 4.0).powi(2)).exp();
                g(x) - g(1.0)
            }
            // Harris 1978, "On the use of windows for harmonic analysis with the discrete Fourier transform", eq. 33,
            // with the maximum at zero.
            FilterKind::BlackmanHarris => {
                let t = std::f64::consts::PI * x;
                0.35875 + 0.48829 * t.cos() + 0.14128 * (2.0 * t).cos() + 0.01168 * (3.0 * t).cos()
            }
        }
    }
}

/// A filter of a certain radius, ready to be sampled.
#[derive(Clone, Debug)]
pub struct Filter {
    kind: FilterKind,
    radius: f32,
    half: HalfProfile,
}

impl Filter {
    /// A filter that ends `radius` pixels from the centre in x and in y; `None` unless the radius is positive and
    /// finite.
    pub fn new(kind: FilterKind, radius: f32) -> Option<Filter> {
        (radius > 0.0 && radius.is_finite()).then(|| Filter {
            kind,
            radius,
            half: HalfProfile::new(kind),
        })
    }

    /// The filter of that kind with its usual radius.
    pub fn with_default_radius(kind: FilterKind) -> Filter {
        Filter {
            kind,
            radius: kind.default_radius(),
            half: HalfProfile::new(kind),
        }
    }

    /// Its shape.
    pub fn kind(&self) -> FilterKind {
        self.kind
    }

    /// Where it ends [pixels].
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The offset from the pixel's centre [pixels] for a random `u` in `[0,1)²`: distributed as the filter, monotone in
    /// each coordinate, so that well-spread `u` stay so.
    pub fn sample(&self, u: Vec2) -> Vec2 {
        Vec2::new(self.sample_axis(u.x), self.sample_axis(u.y))
    }

    /// The density of [`Filter::sample`] per square pixel at an offset: the filter, normalised.
    pub fn pdf(&self, offset: Vec2) -> f32 {
        let axis = |x: f32| {
            let profile = self.kind.profile(f64::from(x / self.radius));
            (profile / (2.0 * self.half.area * f64::from(self.radius))) as f32
        };
        axis(offset.x) * axis(offset.y)
    }

    fn sample_axis(&self, u: f32) -> f32 {
        // The halves of the unit interval are the halves of the filter.
        let v = 2.0 * u - 1.0;
        let x = match self.kind {
            FilterKind::Box => v.abs(),
            // The tail beyond x weighs (1 − x)².
            FilterKind::Tent => 1.0 - (1.0 - v.abs()).max(0.0).sqrt(),
            FilterKind::Gaussian | FilterKind::BlackmanHarris => self.half.invert(v.abs()),
        };
        self.radius * x.copysign(v)
    }
}

/// The inverse of a filter's distribution function over `[0,1]`, tabulated: within a segment the filter is taken as
/// linear, which its integral then inverts in closed form.
#[derive(Clone, Debug)]
struct HalfProfile {
    /// Integral of the profile over `[0,1]`.
    area: f64,
    /// Normalised profile at the ends of the segments.
    density: Vec<f32>,
    /// Its integral up to there; the last is 1.
    cdf: Vec<f32>,
    /// For each of as many equal parts of `[0,1]`, the first segment that may hold its inverse.
    guide: Vec<u16>,
}

impl HalfProfile {
    const SEGMENTS: usize = 256;

    fn new(kind: FilterKind) -> HalfProfile {
        const N: usize = HalfProfile::SEGMENTS;
        let profile: Vec<f64> = (0..=N)
            .map(|i| kind.profile(i as f64 / N as f64).max(0.0))
            .collect();
        let mut integral = vec![0.0];
        for pair in profile.windows(2) {
            integral.push(integral[integral.len() - 1] + 0.5 * (pair[0] + pair[1]) / N as f64);
        }
        let area = integral[N];
        let cdf: Vec<f32> = integral.iter().map(|v| (v / area) as f32).collect();
        let density = profile.iter().map(|v| (v / area) as f32).collect();
        let first = |k: usize| {
            let start = k as f32 / N as f32;
            cdf.partition_point(|&c| c <= start).saturating_sub(1).min(N - 1) as u16
        };
        let guide = (0..=N).map(first).collect();
        HalfProfile {
            area,
            density,
            cdf,
            guide,
        }
    }

    /// The `x` in `[0,1]` up to which the distribution weighs `v` in `[0,1]`.
    fn invert(&self, v: f32) -> f32 {
        const N: usize = HalfProfile::SEGMENTS;
        let mut i = usize::from(self.guide[((v * N as f32) as usize).min(N)]);
        while i + 1 < N && self.cdf[i + 1] <= v {
            i += 1;
        }
        // a·t + (b − a)·t²/2 = N·(v − cdf), solved without cancellation and without dividing by b − a.
        let (a, b) = (self.density[i], self.density[i + 1]);
        let rest = (v - self.cdf[i]).max(0.0) * N as f32;
        let root = (a * a + 2.0 * (b - a) * rest).max(0.0).sqrt();
        let t = if a + root > 0.0 {
            2.0 * rest / (a + root)
        } else {
            0.0
        };
        (i as f32 + t.clamp(0.0, 1.0)) / N as f32
    }
}
