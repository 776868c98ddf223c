//! Photon map lookups at a vertex: radiance reflected from the irradiance cache, the caustic map and the global map.

use glam::Vec3;

use super::map::irradiance::{Record, is_point_visible};
use super::map::photon::Photon;
use super::map::surface::{DensityEstimate, Nearest, PhotonMap};
use super::vertex::Vertex;
use super::{Photons, Show};
use crate::bsdf::LobePart;
use crate::integrator::tracer::Tracer;
use crate::radiance::LobeShares;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, Located};

/// Maximum radius of a caustic lookup relative to the path length up to the vertex: about the width of a few pixels.
const RADIUS_PER_LENGTH: f32 = 0.02;

/// Maximum radius of a caustic lookup relative to the shape's radius: no photons are beyond its edges.
const RADIUS_PER_SHAPE: f32 = 0.15;

/// Lower bound of a photon's incident cosine.
const MIN_COS: f32 = 1e-3;

/// Caustics below this fraction of the surrounding irradiance count as invisible.
const MIN_RELATIVE_CAUSTIC: f32 = 0.1;

/// Radiance scattered from a record of the irradiance cache.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CachedRadiance<'a> {
    pub(super) radiance: Rgb,
    /// Irradiance by light tag, up to a common factor; empty without tags.
    pub(super) tags: &'a [Rgb],
}

/// Parameters of a density estimate in a photon map.
pub(super) struct MapLookup<'a, C> {
    pub(super) map: &'a PhotonMap,
    /// Maximum number of segments of the photons.
    pub(super) max_segments: u32,
    /// Number of nearest photons.
    pub(super) count: u32,
    /// Maximum radius [m].
    pub(super) radius: f32,
    /// Predicate of the photons that count.
    pub(super) counts: C,
}

impl Photons {
    /// Radiance reflected and transmitted by the diffuse lobes of a vertex at the end of a gather ray, with irradiance
    /// by light tag.
    pub(super) fn cached_radiance(
        &self,
        depth: u32,
        vertex: &Vertex<'_>,
        record: &Record,
        nearest: &mut Nearest,
    ) -> [CachedRadiance<'_>; 2] {
        let max_segments = self.max_depth() - depth;
        let irradiance = |record: &Record, n: Vec3, nearest: &mut Nearest| {
            if self.settings.depth.is_none() || depth == self.gather_depth {
                return record.irradiance;
            }
            let site = vertex.lookup_point(n, false, max_segments);
            let (map, k) = (&self.global, self.settings.k);
            let found = map
                .estimate(&site, k, map.radius(), 0.0, nearest, |photon, density| photon.power() * density);
            found.sum * (1.0 / record.disk_fraction)
        };
        let (near, far) = vertex.bsdf.diffuse_albedo(vertex.it.wo);
        let (near, far) = (near * INV_PI, far * INV_PI);
        let has_bent_normal = vertex.bsdf.has_bent_normal(LobePart::Diffuse);
        let mut scattered = |albedo: Rgb, record: &Record, n: Vec3| {
            let share = match has_bent_normal {
                true => self.reflected_ratio(vertex, n, max_segments, nearest),
                false => None,
            };
            share.unwrap_or(albedo) * irradiance(record, n, nearest)
        };
        let mut radiance = [
            CachedRadiance {
                radiance: scattered(near, record, vertex.n),
                tags: self.tags_of(record),
            },
            CachedRadiance::default(),
        ];
        if !far.is_black()
            && let Some(record) = self
                .irradiance
                .as_ref()
                .and_then(|map| map.nearest(vertex.it.p, -vertex.n, vertex.layer))
        {
            radiance[1] = CachedRadiance {
                radiance: scattered(far, record, -vertex.n),
                tags: self.tags_of(record),
            };
        }
        radiance
    }

    fn tags_of(&self, record: &Record) -> &[Rgb] {
        self.irradiance.as_ref().map_or(&[], |map| map.tagged(record))
    }

