//! What is baked: the shapes of a scene as triangles with lightmap coordinates.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::tessellate::tessellate;
use super::unwrap::{Flat, unwrap};
use super::uv;
use crate::geometry::{Geometry, Mesh, Shape, ShapeId, SurfacePoint};
use crate::scene::Scene;

/// A shape with its triangles.
pub(super) struct Receiver {
    /// Which shape.
    pub(super) shape: ShapeId,
    /// What the scene calls it.
    pub(super) name: String,
    /// Its triangles, object space: its mesh, or those of a surface in closed form.
    pub(super) mesh: Arc<Mesh>,
}

/// Where light is gathered, world space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// The point.
    pub(super) p: Vec3,
    /// Bound on its distance from the surface that rays see.
    pub(super) p_error: f32,
    /// Unit geometric normal; the light of that side is gathered.
    pub(super) ng: Vec3,
    /// Unit shading normal.
    pub(super) n: Vec3,
}

impl From<SurfacePoint> for Site {
    fn from(point: SurfacePoint) -> Site {
        Site {
            p: point.p,
            p_error: point.p_error,
            ng: point.ng,
            n: point.n,
        }
    }
}

/// All shapes of a scene, named in order.
pub(super) fn receivers(scene: &Scene, names: &[String]) -> Vec<Receiver> {
    let named = (0u32..).map(ShapeId).zip(scene.shapes()).zip(names);
    named
        .map(|((id, shape), name)| Receiver {
            shape: id,
            name: name.clone(),
            mesh: match (&shape.geometry, shape.analytic()) {
                (Geometry::Mesh(mesh), _) => mesh.clone(),
                (_, Some(analytic)) => Arc::new(tessellate(analytic)),
                (_, None) => unreachable!("what is no mesh is analytic"),
            },
        })
        .collect()
}

/// How a receiver came by its lightmap coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coordinates {
    /// They are those of its mesh's second set.
    Own,
    /// It was unwrapped.
    Unwrapped,
}

impl Receiver {
    /// The receiver laid flat: by its own second set of texture coordinates where that is fit for a lightmap. What keeps
    /// it from being so comes with it.
    pub(super) fn flatten(&self, shape: &Shape) -> (Flat, Coordinates, Option<uv::Unfit>) {
        match uv::check(&self.mesh) {
            Ok(()) => (uv::flatten(&self.mesh, shape), Coordinates::Own, None),
            Err(unfit) => (
                unwrap(&self.mesh, &shape.world_from_object),
                Coordinates::Unwrapped,
                Some(unfit),
            ),
        }
    }
}

/// The surface's point at the weights of a triangle's second and third vertex.
pub(super) fn site(shape: &Shape, mesh: &Mesh, triangle: u32, barycentric: Vec2) -> Site {
    let [b1, b2] = barycentric.to_array();
    let [p0, p1, p2] = mesh.triangles[triangle as usize].map(|index| mesh.positions[index as usize]);
    let near = shape.analytic_near(p0 * (1.0 - b1 - b2) + p1 * b1 + p2 * b2);
    near.unwrap_or_else(|| shape.surface_point(triangle, barycentric))
        .into()
}
