//! Photon map lookups at a vertex: radiance reflected from the irradiance cache, the caustic map and the global map.

use glam::Vec3;

use super::density::{DensityEstimate, LookupPoint, PhotonMap};
use super::irradiance::{Record, sees};
use super::vertex::Vertex;
use super::{Photon, Photons, Show};
use crate::bsdf::LobePart;
use crate::integrator::context::Context;
use crate::scene::Scene;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, Located};
use renderer_base::sampler::Sampler;

/// Maximum radius of a caustic lookup, as a share of the distance to the vertex: the width of some pixels.
const LENGTH_SHARE: f32 = 0.02;

/// The same as a share of the shape's radius, since there are no photons beyond its edges.
const SHAPE_SHARE: f32 = 0.15;

/// Lower bound of a photon's incident cosine.
const LEAST_COS: f32 = 1e-3;

/// Caustics of less than this share of the surrounding irradiance are taken to be invisible.
const SEEN_SHARE: f32 = 0.1;

impl Photons {
    /// Radiance reflected by the diffuse part of a vertex at the end of a gather ray.
    pub(super) fn gathered(
        &self,
        depth: u32,
        vertex: &Vertex<'_>,
        record: &Record,
        context: &mut Context,
    ) -> Rgb {
        let left = self.max_depth() - depth;
        let of = |record: &Record, n: Vec3, context: &mut Context| {
            if self.settings.depth.is_none() || depth == self.gather_depth {
                return record.irradiance;
            }
            let site = LookupPoint {
                p: vertex.it.p,
                n,
                both_sides: false,
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
        let is_bent = vertex.bsdf.is_bent(LobePart::Diffuse);
        let scattered = |albedo: Rgb, record: &Record, n: Vec3, context: &mut Context| {
            let share = match is_bent {
                true => self.scattered_share(vertex, n, left, context),
                false => None,
            };
            share.unwrap_or(albedo) * of(record, n, context)
        };
        let mut radiance = scattered(near, record, vertex.n, context);
        if !far.is_black()
            && let Some(record) = self
                .irradiance
                .as_ref()
                .and_then(|map| map.nearest(vertex.it.p, -vertex.n))
        {
            radiance += scattered(far, record, -vertex.n, context);
        }
        radiance
    }

    /// The radiance that leaves by the diffuse part over the irradiance on the side `n` [1/sr], by the directions of the
    /// photons near by; `None` where there are none. Irradiance is about the geometric normal, and lobes about another
    /// one see more of it from one direction than from the next.
    fn scattered_share(
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
            max_segments,
        };
        let mut arrived = Rgb::BLACK;
        let leaves = |photon: &Photon, density: f32| {
            let (wi, power) = (photon.wi(), photon.power() * density);
            arrived += power;
            let (f, _) = vertex.bsdf.eval_pdf_part(LobePart::Diffuse, it.wo, wi);
            f * power * (1.0 / wi.dot(it.ng).abs().max(LEAST_COS))
        };
        let k = self.settings.k;
        let found = map.estimate(&site, k, map.radius(), 0.0, &mut context.nearest, leaves);
        let [leaves, arrived] = [found.sum, arrived].map(Rgb::to_array);
        // A colour channel without photons takes the share of another channel.
        let total: f32 = leaves.iter().sum::<f32>() / arrived.iter().sum::<f32>();
        let share = |i: usize| match arrived[i] > 0.0 {
            true => leaves[i] / arrived[i],
            false => total,
        };
        total
            .is_finite()
            .then(|| Rgb::from([share(0), share(1), share(2)]))
    }

    /// Radiance reflected from the caustic map. `length` is the distance to the vertex along the path [m].
    ///
    /// The radius is bounded by shares of that distance and of the shape's size, to limit blur. Where too few photons
    /// lie within it although a caustic might be visible, the lookup gives up: the path's continuation finds the
    /// caustics, as in `path`, and the map adds only photons that no camera path can find. An empty map is not
    /// searched.
    pub(super) fn caustics(
        &self,
        scene: &Scene,
        length: f32,
        vertex: &mut Vertex<'_>,
        max_segments: u32,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        let (map, k) = (&self.caustic, self.settings.caustic_k);
        if map.is_empty() {
            vertex.knows_caustics = self.is_direct();
            return Rgb::BLACK;
        }
        let mut look = |vertex: &Vertex<'_>, radius: f32, counts: fn(&Photon) -> bool| {
            self.mapped(
                scene,
                map,
                vertex,
                max_segments,
                k,
                radius,
                counts,
                sampler,
                context,
            )
        };
        if self.is_direct() {
            return look(vertex, map.radius(), |_| true).sum;
        }
        let shape = self.shape_radii[vertex.it.shape.0 as usize];
        let radius = map.radius().min(LENGTH_SHARE * length).min(SHAPE_SHARE * shape);
        let found = look(vertex, radius, |_| true);
        let needed = map.count_in_slice(k);
        vertex.knows_caustics = found.count >= needed || {
            let seen = SEEN_SHARE * self.irradiance_near(vertex).luminance();
            // Over many samples a vertex uses all slices.
            map.expected(seen, radius) >= needed as f32
        };
        if vertex.knows_caustics {
            found.sum
        } else if map.has_hidden() {
            look(vertex, map.radius(), Photon::is_hidden).sum
        } else {
            Rgb::BLACK
        }
    }

