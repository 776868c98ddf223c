//! glTF nodes: visible nodes of the scene with their transforms and motions.

use std::sync::Arc;

use glam::{DAffine3, DMat4, DQuat, DVec3};
use gltf::scene::Transform;
use gltf::{Document, Node};

use super::GltfError;
use super::animation::Animation;
use renderer_scene::Motion;

/// Nodes of the scene.
pub(super) struct PlacedNodes<'a> {
    /// Visible nodes with their node-to-world transforms.
    pub(super) visible: Vec<(Node<'a>, DAffine3)>,
    /// Node-to-world transforms of all nodes of the scene, by node index.
    pub(super) places: Vec<Option<DAffine3>>,
    /// Node-to-world transforms over time of the nodes that move, by node index.
    pub(super) motions: Vec<Option<Arc<Motion>>>,
}

/// Returns the visible nodes of the scene with their transforms: of the first scene if there is no default one, and of
/// all root nodes if there are no scenes.
pub(super) fn placed_nodes<'a>(
    document: &'a Document,
    animation: Option<&Animation>,
) -> Result<PlacedNodes<'a>, GltfError> {
    let nodes: Vec<Node<'_>> = document.nodes().collect();
    let mut is_child = vec![false; nodes.len()];
    for node in &nodes {
        node.children().for_each(|child| is_child[child.index()] = true);
    }
    let roots: Vec<Node<'_>> = match document.default_scene().or_else(|| document.scenes().next()) {
        Some(scene) => scene.nodes().collect(),
        None => nodes.into_iter().filter(|node| !is_child[node.index()]).collect(),
    };
    let mut places = vec![None; is_child.len()];
    let mut motions: Vec<Option<Arc<Motion>>> = vec![None; is_child.len()];
    let mut placed = vec![];
    let mut stack: Vec<(Node<'_>, DAffine3, Option<usize>, bool)> = (roots.into_iter().rev())
        .map(|node| (node, DAffine3::IDENTITY, None, true))
        .collect();
    while let Some((node, world_from_parent, parent, is_parent_visible)) = stack.pop() {
        let parent_from_node = transform_of(&node)?;
        let world_from_node = world_from_parent * parent_from_node;
        let own = animation.and_then(|animation| animation.motion(&node));
        let of_parent = parent.and_then(|parent| motions[parent].clone());
        if own.is_some() || of_parent.is_some() {
            let outer = of_parent.unwrap_or_else(|| Arc::new(Motion::constant(world_from_parent)));
            let own = own.unwrap_or_else(|| Motion::constant(parent_from_node));
            motions[node.index()] = Some(Arc::new(Motion::clone(&outer).then_of(&own)));
        }
        if places[node.index()].replace(world_from_node).is_some() {
            return Err(format!("node {} has two parents, or is its own ancestor", node.index()));
        }
        // Hidden nodes may still be joints.
        let is_visible = is_parent_visible && is_visible(&node);
        let first = stack.len();
        let parent = Some(node.index());
        stack.extend(node.children().map(|child| (child, world_from_node, parent, is_visible)));
        stack[first..].reverse();
        if is_visible {
            placed.push((node, world_from_node));
        }
    }
    Ok(PlacedNodes { visible: placed, places, motions })
}

/// KHR_node_visibility: a node may be hidden together with its descendants.
fn is_visible(node: &Node<'_>) -> bool {
    let extension = node.extension_value("KHR_node_visibility");
    let visible = extension.and_then(|extension| extension.get("visible"));
    visible.and_then(serde_json::Value::as_bool) != Some(false)
}

/// Maximum deviation of a matrix's last row from (0, 0, 0, 1): exporters that multiply matrices round.
const MAX_ROUNDING: f64 = 1e-4;

fn transform_of(node: &Node<'_>) -> Result<DAffine3, GltfError> {
    let double = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
    let transform = match node.transform() {
        Transform::Matrix { matrix } => {
            let matrix = DMat4::from_cols_array_2d(&matrix.map(|column| column.map(f64::from)));
            if (matrix.row(3) - glam::DVec4::W).abs().max_element() > MAX_ROUNDING {
                return Err(format!("the matrix of node {} is not affine", node.index()));
            }
            DAffine3::from_mat4(matrix)
        }
        Transform::Decomposed { translation, rotation, scale } => {
            let rotation = DQuat::from_array(rotation.map(f64::from));
            let rotation = if rotation.length_squared() > 0.0 {
                rotation.normalize()
            } else {
                DQuat::IDENTITY
            };
            DAffine3::from_scale_rotation_translation(double(scale), rotation, double(translation))
        }
    };
    if transform.is_finite() {
        Ok(transform)
    } else {
        Err(format!("the transform of node {} is not finite", node.index()))
    }
}
