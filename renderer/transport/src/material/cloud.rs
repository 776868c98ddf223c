//! Point clouds for shaders: resolution of file names, and conversion to the language's interface.

use glam::Vec3;
use rustc_hash::FxHashMap;
use shading::{CloudSearch, CloudValues};

use super::late_table::{LateTable, load_once};
use super::texture::TextureNames;
use renderer_base::files::SharedFiles;

use crate::cloud::{CloudId, CloudLoader, CloudStore, ColumnValues, PointCloud};

/// Point clouds that shaders name while a scene is built.
#[derive(Debug, Default)]
pub(super) struct CloudRequests {
    loader: CloudLoader,
    ids: FxHashMap<String, CloudId>,
}

/// Point clouds of a frozen scene.
#[derive(Debug)]
pub(super) struct Clouds {
    pub(super) store: CloudStore,
    ids: FxHashMap<String, CloudId>,
    /// Clouds named by running shaders; `None` if the file does not exist.
    late: LateTable<String, Option<CloudId>>,
}

impl CloudRequests {
    /// Clouds of these files.
    pub(super) fn new(files: SharedFiles) -> CloudRequests {
        CloudRequests { loader: CloudLoader::new(files), ids: FxHashMap::default() }
    }

    /// Requests the cloud of a file, searched for in the texture directories; `None` if the file does not exist.
    pub(super) fn request(&mut self, names: &TextureNames, file: &str) -> Option<CloudId> {
        if let Some(&id) = self.ids.get(file) {
            return Some(id);
        }
        let id = self.loader.request(&names.file(file)?);
        self.ids.insert(file.to_owned(), id);
        Some(id)
    }

    /// Reads the requested clouds.
    pub(super) fn load(self) -> Clouds {
        Clouds {
            store: self.loader.load(),
            ids: self.ids,
            late: LateTable::default(),
        }
    }
}

impl Clouds {
    /// Id of the cloud of a file; reads it if necessary.
    pub(super) fn id(&self, names: &TextureNames, file: &str) -> Option<CloudId> {
        if let Some(&id) = self.ids.get(file) {
            return Some(id);
        }
        load_once(&self.late, file, || {
            names.file(file).and_then(|path| self.store.load_late(&path))
        })
    }

    /// Reason why a file cannot be searched.
    pub(super) fn error(&self, names: &TextureNames, file: &str) -> Option<String> {
        let Some(id) = self.id(names, file) else {
            return Some(format!("there is no point cloud file {file:?}"));
        };
        let error = self.store.get(id)?.err()?;
        Some(error.to_string())
    }
}

impl shading::PointCloud for PointCloud {
    fn count(&self) -> usize {
        self.count()
    }

    fn search(&self, search: &CloudSearch, found: &mut [(f32, u32)]) -> usize {
        self.search(Vec3::from_array(search.center), search.radius, search.sort, found)
    }

    fn values(&self, name: &str) -> Option<CloudValues<'_>> {
        Some(match &self.column(name)?.values {
            ColumnValues::Ints(list) => CloudValues::Ints(list),
            ColumnValues::Floats(list) => CloudValues::Floats(list),
            ColumnValues::Triples(list) => CloudValues::Triples(list),
            ColumnValues::Arrays { width, list } => CloudValues::Arrays(*width, list),
            ColumnValues::Texts { list, indices } => CloudValues::Texts { list, indices },
        })
    }

    fn names(&self) -> Vec<String> {
        self.columns().iter().map(|column| column.name.clone()).collect()
    }
}