    /// Irradiance near a vertex; black where nothing is known.
    fn irradiance_near(&self, vertex: &Vertex<'_>) -> Rgb {
        let near = || self.irradiance.as_ref()?.nearest(vertex.it.p, vertex.n);
        vertex
            .record
            .or_else(near)
            .map_or(Rgb::BLACK, |record| record.irradiance)
    }

    /// Radiance reflected from a map's photons, by those parts of the BSDF that no lookup has covered yet.
    ///
    /// One of the photons, chosen by its light, tells for all whether a wall is in between: in the mean those behind it
    /// do not count.
    pub(super) fn mapped(
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
            max_segments,
        };
        let u = sampler.next_1d();
        let mut chosen = Chosen::new(map.rest_of(u));
        let response = |photon: &Photon, density: f32| {
            if !counts(photon) || density == 0.0 {
                return Rgb::BLACK;
            }
            let wi = photon.wi();
            let mut f = Rgb::BLACK;
            if !vertex.answered && bsdf.has(LobePart::Diffuse) {
                f += bsdf.eval_pdf_part(LobePart::Diffuse, it.wo, wi).0;
            }
            if bsdf.has(LobePart::Rough) {
                f += bsdf.eval_pdf_part(LobePart::Rough, it.wo, wi).0;
            }
            // Density is per area of the geometric surface, not of that of the shading normal.
            let reflected = f * photon.power() * (density / wi.dot(it.ng).abs().max(LEAST_COS));
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
            if !sees(scene, &site, p - site.p) {
                found.sum = Rgb::BLACK;
            }
        }
        found
    }

    /// Value of the debugging view `show` at a vertex.
    pub(super) fn shown(
        &self,
        show: Show,
        scene: &Scene,
        vertex: &Vertex<'_>,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        let settings = &self.settings;
        let mut look = |map: &PhotonMap, k: u32| {
            self.mapped(
                scene,
                map,
                vertex,
                u32::MAX,
                k,
                map.radius(),
                |_| true,
                sampler,
                context,
            )
            .sum
        };
        match (show, &self.irradiance) {
            (Show::Global, _) => look(&self.global, settings.k),
            (Show::Caustic, _) => look(&self.caustic, settings.caustic_k),
            (Show::Irradiance, Some(map)) => map
                .nearest(vertex.it.p, vertex.n)
                .map_or(Rgb::BLACK, |record| record.irradiance * INV_PI),
            (Show::Irradiance, None) => Rgb::BLACK,
        }
    }
}

/// One of several photons, chosen in proportion to a weight.
// Chao 1982, "A General Purpose Unequal Probability Sampling Plan".
struct Chosen {
    p: Option<Vec3>,
    total: f32,
    /// A random number that is used again and again.
    u: f32,
}

impl Chosen {
    fn new(u: f32) -> Chosen {
        Chosen {
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
