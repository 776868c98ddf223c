//! Photon map files: read if scene and settings match (checksum included), written atomically.

use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rustc_hash::FxHasher;
use thiserror::Error;

use super::trace::{ShootOrder, Shot};
use super::{Photon, PhotonSettings};
use crate::integrator::Pass;
use crate::scene::Scene;
use renderer_image::{ImageError, write_whole};

/// Errors of photon map files.
#[derive(Debug, Error)]
pub enum MapError {
    /// The file cannot be read.
    #[error("cannot read the photon map {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The file is no photon map, or a damaged one.
    #[error("{} is no photon map of this program: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The file is of another scene, or other settings.
    #[error("the photon map {} does not fit: {reason}; remove it, or name another file", path.display())]
    Misfit {
        /// The file.
        path: PathBuf,
        /// What differs.
        reason: &'static str,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Unwritable(#[from] ImageError),
}

/// Fingerprints that a map file must match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Of the scene's geometry and materials.
    pub scene: u64,
    /// Of the settings of the photon pass.
    pub settings: u64,
}

/// What a file of photon maps says of itself. Of either map, the global one first:
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapHeader {
    /// What it was made of.
    pub key: Key,
    /// The photons that were shot.
    pub shot: [u64; 2],
    /// Those that were stored.
    pub stored: [u64; 2],
}

const MAGIC: &[u8; 8] = b"KILNPHO2";
/// Magic, scene, settings; shot and stored of either map.
const HEADER: usize = 8 + 8 + 8 + 4 * 8;
const CHECKSUM: usize = 8;

impl Key {
    /// The key of a scene, the settings and the sizes that follow from them.
    pub(super) fn new(
        scene: &Scene,
        settings: &PhotonSettings,
        pass: &Pass<'_>,
        orders: &[ShootOrder; 2],
    ) -> Key {
        let mut hasher = FxHasher::default();
        pass.seed.hash(&mut hasher);
        settings.depth.hash(&mut hasher);
        settings.direct.hash(&mut hasher);
        for order in orders {
            order.count.hash(&mut hasher);
        }
        Key {
            scene: scene.fingerprint(),
            settings: hasher.finish(),
        }
    }
}

impl MapHeader {
    /// Whether a file begins as one of photon maps.
    pub fn is_at(path: &Path) -> bool {
        // To open a pipe is to wait for whoever writes to it.
        let mut magic = [0; MAGIC.len()];
        path.is_file()
            && File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok())
            && magic == *MAGIC
    }

    /// Reads the header of a file that is whole.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged or holds something else.
    pub fn read(path: &Path) -> Result<MapHeader, MapError> {
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        content(path, &bytes).map(|(header, _)| header)
    }
}

fn unreadable(path: &Path, error: &io::Error) -> MapError {
    MapError::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

fn damaged(path: &Path, reason: &'static str) -> MapError {
    MapError::Damaged {
        path: path.to_owned(),
        reason,
    }
}

/// The header of a file and the bytes of its photons.
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
        key: Key {
            scene: number(1),
            settings: number(2),
        },
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

/// The maps in a file; `None` where there is no file.
pub(super) fn load(path: &Path, key: &Key) -> Result<Option<[Shot; 2]>, MapError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
    };
    let misfit = |reason| MapError::Misfit {
        path: path.to_owned(),
        reason,
    };
    let (header, photons) = content(path, &bytes)?;
    if header.key.scene != key.scene {
        return Err(misfit("it was made of another scene"));
    }
    if header.key.settings != key.settings {
        return Err(misfit(
            "it was made with another seed, depth or number of photons",
        ));
    }
    let mut photons = photons.as_chunks().0.iter().map(Photon::from_bytes);
    let mut map = |i: usize| {
        let photons: Option<Vec<Photon>> = photons.by_ref().take(header.stored[i] as usize).collect();
        photons.map(|photons| Shot {
            photons,
            shot: header.shot[i],
        })
    };
    match (map(0), map(1)) {
        (Some(global), Some(caustic)) => Ok(Some([global, caustic])),
        _ => Err(damaged(path, "a photon is not finite")),
    }
}

/// Writes maps.
pub(super) fn save(path: &Path, key: &Key, maps: &[Shot; 2]) -> Result<(), MapError> {
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
    Ok(write_whole(path, &bytes)?)
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.hash(&mut hasher);
    hasher.finish()
}
