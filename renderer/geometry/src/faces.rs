//! Polygons of a mesh, which subdivision needs.

/// Polygons whose triangulation is the list of triangles of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faces {
    /// Number of corners of each polygon, at least 3. A polygon of n corners is n − 2 consecutive triangles.
    pub sizes: Vec<u32>,
    /// Vertices at the corners of all polygons, counter-clockwise from the front.
    pub corners: Vec<u32>,
    /// Index of each vertex's position in the file: vertices with the same one are one point of the surface. If empty,
    /// vertices with equal positions are.
    pub points: Vec<u32>,
}

impl Faces {
    /// Adds a polygon.
    pub fn push(&mut self, corners: &[u32]) {
        self.sizes.push(corners.len() as u32);
        self.corners.extend_from_slice(corners);
    }

    /// The vertices of each polygon, with its first triangle.
    pub fn iter(&self) -> impl Iterator<Item = (&[u32], usize)> {
        let mut rest = &self.corners[..];
        let mut triangle = 0;
        self.sizes.iter().map(move |&size| {
            let (corners, after) = rest.split_at((size as usize).min(rest.len()));
            rest = after;
            let first = triangle;
            triangle += (size as usize).saturating_sub(2);
            (corners, first)
        })
    }
}
