//! Thin-film interference over an interface (oil on water, soap bubbles, tempered steel): waves reflected by the two
//! sides of the film interfere, so that reflectance depends on wavelength and angle.

use glam::{Vec2, Vec3, Vec4};

use super::compensation::Compensation;
use super::conductor::Conductor;
use super::dielectric::{Dielectric, INDEX_MATCHED, is_index_matched};
use super::facet_albedo::transmittance_factors;
use super::fresnel;
use super::interface::{Facet, Interface, Split};
use super::lobe_kind::LobeSample;
use super::lobe_model::LobeModel;
use super::microfacet::Microfacets;
use super::schlick::Schlick;
use renderer_base::color::Rgb;
use renderer_base::math::{bounded, safe_sqrt, sqr};
use renderer_base::spectrum::interference::{Wave, wave};

/// Reflection by a film on a base, and refraction of the remainder. The film does not absorb light, and does not change
/// the direction of refraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinFilm {
    film: Film,
    /// Real part of the base's index of refraction, per channel.
    eta: Rgb,
    base: FilmBase,
    microfacets: Microfacets,
    reflection: Rgb,
}

/// Base under a film.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FilmBase {
    /// Metal: imaginary part of the index of refraction, per channel.
    Absorbing(Rgb),
    /// Dielectric: factor of refracted light; black for an opaque base.
    Dielectric(Rgb),
    /// Schlick interface: factor of refracted light; black for an opaque base, whose two sides are alike.
    Schlick(Rgb),
}

/// Thin film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Film {
    /// Thickness [nm] if the outside is air. Under another medium it is multiplied by the index of that medium, since
    /// waves are shorter there.
    pub thickness: f32,
    /// Index of refraction relative to the outside. An index below both the outside and a transparent base is raised to
    /// the lower of the two.
    pub ior: f32,
}

/// Amplitude below which the series of waves is truncated.
const MIN_AMPLITUDE: f32 = 1e-3;

/// Maximum number of waves summed individually.
const MAX_TERMS: usize = 16;

/// Index above which metals are perfect mirrors.
const MAX_INDEX: f32 = 1e3;

impl Film {
    /// Returns the film; `None` if it has no thickness.
    #[inline]
    pub(super) fn seen(self) -> Option<Film> {
        (self.thickness > 0.0 && self.thickness.is_finite()).then_some(self)
    }

    /// Returns the film with its index raised to at least that of the outside or of a base of index `base`, whichever
    /// is lower, so that a wave that enters the base is not evanescent in the film.
    fn between(self, base: f32) -> Film {
        let ior = bounded(self.ior, base.min(1.0), 10.0);
        Film { ior, ..self }
    }
}

impl ThinFilm {
    pub(super) fn on_dielectric(film: Film, base: &Dielectric) -> ThinFilm {
        let ior = base.eta(1.0);
        ThinFilm {
            film: film.between(ior),
            eta: Rgb::splat(ior),
            base: FilmBase::Dielectric(base.transmission),
            microfacets: base.microfacets,
            reflection: base.reflection,
        }
    }

    pub(super) fn on_conductor(film: Film, base: &Conductor) -> ThinFilm {
        ThinFilm {
            film: film.between(1.0),
            eta: base.eta.clamp(0.0, MAX_INDEX),
            base: FilmBase::Absorbing(base.k.clamp(0.0, MAX_INDEX)),
            microfacets: base.microfacets,
            reflection: Rgb::WHITE,
        }
    }

    /// `f0` refers to a base in air, which the film replaces: it determines the base's index. `f90` and the exponent
    /// are replaced by Fresnel's equations.
    pub(super) fn on_schlick(film: Film, base: &Schlick) -> ThinFilm {
        ThinFilm {
            film: film.between(1.0),
            eta: base.f0.map(fresnel::ior_from_f0),
            base: FilmBase::Schlick(base.transmission),
            microfacets: base.microfacets,
            reflection: base.reflection,
        }
    }

