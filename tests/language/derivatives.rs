//! Automatic differentiation against finite differences: every built-in function and language construct.

use std::collections::BTreeSet;
use std::sync::Arc;

use shading::builtins;
use shading::hir::Const;
use shading::hir::verify::verify_all;
use shading::{
    ClosureRegistry, InstanceOptions, NoHost, ShaderGlobals, ShaderInstance, ShadingContext, ShadingSystem,
    Source,
};

/// Variables in the expressions: floats `x`, `y` and triples `p`, `q`, none of them near a kink of any function.
const VARIABLES: &str = "float x = 0.3 + 0.4 * u + 0.1 * v; float y = 0.45 + 0.3 * u * v;
    vector p = vector(x + 0.25, y, 0.4 + 0.2 * v); vector q = vector(y * x, 0.9 - 0.3 * u, 0.55 + u * u * 0.1);
    matrix m = matrix(1, 0.2, 0.1, 0.1, 0, 2, 0.3, 0.2, 0.1, 0, 1.5, 0, 3, 4, 5, 1);";

/// Every differentiable function, with its arguments in every kind of place.
const FUNCTIONS: &[&str] = &[
    "sin(x)",
    "cos(x)",
    "tan(x)",
    "asin(x)",
    "acos(x)",
    "atan(x)",
    "sinh(x)",
    "cosh(x)",
    "tanh(x)",
    "exp(x)",
    "exp2(x)",
    "expm1(x)",
    "log(x)",
    "log2(x)",
    "log10(x)",
    "log(x, 3)",
    "logb(x)",
    "sqrt(x)",
    "inversesqrt(x)",
    "cbrt(x)",
    "abs(x)",
    "abs(-x)",
    "fabs(-x)",
    "sign(x)",
    "floor(5 * x)",
    "ceil(5 * x)",
    "round(x)",
    "trunc(x)",
    "erf(x)",
    "erfc(x)",
    "pow(x, y)",
    "pow(x, 2)",
    "pow(2, y)",
    "pow(-x, 3)",
    "atan2(y, x)",
    "atan2(-1, x)",
    "fmod(3 * x, 0.5)",
    "fmod(3, x + 0.6)",
    "mod(3 * x, 0.5)",
    "min(x, 0.2)",
    "min(x, y + 1)",
    "min(y + 1, x)",
    "max(x, 0.2)",
    "max(x, y + 1)",
    "clamp(x, 0, 1)",
    "clamp(x, 0.8, 1)",
    "mix(x, y, 0.3)",
    "mix(x, y, x)",
    "step(0.1, x)",
    "smoothstep(0, 1, x)",
    "smoothstep(x - 0.5, 1, y)",
    "linearstep(0, 2, x)",
    "smooth_linearstep(0, 2, x, 0.2)",
    "hypot(x, y)",
    "hypot(x, y, 2)",
    "radians(x)",
    "degrees(x)",
    "dot(p, q)",
    "dot(p, vector(1, 2, 3))",
    "length(p)",
    "distance(p, q)",
    "distance(point(0), point(p), point(q))",
    "noise(x)",
    "noise(3 * x, y)",
    "noise(p)",
    "noise(p, y)",
    "snoise(x)",
    "snoise(x, 4 * y)",
    "snoise(3 * p)",
    "snoise(p, x)",
    "cellnoise(x)",
    "cellnoise(p, y)",
    "noise(\"perlin\", p)",
    "select(x, y, 1)",
    "luminance((color) p)",
    "filterwidth(x)",
    "area(point(1))",
    "noise(\"simplex\", p)",
    "noise(\"usimplex\", x, 2 * y)",
    "noise(\"simplex\", x)",
    "noise(\"simplex\", p, y)",
    "noise(\"null\", p)",
    "pnoise(3 * x, 4)",
    "pnoise(p, point(3, 4, 5))",
    "psnoise(p, x, point(2, 3, 4), 2)",
    "pnoise(\"usimplex\", p, point(2, 3, 4))",
    "spline(\"linear\", x, {y, 1, 0.5, x, 2})",
    "spline(\"catmull-rom\", x, {0, 0.2, y, 1.5, 2, 3})",
    "spline(\"bspline\", x * y, {0, 0.2, y, 1.5, 2, 3})",
    "spline(\"bezier\", x, {y, 0.2, 0, 1.5})",
    "splineinverse(\"linear\", x, {0, 0.2, 0.7, 2})",
    "splineinverse(\"bspline\", x, {-1, -0.5, 0.2, 0.7, 2, 3})",
];

