//! Arguments of units in groups: arrays of any length, parts of inputs, structures; each error is reported once, with a
//! location.

use std::sync::Arc;

use language_support::{compiled, shipped};
use shading::hir::Const;
use shading::interp::{self, RunOptions};
use shading::{
    Diagnostic, Diagnostics, InstanceOptions, NoHost, ShaderGlobals, ShaderGroupTemplate, ShadingSystem,
    Source, Template, Value,
};

/// The output `r` of the last unit or group of a source, at a point with `u` = 0.25.
fn result(text: &str) -> Result<Const, Diagnostics> {
    let system = ShadingSystem::new(shipped::closures(), Arc::new(NoHost));
    let loaded = system.load(Source::new("test.ksl", text))?;
    let template = loaded.templates.last().expect("there is one").clone();
    let options = InstanceOptions { outputs: vec!["r".to_owned()], ..InstanceOptions::default() };
    let (unit, ..) = system.optimized(&template, &options)?;
    let instance = system.instantiate(template, &options)?;
    let mut context = system.context();
    let globals = ShaderGlobals { u: 0.25, ..ShaderGlobals::default() };
    instance.run(&globals, &mut context).unwrap();
    let interpreted = interp::run(&unit, &RunOptions::new(&globals));
    if let Some(difference) = compiled::difference(&instance, &mut context, system.closures(), &interpreted) {
        panic!("{text}: {difference}");
    }
    Ok(instance.output(0, &context).unwrap())
}

#[track_caller]
fn check(text: &str, expected: f32) {
    let found = result(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    assert_eq!(found, Const::Float(expected), "{text}");
}

/// Returns the errors of a text; each has a location.
#[track_caller]
fn errors(text: &str) -> Vec<String> {
    let diagnostics = result(text).expect_err(text);
    for diagnostic in &diagnostics.list {
        assert!(!diagnostic.labels.is_empty(), "it has no place: {diagnostic}");
    }
    diagnostics.list.iter().map(|d| d.message.clone()).collect()
}

const SUM: &str = "shader sum(float a[] = {1}, output float r = 0) {
        for (int i = 0; i < arraylength(a); ++i) r += a[i];
        r += 100 * arraylength(a);
    }";

#[test]
fn groups_take_arrays_of_any_length() {
    let of = |default: &str, args: &str| {
        format!(
            "{SUM} group inner(float list[]{default}, output float r = 0) {{ sum s(a = list); r = s.r; }}
            group outer(output float r = 0) {{ inner i({args}); r = i.r; }}"
        )
    };
    check(&of(" = {1, 2, 3}", ""), 306.0);
    check(&of(" = {1, 2, 3}", "list = [4, 5]"), 209.0);
    check(&of("", "list = [1, u, 3, u]"), 404.5);
    check(&of(" = [u, 1]", ""), 201.25);
    assert!(errors(&of("", ""))[0].contains("`list`"));
    let output = format!("{SUM} group g(output float list[]) {{ sum s(); list = s.r; }}");
    assert!(errors(&output)[0].contains("`list` has no length"));
}

#[test]
fn units_take_lists_of_any_length() {
    let of = |args: &str| format!("{SUM} group g(output float r = 0) {{ sum s({args}); r = s.r; }}");
    check(&of("a = [1, 2, 3, 4]"), 410.0);
    check(&of("a = {u, 2}"), 202.25);
}

const PARTS: &str = "struct inner { float x; float y; };
    struct outer { float w; inner i; };
    shader parts(float a[3] = {1, 2, 3}, color c = 0, outer s = {1, {2, 3}}, output float r = 0) {
        r = a[0] + 10 * a[1] + 100 * a[2] + 1000 * c.g + 10000 * s.w + 100000 * (s.i.x + s.i.y);
    }
    shader one(output float x = 7) { x += u; }
    shader pair(output inner p = {0, 0}) { p.x = 1; p.y = 1; }";

fn parts(args: &str) -> String {
    format!("{PARTS} group g(output float r = 0) {{ one o(); pair q(); parts p({args}); r = p.r; }}")
}

