//! Units that query their use (`any`, `isgiven`, `isconnected`), in groups and in materials of scenes.

use shading::graph::GroupUse;
use shading::graph::source::material;
use shading::hir::Const;
use shading::syntax::ast::{Argument, Expr};
use shading::{ClosureRegistry, InstanceOptions, NoHost, ShaderGlobals, ShadingSystem, Source, Template};
use std::sync::Arc;

/// The output `r` of the last unit or group of a source.
fn result(text: &str) -> Result<Const, String> {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
    let loaded = system
        .load(Source::new("test.ksl", text))
        .map_err(|errors| errors.to_string())?;
    let template = loaded.templates.last().expect("there is one").clone();
    run(&system, template)
}

fn run(system: &ShadingSystem, template: Template) -> Result<Const, String> {
    let options = InstanceOptions { outputs: vec!["r".to_owned()], ..InstanceOptions::default() };
    let instance = system.instantiate(template, &options).map_err(|errors| errors.to_string())?;
    let mut context = system.context();
    instance.run(&ShaderGlobals::default(), &mut context).unwrap();
    Ok(instance.output(0, &context).unwrap())
}

#[track_caller]
fn check(text: &str, expected: f32) {
    assert_eq!(result(text), Ok(Const::Float(expected)), "{text}");
}

/// A unit that returns the type of `x`.
const KIND: &str = "shader kind(any x = 0.5, output float r = 0) {
    if (isfloat(x)) r = x;
    else if (iscolor(x)) r = 10 + x[0];
    else if (isstring(x)) r = 20;
    else if (isint(x)) r = 30 + x;
    else if (isarray(x)) r = 40 + arraylength(x);
}";

#[test]
fn an_input_of_a_group_can_be_of_any_type() {
    let of = |inner: &str, outer: &str| {
        format!(
            "{KIND} group inner(any y{inner}, output float r = 0) {{ kind k(x = y); r = k.r; }}
            group outer(output float r = 0) {{ inner i({outer}); r = i.r; }}"
        )
    };
    check(&of(" = 0.25", ""), 0.25);
    check(&of(" = (3, 4, 5)", ""), 13.0);
    check(&of(" = \"a.png\"", ""), 20.0);
    check(&of(" = 0.25", "y = 0.75"), 0.75);
    check(&of(" = 0.25", "y = (1, 2, 3)"), 11.0);
    check(&of(" = 0.25", "y = 7"), 37.0);
    check(&of("", "y = \"x\""), 20.0);
    let missing = result(&of("", "")).unwrap_err();
    assert!(missing.contains("`y`"), "{missing}");
}

#[test]
fn an_output_of_a_group_cannot_be_of_any_type() {
    let text = format!("{KIND} group outer(output any r = 0) {{ kind k(); r = k.r; }}");
    let message = result(&text).unwrap_err();
    assert!(message.contains("only a parameter can be of type `any`"), "{message}");
}

/// Numbers in scenes have no declared type.
#[test]
fn a_whole_number_of_a_scene_is_a_float() {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
    let unit = KIND.replace("output float r = 0", "output float r = 0, output closure color surface = 0");
    let file = system.load(Source::new("test.ksl", unit.as_str()));
    file.unwrap_or_else(|errors| panic!("{errors}"));
    let value = |x: Expr| {
        let call = Expr::call("kind", vec![Argument::named("x", x)]);
        let file = Arc::default();
        let mut group =
            material("m", GroupUse::Surface, shading::Span::default(), &call, None, &file).unwrap();
        group.expose_output("m.r", "r").unwrap();
        run(&system, Template::from(&Arc::new(group)))
    };
    assert_eq!(value(3.into()), Ok(Const::Float(3.0)));
    assert_eq!(value(Expr::string("a.png")), Ok(Const::Float(20.0)));
}

#[test]
fn units_can_query_whether_a_value_is_given() {
    let of = |args: &str| {
        format!(
            "struct pair {{ float a; float b; }};
            shader source(output float r = 4) {{ r = u; }}
            shader asks(float x = 1, color c = 0, float list[2] = {{1, 2}}, any z = 0, output float r = 0) {{
                r = isgiven(x) + 10 * isgiven(c) + 100 * isgiven(list) + 1000 * isgiven(z);
            }}
            group g(output float r = 0) {{ source s(); asks a({args}); r = a.r; }}"
        )
    };
    check(&of(""), 0.0);
    // An argument equal to the default counts as given.
    check(&of("x = 1"), 1.0);
    check(&of("x = s.r"), 1.0);
    check(&of("x = u, c = (1, 2, 3)"), 11.0);
    check(&of("list = [3, 4], z = \"x\""), 1100.0);
    // Uses are distinguished only by the results of queries.
    check(
        "shader asks(float x = 1, output float r = 0) { if (!isgiven(x)) r = 5; else r = x; }",
        5.0,
    );
}

#[test]
fn exposed_inputs_that_are_not_set_are_not_given() {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
    let text = "shader asks(float x = 1, output float r = 0) { r = isgiven(x); }";
    let loaded = system.load(Source::new("test.ksl", text));
    let unit = loaded.unwrap_or_else(|errors| panic!("{errors}")).templates.remove(0);
    let value = |set: bool| {
        let mut group = shading::ShaderGroupTemplate::new("g");
        group.add("a", unit.clone()).unwrap();
        if set {
            group.set("a.x", 1.0).unwrap();
        }
        group.expose_input("a.x", "x").unwrap();
        group.expose_output("a.r", "r").unwrap();
        run(&system, Template::from(&Arc::new(group)))
    };
    assert_eq!(value(false), Ok(Const::Float(0.0)));
}

