//! Photon mapping integrator: path tracing, with indirect light by final gathering from a global photon map and
//! caustics from a caustic map.
//!
//! Lobes have three classes: *diffuse* (reflection depends on irradiance only), *rough*, and *narrow* (glossy and
//! specular; these form caustics). Each light path belongs to exactly one estimator, which depends on its first vertex
//! from the camera that scatters by a diffuse or rough lobe:
//! - direct light: light samples combined with BSDF sampling by MIS, as in `path`;
//! - light scattered by narrow lobes only: the caustic map where it has enough photons, else the path's continuation
//!   (see `lookup.rs`); in media, the volume caustic map along the segment (see `map/volume.rs`);
//! - all other light: a gather ray, which adds only the emission of the first case.
//!
//! A gather ray ends at the first diffuse lobe with a lookup in the irradiance cache; if the ray is shorter than the
//! lookup radius, that vertex gathers again. Up to the first diffuse or rough vertex, paths are those of `path`. With
//! `gather = 0`, and in progressive mode, the maps are looked up directly.
// Jensen 1996, "Global Illumination Using Photon Maps".

mod gather;
mod gather_path;
mod lookup;
mod map;
mod shoot;
mod statistics;
mod time_slice;
mod vertex;

use std::sync::Mutex;
use std::time::Instant;

use super::context::Context;
use super::pass::Pass;
use crate::scene::Scene;
use map::file;
use map::irradiance::{IrradianceMap, RecordSettings};
use map::volume::{self, VolumePhotonMap};
use renderer_base::math::{exp, ln};
use renderer_geometry::SHUTTER_OPEN;
use renderer_scene::{PhotonSettings, Show};
use shoot::emit::Emitter;
use shoot::params::{MediumFilter, PhotonFilter, ShootParams};
use shoot::{BATCH, ShootResult, Shooter, shoot};
use time_slice::TimeSlice;

pub(crate) use gather_path::GatherPath;
pub use map::file::{MapError, MapHeader};
pub use map::guide_field::GuideField;
pub(crate) use map::guide_field::LocalGuide;
pub use map::photon::{OctVector, PathKind, Photon};
pub use map::surface::{Nearest, PhotonMap};
pub(crate) use map::volume::{VolumeCoverage, VolumePhotons, VolumeQuery};
pub use statistics::PhotonStats;

/// Photon maps, ready for lookups.
#[derive(Debug)]
pub struct Photons {
    settings: PhotonSettings,
    global: PhotonMap,
    caustic: PhotonMap,
    /// Volume map of caustic light.
    volume_caustic: VolumePhotonMap,
    /// Volume map of indirect light.
    volume_indirect: VolumePhotonMap,
    irradiance: Option<IrradianceMap>,
    /// Depth of the vertices for which the irradiance records are computed.
    gather_depth: u32,
    /// Bounding radius of each shape [m].
    shape_radii: Vec<f32>,
    /// Maps of the later [`TimeSlice`]s of a moving scene.
    later: Vec<Photons>,
    stats: PhotonStats,
}

/// α of progressive photon mapping: each pass multiplies the squared radius by (i + α)/(i + 1).
// Knaus & Zwicker 2011, "Progressive Photon Mapping: A Probabilistic Approach", eq. 15, with their α.
const ALPHA: f64 = 2.0 / 3.0;

/// Interval of the photons that become irradiance records.
const RECORD_INTERVAL: usize = 6;

/// Maximum number of pilot batches of a map.
const MAX_PILOTS: u64 = 4;

/// Approximate number of photons that a lookup of the first progressive pass finds.
const PROGRESSIVE_NEAREST: usize = 8;

/// Maximum lookup radius of the first progressive pass, relative to the scene's radius.
const MAX_PROGRESSIVE_RADIUS: f32 = 0.015;

/// Maximum lookup radius in the caustic map, relative to the scene's radius: more blur would hide a caustic, and a
/// larger search would visit many photons of other surfaces where photons are sparse.
const MAX_CAUSTIC_RADIUS: f32 = 0.02;

/// Number of subsets of the caustic map, which is looked up for every sample.
const CAUSTIC_SLICES: usize = 8;

