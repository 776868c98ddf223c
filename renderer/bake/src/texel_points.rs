//! Surface points of texels: selection of usable points, and their interactions.

use rustc_hash::FxHashSet;

use super::bake_cache::{Point, Points};
use super::denoise::TexelPoint;
use super::feature_map::FeaturePoint;
use super::points::{PointVisibility, Solids, mutually_visible, point_visibility};
use super::raster::{Sample, Texel, Texels};
use super::receiver::{GatherPoint, Receiver, point};
use super::tangent_frame::TangentSpace;
use super::translucent::GatherPoints;
use super::unwrap::Flat;
use super::work::Workers;
use renderer_geometry::{Shape, ShapeId, SurfacePoint};
use renderer_transport::integrator::Context;

/// The points of texels.
#[derive(Clone, Copy)]
pub(super) struct Surfaces<'a> {
    pub(super) workers: &'a Workers<'a>,
    /// The shapes of the receivers.
    pub(super) shapes: &'a [Shape],
    pub(super) receivers: &'a [Receiver],
    pub(super) flats: &'a [Flat],
    pub(super) backs: &'a [ShapeId],
    pub(super) texels: &'a Texels,
    /// Width of a texel [m].
    pub(super) texel: f32,
}

/// Minimum cosine between the shading normals of a texel's points: estimates over more different hemispheres are not
/// averaged.
const MIN_NORMAL_COSINE: f32 = 0.995;

/// Texels along each side of a block of the bake cache.
const BLOCK: u32 = 4;

/// Bit mask of a texel's usable points.
pub(super) type Mask = u16;

/// Usable points of a texel.
pub(super) fn seen(sites: impl Iterator<Item = GatherPoint>, mask: Mask) -> Vec<GatherPoint> {
    sites
        .enumerate()
        .filter(|(bit, _)| mask >> bit & 1 == 1)
        .map(|(_, site)| site)
        .collect()
}

