//! A bake from its request to its files: the steps that bakes of light and of features share.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shading::{Diagnostic, Diagnostics, RayKind, Report};

use super::Failure;
use super::folder::Folder;
use super::progress::BakeWatch;
use super::statistics::BakeStatistics;
use renderer_bake::{BakePhase, BakeProgress, BakeStats, check_checkpoint};
use renderer_cli::BakeArgs;
use renderer_pictures::summary;
use renderer_scene::SceneDesc;
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::Outputs;
use renderer_support::remark;
use renderer_support::warnings::{lost_texels, of_reports};
use renderer_support::watch::Read;
use renderer_transport::scene::build::{Built, tessellate};

/// A bake, and its observers.
pub(super) struct Job<'a> {
    pub(super) args: &'a BakeArgs,
    pub(super) interrupt: &'a Arc<Interrupt>,
    /// The program that observes the progress.
    pub(super) program: Option<&'a dyn BakeProgress>,
    /// Receives the files that were read.
    pub(super) read: Read<'a>,
    pub(super) start: Instant,
}

/// A scene, ready for a bake.
pub(super) struct LoadedScene {
    pub(super) desc: SceneDesc,
    pub(super) built: Built,
    pub(super) load: Duration,
}

/// Results of a bake other than its light.
pub(super) struct Findings<'a> {
    pub(super) warnings: Diagnostics,
    pub(super) notes: &'a [String],
    /// Run-time errors of shaders.
    pub(super) reports: &'a [Report],
    pub(super) stats: BakeStats,
    /// A message for the user.
    pub(super) remark: Option<String>,
}

impl Job<'_> {
    /// The output folder, which is writable; `None` without one.
    pub(super) fn folder(&self) -> Result<Option<Folder>, Failure> {
        self.args.output.as_deref().map(Folder::check).transpose()
    }

    /// The output files, checked now so that a long bake does not fail at its end.
    pub(super) fn outputs(&self, folder: Option<&Folder>, names: &[String]) -> Result<Outputs, Failure> {
        let mut outputs = Outputs::default();
        for name in names {
            if let Some(folder) = folder {
                folder.add(name, &mut outputs)?;
            }
        }
        if let Some(path) = &self.args.report.stats {
            outputs.file("--stats", path)?;
        }
        if let Some(path) = &self.args.checkpoint {
            check_checkpoint(path, self.args.resume)?;
            outputs.add("--checkpoint", path)?;
        }
        outputs.check_inputs(&self.args.request.probe_points)?;
        Ok(outputs)
    }

    /// Reads the scene. `integrator` is the default.
    pub(super) fn read_scene(&self, integrator: &str, outputs: &Outputs) -> Result<SceneDesc, Failure> {
        let (desc, warnings) = self.args.request.scene.read(Some(integrator), vec![], None)?;
        self.args.report.print(&warnings);
        outputs.check_scene_files(&desc)?;
        let (mut desc, warnings) =
            tessellate(desc, self.args.request.scene.threads(), RayKind::BAKE).map_err(Failure::Mistakes)?;
        self.args.report.print(&warnings);
        desc.ensure_camera();
        Ok(desc)
    }

    /// A scene that is built, whose files are not among the outputs.
    pub(super) fn loaded(
        &self,
        desc: SceneDesc,
        built: Built,
        outputs: &Outputs,
    ) -> Result<LoadedScene, Failure> {
        outputs.check_scene_files(&desc)?;
        outputs.check_inputs(built.scene.late_files())?;
        let scene = LoadedScene { desc, built, load: self.start.elapsed() };
        (self.read)(self.inputs(&scene));
        Ok(scene)
    }

    /// The files that a bake reads or may read.
    fn inputs(&self, scene: &LoadedScene) -> Vec<PathBuf> {
        let LoadedScene { desc, built, .. } = scene;
        let named = desc.files.iter().chain(&self.args.request.probe_points).cloned();
        let read = named.chain(desc.file_system.log());
        read.chain(built.scene.late_files()).collect()
    }

    /// Progress of the bake; `keeps` learns that there is work to keep.
    pub(super) fn watch(&self, keeps: Option<Arc<Interrupt>>) -> BakeWatch<'_> {
        BakeWatch::new(self.program, self.args.report.quiet, keeps)
    }

    /// Writes the files that `files` makes, and reports.
    pub(super) fn finish(
        &self,
        folder: &Folder,
        scene: &LoadedScene,
        watch: BakeWatch<'_>,
        mut findings: Findings<'_>,
        files: impl FnOnce(&mut Diagnostics) -> Result<Vec<(String, Vec<u8>)>, Failure>,
    ) -> Result<BakeStatistics, Failure> {
        watch.progress().advance(BakePhase::Files, 0, 0);
        let warnings = &mut findings.warnings;
        let files = files(warnings)?;
        // The results are complete, so an interruption no longer discards them.
        self.interrupt.keep();
        let inputs = self.inputs(scene);
        // Running shaders read, too.
        (self.read)(inputs.clone());
        let written = folder.write(&files, &inputs);
        drop(watch);
        let notes = findings.notes.iter().cloned();
        warnings.list.extend(notes.map(Diagnostic::warning));
        warnings.list.extend(of_reports(findings.reports));
        warnings.list.extend(scene.built.scene.texture_failure().map(lost_texels));
        if !self.args.report.quiet && written.is_ok() {
            if let Some(text) = findings.remark {
                remark(&text);
            }
            summary::baked(folder.path(), &files, self.start.elapsed());
        }
        let statistics = BakeStatistics {
            stats: findings.stats,
            load: scene.load,
            warnings: findings.warnings,
        };
        let reported = statistics.report(&self.args.report);
        written.and(reported)?;
        Ok(statistics)
    }
}
