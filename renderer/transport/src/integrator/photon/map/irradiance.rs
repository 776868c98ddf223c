//! Irradiance cache: irradiance and a guide, precomputed from the photon map at a subset of the photons.
// Christensen 1999, "Faster Photon Map Global Illumination".

use std::sync::{Mutex, PoisonError};

use arrayvec::ArrayVec;
use glam::Vec3;
use rayon::prelude::*;

use super::layer::Layer;
use super::photon::Packed;
use super::surface::{LookupPoint, MAX_ELEVATION_SIN, PhotonMap, rounding, same_surface};
use crate::integrator::context::Context;
use crate::integrator::guide::{Collector, Guide};
use crate::integrator::pass::Pass;
use crate::integrator::photon::Photon;
use crate::material::ShadingContext;
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, KdTree, Limits, Located, Ray, cbrt, sin_cos};
use renderer_scene::MAX_NEAREST;

/// A record of the irradiance cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// Unit geometric normal on the record's side.
    pub(crate) n: Vec3,
    /// Irradiance on that side [W/m²]; excludes direct light, unless the global map stores it.
    pub(crate) irradiance: Rgb,
    /// Radius of the disk that contains the photons of the estimate [m].
    pub(crate) radius: f32,
    /// Fraction of that disk that lies on the surface (boundary correction).
    pub(crate) covered: f32,
    /// Its place in the cache.
    index: u32,
    /// Distribution of incident directions.
    pub(crate) guide: Guide,
}

/// How records are computed.
pub(crate) struct RecordSettings {
    /// Number of photons of an estimate.
    pub(crate) count: usize,
    /// True if records have guides.
    pub(crate) guides: bool,
    /// Maximum number of path segments of a photon.
    pub(crate) max_segments: u32,
}

/// Key of a record in the kd-tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RecordKey {
    p: [u32; 3],
    n: Packed,
    layer: Layer,
}

impl Located for RecordKey {
    #[inline]
    fn p(&self) -> Vec3 {
        Vec3::from_array(self.p.map(f32::from_bits))
    }
}

/// The irradiance cache.
#[derive(Debug)]
pub(crate) struct IrradianceMap {
    places: KdTree<RecordKey>,
    /// Squares of the validity radii [m²]: a radius is at most the radius of a record's photons and the distance to the nearest wall.
    reaches: Limits,
    /// Records in the order of the tree.
    records: Vec<Record>,
    /// Of each record what each tag of lights has of its irradiance; empty if lights are not told apart.
    tagged: Vec<Rgb>,
    /// Number of tags.
    tags: usize,
    /// Maximum lookup radius [m].
    radius: f32,
}

impl IrradianceMap {
    /// Computes records at the positions of `photons` from the photons of `map`; none if the pass is stopped. `photons`
    /// must not be part of the map: an estimate at a photon's own position is biased, too bright if the photon counts,
    /// else too dark, since lookups find the nearest photons.
    pub(crate) fn new(
        scene: &Scene,
        photons: Vec<Photon>,
        map: &PhotonMap,
        settings: RecordSettings,
        pass: &Pass<'_>,
        contexts: &[Mutex<Context>],
    ) -> IrradianceMap {
        let RecordSettings {
            count,
            guides,
            max_segments,
        } = settings;
        // Tags are numbered from 0.
        let most = pass.light_tags.iter().max();
        let tags = most.map_or(0, |&most| usize::from(most) + 1);
        let photons = KdTree::new(photons);
        // Neighbouring records are computed consecutively: they search the same photons within similar radii.
        let made: Vec<((Record, f32), Vec<Rgb>)> = photons
            .items()
            .par_chunks(CHUNK)
            .flat_map_iter(|photons| {
                let index = rayon::current_thread_index().unwrap_or(0);
                let mut context = contexts[index].lock().unwrap_or_else(PoisonError::into_inner);
                let mut guess = map.radius();
                let mut own: Option<(Vec3, Record)> = None;
                let mut records: ArrayVec<((Record, f32), Vec<Rgb>), CHUNK> = ArrayVec::new();
                if pass.is_stopped() {
                    return records;
                }
                for (index, photon) in photons.iter().enumerate() {
                    let site = LookupPoint::of(photon, max_segments);
                    let beside = own.filter(|(p, record)| {
                        let is_near = (*p - site.p).length_squared() < record.radius * record.radius;
                        index % SHARED_GUIDE != 0 && is_near && record.n.dot(site.n) > MIN_GUIDE_COS
                    });
                    let guide = match guides {
                        true => beside.map(|(_, record)| record.guide),
                        false => Some(Guide::NONE),
                    };
                    let mut tagged = vec![Rgb::BLACK; tags];
                    let query = RecordQuery {
                        scene,
                        map,
                        site: &site,
                        count,
                        guess,
                    };
                    let made = query.record(guide, &mut context, &mut tagged);
                    guess = made.0.radius;
                    if guide.is_none() {
                        own = Some((site.p, made.0));
                    }
                    records.push((made, tagged));
                }
                records
            })
            .collect();
        let is_whole = made.len() == photons.items().len();
        let (photons, made) = match is_whole {
            true => (photons, made),
            false => (KdTree::new(vec![]), vec![]),
        };
        let (made, tagged): (Vec<(Record, f32)>, Vec<Vec<Rgb>>) = made.into_iter().unzip();
        let (mut records, reaches): (Vec<Record>, Vec<f32>) = made.into_iter().unzip();
        (0..)
            .zip(&mut records)
            .for_each(|(index, record)| record.index = index);
        let places = photons.map(|_, photon| RecordKey {
            p: photon.p().to_array().map(f32::to_bits),
            n: photon.packed_n(),
            layer: photon.layer(),
        });
        IrradianceMap {
            reaches: places.limits(|index| reaches[index].powi(2)),
            places,
            records,
            tagged: tagged.concat(),
            tags,
            radius: map.radius(),
        }
    }

