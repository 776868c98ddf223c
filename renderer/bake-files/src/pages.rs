//! The pages of a lightmap: names of their files, and their part of images.

use super::Failure;
use renderer_image::Image;
use renderer_inputs::bake_request::PAGES;

/// Name of a page's file: `irradiance.exr` for one page, else `irradiance.0.exr`, `irradiance.1.exr`, ….
pub(super) fn file(name: &str, page: u32, pages: u32) -> String {
    match name.split_once('.') {
        Some((stem, extension)) if pages > 1 => format!("{stem}.{page}.{extension}"),
        _ => name.to_owned(),
    }
}

/// The names of a file of all pages.
pub(super) fn files(name: &str, pages: u32) -> impl Iterator<Item = String> {
    (0..pages).map(move |page| file(name, page, pages))
}

/// The name that the file of a page has if it is the only one.
pub(super) fn alone(name: &str) -> String {
    let mut parts: Vec<&str> = name.split('.').collect();
    let is_page = |part: &&str| (0..PAGES).any(|page| page.to_string() == **part);
    if parts.len() > 2 && is_page(&parts[1]) {
        parts.remove(1);
    }
    parts.join(".")
}

/// The pages of an image in which they are one below the other.
pub(super) fn images(image: &Image, pages: u32) -> impl Iterator<Item = Image> {
    let height = image.height / pages.max(1) as usize;
    let rows = image.data.chunks_exact((image.width * image.channels * height).max(1));
    rows.map(move |data| Image {
        height,
        data: data.to_vec(),
        color_space: image.color_space,
        ..Image::new(image.width, 0, image.channels)
    })
}

/// Names and bytes of the files of all pages of an image; `encode` gets the image of a page.
pub(super) fn encoded(
    name: &str,
    image: &Image,
    pages: u32,
    encode: impl Fn(&Image) -> Result<Vec<u8>, Failure>,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let named = files(name, pages).zip(images(image, pages));
    named.map(|(name, image)| Ok((name, encode(&image)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pages_are_told_apart() {
        assert_eq!(file("irradiance.exr", 0, 1), "irradiance.exr");
        assert_eq!(file("irradiance.rgbm.png", 3, 4), "irradiance.3.rgbm.png");
        for name in ["irradiance.exr", "irradiance.rgbm.png", "sh_r_2.ktx2", "bake.json"] {
            assert_eq!(alone(name), name);
            assert!(files(name, PAGES).all(|file| alone(&file) == name));
        }
        for other in ["irradiance.64.exr", "irradiance.00.exr", "0.exr"] {
            assert_eq!(alone(other), other);
        }
    }
}
