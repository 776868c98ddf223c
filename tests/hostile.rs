//! Hostile inputs: short texts that request much work are processed within limits of time and memory, or rejected with
//! a few messages.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use language_support::clock::{peak_memory, thread_seconds};
use language_support::reference::reference_seconds;
use renderer::material::Host;
use renderer::scene::build::{self, shading_system};
use renderer::scene::load::LoadOptions;
use shading::{Diagnostics, Preprocessor, Source};

/// Maximum processor time of a text, in reference compilations.
const MAX_REFERENCES: f64 = 200.0;

/// Wall-clock time after which a text counts as hanging, even on a busy machine.
const HANG_TIMEOUT: Duration = Duration::from_secs(240);

/// Maximum printed output for a text [bytes].
const MAX_OUTPUT: usize = 100_000;

/// Maximum memory of the process [bytes].
const MAX_MEMORY: u64 = 1 << 30;

/// Expected outcome for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Taken,
    Refused,
}
use Outcome::{Refused, Taken};

fn repeat(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// A unit with these statements.
fn unit(body: &str) -> String {
    format!("shader a(output float r = 0) {{ {body} }}")
}

/// Groups of `copies` of the next lower level.
fn groups(levels: usize, copies: usize) -> String {
    let level = |i: usize| {
        let nodes = repeat(copies, |k| format!("g{i} n{k}(); "));
        let outputs: Vec<String> = (0..copies).map(|k| format!("n{k}.c")).collect();
        let sum = outputs.join(" + ");
        format!("group g{}(output closure color c) {{ {nodes}c = {sum}; }}\n", i + 1)
    };
    "shader g0(output closure color c = 0) { c = diffuse(N); }\n".to_owned() + &repeat(levels, level)
}

/// Functions that call their predecessor twice.
fn functions(ty: &str, first: &str, body: impl Fn(usize) -> String) -> String {
    let rest = repeat(50, |i| format!("{ty} f{}(float x) {{ {} }}\n", i + 1, body(i)));
    format!("{ty} f0(float x) {{ {first} }}\n{rest}shader a(output float r = 0) {{ f50(u); r = 1; }}")
}

/// Shader sources with their names and expected outcomes.
fn shaders() -> Vec<(&'static str, String, Outcome)> {
    let deep = |open: &str, inner: &str, close: &str| {
        unit(&format!("r = {}{inner}{};", open.repeat(50_000), close.repeat(50_000)))
    };
    let long = |piece: &str, end: &str| unit(&format!("r = {}{end};", piece.repeat(50_000)));
    let statements = |piece: &str| unit(&piece.repeat(20_000));
    vec![
        ("groups of two, 40 levels", groups(40, 2), Refused),
        ("groups of two, 70 levels", groups(70, 2), Refused),
        ("groups of twenty, 20 levels", groups(20, 20), Refused),
        ("groups of one, 400 levels", groups(400, 1), Taken),
        ("groups of one, 2000 levels", groups(2000, 1), Refused),
        ("groups of two, 8 levels", groups(8, 2), Taken),
        ("arrays in groups of two", groups(12, 2).replace("{ c = ", "{ float x[60000]; x[int(u)] = 1; c = x[int(v)] * "), Refused),
        ("groups that hold each other", repeat(60, |i| {
            let nodes = repeat(60, |k| format!("g{k} n{k}(); "));
            format!("group g{i}(output float r) {{ {nodes} r = n0.r; }}\n")
        }), Refused),
        ("nodes in a row", format!("shader n(float x = 0, output float r = 0) {{ r = x; }}\n\
            group g(output float r) {{ n n0(); {} r = n4999.r; }}",
            repeat(4999, |i| format!("n n{}(x = n{i}.r); ", i + 1))), Taken),
        ("functions that call twice", functions("float", "return x;", |i| format!("return f{i}(x) + f{i}(x + 1);")), Refused),
        ("functions that do nothing twice", functions("void", "", |i| format!("f{i}(x); f{i}(x);")), Refused),
        ("functions in a row", format!("float f0(float x) {{ return x; }}\n{}shader a(output float r = 0) {{ r = f5000(u); }}",
            repeat(5000, |i| format!("float f{}(float x) {{ return f{i}(x); }}\n", i + 1))), Refused),
        ("functions in a ring", format!("{}shader a(output float r = 0) {{ r = f0(u); }}",
            repeat(5000, |i| format!("float f{i}(float x);\n"))
            + &repeat(5000, |i| format!("float f{i}(float x) {{ return f{}(x); }}\n", (i + 1) % 5000))), Taken),
        ("a function declared often", repeat(3000, |i| format!("float f(float x) {{ return {i}; }}\n")) + &unit("r = f(u);"), Taken),
        ("structures of two", "struct s0 { float x; };\n".to_owned()
            + &repeat(40, |i| format!("struct s{} {{ s{i} a; s{i} b; }};\n", i + 1)) + &unit("s40 x; r = 1;"), Refused),
        ("a long array", unit("float x[1000000000]; r = x[3];"), Refused),
        ("many arrays", unit(&repeat(1000, |i| format!("float x{i}[65536]; x{i}[int(u)] = 1; r += x{i}[int(v)];"))), Taken),
        ("strings that double", "shader a(output string r = \"\") { string s0 = \"ten bytes.\";".to_owned()
            + &repeat(60, |i| format!("string s{} = concat(s{i}, s{i});", i + 1)) + "r = s60; }", Taken),
        ("a long loop", unit("for (int i = 0; i < 2000000000; i++) r = r * 0.5 + 1;"), Taken),
        ("closures that double", "shader a(output closure color c = 0) { c = diffuse(N); for (int i = 0; i < 60; i++) c = c + c; }".to_owned(), Taken),
        ("a wide format", unit("printf(\"%2000000000d %.2000000000f\", 1, u); r = 1;"), Taken),
        ("stray braces", "}".repeat(20_000), Refused),
        ("stray braces on lines", "}\n".repeat(200_000), Refused),
        ("open comments", "/*".repeat(200_000), Refused),
        ("strings without an end", unit(&"\"\n".repeat(20_000)), Refused),
        ("directives", "#define a\n".repeat(20_000), Taken),
        ("conditions", "#if 0\n".repeat(20_000), Refused),
        ("unknown names", unit(&repeat(20_000, |i| format!("x{i} = 1;"))), Refused),
        ("unused variables", unit(&repeat(20_000, |i| format!("float x{i} = u;"))), Taken),
        ("a long line", unit(&format!("{} q = 1;", "r += u; ".repeat(20_000))), Refused),
        ("a long name", unit(&format!("float {0} = 1; r = {0}c;", "b".repeat(500_000))), Refused),
        ("a long number", long("1", ""), Refused),
        ("a long string", unit(&format!("r = \"{}\";", "1".repeat(500_000))), Refused),
        ("if upon if", statements("if (u > 0.5) "), Refused),
        ("if without anything", statements("if "), Refused),
        ("if after if", statements("if (u > 0.5) { r = 1; }"), Taken),
        ("else after else", unit(&format!("{} r = 2;", "if (u > 0.5) r = 1; else ".repeat(20_000))), Refused),
        ("while upon while", statements("while (u > 0.5) "), Refused),
        ("do upon do", statements("do "), Refused),
        ("for upon for", statements("for (;;) "), Refused),
        ("choices", long("u > 0.5 ? 1 : ", "1"), Refused),
        ("choices in choices", long("u > 0.5 ? ", "1"), Refused),
        ("parentheses", deep("(", "1", ")"), Refused),
        ("open parentheses", long("(", ""), Refused),
        ("parentheses closed by braces", format!("{}{}", "(".repeat(100_000), "}".repeat(100_000)), Refused),
        ("lists", deep("{", "1", "}"), Refused),
        ("blocks", unit(&format!("{}{}", "{".repeat(50_000), "}".repeat(50_000))), Refused),
        ("calls in calls", deep("sin(", "u", ")"), Refused),
        ("indices in indices", deep("x[", "0", "]"), Refused),
        ("indices after indices", long("x", &"[0]".repeat(20_000)), Refused),
        ("members", long("P", &".x".repeat(20_000)), Refused),
        ("signs", long("-", "1"), Refused),
        ("casts", long("(float)", "1"), Refused),
        ("sums", long("u + ", "1"), Refused),
        ("comparisons", long("u < ", "1"), Refused),
        ("assignments", long("r = ", "1"), Refused),
        ("arguments", unit(&format!("r = max({}1);", "1, ".repeat(50_000))), Refused),
        ("commas", unit(&format!("r = ({}1);", "1, ".repeat(50_000))), Taken),
        ("parameters", format!("shader a({}output float r = 0) {{ r = 1; }}", repeat(250_000, |i| format!("float p{i} = 0, "))), Refused),
        ("metadata", format!("shader a(output float r = 0)[[{}]] {{ r = 1; }}", repeat(50_000, |i| format!("string a{i} = \"x\","))), Taken),
        ("semicolons", ";".repeat(200_000), Taken),
        ("blank lines", "\n".repeat(2_000_000) + &unit("r = q;"), Refused),
        ("units", repeat(5000, |i| format!("shader a{i}(output float r = 0) {{ r = {i} * u; }}\n")), Taken),
    ]
}

/// Scenes with their names and expected outcomes.
fn scenes() -> Vec<(&'static str, String, Outcome)> {
    let camera = "camera main : perspective { from = (0, 0, 5); }\n";
    vec![
        (
            "a material of groups of two",
            format!(
                "{}{camera}material m = g40();\nshape s : sphere {{ material = m; }}",
                groups(40, 2)
            ),
            Refused,
        ),
        ("stray braces in a scene", "}".repeat(20_000), Refused),
        (
            "shapes with a mistake each",
            camera.to_owned() + &repeat(20_000, |i| format!("shape s{i} : sphere {{ radius = q; }}\n")),
            Refused,
        ),
        (
            "unknown keys",
            format!("{camera}shape s : sphere {{ {} }}", repeat(20_000, |i| format!("q{i} = 1;"))),
            Refused,
        ),
        ("blocks in blocks", "a {".repeat(300) + &"}".repeat(300), Refused),
        ("names with dots", format!("a{} {{ }}", ".a".repeat(100_000)), Refused),
        (
            "materials of materials",
            format!("{camera}material m = {}matte(){};", "blend(a = ".repeat(300), ")".repeat(300)),
            Refused,
        ),
    ]
}

/// Checks a shader and returns the printed warnings, or the error messages.
fn check_shader(text: &str) -> Result<String, String> {
    let system = shading_system(Arc::new(Host::new(vec![])), Preprocessor::default());
    let loaded = system
        .load(Source::new("hostile.ksl", text))
        .map_err(|errors| errors.to_string())?;
    let mut diagnostics = loaded.warnings;
    for template in &loaded.templates {
        if let Err(errors) = system.check(template) {
            diagnostics.list.extend(errors.list);
        }
    }
    let text = diagnostics.to_string();
    if diagnostics.has_errors() { Err(text) } else { Ok(text) }
}

/// Checks a scene and returns the printed warnings, or the error messages.
fn check_scene(text: &str) -> Result<String, String> {
    let check = || {
        let (desc, mut warnings) =
            renderer::scene::load::from_text("hostile.kiln", text, Path::new(""), &LoadOptions::default())?;
        warnings.list.extend(build::check(&desc)?.warnings.list);
        Ok(warnings)
    };
    check()
        .map(|warnings: Diagnostics| warnings.to_string())
        .map_err(|errors: Diagnostics| errors.to_string())
}

/// Checks that a text has its expected outcome within the bounds; returns the printed text.
fn check(name: &'static str, text: String, fate: Outcome, how: fn(&str) -> Result<String, String>) -> String {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let result = how(&text);
        let _ = sender.send((result, thread_seconds()));
    });
    let (result, seconds) = receiver
        .recv_timeout(HANG_TIMEOUT)
        .unwrap_or_else(|_| panic!("{name}: it hangs"));
    let found = if result.is_ok() { Taken } else { Refused };
    let output = result.unwrap_or_else(|errors| errors);
    let beginning: String = output.chars().take(300).collect();
    if std::env::var_os("KILN_VERBOSE").is_some() {
        eprintln!(
            "{seconds:6.2} s ({:.1} references) {:5} MB {:7} bytes  {name}: {beginning}",
            seconds / reference_seconds(),
            peak_memory() >> 20,
            output.len()
        );
    }
    assert_eq!(found, fate, "{name}: {beginning}");
    assert!(output.len() <= MAX_OUTPUT, "{name} prints {} bytes: {beginning}", output.len());
    let max = MAX_REFERENCES * reference_seconds();
    assert!(
        seconds <= max || cfg!(debug_assertions),
        "{name}: {seconds} s, at most {max}: {beginning}"
    );
    assert!(peak_memory() <= MAX_MEMORY, "{name} takes {} bytes", peak_memory());
    output
}

