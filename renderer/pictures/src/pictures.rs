//! Output files of a render: images, and part files with the exact sums.

use std::ffi::OsStr;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use shading::Diagnostic;

use super::denoising::Denoising;
use super::part_replacement::{Obstacle, obstacle};
use crate::layers::{Layered, develop};
use crate::part::{Header, Identity, PartReader, Ranges, write_to};
use renderer_denoise::{DenoiseError, Denoiser};
use renderer_image::film::{Film, NoiseMap};
use renderer_image::{
    Image, ImageError, MetaValue, Rect, ToneMap, WriteOptions, check_size, encode, has_exposure,
};
use renderer_passes::{Pass, ValuePass};
use renderer_support::Failure;
use renderer_support::outputs::{Outputs, WriteMode};
use renderer_transport::render::RenderSettings;

/// The files that a picture goes to.
#[derive(Debug)]
pub struct Pictures {
    /// Image files.
    pub images: Vec<PathBuf>,
    /// Part files.
    pub parts: Vec<PathBuf>,
    /// Exposure of 8-bit images [stops].
    pub exposure: f32,
    /// Tone map of 8-bit images.
    pub tone_map: ToneMap,
    /// Denoising of images; parts are not denoised.
    pub denoising: Option<Denoising>,
    /// True if the picture is seen without a file: in a viewer, or by a program.
    pub is_shown: bool,
}

/// A picture as images have it.
pub struct Developed {
    /// The picture and its layers.
    pub layered: Layered,
    /// True if the picture was denoised.
    pub is_denoised: bool,
    /// The warning of a picture that could not be denoised.
    pub noisy: Option<Diagnostic>,
}

/// Result of writing the files of a picture.
pub struct FileResults {
    /// The files that were written, images first.
    pub written: Vec<PathBuf>,
    /// A warning of each part that was left as it is.
    pub kept: Vec<Diagnostic>,
    /// The errors of files that are not in their places.
    pub errors: Vec<ImageError>,
}

/// A picture that was developed and written.
pub struct WrittenPicture {
    /// The picture.
    pub image: Image,
    /// True if the picture was denoised.
    pub is_denoised: bool,
    /// The warning of a picture that could not be denoised.
    pub noisy: Option<Diagnostic>,
    /// Its files.
    pub files: FileResults,
}

impl Pictures {
    /// Files by their names' endings; all of them are tried.
    pub fn new(files: &[PathBuf], exposure: f32, outputs: &mut Outputs) -> Result<Pictures, Failure> {
        let (parts, images): (Vec<PathBuf>, Vec<PathBuf>) =
            files.iter().cloned().partition(|path| is_part(path));
        for path in &images {
            outputs.image("-o", path)?;
        }
        for path in &parts {
            outputs.file("-o", path)?;
        }
        Ok(Pictures {
            images,
            parts,
            exposure,
            tone_map: ToneMap::None,
            denoising: None,
            is_shown: false,
        })
    }

    /// A picture that stays in memory.
    pub fn in_memory(denoising: Option<Denoising>) -> Pictures {
        Pictures {
            images: vec![],
            parts: vec![],
            exposure: 0.0,
            tone_map: ToneMap::None,
            denoising,
            is_shown: true,
        }
    }

    /// Fails if pictures need denoising and the library is missing, so that a long render does not fail at its end.
    pub fn check_denoising(&self) -> Result<(), Failure> {
        if self.denoising.is_some() && self.has_pictures() {
            Denoiser::open(0)?;
        }
        Ok(())
    }

    /// A warning where exposure or tone curve have no effect.
    pub fn unused_exposure(&self) -> Option<Diagnostic> {
        let option = match (self.exposure != 0.0, self.tone_map != ToneMap::None) {
            (true, _) => "--exposure",
            (false, true) => "--tone-map",
            (false, false) => return None,
        };
        let is_idle = !self.images.iter().any(|path| has_exposure(path));
        let message = format!("{option} has no effect: the picture keeps its radiance");
        is_idle.then(|| Diagnostic::warning(message).hint("it is for .png and .jpg"))
    }

