//! Irradiance cache: irradiance and a guide, precomputed from the photon map at a subset of the photons.
// Christensen 1999, "Faster Photon Map Global Illumination".

use std::sync::{Mutex, PoisonError};

use arrayvec::ArrayVec;
use glam::Vec3;
use rayon::prelude::*;

use super::Photon;
use super::density::{LookupPoint, Nearest, PhotonMap, SAME_PLANE, rounding, same_surface};
use super::particle::Packed;
use crate::integrator::context::Context;
use crate::integrator::guide::{Collector, Guide};
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, KdTree, Located, Ray, cbrt, sin_cos};
use renderer_scene::MAX_NEAREST;

/// A record of the irradiance cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Unit geometric normal of its side.
    pub(super) n: Vec3,
    /// Irradiance on that side; without direct light, unless the global map holds it [W/m²].
    pub(super) irradiance: Rgb,
    /// Radius that holds the photons it was estimated from [m].
    pub(super) radius: f32,
    /// Share of the disk of that radius that lies on the surface (boundary correction).
    pub(super) covered: f32,
    /// Distribution of the incident directions.
    pub(super) guide: Guide,
}

/// Key of a record in the kd-tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RecordPlace {
    p: [u32; 3],
    n: Packed,
    /// Validity radius [m]: at most the radius of its photons and the distance to the nearest wall.
    reach: u32,
}

impl Located for RecordPlace {
    #[inline]
    fn p(&self) -> Vec3 {
        Vec3::from_array(self.p.map(f32::from_bits))
    }
}

/// All records.
#[derive(Debug)]
pub(super) struct IrradianceMap {
    places: KdTree<RecordPlace>,
    /// In the tree's order.
    records: Vec<Record>,
    /// How far lookups reach [m].
    radius: f32,
}

impl IrradianceMap {
    /// Computes records at `places`, each from `count` photons of at most `max_segments` segments. The photons at
    /// `places` must not be part of the map: an estimate at a photon's own position is biased, too bright if the photon
    /// counts, or too dark, since lookups find the nearest of them.
    pub(super) fn new(
        scene: &Scene,
        photons: Vec<Photon>,
        map: &PhotonMap,
        count: usize,
        max_segments: u32,
        contexts: &[Mutex<Context>],
    ) -> IrradianceMap {
        let photons = KdTree::new(photons);
        // Neighbouring records are computed one after another: they search the same photons within similar radii.
        let (records, reaches): (Vec<Record>, Vec<f32>) = photons
            .items()
            .par_chunks(TOGETHER)
            .flat_map_iter(|photons| {
                let index = rayon::current_thread_index().unwrap_or(0);
                let mut context = contexts[index].lock().unwrap_or_else(PoisonError::into_inner);
                let mut guess = map.radius();
                let mut own: Option<(Vec3, Record)> = None;
                let mut records: ArrayVec<(Record, f32), TOGETHER> = ArrayVec::new();
                for (index, photon) in photons.iter().enumerate() {
                    let site = LookupPoint::of(photon, max_segments);
                    let beside = own.filter(|(p, record)| {
                        let is_near = (*p - site.p).length_squared() < record.radius * record.radius;
                        index % SHARING != 0 && is_near && record.n.dot(site.n) > SAME_GUIDE
                    });
                    let guide = beside.map(|(_, record)| record.guide);
                    let made = record(scene, map, &site, count, guide, guess, &mut context.nearest);
                    guess = made.0.radius;
                    if guide.is_none() {
                        own = Some((site.p, made.0));
                    }
                    records.push(made);
                }
                records
            })
            .unzip();
        let places = photons.map(|index, photon| RecordPlace {
            p: photon.p().to_array().map(f32::to_bits),
            n: photon.packed_n(),
            reach: reaches[index].to_bits(),
        });
        IrradianceMap {
            places,
            records,
            radius: map.radius(),
        }
    }

    /// A record near `p` on the side `n` of the surface: the nearest, or one of at most `1 / REACH` times its distance.
    #[inline]
    pub(super) fn nearest(&self, p: Vec3, n: Vec3) -> Option<&Record> {
        let mut found = None;
        let mut r2 = self.radius * self.radius;
        let rounding = rounding(p);
        self.places.search_about(p, r2, REACH, |index, place, d2| {
            let reach = f32::from_bits(place.reach);
            if d2 <= reach * reach && same_surface(place.p() - p, n, place.n, false, rounding) {
                found = Some(index);
                r2 = d2;
            }
            r2
        });
        found.map(|index| &self.records[index])
    }

    /// How many records there are.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Memory that they hold [bytes].
    pub(super) fn memory(&self) -> usize {
        self.places.memory() + self.records.capacity() * size_of::<Record>()
    }
}

/// Computes the record of a site and its validity radius, with a given guide or one of its own. `guess` is an estimate
/// of the radius that holds its photons.
fn record(
    scene: &Scene,
    map: &PhotonMap,
    site: &LookupPoint,
    count: usize,
    guide: Option<Guide>,
    mut guess: f32,
    nearest: &mut Nearest,
) -> (Record, f32) {
    let frame = Frame::from_normal(site.n);
    let mut collector = Collector::default();
    let surroundings = Surroundings::new(scene, site, frame);
    let guiding = if guide.is_some() { 1 } else { GUIDING };
    let mut wanted = count;
    loop {
        let reach = map.reach_of(site, guiding * wanted, guess * (guiding as f32).sqrt(), nearest);
        let radius = nearest.radius_of(wanted).unwrap_or(reach);
        let wall = surroundings.wall(radius);
        let open = wall >= radius;
        let mut seen = 0;
        let irradiance = map.sum_found(nearest, radius, |photon, density| {
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
            photon.power() * density
        });
        // Beside a wall with a bright room behind it, nearly all near photons are in that room.
        if seen < count / 4 && wanted < MAX_NEAREST && radius < map.radius() {
            wanted *= 4;
            guess = 2.0 * radius;
            collector.clear();
            continue;
        }
        let covered = if open && surroundings.is_whole(radius) {
            1.0
        } else {
            surroundings.covered(radius)
        };
        let record = Record {
            n: site.n,
            irradiance: irradiance * (1.0 / covered),
            radius,
            covered,
            guide: guide.unwrap_or_else(|| collector.finish()),
        };
        return (record, wall);
    }
}

