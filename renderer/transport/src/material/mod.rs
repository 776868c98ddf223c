//! Materials: run compiled shaders at hits and convert their closure trees to BSDFs; the bridge to the crate `shading`.
//!
//! Steps at a hit: surface point → shader globals → shader instance → closure tree → lobes, emission, transparency.
//! Only this module, lights, scene building and commands import from the crate `shading`.

mod attribute;
mod cached_shading;
mod camera_shader;
mod closure_effects;
mod closure_registry;
mod closures;
mod cloud;
mod component;
mod displacement_shader;
mod flatten;
mod globals;
mod grid;
mod hit_ray;
mod host;
mod includes;
mod interior;
mod islands;
mod label;
mod late_table;
pub mod library;
mod loaded_inputs;
mod medium_bounds;
mod missing_inputs;
mod output_shader;
mod rendering_space;
mod scattering;
mod shader;
mod shader_host;
mod shading_result;
mod standard_attribute;
mod texture;
mod trace;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use shading::builtins::Global;
use shading::codegen::Statistics;
use shading::{ShaderGlobals, ShaderInstance, TextureRequest};

use crate::medium::Coefficients;
use cached_shading::{RUNS, arbitrary_point};
use closure_effects::MaterialFlags;
use renderer_base::color::Rgb;
use renderer_geometry::{Footprint, Interaction};
use renderer_scene::{Nesting, Priority};
use shader::Shader;

/// Types of `shading` used by the rest of the renderer.
pub use shading::{RayKind, Report, ShadingContext};

pub use attribute::{has_attribute, known_attributes};
pub use camera_shader::CameraShader;
pub use closure_registry::closure_registry;
pub(crate) use displacement_shader::{DisplacedVertex, DisplacementShader};
pub use hit_ray::HitRay;
pub use host::Host;
pub use includes::Folders;
pub use interior::{Interior, Medium};
pub(crate) use label::label_hash;
pub(crate) use medium_bounds::{MediumBounds, MediumRegion};
pub(crate) use missing_inputs::MissingInputs;
pub use output_shader::OutputShader;
pub use renderer_scene::MaterialId;
pub use rendering_space::RenderingSpace;
pub use shader::Instances;
pub use shader_host::is_space;
pub use shading_result::ShadingResult;
pub use standard_attribute::is_standard;
pub(crate) use standard_attribute::{MISSING_ATTRIBUTE, WORK_ATTRIBUTE};
pub use texture::{TextureFault, TextureLoadError};

/// Material: compiled shaders with their properties.
#[derive(Clone, Debug)]
pub struct Material {
    full: Shader,
    /// Reduced shader for emission and transparency, if it is cheaper.
    light: Option<Shader>,
    /// Shader that an override replaces by `full`, if `full` reads its cost.
    replaced: Option<Arc<ShaderInstance>>,
    flags: MaterialFlags,
    /// True if the shader may use derivatives.
    wants_footprint: bool,
    /// True if the derivatives of position by the texture coordinates are needed.
    wants_derivatives: bool,
    /// True if the shading result may depend on the view direction.
    is_view_dependent: bool,
    /// Emission, if it is constant.
    constant_emission: Option<Rgb>,
    /// See [`Material::emission_varies_by_ray`].
    emission_varies_by_ray: bool,
    one_sided: bool,
    culled: bool,
    two_sided_emission: bool,
    is_dark: bool,
    /// Ray kind added to every ray: render or bake.
    purpose: RayKind,
    space: RenderingSpace,
    /// Shader of the interior medium.
    inside: Option<Arc<ShaderInstance>>,
    interior: Interior,
    /// Camera shader, if the material is that of a camera.
    camera: Option<CameraShader>,
    /// World-space area of each shape of the scene [m²]; empty if the shader does not use it.
    areas: Arc<[f32]>,
}

/// Cost of a shader at a point; 0 for a uniform shader, which runs once per scene.
fn work_of(shader: &ShaderInstance, globals: &ShaderGlobals, context: &mut ShadingContext) -> f32 {
    if shader.statistics().is_uniform {
        return 0.0;
    }
    shader.run(globals, context).expect(RUNS);
    context.work() as f32
}

