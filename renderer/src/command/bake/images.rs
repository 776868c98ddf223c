//! The images of a lightmap.

use std::path::Path;

use super::Failure;
use crate::bake::sh::{dominant_color, dominant_direction};
use crate::bake::{Lightmap, Order};
use crate::cli::Layout;
use crate::color::Rgb;
use crate::image::{Image, WriteOptions, encode};
use crate::math::INV_PI;

/// The largest half float.
const HALF_MAX: f32 = 65504.0;

/// Names and bytes of all images.
pub(super) fn files(map: &Lightmap, layout: Layout) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut files = match layout {
        Layout::Channels => channels(map)?,
        Layout::Coefficients => coefficients(map)?,
        Layout::Packed => packed(map)?,
    };
    let color = image(map, |x, y| map.irradiance(x, y));
    files.push(exr("irradiance", &color, &["R", "G", "B"])?);
    let dominant = |x, y| dominant_direction(map.coefficients(x, y));
    let mut direction = Image::new(map.width as usize, map.height as usize, 4);
    let mut color = Image::new(map.width as usize, map.height as usize, 3);
    for (x, y) in texels(map) {
        if let Some((d, share)) = dominant(x, y) {
            direction
                .pixel_mut(x as usize, y as usize)
                .copy_from_slice(&[d.x, d.y, d.z, share]);
            color.set_rgb(x as usize, y as usize, dominant_color(map.coefficients(x, y), d));
        }
    }
    files.push(exr("direction", &direction, &["X", "Y", "Z", "A"])?);
    files.push(exr("color", &color, &["R", "G", "B"])?);
    files.push((
        "preview.png".to_owned(),
        encode(Path::new("preview.png"), &preview(map), &WriteOptions::default())?,
    ));
    Ok(files)
}

/// The names of [`files`].
pub(super) fn names(layout: Layout, order: Order) -> Vec<String> {
    let sh: Vec<String> = match layout {
        Layout::Channels => ["r", "g", "b"].map(str::to_owned).into(),
        Layout::Coefficients => order.names().iter().map(|&name| name.to_owned()).collect(),
        Layout::Packed => (0..1 + (order.coefficients() - 1).div_ceil(4))
            .map(|n| n.to_string())
            .collect(),
    };
    let sh = sh.into_iter().map(|name| format!("sh_{name}.exr"));
    let others = ["irradiance.exr", "direction.exr", "color.exr", "preview.png"];
    sh.chain(others.map(str::to_owned)).collect()
}

/// What a white wall would look like, as bright as fits; texels that stand for nothing are dark blue.
fn preview(map: &Lightmap) -> Image {
    let white = white(map);
    image(map, |x, y| {
        if map.is_used(x, y) {
            map.irradiance(x, y) / white
        } else {
            Rgb::new(0.004, 0.005, 0.012)
        }
    })
}

/// An irradiance that few texels exceed, positive [W/m²].
pub(super) fn white(map: &Lightmap) -> f32 {
    const FEW: f32 = 0.005;
    let mut values: Vec<f32> = texels(map)
        .filter(|&(x, y)| map.surface(x, y).is_some())
        .map(|(x, y)| map.irradiance(x, y).max_component())
        .collect();
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    let value = values
        .get((FEW * values.len() as f32) as usize)
        .copied()
        .unwrap_or(0.0);
    if value > 0.0 { value } else { 1.0 / INV_PI }
}

fn texels(map: &Lightmap) -> impl Iterator<Item = (u32, u32)> + use<> {
    let (width, height) = (map.width, map.height);
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}

fn image(map: &Lightmap, f: impl Fn(u32, u32) -> Rgb) -> Image {
    Image::from_fn(map.width as usize, map.height as usize, |x, y| {
        f(x as u32, y as u32)
    })
}

fn channels(map: &Lightmap) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let names = map.order.names();
    (["sh_r", "sh_g", "sh_b"].into_iter().enumerate())
        .map(|(channel, file)| {
            let mut image = Image::new(map.width as usize, map.height as usize, names.len());
            for (x, y) in texels(map) {
                let values = map.coefficients(x, y).iter().map(|c| c.to_array()[channel]);
                for (to, value) in image.pixel_mut(x as usize, y as usize).iter_mut().zip(values) {
                    *to = value;
                }
            }
            exr(file, &image, names)
        })
        .collect()
}

fn coefficients(map: &Lightmap) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    (map.order.names().iter().enumerate())
        .map(|(index, name)| {
            let image = image(map, |x, y| map.coefficients(x, y)[index]);
            exr(&format!("sh_{name}"), &image, &["R", "G", "B"])
        })
        .collect()
}

/// The constant coefficient in colour, the others four to a file as luminance.
fn packed(map: &Lightmap) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let rest = map.order.coefficients() - 1;
    (0..1 + rest.div_ceil(4))
        .map(|number| {
            let mut image = Image::new(map.width as usize, map.height as usize, 4);
            for (x, y) in texels(map) {
                let c = map.coefficients(x, y);
                let value = |lane: usize| match number.checked_sub(1) {
                    None if lane == 3 => f32::from(u8::from(map.is_used(x, y))),
                    None => c[0].to_array()[lane],
                    Some(file) => c.get(1 + 4 * file + lane).map_or(0.0, |c| c.luminance()),
                };
                let values: [f32; 4] = std::array::from_fn(value);
                image.pixel_mut(x as usize, y as usize).copy_from_slice(&values);
            }
            exr(&format!("sh_{number}"), &image, &["R", "G", "B", "A"])
        })
        .collect()
}

fn exr(name: &str, image: &Image, channels: &[&str]) -> Result<(String, Vec<u8>), Failure> {
    let mut image = image.clone();
    for value in &mut image.data {
        *value = value.clamp(-HALF_MAX, HALF_MAX);
    }
    let options = WriteOptions {
        half: true,
        channel_names: channels.iter().map(|&c| c.to_owned()).collect(),
        ..WriteOptions::default()
    };
    let file = format!("{name}.exr");
    let bytes = encode(Path::new(&file), &image, &options)?;
    Ok((file, bytes))
}

/// The irradiance as an 8-bit image over [`white`], for engines that know no better.
pub(super) fn plain(map: &Lightmap) -> Result<Vec<u8>, Failure> {
    let white = white(map);
    let image = image(map, |x, y| map.irradiance(x, y) / white);
    Ok(encode(
        Path::new("lightmap.png"),
        &image,
        &WriteOptions::default(),
    )?)
}
