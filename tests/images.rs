//! Image files: what is written is read back, what is damaged is refused, textures look up what the image holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec2;
use proptest::prelude::*;
use renderer::color::Rgb;
use renderer::image::{
    ColorSpace, Image, ImageError, MetaValue, Window, WriteOptions, check_writable, decode, encode,
    linear_from_srgb8, read, read_channels, read_metadata, srgb8_from_linear, write, write_all,
};
use renderer::texture::{
    Interpolation, Lookup, Texture, TextureColorSpace, TextureLoader, TextureSource, Wrap,
};

/// A picture with every value different, some beyond 1.
fn gradient(width: usize, height: usize) -> Image {
    Image::from_fn(width, height, |x, y| {
        Rgb::new(x as f32 / width as f32, 2.0 * y as f32 / height as f32, 0.25 + (x * y) as f32 * 1e-3)
    })
}

fn with_channels(channels: usize) -> Image {
    let mut image = Image::new(5, 3, channels);
    image.data.iter_mut().enumerate().for_each(|(i, v)| *v = i as f32 / 60.0);
    image
}

fn encoded(name: &str, image: &Image) -> Vec<u8> {
    encode(Path::new(name), image, &WriteOptions::default()).expect("the image suits the format")
}

#[test]
fn exr_keeps_every_bit() {
    let directory = tempfile::tempdir().unwrap();
    for channels in [1, 2, 3, 4] {
        let image = with_channels(channels);
        let path = directory.path().join("a.exr");
        write(&path, &image, &WriteOptions::default()).unwrap();
        assert_eq!(read(&path).unwrap(), image, "{channels} channels");
    }
}

#[test]
fn exr_keeps_channels_metadata_and_window() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("named.exr");
    let mut image = with_channels(5);
    image.window = Some(Window { x: 2, y: 7, full_width: 20, full_height: 30 });
    let names = ["B", "G", "R", "depth.Z", "normal.X"];
    let metadata = [
        ("integrator", MetaValue::from("path")),
        ("samples", MetaValue::from(64u64)),
        ("scene", MetaValue::from("größe.kiln")),
        ("seed", MetaValue::from(u64::MAX)),
        ("time", MetaValue::from(1.5)),
    ];
    let options = WriteOptions {
        channel_names: names.iter().map(|&n| n.to_owned()).collect(),
        metadata: metadata.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect(),
        ..WriteOptions::default()
    };
    write(&path, &image, &options).unwrap();
    assert_eq!(fs::read(&path).unwrap(), encode(&path, &image, &options).unwrap(), "the same bytes each time");

    let channels = read_channels(&path).unwrap();
    assert_eq!(channels.planes.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
    for (c, (name, plane)) in channels.planes.iter().enumerate() {
        let expected: Vec<f32> = image.data.iter().skip(c).step_by(5).copied().collect();
        assert_eq!(*plane, expected, "{name}");
    }
    assert_eq!(channels.window, image.window);
    let mut expected = options.metadata;
    expected[3].1 = MetaValue::Text(u64::MAX.to_string());
    assert_eq!(channels.metadata, expected);
    assert_eq!(read_metadata(&path).unwrap(), expected);

    let color = read(&path).unwrap();
    assert_eq!((color.channels, color.window), (3, image.window));
    let pixel = image.pixel(3, 2);
    assert_eq!(color.pixel(3, 2), [pixel[2], pixel[1], pixel[0]]);
}

#[test]
fn eight_bit_formats_get_exposure_and_transfer() {
    let image = Image::from_fn(1, 1, |_, _| Rgb::new(0.25, 0.0, 7.0));
    let check = |exposure: f32, expected: [u8; 3]| {
        let options = WriteOptions { exposure, ..WriteOptions::default() };
        let path = Path::new("a.png");
        let image = decode(path, &encode(path, &image, &options).unwrap()).unwrap().into_image();
        assert_eq!(image.color_space, ColorSpace::Srgb);
        let bytes: Vec<u8> = image.data.iter().map(|v| (v * 255.0).round() as u8).collect();
        assert_eq!(bytes, expected, "at {exposure} stops");
    };
    check(0.0, [137, 0, 255]);
    check(1.0, [188, 0, 255]);
    check(-4.0, [34, 0, 177]);
}

#[test]
fn srgb_bytes_survive_a_round_trip() {
    for v in 0..=255 {
        assert_eq!(srgb8_from_linear(linear_from_srgb8(v)), v);
    }
    assert_eq!([f32::NAN, f32::NEG_INFINITY, f32::INFINITY].map(srgb8_from_linear), [0, 0, 255]);
}

