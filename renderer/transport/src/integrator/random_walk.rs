//! Random walk of a path below a surface, until it leaves the object.
//!
//! Distances are sampled for one colour; a share of the directions and distances is guided towards the surface that the
//! path came in by. All are weighted by multiple importance sampling.
// Chiang et al. 2016, "Practical and Controllable Subsurface Scattering for Production Path Tracing"; Křivánek & d'Eon
// 2014, "A Zero-Variance-Based Sampling Scheme for Monte Carlo Subsurface Scattering"; Meng et al. 2016, "Improving the
// Dwivedi Sampling Scheme"; Wyman et al. 1989, "Similarity relations for anisotropic scattering in Monte Carlo simulations
// of deeply penetrating neutral particles".

use std::f32::consts::PI;

use glam::{DVec3, Vec2, Vec3};

use super::subsurface_volume::{Entry, Segment, SubsurfaceVolume};
use crate::body::{MediumStack, beer_lambert};
use crate::bsdf::{Below, Subsurface};
use crate::medium::{ColorChoice, Phase};
use crate::scene::{Contact, Noise, Scene};
use renderer_base::color::Rgb;
use renderer_base::math::{Frame, exp, ln, pow, safe_sqrt};
use renderer_geometry::Interaction;

/// Scatterings after which a walk ends.
const MAX_STEPS: u32 = 4096;

/// Scatterings after which light has forgotten where it came from: from then on it is scattered evenly, and less often
/// by as much as it would go straight on.
const FORGOTTEN: u32 = 12;

/// Throughput below which chance ends a walk.
const FAINT: f32 = 0.1;

/// Pending walk of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct RandomWalk {
    lobe: Subsurface,
    /// Number of the lobe among those that lead below the surface.
    number: u8,
    /// Unit geometric normal at the entry, on the outer side.
    n: Vec3,
    entry: Entry,
}

/// Where a walk leaves the object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    /// The surface, as seen from the outside along its geometric normal.
    pub(super) it: Interaction,
    /// Factor of the throughput.
    pub(super) weight: Rgb,
    /// Its place among surfaces that coincide.
    pub(super) contact: Option<Contact>,
}

impl RandomWalk {
    /// A walk that begins at `it`, below that lobe.
    pub(super) fn new(it: &Interaction, below: &Below) -> RandomWalk {
        let entry = Entry::at(it);
        RandomWalk {
            lobe: below.lobe,
            number: below.number,
            n: it.ng * entry.facing,
            entry,
        }
    }

    /// Number of the lobe among those that lead below the surface: it leaves by the same.
    pub(super) fn lobe_number(&self) -> u8 {
        self.number
    }

