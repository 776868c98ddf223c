//! Irradiance, computed beforehand at some of the photons, and where it comes from.
// Christensen 1999, "Faster Photon Map Global Illumination".

use std::sync::{Mutex, PoisonError};

use arrayvec::ArrayVec;
use glam::Vec3;
use rayon::prelude::*;

use super::Photon;
use super::density::{Nearest, PhotonMap, SAME_PLANE, Site, same_surface};
use super::guide::{Collector, Guide};
use super::map::{KdTree, Located};
use super::particle::Packed;
use crate::color::Rgb;
use crate::integrator::context::Context;
use crate::math::{Frame, Ray};
use crate::scene::Scene;
use crate::scene::desc::MAX_NEAREST;

/// What is known at a point of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Unit geometric normal of its side.
    pub(super) n: Vec3,
    /// What arrives on that side, emitters' own light apart unless photons bring it [W/m²].
    pub(super) irradiance: Rgb,
    /// How far the photons were that it comes from [m].
    pub(super) radius: f32,
    /// The share of the disk of that radius that is on the surface.
    pub(super) covered: f32,
    /// Where indirect light comes from.
    pub(super) guide: Guide,
}

/// Where a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    p: [u32; 3],
    n: Packed,
    /// How far from it the record may be used [m]: no farther than its photons reach, nor than a wall.
    reach: u32,
}

impl Located for Place {
    #[inline]
    fn p(&self) -> Vec3 {
        Vec3::from_array(self.p.map(f32::from_bits))
    }
}

/// All records.
#[derive(Debug)]
pub(super) struct IrradianceMap {
    places: KdTree<Place>,
    /// In the tree's order.
    records: Vec<Record>,
    /// How far lookups reach [m].
    radius: f32,
}

impl IrradianceMap {
    /// The records of a map at `places`, each from `count` photons that came `max_segments` at most. Photons that are
    /// places are none of the map's: what is known of where they are would make the estimate too bright, or, since
    /// lookups find the nearest of them, too dark.
    pub(super) fn new(
        scene: &Scene,
        photons: Vec<Photon>,
        map: &PhotonMap,
        count: usize,
        max_segments: u32,
        contexts: &[Mutex<Context>],
    ) -> IrradianceMap {
        let photons = KdTree::new(photons);
        // Those that lie together are computed one after another: they look at the same photons, and reach as far.
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
                    let site = Site::of(photon, max_segments);
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
        let places = photons.map(|index, photon| Place {
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

    /// The nearest record on the side `n` of the surface at `p`.
    #[inline]
    pub(super) fn nearest(&self, p: Vec3, n: Vec3) -> Option<&Record> {
        let mut found = None;
        let mut r2 = self.radius * self.radius;
        self.places.search(p, r2, |index, place, d2| {
            let reach = f32::from_bits(place.reach);
            if d2 <= reach * reach && same_surface(place.p() - p, n, place.n, false) {
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

/// The record of a site, with a guide that is known or one of its own, and how far it may be used. `guess` is about how
/// far the photons are that irradiance comes from.
fn record(
    scene: &Scene,
    map: &PhotonMap,
    site: &Site,
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
        // Beside a wall with a bright room behind it nearly all that is near is in that room.
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

/// What stands about a site and how far its surface goes. Photons arrive on the surface only: at an edge, or beside a
/// wall, the disk about the site reaches where none can be, or into the next room.
///
/// A short ray up to a point over the surface sees whether something stands in between, one down from there whether the
/// surface goes on.
struct Surroundings<'a> {
    scene: &'a Scene,
    site: &'a Site,
    frame: Frame,
}

/// How high over the surface the rays about a site start, as a share of how far they reach: a photon's place does not tell
/// how far off its surface rounding has put it.
const LIFT: f32 = 0.01;

impl<'a> Surroundings<'a> {
    fn new(scene: &'a Scene, site: &'a Site, frame: Frame) -> Surroundings<'a> {
        Surroundings { scene, site, frame }
    }

    /// Where rays start that reach as far as `length`.
    fn origin(&self, length: f32) -> Vec3 {
        self.site.p + self.site.n * (LIFT * length)
    }

    /// Whether nothing stands between the site and the point over `offset`.
    fn sees(&self, offset: Vec3) -> bool {
        let along = offset - self.site.n * offset.dot(self.site.n);
        let length = along.length();
        let above = along + self.site.n * (SAME_PLANE * length);
        let way = Ray {
            t_max: above.length(),
            ..Ray::new(self.origin(length), above.normalize_or(self.site.n))
        };
        self.scene.is_free(&way)
    }

    /// Whether the surface goes on at a point that is seen.
    fn goes_on(&self, offset: Vec3) -> bool {
        let height = SAME_PLANE * offset.length();
        let down = Ray {
            t_max: 2.0 * height,
            ..Ray::new(self.site.p + offset + self.site.n * height, -self.site.n)
        };
        self.scene.intersect(&down).is_some_and(|it| {
            let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
            same_surface(it.p - self.site.p, self.site.n, Packed::new(n), false)
        })
    }

    fn point(&self, turn: f32, distance: f32) -> Vec3 {
        let (sin, cos) = (turn * std::f32::consts::TAU).sin_cos();
        self.frame.to_world(Vec3::new(cos, sin, 0.0)) * distance
    }

    /// The distance to the nearest wall that stands on the surface within `radius`; `radius` when there is none.
    fn wall(&self, radius: f32) -> f32 {
        // Between two ways a wall is a little nearer than where they meet it.
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

    /// Whether the surface seems to go on all around, as far as that.
    fn is_whole(&self, radius: f32) -> bool {
        (0..WAYS).all(|i| self.goes_on(self.point((i as f32 + 0.5) / WAYS as f32, 0.9 * radius)))
    }

    /// The share of the kernel of that radius that lies on the surface, as far as the site sees it.
    fn covered(&self, radius: f32) -> f32 {
        const POINTS: usize = 32;
        let seen = (0..POINTS).filter(|&i| {
            // Radii with the kernel's density; the angle is golden.
            let s = (1.0 - (1.0 - (i as f32 + 0.5) / POINTS as f32).cbrt()).sqrt();
            let point = self.point(i as f32 * 0.381_966, s * radius);
            self.sees(point) && self.goes_on(point)
        });
        (seen.count() as f32 / POINTS as f32).max(0.1)
    }
}

/// Rays that look for walls about a site.
const WAYS: usize = 8;

/// How many photons tell where light comes from for each that tells how much arrives. Directions take more: they are told
/// apart by the cells of a guide. Those that lie beyond the others may be behind a wall; a guide may be wrong.
const GUIDING: usize = 4;

/// Records beside each other that have one guide, where they are on the same surface.
const SHARING: usize = 4;

/// Least cosine between the normals of records with one guide.
const SAME_GUIDE: f32 = 0.99;

/// Records that are computed one after another.
const TOGETHER: usize = 32;
