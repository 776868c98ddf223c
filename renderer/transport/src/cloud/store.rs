//! Store of point clouds: those requested during scene construction are read in parallel, those named by running
//! shaders on first use.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{CloudError, PointCloud};
use renderer_base::files::SharedFiles;

/// Index of a point cloud in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CloudId(pub u32);

/// Maximum number of clouds that running shaders can name.
const MAX_LATE: usize = 1024;

type Loaded = Result<PointCloud, CloudError>;

/// Collects the point clouds of a scene; each request returns an id immediately, and the file is read once, later.
#[derive(Debug, Default)]
pub struct CloudLoader {
    requests: Mutex<Requests>,
    files: SharedFiles,
}

#[derive(Debug, Default)]
struct Requests {
    ids: FxHashMap<PathBuf, CloudId>,
    list: Vec<PathBuf>,
}

impl CloudLoader {
    /// Loader of clouds from these files.
    pub fn new(files: SharedFiles) -> CloudLoader {
        CloudLoader { requests: Mutex::default(), files }
    }

    /// Returns the id that the cloud of a file will have in the store: the same id for the same file, by whatever path.
    /// The file is not read yet.
    pub fn request(&self, path: &Path) -> CloudId {
        let key = self.files.identity(path);
        // A panic elsewhere leaves the table consistent: an entry is added in one step.
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let next = CloudId(requests.list.len() as u32);
        let id = *requests.ids.entry(key).or_insert(next);
        if id == next {
            requests.list.push(path.to_owned());
        }
        id
    }

    /// Reads all requested clouds in parallel. Read errors are reported when a cloud is searched.
    pub fn load(self) -> CloudStore {
        let files = self.files;
        let Requests { ids, list } = self.requests.into_inner().unwrap_or_else(PoisonError::into_inner);
        CloudStore {
            clouds: list.par_iter().map(|path| PointCloud::load_from(&*files, path)).collect(),
            ids,
            late_ids: RwLock::default(),
            late: std::iter::repeat_with(OnceLock::new).take(MAX_LATE).collect(),
            files,
        }
    }
}

/// Point clouds of a scene, shared by all threads; searches do not lock.
#[derive(Debug)]
pub struct CloudStore {
    clouds: Vec<Loaded>,
    ids: FxHashMap<PathBuf, CloudId>,
    late_ids: RwLock<FxHashMap<PathBuf, CloudId>>,
    late: Box<[OnceLock<Box<Loaded>>]>,
    files: SharedFiles,
}

impl CloudStore {
    /// Returns a cloud; `None` for an id of another store.
    ///
    /// # Errors
    /// Reason why it could not be read.
    #[inline]
    pub fn get(&self, id: CloudId) -> Option<Result<&PointCloud, &CloudError>> {
        let index = id.0 as usize;
        if let Some(cloud) = self.clouds.get(index) {
            return Some(cloud.as_ref());
        }
        let late = self.late.get(index - self.clouds.len())?.get()?;
        Some((**late).as_ref())
    }

    /// Id of the cloud of a file, which is read if necessary. `None` if there are too many.
    pub fn load_late(&self, path: &Path) -> Option<CloudId> {
        let key = self.files.identity(path);
        if let Some(&id) = self.ids.get(&key) {
            return Some(id);
        }
        let id = {
            let mut ids = self.late_ids.write().unwrap_or_else(PoisonError::into_inner);
            let next = CloudId((self.clouds.len() + ids.len()) as u32);
            *ids.entry(key).or_insert(next)
        };
        let slot = self.late.get(id.0 as usize - self.clouds.len())?;
        if slot.get().is_none() {
            // No lock is held: reading uses the threads of the pool, on which others may wait for this cloud. Several
            // threads may read it at the same time; one of the results is kept.
            let _ = slot.set(Box::new(PointCloud::load_from(&*self.files, path)));
        }
        Some(id)
    }

    /// Readable clouds that were requested before the store was created.
    pub fn clouds(&self) -> impl Iterator<Item = &PointCloud> {
        self.clouds.iter().filter_map(|cloud| cloud.as_ref().ok())
    }
}
