//! What shaders ask of the renderer: textures, coordinate spaces, attributes of the geometry.
//!
//! A [`Host`] lives twice. While a scene is built it collects the textures that shaders name, from any thread; then
//! [`Host::freeze`] loads them and tells it about shapes and camera. From then on nothing locks or changes.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use glam::{Affine3A, Mat4, Vec2};
use rustc_hash::FxHashMap;
use shading::hir;
use shading::{
    AttributeHandle, RayKind, ShaderGlobals, ShaderHost, TextureHandle, TextureLookup, TextureRequest,
    TextureSample,
};

use super::attribute::{AttributeSource, AttributeTable};
use crate::geometry::Shape;
use crate::image::ImageError;
use crate::texture::{
    Interpolation, Lookup, TextureColorSpace, TextureId, TextureLoader, TextureSource, TextureStore, Wrap,
};

/// The renderer as shaders see it.
#[derive(Debug)]
pub struct Host {
    collecting: Mutex<Collecting>,
    frozen: OnceLock<Frozen>,
    /// What every ray is besides its own kind.
    purpose: RayKind,
    /// Tells its texture handles from those of other hosts.
    tag: u32,
}

/// What is known while a scene is built.
#[derive(Debug, Default)]
struct Collecting {
    loader: TextureLoader,
    directories: Vec<PathBuf>,
    /// Textures that are no files, or want a colour space of their own.
    named: FxHashMap<String, (TextureSource, TextureColorSpace)>,
    ids: FxHashMap<TextureRequest, TextureId>,
    /// Attributes that shaders name, by handle.
    attributes: Vec<String>,
}

/// What is known for the rest of the time.
#[derive(Debug)]
struct Frozen {
    store: TextureStore,
    ids: FxHashMap<TextureRequest, TextureId>,
    shapes: Arc<[Shape]>,
    attributes: AttributeTable,
    /// World-space area of each shape [m²], once somebody has asked.
    areas: OnceLock<Arc<[f32]>>,
    world_from_camera: Affine3A,
}

/// Bits of a texture handle that are the texture's number; the others are its host's tag.
const INDEX_BITS: u32 = 20;

impl Host {
    /// A host that looks for texture files in `directories`, in this order.
    pub fn new(directories: Vec<PathBuf>) -> Host {
        static TAGS: AtomicU32 = AtomicU32::new(0);
        Host {
            collecting: Mutex::new(Collecting {
                directories,
                ..Collecting::default()
            }),
            frozen: OnceLock::new(),
            purpose: RayKind::default(),
            tag: TAGS.fetch_add(1, Ordering::Relaxed) << INDEX_BITS,
        }
    }

    /// The same for a bake: to `raytype`, all rays are those of a bake, besides their own kind.
    #[must_use]
    pub fn for_bake(self) -> Host {
        Host {
            purpose: RayKind::BAKE,
            ..self
        }
    }

    /// What every ray is besides its own kind.
    pub fn purpose(&self) -> RayKind {
        self.purpose
    }

    /// World-space area of each shape [m²]; none before [`Host::freeze`].
    pub(super) fn areas(&self) -> Arc<[f32]> {
        let areas = |frozen: &Frozen| frozen.shapes.iter().map(Shape::area).collect();
        self.frozen
            .get()
            .map(|frozen| frozen.areas.get_or_init(|| areas(frozen)).clone())
            .unwrap_or_default()
    }

    /// Gives a texture a name by which shaders find it, before files of that name are looked for.
    pub fn name_texture(&self, name: String, source: TextureSource, color_space: TextureColorSpace) {
        self.with_collecting(|collecting| {
            collecting.named.insert(name, (source, color_space));
        });
    }

    /// Loads the textures that were asked for and ends the time of changes. The second call does nothing.
    ///
    /// # Errors
    /// All textures that could not be read.
    pub fn freeze(&self, shapes: Arc<[Shape]>, world_from_camera: Affine3A) -> Result<(), Vec<ImageError>> {
        if self.frozen.get().is_some() {
            return Ok(());
        }
        let (loader, ids, names) = self.with_collecting(|collecting| {
            (
                std::mem::take(&mut collecting.loader),
                std::mem::take(&mut collecting.ids),
                std::mem::take(&mut collecting.attributes),
            )
        });
        let store = loader.load()?;
        self.frozen.get_or_init(|| Frozen {
            store,
            ids,
            attributes: AttributeTable::new(names, &shapes),
            shapes,
            areas: OnceLock::new(),
            world_from_camera,
        });
        Ok(())
    }

    /// The id of a texture that was loaded.
    pub fn texture_id(&self, request: &TextureRequest) -> Option<TextureId> {
        self.frozen.get()?.ids.get(request).copied()
    }

    /// The textures; `None` before they are loaded.
    pub fn textures(&self) -> Option<&TextureStore> {
        self.frozen.get().map(|frozen| &frozen.store)
    }

