//! The `kiln` command.

use std::process::ExitCode;

use renderer::cli::Cli;

fn main() -> ExitCode {
    match Cli::read(std::env::args_os()) {
        Ok(cli) => renderer::command::run(&cli),
        Err(error) => {
            // Help and version are no mistakes: clap knows which stream and status each deserves.
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}
