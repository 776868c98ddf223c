//! Standard attributes of shading points: those of the camera and the face by OSL's names, those of the path and the
//! object by Cycles' names.

use glam::{Vec2, Vec3};
use shading::ShaderGlobals;
use shading::hir::kind::Element;
use shading::hir::{Const, Kind};

use super::rendering_space::RenderingSpace;
use super::trace::unit_hash;
use renderer_geometry::camera::CameraView;
use renderer_geometry::{CurveStyle, ObjectValue, Shape};

/// Attribute for the cost of the shader that an override replaces.
pub(crate) const WORK_ATTRIBUTE: &str = "shader:work";
/// Attribute for missing files or attributes of the shader that an override replaces.
pub(crate) const MISSING_ATTRIBUTE: &str = "shader:missing";

/// An attribute of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberAttribute {
    /// `camera:fov`: angle that the width of the film covers [degrees].
    Fov,
    /// `camera:pixelaspect`: width of a pixel divided by its height.
    PixelAspect,
    /// `camera:clip_near` [m].
    ClipNear,
    /// `camera:clip_far` [m].
    ClipFar,
    /// `camera:shutter_open`: 0, since `time` runs from 0 to 1.
    ShutterOpen,
    /// `camera:shutter_close`: 1.
    ShutterClose,
    /// `path:ray_depth`: number of scattering events of the path before this point.
    RayDepth,
    /// `path:ray_length`: distance to the origin of the ray [m].
    RayLength,
    /// `object:index`: number of the object in the scene, from 0.
    ObjectIndex,
    /// `object:random`: random number in `[0,1)`, derived from the object's name.
    ObjectRandom,
    /// `island:index`: index of the connected component of the object's mesh, from 0.
    IslandIndex,
    /// `island:random`: random number in `[0,1)`, derived from the random number of the object and the index of the
    /// component.
    IslandRandom,
    /// `geom:numpolyvertices`: number of vertices of the face, for meshes.
    FaceCorners,
    /// `geom:is_curve`: 1 on curves, 0 on other shapes.
    IsCurve,
    /// `geom:is_tube`: 1 on round curves, 0 on other shapes.
    IsTube,
    /// `geom:curve_intercept`: parameter along the curve, from 0 at its root to 1 at its tip.
    CurveIntercept,
    /// `geom:curve_thickness`: diameter of the curve, in object space [m].
    CurveThickness,
    /// `geom:curve_length`: length of the chords of the curve's segments, in object space [m].
    CurveLength,
    /// `geom:curve_random`: random number in `[0,1)` of the curve.
    CurveRandom,
    /// `geom:is_point`: 1 on points, 0 on other shapes.
    IsPoint,
    /// `geom:point_radius`: radius of the point, in object space [m].
    PointRadius,
    /// `geom:point_random`: random number in `[0,1)` of the point.
    PointRandom,
    /// `cam:focal_distance`: focus distance of a custom camera [m].
    FocusDistance,
    /// `cam:aperture_size`: radius of its aperture [m].
    ApertureRadius,
    /// `cam:aperture_aspect_ratio`: height of the aperture divided by its width.
    ApertureRatio,
    /// `shader:work`: cost of the shader that an override replaces.
    Work,
    /// `shader:missing`: 1 if that shader lacks files or attributes; otherwise 0.
    Missing,
}

