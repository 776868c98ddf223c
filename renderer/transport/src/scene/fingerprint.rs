//! Scene fingerprint: a hash by which photon maps, parts and checkpoints are matched to a scene.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use glam::Vec3;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};
use shading::TextureRequest;

use super::Scene;
use crate::cloud::CloudStore;
use crate::material::Material;
use renderer_geometry::{CurveSet, Mesh, MeshAttribute, ObjectValue, Shape};
use renderer_grid::{GridId, GridStore};
use renderer_image::texture::TextureId;

impl Scene {
    /// Hash of shapes, materials, textures and lights, by their contents. Files that running shaders may look up are
    /// included where their names are constants. Film and names are not included, nor is the camera, except for its shader.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        let textures = self.texture_hashes();
        let grids = self.grid_hashes();
        // Ids depend on the order of compilation; contents do not.
        let texture = |request: &TextureRequest| {
            if let Some(id) = self.host.grid_id(request) {
                return grids.get(&id).copied();
            }
            let id = self.host.texture_id(request)?;
            textures.get(&id).copied()
        };
        let late_files: BTreeSet<&str> = self.materials.iter().flat_map(Material::late_files).collect();
        let late_files: Vec<&str> = late_files.into_iter().collect();
        let late_files: FxHashMap<&str, u64> = (late_files.into_par_iter())
            .map(|name| (name, self.host.hash_named(name)))
            .collect();
        let materials: Vec<u64> = (self.materials.iter())
            .map(|material| material.fingerprint(texture, |name| late_files[name]))
            .collect();
        let meshes: FxHashMap<*const Mesh, &Arc<Mesh>> = (self.shapes.iter())
            .filter_map(Shape::mesh)
            .map(|mesh| (Arc::as_ptr(mesh), mesh))
            .collect();
        let meshes: Vec<&Arc<Mesh>> = meshes.into_values().collect();
        let meshes: Vec<(&Arc<Mesh>, u64)> =
            meshes.into_par_iter().map(|mesh| (mesh, mesh_hash(mesh))).collect();
        let meshes: FxHashMap<*const Mesh, u64> =
            (meshes.iter()).map(|(mesh, hash)| (Arc::as_ptr(mesh), *hash)).collect();
        for (shape, surface) in self.shapes.iter().zip(&*self.surfaces) {
            hash_shape(shape, &meshes, &mut hasher);
            materials[surface.material.0 as usize].hash(&mut hasher);
        }
        self.medium.map(|id| materials[id.0 as usize]).hash(&mut hasher);
        if let Some(id) = self.camera_shader {
            materials[id.0 as usize].hash(&mut hasher);
        }
        for light in &*self.emitters.lights {
            light.hash_bits(&mut hasher);
        }
        self.hash_links(&mut hasher);
        // Shaders may read world space.
        let origin = self.host.space().origin;
        if origin != Vec3::ZERO {
            origin.to_array().map(f32::to_bits).hash(&mut hasher);
        }
        // Cloud ids depend on the order of compilation; the clouds that a material searches are part of its code.
        let clouds = self.host.clouds().into_iter().flat_map(CloudStore::clouds);
        let mut clouds: Vec<u64> = clouds.map(|cloud| hash_of(|hasher| cloud.hash_points(hasher))).collect();
        clouds.sort_unstable();
        clouds.hash(&mut hasher);
        hasher.finish()
    }

    /// Hashes of all grids by their voxels and transforms.
    fn grid_hashes(&self) -> FxHashMap<GridId, u64> {
        let grids = self.host.grids().into_iter().flat_map(GridStore::grids);
        grids
            .map(|(id, grid)| (id, hash_of(|hasher| grid.hash_voxels(hasher))))
            .collect()
    }

    /// Hashes of all textures and tile sets by their texels.
    fn texture_hashes(&self) -> FxHashMap<TextureId, u64> {
        let Some(store) = self.host.textures() else {
            return FxHashMap::default();
        };
        let textures: Vec<_> = store.textures().collect();
        let mut hashes: FxHashMap<TextureId, u64> = textures
            .par_iter()
            .map(|(id, texture)| (*id, hash_of(|hasher| texture.hash_texels(hasher))))
            .collect();
        for (id, set) in store.sets() {
            let hash = hash_of(|hasher| {
                for (square, tile) in set.squares() {
                    (square, hashes.get(&tile)).hash(hasher);
                }
            });
            hashes.insert(id, hash);
        }
        hashes
    }
}