/// Sidedness of a surface.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sides {
    /// True if the back does not scatter, neither to itself nor through to the front. Holes stay holes: straight
    /// transmission works from both sides.
    pub one_sided: bool,
    /// True if real-time engines cull the back: it is rendered but not baked.
    pub culled: bool,
    /// True if the back emits like the front.
    pub two_sided_emission: bool,
    /// True if no side emits, even if the shader does.
    pub is_dark: bool,
    /// Priority of the interior.
    pub priority: Option<Priority>,
    /// Reference of indices of refraction.
    pub nesting: Nesting,
}

impl Material {
    /// Creates a material from shader instances. They belong to a system with [`closure_registry`] and `host`, which
    /// must be frozen; the context belongs to the same system.
    pub fn new(
        instances: impl Into<Instances>,
        sides: Sides,
        host: &Host,
        context: &mut ShadingContext,
    ) -> Material {
        let Instances { full, light, replaced, inside, camera, displacement: _ } = instances.into();
        let known = full.statistics();
        let areas = if known.reads_surface_area { host.areas() } else { Arc::default() };
        let mut flags = closure_effects::flags(known);
        let interior = Interior::new(known, inside.clone(), sides.priority, sides.nesting, context);
        flags.emits &= !sides.is_dark;
        let counts_derivatives = |of: &Arc<ShaderInstance>| of.statistics().reads_derivatives;
        let wants_footprint = known.reads_derivatives || replaced.as_ref().is_some_and(counts_derivatives);
        let emission_varies_by_ray = flags.emits && (wants_footprint || known.reads_ray_kind);
        let reads_viewer = known.reads_globals.contains(Global::I);
        let full = Shader::new(full, context);
        let light = light.map(|light| Shader::new(light, context));
        let constant_emission = if flags.emits {
            light.as_ref().unwrap_or(&full).constant_emission()
        } else {
            Some(Rgb::BLACK)
        };
        Material {
            wants_derivatives: full.cached().is_none_or(|cached| cached.wants_derivatives()),
            is_view_dependent: full.cached().is_none() && (flags.layers || reads_viewer),
            full,
            light,
            replaced,
            flags,
            wants_footprint,
            constant_emission,
            emission_varies_by_ray,
            one_sided: sides.one_sided,
            culled: sides.culled,
            two_sided_emission: sides.two_sided_emission,
            is_dark: sides.is_dark,
            purpose: host.purpose(),
            space: host.space(),
            inside,
            interior,
            camera,
            areas,
        }
    }

    /// Shader instances.
    pub(crate) fn instances(&self) -> Instances {
        Instances {
            full: self.full.instance.clone(),
            light: self.light.as_ref().map(|light| light.instance.clone()),
            replaced: self.replaced.clone(),
            inside: self.inside.clone(),
            camera: self.camera.clone(),
            displacement: None,
        }
    }

    /// Runs the shader at a hit of a ray with this footprint, and fills `surface`.
    #[inline]
    pub fn shade(
        &self,
        it: &Interaction,
        ray: impl Into<HitRay>,
        footprint: &Footprint,
        context: &mut ShadingContext,
        surface: &mut ShadingResult,
    ) {
        self.run(&self.full, it, ray.into(), footprint, context, surface);
        surface.pass_straight(it);
    }

    /// Kind of a ray, with the purpose of rendering.
    #[inline]
    fn ray_kind(&self, kind: RayKind) -> RayKind {
        RayKind(kind.0 | self.purpose.0)
    }

