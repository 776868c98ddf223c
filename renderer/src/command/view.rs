//! `kiln view`: a server of HTTP for the page of a bake.
//!
//! The server answers `GET` and `HEAD` requests for files of one folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use renderer_cli::ViewArgs;
use renderer_support::http::{Content, Listener, Request, Response, decoded};
use renderer_support::{Failure, remark};

/// Sources of the pages' Content-Security-Policy: the folder, and textures that its scripts make.
const POLICY: &str = "default-src 'self' data: blob: 'unsafe-inline'";

/// Types of files by their extensions.
const TYPES: [(&str, &str); 8] = [
    ("html", "text/html; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
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
    let listener = Listener::new(args.port)?;
    remark(&format!("shows '{}'; Ctrl-C ends", args.folder.display()));
    listener.serve(POLICY, move |request| answer(request, &folder));
    Ok(())
}

/// The file that a request names.
fn answer(request: &Request<'_>, folder: &Path) -> Response {
    if request.method == "POST" {
        return Err("405 Method Not Allowed\r\nAllow: GET, HEAD");
    }
    let path = file_of(&request.target, folder).ok_or("404 Not Found")?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    let known = TYPES.iter().find(|(name, _)| Some(*name) == extension);
    let file = File::open(&path).map_err(|_| "404 Not Found")?;
    Ok((known.unwrap_or(&TYPES[TYPES.len() - 1]).1, Content::File(file)))
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
        let get = |method: &str| {
            let request = Request {
                method: method.to_owned(),
                target: "/".to_owned(),
                body: vec![],
                stream: None,
            };
            answer(&request, &folder).map(|(kind, _)| kind)
        };
        assert_eq!(get("GET"), Ok("text/html; charset=utf-8"));
        assert!(get("POST").is_err_and(|status| status.starts_with("405")));
    }
}
