//! The target `vertex`: light at the vertices of meshes. A mesh without normals has its triangles part company first, for
//! each face sees a hemisphere of its own.

use std::time::Instant;

use glam::{UVec2, Vec2};

use super::field::Field;
use super::points::{Solids, Standing, standing};
use super::receiver::{Receiver, Site, receivers, site};
use super::sh::Order;
use super::work::Workers;
use super::{BakeError, BakeStats, Job, Product, Result3, identity};
use crate::color::Rgb;
use crate::geometry::{Mesh, ShapeId};
use crate::integrator::Context;
use crate::scene::Scene;

/// Points that stand for a vertex, at most: one in each of its first triangles.
const POINTS: usize = 8;

/// How near to its vertex each of them lies: the vertex's weight.
const NEARNESS: f32 = 0.94;

/// A shape with light at its vertices.
#[derive(Clone, Debug)]
pub struct BakedVertices {
    /// Which shape.
    pub shape: ShapeId,
    /// What the scene calls it.
    pub name: String,
    /// Its triangles, object space.
    pub mesh: Mesh,
    /// Its first vertex among all.
    pub first: usize,
}

/// Light at the vertices of all shapes.
#[derive(Debug)]
pub struct VertexLight {
    /// The shapes.
    pub objects: Vec<BakedVertices>,
    /// How light is kept.
    pub order: Order,
    field: Field,
}

impl VertexLight {
    /// The coefficients of radiance at a vertex, counted over all shapes.
    pub fn coefficients(&self, vertex: usize) -> &[Rgb] {
        self.field.coefficients(vertex)
    }

    /// The irradiance at a vertex [W/m²].
    pub fn irradiance(&self, vertex: usize) -> Rgb {
        self.field.irradiance(vertex)
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.field.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Bakes vertices.
pub(super) fn bake(job: &Job<'_>, workers: &Workers<'_>) -> Result<Result3, BakeError> {
    let mut objects: Vec<BakedVertices> = vec![];
    // By vertex: its object and its points.
    let mut vertices = vec![];
    for receiver in receivers(workers.scene, job.names) {
        let mesh = faceted(&receiver);
        let first = vertices.len();
        vertices.extend(corners(&mesh).into_iter().map(|corners| (objects.len(), corners)));
        objects.push(BakedVertices {
            shape: receiver.shape,
            name: receiver.name,
            mesh,
            first,
        });
    }
    if vertices.is_empty() {
        return Err(BakeError::Nothing);
    }
    let sites = |vertex: usize| -> Vec<Site> {
        let (object, corners) = &vertices[vertex];
        points(workers.scene, &objects[*object], corners)
    };
    let identity = identity((0..vertices.len()).flat_map(sites).map(|site| site.p));
    let solids = Solids::find(workers.scene, &mut Context::new(workers.scene));

    let gather = Instant::now();
    let field = job.gather(workers, vertices.len(), identity, |estimator, vertex, sampler, context| {
        let key = UVec2::new(vertex as u32, 0);
        let mut sites = sites(vertex);
        let all = sites.clone();
        let mut number = 0;
        sites.retain(|site| {
            number += 1;
            standing(workers.scene, &solids, site, 0.0, key, number, sampler) == Standing::Open
        });
        // Furniture of a room that is modelled as a box has nothing open; what is dark is then dark in truth.
        let sites = if sites.is_empty() { all } else { sites };
        (!sites.is_empty()).then(|| estimator.at_surface(&sites, key, sampler, context))
    })?;
    let Some(field) = field else {
        return Ok(None);
    };
    let finish = Instant::now();
    let stats = BakeStats {
        points: vertices.len(),
        dark: field.valid.iter().filter(|&&valid| !valid).count(),
        prepare: gather - job.start,
        gather: finish - gather,
        ..BakeStats::default()
    };
    let light = VertexLight {
        objects,
        order: job.settings.order,
        field,
    };
    Ok(Some((Product::Vertex(light), vec![], stats)))
}

/// The receiver's mesh; without normals, with three vertices of its own for each triangle.
fn faceted(receiver: &Receiver) -> Mesh {
    let mesh = &receiver.mesh;
    if !mesh.normals.is_empty() {
        return Mesh::clone(mesh);
    }
    let order: Vec<usize> = mesh.triangles.iter().flatten().map(|&index| index as usize).collect();
    Mesh {
        positions: order.iter().map(|&i| mesh.positions[i]).collect(),
        triangles: (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
        normals: vec![],
        uvs: order.iter().filter_map(|&i| mesh.uvs.get(i).copied()).collect(),
        uvs2: order.iter().filter_map(|&i| mesh.uvs2.get(i).copied()).collect(),
        colors: order.iter().filter_map(|&i| mesh.colors.get(i).copied()).collect(),
    }
}

/// By vertex: its first triangles, and which corner of each it is.
fn corners(mesh: &Mesh) -> Vec<Vec<(u32, u8)>> {
    let mut corners = vec![vec![]; mesh.positions.len()];
    for (triangle, vertices) in (0u32..).zip(&mesh.triangles) {
        for (corner, &vertex) in (0u8..).zip(vertices) {
            let list = &mut corners[vertex as usize];
            if list.len() < POINTS && mesh.triangle_area(triangle as usize) > 0.0 {
                list.push((triangle, corner));
            }
        }
    }
    corners
}

fn points(scene: &Scene, object: &BakedVertices, corners: &[(u32, u8)]) -> Vec<Site> {
    let shape = &scene.shapes()[object.shape.0 as usize];
    let rest = 0.5 * (1.0 - NEARNESS);
    (corners.iter())
        .map(|&(triangle, corner)| {
            let mut weights = [rest; 3];
            weights[usize::from(corner)] = NEARNESS;
            site(shape, &object.mesh, triangle, Vec2::new(weights[1], weights[2]))
        })
        .collect()
}
