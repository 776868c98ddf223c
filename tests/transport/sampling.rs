//! Sampler (stratification, independence), and densities of warps and tables.

use glam::{DVec2, DVec3, UVec2, Vec2, Vec3};
use renderer::sampler::Sampler;
use renderer::sampling::{
    self, AliasTable, BlockDistribution2d, Distribution1d, Distribution2d, SphericalRectangle,
    SphericalTriangle,
};
use support::chi2::Chi2;
use support::stats::{Moments, Rng, chi2_p_value, normal_limit};

const SIGNIFICANCE: f64 = 1e-6;

// ---- Sampler ----

/// The pair of numbers of call `request` for each of the first `count` samples of a pixel.
fn pairs(seed: u64, pixel: UVec2, request: usize, count: u64) -> Vec<Vec2> {
    let mut sampler = Sampler::new(seed);
    (0..count)
        .map(|index| {
            sampler.start(pixel, index);
            (0..request).for_each(|_| {
                sampler.next_2d();
            });
            sampler.next_2d()
        })
        .collect()
}

#[test]
fn every_prefix_is_a_digital_net() {
    for (seed, pixel) in [(0, UVec2::ZERO), (7, UVec2::new(3, 1)), (u64::MAX, UVec2::new(1919, 1079))] {
        for request in [0, 1, 5, 15] {
            let points = pairs(seed, pixel, request, 1024);
            for k in 0..=10 {
                for a in 0..=k {
                    let (columns, rows) = (1usize << a, 1usize << (k - a));
                    let mut filled = vec![false; columns * rows];
                    for p in &points[..1 << k] {
                        let cell = (p.y * rows as f32) as usize * columns + (p.x * columns as f32) as usize;
                        assert!(
                            !filled[cell],
                            "request {request} of {pixel}: 2^{k} points, cell {cell} twice"
                        );
                        filled[cell] = true;
                    }
                }
            }
        }
    }
}

#[test]
fn single_numbers_are_stratified() {
    let mut sampler = Sampler::new(1);
    let mut filled = [false; 4096];
    for index in 0..4096 {
        sampler.start(UVec2::new(5, 5), index);
        sampler.next_2d();
        let cell = (sampler.next_1d() * 4096.0) as usize;
        assert!(!std::mem::replace(&mut filled[cell], true));
    }
}

#[test]
fn numbers_depend_only_on_pixel_sample_and_request() {
    let draw = |sampler: &mut Sampler, index| {
        sampler.start(UVec2::new(4, 9), index);
        (sampler.next_1d(), sampler.next_2d(), sampler.next_1d())
    };
    let mut used = Sampler::new(3);
    let forward: Vec<_> = (0..50).map(|i| draw(&mut used, i)).collect();
    for i in (0..50).rev() {
        assert_eq!(draw(&mut Sampler::new(3), i), forward[i as usize]);
    }
    assert_ne!(draw(&mut Sampler::new(4), 0), forward[0]);
    assert_ne!(draw(&mut used, 1 << 32), forward[0]);
}

/// Correlation of two lists of numbers, in standard deviations of independent numbers.
fn correlation(a: &[f32], b: &[f32]) -> f64 {
    let product = |(x, y): (&f32, &f32)| (f64::from(*x) - 0.5) * (f64::from(*y) - 0.5) * 12.0;
    let sum: f64 = a.iter().zip(b).map(product).sum();
    sum / (a.len() as f64).sqrt()
}

