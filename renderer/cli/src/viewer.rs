//! The argument `--preview`: the image viewer and its address, or the terminal.

use std::fmt;

/// Viewer of a running render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// The viewer tev.
    Tev(ViewerAddress),
    /// The terminal.
    Terminal,
}

/// Address of an image viewer on this machine or another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewerAddress {
    /// Name or address of the machine.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl Viewer {
    /// `terminal`, or the viewer tev by its address.
    pub(super) fn parse(text: &str) -> Result<Viewer, String> {
        match text {
            "terminal" => Ok(Viewer::Terminal),
            _ => ViewerAddress::parse(text).map(Viewer::Tev),
        }
    }
}

impl ViewerAddress {
    /// Default address of tev.
    const HOST: &str = "127.0.0.1";
    const PORT: u16 = 14158;

    /// Parses `tev`, `tev=HOST` or `tev=HOST:PORT`; an IPv6 address with a port needs brackets, as in
    /// `tev=[::1]:14158`.
    fn parse(text: &str) -> Result<ViewerAddress, String> {
        let address = match text.split_once('=') {
            None if text == "tev" => {
                return Ok(ViewerAddress::at(ViewerAddress::HOST, ViewerAddress::PORT));
            }
            Some(("tev", address)) => address,
            _ => {
                return Err(
                    "viewers are `tev` and `terminal`; write tev, tev=HOST:PORT or terminal".to_owned()
                );
            }
        };
        let (host, port) = if let Some(rest) = address.strip_prefix('[') {
            let (host, rest) = rest.split_once(']').ok_or("the bracket of the address is not closed")?;
            match rest.strip_prefix(':') {
                Some(port) => (host, Some(port)),
                None if rest.is_empty() => (host, None),
                None => return Err("a port follows the address as in [::1]:14158".to_owned()),
            }
        } else if address.matches(':').count() > 1 {
            (address, None)
        } else {
            match address.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (address, None),
            }
        };
        if host.is_empty() {
            return Err("the host is missing; write tev=HOST:PORT".to_owned());
        }
        let port = match port {
            None => ViewerAddress::PORT,
            Some(port) => match port.parse() {
                Ok(0) | Err(_) => {
                    return Err(format!("`{port}` is not a port: it is a number from 1 to 65535"));
                }
                Ok(port) => port,
            },
        };
        Ok(ViewerAddress::at(host, port))
    }

    fn at(host: &str, port: u16) -> ViewerAddress {
        ViewerAddress { host: host.to_owned(), port }
    }
}

impl fmt::Display for ViewerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let shown = |text: &str| {
            Viewer::parse(text).map(|viewer| match viewer {
                Viewer::Tev(address) => address.to_string(),
                Viewer::Terminal => "terminal".to_owned(),
            })
        };
        for (text, address) in [
            ("terminal", "terminal"),
            ("tev", "127.0.0.1:14158"),
            ("tev=desk", "desk:14158"),
            ("tev=desk:99", "desk:99"),
            ("tev=[::1]:99", "[::1]:99"),
            ("tev=[::1]", "[::1]:14158"),
            ("tev=fe80::2", "[fe80::2]:14158"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(address), "{text}");
        }
        for text in [
            "",
            "te",
            "tevv",
            "tev=",
            "tev=:1",
            "tev=a:",
            "tev=a:0",
            "tev=a:65536",
            "tev=a:b",
            "tev=[::1",
            "tev=[]:1",
            "tev=[::1]1",
            "terminal=1",
            "viewer=a:1",
        ] {
            assert!(shown(text).is_err(), "{text}");
        }
    }
}
