//! Renderer services for `kiln shade`: textures, coordinate spaces of `testshade`, attributes.

use std::borrow::Cow;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::{Mat2, Mat3, Mat4, Vec3, Vec4};
use rustc_hash::FxHashMap;
use shading::graph::TemplateRef;
use shading::hir::{Axis, ColorSpace, Const, Kind};
use shading::{
    CloudHandle, PointCloud, ShaderGlobals, ShaderHost, Template, TextureHandle, TextureInfo, TextureLookup,
    TextureRequest, TextureSample, TraceHit, TraceRay,
};

use super::clouds;
use renderer_base::files::SharedFiles;
use renderer_base::math::unit_vector;
use renderer_geometry::camera::CameraView;
use renderer_transport::material::{Host, TextureLoadError};

/// The camera's near and far plane.
const NEAR: f32 = 0.1;
const FAR: f32 = 1000.0;

pub(super) struct GridHost {
    textures: Host,
    files: SharedFiles,
    size: [u32; 2],
    userdata: FxHashMap<String, Userdata>,
    /// True if traced rays have the results of `testshade`; otherwise they hit nothing.
    traces_as_testshade: AtomicBool,
}

/// An attribute that all points have.
#[derive(Clone, Debug)]
pub(super) struct Userdata {
    value: Const,
    /// The first four numbers of a numeric value.
    numbers: Option<[f32; 4]>,
}

impl Userdata {
    pub(super) fn new(value: Const) -> Userdata {
        let mut list = vec![];
        spread(&value, &mut |number| list.push(number));
        let numbers = match list[..] {
            [] => None,
            // One number is grey, as with the attributes of a mesh.
            [x] => Some([x, x, x, 0.0]),
            _ => {
                list.resize(4, 0.0);
                list.first_chunk::<4>().copied()
            }
        };
        Userdata { value, numbers }
    }
}

impl GridHost {
    /// A host for a grid of that size, which looks for texture files in `directories`; these take so much memory at most
    /// [bytes]. `files` are all that shaders can read.
    pub(super) fn new(
        size: [u32; 2],
        directories: Vec<PathBuf>,
        limit: usize,
        userdata: Vec<(String, Userdata)>,
        files: SharedFiles,
    ) -> GridHost {
        let textures = Host::new(directories).with_texture_memory(limit);
        GridHost {
            textures: textures.with_files(files.clone()),
            files,
            size,
            userdata: userdata.into_iter().collect(),
            traces_as_testshade: AtomicBool::new(false),
        }
    }

    /// Makes traced rays return the results of `testshade` if every unit of a template is an OSL source.
    pub(super) fn trace_for(&self, template: &Template) {
        self.traces_as_testshade.store(is_osl(template), Ordering::Relaxed);
    }

    /// Loads the textures that shaders named while they were compiled.
    pub(super) fn load_textures(&self) -> Result<(), Vec<TextureLoadError>> {
        self.textures.freeze(Arc::from([]), CameraView::default(), false)
    }

    /// The files read so far: headers and imported sources, textures, point clouds, dictionaries.
    pub(super) fn files_read(&self) -> Vec<PathBuf> {
        self.files.log()
    }

    /// Matrix from a space to "common", for column vectors.
    fn common_from(&self, space: &str) -> Option<Mat4> {
        match space {
            "common" | "world" | "camera" => Some(Mat4::IDENTITY),
            // Spaces of `testshade`: a rotation about z and a translation each.
            "shader" => Some(Mat4::from_translation(Vec3::X) * rotation_z(FRAC_PI_4)),
            "object" => Some(Mat4::from_translation(Vec3::Y) * rotation_z(FRAC_PI_2)),
            "myspace" => Some(Mat4::from_scale(Vec3::new(1.0, 2.0, 1.0))),
            "screen" => Some(screen_from_camera().inverse()),
            "NDC" => Some((ndc_from_screen() * screen_from_camera()).inverse()),
            "raster" => {
                let [x, y] = self.size.map(|n| n as f32);
                let raster_from_ndc = Mat4::from_scale(Vec3::new(x, y, 1.0));
                Some((raster_from_ndc * ndc_from_screen() * screen_from_camera()).inverse())
            }
            _ => None,
        }
    }
}

/// The rotation by an angle in radians about +z.
fn rotation_z(angle: f32) -> Mat4 {
    let x = unit_vector(angle);
    Mat4::from_mat3(Mat3::from_mat2(Mat2::from_cols(x, x.perp())))
}

