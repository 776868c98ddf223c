//! The film: sums independent of order and grouping, reconstruction filters with the correct distribution.

use glam::{UVec2, Vec2};
use proptest::prelude::*;
use renderer::color::Rgb;
use renderer::film::{Film, FilmError, FilmLayout, Filter, FilterShape, Fixed, FixedSquare};
use renderer::image::{Rect, Window};
use support::random::Random;

#[test]
fn sums_are_exact() {
    for v in [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        1e-9,
        -3.7e-11,
        123_456.79,
        Fixed::LIMIT,
        -Fixed::LIMIT,
        2f32.powi(-60),
    ] {
        assert_eq!(Fixed::from_f32(v).to_f64(), f64::from(v), "{v}");
    }
    let unit = 2f32.powi(-60);
    assert_eq!(Fixed::from_f32(unit * 0.75).0, 1);
    assert_eq!(Fixed::from_f32(unit * -0.75).0, -1);
    assert_eq!(Fixed::from_f32(unit * 0.25).0, 0);
    assert_eq!(Fixed::from_f32(f32::MIN_POSITIVE).0, 0);
    assert_eq!(Fixed::from_f32(1e-45).0, 0);
    assert_eq!(Fixed::from_f32(f32::MAX), Fixed::from_f32(Fixed::LIMIT));
    assert_eq!(FixedSquare::of_f32(-1.5).to_f64(), 2.25);
    assert_eq!(FixedSquare::of_f32(f32::MAX).to_f64(), f64::from(FixedSquare::LIMIT).powi(2));
}

proptest! {
    /// Every value from 2⁻³⁷ to the limit is exact.
    #[test]
    fn values_in_range_are_exact(exponent in -37i32..36, mantissa in 1.0f32..2.0, negative: bool) {
        let v = mantissa * 2f32.powi(exponent) * if negative { -1.0 } else { 1.0 };
        prop_assert_eq!(Fixed::from_f32(v).to_f64(), f64::from(v));
    }

    /// Samples give the same sums in another order, in tiles of another size, merged in another order, and from two
    /// films.
    #[test]
    fn order_and_grouping_do_not_matter(
        samples in prop::collection::vec((0u32..7, 0u32..5, -1e3f32..1e9, 0f32..1e-6, any::<f32>()), 1..200),
        size in 1u32..8,
        split in any::<prop::sample::Index>(),
    ) {
        let film = || Film::new(7, 5, None, FilmLayout { variance: true, ..FilmLayout::default() }).unwrap();
        let color = |s: &(u32, u32, f32, f32, f32)| Rgb::new(s.2, s.3, s.4);
        let mut plain = film();
        samples.iter().for_each(|s| plain.sums_mut().add(s.0, s.1, color(s)));

        let mut parts = [film(), film()];
        let split = split.index(samples.len());
        for (part, samples) in parts.iter_mut().zip([&samples[..split], &samples[split..]]) {
            let rects = part.tiles(size);
            for rect in rects.iter().rev() {
                let mut tile = part.tile(*rect);
                for s in samples.iter().rev().filter(|s| rect.contains(s.0, s.1)) {
                    tile.add(s.0, s.1, color(s));
                }
                part.merge(&tile);
            }
        }
        let [first, mut merged] = parts;
        merged.merge_film(&first);
        prop_assert_eq!(&plain, &merged);
        prop_assert_eq!(plain.develop(), merged.develop());
        prop_assert_eq!(plain.variance(), merged.variance());
    }
}

#[test]
fn a_pixel_is_the_mean_of_its_finite_samples() {
    let mut film = Film::new(2, 1, None, FilmLayout::default()).unwrap();
    let tile = film.sums_mut();
    tile.add(0, 0, Rgb::new(1.0, 2.0, -3.0));
    tile.add(0, 0, Rgb::new(2.0, 4.0, 0.0));
    tile.add(0, 0, Rgb::new(f32::NAN, 1.0, 1.0));
    tile.add(0, 0, Rgb::new(1.0, f32::INFINITY, 1.0));
    tile.add(1, 0, Rgb::new(0.0, 1e30, 0.0));
    let counts = film.counts();
    assert_eq!((counts.samples, counts.non_finite, counts.saturated), (3, 2, 1));
    assert_eq!(film.sums().sums()[0].count, 2);
    let image = film.develop();
    assert_eq!(image.pixel(0, 0), [1.5, 3.0, -1.5]);
    assert_eq!(image.pixel(1, 0), [0.0, Fixed::LIMIT, 0.0]);
    assert!(film.variance().is_none());
}