#[test]
fn parts_of_inputs_are_arguments() {
    check(&parts("a[1] = 5"), 510_351.0);
    check(&parts("c.g = 2, a[0] = o.x"), 512_327.25);
    check(&parts("s.w = 3"), 530_321.0);
    check(&parts("s.i.y = 0"), 210_321.0);
    check(&parts("a = [4, 5, 6], a[2] = 0"), 510_054.0);
    check(&parts("c = (1, 1, 1), c.g = 4"), 514_321.0);
    assert!(errors(&parts("a[1] = 5, a[1] = 6"))[0].contains("`a[1]` is given twice"));
    assert!(errors(&parts("s.z = 5"))[0].contains("`s.z`"));
}

const ELEMENTS: &str = "struct pair { float w; color c; };
    shader made(output pair s[2] = {{1, 2}, {3, 4}}, output color c[2] = {5, 6}, output float x = 7) { x += u; }
    shader parts(color c[3] = {1, 2, 3}, pair s[2] = {{1, 2}, {3, 4}}, output float r = 0) {
        r = c[1].g + 10 * s[1].w + 100 * s[0].c.b + 1000 * c[1].r;
    }";

#[test]
fn parts_of_elements_are_arguments() {
    let of = |args: &str| {
        format!("{ELEMENTS} group g(output float r = 0) {{ made m(); parts p({args}); r = p.r; }}")
    };
    check(&of(""), 2232.0);
    check(&of("c[1].g = m.x"), 2237.25);
    // Whatever their order, the argument for the larger part is applied first.
    check(&of("c[1].g = 4, c[1] = m.c[0], c = {0, 0, 0}"), 5234.0);
    check(&of("s[1].w = 8"), 2282.0);
    check(&of("s.w[1] = 8, s[0].c = m.s[1].c"), 2482.0);
    check(&of("s[0].c.b = m.s[1].w"), 2332.0);
    assert!(errors(&of("c[1].g = 1, c[1][1] = 2"))[0].contains("given twice"));
    assert!(errors(&of("s.w[1] = 1, s[1].w = 2"))[0].contains("given twice"));
    assert!(errors(&of("c[3].g = 1"))[0].contains("no input `c[3].g`"));
    assert!(errors(&of("s[1].v = 1"))[0].contains("no input `s[1].v`"));
}

#[test]
fn elements_make_arrays_grow() {
    let unit = |args: &str| {
        format!(
            "{SUM} shader one(output float f = 7) {{ f = 7 + u; }} group g(output float r = 0) {{ one o(); \
             sum s({args}); r = s.r; }}"
        )
    };
    check(&unit("a[0] = o.f"), 107.25);
    check(&unit("a[3] = o.f"), 408.25);
    check(&unit("a = {1, 2}, a[3] = o.f"), 410.25);
    check(&unit("a[2] = o.f, a[0] = 1, a[1] = u"), 308.5);
    assert!(errors(&unit("a[100000] = 1"))[0].contains("no input"));
    let group = |default: &str, args: &str| {
        format!(
            "{SUM} group inner(float list[]{default}, any x = {{1.0}}, output float r = 0) {{ sum s(a = list); \
             sum t(a = x); r = s.r + 1000 * t.r; }}
            group outer(output float r = 0) {{ inner i({args}); r = i.r; }}"
        )
    };
    check(&group("", "list[1] = 4, list[0] = u"), 101_204.25);
    check(&group(" = {5, 5}", "list[2] = 4"), 101_314.0);
    check(
        &group(" = {5, 5}", "list = {1, 1}, list[1] = 4, x = {2.0, 3.0}, x[0] = 1"),
        204_205.0,
    );
    check(&group(" = {5, 5}", "x[1] = 1"), 202_210.0);
    assert!(errors(&group(" = {5}", "list.z = 4"))[0].contains("no input `list.z`"));
}

