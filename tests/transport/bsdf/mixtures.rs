//! Mixtures of lobes, and shading normals different from the geometric normal.

use glam::Vec3;
use renderer::bsdf::{
    Bsdf, Conductor, Dielectric, Lambert, Lobe, LobePart, Microfacets, Schlick, Translucent, Transparent,
    TransportMode,
};
use renderer::color::Rgb;
use renderer::math::Frame;
use support::chi2::Chi2;
use support::stats::{Moments, Rng, normal_limit, sidak};

use super::{SIGNIFICANCE, agree, direction, largest_difference};

/// Diffuse, glossy, translucent and refracting lobes, with different normals, about +z.
fn mixture(wo: Vec3, mode: TransportMode) -> Bsdf {
    let frame = |x: f32, y: f32| {
        Frame::from_normal_tangent(Vec3::new(x, y, 1.0).normalize(), Vec3::new(1.0, 0.3, 0.1))
    };
    let mut bsdf = Bsdf::new(Vec3::Z, wo);
    bsdf.set_mode(mode);
    let gold = Conductor {
        eta: Rgb::splat(0.2),
        k: Rgb::splat(3.0),
        microfacets: Microfacets::new(0.2, 0.5),
    };
    bsdf.push(Rgb::new(0.3, 0.1, 0.2), frame(0.0, 0.0), Lobe::Lambert(Lambert));
    bsdf.push(Rgb::new(0.1, 0.3, 0.2), frame(0.4, -0.2), Lobe::Conductor(gold));
    bsdf.push(Rgb::splat(0.1), frame(-0.3, 0.1), Lobe::Translucent(Translucent));
    bsdf.push(
        Rgb::splat(0.3),
        frame(0.1, 0.3),
        Lobe::Dielectric(Dielectric::new(1.4, Microfacets::isotropic(0.3))),
    );
    bsdf
}

/// Directions of the viewer for mixtures, in world space.
fn viewers() -> Vec<Vec3> {
    [0.0, 40.0, 75.0, 120.0, 160.0].map(direction).to_vec()
}

#[test]
fn mixtures_are_sampled_and_weighted_by_their_density() {
    let modes = [TransportMode::Radiance, TransportMode::Importance];
    let cases = viewers().into_iter().flat_map(|wo| modes.map(|mode| (wo, mode)));
    let alpha = sidak(SIGNIFICANCE, 2 * viewers().len());
    for (i, (wo, mode)) in cases.enumerate() {
        let bsdf = mixture(wo, mode);
        let mut rng = Rng::new(i as u64);
        let result = Chi2::of(
            100_000,
            |wi| bsdf.pdf(wo, wi),
            || {
                let s = bsdf.sample(wo, rng.next_1d(), rng.next_2d())?;
                let (f, pdf) = bsdf.eval_pdf(wo, s.wi);
                assert!((pdf / s.pdf - 1.0).abs() < 1e-2, "{pdf} is not {}", s.pdf);
                assert!(agree(f / pdf, s.weight, 1e-3), "{f:?} / {pdf} is not {:?}", s.weight);
                Some(s.wi)
            },
        );
        result
            .verdict(alpha, normal_limit(alpha))
            .unwrap_or_else(|e| panic!("from {wo}, {mode:?}: {e}"));
    }
}

#[test]
fn mixtures_of_delta_and_other_lobes() {
    for wo in viewers() {
        let mut bsdf = Bsdf::new(Vec3::Z, wo);
        bsdf.set_mode(TransportMode::Importance);
        let frame = Frame::from_normal(Vec3::Z);
        bsdf.push(Rgb::splat(0.4), frame, Lobe::Lambert(Lambert));
        bsdf.push(
            Rgb::splat(0.5),
            frame,
            Lobe::Dielectric(Dielectric::new(1.5, Microfacets::SMOOTH)),
        );
        bsdf.push(Rgb::splat(0.1), frame, Lobe::Transparent(Transparent));
        assert!(!bsdf.is_specular() && bsdf.has_transmission() && bsdf.has(LobePart::Diffuse));
        let mut rng = Rng::new(3);
        let mean: Moments = (0..50_000)
            .map(|_| bsdf.sample(wo, rng.next_1d(), rng.next_2d()).map_or(0.0, |s| s.weight.g.into()))
            .collect();
        assert!(
            (mean.mean() - 1.0).abs() < 6.0 * mean.variance_of_mean().sqrt() + 1e-4,
            "{}",
            mean.mean()
        );
    }
}

