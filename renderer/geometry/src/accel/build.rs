//! Construction of the acceleration structure: a scene of all shapes, in which shared and moving meshes are instances.
//!
//! In a sequence with animated shapes, the others are a scene of their own, so that frames share it: its only instance is not
//! transformed, so that its hits are those of the shapes themselves.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::embree::{CommittedScene, Device, InstanceArray, SceneBuilder, UserSurface, instance_field};
use super::error::AccelError;
use super::mask::ALL;
use super::quality::BuildQuality;
use crate::{Geometry, Mesh, MeshUses, Shape, TracedTriangles, VertexMotion};

/// Maximum number of instances as separate geometries, which are slightly faster; beyond it, instance arrays need a
/// third of the memory.
const MAX_SEPARATE_INSTANCES: usize = 1 << 16;

/// Number of primitives from which the shapes without animation are a scene of their own: for fewer, the time of building is
/// not worth the time of another instance.
const MIN_FIXED_PRIMITIVES: u64 = 1 << 16;

/// Addresses of a mesh and of the motion of its vertices; 0 without motion.
type MeshKey = (usize, usize);

/// Scenes of a structure that another frame may share.
#[derive(Default)]
pub(super) struct AccelParts {
    /// Meshes that are instanced; each scene keeps its mesh.
    meshes: FxHashMap<MeshKey, Arc<CommittedScene>>,
    fixed: Option<Arc<FixedPart>>,
}

/// Shapes without animation.
struct FixedPart {
    /// Index, mask and shape.
    shapes: Vec<(u32, u32, Shape)>,
    scene: Arc<CommittedScene>,
}

/// A structure under construction.
pub(super) struct AccelBuilder<'a> {
    device: &'a Arc<Device>,
    quality: BuildQuality,
    shapes: &'a [Shape],
    uses: MeshUses,
    /// Field of a hit that stores the instance within an array; `None` without arrays.
    array_field: Option<usize>,
    /// Instance arrays, by mesh and mask.
    arrays: FxHashMap<(*const Mesh, u32), usize>,
    array_list: Vec<(Arc<CommittedScene>, u32, InstanceArray)>,
    parts: AccelParts,
    top: SceneBuilder,
}

