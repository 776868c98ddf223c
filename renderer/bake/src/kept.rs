//! Light kept from one bake for the next: what is gathered again after a scene was changed, and what is not.
//!
//! Each point of a bake has two estimates: all of its rays, and a few paths. The paths are the same in every bake where none
//! meets a change, so the difference between the few then and now is the change in light, almost without noise.
//! Blocks of points where it is small keep all of their earlier estimate.

use glam::{UVec2, Vec3};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::checkpoint::hash;
use super::field::Field;
use super::sh::ShOrder;
use renderer_base::color::Rgb;

const MAGIC: &[u8; 16] = b"kiln kept v1\0\0\0\0";
/// Bytes of the checksum behind all.
const SUM: usize = 8;
/// Relative change of a block's irradiance from which on it is gathered again.
const CHANGE: f32 = 0.01;
/// The same, relative to the mean irradiance of all points: for blocks that are almost black.
const LEAST_CHANGE: f32 = 1e-3;
/// Standard errors by which a change is more than that of a few rays.
const SURE: f32 = 2.0;
/// Sizes of the blocks that are looked at, as powers of two of those of points: small changes of much are seen where many
/// points are put together.
const LEVELS: [u32; 3] = [0, 2, 31];
/// Share of the rays that look for changes, and their least number.
const FEW: u32 = 16;
const LEAST: u32 = 4;

/// A point where light is gathered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Index of the name of its object.
    pub(super) object: u32,
    /// Those of one object and block are kept or gathered together.
    pub(super) block: UVec2,
    /// Its pixel for the sampler.
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
    /// Points of two bakes that are closer are the same [m].
    pub(super) near: f32,
}

/// Light of an earlier bake.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptLight {
    /// Hash of the settings; those of another hash are of no use.
    settings: u64,
    objects: Vec<KeptObject>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct KeptObject {
    name: String,
    points: Vec<KeptPoint>,
    /// A record of all points: see [`Field::write_record`].
    record: Vec<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct KeptPoint {
    key: [u32; 2],
    p: [f32; 3],
    /// Irradiance by the few paths; `None` where nothing was gathered.
    few: Option<[f32; 3]>,
}

impl KeptLight {
    /// Reads what [`KeptLight::bytes`] has written.
    ///
    /// # Errors
    /// When it is something else, or damaged: the reason.
    pub fn read(bytes: &[u8]) -> Result<KeptLight, &'static str> {
        let content = bytes.strip_prefix(MAGIC).ok_or("it holds no kept light")?;
        let (content, sum) = content.split_last_chunk::<SUM>().ok_or("it is cut short")?;
        if hash(content).to_le_bytes() != *sum {
            return Err("it is damaged");
        }
        postcard::from_bytes(content).map_err(|_| "it is damaged")
    }

    /// The bytes of a file.
    pub fn bytes(&self) -> Vec<u8> {
        let content = postcard::to_allocvec(self).unwrap_or_default();
        [MAGIC, content.as_slice(), &hash(&content).to_le_bytes()].concat()
    }

    /// Returns whether there is no light.
    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Returns whether it is of a bake with these settings.
    pub(super) fn is_of(&self, settings: u64) -> bool {
        self.settings == settings
    }

    /// By point: that of the earlier bake in the same place, as indices of object and point.
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

/// What a bake has kept, and what the next one may.
#[derive(Default)]
pub(super) struct Kept {
    /// Light for the next bake.
    pub(super) light: Option<KeptLight>,
    /// Number of points that kept their light.
    pub(super) points: usize,
    /// Why nothing was kept.
    pub(super) note: Option<&'static str>,
}

/// How many rays look for changes.
pub(super) fn few(samples: u32) -> u32 {
    (samples / FEW).max(LEAST).min(samples)
}

/// What of the earlier light a bake keeps.
pub(super) struct Keeping<'a> {
    earlier: &'a KeptLight,
    /// By point: that of the earlier bake.
    found: Vec<Option<(usize, usize)>>,
}

