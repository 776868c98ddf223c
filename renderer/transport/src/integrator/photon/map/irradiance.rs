//! Irradiance cache: irradiance and a guide, precomputed from the photon map at a subset of the photons.
// Christensen 1999, "Faster Photon Map Global Illumination".

use std::sync::{Mutex, PoisonError};

use arrayvec::ArrayVec;
use glam::Vec3;
use rayon::prelude::*;

use super::layer::Layer;
use super::photon::OctVector;
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
    /// Fraction of the disk that lies on the surface (boundary correction).
    pub(crate) disk_fraction: f32,
    /// Index in the cache.
    index: u32,
    /// Distribution of incident directions.
    pub(crate) guide: Guide,
}

/// Settings of the computation of records.
pub(crate) struct RecordSettings {
    /// Number of photons of an estimate.
    pub(crate) count: usize,
    /// True if records have guides.
    pub(crate) guides: bool,
    /// Maximum number of path segments of a photon.
    pub(crate) max_segments: u32,
    /// Time of visibility rays.
    pub(crate) time: f32,
}

/// Key of a record in the kd-tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RecordKey {
    p: [u32; 3],
    n: OctVector,
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
    tree: KdTree<RecordKey>,
    /// Squared validity radii [m²]: the smaller of the radius of a record's photons and the distance to the nearest
    /// wall.
    validity_radii2: Limits,
    /// Records in the order of the tree.
    records: Vec<Record>,
    /// Irradiance by record, then by light tag; empty without tags.
    tagged: Vec<Rgb>,
    /// Number of tags.
    tags: usize,
    /// Maximum lookup radius [m].
    radius: f32,
}

impl IrradianceMap {
    /// Computes records at the positions of `photons` from the photons of `map`; none if the pass is stopped. `photons`
    /// must not be part of the map: lookups find the nearest photons, so an estimate at a photon's own position is
    /// biased, too bright if the photon counts, else too dark.
    pub(crate) fn new(
        scene: &Scene,
        photons: Vec<Photon>,
        map: &PhotonMap,
        settings: RecordSettings,
        pass: &Pass<'_>,
        contexts: &[Mutex<Context>],
    ) -> IrradianceMap {
        let RecordSettings { count, guides, max_segments, time } = settings;
        let max_tag = pass.light_tags.iter().max();
        let tags = max_tag.map_or(0, |&max_tag| usize::from(max_tag) + 1);
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
                    let site = LookupPoint::of(photon, max_segments, time);
                    let neighbour = own.filter(|(p, record)| {
                        let is_near = (*p - site.p).length_squared() < record.radius * record.radius;
                        index % SHARED_GUIDE != 0 && is_near && record.n.dot(site.n) > MIN_GUIDE_COS
                    });
                    let guide = match guides {
                        true => neighbour.map(|(_, record)| record.guide),
                        false => Some(Guide::NONE),
                    };
                    let mut tagged = vec![Rgb::BLACK; tags];
                    let query = RecordQuery { scene, map, site: &site, count, guess };
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
        let (mut records, validity_radii2): (Vec<Record>, Vec<f32>) = made.into_iter().unzip();
        (0..).zip(&mut records).for_each(|(index, record)| record.index = index);
        let tree = photons.map(|_, photon| RecordKey {
            p: photon.p().to_array().map(f32::to_bits),
            n: photon.packed_n(),
            layer: photon.layer(),
        });
        IrradianceMap {
            validity_radii2: tree.limits(|index| validity_radii2[index].powi(2)),
            tree,
            records,
            tagged: tagged.concat(),
            tags,
            radius: map.radius(),
        }
    }

    /// Returns a record near `p` on the side `n` of the surface in its layer: the nearest, or one at max_tag `1 /
    /// SEARCH_FRACTION` times as far away.
    #[inline]
    pub(crate) fn nearest(&self, p: Vec3, n: Vec3, layer: Layer) -> Option<&Record> {
        let mut found = None;
        let mut r2 = self.radius * self.radius;
        let rounding = rounding(p);
        let validity_radii2 = &self.validity_radii2;
        self.tree
            .search_limited(p, r2, SEARCH_FRACTION, validity_radii2, |index, key, d2| {
                if key.layer == layer && same_surface(key.p() - p, n, key.n, false, rounding) {
                    found = Some(index);
                    r2 = d2;
                }
                r2
            });
        found.map(|index| &self.records[index])
    }

