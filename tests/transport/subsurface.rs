//! Subsurface scattering: colours of deep blocks, nested objects, normals, photons.

use std::f64::consts::PI;

use renderer::integrator::{Integrator, PathSettings, PhotonSettings};

use crate::media::{agree, expect, mean, path};

const UNIT: &str = "
    shader body(color albedo = 0.5, color radius = 0.1, float g = 0, normal n = N, output closure color surface = 0)
    {
        surface = subsurface_bssrdf(n, albedo, radius, g);
    }
    film { size = (16, 16); filter = box; }
";

#[test]
fn a_deep_block_has_its_albedo() {
    for (radius, g) in [("0.02", 0.0), ("(0.3, 0.02, 0.0001)", 0.0), ("0.02", 0.6), ("0.02", -0.3)] {
        let text = format!(
            "{UNIT} light sky : environment {{ color = 1; }}
             shape block : plane {{ size = 60; material = body(albedo = (0.3, 0.6, 0.9), radius = {radius}, g = {g}); }}
             camera main : perspective {{ from = (0, 3, 0); to = (0, 0, 0); up = (0, 0, 1); fov = 20; }}"
        );
        expect(&text, path(), 64, [0.3, 0.6, 0.9], 0.03);
    }
}

/// A light next to a ball on a floor.
fn ball(material: &str, more: &str) -> String {
    format!(
        "{UNIT} {more}
         shader coated(color albedo = 0.5, color radius = 0.1, output closure color surface = 0)
         {{
             surface = layer(dielectric_bsdf(N, dPdu, 1, 0, 0.2, 0.2, 1.5, \"ggx\"),
                             subsurface_bssrdf(N, albedo, radius, 0.0));
         }}
         shape floor : plane {{ size = 8; material = matte(albedo = 0.6); transform = translate(0, -1, 0); }}
         shape ball : sphere {{ radius = 1; material = {material}; }}
         shape lamp : sphere {{ radius = 0.3; material = emitter(radiance = 20); transform = translate(1.8, 2.2, 1.4); }}
         camera main : perspective {{ from = (0, 0.5, 6); to = (0, -0.3, 0); fov = 35; }}"
    )
}

#[test]
fn photons_match_paths() {
    for unit in ["body", "coated"] {
        let text = ball(&format!("{unit}(albedo = (0.9, 0.5, 0.3), radius = (0.4, 0.2, 0.05))"), "");
        let photons = Integrator::Photon(PhotonSettings::default());
        agree(mean(&text, path(), 256), mean(&text, photons, 64), 0.03);
    }
}

/// With two subsurface lobes, light that enters by the weak one also leaves by it. The ball is the only light of the
/// floor.
#[test]
fn photons_leave_by_the_lobe_they_entered_by() {
    let text = format!(
        "{UNIT}
         shader two(output closure color surface = 0)
         {{
             surface = 0.9 * subsurface_bssrdf(N, color(0.9, 0.7, 0.5), color(0.4, 0.2, 0.05), 0.0)
                     + 0.1 * subsurface_bssrdf(N, color(0.5, 0.9, 1), 0.05, 0.0);
         }}
         shape floor : plane {{ size = 8; material = matte(albedo = 0.6); transform = translate(0, -1, 0); }}
         shape ball : sphere {{ radius = 1; material = two(); }}
         light lamp : spot {{ position = (1.8, 2.2, 1.4); to = (0, 0, 0); cutoff = 15; intensity = 20; }}
         camera main : orthographic {{ from = (2, 3, 0.5); to = (2, 0, 0.5); up = (0, 0, 1); width = 1; height = 1; }}"
    );
    let photons = Integrator::Photon(PhotonSettings { gather: Some(0), ..PhotonSettings::default() });
    agree(mean(&text, path(), 1024), mean(&text, photons, 16), 0.08);
}

#[test]
fn zero_radius_is_lambertian() {
    let bent = "normal n = normalize(N + 0.3 * vector(noise(4 * P), noise(4 * P + 7), noise(4 * P + 9)))";
    let bumps = format!(
        "shader rough(color albedo = 0.5, int deep = 0, output closure color surface = 0)
         {{ {bent}; surface = deep ? subsurface_bssrdf(n, albedo, color(1e-5), 0.0) : albedo * diffuse(n); }}"
    );
    let of = |deep: u32| mean(&ball(&format!("rough(deep = {deep})"), &bumps), path(), 128);
    agree(of(0), of(1), 0.03);
    let text = ball("body(radius = 0)", "");
    agree(
        mean(&text, path(), 64),
        mean(&ball("matte(albedo = 0.5)", ""), path(), 64),
        1e-6,
    );
}

#[test]
fn nested_objects_do_not_end_random_walks() {
    let body = "body(albedo = 0.8, radius = 0.5)";
    let core = "shape core : sphere { radius = 0.6; material = matte(albedo = 0); }";
    let plain = mean(&ball(body, ""), path(), 256);
    agree(plain, mean(&ball(body, core), path(), 256), 0.02);
}

#[test]
fn depth_counts_a_random_walk_as_one_vertex() {
    let direct = Integrator::Path(PathSettings { depth: Some(2), ..PathSettings::default() });
    let text = ball("body(albedo = 0.9, radius = 0.05)", "");
    let lambert = mean(&ball("matte(albedo = 0.9)", ""), direct, 256);
    let walked = mean(&text, direct, 256);
    agree(lambert, walked, 0.1);
}

/// Far from a narrow beam, light decays as in diffusion theory: the profile R(r) of a dipole, up to a factor.
#[test]
fn far_light_decays_as_in_diffusion_theory() {
    // Mean free path 1, and the single-scattering albedo of the colour.
    let albedo: f64 = 0.8;
    let s = 4.09712 + 4.20863 * albedo - (9.59217 + 41.6808 * albedo + 17.7126 * albedo * albedo).sqrt();
    let single = 1.0 - s * s;
    let decay = (3.0 * (1.0 - single)).sqrt();
    // A matched boundary.
    let (z, d) = (1.0, 1.0 / 3.0);
    let dipole = |r: f64| {
        let term = |z: f64, at: f64| z * (decay * at + 1.0) * (-decay * at).exp() / at.powi(3);
        let (near, far) = (r.hypot(z), r.hypot(z + 4.0 * d));
        single / (4.0 * PI) * (term(z, near) + term(z + 4.0 * d, far))
    };
    // The beam is a disc of radius 1.
    let lit = |r: f64| {
        let side = |k: u32| (f64::from(k) + 0.5) / 20.0 - 1.0;
        let points = (0..40).flat_map(|i| (0..40).map(move |j| (side(i), side(j))));
        let inside = points.filter(|(x, y)| x * x + y * y < 1.0);
        inside.map(|(x, y)| dipole((r - x).hypot(y))).sum::<f64>()
    };
    let at = |r: f64| {
        let text = format!(
            "{UNIT}
             shape block : plane {{ size = 200; material = body(albedo = {albedo}, radius = 1); }}
             light beam : spot {{ intensity = 1e5; position = (0, 30, 0); cutoff = 1.9092; beam_width = 1.9091; }}
             camera main : orthographic {{ from = ({r}, 5, 0); to = ({r}, 0, 0); up = (0, 0, 1);
                                           width = 0.2; height = 0.2; }}"
        );
        mean(&text, path(), 400)[0]
    };
    let (near, far) = (2.5, 5.0);
    let found = at(near) / at(far);
    let expected = lit(near) / lit(far);
    assert!((found / expected - 1.0).abs() < 0.2, "{found}, not {expected}");
}

/// A plate of 6 mm at `place`, lit from behind, with more shapes.
fn plate(place: [f64; 3], more: &str) -> String {
    let [x, y, z] = place;
    format!(
        "{UNIT} {more}
         shape lamp : sphere {{ radius = 0.02; center = ({x}, {y}, {z} - 0.08); material = emitter(radiance = 100); }}
         shape plate : cube {{ size = (0.1, 0.1, 0.006); material = body(albedo = (0.8, 0.5, 0.3), radius = 0.001);
                              transform = translate({x}, {y}, {z}) * rotate((0, 1, 0), 35) * rotate((1, 0, 0), 25); }}
         camera main : perspective {{ from = ({x}, {y}, {z} + 0.3); to = ({x}, {y}, {z}); fov = 3; }}"
    )
}

/// A shape at the origin, so that coordinates of rays are large.
const AT_ORIGIN: &str = "shape far : sphere { radius = 0.1; material = matte(); }";

#[test]
fn light_does_not_depend_on_the_distance_from_the_origin() {
    let near = mean(&plate([0.0; 3], ""), path(), 384);
    for place in [[20.0, 0.0, 20.0], [-200.0, 100.0, 200.0]] {
        agree(near, mean(&plate(place, AT_ORIGIN), path(), 384), 0.06);
    }
    agree(near, mean(&plate([6000.0, 4000.0, -7000.0], ""), path(), 384), 0.06);
}

/// A bar of wax under a white sky, made of these shapes.
fn bar(radius: f64, shapes: &str) -> String {
    format!(
        "{UNIT} material wax = body(albedo = 0.9, radius = {radius});
         light sky : environment {{ color = 1; }}
         camera main : orthographic {{ from = (0, 0, 4); to = (0, 0, 0); width = 0.6; }}
         {shapes}"
    )
}

#[test]
fn overlapping_or_touching_objects_of_one_material_are_one() {
    let whole = "shape whole : cube { size = (2, 1, 1); material = wax; }";
    let overlap = "shape a : cube { size = (1.2, 1, 1); material = wax; transform = translate(-0.4, 0, 0); }
                   shape b : cube { size = (1.2, 1, 1); material = wax; transform = translate(0.4, 0, 0); }";
    let touch = "shape a : cube { size = (1, 1, 1); material = wax; transform = translate(-0.5, 0, 0); }
                 shape b : cube { size = (1, 1, 1); material = wax; transform = translate(0.5, 0, 0); }";
    let inside = "shape a : cube { size = (2, 1, 1); material = wax; }
                  shape b : cube { size = (0.2, 0.5, 1); material = wax; }";
    let balls = "shape a : cube { size = (2, 1, 1); material = wax; }
                 shape b : sphere { radius = 0.3; material = wax; }
                 shape c : sphere { radius = 0.3; center = (0.2, 0, 0); material = wax; }";
    for radius in [0.2, 0.01] {
        let expected = mean(&bar(radius, whole), path(), 128);
        for shapes in [overlap, touch, inside, balls] {
            agree(expected, mean(&bar(radius, shapes), path(), 128), 0.02);
        }
    }
}

#[test]
fn undeviated_transmission_is_preserved() {
    let text = format!(
        "{UNIT} light sky : environment {{ color = 1; }}
         surface veil(output closure color surface = 0)
         {{
             surface = 0.5 * subsurface_bssrdf(N, color(1), color(0.1), 0.0) + 0.5 * transparent();
         }}
         camera main : orthographic {{ from = (0, 0, 4); to = (0, 0, 0); width = 0.6; }}
         shape ball : sphere {{ radius = 1; material = veil(); }}"
    );
    expect(&text, path(), 128, [1.0; 3], 0.01);
}
