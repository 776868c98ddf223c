//! Cages: polygons joined at points and edges.

use glam::Vec3;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::points::Points;
use crate::{Scheme, Subdivision, TessellationError};
use renderer_geometry::Mesh;

/// Polygons joined at points and edges. A corner is the place of a polygon at a point.
#[derive(Debug)]
pub(crate) struct Cage {
    /// First corner of each face, and the number of corners.
    starts: Vec<u32>,
    /// Point of each corner.
    pub(crate) points: Vec<u32>,
    /// Vertex of the mesh at each corner.
    pub(crate) vertices: Vec<u32>,
    /// Edge from each corner to the next one of its face.
    pub(crate) edges: Vec<u32>,
    /// Points at the ends of each edge.
    pub(crate) ends: Vec<[u32; 2]>,
    /// First triangle of the mesh in each face.
    pub(crate) triangles: Vec<u32>,
    /// A vertex of the mesh at each point.
    pub(crate) vertex_of_point: Vec<u32>,
    /// True for each face that is a hole.
    pub(crate) holes: Vec<bool>,
    /// Sharpness of edges: points at the ends, sharpness.
    pub(crate) creases: Vec<([u32; 2], f32)>,
    /// Sharpness of points.
    pub(crate) corners: Vec<(u32, f32)>,
    /// Number of polygons that repeat a point, and are cut into triangles.
    pub(crate) cut: usize,
}

impl Cage {
    /// The cage of a mesh.
    pub(crate) fn new(mesh: &Mesh, subdivision: &Subdivision) -> Result<Cage, TessellationError> {
        let points = Points::of(mesh);
        let mut cage = Cage {
            starts: vec![0],
            points: vec![],
            vertices: vec![],
            edges: vec![],
            ends: vec![],
            triangles: vec![],
            holes: vec![],
            vertex_of_point: points.vertex_of_point.clone(),
            creases: vec![],
            corners: vec![],
            cut: 0,
        };
        cage.add_faces(mesh, subdivision, &points)?;
        if cage.holes.iter().all(|hole| *hole) {
            return Err(TessellationError::Empty);
        }
        cage.join_edges();
        cage.set_sharpness(subdivision, &points)?;
        Ok(cage)
    }

    pub(crate) fn face_count(&self) -> usize {
        self.triangles.len()
    }

    /// Corners of a face.
    pub(crate) fn face(&self, face: u32) -> std::ops::Range<u32> {
        self.starts[face as usize]..self.starts[face as usize + 1]
    }

    /// Face of a corner.
    pub(crate) fn face_of(&self, corner: u32) -> u32 {
        self.starts.partition_point(|&start| start <= corner) as u32 - 1
    }

    fn add_faces(
        &mut self,
        mesh: &Mesh,
        subdivision: &Subdivision,
        points: &Points,
    ) -> Result<(), TessellationError> {
        let triangles = mesh
            .triangles
            .iter()
            .enumerate()
            .map(|(index, triangle)| (&triangle[..], index));
        let polygons: Box<dyn Iterator<Item = (&[u32], usize)>> = match &mesh.faces {
            Some(faces) => Box::new(faces.iter()),
            None => Box::new(triangles),
        };
        let holes: FxHashSet<u32> = subdivision.holes.iter().copied().collect();
        let mut count = 0;
        for (corners, first) in polygons {
            // Without limit surface, polygons but quadrilaterals keep their triangulation.
            let is_kept = match subdivision.scheme {
                Scheme::CatmullClark => true,
                Scheme::Loop => corners.len() == 3,
                Scheme::Polygons => corners.len() == 3 || corners.len() == 4 && is_convex(mesh, corners),
            };
            self.add_polygon(corners, is_kept, (mesh, first), points);
            self.holes.resize(self.face_count(), holes.contains(&count));
            count += 1;
        }
        match subdivision.holes.iter().find(|&&hole| hole >= count) {
            Some(&index) => {
                Err(TessellationError::OutOfRange { what: "polygon", index, count: count as usize })
            }
            None => Ok(()),
        }
    }