#[test]
fn the_variance_estimates_that_of_the_mean() {
    let mut film = Film::new(1, 1, None, FilmLayout { variance: true, ..FilmLayout::default() }).unwrap();
    let values: Vec<f64> = (0..100).map(|i| 0.5 + 0.01 * f64::from(i * i % 37)).collect();
    values.iter().for_each(|&v| film.sums_mut().add(0, 0, Rgb::splat(v as f32)));
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let expected = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0) / n;
    let got = f64::from(film.variance().unwrap().data[0]);
    assert!((got / expected - 1.0).abs() < 1e-5, "{got} for {expected}");
}

#[test]
fn crops_equal_parts_of_the_whole_film() {
    let crop = Rect { x0: 3, y0: 2, x1: 8, y1: 4 };
    let mut film = Film::new(10, 6, Some(crop), FilmLayout::default()).unwrap();
    let tiles = film.tiles(2);
    assert_eq!(tiles.iter().map(Rect::area).sum::<usize>(), crop.area());
    for (x, y) in crop.pixels() {
        assert_eq!(tiles.iter().filter(|t| t.contains(x, y)).count(), 1);
        film.sums_mut().add(x, y, Rgb::new(x as f32, y as f32, 0.0));
    }
    let image = film.develop();
    assert_eq!((image.width, image.height), (5, 2));
    assert_eq!(image.pixel(1, 1), [4.0, 3.0, 0.0]);
    assert_eq!(image.window, Some(Window { x: 3, y: 2, full_width: 10, full_height: 6 }));
}

