//! Units that evaluate an input again: `sample(input, with { P = … })`.

use std::sync::Arc;

use language_support::{compiled, generate, shipped};
use shading::hir::Const;
use shading::hir::verify::verify_all;
use shading::interp::{self, RunOptions};
use shading::opt::OptLevel;
use shading::{Diagnostics, InstanceOptions, NoHost, ShaderGlobals, Source};

/// Returns the outputs of the last unit or group of a source at a point, which must be the same compiled, interpreted and
/// without optimisation.
fn outputs(text: &str) -> Result<Vec<Const>, Diagnostics> {
    let globals = ShaderGlobals {
        p: [0.3, 0.7, -0.2].into(),
        u: 0.25,
        v: 0.5,
        ..ShaderGlobals::default()
    };
    outputs_at(text, &globals)
}

fn outputs_at(text: &str, globals: &ShaderGlobals) -> Result<Vec<Const>, Diagnostics> {
    verify_all();
    let system = shipped::system(Arc::new(NoHost));
    let loaded = system.load(Source::new("test.ksl", text))?;
    let template = loaded.templates.last().expect("there is one").clone();
    let mut found = vec![];
    for optimize in [OptLevel::None, OptLevel::Exact] {
        let options = InstanceOptions { optimize, ..InstanceOptions::default() };
        let (unit, ..) = system.optimized(&template, &options)?;
        let instance = system.instantiate(template.clone(), &options)?;
        let mut context = system.context();
        instance.run(globals, &mut context).unwrap();
        let interpreted = interp::run(&unit, &RunOptions::new(globals));
        if let Some(difference) =
            compiled::difference(&instance, &mut context, system.closures(), &interpreted)
        {
            panic!("{text}: {difference}");
        }
        let count = interpreted.outputs.len();
        found.push((0..count).map(|i| instance.output(i, &context).unwrap()).collect::<Vec<_>>());
    }
    assert_eq!(found[0], found[1], "{text}");
    Ok(found.remove(0))
}

/// Expects the same outputs of two units or groups after the same declarations.
#[track_caller]
fn same(declared: &str, first: &str, second: &str) {
    for seed in 1..5 {
        let globals = generate::globals(seed);
        let run = |text: &str| {
            let text = format!("{declared}\n{text}");
            outputs_at(&text, &globals).unwrap_or_else(|errors| panic!("{errors}"))
        };
        let (first, second) = (run(first), run(second));
        assert!(is_same(&first, &second), "{declared}: {first:?} and {second:?}");
        let is_zero = |value: &Const| value.same(&Const::Float(0.0));
        assert!(!first.iter().any(is_zero), "it is zero: {first:?}");
    }
}

fn is_same(first: &[Const], second: &[Const]) -> bool {
    first.len() == second.len() && first.iter().zip(second).all(|(a, b)| a.same(b))
}

const UNITS: &str = "
shader waves(float scale = 3, vector shift = 0, output float r = 0, output color c = 0)
{ r = sin(scale * P.x + shift.y) * cos(P.y) + u; c = color(r, P.z, v); }
shader bent(float amount = 0.1, output point q = 0) { q = P + amount * vector(P.y, 0, u); }
shader tinted(float a = 0, output color c = 0) { c = a * color(1, 2, 3); }
shader slope(float h = 0, output float dx = 0, output float again = 0, output float mean = 0)
{
    float there = sample(h, with { P = P + vector(0.5, 0, 0); });
    dx = there - h;
    again = Dx(there) + Dy(sample(h, with { P = P + vector(0, u, 0); v = 2 * v; }));
    for (int i = 0; i < 3; ++i)
        if (i != 1) mean += sample(h, with { P = P + i * vector(0, 0.1, 0); u = u + i; });
}
shader plain(float h = 0, float x = 0, float y = 0, float b = 0, float c = 0,
    output float dx = 0, output float again = 0, output float mean = 0)
{ dx = x - h; again = Dx(x) + Dy(y); mean = b + c; }
";

