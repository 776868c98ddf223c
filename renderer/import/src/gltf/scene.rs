//! Conversion of a glTF scene: meshes, cameras and lights of the visible nodes.

use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, DAffine3};
use gltf::{Document, Node, Primitive, Semantic};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::animation::Animation;
use super::buffers::Buffers;
use super::camera::{aspect_of, camera_desc};
use super::content::GltfContent;
use super::deformation::AnimatedFile;
use super::error::{BUFFER_HINT, VALIDATOR_HINT};
use super::flat::{Place, flattened};
use super::light::light_kind;
use super::luminaire::Luminaires;
use super::material::{Materials, ReadMaterials};
use super::nodes::{PlacedNodes, placed_nodes};
use super::pose::Pose;
use super::posed_primitive::{ReadPrimitive, read_primitive};
use super::strands::strands;
use super::{GltfError, instancing, primitive};
use crate::model::Names;
use crate::{ImportError, Model, ModelShape, ModelStrands, StrandSet};
use renderer_base::files::OverBudget;
use renderer_base::math::{in_double, in_single};
use renderer_geometry::Mesh;
use renderer_scene::{LightKind, ModelPart, Motion, SceneTime};

/// Converts the scene of a document to a model.
pub(super) fn model(
    content: &Arc<GltfContent>,
    animation: Option<Animation>,
    path: &Path,
) -> Result<Model, ImportError> {
    let GltfContent { document, targets, buffers } = &**content;
    let invalid =
        |reason: GltfError| ImportError::Document { path: path.to_owned(), reason, hint: VALIDATOR_HINT };
    let in_material =
        |reason: GltfError| ImportError::Document { path: path.to_owned(), reason, hint: BUFFER_HINT };
    let mut materials = Materials::new(document, buffers, path);
    for material in document.materials() {
        materials.add(&material).map_err(in_material)?;
    }
    let ReadMaterials { list, textures, sets } = materials.finish();
    let PlacedNodes { visible: placed, places, motions } =
        placed_nodes(document, animation.as_ref()).map_err(invalid)?;
    let mut poses = FxHashMap::default();
    for (node, _) in &placed {
        if let Some(pose) = Pose::of(node, &places, document, targets, buffers).map_err(invalid)? {
            poses.insert(node.index(), pose);
        }
    }
    let luminaires = Luminaires::read(document, buffers);
    let mut reader = Reader {
        document,
        buffers,
        path,
        model: Model {
            materials: list,
            textures,
            files: buffers.files.iter().chain(&luminaires.files).cloned().collect(),
            ..Model::default()
        },
        meshes: meshes(&placed, &poses, buffers, path),
        flat: FxHashMap::default(),
        poses,
        animated: animation.map(|animation| {
            let (content, path, motions) = (content.clone(), path.to_owned(), motions.clone());
            Arc::new(AnimatedFile { content, path, animation, places, motions })
        }),
        motions,
        sets,
        warned: FxHashSet::default(),
        shape_names: Names::default(),
        camera_names: Names::default(),
        light_names: Names::default(),
        luminaires,
    };
    if let Some(of) = reader.animated.clone() {
        reader.model.has_animated_values = of.animation.changes_values;
        of.animation.warnings.iter().for_each(|warning| reader.warn(warning.clone()));
    }
    for name in document.extensions_used().filter(|name| changes_looks(name)) {
        reader.warn(format!("the extension {name} is not supported and has no effect"));
    }
    for (node, world_from_node) in placed {
        reader.node(&node, &world_from_node)?;
    }
    Ok(reader.model)
}