    /// Returns a record near `p` on the side `n` of the surface in its layer: the nearest, or one at most `1 / REACH` times as far.
    #[inline]
    pub(crate) fn nearest(&self, p: Vec3, n: Vec3, layer: Layer) -> Option<&Record> {
        let mut found = None;
        let mut r2 = self.radius * self.radius;
        let rounding = rounding(p);
        let reaches = &self.reaches;
        self.places
            .search_limited(p, r2, REACH, reaches, |index, place, d2| {
                if place.layer == layer && same_surface(place.p() - p, n, place.n, false, rounding) {
                    found = Some(index);
                    r2 = d2;
                }
                r2
            });
        found.map(|index| &self.records[index])
    }

    /// What each tag of lights has of a record's irradiance; nothing if lights are not told apart.
    pub(crate) fn tagged(&self, record: &Record) -> &[Rgb] {
        let first = record.index as usize * self.tags;
        self.tagged.get(first..first + self.tags).unwrap_or_default()
    }

    /// Number of records.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Memory in use [bytes].
    pub(crate) fn memory(&self) -> usize {
        self.places.memory() + self.reaches.memory() + self.records.capacity() * size_of::<Record>()
    }
}

/// Inputs of an irradiance record.
struct RecordQuery<'a> {
    scene: &'a Scene,
    map: &'a PhotonMap,
    site: &'a LookupPoint,
    /// Number of nearest photons.
    count: usize,
    /// Estimate of the radius that contains them [m].
    guess: f32,
}

impl RecordQuery<'_> {
    /// Computes the record and its validity radius, with a shared guide or one of its own.
    fn record(&self, guide: Option<Guide>, context: &mut Context, tagged: &mut [Rgb]) -> (Record, f32) {
        let RecordQuery {
            scene,
            map,
            site,
            count,
            mut guess,
        } = *self;
        let frame = Frame::from_normal(site.n);
        let mut collector = Collector::default();
        let Context { shading, nearest, .. } = context;
        let mut surroundings = Surroundings {
            scene,
            site,
            frame,
            shading,
        };
        let guiding = if guide.is_some() { 1 } else { GUIDE_PHOTONS };
        let mut wanted = count;
        loop {
            let reach = map.search(site, guiding * wanted, guess * (guiding as f32).sqrt(), nearest);
            let radius = nearest.radius_of(wanted).unwrap_or(reach);
            let wall = surroundings.wall(radius);
            let open = wall >= radius;
            let mut seen = 0;
            let irradiance = map.estimate_found(nearest, radius, |photon, density| {
                let counts = density > 0.0;
                if counts && !open && !surroundings.sees(photon.p() - site.p) {
                    return Rgb::BLACK;
                }
                seen += usize::from(counts);
                if guide.is_none() && photon.segments() > 1 && !photon.is_caustic() {
                    let local = frame.to_local(photon.wi());
                    if local.z > 0.0 {
                        collector.add(local, photon.power().luminance());
                    }
                }
                let power = photon.power() * density;
                if let Some(sum) = tagged.get_mut(usize::from(photon.tag())) {
                    *sum += power;
                }
                power
            });
            // Beside a wall with a bright room behind it, nearly all of the nearest photons are in that room.
            if seen < count / 4 && wanted < MAX_NEAREST && radius < map.radius() {
                wanted *= 4;
                guess = 2.0 * radius;
                collector.clear();
                tagged.fill(Rgb::BLACK);
                continue;
            }
            let covered = if open && surroundings.continues_all_around(radius) {
                1.0
            } else {
                surroundings.covered(radius)
            };
            let record = Record {
                n: site.n,
                irradiance: irradiance * (1.0 / covered),
                radius,
                covered,
                index: 0,
                guide: guide.unwrap_or_else(|| collector.finish()),
            };
            return (record, wall);
        }
    }
}

