//! Displacement shaders of the tessellated shapes of a scene.

use std::sync::Arc;

use shading::graph::source::displacement as displacement_group;
use shading::syntax::ast::Expr;
use shading::{Diagnostic, Diagnostics, InstanceOptions, Preprocessor, RayKind};

use super::displacer::Displacer;
use super::group::{Group, world_from_object};
use super::task::Task;
use crate::material::{DisplacementShader, known_attributes};
use crate::scene::build::{declarations, host, loaded_system, texture_diagnostic, with_names};
use renderer_geometry::{Shape, ShapeId};
use renderer_scene::{GeometryDesc, SceneDesc, Shutter};

/// Displacements of tasks.
pub(super) struct Displacers {
    list: Vec<Option<Arc<Displacer>>>,
}

impl Displacers {
    /// Compiles the displacement shaders, and loads what they read.
    ///
    /// # Errors
    /// Errors of shaders; textures that cannot be read.
    pub(super) fn new(
        desc: &SceneDesc,
        tasks: &[(Group, Task)],
        shutter: &Shutter,
        purpose: RayKind,
    ) -> Result<Displacers, Diagnostics> {
        if tasks.iter().all(|(group, _)| group.displacement(desc).is_none()) {
            return Ok(Displacers { list: vec![None; tasks.len()] });
        }
        // A host of its own: shaders run before the shapes exist that other shaders see.
        let host = match purpose == RayKind::default() {
            true => host(desc),
            false => host(desc).for_bake(),
        };
        let host = with_names(host, desc);
        let system = loaded_system(desc, host.clone(), Preprocessor::default())?;
        let file = Arc::new(declarations(desc));
        let shapes = shapes(desc, tasks, shutter)?;
        let mut shaders = vec![];
        for (group, _) in tasks {
            let Some(expr) = group.displacement(desc) else {
                shaders.push(None);
                continue;
            };
            let name = &desc.materials[group.first(desc).material.0 as usize].name;
            let template = displacement_group(name, expr.span, expr, &file)?;
            let users = group.shapes.iter().map(|&shape| &shapes[shape]);
            let options = InstanceOptions {
                outputs: vec![DisplacementShader::OUTPUT.to_owned()],
                attributes: known_attributes(users).map(Arc::new),
                ..InstanceOptions::default()
            };
            let instance = system.instantiate(Arc::new(template), &options)?;
            let shader = DisplacementShader::new(instance.clone()).ok_or_else(|| unmoved(desc, expr))?;
            shaders.push(Some((instance, shader)));
        }
        let known: Vec<_> = shaders
            .iter()
            .map(|shader| shader.iter().map(|(instance, _)| instance.clone()).collect())
            .collect();
        host.freeze(shapes.into(), Default::default(), true)
            .map_err(|faults| Diagnostics {
                list: faults.iter().map(|fault| texture_diagnostic(desc, &known, fault)).collect(),
            })?;
        let displacer = |((group, _), shader): (&(Group, Task), Option<(_, DisplacementShader)>)| {
            let (_, shader) = shader?;
            let shape = group.first(desc);
            Some(Arc::new(Displacer {
                host: host.clone(),
                shader,
                shape: ShapeId(group.shapes[0] as u32),
                world_from_object: world_from_object(shape, shutter),
            }))
        };
        Ok(Displacers { list: tasks.iter().zip(shaders).map(displacer).collect() })
    }

    /// The displacement of a task.
    pub(super) fn get(&self, task: usize) -> Option<Arc<Displacer>> {
        self.list[task].clone()
    }
}

/// The shapes of a description as displacement shaders see them: divided into triangles, without displacement.
fn shapes(desc: &SceneDesc, tasks: &[(Group, Task)], shutter: &Shutter) -> Result<Vec<Shape>, Diagnostics> {
    let mut described = desc.shapes.clone();
    for (group, task) in tasks {
        let diced = task.diced().map_err(|error| group.failure(desc, &error))?;
        let geometry = GeometryDesc::Mesh(Arc::new(diced.mesh));
        for &shape in &group.shapes {
            described[shape].geometry = geometry.clone();
            described[shape].deformation = None;
        }
    }
    Ok(described.iter().map(|shape| shape.build(&shutter.instant())).collect())
}

fn unmoved(desc: &SceneDesc, expr: &Expr) -> Diagnostics {
    let error = Diagnostic::error("the displacement shader does not move the surface")
        .at(&desc.sources, expr.span, "")
        .hint("a displacement shader assigns to `P`: `displacement lift(float height = 0.1) { P += height * N; }`");
    error.into()
}
