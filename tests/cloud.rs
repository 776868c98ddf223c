//! Point clouds that shaders search: `pointcloud_search` and `pointcloud_get` against brute force and known values, in
//! interpreter, machine code and batches.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
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
use support::scenes::{Look, SceneBuilder, mean, mesh, spot_meter};
use tempfile::TempDir;

/// A folder of clouds.
struct Clouds {
    folder: TempDir,
}

/// What a shader gave at each point, and what it reported, with the place.
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

    /// The outputs of a shader with this body, which are the same interpreted, compiled and in batches.
    fn run(&self, points: &[ShaderGlobals], outputs: &str, body: &str) -> Found {
        self.run_with("", points, outputs, body)
    }

    /// The same with functions before the shader.
    fn run_with(&self, functions: &str, points: &[ShaderGlobals], outputs: &str, body: &str) -> Found {
        let text = format!("{functions}shader probe(output int n = -1, {outputs})\n{{\n{body} }}");
        let host = self.host();
        let system = ShadingSystem::new(closure_registry(), host.clone());
        let loaded = system
            .load(Source::new("probe.osl", text))
            .unwrap_or_else(|errors| panic!("{errors}"));
        let template = &loaded.templates[0];
        let levels = [OptLevel::None, OptLevel::Exact, OptLevel::Full].map(|optimize| {
            let options = InstanceOptions {
                optimize,
                packets: true,
                ..InstanceOptions::default()
            };
            let (unit, _, _) = system.optimized(template, &options).expect("it compiles");
            let instance = system.instantiate(template.clone(), &options);
            (unit, instance.expect("it compiles"))
        });
        host.freeze(Arc::from([]), Affine3A::IDENTITY).unwrap();
        let mut found = vec![];
        for (unit, instance) in &levels {
            let mut context = system.context();
            let mut told = BTreeSet::new();
            let mut values = vec![];
            for globals in points {
                instance.run(globals, &mut context);
                let options = RunOptions {
                    host: &*host,
                    ..RunOptions::new(globals)
                };
                let expected = interp::run(unit, &options);
                let difference = compiled::difference(instance, &mut context, system.closures(), &expected);
                assert_eq!(difference, None);
                told.extend(expected.reports.iter().map(|report| report.message.clone()));
                let outputs = 0..instance.outputs().len();
                values.push(
                    outputs
                        .map(|i| instance.output(i, &context))
                        .collect::<Vec<Const>>(),
                );
            }
            let reports = context.take_reports();
            let messages: BTreeSet<String> = reports.iter().map(|report| report.message.clone()).collect();
            assert!(messages.is_subset(&told), "{messages:?} {told:?}");
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

    /// The same at the origin.
    fn run_once(&self, outputs: &str, body: &str) -> (Vec<Const>, Vec<String>) {
        let mut found = self.run(&[ShaderGlobals::default()], outputs, body);
        (found.values.remove(0), found.reports)
    }
}

fn at(p: Vec3) -> ShaderGlobals {
    ShaderGlobals {
        p: p.to_array().into(),
        ..ShaderGlobals::default()
    }
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
        other => panic!("{other:?} is no int"),
    }
}

fn list<T>(value: &Const, one: impl Fn(&Const) -> T) -> Vec<T> {
    match value {
        Const::Array(list) => list.iter().map(one).collect(),
        other => panic!("{other:?} is no array"),
    }
}

