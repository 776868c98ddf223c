//! Materials: run compiled shaders at hits and turn their closure trees into BSDFs; the bridge to the crate `shading`.
//!
//! Steps at a hit: surface point → shader globals → shader instance → closure tree → lobes, emission, transparency.
//! Only this module, lights, scene building and commands import from the crate `shading`.

mod abilities;
mod attribute;
mod bodies;
mod closures;
mod cloud;
mod component;
mod flatten;
mod globals;
mod host;
mod includes;
pub mod library;
mod probe;
mod recipe;
mod scattering;
mod shader;
mod surface;
mod texture;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use shading::TextureRequest;
use shading::builtins::Global;

use abilities::Abilities;
use recipe::somewhere;
use renderer_base::color::Rgb;
use renderer_geometry::{Footprint, Interaction};
use shader::Shader;

/// Types of `shading` that the rest of the renderer passes through.
pub use shading::{RayKind, Report, ShadingContext};

pub use attribute::known_attributes;
pub use bodies::Bodies;
pub use closures::closure_registry;
pub use host::Host;
pub use includes::Folders;
pub use renderer_scene::MaterialId;
pub use shader::Instances;
pub use surface::Surface;
pub use texture::TextureFault;

/// A material: compiled shaders with their properties.
#[derive(Clone, Debug)]
pub struct Material {
    full: Shader,
    /// A reduced shader for emission and transparency, if it is cheaper.
    light: Option<Shader>,
    abilities: Abilities,
    /// Whether the shader may look at how wide a sample is: without coordinates there is nothing to derive.
    wants_footprint: bool,
    /// Whether the derivatives of a point by its texture coordinates matter.
    wants_derivatives: bool,
    /// Whether what the shader makes of a point may depend on where the viewer is.
    sees_viewer: bool,
    /// The emission, where it is the same everywhere.
    constant_emission: Option<Rgb>,
    one_sided: bool,
    culled: bool,
    two_sided_emission: bool,
    /// Ray kind added to every ray: render or bake.
    purpose: RayKind,
    /// World-space area of each shape of the scene [m²]; empty where the shader does not ask.
    areas: Arc<[f32]>,
}

/// Sidedness of a surface.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sides {
    /// Whether the back scatters nothing, neither to itself nor through to the front. Holes stay holes: what passes straight through does so from both sides.
    pub one_sided: bool,
    /// Whether real-time engines cull the back: it is rendered but not baked.
    pub culled: bool,
    /// Whether the back emits as the front does.
    pub two_sided_emission: bool,
}

impl Material {
    /// A material of the closure that the instances make. They belong to a system with [`closure_registry`] and
    /// `host`, which is frozen, as the context does.
    pub fn new(
        instances: impl Into<Instances>,
        sides: Sides,
        host: &Host,
        context: &mut ShadingContext,
    ) -> Material {
        let Instances { full, light } = instances.into();
        let known = full.statistics();
        let areas = if known.asks_surface_area {
            host.areas()
        } else {
            Arc::default()
        };
        let abilities = closures::abilities(known.closures.iter().copied());
        let wants_footprint = known.asks_derivatives;
        let reads_viewer = known.reads_globals.contains(Global::I);
        let full = Shader::new(full, context);
        let light = light.map(|light| Shader::new(light, context));
        let constant_emission = if abilities.emits {
            light.as_ref().unwrap_or(&full).constant_emission()
        } else {
            Some(Rgb::BLACK)
        };
        Material {
            wants_derivatives: full.recipe().is_none_or(|recipe| recipe.wants_derivatives()),
            sees_viewer: full.recipe().is_none() && (abilities.layers || reads_viewer),
            full,
            light,
            abilities,
            wants_footprint,
            constant_emission,
            one_sided: sides.one_sided,
            culled: sides.culled,
            two_sided_emission: sides.two_sided_emission,
            purpose: host.purpose(),
            areas,
        }
    }

    /// Runs the shader at a hit of a ray of kind `ray_kind` and fills `surface`; `footprint` is that of the ray.
    #[inline]
    pub fn shade(
        &self,
        it: &Interaction,
        ray_kind: RayKind,
        footprint: &Footprint,
        context: &mut ShadingContext,
        surface: &mut Surface,
    ) {
        self.run(&self.full, it, ray_kind, footprint, context, surface);
        surface.pass_straight(it);
    }

