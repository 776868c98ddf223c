//! Photons stored by one thread for a block of consecutive emitted photons, grouped by emitted photon.

use super::particle::Photon;

/// Stored photons of a block of emitted photons.
pub(super) struct Block {
    pub(super) photons: Vec<Photon>,
    pub(super) by_light: Vec<u64>,
    /// For each emitted photon with stored hits: emission cell, weight relative to emission by power, end index of its
    /// stored photons.
    pub(super) useful: Vec<(u32, f32, u32)>,
}

impl Block {
    /// Iterates over the emitted photons with stored hits: emission cell, weight relative to emission by power, stored
    /// photons.
    pub(super) fn emitted_photons(&self) -> impl Iterator<Item = (usize, f32, &[Photon])> {
        let mut first = 0;
        self.useful.iter().map(move |&(cell, weight, end)| {
            let left = &self.photons[first as usize..end as usize];
            first = end;
            (cell as usize, weight, left)
        })
    }
}
