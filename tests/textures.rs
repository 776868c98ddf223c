//! Texture lookups: values, filtering, sample types and transfer functions.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3};
use renderer::color::Rgb;
use renderer::image::{Image, Raster, Samples, Window, WriteOptions, decode, encode, write};
use renderer::material::Host;
use renderer::scene::build::build;
use renderer::scene::desc::SceneDesc;
use renderer::scene::load::LoadOptions;
use renderer::texture::{
    EnvironmentLookup, Filter, Interpolation, Lookup, Texture, TextureColorSpace, TextureLoader,
    TextureSource, TilePattern, Wrap,
};
use shading::{ShaderHost, TextureHandle, TextureInfo, TextureLookup, TextureRequest};
use support::scenes::{Look, mean, spot_meter};

/// A picture with every value different, some beyond 1.
fn gradient(width: usize, height: usize) -> Image {
    Image::from_fn(width, height, |x, y| {
        Rgb::new(
            x as f32 / width as f32,
            2.0 * y as f32 / height as f32,
            0.25 + (x * y) as f32 * 1e-3,
        )
    })
}

fn encoded(name: &str, image: &Image) -> Vec<u8> {
    encode(Path::new(name), image, &WriteOptions::default()).expect("the image suits the format")
}

/// Loads one texture from an image file in memory.
fn texture(name: &str, image: &Image, color_space: TextureColorSpace) -> Texture {
    let raster = decode(Path::new(name), &encoded(name, image)).unwrap();
    Texture::new(Path::new(name), raster, color_space).unwrap()
}

fn assert_close(a: [f32; 4], b: [f32; 4], tolerance: f32, what: &str) {
    assert!(
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance),
        "{what}: {a:?} for {b:?}"
    );
}

/// What a texture without alpha has there is 1.
fn at(texture: &Texture, s: f32, t: f32, wrap: Wrap, interpolation: Interpolation) -> [f32; 4] {
    look(texture, [s, t], [0.0; 2], wrap, interpolation)
}

fn look(
    texture: &Texture,
    st: [f32; 2],
    [width, height]: [f32; 2],
    wrap: Wrap,
    interpolation: Interpolation,
) -> [f32; 4] {
    let lookup = Lookup {
        st: Vec2::from_array(st),
        dx: Vec2::new(width, 0.0),
        dy: Vec2::new(0.0, height),
        filter: Filter {
            wrap_s: wrap,
            wrap_t: wrap,
            interpolation,
            fill: 1.0,
            ..Filter::default()
        },
    };
    texture.sample(&lookup).value
}

/// Averaged over a square, of a texture that repeats.
fn over(texture: &Texture, st: f32, width: f32) -> [f32; 4] {
    look(
        texture,
        [st; 2],
        [width; 2],
        Wrap::Periodic,
        Interpolation::Linear,
    )
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
    assert_eq!(
        at(&texture, f32::NAN, 0.0, Wrap::Clamp, Interpolation::Linear),
        [0.0; 4]
    );
}

#[test]
fn encoded_colour_is_decoded_before_it_is_averaged() {
    let image = Image::from_fn(2, 1, |x, _| Rgb::splat(x as f32));
    let auto = texture("a.png", &image, TextureColorSpace::Auto);
    assert_close(
        at(&auto, 0.5, 0.5, Wrap::Clamp, Interpolation::Linear),
        [0.5, 0.5, 0.5, 1.0],
        1e-6,
        "auto",
    );
    let grey = Image::from_fn(1, 1, |_, _| Rgb::splat(0.25));
    let value = |space| {
        at(
            &texture("a.png", &grey, space),
            0.5,
            0.5,
            Wrap::Clamp,
            Interpolation::Linear,
        )[0]
    };
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
        let top = over(&texture, 0.3, 1e9);
        assert_close(
            top,
            [mean[0], mean[1], mean[2], 1.0],
            1e-5,
            &format!("{width}×{height}"),
        );
        assert_eq!(texture.levels(), width.max(height).ilog2() as usize + 1);
    }
}

