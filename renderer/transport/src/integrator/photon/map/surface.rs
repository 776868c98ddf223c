//! Photon maps and density estimation: k nearest photons on the same surface, weighted by Simpson's (biweight) kernel.

use glam::Vec3;

use super::layer::Layer;
use super::photon::OctVector;
use crate::integrator::photon::Photon;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, KdTree, Located};
use renderer_geometry::SHUTTER_OPEN;
use renderer_scene::MAX_NEAREST;

/// A photon map: photons in kd-trees, with the factor that converts stored power to watts.
#[derive(Debug)]
pub struct PhotonMap {
    /// Subsets of the map, each with every n-th photon. A lookup searches one random subset, which is cheaper; over
    /// many samples all photons are used.
    slices: Vec<KdTree<Photon>>,
    /// Watts per unit of stored power, divided by the number of photons shot [W].
    pub(crate) scale: f32,
    /// Maximum search radius of lookups [m].
    pub(crate) radius: f32,
    /// Mean luminance of the photons' power [W].
    mean_power: f32,
    has_hidden: bool,
}

/// Result of a density estimate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DensityEstimate {
    /// Sum of the photons' contributions.
    pub(crate) sum: Rgb,
    /// Number of photons found.
    pub(crate) count: usize,
}

/// Max-heap of the nearest photons found so far, farthest on top. Each thread owns one, so that lookups do not
/// allocate.
#[derive(Clone, Debug, Default)]
pub struct Nearest {
    found: Vec<(f32, u32)>,
    count: usize,
}

/// A lookup point on a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookupPoint {
    pub(crate) p: Vec3,
    /// Unit geometric normal on the looked-up side.
    pub(crate) n: Vec3,
    /// True if photons on the other side count too.
    pub(crate) both_sides: bool,
    /// Layer of the surface; photons in others are ignored.
    pub(crate) layer: Layer,
    /// Maximum number of path segments of a photon; photons with more are ignored.
    pub(crate) max_segments: u32,
    /// Time of visibility rays.
    pub(crate) time: f32,
}

/// Minimum cosine between the normals of two points of the same surface.
const MIN_NORMAL_COS: f32 = 0.8;

/// Maximum sine of the elevation above the tangent plane for a point of the same surface.
pub(crate) const MAX_ELEVATION_SIN: f32 = 0.3;

/// Squared height tolerance for the rounding of coordinates near `p` [m²]: far from the origin, photons on a plane are
/// not exactly in it.
#[inline]
pub(crate) fn rounding(p: Vec3) -> f32 {
    /// Tolerance in units of the last place of the largest coordinate.
    const STEPS: f32 = 4.0;
    let height = STEPS * f32::EPSILON * p.abs().max_element();
    (height * height).max(1e-12)
}

/// Returns whether a point at `offset` with the normal `other` is on the same surface as a point with the normal `n`.
/// Rejects the far side of a thin wall, the adjoining wall of a corner and objects above the surface, up to the
/// tolerance of [`rounding`].
#[inline]
pub(crate) fn same_surface(offset: Vec3, n: Vec3, other: OctVector, both_sides: bool, rounding: f32) -> bool {
    let height = offset.dot(n);
    // The cheaper test comes first.
    height * height <= MAX_ELEVATION_SIN * MAX_ELEVATION_SIN * offset.length_squared() + rounding && {
        let other = other.direction();
        let along = n.dot(other);
        let along = if both_sides { along.abs() } else { along };
        along > 0.0 && along * along > MIN_NORMAL_COS * MIN_NORMAL_COS * other.length_squared()
    }
}

impl Nearest {
    /// Creates an empty heap with capacity for the largest lookup.
    pub fn new() -> Nearest {
        Nearest { found: Vec::with_capacity(MAX_NEAREST), count: 0 }
    }

    /// Finds the `count` nearest photons of a lookup point within `radius`, or all if there are fewer; returns the
    /// squared radius of the ball that contains them.
    #[inline]
    fn find(&mut self, tree: &KdTree<Photon>, site: &LookupPoint, count: usize, radius: f32) -> f32 {
        let rounding = rounding(site.p);
        let counts = |photon: &Photon| site.counts(photon, rounding);
        self.find_where(tree, site.p, count, radius, counts)
    }

    /// Finds the `count` nearest photons around `p` that satisfy the predicate `counts`; returns the squared radius.
    #[inline]
    pub(crate) fn find_where(
        &mut self,
        tree: &KdTree<Photon>,
        p: Vec3,
        count: usize,
        radius: f32,
        counts: impl Fn(&Photon) -> bool,
    ) -> f32 {
        self.found.clear();
        self.count = count.clamp(1, MAX_NEAREST);
        let mut r2 = radius * radius;
        tree.search(p, r2, |index, photon, d2| {
            if counts(photon) {
                r2 = self.add(d2, index as u32, r2);
            }
            r2
        });
        r2
    }

