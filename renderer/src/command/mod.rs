//! Commands: what each subcommand of `kiln` does. Results go to standard output, everything else to standard error.

mod archive;
mod bake;
mod brightness;
mod check;
mod checkpoint;
mod common;
mod compare;
mod convert;
mod failure;
mod farm;
mod info;
mod interrupt;
mod inventory;
mod merge;
mod outputs;
mod pack;
mod pictures;
mod preview;
mod progress;
mod progress_lines;
mod render;
mod scene_options;
mod shade;
mod shader_file;
mod shipped;
mod statistics;
mod summary;
mod terminal;
mod watch;

use std::process::ExitCode;

use crate::cli::{Cli, Command};
use terminal::{all_told, print, remark, tell};

pub use failure::Failure;

/// Does what the command line says.
pub fn run(cli: &Cli) -> ExitCode {
    let result = match &cli.command {
        Command::Render(args) => render::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Farm(args) => farm::run(args),
        Command::Bake(args) => bake::run(args),
        Command::Check(args) => check::run(args),
        Command::Info(args) => info::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Pack(args) => pack::run(args),
        Command::Shade(args) => shade::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Archive(args) => archive::run(args),
    };
    match result.and_then(|()| all_told()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::User(message)) => {
            if !message.is_empty() {
                remark(&message);
            }
            ExitCode::from(1)
        }
        Err(Failure::Interrupted(status)) => ExitCode::from(status),
    }
}