#[test]
fn a_wide_footprint_blends_levels() {
    let image = Image::from_fn(16, 16, |x, y| Rgb::splat(((x + y) % 2) as f32));
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    let value = |texels: f32| over(&texture, 0.5 / 16.0, texels / 16.0)[0];
    assert_eq!(value(1.0), 0.0);
    // Level 1, all 0.5, has the weight 2 · 1.5 / 2 − 1.
    assert!((value(1.5) - 0.25).abs() < 1e-5);
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
    let samples = Samples::F16(vec![exr::prelude::f16::from_f32(0.25); 64 * 64 * 3]);
    let raster = Raster {
        width: 64,
        height: 64,
        channels: 3,
        samples,
        window: None,
    };
    let half = Texture::new(Path::new("half.exr"), raster, TextureColorSpace::Auto).unwrap();
    assert!(half.bytes() < 64 * 64 * 3 * 2 * 3 / 2);
    assert_eq!(half.texel(16, 3), [0.25, 0.25, 0.25, 0.0]);
}

#[test]
fn values_that_are_no_number_are_counted() {
    let mut image = gradient(4, 4);
    image.data[5] = f32::NAN;
    image.data[7] = f32::INFINITY;
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    assert_eq!(texture.non_finite(), 2);
    let top = over(&texture, 0.0, 100.0);
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
    let memory = TextureSource::Memory {
        name: name.clone(),
        bytes,
    };
    let embedded = loader.request(memory, TextureColorSpace::Auto);
    let store = loader.load().unwrap();

    assert_eq!(store.textures().count(), 3);
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
    let errors: Vec<String> = loader
        .load()
        .unwrap_err()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        errors,
        [
            "cannot read image '/no/such/a.png': no such file",
            "cannot read image '/no/such/b.exr': no such file"
        ]
    );
}

#[test]
fn a_handle_of_another_host_is_black() {
    let folder = tempfile::TempDir::new().unwrap();
    for name in ["a.exr", "b.exr"] {
        fs::write(folder.path().join(name), encoded(name, &gradient(4, 4))).unwrap();
    }
    let host = |names: &[&str]| {
        let host = Host::new(vec![folder.path().to_owned()]);
        let handles: Vec<_> = names
            .iter()
            .map(|name| host.texture_handle(&request(name)).unwrap())
            .collect();
        host.freeze(Arc::from([]), Affine3A::IDENTITY).unwrap();
        (host, handles)
    };
    let (_, foreign) = host(&["a.exr", "b.exr"]);
    let (host, own) = host(&["b.exr"]);
    let lookup = TextureLookup {
        position: [0.6, 0.6, 0.0],
        ..TextureLookup::default()
    };
    let value = |handle| host.texture(handle, &lookup).value;
    assert!(value(own[0])[1] > 0.0);
    for handle in foreign
        .into_iter()
        .chain([TextureHandle(0), TextureHandle(u32::MAX)])
    {
        assert!(handle == own[0] || value(handle) == [0.0; 4], "{handle:?}");
    }
}

/// Where [`MITSUBA_BITMAPS`] are looked up, in the image and around it.
const MITSUBA_UVS: [[f32; 2]; 8] = [
    [0.03, 0.02],
    [0.37, 0.61],
    [0.98, 0.97],
    [-0.21, 0.44],
    [1.33, -0.72],
    [2.65, 3.3],
    [-1.07, -1.93],
    [0.5, 0.5],
];

