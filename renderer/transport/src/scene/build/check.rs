//! Checks of descriptions without building the scene: `kiln check`, and the files that a scene needs.

use std::sync::Arc;

use shading::codegen::Statistics;
use shading::{Diagnostic, Diagnostics, Preprocessor, Template};

use super::compile::{Compiled, add_displacements, compile, shading_system};
use super::links::unmatched_patterns;
use super::warnings::{missing_clouds, missing_textures, shaders_of, texture_diagnostic};
use super::{host, unlimited_host, with_names};
use crate::material::Host;
use renderer_geometry::Shape;
use renderer_scene::SceneDesc;

/// Result of checking a scene.
#[derive(Debug)]
pub struct Checked {
    /// Units and groups declared by its sources.
    pub templates: Vec<Template>,
    /// Warnings.
    pub warnings: Diagnostics,
}

/// Compiles the units, groups and materials of a scene without building it.
///
/// # Errors
/// All errors in them.
pub fn check(desc: &SceneDesc) -> Result<Checked, Diagnostics> {
    let host = with_names(unlimited_host(desc), desc);
    let no_camera = if desc.is_library() { None } else { desc.camera(None).err() };
    match compile_alone(desc, &host) {
        Ok(Compiled { templates, instances, warnings }) => {
            let mut warnings = missing_textures(desc, &instances, false, warnings)?;
            warnings.add_new(missing_clouds(desc, &instances, &host));
            let shaders = shaders_of(&instances);
            let faults = host.file_faults();
            warnings
                .list
                .extend(faults.iter().map(|fault| texture_diagnostic(desc, &shaders, fault)));
            warnings.list.extend(unmatched_patterns(desc));
            warnings.list.extend(no_camera);
            warnings.clone().into_result(Checked { templates, warnings })
        }
        Err(mut errors) => {
            errors.list.extend(no_camera);
            Err(errors)
        }
    }
}

/// Errors in the units, groups and materials of an incomplete description.
pub fn shader_errors(desc: &SceneDesc) -> Diagnostics {
    let host = with_names(unlimited_host(desc), desc);
    compile_alone(desc, &host).err().unwrap_or_default()
}

/// Compiles the materials of a scene without regard to its shapes.
fn compile_alone(desc: &SceneDesc, host: &Arc<Host>) -> Result<Compiled, Diagnostics> {
    let system = shading_system(host.clone(), Preprocessor::default());
    let mut compiled = compile(desc, &system, host.purpose(), &[])?;
    add_displacements(desc, &system, &mut compiled)?;
    Ok(compiled)
}

/// Compiles the materials of a scene, for rendering and for baking, and checks that each file they name exists; neither
/// reads files nor builds the scene.
///
/// # Errors
/// All errors in them, missing files included.
pub fn find_inputs(desc: &SceneDesc) -> Result<Diagnostics, Diagnostics> {
    let shutter = desc.film.shutter.instant();
    let shapes: Vec<Shape> = desc.shapes.iter().map(|shape| shape.build(&shutter)).collect();
    let mut diagnostics = Diagnostics::default();
    for host in [host(desc), host(desc).for_bake()] {
        let host = with_names(host, desc);
        let system = shading_system(host.clone(), Preprocessor::default());
        let mut compiled = compile(desc, &system, host.purpose(), &shapes)?;
        add_displacements(desc, &system, &mut compiled)?;
        let found = missing_textures(desc, &compiled.instances, false, compiled.warnings)?;
        diagnostics.add_new(found.list);
        diagnostics.add_new(missing_clouds(desc, &compiled.instances, &host));
        for (material, instances) in desc.materials.iter().zip(&compiled.instances) {
            for name in instances.known().flat_map(|known| &known.late_files) {
                host.finds_texture(name);
            }
            let any = |of: fn(&Statistics) -> bool| instances.known().any(of);
            let computed = [
                (any(|known| known.computes_cloud_names), "point clouds", "searches"),
                (any(|known| known.computes_texture_names), "textures", "asks for"),
            ];
            for (_, what, uses) in computed.into_iter().filter(|(is_so, ..)| *is_so) {
                let message = format!(
                    "material `{}` computes names of {what} while it runs: which it {uses} is not known",
                    material.name
                );
                let warning = Diagnostic::warning(message).at(&desc.sources, material.surface.span, "");
                diagnostics.add_new(vec![warning]);
            }
        }
    }
    Ok(diagnostics)
}
