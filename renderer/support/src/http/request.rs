//! Requests and responses.

use std::fs::File;
use std::net::TcpStream;
use std::time::Duration;

/// Timeout of the test for a closed connection, the shortest that systems measure.
const POLL_TIMEOUT: Duration = Duration::from_millis(1);

/// A request that passed all checks.
pub struct Request<'a> {
    /// Method, such as `GET`.
    pub method: String,
    /// Path and query, without the token.
    pub target: String,
    /// Body; empty if there is none.
    pub body: Vec<u8>,
    /// The connection; `None` in tests.
    pub stream: Option<&'a TcpStream>,
}

impl Request<'_> {
    /// Returns whether the browser has closed the connection, so that the response is not needed.
    pub fn is_abandoned(&self) -> bool {
        let Some(stream) = self.stream else { return false };
        let peeked = stream.set_read_timeout(Some(POLL_TIMEOUT)).and_then(|()| stream.peek(&mut [0]));
        match peeked {
            Ok(length) => length == 0,
            Err(error) => !matches!(
                error.kind(),
                std::io::ErrorKind::WouldBlock
                    | std::io::ErrorKind::TimedOut
                    | std::io::ErrorKind::Interrupted
            ),
        }
    }
}

/// Content of a response.
pub enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The content of a file.
    File(File),
}

/// Status line of a refusal, and headers of its own.
pub(super) type Refusal = &'static str;

/// A response: media type and content, or a refusal.
pub type Response = Result<(&'static str, Content), Refusal>;
