//! Light linking: receivers, blockers and visible lobes of lights, against pictures of scenes without links.

use renderer::film::NoiseGoal;
use renderer::image::Image;
use renderer::integrator::{Integrator, PathSettings, PhotonSettings};
use renderer::render::{RenderSettings, SampleUnit};
use renderer::scene::build::{build, check};
use support::scenes::{load_text, render_scene};
use support::stats::{Moments, Rng, normal_limit, sidak, z_score};

/// Pixels along a side of a cell.
const CELL: usize = 4;

/// Mean radiance and its variance of each block of pixels.
type Blocks = Vec<(f64, f64)>;

fn path() -> Integrator {
    Integrator::Path(PathSettings::default())
}

/// Few photons: 8 x 8 pixels need no more.
fn photon() -> Integrator {
    Integrator::Photon(PhotonSettings {
        photons: Some(30_000),
        caustic_photons: Some(30_000),
        ..PhotonSettings::default()
    })
}

/// Renders a scene, and averages blocks of `side` pixels.
fn blocks(text: &str, integrator: Integrator, spp: u64, side: usize) -> Blocks {
    seeded_blocks(text, integrator, (spp, 5), side)
}

fn seeded_blocks(text: &str, integrator: Integrator, samples: (u64, u64), side: usize) -> Blocks {
    noisy_blocks(text, integrator, samples, None, side)
}

/// As [`blocks`], with a number of samples and a seed, and with adaptive sampling if there is a goal.
fn noisy_blocks(
    text: &str,
    integrator: Integrator,
    (spp, seed): (u64, u64),
    noise: Option<NoiseGoal>,
    side: usize,
) -> Blocks {
    let desc = load_text(text, &[]);
    let built = build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let settings = RenderSettings {
        filter: built.filter.clone(),
        is_moving: built.scene.is_moving(),
        variance: true,
        integrator,
        samples: 0..spp,
        total: spp,
        unit: SampleUnit::Path,
        seed,
        noise,
        threads: 2,
        ..RenderSettings::of_camera(built.camera.clone(), desc.film.size.value)
    };
    let film = render_scene(&built.scene, &settings).state.film;
    let variance = film.variance().expect("the variance is kept");
    let (means, variances) = (sums(&film.develop(), side), sums(&variance, side));
    let n = (3 * side * side) as f64;
    // The channels of a pixel are correlated.
    let pair = |(mean, variance): (f64, f64)| (mean / n, 3.0 * variance / (n * n));
    means.into_iter().zip(variances).map(pair).collect()
}

fn sums(image: &Image, side: usize) -> Vec<f64> {
    let columns = image.width / side;
    let mut sums = vec![0.0; columns * (image.height / side)];
    for (index, value) in image.data.iter().enumerate() {
        let (x, y) = (index / 3 % image.width, index / 3 / image.width);
        sums[y / side * columns + x / side] += f64::from(*value);
    }
    sums
}

/// Mean of a picture.
fn mean(text: &str, integrator: Integrator, spp: u64) -> f64 {
    let blocks = blocks(text, integrator, spp, 4);
    blocks.iter().map(|(mean, _)| mean).sum::<f64>() / blocks.len() as f64
}

fn agree(a: f64, b: f64, tolerance: f64) {
    assert!(a == b || (a / b - 1.0).abs() < tolerance, "{a} and {b}");
}

/// A row of cells without lids, seen from above. Light that leaves a cell reaches no other.
struct Cells {
    shapes: Vec<String>,
    lights: Vec<Light>,
    /// Links that all lights share.
    shared: &'static str,
}

struct Light {
    /// Declaration up to the links, which end the block.
    declaration: String,
    receivers: Vec<usize>,
    excludes: bool,
}

impl Cells {
    fn random(seed: u64) -> Cells {
        let rng = &mut Rng::new(seed);
        let count = 2 + rng.next_u64() as usize % 3;
        let shapes = (0..count).map(|cell| cell_shapes(cell, rng)).collect();
        // Without spheres that emit, light is found by BSDF sampling too.
        let (kinds, shared) = if seed.is_multiple_of(2) { (4, UNSEEN) } else { (5, HIDDEN) };
        let lights = 0..2 + rng.next_u64() as usize % 3;
        let lights = lights.map(|index| Light::random((index, kinds), count, rng));
        Cells { shapes, lights: lights.collect(), shared }
    }

