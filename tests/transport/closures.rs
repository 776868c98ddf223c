//! Closure trees as surfaces: energy conservation, unbiased selection of excess lobes, consistent transparency for all
//! rays.

mod warnings;

use std::sync::Arc;

use glam::{Vec2, Vec3};
use renderer::bsdf::{Conductor, Dielectric, Film, Lobe, Microfacets, Schlick, TransportMode};
use renderer::color::Rgb;
use renderer::geometry::{Footprint, Interaction, ShapeId};
use renderer::interior::beer_lambert;
use renderer::material::{Host, Material, Medium, RayKind, ShadingContext, ShadingResult, Sides};
use renderer::medium::Coefficients;
use support::closures::tree;
use support::scenes::compile_both;
use support::stats::{Moments, Rng, normal_limit, sidak};

/// TSL's coat has another order of parameters, and absorption instead of a tint.
#[test]
fn tsl_coats_match_coats() {
    let albedo = |closure: &str| {
        let mut subject = Subject::new(closure, Sides::default());
        let mut surface = ShadingResult::new();
        let it = point(45.0, Vec3::Z, &mut Rng::new(1));
        subject.shade(&it, &mut surface);
        Vec3::from(surface.bsdf.albedo(it.wo).to_array())
    };
    let tsl = "make_closure<coat>(diffuse(N), 0.2, 1.4, color(0.1, 0.2, 0), vector(N))";
    let own = "coat(diffuse(N), \"N\", N, \"roughness\", 0.2, \"ior\", 1.4, \"tint\", \
               color(exp(-0.2), exp(-0.4), 1))";
    let (found, expected) = (albedo(tsl), albedo(own));
    assert!(
        found.abs_diff_eq(expected, 1e-5) && found.x < found.z,
        "{found} is not {expected}"
    );
}

/// With new seeds, a correct program fails a statistical test with this probability.
const SIGNIFICANCE: f64 = 1e-5;

/// Angles of the viewer to the geometric normal [degrees].
const ANGLES: [f32; 7] = [2.0, 45.0, 75.0, 88.0, 100.0, 150.0, 178.0];

struct Subject {
    material: Material,
    context: ShadingContext,
}

impl Subject {
    fn new(closure: &str, sides: Sides) -> Subject {
        let host = Arc::new(Host::default());
        let instances = compile_both(&format!("Ci = {closure};"), &host);
        let mut context = ShadingContext::new(host.clone());
        Subject {
            material: Material::new(instances, sides, &host, &mut context),
            context,
        }
    }

    fn shade(&mut self, it: &Interaction, surface: &mut ShadingResult) {
        self.material
            .shade(it, RayKind::CAMERA, &Footprint::POINT, &mut self.context, surface);
    }

    /// The homogeneous interior medium.
    fn medium(&self) -> Coefficients {
        match &self.material.interior().medium {
            Medium::Clear => Coefficients::default(),
            Medium::Homogeneous(medium) => medium.clone(),
            Medium::Varying(_) => panic!("it is not the same everywhere"),
        }
    }
}

/// A point of a surface with geometric normal +z, seen from an angle, at a random place.
fn point(degrees: f32, shading_normal: Vec3, rng: &mut Rng) -> Interaction {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (sin_phi, cos_phi) = 0.7f32.sin_cos();
    Interaction {
        p: Vec3::new(rng.next_1d(), rng.next_1d(), rng.next_1d()),
        p_error: 0.0,
        wo: Vec3::new(sin * cos_phi, sin * sin_phi, cos),
        ng: Vec3::Z,
        n: shading_normal,
        uv: Vec2::new(rng.next_1d(), rng.next_1d()),
        dpdu: Vec3::new(1.0, 0.2, 0.0),
        dpdv: Vec3::Y,
        t: 1.0,
        time: 0.0,
        shape: ShapeId(0),
        primitive: 0,
    }
}

