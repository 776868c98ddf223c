//! Every flag of every command does something: for each argument that the command line knows there is a run with it and
//! one without, and what differs between them. An argument without such a pair fails the test, and so does a pair whose
//! argument is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use clap::CommandFactory as _;
use renderer::cli::Cli;
use renderer::image::{Image, read};
use tempfile::TempDir;

/// A floor with a glossy and a rough part, a ball, a lamp, two cameras, and a shader that complains.
const SCENE: &str = "film { size = (8, 6); }
sampler { spp = 4; }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
camera above : perspective { from = (0, 4, 0.1); to = (0, 0, 0); }
material grey = matte(albedo = 0.5);
material lamp = emitter(radiance = 5);
shape floor : plane { size = 3; material = grey; }
shape back : rectangle { size = (3, 2); material = grey; transform = translate(0, 1, -1.5); }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = grey; }
shape light : rectangle { size = (1, 1); material = lamp; transform = translate(0, 2, 0) * rotate((1, 0, 0), 90); }
";

/// A sheet without light: it is black, which is a warning.
const SHEET: &str = "film { size = (4, 4); }
camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }
shape sheet : rectangle { size = 2; material = grey; }
material grey = matte(albedo = 0.5);
";

/// The same under a sky, so that it has a back.
const LIT: &str = "import \"sheet.kiln\";\nlight sky : environment { color = 1; }\n";

const SHADERS: &str = "shader first(output float r = 1) { r = 5; }
shader grid(float k = 0.5, output color Cout = 0, output float f = 0)
{
    Cout = color(u, v, 0) + 0.25 * k * mod(k, 7);
    f = k + Dx(P[0]) + Dx(u) + Dx(v) + raytype(\"shadow\");
}
";

/// A shader that the compiler warns about.
const WARNED: &str = "shader warned(output color Cout = 0) { float unused; float u = 1; Cout = u; }\n";

/// A shader that takes an attribute of the geometry, and one that prints.
const TAKES: &str = "shader takes(float heat = 1 [[ int interpolated = 1 ]], output float f = 0) { f = heat + isconnected(heat); }\n";
const LUMINANCE: &str = "shader luminous(output float f = 0) { f = luminance(color(0.5, 0.25, u)); }\n";
const INFINITE: &str = "shader infinite(output float f = 0) { f = u * 1e30; f *= 1e30; }\n";
const COMPLAINS: &str = "shader complains(output float f = 0) { error(\"no\"); }\n";
const PRINTS: &str = "shader prints(output float f = 0) { printf(\"printed\\n\"); }\n";

/// A shader that includes a file of another folder and knows the version of the language, and a scene of it.
const INCLUDES: &str = "#include \"tone.h\"
#ifndef OSL_VERSION
#error unknown version
#endif
surface glow() { Ci = TONE * emission() + diffuse(N); }
";
const INCLUDED: &str = "import \"i.ksl\";
film { size = (4, 4); }
camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }
material glowing = glow();
shape sheet : rectangle { size = 2; material = glowing; }
";

/// A scene of Mitsuba's with a parameter and a shape that Kiln does not have.
const XML: &str = "<scene version=\"3.0.0\"><default name=\"tone\" value=\"0.5\"/>
<sensor type=\"perspective\"><film type=\"hdrfilm\"><integer name=\"width\" value=\"6\"/><integer name=\"height\" value=\"4\"/></film>
<transform name=\"to_world\"><lookat origin=\"0, 0, 5\" target=\"0, 0, 0\" up=\"0, 1, 0\"/></transform></sensor>
<emitter type=\"constant\"/><shape type=\"sdfgrid\"/>
<shape type=\"sphere\"><bsdf type=\"diffuse\"><rgb name=\"reflectance\" value=\"$tone\"/></bsdf></shape></scene>";

/// What a run left.
struct Run {
    status: i32,
    out: String,
    err: String,
    files: BTreeMap<String, Vec<u8>>,
}