/// Boundary correction of the density estimate: rays find the walls around a lookup point and the extent of its
/// surface. Photons lie on surfaces only: at an edge or beside a wall, the disk around the point covers area without
/// photons, or area of the next room.
///
/// A short ray to a point above the surface tests for walls in between; a ray down from there tests whether the surface
/// continues. What light passes, such as a pane or the clear parts of a decal, is no wall.
struct Surroundings<'a> {
    scene: &'a Scene,
    site: &'a LookupPoint,
    frame: Frame,
    shading: &'a mut ShadingContext,
}

/// Height of ray origins above the surface, as a fraction of the ray length; the rounding error of a photon's position
/// is not known.
const LIFT: f32 = 0.01;

impl Surroundings<'_> {
    /// Returns whether the surface point at `offset` is visible from the lookup point.
    fn sees(&mut self, offset: Vec3) -> bool {
        sees(self.scene, self.site, offset, self.shading)
    }

    /// Returns whether the surface continues at `offset`, a visible point.
    fn continues(&mut self, offset: Vec3) -> bool {
        let site = self.site;
        let height = MAX_ELEVATION_SIN * offset.length();
        let down = Ray {
            t_max: 2.0 * height,
            ..Ray::new(site.p + offset + site.n * height, -site.n)
        };
        let mut continues = false;
        self.scene.for_each_surface(&down, self.shading, |it, passed| {
            let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
            continues = same_surface(it.p - site.p, site.n, Packed::new(n), false, rounding(site.p))
                && Layer::of(self.scene, it.shape, || passed > 0.0) == site.layer;
            continues
        });
        continues
    }

    fn point(&self, turn: f32, distance: f32) -> Vec3 {
        let (sin, cos) = sin_cos(turn * std::f32::consts::TAU);
        self.frame.to_world(Vec3::new(cos, sin, 0.0)) * distance
    }

    /// Distance to the nearest wall within `radius`; `radius` if there is none.
    fn wall(&mut self, radius: f32) -> f32 {
        // Between two of these rays a wall may be a little nearer than their hits.
        const SLANT: f32 = 0.92;
        (0..WALL_RAYS)
            .map(|i| {
                let along = self.point(i as f32 / WALL_RAYS as f32, radius / SLANT);
                let way = (along + self.site.n * (MAX_ELEVATION_SIN * radius)).normalize_or(self.site.n);
                let ray = Ray {
                    t_max: radius / SLANT,
                    ..Ray::new(lifted(self.site, radius), way)
                };
                let wall = self.scene.first_opaque(&ray, self.shading);
                wall.map_or(radius, |t| t * SLANT)
            })
            .fold(radius, f32::min)
    }

    /// Returns whether the surface continues in all tested directions up to that radius.
    fn continues_all_around(&mut self, radius: f32) -> bool {
        (0..WALL_RAYS).all(|i| self.continues(self.point((i as f32 + 0.5) / WALL_RAYS as f32, 0.9 * radius)))
    }

    /// Fraction of a kernel of that radius that lies on the surface and is visible from the lookup point; at least 0.1.
    fn covered(&mut self, radius: f32) -> f32 {
        const POINTS: usize = 32;
        let seen = (0..POINTS).filter(|&i| {
            // Radii are distributed by the kernel's density, angles by the golden ratio.
            let s = (1.0 - cbrt(1.0 - (i as f32 + 0.5) / POINTS as f32)).sqrt();
            let point = self.point(i as f32 * 0.381_966, s * radius);
            self.sees(point) && self.continues(point)
        });
        (seen.count() as f32 / POINTS as f32).max(0.1)
    }
}

/// Returns whether the surface point at `offset` is visible from a lookup point: no wall is in between.
pub(crate) fn sees(scene: &Scene, site: &LookupPoint, offset: Vec3, shading: &mut ShadingContext) -> bool {
    let along = offset - site.n * offset.dot(site.n);
    let length = along.length();
    let above = along + site.n * (MAX_ELEVATION_SIN * length);
    let ray = Ray {
        t_max: above.length(),
        ..Ray::new(lifted(site, length), above.normalize_or(site.n))
    };
    scene.is_visible(&ray, shading)
}

/// Origin of rays of that length from a lookup point: above its surface by more than the rounding of its coordinates.
fn lifted(site: &LookupPoint, length: f32) -> Vec3 {
    site.p + site.n * (LIFT * length).max(rounding(site.p).sqrt())
}

/// Fraction of the distance to the nearest record so far within which the search continues.
const REACH: f32 = 0.5;

/// Number of rays that search for walls around a lookup point.
const WALL_RAYS: usize = 8;

/// Ratio of the photons used for a guide to those used for the irradiance. A guide needs more, since they are divided
/// among its cells. The farther ones may be behind a wall; a wrong guide only adds noise.
const GUIDE_PHOTONS: usize = 4;

/// Number of neighbouring records that share a guide if they are on the same surface.
const SHARED_GUIDE: usize = 4;

/// Minimum cosine between the normals of records that share a guide.
const MIN_GUIDE_COS: f32 = 0.99;

/// Number of records that a thread computes in sequence.
const CHUNK: usize = 32;
