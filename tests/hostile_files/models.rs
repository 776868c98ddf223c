//! Models and volumes that expand to much more memory than their files.

use std::fmt::Write as _;

use super::{Input, lock_memory, measured};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

/// Reads an OBJ file with its material library.
fn read(obj: &str, library: &str) -> Result<usize, String> {
    Input::new(&[("a.mtl", library.as_bytes()), ("a.obj", obj.as_bytes())]).read("a.obj")
}

/// The error about the material library `name` of an OBJ file.
fn library_error(name: &str, library: &str) -> String {
    let obj = format!("mtllib {name}\n{TRIANGLE}f 1 2 3\n");
    let input = Input::new(&[("a.mtl", library.as_bytes()), ("a.obj", obj.as_bytes())]);
    let size = obj.len() + library.len();
    measured(&input.path("a.obj"), size as u64).expect_err("the library is too large")
}

#[test]
fn group_names_are_bounded() {
    let _alone = lock_memory();
    // Each group has the long name, of an object or of a material.
    let long = "x".repeat(1 << 20);
    for statement in ["o", "usemtl"] {
        let mut text = format!("{TRIANGLE}{statement} {long}\n");
        for i in 0..20_000 {
            let other = if statement == "o" { "usemtl" } else { "o" };
            let _ = writeln!(text, "{other} {i}\nf 1 2 3");
        }
        let error = read(&text, "").expect_err("the names are too long");
        assert!(
            error.contains("groups") && error.contains("is the most for a file of"),
            "{error}"
        );
    }
    // A group that is selected again is not a new group.
    let text = format!(
        "{TRIANGLE}o {long}\n{}",
        "usemtl a\nf 1 2 3\nusemtl b\nf 1 2 3\n".repeat(20_000)
    );
    assert_eq!(read(&text, "newmtl a\nnewmtl b\n"), Ok(2));
}

#[test]
fn many_groups_and_faces_are_read() {
    let _alone = lock_memory();
    let mut text = TRIANGLE.to_owned();
    for i in 0..100_000 {
        let _ = writeln!(text, "g group_{i}\nf 1 2 3");
    }
    assert_eq!(read(&text, ""), Ok(100_000));
    let corners = format!("{TRIANGLE}f{}\n", " 1 2 3".repeat(200_000));
    assert_eq!(read(&corners, ""), Ok(1));
}

#[test]
fn materials_of_libraries_are_bounded() {
    let _alone = lock_memory();
    let error = library_error("a.mtl", &"newmtl\n".repeat(1_500_000));
    assert!(error.contains("a.mtl: materials would take"), "{error}");
    // Warnings are longer than the statements that they describe.
    let warned = format!("newmtl m\n{}", "Kd\n".repeat(1_000_000));
    let error = library_error(&format!("{}a.mtl", "./".repeat(1500)), &warned);
    assert!(error.contains("a.mtl: warnings would take"), "{error}");
}

#[test]
fn triangles_of_stl_files_are_bounded() {
    let _alone = lock_memory();
    let corners = "outer\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n";
    let text = format!("solid a\n{corners}{}endsolid\n", "endloop\n".repeat(2_000_000));
    assert_eq!(Input::new(&[("a.stl", text.as_bytes())]).read("a.stl"), Ok(1));
    let mut bytes = vec![b' '; 80];
    bytes.extend(u32::MAX.to_le_bytes());
    bytes.extend([0; 5000]);
    let error = Input::new(&[("a.stl", &bytes)]).read("a.stl");
    assert!(error.expect_err("there are fewer").contains("cut short"));
}

#[test]
fn long_words_make_short_messages() {
    let _alone = lock_memory();
    let long = "x".repeat(1 << 20);
    for text in [
        format!("v {long} 0 0\n"),
        format!("v nan 0 0 {}\n", "1 ".repeat(1 << 19)),
        format!("{TRIANGLE}f 1 2 {long}\n"),
        format!("{TRIANGLE}f 1 2 3/{long}\n"),
        format!("{TRIANGLE}f 1 2 3/1/1/{long}\n"),
        format!("{TRIANGLE}vt {long}\n"),
    ] {
        let _ = read(&text, "");
    }
    let text = format!("solid a\n{long}\nendsolid\n");
    assert!(Input::new(&[("a.stl", text.as_bytes())]).read("a.stl").is_err());
}

#[test]
fn voxels_of_volumes_are_bounded() {
    let _alone = lock_memory();
    // A voxel of a thin volume needs the memory of a whole block.
    let vol = |size: [i32; 3]| {
        let mut bytes = b"VOL\x03".to_vec();
        let words = [3, size[0], size[1], size[2], 1];
        bytes.extend(words.iter().flat_map(|word: &i32| word.to_le_bytes()));
        bytes.extend([0f32, 0.0, 0.0, 1.0, 1.0, 1.0].iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(vec![7; size.iter().product::<i32>() as usize]);
        Input::new(&[("a.vol", &bytes)]).read("a.vol")
    };
    assert_eq!(vol([1, 1, 1 << 20]), Ok(1));
    assert_eq!(vol([100, 100, 1]), Ok(1));
}
