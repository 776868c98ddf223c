//! Renderer services for shaders: texture lookups, point clouds, coordinate spaces, geometry attributes, traced rays.
//!
//! A [`Host`] has two phases. While a scene is built, it collects the textures and point clouds named by shaders, from
//! any thread; [`Host::freeze`] then loads them and sets shapes and camera, and [`Host::allow_rays`] sets the geometry
//! that rays hit. After that it is immutable, and lookups do not lock.

use std::borrow::Cow;
use std::hash::Hasher as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use glam::{Affine3A, Mat4, Vec2};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use shading::hir::{Axis, Const, Kind, TextureMapping};
use shading::{
    AttributeHandle, CloudHandle, PointCloud, RayKind, ShaderGlobals, ShaderHost, TextureHandle, TextureInfo,
    TextureLookup, TextureRequest, TextureSample, TraceHit, TraceRay,
};

use super::attribute::{self, AttributeTable};
use super::cloud::{CloudRequests, Clouds};
use super::grid::{GridRequests, Grids, is_grid};
use super::islands::Islands;
use super::lack::MissingInputs;
use super::probe::Probe;
use super::rendering_space::RenderingSpace;
use super::standard_attribute::{NumberAttribute, ObjectFacts, numbers_of_kind, of_camera, of_face};
use super::texture::{self, Named, TextureLoadError, TextureNames};
use crate::cloud::{CloudId, CloudStore};
use renderer_base::files::SharedFiles;
use renderer_base::math::inverse;
use renderer_geometry::accel::Accel;
use renderer_geometry::camera::CameraView;
use renderer_geometry::{AttributeSource, ObjectValue, Shape};
use renderer_grid::{GridId, GridStore};
use renderer_image::texture::{
    TextureColorSpace, TextureId, TextureLoader, TextureNeed, TextureSource, TextureStore, TileSet,
};

/// Renderer services as seen by shaders.
#[derive(Debug)]
pub struct Host {
    building: Mutex<BuildPhase>,
    frozen: OnceLock<Frozen>,
    probe: OnceLock<Probe>,
    /// Ray kind added to every ray: render or bake.
    purpose: RayKind,
    space: OnceLock<RenderingSpace>,
    /// Distinguishes texture handles of this host from those of others.
    tag: u32,
}

/// State while a scene is built.
#[derive(Debug, Default)]
struct BuildPhase {
    loader: TextureLoader,
    names: TextureNames,
    ids: FxHashMap<TextureRequest, TextureId>,
    grids: GridRequests,
    clouds: CloudRequests,
    /// Attributes named by shaders, indexed by handle.
    attributes: Vec<String>,
    /// True if a shader asks for islands.
    asks_islands: bool,
    /// By shape, for views that show it; else empty.
    lacks: Vec<MissingInputs>,
}

/// State after the scene is built.
#[derive(Debug)]
struct Frozen {
    store: TextureStore,
    names: TextureNames,
    ids: FxHashMap<TextureRequest, TextureId>,
    /// Textures named by running shaders, or the reason why they could not be loaded.
    late: RwLock<FxHashMap<TextureRequest, Result<TextureId, String>>>,
    /// Files whose failure has been reported.
    reported: Mutex<FxHashSet<String>>,
    grids: Grids,
    clouds: Clouds,
    shapes: Arc<[Shape]>,
    attributes: AttributeTable,
    /// `None` if no shader asks for islands.
    islands: Option<Islands>,
    /// World-space area of each shape [m²]; computed on first use.
    areas: OnceLock<Arc<[f32]>>,
    /// By shape: true if its shader lacks files or attributes; empty if no view shows it.
    lacking: Vec<bool>,
    /// In world space.
    camera: CameraView,
    space: RenderingSpace,
}

/// Number of bits of a handle for the index of a texture, a point cloud or an attribute; the others are the host's tag.
const INDEX_BITS: u32 = 20;
/// Bit of the handles of grids, whose other bits are those of their ids; no bit of the handles of textures.
const GRID: u32 = 1 << (INDEX_BITS - 1);

