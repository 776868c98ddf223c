//! Renderer services for shaders: texture lookups, point clouds, coordinate spaces, geometry attributes, traced rays.
//!
//! A [`Host`] has two phases. While a scene is built, it collects the textures and point clouds named by shaders, from
//! any thread; [`Host::freeze`] then loads them and sets shapes and camera, and [`Host::allow_rays`] sets the geometry
//! that rays hit. After that it is immutable, and lookups do not lock.

use std::hash::Hasher as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};
use shading::{RayKind, TextureHandle, TextureRequest};

use super::attribute::AttributeTable;
use super::cloud::CloudRequests;
use super::grid::{GridRequests, is_grid};
use super::islands::Islands;
use super::late_table::LateTable;
use super::loaded_inputs::LoadedInputs;
use super::missing_inputs::MissingInputs;
use super::rendering_space::RenderingSpace;
use super::texture::{ResolvedTexture, TextureLoadError, TextureNames};
use super::trace::TraceGeometry;
use crate::cloud::CloudStore;
use renderer_base::files::SharedFiles;
use renderer_geometry::Shape;
use renderer_geometry::accel::Accel;
use renderer_geometry::camera::CameraView;
use renderer_grid::{GridId, GridStore};
use renderer_image::texture::{
    TextureColorSpace, TextureId, TextureLoader, TextureNeed, TextureSource, TextureStore, TileSet,
};

/// Renderer services as seen by shaders.
#[derive(Debug)]
pub struct Host {
    building: Mutex<BuildPhase>,
    /// Inputs that an earlier frame of the scene has loaded.
    loaded: Option<Arc<LoadedInputs>>,
    pub(super) frozen: OnceLock<Frozen>,
    pub(super) trace_geometry: OnceLock<TraceGeometry>,
    /// Ray kind added to every ray: render or bake.
    purpose: RayKind,
    space: OnceLock<RenderingSpace>,
    /// Tag in the handles of this host, unique within the process.
    pub(super) tag: u32,
}

/// State while a scene is built.
#[derive(Debug, Default)]
pub(super) struct BuildPhase {
    loader: TextureLoader,
    pub(super) names: TextureNames,
    ids: FxHashMap<TextureRequest, TextureId>,
    grids: GridRequests,
    pub(super) clouds: CloudRequests,
    /// Attributes named by shaders, indexed by handle.
    pub(super) attributes: Vec<String>,
    /// True if a shader reads an island attribute.
    pub(super) needs_islands: bool,
    /// Inputs that shaders may lack, by shape; empty unless a debug view shows them.
    missing_inputs: Vec<MissingInputs>,
}

/// State after the scene is built.
#[derive(Debug)]
pub(super) struct Frozen {
    pub(super) inputs: Arc<LoadedInputs>,
    pub(super) shapes: Arc<[Shape]>,
    pub(super) attributes: AttributeTable,
    /// `None` if no shader reads an island attribute.
    pub(super) islands: Option<Islands>,
    /// World-space area of each shape [m²]; computed on first use.
    areas: OnceLock<Arc<[f32]>>,
    /// World-space camera.
    pub(super) camera: CameraView,
    pub(super) space: RenderingSpace,
}

/// Number of bits for the index of a texture, a point cloud or an attribute in a handle; the other bits are the host's
/// tag.
pub(super) const INDEX_BITS: u32 = 20;
/// Flag of the handles of grids, whose remaining bits are the grid's id. Indices of textures are below it.
pub(super) const GRID_FLAG: u32 = 1 << (INDEX_BITS - 1);

impl Host {
    /// Creates a host that searches `directories` for texture files, in this order.
    pub fn new(directories: Vec<PathBuf>) -> Host {
        static TAGS: AtomicU32 = AtomicU32::new(0);
        Host {
            building: Mutex::new(BuildPhase {
                names: TextureNames { directories, ..TextureNames::default() },
                ..BuildPhase::default()
            }),
            loaded: None,
            frozen: OnceLock::new(),
            trace_geometry: OnceLock::new(),
            purpose: RayKind::default(),
            space: OnceLock::new(),
            tag: TAGS.fetch_add(1, Ordering::Relaxed) << INDEX_BITS,
        }
    }