#[test]
fn arrays_of_a_length_take_as_many_elements() {
    let of = |parts: &str, inner: &str| {
        format!(
            "{ELEMENTS} group inner(color list[3] = {{1, 2, 3}}, output float r = 0) {{ parts p(c = list); r = p.r; }}
            group g(output float r = 0) {{ made m(); parts p({parts}); inner i({inner}); r = p.r + i.r; }}"
        )
    };
    assert!(errors(&of("c = m.c", ""))[0].contains("(color[2])"));
    assert!(errors(&of("", "list = m.c"))[0].contains("(color[2])"));
}

#[test]
fn lists_of_closures_have_any_length() {
    let text = |list: &str| {
        format!(
            "shader lit(color c = 1, output closure color s = 0) {{ s = c * emission(); }}
            shader stack(closure color layers[] = {{0}}, float weights[] = {{1}}, output closure color s = 0, \
            output float r = 0) {{
                for (int i = 0; i < arraylength(layers); ++i) s += weights[i] * layers[i];
                r = arraylength(layers) + 10 * arraylength(weights);
            }}
            group g(output float r = 0) {{ lit a(c = u); lit b(); lit c(); stack t({list}); r = t.r; }}"
        )
    };
    check(&text("layers = {a.s, b.s, c.s}, weights = {0.5, u, 1}"), 33.0);
    check(&text("layers = {a.s, 0.5 * b.s + c.s}"), 12.0);
    check(&text("layers = {a, lit(c = 2), c, b}, weights[1] = u"), 24.0);
    check(&text("layers[2] = a.s, layers[0] = b.s, weights[2] = 1"), 33.0);
}

#[test]
fn programs_connect_parts() {
    let system = ShadingSystem::new(shipped::closures(), Arc::new(NoHost));
    let text = format!("{SUM} {ELEMENTS}");
    let loaded = system.load(Source::new("test.ksl", text)).unwrap();
    let [sum, made, parts] = [0, 1, 2].map(|i| loaded.templates[i].clone());
    let mut group = ShaderGroupTemplate::new("g");
    group.add("m", made).unwrap();
    group.add("s", sum).unwrap();
    group.add("p", parts).unwrap();
    group.connect("m.x", "s.a[0]").unwrap();
    group.connect("m.c[1].g", "s.a[1]").unwrap();
    group.connect("s.r", "p.c[1].g").unwrap();
    group.connect("m.s[1].c", "p.s[0].c").unwrap();
    group.set("p.c[1].r", 2.0).unwrap();
    group.expose_input("p.s", "pairs").unwrap();
    group.expose_output("p.r", "r").unwrap();
    assert!(group.connect("m.x", "p.c[3]").is_err());
    let group = Template::Group(Arc::new(group));
    let run = |inputs: Vec<(String, Value)>| {
        let options = InstanceOptions { inputs, ..InstanceOptions::default() };
        let instance = system
            .instantiate(group.clone(), &options)
            .unwrap_or_else(|errors| panic!("{errors}"));
        let mut context = system.context();
        instance.run(&ShaderGlobals::default(), &mut context).unwrap();
        instance.output(0, &context).unwrap()
    };
    assert_eq!(run(vec![]), Const::Float(213.0 + 30.0 + 400.0 + 2000.0));
    // Components of an exposed parameter are components of its targets.
    let given = vec![("pairs.w[1]".to_owned(), 1.0.into())];
    assert_eq!(run(given), Const::Float(213.0 + 10.0 + 400.0 + 2000.0));
}

#[test]
fn structures_are_given_as_braces() {
    check(&parts("s = {2, {0, 1}}"), 120_321.0);
    check(&parts("s = {o.x, {0, u}}"), 97_821.0);
    check(&parts("s = {0, q.p}"), 200_321.0);
    check(&parts("s = {2 * 2, {1, 1}}"), 240_321.0);
    let wrong = errors(&parts("s = {1, {2}}"));
    assert_eq!(wrong, ["p: the structure has 2 fields, but 1 values are given"]);
    assert_eq!(errors(&parts("s = {1, 2, 3}")).len(), 1);
}

#[test]
fn a_global_is_overridden_once() {
    let text = "shader p(output float r = 0) { r = P[0]; }
        group g(output float r = 0) { p a() with { P = 1; P = 2; } r = a.r; }";
    assert_eq!(errors(text), ["`P` is given twice"]);
    check(&text.replace(" P = 2;", ""), 1.0);
}

