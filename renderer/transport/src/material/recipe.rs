//! Cached results of uniform shaders: lobes, emission and transparency computed once instead of at every hit.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use shading::{ShaderGlobals, ShaderInstance, ShadingContext};

use super::Surface;
use super::component::Flattener;
use super::scattering::Scattering;
use renderer_base::color::Rgb;
use renderer_geometry::{Interaction, ShapeId};

/// The lobes, emission and transparency of all points of a surface.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    /// A lobe about the surface's own normal has a normal of zero, and one along its own tangent a tangent of zero.
    lobes: Box<[Scattering]>,
    emission: Rgb,
    transparency: Rgb,
    absorption: Option<Rgb>,
}

impl Recipe {
    /// The result of `instance`, if it is the same everywhere. It is not for lobes under a coat or layer, whose weight
    /// depends on the view direction, nor for more lobes than fit, of which a random subset is kept.
    pub(super) fn of(instance: &ShaderInstance, context: &mut ShadingContext) -> Option<Arc<Recipe>> {
        if !instance.statistics().is_uniform {
            return None;
        }
        // All zero, and so are `N` and `dPdu`: what stands for the surface's own, whatever point follows.
        let globals = ShaderGlobals::default();
        let (point, mut surface) = (somewhere(), Surface::new());
        let tree = instance.run(&globals, context);
        let lobes = Flattener::new(&point, &mut surface).lobes_for_any_viewer(tree)?;
        if !context.take_reports().is_empty() {
            // A shader that reports errors or prints has to run.
            return None;
        }
        Some(Arc::new(Recipe {
            lobes: lobes.kept().into(),
            emission: surface.emission,
            transparency: surface.transparency,
            absorption: surface.absorption,
        }))
    }

    /// Fills `surface` for a point.
    #[inline]
    pub(super) fn follow(&self, point: &Interaction, surface: &mut Surface) {
        surface.reset(point);
        (surface.emission, surface.transparency) = (self.emission, self.transparency);
        surface.absorption = self.absorption;
        for scattering in &self.lobes {
            scattering.put_on(point, surface);
        }
    }

    /// The radiance that it emits.
    pub(super) fn emission(&self) -> Rgb {
        self.emission
    }

    /// Whether a lobe is turned as the surface's texture coordinates are.
    pub(super) fn wants_derivatives(&self) -> bool {
        self.lobes.iter().any(Scattering::wants_derivatives)
    }
}

/// A point for shaders that look at none.
pub(super) fn somewhere() -> Interaction {
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
