//! The result of scene construction, with the names of its shapes and lights.

use std::time::Duration;

use shading::Diagnostics;

use super::compiled_scene::ShaderStats;
use crate::material::{OutputShader, Sides};
use crate::scene::{LightName, Scene, SceneNames, ShapeName};
use renderer_geometry::ShapeId;
use renderer_geometry::camera::Camera;
use renderer_image::film::Filter;
use renderer_scene::{EmissionSides, Integrator, MaterialDesc, SceneDesc, ShapeDesc};

/// A description built for rendering.
#[derive(Clone, Debug)]
pub struct Built {
    /// Scene.
    pub scene: Scene,
    /// Camera, for the film of the description.
    pub camera: Camera,
    /// Pixel reconstruction filter.
    pub filter: Filter,
    /// Integrator settings.
    pub integrator: Integrator,
    /// Names of shapes and lights.
    pub names: SceneNames,
    /// For each value that passes request from shaders, the shader of each material that has it.
    pub pass_shaders: Vec<Vec<Option<OutputShader>>>,
    /// Statistics of shader compilation.
    pub shaders: ShaderStats,
    /// Time to build lights, textures and the acceleration structure.
    pub build: Duration,
    /// Warnings.
    pub warnings: Diagnostics,
}

/// Sidedness of a material.
pub(in crate::scene) fn sides(material: &MaterialDesc) -> Sides {
    Sides {
        one_sided: material.one_sided,
        culled: material.culled,
        two_sided_emission: material.emission == EmissionSides::Both,
        is_dark: material.emission == EmissionSides::Neither,
        priority: material.priority,
        nesting: material.nesting,
    }
}

/// Names of a scene's shapes and lights; `lights` are those of lights that are not shapes.
pub(in crate::scene) fn pass_names(
    desc: &SceneDesc,
    scene: &Scene,
    mut lights: Vec<LightName>,
) -> SceneNames {
    let shapes: Vec<ShapeName> = desc.shapes.iter().map(|shape| shape_name(desc, shape)).collect();
    // Lights of shapes follow in the order of these.
    for (index, (shape, name)) in desc.shapes.iter().zip(&shapes).enumerate() {
        if scene.light_of(ShapeId(index as u32)).is_some() {
            lights.push(LightName {
                name: name.object.clone(),
                group: desc.material(shape.material).group.clone(),
            });
        }
    }
    SceneNames { shapes, lights }
}

/// Names of a shape; those of a model's are paths that begin with its name: `room/table`.
fn shape_name(desc: &SceneDesc, shape: &ShapeDesc) -> ShapeName {
    let own = |asset: &str| Some(shape.name.strip_prefix(asset)?.strip_prefix('.')?.to_owned());
    let object = match shape.asset.as_deref().and_then(|asset| Some((asset, own(asset)?))) {
        Some((asset, own)) => format!("{asset}/{own}").into(),
        None => shape.name.clone(),
    };
    ShapeName {
        catcher: shape.catcher,
        asset: shape.asset.clone().unwrap_or_else(|| object.clone()),
        material: desc.material(shape.material).name.as_str().into(),
        object,
    }
}
