//! `kiln shade`: runs a unit or group over a grid of points and writes outputs as text or images.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod builder;
mod clouds;
mod engine;
mod grid;
mod group;
mod host;
mod job;
mod layer;
mod output;
mod params;
mod pass;
mod points;
mod raster;
mod serialised;
mod stage;
mod statistics;
mod subject;
mod system;
mod tree;
mod unit;

use std::collections::BTreeSet;
use std::path::PathBuf;

use grid::Grid;
use job::Stage;
use output::Requests;
pub use points::{PointInput, Points};
use renderer_base::files::{LoggedFiles, SharedFiles};
use renderer_cli::ShadeArgs;
use renderer_inputs::shade_request::steps::Step;
use renderer_inputs::shader_file;
use renderer_support::Failure;
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::Outputs;
use renderer_support::watch::{self, Read};
pub use tree::{point_text, run as debug};
pub use unit::{Evaluated, Instance, OutputInfo, Unit};

/// Points from which on a grid is worth the time to compile code for packets.
const PACKET_GRID: usize = 4096;

/// Runs `kiln shade`.
pub fn run(args: &ShadeArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch()?;
    if !args.watch {
        return run_once(args, &interrupt, &|_| ());
    }
    watch::again(shader_file::files_of(args.request.files()), &interrupt, |read| {
        run_once(args, &interrupt, read)?;
        let made = args.outputs.chunks_exact(2).map(|pair| pair[1].as_str());
        let made: BTreeSet<&str> = made.filter(|file| *file != output::NOWHERE).collect();
        Ok(Some(match made.is_empty() {
            true => "done".to_owned(),
            false => made.into_iter().collect::<Vec<_>>().join(", "),
        }))
    })
}

/// `read` receives the files that were read, even if the work fails.
fn run_once(args: &ShadeArgs, interrupt: &Interrupt, read: Read<'_>) -> Result<(), Failure> {
    let files = SharedFiles::new(LoggedFiles::default());
    let done = run_with(args, interrupt, &files);
    read(files.log());
    done
}

/// Runs the shader of the command line. `files` are the files that shaders can read.
fn run_with(args: &ShadeArgs, interrupt: &Interrupt, files: &SharedFiles) -> Result<(), Failure> {
    let request = &args.request;
    let requests = Requests::of(&args.outputs);
    let outputs = match args.emit {
        None => outputs(args, &requests)?,
        Some(_) => raster::files(args)?,
    };
    let size = request.grid.last_chunk::<2>().copied().unwrap_or([1, 1]);
    let grid = Grid::new(size, &system::placement(request).map_err(Failure::plain)?);
    let folders = [PathBuf::from(".")].into_iter().chain(request.folders());
    let host = system::host(request, size, folders.collect(), files).map_err(Failure::plain)?;
    let system = system::of_request(request, host.clone(), files.clone()).map_err(Failure::plain)?;
    if let Some(emit) = args.emit {
        outputs.check_inputs(request.files())?;
        return raster::run(args, emit, &system);
    }
    let stage = Stage {
        args,
        requests: &requests,
        grid: &grid,
        host: &host,
        files: &outputs,
        system: &system,
        interrupt,
        iterations: request.iterations.unwrap_or(1),
        is_last: true,
    };
    let is_changed = request.setup.steps.iter().any(|step| matches!(step, Step::Reparam { .. }));
    if !is_changed || stage.iterations == 1 {
        return stage.run(false);
    }
    Stage { iterations: 1, is_last: false, ..stage }.run(false)?;
    Stage { iterations: stage.iterations - 1, ..stage }.run(true)
}

/// The output files.
fn outputs(args: &ShadeArgs, requests: &Requests<'_>) -> Result<Outputs, Failure> {
    let mut outputs = Outputs::default();
    if !args.print {
        requests.add_to(&mut outputs)?;
    }
    if let Some(path) = args.stats.as_ref().filter(|path| path.as_os_str() != "-") {
        outputs.file("--stats", path)?;
    }
    outputs.check_inputs(args.request.files())?;
    Ok(outputs)
}