fn hash_of(write: impl FnOnce(&mut FxHasher)) -> u64 {
    let mut hasher = FxHasher::default();
    write(&mut hasher);
    hasher.finish()
}

fn hash_shape(shape: &Shape, meshes: &FxHashMap<*const Mesh, u64>, hasher: &mut FxHasher) {
    shape.placement().hash_bits(hasher);
    shape.flip_normals.hash(hasher);
    for (name, value) in shape.attributes.iter() {
        name.hash(hasher);
        match value {
            ObjectValue::Numbers(numbers) => hash_floats(numbers, hasher),
            ObjectValue::Text(text) => text.hash(hasher),
        }
    }
    if let Some(motion) = shape.vertex_motion() {
        for v in motion.positions().iter().chain(motion.normals()).flatten() {
            hash_floats(&v.to_array(), hasher);
        }
    }
    let strands = (shape.curves().and_then(|curves| curves.motion()))
        .or(shape.points().and_then(|points| points.motion()));
    if let Some(motion) = strands {
        motion
            .vertices()
            .iter()
            .flatten()
            .for_each(|v| hash_floats(&v.to_array(), hasher));
        motion
            .normals()
            .iter()
            .flatten()
            .for_each(|n| hash_floats(&n.to_array(), hasher));
    }
    if let Some(mesh) = shape.mesh() {
        meshes[&Arc::as_ptr(mesh)].hash(hasher);
    }
    if let Some(analytic) = shape.analytic() {
        analytic.hash_id().hash(hasher);
    }
    if let Some(curves) = shape.curves() {
        let CurveSet { basis, style, strands, vertices, normals, .. } = curves.set();
        (basis, style, strands).hash(hasher);
        vertices.iter().for_each(|v| hash_floats(&v.to_array(), hasher));
        normals.iter().for_each(|n| hash_floats(&n.to_array(), hasher));
    }
    if let Some(points) = shape.points() {
        points.style().hash(hasher);
        points.vertices().iter().for_each(|v| hash_floats(&v.to_array(), hasher));
        points.normals().iter().for_each(|n| hash_floats(&n.to_array(), hasher));
    }
    if shape.mesh().is_none() {
        hash_attributes(shape.geometry_attributes(), hasher);
    }
}

fn hash_attributes(attributes: &[MeshAttribute], hasher: &mut FxHasher) {
    for attribute in attributes {
        (&attribute.name, attribute.domain, attribute.width).hash(hasher);
        attribute.properties.hash(hasher);
        hash_floats(&attribute.values, hasher);
    }
}

fn mesh_hash(mesh: &Mesh) -> u64 {
    let hasher = &mut FxHasher::default();
    mesh.triangles.hash(hasher);
    // Lengths separate the lists; otherwise elements could move from one list to the next.
    for length in [mesh.normals.len(), mesh.uvs.len(), mesh.uvs2.len()] {
        length.hash(hasher);
    }
    for v in mesh.positions.iter().chain(&mesh.normals) {
        hash_floats(&v.to_array(), hasher);
    }
    for uv in mesh.uvs.iter().chain(&mesh.uvs2) {
        hash_floats(&uv.to_array(), hasher);
    }
    for color in &mesh.colors {
        hash_floats(color, hasher);
    }
    hash_attributes(&mesh.attributes, hasher);
    hasher.finish()
}

fn hash_floats(floats: &[f32], hasher: &mut FxHasher) {
    for x in floats {
        x.to_bits().hash(hasher);
    }
}
