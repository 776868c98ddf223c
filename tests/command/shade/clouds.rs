//! Point clouds that `kiln shade` writes: `pointcloud_write`.

use renderer::cloud::{ColumnValues, PointCloud};

use super::*;

const WRITE: &str = r#"
shader writes(string file = "a.ply", output int ok = 0)
{
    int id = (int) (u * 1000);
    ok = pointcloud_write(file, P, "id", id, "weight", u - v, "color", color(u, v, 0.5), "normal", N,
        "wind", vector(v, 0, u));
    for (int i = 0; i < id % 3; ++i)
        if (v > 0.5)
            ok += pointcloud_write(file, point(u, v, 2), "id", -i, "weight", 0.0, "color", color(i),
                "normal", normal(1, 0, 0), "wind", vector(0));
}
"#;

/// Shader that compares the attributes of the nearest point with the values written there.
const READ: &str = r#"
shader reads(string file = "a.ply", output int found = 0, output float worst = 0)
{
    int id;
    float weight, distance;
    color c;
    normal n;
    vector w;
    point p;
    found = pointcloud_search(file, P, 0.001, 1, "id", id, "weight", weight, "color", c, "normal", n, "wind", w,
        "position", p, "distance", distance);
    worst = abs(weight - (u - v)) + abs(id - (int) (u * 1000)) + distance;
    color d = abs(c - color(u, v, 0.5)) + abs(color(n - N)) + abs(color(w - vector(v, 0, u))) + abs(color(p - P));
    worst += d[0] + d[1] + d[2];
}
"#;

fn write_bench() -> Bench {
    Bench::new(&[("w.ksl", WRITE), ("r.ksl", READ)])
}

fn bytes(bench: &Bench, name: &str) -> Vec<u8> {
    std::fs::read(bench.path(name)).unwrap()
}

/// The files have the same bytes for any number of threads, compiled or interpreted, and searches find what was written.
#[test]
fn written_points_are_found() {
    let bench = write_bench();
    for file in ["a.ply", "a.geo"] {
        let mut first = None;
        for mode in ["-t 1", "-t 3", "-t 1 --interpret", "-t 3 --interpret", "-t 2 -O0"] {
            let line = format!("{mode} -g 70 70 -param file {file} w.ksl -o ok ok.tif");
            bench.shade(&line).ok();
            let bytes = bytes(&bench, file);
            assert!(*first.get_or_insert(bytes.clone()) == bytes, "{file} differs with {mode}");
            assert_eq!(bench.image("ok.tif").pixel(0, 0), [1.0]);
            assert_eq!(bench.image("ok.tif").pixel(50, 69), [2.0]);
            std::fs::remove_file(bench.path(file)).unwrap();
        }
        bench
            .shade(&format!("-g 70 70 -param file {file} w.ksl"))
            .status
            .eq(&0)
            .then_some(())
            .unwrap();
        let line = format!("-g 70 70 -param file {file} r.ksl -o found found.exr -o worst worst.exr");
        bench.shade(&line).ok();
        let [found, worst] = ["found.exr", "worst.exr"].map(|name| bench.image(name).data);
        assert!(found.iter().all(|n| *n == 1.0) && worst.iter().all(|x| *x == 0.0));
    }
}

/// Points are in the order of grid points, then of calls.
#[test]
fn points_come_in_order() {
    let bench = write_bench();
    bench.shade("-t 3 -g 70 70 w.ksl -o ok ok.exr").ok();
    let cloud = PointCloud::load(&bench.path("a.ply")).unwrap();
    let names: Vec<&str> = cloud.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["position", "normal", "color", "id", "weight", "wind"]);
    let ColumnValues::Ints(ids) = &cloud.column("id").unwrap().values else {
        panic!("ids are whole");
    };
    let mut expected = vec![];
    for (y, x) in (0..70).flat_map(|y| (0..70).map(move |x| (y, x))) {
        let [u, v] = [x, y].map(|i| i as f32 / 69.0);
        let id = (u * 1000.0) as i32;
        expected.push(id);
        expected.extend((0..id % 3).filter(|_| v > 0.5).map(|i| -i));
    }
    assert_eq!(ids, &expected);
}

/// Only the last of several passes over the grid is written.
#[test]
fn points_are_written_once() {
    let bench = write_bench();
    bench.shade("-g 9 9 w.ksl -o ok ok.exr").ok();
    let expected = bytes(&bench, "a.ply");
    for flags in ["--iters 3", "--stats=stats.json", "--stats=stats.json --interpret --iters 2", "--print"] {
        std::fs::remove_file(bench.path("a.ply")).unwrap();
        let given = bench.shade(&format!("{flags} -g 9 9 w.ksl"));
        assert_eq!((given.status, given.err.as_str()), (0, ""));
        assert!(bytes(&bench, "a.ply") == expected, "{flags}");
    }
    // Points written by a run that exceeds its fuel are discarded.
    let endless = "shader s(output float f = 0) { pointcloud_write(\"b.ply\", P); while (u > 0.5) f += 1; }";
    std::fs::write(bench.path("s.ksl"), endless).unwrap();
    bench
        .shade("-g 2 2 s.ksl")
        .fails(&["did not come to its end; nothing was written"]);
    assert!(!bench.path("b.ply").exists());
}

