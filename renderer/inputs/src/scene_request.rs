//! Request of a scene: its file, values that change it, and settings of light transport.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use shading::{Diagnostic, Diagnostics};

use crate::common_args::{ImportArgs, SourceArgs};
use crate::names::one_of;
use crate::scene_options::{SceneOptions, load_scene};
use crate::stage_args::StageArgs;
use renderer_base::memory;
use renderer_geometry::accel::BuildQuality;
use renderer_import::AnimationChoice;
use renderer_load::{Change, Lighting};
use renderer_scene::{FrameTime, SceneDesc};
use renderer_support::Failure;

/// The scene of a render or bake.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct SceneRequest {
    /// Scene or model
    #[arg(id = "scene", value_name = "SCENE")]
    pub path: PathBuf,
    /// Text of the scene, in place of its file.
    #[arg(skip)]
    pub text: Option<Arc<str>>,
    /// Light transport algorithm [default: the scene's; `photon` for bakes]
    #[arg(long, value_parser = INTEGRATORS)]
    pub integrator: Option<String>,
    /// Maximum number of path segments: 1 shows emission only, 2 adds direct light, 3 adds one bounce
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
    /// Threads; the result does not depend on it [default: all processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Maximum memory of the texture cache, such as 256M or 4G; the result does not depend on it [default: half of the free
    /// memory]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    pub texture_memory: Option<u64>,
    /// Build quality of the ray tracing acceleration structure: `low` builds fastest, `medium` uses every thread, `high`
    /// traces rays fastest; pictures differ at most where surfaces coincide [default: high for up to a million triangles,
    /// medium for more]
    #[arg(long, value_name = "QUALITY", value_parser = one_of(BUILD_QUALITIES))]
    pub build_quality: Option<BuildQuality>,
    /// Light in place of the scene's own: `neutral`, `studio`, `sky` or a latitude-longitude image (.hdr, .exr); `+studio`
    /// adds it
    #[arg(long, value_name = "LIGHT", value_parser = Lighting::parse)]
    pub light: Option<Lighting>,
    /// Changes a value of the scene, such as `camera.main.fov=30`; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Frame to render, such as 12, or time, such as 2.5s; the animation of a glTF file is played only with this or with
    /// --frames [default: the scene's, or 0]
    #[arg(long, value_name = "FRAME|TIMEs", allow_hyphen_values = true)]
    pub at: Option<FrameTime>,
    /// Animation of a glTF file [default: the first]
    #[arg(long, value_name = "NAME")]
    pub animation: Option<String>,
    /// Subdivides the meshes of a model, by the rules of Catmull and Clark: each edge is divided into 2^LEVEL parts
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u32).range(0..=16))]
    pub subdivide: Option<u32>,
    /// Factor of the size of the triangles of subdivided and displaced shapes, such as 4 for drafts [default: 1]
    #[arg(long, value_name = "FACTOR")]
    pub dicing_scale: Option<f32>,
    /// Options for reading shader sources.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Options for Mitsuba scenes.
    #[command(flatten)]
    pub import: ImportArgs,
}

/// Names of light transport algorithms.
pub const INTEGRATORS: [&str; 3] = ["path", "photon", "auto"];

/// Names of build qualities.
pub const BUILD_QUALITIES: [(&str, BuildQuality); 3] =
    [("low", BuildQuality::Low), ("medium", BuildQuality::Medium), ("high", BuildQuality::High)];

