//! Material inputs on the command line and in scenes: aliases, inputs of type `any`, required attributes, values by
//! mesh part.

use std::fs;
use std::path::Path;

use renderer::image::read;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::program::{message, refused, run};

/// Returns the standard output of a command.
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
fn aliases_set_values() {
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
    fs::write(at.join("scene.kiln"), "material a = matte(Kd = 0.5, albedo = 1);\n").unwrap();
    refused(at, "check scene.kiln", &["scene.kiln:1:30"]);
}

/// `--set` finds a parameter by any of its names, also if the scene sets it under another name.
#[test]
fn overrides_accept_aliases() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let picture = |arguments: &str, options: &str| {
        let scene = format!(
            "camera main : perspective {{ from = (0, 0, 4); to = (0, 0, 0); fov = 40; }}
            light sky : environment {{ color = 1; }}
            material a = matte({arguments});
            shape one : sphere {{ material = a; }}\n"
        );
        fs::write(at.join("scene.kiln"), scene).unwrap();
        let line = format!("render scene.kiln -o o.exr --size 4x4 --spp 1 --integrator path -q {options}");
        let output = run(at, &line);
        assert!(output.status.success(), "{line}: {}", message(&output));
        read(&at.join("o.exr")).unwrap().data
    };
    let expected = picture("albedo = 0.125", "");
    for (arguments, options) in [
        ("albedo = 0.5", "--set material.a.Kd=0.125"),
        ("Kd = 0.5", "--set material.a.albedo=0.125"),
        ("diffuseColor = 0.5", "--set material.a.Kd=0.125"),
        ("albedo = 0.5, albedo.g = 0.7", "--set material.a.Kd=0.125"),
        ("Kd = 0.5, Kd.g = 0.7", "--set material.a.Kd=0.125"),
        ("", "--set material.a.albedo=0.5 --set material.a.Kd=0.125"),
        ("", "--set material.a.Kd=0.5 --set material.a.albedo=0.125"),
    ] {
        assert_eq!(picture(arguments, options), expected, "{arguments} {options}");
    }
    let shown = |param: &str| {
        printed(at, &format!("render matte -o o.exr --size 4x4 --spp 1 -q --param {param}"));
        read(&at.join("o.exr")).unwrap().data
    };
    assert_eq!(shown("Kd=red"), shown("albedo=red"));
    refused(
        at,
        "render matte -o p.exr --size 4x4 --param Kd=red --param albedo=1",
        &["given twice, as `Kd` and as `albedo`"],
    );
}

#[test]
fn scenes_and_serialised_groups_set_components() {
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

#[test]
fn info_lists_required_inputs_of_shaders() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let text = r#"shader needy(float wear = 0.5 [[ int interpolated = 1 ]], string file = "gone.png", output color r = 0)
        {
            color c = 0;
            getattribute("Cd", c);
            r = c + wear + texture(file, u, v) + color(transform("object", P)) + getattribute("object:index", wear);
            if (raytype("shadow")) r = 0;
        }
        shader has_default(output float r = 0) { r = attribute("dust", 0.5) + attribute("rows", matrix(1))[0][0]; }
        shader has_none(output color r = 0) { r = attribute("dust"); }
        group whole(output color r = 0) { needy a(wear = P.x); r = a.r; }
        shader quiet(output float r = 0) { r = 1; }"#;
    fs::write(at.join("s.ksl"), text).unwrap();
    let scene =
        "import \"s.ksl\"; shape ball : sphere { attributes = { wear = 0.3; } } shape floor : plane { }\n";
    fs::write(at.join("scene.kiln"), scene).unwrap();
    let needs = printed(at, "info --needs s.ksl:needy scene.kiln");
    for line in [
        "needs of \"needy\"",
        "attribute \"wear\", optional: on ball\n",
        "attribute \"Cd\": on no shape\n",
        "attribute \"object:index\"",
        "space \"object\"",
        "texture \"gone.png\": not found",
        "is not the same by rays of shadow\n",
        "globals P, u, v",
    ] {
        assert!(needs.contains(line), "{line}: {needs}");
    }
    assert!(!printed(at, "info --needs s.ksl:whole").contains("wear"));
    let needs = printed(at, "info --needs s.ksl:has_default");
    assert!(needs.contains("attribute \"dust\", optional"), "{needs}");
    assert!(needs.contains("attribute \"rows\", optional"), "{needs}");
    let needs = printed(at, "info --needs s.ksl:has_none");
    assert!(needs.contains("attribute \"dust\"\n"), "{needs}");
    assert!(printed(at, "info --needs s.ksl:quiet").contains("nothing"));
    let json: Json = serde_json::from_str(&printed(at, "info --needs scene.kiln --json")).unwrap();
    // The default material is the first entry.
    assert_eq!(json.as_array().map(Vec::len), Some(6));
    assert_eq!(json[1]["attributes"][2]["shapes"][0], "ball", "{json:#}");
    refused(at, "info --needs scene.kiln scene.kiln", &["one scene"]);
}

