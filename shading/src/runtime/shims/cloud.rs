//! Shims for point clouds: `pointcloud_search`, `pointcloud_get` and `pointcloud_write`.

use std::{mem, slice};

use super::record::Record;
use super::report::report;
use super::text::make;
use super::{Lanes, Shim, run};
use crate::runtime::cloud::{
    self, CloudAttribute, CloudError, CloudHandle, CloudSearch, CloudValue, PointCloud,
};
use crate::runtime::context::ContextHeader;
use crate::runtime::text::{self, TextHeader};
use crate::runtime::written_cloud;
use crate::runtime::{ReportKind, ShaderHost};
use shading_compiler::builtins::Builtin;
use shading_compiler::hir::Kind;
use shading_compiler::hir::kind::Element;

/// Operands of a call as stored by compiled code. Pointers that a function does not use may be null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct CloudRecord {
    pub(crate) center: Lanes,
    /// Change of `center` along an axis.
    pub(crate) change: Lanes,
    pub(crate) file: *const TextHeader,
    pub(crate) name: *const TextHeader,
    pub(crate) indices: *const i32,
    /// Contents of the array before the call.
    pub(crate) before: *const u8,
    pub(crate) handle: u32,
    pub(crate) radius: f32,
    /// Maximum number of points.
    pub(crate) count: i32,
    pub(crate) sort: i32,
    /// Number of elements of `indices`.
    pub(crate) length: u32,
    /// [`Kind::code`] of the array to fill.
    pub(crate) kind: i32,
}

impl CloudRecord {
    /// Number of requested points, limited by the number of indices and the length of the array.
    fn requested_count(&self) -> usize {
        cloud::requested_count(self.count, self.length as usize, self.room())
    }

    /// Number of elements of the array.
    fn room(&self) -> usize {
        Kind::of_code(self.kind).count() as usize
    }

    fn element(&self) -> Element {
        let (Kind::One(element) | Kind::Array(element, _)) = Kind::of_code(self.kind);
        element
    }

    fn cloud<'a>(&self, host: &'a dyn ShaderHost) -> Option<&'a dyn PointCloud> {
        host.cloud(CloudHandle(self.handle))
    }

    /// Reports an error of a call.
    ///
    /// # Safety
    /// `ctx` is the context of a run in progress, and the record that of a call in that run.
    unsafe fn report(&self, ctx: *mut ContextHeader, place: u32, fault: CloudError) {
        let kind = match fault {
            CloudError::NoCloud => ReportKind::MissingCloud,
            _ => ReportKind::BadArgument,
        };
        // SAFETY: guaranteed by the caller.
        unsafe {
            let host = run(ctx).host_of_run();
            report(ctx, place, kind, || {
                let name = if self.name.is_null() { "" } else { text::read(self.name) };
                let file = text::read(self.file);
                let error = || host.cloud_error(file);
                cloud::message(fault, self.cloud(&*host), error, file, name, self.element())
            });
        }
    }

    /// Writes the values of the requested points to a result, and copies the previous contents of the remaining
    /// elements. The value of a point fills `width` elements.
    ///
    /// # Safety
    /// Compiled code filled the record in a run whose context is `ctx`, and `out` has the number of elements in the
    /// record. `out` may be `before`, or `indices` if `width` is 1.
    unsafe fn fill<'a>(
        &self,
        (ctx, place): (*mut ContextHeader, u32),
        out: *mut u8,
        width: usize,
        value: impl Fn(i32, usize) -> Option<CloudValue<'a>>,
    ) {
        let stride = stride(self.element());
        let requested_count = self.requested_count().min(self.room() / width) * width;
        // SAFETY: guaranteed by the caller. Each index is read before its element is written.
        unsafe {
            for i in 0..self.room() {
                let (to, from) = (out.add(i * stride), self.before.add(i * stride));
                let value = if i < requested_count {
                    value(*self.indices.add(i / width), i % width)
                } else {
                    None
                };
                match value {
                    Some(CloudValue::Int(x)) => to.cast::<i32>().write(x),
                    Some(CloudValue::Float(x)) => to.cast::<f32>().write(x),
                    Some(CloudValue::Matrix(x)) => to.cast::<[f32; 16]>().write(x),
                    Some(CloudValue::Triple([x, y, z])) => to.cast::<Lanes>().write([x, y, z, 0.0]),
                    Some(CloudValue::Text(x)) => {
                        to.cast::<*const TextHeader>().write(make(ctx, place, x));
                    }
                    None if to.cast_const() == from => {}
                    None => to.copy_from_nonoverlapping(from, stride),
                }
            }
        }
    }
}

/// Stride in bytes of an array.
fn stride(element: Element) -> usize {
    match element {
        Element::Int | Element::Float => 4,
        Element::String | Element::Closure => 8,
        Element::Triple => 16,
        Element::Matrix => 64,
    }
}

/// `(context, file) → handle`: the cloud with a name computed at run time.
pub(crate) fn cloud_named() -> Shim {
    Shim::of2(cloud_named_shim)
}

unsafe extern "C" fn cloud_named_shim(ctx: *mut ContextHeader, file: *const TextHeader) -> u32 {
    // SAFETY: compiled code passes its context and a text.
    let handle = unsafe { run(ctx).host().cloud_handle(text::read(file)) };
    handle.unwrap_or(CloudHandle::NONE).0
}