    /// Runs one of the material's shaders at a point and fills `surface`, respecting sidedness.
    #[inline]
    fn run(
        &self,
        shader: &Shader,
        it: &Interaction,
        ray: HitRay,
        footprint: &Footprint,
        context: &mut ShadingContext,
        surface: &mut ShadingResult,
    ) {
        let globals = || {
            let footprint = self.wants_footprint.then_some(footprint);
            let kind = self.ray_kind(ray.kind);
            let area = self.areas.get(it.shape.0 as usize).copied().unwrap_or(0.0);
            globals::globals(it, HitRay { kind, ..ray }, area, footprint, self.space)
        };
        surface.outside = ray.outside;
        match &self.replaced {
            None => shader.fill(it, globals, context, surface),
            Some(replaced) => {
                let work = work_of(replaced, &globals(), context);
                shader.fill(it, || ShaderGlobals { work, ..globals() }, context, surface);
            }
        }
        let is_front = it.wo.dot(it.ng) > 0.0;
        if self.one_sided {
            // The back would scatter light from behind; both directions of path tracing have to agree.
            if is_front {
                surface.bsdf.make_one_sided();
            } else {
                surface.bsdf.clear();
            }
        }
        if self.is_dark || !is_front && !self.two_sided_emission {
            surface.emission = Rgb::BLACK;
        }
    }

    /// Runs an output shader at a hit of a ray.
    pub(crate) fn run_instance(
        &self,
        instance: &ShaderInstance,
        it: &Interaction,
        ray: HitRay,
        footprint: &Footprint,
        context: &mut ShadingContext,
    ) {
        let kind = self.ray_kind(ray.kind);
        let area = self.areas.get(it.shape.0 as usize).copied().unwrap_or(0.0);
        let globals = globals::globals(it, HitRay { kind, ..ray }, area, Some(footprint), self.space);
        instance.run(&globals, context).expect(RUNS);
    }

    /// Emission and transparency at a point, for shadow rays and light samples of a path with `depth` scattering
    /// events. `outside` is the exterior index of refraction.
    pub fn for_light(
        &self,
        it: &Interaction,
        depth: u32,
        outside: f32,
        context: &mut ShadingContext,
    ) -> ShadingResult {
        let mut surface = ShadingResult::new();
        let shader = self.light.as_ref().unwrap_or(&self.full);
        let footprint = &Footprint::POINT;
        self.run(
            shader,
            it,
            HitRay { outside, ..HitRay::shadow(depth) },
            footprint,
            context,
            &mut surface,
        );
        surface
    }

    /// Emitted radiance from a point towards the viewer, for light sampling; `depth` as for [`Material::for_light`].
    #[inline(never)]
    pub fn emission_at(&self, it: &Interaction, depth: u32, context: &mut ShadingContext) -> Rgb {
        self.for_light(it, depth, 1.0, context).emission
    }

    /// Returns whether emission may depend on the footprint or the kind of the ray. At hits that light sampling could
    /// generate, integrators then use [`Material::emission_at`], so that both techniques of MIS estimate the same
    /// integral.
    #[inline]
    pub fn emission_varies_by_ray(&self) -> bool {
        self.emission_varies_by_ray
    }

    /// Returns whether the derivatives of position by the texture coordinates are needed.
    #[inline]
    pub fn wants_derivatives(&self) -> bool {
        self.wants_derivatives
    }

    /// Returns whether the shader uses derivatives.
    #[inline]
    pub fn wants_footprint(&self) -> bool {
        self.wants_footprint
    }

    /// Returns whether the lobes may depend on the view direction, so that a photon's outgoing weight needs a second
    /// shader run.
    #[inline]
    pub fn is_view_dependent(&self) -> bool {
        self.is_view_dependent
    }

    /// Returns whether the material may emit somewhere.
    #[inline]
    pub fn may_emit(&self) -> bool {
        self.flags.emits
    }

    /// Returns whether the material may transmit light straight through somewhere.
    #[inline]
    pub fn may_be_transparent(&self) -> bool {
        self.flags.transparent
    }

    /// Returns whether light may pass the material somewhere without being scattered widely: straight through or
    /// refracted.
    #[inline]
    pub fn may_pass(&self) -> bool {
        self.flags.passes
    }

