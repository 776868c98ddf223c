//! Groups of many layers and levels: results, linear cost of linking, no code for constants.

use std::fmt::Write as _;
use std::sync::Arc;

use language_support::clock::thread_seconds;
use shading::hir::Const;
use shading::hir::verify::verify_all;
use shading::interp::{self, RunOptions};
use shading::opt::OptLevel;
use shading::{
    ClosureRegistry, InstanceOptions, NoHost, ShaderGlobals, ShaderInstance, ShadingSystem, Source, Template,
};

fn system(text: &str) -> ShadingSystem {
    verify_all();
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
    system
        .load(Source::new("groups.ksl", text))
        .unwrap_or_else(|errors| panic!("{errors}"));
    system
}

fn template(system: &ShadingSystem, name: &str) -> Template {
    system.template(name).unwrap_or_else(|| panic!("no {name}"))
}

const ADD: &str = "shader add(float a = 0, float b = 1, output float result = 0) { result = a + b; }\n";

#[test]
fn groups_nested_200_deep_run() {
    let mut text = ADD.to_owned();
    text.push_str("group g0(float a = 0, output float result) { add x(a = a); result = x.result; }\n");
    for i in 1..200 {
        let inner = i - 1;
        let _ = writeln!(
            text,
            "group g{i}(float a = 0, output float result) {{ g{inner} inner(a = a); add x(a = inner.result); \
             result = x.result; }}"
        );
    }
    let system = system(&text);
    let options = InstanceOptions {
        inputs: vec![("a".to_owned(), 0.5.into())],
        ..InstanceOptions::default()
    };
    let instance = system
        .instantiate(template(&system, "g199"), &options)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let mut context = system.context();
    instance.run(&ShaderGlobals::default(), &mut context).unwrap();
    let result = instance.output(0, &context).unwrap();
    assert!(result.same(&Const::Float(200.5)), "{result:?}");
}

/// A chain of layers.
fn chain(layers: usize) -> String {
    let mut text = ADD.to_owned();
    text.push_str("group whole(output float result) {\n    add l0();\n");
    for i in 1..layers {
        let _ = writeln!(text, "    add l{i}(a = l{}.result, b = u);", i - 1);
    }
    let _ = writeln!(text, "    result = l{}.result;\n}}", layers - 1);
    text
}

#[test]
fn link_time_is_linear_in_layers() {
    let seconds = |layers: usize| {
        let system = system(&chain(layers));
        let whole = template(&system, "whole");
        let one = || {
            let start = thread_seconds();
            system.check(&whole).unwrap_or_else(|errors| panic!("{errors}"));
            thread_seconds() - start
        };
        (0..3).map(|_| one()).fold(f64::INFINITY, f64::min)
    };
    let (few, many) = (seconds(1000), seconds(16_000));
    // With 16 times the number of layers, quadratic time would grow by 256. The clock has a resolution of a few
    // milliseconds.
    assert!(many < 48.0 * few.max(5e-3), "{few} s for 1000 layers, {many} s for 16000");
}

#[test]
fn constants_of_all_kinds_cost_no_code() {
    const UNIT: &str = "shader all(color c = 0, point p = 0, matrix m = 1, float list[2] = {0, 0}, any x = 0, \
                        output color result = 0) { result = c + color(p + m[1][2] * list[1]) + x; }\n";
    let operations = |args: &str| {
        let text = format!("{UNIT}group whole(output color result) {{ all a({args}); result = a.result; }}");
        let system = system(&text);
        let options = InstanceOptions { optimize: OptLevel::None, ..InstanceOptions::default() };
        let (unit, _, _) = system
            .optimized(&template(&system, "whole"), &options)
            .unwrap_or_else(|errors| panic!("{args}: {errors}"));
        unit.code.body.len()
    };
    let defaults = operations("x = color(0)");
    for args in [
        "c = (1, 2, 3)",
        "c = color(1, 2, 3)",
        "c = -0.5",
        "p = (1, -2, 3 / 2)",
        "m = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)",
        "m = matrix(2)",
        "list = {1, 2}",
    ] {
        assert_eq!(operations(&format!("x = color(0), {args}")), defaults, "{args}");
    }
    assert_eq!(operations("x = (1, 2, 3)"), defaults, "a tuple for `any`");
}

