//! Command line tests of `kiln shade` and `kiln info`: output and errors.

mod clouds;

use std::path::PathBuf;
use std::process::Output;

use crate::program::program;
use renderer::image::{Image, read};
use tempfile::TempDir;

const SHADERS: &str = r#"
float twice(float x) { return 2 * x; }
shader first(output float r = 1) { r = 5; }
shader grid(
    color Kd = 0.5 [[ string help = "what \"it\" is" ]],
    float k = 1,
    int n[2] = {1, 2},
    string name = "x",
    output color Cout = 0,
    output float f = 0,
    output int i = 0,
    output matrix m = 1)
{
    Cout = color(u, v, 0) + k * Kd * 0;
    f = twice(k) + n[1];
    i = 7;
}
shader says(float k = 1) { printf("%g %g %g\n", u, v, k); }
"#;

const ENDLESS: &str = r#"
shader endless(output color Cout = 0)
{
    printf("at %g\n", u);
    while (u > 0.4) Cout += 1;
}
"#;

/// A folder with shaders in it.
struct Bench {
    folder: TempDir,
}

/// Exit status and output of a command.
struct CommandOutput {
    status: i32,
    out: String,
    err: String,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Bench { folder }
    }

    fn kiln(&self, args: &[&str]) -> CommandOutput {
        let Output { status, stdout, stderr } = program(self.folder.path()).args(args).output().unwrap();
        CommandOutput {
            status: status.code().expect("the command ended by itself"),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }

    /// `kiln shade` with arguments split as by a shell.
    fn shade(&self, line: &str) -> CommandOutput {
        let args: Vec<&str> = ["shade"].into_iter().chain(line.split_whitespace()).collect();
        self.kiln(&args)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn image(&self, name: &str) -> Image {
        read(&self.path(name)).unwrap()
    }

    /// Names of new files.
    fn written(&self, given: &[&str]) -> Vec<String> {
        let names = std::fs::read_dir(self.folder.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !given.contains(&name.as_str())).collect()
    }
}

impl CommandOutput {
    #[track_caller]
    fn ok(&self) -> &str {
        assert_eq!((self.status, self.err.as_str()), (0, ""), "{}", self.out);
        &self.out
    }

    /// Expects status 1, no standard output, and a message with all of `parts`.
    #[track_caller]
    fn fails(&self, parts: &[&str]) {
        assert_eq!(self.status, 1, "{}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not in:\n{}", self.err);
        }
    }
}

fn bench() -> Bench {
    Bench::new(&[("s.ksl", SHADERS)])
}

#[test]
fn grid_points_match_testshade() {
    let bench = bench();
    bench.shade("-g 5 3 s.ksl:grid -o Cout corner.exr -t 1").ok();
    let image = bench.image("corner.exr");
    assert_eq!((image.width, image.height, image.channels), (5, 3, 3));
    assert_eq!(image.pixel(0, 0), [0.0, 0.0, 0.0]);
    assert_eq!(image.pixel(4, 2), [1.0, 1.0, 0.0]);
    assert_eq!(image.pixel(1, 1), [0.25, 0.5, 0.0]);
    bench.shade("--res 4 2 --center -od half s.ksl:grid -o Cout centre.exr").ok();
    assert_eq!(bench.image("centre.exr").pixel(0, 0), [0.125, 0.25, 0.0]);
    bench
        .shade("-g 2 2 -scaleuv 4 2 -offsetuv -1 0 s.ksl:grid -o Cout scaled.exr")
        .ok();
    assert_eq!(bench.image("scaled.exr").pixel(1, 1), [3.0, 2.0, 0.0]);
}

#[test]
fn outputs_of_each_type_become_images() {
    let bench = bench();
    bench
        .shade("-g 3 2 s.ksl:grid -o f f.exr -o i i.exr -o m m.exr -o Cout c.png -o Cout null -param k 2")
        .ok();
    assert_eq!(bench.image("f.exr").pixel(2, 1), [6.0]);
    assert_eq!(bench.image("i.exr").pixel(0, 0), [7.0]);
    assert_eq!((bench.image("c.png").width, bench.image("c.png").channels), (3, 3));
    assert!(bench.path("m.exr").is_file());
    bench.shade("-g 3 2 s.ksl:grid -o i i.tif -o f f.tif").ok();
    let bytes = std::fs::read(bench.path("i.tif")).unwrap();
    // The TIFF tag SampleFormat, one short: signed integer.
    let tag = [0x53, 0x01, 3, 0, 1, 0, 0, 0, 2, 0];
    assert!(bytes.windows(tag.len()).any(|window| window == tag));
    assert_eq!(bench.image("i.tif").pixel(2, 1), [7.0]);
    bench.shade("-g 3 2 -od float s.ksl:grid -o i i.exr").ok();
    assert!((bench.image("i.exr").pixel(0, 0)[0] * 2_147_483_647.0 - 7.0).abs() < 1e-3);
    bench.shade("-g 256 1 -od uint8 s.ksl:grid -o Cout bytes.exr").ok();
    let bytes = bench.image("bytes.exr");
    assert!((bytes.pixel(77, 0)[0] - 77.0 / 255.0).abs() < 2e-4);
}

#[test]
fn images_do_not_depend_on_threads_or_execution_mode() {
    let bench = Bench::new(&[]);
    bench.shade("-g 97 61 -t 1 marble -o result one.exr").ok();
    bench.shade("-g 97 61 -t 7 --iters 3 marble -o result seven.exr").ok();
    bench.shade("-g 97 61 --interpret marble -o result interpreted.exr").ok();
    bench.shade("-g 97 61 -O0 marble -o result raw.exr").ok();
    let file = |name: &str| std::fs::read(bench.path(name)).unwrap();
    let one = file("one.exr");
    assert!(one == file("seven.exr") && one == file("interpreted.exr") && one == file("raw.exr"));
}

#[test]
fn prints_are_in_grid_order() {
    let bench = bench();
    let one = bench.shade("-g 200 50 -t 1 -param k 0.5 s.ksl");
    let lines: Vec<&str> = one.ok().lines().collect();
    assert_eq!(lines.len(), 10_000);
    assert_eq!((lines[0], lines[9_999]), ("0 0 0.5", "1 1 0.5"));
    assert_eq!(bench.shade("-g 200 50 -t 8 -param k 0.5 s.ksl").ok(), one.out);
    assert_eq!(bench.shade("-g 200 50 --interpret -param k 0.5 s.ksl").ok(), one.out);
    assert_eq!(bench.shade("-iters 3 s.ksl").ok(), "0.5 0.5 1\n".repeat(3));
    let stats = bench.shade("-iters 3 --stats s.ksl");
    assert_eq!(stats.out, "0.5 0.5 1\n".repeat(3));
}

