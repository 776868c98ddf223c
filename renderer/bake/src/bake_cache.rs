//! Cache of gathered light for the next bake, and detection of points whose light has changed.
//!
//! Each point has two estimates: one by all rays, and a probe by few paths. Probe paths are identical in both bakes unless
//! they hit a change, so the difference of the probes is the change in light, almost without noise. Blocks of points with
//! small differences keep their earlier estimates.

use glam::{UVec2, Vec3};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::checkpoint::hash;
use super::field::Field;
use super::sh::ShOrder;
use renderer_base::color::Rgb;

const MAGIC: &[u8; 16] = b"kiln kept v1\0\0\0\0";
/// Length of the checksum at the end [bytes].
const CHECKSUM_BYTES: usize = 8;
/// Minimum relative change of a block's irradiance to gather it again.
const MIN_CHANGE: f32 = 0.01;
/// Minimum change relative to the mean irradiance of all points, for almost black blocks.
const MIN_CHANGE_OF_MEAN: f32 = 1e-3;
/// Minimum change in standard errors of the probes.
const MIN_STANDARD_ERRORS: f32 = 2.0;
/// Block sizes that are tested, as binary logarithms relative to the points' blocks: larger blocks detect smaller changes.
const BLOCK_LEVELS: [u32; 3] = [0, 2, 31];
/// Number of rays per probe path, and minimum number of probe paths.
const PROBE_DIVISOR: u32 = 16;
const MIN_PROBE_SAMPLES: u32 = 4;

/// A point where light is gathered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Index of the object's name.
    pub(super) object: u32,
    /// Block: its points are kept or gathered together.
    pub(super) block: UVec2,
    /// Pixel for the sampler.
    pub(super) key: UVec2,
    /// Position [m].
    pub(super) p: Vec3,
}

/// The points of a bake.
pub(super) struct Points<'a> {
    /// Names of objects.
    pub(super) names: Vec<&'a str>,
    /// The points, object by object.
    pub(super) list: Vec<Point>,
    /// Maximum distance of corresponding points of two bakes [m].
    pub(super) near: f32,
}

/// Light of a bake for the next one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BakeCache {
    /// Hash of the settings, which must match.
    settings: u64,
    objects: Vec<CachedObject>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct CachedObject {
    name: String,
    points: Vec<CachedPoint>,
    /// Record of all points: see [`Field::write_record`].
    record: Vec<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct CachedPoint {
    key: [u32; 2],
    p: [f32; 3],
    /// Irradiance of the probe; `None` for points that gather no light.
    probe: Option<[f32; 3]>,
}

impl BakeCache {
    /// Reads the bytes of [`BakeCache::bytes`].
    ///
    /// # Errors
    /// The reason, if the bytes are no cache or damaged.
    pub fn read(bytes: &[u8]) -> Result<BakeCache, &'static str> {
        let content = bytes.strip_prefix(MAGIC).ok_or("it is not a cache of light")?;
        let (content, sum) = content.split_last_chunk::<CHECKSUM_BYTES>().ok_or("it is cut short")?;
        if hash(content).to_le_bytes() != *sum {
            return Err("it is damaged");
        }
        postcard::from_bytes(content).map_err(|_| "it is damaged")
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        let content = postcard::to_allocvec(self).unwrap_or_default();
        [MAGIC, content.as_slice(), &hash(&content).to_le_bytes()].concat()
    }

    /// Returns whether the cache is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Returns whether the cache belongs to these settings.
    pub(super) fn is_of(&self, settings: u64) -> bool {
        self.settings == settings
    }

    /// Corresponding point of the earlier bake for each point, as indices of object and point.
    fn found(&self, points: &Points<'_>) -> Vec<Option<(usize, usize)>> {
        let by_name: FxHashMap<&str, usize> = self
            .objects
            .iter()
            .enumerate()
            .map(|(index, object)| (object.name.as_str(), index))
            .collect();
        let mut found = Vec::with_capacity(points.list.len());
        for group in points.list.chunk_by(|a, b| a.object == b.object) {
            let earlier = by_name.get(points.names[group[0].object as usize]);
            let earlier = earlier.filter(|&&index| self.objects[index].points.len() == group.len());
            found.extend(group.iter().enumerate().map(|(number, point)| {
                let &object = earlier?;
                let at = Vec3::from(self.objects[object].points[number].p);
                (at.distance(point.p) < points.near).then_some((object, number))
            }));
        }
        found
    }
}

/// Result of the cache: reused points, and the new cache.
#[derive(Default)]
pub(super) struct CacheResult {
    /// Cache for the next bake.
    pub(super) light: Option<BakeCache>,
    /// Number of reused points.
    pub(super) points: usize,
    /// Reason why no point was reused.
    pub(super) note: Option<&'static str>,
}

/// Number of probe paths of a point.
pub(super) fn probe_samples(samples: u32) -> u32 {
    (samples / PROBE_DIVISOR).max(MIN_PROBE_SAMPLES).min(samples)
}

/// Match of the points of a bake with an earlier one.
pub(super) struct CacheMatch<'a> {
    earlier: &'a BakeCache,
    /// Corresponding point of the earlier bake.
    found: Vec<Option<(usize, usize)>>,
}

