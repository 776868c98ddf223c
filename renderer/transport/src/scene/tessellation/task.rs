//! Tessellation of one cage.

use std::sync::Arc;

use glam::Vec3;

use super::displacer::Displacer;
use super::group::Group;
use super::joined::{Joined, Part};
use super::metric::Metric;
use renderer_geometry::{AttributeDomain, Mesh, MeshAttribute};
use renderer_scene::{Deformation, GeometryDesc, SceneTime};
use renderer_tessellation::{Cells, Diced, Surface, TessellationError};

/// Surface of a cage, divided into cells; the cage may be replaced by one whose vertices have moved.
#[derive(Debug)]
pub(super) struct Task {
    cage: Joined,
    surface: Surface,
    cells: Cells,
    /// The triangles of the cage at rest, before displacement.
    diced: Diced,
    /// Displacement of each part.
    pub(super) displacers: Vec<Option<Arc<Displacer>>>,
}

impl Task {
    pub(super) fn new(group: &Group, metric: &Metric) -> Result<Task, TessellationError> {
        let cage = group.cage.clone();
        if let Metric::Level(level) = metric {
            Surface::check_level(&cage.mesh, *level)?;
        }
        let surface = Surface::new(&cage.mesh, &group.tessellation.subdivision, &cage.starts)?;
        let cells = metric.with(|dicing| surface.cells(&cage.mesh, dicing))?;
        let diced = surface.dice(&cage.mesh, &cells)?;
        Ok(Task { cage, surface, cells, diced, displacers: vec![] })
    }

    pub(super) fn cut_polygons(&self) -> usize {
        self.surface.cut_polygons()
    }

    /// The triangles of each part before displacement.
    pub(super) fn diced(&self) -> Vec<Part> {
        self.cage.split(&self.diced)
    }

    /// The triangles of each part.
    pub(super) fn meshes(&mut self) -> Result<Vec<Mesh>, TessellationError> {
        let diced = std::mem::take(&mut self.diced);
        self.displaced(diced)
    }

    /// The triangles of each part for another mesh with the same polygons.
    fn meshes_of(&self, mesh: &Mesh) -> Result<Vec<Mesh>, TessellationError> {
        self.displaced(self.surface.dice(mesh, &self.cells)?)
    }

    /// The parts of diced triangles after displacement.
    fn displaced(&self, mut diced: Diced) -> Result<Vec<Mesh>, TessellationError> {
        let mut parts = self.cage.split(&diced);
        if self.displacers.iter().any(Option::is_some) {
            let mut positions = diced.mesh.positions.clone();
            for (part, displacer) in parts.iter().zip(&self.displacers) {
                let Some(displacer) = displacer else {
                    continue;
                };
                for (&vertex, position) in part.vertices.iter().zip(displacer.displaced(&part.mesh)) {
                    positions[vertex as usize] = position;
                }
            }
            if self.displacers.iter().flatten().any(|displacer| displacer.keeps_places) {
                keep_places(&mut diced.mesh);
            }
            diced.displace(positions);
            diced.mesh = diced
                .mesh
                .validate()
                .map_err(|error| TessellationError::Mesh(format!("after displacement, {error}")))?;
            parts = self.cage.split(&diced);
        }
        Ok(parts.into_iter().map(|part| part.mesh).collect())
    }

    /// A deformation of a cage of one part as one of its triangles.
    pub(super) fn deformation(self: Arc<Task>, cage: Arc<dyn Deformation>) -> Arc<dyn Deformation> {
        Arc::new(Displaced { cage, task: self })
    }
}

/// Stores positions and normals as attributes, which the library's unit `undisplaced` reads.
fn keep_places(mesh: &mut Mesh) {
    let normals = match mesh.normals.is_empty() {
        true => mesh.smooth_normals(),
        false => mesh.normals.clone(),
    };
    let attribute = |name: &str, values: &[Vec3]| MeshAttribute {
        name: name.to_owned(),
        domain: AttributeDomain::Vertex,
        width: 3,
        values: values.iter().flat_map(Vec3::to_array).collect(),
        properties: vec![],
    };
    let places = [
        attribute("undisplaced_position", &mesh.positions),
        attribute("undisplaced_normal", &normals),
    ];
    mesh.attributes.retain(|known| places.iter().all(|new| known.name != new.name));
    mesh.attributes.extend(places);
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
        let mesh = self.task.meshes_of(&mesh).ok()?.pop()?;
        Some(GeometryDesc::Mesh(Arc::new(mesh)))
    }
}
