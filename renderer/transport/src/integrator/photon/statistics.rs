//! Statistics of photon maps: photons shot and stored, memory, rays, times.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::integrator::context::Context;

/// Statistics of the global and the caustic map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhotonStats {
    /// Photons shot for the global and for the caustic map.
    pub shot: [u64; 2],
    /// Photons stored in each map.
    pub stored: [u64; 2],
    /// Photons shot, by light.
    pub shot_by_light: Vec<u64>,
    /// Number of irradiance records.
    pub records: u64,
    /// Number of path guides, built from photons of the global map.
    pub guides: u64,
    /// Number of levels of the trees.
    pub tree_depth: [u32; 2],
    /// Memory of the maps [bytes].
    pub memory: u64,
    /// Rays traced for photons.
    pub rays: u64,
    /// Photons dropped because their power was not finite.
    pub non_finite: u64,
    /// Shader runs at photon hits.
    pub shading_runs: u64,
    /// True if media emit light, so that paths estimate indirect light.
    pub media_emit: bool,
    /// True if the maps were read from a file.
    pub loaded: bool,
    /// Time for photon tracing.
    pub shooting: Duration,
    /// Time for building kd-trees and irradiance records.
    pub building: Duration,
}

impl PhotonStats {
    /// Adds the counts of another pass; sizes become the maximum of both.
    pub fn merge(&mut self, other: &PhotonStats) {
        for map in 0..2 {
            self.shot[map] += other.shot[map];
            self.stored[map] += other.stored[map];
            self.tree_depth[map] = self.tree_depth[map].max(other.tree_depth[map]);
        }
        for (light, &shot) in other.shot_by_light.iter().enumerate() {
            self.count_light(light, shot);
        }
        self.records = self.records.max(other.records);
        self.guides = self.guides.max(other.guides);
        self.memory = self.memory.max(other.memory);
        self.rays += other.rays;
        self.non_finite += other.non_finite;
        self.shading_runs += other.shading_runs;
        self.media_emit |= other.media_emit;
        self.loaded |= other.loaded;
        self.shooting += other.shooting;
        self.building += other.building;
    }

    /// Adds the threads' counters of photon shooting.
    pub(super) fn count_work(&mut self, contexts: Vec<Mutex<Context>>) {
        for context in contexts {
            let context = context.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.rays += context.stats.photon_rays;
            self.non_finite += context.stats.non_finite_photons;
            self.shading_runs += context.stats.shading_runs;
        }
    }

    /// Counts photons by their lights.
    pub(super) fn count_lights(&mut self, lights: impl Iterator<Item = u32>) {
        for light in lights {
            self.count_light(light as usize, 1);
        }
    }

    fn count_light(&mut self, light: usize, shot: u64) {
        if self.shot_by_light.len() <= light {
            self.shot_by_light.resize(light + 1, 0);
        }
        self.shot_by_light[light] += shot;
    }
}
