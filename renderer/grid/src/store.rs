//! Store of grids: those requested while a scene is built are read in parallel; late ones, named by running shaders, on
//! first use.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::error::{GridChoice, GridError};
use super::file::GridFile;
use super::grid::Grid;
use renderer_base::files::{Files, SharedFiles};

/// Index of a grid in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GridId(pub u32);

/// Maximum number of grids that running shaders can name.
const MAX_LATE: usize = 1024;

type Key = (PathBuf, GridChoice);
type Loaded = Result<Arc<Grid>, Arc<GridError>>;

/// Collects the grids that a scene needs; each gets its id immediately and is read once, later.
#[derive(Debug, Default)]
pub struct GridLoader {
    requests: Mutex<Requests>,
    files: SharedFiles,
}

#[derive(Debug, Default)]
struct Requests {
    ids: FxHashMap<Key, GridId>,
    list: Vec<Wanted>,
}

/// A requested grid.
#[derive(Debug)]
struct Wanted {
    path: PathBuf,
    choice: GridChoice,
    /// Number of the file among those requested.
    file: usize,
    is_required: bool,
}

impl GridLoader {
    /// A loader of grids from these files.
    pub fn new(files: SharedFiles) -> GridLoader {
        GridLoader { requests: Mutex::default(), files }
    }

    /// Returns the id of a grid of a file in the store, independent of the path to the file. The file is not read yet.
    /// A grid that is required once stays required.
    pub fn request(&self, path: &Path, choice: GridChoice, is_required: bool) -> GridId {
        let key = (self.files.identity(path), choice);
        // A panic elsewhere leaves the table consistent: an entry is added in one step.
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let Requests { ids, list } = &mut *requests;
        if let Some(&id) = ids.get(&key) {
            list[id.0 as usize].is_required |= is_required;
            return id;
        }
        let id = GridId(list.len() as u32);
        let other = list.iter().find(|wanted| self.files.identity(&wanted.path) == key.0);
        list.push(Wanted {
            path: path.to_owned(),
            choice: key.1.clone(),
            file: other.map_or(list.len(), |other| other.file),
            is_required,
        });
        ids.insert(key, id);
        id
    }

    /// Makes the requests so far optional.
    #[must_use]
    pub fn tolerant(self) -> GridLoader {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.list.iter_mut().for_each(|wanted| wanted.is_required = false);
        drop(requests);
        self
    }

    /// Reads all requested grids in parallel, each file once.
    ///
    /// # Errors
    /// All required grids that could not be read, in the order of their requests.
    pub fn load(self) -> Result<GridStore, Vec<Arc<GridError>>> {
        let files = self.files;
        let Requests { ids, list } = self.requests.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut of_files: Vec<Vec<&Wanted>> = vec![];
        let mut groups: FxHashMap<usize, usize> = FxHashMap::default();
        for wanted in &list {
            let next = of_files.len();
            let group = *groups.entry(wanted.file).or_insert(next);
            if group == next {
                of_files.push(vec![]);
            }
            of_files[group].push(wanted);
        }
        let mut loaded: Vec<std::vec::IntoIter<Loaded>> = of_files
            .par_iter()
            .map(|wanted| load_file(&*files, wanted).into_iter())
            .collect();
        // Grids of a file are in the order of their requests.
        let next = |wanted: &Wanted| loaded[groups[&wanted.file]].next();
        let grids: Vec<Loaded> = list.iter().filter_map(next).collect();
        let failed = list.iter().zip(&grids).filter(|(wanted, _)| wanted.is_required);
        let errors: Vec<_> = failed.filter_map(|(_, grid)| grid.as_ref().err().cloned()).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(GridStore {
            grids,
            ids,
            late_ids: RwLock::default(),
            late: std::iter::repeat_with(OnceLock::new).take(MAX_LATE).collect(),
            files,
        })
    }
}

/// Reads grids of one file.
fn load_file(files: &dyn Files, wanted: &[&Wanted]) -> Vec<Loaded> {
    let Some(first) = wanted.first() else {
        return vec![];
    };
    let file = match GridFile::read(files, &first.path) {
        Ok(file) => file,
        Err(error) => return vec![Err(Arc::new(error)); wanted.len()],
    };
    let mut known: FxHashMap<usize, Loaded> = FxHashMap::default();
    let load = |wanted: &&Wanted| {
        let index = file.find(&wanted.choice).map_err(Arc::new)?;
        let load = || file.load(&GridChoice::Index(index)).map(Arc::new).map_err(Arc::new);
        known.entry(index).or_insert_with(load).clone()
    };
    wanted.iter().map(load).collect()
}

/// Grids of a scene, shared by all threads; lookups do not lock.
#[derive(Debug)]
pub struct GridStore {
    grids: Vec<Loaded>,
    ids: FxHashMap<Key, GridId>,
    late_ids: RwLock<FxHashMap<Key, GridId>>,
    late: Box<[OnceLock<Box<Loaded>>]>,
    files: SharedFiles,
}

impl GridStore {
    /// Returns a grid; `None` for an id of another store.
    ///
    /// # Errors
    /// Reason why it could not be read.
    #[inline]
    pub fn get(&self, id: GridId) -> Option<Result<&Grid, &GridError>> {
        let index = id.0 as usize;
        let loaded = match self.grids.get(index) {
            Some(loaded) => loaded,
            None => self.late.get(index - self.grids.len())?.get()?,
        };
        Some(match loaded {
            Ok(grid) => Ok(grid),
            Err(error) => Err(error),
        })
    }

    /// Id of a grid of a file, which is read if necessary. `None` if there are too many.
    pub fn load_late(&self, path: &Path, choice: &GridChoice) -> Option<GridId> {
        let key = (self.files.identity(path), choice.clone());
        if let Some(&id) = self.ids.get(&key) {
            return Some(id);
        }
        let id = {
            let mut ids = self.late_ids.write().unwrap_or_else(PoisonError::into_inner);
            let next = GridId((self.grids.len() + ids.len()) as u32);
            *ids.entry(key).or_insert(next)
        };
        let slot = self.late.get(id.0 as usize - self.grids.len())?;
        if slot.get().is_none() {
            // No lock is held: reading uses the threads of the pool, on which others may wait for this grid. Several
            // threads may read it at the same time; one of the results is kept.
            let file = GridFile::read(&*self.files, path);
            let loaded = file.and_then(|file| file.load(choice)).map(Arc::new).map_err(Arc::new);
            let _ = slot.set(Box::new(loaded));
        }
        Some(id)
    }

    /// Id of a grid that was requested before the store was created.
    pub fn find(&self, path: &Path, choice: &GridChoice) -> Option<GridId> {
        let key = (self.files.identity(path), choice.clone());
        self.ids.get(&key).copied()
    }

    /// The grids that were read when the store was created, with their ids.
    pub fn grids(&self) -> impl Iterator<Item = (GridId, &Grid)> {
        let grids = (0..).zip(&self.grids);
        grids.filter_map(|(id, loaded)| Some((GridId(id), &**loaded.as_ref().ok()?)))
    }

    /// Memory of these grids [bytes].
    pub fn bytes(&self) -> usize {
        let mut counted: Vec<*const Grid> = vec![];
        let mut sum = 0;
        for (_, grid) in self.grids() {
            if !counted.contains(&std::ptr::from_ref(grid)) {
                counted.push(grid);
                sum += grid.bytes();
            }
        }
        sum
    }
}