    fn film(&self) -> String {
        let n = self.shapes.len();
        format!(
            "film {{ size = ({}, {CELL}); filter = box; }}
             camera main : orthographic {{ from = ({}, 9, 0); to = ({}, 0, 0); up = (0, 0, -1); width = {}; }}
             material clear = glass(ior = 1.5);",
            CELL * n,
            n as f64 - 1.0,
            n as f64 - 1.0,
            2 * n
        )
    }

    /// The scene with links.
    fn linked(&self) -> String {
        let mut text = self.film() + &self.shapes.concat();
        for light in &self.lights {
            let cells = |keep: bool| {
                let names = (0..self.shapes.len()).filter(|cell| light.receivers.contains(cell) == keep);
                let names: Vec<String> = names.map(|cell| format!("\"c{cell}_*\"")).collect();
                if names.is_empty() {
                    "none".to_owned()
                } else {
                    format!("({})", names.join(", "))
                }
            };
            let links = match light.excludes {
                true => format!("excludes = {};", cells(false)),
                false => format!("illuminates = {};", cells(true)),
            };
            text += &format!("{} {links} {} }}\n", light.declaration, self.shared);
        }
        text
    }

    /// The scene of one light, with the cells that it illuminates.
    fn alone(&self, light: &Light) -> String {
        let shapes: Vec<&str> = light.receivers.iter().map(|&cell| &*self.shapes[cell]).collect();
        format!("{}{}{} {} }}\n", self.film(), shapes.concat(), light.declaration, self.shared)
    }
}

/// Links that keep lights from the camera.
const UNSEEN: &str = "visible_to = (diffuse, glossy, transmission, volume);";

/// Links that keep lights from the shadows of each other too.
const HIDDEN: &str = "shadow_excludes = \"lamp*\"; visible_to = (diffuse, glossy, transmission, volume);";

fn cell_shapes(cell: usize, rng: &mut Rng) -> String {
    let x = 2.0 * cell as f64;
    let (albedo, r) = (0.3 + 0.5 * rng.next_1d(), 0.2 + 0.2 * rng.next_1d());
    let wall = format!("material = matte(albedo = {albedo});");
    let material = match rng.next_u64() % 3 {
        0 => wall.clone(),
        1 => "material = metal(alpha = 0.3);".to_owned(),
        _ => "material = clear;".to_owned(),
    };
    let side = |name: &str, dx: f64, dz: f64, turn: f64| {
        format!(
            "shape c{cell}_{name} : rectangle {{ size = (2, 1); {wall}
             transform = translate({}, 0.5, {dz}) * rotate((0, 1, 0), {turn}); }}\n",
            x + dx
        )
    };
    [
        format!("shape c{cell}_floor : plane {{ size = 2; {wall} transform = translate({x}, 0, 0); }}\n"),
        side("left", -0.999, 0.0, 90.0),
        side("right", 0.999, 0.0, -90.0),
        side("back", 0.0, -0.999, 0.0),
        side("front", 0.0, 0.999, 180.0),
        format!("shape c{cell}_ball : sphere {{ center = ({x}, 0.45, 0); radius = {r}; {material} }}\n"),
    ]
    .concat()
}

impl Light {
    fn random((index, kinds): (usize, u64), cells: usize, rng: &mut Rng) -> Light {
        let x = f64::from(rng.next_1d()) * 2.0 * (cells as f64 - 1.0);
        let (z, y) = (f64::from(rng.next_1d()) - 0.5, 1.6 + f64::from(rng.next_1d()));
        let declaration = match rng.next_u64() % kinds {
            0 => format!("light l{index} : point {{ position = ({x}, {y}, {z}); intensity = 3;"),
            1 => format!(
                "light l{index} : spot {{ position = ({x}, {y}, {z}); to = ({}, 0, 0); cutoff = 60; intensity = 4;",
                x + 0.5
            ),
            2 => {
                format!(
                    "light l{index} : directional {{ direction = ({z}, -1, 0.1); irradiance = 2; angle = 5;"
                )
            }
            3 => format!("light l{index} : environment {{ color = 0.3; ground = 0.1;"),
            _ => format!(
                "shape lamp{index} : sphere {{ center = ({x}, {y}, {z}); radius = 0.3; material = emitter(radiance = 6);"
            ),
        };
        let mut receivers: Vec<usize> = (0..cells).filter(|_| rng.next_u64().is_multiple_of(2)).collect();
        if receivers.is_empty() {
            receivers.push(index % cells);
        }
        Light {
            declaration,
            receivers,
            excludes: rng.next_u64().is_multiple_of(2),
        }
    }
}

