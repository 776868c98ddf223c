//! `kiln view`: a server of HTTP for the page of a bake, on the loopback address alone.
//!
//! It answers `GET` and `HEAD` for files of one folder. A request must name this machine as its host, so that no page from
//! elsewhere reads the folder through a name that leads here.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::{Failure, remark};
use crate::cli::ViewArgs;

/// Greatest length of a request without its body [bytes].
const REQUEST: u64 = 16 << 10;

/// How long a browser may be silent.
const PATIENCE: Duration = Duration::from_secs(20);

/// Types of files by their extensions.
const TYPES: [(&str, &str); 7] = [
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("png", "image/png"),
    ("glb", "model/gltf-binary"),
    ("exr", "image/x-exr"),
    ("", "application/octet-stream"),
];

pub(super) fn run(args: &ViewArgs) -> Result<(), Failure> {
    let refuse = |reason: &str| {
        let folder = args.folder.display();
        Failure::User(format!("error: cannot show '{folder}': {reason}"))
    };
    let folder = fs::canonicalize(&args.folder).map_err(|error| refuse(&error.to_string()))?;
    if !folder.join("index.html").is_file() {
        return Err(refuse(
            "it has no index.html\n  hint: `kiln bake SCENE -o DIR --viewer` writes it",
        ));
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(|error| {
        Failure::User(format!(
            "error: cannot listen on port {}: {error}\n  hint: without --port one that is free is taken",
            args.port
        ))
    })?;
    let port = listener.local_addr()?.port();
    writeln!(io::stdout().lock(), "http://127.0.0.1:{port}/")?;
    remark(&format!("shows '{}'; Ctrl-C ends", args.folder.display()));
    for stream in listener.incoming() {
        let folder = folder.clone();
        // A connection that fails is the browser's to repeat.
        if let Ok(stream) = stream {
            thread::spawn(move || answer(&stream, &folder, port));
        }
    }
    Ok(())
}

/// Answers one request.
fn answer(mut stream: &TcpStream, folder: &Path, port: u16) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream).take(REQUEST).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut host = String::new();
    for line in lines {
        let line = line?;
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("host") => value.trim().clone_into(&mut host),
            _ if line.is_empty() => break,
            _ => {}
        }
    }
    let (head, file) = match reply(&first, &host, folder, port) {
        Ok((kind, file)) => {
            let length = file.metadata()?.len();
            let head = format!("200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}");
            (head, Some(file))
        }
        Err(status) => (format!("{status}\r\nContent-Length: 0"), None),
    };
    write!(
        stream,
        "HTTP/1.1 {head}\r\nCache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )?;
    if let Some(mut file) = file.filter(|_| first.starts_with("GET ")) {
        io::copy(&mut file, &mut stream)?;
    }
    Ok(())
}

/// The file that a request asks for, with its type; or the status that refuses it.
fn reply(first: &str, host: &str, folder: &Path, port: u16) -> Result<(&'static str, File), &'static str> {
    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !["GET", "HEAD"].contains(&method) {
        return Err("405 Method Not Allowed\r\nAllow: GET, HEAD");
    }
    let is_here = ["127.0.0.1", "localhost"]
        .iter()
        .any(|name| host == format!("{name}:{port}"));
    if !is_here {
        return Err("403 Forbidden");
    }
    let path = file_of(target, folder).ok_or("404 Not Found")?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    let known = TYPES.iter().find(|(name, _)| Some(*name) == extension);
    let file = File::open(&path).map_err(|_| "404 Not Found")?;
    Ok((known.unwrap_or(&TYPES[TYPES.len() - 1]).1, file))
}

/// The file of a folder that a target names, links followed; `None` if it is not there, or elsewhere.
fn file_of(target: &str, folder: &Path) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let name = match decoded(path)? {
        name if name.is_empty() => "index.html".to_owned(),
        name => name,
    };
    let is_plain =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':', '\0']);
    if !name.split('/').all(is_plain) {
        return None;
    }
    let path = fs::canonicalize(folder.join(name)).ok()?;
    (path.starts_with(folder) && path.is_file()).then_some(path)
}

/// A text with its percent signs resolved.
fn decoded(text: &str) -> Option<String> {
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
    fn only_files_of_the_folder_are_served() {
        let place = tempfile::tempdir().unwrap();
        let place = fs::canonicalize(place.path()).unwrap();
        let folder = place.join("out");
        fs::create_dir_all(folder.join("sub")).unwrap();
        for name in ["index.html", "a b.png", "sub/x.js", ".hidden"] {
            fs::write(folder.join(name), name).unwrap();
        }
        fs::write(place.join("secret"), "").unwrap();
        for (target, name) in [
            ("/", "index.html"),
            ("/?x=1", "index.html"),
            ("/a%20b.png", "a b.png"),
            ("/sub/x.js", "sub/x.js"),
        ] {
            assert_eq!(file_of(target, &folder), Some(folder.join(name)), "{target}");
        }
        for target in [
            "/../secret",
            "/%2e%2e/secret",
            "//secret",
            "/.hidden",
            "/sub",
            "/none",
            "secret",
            "/%zz",
            "/%f",
        ] {
            assert_eq!(file_of(target, &folder), None, "{target}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(place.join("secret"), folder.join("link")).unwrap();
            assert_eq!(file_of("/link", &folder), None);
        }
        let get = |first, host| reply(first, host, &folder, 80).map(|(kind, _)| kind);
        assert_eq!(
            get("GET / HTTP/1.1", "localhost:80"),
            Ok("text/html; charset=utf-8")
        );
        assert_eq!(get("GET / HTTP/1.1", "evil.example:80"), Err("403 Forbidden"));
        assert!(get("POST / HTTP/1.1", "localhost:80").is_err_and(|status| status.starts_with("405")));
    }
}
