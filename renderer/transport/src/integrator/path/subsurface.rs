//! Subsurface scattering by a random walk inside an object.
//!
//! Distances are sampled for one channel. A fraction of the directions and distances is guided towards the surface of
//! entry. The techniques are combined by multiple importance sampling.
// Chiang et al. 2016, "Practical and Controllable Subsurface Scattering for Production Path Tracing"; Křivánek & d'Eon
// 2014, "A Zero-Variance-Based Sampling Scheme for Monte Carlo Subsurface Scattering"; Meng et al. 2016, "Improving the
// Dwivedi Sampling Scheme"; Wyman et al. 1989, "Similarity relations for anisotropic scattering in Monte Carlo
// simulations of deeply penetrating neutral particles".

use std::f32::consts::PI;

use glam::{DVec3, Vec2, Vec3};

use super::subsurface_volume::{Entry, Segment, SubsurfaceVolume};
use crate::bsdf::{Subsurface, SubsurfaceLobe};
use crate::interior::{InteriorList, beer_lambert};
use crate::medium::{ChannelMis, Phase};
use crate::scene::{Contact, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, exp, ln, pow, safe_sqrt};
use renderer_base::sampler::Rng;
use renderer_geometry::Interaction;

/// Maximum number of scattering events of a walk.
const MAX_STEPS: u32 = 4096;

/// Number of scattering events after which similarity relations replace the phase function by an isotropic one.
const ISOTROPIC_AFTER: u32 = 12;

/// Throughput below which Russian roulette begins.
const RR_THROUGHPUT: f32 = 0.1;

/// Subsurface random walk of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomWalk {
    lobe: Subsurface,
    /// Number of the lobe among the subsurface lobes of the BSDF.
    number: u8,
    /// Unit geometric normal at the entry, on the outer side.
    n: Vec3,
    entry: Entry,
}

/// Exit of a walk from the object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// Exit point; `wo` is the outer geometric normal.
    pub(crate) it: Interaction,
    /// Factor of the throughput.
    pub(crate) weight: Rgb,
    /// Position of the exit among coincident surfaces.
    pub(crate) contact: Option<Contact>,
}

impl RandomWalk {
    /// Walk that enters at `it` by a subsurface lobe.
    pub(crate) fn new(it: &Interaction, lobe: &SubsurfaceLobe) -> RandomWalk {
        let entry = Entry::at(it);
        RandomWalk {
            lobe: lobe.lobe,
            number: lobe.number,
            n: it.ng * entry.facing,
            entry,
        }
    }

    /// Number of the lobe; the path leaves by the lobe with the same number.
    pub(crate) fn lobe_number(&self) -> u8 {
        self.number
    }

    /// Walks in `direction` from the entry; `u` samples the first channel and distance. `interior` is the interior list
    /// outside the object, which the walk may change. Returns `None` if the path is absorbed or lost.
    pub(crate) fn run(
        &self,
        scene: &Scene,
        direction: Vec3,
        interior: &mut InteriorList,
        u: Vec2,
        rng: &mut Rng,
    ) -> Option<Exit> {
        let mut volume = SubsurfaceVolume::enter(scene, self.entry, direction);
        if volume.is_outside() {
            let it = volume.entry_point();
            return Some(Exit {
                it,
                weight: self.lobe.diffuse_albedo(),
                contact: scene.contact_from_inside(&it),
            });
        }
        let mut segment = Segment { from: DVec3::ZERO, direction, length: 0.0 };
        let mut params = ScatteringParams::new(&self.lobe, self.n);
        let mut weight = Rgb::WHITE;
        let mut guided = None;
        let mut u = u;
        for step in 0..MAX_STEPS {
            if step == ISOTROPIC_AFTER && params.anisotropy != 0.0 {
                params = params.reduced();
            }
            let ScatteringParams { albedo, extinction, ref guide, .. } = params;
            let channels = ChannelMis::new(weight * albedo);
            let stretch = match guided {
                Some(Guided { stretch, is_chosen: true, .. }) => stretch,
                _ => 1.0,
            };
            segment.length = channels.sample_distance(extinction * stretch, u);
            let exit = volume.exit(&segment, interior);
            let length = exit.as_ref().map_or(segment.length, |exit| exit.t);
            if !length.is_finite() {
                return None;
            }
            let transmittance = beer_lambert(extinction, length);
            let density = |stretch: f32| match exit {
                Some(_) => beer_lambert(extinction * stretch, length),
                None => extinction * stretch * beer_lambert(extinction * stretch, length),
            };
            let pdf = match guided {
                None => density(1.0),
                Some(Guided { stretch, share, ratio, .. }) => {
                    density(1.0) * (1.0 - share) + density(stretch) * (share * ratio)
                }
            };
            let pdf = channels.mean(pdf);
            let passed = match exit {
                Some(_) => transmittance,
                None => albedo * extinction * transmittance,
            };
            if pdf <= 0.0 {
                return None;
            }
            weight *= passed * (1.0 / pdf);
            if let Some(it) = exit {
                let contact = scene.contact_from_inside(&it);
                return weight.is_finite().then_some(Exit { it, weight, contact });
            }
            let largest = weight.max_component();
            if largest < RR_THROUGHPUT {
                if rng.next_1d() * RR_THROUGHPUT >= largest {
                    return None;
                }
                weight *= RR_THROUGHPUT / largest;
            }
            let is_chosen = rng.next_1d() < guide.share;
            let v = Vec2::new(rng.next_1d(), rng.next_1d());
            let direction = match is_chosen {
                true => guide.sample(v),
                false => params.phase().sample(segment.direction, v),
            };
            let cos = direction.dot(self.n);
            let ratio = guide.density(cos) / params.phase().density(segment.direction.dot(direction));
            guided = Some(Guided {
                is_chosen,
                share: guide.share,
                ratio,
                stretch: guide.stretch(cos),
            });
            segment = Segment { from: segment.end(), direction, length: 0.0 };
            u = Vec2::new(rng.next_1d(), rng.next_1d());
        }
        None
    }
}