/// A group that uses `slope`, and a group for `plain` that repeats the instances; `{}` stands for the overrides.
fn repeated(nodes: &str, fed: &str) -> (String, String) {
    let outputs = "output float dx = 0, output float again = 0, output float mean = 0";
    let copies = [
        ("", ""),
        ("x", "P = P + vector(0.5, 0, 0);"),
        ("y", "P = P + vector(0, u, 0); v = 2 * v;"),
        ("b", "P = P + 0 * vector(0, 0.1, 0); u = u + 0;"),
        ("c", "P = P + 2 * vector(0, 0.1, 0); u = u + 2;"),
    ];
    let declared: String = copies
        .iter()
        .map(|(copy, with)| {
            let with = if with.is_empty() {
                ";".to_owned()
            } else {
                format!("with {{ {with} }}")
            };
            nodes.replace("$", copy).replace("WITH", &with)
        })
        .collect();
    let end = "dx = s.dx; again = s.again; mean = s.mean; }";
    let [x, y, b, c] = ["x", "y", "b", "c"].map(|copy| fed.replace("$", copy));
    let once = nodes.replace("$", "").replace("WITH", ";");
    let fed = fed.replace("$", "");
    (
        format!("group g({outputs}) {{ {once} slope s(h = {fed}); {end}"),
        format!(
            "group g({outputs}) {{ {declared} plain s(h = {fed}, x = {x}, y = {y}, b = {b}, c = {c}); {end}"
        ),
    )
}

#[test]
fn samples_are_repeated_instances() {
    for (nodes, fed) in [
        ("waves w$() WITH", "w$.r"),
        ("waves w$(scale = 2) WITH", "2 * w$.c.b + w$.r"),
        // An input computed from two others that share a third.
        ("waves a$(); waves b$(shift = a$.c); tinted t$(a = a$.r + b$.r) WITH", "t$.c[1]"),
    ] {
        let (sampled, repeated) = repeated(nodes, fed);
        same(UNITS, &sampled, &repeated);
    }
}

#[test]
fn overrides_of_the_input_itself_are_evaluated_again() {
    same(
        UNITS,
        "group g(output float r = 0) { bent q(amount = 2); waves w() with { P = q.q; } slope s(h = w.r); r = s.dx; }",
        "group g(output float r = 0) {
            bent q(amount = 2); waves w() with { P = q.q; }
            bent q2(amount = 2) with { P = P + vector(0.5, 0, 0); }
            waves w2() with { P = q2.q; }
            r = w2.r - w.r; }",
    );
    // Facts about the sampling unit apply to its samples.
    same(
        UNITS,
        "group g(output float r = 0) { waves w(); slope s(h = w.r) with { u = 7; } r = s.dx + w.r; }",
        "group g(output float r = 0) {
            waves w(); waves w1() with { P = P + vector(0.5, 0, 0); u = 7; }
            r = w1.r - w.r + w.r; }",
    );
}

#[test]
fn inputs_of_groups_are_evaluated_where_they_come_from() {
    let inner = "group inner(float height = 0, vector shift = 0, output float r = 0)
        { waves w(shift = shift); slope s(h = height + w.r); r = s.dx; }";
    same(
        &format!("{UNITS}{inner}"),
        "group g(output float r = 0) { waves w(scale = 2); inner i(height = w.r, shift = 2 * P); r = i.r; }",
        "group g(output float r = 0) {
            waves w(scale = 2); waves w1(shift = 2 * P);
            waves x(scale = 2) with { P = P + vector(0.5, 0, 0); }
            waves x1(shift = 2 * (P + vector(0.5, 0, 0))) with { P = P + vector(0.5, 0, 0); }
            r = (x.r + x1.r) - (w.r + w1.r); }",
    );
}

#[test]
fn values_and_defaults_are_sampled() {
    let unit = "shader s(point q = P, float h = q.x + u, float k = 3, output float r = 0)
        { r = sample(h, with { P = point(5, 0, 0); }) + 10 * sample(k, with { P = 0; }); }";
    let run = |text: &str| outputs(&format!("{unit}\n{text}")).unwrap_or_else(|e| panic!("{e}"))[0].clone();
    assert_eq!(run(""), Const::Float(35.25));
    let group = |args: &str| format!("group g(output float r = 0) {{ s a({args}); r = a.r; }}");
    assert_eq!(run(&group("h = 2, k = P.x + 1")), Const::Float(12.0));
    assert_eq!(run(&group("h = P.x, k = 4")), Const::Float(45.0));
    assert_eq!(run(&group("q = 2 * P")), Const::Float(40.25));
}

#[test]
fn closures_arrays_and_parts_are_sampled() {
    same(
        UNITS,
        "shader lit(color c = 1, output closure color s = 0) { s = c * emission(); }
        shader moved(closure color base = 0, float list[] = {0}, color c = 0, output closure color s = 0, output float r = 0) {
            s = base + sample(base, with { P = 2 * P; });
            float there[2] = sample(list, with { P = 2 * P; });
            r = there[1] + sample(c, with { P = 2 * P; }).g;
        }
        group g(output closure color s = 0, output float r = 0) {
            waves w(); lit l(c = w.c); moved m(base = l.s, list = {0, w.r}, c = 1, c.g = w.r); s = m.s; r = m.r; }",
        "shader lit(color c = 1, output closure color s = 0) { s = c * emission(); }
        group g(output closure color s = 0, output float r = 0) {
            waves w(); lit l(c = w.c); waves w1() with { P = 2 * P; } lit l1(c = w1.c);
            s = l.s + l1.s; r = w1.r + w1.r; }",
    );
}