fn float(value: &Const) -> f32 {
    match value {
        Const::Float(x) => *x,
        other => panic!("{other:?} is no float"),
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

/// The points with whole coordinates from 0 to `side − 1`, x the fastest.
fn grid(side: usize) -> Vec<Vec3> {
    let at = |i: usize| {
        Vec3::new(
            (i % side) as f32,
            (i / side % side) as f32,
            (i / side / side) as f32,
        )
    };
    (0..side.pow(3)).map(at).collect()
}

/// The points within a radius by distance and number.
fn brute_force(points: &[Vec3], center: Vec3, radius: f32) -> Vec<(f32, i32)> {
    let distances = (0..)
        .zip(points)
        .map(|(index, p)| ((center - *p).length_squared(), index));
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

/// Checks searches at points against brute force, sorted and not.
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
            // Behind what was found, the arrays are as they were.
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

#[test]
fn points_of_a_grid_are_found() {
    let points = grid(6);
    let clouds = Clouds::new(&[("a.ply", &ply(&points))]);
    let centers = [
        Vec3::splat(2.0),
        Vec3::new(2.5, 2.0, 2.0),
        Vec3::splat(-1.0),
        Vec3::splat(9.0),
    ];
    // Many are equally far: those with lower numbers are found.
    for (radius, most) in [(1.0, 40), (1.0, 4), (1.5, 30), (0.0, 5), (100.0, 40), (2.0, 1)] {
        check(&clouds, &points, &centers, radius, most);
    }
}

#[test]
fn random_points_are_found_as_by_brute_force() {
    let mut random = Random(17);
    for count in [1, 7, 8, 9, 100, 3000] {
        let mut point = || Vec3::from_array([(); 3].map(|()| random.between(-1.0, 1.0)));
        let mut points: Vec<Vec3> = (0..count).map(|_| point()).collect();
        // Some lie on each other.
        let twins: Vec<Vec3> = points.iter().step_by(5).copied().collect();
        points.extend(twins);
        let clouds = Clouds::new(&[("a.ply", &ply(&points))]);
        let mut centers: Vec<Vec3> = (0..40).map(|_| 1.3 * point()).collect();
        centers.extend(points.iter().step_by(101));
        for (radius, most) in [(0.3, 40), (0.3, 7), (5.0, 40), (5.0, 3)] {
            check(&clouds, &points, &centers, radius, most);
        }
    }
}

/// The numbers and distances that a search of the grid finds at a point.
fn find(globals: ShaderGlobals, radius: &str, most: &str) -> (i32, Vec<i32>) {
    let clouds = Clouds::new(&[("a.ply", &ply(&grid(3)))]);
    let body = search(radius, most, "1");
    let outputs = "output int index[5] = {0}, output float distance[5] = {0}";
    let found = clouds.run(&[globals], outputs, &body);
    assert_eq!(found.reports, [""; 0]);
    let values = &found.values[0];
    (int(&values[0]), list(&values[1], int))
}

#[test]
fn unusual_numbers_find_what_they_should() {
    let middle = at(Vec3::ONE);
    assert_eq!(find(middle, "0", "5").0, 1);
    assert_eq!(find(at(Vec3::splat(1.25)), "0", "5").0, 0);
    assert_eq!(find(middle, "-1", "5").0, 0);
    assert_eq!(find(middle, "sqrt(u - 1) / u", "5").0, 1);
    assert_eq!(find(middle, "1e30", "5"), (5, vec![13, 4, 10, 12, 14]));
    assert_eq!(find(middle, "1e30", "0").0, 0);
    assert_eq!(find(middle, "1e30", "-3").0, 0);
    assert_eq!(find(middle, "1e30", "1000000000").0, 5);
    let nan = ShaderGlobals {
        u: f32::NAN,
        ..middle
    };
    assert_eq!(find(nan, "u", "5").0, 0);
    assert_eq!(find(at(Vec3::new(1.0, f32::NAN, 1.0)), "1e30", "5").0, 0);
    assert_eq!(find(at(Vec3::new(1.0, f32::INFINITY, 1.0)), "1e30", "5").0, 0);
    assert_eq!(find(at(Vec3::splat(1e25)), "1e38", "5").0, 0);
    assert_eq!(find(at(Vec3::splat(1e15)), "1e38", "5").0, 5);
}

#[test]
fn clouds_without_points_are_searched() {
    let clouds = Clouds::new(&[("a.ply", &ply(&[]))]);
    let body = search("1e30", "5", "1");
    let (values, reports) = clouds.run_once(
        "output int index[2] = {1, 2}, output float distance[2] = {3, 4}",
        &body,
    );
    assert_eq!(values, [Const::Int(0), ints(&[1, 2]), floats(&[3.0, 4.0])]);
    assert_eq!(reports, [""; 0]);
}

#[test]
fn points_that_are_nowhere_are_not_found() {
    let text = String::from_utf8(ply(&grid(3)))
        .unwrap()
        .replace("format ascii", "format FORMAT");
    let header = text.split("end_header\n").next().unwrap().to_owned() + "end_header\n";
    let mut bytes = header.replace("FORMAT", "binary_little_endian").into_bytes();
    let points: Vec<Vec3> = (0..27)
        .map(|i| match i % 3 {
            0 => Vec3::new(i as f32, 0.0, 0.0),
            1 => Vec3::new(f32::NAN, 0.0, i as f32),
            _ => Vec3::new(0.0, f32::INFINITY, 0.0),
        })
        .collect();
    for p in &points {
        bytes.extend(p.to_array().iter().flat_map(|x| x.to_le_bytes()));
    }
    let clouds = Clouds::new(&[("a.ply", &bytes)]);
    check(&clouds, &points, &[Vec3::ZERO, Vec3::X * 30.0], 1e15, 20);
}

// ---- Arrays and attributes.

/// A cloud with properties of all kinds.
const MIXED: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty float z\n\
    property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty uchar green\n\
    property uchar blue\nproperty uchar alpha\nproperty int id\nproperty uchar intensity\nproperty float temperature\n\
    property float flow_x\nproperty float flow_y\nproperty float flow_z\nproperty float loose_x\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n\
    0 0 0  0 0 1  255 0 0 255  -70000001 7 1.5  1 2 3  0.5\n\
    1 0 0  0 1 0  0 255 0 51  5 8 2.5  4 5 6  0.6\n\
    2 0 0  1 0 0  188 188 188 0  6 9 3.5  7 8 9  0.7\n3 0 1 2\n";

#[test]
fn attributes_are_read_by_name() {
    let clouds = Clouds::new(&[("m.ply", MIXED.as_bytes())]);
    let (values, reports) = clouds.run_once(
        "output color color_[3] = {0}, output color cd[3] = {0}, output normal n_[2] = {0}, output int id[3] = {0},
         output float id_float[1] = {0}, output float alpha[2] = {0}, output float temperature = 0,
         output vector flow[3] = {0}, output float loose[1] = {0}, output point p[3] = {0}, output int all = 0",
        "int index[3];
         n = pointcloud_search(\"m.ply\", P, 9, 3, 1, \"color\", color_, \"Cd\", cd, \"index\", index,
                               \"position\", p, \"flow\", flow);
         all = pointcloud_get(\"m.ply\", index, 3, \"normal\", n_);
         all += pointcloud_get(\"m.ply\", index, n, \"id\", id);
         all += pointcloud_get(\"m.ply\", index, n, \"intensity\", id_float);
         all += pointcloud_get(\"m.ply\", index, n, \"alpha\", alpha);
         index[0] = 2;
         all += pointcloud_get(\"m.ply\", index, 1, \"temperature\", temperature);
         all += pointcloud_get(\"m.ply\", index, 1, \"loose_x\", loose);",
    );
    let triples = |list: &[[f32; 3]]| Const::Array(list.iter().copied().map(Const::Triple).collect());
    let gray = renderer::image::linear_from_srgb(188.0 / 255.0);
    let colors = triples(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [gray; 3]]);
    let expected = [
        Const::Int(3),
        colors.clone(),
        colors,
        triples(&[[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]),
        ints(&[-70_000_001, 5, 6]),
        floats(&[7.0]),
        floats(&[1.0, 0.2]),
        Const::Float(3.5),
        triples(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
        floats(&[0.7]),
        triples(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]),
        Const::Int(6),
    ];
    assert_eq!(values, expected);
    assert_eq!(reports, [""; 0]);
}

/// The shortest array bounds what a search finds; one value needs no array; arrays may be operands, too.
#[test]
fn arrays_bound_what_is_found() {
    let clouds = Clouds::new(&[("a.ply", &ply(&grid(3)))]);
    let (values, reports) = clouds.run_once(
        "output int a[4] = {0}, output float b[2] = {0}, output point near = 0, output float d = 0,
         output float e = 0, output int last = 0, output int got = 0",
        "point nan = sqrt(-1.0) / u;
         n = pointcloud_search(\"a.ply\", point(0, 2.25, 0), 10, 9, 1, \"index\", a, \"distance\", b);
         near = point(2, 1.75, 2);
         pointcloud_search(\"a.ply\", near, 10, 9, \"position\", near, \"distance\", d, \"index\", last);
         pointcloud_search(\"a.ply\", near, 10, 9, \"distance\", e);
         a[3] = 26;
         got = pointcloud_get(\"a.ply\", a, 4, \"index\", a);",
    );
    let expected = [
        Const::Int(2),
        ints(&[6, 7, 0, 26]),
        floats(&[0.25, 1.0625_f32.sqrt()]),
        Const::Triple([2.0; 3]),
        Const::Float(0.25),
        Const::Float(0.0),
        Const::Int(26),
        Const::Int(1),
    ];
    assert_eq!(values, expected);
    assert_eq!(reports, [""; 0]);
}

/// Functions of arrays without length, fields, components, and functions that call themselves.
#[test]
fn functions_search_too() {
    let clouds = Clouds::new(&[("a.ply", &ply(&grid(3)))]);
    let functions = "
struct hit { int index; float distance[3]; };
int nearest(string file, point p, output point data[], output float distance[])
{
    int points[9] = {26, 25, 24};
    pointcloud_get(file, points, 3, \"position\", data);
    return pointcloud_search(file, p, 2, arraylength(data), 1, \"position\", data, \"distance\", distance);
}
int deep(int k, point p, output float d)
{
    if (k > 0)
        return deep(k - 1, p + vector(0.25, 0, 0), d) + 1;
    return pointcloud_search(\"a.ply\", p, 2, 1, \"distance\", d);
}
";
    let found = clouds.run_with(
        functions,
        &[at(Vec3::new(0.0, -0.25, 0.0))],
        "output point data[3] = {0}, output float d = 0, output float e[2] = {0}, output point q = 0",
        "hit h;
         n = nearest(\"a.ply\", P, data, e);
         n += 10 * deep(2, P, d);
         n += 100 * pointcloud_search(\"a.ply\", P, 2, 3, 1, \"index\", h.index, \"distance\", h.distance);
         n += 1000 * pointcloud_search(\"a.ply\", P, 2, 3, \"distance\", q[1]);
         q[2] = h.distance[0];",
    );
    let origin = Const::Triple([0.0; 3]);
    let expected = [
        Const::Int(1132),
        Const::Array(vec![
            origin.clone(),
            Const::Triple([1.0, 0.0, 0.0]),
            Const::Triple([0.0, 2.0, 2.0]),
        ]),
        Const::Float(0.3125_f32.sqrt()),
        floats(&[0.25, 1.0625_f32.sqrt()]),
        Const::Triple([0.0, 0.25, 0.25]),
    ];
    assert_eq!(found.values[0], expected);
    assert_eq!(found.reports, [""; 0]);
}

#[test]
fn what_is_not_there_is_told_once() {
    let clouds = Clouds::new(&[("a.ply", &ply(&grid(3))), ("m.ply", MIXED.as_bytes())]);
    let points = [Vec3::ZERO, Vec3::ONE].map(at);
    let found = clouds.run(
        &points,
        "output float a[3] = {1, 1, 1}, output int b = 5, output color c[2] = {2}, output float d = 3,
         output string e[2] = {\"x\"}, output int answers = 0",
        "int index[3] = {0, 1, 2};
n = pointcloud_search(\"a.ply\", P, 9, 3, \"distance\", a, \"heat\", d);
answers += pointcloud_get(\"m.ply\", index, 3, \"color\", d);
answers += pointcloud_get(\"m.ply\", index, 3, \"temperature\", b);
answers += pointcloud_get(\"m.ply\", index, 2, \"id\", e);
index[1] = 3;
answers += pointcloud_get(\"m.ply\", index, 2, \"color\", c);
answers += 10 * pointcloud_get(\"m.ply\", index, 1, \"color\", c);
index[1] = -1;
answers += pointcloud_get(\"m.ply\", index, 2, \"normal\", c);
answers += pointcloud_get(\"m.ply\", index, 0, \"normal\", c);",
    );
    let zero = Const::Triple([0.0; 3]);
    let texts = ["x", ""].map(|text| Const::String(text.into()));
    let expected = [
        Const::Int(0),
        floats(&[0.0, 1.0, 1.0]),
        Const::Int(5),
        Const::Array(vec![Const::Triple([1.0, 0.0, 0.0]), zero]),
        Const::Float(3.0),
        Const::Array(texts.to_vec()),
        Const::Int(11),
    ];
    assert_eq!(found.values[0], expected);
    let expected = [
        "probe.osl:5:5: probe: point cloud \"a.ply\" has no attribute \"heat\"; it has index, position",
        "probe.osl:6:12: probe: attribute \"color\" of point cloud \"m.ply\" is a triple, not float",
        "probe.osl:7:12: probe: attribute \"temperature\" of point cloud \"m.ply\" is float, not int",
        "probe.osl:8:12: probe: attribute \"id\" of point cloud \"m.ply\" is int, not string",
        "probe.osl:10:12: probe: point cloud \"m.ply\" has no point 3: there are 3",
        "probe.osl:13:12: probe: point cloud \"m.ply\" has no point -1: there are 3",
    ];
    assert_eq!(found.reports, expected);
}

#[test]
fn files_that_are_not_there_are_told_once() {
    let broken = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
                  end_header\n0 0 0\n";
    let clouds = Clouds::new(&[
        ("a.ply", &ply(&grid(3))),
        ("b.ply", broken.as_bytes()),
        ("c.ply", b"solid"),
    ]);
    let points = [0.0, 1.0, 2.0].map(|x| at(Vec3::X * x));
    let found = clouds.run(
        &points,
        "output int m = 0, output int late = 0, output int got = 7",
        "int index[3];
n = pointcloud_search(\"none.ply\", P, 9, 3, \"index\", index);
m = pointcloud_search(\"b.ply\", P, 9, 3, \"index\", index);
m = m + pointcloud_search(concat(\"c\", format(\".%s\", \"ply\")), P, 9, 3, \"index\", index);
late = pointcloud_search(format(\"%s.ply\", P[0] > 0.5 ? \"a\" : \"nowhere\"), P, 1.5, 9, \"index\", index);
got = pointcloud_get(\"none.ply\", index, 3, \"index\", index);",
    );
    let values = |late| [0, 0, late, 0].map(Const::Int).to_vec();
    assert_eq!(found.values, [values(0), values(3), values(3)]);
    let folder = clouds.folder.path().display().to_string();
    let reports: Vec<String> = found
        .reports
        .iter()
        .map(|report| report.replace(&folder, "FOLDER"))
        .collect();
    let expected = [
        "probe.osl:4:5: probe: there is no point cloud file \"none.ply\"; nothing is found",
        "probe.osl:5:5: probe: FOLDER/b.ply is cut short: it ends in the vertex elements, at 1 of 2; nothing is found",
        "probe.osl:6:9: probe: FOLDER/c.ply is not a PLY file: it does not begin with `ply`; nothing is found",
        "probe.osl:7:8: probe: there is no point cloud file \"nowhere.ply\"; nothing is found",
        "probe.osl:8:7: probe: there is no point cloud file \"none.ply\"; nothing is found",
    ];
    assert_eq!(reports, expected);
}

/// However many shaders use a file, and by whatever path.
#[test]
fn a_file_is_read_once() {
    let clouds = Clouds::new(&[("a.ply", &ply(&grid(3)))]);
    let host = clouds.host();
    let system = ShadingSystem::new(closure_registry(), host.clone());
    let compile = |file: &str| -> Arc<ShaderInstance> {
        let text = format!(
            "shader probe(output int n = 0) {{ int i[2]; n = pointcloud_search(\"{file}\", P, 9, 2, \"index\", i); }}"
        );
        let unit = system.unit(Source::new("probe.osl", text)).unwrap();
        system.instantiate(&unit, &InstanceOptions::default()).unwrap()
    };
    let early = ["a.ply", "./a.ply"].map(compile);
    assert!(early[1].statistics().clouds.contains("./a.ply"));
    host.freeze(Arc::from([]), Affine3A::IDENTITY).unwrap();
    let late = compile(".././a.ply");
    let also = compile(&clouds.folder.path().join("a.ply").display().to_string());
    assert_eq!(host.clouds().unwrap().clouds().count(), 1);
    let files: Vec<&Path> = host.input_files().collect();
    assert_eq!(files, [clouds.folder.path().join("a.ply")]);
    let mut context = system.context();
    let [a, b] = early;
    for (instance, expected) in [(a, 2), (b, 2), (late, 0), (also, 2)] {
        instance.run(&ShaderGlobals::default(), &mut context);
        assert_eq!(instance.output(0, &context), Const::Int(expected));
    }
}

/// A floor that is white where a point of a cloud is near.
fn lit_floor(cloud: &Path) -> Scene {
    let mut scene = SceneBuilder::new();
    let material = scene.material(&format!(
        "float distance; Ci = pointcloud_search({:?}, P, 0.1, 1, \"distance\", distance) * emission();",
        cloud.display().to_string()
    ));
    scene.shape(mesh(Mesh::plane(20.0)), Affine3A::IDENTITY, material);
    scene.build()
}

/// Pictures show what searches find, and another cloud is another scene.
#[test]
fn pictures_and_fingerprints_depend_on_the_cloud() {
    let clouds = Clouds::new(&[]);
    let file = clouds.folder.path().join("a.ply");
    let scene = |x: f32| {
        fs::write(&file, ply(&[Vec3::X * x])).unwrap();
        lit_floor(&file)
    };
    let camera = spot_meter(Vec3::Y, Vec3::ZERO, 0.01);
    let look = Look {
        size: [2, 2],
        spp: 1,
        ..Look::default()
    };
    let (near, far) = (scene(0.05), scene(0.5));
    assert!(mean(&near, &camera, look).0.r > 0.1);
    assert_eq!(mean(&far, &camera, look).0.r, 0.0);
    assert_ne!(near.fingerprint(), far.fingerprint());
    assert_eq!(near.fingerprint(), scene(0.05).fingerprint());
}

// ---- Derivatives.

/// Distances change with the centre; values do not; what is not filled keeps its derivatives.
#[test]
fn derivatives_are_those_of_distances() {
    let clouds = Clouds::new(&[("a.ply", &ply(&grid(3)))]);
    let globals = ShaderGlobals {
        dpdx: [0.5, 0.0, 0.0].into(),
        dpdy: [0.0, 2.0, 0.0].into(),
        dudx: 0.25,
        ..at(Vec3::new(-3.0, -4.0, 0.0))
    };
    let found = clouds.run(
        &[globals],
        "output float dx = -1, output float dy = -1, output float kept = -1, output vector still = -1,
         output vector left = -1, output float zero = -1",
        "float d[3] = {u, u, u};
         point p[2] = {P, P};
         n = pointcloud_search(\"a.ply\", P, 5.5, 1, \"distance\", d, \"position\", p);
         dx = Dx(d[0]);
         dy = Dy(d[0]);
         kept = Dx(d[2]);
         still = Dx(p[0]);
         left = Dx(p[1]);
         float e = u;
         n += pointcloud_search(\"a.ply\", point(0, 0, 0), 0, 1, \"distance\", e);
         zero = Dx(e);",
    );
    let expected = [
        Const::Int(2),
        Const::Float(-0.3),
        Const::Float(-1.6),
        Const::Float(0.25),
        Const::Triple([0.0; 3]),
        Const::Triple([0.5, 0.0, 0.0]),
        Const::Float(0.0),
    ];
    assert_eq!(found.values[0], expected);
}

// ---- Files.

fn parse(bytes: &[u8]) -> Result<PointCloud, String> {
    PointCloud::parse(bytes, Path::new("test.ply")).map_err(|error| error.to_string())
}

#[test]
fn every_encoding_says_the_same() {
    // A list makes the elements of a binary file differ in length.
    for list in [false, true] {
        let header = |format: &str| {
            let list = if list {
                "property list uchar short ring\n"
            } else {
                ""
            };
            format!(
                "ply\nformat {format} 1.0\nelement camera 1\nproperty float f\nelement vertex 3\nproperty float x\n\
                 property double y\nproperty short z\n{list}property uint id\nproperty uchar r\nproperty uchar g\n\
                 property uchar b\nend_header\n"
            )
        };
        let rows = [
            (0.5_f32, 1.25_f64, -3_i16, 7_u32),
            (1.5, 2.0, 4, 80_000_001),
            (0.1, 0.2, 5, u32::MAX),
        ];
        let mut text = header("ascii") + "9\n";
        for (i, (x, y, z, id)) in rows.into_iter().enumerate() {
            let ring = match (list, i) {
                (false, _) => "",
                (true, 0) => "2 5 6",
                _ => "0",
            };
            text += &format!("{x} {y} {z} {ring} {id} {i} 128 255\n");
        }
        let binary = |little: bool| {
            let mut bytes = header(if little {
                "binary_little_endian"
            } else {
                "binary_big_endian"
            })
            .into_bytes();
            let mut put = |mut number: Vec<u8>| {
                if !little {
                    number.reverse();
                }
                bytes.extend(number);
            };
            put(9_f32.to_le_bytes().into());
            for (i, (x, y, z, id)) in rows.into_iter().enumerate() {
                put(x.to_le_bytes().into());
                put(y.to_le_bytes().into());
                put(z.to_le_bytes().into());
                if list {
                    put(vec![if i == 0 { 2 } else { 0 }]);
                    if i == 0 {
                        put(5_i16.to_le_bytes().into());
                        put(6_i16.to_le_bytes().into());
                    }
                }
                put(id.to_le_bytes().into());
                for color in [i as u8, 128, 255] {
                    put(vec![color]);
                }
            }
            bytes
        };
        let expected = parse(text.as_bytes()).unwrap();
        assert_eq!(expected.count(), 3);
        let ids = expected.column("id").map(|column| column.values.clone());
        assert_eq!(ids, Some(ColumnValues::Ints(vec![7, 80_000_001, i32::MAX])));
        for bytes in [binary(true), binary(false)] {
            assert_eq!(parse(&bytes).unwrap().columns(), expected.columns());
            for length in 0..bytes.len() {
                assert!(parse(&bytes[..length]).is_err(), "{length}");
            }
        }
    }
}

/// A cloud as OSL's test suite has it.
const GEO: &str = "PGEOMETRY V5\nNPoints 3 NPrims 1\nNPointGroups 0 NPrimGroups 0\n\
    NPointAttrib 4 NVertexAttrib 0 NPrimAttrib 1 NAttrib 0\nPointAttrib\n\nuv 3 vector 0 0 0\nu 1 float 0\n\
    quat 4 float 0 0 0 1\nid 1 int 0\n0 0 1 1 (0 0 0\t0\t1 2 3 4\t7)\n0.25 0 1 1 (0.25 0 0\t0.25\t1 2 3 4\t8)\n\
    1e0 0.5 1 1 (1 0.5 0\t1\t1 2 3 4\t-9)\nPrimitiveAttrib\ngenerator 1 index 1 papi\nPart 3 0 1 2 [0]\nbeginExtra\n\
    endExtra\n";

#[test]
fn houdini_s_text_files_are_read() {
    let cloud = parse(GEO.as_bytes()).unwrap();
    let column = |name: &str| cloud.column(name).map(|column| column.values.clone());
    let triples = vec![[0.0; 3], [0.25, 0.0, 0.0], [1.0, 0.5, 0.0]];
    assert_eq!(column("uv"), Some(ColumnValues::Triples(triples)));
    assert_eq!(column("u"), Some(ColumnValues::Floats(vec![0.0, 0.25, 1.0])));
    assert_eq!(column("id"), Some(ColumnValues::Ints(vec![7, 8, -9])));
    assert_eq!(column("quat"), None);
    let positions = vec![[0.0, 0.0, 1.0], [0.25, 0.0, 1.0], [1.0, 0.5, 1.0]];
    assert_eq!(column("P"), Some(ColumnValues::Triples(positions)));
    let cases = [
        ("V5", "V2", "only ASCII files of version 5"),
        (
            "NPoints 3",
            "NPoints 30",
            "line 14: this is no point with 4 attributes",
        ),
        ("u 1 float", "u one float", "line 8: this is no attribute"),
        ("0.25 0 1 1 (", "0.25 0 1 (", "line 12: this is no point"),
        ("NPointAttrib 4", "NPointAttrib", "its header does not tell"),
    ];
    for (from, to, expected) in cases {
        let error = parse(GEO.replacen(from, to, 1).as_bytes()).expect_err("the file is wrong");
        assert!(error.contains(expected), "`{error}` does not say `{expected}`");
    }
    for length in 0..GEO.len() {
        let _ = parse(&GEO.as_bytes()[..length]);
    }
}

#[test]
fn mistakes_in_files_are_named() {
    let text = String::from_utf8(ply(&grid(2))).unwrap();
    let cases = [
        ("property float z\n", "", "its vertices have no x, y and z"),
        ("element vertex", "element point", "it has no vertex elements"),
        ("vertex 8", "vertex 9", "at 8 of 9"),
        (
            "1 1 1",
            "1 1 one",
            "test.ply:15: `1 1 one` is not a vertex (x y z)",
        ),
    ];
    for (from, to, expected) in cases {
        let error = parse(text.replacen(from, to, 1).as_bytes()).expect_err("the file is wrong");
        assert!(error.contains(expected), "`{error}` does not say `{expected}`");
    }
    let mut state = 1u32;
    let mixed = MIXED.as_bytes();
    for _ in 0..5000 {
        let mut broken = mixed.to_vec();
        for _ in 0..1 + state % 3 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let place = (state >> 8) as usize % broken.len();
            broken[place] ^= 1 << (state % 8);
        }
        let _ = parse(&broken);
    }
}
