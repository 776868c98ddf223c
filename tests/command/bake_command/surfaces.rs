//! Bakes of surfaces without light: files, warnings, and the material of `scene.glb`.

use super::*;

/// A plate with bumps, and a flat one with an atlas, both from files.
fn plates(at: &Path) {
    let side = 40u32;
    let mut high = String::new();
    for y in 0..=side {
        for x in 0..=side {
            let (u, v) = (f64::from(x) / f64::from(side), f64::from(y) / f64::from(side));
            let height = 0.02 * (12.0 * u).sin() * (9.0 * v).cos();
            high += &format!("v {} {height} {}\n", 2.0 * u - 1.0, 1.0 - 2.0 * v);
        }
    }
    for y in 0..side {
        for x in 0..side {
            let a = y * (side + 1) + x + 1;
            high += &format!("f {a} {} {} {}\n", a + 1, a + side + 2, a + side + 1);
        }
    }
    fs::write(at.join("high.obj"), high).unwrap();
    let low = "v -1 0 1\nv 1 0 1\nv 1 0 -1\nv -1 0 -1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n";
    fs::write(at.join("low.obj"), low).unwrap();
    let scene = "import \"high.obj\" as high;\nimport \"low.obj\" as low;\n\
        material clay = matte(albedo = (0.6, 0.3, 0.1));\nassign high = clay;\n";
    fs::write(at.join("pair.kiln"), scene).unwrap();
}

#[test]
fn a_detailed_surface_is_baked_to_a_simple_one() {
    let folder = folder();
    let at = folder.path();
    plates(at);
    let flags = "bake pair.kiln --from high --to low --resolution 64 --cage-distance 0.1 \
        --aov albedo,tangent_normal,ao,curvature,height,roughness --ao-samples 16 --curvature-samples 16";
    let output = run(at, &format!("{flags} -o out --threads 1"));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(!message.contains("warning"), "{message}");
    done(at, &format!("{flags} -o again --threads 3"));
    same(&files(&at.join("again")), &files(&at.join("out")), "again");

    // Row 0 is the top row: v = 1, where z = -1. The slope of the heights is 0.24 cos(12 u) cos(9 v) / 2 along x.
    let normals = read(&at.join("out/surface_tangent_normal.exr")).unwrap();
    let heights = read(&at.join("out/surface_height.exr")).unwrap();
    for (x, y) in [(5u8, 9u8), (20, 31), (40, 50), (60, 3)] {
        let (u, v) = ((f64::from(x) + 0.5) / 64.0, 1.0 - (f64::from(y) + 0.5) / 64.0);
        let slopes = [0.12 * (12.0 * u).cos() * (9.0 * v).cos(), -0.09 * (12.0 * u).sin() * (9.0 * v).sin()];
        let length = (1.0 + slopes[0] * slopes[0] + slopes[1] * slopes[1]).sqrt();
        let expected = [-slopes[0] / length, -slopes[1] / length, 1.0 / length];
        let at = 3 * (usize::from(y) * 64 + usize::from(x));
        for (&found, expected) in normals.data[at..at + 3].iter().zip(expected) {
            assert!((f64::from(found) - expected).abs() < 0.02, "{found} for {expected}");
        }
        let height = 0.02 * (12.0 * u).sin() * (9.0 * v).cos();
        assert!((f64::from(heights.data[at]) - height).abs() < 1e-3);
    }
    let manifest = fs::read_to_string(at.join("out/bake.json")).unwrap();
    assert!(manifest.contains("\"missed_texels\": 0"), "{manifest}");
    assert!(manifest.contains("TEXCOORD_0"), "{manifest}");
    // The written file renders.
    let glb = fs::read(at.join("out/scene.glb")).unwrap();
    for name in ["normalTexture", "occlusionTexture", "baseColorTexture", "metallicRoughnessTexture"] {
        assert!(glb.windows(name.len()).any(|part| part == name.as_bytes()), "{name}");
    }
    done(at, "render out/scene.glb --light studio --size 16x16 --spp 1 -o p.exr");
}

#[test]
fn rays_that_miss_and_options_without_effect_cause_warnings() {
    let folder = folder();
    let at = folder.path();
    plates(at);
    let output = run(
        at,
        "bake pair.kiln --from high --to low --resolution 32 --cage-distance 0.005 --aov N --ao-samples 3 --samples 4 -o out",
    );
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    for words in [
        "texels found nothing",
        "--cage-distance",
        "--ao-samples has no effect without --aov ao",
        "--samples has no effect: no light is baked",
    ] {
        assert!(message.contains(words), "`{words}` is not in:\n{message}");
    }
    // The next bake removes the files of this one from the folder.
    done(at, &format!("{SMALL} -o out"));
    assert!(!at.join("out/surface_N.exr").exists());
}
