//! Parser of Mitsuba's `.serialized` meshes, versions 3 and 4.
//!
//! A file holds meshes one after the other. Each is a header of four bytes (magic number and version) and a zlib
//! stream: flags, in version 4 a name, the numbers of vertices and triangles, then positions, normals, texture
//! coordinates and colours in single or double precision, then vertex indices. The file ends with a table: the offset
//! of each mesh (32 bits in version 3, 64 in version 4) and their number. All numbers are little-endian.

use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::ZlibDecoder;
use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::ImportError;
use renderer_base::files::{Budget, DiskFiles, FileReader, Files, FormatError};
use renderer_geometry::Mesh;

/// Loads mesh number `part`, from 0, of a `.serialized` file, with its attributes. Vertex colours are taken as linear.
///
/// # Errors
/// If the file cannot be read, has another format, has no such mesh, is truncated, or does not describe a valid mesh.
pub fn load_serialized(path: &Path, part: u32) -> Result<Mesh, ImportError> {
    load_serialized_from(&DiskFiles, path, part)
}

/// Like [`load_serialized`], but reads from the given file system.
pub(super) fn load_serialized_from(files: &dyn Files, path: &Path, part: u32) -> Result<Mesh, ImportError> {
    parse_serialized(open(files, path)?, part, path)
}

/// Loads all meshes of a `.serialized` file, in parallel.
///
/// # Errors
/// As [`load_serialized`].
pub(super) fn load_parts(files: &dyn Files, path: &Path) -> Result<Vec<Mesh>, ImportError> {
    let mut file = SerializedFile::open(open(files, path)?, path)?;
    let count = file.count()?;
    // Entries of the table can have the same mesh.
    let budget = Budget::new(usize::try_from(file.size).unwrap_or(usize::MAX));
    (0..count)
        .into_par_iter()
        .map(|part| parse_part(open(files, path)?, part, path, &budget))
        .collect()
}

/// Parses mesh number `part` of a `.serialized` file; `path` is its name in errors.
///
/// # Errors
/// As [`load_serialized`].
pub fn parse_serialized(mut file: impl Read + Seek, part: u32, path: &Path) -> Result<Mesh, ImportError> {
    let end = file
        .seek(SeekFrom::End(0))
        .map_err(|source| ImportError::Read { path: path.into(), source })?;
    parse_part(file, part, path, &Budget::new(usize::try_from(end).unwrap_or(usize::MAX)))
}

/// Parses a mesh of a file, within the budget of the file.
fn parse_part(file: impl Read + Seek, part: u32, path: &Path, budget: &Budget) -> Result<Mesh, ImportError> {
    let mut file = SerializedFile::open(file, path)?;
    let start = file.start_of(part)?;
    let version = file.header_at(start)?;
    let mut stream = MeshStream {
        path,
        budget,
        zlib: ZlibDecoder::new(BufReader::with_capacity(CHUNK, file.file)),
        double: false,
    };
    let mesh = stream.mesh(version)?;
    mesh.validate().map_err(|source| ImportError::Mesh {
        path: path.into(),
        part: (part > 0).then(|| format!("mesh {part}")),
        source,
    })
}

fn open(files: &dyn Files, path: &Path) -> Result<FileReader, ImportError> {
    files
        .open(path)
        .map_err(|source| ImportError::Read { path: path.into(), source })
}

const MAGIC: u16 = 0x041c;

/// Size of read blocks [bytes]. Arrays grow with the data read, so that a wrong count cannot exhaust memory.
const CHUNK: usize = 1 << 16;

/// Supported versions of the format.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    V3,
    V4,
}

/// File with its table of meshes.
struct SerializedFile<'a, F> {
    path: &'a Path,
    file: F,
    size: u64,
    /// Version of the first mesh and of the table.
    version: Version,
}