#[test]
fn info_lists_required_inputs_of_materials_and_marks_missing_ones() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let text = "import \"s.ksl\";
        material worn = dusty();
        material given = dusty(c = needy(file = \"there.png\", space = \"raster\").r);
        material plain = matte();
        shape ball : sphere { attributes = { wear = 0.3; Cd = (1, 0, 0); } material = worn; }
        shape floor : plane { material = worn; }
        shape box : cube { material = given; }\n";
    let units = r#"shader needy(float wear = 0.5 [[ int interpolated = 1 ]], string file = "gone.png", string space = "moon",
            output color r = 0)
        {
            color c = 0;
            getattribute("Cd", c);
            r = c + wear + texture(file, u, v) + color(transform(space, P));
        }
        group dusty(color c = 0, output closure color surface)
        { needy n(); matte m(albedo = c + n.r); surface = m.surface; }"#;
    fs::write(at.join("s.ksl"), units).unwrap();
    fs::write(at.join("scene.kiln"), text).unwrap();
    printed(at, "shade checker -g 2 2 -o result there.png");
    let needs = printed(at, "info --needs scene.kiln");
    let of = |name: &str| {
        let start = needs.find(&format!("needs of material \"{name}\"\n")).expect(name);
        let rest = &needs[start + 1..];
        rest[..rest.find("needs of").map_or(rest.len(), |at| at + 1)].to_owned()
    };
    for (material, line) in [
        ("worn", "attribute \"Cd\": on ball, missing on floor\n"),
        ("worn", "attribute \"wear\", optional: on ball, missing on floor\n"),
        ("worn", "texture \"gone.png\": not found\n"),
        ("worn", "space \"moon\": not found\n"),
        ("given", "attribute \"Cd\": missing on box\n"),
        ("given", "there.png\"\n"),
        ("given", "space \"raster\"\n"),
        ("plain", "globals N\n"),
    ] {
        assert!(of(material).contains(line), "{material}: {line}: {needs}");
    }
    assert!(!of("plain").contains("attribute"));
    let json: Json = serde_json::from_str(&printed(at, "info --needs scene.kiln --json")).unwrap();
    assert_eq!(json.as_array().map(Vec::len), Some(5));
    assert_eq!(json[0]["attributes"][0]["lacking"][0], "floor", "{json:#}");
    assert_eq!(json[0]["spaces"][0]["found"], false, "{json:#}");
}

const KIND: &str = r#"
shader kind(any x = 0.5, output color r = 0)
{
    string found = "matrix";
    if (isarray(x)) found = format("%d floats", arraylength(x));
    else if (istexture(x)) found = "image";
    else if (iscolor(x)) found = "color";
    else if (isfloat(x)) found = "float";
    else if (isclosure(x)) found = "closure";
    printf("%s ", found);
}
"#;