/// What Mitsuba 3.9.1's texture `bitmap` gives for the picture of the test below: `mi.load_dict({"type": "bitmap", …}).eval(si)`
/// with `si.uv` set, for `raw`, `filter_type` and `wrap_mode`. Its v is our t: from the top row down.
const MITSUBA_BITMAPS: [(TextureColorSpace, Interpolation, Wrap, [[f32; 3]; 8]); 12] = [
    (
        TextureColorSpace::Auto,
        Interpolation::Linear,
        Wrap::Periodic,
        [
            [0.235679, 0.450415, 0.152429],
            [0.384368, 0.421571, 0.437830],
            [0.243849, 0.477831, 0.219979],
            [0.700194, 0.107627, 0.146470],
            [0.122331, 0.290464, 0.497274],
            [0.344236, 0.310298, 0.443215],
            [0.255182, 0.505527, 0.150070],
            [0.434154, 0.783538, 0.010330],
        ],
    ),
    (
        TextureColorSpace::Auto,
        Interpolation::Linear,
        Wrap::Mirror,
        [
            [0.003347, 0.051269, 0.177888],
            [0.384368, 0.421571, 0.437830],
            [0.090842, 0.254152, 0.520996],
            [0.168666, 0.375715, 0.690957],
            [0.231351, 0.118920, 0.213786],
            [0.256834, 0.145516, 0.188043],
            [0.346704, 0.658375, 0.002732],
            [0.434154, 0.783538, 0.010330],
        ],
    ),
    (
        TextureColorSpace::Auto,
        Interpolation::Linear,
        Wrap::Clamp,
        [
            [0.003347, 0.051269, 0.177888],
            [0.384368, 0.421571, 0.437830],
            [0.090842, 0.254152, 0.520996],
            [0.109554, 0.278006, 0.549241],
            [0.346704, 0.658375, 0.002732],
            [0.090842, 0.254152, 0.520996],
            [0.003347, 0.051269, 0.177888],
            [0.434154, 0.783538, 0.010330],
        ],
    ),
    (
        TextureColorSpace::Auto,
        Interpolation::Closest,
        Wrap::Periodic,
        [
            [0.003347, 0.051269, 0.177888],
            [0.258183, 0.527115, 0.913098],
            [0.090842, 0.254152, 0.520996],
            [0.665387, 0.003035, 0.049707],
            [0.029557, 0.130137, 0.323143],
            [0.194618, 0.428691, 0.775822],
            [0.346704, 0.658375, 0.002732],
            [0.434154, 0.783538, 0.010330],
        ],
    ),
    (
        TextureColorSpace::Auto,
        Interpolation::Closest,
        Wrap::Mirror,
        [
            [0.003347, 0.051269, 0.177888],
            [0.258183, 0.527115, 0.913098],
            [0.090842, 0.254152, 0.520996],
            [0.258183, 0.527115, 0.913098],
            [0.029557, 0.130137, 0.323143],
            [0.029557, 0.130137, 0.323143],
            [0.346704, 0.658375, 0.002732],
            [0.434154, 0.783538, 0.010330],
        ],
    ),
    (
        TextureColorSpace::Auto,
        Interpolation::Closest,
        Wrap::Clamp,
        [
            [0.003347, 0.051269, 0.177888],
            [0.258183, 0.527115, 0.913098],
            [0.090842, 0.254152, 0.520996],
            [0.132868, 0.327778, 0.630757],
            [0.346704, 0.658375, 0.002732],
            [0.090842, 0.254152, 0.520996],
            [0.003347, 0.051269, 0.177888],
            [0.434154, 0.783538, 0.010330],
        ],
    ),
    (
        TextureColorSpace::Raw,
        Interpolation::Linear,
        Wrap::Periodic,
        [
            [0.405710, 0.613553, 0.337506],
            [0.597694, 0.590196, 0.562620],
            [0.457082, 0.664926, 0.388878],
            [0.836353, 0.220980, 0.347506],
            [0.331333, 0.539176, 0.695820],
            [0.584902, 0.491569, 0.599020],
            [0.495984, 0.703828, 0.262133],
            [0.690196, 0.898039, 0.101961],
        ],
    ),
    (
        TextureColorSpace::Raw,
        Interpolation::Linear,
        Wrap::Mirror,
        [
            [0.043137, 0.250980, 0.458824],
            [0.597694, 0.590196, 0.562620],
            [0.333333, 0.541176, 0.749020],
            [0.415569, 0.623412, 0.831255],
            [0.386471, 0.304180, 0.460824],
            [0.410784, 0.317451, 0.424902],
            [0.623529, 0.831373, 0.035294],
            [0.690196, 0.898039, 0.101961],
        ],
    ),
    (
        TextureColorSpace::Raw,
        Interpolation::Linear,
        Wrap::Clamp,
        [
            [0.043137, 0.250980, 0.458824],
            [0.597694, 0.590196, 0.562620],
            [0.333333, 0.541176, 0.749020],
            [0.335765, 0.543608, 0.751451],
            [0.623529, 0.831373, 0.035294],
            [0.333333, 0.541176, 0.749020],
            [0.043137, 0.250980, 0.458824],
            [0.690196, 0.898039, 0.101961],
        ],
    ),
    (
        TextureColorSpace::Raw,
        Interpolation::Closest,
        Wrap::Periodic,
        [
            [0.043137, 0.250980, 0.458824],
            [0.545098, 0.752941, 0.960784],
            [0.333333, 0.541176, 0.749020],
            [0.835294, 0.039216, 0.247059],
            [0.188235, 0.396078, 0.603922],
            [0.478431, 0.686275, 0.894118],
            [0.623529, 0.831373, 0.035294],
            [0.690196, 0.898039, 0.101961],
        ],
    ),
    (
        TextureColorSpace::Raw,
        Interpolation::Closest,
        Wrap::Mirror,
        [
            [0.043137, 0.250980, 0.458824],
            [0.545098, 0.752941, 0.960784],
            [0.333333, 0.541176, 0.749020],
            [0.545098, 0.752941, 0.960784],
            [0.188235, 0.396078, 0.603922],
            [0.188235, 0.396078, 0.603922],
            [0.623529, 0.831373, 0.035294],
            [0.690196, 0.898039, 0.101961],
        ],
    ),
    (
        TextureColorSpace::Raw,
        Interpolation::Closest,
        Wrap::Clamp,
        [
            [0.043137, 0.250980, 0.458824],
            [0.545098, 0.752941, 0.960784],
            [0.333333, 0.541176, 0.749020],
            [0.400000, 0.607843, 0.815686],
            [0.623529, 0.831373, 0.035294],
            [0.333333, 0.541176, 0.749020],
            [0.043137, 0.250980, 0.458824],
            [0.690196, 0.898039, 0.101961],
        ],
    ),
];

