//! [`MIN_STACK`] suffices for every shader: each runs with an ever smaller stack, until the run is refused.

use std::hint::black_box;
use std::sync::Arc;
use std::thread;

use shading::{
    ClosureRegistry, InstanceOptions, MIN_STACK, NoHost, RunError, ShaderGlobals, ShaderInstance,
    ShadingSystem, Source,
};

/// Bytes by which the stack shrinks per run.
const STEP: usize = 8 << 10;

/// Runs with an ever smaller stack until a run is refused; returns the number of runs.
fn deeper(run: &impl Fn() -> Result<(), RunError>) -> u32 {
    let block = black_box([0u8; STEP]);
    match run() {
        Ok(()) => 1 + deeper(run) + u32::from(black_box(block)[0]),
        Err(error) => {
            assert_eq!(error, RunError::SmallStack);
            0
        }
    }
}

/// Runs a shader with this body until the stack is too small.
fn check(name: &str, declarations: &str, body: &str) {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
    let text = format!("{declarations} shader test(output float r = 0, output string s = \"\") {{ {body} }}");
    system
        .load(Source::new("test.ksl", text))
        .unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let packets = InstanceOptions { packets: true, ..InstanceOptions::default() };
    let test = system.named("test").expect("loaded");
    let test: Arc<ShaderInstance> =
        system.instantiate(test, &packets).unwrap_or_else(|errors| panic!("{errors}"));
    let globals = ShaderGlobals {
        p: [0.3, 0.4, 0.5].into(),
        u: 0.3,
        v: 0.7,
        dudx: 0.01,
        dvdy: 0.01,
        dpdx: [0.01, 0.0, 0.0].into(),
        ..ShaderGlobals::default()
    };
    let points = [globals; 4];
    let run = || {
        let mut context = system.context();
        test.run_batch(&points, &mut context, &mut [])?;
        test.run(&globals, &mut context).map(|_| ())
    };
    let count = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(MIN_STACK + (96 << 10));
        let thread = thread.spawn_scoped(scope, || deeper(&run)).expect("a thread");
        thread.join().unwrap_or_else(|_| panic!("{name} panics"))
    });
    assert!(count > 4, "{name}: {count}");
}

#[test]
fn noise_of_all_kinds() {
    for kind in ["perlin", "uperlin", "cell", "hash", "simplex", "usimplex", "gabor"] {
        let body = format!(
            "r = Dx(noise(\"{kind}\", P, time)); point q = pnoise(\"{kind}\", P + u, point(3)); r += q[0] + Dy(q[1]);"
        );
        check(kind, "", &body);
    }
}

#[test]
fn texts() {
    check(
        "regular expressions",
        "",
        "int m[4]; string t = format(\"%s%f\", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaab\", u);
         r = regex_search(t, m, \"(a*)*(b|c)+((d)?e*)\\\\1\") + regex_match(t, \"((((a|b)*)*)*)*c\");",
    );
    check(
        "formats",
        "",
        "s = format(\"%1000.500f %d %s %m\", u, 1, concat(s, \"x\"), matrix(u)); printf(\"%s\\n\", s);",
    );
    check(
        "names of textures",
        "",
        "color c = texture(format(\"%f.png\", u), u, v); r = c[0];",
    );
}

#[test]
fn dictionaries() {
    let nested = format!("{}{}", "<a>".repeat(4000), "</a>".repeat(4000));
    check(
        "deep documents",
        "",
        &format!("r = dict_find(\"{nested}\", \"//a[count(.//a) = 3]\");"),
    );
    let query = (0..60).fold("//b".to_owned(), |inner, _| format!("//a[{inner}]"));
    check("deep queries", "", &format!("r = dict_find(\"<a><b/></a>\", \"{query}\");"));
}

#[test]
fn large_variables() {
    let sum = (0..400).map(|i| format!("point p{i} = P * {i} + noise(P * {i}); r += p{i}[0] * r;"));
    let sum: String = sum.collect();
    let all: String = (0..400).map(|i| format!("r += dot(p{i}, P);")).collect();
    check("many variables", "", &format!("{sum} {all}"));
    check(
        "arrays",
        "",
        "float a[4096]; for (int i = 0; i < 4096; i++) a[i] = i * u; r = a[int(u * 99)];",
    );
    check(
        "matrices",
        "",
        "matrix m[64]; for (int i = 0; i < 64; i++) m[i] = matrix(u) * matrix(v + i); r = determinant(m[3]);",
    );
    check(
        "splines",
        "",
        "float k[64]; for (int i = 0; i < 64; i++) k[i] = i * u; r = spline(\"catmull-rom\", u, k);",
    );
}

#[test]
fn recursion() {
    check(
        "deep calls",
        "float f(float x) { return x <= 0 ? 0 : 1 + f(x - 1); }",
        "r = f(1e9 * u);",
    );
    check(
        "large frames",
        "float f(float x, float a[64]) { float b[64] = a; b[int(x) % 64] = x; return x <= 0 ? b[3] : f(x - 1, b) + b[2]; }",
        "float a[64]; r = f(1e9 * u, a);",
    );
}