/// Attributes of one number by name.
const NUMBERS: [(&str, NumberAttribute); 27] = [
    ("camera:fov", NumberAttribute::Fov),
    ("camera:pixelaspect", NumberAttribute::PixelAspect),
    ("camera:clip_near", NumberAttribute::ClipNear),
    ("camera:clip_far", NumberAttribute::ClipFar),
    ("camera:shutter_open", NumberAttribute::ShutterOpen),
    ("camera:shutter_close", NumberAttribute::ShutterClose),
    ("path:ray_depth", NumberAttribute::RayDepth),
    ("path:ray_length", NumberAttribute::RayLength),
    ("object:index", NumberAttribute::ObjectIndex),
    ("object:random", NumberAttribute::ObjectRandom),
    ("island:index", NumberAttribute::IslandIndex),
    ("island:random", NumberAttribute::IslandRandom),
    ("geom:numpolyvertices", NumberAttribute::FaceCorners),
    ("geom:is_curve", NumberAttribute::IsCurve),
    ("geom:is_tube", NumberAttribute::IsTube),
    ("geom:curve_intercept", NumberAttribute::CurveIntercept),
    ("geom:curve_thickness", NumberAttribute::CurveThickness),
    ("geom:curve_length", NumberAttribute::CurveLength),
    ("geom:curve_random", NumberAttribute::CurveRandom),
    ("geom:is_point", NumberAttribute::IsPoint),
    ("geom:point_radius", NumberAttribute::PointRadius),
    ("geom:point_random", NumberAttribute::PointRandom),
    ("cam:focal_distance", NumberAttribute::FocusDistance),
    ("cam:aperture_size", NumberAttribute::ApertureRadius),
    ("cam:aperture_aspect_ratio", NumberAttribute::ApertureRatio),
    (WORK_ATTRIBUTE, NumberAttribute::Work),
    (MISSING_ATTRIBUTE, NumberAttribute::Missing),
];

/// Names of arrays and strings of the geometry.
const GEOMETRY: [&str; 3] = ["geom:name", "geom:trianglevertices", "geom:polyvertices"];

/// Names of the pairs of numbers of a custom camera; see [`of_lens`].
pub(super) const LENS: [&str; 4] =
    ["cam:sensor_size", "cam:image_resolution", "cam:resolution", "cam:aperture_position"];

/// Returns whether shading points of any shape may have an attribute of this name.
pub fn is_standard(name: &str) -> bool {
    let is_of_camera = name.starts_with("camera:") || name.starts_with("cam:");
    NumberAttribute::named(name).is_some() || is_of_camera || GEOMETRY.contains(&name)
}

/// Properties of an object for attributes, besides its geometry.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectInfo {
    /// Random number of the object.
    pub(super) random: Option<f32>,
    /// Index of the connected component that the ray hit; 0 for shapes that are not meshes, `None` if no shader names
    /// an island attribute.
    pub(super) island: Option<u32>,
    /// True if its shader lacks files or attributes.
    pub(super) lacks_inputs: bool,
}

impl NumberAttribute {
    /// Returns whether the attribute needs the connected components of meshes.
    pub(super) fn is_of_island(self) -> bool {
        matches!(self, NumberAttribute::IslandIndex | NumberAttribute::IslandRandom)
    }

    /// Finds an attribute by name.
    pub(super) fn named(name: &str) -> Option<NumberAttribute> {
        let found = NUMBERS.iter().find(|(known, _)| *known == name);
        found.map(|(_, attribute)| *attribute)
    }

