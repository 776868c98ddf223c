//! Thin films: their colours against integrals over the spectrum, and the limits of no film.

use glam::Vec3;
use renderer::bsdf::{Conductor, Dielectric, Film, Lobe, Microfacets, Schlick};
use renderer::color::Rgb;
use renderer::spectrum::{Spectrum, Use};

use super::largest_difference;

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
        C(
            (0.5 * (size + self.0)).max(0.0).sqrt(),
            (0.5 * (size - self.0)).max(0.0).sqrt(),
        )
    }
}

/// What a stack of air, a film and a body reflects of one wavelength, by Airy's formula.
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
        outer
            .plus(inner)
            .over(C(1.0, 0.0).plus(outer.times(inner)))
            .norm()
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

/// What `lobe` reflects of light that comes at an angle of cosine `cos`, if it is smooth and opaque.
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
fn colours_are_those_of_the_spectrum() {
    let bodies = [
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
                    // Where light grazes, many waves count, and only some are added up one by one.
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
fn no_film_is_no_film() {
    let plastic = Lobe::Schlick(Schlick::new(Rgb::splat(0.04), Microfacets::isotropic(0.3)));
    for lobe in [glass(1.5), metal(0.2, 3.0), plastic] {
        for thickness in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(lobe.under(Film { thickness, ior: 1.33 }), lobe);
        }
    }
    // Thicker than any table of waves, and of an index that is no number.
    for (thickness, ior) in [(1e30, 1.33), (f32::MAX, 1.33), (300.0, f32::NAN)] {
        assert!(reflectance(&glass(1.5).under(Film { thickness, ior }), 0.6).is_finite());
    }
    // Whatever it is made of, a film that is much thinner than light is not seen, and one of air never is.
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
fn both_sides_of_a_film_reflect_the_same() {
    let film = Film {
        thickness: 300.0,
        ior: 1.8,
    };
    let both = Lobe::Dielectric(Dielectric::new(1.5, Microfacets::SMOOTH)).under(film);
    for cos in [1.0f32, 0.7, 0.4] {
        let outside = reflectance(&glass(1.5).under(film), cos);
        // Where the light from there goes inside; light of all channels chooses together.
        let cos_inside = (1.0 - (1.0 - cos * cos) / 2.25).sqrt();
        let wo = Vec3::new((1.0 - cos_inside * cos_inside).sqrt(), 0.0, -cos_inside);
        let sample = both.sample(wo, 0.0, glam::Vec2::ZERO).unwrap();
        let found = sample.weight * sample.pdf;
        assert!(!sample.kind.is_transmission());
        assert!(
            largest_difference(found, outside) < 1e-3,
            "{cos}: {found:?}, not {outside:?}"
        );
    }
}
