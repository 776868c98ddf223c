//! What each command does, with `cli` for its arguments. Results go to standard output, everything else to standard
//! error.

mod bake;
mod check;
mod compare;
mod info;
mod progress;
mod render;
mod shade;
mod shader_file;
mod statistics;

use std::process::ExitCode;

use shading::Diagnostics;

use crate::cli::{Cli, Command};

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub enum Failure {
    /// The user's mistake, already told or told by this text; exit status 1.
    User(String),
    /// Ctrl-C; what there was has been written; exit status 130.
    Interrupted,
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::User(format!("error: {error}"))
    }
}

/// Does what the command line says.
pub fn run(cli: &Cli) -> ExitCode {
    let result = match &cli.command {
        Command::Render(args) => render::run(args),
        Command::Bake(args) => bake::run(args),
        Command::Check(args) => check::run(args),
        Command::Info(args) => info::run(args),
        Command::Shade(args) => shade::run(args),
        Command::Compare(args) => compare::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::User(message)) => {
            if !message.is_empty() {
                eprintln!("{message}");
            }
            ExitCode::from(1)
        }
        Err(Failure::Interrupted) => ExitCode::from(130),
    }
}

/// Prints messages to standard error.
fn print(diagnostics: &Diagnostics) {
    if !diagnostics.list.is_empty() {
        eprintln!("{diagnostics}");
    }
}