    /// Irradiance of a record by light tag; empty without tags.
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
        self.tree.memory() + self.validity_radii2.memory() + self.records.capacity() * size_of::<Record>()
    }
}

/// Inputs of the computation of a record.
struct RecordQuery<'a> {
    scene: &'a Scene,
    map: &'a PhotonMap,
    site: &'a LookupPoint,
    /// Number of nearest photons.
    count: usize,
    /// Estimated radius of the nearest photons [m].
    guess: f32,
}

impl RecordQuery<'_> {
    /// Computes the record and its validity radius [m]; uses `guide` if it is given, else computes a guide.
    fn record(&self, guide: Option<Guide>, context: &mut Context, tagged: &mut [Rgb]) -> (Record, f32) {
        let RecordQuery { scene, map, site, count, mut guess } = *self;
        let frame = Frame::from_normal(site.n);
        let mut collector = Collector::default();
        let Context { shading, nearest, .. } = context;
        let mut boundary = BoundaryProbe { scene, site, frame, shading };
        let guiding = if guide.is_some() { 1 } else { GUIDE_PHOTONS };
        let mut k = count;
        loop {
            let r = map.search(site, guiding * k, guess * (guiding as f32).sqrt(), nearest);
            let radius = nearest.radius_of(k).unwrap_or(r);
            let wall = boundary.wall_distance(radius);
            let open = wall >= radius;
            let mut seen = 0;
            let irradiance = map.estimate_found(nearest, radius, |photon, density| {
                let counts = density > 0.0;
                if counts && !open && !boundary.is_visible(photon.p() - site.p) {
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
            // Next to a wall with a bright room behind it, nearly all of the nearest photons are in that room.
            if seen < count / 4 && k < MAX_NEAREST && radius < map.radius() {
                k *= 4;
                guess = 2.0 * radius;
                collector.clear();
                tagged.fill(Rgb::BLACK);
                continue;
            }
            let disk_fraction = if open && boundary.continues_all_around(radius) {
                1.0
            } else {
                boundary.disk_fraction(radius)
            };
            let record = Record {
                n: site.n,
                irradiance: irradiance * (1.0 / disk_fraction),
                radius,
                disk_fraction,
                index: 0,
                guide: guide.unwrap_or_else(|| collector.finish()),
            };
            return (record, wall);
        }
    }
}

/// Boundary correction of the density estimate: rays find the walls around a lookup point and the extent of its
/// surface. Photons are on surfaces only: at an edge or next to a wall, the disk around the point covers area without
/// photons, or area of the next room.
///
/// A short ray to a point above the surface tests for walls in between; a ray down from there tests whether the surface
/// continues. Surfaces that light passes, such as panes or the clear parts of a decal, are not walls.
struct BoundaryProbe<'a> {
    scene: &'a Scene,
    site: &'a LookupPoint,
    frame: Frame,
    shading: &'a mut ShadingContext,
}

/// Height of ray origins above the surface, as a fraction of the ray length, since the rounding error of a photon's
/// position is unknown.
const ORIGIN_HEIGHT: f32 = 0.01;

impl BoundaryProbe<'_> {
    fn is_visible(&mut self, offset: Vec3) -> bool {
        is_point_visible(self.scene, self.site, offset, self.shading)
    }

    /// Returns whether the surface continues at `offset`, a visible point.
    fn continues(&mut self, offset: Vec3) -> bool {
        let site = self.site;
        let height = MAX_ELEVATION_SIN * offset.length();
        let down = Ray {
            t_max: 2.0 * height,
            time: site.time,
            ..Ray::new(site.p + offset + site.n * height, -site.n)
        };
        let mut continues = false;
        self.scene.for_each_surface(&down, self.shading, |it, passed| {
            let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
            continues = same_surface(it.p - site.p, site.n, OctVector::new(n), false, rounding(site.p))
                && Layer::of(self.scene, it.shape, || passed > 0.0) == site.layer;
            continues
        });
        continues
    }

    fn point(&self, u_angle: f32, distance: f32) -> Vec3 {
        let (sin, cos) = sin_cos(u_angle * std::f32::consts::TAU);
        self.frame.to_world(Vec3::new(cos, sin, 0.0)) * distance
    }

    /// Distance to the nearest wall within `radius`; `radius` if there is none.
    fn wall_distance(&mut self, radius: f32) -> f32 {
        // Between two of these rays, a wall may be a little nearer than their hits.
        const MARGIN: f32 = 0.92;
        (0..WALL_RAYS)
            .map(|i| {
                let along = self.point(i as f32 / WALL_RAYS as f32, radius / MARGIN);
                let w = (along + self.site.n * (MAX_ELEVATION_SIN * radius)).normalize_or(self.site.n);
                let ray = Ray {
                    t_max: radius / MARGIN,
                    time: self.site.time,
                    ..Ray::new(ray_origin(self.site, radius), w)
                };
                let wall = self.scene.first_opaque(&ray, self.shading);
                wall.map_or(radius, |t| t * MARGIN)
            })
            .fold(radius, f32::min)
    }

    /// Returns whether the surface continues in all tested directions up to `radius`.
    fn continues_all_around(&mut self, radius: f32) -> bool {
        (0..WALL_RAYS).all(|i| self.continues(self.point((i as f32 + 0.5) / WALL_RAYS as f32, 0.9 * radius)))
    }

    /// Fraction of a kernel with this radius that is on the surface and visible from the lookup point; at least 0.1.
    fn disk_fraction(&mut self, radius: f32) -> f32 {
        const POINTS: usize = 32;
        let seen = (0..POINTS).filter(|&i| {
            // Radii are distributed by the kernel's density, angles by the golden ratio.
            let s = (1.0 - cbrt(1.0 - (i as f32 + 0.5) / POINTS as f32)).sqrt();
            let point = self.point(i as f32 * 0.381_966, s * radius);
            self.is_visible(point) && self.continues(point)
        });
        (seen.count() as f32 / POINTS as f32).max(0.1)
    }
}