impl Surfaces<'_> {
    pub(super) fn sites<'a>(&'a self, texel: &'a Texel) -> impl Iterator<Item = GatherPoint> + 'a {
        let receiver = &self.receivers[texel.object as usize];
        let shape = &self.shapes[receiver.shape.0 as usize];
        let mesh = &self.flats[texel.object as usize].mesh;
        let samples = self.texels.samples_of(texel).iter();
        samples.map(move |sample| {
            let point = point(shape, mesh, sample.triangle, sample.barycentric);
            GatherPoint::of(point, receiver.shape, receiver.side)
        })
    }

    /// Points of a texel, seen from above; points of `mask` are open. `tangents` are by receiver.
    pub(super) fn points(&self, texel: &Texel, mask: Mask, tangents: &[TangentSpace]) -> Vec<FeaturePoint> {
        let receiver = &self.receivers[texel.object as usize];
        let tangents = &tangents[texel.object as usize];
        let samples = self.texels.samples_of(texel).iter().enumerate();
        let point = |(bit, sample): (usize, &Sample)| {
            let point = self.point(texel, sample);
            let site = GatherPoint::of(point, receiver.shape, receiver.side);
            FeaturePoint {
                it: point.seen_from(site.ng, receiver.shape, sample.triangle),
                frame: tangents.at(sample.triangle, sample.barycentric, site.n),
                height: 0.0,
                is_open: mask >> bit & 1 == 1,
            }
        };
        samples.map(point).collect()
    }

    pub(super) fn point(&self, texel: &Texel, sample: &Sample) -> SurfacePoint {
        let receiver = &self.receivers[texel.object as usize];
        let shape = &self.shapes[receiver.shape.0 as usize];
        let mesh = &self.flats[texel.object as usize].mesh;
        point(shape, mesh, sample.triangle, sample.barycentric)
    }

    /// Visible points of a texel with the diffuse transmission of its material; `None` without visible points.
    pub(super) fn lit(&self, texel: &Texel, mask: Mask, context: &mut Context) -> Option<GatherPoints> {
        let points = seen(self.sites(texel), mask);
        let sample = self.texels.samples_of(texel).get(mask.trailing_zeros() as usize)?;
        let receiver = &self.receivers[texel.object as usize];
        let it = self
            .point(texel, sample)
            .seen_from(points.first()?.ng, receiver.shape, sample.triangle);
        Some(GatherPoints::new(self.workers.scene, points, &it, context))
    }

    /// Usable points of each texel: visible, visible from the first of them, and with a similar normal.
    pub(super) fn visible(&self) -> Vec<Mask> {
        let scene = self.workers.scene;
        let solids = Solids::find(scene, self.backs, &mut Context::new(scene));
        let visibilities: Vec<Vec<PointVisibility>> =
            self.workers.map(self.texels.list.len(), |index, sampler, _| {
                let texel = &self.texels.list[index];
                let probe = |(bit, site): (usize, GatherPoint)| {
                    point_visibility(
                        self.workers.scene,
                        &solids,
                        &site,
                        self.texel,
                        texel.at,
                        bit as u64,
                        sampler,
                    )
                };
                self.sites(texel).enumerate().map(probe).collect()
            });
        // Furniture in a room modelled as a box.
        let mut counts = vec![(0usize, 0usize); self.receivers.len()];
        for (texel, visibilities) in self.texels.list.iter().zip(&visibilities) {
            let (inside, all) = &mut counts[texel.object as usize];
            *inside += visibilities.iter().filter(|&&s| s == PointVisibility::Inside).count();
            *all += visibilities.len();
        }
        let furniture: Vec<bool> = counts.iter().map(|&(inside, all)| inside * 10 > all * 9).collect();
        let is_open = |texel: &Texel, visibility: PointVisibility| match visibility {
            PointVisibility::Visible => true,
            PointVisibility::Inside => furniture[texel.object as usize],
            PointVisibility::Covered => false,
        };
        // A completely covered chart (a leaf among leaves) has no other texels to get light from.
        let chart = |texel: &Texel| self.texels.charts[self.texels.index(texel.at)];
        let open_charts: FxHashSet<u32> = (self.texels.list.iter().zip(&visibilities))
            .filter(|(texel, visibilities)| visibilities.iter().any(|&visibility| is_open(texel, visibility)))
            .map(|(texel, _)| chart(texel))
            .collect();
        self.workers.map(self.texels.list.len(), |index, _, context| {
            let texel = &self.texels.list[index];
            let alone = !open_charts.contains(&chart(texel));
            let open = |visibility: &PointVisibility| {
                is_open(texel, *visibility) || alone && *visibility == PointVisibility::Covered
            };
            let sites: Vec<GatherPoint> = self.sites(texel).collect();
            let Some(first) = visibilities[index].iter().position(open) else {
                return 0;
            };
            let mut mask: Mask = 0;
            for (bit, (site, visibility)) in sites.iter().zip(&visibilities[index]).enumerate() {
                let alike = || sites[first].n.dot(site.n) > MIN_NORMAL_COSINE;
                let counts = open(visibility)
                    && (bit == first
                        || alike() && mutually_visible(self.workers.scene, &sites[first], site, context));
                mask |= Mask::from(counts) << bit;
            }
            mask
        })
    }

    /// First visible point, or else first point, of each texel of the atlas; zeros without points.
    pub(super) fn places(&self, visible: &[Mask]) -> Vec<TexelPoint> {
        let mut places = vec![TexelPoint::default(); self.texels.charts.len()];
        for (texel, &mask) in self.texels.list.iter().zip(visible) {
            let mask = if mask == 0 { Mask::MAX } else { mask };
            if let Some(site) = seen(self.sites(texel), mask).first() {
                places[self.texels.index(texel.at)] = TexelPoint { p: site.p, n: site.n };
            }
        }
        places
    }

    /// The texels as gather points; `places` are those of [`Surfaces::places`].
    pub(super) fn gathered(&self, places: &[TexelPoint]) -> Points<'_> {
        let point = |texel: &Texel| Point {
            object: texel.object,
            block: texel.at / BLOCK,
            key: texel.at,
            p: places[self.texels.index(texel.at)].p,
        };
        Points {
            names: self.receivers.iter().map(|receiver| receiver.name.as_str()).collect(),
            list: self.texels.list.iter().map(point).collect(),
            near: 0.1 * self.texel,
        }
    }
}