impl Run {
    /// Runs lines one after another in a folder of its own; the last one counts.
    fn of(lines: &[&str]) -> Run {
        let folder = TempDir::new().unwrap();
        let at = folder.path();
        for (name, text) in [
            ("a.kiln", SCENE),
            ("sheet.kiln", SHEET),
            ("lit.kiln", LIT),
            ("s.ksl", SHADERS),
            ("w.ksl", WARNED),
            ("u.ksl", TAKES),
            ("p.ksl", PRINTS),
            ("l.ksl", LUMINANCE),
            ("e.ksl", COMPLAINS),
            ("n.ksl", INFINITE),
            ("m.xml", XML),
            ("i.ksl", INCLUDES),
            ("i.kiln", INCLUDED),
            ("points.txt", "0 1 1\n0.5 1.5 0\n"),
        ] {
            fs::write(at.join(name), text).unwrap();
        }
        fs::create_dir(at.join("inc")).unwrap();
        fs::write(at.join("inc/tone.h"), "#define TONE 0.25\n").unwrap();
        for (name, value) in [("black.exr", 0.0), ("grey.exr", 0.5)] {
            let image = Image::from_fn(4, 4, |_, _| renderer::color::Rgb::splat(value));
            renderer::image::write(&at.join(name), &image, &Default::default()).unwrap();
        }
        let mut output = None;
        for line in lines {
            output = Some(
                Command::new(env!("CARGO_BIN_EXE_kiln"))
                    .args(words(line))
                    .current_dir(at)
                    .output()
                    .expect("the program starts"),
            );
        }
        let output = output.expect("there is a line");
        let mut files = BTreeMap::new();
        collect(at, at, &mut files);
        Run {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            files,
        }
    }

    fn file(&self, name: &str) -> &[u8] {
        self.files
            .get(name)
            .unwrap_or_else(|| panic!("no {name}: {}\n{}", self.status, self.err))
    }

    /// A number of a JSON file.
    fn number(&self, file: &str, key: &str) -> f64 {
        let json: serde_json::Value = serde_json::from_slice(self.file(file)).unwrap();
        json[key].as_f64().unwrap_or_else(|| panic!("no {key} in {json}"))
    }

    /// A text of a JSON file.
    fn setting(&self, key: &str) -> String {
        let json: serde_json::Value = serde_json::from_slice(self.file("o/bake.json")).unwrap();
        json["settings"][key].to_string()
    }
}

/// The words of a line; `'` holds blanks together.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

