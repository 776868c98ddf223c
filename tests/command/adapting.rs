//! Materials that adapt to their callers and their place, on the command line and in scenes.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::program::{message, refused, run};

/// What a command prints.
#[track_caller]
fn printed(at: &Path, line: &str) -> String {
    let output = run(at, line);
    assert!(output.status.success(), "{line}: {}", message(&output));
    String::from_utf8(output.stdout).unwrap()
}

const ALIASES: &str = r#"
shader base(float albedo = 0 [[ string aliases = "Kd,diffuse_color" ]], float other = 0, output float r = 0)
{
    r = albedo;
    printf("%g ", r);
}
shader one(output float r = 0) { r = 3; }
group whole(float tint = 1 [[ string aliases = "Kd" ]], output float r = 0) { base b(diffuse_color = tint); r = b.r; }
"#;

#[test]
fn values_are_given_by_aliases() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("s.ksl"), ALIASES).unwrap();
    assert_eq!(printed(at, "shade s.ksl:base --param Kd 2"), "2 ");
    assert_eq!(printed(at, "shade s.ksl:whole --param Kd 4"), "4 ");
    let group = "shade s.ksl:base --param Kd 2 --reparam base_0 diffuse_color 5 --iters 2";
    assert_eq!(printed(at, group), "2 5 ");
    let connected = "shade --layer a s.ksl:one --layer b s.ksl:base --connect a r b Kd";
    assert_eq!(printed(at, connected), "3 ");
    fs::write(at.join("group"), "param float Kd 7 ; shader s.ksl:base b ;").unwrap();
    assert_eq!(printed(at, "shade --group group"), "7 ");
    refused(
        at,
        "shade s.ksl:base --param Kd 2 --param albedo 3",
        &["given twice, as `Kd` and as `albedo`"],
    );
    refused(at, "shade s.ksl:base --param Kdd 2", &["no input `Kdd`"]);
    assert!(printed(at, "debug s.ksl --param Kd=5").contains("tint = 5"));
    let info: Json = serde_json::from_str(&printed(at, "info s.ksl:base --json")).unwrap();
    let aliases = &info[0]["parameters"][0]["aliases"];
    assert_eq!(*aliases, serde_json::json!(["Kd", "diffuse_color"]));
    fs::write(at.join("scene.kiln"), "material a = matte(Kd = 0.5);\n").unwrap();
    assert!(run(at, "check scene.kiln").status.success());
    fs::write(
        at.join("scene.kiln"),
        "material a = matte(Kd = 0.5, albedo = 1);\n",
    )
    .unwrap();
    refused(at, "check scene.kiln", &["scene.kiln:1:30"]);
}

#[test]
fn scenes_and_serialised_groups_give_parts() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let text = "surface stack(closure color layers[] = {0}, float weights[] = {1}, output closure color surface = 0)
        { for (int i = 0; i < arraylength(layers); ++i) surface += weights[i] * layers[i]; printf(\"%d \", arraylength(layers)); }
        shader one(output float f = 7, output color c = color(1, 2, 3)) { f = 7; c = color(1, 2, 3); }
        shader sum(float a[] = {1}, output float r = 0)
        { for (int i = 0; i < arraylength(a); ++i) r += a[i]; printf(\"%g \", r + 100 * arraylength(a)); }\n";
    fs::write(at.join("s.ksl"), text).unwrap();
    let group = "shader s.ksl:one x ; shader s.ksl:sum y ; connect x.f y.a[0] ; connect x.c[2] y.a[1] ;";
    fs::write(at.join("group"), group).unwrap();
    assert_eq!(printed(at, "shade --group group"), "210 ");
    let scene = "import \"s.ksl\";
        material a = stack(layers = {matte(), glass(ior = 1.3), emitter(scale = u)}, weights = {0.2, 0.3, 0.5});
        material b = matte(albedo = (1, 1, 1), albedo.g = fbm(scale = 2).value);\n";
    fs::write(at.join("scene.kiln"), scene).unwrap();
    assert!(run(at, "check scene.kiln").status.success());
}
