//! Attributes and the arrays that they fill; derivatives; missing files and attributes.

use super::*;

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

/// Points with a quaternion and a matrix: the number of the point, then 0, 1, 2 …
fn arrays(file: &str) -> String {
    let numbers = |point: usize, count: usize| {
        let list = (0..count).map(|i| format!("{}", point as f32 + i as f32 / 16.0));
        list.collect::<Vec<_>>().join(" ")
    };
    let mut text = if file == "a.geo" {
        "PGEOMETRY V5\nNPoints 3 NPrims 0\nNPointGroups 0 NPrimGroups 0\nNPointAttrib 2 NVertexAttrib 0 NPrimAttrib 0 \
         NAttrib 0\nPointAttrib\nquat 4 float 0 0 0 0\nm 16 float 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
            .to_owned()
    } else {
        let property = |name: &str, i: usize| format!("property float {name}_{i}\n");
        let quat: String = (0..4).map(|i| property("quat", i)).collect();
        let matrix: String = (0..16).map(|i| property("m", i)).collect();
        let header =
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
        format!("{header}{quat}{matrix}end_header\n")
    };
    for point in 0..3 {
        let w = if file == "a.geo" { "1 " } else { "" };
        text += &format!("{point} 0 0 {w}{} {}\n", numbers(point, 4), numbers(point, 16));
    }
    text
}

/// Arrays of floats are read into longer ones, and matrices into matrices.
#[test]
fn array_attributes_are_read() {
    for file in ["a.geo", "a.ply"] {
        let clouds = Clouds::new(&[(file, arrays(file).as_bytes())]);
        let body = "int index[3] = {2, 0, 1};
             got = pointcloud_get(\"FILE\", index, 2, \"quat\", q, \"m\", m);
             got += 10 * pointcloud_get(\"FILE\", index, 2, \"quat\", few);
             n = pointcloud_search(\"FILE\", P, 9, 1, 1, \"m\", sixteen, \"quat\", few);
             one = m[1][0][1];"
            .replace("FILE", file);
        let (values, reports) = clouds.run_once(
            "output float q[9] = {9, 9, 9, 9, 9, 9, 9, 9, 9}, output float few[7] = {9, 9, 9, 9, 9, 9, 9},
             output matrix m[2] = {1, 1}, output float sixteen[16] = {0}, output int got = 0, output float one = 0",
            &body,
        );
        let row = |point: f32| std::array::from_fn(|i| point + i as f32 / 16.0);
        let expected = [
            Const::Int(1),
            floats(&[2.0, 2.0625, 2.125, 2.1875, 0.0, 0.0625, 0.125, 0.1875, 9.0]),
            floats(&[0.0, 0.0625, 0.125, 0.1875, 9.0, 9.0, 9.0]),
            Const::Array(vec![Const::Matrix(row(2.0)), Const::Matrix(row(0.0))]),
            floats(&row(0.0)),
            Const::Int(1),
            Const::Float(0.0625),
        ];
        assert_eq!(values, expected, "{file}");
        assert!(
            reports.len() == 1
                && reports[0].contains("\"quat\" of point cloud")
                && reports[0].contains("4 floats"),
            "{reports:?}"
        );
    }
}

/// As in OSL, triples can be read into longer arrays of floats, a search need not read attributes, and a search for
/// zero points returns none for any file.
#[test]
fn osl_forms_of_calls_are_accepted() {
    let clouds = Clouds::new(&[("m.ply", MIXED.as_bytes())]);
    let (values, reports) = clouds.run_once(
        "output float p[7] = {9, 9, 9, 9, 9, 9, 9}, output int near = 0, output int all = 0, output int none = 0",
        "int index[2] = {2, 1};
         n = pointcloud_get(\"m.ply\", index, 2, \"position\", p);
         near = pointcloud_search(\"m.ply\", point(0), 1.5, 9, 1);
         all = pointcloud_search(\"m.ply\", point(0), 9, 1000) + 10 * pointcloud_search(\"m.ply\", point(0), 9, 1);
         none = pointcloud_get(\"none.ply\", index, 0, \"position\", p);",
    );
    let expected = [
        Const::Int(1),
        floats(&[2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 9.0]),
        Const::Int(2),
        Const::Int(13),
        Const::Int(1),
    ];
    assert_eq!(values, expected);
    assert_eq!(reports, [""; 0]);
}

/// The shortest array limits the results of a search; a single value needs no array; arrays may be operands.
#[test]
fn array_lengths_limit_the_results() {
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

/// Functions with arrays of unspecified length, fields, components, and recursive functions.
#[test]
fn functions_can_search() {
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
fn missing_attributes_are_reported_once() {
    let clouds = Clouds::new(&[("a.ply", &ply(&grid(3))), ("m.ply", MIXED.as_bytes())]);
    let points = [Vec3::ZERO, Vec3::ONE].map(at);
    let found = clouds.run(
        &points,
        "output float a[3] = {1, 1, 1}, output int b = 5, output color c[2] = {2}, output float d = 3,
         output string e[2] = {\"x\"}, output int answers = 0",
        "int index[3] = {0, 1, 2};
n = pointcloud_search(\"a.ply\", P, 9, 3, \"distance\", a, \"heat\", d);
answers += pointcloud_get(\"m.ply\", index, 3, \"color\", b);
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
        "probe.osl:6:12: probe: attribute \"color\" of point cloud \"m.ply\" is a triple, not int",
        "probe.osl:7:12: probe: attribute \"temperature\" of point cloud \"m.ply\" is float, not int",
        "probe.osl:8:12: probe: attribute \"id\" of point cloud \"m.ply\" is int, not string",
        "probe.osl:10:12: probe: point cloud \"m.ply\" has no point 3: there are 3",
        "probe.osl:13:12: probe: point cloud \"m.ply\" has no point -1: there are 3",
    ];
    assert_eq!(found.reports, expected);
}

#[test]
fn missing_files_are_reported_once() {
    let broken = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
                  end_header\n0 0 0\n";
    let clouds = Clouds::new(&[("a.ply", &ply(&grid(3))), ("b.ply", broken.as_bytes()), ("c.ply", b"solid")]);
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
    let reports: Vec<String> = found.reports.iter().map(|report| report.replace(&folder, "FOLDER")).collect();
    let expected = [
        "probe.osl:4:5: probe: there is no point cloud file \"none.ply\"; nothing is found",
        "probe.osl:5:5: probe: FOLDER/b.ply is cut short: it ends in the vertex elements, at 1 of 2; nothing is found",
        "probe.osl:6:9: probe: FOLDER/c.ply is not a PLY file: it does not begin with `ply`; nothing is found",
        "probe.osl:7:8: probe: there is no point cloud file \"nowhere.ply\"; nothing is found",
        "probe.osl:8:7: probe: there is no point cloud file \"none.ply\"; nothing is found",
    ];
    assert_eq!(reports, expected);
}

/// Distances have derivatives with respect to the centre; values have none; unfilled elements keep their derivatives.
#[test]
fn derivatives_match_those_of_distances() {
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
