//! Image files: written files read back with equal values, damaged files are rejected.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::LazyLock;

use exr::prelude::{AnyChannel, AnyChannels, Compression, Encoding, FlatSamples, WritableImage, f16};
use proptest::prelude::*;
use renderer::color::Rgb;
use renderer::image::{
    ColorSpace, Image, ImageError, MetaValue, SampleType, Samples, Subimage, Window, WriteOptions,
    check_writable, decode, decode_picture, encode, linear_from_srgb8, read, read_channels, read_metadata,
    srgb8_from_linear, write,
};

/// A picture of distinct values, some above 1.
pub(crate) fn gradient(width: usize, height: usize) -> Image {
    Image::from_fn(width, height, |x, y| {
        Rgb::new(
            x as f32 / width as f32,
            2.0 * y as f32 / height as f32,
            0.25 + (x * y) as f32 * 1e-3,
        )
    })
}

fn with_channels(channels: usize) -> Image {
    let mut image = Image::new(5, 3, channels);
    image.data.iter_mut().enumerate().for_each(|(i, v)| *v = i as f32 / 60.0);
    image
}

pub(crate) fn encoded(name: &str, image: &Image) -> Vec<u8> {
    encode(Path::new(name), image, &WriteOptions::default()).expect("the image suits the format")
}

#[test]
fn exr_round_trips_every_bit() {
    let directory = tempfile::tempdir().unwrap();
    for channels in [1, 2, 3, 4] {
        let image = with_channels(channels);
        let path = directory.path().join("a.exr");
        write(&path, &image, &WriteOptions::default()).unwrap();
        assert_eq!(read(&path).unwrap(), image, "{channels} channels");
    }
}

#[test]
fn tiff_round_trips_every_channel_in_each_type() {
    let (path, step) = (Path::new("a.tif"), 1.0 / 65535.0);
    let types = [
        (SampleType::F32, 0.0),
        (SampleType::F16, 5e-4),
        (SampleType::U16, 0.51 * step),
        (SampleType::U8, 0.51 / 255.0),
    ];
    for (samples, tolerance) in types {
        for channels in [1, 2, 3, 4, 5, 16] {
            // More rows than a TIFF strip contains.
            let mut image = Image::new(70, 300, channels);
            image
                .data
                .iter_mut()
                .enumerate()
                .for_each(|(i, v)| *v = (i % 1013) as f32 / 1012.0);
            let options = WriteOptions { samples, ..WriteOptions::default() };
            let bytes = encode(path, &image, &options).unwrap();
            let back = decode(path, &bytes).unwrap().into_image();
            assert_eq!((back.width, back.height, back.channels), (70, 300, channels));
            let worst = image.data.iter().zip(&back.data).map(|(a, b)| (a - b).abs());
            let worst = worst.fold(0.0, f32::max);
            assert!(worst <= tolerance, "{samples:?}, {channels} channels: {worst}");
        }
    }
}

/// A TIFF of 16-bit tiles, 32 × 16, in separate planes or interleaved: `x + 256 y + 65 c`.
fn tiled_tiff(width: u32, height: u32, channels: u32, planar: bool) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut file).unwrap();
    let mut directory = encoder.image_directory().unwrap();
    let (mut offsets, mut sizes) = (vec![], vec![]);
    let (planes, together) = if planar { (channels, 1) } else { (1, channels) };
    for (plane, ty, tx) in (0..planes).flat_map(|p| {
        (0..height.div_ceil(16)).flat_map(move |y| (0..width.div_ceil(32)).map(move |x| (p, y, x)))
    }) {
        let values = (0..32 * 16 * together).map(|i| {
            let (c, x, y) = (i % together + plane, i / together % 32, i / together / 32);
            (tx * 32 + x + 256 * (ty * 16 + y) + 65 * c) as u16
        });
        let values: Vec<u16> = values.collect();
        offsets.push(directory.write_data(&values[..]).unwrap() as u32);
        sizes.push(2 * values.len() as u32);
    }
    use tiff::tags::Tag;
    let longs: [(Tag, u32); 5] = [
        (Tag::ImageWidth, width),
        (Tag::ImageLength, height),
        (Tag::TileWidth, 32),
        (Tag::TileLength, 16),
        (Tag::Compression, 1),
    ];
    for (tag, value) in longs {
        directory.write_tag(tag, value).unwrap();
    }
    let shorts: [(Tag, u16); 3] = [
        (Tag::SamplesPerPixel, channels as u16),
        (Tag::PhotometricInterpretation, 2),
        (Tag::PlanarConfiguration, if planar { 2 } else { 1 }),
    ];
    for (tag, value) in shorts {
        directory.write_tag(tag, value).unwrap();
    }
    directory
        .write_tag(Tag::BitsPerSample, &vec![16u16; channels as usize][..])
        .unwrap();
    directory.write_tag(Tag::TileOffsets, &offsets[..]).unwrap();
    directory.write_tag(Tag::TileByteCounts, &sizes[..]).unwrap();
    directory.finish().unwrap();
    file.into_inner()
}

