//! Hints of errors and warnings: names of other languages, unknown spaces and ray kinds, endless loops.

use std::sync::Arc;

use shading::{ClosureRegistry, Diagnostic, NoHost, ShadingSystem, Source};

fn diagnostics(body: &str) -> Vec<Diagnostic> {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
    let text = format!("shader test(output color r = 0) {{ float x = u; {body} r = x; }}");
    match system.load(Source::new("test.ksl", text)) {
        Ok(loaded) => loaded.warnings.list,
        Err(errors) => errors.list,
    }
}

/// Expects one diagnostic with this message and a hint that contains a text.
#[track_caller]
fn check(body: &str, message: &str, hint: &str) {
    let found = diagnostics(body);
    let [only] = &found[..] else {
        panic!("{body}: {found:?}");
    };
    assert_eq!(only.message, message, "{body}");
    assert!(only.hints.iter().any(|own| own.contains(hint)), "{body}: {:?}", only.hints);
}

#[test]
fn names_of_other_languages_have_hints() {
    check("vec3 a = 1;", "unknown type `vec3`", "`vector`");
    check("r = vec3(1, 2, 3);", "unknown function `vec3`", "color(x, y, z)");
    check("x = saturate(x);", "unknown function `saturate`", "clamp(x, 0, 1)");
    check("x = fract(x);", "unknown function `fract`", "mod(x, 1)");
    check("x = dFdx(x);", "unknown function `dFdx`", "Dx(value)");
    check("x = lerp(0, 1, x);", "unknown function `lerp`", "mix(a, b, t)");
    check("x = PI;", "unknown name `PI`", "M_PI");
    check("r = rgb(1, 0, 0);", "unknown function `rgb`", "color(r, g, b)");
    check("rgb c = 1;", "unknown type `rgb`", "`color`");
    // Other names get the nearest known name as hint.
    check("x = smoothstp(0, 1, x);", "unknown function `smoothstp`", "`smoothstep`");
}

#[test]
fn unknown_spaces_and_ray_kinds_are_reported() {
    let spaces = "the renderer may not know the space \"worlds\"";
    check("r = transform(\"worlds\", P);", spaces, "`world`");
    check("r = point(\"worlds\", 1, 2, 3);", spaces, "`world`");
    check("matrix m = matrix(\"worlds\", \"camera\"); r = m[0][0];", spaces, "`world`");
    let kinds = "there are no rays of kind \"shadows\"";
    check("x = raytype(\"shadows\");", kinds, "`shadow`");
    check("x = raytype(\"shadows\");", kinds, "camera, shadow, diffuse");
    for known in ["transform(\"myspace\", P)", "transform(\"raster\", P)", "raytype(\"bake\")"] {
        assert!(diagnostics(&format!("r = {known};")).is_empty(), "{known}");
    }
}

#[test]
fn endless_loops_are_reported() {
    let message = "this loop never ends: it has neither a condition nor a `break`";
    for endless in [
        "for (;;) {}",
        "while (1) { x += 1; }",
        "for (int i = 0; ; ++i) { while (i < 3) { break; } }",
    ] {
        check(endless, message, "stopped");
    }
    for ending in [
        "for (;;) { x += 1; if (x > 3) break; }",
        "while (true) { if (x > 3) return; }",
        "for (;;) { exit(); }",
        "while (x < 3) x += 1;",
    ] {
        assert!(diagnostics(ending).is_empty(), "{ending}: {:?}", diagnostics(ending));
    }
}

#[test]
fn syntax_of_other_languages_has_hints() {
    let expected = |expected: &str, found: &str| format!("expected {expected}, found `{found}`");
    check("x = x ** 2;", &expected("an expression", "**"), "pow(x, y)");
    check("if (x <> 2) x = 1;", &expected("an expression", "<>"), "`!=`");
    check("if (x === 2) x = 1;", &expected("an expression", "==="), "`==`");
    check("x := 2;", &expected("`=`", ":="), "x = value");
    for word in ["elif", "elseif"] {
        let chain = format!("if (x > 0) x = 1; {word} (x > 1) x = 2; else x = 3;");
        check(&chain, &expected("`else if`", word), "else if (condition)");
        let chain = format!("if (x > 0) {{ x = 1; }} {word} (x > 1) {{ x = 2; }}");
        check(&chain, &expected("`else if`", word), "else if (condition)");
    }
    let switch = "switch ((int) x) { case 1: x = 2; break; default: x = 3; }";
    check(switch, &expected("a statement", "switch"), "if (x == 1)");
    check("float[3] y;", &expected("a name", "["), "float x[3]");
    check("float[2] y = {1, 2};", &expected("a name", "["), "float x[3]");
    check("x = x ^ 2;", "`^` takes ints, found float and int", "pow(x, y)");
    check("var y = 2;", "unknown type `var`", "begins with a type");
}

/// Too many names are similar to a name of one or two letters, so only known names of other languages have hints.
#[test]
fn short_names_have_no_similar_names() {
    check("r = Cs;", "unknown name `Cs`", "`color Cs = 1`");
    check("x = Os;", "unknown name `Os`", "transparent()");
    check("r = Cl;", "unknown name `Cl`", "diffuse(N)");
    check("x = uv;", "unknown name `uv`", "`u` and `v`");
    check("x = n;", "unknown name `n`", "`N`");
    for name in ["q", "ab", "Px"] {
        let found = diagnostics(&format!("x = {name};"));
        assert!(found[0].hints.is_empty(), "{name}: {:?}", found[0].hints);
    }
}