impl<'a> CacheMatch<'a> {
    pub(super) fn new(earlier: &'a BakeCache, points: &Points<'_>) -> CacheMatch<'a> {
        let found = earlier.found(points);
        CacheMatch { earlier, found }
    }

    /// Returns whether no point has a counterpart in the earlier bake.
    pub(super) fn is_empty(&self) -> bool {
        self.found.iter().all(Option::is_none)
    }

    /// The sampler's pixel of a point: that of the earlier bake, even if the object moved in the texture.
    pub(super) fn key(&self, index: usize, own: UVec2) -> UVec2 {
        self.earlier_point(index).map_or(own, |point| UVec2::from(point.key))
    }

    fn earlier_point(&self, index: usize) -> Option<&CachedPoint> {
        let (object, number) = self.found[index]?;
        Some(&self.earlier.objects[object].points[number])
    }

    /// True for points that keep their light. `probe` contains the irradiance by probe paths.
    pub(super) fn unchanged(&self, points: &Points<'_>, probe: &Field) -> Vec<bool> {
        let known = (0..probe.len()).filter(|&index| probe.valid[index]);
        let sum: Rgb = known.clone().map(|index| probe.irradiance(index)).sum();
        let floor = sum.max_component() / known.count().max(1) as f32 * MIN_CHANGE_OF_MEAN;
        let mut changes = BLOCK_LEVELS.map(|_| FxHashMap::<Block, Change>::default());
        for (index, point) in points.list.iter().enumerate() {
            let now = probe.valid[index].then(|| probe.irradiance(index));
            let then = self.earlier_point(index).map(|point| point.probe.map(Rgb::from));
            for (level, shift) in BLOCK_LEVELS.into_iter().enumerate() {
                changes[level]
                    .entry((point.object, point.block >> shift))
                    .or_default()
                    .add(then, now);
            }
        }
        let changed = changes.map(|changes| {
            let notable = changes.into_iter().filter(|(_, change)| change.is_notable(floor));
            notable.map(|(block, _)| block).collect::<FxHashSet<Block>>()
        });
        let is_near_change = |point: &Point| {
            let mut levels = BLOCK_LEVELS.into_iter().zip(&changed);
            levels.any(|(shift, changed)| {
                let block = point.block >> shift;
                let mut around =
                    (0..9).map(|i| block.wrapping_add(UVec2::new(i % 3, i / 3)).wrapping_sub(UVec2::ONE));
                around.any(|block| changed.contains(&(point.object, block)))
            })
        };
        points.list.iter().map(|point| !is_near_change(point)).collect()
    }

    /// Copies the cached light of unchanged points to a field, and their probes to `probe`.
    pub(super) fn restore(&self, unchanged: &[bool], field: &mut Field, probe: &mut Field) {
        let length = Field::record_len(field.order);
        for (index, _) in unchanged.iter().enumerate().filter(|(_, unchanged)| **unchanged) {
            let Some((object, number)) = self.found[index] else {
                continue;
            };
            let object = &self.earlier.objects[object];
            if let Some(record) = object.record.get(number * length..(number + 1) * length) {
                field.read_record(index, record);
            }
            if let (Some(irradiance), Some(first)) =
                (object.points[number].probe, probe.at_mut(index).last_mut())
            {
                *first = Rgb::from(irradiance);
            }
        }
    }
}

/// An object, and a block of its points.
type Block = (u32, UVec2);

/// Change of light in a block.
#[derive(Default)]
struct Change {
    then: Rgb,
    difference: Rgb,
    /// Sum of squares of the luminance of differences.
    square: f32,
    points: f32,
    /// True if a point has no counterpart, or its visibility changed.
    is_new: bool,
}

impl Change {
    /// Adds a point: its earlier irradiance, if it existed, and the current one.
    fn add(&mut self, then: Option<Option<Rgb>>, now: Option<Rgb>) {
        match (then, now) {
            (Some(Some(then)), Some(now)) => {
                self.then += then;
                self.difference += now - then;
                self.square += (now - then).luminance().powi(2);
                self.points += 1.0;
            }
            (Some(None), None) => {}
            _ => self.is_new = true,
        }
    }

    /// Returns whether the change is significant; `floor` is the smallest visible change of a point.
    fn is_notable(&self, floor: f32) -> bool {
        let changes = self.difference.to_array().into_iter().zip(self.then.to_array());
        let floor = floor * self.points;
        let is_sure = self.difference.luminance().abs() > MIN_STANDARD_ERRORS * self.square.sqrt();
        self.is_new
            || is_sure && changes.into_iter().any(|(d, then)| d.abs() > (MIN_CHANGE * then).max(floor))
    }
}

/// Creates the cache of a bake. `probe` contains the irradiance by probe paths.
pub(super) fn new_cache(
    settings: u64,
    points: &Points<'_>,
    keys: impl Fn(usize) -> UVec2,
    field: &Field,
    probe: &Field,
) -> BakeCache {
    let mut objects = vec![];
    let mut first = 0;
    for group in points.list.chunk_by(|a, b| a.object == b.object) {
        let indices = first..first + group.len();
        first = indices.end;
        let mut record = vec![];
        indices.clone().for_each(|index| field.append_record(index, &mut record));
        let point = |(index, point): (usize, &Point)| CachedPoint {
            key: keys(index).to_array(),
            p: point.p.to_array(),
            probe: probe.valid[index].then(|| probe.irradiance(index).to_array()),
        };
        objects.push(CachedObject {
            name: points.names[group[0].object as usize].to_owned(),
            points: indices.zip(group).map(point).collect(),
            record,
        });
    }
    BakeCache { settings, objects }
}

/// SH order of probes: only their irradiance counts.
pub(super) const PROBE_ORDER: ShOrder = ShOrder::One;