#[test]
fn tiles_and_planes_of_a_tiff_are_assembled() {
    // With more than three channels, the samples are not colours.
    for (channels, planar) in [(3, false), (3, true), (4, false), (5, false), (5, true)] {
        let bytes = tiled_tiff(70, 37, channels, planar);
        let raster = decode(Path::new("a.tif"), &bytes).unwrap();
        let channels = channels as usize;
        assert_eq!((raster.width, raster.height, raster.channels), (70, 37, channels));
        let Samples::U16(values) = raster.samples else { panic!("not of 16 bits") };
        for (i, v) in values.iter().enumerate() {
            let (c, x, y) = (i % channels, i / channels % 70, i / channels / 70);
            assert_eq!(usize::from(*v), x + 256 * y + 65 * c, "{channels}, planar: {planar}");
        }
    }
}

#[test]
fn damaged_tiffs_are_refused() {
    let whole = tiled_tiff(40, 20, 3, false);
    for length in (0..whole.len()).step_by(61) {
        assert!(decode(Path::new("a.tif"), &whole[..length]).is_err(), "{length} bytes");
    }
    for at in whole.len() - 250..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        // Any result is valid, if the decoder returns.
        let _ = decode(Path::new("a.tif"), &bytes);
    }
}

#[test]
fn exr_round_trips_channels_metadata_and_window() {
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
    assert_eq!(
        fs::read(&path).unwrap(),
        encode(&path, &image, &options).unwrap(),
        "the same bytes each time"
    );

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
        let back = decode(Path::new(name), &encoded(name, &image))
            .unwrap()
            .into_image()
            .into_linear();
        assert_eq!((back.width, back.height, back.channels), (33, 17, 3), "{name}");
        for (a, b) in back.data.iter().zip(&image.data) {
            let b = if name.ends_with("hdr") || name.ends_with("exr") {
                *b
            } else {
                b.min(1.0)
            };
            assert!((a - b).abs() <= tolerance * b.max(1.0), "{name}: {a} for {b}");
        }
    }
}