/// Instances of one structure run the same code, each with its own numbers.
#[test]
fn instances_share_their_code() {
    let text = format!(
        "{ADD}group first(output float r) {{ add one(a = 0.25); r = one.result * u; }}\n\
         group second(output float r) {{ add other(a = 0.5); r = other.result * u; }}\n\
         group third(output float r) {{ add one(a = 0); r = one.result * u; }}\n"
    );
    let system = system(&text);
    let instance = |name: &str| {
        let instance = system.instantiate(template(&system, name), &InstanceOptions::default());
        instance.unwrap_or_else(|errors| panic!("{errors}"))
    };
    let [first, second, third] = ["first", "second", "third"].map(instance);
    assert!(first.shares_code_with(&second));
    assert!(!first.shares_code_with(&third), "what is 0 may be no operation");
    let mut context = system.context();
    let mut value = |instance: &ShaderInstance| {
        let globals = ShaderGlobals { u: 1.0, ..ShaderGlobals::default() };
        instance.run(&globals, &mut context).unwrap();
        instance.output(0, &context).unwrap()
    };
    let [a, b, c] = [&first, &second, &third].map(|instance| match value(instance) {
        Const::Float(value) => value,
        other => panic!("{other:?} is no float"),
    });
    assert_eq!([a - c, b - c], [0.25, 0.5]);
    assert_ne!(
        first.statistics().fingerprint,
        second.statistics().fingerprint,
        "they behave differently"
    );
    drop(first);
    assert_eq!(value(&second), Const::Float(b), "the code lives as long as an instance");
}

/// Materials that differ only in their numbers share their machine code.
#[test]
fn a_thousand_materials_are_compiled_once() {
    let groups: String = (0..1000)
        .map(|i| {
            let a = i as f32 * 0.37 + 0.1;
            format!("group m{i}(output float r) {{ add l{i}(a = {a}); r = l{i}.result; }}\n")
        })
        .collect();
    let system = system(&format!("{}{groups}", ADD.replace("a + b", "a + b * u")));
    let instances: Vec<Arc<ShaderInstance>> = (0..1000)
        .map(|i| {
            let template = template(&system, &format!("m{i}"));
            let instance = system.instantiate(template, &InstanceOptions::default());
            instance.unwrap_or_else(|errors| panic!("{errors}"))
        })
        .collect();
    assert!(instances.iter().all(|instance| instance.shares_code_with(&instances[0])));
}

/// A unit with a long loop.
fn looping(iterations: usize, statement: &str) -> String {
    format!(
        "float called(float x, int depth) {{ return depth > 0 ? called(x, depth - 1) + noise(x) : x; }}
         shader s(output float r = 0) {{ float a[20000]; float b[20000]; a[int(u)] = v; string t;
             for (int i = 0; i < {iterations}; i++) {{ {statement} }} r += b[int(v)]; }}"
    )
}

/// Loops with expensive iterations run out of fuel after fewer iterations.
#[test]
fn fuel_counts_the_work_of_iterations() {
    const ITERATIONS: usize = 60_000;
    let finishes = |iterations: usize, statement: &str| {
        let system = system(&looping(iterations, statement));
        let instance = system
            .instantiate(template(&system, "s"), &InstanceOptions::default())
            .unwrap_or_else(|errors| panic!("{errors}"));
        let mut context = system.context();
        instance.run(&ShaderGlobals::default(), &mut context).unwrap();
        context.finished()
    };
    assert!(finishes(ITERATIONS, "r = r * 0.5 + i;"));
    // A noise call costs as much as five such iterations.
    let noise = "r += noise(P * i);";
    assert!(finishes(ITERATIONS / 2, noise));
    assert!(!finishes(2 * ITERATIONS, noise));
    for statement in [
        "r += noise(P * i) + noise(P * i, u) + noise(P + i) + noise(P + i, u) + noise(i * u) + noise(i * v);",
        "r += noise(\"gabor\", P * i);",
        "b = a; a[i] = b[int(r)] + i;",
        "r += regex_search(format(\"%d\", i), \"(a+)+$\");",
        "r += strlen(concat(format(\"%d\", i), \"text\"));",
    ] {
        assert!(!finishes(ITERATIONS, statement), "{statement}");
    }
}

