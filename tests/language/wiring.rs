//! Arguments of units in groups: arrays of any length, parts of inputs, structures; errors have a place and are told once.

use std::sync::Arc;

use shading::hir::Const;
use shading::{ClosureRegistry, Diagnostics, InstanceOptions, NoHost, ShaderGlobals, ShadingSystem, Source};

/// The output `r` of the last unit or group of a source, at a point with `u` = 0.25.
fn result(text: &str) -> Result<Const, Diagnostics> {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
    let loaded = system.load(Source::new("test.ksl", text))?;
    let template = loaded.templates.last().expect("there is one").clone();
    let options = InstanceOptions {
        outputs: vec!["r".to_owned()],
        ..InstanceOptions::default()
    };
    let instance = system.instantiate(template, &options)?;
    let mut context = system.context();
    let globals = ShaderGlobals {
        u: 0.25,
        ..ShaderGlobals::default()
    };
    instance.run(&globals, &mut context);
    Ok(instance.output(0, &context))
}

#[track_caller]
fn check(text: &str, expected: f32) {
    let found = result(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    assert_eq!(found, Const::Float(expected), "{text}");
}

/// All errors of a text; each has a place.
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
fn errors_of_links_have_a_place_and_are_told_once() {
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
        (
            "group g(output float r = 0) { f a(y = 1); r = a.r; }",
            "no input `y`",
        ),
        (
            "group g(output float r = 0) { f a(); r = a.s; }",
            "no output `a.s`",
        ),
        (
            "group g(output float r = 0) { f a(x = c.r); r = a.r; }",
            "unknown instance `c`",
        ),
        (
            "group g(output float r = 0) { f a(x = c.r + 1); r = a.r; }",
            "unknown name `c`",
        ),
        (
            "group g(output float r = 0) { nothing a(); r = a.r; }",
            "unknown unit or group `nothing`",
        ),
        (
            "group g(output float r = 0) { g a(); r = a.r; }",
            "group contains itself",
        ),
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