    /// Returns whether light that is not reflected passes the interface, or is left to a layer below.
    fn is_dielectric(&self) -> bool {
        match self.base {
            FilmBase::Dielectric(_) => true,
            FilmBase::Schlick(_) => self.transmits(),
            FilmBase::Absorbing(_) => false,
        }
    }

    /// Factors of the transmittance for compensation.
    fn transmittance_factors(&self) -> [Vec4; 3] {
        let ior = self.ior();
        transmittance_factors(ior, |cos| {
            // The cosine outside, which may be the denser side.
            let cos = if ior < 1.0 {
                safe_sqrt(1.0 - (1.0 - sqr(cos)) * sqr(ior))
            } else {
                cos
            };
            Rgb::WHITE - self.reflectance(cos)
        })
    }

    /// Reflectance for diffuse light from outside, by a Gauss-Legendre rule.
    fn diffuse_reflectance(&self) -> Rgb {
        const NODES: [(f32, f32); 4] = [
            (0.069_431_84, 0.173_927_4),
            (0.330_009_5, 0.326_072_6),
            (0.669_990_5, 0.326_072_6),
            (0.930_568_2, 0.173_927_4),
        ];
        NODES
            .into_iter()
            .map(|(cos, weight)| self.reflectance(cos) * (2.0 * cos * weight))
            .sum()
    }

    /// Index of refraction inside over outside; 1 if both sides are alike. It is the index by which the bare base
    /// refracts: a dielectric is smooth if its index is close to one, but a Schlick interface need not be.
    fn ior(&self) -> f32 {
        match self.base {
            FilmBase::Dielectric(_) => self.eta.r,
            FilmBase::Schlick(_) if self.transmits() => self.eta.average().max(1.0 + INDEX_MATCHED),
            FilmBase::Absorbing(_) | FilmBase::Schlick(_) => 1.0,
        }
    }

    /// Returns whether light comes from outside if the index of refraction behind a facet is `eta`: from inside, `eta`
    /// is the inverse of the base's index, on the other side of one.
    fn is_outside(&self, eta: f32) -> bool {
        (eta < 1.0) == (self.ior() < 1.0)
    }

    fn transmission(&self) -> Rgb {
        match self.base {
            FilmBase::Absorbing(_) => Rgb::BLACK,
            FilmBase::Dielectric(transmission) | FilmBase::Schlick(transmission) => transmission,
        }
    }

    /// Removes transmission.
    pub(super) fn opaque(self) -> ThinFilm {
        let base = match self.base {
            FilmBase::Absorbing(_) => self.base,
            FilmBase::Dielectric(_) => FilmBase::Dielectric(Rgb::BLACK),
            FilmBase::Schlick(_) => FilmBase::Schlick(Rgb::BLACK),
        };
        ThinFilm { base, ..self }
    }

    #[inline(always)]
    fn interface(&self, wo: Vec3) -> Interface<'_, ThinFilm> {
        Interface {
            microfacets: self.microfacets,
            eta: self.eta(wo.z),
            transmits: self.transmits(),
            facet: self,
        }
    }

    /// Reflectance of unpolarised light from outside at an angle with cosine `cos`.
    pub fn reflectance(&self, cos: f32) -> Rgb {
        let sin2 = 1.0 - sqr(cos);
        let cos_film = safe_sqrt(1.0 - sin2 / sqr(self.film.ior));
        let outer = outer_amplitudes(cos, self.film.ior, cos_film);
        // Additional optical path of light that the far side of the film reflects.
        let detour = 2.0 * self.film.ior * self.film.thickness * cos_film;
        let k = match self.base {
            FilmBase::Absorbing(k) => k,
            FilmBase::Dielectric(_) | FilmBase::Schlick(_) => Rgb::BLACK,
        };
        let bases = [0, 1, 2].map(|channel| {
            let (re, im) = (self.eta.to_array()[channel], k.to_array()[channel]);
            inner_amplitudes(self.film.ior, cos_film, sin2, Complex { re, im })
        });
        let polarised = |p: usize| airy(outer[p], bases.map(|inner| inner[p]), detour);
        ((polarised(0) + polarised(1)) * 0.5).clamp(0.0, 1.0)
    }
}

