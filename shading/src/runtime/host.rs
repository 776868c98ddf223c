//! The host interface (`ShaderHost`): textures, coordinate spaces and attributes provided by the embedder.

use std::borrow::Cow;

use crate::runtime::{CloudHandle, PointCloud, ShaderGlobals, TraceHit, TraceRay};
use shading_compiler::eval::matrix::{IDENTITY, mul};
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Axis, ColorSpace, Const, Kind, TextureMapping, TextureOptions};

/// The embedder's number for a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct TextureHandle(pub u32);

/// A picture that a shader names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextureRequest {
    /// The file, as the shader names it. `<UDIM>` and its kin stand for many files.
    pub file: String,
    /// What its numbers mean.
    pub color_space: ColorSpace,
    /// Which of its pictures.
    pub subimage: Subimage,
}

/// One of the pictures in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Subimage {
    /// The first.
    #[default]
    First,
    /// By its number.
    Index(i32),
    /// By its name.
    Name(String),
}

impl Subimage {
    /// The picture of that number; the first where it is none.
    pub fn numbered(index: i32) -> Subimage {
        if index == 0 {
            Subimage::First
        } else {
            Subimage::Index(index)
        }
    }

    /// The picture of that name; the first where it is empty.
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
    /// The constant options; those that were operands are in their places.
    pub options: TextureOptions,
    /// (s, t, 0), t from the top row down; a direction; or a point.
    pub position: [f32; 3],
    /// Its derivatives along the axes of the screen; those of a point along z are not among them.
    pub dx: [f32; 3],
    /// See `dx`.
    pub dy: [f32; 3],
    /// Factors of the footprint along s and t.
    pub width: [f32; 2],
    /// Added to the footprint [widths and heights of the picture].
    pub blur: [f32; 2],
    /// The first channel that is read.
    pub first_channel: i32,
    /// The value of channels that the file does not have.
    pub fill: f32,
    /// The four channels where there is no such file; all are `fill` where this says nothing.
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

/// Why a texture lookup has nothing to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextureProblem {
    /// There is no such file.
    NotFound,
    /// `texture3d` is asked for a file that is no volume.
    NoVolume,
    /// `environment` is asked for a set of tiles.
    NoEnvironment,
}

impl TextureProblem {
    /// Why a picture that is there cannot be read by such lookups, where that is so.
    pub(crate) fn of_picture<H: ShaderHost + ?Sized>(
        host: &H,
        request: &TextureRequest,
        mapping: TextureMapping,
    ) -> Option<TextureProblem> {
        match mapping {
            TextureMapping::Plane => None,
            TextureMapping::Environment => {
                (!host.is_environment(request)).then_some(TextureProblem::NoEnvironment)
            }
            TextureMapping::Volume => (!host.is_volume(request)).then_some(TextureProblem::NoVolume),
        }
    }

    /// What the texture is, as a predicate of its name.
    pub fn predicate(self) -> &'static str {
        match self {
            TextureProblem::NotFound => "is not found",
            TextureProblem::NoVolume => "is no volume",
            TextureProblem::NoEnvironment => "is a set of tiles, not one environment",
        }
    }

    /// What a run reports.
    pub(crate) fn report(self, file: &str) -> String {
        format!("texture {file:?} {}, and is black", self.predicate())
    }
}

impl TextureLookup {
    /// The handle of a picture for this lookup.
    pub(crate) fn handle<H: ShaderHost + ?Sized>(
        &self,
        host: &H,
        request: &TextureRequest,
    ) -> Result<TextureHandle, TextureProblem> {
        let handle = host.texture_handle(request).ok_or(TextureProblem::NotFound)?;
        match TextureProblem::of_picture(host, request, self.options.mapping) {
            Some(problem) => Err(problem),
            None => Ok(handle),
        }
    }

    /// What `errormessage` is told of the lookup: nothing where the shader has a colour of its own for a failure.
    pub(crate) fn failure<H: ShaderHost + ?Sized>(&self, host: &H, request: &TextureRequest) -> String {
        if self.missing.is_some() {
            return String::new();
        }
        let mapping = self.options.mapping;
        let [s, t, _] = self.position;
        let is_plane = mapping == TextureMapping::Plane;
        let unfit = || {
            let problem = TextureProblem::of_picture(host, request, mapping)?;
            Some(format!("{:?} {}", request.file, problem.predicate()))
        };
        let error = host.texture_error(request, if is_plane { [s, t] } else { [0.0; 2] });
        error.or_else(unfit).unwrap_or_default()
    }

    /// What it gives where there is no such file.
    pub fn absent(&self) -> TextureSample {
        TextureSample {
            value: self.missing.unwrap_or([self.fill; 4]),
            ..TextureSample::default()
        }
    }
}

/// What a lookup gives: four channels from the first on, linear Rec.709 where they are colours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct TextureSample {
    /// The value.
    pub value: [f32; 4],
    /// Its derivative along s, where [`TextureOptions::derivatives`] asks for it.
    pub ds: [f32; 4],
    /// Its derivative along t, likewise.
    pub dt: [f32; 4],
}

/// What a texture file says of itself.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureInfo {
    /// Whole numbers.
    Ints(Vec<i32>),
    /// Pixels, or sizes, of a picture: with two coordinates each, or with three if so many are asked for.
    Pixels {
        /// The first two coordinates.
        list: Vec<[i32; 2]>,
        /// The third one.
        depth: i32,
    },
    /// Numbers.
    Floats(Vec<f32>),
    /// A text.
    Text(String),
}

impl TextureInfo {
    /// It as a value of that kind; `None` where it is not of that kind.
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
            (Kind::Array(Element::Float, n), v) if v.len() >= n as usize => Some(Const::Array(
                v[..n as usize].iter().map(|&v| Const::Float(v)).collect(),
            )),
            _ => None,
        }
    }
}

