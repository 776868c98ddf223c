//! Photons that one thread has shot, one after another.

use super::particle::Photon;

/// What came of a block of photons.
pub(super) struct Block {
    pub(super) photons: Vec<Photon>,
    pub(super) by_light: Vec<u64>,
    /// Of photons that left something: their cell, how much less often they had been chosen by power alone, and the
    /// end of what they left.
    pub(super) useful: Vec<(u32, f32, u32)>,
}

impl Block {
    /// The photons of each departure: its cell, how much less often it had been chosen by power alone, and what it left.
    pub(super) fn departures(&self) -> impl Iterator<Item = (usize, f32, &[Photon])> {
        let mut first = 0;
        self.useful.iter().map(move |&(cell, weight, end)| {
            let left = &self.photons[first as usize..end as usize];
            first = end;
            (cell as usize, weight, left)
        })
    }
}