impl LobeModel for ThinFilm {
    #[inline(always)]
    fn eval_pdf(&self, wo: Vec3, wi: Vec3) -> (Rgb, f32) {
        self.interface(wo).eval_pdf(wo, wi)
    }

    #[inline(always)]
    fn sample(&self, wo: Vec3, u_lobe: f32, u: Vec2) -> Option<LobeSample> {
        self.interface(wo).sample(wo, u_lobe, u)
    }

    fn has_choice(&self) -> bool {
        true
    }

    fn microfacets(&self) -> Option<Microfacets> {
        Some(self.microfacets)
    }

    fn reflects(&self) -> bool {
        !self.reflection.is_black()
    }

    fn transmits(&self) -> bool {
        !self.transmission().is_black()
    }

    fn eta(&self, cos_o: f32) -> f32 {
        let ior = self.ior();
        if cos_o < 0.0 { 1.0 / ior } else { ior }
    }

    fn refracts(&self) -> bool {
        self.transmits()
    }

    fn is_straight(&self) -> bool {
        matches!(self.base, FilmBase::Dielectric(_)) && self.transmits() && is_index_matched(self.ior())
    }

    fn straight(self, cos: f32) -> (Rgb, Option<Self>) {
        let transmittance = self.split(cos, self.ior()).refracted;
        (transmittance, self.one_sided())
    }

    fn estimate(&self, cos_o: f32) -> Rgb {
        let split = self.split(cos_o.abs(), self.eta(cos_o));
        split.reflected + split.refracted
    }

    fn albedo(&self, wo: Vec3) -> Rgb {
        if self.transmits()
            && let Some(Compensation::General(lobe)) = self.compensation(self.eta(wo.z))
        {
            return lobe.dielectric_albedo(wo);
        }
        self.interface(wo).albedo(wo)
    }

    fn one_sided(self) -> Option<Self> {
        self.reflects().then(|| self.opaque())
    }
}

impl Facet for ThinFilm {
    // A stack without absorption has the same reflectance from both sides at corresponding angles. Beyond the critical
    // angle, reflection is total for every film.
    fn split(&self, cos: f32, eta: f32) -> Split {
        let cos2_beyond = 1.0 - (1.0 - sqr(cos)) / sqr(eta);
        let f = if cos2_beyond <= 0.0 {
            Rgb::WHITE
        } else if self.is_outside(eta) {
            self.reflectance(cos)
        } else {
            self.reflectance(cos2_beyond.sqrt())
        };
        Split {
            reflected: self.reflection * f,
            refracted: self.transmission() * (Rgb::WHITE - f),
        }
    }

    #[inline(never)]
    fn compensation(&self, eta: f32) -> Option<Compensation> {
        if !self.microfacets.is_compensated() {
            return None;
        }
        if self.is_dielectric() {
            let tints = [self.reflection, self.transmission()];
            return Compensation::transmitting(self.microfacets, eta, self.transmittance_factors(), tints);
        }
        Compensation::metal(self.microfacets, || self.reflection * self.diffuse_reflectance())
    }
}

