//! A connection to tev: sends the tiles of the image that changed.

use std::hash::Hasher as _;
use std::io::{self, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHasher};

use super::canvas::{Block, Canvas};
use super::message::{create_image, update_image};
use crate::cli::Viewer;
use renderer_image::Image;

/// How long one address of a viewer is tried.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Bytes after which progress is counted.
const CHUNK: usize = 1 << 16;

/// A viewer that shows one picture.
pub(super) struct Connection {
    stream: TcpStream,
    /// What the picture is called in the viewer.
    name: String,
    /// For each block by its corner, a hash of the values that the viewer has; empty before the first.
    sent: FxHashMap<[u32; 2], u64>,
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
                        sent: FxHashMap::default(),
                    });
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Sends a block of a picture of `size`, unless it is what the viewer has.
    pub(super) fn send(
        &mut self,
        [width, height]: [u32; 2],
        block: &Block,
        canvas: &Canvas,
    ) -> io::Result<()> {
        if self.sent.is_empty() {
            self.write(&create_image(&self.name, width, height), canvas)?;
        }
        let hash = hash(&block.pixels);
        let corner = [block.rect.x0, block.rect.y0];
        if self.sent.insert(corner, hash) != Some(hash) {
            self.write(&update_image(&self.name, &block.pixels, block.rect), canvas)?;
        }
        Ok(())
    }

    fn write(&mut self, message: &[u8], canvas: &Canvas) -> io::Result<()> {
        for chunk in message.chunks(CHUNK) {
            self.stream.write_all(chunk)?;
            canvas.count();
        }
        Ok(())
    }
}

/// A hash of values.
fn hash(pixels: &Image) -> u64 {
    let mut hasher = FxHasher::default();
    pixels
        .data
        .iter()
        .for_each(|value| hasher.write_u32(value.to_bits()));
    hasher.finish()
}