impl Host {
    /// Creates a host that searches `directories` for texture files, in this order.
    pub fn new(directories: Vec<PathBuf>) -> Host {
        static TAGS: AtomicU32 = AtomicU32::new(0);
        Host {
            building: Mutex::new(BuildPhase {
                names: TextureNames {
                    directories,
                    ..TextureNames::default()
                },
                ..BuildPhase::default()
            }),
            frozen: OnceLock::new(),
            probe: OnceLock::new(),
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

    /// Reads from other files than those of the disk.
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

    /// Marks all rays as bake rays for `raytype`, besides their own kind.
    #[must_use]
    pub fn for_bake(self) -> Host {
        Host {
            purpose: RayKind::BAKE,
            ..self
        }
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

    /// Shows what shaders lack, by shape, to shaders that ask for it: textures that cannot be read are no error then.
    pub(crate) fn show_missing(&self, lacks: Vec<MissingInputs>) {
        self.with_build_phase(|building| building.lacks = lacks);
    }

    /// Registers a texture under a name that takes precedence over files.
    pub fn name_texture(&self, name: String, source: TextureSource, color_space: TextureColorSpace) {
        self.with_build_phase(|building| {
            building.names.named.insert(name, (source, color_space));
        });
    }

    /// Returns whether a texture name resolves to files or to an image of the scene.
    pub fn finds_texture(&self, name: &str) -> bool {
        let request = TextureRequest {
            file: name.to_owned(),
            ..TextureRequest::default()
        };
        self.with_build_phase(|building| building.names.resolve(&request).is_some())
    }

    /// Returns whether a point cloud name resolves to a file.
    pub fn finds_cloud(&self, name: &str) -> bool {
        self.with_build_phase(|building| building.names.file(name).is_some())
    }

    /// Reads the grids that shaders have named so far, and forgets them: those that cannot be read.
    pub(crate) fn file_faults(&self) -> Vec<TextureLoadError> {
        self.with_build_phase(|building| {
            let grids = std::mem::take(&mut building.grids);
            let mut faults = grids.load(&building.names, false).err().unwrap_or_default();
            let (names, ids) = (&building.names, &building.ids);
            let images = building.loader.unsupported().into_iter();
            faults.extend(images.map(|error| names.fault(error, ids.keys())));
            faults
        })
    }

    /// Loads the requested textures and grids, and ends the building phase. Further calls have no effect. If shaders filter
    /// (`filters`), mip levels are made now, by all threads, else by the first lookup that needs them.
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
        let BuildPhase {
            loader,
            names,
            ids,
            grids,
            clouds,
            attributes,
            asks_islands,
            lacks,
        } = self.with_build_phase(std::mem::take);
        let loader = match lacks.is_empty() {
            true => loader,
            false => loader.tolerant(),
        };
        let textures = loader.load().map_err(|errors| {
            let faults = errors.into_iter().map(|error| names.fault(error, ids.keys()));
            faults.collect::<Vec<_>>()
        });
        let grids = grids.load(&names, !lacks.is_empty());
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
        let lacking = |lack: &MissingInputs| lack.is_certain || lack.textures.iter().any(is_broken);
        let lacking = lacks.iter().map(lacking).collect();
        self.frozen.get_or_init(|| Frozen {
            lacking,
            store,
            names,
            ids,
            late: RwLock::default(),
            reported: Mutex::default(),
            grids,
            clouds: clouds.load(),
            attributes: AttributeTable::new(attributes, &shapes),
            islands: asks_islands.then(|| Islands::of(&shapes)),
            shapes,
            areas: OnceLock::new(),
            camera: CameraView {
                world_from_camera: self.space().transform_to_world(&camera.world_from_camera),
                ..camera
            },
            space: self.space(),
        });
        Ok(())
    }

    /// Sets the geometry that the rays of `trace` hit, and the names of the shapes. Before this call rays hit nothing.
    /// Further calls have no effect.
    pub fn allow_rays(&self, accel: Arc<Accel>, names: Arc<[Arc<str>]>) {
        if let Some(frozen) = self.frozen.get() {
            let shapes = frozen.shapes.clone();
            self.probe
                .get_or_init(|| Probe::new(accel, shapes, names, self.space()));
        }
    }

    /// Id of a texture that was loaded by [`Host::freeze`].
    pub fn texture_id(&self, request: &TextureRequest) -> Option<TextureId> {
        self.frozen.get()?.ids.get(request).copied()
    }

    /// Loaded textures; `None` before they are loaded.
    pub fn textures(&self) -> Option<&TextureStore> {
        self.frozen.get().map(|frozen| &frozen.store)
    }

    /// Id of a grid that was loaded by [`Host::freeze`].
    pub fn grid_id(&self, request: &TextureRequest) -> Option<GridId> {
        self.frozen.get()?.grids.known(request)
    }

    /// Camera; the default one before [`Host::freeze`].
    pub(crate) fn camera(&self) -> CameraView {
        self.frozen.get().map(|frozen| frozen.camera).unwrap_or_default()
    }

    /// Loaded grids; `None` before they are loaded.
    pub fn grids(&self) -> Option<&GridStore> {
        self.frozen.get().map(|frozen| &frozen.grids.store)
    }

    /// Loaded point clouds; `None` before they are loaded.
    pub fn clouds(&self) -> Option<&CloudStore> {
        self.frozen.get().map(|frozen| &frozen.clouds.store)
    }

    /// Files of textures and point clouds that a running shader may look up by a name; none before [`Host::freeze`].
    pub fn files_named(&self, name: &str) -> Vec<PathBuf> {
        let named = |frozen: &Frozen| frozen.names.files_named(name);
        let found = self.frozen.get().map(named).unwrap_or_default().into_iter();
        found.map(|(_, source)| source.path().to_owned()).collect()
    }

    /// Hash of the contents of these files.
    pub(crate) fn hash_named(&self, name: &str) -> u64 {
        let mut hasher = FxHasher::default();
        if let Some(frozen) = self.frozen.get() {
            frozen.names.hash_named(name, &mut hasher);
        }
        hasher.finish()
    }

    fn handle_of(&self, request: &TextureRequest, need: TextureNeed) -> Option<TextureHandle> {
        if is_grid(request) {
            let id = match self.frozen.get() {
                Some(frozen) => frozen.grids.id(&frozen.names, request).ok(),
                None => self.with_build_phase(|building| {
                    let BuildPhase { grids, names, .. } = building;
                    grids.request(names, request, need == TextureNeed::Required)
                }),
            };
            let id = id.filter(|id| id.0 < GRID);
            return id.map(|id| TextureHandle(self.tag | GRID | id.0));
        }
        let id = match self.frozen.get() {
            Some(frozen) => frozen.texture(request).ok(),
            None => self.with_build_phase(|building| building.request(request, need)),
        };
        id.filter(|id| id.0 < GRID)
            .map(|id| TextureHandle(self.tag | id.0))
    }

    fn with_build_phase<T>(&self, f: impl FnOnce(&mut BuildPhase) -> T) -> T {
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
            Named::One(found) => picture(found),
            Named::Many(list) => {
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
    /// Texture by name; reads it if necessary.
    fn texture(&self, request: &TextureRequest) -> Result<TextureId, String> {
        if let Some(&id) = self.ids.get(request) {
            return self.usable(id);
        }
        // A panic elsewhere leaves the table consistent: an entry is added in one step.
        let late = self.late.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = late.get(request) {
            return known.clone();
        }
        drop(late);
        let found = self.load(request);
        let mut late = self.late.write().unwrap_or_else(PoisonError::into_inner);
        late.entry(request.clone()).or_insert(found).clone()
    }

    /// Checks that a texture has texels.
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
            None => Err(format!(
                "Could not open file: {0}: No such file or directory",
                request.file
            )),
            Some(Named::One(found)) => load(&found),
            Some(Named::Many(list)) => {
                let list = list.iter().map(|(square, found)| Ok((*square, load(found)?)));
                let list = list.collect::<Result<Vec<_>, String>>()?;
                Ok(self.store.add_set(TileSet::new(&list)))
            }
        }
    }
}

impl ShaderHost for Host {
    fn texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        self.handle_of(request, TextureNeed::Required)
    }

    fn optional_texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        self.handle_of(request, TextureNeed::Optional)
    }