#[test]
fn lookups_give_mitsubas_values() {
    let byte = |index: usize| {
        let (x, y, c) = (index / 3 % 5, index / 15, index % 3);
        ((x * 37 + y * 91 + c * 53 + 11) % 256) as u8
    };
    for (space, interpolation, wrap, expected) in MITSUBA_BITMAPS {
        let raster = Raster {
            width: 5,
            height: 3,
            channels: 3,
            samples: Samples::U8((0..45).map(byte).collect()),
            window: None,
        };
        let texture = Texture::new(Path::new("a.png"), raster, space).unwrap();
        for ([s, t], [r, g, b]) in MITSUBA_UVS.into_iter().zip(expected) {
            let what = format!("{space:?}, {interpolation:?}, {wrap:?} at ({s}, {t})");
            let found = at(&texture, s, t, wrap, interpolation);
            assert_close(found, [r, g, b, 1.0], 2e-6, &what);
        }
    }
}

/// The radiance of a plane that glows as that instance of the unit `image` says.
fn glow(directory: &Path, image: &str) -> Rgb {
    let text = format!(
        "camera main : perspective {{ from = (0, 5, 0); to = (0, 0, 0); up = (0, 0, 1); }}\n\
         group lamp(output closure color surface) {{ {image} emitter e(radiance = i.result); surface = e.surface; }}\n\
         shape s : plane {{ material = lamp(); }}"
    );
    let (desc, _) = SceneDesc::from_text("test.kiln", &text, directory, &LoadOptions::default())
        .unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 1).unwrap_or_else(|errors| panic!("{errors}"));
    let look = Look {
        size: [1, 1],
        spp: 4,
        ..Look::default()
    };
    mean(&built.scene, &spot_meter(Vec3::Y, Vec3::ZERO, 1e-3), look).0
}

#[test]
fn the_unit_image_takes_all_options_as_parameters() {
    let directory = tempfile::tempdir().unwrap();
    let byte = |index: u32| {
        let (x, y, c) = (index / 3 % 5, index / 15, index % 3);
        ((x * 37 + y * 91 + c * 53 + 11) % 256) as u8
    };
    let picture = image::RgbImage::from_raw(5, 3, (0..45).map(byte).collect()).unwrap();
    picture.save(directory.path().join("a.png")).unwrap();
    for (space, interpolation, wrap, expected) in MITSUBA_BITMAPS {
        let space = if space == TextureColorSpace::Raw {
            "raw"
        } else {
            "auto"
        };
        let interp = if interpolation == Interpolation::Closest {
            "closest"
        } else {
            "linear"
        };
        let wrap = match wrap {
            Wrap::Periodic => "periodic",
            Wrap::Mirror => "mirror",
            _ => "clamp",
        };
        // The last is found out at each point.
        for (index, wrap) in [
            (3, format!("\"{wrap}\"")),
            (4, format!("u < 2 ? \"{wrap}\" : \"black\"")),
        ] {
            let [s, t] = MITSUBA_UVS[index];
            let image = format!(
                "image i(file = \"a.png\", s = {s}, t = {t}, wrap = {wrap}, interp = \"{interp}\", colorspace = \"{space}\");"
            );
            let [r, g, b] = glow(directory.path(), &image).to_array();
            let [x, y, z] = expected[index];
            assert_close([r, g, b, 1.0], [x, y, z, 1.0], 1e-5, &image);
        }
    }
}

