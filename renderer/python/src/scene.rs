//! Scenes, pictures and bakes.

use std::path::PathBuf;

use numpy::{IntoPyArray as _, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use renderer::session;

use crate::error::{DiagnosticTuple, diagnostic_tuples, exception};
use crate::request::Options;
use crate::work::interruptible;

/// A scene that is read.
#[pyclass(frozen)]
pub(crate) struct Scene {
    scene: session::Scene,
}

#[pymethods]
impl Scene {
    /// Reads a file, or a text in place of the file.
    #[new]
    #[pyo3(signature = (path, text, options))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        text: Option<String>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Scene> {
        let (scene, stage) = Options(options).scene(path, text)?;
        let scene = interruptible(py, None, move |_, _| session::Scene::open(scene, stage))?;
        Ok(Scene { scene })
    }

    /// Warnings about the scene.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<DiagnosticTuple>> {
        let warnings = self.scene.warnings().map_err(|failure| exception(py, &failure))?;
        Ok(diagnostic_tuples(&warnings))
    }

    /// Names of the cameras, shapes, lights and materials.
    fn names(&self, py: Python<'_>) -> PyResult<[Vec<String>; 4]> {
        let desc = self.scene.desc().map_err(|failure| exception(py, &failure))?;
        Ok([
            desc.cameras.iter().map(|camera| camera.name.to_string()).collect(),
            desc.shapes.iter().map(|shape| shape.name.to_string()).collect(),
            desc.lights.iter().map(|light| light.name.to_string()).collect(),
            desc.materials.iter().map(|material| material.name.to_string()).collect(),
        ])
    }

    /// Width and height of its film.
    fn size(&self, py: Python<'_>) -> PyResult<(u32, u32)> {
        let desc = self.scene.desc().map_err(|failure| exception(py, &failure))?;
        let [width, height] = desc.film.size.value;
        Ok((width, height))
    }

    /// Renders a picture.
    fn render(
        &self,
        py: Python<'_>,
        options: &Bound<'_, PyDict>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Picture> {
        let request = Options(options).picture()?;
        let picture = interruptible(py, progress, |progress_state, stop| {
            self.scene.render(&request, progress_state, stop)
        })?;
        Ok(Picture { picture })
    }
}

/// Bakes a scene into a folder; returns statistics as JSON, and warnings.
#[pyfunction]
pub(crate) fn bake(
    py: Python<'_>,
    scene: &Bound<'_, Scene>,
    folder: PathBuf,
    options: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, Vec<DiagnosticTuple>)> {
    let scene = &scene.get().scene;
    let request = Options(options).bake()?;
    let baked = interruptible(py, progress, |progress_state, stop| {
        session::bake(scene, &folder, &request, progress_state, stop)
    })?;
    Ok((baked.json(), diagnostic_tuples(baked.warnings())))
}

/// A rendered picture.
#[pyclass(frozen)]
pub(crate) struct Picture {
    picture: session::Picture,
}

#[pymethods]
impl Picture {
    /// Width and height.
    #[getter]
    fn size(&self) -> (usize, usize) {
        self.picture.size()
    }

    /// Names of the layers.
    #[getter]
    fn layers(&self) -> Vec<&str> {
        self.picture.layers()
    }

    /// A layer: names of its channels, and the numbers of all pixels.
    fn layer<'py>(&self, py: Python<'py>, name: &str) -> Option<(Vec<&str>, Bound<'py, PyArray1<f32>>)> {
        let (names, image) = self.picture.layer(name)?;
        Some((names, image.data.into_pyarray(py)))
    }

    /// The samples that it has.
    #[getter]
    fn samples(&self) -> String {
        self.picture.samples()
    }

    /// True if it was denoised.
    #[getter]
    fn denoised(&self) -> bool {
        self.picture.is_denoised()
    }

    /// Statistics as JSON.
    #[getter]
    fn statistics(&self) -> &str {
        self.picture.statistics()
    }

    /// Warnings about scene and picture.
    fn warnings(&self) -> Vec<DiagnosticTuple> {
        diagnostic_tuples(self.picture.warnings())
    }

    /// Writes a file.
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        exposure: f32,
        tone_map: &str,
    ) -> PyResult<Vec<DiagnosticTuple>> {
        let saved = py.detach(|| self.picture.save(&path, exposure, tone_map));
        match saved {
            Ok(warnings) => Ok(diagnostic_tuples(&warnings)),
            Err(failure) => Err(exception(py, &failure)),
        }
    }
}