#[test]
fn pixels_and_dimensions_are_independent() {
    let limit = normal_limit(1e-6);
    let column = |points: Vec<Vec2>| points.into_iter().map(|p| p.x).collect::<Vec<_>>();
    // Within a pixel, over its samples.
    for request in 1..20 {
        let (a, b) = (pairs(0, UVec2::ONE, 0, 4096), pairs(0, UVec2::ONE, request, 4096));
        let z = correlation(&column(a), &column(b));
        assert!(z.abs() < limit, "requests 0 and {request}: {z}");
    }
    // Over the picture at one sample index: the first number, and that of a neighbouring pixel.
    let image = |dx: u32, dy: u32, index| -> Vec<f32> {
        let pixels = (0..128 * 128u32).map(|i| UVec2::new(i % 128 + dx, i / 128 + dy));
        let mut sampler = Sampler::new(0);
        pixels
            .map(|pixel| {
                sampler.start(pixel, index);
                sampler.next_2d().x
            })
            .collect()
    };
    let first = image(0, 0, 0);
    for (dx, dy, index) in [(1, 0, 0), (0, 1, 0), (1, 1, 0), (2, 0, 0), (0, 64, 0), (0, 0, 1000)] {
        let z = correlation(&first, &image(dx, dy, index));
        assert!(z.abs() < limit, "neighbour {dx} {dy}, sample {index}: {z}");
    }
    let moments: Moments = first.iter().map(|&x| f64::from(x)).collect();
    assert!((moments.mean() - 0.5).abs() < limit * moments.variance_of_mean().sqrt());
    assert!((moments.variance() - 1.0 / 12.0).abs() < 0.003, "{}", moments.variance());
}

#[test]
fn late_requests_are_random() {
    let chi2 = |points: &[Vec2]| {
        let mut cells = [0.0; 64];
        for p in points {
            cells[(p.y * 8.0) as usize * 8 + (p.x * 8.0) as usize] += 1.0;
        }
        let expected = points.len() as f64 / 64.0;
        cells.map(|n: f64| (n - expected).powi(2) / expected).iter().sum::<f64>()
    };
    let points = |request: usize| pairs(11, UVec2::new(9, 4), request, 4096);
    // 63 degrees of freedom: neither more uniform than random numbers, like the first requests, nor less.
    assert!(chi2(&points(5)) < 1.0);
    for request in [16, 40, 300] {
        let found = chi2(&points(request));
        assert!((20.0..120.0).contains(&found), "request {request}: {found}");
        let [a, b] =
            [points(request), points(request + 1)].map(|p| p.iter().map(|p| p.x).collect::<Vec<_>>());
        let z = correlation(&a, &b);
        assert!(z.abs() < normal_limit(1e-6), "request {request}: {z}");
    }
}

#[test]
fn sampling_converges_faster_than_random_numbers() {
    let (count, pixels) = (1024, 64);
    let smooth = |p: Vec2| f64::from((p.x * 3.0).sin() * (p.y * 2.0).exp());
    // The quarter disk has an edge, and four dimensions have few points each.
    let edge = |p: Vec2| f64::from(u8::from(p.length_squared() < 0.7));
    let four = |p: Vec2, q: Vec2| smooth(p) * smooth(q);
    let mut errors = [[Moments::default(); 3]; 2];
    let mut rng = Rng::new(2);
    for x in 0..pixels {
        let pixel = UVec2::new(x, 0);
        let (p, q) = (pairs(0, pixel, 0, count), pairs(0, pixel, 1, count));
        let random = |rng: &mut Rng| (0..count).map(|_| rng.next_2d()).collect::<Vec<_>>();
        for (set, (p, q)) in [(p, q), (random(&mut rng), random(&mut rng))].into_iter().enumerate() {
            let n = count as f64;
            errors[set][0].add(p.iter().map(|&p| smooth(p)).sum::<f64>() / n);
            errors[set][1].add(p.iter().map(|&p| edge(p)).sum::<f64>() / n);
            errors[set][2].add(p.iter().zip(&q).map(|(&p, &q)| four(p, q)).sum::<f64>() / n);
        }
    }
    for (function, least_gain) in [1e4, 10.0, 1.5].into_iter().enumerate() {
        let gain = errors[1][function].variance() / errors[0][function].variance();
        assert!(gain > least_gain, "function {function}: variance {gain} times smaller");
    }
    let mean = errors[0][1].mean();
    assert!((mean - 0.7 * std::f64::consts::FRAC_PI_4).abs() < 1e-3, "{mean}");
}

// ---- Warps ----

