//! Commands: what each subcommand of `kiln` does. Results go to standard output, everything else to standard error.

mod archive;
mod check;
mod checkpoint;
mod compare;
mod convert;
mod denoise;
mod fmt;
mod image;
mod kept_scene;
mod merge;
mod passes;
mod render;
mod render_observer;
pub mod session;
mod sheet;
mod statistics;
mod view;

use std::io;
use std::process::ExitCode;

use renderer_base::memory;
use renderer_cli::{Cli, Command};
use renderer_support::interrupt::Interrupt;
use renderer_support::terminal::{self, check_output, print, remark};

pub use renderer_support::failure::Failure;

/// Runs the command.
pub fn run(cli: &Cli) -> ExitCode {
    if let Some(source) = cli.command.loud_source() {
        print(&source.warnings());
    }
    let result = start_threads(cli.command.threads()).and_then(|()| done(&cli.command));
    status(result.and_then(|()| check_output()), 0)
}

fn done(command: &Command) -> Result<(), Failure> {
    // Commands that write intermediate results catch signals themselves.
    let _interrupt = match command {
        Command::Render(_) | Command::Bake(_) | Command::Shade(_) | Command::Gallery(_) => None,
        // Servers run until a signal ends them, without a message.
        Command::View(_) | Command::Live(_) | Command::Lsp(_) => None,
        _ => Some(Interrupt::catch()?),
    };
    match command {
        Command::Render(args) => render::run(args),
        Command::Live(args) => renderer_live::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Farm(args) => renderer_farm::run(args),
        Command::Bake(args) => renderer_bake_files::run(args),
        Command::Check(args) => check::run(args),
        Command::Fmt(args) => fmt::run(args),
        Command::Info(args) => renderer_info::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Pack(args) => renderer_pack::run(args),
        Command::Shade(args) => renderer_shade::run(args),
        Command::Debug(args) => renderer_shade::debug(args),
        Command::Gallery(args) => renderer_gallery::run(args),
        Command::Graph(args) => renderer_graph::run(args),
        Command::Denoise(args) => denoise::run(args),
        Command::Image(args) => image::run(args),
        Command::Sheet(args) => sheet::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Archive(args) => archive::run(args),
        Command::View(args) => view::run(args),
        Command::Lsp(args) => renderer_lsp::run(args),
    }
}

/// Starts the global thread pool, with `threads` threads (0 for one per core); reading and writing of files also use
/// it.
fn start_threads(threads: usize) -> Result<(), Failure> {
    check_address_space(threads)?;
    let started = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    started.map_err(|error| {
        Failure::User(format!(
            "error: cannot start the threads: {error}\n  hint: reduce their number with --threads N"
        ))
    })
}

/// Fails where the process may use less address space than its threads reserve for their stacks and heaps: what goes
/// wrong without them cannot be reported.
fn check_address_space(threads: usize) -> Result<(), Failure> {
    const PROGRAM: u64 = 1 << 28;
    const THREAD: u64 = 1 << 26;
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let needed = PROGRAM + threads as u64 * THREAD;
    match memory::free_in_process() {
        Some(free) if free < needed => Err(Failure::User(format!(
            "error: {} of address space are free, and {} reserve {}\n  \
             hint: raise the limit of the process (`ulimit -v`); fewer threads take less",
            memory::gigabytes(free),
            terminal::plural(threads, "thread"),
            memory::gigabytes(needed)
        ))),
        Some(_) | None => Ok(()),
    }
}

/// The status to exit with after help or a message of the command line's reader was printed, or could not be.
pub fn exit_code(printed: io::Result<()>, code: u8) -> ExitCode {
    status(terminal::whole(printed), code)
}

/// The status to exit with, which is `success` unless something failed; why is printed.
fn status(result: Result<(), Failure>, success: u8) -> ExitCode {
    match result {
        Ok(()) => ExitCode::from(success),
        Err(Failure::User(message)) => {
            if !message.is_empty() {
                remark(&message);
            }
            ExitCode::from(1)
        }
        Err(mistakes @ Failure::Mistakes(_)) => {
            remark(&mistakes);
            ExitCode::from(1)
        }
        Err(Failure::Interrupted(status)) => ExitCode::from(status),
    }
}
