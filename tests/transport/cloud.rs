//! Point clouds in shaders: `pointcloud_search` and `pointcloud_get` against brute force and known values, in
//! interpreter, machine code and batches; and `pointcloud_write`.

mod attributes;
mod files;
mod scenes;
mod searches;
mod writes;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use renderer::camera::CameraView;
use renderer::cloud::{ColumnValues, PointCloud};
use renderer::geometry::Mesh;
use renderer::material::{Host, closure_registry};
use renderer::scene::Scene;
use shading::hir::Const;
use shading::interp::{self, RunOptions};
use shading::opt::OptLevel;
use shading::{InstanceOptions, ShaderGlobals, ShaderInstance, ShadingSystem, Source};
use support::compiled;
use support::random::Random;
use support::scenes::{Look, SceneBuilder, mean, mesh, probed_floor, spot_meter, white_share};
use tempfile::TempDir;

/// A folder of clouds.
struct Clouds {
    folder: TempDir,
}

/// A cloud with properties of all types.
const MIXED: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty float z\n\
    property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty uchar green\n\
    property uchar blue\nproperty uchar alpha\nproperty int id\nproperty uchar intensity\nproperty float temperature\n\
    property float flow_x\nproperty float flow_y\nproperty float flow_z\nproperty float loose_x\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n\
    0 0 0  0 0 1  255 0 0 255  -70000001 7 1.5  1 2 3  0.5\n\
    1 0 0  0 1 0  0 255 0 51  5 8 2.5  4 5 6  0.6\n\
    2 0 0  1 0 0  188 188 188 0  6 9 3.5  7 8 9  0.7\n3 0 1 2\n";

/// Outputs of a shader at each point, and its reports with their locations.
struct Found {
    values: Vec<Vec<Const>>,
    reports: Vec<String>,
}

impl Clouds {
    fn new(files: &[(&str, &[u8])]) -> Clouds {
        let folder = TempDir::new().unwrap();
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        Clouds { folder }
    }

    fn host(&self) -> Arc<Host> {
        Arc::new(Host::new(vec![self.folder.path().to_owned()]))
    }

    /// The outputs of a shader with this body, equal for interpreter, machine code and batches.
    fn run(&self, points: &[ShaderGlobals], outputs: &str, body: &str) -> Found {
        self.run_with("", points, outputs, body)
    }

    /// Like [`run`](Clouds::run), with functions before the shader.
    fn run_with(&self, functions: &str, points: &[ShaderGlobals], outputs: &str, body: &str) -> Found {
        let text = format!("{functions}shader probe(output int n = -1, {outputs})\n{{\n{body} }}");
        let host = self.host();
        let system = ShadingSystem::new(closure_registry(), host.clone());
        let loaded = system
            .load(Source::new("probe.osl", text))
            .unwrap_or_else(|errors| panic!("{errors}"));
        let template = &loaded.templates[0];
        let levels = [OptLevel::None, OptLevel::Exact, OptLevel::Full].map(|optimize| {
            let options = InstanceOptions { optimize, packets: true, ..InstanceOptions::default() };
            let (unit, _, _) = system.optimized(template, &options).expect("it compiles");
            let instance = system.instantiate(template.clone(), &options);
            (unit, instance.expect("it compiles"))
        });
        host.freeze(Arc::from([]), CameraView::default(), false).unwrap();
        let mut found = vec![];
        for (unit, instance) in &levels {
            let mut context = system.context();
            let mut reported = BTreeSet::new();
            let mut values = vec![];
            for globals in points {
                instance.run(globals, &mut context).unwrap();
                let options = RunOptions { host: &*host, ..RunOptions::new(globals) };
                let expected = interp::run(unit, &options);
                let difference = compiled::difference(instance, &mut context, system.closures(), &expected);
                assert_eq!(difference, None);
                reported.extend(expected.reports.iter().map(|report| report.message.clone()));
                let outputs = 0..instance.outputs().len();
                values.push(outputs.map(|i| instance.output(i, &context).unwrap()).collect::<Vec<Const>>());
            }
            let reports = context.take_reports();
            let messages: BTreeSet<String> = reports.iter().map(|report| report.message.clone()).collect();
            assert!(messages.is_subset(&reported), "{messages:?} {reported:?}");
            let batch = compiled::batch_difference(instance, points, || system.context());
            assert_eq!(batch, None);
            found.push(Found {
                values,
                reports: reports.iter().map(ToString::to_string).collect(),
            });
        }
        for level in &found[1..] {
            assert_eq!(level.values, found[0].values);
        }
        found.pop().expect("there are levels")
    }

