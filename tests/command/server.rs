//! A web server in a test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::program::{HANG, kiln};

/// A server process, killed on drop.
pub(crate) struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Server {
    /// Starts a command that prints its address.
    pub(crate) fn start(folder: &Path, args: &str) -> Server {
        Server::spawn(kiln(folder, args))
    }

    /// Spawns a command that prints its address.
    pub(crate) fn spawn(mut command: Command) -> Server {
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = address.strip_suffix('/').unwrap().split_once('/').unwrap();
        Server { child, port: port.parse().unwrap(), token: token.to_owned() }
    }

    /// Head and body of the response to a request for a page of this server. The path begins after the token.
    pub(crate) fn answer(&self, request: &str) -> (String, Vec<u8>) {
        let port = self.port;
        let request = self.with_token(request);
        self.sent(&format!("{request}\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"))
    }

    /// The response to a page that posts a text.
    pub(crate) fn post(&self, target: &str, origin: &str, body: &str) -> (String, Vec<u8>) {
        let (port, length) = (self.port, body.len());
        let request = self.with_token(&format!("POST {target} HTTP/1.1"));
        self.sent(&format!(
            "{request}\r\nHost: localhost:{port}\r\nOrigin: {origin}\r\n\
             Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    }

    /// The first line of a request with the token before its path.
    pub(crate) fn with_token(&self, request: &str) -> String {
        request.replacen(" /", &format!(" /{}/", self.token), 1)
    }

    /// The origin of the server's pages.
    pub(crate) fn origin(&self) -> String {
        format!("http://localhost:{}", self.port)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream
    }

    /// The response to raw bytes, until the server closes the connection.
    pub(crate) fn sent(&self, text: &str) -> (String, Vec<u8>) {
        let mut stream = self.connect();
        stream.write_all(text.as_bytes()).unwrap();
        let mut bytes = vec![];
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        (head, bytes[end + 4..].to_vec())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
