//! Point cloud files: encodings, Houdini's text files, and errors.

use super::*;

fn parse(bytes: &[u8]) -> Result<PointCloud, String> {
    PointCloud::parse(bytes, Path::new("test.ply")).map_err(|error| error.to_string())
}

#[test]
fn all_encodings_give_the_same_cloud() {
    // With a list, elements of a binary file have different lengths.
    for list in [false, true] {
        let header = |format: &str| {
            let list = if list { "property list uchar short ring\n" } else { "" };
            format!(
                "ply\nformat {format} 1.0\nelement camera 1\nproperty float f\nelement vertex 3\nproperty float x\n\
                 property double y\nproperty short z\n{list}property uint id\nproperty uchar r\nproperty uchar g\n\
                 property uchar b\nend_header\n"
            )
        };
        let rows = [(0.5_f32, 1.25_f64, -3_i16, 7_u32), (1.5, 2.0, 4, 80_000_001), (0.1, 0.2, 5, u32::MAX)];
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
            let mut bytes =
                header(if little { "binary_little_endian" } else { "binary_big_endian" }).into_bytes();
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

/// A cloud as in OSL's test suite.
const GEO: &str = "PGEOMETRY V5\nNPoints 3 NPrims 1\nNPointGroups 0 NPrimGroups 0\n\
    NPointAttrib 4 NVertexAttrib 0 NPrimAttrib 1 NAttrib 0\nPointAttrib\n\nuv 3 vector 0 0 0\nu 1 float 0\n\
    quat 4 float 0 0 0 1\nid 1 int 0\n0 0 1 1 (0 0 0\t0\t1 2 3 4\t7)\n0.25 0 1 1 (0.25 0 0\t0.25\t1 2 3 4\t8)\n\
    1e0 0.5 1 1 (1 0.5 0\t1\t1 2 3 4\t-9)\nPrimitiveAttrib\ngenerator 1 index 1 papi\nPart 3 0 1 2 [0]\nbeginExtra\n\
    endExtra\n";

#[test]
fn houdini_text_files_are_read() {
    let cloud = parse(GEO.as_bytes()).unwrap();
    let column = |name: &str| cloud.column(name).map(|column| column.values.clone());
    let triples = vec![[0.0; 3], [0.25, 0.0, 0.0], [1.0, 0.5, 0.0]];
    assert_eq!(column("uv"), Some(ColumnValues::Triples(triples)));
    assert_eq!(column("u"), Some(ColumnValues::Floats(vec![0.0, 0.25, 1.0])));
    assert_eq!(column("id"), Some(ColumnValues::Ints(vec![7, 8, -9])));
    let list = [1.0, 2.0, 3.0, 4.0].repeat(3);
    assert_eq!(column("quat"), Some(ColumnValues::Arrays { width: 4, list }));
    let positions = vec![[0.0, 0.0, 1.0], [0.25, 0.0, 1.0], [1.0, 0.5, 1.0]];
    assert_eq!(column("P"), Some(ColumnValues::Triples(positions)));
    let cases = [
        ("V5", "V2", "only ASCII files of version 5"),
        ("NPoints 3", "NPoints 30", "line 14: this is not a point with 4 attributes"),
        ("u 1 float", "u one float", "line 8: this is not an attribute"),
        ("0.25 0 1 1 (", "0.25 0 1 (", "line 12: this is not a point"),
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

/// Strings may be bare or quoted, and contain line ends; points may have none.
#[test]
fn houdini_strings_are_read() {
    let text = "PGEOMETRY V5\nNPoints 2 NPrims 0\nNPointGroups 0 NPrimGroups 0\nNPointAttrib 2 NVertexAttrib 0 NPrimAttrib 0 \
                NAttrib 0\nPointAttrib\nkind\t1\tindex\t3 \"two \\\"words\\\"\" bare \"two\nlines\"\nid 1 int 0\n\
                0 0 0 1 (2 7)\n1 0 0 1 (-1 8)\n";
    let cloud = parse(text.as_bytes()).unwrap();
    let column = |name: &str| cloud.column(name).map(|column| column.values.clone());
    let expected = ColumnValues::Texts {
        list: ["two \"words\"", "bare", "two\nlines"].map(Arc::from).to_vec(),
        indices: vec![2, -1],
    };
    assert_eq!(column("kind"), Some(expected));
    assert_eq!(column("id"), Some(ColumnValues::Ints(vec![7, 8])));
    let cases = [
        ("index\t3", "index\t4", "line 6: this is not an attribute"),
        ("lines\"", "lines", "line 6: this is not an attribute"),
        ("(2 7)", "(2)", "line 9: this is not a point with 2 attributes"),
    ];
    for (from, to, expected) in cases {
        let error = parse(text.replacen(from, to, 1).as_bytes()).expect_err("the file is wrong");
        assert!(error.contains(expected), "`{error}` does not say `{expected}`");
    }
    for length in 0..text.len() {
        let _ = parse(&text.as_bytes()[..length]);
    }
}

#[test]
fn errors_in_files_are_named() {
    let text = String::from_utf8(ply(&grid(2))).unwrap();
    let cases = [
        ("property float z\n", "", "its vertices have no x, y and z"),
        ("element vertex", "element point", "it has no vertex elements"),
        ("vertex 8", "vertex 9", "at 8 of 9"),
        ("1 1 1", "1 1 one", "test.ply:15: `1 1 one` is not a vertex (x y z)"),
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