#[test]
fn two_squares_of_the_unit_checker_are_mitsubas_checkerboard() {
    // `eval` of `{"type": "checkerboard", "color0": 0.25, "color1": 0.75}`, alone and with `to_uv` of a turn by 30 degrees
    // of a scale by (3, 2). (`eval_1`, which floats such as `alpha` are read by, has the two colours exchanged.)
    let cases = [
        ([0.1, 0.1], 0.25, 0.25),
        ([0.6, 0.1], 0.75, 0.25),
        ([0.1, 0.6], 0.75, 0.75),
        ([-0.1, 0.1], 0.75, 0.75),
        ([-0.1, -0.1], 0.25, 0.25),
        ([1.6, 0.2], 0.75, 0.25),
        ([0.4, 0.6], 0.75, 0.75),
    ];
    let directory = tempfile::tempdir().unwrap();
    for ([u, v], plain, turned) in cases {
        let maps = [
            ([u, v], plain),
            ([2.598_08 * u - v, 1.5 * u + 1.732_05 * v], turned),
        ];
        for ([s, t], expected) in maps {
            let unit = format!("checker i(a = 0.25, b = 0.75, columns = 2, rows = 2, s = {s}, t = {t});");
            let found = glow(directory.path(), &unit).to_array();
            assert_eq!(found, [expected; 3], "{unit}");
        }
    }
}

#[test]
fn long_footprints_keep_what_lies_across() {
    let rows = Image::from_fn(64, 64, |_, y| Rgb::splat((y / 4 % 2) as f32));
    let texture = texture("a.exr", &rows, TextureColorSpace::Auto);
    let value = |width, height| {
        let st = [0.5, 6.0 / 64.0];
        look(
            &texture,
            st,
            [width, height],
            Wrap::Periodic,
            Interpolation::Linear,
        )[0]
    };
    assert!(value(0.3, 1.0 / 64.0) > 0.95, "{}", value(0.3, 1.0 / 64.0));
    assert!((value(0.3, 0.3) - 0.5).abs() < 0.05, "{}", value(0.3, 0.3));
}

#[test]
fn derivatives_of_lookups_are_their_slopes() {
    let texture = texture("a.exr", &gradient(32, 16), TextureColorSpace::Auto);
    for interpolation in [Interpolation::Cubic, Interpolation::Linear] {
        let sample = |s: f32, t: f32, width: f32| {
            texture.sample(&Lookup {
                st: Vec2::new(s, t),
                dx: Vec2::new(width, 0.0),
                dy: Vec2::new(0.0, width),
                filter: Filter {
                    interpolation,
                    derivatives: true,
                    ..Filter::default()
                },
            })
        };
        for (s, t, width) in [(0.41, 0.53, 0.0), (0.33, 0.61, 0.0), (0.47, 0.52, 0.15)] {
            let (here, step) = (sample(s, t, width), 1e-3);
            let (right, below) = (sample(s + step, t, width), sample(s, t + step, width));
            for c in 0..3 {
                let slopes = [right, below].map(|near| (near.value[c] - here.value[c]) / step);
                let tolerance = 0.02 + 0.02 * slopes[0].abs().max(slopes[1].abs());
                assert!((here.ds[c] - slopes[0]).abs() < tolerance, "{here:?}, {slopes:?}");
                assert!((here.dt[c] - slopes[1]).abs() < tolerance, "{here:?}, {slopes:?}");
            }
        }
    }
}

#[test]
fn environments_are_seen_from_within() {
    let image = Image::from_fn(64, 32, |x, y| Rgb::new(x as f32 / 64.0, y as f32 / 32.0, 1.0));
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    let look = |direction| {
        let lookup = EnvironmentLookup {
            direction,
            filter: Filter {
                interpolation: Interpolation::Linear,
                ..Filter::default()
            },
            ..EnvironmentLookup::default()
        };
        texture.sample_environment(&lookup).value
    };
    let middle = 0.5 - 0.5 / 64.0;
    assert_close(look(Vec3::Z), [middle, 0.5 - 0.5 / 32.0, 1.0, 0.0], 1e-3, "+z");
    assert_close(look(-Vec3::X), [0.75 - 0.5 / 64.0, 0.484, 1.0, 0.0], 1e-3, "-x");
    assert!(look(Vec3::Y)[1] < 0.01 && look(-Vec3::Y)[1] > 0.95);
}