    /// Adds a polygon, or its triangles, which begin at triangle `first` of the mesh.
    fn add_polygon(
        &mut self,
        corners: &[u32],
        is_kept: bool,
        (mesh, first): (&Mesh, usize),
        points: &Points,
    ) {
        let mut loop_of_points = corners.to_vec();
        let point = |vertex: &u32| points.of_vertex[*vertex as usize];
        loop_of_points.dedup_by_key(|vertex| point(vertex));
        while loop_of_points.len() > 1
            && point(&loop_of_points[0]) == point(&loop_of_points[loop_of_points.len() - 1])
        {
            loop_of_points.pop();
        }
        let mut sorted: Vec<u32> = loop_of_points.iter().map(point).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let is_simple = sorted.len() == loop_of_points.len() && sorted.len() >= 3;
        if is_simple && is_kept {
            self.add_face(&loop_of_points, first, points);
            return;
        }
        self.cut += usize::from(!is_simple);
        for triangle in first..first + corners.len() - 2 {
            let corners = mesh.triangles[triangle];
            let [a, b, c] = corners.map(|vertex| point(&vertex));
            if a != b && b != c && c != a {
                self.add_face(&corners, triangle, points);
            }
        }
    }

    fn add_face(&mut self, vertices: &[u32], triangle: usize, points: &Points) {
        self.vertices.extend_from_slice(vertices);
        self.points
            .extend(vertices.iter().map(|&vertex| points.of_vertex[vertex as usize]));
        self.starts.push(self.points.len() as u32);
        self.triangles.push(triangle as u32);
    }

    /// The corner after one of a face.
    pub(crate) fn next(&self, face: u32, corner: u32) -> u32 {
        let corners = self.face(face);
        if corner + 1 == corners.end { corners.start } else { corner + 1 }
    }

    fn join_edges(&mut self) {
        let mut known: FxHashMap<[u32; 2], u32> = FxHashMap::default();
        for face in 0..self.face_count() as u32 {
            for corner in self.face(face) {
                let ends = [corner, self.next(face, corner)].map(|corner| self.points[corner as usize]);
                let sorted = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                let edge = *known.entry(sorted).or_insert_with(|| {
                    self.ends.push(ends);
                    self.ends.len() as u32 - 1
                });
                self.edges.push(edge);
            }
        }
    }

    /// Resolves creases and corners, whose points are indices in the file.
    fn set_sharpness(&mut self, subdivision: &Subdivision, points: &Points) -> Result<(), TessellationError> {
        let is_edge: FxHashMap<[u32; 2], ()> =
            self.ends.iter().map(|&[a, b]| ([a.min(b), a.max(b)], ())).collect();
        for crease in &subdivision.creases {
            for pair in crease.points.windows(2) {
                let ends = [points.of_file(pair[0])?, points.of_file(pair[1])?];
                let sorted = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                if !is_edge.contains_key(&sorted) {
                    return Err(TessellationError::NoEdge(pair[0], pair[1]));
                }
                self.creases.push((sorted, crease.sharpness));
            }
        }
        for &(point, sharpness) in &subdivision.corners {
            self.corners.push((points.of_file(point)?, sharpness));
        }
        Ok(())
    }
}

/// Returns whether a quadrilateral bends around its corners in one direction.
fn is_convex(mesh: &Mesh, corners: &[u32]) -> bool {
    let p = |i: usize| mesh.positions[corners[i % corners.len()] as usize];
    let turns: Vec<Vec3> = (0..corners.len())
        .map(|i| (p(i + 1) - p(i)).cross(p(i + 2) - p(i + 1)))
        .collect();
    let normal: Vec3 = turns.iter().sum();
    turns.iter().all(|turn| turn.dot(normal) > 0.0)
}
