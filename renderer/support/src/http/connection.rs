//! Connection of a browser: its requests in order, with time limits.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::head::Head;
use super::request::{Content, Refusal, Request, Response};
use super::token::Token;

/// Greatest length of a head [bytes].
const MAX_HEAD: u64 = 16 << 10;

/// Time for a request to begin, and then to be complete.
const PATIENCE: Duration = Duration::from_secs(20);

/// Pages that may show a page in a frame: panels of VS Code, whose schemes no site has. Browsers that know this ignore
/// `X-Frame-Options`.
const FRAME_ANCESTORS: &str = "frame-ancestors vscode-webview: vscode-file:";

/// Headers of all responses. `no-referrer` and `no-store` keep the token, which is part of the address, to this page.
const HEADERS: &str = "Cache-Control: no-store\r\n\
    X-Content-Type-Options: nosniff\r\n\
    X-Frame-Options: DENY\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Referrer-Policy: no-referrer\r\n";

/// Explanation for a browser that does not know the token.
const FORBIDDEN: &str =
    "403 Forbidden: open the address that kiln has printed. It contains a token, which requests need.\n";

/// Token, policy and answers of a server.
pub(super) struct Site<F> {
    pub(super) token: Token,
    /// Sources of the Content-Security-Policy.
    pub(super) policy: &'static str,
    pub(super) answer: F,
}

/// Reads requests and answers them until a side closes the connection. Calls `trust` at each request with the token.
pub(super) fn serve<F: Fn(&Request<'_>) -> Response>(
    stream: &TcpStream,
    site: &Site<F>,
    trust: impl Fn(),
) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    // Responses are written whole; to wait for more would delay them.
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(TimedStream::new(stream));
    loop {
        reader.get_mut().renew();
        if reader.fill_buf()?.is_empty() {
            return Ok(());
        }
        reader.get_mut().renew();
        let mut head = match read_head(&mut reader)? {
            Ok(lines) => Head::parse(&lines),
            Err(refusal) => return respond(stream, site.policy, &Head::default(), Err(refusal)),
        };
        let target = match head.check(&site.token) {
            Ok(target) => target.to_owned(),
            // The body of a refused request is not read, so nothing can follow.
            Err(refusal) => {
                head.keeps = false;
                return respond(stream, site.policy, &head, Err(refusal));
            }
        };
        trust();
        let mut body = vec![];
        reader.by_ref().take(head.length).read_to_end(&mut body)?;
        if (body.len() as u64) < head.length {
            return Ok(());
        }
        let request = Request {
            method: head.method.clone(),
            target,
            body,
            stream: Some(stream),
        };
        respond(stream, site.policy, &head, (site.answer)(&request))?;
        if !head.keeps {
            return Ok(());
        }
    }
}

/// Reads the lines of a head, or refuses them.
fn read_head(reader: &mut impl io::BufRead) -> io::Result<Result<Vec<String>, Refusal>> {
    let mut lines = vec![];
    let mut limited = reader.take(MAX_HEAD);
    loop {
        let mut line = String::new();
        limited.read_line(&mut line)?;
        if !line.ends_with('\n') {
            return match limited.limit() {
                0 => Ok(Err("431 Request Header Fields Too Large")),
                _ => Err(io::ErrorKind::UnexpectedEof.into()),
            };
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(Ok(lines));
        }
        lines.push(line.to_owned());
    }
}

/// Writes a response.
///
/// # Errors
/// When the browser does not read it, or a file has become shorter than announced; the connection cannot be used then.
fn respond(mut stream: &TcpStream, policy: &str, head: &Head, response: Response) -> io::Result<()> {
    let (status, kind, content) = match response {
        Ok((kind, content)) => ("200 OK", kind, content),
        Err(refusal) => {
            let text = if refusal.starts_with("403") { FORBIDDEN } else { "" };
            (refusal, "text/plain; charset=utf-8", Content::Bytes(text.into()))
        }
    };
    let length = match &content {
        Content::Bytes(bytes) => bytes.len() as u64,
        Content::File(file) => file.metadata()?.len(),
    };
    let connection = if head.keeps { "keep-alive" } else { "close" };
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{HEADERS}\
         Content-Security-Policy: {policy}; base-uri 'none'; form-action 'none'; {FRAME_ANCESTORS}\r\n\
         Connection: {connection}\r\n\r\n"
    );
    stream.write_all(text.as_bytes())?;
    if head.method == "HEAD" {
        return Ok(());
    }
    match content {
        Content::Bytes(bytes) => stream.write_all(&bytes),
        // A file may grow or shrink meanwhile.
        Content::File(file) => match io::copy(&mut file.take(length), &mut stream)? {
            sent if sent == length => Ok(()),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        },
    }
}

/// A stream that is read until a deadline, however slowly its bytes come.
struct TimedStream<'a> {
    stream: &'a TcpStream,
    deadline: Instant,
}

impl TimedStream<'_> {
    fn new(stream: &TcpStream) -> TimedStream<'_> {
        TimedStream { stream, deadline: Instant::now() }
    }

    fn renew(&mut self) {
        self.deadline = Instant::now() + PATIENCE;
    }
}

impl Read for TimedStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_heads_are_no_requests() {
        let read = |text: &str| read_head(&mut text.as_bytes());
        let lines = read("GET / HTTP/1.1\r\nHost: a\n\r\nrest").unwrap().unwrap();
        assert_eq!(lines, ["GET / HTTP/1.1", "Host: a"]);
        assert!(read("GET / HTTP/1.1\r\nHost: a").is_err());
        assert!(read("GET / HTTP/1.1\r\n").is_err());
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(20_000));
        assert!(read(&long).unwrap().unwrap_err().starts_with("431"));
    }
}
