//! Interface of the lobe models, in local coordinates; z is the normal.

use glam::{Vec2, Vec3};

use super::lobe_kind::{LobeSample, Side, Spread};
use super::microfacet::Microfacets;
use renderer_base::color::Rgb;

/// Model of a BSDF lobe of colour one. The defaults are those of an opaque, reflecting lobe without microfacets.
pub(super) trait LobeModel: Copy {
    /// f·|cos θi| and the density of `wi` [1/sr]; zero for delta lobes.
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32);

    /// Samples a direction for `wo`; `u_lobe` selects the side, `u` the direction, each in `[0,1)`. Returns `None` if light is
    /// lost.
    fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample>;

    /// Directional albedo for `wo`.
    fn albedo(&self, wo: Vec3) -> Rgb;

    /// Returns whether the error of the albedo is negligible.
    fn has_exact_albedo(&self) -> bool {
        self.microfacets()
            .is_none_or(|microfacets| microfacets.is_smooth() || microfacets.is_compensated())
    }

    /// Fast approximation of the albedo for `wo` with cosine `cos_o`, for lobe selection.
    fn estimate(&self, cos_o: f32) -> Rgb {
        let _ = cos_o;
        Rgb::WHITE
    }

    /// Returns whether samples depend on `u_lobe`.
    fn has_choice(&self) -> bool {
        false
    }

    /// Microfacet roughness; `None` for other lobes.
    fn microfacets(&self) -> Option<Microfacets> {
        None
    }

    /// Returns whether the lobe reflects light.
    fn reflects(&self) -> bool {
        true
    }

    /// Returns whether the lobe transmits light.
    fn transmits(&self) -> bool {
        false
    }

    /// Index of refraction on the far side of the surface relative to the side of a direction with cosine `cos_o`; 1 without
    /// refraction.
    fn eta(&self, cos_o: f32) -> f32 {
        let _ = cos_o;
        1.0
    }

    /// Returns whether transmitted light changes its direction by refraction.
    fn refracts(&self) -> bool {
        false
    }

    /// Returns whether the lobe is an interface that transmits light straight through.
    fn is_straight(&self) -> bool {
        false
    }

    /// Transmittance of a straight interface for the cosine of the direction, and the rest of the lobe.
    fn straight(self, cos: f32) -> (Rgb, Option<Self>) {
        let _ = cos;
        (Rgb::BLACK, Some(self))
    }

    /// Restricts the lobe to reflection and straight transmission; `None` if nothing remains.
    fn one_sided(self) -> Option<Self> {
        Some(self)
    }

    /// Adds the light that scatters several times between the facets of an interface.
    fn compensated(self) -> Self {
        self
    }

    /// Side of a lobe that scatters in proportion to the cosine alone; `None` for other lobes.
    fn ideal_diffuse_side(&self) -> Option<Side> {
        None
    }

    /// Returns whether the lobe scatters to the whole sphere about a fibre, without sides of the normal.
    fn is_fibre(&self) -> bool {
        false
    }

    /// Angular spread class.
    fn spread(&self) -> Spread {
        self.microfacets().map_or(Spread::Diffuse, Spread::of)
    }
}
