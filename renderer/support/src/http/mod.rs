//! HTTP server for pages of this machine.
//!
//! The port of a loopback address is open to all users of the machine and to all pages that a browser shows. Three checks
//! refuse them:
//! - The first part of each path is a random [`Token`], which the printed address contains. Relative addresses of a page
//!   keep it, so neither cookies, which all ports of a host share, nor scripts have to carry it.
//! - `Host` names this machine, which names of others that resolve to it (DNS rebinding) do not.
//! - `Origin` and `Sec-Fetch-Site`, where a browser sends them, name a page of this server.
//!
//! Headers of all responses forbid other sites to embed or frame them.

mod connection;
mod head;
mod open_connections;
mod percent;
mod request;
mod token;

use std::io::{self, ErrorKind, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::{Failure, remark};
use connection::Site;
use open_connections::OpenConnections;
use token::Token;

pub use percent::decoded;
pub use request::{Content, Request, Response};

/// Port that addresses leave out.
const HTTP_PORT: u16 = 80;

/// First and longest pause after a connection that could not be accepted; each failure doubles the pause.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];

/// A server that listens, and its token.
pub struct Listener {
    socket: TcpListener,
    token: Token,
}

impl Listener {
    /// Listens at a port of the loopback address, 0 for a free one, and prints the address of the page.
    ///
    /// # Errors
    /// When the port is taken or reserved, or the system has no random numbers.
    pub fn new(port: u16) -> Result<Listener, Failure> {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
            let hint = match error.kind() {
                ErrorKind::PermissionDenied => "ports below 1024 need the rights of root",
                _ => "without --port, the system chooses a free port",
            };
            Failure::User(format!("error: cannot listen on port {port}: {error}\n  hint: {hint}"))
        })?;
        let token = Token::random().map_err(|error| io::Error::other(error.to_string()))?;
        let host = match socket.local_addr()?.port() {
            HTTP_PORT => "127.0.0.1".to_owned(),
            port => format!("127.0.0.1:{port}"),
        };
        let mut output = io::stdout().lock();
        writeln!(output, "http://{host}/{}/", token.text())?;
        output.flush()?;
        Ok(Listener { socket, token })
    }

    /// Answers requests, with a thread for each connection, until the program ends. `policy` is the part of the pages'
    /// Content-Security-Policy that names sources.
    pub fn serve(
        self,
        policy: &'static str,
        answer: impl Fn(&Request<'_>) -> Response + Send + Sync + 'static,
    ) {
        let site = Arc::new(Site { token: self.token, policy, answer });
        let open = Arc::new(OpenConnections::default());
        let mut pause = PAUSES[0];
        for stream in self.socket.incoming() {
            let stream = match stream {
                Ok(stream) => Arc::new(stream),
                // Without a free descriptor, every further attempt fails at once.
                Err(_) => {
                    open.close_oldest();
                    thread::sleep(pause);
                    pause = PAUSES[1].min(2 * pause);
                    continue;
                }
            };
            pause = PAUSES[0];
            let Some(place) = OpenConnections::admit(&open, &stream) else {
                continue;
            };
            let site = site.clone();
            let started = thread::Builder::new().spawn(move || {
                // The browser repeats what fails.
                let _ = connection::serve(&stream, &site, || place.trust());
            });
            if let Err(error) = started {
                remark(&format!("warning: a request is not answered: {error}"));
            }
        }
    }
}