    /// Walks in `direction` from the entry; `u` samples the first colour and distance. `media` are the bodies around the
    /// object, which the walk may enter or leave. Returns `None` if the path is absorbed or lost.
    pub(super) fn run(
        &self,
        scene: &Scene,
        direction: Vec3,
        media: &mut MediumStack,
        u: Vec2,
        noise: &mut Noise,
    ) -> Option<Exit> {
        let mut volume = SubsurfaceVolume::enter(scene, self.entry, direction);
        if volume.is_outside() {
            let it = volume.entry_point();
            return Some(Exit {
                it,
                weight: self.lobe.albedo(),
                contact: scene.contact_from_inside(&it),
            });
        }
        let mut segment = Segment {
            from: DVec3::ZERO,
            direction,
            length: 0.0,
        };
        let mut matter = Matter::new(&self.lobe, self.n);
        let mut weight = Rgb::WHITE;
        let mut guided = None;
        let mut u = u;
        for step in 0..MAX_STEPS {
            if step == FORGOTTEN && matter.anisotropy != 0.0 {
                matter = matter.reduced();
            }
            let Matter {
                albedo,
                extinction,
                ref guide,
                ..
            } = matter;
            let choice = ColorChoice::by(weight * albedo);
            let stretch = match guided {
                Some(Guided {
                    stretch,
                    is_chosen: true,
                    ..
                }) => stretch,
                _ => 1.0,
            };
            segment.length = choice.sample_distance(extinction * stretch, u);
            let found = volume.exit(&segment, media);
            let length = found.as_ref().map_or(segment.length, |exit| exit.t);
            if !length.is_finite() {
                return None;
            }
            let transmittance = beer_lambert(extinction, length);
            let density = |stretch: f32| match found {
                Some(_) => beer_lambert(extinction * stretch, length),
                None => extinction * stretch * beer_lambert(extinction * stretch, length),
            };
            let pdf = match guided {
                None => density(1.0),
                Some(Guided {
                    stretch,
                    share,
                    ratio,
                    ..
                }) => density(1.0) * (1.0 - share) + density(stretch) * (share * ratio),
            };
            let pdf = choice.mean(pdf);
            let passed = match found {
                Some(_) => transmittance,
                None => albedo * extinction * transmittance,
            };
            if pdf <= 0.0 {
                return None;
            }
            weight *= passed * (1.0 / pdf);
            if let Some(it) = found {
                let contact = scene.contact_from_inside(&it);
                return weight.is_finite().then_some(Exit { it, weight, contact });
            }
            let most = weight.max_component();
            if most < FAINT {
                if noise.number() * FAINT >= most {
                    return None;
                }
                weight *= FAINT / most;
            }
            let is_chosen = noise.number() < guide.share;
            let v = Vec2::new(noise.number(), noise.number());
            let direction = match is_chosen {
                true => guide.sample(v),
                false => matter.phase().sample(segment.direction, v),
            };
            let cos = direction.dot(self.n);
            let ratio = guide.density(cos) / matter.phase().density(segment.direction.dot(direction));
            guided = Some(Guided {
                is_chosen,
                share: guide.share,
                ratio,
                stretch: guide.stretch(cos),
            });
            segment = Segment {
                from: segment.end(),
                direction,
                length: 0.0,
            };
            u = Vec2::new(noise.number(), noise.number());
        }
        None
    }
}

/// Scattering parameters of the object, and their guide.
struct Matter {
    /// Share of the light that one scattering keeps.
    albedo: Rgb,
    /// Extinction [1/m].
    extinction: Rgb,
    /// Mean cosine of scattering.
    anisotropy: f32,
    guide: Guide,
}

impl Matter {
    fn new(lobe: &Subsurface, n: Vec3) -> Matter {
        let (albedo, anisotropy) = (lobe.single_albedo(), lobe.anisotropy());
        Matter {
            albedo,
            extinction: lobe.extinction(),
            anisotropy,
            guide: Guide::new(n, albedo.max_component(), anisotropy),
        }
    }

    /// What scatters evenly and looks the same from afar.
    fn reduced(&self) -> Matter {
        let scattering = self.albedo * self.extinction * (1.0 - self.anisotropy);
        let extinction = self.extinction * (Rgb::WHITE - self.albedo) + scattering;
        let share = |c: usize| scattering.to_array()[c] / extinction.to_array()[c].max(f32::MIN_POSITIVE);
        let albedo = Rgb::from([share(0), share(1), share(2)]);
        Matter {
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

/// How the guide sees a direction.
#[derive(Clone, Copy)]
struct Guided {
    /// True if it was sampled by the guide.
    is_chosen: bool,
    /// Probability of that.
    share: f32,
    /// Density of the guide's sampling over that of the phase function.
    ratio: f32,
    /// Factor of the extinction by which distances are sampled.
    stretch: f32,
}

/// Sampling towards the surface, as in a half space below it whose light decays with the diffusion length.
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
    /// A guide for the largest albedo of a scattering: with that of one colour, others had rare bright paths.
    fn new(n: Vec3, albedo: f32, anisotropy: f32) -> Guide {
        /// Below it the density is singular.
        const LEAST_ALBEDO: f32 = 0.2;
        let a = albedo.max(LEAST_ALBEDO);
        // d'Eon & Křivánek 2020, "Zero-Variance Theory for Efficient Subsurface Scattering", eq. 67.
        let length = 1.0 / safe_sqrt(1.0 - pow(a, 2.44294 - 0.0215813 * a + 0.578637 / a));
        Guide {
            n,
            length,
            log: ln((length + 1.0) / (length - 1.0)),
            share: 1.0 - pow(anisotropy.abs(), 0.125).max(0.5),
        }
    }

    /// Density of a direction of this cosine to the normal [1/sr].
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
