//! Changes of the materials of a built scene.
//!
//! Shapes, acceleration structure, textures, other materials and machine code are reused, and lights if no emitter changes.
//! The result equals building the changed description from scratch, bit for bit. Changes of the requested textures and
//! attributes, or of straight transparency (ray masks), need a new build.

use std::sync::Arc;

use shading::{Diagnostics, InstanceOptions, ShaderGroupTemplate, ShaderInstance, Template};

use super::build::{
    Built, RebuildState, build_to_change, declarations, instances, pass_names, sides, surface_options,
    warn_about_values,
};
use super::emitters::{Emitters, on_threads};
use super::{Regions, Scene, passing, with_classes};
use crate::light::Light;
use crate::material::{CameraShader, Instances, Material, MaterialId, ShadingContext, known_attributes};
use renderer_scene::SceneDesc;

/// Number of shaders whose machine code is cached, for values that return: a value of 0 may have another structure.
const MAX_CACHED: usize = 32;

/// Changes the materials of a built scene.
#[derive(Debug)]
pub struct Reshader {
    state: RebuildState,
    threads: usize,
    /// Shaders of distinct code, the most recently used last.
    cached: Vec<Arc<ShaderInstance>>,
}

impl Reshader {
    /// Builds a scene for one of its cameras, the first if none is named, without shaders for passes. There is no reshader
    /// if rays see other shaders in place of the materials.
    ///
    /// # Errors
    /// As [`build`](super::build::build).
    pub fn build(
        desc: &SceneDesc,
        camera: Option<&str>,
        threads: usize,
    ) -> Result<(Built, Option<Reshader>), Diagnostics> {
        let (built, state) = build_to_change(desc, camera, threads)?;
        let reshader = desc.overrides.is_empty().then_some(Reshader { state, threads, cached: vec![] });
        Ok((built, reshader))
    }

    /// The unit or group of a name, as materials call it.
    pub fn template(&self, name: &str) -> Option<Template> {
        self.state.system.template(name)
    }

    /// The scene of `desc`, which differs from the description of `built` in the surfaces of the materials `changed` and
    /// in the texts of shaders that only these use. `None` if it has errors, or must be built from scratch.
    pub fn reshaded(&mut self, built: &Built, desc: &SceneDesc, changed: &[MaterialId]) -> Option<Built> {
        for file in &desc.shaders {
            self.state.system.load_file(&file.file).ok()?;
        }
        for group in &desc.groups {
            self.state.system.add_group(ShaderGroupTemplate::clone(group));
        }
        self.with_surfaces(built, desc, changed)
    }

    /// As [`Reshader::reshaded`], where no text of a shader differs.
    pub fn with_surfaces(
        &mut self,
        built: &Built,
        desc: &SceneDesc,
        changed: &[MaterialId],
    ) -> Option<Built> {
        let scene = &built.scene;
        let (host, file) = (scene.host(), Arc::new(declarations(desc)));
        let mut context = ShadingContext::new(host.clone());
        let mut made = vec![];
        for &id in changed {
            let users = desc.shapes.iter().zip(scene.shapes());
            let users = users.filter(|(shape, _)| shape.material == id);
            let options = InstanceOptions {
                attributes: known_attributes(users.map(|(_, shape)| shape)).map(Arc::new),
                ..surface_options()
            };
            let material = desc.material(id);
            let system = &self.state.system;
            let new = instances(material, &file, system, host.purpose(), options).ok()?;
            if !have_equal_requirements(&scene.materials()[id.0 as usize].instances(), &new) {
                return None;
            }
            self.cache(&new);
            made.push((id, Material::new(new, sides(material), host, &mut context)));
        }
        let scene = scene.with_materials(made, &self.state, self.threads);
        let mut warnings = self.state.warnings.clone();
        warn_about_values(desc, &scene, &mut warnings);
        let lights = &built.names.lights[..self.state.lights.count];
        Some(Built {
            pass_shaders: vec![],
            names: pass_names(desc, &scene, lights.to_vec()),
            scene,
            camera: built.camera.clone(),
            filter: built.filter.clone(),
            integrator: built.integrator,
            shaders: built.shaders,
            build: built.build,
            warnings,
        })
    }

