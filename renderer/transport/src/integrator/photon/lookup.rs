//! Photon map lookups at a vertex: radiance reflected from the irradiance cache, the caustic map and the global map.

use glam::Vec3;

use super::density::{DensityEstimate, LookupPoint, PhotonMap};
use super::irradiance::{Record, sees};
use super::vertex::Vertex;
use super::{Photon, Photons, Show};
use crate::bsdf::LobePart;
use crate::integrator::context::Context;
use crate::radiance::LobeShares;
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, Located};
use renderer_base::sampler::Sampler;

/// Maximum radius of a caustic lookup relative to the path length up to the vertex; about the width of a few pixels.
const LENGTH_SHARE: f32 = 0.02;

/// Maximum radius of a caustic lookup relative to the shape's radius, since there are no photons beyond its edges.
const SHAPE_SHARE: f32 = 0.15;

/// Lower bound of a photon's incident cosine.
const MIN_COS: f32 = 1e-3;

/// Caustics below this fraction of the surrounding irradiance are treated as invisible.
const SEEN_SHARE: f32 = 0.1;

/// Radiance scattered from a record of the irradiance cache.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CachedRadiance<'a> {
    pub(super) radiance: Rgb,
    /// What each tag of lights has of the irradiance, up to a common factor; nothing if lights are not told apart.
    pub(super) tags: &'a [Rgb],
}

impl Photons {
    /// Radiance that the diffuse lobes of a vertex at the end of a gather ray reflect, and that they transmit; each with what
    /// the tags of lights have of its irradiance.
    pub(super) fn cached_radiance(
        &self,
        depth: u32,
        vertex: &Vertex<'_>,
        record: &Record,
        context: &mut Context,
    ) -> [CachedRadiance<'_>; 2] {
        let left = self.max_depth() - depth;
        let of = |record: &Record, n: Vec3, context: &mut Context| {
            if self.settings.depth.is_none() || depth == self.gather_depth {
                return record.irradiance;
            }
            let site = LookupPoint {
                p: vertex.it.p,
                n,
                both_sides: false,
                layer: vertex.layer,
                max_segments: left,
            };
            let (map, k) = (&self.global, self.settings.k);
            let found = map.estimate(
                &site,
                k,
                map.radius(),
                0.0,
                &mut context.nearest,
                |photon, density| photon.power() * density,
            );
            found.sum * (1.0 / record.covered)
        };
        let (near, far) = vertex.bsdf.diffuse_albedo(vertex.it.wo);
        let (near, far) = (near * INV_PI, far * INV_PI);
        let has_bent_normal = vertex.bsdf.has_bent_normal(LobePart::Diffuse);
        let scattered = |albedo: Rgb, record: &Record, n: Vec3, context: &mut Context| {
            let share = match has_bent_normal {
                true => self.reflected_ratio(vertex, n, left, context),
                false => None,
            };
            share.unwrap_or(albedo) * of(record, n, context)
        };
        let mut radiance = [
            CachedRadiance {
                radiance: scattered(near, record, vertex.n, context),
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
                radiance: scattered(far, record, -vertex.n, context),
                tags: self.tags_of(record),
            };
        }
        radiance
    }

    fn tags_of(&self, record: &Record) -> &[Rgb] {
        self.irradiance.as_ref().map_or(&[], |map| map.tagged(record))
    }

    /// Ratio of the radiance reflected by the diffuse lobes to the irradiance on the side `n` [1/sr], for the incident
    /// directions of the nearby photons; `None` without photons. Needed for lobes with a shading normal: irradiance
    /// refers to the geometric normal, so their ratio depends on the direction.
    fn reflected_ratio(
        &self,
        vertex: &Vertex<'_>,
        n: Vec3,
        max_segments: u32,
        context: &mut Context,
    ) -> Option<Rgb> {
        let (it, map) = (vertex.it, &self.global);
        let site = LookupPoint {
            p: it.p,
            n,
            both_sides: false,
            layer: vertex.layer,
            max_segments,
        };
        let mut incident = Rgb::BLACK;
        let reflected = |photon: &Photon, density: f32| {
            let (wi, power) = (photon.wi(), photon.power() * density);
            incident += power;
            let (f, _) = vertex.bsdf.eval_pdf_part(LobePart::Diffuse, it.wo, wi);
            f * power * (1.0 / wi.dot(it.ng).abs().max(MIN_COS))
        };
        let k = self.settings.k;
        let found = map.estimate(&site, k, map.radius(), 0.0, &mut context.nearest, reflected);
        let [reflected, incident] = [found.sum, incident].map(Rgb::to_array);
        // A colour channel without photons takes the ratio over all channels.
        let total: f32 = reflected.iter().sum::<f32>() / incident.iter().sum::<f32>();
        let share = |i: usize| match incident[i] > 0.0 {
            true => reflected[i] / incident[i],
            false => total,
        };
        total
            .is_finite()
            .then(|| Rgb::from([share(0), share(1), share(2)]))
    }

