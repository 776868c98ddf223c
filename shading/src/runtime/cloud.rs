//! Point clouds that shaders search (`pointcloud_search`, `pointcloud_get`): the interface of a cloud, its values, and
//! errors of calls.
//!
//! `pointcloud_search(file, point, radius, max_points, attribute, array, …)` and `pointcloud_get(file, indices, count,
//! attribute, array)` fill arrays, as OSL specifies. A search returns the nearest points within the radius, at most
//! `max_points` and the length of the shortest array; a variable that is not an array holds one value. The cloud of a
//! constant name is looked up once, when the instance is compiled
//! ([`ShaderHost::cloud_handle`](super::ShaderHost::cloud_handle)).
//!
//! - `"index"`, `"position"` and `"distance"` are attributes of all clouds.
//! - The type of an array must be that of the attribute, with these exceptions: all triples are equivalent, ints convert to
//!   floats, a matrix can hold sixteen floats, and a longer array of floats can hold the values of triples or of an array
//!   attribute (`float[4]`) consecutively.
//! - If an attribute is missing or of another type, or the cloud cannot be read, this is reported once, and the call returns
//!   0.
//! - Distances have the derivatives that follow from the centre; other values have none. Elements that are not filled keep
//!   their derivatives.
//! - Searches acquire no lock, and allocate no memory after the first one of a context.

use std::borrow::Cow;
use std::sync::Arc;

use shading_compiler::eval::text;
use shading_compiler::hir::Const;
use shading_compiler::hir::kind::Element;

/// Handle of a point cloud, chosen by the embedder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct CloudHandle(pub u32);

impl CloudHandle {
    /// Handle that denotes no cloud.
    pub const NONE: CloudHandle = CloudHandle(u32::MAX);
}

/// A search for the nearest points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloudSearch {
    /// Centre, in the space of the cloud.
    pub center: [f32; 3],
    /// Maximum distance.
    pub radius: f32,
    /// True to return the points sorted by distance.
    pub sort: bool,
}