impl Photons {
    /// Shoots photons and builds the maps; in a moving scene, for each [`TimeSlice`]. A map file is not used there.
    pub(super) fn prepare(
        settings: &PhotonSettings,
        scene: &Scene,
        pass: &Pass<'_>,
    ) -> Result<Photons, MapError> {
        /// Factor of the number of photons in moving scenes, whose maps share them.
        const MORE_PHOTONS: u64 = 2;
        /// Separates the random numbers of slices.
        const SALT: u64 = 0x74_69_6d_65_73_6c_69_63;
        // Density estimates would mix the direct light of neighbouring shapes with different links.
        let settings = &PhotonSettings {
            direct: settings.direct && !scene.links_scattering(),
            ..*settings
        };
        if !scene.is_moving() {
            return Photons::prepare_slice(settings, scene, pass, None);
        }
        let count = MORE_PHOTONS * settings.photons.unwrap_or_else(|| default_count(settings, pass));
        let settings = PhotonSettings {
            photons: Some(count / TimeSlice::COUNT as u64),
            caustic_photons: settings
                .caustic_photons
                .map(|count| MORE_PHOTONS * count / TimeSlice::COUNT as u64),
            ..*settings
        };
        let slices = (0u64..).zip(TimeSlice::all()).map(|(index, slice)| {
            let progress = |done, total| {
                (pass.progress)(index * total + done, TimeSlice::COUNT as u64 * total);
            };
            let pass = Pass {
                seed: pass.seed ^ SALT.wrapping_mul(index),
                file: None,
                progress: &progress,
                ..*pass
            };
            Photons::prepare_slice(&settings, scene, &pass, Some(slice))
        });
        let mut slices: Vec<Photons> = slices.collect::<Result<_, _>>()?;
        let mut first = slices.remove(0);
        for slice in &slices {
            let memory = first.stats.memory + slice.stats.memory;
            first.stats.merge(&slice.stats);
            first.stats.memory = memory;
        }
        first.later = slices;
        Ok(first)
    }

    /// The maps for a time of the shutter interval.
    #[inline]
    pub(super) fn at(&self, time: f32) -> &Photons {
        match self.later.is_empty() {
            true => self,
            false => match TimeSlice::index_of(time) {
                0 => self,
                index => &self.later[index - 1],
            },
        }
    }

    fn prepare_slice(
        settings: &PhotonSettings,
        scene: &Scene,
        pass: &Pass<'_>,
        slice: Option<TimeSlice>,
    ) -> Result<Photons, MapError> {
        let contexts = contexts(scene);
        let emitter = Emitter::new(scene, slice);
        // Only lights emit photons; paths estimate the emission of media.
        let media_emit = settings.show.is_none() && scene.bodies().may_emit();
        let mut stats = PhotonStats { media_emit, ..PhotonStats::default() };
        let begin = Instant::now();
        let [mut global, mut caustic] = shot_photons(settings, scene, &emitter, pass, &contexts, &mut stats)?;
        stats.shooting = begin.elapsed();

        let begin = Instant::now();
        if settings.progressive {
            [global, caustic] = partition_caustics(global);
        }
        if media_emit {
            global.photons.clear();
        }
        if pass.is_stopped() {
            global.photons.clear();
            caustic.photons.clear();
        }
        stats.shot = [global.shot, caustic.shot];
        stats.stored = [&global, &caustic].map(|shot| shot.photons.len() as u64);

        // Maps of media.
        let shrink = match settings.progressive {
            true => shrink(pass.index),
            false => 1.0,
        };
        let volume_map = |shot: &mut ShootResult, is_caustic: bool| {
            let max_radius = volume::max_radius(scene, is_caustic);
            let in_media = shot.photons.extract_if(.., |photon| photon.is_in_medium()).collect();
            VolumePhotonMap::new(in_media, shot.shot as f64, emitter.unit, max_radius, shrink)
        };
        let volume_caustic = volume_map(&mut caustic, true);
        let volume_indirect = volume_map(&mut global, false);

        // Maps of surfaces. Without photons, paths estimate all light if the irradiance cache exists; direct lookups
        // would lose it.
        let wants_irradiance = match settings.show {
            None => media_emit || !settings.progressive && settings.gather != Some(0),
            Some(show) => !settings.progressive && show == Show::Irradiance,
        };
        let (records, photons) = match wants_irradiance {
            true => split_records(global.photons),
            false => (vec![], global.photons),
        };
        let share = photons.len() as f64 / (photons.len() + records.len()).max(1) as f64;
        let slices = if settings.progressive { 1 } else { CAUSTIC_SLICES };
        let mut global = PhotonMap::new(photons, 1, global.shot as f64 * share, emitter.unit);
        let mut caustic = PhotonMap::new(caustic.photons, slices, caustic.shot as f64, emitter.unit);
        let scene_radius = scene.bounds().radius();
        let radius = |map: &PhotonMap, given: Option<f32>, count: u32, max: f32| {
            let max = max * scene_radius;
            if settings.progressive {
                // Noise averages out over the passes; the blur of a wide kernel decreases slowly.
                let max = MAX_PROGRESSIVE_RADIUS * scene_radius;
                given.unwrap_or_else(|| map.typical_radius(PROGRESSIVE_NEAREST, max)) * shrink
            } else {
                given.unwrap_or_else(|| (3.0 * map.typical_radius(count as usize, max)).min(max))
            }
        };
        global.radius = radius(&global, settings.radius, settings.k, 0.5);
        let (given, count) = (settings.caustic_radius, settings.caustic_k);
        caustic.radius = radius(&caustic, given, count, MAX_CAUSTIC_RADIUS);
        let irradiance = wants_irradiance.then(|| {
            let depth = settings.depth;
            let settings = RecordSettings {
                count: settings.k as usize,
                guides: settings.guide != Some(false),
                max_segments: depth.map_or(u32::MAX, |depth| depth.saturating_sub(pass.gather_depth)),
                time: slice.map_or(SHUTTER_OPEN, |slice| slice.at(0.5)),
            };
            IrradianceMap::new(scene, records, &global, settings, pass, &contexts)
        });
        stats.building = begin.elapsed();

        stats.tree_depth = [&global, &caustic].map(PhotonMap::depth);
        stats.records = irradiance.as_ref().map_or(0, |map| map.len() as u64);
        let bytes = global.memory()
            + caustic.memory()
            + volume_indirect.memory()
            + volume_caustic.memory()
            + irradiance.as_ref().map_or(0, IrradianceMap::memory);
        stats.memory = bytes as u64;
        stats.count_work(contexts);
        Ok(Photons {
            settings: *settings,
            global,
            caustic,
            volume_caustic,
            volume_indirect,
            irradiance,
            gather_depth: pass.gather_depth,
            shape_radii: scene.shapes().iter().map(|shape| shape.bounds().radius()).collect(),
            later: vec![],
            stats,
        })
    }

