//! Reference counts of accessors and buffer views of a document.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::text::{index, indices, list};

/// Reference counts by index. Objects that unknown extensions may reference are never released.
#[derive(Debug, Default)]
pub(super) struct Uses {
    accessors: FxHashMap<usize, usize>,
    views: FxHashMap<usize, usize>,
}

impl Uses {
    /// Counts the references of a document.
    pub(super) fn of(json: &Value) -> Uses {
        let mut uses = Uses::default();
        for primitive in list(json, "meshes").iter().flat_map(|mesh| list(mesh, "primitives")) {
            let targets = list(primitive, "targets").iter();
            let attributes = primitive.get("attributes").into_iter().chain(targets);
            let named = attributes.filter_map(Value::as_object).flat_map(|named| named.values());
            named
                .chain(primitive.get("indices"))
                .for_each(|accessor| uses.count_accessor(accessor));
        }
        for skin in list(json, "skins") {
            skin.get("inverseBindMatrices")
                .into_iter()
                .for_each(|accessor| uses.count_accessor(accessor));
        }
        for sampler in list(json, "animations")
            .iter()
            .flat_map(|animation| list(animation, "samplers"))
        {
            [sampler.get("input"), sampler.get("output")]
                .into_iter()
                .flatten()
                .for_each(|accessor| uses.count_accessor(accessor));
        }
        for node in list(json, "nodes") {
            let instancing = node.pointer("/extensions/EXT_mesh_gpu_instancing/attributes");
            let attributes = instancing.and_then(Value::as_object).into_iter();
            attributes
                .flat_map(|named| named.values())
                .for_each(|accessor| uses.count_accessor(accessor));
        }
        for view in indices(json, "bufferView") {
            *uses.views.entry(view).or_default() += 1;
        }
        uses
    }

    fn count_accessor(&mut self, accessor: &Value) {
        if let Some(index) = index(accessor) {
            *self.accessors.entry(index).or_default() += 1;
        }
    }

    /// Returns whether a reference to an accessor is the only one; otherwise releases it.
    pub(super) fn is_last_of_accessor(&mut self, index: usize) -> bool {
        match self.accessors.get_mut(&index) {
            Some(1) | None => true,
            Some(count) => {
                *count -= 1;
                false
            }
        }
    }

    /// Releases a reference to a view; returns whether it was the last one.
    pub(super) fn release_view(&mut self, index: usize) -> bool {
        match self.views.get_mut(&index) {
            Some(count) if *count > 0 => {
                *count -= 1;
                *count == 0
            }
            _ => false,
        }
    }
}