    /// Value at a shading point; `None` if the shape or the object does not have it.
    pub(super) fn value(
        self,
        camera: &CameraView,
        globals: &ShaderGlobals,
        shape: Option<&Shape>,
        object: ObjectInfo,
    ) -> Option<f32> {
        let [near, far] = camera.clip;
        Some(match self {
            NumberAttribute::Fov => camera.fov,
            NumberAttribute::PixelAspect => camera.pixel_aspect,
            NumberAttribute::ClipNear => near,
            NumberAttribute::ClipFar => far,
            NumberAttribute::ShutterOpen => 0.0,
            NumberAttribute::ShutterClose => 1.0,
            NumberAttribute::RayDepth => globals.ray_depth as f32,
            NumberAttribute::RayLength => globals.ray_length,
            NumberAttribute::ObjectIndex => globals.object as f32,
            NumberAttribute::ObjectRandom => object.random?,
            NumberAttribute::IslandIndex => object.island? as f32,
            NumberAttribute::IslandRandom => random_of(object, object.island?),
            NumberAttribute::FaceCorners => corners(shape?, globals)?.len() as f32,
            NumberAttribute::IsCurve => f32::from(u8::from(shape?.curves().is_some())),
            NumberAttribute::IsTube => f32::from(u8::from(is_tube(shape?))),
            NumberAttribute::CurveIntercept => shape?.curves().map(|_| globals.u)?,
            NumberAttribute::CurveThickness => {
                let curves = shape?.curves()?;
                2.0 * curves.vertex_at(&curves.place(globals.primitive, globals.u), globals.time).w
            }
            NumberAttribute::CurveLength => {
                let curves = shape?.curves()?;
                curves.strand_length(curves.strand_of(globals.primitive), globals.time)
            }
            NumberAttribute::CurveRandom => random_of(object, shape?.curves()?.strand_of(globals.primitive)),
            NumberAttribute::IsPoint => f32::from(u8::from(shape?.points().is_some())),
            NumberAttribute::PointRadius => {
                let points = shape?.points()?;
                let is_valid = globals.primitive < points.primitive_count();
                is_valid.then(|| points.vertex_at(globals.primitive, globals.time).w)?
            }
            NumberAttribute::PointRandom => {
                shape?.points()?;
                random_of(object, globals.primitive)
            }
            NumberAttribute::FocusDistance => camera.custom?.focus_distance,
            NumberAttribute::ApertureRadius => camera.custom?.aperture.radius,
            NumberAttribute::ApertureRatio => camera.custom?.aperture.ratio,
            NumberAttribute::Work => globals.work,
            NumberAttribute::Missing => f32::from(u8::from(object.lacks_inputs)),
        })
    }
}

/// Random number of a numbered part of an object.
fn random_of(object: ObjectInfo, part: u32) -> f32 {
    unit_hash(&object.random.unwrap_or_default().to_bits().to_le_bytes(), part)
}

fn is_tube(shape: &Shape) -> bool {
    shape.curves().is_some_and(|curves| curves.set().style == CurveStyle::Round)
}

/// Pair of numbers of a custom camera by name, as in Cycles; `N` is a random point of the lens.
pub(super) fn of_lens(camera: &CameraView, globals: &ShaderGlobals, name: &str) -> Option<[f32; 2]> {
    match name {
        "cam:sensor_size" => Some(camera.custom?.sensor.to_array()),
        "cam:image_resolution" | "cam:resolution" => Some(camera.resolution.map(|n| n as f32)),
        "cam:aperture_position" => {
            let [x, y, ..] = globals.n.0;
            Some(camera.custom?.aperture_position(Vec2::new(x, y)).to_array())
        }
        _ => None,
    }
}

/// Converts a pair of numbers to a value of a kind: a triple has a zero as its third component.
pub(super) fn pair_of_kind([x, y]: [f32; 2], kind: Kind) -> Option<Const> {
    match kind {
        Kind::One(Element::Triple) => Some(Const::Triple([x, y, 0.0])),
        _ => numbers_of_kind(&[x, y], None, kind),
    }
}

/// Array or string of the camera by name.
pub(super) fn of_camera(camera: &CameraView, name: &str) -> Option<ObjectValue> {
    let numbers = |list: &[f32]| Some(ObjectValue::Numbers(list.to_vec()));
    match name {
        "camera:resolution" => numbers(&camera.resolution.map(|n| n as f32)),
        "camera:clip" => numbers(&camera.clip),
        "camera:shutter" => numbers(&[0.0, 1.0]),
        "camera:screen_window" => numbers(&camera.plane.as_ref()?.window),
        "camera:projection" => Some(ObjectValue::Text(camera.projection.into())),
        _ => None,
    }
}