#[test]
fn values_and_closures_are_shown() {
    let bench = bench();
    let shown = bench.shade("-g 2 1 --print s.ksl:grid -o Cout null -o f x.exr");
    assert_eq!(
        shown.ok(),
        "Pixel (0, 0):\n  Cout : 0 0.5 0\n  f : 4\nPixel (1, 0):\n  Cout : 1 0.5 0\n  f : 4\n"
    );
    assert_eq!(bench.written(&["s.ksl"]), [""; 0]);
    assert_eq!(bench.shade("s.ksl:first").ok(), "r = 5\n");
    let closure = bench.shade("matte -param albedo 0.25,0.5,1");
    assert!(closure.ok().starts_with("surface = (0.25, 0.5, 1) * "), "{}", closure.out);
    assert_eq!(bench.shade("matte --interpret -param albedo 0.25,0.5,1").ok(), closure.out);
}

#[test]
fn inputs_are_set_by_type() {
    let bench = bench();
    let set = |line: &str| bench.shade(&format!("{line} s.ksl:grid -o f null --print")).ok().to_owned();
    assert_eq!(set("-param n 5,6"), "Pixel (0, 0):\n  f : 8\n");
    assert_eq!(
        set("--param:type=int[2]:interpolated=1 n 5,6 -fparam k -1"),
        "Pixel (0, 0):\n  f : 4\n"
    );
    assert_eq!(
        bench.shade("s.ksl:grid -o f null --print -param k 3").ok(),
        "Pixel (0, 0):\n  f : 8\n"
    );
}

#[test]
fn shaders_are_layers_of_a_group() {
    let bench = bench();
    let line =
        "-param k 3 -layer a s.ksl:grid -layer b s.ksl:grid -connect a f b k -o b.f null -o a.f null --print";
    assert_eq!(bench.shade(line).ok(), "Pixel (0, 0):\n  b.f : 18\n  a.f : 8\n");
    bench
        .shade("s.ksl:grid -layer b s.ksl:grid -connect a f b k")
        .fails(&["ERROR: ConnectShaders: source layer \"a\" not found"]);
    bench
        .shade("-layer a s.ksl:grid -layer b s.ksl:grid -connect a name b k")
        .fails(&["name"]);
    let prints = bench.shade("-param k 3 -layer a s.ksl:grid -layer b s.ksl:says -connect a f b k");
    assert_eq!(prints.ok(), "0.5 0.5 8\n");
    let given = bench.kiln(&["shade", "-expr", "result = color(s, 2 * t, 1)", "-g", "1", "1"]);
    assert_eq!(given.ok(), "result = 0.5 1 1\nalpha = 1\n");
}

#[test]
fn serialised_groups_are_read() {
    let group = "param float k 3 ; # a comment\nshader s.ksl:grid a ;\nparam color Kd 1 2 3;\nshader s.ksl:grid b,\n\
                 connect a.f b.k";
    let bench = Bench::new(&[("s.ksl", SHADERS), ("g.oslgroup", group)]);
    let expected = "Pixel (0, 0):\n  b.f : 18\n  a.f : 8\n";
    let flags = ["-o", "b.f", "null", "-o", "a.f", "null", "--print"];
    for spec in ["g.oslgroup", group] {
        let given = bench.kiln(&[&["shade", "-group", spec], &flags[..]].concat());
        assert_eq!(given.ok(), expected);
    }
    let verbose = bench.kiln(&["shade", "-v", "--oslquery", "-groupname", "G", "-group", "g.oslgroup"]);
    for part in [
        "Processing group specification:\n---\nparam float k 3",
        "Shader group:\n---\nparam float k 3 ;\nshader grid a ;\nparam color Kd 1 2 3 ;\nshader grid b ;\n\
         connect a.f b.k ;\n\n---\n",
        "Shader group \"G\" layers are:\n    a\n\tcolor Kd\n",
        "\toutput matrix m\n",
    ] {
        assert!(verbose.ok().contains(part), "{}", verbose.out);
    }
    for (spec, parts) in [
        (
            "shader s.ksl:grid a; conect a.f b.k;",
            [
                "error parsing group description: Unknown statement",
                "problem might be here: conect a.f b.k;",
            ],
        ),
        (
            "shader s.ksl:grid a; connect x.f a.k;",
            ["ConnectShaders: source layer \"x\" not found", "problem might be here: connect x.f a.k"],
        ),
    ] {
        bench.kiln(&["shade", "-group", spec]).fails(&parts);
    }
}

#[test]
fn inputs_change_between_iterations() {
    let bench = bench();
    let line =
        "-layer l -param:type=float:interactive=1 k 2 s.ksl:says -g 1 1 -iters 3 -reparam:type=float l k 5";
    assert_eq!(bench.shade(line).ok(), "0.5 0.5 2\n0.5 0.5 5\n0.5 0.5 5\n");
    bench
        .shade("-layer l s.ksl:says -iters 2 -reparam m k 5")
        .fails(&["unknown layer `m`"]);
    bench
        .shade("-layer l s.ksl:says -iters 2 -reparam l kk 5")
        .fails(&["no input `kk`", "its inputs are `k`"]);
}

#[test]
fn geometry_attributes_override_values() {
    let text = "shader t(float heat = 1 [[ int interpolated = 1 ]],\n\
                color tint = 0.5 [[ string primvar = \"Cd, colour\" ]], float s = 7 [[ int lockgeom = 0 ]],\n\
                output float f = 0, output color c = 0, output float g = 0) { f = heat; c = tint; g = s; }\n";
    let bench = Bench::new(&[("t.ksl", text)]);
    let shown = |line: &str| bench.shade(&format!("-g 1 1 {line} t.ksl")).ok().to_owned();
    assert_eq!(shown(""), "f = 1\nc = 0.5 0.5 0.5\ng = 0.5\n");
    assert_eq!(shown("-userdata heat 3 -param heat 2"), "f = 3\nc = 0.5 0.5 0.5\ng = 0.5\n");
    assert_eq!(
        shown("-userdata:type=color colour 1,2,3 -param heat 2"),
        "f = 2\nc = 1 2 3\ng = 0.5\n"
    );
    assert_eq!(
        shown("-userdata Cd 1,0,0 -userdata colour 1,2,3 -param:interpolated=0 s 4"),
        "f = 1\nc = 1 0 0\ng = 4\n"
    );
}

#[test]
fn geometry_attributes_may_be_matrices_strings_and_arrays() {
    let text = "shader t(float a[3] = {1, 2, 3} [[ int lockgeom = 0 ]], matrix m = 1 [[ int interpolated = 1 ]],\n\
                string s = \"none\" [[ string primvar = \"title,name\" ]], color c = 0.5 [[ int lockgeom = 0 ]],\n\
                output string r = \"\") { r = format(\"%g %g %g, %g, %s, %g\", a[0], a[1], a[2], m[3][1], s, c); }\n";
    let bench = Bench::new(&[("t.ksl", text)]);
    let shown = |line: &str| bench.shade(&format!("-g 1 1 {line} t.ksl")).ok().to_owned();
    assert_eq!(shown(""), "r = \"1 2 3, 0, none, 0.5 0.5 0.5\"\n");
    assert_eq!(
        shown(
            "-userdata:type=float[3] a 4,5,6 -userdata m 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 -userdata name glass -userdata c 2.0"
        ),
        "r = \"4 5 6, 14, glass, 2 2 2\"\n"
    );
    // An attribute of another type is a different attribute.
    assert_eq!(
        shown("-userdata a 4.0 -userdata m glass -userdata title 3.0"),
        "r = \"1 2 3, 0, none, 0.5 0.5 0.5\"\n"
    );
}