/// Functions that are not smooth, or whose derivatives OSL defines as zero.
const FLAT: &[&str] = &["hashnoise", "blackbody", "wavelength_color"];

/// Functions that return triples.
const TRIPLE_FUNCTIONS: &[&str] = &[
    "sin(p)",
    "cos(p)",
    "tan(p)",
    "asin(p)",
    "acos(p)",
    "atan(p)",
    "sinh(p)",
    "cosh(p)",
    "tanh(p)",
    "exp(p)",
    "exp2(p)",
    "expm1(p)",
    "log(p)",
    "log2(p)",
    "log10(p)",
    "logb(p)",
    "sqrt(p)",
    "inversesqrt(p)",
    "cbrt(p)",
    "abs(-p)",
    "fabs(p)",
    "sign(p)",
    "floor(p)",
    "ceil(p)",
    "round(p)",
    "trunc(p)",
    "pow(p, q)",
    "pow(p, y)",
    "atan2(p, q)",
    "fmod(3 * p, vector(0.5))",
    "min(p, 2 * q)",
    "max(p, 2 * q)",
    "cross(p, q)",
    "normalize(p)",
    "(vector) transform(m, (point) p)",
    "transform(m, p)",
    "(vector) transform(m, (normal) p)",
    "reflect(p, q)",
    "refract(p, normalize(q), 0.7)",
    "faceforward(p, q, p)",
    "(vector) rotate((point) p, x, q)",
    "(vector) rotate((point) p, y, point(1, 2, 3), (point) q)",
    "(vector) noise(x)",
    "(vector) noise(x, y)",
    "(vector) noise(p)",
    "(vector) noise(p, x)",
    "(vector) snoise(x)",
    "(vector) snoise(x, y)",
    "(vector) snoise(2 * p)",
    "(vector) snoise(p, x)",
    "(vector) cellnoise(x)",
    "(vector) (color) transformc(\"rgb\", \"hsv\", (color) p)",
    "(vector) (color) transformc(\"hsv\", \"rgb\", (color) p)",
    "mix(p, q, x)",
    "clamp(p, vector(0.3), q)",
    "degrees(p)",
    "radians(p)",
    "mod(2 * p, q)",
    "calculatenormal(point(1))",
    "(vector) noise(\"simplex\", p)",
    "(vector) pnoise(p, point(3, 4, 5))",
    "spline(\"catmull-rom\", x, {p, p, q, vector(1, 2, 3), p * q, q})",
];

/// Statements that compute `result` from the variables: operators and control flow.
const STATEMENTS: &[&str] = &[
    "result = x + y; result += x; result *= y; result -= 2 * x * y; result /= x; result = -result;",
    "result = x / y + 3 / x; result = (int) (0.1 * result) + y;",
    "result = x * x; result = result * result; result = x - result * 2;",
    "result = p[1] * q[0]; vector r = p; r[2] = x; r[0] *= 3; result += r[0] * r[2] - r[1];",
    "int i = (int) (3 * x); vector r = p * q; r[i] = y; result = r[0] + 2 * r[1] + p[i];",
    "float a[4] = {x, y, 1, x * y}; a[2] = a[0] * a[3]; int i = 2; result = a[i] + a[1]; a[i] = 1; result += a[i];",
    "vector a[2] = {p, q}; vector b[2] = a; b[1] *= p; result = dot(b[0], b[1]) + a[1][2];",
    "if (x > 0.5) result = x * y; else result = x - y;",
    "result = x > 0.5 ? x * x : (y > 0.5 ? y : x * y);",
    "for (int i = 0; i < 5; i++) { if (i == 3) break; result = result * y + x; }",
    "float z = x; while (z < 2) { z = z * 1.5 + 0.1 * y; if (z > 1.5) continue; z += 0.01 * x; } result = z;",
    "result = square(x) + twice(y); swap(x, y); result -= x * 3 + y;",
    "result = power(x, 4) + power(y, 3);",
    "pair s = pair(x, p); s.f *= y; s.v += q; pair t = s; result = t.f + s.v[1];",
    "result = early(x, y);",
    "x = x * y; y = x * y; x = y / x; result = x + y;",
    "result = transform(m, (point) p)[0] + determinant(m) + m[1][1];",
    "float s, c; sincos(x, s, c); result = s * c;",
];

