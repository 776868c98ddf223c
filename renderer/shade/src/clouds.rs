//! Point clouds that shaders write: one file for each, made before any output is put in its place.

use std::path::Path;

use rustc_hash::FxHashMap;
use shading::{PointValueType, WrittenCloud, WrittenClouds};

use renderer_image::Staged;
use renderer_support::Failure;
use renderer_support::outputs::Outputs;
use renderer_transport::cloud::{CloudFormat, CloudRows, ColumnType};

/// Name of the call that writes point clouds, for messages.
const CALL: &str = "pointcloud_write";

/// The most files that a command writes.
const MAX_FILES: usize = 256;

/// Returns the reason why the extension of a point cloud file is refused, if it is.
pub(super) fn refusal(file: &str) -> Option<&'static str> {
    match CloudFormat::of(Path::new(file)) {
        Some(_) => None,
        None => Some("point clouds are written as .ply and .geo"),
    }
}

/// Adds the files of clouds to the outputs; fails when the points of a file have different attributes, or a file is
/// another output or has no place.
pub(super) fn outputs(written: &WrittenClouds, mut outputs: Outputs) -> Result<Outputs, Failure> {
    let clouds = written.clouds();
    check_attributes(clouds)?;
    if clouds.len() > MAX_FILES {
        let count = clouds.len();
        return Err(Failure::User(format!(
            "error: {CALL} writes {count} files; at most {MAX_FILES} are possible"
        )));
    }
    for cloud in clouds {
        outputs.file(CALL, Path::new(&cloud.file))?;
    }
    Ok(outputs)
}

/// Fails if a file exists that no shader wrote.
pub(super) fn spare_others(written: &WrittenClouds) -> Result<(), Failure> {
    let mut paths = written.clouds().iter().map(|cloud| Path::new(&cloud.file));
    match paths.find(|path| path.is_file() && !CloudFormat::wrote(path)) {
        None => Ok(()),
        Some(path) => Err(Failure::User(format!(
            "error: '{}' exists, and no earlier {CALL} wrote it\n  hint: name another file, or delete it",
            path.display()
        ))),
    }
}

/// The files of all clouds, written but not in their places yet.
pub(super) fn stage(written: WrittenClouds) -> Result<Vec<Staged>, Failure> {
    written.into_clouds().into_iter().map(stage_cloud).collect()
}

fn stage_cloud(cloud: WrittenCloud) -> Result<Staged, Failure> {
    let path = Path::new(&cloud.file);
    let format = CloudFormat::of(path).unwrap_or(CloudFormat::Ply);
    let columns = cloud.attributes.into_iter().map(|(name, ty)| {
        let ty = match ty {
            PointValueType::Int => ColumnType::Int,
            PointValueType::Float => ColumnType::Float,
            PointValueType::Triple => ColumnType::Triple,
            PointValueType::Matrix => ColumnType::Matrix,
            PointValueType::Text => ColumnType::Text,
        };
        (name, ty)
    });
    let rows = CloudRows {
        columns: columns.collect(),
        words: cloud.words,
        texts: cloud.texts,
    };
    Ok(rows.stage(path, format)?)
}

/// Fails where points of one file have different attributes.
fn check_attributes(clouds: &[WrittenCloud]) -> Result<(), Failure> {
    let mut known: FxHashMap<&str, &WrittenCloud> = FxHashMap::default();
    for cloud in clouds {
        if let Some(other) = known.insert(&cloud.file, cloud) {
            let [first, second] = [other, cloud].map(attributes);
            return Err(Failure::User(format!(
                "error: the points of '{}' have different attributes: {first}; and {second}\n  \
                 hint: give all calls of `{CALL}` with that file the same attributes, in the same order",
                cloud.file
            )));
        }
    }
    Ok(())
}

fn attributes(cloud: &WrittenCloud) -> String {
    if cloud.attributes.is_empty() {
        return "none".to_owned();
    }
    let list = cloud.attributes.iter().map(|(name, ty)| format!("{ty} {name:?}"));
    list.collect::<Vec<_>>().join(", ")
}
