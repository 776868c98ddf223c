//! TIFF files of more channels than colours, presented to the decoder as bands without a colour.
//!
//! For RGB with further channels the decoder returns only the colours, and undoes the horizontal predictor of such
//! pixels incorrectly (tiff 0.11.3). For bands it returns all channels.

use std::io::{self, Read, Seek, SeekFrom};

/// A file in which the colour interpretation of some directories reads as that of bands.
pub(super) struct TiffBands<R> {
    file: R,
    /// Next byte that is read.
    at: u64,
    /// Bytes that are replaced, by their places, in ascending order.
    patches: Vec<(u64, u8)>,
    /// Number of directories that do not overlap.
    pub(super) directories: usize,
}

/// Maximum number of directories that are scanned.
const MAX_DIRECTORIES: usize = 4096;

/// Tags, and values of theirs.
const INTERPRETATION: u64 = 262;
const SAMPLES_PER_PIXEL: u64 = 277;
const EXTRA_SAMPLES: u64 = 338;
const RGB: u64 = 2;
const BLACK_IS_ZERO: u8 = 1;
const ALPHA: [u64; 2] = [1, 2];

impl<R: Read + Seek> TiffBands<R> {
    /// Wraps a file and scans its directories once. Errors are left to the decoder.
    pub(super) fn new(mut file: R) -> io::Result<TiffBands<R>> {
        let mut patches = vec![];
        let size = file.seek(SeekFrom::End(0))?;
        let mut directories = 0;
        // Errors are ignored here: the decoder reports them.
        let _ = find_patches(&mut file, size, &mut patches, &mut directories);
        patches.sort_unstable();
        let at = file.seek(SeekFrom::Start(0))?;
        Ok(TiffBands { file, at, patches, directories })
    }
}

impl<R: Read> Read for TiffBands<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let first = self.patches.partition_point(|&(place, _)| place < self.at);
        let end = self.at + count as u64;
        for &(place, byte) in self.patches[first..].iter().take_while(|(place, _)| *place < end) {
            let index = place.checked_sub(self.at).and_then(|i| usize::try_from(i).ok());
            if let Some(target) = index.and_then(|i| buffer[..count].get_mut(i)) {
                *target = byte;
            }
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl<R: Seek> Seek for TiffBands<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = self.file.seek(to)?;
        Ok(self.at)
    }
}

/// Numbers of a file, in its byte order and of its size of addresses.
struct Numbers<'a, R> {
    file: &'a mut R,
    big_endian: bool,
    is_big: bool,
}

impl<R: Read> Numbers<'_, R> {
    fn number(&mut self, bytes: usize) -> io::Result<u64> {
        let mut buffer = [0; 8];
        self.file.read_exact(&mut buffer[..bytes])?;
        Ok(self.value(&buffer[..bytes]))
    }

    fn value(&self, bytes: &[u8]) -> u64 {
        let add = |sum: u64, &byte: &u8| sum << 8 | u64::from(byte);
        if self.big_endian {
            bytes.iter().fold(0, add)
        } else {
            bytes.iter().rev().fold(0, add)
        }
    }

    /// Bytes of an address.
    fn address(&self) -> usize {
        if self.is_big { 8 } else { 4 }
    }
}

/// Scans the directories of a file of `size` bytes; ends where they overlap, which their total size shows.
fn find_patches<R: Read + Seek>(
    file: &mut R,
    size: u64,
    patches: &mut Vec<(u64, u8)>,
    directories: &mut usize,
) -> io::Result<()> {
    let mut left = size;
    file.seek(SeekFrom::Start(0))?;
    let mut order = [0; 2];
    file.read_exact(&mut order)?;
    let mut numbers = Numbers { file, big_endian: order == *b"MM", is_big: false };
    numbers.is_big = numbers.number(2)? == 43;
    if numbers.is_big {
        numbers.number(4)?;
    }
    let mut directory = numbers.number(numbers.address())?;
    for _ in 0..MAX_DIRECTORIES {
        if directory == 0 {
            break;
        }
        numbers.file.seek(SeekFrom::Start(directory))?;
        directory = read_directory(&mut numbers, directory, &mut left, patches)?;
        *directories += 1;
    }
    Ok(())
}

/// Scans a directory, whose size is subtracted from `left`, and returns the position of the next one.
fn read_directory<R: Read>(
    numbers: &mut Numbers<'_, R>,
    start: u64,
    left: &mut u64,
    patches: &mut Vec<(u64, u8)>,
) -> io::Result<u64> {
    let (head, entry) = if numbers.is_big { (8, 20) } else { (2, 12) };
    let count = numbers.number(head)?;
    let size = count.saturating_mul(entry as u64).saturating_add(head as u64);
    *left = left.checked_sub(size).ok_or(io::ErrorKind::InvalidData)?;
    let (mut samples, mut extra, mut rgb) = (1, 0, None);
    for i in 0..count {
        let mut bytes = [0; 20];
        numbers.file.read_exact(&mut bytes[..entry])?;
        // The relevant tags have at most two values of 16 bits, which are stored in the entry.
        let at = entry - numbers.address();
        let value = numbers.value(&bytes[at..at + 2]);
        match numbers.value(&bytes[..2]) {
            SAMPLES_PER_PIXEL => samples = value,
            EXTRA_SAMPLES => extra = value,
            INTERPRETATION if value == RGB => {
                let place = start + head as u64 + i * entry as u64 + at as u64;
                rgb = Some(place + u64::from(numbers.big_endian));
            }
            _ => {}
        }
    }
    let is_rgba = samples == 4 && ALPHA.contains(&extra);
    if samples > 3 && !is_rgba {
        patches.extend(rgb.map(|place| (place, BLACK_IS_ZERO)));
    }
    numbers.number(numbers.address())
}