impl<'a> Keeping<'a> {
    pub(super) fn new(earlier: &'a KeptLight, points: &Points<'_>) -> Keeping<'a> {
        let found = earlier.found(points);
        Keeping { earlier, found }
    }

    /// Returns whether no point has a counterpart in the earlier bake.
    pub(super) fn is_empty(&self) -> bool {
        self.found.iter().all(Option::is_none)
    }

    /// The sampler's pixel of a point: that of the earlier bake, even if the object has another place in the texture.
    pub(super) fn key(&self, index: usize, own: UVec2) -> UVec2 {
        self.earlier_point(index)
            .map_or(own, |point| UVec2::from(point.key))
    }

    fn earlier_point(&self, index: usize) -> Option<&KeptPoint> {
        let (object, number) = self.found[index]?;
        Some(&self.earlier.objects[object].points[number])
    }

    /// By point: true if it keeps its light. `few` has the irradiance by the few paths.
    pub(super) fn unchanged(&self, points: &Points<'_>, few: &Field) -> Vec<bool> {
        let known = (0..few.len()).filter(|&index| few.valid[index]);
        let sum: Rgb = known.clone().map(|index| few.irradiance(index)).sum();
        let floor = sum.max_component() / known.count().max(1) as f32 * LEAST_CHANGE;
        let mut changes = LEVELS.map(|_| FxHashMap::<Block, Change>::default());
        for (index, point) in points.list.iter().enumerate() {
            let now = few.valid[index].then(|| few.irradiance(index));
            let then = self.earlier_point(index).map(|point| point.few.map(Rgb::from));
            for (level, shift) in LEVELS.into_iter().enumerate() {
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
            let mut levels = LEVELS.into_iter().zip(&changed);
            levels.any(|(shift, changed)| {
                let block = point.block >> shift;
                let mut around = (0..9).map(|i| {
                    block
                        .wrapping_add(UVec2::new(i % 3, i / 3))
                        .wrapping_sub(UVec2::ONE)
                });
                around.any(|block| changed.contains(&(point.object, block)))
            })
        };
        points.list.iter().map(|point| !is_near_change(point)).collect()
    }

    /// Puts the light of points that keep theirs into a field, and their first estimates into `few`.
    pub(super) fn restore(&self, unchanged: &[bool], field: &mut Field, few: &mut Field) {
        let length = Field::record_len(field.order);
        for (index, _) in unchanged.iter().enumerate().filter(|(_, unchanged)| **unchanged) {
            let Some((object, number)) = self.found[index] else {
                continue;
            };
            let object = &self.earlier.objects[object];
            if let Some(record) = object.record.get(number * length..(number + 1) * length) {
                field.read_record(index, record);
            }
            if let (Some(irradiance), Some(first)) = (object.points[number].few, few.at_mut(index).last_mut())
            {
                *first = Rgb::from(irradiance);
            }
        }
    }
}

/// An object, and a block of its points.
type Block = (u32, UVec2);

/// The change of light in a block.
#[derive(Default)]
struct Change {
    then: Rgb,
    difference: Rgb,
    /// Sum of squares of the luminance of differences.
    square: f32,
    points: f32,
    /// True if there is a point that had no light to keep, or that has come into sight or gone.
    is_new: bool,
}

impl Change {
    /// Adds a point: its irradiance then, if it was there, and now.
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

    /// Returns whether it counts; `floor` is a change of a point that is too small to be seen.
    fn is_notable(&self, floor: f32) -> bool {
        let changes = self.difference.to_array().into_iter().zip(self.then.to_array());
        let floor = floor * self.points;
        let is_sure = self.difference.luminance().abs() > SURE * self.square.sqrt();
        self.is_new
            || is_sure
                && changes
                    .into_iter()
                    .any(|(d, then)| d.abs() > (CHANGE * then).max(floor))
    }
}

/// The light of a bake, for the next one. `few` has the irradiance by the few paths.
pub(super) fn keep(
    settings: u64,
    points: &Points<'_>,
    keys: impl Fn(usize) -> UVec2,
    field: &Field,
    few: &Field,
) -> KeptLight {
    let mut objects = vec![];
    let mut first = 0;
    for group in points.list.chunk_by(|a, b| a.object == b.object) {
        let indices = first..first + group.len();
        first = indices.end;
        let mut record = vec![];
        indices
            .clone()
            .for_each(|index| field.append_record(index, &mut record));
        let point = |(index, point): (usize, &Point)| KeptPoint {
            key: keys(index).to_array(),
            p: point.p.to_array(),
            few: few.valid[index].then(|| few.irradiance(index).to_array()),
        };
        objects.push(KeptObject {
            name: points.names[group[0].object as usize].to_owned(),
            points: indices.zip(group).map(point).collect(),
            record,
        });
    }
    KeptLight { settings, objects }
}

/// Order of the estimates by the few paths: only their irradiance counts.
pub(super) const FEW_ORDER: ShOrder = ShOrder::One;
