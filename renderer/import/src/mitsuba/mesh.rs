//! Loading of mesh files, once for all shapes with the same options.

use glam::{Affine3A, DMat3, DMat4, DVec3, Vec2, Vec3};

use super::document::ObjectId;
use super::mesh_files::{CachedMesh, MeshOptions};
use super::translator::Translator;
use crate::stem;
use renderer_geometry::Mesh;

/// Maximum relative change of angles by a transform that counts as angle-preserving: numbers in files have few digits.
pub(super) const MAX_STRETCH: f64 = 1e-3;

impl Translator<'_> {
    /// Name of the mesh for Mitsuba's cube in the scene.
    pub(super) fn cube_mesh(&mut self) -> String {
        if let Some(name) = &self.meshes.cube {
            return name.clone();
        }
        let name = self.mesh_name("cube");
        self.meshes.cube = Some(name.clone());
        self.meshes.list.push((name.clone(), cube()));
        name
    }

    fn mesh_name(&mut self, stem: &str) -> String {
        let folder = self.folder.as_deref().unwrap_or("meshes");
        format!("{folder}/{}.ply", self.file_names.unique(stem))
    }

    /// Loads the mesh of a shape.
    pub(super) fn mesh(&mut self, id: ObjectId, world_from_object: &DMat4) -> Option<CachedMesh> {
        let plugin = self.object(id).plugin.as_str();
        let Some(name) = self.text(id, "filename") else {
            let place = self.object(id).place;
            self.error(place, format!("a shape of type `{plugin}` needs a `filename`"));
            return None;
        };
        let place = self.place_of(id, "filename");
        let part = if plugin == "serialized" {
            self.integer(id, "shape_index")
        } else {
            None
        };
        let Ok(part) = u32::try_from(part.unwrap_or(0)) else {
            let place = self.place_of(id, "shape_index");
            self.error(place, "`shape_index` counts from 0");
            return None;
        };
        let options = MeshOptions {
            path: self.document.resolve(name),
            part,
            face_normals: self.boolean(id, "face_normals").unwrap_or(false),
            // OBJ files have v = 1 at the first row of an image, but Mitsuba's v runs down.
            flip_uvs: self.boolean(id, "flip_tex_coords").unwrap_or(plugin == "obj"),
            stretch: stretch(world_from_object),
        };
        self.ignore(id, &["vertex_merging", "merge_vertices"]);
        if let Some(known) = self.meshes.known.get(&options) {
            return known.clone();
        }
        let files = &*self.document.file_system;
        let known = match self.meshes.take(files, plugin, &options) {
            Ok(parsed) => {
                let read = adapt(parsed, &options, world_from_object);
                for warning in read.warnings {
                    self.missing(place, format!("{}: {warning}", options.path.display()));
                }
                let name = self.mesh_name(&stem(&options.path));
                self.meshes.files.push(options.path.clone());
                self.meshes.list.push((name.clone(), read.mesh));
                let has_normals = read.has_normals;
                Some(CachedMesh { name, has_normals })
            }
            Err(error) => {
                self.error(place, error.to_string());
                None
            }
        };
        self.meshes.known.insert(options, known.clone());
        known
    }
}

/// Mesh as Mitsuba loads it.
struct ReadMesh {
    mesh: Mesh,
    /// True if its normals are from the file.
    has_normals: bool,
    warnings: Vec<String>,
}

/// Applies Mitsuba's conventions to the mesh of a file.
fn adapt(
    (mut mesh, warnings): (Mesh, Vec<String>),
    options: &MeshOptions,
    world_from_object: &DMat4,
) -> ReadMesh {
    let has_normals = !mesh.normals.is_empty() && !options.face_normals;
    mesh = if options.face_normals {
        mesh.with_face_normals()
    } else {
        // In Mitsuba the shading frame decides which side is in front, not the order of the vertices.
        mesh.with_fronts_by_normals()
            .with_vertex_normals(&Affine3A::from_mat4(world_from_object.as_mat4()))
    };
    if options.flip_uvs {
        mesh = mesh.with_flipped_uvs();
    }
    ReadMesh { mesh, has_normals, warnings }
}

/// Bits of the part of a transform that affects vertex normals; `None` for a similarity transform.
fn stretch(matrix: &DMat4) -> Option<[u64; 9]> {
    let linear = DMat3::from_mat4(*matrix);
    stretches(matrix, 1e-6).then(|| linear.to_cols_array().map(f64::to_bits))
}

/// Returns whether a transform changes angles, by more than a relative `tolerance`.
pub(super) fn stretches(matrix: &DMat4, tolerance: f64) -> bool {
    let linear = DMat3::from_mat4(*matrix);
    let product = linear.transpose() * linear;
    let scale = product.x_axis.x;
    let differences = (product - DMat3::from_diagonal(DVec3::splat(scale))).to_cols_array();
    differences.iter().any(|v| v.abs() >= tolerance * scale)
}

/// Cube `[-1,1]³` with Mitsuba's texture coordinates.
fn cube() -> Mesh {
    // Normal, direction of u, direction of v.
    const FACES: [[Vec3; 3]; 6] = [
        [Vec3::X, Vec3::Y, Vec3::NEG_Z],
        [Vec3::NEG_X, Vec3::Y, Vec3::Z],
        [Vec3::Y, Vec3::NEG_X, Vec3::NEG_Z],
        [Vec3::NEG_Y, Vec3::Z, Vec3::X],
        [Vec3::Z, Vec3::Y, Vec3::X],
        [Vec3::NEG_Z, Vec3::NEG_Y, Vec3::X],
    ];
    let mut mesh = Mesh::default();
    for [n, along_u, along_v] in FACES {
        let first = mesh.positions.len() as u32;
        for uv in [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y] {
            mesh.positions
                .push(n + along_u * (2.0 * uv.x - 1.0) + along_v * (2.0 * uv.y - 1.0));
            mesh.normals.push(n);
            mesh.uvs.push(uv);
        }
        let corners = if along_u.cross(along_v).dot(n) > 0.0 {
            [0, 1, 2, 3]
        } else {
            [0, 3, 2, 1]
        };
        let [a, b, c, d] = corners.map(|corner| first + corner);
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    mesh
}
