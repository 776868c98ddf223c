//! `kiln bake`: bakes a scene into a folder of lightmaps, vertex light or probes.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod appearance;
mod bevy;
mod channel;
mod compact;
mod engine_files;
mod feature_image;
mod features;
mod files;
mod folder;
mod frames;
mod glb;
mod godot;
mod images;
mod job;
mod kept_light;
mod light;
mod lights;
mod manifest;
mod model;
mod pages;
mod points;
mod probes;
mod programs;
mod progress;
mod rounds;
mod scene_model;
mod settings;
mod shape_names;
mod statistics;
mod surface;
mod texture_slot;
mod topology;
mod unlit;
mod unused_flags;
mod viewer;

use std::sync::Arc;
use std::time::Instant;

use self::job::Job;
pub use self::statistics::BakeStatistics;
use renderer_bake::BakeProgress;
use renderer_cli::BakeArgs;
use renderer_inputs::shader_file;
use renderer_support::Failure;
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::Outputs;
use renderer_support::watch::{self, Read};

/// Runs `kiln bake`.
pub fn run(args: &BakeArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch()?;
    if !args.watch {
        return frames::run(args, |one| run_once(one, &interrupt, None, &|_| ()).map(drop));
    }
    let named = std::iter::once(&args.request.scene.path).chain(&args.request.probe_points);
    watch::again(shader_file::files_of(named), &interrupt, |read| {
        rounds::run(args, &interrupt, |round| run_once(round, &interrupt, None, read).map(drop))?;
        let folder = args.output.as_ref().filter(|_| !args.report.quiet);
        Ok(folder.map(|folder| folder.display().to_string()))
    })
}

/// Bakes once; returns the statistics, or `None` if only a share was baked. A program may observe the progress and stop
/// the work; `read` receives the files that were read.
///
/// # Errors
/// Mistakes in the request or in the scene; [`Failure::Interrupted`] if the work was stopped.
pub fn run_once(
    args: &BakeArgs,
    interrupt: &Arc<Interrupt>,
    program: Option<&dyn BakeProgress>,
    read: Read<'_>,
) -> Result<Option<BakeStatistics>, Failure> {
    let job = Job { args, interrupt, program, read, start: Instant::now() };
    match args.request.light() {
        Some(include) => light::run(&job, include),
        None => surface::run(&job).map(Some),
    }
}
