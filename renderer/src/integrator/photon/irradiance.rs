//! Irradiance, computed beforehand at some of the photons, and where it comes from.
// Christensen 1999, "Faster Photon Map Global Illumination".

use std::sync::{Mutex, PoisonError};

use glam::Vec3;
use rayon::prelude::*;

use super::density::{Nearest, PhotonMap, SAME_PLANE, Site, same_surface};
use super::guide::{Collector, Guide};
use super::map::{KdTree, Located};
use super::particle::Packed;
use crate::color::Rgb;
use crate::integrator::Context;
use crate::math::{Frame, Ray, offset_ray_origin};
use crate::scene::Scene;

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
    record: u32,
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
    records: Vec<Record>,
    /// How far lookups reach [m].
    radius: f32,
}

/// Every how many photons there is a record.
const EVERY: usize = 4;

impl IrradianceMap {
    /// The records of a map, each from `count` photons that came `max_segments` at most.
    pub(super) fn new(
        scene: &Scene,
        map: &PhotonMap,
        count: usize,
        max_segments: u32,
        contexts: &[Mutex<Context>],
    ) -> IrradianceMap {
        let photons: Vec<_> = map.photons().step_by(EVERY).collect();
        let records: Vec<Record> = photons
            .par_iter()
            .map(|photon| {
                let index = rayon::current_thread_index().unwrap_or(0);
                let mut context = contexts[index].lock().unwrap_or_else(PoisonError::into_inner);
                let site = Site::of(photon, max_segments);
                record(scene, map, &site, count, &mut context.nearest)
            })
            .collect();
        let places = (0..)
            .zip(&photons)
            .map(|(record, photon)| Place {
                p: photon.p().to_array().map(f32::to_bits),
                n: Packed::new(photon.n()),
                record,
            })
            .collect();
        IrradianceMap {
            places: KdTree::new(places),
            records,
            radius: map.radius(),
        }
    }

    /// The nearest record on the side `n` of the surface at `p`.
    #[inline]
    pub(super) fn nearest(&self, p: Vec3, n: Vec3) -> Option<&Record> {
        let mut found = None;
        let mut r2 = self.radius * self.radius;
        self.places.search(p, r2, |_, place, d2| {
            if same_surface(place.p() - p, n, place.n.unpack(), false) {
                found = Some(place.record);
                r2 = d2;
            }
            r2
        });
        found.map(|record| &self.records[record as usize])
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

fn record(scene: &Scene, map: &PhotonMap, site: &Site, count: usize, nearest: &mut Nearest) -> Record {
    let mut collector = Collector::default();
    let frame = Frame::from_normal(site.n);
    let (irradiance, radius) = map.estimate(site, count, 0.0, nearest, |photon, density| {
        let power = photon.power() * density;
        let local = frame.to_local(photon.wi());
        if photon.segments() > 1 && !photon.is_caustic() && local.z > 0.0 {
            collector.add(local, power.luminance());
        }
        power
    });
    let covered = covered(scene, site, radius);
    Record {
        n: site.n,
        irradiance: irradiance * (1.0 / covered),
        radius,
        covered,
        guide: collector.finish(),
    }
}

/// The share of the kernel about a site that lies on its surface. Photons arrive there only: at an edge, or beside a
/// wall, the disk reaches where none can be, and without this all corners would be too dark.
///
/// A short ray up to each point of a pattern sees whether something stands in between, one down from there whether the
/// surface goes on.
fn covered(scene: &Scene, site: &Site, radius: f32) -> f32 {
    const FIRST: usize = 8;
    const ALL: usize = 32;
    let frame = Frame::from_normal(site.n);
    let origin = offset_ray_origin(site.p, site.n, site.n);
    let on_surface = |i: usize| {
        // Radii with the kernel's density; the angle is golden.
        let s = (1.0 - (1.0 - (i as f32 + 0.5) / ALL as f32).cbrt()).sqrt().max(0.05);
        let (sin, cos) = (i as f32 * 2.399_963_2).sin_cos();
        let along = frame.to_world(Vec3::new(cos, sin, 0.0)) * (s * radius);
        let height = SAME_PLANE * s * radius;
        let above = along + site.n * height;
        let way = Ray {
            t_max: above.length(),
            ..Ray::new(origin, above.normalize())
        };
        if scene.intersect(&way).is_some() {
            return false;
        }
        let down = Ray {
            t_max: 2.0 * height,
            ..Ray::new(origin + above, -site.n)
        };
        scene.intersect(&down).is_some_and(|it| {
            let n = if it.wo.dot(it.ng) < 0.0 { -it.ng } else { it.ng };
            same_surface(it.p - site.p, site.n, n, false)
        })
    };
    // Well inside a surface the first few all see it. They are spread over all radii.
    let step = ALL / FIRST;
    let seen = (0..FIRST).filter(|&i| on_surface(i * step + step / 2)).count();
    if seen == FIRST {
        return 1.0;
    }
    let seen = (0..ALL).filter(|&i| on_surface(i)).count();
    (seen as f32 / ALL as f32).max(0.1)
}
