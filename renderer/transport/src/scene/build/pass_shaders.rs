//! Shaders that compute values of passes: outputs of materials and attributes of shapes.

use std::collections::BTreeSet;
use std::sync::Arc;

use shading::graph::source::material as material_group;
use shading::syntax::ast;
use shading::{Diagnostic, Diagnostics, InstanceOptions, ShadingSystem};

use super::compile::declarations;
use crate::material::{OutputShader, has_attribute, known_attributes};
use renderer_geometry::Shape;
use renderer_passes::Pass;
use renderer_scene::SceneDesc;

/// For each value of a pass, the shader of each material that computes it.
pub(super) fn pass_shaders(
    desc: &SceneDesc,
    system: &ShadingSystem,
    shapes: &[Shape],
    values: &[Pass],
) -> Result<Vec<Vec<Option<OutputShader>>>, Diagnostics> {
    let file = Arc::new(declarations(desc));
    let mut users = vec![vec![]; desc.materials.len()];
    for (desc, shape) in desc.shapes.iter().zip(shapes) {
        users[desc.material.0 as usize].push(shape);
    }
    let shader = |pass: &Pass, index: usize| {
        let material = &desc.materials[index];
        let attribute;
        let (expr, output) = match pass {
            Pass::Shader(output) => (&*material.surface, output.as_str()),
            Pass::Attribute(name) => {
                let argument = ast::Argument::named("name", ast::Expr::string(name));
                attribute = ast::Expr::call(ATTRIBUTE_UNIT, vec![argument]);
                (&attribute, "result")
            }
            Pass::Light(_) | Pass::Value(_) | Pass::Crypto(_) => return None,
        };
        let group =
            material_group(&material.name, material.usage, material.span, expr, Some(output), &file).ok()?;
        let options = InstanceOptions {
            outputs: vec![output.to_owned()],
            attributes: known_attributes(users[index].iter().copied()).map(Arc::new),
            ..InstanceOptions::default()
        };
        // Errors of the material were reported before; here only the output can be missing.
        let instance = system.instantiate(Arc::new(group), &options).ok()?;
        OutputShader::new(instance, output)
    };
    values
        .iter()
        .map(|pass| {
            let shaders: Vec<_> = (0..desc.materials.len()).map(|index| shader(pass, index)).collect();
            match pass {
                Pass::Shader(output) if shaders.iter().all(Option::is_none) => {
                    let message = format!(
                        "no material has an output `{output}` of numbers for the pass `shader:{output}`"
                    );
                    let hint = "it is an `output` parameter of the unit or group that the material calls";
                    Err(Diagnostic::error(message).hint(hint).into())
                }
                _ => Ok(shaders),
            }
        })
        .collect()
}

/// Warnings of passes whose attribute no shape has.
pub(super) fn absent_attributes(shapes: &[Shape], values: &[Pass]) -> Vec<Diagnostic> {
    let warning = |pass: &Pass| {
        let Pass::Attribute(name) = pass else { return None };
        if shapes.iter().any(|shape| has_attribute(shape, name)) {
            return None;
        }
        let known: BTreeSet<String> = shapes.iter().flat_map(Shape::attribute_names).collect();
        let message = format!("no shape has an attribute `{name}`: the pass `attribute:{name}` is black");
        Some(Diagnostic::warning(message).nearest(name, known.iter().map(String::as_str)))
    };
    values.iter().filter_map(warning).collect()
}

/// Unit that reads attributes for passes.
const ATTRIBUTE_UNIT: &str = "attribute_color";
