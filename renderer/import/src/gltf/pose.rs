//! glTF poses: deformation of meshes by morph weights and skins of a node.

use glam::{Affine3A, DAffine3, DMat4, Mat3A, Vec3, Vec3A};
use gltf::mesh::Primitive;
use gltf::{Accessor, Document, Node, Semantic, Skin};

use super::GltfError;
use super::accessor::{vectors, vectors_at};
use super::buffers::Buffers;
use super::morph::{Displacements, MorphTargets};
use super::primitive::TANGENTS;
use super::selection::VertexSelection;
use renderer_base::math::cross;
use renderer_geometry::Mesh;

/// Deformation of a node's mesh.
#[derive(Clone, Debug)]
pub(super) struct Pose {
    /// Weights of the morph targets.
    weights: Vec<f32>,
    /// Mesh-to-world transform of each joint of the skin; empty if there is no skin.
    joints: Vec<Affine3A>,
    /// Displacements of texture coordinates and colours by morph targets, by primitive.
    displacements: Vec<Displacements>,
}

impl Pose {
    /// Pose of a node whose mesh is deformed; `None` for other nodes. `world_from_node` holds the transform of each
    /// node of the scene.
    pub(super) fn of(
        node: &Node<'_>,
        world_from_node: &[Option<DAffine3>],
        document: &Document,
        targets: &MorphTargets,
        buffers: &Buffers,
    ) -> Result<Option<Pose>, GltfError> {
        let weights = node.mesh().and_then(|mesh| node.weights().or(mesh.weights()));
        let weights = weights.unwrap_or(&[]).to_vec();
        Pose::with_weights((node, weights), world_from_node, document, targets, buffers)
    }

    /// Like [`Pose::of`], with these weights of the morph targets.
    pub(super) fn with_weights(
        (node, weights): (&Node<'_>, Vec<f32>),
        world_from_node: &[Option<DAffine3>],
        document: &Document,
        targets: &MorphTargets,
        buffers: &Buffers,
    ) -> Result<Option<Pose>, GltfError> {
        let Some(mesh) = node.mesh() else {
            return Ok(None);
        };
        let joints = match node.skin() {
            Some(skin) => joints(&skin, world_from_node, buffers)?,
            None => vec![],
        };
        let is_deformed = !joints.is_empty() || weights.iter().any(|&weight| weight != 0.0);
        if !is_deformed {
            return Ok(None);
        }
        Ok(Some(Pose {
            displacements: targets.displacements(mesh.index(), &weights, document, buffers)?,
            weights,
            joints,
        }))
    }

    /// Returns whether the deformed mesh is in world space: joints replace the transform of the node.
    pub(super) fn is_in_world(&self) -> bool {
        !self.joints.is_empty()
    }

    /// Deforms the mesh of a primitive. glTF 2.0, sections 3.7.2.2 and 3.7.3.3.
    pub(super) fn deform(
        &self,
        mesh: &mut Mesh,
        primitive: &Primitive<'_>,
        selection: &VertexSelection,
        buffers: &Buffers,
    ) -> Result<(), GltfError> {
        let displace = |values: VectorsMut<'_>, target: Option<Accessor<'_>>, weight: f32| {
            displace(values, target, weight, |accessor| {
                vectors_at(accessor, buffers, selection.picked())
            })
        };
        for (target, &weight) in primitive.morph_targets().zip(&self.weights) {
            if weight != 0.0 {
                let positions = mesh.positions.iter_mut().map(Vec3::as_mut).collect();
                displace(positions, target.positions(), weight)?;
                let normals = mesh.normals.iter_mut().map(Vec3::as_mut).collect();
                displace(normals, target.normals(), weight)?;
                if let Some(tangents) = vectors_of(mesh, TANGENTS[0]) {
                    displace(tangents.collect(), target.tangents(), weight)?;
                }
            }
        }
        if let Some(displacements) = self.displacements.get(primitive.index()) {
            displacements.apply(mesh, selection)?;
        }
        if self.is_in_world() {
            self.apply_skin(mesh, primitive, selection, buffers)?;
        }
        for normal in &mut mesh.normals {
            *normal = normal.normalize_or_zero();
        }
        Ok(())
    }

    /// Skins the mesh: transforms each vertex by the weighted mean of its joints' transforms.
    fn apply_skin(
        &self,
        mesh: &mut Mesh,
        primitive: &Primitive<'_>,
        selection: &VertexSelection,
        buffers: &Buffers,
    ) -> Result<(), GltfError> {
        let picked = selection.picked();
        let vertices = mesh.positions.len();
        let mut sums = vec![(Affine3A::ZERO, 0.0); vertices];
        let mut first_joints = vec![];
        for set in 0.. {
            let (joints, weights) = (Semantic::Joints(set), Semantic::Weights(set));
            let (Some(joints), Some(weights)) = (primitive.get(&joints), primitive.get(&weights)) else {
                break;
            };
            let joints: Vec<[f32; 4]> = vectors_at(&joints, buffers, picked)?;
            let weights: Vec<[f32; 4]> = vectors_at(&weights, buffers, picked)?;
            if joints.len() != vertices || weights.len() != vertices {
                return Err(format!(
                    "{} joints and {} weights for {vertices} vertices",
                    joints.len(),
                    weights.len()
                ));
            }
            if set == 0 {
                first_joints = joints.iter().map(|&[joint, ..]| joint as usize).collect();
            }
            for ((sum, joints), weights) in sums.iter_mut().zip(joints).zip(weights) {
                for (joint, weight) in joints.into_iter().zip(weights) {
                    // A joint of weight zero need not exist.
                    if weight == 0.0 {
                        continue;
                    }
                    let transform = self.joints.get(joint as usize).ok_or_else(|| {
                        format!("a vertex has joint {joint}; the skin has {}", self.joints.len())
                    })?;
                    sum.0.matrix3 += transform.matrix3 * weight;
                    sum.0.translation += transform.translation * weight;
                    sum.1 += weight;
                }
            }
        }
        let mut transforms = Vec::with_capacity(vertices);
        for (i, (sum, weight)) in sums.into_iter().enumerate() {
            transforms.push(if weight == 0.0 {
                // Some exporters write vertices without weights; as in three.js, they follow their first joint.
                let first = first_joints.get(i).and_then(|&joint| self.joints.get(joint));
                *first.ok_or_else(|| format!("vertex {i} has no joint"))?
            } else {
                Affine3A {
                    matrix3: sum.matrix3 * weight.recip(),
                    translation: sum.translation / weight,
                }
            });
        }
        for (i, transform) in transforms.iter().enumerate() {
            mesh.positions[i] = transform.transform_point3(mesh.positions[i]);
            if let Some(normal) = mesh.normals.get_mut(i) {
                *normal =
                    Vec3::from(cofactors(&transform.matrix3) * Vec3A::from(*normal)).normalize_or_zero();
            }
        }
        for name in TANGENTS {
            for (vector, transform) in vectors_of(mesh, name).into_iter().flatten().zip(&transforms) {
                *vector = transform.transform_vector3(Vec3::from_array(*vector)).to_array();
            }
        }
        Ok(())
    }
}

/// Vectors of all vertices of a mesh.
type VectorsMut<'a> = Vec<&'a mut [f32; 3]>;

/// Adds the weighted vectors of a morph target to those of all vertices. Either may be missing.
fn displace(
    values: VectorsMut<'_>,
    target: Option<Accessor<'_>>,
    weight: f32,
    read: impl Fn(&Accessor<'_>) -> Result<Vec<[f32; 3]>, GltfError>,
) -> Result<(), GltfError> {
    let Some(accessor) = target else {
        return Ok(());
    };
    let offsets = read(&accessor)?;
    if !values.is_empty() && values.len() != offsets.len() {
        return Err(format!(
            "a morph target has {} offsets for {} vertices",
            offsets.len(),
            values.len()
        ));
    }
    for (value, offset) in values.into_iter().zip(offsets) {
        *value = (Vec3::from_array(*value) + weight * Vec3::from_array(offset)).to_array();
    }
    Ok(())
}

/// Vectors of an attribute, by vertex.
fn vectors_of<'a>(mesh: &'a mut Mesh, name: &str) -> Option<impl ExactSizeIterator<Item = &'a mut [f32; 3]>> {
    let attribute = mesh.attributes.iter_mut().find(|attribute| attribute.name == name)?;
    Some(attribute.values.as_chunks_mut().0.iter_mut())
}

