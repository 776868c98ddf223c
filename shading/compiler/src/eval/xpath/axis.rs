//! Axes and node tests of XPath: the nodes that a step selects from a node.

use super::ast::{Axis, NodeTest};
use super::document::{Document, NodeId};

/// Returns the nodes of an axis, nearest first; none if the query's budget is exhausted.
pub(super) fn nodes(document: &Document, from: NodeId, axis: Axis) -> Vec<NodeId> {
    let list = &document.nodes;
    let visited = if axis == Axis::Preceding { from.index } else { 1 };
    if !document.spend(visited) {
        return vec![];
    }
    let node = &list[from.index];
    let is_attribute = from.attribute.is_some();
    let parent = match is_attribute {
        true => Some(from.index),
        false => node.parent,
    };
    let tree = |indices: &[usize]| indices.iter().map(|&index| NodeId::tree(index)).collect();
    let siblings = match parent {
        Some(parent) if !is_attribute => list[parent].children.as_slice(),
        _ => &[],
    };
    let place = siblings.partition_point(|&sibling| sibling < from.index);
    let nodes = match axis {
        Axis::Here => vec![from],
        Axis::Parent => parent.map(NodeId::tree).into_iter().collect(),
        Axis::Ancestor => ancestors(document, parent),
        Axis::AncestorOrSelf => std::iter::once(from).chain(ancestors(document, parent)).collect(),
        Axis::Attribute if !is_attribute => (0..node.attributes.len())
            .map(|attribute| NodeId { index: from.index, attribute: Some(attribute) })
            .collect(),
        Axis::Child if !is_attribute => tree(&node.children),
        Axis::Descendant if !is_attribute => (from.index + 1..node.end).map(NodeId::tree).collect(),
        Axis::DescendantOrSelf if !is_attribute => (from.index..node.end).map(NodeId::tree).collect(),
        Axis::DescendantOrSelf => vec![from],
        Axis::Following => {
            let start = if is_attribute { from.index + 1 } else { node.end };
            (start..list.len()).map(NodeId::tree).collect()
        }
        Axis::FollowingSibling => tree(siblings.get(place + 1..).unwrap_or_default()),
        Axis::Preceding => {
            let is_before = |&index: &usize| list[index].end <= from.index;
            (0..from.index).rev().filter(is_before).map(NodeId::tree).collect()
        }
        Axis::PrecedingSibling => {
            let before = siblings[..place].iter().rev();
            before.map(|&index| NodeId::tree(index)).collect()
        }
        Axis::Attribute | Axis::Child | Axis::Descendant | Axis::Namespace => vec![],
    };
    document.spend(nodes.len());
    nodes
}

fn ancestors(document: &Document, parent: Option<usize>) -> Vec<NodeId> {
    let chain = std::iter::successors(parent, |&index| document.nodes[index].parent);
    chain.map(NodeId::tree).collect()
}

/// Returns whether a node of an axis passes the node test of a step.
pub(super) fn passes(document: &Document, id: NodeId, axis: Axis, test: &NodeTest) -> bool {
    let node = &document.nodes[id.index];
    // A name test selects nodes of the axis's principal kind.
    let is_principal = match axis {
        Axis::Attribute => id.attribute.is_some(),
        _ => id.attribute.is_none() && node.is_element(),
    };
    match test {
        NodeTest::Anything => true,
        NodeTest::Text => id.attribute.is_none() && node.is_text(),
        NodeTest::Nothing => false,
        NodeTest::AnyName => is_principal,
        NodeTest::Prefix(prefix) => is_principal && document.name(id).starts_with(prefix.as_str()),
        NodeTest::Name(name) => is_principal && document.name(id) == name,
    }
}
