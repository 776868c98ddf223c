//! A connection to tev: sends the tiles of the image that changed.

use std::hash::Hasher as _;
use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHasher};
use tev_client::{PacketCreateImage, PacketUpdateImage, TevClient};

use super::canvas::{Block, Canvas};
use renderer_cli::ViewerAddress;
use renderer_image::Image;

/// Time limit for connecting to one address of a viewer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Channels of the image.
const CHANNELS: [&str; 3] = ["R", "G", "B"];

/// Connection to a viewer that shows one image.
pub(super) struct Connection {
    client: TevClient,
    /// Name of the image in the viewer.
    name: String,
    /// Hash of the values that the viewer has of each block, by the block's corner; empty before the first block.
    sent: FxHashMap<[u32; 2], u64>,
}

impl Connection {
    /// Connects to the first address of the viewer that answers.
    pub(super) fn open(viewer: &ViewerAddress, name: &str) -> io::Result<Connection> {
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in (viewer.host.as_str(), viewer.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, TIMEOUT) {
                Ok(stream) => {
                    return Ok(Connection {
                        client: TevClient::wrap(stream),
                        name: name.to_owned(),
                        sent: FxHashMap::default(),
                    });
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Sends a block of an image of `size`, unless the viewer already has these values.
    ///
    /// # Panics
    /// Panics if the pixels are not RGB.
    pub(super) fn send(
        &mut self,
        [width, height]: [u32; 2],
        block: &Block,
        canvas: &Canvas,
    ) -> io::Result<()> {
        if self.sent.is_empty() {
            self.client.send(PacketCreateImage {
                image_name: &self.name,
                grab_focus: true,
                width,
                height,
                channel_names: &CHANNELS,
            })?;
            canvas.count();
        }
        let hash = hash(&block.pixels);
        let corner = [block.rect.x0, block.rect.y0];
        if self.sent.insert(corner, hash) != Some(hash) {
            assert_eq!(block.pixels.channels, CHANNELS.len(), "a picture is RGB");
            self.client.send(PacketUpdateImage {
                image_name: &self.name,
                grab_focus: false,
                channel_names: &CHANNELS,
                channel_offsets: &[0, 1, 2],
                channel_strides: &[3; 3],
                x: block.rect.x0,
                y: block.rect.y0,
                width: block.rect.width(),
                height: block.rect.height(),
                data: &block.pixels.data,
            })?;
            canvas.count();
        }
        Ok(())
    }
}

/// Hash of the values of pixels.
fn hash(pixels: &Image) -> u64 {
    let mut hasher = FxHasher::default();
    pixels.data.iter().for_each(|value| hasher.write_u32(value.to_bits()));
    hasher.finish()
}
