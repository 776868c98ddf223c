//! What each command does, with `cli` for its arguments. Results go to standard output, everything else to standard
//! error.

mod archive;
mod bake;
mod brightness;
mod check;
mod common;
mod compare;
mod convert;
mod info;
mod interrupt;
mod inventory;
mod outputs;
mod progress;
mod render;
mod shade;
mod shader_file;
mod shipped;
mod statistics;
mod summary;

use std::io::Write;
use std::process::ExitCode;

use shading::Diagnostics;

use crate::cli::{Cli, Command};

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub enum Failure {
    /// The user's mistake, already told or told by this text; exit status 1.
    User(String),
    /// A signal, see [`interrupt`]; what there was has been written and told; exit status 130.
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
        Command::Convert(args) => convert::run(args),
        Command::Shade(args) => shade::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Archive(args) => archive::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::User(message)) => {
            if !message.is_empty() {
                remark(&message);
            }
            ExitCode::from(1)
        }
        Err(Failure::Interrupted) => ExitCode::from(interrupt::STATUS),
    }
}

/// Writes a result to standard output. Who closes that does not want to see more, and is not told so.
fn tell(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Writes a line to standard error, if anybody listens.
fn remark(text: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints messages to standard error.
fn print(diagnostics: &Diagnostics) {
    if !diagnostics.list.is_empty() {
        remark(diagnostics);
    }
}
