//! A built scene whose materials get other values: what does not depend on them is kept.
//!
//! Kept are shapes, acceleration structure, textures, the shaders of the other materials and machine code; lights as long
//! as nothing that emits is concerned. The result is that of building the changed description from scratch, bit for bit.
//! Where a change concerns what is made before shaders run (textures and attributes that are asked for, straight
//! transparency, which the masks of shapes tell), there is no result, and the scene has to be built.

use std::sync::Arc;

use shading::{Diagnostics, InstanceOptions, ShaderGroupTemplate, ShaderInstance, Template};

use super::build::{Built, Remains, build_to_change, pass_names, sides, warn_about_values};
use super::compile::{declarations, instances, surface_options};
use super::emitters::{Emitters, on_threads};
use super::{Regions, Scene, passing};
use crate::light::Light;
use crate::material::{Instances, Material, MaterialId, ShadingContext, known_attributes};
use renderer_scene::SceneDesc;

/// Number of shaders whose machine code is kept for when a value returns: what is 0 may be another structure.
const REMEMBERED: usize = 32;

/// What gives the materials of a built scene other values.
#[derive(Debug)]
pub struct Reshader {
    remains: Remains,
    threads: usize,
    /// Shaders of distinct code, the last used last.
    remembered: Vec<Arc<ShaderInstance>>,
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
        let (built, remains) = build_to_change(desc, camera, threads)?;
        let reshader = desc.overrides.is_empty().then_some(Reshader {
            remains,
            threads,
            remembered: vec![],
        });
        Ok((built, reshader))
    }

    /// The unit or group of a name, as materials call it.
    pub fn template(&self, name: &str) -> Option<Template> {
        self.remains.system.template(name)
    }

    /// The scene of `desc`, which differs from the description of `built` in the surfaces of the materials `changed` and
    /// in the texts of shaders that only these use. `None` if it has errors, or must be built from scratch.
    pub fn reshaded(&mut self, built: &Built, desc: &SceneDesc, changed: &[MaterialId]) -> Option<Built> {
        for file in &desc.shaders {
            self.remains.system.load_file(&file.file).ok()?;
        }
        for group in &desc.groups {
            self.remains.system.add_group(ShaderGroupTemplate::clone(group));
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
            let system = &self.remains.system;
            let new = instances(material, &file, system, host.purpose(), options).ok()?;
            if !asks_alike(&scene.materials()[id.0 as usize].instances(), &new) {
                return None;
            }
            self.remember(&new);
            made.push((id, Material::new(new, sides(material), host, &mut context)));
        }
        let scene = scene.with_materials(made, &self.remains, self.threads);
        let mut warnings = self.remains.warnings.clone();
        warn_about_values(desc, &scene, &mut warnings);
        let lights = &built.names.lights[..self.remains.lights];
        Some(Built {
            pass_shaders: vec![],
            names: pass_names(desc, &scene, lights.to_vec()),
            scene,
            camera: built.camera,
            filter: built.filter.clone(),
            integrator: built.integrator,
            shaders: built.shaders,
            build: built.build,
            warnings,
        })
    }

    /// Keeps the code of shaders.
    fn remember(&mut self, of: &Instances) {
        for instance in of.all() {
            self.remembered.retain(|known| !known.shares_code_with(instance));
            self.remembered.push(instance.clone());
        }
        let excess = self.remembered.len().saturating_sub(REMEMBERED);
        self.remembered.drain(..excess);
    }
}

/// Returns whether two sets of shaders of a material ask the same of what is made before shaders run.
fn asks_alike(old: &Instances, new: &Instances) -> bool {
    let replaces = old.replaced.is_some() || new.replaced.is_some();
    let is_alike_inside = match (&old.inside, &new.inside) {
        (Some(old), Some(new)) => names_alike(old, new),
        (old, new) => old.is_none() && new.is_none(),
    };
    !replaces
        && is_alike_inside
        && old.may_be_transparent() == new.may_be_transparent()
        && old.may_refract() == new.may_refract()
        && names_alike(&old.full, &new.full)
}

fn names_alike(old: &ShaderInstance, new: &ShaderInstance) -> bool {
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
    /// The scene with other materials in the places of some.
    fn with_materials(&self, made: Vec<(MaterialId, Material)>, remains: &Remains, threads: usize) -> Scene {
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
                let mut lights: Vec<Light> = self.lights()[..remains.lights].to_vec();
                for background in remains
                    .backgrounds
                    .iter()
                    .filter(|one| ids.contains(&one.material))
                {
                    let shader = &materials[background.material.0 as usize];
                    let light = || background.clone().light(shader, &self.host);
                    lights[background.light] = on_threads(threads, light);
                }
                let of_shapes: Vec<MaterialId> = self.surfaces.iter().map(|of| of.material).collect();
                let radius = self.bounds().radius();
                Emitters::new(
                    lights,
                    &self.shapes,
                    &of_shapes,
                    &materials,
                    &self.host,
                    radius,
                    threads,
                )
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
            accel: self.accel.clone(),
            accel_time: self.accel_time,
            shapes: self.shapes.clone(),
            surfaces,
            uses_footprints: materials.iter().any(|material| material.wants_footprint()),
            materials,
            emitters,
            regions,
            bodies: self.bodies.clone(),
            majorants: self.majorants.clone(),
            medium: self.medium,
            rounding: self.rounding,
            placement_errors: self.placement_errors.clone(),
            contact_bounds: self.contact_bounds.clone(),
            coplanar_bounds: self.coplanar_bounds.clone(),
            host: self.host.clone(),
        };
        if is_within {
            scene.find_bodies(threads);
        }
        scene
    }
}