/// The albedo in a white furnace, and the share of undeviated transmission, by channel.
fn furnace(subject: &mut Subject, degrees: f32, n: Vec3, rng: &mut Rng) -> ([Moments; 3], [Moments; 3]) {
    let mut surface = ShadingResult::new();
    let (mut all, mut passed) = ([Moments::default(); 3], [Moments::default(); 3]);
    for _ in 0..100 {
        let it = point(degrees, n, rng);
        subject.shade(&it, &mut surface);
        for _ in 0..12 {
            let sample = surface.bsdf.sample(it.wo, rng.next_1d(), rng.next_2d());
            // In glass, radiance is multiplied by the squared index. Subsurface scattering returns its albedo.
            let weight = sample.map_or(Rgb::BLACK, |s| {
                let below = surface.bsdf.subsurface_lobe(s.index);
                let albedo = below.map_or(Rgb::WHITE, |below| below.lobe.diffuse_albedo());
                s.weight * (s.eta * s.eta) * albedo
            });
            let pass = sample.filter(|s| s.is_null_interface()).map_or(Rgb::BLACK, |s| s.weight);
            for channel in 0..3 {
                all[channel].add(weight.to_array()[channel].into());
                passed[channel].add(pass.to_array()[channel].into());
            }
        }
    }
    (all, passed)
}

/// Allowed statistical deviation of the mean.
fn allowance(moments: &Moments, limit: f64) -> f64 {
    limit * moments.variance_of_mean().sqrt()
}

/// Returns whether light is transmitted both refracted and undeviated, so that no single factor relates radiance and
/// energy of a direction.
fn mixes_media(closure: &str) -> bool {
    let any = |names: &[&str]| names.iter().any(|name| closure.contains(name));
    any(&["translucent", "thin_transmission"])
        && any(&["dielectric_bsdf", "generalized_schlick_bsdf", "refraction", "microfacet("])
}

