//! Tessellation: shapes that are subdivided or displaced become triangle meshes, before the scene is built.

mod displacer;
mod displacers;
mod group;
mod joined;
mod metric;
mod task;

use std::borrow::Cow;
use std::sync::Arc;

use shading::{Diagnostic, Diagnostics, RayKind};

use super::emitters::on_threads;
use displacers::displace;
use group::{groups, tessellation_of};
use metric::Metric;
use renderer_scene::{DicingDesc, DisplacementMode, GeometryDesc, SceneDesc, ShapeDesc};
use task::Task;

/// A description without shapes that need tessellation.
pub(super) struct Tessellated<'a> {
    pub(super) desc: Cow<'a, SceneDesc>,
    pub(super) warnings: Diagnostics,
}

/// Tessellates the shapes of a description, for one of its cameras; the first if none is named.
///
/// # Errors
/// Unknown camera; surfaces that cannot be subdivided, or not within memory; errors of displacement shaders.
pub(super) fn tessellated<'a>(
    desc: &'a SceneDesc,
    camera: Option<&str>,
    threads: usize,
    purpose: RayKind,
) -> Result<Tessellated<'a>, Diagnostics> {
    let mut warnings = Diagnostics::default();
    let groups = groups(desc)?;
    if groups.is_empty() {
        return Ok(Tessellated { desc: Cow::Borrowed(desc), warnings });
    }
    let shutter = match purpose == RayKind::default() {
        true => desc.film.shutter,
        false => desc.film.shutter.instant(),
    };
    let mut result = desc.clone();
    on_threads(threads, || {
        let mut tasks = vec![];
        for group in groups {
            let metric = Metric::new(desc, camera, &shutter, &group)?;
            let task = Task::new(&group, &metric).map_err(|error| group.failure(desc, &error))?;
            if task.cut_polygons() > 0 {
                let message = format!(
                    "{} polygons of `{}` touch a point twice; they are cut into triangles",
                    task.cut_polygons(),
                    group.first(desc).name
                );
                warnings.push(Diagnostic::warning(message).at(&desc.sources, group.first(desc).span, ""));
            }
            tasks.push((group, task));
        }
        displace(desc, &mut tasks, &shutter, purpose)?;
        for (group, mut task) in tasks {
            let meshes = task.meshes().map_err(|error| group.failure(desc, &error))?;
            let geometries: Vec<GeometryDesc> = meshes.into_iter().map(GeometryDesc::from).collect();
            let task = Arc::new(task);
            for (&shape, geometry) in group.instances.iter().flat_map(|parts| parts.iter().zip(&geometries)) {
                let shape = &mut result.shapes[shape];
                shape.geometry = geometry.clone();
                shape.tessellation = None;
                let inner = shape.deformation.take();
                shape.deformation = inner.map(|inner| task.clone().deformation(inner));
            }
        }
        Ok::<(), Diagnostics>(())
    })?;
    for material in &mut result.materials {
        match material.displacement_mode {
            DisplacementMode::True => material.displacement = None,
            DisplacementMode::Bump | DisplacementMode::Both => {
                material.displacement_mode = DisplacementMode::Bump;
            }
        }
    }
    Ok(Tessellated { desc: Cow::Owned(result), warnings })
}

/// The description of a bake, or of a picture of its first camera, without shapes that need tessellation.
///
/// # Errors
/// As building the scene, for these shapes.
pub fn tessellate(
    desc: SceneDesc,
    threads: usize,
    purpose: RayKind,
) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
    let Tessellated { desc: result, warnings } = tessellated(&desc, None, threads, purpose)?;
    match result {
        Cow::Owned(result) => Ok((result, warnings)),
        Cow::Borrowed(_) => Ok((desc, warnings)),
    }
}

/// Returns whether the triangles of a description depend on the frame, because their size is in pixels and the camera or a
/// shape moves.
pub(super) fn depends_on_frame(desc: &SceneDesc) -> bool {
    let in_pixels = |shape: &ShapeDesc| {
        tessellation_of(desc, shape).is_some_and(|desc| matches!(desc.dicing, DicingDesc::Pixels(_)))
    };
    let is_moving = desc.cameras.iter().any(|camera| camera.motion.is_some());
    desc.shapes
        .iter()
        .any(|shape| in_pixels(shape) && (is_moving || shape.is_moving()))
}
