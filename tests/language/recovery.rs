//! Error recovery: several independent errors in one source are all reported, each once, and nothing else.

use std::sync::Arc;

use language_support::generate::{Random, TestHost};
use language_support::shipped;
use shading::{Diagnostics, Severity, ShadingSystem, Source};

/// Number of sources with errors tried.
const SOURCES: u64 = 400;

/// Maximum number of errors in one source.
const ERRORS: usize = 6;

/// Statements with one error each; `#` is a number that makes names unique.
const WRONG: [&str; 21] = [
    "float wrong# = ;",
    "float wrong# = 1 +;",
    "float wrong# = (1 + 2;",
    "float wrong# = sin(u, );",
    "float wrong# = max(u, , v);",
    "float wrong# = mix(u, 1 2, v);",
    "float wrong#[3] = {1, 2 3};",
    "if (u > ) { float other# = u; other# += 1; }",
    "if (u > 0.5 { float other# = u; other# += 1; }",
    "for (int i# = 0; i# < ; i#++) { float other# = i#; }",
    "while (u v) { }",
    "color wrong# = color(1, 2, 3)) ;",
    "float wrong# = unknown_name#;",
    "unknown_function#(u);",
    "float wrong# = \"a text\";",
    "unknown_type# wrong#;",
    "float wrong# = P.unknown_member#;",
    "matrix wrong# = 1; wrong#.x = 2;",
    "string wrong# = \"never ends;\n",
    "float if = 1;",
    "float wrong# = u @ v;",
];

fn system() -> ShadingSystem {
    shipped::system(Arc::new(TestHost))
}

/// Loads a source and checks its groups; returns the messages.
fn diagnose(text: &str) -> Diagnostics {
    let system = system();
    match system.load(Source::new("wrong.ksl", text)) {
        Ok(loaded) => {
            let mut diagnostics = loaded.warnings;
            for template in &loaded.templates {
                if let Err(errors) = system.check(template) {
                    diagnostics.add_new(errors.list);
                }
            }
            diagnostics
        }
        Err(errors) => errors,
    }
}

fn errors(diagnostics: &Diagnostics) -> usize {
    let list = diagnostics.list.iter();
    list.filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

/// Returns the offsets after statements of functions and units.
fn places(text: &str) -> Vec<usize> {
    // For each open bracket, whether it holds statements.
    let mut open: Vec<bool> = vec![];
    let (mut places, mut header) = (vec![], 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                while let Some((_, c)) = chars.next()
                    && c != '"'
                {
                    chars.next_if(|_| c == '\\');
                }
            }
            '/' if text[at..].starts_with("//") => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            '/' if text[at..].starts_with("/*") => {
                let end = at + text[at..].find("*/").unwrap_or(0);
                while chars.next_if(|(at, _)| *at <= end).is_some() {}
            }
            '#' => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            '(' | '[' => open.push(false),
            '{' => {
                let head = text[header..at].trim();
                let is_code = head.ends_with(')') && !head.contains("group ")
                    || head.ends_with("]]") && !head.contains("group ");
                let inside = open.last().copied();
                open.push(
                    inside.unwrap_or(is_code)
                        && (is_code || head.ends_with("else") || head.ends_with("do") || head.is_empty()),
                );
                header = at + 1;
            }
            ')' | ']' => {
                open.pop();
            }
            '}' => {
                open.pop();
                header = at + 1;
            }
            ';' if !matches!(open.last(), Some(false)) || open.is_empty() => {
                header = at + 1;
                let is_last = !text[at + 1..].trim_start().starts_with("else");
                if is_last && open.last() == Some(&true) && open.iter().all(|code| *code) {
                    places.push(at + 1);
                }
            }
            _ => {}
        }
    }
    places
}

