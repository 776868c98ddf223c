//! Sizes and offsets of NanoVDB's memory [bytes].

use crate::element::Element;
use crate::error::GridFault;
use crate::grid::GridClass;

/// The head of a grid.
pub(super) mod grid {
    pub(in crate::nanovdb) const SIZE: usize = 672;
    pub(in crate::nanovdb) const VERSION: usize = 16;
    pub(in crate::nanovdb) const BYTES: usize = 32;
    pub(in crate::nanovdb) const NAME: usize = 40;
    pub(in crate::nanovdb) const NAME_SIZE: usize = 256;
    /// In double precision, row by row.
    pub(in crate::nanovdb) const MATRIX: usize = 296 + 88;
    pub(in crate::nanovdb) const TRANSLATION: usize = 296 + 232;
    pub(in crate::nanovdb) const CLASS: usize = 632;
    pub(in crate::nanovdb) const TYPE: usize = 636;
}

/// Type of a grid, with the sizes of its nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridType {
    /// Numbers of leaves.
    pub(super) element: Element,
    /// Numbers of tiles and of the background.
    pub(super) tile: Element,
    pub(super) channels: usize,
    /// Background of the root, from its begin.
    pub(super) background: usize,
    /// Size of the root without its tiles.
    pub(super) root: usize,
    /// Size of a tile of the root, and the offset of its value.
    pub(super) root_tile: usize,
    pub(super) root_value: usize,
    /// Offset of the entries of nodes of 32³, and of 16³.
    pub(super) upper_table: usize,
    pub(super) lower_table: usize,
    /// Size of an entry.
    pub(super) entry: usize,
    /// Offset of the values of a leaf.
    pub(super) leaf_table: usize,
}

impl GridType {
    /// The type of a number in a file.
    pub(super) fn of(number: u32) -> Result<GridType, GridFault> {
        let single = GridType {
            element: Element::F32,
            tile: Element::F32,
            channels: 1,
            background: 28,
            root: 64,
            root_tile: 32,
            root_value: 20,
            upper_table: 8256,
            lower_table: 1088,
            entry: 8,
            leaf_table: 96,
        };
        let of = |element, tile| GridType { element, tile, ..single };
        let wide = |element| GridType {
            background: 32,
            root: 96,
            root_value: 24,
            leaf_table: 128,
            ..of(element, element)
        };
        Ok(match number {
            1 => single,
            2 => wide(Element::F64),
            3 => of(Element::I16, Element::I16),
            4 => of(Element::I32, Element::I32),
            5 => wide(Element::I64),
            6 => GridType { channels: 3, root: 96, entry: 16, leaf_table: 128, ..single },
            7 => GridType {
                channels: 3,
                root: 128,
                root_tile: 64,
                entry: 24,
                upper_table: 8288,
                lower_table: 1120,
                leaf_table: 160,
                ..wide(Element::F64)
            },
            9 => of(Element::F16, Element::F16),
            13 => of(Element::Code(4), Element::F32),
            14 => of(Element::Code(8), Element::F32),
            15 => of(Element::Code(16), Element::F32),
            16 => of(Element::AnyCode, Element::F32),
            17 => GridType {
                channels: 4,
                root: 96,
                root_tile: 64,
                entry: 16,
                upper_table: 8288,
                lower_table: 1120,
                leaf_table: 128,
                ..single
            },
            other => {
                let name = NAMES.get(other as usize).copied().unwrap_or("unknown");
                return Err(GridFault::unsupported(format!("grids of type `{name}` are not read")));
            }
        })
    }
}

/// Names of types by their numbers; those that are read have others.
const NAMES: [&str; 27] = [
    "unknown",
    "float",
    "double",
    "int16",
    "int32",
    "int64",
    "vec3f",
    "vec3d",
    "mask",
    "half",
    "uint32",
    "bool",
    "rgba8",
    "fp4",
    "fp8",
    "fp16",
    "fpn",
    "vec4f",
    "vec4d",
    "index",
    "on-index",
    "index mask",
    "on-index mask",
    "point index",
    "vec3u8",
    "vec3u16",
    "uint8",
];

/// The class of a number in a file.
pub(super) fn class(number: u32) -> GridClass {
    match number {
        1 => GridClass::LevelSet,
        2 => GridClass::FogVolume,
        3 => GridClass::Staggered,
        _ => GridClass::Unknown,
    }
}
