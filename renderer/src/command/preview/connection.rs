//! A connection to tev: sends the tiles of the image that changed.

use std::hash::Hasher as _;
use std::io::{self, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use rustc_hash::FxHasher;

use super::mailbox::Mailbox;
use super::message::{create_image, update_image};
use crate::cli::Viewer;
use crate::image::{Image, Rect};

/// How long one address of a viewer is tried.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Sides of the tiles in which a picture is sent [pixels].
const TILE: u32 = 128;

/// Bytes after which progress is counted.
const CHUNK: usize = 1 << 16;

/// A viewer that shows one picture.
pub(super) struct Connection {
    stream: TcpStream,
    /// What the picture is called in the viewer.
    name: String,
    /// The picture's tiles; empty before the first picture.
    tiles: Vec<Rect>,
    /// For each tile, a hash of the values that the viewer has; 0 where it has none.
    sent: Vec<u64>,
    /// The tile that is sent next: a newer picture goes on where the older one stopped.
    next: usize,
}

impl Connection {
    /// Connects to the first address of the viewer that answers.
    pub(super) fn open(viewer: &Viewer, name: &str) -> io::Result<Connection> {
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in (viewer.host.as_str(), viewer.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, TIMEOUT) {
                Ok(stream) => {
                    return Ok(Connection {
                        stream,
                        name: name.to_owned(),
                        tiles: vec![],
                        sent: vec![],
                        next: 0,
                    });
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Sends the tiles of a picture that differ from what the viewer has; stops early when there is a newer picture.
    pub(super) fn send(&mut self, picture: &Image, mailbox: &Mailbox) -> io::Result<()> {
        if self.tiles.is_empty() {
            let (width, height) = (picture.width as u32, picture.height as u32);
            self.write(&create_image(&self.name, width, height), mailbox)?;
            self.tiles = Rect::of_size(width, height).tiles(TILE);
            self.sent = vec![0; self.tiles.len()];
        }
        for _ in 0..self.tiles.len() {
            if mailbox.has_newer() {
                break;
            }
            let index = self.next;
            self.next = (index + 1) % self.tiles.len();
            let hash = hash(picture, self.tiles[index]);
            if self.sent[index] != hash {
                let message = update_image(&self.name, picture, self.tiles[index]);
                self.write(&message, mailbox)?;
                self.sent[index] = hash;
            }
        }
        Ok(())
    }

    fn write(&mut self, message: &[u8], mailbox: &Mailbox) -> io::Result<()> {
        for chunk in message.chunks(CHUNK) {
            self.stream.write_all(chunk)?;
            mailbox.count();
        }
        Ok(())
    }
}

/// A hash of a tile's values, never 0.
fn hash(picture: &Image, tile: Rect) -> u64 {
    let mut hasher = FxHasher::default();
    for (x, y) in tile.pixels() {
        for value in picture.pixel(x as usize, y as usize) {
            hasher.write_u32(value.to_bits());
        }
    }
    hasher.finish().max(1)
}