#[test]
fn invalid_films_are_errors() {
    let crop = |x0, y0, x1, y1| Some(Rect { x0, y0, x1, y1 });
    let check = |width, height, crop, expected: &str| {
        let error: FilmError = Film::new(width, height, crop, FilmLayout::default()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(0, 5, None, "no pixels (0×5)");
    check(u32::MAX, u32::MAX, None, "too large");
    check(10, 10, crop(5, 5, 5, 9), "holds no pixel");
    check(10, 10, crop(9, 0, 3, 9), "holds no pixel");
    check(10, 10, crop(0, 0, 11, 9), "reaches beyond");
}

/// The filter with this name in scene files.
fn filter(name: &str, numbers: &[f32]) -> Filter {
    let shape = FilterShape::from_call(name, numbers).unwrap().unwrap();
    Filter::new(shape).unwrap()
}

/// Filters of all kinds.
fn filters() -> Vec<Filter> {
    let others: [(&str, &[f32]); 8] = [
        ("box", &[3.7]),
        ("tent", &[3.7]),
        ("gaussian", &[3.7]),
        ("gaussian", &[1.5, 2.0]),
        ("blackman_harris", &[3.7]),
        ("mitchell", &[0.1, 0.6]),
        ("lanczos", &[1.0]),
        ("lanczos", &[5.0]),
    ];
    let usual = FilterShape::NAMES.map(|name| filter(name, &[]));
    let others = others.map(|(name, numbers)| filter(name, numbers));
    usual.into_iter().chain(others).collect()
}

#[test]
fn filters_are_sampled_by_their_values() {
    // χ² of one axis over bins, two for each interval between multiples of ⅛ of the radius, with the probability of
    // each from the filter's values; 2²⁰ independent samples. The 0.1 % quantile of χ² with 63 degrees of freedom is
    // 103.4; with 15 filters × 2 axes, Šidák's correction gives the 0.0033 % quantile, 120.
    const BINS: usize = 64;
    const SAMPLES: usize = 1 << 20;
    for filter in filters() {
        let (radius, shape) = (filter.radius(), filter.shape());
        let mut random = Random(7);
        let mut histograms = [[0u32; BINS]; 2];
        let mut weights = 0.0;
        for _ in 0..SAMPLES {
            let sample = filter.sample(Vec2::new(random.uniform(), random.uniform()));
            assert!(sample.offset.abs().max_element() <= radius);
            let value = filter.value(sample.offset);
            assert!(
                value == 0.0 || value.abs() < 1e-5 || value.signum() == sample.weight.signum(),
                "{shape:?} is {value} at {}, where samples weigh {}",
                sample.offset,
                sample.weight
            );
            weights += f64::from(sample.weight);
            for (histogram, x) in histograms.iter_mut().zip(sample.offset.to_array()) {
                let bin = ((x / radius * 0.5 + 0.5) * BINS as f32) as usize;
                histogram[bin.min(BINS - 1)] += 1;
            }
        }
        let expected = axis_masses::<BINS>(&filter, f64::abs);
        let total: f64 = expected.iter().sum();
        for histogram in histograms {
            let chi2 = chi_square(&histogram, &expected.map(|mass| mass / total), SAMPLES);
            assert!(chi2 < 120.0, "{shape:?}: χ² = {chi2}: {histogram:?}");
        }
        // Weights are ±total², so that this bounds four standard errors.
        let mean = weights / SAMPLES as f64;
        assert!(
            (mean - 1.0).abs() < 4.0 * (total.powi(4) - 1.0).max(0.0).sqrt() / 1024.0 + 1e-4,
            "{shape:?}: {mean}"
        );
    }
}

/// The integral of `of` the filter along one axis over equal bins.
fn axis_masses<const BINS: usize>(filter: &Filter, of: impl Fn(f64) -> f64) -> [f64; BINS] {
    const STEPS: usize = 200;
    let r = f64::from(filter.radius());
    let center = f64::from(filter.value(Vec2::ZERO)).sqrt();
    std::array::from_fn(|bin| {
        let steps = (0..STEPS).map(|i| {
            let x = ((bin as f64 + (i as f64 + 0.5) / STEPS as f64) / BINS as f64 * 2.0 - 1.0) * r;
            of(f64::from(filter.value(Vec2::new(x as f32, 0.0))) / center)
        });
        steps.sum::<f64>() * 2.0 * r / (BINS * STEPS) as f64
    })
}

/// χ² with bins of fewer than five expected samples pooled.
fn chi_square(histogram: &[u32], masses: &[f64], samples: usize) -> f64 {
    let (mut chi2, mut rest, mut rest_expected) = (0.0, 0.0, 0.0);
    for (&count, &mass) in histogram.iter().zip(masses) {
        let expected = mass * samples as f64;
        if expected < 5.0 {
            rest += f64::from(count);
            rest_expected += expected;
        } else {
            chi2 += (f64::from(count) - expected).powi(2) / expected;
        }
    }
    if rest_expected > 0.0 {
        chi2 + (rest - rest_expected).powi(2) / rest_expected.max(1.0)
    } else {
        chi2
    }
}

#[test]
fn filters_integrate_to_one_and_are_monotone() {
    for filter in filters() {
        let shape = filter.shape();
        let total: f64 = axis_masses::<64>(&filter, |x| x).iter().sum();
        assert!((total - 1.0).abs() < 1e-3, "{shape:?}: {total}");
        let offsets: Vec<f32> = (0..=4096)
            .map(|i| Vec2::new((i as f32 / 4096.0).min(0.999_999_9), 0.5))
            .map(|u| filter.sample(u).offset.x)
            .collect();
        assert!(offsets.windows(2).all(|w| w[0] <= w[1]), "{shape:?}");
        assert!((offsets[0] + filter.radius()).abs() < 0.01 * filter.radius());
        assert!(offsets[2048].abs() < 1e-4, "{shape:?}: {}", offsets[2048]);
    }
    let bad: [(&str, &[f32]); 11] = [
        ("tent", &[0.0]),
        ("box", &[-1.0]),
        ("tent", &[f32::NAN]),
        ("blackman_harris", &[f32::INFINITY]),
        ("tent", &[1.0, 2.0]),
        ("gaussian", &[2.0, 0.0]),
        ("gaussian", &[2.0, 0.5, 1.0]),
        ("mitchell", &[0.5]),
        ("mitchell", &[0.5, 2.0]),
        ("catmull_rom", &[2.0]),
        ("lanczos", &[2.5]),
    ];
    for (name, numbers) in bad {
        let made = FilterShape::from_call(name, numbers).expect("there is such a filter");
        assert!(made.is_err(), "{name} {numbers:?}: {made:?}");
    }
    assert!(FilterShape::from_call("sinc", &[]).is_none());
}

/// Filtered values of a row of pixels of the picture `picture(x)`, from many well-distributed samples within `bounds`.
fn filtered<const N: usize>(filter: &Filter, bounds: Option<Rect>, picture: impl Fn(f32) -> f32) -> [f64; N] {
    const SAMPLES: u32 = 1 << 16;
    std::array::from_fn(|x| {
        let window = filter.window(UVec2::new(x as u32, 1), bounds.as_ref());
        let (mut sum, mut weights) = (0.0, 0.0);
        for i in 0..SAMPLES {
            let u = Vec2::new((i as f32 + 0.5) / SAMPLES as f32, 0.5);
            let sample = filter.sample_within(&window, u);
            sum += f64::from(sample.weight * picture(x as f32 + 0.5 + sample.offset.x));
            weights += f64::from(sample.weight);
        }
        // Samples have equal y, and so equal weights along y.
        sum / weights
    })
}

#[test]
fn filtered_edges_match_mitsuba() {
    // Pixels of a row that is black up to x = 4.4 and white beyond, by the formulae of Mitsuba 3.9.1's filters. Its own
    // pictures agree where it evaluates filters exactly; the scalar variants use a table of 31 steps with errors up to
    // 0.012 (an emitter seen by an orthographic camera, 16,384 samples a pixel), and so does the same computation with
    // such a table.
    let edges: [(&str, &[f32], [f64; 8]); 9] = [
        ("box", &[], [0.0, 0.0, 0.0, 0.0, 0.6, 1.0, 1.0, 1.0]),
        ("tent", &[], [0.0, 0.0, 0.0, 0.0050, 0.5950, 1.0, 1.0, 1.0]),
        ("gaussian", &[], [0.0, 0.0, 0.0, 0.0356, 0.5793, 0.9864, 1.0, 1.0]),
        (
            "gaussian",
            &[3.2, 0.8],
            [0.0, 0.0001, 0.0085, 0.1300, 0.5498, 0.9157, 0.9959, 1.0],
        ),
        ("mitchell", &[], [0.0, 0.0, -0.0001, -0.0054, 0.5883, 1.0172, 1.0, 1.0]),
        ("mitchell", &[0.1, 0.6], [0.0, 0.0, -0.0002, -0.0404, 0.5960, 1.0447, 1.0, 1.0]),
        ("catmull_rom", &[], [0.0, 0.0, -0.0002, -0.0385, 0.5992, 1.0395, 1.0, 1.0]),
        ("lanczos", &[], [0.0, 0.0, 0.0154, -0.0685, 0.5997, 1.0693, 0.9844, 1.0]),
        ("lanczos", &[2.0], [0.0, 0.0, -0.0001, -0.0409, 0.5984, 1.0417, 1.0, 1.0]),
    ];
    for (name, numbers, expected) in edges {
        let found: [f64; 8] = filtered(&filter(name, numbers), None, |x| f32::from(u8::from(x >= 4.4)));
        for (found_at, expected_at) in found.iter().zip(expected) {
            assert!(
                (found_at - expected_at).abs() < 2e-4,
                "{name} {numbers:?}: {found:?}, not {expected:?}"
            );
        }
    }
}

#[test]
fn without_a_border_filters_are_clipped_at_the_film() {
    // The mean of the picture x² under the part of the filter on the film, by brute force.
    let bounds = Rect { x0: 1, y0: 0, x1: 6, y1: 3 };
    let picture = |x: f32| x * x;
    for filter in filters() {
        let found: [f64; 6] = filtered(&filter, Some(bounds), picture);
        for (x, found) in found.iter().enumerate().skip(1) {
            let (mut sum, mut weight) = (0.0, 0.0);
            for i in 0..5000 {
                let at = 1.0 + (i as f32 + 0.5) / 1000.0;
                let value = f64::from(filter.value(Vec2::new(at - x as f32 - 0.5, 0.0)));
                sum += value * f64::from(picture(at));
                weight += value;
            }
            let expected = sum / weight;
            assert!(
                (found - expected).abs() < 0.01 * expected,
                "{:?} at {x}: {found}, not {expected}",
                filter.shape()
            );
        }
    }
}
