//! Texture lookups: values, filtering, sample types and transfer functions.

mod environment;
mod files;
mod mitsuba;
mod tiles;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Vec2, Vec3};
use renderer::camera::CameraView;
use renderer::color::Rgb;
use renderer::image::{Image, Raster, Samples, Window, WriteOptions, decode, write};
use renderer::material::Host;
use renderer::scene::build::build;
use renderer::scene::load::LoadOptions;
use renderer::texture::{
    EnvironmentLookup, Filter, Interpolation, Lookup, Texture, TextureColorSpace, TextureLoader,
    TextureSource, TilePattern, Wrap,
};
use shading::{ShaderHost, TextureHandle, TextureInfo, TextureLookup, TextureRequest};
use support::scenes::{Look, mean, spot_meter};

use crate::images::{encoded, gradient};

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

/// Looks up a texture. Alpha is 1 for textures without alpha.
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

/// The average over a square footprint of a repeating texture.
fn over(texture: &Texture, st: f32, width: f32) -> [f32; 4] {
    look(texture, [st; 2], [width; 2], Wrap::Periodic, Interpolation::Linear)
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

/// Expected values are those of OpenImageIO 3.2, which blurs slanted footprints less than earlier versions.
#[test]
fn blur_widens_slanted_footprints() {
    let image = Image::from_fn(64, 64, |x, _| Rgb::splat(if x < 32 { 0.0 } else { 1.0 }));
    let texture = texture("edge.exr", &image, TextureColorSpace::Auto);
    let value = |blur| {
        let lookup = Lookup {
            st: Vec2::new(0.45, 0.5),
            dx: Vec2::new(0.03, 0.03),
            dy: Vec2::new(-0.01, 0.01),
            filter: Filter {
                wrap_s: Wrap::Periodic,
                wrap_t: Wrap::Periodic,
                interpolation: Interpolation::Linear,
                blur,
                ..Filter::default()
            },
        };
        texture.sample(&lookup).value[0]
    };
    for (blur, expected) in [
        (Vec2::splat(0.1), 0.0826273),
        (Vec2::new(0.1, 0.0), 0.0357645),
        (Vec2::new(0.0, 0.2), 0.148901),
        (Vec2::ZERO, 0.0),
    ] {
        let found = value(blur);
        assert!((found - expected).abs() < 2e-3, "{blur}: {found} for {expected}");
    }
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
    let value = |space| at(&texture("a.png", &grey, space), 0.5, 0.5, Wrap::Clamp, Interpolation::Linear)[0];
    assert!((value(TextureColorSpace::Srgb) - 0.25).abs() < 2e-3);
    assert!((value(TextureColorSpace::Raw) - 137.0 / 255.0).abs() < 1e-6);
    assert!((value(TextureColorSpace::Linear) - 137.0 / 255.0).abs() < 1e-6);
}

#[test]
fn every_mip_level_has_the_mean_of_the_image() {
    for (width, height) in [(8, 8), (5, 3), (7, 1), (1, 9), (3, 6), (13, 29)] {
        let image = gradient(width, height);
        let texture = texture("a.exr", &image, TextureColorSpace::Auto);
        let mean: [f32; 3] = std::array::from_fn(|c| {
            image.data.iter().skip(c).step_by(3).sum::<f32>() / (width * height) as f32
        });
        let top = over(&texture, 0.3, 1e9);
        assert_close(top, [mean[0], mean[1], mean[2], 1.0], 1e-5, &format!("{width}×{height}"));
        assert_eq!(texture.levels(), width.max(height).ilog2() as usize + 1);
    }
}

#[test]
fn wide_footprints_blend_mip_levels() {
    let image = Image::from_fn(16, 16, |x, y| Rgb::splat(((x + y) % 2) as f32));
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    let value = |texels: f32| over(&texture, 0.5 / 16.0, texels / 16.0)[0];
    assert_eq!(value(1.0), 0.0);
    // Level 1, uniformly 0.5, has the weight 2 · 1.5 / 2 − 1.
    assert!((value(1.5) - 0.25).abs() < 1e-5);
    assert!((value(2.0) - 0.5).abs() < 1e-6);
    assert!((value(5.0) - 0.5).abs() < 1e-6);
    assert_eq!(value(f32::NAN), 0.0);
}

#[test]
fn textures_keep_the_sample_type_of_their_file() {
    let image = gradient(64, 64);
    let check = |name, bytes_per_value: usize| {
        let bytes = texture(name, &image, TextureColorSpace::Auto).bytes();
        let level_0 = 64 * 64 * 3 * bytes_per_value;
        assert!((level_0..level_0 * 3 / 2).contains(&bytes), "{name}: {bytes}");
    };
    check("a.png", 1);
    check("a.exr", 4);
    let samples = Samples::F16(vec![exr::prelude::f16::from_f32(0.25); 64 * 64 * 3]);
    let raster = Raster { width: 64, height: 64, channels: 3, samples, window: None };
    let half = Texture::new(Path::new("half.exr"), raster, TextureColorSpace::Auto).unwrap();
    assert!(half.bytes() < 64 * 64 * 3 * 2 * 3 / 2);
    assert_eq!(half.texel(16, 3), [0.25, 0.25, 0.25, 0.0]);
}

#[test]
fn non_finite_values_are_counted() {
    let mut image = gradient(4, 4);
    image.data[5] = f32::NAN;
    image.data[7] = f32::INFINITY;
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    assert_eq!(texture.non_finite(), 2);
    let top = over(&texture, 0.0, 100.0);
    assert!(top.iter().all(|v| v.is_finite()));
}

#[test]
fn anisotropic_footprints_keep_detail_across() {
    let rows = Image::from_fn(64, 64, |_, y| Rgb::splat((y / 4 % 2) as f32));
    let texture = texture("a.exr", &rows, TextureColorSpace::Auto);
    let value = |width, height| {
        let st = [0.5, 6.0 / 64.0];
        look(&texture, st, [width, height], Wrap::Periodic, Interpolation::Linear)[0]
    };
    assert!(value(0.3, 1.0 / 64.0) > 0.95, "{}", value(0.3, 1.0 / 64.0));
    assert!((value(0.3, 0.3) - 0.5).abs() < 0.05, "{}", value(0.3, 0.3));
}

#[test]
fn derivatives_of_lookups_match_differences() {
    let texture = texture("a.exr", &gradient(32, 16), TextureColorSpace::Auto);
    for interpolation in [Interpolation::Cubic, Interpolation::Linear] {
        let sample = |s: f32, t: f32, width: f32| {
            texture.sample(&Lookup {
                st: Vec2::new(s, t),
                dx: Vec2::new(width, 0.0),
                dy: Vec2::new(0.0, width),
                filter: Filter { interpolation, derivatives: true, ..Filter::default() },
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

/// Checks read only the signature bytes of images.
#[test]
fn checks_report_images_of_unsupported_formats() {
    let folder = tempfile::tempdir().expect("a folder");
    let ktx2 = [&b"\xabKTX 20\xbb\r\n\x1a\n"[..], &[0; 100]].concat();
    fs::write(folder.path().join("t.ktx2"), &ktx2).expect("written");
    let triangle = "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 0}],
        \"buffers\": [{\"byteLength\": 60, \"uri\": \"a.bin\"}],
        \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 36}, {\"buffer\": 0, \"byteOffset\": 36, \"byteLength\": 24}],
        \"accessors\": [{\"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\", \"bufferView\": 0},
        {\"componentType\": 5126, \"count\": 3, \"type\": \"VEC2\", \"bufferView\": 1}],
        \"images\": [{\"uri\": \"t.ktx2\"}], \"textures\": [{\"source\": 0}],
        \"materials\": [{\"pbrMetallicRoughness\": {\"baseColorTexture\": {\"index\": 0}}}],
        \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0, \"TEXCOORD_0\": 1}, \"material\": 0}]}]}";
    fs::write(folder.path().join("a.gltf"), triangle).expect("written");
    let numbers = [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(folder.path().join("a.bin"), bytes).expect("written");
    let camera =
        "camera c : perspective { from = (0, 0, 4); to = (0, 0, 0); } light l : environment { color = 1; }";
    for scene in [
        "import \"a.gltf\" as a;",
        "material m = matte(albedo = image(file = \"t.ktx2\")); shape s : sphere { material = m; }",
    ] {
        let text = format!("{camera} {scene}");
        let options = LoadOptions::default();
        let loaded = renderer::scene::load::from_text("test.kiln", &text, folder.path(), &options);
        let (desc, _) = loaded.expect("the scene is valid");
        let errors = renderer::scene::build::check(&desc).err().map(|errors| errors.to_string());
        let errors = errors.unwrap_or_else(|| panic!("{scene} is accepted"));
        assert!(
            errors.contains("t.ktx2") && errors.contains("not a format that is read"),
            "{errors}"
        );
    }
}