    /// Limits the memory of textures [bytes].
    #[must_use]
    pub fn with_texture_memory(self, limit: usize) -> Host {
        self.with_build_phase(|building| {
            let files = building.names.files.clone();
            building.loader = TextureLoader::with_memory(limit).with_files(files);
        });
        self
    }

    /// Reads files from `files` instead of the disk.
    #[must_use]
    pub fn with_files(self, files: SharedFiles) -> Host {
        self.with_build_phase(|building| {
            let loader = std::mem::take(&mut building.loader);
            building.loader = loader.with_files(files.clone());
            building.grids = GridRequests::new(files.clone());
            building.clouds = CloudRequests::new(files.clone());
            building.names.files = files;
        });
        self
    }

    /// Adds the ray type `bake` to all rays.
    #[must_use]
    pub fn for_bake(self) -> Host {
        Host { purpose: RayKind::BAKE, ..self }
    }

    /// Ray kind added to every ray: render or bake.
    pub fn purpose(&self) -> RayKind {
        self.purpose
    }

    /// Sets the rendering space of the scene; it is world space without this call. Further calls have no effect.
    pub fn set_space(&self, space: RenderingSpace) {
        self.space.get_or_init(|| space);
    }

    /// Rendering space of the scene.
    pub fn space(&self) -> RenderingSpace {
        self.space.get().copied().unwrap_or_default()
    }

    /// World-space area of each shape [m²]; empty before [`Host::freeze`].
    pub(super) fn areas(&self) -> Arc<[f32]> {
        let areas = |frozen: &Frozen| frozen.shapes.iter().map(Shape::area).collect();
        self.frozen
            .get()
            .map(|frozen| frozen.areas.get_or_init(|| areas(frozen)).clone())
            .unwrap_or_default()
    }

    /// Sets the inputs that shaders may lack, by shape, for debug views. Textures that cannot be read are then no
    /// errors.
    pub(crate) fn show_missing(&self, missing_inputs: Vec<MissingInputs>) {
        self.with_build_phase(|building| building.missing_inputs = missing_inputs);
    }

    /// Registers a texture by name; the name has precedence over files.
    pub fn name_texture(&self, name: String, source: TextureSource, color_space: TextureColorSpace) {
        self.with_build_phase(|building| {
            building.names.named.insert(name, (source, color_space));
        });
    }

    /// Returns whether a texture name resolves to files or to an image of the scene.
    pub fn finds_texture(&self, name: &str) -> bool {
        let request = TextureRequest { file: name.to_owned(), ..TextureRequest::default() };
        self.with_build_phase(|building| building.names.resolve(&request).is_some())
    }

    /// Returns whether a point cloud name resolves to a file.
    pub fn finds_cloud(&self, name: &str) -> bool {
        self.with_build_phase(|building| building.names.file(name).is_some())
    }

    /// Reads the grids that shaders have requested so far and drops the requests; returns errors of grids and of
    /// unsupported textures.
    pub(crate) fn file_faults(&self) -> Vec<TextureLoadError> {
        self.with_build_phase(|building| {
            let grids = std::mem::take(&mut building.grids);
            let mut faults = grids.load(&building.names, false).err().unwrap_or_default();
            let (names, ids) = (&building.names, &building.ids);
            let images = building.loader.unsupported().into_iter();
            faults.extend(images.map(|error| names.error(error, ids.keys())));
            faults
        })
    }