/// Boundary correction of the density estimate: rays find the walls around a site and the extent of its surface.
/// Photons lie on the surface only: at an edge or beside a wall, the disk around the site covers area without photons,
/// or area of the next room.
///
/// A short ray to a point above the surface tests for walls in between; a ray down from there tests whether the surface
/// continues.
struct Surroundings<'a> {
    scene: &'a Scene,
    site: &'a LookupPoint,
    frame: Frame,
}

/// Height above the surface at which these rays start, as a share of their length: the rounding error of a photon's
/// position is not known.
const LIFT: f32 = 0.01;

impl<'a> Surroundings<'a> {
    fn new(scene: &'a Scene, site: &'a LookupPoint, frame: Frame) -> Surroundings<'a> {
        Surroundings { scene, site, frame }
    }

    /// Origin of rays of that length.
    fn origin(&self, length: f32) -> Vec3 {
        lifted(self.site, length)
    }

    /// Whether the point above `offset` is visible from the site.
    fn sees(&self, offset: Vec3) -> bool {
        sees(self.scene, self.site, offset)
    }

    /// Whether the surface continues at a visible point.
    fn goes_on(&self, offset: Vec3) -> bool {
        let height = SAME_PLANE * offset.length();
        let down = Ray {
            t_max: 2.0 * height,
            ..Ray::new(self.site.p + offset + self.site.n * height, -self.site.n)
        };
        self.scene.intersect(&down).is_some_and(|it| {
            let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
            same_surface(
                it.p - self.site.p,
                self.site.n,
                Packed::new(n),
                false,
                rounding(self.site.p),
            )
        })
    }

    fn point(&self, turn: f32, distance: f32) -> Vec3 {
        let (sin, cos) = sin_cos(turn * std::f32::consts::TAU);
        self.frame.to_world(Vec3::new(cos, sin, 0.0)) * distance
    }

    /// Distance to the nearest wall within `radius`; `radius` if there is none.
    fn wall(&self, radius: f32) -> f32 {
        // Between two of these rays a wall is a little nearer than where they hit it.
        const SLANT: f32 = 0.92;
        (0..WAYS)
            .map(|i| {
                let along = self.point(i as f32 / WAYS as f32, radius / SLANT);
                let way = (along + self.site.n * (SAME_PLANE * radius)).normalize_or(self.site.n);
                let ray = Ray {
                    t_max: radius / SLANT,
                    ..Ray::new(self.origin(radius), way)
                };
                self.scene.distance(&ray).map_or(radius, |t| t * SLANT)
            })
            .fold(radius, f32::min)
    }

    /// Whether the surface continues in all tested directions up to that radius.
    fn is_whole(&self, radius: f32) -> bool {
        (0..WAYS).all(|i| self.goes_on(self.point((i as f32 + 0.5) / WAYS as f32, 0.9 * radius)))
    }

    /// Share of a kernel of that radius that lies on the surface and is visible from the site.
    fn covered(&self, radius: f32) -> f32 {
        const POINTS: usize = 32;
        let seen = (0..POINTS).filter(|&i| {
            // Radii with the kernel's density; the angle is golden.
            let s = (1.0 - cbrt(1.0 - (i as f32 + 0.5) / POINTS as f32)).sqrt();
            let point = self.point(i as f32 * 0.381_966, s * radius);
            self.sees(point) && self.goes_on(point)
        });
        (seen.count() as f32 / POINTS as f32).max(0.1)
    }
}

/// Whether the point of a surface at `offset` from a site on it is visible from there: no wall is in between.
pub(super) fn sees(scene: &Scene, site: &LookupPoint, offset: Vec3) -> bool {
    let along = offset - site.n * offset.dot(site.n);
    let length = along.length();
    let above = along + site.n * (SAME_PLANE * length);
    scene.is_free(&Ray {
        t_max: above.length(),
        ..Ray::new(lifted(site, length), above.normalize_or(site.n))
    })
}

/// Origin of rays of that length from a site: off its surface, whatever its coordinates are rounded to.
fn lifted(site: &LookupPoint, length: f32) -> Vec3 {
    site.p + site.n * (LIFT * length).max(rounding(site.p).sqrt())
}

/// Share of the distance to the nearest record so far within which a nearer one is looked for.
const REACH: f32 = 0.5;

/// Number of rays that search for walls around a site.
const WAYS: usize = 8;

/// Photons used for the guide for each photon used for the irradiance. A guide takes more, since its cells share them.
/// The farther ones may be behind a wall; a wrong guide costs noise only.
const GUIDING: usize = 4;

/// Neighbouring records that share a guide if they are on the same surface.
const SHARING: usize = 4;

/// Least cosine between the normals of records that share a guide.
const SAME_GUIDE: f32 = 0.99;

/// Records that a thread computes in sequence.
const TOGETHER: usize = 32;
