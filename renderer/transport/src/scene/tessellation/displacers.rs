//! Displacement shaders of the tessellated shapes of a scene.

use std::sync::Arc;

use shading::{Diagnostics, Preprocessor, RayKind, ShaderInstance};

use super::displacer::Displacer;
use super::group::{Group, displacement, world_from_object};
use super::task::Task;
use crate::material::{DisplacementShader, known_attributes};
use crate::scene::build::{
    declarations, displacement_instance, host, loaded_system, texture_diagnostic, with_names,
};
use renderer_geometry::camera::CameraView;
use renderer_geometry::{Shape, ShapeId};
use renderer_scene::{DisplacementMode, GeometryDesc, SceneDesc, Shutter};

/// Gives the displacements of their materials to tasks: compiles the shaders, and loads the files that they read.
///
/// # Errors
/// Errors of shaders; textures that cannot be read.
pub(super) fn displace(
    desc: &SceneDesc,
    tasks: &mut [(Group, Task)],
    shutter: &Shutter,
    purpose: RayKind,
) -> Result<(), Diagnostics> {
    let parts = |group: &Group| group.instances[0].clone();
    let is_displaced = |&part: &usize| displacement(desc, &desc.shapes[part]).is_some();
    if !tasks.iter().any(|(group, _)| parts(group).iter().any(is_displaced)) {
        return Ok(());
    }
    // A host of its own: shaders run before the shapes exist that other shaders see.
    let host = match purpose == RayKind::default() {
        true => host(desc),
        false => host(desc).for_bake(),
    };
    let host = with_names(host, desc);
    let system = loaded_system(desc, host.clone(), Preprocessor::default())?;
    let file = Arc::new(declarations(desc));
    let shapes = shapes(desc, tasks, shutter);
    let mut instances: Vec<Vec<Arc<ShaderInstance>>> = vec![vec![]; desc.materials.len()];
    for (group, task) in &mut *tasks {
        for part in parts(group) {
            let shape = &desc.shapes[part];
            let material = &desc.materials[shape.material.0 as usize];
            let attributes = known_attributes([&shapes[part]]).map(Arc::new);
            let moves = displacement(desc, shape).is_some();
            let instance = displacement_instance(material, &file, &system, attributes)?;
            let Some(instance) = instance.filter(|_| moves) else {
                task.displacers.push(None);
                continue;
            };
            instances[shape.material.0 as usize].push(instance.clone());
            task.displacers.push(DisplacementShader::new(instance).map(|shader| {
                Arc::new(Displacer {
                    host: host.clone(),
                    shader,
                    shape: ShapeId(part as u32),
                    world_from_object: world_from_object(shape, shutter),
                    keeps_places: material.displacement_mode == DisplacementMode::Both,
                })
            }));
        }
    }
    host.freeze(shapes.into(), CameraView::default(), true)
        .map_err(|faults| Diagnostics {
            list: faults.iter().map(|fault| texture_diagnostic(desc, &instances, fault)).collect(),
        })
}

/// The shapes of a description as displacement shaders see them: divided into triangles, without displacement.
fn shapes(desc: &SceneDesc, tasks: &[(Group, Task)], shutter: &Shutter) -> Vec<Shape> {
    let mut described = desc.shapes.clone();
    for (group, task) in tasks {
        let geometries: Vec<GeometryDesc> = task.diced().into_iter().map(|part| part.mesh.into()).collect();
        for (&shape, geometry) in group.instances.iter().flat_map(|parts| parts.iter().zip(&geometries)) {
            described[shape].geometry = geometry.clone();
            described[shape].deformation = None;
        }
    }
    described.iter().map(|shape| shape.build(&shutter.instant())).collect()
}
