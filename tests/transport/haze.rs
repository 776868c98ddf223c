//! Haze lit by bright patches of surfaces: volume photon lookups along path segments.

use renderer::integrator::{Integrator, PhotonSettings};

use crate::media::{agree, mean, path};
use crate::photon::against_path::{built, shot};

/// A room without a ceiling, full of haze; a distant light illuminates a patch of the floor.
const ROOM: &str = "film { size = (12, 12); filter = box; }
    light spot : spot { position = (0, 12, 0); to = (0, -1, 0); cutoff = 1.5; intensity = 2000; }
    material wall = matte(albedo = 0.6);
    material haze = fog(density = 0.3, albedo = 0.97, anisotropy = 0.4);
    shape floor : rectangle { size = 2; material = wall; transform = translate(0, -1, 0) * rotate((1, 0, 0), -90); }
    shape back  : rectangle { size = 2; material = wall; transform = translate(0, 0, -1); }
    shape right : rectangle { size = 2; material = wall; transform = translate(1, 0, 0) * rotate((0, 1, 0), -90); }
    shape haze  : cube { size = 2; material = haze; }
    camera main : perspective { from = (-0.9, 0.4, 0.9); to = (0.6, 0.5, -0.6); fov = 50; }";

fn photon(progressive: bool) -> Integrator {
    Integrator::Photon(PhotonSettings { progressive, ..PhotonSettings::default() })
}

#[test]
fn photons_match_paths_in_haze() {
    let expected = mean(ROOM, path(), 4096);
    agree(mean(ROOM, photon(false), 64), expected, 0.04);
    agree(mean(ROOM, photon(true), 64), expected, 0.04);
}

/// Photon lookups have less noise than paths that hit the patch at random.
#[test]
fn photons_have_less_noise_than_paths_in_haze() {
    let scene = built(ROOM);
    let pixels = |integrator, spp| shot(&scene, integrator, spp).state.film.develop().data;
    let expected = pixels(path(), 2048);
    let error = |integrator| {
        let found = pixels(integrator, 16);
        let pairs = found.iter().zip(&expected);
        pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>()
    };
    let (paths, photons) = (error(path()), error(photon(false)));
    assert!(photons < 0.5 * paths, "{photons} and {paths}");
}

/// An emitting medium next to a light: photons come only from the light, so that paths sample the light of both.
#[test]
fn light_of_emitting_media_is_complete_with_photons() {
    let text = "film { size = (12, 12); filter = box; }
        volume flame() { Ci = 2 * emission() + 0.1 * absorption(); }
        light lamp : point { position = (0, 0.5, 0); intensity = 0.01; }
        shape room : cube { size = 2; material = matte(albedo = 0.7); }
        shape flame : sphere { radius = 0.3; center = (0.6, -0.4, -0.5); material = flame(); }
        camera main : perspective { from = (0.9, 0.4, 0.9); to = (-0.9, 0.2, 0.3); fov = 60; }";
    let expected = mean(text, path(), 1024);
    agree(mean(text, photon(false), 256), expected, 0.03);
    agree(mean(text, photon(true), 256), expected, 0.03);
}

/// A boundary of fog coincident with that of another object: by rounding, rays start behind the surface that they hit.
#[test]
fn rays_pass_fog_on_a_floor() {
    let text = "film { size = (32, 32); filter = box; }
        material floor = matte(albedo = 0.7);
        light lamp : point { position = (2, 2, 2); intensity = 1; }
        shape floor : rectangle { size = 6; material = floor; transform = rotate((1, 0, 0), -90); }
        shape fog : cube { size = (1.2, 2, 1.2); material = fog(density = 0.5); transform = translate(0, 1, 0); }
        camera main : perspective { from = (0, 1, 2.9); to = (-2, 0.4, 0); fov = 70; }";
    for integrator in [path(), photon(false)] {
        assert!(mean(text, integrator, 32).into_iter().all(|v| v > 0.0));
    }
}