/// Reflectance of a film whose outer side reflects the amplitude `outer` and whose inner side reflects `inner`, per
/// channel.
// Airy's sum, e.g. Born & Wolf, Principles of Optics, section 7.6.1, as a Fourier series in the detour:
// |r|² = R + S + 2 (S - T) Re Σ (q e^{iδ})^m, where q = -r r', R = r², T = 1 - R and S = T² |r'|² / (1 - |q|²).
fn airy(outer: f32, inner: [Complex; 3], detour: f32) -> Rgb {
    let reflected = sqr(outer);
    let passed = 1.0 - reflected;
    let beyond = inner.map(|r| sqr(passed) * r.norm() / (1.0 - reflected * r.norm()).max(f32::MIN_POSITIVE));
    let once = inner.map(|r| r.scaled(-outer));
    let mut power = once;
    let mut sum = beyond.map(|s| reflected + s);
    let Some(first) = wave(detour) else {
        return Rgb::from(sum);
    };
    for order in 1..=MAX_TERMS {
        let Some(wave) = wave(order as f32 * detour) else {
            break;
        };
        let mut largest = 0.0f32;
        for channel in 0..3 {
            let size = 2.0 * (beyond[channel] - passed);
            let here = power[channel].times(Complex::of(&wave, channel));
            sum[channel] += size * here.re;
            power[channel] = power[channel].times(once[channel]);
            largest = largest.max(sqr(size) * here.norm());
            if order == MAX_TERMS {
                // The series is this long only for films much thinner than the wavelength. The wave of twice the detour
                // is then close to the square of the wave of one, so the remainder is a geometric series.
                let ratio = once[channel].times(Complex::of(&first, channel));
                sum[channel] += size * here.times(ratio).over(Complex::ONE.minus(ratio)).re;
            }
        }
        if largest < sqr(MIN_AMPLITUDE) {
            break;
        }
    }
    Rgb::from(sum)
}

/// Amplitudes reflected at the outside of a film of index `ior`, for both polarisations: s and p.
fn outer_amplitudes(cos: f32, ior: f32, cos_film: f32) -> [f32; 2] {
    let amplitude = |a: f32, b: f32| if a + b > 0.0 { (a - b) / (a + b) } else { -1.0 };
    [amplitude(cos, ior * cos_film), amplitude(ior * cos, cos_film)]
}

/// Amplitudes reflected at the base within a film, for both polarisations: s and p. `sin2` is the squared sine of the
/// angle outside.
fn inner_amplitudes(ior: f32, cos_film: f32, sin2: f32, base: Complex) -> [Complex; 2] {
    let square = base.times(base);
    // Index of the base times the cosine in it.
    let along = Complex { re: square.re - sin2, im: square.im }.sqrt();
    let film = |re: f32| Complex { re, im: 0.0 };
    [
        film(ior * cos_film).minus(along).over(film(ior * cos_film).plus(along)),
        square
            .scaled(cos_film)
            .minus(along.scaled(ior))
            .over(square.scaled(cos_film).plus(along.scaled(ior))),
    ]
}

#[derive(Clone, Copy, Debug)]
struct Complex {
    re: f32,
    im: f32,
}

impl Complex {
    const ONE: Complex = Complex { re: 1.0, im: 0.0 };

    fn of(wave: &Wave, channel: usize) -> Complex {
        Complex {
            re: wave.re.to_array()[channel],
            im: wave.im.to_array()[channel],
        }
    }

    fn plus(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }

    fn minus(self, other: Complex) -> Complex {
        self.plus(other.scaled(-1.0))
    }

    fn scaled(self, factor: f32) -> Complex {
        Complex { re: self.re * factor, im: self.im * factor }
    }

    fn times(self, other: Complex) -> Complex {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }

    fn over(self, other: Complex) -> Complex {
        let conjugate = Complex { re: other.re, im: -other.im };
        self.times(conjugate).scaled(1.0 / other.norm().max(f32::MIN_POSITIVE))
    }

    /// Squared absolute value.
    fn norm(self) -> f32 {
        sqr(self.re) + sqr(self.im)
    }

    /// Root in the upper half-plane: waves decay in an absorbing medium.
    fn sqrt(self) -> Complex {
        let size = self.norm().sqrt();
        Complex {
            re: safe_sqrt(0.5 * (size + self.re)),
            im: safe_sqrt(0.5 * (size - self.re)),
        }
    }
}
