//! Baking from one surface to another: the ray from a cage through each point of the low surface to the high surface.
//!
//! The cage is the low mesh displaced outward along its smooth normals, or a mesh with the same triangles. The ray of a
//! point starts on the cage, passes through the point, and ends behind it at the maximum cage distance. It finds the first
//! front face of the high surface that is not fully transparent.

use glam::{Vec2, Vec3};

use super::error::CageError;
use super::receiver::Side;
use super::world_mesh::WorldMesh;
use renderer_base::math::Ray;
use renderer_geometry::{Footprint, Interaction, Mesh, Shape, weld};
use renderer_transport::integrator::Context;
use renderer_transport::material::{RayKind, ShadingResult};
use renderer_transport::scene::Scene;

/// Default distance of a cage, relative to the diagonal of the low shape's bounding box.
const DEFAULT_CAGE_DISTANCE: f32 = 0.05;

/// Maximum number of surfaces that a ray crosses: backs, and transparent ones.
const MAX_CROSSINGS: usize = 256;

/// The cage of a low mesh, world space.
pub(super) struct Cage {
    /// Displacement from the low surface to the cage, by triangle and corner [m].
    offsets: Vec<[Vec3; 3]>,
    /// Length of the longest displacement [m].
    reach: f32,
}

/// Hit of a point's ray.
pub(super) enum CageHit {
    /// A point, seen from above, and its height over the low surface [m].
    Front(Interaction, f32),
    /// Only back faces: the cage is inside of the high surface, or the surface is inside out.
    Backs,
    /// No hit.
    Miss,
}

impl Cage {
    /// Cage of the low surface displaced along its smooth normals; the default distance [m] is relative to its size.
    pub(super) fn inflated(placed: &WorldMesh, shape: &Shape, distance: Option<f32>) -> Cage {
        let bounds = shape.bounds();
        let distance = distance.unwrap_or(DEFAULT_CAGE_DISTANCE * (bounds.max - bounds.min).length());
        let normals = placed.smooth_normals();
        let order = placed.corners();
        let offset = |corners: &[u32; 3]| order.map(|corner| normals[corners[corner] as usize] * distance);
        Cage {
            offsets: placed.triangles.iter().map(offset).collect(),
            reach: distance,
        }
    }

    /// Cage mesh with the low mesh's triangles, in the same order.
    ///
    /// # Errors
    /// If the triangles differ.
    pub(super) fn of_mesh(
        (low_shape, low): (&Shape, &Mesh),
        (cage_shape, cage): (&Shape, &Mesh),
    ) -> Result<Cage, CageError> {
        if low.triangles.len() != cage.triangles.len() {
            return Err(CageError::Count { low: low.triangles.len(), cage: cage.triangles.len() });
        }
        // Equal positions in the low mesh are equal in the cage; vertices may be split differently.
        let (low_places, cage_places) = (weld(&low.positions), weld(&cage.positions));
        let mut cage_of = vec![None; low.positions.len()];
        for (triangle, (corners, of_cage)) in low.triangles.iter().zip(&cage.triangles).enumerate() {
            for (&vertex, &of_cage) in corners.iter().zip(of_cage) {
                let known = &mut cage_of[low_places[vertex as usize] as usize];
                let place = cage_places[of_cage as usize];
                if *known.get_or_insert(place) != place {
                    return Err(CageError::Order { triangle });
                }
            }
        }
        let [low, cage] = [(low_shape, low), (cage_shape, cage)]
            .map(|(shape, mesh)| (WorldMesh::new(shape, Side::Front, mesh).positions, mesh));
        let offsets: Vec<[Vec3; 3]> = (low.1.triangles.iter().zip(&cage.1.triangles))
            .map(|(corners, of_cage)| {
                std::array::from_fn(|i| cage.0[of_cage[i] as usize] - low.0[corners[i] as usize])
            })
            .collect();
        let reach = offsets.iter().flatten().map(|v| v.length()).fold(0.0, f32::max);
        Ok(Cage { offsets, reach })
    }

    /// The point of the high surface for a point `p` of the low one, at the weights of a triangle's second and third
    /// vertex.
    pub(super) fn find(
        &self,
        high: &Scene,
        p: Vec3,
        (triangle, barycentric): (u32, Vec2),
        context: &mut Context,
    ) -> CageHit {
        let [a, b, c] = self.offsets[triangle as usize];
        let offset = a * (1.0 - barycentric.x - barycentric.y) + b * barycentric.x + c * barycentric.y;
        let Some(outward) = offset.try_normalize() else {
            return CageHit::Miss;
        };
        let (mut through, mut backs) = (None, false);
        let end = p - outward * self.reach;
        let mut ray = Ray::new(p + offset, -outward);
        for _ in 0..MAX_CROSSINGS {
            ray.t_max = (ray.origin - end).dot(outward);
            let Some(it) = high.intersect(&ray).filter(|_| ray.t_max > 0.0) else {
                break;
            };
            ray = it.spawn_ray(-outward);
            if it.wo.dot(it.ng) <= 0.0 {
                backs = true;
                continue;
            }
            // Materials are seen at normal incidence, as in other bakes.
            let seen = Interaction { wo: it.ng, ..it };
            let found = (seen, (it.p - p).dot(outward));
            if is_visible(high, &seen, context) {
                return CageHit::Front(found.0, found.1);
            }
            through.get_or_insert(found);
        }
        match through {
            Some((it, height)) => CageHit::Front(it, height),
            None if backs => CageHit::Backs,
            None => CageHit::Miss,
        }
    }
}

/// Returns whether a surface is not fully transparent at a point.
fn is_visible(scene: &Scene, it: &Interaction, context: &mut Context) -> bool {
    let material = scene.material(it.shape);
    if !material.may_be_transparent() {
        return true;
    }
    let mut surface = ShadingResult::new();
    material.shade(it, RayKind::CAMERA, &Footprint::POINT, &mut context.shading, &mut surface);
    surface.transparency.to_array().iter().any(|&passed| passed < 1.0)
}
