//! Image files.

use std::path::{Path, PathBuf};

use numpy::{IntoPyArray as _, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use renderer::command::Failure;
use renderer::image::{
    self, ColorSpace, Format, Image, ImageError, NamedChannels, WriteOptions, linear_from_srgb,
};

use crate::error::exception;

/// Names of channels, each with its plane.
type Planes<'py> = Vec<(String, Bound<'py, PyArray1<f32>>)>;

/// Reads an image file: width, height, and its channels; colours of 8 bits become linear unless `raw`.
#[pyfunction]
pub(crate) fn read_channels(
    py: Python<'_>,
    path: PathBuf,
    raw: bool,
) -> PyResult<(usize, usize, Planes<'_>)> {
    let read = py.detach(|| -> Result<NamedChannels, ImageError> {
        let mut channels = image::read_channels(&path)?;
        if !raw && is_encoded(&path)? {
            let colors = channels.planes.iter_mut().filter(|(name, _)| name != "A");
            for value in colors.flat_map(|(_, plane)| plane) {
                *value = linear_from_srgb(*value);
            }
        }
        Ok(channels)
    });
    let read = read.map_err(|error| exception(py, &Failure::from(error)))?;
    let planes = read.planes.into_iter();
    let planes = planes.map(|(name, plane)| (name, plane.into_pyarray(py)));
    Ok((read.width, read.height, planes.collect()))
}

/// Returns whether the values of a file have the sRGB transfer function.
fn is_encoded(path: &Path) -> Result<bool, ImageError> {
    match image::read_info(path)?.format {
        // Always linear, and large.
        Format::Exr => Ok(false),
        _ => Ok(image::read(path)?.color_space == ColorSpace::Srgb),
    }
}

/// Writes numbers as an image file.
#[pyfunction]
pub(crate) fn write_picture(
    py: Python<'_>,
    path: PathBuf,
    numbers: PyReadonlyArray1<'_, f32>,
    width: usize,
    channels: usize,
) -> PyResult<()> {
    let data = numbers.as_array().to_vec();
    let height = data.len() / (width * channels).max(1);
    let mut picture = Image::new(width, height, channels);
    picture.data = data;
    let written = py.detach(|| image::write(&path, &picture, &WriteOptions::default()));
    written.map_err(|error| exception(py, &Failure::from(error)))
}
