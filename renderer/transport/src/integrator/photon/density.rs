//! Photon maps and density estimation: k nearest photons on the same surface, weighted by Simpson's (biweight) kernel.

use glam::Vec3;

use super::Photon;
use super::particle::Packed;
use renderer_base::color::Rgb;
use renderer_base::math::{INV_PI, KdTree, Located};
use renderer_scene::MAX_NEAREST;

/// A photon map: photons in kd-trees, with the factor that turns their stored power into watts.
#[derive(Debug)]
pub struct PhotonMap {
    /// Slices of the map, each with every n-th photon: a lookup searches one slice at random, which is cheaper and uses
    /// all photons over many samples.
    slices: Vec<KdTree<Photon>>,
    /// Power of a photon's unit, divided by what was shot [W].
    pub(super) scale: f32,
    /// Maximum search radius of lookups [m].
    pub(super) radius: f32,
    /// Mean luminance of a photon's power [W].
    mean_power: f32,
    has_hidden: bool,
}

/// Result of a density estimate.
#[derive(Clone, Copy, Debug)]
pub(super) struct DensityEstimate {
    /// Sum of the photons' contributions.
    pub(super) sum: Rgb,
    /// How many there are.
    pub(super) count: usize,
}

/// The nearest photons found so far: a heap with the farthest on top. Each thread has one, so that no lookup allocates.
#[derive(Clone, Debug, Default)]
pub struct Nearest {
    found: Vec<(f32, u32)>,
    count: usize,
}

/// A lookup point on a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct LookupPoint {
    pub(super) p: Vec3,
    /// Unit geometric normal, on the side that counts.
    pub(super) n: Vec3,
    /// Whether photons of the other side count too.
    pub(super) both_sides: bool,
    /// Photons with more path segments than this are ignored.
    pub(super) max_segments: u32,
}

/// Cosine between normals up to which two points are of one surface.
const SAME_NORMAL: f32 = 0.8;

/// Sine of the angle over a surface's tangent plane up to which a point is of the same surface.
pub(super) const SAME_PLANE: f32 = 0.3;

/// Square of the height to which the coordinates of points near `p` are rounded [m²]: far from the origin photons of a
/// plane are not in it.
#[inline]
pub(super) fn rounding(p: Vec3) -> f32 {
    /// Steps of the largest coordinate that two points are rounded by.
    const STEPS: f32 = 4.0;
    let height = STEPS * f32::EPSILON * p.abs().max_element();
    (height * height).max(1e-12)
}

/// Whether a point at `offset` with the normal `other` is on the same surface as one with the normal `n`. Rejects the
/// far side of a thin wall, the adjoining wall of a corner and objects above the surface, but for what is [`rounding`].
#[inline]
pub(super) fn same_surface(offset: Vec3, n: Vec3, other: Packed, both_sides: bool, rounding: f32) -> bool {
    let height = offset.dot(n);
    // The cheaper test first.
    height * height <= SAME_PLANE * SAME_PLANE * offset.length_squared() + rounding && {
        let other = other.direction();
        let along = n.dot(other);
        let along = if both_sides { along.abs() } else { along };
        along > 0.0 && along * along > SAME_NORMAL * SAME_NORMAL * other.length_squared()
    }
}

impl Nearest {
    /// An empty heap with capacity for the largest lookup.
    pub fn new() -> Nearest {
        Nearest {
            found: Vec::with_capacity(MAX_NEAREST),
            count: 0,
        }
    }

    /// Finds the `count` nearest photons of a site within `radius`, or all there are, and gives the squared radius that
    /// holds them.
    #[inline]
    fn find(&mut self, tree: &KdTree<Photon>, site: &LookupPoint, count: usize, radius: f32) -> f32 {
        let rounding = rounding(site.p);
        let counts = |photon: &Photon| site.counts(photon, rounding);
        self.find_those(tree, site.p, count, radius, counts)
    }

