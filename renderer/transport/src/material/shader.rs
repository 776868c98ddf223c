//! Compiled shader instances of a material: the full one, and a reduced one for emission and transparency.

use std::sync::Arc;

use shading::codegen::Statistics;
use shading::{InstanceOptions, RayKind, ShaderGlobals, ShaderInstance, ShadingContext, UsedClosures};

use super::cached_shading::{CachedShading, RUNS};
use super::component::Flattener;
use super::{CameraShader, ShadingResult, closure_effects, interior};
use renderer_base::color::Rgb;
use renderer_geometry::Interaction;
use renderer_scene::Priority;

/// Shader instances of a material.
#[derive(Clone, Debug)]
pub struct Instances {
    /// Full surface shader.
    pub full: Arc<ShaderInstance>,
    /// Reduced shader for emission and transparency, for shadow rays and light sampling; `None` if it equals `full`.
    pub light: Option<Arc<ShaderInstance>>,
    /// Shader that an override replaces by `full`, compiled to count its cost; `None` if `full` does not read it.
    pub(crate) replaced: Option<Arc<ShaderInstance>>,
    /// Shader of the interior medium; `None` without a medium.
    pub inside: Option<Arc<ShaderInstance>>,
    /// Camera shader, if the material is that of a camera.
    pub(crate) camera: Option<CameraShader>,
    /// Displacement shader, for checks: shapes are displaced before their materials are compiled.
    pub(crate) displacement: Option<Arc<ShaderInstance>>,
}

impl Instances {
    /// Returns whether the material may transmit light straight through.
    pub(crate) fn may_be_transparent(&self) -> bool {
        closure_effects::flags(self.full.statistics()).transparent
    }

    /// Instances of the material.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<ShaderInstance>> {
        let camera = self.camera.as_ref().map(CameraShader::instance);
        let all = [Some(&self.full), self.light.as_ref(), self.inside.as_ref(), camera];
        all.into_iter().flatten()
    }

    /// Statistics of the shaders of the surface, of the medium, of the camera and of the displacement.
    pub(crate) fn known(&self) -> impl Iterator<Item = &Statistics> {
        let camera = self.camera.as_ref().map(CameraShader::instance);
        let all = [Some(&self.full), self.inside.as_ref(), camera, self.displacement.as_ref()];
        all.into_iter().flatten().map(|instance| instance.statistics())
    }

    /// Returns whether the material may refract light.
    pub(crate) fn may_refract(&self) -> bool {
        let known = self.full.statistics();
        known
            .closures
            .iter()
            .any(|&id| closure_effects::refraction(id, known).is_some())
    }

    /// Priority that the shader of the medium gives.
    pub(crate) fn priority(&self) -> Option<Priority> {
        let inside = self.inside.as_ref()?;
        interior::medium_constants(inside.statistics()).map(|(_, priority)| priority)
    }

    /// Returns whether the material may emit.
    pub(crate) fn may_emit(&self) -> bool {
        closure_effects::flags(self.full.statistics()).emits
    }

    /// Compiles the reduced shader of `full` with `instantiate`, which compiled `full` with `options`; `purpose` is the
    /// ray kind added to every ray.
    ///
    /// # Errors
    /// Errors of `instantiate`.
    pub fn new<E>(
        full: Arc<ShaderInstance>,
        options: InstanceOptions,
        purpose: RayKind,
        instantiate: impl Fn(&InstanceOptions) -> Result<Arc<ShaderInstance>, E>,
    ) -> Result<Instances, E> {
        let known = full.statistics();
        let wanted = closure_effects::light_closures(known);
        let light = if wanted.is_empty() || known.is_uniform {
            None
        } else {
            let light = instantiate(&InstanceOptions {
                ray_kind: Some(RayKind(RayKind::SHADOW.0 | purpose.0)),
                closures: Some(UsedClosures { ids: wanted, adds_nested: false }),
                ..options.clone()
            })?;
            Some(light).filter(|light| light.statistics().fingerprint != known.fingerprint)
        };
        let medium = closure_effects::interior_closures(known);
        let inside = match medium.is_empty() {
            true => None,
            false => {
                let closures = Some(UsedClosures { ids: medium, adds_nested: true });
                let options = InstanceOptions { closures, keeps_hir: true, ..options };
                Some(instantiate(&options)?)
            }
        };
        Ok(Instances {
            full,
            light,
            inside,
            replaced: None,
            camera: None,
            displacement: None,
        })
    }
}

impl From<Arc<ShaderInstance>> for Instances {
    fn from(full: Arc<ShaderInstance>) -> Instances {
        Instances {
            full,
            light: None,
            inside: None,
            replaced: None,
            camera: None,
            displacement: None,
        }
    }
}

/// Shader instance with its cached result; an instance with a cached result is not run.
#[derive(Clone, Debug)]
pub(super) struct Shader {
    pub(super) instance: Arc<ShaderInstance>,
    cached: Option<Arc<CachedShading>>,
}

impl Shader {
    pub(super) fn new(instance: Arc<ShaderInstance>, context: &mut ShadingContext) -> Shader {
        let cached = CachedShading::of(&instance, context);
        Shader { instance, cached }
    }

    /// Fills `surface` with the shading result at a point; `globals` are those of the point.
    #[inline]
    pub(super) fn fill(
        &self,
        it: &Interaction,
        globals: impl FnOnce() -> ShaderGlobals,
        context: &mut ShadingContext,
        surface: &mut ShadingResult,
    ) {
        if let Some(cached) = self.cached.as_ref().filter(|_| surface.outside == 1.0) {
            cached.fill(it, surface);
        } else {
            let tree = self.instance.run(&globals(), context).expect(RUNS);
            Flattener::new(it, surface).add_tree(tree);
        }
    }

    /// Cached shading result of a uniform shader.
    pub(super) fn cached(&self) -> Option<&CachedShading> {
        self.cached.as_deref()
    }

    /// Emitted radiance; `None` unless it is known to be constant.
    pub(super) fn constant_emission(&self) -> Option<Rgb> {
        self.cached.as_ref().map(|cached| cached.emission())
    }
}