/// Paths: a Z-test of each cell of 100 scenes.
#[test]
fn paths_are_the_sum_over_the_lights_with_their_receivers() {
    let mut scores = vec![];
    for seed in 0..100 {
        let cells = Cells::random(seed);
        let linked = blocks(&cells.linked(), path(), 128, CELL);
        let mut sum = vec![(0.0, 0.0); linked.len()];
        for light in &cells.lights {
            for (sum, (mean, variance)) in sum.iter_mut().zip(blocks(&cells.alone(light), path(), 128, CELL))
            {
                sum.0 += mean;
                sum.1 += variance;
            }
        }
        for (cell, (a, b)) in linked.iter().zip(&sum).enumerate() {
            scores.push((z_score(a.0, a.1, b.0, b.1), seed, cell, a.0, b.0));
        }
    }
    // Pixels are stratified, so that the variances are too large; an error of the picture would increase the spread.
    let spread = scores.iter().map(|score| score.0 * score.0).sum::<f64>() / scores.len() as f64;
    assert!(spread < 0.2, "{spread}");
    let limit = normal_limit(sidak(0.001, scores.len())) * spread.sqrt();
    let far: Vec<_> = scores.iter().filter(|score| score.0.abs() > limit).collect();
    assert!(far.is_empty(), "{far:?}");
}

/// Guides, branches, several light samples and adaptive sampling do not change the mean.
#[test]
fn decisions_of_the_pilot_respect_links() {
    let plain = PathSettings {
        split: Some(1),
        light_samples: Some(1),
        guide: Some(false),
        ..PathSettings::default()
    };
    let guided = PathSettings { guide: Some(true), ..plain };
    let branched = PathSettings { split: Some(4), light_samples: Some(3), ..plain };
    let goal = NoiseGoal { error: 0.02, min_samples: 64, max_samples: 512 };
    let mut scores = vec![];
    for seed in 2000..2006 {
        let text = Cells::random(seed).linked();
        let expected = seeded_blocks(&text, Integrator::Path(plain), (768, 1), CELL);
        for (settings, noise) in [(guided, None), (branched, None), (plain, Some(goal))] {
            let found = noisy_blocks(&text, Integrator::Path(settings), (384, 2), noise, CELL);
            for (cell, (a, b)) in found.iter().zip(&expected).enumerate() {
                scores.push((z_score(a.0, a.1, b.0, b.1), seed, cell, a.0, b.0));
            }
        }
    }
    let limit = normal_limit(sidak(0.001, scores.len()));
    let far: Vec<_> = scores.iter().filter(|score| score.0.abs() > limit).collect();
    assert!(far.is_empty(), "{far:?}");
}

/// The picture of a moving light is the mean of the pictures at instants, with the same links.
#[test]
fn moving_lights_keep_their_links() {
    const INSTANTS: u32 = 16;
    let cells = Cells::random(3);
    let scene = |motion: &str| {
        format!(
            "{}{}light lamp : spot {{ position = (0, 2, 0); to = (0, 0, 0); cutoff = 60; intensity = 4; illuminates = \"c1_*\"; \
             {motion} }}\n{}",
            cells.film(),
            cells.shapes.concat(),
            "shape bulb : sphere { radius = 0.1; material = emitter(radiance = 30); illuminates = \"c0_*\"; \
             visible_to = (diffuse, glossy, transmission, volume); transform = translate(0.5, 1.5, 0); }"
        )
    };
    let moved = "motion = { at(0, translate(0, 0, 0)), at(0.5, translate(2, 0, 0)) };";
    let moving = blocks(&scene(moved), path(), 2048, CELL);
    let mut sum = vec![(0.0, 0.0); moving.len()];
    for instant in 0..INSTANTS {
        let x = 2.0 * (f64::from(instant) + 0.5) / f64::from(INSTANTS);
        let still = scene(&format!("motion = {{ at(0, translate({x}, 0, 0)) }};"));
        for (sum, (mean, variance)) in sum.iter_mut().zip(blocks(&still, path(), 256, CELL)) {
            sum.0 += mean / f64::from(INSTANTS);
            sum.1 += variance / f64::from(INSTANTS * INSTANTS);
        }
    }
    let unlinked = scene(moved).replace("illuminates = \"c1_*\";", "");
    let unlinked = blocks(&unlinked, path(), 256, CELL);
    assert!((unlinked[0].0 / moving[0].0 - 1.0).abs() > 0.1, "the links matter");
    for (a, b) in moving.iter().zip(&sum) {
        let z = z_score(a.0, a.1, b.0, b.1);
        assert!(z.abs() < 5.0, "{a:?} {b:?}");
    }
}

