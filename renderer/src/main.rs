//! The program `kiln`.

use std::io::{self, Write as _};
use std::process::ExitCode;

use renderer::cli::Cli;

/// Large blocks lie in huge pages, since rays look all over them.
#[global_allocator]
static ALLOCATOR: renderer::memory::huge_pages::HugePages = renderer::memory::huge_pages::HugePages;

fn main() -> ExitCode {
    match Cli::read(std::env::args_os()) {
        Ok(cli) => renderer::command::run(&cli),
        Err(error) => {
            // Help and version are no mistakes: clap knows which stream and status each deserves.
            let printed = error.print().and_then(|()| io::stdout().flush());
            renderer::command::exit_code(printed, u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}
