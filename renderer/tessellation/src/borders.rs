//! Edges at which normals or values of a surface are not continuous.

use glam::Vec3;
use rustc_hash::FxHashMap;

use crate::Scheme;
use crate::cage::Cage;
use renderer_geometry::{AttributeDomain, DisjointSets, Mesh, MeshAttribute};

/// Sharpness from which a crease stays sharp in the limit.
pub(crate) const INFINITELY_SHARP: f32 = 10.0;

/// Cosine of the angle below which adjacent facets are one flat surface.
const FLAT: f32 = 0.999_99;

/// The two faces of an edge, with the corner where it begins; none where there are one or more than two.
type EdgeUses = [Option<(u32, u32)>; 2];

/// Borders of a surface.
#[derive(Debug)]
pub(crate) struct Borders {
    /// Normals are continuous within a fan.
    pub(crate) sharp: Fans,
    /// The faces of a fan share vertices.
    pub(crate) seams: Fans,
    /// Vertex of the mesh with the values of each corner: one for all corners between which values are continuous.
    pub(crate) channel: Vec<u32>,
}

/// Fans: the corners of a point that no border separates.
#[derive(Debug)]
pub(crate) struct Fans {
    /// Fan of each corner.
    pub(crate) of_corner: Vec<u32>,
    /// True for each edge that is a border.
    pub(crate) is_border: Vec<bool>,
}

impl Borders {
    /// The borders of a cage, with seams between the `parts` of the mesh, each given by its first triangle.
    pub(crate) fn new(cage: &Cage, mesh: &Mesh, scheme: Scheme, parts: &[u32]) -> Borders {
        let uses = uses_of_edges(cage);
        let normals = match scheme {
            Scheme::CatmullClark | Scheme::Loop => Normals::Limit,
            Scheme::Polygons if mesh.normals.is_empty() => Normals::Facets(facet_normals(cage, mesh)),
            Scheme::Polygons => Normals::Vertices,
        };
        let creases: FxHashMap<[u32; 2], f32> = cage.creases.iter().copied().collect();
        let part = |face: u32| parts.partition_point(|&first| first <= cage.triangles[face as usize]);
        let (mut sharp, mut seams, mut breaks) = (vec![], vec![], vec![]);
        for (edge, uses) in uses.iter().enumerate() {
            let [Some(first), Some(second)] = *uses else {
                for list in [&mut sharp, &mut seams, &mut breaks] {
                    list.push(true);
                }
                continue;
            };
            let ends = [0, 1].map(|end| [first, second].map(|side| vertex_at(cage, edge, side, end)));
            let has_break = !ends.iter().all(|&[a, b]| have_equal_values(mesh, a, b));
            let [a, b] = cage.ends[edge];
            let crease = creases.get(&[a.min(b), a.max(b)]);
            let is_sharp = crease.is_some_and(|&sharpness| sharpness >= INFINITELY_SHARP)
                || normals.differ(mesh, [first.0, second.0], &ends);
            sharp.push(is_sharp);
            seams.push(is_sharp || has_break || part(first.0) != part(second.0));
            breaks.push(has_break);
        }
        let channel = Fans::new(cage, &uses, breaks).of_corner;
        Borders {
            sharp: Fans::new(cage, &uses, sharp),
            seams: Fans::new(cage, &uses, seams),
            channel: channel.iter().map(|&corner| cage.vertices[corner as usize]).collect(),
        }
    }
}

impl Fans {
    fn new(cage: &Cage, uses: &[EdgeUses], is_border: Vec<bool>) -> Fans {
        let mut sets = DisjointSets::new(cage.points.len());
        for (uses, _) in uses.iter().zip(&is_border).filter(|(_, border)| !**border) {
            let [Some(first), Some(second)] = *uses else {
                continue;
            };
            let ends = |(face, corner): (u32, u32)| [corner, cage.next(face, corner)];
            for a in ends(first) {
                for b in ends(second) {
                    if cage.points[a as usize] == cage.points[b as usize] {
                        sets.join(a, b);
                    }
                }
            }
        }
        let of_corner = (0..cage.points.len() as u32).map(|corner| sets.root(corner)).collect();
        Fans { of_corner, is_border }
    }
}

fn uses_of_edges(cage: &Cage) -> Vec<EdgeUses> {
    let mut uses = vec![[None; 2]; cage.ends.len()];
    let mut counts = vec![0u32; cage.ends.len()];
    for face in 0..cage.face_count() as u32 {
        for corner in cage.face(face) {
            let edge = cage.edges[corner as usize] as usize;
            if let Some(place) = uses[edge].get_mut(counts[edge] as usize) {
                *place = Some((face, corner));
            }
            counts[edge] += 1;
        }
    }
    for (uses, count) in uses.iter_mut().zip(counts) {
        if count > 2 {
            *uses = [None; 2];
        }
    }
    uses
}

/// Source of the normals of a surface.
enum Normals {
    Limit,
    Vertices,
    /// Normal of each face.
    Facets(Vec<Vec3>),
}

impl Normals {
    /// Returns whether normals differ between two faces, which have these vertices at the ends of their edge.
    fn differ(&self, mesh: &Mesh, faces: [u32; 2], ends: &[[u32; 2]; 2]) -> bool {
        match self {
            Normals::Limit => false,
            Normals::Facets(normals) => {
                let [a, b] = faces.map(|face| normals[face as usize]);
                a.dot(b) < FLAT
            }
            Normals::Vertices => {
                ends.iter().any(|&[a, b]| mesh.normals[a as usize] != mesh.normals[b as usize])
            }
        }
    }
}

/// Vertex of the mesh at an end of an edge, in a face whose corner begins the edge.
fn vertex_at(cage: &Cage, edge: usize, (face, corner): (u32, u32), end: usize) -> u32 {
    let both = [corner, cage.next(face, corner)];
    let at = both
        .into_iter()
        .find(|&corner| cage.points[corner as usize] == cage.ends[edge][end]);
    cage.vertices[at.unwrap_or(corner) as usize]
}

/// Returns whether two vertices have the same texture coordinates, colours and attributes.
fn have_equal_values(mesh: &Mesh, a: u32, b: u32) -> bool {
    let (a, b) = (a as usize, b as usize);
    let is_equal = |attribute: &MeshAttribute| {
        let of =
            |vertex: usize| attribute.values.get(vertex * attribute.width..(vertex + 1) * attribute.width);
        attribute.domain == AttributeDomain::Face || of(a) == of(b)
    };
    a == b
        || (mesh.uvs.get(a) == mesh.uvs.get(b)
            && mesh.uvs2.get(a) == mesh.uvs2.get(b)
            && mesh.colors.get(a) == mesh.colors.get(b)
            && mesh.attributes.iter().all(is_equal))
}

fn facet_normals(cage: &Cage, mesh: &Mesh) -> Vec<Vec3> {
    let normal = |face: u32| {
        let corners = cage
            .face(face)
            .map(|corner| mesh.positions[cage.vertices[corner as usize] as usize]);
        let corners: Vec<Vec3> = corners.collect();
        let sum: Vec3 = corners
            .windows(2)
            .map(|pair| (pair[0] - corners[0]).cross(pair[1] - corners[0]))
            .sum();
        sum.normalize_or_zero()
    };
    (0..cage.face_count() as u32).map(normal).collect()
}