const DEFINITIONS: &str = "float square(float a) { return a * a; }
    float twice(float a) { float b = a; b = 2 * b; return b; }
    void swap(output float a, output float b) { float c = a; a = b; b = c; }
    float early(float x, float b) { float a = x; if (a > 0.5) return a * b; for (int i = 0; i < 3; i++) { a += b; if (a > 1) return a; } return b; }
    float power(float a, int n) { if (n == 0) return 1; return a * power(a, n - 1); }
    struct pair { float f; vector v; };";

struct Case {
    what: String,
    instance: Arc<ShaderInstance>,
}

impl Case {
    fn new(what: &str, ty: &str, statements: &str) -> Case {
        verify_all();
        let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
        let text = format!(
            "{DEFINITIONS}\n shader test(output {ty} result = 0, output {ty} dx = 0, output {ty} dy = 0)
            {{ {VARIABLES} {statements} dx = Dx(result); dy = Dy(result); }}"
        );
        let unit = system.unit(Source::new("test.ksl", text));
        let unit = unit.unwrap_or_else(|errors| panic!("{what}: {errors}"));
        let instance = system.instantiate(&unit, &InstanceOptions::default());
        Case {
            what: what.to_owned(),
            instance: instance.unwrap_or_else(|errors| panic!("{what}: {errors}")),
        }
    }

    /// Returns the components of the result and of its derivatives.
    fn run(&self, globals: &ShaderGlobals, context: &mut ShadingContext) -> [Vec<f32>; 3] {
        self.instance.run(globals, context).unwrap();
        ["result", "dx", "dy"].map(|name| {
            let index = self.instance.output_index(name).expect("an output");
            match self.instance.output(index, context).unwrap() {
                Const::Float(x) => vec![x],
                Const::Triple(t) => t.to_vec(),
                other => panic!("{}: {other:?}", self.what),
            }
        })
    }

    /// Compares derivatives with finite differences at several points; adds what differs to `failures`.
    fn check(&self, failures: &mut String) {
        const STEP: f32 = 4e-3;
        let mut context = ShadingContext::new(Arc::new(NoHost));
        for (u, v) in [(0.11, 0.23), (0.52, 0.31), (0.83, 0.94), (0.37, 0.71)] {
            let mut globals = ShaderGlobals { u, v, dudx: 1.0, dvdy: 1.0, ..ShaderGlobals::default() };
            let [_, dx, dy] = self.run(&globals, &mut context);
            let mut at = |du: f32, dv: f32| {
                (globals.u, globals.v) = (u + du, v + dv);
                self.run(&globals, &mut context)[0].clone()
            };
            let (right, left) = (at(STEP, 0.0), at(-STEP, 0.0));
            let (below, above) = (at(0.0, STEP), at(0.0, -STEP));
            for lane in 0..dx.len() {
                let differences = [right[lane] - left[lane], below[lane] - above[lane]];
                for (found, difference) in [dx[lane], dy[lane]].into_iter().zip(differences) {
                    let expected = difference / (2.0 * STEP);
                    let allowed = 0.01 * expected.abs().max(found.abs()) + 1e-3;
                    if (found - expected).abs() > allowed || found.is_nan() {
                        let what = &self.what;
                        *failures +=
                            &format!("{what} at {u}, {v}, lane {lane}: {found}, by differences {expected}\n");
                    }
                }
            }
        }
    }
}

