//! Photons stored by one thread for a block of consecutive emitted photons, grouped by emitted photon.

use crate::integrator::photon::map::photon::{MediumLight, Photon};

/// Stored photons of a block of emitted photons.
#[derive(Default)]
pub(crate) struct Block {
    pub(crate) photons: Vec<Photon>,
    /// Light of each emitted photon.
    pub(crate) lights: Vec<u32>,
    /// For each emitted photon with stored hits: emission cell, weight relative to emission by power, end index of its
    /// stored photons.
    pub(crate) useful: Vec<(u32, f32, u32)>,
    /// Number of segments traced between surfaces.
    pub(crate) segments: u64,
}

impl Block {
    /// Number of photons stored on surfaces, and in media.
    pub(crate) fn counts(&self) -> [u64; 2] {
        let in_media = self.photons.iter().filter(|photon| photon.is_in_medium()).count();
        [self.photons.len() - in_media, in_media].map(|count| count as u64)
    }

    /// Keeps the fraction `share` of the photons of indirect light in media, evenly selected, and scales their power by
    /// its inverse. `error` is the accumulated error of this selection, passed from block to block.
    pub(crate) fn thin(&mut self, share: f32, error: &mut f32) {
        let (all, ends) = (std::mem::take(&mut self.photons), std::mem::take(&mut self.useful));
        let mut first = 0;
        for (cell, weight, end) in ends {
            for photon in &all[first as usize..end as usize] {
                if !photon.is_light(MediumLight::Indirect) {
                    self.photons.push(*photon);
                    continue;
                }
                *error += share;
                if *error >= 1.0 {
                    *error -= 1.0;
                    self.photons.push(photon.scaled(1.0 / share));
                }
            }
            first = end;
            self.useful.push((cell, weight, self.photons.len() as u32));
        }
    }

    /// Iterates over the emitted photons with stored hits: emission cell, weight relative to emission by power, stored
    /// photons.
    pub(crate) fn emitted_photons(&self) -> impl Iterator<Item = (usize, f32, &[Photon])> {
        let mut first = 0;
        self.useful.iter().map(move |&(cell, weight, end)| {
            let photons = &self.photons[first as usize..end as usize];
            first = end;
            (cell as usize, weight, photons)
        })
    }
}
