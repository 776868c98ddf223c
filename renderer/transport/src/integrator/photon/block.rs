//! Photons stored by one thread for a block of consecutive emitted photons, grouped by emitted photon.

use super::particle::Photon;

/// The stored photons of a block of emitted photons.
pub(super) struct Block {
    pub(super) photons: Vec<Photon>,
    pub(super) by_light: Vec<u64>,
    /// For each emitted photon with stored hits: its emission cell, its weight relative to emission by power, and the
    /// end of its hits.
    pub(super) useful: Vec<(u32, f32, u32)>,
}

impl Block {
    /// For each emitted photon: its emission cell, its weight relative to emission by power, and its stored hits.
    pub(super) fn departures(&self) -> impl Iterator<Item = (usize, f32, &[Photon])> {
        let mut first = 0;
        self.useful.iter().map(move |&(cell, weight, end)| {
            let left = &self.photons[first as usize..end as usize];
            first = end;
            (cell as usize, weight, left)
        })
    }
}
