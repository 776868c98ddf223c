//! Points written by shaders: in order, equal for interpreter and machine code, and in files that are read back.

use std::borrow::Cow;

use renderer::cloud::{CloudFormat, CloudRows, ColumnType};
use shading::{PointValueType, ShaderHost, WrittenClouds};

use super::*;

/// A host that accepts points for all files except one.
struct Keeper;

impl ShaderHost for Keeper {
    fn cloud_refusal(&self, file: &str) -> Option<Cow<'static, str>> {
        (file == "no.ply").then_some(Cow::Borrowed("it is refused"))
    }
}

/// Points written by a shader with this body, equal for interpreter, machine code, batches and single runs; and the
/// values of its output `n`.
fn written(points: &[ShaderGlobals], functions: &str, body: &str) -> (WrittenClouds, Vec<i32>) {
    let text = format!("{functions}shader probe(output int n = 0)\n{{\n{body} }}");
    let system = ShadingSystem::new(closure_registry(), Arc::new(Keeper));
    let loaded = system
        .load(Source::new("probe.osl", text))
        .unwrap_or_else(|errors| panic!("{errors}"));
    assert!(loaded.warnings.list.is_empty(), "{}", loaded.warnings);
    let template = &loaded.templates[0];
    let mut all = vec![];
    for optimize in [OptLevel::None, OptLevel::Exact, OptLevel::Full] {
        let options = InstanceOptions { optimize, packets: true, ..InstanceOptions::default() };
        let (unit, _, _) = system.optimized(template, &options).expect("it compiles");
        let instance = system.instantiate(template.clone(), &options).expect("it compiles");
        let (mut context, mut batch) = (system.context(), system.context());
        let (mut clouds, mut interpreted) = (WrittenClouds::default(), WrittenClouds::default());
        let mut numbers = vec![];
        for globals in points {
            instance.run(globals, &mut context).unwrap();
            let options = RunOptions { host: &Keeper, ..RunOptions::new(globals) };
            let expected = interp::run(&unit, &options);
            let difference = compiled::difference(&instance, &mut context, system.closures(), &expected);
            assert_eq!(difference, None);
            numbers.push(int(&instance.output(0, &context).unwrap()));
            clouds.append(context.take_written());
            interpreted.append(expected.written);
        }
        assert_eq!(instance.run_batch(points, &mut batch, &mut []).unwrap(), points.len());
        assert_eq!(batch.take_written(), clouds);
        assert!(batch.take_written().is_empty());
        assert_eq!(interpreted, clouds);
        all.push((clouds, numbers));
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    all.pop().expect("there are levels")
}

fn floats_of(words: &[u32]) -> Vec<f32> {
    words.iter().copied().map(f32::from_bits).collect()
}

#[test]
fn points_have_their_order_and_types() {
    let points = [Vec3::X, Vec3::Y].map(at);
    let (clouds, numbers) = written(
        &points,
        "",
        "n = pointcloud_write(\"a.ply\", P, \"id\", 7 - (int) P[0], \"w\", 0.5, \"c\", color(1, 2, 3), \"v\", vector(P));
         n += 10 * pointcloud_write(\"b.ply\", P + 1);
         n += pointcloud_write(\"a.ply\", -P, \"id\", -1, \"w\", 1.5, \"c\", color(4), \"v\", vector(5));",
    );
    assert_eq!(numbers, [12, 12]);
    let [a, b] = clouds.clouds() else { panic!("{clouds:?}") };
    use PointValueType as T;
    let attributes = [("id", T::Int), ("w", T::Float), ("c", T::Triple), ("v", T::Triple)];
    assert_eq!(a.file, "a.ply");
    assert_eq!(a.attributes, attributes.map(|(name, ty)| (name.to_owned(), ty)));
    let rows: Vec<&[u32]> = a.words.chunks(11).collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows.iter().map(|row| row[3].cast_signed()).collect::<Vec<_>>(), [6, -1, 7, -1]);
    assert_eq!(floats_of(&rows[2][..3]), [0.0, 1.0, 0.0]);
    assert_eq!(floats_of(&rows[2][4..]), [0.5, 1.0, 2.0, 3.0, 0.0, 1.0, 0.0]);
    assert_eq!(floats_of(&rows[3][4..]), [1.5, 4.0, 4.0, 4.0, 5.0, 5.0, 5.0]);
    assert_eq!((b.file.as_str(), b.attributes.len()), ("b.ply", 0));
    assert_eq!(floats_of(&b.words), [2.0, 1.0, 1.0, 1.0, 2.0, 1.0]);
}

#[test]
fn matrices_are_written() {
    let body = "matrix m = 2; m[0][3] = P[0];
                n = pointcloud_write(\"a.ply\", P, \"m\", m, \"id\", 3);";
    let (clouds, numbers) = written(&[at(Vec3::X)], "", body);
    assert_eq!(numbers, [1]);
    let cloud = &clouds.clouds()[0];
    assert_eq!(cloud.attributes[0], ("m".to_owned(), PointValueType::Matrix));
    let m = floats_of(&cloud.words[3..19]);
    assert_eq!((m[0], m[3], m[15]), (2.0, 1.0, 2.0));
    let rows = CloudRows {
        columns: vec![("m".to_owned(), ColumnType::Matrix)],
        words: cloud.words[..19].to_vec(),
        texts: vec![],
    };
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [("a.ply", CloudFormat::Ply), ("a.geo", CloudFormat::Geo)] {
        let path = folder.path().join(name);
        rows.stage(&path, format).unwrap().commit().unwrap();
        let read = PointCloud::load(&path).unwrap();
        let list = m.clone();
        let expected = ColumnValues::Arrays { width: 16, list };
        assert_eq!(read.column("m").map(|column| &column.values), Some(&expected), "{name}");
    }
}

/// Strings are stored once each, for all writers, and round trip through formats with strings.
#[test]
fn strings_are_written() {
    let points = [2.0, 0.0, 1.0, 2.0].map(|x| at(Vec3::X * x));
    let body = r#"string names[3] = {"", "oak \\ \"old\"", "two\nlines"};
        string name = names[(int) P[0]];
        n = pointcloud_write("a.geo", P, "kind", name, "id", 7, "label", format("%g", P[0]));"#;
    let (clouds, numbers) = written(&points, "", body);
    assert_eq!(numbers, [1; 4]);
    let cloud = &clouds.clouds()[0];
    let texts: Vec<&str> = cloud.texts.iter().map(|text| &**text).collect();
    assert_eq!(texts, ["two\nlines", "2", "", "0", "oak \\ \"old\"", "1"]);
    let columns = [("kind", ColumnType::Text), ("id", ColumnType::Int), ("label", ColumnType::Text)];
    let rows = CloudRows {
        texts: cloud.texts.clone(),
        ..rows(&columns, cloud.words.clone())
    };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.geo");
    rows.stage(&path, CloudFormat::Geo).unwrap().commit().unwrap();
    let file = fs::read(&path).unwrap();

    let clouds = Clouds::new(&[("a.geo", &file)]);
    let (values, reports) = clouds.run_once(
        "output string kind[4] = {\"none\"}, output string label = \"none\", output int id = 0",
        "int index[4];
         n = pointcloud_search(\"a.geo\", point(0), 9, 4, 1, \"kind\", kind, \"index\", index);
         n += pointcloud_get(\"a.geo\", index, 1, \"label\", label, \"id\", id);
         n += 10 * pointcloud_get(\"a.geo\", index, 1, \"label\", id);",
    );
    let text = |text: &str| Const::String(text.into());
    let kinds = ["", "oak \\ \"old\"", "two\nlines", "two\nlines"].map(text);
    let expected = [Const::Int(5), Const::Array(kinds.to_vec()), text("0"), Const::Int(7)];
    assert_eq!(values, expected);
    let expected = "probe.osl:6:20: probe: attribute \"label\" of point cloud \"a.geo\" is string, not int";
    assert_eq!(reports, [expected]);

    let error = rows.stage(&folder.path().join("a.ply"), CloudFormat::Ply).err().unwrap();
    assert!(error.to_string().contains("attribute \"kind\" is a string"), "{error}");
}

/// A call is neither removed, repeated nor moved: in branches, loops, functions, recursion, and without a use of its
/// result.
#[test]
fn each_call_writes_one_point() {
    let functions = "
void twice(point p) { pointcloud_write(\"a.ply\", p, \"k\", 2); pointcloud_write(\"a.ply\", p, \"k\", 2); }
int deep(int k) { if (k > 0) { deep(k - 1); } return pointcloud_write(\"a.ply\", point(0), \"k\", 100 + k); }
";
    let points = [0.0, 1.0, 2.0].map(|x| at(Vec3::new(x, 0.0, 0.0)));
    let (clouds, _) = written(
        &points,
        functions,
        "if (P[0] > 0.5) pointcloud_write(\"a.ply\", P, \"k\", 1);
         twice(P);
         for (int i = 0; i < (int) P[0]; ++i) pointcloud_write(\"a.ply\", point(0), \"k\", 10 + i);
         for (int i = 0; i < 2; ++i) pointcloud_write(\"a.ply\", point(0), \"k\", 20);
         n = P[0] > 5 && pointcloud_write(\"a.ply\", point(0), \"k\", 50);
         n += P[0] > 5 || pointcloud_write(\"a.ply\", point(0), \"k\", 51);
         deep(1);",
    );
    let [a] = clouds.clouds() else { panic!("{clouds:?}") };
    let found: Vec<i32> = a.words.chunks(4).map(|row| row[3].cast_signed()).collect();
    let end = [20, 20, 51, 100, 101];
    let expected = [&[2, 2][..], &end, &[1, 2, 2, 10], &end, &[1, 2, 2, 10, 11], &end].concat();
    assert_eq!(found, expected);
}

/// Names may be computed, also those of attributes; other attributes give another cloud.
#[test]
fn names_may_be_computed() {
    let points = [0.0, 1.0, 0.0, 1.0].map(|x| at(Vec3::new(x, 0.0, 0.0)));
    let (clouds, numbers) = written(
        &points,
        "",
        "string name = format(\"%d\", (int) P[0]);
         n = pointcloud_write(concat(name, \".ply\"), P, concat(\"a\", name), P[0]);
         n += 2 * pointcloud_write(P[0] > 0 ? \"no.ply\" : \"c.ply\", P);",
    );
    assert_eq!(numbers, [3, 1, 3, 1]);
    let found: Vec<_> = clouds
        .clouds()
        .iter()
        .map(|cloud| {
            let names: Vec<&str> = cloud.attributes.iter().map(|(name, _)| name.as_str()).collect();
            (cloud.file.as_str(), names, cloud.words.len())
        })
        .collect();
    assert_eq!(
        found,
        [("0.ply", vec!["a0"], 8), ("c.ply", vec![], 6), ("1.ply", vec!["a1"], 8)]
    );
}

/// Hosts of scenes write no points: a warning is reported once, and the call returns 0.
#[test]
fn scenes_write_no_points() {
    let clouds = Clouds::new(&[]);
    let points = [Vec3::ZERO, Vec3::ONE].map(at);
    let found = clouds.run(
        &points,
        "output int m = 5",
        "n = 4;\nm = pointcloud_write(\"a.ply\", P, \"u\", u);",
    );
    for values in &found.values {
        assert_eq!(*values, [Const::Int(4), Const::Int(0)]);
    }
    let expected = "probe.osl:4:5: probe: no point is written to \"a.ply\": point clouds are written by `kiln shade` only";
    assert_eq!(found.reports, [expected]);
}

fn rows(columns: &[(&str, ColumnType)], words: Vec<u32>) -> CloudRows {
    let columns = columns.iter().map(|(name, ty)| ((*name).to_owned(), *ty));
    CloudRows { columns: columns.collect(), words, texts: vec![] }
}

/// The bits of all numbers round trip.
#[test]
fn files_round_trip() {
    use ColumnType as T;
    let columns = [
        ("color", T::Triple),
        ("id", T::Int),
        ("normal", T::Triple),
        ("weight", T::Float),
        ("wind", T::Triple),
        ("N2", T::Triple),
        ("u", T::Float),
    ];
    let mut random = Random(5);
    let mut number = || f32::from_bits((random.below(1 << 16) << 16 | random.below(1 << 16)) as u32);
    let mut words = vec![];
    for _ in 0..200 {
        for (_, ty) in [("position", T::Triple)].iter().chain(&columns) {
            for _ in 0..ty.width() {
                // Text does not distinguish NaN payloads.
                let value = Some(number()).filter(|x| !x.is_nan()).unwrap_or(-0.0);
                words.push(value.to_bits());
            }
        }
    }
    let rows = rows(&columns, words);
    assert_eq!(rows.count(), 200);
    let folder = TempDir::new().unwrap();
    for (name, format) in [("a.ply", CloudFormat::Ply), ("a.GEO", CloudFormat::Geo)] {
        let path = folder.path().join(name);
        assert_eq!(CloudFormat::of(&path), Some(format));
        rows.stage(&path, format).unwrap().commit().unwrap();
        let cloud = PointCloud::load(&path).unwrap();
        assert_eq!((cloud.count(), cloud.columns().len()), (200, 8));
        let mut at = 0;
        for (name, ty) in [("position", T::Triple)].iter().chain(&columns) {
            let bits: Vec<Vec<u32>> = match &cloud.column(name).unwrap().values {
                ColumnValues::Ints(list) => list.iter().map(|x| vec![x.cast_unsigned()]).collect(),
                ColumnValues::Floats(list) => list.iter().map(|x| vec![x.to_bits()]).collect(),
                ColumnValues::Triples(list) => list.iter().map(|x| x.map(f32::to_bits).to_vec()).collect(),
                ColumnValues::Arrays { .. } | ColumnValues::Texts { .. } => {
                    panic!("only numbers were written")
                }
            };
            for (row, bits) in rows.words.chunks(18).zip(&bits) {
                assert_eq!(row[at..at + ty.width()], bits[..], "{name}");
            }
            at += ty.width();
        }
    }
}

#[test]
fn clouds_without_attributes_are_written() {
    let folder = TempDir::new().unwrap();
    for (name, format) in [("a.ply", CloudFormat::Ply), ("a.geo", CloudFormat::Geo)] {
        let path = folder.path().join(name);
        let words = [1.0, 2.0, 3.0_f32].map(f32::to_bits).to_vec();
        rows(&[], words).stage(&path, format).unwrap().commit().unwrap();
        let cloud = PointCloud::load(&path).unwrap();
        assert_eq!(cloud.columns().len(), 1);
        assert_eq!(cloud.columns()[0].values, ColumnValues::Triples(vec![[1.0, 2.0, 3.0]]));
    }
}

/// A file that would change an attribute is not written.
#[test]
fn unwritable_names_are_errors() {
    use CloudFormat::{Geo, Ply};
    use ColumnType as T;
    let folder = TempDir::new().unwrap();
    let lost = |format, columns: &[(&str, T)]| {
        let path = folder.path().join("a.ply");
        let error = rows(columns, vec![]).stage(&path, format).err()?;
        assert!(!path.exists());
        let text = error.to_string();
        Some(text.split(" an ").nth(1).unwrap().to_owned())
    };
    let says = |name: &str| Some(format!("attribute cannot be named {name:?} there"));
    for format in [Ply, Geo] {
        for name in ["", "two words", "position", "index", "a\nproperty float b", "tab\t"] {
            assert_eq!(lost(format, &[("ok", T::Float), (name, T::Float)]), says(name), "{name:?}");
        }
        assert_eq!(lost(format, &[("position", T::Triple)]), says("position"));
        assert_eq!(lost(format, &[("a", T::Float), ("b", T::Int), ("a", T::Int)]), says("a"));
        assert_eq!(lost(format, &[("element", T::Int), ("comment", T::Triple)]), None);
    }
    for columns in [
        &[("x", T::Float)][..],
        &[("r", T::Float), ("g", T::Float), ("b", T::Float)],
        &[("wind", T::Triple), ("wind_w", T::Float)],
        &[("wind_x", T::Float), ("wind_y", T::Float), ("wind_z", T::Float)],
        &[("nx", T::Float), ("normal", T::Triple)],
        &[("alpha", T::Int)],
        &[("größe", T::Float)],
    ] {
        assert_eq!(lost(Ply, columns), says(columns[0].0), "{columns:?}");
        assert_eq!(lost(Geo, columns), None, "{columns:?}");
    }
    assert_eq!(lost(Ply, &[("alpha", T::Float), ("P", T::Triple), ("Cd", T::Triple)]), None);
}