/// Scattering parameters of the object, and their guide.
struct ScatteringParams {
    /// Single-scattering albedo.
    albedo: Rgb,
    /// Extinction [1/m].
    extinction: Rgb,
    /// Mean cosine of scattering.
    anisotropy: f32,
    guide: Guide,
}

impl ScatteringParams {
    fn new(lobe: &Subsurface, n: Vec3) -> ScatteringParams {
        let (albedo, anisotropy) = (lobe.single_albedo(), lobe.anisotropy());
        ScatteringParams {
            albedo,
            extinction: lobe.extinction(),
            anisotropy,
            guide: Guide::new(n, albedo.max_component(), anisotropy),
        }
    }

    /// Equivalent isotropic scattering (similarity relations).
    fn reduced(&self) -> ScatteringParams {
        let scattering = self.albedo * self.extinction * (1.0 - self.anisotropy);
        let extinction = self.extinction * (Rgb::WHITE - self.albedo) + scattering;
        let share = |c: usize| scattering.to_array()[c] / extinction.to_array()[c].max(f32::MIN_POSITIVE);
        let albedo = Rgb::from([share(0), share(1), share(2)]);
        ScatteringParams {
            albedo,
            extinction,
            anisotropy: 0.0,
            guide: Guide::new(self.guide.n, albedo.max_component(), 0.0),
        }
    }

    fn phase(&self) -> Phase {
        Phase::henyey_greenstein(self.anisotropy)
    }
}

/// Densities of the guide for a direction.
#[derive(Clone, Copy)]
struct Guided {
    /// True if the guide sampled the direction.
    is_chosen: bool,
    /// Probability of sampling by the guide.
    share: f32,
    /// Ratio of the guide's density to that of the phase function.
    ratio: f32,
    /// Factor on the extinction for distance sampling.
    stretch: f32,
}

/// Guide towards the surface: the asymptotic distribution of light in a half space, which decays with the diffusion
/// length.
struct Guide {
    n: Vec3,
    /// Diffusion length, in mean free paths.
    length: f32,
    /// ln((length + 1) / (length - 1)).
    log: f32,
    /// Probability of the guide.
    share: f32,
}

impl Guide {
    /// Guide for the largest albedo of the channels; the albedo of another channel would lead to rare bright paths.
    fn new(n: Vec3, albedo: f32, anisotropy: f32) -> Guide {
        /// Lower bound of the albedo, below which the density is singular.
        const MIN_ALBEDO: f32 = 0.2;
        let a = albedo.max(MIN_ALBEDO);
        // d'Eon & Křivánek 2020, "Zero-Variance Theory for Efficient Subsurface Scattering", eq. 67.
        let length = 1.0 / safe_sqrt(1.0 - pow(a, 2.44294 - 0.0215813 * a + 0.578637 / a));
        Guide {
            n,
            length,
            log: ln((length + 1.0) / (length - 1.0)),
            share: 1.0 - pow(anisotropy.abs(), 0.125).max(0.5),
        }
    }

    /// Density of a direction with this cosine to the normal [1/sr].
    // Meng et al. 2016, eq. 9.
    fn density(&self, cos: f32) -> f32 {
        1.0 / (2.0 * PI * (self.length - cos) * self.log)
    }

    fn sample(&self, u: Vec2) -> Vec3 {
        let cos = (self.length - (self.length + 1.0) * exp(-u.x * self.log)).clamp(-1.0, 1.0);
        Frame::from_normal(self.n).at_cosine(cos, u.y)
    }

    fn stretch(&self, cos: f32) -> f32 {
        1.0 - cos / self.length
    }
}
