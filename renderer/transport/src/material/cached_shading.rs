//! Cached shading of uniform shaders: lobes, emission and transparency, computed once instead of at every hit.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use shading::{ShaderGlobals, ShaderInstance, ShadingContext};

use super::ShadingResult;
use super::component::Flattener;
use super::scattering::Scattering;
use crate::bsdf::LobeTraits;
use renderer_base::color::Rgb;
use renderer_geometry::{Interaction, ShapeId};

/// Reason why running a shader cannot fail.
pub(super) const RUNS: &str = "contexts are of the scene's host, and threads have stacks of the usual size";

/// Constant shading result of a surface.
#[derive(Clone, Debug)]
pub(super) struct CachedShading {
    /// Lobes with their traits; those about the shading normal have a normal of zero, those along `dPdu` a tangent of
    /// zero.
    lobes: Box<[(Scattering, LobeTraits)]>,
    emission: Rgb,
    transparency: Rgb,
    holdout: Rgb,
}

impl CachedShading {
    /// Computes the shading result of a uniform `instance`; `None` if it is not uniform. Lobes under a coat or layer
    /// are excluded, since their weight depends on the view direction, and so are more lobes than fit, of which a
    /// random subset is kept.
    pub(super) fn of(instance: &ShaderInstance, context: &mut ShadingContext) -> Option<Arc<CachedShading>> {
        if !instance.statistics().is_uniform {
            return None;
        }
        // `N` and `dPdu` are zero as well, and therefore mean the surface's own at any point.
        let globals = ShaderGlobals::default();
        let (point, mut surface) = (arbitrary_point(), ShadingResult::new());
        let tree = instance.run(&globals, context).expect(RUNS);
        let lobes = Flattener::new(&point, &mut surface).lobes_for_any_viewer(tree)?;
        if !context.take_reports().is_empty() {
            // A shader that reports errors or prints has to run at every hit.
            return None;
        }
        Some(Arc::new(CachedShading {
            lobes: lobes
                .kept()
                .iter()
                .map(|scattering| (*scattering, scattering.lobe.traits()))
                .collect(),
            emission: surface.emission,
            transparency: surface.transparency,
            holdout: surface.holdout,
        }))
    }

    /// Fills `surface` for a point.
    #[inline]
    pub(super) fn fill(&self, point: &Interaction, surface: &mut ShadingResult) {
        surface.reset(point);
        (surface.emission, surface.transparency) = (self.emission, self.transparency);
        surface.holdout = self.holdout;
        for (scattering, traits) in &self.lobes {
            scattering.put_on_with(*traits, point, surface);
        }
    }

    /// Emitted radiance.
    pub(super) fn emission(&self) -> Rgb {
        self.emission
    }

    /// Returns whether a lobe is oriented by the surface's texture coordinates.
    pub(super) fn wants_derivatives(&self) -> bool {
        self.lobes.iter().any(|(scattering, _)| scattering.wants_derivatives())
    }
}

/// Arbitrary point for shaders that do not depend on it.
pub(super) fn arbitrary_point() -> Interaction {
    Interaction {
        p: Vec3::ZERO,
        p_error: 0.0,
        wo: Vec3::Z,
        ng: Vec3::Z,
        n: Vec3::Z,
        uv: Vec2::ZERO,
        dpdu: Vec3::X,
        dpdv: Vec3::Y,
        t: 0.0,
        time: 0.0,
        shape: ShapeId(0),
        primitive: 0,
    }
}
