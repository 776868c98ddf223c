//! Environment textures, looked up by direction.

use exr::prelude::{AnyChannel, AnyChannels, Encoding, FlatSamples, WritableImage};

use super::*;

/// The linear lookup in a direction, with neighbouring directions at the given distances.
fn texel(texture: &Texture, direction: Vec3, dx: Vec3, dy: Vec3) -> [f32; 4] {
    let lookup = EnvironmentLookup {
        direction,
        dx,
        dy,
        filter: Filter { interpolation: Interpolation::Linear, ..Filter::default() },
    };
    texture.sample_environment(&lookup).value
}

fn point(texture: &Texture, direction: Vec3) -> [f32; 4] {
    texel(texture, direction, Vec3::ZERO, Vec3::ZERO)
}

#[test]
fn environments_are_oriented_for_a_viewer_inside() {
    let image = Image::from_fn(64, 32, |x, y| Rgb::new(x as f32 / 64.0, y as f32 / 32.0, 1.0));
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    let look = |direction| point(&texture, direction);
    let middle = 0.5 - 0.5 / 64.0;
    assert_close(look(Vec3::Z), [middle, 0.5 - 0.5 / 32.0, 1.0, 0.0], 1e-3, "+z");
    assert_close(look(-Vec3::X), [0.75 - 0.5 / 64.0, 0.484, 1.0, 0.0], 1e-3, "-x");
    assert!(look(Vec3::Y)[1] < 0.01 && look(-Vec3::Y)[1] > 0.95);
}

/// A narrow footprint across a pole covers two meridians, half the image apart. As in OpenImageIO, both are sampled,
/// even if the footprint is shorter than a texel.
#[test]
fn footprints_cross_the_poles() {
    // White for u from 1/8 to 3/8, which is around +x.
    let image = Image::from_fn(256, 128, |x, _| Rgb::splat(if (32..96).contains(&x) { 1.0 } else { 0.0 }));
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    for pole in [Vec3::Y, -Vec3::Y] {
        for (along, expected) in [(Vec3::X, 0.5), (-Vec3::X, 0.5), (Vec3::Z, 0.0)] {
            for size in [1e-3, 0.02, 0.1] {
                let found = texel(&texture, pole, Vec3::ZERO, along * size)[0];
                assert!((found - expected).abs() < 0.01, "{pole} {along} {size}: {found}");
            }
        }
    }
}

/// Small images have one colour at each pole: the mean of the texels around it.
#[test]
fn small_images_blend_to_the_mean_at_their_poles() {
    let image = Image::from_fn(8, 4, |x, y| Rgb::new(if x == 2 { 1.0 } else { 0.0 }, y as f32, 1.0));
    let texture = texture("a.exr", &image, TextureColorSpace::Auto);
    for (pole, row) in [(Vec3::Y, 0.0), (-Vec3::Y, 3.0)] {
        for tilt in [Vec3::X, -Vec3::Z] {
            let found = point(&texture, pole + tilt * 1e-4);
            assert_close(found, [0.125, row, 1.0, 0.0], 1e-3, "a pole");
        }
        // Half a texel from the pole: ¼ of the mean, and the texel in the middle of column 2.
        let (latitude, longitude) = (std::f32::consts::PI * 0.375, std::f32::consts::TAU * (2.5 / 8.0 - 0.5));
        let middle = Vec3::new(-longitude.sin(), 0.0, longitude.cos()) * latitude.cos();
        let found = point(&texture, middle + pole * latitude.sin());
        assert_close(found, [0.25 * 0.125 + 0.75, row, 1.0, 0.0], 1e-4, "next to a pole");
        // A texel and a half from the pole.
        let latitude = std::f32::consts::PI * 0.125;
        let middle = Vec3::new(-longitude.sin(), 0.0, longitude.cos()) * latitude.cos();
        let found = point(&texture, middle + pole * latitude.sin());
        let next = if row == 0.0 { 1.0 } else { 2.0 };
        assert_close(found, [1.0, next, 1.0, 0.0], 1e-4, "away from the pole");
    }
}

/// In OpenEXR's environments, the centres of the first and last texels are on the borders of the image.
#[test]
fn openexr_environments_have_texels_on_the_borders() {
    let folder = tempfile::tempdir().unwrap();
    let host_of = |is_environment: bool| {
        let channels = ["R", "G", "B"].map(|name| {
            let value = |i: usize| {
                if name == "R" { (i % 5) as f32 } else { (i / 5) as f32 }
            };
            AnyChannel::new(name, FlatSamples::F32((0..15).map(value).collect()))
        });
        let channels = AnyChannels::sort(channels.into_iter().collect());
        let mut file = exr::image::Image::from_encoded_channels((5, 3), Encoding::FAST_LOSSLESS, channels);
        if is_environment {
            file.layer_data.attributes.environment_map =
                Some(exr::meta::attribute::EnvironmentMap::LatitudeLongitude);
        }
        let name = format!("{is_environment}.exr");
        file.write().to_file(folder.path().join(&name)).unwrap();
        let loader = TextureLoader::new();
        let source = TextureSource::File(folder.path().join(name));
        let id = loader.request(source, TextureColorSpace::Raw);
        (loader.load().unwrap(), id)
    };
    for (is_environment, expected) in [(true, 3.0), (false, 3.25)] {
        let (store, id) = host_of(is_environment);
        let [column, row, ..] = point(store.get(id), -Vec3::X);
        assert!((column - expected).abs() < 1e-5, "{column}");
        assert!((row - 1.0).abs() < 1e-5, "{row}");
    }
}