/// A folder with a `stdosl.h` has the renderer's own closures and functions, which shaders use without including it.
#[test]
fn a_folder_may_have_its_own_standard_header() {
    let header = "#ifndef STDOSL_H\n#define STDOSL_H\n#define LEVEL 0.25\n\
                  closure color glow(normal n, float width) [[ int builtin = 1 ]];\n\
                  closure color glow(normal n) { return glow(n, LEVEL); }\n\
                  closure color reflection(normal n, int twice) { return reflection(n, 1.5) * (twice + 1); }\n\
                  float clamp(float x, float low, float high) { return 7; }\n#endif\n";
    let text = "#include \"stdosl.h\"\n\
                surface s(output float f = 0) { Ci = glow(N) + reflection(N, 1); f = LEVEL + clamp(u, 0.0, 1.0); }\n";
    let bench = Bench::new(&[("s.osl", text)]);
    bench
        .shade("-g 1 1 s.osl")
        .fails(&["unknown function `glow`", "unknown name `LEVEL`"]);
    std::fs::create_dir(bench.path("own")).unwrap();
    std::fs::write(bench.path("own/stdosl.h"), header).unwrap();
    assert_eq!(
        bench.shade("-g 1 1 -I own s.osl").ok(),
        "f = 7.25\nCi = (2, 2, 2) * reflection ((0, 0, 1), 1.5)\n"
    );
    let checked = bench.kiln(&["check", "-I", "own", "s.osl"]);
    assert!(checked.err.contains("closure `glow` is unknown here"), "{}", checked.err);
    assert!(checked.err.contains("own/stdosl.h:5:"), "{}", checked.err);
    // Sources in Kiln's own language are not affected.
    std::fs::write(bench.path("k.ksl"), "shader k(output float f = 0) { f = clamp(u, 0.0, 1.0); }").unwrap();
    assert_eq!(bench.shade("-g 1 1 -I own k.ksl").ok(), "f = 0.5\n");
}

/// The patch of `testshade` has attributes that change like `u` and `v`, and its rays' hits have a normal.
#[test]
fn the_patch_has_the_attributes_of_testshade() {
    let text = "shader t(float s = 7 [[ int lockgeom = 0 ]], output vector d = 0, output normal n = 0)\n\
                {\n    float t; getattribute(\"t\", t); float red; getattribute(\"red\", red);\n    \
                d = vector(Dx(s), Dy(t), Dx(red));\n    \
                if (trace(P, vector(1, 0, 0))) getmessage(\"trace\", \"N\", n);\n}\n";
    let bench = Bench::new(&[("t.osl", text), ("t.ksl", text)]);
    bench.shade("-g 5 5 t.osl -o d d.exr -o n n.exr").ok();
    assert_eq!(bench.image("d.exr").pixel(4, 1), [0.25; 3]);
    assert_eq!(bench.image("d.exr").pixel(1, 1), [0.25, 0.25, 0.0]);
    assert_eq!(bench.image("n.exr").pixel(4, 1), [0.75, 0.25, 0.0]);
    // Other shaders have no hits.
    bench.shade("-g 5 5 t.ksl -o n n.exr").ok();
    assert_eq!(bench.image("n.exr").pixel(4, 1), [0.0; 3]);
}

#[test]
fn unread_layers_do_not_run() {
    let bench = bench();
    let line = "-g 1 1 -layer a -param k 1 s.ksl:says -layer b -param k 2 s.ksl:says";
    assert_eq!(bench.shade(line).ok(), "0.5 0.5 2\n");
    let given = bench.shade(&format!("{line} -entry b -entry a"));
    assert_eq!(given.ok(), "Entry layers: b(1) a(0)\n0.5 0.5 1\n0.5 0.5 2\n");
    let line = "-g 1 1 s.ksl:says";
    assert_eq!(
        bench.shade(&format!("{line} -entry says_0")).ok(),
        "Entry layers: says_0(0)\n0.5 0.5 1\n"
    );
    let given = bench.shade(&format!("{line} -entry says_1"));
    assert_eq!(given.status, 1);
    for word in ["unknown layer `says_1`", "did you mean `says_0`?"] {
        assert!(given.err.contains(word), "{}", given.err);
    }
    let given = bench.shade(&format!("{line} -entry far"));
    assert!(given.err.contains("the layers are `says_0`"), "{}", given.err);
}

#[test]
fn units_query_the_types_of_their_inputs() {
    let text = "shader source(output color c = color(1, 2, 3), output float f = 4, output matrix m = 1) {}\n\
                shader adapts(any x = 0.5, output color result = 0) {\n    typeof(x) copy = x;\n    \
                if (istexture(x)) result = texture(x, 0, 0);\n    else if (iscolor(x)) result = copy;\n    \
                else if (isfloat(x)) result = color(0, copy, x * 2);\n    printf(\"%d %d\\n\", isconnected(x), isfloat(x));\n}\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    let shown = |line: &str| bench.shade(&format!("-g 1 1 {line} -o result null --print")).ok().to_owned();
    assert_eq!(shown("s.ksl:adapts"), "0 1\nPixel (0, 0):\n  result : 0 0.5 1\n");
    let of = |output: &str| format!("-layer a s.ksl:source -layer b s.ksl:adapts -connect a {output} b x");
    assert_eq!(shown(&of("f")), "1 1\nPixel (0, 0):\n  result : 0 4 8\n");
    assert_eq!(shown(&of("c")), "1 0\nPixel (0, 0):\n  result : 1 2 3\n");
    bench.shade(&format!("-g 1 1 {}", of("m"))).fails(&[
        "b: no branch accepts matrix",
        "`x` is matrix, given by `a.m`",
        "s.ksl:4:",
    ]);
}

