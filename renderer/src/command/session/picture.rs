//! A rendered picture with its layers, in memory.

use std::path::{Path, PathBuf};

use shading::Diagnostics;

use renderer_cli::ToneCurve;
use renderer_image::Image;
use renderer_image::film::{Film, NoiseMap};
use renderer_inputs::names::variant;
use renderer_pictures::layers::Layered;
use renderer_pictures::part::Header;
use renderer_pictures::pictures::Pictures;
use renderer_support::Failure;
use renderer_support::outputs::{Outputs, WriteMode, check_written};

/// The layer of the picture itself.
const COLOR: &str = "color";

/// A picture and all that `kiln render` would write of it.
#[derive(Debug)]
pub struct Picture {
    pub(super) layered: Layered,
    pub(super) is_denoised: bool,
    pub(super) film: Film,
    pub(super) noise: Option<NoiseMap>,
    pub(super) joins: bool,
    pub(super) header: Header,
    pub(super) statistics: String,
    pub(super) warnings: Diagnostics,
    /// The files that were read for the picture.
    pub(super) inputs: Vec<PathBuf>,
}

impl Picture {
    /// Width and height in pixels.
    pub fn size(&self) -> (usize, usize) {
        (self.layered.picture.width, self.layered.picture.height)
    }

    /// Names of the layers: `color` first, then the requested ones.
    pub fn layers(&self) -> Vec<&str> {
        let mut layers = vec![COLOR];
        for name in &self.layered.names {
            if let Some((layer, _)) = name.rsplit_once('.')
                && layers.last() != Some(&layer)
            {
                layers.push(layer);
            }
        }
        layers
    }

    /// A layer: its channels' names, and its pixels. `color` is linear Rec.709 radiance, with premultiplied alpha if the
    /// picture has alpha.
    pub fn layer(&self, layer: &str) -> Option<(Vec<&str>, Image)> {
        if layer == COLOR {
            let picture = self.layered.picture.clone();
            let names = ["R", "G", "B", "A"];
            return Some((names[..picture.channels.min(4)].to_vec(), picture));
        }
        let channels = self.layered.names.iter().enumerate();
        let channels = channels.filter_map(|(index, name)| {
            let (own, channel) = name.rsplit_once('.')?;
            (own == layer).then_some((index, channel))
        });
        let (indices, names): (Vec<usize>, Vec<&str>) = channels.unzip();
        let all = &self.layered.image;
        let mut image = Image::new(all.width, all.height, indices.len());
        let pixels = all.data.chunks_exact(all.channels);
        for (out, pixel) in image.data.chunks_exact_mut(indices.len().max(1)).zip(pixels) {
            for (value, &index) in out.iter_mut().zip(&indices) {
                *value = pixel[index];
            }
        }
        (!names.is_empty()).then_some((names, image))
    }

    /// Range of the samples per pixel that it has.
    pub fn samples(&self) -> String {
        self.header.samples.to_string()
    }

    /// True if it was denoised.
    pub fn is_denoised(&self) -> bool {
        self.is_denoised
    }

    /// Statistics as JSON, as `kiln render --stats` writes them.
    pub fn statistics(&self) -> &str {
        &self.statistics
    }

    /// Warnings about the scene and the picture.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Writes the picture with all layers that the format supports; returns warnings. Exposure in stops and tone curve
    /// apply to 8-bit formats. A file `.part` has exact sums, which `kiln merge` adds to those of other parts.
    ///
    /// # Errors
    /// When the file cannot be written, or was read to make the picture.
    pub fn save(&self, path: &Path, exposure: f32, tone_map: &str) -> Result<Diagnostics, Failure> {
        let mut outputs = Outputs::default();
        let mut pictures = Pictures::new(&[path.to_owned()], exposure, &mut outputs)?;
        let curve: ToneCurve = variant(tone_map).map_err(|known| {
            Failure::User(format!("error: unknown tone curve `{tone_map}`\n  hint: {known}"))
        })?;
        pictures.tone_map = curve.into();
        outputs.check_inputs(&self.inputs)?;
        pictures.check_size(self.film.crop())?;
        if !pictures.parts.is_empty() && !self.joins {
            return Err(Failure::User(
                "error: a part has a range of samples, and the picture was rendered without one\n  \
                 hint: render it with samples=(first, end)"
                    .to_owned(),
            ));
        }
        pictures.check_existing_parts(&self.header.samples, |_| self.header.identity.clone())?;
        let finish = WriteMode::Final(&self.inputs);
        let noise = self.noise.as_ref();
        let written = pictures.write_files(&self.layered, &self.film, noise, &self.header, &finish);
        check_written(&written.errors)?;
        Ok(Diagnostics { list: written.kept })
    }
}
