//! Command line tests of volume grids: `texture3d`, `kiln info`, packs.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::program;

/// A folder with fixtures of the crate `renderer-grid`, and texts.
fn folder(texts: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../renderer/grid/tests/data");
    for name in ["smoke.vdb", "velocity.vdb", "types.nvdb"] {
        fs::copy(data.join(name), folder.path().join(name)).unwrap();
    }
    for (name, text) in texts {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Exit status, standard output and standard error.
fn run(folder: &TempDir, args: &str) -> (i32, String, String) {
    let Output { status, stdout, stderr } = program::run(folder.path(), args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// The position of voxel (i, j, k) of `density` is (1 + i/2, 2 − k/2, 3 + j/4).
const LOOKUPS: &str = "shader s(output float a = 0, output float b = 0, output color c = 0, output color d = 0,
         output float e = 0, output float f = 0, output color g = 0, output int h = 0) {
    point p = point(1 + 3 / 2.0, 2 - 1 / 2.0, 3 + 2 / 4.0);
    a = texture3d(\"smoke.vdb\", p);
    b = texture3d(\"smoke.vdb\", p + vector(0.25, 0, 0));
    c = color(texture3d(\"smoke.vdb\", p), texture3d(\"smoke.vdb\", 9), texture3d(\"smoke.vdb\", p, \"interp\", \"closest\"));
    d = texture3d(\"velocity.vdb\", point(1, 2, 0.5));
    e = texture3d(\"smoke.vdb\", p - vector(1, 0, 0), \"wrap\", \"clamp\");
    f = Dx((float)texture3d(\"smoke.vdb\", p + vector(0.125 + u * 0.25, 0, 0)));
    g = texture3d(\"smoke.vdb\", p, \"subimage\", \"smoke\", \"missingcolor\", color(1, 2, 3));
    gettextureinfo(\"velocity.vdb\", \"channels\", h);
}
";

#[test]
fn texture3d_reads_grids() {
    let folder = folder(&[("s.ksl", LOOKUPS)]);
    let outputs = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| format!("-o {name} null"));
    // (3·3 + 2·5 + 1·7) mod 64 is 26, and 3 more for the next along x. Along x, a two-pixel image has 0.25 / 0.5 voxels
    // per pixel.
    let expected = [
        "a : 0.65625",
        "b : 0.679688",
        "c : 0.65625 0 0.65625",
        "d : 1 4 0",
        "e : 0.65625",
        "f : 0.0234375",
        "g : 1 2 3",
        "h : 3",
    ];
    for mode in ["", "--interpret"] {
        let (status, out, err) =
            run(&folder, &format!("shade -g 2 1 s.ksl {mode} {} --print", outputs.join(" ")));
        assert_eq!((status, err.as_str()), (0, ""), "{out}");
        for line in expected {
            assert!(out.contains(&format!("{line}\n")), "{line} in {out}");
        }
    }
}

#[test]
fn a_missing_grid_is_an_error_with_its_location() {
    let shader = "shader s(output float a = 0) {\n    a = texture3d(\"smoke.vdb\", P);\n    \
                  a += texture3d(\"smoke.vdb\", P, \"subimage\", \"densty\");\n}\n";
    let late = "shader late(string grid = \"\", output float a = 0) {\n    \
                a = texture3d(\"smoke.vdb\", P, \"subimage\", format(\"dens%s\", u < 2 ? \"ty\" : grid));\n}\n";
    let picture = "shader p(output color a = 0) {\n    a = texture(\"smoke.vdb\", u, v);\n}\n";
    let folder = folder(&[("s.ksl", shader), ("late.ksl", late), ("p.ksl", picture)]);
    let (status, _, err) = run(&folder, "shade s.ksl -o a null");
    assert_eq!(status, 1);
    for part in [
        "grid `densty` is not in './smoke.vdb', which has `flames` and `density`",
        "s.ksl:3:10",
        "did you mean `density`?",
    ] {
        assert!(err.contains(part), "{part} in {err}");
    }
    for mode in ["", "--interpret"] {
        let (status, _, err) = run(&folder, &format!("shade -g 8 8 -t 2 late.ksl {mode} -o a null"));
        assert_eq!(status, 0, "{err}");
        assert_eq!(err.matches("late.ksl:2:9").count(), 1, "{err}");
    }
    let (_, _, err) = run(&folder, "shade -g 8 8 p.ksl -o a null");
    assert!(
        err.contains("`smoke.vdb` is a volume, which only `texture3d` looks up"),
        "{err}"
    );
}

#[test]
fn info_shows_grids() {
    let folder = folder(&[]);
    let (status, out, err) = run(&folder, "info smoke.vdb velocity.vdb");
    assert_eq!((status, err.as_str()), (0, ""));
    for part in [
        "OpenVDB file with 2 grids\nflames: float\n",
        "density: fog volume, float\n  active voxels   144 from [3, 2, 0] to [11, 5, 3]\n",
        "  transform       (0.5, 0, 0) (0, 0, 0.25) (0, -0.5, 0) (1, 2, 3)\n",
        "  values          from 0.25 to 1.234375\n",
        "mask: is not supported: grids of type `Tree_bool_5_4_3` are not read\n",
        "velocity: staggered, 3 × half\n",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
    let (_, json, _) = run(&folder, "info --json types.nvdb");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let names: Vec<_> = json[0]["grids"].as_array().unwrap().iter().map(|grid| &grid["name"]).collect();
    assert_eq!(names, ["fp4", "fp8", "fp16", "fpn", "velocity"]);
    assert_eq!(json[0]["grids"][4]["active_voxels"], 175);

    let bytes = fs::read(folder.path().join("smoke.vdb")).unwrap();
    fs::write(folder.path().join("short.vdb"), &bytes[..bytes.len() - 100]).unwrap();
    let (status, out, err) = run(&folder, "info short.vdb");
    assert_eq!(status, 1);
    assert!(out.contains("flames: float"), "{out}");
    assert!(err.contains("grid `density` is cut short"), "{err}");
}

#[test]
fn packs_contain_their_volumes() {
    let scene = "camera main : perspective { from = (4, 2, 12); to = (4, 2, 3); fov = 40; }\n\
                 film { size = (24, 16); }\n\
                 shader glow(output closure color c = 0) {\n    \
                 c = texture3d(\"smoke.vdb\", P * 0.4 + vector(3, 0.5, 1.6)) * emission();\n}\n\
                 material m = glow();\nshape s : sphere { center = (4, 2, 3); radius = 3; material = m; }\n";
    let wrong = scene.replace("vector(3, 0.5, 1.6)", "vector(3, 0.5, 1.6), \"subimage\", \"flams\"");
    let folder = folder(&[("s.kiln", scene), ("wrong.kiln", &wrong)]);
    for args in ["render s.kiln --spp 4 -o a.exr", "pack s.kiln -o s.zip", "render s.zip --spp 4 -o b.exr"] {
        let (status, _, err) = run(&folder, args);
        assert_eq!(status, 0, "{args}: {err}");
    }
    let image = |name: &str| renderer::image::read(&folder.path().join(name)).unwrap();
    let (a, b) = (image("a.exr"), image("b.exr"));
    assert_eq!(a.data, b.data);
    assert!(a.data.iter().any(|&v| v > 0.5));
    let (status, _, err) = run(&folder, "render wrong.kiln -o c.exr");
    assert_eq!(status, 1);
    assert!(err.contains("material `m`: grid `flams` is not in"), "{err}");
    assert!(err.contains("wrong.kiln:4:9"), "{err}");
}