    /// Fraction of the light from behind that passes a point without being scattered widely.
    pub fn passed(&self, it: &Interaction, context: &mut ShadingContext) -> f32 {
        if !self.flags.passes {
            return 0.0;
        }
        let mut surface = ShadingResult::new();
        self.shade(it, RayKind::DIFFUSE, &Footprint::POINT, context, &mut surface);
        surface.bsdf.passed(it.wo).luminance()
    }

    /// Interior.
    #[inline]
    pub fn interior(&self) -> &Interior {
        &self.interior
    }

    /// Coefficients of the medium that `shader` computes at a point inside an object.
    pub(crate) fn medium_at(
        &self,
        shader: &ShaderInstance,
        it: &Interaction,
        ray: HitRay,
        context: &mut ShadingContext,
    ) -> Coefficients {
        let kind = self.ray_kind(ray.kind);
        let globals = globals::globals(it, HitRay { kind, ..ray }, 0.0, None, self.space);
        interior::coefficients(shader.run(&globals, context).expect(RUNS))
    }

    /// Emitted radiance on the side of the normal; `None` unless it is known to be constant.
    #[inline]
    pub fn constant_emission(&self) -> Option<Rgb> {
        self.constant_emission
    }

    /// Estimated albedo at normal incidence, straight transmission included; `None` unless it is known to be constant.
    pub fn known_albedo(&self) -> Option<Rgb> {
        let cached = self.full.cached()?;
        let (point, mut surface) = (arbitrary_point(), ShadingResult::new());
        cached.fill(&point, &mut surface);
        Some(surface.bsdf.albedo(point.wo))
    }

    /// Returns whether the surface is invisible, as a null interface around a medium.
    pub fn is_unseen(&self) -> bool {
        self.full.cached().is_some_and(|cached| {
            let (point, mut surface) = (arbitrary_point(), ShadingResult::new());
            cached.fill(&point, &mut surface);
            surface.transparency == Rgb::WHITE
                && surface.emission.is_black()
                && surface.bsdf.albedo(point.wo).is_black()
        })
    }

    /// Constant names of textures and point clouds that the shader may look up at run time.
    pub fn late_files(&self) -> impl Iterator<Item = &str> {
        self.known().flat_map(|known| &known.late_files).map(String::as_str)
    }

    /// Camera shader of a custom camera.
    pub(crate) fn camera(&self) -> Option<&CameraShader> {
        self.camera.as_ref()
    }

    /// Statistics of the shaders of the surface, of the medium and of the camera.
    fn known(&self) -> impl Iterator<Item = &Statistics> {
        let camera = self.camera.as_ref().map(CameraShader::instance);
        let all = [Some(&self.full.instance), self.inside.as_ref(), camera];
        all.into_iter().flatten().map(|instance| instance.statistics())
    }

    /// Returns whether the shader composes file names at run time.
    pub fn computes_names(&self) -> bool {
        self.known()
            .any(|known| known.computes_texture_names || known.computes_cloud_names)
    }

    /// Hash of the material's behaviour; `texture` returns the hash of a texture's texels, `late` the hash of the files
    /// of a name.
    pub fn fingerprint(
        &self,
        texture: impl Fn(&TextureRequest) -> Option<u64>,
        late: impl Fn(&str) -> u64,
    ) -> u64 {
        let mut hasher = FxHasher::default();
        let known = self.full.instance.statistics();
        known.fingerprint.hash(&mut hasher);
        if let Some(camera) = &self.camera {
            camera.instance().statistics().fingerprint.hash(&mut hasher);
        }
        for named in self.known().flat_map(|known| &known.textures) {
            texture(&named.request).hash(&mut hasher);
        }
        for name in self.late_files() {
            late(name).hash(&mut hasher);
        }
        [self.one_sided, self.two_sided_emission, self.culled, self.is_dark].hash(&mut hasher);
        self.interior.hash_behaviour(&mut hasher);
        if known.reads_ray_kind {
            self.purpose.0.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Returns whether real-time engines cull the back.
    pub fn culled(&self) -> bool {
        self.culled
    }

    /// Returns whether the back emits like the front.
    #[inline]
    pub fn two_sided_emission(&self) -> bool {
        self.two_sided_emission
    }
}
