//! Settings of a render from its request: samples, integrator, passes, memory.

use std::ops::Range;

use crate::command::passes;
use renderer_base::memory;
use renderer_cli::{Quality, RenderRequest};
use renderer_image::film::NoiseGoal;
use renderer_inputs::render_request::MAX_SAMPLES;
use renderer_passes::PassSet;
use renderer_scene::SceneDesc;
use renderer_support::Failure;
use renderer_transport::integrator::Integrator;
use renderer_transport::render::{RenderSettings, SampleUnit};
use renderer_transport::scene::build::Built;

/// Minimum samples per pixel with `--noise`, unless `--min-spp` is given.
const MIN_SAMPLES: u32 = 16;

/// Minimum samples per pixel of a draft.
const MIN_DRAFT_SAMPLES: u32 = 4;

/// Maximum number of paths of a draft, but for the minimum of each pixel: a few seconds on two cores.
const MAX_DRAFT_PATHS: u64 = 1 << 19;

/// Settings of the render, and the requested range of samples. `joins` is true if the samples are merged with those of
/// other runs.
pub(in crate::command) fn planned(
    request: &RenderRequest,
    desc: &SceneDesc,
    built: &Built,
    passes: PassSet,
    joins: bool,
) -> Result<(RenderSettings, Range<u64>), Failure> {
    let (mut settings, range) = settings(request, desc, built, joins)?;
    settings.passes = passes::plan(request, passes, (desc, built), &settings)?;
    let hides = desc.film.transparent || request.transparent;
    settings.integrator = settings.integrator.with_hidden_background(hides);
    check_photon_map(&settings)?;
    Ok((settings, range))
}

/// The error to reach, if one is requested, and the bounds of the samples per pixel.
fn noise_goal(request: &RenderRequest, pixels: u64) -> Option<NoiseGoal> {
    let (min_samples, max_samples) = match request.quality {
        Some(Quality::Draft) => {
            let fit = MAX_DRAFT_PATHS / pixels.max(1);
            (MIN_DRAFT_SAMPLES, fit.clamp(u64::from(MIN_DRAFT_SAMPLES), MAX_SAMPLES))
        }
        _ => (MIN_SAMPLES, MAX_SAMPLES),
    };
    Some(NoiseGoal {
        error: request.noise()?,
        // The first round is measured in four batches.
        min_samples: u64::from(request.min_spp.unwrap_or(min_samples)).next_multiple_of(4),
        max_samples: request.spp.map_or(max_samples, u64::from),
    })
}

/// Settings of the render, and the requested range of samples. With `--noise` the render also includes the samples
/// before that range.
fn settings(
    request: &RenderRequest,
    desc: &SceneDesc,
    built: &Built,
    joins: bool,
) -> Result<(RenderSettings, Range<u64>), Failure> {
    let total = u64::from(request.spp.unwrap_or(desc.sampler.spp));
    if let (Some(least), Some(most)) = (request.min_spp, request.spp)
        && least > most
    {
        return Err(Failure::User(format!(
            "error: --min-spp {least} is above --spp {most}, the most that a pixel gets"
        )));
    }
    let base = RenderSettings::new(desc, built);
    let pixels = u64::from(base.rendered().width()) * u64::from(base.rendered().height());
    let noise = noise_goal(request, pixels);
    let all = noise.map_or(total, |goal| goal.max_samples);
    let (first, end) = request.samples.unwrap_or((0, all));
    if end > all {
        return Err(Failure::User(format!(
            "error: --samples {first}..{end} asks for more than the {all} samples of a pixel\n  \
             hint: say how many there are in all, with --spp"
        )));
    }
    if let Some(goal) = &noise {
        check_rounds(goal, &(first..end))?;
    }
    let mut integrator = built.integrator.with_depth(request.scene.depth);
    if request.quality == Some(Quality::Draft) {
        integrator = integrator.for_draft();
    }
    let settings = RenderSettings {
        integrator,
        samples: if noise.is_some() { 0..end } else { first..end },
        total,
        unit: SampleUnit::Path,
        noise,
        seed: request.scene.seed(desc),
        threads: request.scene.threads(),
        time_limit: request.time,
        photon_map: request.photon_map.clone(),
        joins,
        ..base
    };
    Ok((settings, first..end))
}

/// Adaptive sampling redistributes samples at the ends of rounds: ranges of --noise begin and end there.
fn check_rounds(goal: &NoiseGoal, asked: &Range<u64>) -> Result<(), Failure> {
    for bound in [asked.start, asked.end] {
        let (before, after) = goal.rounds_about(bound);
        if bound > 0 && before != after {
            let ends = match before {
                0 => format!("the first round ends after {after} samples"),
                _ => format!("the nearest rounds end after {before} and {after} samples"),
            };
            return Err(Failure::User(format!(
                "error: --samples {}..{}: {bound} is not an end of a round of --noise\n  hint: {ends}",
                asked.start, asked.end
            )));
        }
    }
    Ok(())
}

/// A file of photon maps needs an integrator that makes the maps once.
fn check_photon_map(settings: &RenderSettings) -> Result<(), Failure> {
    if settings.is_moving && settings.photon_map.is_some() {
        let text = "error: --photon-map does not go with a scene that moves while the shutter is open\n  \
                    hint: `--set \"film.shutter=(0, 0)\"` renders an instant";
        return Err(Failure::User(text.to_owned()));
    }
    let hint = match settings.integrator {
        Integrator::Photon(photon) if photon.progressive => "leave integrator.progressive at false",
        Integrator::Photon(_) => return Ok(()),
        Integrator::Path(_) | Integrator::Auto(_) => "add --integrator photon",
    };
    if settings.photon_map.is_none() {
        return Ok(());
    }
    Err(Failure::User(format!(
        "error: --photon-map keeps the maps of the `photon` integrator, unless it is progressive\n  hint: {hint}"
    )))
}

/// Checks that the film and the photon maps fit into memory, and returns their size [bytes].
pub(in crate::command) fn check_memory(settings: &RenderSettings) -> Result<u64, Failure> {
    /// A pixel: its sums in the film and in a tile, and the picture on its way to a file.
    const PIXEL: u64 = 160;
    /// Identifiers of a pixel, about.
    const COVERING: usize = 4;
    let layers = settings.passes.as_ref().map_or(0, |plan| plan.layout().bytes(COVERING));
    let pixel = PIXEL + 3 * layers as u64;
    let (width, height) = match settings.crop {
        Some(crop) => (crop.width(), crop.height()),
        None => (settings.width, settings.height),
    };
    let pixels = u64::from(width) * u64::from(height);
    memory::check(format!("{width} × {height} pixels"), pixels * pixel)?;
    memory::check("the photon maps", settings.integrator.memory())?;
    Ok(pixels * pixel + settings.integrator.memory())
}
