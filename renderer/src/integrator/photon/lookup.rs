//! What photon maps say of the light that leaves a vertex.

use glam::Vec3;

use super::density::{PhotonMap, Site};
use super::irradiance::Record;
use super::vertex::Vertex;
use super::{Photon, Photons, Show};
use crate::bsdf::Part;
use crate::color::Rgb;
use crate::integrator::Context;
use crate::math::INV_PI;
use crate::sampler::Sampler;

impl Photons {
    /// What leaves by the diffuse part of a vertex that a gather ray has found.
    pub(super) fn gathered(
        &self,
        depth: u32,
        vertex: &Vertex<'_>,
        record: &Record,
        context: &mut Context,
    ) -> Rgb {
        let left = self.max_depth() - depth;
        let of = |record: &Record, n: Vec3, context: &mut Context| {
            // Records are made for vertices of depth two.
            if self.settings.depth.is_none() || depth == 2 {
                return record.irradiance;
            }
            let site = Site {
                p: vertex.it.p,
                n,
                both_sides: false,
                max_segments: left,
            };
            let count = self.settings.k as usize;
            let irradiance =
                self.global
                    .estimate(&site, count, 0.0, &mut context.nearest, |photon, density| {
                        photon.power() * density
                    });
            irradiance * (1.0 / record.covered)
        };
        let (near, far) = vertex.bsdf.diffuse_albedo(vertex.it.wo);
        let mut radiance = near * of(record, vertex.n, context);
        if !far.is_black()
            && let Some(record) = self
                .irradiance
                .as_ref()
                .and_then(|map| map.nearest(vertex.it.p, -vertex.n))
        {
            radiance += far * of(record, -vertex.n, context);
        }
        radiance * INV_PI
    }

    /// What leaves of the light that a map's photons bring, by the parts of a vertex for which no lookup has answered.
    pub(super) fn mapped(
        &self,
        map: &PhotonMap,
        vertex: &Vertex<'_>,
        max_segments: u32,
        count: u32,
        counts: impl Fn(&Photon) -> bool,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        if map.is_empty() || !vertex.is_wide() {
            return Rgb::BLACK;
        }
        let (it, bsdf) = (vertex.it, vertex.bsdf);
        let site = Site {
            p: it.p,
            n: vertex.n,
            both_sides: bsdf.has_transmission(),
            max_segments,
        };
        let response = |photon: &Photon, density: f32| {
            if !counts(photon) {
                return Rgb::BLACK;
            }
            let wi = photon.wi();
            let mut f = Rgb::BLACK;
            if !vertex.answered && bsdf.has(Part::Diffuse) {
                f += bsdf.eval_pdf_part(Part::Diffuse, it.wo, wi).0;
            }
            if bsdf.has(Part::Rough) {
                f += bsdf.eval_pdf_part(Part::Rough, it.wo, wi).0;
            }
            // Photons are counted by area of the surface, not of the shading normal's.
            f * photon.power() * (density / wi.dot(it.ng).abs().max(1e-3))
        };
        let u = if map.is_sliced() { sampler.next_1d() } else { 0.0 };
        if self.settings.progressive {
            map.estimate_within(&site, u, response)
        } else {
            map.estimate(&site, count as usize, u, &mut context.nearest, response)
        }
    }

    /// What is asked to be shown at a vertex.
    pub(super) fn shown(
        &self,
        show: Show,
        vertex: &Vertex<'_>,
        sampler: &mut Sampler,
        context: &mut Context,
    ) -> Rgb {
        let settings = &self.settings;
        match (show, &self.irradiance) {
            (Show::Global, _) => self.mapped(
                &self.global,
                vertex,
                u32::MAX,
                settings.k,
                |_| true,
                sampler,
                context,
            ),
            (Show::Caustic, _) => self.mapped(
                &self.caustic,
                vertex,
                u32::MAX,
                settings.caustic_k,
                |_| true,
                sampler,
                context,
            ),
            (Show::Irradiance, Some(map)) => map
                .nearest(vertex.it.p, vertex.n)
                .map_or(Rgb::BLACK, |record| record.irradiance * INV_PI),
            (Show::Irradiance, None) => Rgb::BLACK,
        }
    }
}
