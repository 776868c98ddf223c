//! Microfacet distributions GGX and Beckmann: anisotropic, Smith masking-shadowing, visible normal sampling (VNDF).
//!
//! Directions are local and on the side of z unless documented otherwise. Formulas stay finite for grazing directions
//! and for any roughness that [`Microfacets::new`] accepts.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use super::beckmann;
use renderer_base::math::{safe_sqrt, sqr};
use renderer_base::sampling::sin_cos_turn;

/// Roughness below which a surface is smooth: its lobe is a delta.
pub const SMOOTH_ALPHA: f32 = 1e-4;

/// Maximum roughness; larger values are clamped.
const MAX_ALPHA: f32 = 16.0;

/// Roughness of a microsurface along the two tangents of the frame. Smooth when both are below [`SMOOTH_ALPHA`];
/// otherwise each is at least that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Microfacets {
    x: f32,
    y: f32,
    distribution: Distribution,
    is_compensated: bool,
}

/// Distribution of microfacet normals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// GGX (Trowbridge-Reitz): highlights with long tails.
    #[default]
    Ggx,
    /// Beckmann, with Gaussian slopes: highlights with short tails.
    Beckmann,
}

impl Distribution {
    /// Returns the distribution for a shader's name; GGX for unknown names.
    pub fn named(name: &str) -> Distribution {
        match name {
            "beckmann" => Distribution::Beckmann,
            _ => Distribution::Ggx,
        }
    }
}

impl Microfacets {
    /// Smooth surface.
    pub const SMOOTH: Microfacets = Microfacets {
        x: 0.0,
        y: 0.0,
        distribution: Distribution::Ggx,
        is_compensated: false,
    };

    /// GGX of roughness `x` along s and `y` along t. NaN counts as smooth.
    pub fn new(x: f32, y: f32) -> Microfacets {
        if x.max(y) >= SMOOTH_ALPHA {
            Microfacets {
                x: rough(x),
                y: rough(y),
                distribution: Distribution::Ggx,
                is_compensated: false,
            }
        } else {
            Microfacets::SMOOTH
        }
    }

    /// Returns the same roughness with another distribution; smooth stays smooth.
    pub fn with(self, distribution: Distribution) -> Microfacets {
        if self.is_smooth() {
            return self;
        }
        Microfacets { distribution, ..self }
    }

    /// Returns the same roughness with energy compensation.
    pub fn compensated(self) -> Microfacets {
        Microfacets { is_compensated: !self.is_smooth(), ..self }
    }

    /// Returns whether energy compensation applies; never for a smooth surface.
    #[inline(always)]
    pub fn is_compensated(self) -> bool {
        self.is_compensated
    }

    /// Distribution of microfacet normals.
    pub fn distribution(self) -> Distribution {
        self.distribution
    }

    /// Isotropic GGX.
    pub fn isotropic(alpha: f32) -> Microfacets {
        Microfacets::new(alpha, alpha)
    }

    /// Returns whether the surface is perfectly smooth.
    pub fn is_smooth(self) -> bool {
        self.x == 0.0
    }

    /// Returns whether the roughness is the same in all directions.
    pub fn is_isotropic(self) -> bool {
        self.x == self.y
    }

    /// Equivalent isotropic roughness: the root mean square of both, since the rougher direction dominates spread and
    /// loss.
    pub fn mean_alpha(self) -> f32 {
        (0.5 * (sqr(self.x) + sqr(self.y))).sqrt()
    }

    /// Roughness along s and along t.
    #[inline(always)]
    pub(super) fn alphas(self) -> [f32; 2] {
        [self.x, self.y]
    }

    /// Density of microfacet normals `h`, per solid angle and per area of the macrosurface.
    // Walter et al. 2007, "Microfacet Models for Refraction through Rough Surfaces", eq. 33, stretched as in Heitz
    // 2014, "Understanding the Masking-Shadowing Function", eq. 85, without tangents and with one division.
    #[inline(always)]
    pub fn d(self, h: Vec3) -> f32 {
        match self.distribution {
            Distribution::Ggx => {
                let area = self.x * self.y;
                let e = sqr(h.x * self.y) + sqr(h.y * self.x) + sqr(h.z * area);
                area * sqr(area) / (PI * sqr(e))
            }
            Distribution::Beckmann => beckmann::d(self.x, self.y, h),
        }
    }

