//! Adaptive sampling, with an error goal and by sample density: unbiased, reaches the requested error, independent of
//! threads, image size and sample ranges.
//!
//! The references in `tests/noise` have many uniform samples; `UPDATE=1 cargo test --release --workspace --test
//! transport references_are_current` renders them (minutes).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use renderer::compare::compare;
use renderer::film::{Film, FilmLayout, NoiseGoal};
use renderer::image::{Image, Rect, WriteOptions, read, write};
use renderer::render::{Progress, RenderSettings, Rendered, Silent, render, resume};
use renderer::scene::build::{Built, build};
use renderer::scene::desc::SceneDesc;
use support::scenes::{load_text, render_scene};

/// Different kinds of noise: soft shadows, a gloss, a dark corner, and a small bright light. Paths are unsplit, since
/// splitting evens noise out.
const SCENE: &str = "film { size = (48, 36); filter = box; }
integrator : path { split = 1; light_samples = 1; guide = false; }
camera main : perspective { from = (0, 1.5, 4); to = (0, 0.5, 0); fov = 45; }
material white = matte(albedo = 0.7);
material gold = metal(alpha = 0.25, energy_compensation = 0);
material lamp = emitter(radiance = (12, 10, 8));
light sky : environment { color = (0.05, 0.06, 0.08); }
shape floor : plane { size = 6; material = white; }
shape wall : rectangle { size = (3, 4); material = white; transform = translate(0, 1, -2); }
shape ball : sphere { center = (-0.6, 0.5, 0); radius = 0.5; material = gold; }
shape box : cube { size = 0.8; material = white; transform = translate(0.7, 0.4, 0.2) * rotate((0, 1, 0), 30); }
shape bulb : sphere { center = (1.2, 1.8, -0.5); radius = 0.2; material = lamp; }
";

/// Edges of a light, and uniform surfaces.
const EDGES: &str = "film { size = (48, 36); filter = box; }
integrator : path { depth = 2; split = 1; light_samples = 1; guide = false; }
camera main : perspective { from = (0, 1.5, 4); to = (0, 0.5, 0); fov = 45; }
material white = matte(albedo = 0.7);
material lamp = emitter(radiance = (12, 10, 8));
shape floor : plane { size = 6; material = white; }
shape box : cube { size = 0.8; material = white; transform = translate(0.7, 0.4, 0.2) * rotate((0, 1, 0), 30); }
shape bulb : sphere { center = (-0.6, 0.8, 0); radius = 0.3; material = lamp; }
";

/// Seed of the references, different from all other pictures.
const REFERENCE_SEED: u64 = 1_000_000;

/// Name, scene and number of samples of the references.
const REFERENCES: [(&str, &str, u64); 2] = [("scene", SCENE, 1 << 15), ("edges", EDGES, 1 << 14)];

fn reference_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("noise/{name}.exr"))
}

fn reference(name: &str) -> Image {
    read(&reference_file(name)).unwrap_or_else(|error| panic!("{error}; UPDATE=1 renders the references"))
}

/// The references match the scenes: pictures with a sixteenth of the samples have sixteen times the variance.
#[test]
fn references_are_current() {
    for (name, scene, samples) in REFERENCES {
        let look = Look::of(scene);
        if std::env::var_os("UPDATE").is_some() {
            let image = look.uniform(REFERENCE_SEED, samples);
            write(&reference_file(name), &image, &WriteOptions::default()).unwrap();
            continue;
        }
        let reference = reference(name);
        let errors = [64, 256].map(|samples| {
            let image = look.uniform(7, samples);
            compare(&image, &reference).unwrap().rel_mse * samples as f64
        });
        // Against a wrong reference, the error does not decrease with the number of samples.
        let ratio = errors[1] / errors[0];
        println!("{name}: error × samples grows by {ratio:.2}");
        assert!(ratio < 1.5, "{name}: {errors:?}");
    }
}

struct Look {
    desc: SceneDesc,
    built: Built,
}

impl Look {
    fn new() -> Look {
        Look::of(SCENE)
    }

    fn of(scene: &str) -> Look {
        let desc = load_text(scene, &[]);
        let built = build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"));
        Look { desc, built }
    }

    fn settings(&self, seed: u64, samples: u64, noise: Option<NoiseGoal>) -> RenderSettings {
        RenderSettings {
            samples: 0..samples,
            total: samples,
            seed,
            noise,
            adaptive: false,
            ..RenderSettings::new(&self.desc, &self.built)
        }
    }

    fn render(&self, settings: &RenderSettings) -> Rendered {
        render_scene(&self.built.scene, settings)
    }

    fn uniform(&self, seed: u64, samples: u64) -> Image {
        self.render(&self.settings(seed, samples, None)).state.film.develop()
    }