#[test]
fn names_of_tiles_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let squares = |name: &str| {
        let pattern = TilePattern::parse(name).unwrap();
        let found = pattern.find(folder.path()).into_iter();
        found.map(|(square, _)| square).collect::<Vec<_>>()
    };
    for file in [
        "a.1001.png",
        "a.1012.png",
        "a.0999.png",
        "b_u1_v2.png",
        "c_u2v1.png",
        "d.png",
    ] {
        fs::write(folder.path().join(file), b"").unwrap();
    }
    assert_eq!(squares("a.<UDIM>.png"), [[0, 0], [1, 1]]);
    assert_eq!(squares("a.%(UDIM)d.png"), [[0, 0], [1, 1]]);
    assert_eq!(squares("b_<uvtile>.png"), [[1, 2]]);
    assert_eq!(squares("b_<UVTILE>.png"), [[0, 1]]);
    assert_eq!(squares("b_<u>_<v>.png"), [[1, 2]]);
    assert_eq!(squares("b_<U>_<V>.png"), [[0, 1]]);
    assert_eq!(squares("c_u##v##.png"), [[2, 1]]);
    assert_eq!(TilePattern::parse("d.png"), None);
}

/// A host whose shaders name these files.
fn host_of(folder: &Path, names: &[&str]) -> Host {
    let host = Host::new(vec![folder.to_owned()]);
    for name in names {
        host.texture_handle(&request(name));
    }
    host.freeze(Arc::from([]), Affine3A::IDENTITY).unwrap();
    host
}

fn request(name: &str) -> TextureRequest {
    TextureRequest {
        file: name.to_owned(),
        ..TextureRequest::default()
    }
}

#[test]
fn squares_have_textures_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    for (name, grey) in [("a.1001.exr", 1.0), ("a.1012.exr", 2.0)] {
        let image = Image::from_fn(4, 4, |_, _| Rgb::splat(grey));
        fs::write(folder.path().join(name), encoded(name, &image)).unwrap();
    }
    // Whether the name is known before anything is loaded, or not.
    for names in [&["a.<UDIM>.exr"][..], &[]] {
        let host = host_of(folder.path(), names);
        let handle = host.texture_handle(&request("a.<UDIM>.exr")).unwrap();
        let value = |s, t| {
            let lookup = TextureLookup {
                position: [s, t, 0.0],
                missing: Some([7.0; 4]),
                ..TextureLookup::default()
            };
            host.texture(handle, &lookup).value[0]
        };
        assert!((value(0.5, 0.5) - 1.0).abs() < 1e-6);
        assert!((value(1.5, 1.5) - 2.0).abs() < 1e-6);
        for (s, t) in [(1.5, 0.5), (2.5, 0.5), (-0.5, 0.5), (0.5, 9.0), (f32::NAN, 0.5)] {
            assert_eq!(value(s, t), 7.0, "({s}, {t})");
        }
        let channels = |st| host.texture_info(&request("a.<UDIM>.exr"), "channels", st);
        assert_eq!(channels(None), Some(TextureInfo::Ints(vec![3])));
        assert_eq!(channels(Some([0.5, 0.5])), Some(TextureInfo::Ints(vec![3])));
        assert_eq!(channels(Some([1.5, 0.5])), None);
        assert_eq!(
            host.texture_info(&request("a.<UDIM>.exr"), "averagecolor", None),
            None
        );
    }
}

#[test]
fn files_say_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::from_fn(6, 4, |_, _| Rgb::new(0.25, 0.5, 1.0));
    image.window = Some(Window {
        x: 2,
        y: 3,
        full_width: 20,
        full_height: 10,
    });
    fs::write(folder.path().join("a.exr"), encoded("a.exr", &image)).unwrap();
    let host = host_of(folder.path(), &["a.exr"]);
    let info = |name| host.texture_info(&request("a.exr"), name, None);
    let ints = |values: &[i32]| Some(TextureInfo::Ints(values.to_vec()));
    assert_eq!(info("resolution"), ints(&[6, 4]));
    assert_eq!(info("datawindow"), ints(&[2, 3, 7, 6]));
    assert_eq!(info("displaywindow"), ints(&[0, 0, 19, 9]));
    assert_eq!(info("exists"), ints(&[1]));
    assert_eq!(host.texture_info(&request("none"), "exists", None), ints(&[0]));
    let color = Some(TextureInfo::Floats(vec![0.25, 0.5, 1.0]));
    assert_eq!(
        (info("averagecolor"), info("constantcolor")),
        (color.clone(), color)
    );
    assert_eq!((info("averagealpha"), info("nonsense")), (None, None));
    assert!(host.texture_error(&request("a.exr")).is_none());
    let why = "Could not open file: none: No such file or directory";
    assert_eq!(host.texture_error(&request("none")).as_deref(), Some(why));
}

