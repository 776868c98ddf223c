//! Volume grids for shaders: resolution of file names, and conversion of lookups.

use std::path::Path;

use glam::Vec3;
use rustc_hash::FxHashMap;
use shading::hir::{Interpolation, Wrap};
use shading::{Subimage, TextureInfo, TextureLookup, TextureRequest, TextureSample};

use super::late_table::{LateTable, load_once};
use super::texture::{TextureLoadError, TextureNames};
use renderer_base::files::SharedFiles;
use renderer_grid::{
    Grid, GridChoice, GridError, GridId, GridLoader, GridLookup, GridStore, GridWrap, is_grid_file,
};

/// Grids that shaders name while a scene is built.
#[derive(Debug, Default)]
pub(super) struct GridRequests {
    loader: GridLoader,
    ids: FxHashMap<TextureRequest, GridId>,
}

/// Grids of a frozen scene.
#[derive(Debug)]
pub(super) struct Grids {
    pub(super) store: GridStore,
    ids: FxHashMap<TextureRequest, GridId>,
    /// Grids named by running shaders, or the reason why they could not be loaded.
    late: LateTable<TextureRequest, Result<GridId, String>>,
}

/// Returns whether a request refers to a grid, by the extension of its file.
pub(super) fn is_grid(request: &TextureRequest) -> bool {
    is_grid_file(Path::new(&request.file))
}

fn choice(request: &TextureRequest) -> GridChoice {
    match &request.subimage {
        Subimage::First => GridChoice::Main,
        Subimage::Index(index) => GridChoice::Index(usize::try_from(*index).unwrap_or(usize::MAX)),
        Subimage::Name(name) => GridChoice::Name(name.clone()),
    }
}

impl GridRequests {
    /// Grids of these files.
    pub(super) fn new(files: SharedFiles) -> GridRequests {
        GridRequests { loader: GridLoader::new(files), ids: FxHashMap::default() }
    }

    /// Requests a grid of a file, searched for in the texture directories; `None` if the file does not exist.
    pub(super) fn request(
        &mut self,
        names: &TextureNames,
        request: &TextureRequest,
        is_required: bool,
    ) -> Option<GridId> {
        let path = names.file(&request.file)?;
        let id = self.loader.request(&path, choice(request), is_required);
        self.ids.insert(request.clone(), id);
        Some(id)
    }

    /// Reads the requested grids; with `is_tolerant`, none of them is required.
    ///
    /// # Errors
    /// All required grids that could not be read.
    pub(super) fn load(
        self,
        names: &TextureNames,
        is_tolerant: bool,
    ) -> Result<Grids, Vec<TextureLoadError>> {
        let GridRequests { loader, ids } = self;
        let loader = if is_tolerant { loader.tolerant() } else { loader };
        let store = loader.load().map_err(|errors| {
            let load_error = |error: std::sync::Arc<GridError>| {
                let is_meant = |asked: &&TextureRequest| {
                    let is_choice = match &*error {
                        GridError::NoGrid { asked: wrong, .. } => choice(asked) == *wrong,
                        GridError::Read { .. } | GridError::Kind { .. } | GridError::Fault { .. } => true,
                    };
                    is_choice && names.file(&asked.file).is_some_and(|path| path == error.path())
                };
                let mut requests: Vec<TextureRequest> = ids.keys().filter(is_meant).cloned().collect();
                requests.sort_by(|a, b| a.file.cmp(&b.file));
                TextureLoadError { error: error.into(), requests }
            };
            errors.into_iter().map(load_error).collect::<Vec<_>>()
        })?;
        Ok(Grids { store, ids, late: LateTable::default() })
    }
}

impl Grids {
    /// Id of a grid that was requested before the scene was frozen.
    pub(super) fn known(&self, request: &TextureRequest) -> Option<GridId> {
        self.ids.get(request).copied()
    }

    /// Id of a grid; reads it if necessary.
    pub(super) fn id(&self, names: &TextureNames, request: &TextureRequest) -> Result<GridId, String> {
        if let Some(&id) = self.ids.get(request) {
            return self.usable(id);
        }
        load_once(&self.late, request, || match names.file(&request.file) {
            // Same wording as for textures, which shaders may examine.
            None => Err(format!("Could not open file: {0}: No such file or directory", request.file)),
            Some(path) => match self.store.load_late(&path, &choice(request)) {
                Some(id) => self.usable(id),
                None => Err("too many grids are named by running shaders".to_owned()),
            },
        })
    }

    fn usable(&self, id: GridId) -> Result<GridId, String> {
        match self.store.get(id) {
            Some(Err(error)) => Err(error.to_string()),
            Some(Ok(_)) | None => Ok(id),
        }
    }

    /// Returns whether a grid could be read; true if it was not requested.
    pub(super) fn is_whole(&self, request: &TextureRequest) -> bool {
        let id = self.ids.get(request);
        id.is_none_or(|&id| matches!(self.store.get(id), Some(Ok(_))))
    }

    /// Looks a grid up; `None` if it could not be read.
    pub(super) fn sample(&self, id: GridId, lookup: &TextureLookup) -> Option<TextureSample> {
        let grid = self.store.get(id)?.ok()?;
        Some(sample(grid, lookup))
    }

    /// Information about a grid by OpenImageIO's names.
    pub(super) fn info(&self, id: GridId, name: &str) -> Option<TextureInfo> {
        let grid = self.store.get(id)?.ok()?;
        Some(match name {
            "exists" => TextureInfo::Ints(vec![1]),
            "channels" => TextureInfo::Ints(vec![grid.channels() as i32]),
            "texturetype" => TextureInfo::Text("Volume Texture".to_owned()),
            _ => return None,
        })
    }
}

fn sample(grid: &Grid, lookup: &TextureLookup) -> TextureSample {
    let options = &lookup.options;
    let found = grid.sample(&GridLookup {
        point: Vec3::from_array(lookup.position),
        dx: Vec3::from_array(lookup.dx),
        dy: Vec3::from_array(lookup.dy),
        wrap: [options.wrap_s, options.wrap_t, options.wrap_r].map(wrap),
        closest: options.interpolation == Interpolation::Closest,
        derivatives: options.derivatives,
    });
    let first = usize::try_from(lookup.first_channel).unwrap_or(0);
    let has = grid.channels();
    // As with images, one channel is grey.
    let is_grey = has == 1 && first == 0 && options.channels > 1;
    let channels = |values: [f32; 4], fill: f32| {
        std::array::from_fn(|c| match c + first {
            _ if is_grey && c < 3 => values[0],
            channel if channel < has => values[channel],
            _ => fill,
        })
    };
    TextureSample {
        value: channels(found.value, lookup.fill),
        ds: channels(found.dx, 0.0),
        dt: channels(found.dy, 0.0),
    }
}

fn wrap(wrap: Wrap) -> GridWrap {
    match wrap {
        Wrap::Default => GridWrap::None,
        Wrap::Black => GridWrap::Black,
        Wrap::Clamp => GridWrap::Clamp,
        Wrap::Periodic => GridWrap::Periodic,
        Wrap::Mirror => GridWrap::Mirror,
    }
}