    fn with_collecting<T>(&self, f: impl FnOnce(&mut Collecting) -> T) -> T {
        // A panic elsewhere leaves the tables whole: entries are added in one step.
        f(&mut self.collecting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for Host {
    fn default() -> Host {
        Host::new(vec![])
    }
}

impl Collecting {
    fn request(&mut self, request: &TextureRequest) -> Option<TextureId> {
        if let Some(&id) = self.ids.get(request) {
            return Some(id);
        }
        let name = request.file.as_str();
        let id = match self.named.get(name) {
            Some((source, color_space)) => self.loader.request(source.clone(), *color_space),
            None => {
                let path = self.find(Path::new(name))?;
                let color_space = match request.color_space {
                    hir::ColorSpace::Auto => TextureColorSpace::Auto,
                    hir::ColorSpace::Srgb => TextureColorSpace::Srgb,
                    hir::ColorSpace::Linear => TextureColorSpace::Linear,
                    hir::ColorSpace::Raw => TextureColorSpace::Raw,
                };
                self.loader.request(TextureSource::File(path), color_space)
            }
        };
        self.ids.insert(request.clone(), id);
        Some(id)
    }

    /// The first file of that name in the directories.
    fn find(&self, name: &Path) -> Option<PathBuf> {
        if name.is_absolute() || self.directories.is_empty() {
            return name.is_file().then(|| name.to_owned());
        }
        self.directories
            .iter()
            .map(|directory| directory.join(name))
            .find(|path| path.is_file())
    }
}

impl ShaderHost for Host {
    fn texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        let id = match self.frozen.get() {
            Some(_) => self.texture_id(request),
            None => self.with_collecting(|collecting| collecting.request(request)),
        };
        id.filter(|id| id.0 >> INDEX_BITS == 0)
            .map(|id| TextureHandle(self.tag | id.0))
    }

    fn texture(&self, handle: TextureHandle, lookup: &TextureLookup) -> TextureSample {
        let index = handle.0 ^ self.tag;
        let Some(frozen) = self.frozen.get().filter(|_| index >> INDEX_BITS == 0) else {
            return lookup.absent();
        };
        let [s, t, _] = lookup.position;
        let [dsdx, dtdx, _] = lookup.dx;
        let [dsdy, dtdy, _] = lookup.dy;
        let extent = Vec2::new(dsdx.abs().max(dsdy.abs()), dtdx.abs().max(dtdy.abs()));
        let options = lookup.options;
        let how = Lookup {
            wrap_s: wrap(options.wrap_s),
            wrap_t: wrap(options.wrap_t),
            interpolation: match options.interpolation {
                hir::Interpolation::SmartCubic | hir::Interpolation::Cubic | hir::Interpolation::Linear => {
                    Interpolation::Linear
                }
                hir::Interpolation::Closest => Interpolation::Closest,
            },
        };
        let value = frozen
            .store
            .sample(TextureId(index), Vec2::new(s, t), extent, how);
        let first = usize::try_from(lookup.first_channel).unwrap_or(0);
        TextureSample {
            value: std::array::from_fn(|i| value.get(first + i).copied().unwrap_or(lookup.fill)),
            ..TextureSample::default()
        }
    }

    fn matrix(&self, globals: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        let frozen = self.frozen.get()?;
        let world_from = frozen.world_from_space(globals, from)?;
        let to_world = frozen.world_from_space(globals, to)?;
        // Row vectors: the rows of the language's matrices are our columns.
        Some(Mat4::from(to_world.inverse() * world_from).to_cols_array())
    }

    fn attribute(&self, globals: &ShaderGlobals, object: &str, name: &str) -> Option<[f32; 4]> {
        if !object.is_empty() {
            return None;
        }
        let shape = self.frozen.get()?.shapes.get(globals.object as usize)?;
        AttributeSource::of(shape, name).value(shape, globals)
    }

    fn attribute_handle(&self, name: &str) -> Option<AttributeHandle> {
        let index = match self.frozen.get() {
            Some(frozen) => frozen.attributes.names.iter().position(|known| known == name),
            None => self.with_collecting(|collecting| {
                let names = &mut collecting.attributes;
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
        source.value(shape, globals)
    }
}

impl Frozen {
    fn world_from_space(&self, globals: &ShaderGlobals, space: &str) -> Option<Affine3A> {
        match space {
            "world" | "common" => Some(Affine3A::IDENTITY),
            "object" | "shader" => Some(self.shapes.get(globals.object as usize)?.world_from_object),
            "camera" => Some(self.world_from_camera),
            _ => None,
        }
    }
}

fn wrap(wrap: hir::Wrap) -> Wrap {
    match wrap {
        hir::Wrap::Periodic => Wrap::Periodic,
        hir::Wrap::Clamp => Wrap::Clamp,
        hir::Wrap::Black | hir::Wrap::Default => Wrap::Black,
        hir::Wrap::Mirror => Wrap::Mirror,
    }
}