    /// A warning where layers go to no file.
    pub fn unused_layers(&self, settings: &RenderSettings) -> Option<Diagnostic> {
        let set = settings.passes.as_ref()?.set();
        let has_layers = set
            .passes()
            .iter()
            .any(|desc| desc.pass != Pass::Value(ValuePass::Alpha) && !self.hides(&desc.name));
        let keeps = self.images.iter().any(|path| is_exr(path)) || !self.parts.is_empty();
        let warning = Diagnostic::warning("the layers are in none of the files: .exr and .part have them");
        (has_layers && !keeps).then(|| warning.hint("add `-o FILE.exr`"))
    }

    /// Leaves layers out that are rendered for denoising only.
    pub fn hide_features(&mut self, layers: Vec<String>) {
        if let Some(denoising) = &mut self.denoising {
            denoising.hidden = layers;
        }
    }

    /// Returns whether a layer is rendered for denoising only.
    fn hides(&self, layer: &String) -> bool {
        let denoising = self.denoising.as_ref();
        denoising.is_some_and(|denoising| denoising.hidden.contains(layer))
    }

    /// Fails if a picture of this size is invalid for a file's format.
    pub fn check_size(&self, size: Rect) -> Result<(), Failure> {
        let (width, height) = (size.width() as usize, size.height() as usize);
        let check = |path| check_size(path, width, height);
        Ok(self.images.iter().try_for_each(|path| check(path))?)
    }

    /// Fails if an existing part would be lost: it belongs to another picture, or has samples that the new part lacks.
    /// `identity` returns the identity of the new part for comparison with the old one.
    pub fn check_existing_parts(
        &self,
        samples: &Ranges,
        identity: impl Fn(&Identity) -> Identity,
    ) -> Result<(), Failure> {
        self.parts.iter().filter(|path| path.exists()).try_for_each(|path| {
            let old = PartReader::open(path)?;
            let old = old.header();
            let reason = match identity(&old.identity).difference(&old.identity) {
                Some(difference) => difference,
                None if !samples.include(&old.samples) => format!("it has the samples {}", old.samples),
                None => return Ok(()),
            };
            Err(Failure::User(format!(
                "error: '{}' exists and would be lost: {reason}\n  hint: name another file, or delete it",
                path.display()
            )))
        })
    }

    /// Writes the files, each completely or not at all, except parts that would lose samples; an error of one does not
    /// affect the others. With adaptive sampling, EXR files also get the number of samples of each pixel, and parts get
    /// `noise`.
    pub fn write(
        &self,
        film: &Film,
        noise: Option<&NoiseMap>,
        header: &Header,
        finish: &WriteMode<'_>,
    ) -> WrittenPicture {
        let Developed { layered, is_denoised, noisy } = self.develop(film, header);
        let files = self.write_files(&layered, film, noise, header, finish);
        WrittenPicture { image: layered.picture, is_denoised, noisy, files }
    }

    /// Writes all files of a developed picture.
    pub fn write_files(
        &self,
        layered: &Layered,
        film: &Film,
        noise: Option<&NoiseMap>,
        header: &Header,
        finish: &WriteMode<'_>,
    ) -> FileResults {
        let (mut written, mut kept, mut errors) = (vec![], vec![], vec![]);
        let mut note = |path: &PathBuf, result: Result<(), ImageError>| match result {
            Ok(()) => written.push(path.clone()),
            Err(error) => errors.push(error),
        };
        for path in &self.images {
            note(path, self.write_image(path, layered, film, header, finish));
        }
        for path in &self.parts {
            let write = |file: &mut BufWriter<&mut File>| write_to(file, header, film, noise);
            match obstacle(path, header) {
                Some(Obstacle::Samples(samples)) => kept.push(kept_part(path, &samples, header)),
                Some(Obstacle::Foreign(reason)) => note(path, Err(finish.refuse(path, &reason, write))),
                None => note(path, finish.write(path, write)),
            }
        }
        FileResults { written, kept, errors }
    }

    /// Returns whether the picture is displayed or written as an image; parts are never denoised.
    fn has_pictures(&self) -> bool {
        !self.images.is_empty() || self.is_shown
    }