/// A tiled TIFF with its smaller versions, as `maketx` writes it.
fn tiled_pyramid(side: u32) -> Vec<u8> {
    use tiff::tags::Tag;
    let mut file = std::io::Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut file).unwrap();
    let mut size = side;
    loop {
        let mut directory = encoder.image_directory().unwrap();
        let (mut offsets, mut sizes) = (vec![], vec![]);
        for (ty, tx) in (0..size.div_ceil(32)).flat_map(|y| (0..size.div_ceil(32)).map(move |x| (y, x))) {
            let values = (0..32 * 32 * 3).map(|i| (tx * 71 + ty * 31 + i * i / 7 + size) as u8);
            let values: Vec<u8> = values.collect();
            offsets.push(directory.write_data(&values[..]).unwrap() as u32);
            sizes.push(values.len() as u32);
        }
        let longs = [
            (Tag::ImageWidth, size),
            (Tag::ImageLength, size),
            (Tag::TileWidth, 32),
            (Tag::TileLength, 32),
            (Tag::Compression, 1),
        ];
        for (tag, value) in longs {
            directory.write_tag(tag, value).unwrap();
        }
        directory.write_tag(Tag::SamplesPerPixel, 3u16).unwrap();
        directory.write_tag(Tag::PhotometricInterpretation, 2u16).unwrap();
        directory.write_tag(Tag::BitsPerSample, &[8u16; 3][..]).unwrap();
        directory.write_tag(Tag::TileOffsets, &offsets[..]).unwrap();
        directory.write_tag(Tag::TileByteCounts, &sizes[..]).unwrap();
        if size == side {
            let tags = [(33302, "Plain Texture"), (33303, "periodic,clamp")];
            for (tag, text) in tags {
                directory.write_tag(Tag::Unknown(tag), text).unwrap();
            }
        }
        directory.finish().unwrap();
        if size == 1 {
            return file.into_inner();
        }
        size /= 2;
    }
}

#[test]
fn a_bound_on_memory_changes_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a.png", "b.exr", "c.tif", "d.tif"];
    for (i, name) in files.into_iter().enumerate() {
        let bytes = match name {
            "d.tif" => tiled_pyramid(256),
            _ => encoded(name, &gradient(150 + 37 * i, 210)),
        };
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let load = |limit| {
        let loader = TextureLoader::with_memory(limit);
        let ids = files.map(|name| {
            let source = TextureSource::File(folder.path().join(name));
            loader.request(source, TextureColorSpace::Auto)
        });
        (loader.load().unwrap(), ids)
    };
    let (free, free_ids) = load(usize::MAX);
    // Less than the smallest of them, and room for a few tiles only.
    let (bound, bound_ids) = load(60_000);
    for (a, b) in free_ids.into_iter().zip(bound_ids) {
        for i in 0..400 {
            let (s, t) = (i as f32 * 0.617, i as f32 * 0.213 - 20.0);
            let lookup = Lookup {
                st: Vec2::new(s, t),
                dx: Vec2::new(1e-4 * (i * i % 900) as f32, 1e-3),
                dy: Vec2::new(0.0, 0.02),
                filter: Filter {
                    wrap_s: Wrap::Periodic,
                    wrap_t: Wrap::Mirror,
                    derivatives: true,
                    ..Filter::default()
                },
            };
            assert_eq!(
                free.sample(a, &lookup),
                bound.sample(b, &lookup),
                "{a:?} at ({s}, {t})"
            );
        }
    }
    assert!(bound.cache().bytes() <= 60_000, "{}", bound.cache().bytes());
    assert!(bound.cache().reads() > free.cache().reads());
}