impl<F: Read + Seek> SerializedFile<'_, F> {
    fn open(file: F, path: &Path) -> Result<SerializedFile<'_, F>, ImportError> {
        let mut file = SerializedFile { path, file, size: 0, version: Version::V3 };
        let end = file.file.seek(SeekFrom::End(0));
        file.size = file.or_unreadable(end)?;
        file.version = file.header_at(0)?;
        Ok(file)
    }

    /// Reads the version in a mesh header; the stream then is at the end of the header.
    fn header_at(&mut self, start: u64) -> Result<Version, ImportError> {
        let bytes: [u8; 4] = self.bytes_at(start)?;
        let [magic, version] = [[bytes[0], bytes[1]], [bytes[2], bytes[3]]].map(u16::from_le_bytes);
        match (magic, version) {
            (MAGIC, 3) => Ok(Version::V3),
            (MAGIC, 4) => Ok(Version::V4),
            (MAGIC, _) => Err(self.syntax(format!(
                "it is of version {version} of the format, but only versions 3 and 4 are read: save it as PLY"
            ))),
            _ if start == 0 => Err(FormatError::Kind {
                path: self.path.into(),
                expected: "a .serialized mesh: it does not begin with 0x041c",
            }
            .into()),
            _ => Err(self.syntax(format!("there is no mesh at byte {start}, where its table says"))),
        }
    }

    /// Number of meshes in the table.
    fn count(&mut self) -> Result<u32, ImportError> {
        let end = self.size.saturating_sub(4);
        let count = u32::from_le_bytes(self.bytes_at(end)?);
        // A mesh has a header of at least four bytes, in addition to its entry in the table.
        if count == 0 || u64::from(count) * (self.entry_size() + 4) > end {
            return Err(self.syntax(format!("the table at its end is damaged: {count} meshes")));
        }
        Ok(count)
    }

    /// Offset of a mesh. The first mesh needs no table.
    fn start_of(&mut self, part: u32) -> Result<u64, ImportError> {
        if part == 0 {
            return Ok(0);
        }
        let count = self.count()?;
        if part >= count {
            return Err(self.syntax(format!("there is no mesh {part}: it has {count}, counted from 0")));
        }
        let entry = self.size - 4 - self.entry_size() * u64::from(count - part);
        match self.version {
            Version::V3 => Ok(u32::from_le_bytes(self.bytes_at(entry)?).into()),
            Version::V4 => Ok(u64::from_le_bytes(self.bytes_at(entry)?)),
        }
    }

    /// Size of an offset in the table [bytes].
    fn entry_size(&self) -> u64 {
        match self.version {
            Version::V3 => 4,
            Version::V4 => 8,
        }
    }

    fn bytes_at<const N: usize>(&mut self, place: u64) -> Result<[u8; N], ImportError> {
        let mut bytes = [0; N];
        let read = self
            .file
            .seek(SeekFrom::Start(place))
            .and_then(|_| self.file.read_exact(&mut bytes));
        match read {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Err(self.syntax(format!("it ends before byte {}", place.saturating_add(N as u64))))
            }
            read => self.or_unreadable(read).map(|()| bytes),
        }
    }

    fn or_unreadable<T>(&self, result: std::io::Result<T>) -> Result<T, ImportError> {
        result.map_err(|source| ImportError::Read { path: self.path.into(), source })
    }

    fn syntax(&self, reason: String) -> ImportError {
        syntax(self.path, reason)
    }
}

fn syntax(path: &Path, reason: String) -> ImportError {
    let path = path.into();
    let line = None;
    FormatError::Syntax { path, line, reason }.into()
}

const HAS_NORMALS: u32 = 0x0001;
const HAS_UVS: u32 = 0x0002;
const HAS_COLORS: u32 = 0x0008;
const DOUBLE: u32 = 0x2000;

/// Decompressor of one mesh.
struct MeshStream<'a, F: Read> {
    path: &'a Path,
    budget: &'a Budget,
    zlib: ZlibDecoder<BufReader<F>>,
    /// True for double precision.
    double: bool,
}