#[test]
fn radiance_in_glass_is_scaled_by_the_squared_index() {
    for (degrees, scale) in [(20.0, 1.0 / 2.25), (170.0, 2.25)] {
        let wo = direction(degrees);
        for microfacets in [Microfacets::SMOOTH, Microfacets::isotropic(0.1)] {
            let mut bsdf = Bsdf::new(Vec3::Z, wo);
            let glass = Dielectric::transmission_only(1.5, microfacets);
            bsdf.push(Rgb::WHITE, Frame::from_normal(Vec3::Z), Lobe::Dielectric(glass));
            let mut importance = Bsdf::new(Vec3::Z, wo);
            importance.set_mode(TransportMode::Importance);
            importance.push(Rgb::WHITE, Frame::from_normal(Vec3::Z), Lobe::Dielectric(glass));
            let (u_lobe, u) = (0.5, glam::Vec2::splat(0.4));
            let (a, b) = (bsdf.sample(wo, u_lobe, u).unwrap(), importance.sample(wo, u_lobe, u).unwrap());
            assert!(agree(a.weight, b.weight * scale, 1e-5), "{:?} and {:?}", a.weight, b.weight);
            let (a, b) = (bsdf.eval(wo, a.wi), importance.eval(wo, b.wi));
            assert!(agree(a, b * scale, 1e-5), "{a:?} and {b:?}");
        }
    }
}

/// Lobes for photons at bumps.
fn bumpy_lobes() -> [Lobe; 5] {
    let rough = Microfacets::isotropic(0.6);
    [
        Lobe::Lambert(Lambert),
        Lobe::Translucent(Translucent),
        Lobe::Schlick(Schlick::mirror(rough)),
        Lobe::Dielectric(Dielectric::new(1.5, rough)),
        Lobe::Dielectric(Dielectric::reflection_only(1.5, Microfacets::isotropic(0.3))),
    ]
}

/// A lobe whose normal is any unit vector on the side of +z.
fn bumpy(n: Vec3, lobe: Lobe, wo: Vec3, mode: TransportMode) -> Bsdf {
    let mut bsdf = Bsdf::new(Vec3::Z, wo);
    bsdf.set_mode(mode);
    bsdf.push(Rgb::splat(0.5), Frame::from_normal(n), lobe);
    bsdf
}

#[test]
fn importance_is_the_adjoint_of_radiance() {
    let mut rng = Rng::new(11);
    for _ in 0..5000 {
        let (light, viewer, n) = (rng.direction(), rng.direction(), rng.direction());
        if light.z.abs() < 0.05 || viewer.z.abs() < 0.05 {
            continue;
        }
        let n = n.with_z(n.z.abs());
        for lobe in bumpy_lobes() {
            let seen = bumpy(n, lobe, viewer, TransportMode::Radiance).eval(viewer, light);
            let carried = bumpy(n, lobe, light, TransportMode::Importance).eval(light, viewer);
            let (radiance, importance) = (seen / light.z.abs(), carried / viewer.z.abs());
            assert!(
                agree(radiance, importance, 1e-2) || largest_difference(radiance, importance) < 1e-4,
                "{lobe:?} about {n} from {light} to {viewer}: {radiance:?} and {importance:?}"
            );
        }
    }
}

#[test]
fn photons_at_bumps_conserve_scattered_energy() {
    let mut rng = Rng::new(12);
    let bins = 96;
    for _ in 0..12 {
        let (wo, n) = (rng.direction(), rng.direction());
        let (wo, n) = (
            wo.with_z(wo.z + 0.1f32.copysign(wo.z)).normalize(),
            n.with_z(n.z.abs() + 0.2).normalize(),
        );
        for lobe in bumpy_lobes() {
            let bsdf = bumpy(n, lobe, wo, TransportMode::Importance);
            // The integral of the scattered light, by the midpoint rule over cos θ and φ.
            let mut sum = 0.0;
            for i in 0..2 * bins {
                let z = (i as f32 + 0.5) / bins as f32 - 1.0;
                for j in 0..4 * bins {
                    let (sin, cos) = ((j as f32 + 0.5) / (4 * bins) as f32 * std::f32::consts::TAU).sin_cos();
                    let r = (1.0 - z * z).sqrt();
                    sum += f64::from(bsdf.eval(wo, Vec3::new(r * cos, r * sin, z)).g);
                }
            }
            let expected = sum * 4.0 * std::f64::consts::PI / f64::from(8 * bins * bins);
            let drawn: Moments = (0..40_000)
                .map(|_| bsdf.sample(wo, rng.next_1d(), rng.next_2d()).map_or(0.0, |s| s.weight.g.into()))
                .collect();
            let error = 5.0 * drawn.variance_of_mean().sqrt() + 0.01 * expected + 1e-3;
            assert!(
                (drawn.mean() - expected).abs() < error,
                "{lobe:?} about {n} from {wo}: {} for {expected}",
                drawn.mean()
            );
        }
    }
}