    /// The same of the photons about `p` that count.
    #[inline]
    pub(super) fn find_those(
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

    /// The photons found last, by squared distance and index.
    pub(super) fn found(&self) -> &[(f32, u32)] {
        &self.found
    }

    /// The radius that holds the nearest `count` of those found; `None` where they are fewer.
    pub(super) fn radius_of(&mut self, count: usize) -> Option<f32> {
        if count >= self.found.len() {
            return None;
        }
        let (_, (d2, _), _) = self
            .found
            .select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Some(d2.sqrt())
    }

    /// Whether it has found as many as were asked for.
    fn is_full(&self) -> bool {
        self.found.len() == self.count
    }

    /// Inserts a photon and returns the new squared search radius.
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
    /// A map of `photons` out of `shot`, in units of `unit` watts, in so many slices.
    pub(super) fn new(photons: Vec<Photon>, slices: usize, shot: f64, unit: f32) -> PhotonMap {
        let slice = |first: usize| photons.iter().skip(first).step_by(slices).copied().collect();
        let scale = if shot > 0.0 {
            (f64::from(unit) / shot) as f32
        } else {
            0.0
        };
        let total: f64 = photons.iter().map(|p| f64::from(p.power().luminance())).sum();
        // A photon leaves its light with one unit; this is also the value for an empty map.
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

    /// The photons, in the trees' order.
    pub fn photons(&self) -> impl Iterator<Item = &Photon> {
        self.slices.iter().flat_map(KdTree::items)
    }

    /// How many photons there are.
    pub fn len(&self) -> usize {
        self.slices.iter().map(|slice| slice.items().len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many levels the deepest tree has.
    pub fn depth(&self) -> u32 {
        self.slices.iter().map(KdTree::depth).max().unwrap_or(0)
    }

    /// Memory that it holds [bytes].
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

    /// The slice that `u` chooses.
    #[inline]
    fn slice(&self, u: f32) -> &KdTree<Photon> {
        let index = (u * self.slices.len() as f32) as usize;
        &self.slices[index.min(self.slices.len() - 1)]
    }

    /// What is left of the number that chooses a slice, in `[0,1)`; independent of the choice.
    pub(super) fn rest_of(&self, u: f32) -> f32 {
        (u * self.slices.len() as f32).fract()
    }

    /// The photons of a slice that a lookup of `count` in all slices takes.
    pub(super) fn count_in_slice(&self, count: u32) -> usize {
        (count as usize / self.slices.len()).max(2)
    }

    /// How many photons bring `irradiance` to a disk of that radius.
    pub(super) fn expected(&self, irradiance: f32, radius: f32) -> f32 {
        irradiance * std::f32::consts::PI * radius * radius / self.mean_power
    }

    /// Whether the map has photons whose light no camera path can find (delta lobes from delta lights).
    pub(super) fn has_hidden(&self) -> bool {
        self.has_hidden
    }

    /// The sum over the `count` nearest photons of a site, or all there are within `radius`, of what `response` makes of
    /// them, by the kernel's density [1/m²]. `u` chooses a slice, in which `count` is shared out.
    #[inline]
    pub(super) fn estimate(
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
        DensityEstimate {
            sum,
            count: nearest.found.len(),
        }
    }

    /// Finds the `count` nearest photons of a site, and gives the radius that holds them. It is looked for within about
    /// `guess` first.
    pub(super) fn reach_of(
        &self,
        site: &LookupPoint,
        count: usize,
        guess: f32,
        nearest: &mut Nearest,
    ) -> f32 {
        /// A site beside the one that a guess comes from may need somewhat more.
        const MARGIN: f32 = 1.2;
        /// Photons may all lie in one point: a share of the greatest radius that is looked through at least.
        const LEAST: f32 = 1e-3;
        let mut radius = (MARGIN * guess).max(LEAST * self.radius);
        loop {
            let r2 = nearest.find(&self.slices[0], site, count, radius.min(self.radius));
            if nearest.is_full() || radius >= self.radius {
                return r2.sqrt();
            }
            radius *= 2.0;
        }
    }

    /// The sum over the photons found last, within `radius`, of what `response` makes of them.
    pub(super) fn sum_found(
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

    /// The same over all photons within `radius`, however many.
    #[inline]
    pub(super) fn estimate_within(
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

    /// The upper quartile of the distance to the `count`-th nearest photon, over a sample of them, `most` at most.
    pub(super) fn typical_radius(&self, count: usize, most: f32) -> f32 {
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
                    .find(slice, &LookupPoint::of(photon, u32::MAX), count, most)
                    .sqrt()
            })
            .collect();
        distances.sort_unstable_by(f32::total_cmp);
        distances.get(distances.len() * 3 / 4).copied().unwrap_or(0.0)
    }
}

impl LookupPoint {
    /// Where a photon is, on its side.
    pub(super) fn of(photon: &Photon, max_segments: u32) -> LookupPoint {
        LookupPoint {
            p: photon.p(),
            n: photon.n(),
            both_sides: false,
            max_segments,
        }
    }

    #[inline]
    fn counts(&self, photon: &Photon, rounding: f32) -> bool {
        photon.segments() <= self.max_segments
            && same_surface(
                photon.p() - self.p,
                self.n,
                photon.packed_n(),
                self.both_sides,
                rounding,
            )
    }
}

/// Simpson's kernel, of volume one over a disk [1/m²].
#[inline]
fn kernel(d2: f32, r2: f32) -> f32 {
    let falling = (1.0 - d2 / r2).max(0.0);
    3.0 * INV_PI / r2 * falling * falling
}
