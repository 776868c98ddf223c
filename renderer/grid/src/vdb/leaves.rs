//! Values of leaves, decoded by all threads.

use rayon::prelude::*;

use super::topology::Leaf;
use super::values::{NodeValues, ValueFormat};
use crate::activity::Activity;
use crate::bytes::Bytes;
use crate::error::GridFault;
use crate::tree::BLOCK_VOXELS;
use renderer_base::files::Budget;

/// Stored values of a leaf.
#[derive(Debug)]
pub(super) struct LeafValues<'a> {
    /// The active voxels: in files of sense those of the topology.
    active: [u64; 8],
    values: NodeValues<'a>,
}

impl<'a> LeafValues<'a> {
    pub(super) fn read(bytes: &mut Bytes<'a>, format: &ValueFormat) -> Result<LeafValues<'a>, GridFault> {
        let mut active = [0; 8];
        active.copy_from_slice(&bytes.mask(BLOCK_VOXELS)?);
        let values = NodeValues::read(bytes, format, &active)?;
        Ok(LeafValues { active, values })
    }
}

/// Leaves that a thread decodes at a time.
const BATCH: usize = 64;

/// Decodes all leaves, one after the other, and counts their active voxels.
pub(super) fn decode(
    leaves: &[LeafValues<'_>],
    places: &[Leaf],
    format: &ValueFormat,
    activity: &mut Activity,
    budget: &Budget,
) -> Result<Vec<f32>, GridFault> {
    let channels = format.ty.channels;
    let size = BLOCK_VOXELS * channels;
    budget.allocate("voxels of a grid", leaves.len(), size * size_of::<f32>())?;
    let mut values = vec![0.0; leaves.len() * size];
    let batches = (values.par_chunks_mut(BATCH * size))
        .zip(leaves.par_chunks(BATCH))
        .zip(places.par_chunks(BATCH));
    let counted: Vec<Activity> = batches
        .map(|((values, leaves), places)| {
            let mut activity = Activity::default();
            for ((values, leaf), place) in values.chunks_exact_mut(size).zip(leaves).zip(places) {
                leaf.values.decode(format, &leaf.active, values)?;
                activity.add_block(place.origin, &place.active, values, channels);
            }
            Ok(activity)
        })
        .collect::<Result<_, GridFault>>()?;
    counted.iter().for_each(|part| activity.merge(part));
    Ok(values)
}
