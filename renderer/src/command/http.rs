//! A server of HTTP for pages of this machine: requests and answers of one connection.
//!
//! It listens at the loopback address alone. A request must name this machine as its host, so that no page from elsewhere
//! reads what is served through a name that leads here; and one that changes something must come from a page of ours.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use super::{Failure, remark};

/// Greatest length of a request without its body [bytes].
const REQUEST: u64 = 16 << 10;

/// Greatest length of a body [bytes].
const BODY: u64 = 8 << 20;

/// How long a browser may be silent.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request.
pub(super) struct Request {
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    pub(super) body: Vec<u8>,
    /// True if the connection serves further requests.
    pub(super) keeps: bool,
}

/// What is sent.
pub(super) enum Content {
    Bytes(Vec<u8>),
    File(std::fs::File),
}

/// An answer: its type and content, or the status that refuses the request.
pub(super) type Answer = Result<(&'static str, Content), &'static str>;

/// Listens at a port, 0 for a free one, and says where.
///
/// # Errors
/// When the port is taken.
pub(super) fn listen(port: u16) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        Failure::User(format!(
            "error: cannot listen on port {port}: {error}\n  hint: without --port one that is free is taken"
        ))
    })?;
    let port = listener.local_addr()?.port();
    writeln!(io::stdout().lock(), "http://127.0.0.1:{port}/")?;
    io::stdout().lock().flush()?;
    Ok(listener)
}

/// Answers requests, each in a thread of its own, as long as the program runs.
///
/// # Errors
/// When the system tells no port.
pub(super) fn serve(
    listener: &TcpListener,
    answer: impl Fn(&Request) -> Answer + Clone + Send + 'static,
) -> Result<(), Failure> {
    let port = listener.local_addr()?.port();
    for stream in listener.incoming() {
        let answer = answer.clone();
        // A connection that fails is the browser's to repeat.
        let Ok(stream) = stream else { continue };
        let started = thread::Builder::new().spawn(move || exchange(&stream, port, answer));
        if let Err(error) = started {
            remark(&format!("warning: a request is not answered: {error}"));
        }
    }
    Ok(())
}

/// Reads requests and answers them, as long as the browser keeps the connection.
fn exchange(stream: &TcpStream, port: u16, answer: impl Fn(&Request) -> Answer) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // Answers are written whole; to wait for more would delay them.
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader, port)? {
        // What follows a refused request may be its body.
        let keeps = request.as_ref().is_ok_and(|request| request.keeps);
        respond(stream, request, keeps, &answer)?;
        if !keeps {
            break;
        }
    }
    Ok(())
}

/// Answers a request, or tells why it is refused.
fn respond(
    mut stream: &TcpStream,
    request: Result<Request, &'static str>,
    keeps: bool,
    answer: impl Fn(&Request) -> Answer,
) -> io::Result<()> {
    let is_asked_for = request.as_ref().is_ok_and(|request| request.method != "HEAD");
    let (head, content) = match request.and_then(|request| answer(&request)) {
        Ok((kind, content)) => {
            let length = match &content {
                Content::Bytes(bytes) => bytes.len() as u64,
                Content::File(file) => file.metadata()?.len(),
            };
            let head = format!("200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}");
            (head, Some(content))
        }
        Err(status) => (format!("{status}\r\nContent-Length: 0"), None),
    };
    let connection = if keeps { "keep-alive" } else { "close" };
    let head = format!(
        "HTTP/1.1 {head}\r\nCache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nConnection: {connection}\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    match content.filter(|_| is_asked_for) {
        Some(Content::Bytes(bytes)) => stream.write_all(&bytes),
        Some(Content::File(mut file)) => io::copy(&mut file, &mut stream).map(|_| ()),
        None => Ok(()),
    }
}

