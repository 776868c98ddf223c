//! Point clouds that shaders search (`pointcloud_search`, `pointcloud_get`): the interface of a cloud, its values, and
//! what can be wrong with a call.

use std::borrow::Cow;
use std::sync::Arc;

use shading_compiler::eval::text;
use shading_compiler::hir::Const;
use shading_compiler::hir::kind::Element;

/// The embedder's number for a point cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct CloudHandle(pub u32);

impl CloudHandle {
    /// That of no cloud.
    pub const NONE: CloudHandle = CloudHandle(u32::MAX);
}

/// A search for the nearest points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloudSearch {
    /// Where, in the space of the cloud.
    pub center: [f32; 3],
    /// The largest distance that counts.
    pub radius: f32,
    /// Whether the nearest points come first.
    pub sort: bool,
}

/// The values of an attribute, one for each point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CloudValues<'a> {
    /// `int`.
    Ints(&'a [i32]),
    /// `float`.
    Floats(&'a [f32]),
    /// Any of the four triples.
    Triples(&'a [[f32; 3]]),
    /// Arrays of so many floats, one after the other.
    Arrays(usize, &'a [f32]),
    /// `string`.
    Texts {
        /// The strings.
        list: &'a [Arc<str>],
        /// Which of them each point has; the empty one where there is no such string.
        indices: &'a [i32],
    },
}

/// A point cloud, as shaders search it from many threads at once: implementations must neither lock nor allocate.
pub trait PointCloud: Send + Sync {
    /// How many points it has.
    fn count(&self) -> usize;

    /// Fills `found` from its start with the points that are nearest to the centre, none of them beyond the radius: the
    /// squared distance of each, and its number. How many there are. Of points at equal distances those with lower
    /// numbers are preferred.
    fn search(&self, search: &CloudSearch, found: &mut [(f32, u32)]) -> usize;

    /// The values of an attribute. All clouds have a "position".
    fn values(&self, name: &str) -> Option<CloudValues<'_>>;

    /// The names of the attributes, for messages.
    fn names(&self) -> Vec<String>;
}

/// The number of each point, which is an attribute of all clouds.
const INDEX: &str = "index";

/// An attribute that a call asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CloudAttribute<'a> {
    /// The numbers of so many points.
    Index(u32),
    Values(CloudValues<'a>),
}

/// A value of an attribute.
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

/// What is wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloudFault {
    /// There is no such cloud.
    NoCloud,
    /// It has no such attribute.
    NoAttribute,
    /// The attribute is of another type.
    WrongType,
    /// It has no such point.
    NoPoint(i32),
    /// Values of so many floats do not fit.
    NoRoom(usize),
}

impl<'a> CloudAttribute<'a> {
    /// The attribute of a name, whose values are to be of a type.
    pub(crate) fn of(
        cloud: &'a dyn PointCloud,
        name: &str,
        element: Element,
    ) -> Result<CloudAttribute<'a>, CloudFault> {
        let attribute = if name == INDEX {
            CloudAttribute::Index(cloud.count() as u32)
        } else {
            CloudAttribute::Values(cloud.values(name).ok_or(CloudFault::NoAttribute)?)
        };
        match (attribute, element) {
            (CloudAttribute::Index(_), Element::Int)
            | (CloudAttribute::Values(CloudValues::Ints(_)), Element::Int | Element::Float)
            | (CloudAttribute::Values(CloudValues::Floats(_)), Element::Float)
            | (CloudAttribute::Values(CloudValues::Triples(_)), Element::Triple | Element::Float)
            | (CloudAttribute::Values(CloudValues::Texts { .. }), Element::String)
            | (CloudAttribute::Values(CloudValues::Arrays(1.., _)), Element::Float)
            | (CloudAttribute::Values(CloudValues::Arrays(16, _)), Element::Matrix) => Ok(attribute),
            _ => Err(CloudFault::WrongType),
        }
    }

    /// How many elements of an array the value of a point fills: arrays are read into longer ones, one after the other.
    pub(crate) fn width(&self, element: Element) -> usize {
        match (self, element) {
            (CloudAttribute::Values(CloudValues::Arrays(width, _)), Element::Float) => *width,
            (CloudAttribute::Values(CloudValues::Triples(_)), Element::Float) => 3,
            _ => 1,
        }
    }

    /// A part of the value of a point, of the type that [`CloudAttribute::of`] has checked; `None` where there is no
    /// such point.
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

    /// What its values are called.
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

/// How many points a call asks for: at most as many as it has numbers of points, and places for values.
pub(crate) fn asked(count: i32, indices: usize, room: usize) -> usize {
    usize::try_from(count).unwrap_or(0).min(indices).min(room)
}

/// The zero of a type that derivatives are of.
pub(crate) fn zero(element: Element) -> Option<CloudValue<'static>> {
    match element {
        Element::Float => Some(CloudValue::Float(0.0)),
        Element::Triple => Some(CloudValue::Triple([0.0; 3])),
        Element::Matrix => Some(CloudValue::Matrix([0.0; 16])),
        Element::Int | Element::String | Element::Closure => None,
    }
}

/// The numbers of the points that a search finds, at most as many as `most` and as `room` has places; how many come back.
/// Without places the points are only counted. `points` is memory to search in.
pub(crate) fn search(
    cloud: Option<&dyn PointCloud>,
    search: &CloudSearch,
    most: i32,
    room: usize,
    points: &mut Vec<(f32, u32)>,
) -> Result<usize, CloudFault> {
    let cloud = cloud.ok_or(CloudFault::NoCloud)?;
    let room = if room == 0 { cloud.count() } else { room };
    let most = usize::try_from(most).unwrap_or(0).min(room);
    let numbers = search.center.iter().chain([&search.radius]);
    // A radius may be infinite.
    if most == 0 || search.radius < 0.0 || numbers.into_iter().any(|x| x.is_nan()) {
        return Ok(0);
    }
    if points.len() < most {
        points.resize(most, (0.0, 0));
    }
    Ok(cloud.search(search, &mut points[..most]).min(most))
}

/// Whether a call of `pointcloud_get` finds its attribute, and all points that it asks for, in an array of `room` places.
/// What asks for nothing is given that.
pub(crate) fn check(
    cloud: Option<&dyn PointCloud>,
    name: &str,
    (element, room): (Element, usize),
    indices: impl ExactSizeIterator<Item = i32>,
) -> Result<(), CloudFault> {
    if indices.len() == 0 {
        return Ok(());
    }
    let cloud = cloud.ok_or(CloudFault::NoCloud)?;
    let width = CloudAttribute::of(cloud, name, element)?.width(element);
    if indices.len() * width > room {
        return Err(CloudFault::NoRoom(width));
    }
    let count = cloud.count();
    let is_there = |index: &i32| usize::try_from(*index).is_ok_and(|index| index < count);
    match { indices }.find(|index| !is_there(index)) {
        Some(index) => Err(CloudFault::NoPoint(index)),
        None => Ok(()),
    }
}

/// The distance of a point from a centre, and its change where the centre changes; zero where there is no such point.
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
    let slope = if distance > 0.0 {
        dot(way, change) / distance
    } else {
        0.0
    };
    [distance, slope]
}