    /// Like [`run`](Clouds::run), at the origin only.
    fn run_once(&self, outputs: &str, body: &str) -> (Vec<Const>, Vec<String>) {
        let mut found = self.run(&[ShaderGlobals::default()], outputs, body);
        (found.values.remove(0), found.reports)
    }
}

fn at(p: Vec3) -> ShaderGlobals {
    ShaderGlobals { p: p.to_array().into(), ..ShaderGlobals::default() }
}

fn ints(list: &[i32]) -> Const {
    Const::Array(list.iter().copied().map(Const::Int).collect())
}

fn floats(list: &[f32]) -> Const {
    Const::Array(list.iter().copied().map(Const::Float).collect())
}

fn int(value: &Const) -> i32 {
    match value {
        Const::Int(i) => *i,
        other => panic!("{other:?} is not an int"),
    }
}

fn list<T>(value: &Const, one: impl Fn(&Const) -> T) -> Vec<T> {
    match value {
        Const::Array(list) => list.iter().map(one).collect(),
        other => panic!("{other:?} is not an array"),
    }
}

fn float(value: &Const) -> f32 {
    match value {
        Const::Float(x) => *x,
        other => panic!("{other:?} is not a float"),
    }
}

/// An ASCII PLY file of points.
fn ply(points: &[Vec3]) -> Vec<u8> {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
        points.len()
    );
    for p in points {
        text += &format!("{} {} {}\n", p.x, p.y, p.z);
    }
    text.into_bytes()
}

/// The points with integer coordinates from 0 to `side − 1`, x the fastest.
fn grid(side: usize) -> Vec<Vec3> {
    let at = |i: usize| Vec3::new((i % side) as f32, (i / side % side) as f32, (i / side / side) as f32);
    (0..side.pow(3)).map(at).collect()
}

/// The points within a radius, sorted by distance and number.
fn brute_force(points: &[Vec3], center: Vec3, radius: f32) -> Vec<(f32, i32)> {
    let distances = (0..).zip(points).map(|(index, p)| ((center - *p).length_squared(), index));
    let mut list: Vec<(f32, i32)> = distances.filter(|(d2, _)| *d2 <= radius * radius).collect();
    list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    list
}

const SEARCH: &str =
    "n = pointcloud_search(\"a.ply\", P, RADIUS, MOST, SORT, \"index\", index, \"distance\", distance);";

fn search(radius: &str, most: &str, sort: &str) -> String {
    let text = SEARCH.replace("RADIUS", radius).replace("MOST", most);
    text.replace(" SORT,", &format!(" {sort},"))
}

/// Compares searches at points with brute force, sorted and unsorted.
fn check(clouds: &Clouds, points: &[Vec3], centers: &[Vec3], radius: f32, most: usize) {
    let globals: Vec<ShaderGlobals> = centers.iter().map(|p| at(*p)).collect();
    for sort in ["1", "0"] {
        let body = search(&format!("{radius:e}"), &most.to_string(), sort);
        let outputs = "output int index[40] = {7}, output float distance[40] = {5}";
        let found = clouds.run(&globals, outputs, &body);
        assert_eq!(found.reports, [""; 0]);
        for (center, values) in centers.iter().zip(&found.values) {
            let mut expected = brute_force(points, *center, radius);
            expected.truncate(most.min(40));
            let count = int(&values[0]) as usize;
            assert_eq!(count, expected.len(), "at {center}");
            let indices = list(&values[1], int);
            let distances = list(&values[2], float);
            let mut pairs: Vec<(f32, i32)> = distances.iter().copied().zip(indices.iter().copied()).collect();
            // Array elements beyond the results are unchanged.
            assert!(
                pairs[count..]
                    .iter()
                    .enumerate()
                    .all(|(i, pair)| { *pair == if count + i == 0 { (5.0, 7) } else { (0.0, 0) } })
            );
            pairs.truncate(count);
            if sort == "0" {
                pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            }
            let expected: Vec<(f32, i32)> = expected.iter().map(|(d2, i)| (d2.sqrt(), *i)).collect();
            assert_eq!(pairs, expected, "at {center}");
        }
    }
}
