//! Thin films: colours against integrals over the spectrum, the limit of zero thickness, and objects optically thinner
//! than the outside.

use glam::{Vec2, Vec3};
use renderer::bsdf::{Conductor, Dielectric, Distribution, Film, Lobe, Microfacets, Schlick};
use renderer::color::Rgb;
use renderer::math::ONE_MINUS_EPSILON;
use renderer::spectrum::{Spectrum, Use};
use support::chi2::Chi2;
use support::stats::{Rng, normal_limit, sidak};

use super::{ANGLES, SIGNIFICANCE, agree, direction, draw, furnace, largest_difference};

/// Index of refraction of air relative to glass.
const AIR: f32 = 1.0 / 1.5;

/// A complex number.
#[derive(Clone, Copy)]
struct C(f64, f64);

impl C {
    fn plus(self, o: C) -> C {
        C(self.0 + o.0, self.1 + o.1)
    }
    fn times(self, o: C) -> C {
        C(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
    }
    fn over(self, o: C) -> C {
        let norm = o.norm();
        self.times(C(o.0 / norm, -o.1 / norm))
    }
    fn norm(self) -> f64 {
        self.0 * self.0 + self.1 * self.1
    }
    fn sqrt(self) -> C {
        let size = self.norm().sqrt();
        C((0.5 * (size + self.0)).max(0.0).sqrt(), (0.5 * (size - self.0)).max(0.0).sqrt())
    }
}

/// Reflectance of a stack of air, film and body at one wavelength, by Airy's formula.
fn reflected(cos: f64, film: Film, body: C, wavelength: f64) -> f64 {
    let (ior, thickness) = (f64::from(film.ior), f64::from(film.thickness));
    let sin2 = C(1.0 - cos * cos, 0.0);
    let cos_in = |index: C| {
        let ratio = sin2.over(index.times(index));
        C(1.0 - ratio.0, -ratio.1).sqrt()
    };
    let (air, film) = (C(1.0, 0.0), C(ior, 0.0));
    let (cos_air, cos_film) = (C(cos, 0.0), cos_in(film));
    let mut cos_body = cos_in(body);
    if body.times(cos_body).1 < 0.0 {
        cos_body = C(-cos_body.0, -cos_body.1);
    }
    let minus = |c: C| C(-c.0, -c.1);
    let amplitude = |a: C, b: C| a.plus(minus(b)).over(a.plus(b));
    let phase = std::f64::consts::TAU * 2.0 * ior * thickness * cos_film.0 / wavelength;
    let turn = C(phase.cos(), phase.sin());
    let both = |outer: C, inner: C| {
        let inner = inner.times(turn);
        outer.plus(inner).over(C(1.0, 0.0).plus(outer.times(inner))).norm()
    };
    let s = both(
        amplitude(air.times(cos_air), film.times(cos_film)),
        amplitude(film.times(cos_film), body.times(cos_body)),
    );
    let p = both(
        amplitude(film.times(cos_air), air.times(cos_film)),
        amplitude(body.times(cos_film), film.times(cos_body)),
    );
    0.5 * (s + p)
}

/// Albedo of a smooth opaque `lobe`, for light at an angle of cosine `cos`.
fn reflectance(lobe: &Lobe, cos: f32) -> Rgb {
    lobe.albedo(Vec3::new((1.0 - cos * cos).sqrt(), 0.0, cos))
}

fn metal(eta: f32, k: f32) -> Lobe {
    Lobe::Conductor(Conductor {
        eta: Rgb::splat(eta),
        k: Rgb::splat(k),
        microfacets: Microfacets::SMOOTH,
    })
}

fn glass(ior: f32) -> Lobe {
    Lobe::Dielectric(Dielectric::reflection_only(ior, Microfacets::SMOOTH))
}

#[test]
fn colours_match_integrals_over_the_spectrum() {
    let bodies = [
        (glass(AIR), C(f64::from(AIR), 0.0)),
        (glass(1.0), C(1.0, 0.0)),
        (glass(1.5), C(1.5, 0.0)),
        (glass(2.4), C(2.4, 0.0)),
        (metal(0.2, 3.0), C(f64::from(0.2f32), 3.0)),
        (metal(2.9, 3.1), C(f64::from(2.9f32), f64::from(3.1f32))),
    ];
    let mut colourful = 0.0f32;
    for thickness in [0.1, 30.0, 100.0, 250.0, 550.0, 1200.0, 3000.0] {
        for ior in [1.1, 1.33, 1.8, 2.5] {
            let film = Film { thickness, ior };
            for (lobe, index) in bodies {
                for cos in [1.0f32, 0.8, 0.5, 0.2, 0.03] {
                    let found = reflectance(&lobe.under(film), cos);
                    let value = |wavelength| reflected(cos.into(), film, index, wavelength);
                    let values = (0..=940).map(|i| value(360.0 + 0.5 * f64::from(i))).collect();
                    let spectrum = Spectrum::regular(360.0, 830.0, values).unwrap();
                    let expected = spectrum.to_rgb(Use::Reflectance);
                    // At grazing angles, many interference orders count, of which only some are summed individually.
                    let tolerance = if cos < 0.1 { 0.01 } else { 0.003 };
                    assert!(
                        largest_difference(found, expected) < tolerance,
                        "{film:?} on {index_re} + {index_im}i at {cos}: {found:?}, not {expected:?}",
                        index_re = index.0,
                        index_im = index.1,
                    );
                    colourful = colourful.max(largest_difference(found, Rgb::splat(found.g)));
                }
            }
        }
    }
    assert!(colourful > 0.4, "{colourful}");
}

#[test]
fn films_of_zero_thickness_have_no_effect() {
    let plastic = Lobe::Schlick(Schlick::new(Rgb::splat(0.04), Microfacets::isotropic(0.3)));
    for lobe in [glass(1.5), metal(0.2, 3.0), plastic] {
        for thickness in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(lobe.under(Film { thickness, ior: 1.33 }), lobe);
        }
    }
    // A thickness beyond the tables of interference orders, and an index of NaN.
    for (thickness, ior) in [(1e30, 1.33), (f32::MAX, 1.33), (300.0, f32::NAN)] {
        assert!(reflectance(&glass(1.5).under(Film { thickness, ior }), 0.6).is_finite());
    }
    // A film much thinner than a wavelength is invisible for any index, and a film of air for any thickness.
    for cos in [1.0, 0.6, 0.2] {
        for lobe in [glass(1.5), metal(0.2, 3.0)] {
            let bare = reflectance(&lobe, cos);
            for (thickness, ior) in [(0.01, 1.33), (0.01, 2.0), (300.0, 1.0), (300.0, 0.5)] {
                let found = reflectance(&lobe.under(Film { thickness, ior }), cos);
                assert!(
                    largest_difference(found, bare) < 0.004,
                    "{thickness} nm of {ior} at {cos}: {found:?}, not {bare:?}"
                );
            }
        }
    }
}