/// The embedder's number for the name of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct AttributeHandle(pub u32);

/// Services of the embedder: textures, spaces and attributes. Called from many threads at once, on the per-hit path:
/// implementations must not lock. The default methods find nothing.
pub trait ShaderHost: Send + Sync + 'static {
    /// The handle of a picture that a shader names, or `None` where there is none. Asked while an instance is compiled
    /// when the name is constant, else at run time.
    fn texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        let _ = request;
        None
    }

    /// The same where the shader says what it does without the picture: one that cannot be read is no mistake.
    fn optional_texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        self.texture_handle(request)
    }

    /// Looks a texture up.
    fn texture(&self, handle: TextureHandle, lookup: &TextureLookup) -> TextureSample {
        let _ = (handle, lookup);
        TextureSample::default()
    }

    /// Whether `texture3d` can look a picture up that has a handle. Asked when the handle is, and for names that are
    /// computed at each lookup.
    fn is_volume(&self, request: &TextureRequest) -> bool {
        let _ = request;
        true
    }

    /// Whether `environment` can look a picture up that has a handle. Asked as [`ShaderHost::is_volume`] is.
    fn is_environment(&self, request: &TextureRequest) -> bool {
        let _ = request;
        true
    }

    /// Why lookups of a picture at a place fail; `None` where they do not.
    fn texture_error(&self, request: &TextureRequest, st: [f32; 2]) -> Option<String> {
        let _ = st;
        match self.texture_handle(request) {
            Some(_) => None,
            None => Some(format!("there is no texture {:?}", request.file)),
        }
    }

    /// What a texture file says of itself under a name, of the file at `(s, t)` where the name stands for many files.
    /// Not on the per-hit path of most shaders: it may allocate.
    fn texture_info(
        &self,
        request: &TextureRequest,
        name: &str,
        st: Option<[f32; 2]>,
    ) -> Option<TextureInfo> {
        let _ = (request, name, st);
        None
    }

    /// The matrix (row vectors, OSL's convention) that takes space `from` to space `to` at a shading point. The names
    /// are never "common".
    fn matrix(&self, globals: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        let _ = (globals, from, to);
        None
    }

    /// Whether there is a space of that name.
    fn knows_space(&self, globals: &ShaderGlobals, name: &str) -> bool {
        matches!(name, "common" | "world") || self.matrix(globals, name, "world").is_some()
    }

    /// Up to four floats of a named attribute at a shading point, the rest zero.
    fn attribute(&self, globals: &ShaderGlobals, object: &str, name: &str) -> Option<[f32; 4]> {
        let _ = (globals, object, name);
        None
    }

    /// An attribute that may be a string, a matrix or an array, as a value of the kind asked for; its element at an index
    /// where there is one. Not asked for what fits four floats without an index: that is [`ShaderHost::attribute`].
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

    /// The text of a file that a shader names, for dictionaries.
    fn read_text(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// The handle of a point cloud that a shader names, or `None` where there is none. Asked while an instance is compiled
    /// when the name is constant, else at run time.
    fn cloud_handle(&self, file: &str) -> Option<CloudHandle> {
        let _ = file;
        None
    }

    /// The point cloud of a handle, which may be [`CloudHandle::NONE`].
    fn cloud(&self, handle: CloudHandle) -> Option<&dyn PointCloud> {
        let _ = handle;
        None
    }

    /// Why a point cloud cannot be searched; `None` where it can.
    fn cloud_error(&self, file: &str) -> Option<String> {
        match self.cloud_handle(file) {
            Some(_) => None,
            None => Some(format!("there is no point cloud {file:?}")),
        }
    }

    /// Why points are not written to a file (`pointcloud_write`); `None` where they are kept, for
    /// [`ShadingContext::take_written`](super::ShadingContext::take_written).
    fn cloud_refusal(&self, file: &str) -> Option<Cow<'static, str>> {
        let _ = file;
        Some(Cow::Borrowed("no point clouds are written here"))
    }

    /// What a ray from a shading point hits first: `trace`. Hosts that trace no rays for shaders hit nothing.
    fn trace(&self, globals: &ShaderGlobals, ray: &TraceRay<'_>) -> Option<TraceHit> {
        let _ = (globals, ray);
        None
    }

    /// The shading point of a hit, for `getmessage("trace", …)`. Attributes of the object hit are asked for with it.
    fn traced_point(&self, hit: &TraceHit) -> Option<ShaderGlobals> {
        let _ = hit;
        None
    }

    /// The change of such an attribute to the next pixel along an axis; zero for what does not change evenly.
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

    /// The handle by which the attribute of that name, of the shaded object itself, is found without looking at names.
    /// Asked while an instance is compiled, when the name is constant. Without one, [`ShaderHost::attribute`] is asked.
    fn attribute_handle(&self, name: &str) -> Option<AttributeHandle> {
        let _ = name;
        None
    }

    /// [`ShaderHost::attribute`] by handle: the same value.
    fn attribute_by_handle(&self, globals: &ShaderGlobals, handle: AttributeHandle) -> Option<[f32; 4]> {
        let _ = (globals, handle);
        None
    }
}

/// The matrix from one space to another; an unknown space counts as the common one, and is named beside the matrix.
pub(crate) fn matrix_between<H: ShaderHost + ?Sized>(
    host: &H,
    globals: &ShaderGlobals,
    from: &str,
    to: &str,
) -> ([f32; 16], Vec<String>) {
    // The common space is the embedder's world: hosts know it by that name only.
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

/// A host that has nothing, for programs and tests that only compute.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl ShaderHost for NoHost {}
