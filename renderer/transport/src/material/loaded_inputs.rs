//! Inputs that the shaders of a scene read from files. The frames of a sequence share them.

use std::sync::Mutex;

use rustc_hash::{FxHashMap, FxHashSet};
use shading::TextureRequest;

use super::cloud::Clouds;
use super::grid::Grids;
use super::late_table::{LateTable, load_once};
use super::texture::{ResolvedTexture, TextureNames};
use renderer_image::texture::{TextureId, TextureStore, TileSet};

/// Loaded textures, grids and point clouds, with the names by which shaders request more.
#[derive(Debug)]
pub(super) struct LoadedInputs {
    pub(super) store: TextureStore,
    pub(super) names: TextureNames,
    pub(super) ids: FxHashMap<TextureRequest, TextureId>,
    /// Textures named by running shaders, or the reason why they could not be loaded.
    pub(super) late: LateTable<TextureRequest, Result<TextureId, String>>,
    /// Files whose failure has been reported.
    pub(super) reported: Mutex<FxHashSet<String>>,
    pub(super) grids: Grids,
    pub(super) clouds: Clouds,
    /// Attributes named by shaders, indexed by handle.
    pub(super) attributes: Vec<String>,
    /// True if a shader reads an island attribute.
    pub(super) needs_islands: bool,
    /// True, by shape, if its shader lacks files or attributes; empty unless a debug view shows it.
    pub(super) lacks_inputs: Vec<bool>,
}

impl LoadedInputs {
    /// Texture of a request; reads the file if necessary.
    pub(super) fn texture(&self, request: &TextureRequest) -> Result<TextureId, String> {
        if let Some(&id) = self.ids.get(request) {
            return self.usable(id);
        }
        load_once(&self.late, request, || self.load(request))
    }

    /// Returns the id if the texture could be read, or else the error.
    fn usable(&self, id: TextureId) -> Result<TextureId, String> {
        match self.store.error(id) {
            Some(error) => Err(error.to_string()),
            None => Ok(id),
        }
    }

    fn load(&self, request: &TextureRequest) -> Result<TextureId, String> {
        let load = |found| {
            let id = self.store.load_late(found).map_err(|error| error.to_string())?;
            self.usable(id)
        };
        match self.names.resolve(request) {
            // Wording of OpenImageIO, which shaders may examine.
            None => Err(format!("Could not open file: {0}: No such file or directory", request.file)),
            Some(ResolvedTexture::Image(found)) => load(&found),
            Some(ResolvedTexture::Tiles(list)) => {
                let list = list.iter().map(|(square, found)| Ok((*square, load(found)?)));
                let list = list.collect::<Result<Vec<_>, String>>()?;
                Ok(self.store.add_set(TileSet::new(&list)))
            }
        }
    }
}
