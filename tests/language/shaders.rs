//! Cases of the language: `shaders/pass` must compile without diagnostics, `shaders/fail` must have exactly the diagnostics
//! expected by comments on its lines. `run.rs` tests results.
//!
//! A line expects a diagnostic by `//~ error 5-12: message` (columns from 1, both inclusive; `5-` if the range ends on a
//! later line); a line may have several such comments. `UPDATE=1` rewrites the comments of `fail`: review the difference.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use language_support::{Folder, data};
use shading::check::{self, Environment};
use shading::hir::{Const, Unit, verify};
use shading::ty::Type;
use shading::{
    ClosureParam, ClosureRegistry, ClosureSignature, Diagnostic, Diagnostics, Library, NoHost, Preprocessor,
    Severity, ShadingSystem, Source, syntax,
};

/// A diagnostic that a comment expects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Expected {
    line: u32,
    text: String,
}

/// Closures of the cases.
fn closures() -> ClosureRegistry {
    let mut registry = ClosureRegistry::default();
    let mut add = |name, params| {
        registry.register(ClosureSignature { name, params }).unwrap();
    };
    let param = ClosureParam::new;
    add("diffuse", vec![param("n", Type::NORMAL)]);
    add("oren_nayar", vec![param("n", Type::NORMAL), param("sigma", Type::FLOAT)]);
    add("emission", vec![]);
    add("transparent", vec![]);
    add(
        "microfacet",
        vec![param("distribution", Type::STRING), param("n", Type::NORMAL), param("alpha", Type::FLOAT)],
    );
    add(
        "coat",
        vec![
            param("base", Type::CLOSURE),
            ClosureParam::optional("ior", Type::FLOAT, Const::Float(1.5)),
            ClosureParam::optional("tint", Type::COLOR, Const::Triple([1.0; 3])),
        ],
    );
    registry
}

fn folder(kind: &str) -> PathBuf {
    data("shaders").join(kind)
}

fn cases(kind: &str) -> Vec<(String, String)> {
    let mut cases: Vec<_> = fs::read_dir(folder(kind))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "ksl" || e == "osl" || e == "kiln"))
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path.file_name().unwrap().to_string_lossy().into_owned(), text)
        })
        .collect();
    assert!(!cases.is_empty(), "no cases in {kind}");
    cases.sort();
    cases
}

/// Preprocessor that includes from `shaders/include`.
fn preprocessor() -> Preprocessor {
    Preprocessor::new(Arc::new(Folder(folder("include"))))
}

/// Preprocesses, parses and checks a text; verifies the code of every unit.
fn diagnose(name: &str, text: &str) -> Diagnostics {
    let (source, mut diagnostics) = preprocessor().run(Source::new(name, text));
    let (file, mistakes) = syntax::parse(source);
    diagnostics.list.extend(mistakes.list);
    let registry = closures();
    let checked = check::check(&file, &Environment::new(&registry));
    diagnostics.list.extend(checked.diagnostics.list);
    for unit in &checked.units {
        let violations = verify(unit, Some(&registry));
        assert!(violations.is_empty(), "{name}: {}: {violations:#?}", unit.name);
    }
    diagnostics
}

fn expected_text(diagnostic: &Diagnostic) -> Expected {
    let severity = match diagnostic.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let Some(label) = diagnostic.labels.first() else {
        return Expected { line: 1, text: format!("{severity}: {}", diagnostic.message) };
    };
    let (line, start) = label.source.line_column(label.range.start as u32);
    let (end_line, end) = label.source.line_column(label.range.end as u32);
    let end = if end_line == line {
        (end - 1).max(start).to_string()
    } else {
        String::new()
    };
    let text = format!("{severity} {start}-{end}: {}", diagnostic.message);
    Expected { line, text }
}

/// Reads the expected diagnostics from a text's comments.
fn read_expected(text: &str) -> Vec<Expected> {
    let mut list = vec![];
    for (i, line) in text.lines().enumerate() {
        for text in line.split("//~ ").skip(1) {
            list.push(Expected { line: i as u32 + 1, text: text.trim().to_owned() });
        }
    }
    list.sort();
    list
}