/// Returns whether no wall is between a lookup point and the surface point at `offset`.
pub(crate) fn is_point_visible(
    scene: &Scene,
    site: &LookupPoint,
    offset: Vec3,
    shading: &mut ShadingContext,
) -> bool {
    let along = offset - site.n * offset.dot(site.n);
    let length = along.length();
    let above = along + site.n * (MAX_ELEVATION_SIN * length);
    let ray = Ray {
        t_max: above.length(),
        time: site.time,
        ..Ray::new(ray_origin(site, length), above.normalize_or(site.n))
    };
    scene.is_visible(&ray, shading)
}

/// Origin of rays of this length from a lookup point: above its surface by more than the rounding of its coordinates.
fn ray_origin(site: &LookupPoint, length: f32) -> Vec3 {
    site.p + site.n * (ORIGIN_HEIGHT * length).max(rounding(site.p).sqrt())
}

/// Fraction of the distance to the nearest record so far within which the search continues.
const SEARCH_FRACTION: f32 = 0.5;

/// Number of rays that search for walls around a lookup point.
const WALL_RAYS: usize = 8;

/// Ratio of the photons used for a guide to those used for the irradiance. A guide needs more, since they are divided
/// among its cells. Farther photons may be behind a wall; a wrong guide only adds noise.
const GUIDE_PHOTONS: usize = 4;

/// Number of neighbouring records that share a guide if they are on the same surface.
const SHARED_GUIDE: usize = 4;

/// Minimum cosine between the normals of records that share a guide.
const MIN_GUIDE_COS: f32 = 0.99;

/// Number of records that a thread computes in sequence.
const CHUNK: usize = 32;
