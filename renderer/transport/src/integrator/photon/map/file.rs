//! Photon map files: read if scene, settings and checksum match; written atomically.

use std::hash::{Hash, Hasher};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rustc_hash::FxHasher;
use thiserror::Error;

use crate::integrator::Pass;
use crate::integrator::photon::shoot::ShootResult;
use crate::integrator::photon::shoot::params::ShootParams;
use crate::integrator::photon::{Photon, PhotonSettings};
use crate::scene::Scene;
use renderer_base::files::{open_regular, read_regular};
use renderer_image::{ImageError, stage};

/// Error of a photon map file.
#[derive(Debug, Error)]
pub enum MapError {
    /// The file cannot be read.
    #[error("cannot read the photon map {}: {reason}", path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error text of the operating system.
        reason: String,
    },
    /// The file is not a photon map, or is damaged.
    #[error("{} is not a photon map of this program: {reason}", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Description of the damage.
        reason: &'static str,
    },
    /// The file belongs to another scene or other settings.
    #[error("the photon map {} does not fit: {reason}; remove it, or name another file", path.display())]
    Misfit {
        /// Path of the file.
        path: PathBuf,
        /// Description of the difference.
        reason: &'static str,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Unwritable(#[from] ImageError),
}

/// Fingerprints that a map file must match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Fingerprint of the scene's geometry and materials.
    pub scene: u64,
    /// Fingerprint of the settings of the photon pass.
    pub settings: u64,
}

/// Header of a photon map file. Arrays hold the global map first, then the caustic map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapHeader {
    /// Fingerprints of the inputs.
    pub key: Key,
    /// Photons shot.
    pub shot: [u64; 2],
    /// Photons stored.
    pub stored: [u64; 2],
}

const MAGIC: &[u8; 8] = b"KILNPHO4";
/// Size of the header [bytes]: magic, scene, settings; shot and stored of both maps.
const HEADER: usize = 8 + 8 + 8 + 4 * 8;
const CHECKSUM: usize = 8;

impl Key {
    /// Computes the key of a scene, the settings and the sizes derived from them.
    pub(crate) fn new(
        scene: &Scene,
        settings: &PhotonSettings,
        pass: &Pass<'_>,
        params: &[ShootParams; 2],
    ) -> Key {
        let mut hasher = FxHasher::default();
        pass.seed.hash(&mut hasher);
        settings.depth.hash(&mut hasher);
        settings.direct.hash(&mut hasher);
        // Without tags the key equals that of files from versions without tags.
        if !pass.light_tags.is_empty() {
            pass.light_tags.hash(&mut hasher);
        }
        for map in params {
            map.count.hash(&mut hasher);
        }
        Key { scene: scene.fingerprint(), settings: hasher.finish() }
    }
}

impl MapHeader {
    /// Returns whether the file at `path` begins with the magic of photon map files.
    pub fn is_at(path: &Path) -> bool {
        let mut magic = [0; MAGIC.len()];
        open_regular(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok()) && magic == *MAGIC
    }

    /// Reads the header of a complete file.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or has another format.
    pub fn read(path: &Path) -> Result<MapHeader, MapError> {
        let bytes = read_regular(path).map_err(|error| unreadable(path, &error))?;
        content(path, &bytes).map(|(header, _)| header)
    }
}

fn unreadable(path: &Path, error: &io::Error) -> MapError {
    MapError::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

fn damaged(path: &Path, reason: &'static str) -> MapError {
    MapError::Damaged { path: path.to_owned(), reason }
}

/// Checks a file; returns its header and the bytes of its photons.
fn content<'b>(path: &Path, bytes: &'b [u8]) -> Result<(MapHeader, &'b [u8]), MapError> {
    if !bytes.starts_with(MAGIC) {
        return Err(damaged(path, "it begins otherwise"));
    }
    if bytes.len() < HEADER + CHECKSUM {
        return Err(damaged(path, "it ends too early"));
    }
    let (content, sum) = bytes.split_at(bytes.len() - CHECKSUM);
    let number = |i: usize| u64::from_le_bytes(std::array::from_fn(|j| content[8 * i + j]));
    let header = MapHeader {
        key: Key { scene: number(1), settings: number(2) },
        shot: [number(3), number(5)],
        stored: [number(4), number(6)],
    };
    let photons = header.stored[0]
        .checked_add(header.stored[1])
        .and_then(|n| n.checked_mul(Photon::BYTES as u64));
    if photons != Some((content.len() - HEADER) as u64) {
        return Err(damaged(path, "its length is not that of its photons"));
    }
    if sum != checksum(content).to_le_bytes() {
        return Err(damaged(path, "its checksum is wrong"));
    }
    Ok((header, &content[HEADER..]))
}

/// Loads the maps of a file; `None` if the file does not exist.
pub(crate) fn load(path: &Path, key: &Key) -> Result<Option<[ShootResult; 2]>, MapError> {
    let bytes = match read_regular(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
    };
    let misfit = |reason| MapError::Misfit { path: path.to_owned(), reason };
    let (header, photons) = content(path, &bytes)?;
    if header.key.scene != key.scene {
        return Err(misfit("it was made of another scene"));
    }
    if header.key.settings != key.settings {
        return Err(misfit("it was made with another seed, depth or number of photons"));
    }
    let mut photons = photons.as_chunks().0.iter().map(Photon::from_bytes);
    let mut map = |i: usize| {
        let photons: Option<Vec<Photon>> = photons.by_ref().take(header.stored[i] as usize).collect();
        photons.map(|photons| ShootResult { photons, shot: header.shot[i] })
    };
    match (map(0), map(1)) {
        (Some(global), Some(caustic)) => Ok(Some([global, caustic])),
        _ => Err(damaged(path, "a photon is not finite")),
    }
}

/// Writes both maps atomically to a new file. A file that has appeared at the path is kept; it may hold the same maps.
pub(crate) fn save(path: &Path, key: &Key, maps: &[ShootResult; 2]) -> Result<(), MapError> {
    let stored: usize = maps.iter().map(|map| map.photons.len()).sum();
    let mut bytes = Vec::with_capacity(HEADER + stored * Photon::BYTES + CHECKSUM);
    bytes.extend_from_slice(MAGIC);
    let numbers = maps.iter().flat_map(|map| [map.shot, map.photons.len() as u64]);
    for number in [key.scene, key.settings].into_iter().chain(numbers) {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    for photon in maps.iter().flat_map(|map| &map.photons) {
        bytes.extend_from_slice(&photon.to_bytes());
    }
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    match stage(path, &bytes)?.commit_new() {
        Err(_) if MapHeader::read(path).is_ok_and(|header| header.key == *key) => Ok(()),
        written => Ok(written?),
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.hash(&mut hasher);
    hasher.finish()
}
