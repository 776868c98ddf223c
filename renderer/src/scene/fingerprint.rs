//! Whether a scene is the one that something was computed for.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::Scene;
use crate::geometry::{Geometry, Mesh, Shape};

impl Scene {
    /// A hash of all that light meets: shapes, materials, textures and lights. The camera and the film do not count.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for (shape, surface) in self.shapes.iter().zip(&self.surfaces) {
            hash_shape(shape, &mut hasher);
            self.materials[surface.material.0 as usize]
                .fingerprint()
                .hash(&mut hasher);
        }
        for light in &self.lights {
            light.hash_bits(&mut hasher);
        }
        for texture in self.host.textures().iter().flat_map(|store| store.textures()) {
            texture.hash_texels(&mut hasher);
        }
        hasher.finish()
    }
}

fn hash_shape(shape: &Shape, hasher: &mut FxHasher) {
    hash_floats(&shape.world_from_object.to_cols_array(), hasher);
    shape.flip_normals.hash(hasher);
    match &shape.geometry {
        Geometry::Mesh(mesh) => hash_mesh(mesh, hasher),
        Geometry::Sphere => 1.hash(hasher),
        Geometry::Disk => 2.hash(hasher),
        Geometry::Cylinder => 3.hash(hasher),
    }
}

fn hash_mesh(mesh: &Mesh, hasher: &mut FxHasher) {
    mesh.triangles.hash(hasher);
    // Without the lengths, one list could end with what another begins with.
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
}

fn hash_floats(floats: &[f32], hasher: &mut FxHasher) {
    for x in floats {
        x.to_bits().hash(hasher);
    }
}
