//! `kiln render`: a picture, variations of it in one, again after each change.

mod frames;
mod picture;
mod rounds;
mod settings;
mod variations;

use std::sync::Arc;

use renderer_cli::RenderArgs;
use renderer_inputs::shader_file;
use renderer_support::interrupt::Interrupt;
use renderer_support::{Failure, watch};

pub(super) use picture::denoising;
pub(super) use settings::{check_memory, planned};

pub(super) fn run(args: &RenderArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch()?;
    match args.watch {
        true => run_again(args, &interrupt),
        false => frames::run(args, &interrupt, &|_| ()),
    }
}

fn run_again(args: &RenderArgs, interrupt: &Arc<Interrupt>) -> Result<(), Failure> {
    let files = picture::images(args);
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    watch::again(shader_file::files_of([&args.request.scene.path]), interrupt, |read| {
        rounds::run(args, interrupt, read)?;
        Ok((!args.report.quiet).then(|| names.join(", ")))
    })
}
