//! Requests of scenes, pictures and bakes from keyword arguments, which Python passes in dictionaries.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use renderer::command::Failure;
use renderer::memory;
use renderer::scene::load::Lighting;
use renderer::session::{
    BUILD_QUALITIES, BakeRequest, INCLUDES, ImportArgs, LightGroups, ORDERS, On, RenderRequest, SIDES,
    SceneRequest, SourceArgs, StageArgs, named, parse_define, parse_param, variant,
};

use crate::error::exception;

/// Keyword arguments by name.
pub(crate) struct Options<'a, 'py>(pub(crate) &'a Bound<'py, PyDict>);

impl<'py> Options<'_, 'py> {
    /// The request of `kiln.load`, and the display of a shader; `text` is used in place of the file.
    pub(crate) fn scene(&self, path: PathBuf, text: Option<String>) -> PyResult<(SceneRequest, StageArgs)> {
        let scene = SceneRequest {
            path,
            text: text.map(Into::into),
            light: self.parsed("light", Lighting::parse)?,
            set: self.get("set")?,
            source: SourceArgs { folders: self.get("include_folders")?, undefine: vec![] },
            import: ImportArgs {
                define: self.pairs("define", parse_define)?,
                strict: self.get("strict")?,
            },
            ..SceneRequest::default()
        };
        let stage = StageArgs {
            params: self.pairs("param", parse_param)?,
            on: self.parsed("on", On::parse)?,
            show: self.get("show")?,
            ..StageArgs::default()
        };
        Ok((scene, stage))
    }

    /// The request of `Scene.render`.
    pub(crate) fn picture(&self) -> PyResult<RenderRequest> {
        let time: Option<f64> = self.get("time")?;
        let time = time.map(Duration::try_from_secs_f64).transpose();
        let light_groups: bool = self.get("light_groups")?;
        Ok(RenderRequest {
            spp: self.get("spp")?,
            samples: self.get("samples")?,
            noise: self.get("noise")?,
            quality: self.parsed("quality", variant)?,
            min_spp: self.get("min_spp")?,
            size: self.get("size")?,
            crop: self.get("crop")?,
            photon_map: self.get("photon_map")?,
            time: self.checked("time", time)?,
            aov: self.get("passes")?,
            light_groups: light_groups.then_some(LightGroups::Each),
            transparent: self.get("transparent")?,
            overrides: self.get("overrides")?,
            camera: self.get("camera")?,
            denoise: self.parsed("denoise", variant)?,
            stage: StageArgs::default(),
            scene: SceneRequest {
                texture_memory: self.parsed("texture_memory", memory::parse_size)?,
                build_quality: self.parsed("build_quality", |name| named(name, &BUILD_QUALITIES))?,
                ..self.work()?
            },
        })
    }

    /// The request of `kiln.bake`.
    pub(crate) fn bake(&self) -> PyResult<BakeRequest> {
        Ok(BakeRequest {
            target: self.parsed("target", variant)?,
            include: self.parsed("include", |name| named(name, &INCLUDES))?,
            lights: self.get("lights")?,
            sides: self.parsed("sides", |name| named(name, &SIDES))?,
            order: self.parsed("order", |name| named(name, &ORDERS))?,
            samples: self.get("samples")?,
            resolution: self.get("resolution")?,
            texels_per_unit: self.get("texels_per_unit")?,
            max_size: self.get("max_size")?,
            pages: self.get("pages")?,
            dilation: self.get("dilation")?,
            no_unwrap: self.get("no_unwrap")?,
            denoise: self.parsed("denoise", variant)?,
            aov: self.get("features")?,
            textures: self.get("textures")?,
            unlit: self.get("unlit")?,
            layout: self.parsed("layout", variant)?,
            viewer: self.get("viewer")?,
            image_format: self.parsed("image_format", variant)?,
            engine: self.parsed("engine", variant)?,
            probe_spacing: self.get("probe_spacing")?,
            probe_points: self.get("probe_points")?,
            keep: self.get("keep")?,
            scene: self.work()?,
            ..BakeRequest::default()
        })
    }

    /// Settings of light transport, and changes of the scene.
    fn work(&self) -> PyResult<SceneRequest> {
        Ok(SceneRequest {
            integrator: self.get("integrator")?,
            depth: self.get("depth")?,
            seed: self.get("seed")?,
            threads: self.get("threads")?,
            light: self.parsed("light", Lighting::parse)?,
            set: self.get("set")?,
            ..SceneRequest::default()
        })
    }

    fn get<T: FromPyObjectOwned<'py>>(&self, name: &str) -> PyResult<T> {
        self.0.as_any().get_item(name)?.extract().map_err(Into::into)
    }

    /// The parsed text of an argument, if it is given.
    fn parsed<T>(&self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> PyResult<Option<T>> {
        let text: Option<String> = self.get(name)?;
        self.checked(name, text.map(|text| parse(&text)).transpose())
    }

    /// The parsed texts `NAME=VALUE` of an argument.
    fn pairs(
        &self,
        name: &str,
        parse: fn(&str) -> Result<(String, String), String>,
    ) -> PyResult<Vec<(String, String)>> {
        let texts: Vec<String> = self.get(name)?;
        self.checked(name, texts.iter().map(|text| parse(text)).collect())
    }

    /// A value, or the exception that names its argument.
    fn checked<T, E: std::fmt::Display>(&self, name: &str, value: Result<T, E>) -> PyResult<T> {
        value.map_err(|error| {
            let failure = Failure::User(format!("error: {name}=: {error}"));
            exception(self.0.py(), &failure)
        })
    }
}