/// An input of type `any` is listed as such and gets the type of the value's syntax; whole numbers are floats.
#[test]
fn inputs_of_type_any_accept_command_line_values() {
    let text = "shader kind(any x = 0.5, output float r = 0) {\n    if (isfloat(x)) r = 1;\n    \
                else if (iscolor(x)) r = 2;\n    else if (isstring(x)) r = 3;\n    else if (isint(x)) r = 4;\n    \
                else if (isarray(x)) r = 5;\n    r += 10 * isgiven(x);\n}\n\
                group g(any y = 0.25, output float r = 0) { kind k(x = y); r = k.r; }\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    let info = bench.kiln(&["info", "s.ksl"]);
    assert!(
        info.ok().contains("    \"x\" \"any\"\n\t\tDefault value: 0.5\n"),
        "{}",
        info.out
    );
    assert!(
        info.out.contains("    \"y\" \"any\"\n\t\tDefault value: 0.25\n"),
        "{}",
        info.out
    );
    let shown = |line: &str| bench.shade(&format!("-g 1 1 {line}")).ok().to_owned();
    for (value, expected) in [
        ("", "1"),
        ("-param x 0.5", "11"),
        ("-param x 1", "11"),
        ("-param x 1,2,3", "12"),
        ("-param x a.png", "13"),
        ("-param:type=int x 1", "14"),
        ("-param:type=float[2] x 1,2", "15"),
    ] {
        assert_eq!(shown(&format!("{value} s.ksl:kind")), format!("r = {expected}\n"), "{value}");
    }
    assert_eq!(shown("-param y 1,2,3 s.ksl:g"), "r = 12\n");
}

#[test]
fn arrays_have_the_length_of_their_values() {
    let text = "shader three(output float f[3] = {1, 2, 3}) {}\n\
                shader sum(float a[] = {7}, output float f = 0) {\n    \
                for (int i = 0; i < arraylength(a); ++i) f += a[i];\n    printf(\"%d %g\\n\", arraylength(a), f);\n}\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    let printed = |line: &str| bench.shade(&format!("-g 1 1 {line}")).ok().to_owned();
    assert_eq!(printed("s.ksl:sum"), "1 7\n");
    assert_eq!(printed("-param a 1,2,3,4 s.ksl:sum"), "4 10\n");
    assert_eq!(printed("-layer a s.ksl:three -layer b s.ksl:sum -connect a f b a"), "3 6\n");
    assert_eq!(
        bench
            .kiln(&["shade", "-g", "1", "1", "-group", "param float[] a 1 2; shader s.ksl:sum x"])
            .ok(),
        "2 3\n"
    );
}

#[test]
fn units_query_their_connections() {
    let text = "shader up(output float read = 1, output float lone = 1) { printf(\"%d %d\\n\", isconnected(read), isconnected(lone)); }\n\
                void say(float x) { printf(\"%d\\n\", isconnected(x)); }\n\
                shader down(float a = 0, float b = 0) { printf(\"%g \", a); say(a); say(b); }\n\
                shader fixed(float a = 2) { printf(\"%d %d\\n\", isconstant(2 * a), isconstant(a * u)); }\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    let given = bench.shade("-g 1 1 -layer x s.ksl:up -layer y s.ksl:down -connect x read y a");
    assert_eq!(given.ok(), "2 0\n1 1\n0\n");
    assert_eq!(bench.shade("-g 1 1 s.ksl:fixed").ok(), "1 0\n");
}

#[test]
fn layers_run_when_they_are_needed() {
    let text = "shader a(output float f = 1) { printf(\"a\\n\"); }\n\
                shader unread(output float f = 1) { printf(\"unread\\n\"); }\n\
                shader last(float x = 0, float y = 0, int on = 1) {\n    printf(\"last\\n\");\n    \
                if (on) { printf(\"then\\n\"); printf(\"%g\\n\", x); }\n    printf(\"end\\n\");\n}\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    let line = "-g 1 1 -layer p s.ksl:a -layer q s.ksl:unread -layer r";
    let connected = "s.ksl:last -connect p f r x -connect q f r y";
    assert_eq!(bench.shade(&format!("{line} {connected}")).ok(), "last\nthen\na\n1\nend\n");
    assert_eq!(bench.shade(&format!("{line} -param on 0 {connected}")).ok(), "last\nend\n");
    let eager = bench.shade(&format!("--options lazylayers=0 {line} -param on 0 {connected}"));
    assert_eq!(eager.ok(), "a\nunread\nlast\nend\n");
}

#[test]
fn unread_layers_with_trace_run_on_request() {
    let text = "shader t(output int hit = 0) { printf(\"t\\n\"); hit = trace(P, N); }\n\
                shader last(int x = 0) { printf(\"last\\n\"); if (u == 99) printf(\"%d\\n\", x); }\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    let line = "-g 1 1 -layer a s.ksl:t -layer b s.ksl:last -connect a hit b x";
    assert_eq!(bench.shade(line).ok(), "last\n");
    let eager = bench.shade(&format!("--options lazytrace=0 {line}"));
    assert_eq!(eager.ok(), "t\nlast\n");
}

