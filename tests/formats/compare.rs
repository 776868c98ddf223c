//! Image comparison: closed-form values of every metric, and undefined cases.

use std::path::Path;

use renderer::color::Rgb;
use renderer::compare::{CompareError, compare};
use renderer::image::{ColorSpace, Image, WriteOptions, decode, encode};

fn constant(color: Rgb) -> Image {
    Image::from_fn(24, 16, |_, _| color)
}

fn noisy(amount: f32) -> Image {
    Image::from_fn(48, 32, |x, y| {
        let n = ((x * 7919 + y * 104_729) % 101) as f32 / 100.0 - 0.5;
        Rgb::new(0.2 + 0.5 * x as f32 / 48.0, 0.4, 0.3 + 0.4 * y as f32 / 32.0) + Rgb::splat(n * amount)
    })
}

#[test]
fn equal_images_differ_by_nothing() {
    for image in [
        noisy(0.0),
        constant(Rgb::BLACK),
        constant(Rgb::splat(f32::NAN)),
        constant(Rgb::splat(1e30)),
    ] {
        let report = compare(&image, &image).unwrap();
        assert_eq!(
            (report.rmse, report.rel_mse, report.flip, report.max_error),
            (0.0, 0.0, 0.0, 0.0)
        );
        assert!(!report.exceeds(0.0));
    }
}

#[test]
fn metrics_match_their_definitions() {
    // Mean of b: (1 + 2 + 3) / 3 = 2, so that the floor is 0.04.
    let b = constant(Rgb::new(1.0, 2.0, 3.0));
    let a = constant(Rgb::new(1.5, 2.0, 2.0));
    let report = compare(&a, &b).unwrap();
    assert!((report.rmse - (1.25f64 / 3.0).sqrt()).abs() < 1e-12);
    assert!((report.rel_mse - (0.25 / 1.04 + 1.0 / 9.04) / 3.0).abs() < 1e-12);
    assert_eq!(report.max_error, 1.0);
    assert_eq!((report.mean_a, report.mean_b), (vec![1.5, 2.0, 2.0], vec![1.0, 2.0, 3.0]));
    let mut c = b.clone();
    c.set_rgb(5, 7, Rgb::new(1.0, -2.0, 3.0));
    let report = compare(&c, &b).unwrap();
    assert_eq!((report.max_error, report.max_error_at), (4.0, (5, 7)));
}

#[test]
fn nan_exceeds_every_threshold() {
    let b = constant(Rgb::WHITE);
    let mut a = b.clone();
    a.set_rgb(3, 3, Rgb::new(1.0, f32::NAN, 1.0));
    for (a, b) in [(&a, &b), (&b, &a)] {
        let report = compare(a, b).unwrap();
        assert!(report.exceeds(1e300), "{report:?}");
        assert!(report.flip.is_finite());
        assert_eq!(report.non_finite_a + report.non_finite_b, 1);
    }
    let black = compare(&b, &constant(Rgb::BLACK)).unwrap();
    assert!(
        black.exceeds(1e300),
        "a black reference has no relative error but an infinite one"
    );
}

#[test]
fn encodings_and_channel_counts_are_converted() {
    let linear = constant(Rgb::splat(0.5));
    let mut encoded = constant(Rgb::splat(0.735_357));
    encoded.color_space = ColorSpace::Srgb;
    assert!(compare(&encoded, &linear).unwrap().rmse < 1e-5);

    let mut grey = Image::new(24, 16, 1);
    grey.data.fill(0.5);
    assert_eq!(compare(&grey, &linear).unwrap().rmse, 0.0);

    let mut rgba = Image::new(24, 16, 4);
    rgba.data.fill(0.5);
    assert_eq!(
        compare(&rgba, &linear).unwrap().rmse,
        0.0,
        "alpha counts only where both have it"
    );
    let mut other = rgba.clone();
    other.data[3] = 1.0;
    assert!(compare(&rgba, &other).unwrap().rmse > 0.0);
}

#[test]
fn images_of_different_sizes_are_refused() {
    let error = compare(&Image::new(2, 3, 3), &Image::new(3, 2, 3)).unwrap_err();
    assert_eq!(error.to_string(), "the images differ in size: 2×3 and 3×2 pixels");
    assert_eq!(compare(&Image::new(0, 3, 3), &Image::new(0, 3, 3)), Err(CompareError::Empty));
}

#[test]
fn flip_has_its_known_extreme_values() {
    // Pure green against pure blue has the maximum difference of the metric.
    let flip = |a, b| compare(&constant(a), &constant(b)).unwrap().flip;
    let greatest = flip(Rgb::new(0.0, 1.0, 0.0), Rgb::new(0.0, 0.0, 1.0));
    assert!((greatest - 1.0).abs() < 1e-4, "{greatest}");
    let white = flip(Rgb::BLACK, Rgb::WHITE);
    assert!((0.9..1.0).contains(&white), "{white}");
    assert!((flip(Rgb::WHITE, Rgb::BLACK) - white).abs() < 1e-6, "symmetric");
}

#[test]
fn flip_agrees_with_flip_evaluator() {
    // The mean that flip-evaluator 1.7 gives for these two pictures as 8-bit PNGs.
    let gradient =
        |x: usize, y: usize, g: f32| Rgb::new(0.2 + 0.5 * x as f32 / 48.0, g, 0.3 + 0.4 * y as f32 / 32.0);
    let a = Image::from_fn(97, 61, |x, y| {
        let n = ((x * 7919 + y * 104_729) % 101) as f32 / 100.0 - 0.5;
        gradient(x, y, 0.4) + Rgb::splat(n * 0.2)
    });
    let b = Image::from_fn(97, 61, |x, y| gradient(x, y, if (x / 9 + y / 7) % 2 == 0 { 0.4 } else { 0.1 }));
    let as_png = |image: &Image| {
        let path = Path::new("a.png");
        let bytes = encode(path, image, &WriteOptions::default()).unwrap();
        decode(path, &bytes).unwrap().into_image()
    };
    let flip = compare(&as_png(&a), &as_png(&b)).unwrap().flip;
    assert!((flip - 0.544_337).abs() < 5e-5, "{flip}");
}

#[test]
fn flip_grows_with_noise() {
    let reference = noisy(0.0);
    let errors = [0.02, 0.1, 0.4].map(|amount| compare(&noisy(amount), &reference).unwrap().flip);
    assert!(errors.is_sorted() && errors[0] > 0.001, "{errors:?}");
}

#[test]
fn the_difference_picture_marks_differing_pixels() {
    let a = constant(Rgb::splat(0.5));
    let mut b = a.clone();
    b.set_rgb(12, 8, Rgb::new(1.0, 0.0, 0.0));
    let diff = compare(&a, &b).unwrap().picture();
    assert_eq!((diff.width, diff.height), (24, 16));
    assert!(diff.rgb(12, 8).luminance() > 0.05);
    assert_eq!(diff.rgb(0, 0), Rgb::BLACK);
}