/// Reads the primitives of all meshes of the nodes, in parallel.
fn meshes(
    placed: &[(Node<'_>, DAffine3)],
    poses: &FxHashMap<usize, Pose>,
    buffers: &Buffers,
    path: &Path,
) -> FxHashMap<PrimitiveKey, ReadPrimitive> {
    let mut wanted = FxHashMap::default();
    for (node, _) in placed {
        let pose = poses.get(&node.index());
        let Some(mesh) = node.mesh() else { continue };
        for primitive in mesh.primitives() {
            let key = PrimitiveKey::of(node, &mesh, &primitive, pose.is_some());
            wanted.entry(key).or_insert((part_name(&mesh, &primitive), primitive, pose));
        }
    }
    wanted
        .into_par_iter()
        .map(|(key, (part, primitive, pose))| (key, read_primitive(&part, &primitive, pose, buffers, path)))
        .collect()
}

/// Primitive in the pose of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PrimitiveKey {
    mesh: usize,
    primitive: usize,
    /// Index of the node that deforms it.
    posed_by: Option<usize>,
}

impl PrimitiveKey {
    fn of(node: &Node<'_>, mesh: &gltf::Mesh<'_>, primitive: &Primitive<'_>, is_posed: bool) -> PrimitiveKey {
        PrimitiveKey {
            mesh: mesh.index(),
            primitive: primitive.index(),
            posed_by: is_posed.then_some(node.index()),
        }
    }
}

/// Name of a primitive in messages.
fn part_name(mesh: &gltf::Mesh<'_>, primitive: &Primitive<'_>) -> String {
    let name = mesh
        .name()
        .map_or_else(|| format!("mesh {}", mesh.index()), |name| format!("mesh `{name}`"));
    format!("{name}, primitive {}", primitive.index())
}

/// Returns whether an unsupported extension affects the picture.
fn changes_looks(name: &str) -> bool {
    // An extension's name begins with the vendor, followed by the subject.
    let about = name.split('_').nth(1).unwrap_or_default();
    !super::check::EXTENSIONS.contains(&name)
        && ["gaussian", "lights", "materials", "mesh", "texture"].contains(&about)
}

/// Memory of a shape, also in the scene that is made of it [bytes].
pub(super) const SHAPE_BYTES: usize = 512;

struct Reader<'a> {
    document: &'a Document,
    buffers: &'a Buffers,
    path: &'a Path,
    model: Model,
    meshes: FxHashMap<PrimitiveKey, ReadPrimitive>,
    /// Flattened copies of meshes, by the bits of the direction of flattening; `None` if no area is left.
    flat: FxHashMap<(PrimitiveKey, [u64; 3]), Option<Arc<Mesh>>>,
    /// Poses of nodes, by node index.
    poses: FxHashMap<usize, Pose>,
    /// The file, if an animation is played.
    animated: Option<Arc<AnimatedFile>>,
    /// Node-to-world transforms over time of the nodes that move, by node index.
    motions: Vec<Option<Arc<Motion>>>,
    /// Texture coordinate sets of each material.
    sets: Vec<Vec<u32>>,
    /// Warnings so far.
    warned: FxHashSet<String>,
    shape_names: Names,
    camera_names: Names,
    light_names: Names,
    luminaires: Luminaires,
}