/// What is wrong with a call, in words. `error` is why there is no cloud.
pub(crate) fn message(
    fault: CloudFault,
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
        CloudFault::NoCloud => {
            let error = error().unwrap_or_else(|| format!("point cloud {file:?} cannot be searched"));
            format!("{error}; nothing is found")
        }
        CloudFault::NoAttribute => {
            format!(
                "point cloud {file:?} has no attribute {name:?}; it has {}",
                names()
            )
        }
        CloudFault::WrongType => {
            let found = cloud.and_then(|cloud| {
                let all = [Element::Int, Element::Float, Element::Triple, Element::String];
                all.into_iter()
                    .find_map(|element| CloudAttribute::of(cloud, name, element).ok())
            });
            let found = found.map_or("of another type".into(), |attribute| attribute.type_name());
            let wanted = shading_compiler::hir::Kind::One(element);
            format!("attribute {name:?} of point cloud {file:?} is {found}, not {wanted}")
        }
        CloudFault::NoRoom(width) => {
            format!(
                "attribute {name:?} of point cloud {file:?} has {width} floats: the array is too short for that"
            )
        }
        CloudFault::NoPoint(index) => {
            let count = cloud.map_or(0, PointCloud::count);
            format!("point cloud {file:?} has no point {index}: there are {count}")
        }
    }
}
