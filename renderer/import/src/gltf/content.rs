//! Content of a glTF file for import: document and bytes.

use std::sync::Arc;

use gltf::Document;

use super::buffers::Buffers;
use super::morph::MorphTargets;

/// Parsed document with the bytes of its buffers.
pub(super) struct GltfContent {
    pub(super) document: Document,
    pub(super) targets: MorphTargets,
    pub(super) buffers: Arc<Buffers>,
}
