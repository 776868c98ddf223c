//! Surfaces that can be evaluated: limit surfaces and polygons.

use rayon::prelude::*;

use crate::attributes::AttributeBasis;
use crate::borders::Borders;
use crate::cage::Cage;
use crate::cells::refuse_too_many;
use crate::limit::LimitSurface;
use crate::patch::{Location, Patches};
use crate::point::Point;
use crate::polygons;
use crate::{Scheme, Subdivision, TessellationError};
use renderer_geometry::Mesh;

/// Topology of a surface; meshes with other positions and the same polygons have the same.
#[derive(Debug)]
pub struct Surface {
    pub(crate) cage: Cage,
    pub(crate) borders: Borders,
    pub(crate) scheme: Scheme,
    /// The limit surface; polygons without one.
    pub(crate) limit: Option<LimitSurface>,
}

impl Surface {
    /// The surface of a mesh. Vertices are not shared between the `parts` of the mesh, each given by its first triangle.
    ///
    /// # Errors
    /// Invalid indices of creases, corners and holes; topology that cannot be subdivided.
    pub fn new(mesh: &Mesh, subdivision: &Subdivision, parts: &[u32]) -> Result<Surface, TessellationError> {
        let cage = Cage::new(mesh, subdivision)?;
        let borders = Borders::new(&cage, mesh, subdivision.scheme, parts);
        let channel = (&borders.channel[..], mesh.positions.len());
        let limit = match subdivision.scheme {
            Scheme::Polygons => None,
            Scheme::CatmullClark | Scheme::Loop => Some(LimitSurface::new(&cage, channel, subdivision)?),
        };
        Ok(Surface { cage, borders, scheme: subdivision.scheme, limit })
    }

    /// Number of polygons that touch a point twice, which are cut into triangles.
    pub fn cut_polygons(&self) -> usize {
        self.cage.cut
    }

    /// Refuses a level whose triangles exceed memory, without the time to make the limit surface.
    ///
    /// # Errors
    /// If they do not.
    pub fn check_level(mesh: &Mesh, level: u32) -> Result<(), TessellationError> {
        // A polygon of n − 2 triangles gives at least (n − 2) / 2 · 4^level squares.
        let squares = mesh.triangles.len() as f64 / 2.0;
        refuse_too_many(2.0 * squares * 4.0f64.powi(level.min(32) as i32))
    }

    pub(crate) fn patches(&self) -> Patches<'_> {
        let whole = match self.scheme {
            Scheme::CatmullClark | Scheme::Polygons => Some(4),
            Scheme::Loop => None,
        };
        Patches::new(&self.cage, whole)
    }

    /// The values from which positions are evaluated.
    pub(crate) fn controls(&self, mesh: &Mesh) -> Vec<[f32; 3]> {
        let at = |&vertex: &u32| mesh.positions[vertex as usize].to_array();
        let points: Vec<[f32; 3]> = self.cage.vertex_of_point.iter().map(at).collect();
        match &self.limit {
            Some(limit) => limit.refined(points),
            None => points,
        }
    }

    pub(crate) fn point(&self, patches: &Patches<'_>, controls: &[[f32; 3]], at: Location) -> Point {
        let patch = patches.list[at.patch as usize];
        match &self.limit {
            Some(limit) => limit.point(&self.cage, patch, controls, at.st),
            None => polygons::point(&self.cage, patch, controls, at.st),
        }
    }

    pub(crate) fn attribute_basis(&self, patches: &Patches<'_>, at: Location) -> AttributeBasis {
        let patch = patches.list[at.patch as usize];
        let smooth = self
            .limit
            .as_ref()
            .and_then(|limit| limit.attribute_basis(&self.cage, patch, at.st));
        smooth.unwrap_or_else(|| polygons::attribute_basis(&self.cage, patch, at.st))
    }

    /// Values of attributes at the vertices, refined by the rules of the limit surface; one column for each number.
    pub(crate) fn refined_columns(&self, columns: Vec<Vec<f32>>) -> Vec<Vec<f32>> {
        match &self.limit {
            Some(limit) => columns.into_par_iter().map(|column| limit.refined_attribute(column)).collect(),
            None => columns,
        }
    }
}
