//! Messages of the IPC protocol of tev: <https://github.com/Tom94/tev>, `src/Ipc.cpp` and `include/tev/Ipc.h`.
//!
//! - A message is its length in bytes as `u32`, the length itself included, the kind as `u8`, and what belongs to the kind.
//! - Numbers are little-endian; texts end with a zero byte; truth values are one byte, 0 or 1.

use renderer_image::{Image, Rect};

/// Makes an image of that name, black, in place of one that has the name already, and shows it.
const CREATE_IMAGE: u8 = 4;

/// Pixels of a rectangle, all values of one channel after all of another. The second version of this message, of 2021; the
/// first has one channel, the third strides.
const UPDATE_IMAGE: u8 = 5;

/// The channels of an image.
const CHANNELS: [&str; 3] = ["R", "G", "B"];

/// `CreateImage`: focus, name, width, height, number of channels, their names.
pub(super) fn create_image(name: &str, width: u32, height: u32) -> Vec<u8> {
    let mut message = Message::new(CREATE_IMAGE);
    message.flag(true);
    message.text(name);
    message.number(width);
    message.number(height);
    message.channels();
    message.finish()
}

/// `UpdateImage`: focus, name, number of channels, their names, x, y, width, height, values. The pixels are those of the
/// rectangle.
///
/// # Panics
/// When the pixels are not RGB.
pub(super) fn update_image(name: &str, pixels: &Image, rect: Rect) -> Vec<u8> {
    assert_eq!(pixels.channels, CHANNELS.len(), "a picture is RGB");
    let mut message = Message::new(UPDATE_IMAGE);
    message.flag(false);
    message.text(name);
    message.channels();
    for number in [rect.x0, rect.y0, rect.width(), rect.height()] {
        message.number(number);
    }
    for channel in 0..CHANNELS.len() {
        for pixel in pixels.data.chunks_exact(CHANNELS.len()) {
            message.value(pixel[channel]);
        }
    }
    message.finish()
}

/// A message being written.
struct Message(Vec<u8>);

impl Message {
    fn new(kind: u8) -> Message {
        Message(vec![0, 0, 0, 0, kind])
    }

    fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }

    /// A text ends at its first zero byte.
    fn text(&mut self, text: &str) {
        self.0.extend(text.bytes().take_while(|&byte| byte != 0));
        self.0.push(0);
    }

    fn number(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    fn value(&mut self, value: f32) {
        self.0.extend(value.to_le_bytes());
    }

    fn channels(&mut self) {
        self.number(CHANNELS.len() as u32);
        for name in CHANNELS {
            self.text(name);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len()).expect("a block has far less than 4 GB");
        self.0[..4].copy_from_slice(&length.to_le_bytes());
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_created() {
        let expected: &[u8] = b"\x20\0\0\0\x04\x01a b.exr\0\x80\x02\0\0\xe0\x01\0\0\x03\0\0\0R\0G\0B\0";
        assert_eq!(create_image("a b.exr", 640, 480), expected);
        assert_eq!(create_image("a b.exr\0tail", 640, 480), expected);
    }

    #[test]
    fn a_block_has_its_channels_one_after_another() {
        let mut pixels = Image::new(2, 2, 3);
        for (i, value) in pixels.data.iter_mut().enumerate() {
            *value = i as f32;
        }
        let rect = Rect {
            x0: 1,
            y0: 0,
            x1: 3,
            y1: 2,
        };
        let mut expected =
            b"\x52\0\0\0\x05\0n\0\x03\0\0\0R\0G\0B\0\x01\0\0\0\0\0\0\0\x02\0\0\0\x02\0\0\0".to_vec();
        for value in [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11] {
            expected.extend((value as f32).to_le_bytes());
        }
        assert_eq!(update_image("n", &pixels, rect), expected);
    }
}