    pub(super) fn settings(&self) -> &PhotonSettings {
        &self.settings
    }

    /// Sets the number of gather rays and of light samples; the maps do not depend on them.
    pub(super) fn set_counts(&mut self, gather: u32, light_samples: u32) {
        for photons in
            std::iter::once(&mut self.settings).chain(self.later.iter_mut().map(|slice| &mut slice.settings))
        {
            photons.gather = Some(gather);
            photons.light_samples = Some(light_samples);
        }
    }

    /// Enables or disables guiding of gather rays; the maps do not depend on it.
    pub(super) fn set_guides(&mut self, guide: bool) {
        self.settings.guide = Some(guide);
        self.later.iter_mut().for_each(|slice| slice.settings.guide = Some(guide));
    }

    /// Returns photon maps for direct viewing of a subset of the caustic photons. The subset represents all of their
    /// light, with each photon's power multiplied by its factor. If `hidden` is set, the volume map has the photons
    /// that no camera path can find.
    pub(crate) fn caustics_alone(&self, photons: &[Photon], factors: &[f32], hidden: bool) -> Photons {
        // Powers are stored as half floats; factors may be large.
        let max = factors.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let share = photons.len() as f32 / self.caustic.len().max(1) as f32;
        let photons = photons.iter().zip(factors);
        let photons = photons.map(|(photon, factor)| photon.scaled(factor / max));
        let unit = self.caustic.scale * max;
        let mut caustic = PhotonMap::new(photons.collect(), 1, f64::from(share), unit);
        caustic.radius = self.caustic.radius;
        Photons {
            settings: PhotonSettings { show: Some(Show::Caustic), ..self.settings },
            global: PhotonMap::new(vec![], 1, 0.0, 0.0),
            caustic,
            volume_caustic: match hidden {
                true => self.volume_caustic.hidden(),
                false => VolumePhotonMap::default(),
            },
            volume_indirect: VolumePhotonMap::default(),
            irradiance: None,
            gather_depth: self.gather_depth,
            shape_radii: self.shape_radii.clone(),
            later: vec![],
            stats: PhotonStats::default(),
        }
    }

    /// Statistics of the maps.
    pub fn stats(&self) -> &PhotonStats {
        &self.stats
    }

    /// Global map: all photons; photons of direct light only if `direct` is set.
    pub fn global(&self) -> &PhotonMap {
        &self.global
    }

    /// Returns whether narrow lobes focus light, on surfaces or in media.
    pub fn has_caustics(&self) -> bool {
        !self.caustic.is_empty() || !self.volume_caustic.is_empty()
    }

    /// Caustic map: photons scattered by narrow lobes only, at least once.
    pub fn caustic(&self) -> &PhotonMap {
        &self.caustic
    }
}

