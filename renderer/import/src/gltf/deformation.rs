//! Deformed meshes over time: skins and morph targets in an animation.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DAffine3;
use gltf::Node;

use super::animation::Animation;
use super::content::GltfContent;
use super::pose::Pose;
use super::posed_primitive::read_primitive;
use renderer_scene::{Deformation, GeometryDesc, Motion, SceneTime};

/// A file with the animation that is played.
pub(super) struct AnimatedFile {
    pub(super) content: Arc<GltfContent>,
    pub(super) path: PathBuf,
    pub(super) animation: Animation,
    /// Node-to-world transforms at rest, by node index.
    pub(super) places: Vec<Option<DAffine3>>,
    /// Node-to-world transforms over time of the nodes that move, by node index.
    pub(super) motions: Vec<Option<Arc<Motion>>>,
}

/// A primitive of a node that a skin or morph targets deform.
pub(super) struct DeformedPrimitive {
    of: Arc<AnimatedFile>,
    node: usize,
    primitive: usize,
}

impl AnimatedFile {
    /// Returns whether the mesh of a node changes its shape.
    fn deforms(&self, node: &Node<'_>) -> bool {
        let mut joints = node.skin().into_iter().flat_map(|skin| skin.joints().collect::<Vec<_>>());
        self.animation.weights(node).is_some() || joints.any(|joint| self.motions[joint.index()].is_some())
    }

    /// A primitive of a node over time; `None` if it keeps its shape.
    pub(super) fn deformation(
        self: &Arc<Self>,
        node: &Node<'_>,
        primitive: usize,
    ) -> Option<Arc<dyn Deformation>> {
        let deformed = || DeformedPrimitive { of: self.clone(), node: node.index(), primitive };
        self.deforms(node).then(|| Arc::new(deformed()) as Arc<dyn Deformation>)
    }

    fn world_from_node(&self, time: SceneTime) -> Vec<Option<DAffine3>> {
        let at = |(motion, place): (&Option<Arc<Motion>>, &Option<DAffine3>)| match motion {
            Some(motion) => Some(motion.at(time)),
            None => *place,
        };
        self.motions.iter().zip(&self.places).map(at).collect()
    }
}

impl Deformation for DeformedPrimitive {
    fn at(&self, time: SceneTime) -> Option<GeometryDesc> {
        let AnimatedFile { content, path, animation, .. } = &*self.of;
        let GltfContent { document, targets, buffers } = &**content;
        // Each time is decoded like another reading of the file.
        buffers.budget.restart();
        let node = document.nodes().nth(self.node)?;
        let mesh = node.mesh()?;
        let weights = match animation.weights(&node) {
            Some(tracks) => tracks.iter().map(|track| track.at(time.seconds) as f32).collect(),
            None => node.weights().or(mesh.weights()).unwrap_or(&[]).to_vec(),
        };
        let places = self.of.world_from_node(time);
        let pose = Pose::with_weights((&node, weights), &places, document, targets, buffers).ok()?;
        let primitive = mesh.primitives().nth(self.primitive)?;
        let read = read_primitive("", &primitive, pose.as_ref(), buffers, Path::new(path));
        Some(GeometryDesc::Mesh(read.ok()?.ok()?))
    }
}

impl fmt::Debug for DeformedPrimitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeformedPrimitive(node {}, primitive {})", self.node, self.primitive)
    }
}
