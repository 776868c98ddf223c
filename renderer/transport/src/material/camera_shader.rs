//! Camera shaders: rays of custom cameras, by the conventions of Cycles.
//!
//! - `P` is the film point: x to the right and y upwards, both from 0 to 1. `N` is a random point of the lens in `[0,1)²`.
//! - The outputs are `position`, `direction` and `throughput`, in a space with +x to the right, +y up and +z ahead.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use shading::runtime::globals::Triple;
use shading::ty::Base;
use shading::{RayKind, ShaderGlobals, ShaderInstance, ShadingContext};

use super::cached_shading::RUNS;
use renderer_geometry::camera::{Camera, CameraRay, FilmSample, ShaderRay};

/// Distance of the film points whose rays give the differential of a ray [pixels].
const STEP: f32 = 0.25;

/// A compiled camera shader and its outputs.
#[derive(Clone, Debug)]
pub struct CameraShader {
    instance: Arc<ShaderInstance>,
    /// Index of each of [`CameraShader::OUTPUTS`] among the outputs of the instance.
    outputs: [Option<usize>; 3],
}

impl CameraShader {
    /// Names of the outputs: origin, direction and factor of a ray. The first is 0 and the last 1 if there is none.
    pub const OUTPUTS: [&str; 3] = ["position", "direction", "throughput"];

    /// Camera shader of an instance; `None` unless it has a direction and its outputs are triples.
    pub(crate) fn new(instance: Arc<ShaderInstance>) -> Option<CameraShader> {
        let outputs = CameraShader::OUTPUTS.map(|name| instance.output_index(name));
        let is_triple = |&index: &usize| {
            let ty = instance.outputs()[index].ty;
            !ty.is_array() && matches!(ty.base, Base::Color | Base::Point | Base::Vector | Base::Normal)
        };
        let is_usable = outputs[1].is_some() && outputs.iter().flatten().all(is_triple);
        is_usable.then_some(CameraShader { instance, outputs })
    }

    /// The shader's instance.
    pub(crate) fn instance(&self) -> &Arc<ShaderInstance> {
        &self.instance
    }

    /// The ray of a camera at a sample of its film.
    pub(crate) fn ray(
        &self,
        camera: &Camera,
        sample: &FilmSample,
        context: &mut ShadingContext,
    ) -> CameraRay {
        let size = camera.film_size();
        let mut at =
            |offset: Vec2| self.run(size, &FilmSample { point: sample.point + offset, ..*sample }, context);
        let rays = [at(Vec2::ZERO), at(Vec2::X * STEP), at(Vec2::Y * STEP)];
        camera.custom_ray(&rays, STEP, sample.time)
    }

    fn run(&self, size: Vec2, sample: &FilmSample, context: &mut ShadingContext) -> ShaderRay {
        let FilmSample { point, lens_u, time } = *sample;
        let (x, y) = (point.x / size.x, 1.0 - point.y / size.y);
        let globals = ShaderGlobals {
            p: Triple([x, y, 0.0, 0.0]),
            n: Triple([lens_u.x, lens_u.y, 0.0, 0.0]),
            i: Triple([0.0, 0.0, 1.0, 0.0]),
            dpdx: Triple([1.0 / size.x, 0.0, 0.0, 0.0]),
            dpdy: Triple([0.0, -1.0 / size.y, 0.0, 0.0]),
            u: x,
            v: y,
            dudx: 1.0 / size.x,
            dvdy: -1.0 / size.y,
            time,
            ray_kind: RayKind::CAMERA,
            object: u32::MAX,
            ..ShaderGlobals::default()
        };
        self.instance.run(&globals, context).expect(RUNS);
        let mut numbers = [[0.0; 3], [0.0; 3], [1.0; 3]];
        for (index, numbers) in self.outputs.iter().zip(&mut numbers) {
            if let Some(index) = index {
                self.instance.output_numbers(*index, context, numbers).expect(RUNS);
            }
        }
        let [position, direction, throughput] = numbers;
        ShaderRay {
            position: Vec3::from_array(position),
            direction: Vec3::from_array(direction),
            throughput: throughput.into(),
        }
    }
}
