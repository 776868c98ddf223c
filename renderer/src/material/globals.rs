//! From a surface point to what a shader reads.

use glam::{Vec2, Vec3};
use shading::runtime::globals::Triple;
use shading::{RayKind, ShaderGlobals};

use crate::geometry::Interaction;

/// The globals at a point that a ray of some kind found.
///
/// - `N` and `Ng` face the viewer, as OSL's renderers have it; `backfacing()` tells that they were turned.
/// - `surface_area` is that of the whole shape [m²]; it matters only to shaders that ask for it.
/// - `Ps` stays zero: there are no light shaders. So do `dtime` and `dPdtime`: nothing moves.
/// - `footprint` is the width of what one sample stands for there [m]. Its two axes lie along `dPdu` and `dPdv`: texture
///   lookups want to know how much texture they cover, not which way the pixel is turned. Zero leaves all derivatives at
///   zero: textures then show their finest level.
#[inline]
pub(super) fn globals(
    it: &Interaction,
    ray_kind: RayKind,
    surface_area: f32,
    footprint: f32,
) -> ShaderGlobals {
    let backfacing = it.wo.dot(it.ng) < 0.0;
    let side = if backfacing { -1.0 } else { 1.0 };
    let mut globals = ShaderGlobals {
        p: triple(it.p),
        i: triple(-it.wo),
        n: triple(it.n * side),
        ng: triple(it.ng * side),
        dpdu: triple(it.dpdu),
        dpdv: triple(it.dpdv),
        u: it.uv.x,
        v: it.uv.y,
        time: it.time,
        surface_area,
        ray_kind,
        backfacing: i32::from(backfacing),
        object: it.shape.0,
        primitive: it.primitive,
        ..ShaderGlobals::default()
    };
    if footprint > 0.0 {
        set_footprint(&mut globals, it, footprint);
    }
    globals
}

fn set_footprint(globals: &mut ShaderGlobals, it: &Interaction, footprint: f32) {
    let scale = Vec2::new(footprint / it.dpdu.length(), footprint / it.dpdv.length());
    globals.dudx = scale.x;
    globals.dvdy = scale.y;
    globals.dpdx = triple(it.dpdu * scale.x);
    globals.dpdy = triple(it.dpdv * scale.y);
}

#[inline]
fn triple(v: Vec3) -> Triple {
    Triple([v.x, v.y, v.z, 0.0])
}
