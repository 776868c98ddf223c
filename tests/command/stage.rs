//! Preview of units and groups without a scene: `kiln render UNIT`, `--on`, `--param`, `--show`, `--variations`.

use std::fs;
use std::path::Path;

use renderer::image::{Image, read};
use tempfile::TempDir;

use crate::program::{message, refused, run};

/// Patterns of uv, and a surface with inputs of all types.
const UNITS: &str = "
shader ramp_uv(float scale = 1, output color result = 0, output float first = 0) { result = scale * color(u, v, 0.5); first = u; }
surface paint(color albedo = 0.5, string name = \"none\", int twice = 0, output closure color surface = 0)
{
    surface = (twice + 1) * (name == \"dark\" ? 0.1 : 1) * albedo * diffuse(N);
}
";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("units.ksl"), UNITS).unwrap();
    folder
}

/// A small picture rendered with these arguments.
fn picture(at: &Path, args: &str) -> Image {
    let output = run(at, &format!("render {args} -o out.exr --size 32x32 --quiet"));
    assert!(output.status.success(), "{args}: {}", message(&output));
    read(&at.join("out.exr")).unwrap()
}

fn mean(image: &Image) -> f32 {
    image.data.iter().sum::<f32>() / image.data.len() as f32
}

#[test]
fn patterns_are_shown_as_emission() {
    let folder = folder();
    let at = folder.path();
    let image = picture(at, "units.ksl:ramp_uv --param scale=2 --spp 64");
    for (x, y) in [(4, 4), (27, 4), (16, 29)] {
        let color = image.rgb(x, y);
        let (u, v) = ((x as f32 + 0.5) / 32.0, 1.0 - (y as f32 + 0.5) / 32.0);
        let near = |a: f32, b: f32| (a - b).abs() < 0.02;
        assert!(
            near(color.r, 2.0 * u) && near(color.g, 2.0 * v) && color.b == 1.0,
            "{x}, {y}: {color:?}"
        );
    }
    let first = picture(at, "units.ksl:ramp_uv --show first --spp 64");
    let color = first.rgb(8, 20);
    assert!((color.r - 8.5 / 32.0).abs() < 0.02 && color.r == color.b, "{color:?}");
    // Shipped units are given by name only; on a ball, the picture contains the backdrop.
    let flat = picture(at, "checker --spp 1");
    let ball = picture(at, "checker --on ball --spp 1");
    assert_ne!(flat.data, ball.data);
}

#[test]
fn layers_of_groups_are_shown() {
    let folder = folder();
    let at = folder.path();
    let text = "shader half(float x = 0, output float y = 0) { y = 0.5 * x; }
surface red(output closure color surface = 0, output float share = 0.25) { surface = color(1, 0, 0) * emission(); }
group inner(output float y) { half first(x = u); half second(x = first.y); y = second.y; }
group outer(float gain = 1, output closure color surface)
{
    inner deep();
    red paint();
    surface = paint.surface * gain * deep.y;
}
";
    fs::write(at.join("layers.ksl"), text).unwrap();
    for (show, factor) in [("deep.second.y", 0.25), ("deep.first", 0.5), ("deep", 0.25)] {
        let image = picture(at, &format!("layers.ksl --spp 64 --show {show}"));
        let color = image.rgb(20, 9);
        let expected = factor * 20.5 / 32.0;
        assert!((color.r - expected).abs() < 0.01 && color.r == color.b, "{show}: {color:?}");
    }
    let closure = picture(at, "layers.ksl --on plane --show paint --spp 16");
    let color = closure.rgb(16, 16);
    assert!(color.r > 0.99 && color.g == 0.0, "{color:?}");
    refused(at, "render layers.ksl --show deep.third.y", &["no layer", "deep.first.y"]);
    refused(at, "render layers.ksl --show deeper", &["no output `deeper`"]);
}

#[test]
fn surfaces_are_shown_on_all_shapes() {
    let folder = folder();
    let at = folder.path();
    let model = "v 0 0 0\nv 300 0 0\nv 300 200 0\nv 0 200 0\nf 1 2 3 4\n";
    fs::write(at.join("far.obj"), model).unwrap();
    let mut seen: Vec<Vec<f32>> = vec![];
    for on in ["", "--on plane", "--on cube", "--on cloth", "--on far.obj"] {
        let [red, blue] = ["red", "#0000ff"]
            .map(|color| picture(at, &format!("units.ksl {on} --spp 4 --param albedo={color}")));
        let center = |image: &Image| image.rgb(16, 16);
        assert!(center(&red).r > 4.0 * center(&red).b, "{on}: {:?}", center(&red));
        assert!(center(&blue).b > 4.0 * center(&blue).r, "{on}");
        assert!(red.data.iter().all(|v| v.is_finite()));
        seen.push(red.data);
    }
    seen.sort_by(|a, b| a.partial_cmp(b).unwrap());
    seen.dedup();
    assert_eq!(seen.len(), 5);
}

/// Internal names of the stage do not collide with a user's units, and file names are escaped.
#[test]
fn units_with_any_name_are_shown() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    for name in ["matte", "checker", "emitter", "subject", "backdrop", "main"] {
        let text = format!("surface {name}(color Kd = 0.5) {{ Ci = Kd * diffuse(N); }}");
        fs::write(at.join(format!("{name}.ksl")), text).unwrap();
        picture(at, &format!("{name}.ksl --spp 1"));
        let text = format!("shader {name}(output color c = 0.25) {{ c = c; }}");
        fs::write(at.join(format!("{name}.ksl")), text).unwrap();
        assert_eq!(picture(at, &format!("{name}.ksl --spp 1")).rgb(3, 3).r, 0.25);
    }
    let odd = "a\"b\\c.ksl";
    if cfg!(unix) {
        fs::write(at.join(odd), "shader odd(output color c = 0.25) { c = c; }").unwrap();
        assert_eq!(picture(at, &format!("{odd} --spp 1")).rgb(3, 3).r, 0.25);
    }
}