/// Endless shaders end after the same iteration in all execution modes.
#[test]
fn fuel_ends_all_execution_modes_alike() {
    for statement in [
        "r = r * 0.5 + i;",
        "r += noise(P * i);",
        "r = noise(P) + i;",
        "if (r > 3) r += noise(P * i) - 3; else { r += 1; t = format(\"%d\", i); } r += strlen(t);",
        "for (int k = 0; k < i % 7; k++) r += sin(i) * 0.5;",
        "setmessage(format(\"m%d\", i), i);",
        "r += called(i, i % 3);",
        "int k = 0; while (k < 3 + u) { k += 1; if (k == 2) continue; r += cellnoise(i * k); }",
    ] {
        let system = system(&looping(2_000_000_000, &format!("{statement} printf(\"%d \", i);")));
        let ends = [OptLevel::None, OptLevel::Exact, OptLevel::Full].map(|level| printed(&system, level));
        let iterations = ends[0][0].split(' ').count();
        assert!((100..5000).contains(&iterations), "{statement}: {iterations}");
        assert!(ends.iter().flatten().all(|text| *text == ends[0][0]), "{statement}: {ends:?}");
    }
}

/// Returns the outputs of the endless unit `s`, interpreted and compiled.
fn printed(system: &ShadingSystem, optimize: OptLevel) -> [String; 2] {
    const FUEL: u32 = 20_000;
    let options = InstanceOptions { optimize, ..InstanceOptions::default() };
    let template = template(system, "s");
    let (unit, ..) = system.optimized(&template, &options).unwrap();
    let globals = ShaderGlobals::default();
    let run = RunOptions {
        host: &NoHost,
        fuel: FUEL,
        closures: Some(system.closures()),
        ..RunOptions::new(&globals)
    };
    let interpreted = interp::run(&unit, &run);
    let instance = system.instantiate(template, &options).unwrap();
    let mut context = system.context();
    context.set_fuel(FUEL);
    instance.run(&globals, &mut context).unwrap();
    assert!(!interpreted.finished && !context.finished());
    [interpreted.printed.text(), context.take_printed()]
}

/// Returns the messages about a group that contains this call.
fn warnings_of(call: &str) -> String {
    let text = format!(
        "shader s(string mode = \"linear\" [[ string widget = \"popup\", string options = \"linear|smooth\" ]],
                  string free = \"c\" [[ string widget = \"popup\", string options = \"a|b\" ]],
                  string wide = \"linear\" [[ string widget = \"popup\", string options = \"linear | smooth step | \" ]],
                  string named = \"0\" [[ string widget = \"mapper\", string options = \"linear:0|smooth:1\" ]],
                  string open = \"a\" [[ string widget = \"popup\" ]],
                  string bare = \"a\" [[ string options = \"a|b\" ]],
                  output float result = 0) {{ result = mode == \"smooth\"; }}
         group inner(string mode = \"smooth\" [[ string widget = \"popup\", string options = \"smooth\" ]], output float result)
         {{ s x(mode = mode); result = x.result; }}
         group whole(output float result) {{ {call}; result = it.result; }}"
    );
    let system = system(&text);
    let result = system.check(&template(&system, "whole"));
    result.err().map(|errors| errors.to_string()).unwrap_or_default()
}

#[test]
fn unknown_options_are_reported() {
    assert_eq!(warnings_of("s it(mode = \"smooth\")"), "");
    // A list without the default is incomplete, so other values are allowed.
    assert_eq!(warnings_of("s it(free = \"d\")"), "");
    // Blanks around an option are ignored; an option may be empty.
    for text in ["smooth step", " smooth step ", "linear", ""] {
        assert_eq!(warnings_of(&format!("s it(wide = \"{text}\")")), "");
    }
    assert!(warnings_of("s it(wide = \"smoothstep\")").contains("did you mean \"smooth step\"?"));
    // Pairs of names and values, popups without options, and options without a popup do not restrict the values.
    assert_eq!(warnings_of("s it(named = \"1\", open = \"x\", bare = \"c\")"), "");
    let error = warnings_of("s it(mode = \"smoth\")");
    assert!(
        error.contains("`mode` has no option \"smoth\"") && error.contains("did you mean \"smooth\"?"),
        "{error}"
    );
    let error = warnings_of("inner it(mode = \"x\")");
    assert!(error.contains("its options are smooth"), "{error}");
}
