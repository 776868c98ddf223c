//! The page and its requests.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;

use super::pick;
use super::session::{Session, Shown};
use renderer_cli::LiveArgs;
use renderer_image::{ToneMap, WriteOptions, encode, rgba8};
use renderer_support::http::{Content, Request, Response, decoded};

/// The files of the page: path, media type, text.
const FILES: [(&str, &str, &str); 3] = [
    ("/", "text/html; charset=utf-8", include_str!("page.html")),
    ("/page.css", "text/css; charset=utf-8", include_str!("page.css")),
    ("/page.js", "text/javascript; charset=utf-8", include_str!("page.js")),
];

/// Sources of the page's Content-Security-Policy.
pub(super) const POLICY: &str =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:";

/// Maximum duration of a request for changes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers a request of the page.
pub(super) fn answer(request: &Request<'_>, args: &LiveArgs, session: &Session) -> Response {
    let _attendance = session.audience().attend();
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    if let Some((_, kind, text)) = FILES.iter().find(|(name, ..)| *name == path)
        && request.method != "POST"
    {
        return Ok((kind, bytes(text)));
    }
    match (request.method.as_str(), path) {
        ("GET", "/news") => {
            let (news, _) = news(request, query, session);
            Ok(("application/json", bytes(&news.to_string())))
        }
        ("GET", "/next") => {
            let next = next(request, query, session);
            Ok(("application/octet-stream", Content::Bytes(next)))
        }
        ("GET", "/material") => {
            let name = value(query, "name").unwrap_or_default();
            let material = session.material(&name).ok_or("404 Not Found")?;
            Ok(("application/json", bytes(&material.to_string())))
        }
        ("GET", "/picture.png") => picture(query, session),
        ("GET", "/pick") => {
            let at = [number(query, "x"), number(query, "y")].map(|v| v.unwrap_or(0.0));
            let shown = session.shown().ok_or("404 Not Found")?;
            let description = pick::description(&shown, at, args, session);
            Ok(("text/plain; charset=utf-8", bytes(&description)))
        }
        ("POST", "/change") => {
            let sent = serde_json::from_slice(&request.body).map_err(|_| "400 Bad Request")?;
            session.change(|look| look.change(&sent));
            Ok(("application/json", bytes("{}")))
        }
        ("POST", "/text") => {
            let sent: Json = serde_json::from_slice(&request.body).map_err(|_| "400 Bad Request")?;
            let file = sent["file"].as_str().ok_or("400 Bad Request")?;
            session.change_text(PathBuf::from(file), sent["text"].as_str());
            Ok(("application/json", bytes("{}")))
        }
        ("POST", _) => Err("405 Method Not Allowed\r\nAllow: GET, HEAD"),
        _ => Err("404 Not Found"),
    }
}

fn bytes(text: &str) -> Content {
    Content::Bytes(text.as_bytes().to_vec())
}

/// The newest picture; `exposure` is in stops.
fn picture(query: &str, session: &Session) -> Response {
    let shown = session.shown().ok_or("404 Not Found")?;
    let encoded = encode(Path::new("live.png"), &shown.image, &write_options(query, &shown));
    let encoded = encoded.map_err(|_| "500 Internal Server Error")?;
    Ok(("image/png", Content::Bytes(encoded)))
}

/// Waits for news after a number, and returns them with their picture.
fn news(request: &Request<'_>, query: &str, session: &Session) -> (Json, Option<Arc<Shown>>) {
    let after = number(query, "after").map_or(0, |after| after as u64);
    session.news(after, PATIENCE, || request.is_abandoned())
}

/// News with their picture: the length of the news in four bytes (little-endian), the news, and red, green, blue and alpha
/// of each pixel. Encoding a picture as PNG costs more time than sending it to a page of this machine.
fn next(request: &Request<'_>, query: &str, session: &Session) -> Vec<u8> {
    let (news, shown) = news(request, query, session);
    let state = news.to_string();
    let mut sent = (state.len() as u32).to_le_bytes().to_vec();
    sent.extend(state.as_bytes());
    if let Some(shown) = shown {
        sent.extend(rgba8(&shown.image, &write_options(query, &shown)));
    }
    sent
}

/// Parameters of a request for a picture.
fn write_options(query: &str, shown: &Shown) -> WriteOptions {
    let tone_map = match value(query, "curve").as_deref() {
        Some("agx") => ToneMap::Agx,
        _ => ToneMap::default(),
    };
    WriteOptions {
        exposure: shown.exposure + number(query, "exposure").unwrap_or(0.0),
        tone_map,
        ..WriteOptions::default()
    }
}

fn value(query: &str, key: &str) -> Option<String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let mut found = pairs.filter(|(name, _)| *name == key);
    decoded(found.next()?.1)
}

fn number(query: &str, key: &str) -> Option<f32> {
    value(query, key)?.parse().ok().filter(|v: &f32| v.is_finite())
}