#[test]
fn closure_trees_conserve_energy() {
    const TREES: u64 = 320;
    let limit = normal_limit(sidak(SIGNIFICANCE, 3 * TREES as usize * ANGLES.len()));
    let mut failures = vec![];
    for seed in 0..TREES {
        let mut rng = Rng::new(seed);
        let closure = tree(&mut rng, 1 + (seed % 4) as u32, true);
        if mixes_media(&closure) {
            continue;
        }
        let mut subject = Subject::new(&closure, Sides::default());
        let n = if seed % 3 == 0 {
            Vec3::new(0.3, -0.2, 1.0).normalize()
        } else {
            Vec3::Z
        };
        for degrees in ANGLES {
            let (all, _) = furnace(&mut subject, degrees, n, &mut rng);
            for moments in all {
                let excess = moments.mean() - 1.0 - allowance(&moments, limit);
                if excess > 3e-3 {
                    failures.push(format!("{excess:.4} too much from {degrees}° (n {n}): {closure}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} times\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn transparency_is_consistent_for_all_rays() {
    let sides = [false, true].map(|one_sided| Sides { one_sided, ..Sides::default() });
    for seed in 0..80 {
        let mut rng = Rng::new(seed);
        let closure = format!("color(0.5, 0.4, 0.3) * transparent() + 0.5 * {}", tree(&mut rng, 2, true));
        for sides in sides {
            let mut subject = Subject::new(&closure, sides);
            for degrees in [20.0, 80.0, 110.0, 175.0] {
                let (all, passed) = furnace(&mut subject, degrees, Vec3::Z, &mut rng);
                let it = point(degrees, Vec3::Z, &mut rng);
                let number = subject.material.for_light(&it, 1, 1.0, &mut subject.context).transparency;
                for (moments, number) in passed.iter().zip(number.to_array()) {
                    let off = (moments.mean() - f64::from(number)).abs();
                    assert!(
                        off <= allowance(moments, 6.0) + 1e-4,
                        "{} passes of {number} from {degrees}°, {sides:?}: {closure}",
                        moments.mean()
                    );
                }
                let black = all.iter().zip(&passed).all(|(all, passed)| all.mean() == passed.mean());
                assert!(
                    black || !(sides.one_sided && degrees > 90.0),
                    "the back scatters, from {degrees}°: {closure}"
                );
            }
        }
    }
}

/// Light on the back of a one-sided surface is absorbed. The front must not transmit to that side either, or paths from
/// the camera and from lights would disagree.
#[test]
fn one_sided_surfaces_do_not_transmit() {
    let through = |one_sided: bool, seed: u64| {
        let mut rng = Rng::new(seed);
        let closure = tree(&mut rng, 2, true);
        let sides = Sides { one_sided, ..Sides::default() };
        let (mut subject, mut surface) = (Subject::new(&closure, sides), ShadingResult::new());
        let mut count = 0;
        for _ in 0..50 {
            let it = point(40.0, Vec3::Z, &mut rng);
            subject.shade(&it, &mut surface);
            let below = Vec3::new(0.48, 0.64, -0.6);
            let sample = surface.bsdf.sample(it.wo, rng.next_1d(), rng.next_2d());
            let goes = sample.is_some_and(|s| !s.is_null_interface() && !s.is_subsurface() && s.wi.z < 0.0);
            count += usize::from(goes || !surface.bsdf.eval(it.wo, below).is_black());
        }
        (count, closure)
    };
    let mut found = 0;
    for seed in 0..80 {
        found += through(false, seed).0;
        let (count, closure) = through(true, seed);
        assert_eq!(count, 0, "{closure}");
    }
    assert!(found > 200, "trees scatter through only {found} times");
}

/// Shadow rays run a reduced shader without scattering, with the same transparency and emission.
#[test]
fn reduced_shaders_for_shadow_rays_match_full_shaders() {
    let (mut smaller, mut constant) = (0, 0);
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let body = format!(
            "color c = noise(P * 5); color hidden = noise(P * 9); if (raytype(\"shadow\")) c *= 0.5; \
             Ci = c * transparent() + (1 - c) * emission() + hidden * {};",
            tree(&mut rng, (seed % 3) as u32, true)
        );
        // Every result except scattering is uniform here.
        let body = if seed % 4 == 0 {
            body.replace("noise(P * 5)", "0.25")
        } else {
            body
        };
        let host = Arc::new(Host::default());
        let both = compile_both(&body, &host);
        let ops = |instance: &shading::ShaderInstance| instance.statistics().ops;
        if let Some(light) = &both.light {
            smaller += usize::from(ops(light) < ops(&both.full));
            constant += usize::from(light.statistics().is_uniform);
        }
        let mut context = ShadingContext::new(host.clone());
        let full = Material::new(both.full.clone(), Sides::default(), &host, &mut context);
        let material = Material::new(both, Sides::default(), &host, &mut context);
        for degrees in ANGLES {
            let it = point(degrees, Vec3::Z, &mut rng);
            assert_eq!(
                material.emission_at(&it, 1, &mut context),
                full.emission_at(&it, 1, &mut context),
                "{body}"
            );
            assert_eq!(
                material.for_light(&it, 1, 1.0, &mut context).transparency,
                full.for_light(&it, 1, 1.0, &mut context).transparency,
                "{body}"
            );
        }
    }
    assert!(
        smaller > 100 && constant > 20,
        "{smaller} of 200 are smaller, {constant} constant"
    );
}

#[test]
fn excess_lobes_are_selected_without_bias() {
    const POINTS: u32 = 6000;
    let mut rng = Rng::new(3);
    for count in [7, 8, 12, 40] {
        // Lobes of different parameters and colours.
        let lobes: Vec<String> = (0..count)
            .map(|i| {
                let [r, g, b] = [(); 3].map(|()| rng.next_1d() / count as f32);
                let lobe = match i % 3 {
                    0 => format!("oren_nayar(N, {})", 0.01 * i as f32),
                    1 => format!("microfacet(\"ggx\", N, {}, 1.5, 0)", 0.2 + 0.01 * i as f32),
                    _ => format!("phong(N, {})", 1 + i),
                };
                format!("color({r}, {g}, {b}) * {lobe}")
            })
            .collect();
        let wi = Vec3::new(-0.3, -0.4, 0.8).normalize();
        let mut surface = ShadingResult::new();
        let it = point(35.0, Vec3::Z, &mut rng);
        let expected: Rgb = lobes
            .iter()
            .map(|lobe| {
                Subject::new(lobe, Sides::default()).shade(&it, &mut surface);
                surface.bsdf.eval(it.wo, wi)
            })
            .sum();
        let all = format!("{} + 0.25 * transparent() + 2 * emission()", lobes.join(" + "));
        let mut subject = Subject::new(&all, Sides::default());
        let mut found = [Moments::default(); 3];
        for i in 0..POINTS {
            let it = point(35.0, Vec3::Z, &mut rng);
            let mut surface = ShadingResult::new();
            if i % 2 == 0 {
                surface.bsdf.set_mode(TransportMode::Importance);
            }
            subject.shade(&it, &mut surface);
            assert!((surface.emission, surface.transparency) == (Rgb::splat(2.0), Rgb::splat(0.25)));
            assert!(surface.bsdf.has_transmission(), "what passes is not dropped");
            assert_eq!(surface.lobe_overflow, count > 7, "{count} lobes and a hole");
            let f = surface.bsdf.eval(it.wo, wi).to_array();
            let first = surface.bsdf.sample(it.wo, 0.4, Vec2::new(0.3, 0.6)).map(|s| s.wi);
            subject.shade(&it, &mut surface);
            assert_eq!(
                surface.bsdf.sample(it.wo, 0.4, Vec2::new(0.3, 0.6)).map(|s| s.wi),
                first,
                "the same point has the same lobes"
            );
            found.iter_mut().zip(f).for_each(|(moments, f)| moments.add(f.into()));
        }
        for (moments, expected) in found.iter().zip(expected.to_array()) {
            let off = (moments.mean() - f64::from(expected)).abs();
            assert!(
                off <= allowance(moments, 5.5) + 1e-5,
                "{} instead of {expected} of {count} lobes",
                moments.mean()
            );
        }
    }
}

/// The fast path for uniform shaders against the same shader made to look varying.
#[test]
fn cached_uniform_shaders_match_varying_shaders() {
    let mut shortcuts = 0;
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let inside = if seed % 5 == 0 {
            " + anisotropic_vdf(0.2, color(0.1, 0.7, 2), 0.0)"
        } else {
            ""
        };
        let closure = format!("{} + 0.1 * emission(){inside}", tree(&mut rng, (seed % 4) as u32, false));
        let sides = Sides {
            one_sided: seed % 2 == 0,
            two_sided_emission: seed % 3 == 0,
            ..Sides::default()
        };
        let mut uniform = Subject::new(&closure, sides);
        // A factor of one that is unknown to the compiler.
        let mut varying = Subject::new(&format!("(u < 2 ? 1.0 : 0.0) * ({closure})"), sides);
        shortcuts += usize::from(uniform.material.constant_emission().is_some());
        let (mut a, mut b) = (ShadingResult::new(), ShadingResult::new());
        for degrees in ANGLES {
            for n in [Vec3::Z, Vec3::new(0.3, -0.2, 1.0).normalize()] {
                let it = point(degrees, n, &mut rng);
                uniform.shade(&it, &mut a);
                varying.shade(&it, &mut b);
                assert_eq!((a.emission, a.transparency), (b.emission, b.transparency), "{closure}");
                for _ in 0..20 {
                    let wi = rng.direction();
                    // Products and sums are evaluated in another order.
                    let ((f, pdf), (g, other)) = (a.bsdf.eval_pdf(it.wo, wi), b.bsdf.eval_pdf(it.wo, wi));
                    let near = |a: f32, b: f32| (a - b).abs() <= 1e-5 * a.abs() + 1e-9;
                    let same = near(f.r, g.r) && near(f.g, g.g) && near(f.b, g.b) && near(pdf, other);
                    assert!(same, "{f:?}, {pdf} and {g:?}, {other}: {closure}");
                    let (u_lobe, u) = (rng.next_1d(), rng.next_2d());
                    let [a, b] = [&a, &b].map(|surface| surface.bsdf.sample(it.wo, u_lobe, u));
                    let same = match (&a, &b) {
                        (Some(a), Some(b)) => {
                            let weights = a.weight.to_array().into_iter().zip(b.weight.to_array());
                            let near = |a: f32, b: f32| (a - b).abs() <= 3e-5 * a.abs() + 1e-5;
                            (a.wi, a.lobe, a.eta) == (b.wi, b.lobe, b.eta)
                                && weights.chain([(a.pdf, b.pdf)]).all(|(a, b)| near(a, b))
                        }
                        _ => a.is_none() && b.is_none(),
                    };
                    assert!(same, "{a:?} and {b:?} from {degrees}°: {closure}");
                }
            }
        }
    }
    assert!(shortcuts > 50, "{shortcuts} were recognised as uniform");
}

/// Film parameters in closures against the same films on lobes.
#[test]
fn film_parameters_of_closures_match_films() {
    let film = ", \"thinfilm_thickness\", 300, \"thinfilm_ior\", 1.6";
    let tints = "color(1), color(0)";
    let smooth = Microfacets::SMOOTH;
    let gold = Conductor {
        eta: Rgb::new(0.2, 0.9, 1.1),
        k: Rgb::new(3.9, 2.4, 2.0),
        microfacets: smooth,
    };
    for (closure, lobe) in [
        (
            format!("dielectric_bsdf(N, dPdu, {tints}, 0, 0, 1.5, \"ggx\"{film})"),
            Lobe::Dielectric(Dielectric::reflection_only(1.5, smooth)),
        ),
        (
            format!("conductor_bsdf(N, dPdu, 0, 0, color(0.2, 0.9, 1.1), color(3.9, 2.4, 2), \"ggx\"{film})"),
            Lobe::Conductor(gold),
        ),
        (
            format!(
                "generalized_schlick_bsdf(N, dPdu, {tints}, 0, 0, color(0.04, 0.2, 0.9), color(1), 5, \"ggx\"{film})"
            ),
            Lobe::Schlick(Schlick::new(Rgb::new(0.04, 0.2, 0.9), smooth)),
        ),
    ] {
        let filmed = lobe.under(Film { thickness: 300.0, ior: 1.6 });
        for degrees in [2.0, 45.0, 75.0] {
            let it = point(degrees, Vec3::Z, &mut Rng::new(1));
            let mut surface = ShadingResult::new();
            Subject::new(&closure, Sides::default()).shade(&it, &mut surface);
            let [found, expected, bare] =
                [surface.bsdf.albedo(it.wo), filmed.albedo(it.wo), lobe.albedo(it.wo)]
                    .map(|albedo| Vec3::from(albedo.to_array()));
            assert!(found.abs_diff_eq(expected, 1e-5), "{closure}: {found}, not {expected}");
            assert!(!found.abs_diff_eq(bare, 1e-2), "{closure}: {found} without a film");
        }
    }
}

#[test]
fn media_match_their_closures() {
    let glass = "dielectric_bsdf(N, dPdu, 0.9, 0.7, 0.3, 0.3, 1.5, \"ggx\")";
    for inside in [
        "medium_vdf(0, 2.0, color(0.25, 0.5, 1), 0.0, 1.5, 0)",
        "0.5 * anisotropic_vdf(0.5, log(color(4, 2, 1)), 0.3)",
        "0.5 * log(color(2, sqrt(2.0), 1)) * (absorption() + henyey_greenstein(0.3))",
    ] {
        let bodies = [
            format!("{glass} + {inside}"),
            format!("layer({glass}, {inside})"),
            format!("coat({inside} + {glass})"),
        ];
        for body in bodies {
            let subject = Subject::new(&body, Sides::default());
            let medium = subject.medium();
            let left = beer_lambert(medium.extinction(), 3.0).to_array();
            for (left, expected) in left.into_iter().zip([0.125, 0.3536, 1.0]) {
                assert!((left - expected).abs() < 1e-3, "{left}, not {expected}: {body}");
            }
            let scatters = !inside.starts_with("medium_vdf");
            let expected = if scatters { medium.absorption } else { Rgb::BLACK };
            let difference = medium.scattering() + expected * -1.0;
            assert!(difference.map(f32::abs).max_component() < 1e-6, "{medium:?}: {body}");
            let interior = subject.material.interior();
            assert!(interior.refracts && interior.ior == Some(1.5), "{interior:?}");
        }
    }
    let black = Subject::new("medium_vdf(0, 2.0, 0, 0.0, 1.5, 0)", Sides::default());
    assert_eq!(beer_lambert(black.medium().extinction(), 1e-6), Rgb::BLACK);
    let wrong = Subject::new("color(-1, 0, 1e30 * 1e30) * absorption()", Sides::default());
    let [negative, none, endless] = wrong.medium().extinction().to_array();
    assert!(negative == 0.0 && none == 0.0 && endless.is_finite() && endless > 1e6);
}