#[test]
fn sampled_inputs_can_sample() {
    same(
        UNITS,
        "shader twice(float h = 0, output float r = 0) { r = h + sample(h, with { P = P + 1; }); }
        group g(output float r = 0) { waves w(); twice a(h = w.r); twice b(h = a.r); r = b.r; }",
        "group g(output float r = 0) {
            waves w(); waves w1() with { P = P + 1; } waves w2() with { P = (P + 1) + 1; }
            r = (w.r + w1.r) + (w1.r + w2.r); }",
    );
}

#[test]
fn samples_in_loops_start_from_initial_values() {
    let text = "shader odd(output float r = 0) { float x, list[2]; if (u > 0.5) { x = 4 * u; list[1] = 1; } r = x + list[1]; }
        shader each(float h = 0, output float r = 0) {
            for (int i = 0; i < 4; ++i) r = 10 * r + sample(h, with { u = i % 2 == 0 ? 0.75 : 0.25; });
        }
        group g(output float r = 0) { odd o(); each e(h = o.r); r = e.r; }";
    assert_eq!(outputs(text).unwrap_or_else(|e| panic!("{e}"))[0], Const::Float(4040.0));
}

#[test]
fn the_shipped_blur_is_a_mean_of_instances() {
    let text = "shader flat(output float r = 0, output color c = 0) { r = 3 + P.x + u; c = color(P.x, 2, v); }
        group g(output float r = 0, output color c = 0) {
            flat f(); blur a(source = f.r, radius = 0.1); blur b(source = f.c, samples = 5); r = a.value; c = b.result; }";
    let found = outputs(text).unwrap_or_else(|errors| panic!("{errors}"));
    let Const::Float(r) = found[0] else { panic!() };
    // The mean of a linear pattern is the pattern itself, up to the asymmetry of the spiral.
    assert!((r - 3.55).abs() < 0.02, "{r}");
}

#[test]
fn errors_in_samples_are_reported() {
    let unit = |body: &str| {
        format!(
            "struct pair {{ float a; float b; }}; shader s(float h = 0, pair p = {{0, 0}}, output float r = 0) {{ {body} }}"
        )
    };
    for (body, message) in [
        ("r = sample(r, with { P = 0; });", "these arguments do not fit"),
        ("float x = 1; r = sample(x, with { P = 0; });", "these arguments do not fit"),
        ("r = sample(h + 1);", "these arguments do not fit"),
        ("r = sample(p, with { P = 0; }).a;", "these arguments do not fit"),
        ("r = sample(h, with { Q = 0; });", "unknown global `Q`"),
        ("r = sample(h, with { P = 0; P = 1; });", "global `P` is declared twice"),
        ("r = sample(h, with { P = \"x\"; });", "point"),
        ("r = sin(h, with { P = 0; });", "these arguments do not fit"),
        ("r = sample();", "these arguments do not fit"),
    ] {
        let errors = outputs(&unit(body)).expect_err(body);
        assert!(errors.list.iter().any(|e| e.message.contains(message)), "{body}: {errors}");
        assert!(errors.list.iter().all(|e| !e.labels.is_empty()), "{errors}");
    }
    // User functions of this name are called, and parameters can be passed to functions.
    let text = "float sample(float x) { return x + 1; } shader s(float h = 1, output float r = 0) { r = sample(h); }";
    assert_eq!(outputs(text).unwrap()[0], Const::Float(2.0));
    let text = "float at(float x, point p) { return sample(x, with { P = p; }); }
        shader s(float h = P.x, output float r = 0) { r = at(h, point(8, 0, 0)); }";
    assert_eq!(outputs(text).unwrap_or_else(|e| panic!("{e}"))[0], Const::Float(8.0));
}

#[test]
fn samples_of_samples_are_bounded() {
    let mut text = format!(
        "{UNITS} shader many(float h = 0, output float r = 0) {{ r = sample(h, with {{ P = P + 1; }}) + sample(h, with {{ P = P + 2; }}) \
         + sample(h, with {{ P = P + 3; }}) + sample(h, with {{ P = P + 4; }}); }} group g(output float r = 0) {{ waves w(); many m0(h = w.r);"
    );
    for i in 1..12 {
        text += &format!(" many m{i}(h = m{}.r);", i - 1);
    }
    let errors = outputs(&(text + " r = m11.r; }")).expect_err("too large");
    assert!(errors.list[0].message.contains("samples of inputs"), "{errors}");
}