fn collect(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, root, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// How a run without an argument and one with it differ.
#[derive(Clone, Copy)]
enum Differs {
    /// Both succeed, and a file has other bytes.
    File(&'static str),
    /// Both succeed, and a file of that name is there with the argument only.
    New(&'static str),
    /// Both succeed, and the file says this with the argument only.
    Says(&'static str, &'static str),
    /// Both succeed and print something else.
    Out,
    /// The exit status is this one without and that one with it.
    Status(i32, i32),
    /// As is said here, of the run without and the run with it.
    By(fn(&Run, &Run) -> bool),
    /// In nothing: a flag that is taken for the sake of other programs' habits, and hidden.
    Nothing,
}

use Differs::{By, File, New, Nothing, Out, Says, Status};

/// An argument by its id, lines without and with it (`;` between lines), and what differs.
type Case = (&'static str, &'static str, &'static str, Differs);

const RENDER: &[Case] = &[
    (
        "folders",
        "render i.kiln -o o.exr",
        "render i.kiln -o o.exr -I inc",
        Status(1, 0),
    ),
    (
        "undefine",
        "render i.kiln -o o.exr -I inc",
        "render i.kiln -o o.exr -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    (
        "texture_memory",
        "render a.kiln -o o.exr --texture-memory 1M",
        "render a.kiln -o o.exr --texture-memory much",
        Status(0, 2),
    ),
    (
        "build_quality",
        "render a.kiln -o o.exr --stats s.json",
        "render a.kiln -o o.exr --stats s.json --build-quality low",
        By(|a, b| {
            a.file("o.exr") == b.file("o.exr")
                && a.number("s.json", "accel_bytes") != b.number("s.json", "accel_bytes")
        }),
    ),
    (
        "define",
        "render m.xml -o o.exr",
        "render m.xml -o o.exr --define tone=0.9",
        File("o.exr"),
    ),
    (
        "strict",
        "render m.xml -o o.exr",
        "render m.xml -o o.exr --strict",
        Status(0, 1),
    ),
    (
        "scene",
        "render a.kiln -o o.exr",
        "render sheet.kiln -o o.exr",
        File("o.exr"),
    ),
    (
        "output",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr -o p.png",
        New("p.png"),
    ),
    (
        "spp",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --spp 5",
        File("o.exr"),
    ),
    (
        "size",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --size 9x7",
        File("o.exr"),
    ),
    (
        "crop",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --crop 1,1,5,4",
        File("o.exr"),
    ),
    (
        "integrator",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --integrator photon",
        File("o.exr"),
    ),
    (
        "light",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --light studio",
        File("o.exr"),
    ),
    (
        "photon_map",
        "render a.kiln -o o.exr --integrator photon --set integrator.photons=1000",
        "render a.kiln -o o.exr --integrator photon --set integrator.photons=1000 --photon-map m",
        New("m"),
    ),
    (
        "depth",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --depth 1",
        File("o.exr"),
    ),
    (
        "seed",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --seed 9",
        File("o.exr"),
    ),
    (
        "threads",
        "render a.kiln -o o.exr --stats s.json",
        "render a.kiln -o o.exr --stats s.json --threads 3",
        By(|a, b| {
            a.file("o.exr") == b.file("o.exr")
                && a.number("s.json", "threads") != 3.0
                && b.number("s.json", "threads") == 3.0
        }),
    ),
    (
        "time",
        "render a.kiln -o o.exr --spp 3000 --stats s.json",
        "render a.kiln -o o.exr --spp 3000 --stats s.json --time 0.001s",
        By(|a, b| a.number("s.json", "spp") == 3000.0 && b.number("s.json", "spp") < 3000.0),
    ),
    (
        "samples",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --samples 1..3",
        File("o.exr"),
    ),
    (
        "noise",
        "render a.kiln -o o.exr --spp 64",
        "render a.kiln -o o.exr --spp 64 --noise 0.2",
        File("o.exr"),
    ),
    (
        "min_spp",
        "render a.kiln -o o.exr --noise 0.5 --stats s.json",
        "render a.kiln -o o.exr --noise 0.5 --stats s.json --min-spp 64",
        By(|a, b| a.number("s.json", "spp") < 64.0 && b.number("s.json", "spp") >= 64.0),
    ),
    (
        "checkpoint",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --checkpoint c.part",
        New("c.part"),
    ),
    (
        "checkpoint_every",
        "render a.kiln -o o.exr --checkpoint c.part --checkpoint-every 1m",
        "render a.kiln -o o.exr --checkpoint c.part --checkpoint-every often",
        Status(0, 2),
    ),
    (
        "resume",
        "render a.kiln -o o.exr --spp 2 --checkpoint c.part; render a.kiln -o o.exr --checkpoint c.part",
        "render a.kiln -o o.exr --spp 2 --checkpoint c.part; render a.kiln -o o.exr --checkpoint c.part --resume",
        Status(1, 0),
    ),
    (
        "write_every",
        "render a.kiln -o o.exr --write-every 1m",
        "render a.kiln -o o.exr --write-every often",
        Status(0, 2),
    ),
    (
        "camera",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --camera above",
        File("o.exr"),
    ),
    (
        "exposure",
        "render a.kiln -o o.png",
        "render a.kiln -o o.png --exposure -2",
        File("o.png"),
    ),
    (
        "preview",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --preview tev=127.0.0.1:1",
        By(|a, b| !a.err.contains("preview") && b.err.contains("preview: no viewer at 127.0.0.1:1")),
    ),
    (
        "progress",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --progress openjd",
        By(|a, b| a.out.is_empty() && b.out.contains("openjd_progress: 100\n")),
    ),
    (
        "set",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --set camera.main.fov=20",
        File("o.exr"),
    ),
    (
        "stats",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --stats s.json",
        New("s.json"),
    ),
    (
        "quiet",
        "render sheet.kiln -o o.exr",
        "render sheet.kiln -o o.exr --quiet",
        By(|a, b| a.err.contains("warning") && b.err.is_empty() && b.status == 0),
    ),
    (
        "verbose",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --verbose",
        By(|a, b| b.err.lines().count() > a.err.lines().count() + 4),
    ),
];

const BAKE: &[Case] = &[
    (
        "part",
        "bake a.kiln BAKE -o o",
        "bake a.kiln BAKE --part 1/2 --checkpoint c",
        By(|a, b| {
            a.files.contains_key("o/bake.json")
                && !b.files.contains_key("o/bake.json")
                && b.files.contains_key("c")
        }),
    ),
    (
        "folders",
        "bake i.kiln -o out BAKE",
        "bake i.kiln -o out BAKE -I inc",
        Status(1, 0),
    ),
    (
        "undefine",
        "bake i.kiln -o out BAKE -I inc",
        "bake i.kiln -o out BAKE -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    (
        "texture_memory",
        "bake a.kiln -o out BAKE --texture-memory 1M",
        "bake a.kiln -o out BAKE --texture-memory much",
        Status(0, 2),
    ),
    (
        "build_quality",
        "bake a.kiln -o out BAKE --build-quality low",
        "bake a.kiln -o out BAKE --build-quality lowest",
        Status(0, 2),
    ),
    (
        "define",
        "bake m.xml -o d BAKE",
        "bake m.xml -o d BAKE --define tone=0.9",
        By(|a, b| a.files != b.files),
    ),
    (
        "strict",
        "bake m.xml -o d BAKE",
        "bake m.xml -o d BAKE --strict",
        Status(0, 1),
    ),
    (
        "scene",
        "bake a.kiln -o o BAKE",
        "bake sheet.kiln -o o BAKE",
        File("o/scene.glb"),
    ),
    (
        "output",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o p BAKE",
        By(|a, b| a.file("o/bake.json") == b.file("p/bake.json")),
    ),
    (
        "target",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --target vertex",
        File("o/scene.glb"),
    ),
    (
        "include",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --include both",
        File("o/irradiance.exr"),
    ),
    (
        "sides",
        "bake lit.kiln -o o BAKE --include both",
        "bake lit.kiln -o o BAKE --include both --sides front",
        File("o/bake.json"),
    ),
    (
        "order",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --order 2",
        File("o/bake.json"),
    ),
    (
        "samples",
        "bake a.kiln -o o --resolution 32 --integrator path",
        "bake a.kiln -o o --resolution 32 --integrator path --samples 3",
        File("o/irradiance.exr"),
    ),
    (
        "resolution",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o --samples 2 --integrator path --resolution 48",
        File("o/irradiance.exr"),
    ),
    (
        "texels_per_unit",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o --samples 2 --integrator path --texels-per-unit 5",
        File("o/irradiance.exr"),
    ),
    (
        "dilation",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --dilation 1",
        File("o/irradiance.exr"),
    ),
    (
        "no_unwrap",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --no-unwrap",
        Status(0, 1),
    ),
    (
        "denoise",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --denoise",
        File("o/irradiance.exr"),
    ),
    (
        "layout",
        "bake a.kiln -o o BAKE --layout channels",
        "bake a.kiln -o o BAKE --layout coefficients",
        New("o/sh_L00.exr"),
    ),
    (
        "probe_spacing",
        "bake a.kiln -o o --target probes --samples 2 --integrator path",
        "bake a.kiln -o o --target probes --samples 2 --integrator path --probe-spacing 0.7",
        File("o/probes.json"),
    ),
    (
        "probe_points",
        "bake a.kiln -o o --target probes --samples 2 --integrator path",
        "bake a.kiln -o o --target probes --samples 2 --integrator path --probe-points points.txt",
        File("o/probes.json"),
    ),
    (
        // Photon maps are the default, whatever the scene says.
        "integrator",
        "bake a.kiln -o o --resolution 32 --samples 2 --set integrator.photons=1000",
        "bake a.kiln -o o --resolution 32 --samples 2 --integrator path",
        By(|a, b| {
            a.setting("integrator") == "\"photon\""
                && b.setting("integrator") == "\"path\""
                && a.file("o/irradiance.exr") != b.file("o/irradiance.exr")
        }),
    ),
    (
        "depth",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --depth 3",
        File("o/irradiance.exr"),
    ),
    (
        "seed",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --seed 9",
        File("o/irradiance.exr"),
    ),
    (
        "threads",
        "bake a.kiln -o o BAKE --stats s.json",
        "bake a.kiln -o o BAKE --stats s.json --threads 3",
        By(|a, b| {
            a.file("o/irradiance.exr") == b.file("o/irradiance.exr")
                && a.number("s.json", "threads") != 3.0
                && b.number("s.json", "threads") == 3.0
        }),
    ),
    (
        "checkpoint",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --checkpoint c",
        New("c"),
    ),
    (
        "resume",
        "bake a.kiln -o p BAKE --checkpoint c; bake a.kiln -o o BAKE --checkpoint c",
        "bake a.kiln -o p BAKE --checkpoint c; bake a.kiln -o o BAKE --checkpoint c --resume",
        Status(1, 0),
    ),
    (
        "set",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --set material.grey.albedo=0.9",
        File("o/irradiance.exr"),
    ),
    (
        "stats",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --stats s.json",
        New("s.json"),
    ),
    (
        "quiet",
        "bake sheet.kiln -o o BAKE",
        "bake sheet.kiln -o o BAKE --quiet",
        By(|a, b| a.err.contains("warning") && b.err.is_empty() && b.status == 0),
    ),
    (
        "light",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --light studio",
        File("o/irradiance.exr"),
    ),
    (
        "verbose",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --verbose",
        By(|a, b| b.err.lines().count() > a.err.lines().count() + 3),
    ),
];

const CHECK: &[Case] = &[
    ("folders", "check i.ksl", "check i.ksl -I inc", Status(1, 0)),
    (
        "undefine",
        "check i.ksl -I inc",
        "check i.ksl -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    (
        "define",
        "check m.xml",
        "check m.xml --define tone=7",
        Status(0, 1),
    ),
    ("strict", "check m.xml", "check m.xml --strict", Status(0, 1)),
    ("files", "check s.ksl", "check none.ksl", Status(0, 1)),
    (
        "warnings_are_errors",
        "check w.ksl",
        "check w.ksl -Werror",
        Status(0, 1),
    ),
    ("all_warnings", "check w.ksl", "check w.ksl -Wall", Nothing),
];

const INFO: &[Case] = &[
    ("folders", "info i.ksl", "info i.ksl -I inc", Status(1, 0)),
    (
        "undefine",
        "info i.ksl -I inc",
        "info i.ksl -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    ("define", "info m.xml", "info m.xml --define tone=7", Status(0, 1)),
    ("strict", "info m.xml", "info m.xml --strict", Status(0, 1)),
    ("subjects", "info s.ksl:first", "info s.ksl:grid", Out),
    ("json", "info s.ksl", "info s.ksl --json", Out),
    ("param", "info s.ksl:grid", "info s.ksl:grid --param k", Out),
    ("verbose", "info s.ksl", "info s.ksl -v", Nothing),
];

const COMPARE: &[Case] = &[
    (
        "image",
        "compare black.exr grey.exr",
        "compare grey.exr grey.exr",
        Out,
    ),
    (
        "reference",
        "compare black.exr grey.exr",
        "compare black.exr black.exr",
        Out,
    ),
    (
        "output",
        "compare black.exr grey.exr",
        "compare black.exr grey.exr -o d.png",
        New("d.png"),
    ),
    (
        "threshold",
        "compare black.exr grey.exr",
        "compare black.exr grey.exr --threshold 0.1",
        Status(0, 1),
    ),
];

const SHADE: &[Case] = &[
    (
        "define",
        "shade s.ksl --print",
        "shade s.ksl --print -Du=0.5",
        Out,
    ),
    (
        "folders",
        "shade i.ksl --print",
        "shade i.ksl --print -I inc",
        Status(1, 0),
    ),
    (
        "undefine",
        "shade i.ksl --print -I inc",
        "shade i.ksl --print -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    (
        "texture_memory",
        "shade s.ksl --print --texture-memory 1M",
        "shade s.ksl --print --texture-memory much",
        Status(0, 2),
    ),
    ("shaders", "shade s.ksl --print", "shade s.ksl:first --print", Out),
    (
        "param",
        "shade s.ksl --print",
        "shade --param k 2 s.ksl --print",
        Out,
    ),
    (
        "param-with",
        "shade s.ksl --print",
        "shade -param:type=float k 2 s.ksl --print",
        Out,
    ),
    ("layer", "shade s.ksl -v", "shade --layer x s.ksl -v", Out),
    (
        "shader",
        "shade s.ksl --print",
        "shade --shader s.ksl:first one --print",
        Out,
    ),
    (
        "expr",
        "shade s.ksl --print",
        "shade --expr 'result = 0.5' --print",
        Out,
    ),
    (
        "connect",
        "shade s.ksl:first s.ksl --print",
        "shade s.ksl:first s.ksl --connect first r grid k --print",
        Out,
    ),
    (
        "reparam",
        "shade --layer l s.ksl --print --iters 2",
        "shade --layer l s.ksl --print --iters 2 --reparam l k 2",
        Out,
    ),
    (
        "reparam-with",
        "shade --layer l s.ksl --print --iters 2",
        "shade --layer l s.ksl --print --iters 2 --reparam:type=float l k 2",
        Out,
    ),
    (
        "userdata",
        "shade u.ksl --print",
        "shade u.ksl --print --userdata heat 2",
        Out,
    ),
    (
        "userdata-with",
        "shade u.ksl --print",
        "shade u.ksl --print --userdata:type=float heat 2",
        Out,
    ),
    (
        "group",
        "shade s.ksl --print",
        "shade --group 'param float k 2;shader s lay;' --print",
        Out,
    ),
    (
        "entries",
        "shade -layer a p.ksl -layer b s.ksl",
        "shade -layer a p.ksl -layer b s.ksl --entry a --entry b",
        By(|a, b| !a.out.contains("printed") && b.out.contains("printed")),
    ),
    (
        "group_name",
        "shade s.ksl -v",
        "shade s.ksl -v --groupname Beatles",
        Out,
    ),
    ("query", "shade s.ksl -v", "shade s.ksl -v --oslquery", Out),
    (
        "engine_options",
        "shade e.ksl -g 2 2",
        "shade e.ksl -g 2 2 --options error_repeats=1",
        Out,
    ),
    (
        "color_space",
        "shade l.ksl --print",
        "shade l.ksl --print --colorspace ACEScg",
        Out,
    ),
    (
        "debug_nan",
        "shade n.ksl --print",
        "shade n.ksl --print --debugnan",
        By(|a, b| a.err.is_empty() && b.err.contains("f is no finite number")),
    ),
    (
        "userdata_is_connected",
        "shade u.ksl --print",
        "shade u.ksl --print --userdata_isconnected",
        Out,
    ),
    ("grid", "shade s.ksl --print", "shade s.ksl -g 2 2 --print", Out),
    (
        "outputs",
        "shade s.ksl",
        "shade s.ksl -o Cout o.exr",
        New("o.exr"),
    ),
    (
        "output_type",
        "shade s.ksl -g 2 2 -o Cout o.exr",
        "shade s.ksl -g 2 2 -o Cout o.exr -d half",
        File("o.exr"),
    ),
    ("print", "shade s.ksl -g 2 2", "shade s.ksl -g 2 2 --print", Out),
    (
        "threads",
        "shade s.ksl -g 9 9 -t 1 --stats=s.json",
        "shade s.ksl -g 9 9 -t 3 --stats=s.json",
        By(|a, b| a.number("s.json", "threads") == 1.0 && b.number("s.json", "threads") == 3.0),
    ),
    (
        "iterations",
        "shade s.ksl --stats=s.json",
        "shade s.ksl --stats=s.json --iters 3",
        By(|a, b| a.number("s.json", "iterations") == 1.0 && b.number("s.json", "iterations") == 3.0),
    ),
    (
        "center",
        "shade s.ksl -g 2 2 --print",
        "shade s.ksl -g 2 2 --print --center",
        Out,
    ),
    (
        "scale_uv",
        "shade s.ksl -g 2 2 --print",
        "shade s.ksl -g 2 2 --print --scaleuv 3 2",
        Out,
    ),
    (
        "offset_uv",
        "shade s.ksl -g 2 2 --print",
        "shade s.ksl -g 2 2 --print --offsetuv 3 -2",
        Out,
    ),
    (
        "vary_p",
        "shade s.ksl -g 3 3 --print",
        "shade s.ksl -g 3 3 --print --vary_pdxdy",
        Out,
    ),
    (
        "vary_u",
        "shade s.ksl -g 3 3 --print",
        "shade s.ksl -g 3 3 --print --vary_udxdy",
        Out,
    ),
    (
        "vary_v",
        "shade s.ksl -g 3 3 --print",
        "shade s.ksl -g 3 3 --print --vary_vdxdy",
        Out,
    ),
    (
        "ray_kind",
        "shade s.ksl --print",
        "shade s.ksl --print --raytype shadow",
        Out,
    ),
    (
        "unoptimized",
        "shade s.ksl --print-code",
        "shade s.ksl --print-code -O0",
        Out,
    ),
    (
        "interpret",
        "shade s.ksl --stats=s.json",
        "shade s.ksl --stats=s.json --interpret",
        By(|a, b| a.number("s.json", "code_bytes") > 0.0 && b.number("s.json", "code_bytes") == 0.0),
    ),
    ("print_code", "shade s.ksl", "shade s.ksl --print-code", Out),
    (
        "stats",
        "shade s.ksl",
        "shade s.ksl --stats=s.json",
        New("s.json"),
    ),
    (
        "verbose",
        "shade w.ksl",
        "shade w.ksl --verbose",
        By(|a, b| !a.err.contains("warning") && b.err.contains("warning")),
    ),
    (
        "ignored_flags",
        "shade s.ksl --print",
        "shade s.ksl --print -O1 --batched",
        Nothing,
    ),
    (
        "ignored_values",
        "shade s.ksl --print",
        "shade s.ksl --print --texoptions x=1",
        Nothing,
    ),
];

const ARCHIVE: &[Case] = &[(
    "output",
    "check s.ksl",
    "archive -o kiln.tar.gz",
    New("kiln.tar.gz"),
)];

const MERGE: &[Case] = &[
    (
        "parts",
        "render a.kiln -o a.part --samples 0..2; merge a.part -o o.exr",
        "render a.kiln -o a.part --samples 0..2; render a.kiln -o b.part --samples 2..4; merge a.part b.part -o o.exr",
        File("o.exr"),
    ),
    (
        "output",
        "render a.kiln -o a.part; merge a.part -o o.exr",
        "render a.kiln -o a.part; merge a.part -o o.exr -o p.png",
        New("p.png"),
    ),
    (
        "allow_gaps",
        "render a.kiln -o a.part --samples 2..4; merge a.part -o o.exr",
        "render a.kiln -o a.part --samples 2..4; merge a.part -o o.exr --allow-gaps",
        Status(1, 0),
    ),
    (
        "exposure",
        "render a.kiln -o a.part; merge a.part -o o.png",
        "render a.kiln -o a.part; merge a.part -o o.png --exposure -2",
        File("o.png"),
    ),
    (
        "quiet",
        "render a.kiln -o a.part; merge a.part -o o.exr",
        "render a.kiln -o a.part; merge a.part -o o.exr --quiet",
        By(|a, b| !a.err.is_empty() && b.err.is_empty()),
    ),
];

const PACK: &[Case] = &[
    (
        "scene",
        "pack a.kiln -o o.zip",
        "pack lit.kiln -o o.zip",
        File("o.zip"),
    ),
    (
        "output",
        "pack a.kiln -o o.zip",
        "pack a.kiln -o p.zip",
        New("p.zip"),
    ),
    (
        "light",
        "pack a.kiln -o o.zip; render o.zip -o o.png",
        "pack a.kiln -o o.zip --light sky; render o.zip -o o.png",
        File("o.png"),
    ),
    (
        "set",
        "pack a.kiln -o o.zip; render o.zip -o o.png",
        "pack a.kiln -o o.zip --set camera.main.fov=30; render o.zip -o o.png",
        File("o.png"),
    ),
    (
        "folders",
        "pack i.kiln -o o.zip",
        "pack i.kiln -o o.zip -I inc",
        Status(1, 0),
    ),
    (
        "undefine",
        "pack i.kiln -o o.zip -I inc",
        "pack i.kiln -o o.zip -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    (
        "define",
        "pack m.xml -o o.zip; render o.zip -o o.png",
        "pack m.xml -o o.zip --define tone=0.9; render o.zip -o o.png",
        File("o.png"),
    ),
    (
        "strict",
        "pack m.xml -o o.zip",
        "pack m.xml -o o.zip --strict",
        Status(0, 1),
    ),
    (
        "quiet",
        "pack a.kiln -o o.zip",
        "pack a.kiln -o o.zip --quiet",
        By(|a, b| !a.out.is_empty() && b.out.is_empty()),
    ),
    (
        "verbose",
        "pack a.kiln -o o.zip",
        "pack a.kiln -o o.zip --verbose",
        By(|a, b| !a.out.contains("  a.kiln") && b.out.contains("  a.kiln")),
    ),
];

const FARM: &[Case] = &[
    (
        "scene",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm w.kiln -o o.exr --tasks 2 --engine slurm",
        Status(0, 1),
    ),
    (
        "output",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o p.exr --tasks 2 --engine slurm",
        New("p.farm/submit.sh"),
    ),
    (
        "tasks",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 3 --engine slurm",
        Says("o.farm/submit.sh", "--array=1-3 "),
    ),
    (
        "engine",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine openjd",
        New("o.farm/template.json"),
    ),
    (
        "dir",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --dir d",
        New("d/submit.sh"),
    ),
    (
        "frames",
        "farm a.kiln -o o#.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o#.exr --tasks 2 --engine slurm --frames cameras",
        Says("o.farm/submit.sh", "-le 2 "),
    ),
    (
        "pack",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --pack",
        New("o.farm/scene.zip"),
    ),
    (
        "program",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --program /opt/kiln",
        Says("o.farm/render.sbatch", "/opt/kiln"),
    ),
    (
        "cpus",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --cpus 8",
        Says("o.farm/render.sbatch", "--cpus-per-task=8"),
    ),
    (
        "memory",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --memory 2G",
        Says("o.farm/render.sbatch", "--mem=2048M"),
    ),
    (
        "time",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --time 2h",
        Says("o.farm/render.sbatch", "--time=2:00:00"),
    ),
    (
        "partition",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --partition night",
        Says("o.farm/render.sbatch", "--partition=night"),
    ),
    (
        "account",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --account film",
        Says("o.farm/render.sbatch", "--account=film"),
    ),
    (
        "sbatch",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --sbatch --qos=low",
        Says("o.farm/render.sbatch", "#SBATCH --qos=low"),
    ),
    (
        "exposure",
        "farm a.kiln -o o.png --tasks 2 --engine slurm",
        "farm a.kiln -o o.png --tasks 2 --engine slurm --exposure -2",
        Says("o.farm/merge.sbatch", "'-2'"),
    ),
    (
        "quiet",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm --quiet",
        By(|a, b| !a.err.is_empty() && b.err.is_empty()),
    ),
    (
        "options",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm",
        "farm a.kiln -o o.exr --tasks 2 --engine slurm -- --integrator photon",
        Says("o.farm/render.sbatch", "'--integrator' 'photon'"),
    ),
];

const CONVERT: &[Case] = &[
    (
        "scene",
        "convert m.xml c.kiln",
        "convert n.xml c.kiln",
        Status(0, 1),
    ),
    (
        "output",
        "convert m.xml d.kiln",
        "convert m.xml c.kiln",
        New("c.kiln"),
    ),
    (
        "define",
        "convert m.xml c.kiln",
        "convert m.xml c.kiln --define tone=0.9",
        File("c.kiln"),
    ),
    (
        "strict",
        "convert m.xml c.kiln",
        "convert m.xml c.kiln --strict",
        Status(0, 1),
    ),
    (
        "quiet",
        "convert m.xml c.kiln",
        "convert m.xml c.kiln --quiet",
        By(|a, b| !a.err.is_empty() && b.err.is_empty() && b.out.is_empty()),
    ),
];

const COMMANDS: [(&str, &[Case]); 11] = [
    ("pack", PACK),
    ("farm", FARM),
    ("convert", CONVERT),
    ("archive", ARCHIVE),
    ("render", RENDER),
    ("merge", MERGE),
    ("bake", BAKE),
    ("check", CHECK),
    ("info", INFO),
    ("shade", SHADE),
    ("compare", COMPARE),
];

/// Flags that make a bake short.
const SHORT: &str = "--resolution 32 --samples 2 --integrator path";

fn run(lines: &str) -> Run {
    let lines = lines.replace("BAKE", SHORT);
    Run::of(&lines.split("; ").collect::<Vec<_>>())
}

/// What is wrong with a case, if anything.
fn fault(&(_, without, with, differs): &Case) -> Option<String> {
    let (a, b) = (run(without), run(with));
    let succeeds = a.status == 0 && b.status == 0;
    let as_said = match differs {
        File(name) => succeeds && a.file(name) != b.file(name),
        New(name) => succeeds && !a.files.contains_key(name) && b.files.contains_key(name),
        Out => succeeds && a.out != b.out,
        Says(name, text) => {
            let says = |run: &Run| String::from_utf8_lossy(run.file(name)).contains(text);
            succeeds && !says(&a) && says(&b)
        }
        Status(without, with) => (a.status, b.status) == (without, with),
        By(check) => succeeds && check(&a, &b),
        Nothing => succeeds && a.out == b.out && a.err == b.err && a.files == b.files,
    };
    let (a, b) = (
        format!("{}: {}{}", a.status, a.out, a.err),
        format!("{}: {}{}", b.status, b.out, b.err),
    );
    (!as_said)
        .then(|| format!("no difference as expected between\n  kiln {without}\n{a}\n  kiln {with}\n{b}"))
}

#[test]
fn the_table_has_every_argument() {
    let cli = Cli::command();
    let names: BTreeSet<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
    assert_eq!(names, COMMANDS.iter().map(|(name, _)| *name).collect());
    for (name, cases) in COMMANDS {
        let command = cli.find_subcommand(name).expect("it is listed");
        let known: BTreeSet<&str> = command.get_arguments().map(|arg| arg.get_id().as_str()).collect();
        let tested: BTreeSet<&str> = cases.iter().map(|(id, ..)| *id).collect();
        assert_eq!(
            known, tested,
            "arguments of `{name}` (left) and those with a test (right)"
        );
        for (id, .., differs) in cases {
            let arg = command.get_arguments().find(|arg| arg.get_id() == id);
            let hidden = arg.is_some_and(clap::Arg::is_hide_set);
            assert!(
                !matches!(differs, Nothing) || hidden,
                "`{name}`: {id} does nothing and is not hidden"
            );
        }
    }
}

fn every_argument_counts(command: &str) {
    let (_, cases) = COMMANDS
        .iter()
        .find(|(name, _)| *name == command)
        .expect("it is listed");
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|case| fault(case).map(|fault| format!("{}: {fault}", case.0)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn arguments_of_render() {
    every_argument_counts("render");
}

#[test]
fn arguments_of_bake() {
    every_argument_counts("bake");
}

#[test]
fn arguments_of_shade() {
    every_argument_counts("shade");
}

#[test]
fn arguments_of_the_other_commands() {
    [
        "archive", "check", "convert", "farm", "info", "compare", "merge", "pack",
    ]
    .into_iter()
    .for_each(every_argument_counts);
}

#[test]
fn pictures_of_the_table_are_not_empty() {
    // Were the scene black, flags could do nothing unseen.
    let run = run("render a.kiln -o o.exr");
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("o.exr");
    fs::write(&path, run.file("o.exr")).unwrap();
    assert!(read(&path).unwrap().data.iter().any(|&v| v > 0.0));
}