/// Source texts without errors that have statements.
fn texts() -> Vec<(String, Vec<usize>)> {
    let texts = shipped::texts().map(|text| {
        let places = places(&text);
        (text, places)
    });
    texts
        .filter(|(text, places)| places.len() > 1 && errors(&diagnose(text)) == 0)
        .collect()
}

#[test]
fn independent_errors_are_all_reported_once() {
    let texts = texts();
    assert!(texts.len() > 20, "only {} texts have statements", texts.len());
    for seed in 0..SOURCES {
        let mut random = Random::new(seed);
        let (text, places) = random.pick(&texts);
        let count = 1 + random.below(ERRORS);
        let mut at: Vec<usize> = (0..count).map(|_| *random.pick(places)).collect();
        at.sort_unstable();
        at.dedup();
        let mut wrong = text.clone();
        let mut inserted = vec![];
        for (number, at) in at.iter().enumerate().rev() {
            let statement = random.pick(&WRONG).replace('#', &format!("{number}"));
            wrong.insert_str(*at, &format!(" {statement} "));
            inserted.push(statement);
        }
        let found = diagnose(&wrong);
        assert_eq!(errors(&found), at.len(), "seed {seed}: {inserted:#?}\n{found}");
    }
}

/// Checks that a source has `count` errors, among them these.
fn check(text: &str, count: usize, expected: &[&str]) {
    let found = diagnose(text);
    let messages: Vec<&str> = found.list.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    for wanted in expected {
        assert!(
            messages.iter().any(|message| message.contains(wanted)),
            "`{wanted}` in {messages:#?}"
        );
    }
    assert_eq!(errors(&found), count, "{found}");
}

#[test]
fn errors_in_units_do_not_hide_those_in_groups() {
    check(
        "shader wrong(float x = 0, output float r = 0) { r = nothing; }\n\
         shader broken(float x = 0, output float r = 0) { r = 1 +; }\n\
         shader fine(float x = 0, output float r = 0) { r = x; }\n\
         group first(output float r) { fine a(y = 1); r = a.r; }\n\
         group second(output float r) { wrong a(x = 1); broken b(z = a.r); fine c(x = b.r, w = 2); r = c.r + d.r; }\n\
         group third(output float r) { first a(q = 1); r = a.r; }\n",
        7,
        &[
            "unknown name `nothing`",
            "expected an expression, found `;`",
            "`fine` has no input `y`",
            "`broken` has no input `z`",
            "`fine` has no input `w`",
            "unknown name `d`",
            "`first` has no input `q`",
        ],
    );
}

#[test]
fn a_duplicate_instance_does_not_hide_the_other_errors_of_its_group() {
    check(
        "shader fine(float x = 0, output float r = 0) { r = x; }\n\
         shader other(float y = 0, output float s = 0) { s = y; }\n\
         group g(output float r) { fine a(x = 1); other a(y = 2); fine b(x = a.s, y = 3); nothing c(); r = b.r + c.r; }\n",
        3,
        &[
            "there already is an instance `a`",
            "`fine` has no input `y`",
            "unknown unit or group `nothing`",
        ],
    );
}

#[test]
fn syntax_errors_in_groups_and_headers_hide_only_themselves() {
    check(
        "shader a(float x = , float y = 1, output float r = 0) { r = x + y; r = nothing; }\n\
         struct s { float a float b; float c; };\n\
         float f(float x, float ) { return x }\n\
         group g(float p = 1, output float r, output float q) {\n\
             a first(x = 1 *, y = p);\n\
             a second(x = first.r, z = 1;\n\
             r = second.r;\n\
             q = unknown.r;\n\
         }\n\
         shader b(output float r = 0) { s t; t.b = 1; t.a = f(u, t.c); r = other; }\n",
        8,
        &[
            "expected an expression, found `,`",
            "unknown name `nothing`",
            "expected `;` or `,`, found `float`",
            "expected `;` after `x`",
            "expected `,` or `)`, found `;`",
            "unknown instance `unknown`",
            "unknown name `other`",
        ],
    );
}