    fn adaptive(&self, seed: u64, goal: NoiseGoal) -> Film {
        self.render(&self.settings(seed, goal.max_samples, Some(goal))).state.film
    }
}

fn goal(error: f64, min_samples: u64) -> NoiseGoal {
    NoiseGoal { error, min_samples, max_samples: 1 << 14 }
}

#[test]
fn adaptive_sampling_is_unbiased() {
    const SEEDS: u64 = 384;
    let look = Look::new();
    let reference = reference("scene");
    // A weak goal, and very different numbers of samples, make a bias most visible.
    let goal = goal(0.15, 4);
    let size = reference.data.len();
    let (mut sums, mut squares) = (vec![0.0; size], vec![0.0; size]);
    let (mut least, mut most) = (f32::MAX, 0.0f32);
    for seed in 0..SEEDS {
        let film = look.adaptive(seed, goal);
        for (i, &v) in film.develop().data.iter().enumerate() {
            sums[i] += f64::from(v);
            squares[i] += f64::from(v).powi(2);
        }
        for count in film.sample_counts().data {
            (least, most) = (least.min(count), most.max(count));
        }
    }
    assert!(least < 8.0 && most >= 10.0 * least, "{least} to {most} samples");
    let n = SEEDS as f64;
    let (mut far, mut all, mut difference, mut variance, mut total) = (0, 0, 0.0, 0.0, 0.0);
    for i in 0..size {
        let mean = sums[i] / n;
        let error = (squares[i] / n - mean * mean) / (n - 1.0);
        let reference = f64::from(reference.data[i]);
        difference += mean - reference;
        variance += error;
        total += reference;
        // Pixels without variance, such as the light itself, have no error estimate.
        if error.sqrt() > 1e-4 * reference {
            all += 1;
            far += u32::from((mean - reference).abs() > 3.0 * error.sqrt());
        }
    }
    let bias = difference / total;
    // The second term is the error of the reference.
    let sigma = (variance.sqrt() / total).hypot(3e-4);
    println!(
        "bias {:+.3} % ± {:.3} %, {far} of {all} beyond 3 σ",
        100.0 * bias,
        100.0 * sigma
    );
    assert!(sigma < 7e-4, "it measures to {sigma}");
    // Pixels that influence their own number of samples are 0.2 % too dark.
    assert!(bias.abs() < 3.0 * sigma, "bias {bias} ± {sigma}");
    assert!(f64::from(far) < 0.02 * f64::from(all), "{far} of {all} beyond 3 σ");
}

#[test]
fn the_error_reaches_the_goal() {
    let look = Look::new();
    let reference = reference("scene");
    for error in [0.05, 0.025] {
        let (mut adaptive, mut uniform, mut samples) = (0.0, 0.0, 0);
        const SEEDS: u64 = 4;
        for seed in 0..SEEDS {
            let film = look.adaptive(seed, goal(error, 16));
            let spp = film.counts().samples / film.crop().area() as u64;
            samples += spp;
            let of = |image: &Image| compare(image, &reference).unwrap().rel_mse / SEEDS as f64;
            adaptive += of(&film.develop());
            uniform += of(&look.uniform(seed, spp));
        }
        println!(
            "asked {:.1e}, got {adaptive:.2e}; as many samples ({}) everywhere: {uniform:.2e}",
            error * error,
            samples / SEEDS
        );
        assert!(
            (0.5..1.5).contains(&(adaptive / error.powi(2))),
            "{adaptive} of {}",
            error * error
        );
        assert!(adaptive < 0.9 * uniform, "{adaptive} against {uniform}");
    }
}

#[test]
fn results_do_not_depend_on_threads_or_film_size() {
    let look = Look::new();
    let crops = [(0, 0, 48, 36), (5, 7, 6, 8), (3, 3, 4, 36), (0, 35, 48, 36), (1, 1, 18, 26)];
    for (x0, y0, x1, y1) in crops {
        let of = |threads: usize| {
            let settings = RenderSettings {
                crop: Some(Rect { x0, y0, x1, y1 }),
                threads,
                ..look.settings(3, 200, Some(NoiseGoal { max_samples: 200, ..goal(0.1, 16) }))
            };
            look.render(&settings).state
        };
        let one = of(1);
        for threads in [2, 3] {
            let other = of(threads);
            assert!(other.film == one.film && other.noise == one.noise, "{threads} threads");
        }
        let counts = one.film.sample_counts().data;
        assert!(counts.iter().all(|&count| (16.0..=200.0).contains(&count)));
    }
}

impl Look {
    /// Settings with sample density: samples have more camera rays where a pilot finds noise.
    fn with_rates(&self, seed: u64, samples: u64) -> RenderSettings {
        RenderSettings { adaptive: true, ..self.settings(seed, samples, None) }
    }
}

