//! `kiln lsp`: a language server on standard input and output.
//!
//! Requests are answered sequentially from the current texts (`answer`); a second thread checks the texts as `kiln
//! check` does when typing pauses (`checker`). A panic in an answer is caught: the request gets an error.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod address;
mod answer;
mod capabilities;
mod checker;
mod completion;
mod convert;
mod formatting;
mod global_names;
mod server;
mod shipped;
mod store;
mod symbol;
mod workspace;

use std::io::IsTerminal as _;

use lsp_server::Connection;

use renderer_cli::LspArgs;
use renderer_support::{Failure, remark};
use server::Server;

/// Stack of the server's thread [bytes].
const STACK: usize = 64 << 20;

/// Runs `kiln lsp`.
pub fn run(args: &LspArgs) -> Result<(), Failure> {
    if std::io::stdin().is_terminal() {
        remark(&"editors start this command and talk to it; Ctrl-C ends it");
    }
    let (connection, _threads) = Connection::stdio();
    let args = args.clone();
    // Texts nest deeper than the stacks of some systems allow.
    let server = std::thread::Builder::new().name("server".to_owned()).stack_size(STACK);
    let server = server.spawn(move || Server::start(&args, connection));
    let server = server.map_err(|error| Failure::User(format!("error: {error}")))?;
    let Ok(ended) = server.join() else {
        return Err(Failure::User("error: the server has failed".to_owned()));
    };
    match ended {
        // The process ends without waiting for the checker: the client has its answers.
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::User(String::new())),
        Err(error) => Err(Failure::User(format!(
            "error: this is no language client: {error}\n  hint: editors start `kiln lsp`; it reads their requests from standard input"
        ))),
    }
}
