//! Shader globals: the shading point, as read by shaders (`P`, `N`, `u`, `v` …), and ray kinds.

use shading_compiler::builtins::Global;
use shading_compiler::hir::{Axis, Const, Kind, RayKind};

/// Three floats that compiled code loads as one vector; the fourth is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Triple(pub [f32; 4]);

impl From<[f32; 3]> for Triple {
    fn from([x, y, z]: [f32; 3]) -> Triple {
        Triple([x, y, z, 0.0])
    }
}

/// A shading point. Positions and directions are in the "common" space, which is the embedder's world space `[m]`.
/// Compiled code reads it at the offsets of this structure.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub struct ShaderGlobals {
    /// `P`: the point.
    pub p: Triple,
    /// `I`: incident direction, from the viewer towards the point, unit length.
    pub i: Triple,
    /// `N`: shading normal, unit length.
    pub n: Triple,
    /// `Ng`: geometric normal, unit length.
    pub ng: Triple,
    /// `dPdu`.
    pub dpdu: Triple,
    /// `dPdv`.
    pub dpdv: Triple,
    /// `Ps`: position of the light, in light shaders.
    pub ps: Triple,
    /// `dPdtime`.
    pub dpdtime: Triple,
    /// Change of `P` to the next pixel in x.
    pub dpdx: Triple,
    /// Change of `P` to the next pixel in y.
    pub dpdy: Triple,
    /// Change of `I` to the next pixel in x.
    pub didx: Triple,
    /// Change of `I` to the next pixel in y.
    pub didy: Triple,
    /// `u`.
    pub u: f32,
    /// `v`.
    pub v: f32,
    /// Change of `u` to the next pixel in x.
    pub dudx: f32,
    /// Change of `u` to the next pixel in y.
    pub dudy: f32,
    /// Change of `v` to the next pixel in x.
    pub dvdx: f32,
    /// Change of `v` to the next pixel in y.
    pub dvdy: f32,
    /// `time`.
    pub time: f32,
    /// `dtime`.
    pub dtime: f32,
    /// World-space area of the whole object `[m²]`, for shaders that distribute a power over it. Required only by
    /// shaders that read it.
    pub surface_area: f32,
    /// Bound on the distance along `Ng` between `P` and the surface as intersected by rays; the embedder offsets the
    /// origins of `trace` rays by it. Not visible to shaders.
    pub p_error: f32,
    /// Kind of the ray that hit the point.
    pub ray_kind: RayKind,
    /// 1 if seen from the back, else 0.
    pub backfacing: i32,
    /// Object id, chosen by the embedder: passed to [`crate::ShaderHost`] for "object" space and attributes.
    pub object: u32,
    /// Id of the primitive, chosen by the embedder: for attributes.
    pub primitive: u32,
    /// Number of times that the path has scattered before the point, for hosts that have an attribute of it.
    pub ray_depth: u32,
    /// Length of the ray that hit the point `[m]`, for hosts that have an attribute of it.
    pub ray_length: f32,
    /// Work of another shader at the point, for hosts that have an attribute of it.
    pub work: f32,
}

impl ShaderGlobals {
    pub(crate) fn value(&self, global: Global) -> Const {
        let triple = |t: &Triple| Const::Triple([t.0[0], t.0[1], t.0[2]]);
        match global {
            Global::P => triple(&self.p),
            Global::I => triple(&self.i),
            Global::N => triple(&self.n),
            Global::Ng => triple(&self.ng),
            Global::U => Const::Float(self.u),
            Global::V => Const::Float(self.v),
            Global::DPdu => triple(&self.dpdu),
            Global::DPdv => triple(&self.dpdv),
            Global::Ps => triple(&self.ps),
            Global::Time => Const::Float(self.time),
            Global::DTime => Const::Float(self.dtime),
            Global::DPdtime => triple(&self.dpdtime),
        }
    }

    /// Derivative of a global; zero if it has none.
    pub(crate) fn derivative(&self, global: Global, axis: Axis) -> Const {
        let triple = |t: &Triple| Const::Triple([t.0[0], t.0[1], t.0[2]]);
        match (global, axis) {
            (Global::P, Axis::X) => triple(&self.dpdx),
            (Global::P, Axis::Y) => triple(&self.dpdy),
            (Global::I, Axis::X) => triple(&self.didx),
            (Global::I, Axis::Y) => triple(&self.didy),
            (Global::U, Axis::X) => Const::Float(self.dudx),
            (Global::U, Axis::Y) => Const::Float(self.dudy),
            (Global::V, Axis::X) => Const::Float(self.dvdx),
            (Global::V, Axis::Y) => Const::Float(self.dvdy),
            _ => Kind::of(global.ty()).unwrap_or(Kind::FLOAT).zero(),
        }
    }
}
