//! Difficult bakes: corners, thin gaps, intersecting solids, charts of one texel, sheets.

use std::path::Path;

use rayon::prelude::*;
use renderer::bake::sh::ShOrder;
use renderer::bake::{Baked, Include, Lightmap, LightmapFilter, Target};
use renderer::color::Rgb;
use renderer::integrator::{Integrator, PhotonSettings};
use renderer::scene::Scene;
use renderer::scene::build::{Built, build};
use renderer::scene::load::{LoadOptions, from_text};

use super::path_traced::{path_traced, surface_points};
use super::{lightmap, run, settings, texture};

/// A room of intersecting walls, lit through a slit: a step at a wall, two blocks 2 cm apart, a ball half in a block,
/// crumbs of a few millimetres, a sheet on the floor, and a shelf near a wall.
const SCENE: &str = "
camera main : perspective { from = (0, 1, 1.8); to = (0, 0.8, 0); fov = 80; }
material grey = matte(albedo = 0.6);
material lamp = emitter(radiance = 8);
shape floor  : cube { size = (4, 0.2, 4); material = grey; transform = translate(0, -0.1, 0); }
shape left   : cube { size = (0.2, 2.2, 4.2); material = grey; transform = translate(-2, 1, 0); }
shape right  : cube { size = (0.2, 2.2, 4.2); material = grey; transform = translate(2, 1, 0); }
shape back   : cube { size = (4.2, 2.2, 0.2); material = grey; transform = translate(0, 1, -2); }
shape front  : cube { size = (4.2, 2.2, 0.2); material = grey; transform = translate(0, 1, 2); }
shape near   : cube { size = (4.4, 0.2, 2.1); material = grey; transform = translate(0, 2, 1.2); }
shape far    : cube { size = (4.4, 0.2, 2.1); material = grey; transform = translate(0, 2, -1.2); }
shape strip  : rectangle { size = (3, 0.3); material = lamp; transform = translate(0, 2.3, 0) * rotate((1, 0, 0), 90); }
shape step   : cube { size = (1, 0.3, 0.6); material = grey; transform = translate(-1.4, 0.15, -1.6); }
shape one    : cube { size = (0.5, 0.8, 0.5); material = grey; transform = translate(0.2, 0.4, -0.5); }
shape two    : cube { size = (0.5, 0.8, 0.5); material = grey; transform = translate(0.72, 0.4, -0.5); }
shape ball   : sphere { center = (0.2, 0.8, -0.5); radius = 0.3; material = grey; }
shape sheet  : rectangle { size = (1, 0.8); material = grey; transform = translate(-0.9, 0.4, 0.6) * rotate((0, 1, 0), 35); }
shape shelf  : cube { size = (0.3, 0.02, 1.2); material = grey; transform = translate(1.73, 0.9, 0.4); }
shape crumb1 : cube { size = 0.012; material = grey; transform = translate(-0.3, 0.006, 0.2); }
shape crumb2 : cube { size = 0.009; material = grey; transform = translate(-0.2, 0.0045, 0.3) * rotate((0, 1, 0), 30); }
shape crumb3 : sphere { radius = 0.008; material = grey; transform = translate(-0.1, 0.008, 0.15); }
";

/// Irradiance at points of all surfaces: separate estimates from each half of the rays.
struct Reference {
    count: usize,
    halves: Vec<[Rgb; 2]>,
    /// The mean over all points.
    mean: f64,
}

fn scene() -> Built {
    let options = LoadOptions::default();
    let at = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (desc, _) =
        from_text("torture.kiln", SCENE, at, &options).unwrap_or_else(|errors| panic!("{errors}"));
    build(&desc, None, 2).unwrap_or_else(|errors| panic!("{errors}"))
}

fn baked(scene: &Scene, resolution: u32, samples: u32, filter: LightmapFilter) -> Baked {
    let mut target = texture(resolution);
    if let Target::Texture { denoise, .. } = &mut target {
        *denoise = filter;
    }
    let mut settings = settings(target, Include::Indirect, ShOrder::One, samples);
    settings.integrator = Integrator::Photon(PhotonSettings::default());
    run(scene, &settings)
}

/// The points are the same for every bake, because the triangles are.
fn reference(scene: &Scene, count: usize, rays: u32) -> Reference {
    let baked = baked(scene, 64, 1, LightmapFilter::None);
    let points = surface_points(scene, lightmap(&baked), count);
    let halves: Vec<[Rgb; 2]> = (points.par_chunks(64))
        .enumerate()
        .flat_map_iter(|(chunk, points)| path_traced(scene, points, rays, 64 * chunk as u32))
        .collect();
    let sum: f64 = halves.iter().map(|[a, b]| f64::from((*a + *b).luminance()) * 0.5).sum();
    Reference { count, halves, mean: sum / count as f64 }
}

/// Errors of irradiance at visible points, relative to the mean: RMSE without the noise of the reference, and 99th
/// percentile.
fn errors(scene: &Scene, map: &Lightmap, reference: &Reference) -> [f64; 2] {
    let points = surface_points(scene, map, reference.count);
    let luminance = |color: Rgb| f64::from(color.luminance()) / reference.mean;
    let (mut errors, mut noise) = (vec![], 0.0);
    for (&(_, _, uv), &[a, b]) in points.iter().zip(&reference.halves) {
        // Points in other objects and outside of the room are hidden.
        let expected = 0.5 * luminance(a + b);
        if expected > 0.02 {
            errors.push((luminance(map.lookup(uv).1) - expected).abs());
            noise += luminance(a - b).powi(2) / 4.0;
        }
    }
    errors.sort_by(f64::total_cmp);
    let squares: f64 = errors.iter().map(|e| e * e).sum();
    [((squares - noise).max(0.0) / errors.len() as f64).sqrt(), errors[errors.len() * 99 / 100]]
}

#[test]
fn corners_gaps_and_crumbs_match_path_tracing() {
    let built = scene();
    let reference = reference(&built.scene, 1000, 1024);
    let baked = baked(&built.scene, 256, 64, LightmapFilter::Bilateral);
    let [error, worst] = errors(&built.scene, lightmap(&baked), &reference);
    println!("RMSE {error:.4}, worst percent {worst:.4}");
    assert!(error < 0.16 && worst < 1.0, "{error} {worst}");
}

#[test]
#[ignore = "takes minutes"]
fn corners_gaps_and_crumbs_at_ten_thousand_points() {
    let built = scene();
    let reference = reference(&built.scene, 10_000, 4096);
    for (resolution, samples) in [(128, 64), (256, 64), (256, 256), (512, 256)] {
        for filter in [LightmapFilter::None, LightmapFilter::Bilateral] {
            let baked = baked(&built.scene, resolution, samples, filter);
            let [error, worst] = errors(&built.scene, lightmap(&baked), &reference);
            let filter = filter.name();
            println!("{resolution}², {samples} rays, {filter}: RMSE {error:.4}, worst percent {worst:.4}");
        }
    }
}
