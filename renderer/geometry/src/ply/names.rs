//! PLY property names: grouping of properties to attributes.

use ply_rs_bw::ply::{ElementDef, PropertyType, ScalarType};

/// The names of colour properties.
pub const COLOR_NAMES: [[&str; 3]; 2] = [["red", "green", "blue"], ["r", "g", "b"]];

/// Suffixes of the names of the properties of one attribute.
const SUFFIXES: [[&str; 4]; 4] = [
    ["_x", "_y", "_z", "_w"],
    ["_0", "_1", "_2", "_3"],
    ["_1", "_2", "_3", "_4"],
    ["_r", "_g", "_b", "_a"],
];

/// Name of the attribute formed by the first properties, and their number; `None` and 1 for a single property.
pub fn attribute_in(names: &[&str]) -> (Option<String>, usize) {
    for suffixes in &SUFFIXES {
        let Some(prefix) = names[0].strip_suffix(suffixes[0]).filter(|prefix| !prefix.is_empty()) else {
            continue;
        };
        let belongs = |(name, suffix): &(&&str, &&str)| name.strip_suffix(**suffix) == Some(prefix);
        let count = names.iter().zip(suffixes).take_while(belongs).count();
        let color = if suffixes[0] == "_r" { "_color" } else { "" };
        return (Some(format!("{prefix}{color}")), count);
    }
    (None, 1)
}

/// Returns whether a property is of whole numbers.
pub fn is_whole(element: &ElementDef, name: &str) -> bool {
    let scalar = element.properties.get(name).map(|property| &property.data_type);
    !matches!(
        scalar,
        None | Some(PropertyType::Scalar(ScalarType::Float | ScalarType::Double))
    )
}
