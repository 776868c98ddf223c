//! Bake target `vertex`: light at the vertices of meshes; meshes without normals are split into separate triangles.

use std::time::Instant;

use glam::{UVec2, Vec2, Vec3};
use rustc_hash::FxHashMap;

use super::bake_cache::{Point, Points};
use super::error::BakeError;
use super::field::{Field, Mixture};
use super::job::{BakeStats, Job, Outcome};
use super::points::{PointVisibility, Solids, point_visibility};
use super::progress::BakePhase;
use super::receiver::{GatherPoint, Receiver, Side, point, receivers};
use super::sh::ShOrder;
use super::sides::backs;
use super::translucent::GatherPoints;
use super::work::Workers;
use renderer_base::color::Rgb;
use renderer_geometry::{Interaction, Mesh, ShapeId};
use renderer_transport::integrator::Context;
use renderer_transport::scene::Scene;

/// Vertices of a block of the bake cache.
const BLOCK: usize = 16;

/// Maximum number of sample points of a vertex: one in each of its first triangles.
const MAX_POINTS: usize = 8;

/// Barycentric weight of the vertex at its sample points.
const VERTEX_WEIGHT: f32 = 0.94;

/// A shape with light at its vertices.
#[derive(Clone, Debug)]
pub struct BakedVertices {
    /// The shape.
    pub shape: ShapeId,
    /// Its side.
    pub side: Side,
    /// Name of the shape; `NAME.back` for a back.
    pub name: String,
    /// Triangles in object space.
    pub mesh: Mesh,
    /// Index of its first vertex among all.
    pub first: usize,
}

/// Light at the vertices of all shapes.
#[derive(Debug)]
pub struct VertexLight {
    /// The shapes.
    pub objects: Vec<BakedVertices>,
    /// Order of the SH coefficients.
    pub order: ShOrder,
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

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.field.len()
    }

    /// Returns whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Bakes vertices.
pub(super) fn bake(job: &Job<'_>, workers: &Workers<'_>) -> Result<Option<Outcome<VertexLight>>, BakeError> {
    let mut objects: Vec<BakedVertices> = vec![];
    // Object and points of each vertex.
    let mut vertices = vec![];
    job.begin(BakePhase::Sides);
    let backs = backs(job.settings, workers);
    let receivers = receivers(workers.scene.shapes(), job.names, &backs);
    let is_seen = |receiver: &Receiver| !workers.scene.material(receiver.shape).is_unseen();
    for receiver in receivers.into_iter().filter(is_seen) {
        let mesh = faceted(&receiver);
        let first = vertices.len();
        vertices.extend(corners(&mesh).into_iter().map(|corners| (objects.len(), corners)));
        objects.push(BakedVertices {
            shape: receiver.shape,
            side: receiver.side,
            name: receiver.name,
            mesh,
            first,
        });
    }
    if vertices.is_empty() {
        return Err(BakeError::Nothing);
    }
    let sites = |vertex: usize| -> Vec<GatherPoint> {
        let (object, corners) = &vertices[vertex];
        points(workers.scene, &objects[*object], corners)
    };
    let open = open_points(workers, &backs, vertices.len(), sites);
    // Furniture in a room modelled as a box is completely inside: its dark points are really dark.
    let furniture: Vec<bool> = (objects.iter())
        .map(|object| {
            let vertices = object.first..object.first + object.mesh.positions.len();
            10 * vertices.clone().filter(|&v| open[v].is_empty()).count() > 9 * vertices.len()
        })
        .collect();

    let gather = Instant::now();
    let gathered = gathered(workers.scene, &objects);
    let field = job.gather(workers, &gathered, |estimator, (vertex, key), sampler, context| {
        let mut sites = sites(vertex);
        if !furniture[vertices[vertex].0] {
            sites = open[vertex].iter().map(|&point| sites[point]).collect();
        }
        let it = seen(workers.scene, &objects[vertices[vertex].0], &vertices[vertex].1)?;
        let sites = GatherPoints::new(workers.scene, sites, &it, context);
        (!sites.points.is_empty()).then(|| estimator.at_surface(&sites, key, sampler, context))
    })?;
    let Some(mut field) = field else {
        return Ok(None);
    };
    let finish = Instant::now();
    let hidden = |field: &Field| field.valid.iter().filter(|&&valid| !valid).count();
    let before = hidden(&field);
    // Zeros for vertices of triangles without area, which have no normal.
    let normals: Vec<Vec3> = (0..vertices.len())
        .map(|vertex| sites(vertex).first().map_or(Vec3::ZERO, |site| site.n))
        .collect();
    for object in &objects {
        fill(&mut field, object, &normals);
    }
    let dark = hidden(&field);
    let stats = BakeStats {
        points: vertices.len(),
        filled: before - dark,
        dark,
        prepare: gather - job.start,
        gather: finish - gather,
        finish: finish.elapsed(),
        ..BakeStats::default()
    };
    let light = VertexLight { objects, order: job.settings.order, field };
    Ok(Some(Outcome { product: light, notes: vec![], stats }))
}

