//! Orientation of Radiance HDR files: order of scanlines and pixels. The decoder supports one of eight.
// Ward, "Radiance File Formats": the resolution string, `-Y height +X width` as most have it, or any other of eight.

/// Order of the scanlines of a file and of their pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HdrOrientation {
    /// True if scanlines are columns.
    is_transposed: bool,
    /// True if the first pixel is on the right.
    from_right: bool,
    /// True if the first pixel is at the bottom.
    from_bottom: bool,
}

impl HdrOrientation {
    /// The orientation of a file, and the file with its header changed to the usual orientation; `None` if it is usual,
    /// or the header is damaged.
    pub(super) fn unusual(bytes: &[u8]) -> Option<(HdrOrientation, Vec<u8>)> {
        let header = bytes.windows(2).position(|pair| pair == b"\n\n")? + 2;
        let length = bytes[header..].iter().position(|&byte| byte == b'\n')?;
        let line = std::str::from_utf8(&bytes[header..header + length]).ok()?;
        let mut words = line.split_whitespace();
        let [first, scanlines, second, pixels] = std::array::from_fn(|_| words.next().unwrap_or_default());
        let is_transposed = match (first, second) {
            ("-Y" | "+Y", "-X" | "+X") => false,
            ("-X" | "+X", "-Y" | "+Y") => true,
            _ => return None,
        };
        let orientation = HdrOrientation {
            is_transposed,
            from_right: [first, second].contains(&"-X"),
            from_bottom: [first, second].contains(&"+Y"),
        };
        if orientation == HdrOrientation::default() {
            return None;
        }
        let usual = format!("-Y {scanlines} +X {pixels}");
        let file = [&bytes[..header], usual.as_bytes(), &bytes[header + length..]].concat();
        Some((orientation, file))
    }

    /// Reorders the pixels of a picture of `width` × `height` that was decoded with the usual orientation.
    pub(super) fn place(self, [width, height]: [usize; 2], samples: &[f32]) -> ([usize; 2], Vec<f32>) {
        let size = if self.is_transposed { [height, width] } else { [width, height] };
        let channels = samples.len() / (width * height).max(1);
        let mut placed = Vec::with_capacity(samples.len());
        for y in 0..size[1] {
            let y = if self.from_bottom { size[1] - 1 - y } else { y };
            for x in 0..size[0] {
                let x = if self.from_right { size[0] - 1 - x } else { x };
                let pixel = if self.is_transposed { x * width + y } else { y * width + x };
                placed.extend_from_slice(&samples[pixel * channels..(pixel + 1) * channels]);
            }
        }
        (size, placed)
    }
}