#[test]
fn hdr_files_preserve_brightness() {
    let image = Image::from_fn(64, 64, |x, y| {
        let v = 1.0 + (64 * y + x) as f32 / 4200.0;
        Rgb::new(v, 0.37 * v, 0.9 * v)
    });
    let written = |image: &Image| decode(Path::new("a.hdr"), &encoded("a.hdr", image)).unwrap().into_image();
    let back = written(&image);
    for channel in 0..3 {
        let mean = |image: &Image| image.data.iter().skip(channel).step_by(3).sum::<f32>() / 4096.0;
        assert!(
            (mean(&back) / mean(&image) - 1.0).abs() < 2e-4,
            "{channel}: {} for {}",
            mean(&back),
            mean(&image)
        );
    }
    for (a, b) in back.data.iter().zip(&image.data) {
        assert!((a - b).abs() <= 1.0 / 256.0, "{a} for {b}");
    }
    let mut odd = Image::new(5, 1, 3);
    let values = [1e-39, 3e38, f32::NAN, -1.0, 255.7];
    odd.data.iter_mut().enumerate().for_each(|(i, v)| *v = values[i / 3]);
    let found: Vec<f32> = written(&odd).data.into_iter().step_by(3).collect();
    assert!(
        found[0] == 0.0 && found[1] > 1e38 && found[2..] == [0.0, 0.0, 256.0],
        "{found:?}"
    );
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
fn a_failed_write_preserves_the_existing_file() {
    let directory = tempfile::tempdir().unwrap();
    let good = directory.path().join("good.png");
    fs::write(&good, "before").unwrap();
    let bad = directory.path().join("missing").join("bad.png");
    assert!(write(&bad, &gradient(4, 4), &WriteOptions::default()).is_err());
    assert!(write(&good, &gradient(0, 4), &WriteOptions::default()).is_err());
    assert_eq!(fs::read(&good).unwrap(), b"before");
    write(&good, &gradient(4, 4), &WriteOptions::default()).unwrap();
    assert_eq!(read(&good).unwrap().width, 4);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn outputs_are_checked_in_advance() {
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
    let (link, later) = (directory.path().join("to_later.png"), directory.path().join("later.png"));
    std::os::unix::fs::symlink("later.png", &link).unwrap();
    write(&link, &gradient(2, 2), &WriteOptions::default()).unwrap();
    assert!(
        link.is_symlink() && read(&later).is_ok(),
        "so is one to a file that does not exist yet"
    );
    let circle = directory.path().join("circle.png");
    std::os::unix::fs::symlink("circle.png", &circle).unwrap();
    assert!(check_writable(&circle).is_err());
    let astray = directory.path().join("astray.png");
    std::os::unix::fs::symlink("nowhere/a.png", &astray).unwrap();
    let message = check_writable(&astray).unwrap_err().to_string();
    assert!(message.contains("astray.png") && message.contains("nowhere"), "{message}");
}

#[test]
fn files_that_are_not_images_are_refused_by_name() {
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

/// Complete files of each format and each EXR compression, to be damaged.
static DAMAGED: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let written = ["a.exr", "a.hdr", "a.png", "a.jpg"].map(|n| (n.to_owned(), encoded(n, &gradient(19, 21))));
    let packed = [Compression::B44, Compression::DWAA(None), Compression::PIZ, Compression::RLE]
        .map(|compression| ("a.exr".to_owned(), exr_file(compression, &["R", "G", "B"])));
    written.into_iter().chain(packed).collect()
});

/// An EXR as other programs write it: half floats, channel `i` of value `i + x / 64`.
fn exr_file(compression: Compression, channels: &[&str]) -> Vec<u8> {
    let size = (32, 24);
    let channels = channels.iter().enumerate().map(|(i, &name)| {
        let values = (0..size.0 * size.1).map(|p| f16::from_f32(i as f32 + (p % size.0) as f32 / 64.0));
        AnyChannel::new(name, FlatSamples::F16(values.collect()))
    });
    let encoding = Encoding { compression, ..Encoding::FAST_LOSSLESS };
    let file =
        exr::image::Image::from_encoded_channels(size, encoding, AnyChannels::sort(channels.collect()));
    let mut bytes = Cursor::new(Vec::new());
    file.write().non_parallel().to_buffered(&mut bytes).unwrap();
    bytes.into_inner()
}

#[test]
fn colour_channels_are_found_by_common_names() {
    let check = |channels: &[&str], expected: &[f32]| {
        let bytes = exr_file(Compression::ZIP16, channels);
        let image = decode(Path::new("a.exr"), &bytes).unwrap().into_image();
        assert_eq!(image.pixel(0, 0), expected, "{channels:?}");
    };
    check(&["R", "G", "B"], &[0.0, 1.0, 2.0]);
    check(&["A", "R", "G", "B"], &[1.0, 2.0, 3.0, 0.0]);
    check(&["Y"], &[0.0]);
    check(&["Y", "A"], &[0.0, 1.0]);
    check(&["red", "green", "blue", "alpha"], &[0.0, 1.0, 2.0, 3.0]);
    check(
        &["depth.Z", "view.Combined.R", "view.Combined.G", "view.Combined.B"],
        &[1.0, 2.0, 3.0],
    );
    check(&["diffuse.R", "diffuse.G", "diffuse.B", "R", "G", "B"], &[3.0, 4.0, 5.0]);
    check(&["N.X", "N.Y", "N.Z"], &[0.0, 1.0, 2.0]);
    check(&["depth"], &[0.0]);
    // Missing channels are zero.
    check(&["R", "G"], &[0.0, 1.0, 0.0]);
    check(&["A", "G", "B"], &[0.0, 1.0, 2.0, 0.0]);
    check(&["flow.r", "flow.b", "depth.Z"], &[2.0]);
    check(&["flow.red", "flow.green", "flow.id"], &[0.0, 1.0, 0.0]);
    let bytes = exr_file(Compression::ZIP16, &["first", "second"]);
    let message = decode(Path::new("a.exr"), &bytes).unwrap_err().to_string();
    assert!(message.contains("no colour channels, only first, second"), "{message}");
    // Only luminance would remain of these colours.
    let bytes = exr_file(Compression::ZIP16, &["Y", "RY", "BY"]);
    let message = decode(Path::new("a.exr"), &bytes).unwrap_err().to_string();
    assert!(message.contains("write it with R, G and B"), "{message}");
}

/// Channels are in OpenImageIO's order, as `oiiotool --info -v` prints it.
#[test]
fn textures_have_all_channels_of_a_file() {
    let check = |channels: &[&str], expected: &[usize], alpha: Option<usize>| {
        let bytes = exr_file(Compression::ZIP16, channels);
        let picture = decode_picture(Path::new("a.exr"), &bytes, &Subimage::First).unwrap();
        let found = picture.levels[0].clone().into_image();
        let expected: Vec<f32> = expected.iter().map(|&i| i as f32).collect();
        assert_eq!(found.pixel(0, 0), expected, "{channels:?}");
        let colors = picture.info.colors.unwrap();
        assert_eq!(colors.alpha, alpha, "{channels:?}");
        assert_eq!(colors.is_grey, channels[0] == "Y", "{channels:?}");
    };
    check(&["Z", "A", "B", "G", "R"], &[4, 3, 2, 1, 0], Some(3));
    check(
        &[
            "R",
            "G",
            "B",
            "A",
            "diffuse.R",
            "diffuse.G",
            "diffuse.B",
            "Z",
            "mask",
            "N.x",
            "N.y",
            "N.z",
        ],
        &[0, 1, 2, 3, 7, 8, 9, 10, 11, 4, 5, 6],
        Some(3),
    );
    check(
        &["aux", "R", "G", "B", "beauty.A", "AR", "A.r"],
        &[1, 2, 3, 5, 0, 6, 4],
        Some(6),
    );
    check(&["Y", "A", "id", "q"], &[0, 1, 2, 3], Some(1));
    check(&["foo", "bar", "baz", "qux", "quux"], &[1, 2, 0, 4, 3], None);
    // If only layers have colours, the layer of the picture comes first.
    let layers = ["AO.R", "AO.G", "AO.B", "Combined.R", "Combined.G", "Combined.B"];
    check(
        &layers.map(|name| format!("ViewLayer.{name}")).each_ref().map(String::as_str),
        &[3, 4, 5, 0, 1, 2],
        None,
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Flipped bits give an image or an error, never a panic and never an allocation failure.
    #[test]
    fn damaged_files_never_panic(
        format in 0usize..8,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (name, mut bytes) = DAMAGED[format].clone();
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = decode(Path::new(&name), &bytes);
    }

    /// Random bytes after a format's signature cause no panic either.
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

/// A PNG file with this header and these chunks before the compressed data.
fn png_file(
    ihdr: [u32; 2],
    [depth, color, interlace]: [u8; 3],
    chunks: &[(&[u8; 4], &[u8])],
    stream: &[u8],
) -> Vec<u8> {
    let crc = |bytes: &[u8]| {
        let step = |crc: u32, byte: &u8| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
            })
        };
        !bytes.iter().fold(u32::MAX, step)
    };
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8; 4], content: &[u8]| {
        let body = [&name[..], content].concat();
        file.extend((content.len() as u32).to_be_bytes());
        file.extend(&body);
        file.extend(crc(&body).to_be_bytes());
    };
    let size: Vec<u8> = ihdr.iter().flat_map(|side| side.to_be_bytes()).collect();
    chunk(b"IHDR", &[&size[..], &[depth, color, 0, 0, interlace]].concat());
    for (name, content) in chunks {
        chunk(name, content);
    }
    chunk(b"IDAT", stream);
    chunk(b"IEND", &[]);
    file
}