/// Values of an attribute, one for each point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CloudValues<'a> {
    /// `int`.
    Ints(&'a [i32]),
    /// `float`.
    Floats(&'a [f32]),
    /// Any of the four triples.
    Triples(&'a [[f32; 3]]),
    /// Arrays of the given number of floats, stored consecutively.
    Arrays(usize, &'a [f32]),
    /// `string`.
    Texts {
        /// Strings.
        list: &'a [Arc<str>],
        /// Index of each point's string; an invalid index denotes the empty string.
        indices: &'a [i32],
    },
}

/// A point cloud, searched by shaders on many threads at once: implementations must neither lock nor allocate.
pub trait PointCloud: Send + Sync {
    /// Number of points.
    fn count(&self) -> usize;

    /// Finds the points nearest to the centre within the radius. Fills `found` from its start with the squared distance
    /// and index of each; returns their number. Of points at equal distances, those with lower indices are preferred.
    fn search(&self, search: &CloudSearch, found: &mut [(f32, u32)]) -> usize;

    /// Returns the values of an attribute. All clouds have a "position".
    fn values(&self, name: &str) -> Option<CloudValues<'_>>;

    /// Names of the attributes, for messages.
    fn names(&self) -> Vec<String>;
}

/// Attribute of all clouds with the index of each point.
const INDEX: &str = "index";

/// An attribute requested by a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CloudAttribute<'a> {
    /// Index of each point, for the given number of points.
    Index(u32),
    Values(CloudValues<'a>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CloudValue<'a> {
    Int(i32),
    Float(f32),
    Triple([f32; 3]),
    Matrix([f32; 16]),
    Text(&'a str),
}

impl CloudValue<'_> {
    pub(crate) fn constant(self) -> Const {
        match self {
            CloudValue::Int(x) => Const::Int(x),
            CloudValue::Float(x) => Const::Float(x),
            CloudValue::Triple(x) => Const::Triple(x),
            CloudValue::Matrix(x) => Const::Matrix(x),
            CloudValue::Text(x) => Const::String(x.into()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloudError {
    /// The cloud does not exist.
    NoCloud,
    /// The cloud has no such attribute.
    NoAttribute,
    /// The attribute is of another type.
    WrongType,
    /// The cloud has no such point.
    NoPoint(i32),
    /// Values of the given number of floats do not fit the array.
    NoRoom(usize),
}

impl<'a> CloudAttribute<'a> {
    /// Looks up an attribute for values of a type.
    pub(crate) fn of(
        cloud: &'a dyn PointCloud,
        name: &str,
        element: Element,
    ) -> Result<CloudAttribute<'a>, CloudError> {
        let attribute = if name == INDEX {
            CloudAttribute::Index(cloud.count() as u32)
        } else {
            CloudAttribute::Values(cloud.values(name).ok_or(CloudError::NoAttribute)?)
        };
        match (attribute, element) {
            (CloudAttribute::Index(_), Element::Int)
            | (CloudAttribute::Values(CloudValues::Ints(_)), Element::Int | Element::Float)
            | (CloudAttribute::Values(CloudValues::Floats(_)), Element::Float)
            | (CloudAttribute::Values(CloudValues::Triples(_)), Element::Triple | Element::Float)
            | (CloudAttribute::Values(CloudValues::Texts { .. }), Element::String)
            | (CloudAttribute::Values(CloudValues::Arrays(1.., _)), Element::Float)
            | (CloudAttribute::Values(CloudValues::Arrays(16, _)), Element::Matrix) => Ok(attribute),
            _ => Err(CloudError::WrongType),
        }
    }

    /// Number of array elements that the value of a point fills: array attributes are read into longer arrays
    /// consecutively.
    pub(crate) fn width(&self, element: Element) -> usize {
        match (self, element) {
            (CloudAttribute::Values(CloudValues::Arrays(width, _)), Element::Float) => *width,
            (CloudAttribute::Values(CloudValues::Triples(_)), Element::Float) => 3,
            _ => 1,
        }
    }

    /// Returns an element of a point's value with the type that [`CloudAttribute::of`] has checked; `None` if there is
    /// no such point.
    pub(crate) fn value(&self, element: Element, index: i32, part: usize) -> Option<CloudValue<'a>> {
        let at = usize::try_from(index).ok()?;
        Some(match self {
            CloudAttribute::Index(count) => {
                (at < *count as usize).then_some(())?;
                CloudValue::Int(index)
            }
            CloudAttribute::Values(CloudValues::Ints(list)) => match element {
                Element::Float => CloudValue::Float(*list.get(at)? as f32),
                _ => CloudValue::Int(*list.get(at)?),
            },
            CloudAttribute::Values(CloudValues::Floats(list)) => CloudValue::Float(*list.get(at)?),
            CloudAttribute::Values(CloudValues::Triples(list)) => match element {
                Element::Float => CloudValue::Float(*list.get(at)?.get(part)?),
                _ => CloudValue::Triple(*list.get(at)?),
            },
            CloudAttribute::Values(CloudValues::Texts { list, indices }) => {
                let index = usize::try_from(*indices.get(at)?).ok();
                let found = index.and_then(|index| list.get(index));
                CloudValue::Text(found.map_or("", |found| text::start_of(found)))
            }
            CloudAttribute::Values(CloudValues::Arrays(width, list)) => {
                let floats = list.get(at * width..)?.get(..*width)?;
                match element {
                    Element::Matrix => CloudValue::Matrix(floats.try_into().ok()?),
                    _ => CloudValue::Float(*floats.get(part)?),
                }
            }
        })
    }

    /// Name of the attribute's type.
    fn type_name(&self) -> Cow<'static, str> {
        match self {
            CloudAttribute::Index(_) | CloudAttribute::Values(CloudValues::Ints(_)) => "int".into(),
            CloudAttribute::Values(CloudValues::Floats(_)) => "float".into(),
            CloudAttribute::Values(CloudValues::Triples(_)) => "a triple".into(),
            CloudAttribute::Values(CloudValues::Texts { .. }) => "string".into(),
            CloudAttribute::Values(CloudValues::Arrays(width, _)) => format!("float[{width}]").into(),
        }
    }
}

/// Number of points that a call requests, limited by the number of indices and the space for values.
pub(crate) fn requested_count(count: i32, indices: usize, room: usize) -> usize {
    usize::try_from(count).unwrap_or(0).min(indices).min(room)
}

/// Returns the zero of a type that has derivatives.
pub(crate) fn zero(element: Element) -> Option<CloudValue<'static>> {
    match element {
        Element::Float => Some(CloudValue::Float(0.0)),
        Element::Triple => Some(CloudValue::Triple([0.0; 3])),
        Element::Matrix => Some(CloudValue::Matrix([0.0; 16])),
        Element::Int | Element::String | Element::Closure => None,
    }
}

/// Searches points and stores their indices, at most `max_points` and the length of `room`; returns their number. Without
/// `room`, points are only counted. `points` is scratch memory.
pub(crate) fn search(
    cloud: Option<&dyn PointCloud>,
    search: &CloudSearch,
    max_points: i32,
    room: usize,
    points: &mut Vec<(f32, u32)>,
) -> Result<usize, CloudError> {
    let cloud = cloud.ok_or(CloudError::NoCloud)?;
    let room = if room == 0 { cloud.count() } else { room };
    let max_points = usize::try_from(max_points).unwrap_or(0).min(room);
    let numbers = search.center.iter().chain([&search.radius]);
    // The radius may be infinite.
    if max_points == 0 || search.radius < 0.0 || numbers.into_iter().any(|x| x.is_nan()) {
        return Ok(0);
    }
    if points.len() < max_points {
        points.resize(max_points, (0.0, 0));
    }
    Ok(cloud.search(search, &mut points[..max_points]).min(max_points))
}

/// Returns whether a call of `pointcloud_get` finds its attribute and all requested points, for an array of `room`
/// elements. A call that requests no points succeeds.
pub(crate) fn check(
    cloud: Option<&dyn PointCloud>,
    name: &str,
    (element, room): (Element, usize),
    indices: impl ExactSizeIterator<Item = i32>,
) -> Result<(), CloudError> {
    if indices.len() == 0 {
        return Ok(());
    }
    let cloud = cloud.ok_or(CloudError::NoCloud)?;
    let width = CloudAttribute::of(cloud, name, element)?.width(element);
    if indices.len() * width > room {
        return Err(CloudError::NoRoom(width));
    }
    let count = cloud.count();
    let is_there = |index: &i32| usize::try_from(*index).is_ok_and(|index| index < count);
    match { indices }.find(|index| !is_there(index)) {
        Some(index) => Err(CloudError::NoPoint(index)),
        None => Ok(()),
    }
}

/// Returns the distance of a point from a centre, and its derivative for a derivative of the centre; zero for an unknown
/// point.
pub(crate) fn distance(
    cloud: Option<&dyn PointCloud>,
    index: i32,
    center: [f32; 3],
    change: [f32; 3],
) -> [f32; 2] {
    let positions = cloud.and_then(|cloud| cloud.values("position"));
    let at = usize::try_from(index).ok();
    let (Some(CloudValues::Triples(list)), Some(at)) = (positions, at) else {
        return [0.0; 2];
    };
    let Some(position) = list.get(at) else {
        return [0.0; 2];
    };
    let way = [0, 1, 2].map(|i| center[i] - position[i]);
    let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let distance = dot(way, way).sqrt();
    let slope = if distance > 0.0 { dot(way, change) / distance } else { 0.0 };
    [distance, slope]
}

/// Returns the message of an error. `error` is the reason why the cloud cannot be read.
pub(crate) fn message(
    fault: CloudError,
    cloud: Option<&dyn PointCloud>,
    error: impl FnOnce() -> Option<String>,
    file: &str,
    name: &str,
    element: Element,
) -> String {
    let names = || {
        let mut names = vec![INDEX.to_owned()];
        names.extend(cloud.map(PointCloud::names).unwrap_or_default());
        names.join(", ")
    };
    match fault {
        CloudError::NoCloud => {
            let error = error().unwrap_or_else(|| format!("point cloud {file:?} cannot be searched"));
            format!("{error}; nothing is found")
        }
        CloudError::NoAttribute => {
            format!("point cloud {file:?} has no attribute {name:?}; it has {}", names())
        }
        CloudError::WrongType => {
            let found = cloud.and_then(|cloud| {
                let all = [Element::Int, Element::Float, Element::Triple, Element::String];
                all.into_iter()
                    .find_map(|element| CloudAttribute::of(cloud, name, element).ok())
            });
            let found = found.map_or("of another type".into(), |attribute| attribute.type_name());
            let wanted = shading_compiler::hir::Kind::One(element);
            format!("attribute {name:?} of point cloud {file:?} is {found}, not {wanted}")
        }
        CloudError::NoRoom(width) => {
            format!(
                "attribute {name:?} of point cloud {file:?} has {width} floats: the array is too short for that"
            )
        }
        CloudError::NoPoint(index) => {
            let count = cloud.map_or(0, PointCloud::count);
            format!("point cloud {file:?} has no point {index}: there are {count}")
        }
    }
}
