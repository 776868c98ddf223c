//! Every lobe against what a lobe promises: one table of lobes, one of directions, one check for each promise.

use glam::Vec3;
use renderer::bsdf::{
    Bsdf, Conductor, Dielectric, Ggx, Lambert, Lobe, LobeSample, OrenNayar, Schlick, TransportMode, Translucent,
    Transparent,
};
use renderer::color::Rgb;
use renderer::math::Frame;
use support::chi2::Chi2;
use support::stats::{Moments, Rng, normal_limit, sidak};

/// The significance of each test as a whole: a right program fails one in a hundred thousand times, were its seeds new.
const SIGNIFICANCE: f64 = 1e-5;

/// What is known of the light that a lobe returns in a white furnace.
#[derive(Clone, Copy)]
enum Furnace {
    /// All of it.
    Lossless,
    /// At most all.
    Lossy,
    /// What single scattering leaves, as measured, seen along the normal and at 60°.
    Pinned(f64, f64),
}
use Furnace::{Lossless, Lossy, Pinned};

struct Case {
    name: &'static str,
    lobe: Lobe,
    furnace: Furnace,
}

fn case(name: &'static str, lobe: Lobe, furnace: Furnace) -> Case {
    Case { name, lobe, furnace }
}

fn cases() -> Vec<Case> {
    let iso = Ggx::isotropic;
    let gold = |ggx| {
        let (eta, k) = (Rgb::new(0.143, 0.375, 1.442), Rgb::new(3.983, 2.386, 1.603));
        Lobe::Conductor(Conductor { eta, k, ggx })
    };
    let glass = |ior, ggx| Lobe::Dielectric(Dielectric::new(ior, ggx));
    let mirror = |ggx| Lobe::Schlick(Schlick::mirror(ggx));
    let plastic = Schlick::new(Rgb::new(0.04, 0.05, 0.06), iso(0.3));
    let tinted = Dielectric::new(1.33, iso(0.1)).tinted(Rgb::new(0.9, 0.5, 0.7), Rgb::new(0.2, 0.8, 0.4));
    let window = Schlick { transmission: Rgb::new(1.0, 0.8, 0.9), ..Schlick::new(Rgb::splat(0.04), iso(0.25)) };
    let edge = Schlick { f90: Rgb::new(0.9, 0.3, 0.0), exponent: 2.5, ..Schlick::new(Rgb::splat(0.3), iso(0.5)) };
    vec![
        case("lambert", Lobe::Lambert(Lambert), Lossless),
        case("translucent", Lobe::Translucent(Translucent), Lossless),
        case("oren-nayar 0", Lobe::OrenNayar(OrenNayar::new(0.0)), Lossless),
        case("oren-nayar 0.2", Lobe::OrenNayar(OrenNayar::new(0.2)), Pinned(0.9459, 0.9872)),
        case("oren-nayar 1", Lobe::OrenNayar(OrenNayar::new(1.0)), Pinned(0.6241, 0.7471)),
        case("transparent", Lobe::Transparent(Transparent), Lossless),
        case("mirror", mirror(Ggx::SMOOTH), Lossless),
        case("mirror 0.0005", mirror(iso(0.0005)), Lossy),
        case("mirror 0.2", mirror(iso(0.2)), Pinned(0.9476, 0.8941)),
        case("mirror 0.5", mirror(iso(0.5)), Pinned(0.6877, 0.6859)),
        case("mirror 1", mirror(iso(1.0)), Pinned(0.3068, 0.4091)),
        case("mirror 0.05 × 0.4", mirror(Ggx::new(0.05, 0.4)), Lossy),
        case("gold", gold(Ggx::SMOOTH), Lossy),
        case("gold 0.005", gold(iso(0.005)), Lossy),
        case("gold 0.15", gold(iso(0.15)), Lossy),
        case("gold 0.5 × 0.1", gold(Ggx::new(0.5, 0.1)), Lossy),
        case("glass", glass(1.5, Ggx::SMOOTH), Lossless),
        case("air in glass", glass(1.0 / 1.5, Ggx::SMOOTH), Lossless),
        case("matched", glass(1.0, iso(0.3)), Lossless),
        case("glass 0.01", glass(1.5, iso(0.01)), Lossy),
        case("glass 0.2", glass(1.5, iso(0.2)), Pinned(0.9951, 0.9721)),
        case("glass 0.6", glass(1.5, iso(0.6)), Pinned(0.9554, 0.8433)),
        case("glass 0.1 × 0.5", glass(1.5, Ggx::new(0.1, 0.5)), Lossy),
        case("diamond 0.3", glass(2.4, iso(0.3)), Lossy),
        case("air in glass 0.2", glass(1.0 / 1.5, iso(0.2)), Lossy),
        case("glass reflection", Lobe::Dielectric(Dielectric::reflection_only(1.5, iso(0.2))), Lossy),
        case("glass refraction", Lobe::Dielectric(Dielectric::transmission_only(1.5, iso(0.2))), Lossy),
        case("tinted water", Lobe::Dielectric(tinted), Lossy),
        case("plastic", Lobe::Schlick(plastic), Lossy),
        case("window", Lobe::Schlick(window), Lossy),
        case("false edge", Lobe::Schlick(edge), Lossy),
    ]
}