/// Mesh-to-world transform of each joint of a skin.
fn joints(
    skin: &Skin<'_>,
    world_from_node: &[Option<DAffine3>],
    buffers: &Buffers,
) -> Result<Vec<Affine3A>, GltfError> {
    let joint_from_mesh: Option<Vec<[f32; 16]>> = skin
        .inverse_bind_matrices()
        .map(|accessor| vectors(&accessor, buffers))
        .transpose()?;
    buffers
        .budget
        .decode("joints", skin.joints().len(), size_of::<Affine3A>())
        .map_err(|excess| excess.to_string())?;
    let joint = |(i, node): (usize, Node<'_>)| {
        let world_from_joint = world_from_node[node.index()].ok_or_else(|| {
            let (skin, node) = (skin.index(), node.index());
            format!("node {node}, a joint of skin {skin}, is not in the scene")
        })?;
        let joint_from_mesh = match &joint_from_mesh {
            None => DAffine3::IDENTITY,
            Some(matrices) => {
                let matrix = matrices
                    .get(i)
                    .ok_or_else(|| format!("skin {} has no matrix for its joint {i}", skin.index()))?;
                DAffine3::from_mat4(DMat4::from_cols_array(&matrix.map(f64::from)))
            }
        };
        let world_from_mesh = world_from_joint * joint_from_mesh;
        Ok(Affine3A::from_mat3_translation(
            world_from_mesh.matrix3.as_mat3(),
            world_from_mesh.translation.as_vec3(),
        ))
    };
    skin.joints().enumerate().map(joint).collect()
}

/// Cofactor matrix: transforms normals where `m` transforms vectors, up to their length, even if `m` is singular.
fn cofactors(m: &Mat3A) -> Mat3A {
    Mat3A::from_cols(cross(m.y_axis, m.z_axis), cross(m.z_axis, m.x_axis), cross(m.x_axis, m.y_axis))
}