/// Means and variances of the cells over progressive photon maps of two seeds.
fn photon_cells(text: &str) -> Blocks {
    let progressive = Integrator::Photon(PhotonSettings { progressive: true, ..PhotonSettings::default() });
    let mut cells: Vec<Moments> = vec![];
    for seed in 0..2 {
        let found = seeded_blocks(text, progressive, (4, seed), CELL);
        cells.resize(found.len(), Moments::default());
        cells.iter_mut().zip(found).for_each(|(cell, (mean, _))| cell.add(mean));
    }
    cells.iter().map(|cell| (cell.mean(), cell.variance_of_mean())).collect()
}

/// Photons: each cell of 100 scenes, and their mean difference. The variance of two seeds is pooled over all cells, relative
/// to their means.
#[test]
fn photons_are_the_sum_over_the_lights_with_their_receivers() {
    // Dim cells have more noise.
    let scale = |mean: f64| mean + 0.02;
    let (mut differences, mut variance) = (vec![], 0.0);
    for seed in 1000..1100 {
        let cells = Cells::random(seed);
        let linked = photon_cells(&cells.linked());
        let mut sum = vec![(0.0, 0.0); linked.len()];
        for light in &cells.lights {
            for (sum, (mean, variance)) in sum.iter_mut().zip(photon_cells(&cells.alone(light))) {
                sum.0 += mean;
                sum.1 += variance;
            }
        }
        for (cell, (a, b)) in linked.iter().zip(&sum).enumerate() {
            differences.push((seed, cell, (a.0 - b.0) / scale(b.0)));
            variance += (a.1 + b.1) / scale(b.0).powi(2);
        }
    }
    let n = differences.len() as f64;
    let sigma = (variance / n).sqrt();
    let mean = differences.iter().map(|(.., difference)| difference).sum::<f64>() / n;
    assert!(sigma < 0.2, "{sigma}");
    assert!(mean.abs() < 4.0 * sigma / n.sqrt() + 0.005, "{mean}, σ {sigma}");
    let far: Vec<_> = differences.iter().filter(|found| found.2.abs() > 6.0 * sigma).collect();
    assert!(far.is_empty(), "{far:?}, σ {sigma}, mean {mean}");
}

/// A floor below a board that is out of the picture, with a light above the board.
fn floor_and_board(board: &str, light: &str) -> String {
    format!(
        "film {{ size = (8, 8); filter = box; }}
         camera main : perspective {{ from = (0, 1, 4); to = (0, 0, 0); fov = 20; }}
         material clear = glass(ior = 1.5);
         shape floor : plane {{ size = 4; material = matte(albedo = 0.5); }}
         {board} {light}"
    )
}

/// Lights as in [`floor_and_board`]; each declaration lacks its links.
const LIGHTS: [&str; 4] = [
    "light key : point { position = (0, 3, 0); intensity = 10;",
    "shape key : sphere { center = (0, 3, 0); radius = 0.4; material = emitter(radiance = 5);",
    "light key : environment { color = 1; ground = 0.2;",
    "light key : directional { direction = (0.1, -1, 0); irradiance = 2; angle = 10;",
];

const BOARD: &str =
    "shape board : plane { size = 3; material = matte(albedo = 0); transform = translate(0, 2, 0); }";

#[test]
fn shapes_without_shadows_do_not_block_light() {
    for light in LIGHTS {
        for (links, blocks) in [
            ("shadows = none;", false),
            ("shadow_excludes = board;", false),
            ("shadows = board;", true),
        ] {
            let expected = match blocks {
                true => floor_and_board(BOARD, &format!("{light} }}")),
                false => floor_and_board("", &format!("{light} }}")),
            };
            let linked = floor_and_board(BOARD, &format!("{light} {links} }}"));
            for integrator in [path(), photon()] {
                agree(mean(&linked, integrator, 256), mean(&expected, integrator, 256), 0.03);
            }
        }
    }
}

/// Delta lobes show a light through shapes that do not block it.
#[test]
fn mirrors_and_glass_pass_on_light_through_shapes_that_do_not_block_it() {
    let mirror = "shape mirror : plane { size = 4; material = metal(); transform = translate(0, 0.01, 0); }";
    let pane =
        "shape pane : cube { size = (3.9, 0.4, 3.9); material = clear; transform = translate(0, 0.3, 0); }";
    for light in &LIGHTS[1..] {
        let of = |board: &str, glass: &str, links: &str| {
            floor_and_board(&format!("{board} {glass}"), &format!("{light} {links} }}"))
        };
        agree(
            mean(&of(BOARD, mirror, "shadow_excludes = board;"), path(), 1024),
            mean(&of("", mirror, ""), path(), 1024),
            0.03,
        );
        for integrator in [path(), photon()] {
            agree(
                mean(&of(BOARD, pane, "shadow_excludes = board;"), integrator, 1024),
                mean(&of("", pane, ""), integrator, 1024),
                0.05,
            );
        }
    }
}