/// A direction `degrees` from the normal, off all symmetry planes.
fn direction(degrees: f32) -> Vec3 {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (sin_phi, cos_phi) = 0.7f32.sin_cos();
    Vec3::new(sin * cos_phi, sin * sin_phi, cos)
}

const ANGLES: [f32; 8] = [0.0, 30.0, 60.0, 86.0, 89.7, 180.0, 130.0, 95.0];

/// Runs `check` on every lobe from every direction and reports all that fails.
fn for_all(check: impl Fn(&Case, Vec3, &mut Rng) -> Result<(), String>) {
    let mut failures = String::new();
    for (i, case) in cases().iter().enumerate() {
        for (j, angle) in ANGLES.into_iter().enumerate() {
            let mut rng = Rng::new((i * 100 + j) as u64);
            if let Err(message) = check(case, direction(angle), &mut rng) {
                failures += &format!("{} from {angle}°: {message}\n", case.name);
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// How many standard deviations are beyond doubt where every lobe is tested from every direction.
fn z_limit() -> f64 {
    normal_limit(sidak(SIGNIFICANCE, cases().len() * ANGLES.len()))
}

fn draw(lobe: &Lobe, wo: Vec3, rng: &mut Rng) -> Option<LobeSample> {
    lobe.sample(wo, rng.next_1d(), rng.next_2d())
}

fn largest_difference(a: Rgb, b: Rgb) -> f32 {
    (a - b).map(f32::abs).max_component()
}

/// Whether `a` and `b` agree within the share `tolerance` of the larger.
fn agree(a: Rgb, b: Rgb, tolerance: f32) -> bool {
    largest_difference(a, b) <= tolerance * a.max_component().max(b.max_component())
}

#[test]
fn samples_follow_the_density() {
    let (alpha, limit) = (sidak(SIGNIFICANCE, cases().len() * ANGLES.len()), z_limit());
    for_all(|case, wo, rng| {
        if case.lobe.is_specular() {
            return Ok(());
        }
        let pdf = |wi| case.lobe.pdf(wo, wi);
        Chi2::of(100_000, pdf, || draw(&case.lobe, wo, rng).map(|s| s.wi)).verdict(alpha, limit)
    });
}

#[test]
fn specular_choices_follow_their_probability() {
    let limit = z_limit();
    for_all(|case, wo, rng| {
        if !case.lobe.is_specular() {
            return Ok(());
        }
        let samples: Vec<_> = (0..20_000).filter_map(|_| draw(&case.lobe, wo, rng)).collect();
        let through = samples.iter().filter(|s| s.kind.is_transmission()).count() as f64;
        let share = through / samples.len() as f64;
        for s in &samples[..100] {
            let p = f64::from(if s.kind.is_transmission() { s.pdf } else { 1.0 - s.pdf });
            let deviation = (p * (1.0 - p) / samples.len() as f64).sqrt();
            if (share - p).abs() > limit * deviation + 1e-7 || !s.kind.is_specular() {
                return Err(format!("{share} goes through, not {p}"));
            }
            if case.lobe.eval_pdf(wo, s.wi) != (Rgb::BLACK, 0.0) {
                return Err("a delta has a value".into());
            }
        }
        Ok(())
    });
}

#[test]
fn weight_is_value_over_density() {
    for_all(|case, wo, rng| {
        for _ in 0..2000 {
            let Some(s) = draw(&case.lobe, wo, rng) else { continue };
            let transmitted = wo.z * s.wi.z < 0.0;
            if transmitted != s.kind.is_transmission() {
                return Err(format!("{:?} to {}", s.kind, s.wi));
            }
            if transmitted && s.eta != case.lobe.eta(wo) || !transmitted && s.eta != 1.0 {
                return Err(format!("eta is {}", s.eta));
            }
            if s.kind.is_specular() {
                continue;
            }
            let (f, pdf) = case.lobe.eval_pdf(wo, s.wi);
            // The facet found again from rounded directions is off by that rounding over the width of the lobe.
            if !agree(f / pdf, s.weight, 1e-3) || (pdf / s.pdf - 1.0).abs() > 0.05 {
                return Err(format!("{f:?} / {pdf} is not {:?}, sampled with {}", s.weight, s.pdf));
            }
        }
        Ok(())
    });
}

#[test]
fn both_ways_are_the_same() {
    for_all(|case, wo, rng| {
        for _ in 0..2000 {
            let wi = match draw(&case.lobe, wo, rng) {
                Some(s) if rng.next_1d() < 0.5 => s.wi,
                _ => rng.direction(),
            };
            if wi.z.abs() < 1e-4 {
                continue;
            }
            let eta = if wo.z * wi.z < 0.0 { case.lobe.eta(wo) } else { 1.0 };
            let forth = case.lobe.eval(wo, wi) / wi.z.abs();
            let back = case.lobe.eval(wi, wo) / wo.z.abs() * (eta * eta);
            // What little passes a facet at grazing angles is a difference of numbers near one.
            if !agree(forth, back, 0.01) && largest_difference(forth, back) > 1e-5 {
                return Err(format!("towards {wi}: {forth:?}, back {back:?}"));
            }
        }
        Ok(())
    });
}

/// The light that comes back in a white furnace, with the variance of each channel's mean.
fn furnace(lobe: &Lobe, wo: Vec3, samples: usize, rng: &mut Rng) -> [Moments; 3] {
    let mut channels = [Moments::default(); 3];
    for _ in 0..samples {
        let weight = draw(lobe, wo, rng).map_or(Rgb::BLACK, |s| s.weight);
        channels.iter_mut().zip(weight.to_array()).for_each(|(m, w)| m.add(w.into()));
    }
    channels
}

#[test]
fn white_furnace() {
    let limit = z_limit();
    for_all(|case, wo, rng| {
        let measured = furnace(&case.lobe, wo, 40_000, rng)[0];
        let (mean, tolerance) = (measured.mean(), limit * measured.variance_of_mean().sqrt() + 1e-4);
        let expected = match case.furnace {
            Lossless => Some(1.0),
            Pinned(normal, _) if wo.z == 1.0 => Some(normal),
            Pinned(_, oblique) if (wo.z - 0.5).abs() < 1e-6 => Some(oblique),
            Lossy | Pinned(..) => None,
        };
        // Oren and Nayar's qualitative model returns up to 1.016.
        let most = if matches!(case.lobe, Lobe::OrenNayar(_)) { 1.016 } else { 1.0 };
        match expected {
            Some(expected) if (mean - expected).abs() > tolerance => Err(format!("{mean} is not {expected}")),
            _ if mean > most + tolerance => Err(format!("{mean} is more than came")),
            _ => Ok(()),
        }
    });
}

#[test]
fn albedo_is_that_of_the_furnace() {
    for_all(|case, wo, rng| {
        let albedo = case.lobe.albedo(wo).to_array();
        let tolerance = if case.name.contains('×') { 0.06 } else { 0.025 };
        for (channel, measured) in furnace(&case.lobe, wo, 40_000, rng).into_iter().enumerate() {
            let mean = measured.mean();
            if (f64::from(albedo[channel]) - mean).abs() > tolerance {
                return Err(format!("channel {channel}: {} but {mean} measured", albedo[channel]));
            }
        }
        Ok(())
    });
}

#[test]
fn grazing_directions_are_harmless() {
    let heights = [0f32, 1e-30, 1e-8, 1e-5, 1e-3, 0.02, 1.0];
    for case in cases() {
        let mut rng = Rng::new(7);
        // Tints weigh against their mean. Oren and Nayar's model alone has no bound where both directions graze.
        let most = if matches!(case.lobe, Lobe::OrenNayar(_)) { 1e6 } else { 3.0 };
        for wo_z in heights.into_iter().flat_map(|z| [z, -z]) {
            let wo = Vec3::new((1.0 - wo_z * wo_z).sqrt(), 0.0, wo_z);
            for wi_z in heights.into_iter().flat_map(|z| [z, -z]) {
                for phi in [0.0, 1e-6, 0.3, std::f32::consts::PI] {
                    let (sin, cos) = f32::sin_cos(phi);
                    let r = (1.0 - wi_z * wi_z).sqrt();
                    let (f, pdf) = case.lobe.eval_pdf(wo, Vec3::new(r * cos, r * sin, wi_z));
                    let sane = |x: f32| x >= 0.0 && x.is_finite();
                    assert!(
                        f.to_array().into_iter().all(sane) && sane(pdf),
                        "{} from {wo_z} to {wi_z} at {phi}: {f:?}, density {pdf}",
                        case.name
                    );
                }
            }
            for i in 0..200 {
                // The corners of the square are the most dangerous.
                let corner = |bit: i32| if i & bit == 0 { 0.0 } else { renderer::math::ONE_MINUS_EPSILON };
                let u = if i < 4 { glam::Vec2::new(corner(1), corner(2)) } else { rng.next_2d() };
                let Some(s) = case.lobe.sample(wo, rng.next_1d(), u) else { continue };
                assert!(
                    s.weight.is_finite() && s.weight.to_array().into_iter().all(|w| (0.0..most).contains(&w)),
                    "{} from {wo_z}: weight {:?}",
                    case.name,
                    s.weight
                );
                assert!(s.pdf > 0.0 && s.pdf.is_finite(), "{} from {wo_z}: density {}", case.name, s.pdf);
                assert!((s.wi.length() - 1.0).abs() < 1e-4, "{} from {wo_z}: {}", case.name, s.wi);
            }
        }
    }
}

// ---- Several lobes ----

/// Diffuse, glossy, translucent and refracting lobes, with different normals, about +z.
fn mixture(wo: Vec3) -> Bsdf {
    let frame = |x: f32, y: f32| {
        Frame::from_normal_tangent(Vec3::new(x, y, 1.0).normalize(), Vec3::new(1.0, 0.3, 0.1))
    };
    let mut bsdf = Bsdf::new(Vec3::Z, wo);
    let gold = Conductor { eta: Rgb::splat(0.2), k: Rgb::splat(3.0), ggx: Ggx::new(0.2, 0.5) };
    bsdf.push(Rgb::new(0.3, 0.1, 0.2), frame(0.0, 0.0), Lobe::Lambert(Lambert));
    bsdf.push(Rgb::new(0.1, 0.3, 0.2), frame(0.4, -0.2), Lobe::Conductor(gold));
    bsdf.push(Rgb::splat(0.1), frame(-0.3, 0.1), Lobe::Translucent(Translucent));
    bsdf.push(
        Rgb::splat(0.3),
        frame(0.1, 0.3),
        Lobe::Dielectric(Dielectric::new(1.4, Ggx::isotropic(0.3))),
    );
    bsdf
}

/// The directions from which mixtures are tested, world space.
fn viewers() -> Vec<Vec3> {
    [0.0, 40.0, 75.0, 120.0, 160.0].map(direction).to_vec()
}

#[test]
fn mixtures_follow_their_density_and_weigh_by_it() {
    let alpha = sidak(SIGNIFICANCE, viewers().len());
    for (i, wo) in viewers().into_iter().enumerate() {
        let bsdf = mixture(wo);
        let mut rng = Rng::new(i as u64);
        let result = Chi2::of(
            200_000,
            |wi| bsdf.pdf(wo, wi),
            || {
                let s = bsdf.sample(wo, rng.next_1d(), rng.next_2d())?;
                let (f, pdf) = bsdf.eval_pdf(wo, s.wi);
                assert!((pdf / s.pdf - 1.0).abs() < 1e-2, "{pdf} is not {}", s.pdf);
                assert!(agree(f / pdf, s.weight, 1e-3), "{f:?} / {pdf} is not {:?}", s.weight);
                Some(s.wi)
            },
        );
        result.verdict(alpha, normal_limit(alpha)).unwrap_or_else(|e| panic!("from {wo}: {e}"));
    }
}

#[test]
fn deltas_among_other_lobes() {
    for wo in viewers() {
        let mut bsdf = Bsdf::new(Vec3::Z, wo);
        let frame = Frame::from_normal(Vec3::Z);
        bsdf.push(Rgb::splat(0.4), frame, Lobe::Lambert(Lambert));
        bsdf.push(Rgb::splat(0.5), frame, Lobe::Dielectric(Dielectric::new(1.5, Ggx::SMOOTH)));
        bsdf.push(Rgb::splat(0.1), frame, Lobe::Transparent(Transparent));
        let bsdf = bsdf.with_mode(TransportMode::Importance);
        assert!(!bsdf.is_specular() && bsdf.has_transmission() && bsdf.has_diffuse());
        let mut rng = Rng::new(3);
        let mean: Moments = (0..50_000)
            .map(|_| bsdf.sample(wo, rng.next_1d(), rng.next_2d()).map_or(0.0, |s| s.weight.g.into()))
            .collect();
        assert!((mean.mean() - 1.0).abs() < 6.0 * mean.variance_of_mean().sqrt() + 1e-4, "{}", mean.mean());
    }
}

#[test]
fn radiance_is_squeezed_where_it_enters_glass() {
    for (degrees, scale) in [(20.0, 1.0 / 2.25), (170.0, 2.25)] {
        let wo = direction(degrees);
        for ggx in [Ggx::SMOOTH, Ggx::isotropic(0.1)] {
            let mut bsdf = Bsdf::new(Vec3::Z, wo);
            let glass = Dielectric::transmission_only(1.5, ggx);
            bsdf.push(Rgb::WHITE, Frame::from_normal(Vec3::Z), Lobe::Dielectric(glass));
            let importance = bsdf.clone().with_mode(TransportMode::Importance);
            let (u_lobe, u) = (0.5, glam::Vec2::splat(0.4));
            let (a, b) = (bsdf.sample(wo, u_lobe, u).unwrap(), importance.sample(wo, u_lobe, u).unwrap());
            assert!(agree(a.weight, b.weight * scale, 1e-5), "{:?} and {:?}", a.weight, b.weight);
            let (a, b) = (bsdf.eval(wo, a.wi), importance.eval(wo, b.wi));
            assert!(agree(a, b * scale, 1e-5), "{a:?} and {b:?}");
        }
    }
}

#[test]
fn importance_is_the_adjoint_of_radiance() {
    let mut rng = Rng::new(11);
    for _ in 0..2000 {
        let (light, viewer) = (rng.direction(), rng.direction());
        if light.z.abs() < 0.3 || viewer.z.abs() < 0.3 {
            continue;
        }
        // Normals bent for one viewer would differ from those bent for the other, so they lean a little only.
        let lean = Frame::from_normal(Vec3::new(0.1, -0.05, 1.0).normalize());
        let build = |wo, mode| {
            let mut bsdf = Bsdf::new(Vec3::Z, wo).with_mode(mode);
            bsdf.push(Rgb::splat(0.5), lean, Lobe::Lambert(Lambert));
            let glass = Dielectric::new(1.5, Ggx::isotropic(0.6));
            bsdf.push(Rgb::splat(0.5), lean, Lobe::Dielectric(glass));
            bsdf
        };
        let radiance = build(viewer, TransportMode::Radiance).eval(viewer, light) / light.z.abs();
        let importance = build(light, TransportMode::Importance).eval(light, viewer) / viewer.z.abs();
        assert!(agree(radiance, importance, 1e-2) || largest_difference(radiance, importance) < 1e-5, "{radiance:?} and {importance:?}");
    }
}

// ---- Shading normals ----

#[test]
fn shading_normals_leak_no_light() {
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
        let rough = Ggx::isotropic(0.5);
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
        let (n, wo) = (n.with_z(n.z.abs().max(0.2)).normalize(), wo.with_z(wo.z.abs().max(0.05)).normalize());
        if n.dot(wo) > 0.0 {
            continue;
        }
        for lobe in [
            Lobe::Lambert(Lambert),
            Lobe::Schlick(Schlick::mirror(Ggx::SMOOTH)),
            Lobe::Schlick(Schlick::mirror(Ggx::isotropic(0.1))),
        ] {
            let mut bsdf = Bsdf::new(Vec3::Z, wo);
            bsdf.push(Rgb::WHITE, Frame::from_normal(n), lobe);
            let mean: Moments = (0..64)
                .map(|_| bsdf.sample(wo, rng.next_1d(), rng.next_2d()).map_or(0.0, |s| s.weight.g.into()))
                .collect();
            assert!((0.2..=1.0001).contains(&mean.mean()), "{lobe:?} with normal {n} from {wo}: {}", mean.mean());
        }
    }
}

#[test]
fn one_sided_surfaces_are_black_from_behind() {
    let (front, back) = (direction(40.0), direction(140.0));
    let mut bsdf = mixture(back);
    bsdf.set_one_sided(true);
    assert!(bsdf.sample(back, 0.1, glam::Vec2::splat(0.3)).is_none());
    assert_eq!(bsdf.eval_pdf(back, direction(120.0)), (Rgb::BLACK, 0.0));
    assert!(bsdf.eval(front, direction(20.0)).g > 0.0);
}

#[test]
fn a_bsdf_holds_so_many_lobes_and_no_more() {
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
