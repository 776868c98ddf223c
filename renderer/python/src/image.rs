//! Image files.

use std::path::PathBuf;

use numpy::{IntoPyArray as _, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use renderer::command::Failure;
use renderer::image::{self, Image, WriteOptions};

use crate::error::raised;

/// Names of channels, each with its plane.
type Planes<'py> = Vec<(String, Bound<'py, PyArray1<f32>>)>;

/// Reads an image file: width, height, and its channels.
#[pyfunction]
pub(crate) fn read_channels(py: Python<'_>, path: PathBuf) -> PyResult<(usize, usize, Planes<'_>)> {
    let read = py.detach(|| image::read_channels(&path));
    let read = read.map_err(|error| raised(py, &Failure::from(error)))?;
    let planes = read.planes.into_iter();
    let planes = planes.map(|(name, plane)| (name, plane.into_pyarray(py)));
    Ok((read.width, read.height, planes.collect()))
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
    written.map_err(|error| raised(py, &Failure::from(error)))
}