#[test]
fn sample_densities_lower_the_error_without_bias() {
    const SEEDS: u64 = 24;
    const SAMPLES: u64 = 96;
    let look = Look::of(EDGES);
    let reference = reference("edges");
    let total: f64 = reference.data.iter().map(|&v| f64::from(v)).sum();
    let (mut rates, mut even, mut differences) = (0.0, 0.0, vec![]);
    for seed in 0..SEEDS {
        let rendered = look.render(&look.with_rates(seed, SAMPLES));
        assert!(rendered.stats.adaptive_gain.is_some_and(|gain| gain > 1.08));
        let counts = rendered.state.film.sample_counts().data;
        let (least, most) = counts
            .iter()
            .fold((f32::MAX, 0.0f32), |(least, most), &n| (least.min(n), most.max(n)));
        // From ½ to 8 rays for each sample after the first 16.
        assert!(least == 56.0 && most >= 336.0, "{least} to {most} rays");
        let image = rendered.state.film.develop();
        rates += compare(&image, &reference).unwrap().rel_mse * rendered.stats.samples as f64;
        let image_of_even = look.uniform(seed, SAMPLES);
        even += compare(&image_of_even, &reference).unwrap().rel_mse * (SAMPLES * 48 * 36) as f64;
        differences.push(image.data.iter().map(|&v| f64::from(v)).sum::<f64>() / total - 1.0);
    }
    let bias = differences.iter().sum::<f64>() / SEEDS as f64;
    let squares: f64 = differences.iter().map(|d| (d - bias).powi(2)).sum();
    let sigma = (squares / (SEEDS * (SEEDS - 1)) as f64).sqrt().hypot(3e-4);
    println!("error × rays {:.2} times less, bias {bias:+.1e} ± {sigma:.1e}", even / rates);
    assert!(even > 1.3 * rates, "{even} against {rates}");
    assert!(bias.abs() < 3.0 * sigma && sigma < 1e-3, "bias {bias} ± {sigma}");
}

#[test]
fn sample_densities_are_those_of_any_part() {
    // The second film is larger than the region that the pilot measures completely.
    for (width, height, samples) in [(48, 36, 60), (200, 150, 20), (1024, 96, 20)] {
        let look = Look::of(&EDGES.replace("(48, 36)", &format!("({width}, {height})")));
        let whole = look.with_rates(5, samples);
        let rendered = look.render(&RenderSettings { threads: 1, ..whole.clone() });
        assert!(rendered.stats.adaptive_gain.is_some());
        let film = rendered.state.film;
        let mut joined = Film::new(width, height, None, FilmLayout::default()).unwrap();
        for range in [0..7, 7..19, 19..samples] {
            let part = look.render(&RenderSettings { samples: range, threads: 3, ..whole.clone() });
            joined.merge_film(&part.state.film);
        }
        assert!(joined == film, "{width} × {height}: parts differ");
        let crop = Rect { x0: 5, y0: 9, x1: 38, y1: 10 + height / 2 };
        let part = look.render(&RenderSettings { crop: Some(crop), ..whole });
        for (x, y) in crop.pixels() {
            assert!(part.state.film.sums().sum(x, y) == film.sums().sum(x, y), "({x}, {y}) differs");
        }
    }
}

/// Sets its flag shortly after the samples that precede the choice of densities: while the pilot runs.
struct StopInPilot<'a> {
    stop: Arc<AtomicBool>,
    settings: &'a RenderSettings,
}

impl Progress for StopInPilot<'_> {
    fn advance(&self, done: u64, _: u64) {
        let rect = self.settings.crop.expect("a part is drawn");
        if done == 16 * rect.area() as u64 {
            let stop = self.stop.clone();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(3));
                stop.store(true, Ordering::Relaxed);
            });
        }
    }
}

#[test]
fn renders_stopped_in_the_density_pilot_resume_with_the_same_bytes() {
    // The pilot measures much more than the few samples of the render, so that it needs nearly all of the time.
    let look = Look::of(&EDGES.replace("(48, 36)", "(960, 720)"));
    let settings = RenderSettings {
        crop: Some(Rect { x0: 366, y0: 360, x1: 374, y1: 364 }),
        ..look.with_rates(5, 40)
    };
    let whole = look.render(&settings);
    assert!(whole.stats.adaptive_gain.is_some());
    let stop = Arc::new(AtomicBool::new(false));
    let progress = StopInPilot { stop: stop.clone(), settings: &settings };
    let begun = render(&look.built.scene, &settings, &progress, &stop).unwrap();
    assert!(begun.state.samples.end < 40, "the pilot took no time");
    let never = AtomicBool::new(false);
    let ended = resume(&look.built.scene, &settings, begun.state, &Silent, &never).unwrap();
    assert!(ended.state.film == whole.state.film);
}
