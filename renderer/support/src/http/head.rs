//! Heads of requests: parsing, and the checks that need no content.

use super::request::Refusal;
use super::token::Token;

/// Greatest length of a body [bytes].
const MAX_BODY: u64 = 8 << 20;

const METHODS: [&str; 3] = ["GET", "HEAD", "POST"];

/// Names of this machine in `Host`.
const HOSTS: [&str; 2] = ["127.0.0.1", "localhost"];

/// Head of a request.
#[derive(Default)]
pub(super) struct Head {
    pub(super) method: String,
    pub(super) target: String,
    /// Length of the body [bytes].
    pub(super) length: u64,
    /// True if the connection serves further requests.
    pub(super) keeps: bool,
    host: Option<String>,
    /// Origin of the page that sends the request, if a page does.
    origin: Option<String>,
    /// Relation of that page to this server, as the browser sees it.
    site: Option<String>,
    /// Kind of the request (`navigate` of pages and frames), and element that makes it.
    mode: String,
    destination: String,
    is_malformed: bool,
}

impl Head {
    /// Parses the lines of a head.
    pub(super) fn parse(lines: &[String]) -> Head {
        let mut head = Head::default();
        let mut lines = lines.iter();
        let words: Vec<&str> = lines.next().map_or("", String::as_str).split(' ').collect();
        let [method, target, version] = words[..] else {
            head.is_malformed = true;
            return head;
        };
        (head.method, head.target) = (method.to_owned(), target.to_owned());
        head.keeps = version == "HTTP/1.1";
        let mut has_length = false;
        for line in lines {
            let Some((name, value)) = line.split_once(':') else {
                head.is_malformed = true;
                continue;
            };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "host" => head.is_malformed |= head.host.replace(value.to_ascii_lowercase()).is_some(),
                "origin" => head.is_malformed |= head.origin.replace(value.to_ascii_lowercase()).is_some(),
                "sec-fetch-site" => head.site = Some(value.to_owned()),
                "sec-fetch-mode" => value.clone_into(&mut head.mode),
                "sec-fetch-dest" => value.clone_into(&mut head.destination),
                "connection" => {
                    let closes = |token: &str| token.trim().eq_ignore_ascii_case("close");
                    head.keeps &= !value.split(',').any(closes);
                }
                "content-length" => {
                    head.is_malformed |= has_length || !value.bytes().all(|byte| byte.is_ascii_digit());
                    has_length = true;
                    head.length = value.parse().unwrap_or(u64::MAX);
                }
                // Browsers send no chunked bodies, and two lengths are ambiguous.
                "transfer-encoding" => head.is_malformed = true,
                _ => {}
            }
        }
        head
    }

    /// Checks the head; returns the target without the token.
    ///
    /// # Errors
    /// The refusal of a request that is not from a page of this server, or does not know its token.
    pub(super) fn check(&self, token: &Token) -> Result<&str, Refusal> {
        const FORBIDDEN: Refusal = "403 Forbidden";
        if self.is_malformed {
            return Err("400 Bad Request");
        }
        if !METHODS.contains(&self.method.as_str()) {
            return Err("405 Method Not Allowed\r\nAllow: GET, HEAD, POST");
        }
        let host = self.host.as_deref().filter(|host| is_local(host));
        let host = host.ok_or(FORBIDDEN)?;
        let is_own = |origin: &str| origin.strip_prefix("http://") == Some(host);
        if !self.origin.as_deref().is_none_or(is_own) || !self.is_from_here() {
            return Err(FORBIDDEN);
        }
        let target = token.strip(&self.target).ok_or(FORBIDDEN)?;
        if self.length > MAX_BODY {
            return Err("413 Content Too Large");
        }
        Ok(target)
    }

    /// Returns whether the browser reports a page of this server, the user, or a navigation as the cause. A navigation
    /// may come from a link of another page, or from a panel of an editor.
    fn is_from_here(&self) -> bool {
        let is_navigation = self.method != "POST"
            && self.mode == "navigate"
            && ["document", "iframe"].contains(&self.destination.as_str());
        match self.site.as_deref() {
            None | Some("same-origin" | "none") => true,
            Some(_) => is_navigation,
        }
    }
}