#[test]
fn tiles_of_a_file_are_its_texels() {
    let bytes = tiled_pyramid(256);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tx");
    fs::write(&path, &bytes).unwrap();
    let loader = TextureLoader::new();
    let file = loader.request(TextureSource::File(path), TextureColorSpace::Raw);
    let memory = TextureSource::Memory {
        name: PathBuf::from("b.tx"),
        bytes: bytes.into(),
    };
    let memory = loader.request(memory, TextureColorSpace::Raw);
    let store = loader.load().unwrap();
    assert_eq!(store.cache().reads(), 0, "nothing was looked at");
    assert_eq!(store.get(file).levels(), 9);
    for i in 0..300 {
        // What the file says lies beyond: itself along s, its border along t.
        let lookup = Lookup {
            st: Vec2::new(i as f32 * 0.117 - 3.0, i as f32 * 0.0153 - 1.0),
            dx: Vec2::new(1e-4 * (i * 13 % 700) as f32, 0.0),
            dy: Vec2::new(0.0, 1e-3),
            ..Lookup::default()
        };
        let found = store.sample(file, &lookup);
        assert_eq!(found, store.sample(memory, &lookup));
        let beyond = Lookup {
            st: lookup.st + Vec2::new(1.0, 0.0),
            ..lookup
        };
        let (a, b) = (found.unwrap().value, store.sample(file, &beyond).unwrap().value);
        assert_close(a, b, 2e-3, "a period further");
    }
}

/// A colour ramp of 50 × 38 pixels with its smaller versions in tiles of 16 × 16, as `maketx` writes it.
const TILES: &[u8] = include_bytes!("textures/tiles.exr");

#[test]
fn tiles_of_an_exr_are_its_texels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.exr");
    fs::write(&path, TILES).unwrap();
    let loader = TextureLoader::new();
    let file = loader.request(TextureSource::File(path), TextureColorSpace::Auto);
    let memory = TextureSource::Memory {
        name: PathBuf::from("b.exr"),
        bytes: TILES.into(),
    };
    let memory = loader.request(memory, TextureColorSpace::Auto);
    let store = loader.load().unwrap();
    for id in [file, memory] {
        let texture = store.get(id);
        assert_eq!(
            (texture.width(), texture.height(), texture.channels()),
            (50, 38, 3)
        );
        assert_eq!(texture.levels(), 6);
        assert_eq!(texture.info().wrap.as_deref(), Some("periodic,mirror"));
    }
    for i in 0..300 {
        let lookup = Lookup {
            st: Vec2::new(i as f32 * 0.117 - 3.0, i as f32 * 0.0153 - 1.0),
            dx: Vec2::new(1e-3 * (i * 13 % 700) as f32, 0.0),
            dy: Vec2::new(0.0, 1e-3),
            ..Lookup::default()
        };
        assert_eq!(store.sample(file, &lookup), store.sample(memory, &lookup));
    }
    assert!(store.cache().reads() > 0);
}

#[test]
fn damaged_tiles_are_black() {
    let folder = tempfile::tempdir().unwrap();
    for (extension, bytes) in [("exr", TILES.to_vec()), ("tif", tiled_pyramid(128))] {
        for at in (0..bytes.len()).step_by(bytes.len() / 200) {
            let path = folder.path().join(format!("{at}.{extension}"));
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            fs::write(&path, damaged).unwrap();
            let loader = TextureLoader::with_memory(100_000);
            let id = loader.request(TextureSource::File(path), TextureColorSpace::Auto);
            // Whatever it gives, it comes back.
            let Ok(store) = loader.load() else { continue };
            for i in 0..16 {
                let st = Vec2::new(i as f32 / 16.0, i as f32 * 0.37 % 1.0);
                let lookup = Lookup {
                    st,
                    ..Lookup::default()
                };
                assert!(store.sample(id, &lookup).is_some());
            }
        }
    }
}

#[test]
fn threads_share_a_bounded_cache() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    fs::write(&path, tiled_pyramid(512)).unwrap();
    let loader = TextureLoader::with_memory(40_000);
    let id = loader.request(TextureSource::File(path), TextureColorSpace::Auto);
    let store = loader.load().unwrap();
    let look = |seed: usize| -> Vec<_> {
        (0..2000)
            .map(|i| {
                let st = Vec2::new(
                    (i * 7919 % 1013) as f32 / 1013.0,
                    ((i + seed) * 104_729 % 997) as f32 / 997.0,
                );
                store.sample(
                    id,
                    &Lookup {
                        st,
                        ..Lookup::default()
                    },
                )
            })
            .collect()
    };
    let expected = [0, 1, 2, 3].map(look);
    std::thread::scope(|scope| {
        for (seed, expected) in expected.iter().enumerate() {
            scope.spawn(move || assert_eq!(&look(seed), expected));
        }
    });
}
