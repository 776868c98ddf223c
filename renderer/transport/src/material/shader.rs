//! Compiled shader instances of a material: the full one, and a reduced one for emission and transparency.

use std::sync::Arc;

use shading::{InstanceOptions, RayKind, ShaderGlobals, ShaderInstance, ShadingContext};

use super::component::Flattener;
use super::recipe::Recipe;
use super::{Surface, closures};
use renderer_base::color::Rgb;
use renderer_geometry::Interaction;

/// The instances that a material is made of.
#[derive(Clone, Debug)]
pub struct Instances {
    /// What the surface does.
    pub full: Arc<ShaderInstance>,
    /// What it emits and lets through, for rays towards lights and from emitters; `None` where `full` says it as well.
    pub light: Option<Arc<ShaderInstance>>,
}

impl Instances {
    /// Compiles what rays towards lights need of `full` by `instantiate`, which made that with `options`; `purpose` is
    /// what every ray is besides its own kind.
    ///
    /// # Errors
    /// Those of `instantiate`.
    pub fn new<E>(
        full: Arc<ShaderInstance>,
        options: InstanceOptions,
        purpose: RayKind,
        instantiate: impl FnOnce(&InstanceOptions) -> Result<Arc<ShaderInstance>, E>,
    ) -> Result<Instances, E> {
        let known = full.statistics();
        let wanted = closures::seen_by_light(&known.closures);
        let light = if wanted.is_empty() || known.is_uniform {
            None
        } else {
            let light = instantiate(&InstanceOptions {
                ray_kind: Some(RayKind(RayKind::SHADOW.0 | purpose.0)),
                closures: Some(wanted),
                ..options
            })?;
            Some(light).filter(|light| light.statistics().fingerprint != known.fingerprint)
        };
        Ok(Instances { full, light })
    }
}

impl From<Arc<ShaderInstance>> for Instances {
    fn from(full: Arc<ShaderInstance>) -> Instances {
        Instances { full, light: None }
    }
}

/// An instance, and what it makes where that is the same everywhere: then it is not run.
#[derive(Clone, Debug)]
pub(super) struct Shader {
    pub(super) instance: Arc<ShaderInstance>,
    recipe: Option<Arc<Recipe>>,
}

impl Shader {
    pub(super) fn new(instance: Arc<ShaderInstance>, context: &mut ShadingContext) -> Shader {
        let recipe = Recipe::of(&instance, context);
        Shader { instance, recipe }
    }

    /// Fills `surface` with what the shader makes of a point; `globals` are those of the point.
    #[inline]
    pub(super) fn fill(
        &self,
        it: &Interaction,
        globals: impl FnOnce() -> ShaderGlobals,
        context: &mut ShadingContext,
        surface: &mut Surface,
    ) {
        if let Some(recipe) = &self.recipe {
            recipe.follow(it, surface);
        } else {
            Flattener::new(it, surface).add_tree(self.instance.run(&globals(), context));
        }
    }

    /// What the shader makes of every point alike.
    pub(super) fn recipe(&self) -> Option<&Recipe> {
        self.recipe.as_deref()
    }

    /// The radiance that it emits, where that is known to be the same everywhere.
    pub(super) fn constant_emission(&self) -> Option<Rgb> {
        self.recipe.as_ref().map(|recipe| recipe.emission())
    }
}