#[test]
fn link_errors_have_a_place_and_are_reported_once() {
    let units = "shader f(float x = 0, output float r = 0) { r = x; }
        shader m(matrix x = 1, output matrix r = 1) { r = x; } ";
    let cases = [
        (
            "group g(output float r = 0) { f a(x = b.r); f b(x = a.r); r = a.r; }",
            "cyclic connection",
        ),
        (
            "group g(output float r = 0) { m b(); f a(x = b.r); r = a.r; }",
            "cannot connect",
        ),
        (
            "group g(output float r = 0) { m b(); f a(x = b.r * 2); r = a.r; }",
            "expected float",
        ),
        ("group g(output float r = 0) { f a(y = 1); r = a.r; }", "no input `y`"),
        ("group g(output float r = 0) { f a(); r = a.s; }", "no output `a.s`"),
        ("group g(output float r = 0) { f a(x = c.r); r = a.r; }", "unknown instance `c`"),
        ("group g(output float r = 0) { f a(x = c.r + 1); r = a.r; }", "unknown name `c`"),
        (
            "group g(output float r = 0) { nothing a(); r = a.r; }",
            "unknown unit or group `nothing`",
        ),
        ("group g(output float r = 0) { g a(); r = a.r; }", "group contains itself"),
        (
            "group i(float x = 1, output float r = 0) { f a(x = b.r); f b(x = a.r); r = a.r; }
            group g(output float r = 0) { i p(); i q(x = p.r); r = q.r; }",
            "cyclic connection",
        ),
    ];
    for (group, expected) in cases {
        let found = errors(&format!("{units}{group}"));
        assert_eq!(found.len(), 1, "{group}: {found:?}");
        assert!(found[0].contains(expected), "{group}: {found:?}");
    }
}

/// Defaults of a group's inputs are computed by units, also from other inputs; an argument replaces them.
#[test]
fn defaults_of_inputs_are_computed() {
    let units = "shader twice(float x = 1, output float r = 0) { r = 2 * x; }";
    let group = "group g(float a = 3, float b = twice(x = a).r, float c = twice().r, output float r) { r = b + 10 * c; }";
    check(&format!("{units} {group}"), 26.0);
    for (arguments, expected) in [("", 26.0), ("a = 5", 30.0), ("b = 1", 21.0), ("a = 5, c = 0", 10.0)] {
        let outer = format!("group h(output float r) {{ g inner({arguments}); r = inner.r; }}");
        check(&format!("{units} {group} {outer}"), expected);
    }
}

/// Source text under the first label of each diagnostic of a source.
fn places(text: &str, list: &[Diagnostic]) -> Vec<String> {
    list.iter()
        .map(|diagnostic| text[diagnostic.labels[0].range.clone()].to_owned())
        .collect()
}

/// Messages and places of the errors, or else of the warnings, that a check of all units and groups finds.
fn checked(text: &str) -> (Vec<String>, Vec<String>) {
    let system = ShadingSystem::new(shipped::closures(), Arc::new(NoHost));
    let list = match system.load(Source::new("test.ksl", text)) {
        Err(errors) => errors.list,
        Ok(loaded) => {
            let errors = loaded.templates.iter().filter_map(|template| system.check(template).err());
            let errors: Vec<Diagnostic> = errors.flat_map(|errors| errors.list).collect();
            if errors.is_empty() { loaded.warnings.list } else { errors }
        }
    };
    let messages = list.iter().map(|diagnostic| diagnostic.message.clone()).collect();
    (messages, places(text, &list))
}

#[test]
fn errors_of_outputs_and_defaults_are_at_their_expressions() {
    let units = "shader p(float x = 0, output float r = 0, output string s = \"\") { r = x; }";
    for (body, place) in [
        ("output float r) { p a(); r = a.q; }", "a.q"),
        ("output float r) { p a(); r = a.s; }", "a.s"),
        ("output float r = a.s) { p a(); }", "a.s"),
        ("float k = a.s, output float r) { p a(); r = k; }", "a.s"),
    ] {
        let text = format!("{units} group g(\n    {body}");
        let (messages, places) = checked(&text);
        assert_eq!(places, [place], "{body}: {messages:?}");
    }
}