/// A camera that looks along +z with a field of view of 90°.
fn screen_from_camera() -> Mat4 {
    let depth = FAR - NEAR;
    Mat4::from_cols(
        Vec4::X,
        Vec4::Y,
        Vec4::new(0.0, 0.0, FAR / depth, 1.0),
        Vec4::new(0.0, 0.0, -FAR * NEAR / depth, 0.0),
    )
}

fn ndc_from_screen() -> Mat4 {
    Mat4::from_translation(Vec3::new(0.5, 0.5, 0.0)) * Mat4::from_scale(Vec3::new(0.5, 0.5, 1.0))
}

/// Replaces the default colour space of a request by raw values, as in `testshade`.
fn as_stored(request: &TextureRequest) -> TextureRequest {
    let mut request = request.clone();
    if request.color_space == ColorSpace::Default {
        request.color_space = ColorSpace::Raw;
    }
    request
}

impl ShaderHost for GridHost {
    fn texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        self.textures.texture_handle(&as_stored(request))
    }

    fn optional_texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        self.textures.optional_texture_handle(&as_stored(request))
    }

    fn texture(&self, handle: TextureHandle, lookup: &TextureLookup) -> TextureSample {
        self.textures.texture(handle, lookup)
    }

    fn is_picture(&self, request: &TextureRequest) -> bool {
        self.textures.is_picture(&as_stored(request))
    }

    fn is_volume(&self, request: &TextureRequest) -> bool {
        self.textures.is_volume(&as_stored(request))
    }

    fn is_environment(&self, request: &TextureRequest) -> bool {
        self.textures.is_environment(&as_stored(request))
    }

    fn texture_error(&self, request: &TextureRequest, st: [f32; 2]) -> Option<String> {
        self.textures.texture_error(&as_stored(request), st)
    }

    fn texture_info(
        &self,
        request: &TextureRequest,
        name: &str,
        st: Option<[f32; 2]>,
    ) -> Option<TextureInfo> {
        self.textures.texture_info(&as_stored(request), name, st)
    }

    fn cloud_handle(&self, file: &str) -> Option<CloudHandle> {
        self.textures.cloud_handle(file)
    }

    fn cloud(&self, handle: CloudHandle) -> Option<&dyn PointCloud> {
        self.textures.cloud(handle)
    }

    fn cloud_error(&self, file: &str) -> Option<String> {
        self.textures.cloud_error(file)
    }

    fn cloud_refusal(&self, file: &str) -> Option<Cow<'static, str>> {
        clouds::refusal(file).map(Cow::Borrowed)
    }

    fn attribute(&self, globals: &ShaderGlobals, object: &str, name: &str) -> Option<[f32; 4]> {
        let one = |x: f32| Some([x, 0.0, 0.0, 0.0]);
        if object.is_empty()
            && let Some(userdata) = self.userdata.get(name)
        {
            return userdata.numbers;
        }
        let [x, y, ..] = globals.p.0;
        match name {
            _ if !object.is_empty() => None,
            // Attributes of `testshade`'s patch, some only on a part of it.
            "s" => one(globals.u),
            "t" => one(globals.v),
            "face_idx" => one((4.0 * globals.u).trunc()),
            "red" if x > 0.5 => one(globals.u),
            "green" if x < 0.5 => one(globals.v),
            "blue" if (y * 12.0) as i32 % 2 == 0 => one(1.0 - globals.u),
            "shading:index" => one(globals.primitive as f32),
            "camera:fov" => one(90.0),
            "camera:pixelaspect" | "camera:shutter_close" => one(1.0),
            "camera:shutter_open" => one(0.0),
            "camera:clip_near" => one(NEAR),
            "camera:clip_far" => one(FAR),
            _ => None,
        }
    }

    fn any_attribute(
        &self,
        _: &ShaderGlobals,
        object: &str,
        name: &str,
        index: Option<u32>,
        _: Kind,
    ) -> Option<Const> {
        if !object.is_empty() {
            return None;
        }
        let floats = |list: &[f32]| Const::Array(list.iter().copied().map(Const::Float).collect());
        let userdata = self.userdata.get(name);
        let whole = match name {
            _ if userdata.is_some() => userdata?.value.clone(),
            "camera:resolution" => Const::Array(self.size.map(|n| Const::Int(n as i32)).to_vec()),
            "camera:projection" => Const::String("perspective".into()),
            "camera:clip" => floats(&[NEAR, FAR]),
            "camera:shutter" => floats(&[0.0, 1.0]),
            "camera:screen_window" => floats(&[-1.0, -1.0, 1.0, 1.0]),
            _ => return None,
        };
        match (whole, index) {
            (Const::Array(list), Some(index)) => list.get(index as usize).cloned(),
            (whole, _) => Some(whole),
        }
    }

    fn read_text(&self, name: &str) -> Option<String> {
        self.files.source_text(Path::new(name)).ok()
    }

    fn trace(&self, globals: &ShaderGlobals, ray: &TraceRay<'_>) -> Option<TraceHit> {
        if !self.traces_as_testshade.load(Ordering::Relaxed) {
            return None;
        }
        // Computed from the arguments, with one distance for all hits.
        let along: f32 = ray.origin.iter().zip(ray.direction).map(|(a, b)| a * b).sum();
        (globals.u / along > 0.5).then_some(TraceHit {
            distance: 0.5,
            place: [globals.u, globals.v],
            ..TraceHit::default()
        })
    }

    fn traced_point(&self, hit: &TraceHit) -> Option<ShaderGlobals> {
        let [u, v] = hit.place;
        Some(ShaderGlobals {
            n: [1.0 - v, 0.25, 1.0 - u].into(),
            ..ShaderGlobals::default()
        })
    }

    fn attribute_derivative(
        &self,
        globals: &ShaderGlobals,
        object: &str,
        name: &str,
        axis: Axis,
    ) -> [f32; 4] {
        let is_given = self.userdata.contains_key(name);
        if is_given || self.attribute(globals, object, name).is_none() {
            return [0.0; 4];
        }
        let [du, dv] = match axis {
            Axis::X => [globals.dudx, globals.dvdx],
            Axis::Y => [globals.dudy, globals.dvdy],
        };
        let change = match name {
            "s" | "red" => du,
            "t" | "green" => dv,
            "blue" => -du,
            _ => 0.0,
        };
        [change, 0.0, 0.0, 0.0]
    }

    fn matrix(&self, _: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        let to_from = self.common_from(to)?.inverse() * self.common_from(from)?;
        // Row vectors: the rows of the language's matrices are the columns here.
        Some(to_from.to_cols_array())
    }
}

