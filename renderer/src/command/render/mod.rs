//! `kiln render`: a picture, variations of it in one, again after each change.

mod picture;
mod variations;
mod watch;

use super::Failure;
use super::interrupt::Interrupt;
use crate::cli::RenderArgs;

pub(super) use picture::{MAX_SAMPLES, changes, check_memory, denoising, described, planned};

pub(super) fn run(args: &RenderArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch()?;
    match args.watch {
        true => watch::run(args, &interrupt),
        false => variations::run(args, &interrupt, &|_| ()),
    }
}
