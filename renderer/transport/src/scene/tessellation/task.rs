//! Tessellation of one mesh.

use std::sync::Arc;

use super::displacer::Displacer;
use super::group::Group;
use super::metric::Metric;
use renderer_geometry::Mesh;
use renderer_scene::{Deformation, GeometryDesc, SceneTime};
use renderer_tessellation::{Cells, Diced, Surface, TessellationError};

/// Surface of a mesh, divided into cells; the mesh may be replaced by one whose vertices have moved.
#[derive(Debug)]
pub(super) struct Task {
    mesh: Arc<Mesh>,
    surface: Surface,
    cells: Cells,
    pub(super) displacer: Option<Arc<Displacer>>,
}

impl Task {
    pub(super) fn new(group: &Group, metric: &Metric) -> Result<Task, TessellationError> {
        let mesh = group.mesh.clone();
        let surface = Surface::new(&mesh, &group.tessellation.subdivision)?;
        let cells = metric.with(|dicing| surface.cells(&mesh, dicing))?;
        Ok(Task { mesh, surface, cells, displacer: None })
    }

    pub(super) fn cut_polygons(&self) -> usize {
        self.surface.cut_polygons()
    }

    /// The triangles before displacement.
    pub(super) fn diced(&self) -> Result<Diced, TessellationError> {
        self.surface.dice(&self.mesh, &self.cells)
    }

    /// The triangles.
    pub(super) fn mesh(&self) -> Result<Mesh, TessellationError> {
        self.mesh_of(&self.mesh)
    }

    /// The triangles of a mesh that has the same polygons.
    pub(super) fn mesh_of(&self, mesh: &Mesh) -> Result<Mesh, TessellationError> {
        let mut diced = self.surface.dice(mesh, &self.cells)?;
        if let Some(displacer) = &self.displacer {
            let moved = displacer.displaced(&diced.mesh);
            diced.displace(moved);
            let mesh = diced.mesh.validate();
            return mesh.map_err(|error| TessellationError::Mesh(format!("after displacement, {error}")));
        }
        Ok(diced.mesh)
    }

    /// A deformation of the mesh as one of the triangles.
    pub(super) fn deformation(self: Arc<Task>, cage: Arc<dyn Deformation>) -> Arc<dyn Deformation> {
        Arc::new(Displaced { cage, task: self })
    }
}

/// Surface of a cage that moves; its triangles stay the same.
#[derive(Debug)]
struct Displaced {
    cage: Arc<dyn Deformation>,
    task: Arc<Task>,
}

impl Deformation for Displaced {
    fn at(&self, time: SceneTime) -> Option<GeometryDesc> {
        let GeometryDesc::Mesh(mesh) = self.cage.at(time)? else {
            return None;
        };
        Some(GeometryDesc::Mesh(Arc::new(self.task.mesh_of(&mesh).ok()?)))
    }
}