impl<F: Read> MeshStream<'_, F> {
    fn mesh(&mut self, version: Version) -> Result<Mesh, ImportError> {
        /// Time of a byte of a name, in bytes of other data.
        const NAME_COST: usize = 32;
        // The flag for face normals (0x0010) is redundant: without vertex normals, face normals are used.
        let flags = u32::from_le_bytes(self.bytes("header")?);
        self.double = flags & DOUBLE != 0;
        if version == Version::V4 {
            while self.bytes::<1>("name")? != [0] {
                let decoded = self.budget.decode("names", 1, NAME_COST);
                decoded.map_err(|excess| syntax(self.path, excess.to_string()))?;
            }
        }
        let vertices = self.count("vertices")?;
        let triangles = self.count("triangles")?;
        let mut mesh = Mesh {
            positions: self.floats("position", vertices, Vec3::from_array)?,
            ..Mesh::default()
        };
        if flags & HAS_NORMALS != 0 {
            mesh.normals = self.floats("normal", vertices, Vec3::from_array)?;
        }
        if flags & HAS_UVS != 0 {
            mesh.uvs = self.floats("texture coordinate", vertices, Vec2::from_array)?;
        }
        if flags & HAS_COLORS != 0 {
            mesh.colors = self.floats("colour", vertices, |[r, g, b]: [f32; 3]| [r, g, b, 1.0])?;
        }
        mesh.triangles =
            self.array("triangle", triangles, |bytes: [[u8; 4]; 3]| bytes.map(u32::from_le_bytes))?;
        Ok(mesh)
    }

    fn count(&mut self, what: &'static str) -> Result<usize, ImportError> {
        let count = u64::from_le_bytes(self.bytes("header")?);
        u32::try_from(count)
            .map(|count| count as usize)
            .map_err(|_| syntax(self.path, format!("it promises {count} {what}, more than a mesh can have")))
    }

    /// Reads `count` vectors of `N` numbers.
    fn floats<const N: usize, T>(
        &mut self,
        what: &'static str,
        count: usize,
        make: impl Fn([f32; N]) -> T,
    ) -> Result<Vec<T>, ImportError> {
        if self.double {
            self.array(what, count, |bytes: [[u8; 8]; N]| {
                make(bytes.map(|bytes| f64::from_le_bytes(bytes) as f32))
            })
        } else {
            self.array(what, count, |bytes: [[u8; 4]; N]| make(bytes.map(f32::from_le_bytes)))
        }
    }

    /// Reads `count` values of `N` numbers of `B` bytes.
    fn array<const B: usize, const N: usize, T>(
        &mut self,
        what: &'static str,
        count: usize,
        make: impl Fn([[u8; B]; N]) -> T,
    ) -> Result<Vec<T>, ImportError> {
        let size = B * N;
        let mut buffer = vec![0; CHUNK / size * size];
        let mut values = vec![];
        while values.len() < count {
            let wanted = (count - values.len()).min(buffer.len() / size) * size;
            let found = self.fill(&mut buffer[..wanted])?;
            let allocated = self.budget.allocate("meshes", found / size, size_of::<T>());
            allocated.map_err(|excess| syntax(self.path, excess.to_string()))?;
            values.extend(
                buffer[..found]
                    .chunks_exact(size)
                    .map(|value| make(std::array::from_fn(|n| std::array::from_fn(|b| value[n * B + b])))),
            );
            if found < wanted {
                return Err(self.truncated(what, count, values.len()));
            }
        }
        Ok(values)
    }

    fn bytes<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], ImportError> {
        let mut bytes = [0; N];
        match self.fill(&mut bytes)? {
            found if found == N => Ok(bytes),
            found => Err(self.truncated(what, N, found)),
        }
    }

    /// Reads until the buffer is full or the stream ends; returns the number of bytes read.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, ImportError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.zlib.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::UnexpectedEof => break,
                    ErrorKind::InvalidInput | ErrorKind::InvalidData => {
                        return Err(syntax(self.path, "its compressed data is damaged".into()));
                    }
                    _ => {
                        return Err(ImportError::Read { path: self.path.into(), source: error });
                    }
                },
            }
        }
        Ok(filled)
    }

    fn truncated(&self, element: &str, expected: usize, found: usize) -> ImportError {
        FormatError::Truncated {
            path: self.path.into(),
            element: element.to_owned(),
            expected,
            found,
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    /// A file of squares, rotated by a quarter turn for each part.
    fn file(version: u16, double: bool, attributes: u32, parts: u32) -> Vec<u8> {
        let mut file = vec![];
        let mut starts = vec![];
        for part in 0..parts {
            starts.push(file.len() as u64);
            file.extend(MAGIC.to_le_bytes());
            file.extend(version.to_le_bytes());
            let mut zlib = ZlibEncoder::new(&mut file, Compression::fast());
            let mut put = |bytes: &[u8]| zlib.write_all(bytes).expect("a vector takes all");
            put(&(attributes | if double { DOUBLE } else { 0x1000 }).to_le_bytes());
            if version == 4 {
                put(b"a square\0");
            }
            put(&4u64.to_le_bytes());
            put(&2u64.to_le_bytes());
            let (widths, present) = ([3, 3, 2, 3], [u32::MAX, HAS_NORMALS, HAS_UVS, HAS_COLORS]);
            for (array, (width, flag)) in widths.into_iter().zip(present).enumerate() {
                if attributes & flag == 0 && array > 0 {
                    continue;
                }
                for vertex in 0..4 {
                    for value in expected(array, vertex, part).into_iter().take(width) {
                        if double {
                            put(&f64::from(value).to_le_bytes());
                        } else {
                            put(&value.to_le_bytes());
                        }
                    }
                }
            }
            [0u32, 1, 2, 0, 2, 3].iter().for_each(|i| put(&i.to_le_bytes()));
            zlib.finish().expect("a vector takes all");
        }
        for start in starts {
            if version == 3 {
                file.extend((start as u32).to_le_bytes());
            } else {
                file.extend(start.to_le_bytes());
            }
        }
        file.extend(parts.to_le_bytes());
        file
    }

    /// Expected values of an array at a vertex.
    fn expected(array: usize, vertex: usize, part: u32) -> [f32; 3] {
        let corner = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]][(vertex + part as usize) % 4];
        match array {
            0 => [corner[0], corner[1], part as f32],
            1 => [0.0, 0.0, 1.0],
            2 => [corner[0], 0.5 * corner[1], 0.0],
            _ => [corner[0], corner[1], 0.25],
        }
    }

    fn parse(bytes: &[u8], part: u32) -> Result<Mesh, ImportError> {
        parse_serialized(Cursor::new(bytes), part, Path::new("test.serialized"))
    }

    #[test]
    fn every_form_says_the_same() {
        for version in [3, 4] {
            for double in [false, true] {
                for attributes in [0, HAS_NORMALS, HAS_UVS, HAS_COLORS, 0x1b] {
                    let bytes = file(version, double, attributes, 5);
                    for part in 0..5 {
                        let mesh = parse(&bytes, part).expect("the file is right");
                        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
                        let array = |array: usize, flag: u32| {
                            let wanted = attributes & flag != 0 || array == 0;
                            let values = (0..4).map(move |vertex| expected(array, vertex, part));
                            values.filter(|_| wanted).collect::<Vec<_>>()
                        };
                        let positions: Vec<_> = mesh.positions.iter().map(Vec3::to_array).collect();
                        let normals: Vec<_> = mesh.normals.iter().map(Vec3::to_array).collect();
                        let uvs: Vec<_> = mesh.uvs.iter().map(|uv| [uv.x, uv.y, 0.0]).collect();
                        let colors: Vec<_> = mesh.colors.iter().map(|&[r, g, b, _]| [r, g, b]).collect();
                        assert_eq!(positions, array(0, 0));
                        assert_eq!(normals, array(1, HAS_NORMALS));
                        assert_eq!(uvs, array(2, HAS_UVS));
                        assert_eq!(colors, array(3, HAS_COLORS));
                    }
                }
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        let good = file(4, false, 0, 2);
        let changed = |place: usize, byte: u8, part: u32| {
            let mut bytes = good.clone();
            bytes[place] = byte;
            parse(&bytes, part).expect_err("the file is wrong").to_string()
        };
        let end = good.len();
        let cases = [
            (changed(0, 7, 0), "is not a .serialized mesh"),
            (changed(2, 5, 0), "version 5 of the format"),
            (changed(7, 0xff, 0), "compressed data is damaged"),
            (changed(end - 1, 9, 1), "the table at its end is damaged"),
            (changed(end - 12, 3, 1), "there is no mesh at byte"),
            (changed(end - 5, 9, 1), "it ends before byte"),
            (parse(&good, 2).expect_err("two").to_string(), "there is no mesh 2: it has 2"),
            (parse(&good[..30], 0).expect_err("short").to_string(), "is cut short"),
            (parse(&good[..3], 0).expect_err("short").to_string(), "it ends before byte 4"),
        ];
        for (message, expected) in cases {
            assert!(message.contains(expected), "`{message}` does not say `{expected}`");
        }
    }

    #[test]
    fn broken_bytes_are_errors_at_worst() {
        let mut state = 1u32;
        for version in [3, 4] {
            let good = file(version, version == 4, 0x0b, 3);
            for length in 0..good.len() {
                for part in 0..3 {
                    let _ = parse(&good[..length], part);
                }
            }
            for round in 0..10_000 {
                let mut broken = good.clone();
                for _ in 0..1 + state % 3 {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let place = (state >> 8) as usize % broken.len();
                    broken[place] ^= 1 << (state % 8);
                }
                let _ = parse(&broken, round % 4);
            }
        }
    }

    #[test]
    fn promises_take_no_memory() {
        let mut bytes = vec![];
        bytes.extend(MAGIC.to_le_bytes());
        bytes.extend(3u16.to_le_bytes());
        let mut zlib = ZlibEncoder::new(&mut bytes, Compression::fast());
        let mut put = |bytes: &[u8]| zlib.write_all(bytes).expect("a vector takes all");
        put(&0x1000u32.to_le_bytes());
        put(&u64::from(u32::MAX).to_le_bytes());
        put(&u64::from(u32::MAX).to_le_bytes());
        put(&[0; 1200]);
        zlib.finish().expect("a vector takes all");
        let message = parse(&bytes, 0).expect_err("cut short").to_string();
        assert!(message.contains("position elements, at 100 of 4294967295"), "{message}");
    }
}