/// Shoots the photons of the global and the caustic map, or loads them from the file of the pass.
fn shot_photons(
    settings: &PhotonSettings,
    scene: &Scene,
    emitter: &Emitter,
    pass: &Pass<'_>,
    contexts: &[Mutex<Context>],
    stats: &mut PhotonStats,
) -> Result<[ShootResult; 2], MapError> {
    let mut params = shoot_parameters(settings, scene, pass);
    if stats.media_emit && !settings.progressive {
        params[0].count = 0;
    }
    let key = pass
        .file
        .filter(|_| !settings.progressive)
        .map(|path| (path, file::Key::new(scene, settings, pass, &params)));
    let loaded = match &key {
        Some((path, key)) => file::load(path, key)?,
        None => None,
    };
    stats.loaded = loaded.is_some();
    if let Some(photons) = loaded {
        return Ok(photons);
    }
    let [global, caustic] = &params;
    let total = global.count + caustic.count;
    let mut shot = |params: &ShootParams, done: u64| {
        let progress = |now: u64| (pass.progress)(done + now, total);
        let shooter = Shooter { scene, emitter, params, pass, contexts };
        shoot(shooter, progress, stats)
    };
    let photons = [shot(global, 0), shot(caustic, global.count)];
    (pass.progress)(total, total);
    let cut_short = pass.is_stopped() || pass.until.is_some_and(|until| Instant::now() >= until);
    if let (Some((path, key)), false) = (&key, cut_short) {
        file::save(path, key, &photons)?;
    }
    Ok(photons)
}

/// Creates a context for each thread of the current `rayon` pool.
fn contexts(scene: &Scene) -> Vec<Mutex<Context>> {
    (0..rayon::current_num_threads())
        .map(|_| Mutex::new(Context::new(scene)))
        .collect()
}

/// Separates the caustic photons of a pass that shoots for both maps.
fn partition_caustics(all: ShootResult) -> [ShootResult; 2] {
    let (caustic, rest) = all.photons.into_iter().partition(Photon::is_caustic);
    [rest, caustic].map(|photons| ShootResult { photons, shot: all.shot })
}

/// Separates the photons that become irradiance records from those of the map.
fn split_records(photons: Vec<Photon>) -> (Vec<Photon>, Vec<Photon>) {
    let records = photons.iter().step_by(RECORD_INTERVAL).copied().collect();
    let rest = (0..).zip(photons).filter(|(i, _)| i % RECORD_INTERVAL != 0);
    (records, rest.map(|(_, photon)| photon).collect())
}

/// Default number of photons to store in each map; in progressive mode, to shoot in each pass.
pub fn default_count(settings: &PhotonSettings, pass: &Pass<'_>) -> u64 {
    if settings.progressive {
        pass.points.clamp(BATCH / 2, 1 << 20)
    } else {
        (2 * pass.points).clamp(1 << 18, 1 << 21).min(pass.max_photons)
    }
}

/// Shooting parameters of a pass for the global and the caustic map.
fn shoot_parameters(settings: &PhotonSettings, scene: &Scene, pass: &Pass<'_>) -> [ShootParams; 2] {
    let max_segments = settings.depth.map_or(u32::MAX, |depth| depth.saturating_sub(1));
    let needed = |show| settings.show.is_none_or(|shown| shown == show);
    let by_default = default_count(settings, pass);
    let wants_caustics = needed(Show::Caustic) && !settings.progressive;
    let params = |filter, count: Option<u64>, needed: bool| ShootParams {
        filter,
        count: if needed { count.unwrap_or(by_default) } else { 0 },
        exactly: settings.progressive,
        max_segments,
        in_media: match filter {
            PhotonFilter::Global { .. } if settings.progressive || scene.links_scattering() => {
                MediumFilter::Scattered
            }
            PhotonFilter::Global { .. } => MediumFilter::ExceptCaustic,
            PhotonFilter::Caustic => MediumFilter::Caustic,
        },
        pilots: MAX_PILOTS,
    };
    let direct = settings.direct && !settings.progressive;
    [
        params(
            PhotonFilter::Global { direct },
            settings.photons,
            needed(Show::Global) || needed(Show::Irradiance) || settings.progressive,
        ),
        params(PhotonFilter::Caustic, settings.caustic_photons, wants_caustics),
    ]
}

/// Ratio of the radius of a pass to that of the first pass.
fn shrink(pass: u64) -> f32 {
    // Product of (i + α)/(i + 1) over all earlier passes, i from 1. Beyond 10,000 its logarithm comes from Stirling's
    // series, since pass numbers may be in the millions.
    let exact = pass.min(10_000);
    let mut log: f64 = (1..=exact).map(|i| ln((i as f64 + ALPHA) / (i as f64 + 1.0))).sum();
    if pass > exact {
        log -= (1.0 - ALPHA) * ln(pass as f64 / exact as f64);
    }
    exp(0.5 * log) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radii_shrink_as_published() {
        assert_eq!(shrink(0), 1.0);
        let ratio = f64::from(shrink(8) / shrink(7)).powi(2);
        assert!((ratio - (8.0 + ALPHA) / 9.0).abs() < 1e-4);
        let (a, b) = (f64::from(shrink(10_000)), f64::from(shrink(10_001)));
        assert!(b <= a && (b / a - 1.0).abs() < 1e-4);
    }
}