/// Replaces the comments of a text by those of the given diagnostics.
fn write_expected(text: &str, found: &[Expected]) -> String {
    let mut out = String::new();
    for (i, line) in text.lines().enumerate() {
        let code = line.split("//~ ").next().unwrap_or_default().trim_end();
        out += code;
        for expected in found.iter().filter(|e| e.line == i as u32 + 1) {
            write!(out, " //~ {}", expected.text).unwrap();
        }
        out += "\n";
    }
    out
}

#[test]
fn pass() {
    let mut failures = String::new();
    for (name, text) in cases("pass") {
        let diagnostics = diagnose(&name, &text);
        if !diagnostics.list.is_empty() {
            writeln!(failures, "{diagnostics}").unwrap();
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn fail() {
    let mut failures = String::new();
    for (name, text) in cases("fail") {
        // The comments must not change the diagnostics.
        let mut found: Vec<Expected> = diagnose(&name, &write_expected(&text, &[]))
            .list
            .iter()
            .map(expected_text)
            .collect();
        found.sort();
        if std::env::var_os("UPDATE").is_some() {
            fs::write(folder("fail").join(&name), write_expected(&text, &found)).unwrap();
            continue;
        }
        let expected = read_expected(&text);
        for missing in expected.iter().filter(|e| !found.contains(e)) {
            writeln!(failures, "{name}:{}: missing: {}", missing.line, missing.text).unwrap();
        }
        for extra in found.iter().filter(|e| !expected.contains(e)) {
            writeln!(failures, "{name}:{}: not expected: {}", extra.line, extra.text).unwrap();
        }
        if expected.is_empty() {
            writeln!(failures, "{name}: expects no diagnostic").unwrap();
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// Returns the unit of an expression, with `tint`, `tex.result` and `list[1]` as inputs.
fn expression(text: &str, expected: Option<Type>) -> Result<Unit, Diagnostics> {
    let source =
        format!("float twice(float x) {{ return 2 * x; }}\ngroup g(output color r) {{ r = {text}; }}");
    let (file, diagnostics) = syntax::parse(Source::new("group", source));
    assert!(diagnostics.list.is_empty(), "{diagnostics}");
    let Some(syntax::ast::Item::Group(group)) = file.items.last() else {
        panic!("no group")
    };
    let Some(syntax::ast::GroupStmt::Assign(assign)) = group.body.first() else {
        panic!("no assignment")
    };
    let registry = closures();
    let mut inputs = |path: &check::ReferencePath| match path.to_string().as_str() {
        "tint" | "tex.result" => Some(Type::COLOR),
        "list[1]" | "twice" => Some(Type::FLOAT),
        _ => None,
    };
    let environment = Environment::new(&registry);
    let unit = check::expression(&file, &assign.value, expected, &mut inputs, &environment)?;
    let violations = verify(&unit, Some(&registry));
    assert!(violations.is_empty(), "{text}: {violations:#?}");
    Ok(unit)
}

#[test]
fn expressions_become_units() {
    let cases = [
        ("tex.result.r * twice(u)", None, "float", "tex.result"),
        ("mix(tint, tex.result, list[1])", None, "color", "tint tex.result list[1]"),
        ("(1, 2, tint.g)", Some(Type::POINT), "point", "tint"),
        ("0", Some(Type::CLOSURE), "closure color", ""),
        ("3", Some(Type::COLOR), "color", ""),
        ("noise(P * 4)", Some(Type::COLOR), "color", ""),
        ("noise(P * 4)", None, "float", ""),
        ("tint[2] + tint[1]", Some(Type::FLOAT), "float", "tint"),
        ("[1, 2, u]", None, "float[3]", ""),
        ("{1, tint}", None, "color[2]", "tint"),
    ];
    for (text, expected, ty, inputs) in cases {
        let unit = expression(text, expected).unwrap_or_else(|e| panic!("{text}: {e}"));
        let (outputs, params): (Vec<_>, Vec<_>) = unit.params.iter().partition(|p| p.output);
        assert_eq!(
            (outputs[0].name.as_str(), outputs[0].ty.to_string().as_str()),
            ("result", ty),
            "{text}"
        );
        let names: Vec<&str> = params.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names.join(" "), inputs, "{text}");
    }
    for text in ["unheard", "tint.q", "tint = 3", "(1, 2)", "[1, \"a\"]", "matte(x = 1)", "tint + \"a\""] {
        assert!(expression(text, None).is_err(), "{text}");
    }
}

/// Random numbers with a fixed seed, so that the test is reproducible.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

#[test]
fn prefixes_cause_no_panic() {
    for (name, text) in cases("pass") {
        // A few hundred of each: recovery parses an item again for each error.
        let ends = (0..text.len()).step_by(1 + text.len() / 250);
        for end in ends.filter(|i| text.is_char_boundary(*i)) {
            diagnose(&name, &text[..end]);
        }
    }
}

#[test]
fn mutations_cause_no_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let cases = cases("pass");
    let tokens = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "[[",
        "]]",
        ";",
        ",",
        "=",
        "==",
        "<",
        "<<<",
        ">>>",
        "\"",
        "/*",
        "*/",
        "//",
        "#",
        "-",
        "++",
        "?",
        ":",
        ".",
        "return",
        "if",
        "float",
        "struct",
        "closure",
        "color",
        "1e99",
        "0x",
        "99999999999999999999",
        "\\",
        "é",
        "output",
        "for",
        "group",
        "shader",
        "void",
        "a",
        "P",
        "Ci",
        "\0",
        "[-1]",
        "[9]",
    ];
    for round in 0..4000 {
        let (name, text) = &cases[random.below(cases.len())];
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => {
                    let end = (at + random.below(20)).min(bytes.len());
                    bytes.drain(at..end);
                }
                2 => {
                    let end = (at + random.below(60)).min(bytes.len());
                    let piece: Vec<u8> = bytes[at..end].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
                _ => {
                    let token = tokens[random.below(tokens.len())];
                    bytes.splice(at..at, token.bytes());
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        diagnose(&format!("{name} {round}"), &text).to_string();
    }
}

#[test]
fn nesting_is_bounded() {
    let shader = |body: &str| format!("shader s(output float r = 0) {{ float a = 1; {body} }}");
    let deep = |open: &str, inner: &str, close: &str, n: usize| open.repeat(n) + inner + &close.repeat(n);
    let fine = [
        format!("r = {};", deep("(", "a", ")", 200)),
        deep("{", "r = a;", "}", 200),
        deep("if (a > 0) ", "r = a;", "", 200),
        format!("r = a{};", " + a".repeat(200)),
    ];
    for body in fine {
        let diagnostics = diagnose("fine", &shader(&body));
        assert!(diagnostics.list.is_empty(), "{diagnostics}");
    }
    let bad = [
        format!("r = {};", deep("(", "a", ")", 100_000)),
        deep("{", "r = a;", "}", 100_000),
        deep("if (a > 0) ", "r = a;", "", 20_000),
        format!("r = a{};", " + a".repeat(20_000)),
        format!("r = {};", deep("sin(", "a", ")", 20_000)),
        format!("r = {} a;", "-".repeat(20_000).replace("--", "- -")),
        format!("r {};", "= r ".repeat(20_000)),
        format!("r = {};", deep("a ? ", "a", " : a", 20_000)),
        format!("float b[1] = {};", deep("{", "a", "}", 20_000)),
        deep("for (;;) ", ";", "", 20_000),
        deep("do ", ";", " while (a);", 20_000),
        format!("r = {} a;", "(float) ".repeat(20_000)),
        format!("r = a{};", ".r".repeat(20_000)),
        format!("r = a{};", "[0]".repeat(20_000)),
    ];
    for body in bad {
        assert!(diagnose("bad", &shader(&body)).has_errors());
    }
}

#[test]
fn inlining_is_bounded() {
    let mut text = "float f0(float x) { return x + 1; }\n".to_owned();
    for i in 1..40 {
        writeln!(text, "float f{i}(float x) {{ return f{0}(x) + f{0}(x + 1); }}", i - 1).unwrap();
    }
    text += "shader s(output float r = 0) { r = f39(u); }";
    let diagnostics = diagnose("calls", &text);
    assert_eq!(diagnostics.list.len(), 1, "{diagnostics}");
    assert!(diagnostics.list[0].message.contains("operations"), "{diagnostics}");
}

#[test]
fn structures_are_bounded() {
    let check = |text: &str, message: &str, count: usize| {
        let diagnostics = diagnose("structures", text);
        assert_eq!(diagnostics.list.len(), count, "{diagnostics}");
        let all = diagnostics.list.iter().all(|d| d.message.contains(message));
        assert!(all, "{diagnostics}");
    };
    let fields: String = (0..1025).map(|i| format!("float x{i}; ")).collect();
    check(&format!("struct wide {{ {fields} }};"), "more than 1024 values", 1);
    let nested: String = (0..300)
        .map(|i| format!("struct s{} {{ s{i} a; float x; }};\n", i + 1))
        .collect();
    let nested = format!("struct s0 {{ float x; }};\n{nested}");
    check(&nested, "more than 512 bytes", 1);
    // Each structure has 1024 paths of 402 bytes, so the first 40 of the 60 have 16 MB.
    let fields: String = (0..1024).map(|i| format!("float x{i:0>398}; ")).collect();
    let copies: String = (0..59).map(|i| format!("struct c{i} {{ wide a; }};\n")).collect();
    let message = "and the structures before it";
    check(&format!("struct wide {{ {fields} }};\n{copies}"), message, 20);
}

#[test]
fn errors_in_units_of_the_library_are_reported() {
    let library = Library {
        find: |name| {
            (name == "broken")
                .then(|| Source::new("library/broken.ksl", "shader broken(output float r = 0) { r = q; }"))
        },
        names: || vec!["broken"],
    };
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost)).with_library(library);
    let group = "group g(output float r) { broken b(); r = b.r; }";
    let loaded = system.load(Source::new("g.ksl", group)).expect("names are looked up later");
    let errors = system.check(&loaded.templates[0]).expect_err("a unit is broken").to_string();
    assert!(
        errors.contains("unknown name `q`") && errors.contains("library/broken.ksl:1:41"),
        "{errors}"
    );
    assert!(!errors.contains("unknown unit"), "{errors}");
}

/// Returns the printed diagnostics of a text.
fn diagnostics_of(text: &str) -> String {
    let preprocessor = preprocessor();
    let system = ShadingSystem::new(closures(), Arc::new(NoHost)).with_preprocessor(preprocessor);
    match system.load(Source::new("main.osl", text)) {
        Ok(loaded) => loaded.warnings.to_string(),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn places_name_the_file_the_macro_and_the_includes() {
    let include = folder("include").display().to_string();
    let text = diagnostics_of("#include \"outer.h\"\nshader s(output float r = TWICE(red)) { }\n");
    assert!(text.contains("main.osl:2:33"), "{text}");
    assert!(text.contains(&format!("{include}/inner.h:3:69")), "{text}");
    assert!(text.contains(&format!("{include}/outer.h:2:1")), "{text}");
    assert!(text.contains("main.osl:1:1"), "{text}");
    assert_eq!(text.matches("included here").count(), 2, "{text}");

    let text = diagnostics_of("#include \"outer.h\"\nshader s(output float r = UNKNOWN_PLUS(1)) { }\n");
    assert!(text.contains("main.osl:2:27") && text.contains("^^^^^^^^^^^^^^^"), "{text}");
    assert!(text.contains("in macro `UNKNOWN_PLUS`"), "{text}");
}

#[test]
fn line_directives_set_line_numbers() {
    let text = diagnostics_of("#line 100 \"other.osl\"\nshader s(output float r = x) { }\n");
    assert!(text.contains("other.osl:100:27"), "{text}");
}

#[test]
fn macro_expansion_is_bounded() {
    let mut laughs = String::from("#define L0 ha ha\n");
    for i in 1..40 {
        laughs += &format!("#define L{i} L{} L{}\n", i - 1, i - 1);
    }
    let nested: String = (1..1000).map(|i| format!("#define N{i} N{}\n", i - 1)).collect();
    let mut doubled = String::from("#define D0(x) x##x\n");
    for i in 1..40 {
        doubled += &format!("#define D{i}(x) D{}(x##x)\n", i - 1);
    }
    let empty = laughs.replace(" ha ha", "");
    let parentheses = format!("#if {}1\n#endif\n", "(".repeat(100_000));
    for (text, message) in [
        (format!("{laughs}L39\n"), "is too much"),
        (format!("{empty}L39\n"), "is too much"),
        (format!("{nested}N999\n"), "more than 200 macros"),
        (format!("{doubled}D39(aaaaaaaa)\n"), "is too much"),
        ("#include \"itself.h\"\n".to_owned(), "more than 200 files"),
        (parentheses, "nested too deeply"),
    ] {
        let shown = diagnostics_of(&text);
        assert!(shown.contains(message), "{message}: {shown}");
    }
}