/// Layers share assigned globals, in execution order: connected layers run when their outputs are first read.
#[test]
fn layers_share_globals() {
    let text = "shader move(float by = 1, output float out = 0)
        { P[0] += by * (1 + u - 0.5); out = P[0]; Ci += by * emission(); }
        shader look(float x = 5, output point before = 0, output float got = 0, output point after = 0, \
            output float change = 0)
        { before = P; if (v < 0.5) got = x; after = P; change = Dx(P[0]); }
        shader show() { printf(\"%g %s\\n\", P[0], Ci); }
        group apart(output float result) { move a(by = 10); move b(by = 20); result = b.out + a.out; }\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    let both = |line: &str| {
        let compiled = bench.shade(line).ok().to_owned();
        assert_eq!(bench.shade(&format!("--interpret {line}")).ok(), compiled);
        compiled
    };
    let outputs = "-o b.before null -o b.got null -o b.after null";
    let line = "-g 1 2 --print -layer a s.ksl:move -layer b s.ksl:look";
    assert_eq!(
        both(&format!("{line} -connect a out b x {outputs}")),
        "Pixel (0, 0):\n  b.before : 0.5 0 1\n  b.got : 1.5\n  b.after : 1.5 0 1\n\
         Pixel (0, 1):\n  b.before : 0.5 1 1\n  b.got : 0\n  b.after : 0.5 1 1\n"
    );
    let eager = both(&format!("--options lazyglobals=0 {line} {outputs}"));
    assert!(eager.starts_with("Pixel (0, 0):\n  b.before : 1.5 0 1\n  b.got : 5\n  b.after : 1.5 0 1\n"));
    // Assignments of globals include derivatives.
    let line = "-g 2 1 --print --options lazyglobals=0 -param by 3 -layer a s.ksl:move -layer b s.ksl:look";
    assert!(both(&format!("{line} -o b.change null")).contains("b.change : 4\n"));
    let line = "-g 1 1 --options lazyglobals=0 -layer a s.ksl:move -layer b s.ksl:move -layer c s.ksl:show";
    assert_eq!(both(line), "2.5 (1, 1, 1) * emission ()\n\t+ (1, 1, 1) * emission ()\n");
    // Instances of a group in source have separate globals.
    let line = "-g 1 1 --print -layer a s.ksl:apart -layer c s.ksl:show -o a.result null";
    assert_eq!(both(line), "0.5 \nPixel (0, 0):\n  a.result : 31\n");
}

/// After `exit` in the default of a parameter, neither other defaults nor the body run. If the parameter gets a value
/// or an attribute, its default does not run.
#[test]
fn exit_in_a_default_ends_the_unit() {
    let text = "float stop(float x) { printf(\"stop\\n\"); if (u < 0.75) exit(); return x; }\n\
                shader s(float a = 2, float b = stop(a), output float c = b + 2)\n\
                { printf(\"%g\\n\", b); c += 1; }\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    let pixels = |first: [&str; 2], second: [&str; 2]| {
        let ([x, c], [y, d]) = (first, second);
        format!("{x}Pixel (0, 0):\n  c : {c}\n{y}Pixel (1, 0):\n  c : {d}\n")
    };
    let line = "-g 2 1 --print -o c null";
    let given = bench.shade(&format!("{line} s.ksl"));
    assert_eq!(given.ok(), pixels(["stop\n", "0"], ["stop\n2\n", "5"]));
    let given = bench.shade(&format!("{line} -param b 3 s.ksl"));
    assert_eq!(given.ok(), pixels(["3\n", "6"], ["3\n", "6"]));
    let text = text.replace("float b = stop(a)", "float b = stop(a) [[ int lockgeom = 0 ]]");
    let bench = Bench::new(&[("s.ksl", &text)]);
    let given = bench.shade(&format!("{line} --userdata b 4 s.ksl"));
    assert_eq!(given.ok(), pixels(["4\n", "7"], ["4\n", "7"]));
}

#[test]
fn outputs_have_initial_values() {
    let text = "shader up(output float f = 0) { f = 3; }\n\
                shader down(output float g = 1, output float h = 1) { h = g + 1; g *= 2; }\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    let given = bench.shade("--print -g 1 1 s.ksl:down -param g 5");
    assert_eq!(given.ok(), "Pixel (0, 0):\n  g : 10\n  h : 6\n");
    let line = "--print -g 1 1 -layer a s.ksl:up -layer b s.ksl:down -connect a f b g -o b.h null";
    assert_eq!(bench.shade(line).ok(), "Pixel (0, 0):\n  b.h : 4\n");
    bench
        .shade("-layer a s.ksl:up -layer b s.ksl:down -connect a f b gg")
        .fails(&["`down` has no input `b.gg`"]);
}

#[test]
fn shaders_query_their_names() {
    let text = "shader s() { string a = \"?\", b = \"?\"; getattribute(\"shader:layername\", a); \
                getattribute(\"shader:groupname\", b); printf(\"%s %s\\n\", a, b); \
                matrix m = 3; int found = getattribute(\"shader:layername\", m); printf(\"%d %g\\n\", found, m[0][0]); }\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    assert_eq!(
        bench.shade("-g 1 1 -groupname Beatles -layer Cake s.ksl").ok(),
        "Cake Beatles\n0 3\n"
    );
}

/// Expected values are those of OSL's test suite.
#[test]
fn colours_are_converted_from_the_given_space() {
    let text = "shader s() { printf(\"%g\\n%g\\n%g\\n\", transformc(\"RGB\", \"XYZ\", color(.1, .7, .2)), \
                blackbody(1500), wavelength_color(500)); }\n\
                shader back(string space = \"\") { color c = color(.1, .7, .2); \
                color d = transformc(space, \"RGB\", transformc(\"RGB\", space, c)); printf(\"%.4f\\n\", d); }\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    assert_eq!(
        bench.shade("-g 1 1 -colorspace ACEScg s.ksl:s").ok(),
        "0.191286 0.509818 0.204353\n75.0559 22.3461 2.22219\n0 0.207563 0.105645\n"
    );
    for working in ["Rec709", "AdobeRGB", "ACES2065-1"] {
        for space in ["XYZ", "xyY", "sRGB", "srgb_texture", "Rec709", "ACEScg", "hsv"] {
            let given = bench.shade(&format!("-g 1 1 -colorspace {working} -param space {space} s.ksl:back"));
            assert_eq!(given.ok(), "0.1000 0.7000 0.2000\n", "{working} {space}");
        }
    }
    bench
        .shade("-colorspace ACESsg s.ksl:s")
        .fails(&["unknown colour space `ACESsg`", "did you mean `ACEScg`?"]);
}

/// An index out of range is reported even if the stored value is unused.
#[test]
fn stores_out_of_range_are_reported() {
    let text = "shader s() {\n    int a[3] = {1, 2, int(u)};\n    vector v = u;\n    \
                for (int i = 0; i < 4; ++i) printf(\"%d %g\\n\", a[min(i, 2)], v[min(i, 2)]);\n    \
                for (int i = 0; i < 4; ++i) a[i] = i;\n    for (int i = 0; i < 4; ++i) v[i] = i;\n}\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    let given = bench.shade("-g 1 1 s.ksl");
    for place in ["range a[0..2]: s.ksl:5", "range v[0..2]: s.ksl:6"] {
        assert!(given.ok().contains(place), "{}", given.out);
    }
}

#[test]
fn unknown_flags_name_the_nearest() {
    let bench = bench();
    for (flag, near) in [("-reparm", "--reparam"), ("--grup", "--group"), ("-raytyp", "--raytype")] {
        let given = bench.shade(&format!("{flag} s.ksl"));
        assert_eq!(given.status, 2, "{flag}");
        assert!(given.err.contains(near), "{}", given.err);
    }
}

#[test]
fn connections_may_be_locked() {
    let text = "shader a(output float f = 1) {}\nshader b(float x = 0 [[ int allowconnect = 0 ]]) { printf(\"%g\", x); }\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    bench.shade("-layer a s.ksl:a -layer b s.ksl:b -connect a f b x").fails(&[
        "ERROR: ConnectShaders: cannot connect to b.x because it has metadata allowconnect=0",
        "group: unnamed_group_1",
    ]);
}

#[test]
fn raster_code_goes_to_files_or_is_printed() {
    let bench = bench();
    let printed = bench.shade("s.ksl:grid --emit wgsl");
    assert_eq!(printed.status, 0, "{}", printed.err);
    for word in ["fn evaluate(g: Globals) -> Outputs", "o_Cout: vec3f", "o_m: mat4x4f"] {
        assert!(printed.out.contains(word), "{}", printed.out);
    }
    // Outputs with the same file share a program that contains no others.
    let written = bench.shade("s.ksl:grid --emit glsl -o Cout a.glsl -o f a.glsl -o i b.glsl");
    assert_eq!((written.status, written.out.as_str()), (0, ""), "{}", written.err);
    let text = |name: &str| std::fs::read_to_string(bench.folder.path().join(name)).unwrap();
    assert!(text("a.glsl").contains("vec3 o") && text("a.glsl").contains("float o"));
    assert!(!text("b.glsl").contains("vec3 o"));
    let described = bench.shade("s.ksl:grid --emit json --live k,n");
    let json: serde_json::Value = serde_json::from_str(&described.out).unwrap();
    assert_eq!(json["uniforms"][1]["value"], serde_json::json!([1, 2]));
    assert_eq!(json["uniforms"][1]["offset"], 16);
    bench
        .shade("s.ksl:grid --emit wgsl --live kd")
        .fails(&["no parameter `kd` can be live", "did you mean `Kd`?"]);
    bench
        .shade("s.ksl:grid --emit wgsl --live name")
        .fails(&["parameter `name` cannot be live"]);
    bench
        .shade("show_occlusion --emit wgsl")
        .fails(&["cannot trace rays", "ambient_occlusion.ksl:"]);
    bench
        .shade("s.ksl:grid --emit wgsl -o Cout s.ksl")
        .fails(&["s.ksl", "reads it"]);
}