#[test]
fn hostile_texts_are_processed_within_bounds() {
    for (name, text, fate) in shaders() {
        check(name, text, fate, check_shader);
    }
    for (name, text, fate) in scenes() {
        check(name, text, fate, check_scene);
    }
}

#[test]
fn errors_about_large_groups_state_size_and_bound() {
    let message = check("groups of two", groups(40, 2), Refused, check_shader);
    assert_eq!(message.matches("error:").count(), 1, "{message}");
    assert!(
        message.contains("group `g14` has 49150 instances of units and groups in total"),
        "{message}"
    );
    assert!(message.contains("at most 32768 are linked"), "{message}");
    let message = check("groups of one", groups(520, 1), Refused, check_shader);
    assert!(message.contains("groups in groups more than 512 levels deep"), "{message}");
}

#[test]
fn recursive_groups_are_reported_with_both_locations() {
    let text = "group a(output float r) { b x(); r = x.r; }\n\
                group b(output float r) { c x(); r = x.r; }\n\
                group c(output float r) { a x(); r = x.r; }\n";
    let message = check("a ring", text.to_owned(), Refused, check_shader);
    assert!(message.contains("group contains itself: a → b → c → a"), "{message}");
    assert!(
        message.contains("hostile.ksl:3:27") && message.contains("`a` is declared here"),
        "{message}"
    );
}