    /// Photons of the last search, as pairs of squared distance and index.
    pub(crate) fn found(&self) -> &[(f32, u32)] {
        &self.found
    }

    /// Returns the radius that contains the nearest `count` photons of the last search; `None` if fewer were found.
    pub(crate) fn radius_of(&mut self, count: usize) -> Option<f32> {
        if count >= self.found.len() {
            return None;
        }
        let (_, (d2, _), _) = self
            .found
            .select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Some(d2.sqrt())
    }

    /// Returns whether the requested number of photons has been found.
    fn is_full(&self) -> bool {
        self.found.len() == self.count
    }

    /// Inserts a photon; returns the new squared search radius.
    #[inline]
    fn add(&mut self, d2: f32, index: u32, r2: f32) -> f32 {
        if self.found.len() < self.count {
            self.found.push((d2, index));
            self.sift_up();
            return if self.is_full() { self.found[0].0 } else { r2 };
        }
        self.found[0] = (d2, index);
        self.sift_down();
        self.found[0].0
    }

    fn sift_up(&mut self) {
        let mut at = self.found.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.found[parent].0 >= self.found[at].0 {
                break;
            }
            self.found.swap(parent, at);
            at = parent;
        }
    }

    fn sift_down(&mut self) {
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= self.found.len() {
                break;
            }
            if child + 1 < self.found.len() && self.found[child + 1].0 > self.found[child].0 {
                child += 1;
            }
            if self.found[at].0 >= self.found[child].0 {
                break;
            }
            self.found.swap(at, child);
            at = child;
        }
    }
}

impl PhotonMap {
    /// Builds a map from the stored photons of `shot` emitted ones, with power in units of `unit` watts, divided into
    /// `slices` subsets.
    pub(crate) fn new(photons: Vec<Photon>, slices: usize, shot: f64, unit: f32) -> PhotonMap {
        let slice = |first: usize| photons.iter().skip(first).step_by(slices).copied().collect();
        let scale = if shot > 0.0 { (f64::from(unit) / shot) as f32 } else { 0.0 };
        let total: f64 = photons.iter().map(|p| f64::from(p.power().luminance())).sum();
        // An emitted photon carries one unit of power; this is also the value for an empty map.
        let mean = if photons.is_empty() {
            1.0
        } else {
            (total / photons.len() as f64) as f32
        };
        PhotonMap {
            mean_power: mean * scale,
            has_hidden: photons.iter().any(Photon::is_hidden),
            slices: match slices {
                1 => vec![KdTree::new(photons)],
                _ => (0..slices).map(|first| KdTree::new(slice(first))).collect(),
            },
            scale,
            radius: 0.0,
        }
    }

    /// Iterates over the photons in the order of the trees.
    pub fn photons(&self) -> impl Iterator<Item = &Photon> {
        self.slices.iter().flat_map(KdTree::items)
    }

    /// Number of photons.
    pub fn len(&self) -> usize {
        self.slices.iter().map(|slice| slice.items().len()).sum()
    }

    /// Returns whether the map holds no photons.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of levels of the deepest tree.
    pub fn depth(&self) -> u32 {
        self.slices.iter().map(KdTree::depth).max().unwrap_or(0)
    }

    /// Memory in use [bytes].
    pub fn memory(&self) -> usize {
        self.slices.iter().map(KdTree::memory).sum()
    }

    /// Maximum search radius of lookups [m].
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// Power of a photon [W].
    pub fn power(&self, photon: &Photon) -> Rgb {
        photon.power() * self.scale
    }

    /// Returns the subset selected by the random number `u`.
    #[inline]
    fn slice(&self, u: f32) -> &KdTree<Photon> {
        let index = (u * self.slices.len() as f32) as usize;
        &self.slices[index.min(self.slices.len() - 1)]
    }

    /// Returns the remainder of `u` after the selection of a subset, uniform in `[0,1)` and independent of the
    /// selection.
    pub(crate) fn rescaled(&self, u: f32) -> f32 {
        (u * self.slices.len() as f32).fract()
    }

    /// Number of photons to find in one subset for a lookup of `count` photons in the whole map.
    pub(crate) fn count_in_slice(&self, count: u32) -> usize {
        (count as usize / self.slices.len()).max(2)
    }

    /// Expected number of photons within a disk of that radius [m] under `irradiance` [W/m²].
    pub(crate) fn expected(&self, irradiance: f32, radius: f32) -> f32 {
        irradiance * std::f32::consts::PI * radius * radius / self.mean_power
    }

    /// Returns whether the map holds photons whose light no camera path can find (delta lobes from delta lights).
    pub(crate) fn has_hidden(&self) -> bool {
        self.has_hidden
    }

