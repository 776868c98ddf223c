//! Output of `kiln info` for files with grids of volumes.

use std::fmt::Write as _;
use std::path::Path;

use glam::{DVec3, IVec3};
use serde_json::{Value as Json, json};

use renderer_base::files::SharedFiles;
use renderer_grid::{Grid, GridChoice, GridEntry, GridError, GridFile};

/// A file with its grids, each decoded or with the reason why it is not.
pub(super) struct Volume {
    format: &'static str,
    grids: Vec<(GridEntry, Result<GridSummary, String>)>,
}

/// Description of a grid.
struct GridSummary {
    bounds: Option<[IVec3; 2]>,
    voxels: u64,
    range: [f32; 2],
    background: Vec<f32>,
    /// Images of the axes, and of the origin.
    transform: [DVec3; 4],
    voxel_size: DVec3,
    not_finite: u64,
    bytes: usize,
}

impl GridSummary {
    fn of(grid: &Grid) -> GridSummary {
        let transform = grid.world_from_index();
        let m = transform.matrix3;
        GridSummary {
            bounds: grid.activity().bounds,
            voxels: grid.activity().voxels,
            range: grid.activity().range,
            background: grid.background().to_vec(),
            transform: [m.x_axis, m.y_axis, m.z_axis, transform.translation],
            voxel_size: grid.voxel_size(),
            not_finite: grid.not_finite(),
            bytes: grid.bytes(),
        }
    }

    /// Corners of the box of active voxels in world space.
    fn world_box(&self) -> Option<[DVec3; 2]> {
        let [low, high] = self.bounds?;
        let [x, y, z, origin] = self.transform;
        let (low, high) = (low.as_dvec3() - 0.5, high.as_dvec3() + 0.5);
        let corners = (0..8).map(|i| {
            let pick = |bit: usize, a: f64, b: f64| if i & bit == 0 { a } else { b };
            x * pick(1, low.x, high.x) + y * pick(2, low.y, high.y) + z * pick(4, low.z, high.z) + origin
        });
        corners.fold(None, |bounds: Option<[DVec3; 2]>, p| {
            let [min, max] = bounds.unwrap_or([p; 2]);
            Some([min.min(p), max.max(p)])
        })
    }
}

impl Volume {
    /// Reads a file and decodes its grids, one after the other.
    pub(super) fn read(path: &Path) -> Result<Volume, GridError> {
        let file = GridFile::read(&*SharedFiles::default(), path)?;
        let summary = |index: usize| match &file.entries()[index].fault {
            Some(fault) => Err(fault.to_string()),
            None => match file.load(&GridChoice::Index(index)) {
                Ok(grid) => Ok(GridSummary::of(&grid)),
                Err(GridError::Fault { fault, .. }) => Err(fault.to_string()),
                Err(error) => Err(error.to_string()),
            },
        };
        let grids = (0..file.entries().len()).map(|index| (file.entries()[index].clone(), summary(index)));
        Ok(Volume { format: file.format().name(), grids: grids.collect() })
    }

    /// Messages of grids that are damaged, with their names; those of types that are not read are none.
    pub(super) fn faults(&self) -> impl Iterator<Item = String> {
        self.grids.iter().filter_map(|(entry, summary)| match summary {
            Err(reason) if entry.fault.is_none() => Some(format!("grid `{}` {reason}", entry.name)),
            _ => None,
        })
    }

    /// The grids as text.
    pub(super) fn text(&self) -> String {
        let count = self.grids.len();
        let plural = if count == 1 { "grid" } else { "grids" };
        let mut text = format!("{} file with {count} {plural}\n", self.format);
        for (entry, summary) in &self.grids {
            let name = match entry.name.as_str() {
                "" => "(no name)".to_owned(),
                name => name.escape_debug().to_string(),
            };
            // Writing to a string cannot fail.
            let _ = match summary {
                Ok(summary) => write!(text, "{name}: {}\n{}", kind(entry), summary.text()),
                Err(reason) => writeln!(text, "{name}: {reason}"),
            };
        }
        text
    }

    /// The grids as JSON.
    pub(super) fn json(&self) -> Json {
        let grid = |(entry, summary): &(GridEntry, Result<GridSummary, String>)| {
            let mut json = json!({ "name": entry.name });
            match summary {
                Ok(summary) => {
                    let array = |v: DVec3| json!(v.to_array());
                    json["class"] = json!(entry.class.name());
                    json["type"] = json!(entry.element.map(renderer_grid::Element::name));
                    json["channels"] = json!(entry.channels);
                    json["active_voxels"] = json!(summary.voxels);
                    json["index_box"] = json!(summary.bounds.map(|bounds| bounds.map(|v| v.to_array())));
                    json["world_box"] = json!(summary.world_box().map(|bounds| bounds.map(array)));
                    json["voxel_size"] = array(summary.voxel_size);
                    json["world_from_index"] = json!(summary.transform.map(array));
                    json["range"] = json!(summary.range);
                    json["background"] = json!(summary.background);
                    json["not_finite"] = json!(summary.not_finite);
                    json["bytes"] = json!(summary.bytes);
                }
                Err(reason) => json["error"] = json!(reason),
            }
            json
        };
        json!({ "volume": self.format, "grids": self.grids.iter().map(grid).collect::<Vec<Json>>() })
    }
}

impl GridSummary {
    fn text(&self) -> String {
        let mut lines = vec![];
        let mut add = |key: &str, value: String| lines.push(format!("  {key:<15} {value}\n"));
        match self.bounds {
            Some([low, high]) => {
                add("active voxels", format!("{} from {low} to {high}", self.voxels));
            }
            None => add("active voxels", "none".to_owned()),
        }
        if let Some([low, high]) = self.world_box() {
            add("world box", format!("from {} to {}", vector(low), vector(high)));
        }
        let [x, y, z, origin] = self.transform;
        add("voxel size", vector(self.voxel_size));
        if [x.y, x.z, y.x, y.z, z.x, z.y] == [0.0; 6] {
            add("origin", vector(origin));
        } else {
            let rows = [x, y, z, origin].map(vector).join(" ");
            add("transform", rows);
        }
        let [min, max] = self.range;
        if self.voxels > 0 {
            add("values", format!("from {min} to {max}"));
        }
        let background: Vec<String> = self.background.iter().map(f32::to_string).collect();
        add("background", background.join(" "));
        if self.not_finite > 0 {
            add("not finite", format!("{} values, replaced by the background", self.not_finite));
        }
        add("memory", memory(self.bytes));
        lines.concat()
    }
}

/// Class and type of a grid.
fn kind(entry: &GridEntry) -> String {
    let element = entry.element.map(renderer_grid::Element::name).unwrap_or_default();
    let values = match entry.channels {
        0 | 1 => element,
        channels => format!("{channels} × {element}"),
    };
    match entry.class.name() {
        "unknown" => values,
        class => format!("{class}, {values}"),
    }
}

/// A vector with the digits of single precision, in which lookups compute.
fn vector(v: DVec3) -> String {
    let [x, y, z] = v.to_array().map(|x| x as f32);
    format!("({x}, {y}, {z})")
}

fn memory(bytes: usize) -> String {
    let bytes = bytes as f64;
    if bytes < 1e6 {
        format!("{:.1} kB", bytes / 1e3)
    } else {
        format!("{:.1} MB", bytes / 1e6)
    }
}