impl SceneRequest {
    /// Reads the scene, or makes one that shows a unit or group, and returns its warnings with it. `integrator` is the
    /// default of the command; `changes` follow those of `set`.
    ///
    /// # Errors
    /// Mistakes in the scene or in the request.
    pub fn read(
        &self,
        integrator: Option<&str>,
        changes: Vec<Change>,
        stage: Option<&StageArgs>,
    ) -> Result<(SceneDesc, Diagnostics), Failure> {
        if self.animation.is_some() && self.at.is_none() {
            let diagnostic = Diagnostic::error("--animation needs a time");
            return Err(Failure::of(diagnostic.hint("give it by --at or --frames")));
        }
        // The chosen integrator comes first, because other settings refer to it.
        let chosen = self.integrator.as_deref().or(integrator);
        let mut options = self.options();
        options.set.splice(0..0, chosen.map(|kind| format!("integrator={kind}")));
        let flag =
            |kind: &String| Change::of_option("--integrator", kind.clone(), format!("integrator={kind}"));
        let given = self
            .integrator
            .iter()
            .map(flag)
            .chain(self.set.iter().map(String::as_str).map(Change::from));
        let scale = |factor| {
            Change::of_option("--dicing-scale", format!("{factor}"), format!("film.dicing_scale={factor}"))
        };
        let changes: Vec<Change> = changes.into_iter().chain(self.dicing_scale.map(scale)).collect();
        let given: Vec<Change> = given.chain(changes.iter().cloned()).collect();
        options.changes = changes;
        options.stage = stage.cloned();
        let (mut desc, mut warnings) = load_scene(&self.path, options).map_err(Failure::Mistakes)?;
        warnings.list.extend(Change::without_effect(&given));
        desc.texture_memory = self.texture_memory;
        desc.build_quality = self.build_quality;
        Ok((desc, warnings))
    }

    /// Options that change how the scene is read.
    pub fn options(&self) -> SceneOptions {
        SceneOptions {
            set: self.set.clone(),
            light: self.light.clone(),
            text: self.text.clone(),
            subdivide: self.subdivide,
            animation: self.at.map(|_| AnimationChoice { name: self.animation.clone() }),
            at: self.at,
            ..SceneOptions::of(&self.source, &self.import)
        }
    }

    /// Returns the request with further changes, which replace changes of the same value.
    pub fn changed_by(&self, later: &SceneRequest) -> SceneRequest {
        let is_replaced = |text: &String| later.set.iter().any(|new| set_path(new) == set_path(text));
        let kept = self.set.iter().filter(|text| !is_replaced(text));
        SceneRequest {
            integrator: later.integrator.clone().or_else(|| self.integrator.clone()),
            depth: later.depth.or(self.depth),
            seed: later.seed.or(self.seed),
            threads: later.threads.or(self.threads),
            texture_memory: later.texture_memory.or(self.texture_memory),
            build_quality: later.build_quality.or(self.build_quality),
            light: later.light.clone().or_else(|| self.light.clone()),
            subdivide: later.subdivide.or(self.subdivide),
            dicing_scale: later.dicing_scale.or(self.dicing_scale),
            at: later.at.or(self.at),
            animation: later.animation.clone().or_else(|| self.animation.clone()),
            set: kept.chain(&later.set).cloned().collect(),
            ..self.clone()
        }
    }

    /// Faults of the values, each with its message.
    pub(crate) fn faults(&self) -> [(bool, &'static str); 3] {
        let is_integrator = |name: &String| INTEGRATORS.contains(&name.as_str());
        [
            (self.depth == Some(0), "--depth is at least 1"),
            (!(1..=1024).contains(&self.threads.unwrap_or(1)), "--threads is from 1 to 1024"),
            (
                !self.integrator.iter().all(is_integrator),
                "--integrator is path, photon or auto",
            ),
        ]
    }

    /// Number of threads; 0 for one per core.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or(0) as usize
    }

    /// Seed of the random numbers.
    pub fn seed(&self, desc: &SceneDesc) -> u64 {
        desc.frame_seed(self.seed.map(u64::from))
    }
}

/// Fails with the first fault that is true.
pub(crate) fn checked(faults: impl IntoIterator<Item = (bool, &'static str)>) -> Result<(), Failure> {
    match faults.into_iter().find(|(is_wrong, _)| *is_wrong) {
        Some((_, fault)) => Err(Failure::User(format!("error: {fault}"))),
        None => Ok(()),
    }
}

/// Path of a change `PATH=VALUE`.
pub(super) fn set_path(text: &str) -> &str {
    text.split('=').next().unwrap_or_default()
}
