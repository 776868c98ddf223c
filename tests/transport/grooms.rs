//! Random grooms of white hair in a white furnace: each pixel is one, as no scattering loses light.

use glam::Vec3;
use renderer::film::Filter;
use renderer::render::{RenderSettings, SampleUnit};
use renderer::scene::build::build;
use support::random::Random;
use support::scenes::{load_text, render_scene};

const GROOMS: u64 = 200;
const SIZE: usize = 24;
const SAMPLES: u64 = 4;

/// Shapes of strands.
#[derive(Clone, Copy, Debug)]
enum Course {
    Wander,
    Loop,
    /// Goes back and forth on itself.
    Cusp,
    /// Repeats its points.
    Doubled,
    /// Stays at one point.
    Point,
    Straight,
}

const COURSES: [Course; 6] = [
    Course::Wander,
    Course::Loop,
    Course::Cusp,
    Course::Doubled,
    Course::Point,
    Course::Straight,
];

impl Course {
    /// Control points of a strand of about a length from a root on.
    fn points(self, random: &mut Random, root: Vec3, length: f32, count: usize) -> Vec<Vec3> {
        let step = length / count as f32;
        let (along, across) = (random.direction(), random.direction());
        let mut p = root;
        (0..count)
            .map(|index| {
                match self {
                    Course::Wander => p += random.direction() * step,
                    Course::Loop => {
                        let (sin, cos) = (index as f32 * 1.3).sin_cos();
                        p = root + (along * cos + across * sin) * (0.3 * length);
                    }
                    Course::Cusp => p += along * if index % 2 == 0 { step } else { -0.6 * step },
                    Course::Doubled if index % 3 != 0 => {}
                    Course::Doubled | Course::Straight => p += along * step,
                    Course::Point => {}
                }
                p
            })
            .collect()
    }
}

fn joined(numbers: impl Iterator<Item = f32>) -> String {
    numbers.map(|x| format!("{x:e}")).collect::<Vec<_>>().join(", ")
}

/// A scene with one groom.
fn scene(random: &mut Random) -> String {
    let radius = random.magnitude(1e-6, 1e3);
    let bases = ["linear", "bezier", "bspline", "catmull_rom"];
    let basis = bases[random.below(4)];
    let style = ["round", "ribbon", "flat"][random.below(3)];
    // Wide flat ribbons enclose cells, which hold light for thousands of scatterings.
    let least = if style == "flat" { 4.0 } else { 0.3 };
    let length = radius * random.magnitude(least, 300.0);
    let course = COURSES[random.below(COURSES.len())];
    let extent = length + 2.0 * radius;
    let place = random.direction() * (extent * [0.0, 0.0, 30.0][random.below(3)]);
    let (mut counts, mut points, mut radii) = (vec![], vec![], vec![]);
    for _ in 0..1 + random.below(20) {
        let count = if basis == "bezier" {
            4 + 3 * random.below(3)
        } else {
            2 + random.below(8)
        };
        let root = place + random.direction() * (0.5 * length * random.uniform());
        counts.push(count as f32);
        points.extend(course.points(random, root, length, count));
        let tip = random.below(3) as f32 * 0.5;
        radii.extend((0..count).map(|index| {
            let part = index as f32 / (count - 1) as f32;
            radius * (1.0 - part + tip * part) * (0.5 + random.uniform())
        }));
    }
    let normals = match style {
        "flat" => format!(
            "normals = ({});",
            joined(points.iter().flat_map(|_| random.direction().to_array()))
        ),
        _ => String::new(),
    };
    let from = place + random.direction() * (1.5 * extent);
    let vector = |v: Vec3| format!("({})", joined(v.to_array().into_iter()));
    format!(
        "// {course:?}
         camera main : perspective {{ from = {}; to = {}; fov = 45; }}
         film {{ size = ({SIZE}, {SIZE}); filter = box; }}
         light sky : environment {{ color = 1; }}
         shape groom : curves {{ basis = {basis}; style = {style}; counts = ({});
             points = ({}); radius = ({}); {normals}
             material = hair(melanin = 0, roughness = {}, radial_roughness = {}); }}",
        vector(from),
        vector(place),
        joined(counts.into_iter()),
        joined(points.iter().flat_map(|p| p.to_array())),
        joined(radii.into_iter()),
        0.1 + 0.8 * random.uniform(),
        0.1 + 0.8 * random.uniform(),
    )
}

#[test]
fn white_grooms_are_invisible_in_a_white_furnace() {
    let mut faults = vec![];
    let mut covered = 0;
    for seed in 0..GROOMS {
        let text = scene(&mut Random(seed));
        let desc = load_text(&text, &["integrator.rr_depth=1000"]);
        let built = build(&desc, None, 2).unwrap_or_else(|errors| panic!("{errors}"));
        let settings = RenderSettings {
            filter: Filter::pixel(),
            integrator: built.integrator,
            samples: 0..SAMPLES,
            total: SAMPLES,
            unit: SampleUnit::Path,
            adaptive: false,
            seed,
            threads: 2,
            ..RenderSettings::new(&desc, &built)
        };
        let film = render_scene(&built.scene, &settings).state.film;
        let image = film.develop();
        let not_finite = film.counts().non_finite;
        let values = image.data.iter().map(|&x| f64::from(x));
        let (low, high) = values
            .clone()
            .fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
        covered += image.data.iter().filter(|&&x| x != 1.0).count();
        if not_finite > 0 || !(low > 0.99 && high < 1.01) {
            let head: String = text.lines().filter(|line| !line.contains("points =")).collect();
            faults.push(format!("{seed}: {low} to {high}, {not_finite} not finite: {head}"));
        }
    }
    assert!(faults.is_empty(), "{} grooms:\n{}", faults.len(), faults.join("\n"));
    assert!(covered > 15_000, "{covered}");
}