#[test]
fn directions_follow_their_density() {
    let upper = |w: Vec3, pdf: f32| if w.z > 0.0 { pdf } else { 0.0 };
    // The border of the cone is a border of bins, because quadrature would blur it.
    let cone = 0.5;
    type Warp = (&'static str, Box<dyn Fn(Vec2) -> Vec3>, Box<dyn Fn(Vec3) -> f32>);
    let warps: [Warp; 4] = [
        (
            "cosine_hemisphere",
            Box::new(sampling::cosine_hemisphere),
            Box::new(|w| sampling::cosine_hemisphere_pdf(w.z)),
        ),
        (
            "uniform_hemisphere",
            Box::new(sampling::uniform_hemisphere),
            Box::new(move |w| upper(w, sampling::uniform_hemisphere_pdf())),
        ),
        (
            "uniform_sphere",
            Box::new(sampling::uniform_sphere),
            Box::new(|_| sampling::uniform_sphere_pdf()),
        ),
        (
            "uniform_cone",
            Box::new(move |u| sampling::uniform_cone(u, cone)),
            Box::new(move |w| if w.z > 1.0 - cone { sampling::uniform_cone_pdf(cone) } else { 0.0 }),
        ),
    ];
    for (name, warp, pdf) in warps {
        let mut rng = Rng::new(1);
        let draw = || {
            let w = warp(rng.next_2d());
            assert!((w.length() - 1.0).abs() < 1e-5, "{name}: {w}");
            Some(w)
        };
        let result = Chi2::of(200_000, pdf, draw).verdict(SIGNIFICANCE, 5.0);
        result.unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn triangles_are_sampled_uniformly() {
    let mut rng = Rng::new(4);
    let points: Vec<Vec2> = (0..200_000).map(|_| sampling::triangle(rng.next_2d())).collect();
    assert!(points.iter().all(|p| p.x >= 0.0 && p.y >= 0.0 && p.x + p.y <= 1.0));
    // Moments of the uniform density 2 over the triangle.
    for (name, expected, f) in [
        ("b1", 1.0 / 3.0, (|p| p.x) as fn(Vec2) -> f32),
        ("b2", 1.0 / 3.0, |p| p.y),
        ("b1²", 1.0 / 6.0, |p| p.x * p.x),
        ("b2²", 1.0 / 6.0, |p| p.y * p.y),
        ("b1 b2", 1.0 / 12.0, |p| p.x * p.y),
    ] {
        let moments: Moments = points.iter().map(|&p| f64::from(f(p))).collect();
        let z = (moments.mean() - expected) / moments.variance_of_mean().sqrt();
        assert!(z.abs() < 5.0, "{name}: {} is not {expected}", moments.mean());
    }
}

#[test]
fn a_split_random_number_gives_two_uniform_ones() {
    let mut rng = Rng::new(8);
    let (mut second, mut rest) = (0, Moments::default());
    for _ in 0..100_000 {
        let (is_second, u) = sampling::choose(rng.next_1d(), 0.3);
        second += u32::from(is_second);
        rest.add(u.into());
        assert!((0.0..1.0).contains(&u));
    }
    assert!((f64::from(second) / 1e5 - 0.3).abs() < 0.01);
    assert!((rest.mean() - 0.5).abs() < 0.01 && (rest.variance() - 1.0 / 12.0).abs() < 0.002);
}

// ---- Tables ----

const WEIGHTS: [f32; 8] = [0.0, 3.0, 1.0, 0.0, 0.5, f32::NAN, -2.0, 0.0];

/// Asserts that `counts` match `probabilities`, by a χ² test.
fn assert_frequencies(counts: &[usize], probabilities: &[f32]) {
    let n: usize = counts.iter().sum();
    let (mut statistic, mut cells) = (0.0, 0);
    for (&count, &p) in counts.iter().zip(probabilities) {
        let expected = f64::from(p) * n as f64;
        if p == 0.0 {
            assert_eq!(count, 0, "an impossible entry was chosen");
        } else {
            statistic += (count as f64 - expected).powi(2) / expected;
            cells += 1;
        }
    }
    assert!(
        chi2_p_value(statistic, cells - 1) > SIGNIFICANCE,
        "{counts:?} for {probabilities:?}"
    );
}

#[test]
fn a_line_is_sampled_by_its_weights() {
    let table = Distribution1d::new(&WEIGHTS);
    let probabilities: Vec<f32> = (0..table.len()).map(|i| table.probability(i)).collect();
    for (p, w) in probabilities.iter().zip([0.0, 3.0, 1.0, 0.0, 0.5, 0.0, 0.0, 0.0]) {
        assert!((p - w / 4.5).abs() < 1e-6);
    }
    assert_eq!(table.total(), 4.5);
    let mut rng = Rng::new(0);
    let mut counts = [0; 8];
    let edges = [0.0, 3.0 / 4.5, 4.0 / 4.5, renderer::math::ONE_MINUS_EPSILON];
    for u in (0..100_000).map(|_| rng.next_1d()).collect::<Vec<_>>().into_iter().chain(edges) {
        let s = table.sample(u);
        counts[s.index] += 1;
        assert_eq!(s.pdf, table.pdf(s.x), "at {u}");
        assert!((0.0..1.0).contains(&s.x) && (s.x * 8.0) as usize == s.index);
    }
    assert_frequencies(&counts, &probabilities);
}

#[test]
fn a_map_is_sampled_by_its_weights() {
    let (width, height) = (7, 5);
    let mut rng = Rng::new(6);
    let weights: Vec<f32> = (0..width * height)
        .map(|i| if i / width == 2 || i % 3 == 0 { 0.0 } else { rng.next_1d() })
        .collect();
    let table = Distribution2d::new(&weights, width);
    let mut counts = vec![0; weights.len()];
    for _ in 0..200_000 {
        let s = table.sample(rng.next_2d());
        let cell = |x: f32, n: usize| ((x * n as f32) as usize).min(n - 1);
        let index = cell(s.uv.y, height) * width + cell(s.uv.x, width);
        counts[index] += 1;
        assert!((s.pdf / table.pdf(s.uv) - 1.0).abs() < 1e-6);
        let expected = weights[index] / table.total() * (width * height) as f32;
        assert!((s.pdf / expected - 1.0).abs() < 1e-4, "{} is not {expected}", s.pdf);
    }
    let probabilities: Vec<f32> = weights.iter().map(|w| w / table.total()).collect();
    assert_frequencies(&counts, &probabilities);
}

#[test]
fn tables_without_weight_are_uniform() {
    let line = Distribution1d::new(&[0.0; 4]);
    assert!((0..4).all(|i| line.probability(i) == 0.25) && line.total() == 0.0);
    let map = Distribution2d::new(&[0.0; 6], 3);
    assert!((map.pdf(Vec2::splat(0.4)) - 1.0).abs() < 1e-6);
    assert!((map.sample(Vec2::new(0.7, 0.2)).uv - Vec2::new(0.7, 0.2)).length() < 1e-6);
    let alias = AliasTable::new(&[0.0; 4]);
    assert!((0..4).all(|i| alias.probability(i) == 0.25));
}

#[test]
fn an_alias_table_selects_by_weight() {
    let mut rng = Rng::new(12);
    let many: Vec<f32> = (0..1000).map(|_| rng.next_1d().powi(8)).collect();
    for weights in [&WEIGHTS[..], &[5.0], &many, &[1.0, 1e-20, 0.0], &[0.1; 10]] {
        let table = AliasTable::new(weights);
        let probabilities: Vec<f32> = (0..table.len()).map(|i| table.probability(i)).collect();
        assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        let mut counts = vec![0; weights.len()];
        let mut rest = Moments::default();
        for _ in 0..200_000 {
            let s = table.sample(rng.next_choice());
            assert_eq!(s.probability, probabilities[s.index]);
            assert!((0.0..1.0).contains(&s.u));
            counts[s.index] += 1;
            rest.add(s.u);
        }
        let expected_often = |i: &usize| probabilities[*i] == 0.0 || probabilities[*i] > 1e-4;
        let kept: Vec<usize> = (0..weights.len()).filter(expected_often).collect();
        let (counts, probabilities): (Vec<_>, Vec<_>) =
            kept.into_iter().map(|i| (counts[i], probabilities[i])).unzip();
        if probabilities.len() > 1 {
            assert_frequencies(&counts, &probabilities);
        }
        assert!((rest.mean() - 0.5).abs() < 0.01, "{}", rest.mean());
    }
}

#[test]
fn a_large_alias_table_keeps_small_probabilities() {
    // 24 bits leave 16 levels for each of a million entries, and none for a further choice.
    let mut rng = Rng::new(13);
    let weights: Vec<f32> = (0..1 << 20).map(|i| if i % 2 == 0 { 1.0 } else { 1e-3 }).collect();
    let table = AliasTable::new(&weights);
    let samples = 400_000;
    let (mut rare, mut rest) = (0, Moments::default());
    for _ in 0..samples {
        let choice = table.sample(rng.next_choice());
        rare += choice.index % 2;
        rest.add((choice.u * f64::from(1 << 20)).fract());
    }
    let share = rare as f64 / f64::from(samples);
    assert!((share - 1e-3 / 1.001).abs() < 2.5e-4, "{share}");
    assert!((rest.mean() - 0.5).abs() < 0.005, "{}", rest.mean());
    assert!((rest.variance() - 1.0 / 12.0).abs() < 0.005, "{}", rest.variance());
}

#[test]
fn numbers_for_choices_are_stratified_with_full_precision() {
    let (mut hits, mut fine) = (vec![0; 1024], Moments::default());
    let mut sampler = Sampler::new(3);
    for index in 0..1024 {
        sampler.start(UVec2::new(5, 6), index);
        let u = sampler.next_choice();
        hits[(u * 1024.0) as usize] += 1;
        fine.add((u * f64::from(1 << 30) * 64.0).fract());
    }
    assert!(hits.iter().all(|&count| count == 1));
    assert!((fine.mean() - 0.5).abs() < 0.05, "{}", fine.mean());
    assert!((fine.variance() - 1.0 / 12.0).abs() < 0.02, "{}", fine.variance());
}

#[test]
fn mis_weights_add_up_to_one() {
    for heuristic in [sampling::balance_heuristic, sampling::power_heuristic] {
        for (a, b) in [(1.0, 1.0), (0.3, 2.0), (1e-30, 1e30), (1e30, 1e-30), (f32::MAX, 1.0), (0.0, 1.0)] {
            let (wa, wb) = (heuristic(a, b), heuristic(b, a));
            assert!((wa + wb - 1.0).abs() < 1e-6, "{a} and {b}: {wa} + {wb}");
        }
        assert_eq!(heuristic(0.0, 0.0), 0.0);
        assert_eq!(heuristic(2.0, 0.0), 1.0);
    }
}

/// A map large enough for block sampling, with a bright spot in a uniform block and sides that are not multiples of the
/// block size.
#[test]
fn a_large_map_is_sampled_by_blocks() {
    let (width, height) = (1030, 517);
    let spot = |x: usize, y: usize| (300..303).contains(&x) && (101..104).contains(&y);
    let weights: Vec<f32> = (0..width * height)
        .map(|i| match (i % width, i / width) {
            (x, y) if spot(x, y) => 30_000.0,
            (_, y) if y < 40 => 0.0,
            (x, y) => 1.0 + ((x / 100 + y / 100) % 3) as f32,
        })
        .collect();
    let total: f64 = weights.iter().copied().map(f64::from).sum();
    let table = BlockDistribution2d::new(&weights, width);
    let mut rng = Rng::new(9);
    // Frequencies of 10 × 10 parts, and of the spot.
    let part_of = |x: usize, y: usize| {
        if spot(x, y) { 100 } else { y * 10 / height * 10 + x * 10 / width }
    };
    let mut expected = vec![0.0f64; 101];
    for (i, &weight) in weights.iter().enumerate() {
        expected[part_of(i % width, i / width)] += f64::from(weight) / total * 1e5;
    }
    let (mut counts, mut spread, mut beyond) = (vec![0u64; 101], Moments::default(), 0);
    for _ in 0..100_000 {
        let s = table.sample(rng.next_2d());
        assert!((0.0..1.0).contains(&s.uv.x) && (0.0..1.0).contains(&s.uv.y) && s.pdf > 0.0);
        let (x, y) = ((s.uv.x * width as f32) as usize, (s.uv.y * height as f32) as usize);
        counts[part_of(x, y)] += 1;
        beyond += u32::from((table.pdf(s.uv) / s.pdf - 1.0).abs() > 1e-4);
        spread.add(f64::from(weights[y * width + x]) / f64::from(s.pdf));
    }
    assert_counts("parts", &counts, &expected);
    // Rounding moves a few points beyond the border of their cell.
    assert!(beyond < 500, "{beyond}");
    // Weight over density estimates the mean weight, with little noise.
    let mean = total / weights.len() as f64;
    assert!((spread.mean() / mean - 1.0).abs() < 0.01 && spread.variance().sqrt() < 0.2 * mean);
    let integral: f64 = (0..400_000).map(|_| f64::from(table.pdf(rng.next_2d()))).sum::<f64>() / 4e5;
    assert!((integral - 1.0).abs() < 0.2, "{integral}");
}

// ---- Solid angles ----

/// The solid angle of a rectangle with corner `low`, seen from the origin.
fn rectangle_solid_angle(low: DVec2, size: DVec2, z: f64) -> f64 {
    let corner = |x: f64, y: f64| (x * y / (z * (x * x + y * y + z * z).sqrt())).atan();
    let high = low + size;
    corner(high.x, high.y) - corner(low.x, high.y) - corner(high.x, low.y) + corner(low.x, low.y)
}

/// The solid angle of a triangle, seen from the origin.
fn triangle_solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let [a, b, c] = [a, b, c].map(DVec3::normalize);
    2.0 * a.dot(b.cross(c)).abs().atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
}

/// Asserts that `counts` match `expected`, by a χ² test; cells with small expected counts are pooled.
fn assert_counts(name: &str, counts: &[u64], expected: &[f64]) {
    let (mut statistic, mut cells, mut rest) = (0.0, 0, (0.0, 0.0));
    let mut add = |count: f64, expected: f64| {
        statistic += (count - expected).powi(2) / expected;
        cells += 1;
    };
    for (&count, &expected) in counts.iter().zip(expected) {
        if expected >= 8.0 {
            add(count as f64, expected);
        } else {
            rest = (rest.0 + count as f64, rest.1 + expected);
        }
    }
    if rest.1 >= 8.0 {
        add(rest.0, rest.1);
    }
    assert!(
        cells < 2 || chi2_p_value(statistic, cells - 1) > SIGNIFICANCE,
        "{name}: {counts:?}, where {expected:.0?} are expected"
    );
}

/// Viewpoints of a unit square: far away, near, to the side, at an edge, directly above the middle.
const VIEWPOINTS: [[f32; 3]; 9] = [
    [0.5, 0.5, 1.0],
    [0.5, 0.5, 0.01],
    [0.2, 0.9, 4e-3],
    [-0.5, 0.3, 0.1],
    [-3.0, 0.4, 1.0],
    [1.0, 1.0, 0.05],
    [0.0, 0.5, 0.02],
    [-2.0, -3.0, 2.0],
    [4.0, 6.0, 9.0],
];

#[test]
fn spherical_rectangles_are_sampled_by_solid_angle() {
    const COUNT: u64 = 20_000;
    const CELLS: usize = 6;
    let mut rng = Rng::new(5);
    for scale in [1e-3f32, 1.0, 1e5] {
        for size in [Vec2::ONE, Vec2::new(1.0, 0.05), Vec2::new(0.2, 6.0)].map(|size| size * scale) {
            for [x, y, z] in VIEWPOINTS {
                let (low, z) = (-Vec2::new(x, y) * size, z * size.min_element());
                if z < 2e-3 * size.max_element() {
                    // At this distance, rounding is visible, and lights are sampled by area.
                    continue;
                }
                let seen = SphericalRectangle::new(low, size, z);
                let exact = rectangle_solid_angle(low.as_dvec2(), size.as_dvec2(), f64::from(z));
                let name = format!("{size} at {low}, {z} away");
                assert!(
                    (f64::from(seen.solid_angle()) / exact - 1.0).abs() < 5e-5,
                    "{name}: {} is not {exact}",
                    seen.solid_angle()
                );
                if exact < 1e-3 {
                    continue;
                }
                let mut counts = [0u64; CELLS * CELLS];
                for _ in 0..COUNT {
                    let share = seen.sample(rng.next_2d());
                    let cell = |x: f32| ((x * CELLS as f32) as usize).min(CELLS - 1);
                    counts[cell(share.y) * CELLS + cell(share.x)] += 1;
                }
                let cell = size.as_dvec2() / CELLS as f64;
                let expected: Vec<f64> = (0..CELLS * CELLS)
                    .map(|i| {
                        let corner = DVec2::new((i % CELLS) as f64, (i / CELLS) as f64);
                        let solid_angle =
                            rectangle_solid_angle(low.as_dvec2() + corner * cell, cell, f64::from(z));
                        solid_angle / exact * COUNT as f64
                    })
                    .collect();
                assert_counts(&name, &counts, &expected);
            }
        }
    }
}

#[test]
fn spherical_triangles_are_sampled_by_solid_angle() {
    const COUNT: u64 = 20_000;
    /// Number of parts of each edge.
    const PARTS: usize = 4;
    let mut rng = Rng::new(6);
    for scale in [1e-3f32, 1.0, 1e5] {
        for [b, c] in [[(1.0, 0.0), (0.0, 1.0)], [(1.0, 0.1), (0.9, 0.2)], [(-0.2, 3.0), (0.3, 0.4)]] {
            let edges = [b, c].map(|(x, y)| Vec3::new(x, y, 0.0) * scale);
            let area = 0.5 * edges[0].cross(edges[1]).length();
            for [x, y, z] in VIEWPOINTS {
                let longest = edges[0].length().max(edges[1].length());
                let z = -z * area.sqrt().max(0.5 * longest);
                let p = -(edges[0] * x + edges[1] * y).with_z(z);
                let seen = SphericalTriangle::new(p, edges, area, z.abs());
                let corner = |i: f64, j: f64| {
                    p.as_dvec3() + (edges[0].as_dvec3() * i + edges[1].as_dvec3() * j) / PARTS as f64
                };
                let whole = PARTS as f64;
                let exact = triangle_solid_angle([corner(0.0, 0.0), corner(whole, 0.0), corner(0.0, whole)]);
                let name = format!("{edges:?} from {p}");
                assert!(
                    (f64::from(seen.solid_angle()) / exact - 1.0).abs() < 1e-4,
                    "{name}: {} is not {exact}",
                    seen.solid_angle()
                );
                if exact < 1e-3 {
                    continue;
                }
                // Small triangles, the upright ones first.
                let mut counts = [0u64; 2 * PARTS * PARTS];
                for _ in 0..COUNT {
                    let at = seen.barycentric(rng.next_2d()) * PARTS as f32;
                    let (i, j) = ((at.x as usize).min(PARTS - 1), (at.y as usize).min(PARTS - 1));
                    let turned = at.x.fract() + at.y.fract() > 1.0 && i + j + 1 < PARTS;
                    counts[usize::from(turned) * PARTS * PARTS + j * PARTS + i] += 1;
                }
                let expected: Vec<f64> = (0..2 * PARTS * PARTS)
                    .map(|index| {
                        let (i, j) = ((index % PARTS) as f64, (index / PARTS % PARTS) as f64);
                        let corners = match index / (PARTS * PARTS) {
                            0 if i + j < whole => [corner(i, j), corner(i + 1.0, j), corner(i, j + 1.0)],
                            1 if i + j + 1.0 < whole => {
                                [corner(i + 1.0, j + 1.0), corner(i + 1.0, j), corner(i, j + 1.0)]
                            }
                            _ => return 0.0,
                        };
                        triangle_solid_angle(corners) / exact * COUNT as f64
                    })
                    .collect();
                assert_counts(&name, &counts, &expected);
            }
        }
    }
}
