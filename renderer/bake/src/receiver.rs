//! Bake receivers: the sides of shapes as triangle meshes with lightmap coordinates.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use rustc_hash::FxHashSet;

use super::tessellate::tessellate;
use super::unwrap::{Flat, unwrap};
use super::uv;
use renderer_geometry::{Mesh, Shape, ShapeId, SurfacePoint};

/// A side of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side of the geometric normal.
    Front,
    /// The opposite side.
    Back,
}

impl Side {
    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            Side::Front => "front",
            Side::Back => "back",
        }
    }
}

/// A side of a shape with its triangles.
pub(super) struct Receiver {
    pub(super) shape: ShapeId,
    pub(super) side: Side,
    /// Unique name: the name of the shape; `NAME.back` for a back.
    pub(super) name: String,
    /// Triangles in object space: the shape's mesh, or the tessellation of an analytic shape.
    pub(super) mesh: Arc<Mesh>,
}

/// A surface point at which light is gathered, world space.
#[derive(Clone, Copy, Debug)]
pub(super) struct GatherPoint {
    /// The point.
    pub(super) p: Vec3,
    /// Bound on its distance from the ray-traced surface.
    pub(super) p_error: f32,
    /// Unit geometric normal of the gathered side.
    pub(super) ng: Vec3,
    /// Unit shading normal.
    pub(super) n: Vec3,
    pub(super) shape: ShapeId,
    /// True if the back gathers light.
    pub(super) is_back: bool,
}

impl GatherPoint {
    /// The surface's point on one of its sides.
    pub(super) fn of(point: SurfacePoint, shape: ShapeId, side: Side) -> GatherPoint {
        let turn = match side {
            Side::Front => 1.0,
            Side::Back => -1.0,
        };
        GatherPoint {
            p: point.p,
            p_error: point.p_error,
            ng: point.ng * turn,
            n: point.n * turn,
            shape,
            is_back: side == Side::Back,
        }
    }
}

/// The fronts of all shapes, named in order, then the backs of some.
pub(super) fn receivers(shapes: &[Shape], names: &[String], backs: &[ShapeId]) -> Vec<Receiver> {
    let named = (0u32..).map(ShapeId).zip(shapes).zip(names);
    // Curves and points have no lightmaps; they shadow the others.
    let has_faces = |shape: &Shape| shape.mesh().is_some() || shape.analytic().is_some();
    let mut receivers: Vec<Receiver> = named
        .filter(|((_, shape), _)| has_faces(shape))
        .map(|((id, shape), name)| Receiver {
            shape: id,
            side: Side::Front,
            name: name.clone(),
            mesh: triangles(shape),
        })
        .collect();
    let mut taken: FxHashSet<String> = names.iter().cloned().collect();
    let fronts = receivers.len();
    for &shape in backs {
        let Ok(front) = receivers[..fronts].binary_search_by_key(&shape, |front| front.shape) else {
            continue;
        };
        let front = &receivers[front];
        let mut name = format!("{}.back", front.name);
        for number in 2.. {
            if taken.insert(name.clone()) {
                break;
            }
            name = format!("{}.back {number}", front.name);
        }
        receivers.push(Receiver { shape, side: Side::Back, name, mesh: front.mesh.clone() });
    }
    receivers
}

/// The triangles of a shape in object space: its mesh, or the tessellation of an analytic shape.
pub fn triangles(shape: &Shape) -> Arc<Mesh> {
    match shape.analytic() {
        Some(analytic) => Arc::new(tessellate(analytic)),
        None => shape.mesh().expect("a shape is a mesh or analytic").clone(),
    }
}

/// Source of the lightmap coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coordinates {
    /// The second set of the mesh.
    Own,
    /// Unwrapping.
    Unwrapped,
}

impl Receiver {
    /// Flattens the receiver, by its second set of texture coordinates if valid for a lightmap, otherwise by unwrapping;
    /// also returns the reason if the second set is not valid.
    pub(super) fn flatten(&self, shape: &Shape) -> (Flat, Coordinates, Option<uv::Unfit>) {
        match uv::check(&self.mesh, &self.mesh.uvs2) {
            Ok(()) => (uv::flatten(&self.mesh, shape, &self.mesh.uvs2), Coordinates::Own, None),
            Err(unfit) => (
                unwrap(&self.mesh, shape.placement().open().world_from_object()),
                Coordinates::Unwrapped,
                Some(unfit),
            ),
        }
    }
}

/// The surface's point at the weights of a triangle's second and third vertex.
pub(super) fn point(shape: &Shape, mesh: &Mesh, triangle: u32, barycentric: Vec2) -> SurfacePoint {
    let [b1, b2] = barycentric.to_array();
    let [p0, p1, p2] = mesh.triangles[triangle as usize].map(|index| mesh.positions[index as usize]);
    let near = shape.analytic_near(p0 * (1.0 - b1 - b2) + p1 * b1 + p2 * b2);
    near.unwrap_or_else(|| shape.surface_point(triangle, barycentric))
}