/// Reads a request, or the status that refuses it; `None` when the browser has closed the connection.
fn read(reader: &mut BufReader<&TcpStream>, port: u16) -> io::Result<Option<Result<Request, &'static str>>> {
    let mut first = String::new();
    let mut head = Head::default();
    let mut lines = reader.by_ref().take(REQUEST);
    if lines.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    loop {
        let mut line = String::new();
        lines.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        head.add(line);
    }
    if let Err(status) = head.check(&first, port) {
        return Ok(Some(Err(status)));
    }
    let mut body = vec![];
    reader.take(head.length).read_to_end(&mut body)?;
    let mut words = first.split_whitespace().map(str::to_owned);
    Ok(Some(Ok(Request {
        keeps: !head.closes && first.trim_end().ends_with("HTTP/1.1"),
        method: words.next().unwrap_or_default(),
        target: words.next().unwrap_or_default(),
        body,
    })))
}

/// The lines of a request's head that matter.
#[derive(Default)]
struct Head {
    host: String,
    /// The page that sends it, if a page does.
    origin: Option<String>,
    length: u64,
    /// True if the connection ends with the answer.
    closes: bool,
}

impl Head {
    fn add(&mut self, line: &str) {
        let Some((name, value)) = line.split_once(':') else {
            return;
        };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "host" => value.clone_into(&mut self.host),
            "origin" => self.origin = Some(value.to_owned()),
            "connection" => self.closes = value.eq_ignore_ascii_case("close"),
            "content-length" => self.length = value.parse().unwrap_or(u64::MAX),
            _ => {}
        }
    }

    /// The status that refuses a request whose first line is `first`.
    fn check(&self, first: &str, port: u16) -> Result<(), &'static str> {
        let method = first.split(' ').next().unwrap_or_default();
        if !["GET", "HEAD", "POST"].contains(&method) {
            return Err("405 Method Not Allowed\r\nAllow: GET, HEAD, POST");
        }
        let is_ours = |host: &str| {
            ["127.0.0.1", "localhost"]
                .iter()
                .any(|name| host == format!("{name}:{port}"))
        };
        if !is_ours(&self.host) {
            return Err("403 Forbidden");
        }
        let page = self
            .origin
            .as_deref()
            .map(|origin| origin.strip_prefix("http://").unwrap_or(""));
        if page.is_some_and(|page| !is_ours(page)) {
            return Err("403 Forbidden");
        }
        if self.length > BODY {
            return Err("413 Content Too Large");
        }
        Ok(())
    }
}

/// A text of a target with its percent signs resolved.
pub(super) fn decoded(text: &str) -> Option<String> {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_machine_are_answered() {
        let check = |first: &str, lines: &[&str]| {
            let mut head = Head::default();
            lines.iter().for_each(|line| head.add(line));
            head.check(first, 80)
        };
        let get = "GET / HTTP/1.1";
        assert_eq!(check(get, &["Host: localhost:80"]), Ok(()));
        assert_eq!(
            check(get, &["host:127.0.0.1:80", "Origin: http://localhost:80"]),
            Ok(())
        );
        for lines in [
            &["Host: evil.example:80"][..],
            &[],
            &["Host: localhost"],
            &["Host: localhost:80", "Origin: http://evil.example"],
            &["Host: localhost:80", "Origin: null"],
            &["Host: localhost:80", "Origin: https://localhost:80"],
        ] {
            assert_eq!(check(get, lines), Err("403 Forbidden"), "{lines:?}");
        }
        let host = "Host: localhost:80";
        let status = |first, lines: &[&str]| check(first, lines).map_err(|status| &status[..3]);
        assert_eq!(status("PUT / HTTP/1.1", &[host]), Err("405"));
        assert_eq!(
            status("POST / HTTP/1.1", &[host, "Content-Length: 99999999"]),
            Err("413")
        );
        assert_eq!(
            status("POST / HTTP/1.1", &[host, "Content-Length: x"]),
            Err("413")
        );
    }

    #[test]
    fn percent_signs() {
        assert_eq!(decoded("a%20b%c3%a9"), Some("a bé".to_owned()));
        assert_eq!(decoded("%f"), None);
        assert_eq!(decoded("%zz"), None);
    }
}