    fn texture(&self, handle: TextureHandle, lookup: &TextureLookup) -> TextureSample {
        let index = handle.0 ^ self.tag;
        let Some(frozen) = self.frozen.get().filter(|_| index >> INDEX_BITS == 0) else {
            return lookup.absent();
        };
        let (store, id) = (&frozen.store, TextureId(index));
        let is_grid = index & GRID != 0;
        let found = match lookup.options.mapping {
            TextureMapping::Volume if is_grid => {
                let found = frozen.grids.sample(GridId(index ^ GRID), lookup);
                return found.unwrap_or_else(|| lookup.absent());
            }
            TextureMapping::Plane if !is_grid => store.sample(id, &texture::plane(lookup)),
            TextureMapping::Environment if !is_grid => {
                store.sample_environment(id, &texture::direction(lookup))
            }
            // See `is_picture` and `is_volume`.
            TextureMapping::Plane | TextureMapping::Environment | TextureMapping::Volume => None,
        };
        found.map_or_else(|| lookup.absent(), texture::sample)
    }

    fn is_picture(&self, request: &TextureRequest) -> bool {
        !is_grid(request)
    }

    fn is_volume(&self, request: &TextureRequest) -> bool {
        is_grid(request)
    }

    fn is_environment(&self, request: &TextureRequest) -> bool {
        match self.frozen.get() {
            Some(frozen) => frozen.texture(request).is_ok_and(|id| !frozen.store.is_set(id)),
            None => self
                .with_build_phase(|building| matches!(building.names.resolve(request), Some(Named::One(_)))),
        }
    }

