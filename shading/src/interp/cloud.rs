//! Point clouds: evaluation of `pointcloud_search` and `pointcloud_get`, and recording of `pointcloud_write`.

use super::ReportKind;
use crate::runtime::ShaderHost;
use crate::runtime::cloud::{
    self, CloudAttribute, CloudError, CloudHandle, CloudSearch, CloudValue, PointCloud,
};
use crate::runtime::written_cloud::{self, WrittenClouds};
use shading_compiler::builtins::Builtin;
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Const, Kind};

/// Error report of a call.
pub(super) type CloudReport = (ReportKind, String);

/// Evaluates a point cloud function; `None` if it is another function, or its operands are invalid.
pub(super) fn evaluate(
    host: &dyn ShaderHost,
    builtin: Builtin,
    kind: Kind,
    args: &[&Const],
) -> Option<(Const, Option<CloudReport>)> {
    use Const::{Array, Float, Int, String, Triple};
    Some(match (builtin, args) {
        (Builtin::CloudSearch, [String(file), Triple(center), Float(radius), Int(max_points), Int(sort)]) => {
            let wanted = CloudSearch { center: *center, radius: *radius, sort: *sort != 0 };
            let call = Call::new(host, file);
            let places = (kind.count() as usize).saturating_sub(1);
            let mut points = vec![];
            let found = cloud::search(call.cloud, &wanted, *max_points, places, &mut points);
            let count = found.unwrap_or(0);
            points.truncate(count);
            let mut list: Vec<Const> = points.iter().map(|(_, index)| Int(index.cast_signed())).collect();
            list.resize(places, Int(0));
            list.push(Int(count as i32));
            (Array(list), call.report(found.err(), "", Element::Int))
        }
        (Builtin::HasCloudValues, [String(file), Array(indices), Int(count), String(name), Int(code)]) => {
            let kind = Kind::of_code(*code);
            let (Kind::One(element) | Kind::Array(element, _)) = kind;
            let requested_count = cloud::requested_count(*count, indices.len(), kind.count() as usize);
            let indices = indices[..requested_count].iter().map(int);
            let call = Call::new(host, file);
            let result = cloud::check(call.cloud, name, (element, kind.count() as usize), indices);
            let found = Int(i32::from(result.is_ok()));
            (found, call.report(result.err(), name, element))
        }
        (Builtin::CloudValues, [Array(before), String(file), Array(indices), Int(count), String(name)]) => {
            let (Kind::One(element) | Kind::Array(element, _)) = kind;
            let attribute = Call::new(host, file)
                .cloud
                .and_then(|cloud| CloudAttribute::of(cloud, name, element).ok());
            let width = attribute.map_or(1, |attribute| attribute.width(element));
            let value = |index, part| attribute?.value(element, index, part);
            (fill(before, indices, *count, width, value), None)
        }
        (
            Builtin::CloudDistances,
            [Array(before), String(file), Array(indices), Int(count), Triple(center)],
        ) => {
            let distances = Call::new(host, file).distances(*center, [0.0; 3]);
            let value = |index, _| Some(CloudValue::Float(distances(index)[0]));
            (fill(before, indices, *count, 1, value), None)
        }
        (
            Builtin::CloudDistanceChanges,
            [Array(before), String(file), Array(indices), Int(count), Triple(center), Triple(change)],
        ) => {
            let distances = Call::new(host, file).distances(*center, *change);
            let value = |index, _| Some(CloudValue::Float(distances(index)[1]));
            (fill(before, indices, *count, 1, value), None)
        }
        (Builtin::CloudZeros, [Array(before), Array(indices), Int(count)]) => {
            let (Kind::One(element) | Kind::Array(element, _)) = kind;
            (fill(before, indices, *count, 1, |_, _| cloud::zero(element)), None)
        }
        _ => return None,
    })
}

/// Records a point with its attributes. `None` if the operands are invalid; otherwise the reason why it was not
/// recorded, if any.
pub(super) fn write<'a>(
    host: &dyn ShaderHost,
    clouds: &mut WrittenClouds,
    args: &'a [&'a Const],
) -> Option<Option<String>> {
    let [Const::String(file), Const::Triple(position), attributes @ ..] = args else {
        return None;
    };
    let pair = |pair: &'a [&'a Const]| match pair {
        [Const::String(name), Const::Int(x)] => Some((&**name, CloudValue::Int(*x))),
        [Const::String(name), Const::Float(x)] => Some((&**name, CloudValue::Float(*x))),
        [Const::String(name), Const::Triple(x)] => Some((&**name, CloudValue::Triple(*x))),
        [Const::String(name), Const::Matrix(x)] => Some((&**name, CloudValue::Matrix(*x))),
        [Const::String(name), Const::String(x)] => Some((&**name, CloudValue::Text(x))),
        _ => None,
    };
    let attributes: Vec<(&str, CloudValue<'_>)> = attributes.chunks(2).map(pair).collect::<Option<_>>()?;
    let values = attributes.iter().copied();
    let kept = written_cloud::write(host, clouds, file, *position, values);
    Some(kept.err().map(|refusal| refusal.message(file)))
}

/// Point cloud of a call.
struct Call<'a> {
    host: &'a dyn ShaderHost,
    file: &'a str,
    cloud: Option<&'a dyn PointCloud>,
}

impl<'a> Call<'a> {
    fn new(host: &'a dyn ShaderHost, file: &'a str) -> Call<'a> {
        let handle = host.cloud_handle(file).unwrap_or(CloudHandle::NONE);
        Call { host, file, cloud: host.cloud(handle) }
    }

    /// Returns the distances of points from a centre, or the derivatives for a derivative of the centre.
    fn distances(&self, center: [f32; 3], change: [f32; 3]) -> impl Fn(i32) -> [f32; 2] + use<'a> {
        let cloud = self.cloud;
        move |index| cloud::distance(cloud, index, center, change)
    }

    fn report(&self, fault: Option<CloudError>, name: &str, element: Element) -> Option<CloudReport> {
        let fault = fault?;
        let kind = match fault {
            CloudError::NoCloud => ReportKind::MissingCloud,
            _ => ReportKind::BadArgument,
        };
        let error = || self.host.cloud_error(self.file);
        let message = cloud::message(fault, self.cloud, error, self.file, name, element);
        Some((kind, message))
    }
}

fn int(value: &Const) -> i32 {
    match value {
        Const::Int(i) => *i,
        _ => 0,
    }
}

/// Replaces the elements of an array that a call requests; each point fills `width` elements.
fn fill<'a>(
    before: &[Const],
    indices: &[Const],
    count: i32,
    width: usize,
    value: impl Fn(i32, usize) -> Option<CloudValue<'a>>,
) -> Const {
    let mut list = before.to_vec();
    let requested_count = cloud::requested_count(count, indices.len(), list.len() / width);
    for (places, index) in list.chunks_exact_mut(width).zip(&indices[..requested_count]) {
        for (part, place) in places.iter_mut().enumerate() {
            if let Some(value) = value(int(index), part) {
                *place = value.constant();
            }
        }
    }
    Const::Array(list)
}
