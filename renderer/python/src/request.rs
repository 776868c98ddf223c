//! Requests of scenes and pictures from keyword arguments.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;
use renderer::command::Failure;
use renderer::memory;
use renderer::scene::load::Lighting;
use renderer::session::{
    BUILD_QUALITIES, DenoiseQuality, LightGroups, MitsubaArgs, On, Quality, RenderRequest, SceneRequest,
    SourceArgs, StageArgs, parse_define, parse_param,
};

/// Arguments of `kiln.load` and `kiln.loads`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SceneOptions {
    set: Vec<String>,
    light: Option<String>,
    param: Vec<String>,
    on: Option<String>,
    show: Option<String>,
    define: Vec<String>,
    include_folders: Vec<PathBuf>,
    strict: bool,
}

/// Arguments of `Scene.render`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PictureOptions {
    spp: Option<u32>,
    size: Option<[u32; 2]>,
    camera: Option<String>,
    seed: Option<u32>,
    integrator: Option<String>,
    depth: Option<u32>,
    samples: Option<[u64; 2]>,
    noise: Option<f64>,
    min_spp: Option<u32>,
    quality: Option<String>,
    time: Option<f64>,
    threads: Option<u32>,
    denoise: Option<String>,
    passes: Vec<String>,
    light_groups: bool,
    transparent: bool,
    crop: Option<[u32; 4]>,
    light: Option<String>,
    set: Vec<String>,
    overrides: Vec<String>,
    photon_map: Option<PathBuf>,
    texture_memory: Option<String>,
    build_quality: Option<String>,
}

impl SceneOptions {
    /// The request of a scene; `text` is used in place of the file.
    pub(crate) fn request(self, path: PathBuf, text: Option<String>) -> Result<RenderRequest, Failure> {
        let parse_all = |flag, parse: fn(&str) -> Result<(String, String), String>, list: &[String]| {
            let pairs = list.iter().map(|text| parsed(flag, parse(text)));
            pairs.collect::<Result<Vec<_>, _>>()
        };
        Ok(RenderRequest {
            stage: StageArgs {
                params: parse_all("--param", parse_param, &self.param)?,
                on: self.on.map(|on| parsed("--on", On::parse(&on))).transpose()?,
                show: self.show,
                ..StageArgs::default()
            },
            scene: SceneRequest {
                path,
                text: text.map(Into::into),
                light: light(self.light)?,
                set: self.set,
                source: SourceArgs {
                    folders: self.include_folders,
                    undefine: vec![],
                },
                mitsuba: MitsubaArgs {
                    define: parse_all("--define", parse_define, &self.define)?,
                    strict: self.strict,
                },
                ..SceneRequest::default()
            },
            ..RenderRequest::default()
        })
    }
}

impl PictureOptions {
    /// The request of a picture.
    pub(crate) fn request(self) -> Result<RenderRequest, Failure> {
        let qualities = [
            ("draft", Quality::Draft),
            ("normal", Quality::Normal),
            ("high", Quality::High),
        ];
        let denoisers = [("fast", DenoiseQuality::Fast), ("high", DenoiseQuality::High)];
        let time = self.time.map(Duration::try_from_secs_f64).transpose();
        let memory = self
            .texture_memory
            .map(|text| memory::parse_size(&text))
            .transpose();
        Ok(RenderRequest {
            spp: self.spp,
            samples: self.samples.map(|[first, end]| (first, end)),
            noise: self.noise,
            quality: named("--quality", self.quality, &qualities)?,
            min_spp: self.min_spp,
            size: self.size.map(|[width, height]| (width, height)),
            crop: self.crop,
            photon_map: self.photon_map,
            time: parsed("--time", time)?,
            aov: self.passes,
            light_groups: self.light_groups.then_some(LightGroups::Each),
            transparent: self.transparent,
            overrides: self.overrides,
            camera: self.camera,
            denoise: named("--denoise", self.denoise, &denoisers)?,
            stage: StageArgs::default(),
            scene: SceneRequest {
                integrator: self.integrator,
                depth: self.depth,
                seed: self.seed,
                threads: self.threads,
                texture_memory: parsed("--texture-memory", memory)?,
                build_quality: named("--build-quality", self.build_quality, &BUILD_QUALITIES)?,
                light: light(self.light)?,
                set: self.set,
                ..SceneRequest::default()
            },
        })
    }
}

fn light(text: Option<String>) -> Result<Option<Lighting>, Failure> {
    let light = text.map(|text| Lighting::parse(&text)).transpose();
    parsed("--light", light)
}

/// The value of a name.
fn named<T: Copy>(flag: &str, name: Option<String>, values: &[(&str, T)]) -> Result<Option<T>, Failure> {
    let Some(name) = name else { return Ok(None) };
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    let found = values.iter().find(|(known, _)| *known == name);
    let found = found.map(|(_, value)| Some(*value));
    let names = names.join(", ");
    parsed(flag, found.ok_or_else(|| format!("`{name}` is none of {names}")))
}

/// A parsed value, or the failure that names its option.
fn parsed<T, E: std::fmt::Display>(flag: &str, value: Result<T, E>) -> Result<T, Failure> {
    value.map_err(|error| Failure::User(format!("error: {flag}: {error}")))
}
