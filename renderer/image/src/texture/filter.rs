//! Texture filter footprints: the ellipse of the pixel, its mip levels, and anisotropic probes along the longer axis.
//!
//! The pixel's footprint is an ellipse in texture space. Its shorter axis chooses the two levels next to it; probes along
//! the longer axis, weighted by a Gaussian, cover the rest. Heckbert 1989, "Fundamentals of Texture Mapping and Image
//! Warping"; McCormack et al. 1999, "Feline". Constants are OpenImageIO's, so that textures look the same.

use glam::Vec2;

use renderer_base::math::{atan2, exp, hypot, unit_vector};

/// Maximum ratio of the axes of an ellipse.
const MAX_ASPECT: f32 = 32.0;

/// Number of probes of the most elongated ellipse.
const MAX_PROBES: usize = 64;

/// Footprint of a point lookup [texture coordinates].
const POINT: f32 = 1e-8;

/// The footprint of a lookup as an ellipse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ellipse {
    /// Diameters [texture coordinates].
    major: f32,
    minor: f32,
    /// Direction of the longer axis.
    axis: Vec2,
    aspect: f32,
}

/// The two mip levels that a lookup blends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Levels {
    pub(super) finer: usize,
    pub(super) coarser: usize,
    /// Weight of the coarser level.
    pub(super) blend: f32,
}

/// Positions along the longer axis, from −1 to 1 of half its length beyond the shorter axis, with weights of sum 1.
#[derive(Clone, Debug)]
pub(super) struct Probes {
    list: [(f32, f32); MAX_PROBES],
    count: usize,
    /// Length of a probe position of 1 [texture coordinates].
    reach: Vec2,
}

impl Ellipse {
    /// Footprint with the edges `dx` and `dy`, enlarged by the blur.
    pub(super) fn new(dx: Vec2, dy: Vec2, blur: Vec2) -> Ellipse {
        let (dx, dy) = at_least_a_point(dx, dy);
        // The ellipse is the set of a s² + b s t + c t² = f; b and the axes as in Heckbert, section 3.5.8.
        let a = f64::from(dx.y * dx.y + dy.y * dy.y);
        let b = -2.0 * f64::from(dx.x * dx.y + dy.x * dy.y);
        let c = f64::from(dx.x * dx.x + dy.x * dy.x);
        let root = hypot(a - c, b);
        let length = |square: f64| (square.max(0.0) as f32).sqrt().min(1000.0);
        let mut major = length((a + c + root) * 0.5);
        let mut minor = length((a + c - root) * 0.5);
        let angle = 0.5 * atan2(b as f32, (a - c) as f32) + std::f32::consts::FRAC_PI_2;
        let mut axis = unit_vector(angle);
        if blur.x + blur.y != 0.0 {
            // The blur is an ellipse along s and t; its width along an axis is added to the axis, as in OpenImageIO
            // 3.2.
            major += (blur * axis).length();
            minor += (blur * axis.perp()).length();
            if minor > major {
                (major, minor) = (minor, major);
                axis = axis.perp();
            }
        }
        Ellipse::of_axes(major, minor, axis)
    }

    /// The ellipse of these axes, with its aspect ratio clamped.
    pub(super) fn of_axes(mut major: f32, mut minor: f32, axis: Vec2) -> Ellipse {
        let mut aspect = (major / minor).clamp(1.0, 1e6);
        if aspect > MAX_ASPECT {
            // A compromise between aliasing and blur.
            aspect = MAX_ASPECT;
            major = 0.5 * (major + minor * MAX_ASPECT);
            minor = major / MAX_ASPECT;
        }
        Ellipse { major, minor, axis, aspect }
    }

    /// Ratio of the axes.
    pub(super) fn aspect(&self) -> f32 {
        self.aspect
    }

    /// The levels whose texels have the width of the shorter axis. `resolution` is the number of texels of each level
    /// along this axis.
    pub(super) fn levels(&mut self, count: usize, resolution: impl Fn(usize) -> f32, largest: f32) -> Levels {
        let only = |level| Levels { finer: level, coarser: level, blend: 0.0 };
        for level in 0..count {
            let texels = self.minor * resolution(level);
            if texels > 1.0 {
                continue;
            }
            if level == 0 {
                // Without finer levels, the spacing of the probes is at least that of the texels.
                if self.minor * largest < 0.5 {
                    self.aspect = (self.major * largest * 2.0).clamp(1.0, MAX_ASPECT);
                }
                return only(0);
            }
            return Levels {
                finer: level - 1,
                coarser: level,
                blend: (2.0 * texels - 1.0).clamp(0.0, 1.0),
            };
        }
        only(count - 1)
    }

    /// The probes along the longer axis.
    pub(super) fn probes(&self) -> Probes {
        let count = ((2.0 * self.aspect - 1.0) as usize).clamp(1, MAX_PROBES);
        // Half of the ellipse of the derivatives, which span a whole pixel.
        let reach = self.major - self.minor;
        let mut probes = Probes {
            list: [(0.0, 1.0); MAX_PROBES],
            count,
            reach: self.axis * reach,
        };
        match count {
            1 => {}
            2 => {
                probes.list[0] = (-0.5, 0.5);
                probes.list[1] = (0.5, 0.5);
            }
            _ => {
                let scale = self.major / (2.0 * reach);
                let mut sum = 0.0;
                for (i, probe) in probes.list[..count].iter_mut().enumerate() {
                    let place = 2.0 * (i as f32 + 0.5) / count as f32 - 1.0;
                    let x = place * scale;
                    *probe = (place, exp(-2.0 * x * x));
                    sum += probe.1;
                }
                for probe in &mut probes.list[..count] {
                    probe.1 /= sum;
                }
            }
        }
        probes
    }
}

impl Probes {
    /// Offsets of the probes from the middle [texture coordinates], with their weights.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Vec2, f32)> + '_ {
        let list = self.list[..self.count].iter();
        list.map(|&(place, weight)| (self.reach * place, weight))
    }
}

/// Extends degenerate edges perpendicular to the other edge, so that they span an ellipse.
fn at_least_a_point(dx: Vec2, dy: Vec2) -> (Vec2, Vec2) {
    let is_point = |edge: Vec2| !edge.is_finite() || edge.length_squared() < POINT * POINT;
    let beside = |edge: Vec2| edge.perp() * (POINT / edge.length());
    match (is_point(dx), is_point(dy)) {
        (true, true) => (Vec2::new(POINT, 0.0), Vec2::new(0.0, POINT)),
        (true, false) => (-beside(dy), dy),
        (false, true) => (dx, beside(dx)),
        (false, false) => (dx, dy),
    }
}