#[test]
fn photons_at_bumps_are_adjoint_to_paths_at_mirrors_and_glass() {
    let mut rng = Rng::new(13);
    let lobes = [
        Lobe::Schlick(Schlick::mirror(Microfacets::SMOOTH)),
        Lobe::Dielectric(Dielectric::reflection_only(1.5, Microfacets::SMOOTH)),
        Lobe::Dielectric(Dielectric::new(1.5, Microfacets::SMOOTH)),
        Lobe::Dielectric(Dielectric::new(1.5, Microfacets::isotropic(0.05))),
    ];
    // An asymmetric function of the two directions.
    let mark = |viewer: Vec3, light: Vec3| {
        f64::from((1.5 + viewer.x) * (1.2 + light.y) * if viewer.z > 0.0 { 1.0 } else { 2.0 })
    };
    for tilt in [0.2, 0.5, 1.0] {
        let n = Vec3::new(tilt, 0.0, 1.0).normalize();
        for lobe in &lobes {
            let mut sums = [Moments::default(), Moments::default()];
            for _ in 0..400_000 {
                let from = rng.direction();
                for (sum, mode) in sums.iter_mut().zip([TransportMode::Radiance, TransportMode::Importance]) {
                    let sample = bumpy(n, *lobe, from, mode).sample(from, rng.next_1d(), rng.next_2d());
                    sum.add(sample.map_or(0.0, |s| {
                        let mark = match mode {
                            TransportMode::Radiance => mark(from, s.wi),
                            TransportMode::Importance => mark(s.wi, from),
                        };
                        f64::from(from.z.abs() * s.weight.g) * mark
                    }));
                }
            }
            let [seen, carried] = sums;
            let error =
                5.0 * (seen.variance_of_mean() + carried.variance_of_mean()).sqrt() + 0.002 * seen.mean();
            assert!(
                (seen.mean() - carried.mean()).abs() < error,
                "{lobe:?} about {n}: {} and {}",
                seen.mean(),
                carried.mean()
            );
        }
    }
}

// ---- Shading normals ----

#[test]
fn shading_normals_cause_no_light_leaks() {
    let mut rng = Rng::new(5);
    for _ in 0..20_000 {
        let (n, wo, wi) = (rng.direction(), rng.direction(), rng.direction());
        let n = n.with_z(n.z.abs());
        let build = |lobe| {
            let mut bsdf = Bsdf::new(Vec3::Z, wo);
            bsdf.push(Rgb::WHITE, Frame::from_normal(n), lobe);
            bsdf
        };
        let through = wo.z * wi.z < 0.0;
        let rough = Microfacets::isotropic(0.5);
        for (lobe, transmits) in [
            (Lobe::Lambert(Lambert), false),
            (Lobe::Translucent(Translucent), true),
            (Lobe::Schlick(Schlick::mirror(rough)), false),
            (Lobe::Dielectric(Dielectric::transmission_only(1.5, rough)), true),
        ] {
            let bsdf = build(lobe);
            let leaks = through != transmits && bsdf.eval_pdf(wo, wi) != (Rgb::BLACK, 0.0);
            assert!(!leaks, "{lobe:?} with normal {n} from {wo} to {wi}");
            if let Some(s) = bsdf.sample(wo, rng.next_1d(), rng.next_2d()) {
                assert_eq!(wo.z * s.wi.z < 0.0, transmits, "{lobe:?} with normal {n} from {wo} to {}", s.wi);
            }
        }
    }
}

#[test]
fn normals_turned_away_are_not_black() {
    let mut rng = Rng::new(9);
    for _ in 0..3000 {
        let (n, wo) = (rng.direction(), rng.direction());
        let (n, wo) = (
            n.with_z(n.z.abs().max(0.2)).normalize(),
            wo.with_z(wo.z.abs().max(0.05)).normalize(),
        );
        if n.dot(wo) > 0.0 {
            continue;
        }
        for lobe in [
            Lobe::Lambert(Lambert),
            Lobe::Schlick(Schlick::mirror(Microfacets::SMOOTH)),
            Lobe::Schlick(Schlick::mirror(Microfacets::isotropic(0.1))),
        ] {
            let mut bsdf = Bsdf::new(Vec3::Z, wo);
            bsdf.push(Rgb::WHITE, Frame::from_normal(n), lobe);
            let mean: Moments = (0..64)
                .map(|_| bsdf.sample(wo, rng.next_1d(), rng.next_2d()).map_or(0.0, |s| s.weight.g.into()))
                .collect();
            assert!(
                (0.2..=1.0001).contains(&mean.mean()),
                "{lobe:?} with normal {n} from {wo}: {}",
                mean.mean()
            );
        }
    }
}

#[test]
fn a_bsdf_has_a_maximum_number_of_lobes() {
    let mut bsdf = Bsdf::new(Vec3::Z, Vec3::Z);
    assert!(bsdf.is_empty() && bsdf.sample(Vec3::Z, 0.5, glam::Vec2::splat(0.5)).is_none());
    let frame = Frame::from_normal(Vec3::Z);
    assert!(bsdf.push(Rgb::BLACK, frame, Lobe::Lambert(Lambert)) && bsdf.is_empty());
    for _ in 0..renderer::bsdf::MAX_LOBES {
        assert!(bsdf.push(Rgb::splat(0.1), frame, Lobe::Lambert(Lambert)));
    }
    assert!(!bsdf.push(Rgb::WHITE, frame, Lobe::Lambert(Lambert)));
    let total = bsdf.sample(Vec3::Z, 0.99999, glam::Vec2::splat(0.5)).unwrap().weight;
    assert!(agree(total, Rgb::splat(0.8), 1e-5), "{total:?}");
}
