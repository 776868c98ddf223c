//! Pathological texts: they are formatted or rejected in bounded time, and a formatted text stays unchanged.

use std::time::{Duration, Instant};

use shading_format::{FormatError, edits, format};

/// Maximum time per text on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn formatted(text: &str) -> Option<String> {
    let start = Instant::now();
    let result = format("a.ksl", text);
    assert!(start.elapsed() < PATIENCE, "{:?} for {:.60?}", start.elapsed(), text);
    match result {
        Ok(new) => {
            let again = format("a.ksl", &new).unwrap_or_else(|error| panic!("{error}: {new:.200?}"));
            assert!(again == new, "{text:.200?}");
            Some(new)
        }
        Err(FormatError::Syntax(_)) => None,
        Err(FormatError::Changed) => panic!("other tokens: {text:.200?}"),
    }
}

#[test]
fn texts_without_code() {
    for (text, expected) in [
        ("", ""),
        ("\n\n  \n", ""),
        ("\u{feff}", "\u{feff}"),
        ("// c", "// c\n"),
        ("\n\n/* c */  ", "/* c */\n"),
        ("#define A", "#define A\n"),
        ("#define A \\", "#define A \\"),
        ("// c \\", "// c \\"),
        ("// a  \n\n\n\n// b\t\n", "// a\n\n// b\n"),
    ] {
        assert_eq!(formatted(text).as_deref(), Some(expected), "{text:?}");
    }
}

#[test]
fn line_ends_and_marks_stay() {
    let text = "\u{feff}float f(){\r\n\treturn 1;}\r\n/* a\r\n\tb */";
    let new = "\u{feff}float f()\r\n{\r\n    return 1;\r\n}\r\n/* a\r\n\tb */\r\n";
    assert_eq!(formatted(text).as_deref(), Some(new));
    // As in the compiler, a lone carriage return ends a line.
    let text = "#define A \\\r  1\rfloat f() { return A; } // c\rfloat g() { return 2; }\r";
    let new = "#define A \\\n  1\nfloat f() { return A; } // c\nfloat g() { return 2; }\n";
    assert_eq!(formatted(text).as_deref(), Some(new));
    let mut edited = text.to_owned();
    for edit in edits(text, new).into_iter().rev() {
        edited.replace_range(edit.range, &edit.text);
    }
    assert_eq!(edited, new);
}

#[test]
fn incomplete_texts_are_refused() {
    for text in [
        "/* never ends",
        "shader a() { } /*",
        "#define A\nshader a() { /*",
        "string s = \"never ends;\n",
        "#define A\nstring f() { return \"never ends; }\n",
        "shader a() {",
        "#define A\nshader a() {",
        "#define A\nshader a() { f(]; }",
        "shader a() }",
        "shader a(float x = ) { }",
    ] {
        assert_eq!(formatted(text), None, "{text}");
    }
    // A condition may contain the matching bracket.
    assert!(formatted("#if A\nvoid f() {\n#else\nvoid f(int a) {\n#endif\n}\n").is_some());
    assert!(formatted("#if 0\nthis isn't \"code\n#endif\n").is_some());
}

#[test]
fn deep_and_long_texts_take_no_long_time() {
    let n = 10_000;
    let conditions = "#if A\n";
    for (open, close) in [("(", ")"), ("{", "}"), ("[[", "]]"), ("if(a)", ";")] {
        for start in ["", conditions] {
            let deep = format!("{start}shader a() {{ x = {}1{}; }}\n", open.repeat(n), close.repeat(n));
            formatted(&deep);
            formatted(&format!("{start}{}", open.repeat(n)));
            formatted(&format!("{start}{}", close.repeat(n)));
            formatted(&format!("{start}{}{}", "(".repeat(n), close.repeat(n)));
        }
    }
    for part in [
        "a+", "f(a),", "a ? b : ", "- ", "\"x\" ", "'", "\\ ", "/* c */", "a.b.", "{1},", "]]", "<",
    ] {
        for start in ["", conditions] {
            let line = part.repeat((1 << 17) / part.len());
            formatted(&format!("{start}float f() {{ return {line}1; }}\n"));
        }
    }
    formatted(&format!("#if A\nfloat f() {{ return {}1; }}\n", "a + ".repeat(1 << 18)));
    formatted(&"#if A\n".repeat(n));
    formatted(&format!("{}{}", "#if A\n{(".repeat(n), "#else\n)}\n#endif\n".repeat(n)));
    formatted(&"if (a) if (b) ; else ".repeat(n));
    formatted(&"// c\n".repeat(1 << 17));
    formatted(&format!("shape a : cube {{ {} }}\n", "a = 1;  ".repeat(1 << 14)));
    formatted(&"float a = 1;   // c\n".repeat(1 << 13));
    formatted(&format!("#define A\nfloat f() {{ {} }}\n", "x(1,  2);\n".repeat(1 << 13)));
}

#[test]
fn texts_at_random_are_formatted_or_refused() {
    let parts = [
        "a",
        "1",
        "\"s\"",
        "\"",
        "'",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "[[",
        "]]",
        "<<<",
        ">>>",
        ";",
        ",",
        ".",
        "=",
        "+",
        "-",
        "++",
        "--",
        "/",
        "*",
        "//",
        "/*",
        "*/",
        "\n",
        "\r",
        "\r\n",
        " ",
        "\t",
        "\\",
        "\\\n",
        "\n#if",
        "\n#else\n",
        "\n#endif\n",
        "if",
        "else",
        "for",
        "do",
        "while",
        "group",
        "shader",
        "struct",
        "with",
        "float",
        "é",
        "\u{b}",
        "\u{c}",
        "not",
        "make_closure",
        "<",
        ">",
        "?",
        ":",
        "A",
        "0x1",
        ".5",
        "1e-3",
    ];
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut count = 0;
    for _ in 0..4_000 {
        let mut text = String::new();
        for _ in 0..seed % 40 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            text.push_str(parts[(seed % parts.len() as u64) as usize]);
            text.push_str(if seed % 1024 < 300 { " " } else { "" });
        }
        seed = seed.wrapping_add(0x1234_5679);
        seed ^= seed >> 7;
        for text in [text.clone(), format!("#if A\n{text}")] {
            let result = format("a.ksl", &text);
            assert!(!matches!(result, Err(FormatError::Changed)), "other tokens: {text:?}");
            count += usize::from(result.is_ok());
        }
    }
    assert!(count > 500, "only {count} are formatted");
}