#[test]
fn both_sides_of_a_film_have_equal_reflectance() {
    let film = Film { thickness: 300.0, ior: 1.8 };
    let both = Lobe::Dielectric(Dielectric::new(1.5, Microfacets::SMOOTH)).under(film);
    for cos in [1.0f32, 0.7, 0.4] {
        let outside = reflectance(&glass(1.5).under(film), cos);
        // The refracted direction inside; the mean over all channels selects the lobe.
        let cos_inside = (1.0 - (1.0 - cos * cos) / 2.25).sqrt();
        let wo = Vec3::new((1.0 - cos_inside * cos_inside).sqrt(), 0.0, -cos_inside);
        let sample = both.sample(wo, 0.0, Vec2::ZERO).unwrap();
        let found = sample.weight * sample.pdf;
        assert!(!sample.kind.is_transmission());
        assert!(largest_difference(found, outside) < 1e-3, "{cos}: {found:?}, not {outside:?}");
    }
}

/// Compares two lobes whose directions correspond by the involution `place`: their samples, and their values and
/// densities for the sampled directions and for random ones. Near the angle of total reflection, rounding is visible.
// Next to the angle of total reflection, rounding is seen.
fn compare(a: &Lobe, b: &Lobe, place: impl Fn(Vec3) -> Vec3) -> Result<(), String> {
    const DRAWS: usize = 400;
    let close = |a: Rgb, b: Rgb| agree(a, b, 0.02) || largest_difference(a, b) < 0.01;
    let near = |a: f32, b: f32| close(Rgb::splat(a), Rgb::splat(b));
    let mut rng = Rng::new(5);
    for angle in ANGLES {
        let wo = direction(angle);
        let mut strays = 0;
        for _ in 0..DRAWS {
            let (u_lobe, u) = (rng.next_1d(), rng.next_2d());
            let drawn = (a.sample(wo, u_lobe, u), b.sample(place(wo), u_lobe, u));
            let mut others = vec![rng.direction()];
            match &drawn {
                (Some(s), Some(t)) if s.kind == t.kind => {
                    let same = place(t.wi).abs_diff_eq(s.wi, 1e-3) && near(s.eta, t.eta);
                    if !(same && close(s.weight, t.weight) && near(s.pdf, t.pdf)) {
                        return Err(format!("from {angle}°: {drawn:?}"));
                    }
                    others.push(s.wi);
                }
                (None, None) => {}
                _ => strays += 1,
            }
            for wi in others {
                let values = (a.eval_pdf(wo, wi), b.eval_pdf(place(wo), place(wi)));
                let ((f, pdf), (g, density)) = values;
                if !(close(f, g) && near(pdf, density)) {
                    return Err(format!("from {angle}° to {wi}: {values:?}"));
                }
            }
        }
        // A random number close to the probability of reflection may select either lobe.
        if strays > DRAWS / 100 {
            return Err(format!("from {angle}°: {strays} of {DRAWS} samples select another lobe"));
        }
    }
    Ok(())
}

