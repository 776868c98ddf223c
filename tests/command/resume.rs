//! Resumed bakes: the same bytes as a single run; checkpoints of other scenes or settings are rejected.

use std::fs;
use std::path::Path;

use crate::program::{done, files, killed, message, refused, run, same, timed, write_ramp};
use tempfile::TempDir;

const SCENE: &str = "film { size = (8, 6); }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
import \"unit.ksl\";
light sky : environment { map = \"sky.exr\"; }
material painted = matte(albedo = image(file = \"paint.png\").result);
material own = unit(k = 0.5);
shape floor : plane { size = 3; material = painted; }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = own; }
shape thing : mesh { file = \"thing.ply\"; material = own; }
";
const UNIT: &str =
    "shader unit(float k = 1, output closure color surface = 0) { surface = k * diffuse(N); }\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                   element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in [("a.kiln", SCENE), ("unit.ksl", UNIT), ("thing.ply", PLY)] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    write_ramp(&folder.path().join("sky.exr"), 0.5);
    write_ramp(&folder.path().join("paint.png"), 0.3);
    folder
}

#[test]
fn merged_shares_equal_a_single_bake() {
    let folder = folder();
    let at = folder.path();
    for (target, more) in [("texture", "--resolution 64"), ("vertex", ""), ("probes", "--probe-spacing 0.3")]
    {
        let bake = format!("bake a.kiln --target {target} {more} --samples 32 --set integrator.photons=3000");
        done(at, &format!("{bake} -o whole"));
        for share in 1..=3 {
            done(
                at,
                &format!("{bake} --part {share}/3 --threads {share} --checkpoint {share}.part"),
            );
        }
        refused(at, "merge 1.part 2.part 1.part -o all.part", &["1.part", "has, too"]);
        // A resumed bake completes the missing chunks.
        done(at, "merge 3.part 1.part -o some.part");
        done(at, &format!("{bake} -o joined --checkpoint some.part --resume"));
        same(&files(&at.join("joined")), &files(&at.join("whole")), target);
        done(at, "merge 3.part 1.part 2.part -o all.part");
        done(at, &format!("{bake} -o of_all --checkpoint all.part --resume --stats s.json"));
        same(&files(&at.join("of_all")), &files(&at.join("whole")), target);
        refused(at, "merge 1.part 2.part -o all.part", &["exists already"]);
        // The parts of a bake are not parts of a picture.
        refused(at, "merge 1.part 2.part 3.part -o all.exr", &["all.exr", ".part file"]);
        let chunks = |name: &str| -> u64 {
            let text = String::from_utf8(run(at, &format!("info {name}")).stdout).unwrap();
            let count = text.split_once("finished work").expect("it is a bake's").1;
            count.split_whitespace().next().unwrap().parse().unwrap()
        };
        let shares: u64 = ["1.part", "2.part", "3.part"].map(chunks).iter().sum();
        assert!(shares > 0 && chunks("all.part") == shares);
        done(at, &format!("{bake} --seed 4 --part 2/3 --checkpoint other.part"));
        refused(at, "merge 1.part other.part -o none.part", &["other.part", "another bake"]);
        for name in ["whole", "joined", "of_all"] {
            fs::remove_dir_all(at.join(name)).unwrap();
        }
        for name in ["1.part", "2.part", "3.part", "some.part", "all.part", "other.part"] {
            fs::remove_file(at.join(name)).unwrap();
        }
    }
    // `-o` writes a complete bake; a share requires `--checkpoint`.
    assert_eq!(run(at, "bake a.kiln --part 1/2 --checkpoint c -o out").status.code(), Some(2));
    assert_eq!(run(at, "bake a.kiln --part 1/2").status.code(), Some(2));
    assert_eq!(run(at, "bake a.kiln --part 3/2 --checkpoint c").status.code(), Some(2));
}

#[test]
fn bakes_do_not_depend_on_threads_or_kills() {
    let folder = folder();
    let at = folder.path();
    for integrator in ["path", "photon --set integrator.photons=3000"] {
        let bake =
            format!("bake a.kiln --integrator {integrator} --include both --samples 64 --resolution 96");
        let time = timed(at, &format!("{bake} --threads 1 -o one"));
        let whole = files(&at.join("one"));
        for threads in [2, 3] {
            done(at, &format!("{bake} --threads {threads} -o other"));
            same(&files(&at.join("other")), &whole, "threads");
        }

        let kept = at.join("kept");
        let _ = fs::remove_file(&kept);
        let mut kills = 0;
        for share in [0.1, 0.2, 0.3, 0.4, 0.5] {
            let bake = format!("{bake} --checkpoint kept --resume -o victim");
            kills += u32::from(killed(at, &bake, time.mul_f64(share)));
        }
        assert!(kills > 0 && kept.exists(), "{kills} kills");
        done(at, &format!("{bake} --checkpoint kept --resume -o resumed"));
        same(&files(&at.join("resumed")), &whole, "resumed");
        // Resumes also from a file that is truncated within a record.
        let bytes = fs::read(&kept).unwrap();
        fs::write(&kept, &bytes[..bytes.len() * 2 / 3]).unwrap();
        done(at, &format!("{bake} --checkpoint kept --resume -o again"));
        same(&files(&at.join("again")), &whole, "again");
    }
}

/// A flipped bit invalidates one chunk, which is reported and computed again; without `--resume`, the checkpoint is not
/// read.
#[test]
fn damaged_checkpoints_are_reported_and_completed() {
    let folder = folder();
    let at = folder.path();
    let bake = "bake a.kiln --target vertex --samples 4 --integrator path";
    done(at, &format!("{bake} -o whole --checkpoint c"));
    done(at, &format!("{bake} --part 1/2 --checkpoint 1.part"));
    done(at, &format!("{bake} --part 2/2 --checkpoint 2.part"));
    for name in ["c", "1.part"] {
        let mut bytes = fs::read(at.join(name)).unwrap();
        // A flipped bit in the length of the first record.
        bytes[31] ^= 0x40;
        fs::write(at.join(name), bytes).unwrap();
    }
    refused(at, &format!("{bake} -o out --checkpoint c"), &["--resume"]);
    let damaged_resume = |line: &str| {
        let output = run(at, line);
        let message = message(&output);
        assert!(
            output.status.success() && message.contains("is damaged at 1 place"),
            "{message}"
        );
    };
    damaged_resume(&format!("{bake} -o again --checkpoint c --resume"));
    same(&files(&at.join("again")), &files(&at.join("whole")), "again");
    damaged_resume("merge 1.part 2.part -o all.part");
    done(at, &format!("{bake} -o joined --checkpoint all.part --resume"));
    same(&files(&at.join("joined")), &files(&at.join("whole")), "joined");
}

/// Returns whether a bake accepts the checkpoint of the scene in `folder` after a change.
fn accepts(change: impl Fn(&Path), flags: &str) -> bool {
    let folder = folder();
    let at = folder.path();
    let bake = "bake a.kiln --integrator path --samples 2 --resolution 64 --checkpoint c";
    done(at, &format!("{bake} -o out"));
    change(at);
    let output = run(at, &format!("{bake} --resume {flags} -o out"));
    let message = message(&output);
    match output.status.code() {
        Some(0) => true,
        Some(1) if message.contains("another scene or other settings") => false,
        status => panic!("{status:?}: {message}"),
    }
}

fn edit(name: &'static str, from: &'static str, to: &'static str) -> impl Fn(&Path) {
    move |at: &Path| {
        let text = fs::read_to_string(at.join(name)).unwrap();
        assert!(text.contains(from), "{from}");
        fs::write(at.join(name), text.replace(from, to)).unwrap();
    }
}

#[test]
fn changes_of_the_light_invalidate_a_checkpoint() {
    assert!(!accepts(|at| write_ramp(&at.join("sky.exr"), 0.6), ""), "environment map");
    assert!(!accepts(|at| write_ramp(&at.join("paint.png"), 0.4), ""), "texture");
    assert!(!accepts(edit("thing.ply", "0 1 0\n3", "0 2 0\n3"), ""), "mesh");
    assert!(!accepts(edit("unit.ksl", "k * diffuse", "0.9 * k * diffuse"), ""), "shader");
    assert!(!accepts(edit("a.kiln", "k = 0.5", "k = 0.6"), ""), "parameter");
    assert!(!accepts(edit("a.kiln", "radius = 0.5", "radius = 0.6"), ""), "shape");
    assert!(!accepts(
        edit("a.kiln", "light sky : environment {", "light sky : environment { scale = 2; "),
        ""
    ));
    for flags in ["--depth 3", "--include both", "--order 2", "--dilation 3", "--set material.own.k=0.1"] {
        assert!(!accepts(|_| (), flags), "{flags}");
    }
}

#[test]
fn other_changes_keep_a_checkpoint_valid() {
    assert!(accepts(|_| (), "--threads 3 --denoise --layout packed"));
    assert!(accepts(edit("a.kiln", "from = (0, 1, 4)", "from = (1, 1, 4)"), ""), "camera");
    assert!(accepts(edit("a.kiln", "size = (8, 6)", "size = (9, 7)"), ""), "film");
    assert!(accepts(edit("a.kiln", "import", "// a comment\nimport"), ""), "comment");
    assert!(
        accepts(edit("unit.ksl", "shader", "\n// a comment\nshader"), ""),
        "comment in a shader"
    );
    assert!(accepts(edit("a.kiln", "own", "mine"), ""), "name of a material");
    assert!(accepts(edit("a.kiln", "shape ball", "shape bowl"), ""), "name of a shape");
    let rename = |from: &'static str, to: &'static str| {
        move |at: &Path| {
            fs::rename(at.join(from), at.join(to)).unwrap();
            edit("a.kiln", from, to)(at);
        }
    };
    assert!(accepts(rename("thing.ply", "other.ply"), ""), "name of a mesh file");
    assert!(accepts(rename("sky.exr", "heaven.exr"), ""), "name of a map");
    assert!(accepts(rename("unit.ksl", "shaders.ksl"), ""), "name of a shader file");
    assert!(accepts(rename("paint.png", "colours.png"), ""), "name of a texture");
}