/// The vertices as points where light is gathered.
fn gathered<'a>(scene: &Scene, objects: &'a [BakedVertices]) -> Points<'a> {
    let point = |object: usize, vertex: usize| {
        let shape = &scene.shapes()[objects[object].shape.0 as usize];
        let at = objects[object].mesh.positions[vertex];
        Point {
            object: object as u32,
            block: UVec2::new((vertex / BLOCK) as u32, 0),
            key: UVec2::new((objects[object].first + vertex) as u32, 0),
            p: shape.placement().open().point(at),
        }
    };
    let of_object =
        |object: usize| (0..objects[object].mesh.positions.len()).map(move |vertex| point(object, vertex));
    Points {
        names: objects.iter().map(|object| object.name.as_str()).collect(),
        list: (0..objects.len()).flat_map(of_object).collect(),
        near: 1e-5 * scene.bounds().radius(),
    }
}

/// Visible points of each vertex.
fn open_points(
    workers: &Workers<'_>,
    backs: &[ShapeId],
    count: usize,
    sites: impl Fn(usize) -> Vec<GatherPoint> + Sync,
) -> Vec<Vec<usize>> {
    let solids = Solids::find(workers.scene, backs, &mut Context::new(workers.scene));
    workers.map(count, |vertex, sampler, _| {
        let key = UVec2::new(vertex as u32, 0);
        let is_open = |(number, site): &(usize, GatherPoint)| {
            point_visibility(workers.scene, &solids, site, 0.0, key, *number as u64, sampler)
                == PointVisibility::Visible
        };
        let points = sites(vertex).into_iter().enumerate().filter(is_open);
        points.map(|(number, _)| number).collect()
    })
}

/// Fills hidden vertices from adjacent ones, adjusted to their `normals`, repeatedly.
fn fill(field: &mut Field, object: &BakedVertices, normals: &[Vec3]) {
    let triangles = &object.mesh.triangles;
    let mut around = vec![vec![]; object.mesh.positions.len()];
    let is_open = |field: &Field, vertex: u32| field.valid[object.first + vertex as usize];
    let mut next: Vec<usize> = (0..triangles.len())
        .filter(|&triangle| !triangles[triangle].iter().all(|&vertex| is_open(field, vertex)))
        .collect();
    for &triangle in &next {
        for &vertex in &triangles[triangle] {
            around[vertex as usize].push(triangle);
        }
    }
    // Only vertices filled in the last round can have hidden neighbours.
    while !next.is_empty() {
        let mut mixtures: FxHashMap<usize, Mixture> = FxHashMap::default();
        for triangle in next {
            let corners = triangles[triangle].map(|index| object.first + index as usize);
            for hidden in corners.into_iter().filter(|&v| !field.valid[v]) {
                for known in corners.into_iter().filter(|&v| field.valid[v]) {
                    let mixture = mixtures.entry(hidden).or_insert_with(|| Mixture::new(field.order));
                    mixture.add(field.at(known), normals[known], normals[hidden]);
                }
            }
        }
        next = vec![];
        for (vertex, mixture) in mixtures {
            if let Some(colors) = mixture.mean(normals[vertex]) {
                field.at_mut(vertex).copy_from_slice(&colors);
                field.make_possible(vertex);
            }
            field.valid[vertex] = true;
            next.extend(&around[vertex - object.first]);
        }
        next.sort_unstable();
        next.dedup();
    }
}