/// An uncompressed zlib stream (RFC 1950).
fn stored(data: &[u8]) -> Vec<u8> {
    let step = |(a, b): (u32, u32), &byte: &u8| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    };
    let (a, b) = data.iter().fold((1, 0), step);
    let length = u16::try_from(data.len()).expect("the image is small");
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend(data);
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

/// A minimal zlib stream (RFC 1950) of `count` zeros: two bits for every 258 of them.
fn zeros(count: usize) -> Vec<u8> {
    let mut bits: Vec<bool> = vec![];
    let mut number = |value: u32, width: u32| bits.extend((0..width).map(|i| value >> i & 1 == 1));
    // The final block, with dynamic codes (RFC 1951, section 3.2.7): 286 for literals and lengths, one for distances.
    number(1, 1);
    number(2, 2);
    number(29, 5);
    number(0, 5);
    number(14, 4);
    // Lengths of the code length codes, in the RFC's order: 18 has one bit, 1 and 2 have two.
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
        number(
            match symbol {
                18 => 1,
                1 | 2 => 2,
                _ => 0,
            },
            3,
        );
    }
    // Codes start at their most significant bit: 18 is 0, 1 is 10, 2 is 11.
    let (one, two) = ((0b01, 2), (0b11, 2));
    // Literal 0 has two bits, 256 two, 285 (length 258) one, and the distance 1 one.
    let lengths = [two, (0, 1), (138 - 11, 7), (0, 1), (117 - 11, 7), two, (0, 1), (28 - 11, 7), one, one];
    lengths.into_iter().for_each(|(value, width)| number(value, width));
    let literal = |number: &mut dyn FnMut(u32, u32)| number(0b01, 2);
    literal(&mut number);
    (0..(count - 1) / 258).for_each(|_| number(0, 2));
    (0..(count - 1) % 258).for_each(|_| literal(&mut number));
    number(0b11, 2);
    let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
    let mut stream = vec![0x78, 0xda];
    stream.extend(bits.chunks(8).map(byte));
    stream.extend(((count % 65521) as u32 * 65536 + 1).to_be_bytes());
    stream
}