/// Returns whether a host with its port names this machine. The port may be another than the server's, since
/// forwarded connections (`ssh -L`) have a port of their own, and may be left out.
fn is_local(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "0"));
    HOSTS.contains(&name) && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The status of a request with the token, or 200.
    fn status(first: &str, lines: &[&str]) -> String {
        let token = Token::random().unwrap();
        let first = first.replace("TOKEN", token.text());
        let lines = std::iter::once(first).chain(lines.iter().map(|line| (*line).to_owned()));
        let head = Head::parse(&lines.collect::<Vec<_>>());
        head.check(&token)
            .map_or_else(|status| status[..3].to_owned(), |_| "200".to_owned())
    }

    const GET: &str = "GET /TOKEN/ HTTP/1.1";
    const HOST: &str = "Host: localhost:5000";

    /// Headers of a navigation from a page of another site.
    fn navigation(destination: &str) -> [&str; 4] {
        [HOST, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", destination]
    }

    #[test]
    fn only_pages_of_this_server_are_answered() {
        for lines in [
            &[HOST][..],
            &["host: 127.0.0.1:80", "Origin: http://127.0.0.1:80"],
            // At port 80, and through a forwarded port.
            &["Host: 127.0.0.1"],
            &["Host: localhost:8080", "Origin: http://localhost:8080"],
            &[HOST, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"],
            &[HOST, "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"],
            &navigation("Sec-Fetch-Dest: iframe"),
        ] {
            assert_eq!(status(GET, lines), "200", "{lines:?}");
        }
        for lines in [
            &["Host: evil.example:80"][..],
            &[],
            &["Host: localhost.evil.example"],
            &["Host: localhost@evil.example"],
            &["Host: localhost:"],
            &["Host: localhost:80:80"],
            &[HOST, "Origin: http://evil.example"],
            &[HOST, "Origin: http://localhost:5001"],
            &[HOST, "Origin: http://127.0.0.1:5000"],
            &[HOST, "Origin: null"],
            &[HOST, "Origin: https://localhost:5000"],
            &[HOST, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"],
            &[HOST, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: websocket"],
            &navigation("Sec-Fetch-Dest: object"),
        ] {
            assert_eq!(status(GET, lines), "403", "{lines:?}");
        }
        let form = navigation("Sec-Fetch-Dest: document");
        assert_eq!(status("POST /TOKEN/change HTTP/1.1", &form), "403");
    }

    #[test]
    fn requests_need_the_token() {
        for target in ["/", "/next?after=0", "/TOKEN", "/x/TOKEN/", "http://localhost/TOKEN/"] {
            let first = format!("GET {target} HTTP/1.1");
            assert_eq!(status(&first, &[HOST]), "403", "{target}");
        }
    }

    #[test]
    fn ambiguous_requests_are_refused() {
        let post = "POST /TOKEN/ HTTP/1.1";
        for (first, lines, expected) in [
            ("PUT /TOKEN/ HTTP/1.1", &[HOST][..], "405"),
            ("GET /TOKEN/", &[HOST], "400"),
            ("", &[HOST], "400"),
            (GET, &[HOST, "Host: localhost:1"], "400"),
            (GET, &[HOST, "no colon"], "400"),
            (post, &[HOST, "Content-Length: 99999999"], "413"),
            (post, &[HOST, "Content-Length: 99999999999999999999999"], "413"),
            (post, &[HOST, "Content-Length: +1"], "400"),
            (post, &[HOST, "Content-Length: 1", "Content-Length: 1"], "400"),
            (post, &[HOST, "Transfer-Encoding: chunked"], "400"),
        ] {
            assert_eq!(status(first, lines), expected, "{first} {lines:?}");
        }
    }

    #[test]
    fn connections_are_kept_unless_a_side_closes() {
        let keeps = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            Head::parse(&lines).keeps
        };
        assert!(keeps(&[GET]) && keeps(&[GET, "Connection: keep-alive"]));
        assert!(!keeps(&[GET, "Connection: keep-alive, Close"]) && !keeps(&["GET / HTTP/1.0"]));
    }
}
