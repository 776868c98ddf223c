//! Input files of every run.

use std::fs;
use std::path::Path;

use renderer::color::Rgb;
use renderer::image::Image;

/// A floor with a glossy and a rough part, a ball, a light, two cameras, and a shader that reports an error at run
/// time.
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

/// A sheet without light: its picture is black, which causes a warning.
const SHEET: &str = "film { size = (4, 4); }
camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }
shape sheet : rectangle { size = 2; material = grey; }
material grey = matte(albedo = 0.5);
";

/// The sheet under a sky, so that its back is also baked.
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

/// A shader that reads an attribute of the geometry, and one that prints.
const TAKES: &str = "shader takes(float heat = 1 [[ int interpolated = 1 ]], output float f = 0) { f = heat + isconnected(heat); }\n";
const LUMINANCE: &str = "shader luminous(output float f = 0) { f = luminance(color(0.5, 0.25, u)); }\n";
const INFINITE: &str = "shader infinite(output float f = 0) { f = u * 1e30; f *= 1e30; }\n";
const COMPLAINS: &str = "shader complains(output float f = 0) { error(\"no\"); }\n";
const PRINTS: &str = "shader prints(output float f = 0) { printf(\"printed\\n\"); }\n";

/// A shader that includes a file of another folder and uses the language version, and a scene with this shader.
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

/// A group with a unit that contains a macro.
const GROUPED: &str = "#ifndef VALUE
#define VALUE 2
#endif
shader one(output float r = 0) { r = VALUE; }
group two(output float f = 0) { one a(); f = a.r; }
";

/// A Mitsuba scene with a parameter and an unsupported shape.
const XML: &str = "<scene version=\"3.0.0\"><default name=\"tone\" value=\"0.5\"/>
<sensor type=\"perspective\"><film type=\"hdrfilm\"><integer name=\"width\" value=\"6\"/><integer name=\"height\" value=\"4\"/></film>
<transform name=\"to_world\"><lookat origin=\"0, 0, 5\" target=\"0, 0, 0\" up=\"0, 1, 0\"/></transform></sensor>
<emitter type=\"constant\"/><shape type=\"sdfgrid\"/>
<shape type=\"sphere\"><bsdf type=\"diffuse\"><rgb name=\"reflectance\" value=\"$tone\"/></bsdf></shape></scene>";

/// A sheet with a pattern.
const TILES: &str = "film { size = (4, 4); }
camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }
light sky : environment { color = 1; }
material tiles = matte(albedo = checker().result);
shape sheet : rectangle { size = 2; material = tiles; }
";

/// Writes all input files.
pub(crate) fn write(at: &Path) {
    for (name, text) in [
        ("a.kiln", SCENE),
        ("sheet.kiln", SHEET),
        ("lit.kiln", LIT),
        ("tiles.kiln", TILES),
        ("s.ksl", SHADERS),
        ("w.ksl", WARNED),
        ("u.ksl", TAKES),
        ("p.ksl", PRINTS),
        ("l.ksl", LUMINANCE),
        ("e.ksl", COMPLAINS),
        ("n.ksl", INFINITE),
        ("m.xml", XML),
        ("i.ksl", INCLUDES),
        ("q.ksl", GROUPED),
        ("f.ksl", "shader f(float x=1){}\n"),
        ("i.kiln", INCLUDED),
        ("points.txt", "0 1 1\n0.5 1.5 0\n"),
    ] {
        fs::write(at.join(name), text).unwrap();
    }
    fs::create_dir(at.join("inc")).unwrap();
    fs::write(at.join("inc/tone.h"), "#define TONE 0.25\n").unwrap();
    for (name, value) in [("black.exr", 0.0), ("grey.exr", 0.5)] {
        let image = Image::from_fn(4, 4, |_, _| Rgb::splat(value));
        renderer::image::write(&at.join(name), &image, &Default::default()).unwrap();
    }
}
