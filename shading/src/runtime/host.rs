//! The host interface (`ShaderHost`): textures, coordinate spaces and attributes provided by the embedder.

use std::borrow::Cow;

use crate::runtime::{CloudHandle, PointCloud, ShaderGlobals, TraceHit, TraceRay};
use shading_compiler::eval::matrix::{IDENTITY, mul};
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Axis, ColorSpace, Const, Kind, TextureMapping, TextureOptions};

/// Handle of a texture, chosen by the embedder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct TextureHandle(pub u32);

/// An image requested by a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextureRequest {
    /// File name as in the shader. `<UDIM>` and similar patterns denote many files.
    pub file: String,
    /// Colour space of its numbers.
    pub color_space: ColorSpace,
    /// Subimage.
    pub subimage: Subimage,
}

/// Selects a subimage of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Subimage {
    /// The first.
    #[default]
    First,
    /// By its index.
    Index(i32),
    /// By its name.
    Name(String),
}

impl Subimage {
    /// Returns the subimage with an index; the first one for an invalid index.
    pub fn numbered(index: i32) -> Subimage {
        if index == 0 { Subimage::First } else { Subimage::Index(index) }
    }

    /// Returns the subimage with a name; the first one for an empty name.
    pub fn named(name: &str) -> Subimage {
        if name.is_empty() {
            Subimage::First
        } else {
            Subimage::Name(name.to_owned())
        }
    }
}

/// A texture lookup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureLookup {
    /// Options, with values of operands inserted.
    pub options: TextureOptions,
    /// Coordinates: (s, t, 0), t from the top row down; a direction; or a point.
    pub position: [f32; 3],
    /// Derivatives of the coordinates along the screen axis x. Those of a point along z are not included.
    pub dx: [f32; 3],
    /// Derivatives along the screen axis y.
    pub dy: [f32; 3],
    /// Scale factors of the footprint along s and t.
    pub width: [f32; 2],
    /// Blur added to the footprint, in image widths and heights.
    pub blur: [f32; 2],
    /// First channel to read.
    pub first_channel: i32,
    /// Value of channels missing in the file.
    pub fill: f32,
    /// Value of the four channels if the file does not exist; `None` for `fill` in all of them.
    pub missing: Option<[f32; 4]>,
}

impl Default for TextureLookup {
    fn default() -> TextureLookup {
        TextureLookup {
            options: TextureOptions::default(),
            position: [0.0; 3],
            dx: [0.0; 3],
            dy: [0.0; 3],
            width: [1.0; 2],
            blur: [0.0; 2],
            first_channel: 0,
            fill: 0.0,
            missing: None,
        }
    }
}

/// Reasons why a texture cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnreadableTexture {
    /// The file does not exist.
    NotFound,
    /// The file is a volume, which only `texture3d` looks up.
    NoPicture,
    /// The file is not a volume, as `texture3d` requires.
    NoVolume,
    /// The file is a set of tiles, which `environment` does not support.
    NoEnvironment,
}

impl UnreadableTexture {
    /// Returns the reason why an existing image cannot be read by this kind of lookup, if there is one.
    pub(crate) fn of_picture<H: ShaderHost + ?Sized>(
        host: &H,
        request: &TextureRequest,
        mapping: TextureMapping,
    ) -> Option<UnreadableTexture> {
        match mapping {
            TextureMapping::Plane | TextureMapping::Environment if !host.is_picture(request) => {
                Some(UnreadableTexture::NoPicture)
            }
            TextureMapping::Plane => None,
            TextureMapping::Environment => {
                (!host.is_environment(request)).then_some(UnreadableTexture::NoEnvironment)
            }
            TextureMapping::Volume => (!host.is_volume(request)).then_some(UnreadableTexture::NoVolume),
        }
    }

    /// Predicate for messages, with the texture's name as subject.
    pub fn predicate(self) -> &'static str {
        match self {
            UnreadableTexture::NotFound => "is not found",
            UnreadableTexture::NoPicture => "is a volume, which only `texture3d` looks up",
            UnreadableTexture::NoVolume => "is not a volume",
            UnreadableTexture::NoEnvironment => "is a set of tiles, not one environment",
        }
    }

    /// Message of the run-time report.
    pub(crate) fn report(self, file: &str) -> String {
        format!("texture {file:?} {}, and is black", self.predicate())
    }
}