    /// Loads the requested textures and grids, and ends the building phase. Further calls have no effect. If `filters`
    /// is true, mip levels are built now on all threads; otherwise at the first lookup that needs them.
    ///
    /// # Errors
    /// All textures that could not be read.
    pub fn freeze(
        &self,
        shapes: Arc<[Shape]>,
        camera: CameraView,
        filters: bool,
    ) -> Result<(), Vec<TextureLoadError>> {
        if self.frozen.get().is_some() {
            return Ok(());
        }
        let inputs = match &self.loaded {
            Some(loaded) => loaded.clone(),
            None => Arc::new(self.load(filters)?),
        };
        let space = self.space();
        self.frozen.get_or_init(|| Frozen::new(inputs, shapes, camera, space));
        Ok(())
    }

    /// Loads the requested inputs.
    fn load(&self, filters: bool) -> Result<LoadedInputs, Vec<TextureLoadError>> {
        let BuildPhase {
            loader,
            names,
            ids,
            grids,
            clouds,
            attributes,
            needs_islands,
            missing_inputs,
        } = self.with_build_phase(std::mem::take);
        let loader = match missing_inputs.is_empty() {
            true => loader,
            false => loader.tolerant(),
        };
        let textures = loader.load().map_err(|errors| {
            let faults = errors.into_iter().map(|error| names.error(error, ids.keys()));
            faults.collect::<Vec<_>>()
        });
        let grids = grids.load(&names, !missing_inputs.is_empty());
        let (mut store, grids) = match (textures, grids) {
            (Ok(store), Ok(grids)) => (store, grids),
            (textures, grids) => {
                let errors = [textures.err(), grids.err()].into_iter().flatten();
                return Err(errors.flatten().collect());
            }
        };
        if filters {
            store.complete();
        }
        let is_broken = |request: &TextureRequest| {
            ids.get(request).is_some_and(|&id| !store.is_whole(id)) || !grids.is_whole(request)
        };
        let lacks = |inputs: &MissingInputs| inputs.is_certain || inputs.textures.iter().any(is_broken);
        let lacks_inputs = missing_inputs.iter().map(lacks).collect();
        Ok(LoadedInputs {
            store,
            names,
            ids,
            late: LateTable::default(),
            reported: Mutex::default(),
            grids,
            clouds: clouds.load(),
            attributes,
            needs_islands,
            lacks_inputs,
        })
    }

    /// A host for another frame of the scene, for the instances of this one: [`Host::freeze`] then loads nothing. `None`
    /// before this one is frozen.
    pub fn for_frame(&self) -> Option<Host> {
        let frozen = self.frozen.get()?;
        Some(Host {
            building: Mutex::default(),
            loaded: Some(frozen.inputs.clone()),
            frozen: OnceLock::new(),
            trace_geometry: OnceLock::new(),
            purpose: self.purpose,
            space: OnceLock::new(),
            tag: self.tag,
        })
    }

    /// Sets the geometry that the rays of `trace` hit, and the names of the shapes. Before this call rays hit nothing.
    /// Further calls have no effect.
    pub fn allow_rays(&self, accel: Arc<Accel>, names: Arc<[Arc<str>]>) {
        if let Some(frozen) = self.frozen.get() {
            let shapes = frozen.shapes.clone();
            self.trace_geometry
                .get_or_init(|| TraceGeometry::new(accel, shapes, names, self.space()));
        }
    }

    /// Id of a texture that was loaded by [`Host::freeze`].
    pub fn texture_id(&self, request: &TextureRequest) -> Option<TextureId> {
        self.frozen.get()?.inputs.ids.get(request).copied()
    }

    /// Loaded textures; `None` before they are loaded.
    pub fn textures(&self) -> Option<&TextureStore> {
        self.frozen.get().map(|frozen| &frozen.inputs.store)
    }

    /// Id of a grid that was loaded by [`Host::freeze`].
    pub fn grid_id(&self, request: &TextureRequest) -> Option<GridId> {
        self.frozen.get()?.inputs.grids.known(request)
    }

