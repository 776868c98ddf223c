//! Soft shadow terminator for bump and normal maps: a microfacet shadowing factor for bent normals. A bent normal may
//! face a light that is below the horizon of the unbent surface; instead of ending at a hard edge, light fades as if
//! bumps shadowed each other.
// Conty Estevez, Lecocq & Stein 2019, "A Microfacet-Based Shadowing Function to Solve the Bump Terminator Problem", Ray
// Tracing Gems, chapter 12: the bent normal is one of a GGX distribution of normals, whose width makes it likely.

use glam::Vec3;

use super::lobe::Lobe;
use super::normal::visible_frame;
use renderer_base::math::Frame;

/// Shadowing factor for light on a bent normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminator {
    /// Square of the GGX width of the distribution of normals; 0 for no shadowing.
    alpha2: f32,
    /// Unit normal of the unbent surface.
    n: Vec3,
}

impl Terminator {
    /// No shadowing: a hard terminator.
    pub(super) const HARD: Terminator = Terminator { alpha2: 0.0, n: Vec3::Z };

    /// Creates the terminator of a normal `bent` from `n`, unit vectors.
    pub(super) fn new(bent: Vec3, n: Vec3) -> Terminator {
        Terminator { alpha2: (0.125 * tan2(bent.dot(n))).min(1.0), n }
    }

    /// Frame of a lobe for a viewer at `wo`, unit vectors: bent until `wo` sees the lobe if the terminator is hard.
    #[inline(always)]
    pub(super) fn frame(&self, frame: Frame, ng: Vec3, wo: Vec3, lobe: &Lobe) -> Frame {
        if self.is_hard() {
            visible_frame(frame, ng, wo, lobe)
        } else {
            frame
        }
    }

    /// Returns whether nothing is shadowed.
    #[inline(always)]
    pub(super) fn is_hard(&self) -> bool {
        self.alpha2 == 0.0
    }

    /// Fraction of light not shadowed towards the unit vector `light`.
    #[inline(always)]
    pub(super) fn share(&self, light: Vec3) -> f32 {
        if self.alpha2 == 0.0 {
            return 1.0;
        }
        2.0 / (1.0 + (1.0 + self.alpha2 * tan2(light.dot(self.n))).sqrt())
    }
}

/// Squared tangent of an angle, from its cosine.
fn tan2(cos: f32) -> f32 {
    let cos2 = cos * cos;
    (1.0 - cos2).max(0.0) / cos2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_mitsuba() {
        // 2/(1 + √(1 + α² tan²θ)) by hand: a normal bent by 45° and light at 60° to the surface's normal.
        let bent = Vec3::new(1.0, 0.0, 1.0).normalize();
        let light = Vec3::new(0.0, 0.75_f32.sqrt(), 0.5);
        let share = Terminator::new(bent, Vec3::Z).share(light);
        assert!((share - 2.0 / (1.0 + 1.375_f32.sqrt())).abs() < 1e-6, "{share}");
        assert_eq!(Terminator::new(bent, Vec3::Z).share(Vec3::X), 0.0);
        assert_eq!(Terminator::new(Vec3::Z, Vec3::Z).share(light), 1.0);
        assert_eq!(Terminator::new(Vec3::X, Vec3::Z).alpha2, 1.0);
    }
}