#[test]
fn parameters_accept_values_of_their_types() {
    let folder = folder();
    let at = folder.path();
    let of = |params: &str| mean(&picture(at, &format!("units.ksl:paint --spp 4 {params}")));
    let plain = of("");
    assert!(of("--param name=dark") < 0.9 * plain);
    assert!(of("--param twice=1") > 1.1 * plain);
    // Values have the syntax of scenes, and `--set` applies to them.
    assert_eq!(of("--param albedo=0.25"), of("--set material.subject.albedo=0.25"));
    refused(at, "render plastik", &["no such file", "`plastic`"]);
    for (args, words) in [
        ("units.ksl:paint --param albed=1", ["no parameter `albed`", "`albedo`"]),
        ("units.ksl:paint --param albedo=1;", ["`1;` is no value", "red"]),
        ("units.ksl:paint --show roughness", ["no output `roughness`", ""]),
        ("units.ksl:paint --on nothing.obj", ["nothing.obj", ""]),
        ("units.ksl:pain", ["`pain`", "`paint`"]),
    ] {
        refused(at, &format!("render {args} -o x.exr"), &words);
    }
    fs::write(
        at.join("a.kiln"),
        "camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }",
    )
    .unwrap();
    refused(at, "render a.kiln --param a=1", &["--param is for units", "a.kiln is a scene"]);
    fs::write(at.join("d.ksl"), "displacement d() { P += N; }").unwrap();
    refused(at, "render d.ksl", &["a displacement", "not shown yet"]);
}

#[test]
fn variations_are_labelled_tiles() {
    let folder = folder();
    let at = folder.path();
    let sheet = |args: &str| {
        let output = run(
            at,
            &format!("render units.ksl:ramp_uv --spp 1 --size 160x160 -o sheet.exr {args}"),
        );
        assert!(output.status.success(), "{}", message(&output));
        read(&at.join("sheet.exr")).unwrap()
    };
    let row = sheet("--variations scale=0.2,1,0.6");
    assert_eq!((row.width, row.height), (3 * 164 + 4, 178 + 4));
    let middle = |sheet: &Image, column: usize, row: usize| sheet.rgb(84 + 164 * column, 98 + 178 * row).b;
    assert_eq!([(0, 0), (1, 0), (2, 0)].map(|(x, y)| middle(&row, x, y)), [0.1, 0.5, 0.3]);
    // Labels are drawn in the row above.
    let ink = (0..160).filter(|&x| row.rgb(4 + x, 9).r > 0.5).count();
    assert!((3..100).contains(&ink), "{ink}");
    refused(
        at,
        "render units.ksl --variations albedo=red,blue --checkpoint c",
        &["does not go with --checkpoint"],
    );
    // Input files are not overwritten.
    fs::copy(at.join("sheet.exr"), at.join("texture.exr")).unwrap();
    refused(
        at,
        "render image --param file=texture.exr --variations scale=1,2 -o texture.exr --spp 1 --size 16x16",
        &["texture.exr"],
    );
    assert_eq!(
        fs::read(at.join("sheet.exr")).unwrap(),
        fs::read(at.join("texture.exr")).unwrap()
    );
    let grid = run(
        at,
        "render units.ksl --variations albedo=red,blue --variations twice=0,1,2 -o g.exr --spp 1 --size 160x160",
    );
    assert!(grid.status.success(), "{}", message(&grid));
    let grid = read(&at.join("g.exr")).unwrap();
    assert_eq!((grid.width, grid.height), (2 * 164 + 4, 3 * 178 + 4));
}