#[test]
fn inputs_of_type_any_accept_every_type() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let text =
        format!("{KIND}group through(any x = 0.5, output color r = 0) {{ kind k(x = x); r = k.r; }}\n");
    fs::write(at.join("s.ksl"), &text).unwrap();
    for (given, found) in [
        ("1", "float"),
        ("1,2,3", "color"),
        ("red", "color"),
        ("#ff0000", "color"),
        ("1,2", "2 floats"),
        ("1,2,3,4,5", "5 floats"),
    ] {
        for unit in ["kind", "through"] {
            let line = format!("shade s.ksl:{unit} --param x {given}");
            assert_eq!(printed(at, &line), format!("{found} "));
        }
    }
    let arguments = [
        ("1", "float"),
        ("{1, 2}", "2 floats"),
        ("{u, 2, v}", "3 floats"),
        ("(1, 0, 0)", "color"),
        ("fbm(scale = 2).value", "float"),
        ("attribute(\"Cd\")", "color"),
        ("attribute(\"wear\", 0.5)", "float"),
        ("matte(Kd = 1)", "closure"),
        ("layer.out", "float"),
    ];
    for (argument, found) in arguments {
        let group = format!(
            "{text}shader one(output float out = 0) {{ out = u; }}
            group whole(output color r = 0) {{ one layer(); through t(x = {argument}); r = t.r; }}"
        );
        fs::write(at.join("g.ksl"), group).unwrap();
        // Whole numbers are ints in groups and floats in scenes.
        if argument != "1" {
            assert_eq!(printed(at, "shade g.ksl:whole"), format!("{found} "), "{argument}");
        }
        let scene = format!(
            "import \"s.ksl\"; group shown(any x = 0.5, output closure color s = 0) {{ kind k(x = x); matte m(albedo = k.r); s = m.s; }}
            material a = shown(x = {argument});"
        );
        let scene = scene.replace("m.s;", "m.surface;");
        fs::write(at.join("scene.kiln"), scene).unwrap();
        if argument != "layer.out" {
            let output = run(at, "check scene.kiln");
            assert!(output.status.success(), "{argument}: {}", message(&output));
        }
    }
}

/// Two squares side by side; the triangles of the second share positions but no vertices.
const SQUARES: &str = "v -2 -1 0\nv 0 -1 0\nv 0 1 0\nv -2 1 0\nv 0.5 -1 0\nv 2 -1 0\nv 2 1 0\nv 0.5 1 0\nv 0.5 -1 0\nv 2 1 0\n\
    f 1 2 3\nf 1 3 4\nf 5 6 7\nf 9 10 8\n";

#[test]
fn mesh_parts_have_distinct_random_values() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("two.obj"), SQUARES).unwrap();
    let scene = |shapes: &str| {
        format!(
            "group told(output closure color surface = 0)
            {{
                object_info i();
                random_object r(per = \"island\");
                random_object p(per = \"attribute\", attribute = \"paint\");
                emitter e(radiance = color(i.island + 1, i.island_random, r.value + p.value));
                surface = e.surface;
            }}
            film {{ size = (4, 1); filter = box; }}
            sampler {{ spp = 1; }}
            camera main : orthographic {{ width = 4; height = 1; from = (0, 0, 3); to = (0, 0, 0); }}
            material m {{ surface = told(); emission = both; }}
            {shapes}"
        )
    };
    let pixels = |shapes: &str| {
        fs::write(at.join("s.kiln"), scene(shapes)).unwrap();
        printed(at, "render s.kiln -o s.exr");
        let image = read(&at.join("s.exr")).unwrap();
        [0, 1, 2, 3].map(|x| {
            let pixel = image.pixel(x, 0);
            [pixel[0], pixel[1], pixel[2]]
        })
    };
    let shape = "shape a : mesh { file = \"two.obj\"; material = m; attributes = { paint = 0.25; } }";
    let [a, b, c, d] = pixels(shape);
    assert_eq!((a, c), (b, d));
    assert_eq!([a[0], c[0]], [1.0, 2.0]);
    assert!(a[1] != c[1] && a[2] != c[2]);
    assert!([a, c].iter().all(|pixel| (0.0..1.0).contains(&pixel[1])));
    // Another object has another random value per part, and other attributes.
    let [e, ..] = pixels(&shape.replace("shape a", "shape b"));
    assert!(e[0] == a[0] && e[1] != a[1]);
    let [f, ..] = pixels(&shape.replace("0.25", "0.5"));
    assert!(f[1] == a[1] && f[2] != a[2]);
}