/// The pictures of disjoint sets of lobes add up to the picture of all lobes.
#[test]
fn lights_reach_the_lobes_that_they_are_visible_to() {
    let floor = "surface coated(output closure color surface = 0)
        { surface = 0.4 * diffuse(N) + 0.5 * microfacet(\"ggx\", N, 0.25, 1.5, 0); }
        shape gloss : plane { size = 4; material = coated(); transform = translate(0, 0.01, 0); }";
    for light in LIGHTS {
        let of = |to: &str| floor_and_board(floor, &format!("{light} visible_to = {to}; }}"));
        for integrator in [path(), photon()] {
            let [all, diffuse, glossy, volume] =
                ["(diffuse, glossy)", "diffuse", "glossy", "volume"].map(|to| mean(&of(to), integrator, 512));
            agree(diffuse + glossy, all, 0.03);
            assert!(diffuse > 0.0 && glossy > 0.0 && volume == 0.0, "{diffuse} {glossy} {volume}");
        }
    }
}

#[test]
fn the_camera_sees_what_is_behind_a_hidden_light() {
    let scene = |links: &str| {
        format!(
            "film {{ size = (8, 8); filter = box; }}
             camera main : perspective {{ from = (0, 0, 3); to = (0, 0, 0); fov = 20; }}
             light sky : environment {{ color = 0.25; }}
             shape lamp : sphere {{ material = emitter(radiance = 5); {links} }}"
        )
    };
    for integrator in [path(), photon()] {
        agree(mean(&scene(""), integrator, 16), 5.0, 1e-3);
        let hidden = scene("visible_to = (diffuse, glossy, transmission, volume);");
        agree(mean(&hidden, integrator, 16), 0.25, 1e-3);
    }
}

/// Fog in a body receives light as its shape, and blocks as its shape.
#[test]
fn media_are_linked_like_their_shapes() {
    let scene = |fog: bool, links: &str| {
        let fog = match fog {
            true => {
                "shape fog : cube { size = (4, 1.6, 4); material = fog(density = 0.6, albedo = 0.9);
                 transform = translate(0, 0.9, 0); }"
            }
            false => "",
        };
        let light = format!(
            "light key : spot {{ position = (0, 4, 0); to = (0, 0, 0); cutoff = 20; intensity = 10; {links} }}"
        );
        floor_and_board(fog, &light)
    };
    for integrator in [path(), photon()] {
        let of = |fog, links| mean(&scene(fog, links), integrator, 512);
        // The floor alone, the fog alone, and both.
        let both = of(true, "");
        agree(of(true, "excludes = fog;") + of(true, "excludes = floor;"), both, 0.05);
        // The fog receives the light that it does not block.
        let none = of(true, "illuminates = fog; shadow_excludes = fog;");
        assert!(none > of(true, "illuminates = fog;"), "{none}");
        assert_eq!(of(true, "illuminates = none;"), 0.0);
    }
    let of = |links| [path(), photon()].map(|integrator| mean(&scene(true, links), integrator, 512));
    for links in ["illuminates = fog; shadow_excludes = fog;", "shadow_excludes = fog;", "excludes = fog;"] {
        let [paths, photons] = of(links);
        agree(photons, paths, 0.05);
    }
}

#[test]
fn names_without_shapes_are_reported() {
    let light = "light key : point { position = (0, 3, 0); illuminates = (boards, \"b*\"); }";
    let desc = load_text(&floor_and_board(BOARD, light), &[]);
    let warnings = check(&desc).unwrap_or_else(|errors| panic!("{errors}")).warnings;
    let text = warnings.to_string();
    assert!(
        text.contains("no shape or import is called `boards`") && text.contains("`board`"),
        "{text}"
    );
    assert!(!text.contains("`b*`"), "{text}");
}

#[test]
fn too_many_classes_are_an_error() {
    let mut text = floor_and_board("", "");
    for i in 0..130 {
        text += &format!(
            "shape s{i} : sphere {{ center = ({i}, 0, 0); }}
             light l{i} : point {{ position = ({i}, 3, 0); illuminates = s{i}; }}"
        );
    }
    let errors = build(&load_text(&text, &[]), None, 0).expect_err("there are 130 sets");
    assert!(errors.to_string().contains("there can be 128"), "{errors}");
}