#[test]
fn excess_errors_are_counted() {
    let text = format!("shader a(output float r = 0) {{ {} }}", repeat(400, |i| format!("x{i} = 1;\n")));
    let message = check("unknown names", text, Refused, check_shader);
    assert_eq!(message.matches("error: unknown name").count(), 50, "{message}");
    assert!(message.ends_with("… and 350 more errors"), "{message}");
}

#[test]
fn long_lines_are_shortened_around_the_error() {
    for at in [0, 30, 100, 500, 999] {
        let mut body = vec!["r += u;"; 1000];
        body[at] = "r = wrong;";
        let text = format!("shader a(output float r = 0) {{ {} }}", body.join(" "));
        let column = text.find("wrong").expect("it is there") + 1;
        let message = check("a long line", text, Refused, check_shader);
        assert!(message.contains(&format!("hostile.ksl:1:{column}\n")), "{message}");
        let lines: Vec<&str> = message.lines().collect();
        let caret = lines
            .iter()
            .find_map(|line| line.find("^^^^^").map(|at| line[..at].chars().count()));
        let shown = lines
            .iter()
            .find_map(|line| line.find("wrong;").map(|at| line[..at].chars().count()));
        assert_eq!(caret, shown, "{message}");
        assert!(caret.is_some() && message.len() < 1000, "{message}");
    }
}