    /// Runs one of the material's shaders at a point and fills `surface`, respecting sidedness.
    #[inline]
    fn run(
        &self,
        shader: &Shader,
        it: &Interaction,
        ray_kind: RayKind,
        footprint: &Footprint,
        context: &mut ShadingContext,
        surface: &mut Surface,
    ) {
        let globals = || {
            let footprint = self.wants_footprint.then_some(footprint);
            let ray_kind = RayKind(ray_kind.0 | self.purpose.0);
            let area = self.areas.get(it.shape.0 as usize).copied().unwrap_or(0.0);
            globals::globals(it, ray_kind, area, footprint)
        };
        shader.fill(it, globals, context, surface);
        let is_front = it.wo.dot(it.ng) > 0.0;
        if self.one_sided {
            // What comes from the back would be scattered by it: paths from either end have to agree.
            if is_front {
                surface.bsdf.close_back();
            } else {
                surface.bsdf.clear();
            }
        }
        if !is_front && !self.two_sided_emission {
            surface.emission = Rgb::BLACK;
        }
    }

    /// Emission and transparency at a point, and what the inside absorbs if it is transparent, for shadow rays and light
    /// samples.
    pub fn for_light(&self, it: &Interaction, context: &mut ShadingContext) -> Surface {
        let mut surface = Surface::new();
        let shader = self.light.as_ref().unwrap_or(&self.full);
        let footprint = &Footprint::POINT;
        self.run(shader, it, RayKind::SHADOW, footprint, context, &mut surface);
        surface
    }

    /// The radiance that leaves a point towards the viewer, for a ray that samples lights.
    pub fn emission_at(&self, it: &Interaction, context: &mut ShadingContext) -> Rgb {
        self.for_light(it, context).emission
    }

    /// Whether the derivatives of a point by its texture coordinates matter to it.
    #[inline]
    pub fn wants_derivatives(&self) -> bool {
        self.wants_derivatives
    }

    /// Whether its shader uses derivatives.
    #[inline]
    pub fn wants_footprint(&self) -> bool {
        self.wants_footprint
    }

    /// Whether its lobes may depend on the view direction, so that a photon's outgoing weight needs a second shader
    /// run.
    #[inline]
    pub fn sees_viewer(&self) -> bool {
        self.sees_viewer
    }

    /// Whether it may emit somewhere.
    #[inline]
    pub fn may_emit(&self) -> bool {
        self.abilities.emits
    }

    /// Whether light may pass straight through it somewhere.
    #[inline]
    pub fn may_be_transparent(&self) -> bool {
        self.abilities.transparent
    }

    /// Whether it may absorb light inside.
    #[inline]
    pub fn may_absorb(&self) -> bool {
        self.abilities.absorbs
    }

    /// The radiance that it emits on the side of its normal, where that is known to be the same everywhere.
    #[inline]
    pub fn constant_emission(&self) -> Option<Rgb> {
        self.constant_emission
    }

    /// The share of light that it scatters or lets through at normal incidence, estimated, where it is known to be the same
    /// everywhere.
    pub fn known_albedo(&self) -> Option<Rgb> {
        let recipe = self.full.recipe()?;
        let (point, mut surface) = (somewhere(), Surface::new());
        recipe.follow(&point, &mut surface);
        Some(surface.bsdf.albedo(point.wo))
    }

    /// A hash of its behaviour; `texture` returns the hash of a texture's texels.
    pub fn fingerprint(&self, texture: impl Fn(&TextureRequest) -> Option<u64>) -> u64 {
        let mut hasher = FxHasher::default();
        let known = self.full.instance.statistics();
        known.fingerprint.hash(&mut hasher);
        for named in &known.textures {
            texture(&named.request).hash(&mut hasher);
        }
        [self.one_sided, self.two_sided_emission, self.culled].hash(&mut hasher);
        if known.asks_ray_kind {
            self.purpose.0.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Whether engines do not show the back.
    pub fn culled(&self) -> bool {
        self.culled
    }

    /// Whether the back emits as the front does.
    #[inline]
    pub fn two_sided_emission(&self) -> bool {
        self.two_sided_emission
    }
}