/// Vertices of the triangle at the shading point.
fn corners(shape: &Shape, globals: &ShaderGlobals) -> Option<[Vec3; 3]> {
    let exists = (globals.primitive as usize) < shape.mesh()?.triangles.len();
    exists.then(|| shape.triangle_at(globals.primitive, globals.time))
}

/// Vertices of the triangle at the shading point, by OSL's names: an array of triples, which may be longer for shaders
/// written for polygons, or one element.
pub(super) fn of_face(
    shape: &Shape,
    space: RenderingSpace,
    globals: &ShaderGlobals,
    name: &str,
    index: Option<u32>,
    kind: Kind,
) -> Option<Const> {
    if !matches!(name, "geom:trianglevertices" | "geom:polyvertices") {
        return None;
    }
    let corners = corners(shape, globals)?.map(|p| space.world(p).to_array());
    match (kind, index) {
        (Kind::One(Element::Triple), Some(index)) => corners.get(index as usize).copied().map(Const::Triple),
        (Kind::Array(Element::Triple, count), None) if count as usize >= corners.len() => {
            let rest = std::iter::repeat([0.0; 3]);
            let padded = corners.into_iter().chain(rest).take(count as usize);
            Some(Const::Array(padded.map(Const::Triple).collect()))
        }
        _ => None,
    }
}

/// Converts numbers, or one element of an array, to a value of a kind; `None` if their count does not match.
pub(super) fn numbers_of_kind(numbers: &[f32], index: Option<u32>, kind: Kind) -> Option<Const> {
    let (element, count) = match kind {
        Kind::One(element) => (element, 1),
        Kind::Array(element, count) => (element, count as usize),
    };
    let width = match element {
        Element::Int | Element::Float => 1,
        Element::Triple => 3,
        Element::Matrix => 16,
        Element::String | Element::Closure => return None,
    };
    let size = width * count;
    if size == 0 {
        return None;
    }
    let own = match index {
        Some(index) => numbers.chunks_exact(size).nth(index as usize)?,
        None => numbers,
    };
    let one = |numbers: &[f32]| match element {
        Element::Int => Some(Const::Int(numbers[0] as i32)),
        Element::Float => Some(Const::Float(numbers[0])),
        Element::Triple => Some(Const::Triple(numbers.try_into().ok()?)),
        Element::Matrix => Some(Const::Matrix(numbers.try_into().ok()?)),
        Element::String | Element::Closure => None,
    };
    let mut list: Vec<Const> = own.chunks_exact(width).map(one).collect::<Option<_>>()?;
    match kind {
        _ if own.len() != size => None,
        Kind::One(_) => list.pop(),
        Kind::Array(..) => Some(Const::Array(list)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_values_of_a_kind_with_their_count() {
        let floats = |list: &[f32]| Const::Array(list.iter().copied().map(Const::Float).collect());
        let of_kind = |numbers: &[f32], kind| numbers_of_kind(numbers, None, kind);
        assert_eq!(of_kind(&[2.0], Kind::INT), Some(Const::Int(2)));
        assert_eq!(of_kind(&[2.0, 3.0], Kind::INT), None);
        let five = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(of_kind(&five, Kind::Array(Element::Float, 5)), Some(floats(&five)));
        assert_eq!(of_kind(&five, Kind::Array(Element::Float, 4)), None);
        let triples = Const::Array(vec![Const::Triple([1.0; 3]); 2]);
        assert_eq!(of_kind(&[1.0; 6], Kind::Array(Element::Triple, 2)), Some(triples));
        assert_eq!(of_kind(&[1.0; 16], Kind::MATRIX), Some(Const::Matrix([1.0; 16])));
        assert_eq!(numbers_of_kind(&five, Some(4), Kind::FLOAT), Some(Const::Float(5.0)));
        assert_eq!(numbers_of_kind(&five, Some(5), Kind::FLOAT), None);
        assert_eq!(numbers_of_kind(&five, Some(0), Kind::Array(Element::Float, 0)), None);
    }
}
