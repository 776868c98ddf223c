//! Shader units and groups over arrays of points.

use std::path::PathBuf;

use numpy::{IntoPyArray as _, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use renderer::session::{self, PointInput, Points, Setup, ShadeRequest, SourceArgs, Step};
use shading::RayKind;

use crate::error::{DiagnosticTuple, diagnostic_tuples, exception};

/// The shaders that ship, as JSON.
#[pyfunction]
pub(crate) fn shipped(py: Python<'_>) -> String {
    py.detach(session::shipped)
}

/// A unit or group.
#[pyclass(frozen)]
pub(crate) struct Unit {
    unit: session::Unit,
}

#[pymethods]
impl Unit {
    /// Compiles the shader of a name or file; or of a text, which is then `is_text`.
    #[new]
    fn new(
        py: Python<'_>,
        source: &str,
        is_text: bool,
        name: Option<&str>,
        folders: Vec<PathBuf>,
    ) -> PyResult<Unit> {
        let step = match is_text {
            true => Step::Source(source.into(), name.map(str::to_owned)),
            false => Step::Shader(source.to_owned()),
        };
        let request = ShadeRequest {
            setup: Setup { steps: vec![step] },
            source: SourceArgs { folders, ..SourceArgs::default() },
            ..ShadeRequest::default()
        };
        let unit = py.detach(|| session::Unit::new(&request));
        let unit = unit.map_err(|failure| exception(py, &failure))?;
        Ok(Unit { unit })
    }

    /// Name, kind, parameters and metadata as JSON.
    fn description(&self) -> String {
        self.unit.description()
    }

    /// Warnings about the source.
    fn warnings(&self) -> Vec<DiagnosticTuple> {
        diagnostic_tuples(self.unit.warnings())
    }

    /// Compiles it with values of inputs, as lists of numbers or texts.
    fn instantiate(
        &self,
        py: Python<'_>,
        inputs: Vec<(String, Vec<String>)>,
        outputs: Vec<String>,
    ) -> PyResult<Instance> {
        let instance = py.detach(|| self.unit.instantiate(&inputs, &outputs, true));
        let instance = instance.map_err(|failure| exception(py, &failure))?;
        Ok(Instance { instance })
    }
}

/// A unit or group as machine code.
#[pyclass(frozen)]
pub(crate) struct Instance {
    instance: session::Instance,
}

/// Arrays of globals by name.
type Arrays<'py> = Vec<(String, PyReadonlyArray1<'py, f32>)>;

/// Outputs by name, each with the shape of a point's value and its numbers; printed text; reports.
type Values<'py> = (Vec<(String, Vec<usize>, Bound<'py, PyArray1<f32>>)>, String, Vec<String>);

#[pymethods]
impl Instance {
    /// Name, type and shape of each output.
    fn outputs(&self) -> Vec<(String, String, Option<Vec<usize>>)> {
        let outputs = self.instance.outputs().into_iter();
        outputs.map(|output| (output.name, output.ty, output.shape)).collect()
    }

    /// Warnings about textures.
    fn warnings(&self) -> Vec<DiagnosticTuple> {
        diagnostic_tuples(self.instance.warnings())
    }

    /// Runs at `count` points.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        arrays: Arrays<'py>,
        ray_kind: &str,
        threads: usize,
    ) -> PyResult<Values<'py>> {
        let points = points(count, &arrays, ray_kind)?;
        let evaluated = py.detach(|| self.instance.evaluate(&points, threads));
        let evaluated = evaluated.map_err(|failure| exception(py, &failure))?;
        let outputs = self.instance.outputs();
        let values = evaluated.values.into_iter().map(|(index, numbers)| {
            let output = &outputs[index];
            let shape = output.shape.clone().unwrap_or_default();
            (output.name.clone(), shape, numbers.into_pyarray(py))
        });
        Ok((values.collect(), evaluated.text, evaluated.reports))
    }

    /// Outputs at a point that are no numbers.
    fn texts<'py>(
        &self,
        py: Python<'py>,
        arrays: Arrays<'py>,
        ray_kind: &str,
    ) -> PyResult<Vec<(String, String)>> {
        let points = points(1, &arrays, ray_kind)?;
        Ok(py.detach(|| self.instance.texts(&points)))
    }
}

/// Shading points of these arrays.
fn points<'a>(count: usize, arrays: &'a Arrays<'_>, ray_kind: &str) -> PyResult<Points<'a>> {
    let wrong = |text: String| PyValueError::new_err(text);
    let kind = session::named(ray_kind, &RayKind::NAMES)
        .map_err(|known| wrong(format!("unknown kind of ray '{ray_kind}': {known}")))?;
    let mut points = Points::new(count, kind);
    for (name, array) in arrays {
        let input = session::named(name, &PointInput::NAMES)
            .map_err(|known| wrong(format!("points have no '{name}': {known}")))?;
        let lacks = || wrong(format!("'{name}' has not a value for each of {count} points"));
        points = points.with(input, array.as_slice()?).ok_or_else(lacks)?;
    }
    Ok(points)
}