#[test]
fn errors_suggest_corrections() {
    let bench = bench();
    bench
        .shade("s.ksl:grid -param kd 1")
        .fails(&["`grid` has no input `kd`", "did you mean `Kd`?"]);
    bench
        .shade("s.ksl:grid -param k red")
        .fails(&["`k` is of type float", "`red` is not a number"]);
    bench
        .shade("s.ksl:grid -param n 1,2,3")
        .fails(&["`n` is of type int[2]", "2 elements wanted, 3 found"]);
    bench
        .shade("s.ksl:grid -o Couut x.exr")
        .fails(&["`grid` has no output `Couut`", "did you mean `Cout`?"]);
    bench
        .shade("s.ksl:gird")
        .fails(&["holds no unit or group `gird`", "did you mean `grid`?"]);
    bench.shade("marbel").fails(&["no shader `marbel`", "did you mean `marble`?"]);
    bench.shade("missing.ksl").fails(&["cannot read missing.ksl"]);
    bench.shade("s.ksl:grid -o Cout x.gif").fails(&["x.gif", ".exr"]);
    bench.shade("s.ksl:grid -o Cout no/such/x.exr").fails(&["no/such"]);
    bench
        .shade("matte -o surface x.exr")
        .fails(&["`surface` is of type closure color"]);
    bench.shade("s.ksl:grid -raytype cameras").fails(&["did you mean `camera`?"]);
    assert_eq!(bench.shade("-g 0 1 s.ksl").status, 2);
    assert_eq!(bench.shade("-g 1 1").status, 2);
    let warned = Bench::new(&[("w.ksl", "shader w(output float f = 0) {\n    float unused = 1;\n}\n")]);
    assert_eq!(warned.shade("w.ksl").ok(), "f = 0\n");
    assert!(warned.shade("-v w.ksl").err.contains("`unused` is never used"));
    let wrong = Bench::new(&[("w.osl", "shader w(output float f = 0) {\n    f = g;\n}\n")]);
    wrong.shade("w.osl -o f x.exr").fails(&["w.osl:2:9", "unknown", "`g`"]);
    assert_eq!(bench.written(&["s.ksl"]), [""; 0]);
}

#[test]
fn endless_loops_are_stopped() {
    let bench = Bench::new(&[("endless.ksl", ENDLESS)]);
    for line in ["-t 1", "-t 8", "--interpret"] {
        let given = bench.shade(&format!("{line} -g 100 100 endless.ksl -o Cout x.exr"));
        given.fails(&["error: endless.ksl:5:", "was ended", "nothing was written"]);
        let lines: Vec<&str> = given.out.lines().collect();
        assert_eq!((lines.len(), lines.last()), (41, Some(&"at 0.40404")), "{line}");
    }
    assert_eq!(bench.written(&["endless.ksl"]), [""; 0]);
}

#[test]
fn a_file_is_read_once_for_all_layers() {
    let bench = Bench::new(&[(
        "add.osl",
        "shader add(float a = 0, output float r = 0) { float idle = 1; r = a + 1; }",
    )]);
    let mut group = "shader add l0 ;\n".to_owned();
    for i in 1..50 {
        group += &format!("shader add l{i} ;\nconnect l{}.r l{i}.a ;\n", i - 1);
    }
    let given = bench.kiln(&["shade", "-v", "--group", &group, "-print", "-g", "1", "1", "-o", "r", "null"]);
    assert_eq!(given.status, 0, "{}", given.err);
    // Warnings about a file are printed when it is read.
    assert_eq!(given.err.matches("idle").count(), 2, "{}", given.err);
    assert!(given.out.contains("50"), "{}", given.out);
}

#[test]
fn a_file_of_a_group_may_begin_with_a_byte_order_mark() {
    let bench = Bench::new(&[
        ("add.osl", "shader add(float a = 0, output float r = 0) { r = a + 1; }"),
        ("group.txt", "\u{feff}param float a 2;\r\nshader add l0 ;\r\n"),
    ]);
    let given = bench.shade("--group group.txt --print");
    assert_eq!(given.status, 0, "{}", given.out);
    assert!(given.out.contains("r : 3"), "{}", given.out);
}

#[test]
fn reports_are_printed_once_per_location() {
    let text = "shader s(output float f = 0) {\n    float a[3] = {1, 2, 3};\n    f = a[int(u * 100)];\n    f += texture(\"none.exr\", u, v);\n}\n";
    let bench = Bench::new(&[("s.ksl", text)]);
    for threads in ["1", "8"] {
        let given = bench.shade(&format!("-t {threads} -g 64 64 s.ksl -o f f.exr"));
        assert_eq!(given.status, 0);
        assert_eq!(given.out.matches("s.ksl:3 ").count(), 1, "{}", given.out);
        let place = "out of range a[0..2]: s.ksl:3 (group unnamed_group_1, layer 0 s_0, shader s)";
        assert!(
            given.out.starts_with("ERROR: Index [") && given.out.contains(place),
            "{}",
            given.out
        );
        assert!(given.err.contains("none.exr"), "{}", given.err);
    }
    assert_eq!(bench.image("f.exr").pixel(63, 0), [3.0]);
}