#[test]
fn every_kind_of_png_is_read() {
    // 2 × 2 pixels: black and white above, white and black below.
    let check = |name: &str, file: Vec<u8>| {
        let image = decode(Path::new("a.png"), &file)
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .into_image();
        let reds: Vec<f32> = image.data.iter().step_by(image.channels).copied().collect();
        assert_eq!((image.width, image.height, reds), (2, 2, vec![0.0, 1.0, 1.0, 0.0]), "{name}");
    };
    let size = [2, 2];
    for (depth, rows) in [(1, [0x40, 0x80]), (2, [0x30, 0xc0]), (4, [0x0f, 0xf0])] {
        let data = stored(&[0, rows[0], 0, rows[1]]);
        check("grey of few bits", png_file(size, [depth, 0, 0], &[], &data));
        let mut palette = vec![255; 3 << depth];
        palette[..3].fill(0);
        check(
            "palette of few bits",
            png_file(size, [depth, 3, 0], &[(b"PLTE", &palette)], &data),
        );
        check(
            "palette with alpha",
            png_file(size, [depth, 3, 0], &[(b"PLTE", &palette), (b"tRNS", &[128])], &data),
        );
    }
    check("grey", png_file(size, [8, 0, 0], &[], &stored(&[0, 0, 255, 0, 255, 0])));
    check(
        "grey with a colour for nothing",
        png_file(size, [8, 0, 0], &[(b"tRNS", &[0, 7])], &stored(&[0, 0, 255, 0, 255, 0])),
    );
    check(
        "grey of 16 bits",
        png_file(size, [16, 0, 0], &[], &stored(&[0, 0, 0, 255, 255, 0, 255, 255, 0, 0])),
    );
    check(
        "grey with alpha",
        png_file(size, [8, 4, 0], &[], &stored(&[0, 0, 9, 255, 9, 0, 255, 9, 0, 9])),
    );
    check(
        "palette",
        png_file(
            size,
            [8, 3, 0],
            &[(b"PLTE", &[255, 255, 255, 0, 0, 0])],
            &stored(&[0, 1, 0, 0, 0, 1]),
        ),
    );
    // Adam7: the first pixel, the second, then the lower row.
    check(
        "interlaced",
        png_file(size, [8, 0, 1], &[], &stored(&[0, 0, 0, 255, 0, 255, 0])),
    );
}

