//! The GGX distribution of microfacet normals, anisotropic, with Smith's masking and shadowing.
//!
//! All directions are local and on the side of z, unless said otherwise. Every formula is arranged to stay finite for
//! grazing directions and for any roughness that [`Ggx::new`] lets through.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use crate::math::{safe_sqrt, sqr};
use crate::sampling::sin_cos_turn;

/// Roughness below which a surface is taken as smooth: its lobe is a delta.
pub const SMOOTH_ALPHA: f32 = 1e-4;

/// The largest roughness that is told apart.
const MAX_ALPHA: f32 = 16.0;

/// The roughness of a microsurface along the two tangents of the frame. Smooth when both are below
/// [`SMOOTH_ALPHA`]; otherwise each is at least that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ggx {
    x: f32,
    y: f32,
}

impl Ggx {
    /// No roughness.
    pub const SMOOTH: Ggx = Ggx { x: 0.0, y: 0.0 };

    /// Roughness `x` along s and `y` along t. What is not a number counts as smooth.
    pub fn new(x: f32, y: f32) -> Ggx {
        if x.max(y) >= SMOOTH_ALPHA {
            Ggx {
                x: rough(x),
                y: rough(y),
            }
        } else {
            Ggx::SMOOTH
        }
    }

    /// The same roughness in all directions.
    pub fn isotropic(alpha: f32) -> Ggx {
        Ggx::new(alpha, alpha)
    }

    /// Whether the surface is a perfect mirror.
    pub fn is_smooth(self) -> bool {
        self.x == 0.0
    }

    /// Whether the roughness is the same in all directions.
    pub fn is_isotropic(self) -> bool {
        self.x == self.y
    }

    /// The isotropic roughness most like it: the root of the mean square of both, for it is the rougher direction that
    /// loses and spreads light.
    pub fn mean_alpha(self) -> f32 {
        (0.5 * (sqr(self.x) + sqr(self.y))).sqrt()
    }

    /// Density of microfacet normals `h`, per solid angle and per area of the macrosurface.
    // Walter et al. 2007, "Microfacet Models for Refraction through Rough Surfaces", eq. 33, stretched as in Heitz 2014,
    // "Understanding the Masking-Shadowing Function", eq. 85, without tangents and with one division.
    #[inline(always)]
    pub fn d(self, h: Vec3) -> f32 {
        let area = self.x * self.y;
        let e = sqr(h.x * self.y) + sqr(h.y * self.x) + sqr(h.z * area);
        area * sqr(area) / (PI * sqr(e))
    }

    /// Share of the microfacets that `w`, on either side, sees.
    // Heitz 2014, eq. 43 and 72, multiplied by |cos θ| above and below.
    #[inline(always)]
    pub fn g1(self, w: Vec3) -> f32 {
        let z = w.z.abs();
        2.0 * z / (z + self.stretched_length(w))
    }

    /// Density of the normals `h` that `wo` sees: D·G1·⟨wo,h⟩/cos θo, per solid angle.
    // Heitz 2018, "Sampling the GGX Distribution of Visible Normals", eq. 1.
    #[inline(always)]
    pub fn visible_pdf(self, wo: Vec3, h: Vec3) -> f32 {
        2.0 * wo.dot(h).max(0.0) * self.d(h) / (wo.z + self.stretched_length(wo))
    }

    /// Density of the mirror images of `wo` about such normals: that of the normal `h` over 4⟨wo,h⟩.
    // Walter et al. 2007, eq. 14.
    #[inline(always)]
    pub fn reflected_pdf(self, wo: Vec3, h: Vec3) -> f32 {
        0.5 * self.d(h) / (wo.z + self.stretched_length(wo))
    }

    /// A normal that `wo` sees, with the density of [`Ggx::visible_pdf`].
    // Dupuy & Benyoub 2023, "Sampling Visible GGX Normals with Spherical Caps", listing 3.
    #[inline(always)]
    pub fn sample_visible(self, wo: Vec3, u: Vec2) -> Vec3 {
        let stretched = Vec3::new(wo.x * self.x, wo.y * self.y, wo.z).normalize();
        // The cap point (r cos φ, r sin φ, z) has z + sz = (1 - u)(1 + sz); writing r² = (1 - z)(1 + z) with it cancels
        // nothing.
        let scale = 1.0 + stretched.z;
        let h_z = (1.0 - u.y) * scale;
        let r = safe_sqrt(u.y * scale * (h_z + (1.0 - stretched.z)));
        let (sin, cos) = sin_cos_turn(u.x);
        let h = Vec3::new(r * cos + stretched.x, r * sin + stretched.y, h_z);
        Vec3::new(h.x * self.x, h.y * self.y, h.z).normalize()
    }

    /// √(cos² + α² sin²) of `w`: |cos θ|·(1 + 2Λ).
    #[inline(always)]
    fn stretched_length(self, w: Vec3) -> f32 {
        (sqr(w.x * self.x) + sqr(w.y * self.y) + sqr(w.z)).sqrt()
    }
}

#[expect(clippy::manual_clamp, reason = "clamp would let what is not a number through")]
fn rough(alpha: f32) -> f32 {
    alpha.max(SMOOTH_ALPHA).min(MAX_ALPHA)
}
