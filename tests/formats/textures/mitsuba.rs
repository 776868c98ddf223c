//! Texture lookups against values of Mitsuba 3.

use super::*;

/// Texture coordinates of the lookups of [`MITSUBA_BITMAPS`], inside and outside of the image.
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

/// Values of Mitsuba 3.9.1's texture `bitmap` for the picture of the test below: `mi.load_dict({"type": "bitmap",
/// …}).eval(si)` with `si.uv` set, for `raw`, `filter_type` and `wrap_mode`. Mitsuba's v is Kiln's t, from the top row
/// down.
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
fn lookups_match_mitsuba() {
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

/// The radiance of a plane with the emission of an instance of the unit `image`.
fn glow(directory: &Path, image: &str) -> Rgb {
    let text = format!(
        "camera main : perspective {{ from = (0, 5, 0); to = (0, 0, 0); up = (0, 0, 1); }}\n\
         group lamp(output closure color surface) {{ {image} emitter e(radiance = i.result); surface = e.surface; }}\n\
         shape s : plane {{ material = lamp(); }}"
    );
    let (desc, _) = renderer::scene::load::from_text("test.kiln", &text, directory, &LoadOptions::default())
        .unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 1).unwrap_or_else(|errors| panic!("{errors}"));
    let look = Look { size: [1, 1], spp: 4, ..Look::default() };
    mean(&built.scene, &spot_meter(Vec3::Y, Vec3::ZERO, 1e-3), look).0
}

#[test]
fn the_unit_image_has_all_lookup_options() {
    let directory = tempfile::tempdir().unwrap();
    let byte = |index: u32| {
        let (x, y, c) = (index / 3 % 5, index / 15, index % 3);
        ((x * 37 + y * 91 + c * 53 + 11) % 256) as u8
    };
    let picture = image::RgbImage::from_raw(5, 3, (0..45).map(byte).collect()).unwrap();
    picture.save(directory.path().join("a.png")).unwrap();
    for (space, interpolation, wrap, expected) in MITSUBA_BITMAPS {
        let space = if space == TextureColorSpace::Raw { "raw" } else { "auto" };
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
        // The last wrap mode is computed at each point.
        for (index, wrap) in [(3, format!("\"{wrap}\"")), (4, format!("u < 2 ? \"{wrap}\" : \"black\""))] {
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
fn the_unit_checker_matches_mitsubas_checkerboard() {
    // `eval` of `{"type": "checkerboard", "color0": 0.25, "color1": 0.75}`, without `to_uv` and with a `to_uv` that
    // scales by (3, 2) and rotates by 30 degrees. (`eval_1`, which reads floats such as `alpha`, exchanges the two
    // colours.)
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
        let maps = [([u, v], plain), ([2.598_08 * u - v, 1.5 * u + 1.732_05 * v], turned)];
        for ([s, t], expected) in maps {
            let unit = format!("checker i(a = 0.25, b = 0.75, columns = 2, rows = 2, s = {s}, t = {t});");
            let found = glow(directory.path(), &unit).to_array();
            assert_eq!(found, [expected; 3], "{unit}");
        }
    }
}