/// Runs a shader with this body and expects an error with all of `parts` and no written file.
#[track_caller]
fn refused(files: &[(&str, &str)], body: &str, parts: &[&str]) {
    for mode in ["", "--interpret"] {
        let text = format!("shader s(output int ok = 0)\n{{\n{body}\n}}\n");
        let mut files = files.to_vec();
        files.push(("s.ksl", &text));
        let bench = Bench::new(&files);
        bench.shade(&format!("-t 2 -g 64 64 {mode} s.ksl -o ok ok.exr")).fails(parts);
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        assert_eq!(bench.written(&names), [""; 0]);
        for (name, text) in &files {
            assert!(bytes(&bench, name) == text.as_bytes());
        }
    }
}

#[test]
fn invalid_writes_are_errors() {
    refused(
        &[],
        "ok = pointcloud_write(\"a.ptc\", P, \"u\", u);",
        &[
            "error: s.ksl:3:6: s: no point is written to \"a.ptc\": point clouds are written as .ply and .geo",
            "not all points of `s` can be written; nothing was written",
        ],
    );
    refused(&[], "ok = pointcloud_write(\"\", P);", &["no point is written to \"\""]);
    refused(
        &[],
        "ok = pointcloud_write(\"no/a.ply\", P);",
        &["cannot write 'no/a.ply': the directory 'no' does not exist"],
    );
    let different = "ok = u > 0.5 ? pointcloud_write(\"a.ply\", P, \"u\", u) : 2;
        if (v > 0.9) pointcloud_write(\"a.ply\", P, \"u\", u, \"c\", color(v));";
    refused(
        &[],
        different,
        &[
            "the points of 'a.ply' have different attributes: float \"u\"; and float \"u\", triple \"c\"",
            "hint: give all calls of `pointcloud_write` with that file the same attributes",
        ],
    );
    refused(
        &[],
        "ok = pointcloud_write(\"a.ply\", P, \"two words\", u);",
        &["cannot write a.ply: an attribute cannot be named \"two words\" there"],
    );
    refused(
        &[],
        "ok = pointcloud_write(format(\"%d.ply\", (int) (P[0] * 1000)), P);
         ok += pointcloud_write(format(\"%d.geo\", (int) (P[1] * 1000)), P);
         ok += pointcloud_write(format(\"u%d.ply\", (int) (P[0] * 1000)), P);
         ok += pointcloud_write(format(\"v%d.ply\", (int) (P[1] * 1000)), P);
         ok += pointcloud_write(\"all.ply\", P);",
        &["writes 257 files; at most 256 are possible"],
    );
}

/// A command does not overwrite a file that it reads, regardless of the path that names it.
#[test]
fn input_files_are_not_overwritten() {
    let dots = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n\
                end_header\n0 0 1\n";
    for name in ["\"dots.ply\"", "format(\"%s.ply\", u < 2 ? \"dots\" : \"\")"] {
        let body = format!(
            "int i; ok = pointcloud_search({name}, P, 9, 1, \"index\", i) + pointcloud_write(\"./dots.ply\", P);"
        );
        refused(
            &[("dots.ply", dots)],
            &body,
            &["cannot write './dots.ply' (pointcloud_write): this command reads it"],
        );
    }
    refused(
        &[],
        "ok = pointcloud_write(\"a.ply\", P) + pointcloud_write(\"./a.ply\", P);",
        &["'./a.ply' is asked for by pointcloud_write twice"],
    );
}

/// Renders write no points; a warning is reported once.
#[test]
fn renders_write_no_points() {
    let scene = "film { size = (8, 6); }\ncamera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }\n\
                 light sky : environment { color = 1; }\n\
                 surface look() { Ci = (1 - pointcloud_write(\"a.ply\", P, \"u\", u)) * diffuse(N); }\n\
                 material grey = look();\nshape ball : sphere { radius = 1; material = grey; }\n";
    let bench = Bench::new(&[("a.kiln", scene)]);
    let given = bench.kiln(&["render", "a.kiln", "-o", "out.exr", "--spp", "4"]);
    assert_eq!(given.status, 0, "{}", given.err);
    let expected = "no point is written to \"a.ply\": point clouds are written by `kiln shade` only";
    assert_eq!(given.err.matches(expected).count(), 1, "{}", given.err);
    assert_eq!(bench.written(&["a.kiln"]), ["out.exr"]);
    assert!(bench.image("out.exr").data.iter().any(|x| *x > 0.0));
}

/// Files that no shader has written are not overwritten.
#[test]
fn foreign_files_are_not_overwritten() {
    let bench = write_bench();
    for file in ["a.ply", "a.geo"] {
        let line = format!("-g 9 9 -param file {file} w.ksl");
        for _ in 0..2 {
            assert_eq!(bench.shade(&line).status, 0);
        }
        let mesh = match file {
            "a.ply" => "ply\nformat ascii 1.0\nelement vertex 0\nend_header\n",
            _ => "PGEOMETRY V5\nNPoints 3 NPrims 1\nNPointGroups 0 NPrimGroups 0\n",
        };
        std::fs::write(bench.path(file), mesh).unwrap();
        let given = bench.shade(&line);
        assert!(
            given.status == 1 && given.err.contains("no earlier pointcloud_write"),
            "{}",
            given.err
        );
        assert_eq!(bytes(&bench, file), mesh.as_bytes());
    }
}
