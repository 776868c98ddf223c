//! Shader globals from a surface interaction.

use glam::{Vec2, Vec3};
use shading::ShaderGlobals;
use shading::runtime::globals::Triple;

use super::hit_ray::HitRay;
use super::rendering_space::RenderingSpace;
use renderer_geometry::{Footprint, Interaction, PointDifferential};

/// Shader globals at a hit of a ray.
///
/// - `N` and `Ng` face the viewer, as in OSL's renderers; `backfacing()` returns whether they were flipped.
/// - `surface_area` is the area of the whole shape [m²], for shaders that read it.
/// - `Ps`, `dtime` and `dPdtime` stay zero: there are no light shaders and no motion.
/// - `footprint` is the ray's footprint; without it, all derivatives are zero.
/// - `world` converts the point to world space.
#[inline]
pub(super) fn globals(
    it: &Interaction,
    ray: HitRay,
    surface_area: f32,
    footprint: Option<&Footprint>,
    world: RenderingSpace,
) -> ShaderGlobals {
    let backfacing = it.wo.dot(it.ng) < 0.0;
    let side = if backfacing { -1.0 } else { 1.0 };
    let mut globals = ShaderGlobals {
        p: triple(world.world_point(it.shape, it.p)),
        i: triple(-it.wo),
        n: triple(it.n * side),
        ng: triple(it.ng * side),
        dpdu: triple(it.dpdu),
        dpdv: triple(it.dpdv),
        u: it.uv.x,
        v: it.uv.y,
        time: it.time,
        surface_area,
        p_error: it.p_error + world.rounding(),
        ray_kind: ray.kind,
        ray_depth: ray.depth,
        ray_length: it.t,
        backfacing: i32::from(backfacing),
        object: it.shape.0,
        primitive: it.primitive,
        ..ShaderGlobals::default()
    };
    if let Some(footprint) = footprint {
        set_derivatives(&mut globals, it, &footprint.point(it));
    }
    globals
}

/// Not inlined: most materials need no derivatives.
#[inline(never)]
fn set_derivatives(globals: &mut ShaderGlobals, it: &Interaction, change: &PointDifferential) {
    globals.dpdx = triple(change.dpdx);
    globals.dpdy = triple(change.dpdy);
    globals.didx = triple(change.didx);
    globals.didy = triple(change.didy);
    let dx = parameters(it, change.dpdx);
    let dy = parameters(it, change.dpdy);
    (globals.dudx, globals.dvdx) = (dx.x, dx.y);
    (globals.dudy, globals.dvdy) = (dy.x, dy.y);
}

/// Change of the surface parameters for a displacement `dp` along the surface.
fn parameters(it: &Interaction, dp: Vec3) -> Vec2 {
    let (uu, uv, vv) = (it.dpdu.dot(it.dpdu), it.dpdu.dot(it.dpdv), it.dpdv.dot(it.dpdv));
    let determinant = uu * vv - uv * uv;
    let (u, v) = (it.dpdu.dot(dp), it.dpdv.dot(dp));
    let change = Vec2::new(vv * u - uv * v, uu * v - uv * u) / determinant;
    if change.is_finite() { change } else { Vec2::ZERO }
}

#[inline]
fn triple(v: Vec3) -> Triple {
    Triple([v.x, v.y, v.z, 0.0])
}
