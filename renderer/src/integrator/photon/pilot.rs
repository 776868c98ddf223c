//! What a pilot run of photons tells: where they are many, and which are of use.

use glam::Vec3;

use super::block::Block;
use super::map::Located;
use crate::scene::Scene;

/// What a photon straight from a light is worth beside one that was scattered.
const DIRECT_WORTH: f32 = 0.1;

/// How many photons of the pilots are where. A photon in a dark room is of more use than one more in a bright one.
pub(super) struct Density {
    min: Vec3,
    scale: Vec3,
    /// Photons that there would be, had they been chosen by power alone.
    expected: Vec<f32>,
    /// Photons that there are, whatever they stand for.
    numbers: Vec<f32>,
    /// The number up to which all are kept.
    limit: f32,
}

impl Density {
    /// Voxels along an axis.
    const SIDE: usize = 16;

    /// Photons that are shot for each that is kept, at least: where there are many, some are left out, and the others
    /// carry more, so that dark places are known as well as bright ones.
    // Suykens & Willems 2000, "Density Control for Photon Maps".
    const SHOT_FOR_EACH: f32 = 2.5;

    /// The least probability of keeping a photon: they should not differ too much.
    const LEAST_KEPT: f32 = 1.0 / 16.0;

    /// The probability with which a photon is kept.
    pub(super) fn keep(&self, p: Vec3) -> f32 {
        let number = self.numbers[self.voxel(p)];
        if number > self.limit {
            (self.limit / number).max(Density::LEAST_KEPT)
        } else {
            1.0
        }
    }

    /// Finds the limit after `shot` photons.
    pub(super) fn thin(&mut self, shot: u64) {
        let total: f32 = self.numbers.iter().sum();
        let wanted = shot as f32 / Density::SHOT_FOR_EACH;
        let (mut low, mut high) = (0.0, total);
        for _ in 0..40 {
            let limit = 0.5 * (low + high);
            let kept: f32 = self.numbers.iter().map(|number| number.min(limit)).sum();
            if kept < wanted {
                low = limit;
            } else {
                high = limit;
            }
        }
        self.limit = high.max(1.0);
    }

    pub(super) fn new(scene: &Scene) -> Density {
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
        let [x, y, z] = at
            .to_array()
            .map(|x| (x.max(0.0) as usize).min(Density::SIDE - 1));
        (z * Density::SIDE + y) * Density::SIDE + x
    }

    /// Whether there are no photons.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.iter().all(|&number| number == 0.0)
    }

    /// Counts the photons of pilots.
    pub(super) fn add(&mut self, blocks: &[Block]) {
        for (_, weight, photons) in blocks.iter().flat_map(Block::departures) {
            for photon in photons {
                let voxel = self.voxel(photon.p());
                self.expected[voxel] += weight;
                self.numbers[voxel] += 1.0;
            }
        }
    }

    /// Adds to each cell what its photons are worth: in a dark place more than in a bright one, and where they came
    /// straight from a light little.
    pub(super) fn judge(&self, blocks: &[Block], useful: &mut [f32]) {
        for (cell, weight, photons) in blocks.iter().flat_map(Block::departures) {
            let worth = photons.iter().map(|photon| {
                let rare = 1.0 / (1.0 + self.expected[self.voxel(photon.p())]).sqrt();
                if photon.segments() > 1 {
                    rare
                } else {
                    DIRECT_WORTH * rare
                }
            });
            useful[cell] += weight * worth.sum::<f32>();
        }
    }
}