#[test]
fn every_format_written_is_read() {
    let image = gradient(33, 17);
    for (name, tolerance) in [("a.exr", 0.0), ("a.hdr", 0.01), ("a.png", 0.01), ("a.jpg", 0.08)] {
        let back = decode(Path::new(name), &encoded(name, &image)).unwrap().into_image().into_linear();
        assert_eq!((back.width, back.height, back.channels), (33, 17, 3), "{name}");
        for (a, b) in back.data.iter().zip(&image.data) {
            let b = if name.ends_with("hdr") || name.ends_with("exr") { *b } else { b.min(1.0) };
            assert!((a - b).abs() <= tolerance * b.max(1.0), "{name}: {a} for {b}");
        }
    }
}

#[test]
fn alpha_is_neither_exposed_nor_encoded() {
    let mut image = Image::new(1, 1, 4);
    image.data.copy_from_slice(&[0.5, 0.5, 0.5, 0.5]);
    let options = WriteOptions { exposure: 3.0, ..WriteOptions::default() };
    let path = Path::new("a.png");
    let back = decode(path, &encode(path, &image, &options).unwrap()).unwrap().into_image();
    assert_eq!(back.data, [1.0, 1.0, 1.0, 128.0 / 255.0]);
}

#[test]
fn a_failed_write_leaves_what_was_there() {
    let directory = tempfile::tempdir().unwrap();
    let good = directory.path().join("good.png");
    fs::write(&good, "before").unwrap();
    let bad = directory.path().join("missing").join("bad.png");
    assert!(write_all(&[&good, &bad], &gradient(4, 4), &WriteOptions::default()).is_err());
    assert_eq!(fs::read(&good).unwrap(), b"before");
    write_all(&[&good], &gradient(4, 4), &WriteOptions::default()).unwrap();
    assert_eq!(read(&good).unwrap().width, 4);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn outputs_are_checked_before_they_are_needed() {
    let directory = tempfile::tempdir().unwrap();
    let check = |name: &str, expected: &str| {
        let path = directory.path().join(name);
        let message = check_writable(&path).expect_err(name).to_string();
        assert!(message.contains(expected) && message.contains(name), "{message}");
    };
    check("a.gif", "unknown image format '.gif'");
    check("picture", "no file name extension");
    check("nowhere/a.png", "does not exist");
    fs::create_dir(directory.path().join("folder.png")).unwrap();
    check("folder.png", "it is a directory");
    fs::write(directory.path().join("plain"), "").unwrap();
    check("plain/a.exr", "not a directory");
    for name in ["a.exr", "b.PNG", "c.jpeg", "d.hdr"] {
        check_writable(&directory.path().join(name)).unwrap();
        assert!(!directory.path().join(name).exists());
    }
}

#[cfg(unix)]
#[test]
fn outputs_have_the_users_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let usual = directory.path().join("usual");
    fs::write(&usual, "").unwrap();
    let path = directory.path().join("a.png");
    write(&path, &gradient(2, 2), &WriteOptions::default()).unwrap();
    assert_eq!(mode(&path), mode(&usual), "a new file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    write(&path, &gradient(2, 2), &WriteOptions::default()).unwrap();
    assert_eq!(mode(&path), 0o640, "an old file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
    assert!(check_writable(&path).unwrap_err().to_string().contains("read-only"));
    let link = directory.path().join("link.png");
    std::os::unix::fs::symlink(&usual, &link).unwrap();
    write(&link, &gradient(2, 2), &WriteOptions::default()).unwrap();
    assert!(link.is_symlink() && read(&usual).is_ok(), "a link is followed");
}

#[test]
fn what_is_no_image_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let check = |name: &str, content: Option<&[u8]>, expected: &str| {
        let path = directory.path().join(name);
        if let Some(content) = content {
            fs::write(&path, content).unwrap();
        }
        let error = read(&path).expect_err(name);
        assert_eq!(error.path(), path);
        assert!(error.to_string().contains(expected), "{error}");
    };
    check("gone.png", None, "no such file");
    check("text.txt", Some(b"hello"), "not supported");
    check("empty.exr", Some(b""), "truncated or damaged");
    check("empty.png", Some(b""), "truncated or damaged");
    check("text.tga", Some(b"hello"), "truncated or damaged");
    check("zero.bmp", Some(&bmp_header(0, 5)), "zero.bmp");
}

fn bmp_header(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bytes.extend(width.to_le_bytes());
    bytes.extend(height.to_le_bytes());
    bytes.extend([1, 0, 24, 0]);
    bytes.extend([0; 24]);
    bytes
}

#[test]
fn a_truncated_file_is_an_error() {
    let image = gradient(40, 30);
    for name in ["a.exr", "a.hdr", "a.png", "a.jpg"] {
        let bytes = encoded(name, &image);
        for kept in (0..bytes.len().saturating_sub(16)).step_by(bytes.len() / 60 + 1) {
            match decode(Path::new(name), &bytes[..kept]) {
                Err(ImageError::Damaged { .. } | ImageError::Unsupported { .. }) => {}
                Err(other) => panic!("{name} cut to {kept} of {} bytes: {other}", bytes.len()),
                Ok(_) => panic!("{name} cut to {kept} of {} bytes is accepted", bytes.len()),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Flipped bytes give an image or an error, never a panic.
    #[test]
    fn damaged_files_never_panic(
        format in 0usize..4,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let name = ["a.exr", "a.hdr", "a.png", "a.jpg"][format];
        let mut bytes = encoded(name, &gradient(19, 21));
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = decode(Path::new(name), &bytes);
    }

    /// Any bytes behind a format's first ones, likewise.
    #[test]
    fn arbitrary_bytes_never_panic(
        format in 0usize..6,
        tail in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let (name, head): (&str, &[u8]) = [
            ("a.exr", &[0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0][..]),
            ("a.hdr", b"#?RADIANCE\n"),
            ("a.png", b"\x89PNG\r\n\x1a\n"),
            ("a.jpg", &[0xff, 0xd8, 0xff]),
            ("a.bmp", b"BM"),
            ("a.tga", b""),
        ][format];
        let bytes: Vec<u8> = head.iter().copied().chain(tail).collect();
        let _ = decode(Path::new(name), &bytes);
    }
}

/// Loads one texture from an image file in memory.
fn texture(name: &str, image: &Image, color_space: TextureColorSpace) -> Texture {
    let raster = decode(Path::new(name), &encoded(name, image)).unwrap();
    Texture::new(Path::new(name), raster, color_space).unwrap()
}

fn assert_close(a: [f32; 4], b: [f32; 4], tolerance: f32, what: &str) {
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance), "{what}: {a:?} for {b:?}");
}

fn at(texture: &Texture, s: f32, t: f32, wrap: Wrap, interpolation: Interpolation) -> [f32; 4] {
    texture.sample(Vec2::new(s, t), Vec2::ZERO, Lookup { wrap_s: wrap, wrap_t: wrap, interpolation })
}

#[test]
fn the_top_row_is_at_t_zero() {
    let image = Image::from_fn(2, 2, |x, y| Rgb::new(x as f32, y as f32, 0.0));
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    let value = |s, t| at(&texture, s, t, Wrap::Periodic, Interpolation::Closest);
    assert_eq!(value(0.25, 0.25), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(value(0.75, 0.25), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(value(0.25, 0.75), [0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn lookups_interpolate_and_wrap() {
    let image = Image::from_fn(4, 1, |x, _| Rgb::splat(x as f32));
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    let check = |wrap, s: f32, expected: f32| {
        let [r, ..] = at(&texture, s, 0.5, wrap, Interpolation::Linear);
        assert!((r - expected).abs() < 1e-4, "{wrap:?} at {s}: {r} for {expected}");
    };
    for wrap in [Wrap::Periodic, Wrap::Clamp, Wrap::Black, Wrap::Mirror] {
        check(wrap, 0.375, 1.0);
        check(wrap, 0.5, 1.5);
    }
    check(Wrap::Periodic, 0.0, 1.5);
    check(Wrap::Periodic, -3.625, 1.0);
    check(Wrap::Periodic, 1e4 + 0.375, 1.0);
    check(Wrap::Clamp, -5.0, 0.0);
    check(Wrap::Clamp, 1e30, 3.0);
    check(Wrap::Mirror, 1.125, 3.0);
    check(Wrap::Mirror, 1.375, 2.0);
    check(Wrap::Mirror, -0.125, 0.0);
    check(Wrap::Mirror, -0.375, 1.0);
    check(Wrap::Black, 1.0, 1.5);
    check(Wrap::Black, 1.2, 0.0);
    assert_eq!(at(&texture, f32::NAN, 0.0, Wrap::Clamp, Interpolation::Linear), [0.0; 4]);
}

#[test]
fn encoded_colour_is_decoded_before_it_is_averaged() {
    let image = Image::from_fn(2, 1, |x, _| Rgb::splat(x as f32));
    let auto = texture("a.png", &image, TextureColorSpace::Auto);
    assert_close(at(&auto, 0.5, 0.5, Wrap::Clamp, Interpolation::Linear), [0.5, 0.5, 0.5, 1.0], 1e-6, "auto");
    let grey = Image::from_fn(1, 1, |_, _| Rgb::splat(0.25));
    let value = |space| at(&texture("a.png", &grey, space), 0.5, 0.5, Wrap::Clamp, Interpolation::Linear)[0];
    assert!((value(TextureColorSpace::Srgb) - 0.25).abs() < 2e-3);
    assert!((value(TextureColorSpace::Raw) - 137.0 / 255.0).abs() < 1e-6);
    assert!((value(TextureColorSpace::Linear) - 137.0 / 255.0).abs() < 1e-6);
}

#[test]
fn every_level_has_the_mean_of_the_image() {
    for (width, height) in [(8, 8), (5, 3), (7, 1), (1, 9), (3, 6), (13, 29)] {
        let image = gradient(width, height);
        let texture = texture("a.exr", &image, TextureColorSpace::Auto);
        let mean: [f32; 3] = std::array::from_fn(|c| {
            image.data.iter().skip(c).step_by(3).sum::<f32>() / (width * height) as f32
        });
        let top = texture.sample(Vec2::splat(0.3), Vec2::splat(1e9), Lookup::default());
        assert_close(top, [mean[0], mean[1], mean[2], 1.0], 1e-5, &format!("{width}×{height}"));
        assert_eq!(texture.levels(), width.max(height).ilog2() as usize + 1);
    }
}

#[test]
fn a_wide_footprint_blends_levels() {
    let image = Image::from_fn(16, 16, |x, y| Rgb::splat(((x + y) % 2) as f32));
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    let value = |texels: f32| {
        texture.sample(Vec2::splat(0.5 / 16.0), Vec2::splat(texels / 16.0), Lookup::default())[0]
    };
    assert_eq!(value(1.0), 0.0);
    assert!((value(2f32.sqrt()) - 0.25).abs() < 1e-5);
    assert!((value(2.0) - 0.5).abs() < 1e-6);
    assert!((value(5.0) - 0.5).abs() < 1e-6);
    assert_eq!(value(f32::NAN), 0.0);
}

#[test]
fn textures_stay_as_narrow_as_their_file() {
    let image = gradient(64, 64);
    let check = |name, bytes_per_value: usize| {
        let bytes = texture(name, &image, TextureColorSpace::Auto).bytes();
        let level_0 = 64 * 64 * 3 * bytes_per_value;
        assert!((level_0..level_0 * 3 / 2).contains(&bytes), "{name}: {bytes}");
    };
    check("a.png", 1);
    check("a.exr", 4);
}

#[test]
fn values_that_are_no_number_are_counted() {
    let mut image = gradient(4, 4);
    image.data[5] = f32::NAN;
    image.data[7] = f32::INFINITY;
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    assert_eq!(texture.non_finite(), 2);
    let top = texture.sample(Vec2::ZERO, Vec2::ONE * 100.0, Lookup::default());
    assert!(top.iter().all(|v| v.is_finite()));
}

#[test]
fn each_file_is_loaded_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.png");
    write(&path, &gradient(4, 4), &WriteOptions::default()).unwrap();
    let roundabout = directory.path().join(".").join("a.png");
    let bytes: Arc<[u8]> = fs::read(&path).unwrap().into();

    let loader = TextureLoader::new();
    let file = |path: &PathBuf, space| loader.request(TextureSource::File(path.clone()), space);
    let a = file(&path, TextureColorSpace::Auto);
    assert_eq!(a, file(&roundabout, TextureColorSpace::Auto));
    let raw = file(&path, TextureColorSpace::Raw);
    assert_ne!(a, raw);
    let name = PathBuf::from("model.glb#image 0");
    let memory = TextureSource::Memory { name: name.clone(), bytes };
    let embedded = loader.request(memory, TextureColorSpace::Auto);
    let store = loader.load().unwrap();

    assert_eq!(store.textures().len(), 3);
    assert_eq!(store.find(&roundabout, TextureColorSpace::Auto), Some(a));
    assert_eq!(store.find(&name, TextureColorSpace::Auto), Some(embedded));
    assert_eq!(store.find(&path, TextureColorSpace::Linear), None);
    assert_eq!(store.get(a).texel(1, 2), store.get(embedded).texel(1, 2));
    assert_ne!(store.get(a).texel(1, 2), store.get(raw).texel(1, 2));
}

#[test]
fn all_missing_textures_are_named() {
    let loader = TextureLoader::new();
    for name in ["/no/such/a.png", "/no/such/b.exr"] {
        loader.request(TextureSource::File(name.into()), TextureColorSpace::Auto);
    }
    let errors: Vec<String> = loader.load().unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        ["cannot read image '/no/such/a.png': no such file", "cannot read image '/no/such/b.exr': no such file"]
    );
}