impl TextureLookup {
    /// Returns the handle of an image for this lookup.
    pub(crate) fn handle<H: ShaderHost + ?Sized>(
        &self,
        host: &H,
        request: &TextureRequest,
    ) -> Result<TextureHandle, UnreadableTexture> {
        let handle = host.texture_handle(request).ok_or(UnreadableTexture::NotFound)?;
        match UnreadableTexture::of_picture(host, request, self.options.mapping) {
            Some(problem) => Err(problem),
            None => Ok(handle),
        }
    }

    /// Value of `errormessage` for the lookup; empty if the shader has a colour for missing files.
    pub(crate) fn failure<H: ShaderHost + ?Sized>(&self, host: &H, request: &TextureRequest) -> String {
        if self.missing.is_some() {
            return String::new();
        }
        let mapping = self.options.mapping;
        let [s, t, _] = self.position;
        let is_plane = mapping == TextureMapping::Plane;
        let unfit = || {
            let problem = UnreadableTexture::of_picture(host, request, mapping)?;
            Some(format!("{:?} {}", request.file, problem.predicate()))
        };
        let error = host.texture_error(request, if is_plane { [s, t] } else { [0.0; 2] });
        error.or_else(unfit).unwrap_or_default()
    }

    /// Returns the result of a lookup in a missing file.
    pub fn absent(&self) -> TextureSample {
        TextureSample {
            value: self.missing.unwrap_or([self.fill; 4]),
            ..TextureSample::default()
        }
    }
}

/// Result of a lookup: four channels from the first on; colours are linear Rec.709.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct TextureSample {
    /// Value.
    pub value: [f32; 4],
    /// Derivative along s, if [`TextureOptions::derivatives`] is set; for volumes, the derivative along
    /// [`TextureLookup::dx`].
    pub ds: [f32; 4],
    /// Derivative along t, if [`TextureOptions::derivatives`] is set; for volumes, the derivative along
    /// [`TextureLookup::dy`].
    pub dt: [f32; 4],
}

/// Information about a texture file.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureInfo {
    /// Integers.
    Ints(Vec<i32>),
    /// Pixel positions or sizes of an image: each with two coordinates, or with three if the query asks for three.
    Pixels {
        /// First two coordinates.
        list: Vec<[i32; 2]>,
        /// Third coordinate.
        depth: i32,
    },
    /// Numbers.
    Floats(Vec<f32>),
    /// A string.
    Text(String),
}

impl TextureInfo {
    /// Converts the information to a value of a kind; `None` if it has another kind.
    pub fn of_kind(&self, kind: Kind) -> Option<Const> {
        let floats: &[f32] = match (self, kind) {
            (TextureInfo::Text(text), Kind::One(Element::String)) => {
                return Some(Const::String(text.as_str().into()));
            }
            (TextureInfo::Ints(v), Kind::One(Element::Int)) if v.len() == 1 => return Some(Const::Int(v[0])),
            (TextureInfo::Ints(v), Kind::Array(Element::Int, n)) if v.len() == n as usize => {
                return Some(Const::Array(v.iter().map(|&v| Const::Int(v)).collect()));
            }
            (TextureInfo::Pixels { list, depth }, Kind::Array(Element::Int, n)) => {
                let coordinates = list.iter().flat_map(|&[x, y]| [x, y, *depth].map(Const::Int));
                let all: Vec<Const> = match n as usize / list.len().max(1) {
                    2 => list.as_flattened().iter().copied().map(Const::Int).collect(),
                    _ => coordinates.collect(),
                };
                return (all.len() == n as usize).then_some(Const::Array(all));
            }
            (TextureInfo::Ints(v), Kind::One(Element::Float)) if v.len() == 1 => {
                return Some(Const::Float(v[0] as f32));
            }
            (TextureInfo::Floats(v), _) => v,
            _ => return None,
        };
        match (kind, floats) {
            (Kind::One(Element::Float), &[x, ..]) => Some(Const::Float(x)),
            (Kind::One(Element::Triple), &[x, y, z, ..]) => Some(Const::Triple([x, y, z])),
            (Kind::One(Element::Matrix), v) => Some(Const::Matrix(v.try_into().ok()?)),
            (Kind::Array(Element::Float, n), v) if v.len() >= n as usize => {
                Some(Const::Array(v[..n as usize].iter().map(|&v| Const::Float(v)).collect()))
            }
            _ => None,
        }
    }
}