    /// Adds shaders to the cache.
    fn cache(&mut self, of: &Instances) {
        for instance in of.all() {
            self.cached.retain(|known| !known.shares_code_with(instance));
            self.cached.push(instance.clone());
        }
        let excess = self.cached.len().saturating_sub(MAX_CACHED);
        self.cached.drain(..excess);
    }
}

/// Returns whether two sets of shaders of a material have the same requirements on the built scene.
fn have_equal_requirements(old: &Instances, new: &Instances) -> bool {
    let replaces = old.replaced.is_some() || new.replaced.is_some();
    let is_alike_inside = match (&old.inside, &new.inside) {
        (Some(old), Some(new)) => have_equal_inputs(old, new),
        (old, new) => old.is_none() && new.is_none(),
    };
    let cameras = [old, new].map(|of| of.camera.as_ref().map(CameraShader::instance));
    let is_alike_camera = match cameras {
        [Some(old), Some(new)] => have_equal_inputs(old, new),
        [old, new] => old.is_none() && new.is_none(),
    };
    !replaces
        && is_alike_camera
        && is_alike_inside
        && old.may_be_transparent() == new.may_be_transparent()
        && old.may_refract() == new.may_refract()
        && have_equal_inputs(&old.full, &new.full)
}

fn have_equal_inputs(old: &ShaderInstance, new: &ShaderInstance) -> bool {
    let (a, b) = (old.statistics(), new.statistics());
    let textures = a.textures.iter().map(|named| &named.request);
    a.reads_derivatives == b.reads_derivatives
        && a.queries_host == b.queries_host
        && a.computes_texture_names == b.computes_texture_names
        && a.computes_cloud_names == b.computes_cloud_names
        && a.missing_textures.is_empty()
        && b.missing_textures.is_empty()
        && a.late_files == b.late_files
        && a.clouds == b.clouds
        && a.attributes == b.attributes
        && textures.eq(b.textures.iter().map(|named| &named.request))
}

impl Scene {
    /// The scene with some materials replaced.
    fn with_materials(
        &self,
        made: Vec<(MaterialId, Material)>,
        state: &RebuildState,
        threads: usize,
    ) -> Scene {
        let mut materials = self.materials.clone();
        let (mut shines, mut is_elsewhere, mut is_within) = (false, false, false);
        let ids: Vec<MaterialId> = made.iter().map(|(id, _)| *id).collect();
        for (id, new) in made {
            let old = &mut materials[id.0 as usize];
            shines |= old.may_emit() || new.may_emit();
            is_elsewhere |= old.may_pass() != new.may_pass();
            is_within |= old.interior().may_matter() || new.interior().may_matter();
            *old = new;
        }
        let (surfaces, emitters) = match shines {
            false => (self.surfaces.clone(), self.emitters.clone()),
            true => {
                let mut lights: Vec<Light> = self.lights()[..state.lights.count].to_vec();
                for background in state.lights.backgrounds.iter().filter(|one| ids.contains(&one.material)) {
                    let shader = &materials[background.material.0 as usize];
                    let light = || background.clone().light(shader, &self.host);
                    let light = on_threads(threads, light);
                    lights[background.light] = lights[background.light].replaced_by(light);
                }
                let of_shapes: Vec<MaterialId> = self.surfaces.iter().map(|of| of.material).collect();
                let radius = self.bounds().radius();
                let (surfaces, emitters) =
                    Emitters::new(lights, &self.shapes, &of_shapes, &materials, &self.host, threads);
                (with_classes(surfaces, &self.links), emitters.linked(&self.links, radius))
            }
        };
        let regions = match is_elsewhere {
            false => self.regions,
            true => Regions {
                passing: passing(&self.shapes, &surfaces, &materials),
                ..self.regions
            },
        };
        let mut scene = Scene {
            surfaces,
            uses_footprints: materials.iter().any(|material| material.wants_footprint()),
            materials,
            emitters,
            regions,
            ..self.clone()
        };
        if is_within {
            scene.find_bodies(threads);
        }
        scene
    }
}