/// `(context, place, record, out)` of a function whose result is an array.
pub(crate) fn cloud_array(builtin: Builtin) -> Option<Shim> {
    match builtin {
        Builtin::CloudSearch => Some(Shim::of4(search)),
        Builtin::CloudValues => Some(Shim::of4(values)),
        Builtin::CloudDistances => Some(Shim::of4(distances)),
        Builtin::CloudDistanceChanges => Some(Shim::of4(distance_changes)),
        Builtin::CloudZeros => Some(Shim::of4(zeros)),
        _ => None,
    }
}

unsafe extern "C" fn search(ctx: *mut ContextHeader, place: u32, record: *const CloudRecord, out: *mut i32) {
    // SAFETY: compiled code passes its context, a record that it has filled, and the address of the result.
    unsafe {
        let record = &*record;
        let places = record.room().saturating_sub(1);
        let [x, y, z, _] = record.center;
        let wanted = CloudSearch {
            center: [x, y, z],
            radius: record.radius,
            sort: record.sort != 0,
        };
        let mut points = mem::take(&mut run(ctx).cloud_points);
        let found = cloud::search(record.cloud(run(ctx).host()), &wanted, record.count, places, &mut points);
        let count = found.unwrap_or(0);
        for i in 0..places {
            let index = points[..count].get(i).map_or(0, |(_, index)| index.cast_signed());
            out.add(i).write(index);
        }
        out.add(places).write(count as i32);
        run(ctx).cloud_points = points;
        if let Err(fault) = found {
            record.report(ctx, place, fault);
        }
    }
}

/// `(context, place, record) → int`: whether all values requested by a call exist.
pub(crate) fn has_cloud_values() -> Shim {
    Shim::of3(has_values)
}

unsafe extern "C" fn has_values(ctx: *mut ContextHeader, place: u32, record: *const CloudRecord) -> i32 {
    // SAFETY: compiled code passes its context and a record that it has filled.
    unsafe {
        let record = &*record;
        let indices = (0..record.requested_count()).map(|i| *record.indices.add(i));
        let cloud = record.cloud(run(ctx).host());
        let array = (record.element(), record.room());
        match cloud::check(cloud, text::read(record.name), array, indices) {
            Ok(()) => 1,
            Err(fault) => {
                record.report(ctx, place, fault);
                0
            }
        }
    }
}

unsafe extern "C" fn values(ctx: *mut ContextHeader, place: u32, record: *const CloudRecord, out: *mut u8) {
    // SAFETY: compiled code passes its context, a record that it has filled, and the address of the result.
    unsafe {
        let record = &*record;
        let element = record.element();
        let cloud = record.cloud(run(ctx).host());
        // Errors are reported by the test whether the values exist.
        let attribute =
            cloud.and_then(|cloud| CloudAttribute::of(cloud, text::read(record.name), element).ok());
        let width = attribute.map_or(1, |attribute| attribute.width(element));
        record.fill((ctx, place), out, width, |index, part| attribute?.value(element, index, part));
    }
}

unsafe extern "C" fn distances(
    ctx: *mut ContextHeader,
    place: u32,
    record: *const CloudRecord,
    out: *mut u8,
) {
    // SAFETY: as for `values`.
    unsafe { fill_distances((ctx, place), record, out, 0) }
}

unsafe extern "C" fn distance_changes(
    ctx: *mut ContextHeader,
    place: u32,
    record: *const CloudRecord,
    out: *mut u8,
) {
    // SAFETY: as for `values`.
    unsafe { fill_distances((ctx, place), record, out, 1) }
}

/// Fills an array with distances, or with their derivatives.
///
/// # Safety
/// As for `values`.
unsafe fn fill_distances(
    (ctx, place): (*mut ContextHeader, u32),
    record: *const CloudRecord,
    out: *mut u8,
    part: usize,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let record = &*record;
        let triple = |[x, y, z, _]: Lanes| [x, y, z];
        let (center, change) = (triple(record.center), triple(record.change));
        let cloud = record.cloud(run(ctx).host());
        record.fill((ctx, place), out, 1, |index, _| {
            let both = cloud::distance(cloud, index, center, change);
            Some(CloudValue::Float(both[part]))
        });
    }
}

unsafe extern "C" fn zeros(ctx: *mut ContextHeader, place: u32, record: *const CloudRecord, out: *mut u8) {
    // SAFETY: as for `values`.
    unsafe {
        let record = &*record;
        let zero = cloud::zero(record.element());
        record.fill((ctx, place), out, 1, |_, _| zero);
    }
}

/// `(context, place, file, position, records, number of records) → int`: whether the point is recorded. The records are
/// alternating names and values of attributes.
pub(crate) fn cloud_write() -> Shim {
    Shim::of6(write)
}

unsafe extern "C" fn write(
    ctx: *mut ContextHeader,
    place: u32,
    file: *const TextHeader,
    position: *const Lanes,
    records: *const Record,
    count: u32,
) -> i32 {
    // SAFETY: compiled code passes its context, a text, a triple, and the given number of records, alternating texts
    // and values.
    unsafe {
        let (file, [x, y, z, _]) = (text::read(file), *position);
        let records = slice::from_raw_parts(records, count as usize);
        let attributes = records.chunks_exact(2).map(|pair| (pair[0].text(), pair[1].value()));
        let run = run(ctx);
        let (host, clouds) = run.host_and_written();
        match written_cloud::write(host, clouds, file, [x, y, z], attributes) {
            Ok(()) => 1,
            Err(refusal) => {
                report(ctx, place, ReportKind::CloudNotWritten, || refusal.message(file));
                0
            }
        }
    }
}