    /// Density estimate: the sum of `response(photon, density)` over the `count` nearest photons within `radius`, where
    /// density is that of the kernel [1/m²]. `u` selects a subset, in which a proportional share of `count` is
    /// searched.
    #[inline]
    pub(crate) fn estimate(
        &self,
        site: &LookupPoint,
        count: u32,
        radius: f32,
        u: f32,
        nearest: &mut Nearest,
        mut response: impl FnMut(&Photon, f32) -> Rgb,
    ) -> DensityEstimate {
        let slice = self.slice(u);
        let r2 = nearest.find(slice, site, self.count_in_slice(count), radius);
        let mut sum = Rgb::BLACK;
        for &(d2, index) in &nearest.found {
            let photon = &slice.items()[index as usize];
            sum += response(photon, kernel(d2, r2) * self.scale * self.slices.len() as f32);
        }
        DensityEstimate { sum, count: nearest.found.len() }
    }

    /// Finds the `count` nearest photons of a lookup point; returns the radius that contains them. The search begins
    /// within about `guess` and doubles the radius until it has enough.
    pub(crate) fn search(&self, site: &LookupPoint, count: usize, guess: f32, nearest: &mut Nearest) -> f32 {
        /// Margin for the guess of a neighbouring lookup point.
        const MARGIN: f32 = 1.2;
        /// Minimum search radius as a share of the maximum; all photons may coincide in one point.
        const MIN_SHARE: f32 = 1e-3;
        let mut radius = (MARGIN * guess).max(MIN_SHARE * self.radius);
        loop {
            let r2 = nearest.find(&self.slices[0], site, count, radius.min(self.radius));
            if nearest.is_full() || radius >= self.radius {
                return r2.sqrt();
            }
            radius *= 2.0;
        }
    }

    /// Density estimate over the photons of the last search within `radius`.
    pub(crate) fn estimate_found(
        &self,
        nearest: &Nearest,
        radius: f32,
        mut response: impl FnMut(&Photon, f32) -> Rgb,
    ) -> Rgb {
        let items = self.slices[0].items();
        let found = nearest.found.iter();
        found
            .map(|&(d2, index)| response(&items[index as usize], kernel(d2, radius * radius) * self.scale))
            .sum()
    }

    /// Density estimate over all photons within `radius`, without a limit on their number.
    #[inline]
    pub(crate) fn estimate_within(
        &self,
        site: &LookupPoint,
        radius: f32,
        u: f32,
        mut response: impl FnMut(&Photon, f32) -> Rgb,
    ) -> DensityEstimate {
        let (r2, rounding) = (radius * radius, rounding(site.p));
        let (mut sum, mut count) = (Rgb::BLACK, 0);
        self.slice(u).search(site.p, r2, |_, photon, d2| {
            if site.counts(photon, rounding) {
                count += 1;
                sum += response(photon, kernel(d2, r2) * self.scale * self.slices.len() as f32);
            }
            r2
        });
        DensityEstimate { sum, count }
    }

    /// Upper quartile of the distance to the `count`-th nearest photon, over a sample of the photons; at most `max`
    /// [m].
    pub(crate) fn typical_radius(&self, count: usize, max: f32) -> f32 {
        const SAMPLES: usize = 512;
        let slice = &self.slices[0];
        let photons = slice.items();
        let count = (count / self.slices.len()).max(2);
        let mut nearest = Nearest::new();
        let mut distances: Vec<f32> = photons
            .iter()
            .step_by((photons.len() / SAMPLES).max(1))
            .map(|photon| {
                nearest
                    .find(slice, &LookupPoint::of(photon, u32::MAX, SHUTTER_OPEN), count, max)
                    .sqrt()
            })
            .collect();
        distances.sort_unstable_by(f32::total_cmp);
        distances.get(distances.len() * 3 / 4).copied().unwrap_or(0.0)
    }
}

impl LookupPoint {
    /// Lookup point at a photon's position, on its side.
    pub(crate) fn of(photon: &Photon, max_segments: u32, time: f32) -> LookupPoint {
        LookupPoint {
            p: photon.p(),
            n: photon.n(),
            both_sides: false,
            layer: photon.layer(),
            max_segments,
            time,
        }
    }

    #[inline]
    fn counts(&self, photon: &Photon, rounding: f32) -> bool {
        photon.segments() <= self.max_segments
            && photon.layer() == self.layer
            && same_surface(photon.p() - self.p, self.n, photon.packed_n(), self.both_sides, rounding)
    }
}

/// Simpson's (biweight) kernel, normalised over a disk [1/m²].
#[inline]
fn kernel(d2: f32, r2: f32) -> f32 {
    let falling = (1.0 - d2 / r2).max(0.0);
    3.0 * INV_PI / r2 * falling * falling
}