    /// Masking function G1: fraction of the microfacets visible from `w`, on either side.
    // Heitz 2014, eq. 43 and 72, multiplied by |cos θ| above and below.
    #[inline(always)]
    pub fn g1(self, w: Vec3) -> f32 {
        match self.distribution {
            Distribution::Ggx => {
                let z = w.z.abs();
                2.0 * z / (z + self.stretched(w).length())
            }
            Distribution::Beckmann => beckmann::g1(self.stretched(w)),
        }
    }

    /// Shadowing G(wo, wi)/G1(wo), on either side: the fraction of light left towards `wi`, given a facet sampled with
    /// [`Microfacets::visible_pdf`].
    #[inline(always)]
    pub fn shadowing(self, wo: Vec3, wi: Vec3) -> f32 {
        match self.distribution {
            Distribution::Ggx => self.g1(wi),
            Distribution::Beckmann => {
                self.g1(wi) * self.g1(wo) * self.twice_projected_area(wo) / (2.0 * wo.z)
            }
        }
    }

    /// Density of visible normals `h` [1/sr]: D·⟨wo,h⟩ over the projected area of all facets visible from `wo`.
    // Heitz 2018, "Sampling the GGX Distribution of Visible Normals", eq. 1.
    #[inline(always)]
    pub fn visible_pdf(self, wo: Vec3, h: Vec3) -> f32 {
        2.0 * wo.dot(h).max(0.0) * self.d(h) / self.twice_projected_area(wo)
    }

    /// Density of reflections of `wo` at visible normals [1/sr]: that of the normal `h` over 4⟨wo,h⟩.
    // Walter et al. 2007, eq. 14.
    #[inline(always)]
    pub fn reflected_pdf(self, wo: Vec3, h: Vec3) -> f32 {
        0.5 * self.d(h) / self.twice_projected_area(wo)
    }

    /// Samples a normal visible from `wo`, with the density [`Microfacets::visible_pdf`].
    #[inline(always)]
    pub fn sample_visible(self, wo: Vec3, u: Vec2) -> Vec3 {
        match self.distribution {
            Distribution::Ggx => self.sample_visible_ggx(wo, u),
            Distribution::Beckmann => self.sample_visible_beckmann(wo, u),
        }
    }

    // Dupuy & Benyoub 2023, "Sampling Visible GGX Normals with Spherical Caps", listing 3.
    #[inline(always)]
    fn sample_visible_ggx(self, wo: Vec3, u: Vec2) -> Vec3 {
        let stretched = self.stretched(wo).normalize();
        // The cap point (r cos φ, r sin φ, z) has z + sz = (1 - u)(1 + sz); r² = (1 - z)(1 + z) written with it has no
        // cancellation.
        let scale = 1.0 + stretched.z;
        let h_z = (1.0 - u.y) * scale;
        let r = safe_sqrt(u.y * scale * (h_z + (1.0 - stretched.z)));
        let (sin, cos) = sin_cos_turn(u.x);
        let h = Vec3::new(r * cos + stretched.x, r * sin + stretched.y, h_z);
        Vec3::new(h.x * self.x, h.y * self.y, h.z).normalize()
    }

    fn sample_visible_beckmann(self, wo: Vec3, u: Vec2) -> Vec3 {
        let slopes = beckmann::sample_visible_slopes(self.stretched(wo).normalize(), u);
        Vec3::new(-slopes.x * self.x, -slopes.y * self.y, 1.0).normalize()
    }

    /// Twice the projected area of the facets visible from `wo`, per area of the macrosurface: cos θ·(2 + 2Λ).
    #[inline(always)]
    fn twice_projected_area(self, wo: Vec3) -> f32 {
        let stretched = self.stretched(wo);
        match self.distribution {
            Distribution::Ggx => wo.z + stretched.length(),
            Distribution::Beckmann => beckmann::twice_projected_area(stretched),
        }
    }

    /// Transforms `w` to the space in which the roughness is one.
    #[inline(always)]
    pub(super) fn stretched(self, w: Vec3) -> Vec3 {
        Vec3::new(w.x * self.x, w.y * self.y, w.z)
    }
}

#[expect(clippy::manual_clamp, reason = "clamp would let what is not a number through")]
fn rough(alpha: f32) -> f32 {
    alpha.max(SMOOTH_ALPHA).min(MAX_ALPHA)
}
