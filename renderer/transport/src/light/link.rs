//! Light links of a built scene: the receivers of a light, the shapes that block it, and the lobes that receive it.
//!
//! - Shapes that the same lights illuminate form a receiver class. Each class has a light selector of its own.
//! - A shadow ray of a light with restricted blockers intersects the shapes that share a bit with its ray mask.
//! - BSDF sampling does not find the light of such lights, or of lights that some lobes do not receive: light samples
//!   have the whole weight.

use renderer_geometry::accel;
use renderer_scene::LightVisibility;

/// Maximum number of receiver classes: bits of [`LightLink`].
pub const MAX_RECEIVER_CLASSES: usize = 128;

/// Class of shapes that the same lights illuminate; 0 for the medium of the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReceiverClass(pub u8);

/// Links of a light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LightLink {
    /// Bit set of the receiver classes.
    pub receivers: u128,
    /// Ray mask of shadow rays.
    pub blockers: u32,
    /// Rays and lobes that receive the light.
    pub visible_to: LightVisibility,
}

impl LightLink {
    /// Link of a light that illuminates everything and that everything blocks.
    pub const ALL: LightLink = LightLink {
        receivers: u128::MAX,
        blockers: accel::ALL,
        visible_to: LightVisibility::ALL,
    };

    /// Returns whether the light illuminates a class.
    #[inline]
    pub fn illuminates(&self, class: ReceiverClass) -> bool {
        self.receivers >> class.0 & 1 == 1
    }

    /// Returns whether some shapes do not block the light.
    #[inline]
    pub fn has_blockers(&self) -> bool {
        self.blockers != accel::ALL
    }

    /// Returns whether only light samples find the light from lobes that are not delta lobes.
    #[inline]
    pub fn is_sampled_only(&self) -> bool {
        self.has_blockers() || !self.visible_to.has_all_scattering()
    }

    /// Returns whether some shape, medium or lobe does not receive the light, or does not block it.
    pub fn restricts_scattering(&self) -> bool {
        self.receivers != u128::MAX || self.is_sampled_only()
    }
}
