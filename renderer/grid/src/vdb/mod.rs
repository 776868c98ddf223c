//! Files of OpenVDB, of the versions 222 (OpenVDB 2.0) to 225.
//!
//! A file has a header, then for each grid a descriptor, metadata, a transform, the topology of its tree and the values
//! of its leaves. The format follows from OpenVDB's sources (`openvdb/io`, `openvdb/tree`).

mod header;
mod leaves;
mod metadata;
mod topology;
mod transform;
mod value_type;
mod values;

use glam::IVec3;
use rustc_hash::FxHashMap;

use super::bytes::Bytes;
use super::element::Element;
use super::error::GridFault;
use super::grid::{Border, Grid, GridClass, GridTransform};
use header::{Descriptor, Header};
use leaves::{LeafValues, decode};
use metadata::Metadata;
use topology::Topology;
use value_type::ValueType;
use values::ValueFormat;

pub(crate) use header::is_vdb;
use renderer_base::files::Budget;

/// Decoding time of a byte of metadata, in bytes of other data.
const TEXT_COST: usize = 64;

/// Contents of a file.
#[derive(Debug)]
pub(crate) struct VdbFile {
    header: Header,
    grids: Vec<VdbGrid>,
}

/// A grid that is not decoded yet.
#[derive(Debug)]
pub(crate) struct VdbGrid {
    pub(crate) name: String,
    /// Type of its values and class; or the reason why it is not read.
    pub(crate) kind: Result<(Element, usize, GridClass), GridFault>,
    descriptor: Descriptor,
    /// The grid whose tree it shares.
    parent: Option<usize>,
}

impl VdbFile {
    /// Reads the descriptors of all grids. Where the file has the end of a grid, the grid is read up to it only, so that
    /// grids do not overlap.
    pub(crate) fn open(data: &[u8], budget: &Budget) -> Result<VdbFile, GridFault> {
        let mut bytes = Bytes::new(data, "the header");
        let header = Header::read(&mut bytes)?;
        let mut grids: Vec<VdbGrid> = vec![];
        let mut by_name: FxHashMap<String, usize> = FxHashMap::default();
        for _ in 0..header.grids {
            bytes.enter("the description of a grid");
            let descriptor = Descriptor::read(&mut bytes, &header)?;
            let mut body = descriptor.bytes(data, bytes, &header);
            let preamble = Preamble::read(&mut body, &header)?;
            let length = body.position().saturating_sub(descriptor.begin as usize);
            budget.decode("metadata of grids", length, TEXT_COST)?;
            let value_type = ValueType::of(&descriptor.ty);
            if header.has_offsets {
                bytes = bytes.moved_to(descriptor.end);
            } else if descriptor.parent.is_empty() {
                // Where the next grid begins follows from this one only.
                bytes = body;
                Body::read(&mut bytes, value_type.clone()?, &preamble, budget)?;
            } else {
                bytes = body;
            }
            let class = preamble.metadata.class();
            grids.push(VdbGrid {
                name: descriptor.name.clone(),
                kind: value_type.map(|ty| (ty.element(), ty.channels, class)),
                parent: by_name.get(&descriptor.parent).copied(),
                descriptor,
            });
            let name = grids[grids.len() - 1].descriptor.unique_name.clone();
            by_name.entry(name).or_insert(grids.len() - 1);
        }
        Ok(VdbFile { header, grids })
    }

    /// The grids in the order of the file.
    pub(crate) fn grids(&self) -> &[VdbGrid] {
        &self.grids
    }

    /// Decodes a grid; `data` is the file.
    pub(crate) fn load(&self, data: &[u8], index: usize, budget: &Budget) -> Result<Grid, GridFault> {
        let grid = &self.grids[index];
        let whole = Bytes::new(data, "the metadata of a grid");
        let mut bytes = grid.descriptor.bytes(data, whole, &self.header);
        let own = Preamble::read(&mut bytes, &self.header)?;
        let (preamble, ty) = match (grid.parent, grid.descriptor.parent.as_str()) {
            (Some(parent), _) => {
                let parent = &self.grids[parent].descriptor;
                bytes = parent.bytes(data, whole, &self.header);
                (Preamble::read(&mut bytes, &self.header)?, &parent.ty)
            }
            (None, "") => (own.clone(), &grid.descriptor.ty),
            (None, parent) => {
                return Err(GridFault::damaged(format!("it shares grid `{parent}`, which is not there")));
            }
        };
        let body = Body::read(&mut bytes, ValueType::of(ty)?, &preamble, budget)?;
        body.grid(grid.name.clone(), own.metadata.class(), own.placement?, budget)
    }
}

/// Header of a grid: the part before its tree.
#[derive(Clone, Debug)]
struct Preamble {
    compression: u32,
    metadata: Metadata,
    placement: Result<GridTransform, GridFault>,
}

impl Preamble {
    fn read(bytes: &mut Bytes<'_>, _: &Header) -> Result<Preamble, GridFault> {
        bytes.enter("the metadata of a grid");
        let compression = bytes.u32()?;
        let metadata = Metadata::read(bytes)?;
        bytes.enter("the transform of a grid");
        let placement = transform::read(bytes)?;
        Ok(Preamble { compression, metadata, placement })
    }
}

/// Tree of a grid, whose leaves are not decoded yet.
struct Body<'a> {
    format: ValueFormat,
    topology: Topology,
    leaves: Vec<LeafValues<'a>>,
}

impl<'a> Body<'a> {
    fn read(
        bytes: &mut Bytes<'a>,
        ty: ValueType,
        preamble: &Preamble,
        budget: &Budget,
    ) -> Result<Body<'a>, GridFault> {
        let mut format = ValueFormat::new(ty, preamble.compression);
        bytes.enter("the topology of a grid");
        let topology = Topology::read(bytes, &mut format, budget)?;
        bytes.enter("the values of a grid");
        let leaves = topology.leaves.iter();
        let leaves = leaves.map(|_| LeafValues::read(bytes, &format)).collect::<Result<_, _>>()?;
        Ok(Body { format, topology, leaves })
    }

    /// Decodes the leaves.
    fn grid(
        self,
        name: String,
        class: GridClass,
        placement: GridTransform,
        budget: &Budget,
    ) -> Result<Grid, GridFault> {
        let Topology { mut builder, mut activity, leaves } = self.topology;
        let values = decode(&self.leaves, &leaves, &self.format, &mut activity, budget)?;
        let origins: Vec<IVec3> = leaves.iter().map(|leaf| leaf.origin).collect();
        builder.add_blocks(origins, values);
        Ok(Grid {
            name,
            class,
            element: self.format.ty.element(),
            not_finite: builder.not_finite(),
            tree: builder.finish(),
            activity,
            border: Border::Background,
            placement,
        })
    }
}