/// As in OSL, an unreadable picture counts as missing, and a missing texture without a `missingcolor` is `fill`.
#[test]
fn unreadable_pictures_count_as_missing() {
    let text = "shader s(output color a = 0, output float b = 0, output int c = 0, output int d = 1, output int f = 1) {\n    \
                string e;\n    a = texture(\"bad.png\", u, v, \"missingcolor\", color(1, 2, 3));\n    \
                b = texture(\"none.png\", u, v, \"fill\", 0.25);\n    \
                float x = texture(\"good.exr\", u, v, \"subimage\", \"nowhere\", \"errormessage\", e);\n    \
                c = e != \"\";\n    color y = texture(\"none.png\", u, v, \"missingcolor\", color(1), \"errormessage\", e);\n    \
                f = e != \"\";\n    gettextureinfo(\"bad.png\", \"exists\", d);\n}\n";
    let bench = Bench::new(&[
        ("s.ksl", text),
        ("bad.png", "no picture"),
        ("one.ksl", "shader one(output color c = 1) {}"),
        ("needs.ksl", &text.replace("\"missingcolor\", color(1, 2, 3)", "\"fill\", 1")),
    ]);
    bench.shade("one.ksl -o c good.exr").ok();
    for mode in ["", "--interpret"] {
        let given = bench.shade(&format!(
            "s.ksl {mode} -o a null -o b null -o c null -o d null -o f null --print"
        ));
        assert_eq!(given.status, 0, "{}", given.err);
        for expected in ["a : 1 2 3", "b : 0.25", "c : 1", "d : 0", "f : 0"] {
            assert!(given.out.contains(expected), "{expected} in {}", given.out);
        }
    }
    bench.shade("needs.ksl -o a null").fails(&["bad.png"]);
}

/// For a picture, `texture3d` returns the replacement for a missing texture. A single error reports it, with the
/// location of the call.
#[test]
fn texture3d_of_a_picture_is_an_error() {
    let text = "shader s(output color a = 0, output color b = 0, output color c = 0,\n    \
                output int told = 0, output color d = 0) {\n    string e;\n    \
                a = texture3d(\"good.exr\", P);\n    b = texture3d(\"good.exr\", P, \"fill\", 0.25, \"errormessage\", e);\n    \
                c = texture3d(\"good.exr\", P, \"missingcolor\", color(1, 2, 3));\n    \
                told = e != \"\";\n    d = texture(\"good.exr\", u, v, \"wrap\", \"clamp\");\n}\n";
    let late = "shader late(output color a = 1) {\n    a = texture3d(format(\"goo%s.exr\", u < 2 ? \"d\" : \"\"), P);\n}\n";
    let bench =
        Bench::new(&[("s.ksl", text), ("late.ksl", late), ("one.ksl", "shader one(output color c = 1) {}")]);
    bench.shade("one.ksl -o c good.exr").ok();
    for mode in ["", "--interpret"] {
        let outputs = "-o a null -o b null -o c null -o told null -o d null --print";
        let given = bench.shade(&format!("-g 2 1 -t 2 s.ksl {mode} {outputs}"));
        assert_eq!(given.status, 0, "{}", given.err);
        for expected in ["a : 0 0 0", "b : 0.25 0.25 0.25", "c : 1 2 3", "told : 1", "d : 1 1 1"] {
            assert!(given.out.contains(expected), "{expected} in {}", given.out);
        }
        assert!(given.err.contains("s.ksl:4:9"), "{}", given.err);
        assert!(given.err.contains("good.exr"), "{}", given.err);
        assert!(!given.err.contains("s.ksl:6:"), "{}", given.err);

        let given = bench.shade(&format!("-g 64 64 -t 3 late.ksl {mode} -o a a.exr"));
        assert_eq!(given.status, 0, "{}", given.err);
        let expected = "texture \"good.exr\" is not a volume, and is black";
        assert_eq!(given.err.matches(expected).count(), 1, "{}", given.err);
        assert!(given.err.contains("late.ksl:2:9"), "{}", given.err);
    }
    let given = bench.shade("-g 64 64 -t 3 s.ksl -o a a.exr");
    let expected = "warning: the texture file `good.exr` is not a volume; it shows black";
    assert_eq!(given.err.matches(expected).count(), 1, "{}", given.err);
}

/// For a set of tiles, `environment` returns the replacement for a missing texture. A single error reports it.
#[test]
fn environment_of_a_tile_set_is_an_error() {
    let text = "shader s(output color a = 0, output color b = 0, output color c = 0, output int told = 0) {\n    \
                string e;\n    a = environment(\"sky.<UDIM>.exr\", P);\n    \
                b = environment(\"sky.1001.exr\", P, \"errormessage\", e);\n    told = e != \"\";\n    \
                c = environment(\"sky.<UDIM>.exr\", P, \"missingcolor\", color(1, 2, 3), \"errormessage\", e);\n    \
                environment(\"sky.<UDIM>.exr\", P, \"errormessage\", e);\n    told += 2 * (e != \"\");\n}\n";
    let late = "shader late(output color a = 1) {\n    \
                a = environment(format(\"sky.<%s>.exr\", u < 2 ? \"UDIM\" : \"\"), P);\n}\n";
    let bench =
        Bench::new(&[("s.ksl", text), ("late.ksl", late), ("one.ksl", "shader one(output color c = 1) {}")]);
    bench.shade("one.ksl -o c sky.1001.exr").ok();
    for mode in ["", "--interpret"] {
        let outputs = "-o a null -o b null -o c null -o told null --print";
        let given = bench.shade(&format!("-g 2 1 -t 2 s.ksl {mode} {outputs}"));
        assert_eq!(given.status, 0, "{}", given.err);
        for expected in ["a : 0 0 0", "b : 1 1 1", "c : 1 2 3", "told : 2"] {
            assert!(given.out.contains(expected), "{expected} in {}", given.out);
        }
        assert!(given.err.contains("s.ksl:3:9"), "{}", given.err);

        let given = bench.shade(&format!("-g 64 64 -t 3 late.ksl {mode} -o a a.exr"));
        assert_eq!(given.status, 0, "{}", given.err);
        let expected = "texture \"sky.<UDIM>.exr\" is a set of tiles, not one environment, and is black";
        assert_eq!(given.err.matches(expected).count(), 1, "{}", given.err);
        assert!(given.err.contains("late.ksl:2:9"), "{}", given.err);
    }
    let given = bench.shade("-g 64 64 -t 3 s.ksl -o a a.exr");
    let expected =
        "warning: the texture file `sky.<UDIM>.exr` is a set of tiles, not one environment; it shows black";
    assert_eq!(given.err.matches(expected).count(), 1, "{}", given.err);
}

/// Point clouds are searched in the folders of textures; an error in a file is reported once.
#[test]
fn point_clouds_are_searched() {
    let text = "shader s(string file = \"dots.ply\", output float f = 0) {\n    float d[2];\n    \
                f = pointcloud_search(file, P, 0.6, 2, 1, \"distance\", d);\n    f = f * 10 + d[0];\n}\n";
    let dots = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
                end_header\n0 0 1\n1 0.5 1\n";
    let bench = Bench::new(&[("s.ksl", text), ("dots.ply", dots)]);
    for mode in ["", "--interpret"] {
        bench.shade(&format!("-g 2 2 {mode} s.ksl -o f f.exr")).ok();
        let image = bench.image("f.exr");
        let pixels = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| image.pixel(x, y)[0]);
        assert_eq!(pixels, [10.0, 10.5, 0.0, 10.5]);
        let given = bench.shade(&format!("-t 3 -g 64 64 {mode} -param file none.ply s.ksl -o f f.exr"));
        assert_eq!(given.status, 0);
        let expected = "there is no point cloud file \"none.ply\"; nothing is found";
        assert_eq!(given.err.matches(expected).count(), 1, "{}", given.err);
        assert!(given.err.contains("s.ksl:3:9"), "{}", given.err);
    }
    bench.shade("-g 2 2 s.ksl -o f dots.ply").fails(&["dots.ply"]);
}

