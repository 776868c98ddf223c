//! Commands for finished pictures: `image`, `sheet`, and the false-colour image of `compare`.

use std::fs;

use crate::program::{done, refused, scene_folder};
use renderer::color::Rgb;
use renderer::image::{Image, WriteOptions, linear_from_srgb8, read, read_channels, write};
use renderer::passes::{COMPONENTS, CryptoKind};
use tempfile::TempDir;

const SCENE: &str = "film { size = (24, 16); }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
sampler { spp = 4; }
material grey = matte(albedo = 0.5);
light sky : environment { color = 0.2; }
shape floor : plane { size = 3; material = grey; }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = grey; }
";

fn folder() -> TempDir {
    let folder = scene_folder(SCENE);
    done(
        folder.path(),
        "render a.kiln --aov components --aov N --aov P --aov depth --aov crypto --aov uv --aov object_id -o a.exr",
    );
    folder
}

/// EXR readers reject channel names beyond 255 bytes; therefore longer names are cut.
#[test]
fn layers_have_names_that_readers_take() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let lamp = "l".repeat(250);
    fs::write(at.join("a.kiln"), SCENE.replace("light sky", &format!("light {lamp}"))).unwrap();
    let longest = "x".repeat(200);
    done(at, &format!("render a.kiln -o a.exr --aov {longest}=N"));
    let channels = read_channels(&at.join("a.exr")).unwrap().planes;
    let name = format!("{longest}.X");
    assert!(channels.iter().any(|(known, _)| *known == name));
    let words = ["characters, at most 200 are possible"];
    refused(at, &format!("render a.kiln -o b.exr --aov x{longest}=N"), &words);
    // Names of light groups are cut.
    done(at, "render a.kiln -o b.exr --light-groups each");
    let channels = read_channels(&at.join("b.exr")).unwrap().planes;
    let group = format!("light_{}.R", "l".repeat(100));
    assert!(channels.iter().any(|(known, _)| *known == group));
}

#[test]
fn images_are_converted_with_exposure_and_curve() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let grey = Image::from_fn(4, 4, |_, _| Rgb::splat(0.25));
    write(&at.join("a.exr"), &grey, &WriteOptions::default()).unwrap();
    let shown = |args: &str| {
        done(at, &format!("image a.exr -o a.png {args}"));
        let byte = read(&at.join("a.png")).unwrap().data[0] * 255.0;
        f64::from(linear_from_srgb8(byte.round() as u8))
    };
    for (args, value) in [
        ("", 0.25),
        ("--exposure 1", 0.5),
        ("--exposure 9", 1.0),
        // The published tone curves at 0.25; see renderer/image/src/tone_map.rs.
        (
            "--tone-map aces",
            0.25 * (2.51 * 0.25 + 0.03) / (0.25 * (2.43 * 0.25 + 0.59) + 0.14),
        ),
        ("--tone-map aces --exposure 2", 2.54 / 3.16),
    ] {
        let found = shown(args);
        assert!((found - value).abs() < 0.01, "{args}: {found} and {value}");
    }
    assert!(shown("--tone-map agx --exposure 3") < 1.0, "two is no white yet");
    done(at, "image a.exr -o b.hdr");
    assert_eq!(read(&at.join("b.hdr")).unwrap().data, grey.data);
}

#[test]
fn layers_are_extracted() {
    let folder = folder();
    let at = folder.path();
    let file = read_channels(&at.join("a.exr")).unwrap();
    done(at, "image a.exr --layer N -o n.exr");
    let normals = read_channels(&at.join("n.exr")).unwrap();
    for axis in ["X", "Y", "Z"] {
        let of = |file: &[(String, Vec<f32>)], name: &str| {
            let found = file.iter().find(|(known, _)| known == name);
            found.unwrap().1.clone()
        };
        assert_eq!(of(&normals.planes, axis), of(&file.planes, &format!("N.{axis}")));
    }
    // The floor's normal is (0, 1, 0).
    done(at, "image a.exr --layer N -o n.png");
    let shown = read(&at.join("n.png")).unwrap();
    let bytes: Vec<f32> = shown.pixel(12, 15).iter().map(|v| (v * 255.0).round()).collect();
    assert_eq!(bytes, [128.0, 255.0, 128.0]);
    for layer in ["picture", "depth", "direct_diffuse", "crypto_object", "P", "uv", "object_id"] {
        done(at, &format!("image a.exr --layer {layer} -o {layer}.png"));
        let image = read(&at.join(format!("{layer}.png"))).unwrap();
        let first = image.pixel(0, 0).to_vec();
        let differs = |(x, y): (usize, usize)| image.pixel(x, y) != first;
        let mut pixels = (0..24).flat_map(|x| (0..16).map(move |y| (x, y)));
        assert!(pixels.any(differs), "{layer} shows something");
    }
    refused(
        at,
        "image a.exr --layer dept -o d.png",
        &["no layer `dept`", "depth", "crypto_object"],
    );
}

/// Each layer is a tile: the first one is the picture, enlarged, below its label.
#[test]
fn sheets_have_one_tile_per_layer() {
    let folder = folder();
    let at = folder.path();
    done(at, "sheet a.exr -o s.png --exposure 0");
    done(at, "image a.exr -o a.png");
    let (sheet, picture) = (read(&at.join("s.png")).unwrap(), read(&at.join("a.png")).unwrap());
    // The picture, components, values and Cryptomattes; tiles are enlarged 7 times, with gaps of 4.
    let layers = 1 + COMPONENTS.len() + 5 + CryptoKind::ALL.len();
    let (tile_width, tile_height) = (7 * 24 + 4, 7 * 16 + 14 + 4);
    let columns = (sheet.width - 4) / tile_width;
    assert_eq!((sheet.width - 4) % tile_width, 0);
    assert_eq!(sheet.height, 4 + layers.div_ceil(columns) * tile_height);
    for (x, y) in [(0, 0), (12, 8), (23, 15)] {
        let shown = sheet.pixel(4 + 7 * x + 3, 4 + 14 + 7 * y + 3);
        assert_eq!(shown, picture.pixel(x, y), "pixel {x} {y} of the first tile");
    }
    // The label is visible.
    let label = (0..14).flat_map(|y| (0..60).map(move |x| (x + 4, y + 4)));
    let bright = label.filter(|&(x, y)| sheet.pixel(x, y)[0] > 0.5).count();
    assert!(bright > 40, "{bright} bright pixels in a label");
}

#[test]
fn false_colours_distinguish_brighter_from_darker() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let reference = Image::from_fn(9, 2, |_, _| Rgb::splat(1.0));
    let image = Image::from_fn(9, 2, |x, _| Rgb::splat([0.5, 1.0, 1.5][x / 3]));
    write(&at.join("a.exr"), &image, &WriteOptions::default()).unwrap();
    write(&at.join("b.exr"), &reference, &WriteOptions::default()).unwrap();
    done(at, "compare a.exr b.exr --false-colour c.png");
    let shown = read(&at.join("c.png")).unwrap();
    let [darker, equal, brighter] = [1, 4, 7].map(|x| shown.pixel(x, 0).to_vec());
    assert!(darker[2] > 0.9 && darker[0] == 0.0, "{darker:?}");
    assert_eq!(equal, [0.0; 3]);
    assert!(brighter[0] > 0.9 && brighter[2] == 0.0, "{brighter:?}");
}