#[test]
fn wrong_queries_are_reported() {
    let message = |body: &str| {
        result(&format!("shader test(float x = 0, output float r = 0) {{ {body} }}")).unwrap_err()
    };
    let unknown = message("r = isconvertible(x, \"colour\");");
    assert!(unknown.contains("colour") && unknown.contains("`color`"), "{unknown}");
    assert!(message("r = isconvertible(x);").contains("isconvertible(value, \"type\")"));
    assert!(message("any y = 0; r = y;").contains("typeof(value)"));
    let inner = message("typeof(a) f(any a) { return a + \"x\"; } r = f(x);");
    assert!(inner.contains("string"), "{inner}");
}

/// TSL's texture handles at file scope are parameters of the units that use them.
#[test]
fn texture_handles_of_a_file_are_parameters() {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
    let text = "texture2d image; texture2d other;
        shader uses(out float r) { r = texture2d_sample_alpha<image>(u, v); }
        shader plain(out float r) { r = 0.25; }";
    let loaded = system.load(Source::new("test.ksl", text));
    let templates = loaded.unwrap_or_else(|errors| panic!("{errors}")).templates;
    let names = |template: &Template| -> Vec<String> {
        let params = template.params().unwrap();
        params.iter().map(|param| format!("{} {}", param.ty, param.name)).collect()
    };
    assert_eq!(names(&templates[0]), ["float r", "string image"]);
    assert_eq!(names(&templates[1]), ["float r"]);
    let mut group = shading::ShaderGroupTemplate::new("g");
    group.add("a", templates[0].clone()).unwrap();
    group.set("a.image", "wall.png").unwrap();
    group.expose_output("a.r", "r").unwrap();
    let options = InstanceOptions::default();
    let instance = system.instantiate(Arc::new(group), &options).unwrap();
    assert_eq!(instance.statistics().missing_textures[0].name, "wall.png");
    let message = result("int n = 3; shader test(output float r = 0) { n = 4; r = n; }").unwrap_err();
    assert!(message.contains("`n`"), "{message}");
}

#[test]
fn lists_are_arrays_of_their_elements() {
    let of = |list: &str| {
        format!(
            "shader list(any x = 0, output float r = 0) {{
                if (isarray(x)) {{
                    r = 10 * arraylength(x);
                    if (iscolor(x[0])) r += 3;
                    else if (isvector(x[0])) r += 2;
                    else if (isfloat(x[0])) r += 1;
                }}
            }}
            shader one(output float f = 7, output color c = 2, output vector w = 1) {{ f = 7; }}
            group inner(any y = 0, output float r = 0) {{ list k(x = y); r = k.r; }}
            group g(output float r = 0) {{ one o(); inner i(y = {list}); r = i.r; }}"
        )
    };
    check(&of("{u, 2, o.f}"), 31.0);
    check(&of("{o.c, 2 * o.c}"), 23.0);
    check(&of("{1, o.w, u}"), 32.0);
    check(&of("[u, v]"), 21.0);
    let wrong = result(&of("{o.c, o.w}")).unwrap_err();
    assert!(wrong.contains("no type in common: color, vector"), "{wrong}");
}

#[test]
fn overloads_are_chosen_by_what_is_given() {
    let of = |args: &str| {
        format!(
            "float kind(float x) {{ return 1 + x; }} float kind(color x) {{ return 20 + x[0]; }}
            float kind(string x) {{ return 30; }} float kind(vector x[]) {{ return 40 + arraylength(x); }}
            shader chosen(any x = 0.5, output float r = 0) {{ r = kind(x); }}
            shader one(output color c = 2, output vector w = 1) {{ c = 2; }}
            group g(output float r = 0) {{ one o(); chosen c({args}); r = c.r; }}"
        )
    };
    check(&of(""), 1.5);
    check(&of("x = o.c"), 22.0);
    check(&of("x = \"a.png\""), 30.0);
    check(&of("x = {o.w, o.w}"), 42.0);
    check(&of("x = attribute(\"gone\", o.c)"), 22.0);
    check(&of("x = attribute(\"gone\", 3.0)"), 4.0);
    check(&of("x = attribute(\"gone\")"), 20.0);
}

#[test]
fn attributes_are_values() {
    let unit = |value: &str| format!("shader s(output float r = 0) {{ r = {value}; }}");
    check(&unit("attribute(\"gone\", 2) + attribute(\"gone\", color(3)).r"), 5.0);
    check(&unit("attribute(\"gone\")"), 0.0);
    let wrong = result(&unit("attribute(1)")).unwrap_err();
    assert!(wrong.contains("string"), "{wrong}");
    let wrong = result(&unit("attribute(\"a\", 1, 2)")).unwrap_err();
    assert!(wrong.contains("do not fit"), "{wrong}");
    let own =
        "float attribute(string name) { return 8; } shader s(output float r = 0) { r = attribute(\"x\"); }";
    check(own, 8.0);
}

#[test]
fn functions_of_any_type_take_lists() {
    let of = |call: &str| {
        format!(
            "float size(any x) {{ if (isarray(x)) return 10 * arraylength(x) + x[1]; return 1; }}
            float size(string x) {{ return 2; }}
            shader a(float p = 5, output float r = 0) {{ r = {call}; }}
            group g(output float r) {{ a b(p = {call}); r = b.r; }}"
        )
    };
    check(&of("size({u, 2, 3})"), 32.0);
    check(&of("size({1, size({3, 4})})"), 44.0);
    check(&of("size(\"x\")"), 2.0);
    check(&of("size(p)").replace("a b(p = size(p))", "a b()"), 1.0);
    let mixed = result(&of("size({1, \"x\"})")).unwrap_err();
    assert!(mixed.contains("no type in common: int, string"), "{mixed}");
}