#[test]
fn locked_inputs_take_constants_alone() {
    let of = |body: &str| {
        format!(
            "shader p(float x = 0 [[ int allowconnect = 0 ]], output float r = 0) {{ r = x; }}
            shader q(output float r = 0) {{ r = u; }}
            group h(float k = 3, output float r) {{ p a(x = k); r = a.r; }} {body}"
        )
    };
    let group = |body: &str| of(&format!("group g(output float r) {{ {body} }}"));
    check(&of(""), 3.0);
    check(&group("p a(x = 2 * 3); r = a.r;"), 6.0);
    check(&group("h a(k = 4); r = a.r;"), 4.0);
    let error = "a: cannot connect to x because it has metadata allowconnect=0";
    for body in [
        "q b(); p a(x = b.r); r = a.r;",
        "p a(x = u); r = a.r;",
        "q b(); p a(x = b.r + 1); r = a.r;",
    ] {
        assert_eq!(errors(&group(body)), [error], "{body}");
    }
    let inner = "i: cannot connect to x because it has metadata allowconnect=0".replace("i:", "i.a:");
    assert_eq!(errors(&group("h i(k = u); r = i.r;")), [inner]);
}

#[test]
fn functions_without_parameters_are_called_in_groups() {
    let of = |body: &str| {
        format!(
            "float quarter() {{ return 0.25; }}
            shader p(float x = 0, output float r = 0) {{ r = x; }}
            shader w(output float r = 0) {{ r = u; }} group g({body}"
        )
    };
    check(&of("output float r) { p a(x = quarter()); r = a.r; }"), 0.25);
    check(&of("output float r) { p a(x = 1 + quarter() * 2); r = a.r; }"), 1.5);
    check(&of("float k = quarter(), output float r) { r = k; }"), 0.25);
    check(&of("output float r) { w a() with { u = quarter(); } r = a.r; }"), 0.25);
    check(&of("output float r) { r = w() + quarter(); }"), 0.5);
}

#[test]
fn instances_that_nothing_reads_are_checked() {
    let of = |body: &str| {
        format!(
            "shader p(float x = 0, output float r = 0) {{ r = x; }}
            group g(float k = 1, output float r) {{ p a(x = k); {body} r = a.r; }}"
        )
    };
    assert_eq!(checked(&of("")), (vec![], vec![]));
    let (messages, _) = checked(&of("nothing b();"));
    assert_eq!(messages, ["b: unknown unit or group `nothing`"]);
    let (messages, _) = checked(&of("p b(y = 1);"));
    assert_eq!(messages, ["b: `p` has no input `y`"]);
    let (messages, places) = checked(&of("p b(); p c(x = b.r);"));
    let warning = |name: &str| format!("no output depends on instance `{name}`");
    assert_eq!(
        (messages, places),
        (vec![warning("b"), warning("c")], vec!["b".into(), "c".into()])
    );
    check(&of("p b();"), 1.0);
}

#[test]
fn parameters_of_groups_cannot_be_structures() {
    let text = "struct s { float a; }; shader p(s x = {1}, output float r = 0) { r = x.a; }
        group g(s x = {2}, output float r) { p b(x = x); r = b.r; }";
    let (messages, places) = checked(text);
    assert_eq!(messages, ["a parameter of a group cannot be a structure"]);
    assert_eq!(places, ["s"]);
}

#[test]
fn equal_names_have_a_warning() {
    let unit = |value: i32| format!("shader a(output float r = 0) {{ r = {value}; }}\n");
    let text = unit(1) + &unit(2);
    let message = "`a` is declared again; the last declaration is used";
    assert_eq!(checked(&text).0, [message]);
    check(&text, 2.0);
    let text = unit(1) + "group a(output float r) { r = u; }";
    assert_eq!(checked(&text).0, [message]);
}