    /// Ratio of the radiance reflected by the diffuse lobes to the irradiance on the side `n` [1/sr], for the incident
    /// directions of the nearby photons; `None` without photons. For lobes about a shading normal the ratio depends on
    /// these directions, since irradiance refers to the geometric normal.
    fn reflected_ratio(
        &self,
        vertex: &Vertex<'_>,
        n: Vec3,
        max_segments: u32,
        nearest: &mut Nearest,
    ) -> Option<Rgb> {
        let (it, map) = (vertex.it, &self.global);
        let site = vertex.lookup_point(n, false, max_segments);
        let mut incident = Rgb::BLACK;
        let reflected = |photon: &Photon, density: f32| {
            let (wi, power) = (photon.wi(), photon.power() * density);
            incident += power;
            let (f, _) = vertex.bsdf.eval_pdf_part(LobePart::Diffuse, it.wo, wi);
            f * power * (1.0 / wi.dot(it.ng).abs().max(MIN_COS))
        };
        let k = self.settings.k;
        let found = map.estimate(&site, k, map.radius(), 0.0, nearest, reflected);
        let [reflected, incident] = [found.sum, incident].map(Rgb::to_array);
        // A colour channel without photons uses the ratio over all channels.
        let total: f32 = reflected.iter().sum::<f32>() / incident.iter().sum::<f32>();
        let share = |i: usize| match incident[i] > 0.0 {
            true => reflected[i] / incident[i],
            false => total,
        };
        total.is_finite().then(|| Rgb::from([share(0), share(1), share(2)]))
    }