#[test]
fn functions_have_the_derivatives_of_differences() {
    let mut failures = String::new();
    for (ty, list) in [("float", FUNCTIONS), ("vector", TRIPLE_FUNCTIONS)] {
        for expression in list {
            Case::new(expression, ty, &format!("result = {expression};")).check(&mut failures);
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn statements_have_the_derivatives_of_differences() {
    let mut failures = String::new();
    for statements in STATEMENTS {
        Case::new(statements, "float", statements).check(&mut failures);
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// Every function of the language must be in one of the lists above.
#[test]
fn every_function_is_in_the_lists() {
    let is_number = |ty: shading::ty::Type| ty == shading::ty::Type::FLOAT || ty.is_triple();
    let names: BTreeSet<&str> = builtins::signatures()
        .iter()
        .filter(|s| is_number(s.result) && s.params.iter().any(|&ty| is_number(ty)))
        .map(|s| s.name)
        .filter(|name| !name.starts_with("__") && !FLAT.contains(name))
        .collect();
    for name in names {
        let call = format!("{name}(");
        let listed = [FUNCTIONS, TRIPLE_FUNCTIONS].concat().iter().any(|text| text.contains(&call));
        assert!(listed, "`{name}` is not among the functions with derivatives");
    }
}

#[test]
fn kinks_and_ends_of_domains_have_no_nan() {
    let ends = [
        "sqrt(z)",
        "sqrt(-x)",
        "inversesqrt(z)",
        "log(z)",
        "log(-x)",
        "asin(1 + z)",
        "asin(2 * (x + 1))",
        "acos(z - 1)",
        "pow(z, x)",
        "pow(z, 0.5)",
        "pow(-x, x)",
        "atan2(z, z)",
        "length(z * p)",
        "cbrt(z)",
        "x / z",
        "fmod(x, z)",
        "abs(z)",
        "exp(100 * x + 100)",
        "normalize(z * p)[0]",
        "tan(M_PI_2 + z)",
    ];
    let mut context = ShadingContext::new(Arc::new(NoHost));
    for expression in ends {
        let case =
            Case::new(expression, "float", &format!("float z = (u - 0.5) * x; result = {expression};"));
        let globals = ShaderGlobals {
            u: 0.5,
            v: 0.25,
            dudx: 1.0,
            dvdy: 1.0,
            ..ShaderGlobals::default()
        };
        let [_, dx, dy] = case.run(&globals, &mut context);
        assert!(!dx[0].is_nan() && !dy[0].is_nan(), "{expression}: {dx:?} {dy:?}");
    }
}

fn carrying_variables(body: &str) -> usize {
    verify_all();
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
    let text = format!("shader test(output float result = 0) {{ {body} }}");
    let unit = system.unit(Source::new("test.ksl", text)).unwrap();
    let instance = system.instantiate(&unit, &InstanceOptions::default()).unwrap();
    instance.compile_stats().derivatives.carrying
}

#[test]
fn only_requested_derivatives_are_computed() {
    assert_eq!(carrying_variables("float a = u * v; float b = sin(a); result = b;"), 0);
    assert_eq!(carrying_variables("float a = 2; float b = sin(a); result = Dx(b);"), 0);
    // The derivatives of u and a are needed; not those of b, which is not requested, nor of c, which is constant.
    assert_eq!(
        carrying_variables("float a = u; float b = sin(a); float c = 2; result = Dx(a) + b + Dx(c);"),
        2
    );
}

#[test]
fn lookups_without_a_footprint_need_no_derivatives() {
    let asks = |options: &str| {
        let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
        let lookup = format!("texture(\"a.png\", 2 * u, v, \"missingcolor\", color(0), {options})");
        let text = format!("shader test(float width = 0, output color result = 0) {{ result = {lookup}; }}");
        let unit = system.unit(Source::new("test.ksl", text)).unwrap();
        let instance = system.instantiate(&unit, &InstanceOptions::default()).unwrap();
        instance.statistics().reads_derivatives
    };
    let narrow = ["\"width\", 0", "\"width\", width", "\"width\", 0, \"blur\", 0"];
    assert_eq!(narrow.map(asks), [false; 3]);
    let wide = [
        "\"wrap\", \"clamp\"",
        "\"width\", 1",
        "\"swidth\", 0",
        "\"width\", 0, \"blur\", 0.1",
        "\"width\", u",
    ];
    assert_eq!(wide.map(asks), [true; 5]);
}