impl<'a> AccelBuilder<'a> {
    pub(super) fn new(
        device: &'a Arc<Device>,
        shapes: &'a [Shape],
        quality: BuildQuality,
    ) -> AccelBuilder<'a> {
        let uses = MeshUses::of(shapes);
        let array_field = match uses.instances() > MAX_SEPARATE_INSTANCES {
            true => instance_field(device),
            false => None,
        };
        let count = shapes.len() as u32;
        AccelBuilder {
            device,
            quality,
            shapes,
            uses,
            array_field,
            arrays: FxHashMap::default(),
            array_list: vec![],
            parts: AccelParts::default(),
            top: SceneBuilder::new(device, quality).with_arrays(count + 1, array_field.unwrap_or(0)),
        }
    }

    /// Builds the scene of all shapes; it shares the scenes of `earlier` that are equal.
    pub(super) fn build(
        mut self,
        masks: &[u32],
        earlier: Option<&AccelParts>,
    ) -> Result<(CommittedScene, AccelParts), AccelError> {
        let separates = self.has_fixed_part();
        let mut fixed: Vec<(u32, u32, &Shape)> = vec![];
        for (id, shape) in (0u32..).zip(self.shapes) {
            let mask = masks.get(id as usize).copied().unwrap_or(ALL);
            match shape.mesh().filter(|_| self.is_instanced(shape)) {
                Some(mesh) => self.instance(id, mask, shape, mesh, earlier)?,
                None if separates && !shape.animated => fixed.push((id, mask, shape)),
                None => add(&mut self.top, id, mask, shape)?,
            }
        }
        let count = self.shapes.len() as u32;
        if separates {
            let known = earlier.and_then(|parts| parts.fixed.as_ref()).filter(|part| part.is_of(&fixed));
            let part = match known {
                Some(part) => part.clone(),
                None => Arc::new(FixedPart::new(self.device, self.quality, fixed)?),
            };
            self.top.fixed_part(count, &part.scene);
            self.parts.fixed = Some(part);
        }
        for (id, (scene, mask, array)) in (count + 1..).zip(self.array_list) {
            self.top.instances(id, mask, &scene, array);
        }
        Ok((self.top.commit()?, self.parts))
    }

    /// Returns whether shapes are animated, and many others are not.
    fn has_fixed_part(&self) -> bool {
        let fixed = self.shapes.iter().filter(|shape| !shape.animated && !self.is_instanced(shape));
        let primitives: u64 = fixed.map(|shape| u64::from(shape.primitive_count())).sum();
        primitives >= MIN_FIXED_PRIMITIVES && self.shapes.iter().any(|shape| shape.animated)
    }

    fn is_instanced(&self, shape: &Shape) -> bool {
        shape.mesh().is_some_and(|mesh| !self.uses.is_single(mesh) || shape.is_moving())
    }

    fn instance(
        &mut self,
        id: u32,
        mask: u32,
        shape: &Shape,
        mesh: &Arc<Mesh>,
        earlier: Option<&AccelParts>,
    ) -> Result<(), AccelError> {
        let motion = shape.vertex_motion();
        let key = mesh_key(mesh, motion);
        let known = earlier.and_then(|parts| parts.meshes.get(&key));
        let scene = match (self.parts.meshes.entry(key), known) {
            (Entry::Occupied(entry), _) => entry.into_mut(),
            (Entry::Vacant(entry), Some(known)) => entry.insert(known.clone()),
            (Entry::Vacant(entry), None) => {
                let mut scene = SceneBuilder::new(self.device, self.quality);
                scene.triangles(0, ALL, TracedTriangles::of_mesh(mesh).with_motion(motion))?;
                entry.insert(Arc::new(scene.commit()?))
            }
        };
        if self.array_field.is_none() || shape.is_moving() {
            self.top.instance(id, mask, scene, shape.placement());
            return Ok(());
        }
        let list = &mut self.array_list;
        let index = *self.arrays.entry((Arc::as_ptr(mesh), mask)).or_insert_with(|| {
            list.push((scene.clone(), mask, InstanceArray::default()));
            list.len() - 1
        });
        list[index].2.push(id, shape.placement().open().world_from_object());
        Ok(())
    }
}

impl FixedPart {
    fn new(
        device: &Arc<Device>,
        quality: BuildQuality,
        shapes: Vec<(u32, u32, &Shape)>,
    ) -> Result<FixedPart, AccelError> {
        let mut scene = SceneBuilder::new(device, quality);
        for (id, mask, shape) in &shapes {
            add(&mut scene, *id, *mask, shape)?;
        }
        Ok(FixedPart {
            shapes: shapes.into_iter().map(|(id, mask, shape)| (id, mask, shape.clone())).collect(),
            scene: Arc::new(scene.commit()?),
        })
    }

    fn is_of(&self, shapes: &[(u32, u32, &Shape)]) -> bool {
        let is_same = |(own, other): (&(u32, u32, Shape), &(u32, u32, &Shape))| {
            (own.0, own.1) == (other.0, other.1) && own.2.is_placed_as(other.2)
        };
        self.shapes.len() == shapes.len() && self.shapes.iter().zip(shapes).all(is_same)
    }
}

/// Adds a shape that is not instanced.
fn add(scene: &mut SceneBuilder, id: u32, mask: u32, shape: &Shape) -> Result<(), AccelError> {
    match &shape.geometry {
        Geometry::Mesh(_) => {
            let triangles = TracedTriangles::of_shape(shape).expect("the shape is a mesh");
            scene.triangles(id, mask, triangles)
        }
        Geometry::Sphere
        | Geometry::Disk
        | Geometry::Cylinder
        | Geometry::Cone(_)
        | Geometry::Curves(_)
        | Geometry::Points(_) => {
            let surface = UserSurface::new(shape).expect("the shape is no mesh");
            scene.surface(id, mask, surface);
            Ok(())
        }
    }
}

fn mesh_key(mesh: &Arc<Mesh>, motion: Option<&Arc<VertexMotion>>) -> MeshKey {
    (Arc::as_ptr(mesh).addr(), motion.map_or(0, |motion| Arc::as_ptr(motion).addr()))
}