    /// Radiance reflected from the caustic map; `lobes` receives the shares of the lobes. `length` is the path length
    /// up to the vertex [m].
    ///
    /// To limit blur, fractions of the path length and of the shape's size bound the radius. If too few photons are
    /// within it although a caustic may be visible, the lookup returns only photons that no camera path can find, and
    /// the continued path finds the caustics, as in `path`.
    pub(super) fn caustics<S>(
        &self,
        length: f32,
        vertex: &mut Vertex<'_>,
        max_segments: u32,
        tracer: &mut Tracer<'_, S>,
        mut lobes: Option<&mut LobeShares>,
    ) -> Rgb {
        let (map, k) = (&self.caustic, self.settings.caustic_k);
        if map.is_empty() {
            vertex.caustics_covered = self.is_direct();
            return Rgb::BLACK;
        }
        let mut look_up = |vertex: &Vertex<'_>, radius: f32, counts: fn(&Photon) -> bool| {
            if let Some(lobes) = &mut lobes {
                lobes.clear();
            }
            let lookup = MapLookup { map, max_segments, count: k, radius, counts };
            self.map_radiance(&lookup, vertex, tracer, lobes.as_deref_mut())
        };
        if self.is_direct() {
            return look_up(vertex, map.radius(), |_| true).sum;
        }
        let shape = self.shape_radii[vertex.it.shape.0 as usize];
        let radius = map.radius().min(RADIUS_PER_LENGTH * length).min(RADIUS_PER_SHAPE * shape);
        let found = look_up(vertex, radius, |_| true);
        let needed = map.count_in_slice(k);
        vertex.caustics_covered = found.count >= needed || {
            let seen = MIN_RELATIVE_CAUSTIC * self.irradiance_near(vertex).luminance();
            // Over many samples, a vertex uses all subsets of the map.
            map.expected(seen, radius) >= needed as f32
        };
        if vertex.caustics_covered {
            found.sum
        } else if map.has_hidden() {
            look_up(vertex, map.radius(), Photon::is_hidden).sum
        } else {
            Rgb::BLACK
        }
    }

    /// Irradiance near a vertex [W/m²]; black if there is no record.
    fn irradiance_near(&self, vertex: &Vertex<'_>) -> Rgb {
        let near = || self.irradiance.as_ref()?.nearest(vertex.it.p, vertex.n, vertex.layer);
        vertex.record.or_else(near).map_or(Rgb::BLACK, |record| record.irradiance)
    }

    /// Radiance reflected from a map's photons by the lobes of the BSDF that no lookup covers yet; adds the shares of
    /// the lobes to `lobes`.
    ///
    /// One visibility test represents all photons: it tests a photon selected in proportion to its contribution, so
    /// that occluded photons are excluded in expectation.
    pub(super) fn map_radiance<S>(
        &self,
        lookup: &MapLookup<'_, impl Fn(&Photon) -> bool>,
        vertex: &Vertex<'_>,
        tracer: &mut Tracer<'_, S>,
        mut lobes: Option<&mut LobeShares>,
    ) -> DensityEstimate {
        let MapLookup { map, max_segments, count, radius, ref counts } = *lookup;
        if map.is_empty() || !vertex.is_wide() {
            return DensityEstimate { sum: Rgb::BLACK, count: 0 };
        }
        let (it, bsdf) = (vertex.it, vertex.bsdf);
        let site = vertex.lookup_point(vertex.n, bsdf.has_transmission(), max_segments);
        let u = tracer.sampler.next_1d();
        let mut chosen = Reservoir::new(map.rescaled(u));
        let response = |photon: &Photon, density: f32| {
            if !counts(photon) || density == 0.0 {
                return Rgb::BLACK;
            }
            let wi = photon.wi();
            let mut f = Rgb::BLACK;
            if !vertex.diffuse_covered && bsdf.has(LobePart::Diffuse) {
                f += bsdf.eval_pdf_part(LobePart::Diffuse, it.wo, wi).0;
            }
            if bsdf.has(LobePart::Rough) {
                f += bsdf.eval_pdf_part(LobePart::Rough, it.wo, wi).0;
            }
            // Photon density is per area of the geometric surface, so the cosine is that of the geometric normal.
            let per_cosine = density / wi.dot(it.ng).abs().max(MIN_COS);
            let reflected = f * photon.power() * per_cosine;
            if let Some(lobes) = &mut lobes {
                let counts = |part| match part {
                    LobePart::Diffuse => !vertex.diffuse_covered,
                    LobePart::Rough => true,
                    LobePart::Narrow => false,
                };
                bsdf.each_lobe(it.wo, wi, counts, |class, _, f| {
                    lobes.add_tagged(class, photon.tag(), f * photon.power() * per_cosine);
                });
            }
            chosen.offer(reflected.luminance(), photon.p());
            reflected
        };
        let mut found = if self.settings.progressive {
            map.estimate_within(&site, radius, u, response)
        } else {
            map.estimate(&site, count, radius, u, tracer.nearest, response)
        };
        if let Some(p) = chosen.p {
            tracer.stats.shadow_rays += 1;
            if !is_point_visible(tracer.scene, &site, p - site.p, tracer.shading) {
                found.sum = Rgb::BLACK;
            }
        }
        found
    }

    /// Value of the debugging view `show` at a vertex.
    pub(super) fn debug_value<S>(&self, show: Show, vertex: &Vertex<'_>, tracer: &mut Tracer<'_, S>) -> Rgb {
        let settings = &self.settings;
        let mut look_up = |map: &PhotonMap, k: u32| {
            let lookup = MapLookup {
                map,
                max_segments: u32::MAX,
                count: k,
                radius: map.radius(),
                counts: |_: &Photon| true,
            };
            self.map_radiance(&lookup, vertex, tracer, None).sum
        };
        match (show, &self.irradiance) {
            (Show::Global, _) => look_up(&self.global, settings.k),
            (Show::Caustic, _) => look_up(&self.caustic, settings.caustic_k),
            (Show::Irradiance, Some(map)) => map
                .nearest(vertex.it.p, vertex.n, vertex.layer)
                .map_or(Rgb::BLACK, |record| record.irradiance * INV_PI),
            (Show::Irradiance, None) => Rgb::BLACK,
        }
    }
}

/// Weighted reservoir sampling of one photon position.
// Chao 1982, "A General Purpose Unequal Probability Sampling Plan".
struct Reservoir {
    p: Option<Vec3>,
    total: f32,
    /// Random number, rescaled and reused after each decision.
    u: f32,
}

impl Reservoir {
    fn new(u: f32) -> Reservoir {
        Reservoir { p: None, total: 0.0, u }
    }

    #[inline]
    fn offer(&mut self, weight: f32, p: Vec3) {
        self.total += weight;
        let share = weight / self.total;
        if self.u < share {
            self.u /= share;
            self.p = Some(p);
        } else if share < 1.0 {
            self.u = (self.u - share) / (1.0 - share);
        }
    }
}