/// Returns whether every unit of a template is in an `.osl` file.
fn is_osl(template: &Template) -> bool {
    match template {
        Template::Unit(unit) => unit.sources.get(unit.hir.span.source).name.ends_with(".osl"),
        Template::Group(group) => group.nodes().iter().all(|node| match &node.template {
            TemplateRef::Template(template) => is_osl(template),
            TemplateRef::Named(_) => false,
        }),
    }
}

/// The numbers of a value, one after the other.
pub(super) fn spread(value: &Const, each: &mut impl FnMut(f32)) {
    match value {
        Const::Int(v) => each(*v as f32),
        Const::Float(v) => each(*v),
        Const::Triple(v) => v.iter().for_each(|v| each(*v)),
        Const::Matrix(v) => v.iter().for_each(|v| each(*v)),
        Const::Array(list) => list.iter().for_each(|value| spread(value, each)),
        Const::String(_) | Const::NullClosure => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transform(from: &str, to: &str, p: [f32; 3]) -> [f32; 3] {
        let host = GridHost::new([64, 32], vec![], 0, vec![], SharedFiles::default());
        let m = host.matrix(&ShaderGlobals::default(), from, to).unwrap();
        shading::eval::matrix::transform_point(&m, p)
    }

    fn close(a: [f32; 3], b: [f32; 3]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4), "{a:?} is not {b:?}");
    }

    #[test]
    fn spaces_are_those_of_testshade() {
        let r = 0.5_f32.sqrt();
        close(transform("shader", "common", [1.0, 0.0, 0.0]), [1.0 + r, r, 0.0]);
        close(transform("object", "common", [1.0, 0.0, 0.0]), [0.0, 2.0, 0.0]);
        close(transform("common", "object", [0.0, 2.0, 0.0]), [1.0, 0.0, 0.0]);
        close(transform("myspace", "world", [1.0, 1.0, 1.0]), [1.0, 2.0, 1.0]);
        close(
            transform("camera", "raster", [0.0, 0.0, 10.0]),
            [32.0, 16.0, (FAR / (FAR - NEAR)) * 0.99],
        );
    }

    #[test]
    fn other_spaces_are_unknown() {
        let host = GridHost::new([1, 1], vec![], 0, vec![], SharedFiles::default());
        assert!(host.matrix(&ShaderGlobals::default(), "nowhere", "common").is_none());
    }
}