    fn texture_error(&self, request: &TextureRequest, st: [f32; 2]) -> Option<String> {
        let frozen = self.frozen.get()?;
        let error = if is_grid(request) {
            frozen.grids.id(&frozen.names, request).err()?
        } else {
            match frozen.texture(request) {
                Ok(id) => {
                    // A tile set may lack the tile at that position.
                    let found = frozen.store.id_at(id, Vec2::from_array(st));
                    return found.is_none().then(|| "unknown".to_owned());
                }
                Err(error) => error,
            }
        };
        // As in OpenImageIO, each failure is reported once and then remembered.
        let mut reported = frozen.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = reported.insert(request.file.clone());
        Some(if is_new { error } else { "unknown".to_owned() })
    }

    fn texture_info(
        &self,
        request: &TextureRequest,
        name: &str,
        st: Option<[f32; 2]>,
    ) -> Option<TextureInfo> {
        let frozen = self.frozen.get()?;
        if is_grid(request) {
            return match frozen.grids.id(&frozen.names, request) {
                Ok(id) => frozen.grids.info(id, name),
                Err(_) => (name == "exists").then(|| TextureInfo::Ints(vec![0])),
            };
        }
        let Ok(id) = frozen.texture(request) else {
            return (name == "exists").then(|| TextureInfo::Ints(vec![0]));
        };
        let id = match st {
            Some(st) => frozen.store.id_at(id, Vec2::from_array(st))?,
            None => id,
        };
        // A tile set answers with the values that all of its files share.
        let mut answers = vec![];
        frozen
            .store
            .each(id, &mut |one| answers.push(texture::info(one, name)));
        let first = answers.first()?.clone();
        first.filter(|first| answers.iter().all(|answer| answer.as_ref() == Some(first)))
    }

    fn matrix(&self, globals: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        let frozen = self.frozen.get()?;
        let to_from = frozen.space_from_world(globals, to)? * frozen.world_from_space(globals, from)?;
        // Row vectors: the rows of the language's matrices are the columns of `Mat4`.
        Some(to_from.to_cols_array())
    }

    fn attribute(&self, globals: &ShaderGlobals, object: &str, name: &str) -> Option<[f32; 4]> {
        if !object.is_empty() {
            return None;
        }
        let frozen = self.frozen.get()?;
        // Backgrounds have no shape.
        let shape = frozen.shapes.get(globals.object as usize);
        let given = shape.map_or(AttributeSource::None, |shape| AttributeSource::of(shape, name));
        if let (AttributeSource::None, Some(standard)) = (given, NumberAttribute::named(name)) {
            let object = ObjectFacts {
                island: frozen.islands.as_ref().and_then(|islands| islands.at(globals)),
                random: self.probe.get().and_then(|probe| probe.random(globals.object)),
                lacks: frozen.lacking.get(globals.object as usize) == Some(&true),
            };
            let x = standard.value(&frozen.camera, globals, shape, object)?;
            return Some([x, x, x, 0.0]);
        }
        attribute::value(given, shape?, globals, frozen.space)
    }

    fn any_attribute(
        &self,
        globals: &ShaderGlobals,
        object: &str,
        name: &str,
        index: Option<u32>,
        kind: Kind,
    ) -> Option<Const> {
        if !object.is_empty() {
            return None;
        }
        let frozen = self.frozen.get()?;
        let shape = frozen.shapes.get(globals.object as usize);
        if let Some(of_face) =
            shape.and_then(|shape| of_face(shape, frozen.space, globals, name, index, kind))
        {
            return Some(of_face);
        }
        let value = match shape.and_then(|shape| shape.attributes.get(name)) {
            Some(given) => given.clone(),
            None if name == "geom:name" => ObjectValue::Text(self.probe.get()?.name(globals.object)?.clone()),
            None => of_camera(&frozen.camera, name)?,
        };
        match value {
            ObjectValue::Numbers(numbers) => numbers_of_kind(&numbers, index, kind),
            ObjectValue::Text(text) => {
                (index.is_none() && kind == Kind::STRING).then_some(Const::String(text))
            }
        }
    }

    fn cloud_handle(&self, file: &str) -> Option<CloudHandle> {
        let id = match self.frozen.get() {
            Some(frozen) => frozen.clouds.id(&frozen.names, file),
            None => self.with_build_phase(|building| {
                let BuildPhase { clouds, names, .. } = building;
                clouds.request(names, file)
            }),
        };
        id.filter(|id| id.0 >> INDEX_BITS == 0)
            .map(|id| CloudHandle(self.tag | id.0))
    }

