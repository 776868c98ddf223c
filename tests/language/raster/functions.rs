//! Functions of the language one by one, with their derivatives: the numbers of the interpreter.

use language_support::wgsl::Program;
use shading_raster::RasterOptions;

use crate::point::{difference, linked, system, template};

/// Points at which each expression is compared.
const POINTS: u64 = 12;

/// Compares the value of an expression, and its derivatives if it is asked for, with the interpreter's.
fn check(ty: &str, expression: &str, limit: f32, derivatives: bool) {
    let system = system();
    let dx = if derivatives { "dx = Dx(value); dy = Dy(value);" } else { "" };
    let source = format!(
        "shader test(output {ty} value = 0, output {ty} dx = 0, output {ty} dy = 0)
        {{
            float knots[6] = {{0, 0.1, 0.3, 0.7, 1, 1}};
            color colors[4] = {{color(1, 0, u), color(0, v, 1), color(0.5), color(u, u, v)}};
            point q = P * 2.5 + point(u, v, 0.1);
            value = {expression};
            {dx}
        }}"
    );
    let template = template(&system, &source);
    let (unit, sources) = linked(&system, &template, &[]);
    let options = RasterOptions {
        attributes: vec!["wear".to_owned()],
        ..RasterOptions::default()
    };
    let program = Program::new(&unit, &sources, system.closures(), &options);
    let program = program.unwrap_or_else(|errors| panic!("{expression}: {errors}"));
    if let Err(error) = difference(&unit, &program, POINTS, limit) {
        panic!("{expression}: {error}\n{}", program.raster.wgsl);
    }
}

#[test]
fn noises() {
    for kind in ["perlin", "uperlin", "simplex", "usimplex", "cell", "hash", "null", "unull"] {
        for at in ["q[0]", "q[0], q[1]", "q", "q, 3 * u"] {
            let differentiable = !matches!(kind, "cell" | "hash");
            for ty in ["float", "color"] {
                check(ty, &format!("noise(\"{kind}\", {at})"), 1e-4, differentiable);
            }
        }
        let periods = [
            ("q[0]", "3"),
            ("q[0], q[1]", "3, 4"),
            ("q", "point(3, 2, 5)"),
            ("q, u", "point(3, 2, 5), 4"),
        ];
        for (at, period) in periods {
            check("color", &format!("pnoise(\"{kind}\", {at}, {period})"), 1e-4, false);
        }
    }
}

#[test]
fn gabor_noise() {
    for at in ["q[0]", "q[0], q[1]", "q", "q, 3 * u"] {
        for options in [
            "",
            ", \"anisotropic\", 1, \"direction\", vector(1, 2, 0.5)",
            ", \"anisotropic\", 2, \"bandwidth\", 2.0",
            ", \"impulses\", 4.0, \"do_filter\", 0",
        ] {
            check("float", &format!("noise(\"gabor\", {at}{options})"), 1e-3, false);
        }
    }
    // Footprints that are filtered.
    check("color", "noise(\"gabor\", q * 40)", 1e-3, true);
    check("color", "pnoise(\"gabor\", q, point(3, 4, 2))", 1e-3, false);
    check("float", "noise(\"gabor\", q, \"do_filter\", 0)", 1e-3, true);
}

#[test]
fn splines() {
    for basis in ["catmull-rom", "bezier", "bspline", "hermite", "linear", "constant"] {
        check("float", &format!("spline(\"{basis}\", u * 1.4 - 0.2, knots)"), 1e-4, true);
        check("float", &format!("spline(\"{basis}\", u, 5, knots)"), 1e-4, true);
        check("color", &format!("spline(\"{basis}\", v, colors)"), 1e-4, true);
    }
    for basis in ["catmull-rom", "bspline", "linear"] {
        check("float", &format!("splineinverse(\"{basis}\", u, knots)"), 1e-4, false);
    }
}

#[test]
fn colours() {
    check("color", "blackbody(700 + 13000 * u) * 1e-8", 1e-3, false);
    check("color", "blackbody(20000 * u) / blackbody(20000)", 1e-3, false);
    check("color", "wavelength_color(300 + 600 * v)", 1e-4, false);
    check("color", "transformc(\"hsv\", color(u, v, 0.5))", 1e-4, true);
    check("color", "transformc(\"sRGB\", \"linear\", color(u, v, 0.5))", 1e-4, true);
    check("float", "luminance(color(u, v, 0.3))", 1e-5, true);
}

#[test]
fn elementary_functions() {
    for name in [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "logb",
        "sqrt",
        "inversesqrt",
        "cbrt",
        "abs",
        "sign",
        "floor",
        "ceil",
        "round",
        "trunc",
    ] {
        check("float", &format!("{name}(q[0])"), 1e-4, true);
        check("vector", &format!("{name}(q)"), 1e-4, false);
    }
    for expression in [
        "pow(q[0], q[1])",
        "pow(q[0], 2)",
        "pow(u, 3.5)",
        "atan2(q[0], q[1])",
        "fmod(q[0], 0.7)",
        "mod(q[0], q[1])",
        "erf(q[0])",
        "erfc(q[0])",
        "min(q[0], u)",
        "max(q[0], u)",
        "hypot(q[0], q[1])",
        "hash(q) % 1000",
        "hash(int(100 * u)) % 1000",
        "hash(u) % 1000",
        "dot(q, N)",
        "length(q)",
        "distance(P, q)",
        "isnan(u / 0)",
        "smoothstep(0.2, 0.8, u)",
        "filterwidth(u * 40)",
        "aastep(0.5, u)",
        "area(P)",
        "surfacearea()",
        "backfacing()",
        "raytype(\"camera\")",
        "determinant(matrix(u, 1, 0, 0, 2, v, 0, 0, 0, 1, 1, 0, 3, 2, 1, 1))",
    ] {
        check("float", expression, 1e-4, false);
    }
    for expression in [
        "cross(q, N)",
        "normalize(q)",
        "rotate(q, u, vector(0, 1, 2))",
        "reflect(I, N)",
        "refract(I, N, 0.7)",
        "faceforward(N, I)",
        "calculatenormal(P)",
        "transform(\"object\", q)",
        "transform(\"object\", \"common\", normal(q))",
        "transform(matrix(u, 1, 0, 0, 2, v, 0, 0, 0, 1, 1, 0, 3, 2, 1, 1), normal(q))",
        "transform(1 / matrix(u, 1, 0, 0, 2, v, 0, 0, 0, 1, 1, 0, 3, 2, 1, 1), point(q))",
    ] {
        check("vector", &format!("(vector)({expression})"), 1e-3, false);
    }
}

#[test]
fn textures_and_attributes() {
    check("color", "texture(\"a.png\", u, v)", 1e-4, false);
    check(
        "color",
        "texture(\"a.png\", u, v, \"wrap\", \"periodic\", \"firstchannel\", 1)",
        1e-4,
        false,
    );
    check(
        "float",
        "texture(\"a.png\", 2 * u, v, \"wrap\", \"clamp\", \"blur\", 0.1)",
        1e-4,
        false,
    );
    check("color", "texture(\"\", u, v, \"missingcolor\", color(1, 0, 1))", 1e-4, false);
}