    /// The denoised picture for a viewer during the render; `None` if pictures are not denoised.
    pub fn denoised_preview(&self, film: &Film, header: &Header) -> Option<Result<Image, Diagnostic>> {
        let denoised = self.denoising.as_ref()?.preview(&layered(film, header));
        Some(denoised.map_err(|error| not_denoised(&error)))
    }

    /// The picture with its layers as written to images, denoised if requested.
    pub fn develop(&self, film: &Film, header: &Header) -> Developed {
        let layered = layered(film, header);
        let (layered, is_denoised, error) = match &self.denoising {
            None => (layered, false, None),
            Some(denoising) if !self.has_pictures() => (denoising.without_hidden(layered), false, None),
            Some(denoising) => {
                let (layered, error) = denoising.apply(layered);
                (layered, error.is_none(), error)
            }
        };
        Developed {
            layered,
            is_denoised,
            noisy: error.map(|error| not_denoised(&error)),
        }
    }

    fn write_image(
        &self,
        path: &Path,
        layered: &Layered,
        film: &Film,
        header: &Header,
        finish: &WriteMode<'_>,
    ) -> Result<(), ImageError> {
        let mut options = WriteOptions {
            exposure: self.exposure,
            tone_map: self.tone_map,
            metadata: metadata(header),
            ..WriteOptions::default()
        };
        let bytes = if is_exr(path) {
            options.metadata.extend(layered.metadata.iter().cloned());
            options.channel_names.clone_from(&layered.names);
            options.channel_samples.clone_from(&layered.samples);
            if header.identity.get("noise").is_some() {
                options.channel_names.push("samples".to_owned());
                encode(path, &layered.image.with_channels(&film.sample_counts()), &options)?
            } else {
                encode(path, &layered.image, &options)?
            }
        } else {
            let is_png = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
            match is_png && layered.picture.channels == 4 {
                // PNG has unassociated alpha.
                true => encode(path, &unassociated(&layered.picture), &options)?,
                false => encode(path, &layered.picture, &options)?,
            }
        };
        finish.write_bytes(path, &bytes)
    }

    /// Output files, images first.
    pub fn files(&self) -> Vec<PathBuf> {
        self.images.iter().chain(&self.parts).cloned().collect()
    }
}

/// The picture of a film with its layers.
fn layered(film: &Film, header: &Header) -> Layered {
    develop(film, &header.layers).unwrap_or_else(|_| Layered::of(film.develop()))
}

/// The warning of a picture that could not be denoised.
fn not_denoised(error: &DenoiseError) -> Diagnostic {
    Diagnostic::warning(format!("the picture is not denoised: {error}"))
}

/// A picture whose colours are divided by their alpha.
fn unassociated(picture: &Image) -> Image {
    let mut picture = picture.clone();
    for pixel in picture.data.chunks_exact_mut(4) {
        let alpha = pixel[3];
        if alpha > 0.0 {
            pixel[..3].iter_mut().for_each(|v| *v /= alpha);
        }
    }
    picture
}

/// Returns whether a path has the extension of an EXR file.
pub fn is_exr(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exr"))
}

/// Returns whether a path has the extension of a part.
pub fn is_part(path: &Path) -> bool {
    path.extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| extension.eq_ignore_ascii_case("part"))
}

/// The warning of a part that was left as it is.
fn kept_part(path: &Path, samples: &Ranges, header: &Header) -> Diagnostic {
    let path = path.display();
    Diagnostic::warning(format!(
        "'{path}' is unchanged: it has the samples {samples}, this render has {}",
        header.samples
    ))
    .hint(format!("`--checkpoint {path} --resume` continues from its samples"))
}

/// Metadata of the EXR file. Render time is not included, so that equal images have equal bytes.
fn metadata(header: &Header) -> Vec<(String, MetaValue)> {
    let fact = |name: &str| header.identity.get(name).unwrap_or_default().to_owned();
    let pairs = [
        ("kiln.version", fact("version")),
        ("kiln.scene", header.scene_file.clone()),
        ("kiln.seed", fact("seed")),
        ("kiln.samples", header.samples.in_full()),
        ("kiln.integrator", fact("integrator")),
    ];
    pairs
        .into_iter()
        .map(|(name, text)| (name.to_owned(), MetaValue::Text(text)))
        .collect()
}
