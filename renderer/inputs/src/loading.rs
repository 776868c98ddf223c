//! Steps shared by `render` and `bake`: reading a scene with the options of the command line.

use std::path::Path;

use shading::Diagnostics;

use super::scene_options::{SceneOptions, load_scene};
use crate::common_args::CommonArgs;
use crate::stage_args::StageArgs;
use renderer_base::memory::gigabytes;
use renderer_load::Change;
use renderer_scene::SceneDesc;
use renderer_support::{Failure, print, remark};

impl CommonArgs {
    /// Reads the scene and prints its warnings. `integrator` is used where the command line asks for none; `changes` are
    /// made after those of `--set`.
    pub fn load(&self, integrator: Option<&str>, changes: Vec<Change>) -> Result<SceneDesc, Failure> {
        self.load_file(&self.scene, integrator, changes, None)
    }

    /// Reads the scene, or makes one that shows a unit or group, and returns its warnings with it.
    pub fn read_staged(
        &self,
        stage: &StageArgs,
        changes: Vec<Change>,
    ) -> Result<(SceneDesc, Diagnostics), Failure> {
        self.read_file(&self.scene, None, changes, Some(stage.clone()))
    }

    /// Reads the scene of that file instead.
    pub fn load_file(
        &self,
        scene: &Path,
        integrator: Option<&str>,
        changes: Vec<Change>,
        stage: Option<StageArgs>,
    ) -> Result<SceneDesc, Failure> {
        let (desc, warnings) = self.read_file(scene, integrator, changes, stage)?;
        if !self.quiet {
            print(&warnings);
        }
        Ok(desc)
    }

    fn read_file(
        &self,
        scene: &Path,
        integrator: Option<&str>,
        changes: Vec<Change>,
        stage: Option<StageArgs>,
    ) -> Result<(SceneDesc, Diagnostics), Failure> {
        // The chosen integrator comes first, because other settings refer to it.
        let chosen = self.integrator.as_deref().or(integrator);
        let mut options = self.scene_options();
        options
            .set
            .splice(0..0, chosen.map(|kind| format!("integrator={kind}")));
        let flag =
            |kind: &String| Change::of_option("--integrator", kind.clone(), format!("integrator={kind}"));
        let given = self
            .integrator
            .iter()
            .map(flag)
            .chain(self.set.iter().map(String::as_str).map(Change::from));
        let given: Vec<Change> = given.chain(changes.iter().cloned()).collect();
        options.changes = changes;
        options.stage = stage;
        let (mut desc, mut warnings) = load_scene(scene, options).map_err(Failure::Mistakes)?;
        warnings.list.extend(Change::without_effect(&given));
        desc.texture_memory = self.texture_memory;
        desc.build_quality = self.build_quality;
        Ok((desc, warnings))
    }

    /// Options that change how the scene is read.
    pub fn scene_options(&self) -> SceneOptions {
        SceneOptions {
            set: self.set.clone(),
            light: self.light.clone(),
            text: self.text.clone(),
            ..SceneOptions::of(&self.source, &self.mitsuba)
        }
    }

    /// Prints the memory of a large render or bake.
    pub fn announce(&self, bytes: u64) {
        const MUCH: u64 = 2_000_000_000;
        if bytes > MUCH && !self.quiet {
            remark(&format!("this takes about {} of memory", gigabytes(bytes)));
        }
    }

    /// Number of threads; 0 for one per core.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or(0) as usize
    }

    /// Seed of the random numbers.
    pub fn seed(&self, desc: &SceneDesc) -> u64 {
        self.seed.map_or(desc.sampler.seed, u64::from)
    }
}
