//! Scenes and options that cannot be baked, and their error messages.

use super::*;

/// Expects an error that contains all of `words` and writes no folder `more`.
fn refused(at: &Path, args: &str, words: &[&str]) {
    let output = run(at, args);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "kiln {args}\n{message}");
    for word in words {
        assert!(message.contains(word), "`{word}` is not in:\n{message}");
    }
    assert!(!at.join("more").exists(), "kiln {args} left something");
}

#[test]
fn invalid_options_and_scenes_are_errors() {
    let folder = folder();
    let at = folder.path();
    fs::write(
        at.join("empty.kiln"),
        "camera main : perspective { from = (0, 0, 1); to = (0, 0, 0); }\n",
    )
    .unwrap();
    refused(at, "bake empty.kiln -o more", &["nothing to bake"]);
    refused(at, "bake nowhere.kiln -o more", &["nowhere.kiln"]);
    refused(
        at,
        &format!("{SMALL} --no-unwrap -o more"),
        &["--no-unwrap", "`floor`", "no second set", "`ball`"],
    );
    refused(
        at,
        "bake a.kiln --integrator path --texels-per-unit 1e5 -o more",
        &["8192", "--texels-per-unit"],
    );
    refused(
        at,
        "bake a.kiln --integrator path --texels-per-unit 100 --resolution 64 -o more",
        &["64", "--resolution"],
    );
    refused(
        at,
        "bake a.kiln --integrator path --resolution 4 -o more",
        &["4 × 4", "--resolution"],
    );
    refused(
        at,
        "bake a.kiln --target probes --probe-spacing 1e-4 -o more",
        &["probes", "--probe-spacing"],
    );
    refused(at, "bake a.kiln --target probes --probe-points none.txt -o more", &["none.txt"]);
    fs::write(at.join("bad.txt"), "0 1 2\n0 1\n").unwrap();
    refused(
        at,
        "bake a.kiln --target probes --probe-points bad.txt -o more",
        &["bad.txt", "line 2"],
    );
    fs::write(at.join("file"), "").unwrap();
    refused(at, &format!("{SMALL} -o file"), &["file", "not a folder"]);
    refused(at, &format!("{SMALL} -o file/more"), &["file", "not a folder"]);
    refused(at, &format!("{SMALL} -o /proc/more"), &["/proc"]);
    fs::write(at.join("kept"), "a letter to a friend, longer than a header").unwrap();
    refused(
        at,
        &format!("{SMALL} --checkpoint kept --resume -o more"),
        &["kept", "not a checkpoint"],
    );
    assert_eq!(run(at, "bake a.kiln").status.code(), Some(2));
    refused(at, "bake a.kiln -o more --resume", &["--resume needs --checkpoint or --frames"]);
}

#[test]
fn baking_from_surfaces_requires_matching_pairs() {
    let folder = folder();
    let at = folder.path();
    let flags = "bake a.kiln --resolution 32 -o more";
    for (args, words) in [
        ("--include none", &["--aov", "for example"][..]),
        ("--include none --aov height", &["no other surface", "--from"]),
        ("--include none --aov ao --target vertex", &["texture", "--target"]),
        ("--aov N --from bal --to back", &["--from bal", "did you mean `ball`"]),
        ("--aov N --from ball --to wall*", &["--to wall*", "`back`"]),
        ("--aov N --from b* --to back", &["`back`", "cannot be both"]),
        ("--aov N --from ball --to back,floor --cage light", &["1 shape", "--to 2"]),
        (
            "--aov N --from light --to back --cage ball",
            &["`ball` is no cage of `back`", "2"],
        ),
        ("--aov ambient", &["ambient", "curvature"]),
    ] {
        refused(at, &format!("{flags} {args}"), words);
    }
    for args in ["--from ball", "--to ball", "--cage ball", "--from ball --to back --include both"] {
        assert_eq!(run(at, &format!("{flags} --aov N {args}")).status.code(), Some(2), "{args}");
    }
}

#[test]
fn invalid_lightmap_coordinates_cause_errors() {
    let folder = folder();
    let at = folder.path();
    let obj = |uvs: &str| format!("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n{uvs}f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n");
    // OBJ has a single UV set. Therefore the test edits a baked file: `TEXCOORD_1` replaces a set that repeats.
    fs::write(at.join("m.obj"), obj("vt 0 0\nvt 3 0\nvt 3 3\nvt 0 3\n")).unwrap();
    done(at, "bake m.obj --integrator path --samples 1 --resolution 16 -o out");
    let mut glb = fs::read(at.join("out/scene.glb")).unwrap();
    swap(&mut glb, b"\"TEXCOORD_0\"", b"\"TEXCOORD_1\"");
    fs::write(at.join("m.glb"), &glb).unwrap();
    let output = run(at, "bake m.glb --integrator path --samples 1 --resolution 16 -o again");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(message.contains("triangle 0 leaves the unit square at (3, 0)"), "{message}");
    refused(
        at,
        "bake m.glb --integrator path --samples 1 --resolution 16 --no-unwrap -o more",
        &["triangle 0 leaves the unit square"],
    );
}

/// Swaps all occurrences of two byte strings of equal length.
fn swap(bytes: &mut [u8], a: &[u8], b: &[u8]) {
    for at in 0..=bytes.len() - a.len() {
        let here = &mut bytes[at..at + a.len()];
        if here == a {
            here.copy_from_slice(b);
        } else if here == b {
            here.copy_from_slice(a);
        }
    }
}
