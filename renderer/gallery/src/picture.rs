//! The picture of a unit or group: its example, or itself, on the stage.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use shading::Diagnostics;

use super::entry::Entry;
use renderer_base::files::SharedFiles;
use renderer_cli::GalleryArgs;
use renderer_image::Image;
use renderer_inputs::common_args::ImportArgs;
use renderer_inputs::scene_options::SceneOptions;
use renderer_inputs::stage;
use renderer_inputs::stage_args::StageArgs;
use renderer_load::Change;
use renderer_scene::SceneDesc;
use renderer_support::Failure;
use renderer_support::interrupt::Interrupt;
use renderer_transport::render::{RenderSettings, SampleUnit, Silent, render};
use renderer_transport::scene::build::{Built, build};

/// A unit or group on the stage, ready to be rendered.
pub(super) struct Staged {
    pub(super) desc: SceneDesc,
    pub(super) built: Built,
    size: (u32, u32),
    spp: u32,
    threads: usize,
}

impl Staged {
    /// Makes the scene that shows a unit or group.
    ///
    /// # Errors
    /// If it, its example or its textures have errors.
    pub(super) fn new(entry: &Entry, args: &GalleryArgs) -> Result<Staged, Diagnostics> {
        let import = ImportArgs { define: args.define.clone(), ..ImportArgs::default() };
        let (width, height) = args.size;
        let size = Change::of_option(
            "--size",
            format!("{width}x{height}"),
            format!("film.size=({width}, {height})"),
        );
        let options = SceneOptions {
            changes: vec![size],
            ..SceneOptions::of(&args.source, &import)
        };
        let stage = StageArgs { example: entry.example.is_some(), ..StageArgs::default() };
        let preprocessor = (args.source).preprocessor(&import.macros(), SharedFiles::default());
        let word = entry.word();
        let (desc, _) =
            stage::load(entry.shader(&word), &stage, preprocessor, &SharedFiles::default(), |files| {
                options.for_load(files)
            })?;
        let threads = args.threads.unwrap_or(0) as usize;
        let built = build(&desc, None, threads)?;
        Ok(Staged { desc, built, size: args.size, spp: args.spp, threads })
    }

    /// Hash of the inputs of the picture; `None` if shaders compose file names, which are known only during rendering.
    pub(super) fn key(&self) -> Option<String> {
        let scene = &self.built.scene;
        if scene.computes_names() {
            return None;
        }
        let mut hasher = FxHasher::default();
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        scene.fingerprint().hash(&mut hasher);
        self.spp.hash(&mut hasher);
        self.size.hash(&mut hasher);
        Some(format!("{:016x}", hasher.finish()))
    }

    /// Renders it.
    ///
    /// # Errors
    /// If a signal has come.
    pub(super) fn render(&self, interrupt: &Interrupt) -> Result<Image, Failure> {
        let settings = RenderSettings {
            samples: 0..u64::from(self.spp),
            total: u64::from(self.spp),
            unit: SampleUnit::Path,
            seed: self.desc.sampler.seed,
            threads: self.threads,
            ..RenderSettings::new(&self.desc, &self.built)
        };
        let rendered = render(&self.built.scene, &settings, &Silent, interrupt.flag())?;
        if interrupt.is_set() {
            return Err(interrupt.failure());
        }
        Ok(rendered.state.film.develop())
    }
}