impl Reader<'_> {
    /// Adds a warning, once.
    fn warn(&mut self, warning: String) {
        if self.warned.insert(warning.clone()) {
            self.model.warnings.push(warning);
        }
    }

    fn node(&mut self, node: &Node<'_>, at_rest: &DAffine3) -> Result<(), ImportError> {
        let world_from_node = &self.placement(node, at_rest);
        let place = in_single(world_from_node);
        if let Some(mesh) = node.mesh() {
            let is_in_world = self.poses.get(&node.index()).is_some_and(Pose::is_in_world);
            let (places, is_instanced) = if is_in_world {
                (vec![Affine3A::IDENTITY], false)
            } else {
                let places = instancing::places(node, world_from_node, self.document, self.buffers);
                match places.map_err(|reason| self.document_error(reason))? {
                    Some(places) => (places, true),
                    None => (vec![place], false),
                }
            };
            let world_from_node = (!is_in_world).then_some(world_from_node);
            self.mesh((node, world_from_node), &mesh, &places, is_instanced)?;
        }
        if let Some(camera) = node.camera() {
            self.camera(node, &camera, place)
                .map_err(|reason| self.document_error(reason))?;
        }
        // The motion of a light moves it from its own space.
        let light_place = match &self.motions[node.index()] {
            Some(_) => Affine3A::IDENTITY,
            None => place,
        };
        if let Some(light) = node.light() {
            let name = light.name().map_or_else(|| format!("light{}", light.index()), str::to_owned);
            self.light(node, name, light_kind(&light, light_place).map_err(str::to_owned));
        }
        if let Some(kind) = self.luminaires.light_of(node, light_place) {
            self.light(node, format!("light{}", node.index()), kind);
        }
        Ok(())
    }

    /// Node-to-world transform: that at rest, or at the start of an animation of an object that is flattened at rest, as
    /// one that grows from nothing.
    fn placement(&self, node: &Node<'_>, at_rest: &DAffine3) -> DAffine3 {
        const START: SceneTime = SceneTime { frames: 0.0, seconds: 0.0 };
        let is_flat = || Place::of(&in_single(at_rest)).is_none_or(|place| place.flat_along.is_some());
        match &self.motions[node.index()] {
            Some(motion) if is_flat() => motion.at(START),
            _ => *at_rest,
        }
    }

    fn document_error(&self, reason: GltfError) -> ImportError {
        ImportError::Document { path: self.path.to_owned(), reason, hint: VALIDATOR_HINT }
    }

    /// Motion of a mesh that has the transform `place` at rest; a flattened mesh does not move.
    fn motion(
        &self,
        (node, world_from_node): (&Node<'_>, &DAffine3),
        place: &Place,
        is_instanced: bool,
    ) -> Option<Arc<Motion>> {
        let motion = self.motions[node.index()].as_ref().filter(|_| place.flat_along.is_none())?;
        let node_from_mesh = world_from_node.inverse() * in_double(&place.world_from_mesh);
        Some(match is_instanced && node_from_mesh.is_finite() {
            true => Arc::new(Motion::clone(motion).then_of(&Motion::constant(node_from_mesh))),
            false => motion.clone(),
        })
    }

    /// Adds a mesh with each of its transforms. `world_from_node` is that of the node, unless the mesh is in world space.
    fn mesh(
        &mut self,
        (node, world_from_node): (&Node<'_>, Option<&DAffine3>),
        mesh: &gltf::Mesh<'_>,
        places: &[Affine3A],
        is_instanced: bool,
    ) -> Result<(), ImportError> {
        let name = node
            .name()
            .or(mesh.name())
            .map_or_else(|| format!("node{}", node.index()), str::to_owned);
        let all = places.len();
        let placed = (0..).zip(places);
        let places: Vec<(usize, Place)> = placed
            .filter_map(|(instance, place)| Some((instance, Place::of(place)?)))
            .collect();
        self.warn_of_lost(&name, all - places.len(), all);
        if places.is_empty() {
            return Ok(());
        }
        let single = mesh.primitives().len() == 1;
        for primitive in mesh.primitives() {
            let set =
                strands(mesh, &primitive, self.buffers).map_err(|reason| self.document_error(reason))?;
            if let Some(set) = set {
                let part = part_of(&name, single, &primitive);
                self.strands((node, world_from_node), set, &part, primitive.material().index(), &places);
                continue;
            }
            let Some(triangles) = self.primitive(node, mesh, &primitive)? else {
                continue;
            };
            self.warn_of_missing_sets(mesh, &primitive);
            let part = part_of(&name, single, &primitive);
            let key = self.key(node, mesh, &primitive);
            let allocated = self.buffers.budget.allocate("instances", places.len(), SHAPE_BYTES);
            allocated.map_err(|excess| self.document_error(excess.to_string()))?;
            let mut seen: Vec<(usize, Arc<Mesh>, &Place)> = vec![];
            for (instance, place) in &places {
                let mesh = self.mesh_in(place, key, &triangles);
                let mesh = mesh.map_err(|excess| self.document_error(excess.to_string()))?;
                seen.extend(mesh.map(|mesh| (*instance, mesh, place)));
            }
            self.warn_of_lost(&part, places.len() - seen.len(), places.len());
            if seen.is_empty() {
                continue;
            }
            let is_flat = places.iter().any(|(_, place)| place.flat_along.is_some());
            let animated = self.animated.as_ref().filter(|_| !is_flat);
            let deformation = animated.and_then(|of| of.deformation(node, primitive.index()));
            let name: Arc<str> = self.shape_names.unique(&part).into();
            let material = primitive.material().index();
            for (instance, triangles, place) in seen {
                let motion =
                    world_from_node.and_then(|world| self.motion((node, world), place, is_instanced));
                self.model.shapes.push(ModelShape {
                    name: name.clone(),
                    mesh: triangles,
                    world_from_object: place.world_from_mesh,
                    motion,
                    deformation: deformation.clone(),
                    material,
                    part: Some(ModelPart {
                        node: node.index(),
                        mesh: mesh.index(),
                        primitive: primitive.index(),
                        instance: is_instanced.then_some(instance),
                    }),
                });
            }
        }
        Ok(())
    }

    /// Adds lines or points with each of their transforms, except those that are flattened.
    fn strands(
        &mut self,
        (node, world_from_node): (&Node<'_>, Option<&DAffine3>),
        set: StrandSet,
        part: &str,
        material: Option<usize>,
        places: &[(usize, Place)],
    ) {
        let (set, name): (Arc<StrandSet>, Arc<str>) = (set.into(), self.shape_names.unique(part).into());
        for (_, place) in places.iter().filter(|(_, place)| place.flat_along.is_none()) {
            let motion =
                world_from_node.and_then(|world| self.motion((node, world), place, places.len() > 1));
            self.model.strands.push(ModelStrands {
                name: name.clone(),
                set: set.clone(),
                world_from_object: place.world_from_mesh,
                motion,
                material,
            });
        }
    }

    /// Warns of instances of a mesh that have no area.
    fn warn_of_lost(&mut self, name: &str, lost: usize, all: usize) {
        match lost {
            0 => {}
            1 if all == 1 => self.warn(format!("`{name}` is scaled to nothing and not shown")),
            _ => self.warn(format!(
                "{lost} of {all} instances of `{name}` are scaled to nothing and not shown"
            )),
        }
    }

    /// Mesh for a placement, flattened if needed; `None` if no area is left.
    fn mesh_in(
        &mut self,
        place: &Place,
        key: PrimitiveKey,
        mesh: &Arc<Mesh>,
    ) -> Result<Option<Arc<Mesh>>, OverBudget> {
        let Some(along) = place.flat_along else {
            return Ok(Some(mesh.clone()));
        };
        let known = self.flat.entry((key, along.to_array().map(f64::to_bits)));
        if let Entry::Vacant(_) = known {
            /// Memory of a vertex with its part of the triangles [bytes].
            const VERTEX: usize = 96;
            let budget = &self.buffers.budget;
            budget.allocate("flattened meshes", mesh.positions.len(), VERTEX)?;
        }
        Ok(known.or_insert_with(|| flattened(mesh, along).map(Arc::new)).clone())
    }

    /// Warns of texture coordinate sets that the primitive's material uses, but that are missing.
    fn warn_of_missing_sets(&mut self, mesh: &gltf::Mesh<'_>, primitive: &Primitive<'_>) {
        let sets = primitive.material().index().and_then(|index| self.sets.get(index));
        let is_missing =
            |&&set: &&u32| set >= primitive::UV_SETS || primitive.get(&Semantic::TexCoords(set)).is_none();
        let missing: Vec<u32> = sets.into_iter().flatten().filter(is_missing).copied().collect();
        for set in missing {
            let part = part_name(mesh, primitive);
            self.warn(match set {
                primitive::UV_SETS.. => {
                    format!("{part}: TEXCOORD_{set}, which its material uses, is not read")
                }
                _ => format!("{part}: there is no TEXCOORD_{set}, which its material uses"),
            });
        }
    }

    fn key(&self, node: &Node<'_>, mesh: &gltf::Mesh<'_>, primitive: &Primitive<'_>) -> PrimitiveKey {
        PrimitiveKey::of(node, mesh, primitive, self.poses.contains_key(&node.index()))
    }

    fn primitive(
        &mut self,
        node: &Node<'_>,
        mesh: &gltf::Mesh<'_>,
        primitive: &Primitive<'_>,
    ) -> Result<Option<Arc<Mesh>>, ImportError> {
        let key = self.key(node, mesh, primitive);
        match self.meshes.remove(&key) {
            Some(Ok(read)) => {
                self.meshes.insert(key, Ok(read.clone()));
                if let Err(reason) = &read {
                    self.warn(format!("{}: {reason}", part_name(mesh, primitive)));
                }
                Ok(read.ok())
            }
            Some(Err(error)) => Err(error),
            None => Ok(None),
        }
    }

    fn camera(
        &mut self,
        node: &Node<'_>,
        camera: &gltf::Camera<'_>,
        place: Affine3A,
    ) -> Result<(), GltfError> {
        let desc = camera_desc(camera, place)?;
        if self.model.cameras.is_empty() {
            self.model.aspect = aspect_of(camera).filter(|aspect| *aspect > 0.0 && aspect.is_finite());
        }
        let name = node
            .name()
            .or(camera.name())
            .map_or_else(|| format!("camera{}", camera.index()), str::to_owned);
        let name = self.camera_names.unique(&name);
        if let Some(motion) = &self.motions[node.index()] {
            self.model.camera_motions.insert(name.clone(), motion.clone());
        }
        self.model.cameras.push((name, desc));
        Ok(())
    }

    /// Adds a light, by the name of its node or else by its own; or warns why it is left out.
    fn light(&mut self, node: &Node<'_>, own_name: String, kind: Result<LightKind, String>) {
        let name = node.name().map_or(own_name, str::to_owned);
        match kind {
            Ok(kind) => {
                let name = self.light_names.unique(&name);
                if let Some(motion) = &self.motions[node.index()] {
                    self.model.light_motions.insert(name.clone(), motion.clone());
                }
                self.model.lights.push((name, kind));
            }
            Err(reason) => self.warn(format!("the light `{name}` {reason} and is left out")),
        }
    }
}

/// Name of the shape of a primitive of a node's mesh.
fn part_of(name: &str, is_single: bool, primitive: &Primitive<'_>) -> String {
    match is_single {
        true => name.to_owned(),
        false => format!("{name}.{}", primitive.index()),
    }
}