#[test]
fn uniform_images_are_read_at_any_compression_ratio() {
    let side = 4096u32;
    for (depth, channels) in [(8, 1), (1, 1), (16, 1), (8, 3)] {
        let row = (side as usize * channels * depth as usize).div_ceil(8) + 1;
        let color = if channels == 3 { 2 } else { 0 };
        let file = png_file([side; 2], [depth, color, 0], &[], &zeros(row * side as usize));
        assert!(file.len() < row * side as usize / 900, "{} bytes", file.len());
        let raster =
            decode(Path::new("a.png"), &file).unwrap_or_else(|error| panic!("{depth} bits: {error}"));
        assert_eq!((raster.width, raster.channels), (side as usize, channels));
        assert!(raster.into_image().data.iter().all(|&value| value == 0.0));
        // A size beyond any compression ratio is rejected before memory is allocated.
        let claims = png_file([side * 8; 2], [depth, color, 0], &[], &stored(&[0; 64]));
        let error = decode(Path::new("a.png"), &claims)
            .expect_err("the declared size exceeds the data")
            .to_string();
        assert!(error.contains("cannot hold") || error.contains("too large"), "{error}");
    }
}

#[test]
fn radiance_files_of_all_variants_are_read() {
    let pixels: [[u8; 4]; 4] =
        [[128, 64, 32, 129], [128, 64, 32, 129], [128, 64, 32, 129], [64, 64, 64, 128]];
    let flat: Vec<u8> = pixels.concat();
    // Old run-length encoding: a pixel (1, 1, 1, n) repeats its predecessor.
    let old = [pixels[0], [1, 1, 1, 2], pixels[3]].concat();
    for (magic, end) in [("#?RADIANCE", "\n"), ("#?RGBE", "\n")] {
        for (name, data) in [("flat", &flat), ("old run lengths", &old)] {
            let header = format!(
                "{magic}{end}# a remark{end}FORMAT=32-bit_rle_rgbe{end}EXPOSURE=1.0{end}{end}-Y 1 +X 4{end}"
            );
            let file = [header.as_bytes(), data].concat();
            let image = decode(Path::new("a.hdr"), &file)
                .unwrap_or_else(|error| panic!("{magic}, {name}: {error}"))
                .into_image();
            assert_eq!((image.width, image.height), (4, 1));
            assert_eq!(image.rgb(0, 0), image.rgb(2, 0), "{name}");
            assert!(image.rgb(2, 0).r > 1.9 * image.rgb(3, 0).r, "{name}");
        }
    }
}

#[test]
fn radiance_files_of_all_orientations_are_read() {
    // A picture of 3 × 2 pixels, numbered from the top left: 1 2 3, 4 5 6.
    for (resolution, order) in [
        ("-Y 2 +X 3", [1u8, 2, 3, 4, 5, 6]),
        ("-Y 2 -X 3", [3, 2, 1, 6, 5, 4]),
        ("+Y 2 +X 3", [4, 5, 6, 1, 2, 3]),
        ("+Y 2 -X 3", [6, 5, 4, 3, 2, 1]),
        ("+X 3 -Y 2", [1, 4, 2, 5, 3, 6]),
        ("-X 3 -Y 2", [3, 6, 2, 5, 1, 4]),
        ("+X 3 +Y 2", [4, 1, 5, 2, 6, 3]),
        ("-X 3 +Y 2", [6, 3, 5, 2, 4, 1]),
    ] {
        let mut file = format!("#?RGBE\nFORMAT=32-bit_rle_rgbe\n\n{resolution}\n").into_bytes();
        file.extend(order.iter().flat_map(|&number| [0, 16 * number, 0, 136]));
        let image = decode(Path::new("a.hdr"), &file)
            .unwrap_or_else(|error| panic!("{resolution}: {error}"))
            .into_image();
        assert_eq!((image.width, image.height), (3, 2), "{resolution}");
        let found: Vec<f32> = (0..6).map(|i| image.rgb(i % 3, i / 3).g / 16.0).collect();
        assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{resolution}");
    }
}

#[test]
fn jpeg_files_of_one_channel_are_read() {
    use image::codecs::jpeg::JpegEncoder;
    use image::{ExtendedColorType, ImageEncoder as _};
    let mut file = vec![];
    JpegEncoder::new(&mut file)
        .write_image(&[200; 64], 8, 8, ExtendedColorType::L8)
        .unwrap();
    let image = decode(Path::new("a.JPEG"), &file).unwrap().into_image();
    assert_eq!((image.width, image.channels), (8, 1));
}