fn roughnesses() -> [Microfacets; 4] {
    [
        Microfacets::SMOOTH,
        Microfacets::isotropic(0.2),
        Microfacets::new(0.1, 0.4),
        Microfacets::isotropic(0.3).with(Distribution::Beckmann),
    ]
}

/// Dielectrics with reflection and transmission, reflection only, and transmission only.
fn dielectrics(ior: f32, microfacets: Microfacets) -> [Lobe; 3] {
    [
        Dielectric::new(ior, microfacets),
        Dielectric::reflection_only(ior, microfacets),
        Dielectric::transmission_only(ior, microfacets),
    ]
    .map(Lobe::Dielectric)
}

#[test]
fn films_of_zero_thickness_change_neither_side() {
    for body in [AIR, 0.9, 1.0, 1.5] {
        for microfacets in roughnesses() {
            for bare in dielectrics(body, microfacets) {
                for ior in [0.8, 1.0, 1.33, 2.0] {
                    let filmed = bare.under(Film { thickness: 0.001, ior });
                    assert_ne!(filmed, bare);
                    if let Err(message) = compare(&bare, &filmed, |w| w) {
                        panic!("{ior} on {bare:?} {message}");
                    }
                }
            }
        }
    }
}

// A new vector: a function that changes its argument in place would change the caller's, by rust-lang/rust#155241.
fn turned_over(w: Vec3) -> Vec3 {
    Vec3::new(w.x, w.y, -w.z)
}

/// A film on glass in air equals, turned over, a film on air in glass: indices are relative to the outside, and the
/// film's thickness is in wavelengths of the outside.
#[test]
fn a_reversed_film_is_a_film_on_the_other_side() {
    for (thickness, ior) in [(400.0, 1.8), (300.0, 1.33), (700.0, 1.5), (250.0, 1.1)] {
        let on_glass = Film { thickness, ior };
        let on_air = Film { thickness: thickness * 1.5, ior: ior / 1.5 };
        for microfacets in roughnesses() {
            let bodies = dielectrics(1.5, microfacets).into_iter();
            for (glass, air) in bodies.zip(dielectrics(AIR, microfacets)) {
                let (glass, air) = (glass.under(on_glass), air.under(on_air));
                if let Err(message) = compare(&glass, &air, turned_over) {
                    panic!("{on_glass:?} on {microfacets:?} {message}");
                }
            }
        }
    }
}