/// Mesh of the receiver; without normals, each triangle has separate vertices.
fn faceted(receiver: &Receiver) -> Mesh {
    let mesh = &receiver.mesh;
    if !mesh.normals.is_empty() {
        return Mesh::clone(mesh);
    }
    let order: Vec<usize> = mesh.triangles.iter().flatten().map(|&index| index as usize).collect();
    Mesh {
        positions: order.iter().map(|&i| mesh.positions[i]).collect(),
        triangles: (0..mesh.triangles.len() as u32)
            .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
            .collect(),
        uvs: order.iter().filter_map(|&i| mesh.uvs.get(i).copied()).collect(),
        uvs2: order.iter().filter_map(|&i| mesh.uvs2.get(i).copied()).collect(),
        colors: order.iter().filter_map(|&i| mesh.colors.get(i).copied()).collect(),
        ..Mesh::default()
    }
}

/// First triangles of each vertex, and its corner in them.
fn corners(mesh: &Mesh) -> Vec<Vec<(u32, u8)>> {
    let mut corners = vec![vec![]; mesh.positions.len()];
    for (triangle, vertices) in (0u32..).zip(&mesh.triangles) {
        for (corner, &vertex) in (0u8..).zip(vertices) {
            let list = &mut corners[vertex as usize];
            if list.len() < MAX_POINTS && mesh.triangle_area(triangle as usize) > 0.0 {
                list.push((triangle, corner));
            }
        }
    }
    corners
}

fn points(scene: &Scene, object: &BakedVertices, corners: &[(u32, u8)]) -> Vec<GatherPoint> {
    let shape = &scene.shapes()[object.shape.0 as usize];
    (corners.iter())
        .map(|&(triangle, corner)| {
            let point = point(shape, &object.mesh, triangle, near(corner));
            GatherPoint::of(point, object.shape, object.side)
        })
        .collect()
}

/// A hit near the first corner at a vertex, seen from the gathered side.
fn seen(scene: &Scene, object: &BakedVertices, corners: &[(u32, u8)]) -> Option<Interaction> {
    let &(triangle, corner) = corners.first()?;
    let shape = &scene.shapes()[object.shape.0 as usize];
    let point = point(shape, &object.mesh, triangle, near(corner));
    let site = GatherPoint::of(point, object.shape, object.side);
    Some(point.seen_from(site.ng, object.shape, triangle))
}

/// Weights of the second and third vertex of a triangle near one of its corners.
fn near(corner: u8) -> Vec2 {
    let mut weights = [0.5 * (1.0 - VERTEX_WEIGHT); 3];
    weights[usize::from(corner)] = VERTEX_WEIGHT;
    Vec2::new(weights[1], weights[2])
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::sh::basis;
    use super::*;

    /// A strip in which only the first vertex is visible.
    #[test]
    fn a_long_way_to_the_light_takes_time_in_proportion() {
        const TRIANGLES: u32 = 60_000;
        let mesh = Mesh {
            positions: vec![Vec3::ZERO; TRIANGLES as usize + 2],
            triangles: (0..TRIANGLES).map(|i| [i, i + 1, i + 2]).collect(),
            ..Mesh::default()
        };
        let normals = vec![Vec3::Z; mesh.positions.len()];
        let mut field = Field::new(ShOrder::One, normals.len());
        let constant = Rgb::splat(1.0 / (std::f32::consts::PI * basis(Vec3::Z)[0]));
        field.at_mut(0)[0] = constant;
        field.at_mut(0)[4] = Rgb::WHITE;
        field.valid[0] = true;
        let object = BakedVertices {
            shape: ShapeId(0),
            side: Side::Front,
            name: String::new(),
            mesh,
            first: 0,
        };
        let start = Instant::now();
        fill(&mut field, &object, &normals);
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert!(field.valid.iter().all(|&valid| valid));
        let last = field.irradiance(field.len() - 1).r;
        assert!((last - 1.0).abs() < 0.01, "{last}");
    }
}