    fn cloud(&self, handle: CloudHandle) -> Option<&dyn PointCloud> {
        let index = handle.0 ^ self.tag;
        let frozen = self.frozen.get().filter(|_| index >> INDEX_BITS == 0)?;
        let cloud = frozen.clouds.store.get(CloudId(index))?.ok()?;
        Some(cloud)
    }

    fn cloud_error(&self, file: &str) -> Option<String> {
        let frozen = self.frozen.get()?;
        frozen.clouds.error(&frozen.names, file)
    }

    fn cloud_refusal(&self, _: &str) -> Option<Cow<'static, str>> {
        Some(Cow::Borrowed("point clouds are written by `kiln shade` only"))
    }

    fn trace(&self, globals: &ShaderGlobals, ray: &TraceRay<'_>) -> Option<TraceHit> {
        self.probe.get()?.trace(globals, ray)
    }

    fn traced_point(&self, hit: &TraceHit) -> Option<ShaderGlobals> {
        self.probe.get()?.point(hit)
    }

    fn attribute_derivative(
        &self,
        globals: &ShaderGlobals,
        object: &str,
        name: &str,
        axis: Axis,
    ) -> [f32; 4] {
        let shapes = self.frozen.get().map(|frozen| &frozen.shapes);
        let shape = shapes.and_then(|shapes| shapes.get(globals.object as usize));
        let change = shape
            .filter(|_| object.is_empty())
            .and_then(|shape| attribute::derivative(AttributeSource::of(shape, name), shape, globals, axis));
        change.unwrap_or_default()
    }

    fn attribute_handle(&self, name: &str) -> Option<AttributeHandle> {
        if let Some(standard) = NumberAttribute::named(name) {
            if standard.is_of_island() && self.frozen.get().is_none() {
                self.with_build_phase(|building| building.asks_islands = true);
            }
            return None;
        }
        let index = match self.frozen.get() {
            Some(frozen) => frozen.attributes.names.iter().position(|known| known == name),
            None => self.with_build_phase(|building| {
                let names = &mut building.attributes;
                let known = names.iter().position(|known| known == name);
                Some(known.unwrap_or_else(|| {
                    names.push(name.to_owned());
                    names.len() - 1
                }))
            }),
        };
        let index = index.and_then(|index| u32::try_from(index).ok());
        index
            .filter(|index| index >> INDEX_BITS == 0)
            .map(|index| AttributeHandle(self.tag | index))
    }

    fn attribute_by_handle(&self, globals: &ShaderGlobals, handle: AttributeHandle) -> Option<[f32; 4]> {
        let frozen = self.frozen.get()?;
        let shape = frozen.shapes.get(globals.object as usize)?;
        let source = frozen.attributes.source(handle.0 ^ self.tag, globals.object)?;
        attribute::value(source, shape, globals, frozen.space)
    }
}

/// Returns whether scenes have a space of that name.
pub fn is_space(name: &str) -> bool {
    const SPACES: [&str; 9] = [
        "world", "common", "object", "model", "shader", "camera", "screen", "raster", "NDC",
    ];
    SPACES.contains(&name)
}

impl Frozen {
    /// Matrix to world space from another one.
    fn world_from_space(&self, globals: &ShaderGlobals, space: &str) -> Option<Mat4> {
        Some(match self.affine_space(globals, space) {
            Some(world_from_space) => world_from_space.into(),
            None => {
                let [camera_from_space, _] = self.camera.projected_space(space)?;
                Mat4::from(self.camera.world_from_camera) * camera_from_space
            }
        })
    }

    /// Matrix from world space to another one.
    fn space_from_world(&self, globals: &ShaderGlobals, space: &str) -> Option<Mat4> {
        Some(match self.affine_space(globals, space) {
            Some(world_from_space) => inverse(&world_from_space).into(),
            None => {
                let [_, space_from_camera] = self.camera.projected_space(space)?;
                space_from_camera * Mat4::from(inverse(&self.camera.world_from_camera))
            }
        })
    }

    fn affine_space(&self, globals: &ShaderGlobals, space: &str) -> Option<Affine3A> {
        match space {
            "world" | "common" => Some(Affine3A::IDENTITY),
            "object" | "model" | "shader" => {
                let shape = self.shapes.get(globals.object as usize)?;
                let to_rendering = shape.placement().at(globals.time);
                Some(self.space.transform_to_world(to_rendering.world_from_object()))
            }
            "camera" => Some(self.camera.world_from_camera),
            _ => None,
        }
    }
}
