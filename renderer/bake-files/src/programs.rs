//! Materials as programs for the viewer: code for patterns that textures in a lightmap's coordinates blur.

use serde_json::{Map, Value, json};

use super::scene_model::SceneModel;
use renderer_scene::{GeometryDesc, MaterialId, SceneDesc, ShapeDesc};
use renderer_support::remark;
use renderer_transport::scene::{MaterialUnits, Scene};
use shading::Diagnostics;
use shading::builtins::Global;
use shading_raster::{GlobalMember, MemberSource, Pass, RasterOptions, raster};

/// Programs of the model's materials that vary, by index, for `shaders` of `data.js`. Materials without a program keep
/// their textures; `verbose` prints the reason.
pub(super) fn of_model(desc: &SceneDesc, scene: &Scene, model: &SceneModel, verbose: bool) -> Value {
    let mut programs = Map::new();
    // Overrides change the surfaces that cameras see, but not those that are baked.
    let units = match MaterialUnits::new(desc, scene.shapes()) {
        Ok(units) if desc.overrides.is_empty() => units,
        _ => return Value::Object(programs),
    };
    for (index, shape) in model.varying() {
        let material = desc.shapes[shape].material;
        let has_uvs = |shape: &ShapeDesc| match &shape.geometry {
            GeometryDesc::Mesh(mesh) => !mesh.uvs.is_empty(),
            _ => true,
        };
        let mut users = desc.shapes.iter().filter(|shape| shape.material == material);
        match program(&units, material, users.all(has_uvs)) {
            Ok(program) => {
                programs.insert(index.to_string(), program);
            }
            Err(reason) if verbose => {
                let name = &desc.material(material).name;
                remark(&format!("the viewer shows textures of `{name}`: {reason}"));
            }
            Err(_) => {}
        }
    }
    Value::Object(programs)
}

/// The program of a material, or why there is none. The viewer knows the surface parameters of shapes that have
/// texture coordinates.
fn program(units: &MaterialUnits, material: MaterialId, has_uvs: bool) -> Result<Value, String> {
    let failure = |errors: Diagnostics| {
        let first = errors.list.first();
        first.map_or_else(String::new, |error| error.message.clone())
    };
    let Some((unit, sources)) = units.unit(material).map_err(failure)? else {
        return Err("it reads attributes".to_owned());
    };
    let options = RasterOptions { pass: Pass::Gbuffer, ..RasterOptions::default() };
    let raster = raster(&unit, &sources, units.closures(), &options).map_err(failure)?;
    if !raster.textures.is_empty() {
        return Err("it reads textures".to_owned());
    }
    let lacks = |member: &&GlobalMember| match &member.source {
        MemberSource::SurfaceArea => true,
        MemberSource::Global(global) | MemberSource::Derivative(global, _) => {
            !has_uvs && [Global::U, Global::V, Global::DPdu, Global::DPdv].contains(global)
        }
        _ => false,
    };
    if let Some(member) = raster.globals.iter().find(lacks) {
        return Err(format!("it reads `{}`", member.name));
    }
    let globals: Vec<&str> = raster.globals.iter().map(|member| member.name.as_str()).collect();
    Ok(json!({ "globals": globals, "glsl": raster.glsl }))
}
