//! Types of grids.

use crate::element::Element;
use crate::error::GridFault;

/// Type of a grid's values.
#[derive(Clone, Debug)]
pub(super) struct ValueType {
    /// Numbers in memory of OpenVDB, and of tiles' alternatives in files.
    pub(super) full: Element,
    pub(super) channels: usize,
    /// True if values are stored as halves.
    pub(super) is_halved: bool,
}

impl ValueType {
    /// The type of a name, such as `Tree_vec3s_5_4_3_HalfFloat`.
    pub(super) fn of(name: &str) -> Result<ValueType, GridFault> {
        let (tree, is_halved) = match name.strip_suffix("_HalfFloat") {
            Some(tree) => (tree, true),
            None => (name, false),
        };
        let unsupported = || Err(GridFault::unsupported(format!("grids of type `{name}` are not read")));
        let value = tree.strip_prefix("Tree_").and_then(|tree| tree.strip_suffix("_5_4_3"));
        let (full, channels) = match value {
            Some("float") => (Element::F32, 1),
            Some("double") => (Element::F64, 1),
            Some("half") => (Element::F16, 1),
            Some("int32") => (Element::I32, 1),
            Some("int64") => (Element::I64, 1),
            Some("vec3s") => (Element::F32, 3),
            Some("vec3d") => (Element::F64, 3),
            Some("vec3i") => (Element::I32, 3),
            _ => return unsupported(),
        };
        Ok(ValueType {
            full,
            channels,
            is_halved: is_halved && matches!(full, Element::F32 | Element::F64),
        })
    }

    /// Type of stored numbers.
    pub(super) fn element(&self) -> Element {
        if self.is_halved { Element::F16 } else { self.full }
    }
}