    /// Camera; the default one before [`Host::freeze`].
    pub(crate) fn camera(&self) -> CameraView {
        self.frozen.get().map(|frozen| frozen.camera).unwrap_or_default()
    }

    /// Loaded grids; `None` before they are loaded.
    pub fn grids(&self) -> Option<&GridStore> {
        self.frozen.get().map(|frozen| &frozen.inputs.grids.store)
    }

    /// Loaded point clouds; `None` before they are loaded.
    pub fn clouds(&self) -> Option<&CloudStore> {
        self.frozen.get().map(|frozen| &frozen.inputs.clouds.store)
    }

    /// Files that a running shader may look up by this texture or point cloud name; empty before [`Host::freeze`].
    pub fn files_named(&self, name: &str) -> Vec<PathBuf> {
        let named = |frozen: &Frozen| frozen.inputs.names.files_named(name);
        let found = self.frozen.get().map(named).unwrap_or_default().into_iter();
        found.map(|(_, source)| source.path().to_owned()).collect()
    }

    /// Hash of the contents of the files that a name resolves to.
    pub(crate) fn hash_named(&self, name: &str) -> u64 {
        let mut hasher = FxHasher::default();
        if let Some(frozen) = self.frozen.get() {
            frozen.inputs.names.hash_named(name, &mut hasher);
        }
        hasher.finish()
    }

    pub(super) fn handle_of(&self, request: &TextureRequest, need: TextureNeed) -> Option<TextureHandle> {
        if is_grid(request) {
            let id = match self.frozen.get() {
                Some(Frozen { inputs, .. }) => inputs.grids.id(&inputs.names, request).ok(),
                None => self.with_build_phase(|building| {
                    let BuildPhase { grids, names, .. } = building;
                    grids.request(names, request, need == TextureNeed::Required)
                }),
            };
            let id = id.filter(|id| id.0 < GRID_FLAG);
            return id.map(|id| TextureHandle(self.tag | GRID_FLAG | id.0));
        }
        let id = match self.frozen.get() {
            Some(frozen) => frozen.inputs.texture(request).ok(),
            None => self.with_build_phase(|building| building.request(request, need)),
        };
        id.filter(|id| id.0 < GRID_FLAG).map(|id| TextureHandle(self.tag | id.0))
    }

    pub(super) fn with_build_phase<T>(&self, f: impl FnOnce(&mut BuildPhase) -> T) -> T {
        // A panic elsewhere leaves the tables consistent: an entry is added in one step.
        f(&mut self.building.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for Host {
    fn default() -> Host {
        Host::new(vec![])
    }
}

impl BuildPhase {
    fn request(&mut self, request: &TextureRequest, need: TextureNeed) -> Option<TextureId> {
        let known = self.ids.get(request).copied();
        if known.is_some() && need == TextureNeed::Optional {
            return known;
        }
        let picture = |found| self.loader.request_picture(found, need);
        let id = match self.names.resolve(request)? {
            ResolvedTexture::Image(found) => picture(found),
            ResolvedTexture::Tiles(list) => {
                let list = list.into_iter().map(|(square, found)| (square, picture(found)));
                let list: Vec<_> = list.collect();
                known.unwrap_or_else(|| self.loader.request_set(TileSet::new(&list)))
            }
        };
        self.ids.insert(request.clone(), id);
        Some(id)
    }
}

impl Frozen {
    fn new(
        inputs: Arc<LoadedInputs>,
        shapes: Arc<[Shape]>,
        camera: CameraView,
        space: RenderingSpace,
    ) -> Frozen {
        Frozen {
            attributes: AttributeTable::new(inputs.attributes.clone(), &shapes),
            islands: inputs.needs_islands.then(|| Islands::of(&shapes)),
            inputs,
            shapes,
            areas: OnceLock::new(),
            camera: CameraView {
                world_from_camera: space.transform_to_world(&camera.world_from_camera),
                ..camera
            },
            space,
        }
    }
}
