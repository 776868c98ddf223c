//! Density control of photon maps: a voxel grid of pilot photons that decides which photons are stored, and rates
//! emission cells.

use glam::Vec3;

use super::block::Block;
use crate::scene::Scene;
use renderer_base::math::Located;

/// Usefulness of a direct photon relative to a scattered one.
const DIRECT_USEFULNESS: f32 = 0.1;

/// Photon counts of the pilot runs by voxel. A photon in a dark room is more useful than one in a bright room.
pub(crate) struct Density {
    min: Vec3,
    scale: Vec3,
    /// Expected count under emission by power alone.
    expected: Vec<f32>,
    /// Actual, unweighted count.
    numbers: Vec<f32>,
    /// Count up to which all photons of a voxel are stored.
    limit: f32,
}

impl Density {
    /// Number of voxels along an axis.
    const SIDE: usize = 16;

    /// Minimum ratio of shot to stored photons: in bright voxels some photons are dropped and the others carry more
    /// power, so that dark regions are resolved as well as bright ones.
    // Suykens & Willems 2000, "Density Control for Photon Maps".
    const SHOT_PER_STORED: f32 = 2.5;

    /// Minimum probability of storing a photon; bounds the ratio of photon powers.
    const MIN_KEEP_PROBABILITY: f32 = 1.0 / 16.0;

    /// Probability of storing a photon at `p`.
    pub(crate) fn keep_probability(&self, p: Vec3) -> f32 {
        let number = self.numbers[self.voxel(p)];
        if number > self.limit {
            (self.limit / number).max(Density::MIN_KEEP_PROBABILITY)
        } else {
            1.0
        }
    }

    /// Computes the limit from the counts of `shot` pilot photons.
    pub(crate) fn set_limit(&mut self, shot: u64) {
        let total: f32 = self.numbers.iter().sum();
        let max_stored = shot as f32 / Density::SHOT_PER_STORED;
        let (mut low, mut high) = (0.0, total);
        for _ in 0..40 {
            let limit = 0.5 * (low + high);
            let kept: f32 = self.numbers.iter().map(|number| number.min(limit)).sum();
            if kept < max_stored {
                low = limit;
            } else {
                high = limit;
            }
        }
        self.limit = high.max(1.0);
    }

    pub(crate) fn new(scene: &Scene) -> Density {
        let bounds = scene.bounds();
        let extent = (bounds.max - bounds.min).max(Vec3::splat(1e-3 * bounds.radius()));
        Density {
            min: bounds.min,
            scale: Vec3::splat(Density::SIDE as f32) / extent,
            expected: vec![0.0; Density::SIDE.pow(3)],
            numbers: vec![0.0; Density::SIDE.pow(3)],
            limit: f32::INFINITY,
        }
    }

    fn voxel(&self, p: Vec3) -> usize {
        let at = (p - self.min) * self.scale;
        let [x, y, z] = at.to_array().map(|x| (x.max(0.0) as usize).min(Density::SIDE - 1));
        (z * Density::SIDE + y) * Density::SIDE + x
    }

    /// Returns whether no photon was stored.
    pub(crate) fn is_empty(&self) -> bool {
        self.expected.iter().all(|&expected| expected == 0.0)
    }

    /// Adds the photons of pilot runs.
    pub(crate) fn add(&mut self, blocks: &[Block]) {
        for (_, weight, photons) in blocks.iter().flat_map(Block::emitted_photons) {
            for photon in photons {
                let voxel = self.voxel(photon.p());
                self.expected[voxel] += weight;
                // Density control applies to photons on surfaces only.
                if !photon.is_in_medium() {
                    self.numbers[voxel] += 1.0;
                }
            }
        }
    }

    /// Adds the usefulness of stored photons to their emission cells: more in a dark voxel than in a bright one, little
    /// for direct photons.
    pub(crate) fn rate_cells(&self, blocks: &[Block], useful: &mut [f32]) {
        for (cell, weight, photons) in blocks.iter().flat_map(Block::emitted_photons) {
            let usefulness = photons.iter().map(|photon| {
                let rare = 1.0 / (1.0 + self.expected[self.voxel(photon.p())]).sqrt();
                if photon.segments() > 1 { rare } else { DIRECT_USEFULNESS * rare }
            });
            useful[cell] += weight * usefulness.sum::<f32>();
        }
    }
}
