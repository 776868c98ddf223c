//! IES files: intensities of all types and symmetries, editions, diagnostics of malformed files, lights with a profile.

use std::f32::consts::PI;
use std::fs;
use std::path::Path;

use glam::Vec3;
use renderer::scene::desc::{LightKind, Luminaire, SceneDesc};
use renderer::scene::import::parse_ies;
use renderer::scene::load::{LoadOptions, from_text};

/// A file of this photometric type (1 is C, 2 is B, 3 is A) with the intensity `candela(vertical, horizontal)`.
fn file(kind: u32, vertical: &[f32], horizontal: &[f32], candela: fn(f32, f32) -> f32) -> String {
    let words = |values: &[f32]| values.iter().map(f32::to_string).collect::<Vec<_>>().join(" ");
    let mut text = format!(
        "IESNA:LM-63-2002\n[TEST] t\nTILT=NONE\n1 -1 1 {} {} {kind} 2 0 0 0\n1 1 10\n{}\n{}\n",
        vertical.len(),
        horizontal.len(),
        words(vertical),
        words(horizontal)
    );
    for &h in horizontal {
        let row: Vec<f32> = vertical.iter().map(|&v| candela(v, h)).collect();
        text += &format!("{}\n", words(&row));
    }
    text
}

fn parsed(text: &str) -> Luminaire {
    parse_ies(text.as_bytes(), Path::new("lamp.ies")).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// Angles from `first` to `last` in steps [degrees].
fn steps(first: f32, last: f32, step: f32) -> Vec<f32> {
    (0..=((last - first) / step).round() as u32)
        .map(|i| first + i as f32 * step)
        .collect()
}

/// Direction of the angles of a photometric type in the space of the light: −z is the axis, +x right, +y up.
fn direction(kind: u32, vertical: f32, horizontal: f32) -> Vec3 {
    let ((sin_v, cos_v), (sin_h, cos_h)) =
        (vertical.to_radians().sin_cos(), horizontal.to_radians().sin_cos());
    match kind {
        1 => Vec3::new(sin_v * cos_h, sin_v * sin_h, -cos_v),
        2 => Vec3::new(sin_h, cos_h * sin_v, -cos_h * cos_v),
        _ => Vec3::new(cos_v * sin_h, sin_v, -cos_v * cos_h),
    }
}

/// An intensity without symmetry, linear in both angles between multiples of 10°.
fn uneven(vertical: f32, horizontal: f32) -> f32 {
    1000.0 + 3.0 * vertical + 2.0 * horizontal + 0.01 * vertical * horizontal
}

#[test]
fn intensities_are_those_of_the_table() {
    let sides = steps(-90.0, 90.0, 10.0);
    for (kind, vertical, horizontal) in [
        (1, steps(0.0, 180.0, 10.0), steps(0.0, 360.0, 10.0)),
        (2, sides.clone(), sides.clone()),
        (3, sides.clone(), sides),
    ] {
        // The last plane of type C is the first.
        let candela = |v: f32, h: f32| uneven(v, if h == 360.0 { 0.0 } else { h });
        let table = match kind {
            1 => file(1, &vertical, &horizontal, |v, h| uneven(v, if h == 360.0 { 0.0 } else { h })),
            _ => file(kind, &vertical, &horizontal, uneven),
        };
        let luminaire = parsed(&table);
        let mut checked = 0;
        // At the angles of the table and in the middle between them, where poles have one direction for all planes.
        for v in vertical.iter().flat_map(|&v| [v, v + 5.0]) {
            for h in horizontal.iter().flat_map(|&h| [h, h + 5.0]) {
                let is_pole = match kind {
                    1 => v.rem_euclid(180.0) == 0.0,
                    2 => h.abs() == 90.0,
                    _ => v.abs() == 90.0,
                };
                if is_pole || v > vertical[vertical.len() - 1] || h > 350.0 || (kind > 1 && h > 90.0) {
                    continue;
                }
                let found = luminaire.web.candela(direction(kind, v, h));
                let expected = candela(v, h);
                assert!(
                    (found / expected - 1.0).abs() < 0.001,
                    "type {kind}, {v}, {h}: {found}, not {expected}"
                );
                checked += 1;
            }
        }
        assert!(checked > 1000, "{checked}");
        let (peak, _) = luminaire.web.maximum();
        assert!(peak >= uneven(90.0, 90.0), "{peak}");
    }
}

#[test]
fn planes_are_mirrored_by_their_symmetry() {
    let vertical = steps(0.0, 90.0, 10.0);
    type Fold = fn(f32) -> f32;
    let cases: [(Vec<f32>, Fold); 6] = [
        (vec![0.0], |_| 0.0),
        (steps(0.0, 90.0, 15.0), |h| 90.0 - (90.0 - h % 180.0).abs()),
        (steps(0.0, 180.0, 15.0), |h| 180.0 - (180.0 - h).abs()),
        (steps(90.0, 270.0, 15.0), |h| {
            if h < 90.0 { 180.0 - h } else { 270.0 - (270.0 - h).abs() }
        }),
        (steps(0.0, 360.0, 15.0), |h| h),
        // Without the last plane.
        (steps(0.0, 345.0, 15.0), |h| h),
    ];
    for (horizontal, fold) in cases {
        let luminaire = parsed(&file(1, &vertical, &horizontal, |v, h| 500.0 + v + h % 360.0));
        for h in steps(0.0, 345.0, 15.0) {
            let found = luminaire.web.candela(direction(1, 45.0, h));
            let expected = 545.0 + fold(h);
            assert!((found - expected).abs() < 0.1, "{horizontal:?}, {h}: {found}, not {expected}");
        }
        assert_eq!(luminaire.web.candela(direction(1, 90.1, 20.0)), 0.0, "dark beyond the table");
        assert_eq!(luminaire.web.candela(Vec3::Z), 0.0);
    }
    // Types A and B: left and right, above and below.
    for kind in [2, 3] {
        let quarter = steps(0.0, 90.0, 10.0);
        let luminaire = parsed(&file(kind, &quarter, &quarter, |v, h| 500.0 + 2.0 * v + h));
        for (v, h) in [(30.0, 20.0), (-30.0, 20.0), (30.0, -20.0), (-30.0, -20.0)] {
            let found = luminaire.web.candela(direction(kind, v, h));
            assert!((found - 580.0).abs() < 0.1, "type {kind}, {v}, {h}: {found}");
        }
        assert_eq!(luminaire.web.candela(Vec3::Z), 0.0, "dark behind");
    }
}

#[test]
fn luminous_flux_is_the_integral_of_the_intensity() {
    let half = steps(-90.0, 90.0, 30.0);
    let even = |_: f32, _: f32| 100.0;
    let cases = [
        (file(1, &steps(0.0, 180.0, 30.0), &[0.0], even), 400.0 * PI),
        (file(1, &steps(0.0, 90.0, 30.0), &steps(0.0, 90.0, 45.0), even), 200.0 * PI),
        (file(1, &steps(90.0, 180.0, 30.0), &steps(0.0, 180.0, 45.0), even), 200.0 * PI),
        (file(2, &half, &half, even), 200.0 * PI),
        (file(3, &half, &half, even), 200.0 * PI),
        // Lambert's law: π times the intensity along the axis.
        (
            file(1, &steps(0.0, 90.0, 1.0), &[0.0], |v, _| 100.0 * v.to_radians().cos().max(0.0)),
            100.0 * PI,
        ),
    ];
    for (text, expected) in cases {
        let found = parsed(&text).web.lumens() as f32;
        assert!((found / expected - 1.0).abs() < 0.001, "{found}, not {expected}\n{text}");
    }
}

const DATA: &str = "2 800 1.5 3 1 1 1 0.5 1 0\n0.9 0.8 20\n0 45 90\n0\n100 50 10\n";

#[test]
fn editions_differ_in_one_factor() {
    for (first, edition, factor) in [
        ("A label", 1986, 1.5 * 0.9 * 0.8),
        ("IESNA91", 1991, 1.5 * 0.9 * 0.8),
        ("IESNA:LM-63-1995", 1995, 1.5 * 0.9 * 0.8),
        ("IESNA:LM-63-2002", 2002, 1.5 * 0.9),
        ("IES:LM-63-2019", 2019, 1.5 * 0.9),
    ] {
        for tilt in ["NONE", "other.tlt", "INCLUDE\n1\n3\n0 90 180\n1 0.9 0.8"] {
            let text = format!("{first}\n[LAMP] HPS\n[MORE] 100 W\nTILT={tilt}\n{DATA}");
            let luminaire = parsed(&text.replace('\n', "\r\n"));
            assert_eq!(luminaire.edition, edition);
            let lamp = ("LAMP".to_owned(), "HPS 100 W".to_owned());
            assert!(luminaire.keywords.contains(&lamp), "{:?}", luminaire.keywords);
            assert_eq!((luminaire.lamps, luminaire.lumens_per_lamp), (2.0, Some(800.0)));
            assert!((luminaire.opening[1] - 0.3048).abs() < 1e-6, "in feet");
            let found = luminaire.web.candela(Vec3::NEG_Z);
            assert!((found / (100.0 * factor) - 1.0).abs() < 1e-5, "{first}: {found}");
        }
    }
}

#[test]
fn mistakes_have_their_line_and_a_hint() {
    let head = "IESNA:LM-63-2002\nTILT=NONE\n";
    for (text, line, fragment) in [
        ("hello\nworld\n".to_owned(), 2, "no line `TILT=`"),
        ("TILT=\n1".to_owned(), 1, "has no value"),
        (head.to_owned(), 2, "ends before the number of lamps"),
        (format!("{head}1 -1 x"), 3, "`x` is not a number"),
        (format!("{head}1 NaN"), 3, "`NaN` is not a number"),
        (format!("{head}1 -1 1e99"), 3, "`1e99` is not a number"),
        (format!("{head}1 -1 -1"), 3, "is -1, less than 0"),
        (format!("{head}1 -1 1 2.5"), 3, "not a whole number of at least 2"),
        (format!("{head}1 -1 1 1 1"), 3, "not a whole number of at least 2"),
        (format!("{head}1 -1 1 4e9 4e9 1"), 3, "more than the file has numbers"),
        (format!("{head}1 -1 1 9 9 1 2 0 0 0 1 1 1"), 3, "9 × 9 angles have more candela"),
        (format!("{head}1 -1 1 2 1 4"), 3, "the photometric type is 4"),
        (format!("{head}1 -1 1 2 1 1 3"), 3, "the unit of length is 3"),
        (
            format!("{head}1 -1 1 2 1 1 2 0 0 0\n1 1 1\n90 0"),
            5,
            "do not ascend: 0 follows 90",
        ),
        (format!("{head}1 -1 1 2 1 1 2 0 0 0\n1 1 1\n0 0"), 5, "do not ascend"),
        (
            format!("{head}1 -1 1 2 1 1 2 0 0 0\n1 1 1\n-90 0"),
            5,
            "between 0 and 180, not -90",
        ),
        (
            format!("{head}1 -1 1 2 1 2 2 0 0 0\n1 1 1\n0 120"),
            5,
            "between -90 and 90, not 120",
        ),
        (
            format!("{head}1 -1 1 2 2 1 2 0 0 0\n1 1 1\n0 90\n0 45"),
            6,
            "are not from 0 to 45",
        ),
        (
            format!("{head}1 -1 1 2 1 2 2 0 0 0\n1 1 1\n0 90\n0"),
            6,
            "type B are not from 0 to 0",
        ),
        (
            format!("{head}1 -1 1 2 1 1 2 0 0 0\n1 1 1\n0 90\n0\n5 -3"),
            7,
            "the candela is -3, less than 0",
        ),
        (
            format!("{head}1 -1 1 2 1 1 2 0 0 0\n1 1 1\n0 90\n0\n5"),
            7,
            "ends before the candela",
        ),
        (
            format!("{head}1 -1 1e30 2 1 1 2 0 0 0\n1 1 1\n0 90\n0\n1e30 1"),
            7,
            "the candela are infinite",
        ),
        ("A\nTILT=INCLUDE\n1\n2\n90 0".to_owned(), 5, "tilt angles do not ascend"),
    ] {
        let error = parse_ies(text.as_bytes(), Path::new("lamp.ies")).expect_err(&text);
        let shown = error.diagnostic().to_string();
        assert!(
            shown.contains(&format!("lamp.ies:{line}: "))
                && shown.contains(fragment)
                && shown.contains("hint"),
            "expected line {line} and `{fragment}` in {shown}\n{text}"
        );
    }
}

#[test]
fn truncated_files_are_mistakes() {
    let text = format!("A label\n[LAMP] HPS\nTILT=INCLUDE\n1\n3\n0 90 180\n1 0.9 0.8\n{DATA}");
    let last = text.trim_end().rfind(' ').expect("there are several numbers");
    for end in 0..=last {
        let error = parse_ies(&text.as_bytes()[..end], Path::new("lamp.ies"));
        assert!(error.is_err(), "{}", &text[..end]);
    }
    for at in 0..text.len() {
        for byte in [0, b' ', b'-', b'9', b'e', 0xff] {
            let mut damaged = text.clone().into_bytes();
            damaged[at] = byte;
            // No damage panics.
            let _ = parse_ies(&damaged, Path::new("lamp.ies"));
        }
    }
}

fn loaded(folder: &Path, text: &str) -> Result<SceneDesc, String> {
    let text = format!("camera main : perspective {{ from = (0, 0, 4); to = (0, 0, 0); }}\n{text}");
    let loaded = from_text("test.kiln", &text, folder, &LoadOptions::default());
    loaded.map(|(desc, _)| desc).map_err(|error| error.to_string())
}

#[test]
fn lights_take_a_profile() {
    let folder = tempfile::tempdir().expect("it can be made");
    let lamp = file(1, &steps(0.0, 90.0, 10.0), &[0.0], |v, _| 683.0 * (100.0 - v));
    fs::write(folder.path().join("lamp.ies"), lamp).expect("it can be written");
    fs::write(folder.path().join("bad.ies"), "hello\n").expect("it can be written");
    let desc = loaded(
        folder.path(),
        "light a : point { position = (1, 2, 3); profile = \"lamp.ies\"; intensity = (1, 2, 3); scale = 2; }\n\
         light b : spot { position = (1e6, 2, 3); profile = \"lamp.ies\"; to = (1e6, 2, 9); up = (1, 0, 0); }",
    );
    let desc = desc.unwrap_or_else(|error| panic!("{error}"));
    let expected = [
        // Down, with 0° towards +x and 90° towards −z.
        ([Vec3::X, Vec3::NEG_Z, Vec3::Y], [2.0, 4.0, 6.0], Vec3::new(1.0, 2.0, 3.0)),
        ([Vec3::Y, Vec3::X, Vec3::NEG_Z], [1.0; 3], Vec3::new(1e6, 2.0, 3.0)),
    ];
    for (light, (axes, factor, position)) in desc.lights.iter().zip(expected) {
        let LightKind::Luminaire { world_from_light, scale, luminaire } = &light.kind else {
            panic!("{:?}", light.kind)
        };
        let found = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| world_from_light.transform_vector3(axis));
        assert_eq!((found, Vec3::from(world_from_light.translation)), (axes, position));
        assert_eq!(scale.to_array(), factor);
        assert_eq!(luminaire.web.candela(Vec3::NEG_Z), 68300.0);
    }
    for (text, fragments) in [
        ("light a : point { profile = \"none.ies\"; }", &["no such file"][..]),
        (
            "light a : point { profile = \"bad.ies\"; }",
            &["bad.ies:1: there is no line `TILT=`", "test.kiln:2:", "hint: IES files"],
        ),
        (
            "light a : spot { profile = \"lamp.ies\"; cutoff = 30; beam_width = 2; falloff = linear; }",
            &["`profile` has no `cutoff`", "has no `beam_width`", "has no `falloff`"],
        ),
        (
            "light a : spot { profile = \"lamp.ies\"; direction = (0, 1, 0); up = (0, 2, 0); }",
            &["`up` is along the axis of the light"],
        ),
        (
            "light a : point { to = (1, 0, 0); }",
            &["a point light without a `profile` has no `to`"],
        ),
    ] {
        let error = loaded(folder.path(), text).expect_err(text);
        for fragment in fragments {
            assert!(error.contains(fragment), "expected `{fragment}` in {error}");
        }
    }
}