/// Handle of an attribute name, chosen by the embedder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct AttributeHandle(pub u32);

/// Services of the embedder: textures, spaces and attributes. Called from many threads at once, on the per-hit path:
/// implementations must not lock. The default methods provide nothing.
pub trait ShaderHost: Send + Sync + 'static {
    /// Returns the handle of an image, or `None` if it does not exist. Called during compilation if the name is
    /// constant, else at run time.
    fn texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        let _ = request;
        None
    }

    /// Returns the handle of an image whose absence the shader handles, so that an unreadable one is not an error.
    fn optional_texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        self.texture_handle(request)
    }

    /// Evaluates a texture lookup.
    fn texture(&self, handle: TextureHandle, lookup: &TextureLookup) -> TextureSample {
        let _ = (handle, lookup);
        TextureSample::default()
    }

    /// Returns whether `texture` and `environment` can read an image that has a handle. Called like
    /// [`ShaderHost::is_volume`].
    fn is_picture(&self, request: &TextureRequest) -> bool {
        let _ = request;
        true
    }

    /// Returns whether `texture3d` can read an image that has a handle. Called when the handle is requested; for names
    /// computed at run time, at each lookup.
    fn is_volume(&self, request: &TextureRequest) -> bool {
        let _ = request;
        true
    }

    /// Returns whether `environment` can read an image that has a handle. Called like [`ShaderHost::is_volume`].
    fn is_environment(&self, request: &TextureRequest) -> bool {
        let _ = request;
        true
    }

    /// Returns the error message of lookups of an image at `st`; `None` if they succeed.
    fn texture_error(&self, request: &TextureRequest, st: [f32; 2]) -> Option<String> {
        let _ = st;
        match self.texture_handle(request) {
            Some(_) => None,
            None => Some(format!("there is no texture {:?}", request.file)),
        }
    }

    /// Returns information about a texture file by name; if the file name denotes many files, about the file at `(s, t)`.
    /// May allocate, because shaders rarely call it per hit.
    fn texture_info(
        &self,
        request: &TextureRequest,
        name: &str,
        st: Option<[f32; 2]>,
    ) -> Option<TextureInfo> {
        let _ = (request, name, st);
        None
    }

    /// Returns the matrix (row vectors, OSL's convention) that transforms from space `from` to space `to` at a shading
    /// point. The names are never "common".
    fn matrix(&self, globals: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        let _ = (globals, from, to);
        None
    }

    /// Returns whether a space of that name exists.
    fn knows_space(&self, globals: &ShaderGlobals, name: &str) -> bool {
        matches!(name, "common" | "world") || self.matrix(globals, name, "world").is_some()
    }

    /// Returns up to four floats of a named attribute at a shading point, the rest zero.
    fn attribute(&self, globals: &ShaderGlobals, object: &str, name: &str) -> Option<[f32; 4]> {
        let _ = (globals, object, name);
        None
    }

    /// Returns an attribute that may be a string, a matrix or an array, as a value of the requested kind; one element
    /// of it if an index is given. Not called for values of up to four floats without an index: see
    /// [`ShaderHost::attribute`].
    fn any_attribute(
        &self,
        globals: &ShaderGlobals,
        object: &str,
        name: &str,
        index: Option<u32>,
        kind: Kind,
    ) -> Option<Const> {
        let _ = (globals, object, name, index, kind);
        None
    }

    /// Returns the text of a file, for dictionaries.
    fn read_text(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Returns the handle of a point cloud, or `None` if it does not exist. Called during compilation if the name is
    /// constant, else at run time.
    fn cloud_handle(&self, file: &str) -> Option<CloudHandle> {
        let _ = file;
        None
    }

    /// Returns the point cloud of a handle, which may be [`CloudHandle::NONE`].
    fn cloud(&self, handle: CloudHandle) -> Option<&dyn PointCloud> {
        let _ = handle;
        None
    }

    /// Returns the reason why a point cloud cannot be searched; `None` if it can.
    fn cloud_error(&self, file: &str) -> Option<String> {
        match self.cloud_handle(file) {
            Some(_) => None,
            None => Some(format!("there is no point cloud {file:?}")),
        }
    }

    /// Returns the reason why points cannot be written to a file (`pointcloud_write`); `None` if they are kept for
    /// [`ShadingContext::take_written`](super::ShadingContext::take_written).
    fn cloud_refusal(&self, file: &str) -> Option<Cow<'static, str>> {
        let _ = file;
        Some(Cow::Borrowed("no point clouds are written here"))
    }

    /// Traces a ray from a shading point to the first hit (`trace`). Hosts that do not support this return no hit.
    fn trace(&self, globals: &ShaderGlobals, ray: &TraceRay<'_>) -> Option<TraceHit> {
        let _ = (globals, ray);
        None
    }

    /// Returns the shading point of a hit, for `getmessage("trace", …)`. It is passed in queries of the hit object's
    /// attributes.
    fn traced_point(&self, hit: &TraceHit) -> Option<ShaderGlobals> {
        let _ = hit;
        None
    }

    /// Returns the change of an attribute to the next pixel along an axis; zero if the attribute is not smooth.
    fn attribute_derivative(
        &self,
        globals: &ShaderGlobals,
        object: &str,
        name: &str,
        axis: Axis,
    ) -> [f32; 4] {
        let _ = (globals, object, name, axis);
        [0.0; 4]
    }

    /// Returns the handle by which an attribute of the shaded object itself can be read without a lookup by name.
    /// Called during compilation, if the name is constant. Without a handle, [`ShaderHost::attribute`] is called.
    fn attribute_handle(&self, name: &str) -> Option<AttributeHandle> {
        let _ = name;
        None
    }

    /// Like [`ShaderHost::attribute_handle`], for the kinds of values for which [`ShaderHost::any_attribute`] is called.
    fn any_attribute_handle(&self, name: &str, kind: Kind) -> Option<AttributeHandle> {
        let _ = (name, kind);
        None
    }

    /// Reads an attribute by handle, with the same result as [`ShaderHost::any_attribute`].
    fn any_attribute_by_handle(
        &self,
        globals: &ShaderGlobals,
        handle: AttributeHandle,
        index: Option<u32>,
        kind: Kind,
    ) -> Option<Const> {
        let _ = (globals, handle, index, kind);
        None
    }

    /// Reads an attribute by handle, with the same result as [`ShaderHost::attribute`].
    fn attribute_by_handle(&self, globals: &ShaderGlobals, handle: AttributeHandle) -> Option<[f32; 4]> {
        let _ = (globals, handle);
        None
    }
}

/// Returns the matrix from one space to another. An unknown space is replaced by the common one, and its name is returned
/// too.
pub(crate) fn matrix_between<H: ShaderHost + ?Sized>(
    host: &H,
    globals: &ShaderGlobals,
    from: &str,
    to: &str,
) -> ([f32; 16], Vec<String>) {
    // The common space is the embedder's world space, which hosts know by the name "world" only.
    let [from, to] = [from, to].map(|name| if name == "common" { "world" } else { name });
    if from == to {
        return (IDENTITY, vec![]);
    }
    if let Some(found) = host.matrix(globals, from, to) {
        return (found, vec![]);
    }
    let mut unknown = vec![];
    let mut half = |name: &str, from: &str, to: &str| {
        if from == to {
            return IDENTITY;
        }
        host.matrix(globals, from, to).unwrap_or_else(|| {
            unknown.push(format!("Unknown transformation \"{name}\""));
            IDENTITY
        })
    };
    let (first, second) = (half(from, from, "world"), half(to, "world", to));
    (mul(&first, &second), unknown)
}

/// A host without any services, for programs and tests that only compute.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl ShaderHost for NoHost {}