/// Bubbles of air in glass, with films denser than the glass and less dense.
fn bubbles(microfacets: Microfacets) -> [Lobe; 3] {
    [(400.0, 1.33), (600.0, 1.2), (450.0, 0.9)].map(|(thickness, ior)| {
        Lobe::Dielectric(Dielectric::new(AIR, microfacets)).under(Film { thickness, ior })
    })
}

#[test]
fn smooth_bubbles_are_lossless_with_total_reflection() {
    for lobe in bubbles(Microfacets::SMOOTH) {
        for cos in [1.0f32, 0.9, 0.8, 0.76, 0.74, 0.5, 0.2, 0.01, -1.0, -0.6, -0.2, -0.02] {
            let wo = Vec3::new((1.0 - cos * cos).sqrt(), 0.0, cos);
            let [first, last] =
                [0.0, ONE_MINUS_EPSILON].map(|u_lobe| lobe.sample(wo, u_lobe, Vec2::ZERO).unwrap());
            let reflected = first.weight * first.pdf;
            assert!(!first.kind.is_transmission(), "{lobe:?} at {cos}");
            if cos > 0.0 && wo.x > AIR {
                assert!(!last.kind.is_transmission(), "{lobe:?} at {cos}");
                assert_eq!(reflected, Rgb::WHITE, "{lobe:?} at {cos}");
                continue;
            }
            assert!(last.kind.is_transmission(), "{lobe:?} at {cos}");
            assert_eq!(last.eta, if cos > 0.0 { AIR } else { 1.0 / AIR });
            let sum = reflected + last.weight * last.pdf;
            assert!(largest_difference(sum, Rgb::WHITE) < 1e-5, "{lobe:?} at {cos}: {sum:?} leaves");
            let back = lobe.sample(last.wi, 0.0, Vec2::ZERO).unwrap();
            let back = back.weight * back.pdf;
            assert!(
                largest_difference(reflected, back) < 1e-3,
                "{lobe:?} at {cos}: {reflected:?}, from the other side {back:?}"
            );
        }
    }
}

/// The checks of the table of lobes, for rough bubbles.
#[test]
fn rough_bubbles_satisfy_the_lobe_contract() {
    let lobes: Vec<Lobe> = roughnesses().into_iter().skip(1).flat_map(bubbles).collect();
    let alpha = sidak(SIGNIFICANCE, lobes.len() * ANGLES.len());
    let limit = normal_limit(alpha);
    for (i, lobe) in lobes.iter().enumerate() {
        for (j, angle) in ANGLES.into_iter().enumerate() {
            let (wo, mut rng) = (direction(angle), Rng::new((i * 100 + j) as u64));
            let drawn = || draw(lobe, wo, &mut rng).map(|s| s.wi);
            if let Err(message) = Chi2::of(50_000, |wi| lobe.pdf(wo, wi), drawn).verdict(alpha, limit) {
                panic!("{lobe:?} from {angle}°: {message}");
            }
            let albedo = lobe.albedo(wo).to_array();
            for (channel, light) in furnace(lobe, wo, 20_000, &mut rng).into_iter().enumerate() {
                let (mean, expected) = (light.mean(), f64::from(albedo[channel]));
                assert!(
                    mean < 1.0 + limit * light.variance_of_mean().sqrt() + 1e-4,
                    "{lobe:?} from {angle}°: {mean} is more than came"
                );
                assert!(
                    (mean - expected).abs() < 0.025,
                    "{lobe:?} from {angle}°: {mean}, not {expected}"
                );
            }
            for _ in 0..1000 {
                let wi = match draw(lobe, wo, &mut rng) {
                    Some(s) if rng.next_1d() < 0.5 => s.wi,
                    _ => rng.direction(),
                };
                if wi.z.abs() < 1e-4 {
                    continue;
                }
                let eta = if wo.z * wi.z < 0.0 { lobe.eta(wo.z) } else { 1.0 };
                let forth = lobe.eval(wo, wi) / wi.z.abs();
                let back = lobe.eval(wi, wo) / wo.z.abs() * (eta * eta);
                assert!(
                    agree(forth, back, 0.02) || largest_difference(forth, back) < 1e-3,
                    "{lobe:?} from {angle}° to {wi}: {forth:?}, back {back:?}"
                );
            }
        }
    }
}
