//! Output shaders: shaders whose outputs are values for passes.

use std::sync::Arc;

use shading::ShaderInstance;
use shading::ty::Base;

use super::{HitRay, Material, ShadingContext};
use renderer_geometry::{Footprint, Interaction};

/// A shader and one of its outputs.
#[derive(Clone, Debug)]
pub struct OutputShader {
    instance: Arc<ShaderInstance>,
    output: usize,
    /// Number of components of the output: 1 or 3.
    count: usize,
}

impl OutputShader {
    /// Shader of an output; `None` unless the output is a number or a triple.
    pub(crate) fn new(instance: Arc<ShaderInstance>, output: &str) -> Option<OutputShader> {
        let index = instance.output_index(output)?;
        let ty = instance.outputs()[index].ty;
        let count = match ty.base {
            _ if ty.is_array() => return None,
            Base::Int | Base::Float => 1,
            Base::Color | Base::Point | Base::Vector | Base::Normal => 3,
            Base::Matrix | Base::String | Base::Closure | Base::Void | Base::Struct(_) => return None,
        };
        Some(OutputShader { instance, output: index, count })
    }

    /// Value at a hit of a ray; a single number fills all three channels.
    pub fn value(
        &self,
        material: &Material,
        it: &Interaction,
        ray: HitRay,
        footprint: &Footprint,
        context: &mut ShadingContext,
    ) -> [f32; 3] {
        material.run_instance(&self.instance, it, ray, footprint, context);
        let mut numbers = [0.0; 3];
        self.instance
            .output_numbers(self.output, context, &mut numbers[..self.count])
            .expect("the output exists, and the instance was the last to run");
        match self.count {
            1 => [numbers[0]; 3],
            _ => numbers,
        }
    }
}
