//! Debug views: shader cost and missing inputs of the materials that overrides replace.

use std::sync::Arc;

use shading::{Diagnostics, InstanceOptions, ShadingSystem};

use super::compile::{declarations, group, surface_options};
use super::overrides::Overridden;
use crate::material::{
    Host, Instances, MISSING_ATTRIBUTE, MissingInputs, WORK_ATTRIBUTE, has_attribute, known_attributes,
};
use renderer_geometry::Shape;
use renderer_scene::{MaterialId, SceneDesc};

/// Attaches the replaced shader to those `instances` of an overridden description that show its cost, and reports the missing
/// inputs of each shape to the host if an instance shows them; returns whether one does. `desc` is the description without
/// overrides.
///
/// # Errors
/// When a shader cannot be compiled.
pub(super) fn attach(
    desc: &SceneDesc,
    overridden: &Overridden,
    system: &ShadingSystem,
    host: &Host,
    shapes: &[Shape],
    instances: &mut [Instances],
) -> Result<bool, Diagnostics> {
    let added = &mut instances[desc.materials.len()..];
    let asks = |of: &Instances, name: &str| of.full.statistics().attributes.contains_key(name);
    for (of, &replaced) in added.iter_mut().zip(&overridden.replaced) {
        if asks(of, WORK_ATTRIBUTE) {
            let users = desc.shapes.iter().zip(shapes);
            let users = users.filter(|(shape, _)| shape.material == replaced);
            let options = InstanceOptions {
                attributes: known_attributes(users.map(|(_, shape)| shape)).map(Arc::new),
                counts_work: true,
                ..surface_options()
            };
            of.replaced = Some(compiled(desc, replaced, system, &options)?);
        }
    }
    let shows_missing = added.iter().any(|of| asks(of, MISSING_ATTRIBUTE));
    if shows_missing {
        host.show_missing(missing_inputs(desc, system, shapes)?);
    }
    Ok(shows_missing)
}

/// The instance of a material.
fn compiled(
    desc: &SceneDesc,
    material: MaterialId,
    system: &ShadingSystem,
    options: &InstanceOptions,
) -> Result<Arc<shading::ShaderInstance>, Diagnostics> {
    let file = Arc::new(declarations(desc));
    system.instantiate(Arc::new(group(desc.material(material), &file, system)?), options)
}

/// Missing inputs of the shader of each shape.
fn missing_inputs(
    desc: &SceneDesc,
    system: &ShadingSystem,
    shapes: &[Shape],
) -> Result<Vec<MissingInputs>, Diagnostics> {
    let ids = (0..desc.materials.len()).map(|index| MaterialId(index as u32));
    // Without the attributes of the shapes, so that the code for them is not left out.
    let compiled: Vec<_> = ids
        .map(|id| compiled(desc, id, system, &surface_options()))
        .collect::<Result<_, _>>()?;
    let lack = |(of, shape): (&renderer_scene::ShapeDesc, &Shape)| {
        let known = compiled[of.material.0 as usize].statistics();
        let mut attributes = known.attributes.iter().filter(|(_, is_tested)| !**is_tested);
        let mut names = known.missing_textures.iter().map(|texture| &texture.name);
        MissingInputs {
            is_certain: names.any(|name| !name.is_empty())
                || attributes.any(|(name, _)| !has_attribute(shape, name)),
            textures: known.textures.iter().map(|named| named.request.clone()).collect(),
        }
    };
    Ok(desc.shapes.iter().zip(shapes).map(lack).collect())
}