#[test]
fn statistics_have_the_promised_keys() {
    let bench = Bench::new(&[]);
    bench
        .shade("-g 64 64 --iters 2 marble --stats=stats.json")
        .status
        .eq(&0)
        .then_some(())
        .unwrap();
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(bench.path("stats.json")).unwrap()).unwrap();
    for key in [
        "ns_per_point",
        "jit_ms",
        "link_ms",
        "optimize_ms",
        "codegen_ms",
        "packet_ms",
        "code_bytes",
        "ops_before",
        "ops_after",
        "symbols_before",
        "symbols_after",
        "derivative_share",
    ] {
        assert!(json[key].is_number(), "{key} in {json}");
    }
    assert!(json["ns_per_point"].as_f64().unwrap() > 0.0);
    assert!(json["ops_after"].as_u64() <= json["ops_before"].as_u64());
}

#[test]
fn packets_give_the_same_picture() {
    // Points leave the loop at different iterations, and the last rows read beyond the end of the array.
    let parted = "shader parted(output color Cout = 0, output int turns = 0) {
        float steps[3] = {0.05, 0.1, 0.3};
        float x = u;
        for (int i = 0; i < 50; ++i) {
            if (v > 0.3 && x > 1.5) { x = noise(\"perlin\", P * x); break; }
            if (x > 2) continue;
            x += steps[int(3.2 * v)];
            turns += 1;
        }
        Cout = color(x, sin(x) / v, noise(\"cell\", 8 * P));
    }";
    let bench = Bench::new(&[("parted.osl", parted)]);
    let shade = |options: &str| {
        let line = format!("-g 81 65 parted.osl -o Cout c.exr -o turns t.exr --stats=s.json {options}");
        let given = bench.shade(&line);
        assert_eq!(given.status, 0, "{}", given.err);
        let file = |name| std::fs::read(bench.path(name)).unwrap();
        let stats: serde_json::Value = serde_json::from_slice(&file("s.json")).unwrap();
        let pictures = [file("c.exr"), file("t.exr")];
        (pictures, stats["packets"].as_bool().unwrap())
    };
    let (pictures, has_packets) = shade("");
    assert!(has_packets);
    assert!((pictures, false) == shade("--interpret"));
}

#[test]
fn information_has_the_form_of_oslinfo() {
    let text = "surface \"grid\"\n";
    let bench = Bench::new(&[("s.osl", &SHADERS.replace("shader grid", "surface grid"))]);
    let given = bench.kiln(&["info", "-v", "s.osl:grid"]);
    let expected = [
        text,
        "    \"Kd\" \"color\"\n\t\tDefault value: [ 0.5 0.5 0.5 ]\n\t\tmetadata: string help = \"what \\\"it\\\" is\"\n",
        "    \"k\" \"float\"\n\t\tDefault value: 1\n",
        "    \"n\" \"int[2]\"\n\t\tDefault value: [ 1 2 ]\n",
        "    \"name\" \"string\"\n\t\tDefault value: \"x\"\n",
        "    \"Cout\" \"output color\"\n\t\tDefault value: [ 0 0 0 ]\n",
        "    \"f\" \"output float\"\n\t\tDefault value: 0\n",
        "    \"i\" \"output int\"\n\t\tDefault value: 0\n",
        "    \"m\" \"output matrix\"\n\t\tDefault value: [ 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 ]\n",
    ];
    assert_eq!(given.ok(), expected.concat());
    let all = bench.kiln(&["info", "s.osl", "brick"]);
    assert_eq!(all.ok().matches("\n    \"").count(), 10 + 12, "{}", all.out);
    let json = bench.kiln(&["info", "s.osl:grid", "--json"]);
    let json: serde_json::Value = serde_json::from_str(json.ok()).unwrap();
    assert_eq!(json[0]["parameters"][0]["default"], serde_json::json!([0.5, 0.5, 0.5]));
    assert_eq!(json[0]["parameters"][0]["metadata"][0]["value"], "what \"it\" is");
    assert_eq!(json[0]["parameters"][4]["output"], true);
    bench
        .kiln(&["info", "s.osl:grid", "--param", "kd"])
        .fails(&["no parameter `kd`", "did you mean `Kd`?"]);
}

#[test]
fn information_shows_structures_and_groups() {
    let text = r#"
struct Pair { float a; color b; };
shader s(Pair p = {1, color(2)}, float open[] = {1, 2, 3}, float w = u, output Pair q = {0, 0}) { q = p; }
shader made(float angle = M_PI / 4, Pair p = {2 * 3, N} [[ int hidden = 1 ]], float twice = angle * 2) { }
group g(float scale = 2 [[ string help = "size" ]], output float r) { s inner(w = scale); r = inner.q.a; }
"#;
    let bench = Bench::new(&[("g.ksl", text)]);
    let given = bench.kiln(&["info", "g.ksl"]);
    for part in [
        "    \"p\" \"struct Pair\"\n\t\tfields: {float a, color b}\n    \"p.a\" \"float\"\n\t\tDefault value: 1\n",
        "    \"open\" \"float[]\"\n\t\tDefault value: [ 1 2 3 ]\n",
        "    \"w\" \"float\"\n\t\tDefault value: u\n",
        "    \"q\" \"output struct Pair\"\n",
        // Constant expressions are evaluated, and fields have the metadata of their structure.
        "    \"angle\" \"float\"\n\t\tDefault value: 0.785398\n",
        "\t\tfields: {float a, color b}\n\t\tmetadata: int hidden = 1\n    \"p.a\" \"float\"\n\t\tDefault value: 6\n\
         \t\tmetadata: int hidden = 1\n    \"p.b\" \"color\"\n\t\tDefault value: N\n",
        "    \"twice\" \"float\"\n\t\tDefault value: angle * 2\n",
        "group \"g\"\n    \"scale\" \"float\"\n\t\tDefault value: 2\n\t\tmetadata: string help = \"size\"\n",
        "    \"r\" \"output float\"\n",
    ] {
        assert!(given.ok().contains(part), "{part} is not in:\n{}", given.out);
    }
}

#[test]
fn every_shipped_shader_runs() {
    let bench = Bench::new(&[]);
    for name in renderer::material::library::names() {
        let given = bench.kiln(&["shade", name, "-g", "4", "4", "--print"]);
        assert_eq!(given.status, 0, "{name}: {}", given.err);
        assert!(given.out.starts_with("Pixel (0, 0):\n"), "{name}");
        assert_eq!(bench.kiln(&["info", name]).status, 0, "{name}");
    }
}