    /// Radiance reflected from the caustic map; `lobes` gets what each lobe has of it. `length` is the path length up to the vertex [m].
    ///
    /// Fractions of the path length and of the shape's size bound the radius, to limit blur. If too few photons lie
    /// within it although a caustic might be visible, the lookup gives up: the path's continuation finds the caustics,
    /// as in `path`, and the map adds only photons that no camera path can find. An empty map is not searched.
    pub(super) fn caustics(
        &self,
        scene: &Scene,
        length: f32,
        vertex: &mut Vertex<'_>,
        max_segments: u32,
        sampler: &mut Sampler,
        context: &mut Context,
        mut lobes: Option<&mut LobeShares>,
    ) -> Rgb {
        let (map, k) = (&self.caustic, self.settings.caustic_k);
        if map.is_empty() {
            vertex.caustics_covered = self.is_direct();
            return Rgb::BLACK;
        }
        let mut look = |vertex: &Vertex<'_>, radius: f32, counts: fn(&Photon) -> bool| {
            if let Some(lobes) = &mut lobes {
                lobes.clear();
            }
            self.map_radiance(
                scene,
                map,
                vertex,
                max_segments,
                k,
                radius,
                counts,
                sampler,
                context,
                lobes.as_deref_mut(),
            )
        };
        if self.is_direct() {
            return look(vertex, map.radius(), |_| true).sum;
        }
        let shape = self.shape_radii[vertex.it.shape.0 as usize];
        let radius = map.radius().min(LENGTH_SHARE * length).min(SHAPE_SHARE * shape);
        let found = look(vertex, radius, |_| true);
        let needed = map.count_in_slice(k);
        vertex.caustics_covered = found.count >= needed || {
            let seen = SEEN_SHARE * self.irradiance_near(vertex).luminance();
            // Over many samples a vertex uses all subsets of the map.
            map.expected(seen, radius) >= needed as f32
        };
        if vertex.caustics_covered {
            found.sum
        } else if map.has_hidden() {
            look(vertex, map.radius(), Photon::is_hidden).sum
        } else {
            Rgb::BLACK
        }
    }

    /// Irradiance near a vertex [W/m²]; black if there is no record.
    fn irradiance_near(&self, vertex: &Vertex<'_>) -> Rgb {
        let near = || {
            self.irradiance
                .as_ref()?
                .nearest(vertex.it.p, vertex.n, vertex.layer)
        };
        vertex
            .record
            .or_else(near)
            .map_or(Rgb::BLACK, |record| record.irradiance)
    }

    /// Radiance reflected from a map's photons by those lobes of the BSDF that no lookup has covered yet; what each has of
    /// it is added to `lobes`.
    ///
    /// One visibility test stands for all photons: it goes to a photon chosen in proportion to its contribution, so
    /// that occluded photons are excluded in expectation.
    pub(super) fn map_radiance(
        &self,
        scene: &Scene,
        map: &PhotonMap,
        vertex: &Vertex<'_>,
        max_segments: u32,
        count: u32,
        radius: f32,
        counts: impl Fn(&Photon) -> bool,
        sampler: &mut Sampler,
        context: &mut Context,
        mut lobes: Option<&mut LobeShares>,
    ) -> DensityEstimate {
        if map.is_empty() || !vertex.is_wide() {
            return DensityEstimate {
                sum: Rgb::BLACK,
                count: 0,
            };
        }
        let (it, bsdf) = (vertex.it, vertex.bsdf);
        let site = LookupPoint {
            p: it.p,
            n: vertex.n,
            both_sides: bsdf.has_transmission(),
            layer: vertex.layer,
            max_segments,
        };
        let u = sampler.next_1d();
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
            map.estimate(&site, count, radius, u, &mut context.nearest, response)
        };
        if let Some(p) = chosen.p {
            context.stats.shadow_rays += 1;
            if !sees(scene, &site, p - site.p, &mut context.shading) {
                found.sum = Rgb::BLACK;
            }
        }
        found
    }

    /// Value of the debugging view `show` at a vertex.
    pub(super) fn debug_value(
        &self,
        show: Show,
        scene: &Scene,
        vertex: &Vertex<'_>,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        let settings = &self.settings;
        let mut look = |map: &PhotonMap, k: u32| {
            self.map_radiance(
                scene,
                map,
                vertex,
                u32::MAX,
                k,
                map.radius(),
                |_| true,
                sampler,
                context,
                None,
            )
            .sum
        };
        match (show, &self.irradiance) {
            (Show::Global, _) => look(&self.global, settings.k),
            (Show::Caustic, _) => look(&self.caustic, settings.caustic_k),
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
        Reservoir {
            p: None,
            total: 0.0,
            u,
        }
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
